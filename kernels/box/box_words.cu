/* box_words.cu - the kernels of box.cu for u16 samples, and for u8 samples whose column sums have 32 bits. */
#include "box/box_prepare.cuh"

namespace
{

template <unsigned CHANNELS> sat_status prepare_channels(box::strip_plan *f)
{
    const bool sums_32 = f->window.accum == SAT_U32;
    const uint64_t rows = (uint64_t)(f->reach_y.before + 1 + f->reach_y.after);
    if (rows > UINT32_MAX / sat_sample_max(f->spec.sample))
        return sat_fail(SAT_ERR_UNAVAILABLE, "%s: a window of %lld rows is too tall", box::NAME, (long long)rows);
    if (f->spec.sample == SAT_U16)
        return sums_32 ? box::prepare_for_device<box::words<uint16_t, uint16_t, CHANNELS, uint32_t>>(f)
                       : box::prepare_for_device<box::words<uint16_t, uint16_t, CHANNELS, uint64_t>>(f);
    if (!sums_32) return sat_fail(SAT_ERR_UNAVAILABLE, "%s: a window of u8 whose sum exceeds 2^32", box::NAME);
    return box::prepare_for_device<box::words<uint8_t, uint8_t, CHANNELS, uint32_t>>(f);
}

} // namespace

sat_status box::prepare_words(strip_plan *f)
{
    switch (f->spec.channels) {
    case 1: return prepare_channels<1>(f);
    case 2: return prepare_channels<2>(f);
    case 3: return prepare_channels<3>(f);
    default: return prepare_channels<4>(f);
    }
}
