/* architecture.cuh - what architectures of devices have. */
#ifndef PRIM_ARCHITECTURE_CUH
#define PRIM_ARCHITECTURE_CUH

#include <stddef.h>

namespace prim
{

/* The shared memory of a block, at most, in bytes; of architecture 75, 80, .. (CUDA C++ Programming Guide, Technical
 * Specifications). */
constexpr size_t shared_memory_of(int architecture)
{
    const int a = architecture;
    return (size_t)(a < 80 ? 64 : a == 80 || a == 87 ? 163 : a < 90 || a >= 120 ? 99 : 227) << 10;
}

} // namespace prim
#endif
