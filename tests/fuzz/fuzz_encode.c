/* fuzz_encode.c - an image of any type, size and metadata is written in every format and read back: formats that lose
 * nothing give the same samples, and metadata comes back as it was or not at all.
 *
 *     type   channels   width   height   quality   threads   orientation   resolution   ICC bytes   the samples
 *     1 byte each, but for the resolution: 2 x 4 bytes                                               all others, again
 * and again */
#include <math.h>

#include "carrier.h"

enum { SIDE = 48, ICC_MOST = 255 };

static bool take_image(fuzz_input *in, image *img, error *err)
{
    static const sat_type types[] = {SAT_U8, SAT_U16, SAT_F32, SAT_U32, SAT_I8, SAT_I16, SAT_I32, SAT_F64};
    sat_type type = types[take(in, 1) % (sizeof types / sizeof *types)];
    const uint64_t choice = take(in, 1);
    const int channels = 1 + (int)(choice % 4), planes = choice < 200 ? 1 : 2 + (int)(choice % 7);
    int64_t width = 1 + (int64_t)(take(in, 1) % SIDE), height = 1 + (int64_t)(take(in, 1) % SIDE);
    return planes > 1 ? image_alloc_planes(img, width, height, planes, type, err)
                      : image_alloc(img, width, height, channels, type, err);
}

static void take_meta(fuzz_input *in, image_meta *meta)
{
    meta->orientation = (int)(take(in, 1) % 9);
    meta->x_per_metre = (double)take(in, 4) / 16;
    meta->y_per_metre = (double)take(in, 4) / 16;
    size_t n = take(in, 1);
    meta->icc = n ? malloc(n) : NULL;
    for (size_t i = 0; meta->icc && i < n; i++) meta->icc[i] = (uint8_t)take(in, 1);
    meta->icc_bytes = meta->icc ? n : 0;
}

static void fill(const fuzz_input *in, image *img)
{
    uint8_t *at = img->data;
    size_t n = img->row_bytes * (size_t)img->height * (size_t)image_planes(img);
    for (size_t i = 0; i < n; i++) at[i] = in->left ? in->at[i % in->left] : 0;
}

static bool is_hdr(const image_format *format)
{
    return strcmp(format->name, "hdr") == 0;
}

static bool loses_nothing(const image_format *format)
{
    return strcmp(format->name, "jpeg") != 0 && !is_hdr(format);
}

/* What Radiance's format has no place for. */
static bool beyond_hdr(const image *img)
{
    const float *at = img->data;
    for (int64_t i = 0; i < img->width * img->height * img->channels; i++)
        if (!(at[i] >= 0 && isfinite(at[i]))) return true;
    return false;
}

/* A shared exponent: each sample within 1/128 of the pixel's largest, where that has an exponent. */
static bool near_in_hdr(const float *was, const float *is)
{
    float most = fmaxf(fmaxf(was[0], was[1]), was[2]);
    for (int c = 0; c < 3; c++)
        if (!(fabsf(was[c] - is[c]) <= most / 128) && most > 1e-30f && most < 1e38f) return false;
    return true;
}

/* An alpha of 0 in every pixel is read as opaque; formats that do so hold u8 alone. */
static bool same_samples(const image_format *format, const image *was, const image *is)
{
    const bool may_be_opaque = strcmp(format->name, "bmp") == 0 || strcmp(format->name, "tga") == 0;
    const uint8_t *a = was->data, *b = is->data;
    bool clear = may_be_opaque && image_has_alpha(was);
    if (was->type != is->type || image_bands(was) != image_bands(is)) return false;
    const bool apart = was->planes > is->planes; /* arrays of few channels are pictures */
    const int64_t pixels = was->width * was->height, size = (int64_t)sat_type_bytes(was->type);
    for (int64_t i = 0; apart && i < pixels * was->planes; i++)
        if (memcmp(a + i * size, b + (i % pixels * was->planes + i / pixels) * size, (size_t)size) != 0) return false;
    if (apart) return true;
    if (!clear) return memcmp(a, b, was->row_bytes * (size_t)was->height * (size_t)image_planes(was)) == 0;
    const int64_t n = was->width * was->height * was->channels, alpha = was->channels - 1;
    for (int64_t i = alpha; i < n; i += was->channels) clear = clear && a[i] == 0;
    for (int64_t i = 0; i < n; i++)
        if (b[i] != (clear && i % was->channels == alpha ? UINT8_MAX : a[i])) return false;
    return true;
}

