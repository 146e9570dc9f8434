/* isa_template.h - the loops over one row, compiled for one instruction set.
 *
 * Parameters: ISA (its name), TARGET (the function attribute that turns it on), VECTOR_BYTES (0: plain
 * loops), and the functions supported() and fence(); with vectors also LOAD, which widens samples into
 * one, stream_vector() and, where the instruction set does better than the compilers, MOVE_UP and
 * LOAD_SCANS: whether LOAD has scanned the vector, too.
 */
#include <math.h>
#include <string.h>

#include "box_float_ops.h"
#include "box_ops.h"
#include "gauss_ops.h"
#include "path.h"
#include "window_ops.h"

#define JOIN_(a, b) a##b
#define JOIN(a, b)  JOIN_(a, b)
#define STRING_(a)  #a
#define STRING(a)   STRING_(a)
#define INLINE      TARGET static inline __attribute__((always_inline))

/* The next loop may be vectorised: its arrays are the same or do not overlap.  clang finds out as it runs. */
#if defined(__clang__)
#define IVDEP
#else
#define IVDEP _Pragma("GCC ivdep")
#endif

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

/* Every pair of sample and accumulator type but fixed point, which sums u32 after quantise().  Signed samples are
 * summed modulo 2^32 and 2^64 too; i32 ones modulo 2^32 are u32 to a backend. */
#define PAIRS(M) PAIRS_TO_32(M) PAIRS_TO_64(M)
#define PAIRS_TO_32(M)                                                                                                 \
    M(U8, u8, U32, u32)                                                                                                \
    M(U16, u16, U32, u32)                                                                                              \
    M(U32, u32, U32, u32)                                                                                              \
    M(I8, i8, U32, u32)                                                                                                \
    M(I16, i16, U32, u32)                                                                                              \
    M(U8, u8, F32, f32)                                                                                                \
    M(U16, u16, F32, f32)                                                                                              \
    M(U32, u32, F32, f32) M(I8, i8, F32, f32) M(I16, i16, F32, f32) M(I32, i32, F32, f32) M(F32, f32, F32, f32)
#define PAIRS_TO_64(M)                                                                                                 \
    M(U8, u8, U64, u64)                                                                                                \
    M(U16, u16, U64, u64)                                                                                              \
    M(U32, u32, U64, u64)                                                                                              \
    M(I8, i8, U64, u64)                                                                                                \
    M(I16, i16, U64, u64)                                                                                              \
    M(I32, i32, U64, u64)                                                                                              \
    M(U8, u8, F64, f64)                                                                                                \
    M(U16, u16, F64, f64)                                                                                              \
    M(U32, u32, F64, f64)                                                                                              \
    M(I8, i8, F64, f64) M(I16, i16, F64, f64) M(I32, i32, F64, f64) M(F32, f32, F64, f64) M(F64, f64, F64, f64)

/* ---- widen, quantise: simple loops --------------------------------------------------------------------- */

#define WIDEN(S, sample, A, accum)                                                                                     \
    TARGET static void widen_##sample##_##accum(void *restrict out, const void *restrict samples, int64_t n)           \
    {                                                                                                                  \
        accum *restrict o = out;                                                                                       \
        const sample *restrict s = samples;                                                                            \
        for (int64_t i = 0; i < n; i++) o[i] = (accum)s[i];                                                            \
    }
PAIRS(WIDEN)

