#include "batch.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "machine_info.h"
#include "progress.h"
#include "source.h"

bool batch_add(batch *b, const char *input, error *err)
{
    if (b->n == b->room) {
        size_t room = b->room ? 2 * b->room : 64;
        char **inputs = reallocarray(b->inputs, room, sizeof *inputs);
        if (!inputs) return fail(err, "out of memory");
        b->inputs = inputs;
        b->room = room;
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
    if (!source_open(&src, list, err)) return false;
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
    for (size_t i = 0; i < b->n; i++) {
        free(b->inputs[i]);
        if (b->outputs) free(b->outputs[i]);
    }
    free(b->inputs);
    free(b->outputs);
}

/* ---- the pool -------------------------------------------------------------------------------------- */

typedef struct pool {
    const batch *b;
    const job *j;
    int threads_each;
    atomic_size_t next, failed;
} pool;

static void *work(void *arg)
{
    pool *p = arg;
    for (size_t i; (i = atomic_fetch_add(&p->next, 1)) < p->b->n;) {
        if (!job_run(p->j, p->b->inputs[i], p->b->outputs[i], p->threads_each)) atomic_fetch_add(&p->failed, 1);
        if (!p->j->stages) progress_step();
    }
    return NULL;
}

size_t batch_run(const batch *b, const job *j, int threads, bool quiet)
{
    int most = threads > 0 ? threads : machine_cores();
    size_t workers = b->n < (size_t)most ? b->n : (size_t)most, started = 0;
    pool p = {.b = b, .j = j, .threads_each = workers > 1 ? most / (int)workers : threads};
    pthread_t *others = calloc(workers, sizeof *others);

    progress_begin(j->stages ? JOB_STAGES : (int64_t)b->n, quiet);
    if (!j->stages) progress_label("files");
    while (others && started + 1 < workers && pthread_create(&others[started], NULL, work, &p) == 0) started++;
    work(&p); /* this thread works too, and alone if no other could be had */
    while (started > 0) pthread_join(others[--started], NULL);
    progress_end();
    free(others);
    return atomic_load(&p.failed);
}
