#include "channels.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The index of that channel, -1 if the image lacks it. */
static int index_of(const image *img, const channel_choice *choice)
{
    const bool colours = img->channels >= 3;
    switch (choice->name) {
    case 'r': return colours ? 0 : -1;
    case 'g': return colours ? 1 : -1;
    case 'b': return colours ? 2 : -1;
    case 'a': return image_has_alpha(img) ? img->channels - 1 : -1;
    default: return choice->number <= image_bands(img) ? choice->number - 1 : -1;
    }
}

/* Pixel i is read before pixel i of the result, which is no larger, is written: the result may lie in the same place.
 */
#define LUMA(name, sample, wide, luma)                                                                                 \
    static void name(void *pixels, int64_t n, int channels)                                                            \
    {                                                                                                                  \
        const sample *from = pixels;                                                                                   \
        sample *to = pixels;                                                                                           \
        for (int64_t i = 0; i < n; i++, from += channels) {                                                            \
            const wide r = (wide)from[0], g = (wide)from[1], b = (wide)from[2];                                        \
            *to++ = (sample)(luma);                                                                                    \
            if (channels == 4) *to++ = from[3];                                                                        \
        }                                                                                                              \
    }
#define THOUSANDTHS (299 * r + 587 * g + 114 * b)
LUMA(luma_u8, uint8_t, uint32_t, (THOUSANDTHS + 500) / 1000)
LUMA(luma_u16, uint16_t, uint32_t, (THOUSANDTHS + 500) / 1000)
LUMA(luma_u32, uint32_t, uint64_t, (THOUSANDTHS + 500) / 1000)
LUMA(luma_i8, int8_t, int64_t, (THOUSANDTHS + (THOUSANDTHS < 0 ? -500 : 500)) / 1000)
LUMA(luma_i16, int16_t, int64_t, (THOUSANDTHS + (THOUSANDTHS < 0 ? -500 : 500)) / 1000)
LUMA(luma_i32, int32_t, int64_t, (THOUSANDTHS + (THOUSANDTHS < 0 ? -500 : 500)) / 1000)
LUMA(luma_f32, float, double, 0.299 * r + 0.587 * g + 0.114 * b)
LUMA(luma_f64, double, double, 0.299 * r + 0.587 * g + 0.114 * b)

static void make_luma(image *img)
{
    const int64_t n = img->width * img->height;
    switch (img->type) {
    case SAT_U8: luma_u8(img->data, n, img->channels); break;
    case SAT_U16: luma_u16(img->data, n, img->channels); break;
    case SAT_U32: luma_u32(img->data, n, img->channels); break;
    case SAT_I8: luma_i8(img->data, n, img->channels); break;
    case SAT_I16: luma_i16(img->data, n, img->channels); break;
    case SAT_I32: luma_i32(img->data, n, img->channels); break;
    case SAT_F32: luma_f32(img->data, n, img->channels); break;
    default: luma_f64(img->data, n, img->channels); break;
    }
}

/* Samples of that many bytes, which the compiler knows where it is called. */
static inline __attribute__((always_inline)) void keep_samples(image *img, int index, size_t bytes)
{
    const int64_t n = img->width * img->height;
    char *to = img->data;
    const char *from = to + (size_t)index * bytes;
    for (int64_t i = 0; i < n; i++, to += bytes, from += (size_t)img->channels * bytes) memmove(to, from, bytes);
}

static void keep_one(image *img, int index)
{
    switch (sat_type_bytes(img->type)) {
    case 1: keep_samples(img, index, 1); break;
    case 2: keep_samples(img, index, 2); break;
    case 4: keep_samples(img, index, 4); break;
    default: keep_samples(img, index, 8); break;
    }
}

void image_drop_profile(image *img)
{
    free(img->meta.icc);
    img->meta.icc = NULL;
    img->meta.icc_bytes = 0;
}

/* The pixels are fewer bytes now. */
static void shrink_to(image *img, int channels)
{
    if (img->channels >= 3) image_drop_profile(img);
    img->channels = channels;
    img->row_bytes = sat_row_bytes(img->width, channels, img->type);
}

bool image_choose_channels(image *img, const channel_choice *choice, error *err)
{
    if (choice->gray && image_planes(img) > 1)
        return fail(err, "--gray: an image of %d bands has no luma; --channel takes one", image_bands(img));
    if (choice->gray && img->channels >= 3) {
        if (img->meta.nodata[0])
            return fail(
                err, "--gray: its value for no data, %.*s, is of each channel, which luma mixes; --channel takes one",
                (int)sizeof img->meta.nodata, img->meta.nodata);
        make_luma(img);
        shrink_to(img, img->channels - 2);
    }
    if (!choice->number && !choice->name) return true;
    const int index = index_of(img, choice);
    if (index < 0) {
        char number[12];
        snprintf(number, sizeof number, "%d", choice->number);
        return fail(err, "there is no channel %s: the image has %d channel%s%s",
                    choice->name ? (const char[]){choice->name, 0} : number, image_bands(img),
                    image_bands(img) > 1 ? "s" : "",
                    image_has_alpha(img)                    ? ", the last of which is alpha"
                    : choice->name && image_planes(img) > 1 ? "; --channel N takes one of them"
                                                            : "");
    }
    if (image_planes(img) > 1) {
        const size_t bytes = img->row_bytes * (size_t)img->height;
        memmove(img->data, (const char *)img->data + (size_t)index * bytes, bytes);
        img->planes = 1;
    } else if (img->channels > 1) {
        keep_one(img, index);
        shrink_to(img, 1);
    }
    return true;
}