static sat_widen *widen(sat_type sample, sat_type accum)
{
#define IS_PAIR(S, s, A, a)                                                                                            \
    if (sample == SAT_##S && accum == SAT_##A) return widen_##s##_##a;
    PAIRS(IS_PAIR)
#undef IS_PAIR
    return NULL;
}

/* A square is that of the sample in the square's own type: exact, or rounded to f64; of a negative i8 or i16, in i32.
 */
#define SQUARES(M)                                                                                                     \
    M(U8, u8, u16, u32)                                                                                                \
    M(U16, u16, u32, u32)                                                                                              \
    M(I8, i8, u16, i32)                                                                                                \
    M(I16, i16, u32, i32)                                                                                              \
    M(U32, u32, f64, f64) M(I32, i32, f64, f64) M(F32, f32, f64, f64) M(F64, f64, f64, f64)
#define SQUARE(S, sample, square, wide)                                                                                \
    TARGET static void square_##sample(void *restrict out, const void *restrict samples, int64_t n)                    \
    {                                                                                                                  \
        square *restrict o = out;                                                                                      \
        const sample *restrict s = samples;                                                                            \
        for (int64_t i = 0; i < n; i++) o[i] = (square)((wide)s[i] * (wide)s[i]);                                      \
    }
SQUARES(SQUARE)

static sat_square *square(sat_type sample)
{
#define IS_SAMPLE(S, s, square, wide)                                                                                  \
    if (sample == SAT_##S) return square_##s;
    SQUARES(IS_SAMPLE)
#undef IS_SAMPLE
    return NULL;
}

/* To the nearest step.  The step is a power of two, so its reciprocal is exact; NaN is not inside. */
#define QUANTISE(sample, flag)                                                                                         \
    TARGET static bool quantise_##sample(u32 *restrict out, const void *restrict samples, int64_t n,                   \
                                         const sat_quant *quant)                                                       \
    {                                                                                                                  \
        const sample *restrict s = samples;                                                                            \
        const f64 offset = quant->offset, per_step = 1 / quant->step, end = offset + quant->step * quant->largest;     \
        sample low = (sample)offset, high = (sample)end;                                                               \
        flag inside = 1;                                                                                               \
        if ((f64)low < offset) low = NEXT_##sample(low, (sample)INFINITY);                                             \
        if ((f64)high > end) high = NEXT_##sample(high, (sample)-INFINITY);                                            \
        for (int64_t i = 0; i < n; i++) inside &= (s[i] >= low) & (s[i] <= high);                                      \
        for (int64_t i = 0; inside && i < n; i++) out[i] = (u32)(int32_t)(((f64)s[i] - offset) * per_step + 0.5);      \
        return inside;                                                                                                 \
    }
#define NEXT_f32 nextafterf
#define NEXT_f64 nextafter
QUANTISE(f32, int32_t)
QUANTISE(f64, int64_t)

static sat_quantise *quantise(sat_type sample)
{
    return sample == SAT_F32 ? quantise_f32 : quantise_f64;
}

/* ---- scan ---------------------------------------------------------------------------------------------- */

/* A vector of L lanes is scanned for C interleaved channels in log2(L / C) steps: add the vector moved up
 * by C lanes, then by 2C, 4C, ... (Hillis & Steele 1986, within a register).  Then the sums of everything
 * before are added: lane j needs that of its own channel, and the last lane of that channel in the vector
 * before is L - C + j % C, whatever the channel of lane 0 is: it and L + j differ by a multiple of C.
 *
 * One addition for each vector is all that waits for the vector before.  If C does not divide L, channels
 * change lanes from vector to vector, and the sums are kept as each of the next vectors needs them. */

#define FROM(i, k, L)   ((i) >= (k) ? (i) - (k) : (L))  /* lane i after a move up by k: L = the zero vector's lane 0 */
#define LAST_1(i, C, L) ((L) - (C) + (i) % (C))         /* the last lane of lane i's channel, for the next vector, */
#define LAST_2(i, C, L) ((L) - (C) + ((i) + (L)) % (C)) /* for the one after it, */
#define LAST_3(i, C, L) ((L) - (C) + ((i) + 2 * (L)) % (C)) /* and for the third */

#define LANES_2(M, a, L) M(0, a, L), M(1, a, L)
#define LANES_4(M, a, L) LANES_2(M, a, L), M(2, a, L), M(3, a, L)
#define LANES_8(M, a, L) LANES_4(M, a, L), M(4, a, L), M(5, a, L), M(6, a, L), M(7, a, L)
#define LANES_16(M, a, L)                                                                                              \
    LANES_8(M, a, L), M(8, a, L), M(9, a, L), M(10, a, L), M(11, a, L), M(12, a, L), M(13, a, L), M(14, a, L),         \
        M(15, a, L)
#define LANES_32(M, a, L)                                                                                              \
    LANES_16(M, a, L), M(16, a, L), M(17, a, L), M(18, a, L), M(19, a, L), M(20, a, L), M(21, a, L), M(22, a, L),      \
        M(23, a, L), M(24, a, L), M(25, a, L), M(26, a, L), M(27, a, L), M(28, a, L), M(29, a, L), M(30, a, L),        \
        M(31, a, L)

#ifndef MOVE_UP
#define MOVE_UP(v, k, L) __builtin_shufflevector(v, (__typeof__(v)){0}, LANES_##L(FROM, k, L))
#endif
#ifndef LOAD_SCANS
#define LOAD_SCANS(sample, accum) 0
#endif
#define SPREAD_LAST(v, C, L, ahead) __builtin_shufflevector(v, v, LANES_##L(LAST_##ahead, C, L))

#if VECTOR_BYTES == 0
#define SCAN(name, sample, accum, L, C, ABOVE)                                                                         \
    TARGET static void name##_##sample##_##accum##_##C(void *row, const void *samples, int64_t n, void *carry)         \
    {                                                                                                                  \
        accum *restrict r = row, along[C];                                                                             \
        const sample *restrict s = samples;                                                                            \
        memcpy(along, carry, sizeof along);                                                                            \
        for (int64_t i = 0; i < n; i += C)                                                                             \
            for (int c = 0; c < C; c++) {                                                                              \
                const accum value = (accum)s[i + c];                                                                   \
                r[i + c] = (accum)(ABOVE(r[i + c])(along[c] = (accum)(along[c] + value)));                             \
            }                                                                                                          \
        memcpy(carry, along, sizeof along);                                                                            \
    }
#else
#define SCAN(name, sample, accum, L, C, ABOVE)                                                                         \
    TARGET static void name##_##sample##_##accum##_##C(void *row, const void *samples, int64_t n, void *carry)         \
    {                                                                                                                  \
        typedef accum vector __attribute__((vector_size(L * sizeof(accum))));                                          \
        accum *restrict r = row, *restrict along = carry;                                                              \
        const sample *restrict s = samples;                                                                            \
        vector before, before1, before2, v, out; /* sums before this vector, as the next two need them */              \
        int64_t i = 0;                                                                                                 \
        for (int j = 0; j < L; j++) v[j] = j < L - C ? 0 : along[j - (L - C)]; /* as if from a vector before */        \
        before = SPREAD_LAST(v, C, L, 1);                                                                              \
        before1 = SPREAD_LAST(v, C, L, 2);                                                                             \
        before2 = SPREAD_LAST(v, C, L, 3);                                                                             \
        for (; i + L <= n; i += L) {                                                                                   \
            LOAD(sample, accum, v, s + i, C);                                                                          \
            memcpy(&out, r + i, sizeof v);                                                                             \
            if (C < L && !LOAD_SCANS(sample, accum)) v += MOVE_UP(v, C, L);                                            \
            if (2 * C < L && !LOAD_SCANS(sample, accum)) v += MOVE_UP(v, 2 * C, L);                                    \
            if (4 * C < L && !LOAD_SCANS(sample, accum)) v += MOVE_UP(v, 4 * C, L);                                    \
            if (8 * C < L && !LOAD_SCANS(sample, accum)) v += MOVE_UP(v, 8 * C, L);                                    \
            if (16 * C < L && !LOAD_SCANS(sample, accum)) v += MOVE_UP(v, 16 * C, L);                                  \
            out = ABOVE(out)(before + v);                                                                              \
            if (L % C == 0) {                                                                                          \
                before += SPREAD_LAST(v, C, L, 1);                                                                     \
            } else { /* 3 channels: after 3 vectors they are in the same lanes again */                                \
                vector before3 = before + SPREAD_LAST(v, C, L, 3);                                                     \
                before = before1 + SPREAD_LAST(v, C, L, 1);                                                            \
                before1 = before2 + SPREAD_LAST(v, C, L, 2);                                                           \
                before2 = before3;                                                                                     \
            }                                                                                                          \
            memcpy(r + i, &out, sizeof v);                                                                             \
        }                                                                                                              \
        for (int j = 0; j < C; j++) along[(i + j) % C] = before[j];                                                    \
        for (; i < n; i++) {                                                                                           \
            const accum value = (accum)s[i];                                                                           \
            r[i] = (accum)(ABOVE(r[i])(along[i % C] = (accum)(along[i % C] + value)));                                 \
        }                                                                                                              \
    }
#endif

#if VECTOR_BYTES == 64
#define LANES_OF_16 32
#define LANES_OF_32 16
#define LANES_OF_64 8
#else
#define LANES_OF_16 16
#define LANES_OF_32 8
#define LANES_OF_64 4
#endif
#define ADD_TO(what) (what) +
#define REPLACE(what)
#define SCANS(name, s, a, L, ABOVE)                                                                                    \
    SCAN(name, s, a, L, 1, ABOVE)                                                                                      \
    SCAN(name, s, a, L, 2, ABOVE) SCAN(name, s, a, L, 3, ABOVE) SCAN(name, s, a, L, 4, ABOVE)
/* Rows of few samples go strip by strip: down each strip, the row above stays in registers, and what a row summed
 * before the strip lies in `along`, C sums for each row.  Strips are vectors, and then some columns each, of which K
 * must be known when this is compiled.  No pointer steps beyond the last row, whose stride may be any. */
#define FIRST(i, C, L)        ((i) % (C))
#define SPREAD_FIRST(v, C, L) __builtin_shufflevector(v, v, LANES_##L(FIRST, C, L))

#define SCAN_COLUMNS(sample, accum, C)                                                                                 \
    INLINE void scan_columns_##sample##_##accum##_##C(const int K, char *t, size_t table_bytes, const char *s,         \
                                                      size_t sample_bytes, accum *restrict along, int64_t rows)        \
    {                                                                                                                  \
        accum up[8];                                                                                                   \
        for (int j = 0; j < K; j++) up[j] = ((const accum *)(const void *)t)[j];                                       \
        for (int64_t r = 0; r < rows; r++, along += C) {                                                               \
            accum *restrict row = (accum *)(void *)(t += table_bytes);                                                 \
            const sample *restrict in = (const sample *)(const void *)(s + (size_t)r * sample_bytes);                  \
            for (int j = 0; j < K; j++) {                                                                              \
                const accum value = (accum)in[j];                                                                      \
                along[j % C] = (accum)(along[j % C] + value);                                                          \
                row[j] = up[j] = (accum)(up[j] + along[j % C]);                                                        \
            }                                                                                                          \
        }                                                                                                              \
    }

