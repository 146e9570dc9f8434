/* BMP: codes that leave the image, what is not read, the resolution, and how long a stream is. */
#include "codec.h"
#include "codec_test.h"

enum { HEADERS = 54, PALETTE = 4 * 4, CODES = HEADERS + PALETTE };

/* A header of 40 bytes, 4 colours, and these codes; returns the file's size. */
static size_t make_runs(uint8_t *file, int64_t width, int64_t height, unsigned coding, unsigned bits, const char *codes,
                        size_t n)
{
    memset(file, 0, CODES);
    memcpy(file, "BM", 2);
    store_le32(file + 10, CODES);
    store_le32(file + 14, 40);
    store_le32(file + 18, (uint32_t)width);
    store_le32(file + 22, (uint32_t)height);
    file[26] = 1;
    file[28] = (uint8_t)bits;
    store_le32(file + 30, coding);
    for (int i = 0; i < PALETTE; i++) file[HEADERS + i] = (uint8_t)(10 * i);
    memcpy(file + CODES, codes, n);
    return CODES + n;
}

typedef struct codes {
    const char *bytes;
    size_t n;
    const char *says; /* NULL = read */
} codes;
#define C(text, says)                                                                                                  \
    {                                                                                                                  \
        text, sizeof text - 1, says                                                                                    \
    }

static void codes_that_leave_the_image_are_refused(void **state)
{
    (void)state;
    static const codes all[] = {
        C("\3\1\0\0\3\1\0\1", NULL),               /* 3x2 pixels */
        C("\4\1\0\0\4\1\0\1", NULL),               /* rows with their padding */
        C("\5\1\0\1", "leave the image"),          /* more than that */
        C("\0\5\1\1\1\1\1\0\0\1", "leave the"),    /* literally */
        C("\3\4\0\1", "leave the image or its"),   /* a colour that is not there */
        C("\0\3\0\4\0\0\0\1", "leave the image"),  /* literally */
        C("\0\0\0\0\0\1", NULL),                   /* rows without a code */
        C("\0\0\0\0\0\0\0\1", "leave the image"),  /* one more */
        C("\0\0\0\0\1\1\0\1", "leave the image"),  /* a pixel above the top */
        C("\0\2\4\2\0\1", NULL),                   /* to the furthest place */
        C("\0\2\5\0\0\1", "leave the image"),      /* to the right */
        C("\0\2\0\3\0\1", "leave the image"),      /* above */
        C("\0\2\0\0\0\1", "leave the image"),      /* nowhere */
        C("\0\1", NULL),                           /* nothing at all */
        C("\3\1\0\0\3\1", NULL),                   /* all pixels and no end */
        C("\3\1\0\0\2\1", "truncated: the BMP's"), /* all but one */
        C("\3\1\0\0\0\3\1\1", "truncated: the"),   /* the same literally */
        C("\3\1\0\2\1", "truncated: the BMP's"),
        C("", "truncated: the BMP's runs"),
    };
    for (size_t k = 0; k < sizeof all / sizeof all[0]; k++) {
        uint8_t file[CODES + 32];
        size_t n = make_runs(file, 3, 2, 1, 8, all[k].bytes, all[k].n);
        image img;
        error err = {.text = "read"};
        bool ok = decode_exactly(file, n, &plain, &img, &err);
        if (ok != !all[k].says || (!ok && !strstr(err.text, all[k].says))) fail_msg("codes %zu: %s", k, err.text);
        image_free(&img);
    }
}

static void what_is_passed_over_has_the_first_colour(void **state)
{
    (void)state;
    uint8_t file[CODES + 32];
    size_t n = make_runs(file, 3, 2, 1, 8, "\0\2\1\1\1\3\0\1", 8);
    image img;
    error err;
    assert_true(decode_exactly(file, n, &plain, &img, &err));
    static const uint8_t want[18] = {20, 10, 0, 140, 130, 120, 20, 10, 0, 20, 10, 0, 20, 10, 0, 20, 10, 0};
    assert_memory_equal(img.data, want, sizeof want);
    image_free(&img);
}

