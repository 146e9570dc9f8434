/* box_float_f32.cu - the kernels of box_float.cu for f32 samples of one channel. */
#include "box/box_float_plan.cuh"

sat_status box::prepare_f32(box_float *f, sat_arena *arena)
{
    return prepare_means<float, 1>(f, arena);
}
