/* box_divide.cuh - exact quotients of integers, where no reciprocal was prepared. */
#ifndef BOX_DIVIDE_CUH
#define BOX_DIVIDE_CUH

#include "prim/device.cuh"

namespace box
{

/* n / area for quotients below 2^16: a float, or double, is off by less than one, and the remainder tells. */
PRIM_DEVICE uint32_t quotient(uint32_t n, uint32_t area)
{
    uint32_t q = (uint32_t)((float)n / (float)area);
    const int32_t rest = (int32_t)(n - q * area);
    if (rest < 0) return q - 1;
    return rest >= (int32_t)area ? q + 1 : q;
}
PRIM_DEVICE uint32_t quotient(uint64_t n, uint64_t area)
{
    uint64_t q = (uint64_t)((double)n / (double)area);
    const int64_t rest = (int64_t)(n - q * area);
    if (rest < 0) return (uint32_t)(q - 1);
    return (uint32_t)(rest >= (int64_t)area ? q + 1 : q);
}

} // namespace box
#endif
