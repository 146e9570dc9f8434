/* batch.c - many inputs: their list, their outputs' names from a template with the check that no two write one file,
 * and the threads that work on them. */
#include "batch.h"

#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "command.h"
#include "mask_rows.h"
#include "messages.h"
#include "progress.h"
#include "sat.h"
#include "row_source.h"
#include "stream.h"
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

/* ---- a folder ------------------------------------------------------------------------------------- */

bool is_folder(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

char *folder_template(const char *folder, const char *format)
{
    char *text = NULL;
    size_t size;
    FILE *to = open_memstream(&text, &size);
    if (!to) return NULL;
    size_t n = strlen(folder);
    while (n > 0 && folder[n - 1] == '/') n--;
    for (size_t i = 0; i < n; i++) {
        if (folder[i] == '{' || folder[i] == '}') fputc(folder[i], to); /* its own braces are doubled */
        fputc(folder[i], to);
    }
    if (format)
        fprintf(to, "/{stem}.%s", format);
    else
        fputs("/{name}", to);
    bool whole = !ferror(to);
    if (fclose(to) == 0 && whole) return text;
    free(text);
    return NULL;
}

bool batch_is_template(const char *output)
{
    return strchr(output, '{') || strchr(output, '}');
}

static int out_of_memory(error *err)
{
    fail(err, "out of memory");
    return EXIT_INPUT;
}

/* ---- names ---------------------------------------------------------------------------------------- */

typedef struct parts {
    const char *dir, *name, *ext; /* ext without dot, "" if there is none */
    int dir_n, stem_n;
} parts;

static parts split(const char *path)
{
    parts p = {.dir = ".", .dir_n = 1, .name = path, .ext = ""};
    const char *slash = strrchr(path, '/');
    if (slash) {
        p.dir = path;
        p.dir_n = slash == path ? 1 : (int)(slash - path);
        p.name = slash + 1;
    }
    if (strcmp(path, "-") == 0) p.name = "stdin";
    const char *dot = strrchr(p.name, '.');
    bool has_ext = dot && dot != p.name; /* ".profile" is all stem */
    p.stem_n = (int)(has_ext ? (size_t)(dot - p.name) : strlen(p.name));
    if (has_ext) p.ext = dot + 1;
    return p;
}

static bool put_placeholder(FILE *to, const char *word, size_t n, const parts *p, size_t index, const char *stat)
{
    static const char *const words[] = {"stem", "name", "ext", "dir", "n", "stat"};
    int which = -1;
    for (int i = 0; i < 6; i++)
        if (strlen(words[i]) == n && strncmp(words[i], word, n) == 0) which = i;
    switch (which) {
    case 0: return fprintf(to, "%.*s", p->stem_n, p->name) >= 0;
    case 1: return fputs(p->name, to) >= 0;
    case 2: return fputs(p->ext, to) >= 0;
    case 3: return fprintf(to, "%.*s", p->dir_n, p->dir) >= 0;
    case 4: return fprintf(to, "%zu", index + 1) >= 0;
    case 5: return stat && fputs(stat, to) >= 0;
    default: return false;
    }
}

/* The name of one output; NULL when out of memory, or with the error's text when the template is wrong. */
static char *expand(const char *template, const char *input, size_t index, const char *stat, error *err)
{
    char *name = NULL;
    size_t size;
    parts p = split(input);
    FILE *to = open_memstream(&name, &size);
    if (!to) return NULL;
    for (const char *at = template; *at; at++) {
        if ((*at == '{' || *at == '}') && at[1] == *at) {
            fputc(*at++, to);
        } else if (*at == '{') {
            const char *close = strchr(at, '}');
            bool known = close && put_placeholder(to, at + 1, (size_t)(close - at - 1), &p, index, stat);
            if (!known && !stat && strncmp(at, "{stat}", 6) == 0) {
                fail(err, "'%s': {stat} needs --stat", template);
                goto wrong;
            }
            if (!known && !(close && ferror(to))) {
                fail(err, "'%s': the placeholders are {stem} {name} {ext} {dir} {n}%s, and {{ }} are braces", template,
                     stat ? " {stat}" : "");
                goto wrong;
            }
            at = close;
        } else if (*at == '}') {
            fail(err, "'%s': a } without its {; }} is a brace", template);
            goto wrong;
        } else {
            fputc(*at, to);
        }
    }
    bool whole = !ferror(to);
    if (fclose(to) == 0 && whole) return name;
    free(name);
    return NULL;
wrong:
    fclose(to);
    free(name);
    return NULL;
}

/* ---- meetings ------------------------------------------------------------------------------------- */

typedef struct place {
    char *path; /* of the output, its directory resolved */
    size_t index;
} place;

typedef struct file_id {
    dev_t dev;
    ino_t ino;
    size_t index;
} file_id;

static int by_path(const void *a, const void *b)
{
    const place *p = a, *q = b;
    int order = strcmp(p->path, q->path);
    return order ? order : p->index < q->index ? -1 : p->index > q->index;
}

static int by_id(const void *a, const void *b)
{
    const file_id *p = a, *q = b;
    if (p->dev != q->dev) return p->dev < q->dev ? -1 : 1;
    if (p->ino != q->ino) return p->ino < q->ino ? -1 : 1;
    return p->index < q->index ? -1 : p->index > q->index;
}

/* One of n sorted inputs that is this file and not the one of that index; NULL if there is none. */
static const file_id *another_input(const file_id *ids, size_t n, const struct stat *st, size_t index)
{
    const file_id first = {.dev = st->st_dev, .ino = st->st_ino, .index = 0};
    size_t low = 0, high = n;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (by_id(&ids[middle], &first) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    for (; low < n && ids[low].dev == first.dev && ids[low].ino == first.ino; low++)
        if (ids[low].index != index) return &ids[low];
    return NULL;
}

enum { LINKS_MAX = 40 /* as Linux follows */ };

/* What a link points to, from the folder of the link; NULL: it is no link. */
static char *pointed_to(const char *path)
{
    char target[PATH_MAX], *full;
    const ssize_t n = readlink(path, target, sizeof target);
    if (n <= 0 || n == sizeof target) return NULL;
    const char *slash = strrchr(path, '/');
    const int folder = slash && target[0] != '/' ? (int)(slash - path) + 1 : 0;
    return asprintf(&full, "%.*s%.*s", folder, path, (int)n, target) < 0 ? NULL : full;
}

/* The path with its directory resolved, or as it is if that does not exist.  Links are followed, as the output will be,
 * also to a file that does not exist yet. */
static char *resolve(const char *path, int links)
{
    char dir[PATH_MAX], *full = realpath(path, NULL);
    if (full) return full;
    char *to = links > 0 ? pointed_to(path) : NULL;
    if (to) {
        full = resolve(to, links - 1);
        free(to);
        return full;
    }
    const char *slash = strrchr(path, '/');
    size_t n = slash ? (size_t)(slash - path) + 1 : 0;
    if (n >= sizeof dir) return strdup(path);
    memcpy(dir, path, n);
    dir[n] = 0;
    char *real = realpath(n ? dir : ".", NULL);
    if (!real) return strdup(path);
    if (asprintf(&full, "%s/%s", real, path + n) < 0) full = NULL;
    free(real);
    return full;
}

/* Two outputs of one input, or of two, that are one file. */
static void say_meeting(const batch *b, size_t i, size_t k, error *err)
{
    const size_t first = i / b->each, second = k / b->each;
    if (first == second)
        fail(err, "%.120s: all statistics of %.60s would be written there; {stat} in the name keeps them apart",
             b->outputs[k], b->inputs[first]);
    else
        fail(err, "%.60s and %.60s would both write %.60s", b->inputs[first], b->inputs[second], b->outputs[k]);
}

static int check_outputs(const batch *b, error *err)
{
    int status = EXIT_FINE;
    size_t n = 0;
    const size_t all = b->n * b->each;
    place *places = calloc(all, sizeof *places);
    for (; places && n < all; n++) {
        places[n] = (place){.path = resolve(b->outputs[n], LINKS_MAX), .index = n};
        if (!places[n].path) break;
    }
    if (n < all) status = out_of_memory(err);
    if (status == EXIT_FINE) qsort(places, n, sizeof *places, by_path);
    for (size_t i = 1; status == EXIT_FINE && i < n; i++) {
        if (strcmp(places[i - 1].path, places[i].path) != 0) continue;
        say_meeting(b, places[i - 1].index, places[i].index, err);
        status = EXIT_USAGE;
    }
    for (size_t i = 0; i < n; i++) free(places[i].path);
    free(places);
    return status;
}

/* An output may replace its own input, which has been read by then, but not one that is yet to be read. */
static int check_inputs(const batch *b, error *err)
{
    int status = EXIT_FINE;
    struct stat st;
    size_t n = 0;
    file_id *ids = calloc(b->n, sizeof *ids);
    if (!ids) return out_of_memory(err);
    for (size_t i = 0; i < b->n; i++)
        if (stat(b->inputs[i], &st) == 0) ids[n++] = (file_id){.dev = st.st_dev, .ino = st.st_ino, .index = i};
    qsort(ids, n, sizeof *ids, by_id);
    for (size_t i = 0; status == EXIT_FINE && i < b->n * b->each; i++) {
        if (stat(b->outputs[i], &st) != 0 || !S_ISREG(st.st_mode)) continue;
        const file_id *hit = another_input(ids, n, &st, i / b->each);
        if (!hit) continue;
        fail(err, "%.60s would be written over the input %.60s", b->outputs[i], b->inputs[hit->index]);
        status = EXIT_USAGE;
    }
    free(ids);
    return status;
}

int batch_name_outputs(batch *b, const window_request *windows, const char *template, error *err)
{
    bool one_name = !batch_is_template(template);
    err->text[0] = 0;
    b->each = windows->outputs > 0 ? (size_t)windows->outputs : 1;
    b->outputs = calloc(b->n * b->each, sizeof *b->outputs);
    if (!b->outputs) return out_of_memory(err);
    for (size_t i = 0; i < b->n * b->each; i++) {
        const size_t input = i / b->each;
        const char *stat = windows->outputs > 0 ? windows->label[i % b->each] : NULL;
        b->outputs[i] = one_name ? strdup(template) : expand(template, b->inputs[input], input, stat, err);
        if (!b->outputs[i]) return err->text[0] ? EXIT_USAGE : out_of_memory(err);
    }
    if (b->n * b->each < 2) return EXIT_FINE;
    int status = check_outputs(b, err);
    return status == EXIT_FINE ? check_inputs(b, err) : status;
}

/* ---- one file ------------------------------------------------------------------------------------- */

/* Outputs that hold planes get all bands; of others a picture's, but are refused where a file has more than any
 * picture.
 */
static int planes_from(const job *j, char *const *outputs)
{
    enum { ANY = 2, NO_PICTURE = 5 };
    const int n = j->windows.outputs > 0 ? j->windows.outputs : 1;
    for (int i = 0; !j->table && i < n; i++)
        if (!(job_format(j, outputs[i]))->planes) return NO_PICTURE;
    return ANY;
}

static void say_image(const job *j, const char *input, const image_format *format, const image *img)
{
    if (j->verbose)
        say(input_name(input), "%s, %lldx%lld px, %d channel%s, %s", format->name, (long long)img->width,
            (long long)img->height, image_bands(img), image_bands(img) > 1 ? "s" : "", sat_type_name(img->type));
    if (img->meta.note[0] && !j->quiet) say(input_name(input), "%s", img->meta.note);
    if (!j->table && j->windows.outputs == 0 && j->alpha == ALPHA_DEFAULT && !j->quiet && format->unnamed_channels &&
        image_has_alpha(img))
        say(input_name(input),
            "the last of its %d channels is taken for alpha, the weight of the others; --alpha straight filters it "
            "like them, --alpha weighted leaves out this line",
            img->channels);
}

/* Refuses rows of a result that --rows cannot make; whole: why not, or NULL.  Else the source's georeference becomes
 * that of these rows. */
static bool take_rows(const job *j, row_source *from, const char *whole, error *err)
{
    const int64_t height = from->head.height;
    if (whole) return fail(err, "--rows is for images in bands of rows, and this one is filtered whole: %s", whole);
    if (j->end_row > height)
        return fail(err, "--rows %lld:%lld: the image has %lld rows", (long long)j->first_row, (long long)j->end_row,
                    (long long)height);
    meta_begin_at(&from->head.meta, j->first_row);
    return true;
}

/* Prints its own line if it fails, and then returns false; the outputs are then as they were. */
static bool job_run(const job *j, const char *input, char *const *outputs, int threads)
{
    image img = {0};
    error err;
    times spent = {0};
    int at_output = -1;
    const job_kind *kind = j->table ? &job_of_table : j->windows.outputs > 0 ? &job_of_windows : &job_of_filter;
    double start = clock_now_s();
    job_need need = {.j = j, .threads = threads};
    image_memory memory = {.work = kind->bytes, .context = &need};
    decode_options decode = j->decode;
    decode.threads = threads, decode.memory = &memory, decode.planes_from = planes_from(j, outputs);
    decode.takes_nodata = !j->valid.nodata_given;
    decode.progress = (io_progress){progress_more, &spent.item};

    job_stage(j, &spent, "decode");
    row_source rows;
    mask_files mask = {.count = 0};
    job of_input;
    bool ok = row_source_open(&rows, input, &decode, &err);
    char why[96];
    const char *whole = ok ? kind->whole(j, &rows, outputs) : NULL;
    of_input = *j;
    if (ok) ok = valid_find_own(&of_input.valid, input, &rows.head.meta, decode.page, j->verbose, &err);
    j = need.j = &of_input;
    if (ok && !whole && valid_has_mask(&j->valid)) {
        ok = mask_files_open(&mask, &j->valid, &rows.head, threads, &err);
        if (!mask.whole && mask.in_order && stream_border_repeats(j->border)) mask.whole = "its last rows come first";
        if (!mask.whole && mask.in_order && job_reads_twice(j)) mask.whole = "it is a pipe, and read twice";
        if (mask.whole) {
            snprintf(why, sizeof why, "of the mask %s", mask.whole);
            whole = why;
        }
    }
    if (ok && j->end_row > 0) ok = take_rows(j, &rows, whole, &err);
    const bool streams = !whole;
    ok = ok && (streams || row_source_image(&rows, &decode, &img, &err));
    const job_source from = {.img = streams ? NULL : &img,
                             .from = &rows,
                             .mask = streams && mask.count ? &mask : NULL,
                             .mask_file = mask.whole ? &mask : NULL,
                             .share = &memory.share};
    if (ok) {
        const image *head = job_head(&from);
        spent.decode_s = clock_now_s() - start;
        say_image(j, input, rows.format, head);
        if (j->verbose && whole) say(input_name(input), "whole, not by rows: %s", whole);
        progress_pixels(&spent.item, (double)head->width * (double)head->height);
        if (j->border_values > 1 && image_planes(head) > 1)
            ok = fail(&err, "--border %s has %d values; an image of %d bands takes one for all", j->border,
                      j->border_values, image_planes(head));
        ok = ok && kind->run(j, input, &from, outputs, threads, &spent, &at_output, &err);
    }
    mask_files_close(&mask);
    free(of_input.valid.own_name);
    row_source_close(&rows);
    image_free(&img);
    memory_keep(&memory.share, 0);
    progress_finish(&spent.item);
    if (!ok) say(at_output >= 0 ? output_name(outputs[at_output]) : input_name(input), "%s", err.text);
    int most = threads > 0 ? threads : sat_processors();
    if (ok && j->verbose && !whole && !j->table)
        say(input_name(input), "read, computed and written in %.1f ms, at most %d thread%s", 1e3 * spent.compute_s,
            most, most > 1 ? "s" : "");
    else if (ok && j->verbose)
        say(input_name(input), "decode %.1f ms, compute %.1f ms, encode %.1f ms, at most %d thread%s",
            1e3 * spent.decode_s, 1e3 * spent.compute_s, 1e3 * spent.encode_s, most, most > 1 ? "s" : "");
    return ok;
}

/* ---- all files ------------------------------------------------------------------------------------ */

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

/* Files that are worked on at a time: one for each worker, if their descriptors are within the process's limit.  An
 * image takes its input, which is open to the end where its rows are read, of each output a file and its directory, and
 * one more for what is read meanwhile, as the size of a cache (src/cpu/machine.c); and its masks. */
static int jobs_at_once(const batch *b, const job *j, int workers)
{
    const int each = 2 * (int)b->each + 2 + 1 + (j->valid.mask != NULL);
    const int jobs = (descriptors_left(workers * each + SHARED) - SHARED) / each;
    return jobs > 1 ? jobs : 1;
}

size_t batch_run(const batch *b, const job *j, int threads, bool quiet)
{
    int most = threads > 0 ? threads : sat_processors(), workers = b->n < (size_t)most ? (int)b->n : most;
    if (workers > 1) workers = jobs_at_once(b, j, workers);
    run r = {.b = b, .j = j, .threads_each = workers > 1 ? most / workers : threads};

    progress_begin((int64_t)b->n, quiet);
    if (!j->stages) progress_label("files");
    sat_parallel(workers, (int64_t)b->n, do_file, &r);
    progress_end();
    return atomic_load(&r.failed);
}
