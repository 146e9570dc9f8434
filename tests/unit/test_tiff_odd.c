/* TIFFs of odd writers decode to what was meant, or are refused in words; and Deflate and predictors, which libtiff
 * leaves to us. */
#include "tiff_maker.h"

/* Also with a last strip of more rows than the image has left, which some writers make. */
static void deflate_decodes_to_its_pixels(void **state)
{
    static const int depths[] = {1, 4, 8, 12, 16, 32};
    (void)state;
    for (size_t d = 0; d < sizeof depths / sizeof *depths; d++) {
        for (int extra = NO_EXTRA; extra <= UNNAMED; extra++) {
            for (int layout = 0; layout < 64; layout++) {
                kind k = {.bits = depths[d],
                          .photometric = layout & 1 ? RGB : BLACK,
                          .extra = extra,
                          .planar = layout & 2,
                          .tiled = layout & 4,
                          .last_first = layout & 8,
                          .differences = layout & 16,
                          .more_rows = layout & 32 ? 1 : 0,
                          .rows = 4,
                          .compression = DEFLATE};
                if (!k.differences || depths[d] == 8 || depths[d] >= 16) check(&k);
            }
        }
    }
}

static void deflate_of_other_sizes_is_refused(void **state)
{
    static tiff t;
    (void)state;
    kind k = {.bits = 8, .photometric = BLACK, .extra = NO_EXTRA, .rows = 4, .compression = DEFLATE};
    make(&t, &k);
    put_at(&t, value_at(&t, 256), WIDTH - 1, 2);
    refused(&t, &plain, "corrupt: strip 0 of the TIFF has too many pixels");
    make(&t, &k);
    put_at(&t, value_at(&t, 256), WIDTH + 1, 2);
    refused(&t, &plain, "corrupt: strip 0 of the TIFF has too few pixels");
    make(&t, &k);
    t.bytes[HEADER + 20] ^= 1;
    refused(&t, &plain, "corrupt: strip 0 of the TIFF cannot be inflated");
    k.more_rows = 2;
    make(&t, &k);
    refused(&t, &plain, "corrupt: strip 4 of the TIFF has too many pixels");
}

/* libtiff undoes differences behind some codecs only, and passes over the tag beside others. */
static void differences_in_packbits_are_undone(void **state)
{
    static const int depths[] = {8, 16, 32};
    (void)state;
    for (size_t d = 0; d < sizeof depths / sizeof *depths; d++)
        for (int layout = 0; layout < 128; layout++) {
            kind k = {.bits = depths[d],
                      .photometric = layout & 1 ? RGB : BLACK,
                      .extra = layout & 2 ? ALPHA : NO_EXTRA,
                      .planar = layout & 4,
                      .tiled = layout & 8,
                      .last_first = layout & 16,
                      .big = layout & 32,
                      .differences = !(layout & 64),
                      .of_bytes = layout & 64,
                      .compression = PACKBITS};
            if (k.differences || depths[d] == 32) check(&k);
            k.compression = DEFLATE;
            if (k.of_bytes && depths[d] == 32) check(&k);
        }
}

