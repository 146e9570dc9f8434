/* What a format says it holds, it gives back unchanged; what it does not, it refuses in words. */
#include <limits.h>
#include <math.h>

#include "codec_test.h"

/* The channels that a grey or RGB image comes back with. */
static int stored_channels(const image_format *f, int channels)
{
    bool widens = strcmp(f->name, "hdr") == 0;
    return widens && channels == 1 ? 3 : channels;
}

static double sample(const image *img, int64_t x, int64_t y, int c)
{
    const uint8_t *row = (const uint8_t *)img->data + (size_t)y * img->row_bytes;
    size_t i = (size_t)(x * img->channels + c);
    if (img->type == SAT_U8) return row[i];
    if (img->type == SAT_U16) return ((const uint16_t *)(const void *)row)[i];
    return (double)((const float *)(const void *)row)[i];
}

static void check_pixels(const image_format *f, const image *in, const image *out)
{
    assert_int_equal(out->width, in->width);
    assert_int_equal(out->height, in->height);
    assert_int_equal(out->type, in->type);
    assert_int_equal(out->channels, stored_channels(f, in->channels));
    for (int64_t y = 0; y < in->height; y++) {
        for (int64_t x = 0; x < in->width; x++) {
            double top = 0;
            for (int c = 0; c < in->channels; c++) { /* no fmax() here: gcc 12.2 for aarch64 dies of it at -O3 */
                const double value = sample(in, x, y, c);
                if (value > top) top = value;
            }
            /* HDR: half of the last of the largest channel's 8 bits, and the float's own rounding */
            double allowed = strcmp(f->name, "hdr") == 0 ? top / 254 : 0;
            for (int c = 0; c < out->channels; c++) {
                double a = sample(in, x, y, c < in->channels ? c : 0), b = sample(out, x, y, c);
                if (fabs(a - b) > allowed)
                    fail_msg("%s (%lld,%lld,%d): %g, not %g", f->name, (long long)x, (long long)y, c, b, a);
            }
        }
    }
}

static void each_format_returns_what_it_holds(void **state)
{
    (void)state;
    static const int64_t sizes[][2] = {{1, 1},   {1, 37},   {37, 1},   {7, 5},   {8, 8},
                                       {31, 29}, {131, 67}, {5003, 3}, {3, 5003}};
    static const sat_type types[] = {SAT_U8, SAT_U16, SAT_F32};
    int done = 0;
    for (size_t i = 0; format_at(i); i++) {
        const image_format *f = format_at(i);
        if (!f->encode || !f->decode || strcmp(f->name, "jpeg") == 0) continue;
        for (size_t t = 0; t < 3; t++) {
            for (int channels = 1; channels <= 4; channels++) {
                error err;
                if (!f->holds(types[t], channels, &err)) continue;
                for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++) {
                    image in = random_image(sizes[s][0], sizes[s][1], channels, types[t], (uint32_t)s + 1), out;
                    uint8_t *bytes;
                    size_t n;
                    if (types[t] == SAT_U8) ((uint8_t *)in.data)[image_bytes(&in) - 1] |= 1; /* not alpha 0 alone */
                    if (!encode_to_memory(f, &in, &(encode_options){0}, &bytes, &n, &err))
                        fail_msg("%s: %s", f->name, err.text);
                    assert_ptr_equal(format_by_content(bytes, n), f);
                    if (!decode_exactly(bytes, n, &plain, &out, &err)) fail_msg("%s: %s", f->name, err.text);
                    check_pixels(f, &in, &out);
                    free(bytes);
                    image_free(&in);
                    image_free(&out);
                    done++;
                }
            }
        }
    }
    assert_true(done > 9 * 15);
}

#if SAT_WITH_LIBTIFF
#define TIF    ".tif, "
#define TIF_OR ".tif or "
#else
#define TIF
#define TIF_OR
#endif

