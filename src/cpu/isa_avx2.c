/* isa_avx2.c - 32-byte vectors: x86-64 since Haswell (2013) and Zen. */
#if defined(__x86_64__)
#include <float.h>
#include <immintrin.h>

#include "isa.h"

#define ISA          avx2
#define SET          SAT_SET_AVX2
#define TARGET       __attribute__((target("avx2,bmi2,fma")))
#define VECTOR_BYTES 32

TARGET static inline void stream_vector(char *dst, const char *src)
{
    _mm256_stream_si256((__m256i *)(void *)dst, _mm256_loadu_si256((const __m256i *)(const void *)src));
}

static void fence(void)
{
    _mm_sfence();
}

/* 8 lanes of 4 bytes, 4 of 8.  There is no conversion from unsigned 32 bits to floats: halves are converted
 * apart, each exactly, and added, which rounds once. */
TARGET static inline __m128i load_4(const void *p)
{
    int32_t bytes;
    __builtin_memcpy(&bytes, p, sizeof bytes);
    return _mm_cvtsi32_si128(bytes);
}

TARGET static inline __m256 u32_to_f32(__m256i v)
{
    __m256 high = _mm256_cvtepi32_ps(_mm256_srli_epi32(v, 16));
    __m256 low = _mm256_cvtepi32_ps(_mm256_and_si256(v, _mm256_set1_epi32(0xffff)));
    return _mm256_add_ps(_mm256_mul_ps(high, _mm256_set1_ps(65536.0f)), low);
}

TARGET static inline __m256d u32_to_f64(__m128i v)
{
    __m256d high = _mm256_cvtepi32_pd(_mm_srli_epi32(v, 16));
    __m256d low = _mm256_cvtepi32_pd(_mm_and_si128(v, _mm_set1_epi32(0xffff)));
    return _mm256_add_pd(_mm256_mul_pd(high, _mm256_set1_pd(65536.0)), low);
}

/* The low half moves into the high one, zeros into the low; then bytes move across that seam. */
#define MOVE_UP(v, k, L)                                                                                               \
    ((__typeof__(v))((k) * (32 / (L)) >= 16                                                                            \
                         ? _mm256_slli_si256(LOW_TO_HIGH(v), ((k) * (32 / (L)) - 16) & 15)                             \
                         : _mm256_alignr_epi8((__m256i)(v), LOW_TO_HIGH(v), (16 - (k) * (32 / (L))) & 15)))
#define LOW_TO_HIGH(v) _mm256_permute2x128_si256((__m256i)(v), (__m256i)(v), 0x08)

#define LOAD_SCANS(sample, accum) 0

/* gcc 12 widens vectors lane by lane; these are one or two instructions each. */
#define LOAD(sample, accum, v, p, C) v = (__typeof__(v))LOAD_OF(sample, accum)((const void *)(p))
#define LOAD_OF(sample, accum)       LOAD_##sample##_##accum
#define LOAD_u8_u32(p)               _mm256_cvtepu8_epi32(_mm_loadl_epi64(p))
#define LOAD_u16_u32(p)              _mm256_cvtepu16_epi32(_mm_loadu_si128(p))
#define LOAD_u32_u32(p)              _mm256_loadu_si256(p)
#define LOAD_i8_u32(p)               _mm256_cvtepi8_epi32(_mm_loadl_epi64(p))
#define LOAD_i16_u32(p)              _mm256_cvtepi16_epi32(_mm_loadu_si128(p))
#define LOAD_i8_f32(p)               _mm256_cvtepi32_ps(LOAD_i8_u32(p))
#define LOAD_i16_f32(p)              _mm256_cvtepi32_ps(LOAD_i16_u32(p))
#define LOAD_i32_f32(p)              _mm256_cvtepi32_ps(LOAD_u32_u32(p))
#define LOAD_i8_u64(p)               _mm256_cvtepi8_epi64(load_4(p))
#define LOAD_i16_u64(p)              _mm256_cvtepi16_epi64(_mm_loadl_epi64(p))
#define LOAD_i32_u64(p)              _mm256_cvtepi32_epi64(_mm_loadu_si128(p))
#define LOAD_i8_f64(p)               _mm256_cvtepi32_pd(_mm_cvtepi8_epi32(load_4(p)))
#define LOAD_i16_f64(p)              _mm256_cvtepi32_pd(_mm_cvtepi16_epi32(_mm_loadl_epi64(p)))
#define LOAD_i32_f64(p)              _mm256_cvtepi32_pd(_mm_loadu_si128(p))
#define LOAD_u8_f32(p)               _mm256_cvtepi32_ps(LOAD_u8_u32(p))
#define LOAD_u16_f32(p)              _mm256_cvtepi32_ps(LOAD_u16_u32(p))
#define LOAD_u32_f32(p)              u32_to_f32(_mm256_loadu_si256(p))
#define LOAD_f32_f32(p)              _mm256_loadu_ps(p)
#define LOAD_u8_u64(p)               _mm256_cvtepu8_epi64(load_4(p))
#define LOAD_u16_u64(p)              _mm256_cvtepu16_epi64(_mm_loadl_epi64(p))
#define LOAD_u32_u64(p)              _mm256_cvtepu32_epi64(_mm_loadu_si128(p))
#define LOAD_u8_u16(p)               _mm256_cvtepu8_epi16(_mm_loadu_si128(p))
#define LOAD_u16_u16(p)              _mm256_loadu_si256(p)
#define LOAD_u64_u64(p)              _mm256_loadu_si256(p)
#define LOAD_u8_f64(p)               _mm256_cvtepi32_pd(_mm_cvtepu8_epi32(load_4(p)))
#define LOAD_u16_f64(p)              _mm256_cvtepi32_pd(_mm_cvtepu16_epi32(_mm_loadl_epi64(p)))
#define LOAD_u32_f64(p)              u32_to_f64(_mm_loadu_si128(p))
#define LOAD_f32_f64(p)              _mm256_cvtps_pd(_mm_loadu_ps(p))
#define LOAD_f64_f64(p)              _mm256_loadu_pd(p)

/* vmaxpd gives its second operand for a residue that is none. */
#define CORRECTED(sum, area, inverse, q)                                                                               \
    ((f64s)corrected((__m256d)(sum), (__m256d)(area), (__m256d)(inverse), (__m256d)(q)))
TARGET static inline __m256d corrected(__m256d sum, __m256d area, __m256d inverse, __m256d q)
{
    __m256d rest = _mm256_max_pd(_mm256_fnmadd_pd(q, area, sum), _mm256_set1_pd(-DBL_MAX));
    return _mm256_fmadd_pd(rest, inverse, q);
}

#include "isa_template.h"
#endif
