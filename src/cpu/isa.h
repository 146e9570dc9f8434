/* isa.h - the instruction sets that the cpu backends are compiled for, and the one in use.
 *
 * One template, isa_template.h, is compiled once for each: isa_portable.c, isa_avx2.c, isa_avx512.c.  It
 * is written in loops that compilers vectorise and, for scans, in the vector extensions that gcc and
 * clang have on every machine; the instruction sets differ in the width of a vector, in their non-temporal
 * store, and in how they widen samples and move lanes.
 */
#ifndef SAT_CPU_ISA_H
#define SAT_CPU_ISA_H

#include "backend.h"
#include "processor.h"

/* n samples to n accumulators of the same value. */
typedef void sat_widen(void *out, const void *samples, int64_t n);

/* n samples to their squares, of sat_square_type() (types.h). */
typedef void sat_square(void *out, const void *samples, int64_t n);

/* n float samples to fixed point; false if one is NaN or lies outside the range. */
typedef bool sat_quantise(uint32_t *out, const void *samples, int64_t n, const sat_quant *quant);

/* row[i] += carry[i % channels] + the sum of samples[j] over j <= i, j = i modulo channels: n entries of
 * interleaved channels.  With row the table's row above, this makes the table's row.  carry[c] goes on
 * from call to call; n is a multiple of channels. */
typedef void sat_scan_add(void *row, const void *samples, int64_t n, void *carry);

/* The same for whole rows of few samples, which are read from `table` and written to it: row r + 1 of the table, n
 * entries at table + (r + 1) * table_bytes, is row r of it plus the running sums of the samples at samples + r *
 * sample_bytes. along: memory of rows * channels entries and 64 bytes. */
typedef void sat_scan_rows(void *table, size_t table_bytes, const void *samples, size_t sample_bytes, void *along,
                           int64_t n, int64_t rows);

typedef struct sat_scan_loops {
    sat_scan_add *add;
    sat_scan_rows *rows; /* the bits that `add` makes */
} sat_scan_loops;

/* Copies bytes past the caches; fence() must follow before another thread may read them. */
typedef void sat_stream(void *dst, const void *src, size_t bytes);

struct sat_box_ops;       /* box_ops.h */
struct sat_box_float_ops; /* box_float_ops.h */
struct sat_gauss_ops;     /* gauss_ops.h */
struct sat_window_ops;    /* window_ops.h */

typedef struct sat_isa {
    const char *name;
    sat_set set;
    sat_widen *(*widen)(sat_type sample, sat_type accum);                         /* NULL: no such pair */
    const sat_scan_loops *(*scan)(sat_type sample, sat_type accum, int channels); /* NULL: no such pair */
    sat_square *(*square)(sat_type sample);
    sat_quantise *(*quantise)(sat_type sample);
    sat_stream *stream;
    void (*fence)(void);
    const struct sat_box_ops *box;
    const struct sat_box_float_ops *box_float;
    const struct sat_gauss_ops *gauss[2]; /* in reals of f32, of f64 */
    const struct sat_window_ops *window;
} sat_isa;

extern const sat_isa sat_isa_portable, sat_isa_avx2, sat_isa_avx512;

/* Returns the widest instruction set that this processor has, or the one that SAT_ISA names (override.h), and sets *why
 * to its name. Returns NULL, with the reason in *why, if that one is not available, or SAT_ISA_MOST names none. */
const sat_isa *sat_isa_in_use(const char **why);

#endif
