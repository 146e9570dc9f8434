/* TIFFs of more bands than an image has channels: which are read, what is said of the others, and each of them by its
 * number. */
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
                    check_bands(&(kind){.bits = depths[d],
                                        .photometric = cases[i].photometric,
                                        .before = cases[i].before,
                                        .extra = cases[i].extra,
                                        .behind = cases[i].behind,
                                        .planar = layout & 1,
                                        .tiled = layout & 2,
                                        .last_first = layout & 4,
                                        .compression = codecs[codec],
                                        .differences = codecs[codec] && depths[d] % 8 == 0},
                                cases[i].note);
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

/* Of bands that are left out nothing is read, nor of others where one is chosen. */
static void separate_planes_that_are_not_read_may_lack(void **state)
{
    static tiff t;
    (void)state;
    for (int number = 0; number <= 5; number++)
        for (int lacks = 1; lacks <= 5; lacks++) {
            const decode_options opt = {.max_pixels = plain.max_pixels, .channels.number = number};
            image img;
            error err;
            make(&t,
                 &(kind){.bits = 8, .photometric = RGB, .before = 1, .extra = ALPHA, .planar = true, .rows = HEIGHT});
            put_at(&t, first_at(&t, 273) + 4 * (size_t)(lacks - 1), 0, 4);
            put_at(&t, first_at(&t, 279) + 4 * (size_t)(lacks - 1), 0, 4);
            const bool reads = number ? lacks == number : lacks != 4;
            if (reads) {
                refused(&t, &opt, "is not in the file: a sparse TIFF, or a corrupt one");
                continue;
            }
            if (!decode_exactly(t.bytes, t.n, &opt, &img, &err)) fail_msg("%s", err.text);
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

int main(void)
{
    if (!SAT_WITH_LIBTIFF) return puts("1..0 # SKIP built without libtiff") < 0;
    cmocka_set_message_output(CM_OUTPUT_TAP);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_band_of_every_layout_is_reached),
        cmocka_unit_test(bands_of_what_is_no_image_are_read),
        cmocka_unit_test(separate_planes_that_are_not_read_may_lack),
        cmocka_unit_test(a_profile_is_dropped_with_the_colours),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