/* A palette that has only greys makes one channel: in plain rows and in runs, and in whatever order they stand. */
static void greys_make_a_grey_image(void **state)
{
    (void)state;
    static const uint8_t greys[4] = {200, 7, 7, 0}, want[6] = {7, 0, 200, 200, 7, 7};
    static const struct {
        unsigned coding;
        const char *bytes;
        size_t n;
    } files[] = {
        {0, "\0\1\2\0\1\3\0\0", 8},                      /* the bottom row first, padded */
        {1, "\1\0\0\2\1\0\1\2\0\0\1\1\1\3\1\0\0\1", 18}, /* a move passes the second pixel over */
    };
    for (size_t k = 0; k < 2; k++) {
        uint8_t file[CODES + 32];
        size_t n = make_runs(file, 3, 2, files[k].coding, 8, files[k].bytes, files[k].n);
        image img;
        image_shape s;
        error err;
        for (int i = 0; i < PALETTE; i++)
            file[HEADERS + i] = i % 4 == 3 ? 99 : greys[i / 4]; /* the fourth byte is none */
        if (!decode_exactly(file, n, &plain, &img, &err)) fail_msg("%s", err.text);
        assert_int_equal(img.channels, 1);
        if (k == 0) assert_memory_equal(img.data, want, 6);
        if (k == 1) assert_memory_equal(img.data, ((const uint8_t[]){7, 0, 200, 200, 200, 7}), 6);
        image_free(&img);
        for (size_t cut = 54; cut <= n; cut++) {
            bool said = format_bmp.shape(file, cut, &plain, &s);
            assert_int_equal(said, cut >= CODES);
            if (said) assert_int_equal(s.channels, 1);
        }
        file[HEADERS + 4 * 3 + 1]++; /* the last colour is none that a pixel has */
        assert_true(decode_exactly(file, n, &plain, &img, &err));
        assert_int_equal(img.channels, 3);
        image_free(&img);
    }
}

/* Of the four colours in front of the pixels the last is none if the header says that there are three. */
static void the_palette_ends_where_the_header_says(void **state)
{
    (void)state;
    enum { USED = 46 }; /* where the header says it */
    static const struct {
        unsigned coding;
        const char *bytes;
        size_t n;
        uint32_t used;
        int channels; /* 0: refused */
    } files[] = {
        {0, "\0\1\2\0\1\2\0\0", 8, 3, 1}, /* only greys are left */
        {0, "\0\1\2\0\1\2\0\0", 8, 0, 3}, /* not said: as many as there can be */
        {0, "\0\1\2\0\1\2\0\0", 8, 4, 3}, {0, "\0\1\2\0\1\2\0\0", 8, 999, 3}, {0, "\0\1\2\0\1\3\0\0", 8, 4, 3},
        {0, "\0\1\2\0\1\3\0\0", 8, 3, 0}, {1, "\3\2\0\1", 4, 3, 1},           {1, "\3\3\0\1", 4, 4, 3},
        {1, "\3\3\0\1", 4, 3, 0},
    };
    for (size_t k = 0; k < sizeof files / sizeof files[0]; k++) {
        uint8_t file[CODES + 32];
        size_t n = make_runs(file, 3, 2, files[k].coding, 8, files[k].bytes, files[k].n);
        image img;
        image_shape s;
        error err;
        for (int i = 0; i < 3; i++) memset(file + HEADERS + 4 * i, 50 * i, 3);
        store_le32(file + USED, files[k].used);
        bool ok = decode_exactly(file, n, &plain, &img, &err);
        if (ok != (files[k].channels > 0)) fail_msg("file %zu: %s", k, ok ? "read" : err.text);
        if (!ok) assert_non_null(strstr(err.text, "palette"));
        assert_true(format_bmp.shape(file, n, &plain, &s));
        if (ok) assert_int_equal(img.channels, files[k].channels);
        if (ok) assert_int_equal(s.channels, files[k].channels);
        image_free(&img);
    }
}

/* Files whose pixels are said to begin behind the header have their palette there, as Pillow reads them. */
static void an_offset_may_leave_out_the_palette(void **state)
{
    static const char *const names[] = {"pillow1.bmp", "pillow8.bmp", "core4.bmp", "rle4.bmp"};
    (void)state;
    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        uint8_t *bytes;
        size_t n;
        image want, img;
        error err;
        read_fixture(names[k], &bytes, &n);
        assert_true(decode_exactly(bytes, n, &plain, &want, &err));
        store_le32(bytes + 10, 14 + load_le32(bytes + 14));
        if (!decode_exactly(bytes, n, &plain, &img, &err)) fail_msg("%s: %s", names[k], err.text);
        assert_int_equal(img.channels, want.channels);
        assert_memory_equal(img.data, want.data, image_bytes(&want));
        image_free(&img);
        image_free(&want);
        free(bytes);
    }
}

