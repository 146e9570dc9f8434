/* tiff_maker.h - TIFFs of every depth, meaning, order and layout of samples, made without libtiff, and the pixels that
 * the specification gives them. */
#ifndef TIFF_MAKER_H
#define TIFF_MAKER_H

#include <math.h>

#include "codec_test.h"

enum { WIDTH = 21, HEIGHT = 19, TILE = 16, MOST = 1 << 16, HEADER = 16, MOST_SAMPLES = 8 };
enum { WHITE = 0, BLACK = 1, RGB = 2, PALETTE = 3, CMYK = 5 };
enum { NO_EXTRA = -1, UNNAMED = 0, PREMULTIPLIED = 1, ALPHA = 2 };
enum { JPEG = 7, DEFLATE = 8, PACKBITS = 32773 };
enum { ASCII = 2, SHORT = 3, LONG = 4, LONG8 = 16 };

typedef struct kind {
    int bits, photometric, extra;
    bool planar, tiled, last_first, big;
    int compression, format; /* 0: none, and unsigned or of 32 bits float */
    int rows, width;         /* of a strip, of the image; 0: 4, WIDTH */
    bool differences;        /* to the sample on the left */
    bool of_bytes;           /* the same of the bytes of floats, the highest of all samples first */
    int more_rows;           /* in the last strip, behind the image */
    int before, behind;      /* unnamed samples in front of `extra`, and behind it */
    int orientation;         /* 0: the file does not say */
    const char *nodata;      /* GDAL's tag, or NULL */
} kind;

typedef struct tiff {
    kind k;
    uint8_t bytes[MOST];
    size_t n;
    int entries;
    uint32_t values[WIDTH * HEIGHT * MOST_SAMPLES];
} tiff;

static inline int colours(const kind *k)
{
    return k->photometric == RGB ? 3 : 1;
}

static inline int extras(const kind *k)
{
    return k->before + (k->extra != NO_EXTRA) + k->behind;
}

static inline int samples(const kind *k)
{
    return colours(k) + extras(k);
}

static inline void put_at(tiff *t, size_t at, uint64_t value, int bytes)
{
    for (int i = 0; i < bytes; i++)
        t->bytes[at + (size_t)(t->k.last_first ? i : bytes - 1 - i)] = (uint8_t)(value >> 8 * i);
}

static inline void put(tiff *t, uint64_t value, int bytes)
{
    put_at(t, t->n, value, bytes);
    t->n += (size_t)bytes;
}

/* Values are written behind the directory, and their offset into it. */
typedef struct field {
    unsigned tag, type, count;
    uint64_t values[1024];
} field;

static inline void put_directory(tiff *t, const field *fields, int count)
{
    int word = t->k.big ? 8 : 4;
    size_t end = t->n + (size_t)(t->k.big ? 8 + 20 * count + 8 : 2 + 12 * count + 4);
    put(t, (uint64_t)count, t->k.big ? 8 : 2);
    for (int i = 0; i < count; i++) {
        const field *f = &fields[i];
        int size = f->type == ASCII ? 1 : f->type == SHORT ? 2 : f->type == LONG ? 4 : 8;
        put(t, f->tag, 2);
        put(t, f->type, 2);
        put(t, f->count, word);
        size_t at = t->n, bytes = f->count * (size_t)size;
        if (bytes > (size_t)word) {
            put_at(t, at, end, word);
            at = end;
            end += bytes;
        }
        for (unsigned v = 0; v < f->count; v++) put_at(t, at + v * (size_t)size, f->values[v], size);
        t->n += (size_t)word;
    }
    put(t, 0, word);
    t->n = end;
}

/* Rows of `samples` of four bytes that begin at `at`: Adobe's Technical Note 3. */
static inline void split_bytes(tiff *t, size_t at, int samples, int step)
{
    uint8_t row[1 << 12];
    const int bytes = 4 * samples;
    for (; at < t->n; at += (size_t)bytes) {
        for (int i = 0; i < bytes; i++)
            row[(t->k.last_first ? 3 - i % 4 : i % 4) * samples + i / 4] = t->bytes[at + (size_t)i];
        for (int i = bytes - 1; i >= step; i--) row[i] = (uint8_t)(row[i] - row[i - step]);
        memcpy(t->bytes + at, row, (size_t)bytes);
    }
}