#if VECTOR_BYTES == 0
#define SCAN_STRIP(sample, accum, L, C)
#define SCAN_STRIPS(sample, accum, L, C)
#else
#define SCAN_STRIP(sample, accum, L, C)                                                                                \
    INLINE void scan_strip_##sample##_##accum##_##C(char *t, size_t table_bytes, const char *s, size_t sample_bytes,   \
                                                    accum *restrict along, int64_t rows)                               \
    {                                                                                                                  \
        typedef accum vector __attribute__((vector_size(L * sizeof(accum))));                                          \
        vector up, v, before;                                                                                          \
        memcpy(&up, t, sizeof up);                                                                                     \
        for (int64_t r = 0; r < rows; r++, along += C) {                                                               \
            LOAD(sample, accum, v, (const sample *)(const void *)(s + (size_t)r * sample_bytes), C);                   \
            memcpy(&before, along, sizeof before);                                                                     \
            if (C < L && !LOAD_SCANS(sample, accum)) v += MOVE_UP(v, C, L);                                            \
            if (2 * C < L && !LOAD_SCANS(sample, accum)) v += MOVE_UP(v, 2 * C, L);                                    \
            if (4 * C < L && !LOAD_SCANS(sample, accum)) v += MOVE_UP(v, 4 * C, L);                                    \
            if (8 * C < L && !LOAD_SCANS(sample, accum)) v += MOVE_UP(v, 8 * C, L);                                    \
            v = SPREAD_FIRST(before, C, L) + v;                                                                        \
            for (int j = 0; j < C; j++) along[j] = (accum)v[L - C + j];                                                \
            up = up + v;                                                                                               \
            memcpy(t += table_bytes, &up, sizeof up);                                                                  \
        }                                                                                                              \
    }
