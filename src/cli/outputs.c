/* outputs.c - output names from a template, and the check that no two jobs write one file. */
#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "batch.h"
#include "command.h"

bool batch_is_template(const char *output)
{
    return strchr(output, '{') || strchr(output, '}');
}

static int out_of_memory(error *err)
{
    fail(err, "out of memory");
    return EXIT_INPUT;
}

/* ---- names ----------------------------------------------------------------------------------------- */

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

/* ---- meetings -------------------------------------------------------------------------------------- */

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

/* The path with its directory resolved, or as it is if that does not exist. */
static char *resolve(const char *path)
{
    char dir[PATH_MAX], *full = realpath(path, NULL);
    if (full) return full; /* it exists; a link is followed, as the output will be */
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
        places[n] = (place){.path = resolve(b->outputs[n]), .index = n};
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

/* An output may replace its own input, which has been decoded by then, but not one that is yet to be read. */
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
