/* TIFFs of more bands than an image has channels: which are read, what is said of the others, each of them by its
 * number, and all of them as planes. */
#include "orient.h"
#include "tiff_maker.h"

/* Behind colours, with alpha in front, behind and among them. */
static const struct {
    int photometric, before, extra, behind;
    const char *note;
} cases[] = {
    {RGB, 0, UNNAMED, 0, "band 4 of 4 is left out; --channel 4 reads it"},
    {RGB, 0, NO_EXTRA, 5, "bands 4 to 8 of 8 are left out; --channel N reads one"},
    {RGB, 0, ALPHA, 1, "band 5 of 5 is left out; --channel 5 reads it"},
    {RGB, 1, ALPHA, 0, "band 4 of 5 is left out; --channel 4 reads it"},
    {RGB, 1, PREMULTIPLIED, 2, "bands 4, 6 to 7 of 7 are left out; --channel N reads one"},
    {RGB, 0, PREMULTIPLIED, 4, "bands 5 to 8 of 8 are left out; --channel N reads one"},
    {RGB, 2, ALPHA, 1, "bands 4 to 5, 7 of 7 are left out; --channel N reads one"},
    {RGB, 0, ALPHA, 0, ""},
    {BLACK, 0, UNNAMED, 0, "band 2 of 2 is left out; --channel 2 reads it"},
    {BLACK, 0, NO_EXTRA, 7, "bands 2 to 8 of 8 are left out; --channel N reads one"},
    {BLACK, 3, PREMULTIPLIED, 0, "bands 2 to 4 of 5 are left out; --channel N reads one"},
    {WHITE, 0, ALPHA, 2, "bands 3 to 4 of 4 are left out; --channel N reads one"},
    {WHITE, 0, NO_EXTRA, 0, ""},
};
enum { CASES = sizeof cases / sizeof *cases };

static void check_bands(const kind *k, const char *note)
{
    static tiff t;
    image img;
    error err;
    const bool alpha = k->extra == ALPHA || k->extra == PREMULTIPLIED;
    const int alpha_at = colours(k) + k->before;
    decode_options opt = plain;
    check(k);
    make(&t, k);
    assert_true(decode_exactly(t.bytes, t.n, &opt, &img, &err));
    assert_string_equal(img.meta.note, note);
    image_free(&img);
    for (int n = 0; n < samples(k); n++) {
        opt.channels.number = n + 1;
        if (!decode_exactly(t.bytes, t.n, &opt, &img, &err)) fail_msg("band %d: %s", n + 1, err.text);
        check_pixels(&t, &img, n < colours(k) ? colours(k) : 0, n);
        assert_string_equal(img.meta.note, "");
        image_free(&img);
    }
    opt.channels = (channel_choice){.name = 'a'};
    if (decode_exactly(t.bytes, t.n, &opt, &img, &err) != alpha) fail_msg("alpha: %s", err.text);
    if (alpha) check_pixels(&t, &img, 0, alpha_at);
    if (alpha) assert_string_equal(img.meta.note, "");
    image_free(&img);
    char words[64];
    snprintf(words, sizeof words, "there is no channel %d: the TIFF has %d band", samples(k) + 1, samples(k));
    opt.channels = (channel_choice){.number = samples(k) + 1};
    refused(&t, &opt, words);
}

/* All bands, each as if it were alone, but that colours stay multiplied by alpha. */
static void check_planes(const kind *k, bool left_out)
{
    static tiff t;
    image img;
    error err;
    decode_options opt = plain;
    make(&t, k);
    for (int few = 0; few < 2; few++) {
        opt.planes_from = few ? samples(k) + 1 : 2;
        const bool planes = left_out && opt.planes_from <= samples(k);
        assert_true(decode_exactly(t.bytes, t.n, &opt, &img, &err));
        assert_int_equal(img.planes, planes ? samples(k) : 1);
        assert_true(!planes || strstr(img.meta.note, "is alpha") || !img.meta.note[0]);
        for (int n = 0; planes && n < samples(k); n++) {
            image one = img;
            one.planes = 1;
            one.data = (char *)img.data + (size_t)n * image_bytes(&img);
            if (k->extra == PREMULTIPLIED) t.k.extra = ALPHA;
            check_pixels(&t, &one, n < colours(k) ? colours(k) : 0, n);
            t.k.extra = k->extra;
        }
        image_free(&img);
    }
}

