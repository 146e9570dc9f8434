/* PNG: the filters, the chunks, and files that lie. */
#include <libdeflate.h>

#include "codec_test.h"
#include "png.h"

/* The portable filters under a name of their own. */
#define PNG_UNFILTER_PORTABLE
#define png_unfilter            portable_unfilter
#define png_unfilter_paeth_pair portable_paeth_pair
#include "../../src/io/png_unfilter.c"
#undef png_unfilter
#undef png_unfilter_paeth_pair

/* ---- filters, against the specification's words ---------------------------------------------------- */

static int predict(int filter, int a, int b, int c)
{
    int p = a + b - c, pa = abs(p - a), pb = abs(p - b), pc = abs(p - c);
    switch (filter) {
    case PNG_SUB: return a;
    case PNG_UP: return b;
    case PNG_AVERAGE: return (a + b) / 2;
    case PNG_PAETH: return pa <= pb && pa <= pc ? a : pb <= pc ? b : c;
    default: return 0;
    }
}

static void reference(uint8_t *dst, const uint8_t *src, const uint8_t *prev, size_t n, int bpp, int filter)
{
    for (size_t i = 0; i < n; i++) {
        bool first = i < (size_t)bpp;
        int a = first ? 0 : dst[i - (size_t)bpp], c = first ? 0 : prev[i - (size_t)bpp];
        dst[i] = (uint8_t)(src[i] + predict(filter, a, prev[i], c));
    }
}

typedef void unfilter_function(uint8_t *, const uint8_t *, const uint8_t *, size_t, int, int);
typedef void pair_function(uint8_t *, const uint8_t *, uint8_t *, const uint8_t *, const uint8_t *, size_t, int);

static const int widths[] = {1, 2, 3, 4, 6, 8};

static void check_filters(unfilter_function *run, pair_function *run_pair)
{
    uint32_t seed = 3;
    for (size_t b = 0; b < 6; b++) {
        for (size_t pixels = 1; pixels < 70; pixels += pixels < 9 ? 1 : 13) {
            int bpp = widths[b];
            size_t n = pixels * (size_t)bpp;
            uint8_t *src = malloc(2 * n + PNG_SLACK), *prev = malloc(n + PNG_SLACK), *dst = malloc(2 * n);
            uint8_t *expected = malloc(2 * n);
            assert_true(src && prev && dst && expected);
            for (size_t i = 0; i < 2 * n + PNG_SLACK; i++) src[i] = (uint8_t)next_random(&seed);
            for (size_t i = 0; i < n + PNG_SLACK; i++) prev[i] = (uint8_t)next_random(&seed);

            reference(expected, src, prev, n, bpp, PNG_PAETH);
            reference(expected + n, src + n, expected, n, bpp, PNG_PAETH);
            run_pair(dst, src, dst + n, src + n, prev, n, bpp);
            assert_memory_equal(dst, expected, 2 * n);

            for (int filter = 0; filter < PNG_FILTERS; filter++) {
                reference(expected, src, prev, n, bpp, filter);
                run(dst, src, prev, n, bpp, filter);
                assert_memory_equal(dst, expected, n);
                memcpy(dst + n, src + n, n);
                run(src, src, prev, n, bpp, filter); /* in place; and what lies behind stays */
                assert_memory_equal(src, expected, n);
                assert_memory_equal(src + n, dst + n, n);
            }
            free(src);
            free(prev);
            free(dst);
            free(expected);
        }
    }
}

/* Every left, above and above left that a byte can have, in rows of four pixels of four bytes. */
static void check_every_paeth(unfilter_function *run)
{
    uint8_t src[8 + PNG_SLACK] = {0}, prev[8 + PNG_SLACK] = {0}, dst[8];
    for (int a = 0; a < 256; a++) {
        for (int b = 0; b < 256; b++) {
            for (int c = 0; c < 256; c += 4) {
                for (int k = 0; k < 4; k++) {
                    prev[k] = (uint8_t)(c + k);
                    prev[4 + k] = (uint8_t)b;
                    src[k] = (uint8_t)(a - (c + k)); /* above is c + k and nothing is left of it: Paeth takes it */
                }
                run(dst, src, prev, 8, 4, PNG_PAETH);
                for (int k = 0; k < 4; k++) {
                    if (dst[k] != a || dst[4 + k] != predict(PNG_PAETH, a, b, c + k)) fail_msg("%d %d %d", a, b, c + k);
                }
            }
        }
    }
}