#define SCAN_STRIPS(sample, accum, L, C)                                                                               \
    for (; i + L <= n; i += L, t += L * sizeof(accum), s += L * sizeof(sample))                                        \
        scan_strip_##sample##_##accum##_##C(t, table_bytes, s, sample_bytes, along, rows);
#endif

#define SCAN_COLUMNS_WHILE(K, sample, accum, C)                                                                        \
    for (; i + (K) <= n; i += (K), t += (K) * sizeof(accum), s += (K) * sizeof(sample))                                \
    scan_columns_##sample##_##accum##_##C(K, t, table_bytes, s, sample_bytes, along, rows)

#define SCAN_ROWS(sample, accum, L, C)                                                                                 \
    SCAN_COLUMNS(sample, accum, C)                                                                                     \
    SCAN_STRIP(sample, accum, L, C)                                                                                    \
    TARGET static void scan_rows_##sample##_##accum##_##C(void *table, size_t table_bytes, const void *samples,        \
                                                          size_t sample_bytes, void *sums, int64_t n, int64_t rows)    \
    {                                                                                                                  \
        char *t = table;                                                                                               \
        const char *s = samples;                                                                                       \
        accum *restrict along = sums;                                                                                  \
        int64_t i = 0;                                                                                                 \
        memset(along, 0, (size_t)rows *C * sizeof(accum));                                                             \
        SCAN_STRIPS(sample, accum, L, C)                                                                               \
        SCAN_COLUMNS_WHILE(C == 3 ? 6 : 8, sample, accum, C);                                                          \
        SCAN_COLUMNS_WHILE(C == 3 ? 3 : 4, sample, accum, C);                                                          \
        if (C < 4) SCAN_COLUMNS_WHILE(2, sample, accum, C);                                                            \
        if (C % 2) SCAN_COLUMNS_WHILE(1, sample, accum, C);                                                            \
    }