static void every_band_of_every_layout_is_reached(void **state)
{
    static const int depths[] = {1, 8, 12, 16, 32};
    static const int codecs[] = {0, DEFLATE, PACKBITS};
    (void)state;
    for (int i = 0; i < CASES; i++)
        for (size_t d = 0; d < sizeof depths / sizeof *depths; d++)
            for (int layout = 0; layout < 8; layout++)
                for (int codec = 0; codec < 3; codec++) {
                    if (cases[i].photometric == WHITE && depths[d] == 32) continue;
                    const kind k = {.bits = depths[d],
                                    .photometric = cases[i].photometric,
                                    .before = cases[i].before,
                                    .extra = cases[i].extra,
                                    .behind = cases[i].behind,
                                    .planar = layout & 1,
                                    .tiled = layout & 2,
                                    .last_first = layout & 4,
                                    .compression = codecs[codec],
                                    .differences = codecs[codec] && depths[d] % 8 == 0};
                    check_bands(&k, cases[i].note);
                    check_planes(&k, cases[i].note[0] != 0);
                }
}

/* What cannot be read as an image may have bands. */
static void bands_of_what_is_no_image_are_read(void **state)
{
    static tiff t;
    (void)state;
    static const struct {
        kind k;
        const char *words; /* without a number, or with that of a colour */
        int first;         /* band that is read */
    } odd[] = {
        {{.bits = 8, .photometric = CMYK, .extra = NO_EXTRA, .behind = 3}, "CMYK", 1},
        {{.bits = 16, .photometric = RGB, .extra = PREMULTIPLIED, .behind = 2, .format = 2}, "multiplied", 4},
        {{.bits = 32, .photometric = WHITE, .extra = UNNAMED, .behind = 1}, "0 is white", 2},
    };
    for (size_t i = 0; i < sizeof odd / sizeof *odd; i++)
        for (int number = 0; number <= samples(&odd[i].k); number++) {
            const decode_options opt = {.max_pixels = plain.max_pixels, .channels.number = number};
            image img;
            error err;
            make(&t, &odd[i].k);
            if (number < odd[i].first) {
                refused(&t, &opt, odd[i].words);
                continue;
            }
            if (!decode_exactly(t.bytes, t.n, &opt, &img, &err)) fail_msg("%s", err.text);
            assert_int_equal(img.channels, 1);
            for (int p = 0; p < WIDTH * HEIGHT; p++) {
                const void *stored = &t.values[p * samples(&odd[i].k) + number - 1];
                const size_t size = (size_t)odd[i].k.bits / 8;
                assert_memory_equal((const char *)img.data + (size_t)p * size, stored, size);
            }
            image_free(&img);
        }
}

/* Strips of bands that are left out are not counted, nor those of others where one is chosen. */
static void separate_planes_that_are_not_read_may_lack(void **state)
{
    static tiff t;
    (void)state;
    for (int number = 0; number <= 5; number++)
        for (int lacks = 1; lacks <= 5; lacks++) {
            const decode_options opt = {.max_pixels = plain.max_pixels, .channels.number = number};
            const bool reads = number ? lacks == number : lacks != 4;
            image img;
            error err;
            make(&t, &(kind){.bits = 8, .photometric = RGB, .before = 1, .extra = ALPHA, .planar = true, .rows = 4});
            for (int i = 0; i < 5; i++) leave_out(&t, 5 * (lacks - 1) + i);
            if (!decode_exactly(t.bytes, t.n, &opt, &img, &err)) fail_msg("%s", err.text);
            assert_int_equal(img.meta.blocks_missing, reads ? 5 : 0);
            image_free(&img);
        }
}

/* A profile says what colours are: it stays with the one of a grey picture. */
static void a_profile_is_dropped_with_the_colours(void **state)
{
    (void)state;
    for (int channels = 2; channels <= 4; channels += 2)
        for (int number = 0; number <= channels; number++) {
            const decode_options opt = {.max_pixels = plain.max_pixels, .channels.number = number};
            image img = random_image(5, 3, channels, SAT_U8, 1), out;
            uint8_t *bytes;
            size_t n;
            error err;
            img.meta.icc = calloc(1, 128);
            img.meta.icc_bytes = 128;
            assert_true(encode_to_memory(&format_tiff, &img, &(encode_options){0}, &bytes, &n, &err));
            assert_true(decode_exactly(bytes, n, &opt, &out, &err));
            assert_int_equal(out.meta.icc_bytes, number == 0 || (channels == 2 && number == 1) ? 128 : 0);
            image_free(&img);
            image_free(&out);
            free(bytes);
        }
}

