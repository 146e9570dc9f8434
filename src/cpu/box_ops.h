/* box_ops.h - the box filter's loops over one row, compiled for each instruction set. */
#ifndef SAT_CPU_BOX_OPS_H
#define SAT_CPU_BOX_OPS_H

#include <stdint.h>

/* Indices: samples u8, u16, u32 (0, 1, 2; u32 = products with alpha), sums u32, u64 (0, 1), results u8,
 * u16 (0, 1).  n counts samples, all channels together. */
struct sat_box_ops {
    /* sums[i] += enter[i] - leave[i] */
    void (*slide[3][2])(void *sums, const void *enter, const void *leave, int64_t n);
    /* sums[i] += weight * row[i], modulo the sum's width: -1 subtracts */
    void (*add[3][2])(void *sums, const void *row, uint64_t weight, int64_t n);
    /* out[i] = carry[i % channels] + the sum of sums[j] over j <= i, j = i modulo channels = 1..4; carry goes
     * on from call to call */
    void (*prefix[2][4])(void *out, const void *sums, int64_t n, void *carry);
    /* out[i] = prefix[i + reach] - prefix[i] */
    void (*differ[2])(void *out, const void *prefix, int64_t reach, int64_t n);
    /* out[i] = sums[i] / divisor to nearest, halves up; the quotient fits the result */
    void (*divide[2][2])(void *out, const void *sums, uint64_t divisor, int64_t n);
    /* the same by divisors[i] * factor; the divisors are of the sums' type */
    void (*divide_each[2][2])(void *out, const void *sums, const void *divisors, uint64_t factor, int64_t n);
    /* the same for the colours by the sum of alpha, which is the last channel; alpha itself is left out */
    void (*divide_weighted[2][2])(void *out, const void *sums, int channels, int64_t n);
    /* out[i] = in[i] times its pixel's alpha; alpha itself stays */
    void (*weigh[2])(uint32_t *out, const void *in, int channels, int64_t n);
};

#endif
