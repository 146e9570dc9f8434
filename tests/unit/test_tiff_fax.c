/* TIFFs in the codes of fax machines: what T.6 says of a few pictures, byte by byte, and every bilevel image that comes
 * back. */
#include "codec.h"
#include "codec_test.h"

static image bilevel(int64_t width, int64_t height, uint32_t seed)
{
    image img;
    error err;
    assert_true(image_alloc(&img, width, height, 1, SAT_U8, &err));
    for (int64_t i = 0, run = 0, value = 0; i < width * height; i++, run--) {
        if (run <= 0) run = 1 + next_random(&seed) % (seed % 3 ? 4 : 3000), value ^= 255;
        ((uint8_t *)img.data)[i] = (uint8_t)value;
    }
    img.bilevel = true;
    return img;
}

/* The place of a tag's value in a file with the lowest byte first. */
static size_t value_at(const uint8_t *bytes, size_t n, unsigned tag)
{
    size_t at = load_le32(bytes + 4);
    for (unsigned i = load_le16(bytes + at); i > 0; i--) {
        const size_t entry = at + 2 + 12 * (i - 1);
        assert_true(entry + 12 <= n);
        if (load_le16(bytes + entry) == tag) return entry + 8;
    }
    fail_msg("no tag %u", tag);
    return 0;
}

static void encode(const image *img, const char *compression, uint8_t **bytes, size_t *n)
{
    error err;
    if (!encode_to_memory(&format_tiff, img, &(encode_options){.compression = compression}, bytes, n, &err))
        fail_msg("%s", err.text);
}

/* T.6: a row like the one above is one bit, 1; a run of no white and 8 black pixels is 001 00110101 000101; the end is
 * twice 000000000001. */
static void black_and_white_are_coded_as_t6_says(void **state)
{
    static const struct {
        int64_t rows;
        uint8_t value, want[6];
        size_t n;
    } cases[] = {{4, 255, {0xF0, 0x01, 0x00, 0x10}, 4}, {1, 0, {0x26, 0xA2, 0x80, 0x08, 0x00, 0x80}, 6}};
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        image img = bilevel(8, cases[i].rows, 1);
        uint8_t *bytes;
        size_t n;
        memset(img.data, cases[i].value, 8 * (size_t)cases[i].rows);
        encode(&img, "fax4", &bytes, &n);
        assert_int_equal(load_le16(bytes + value_at(bytes, n, 259)), 4);
        assert_int_equal(load_le16(bytes + value_at(bytes, n, 258)), 1);
        assert_int_equal(load_le16(bytes + value_at(bytes, n, 262)), 0); /* 0 is white */
        assert_int_equal(load_le32(bytes + value_at(bytes, n, 279)), cases[i].n);
        assert_memory_equal(bytes + load_le32(bytes + value_at(bytes, n, 273)), cases[i].want, cases[i].n);
        image_free(&img);
        free(bytes);
    }
}

static void bilevel_images_come_back(void **state)
{
    static const char *const names[] = {"fax4", "fax3"};
    (void)state;
    for (uint32_t seed = 0; seed < 60; seed++) {
        const int64_t width = seed < 40 ? 1 + seed : 3000 + seed, height = seed < 40 ? 1 + seed % 7 : 900;
        image img = bilevel(width, height, seed), out;
        uint8_t *bytes;
        size_t n;
        error err;
        encode(&img, names[seed % 2], &bytes, &n);
        if (!decode_exactly(bytes, n, &plain, &out, &err)) fail_msg("%s", err.text);
        assert_int_equal(out.type, SAT_U8);
        assert_memory_equal(out.data, img.data, image_bytes(&img));
        image_free(&out);
        bytes[value_at(bytes, n, 262)] = 1; /* 0 is black */
        assert_true(decode_exactly(bytes, n, &plain, &out, &err));
        for (int64_t i = 0; i < width * height; i++)
            assert_int_equal(((uint8_t *)out.data)[i], 255 - ((uint8_t *)img.data)[i]);
        image_free(&out);
        image_free(&img);
        free(bytes);
    }
}

static void broken_codes_are_refused(void **state)
{
    (void)state;
    image img = bilevel(300, 40, 5), out;
    uint8_t *bytes;
    size_t n;
    error err;
    encode(&img, "fax4", &bytes, &n);
    const size_t at = load_le32(bytes + value_at(bytes, n, 273));
    memset(bytes + at + 8, 0, 40); /* no code begins with so many zeros */
    assert_false(decode_exactly(bytes, n, &plain, &out, &err));
    assert_non_null(strstr(err.text, "corrupt"));
    free(bytes);
    image_free(&img);
}

static void other_images_are_not_written(void **state)
{
    (void)state;
    image img = random_image(5, 4, 1, SAT_U8, 1);
    uint8_t *bytes;
    size_t n;
    error err;
    assert_false(encode_to_memory(&format_tiff, &img, &(encode_options){.compression = "fax4"}, &bytes, &n, &err));
    assert_string_equal(err.text, "fax4 is for results of one bit: --threshold of one channel");
    image_free(&img);
}

int main(void)
{
    if (!SAT_WITH_LIBTIFF) return puts("1..0 # SKIP built without libtiff") < 0;
    cmocka_set_message_output(CM_OUTPUT_TAP);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(black_and_white_are_coded_as_t6_says),
        cmocka_unit_test(bilevel_images_come_back),
        cmocka_unit_test(broken_codes_are_refused),
        cmocka_unit_test(other_images_are_not_written),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
