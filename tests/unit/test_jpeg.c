/* JPEG: pixels as libjpeg decodes them, and what stands in the segments. */
#include "codec_test.h"

static image decode_fixture(const char *name)
{
    uint8_t *bytes;
    size_t n;
    image img;
    error err;
    read_fixture(name, &bytes, &n);
    if (!decode_exactly(bytes, n, &plain, &img, &err)) fail_msg("%s: %s", name, err.text);
    free(bytes);
    return img;
}

static void pixels_are_those_of_libjpeg(void **state)
{
    (void)state;
    static const char *const names[] = {"rgb420.jpg",      "rgb444.jpg",      "progressive.jpg",  "grey.jpg",
                                        "sampling410.jpg", "sampling311.jpg", "sampling-odd.jpg", "arithmetic.jpg",
                                        "scans.jpg",       "restarts.jpg"};
    for (size_t k = 0; k < sizeof names / sizeof names[0]; k++) {
        if (!SAT_WITH_LIBJPEG && strncmp(names[k], "sampling", 8) == 0) continue; /* chroma far from libjpeg's */
        if (!SAT_WITH_LIBJPEG && strcmp(names[k], "arithmetic.jpg") == 0) continue;
        image img = decode_fixture(names[k]);
        char raw[64];
        snprintf(raw, sizeof raw, "%s.raw", names[k]);
        uint8_t *expected;
        size_t n;
        read_fixture(raw, &expected, &n);
        assert_int_equal(img.width, 40);
        assert_int_equal(img.height, 24);
        assert_int_equal(img.channels, k == 3 ? 1 : 3);
        assert_int_equal(image_bytes(&img), n);
        for (size_t i = 0; i < n; i++) {
            int difference = abs(((uint8_t *)img.data)[i] - expected[i]);
            /* libjpeg-turbo: the same; stb rounds and interpolates chroma in its own way */
            if (difference > (SAT_WITH_LIBJPEG ? 0 : 6))
                fail_msg("%s: byte %zu differs by %d", names[k], i, difference);
        }
        free(expected);
        image_free(&img);
    }
}

static void insert(uint8_t **bytes, size_t *n, size_t at, const char *what, size_t what_n)
{
    *bytes = realloc(*bytes, *n + what_n);
    assert_non_null(*bytes);
    memmove(*bytes + at + what_n, *bytes + at, *n - at);
    memcpy(*bytes + at, what, what_n);
    *n += what_n;
}

/* Bytes behind the decoded pixels, or pixels that lack only an end marker: the pixels of the whole file, and a note, or
 * with `strict` an error. */
static void assert_noted(const uint8_t *bytes, size_t n, const image *want, const char *words)
{
    decode_options strict = plain;
    image img;
    error err;
    strict.strict = true;
    if (!decode_exactly(bytes, n, &plain, &img, &err)) fail_msg("%s", err.text);
    assert_memory_equal(img.data, want->data, image_bytes(want));
    if (strncmp(img.meta.note, "the JPEG has ", 13) != 0 || !strstr(img.meta.note, words))
        fail_msg("the note: %s", img.meta.note);
    image_free(&img);
    assert_false(decode_exactly(bytes, n, &strict, &img, &err));
}

static void a_truncation_is_an_error_unless_all_pixels_are_there(void **state)
{
    (void)state;
    static const char *const names[] = {"rgb420.jpg", "progressive.jpg", "grey.jpg", "restarts.jpg", "arithmetic.jpg"};
    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        image want = {0}, img;
        uint8_t *bytes;
        size_t n;
        int whole = 0;
        error err;
        if (strcmp(names[k], "arithmetic.jpg") != 0 || SAT_WITH_LIBJPEG) want = decode_fixture(names[k]);
        read_fixture(names[k], &bytes, &n);
        for (size_t cut = 0; cut < n; cut++) {
            if (!decode_exactly(bytes, cut, &plain, &img, &err)) continue;
            image_free(&img);
            whole++;
            assert_noted(bytes, cut, &want, "no end marker");
        }
        /* Without the marker, or its last byte. */
        assert_int_equal(whole, SAT_WITH_LIBJPEG && strcmp(names[k], "progressive.jpg") != 0 && k < 4 ? 2 : 0);
        free(bytes);
        image_free(&want);
    }
}

