/* JPEG.  The pixels are libturbojpeg's work where it was found, else stb's; segments are ours. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "codec.h"
#include "jpeg_markers.h"
#include "orient.h"
#if SAT_WITH_TURBOJPEG
#include <turbojpeg.h>
#else
#include "stb.h"
#endif

enum {
    LARGEST_SIDE = 65500, /* px, as libjpeg has it */
    DEFAULT_QUALITY = 90,
    FULL_CHROMA_QUALITY = 95, /* below, chroma has half the resolution each way, as nearly all photos have */
};

static bool sniff(const uint8_t *bytes, size_t n)
{
    return n >= 3 && bytes[0] == 0xFF && bytes[1] == 0xD8 && bytes[2] == 0xFF;
}

/* A block of 8x8 samples takes at least one bit, unless it is coded arithmetically: for that and for
 * thin chroma planes there is a factor of 16 to spare. */
static bool plausible(const jpeg_markers *jpeg, size_t n, error *err)
{
    enum { MOST_PIXELS_PER_BYTE = 64 * 8 * 16 };
    if ((uint64_t)jpeg->width * (uint64_t)jpeg->height / MOST_PIXELS_PER_BYTE <= n) return true;
    return fail(err, "truncated: %zu bytes cannot hold the pixels of a %lldx%lld JPEG", n, (long long)jpeg->width,
                (long long)jpeg->height);
}

/* A coefficient takes up to 27 bits (F.1.2: a code of 16, a value of 11), and twice that where each byte is FF and
 * has a zero behind it; a progressive file refines it, with fewer.  There is a coefficient for each sample of
 * blocks up to 32 px wide.  A profile has up to 255 segments of 64 KiB; and so much of EXIF, XMP and thumbnails. */
static uint64_t longest(const jpeg_markers *jpeg)
{
    enum { SAMPLE_BYTES = 2 * 8, EDGE = 32, OTHER_BYTES = 64 << 20 };
    return (uint64_t)(jpeg->width + EDGE) * (uint64_t)(jpeg->height + EDGE) * (uint64_t)jpeg->components *
               SAMPLE_BYTES +
           OTHER_BYTES;
}

static bool extent(const uint8_t *bytes, size_t n, const decode_options *opt, uint64_t *most, error *err)
{
    jpeg_markers jpeg;
    *most = jpeg_length(bytes, n, &jpeg);
    if (*most > 0) return true;
    if (jpeg.components > 0 && !codec_size_ok(jpeg.width, jpeg.height, opt, err)) return false;
    *most = longest(&jpeg);
    return n < *most || codec_too_long("JPEG", *most, err);
}

#if SAT_WITH_TURBOJPEG

static const char *library(void)
{
    return "libturbojpeg";
}

static bool fail_corrupt(tjhandle handle, error *err)
{
    static const char said[] = "Corrupt JPEG data: ";
    const char *why = tjGetErrorStr2(handle);
    return fail(err, "corrupt: %s", why + (strncmp(why, said, sizeof said - 1) == 0 ? sizeof said - 1 : 0));
}

/* Is the warning one of zeros between the last pixel and the end marker, with which some cameras fill up?  It is the
 * last that a file can cause.  Other bytes there may be what pixels were damaged to. */
static bool is_padding(const char *warning, const uint8_t *bytes, size_t n)
{
    enum { MARKER = 2 };
    jpeg_markers jpeg;
    size_t end = jpeg_length(bytes, n, &jpeg);
    unsigned zeros = 0;
    int length = 0;
    sscanf(warning, "Corrupt JPEG data: %u extraneous bytes before marker 0xd9%n", &zeros, &length);
    if (length == 0 || warning[length] || end < MARKER || zeros > end - MARKER) return false;
    for (unsigned i = 1; i <= zeros; i++)
        if (bytes[end - MARKER - i] != 0) return false;
    return true;
}

/* Every other warning is an error: most are of pixels that are lost, or made up. */
static bool decode_pixels(const uint8_t *bytes, size_t n, const jpeg_markers *jpeg, const decode_options *opt,
                          image *img, error *err)
{
    (void)opt;
    tjhandle handle = tjInitDecompress();
    if (!handle) return fail(err, "out of memory: JPEG decoder");
    int width, height, chroma, colours;
    bool ok = tjDecompressHeader3(handle, bytes, n, &width, &height, &chroma, &colours) == 0;
    if (!ok) {
        fail_corrupt(handle, err);
    } else if (width != jpeg->width || height != jpeg->height) {
        ok = fail(err, "corrupt: the JPEG has two sizes");
    } else if (colours == TJCS_CMYK || colours == TJCS_YCCK) {
        ok = fail(err, "a CMYK JPEG, which cannot be read; convert it to RGB first");
    }
    int channels = jpeg->components == 1 ? 1 : 3;
    ok = ok && image_alloc(img, width, height, channels, SAT_U8, err);
    int flags = TJFLAG_ACCURATEDCT | TJFLAG_LIMITSCANS, format = channels == 1 ? TJPF_GRAY : TJPF_RGB;
    if (ok && tjDecompress2(handle, bytes, n, img->data, width, (int)img->row_bytes, height, format,
                            flags | TJFLAG_STOPONWARNING) != 0) {
        /* A progressive file has no pixels yet, where it was stopped. */
        ok = is_padding(tjGetErrorStr2(handle), bytes, n) || fail_corrupt(handle, err);
        if (ok) tjDecompress2(handle, bytes, n, img->data, width, (int)img->row_bytes, height, format, flags);
        ok = ok && (is_padding(tjGetErrorStr2(handle), bytes, n) || fail_corrupt(handle, err));
    }
    tjDestroy(handle);
    return ok;
}

