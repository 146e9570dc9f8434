/* tiff_samples.c - samples of a TIFF, as they are stored, to those of an image. */
#if SAT_WITH_LIBTIFF
#include <math.h>
#include <tiffio.h>

#include "codec.h"
#include "sample_type.h"
#include "tiff_parts.h"

/* Sample i of a row of whole bits, the highest first. */
static unsigned bits_at(const uint8_t *row, uint64_t i, int bits)
{
    unsigned value = 0;
    uint64_t at = i * (uint64_t)bits;
    for (int k = 0; k < bits; k++, at++) value = value << 1 | (row[at / 8] >> (7 - at % 8) & 1u);
    return value;
}

/* To the whole range of 8 or 16 bits, rounded. */
static unsigned scaled(unsigned value, int bits)
{
    unsigned most = (1u << bits) - 1, range = bits <= 8 ? UINT8_MAX : UINT16_MAX;
    return (unsigned)(((uint64_t)value * range + most / 2) / most);
}

/* A channel of a row's pixels, from the sample that lies `first` behind each pixel's begin. */
static void put_channel(const tiff_layout *t, const uint8_t *raw, size_t pixels, int first, uint8_t *dst)
{
    size_t size = sat_type_bytes(t->type), step = size * (size_t)t->channels;
    unsigned stored = t->planar ? 1 : (unsigned)t->samples;
    if (t->bits == 8 * (int)size) {
        codec_copy_samples(dst, step, raw + size * (size_t)first, size * stored, pixels, size);
        return;
    }
    for (size_t x = 0; is_float_type(t->type) && x < pixels; x++) {
        uint16_t bits;
        memcpy(&bits, raw + (x * stored + (unsigned)first) * sizeof bits, sizeof bits);
        const float value = f16_value(bits);
        memcpy(dst + x * step, &value, sizeof value);
    }
    for (size_t x = 0; !is_float_type(t->type) && x < pixels; x++) {
        unsigned v = scaled(bits_at(raw, x * stored + (unsigned)first, t->bits), t->bits);
        uint16_t v16 = (uint16_t)v;
        uint8_t v8 = (uint8_t)v;
        memcpy(dst + x * step, size == 1 ? (const void *)&v8 : &v16, size);
    }
}

void tiff_put_row(const tiff_layout *t, const tiff_palette colours, const uint8_t *raw, size_t pixels, int channel,
                  uint8_t *dst, size_t plane_bytes)
{
    const size_t size = sat_type_bytes(t->type), apart = t->planes ? plane_bytes : size;
    if (t->same) {
        memcpy(dst + (t->planes ? (size_t)channel * plane_bytes : 0), raw, pixels * (size_t)t->channels * size);
    } else if (t->palette) {
        const int channels = t->channels;
        for (size_t x = 0; x < pixels; x++, dst += channels) {
            memcpy(dst, colours[bits_at(raw, x * (size_t)t->samples, t->bits)], 3);
            if (channels > 3) dst[3] = raw[2 * x + 1];
        }
    } else if (t->planar) {
        put_channel(t, raw, pixels, 0, dst + (size_t)channel * apart);
    } else {
        for (int c = 0; c < tiff_outputs(t); c++)
            put_channel(t, raw, pixels, tiff_sample(t, c), dst + (size_t)c * apart);
    }
}

/* The bits of the layout's value as a stored sample. */
static uint64_t missing_bits(const tiff_layout *t)
{
    const double value = t->missing, largest = ldexp(1, t->bits - is_signed_type(t->type)) - 1,
                 least = is_signed_type(t->type) ? -largest - 1 : 0;
    const float value32 = (float)value;
    uint64_t bits = 0;
    if (t->bits == 64)
        memcpy(&bits, &value, sizeof value);
    else if (is_float_type(t->type) && t->bits == 32)
        memcpy(&bits, &value32, sizeof value32);
    else if (is_float_type(t->type))
        bits = f16_bits(value32);
    else if (isfinite(value))
        bits = (uint64_t)(int64_t)round(value < least ? least : value > largest ? largest : value);
    return bits;
}