static void filters_are_undone(void **state)
{
    (void)state;
    check_filters(png_unfilter, png_unfilter_paeth_pair);
    check_filters(portable_unfilter, portable_paeth_pair);
}

static void paeth_is_right_for_all_bytes(void **state)
{
    (void)state;
    check_every_paeth(png_unfilter);
    check_every_paeth(portable_unfilter);
}

/* ---- files ----------------------------------------------------------------------------------------- */

typedef struct file {
    uint8_t bytes[1 << 14];
    size_t n;
} file;

static void put32(uint8_t *p, uint32_t v)
{
    for (int i = 0; i < 4; i++) p[i] = (uint8_t)(v >> (24 - 8 * i));
}

static void add_chunk(file *f, const char *type, const void *data, size_t n)
{
    uint8_t *p = f->bytes + f->n;
    assert_true(f->n + n + 12 <= sizeof f->bytes);
    put32(p, (uint32_t)n);
    memcpy(p + 4, type, 4);
    if (n) memcpy(p + 8, data, n);
    put32(p + 8 + n, libdeflate_crc32(0, p + 4, n + 4));
    f->n += n + 12;
}

static void begin(file *f, uint32_t width, uint32_t height, int depth, int colour)
{
    uint8_t header[13] = {0};
    memcpy(f->bytes, png_signature, PNG_SIGNATURE);
    f->n = PNG_SIGNATURE;
    put32(header, width);
    put32(header + 4, height);
    header[8] = (uint8_t)depth;
    header[9] = (uint8_t)colour;
    add_chunk(f, "IHDR", header, sizeof header);
}

/* What libdeflate makes of the bytes. */
static size_t deflate(const void *bytes, size_t n, uint8_t *out, size_t room)
{
    struct libdeflate_compressor *c = libdeflate_alloc_compressor(6);
    assert_non_null(c);
    size_t got = libdeflate_zlib_compress(c, bytes, n, out, room);
    libdeflate_free_compressor(c);
    assert_true(got > 0);
    return got;
}

static void expect_error(const file *f, const char *words)
{
    image img;
    error err;
    assert_false(decode_exactly(f->bytes, f->n, &(decode_options){.max_pixels = INT64_C(1) << 40}, &img, &err));
    if (!strstr(err.text, words)) fail_msg("\"%s\" instead of \"%s\"", err.text, words);
}