/* Where readers do not agree whether the samples are differences. */
static void differences_that_are_not_undone_are_refused(void **state)
{
    static tiff t;
    (void)state;
    for (int layout = 0; layout < 4; layout++) {
        kind k = {.bits = 32, .photometric = BLACK, .extra = NO_EXTRA, .last_first = layout & 1, .big = layout & 2};
        k.differences = true;
        make(&t, &k);
        refused(&t, &plain, "a TIFF in compression 1 (None) with predictor 2, which cannot be read");
        k.differences = false, k.of_bytes = true;
        make(&t, &k);
        refused(&t, &plain, "a TIFF in compression 1 (None) with predictor 3, which cannot be read");
    }
    make(&t, &(kind){.bits = 8, .photometric = BLACK, .extra = NO_EXTRA, .compression = JPEG, .differences = true});
    refused(&t, &plain, "a TIFF in compression 7 (JPEG) with predictor 2, which cannot be read");
    make(&t, &(kind){.bits = 4, .photometric = BLACK, .extra = NO_EXTRA, .compression = PACKBITS, .differences = true});
    refused(&t, &plain, "a TIFF in compression 32773 (PackBits) with predictor 2, which cannot be read");
    make(&t, &(kind){.bits = 16, .photometric = BLACK, .extra = NO_EXTRA, .compression = PACKBITS, .of_bytes = true});
    refused(&t, &plain, "a TIFF in compression 32773 (PackBits) with predictor 3, which cannot be read");
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

/* libtiff reports a unit of resolution that there is not, and goes on: of a copy that is passed over, it is no error.
 */
static void an_error_in_a_copy_that_is_passed_over_does_not_concern_the_pixels(void **state)
{
    static tiff t;
    image img;
    error err;
    (void)state;
    make(&t, &(kind){.bits = 8, .photometric = BLACK, .extra = NO_EXTRA, .rows = HEIGHT});
    size_t directory = (size_t)t.bytes[6] << 8 | t.bytes[7];
    put_at(&t, directory + 2 + 12 * (size_t)t.bytes[directory + 1], t.n, 4);
    put_directory(&t,
                  (const field[]){{254, LONG, 1, {1}},
                                  {256, SHORT, 1, {1}},
                                  {257, SHORT, 1, {1}},
                                  {258, SHORT, 1, {8}},
                                  {262, SHORT, 1, {BLACK}},
                                  {273, LONG, 1, {HEADER}},
                                  {279, LONG, 1, {1}},
                                  {296, SHORT, 1, {77}}},
                  8);
    if (!decode_exactly(t.bytes, t.n, &plain, &img, &err)) fail_msg("%s", err.text);
    assert_int_equal(got(&img, 7), wanted(&t, 7, 0));
    image_free(&img);
}

/* What the pixels of a block have that was left out: the same in each stored sample. */
static void expect_missing(tiff *t, int block, uint32_t stored)
{
    const kind *k = &t->k;
    const int across = k->tiled ? (WIDTH + TILE - 1) / TILE : 1, height = k->tiled ? TILE : 4,
              down = (HEIGHT + height - 1) / height, plane = block / (across * down), at = block % (across * down),
              x0 = at % across * TILE, y0 = at / across * height, x1 = k->tiled ? x0 + TILE : WIDTH;
    for (int y = y0; y < HEIGHT && y < y0 + height; y++)
        for (int x = x0; x < WIDTH && x < x1; x++)
            for (int s = 0; s < samples(k); s++)
                if (!k->planar || s == plane) t->values[(y * WIDTH + x) * samples(k) + s] = stored;
}

/* As GDAL fills them: with the value for no data in the range of the stored samples, or zeros. */
static void missing_blocks_have_no_data(void **state)
{
    static const int depths[] = {1, 4, 8, 12, 16, 32}, compressions[] = {0, DEFLATE, PACKBITS};
    static const struct {
        const char *text;
        double value;
    } nodata[] = {{NULL, 0}, {"1", 1}, {"-5", -5}, {"1e9", 1e9}, {"nan", 0}, {"?", 0}};
    static tiff t;
    (void)state;
    for (size_t d = 0; d < sizeof depths / sizeof *depths; d++)
        for (int layout = 0; layout < 8; layout++)
            for (int c = 0; c < 3; c++)
                for (size_t v = 0; v < sizeof nodata / sizeof *nodata; v++) {
                    const kind k = {.bits = depths[d],
                                    .photometric = layout & 1                ? RGB
                                                   : v % 2 && depths[d] < 32 ? WHITE
                                                                             : BLACK,
                                    .extra = UNNAMED,
                                    .planar = layout & 2,
                                    .tiled = layout & 4,
                                    .compression = compressions[c],
                                    .nodata = nodata[v].text};
                    if (depths[d] == 32 && v == 4) continue; /* NaN is equal to nothing */
                    const double most = depths[d] == 32 ? 2e9 : (1u << depths[d]) - 1,
                                 value = fmin(fmax(nodata[v].value, depths[d] == 32 ? -2e9 : 0), most);
                    const float real = (float)value;
                    uint32_t stored = (uint32_t)fabs(value);
                    if (depths[d] == 32) memcpy(&stored, &real, sizeof stored);
                    make(&t, &k);
                    const int blocks = (k.tiled ? 4 : 5) * (k.planar ? samples(&k) : 1), all = v == 1;
                    for (int b = 0; b < blocks; b++) {
                        if (!all && b % 3 == 1) continue;
                        leave_out(&t, b);
                        expect_missing(&t, b, stored);
                    }
                    image img;
                    error err;
                    if (!decode_exactly(t.bytes, t.n, &plain, &img, &err)) fail_msg("%s", err.text);
                    check_pixels(&t, &img, colours(&k), -1);
                    assert_int_equal(img.meta.blocks_all, (k.tiled ? 4 : 5) * (k.planar ? colours(&k) : 1));
                    assert_true(img.meta.blocks_missing > 0 && (img.meta.blocks_missing == img.meta.blocks_all) == all);
                    image_free(&img);
                }
}

int main(void)
{
    if (!SAT_WITH_LIBTIFF) return puts("1..0 # SKIP built without libtiff") < 0;
    cmocka_set_message_output(CM_OUTPUT_TAP);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(deflate_decodes_to_its_pixels),
        cmocka_unit_test(deflate_of_other_sizes_is_refused),
        cmocka_unit_test(differences_in_packbits_are_undone),
        cmocka_unit_test(differences_that_are_not_undone_are_refused),
        cmocka_unit_test(a_volume_is_no_picture),
        cmocka_unit_test(a_field_of_unknown_type_is_skipped),
        cmocka_unit_test(an_error_in_a_copy_that_is_passed_over_does_not_concern_the_pixels),
        cmocka_unit_test(lzw_of_old_writers_is_read),
        cmocka_unit_test(missing_blocks_have_no_data),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
