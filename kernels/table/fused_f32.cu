/* fused_f32.cu - the kernels of fused.cu for f32 samples. */
#include "table/fused_plan.cuh"

const fuse::hooks *fuse::of_f32(const sat_plan_spec *spec)
{
    return of_samples<float>(spec);
}
