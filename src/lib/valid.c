/* valid.c - which samples of a row count. */
#include "valid.h"

#include <math.h>
#include <string.h>

#include "sat_image.h"
#include "shape.h"
#include "status.h"

sat_status sat_valid_take(bool *skip_nan, bool *has_nodata, double *nodata, sat_type sample)
{
    if (!sat_is_float(sample)) *skip_nan = false;
    if (!*has_nodata) return SAT_OK;
    if (sat_is_float(sample) && isnan(*nodata)) {
        *skip_nan = true, *has_nodata = false, *nodata = 0;
        return SAT_OK;
    }
    if (!sat_type_holds(sample, *nodata))
        return sat_fail(SAT_ERR_ARGUMENT, "nodata %.17g: no sample of type %s can be that", *nodata,
                        sat_type_name(sample));
    if (sample == SAT_F32) *nodata = (double)(float)*nodata;
    return SAT_OK;
}

/* Integers are compared as integers; of floats a NaN is not equal to itself. */
#define KEEP(type, is_nan)                                                                                             \
    {                                                                                                                  \
        const type *const s = samples, nodata = has_nodata ? (type)v->nodata : 0;                                      \
        for (int64_t i = 0; i < n; i++) to[i] &= !((has_nodata & (s[i] == nodata)) | (skip_nan & (is_nan)));           \
        break;                                                                                                         \
    }
static void keep(const sat_valid *v, sat_type sample, const void *restrict samples, int64_t n, uint8_t *restrict to)
{
    const bool has_nodata = v->has_nodata, skip_nan = v->skip_nan;
    switch (sample) {
    case SAT_U8: KEEP(uint8_t, false)
    case SAT_I8: KEEP(int8_t, false)
    case SAT_U16: KEEP(uint16_t, false)
    case SAT_I16: KEEP(int16_t, false)
    case SAT_U32: KEEP(uint32_t, false)
    case SAT_I32: KEEP(int32_t, false)
    case SAT_F32: KEEP(float, isnan(s[i]))
    default: KEEP(double, isnan(s[i]))
    }
}
#undef KEEP

int64_t sat_valid_row(const sat_valid *v, sat_type sample, const void *samples, const uint8_t *mask, int64_t n,
                      int channels, uint8_t *to)
{
    const int64_t all = n * channels;
    int64_t count = 0;
    if (mask == NULL) memset(to, 1, (size_t)all);
    for (int64_t x = 0; mask && x < n; x++)
        for (int c = 0; c < channels; c++) to[x * channels + c] = mask[x] != 0;
    if (v->has_nodata || v->skip_nan) keep(v, sample, samples, all, to);
    for (int64_t i = 0; i < all; i++) count += to[i];
    return count;
}

/* What samples are copied as, whatever they are. */
typedef uint32_t __attribute__((may_alias)) word_32;
typedef uint64_t __attribute__((may_alias)) word_64;

#define ZEROS(type)                                                                                                    \
    {                                                                                                                  \
        const type *const s = samples;                                                                                 \
        type *const t = to;                                                                                            \
        for (int64_t i = 0; i < n; i++) t[i] = (type)(s[i] & (type)(0 - (type)valid[i]));                              \
        break;                                                                                                         \
    }
void sat_valid_zeros(sat_type sample, const void *samples, const uint8_t *valid, int64_t n, void *to)
{
    switch (sat_type_bytes(sample)) {
    case 1: ZEROS(uint8_t)
    case 2: ZEROS(uint16_t)
    case 4: ZEROS(word_32)
    default: ZEROS(word_64)
    }
}
#undef ZEROS

#define LESS(type)                                                                                                     \
    {                                                                                                                  \
        const type *const s = samples;                                                                                 \
        if (valid == NULL)                                                                                             \
            for (int64_t i = 0; i < n; i++) to[i] = (double)s[i] - level;                                              \
        else                                                                                                           \
            for (int64_t i = 0; i < n; i++) to[i] = valid[i] ? (double)s[i] - level : 0;                               \
        break;                                                                                                         \
    }
void sat_valid_less(sat_type sample, const void *samples, const uint8_t *valid, int64_t n, double level, double *to)
{
    switch (sample) {
    case SAT_F32: LESS(float)
    default: LESS(double)
    }
}
#undef LESS

sat_status sat_mask_take(sat_view *mask, const sat_view *given, const sat_view *src)
{
    const sat_view made = {.width = src->width,
                           .height = src->height,
                           .channels = 1,
                           .type = SAT_U8,
                           .memory = src->memory,
                           .count = src->count};
    sat_status status = sat_take_view(mask, given, "mask");
    if (status == SAT_OK && mask->type != SAT_U8)
        status = sat_fail(SAT_ERR_TYPE, "mask: type %s; a mask has u8, and not 0 where pixels count",
                          sat_type_name(mask->type));
    if (status == SAT_OK) status = sat_check_fit(mask, &made, "mask", "source");
    if (status != SAT_OK) return status;
    if (mask->count != src->count)
        return sat_fail(SAT_ERR_SHAPE, "mask: %lld images for %lld", (long long)mask->count, (long long)src->count);
    if (mask->memory == SAT_DEVICE && !sat_is_plain(mask))
        return sat_fail(SAT_ERR_ARGUMENT, "mask: in device memory, a mask has rows top to bottom, without gaps");
    return SAT_OK;
}
