/* fuzz_text.c - text from users: files of rectangles, lists of files, output templates, command lines.
 *
 * The first byte says which.  Commands run in a folder that was removed, in which no file is and none can be made, with
 * names that cannot leave it: what is fuzzed is everything that comes before their work. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "batch.h"
#include "options.h"
#include "rects.h"

#include "fuzz.h"

static int file = -1, nowhere = -1, home = -1, removed = -1;
static char file_path[64];

static void begin(void)
{
    char folder[] = "/tmp/sat-fuzz-XXXXXX";
    file = memfd_create("text", MFD_CLOEXEC);
    nowhere = open("/dev/null", O_RDWR | O_CLOEXEC);
    FILE *silent = fopen("/dev/null", "w");
    snprintf(file_path, sizeof file_path, "/proc/self/fd/%d", file);
    home = open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    removed = mkdtemp(folder) ? open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
    if (file < 0 || nowhere < 0 || !silent || home < 0 || removed < 0 || rmdir(folder) != 0) abort();
    dup2(nowhere, STDIN_FILENO);
    stderr = silent; /* of this program alone: sanitizers and libFuzzer write to the descriptor */
    unsetenv("SAT_BACKEND");
    unsetenv("SAT_THREADS");
}

static bool put(const uint8_t *bytes, size_t n)
{
    return ftruncate(file, 0) == 0 && pwrite(file, bytes, n, 0) == (ssize_t)n;
}

static bool is_line(const error *err)
{
    return err->text[0] != '\0' && !strchr(err->text, '\n');
}

/* ---- rectangles: a file and a pipe hold the same, read once or again ---- */

typedef struct outcome {
    bool opened, ended;
    size_t n;
    uint64_t hash; /* of the rectangles and their lines */
    error err;
} outcome;

static void add_string(outcome *o, const char *text)
{
    for (; *text; text++) o->hash = (o->hash ^ (uint8_t)*text) * 31;
    o->hash = (o->hash ^ 256) * 31;
}

static void add_rects(outcome *o, rects *r, const rects_chunk *chunk)
{
    char where[48];
    for (size_t i = 0; i < chunk->n; i++) {
        uint64_t word[4]; /* of a rectangle of either kind */
        const char *field = rects_other_fields(r, i);
        memcpy(word, chunk->real ? (const void *)&chunk->real[i] : &chunk->whole[i], sizeof word);
        o->hash ^= chunk->real != NULL;
        for (int k = 0; k < 4; k++) o->hash = (o->hash ^ word[k]) * 0x9e3779b97f4a7c15u;
        add_string(o, rects_where(r, i, where));
        for (int k = 0; field && k < rects_others(r); k++, field += strlen(field) + 1) add_string(o, field);
    }
    o->n += chunk->n;
}

/* Everything in the file; if again, for the second time. */
static outcome read_rects(const char *path, bool again)
{
    outcome o = {.opened = false};
    rects *r = NULL;
    rects_chunk chunk = {.n = 1};
    o.opened = rects_open(&r, path, again, &o.err);
    for (bool first = again; o.opened && first; first = false) {
        while (chunk.n > 0 && rects_next(r, &chunk, &o.err)) {}
        rects_again(r);
        chunk.n = 1;
    }
    while (o.opened && chunk.n > 0 && (o.ended = rects_next(r, &chunk, &o.err))) add_rects(&o, r, &chunk);
    rects_close(&r);
    return o;
}

static const char *rectangles(const uint8_t *bytes, size_t n, bool again)
{
    int ends[2];
    char pipe_path[64];
    if (!put(bytes, n)) return NULL;
    outcome filed = read_rects(file_path, false);
    if (!filed.ended && !is_line(&filed.err)) return "a failure without a line that says why";
    if (n == 0 || bytes[0] == 0x93 || pipe2(ends, O_CLOEXEC) != 0) return NULL; /* an array is none in a pipe */
    bool written = write(ends[1], bytes, n) == (ssize_t)n;
    close(ends[1]);
    snprintf(pipe_path, sizeof pipe_path, "/proc/self/fd/%d", ends[0]);
    outcome piped = written ? read_rects(pipe_path, again) : filed;
    close(ends[0]);
    bool same = filed.ended == piped.ended && filed.n == piped.n && filed.hash == piped.hash &&
                (filed.ended || strcmp(filed.err.text, piped.err.text) == 0);
    return same ? NULL : "a file and a pipe hold different rectangles";
}