/* One bit of one pixel makes it an alpha. */
static void an_alpha_of_nothing_is_opaque(void **state)
{
    (void)state;
    static const struct {
        unsigned bits;
        uint32_t masks[4], pixel;
        uint8_t want[4];
    } cases[] = {{32, {0xff0000, 0xff00, 0xff, 0xff000000}, 0x00010203, {1, 2, 3, 255}},
                 {32, {0xff000000, 0xff0000, 0xff00, 0x7}, 0x01020300, {1, 2, 3, 255}},
                 {16, {0x7c00, 0x3e0, 0x1f, 0x8000}, 0x7c1f, {255, 0, 255, 255}}};
    enum { ALPHA_HEADER = 56, WIDTH = 4, HEIGHT = 2, BEGIN = 14 + ALPHA_HEADER, MASKS = 14 + 40 };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
        for (int alpha = 0; alpha < 2; alpha++) {
            const size_t bytes = cases[k].bits / 8;
            uint8_t file[BEGIN + WIDTH * HEIGHT * 4] = "BM";
            image img;
            error err;
            store_le32(file + 10, BEGIN);
            store_le32(file + 14, ALPHA_HEADER);
            store_le32(file + 18, WIDTH);
            store_le32(file + 22, HEIGHT);
            file[26] = 1;
            file[28] = (uint8_t)cases[k].bits;
            store_le32(file + 30, 3);
            for (int i = 0; i < 4; i++) store_le32(file + MASKS + 4 * i, cases[k].masks[i]);
            for (size_t i = 0; i < WIDTH * HEIGHT; i++) {
                uint32_t pixel = cases[k].pixel | (alpha && i == 5 ? cases[k].masks[3] : 0);
                for (size_t b = 0; b < bytes; b++) file[BEGIN + i * bytes + b] = (uint8_t)(pixel >> 8 * b);
            }
            assert_true(decode_exactly(file, BEGIN + WIDTH * HEIGHT * bytes, &plain, &img, &err));
            assert_int_equal(img.channels, 4);
            assert_string_equal(img.meta.note, alpha ? "" : "its alpha is 0 in every pixel, and is taken for opaque");
            for (size_t i = 0; i < WIDTH * HEIGHT && !alpha; i++)
                assert_memory_equal((uint8_t *)img.data + 4 * i, cases[k].want, 4);
            if (alpha) assert_int_equal(((uint8_t *)img.data)[3], 0);
            image_free(&img);
        }
}

static void grey_is_written_with_a_ramp(void **state)
{
    (void)state;
    image in = random_image(5, 3, 1, SAT_U8, 1), out;
    uint8_t *bytes;
    size_t n;
    error err;
    assert_true(encode_to_memory(&format_bmp, &in, &(encode_options){0}, &bytes, &n, &err));
    assert_int_equal(n, HEADERS + 1024 + 3 * 8);
    assert_int_equal(load_le16(bytes + 28), 8);
    assert_int_equal(load_le32(bytes + 10), HEADERS + 1024);
    assert_int_equal(load_le32(bytes + 46), 256);
    for (uint32_t i = 0; i < 256; i++) assert_int_equal(load_le32(bytes + HEADERS + 4 * i), i << 16 | i << 8 | i);
    assert_true(decode_exactly(bytes, n, &plain, &out, &err));
    assert_int_equal(out.channels, 1);
    assert_memory_equal(out.data, in.data, image_bytes(&in));
    free(bytes);
    image_free(&in);
    image_free(&out);
}

static void few_codes_do_not_make_a_large_image(void **state)
{
    (void)state;
    uint8_t file[CODES + 32];
    image img;
    error err;
    size_t n = make_runs(file, 1 << 20, 1 << 20, 1, 8, "\0\1", 2);
    assert_false(decode_exactly(file, n, &(decode_options){.max_pixels = INT64_C(1) << 40}, &img, &err));
    assert_non_null(strstr(err.text, "2 bytes cannot hold the pixels of a 1048576x1048576 BMP"));
    static uint8_t more[CODES + 10000]; /* what follows is none of it */
    n = make_runs(more, 4000, 4000, 1, 8, "\0\1", 2);
    assert_false(decode_exactly(more, n, &plain, &img, &err));
    assert_false(decode_exactly(more, sizeof more, &plain, &img, &err));
    assert_non_null(strstr(err.text, " 2 bytes cannot hold the pixels of a 4000x4000 BMP"));
}

