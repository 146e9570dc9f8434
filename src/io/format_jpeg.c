/* JPEG.  The segments are read and written here, the pixels by the library of jpeg_pixels.h. */
#include <stdlib.h>
#include <string.h>

#include "codec.h"
#include "jpeg_markers.h"
#include "jpeg_pixels.h"
#include "orient.h"

enum {
    LARGEST_SIDE = 65500, /* px, as libjpeg has it */
    DEFAULT_QUALITY = 90,
};

static bool sniff(const uint8_t *bytes, size_t n)
{
    return n >= 3 && bytes[0] == 0xFF && bytes[1] == 0xD8 && bytes[2] == 0xFF;
}

/* A block of 8x8 samples takes at least one bit, unless it is coded arithmetically.  A factor of 16 is for that, and
 * for subsampled chroma planes. */
static bool plausible(const jpeg_markers *jpeg, error *err)
{
    enum { MOST_PIXELS_PER_BYTE = 64 * 8 * 16 };
    if ((uint64_t)jpeg->width * (uint64_t)jpeg->height / MOST_PIXELS_PER_BYTE <= jpeg->length) return true;
    return fail(err, "truncated: %zu bytes cannot hold the pixels of a %lldx%lld JPEG", jpeg->length,
                (long long)jpeg->width, (long long)jpeg->height);
}

/* Samples, and so coefficients, in whole blocks of up to 32 px: an upper bound. */
static uint64_t block_samples(const jpeg_markers *jpeg)
{
    enum { EDGE = 32 };
    return (uint64_t)(jpeg->width + EDGE) * (uint64_t)(jpeg->height + EDGE) * (uint64_t)jpeg->components;
}

/* A coefficient takes up to 27 bits (F.1.2: a code of 16, a value of 11).  That doubles where each byte is FF and has a
 * zero behind it.  A progressive file refines it with fewer bits.  A profile has up to 255 segments of 64 KiB; as much
 * again is for EXIF, XMP and thumbnails. */
static uint64_t longest(const jpeg_markers *jpeg)
{
    enum { SAMPLE_BYTES = 2 * 8, OTHER_BYTES = 64 << 20 };
    return block_samples(jpeg) * SAMPLE_BYTES + OTHER_BYTES;
}

static bool shape(const uint8_t *bytes, size_t n, const decode_options *opt, image_shape *s)
{
    (void)opt;
    jpeg_markers jpeg;
    jpeg_length(bytes, n, &jpeg);
    if (!jpeg.has_scan || jpeg.components == 0 || jpeg.height == 0) return false; /* height 0: it follows the pixels */
    *s = (image_shape){.width = jpeg.width,
                       .height = jpeg.height,
                       .channels = jpeg.components == 1 ? 1 : 3,
                       .type = SAT_U8,
                       .turns = true,
                       .decoder_bytes = block_samples(&jpeg) * jpeg_sample_bytes(&jpeg)};
    return true;
}

static bool extent(const uint8_t *bytes, size_t n, const decode_options *opt, uint64_t *most, error *err)
{
    jpeg_markers jpeg;
    *most = jpeg_length(bytes, n, &jpeg);
    if (*most > 0) return true;
    if (jpeg.components > 0 && jpeg.height > 0 && !codec_size_ok(jpeg.width, jpeg.height, opt, err)) return false;
    *most = longest(&jpeg);
    return n < *most || codec_too_long("JPEG", *most, err);
}

/* Does the library decode such files? */
static bool known(const jpeg_markers *jpeg, error *err)
{
    if (jpeg->height == 0) return fail(err, "a JPEG whose height follows its pixels, which cannot be read");
    if (jpeg->components == 1 || jpeg->components == 3) return true;
    if (jpeg->components == 4) return fail(err, "a CMYK JPEG, which cannot be read; convert it to RGB first");
    return fail(err, "a JPEG of %d components, which cannot be read", jpeg->components);
}

/* libjpeg gets the bytes up to the end marker alone: what lies behind decides how far it reads ahead, and so which
 * surplus bytes it reports. */
static bool decode(const uint8_t *bytes, size_t n, const decode_options *opt, image *img, error *err)
{
    *img = (image){0};
    image_meta meta = {0};
    jpeg_markers jpeg;
    bool ok = jpeg_read_markers(bytes, n, &jpeg, &meta, err) && known(&jpeg, err) &&
              codec_size_ok(jpeg.width, jpeg.height, opt, err) && plausible(&jpeg, err) &&
              jpeg_decode_pixels(bytes, jpeg.length, &jpeg, opt, img, err);
    memcpy(meta.note, img->meta.note, sizeof meta.note);
    img->meta = meta;
    if (ok && !opt->no_orient) ok = image_orient(img, opt->threads, err);
    if (!ok) image_free(img);
    return ok;
}

static bool holds(sat_type type, int channels, error *err)
{
    if (type != SAT_U8) return codec_cannot_hold("JPEG", "u8", type, err);
    if (channels == 2 || channels == 4) return fail(err, "JPEG holds no alpha");
    return true;
}

static bool encode(const image *img, const encode_options *opt, sink *out, error *err)
{
    enum { HEAD = 2 + 2 + 16 /* SOI, and the JFIF segment of both encoders */ };
    if (img->width > LARGEST_SIDE || img->height > LARGEST_SIDE) {
        return fail(err, "%lldx%lld pixels are too many for JPEG, whose sides end at %d; use .png",
                    (long long)img->width, (long long)img->height, LARGEST_SIDE);
    }
    uint8_t *bytes = NULL, *segments = NULL;
    size_t n = 0, segments_bytes = 0;
    bool ok = jpeg_meta_segments(&img->meta, &segments, &segments_bytes, err) &&
              jpeg_encode_pixels(img, opt->quality ? opt->quality : DEFAULT_QUALITY, &opt->progress, &bytes, &n, err);
    if (ok) {
        jpeg_set_density(bytes, n, &img->meta);
        ok = sink_write(out, bytes, HEAD, err) && sink_write(out, segments, segments_bytes, err) &&
             sink_write(out, bytes + HEAD, n - HEAD, err);
    }
    free(bytes);
    free(segments);
    return ok;
}

const image_format format_jpeg = {
    .name = "jpeg",
    .extensions = "jpg jpeg jpe jfif",
    .summary = "JPEG, 8-bit grey and RGB; 4:2:0 below quality 95, 4:4:4 from there on",
    .library = jpeg_library,
    .sniff = sniff,
    .extent = extent,
    .shape = shape,
    .decode = decode,
    .holds = holds,
    .encode = encode,
    .has_quality = true,
};
