#include "png.h"

#include <libdeflate.h>
#include "codec.h"
#include "exif.h"

const uint8_t png_signature[PNG_SIGNATURE] = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'};

typedef struct chunk {
    const uint8_t *type, *data;
    uint32_t n;
} chunk;

static bool is(const chunk *c, const char *type)
{
    return memcmp(c->type, type, 4) == 0;
}

static bool has_name(const chunk *c)
{
    for (int i = 0; i < 4; i++) {
        uint8_t letter = c->type[i] | 0x20;
        if (letter < 'a' || letter > 'z') return false;
    }
    return true;
}

/* Can it be dropped without an effect on the pixels or their orientation? */
static bool is_dispensable(const chunk *c)
{
    return (c->type[0] & 0x20) && !is(c, "tRNS") && !is(c, "eXIf");
}

/* The next chunk.  One with a wrong CRC is skipped if it is dispensable, as by other readers, else refused. */
static bool next_chunk(const uint8_t **at, const uint8_t *end, chunk *c, error *err)
{
    for (;;) {
        size_t left = (size_t)(end - *at);
        if (left == 0) return fail(err, "truncated: the PNG has no IEND chunk");
        if (left < PNG_CHUNK_OVERHEAD) return fail(err, "truncated: the file ends inside a PNG chunk");
        *c = (chunk){.type = *at + 4, .data = *at + PNG_CHUNK_HEAD, .n = load_be32(*at)};
        if (!has_name(c)) return fail(err, "corrupt: a PNG chunk's type is not four letters");
        if (c->n > left - PNG_CHUNK_OVERHEAD)
            return fail(err, "truncated: the file ends inside a PNG %.4s chunk", c->type);
        *at = c->data + c->n + 4;
        if (libdeflate_crc32(0, c->type, (size_t)c->n + 4) == load_be32(c->data + c->n)) return true;
        if (!is_dispensable(c)) return fail(err, "corrupt: the CRC of a PNG %.4s chunk is wrong", c->type);
    }
}

static bool depth_allowed(int colour, int depth)
{
    switch (colour) {
    case PNG_COLOUR_GREY: return depth == 1 || depth == 2 || depth == 4 || depth == 8 || depth == 16;
    case PNG_COLOUR_PALETTE: return depth == 1 || depth == 2 || depth == 4 || depth == 8;
    case PNG_COLOUR_RGB:
    case PNG_COLOUR_GREY_ALPHA:
    case PNG_COLOUR_RGBA: return depth == 8 || depth == 16;
    default: return false;
    }
}

static bool read_header(const chunk *c, const decode_options *opt, png_chunks *png, error *err)
{
    if (!is(c, "IHDR") || c->n != 13) return fail(err, "corrupt: the PNG does not begin with an IHDR chunk");
    const uint8_t *p = c->data;
    *png = (png_chunks){.width = load_be32(p), .height = load_be32(p + 4), .depth = p[8], .colour = p[9]};
    if (png->width > INT32_MAX || png->height > INT32_MAX) return fail(err, "corrupt: the PNG's size is over 2^31 - 1");
    if (!depth_allowed(png->colour, png->depth)) {
        return fail(err, "corrupt: PNG colour type %d with %d bits does not exist", png->colour, png->depth);
    }
    if (p[10] != 0 || p[11] != 0 || p[12] > 1) return fail(err, "corrupt: unknown PNG compression or interlace method");
    png->interlaced = p[12] == 1;
    return codec_size_ok(png->width, png->height, opt, err);
}

/* In other colour types the palette is a suggestion for display, and ignored. */
static bool read_palette(const chunk *c, png_chunks *png, error *err)
{
    if (png->colour != PNG_COLOUR_PALETTE) return true;
    if (png->palette) return fail(err, "corrupt: the PNG has two palettes");
    if (c->n == 0 || c->n % 3 != 0 || c->n > 3 * 256) return fail(err, "corrupt: the PNG's palette has a wrong size");
    png->palette = c->data;
    png->palette_entries = c->n / 3;
    return true;
}

static bool read_transparency(const chunk *c, png_chunks *png, error *err)
{
    bool right = png->colour == PNG_COLOUR_GREY      ? c->n == 2
                 : png->colour == PNG_COLOUR_RGB     ? c->n == 6
                 : png->colour == PNG_COLOUR_PALETTE ? png->palette != NULL
                                                     : false;
    if (!right) return fail(err, "corrupt: the PNG's tRNS chunk does not fit its colour type");
    png->transparency = c->data;
    png->transparency_bytes = c->n;
    return true;
}

