/* types.c - element types, layouts, and which accumulator is proven to suffice. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "sat_image.h"
#include "status.h"
#include "types.h"

static const struct {
    const char *name;
    size_t bytes;
} types[] = {
    [SAT_U8] = {"u8", 1},   [SAT_U16] = {"u16", 2}, [SAT_U32] = {"u32", 4}, [SAT_U64] = {"u64", 8},
    [SAT_I64] = {"i64", 8}, [SAT_F32] = {"f32", 4}, [SAT_F64] = {"f64", 8}, [SAT_Q32] = {"q32", 4},
    [SAT_I8] = {"i8", 1},   [SAT_I16] = {"i16", 2}, [SAT_I32] = {"i32", 4}, [SAT_F16] = {"f16", 2},
};
enum { TYPES = sizeof types / sizeof *types };

static bool known(sat_type type)
{
    return (int)type > SAT_TYPE_NONE && (int)type < TYPES;
}

size_t sat_type_bytes(sat_type type)
{
    return known(type) ? types[type].bytes : 0;
}
const char *sat_type_name(sat_type type)
{
    return known(type) ? types[type].name : "none";
}

sat_type sat_type_from_name(const char *name)
{
    for (int i = SAT_TYPE_NONE + 1; i < TYPES && name; i++)
        if (strcmp(types[i].name, name) == 0) return (sat_type)i;
    return SAT_TYPE_NONE;
}

bool sat_type_holds(sat_type type, double value)
{
    if (type == SAT_F64) return true;
    if (type == SAT_F32)
        return !isfinite(value) || fabs(value) < 0x1.ffffffp127; /* nearer to the largest than to 2^128 */
    const bool is_signed = sat_is_signed(type);
    const double range = ldexp(1, 8 * (int)sat_type_bytes(type) - is_signed);
    return known(type) && type != SAT_Q32 && value == floor(value) && value >= (is_signed ? -range : 0) &&
           value < range;
}

double sat_type_largest(sat_type sample)
{
    return sat_is_float(sample) ? 1 : (double)sat_sample_max(sample);
}

/* The step is 16 units in the last place of f32 at the value; where the sum has the next exponent, it is 8 of its
 * units, and no two are rounded away. */
double sat_type_beside(sat_type type, double value, bool below)
{
    const double most = type == SAT_F32 ? FLT_MAX : type == SAT_F64 ? DBL_MAX : (double)sat_sample_max(type);
    const double least = sat_is_float(type) ? -most : sat_is_signed(type) ? -most - 1 : 0;
    double step = 1;
    if (isinf(value)) return value > 0 ? most : least;
    if (sat_is_float(type)) step = ldexp(1, (value == 0 || ilogb(value) < -107 ? -107 : ilogb(value)) - 19);
    const bool fits = below ? value - step >= least : value + step <= most;
    return below == fits ? value - step : value + step;
}

sat_type sat_real_type(sat_type sample)
{
    if (sample == SAT_F64 || sample == SAT_U32 || sample == SAT_I32) return SAT_F64;
    return sat_sample_max(sample) != 0 || sample == SAT_F32 ? SAT_F32 : SAT_TYPE_NONE;
}

sat_status sat_check_sample(sat_type sample)
{
    if (sat_sample_max(sample) != 0 || sat_is_float(sample)) return SAT_OK;
    const char *name = sat_type_name(sample);
    switch (sample) {
    case SAT_F16:
        return sat_fail(SAT_ERR_TYPE, "samples of type %s: convert them to f32, which holds all of them", name);
    case SAT_U64:
    case SAT_I64:
        return sat_fail(SAT_ERR_TYPE,
                        "samples of type %s: convert them to %s if they fit, or to f64, which is exact up to 2^53",
                        name, sample == SAT_U64 ? "u32" : "i32");
    default:
        return sat_fail(SAT_ERR_TYPE, "samples of type %s; u8, u16, u32, i8, i16, i32, f32 and f64 are possible", name);
    }
}

static const char *const layouts[] = {
    [SAT_PADDED] = "padded", [SAT_INCLUSIVE] = "inclusive", [SAT_EXCLUSIVE] = "exclusive"};
enum { LAYOUTS = sizeof layouts / sizeof *layouts };