void tiff_put_missing(const tiff_layout *t, uint8_t *raw, uint64_t bytes)
{
    const uint64_t row = t->block_row_bytes, bits = missing_bits(t);
    const size_t size = (size_t)t->bits / 8;
    if (t->bits % 8 == 0) { /* in the order of this machine, which begins with the lowest */
        for (uint64_t at = 0; at + size <= row; at += size) memcpy(raw + at, &bits, size);
    } else {
        memset(raw, 0, row);
        for (uint64_t i = 0; i < row * 8 / (unsigned)t->bits * (unsigned)t->bits; i++)
            raw[i / 8] |= (uint8_t)((bits >> (t->bits - 1 - (int)(i % (unsigned)t->bits)) & 1) << (7 - i % 8));
    }
    for (uint64_t at = row; at < bytes; at += row) memcpy(raw + at, raw, row);
}

void tiff_settle_nodata(const tiff_layout *t, uint8_t *raw, uint64_t bytes)
{
    const double value = t->missing, near = t->near;
    const float value32 = (float)value, near32 = (float)near;
    const int bits = t->bits;
    float *f32 = (void *)raw;
    double *f64 = (void *)raw;
    if (near == 0) return;
    const uint64_t n = bytes / ((unsigned)bits / 8);
    for (uint64_t i = 0; bits == 32 && i < n; i++)
        f32[i] = fabsf(f32[i] - value32) <= near32 ? value32 : f32[i]; /* vectorised, as a store in an if is not */
    for (uint64_t i = 0; bits == 64 && i < n; i++) f64[i] = fabs(f64[i] - value) <= near ? value : f64[i];
}

/* The high byte of entries of 16 bits.  Those of old files have 8, and so no entry is above 255. */
bool tiff_read_palette(tiff_file *f, const tiff_layout *t, tiff_palette colours, error *err)
{
    uint16_t *map[3];
    unsigned most = 0, entries = 1u << t->bits;
    if (!TIFFGetField(f->tif, TIFFTAG_COLORMAP, &map[0], &map[1], &map[2]))
        return fail(err, "corrupt: a TIFF of indices without a palette");
    for (unsigned i = 0; i < 3 * entries; i++) most = map[i % 3][i / 3] > most ? map[i % 3][i / 3] : most;
    for (unsigned i = 0; i < 3 * entries; i++)
        colours[i / 3][i % 3] = (uint8_t)(map[i % 3][i / 3] >> (most > UINT8_MAX ? 8 : 0));
    return true;
}

static void invert(uint8_t *row, size_t pixels, int channels, sat_type type)
{
    for (size_t x = 0; x < pixels; x++) {
        if (type == SAT_U8)
            row[x * (size_t)channels] ^= UINT8_MAX;
        else if (type == SAT_U16)
            ((uint16_t *)(void *)row)[x * (size_t)channels] ^= UINT16_MAX;
        else
            ((uint32_t *)(void *)row)[x * (size_t)channels] ^= UINT32_MAX;
    }
}

/* Divides premultiplied colours by their alpha; black where alpha is 0. */
static uint64_t quotient(uint64_t v, uint64_t a, uint64_t range)
{
    uint64_t q = a ? (v * range + a / 2) / a : 0;
    return q < range ? q : range;
}

static void divide_by_alpha(uint8_t *row, size_t pixels, int channels, sat_type type)
{
    uint16_t *row16 = (void *)row;
    uint32_t *row32 = (void *)row;
    float *f32 = (void *)row;
    double *f64 = (void *)row;
    for (size_t x = 0; x < pixels; x++) {
        size_t at = x * (size_t)channels, alpha = at + (size_t)channels - 1;
        for (size_t i = at; i < alpha; i++) {
            if (type == SAT_U8) row[i] = (uint8_t)quotient(row[i], row[alpha], UINT8_MAX);
            if (type == SAT_U16) row16[i] = (uint16_t)quotient(row16[i], row16[alpha], UINT16_MAX);
            if (type == SAT_U32) row32[i] = (uint32_t)quotient(row32[i], row32[alpha], UINT32_MAX);
            if (type == SAT_F32) f32[i] = f32[alpha] != 0 ? f32[i] / f32[alpha] : 0;
            if (type == SAT_F64) f64[i] = f64[alpha] != 0 ? f64[i] / f64[alpha] : 0;
        }
    }
}

void tiff_finish_row(const tiff_layout *t, uint8_t *row)
{
    if (t->inverted) invert(row, t->width, t->channels, t->type);
    if (t->premultiplied && !t->planes) divide_by_alpha(row, t->width, t->channels, t->type);
}

#endif
