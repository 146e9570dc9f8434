/* TGA (Truevision, "TGA File Format Specification", version 2.0, 1991): a header of 18 bytes, an identification, a
 * palette, the pixels; at the end of newer files a footer, which says where an extension area lies.
 *
 * The format has no signature, so every field of the header is checked.  Its last byte, the descriptor, has the number
 * of attribute bits in a pixel, and the corner of the first pixel.  Attribute bits are alpha, unless the extension area
 * gives them another meaning.  Bits that are not declared attributes are ignored. */
#include <stdlib.h>

#include "codec.h"
#include "row_source.h"
#include "stb.h"

enum { HEADER = 18, PALETTE = 1, COLOUR = 2, GREY = 3, RUNS = 8 /* added to the three types */ };
enum { FROM_RIGHT = 16, FROM_TOP = 32 /* of the descriptor */ };
enum { FOOTER = 26, EXTENSION = 495, ATTRIBUTES = 494 /* offset of their type in the extension area */ };
enum { LONGEST_RUN = 128 };

typedef struct header {
    int type; /* PALETTE, COLOUR or GREY */
    bool runs, from_right, from_top;
    bool attributes; /* are declared */
    bool bilevel;    /* eight pixels in a byte, the first in the highest bit; rows of whole bytes */
    unsigned width, height;
    unsigned pixel_bits, pixel_bytes; /* in the file */
    unsigned first_index, entries, entry_bits, entry_bytes;
    size_t palette, begin; /* where the palette and the pixels are */
} header;

/* The bytes of a colour of so many bits, 0 if there is none. */
static unsigned colour_bytes(unsigned bits)
{
    return bits == 15 || bits == 16 || bits == 24 || bits == 32 ? (bits + 7) / 8 : 0;
}

static bool read_header(const uint8_t *p, size_t n, header *h)
{
    enum { ATTRIBUTE_BITS = 15, INTERLEAVED = 192 };
    if (n < HEADER) return false;
    *h = (header){.type = p[2] & ~RUNS,
                  .runs = p[2] & RUNS,
                  .from_right = p[17] & FROM_RIGHT,
                  .from_top = p[17] & FROM_TOP,
                  .attributes = p[17] & ATTRIBUTE_BITS,
                  .width = load_le16(p + 12),
                  .height = load_le16(p + 14),
                  .pixel_bits = p[16],
                  .first_index = load_le16(p + 3),
                  .entries = load_le16(p + 5),
                  .palette = HEADER + (size_t)p[0]};
    bool mapped = p[1] == 1;
    if (p[1] > 1 || h->type < PALETTE || h->type > GREY || (h->type == PALETTE && !mapped)) return false;
    if (mapped) {
        h->entry_bits = p[7];
        h->entry_bytes = colour_bytes(h->entry_bits);
        if (h->entries == 0 || h->entry_bytes == 0) return false;
    } else if (h->entries != 0 || h->first_index != 0) {
        return false;
    }
    bool bytes = h->pixel_bits == 8 || h->pixel_bits == 16;
    h->bilevel = h->type == GREY && h->pixel_bits == 1 && !h->runs;
    h->pixel_bytes = h->type == COLOUR ? colour_bytes(h->pixel_bits) : bytes ? h->pixel_bits / 8 : h->bilevel ? 1 : 0;
    if (h->width == 0 || h->height == 0 || h->pixel_bytes == 0) return false;
    h->begin = h->palette + (size_t)h->entries * h->entry_bytes;
    return (p[17] & ATTRIBUTE_BITS) <= 8 && (p[17] & INTERLEAVED) == 0;
}

/* Of pixels that are not in runs. */
static size_t stored_bytes(const header *h)
{
    return h->bilevel ? ((size_t)h->width + 7) / 8 : (size_t)h->width * h->pixel_bytes;
}

static bool sniff(const uint8_t *bytes, size_t n)
{
    header h;
    return read_header(bytes, n, &h);
}

/* ---- attributes ------------------------------------------------------------------------------------ */

typedef enum attributes { NOT_ALPHA, ALPHA, PREMULTIPLIED } attributes;