/* As webcams leave them; of more, a damaged code is the cause. */
static void few_stray_bytes_behind_pixels_are_noted(void **state)
{
    (void)state;
    if (!SAT_WITH_LIBJPEG) skip(); /* stb does not tell */
    static const char *const names[] = {"rgb420.jpg", "grey.jpg", "restarts.jpg", "scans.jpg"};
    static const char bytes_of[] = "bytes that no pixel needs and no marker, of which a few are skipped";
    enum { FEW = 8, UNSEEN = 8 /* at most, in the decoder's buffer of bits */ };
    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        image want = decode_fixture(names[k]), img;
        bool noted = false;
        for (size_t count = 1; count < sizeof bytes_of; count++) {
            uint8_t *bytes;
            size_t n;
            error err;
            read_fixture(names[k], &bytes, &n);
            insert(&bytes, &n, n - 2, bytes_of, count);
            const bool ok = decode_exactly(bytes, n, &plain, &img, &err);
            if (ok != (count <= FEW) && (count <= FEW || count > FEW + UNSEEN))
                fail_msg("%s: %zu stray bytes", names[k], count);
            if (ok) assert_memory_equal(img.data, want.data, image_bytes(&want));
            const bool note = ok && img.meta.note[0];
            image_free(&img);
            if (note) assert_noted(bytes, n, &want, "stray bytes");
            noted = noted || note;
            free(bytes);
        }
        assert_true(noted);
        image_free(&want);
    }
}

/* A damaged code leaves as few there, and wrong pixels. */
static void stray_bytes_before_a_restart_are_refused(void **state)
{
    (void)state;
    if (!SAT_WITH_LIBJPEG) skip();
    uint8_t *bytes;
    size_t n, at;
    image img;
    error err;
    read_fixture("restarts.jpg", &bytes, &n);
    for (at = n - 2; bytes[at] != 0xFF || bytes[at + 1] != 0xD1;) at--;
    insert(&bytes, &n, at, "not of pixels", 13);
    assert_false(decode_exactly(bytes, n, &plain, &img, &err));
    free(bytes);
}

static void an_end_marker_does_not_hide_missing_pixels(void **state)
{
    (void)state;
    if (!SAT_WITH_LIBJPEG) skip(); /* stb fills what is missing and does not tell */
    uint8_t *bytes;
    size_t n;
    image img;
    error err;
    read_fixture("rgb420.jpg", &bytes, &n);
    size_t cut = n - 100; /* among the coded pixels */
    bytes[cut] = 0xFF;
    bytes[cut + 1] = 0xD9;
    assert_false(decode_exactly(bytes, cut + 2, &plain, &img, &err));
    if (!strstr(err.text, "corrupt: ") || strstr(err.text, "Corrupt")) fail_msg("%s", err.text);
    free(bytes);
}

/* Beside the pixels: they are those of the fixture, and libjpeg's warnings are no reason to refuse them. */
static void noise_between_segments_hurts_no_pixel(void **state)
{
    (void)state;
    static const char *const names[] = {"rgb420.jpg", "progressive.jpg", "grey.jpg"};
    for (size_t k = 0; k < 3; k++) {
        image want = decode_fixture(names[k]);
        for (int noise = 0; noise < 3; noise++) {
            uint8_t *bytes;
            size_t n;
            image img;
            error err;
            read_fixture(names[k], &bytes, &n);
            assert_memory_equal(bytes + 6, "JFIF", 5);
            size_t second = 4 + 16; /* behind SOI and JFIF's segment */
            if (noise == 0) bytes[11] = 2;
            if (noise == 1) insert(&bytes, &n, second, "\0stray", 6);
            if (noise == 2) insert(&bytes, &n, second, "\xFF\0\xFF\xFF", 4);
            if (!decode_exactly(bytes, n, &plain, &img, &err)) fail_msg("%s, noise %d: %s", names[k], noise, err.text);
            assert_int_equal(image_bytes(&img), image_bytes(&want));
            assert_memory_equal(img.data, want.data, image_bytes(&img));
            assert_true(img.meta.x_per_metre == want.meta.x_per_metre);
            image_free(&img);
            free(bytes);
        }
        image_free(&want);
    }
}

