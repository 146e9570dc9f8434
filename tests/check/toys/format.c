/* format_toy.c - a file format in one file: "TOY", one byte of width and height each, grey samples. */
#include <string.h>

#include "format.h"

static bool sniff(const uint8_t *bytes, size_t n)
{
    return n >= 5 && memcmp(bytes, "TOY", 3) == 0;
}

static bool decode(const uint8_t *bytes, size_t n, const decode_options *opt, image *img, error *err)
{
    int64_t width = bytes[3], height = bytes[4];
    if (width * height == 0 || width * height > opt->max_pixels) return fail(err, "%d x %d pixels", bytes[3], bytes[4]);
    if (n - 5 != (size_t)(width * height)) return fail(err, "not as long as its header says");
    if (!image_alloc(img, width, height, 1, SAT_U8, err)) return false;
    memcpy(img->data, bytes + 5, n - 5);
    return true;
}

static bool holds(sat_type type, int channels, error *err)
{
    return (type == SAT_U8 && channels == 1) || fail(err, "TOY holds 8-bit grey samples");
}

static bool encode(const image *img, const encode_options *opt, sink *out, error *err)
{
    (void)opt;
    if (img->width > 255 || img->height > 255) return fail(err, "TOY holds sides up to 255");
    const uint8_t head[5] = {'T', 'O', 'Y', (uint8_t)img->width, (uint8_t)img->height};
    return sink_write(out, head, sizeof head, err) &&
           sink_write(out, img->data, (size_t)(img->width * img->height), err);
}

const image_format format_toy = {
    .name = "toy",
    .extensions = "toy",
    .summary = "a format for the tests, in one file",
    .sniff = sniff,
    .decode = decode,
    .holds = holds,
    .encode = encode,
};