static void what_is_not_read_is_named(void **state)
{
    (void)state;
    static const struct {
        unsigned header, coding, bits;
        const char *kind, *says;
    } files[] = {
        {40, 4, 0, "BM", "a JPEG inside a BMP, which cannot be read"},
        {40, 5, 0, "BM", "a PNG inside a BMP, which cannot be read"},
        {48, 3, 1, "BM", "a BMP of OS/2's Huffman codes, which cannot be read"},
        {40, 12, 8, "BM", "a BMP of compression 12, which cannot be read"},
        {44, 6, 32, "BM", "a BMP of compression 6, which cannot be read"},
        {40, 0, 64, "BM", "a BMP of 64 bits per pixel, which cannot be read"},
        {40, 0, 8, "IC", "an OS/2 icon or pointer, which cannot be read"},
        {40, 1, 4, "BM", "corrupt: a BMP of compression 1 with 4 bits per pixel"},
        {40, 0, 5, "BM", "corrupt: a BMP of compression 0 with 5 bits per pixel"},
    };
    for (size_t k = 0; k < sizeof files / sizeof files[0]; k++) {
        uint8_t file[CODES + 32];
        size_t n = make_runs(file, 3, 2, files[k].coding, files[k].bits, "\0\1", 2);
        image img;
        error err;
        memcpy(file, files[k].kind, 2);
        file[14] = (uint8_t)files[k].header;
        assert_false(decode_exactly(file, n, &plain, &img, &err));
        assert_string_equal(err.text, files[k].says);
    }
    uint8_t file[CODES + 32], array[CODES + 46] = {'B', 'A'};
    size_t n = make_runs(file, 3, 2, 0, 8, "\0\1", 2);
    image img;
    error err;
    memcpy(array + 14, file, n);
    assert_false(decode_exactly(array, n + 14, &plain, &img, &err));
    assert_string_equal(err.text, "an OS/2 array of bitmaps, which cannot be read");
}

/* The length of a stream of runs is known when their end is there, and bounded before. */
static void the_end_of_runs_ends_a_stream(void **state)
{
    (void)state;
    static const char *const names[] = {"rle8.bmp", "rle4.bmp", "rle24.bmp"};
    for (size_t k = 0; k < 3; k++) {
        uint8_t *bytes;
        size_t n;
        uint64_t most;
        error err;
        read_fixture(names[k], &bytes, &n);
        for (size_t cut = 80; cut < n; cut++) {
            assert_true(image_extent(bytes, cut, &plain, &most, &err));
            assert_true(most >= n && most < 1000);
        }
        bytes = realloc(bytes, n + 100);
        assert_non_null(bytes);
        memset(bytes + n, 3, 100);
        assert_true(image_extent(bytes, n + 100, &plain, &most, &err));
        assert_int_equal(most, n);
        free(bytes);
    }
}

static void resolution_is_read_and_written(void **state)
{
    (void)state;
    uint8_t *bytes;
    size_t n;
    image img, out;
    error err;
    read_fixture("rle8.bmp", &bytes, &n);
    assert_true(decode_exactly(bytes, n, &plain, &img, &err));
    assert_true(img.meta.x_per_metre == 3937 && img.meta.y_per_metre == 7874); /* 100 and 200 dpi */
    free(bytes);
    assert_true(encode_to_memory(&format_bmp, &img, &(encode_options){0}, &bytes, &n, &err));
    assert_true(decode_exactly(bytes, n, &plain, &out, &err));
    assert_true(out.meta.x_per_metre == 3937 && out.meta.y_per_metre == 7874);
    assert_memory_equal(out.data, img.data, image_bytes(&img));
    store_le32(bytes + 38, 0xffffffff); /* a negative one says nothing */
    image_free(&out);
    assert_true(decode_exactly(bytes, n, &plain, &out, &err));
    assert_true(out.meta.x_per_metre == 0 && out.meta.y_per_metre == 0);
    free(bytes);
    image_free(&img);
    image_free(&out);
}

static void a_file_over_2_gib_is_refused(void **state)
{
    (void)state;
    image img = {.width = 30000, .height = 30000, .channels = 3, .type = SAT_U8, .row_bytes = 90000};
    uint8_t *bytes;
    size_t n;
    error err;
    assert_false(encode_to_memory(&format_bmp, &img, &(encode_options){0}, &bytes, &n, &err));
    assert_string_equal(err.text, "30000x30000 pixels are too many for BMP; use .png");
}

int main(void)
{
    cmocka_set_message_output(CM_OUTPUT_TAP);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(codes_that_leave_the_image_are_refused),
        cmocka_unit_test(what_is_passed_over_has_the_first_colour),
        cmocka_unit_test(greys_make_a_grey_image),
        cmocka_unit_test(the_palette_ends_where_the_header_says),
        cmocka_unit_test(an_offset_may_leave_out_the_palette),
        cmocka_unit_test(grey_is_written_with_a_ramp),
        cmocka_unit_test(an_alpha_of_nothing_is_opaque),
        cmocka_unit_test(few_codes_do_not_make_a_large_image),
        cmocka_unit_test(what_is_not_read_is_named),
        cmocka_unit_test(the_end_of_runs_ends_a_stream),
        cmocka_unit_test(resolution_is_read_and_written),
        cmocka_unit_test(a_file_over_2_gib_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