/* Where the segment at `at` ends, with the coded pixels behind it; 0 for the end marker. */
static size_t segment_end(const uint8_t *bytes, size_t at)
{
    int code = bytes[at + 1];
    if (code == 0xD9) return 0;
    at += 2 + (size_t)(bytes[at + 2] << 8 | bytes[at + 3]);
    if (code != 0xDA) return at;
    while (bytes[at] != 0xFF || bytes[at + 1] == 0) at++;
    return at;
}

/* Behind the scans of a progressive file too, and a comment whose length is 0: libjpeg and Pillow read both. */
static void stray_bytes_before_any_segment_are_skipped(void **state)
{
    (void)state;
    static const struct {
        const char *bytes;
        size_t n;
    } noises[] = {{"stray bytes, all of them", 24}, {"\xFF\xFE\0", 4}};
    image want = decode_fixture("progressive.jpg");
    for (size_t k = 0; k < 2; k++) {
        int segments = 0;
        uint8_t *bytes;
        size_t n;
        read_fixture("progressive.jpg", &bytes, &n);
        for (size_t at = segment_end(bytes, 2); segment_end(bytes, at); at = segment_end(bytes, at), segments++) {
            uint8_t *noisy = malloc(n);
            size_t noisy_n = n;
            image img;
            error err;
            assert_non_null(noisy);
            memcpy(noisy, bytes, n);
            insert(&noisy, &noisy_n, at, noises[k].bytes, noises[k].n);
            if (!decode_exactly(noisy, noisy_n, &plain, &img, &err)) fail_msg("segment %d: %s", segments, err.text);
            assert_memory_equal(img.data, want.data, image_bytes(&want));
            image_free(&img);
            free(noisy);
        }
        assert_true(segments > 10);
        free(bytes);
    }
    image_free(&want);
}

static void zeros_before_the_end_marker_are_padding(void **state)
{
    (void)state;
    static const char *const names[] = {"rgb420.jpg", "progressive.jpg", "grey.jpg"};
    enum { PADDING = 200 };
    for (size_t k = 0; k < 3; k++) {
        image want = decode_fixture(names[k]), img;
        uint8_t *bytes;
        size_t n;
        error err;
        read_fixture(names[k], &bytes, &n);
        insert(&bytes, &n, n - 2, (const char[PADDING]){0}, PADDING);
        insert(&bytes, &n, n, "behind", 6);
        if (!decode_exactly(bytes, n, &plain, &img, &err)) fail_msg("%s: %s", names[k], err.text);
        assert_memory_equal(img.data, want.data, image_bytes(&want));
        image_free(&img);
        bytes[n - 6 - 2 - PADDING / 2] = 1; /* which pixels may have been damaged to */
        bool ok = decode_exactly(bytes, n, &plain, &img, &err);
        assert_true(ok == !SAT_WITH_LIBJPEG); /* stb does not tell */
        image_free(&img);
        free(bytes);
        image_free(&want);
    }
}

static void damage_anywhere_never_crashes(void **state)
{
    (void)state;
    static const char *const names[] = {"rgb420.jpg", "rgb444.jpg",      "progressive.jpg", "grey.jpg",
                                        "cmyk.jpg",   "sampling410.jpg", "arithmetic.jpg",  "scans.jpg"};
    uint32_t seed = 11;
    for (size_t k = 0; k < sizeof names / sizeof names[0]; k++) {
        uint8_t *bytes;
        size_t n;
        read_fixture(names[k], &bytes, &n);
        for (int i = 0; i < 300; i++) {
            uint8_t *copy = malloc(n);
            assert_non_null(copy);
            memcpy(copy, bytes, n);
            for (int j = 0; j <= i % 3; j++) copy[next_random(&seed) % n] = (uint8_t)next_random(&seed);
            image img;
            error err;
            bool ok = decode_exactly(copy, n, &plain, &img, &err);
            if (!ok && strstr(err.text, "()")) fail_msg("a function's name: %s", err.text);
            image_free(&img);
            free(copy);
        }
        free(bytes);
    }
}

