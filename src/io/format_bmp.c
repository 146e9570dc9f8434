/* BMP (Microsoft, "Bitmap Storage"): a file header, one of six lengths of image header, for up to 8 bits
 * a palette, then rows of whole 32-bit words, the bottom one first unless the height is negative. */
#include <stdlib.h>

#include "codec.h"
#include "stb.h"

enum { LARGEST_GAP = 1 << 24 }; /* between header and pixels: a palette, and whatever a writer hides there */
enum { FILE_HEADER = 14, CORE_HEADER = 12, INFO_HEADER = 40, ALPHA_HEADER = 56 /* the first with a mask for alpha */ };

/* Where a component stands in a pixel: bits (pixel >> shift) & top. */
typedef struct field {
    int shift;
    uint32_t top; /* 0 = there is none */
} field;

typedef struct bmp {
    int64_t width, height;
    bool top_down;
    int bits; /* per pixel: 1, 4, 8 (palette), 16, 24, 32 */
    field fields[4];
    bool alpha_unsaid;      /* the fourth byte may be alpha or nothing */
    const uint8_t *palette; /* blue, green, red and, in entries of 4 bytes, nothing */
    size_t entries, entry_bytes;
    size_t begin; /* of the pixels in the file */
    const uint8_t *pixels;
    size_t row_bytes; /* in the file */
} bmp;

static bool sniff(const uint8_t *bytes, size_t n)
{
    if (n < FILE_HEADER + 4 || bytes[0] != 'B' || bytes[1] != 'M') return false;
    uint32_t header = load_le32(bytes + FILE_HEADER);
    return header == CORE_HEADER || header == INFO_HEADER || header == 52 || header == ALPHA_HEADER || header == 108 ||
           header == 124;
}

static field field_of(uint32_t mask)
{
    if (mask == 0) return (field){0};
    int shift = __builtin_ctz(mask);
    return (field){.shift = shift, .top = mask >> shift};
}

static void set_fields(bmp *b, uint32_t red, uint32_t green, uint32_t blue, uint32_t alpha)
{
    b->fields[0] = field_of(red);
    b->fields[1] = field_of(green);
    b->fields[2] = field_of(blue);
    b->fields[3] = field_of(alpha);
}

/* Leaves b->pixels to be looked for: they may be missing. */
static bool read_header(const uint8_t *bytes, size_t n, const decode_options *opt, bmp *b, error *err)
{
    enum { PLAIN = 0, BITFIELDS = 3 };
    const uint8_t *header = bytes + FILE_HEADER;
    size_t header_bytes = load_le32(header), end = FILE_HEADER + header_bytes, begin = load_le32(bytes + 10);
    if (n < end) return fail(err, "truncated: the file ends in its header");
    bool core = header_bytes == CORE_HEADER;
    int32_t height = core ? load_le16(header + 6) : (int32_t)load_le32(header + 8);
    uint32_t compression = core ? PLAIN : load_le32(header + 16);
    *b = (bmp){.width = core ? load_le16(header + 4) : (int32_t)load_le32(header + 4),
               .height = llabs((int64_t)height),
               .top_down = height < 0,
               .bits = load_le16(header + (core ? 10 : 14)),
               .palette = bytes};

    bool masks = compression == BITFIELDS && (b->bits == 16 || b->bits == 32);
    if (compression != PLAIN && !masks) return fail(err, "a compressed BMP, which cannot be read");
    if (b->bits == 16) set_fields(b, 0x7c00, 0x3e0, 0x1f, 0);
    if (b->bits == 24) set_fields(b, 0xff0000, 0xff00, 0xff, 0);
    if (b->bits == 32) set_fields(b, 0xff0000, 0xff00, 0xff, 0xff000000);
    b->alpha_unsaid = b->bits == 32 && !masks;
    if (masks) {
        const uint8_t *at = header + INFO_HEADER; /* of the header, or behind the shortest */
        if (header_bytes == INFO_HEADER) end += 12;
        if (n < end) return fail(err, "truncated: the file ends in its header");
        set_fields(b, load_le32(at), load_le32(at + 4), load_le32(at + 8),
                   header_bytes >= ALPHA_HEADER ? load_le32(at + 12) : 0);
    }
    if (b->bits != 1 && b->bits != 4 && b->bits != 8 && b->fields[0].top == 0) {
        return fail(err, "corrupt: a BMP of %d bits per pixel", b->bits);
    }
    if (!codec_size_ok(b->width, b->height, opt, err)) return false;
    if (begin < end) return fail(err, "corrupt: the BMP's pixels lie in its header");
    if (begin - end > LARGEST_GAP)
        return fail(err, "corrupt: the BMP's pixels lie %zu bytes behind its header", begin - end);
    b->row_bytes = ((size_t)b->width * (size_t)b->bits + 31) / 32 * 4;
    b->palette += end;
    b->entry_bytes = core ? 3 : 4;
    b->entries = (begin - end) / b->entry_bytes;
    b->begin = begin;
    return true;
}

