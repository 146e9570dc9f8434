/* PBM, PGM and PPM (netpbm's man pages pbm(5), pgm(5), ppm(5)), as text (P1 P2 P3) or bytes (P4 P5 P6). */
#include <stdio.h>
#include <stdlib.h>
#include <strings.h>

#include "codec.h"
#include "netpbm.h"

static bool sniff(const uint8_t *bytes, size_t n)
{
    return n >= 3 && bytes[0] == 'P' && bytes[1] >= '1' && bytes[1] <= '6' &&
           (netpbm_is_space(bytes[2]) || bytes[2] == '#');
}

static bool decode_text(netpbm_reader *r, image *img, unsigned maxval, bool bits, const io_progress *progress,
                        error *err)
{
    for (int64_t y = 0; y < img->height; y++) {
        uint8_t *row = image_row(img, y);
        for (size_t i = 0, n = (size_t)img->width * (size_t)img->channels; i < n; i++) {
            unsigned v;
            if (bits ? !netpbm_bit(r, &v, err) : !netpbm_number(r, maxval, &v, err)) return false;
            if (bits) v = 1 - v;
            netpbm_store(img, row, i, v, maxval);
        }
        codec_rows_done(progress, y + 1, img->height);
    }
    return true;
}

/* Eight pixels in a byte, the leftmost in the highest bit; 1 is black. */
static void decode_bits(const uint8_t *bytes, image *img, const io_progress *progress)
{
    size_t raw = ((size_t)img->width + 7) / 8;
    for (int64_t y = 0; y < img->height; y++, bytes += raw) {
        uint8_t *row = image_row(img, y);
        for (size_t x = 0; x < (size_t)img->width; x++) row[x] = bytes[x / 8] >> (7 - x % 8) & 1 ? 0 : 255;
        codec_rows_done(progress, y + 1, img->height);
    }
}

typedef struct pnm {
    bool text, bits;
    int channels;
    unsigned width, height, maxval;
    uint64_t samples, least; /* number of samples; the least number of their bytes, exact if not text */
} pnm;

static bool read_header(netpbm_reader *r, pnm *h, error *err)
{
    int kind = r->at[1] - '0';
    r->at += 2;
    *h = (pnm){
        .text = kind <= 3, .bits = kind == 1 || kind == 4, .channels = kind == 3 || kind == 6 ? 3 : 1, .maxval = 1};
    if (!netpbm_number(r, NETPBM_LARGEST_SIDE, &h->width, err) ||
        !netpbm_number(r, NETPBM_LARGEST_SIDE, &h->height, err) ||
        (!h->bits && !netpbm_number(r, UINT16_MAX, &h->maxval, err))) {
        return false;
    }
    if (h->maxval == 0) return fail(err, "corrupt: the largest sample value is 0");

    h->samples = (uint64_t)h->width * h->height * (unsigned)h->channels;
    h->least = h->samples; /* bytes: P1 needs no spaces */
    if (h->text && !h->bits) h->least = 2 * h->samples - 1;
    if (kind == 4) h->least = ((uint64_t)h->width + 7) / 8 * h->height;
    if (!h->text && h->maxval > UINT8_MAX) h->least = 2 * h->samples;
    return h->text || netpbm_one_space(r, err);
}

/* Text has up to five digits for a sample; the rest is white space, perhaps in columns, and a comment or two. */
static bool extent(const uint8_t *bytes, size_t n, const decode_options *opt, uint64_t *most, error *err)
{
    enum { TEXT_BYTES = 64, COMMENT_BYTES = 1 << 20 };
    netpbm_reader r = {.at = bytes, .end = bytes + n};
    pnm h;
    if (!read_header(&r, &h, err)) return netpbm_no_header(&r, n, err);
    if (!codec_size_ok(h.width, h.height, opt, err)) return false;
    *most = (uint64_t)(r.at - bytes) + (h.text ? h.samples * TEXT_BYTES + COMMENT_BYTES : h.least);
    return true;
}

static sat_type type_of(const pnm *h)
{
    return h->maxval > UINT8_MAX ? SAT_U16 : SAT_U8;
}

