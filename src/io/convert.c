#include "convert.h"

#include <stdlib.h>
#include <string.h>

#include "sample_type.h"

/* Samples are read before the smaller ones are written over them. */
static void become(image *img, sat_type type)
{
    img->type = type;
    img->row_bytes = sat_row_bytes(img->width, img->channels, type);
}

/* Beside `taken`, which v is not: the f16 towards v, or the other one where that is infinite or v lies beyond. */
static uint16_t f16_beside(uint16_t taken, float v)
{
    const uint16_t size = taken & 0x7fff, sign = taken & 0x8000;
    const float held = f16_value(taken);
    if (size == 0) return v < 0 ? 0x8001 : 1;
    return sign |
           (uint16_t)(size >= 0x7bff || fabsf(v) < fabsf(held) ? (size == 0x7c00 ? 0x7bff : size - 1) : size + 1);
}

int64_t image_to_f16(image *img, const double *taken)
{
    const float *from = img->data;
    uint16_t *to = img->data;
    const int64_t n = image_samples(img);
    const float value = taken ? (float)*taken : NAN;
    const uint16_t held = f16_bits(value);
    int64_t moved = 0;
    for (int64_t i = 0; i < n; i++) {
        const float v = from[i];
        uint16_t bits = f16_bits(v);
        if (v != value && f16_value(bits) == f16_value(held)) bits = f16_beside(held, v), moved++;
        to[i] = bits;
    }
    become(img, SAT_F16);
    return moved;
}

static double sample_at(const image *img, int64_t i)
{
    switch (img->type) {
    case SAT_U8: return ((const uint8_t *)img->data)[i];
    case SAT_U16: return ((const uint16_t *)img->data)[i];
    case SAT_U32: return ((const uint32_t *)img->data)[i];
    case SAT_I8: return ((const int8_t *)img->data)[i];
    case SAT_I16: return ((const int16_t *)img->data)[i];
    case SAT_I32: return ((const int32_t *)img->data)[i];
    case SAT_F32: return (double)((const float *)img->data)[i];
    default: return ((const double *)img->data)[i];
    }
}

static double largest_of(sat_type type)
{
    return is_float_type(type) ? 1 : ldexp(1, 8 * (int)sat_type_bytes(type) - is_signed_type(type)) - 1;
}

int64_t image_to_u8(image *img, double low, double high, const double *taken)
{
    const int64_t n = image_samples(img);
    const double largest = largest_of(img->type);
    const int alpha = image_has_alpha(img) ? img->channels - 1 : -1;
    uint8_t *to = img->data;
    int64_t beyond = 0;
    for (int64_t i = 0; i < n; i++) {
        const bool is_alpha = i % img->channels == alpha;
        const double v = sample_at(img, i), from = is_alpha ? 0 : low, most = is_alpha ? largest : high;
        const bool empty = isnan(v) || (!is_alpha && taken && v == *taken);
        const double scaled = (v - from) * (255 / (most - from));
        beyond += !empty && (v < from || v > most);
        to[i] = (uint8_t)(empty || !(scaled > 0) ? 0 : scaled >= 255 ? 255 : floor(scaled + 0.5));
    }
    become(img, SAT_U8);
    return beyond;
}

/* The part takes the place of rows that have been read. */
bool image_by_parts(image *img, sat_type type,
                    bool (*become_part)(void *context, const sat_view *from, const sat_view *to, error *err),
                    void *context, error *err)
{
    const int64_t all = img->height * image_planes(img), most = IMAGE_PART_BYTES / (int64_t)img->row_bytes;
    image made, rows = *img;
    rows.planes = 0, rows.height = most < 1 ? 1 : most < all ? most : all;
    if (!image_alloc_like(&made, &rows, img->channels, type, err)) return false;
    bool ok = true;
    for (int64_t y = 0; ok && y < all; y += rows.height) {
        if (rows.height > all - y) rows.height = made.height = all - y;
        rows.data = (char *)img->data + (size_t)y * img->row_bytes;
        const sat_view from = image_view(&rows), to = image_view(&made);
        ok = become_part(context, &from, &to, err);
        memcpy((char *)img->data + (size_t)y * made.row_bytes, made.data, (size_t)made.height * made.row_bytes);
    }
    image_free(&made);
    become(img, type);
    return ok;
}
