/* bench.h - the work that `sat bench` checks and times, through the public interface only.
 *
 * A case is one input and the right answer, both in host memory; outputs and a copy of the input on the device are made
 * when the first method asks for them.  A scan's case is an image one pixel high, and can be narrowed: what is
 * right for an array is right for its beginning. */
#ifndef BENCH_H
#define BENCH_H

#include "error.h"
#include "image.h"
#include "sat_gauss.h"
#include "sat_lab.h"
#include "sat_window.h"

/* How samples lie in the host's memory, of which they leave no byte out. */
typedef enum bench_order { ORDER_PACKED, ORDER_FLIPPED, ORDER_BGR, ORDER_PLANES, ORDER_TURNED, ORDERS } bench_order;
extern const char *const bench_order_name[ORDERS];

/* Which samples count: zeroed, all do. */
typedef struct bench_valid {
    bool skip_nan, has_nodata;
    double nodata;
    sat_view mask; /* data NULL: none */
} bench_valid;

typedef struct bench_case {
    sat_view in;
    void *owned;    /* in.data, if it was made here */
    image img;      /* or the image that was read */
    sat_type accum; /* tables and scans */
    sat_layout layout;
    int64_t window;  /* a filter: its box has window x window px, its Gaussian spans them; 0 = tables */
    double sigma;    /* of the Gaussian filter, px; 0 = the box filter */
    sat_type result; /* of the filter, or of all statistics */
    int outputs;     /* statistics of windows; 0 = the box filter.  Those of an image lie one below the other */
    sat_window_output output[SAT_OUTPUTS];
    bench_order order; /* of the input and the output */
    bench_valid valid;
    int threads;
    bool squares;  /* tables: of the samples' squares */
    bool weighted; /* box filter: the last channel weighs the others */
    bool scan;     /* the input is one row, and is scanned */
    bool exclusive;
    bool has_reference;
    bool exact; /* every order of additions gives the same floats */

    sat_view reference;
    int64_t segment;  /* a scan that the reference starts anew after so many; 0 = never */
    double magnitude; /* sum of |samples|: bounds the error of other floats */

    /* Queries: the input is n rectangles, as an image of n pixels of four i64, the output n means; the answers come
     * from a table, whose copy on the device is made with the others. */
    const sat_table *table;
    sat_table device_table;

    sat_view out, device_in, device_out; /* data NULL until asked for */
    sat_view device_from, device_to;     /* statistics: what the copy on the device reads, and writes of device_out */
    int64_t out_width;                   /* what out is allocated for; 0 = as wide as the reference */
    int64_t full_width;
    void *piece; /* of a device's output, on its way to a comparison */
} bench_case;

/* Random samples: integers over their whole range; floats whose sums are exact, so that all methods must agree.
 * in has its shape already. */
bool bench_fill(bench_case *b, error *err);
/* The i-th of the random numbers. */
uint64_t bench_random(uint64_t i);
/* The i-th sample of a row. */
double bench_sample(sat_type type, const void *row, size_t i);
/* Makes the case's mask, if `masked`, in which one pixel in eight is 0; of random input, one sample in eight becomes
 * its value for no data, or NaN.  False if memory is short, or no sample can be that. */
bool bench_valid_prepare(bench_case *b, bool masked, error *err);

/* Does sample i of row y of the first image count, whose channels are together? */
bool bench_valid_at(const bench_case *b, int64_t y, int64_t i);

/* What a run takes beside its views. */
sat_run_options bench_valid_run(const bench_case *b);

/* What the column `bench` says of it: " masked", " nodata", both or nothing. */
const char *bench_valid_label(const bench_case *b);

/* Allocates the reference and says how far float results may lie from it. */
bool bench_prepare(bench_case *b, error *err);
/* A scan's case: from here on only the first n elements count, at most as many as there were at the beginning. */
void bench_narrow(bench_case *b, int64_t n);
void bench_free(bench_case *b);

/* One row's method: a backend, a scan method, or a plain copy. */
typedef struct bench_method {
    char name[64];               /* of the row */
    const char *id;              /* of the backend or scan method; NULL = a plain copy */
    const char *summary, *paper; /* NULL = none */
    sat_kind kind;
    bool device, available;
    const char *why;
    double in_reads, out_reads, out_writes;
    int64_t segment;
    int block_threads, thread_items; /* scans: 0 = the method's choice */
    bool naive_staging;
} bench_method;

bool bench_backend_at(size_t i, bench_method *m);    /* false past the last */
bool bench_backend_entry(size_t i, bench_method *m); /* the same, and no check whether it is available */
bool bench_scan_at(size_t i, bench_method *m);
bool bench_scan_absent(size_t i, char *name, size_t bytes); /* of those of whole arrays */
const char *bench_unknown_scan(const char *name); /* the library's sentence about a method that it does not have */
void bench_plain_copy(bench_method *m);
void bench_device_copy(bench_method *m); /* of the input to the output, in device memory: a filter's ceiling */

/* A piece of work that writes a view. */
typedef struct bench_work {
    bench_case *of;
    bool device, as_one; /* as_one: the images of a batch are one tall image */
    sat_plan *plan;      /* one of these, or none: a plain copy */
    sat_box *box;
    sat_gauss *gauss;
    sat_window *windows;
    sat_scan *scan;
    sat_query *query;
} bench_work;

/* SAT_ERR_TYPE and SAT_ERR_UNAVAILABLE: the method does not do this job; sat_detail() says why. */
sat_status bench_open(bench_work *w, bench_case *of, const bench_method *m);
sat_status bench_run(void *work);                   /* a work_fn */
const void *bench_copy_source(const bench_case *b); /* what the plain copy reads */
sat_status bench_wait(bench_work *w); /* until what was queued is done; returns the errors that only the device finds */
const char *bench_note(const bench_work *w);
void bench_close(bench_work *w);

/* The right answer, by the reference.  segment: of the scans that are to be compared with it. */
bool bench_make_reference(bench_case *b, const bench_method *reference, int64_t segment, error *err);
/* Runs into a poisoned output and compares with the reference; else why not, in words. */
bool bench_check(bench_work *w, error *err);
/* A number that differs where the bytes of the output do. */
bool bench_digest(bench_work *w, uint64_t *digest, error *err);
/* For work that sums nothing: what it writes does not depend on what was there. */
bool bench_check_copy(bench_work *w, error *err);

/* Bytes that any method must move (input once, output once), and those that a method is modelled to. */
double bench_least_bytes(const bench_case *b);
double bench_model_bytes(const bench_case *b, const bench_method *m);

/* The bytes that a ceiling writes at least: half of what it reads and writes. */
size_t bench_copied_bytes(const bench_work *w);

/* How far a float may lie from the reference's. */
double bench_distance_allowed(const bench_case *b, double want);

/* The windows of statistics, but the backend and the memory; and the views of their results in one. */
sat_window_spec bench_window_spec(const bench_case *b);
void bench_window_results(const bench_case *b, const sat_view *out, sat_view to[SAT_OUTPUTS]);

/* Inside: */
double bench_magnitude(const bench_case *b); /* the sum of the sizes of samples, or of their squares */
size_t bench_view_bytes(const sat_view *v);
/* memset() by all threads: the first touch of gigabytes takes one of them seconds. */
void bench_set(const bench_case *b, void *to, int byte, size_t bytes);
bool bench_host_output(bench_case *b, error *err); /* allocates and touches it, once */
bool bench_device_arrays(bench_case *b, error *err);

#endif
