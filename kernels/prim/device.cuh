/* device.cuh - everything by which the threads of a kernel act on each other, and how a kernel is written.
 *
 * A kernel is a struct: its members are the arguments, `shared` is the shared memory of a block, and operator()
 * is what one thread does.
 *
 *     template <unsigned BLOCK> struct reverse {
 *         static constexpr unsigned threads = BLOCK;           // in a block
 *         struct shared { prim::array<uint32_t, BLOCK> x; };   // no constructors
 *         const uint32_t *in; uint32_t *out;
 *         PRIM_DEVICE void operator()(shared &s) const {
 *             unsigned t = prim::thread_id(), at = prim::block_id() * BLOCK;
 *             s.x.set(t, prim::load(in + at + t));
 *             prim::block_sync();
 *             prim::store(out + at + t, s.x.get(BLOCK - 1 - t));
 *         }
 *     };
 *     prim::launch(reverse<256>{.in = in, .out = out}, blocks, stream);        // runtime.cuh
 *
 * The same source is compiled twice.  nvcc compiles it for a GPU, where each function below is one or two instructions.
 * With SAT_SIMT a host compiler takes tests/simt/device.h in place of this file's second half, and the kernels run in a
 * simulator that interleaves their threads at random and models weak memory (docs/simt.md).  So a kernel uses CUDA
 * built-ins, and memory that threads share, through these wrappers only:
 *
 *   thread_id() block_id() blocks() lane_id() warp_id()       linear indices; blocks() is the grid's size
 *   block_sync()                           every thread of the block arrives; orders all their accesses
 *   block_sync_unaligned()                 the same, where warps come from different places in the code (PTX: a barrier
 *                                          without .aligned)
 *   warp_sync(mask)                        the same for the lanes of the mask
 *   shuffle(v, lane, mask) shuffle_up(v, d, mask) shuffle_down(v, d, mask) shuffle_xor(v, d, mask)
 *   ballot(p, mask) any(p, mask) all(p, mask) add_lanes(v)    v of 4 or 8 bytes, add_lanes u32; all lanes of the mask
 *                                          call the same one together; they order no memory
 *   add_left(v, d)                         v plus that of the lane d to the left, if there is one; u32, as above
 *   nanosleep(ns)                          in a loop that polls: lets other warps run
 *
 *   array<T, N>  var<T>                    shared memory: get(i), set(i, v); get_vector<M>(i), set_vector(i, v) for M
 *                                          elements at once, where the array and i are aligned to all of them
 *   copy_async(a, i, p)                    begins a.set(i, load(p)) (cp.async where there is one); no thread accesses
 *                                          the element before copy_async_wait()
 *   copy_async_vector<M>(a, i, p)          the same for M elements, 4, 8 or 16 bytes in all and aligned to them
 *   copy_async_wait()                      ends all copies that this thread has begun
 *   load(p) store(p, v)                    arrays in device memory, T or vec<T, N>; no element is written by one block
 *                                          and read by another in the same launch
 *   prefetch(p)                            brings the line that holds *p into the second-level cache: a hint
 *   store_streaming(p, v)                  a store of 16 bytes that the cache need not keep (st.cs)
 *   load_relaxed store_relaxed             words that blocks exchange, 4 or 8 bytes: atomic, no order
 *   load_evict_last store_evict_last       the same for 8 bytes that many threads poll: the second-level cache evicts
 *                                          them last (a hint)
 *   load_evict_last_pair store_evict_last_pair   two such words side by side, aligned to 16: each atomic, the pair is
 *                                          not; both loads take a predicate, and return 0 without it: a branch
 *                                          would wait for the load before the next one begins
 *   load_acquire store_release             4-byte flags that order the weak accesses around them
 *   load_weak store_weak                   values that such a flag guards
 *   fetch_add(p, v)                        atomic, relaxed, 4 or 8 bytes; returns the value before
 *
 *   product(a, b)                          of floats or doubles, rounded before anything is added to it
 *   multiply_add(a, b, c)                  of such, a * b + c rounded once
 *
 *   divide_approx(a, b)  sqrt_approx(a)    of floats, wrong by 2^-22 of the result at most; |b| within 2^-126 .. 2^126;
 *                                          arguments and results below 2^-126 are 0
 *   reciprocal_approx(a)                   of a double, wrong by 2^-20 of the result at most; |a| from 2^-1021
 *                                          to 2^1021
 *   reciprocal_root_approx(a)              1 / sqrt(a), wrong by 2^-20 of the result at most; a from 2^-1021 to 2^1021
 *
 *   permute_bytes(a, b, selector)          byte i of the result is byte number (selector >> 4 * i) % 8 of b:a
 *   add_halves(a, sum)                     sum plus the two 16-bit halves of a
 *   add_half(a, i, sum)                    sum plus half i of a, 0 the lower; subtract_half(a, i, sum): sum less that
 *   add_bytes(a, which, sum)               sum plus the bytes i of a for which bit i of `which` is set, 4 bits that are
 *                                          known when it is compiled; subtract_bytes(a, which, sum): sum less these
 *   shift_right(low, high, n)              the lower word of high:low >> n, 0 <= n < 32
 *   count_bits(a)                          how many bits are 1
 *   dot_bytes(a, b, sum)                   sum plus the products of the bytes of a and b, one by one, which have a sign
 *                                          where a and b are int32_t
 *   high_product(a, b)                     the upper word of a * b
 *
 * Two more members of a kernel are read if they are there: min_blocks, how many blocks should fit a multiprocessor
 * (bounds the registers), and least_resident, how many must run at a time for any to end (for the simulator).
 */
