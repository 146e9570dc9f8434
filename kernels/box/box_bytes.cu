/* box_bytes.cu - the kernels of box.cu for u8 samples whose column sums have 16 bits. */
#include "box/box_prepare.cuh"

namespace
{

template <unsigned CHANNELS>
using narrow = box::filter_of<uint8_t, uint8_t, CHANNELS, uint16_t, uint32_t, tuning::BOX_NARROW_BYTES>;
template <unsigned CHANNELS>
using broad = box::filter_of<uint8_t, uint8_t, CHANNELS, uint16_t, uint32_t, tuning::box_broad_bytes(CHANNELS)>;

template <unsigned CHANNELS> sat_status prepare_channels(box::strip_plan *f)
{
    const int64_t window = (f->reach_x.before + 1 + f->reach_x.after) * CHANNELS;
    /* Runs of three channels are an odd number of threes of vectors: 24 would be too short, the next is 72. */
    if constexpr (CHANNELS != 3)
        if (window * 4 <= (int64_t)narrow<CHANNELS>::ELEMENTS) return box::prepare_for_device<narrow<CHANNELS>>(f);
    const bool fits = sizeof(typename broad<CHANNELS>::shared) <= prim::shared_memory_limit();
    return fits ? box::prepare_for_device<broad<CHANNELS>>(f) : box::prepare_words(f);
}

} // namespace

sat_status box::prepare_bytes(strip_plan *f)
{
    const uint64_t rows = (uint64_t)(f->reach_y.before + 1 + f->reach_y.after);
    if (f->window.accum != SAT_U32 || rows > UINT16_MAX / sat_sample_max(SAT_U8)) return prepare_words(f);
    switch (f->spec.channels) {
    case 1: return prepare_channels<1>(f);
    case 2: return prepare_channels<2>(f);
    case 3: return prepare_channels<3>(f);
    default: return prepare_channels<4>(f);
    }
}
