/* box_real.cu - the box filter of integers whose results are f32.
 *
 * Idea    The strips of box.cu, with column sums of 32 bits, and another last step: a mean is the quotient of its sum
 *         and its area, from a reciprocal that is corrected by the residue (box_divide.cuh).  Where all sums are below
 *         2^24, floats suffice for that; else it takes doubles, and the f64 quotient is rounded once more.
 *
 * Paper   Markstein, Computation of elementary functions on the IBM RISC System/6000 processor, IBM J. Res. Dev. 34,
 *         1990.
 *
 * Layout  As in box.cu; a lane stages four bytes for each result.
 *
 * Launch  As in box.cu.
 *
 * Traffic 1R of the samples, and the leaving rows from L2; 1W of four bytes for each.
 *
 * Sync    As in box.cu.
 *
 * Limits  u8 and u16, and the windows of box.cu; sums below 2^53, as a window has fewer columns than a strip and column
 *         sums are below 2^32.
 *
 * Steps   As in box.cu.
 */
#include "box/box_prepare.cuh"

namespace
{

template <unsigned CHANNELS> sat_status prepare_channels(box::strip_plan *f)
{
    const bool narrow = f->window.accum == SAT_U32;
    const uint64_t rows = (uint64_t)(f->reach_y.before + 1 + f->reach_y.after);
    if (rows > UINT32_MAX / sat_sample_max(f->spec.sample))
        return sat_fail(SAT_ERR_UNAVAILABLE, "%s: a window of %lld rows is too tall", box::NAME, (long long)rows);
    if (f->spec.sample == SAT_U16)
        return narrow ? box::prepare_for_device<box::words<uint16_t, float, CHANNELS, uint32_t>>(f)
                      : box::prepare_for_device<box::words<uint16_t, float, CHANNELS, uint64_t>>(f);
    if (!narrow) return sat_fail(SAT_ERR_UNAVAILABLE, "%s: a window of u8 whose sum exceeds 2^32", box::NAME);
    return box::prepare_for_device<box::words<uint8_t, float, CHANNELS, uint32_t>>(f);
}

} // namespace

sat_status box::prepare_reals(strip_plan *f)
{
    switch (f->spec.channels) {
    case 1: return prepare_channels<1>(f);
    case 2: return prepare_channels<2>(f);
    case 3: return prepare_channels<3>(f);
    default: return prepare_channels<4>(f);
    }
}