static void lying_files_are_refused(void **state)
{
    (void)state;
    static const uint8_t rows[2 * 5] = {0, 1, 2, 3, 4, 2, 5, 6, 7, 8};
    uint8_t z[256];
    size_t n = deflate(rows, sizeof rows, z, sizeof z);
    file f;

    begin(&f, 4, 2, 8, 0);
    add_chunk(&f, "IEND", NULL, 0);
    expect_error(&f, "no IDAT");

    begin(&f, 65535, 32767, 8, 0); /* a few bytes that announce 2 GiB */
    add_chunk(&f, "IDAT", z, n);
    add_chunk(&f, "IEND", NULL, 0);
    expect_error(&f, "cannot hold the pixels");

    begin(&f, 4, 3, 8, 0);
    add_chunk(&f, "IDAT", z, n);
    add_chunk(&f, "IEND", NULL, 0);
    expect_error(&f, "too few pixels");

    begin(&f, 4, 1, 8, 0);
    add_chunk(&f, "IDAT", z, n);
    add_chunk(&f, "IEND", NULL, 0);
    expect_error(&f, "more pixels");

    z[n - 1] ^= 1;
    begin(&f, 4, 2, 8, 0);
    add_chunk(&f, "IDAT", z, n);
    add_chunk(&f, "IEND", NULL, 0);
    expect_error(&f, "Adler-32");
    z[n - 1] ^= 1;

    begin(&f, 4, 2, 8, 0);
    add_chunk(&f, "IDAT", z, n - 4);
    add_chunk(&f, "IEND", NULL, 0);
    expect_error(&f, "truncated");

    begin(&f, 4, 2, 8, 3);
    add_chunk(&f, "IDAT", z, n);
    add_chunk(&f, "IEND", NULL, 0);
    expect_error(&f, "palette is missing");

    begin(&f, 4, 2, 8, 0);
    add_chunk(&f, "IDAT", z, 5);
    add_chunk(&f, "tEXt", "a", 1);
    add_chunk(&f, "IDAT", z + 5, n - 5);
    add_chunk(&f, "IEND", NULL, 0);
    expect_error(&f, "do not follow one another");

    begin(&f, 4, 2, 7, 0);
    expect_error(&f, "does not exist");

    begin(&f, 4, 0, 8, 0);
    expect_error(&f, "4x0");

    begin(&f, 4, 2, 8, 0);
    add_chunk(&f, "CgBI", NULL, 0);
    expect_error(&f, "CgBI");

    begin(&f, 4, 2, 8, 0);
    add_chunk(&f, "IDAT", z, n);
    expect_error(&f, "no IEND");

    uint8_t bad[sizeof rows];
    memcpy(bad, rows, sizeof rows);
    bad[5] = 5;
    n = deflate(bad, sizeof bad, z, sizeof z);
    begin(&f, 4, 2, 8, 0);
    add_chunk(&f, "IDAT", z, n);
    add_chunk(&f, "IEND", NULL, 0);
    expect_error(&f, "filter type 5");
}

static void a_wrong_crc_matters_where_pixels_do(void **state)
{
    (void)state;
    static const struct {
        const char *type;
        size_t n;
        bool matters;
    } chunks[] = {{"tEXt", 6, false}, {"pHYs", 9, false}, {"tRNS", 2, true}, {"eXIf", 8, true}, {"CgBI", 4, true}};
    static const uint8_t rows[2 * 5] = {0, 1, 2, 3, 4, 2, 5, 6, 7, 8}, data[9] = {[3] = 7, [8] = 1};
    uint8_t z[256];
    size_t n = deflate(rows, sizeof rows, z, sizeof z);
    for (size_t i = 0; i < sizeof chunks / sizeof *chunks; i++) {
        file f;
        image img;
        error err;
        begin(&f, 4, 2, 8, 0);
        add_chunk(&f, chunks[i].type, data, chunks[i].n);
        f.bytes[f.n - 1] ^= 1;
        add_chunk(&f, "IDAT", z, n);
        add_chunk(&f, "IEND", NULL, 0);
        if (chunks[i].matters) {
            expect_error(&f, "the CRC of a PNG");
            continue;
        }
        if (!decode_exactly(f.bytes, f.n, &plain, &img, &err)) fail_msg("%s: %s", chunks[i].type, err.text);
        assert_memory_equal(img.data, rows + 1, 4);
        assert_true(img.meta.x_per_metre == 0);
        image_free(&img);
    }
}

static void a_transparent_colour_behind_the_pixels_is_ignored(void **state)
{
    (void)state;
    static const uint8_t rows[2 * 5] = {0, 1, 2, 3, 4, 2, 5, 6, 7, 8}, colour[2] = {0, 3};
    uint8_t z[256];
    size_t n = deflate(rows, sizeof rows, z, sizeof z);
    for (int behind = 0; behind < 2; behind++) {
        file f;
        image img;
        image_shape s;
        error err;
        begin(&f, 4, 2, 8, 0);
        if (!behind) add_chunk(&f, "tRNS", colour, 2);
        add_chunk(&f, "IDAT", z, n);
        if (behind) add_chunk(&f, "tRNS", colour, 2);
        add_chunk(&f, "IEND", NULL, 0);
        assert_true(png_shape(f.bytes, f.n, &plain, &s));
        assert_int_equal(s.channels, behind ? 1 : 2);
        assert_true(decode_exactly(f.bytes, f.n, &plain, &img, &err));
        assert_int_equal(img.channels, s.channels);
        image_free(&img);
    }
}

