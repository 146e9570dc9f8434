/* loops_template.h - what the loops of all templates share, for one instruction set: types, names, vectors.
 *
 * isa_template.h has the parameters.  A template is plain code.  It is included once for each of the types that its
 * head names as macros: SAMPLE, one of u8 u16 u32 i8 i16 i32 f32 f64, of the samples; ACCUM, one of u16 u32 u64 f32
 * f64, of their sums, which are modulo 2^16, 2^32 or 2^64; C, the channels of a pixel, 1 .. 4. */
#ifndef SAT_CPU_LOOPS_H
#define SAT_CPU_LOOPS_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "lanes.h"
#include "shuffle.h"

#define JOIN_(a, b) a##b
#define JOIN(a, b)  JOIN_(a, b)
#define INLINE      TARGET static inline __attribute__((always_inline))

/* UNROLL: of loops over vectors that stay in registers.  IVDEP: the next loop may be vectorised, as its arrays are the
 * same or do not overlap; clang finds out as it runs.  At -O0 gcc warns of both. */
#ifdef __OPTIMIZE__
#define UNROLL _Pragma("GCC unroll 16")
#else
#define UNROLL
#endif
#if defined(__clang__) || !defined(__OPTIMIZE__)
#define IVDEP
#else
#define IVDEP _Pragma("GCC ivdep")
#endif

/* ---- types --------------------------------------------------------------------------------------------- */

typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef uint64_t u64;
typedef int8_t i8;
typedef int16_t i16;
typedef int32_t i32;
typedef int64_t i64;
typedef float f32;
typedef double f64;

/* Their bits, and whether they are floats or signed integers, for #if. */
#define BITS_OF(type)   NAME_2(BITS_OF, type)
#define IS_FLOAT(type)  (NAME_2(KIND_OF, type) == 2)
#define IS_SIGNED(type) (NAME_2(KIND_OF, type) == 1)
#define BITS_OF_u8      8
#define BITS_OF_u16     16
#define BITS_OF_u32     32
#define BITS_OF_u64     64
#define BITS_OF_i8      8
#define BITS_OF_i16     16
#define BITS_OF_i32     32
#define BITS_OF_f32     32
#define BITS_OF_f64     64
#define KIND_OF_u8      0
#define KIND_OF_u16     0
#define KIND_OF_u32     0
#define KIND_OF_i8      1
#define KIND_OF_i16     1
#define KIND_OF_i32     1
#define KIND_OF_f32     2
#define KIND_OF_f64     2

/* The range of integers. */
#define MOST_OF(type)  (((i64)1 << (BITS_OF(type) - IS_SIGNED(type))) - 1)
#define LEAST_OF(type) (IS_SIGNED(type) ? -MOST_OF(type) - 1 : 0)

/* The functions of a template: square_u8, slide_u8_u32, scan_u8_u32_3. */
#define OF_SAMPLE(name)     NAME_2(name, SAMPLE)
#define OF_PAIR(name)       NAME_3(name, SAMPLE, ACCUM)
#define OF_CHANNELS(name)   NAME_4(name, SAMPLE, ACCUM, C)
#define NAME_2(a, b)        NAME_2_(a, b)
#define NAME_3(a, b, c)     NAME_3_(a, b, c)
#define NAME_4(a, b, c, d)  NAME_4_(a, b, c, d)
#define NAME_2_(a, b)       a##_##b
#define NAME_3_(a, b, c)    a##_##b##_##c
#define NAME_4_(a, b, c, d) a##_##b##_##c##_##d

/* ---- vectors ------------------------------------------------------------------------------------------- */

/* Plain loops take vectors for floats alone. */
#if VECTOR_BYTES == 64
#define LANES_OF_16 32
#define LANES_OF_32 16
#define LANES_OF_64 8
#elif VECTOR_BYTES == 32
#define LANES_OF_16 16
#define LANES_OF_32 8
#define LANES_OF_64 4
#else
#define LANES_OF_16 8
#define LANES_OF_32 4
#define LANES_OF_64 2
#endif
#define F32_LANES       LANES_OF_32
#define F64_LANES       LANES_OF_64
#define LANES_OF(type)  JOIN(LANES_OF_, BITS_OF(type))
#define VECTOR_OF(type) JOIN(type, s)

typedef u16 u16s __attribute__((vector_size(LANES_OF_16 * sizeof(u16))));
typedef u32 u32s __attribute__((vector_size(LANES_OF_32 * sizeof(u32))));
typedef u64 u64s __attribute__((vector_size(LANES_OF_64 * sizeof(u64))));
typedef i32 i32s __attribute__((vector_size(LANES_OF_32 * sizeof(i32))));
typedef i64 i64s __attribute__((vector_size(LANES_OF_64 * sizeof(i64))));
typedef f32 f32s __attribute__((vector_size(LANES_OF_32 * sizeof(f32))));
typedef f64 f64s __attribute__((vector_size(LANES_OF_64 * sizeof(f64))));

typedef f32 f32_half __attribute__((vector_size(F64_LANES * sizeof(f32))));
#define TO_F32(v) __builtin_convertvector(v, f32_half)

/* Samples at p as f64, in the vector v. */
#if VECTOR_BYTES == 0
#define LOAD_F64S(sample, v, p) v = ((f64s){(f64)(p)[0], (f64)(p)[1]})
#else
#define LOAD_F64S(sample, v, p) LOAD(sample, f64, v, p, 1)
#endif

INLINE f64s load_sums(const f64 *p)
{
    f64s v;
    memcpy(&v, p, sizeof v);
    return v;
}

INLINE void store_sums(f64 *p, f64s v)
{
    memcpy(p, &v, sizeof v);
}

INLINE f64s all_of(f64 x)
{
    return x - (f64s){0};
}

/* Lanes in the order that M gives them, from both vectors: M(i, k, L) is where lane i is, L + j being lane j of b. */
#define SHUFFLE(a, b, L, M, k) SAT_SHUFFLE(a, b, JOIN(LANES_, L)(M, k, L))

/* Lanes k, k + 1, ... of a, then of b. */
#define LATER(i, k, L)       ((i) + (k))
#define LANES_LATER(a, b, k) SHUFFLE(a, b, F64_LANES, LATER, k)

/* One vector of floats from two halves, and its lower (k = 0) or upper half (k = 1). */
#if __has_builtin(__builtin_shufflevector)
#define JOINED(a, b)  SHUFFLE(a, b, F32_LANES, LATER, 0)
#define HALF_OF(v, k) SHUFFLE(v, v, F64_LANES, LATER, (k)*F64_LANES)
#else
#define JOINED(a, b)  (((union halves){.half = {a, b}}).whole)
#define HALF_OF(v, k) (((union halves){.whole = v}).half[k])
union halves {
    f32_half half[2];
    f32s whole;
};
#endif

/* A square of lanes is transposed in steps d = 1, 2, 4 ...: lanes that are d apart change places between vectors that
 * are (Eklundh 1972). */
#define EVEN(i, d, L) ((i) & (d) ? (L) + (i) - (d) : (i))
#define ODD(i, d, L)  ((i) & (d) ? (L) + (i) : (i) + (d))
#define EXCHANGE(v, L, d)                                                                                              \
    UNROLL for (int i = 0; i < L; i++)                                                                                 \
    {                                                                                                                  \
        if (i & (d)) continue;                                                                                         \
        const __typeof__(*v) a = v[i], b = v[i | (d)];                                                                 \
        v[i] = SHUFFLE(a, b, L, EVEN, d);                                                                              \
        v[i | (d)] = SHUFFLE(a, b, L, ODD, d);                                                                         \
    }

#endif
