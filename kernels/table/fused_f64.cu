/* fused_f64.cu - the kernels of fused.cu for f64 samples. */
#include "table/fused_plan.cuh"

const fuse::hooks *fuse::of_f64(const sat_plan_spec *spec)
{
    return of_samples<double>(spec);
}