static bool read_image_data(const chunk *c, const uint8_t *end, png_chunks *png, error *err)
{
    const uint8_t *begin = c->data - PNG_CHUNK_HEAD;
    if (!png->first_idat) {
        png->first_idat = begin;
    } else if (png->idat_end != begin) {
        return fail(err, "corrupt: the PNG's IDAT chunks do not follow one another");
    }
    png->idat_end = end;
    png->idat_bytes += c->n;
    return true;
}

/* An upper bound of a file's length.  Deflate makes at most 9 bits of a byte; any encoder is below 16 bits, and a chunk
 * with an empty block for each row.  OTHER_BYTES are for text, profile and private chunks. */
static uint64_t longest(const png_chunks *png)
{
    enum { OTHER_BYTES = 64 << 20, ROW_BYTES = 128 };
    uint64_t bytes;
    if (__builtin_mul_overflow(png_raw_bytes(png), 2, &bytes) ||
        __builtin_add_overflow(bytes, (uint64_t)png->height * ROW_BYTES + OTHER_BYTES, &bytes))
        return UINT64_MAX;
    return bytes;
}

bool png_shape(const uint8_t *bytes, size_t n, const decode_options *opt, image_shape *s)
{
    (void)opt;
    const uint8_t *at = bytes + PNG_SIGNATURE, *end = bytes + n;
    chunk c = {.type = bytes};
    png_chunks png;
    error unused;
    if (!next_chunk(&at, end, &c, &unused) || !read_header(&c, &codec_any_size, &png, &unused)) return false;
    while (next_chunk(&at, end, &c, &unused) && !is(&c, "IDAT"))
        if (is(&c, "tRNS")) png.transparency = c.data;
    if (!is(&c, "IDAT")) png.transparency = c.data; /* the bytes end before the pixels: tRNS may follow */
    *s = (image_shape){.width = png.width,
                       .height = png.height,
                       .channels = png_channels(&png),
                       .type = png.depth == 16 ? SAT_U16 : SAT_U8,
                       .turns = true};
    return true;
}

bool png_extent(const uint8_t *bytes, size_t n, const decode_options *opt, uint64_t *most, error *err)
{
    const uint8_t *at = bytes + PNG_SIGNATURE, *end = bytes + n;
    chunk c = {.type = bytes};
    png_chunks png;
    if (!next_chunk(&at, end, &c, err) || !read_header(&c, opt, &png, err)) return false;
    uint64_t limit = longest(&png);
    while (end - at >= PNG_CHUNK_HEAD) {
        c = (chunk){.type = at + 4, .n = load_be32(at)};
        *most = n;
        if (!has_name(&c)) return true;
        *most = (uint64_t)(at - bytes) + PNG_CHUNK_OVERHEAD + c.n;
        if (*most > limit) return codec_too_long("PNG", limit, err);
        if (is(&c, "IEND")) return true;
        if (*most > n) break;
        at = bytes + *most;
    }
    *most = limit;
    return true;
}

bool png_read_chunks(const uint8_t *bytes, size_t n, const decode_options *opt, png_chunks *png, image_meta *meta,
                     error *err)
{
    const uint8_t *at = bytes + PNG_SIGNATURE, *end = bytes + n;
    chunk c = {.type = bytes};
    if (n < PNG_SIGNATURE) return fail(err, "truncated: the file ends inside the PNG signature");
    if (!next_chunk(&at, end, &c, err) || !read_header(&c, opt, png, err)) return false;
    for (;;) {
        if (!next_chunk(&at, end, &c, err)) return false;
        bool ok = true;
        if (is(&c, "IEND")) break;
        if (is(&c, "IDAT")) {
            ok = read_image_data(&c, at, png, err);
        } else if (png->first_idat && (is(&c, "PLTE") || is(&c, "tRNS"))) {
            continue; /* out of place: libpng ignores them too */
        } else if (is(&c, "PLTE")) {
            ok = read_palette(&c, png, err);
        } else if (is(&c, "tRNS")) {
            ok = read_transparency(&c, png, err);
        } else if (!(c.type[0] & 0x20)) {
            ok = fail(err, "the PNG has a critical chunk %.4s, which is unknown", c.type);
        } else {
            ok = png_read_meta(c.data - PNG_CHUNK_HEAD, c.n, png->first_idat == NULL, meta, err);
        }
        if (!ok) return false;
    }
    if (png->colour == PNG_COLOUR_PALETTE && !png->palette) return fail(err, "corrupt: the PNG's palette is missing");
    if (!png->first_idat) return fail(err, "corrupt: the PNG has no IDAT chunk");
    if (meta->x_per_metre == 0) exif_resolution(&meta->blocks[META_EXIF], &meta->x_per_metre, &meta->y_per_metre);
    return true;
}
