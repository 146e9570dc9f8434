/* device.h - the simulator's second half of kernels/prim/device.cuh: the same names, each a call of the engine.
 *
 * The last parameter of each is the caller's place, which callers leave out. */
#ifndef SIMT_DEVICE_H
#define SIMT_DEVICE_H

#include <string.h>
#include <type_traits>

#include "engine.h"

#define PRIM_DEVICE      inline
#define PRIM_NOINLINE    inline
#define PRIM_HOST_DEVICE inline

namespace prim
{

using simt::site;

inline unsigned thread_id()
{
    return simt::now.thread;
}
inline unsigned block_id()
{
    return simt::now.block;
}
inline unsigned blocks()
{
    return simt::now.blocks;
}
inline unsigned lane_id()
{
    return simt::now.thread % WARP;
}
inline unsigned warp_id()
{
    return simt::now.thread / WARP;
}

inline void block_sync(site at = site::current())
{
    simt::block_sync(at);
}
inline void block_sync_unaligned(site at = site::current())
{
    simt::block_sync(at);
}
inline void warp_sync(unsigned mask = ALL_LANES, site at = site::current())
{
    simt::warp_collective(simt::collective::warp_sync, 0, 0, mask, at);
}

template <class T> T warp_exchange(simt::collective what, T v, unsigned lane, unsigned mask, site at)
{
    static_assert((sizeof(T) == 4 || sizeof(T) == 8) && std::is_trivially_copyable_v<T>);
    uint64_t bits = 0;
    memcpy(&bits, &v, sizeof v);
    bits = simt::warp_collective(what, bits, lane, mask, at);
    memcpy(&v, &bits, sizeof v);
    return v;
}
template <class T> T shuffle(T v, unsigned lane, unsigned mask = ALL_LANES, site at = site::current())
{
    return warp_exchange(simt::collective::shuffle, v, lane, mask, at);
}
template <class T> T shuffle_up(T v, unsigned d, unsigned mask = ALL_LANES, site at = site::current())
{
    return warp_exchange(simt::collective::shuffle_up, v, d, mask, at);
}
template <class T> T shuffle_down(T v, unsigned d, unsigned mask = ALL_LANES, site at = site::current())
{
    return warp_exchange(simt::collective::shuffle_down, v, d, mask, at);
}
template <class T> T shuffle_xor(T v, unsigned d, unsigned mask = ALL_LANES, site at = site::current())
{
    return warp_exchange(simt::collective::shuffle_xor, v, d, mask, at);
}
inline unsigned ballot(bool p, unsigned mask = ALL_LANES, site at = site::current())
{
    return (unsigned)simt::warp_collective(simt::collective::ballot, p, 0, mask, at);
}
inline bool any(bool p, unsigned mask = ALL_LANES, site at = site::current())
{
    return simt::warp_collective(simt::collective::any, p, 0, mask, at) != 0;
}
inline bool all(bool p, unsigned mask = ALL_LANES, site at = site::current())
{
    return simt::warp_collective(simt::collective::all, p, 0, mask, at) != 0;
}

inline uint32_t add_lanes(uint32_t v, site at = site::current())
{
    return (uint32_t)simt::warp_collective(simt::collective::add_lanes, v, 0, ALL_LANES, at);
}

inline uint32_t add_left(uint32_t v, unsigned d, site at = site::current())
{
    const uint32_t left = shuffle_up(v, d, ALL_LANES, at);
    return lane_id() >= d ? v + left : v;
}

/* As the instructions define them. */
inline uint32_t permute_bytes(uint32_t a, uint32_t b, uint32_t selector)
{
    const uint64_t bytes = (uint64_t)b << 32 | a;
    uint32_t result = 0;
    for (unsigned i = 0; i < 4; i++) result |= (uint32_t)(bytes >> (selector >> 4 * i & 7) * 8 & 0xff) << 8 * i;
    return result;
}
inline uint32_t shift_right(uint32_t low, uint32_t high, unsigned n)
{
    return (uint32_t)(((uint64_t)high << 32 | low) >> n);
}
inline uint32_t dot_bytes(uint32_t a, uint32_t b, uint32_t sum)
{
    for (unsigned i = 0; i < 32; i += 8) sum += (a >> i & 255) * (b >> i & 255);
    return sum;
}
inline uint32_t dot_bytes(int32_t a, int32_t b, uint32_t sum)
{
    for (unsigned i = 0; i < 32; i += 8) sum += (uint32_t)((int8_t)(a >> i) * (int8_t)(b >> i));
    return sum;
}
inline uint32_t add_bytes(uint32_t a, unsigned which, uint32_t sum)
{
    for (unsigned i = 0; i < 4; i++) sum += which >> i & 1 ? a >> 8 * i & 255 : 0;
    return sum;
}
inline uint32_t subtract_bytes(uint32_t a, unsigned which, uint32_t sum)
{
    return sum - add_bytes(a, which, 0);
}
inline uint32_t add_halves(uint32_t a, uint32_t sum)
{
    return sum + (a & 0xffff) + (a >> 16);
}
inline uint32_t add_half(uint32_t a, unsigned i, uint32_t sum)
{
    return sum + (a >> 16 * i & 0xffff);
}
inline uint32_t subtract_half(uint32_t a, unsigned i, uint32_t sum)
{
    return sum - (a >> 16 * i & 0xffff);
}

inline uint32_t high_product(uint32_t a, uint32_t b)
{
    return (uint32_t)((uint64_t)a * b >> 32);
}

inline void nanosleep(unsigned, site at = site::current())
{
    simt::nanosleep(at);
}

template <class T, unsigned N> struct array {
    T at[N];
    T get(unsigned i, site where = site::current()) const
    {
        if (i >= N) simt::shared_outside(i, N, where);
        simt::shared_read(&at[i], sizeof(T), where);
        return at[i];
    }
    void set(unsigned i, T v, site where = site::current())
    {
        if (i >= N) simt::shared_outside(i, N, where);
        simt::shared_write(&at[i], &v, sizeof(T), where);
    }
    template <unsigned M> vec<T, M> get_vector(unsigned i, site where = site::current()) const
    {
        check_vector<M>(i, where);
        simt::shared_read(&at[i], sizeof(vec<T, M>), where);
        vec<T, M> v;
        memcpy(&v, &at[i], sizeof v);
        return v;
    }
    template <unsigned M> void set_vector(unsigned i, vec<T, M> v, site where = site::current())
    {
        check_vector<M>(i, where);
        simt::shared_write(&at[i], &v, sizeof v, where);
    }
    template <unsigned M> void check_vector(unsigned i, site where) const
    {
        if (i + M > N) simt::shared_outside(i + M - 1, N, where);
        if ((uintptr_t)&at[i] % sizeof(vec<T, M>) != 0) simt::shared_misaligned(sizeof(vec<T, M>), where);
    }
};

template <class T> struct var {
    T at;
    T get(site where = site::current()) const
    {
        simt::shared_read(&at, sizeof(T), where);
        return at;
    }
    void set(T v, site where = site::current()) { simt::shared_write(&at, &v, sizeof(T), where); }
};

template <class T> T load(const T *p, site at = site::current())
{
    simt::plain_read(p, sizeof(T), alignof(T), at);
    return *p;
}
template <class T> void store(T *p, T v, site at = site::current())
{
    simt::plain_write(p, sizeof(T), alignof(T), at);
    *p = v;
}
/* Out of bounds it would do no harm, but is a mistake. */
inline void prefetch(const void *p, site at = site::current())
{
    simt::plain_read(p, 1, 1, at);
}
template <class T> void store_streaming(T *p, T v, site at = site::current())
{
    static_assert(sizeof(T) == 16);
    store(p, v, at);
}

template <class T, unsigned N> void copy_async(array<T, N> &to, unsigned i, const T *p, site at = site::current())
{
    if (i >= N) simt::shared_outside(i, N, at);
    simt::copy_async_begin(&to.at[i], p, sizeof(T), alignof(T), at);
}
template <unsigned M, class T, unsigned N>
void copy_async_vector(array<T, N> &to, unsigned i, const T *p, site at = site::current())
{
    static_assert(sizeof(vec<T, M>) == 4 || sizeof(vec<T, M>) == 8 || sizeof(vec<T, M>) == 16);
    if (i + M > N) simt::shared_outside(i, N, at);
    simt::copy_async_begin(&to.at[i], p, sizeof(vec<T, M>), alignof(vec<T, M>), at);
}
inline void copy_async_wait(site at = site::current())
{
    simt::copy_async_wait(at);
}

inline uint32_t load_relaxed(const uint32_t *p, site at = site::current())
{
    return (uint32_t)simt::word_load(p, 4, simt::order::relaxed, at);
}
inline uint64_t load_relaxed(const uint64_t *p, site at = site::current())
{
    return simt::word_load(p, 8, simt::order::relaxed, at);
}
inline void store_relaxed(uint32_t *p, uint32_t v, site at = site::current())
{
    simt::word_store(p, v, 4, simt::order::relaxed, at);
}
inline void store_relaxed(uint64_t *p, uint64_t v, site at = site::current())
{
    simt::word_store(p, v, 8, simt::order::relaxed, at);
}
inline uint64_t load_evict_last(const uint64_t *p, bool predicate = true, site at = site::current())
{
    return predicate ? load_relaxed(p, at) : 0;
}
inline void store_evict_last(uint64_t *p, uint64_t v, site at = site::current())
{
    store_relaxed(p, v, at);
}
inline vec<uint64_t, 2> load_evict_last_pair(const uint64_t *p, bool predicate = true, site at = site::current())
{
    vec<uint64_t, 2> v = {};
    if (predicate) simt::pair_load(v.at, p, at);
    return v;
}
inline void store_evict_last_pair(uint64_t *p, vec<uint64_t, 2> v, site at = site::current())
{
    simt::pair_store(p, v.at, at);
}
inline uint32_t load_acquire(const uint32_t *p, site at = site::current())
{
    return (uint32_t)simt::word_load(p, 4, simt::order::acquire, at);
}
inline void store_release(uint32_t *p, uint32_t v, site at = site::current())
{
    simt::word_store(p, v, 4, simt::order::release, at);
}

/* Wider values are several words, in any order. */
template <class T> T load_weak(const T *p, site at = site::current())
{
    static_assert(std::is_trivially_copyable_v<T>);
    T v;
    constexpr size_t step = sizeof(T) % 8 == 0 ? 8 : sizeof(T) % 4 == 0 ? 4 : sizeof(T) % 2 == 0 ? 2 : 1;
    for (size_t i = 0; i < sizeof(T); i += step) {
        uint64_t bits = simt::word_load((const char *)p + i, step, simt::order::weak, at);
        memcpy((char *)&v + i, &bits, step);
    }
    return v;
}
template <class T> void store_weak(T *p, T v, site at = site::current())
{
    static_assert(std::is_trivially_copyable_v<T>);
    constexpr size_t step = sizeof(T) % 8 == 0 ? 8 : sizeof(T) % 4 == 0 ? 4 : sizeof(T) % 2 == 0 ? 2 : 1;
    for (size_t i = 0; i < sizeof(T); i += step) {
        uint64_t bits = 0;
        memcpy(&bits, (const char *)&v + i, step);
        simt::word_store((char *)p + i, bits, step, simt::order::weak, at);
    }
}

inline double product(double a, double b)
{
    return a * b;
}

inline float product(float a, float b)
{
    return a * b;
}

inline double multiply_add(double a, double b, double c)
{
    return __builtin_fma(a, b, c);
}

inline float multiply_add(float a, float b, float c)
{
    return __builtin_fmaf(a, b, c);
}

/* As far off as a device may be, so that nothing relies on less. */
inline float divide_approx(float a, float b)
{
    return a / b * (1 + 0x1p-22f);
}
inline uint32_t count_bits(uint32_t a)
{
    return (uint32_t)__builtin_popcount(a);
}
inline uint32_t highest_bit(uint32_t a)
{
    return 31 - (uint32_t)__builtin_clz(a);
}
inline double reciprocal_approx(double a)
{
    return 1 / a * (1 + 0x1p-20);
}
inline double reciprocal_root_approx(double a)
{
    return 1 / __builtin_sqrt(a) * (1 - 0x1p-20);
}
inline float sqrt_approx(float a)
{
    return __builtin_sqrtf(a) * (1 - 0x1p-22f);
}

inline uint32_t fetch_add(uint32_t *p, uint32_t v, site at = site::current())
{
    return (uint32_t)simt::word_add(p, v, 4, at);
}
inline uint64_t fetch_add(uint64_t *p, uint64_t v, site at = site::current())
{
    return simt::word_add(p, v, 8, at);
}

} // namespace prim
#endif