/* "The least significant bits are used", and decoders mask the others: PNG, third edition, tRNS.  The first pixel is 0,
 * the second has the key's colour in its depth, and differs from the third in its last sample. */
static void the_key_has_the_bits_of_the_depth(void **state)
{
    (void)state;
    static const int depths[] = {1, 2, 4, 8, 16};
    for (size_t d = 0; d < 5; d++) {
        for (int colour = 0; colour <= 2; colour += 2) { /* grey, RGB */
            const int depth = depths[d], samples = colour ? 3 : 1, bytes = depth / 8;
            uint8_t row[1 + 3 * 3 * 2] = {0}, key[6], z[64];
            size_t n = 1;
            file f;
            image img;
            error err;
            if (colour && depth < 8) continue;
            for (int x = 0; x < 3 && depth >= 8; x++)
                for (int c = 0; c < samples; c++, n += (size_t)bytes)
                    row[n + (size_t)bytes - 1] = (uint8_t)(x == 0 ? 0 : x == 2 && c == samples - 1 ? 2 : 1);
            if (depth < 8) row[1] = (uint8_t)(1 << (8 - 2 * depth)), n += (size_t)(3 * depth + 7) / 8; /* 0, 1, 0 */
            for (int c = 0; c < samples; c++) {
                key[2 * c] = depth < 16 ? 0xab : 0;
                key[2 * c + 1] = (uint8_t)(depth < 8 ? 0xff << depth | 1 : 1);
            }
            begin(&f, 3, 1, depth, colour);
            add_chunk(&f, "tRNS", key, 2 * (size_t)samples);
            add_chunk(&f, "IDAT", z, deflate(row, n, z, sizeof z));
            add_chunk(&f, "IEND", NULL, 0);
            if (!decode_exactly(f.bytes, f.n, &plain, &img, &err)) fail_msg("depth %d: %s", depth, err.text);
            assert_int_equal(img.channels, samples + 1);
            for (int x = 0; x < 3; x++) {
                const int i = x * img.channels + samples, top = depth == 16 ? 65535 : 255;
                const int alpha = depth == 16 ? ((const uint16_t *)img.data)[i] : ((const uint8_t *)img.data)[i];
                if (alpha != (x == 1 ? 0 : top)) fail_msg("depth %d, %d samples: alpha %d", depth, samples, alpha);
            }
            image_free(&img);
        }
    }
}

/* A chunk of alpha may be among the bytes that are not there yet. */
static void the_shape_counts_alpha_that_may_follow(void **state)
{
    (void)state;
    static const struct {
        int colour, known, cut;
    } all[] = {{0, 1, 2}, {2, 3, 4}, {3, 3, 4}, {4, 2, 2}, {6, 4, 4}};
    static const uint8_t text[1000] = {'a'};
    for (size_t k = 0; k < sizeof all / sizeof all[0]; k++) {
        file f;
        image_shape s;
        begin(&f, 4, 2, 8, all[k].colour);
        size_t header = f.n;
        add_chunk(&f, "tEXt", text, sizeof text);
        size_t before = f.n;
        add_chunk(&f, "IDAT", text, sizeof text);
        for (size_t n = header; n <= f.n; n++) {
            assert_true(png_shape(f.bytes, n, &plain, &s));
            assert_int_equal(s.channels, n < before + 12 ? all[k].cut : all[k].known);
        }
    }
}

static void a_wrong_filter_far_down_stops_both_threads(void **state)
{
    (void)state;
    enum { WIDTH = 4000, HEIGHT = 1500, WRONG_ROW = 1400 };
    size_t n = (size_t)(WIDTH + 1) * HEIGHT;
    uint8_t *rows = calloc(1, n);
    file *f = malloc(sizeof *f);
    assert_true(rows && f);
    rows[(size_t)(WIDTH + 1) * WRONG_ROW] = 9;
    uint8_t *z = malloc(sizeof f->bytes);
    assert_non_null(z);
    size_t packed = deflate(rows, n, z, sizeof f->bytes);
    begin(f, WIDTH, HEIGHT, 8, 0);
    for (size_t at = 0; at < packed; at += 1000) add_chunk(f, "IDAT", z + at, packed - at < 1000 ? packed - at : 1000);
    add_chunk(f, "IEND", NULL, 0);
    for (int threads = 1; threads <= 4; threads++) {
        image img;
        error err;
        assert_false(
            decode_exactly(f->bytes, f->n, &(decode_options){.max_pixels = 1 << 24, .threads = threads}, &img, &err));
        assert_string_equal(err.text, "corrupt: PNG filter type 9 does not exist");
    }
    free(rows);
    free(z);
    free(f);
}

