/* box_ops.h - the box filter's loops over one row, compiled for each instruction set. */
#ifndef SAT_CPU_BOX_OPS_H
#define SAT_CPU_BOX_OPS_H

#include <stdint.h>

/* Types as indices.  Sums of 16 bits are for 8-bit samples, and products with alpha have 32 bits; combinations that
 * never occur are NULL.  n counts samples, all channels together. */
enum { BOX_U8, BOX_U16, BOX_U32, BOX_I8, BOX_I16, BOX_I32, BOX_SAMPLES };
enum { BOX_SUMS_16, BOX_SUMS_32, BOX_SUMS_64, BOX_SUMS };
enum { BOX_UNSIGNED, BOX_SIGNED, BOX_SIGNS };

/* Results: of the samples' type, by their bits; and of f32 and f64.  F24: f32 where the magnitudes of all sums are
 * below 2^24, so that floats hold them. */
enum { BOX_TO_8, BOX_TO_16, BOX_TO_32, BOX_TO_F24, BOX_TO_F32, BOX_TO_F64, BOX_RESULTS };

/* out[i] = (upper[i] - lower[i]) / divisor */
typedef void sat_box_divide(void *out, const void *upper, const void *lower, uint64_t divisor, int64_t n);
/* out[i] = sums[i] / divisors[i], anything / 0 being 0; the divisors are of the sums' type.  Integers beyond
 * the result's range are cut to it, which only divisors below zero make: sums of weights. */
typedef void sat_box_divide_each(void *out, const void *sums, const void *divisors, int64_t n);

/* Windows of so many columns are summed column by column, where the sums have 16 bits. */
enum { BOX_FEW = 5 };

struct sat_box_ops {
    /* sums[i] += enter[i] - leave[i] */
    void (*slide[BOX_SAMPLES][BOX_SUMS])(void *sums, const void *enter, const void *leave, int64_t n);
    /* sums[i] += weight * row[i], modulo the sum's width: -1 subtracts */
    void (*add[BOX_SAMPLES][BOX_SUMS])(void *sums, const void *row, uint64_t weight, int64_t n);
    /* out[i] = carry[i % channels] + the sum of sums[j] over j <= i, j = i modulo channels = 1..4; carry goes
     * on from call to call */
    void (*prefix[BOX_SUMS][4])(void *out, const void *sums, int64_t n, void *carry);
    /* out[i] = prefix[i + reach] - prefix[i] */
    void (*differ[BOX_SUMS])(void *out, const void *prefix, int64_t reach, int64_t n);
    /* Sums to means: integers to nearest, halves away from zero, where the quotient fits the result; f64 as
     * sat_real_quotient(), f32 that rounded */
    sat_box_divide *divide[BOX_SIGNS][BOX_SUMS][BOX_RESULTS];
    sat_box_divide_each *divide_each[BOX_SIGNS][BOX_SUMS][BOX_RESULTS];
    /* How many counts are below `least`, which a count can be; n < 2^16 */
    int64_t (*below[BOX_SUMS])(const void *counts, uint64_t least, int64_t n);
    /* The divisors of means weighted by alpha, the last channel: of colours alpha's sum, of alpha `area`, or, where
     * that is 0, what is there */
    void (*spread[BOX_SUMS])(void *divisors, const void *sums, uint64_t area, int channels, int64_t n);
    /* out[i] = in[i] times its pixel's alpha, u32 or i32; alpha itself stays */
    void (*weigh[BOX_SAMPLES])(void *out, const void *in, int channels, int64_t n);
    /* Windows of 1 .. BOX_FEW columns of 16-bit sums: out[i] = sums[i] + sums[i + channels] + ..., or, divided as by
     * divide, their 8-bit mean */
    void (*few_sums[BOX_FEW])(void *out, const void *sums, int channels, int64_t n);
    void (*few_means[BOX_FEW])(void *out, const void *sums, int channels, uint64_t divisor, int64_t n);
};

#endif