/* One tile or strip of these columns and rows, of samples first to last; behind the image's edge are ones. */
static inline void put_block(tiff *t, int x0, int y0, int width, int height, int first, int last)
{
    const kind *k = &t->k;
    int image_width = k->width ? k->width : WIDTH;
    for (int y = y0; y < y0 + height; y++) {
        int used = 0;
        for (int x = x0; x < x0 + width; x++) {
            for (int s = first; s <= last; s++) {
                bool inside = x < image_width && y < HEIGHT;
                uint32_t v = inside ? t->values[(y * image_width + x) * samples(k) + s] : UINT32_MAX;
                if (k->differences && x > x0)
                    v -= x <= image_width && y < HEIGHT ? t->values[(y * image_width + x - 1) * samples(k) + s]
                                                        : UINT32_MAX;
                if (k->bits >= 16) {
                    put(t, v, k->bits / 8);
                    continue;
                }
                for (int b = k->bits - 1; b >= 0; b--, used++) {
                    if (used % 8 == 0) t->bytes[t->n++] = 0;
                    t->bytes[t->n - 1] |= (uint8_t)((v >> b & 1) << (7 - used % 8));
                }
            }
        }
    }
}

/* What begins at `at` becomes a stream of one stored block (RFC 1950 and 1951). */
static inline void deflate_from(tiff *t, size_t at)
{
    enum { HEAD = 7 };
    size_t n = t->n - at;
    uint32_t a = 1, b = 0;
    assert_in_range(n, 1, UINT16_MAX);
    for (size_t i = at; i < t->n; i++) {
        a = (a + t->bytes[i]) % 65521;
        b = (b + a) % 65521;
    }
    memmove(t->bytes + at + HEAD, t->bytes + at, n);
    uint8_t head[HEAD] = {0x78, 0x01, 0x01, (uint8_t)n, (uint8_t)(n >> 8), (uint8_t)~n, (uint8_t)(~n >> 8)};
    memcpy(t->bytes + at, head, HEAD);
    t->n += HEAD;
    for (int i = 0; i < 4; i++) t->bytes[t->n++] = (uint8_t)((i < 2 ? b : a) >> (i % 2 ? 0 : 8));
}

/* Packets of up to 128 bytes as they are, each behind their number less 1 (TIFF 6.0, section 9). */
static inline void pack_from(tiff *t, size_t at)
{
    static uint8_t whole[MOST];
    size_t n = t->n - at;
    memcpy(whole, t->bytes + at, n);
    t->n = at;
    for (size_t done = 0, count; done < n; done += count) {
        count = n - done < 128 ? n - done : 128;
        t->bytes[t->n++] = (uint8_t)(count - 1);
        memcpy(t->bytes + t->n, whole + done, count);
        t->n += count;
    }
}

