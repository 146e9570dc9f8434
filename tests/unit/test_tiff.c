/* TIFF: every depth, meaning, order and layout of samples decodes to the pixels that the specification says; what
 * cannot be read is refused in words.  The files are made here, without libtiff; other tests read those of other
 * software. */
#include "tiff_maker.h"

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
        {{.bits = 24, .photometric = BLACK, .extra = NO_EXTRA, .format = 3}, "24-bit float samples"},
        {{.bits = 32, .photometric = WHITE, .extra = NO_EXTRA}, "0 is white"},
        {{.bits = 8, .photometric = CMYK, .extra = NO_EXTRA}, "CMYK"},
        {{.bits = 8, .photometric = 6, .extra = NO_EXTRA}, "corrupt: "},
        {{.bits = 8, .photometric = 8, .extra = NO_EXTRA}, "photometric interpretation 8"},
        {{.bits = 1, .photometric = BLACK, .extra = NO_EXTRA, .compression = 32766}, "compression 32766 (NeXT)"},
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
        {false, 257, 20, "too few strips"},
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
            refused(&t, &plain, "a TIFF of several pictures, in 2 pages; --page N reads one, the first is 0");
        }
        decode_options page = plain;
        for (page.page = 1; page.page <= 2; page.page++) {
            assert_true(decode_exactly(t.bytes, t.n, &page, &img, &err));
            assert_int_equal(img.width, page.page == 1 ? WIDTH : 1);
            assert_int_equal(img.meta.pages, 2);
            image_free(&img);
        }
        refused(&t, &page, "there is no page 2: the TIFF has 2, from 0 to 1");
    }
    make(&t, &k);
    put_at(&t, next_at(&t), (size_t)t.bytes[7] | (size_t)t.bytes[6] << 8, 4); /* the next one is this one */
    if (!decode_exactly(t.bytes, t.n, &plain, &img, &err)) fail_msg("%s", err.text);
    assert_int_equal(got(&img, 7), wanted(&t, 7, 0));
    image_free(&img);
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
        cmocka_unit_test(geotiff_is_carried_to_a_tiff),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
