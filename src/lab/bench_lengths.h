/* bench_lengths.h - scans of arrays of many lengths: what three benches share. */
#ifndef BENCH_LENGTHS_H
#define BENCH_LENGTHS_H

#include "bench_mode.h"

/* Powers of two; the default of --max is lowered to what the memory holds. */
typedef struct lengths {
    int64_t min_log2, max_log2, step;
} lengths;

/* Makes the case: the longest array and room for its sums.  defaults are changed to what is asked for. */
bool lengths_open(bench_session *s, lengths *of, bench_case *b, error *err);

/* The right answer for methods of that segment, by the table's reference. */
bool lengths_reference(bench_case *b, int64_t segment, error *err);

/* Narrows the case to 2^log2 elements and measures the ceilings of the memories that the bench's methods use. */
void lengths_begin(bench_session *s, bench_case *b, int64_t log2, bool host, bool device);

/* Does the array of this case fit where the method works?  Hosts are asked for shorter ones. */
bool lengths_fits(const bench_case *b, const bench_method *m);

/* Rows for each length and each method that is wanted and has this segment. */
bool lengths_measure(bench_session *s, lengths defaults, bool (*has)(const bench_method *m), error *err);

/* "NAME B=256 Q=24": the method with that shape. */
void lengths_shape(bench_method *m, int block_threads, int thread_items, bool naive_staging);

/* NULL, or what is wrong with min and max. */
const char *lengths_refuse(const bench_request *r);

#endif