static inline void make(tiff *t, const kind *k)
{
    static field f[16];
    int n = 0, planes = k->planar ? samples(k) : 1, rows = k->rows ? k->rows : 4, width = k->width ? k->width : WIDTH;
    uint32_t seed = 3;
    memset(t, 0, sizeof *t);
    t->k = *k;
    for (int i = 0; i < width * HEIGHT * samples(k); i++) {
        float real = (float)(next_random(&seed) % 1000) / 8;
        t->values[i] = next_random(&seed) & (k->bits < 32 ? (1u << k->bits) - 1 : 0);
        if (k->bits == 32) memcpy(&t->values[i], &real, sizeof real);
    }
    t->bytes[0] = t->bytes[1] = k->last_first ? 'I' : 'M';
    t->n = HEADER;
    field offsets = {.tag = k->tiled ? 324 : 273, .type = LONG}, counts = {.tag = k->tiled ? 325 : 279, .type = LONG};
    for (int p = 0; p < planes; p++) {
        for (int y = 0; y < HEIGHT; y += k->tiled ? TILE : rows) {
            for (int x = 0; x < (k->tiled ? width : 1); x += TILE) {
                size_t at = t->n;
                int height = k->tiled ? TILE : HEIGHT - y < rows ? HEIGHT - y + k->more_rows : rows;
                put_block(t, x, y, k->tiled ? TILE : width, height, k->planar ? p : 0, k->planar ? p : samples(k) - 1);
                const int step = k->planar ? 1 : samples(k);
                if (k->of_bytes) split_bytes(t, at, (k->tiled ? TILE : width) * step, step);
                if (k->compression == DEFLATE) deflate_from(t, at);
                if (k->compression == PACKBITS) pack_from(t, at);
                offsets.values[offsets.count++] = at;
                counts.values[counts.count++] = t->n - at;
            }
        }
    }
    put_at(t, 2, k->big ? 43 : 42, 2);
    if (k->big) {
        put_at(t, 4, 8, 2);
        put_at(t, 8, t->n, 8);
    } else {
        put_at(t, 4, t->n, 4);
    }
#define FIELD(...) f[n++] = (field){__VA_ARGS__}
    FIELD(256, SHORT, 1, {(uint64_t)width});
    FIELD(257, SHORT, 1, {HEIGHT});
    uint64_t b = (uint64_t)k->bits;
    FIELD(258, SHORT, (unsigned)samples(k), {b, b, b, b, b, b, b, b});
    FIELD(259, SHORT, 1, {k->compression ? (uint64_t)k->compression : 1});
    FIELD(262, SHORT, 1, {(uint64_t)k->photometric});
    if (!k->tiled) f[n++] = offsets;
    if (k->orientation) FIELD(274, SHORT, 1, {(uint64_t)k->orientation});
    FIELD(277, SHORT, 1, {(uint64_t)samples(k)});
    if (!k->tiled) {
        FIELD(278, SHORT, 1, {(uint64_t)rows});
        f[n++] = counts;
    }
    FIELD(284, SHORT, 1, {k->planar ? 2 : 1});
    if (k->differences || k->of_bytes) FIELD(317, SHORT, 1, {k->of_bytes ? 3 : 2});
    if (k->photometric == PALETTE) {
        f[n] = (field){320, SHORT, 3u << k->bits, {0}};
        for (unsigned i = 0; i < f[n].count; i++) f[n].values[i] = i * 6007 % 256 * 257;
        n++;
    }
    if (k->tiled) {
        FIELD(322, SHORT, 1, {TILE});
        FIELD(323, SHORT, 1, {TILE});
        f[n++] = offsets;
        f[n++] = counts;
    }
    if (extras(k) > 0) FIELD(338, SHORT, (unsigned)extras(k), {0});
    if (k->extra > UNNAMED) f[n - 1].values[k->before] = (uint64_t)k->extra;
    uint64_t format = k->format ? (uint64_t)k->format : k->bits == 32 ? 3 : 1;
    FIELD(339, SHORT, (unsigned)samples(k), {format, format, format, format, format, format, format, format});
    if (k->nodata) {
        FIELD(42113, ASCII, (unsigned)strlen(k->nodata) + 1, {0});
        for (unsigned i = 0; i < f[n - 1].count; i++) f[n - 1].values[i] = (uint8_t)k->nodata[i];
    }
    put_directory(t, f, n);
}

/* The value of a sample: a share of its range, to 8 or 16 bits. */
static inline double value_of(const kind *k, uint32_t v)
{
    float real;
    if (k->bits == 32) return memcpy(&real, &v, sizeof real), (double)real;
    double top = k->bits <= 8 ? 255 : 65535;
    return floor(v * top / ((1u << k->bits) - 1) + 0.5);
}

