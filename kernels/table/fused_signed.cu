/* fused_signed.cu - the kernels of fused.cu for i8, i16 and i32 samples. */
#include "table/fused_plan.cuh"

const fuse::hooks *fuse::of_signed(const sat_plan_spec *spec)
{
    return of_samples<int8_t, int16_t, int32_t>(spec);
}