#ifndef PRIM_DEVICE_CUH
#define PRIM_DEVICE_CUH

#include <stddef.h>
#include <stdint.h>

namespace prim
{

constexpr unsigned WARP = 32;
constexpr unsigned ALL_LANES = 0xffffffffu;

/* N values that one instruction loads or stores where N * sizeof(T) is 2, 4, 8 or 16 and the address is aligned to
 * that. */
template <class T, unsigned N> struct alignas(sizeof(T) * N) vec {
    T at[N];
};

} // namespace prim

#ifdef SAT_SIMT
#include "device.h" /* tests/simt */
#else

#define PRIM_DEVICE      __device__ __forceinline__
#define PRIM_NOINLINE    __device__ __noinline__ /* for what is seldom done, so that it takes no registers elsewhere */
#define PRIM_HOST_DEVICE __host__ __device__ __forceinline__

namespace prim
{

PRIM_DEVICE unsigned thread_id()
{
    return threadIdx.x;
}
PRIM_DEVICE unsigned block_id()
{
    return blockIdx.x;
}
PRIM_DEVICE unsigned blocks()
{
    return gridDim.x;
}
PRIM_DEVICE unsigned lane_id()
{
    return threadIdx.x % WARP;
}
PRIM_DEVICE unsigned warp_id()
{
    return threadIdx.x / WARP;
}

PRIM_DEVICE void block_sync()
{
    __syncthreads();
}
PRIM_DEVICE void block_sync_unaligned()
{
    asm volatile("barrier.sync 1, %0;" ::"r"(blockDim.x) : "memory");
}
PRIM_DEVICE void warp_sync(unsigned mask = ALL_LANES)
{
    __syncwarp(mask);
}

template <class T> PRIM_DEVICE T shuffle(T v, unsigned lane, unsigned mask = ALL_LANES)
{
    return __shfl_sync(mask, v, (int)lane);
}
template <class T> PRIM_DEVICE T shuffle_up(T v, unsigned d, unsigned mask = ALL_LANES)
{
    return __shfl_up_sync(mask, v, d);
}
template <class T> PRIM_DEVICE T shuffle_down(T v, unsigned d, unsigned mask = ALL_LANES)
{
    return __shfl_down_sync(mask, v, d);
}
template <class T> PRIM_DEVICE T shuffle_xor(T v, unsigned d, unsigned mask = ALL_LANES)
{
    return __shfl_xor_sync(mask, v, (int)d);
}
PRIM_DEVICE unsigned ballot(bool p, unsigned mask = ALL_LANES)
{
    return __ballot_sync(mask, p);
}
PRIM_DEVICE bool any(bool p, unsigned mask = ALL_LANES)
{
    return __any_sync(mask, p);
}
PRIM_DEVICE bool all(bool p, unsigned mask = ALL_LANES)
{
    return __all_sync(mask, p);
}

PRIM_DEVICE uint32_t add_lanes(uint32_t v)
{
#if __CUDA_ARCH__ >= 800
    return __reduce_add_sync(ALL_LANES, v);
#else
    for (unsigned d = WARP / 2; d; d /= 2) v += shuffle_xor(v, d);
    return v;
#endif
}

/* The shuffle's own predicate spares a comparison. */
PRIM_DEVICE uint32_t add_left(uint32_t v, unsigned d)
{
    asm volatile("{\n\t.reg .pred has;\n\t.reg .u32 left;\n\tshfl.sync.up.b32 left|has, %0, %1, 0, 0xffffffff;\n\t"
                 "@has add.u32 %0, %0, left;\n\t}"
                 : "+r"(v)
                 : "r"(d));
    return v;
}

PRIM_DEVICE uint32_t permute_bytes(uint32_t a, uint32_t b, uint32_t selector)
{
    return __byte_perm(a, b, selector);
}
PRIM_DEVICE uint32_t add_halves(uint32_t a, uint32_t sum)
{
    return __dp2a_lo(a, 0x0101u, sum);
}

/* The halves times the signed bytes (1, 0) or (0, 1), or less these: one instruction, and nothing to unpack. */
PRIM_DEVICE uint32_t add_half(uint32_t a, unsigned i, uint32_t sum)
{
    return __dp2a_lo(a, 1u << 8 * i, sum);
}
PRIM_DEVICE uint32_t subtract_half(uint32_t a, unsigned i, uint32_t sum)
{
    uint32_t less;
    asm("dp2a.lo.u32.s32 %0, %1, %2, %3;" : "=r"(less) : "r"(a), "r"(0xffu << 8 * i), "r"(sum));
    return less;
}

PRIM_DEVICE uint32_t add_bytes(uint32_t a, unsigned which, uint32_t sum)
{
    return __dp4a(a, (which & 1) | (which & 2) << 7 | (which & 4) << 14 | (which & 8) << 21, sum);
}
PRIM_DEVICE uint32_t subtract_bytes(uint32_t a, unsigned which, uint32_t sum)
{
    const uint32_t minus = 0xff * ((which & 1) | (which & 2) << 7 | (which & 4) << 14 | (which & 8) << 21);
    uint32_t less;
    asm("dp4a.u32.s32 %0, %1, %2, %3;" : "=r"(less) : "r"(a), "r"(minus), "r"(sum));
    return less;
}

PRIM_DEVICE uint32_t shift_right(uint32_t low, uint32_t high, unsigned n)
{
    return __funnelshift_r(low, high, n);
}
PRIM_DEVICE uint32_t dot_bytes(uint32_t a, uint32_t b, uint32_t sum)
{
    return __dp4a(a, b, sum);
}
PRIM_DEVICE uint32_t dot_bytes(int32_t a, int32_t b, uint32_t sum)
{
    return (uint32_t)__dp4a(a, b, (int32_t)sum);
}

/* In assembly: in C the product of 64 bits turns into one of longer factors, whose upper words are 0. */
PRIM_DEVICE uint32_t high_product(uint32_t a, uint32_t b)
{
    uint32_t high;
    asm("{\n\t.reg .u64 product;\n\t.reg .u32 low;\n\tmul.wide.u32 product, %1, %2;\n\tmov.b64 {low, %0}, product;\n\t}"
        : "=r"(high)
        : "r"(a), "r"(b));
    return high;
}

PRIM_DEVICE uint32_t count_bits(uint32_t a)
{
    return (uint32_t)__popc(a);
}
/* The number of the highest bit that is 1; a is not 0. */
PRIM_DEVICE uint32_t highest_bit(uint32_t a)
{
    return 31 - (uint32_t)__clz((int)a);
}

PRIM_DEVICE void nanosleep(unsigned ns)
{
    __nanosleep(ns);
}

/* A vec moves in one instruction.  Left to itself, the compiler takes a store apart, element by element, as soon as
 * there is a branch nearby, at a quarter of the speed: hence the assembly. */
template <class T> PRIM_DEVICE T load(const T *p)
{
    if constexpr (sizeof(T) == 16 && alignof(T) == 16)
        return __builtin_bit_cast(T, *reinterpret_cast<const uint4 *>(p));
    else if constexpr (sizeof(T) == 8 && alignof(T) == 8)
        return __builtin_bit_cast(T, *reinterpret_cast<const uint2 *>(p));
    else
        return *p;
}
template <class T> PRIM_DEVICE void store(T *p, T v)
{
    if constexpr (sizeof(T) == 16 && alignof(T) == 16) {
        const uint4 w = __builtin_bit_cast(uint4, v);
        asm volatile("st.global.v4.u32 [%0], {%1, %2, %3, %4};" ::"l"(p), "r"(w.x), "r"(w.y), "r"(w.z), "r"(w.w)
                     : "memory");
    } else if constexpr (sizeof(T) == 8 && alignof(T) == 8) {
        asm volatile("st.global.u64 [%0], %1;" ::"l"(p), "l"(__builtin_bit_cast(uint64_t, v)) : "memory");
    } else {
        *p = v;
    }
}

PRIM_DEVICE void prefetch(const void *p)
{
    asm volatile("prefetch.global.L2 [%0];" ::"l"(p));
}
template <class T> PRIM_DEVICE void store_streaming(T *p, T v)
{
    static_assert(sizeof(T) == 16);
    const uint4 w = __builtin_bit_cast(uint4, v);
    asm volatile("st.global.cs.v4.u32 [%0], {%1, %2, %3, %4};" ::"l"(p), "r"(w.x), "r"(w.y), "r"(w.z), "r"(w.w)
                 : "memory");
}

template <class T, unsigned N> struct array {
    T at[N];
    PRIM_DEVICE T get(unsigned i) const { return load(at + i); }
    PRIM_DEVICE void set(unsigned i, T v) { at[i] = v; }
    template <unsigned M> PRIM_DEVICE vec<T, M> get_vector(unsigned i) const
    {
        return load(reinterpret_cast<const vec<T, M> *>(at + i));
    }
    template <unsigned M> PRIM_DEVICE void set_vector(unsigned i, vec<T, M> v)
    {
        if constexpr (sizeof v == 16)
            *reinterpret_cast<uint4 *>(at + i) = __builtin_bit_cast(uint4, v);
        else if constexpr (sizeof v == 8)
            *reinterpret_cast<uint2 *>(at + i) = __builtin_bit_cast(uint2, v);
        else
            *reinterpret_cast<vec<T, M> *>(at + i) = v;
    }
};

template <class T> struct var {
    T at;
    PRIM_DEVICE T get() const { return at; }
    PRIM_DEVICE void set(T v) { at = v; }
};

template <class T, unsigned N> PRIM_DEVICE void copy_async(array<T, N> &to, unsigned i, const T *p)
{
#if __CUDA_ARCH__ >= 800
    if constexpr (sizeof(T) == 16)
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"((uint32_t)__cvta_generic_to_shared(&to.at[i])),
                     "l"(p)
                     : "memory");
    else if constexpr (sizeof(T) == 4 || sizeof(T) == 8)
        asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"((uint32_t)__cvta_generic_to_shared(&to.at[i])),
                     "l"(p), "n"(sizeof(T))
                     : "memory");
    else