static bool extent(const uint8_t *bytes, size_t n, const decode_options *opt, uint64_t *most, error *err)
{
    bmp b;
    if (!read_header(bytes, n, opt, &b, err)) return false;
    *most = b.begin + (uint64_t)b.row_bytes * (uint64_t)b.height;
    return true;
}

static inline uint8_t component(uint32_t pixel, field f)
{
    uint32_t v = pixel >> f.shift & f.top;
    return (uint8_t)(f.top == 255 ? v : f.top == 0 ? 0 : ((uint64_t)v * 255 + f.top / 2) / f.top);
}

static void expand_row(const bmp *b, const uint8_t *raw, uint8_t *dst, int channels)
{
    size_t bytes = (size_t)b->bits / 8;
    for (int64_t x = 0; x < b->width; x++, raw += bytes) {
        uint32_t pixel = load_le16(raw);
        if (bytes >= 3) pixel |= (uint32_t)raw[2] << 16;
        if (bytes == 4) pixel |= (uint32_t)raw[3] << 24;
        for (int c = 0; c < channels; c++) *dst++ = component(pixel, b->fields[c]);
    }
}

static bool expand_palette_row(const bmp *b, const uint8_t *raw, uint8_t *dst)
{
    for (int64_t x = 0; x < b->width; x++) {
        size_t bit = (size_t)x * (size_t)b->bits;
        size_t i = raw[bit / 8] >> (8 - b->bits - (int)(bit % 8)) & ((1 << b->bits) - 1);
        if (i >= b->entries) return false;
        const uint8_t *colour = b->palette + i * b->entry_bytes;
        for (int c = 0; c < 3; c++) *dst++ = colour[2 - c];
    }
    return true;
}

/* To writers that mean nothing by the fourth byte it is 0 everywhere. */
static bool has_alpha(const bmp *b)
{
    if (!b->alpha_unsaid) return b->fields[3].top != 0;
    for (int64_t y = 0; y < b->height; y++) {
        const uint8_t *row = b->pixels + (size_t)y * b->row_bytes;
        for (int64_t x = 0; x < b->width; x++) {
            if (component(load_le32(row + 4 * x), b->fields[3]) != 0) return true;
        }
    }
    return false;
}

static bool decode(const uint8_t *bytes, size_t n, const decode_options *opt, image *img, error *err)
{
    *img = (image){0};
    bmp b = {0};
    if (!read_header(bytes, n, opt, &b, err)) return false;
    if (b.begin > n || (n - b.begin) / b.row_bytes < (size_t)b.height) {
        return fail(err, "truncated: the BMP has too few pixels");
    }
    b.pixels = bytes + b.begin;
    int channels = has_alpha(&b) ? 4 : 3;
    if (!image_alloc(img, b.width, b.height, channels, SAT_U8, err)) return false;
    bool ok = true;
    for (int64_t y = 0; ok && y < b.height; y++) {
        const uint8_t *raw = b.pixels + (size_t)y * b.row_bytes;
        uint8_t *dst = image_row(img, b.top_down ? y : b.height - 1 - y);
        if (b.bits > 8) {
            expand_row(&b, raw, dst, channels);
        } else {
            ok = expand_palette_row(&b, raw, dst);
        }
    }
    if (ok) return true;
    image_free(img);
    return fail(err, "corrupt: the BMP's palette lacks a colour");
}

static bool holds(sat_type type, int channels, error *err)
{
    if (type != SAT_U8)
        return fail(err, "BMP holds 8-bit samples, not %s; use %s", sat_type_name(type),
                    type == SAT_F32 ? ".pfm or .hdr" : ".png or .pam");
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
    .library = stb_library, /* for writing */
    .sniff = sniff,
    .extent = extent,
    .decode = decode,
    .holds = holds,
    .encode = encode,
};
