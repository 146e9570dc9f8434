#include "batch.h"

#include <fcntl.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "progress.h"
#include "sat.h"
#include "source.h"

bool batch_add(batch *b, const char *input, error *err)
{
    if (b->n == b->capacity) {
        size_t capacity = b->capacity ? 2 * b->capacity : 64;
        char **inputs = reallocarray(b->inputs, capacity, sizeof *inputs);
        if (!inputs) return fail(err, "out of memory");
        b->inputs = inputs;
        b->capacity = capacity;
    }
    b->inputs[b->n] = strdup(input);
    if (!b->inputs[b->n]) return fail(err, "out of memory");
    b->n++;
    return true;
}

bool batch_add_from(batch *b, const char *list, bool zero_ended, error *err)
{
    source src;
    bool ok = true;
    if (!source_open_list(&src, list, err)) return false;
    const char *at = (const char *)src.bytes, *end = at + src.n;
    while (ok && at < end) {
        const char *stop = memchr(at, zero_ended ? 0 : '\n', (size_t)(end - at));
        if (!stop) stop = end;
        size_t n = (size_t)(stop - at);
        if (!zero_ended && n > 0 && at[n - 1] == '\r') n--;
        if (memchr(at, 0, n)) {
            ok = fail(err, "a name holds a zero byte; names ended by zero bytes are read with -0");
        } else if (n > 0) {
            char *name = strndup(at, n);
            ok = name ? batch_add(b, name, err) : fail(err, "out of memory");
            free(name);
        }
        at = stop + 1;
    }
    source_close(&src);
    return ok;
}

void batch_free(batch *b)
{
    for (size_t i = 0; i < b->n; i++) free(b->inputs[i]);
    for (size_t i = 0; b->outputs && i < b->n * b->each; i++) free(b->outputs[i]);
    free(b->inputs);
    free(b->outputs);
}

/* ---- the files ------------------------------------------------------------------------------------- */

/* Descriptors that no job has for itself: files of control groups, read once, two at a time (src/io/memory.c). */
enum { SHARED = 2 };

typedef struct run {
    const batch *b;
    const job *j;
    int threads_each;
    atomic_size_t failed;
} run;

static void do_file(void *context, int64_t i, int worker)
{
    run *r = context;
    (void)worker;
    if (!job_run(r->j, r->b->inputs[i], r->b->outputs + (size_t)i * r->b->each, r->threads_each))
        atomic_fetch_add(&r->failed, 1);
}

/* How many descriptors this process may still open; counts up to `most`. */
static int descriptors_left(int most)
{
    struct rlimit limit;
    int left = 0;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return most;
    for (int fd = 0; left < most && (rlim_t)fd < limit.rlim_cur; fd++) left += fcntl(fd, F_GETFD) < 0;
    return left;
}

/* Files that are worked on at a time: as many as threads, if their descriptors are within the process's limit. */
static int jobs_at_once(const job *j, int workers)
{
    const int each = job_descriptors(j), jobs = (descriptors_left(workers * each + SHARED) - SHARED) / each;
    return jobs > 1 ? jobs : 1;
}

size_t batch_run(const batch *b, const job *j, int threads, bool quiet)
{
    int most = threads > 0 ? threads : sat_processors(), workers = b->n < (size_t)most ? (int)b->n : most;
    if (workers > 1) workers = jobs_at_once(j, workers);
    run r = {.b = b, .j = j, .threads_each = workers > 1 ? most / workers : threads};

    progress_begin((int64_t)b->n, quiet);
    if (!j->stages) progress_label("files");
    sat_parallel(workers, (int64_t)b->n, do_file, &r);
    progress_end();
    return atomic_load(&r.failed);
}
