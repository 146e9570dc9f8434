/* bench.h - the work that `sat bench` checks and times, through the public interface only. */
#ifndef CLI_BENCH_H
#define CLI_BENCH_H

#include "error.h"
#include "image.h"
#include "sat.h"

/* One input, and what is made of it. */
typedef struct bench_case {
    sat_view in;
    void *owned;    /* in.data, if it was made here */
    image img;      /* or the image that was read */
    sat_type accum; /* tables */
    sat_layout layout;
    int64_t window; /* box filter of window x window px; 0 = tables */
    int threads;
    sat_view out, reference;
    bool has_reference;
    double magnitude; /* sum of |samples|: bounds the error of float tables */
} bench_case;

/* Random samples: integers over their whole range, floats in [0, 1). in has its shape already. */
bool bench_fill(bench_case *b, error *err);
bool bench_outputs(bench_case *b, error *err); /* allocates and touches out and reference */
void bench_free(bench_case *b);

/* A piece of work that writes a view; false = failed, sat_detail() says why. */
typedef struct bench_work {
    bench_case *of;
    const sat_view *to;
    sat_plan *plan; /* one of these, or neither: the plain copy */
    sat_box *box;
} bench_work;

bool bench_open(bench_work *w, bench_case *of, const char *backend);
bool bench_run(void *work); /* a work_fn */
void bench_close(bench_work *w);

bool bench_make_reference(bench_case *b, const char *backend);
/* Runs into a poisoned output and compares with the reference; else why not, in words. */
bool bench_check(bench_work *w, error *err);
/* For work that sums nothing: every byte of the output is written, the same twice over. */
bool bench_check_writes(bench_work *w, error *err);

/* Bytes that any method must move (input once, output once), and those that a backend is modelled to. */
double bench_least_bytes(const bench_case *b);
double bench_model_bytes(const bench_case *b, const sat_backend_info *info);

#endif