/* ---- lists and templates ---- */

static const char *check_names(const batch *b, bool zero_ended)
{
    for (size_t i = 0; i < b->n; i++)
        if (!*b->inputs[i] || (!zero_ended && strchr(b->inputs[i], '\n'))) return "a name that is none";
    return NULL;
}

/* The template ends at the first zero byte. */
static const char *lists(const uint8_t *bytes, size_t n, bool zero_ended)
{
    const uint8_t *end = memchr(bytes, 0, n);
    batch b = {0};
    error err = {.text = ""};
    if (!end) return NULL;
    n -= (size_t)(end + 1 - bytes);
    if (!put(end + 1, n)) return NULL;
    bool ok = batch_add_from(&b, file_path, zero_ended, &err);
    const char *why = ok              ? check_names(&b, zero_ended)
                      : is_line(&err) ? NULL
                                      : "a failure without a line that says why";
    if (ok && !why && b.n > 0) {
        err.text[0] = '\0';
        static const window_request two = {.output = {{.statistic = "mean"}, {.statistic = "var"}}, .outputs = 2}, none;
        int status = batch_name_outputs(&b, zero_ended ? &two : &none, (const char *)bytes, &err);
        if (status != EXIT_FINE && !err.text[0]) why = "a failure without a line that says why";
        for (size_t i = 0; status == EXIT_FINE && i < b.n * b.each; i++)
            if (!b.outputs[i]) why = "an input without an output";
    }
    batch_free(&b);
    return why;
}

/* ---- command lines ---- */

enum { WORDS = 24 };

/* The words between zero bytes.  No name leads out of the folder; a bench reads a file that is not there, so
 * that it measures nothing. */
static const char *command_line(const uint8_t *bytes, size_t n)
{
    static char from[] = "--from=no-such-file";
    const command *all[16], *c;
    int commands = 0, argc = 1;
    while (commands < 16 && (c = command_at(commands))) all[commands++] = c;
    if (n < 2) return NULL;
    c = all[bytes[0] % commands];
    char *text = malloc(n), *argv[WORDS + 3] = {NULL};
    if (!text) return NULL;
    memcpy(text, bytes + 1, n - 1);
    text[n - 1] = '\0';
    for (size_t i = 0; i + 1 < n; i++)
        if (text[i] == '/') text[i] = '_';
    argv[0] = (char *)(uintptr_t)c->name;
    bool is_bench = strcmp(c->name, "bench") == 0;
    for (size_t i = 0; i + 1 < n && argc < WORDS; i += strlen(text + i) + 1)
        if (!is_bench || strcmp(text + i, "--") != 0) argv[argc++] = text + i;
    if (is_bench) {
        int mode = argc > 1 && argv[1][0] != '-' ? 2 : 1; /* the bench's name stays first */
        memmove(&argv[mode + 1], &argv[mode], (size_t)(argc - mode) * sizeof *argv);
        argv[mode] = from;
        argc++;
    }
    int out = dup(STDOUT_FILENO);
    if (dup2(nowhere, STDOUT_FILENO) < 0 || fchdir(removed) != 0) abort();
    optind = 0; /* getopt begins anew */
    int status = c->run(argc, argv);
    fflush(stdout);
    if (dup2(out, STDOUT_FILENO) < 0 || fchdir(home) != 0) abort();
    close(out);
    free(text);
    return status == EXIT_FINE || status == EXIT_INPUT || status == EXIT_USAGE ? NULL : "an exit status that is none";
}

static const char *run(const uint8_t *bytes, size_t n)
{
    if (n == 0) return NULL;
    switch (bytes[0] % 8) {
    case 0:
    case 1: return rectangles(bytes + 1, n - 1, false);
    case 2: return rectangles(bytes + 1, n - 1, true);
    case 3: return lists(bytes + 1, n - 1, false);
    case 4: return lists(bytes + 1, n - 1, true);
    default: return command_line(bytes + 1, n - 1);
    }
}

const fuzz_target fuzz = {.begin = begin, .run = run};
