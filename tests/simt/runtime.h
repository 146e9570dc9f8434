/* runtime.h - the simulator's second half of kernels/prim/runtime.cuh: the host's side of a kernel. */
#ifndef SIMT_RUNTIME_H
#define SIMT_RUNTIME_H

#include "engine.h"

namespace prim
{

/* A small device's, so that both ways to depend on it are taken. */
inline size_t shared_memory_limit()
{
    return 48 << 10;
}

inline sat_status simulated(bool fine)
{
    return fine ? SAT_OK : sat_fail(SAT_ERR_DEVICE, "%s", simt::fault_text());
}

template <class T> sat_status device_alloc(T **p, size_t n)
{
    *p = nullptr;
    size_t bytes;
    if (__builtin_mul_overflow(n, sizeof(T), &bytes)) return sat_fail(SAT_ERR_SHAPE, "device memory: too much");
    *p = (T *)simt::memory_alloc(bytes);
    return *p ? SAT_OK
              : sat_fail(SAT_ERR_MEMORY, "device memory: %zu bytes are more than the simulator has left", bytes);
}
inline void device_free(void *p)
{
    if (p) simt::memory_free(p);
}
inline sat_status fill_bytes(void *p, int byte, size_t bytes, void *)
{
    return simulated(simt::memory_fill(p, byte, bytes));
}
inline sat_status copy_rows(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t row_bytes,
                            size_t rows, void *)
{
    return simulated(simt::memory_copy_rows(to, to_pitch, from, from_pitch, row_bytes, rows));
}
inline sat_status stream_wait(void *)
{
    return simulated(simt::device_alive());
}

inline unsigned multiprocessors()
{
    return 1;
}

template <class K> constexpr const char *kernel_name()
{
    return __PRETTY_FUNCTION__;
}

/* Whether a kernel is compiled: all are, unless SIMT_CHOSEN names a file with the definition of chosen[], the names of
 * those that are (mutants.sh). */
#ifdef SIMT_CHOSEN
#include SIMT_CHOSEN
template <class K> constexpr bool is_chosen()
{
    for (const char *name : chosen)
        if (__builtin_strcmp(name, kernel_name<K>()) == 0) return true;
    return false;
}
#else
template <class K> constexpr bool is_chosen()
{
    return true;
}
#endif

/* least_resident of a kernel: how many of its blocks must run at the same time. */
template <class K, class = void> struct least_resident_of {
    static constexpr unsigned value = 1;
};
template <class K> struct least_resident_of<K, decltype((void)K::least_resident)> {
    static constexpr unsigned value = K::least_resident;
};

template <class K> sat_status launch(const K &kernel, int64_t blocks, void *)
{
    if (blocks < 1 || blocks > INT32_MAX)
        return sat_fail(SAT_ERR_SHAPE, "a launch of %lld blocks; 2^31 - 1 are possible", (long long)blocks);
    static_assert(K::threads >= 1 && K::threads <= 1024 && sizeof(typename K::shared) <= 227 << 10);
    void (*enter)(const void *, void *) = nullptr;
    if constexpr (is_chosen<K>())
        enter = [](const void *k, void *shared) { (*(const K *)k)(*(typename K::shared *)shared); };
    return simulated(simt::launch({
        .enter = enter,
        .kernel = &kernel,
        .name = kernel_name<K>(),
        .threads = K::threads,
        .shared_bytes = sizeof(typename K::shared),
        .blocks = blocks,
        .least_resident = least_resident_of<K>::value,
    }));
}

} // namespace prim
#endif
