/* PBM, PGM and PPM (netpbm's man pages pbm(5), pgm(5), ppm(5)), as text (P1 P2 P3) or bytes (P4 P5 P6). */
#include <stdio.h>
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

/* Eight pixels in a byte, the leftmost in the highest bit; 1 is black.  From the left, so that the bytes may lie at the
 * row's end. */
static bool unpack_bits(const row_source *s, const uint8_t *from, uint8_t *row, error *err)
{
    (void)err;
    for (size_t x = 0, n = (size_t)s->stored.width; x < n; x++) row[x] = from[x / 8] >> (7 - x % 8) & 1 ? 0 : 255;
    return true;
}

static bool open_rows(row_source *s, const decode_options *opt, error *err)
{
    netpbm_reader r = {.at = s->in.head, .end = s->in.head + s->in.head_n};
    pnm h;
    if (!read_header(&r, &h, err)) return s->in_order ? netpbm_no_header(&r, s->in.head_n, err) : false;
    if (!codec_size_ok(h.width, h.height, opt, err)) return false;
    s->head = (image){.width = h.width, .height = h.height, .channels = h.channels, .type = type_of(&h)};
    if (h.text) {
        s->whole = "its samples are text";
        return true;
    }
    if (h.bits) {
        s->stored_bytes = ((size_t)h.width + 7) / 8;
        s->unpack = unpack_bits;
    }
    return netpbm_rows(s, (uint64_t)(r.at - s->in.head), h.maxval, err);
}

static const row_reading reads_rows = {.open = open_rows, .end = rows_end};

static bool decode(const uint8_t *bytes, size_t n, const decode_options *opt, image *img, error *err)
{
    netpbm_reader r = {.at = bytes, .end = bytes + n};
    pnm h;
    *img = (image){0};
    if (!read_header(&r, &h, err)) return false;
    if (!h.text) return rows_decode(&reads_rows, bytes, n, opt, img, err);
    bool ok = codec_size_ok(h.width, h.height, opt, err) && netpbm_has(&r, h.least, err) &&
              image_alloc(img, h.width, h.height, h.channels, type_of(&h), err) &&
              decode_text(&r, img, h.maxval, h.bits, &opt->progress, err) && netpbm_ends(&r, bytes, true, err) &&
              image_choose_channels(img, &opt->channels, err);
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
static void pack_bits(const row_sink *s, const uint8_t *row, uint8_t *packed)
{
    codec_pack_bits(packed, row, (size_t)s->head->width, 0);
}

static bool begin(row_sink *s, error *err)
{
    const image *img = s->head;
    char text[64];
    int n = snprintf(text, sizeof text, "P%d\n%lld %lld\n",
                     img->bilevel         ? 4
                     : img->channels == 1 ? 5
                                          : 6,
                     (long long)img->width, (long long)img->height);
    netpbm_pack_samples(s);
    if (img->bilevel) {
        s->pack = pack_bits;
        s->packed_bytes = ((size_t)img->width + 7) / 8;
    } else {
        n += snprintf(text + n, sizeof text - (size_t)n, "%d\n", img->type == SAT_U16 ? UINT16_MAX : UINT8_MAX);
    }
    return sink_write(s->out, text, (size_t)n, err);
}

static const row_writing writes_rows = {.begin = begin};

static bool encode(const image *img, const encode_options *opt, sink *out, error *err)
{
    return rows_encode(&format_pnm, img, opt, out, err);
}

const image_format format_pnm = {
    .name = "pnm",
    .extensions = "ppm pgm pnm pbm",
    .summary = "PBM, PGM and PPM, 8-bit and 16-bit grey and RGB",
    .sniff = sniff,
    .extent = extent,
    .shape = shape,
    .decode = decode,
    .chooses = true,
    .alone = true,
    .holds = holds,
    .promises = promises,
    .encode = encode,
    .bilevel = "pbm",
    .reads_rows = &reads_rows,
    .writes_rows = &writes_rows,
};