#define SCANS_TO_32(S, s, A, a) SCANS(scan, s, a, LANES_OF_32, ADD_TO) SCANS_OF_ROWS(s, a, LANES_OF_32)
#define SCANS_TO_64(S, s, A, a) SCANS(scan, s, a, LANES_OF_64, ADD_TO) SCANS_OF_ROWS(s, a, LANES_OF_64)
#define SCANS_OF_ROWS(s, a, L)                                                                                         \
    SCAN_ROWS(s, a, L, 1)                                                                                              \
    SCAN_ROWS(s, a, L, 2) SCAN_ROWS(s, a, L, 3) SCAN_ROWS(s, a, L, 4)
PAIRS_TO_32(SCANS_TO_32)
PAIRS_TO_64(SCANS_TO_64)
SCANS(prefix, u16, u16, LANES_OF_16, REPLACE)
SCANS(prefix, u32, u32, LANES_OF_32, REPLACE)
SCANS(prefix, u64, u64, LANES_OF_64, REPLACE)

static const sat_scan_loops *scan(sat_type sample, sat_type accum, int channels)
{
    static const struct {
        sat_type sample, accum;
        sat_scan_loops channels[4];
    } scans[] = {
#define OF(s, a, C)     {scan_##s##_##a##_##C, scan_rows_##s##_##a##_##C}
#define ROW(S, s, A, a) {SAT_##S, SAT_##A, {OF(s, a, 1), OF(s, a, 2), OF(s, a, 3), OF(s, a, 4)}},
        PAIRS(ROW)
#undef ROW
#undef OF
    };
    for (size_t i = 0; i < sizeof scans / sizeof *scans; i++)
        if (scans[i].sample == sample && scans[i].accum == accum) return &scans[i].channels[channels - 1];
    return NULL;
}

/* ---- stream -------------------------------------------------------------------------------------------- */

#if VECTOR_BYTES == 0
static void stream(void *dst, const void *src, size_t bytes)
{
    memcpy(dst, src, bytes);
}
#else
/* Whole, aligned 64-byte lines go past the caches; the two ends, which other calls share, do not. */
TARGET static void stream(void *dst, const void *src, size_t bytes)
{
    char *d = dst;
    const char *s = src;
    size_t head = (size_t)(-(uintptr_t)d & 63);
    if (head > bytes) head = bytes;
    memcpy(d, s, head);
    d += head, s += head, bytes -= head;
    for (; bytes >= 64; d += 64, s += 64, bytes -= 64)
        for (int i = 0; i < 64; i += VECTOR_BYTES) stream_vector(d + i, s + i);
    memcpy(d, s, bytes);
}
#endif

#include "box_template.h"

#include "box_float_template.h"

#define REAL         f32
#define REAL_LANES   F32_LANES
#define REAL_INTEGER i32
#define REAL_IS_F64  0
#include "gauss_template.h"

#define REAL         f64
#define REAL_LANES   F64_LANES
#define REAL_INTEGER i64
#define REAL_IS_F64  1
#include "gauss_template.h"

#include "window_template.h"

const sat_isa JOIN(sat_isa_, ISA) = {
    .name = STRING(ISA),
    .supported = supported,
    .widen = widen,
    .scan = scan,
    .square = square,
    .quantise = quantise,
    .stream = stream,
    .fence = fence,
    .box = &box_ops,
    .box_float = &box_float_ops,
    .gauss = {&gauss_ops_f32, &gauss_ops_f64},
    .window = &window_ops,
};