static void each_format_refuses_in_words_what_it_cannot_hold(void **state)
{
    (void)state;
    static const struct {
        const char *format;
        sat_type type;
        int channels;
        const char *text;
    } cases[] = {
        {"png", SAT_F32, 3, "PNG holds u8 and u16 samples, not f32; use " TIF ".pfm, .hdr or .npy"},
        {"png", SAT_I16, 3, "PNG holds u8 and u16 samples, not i16; use " TIF_OR ".npy"},
        {"jpeg", SAT_U16, 3, "JPEG holds u8 samples, not u16; use .png, " TIF ".ppm, .pam or .npy"},
        {"jpeg", SAT_U16, 2, "JPEG holds u8 samples, not u16; use .png, " TIF ".pam or .npy"},
        {"jpeg", SAT_U8, 4, "JPEG holds no alpha; use .png, " TIF ".bmp, .pam, .npy or .tga"},
        {"jpeg", SAT_F32, 1, "JPEG holds u8 samples, not f32; use " TIF ".pfm, .hdr or .npy"},
        {"bmp", SAT_U32, 3, "BMP holds u8 samples, not u32; use " TIF_OR ".npy"},
        {"bmp", SAT_U8, 2, "BMP holds no grey with alpha; use .png, " TIF ".pam, .npy or .tga"},
        {"tga", SAT_F32, 3, "TGA holds u8 samples, not f32; use " TIF ".pfm, .hdr or .npy"},
        {"pnm", SAT_U8, 4, "PNM holds no alpha; use .png, " TIF ".bmp, .pam, .npy or .tga"},
        {"pnm", SAT_F64, 3, "PNM holds u8 and u16 samples, not f64; use " TIF_OR ".npy"},
        {"pam", SAT_F32, 4, "PAM holds u8 and u16 samples, not f32; use " TIF_OR ".npy"},
        {"pfm", SAT_U8, 3, "PFM holds f32 samples, not u8; use .png, .jpg, " TIF ".bmp, .ppm, .pam, .npy or .tga"},
        {"pfm", SAT_F32, 4, "PFM holds no alpha; use " TIF_OR ".npy"},
        {"hdr", SAT_U16, 3, "HDR holds f32 samples, not u16; use .png, " TIF ".ppm, .pam or .npy"},
        {"hdr", SAT_F32, 2, "HDR holds no alpha; use " TIF_OR ".npy"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const image_format *f = format_by_name(cases[i].format);
        assert_non_null(f);
        error err;
        assert_false(format_holds(f, "", cases[i].type, cases[i].channels, 1, false, &err));
        assert_string_equal(err.text, cases[i].text);
    }
    error err;
    assert_false(format_holds(format_by_name("png"), "", SAT_F32, 3, 1, true, &err)); /* some are negative */
    assert_string_equal(err.text, "PNG holds u8 and u16 samples, not f32; use " TIF ".pfm or .npy");
}

static void formats_are_found_by_name_extension_and_content(void **state)
{
    (void)state;
    assert_string_equal(format_by_extension("a.b/photo.JPG")->name, "jpeg");
    assert_string_equal(format_by_extension("x.ppm")->name, "pnm");
    assert_null(format_by_extension("dir.png/file"));
    assert_null(format_by_extension("file."));
    assert_null(format_by_extension("file.pn"));
    assert_null(format_by_name("gif"));
    for (size_t i = 0; format_at(i); i++) assert_ptr_equal(format_by_name(format_at(i)->name), format_at(i));
}

static void noise_is_no_image(void **state)
{
    (void)state;
    uint32_t seed = 5;
    int known = 0;
    for (int k = 0; k < 20000; k++) {
        uint8_t bytes[64];
        for (size_t i = 0; i < sizeof bytes; i++) bytes[i] = (uint8_t)next_random(&seed);
        known += format_by_content(bytes, sizeof bytes) != NULL;
    }
    assert_int_equal(known, 0);
    static const char text[] =
        "Whan that Aprille with his shoures soote, the droghte of March hath perced to the roote";
    assert_null(format_by_content((const uint8_t *)text, sizeof text));
    uint8_t zeros[512] = {0};
    assert_null(format_by_content(zeros, sizeof zeros));
    assert_null(format_by_content(zeros, 0));
}

static void unknown_files_are_named_so(void **state)
{
    (void)state;
    char path[] = "/tmp/sat-codec-XXXXXX";
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, "hello, world", 12), 12);
    image img;
    error err;
    assert_false(image_read(path, &plain, &img, NULL, &err));
    assert_string_equal(err.text,
                        "not an image of a known format (png, jpeg, tiff, bmp, pnm, pam, pfm, hdr, npy, tga)");
    assert_null(img.data);

    assert_int_equal(pwrite(fd, "\x93NUMPY\1\0v\0{'de", 15, 0), 15);
    assert_false(image_read(path, &plain, &img, NULL, &err));
    assert_string_equal(err.text, "truncated: the file ends inside the .npy header");
    close(fd);
    unlink(path);
}

static void sixteen_bits_are_written_high_byte_first(void **state)
{
    (void)state;
    image img;
    error err;
    assert_true(image_alloc(&img, 1, 1, 1, SAT_U16, &err));
    *(uint16_t *)img.data = 0x1234;
    for (int i = 0; i < 2; i++) {
        uint8_t *bytes;
        size_t n;
        assert_true(encode_to_memory(format_by_name(i ? "pam" : "pnm"), &img, &(encode_options){0}, &bytes, &n, &err));
        assert_int_equal(bytes[n - 2], 0x12);
        assert_int_equal(bytes[n - 1], 0x34);
        free(bytes);
    }
    image_free(&img);
}

