/* TIFF: every depth, meaning, order and layout of samples decodes to the pixels that the specification says; what
 * cannot be read is refused in words.  The files are made here, without libtiff; other tests read those of other
 * software. */
#include <math.h>

#include "codec_test.h"

enum { WIDTH = 21, HEIGHT = 19, TILE = 16, MOST = 1 << 16, HEADER = 16 };
enum { WHITE = 0, BLACK = 1, RGB = 2, PALETTE = 3, CMYK = 5 };
enum { NO_EXTRA = -1, UNNAMED = 0, PREMULTIPLIED = 1, ALPHA = 2 };
enum { SHORT = 3, LONG = 4, LONG8 = 16 };

typedef struct kind {
    int bits, photometric, extra;
    bool planar, tiled, last_first, big;
    int compression, format; /* 0: none, and unsigned or of 32 bits float */
    int rows, width;         /* of a strip, of the image; 0: 4, WIDTH */
} kind;

typedef struct tiff {
    kind k;
    uint8_t bytes[MOST];
    size_t n;
    int entries;
    uint32_t values[WIDTH * HEIGHT * 4];
} tiff;

static int colours(const kind *k)
{
    return k->photometric == RGB ? 3 : 1;
}

static int samples(const kind *k)
{
    return colours(k) + (k->extra != NO_EXTRA);
}

static void put_at(tiff *t, size_t at, uint64_t value, int bytes)
{
    for (int i = 0; i < bytes; i++)
        t->bytes[at + (size_t)(t->k.last_first ? i : bytes - 1 - i)] = (uint8_t)(value >> 8 * i);
}

static void put(tiff *t, uint64_t value, int bytes)
{
    put_at(t, t->n, value, bytes);
    t->n += (size_t)bytes;
}

/* Values are written behind the directory, and their offset into it. */
typedef struct field {
    unsigned tag, type, count;
    uint64_t values[1024];
} field;