/* Planes are written and read back, with what they are. */
static void planes_come_back(void **state)
{
    static const sat_type types[] = {SAT_U8, SAT_U16, SAT_I16, SAT_U32, SAT_F32, SAT_F64};
    static const int counts[] = {2, 5, 33, PLANES_MAX};
    static const char *const codecs[] = {"deflate", "none", "lzw", "packbits"};
    static const char *const names[] = {"tiff", "npy"};
    (void)state;
    for (size_t i = 0; i < 6 * 4 * 4; i++) {
        const int planes = counts[i / 6 % 4];
        image img, out;
        error err;
        uint8_t *bytes;
        size_t n;
        decode_options opt = plain;
        const image_format *format = format_by_name(names[i % 5 == 0 && planes > 4]);
        assert_true(
            image_alloc_planes(&img, planes > 100 ? 7 : 300, planes > 100 ? 5 : 301, planes, types[i % 6], &err));
        for (size_t k = 0; k < image_bytes(&img) * (size_t)planes; k++) ((uint8_t *)img.data)[k] = (uint8_t)(k * k / 3);
        img.meta.colours = planes % 3 == 0 ? 3 : 1;
        img.meta.alpha = planes > 4 ? planes - 1 : 0;
        img.meta.premultiplied = planes == 33;
        img.meta.big = i % 2;
        assert_true(encode_to_memory(format, &img, &(encode_options){.compression = codecs[i / 24]}, &bytes, &n, &err));
        opt.planes_from = 2;
        if (!decode_exactly(bytes, n, &opt, &out, &err)) fail_msg("%s", err.text);
        assert_int_equal(out.planes, planes);
        assert_int_equal(out.type, img.type);
        assert_memory_equal(out.data, img.data, image_bytes(&img) * (size_t)planes);
        if (format == &format_tiff) {
            assert_int_equal(bytes[2], img.meta.big ? 43 : 42);
            assert_int_equal(out.meta.big, img.meta.big);
            assert_int_equal(out.meta.colours, img.meta.colours);
            assert_int_equal(out.meta.alpha, img.meta.alpha);
            assert_int_equal(out.meta.premultiplied, img.meta.premultiplied);
        }
        image_free(&out);
        opt.channels.number = planes;
        if (!decode_exactly(bytes, n, &opt, &out, &err)) fail_msg("%s", err.text);
        assert_int_equal(image_bands(&out), 1);
        assert_memory_equal(out.data, (char *)img.data + image_bytes(&img) * (size_t)(planes - 1), image_bytes(&img));
        image_free(&out);
        free(bytes);
        image_free(&img);
    }
}

/* Of a TIFF of more, one band is read at a time. */
static void planes_are_not_without_end(void **state)
{
    (void)state;
    image img, out;
    error err;
    uint8_t *bytes;
    size_t n;
    decode_options opt = {.max_pixels = plain.max_pixels, .planes_from = 2};
    assert_true(image_alloc_planes(&img, 1, 1, PLANES_MAX + 1, SAT_U16, &err));
    for (int i = 0; i <= PLANES_MAX; i++) ((uint16_t *)img.data)[i] = (uint16_t)i;
    assert_true(encode_to_memory(&format_tiff, &img, &(encode_options){.compression = "none"}, &bytes, &n, &err));
    assert_false(decode_exactly(bytes, n, &opt, &out, &err));
    assert_non_null(
        strstr(err.text, "a TIFF of 1025 bands; at most 1024 are read together, and --channel N reads one"));
    opt.channels.number = PLANES_MAX + 1;
    assert_true(decode_exactly(bytes, n, &opt, &out, &err));
    assert_int_equal(*(uint16_t *)out.data, PLANES_MAX);
    image_free(&out);
    image_free(&img);
    free(bytes);
}

/* Each stored orientation of planes is that of each plane alone. */
static void planes_are_turned(void **state)
{
    (void)state;
    for (int orientation = 1; orientation <= 8; orientation++) {
        image img, one;
        error err;
        assert_true(image_alloc_planes(&img, 130, 71, 6, SAT_U16, &err));
        for (int64_t i = 0; i < image_samples(&img); i++) ((uint16_t *)img.data)[i] = (uint16_t)(i * 31);
        assert_true(image_alloc(&one, 130, 71, 1, SAT_U16, &err));
        const size_t plane = image_bytes(&one);
        memcpy(one.data, (char *)img.data + 4 * plane, plane);
        img.meta.orientation = one.meta.orientation = orientation;
        assert_true(image_orient(&img, 3, &err) && image_orient(&one, 1, &err));
        assert_int_equal(img.width, one.width);
        assert_memory_equal((char *)img.data + 4 * plane, one.data, plane);
        image_free(&img);
        image_free(&one);
    }
}

int main(void)
{
    if (!SAT_WITH_LIBTIFF) return puts("1..0 # SKIP built without libtiff") < 0;
    cmocka_set_message_output(CM_OUTPUT_TAP);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_band_of_every_layout_is_reached),
        cmocka_unit_test(bands_of_what_is_no_image_are_read),
        cmocka_unit_test(separate_planes_that_are_not_read_may_lack),
        cmocka_unit_test(a_profile_is_dropped_with_the_colours),
        cmocka_unit_test(planes_come_back),
        cmocka_unit_test(planes_are_not_without_end),
        cmocka_unit_test(planes_are_turned),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