static void what_no_library_reads_is_unsupported_by_name(void **state)
{
    (void)state;
    static const struct {
        uint8_t code, depth, components;
        const char *says;
    } files[] = {{0xC3, 8, 1, "a lossless JPEG, which cannot be read"},
                 {0xC5, 8, 1, "a hierarchical JPEG, which cannot be read"},
                 {0xF7, 8, 1, "a JPEG-LS file, which cannot be read"},
                 {0xC1, 12, 1, "a JPEG of 12 bits per sample; only those of 8 can be read"},
                 {0xC0, 8, 2, "a JPEG of 2 components, which cannot be read"},
                 {0xC0, 8, 0, "a JPEG whose height follows its pixels, which cannot be read"}};
    for (size_t k = 0; k < sizeof files / sizeof files[0]; k++) {
        uint8_t *bytes;
        size_t n;
        image img;
        error err;
        read_fixture("grey.jpg", &bytes, &n);
        for (size_t at = 2; at; at = segment_end(bytes, at)) {
            if (bytes[at + 1] != 0xC0) continue;
            bytes[at + 1] = files[k].code;
            bytes[at + 4] = files[k].depth;
            bytes[at + 9] = files[k].components ? files[k].components : 1;
            if (files[k].components == 0) bytes[at + 5] = bytes[at + 6] = 0; /* the height */
        }
        assert_false(decode_exactly(bytes, n, &plain, &img, &err));
        assert_string_equal(err.text, files[k].says);
        free(bytes);
    }
    if (SAT_WITH_LIBJPEG) return;
    uint8_t *bytes;
    size_t n;
    image img;
    error err;
    read_fixture("arithmetic.jpg", &bytes, &n);
    assert_false(decode_exactly(bytes, n, &plain, &img, &err));
    assert_non_null(strstr(err.text, "an arithmetically coded JPEG"));
    free(bytes);
}

/* Few bytes that take as long as many pictures. */
static void a_scan_over_and_over_is_refused(void **state)
{
    (void)state;
    if (!SAT_WITH_LIBJPEG) skip(); /* stb has no such limit */
    enum { TIMES = 500 };
    uint8_t *bytes;
    size_t n, at = 2;
    image img;
    error err;
    read_fixture("scans.jpg", &bytes, &n);
    while (bytes[at + 1] != 0xDA) at = segment_end(bytes, at);
    size_t scan = segment_end(bytes, at) - at;
    uint8_t *many = malloc(n + TIMES * scan);
    assert_non_null(many);
    memcpy(many, bytes, at);
    for (size_t i = 0; i < TIMES; i++) memcpy(many + at + i * scan, bytes + at, scan);
    memcpy(many + at + TIMES * scan, bytes + at, n - at);
    assert_false(decode_exactly(many, n + TIMES * scan, &plain, &img, &err));
    assert_string_equal(err.text, "a JPEG of more than 500 scans, which is not read");
    free(many);
    free(bytes);
}

static void cmyk_is_refused_in_words(void **state)
{
    (void)state;
    uint8_t *bytes;
    size_t n;
    image img;
    error err;
    read_fixture("cmyk.jpg", &bytes, &n);
    assert_false(decode_exactly(bytes, n, &plain, &img, &err));
    assert_non_null(strstr(err.text, "CMYK"));
    free(bytes);
}

