/* fused_u16.cu - the kernels of fused.cu for u16 samples. */
#include "table/fused_plan.cuh"

const fuse::hooks *fuse::of_u16(const sat_plan_spec *spec)
{
    return of_samples<uint16_t>(spec);
}
