/* isa_avx512.c - 64-byte vectors and byte dot products: x86-64 since Cascade Lake (2019) and Zen 4. */
#if defined(__x86_64__)
#include <float.h>
#include <immintrin.h>

#include "isa.h"
#include "lanes.h"
#include "path.h"

#define ISA avx512
#define SET SAT_SET_AVX512
#ifdef __clang__
#define TARGET __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,avx512vnni,bmi2,fma"), min_vector_width(512)))
#else
#define TARGET __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,avx512vnni,bmi2,fma,prefer-vector-width=512")))
#endif
#define VECTOR_BYTES 64

TARGET static inline void stream_vector(char *dst, const char *src)
{
    _mm512_stream_si512((__m512i *)(void *)dst, _mm512_loadu_si512(src));
}

static void fence(void)
{
    _mm_sfence();
}

/* valignd and valignq: one instruction, and v stays.  An odd number of 16-bit lanes takes vpermw. */
#define MOVE_UP(v, k, L)                                                                                               \
    ((__typeof__(v))((L) == 32 && (k) % 2                                                                              \
                         ? _mm512_maskz_permutexvar_epi16(0xffffffffu << ((k)&31), UP_16((k)&31), (__m512i)(v))        \
                     : (L) == 8 ? _mm512_alignr_epi64((__m512i)(v), _mm512_setzero_si512(), (8 - (k)) & 7)             \
                                : _mm512_alignr_epi32((__m512i)(v), _mm512_setzero_si512(),                            \
                                                      ((L) == 32 ? 16 - (k) / 2 : 16 - (k)) & 15)))
#define UP_16(k)      _mm512_sub_epi16(_mm512_set_epi16(LANES_32(DOWN, 0, 32)), _mm512_set1_epi16(k))
#define DOWN(i, a, L) ((L)-1 - (i))

/* 16 bytes, scanned, in four instructions: vpdpbusd adds to each lane the dot product of its four bytes with
 * four others, here four bytes of the row with ones for those that the lane's sum holds: those up to its
 * own, of its own channel (paths.def: dot_scans). */
#define HOLDS(lane, byte, C) ((byte) <= (lane) && ((lane) - (byte)) % (C) == 0)
#define IN_LANE(lane, k, C)                                                                                            \
    HOLDS(lane, 4 * (k), C), HOLDS(lane, 4 * (k) + 1, C), HOLDS(lane, 4 * (k) + 2, C), HOLDS(lane, 4 * (k) + 3, C)
#define HELD(C)                                                                                                        \
    {                                                                                                                  \
        {LANES_16(IN_LANE, 0, C)}, {LANES_16(IN_LANE, 1, C)}, {LANES_16(IN_LANE, 2, C)},                               \
        {                                                                                                              \
            LANES_16(IN_LANE, 3, C)                                                                                    \
        }                                                                                                              \
    }
static const _Alignas(64) int8_t held[4][4][64] = {HELD(1), HELD(2), HELD(3), HELD(4)};

TARGET static inline __m512i scanned_u8(const char *p, int channels)
{
    __m512i sums = _mm512_setzero_si512();
    for (int k = 0; k < 4; k++) {
        int32_t bytes;
        __builtin_memcpy(&bytes, p + 4 * k, sizeof bytes);
        sums = _mm512_dpbusd_epi32(sums, _mm512_set1_epi32(bytes), _mm512_load_si512(held[channels - 1][k]));
    }
    return sums;
}
/* The bytes are the signed factors here, and the ones the unsigned. */
TARGET static inline __m512i scanned_i8(const char *p, int channels)
{
    __m512i sums = _mm512_setzero_si512();
    for (int k = 0; k < 4; k++) {
        int32_t bytes;
        __builtin_memcpy(&bytes, p + 4 * k, sizeof bytes);
        sums = _mm512_dpbusd_epi32(sums, _mm512_load_si512(held[channels - 1][k]), _mm512_set1_epi32(bytes));
    }
    return sums;
}
#define LOAD_SCANS(sample, accum) (SAT_PATH(dot_scans) && sizeof(sample) == 1 && sizeof(accum) == 4)