static bool shape(const uint8_t *bytes, size_t n, const decode_options *opt, image_shape *s)
{
    (void)opt;
    netpbm_reader r = {.at = bytes, .end = bytes + n};
    pnm h;
    error unused;
    if (!read_header(&r, &h, &unused)) return false;
    *s = (image_shape){
        .width = h.width, .height = h.height, .channels = h.channels, .type = type_of(&h), .raw = !h.text};
    return true;
}

static bool decode(const uint8_t *bytes, size_t n, const decode_options *opt, image *img, error *err)
{
    *img = (image){0};
    netpbm_reader r = {.at = bytes, .end = bytes + n};
    pnm h;
    if (!read_header(&r, &h, err) || !codec_size_ok(h.width, h.height, opt, err) || !netpbm_has(&r, h.least, err))
        return false;
    if (!image_alloc(img, h.width, h.height, h.channels, type_of(&h), err)) return false;

    bool ok;
    if (h.text) {
        ok = decode_text(&r, img, h.maxval, h.bits, &opt->progress, err);
    } else if (h.bits) {
        ok = true;
        decode_bits(r.at, img, &opt->progress);
    } else {
        ok = netpbm_samples(r.at, img, h.maxval, &opt->progress, err);
    }
    if (!h.text) r.at += h.least;
    ok = ok && netpbm_ends(&r, bytes, h.text, err);
    if (!ok) image_free(img);
    return ok;
}

static bool holds(sat_type type, int channels, error *err)
{
    if (type != SAT_U8 && type != SAT_U16) return codec_cannot_hold("PNM", "u8 and u16", type, err);
    if (channels == 2 || channels == 4) return fail(err, "PNM holds no alpha");
    return true;
}

/* Grey is allowed as .ppm: readers of PPM read PGM too (ppm(5)). */
static bool promises(const char *extension, int channels, error *err)
{
    if (strcasecmp(extension, "pbm") == 0)
        return fail(err, "PBM holds black and white alone; use .%s", channels == 1 ? "pgm" : "ppm");
    if (strcasecmp(extension, "pgm") == 0 && channels == 3) return fail(err, "PGM holds grey, not RGB; use .ppm");
    return true;
}

/* 1 is black. */
static bool encode_bits(const image *img, const encode_options *opt, sink *out, error *err)
{
    char header[64];
    const size_t bytes = ((size_t)img->width + 7) / 8;
    const int n = snprintf(header, sizeof header, "P4\n%lld %lld\n", (long long)img->width, (long long)img->height);
    uint8_t *row = malloc(bytes);
    if (!row) return fail(err, "out of memory: a row of %zu bytes", bytes);
    bool ok = sink_write(out, header, (size_t)n, err);
    for (int64_t y = 0; ok && y < img->height; y++) {
        codec_pack_bits(row, image_row(img, y), (size_t)img->width, 0);
        ok = sink_write(out, row, bytes, err);
        codec_rows_done(&opt->progress, y + 1, img->height);
    }
    free(row);
    return ok;
}

static bool encode(const image *img, const encode_options *opt, sink *out, error *err)
{
    char header[64];
    if (img->bilevel) return encode_bits(img, opt, out, err);
    int n = snprintf(header, sizeof header, "P%d\n%lld %lld\n%d\n", img->channels == 1 ? 5 : 6, (long long)img->width,
                     (long long)img->height, img->type == SAT_U16 ? UINT16_MAX : UINT8_MAX);
    return sink_write(out, header, (size_t)n, err) && netpbm_write_samples(img, &opt->progress, out, err);
}

const image_format format_pnm = {
    .name = "pnm",
    .extensions = "ppm pgm pnm pbm",
    .summary = "PBM, PGM and PPM, 8-bit and 16-bit grey and RGB",
    .sniff = sniff,
    .extent = extent,
    .shape = shape,
    .decode = decode,
    .alone = true,
    .holds = holds,
    .promises = promises,
    .encode = encode,
    .bilevel = "pbm",
};
