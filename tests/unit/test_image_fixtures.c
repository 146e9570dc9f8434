/* Files that other software wrote decode to the pixels that other software reads; what is cut off or
 * flipped in them is noticed. */
#include <libdeflate.h>

#include "codec_test.h"
#if SAT_WITH_LIBTIFF
#include <tiffio.h>
#endif

typedef struct fixture {
    char name[64], type[8];
    long long width, height;
    int channels;
    unsigned crc;
} fixture;

static fixture fixtures[256];
static size_t fixture_count;

/* Debian's libtiff has these compressions; others may lack some. */
static bool lacks_codec(const char *name)
{
#if SAT_WITH_LIBTIFF
    static const struct {
        const char *name;
        uint16_t compression;
    } codecs[] = {{"lzma.tif", COMPRESSION_LZMA}, {"webp.tif", COMPRESSION_WEBP}, {"lerc.tif", COMPRESSION_LERC}};
    for (size_t i = 0; i < sizeof codecs / sizeof *codecs; i++)
        if (strcmp(name, codecs[i].name) == 0) return !TIFFIsCODECConfigured(codecs[i].compression);
#else
    (void)name;
#endif
    return false;
}

static int read_list(void **state)
{
    (void)state;
    FILE *list = fopen(FIXTURES "expected.txt", "r");
    if (!list) return -1;
    fixture *f = fixtures;
    while (fscanf(list, "%63s %lld %lld %d %7s %x", f->name, &f->width, &f->height, &f->channels, f->type, &f->crc) ==
           6) {
        if (!SAT_WITH_LIBTIFF && strstr(f->name, ".tif")) continue;
        if (lacks_codec(f->name)) continue;
        if (++f == fixtures + 256) break;
    }
    fclose(list);
    fixture_count = (size_t)(f - fixtures);
    return fixture_count > 60 ? 0 : -1;
}

static unsigned crc_of(const image *img)
{
    return libdeflate_crc32(0, img->data, image_bytes(img));
}

static void each_decodes_to_its_pixels(void **state)
{
    (void)state;
    for (size_t i = 0; i < fixture_count; i++) {
        const fixture *f = &fixtures[i];
        uint8_t *bytes;
        size_t n;
        read_fixture(f->name, &bytes, &n);
        image img;
        error err;
        if (!decode_exactly(bytes, n, &plain, &img, &err)) fail_msg("%s: %s", f->name, err.text);
        if (img.width != f->width || img.height != f->height || img.channels != f->channels ||
            strcmp(sat_type_name(img.type), f->type) != 0 || crc_of(&img) != f->crc) {
            fail_msg("%s: %lldx%lld, %d channels of %s, CRC %08x", f->name, (long long)img.width, (long long)img.height,
                     img.channels, sat_type_name(img.type), crc_of(&img));
        }
        image_free(&img);
        free(bytes);
    }
}

static bool is_text(const fixture *f)
{
    return strncmp(f->name, "text", 4) == 0;
}

static void each_truncation_is_an_error(void **state)
{
    (void)state;
    for (size_t i = 0; i < fixture_count; i++) {
        const fixture *f = &fixtures[i];
        uint8_t *bytes;
        size_t n, accepted = 0;
        read_fixture(f->name, &bytes, &n);
        for (size_t cut = 0; cut < n; cut++) {
            image img;
            error err;
            if (!decode_exactly(bytes, cut, &plain, &img, &err)) continue;
            accepted++;
            if (!is_text(f) && crc_of(&img) != f->crc) fail_msg("%s cut to %zu of %zu bytes", f->name, cut, n);
            image_free(&img);
        }
        /* Only what lies behind the pixels may go unnoticed: a TGA's footer, a text's last digit,
         * the end code of runs. */
        size_t allowed = strstr(f->name, ".tga") ? 26 : is_text(f) || strncmp(f->name, "rle", 3) == 0 ? 2 : 0;
        if (accepted > allowed) fail_msg("%s: %zu truncations were accepted", f->name, accepted);
        free(bytes);
    }
}

static void each_flipped_bit_of_a_png_is_an_error(void **state)
{
    (void)state;
    static const char *const names[] = {"c2d8.png", "c3d4i.png", "c6d16.png", "idat1.png", "stored.png", "s1x1.png"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        uint8_t *bytes;
        size_t n;
        read_fixture(names[i], &bytes, &n);
        for (size_t bit = 0; bit < 8 * n; bit++) {
            bytes[bit / 8] ^= (uint8_t)(1 << bit % 8);
            image img;
            error err;
            if (decode_exactly(bytes, n, &plain, &img, &err))
                fail_msg("%s: bit %zu of byte %zu", names[i], bit % 8, bit / 8);
            bytes[bit / 8] ^= (uint8_t)(1 << bit % 8);
        }
        free(bytes);
    }
}

static void damage_anywhere_never_crashes(void **state)
{
    (void)state;
    uint32_t seed = 1;
    for (size_t i = 0; i < fixture_count; i++) {
        uint8_t *bytes;
        size_t n;
        read_fixture(fixtures[i].name, &bytes, &n);
        for (int k = 0; k < 50; k++) {
            uint8_t *copy = malloc(n);
            assert_non_null(copy);
            memcpy(copy, bytes, n);
            for (int j = 0; j <= k % 4; j++) copy[next_random(&seed) % n] = (uint8_t)next_random(&seed);
            image img;
            error err;
            if (decode_exactly(copy, n, &plain, &img, &err)) image_free(&img);
            free(copy);
        }
        free(bytes);
    }
}

static void orientation_is_left_alone_when_asked(void **state)
{
    (void)state;
    for (int k = 1; k <= 8; k++) {
        char name[32];
        snprintf(name, sizeof name, "orient%d.png", k);
        uint8_t *bytes;
        size_t n;
        read_fixture(name, &bytes, &n);
        image img;
        error err;
        assert_true(decode_exactly(bytes, n, &(decode_options){.max_pixels = 1 << 24, .no_orient = true}, &img, &err));
        assert_int_equal(img.width, k < 5 ? 48 : 32);
        assert_int_equal(img.height, k < 5 ? 32 : 48);
        image_free(&img);
        free(bytes);
    }
}

static void the_limit_is_named_and_nothing_is_allocated(void **state)
{
    (void)state;
    for (size_t i = 0; i < fixture_count; i++) {
        const fixture *f = &fixtures[i];
        if (f->width * f->height < 2) continue;
        uint8_t *bytes;
        size_t n;
        read_fixture(f->name, &bytes, &n);
        image img;
        error err;
        long long limit = f->width * f->height - 1;
        assert_false(decode_exactly(bytes, n, &(decode_options){.max_pixels = limit}, &img, &err));
        char text[64];
        snprintf(text, sizeof text, "more than --max-pixels %lld", limit);
        if (!strstr(err.text, text)) fail_msg("%s: %s", f->name, err.text);
        free(bytes);
    }
}

int main(void)
{
    cmocka_set_message_output(CM_OUTPUT_TAP);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_decodes_to_its_pixels),
        cmocka_unit_test(each_truncation_is_an_error),
        cmocka_unit_test(each_flipped_bit_of_a_png_is_an_error),
        cmocka_unit_test(damage_anywhere_never_crashes),
        cmocka_unit_test(orientation_is_left_alone_when_asked),
        cmocka_unit_test(the_limit_is_named_and_nothing_is_allocated),
    };
    return cmocka_run_group_tests(tests, read_list, NULL);
}