/* gcc 12 widens vectors lane by lane; these are one or two instructions each. */
#define LOAD(sample, accum, v, p, C) v = (__typeof__(v))LOAD_OF(sample, accum)((const void *)(p), C)
#define LOAD_OF(sample, accum)       LOAD_##sample##_##accum
#define LOAD_u8_u32(p, C)            (SAT_PATH(dot_scans) ? scanned_u8(p, C) : _mm512_cvtepu8_epi32(_mm_loadu_si128(p)))
#define LOAD_u16_u32(p, C)           _mm512_cvtepu16_epi32(_mm256_loadu_si256(p))
#define LOAD_u32_u32(p, C)           _mm512_loadu_si512(p)
#define LOAD_i8_u32(p, C)            (SAT_PATH(dot_scans) ? scanned_i8(p, C) : _mm512_cvtepi8_epi32(_mm_loadu_si128(p)))
#define LOAD_i16_u32(p, C)           _mm512_cvtepi16_epi32(_mm256_loadu_si256(p))
#define LOAD_i8_f32(p, C)            _mm512_cvtepi32_ps(LOAD_i8_u32(p, C))
#define LOAD_i16_f32(p, C)           _mm512_cvtepi32_ps(LOAD_i16_u32(p, C))
#define LOAD_i32_f32(p, C)           _mm512_cvtepi32_ps(LOAD_u32_u32(p, C))
#define LOAD_i8_u64(p, C)            _mm512_cvtepi8_epi64(_mm_loadl_epi64(p))
#define LOAD_i16_u64(p, C)           _mm512_cvtepi16_epi64(_mm_loadu_si128(p))
#define LOAD_i32_u64(p, C)           _mm512_cvtepi32_epi64(_mm256_loadu_si256(p))
#define LOAD_i8_f64(p, C)            _mm512_cvtepi32_pd(_mm256_cvtepi8_epi32(_mm_loadl_epi64(p)))
#define LOAD_i16_f64(p, C)           _mm512_cvtepi32_pd(_mm256_cvtepi16_epi32(_mm_loadu_si128(p)))
#define LOAD_i32_f64(p, C)           _mm512_cvtepi32_pd(_mm256_loadu_si256(p))
#define LOAD_u8_f32(p, C)            _mm512_cvtepi32_ps(LOAD_u8_u32(p, C))
#define LOAD_u16_f32(p, C)           _mm512_cvtepi32_ps(LOAD_u16_u32(p, C))
#define LOAD_u32_f32(p, C)           _mm512_cvtepu32_ps(LOAD_u32_u32(p, C))
#define LOAD_f32_f32(p, C)           _mm512_loadu_ps(p)
#define LOAD_u8_u64(p, C)            _mm512_cvtepu8_epi64(_mm_loadl_epi64(p))
#define LOAD_u16_u64(p, C)           _mm512_cvtepu16_epi64(_mm_loadu_si128(p))
#define LOAD_u32_u64(p, C)           _mm512_cvtepu32_epi64(_mm256_loadu_si256(p))
#define LOAD_u8_u16(p, C)            _mm256_cvtepu8_epi16(_mm_loadu_si128(p)) /* half a vector */
#define LOAD_u16_u16(p, C)           _mm512_loadu_si512(p)
#define LOAD_u64_u64(p, C)           _mm512_loadu_si512(p)
#define LOAD_u8_f64(p, C)            _mm512_cvtepi32_pd(_mm256_cvtepu8_epi32(_mm_loadl_epi64(p)))
#define LOAD_u16_f64(p, C)           _mm512_cvtepi32_pd(_mm256_cvtepu16_epi32(_mm_loadu_si128(p)))
#define LOAD_u32_f64(p, C)           _mm512_cvtepu32_pd(_mm256_loadu_si256(p))
#define LOAD_f32_f64(p, C)           _mm512_cvtps_pd(_mm256_loadu_ps(p))
#define LOAD_f64_f64(p, C)           _mm512_loadu_pd(p)

/* vmaxpd gives its second operand for a residue that is none. */
#define CORRECTED(sum, area, inverse, q)                                                                               \
    ((f64s)corrected((__m512d)(sum), (__m512d)(area), (__m512d)(inverse), (__m512d)(q)))
TARGET static inline __m512d corrected(__m512d sum, __m512d area, __m512d inverse, __m512d q)
{
    __m512d rest = _mm512_max_pd(_mm512_fnmadd_pd(q, area, sum), _mm512_set1_pd(-DBL_MAX));
    return _mm512_fmadd_pd(rest, inverse, q);
}

#include "isa_template.h"
#endif
