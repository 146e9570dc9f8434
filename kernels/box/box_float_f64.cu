/* box_float_f64.cu - the kernels of box_float.cu for f64 samples of one channel. */
#include "box/box_float_plan.cuh"

sat_status box::prepare_f64(box_float *f, sat_arena *arena)
{
    return prepare_means<double, 1>(f, arena);
}
