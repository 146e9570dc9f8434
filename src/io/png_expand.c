#include "png.h"

#include "codec.h"

int png_channels(const png_chunks *png)
{
    int alpha = png->transparency ? 1 : 0;
    switch (png->colour) {
    case PNG_COLOUR_GREY: return 1 + alpha;
    case PNG_COLOUR_GREY_ALPHA: return 2;
    case PNG_COLOUR_RGBA: return 4;
    default: return 3 + alpha;
    }
}

/* Sample i of a row of samples of depth bits, the first in a byte's highest bits. */
static inline unsigned small_sample(const uint8_t *raw, size_t i, int depth)
{
    size_t bit = i * (size_t)depth;
    return (unsigned)raw[bit / 8] >> (8 - depth - (int)(bit % 8)) & ((1u << depth) - 1);
}

/* Sample c of the transparent colour.  Bits above the depth are masked (PNG, third edition, tRNS). */
static inline unsigned transparent_sample(const png_chunks *png, size_t c)
{
    return load_be16(png->transparency + 2 * c) & ((1u << png->depth) - 1);
}

static void expand_palette(const png_chunks *png, uint8_t *dst, const uint8_t *raw, size_t width)
{
    static const uint8_t black[3];
    bool alpha = png->transparency != NULL;
    for (size_t x = 0; x < width; x++) {
        size_t i = png->depth == 8 ? raw[x] : small_sample(raw, x, png->depth);
        memcpy(dst, i < png->palette_entries ? png->palette + 3 * i : black, 3);
        if (alpha) dst[3] = i < png->transparency_bytes ? png->transparency[i] : 255;
        dst += alpha ? 4 : 3;
    }
}

static void expand_small_grey(const png_chunks *png, uint8_t *dst, const uint8_t *raw, size_t width)
{
    unsigned scale = 255 / ((1u << png->depth) - 1); /* exact for 1, 2 and 4 bits */
    unsigned transparent = png->transparency ? transparent_sample(png, 0) : 0;
    for (size_t x = 0; x < width; x++) {
        unsigned v = small_sample(raw, x, png->depth);
        *dst++ = (uint8_t)(v * scale);
        if (png->transparency) *dst++ = v == transparent ? 0 : 255;
    }
}

static void expand_8(const png_chunks *png, uint8_t *dst, const uint8_t *raw, size_t width)
{
    size_t colours = png->colour == PNG_COLOUR_GREY ? 1 : 3;
    for (size_t x = 0; x < width; x++) {
        bool same = true;
        for (size_t c = 0; c < colours; c++) {
            same = same && raw[c] == transparent_sample(png, c);
            *dst++ = raw[c];
        }
        *dst++ = same ? 0 : 255;
        raw += colours;
    }
}

static void swap_16(uint16_t *dst, const uint8_t *raw, size_t samples)
{
    for (size_t i = 0; i < samples; i++) dst[i] = load_be16(raw + 2 * i);
}

static void expand_16(const png_chunks *png, uint16_t *dst, const uint8_t *raw, size_t width)
{
    size_t colours = png->colour == PNG_COLOUR_GREY ? 1 : 3;
    for (size_t x = 0; x < width; x++) {
        *(dst + colours) = memcmp(raw, png->transparency, 2 * colours) == 0 ? 0 : UINT16_MAX;
        swap_16(dst, raw, colours);
        dst += colours + 1;
        raw += 2 * colours;
    }
}

void png_expand_row(const png_chunks *png, uint8_t *dst, const uint8_t *raw, size_t width)
{
    size_t channels = (size_t)png_channels(png);
    if (png->colour == PNG_COLOUR_PALETTE) {
        expand_palette(png, dst, raw, width);
    } else if (png->depth < 8) {
        expand_small_grey(png, dst, raw, width);
    } else if (png->depth == 8) {
        if (png->transparency) {
            expand_8(png, dst, raw, width);
        } else {
            memcpy(dst, raw, width * channels);
        }
    } else if (png->transparency) {
        expand_16(png, (uint16_t *)(void *)dst, raw, width);
    } else {
        swap_16((uint16_t *)(void *)dst, raw, width * channels);
    }
}