static void a_lying_size_allocates_nothing(void **state)
{
    (void)state;
    uint8_t *bytes;
    size_t n;
    image img;
    error err;
    read_fixture("grey.jpg", &bytes, &n);
    for (size_t i = 0; i + 9 < n; i++) {
        if (bytes[i] == 0xFF && bytes[i + 1] == 0xC0) memset(bytes + i + 5, 0xF0, 4);
    }
    assert_false(decode_exactly(bytes, n, &(decode_options){.max_pixels = INT64_C(1) << 40}, &img, &err));
    assert_non_null(strstr(err.text, "cannot hold the pixels of a 61680x61680 JPEG"));
    static const char behind[1 << 20];
    insert(&bytes, &n, n, behind, sizeof behind);
    assert_false(decode_exactly(bytes, n, &(decode_options){.max_pixels = INT64_C(1) << 40}, &img, &err));
    assert_non_null(strstr(err.text, "cannot hold the pixels of a 61680x61680 JPEG"));
    free(bytes);
}

/* A byte may hold up to 8192 pixels: so many rows of 8192 as there are bytes are read on, one more is refused. */
static void a_size_at_the_limit_of_the_bytes_is_read(void **state)
{
    (void)state;
    uint8_t *bytes;
    size_t n, frame = 0;
    read_fixture("grey.jpg", &bytes, &n);
    while (bytes[frame] != 0xFF || bytes[frame + 1] != 0xC0) frame++;
    for (size_t more = 0; more < 2; more++) {
        const size_t height = n + more, width = 8192;
        image img;
        error err = {.text = "read"};
        bytes[frame + 5] = (uint8_t)(height >> 8), bytes[frame + 6] = (uint8_t)height;
        bytes[frame + 7] = (uint8_t)(width >> 8), bytes[frame + 8] = (uint8_t)width;
        if (decode_exactly(bytes, n, &plain, &img, &err)) image_free(&img);
        if (!strstr(err.text, "cannot hold the pixels") != !more) fail_msg("%zu rows: %s", height, err.text);
    }
    free(bytes);
}

static void a_frame_without_scan_is_no_picture(void **state)
{
    (void)state;
    static const uint8_t bytes[] = "\xFF\xD8\xFF\xC2\0\x0B\x08\0\x08\0\x08\x01\x01\x11\0\xFF\xD9";
    image img;
    error err;
    assert_false(decode_exactly(bytes, sizeof bytes - 1, &plain, &img, &err));
    assert_string_equal(err.text, "corrupt: the JPEG has no picture");
}

static void all_eight_orientations_end_upright(void **state)
{
    (void)state;
    static const int levels[2][3] = {{10, 60, 110}, {160, 210, 250}};
    for (int k = 1; k <= 8; k++) {
        char name[32];
        snprintf(name, sizeof name, "orient%d.jpg", k);
        image img = decode_fixture(name);
        assert_int_equal(img.width, 48);
        assert_int_equal(img.height, 32);
        for (int y = 0; y < 2; y++) {
            for (int x = 0; x < 3; x++) {
                int got = ((uint8_t *)img.data)[(size_t)(16 * y + 8) * img.row_bytes + (size_t)(16 * x + 8)];
                if (abs(got - levels[y][x]) > 3) fail_msg("%s: block %d,%d is %d", name, x, y, got);
            }
        }
        image_free(&img);
    }
}

static void density_is_read(void **state)
{
    (void)state;
    image img = decode_fixture("rgb420.jpg");
    assert_true(img.meta.x_per_metre > 2834 && img.meta.x_per_metre < 2835); /* 72 dpi */
    assert_true(img.meta.y_per_metre > 1417 && img.meta.y_per_metre < 1418);
    image_free(&img);
}

static image smooth_image(int channels)
{
    image img;
    error err;
    assert_true(image_alloc(&img, 160, 120, channels, SAT_U8, &err));
    uint8_t *p = img.data;
    for (int i = 0; i < 160 * 120; i++) {
        for (int c = 0; c < channels; c++) *p++ = (uint8_t)(i % 160 + c * 20 + i / 160 / 3); /* up to 238 */
    }
    return img;
}

