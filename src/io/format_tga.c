/* TGA through stb.  The format has no signature, so its header is read closely; and as stb does not see
 * where a file ends, this file makes sure that all pixels are there. */
#include <limits.h>

#include "codec.h"
#include "stb.h"

enum { HEADER = 18, PALETTE = 1, COLOUR = 2, GREY = 3, RUNS = 8 /* added to the three types */ };

typedef struct header {
    int type; /* PALETTE, COLOUR or GREY */
    bool runs;
    unsigned width, height;
    unsigned pixel_bytes; /* in the file */
    size_t begin;         /* where the pixels are */
} header;

/* The bytes of so many bits, 0 if a pixel of this type cannot have them. */
static unsigned bytes_of(int type, int bits)
{
    if (type == COLOUR) return bits == 15 || bits == 16 || bits == 24 || bits == 32 ? (unsigned)(bits + 7) / 8 : 0;
    return bits == 8 || bits == 16 ? (unsigned)bits / 8 : 0;
}

static bool read_header(const uint8_t *p, size_t n, header *h)
{
    if (n < HEADER) return false;
    int mapped = p[1], type = p[2] & ~RUNS;
    unsigned map_entries = load_le16(p + 5), map_bits = p[7];
    *h = (header){.type = type,
                  .runs = p[2] & RUNS,
                  .width = load_le16(p + 12),
                  .height = load_le16(p + 14),
                  .pixel_bytes = bytes_of(type, p[16])};
    if (type < PALETTE || type > GREY || mapped != (type == PALETTE)) return false;
    if (mapped && (map_entries == 0 || bytes_of(COLOUR, (int)map_bits) == 0)) return false;
    if (!mapped && (map_entries != 0 || load_le16(p + 3) != 0)) return false;
    unsigned alpha_bits = p[17] & 15, interleaved = p[17] >> 6;
    if (h->width == 0 || h->height == 0 || h->pixel_bytes == 0 || alpha_bits > 8 || interleaved != 0) return false;
    h->begin = HEADER + (size_t)p[0] + (mapped ? (size_t)map_entries * bytes_of(COLOUR, (int)map_bits) : 0);
    return true;
}

static bool sniff(const uint8_t *bytes, size_t n)
{
    header h;
    return read_header(bytes, n, &h);
}

/* Where the runs of these pixels end; NULL if they do not before `end`.  A run is a byte with its highest bit set, and
 * one pixel; else a byte and that many pixels; each 1 to 128. */
static const uint8_t *runs_end(const uint8_t *at, const uint8_t *end, uint64_t pixels, unsigned pixel_bytes)
{
    while (pixels > 0) {
        if (at == end) return NULL;
        unsigned count = (*at & 127u) + 1;
        size_t bytes = *at++ & 128 ? pixel_bytes : (size_t)count * pixel_bytes;
        if ((size_t)(end - at) < bytes) return NULL;
        at += bytes;
        pixels -= count < pixels ? count : pixels;
    }
    return at;
}

/* Runs take most when each is of one pixel, which may be far more than is there, and than stb takes: where they end is
 * looked for.  The format has no signature: what is wrong, decode() says. */
static bool extent(const uint8_t *bytes, size_t n, const decode_options *opt, uint64_t *most, error *err)
{
    header h;
    *most = n;
    if (!read_header(bytes, n, &h)) return true;
    if (!codec_size_ok(h.width, h.height, opt, err)) return false;
    uint64_t pixels = (uint64_t)h.width * h.height;
    const uint8_t *end = h.runs && h.begin <= n ? runs_end(bytes + h.begin, bytes + n, pixels, h.pixel_bytes) : NULL;
    *most = end ? (uint64_t)(end - bytes) : h.begin + pixels * (h.pixel_bytes + h.runs);
    if (*most <= INT_MAX) return true;
    if (!h.runs || n >= INT_MAX) return fail(err, "files of this format can have up to 2 GiB");
    *most = INT_MAX;
    return true;
}

static bool decode(const uint8_t *bytes, size_t n, const decode_options *opt, image *img, error *err)
{
    *img = (image){0};
    header h;
    if (!read_header(bytes, n, &h)) return fail(err, "corrupt: no TGA header");
    if (!codec_size_ok(h.width, h.height, opt, err)) return false;
    uint64_t pixels = (uint64_t)h.width * h.height;
    bool complete = h.begin <= n && (h.runs ? runs_end(bytes + h.begin, bytes + n, pixels, h.pixel_bytes) != NULL
                                            : n - h.begin >= pixels * h.pixel_bytes);
    if (!complete) return fail(err, "truncated: the TGA has too few pixels");
    return stb_decode(bytes, n, opt, img, err);
}

static bool holds(sat_type type, int channels, error *err)
{
    (void)channels;
    if (type == SAT_U8) return true;
    return fail(err, "TGA holds 8-bit samples, not %s; use %s", sat_type_name(type),
                type == SAT_F32 ? ".pfm or .hdr" : ".png or .pam");
}

static bool encode(const image *img, const encode_options *opt, sink *out, error *err)
{
    (void)opt;
    if (img->width > UINT16_MAX || img->height > UINT16_MAX) {
        return fail(err, "%lldx%lld pixels are too many for TGA, whose sides end at 65535; use .png",
                    (long long)img->width, (long long)img->height);
    }
    return stb_encode_tga(img, out, err);
}

const image_format format_tga = {
    .name = "tga",
    .extensions = "tga",
    .summary = "TGA, 8-bit, with or without alpha",
    .library = stb_library,
    .sniff = sniff,
    .extent = extent,
    .decode = decode,
    .holds = holds,
    .encode = encode,
};
