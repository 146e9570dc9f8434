/* fused_u8.cu - the kernels of fused.cu for u8 samples. */
#include "table/fused_plan.cuh"

const fuse::hooks *fuse::of_u8(const sat_plan_spec *spec)
{
    return of_samples<uint8_t>(spec);
}
