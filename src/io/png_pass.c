/* png_pass.c - the passes of an interlaced PNG (Adam7), and the sizes of their rows. */
#include "png.h"

int png_passes(const png_chunks *png)
{
    return png->interlaced ? 7 : 1;
}

png_pass png_pass_at(const png_chunks *png, int i)
{
    static const uint8_t first_x[7] = {0, 4, 0, 2, 0, 1, 0}, first_y[7] = {0, 0, 4, 0, 2, 0, 1};
    static const uint8_t step_x[7] = {8, 8, 4, 4, 2, 2, 1}, step_y[7] = {8, 8, 8, 4, 4, 2, 2};
    if (!png->interlaced) return (png_pass){.width = png->width, .height = png->height, .step_x = 1, .step_y = 1};
    uint32_t x = first_x[i], y = first_y[i];
    return (png_pass){.width = png->width > x ? (png->width - x + step_x[i] - 1) / step_x[i] : 0,
                      .height = png->height > y ? (png->height - y + step_y[i] - 1) / step_y[i] : 0,
                      .x = x,
                      .y = y,
                      .step_x = step_x[i],
                      .step_y = step_y[i]};
}

int png_pixel_bits(const png_chunks *png)
{
    static const int samples[7] = {[PNG_COLOUR_GREY] = 1,
                                   [PNG_COLOUR_RGB] = 3,
                                   [PNG_COLOUR_PALETTE] = 1,
                                   [PNG_COLOUR_GREY_ALPHA] = 2,
                                   [PNG_COLOUR_RGBA] = 4};
    return samples[png->colour] * png->depth;
}

/* Below 2^31 px of 64 bits, so this cannot overflow. */
size_t png_row_bytes(const png_chunks *png, uint32_t width)
{
    return ((size_t)width * (size_t)png_pixel_bits(png) + 7) / 8;
}

uint64_t png_raw_bytes(const png_chunks *png)
{
    uint64_t bytes = 0;
    for (int i = 0; i < png_passes(png); i++) {
        png_pass p = png_pass_at(png, i);
        uint64_t part;
        if (__builtin_mul_overflow((uint64_t)p.height, png_row_bytes(png, p.width), &part) ||
            __builtin_add_overflow(bytes, part, &bytes))
            return UINT64_MAX;
    }
    return bytes;
}