static inline double wanted(const tiff *t, int i, int c)
{
    const kind *k = &t->k;
    const uint32_t *pixel = &t->values[i * samples(k)];
    if (k->photometric == PALETTE) return ((pixel[0] + (uint32_t)c * (1u << k->bits)) * 6007 % 256 * 257) / 257;
    if (c == colours(k)) return value_of(k, pixel[c + k->before]);
    double v = value_of(k, pixel[c]), top = k->bits <= 8 ? 255 : k->bits <= 16 ? 65535 : 1;
    if (k->photometric == WHITE) v = top - v;
    if (k->extra != PREMULTIPLIED) return v;
    double a = value_of(k, pixel[colours(k) + k->before]);
    if (k->bits == 32) return a == 0 ? 0 : (double)((float)v / (float)a);
    return a == 0 ? 0 : fmin(floor(v * top / a + 0.5), top);
}

static inline double got(const image *img, int i)
{
    if (img->type == SAT_U8) return ((const uint8_t *)img->data)[i];
    if (img->type == SAT_U16) return ((const uint16_t *)img->data)[i];
    return (double)((const float *)img->data)[i];
}

/* channel: -1, all of them; else the one that is read, or a band behind those. */
static inline void check_pixels(const tiff *t, const image *img, int channels, int channel)
{
    const kind *k = &t->k;
    assert_int_equal(img->channels, channel < 0 ? channels : 1);
    assert_int_equal(img->width, WIDTH);
    assert_int_equal(img->height, HEIGHT);
    assert_int_equal(img->type, k->bits <= 8 ? SAT_U8 : k->bits <= 16 ? SAT_U16 : SAT_F32);
    for (int i = 0; i < WIDTH * HEIGHT * img->channels; i++) {
        const int pixel = i / img->channels, c = channel < 0 ? i % img->channels : channel;
        double want = c < channels ? wanted(t, pixel, c) : value_of(k, t->values[pixel * samples(k) + c]);
        if (got(img, i) != want)
            fail_msg("%d bits, photometric %d, extra %d, channel %d, sample %d: %g, not %g", k->bits, k->photometric,
                     k->extra, channel, i, got(img, i), want);
    }
}

static inline void check(const kind *k)
{
    static tiff t;
    image img;
    error err;
    make(&t, k);
    if (!decode_exactly(t.bytes, t.n, &plain, &img, &err))
        fail_msg("%d bits, photometric %d: %s", k->bits, k->photometric, err.text);
    int channels = k->photometric == PALETTE ? 3 : colours(k) + (k->extra == ALPHA || k->extra == PREMULTIPLIED);
    check_pixels(&t, &img, channels, -1);
    image_free(&img);
}

static inline void refused(const tiff *t, const decode_options *opt, const char *words)
{
    image img;
    error err;
    if (decode_exactly(t->bytes, t->n, opt, &img, &err))
        fail_msg("not refused: %s; %lldx%lld", words, (long long)img.width, (long long)img.height);
    if (!strstr(err.text, words)) fail_msg("%s, not %s", err.text, words);
}

/* Where the value of a tag stands that is in the directory. */
static inline size_t value_at(const tiff *t, unsigned tag)
{
    size_t at = (size_t)t->bytes[7] << 0 | (size_t)t->bytes[6] << 8;
    for (int i = t->bytes[at + 1]; i > 0; i--) {
        size_t entry = at + 2 + 12 * (size_t)(i - 1);
        if ((unsigned)(t->bytes[entry] << 8 | t->bytes[entry + 1]) == tag) return entry + 8;
    }
    fail_msg("no tag %u", tag);
    return 0;
}

/* The place of the first offset of a strip or tile, or of the first size. */
static inline size_t first_at(const tiff *t, unsigned tag)
{
    size_t value = value_at(t, tag), at = 0;
    for (int i = 0; i < 4; i++) at = at << 8 | t->bytes[value + (size_t)i];
    return at;
}

/* A strip or tile, of several, is no longer in the file. */
static inline void leave_out(tiff *t, int block)
{
    put_at(t, first_at(t, t->k.tiled ? 324 : 273) + 4 * (size_t)block, 0, 4);
    put_at(t, first_at(t, t->k.tiled ? 325 : 279) + 4 * (size_t)block, 0, 4);
}

#endif
