/* fused_u32.cu - the kernels of fused.cu for u32 samples. */
#include "table/fused_plan.cuh"

const fuse::hooks *fuse::of_u32(const sat_plan_spec *spec)
{
    return of_samples<uint32_t>(spec);
}