static bool encode_pixels(const image *img, int quality, uint8_t **bytes, size_t *n, error *err)
{
    bool grey = img->channels == 1;
    int chroma = grey ? TJSAMP_GRAY : quality >= FULL_CHROMA_QUALITY ? TJSAMP_444 : TJSAMP_420;
    unsigned long size = tjBufSize((int)img->width, (int)img->height, chroma);
    tjhandle handle = tjInitCompress();
    *bytes = malloc(size);
    bool ok = handle && *bytes;
    if (!ok) {
        fail(err, "out of memory: JPEG encoder");
    } else if (tjCompress2(handle, img->data, (int)img->width, (int)img->row_bytes, (int)img->height,
                           grey ? TJPF_GRAY : TJPF_RGB, bytes, &size, chroma, quality,
                           TJFLAG_ACCURATEDCT | TJFLAG_NOREALLOC) != 0) {
        ok = fail(err, "%s", tjGetErrorStr2(handle));
    }
    if (handle) tjDestroy(handle);
    *n = size;
    return ok;
}

#else

static const char *library(void)
{
    return stb_library();
}

static bool decode_pixels(const uint8_t *bytes, size_t n, const jpeg_markers *jpeg, const decode_options *opt,
                          image *img, error *err)
{
    if (jpeg->components == 4) return fail(err, "a CMYK JPEG, which cannot be read; convert it to RGB first");
    return stb_decode(bytes, n, opt, img, err);
}

static bool encode_pixels(const image *img, int quality, uint8_t **bytes, size_t *n, error *err)
{
    return stb_encode_jpeg(img, quality, bytes, n, err);
}

#endif

static bool decode_clean(const uint8_t *bytes, size_t n, const jpeg_markers *jpeg, const decode_options *opt,
                         image *img, error *err)
{
    if (!jpeg->has_noise) return decode_pixels(bytes, n, jpeg, opt, img, err);
    uint8_t *clean = malloc(n);
    bool ok = clean || fail(err, "out of memory: a copy of the JPEG needs %zu bytes", n);
    ok = ok && decode_pixels(clean, jpeg_without_noise(bytes, n, clean), jpeg, opt, img, err);
    free(clean);
    return ok;
}

static bool decode(const uint8_t *bytes, size_t n, const decode_options *opt, image *img, error *err)
{
    *img = (image){0};
    image_meta meta = {0};
    jpeg_markers jpeg;
    bool ok = jpeg_read_markers(bytes, n, &jpeg, &meta, err) && codec_size_ok(jpeg.width, jpeg.height, opt, err) &&
              plausible(&jpeg, n, err) && decode_clean(bytes, n, &jpeg, opt, img, err);
    img->meta = meta;
    if (ok && !opt->no_orient) ok = image_orient(img, opt->threads, err);
    if (!ok) image_free(img);
    return ok;
}

static bool holds(sat_type type, int channels, error *err)
{
    if (type != SAT_U8)
        return fail(err, "JPEG holds 8-bit samples, not %s; use %s", sat_type_name(type),
                    type == SAT_F32 ? ".pfm or .hdr" : ".png or .pam");
    if (channels == 2 || channels == 4) return fail(err, "JPEG holds no alpha; use .png");
    return true;
}

static bool encode(const image *img, const encode_options *opt, sink *out, error *err)
{
    enum { HEAD = 2 + 2 + 16 /* SOI, then the JFIF segment that both encoders write */ };
    if (img->width > LARGEST_SIDE || img->height > LARGEST_SIDE) {
        return fail(err, "%lldx%lld pixels are too many for JPEG, whose sides end at %d; use .png",
                    (long long)img->width, (long long)img->height, LARGEST_SIDE);
    }
    uint8_t *bytes = NULL, *segments = NULL;
    size_t n = 0, segments_bytes = 0;
    bool ok = jpeg_meta_segments(&img->meta, &segments, &segments_bytes, err) &&
              encode_pixels(img, opt->quality ? opt->quality : DEFAULT_QUALITY, &bytes, &n, err);
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
    .library = library,
    .sniff = sniff,
    .extent = extent,
    .decode = decode,
    .holds = holds,
    .encode = encode,
    .has_quality = true,
};
