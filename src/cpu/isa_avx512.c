/* isa_avx512.c - 64-byte vectors: x86-64 since Skylake-SP (2017) and Zen 4. */
#if defined(__x86_64__)
#include <immintrin.h>

#include "isa.h"

#define ISA avx512
#ifdef __clang__
#define TARGET __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,bmi2,fma"), min_vector_width(512)))
#else
#define TARGET __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,bmi2,fma,prefer-vector-width=512")))
#endif
#define VECTOR_BYTES 64

static bool supported(void)
{
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("bmi2");
}

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
                         ? _mm512_maskz_permutexvar_epi16(0xffffffffu << (k), UP_16((k)&31), (__m512i)(v))             \
                     : (L) == 8 ? _mm512_alignr_epi64((__m512i)(v), _mm512_setzero_si512(), (8 - (k)) & 7)             \
                                : _mm512_alignr_epi32((__m512i)(v), _mm512_setzero_si512(),                            \
                                                      ((L) == 32 ? 16 - (k) / 2 : 16 - (k)) & 15)))
#define UP_16(k) _mm512_sub_epi16(LANES_UP_16, _mm512_set1_epi16(k))
#define LANES_UP_16                                                                                                    \
    _mm512_set_epi16(31, 30, 29, 28, 27, 26, 25, 24, 23, 22, 21, 20, 19, 18, 17, 16, 15, 14, 13, 12, 11, 10, 9, 8, 7,  \
                     6, 5, 4, 3, 2, 1, 0)

/* gcc 12 widens vectors lane by lane; these are one or two instructions each. */
#define LOAD(sample, accum, v, p, L) v = (__typeof__(v))LOAD_##sample##_##accum((const void *)(p))
#define LOAD_u8_u32(p)               _mm512_cvtepu8_epi32(_mm_loadu_si128(p))
#define LOAD_u16_u32(p)              _mm512_cvtepu16_epi32(_mm256_loadu_si256(p))
#define LOAD_u32_u32(p)              _mm512_loadu_si512(p)
#define LOAD_u8_f32(p)               _mm512_cvtepi32_ps(LOAD_u8_u32(p))
#define LOAD_u16_f32(p)              _mm512_cvtepi32_ps(LOAD_u16_u32(p))
#define LOAD_u32_f32(p)              _mm512_cvtepu32_ps(LOAD_u32_u32(p))
#define LOAD_f32_f32(p)              _mm512_loadu_ps(p)
#define LOAD_u8_u64(p)               _mm512_cvtepu8_epi64(_mm_loadl_epi64(p))
#define LOAD_u16_u64(p)              _mm512_cvtepu16_epi64(_mm_loadu_si128(p))
#define LOAD_u32_u64(p)              _mm512_cvtepu32_epi64(_mm256_loadu_si256(p))
#define LOAD_u16_u16(p)              _mm512_loadu_si512(p)
#define LOAD_u64_u64(p)              _mm512_loadu_si512(p)
#define LOAD_u8_f64(p)               _mm512_cvtepi32_pd(_mm256_cvtepu8_epi32(_mm_loadl_epi64(p)))
#define LOAD_u16_f64(p)              _mm512_cvtepi32_pd(_mm256_cvtepu16_epi32(_mm_loadu_si128(p)))
#define LOAD_u32_f64(p)              _mm512_cvtepu32_pd(_mm256_loadu_si256(p))
#define LOAD_f32_f64(p)              _mm512_cvtps_pd(_mm256_loadu_ps(p))
#define LOAD_f64_f64(p)              _mm512_loadu_pd(p)

#include "isa_template.h"
#endif