/* Has a pixel, or a palette's colour, attribute bits? */
static bool has_attributes(const header *h)
{
    unsigned bits = h->type == PALETTE ? h->entry_bits : h->pixel_bits;
    return h->attributes && (h->type == GREY ? bits == 16 : bits == 16 || bits == 32);
}

/* The meaning of the attribute bits, from the extension area if the file has one. */
static bool read_attributes(byte_reader *in, const header *h, attributes *kind, error *err)
{
    static const char signature[] = "TRUEVISION-XFILE."; /* and its zero */
    enum { USEFUL = 3, USEFUL_PREMULTIPLIED = 4 };
    uint8_t footer[FOOTER], area[EXTENSION];
    *kind = has_attributes(h) ? ALPHA : NOT_ALPHA;
    if (*kind == NOT_ALPHA || in->length < FOOTER + EXTENSION) return true;
    if (!reader_read(in, in->length - FOOTER, footer, FOOTER, err)) return false;
    const uint32_t at = load_le32(footer);
    if (memcmp(footer + FOOTER - sizeof signature, signature, sizeof signature) != 0 || at < HEADER ||
        at > in->length - FOOTER - EXTENSION)
        return true;
    if (!reader_read(in, at, area, EXTENSION, err)) return false;
    if (load_le16(area) < EXTENSION) return true;
    *kind = area[ATTRIBUTES] == USEFUL ? ALPHA : area[ATTRIBUTES] == USEFUL_PREMULTIPLIED ? PREMULTIPLIED : NOT_ALPHA;
    return true;
}

/* ---- length ---------------------------------------------------------------------------------------- */

/* The end of the packets of so many pixels; NULL if it is behind `end`.  A packet is a byte and pixels.  The byte's low
 * seven bits are the count less 1.  With the highest bit set one pixel follows, and is repeated; else all follow. */
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

static bool shape(const uint8_t *bytes, size_t n, const decode_options *opt, image_shape *s)
{
    (void)opt;
    header h;
    if (!read_header(bytes, n, &h)) return false;
    *s = (image_shape){.width = h.width, .height = h.height, .channels = 4, .type = SAT_U8};
    return true;
}

/* The length of runs is known only at their end; before, the bound is packets of one pixel.  Behind pixels with
 * attribute bits, an extension area may follow.  Wrong headers are left to decode(). */
static bool extent(const uint8_t *bytes, size_t n, const decode_options *opt, uint64_t *most, error *err)
{
    header h;
    *most = n;
    if (!read_header(bytes, n, &h)) return true;
    if (!codec_size_ok(h.width, h.height, opt, err)) return false;
    uint64_t pixels = (uint64_t)h.width * h.height;
    const uint8_t *end = h.runs && h.begin <= n ? runs_end(bytes + h.begin, bytes + n, pixels, h.pixel_bytes) : NULL;
    *most =
        end ? (uint64_t)(end - bytes) : h.begin + (h.runs ? pixels * (h.pixel_bytes + 1) : stored_bytes(&h) * h.height);
    if (has_attributes(&h)) *most += SOURCE_REST_BYTES;
    return true;
}

/* Can so many bytes hold these pixels?  For runs this is a lower bound. */
static bool can_hold(const header *h, uint64_t bytes)
{
    uint64_t pixels = (uint64_t)h->width * h->height;
    if (!h->runs) return bytes / stored_bytes(h) >= h->height;
    return bytes / (1 + h->pixel_bytes) >= (pixels + LONGEST_RUN - 1) / LONGEST_RUN;
}

/* All but the pixels. */
typedef struct tga {
    header h;
    attributes kind;
    int channels;
    uint8_t *palette; /* malloc'd; or NULL */
} tga;

static bool read_palette(byte_reader *in, tga *t, error *err)
{
    const size_t bytes = (size_t)t->h.entries * t->h.entry_bytes;
    if (bytes == 0) return true;
    t->palette = malloc(bytes);
    if (!t->palette) return fail_memory(err, "out of memory: a palette of %zu bytes", bytes);
    return reader_read(in, t->h.palette, t->palette, bytes, err);
}