const char *sat_layout_name(sat_layout layout)
{
    return (unsigned)layout < LAYOUTS ? layouts[layout] : "none";
}

bool sat_layout_from_name(const char *name, sat_layout *layout)
{
    for (int i = 0; i < LAYOUTS && name; i++)
        if (strcmp(layouts[i], name) == 0) {
            *layout = (sat_layout)i;
            return true;
        }
    return false;
}

bool sat_combines(sat_type sample, sat_type accum)
{
    bool integer = sat_sample_max(sample) != 0;
    switch (accum) {
    case SAT_U32:
    case SAT_U64: return integer && !sat_is_signed(sample);
    case SAT_I32: return integer && sample != SAT_U32; /* would hold not even all samples */
    case SAT_I64: return integer;
    case SAT_F32: return integer || sample == SAT_F32;
    case SAT_F64: return integer || sat_is_float(sample);
    case SAT_Q32: return sat_is_float(sample);
    default: return false;
    }
}

/* n samples from [low, high] sum to s with n * low <= s <= n * high, and both ends are reached.  An accumulator of b
 * bits that wraps gives s itself if s is in its range: [0, 2^b - 1], or [-2^(b-1), 2^(b-1) - 1] if it is read as
 * signed.
 *
 *   low = 0: n * high <= the accumulator's largest value.
 *   low < 0: two's complement has -low = high + 1.  n * -low <= 2^(b-1) is the lower end, which is reached exactly; and
 *   it implies the upper one, as n * high = n * -low - n <= 2^(b-1) - 1. */
int64_t sat_largest_area(sat_type sample, sat_type accum, const sat_quant *quant)
{
    const bool quantized = accum == SAT_Q32, negative = !quantized && sat_is_signed(sample);
    uint64_t largest = !quantized ? sat_sample_max(sample) : quant ? quant->largest : 0, limit;
    switch (accum) {
    case SAT_U32:
    case SAT_Q32: limit = UINT32_MAX; break;
    case SAT_U64: limit = UINT64_MAX; break;
    case SAT_I32: limit = (uint64_t)INT32_MAX + negative; break;
    case SAT_I64: limit = (uint64_t)INT64_MAX + negative; break;
    default: return INT64_MAX;
    }
    largest += negative;
    if (largest == 0 || (negative && !sat_is_signed(accum))) return 0;
    const uint64_t area = limit / largest;
    return area < INT64_MAX ? (int64_t)area : INT64_MAX;
}

bool sat_quant_ok(const sat_quant *quant)
{
    int exponent;
    return isfinite(quant->offset) && quant->step > 0 && isnormal(quant->step) && isnormal(1 / quant->step) &&
           frexp(quant->step, &exponent) == 0.5 && quant->largest >= 1 && quant->largest <= INT32_MAX;
}

sat_type sat_accum_for(sat_type sample, int64_t largest_rect_px)
{
    if (largest_rect_px < 1) return SAT_TYPE_NONE;
    if (sat_is_float(sample)) return SAT_F64;
    const bool negative = sat_is_signed(sample);
    const sat_type in_32 = negative ? SAT_I32 : SAT_U32, in_64 = negative ? SAT_I64 : SAT_U64;
    if (largest_rect_px <= sat_largest_area(sample, in_32, NULL)) return in_32;
    return largest_rect_px <= sat_largest_area(sample, in_64, NULL) ? in_64 : SAT_TYPE_NONE;
}

/* ---- squares --------------------------------------------------------------------------------------- */

/* Squares are not negative: an accumulator of integers is one of unsigned samples, whose largest value is m * m, m the
 * largest magnitude.  The types of 8 and 16 bits have m <= 2^16 - 1 and m * m < 2^32.  Those of 32 bits reach
 * m * m > 2^63, so that 64 bits hold the sum of three such squares at most: f64 only, which rounds. */
bool sat_power_combines(sat_type sample, int power, sat_type accum)
{
    if (power == 1) return sat_combines(sample, accum);
    if (sat_sample_max(sample) == 0 && !sat_is_float(sample)) return false;
    if (accum == SAT_F64) return true;
    if (power == SAT_COUNTS) return accum == SAT_U32 || accum == SAT_U64 || accum == SAT_I64;
    return sat_square_type(sample) != SAT_F64 && (accum == SAT_U32 || accum == SAT_U64 || accum == SAT_I64);
}