#endif
        to.set(i, load(p));
}
template <unsigned M, class T, unsigned N> PRIM_DEVICE void copy_async_vector(array<T, N> &to, unsigned i, const T *p)
{
    static_assert(sizeof(vec<T, M>) == 4 || sizeof(vec<T, M>) == 8 || sizeof(vec<T, M>) == 16);
#if __CUDA_ARCH__ >= 800
    const uint32_t at = (uint32_t)__cvta_generic_to_shared(&to.at[i]);
    if constexpr (sizeof(vec<T, M>) == 16)
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(at), "l"(p) : "memory");
    else
        asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"(at), "l"(p), "n"(sizeof(vec<T, M>)) : "memory");
#else
    to.template set_vector<M>(i, load((const vec<T, M> *)p));
#endif
}
PRIM_DEVICE void copy_async_wait()
{
#if __CUDA_ARCH__ >= 800
    asm volatile("cp.async.wait_all;" ::: "memory");
#endif
}

PRIM_DEVICE uint32_t load_relaxed(const uint32_t *p)
{
    uint32_t v;
    asm volatile("ld.relaxed.gpu.global.u32 %0, [%1];" : "=r"(v) : "l"(p) : "memory");
    return v;
}
PRIM_DEVICE uint64_t load_relaxed(const uint64_t *p)
{
    uint64_t v;
    asm volatile("ld.relaxed.gpu.global.u64 %0, [%1];" : "=l"(v) : "l"(p) : "memory");
    return v;
}
PRIM_DEVICE void store_relaxed(uint32_t *p, uint32_t v)
{
    asm volatile("st.relaxed.gpu.global.u32 [%0], %1;" ::"l"(p), "r"(v) : "memory");
}
PRIM_DEVICE void store_relaxed(uint64_t *p, uint64_t v)
{
    asm volatile("st.relaxed.gpu.global.u64 [%0], %1;" ::"l"(p), "l"(v) : "memory");
}
/* A hint, which older devices do without. */
#if __CUDA_ARCH__ >= 800
#define PRIM_EVICT_LAST(access, type, value)                                                                           \
    "{.reg .b64 keep; createpolicy.fractional.L2::evict_last.b64 keep, 1.0;" access ".L2::cache_hint" type value       \
    ", keep;}"
