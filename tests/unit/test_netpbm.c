/* PNM, PAM and PFM headers: what is allowed, and what is refused with which words. */
#include "codec_test.h"

static const char *refusal(const char *text, size_t n)
{
    static error err;
    image img;
    if (!decode_exactly((const uint8_t *)text, n, &plain, &img, &err)) return err.text;
    image_free(&img);
    return "accepted";
}

#define EXPECT(text, words)                                                                                            \
    do {                                                                                                               \
        const char *got = refusal(text, sizeof(text) - 1);                                                             \
        if (!strstr(got, words)) fail_msg("%s: \"%s\"", text, got);                                                    \
    } while (0)

static void headers_are_read_strictly(void **state)
{
    (void)state;
    EXPECT("P5 1 1 255 x", "accepted");
    EXPECT("P5#c\n1#c\n1 #c\n255\nx", "accepted");
    EXPECT("P5 1 1 255x", "no space");
    EXPECT("P5 1 1 255 ", "truncated");
    EXPECT("P5 1 1 0 x", "largest sample value is 0");
    EXPECT("P5 1 1 65536 xx", "larger than 65535");
    EXPECT("P5 0 1 255 x", "0x1");
    EXPECT("P5 -1 1 255 x", "a number is expected");
    EXPECT("P5 99999999999999999999 1 255 x", "larger than");
    EXPECT("P5 2 1 100 \x64\x65", "a sample of 101, the largest is 100");
    EXPECT("P5 1 1 256 x", "2 bytes of samples are needed, 1 are there");
    EXPECT("P2 1 1 9 10", "larger than 9");
    EXPECT("P1 2 1 02", "neither 0 nor 1");
    EXPECT("P6 100000 100000 255 x", "more than --max-pixels");
    EXPECT("P7\nWIDTH 1\nHEIGHT 1\nDEPTH 1\nMAXVAL 255\nENDHDR\nx", "accepted");
    EXPECT("P7\n# c\nWIDTH 1\nHEIGHT 1\nDEPTH 2\nMAXVAL 255\nTUPLTYPE GRAYSCALE_ALPHA\nENDHDR\nxx", "accepted");
    EXPECT("P7\nWIDTH 1\nHEIGHT 1\nMAXVAL 255\nENDHDR\nx", "lacks");
    EXPECT("P7\nWIDTH 1\nHEIGHT 1\nDEPTH 3\nMAXVAL 255\nTUPLTYPE RGB_ALPHA\nENDHDR\nxxx", "RGB_ALPHA and depth 3");
    EXPECT("P7\nWIDTH 1\nHEIGHT 1\nDEPTH 5\nMAXVAL 255\nENDHDR\nxxxxx", "depth 5");
    EXPECT("P7\nWIDTH x\nHEIGHT 1\nDEPTH 1\nMAXVAL 255\nENDHDR\nx", "WIDTH is no number");
    EXPECT("P7\nWIDTH 1\nHEIGHT 1\nDEPTH 1\nMAXVAL 255\n", "truncated");
    EXPECT("Pf 1 1 -1.0\nxxxx", "accepted");
    EXPECT("Pf 1 1 0.0\nxxxx", "scale is no number");
    EXPECT("Pf 1 1 one\nxxxx", "scale is no number");
    EXPECT("PF 1 1 1\nxxxxxxxxxxx", "12 bytes of samples are needed, 11 are there");
}

static void samples_are_scaled_to_the_full_range(void **state)
{
    (void)state;
    static const unsigned maxvals[] = {1, 2, 3, 7, 99, 100, 254, 255, 256, 1000, 1023, 4095, 65534, 65535};
    for (size_t k = 0; k < sizeof maxvals / sizeof maxvals[0]; k++) {
        unsigned maxval = maxvals[k];
        bool wide = maxval > 255;
        unsigned full = wide ? 65535 : 255, count = maxval + 1 < 3000 ? maxval + 1 : 3000;
        uint8_t *bytes = malloc(64 + 2 * count);
        assert_non_null(bytes);
        size_t n = (size_t)snprintf((char *)bytes, 64, "P5 %u 1 %u\n", count, maxval);
        for (unsigned i = 0; i < count; i++) {
            unsigned v = maxval - i;
            if (wide) bytes[n++] = (uint8_t)(v >> 8);
            bytes[n++] = (uint8_t)v;
        }
        image img;
        error err;
        if (!decode_exactly(bytes, n, &plain, &img, &err)) fail_msg("%s", err.text);
        assert_int_equal(img.type, wide ? SAT_U16 : SAT_U8);
        for (unsigned i = 0; i < count; i++) {
            unsigned expected = (unsigned)((double)(maxval - i) * full / maxval + 0.5);
            unsigned got = wide ? ((uint16_t *)img.data)[i] : ((uint8_t *)img.data)[i];
            assert_int_equal(got, expected);
        }
        image_free(&img);
        free(bytes);
    }
}

static void bits_are_packed_eight_to_a_byte(void **state)
{
    (void)state;
    image img;
    error err;
    assert_true(decode_exactly((const uint8_t *)"P4 10 2\n\x80\x7f\x01\xc0", 12, &plain, &img, &err));
    static const uint8_t expected[2][10] = {{0, 255, 255, 255, 255, 255, 255, 255, 255, 0},
                                            {255, 255, 255, 255, 255, 255, 255, 0, 0, 0}};
    assert_memory_equal(img.data, expected, sizeof expected);
    image_free(&img);
}

static void nothing_follows_a_picture(void **state)
{
    static const char pgm[] = "P5 2 1 255 xy";
    source stream = {.bytes = (const uint8_t *)pgm, .n = sizeof(pgm) - 1};
    image img;
    error err;
    (void)state;
    EXPECT("P5 2 1 255 xyP5 2 1 255 xy", "ends at byte 13, and more follows");
    EXPECT("P5 2 1 255 xy\n", "ends at byte 13");
    EXPECT("P4 9 1 xyz", "ends at byte 9");
    EXPECT("P7\nWIDTH 1\nHEIGHT 1\nDEPTH 1\nMAXVAL 255\nENDHDR\nxy", "ends at byte 47");
    EXPECT("Pf\n1 1\n1\nwxyz.", "ends at byte 13");
    EXPECT("P2 2 1 9 1 2 \n# P2\n\t ", "accepted");
    EXPECT("P2 2 1 9 1 2 \n3", "ends at byte 14");
    EXPECT("P1 2 1 010", "ends at byte 9");
    assert_true(image_decode(&stream, &plain, &img, NULL, &err));
    image_free(&img);
    stream.goes_on = true;
    assert_false(image_decode(&stream, &plain, &img, NULL, &err));
    assert_null(img.data);
    assert_non_null(strstr(err.text, "ends at byte 13"));
}

int main(void)
{
    cmocka_set_message_output(CM_OUTPUT_TAP);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(headers_are_read_strictly),
        cmocka_unit_test(samples_are_scaled_to_the_full_range),
        cmocka_unit_test(bits_are_packed_eight_to_a_byte),
        cmocka_unit_test(nothing_follows_a_picture),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
