/* window_words.cu - the kernels of window_bytes.cu for samples of 16 and 32 bits, with sums of 64 bits; of 32 bits
 * without squares.  Two sums of a column are one vector. */
#include "window/window_integers.cuh"

sat_status window::prepare_words(state *w, bool *has_room)
{
    if (sat_type_bytes(w->spec.sample) == 4) return prepare_broad<uint32_t>(w, has_room);
    return prepare_channels<uint16_t, uint64_t>(w, has_room);
}
