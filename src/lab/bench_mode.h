/* bench_mode.h - the table of benches, and what they share.
 *
 * A bench is one file bench_<id>.c that defines `const bench_mode bench_mode_<id>` at its bottom, and one line in
 * benches.def.  bench_line.c reads the command line for it; cmd_bench.c prints its rows and its summary, and draws its
 * plot, from what was just measured or from a file. */
#ifndef BENCH_MODE_H
#define BENCH_MODE_H

#include "bench.h"
#include "bench_rows.h"
#include "options.h"
#include "plot.h"
#include "sampler.h"

/* ---- what is asked for ------------------------------------------------------------------------------- */

enum {
    OPT_BENCH = OPT_OWN,
#define OPTION(id, ...) id,
#include "bench_options.def"
#undef OPTION
    OPT_BENCH_END
};
_Static_assert(OPT_BENCH_END - OPT_FIRST < OPTIONS_MAX, "options_next() counts them all");

enum { MEASURES = SETS_OWN, CHOOSES = SETS_OWN << 1 };

enum { NAMES_MAX = 32, SHAPES_MAX = 8 };

/* How blocks are shaped; 0 threads = as the method chooses. */
typedef struct block_shape {
    int block_threads, thread_items;
    bool naive_staging;
} block_shape;

typedef struct bench_request {
    int64_t width, height;
    int channels;
    sat_type type, accum, result; /* SAT_TYPE_NONE = the bench's default */
    bool squares;                 /* tables of the samples' squares */
    bool weighted;                /* the box filter: by alpha */
    sat_layout layout;
    int64_t window;
    double sigma;           /* of the Gaussian filter; 0 = none */
    const char *statistics; /* of windows; NULL = the box filter */
    bench_order order;      /* of samples in memory */
    bool masked;            /* some pixels do not count */
    bool skip_nan, has_nodata;
    double nodata;     /* samples that do not count */
    int64_t batch;     /* images in a call; 0 = one */
    int64_t rects;     /* 0 = not given */
    const char *image; /* NULL = random samples */

    int64_t min_log2, max_log2, step; /* lengths 2^min .. 2^max; -1 = the bench's default, step 0 likewise */
    bool exclusive, naive_staging;
    int64_t block_threads, thread_items; /* 0 = not given */
    block_shape shape[SHAPES_MAX];       /* of --shape */
    int shape_n;
    const char *map; /* NULL = the first */
    bool maps;
    const char *against; /* NULL = the copy kernel */

    const char *wanted[NAMES_MAX]; /* the only rows besides ceilings; none = all */
    int wanted_n;
    int64_t samples;
    int threads;
    bool verbose, quiet;
} bench_request;

/* Is that method among the wanted? */
bool bench_wanted(const bench_request *r, const char *name, size_t length);

/* ---- a run ------------------------------------------------------------------------------------------- */

typedef struct bench_session {
    const bench_request *request;
    bench_rows rows;
    report report;
    void (*begin)(void *context, report *to); /* called before the first row; what stands above it */
    void *context;
    const char *label; /* of the rows: the column `bench` */
    sampler host, device;
    bool host_open, device_open;
    double copy_us[2]; /* by sat_memory: the first ceiling's warm time at this size; 0 = none yet */
    int failed;
} bench_session;

typedef enum bench_outcome {
    BENCH_MEASURED,
    BENCH_REFUSED, /* the method does not do this job; sat_detail() says why */
    BENCH_FAILED,
} bench_outcome;

/* Checks the method, times it, and reports the row.  unless_refused: a refusal makes no row. */
bench_outcome bench_measure(bench_session *s, bench_case *b, const bench_method *m, bool unless_refused);

/* Begins another size: ceilings come first, and count for what follows. */
void bench_begin_size(bench_session *s);

/* Where bench_measure() would time this method: SAT_DEVICE or SAT_HOST. */
sat_memory bench_memory_of(const bench_method *m);

/* ---- a bench ----------------------------------------------------------------------------------------- */

typedef struct bench_mode {
    const char *name;    /* "scan": `sat bench scan` */
    const char *summary; /* one line for `sat bench --help` */
    const char *help;    /* `sat bench NAME --help`; NULL = that of the command */
    const int *takes;    /* the options of MEASURES that it takes; 0 ends them */
    bool takes_image;

    /* What rows can there be?  The i-th of its methods, available or not; false past the last. */
    bool (*method_at)(size_t i, bench_method *m);
    /* The same, and whether it is available: what --list shows. */
    bool (*probed_at)(size_t i, bench_method *m);
    /* The name of the i-th that builds with CUDA have and this one lacks; false past the last.  May be NULL. */
    bool (*absent_at)(size_t i, char *name, size_t bytes);
    /* What is said of a name that none of them has. */
    const char *(*unknown)(const char *name);
    double floor_s; /* sampler.h */

    /* NULL, or what is wrong with the request, before any work: a usage error. */
    const char *(*refuse)(const bench_request *r);
    bool (*run)(bench_session *s, error *err);
    /* Is that row one of this bench's? */
    bool (*owns)(const bench_row *row);
    /* Markdown behind the rows; may be NULL. */
    void (*summarise)(const bench_rows *rows, const bench_request *r, text_out *t);
    bool (*draw)(const bench_rows *rows, const bench_request *r, FILE *gnuplot, error *err);
} bench_mode;

#define BENCH(id) extern const bench_mode bench_mode_##id;
#include "benches.def"
#undef BENCH

const bench_mode *bench_mode_at(int i);               /* NULL past the end */
const bench_mode *bench_mode_named(const char *name); /* NULL if there is none */
/* "NAME, NAME need a GPU and a build with CUDA: ...", how to get what this build lacks of a bench, in one line; "" if
 * it lacks nothing. */
typedef struct absent_line {
    char text[640];
} absent_line;
const char *bench_absent(const bench_mode *mode, absent_line *line);

/* The bench that may have been meant by a word which is none; NULL if it is near none of them. */
const bench_mode *bench_mode_near(const char *word);

/* `sat bench NAME --list`: what a bench compares, one after the other; json: an object in each line. */
void bench_list(const bench_mode *mode, bool json, text_out *to);

#endif