static const char *check_pixels(const image_format *format, const image *was, const image *is)
{
    if (was->width != is->width || was->height != is->height) return "another size";
    if (loses_nothing(format) && !same_samples(format, was, is)) return "other samples";
    const float *a = was->data, *b = is->data;
    for (int64_t i = 0; is_hdr(format) && was->channels == 3 && i < was->width * was->height; i++)
        if (!near_in_hdr(a + 3 * i, b + 3 * i)) return "samples that are further off than the format";
    return NULL;
}

/* In what the formats count: pixels in a metre, or in an inch or centimetre. */
static bool near(double was, double is)
{
    return is == 0 || fabs(was - is) <= 0.51 / 0.0254;
}

static const char *check_meta(const image_meta *was, const image_meta *is)
{
    if (is->icc_bytes > 0 && (is->icc_bytes != was->icc_bytes || memcmp(is->icc, was->icc, is->icc_bytes) != 0))
        return "another colour profile";
    if (is->orientation > 1 && is->orientation != was->orientation) return "another orientation";
    return near(was->x_per_metre, is->x_per_metre) && near(was->y_per_metre, is->y_per_metre) ? NULL
                                                                                              : "another resolution";
}

static const char *check_format(const image_format *format, const image *img, const encode_options *opt)
{
    uint8_t *bytes = NULL;
    size_t n = 0;
    error err = {.text = ""};
    image back = {0};
    const decode_options plain = {.max_pixels = SIDE * SIDE, .no_orient = true, .threads = 1, .planes_from = 2};
    if (!format->encode || !format->decode || (img->planes > 1 && !format->planes)) return NULL;
    if (strcmp(format->name, "npy") == 0 && img->planes > 4 && img->height <= 4)
        return NULL; /* (C, H, W), for readers */
    if (!format->holds(img->type, img->channels, &err))
        return err.text[0] && !strchr(err.text, '\n') ? NULL : "a refusal without a line that says why";
    if (FUZZ_WITHOUT_PNG && strcmp(format->name, "png") == 0) return NULL;
    const char *why = NULL;
    bool written = carrier_encode(format, img, opt, &bytes, &n, &err), refused = is_hdr(format) && beyond_hdr(img);
    if (written == refused)
        why = refused ? "samples that the format cannot hold are written" : "a format does not write what it holds";
    else if (!written)
        why = err.text[0] && !strchr(err.text, '\n') ? NULL : "a refusal without a line that says why";
    else if (format_by_content(bytes, n) != format)
        why = "a file that is taken for another format";
    else if (!format->decode(bytes, n, &plain, &back, &err))
        why = "a file that cannot be read back";
    if (!why && written) why = check_pixels(format, img, &back);
    if (!why && written) why = check_meta(&img->meta, &back.meta);
    image_free(&back);
    free(bytes);
    return why;
}

static const char *run(const uint8_t *bytes, size_t n)
{
    fuzz_input in = {bytes, n};
    image img;
    error err;
    const image_format *format;
    const char *why = NULL;
    if (!take_image(&in, &img, &err)) return NULL;
    encode_options opt = {.quality = (int)(take(&in, 1) % 101), .threads = (int)(take(&in, 1) % 4)};
    take_meta(&in, &img.meta);
    fill(&in, &img);
    for (size_t i = 0; !why && (format = format_at(i)); i++) why = check_format(format, &img, &opt);
    image_free(&img);
    return why;
}

const fuzz_target fuzz = {.run = run};