/* The palette is to be freed, also on false. */
static bool open_file(byte_reader *in, const decode_options *opt, tga *t, error *err)
{
    const header *h = &t->h;
    *t = (tga){0};
    if (!read_header(in->head, in->head_n, &t->h)) return fail(err, "corrupt: no TGA header");
    if (!codec_size_ok(h->width, h->height, opt, err)) return false;
    if (h->begin > in->length || !can_hold(h, in->length - h->begin))
        return fail(err, "truncated: the TGA has too few pixels");
    if (h->type == GREY && h->pixel_bits == 16 && !h->attributes)
        return fail(err, "a TGA of 16-bit grey that does not say whether half of it is alpha, which cannot be read");
    if (!read_attributes(in, h, &t->kind, err)) return false;
    t->channels = (h->type == GREY ? 1 : 3) + (t->kind != NOT_ALPHA);
    return read_palette(in, t, err);
}

/* ---- pixels ---------------------------------------------------------------------------------------- */

/* Reads pixels in runs, one after the other. */
typedef struct reader {
    const uint8_t *at, *end;
    unsigned pixel_bytes;
    unsigned left;         /* pixels of the current run */
    const uint8_t *repeat; /* its one pixel; NULL if each is stored */
} reader;

/* The next pixels into raw; a run may end in another row. */
static bool read_pixels(reader *r, uint8_t *raw, size_t pixels)
{
    while (pixels > 0) {
        if (r->left == 0) {
            if (r->at == r->end) return false;
            uint8_t head = *r->at++;
            r->left = (head & 127u) + 1;
            r->repeat = NULL;
            if (head & 128) {
                if ((size_t)(r->end - r->at) < r->pixel_bytes) return false;
                r->repeat = r->at;
                r->at += r->pixel_bytes;
            }
        }
        size_t count = r->left < pixels ? r->left : pixels, bytes = count * r->pixel_bytes;
        if (r->repeat) {
            for (size_t i = 0; i < bytes; i += r->pixel_bytes) memcpy(raw + i, r->repeat, r->pixel_bytes);
        } else {
            if ((size_t)(r->end - r->at) < bytes) return false;
            memcpy(raw, r->at, bytes);
            r->at += bytes;
        }
        raw += bytes;
        pixels -= count;
        r->left -= (unsigned)count;
    }
    return true;
}

/* Five bits to eight, rounded. */
static inline uint8_t widen(unsigned v)
{
    return (uint8_t)(((v & 31) * 255 + 15) / 31);
}

/* One colour: blue, green, red and perhaps attributes, in bytes or in five, five, five bits and one. */
static inline void expand_colour(const uint8_t *raw, unsigned bytes, bool alpha, uint8_t *dst)
{
    if (bytes == 2) {
        unsigned v = load_le16(raw);
        dst[0] = widen(v >> 10);
        dst[1] = widen(v >> 5);
        dst[2] = widen(v);
        if (alpha) dst[3] = v >> 15 ? 255 : 0;
    } else {
        dst[0] = raw[2];
        dst[1] = raw[1];
        dst[2] = raw[0];
        if (alpha) dst[3] = raw[3];
    }
}

/* A row of pixels of the file, from whichever side. */
static bool expand_row(const tga *t, const uint8_t *raw, uint8_t *row, error *err)
{
    const header *h = &t->h;
    const bool alpha = t->kind != NOT_ALPHA;
    const ptrdiff_t step = h->from_right ? -t->channels : t->channels;
    uint8_t *dst = h->from_right ? row + (size_t)(h->width - 1) * (size_t)t->channels : row;
    if (h->bilevel) {
        for (unsigned x = 0; x < h->width; x++, dst += step) *dst = raw[x / 8] >> (7 - x % 8) & 1 ? 255 : 0;
        return true;
    }
    for (unsigned x = 0; x < h->width; x++, raw += h->pixel_bytes, dst += step) {
        if (h->type == GREY) {
            dst[0] = raw[0];
            if (alpha) dst[1] = raw[1];
        } else if (h->type == COLOUR) {
            expand_colour(raw, h->pixel_bytes, alpha, dst);
        } else {
            unsigned index = h->pixel_bytes == 1 ? raw[0] : load_le16(raw);
            if (index < h->first_index || index - h->first_index >= h->entries)
                return fail(err, "corrupt: the TGA's palette lacks a colour");
            expand_colour(t->palette + (size_t)(index - h->first_index) * h->entry_bytes, h->entry_bytes, alpha, dst);
        }
    }
    return true;
}

