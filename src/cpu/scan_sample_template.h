/* scan_sample_template.h - loops for tables of any SAMPLE. */
#include "loops_template.h"

/* A square is that of the sample in the square's own type: exact, or rounded to f64; of a negative i8 or i16, in i32.
 */
#if BITS_OF(SAMPLE) == 8
#define SQUARE u16
#elif BITS_OF(SAMPLE) == 16
#define SQUARE u32
#else
#define SQUARE f64
#endif
TARGET static void OF_SAMPLE(square)(void *restrict out, const void *restrict samples, int64_t n)
{
    SQUARE *restrict o = out;
    const SAMPLE *restrict s = samples;
#if IS_SIGNED(SAMPLE) && BITS_OF(SAMPLE) < 32
    for (int64_t i = 0; i < n; i++) o[i] = (SQUARE)(s[i] * s[i]);
#else
    for (int64_t i = 0; i < n; i++) o[i] = (SQUARE)((SQUARE)s[i] * (SQUARE)s[i]);
#endif
}
#undef SQUARE

#if IS_FLOAT(SAMPLE)
/* To the nearest step.  The step is a power of two, so its reciprocal is exact; NaN is not inside. */
TARGET static bool OF_SAMPLE(quantise)(u32 *restrict out, const void *restrict samples, int64_t n,
                                       const sat_quant *quant)
{
    const SAMPLE *restrict s = samples;
    const f64 offset = quant->offset, per_step = 1 / quant->step, end = offset + quant->step * quant->largest;
    SAMPLE low = (SAMPLE)offset, high = (SAMPLE)end;
    OF_SAMPLE(flag) inside = 1;
    if ((f64)low < offset) low = OF_SAMPLE(next)(low, (SAMPLE)INFINITY);
    if ((f64)high > end) high = OF_SAMPLE(next)(high, (SAMPLE)-INFINITY);
    for (int64_t i = 0; i < n; i++) inside &= (s[i] >= low) & (s[i] <= high);
    for (int64_t i = 0; inside && i < n; i++) out[i] = (u32)(int32_t)(((f64)s[i] - offset) * per_step + 0.5);
    return inside;
}
#endif

/* Sums of i32 modulo 2^32 are those of u32. */
#if !IS_FLOAT(SAMPLE) && !(IS_SIGNED(SAMPLE) && BITS_OF(SAMPLE) == 32)
#define ACCUM u32
#include "scan_pair_template.h"
#endif
#if !IS_FLOAT(SAMPLE)
#define ACCUM u64
#include "scan_pair_template.h"
#endif
#if BITS_OF(SAMPLE) < 64
#define ACCUM f32
#include "scan_pair_template.h"
#endif
#define ACCUM f64
#include "scan_pair_template.h"
#undef SAMPLE
