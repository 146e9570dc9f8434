/* BMP through stb; this file makes sure that all that the header announces is there. */
#include <stdlib.h>

#include "codec.h"
#include "stb.h"

enum { FILE_HEADER = 14, CORE_HEADER = 12, INFO_HEADER = 40 }; /* bytes */

static bool sniff(const uint8_t *bytes, size_t n)
{
    if (n < FILE_HEADER + 4 || bytes[0] != 'B' || bytes[1] != 'M') return false;
    uint32_t header = load_le32(bytes + FILE_HEADER);
    return header == CORE_HEADER || header == INFO_HEADER || header == 52 || header == 56 || header == 108 ||
           header == 124;
}

static bool all_there(const uint8_t *bytes, size_t n, const decode_options *opt, error *err)
{
    enum { PLAIN = 0, BITFIELDS = 3 };
    const uint8_t *header = bytes + FILE_HEADER;
    uint32_t header_bytes = load_le32(header);
    if (n < FILE_HEADER + header_bytes) return fail(err, "truncated: the file ends in its header");
    bool core = header_bytes == CORE_HEADER;
    int64_t width = core ? load_le16(header + 4) : (int32_t)load_le32(header + 4);
    int64_t height = core ? load_le16(header + 6) : llabs((int64_t)(int32_t)load_le32(header + 8));
    int bits = load_le16(header + (core ? 10 : 14));
    uint32_t compression = core ? PLAIN : load_le32(header + 16);
    if (compression != PLAIN && compression != BITFIELDS) return fail(err, "a compressed BMP, which cannot be read");
    if (bits != 1 && bits != 4 && bits != 8 && bits != 16 && bits != 24 && bits != 32) {
        return fail(err, "corrupt: a BMP of %d bits per pixel", bits);
    }
    if (!codec_size_ok(width, height, opt, err)) return false;
    uint64_t row = ((uint64_t)width * (unsigned)bits + 31) / 32 * 4, begin = load_le32(bytes + 10);
    if (begin < FILE_HEADER + header_bytes) return fail(err, "corrupt: the BMP's pixels lie in its header");
    if (begin > n || n - begin < row * (uint64_t)height) return fail(err, "truncated: the BMP has too few pixels");
    return true;
}

static bool decode(const uint8_t *bytes, size_t n, const decode_options *opt, image *img, error *err)
{
    *img = (image){0};
    return all_there(bytes, n, opt, err) && stb_decode(bytes, n, opt, img, err);
}

static bool holds(sat_type type, int channels, error *err)
{
    if (type != SAT_U8) return fail(err, "BMP holds 8-bit samples, not %s; use .png or .pfm", sat_type_name(type));
    if (channels == 2) return fail(err, "BMP holds no grey with alpha; use .png");
    return true;
}

static bool encode(const image *img, const encode_options *opt, sink *out, error *err)
{
    (void)opt;
    int64_t pixels;
    if (__builtin_mul_overflow(img->width, img->height, &pixels) || pixels > INT32_MAX / 8 ||
        img->width > INT32_MAX / 8) {
        return fail(err, "%lldx%lld pixels are too many for BMP; use .png", (long long)img->width,
                    (long long)img->height);
    }
    return stb_encode_bmp(img, out, err);
}

const image_format format_bmp = {
    .name = "bmp",
    .extensions = "bmp dib",
    .summary = "BMP, 8-bit RGB with or without alpha",
    .library = stb_library,
    .sniff = sniff,
    .decode = decode,
    .holds = holds,
    .encode = encode,
};