static void profile_and_density_are_carried(void **state)
{
    (void)state;
    static const size_t sizes[] = {1, 65519, 65520, 200000}; /* the second just fills a segment */
    for (size_t k = 0; k < 4; k++) {
        image in = smooth_image(3), out;
        in.meta.icc = malloc(sizes[k]);
        assert_non_null(in.meta.icc);
        in.meta.icc_bytes = sizes[k];
        for (size_t i = 0; i < sizes[k]; i++) in.meta.icc[i] = (uint8_t)(i * i / 5);
        in.meta.x_per_metre = 11811;
        in.meta.y_per_metre = 5906;
        uint8_t *bytes;
        size_t n;
        error err;
        assert_true(encode_to_memory(&format_jpeg, &in, &(encode_options){0}, &bytes, &n, &err));
        assert_true(decode_exactly(bytes, n, &plain, &out, &err));
        assert_int_equal(out.meta.icc_bytes, sizes[k]);
        assert_memory_equal(out.meta.icc, in.meta.icc, sizes[k]);
        assert_true((int)(out.meta.x_per_metre + 0.5) == 11811 && (int)(out.meta.y_per_metre + 0.5) == 5906);
        free(bytes);
        image_free(&in);
        image_free(&out);
    }
}

static void quality_buys_likeness_with_bytes(void **state)
{
    (void)state;
    for (int channels = 1; channels <= 3; channels += 2) {
        image in = smooth_image(channels), out;
        size_t last = 0;
        static const int qualities[] = {5, 50, 90, 100};
        for (size_t k = 0; k < 4; k++) {
            uint8_t *bytes;
            size_t n;
            error err;
            assert_true(
                encode_to_memory(&format_jpeg, &in, &(encode_options){.quality = qualities[k]}, &bytes, &n, &err));
            assert_true(decode_exactly(bytes, n, &plain, &out, &err));
            assert_int_equal(out.channels, SAT_WITH_LIBJPEG ? channels : 3); /* stb writes grey as colour */
            assert_true(n > last);
            last = n;
            int worst = 0;
            for (size_t i = 0; i < image_bytes(&in); i++) {
                size_t at = i / (size_t)channels * (size_t)out.channels + i % (size_t)channels;
                int difference = abs(((uint8_t *)in.data)[i] - ((uint8_t *)out.data)[at]);
                if (difference > worst) worst = difference;
            }
            if (k >= 2 && worst > (k == 2 ? 24 : 4)) fail_msg("quality %d: off by %d", qualities[k], worst);
            free(bytes);
            image_free(&out);
        }
        image_free(&in);
    }
}

int main(void)
{
    cmocka_set_message_output(CM_OUTPUT_TAP);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pixels_are_those_of_libjpeg),
        cmocka_unit_test(a_truncation_is_an_error_unless_all_pixels_are_there),
        cmocka_unit_test(few_stray_bytes_behind_pixels_are_noted),
        cmocka_unit_test(stray_bytes_before_a_restart_are_refused),
        cmocka_unit_test(an_end_marker_does_not_hide_missing_pixels),
        cmocka_unit_test(noise_between_segments_hurts_no_pixel),
        cmocka_unit_test(stray_bytes_before_any_segment_are_skipped),
        cmocka_unit_test(zeros_before_the_end_marker_are_padding),
        cmocka_unit_test(damage_anywhere_never_crashes),
        cmocka_unit_test(what_no_library_reads_is_unsupported_by_name),
        cmocka_unit_test(a_scan_over_and_over_is_refused),
        cmocka_unit_test(cmyk_is_refused_in_words),
        cmocka_unit_test(a_lying_size_allocates_nothing),
        cmocka_unit_test(a_size_at_the_limit_of_the_bytes_is_read),
        cmocka_unit_test(a_frame_without_scan_is_no_picture),
        cmocka_unit_test(all_eight_orientations_end_upright),
        cmocka_unit_test(density_is_read),
        cmocka_unit_test(profile_and_density_are_carried),
        cmocka_unit_test(quality_buys_likeness_with_bytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