/* Divides premultiplied colours by their alpha; black where alpha is 0. */
static void divide_by_alpha(image *img)
{
    uint8_t *pixel = img->data;
    for (int64_t i = 0; i < img->width * img->height; i++, pixel += img->channels) {
        unsigned a = pixel[img->channels - 1];
        for (int c = 0; c < img->channels - 1; c++) {
            unsigned v = a ? (pixel[c] * 255u + a / 2) / a : 0;
            pixel[c] = (uint8_t)(v < 255 ? v : 255);
        }
    }
}

static bool unpack(const row_source *s, const uint8_t *from, uint8_t *row, error *err)
{
    return expand_row(s->state, from, row, err);
}

static bool open_rows(row_source *s, const decode_options *opt, error *err)
{
    if (s->in_order) {
        s->whole = "it comes through a pipe";
        return true;
    }
    tga *t = s->state = calloc(1, sizeof *t);
    if (!t) return fail_memory(err, "out of memory: a TGA");
    if (!open_file(&s->in, opt, t, err)) return false;
    if (t->h.runs) {
        s->whole = "it is in runs";
        return true;
    }
    s->head = (image){.width = t->h.width, .height = t->h.height, .channels = t->channels, .type = SAT_U8};
    s->begin = t->h.begin;
    s->stored_bytes = stored_bytes(&t->h);
    s->upward = !t->h.from_top;
    s->apart = true;
    s->unpack = unpack;
    if (t->kind == PREMULTIPLIED)
        s->whole = "its colours are multiplied by alpha";
    else if (t->kind == ALPHA && !rows_show_alpha(s))
        s->whole = "its alpha may be 0 in every pixel";
    return true;
}

static void close_rows(row_source *s)
{
    tga *t = s->state;
    if (t) free(t->palette);
    free(t);
}

static const row_reading reads_rows = {.open = open_rows, .close = close_rows};

static bool decode_runs(const tga *t, const uint8_t *bytes, size_t n, const io_progress *progress, image *img,
                        error *err)
{
    const header *h = &t->h;
    reader r = {.at = bytes + h->begin, .end = bytes + n, .pixel_bytes = h->pixel_bytes};
    uint8_t *raw = calloc(h->width, h->pixel_bytes);
    bool ok = raw ? image_alloc(img, h->width, h->height, t->channels, SAT_U8, err) : fail(err, "out of memory");
    for (unsigned y = 0; ok && y < h->height; y++) {
        ok = read_pixels(&r, raw, h->width) || fail(err, "truncated: the TGA has too few pixels");
        ok = ok && expand_row(t, raw, image_row(img, h->from_top ? y : h->height - 1 - y), err);
        codec_rows_done(progress, y + 1, h->height);
    }
    free(raw);
    return ok;
}

/* Channels are chosen when alpha is known. */
static bool decode(const uint8_t *bytes, size_t n, const decode_options *opt, image *img, error *err)
{
    byte_reader in = reader_of_memory(bytes, n);
    decode_options all = *opt;
    tga t;
    *img = (image){0};
    all.channels = (channel_choice){0};
    bool ok = open_file(&in, opt, &t, err);
    if (ok && t.h.runs)
        ok = decode_runs(&t, bytes, n, &opt->progress, img, err);
    else if (ok)
        ok = rows_decode(&reads_rows, bytes, n, &all, img, err);
    free(t.palette);
    if (ok) codec_opaque_if_clear(img);
    if (ok && t.kind == PREMULTIPLIED) divide_by_alpha(img);
    if (!ok) image_free(img);
    return ok;
}

/* ---- writing --------------------------------------------------------------------------------------- */

static bool holds(sat_type type, int channels, error *err)
{
    (void)channels;
    if (type == SAT_U8) return true;
    return codec_cannot_hold("TGA", "u8", type, err);
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
    .library = stb_library, /* for writing */
    .sniff = sniff,
    .extent = extent,
    .shape = shape,
    .decode = decode,
    .holds = holds,
    .encode = encode,
    .reads_rows = &reads_rows,
};