#else
#define PRIM_EVICT_LAST(access, type, value) access type value ";"
#endif
PRIM_DEVICE uint64_t load_evict_last(const uint64_t *p, bool predicate = true)
{
    uint64_t v = 0;
    asm volatile("{.reg .pred predicate; setp.ne.u32 predicate, %2, 0; " PRIM_EVICT_LAST(
                     "@predicate ld.relaxed.gpu.global", ".u64", " %0, [%1]") "}"
                 : "+l"(v)
                 : "l"(p), "r"((unsigned)predicate)
                 : "memory");
    return v;
}
PRIM_DEVICE vec<uint64_t, 2> load_evict_last_pair(const uint64_t *p, bool predicate = true)
{
    vec<uint64_t, 2> v = {};
    asm volatile("{.reg .pred predicate; setp.ne.u32 predicate, %3, 0; " PRIM_EVICT_LAST(
                     "@predicate ld.relaxed.gpu.global", ".v2.u64", " {%0, %1}, [%2]") "}"
                 : "+l"(v.at[0]), "+l"(v.at[1])
                 : "l"(p), "r"((unsigned)predicate)
                 : "memory");
    return v;
}
PRIM_DEVICE void store_evict_last(uint64_t *p, uint64_t v)
{
    asm volatile(PRIM_EVICT_LAST("st.relaxed.gpu.global", ".u64", " [%0], %1")::"l"(p), "l"(v) : "memory");
}
PRIM_DEVICE void store_evict_last_pair(uint64_t *p, vec<uint64_t, 2> v)
{
    asm volatile(PRIM_EVICT_LAST("st.relaxed.gpu.global", ".v2.u64", " [%0], {%1, %2}")::"l"(p), "l"(v.at[0]),
                 "l"(v.at[1])
                 : "memory");
}
#undef PRIM_EVICT_LAST
PRIM_DEVICE uint32_t load_acquire(const uint32_t *p)
{
    uint32_t v;
    asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(v) : "l"(p) : "memory");
    return v;
}
PRIM_DEVICE void store_release(uint32_t *p, uint32_t v)
{
    asm volatile("st.release.gpu.global.u32 [%0], %1;" ::"l"(p), "r"(v) : "memory");
}
/* Volatile, so that the compiler neither keeps nor moves them; the flag's order does the rest. */
template <class T> PRIM_DEVICE T load_weak(const T *p)
{
    return *(const volatile T *)p;
}
template <class T> PRIM_DEVICE void store_weak(T *p, T v)
{
    *(volatile T *)p = v;
}

