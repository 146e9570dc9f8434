/* thin_parts.cuh - what both ways of thin.cu share: where a table lies, and the sums of the parts before one. */
#ifndef THIN_PARTS_CUH
#define THIN_PARTS_CUH

#include "prim/block_scan.cuh"
#include "prim/vector.cuh"
#include "prim/warp_scan.cuh"
#include "tuning.cuh"

namespace thin
{

/* A table in memory.  T(y, x), the sum of all samples of the image up to row y and element x of their channel, is
 * out[y * pitch + x], if y < rows and x < elements. */
template <class Sum> struct table_rows {
    Sum *out;
    int64_t pitch, rows, elements;
    uint32_t zeros;      /* columns of zeros in front of element 0: the channels, or none */
    bool top, top_carry; /* there is a row above row 0: of zeros, or the carry row */

    /* The row above element x of row 0. */
    PRIM_DEVICE void write_top(int64_t x, Sum carry) const
    {
        if (top && x < elements) prim::store(out - pitch + x, top_carry ? carry : Sum());
    }
    /* The zeros in front of row y, from -1 on; thread i of as many as there are columns of zeros. */
    PRIM_DEVICE void write_zeros(int64_t y, uint32_t i) const
    {
        if (i < zeros && y < rows && (y >= 0 || top)) prim::store(out + y * pitch - zeros + i, Sum());
    }
};

/* The sum of value x over parts first, first + step, ... below end; values: of each part. */
template <class Sum>
PRIM_DEVICE Sum sum_parts(const Sum *sums, uint32_t values, uint32_t x, uint32_t first, uint32_t end, uint32_t step)
{
    constexpr unsigned AT_ONCE = 8;
    Sum total = 0;
    for (uint32_t p = first; p < end; p += AT_ONCE * step) {
        Sum v[AT_ONCE];
#pragma unroll
        for (unsigned k = 0; k < AT_ONCE; k++)
            v[k] = p + k * step < end ? prim::load(sums + (int64_t)(p + k * step) * values + x) : Sum();
#pragma unroll
        for (unsigned k = 0; k < AT_ONCE; k++) total += v[k];
    }
    return total;
}

} // namespace thin
#endif