static void profile_and_resolution_are_carried(void **state)
{
    (void)state;
    image in = random_image(5, 4, 3, SAT_U8, 1), out;
    in.meta.icc_bytes = 100000;
    in.meta.icc = malloc(in.meta.icc_bytes);
    assert_non_null(in.meta.icc);
    for (size_t i = 0; i < in.meta.icc_bytes; i++) in.meta.icc[i] = (uint8_t)(i * i / 7);
    in.meta.x_per_metre = 11811;
    in.meta.y_per_metre = 5906;
    uint8_t *bytes;
    size_t n;
    error err;
    assert_true(encode_to_memory(&format_png, &in, &(encode_options){0}, &bytes, &n, &err));
    assert_true(decode_exactly(bytes, n, &plain, &out, &err));
    assert_int_equal(out.meta.icc_bytes, in.meta.icc_bytes);
    assert_memory_equal(out.meta.icc, in.meta.icc, in.meta.icc_bytes);
    assert_true(out.meta.x_per_metre == 11811 && out.meta.y_per_metre == 5906);
    free(bytes);
    image_free(&in);
    image_free(&out);
}

static void pillows_profile_and_resolution_are_read(void **state)
{
    (void)state;
    uint8_t *bytes;
    size_t n;
    image img;
    error err;
    read_fixture("pillow.png", &bytes, &n);
    assert_true(decode_exactly(bytes, n, &plain, &img, &err));
    assert_int_equal(img.meta.icc_bytes, 4000);
    for (size_t i = 0; i < 4000; i++) assert_int_equal(img.meta.icc[i], "\0\0\1\2"[i % 4]);
    assert_true(img.meta.x_per_metre == 11811 && img.meta.y_per_metre == 5906); /* 300 and 150 dpi */
    image_free(&img);
    free(bytes);
}

static void the_file_is_the_same_for_any_number_of_threads(void **state)
{
    (void)state;
    for (int type = 0; type < 2; type++) {
        image img = random_image(1511, 1009, 3, type ? SAT_U16 : SAT_U8, 9), back;
        uint8_t *first = NULL, *bytes;
        size_t first_n = 0, n;
        error err;
        for (int threads = 1; threads <= 5; threads++) {
            assert_true(encode_to_memory(&format_png, &img, &(encode_options){.threads = threads}, &bytes, &n, &err));
            if (!first) {
                first = bytes;
                first_n = n;
                continue;
            }
            assert_int_equal(n, first_n);
            assert_memory_equal(bytes, first, n);
            if (!decode_exactly(bytes, n, &(decode_options){.max_pixels = 1 << 24, .threads = threads}, &back, &err)) {
                fail_msg("%s", err.text);
            }
            assert_memory_equal(back.data, img.data, image_bytes(&img));
            image_free(&back);
            free(bytes);
        }
        free(first);
        image_free(&img);
    }
}

int main(void)
{
    cmocka_set_message_output(CM_OUTPUT_TAP);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(filters_are_undone),
        cmocka_unit_test(paeth_is_right_for_all_bytes),
        cmocka_unit_test(lying_files_are_refused),
        cmocka_unit_test(a_wrong_crc_matters_where_pixels_do),
        cmocka_unit_test(a_transparent_colour_behind_the_pixels_is_ignored),
        cmocka_unit_test(the_key_has_the_bits_of_the_depth),
        cmocka_unit_test(the_shape_counts_alpha_that_may_follow),
        cmocka_unit_test(a_wrong_filter_far_down_stops_both_threads),
        cmocka_unit_test(profile_and_resolution_are_carried),
        cmocka_unit_test(pillows_profile_and_resolution_are_read),
        cmocka_unit_test(the_file_is_the_same_for_any_number_of_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
