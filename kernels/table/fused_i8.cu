/* fused_i8.cu - the kernels of fused.cu for i8 samples. */
#include "table/fused_plan.cuh"

const fuse::hooks *fuse::of_i8(const sat_plan_spec *spec)
{
    return of_samples<int8_t>(spec);
}
