/* runtime.cuh - the host's side of a kernel: memory, copies, launches; errors become sat_status.
 *
 * With SAT_SIMT the simulator provides the same functions (tests/simt/runtime.h): a launch runs the grid, memory is the
 * host's, fenced and poisoned.  Nothing outside this file and device.cu calls the CUDA runtime, but for the peers,
 * which the simulator leaves out. */
#ifndef PRIM_RUNTIME_CUH
#define PRIM_RUNTIME_CUH

#include <stdint.h>
#include <stdlib.h>

#include "backend.h"
#include "prim/device.cuh"

#ifdef SAT_SIMT
#include "runtime.h" /* tests/simt */
#else
#include <cuda_runtime.h>

namespace prim
{

/* SAT_OK, or SAT_ERR_DEVICE (SAT_ERR_MEMORY where memory ran out) with "WHAT: CUDA's sentence" as the detail. */
inline sat_status checked(cudaError_t error, const char *what)
{
    if (error == cudaSuccess) return SAT_OK;
    (void)cudaGetLastError(); /* the next call starts clean */
    return sat_fail(error == cudaErrorMemoryAllocation ? SAT_ERR_MEMORY : SAT_ERR_DEVICE, "%s: %s", what,
                    cudaGetErrorString(error));
}

template <class T> sat_status device_alloc(T **p, size_t n)
{
    *p = nullptr;
    size_t bytes;
    if (__builtin_mul_overflow(n, sizeof(T), &bytes)) return sat_fail(SAT_ERR_SHAPE, "device memory: too much");
    return checked(cudaMalloc((void **)p, bytes ? bytes : 1), "device memory");
}
inline void device_free(void *p)
{
    if (p) (void)cudaFree(p);
}
inline sat_status fill_bytes(void *p, int byte, size_t bytes, void *stream)
{
    return checked(cudaMemsetAsync(p, byte, bytes, (cudaStream_t)stream), "filling device memory");
}
/* Any direction; rows of row_bytes, from_pitch and to_pitch apart.  A 2-D copy takes pitches below 2^31 only
 * (cudaDevAttrMaxPitch), and rows without gaps need none. */
inline sat_status copy_rows(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t row_bytes,
                            size_t rows, void *stream)
{
    cudaStream_t on = (cudaStream_t)stream;
    bool gapless = rows == 1 || (to_pitch == row_bytes && from_pitch == row_bytes);
    size_t together = gapless ? rows : 1; /* rows in one copy */
    if (!gapless && to_pitch <= INT32_MAX && from_pitch <= INT32_MAX)
        return checked(cudaMemcpy2DAsync(to, to_pitch, from, from_pitch, row_bytes, rows, cudaMemcpyDefault, on),
                       "copying");
    sat_status status = SAT_OK;
    for (size_t y = 0; y < rows && status == SAT_OK; y += together)
        status = checked(cudaMemcpyAsync((char *)to + y * to_pitch, (const char *)from + y * from_pitch,
                                         together * row_bytes, cudaMemcpyDefault, on),
                         "copying");
    return status;
}
inline sat_status stream_wait(void *stream)
{
    return checked(cudaStreamSynchronize((cudaStream_t)stream), "waiting for the device");
}

/* The shared memory that a block may have on the current device, in bytes; what all have, if it does not say.  In
 * a build to be checked no more than SAT_SHARED_LIMIT of the environment. */
inline size_t shared_memory_limit()
{
    int device = 0, bytes = 0;
    if (cudaGetDevice(&device) != cudaSuccess ||
        cudaDeviceGetAttribute(&bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin, device) != cudaSuccess) {
        (void)cudaGetLastError();
        return 48 << 10;
    }
#ifdef SAT_CHECKED
    const char *limit = getenv("SAT_SHARED_LIMIT");
    if (limit && atoi(limit) < bytes) bytes = atoi(limit);
#endif
    return (size_t)bytes;
}

/* Multiprocessors of the current device, queried once; 1 if the query fails. */
inline unsigned multiprocessors()
{
    constexpr int DEVICES = 64; /* more than a host has; others are queried each time */
    static unsigned known[DEVICES];
    int device = 0, n = 0;
    if (cudaGetDevice(&device) == cudaSuccess && device < DEVICES) {
        const unsigned before = __atomic_load_n(&known[device], __ATOMIC_RELAXED);
        if (before > 0) return before;
    }
    if (cudaDeviceGetAttribute(&n, cudaDevAttrMultiProcessorCount, device) != cudaSuccess || n < 1) {
        (void)cudaGetLastError();
        return 1;
    }
    if (device < DEVICES) __atomic_store_n(&known[device], (unsigned)n, __ATOMIC_RELAXED);
    return (unsigned)n;
}

/* min_blocks of a kernel: how many of its blocks should fit a multiprocessor; bounds the registers. */
template <class K, class = void> struct min_blocks_of {
    static constexpr int value = 1;
};
template <class K> struct min_blocks_of<K, decltype((void)K::min_blocks)> {
    static constexpr int value = K::min_blocks;
};

template <class K>
__global__ void __launch_bounds__(K::threads, min_blocks_of<K>::value) enter(const __grid_constant__ K kernel)
{
    extern __shared__ __align__(128) unsigned char memory[];
    kernel(*reinterpret_cast<typename K::shared *>(memory));
}

/* Queues `blocks` blocks of K::threads threads; at most 2^31 - 1. */
template <class K> sat_status launch(const K &kernel, int64_t blocks, void *stream)
{
    constexpr size_t bytes = sizeof(typename K::shared), ordinary = 48 << 10;
    if (blocks < 1 || blocks > INT32_MAX)
        return sat_fail(SAT_ERR_SHAPE, "a launch of %lld blocks; 2^31 - 1 are possible", (long long)blocks);
    if (bytes > ordinary) {
        sat_status status =
            checked(cudaFuncSetAttribute(enter<K>, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)bytes),
                    "shared memory of a kernel");
        if (status != SAT_OK) return status;
    }
    enter<K><<<(unsigned)blocks, K::threads, bytes, (cudaStream_t)stream>>>(kernel);
    return checked(cudaGetLastError(), "launching a kernel");
}

} // namespace prim
#endif

namespace prim
{

/* n values of device memory in an object's arena. */
template <class T> sat_status arena_alloc(sat_arena *arena, T **p, size_t n)
{
    size_t bytes;
    *p = nullptr;
    if (__builtin_mul_overflow(n, sizeof(T), &bytes)) return sat_fail(SAT_ERR_SHAPE, "device memory: too much");
    return sat_arena_take(arena, SAT_MEMORY_DEVICE, bytes, (void **)p);
}

/* A zeroed object of host memory there; NULL, with the failure reported, if there is none. */
template <class T> T *arena_new(sat_arena *arena)
{
    return (T *)sat_arena_zeros(arena, sizeof(T));
}

} // namespace prim
#endif
