/* window_words.cu - statistics of windows of integer samples of 16 and 32 bits.
 *
 * Idea    As in window_bytes.cu, with sums of 64 bits.
 *
 * Paper   As in window_bytes.cu.
 *
 * Layout  As in window_bytes.cu; two sums of a column are one vector.
 *
 * Launch  As in window_bytes.cu.
 *
 * Traffic As in window_bytes.cu.
 *
 * Sync    As in window_bytes.cu.
 *
 * Limits  Those of window_bytes.cu; samples of 32 bits without squares.
 *
 * Steps   As in window_bytes.cu.
 */
#include "window/window_integers.cuh"

sat_status window::prepare_words(state *w)
{
    if (sat_type_bytes(w->spec.sample) == 4) return prepare_broad<uint32_t>(w);
    return prepare_channels<uint16_t, uint64_t>(w);
}
