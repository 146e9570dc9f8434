/* vector.cuh - several values at once between device memory and registers: 16 bytes are the most that one instruction
 * of a thread moves, and the fewer instructions that takes, the more bytes are in flight. */
#ifndef PRIM_VECTOR_CUH
#define PRIM_VECTOR_CUH

#include "prim/device.cuh"

namespace prim
{

constexpr size_t VECTOR_BYTES = 16;

/* Values of that type in a vector of the widest kind. */
template <class T> constexpr unsigned vector_items = VECTOR_BYTES / sizeof(T);

/* Do rows that begin at p and lie `pitch` values apart all begin where vectors may? */
template <class T> bool takes_vectors(const T *p, int64_t pitch)
{
    return (uintptr_t)p % VECTOR_BYTES == 0 && pitch % (int64_t)vector_items<T> == 0;
}

/* N values, from an address that is aligned to all of them. */
template <unsigned N, class T> PRIM_DEVICE vec<T, N> load_vector(const T *p)
{
    return load(reinterpret_cast<const vec<T, N> *>(p));
}
template <unsigned N, class T> PRIM_DEVICE void store_vector(T *p, vec<T, N> v)
{
    store(reinterpret_cast<vec<T, N> *>(p), v);
}

/* The same for the first n of them, n <= 0 for none: nothing behind them is touched, and what is not loaded is 0. */
template <unsigned N, class T> PRIM_DEVICE vec<T, N> load_vector(const T *p, int64_t n)
{
    if (n >= (int64_t)N) return load_vector<N>(p);
    vec<T, N> v;
    for (unsigned i = 0; i < N; i++) v.at[i] = (int64_t)i < n ? load(p + i) : T(0);
    return v;
}
template <unsigned N, class T> PRIM_DEVICE void store_vector(T *p, vec<T, N> v, int64_t n)
{
    if (n >= (int64_t)N) return store_vector<N>(p, v);
    for (unsigned i = 0; i < N; i++)
        if ((int64_t)i < n) store(p + i, v.at[i]);
}

} // namespace prim
#endif