/* n squares of at most m * m sum to n * m * m at most, which is reached.  n samples count n at most; no image in memory
 * has 2^53. */
int64_t sat_power_area(sat_type sample, int power, sat_type accum, const sat_quant *quant)
{
    if (power == 1) return sat_largest_area(sample, accum, quant);
    if (power == SAT_COUNTS) return accum == SAT_U32 ? UINT32_MAX : INT64_MAX;
    if (sat_square_type(sample) == SAT_F64 || sat_is_float(accum)) return INT64_MAX;
    const uint64_t m = sat_sample_max(sample) + sat_is_signed(sample);
    const uint64_t limit = accum == SAT_U32 ? UINT32_MAX : accum == SAT_U64 ? UINT64_MAX : INT64_MAX;
    return m > 0 ? (int64_t)(limit / (m * m)) : 0; /* m * m is 2^14 or more */
}

sat_type sat_power_accum(sat_type sample, int power, int64_t largest_rect_px)
{
    if (power == 1) return sat_accum_for(sample, largest_rect_px);
    if (largest_rect_px < 1) return SAT_TYPE_NONE;
    if (power != SAT_COUNTS && sat_square_type(sample) == SAT_F64) return SAT_F64;
    if (largest_rect_px <= sat_power_area(sample, power, SAT_U32, NULL)) return SAT_U32;
    return largest_rect_px <= sat_power_area(sample, power, SAT_U64, NULL) ? SAT_U64 : SAT_TYPE_NONE;
}

/* ---- fixed point ----------------------------------------------------------------------------------- */

/* The last multiple of the step that is not above low.  The quotient of a low that is small beside the step can be
 * rounded to zero, which is above a negative low. */
static double offset_for(double low, double step)
{
    double offset = floor(low / step) * step;
    return offset <= low ? offset : offset - step;
}

/* levels = the largest q that largest_rect_px of them may have and still sum below 2^32, no more than
 * 2^24 - 1.  The step is the smallest power of two with low and high at most `levels` steps apart; low
 * is then rounded down to a multiple of it, which can cost one level more.  Where that step would be
 * below every double, it is the smallest of them, whose reciprocal is none: it is refused. */
sat_status sat_quant_for(double low, double high, int64_t largest_rect_px, sat_quant *quant)
{
    if (quant == NULL || largest_rect_px < 1) return sat_fail(SAT_ERR_ARGUMENT, "fixed point: no pixels or no result");
    if (!isfinite(low) || !isfinite(high) || low > high || !isfinite(high - low))
        return sat_fail(SAT_ERR_RANGE, "fixed point: the samples' range [%g, %g] is not finite", low, high);
    uint64_t levels = UINT32_MAX / (uint64_t)largest_rect_px;
    if (levels > ((uint64_t)1 << 24) - 1) levels = ((uint64_t)1 << 24) - 1;
    if (levels < 255)
        return sat_fail(SAT_ERR_RANGE, "fixed point: %lld pixels leave fewer than 8 bits a sample; at most %lld do not",
                        (long long)largest_rect_px, (long long)(UINT32_MAX / 255));

    int exponent;
    frexp(high > low ? fmax((high - low) / (double)levels, DBL_TRUE_MIN) : ldexp(1, -24), &exponent);
    double step = ldexp(1, exponent - 1), offset = offset_for(low, step);
    while (isfinite(offset) && ceil((high - offset) / step) > (double)levels) {
        step *= 2;
        offset = offset_for(low, step);
    }
    bool found = isfinite(offset); /* else no double is a multiple of the step and below low */
    if (found) *quant = (sat_quant){.offset = offset, .step = step, .largest = (uint32_t)ceil((high - offset) / step)};
    if (found && quant->largest == 0) quant->largest = 1;
    if (!found || !sat_quant_ok(quant))
        return sat_fail(SAT_ERR_RANGE,
                        "fixed point: the samples' range [%g, %g] is too narrow, too wide or too far from 0", low,
                        high);
    return SAT_OK;
}