static void hdr_ends_are_the_nearest_that_it_holds(void **state)
{
    (void)state;
    static const float values[] = {0, 1e-45f, 255.5f, 3.4e38f, 1, 0.999f}, refused[] = {-1, NAN, INFINITY};
    image in, out;
    error err;
    assert_true(image_alloc(&in, 6, 1, 1, SAT_F32, &err));
    memcpy(in.data, values, sizeof values);
    uint8_t *bytes;
    size_t n;
    assert_true(encode_to_memory(format_by_name("hdr"), &in, &(encode_options){0}, &bytes, &n, &err));
    assert_true(decode_exactly(bytes, n, &plain, &out, &err));
    const float *got = out.data;
    float largest = ldexpf(255, 255 - 136);
    const float expected[] = {0, 0, 256, largest, 1, 255.0f / 256 + 1.0f / 256};
    for (int i = 0; i < 6; i++) {
        if (got[3 * i] != expected[i])
            fail_msg("%g became %g, not %g", (double)values[i], (double)got[3 * i], (double)expected[i]);
    }
    free(bytes);
    for (int i = 0; i < 3; i++) {
        ((float *)in.data)[5] = refused[i];
        assert_false(encode_to_memory(format_by_name("hdr"), &in, &(encode_options){0}, &bytes, &n, &err));
        assert_non_null(strstr(err.text, "use .pfm"));
    }
    image_free(&in);
    image_free(&out);
}

static void impossible_sizes_cannot_be_allocated(void **state)
{
    (void)state;
    image img;
    error err;
    assert_false(image_alloc(&img, 0, 5, 1, SAT_U8, &err));
    assert_false(image_alloc(&img, 5, -1, 1, SAT_U8, &err));
    assert_false(image_alloc(&img, INT64_MAX, 2, 4, SAT_F32, &err));
    assert_false(image_alloc(&img, INT64_C(1) << 40, INT64_C(1) << 30, 4, SAT_F32, &err));
    assert_null(img.data);
    image_free(&img);
}

/* No more of a stream is kept than its runs take. */
static void a_tga_of_runs_ends_where_they_end(void **state)
{
    (void)state;
    enum { N = SOURCE_HEAD_BYTES, HEADER = 18, RUNS = 256 * 256 / 128, RUN = 5 };
    static uint8_t bytes[N] = {[2] = 10, [13] = 1, [15] = 1, [16] = 32}; /* 256 x 256 px of 32 bits, in runs */
    const decode_options opt = {.max_pixels = 1 << 30};
    const image_format *tga = format_by_name("tga");
    uint64_t most;
    error err;

    for (int i = 0; i < RUNS; i++) bytes[HEADER + i * RUN] = 0xff;
    assert_true(tga->extent(bytes, N, &opt, &most, &err));
    assert_int_equal(most, HEADER + RUNS * RUN);
    bytes[HEADER] = 0xfe; /* a pixel less, and behind the runs are zeros: each a pixel */
    assert_true(tga->extent(bytes, N, &opt, &most, &err));
    assert_int_equal(most, HEADER + RUNS * RUN + RUN);
    bytes[13] = bytes[15] = 0x7d; /* 32000 x 32000 */
    assert_true(tga->extent(bytes, N, &opt, &most, &err));
    assert_int_equal(most, HEADER + (uint64_t)32000 * 32000 * RUN);
    bytes[2] = 2; /* without runs */
    assert_true(tga->extent(bytes, N, &opt, &most, &err));
    assert_int_equal(most, HEADER + (uint64_t)32000 * 32000 * (RUN - 1));
}

int main(void)
{
    cmocka_set_message_output(CM_OUTPUT_TAP);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_format_returns_what_it_holds),
        cmocka_unit_test(each_format_refuses_in_words_what_it_cannot_hold),
        cmocka_unit_test(formats_are_found_by_name_extension_and_content),
        cmocka_unit_test(noise_is_no_image),
        cmocka_unit_test(unknown_files_are_named_so),
        cmocka_unit_test(sixteen_bits_are_written_high_byte_first),
        cmocka_unit_test(hdr_ends_are_the_nearest_that_it_holds),
        cmocka_unit_test(impossible_sizes_cannot_be_allocated),
        cmocka_unit_test(a_tga_of_runs_ends_where_they_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