static void put_directory(tiff *t, const field *fields, int count)
{
    int word = t->k.big ? 8 : 4;
    size_t end = t->n + (size_t)(t->k.big ? 8 + 20 * count + 8 : 2 + 12 * count + 4);
    put(t, (uint64_t)count, t->k.big ? 8 : 2);
    for (int i = 0; i < count; i++) {
        const field *f = &fields[i];
        int size = f->type == SHORT ? 2 : f->type == LONG ? 4 : 8;
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

/* One tile or strip of these columns and rows, of samples first to last; behind the image's edge are ones. */
static void put_block(tiff *t, int x0, int y0, int width, int height, int first, int last)
{
    const kind *k = &t->k;
    int image_width = k->width ? k->width : WIDTH;
    for (int y = y0; y < y0 + height; y++) {
        int used = 0;
        for (int x = x0; x < x0 + width; x++) {
            for (int s = first; s <= last; s++) {
                bool inside = x < image_width && y < HEIGHT;
                uint32_t v = inside ? t->values[(y * image_width + x) * samples(k) + s] : UINT32_MAX;
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

static void make(tiff *t, const kind *k)
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
                int height = k->tiled ? TILE : HEIGHT - y < rows ? HEIGHT - y : rows;
                put_block(t, x, y, k->tiled ? TILE : width, height, k->planar ? p : 0, k->planar ? p : samples(k) - 1);
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
    FIELD(258, SHORT, (unsigned)samples(k), {b, b, b, b});
    FIELD(259, SHORT, 1, {k->compression ? (uint64_t)k->compression : 1});
    FIELD(262, SHORT, 1, {(uint64_t)k->photometric});
    if (!k->tiled) f[n++] = offsets;
    FIELD(277, SHORT, 1, {(uint64_t)samples(k)});
    if (!k->tiled) {
        FIELD(278, SHORT, 1, {(uint64_t)rows});
        f[n++] = counts;
    }
    FIELD(284, SHORT, 1, {k->planar ? 2 : 1});
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
    if (k->extra != NO_EXTRA) FIELD(338, SHORT, 1, {(uint64_t)k->extra});
    uint64_t format = k->format ? (uint64_t)k->format : k->bits == 32 ? 3 : 1;
    FIELD(339, SHORT, (unsigned)samples(k), {format, format, format, format});
    put_directory(t, f, n);
}

/* The value of a sample: a share of its range, to 8 or 16 bits. */
static double value_of(const kind *k, uint32_t v)
{
    float real;
    if (k->bits == 32) return memcpy(&real, &v, sizeof real), (double)real;
    double top = k->bits <= 8 ? 255 : 65535;
    return floor(v * top / ((1u << k->bits) - 1) + 0.5);
}

static double wanted(const tiff *t, int i, int c)
{
    const kind *k = &t->k;
    const uint32_t *pixel = &t->values[i * samples(k)];
    if (k->photometric == PALETTE) return ((pixel[0] + (uint32_t)c * (1u << k->bits)) * 6007 % 256 * 257) / 257;
    double v = value_of(k, pixel[c]), top = k->bits <= 8 ? 255 : k->bits <= 16 ? 65535 : 1;
    if (c == colours(k)) return v;
    if (k->photometric == WHITE) v = top - v;
    if (k->extra != PREMULTIPLIED) return v;
    double a = value_of(k, pixel[colours(k)]);
    if (k->bits == 32) return a == 0 ? 0 : (double)((float)v / (float)a);
    return a == 0 ? 0 : fmin(floor(v * top / a + 0.5), top);
}

static double got(const image *img, int i)
{
    if (img->type == SAT_U8) return ((const uint8_t *)img->data)[i];
    if (img->type == SAT_U16) return ((const uint16_t *)img->data)[i];
    return (double)((const float *)img->data)[i];
}

static void check(const kind *k)
{
    static tiff t;
    image img;
    error err;
    make(&t, k);
    if (!decode_exactly(t.bytes, t.n, &plain, &img, &err))
        fail_msg("%d bits, photometric %d: %s", k->bits, k->photometric, err.text);
    int channels = k->photometric == PALETTE ? 3 : colours(k) + (k->extra == ALPHA || k->extra == PREMULTIPLIED);
    assert_int_equal(img.channels, channels);
    assert_int_equal(img.width, WIDTH);
    assert_int_equal(img.height, HEIGHT);
    assert_int_equal(img.type, k->bits <= 8 ? SAT_U8 : k->bits <= 16 ? SAT_U16 : SAT_F32);
    for (int i = 0; i < WIDTH * HEIGHT * channels; i++) {
        double want = wanted(&t, i / channels, i % channels);
        if (got(&img, i) != want)
            fail_msg("%d bits, photometric %d, extra %d, sample %d: %g, not %g", k->bits, k->photometric, k->extra, i,
                     got(&img, i), want);
    }
    image_free(&img);
}

static void every_kind_decodes_to_its_pixels(void **state)
{
    static const int depths[] = {1, 2, 3, 4, 5, 7, 8, 9, 10, 12, 14, 16, 32};
    (void)state;
    for (size_t d = 0; d < sizeof depths / sizeof *depths; d++) {
        for (int photometric = WHITE; photometric <= PALETTE; photometric++) {
            for (int extra = NO_EXTRA; extra <= ALPHA; extra++) {
                if (photometric == PALETTE && (depths[d] > 8 || extra != NO_EXTRA)) continue;
                if (photometric == WHITE && depths[d] == 32) continue;
                for (int layout = 0; layout < 16; layout++) {
                    check(&(kind){.bits = depths[d],
                                  .photometric = photometric,
                                  .extra = extra,
                                  .planar = layout & 1,
                                  .tiled = layout & 2,
                                  .last_first = layout & 4,
                                  .big = layout & 8});
                }
            }
        }
    }
}

/* Signed samples, and unsigned ones of 32 bits, are the stored bits. */
static void wide_and_signed_samples_are_as_stored(void **state)
{
    static tiff t;
    static const struct {
        int bits, format;
        sat_type type;
    } cases[] = {{8, 2, SAT_I8}, {16, 2, SAT_I16}, {32, 2, SAT_I32}, {32, 1, SAT_U32}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (int layout = 0; layout < 16; layout++)
            for (int photometric = BLACK; photometric <= RGB; photometric++) {
                image img;
                error err;
                make(&t, &(kind){.bits = cases[i].bits,
                                 .format = cases[i].format,
                                 .photometric = photometric,
                                 .extra = layout & 1 ? ALPHA : NO_EXTRA,
                                 .planar = layout & 1,
                                 .tiled = layout & 2,
                                 .last_first = layout & 4,
                                 .big = layout & 8});
                if (!decode_exactly(t.bytes, t.n, &plain, &img, &err)) fail_msg("%s", err.text);
                assert_int_equal(img.type, cases[i].type);
                size_t size = sat_type_bytes(img.type);
                for (size_t at = 0; at < image_bytes(&img) / size; at++)
                    assert_memory_equal((const char *)img.data + at * size, &t.values[at], size);
                image_free(&img);
            }
}

/* With deflate and a predictor, of floats that of their bytes. */
static void every_sample_type_is_read_back(void **state)
{
    static const sat_type types[] = {SAT_U8, SAT_U16, SAT_U32, SAT_I8, SAT_I16, SAT_I32, SAT_F32, SAT_F64};
    (void)state;
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        for (int channels = 1; channels <= 4; channels++) {
            image img = random_image(61, 1 + 97 * (channels % 2), channels, types[i], 5), out;
            uint8_t *bytes;
            size_t n;
            error err;
            if (!encode_to_memory(&format_tiff, &img, &(encode_options){0}, &bytes, &n, &err) ||
                !decode_exactly(bytes, n, &plain, &out, &err))
                fail_msg("%s: %s", sat_type_name(types[i]), err.text);
            assert_int_equal(out.type, types[i]);
            assert_int_equal(out.channels, channels);
            assert_memory_equal(out.data, img.data, image_bytes(&img));
            image_free(&img);
            image_free(&out);
            free(bytes);
        }
}

static void refused(const tiff *t, const decode_options *opt, const char *words)
{
    image img;
    error err;
    if (decode_exactly(t->bytes, t->n, opt, &img, &err))
        fail_msg("not refused: %s; %lldx%lld", words, (long long)img.width, (long long)img.height);
    if (!strstr(err.text, words)) fail_msg("%s, not %s", err.text, words);
}

static void what_cannot_be_read_is_refused_in_words(void **state)
{
    static tiff t;
    (void)state;
    static const struct {
        kind k;
        const char *words;
    } cases[] = {
        {{.bits = 4, .photometric = BLACK, .extra = NO_EXTRA, .format = 2}, "4-bit signed samples"},
        {{.bits = 12, .photometric = BLACK, .extra = NO_EXTRA, .format = 2}, "12-bit signed samples"},
        {{.bits = 24, .photometric = BLACK, .extra = NO_EXTRA, .format = 1}, "24-bit unsigned samples"},
        {{.bits = 8, .photometric = BLACK, .extra = NO_EXTRA, .format = 3}, "8-bit float samples"},
        {{.bits = 16, .photometric = WHITE, .extra = NO_EXTRA, .format = 2}, "i16 whose 0 is white"},
        {{.bits = 16, .photometric = RGB, .extra = PREMULTIPLIED, .format = 2}, "i16 colours that are multiplied"},
        {{.bits = 16, .photometric = BLACK, .extra = NO_EXTRA, .format = 3}, "16-bit float samples"},
        {{.bits = 32, .photometric = WHITE, .extra = NO_EXTRA}, "0 is white"},
        {{.bits = 8, .photometric = CMYK, .extra = NO_EXTRA}, "CMYK"},
        {{.bits = 8, .photometric = 6, .extra = NO_EXTRA}, "corrupt: "},
        {{.bits = 8, .photometric = 8, .extra = NO_EXTRA}, "photometric interpretation 8"},
        {{.bits = 1, .photometric = BLACK, .extra = NO_EXTRA, .compression = 4}, "compression 4 (CCITT Group 4)"},
        {{.bits = 8, .photometric = BLACK, .extra = NO_EXTRA, .compression = 999}, "compression 999 (unknown)"},
        {{.bits = 8, .photometric = BLACK, .extra = NO_EXTRA, .compression = 5}, "corrupt: "},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        make(&t, &cases[i].k);
        refused(&t, &plain, cases[i].words);
    }
    make(&t, &(kind){.bits = 8, .photometric = RGB, .extra = NO_EXTRA});
    refused(&t, &(decode_options){.max_pixels = 100}, "--max-pixels 100");
}

/* Where the value of a tag stands that is in the directory. */
static size_t value_at(const tiff *t, unsigned tag)
{
    size_t at = (size_t)t->bytes[7] << 0 | (size_t)t->bytes[6] << 8;
    for (int i = t->bytes[at + 1]; i > 0; i--) {
        size_t entry = at + 2 + 12 * (size_t)(i - 1);
        if ((unsigned)(t->bytes[entry] << 8 | t->bytes[entry + 1]) == tag) return entry + 8;
    }
    fail_msg("no tag %u", tag);
    return 0;
}

static void directories_that_lie_are_refused(void **state)
{
    static tiff t;
    (void)state;
    const kind strips = {.bits = 8, .photometric = BLACK, .extra = NO_EXTRA, .rows = HEIGHT},
               tiles = {.bits = 8, .photometric = BLACK, .extra = NO_EXTRA, .tiled = true};
    static const struct {
        bool tiled;
        unsigned tag, value;
        const char *words;
    } cases[] = {
        {false, 256, 0, ""},
        {false, 257, 0, ""},
        {false, 278, 0, ""},
        {false, 256, 22, "corrupt"},
        {false, 257, 20, "strip 1 is not in the file"},
        {false, 278, 3, ""},
        {true, 322, 0, ""},
        {true, 323, 0, ""},
        {true, 322, 0xfff0, ""},
        {true, 257, 600, ""},
        {false, 277, 9, ""},
        {false, 258, 0, ""},
        {false, 258, 64, ""},
        {false, 262, 77, "77"},
        {false, 256, 0xffff, ""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        make(&t, cases[i].tiled ? &tiles : &strips);
        put_at(&t, value_at(&t, cases[i].tag), cases[i].value, 2);
        refused(&t, &plain, cases[i].words);
    }
    make(&t, &strips);
    put_at(&t, value_at(&t, 273), t.n - 3, 4);
    refused(&t, &plain, "the size of a strip cannot be right");
    make(&t, &tiles);
    put_at(&t, (size_t)(t.bytes[value_at(&t, 324) + 2] << 8 | t.bytes[value_at(&t, 324) + 3]), t.n - 3, 4);
    refused(&t, &plain, "truncated: the file ends inside tile 0");
    make(&t, &tiles);
    put_at(&t, (size_t)(t.bytes[value_at(&t, 325) + 2] << 8 | t.bytes[value_at(&t, 325) + 3]), 9, 4);
    refused(&t, &plain, "tile 0 of the TIFF has too few bytes");
}

/* The end of the directory has the offset of the next one. */
static size_t next_at(const tiff *t)
{
    size_t at = (size_t)t->bytes[7] | (size_t)t->bytes[6] << 8;
    return at + 2 + 12 * (size_t)t->bytes[at + 1];
}

static void one_picture_is_read_and_its_copies_are_passed_over(void **state)
{
    static tiff t;
    image img;
    error err;
    (void)state;
    const kind k = {.bits = 8, .photometric = BLACK, .extra = NO_EXTRA, .rows = HEIGHT};
    for (uint64_t subfile = 0; subfile < 3; subfile++) {
        make(&t, &k);
        put_at(&t, next_at(&t), t.n, 4);
        size_t strip = value_at(&t, 273), where = 0;
        for (int i = 0; i < 4; i++) where = where << 8 | t.bytes[strip + (size_t)i];
        put_directory(&t,
                      (const field[]){{254, LONG, 1, {subfile}},
                                      {256, SHORT, 1, {1}},
                                      {257, SHORT, 1, {1}},
                                      {258, SHORT, 1, {8}},
                                      {262, SHORT, 1, {BLACK}},
                                      {273, LONG, 1, {where}},
                                      {279, LONG, 1, {1}}},
                      7);
        if (subfile == 1) {
            assert_true(decode_exactly(t.bytes, t.n, &plain, &img, &err));
            assert_int_equal(img.width, WIDTH);
            image_free(&img);
        } else {
            refused(&t, &plain, "several pictures");
        }
    }
    make(&t, &k);
    put_at(&t, next_at(&t), (size_t)t.bytes[7] | (size_t)t.bytes[6] << 8, 4); /* the next one is this one */
    if (!decode_exactly(t.bytes, t.n, &plain, &img, &err)) fail_msg("%s", err.text);
    assert_int_equal(got(&img, 7), wanted(&t, 7, 0));
    image_free(&img);
}

/* ---- odd files -------------------------------------------------------------------------------------------------- */

/* The place of the first offset of a strip or tile, or of the first size. */
static size_t first_at(const tiff *t, unsigned tag)
{
    size_t value = value_at(t, tag), at = 0;
    for (int i = 0; i < 4; i++) at = at << 8 | t->bytes[value + (size_t)i];
    return at;
}

static void a_volume_is_no_picture(void **state)
{
    static tiff t;
    (void)state;
    make(&t, &(kind){.bits = 8, .photometric = BLACK, .extra = NO_EXTRA});
    put_at(&t, value_at(&t, 284) - 8, 32997, 2); /* ImageDepth */
    put_at(&t, value_at(&t, 32997), 5, 2);
    refused(&t, &plain, "a volume of 5 slices");
}

/* "Readers should skip over fields containing an unexpected field type": TIFF 6.0, page 16. */
static void a_field_of_unknown_type_is_skipped(void **state)
{
    static tiff t;
    image img;
    error err;
    (void)state;
    make(&t, &(kind){.bits = 8, .photometric = BLACK, .extra = NO_EXTRA});
    put_at(&t, value_at(&t, 284) - 8, 60000, 2);
    put_at(&t, value_at(&t, 60000) - 6, 99, 2);
    if (!decode_exactly(t.bytes, t.n, &plain, &img, &err)) fail_msg("%s", err.text);
    assert_int_equal(got(&img, 7), wanted(&t, 7, 0));
    image_free(&img);
}

/* Old writers of LZW put the lowest bit of a code first: 256 (clear), 1, 2, 3, 257 (end), of nine bits. */
static void lzw_of_old_writers_is_read(void **state)
{
    static tiff t;
    image img;
    error err;
    uint64_t bits = 0;
    static const unsigned codes[] = {256, 1, 2, 3, 257};
    (void)state;
    make(&t, &(kind){.bits = 8, .photometric = BLACK, .extra = NO_EXTRA, .compression = 5, .rows = HEIGHT});
    put_at(&t, value_at(&t, 256), 3, 2);
    put_at(&t, value_at(&t, 257), 1, 2);
    put_at(&t, value_at(&t, 278), 1, 2);
    put_at(&t, value_at(&t, 279), 6, 4);
    for (unsigned i = 0; i < 5; i++) bits |= (uint64_t)codes[i] << 9 * i;
    for (unsigned i = 0; i < 6; i++) t.bytes[HEADER + i] = (uint8_t)(bits >> 8 * i);
    if (!decode_exactly(t.bytes, t.n, &plain, &img, &err)) fail_msg("%s", err.text);
    for (int i = 0; i < 3; i++) assert_int_equal(got(&img, i), i + 1);
    image_free(&img);
}

/* Of a sample that is left out, nothing is read; of others, the file needs all blocks. */
static void blocks_may_lack_where_they_are_not_read(void **state)
{
    static tiff t;
    image img;
    error err;
    (void)state;
    for (int plane = 0; plane < 2; plane++) {
        make(&t, &(kind){.bits = 8, .photometric = BLACK, .extra = UNNAMED, .planar = true, .rows = HEIGHT});
        size_t at = 4 * (size_t)plane;
        put_at(&t, first_at(&t, 273) + at, 0, 4);
        put_at(&t, first_at(&t, 279) + at, 0, 4);
        if (plane == 0) {
            refused(&t, &plain, "strip 0 is not in the file: a sparse TIFF, or a corrupt one");
            continue;
        }
        if (!decode_exactly(t.bytes, t.n, &plain, &img, &err)) fail_msg("%s", err.text);
        assert_int_equal(got(&img, 7), wanted(&t, 7, 0));
        image_free(&img);
    }
}

/* ---- metadata ----------------------------------------------------------------------------------------------- */

static void geotiff_is_carried_to_a_tiff(void **state)
{
    uint8_t *bytes, *again;
    size_t n, m;
    image img, out;
    error err;
    (void)state;
    read_fixture("geo.tif", &bytes, &n);
    assert_true(decode_exactly(bytes, n, &plain, &img, &err));
    const meta_block *geo = &img.meta.blocks[META_GEOTIFF];
    assert_true(geo->n > 0 && memmem(geo->bytes, geo->n, "WGS 84|", 8));
    assert_string_equal(img.meta.nodata, "-9999");
    assert_non_null(memmem(geo->bytes, geo->n, &(double){3751320}, sizeof(double)));
    assert_true(encode_to_memory(&format_tiff, &img, &(encode_options){0}, &again, &m, &err));
    assert_true(decode_exactly(again, m, &plain, &out, &err));
    assert_int_equal(out.meta.blocks[META_GEOTIFF].n, geo->n);
    assert_memory_equal(out.meta.blocks[META_GEOTIFF].bytes, geo->bytes, geo->n);
    assert_string_equal(out.meta.nodata, "-9999");
    image_free(&img);
    image_free(&out);
    free(bytes);

    image turned = random_image(3, 2, 1, SAT_U8, 1);
    turned.meta.orientation = 6;
    assert_true(meta_append(&turned.meta, META_XMP, (const uint8_t *)"<x/>", 4, &err));
    turned.meta.x_per_metre = 100 / 0.0254;
    turned.meta.y_per_metre = 50 / 0.0254;
    free(again);
    assert_true(encode_to_memory(&format_tiff, &turned, &(encode_options){0}, &again, &m, &err));
    assert_true(decode_exactly(again, m, &plain, &out, &err));
    assert_int_equal(out.width, 2);
    assert_int_equal(out.meta.blocks[META_XMP].n, 4);
    assert_true(fabs(out.meta.x_per_metre * 0.0254 - 50) < 1e-3 && fabs(out.meta.y_per_metre * 0.0254 - 100) < 1e-3);
    image_free(&turned);
    image_free(&out);
    free(again);
}

int main(void)
{
    if (!SAT_WITH_LIBTIFF) return puts("1..0 # SKIP built without libtiff") < 0;
    cmocka_set_message_output(CM_OUTPUT_TAP);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_kind_decodes_to_its_pixels),
        cmocka_unit_test(wide_and_signed_samples_are_as_stored),
        cmocka_unit_test(every_sample_type_is_read_back),
        cmocka_unit_test(what_cannot_be_read_is_refused_in_words),
        cmocka_unit_test(directories_that_lie_are_refused),
        cmocka_unit_test(one_picture_is_read_and_its_copies_are_passed_over),
        cmocka_unit_test(a_volume_is_no_picture),
        cmocka_unit_test(a_field_of_unknown_type_is_skipped),
        cmocka_unit_test(lzw_of_old_writers_is_read),
        cmocka_unit_test(blocks_may_lack_where_they_are_not_read),
        cmocka_unit_test(geotiff_is_carried_to_a_tiff),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