PRIM_DEVICE double product(double a, double b)
{
    return __dmul_rn(a, b);
}
PRIM_DEVICE float product(float a, float b)
{
    return __fmul_rn(a, b);
}
PRIM_DEVICE double multiply_add(double a, double b, double c)
{
    return __fma_rn(a, b, c);
}
PRIM_DEVICE float multiply_add(float a, float b, float c)
{
    return __fmaf_rn(a, b, c);
}

PRIM_DEVICE float divide_approx(float a, float b)
{
    float quotient;
    asm("div.approx.ftz.f32 %0, %1, %2;" : "=f"(quotient) : "f"(a), "f"(b));
    return quotient;
}
PRIM_DEVICE double reciprocal_approx(double a)
{
    double reciprocal;
    asm("rcp.approx.ftz.f64 %0, %1;" : "=d"(reciprocal) : "d"(a));
    return reciprocal;
}
PRIM_DEVICE double reciprocal_root_approx(double a)
{
    double root;
    asm("rsqrt.approx.ftz.f64 %0, %1;" : "=d"(root) : "d"(a));
    return root;
}
PRIM_DEVICE float sqrt_approx(float a)
{
    float root;
    asm("sqrt.approx.ftz.f32 %0, %1;" : "=f"(root) : "f"(a));
    return root;
}

PRIM_DEVICE uint32_t fetch_add(uint32_t *p, uint32_t v)
{
    uint32_t before;
    asm volatile("atom.relaxed.gpu.global.add.u32 %0, [%1], %2;" : "=r"(before) : "l"(p), "r"(v) : "memory");
    return before;
}
PRIM_DEVICE uint64_t fetch_add(uint64_t *p, uint64_t v)
{
    uint64_t before;
    asm volatile("atom.relaxed.gpu.global.add.u64 %0, [%1], %2;" : "=l"(before) : "l"(p), "l"(v) : "memory");
    return before;
}

} // namespace prim
#endif
#endif
