/* What a file says beside its pixels is carried to the formats that have a place for it. */
#include <libdeflate.h>
#include <math.h>

#include "codec.h"
#include "codec_test.h"

static image decode_file(const char *name, bool no_orient)
{
    uint8_t *bytes;
    size_t n;
    image img;
    error err;
    read_fixture(name, &bytes, &n);
    decode_options opt = plain;
    opt.no_orient = no_orient;
    if (!decode_exactly(bytes, n, &opt, &img, &err)) fail_msg("%s: %s", name, err.text);
    free(bytes);
    return img;
}

/* The same after it was written. */
static image rewritten(const image *img, const image_format *format, bool no_orient)
{
    uint8_t *bytes;
    size_t n;
    image out;
    error err;
    decode_options opt = plain;
    opt.no_orient = no_orient;
    if (!encode_to_memory(format, img, &(encode_options){0}, &bytes, &n, &err)) fail_msg("%s", err.text);
    if (!decode_exactly(bytes, n, &opt, &out, &err)) fail_msg("%s: %s", format->name, err.text);
    free(bytes);
    return out;
}

static bool holds_text(const meta_block *b, const char *text)
{
    return b->bytes && memmem(b->bytes, b->n, text, strlen(text));
}

static bool same(const meta_block *a, const meta_block *b)
{
    return a->n == b->n && (a->n == 0 || memcmp(a->bytes, b->bytes, a->n) == 0);
}

static void exif_and_xmp_go_from_each_to_each(void **state)
{
    (void)state;
    static const char *const names[] = {"meta.jpg", "meta.png"};
    const image_format *formats[] = {&format_jpeg, &format_png};
    for (int from = 0; from < 2; from++) {
        for (int to = 0; to < 2; to++) {
            for (int no_orient = 0; no_orient < 2; no_orient++) {
                image in = decode_file(names[from], no_orient), out = rewritten(&in, formats[to], true);
                assert_true(holds_text(&out.meta.blocks[META_EXIF], "maker"));
                assert_true(holds_text(&out.meta.blocks[META_XMP], "adobe:ns:meta"));
                assert_true(same(&out.meta.blocks[META_XMP], &in.meta.blocks[META_XMP]));
                assert_int_equal(out.meta.orientation, no_orient ? 6 : 1);
                assert_int_equal(out.meta.blocks[META_EXIF].n, in.meta.blocks[META_EXIF].n);
                assert_int_equal(in.width, no_orient ? 8 : 6);
                /* 100 and 50 for each centimetre of the stored rows and columns; JFIF has whole numbers for an inch */
                double x = no_orient ? 10000 : 5000, y = no_orient ? 5000 : 10000;
                assert_true(fabs(in.meta.x_per_metre - x) < 1e-9 && fabs(in.meta.y_per_metre - y) < 1e-9);
                assert_true(fabs(out.meta.x_per_metre - x) < 20 && fabs(out.meta.y_per_metre - y) < 20);
                image_free(&in);
                image_free(&out);
            }
        }
    }
}

static void text_stays_in_its_format(void **state)
{
    (void)state;
    image jpeg = decode_file("meta.jpg", false), png = decode_file("meta.png", false);
    static const char comment[] = "\xFF\xFE\0\13a comment";
    assert_int_equal(jpeg.meta.blocks[META_COMMENTS].n, sizeof comment - 1);
    assert_memory_equal(jpeg.meta.blocks[META_COMMENTS].bytes, comment, sizeof comment - 1);
    const meta_block *text = &png.meta.blocks[META_PNG_TEXT];
    assert_true(holds_text(text, "a picture") && holds_text(text, "zTXtComment") && holds_text(text, "M\xC3\xBCller"));
    assert_false(holds_text(text, "tIME") || holds_text(text, "xmp"));
    image again = rewritten(&jpeg, &format_jpeg, false), other = rewritten(&jpeg, &format_png, false);
    assert_true(same(&again.meta.blocks[META_COMMENTS], &jpeg.meta.blocks[META_COMMENTS]));
    assert_int_equal(other.meta.blocks[META_PNG_TEXT].n, 0);
    image_free(&again);
    image_free(&other);
    again = rewritten(&png, &format_png, false);
    other = rewritten(&png, &format_jpeg, false);
    assert_true(same(&again.meta.blocks[META_PNG_TEXT], text));
    assert_int_equal(other.meta.blocks[META_COMMENTS].n, 0);
    image_free(&again);
    image_free(&other);
    image_free(&jpeg);
    image_free(&png);
}

static size_t put_chunk(uint8_t *at, const char *type, const uint8_t *data, size_t n)
{
    store_be32(at, (uint32_t)n);
    memcpy(at + 4, type, 4);
    if (n) memcpy(at + 8, data, n);
    store_be32(at + 8 + n, libdeflate_crc32(0, at + 4, n + 4));
    return n + 12;
}

/* meta.png with a chunk behind its header, or behind its pixels; the bytes are the caller's. */
static uint8_t *with_chunk(const char *type, const uint8_t *data, size_t chunk_n, bool behind, size_t *n)
{
    enum { HEADER_END = 8 + 25, IEND = 12 };
    uint8_t *bytes;
    read_fixture("meta.png", &bytes, n);
    size_t at = behind ? *n - IEND : HEADER_END;
    uint8_t *all = malloc(*n + chunk_n + 12);
    assert_non_null(all);
    memcpy(all, bytes, at);
    size_t put = put_chunk(all + at, type, data, chunk_n);
    memcpy(all + at + put, bytes + at, *n - at);
    *n += put;
    free(bytes);
    return all;
}

static void colour_chunks_are_carried_before_the_pixels(void **state)
{
    (void)state;
    image in = decode_file("meta.png", false);
    const meta_block *colour = &in.meta.blocks[META_PNG_COLOUR];
    assert_int_equal(colour->n, 4 * 12 + 4 + 4 + 32 + 1);
    assert_true(holds_text(colour, "cICP\1\15") && holds_text(colour, "gAMA") && holds_text(colour, "cHRM"));
    uint8_t *bytes;
    size_t n;
    error err;
    assert_true(encode_to_memory(&format_png, &in, &(encode_options){0}, &bytes, &n, &err));
    const uint8_t *found = memmem(bytes, n, colour->bytes, colour->n), *pixels = memmem(bytes, n, "IDAT", 4);
    assert_true(found && found < pixels);
    free(bytes);

    static const struct {
        const char *type;
        size_t n;
        bool behind, kept;
    } more[] = {
        {"mDCV", 24, false, true}, {"mDCV", 23, false, false}, {"mDCV", 24, true, false}, {"bKGD", 6, false, false}};
    static const uint8_t zeros[32];
    for (size_t k = 0; k < 4; k++) {
        bytes = with_chunk(more[k].type, zeros, more[k].n, more[k].behind, &n);
        image img;
        assert_true(decode_exactly(bytes, n, &plain, &img, &err));
        assert_int_equal(img.meta.blocks[META_PNG_COLOUR].n, colour->n + (more[k].kept ? 12 + 24 : 0));
        image_free(&img);
        free(bytes);
    }
    bytes = with_chunk("gAMA", (const uint8_t *)"\0\1\2\3", 4, false, &n); /* the first wins */
    image img;
    assert_true(decode_exactly(bytes, n, &plain, &img, &err));
    assert_int_equal(img.meta.blocks[META_PNG_COLOUR].n, colour->n);
    assert_true(holds_text(&img.meta.blocks[META_PNG_COLOUR], "gAMA"));
    assert_memory_equal(img.meta.blocks[META_PNG_COLOUR].bytes, bytes + 8 + 25, 16);
    image_free(&img);
    free(bytes);
    image_free(&in);
}

static void what_is_too_large_is_dropped(void **state)
{
    (void)state;
    uint8_t *large = calloc(1, META_MOST_BYTES);
    assert_non_null(large);
    memcpy(large, "Title", 6);
    size_t n;
    image img, out;
    error err;
    uint8_t *bytes = with_chunk("tEXt", large, META_MOST_BYTES, false, &n);
    assert_true(decode_exactly(bytes, n, &plain, &img, &err));
    assert_true(img.meta.blocks[META_PNG_TEXT].n < 1000); /* the other texts are kept */
    assert_true(holds_text(&img.meta.blocks[META_PNG_TEXT], "a picture"));
    free(bytes);

    memset(large, ' ', 70000); /* more than a segment of a JPEG holds, and no more than a PNG's chunk */
    image_free(&img);
    img = decode_file("meta.jpg", false);
    assert_true(meta_append(&img.meta, META_XMP, large, 70000, &err));
    assert_true(meta_append(&img.meta, META_EXIF, large, 70000, &err));
    out = rewritten(&img, &format_jpeg, false);
    assert_true(out.meta.blocks[META_XMP].n == 0 && out.meta.blocks[META_EXIF].n == 0);
    assert_int_equal(out.meta.blocks[META_COMMENTS].n, img.meta.blocks[META_COMMENTS].n);
    image_free(&out);
    out = rewritten(&img, &format_png, false);
    assert_true(same(&out.meta.blocks[META_XMP], &img.meta.blocks[META_XMP]));
    image_free(&out);
    image_free(&img);
    free(large);
}

static void xmp_that_cannot_be_read_is_dropped(void **state)
{
    (void)state;
    static const struct {
        const char *bytes;
        size_t n;
    } all[] = {{"XML:com.adobe.xmp\0\1\0\0\0junk", 26},
               {"XML:com.adobe.xmp\0\0\0de", 22},
               {"XML:com.adobe.xmp\0", 18},
               {"XML:com.adobe.xmp\0\2\0\0\0text", 26}};
    for (size_t k = 0; k < 4; k++) {
        size_t n;
        image img;
        error err;
        uint8_t *bytes = with_chunk("iTXt", (const uint8_t *)all[k].bytes, all[k].n, false, &n);
        if (!decode_exactly(bytes, n, &plain, &img, &err)) fail_msg("%zu: %s", k, err.text);
        assert_true(holds_text(&img.meta.blocks[META_XMP], "adobe:ns:meta")); /* of the chunk behind it */
        image_free(&img);
        free(bytes);
    }
}

static void hdr_keeps_what_its_samples_mean(void **state)
{
    (void)state;
    static const char lines[] = "EXPOSURE=2.5\nPRIMARIES=0.64 0.33 0.3 0.6 0.15 0.06 0.3333 0.3333\nEXPOSURE= 4\n";
    char file[512];
    int n = snprintf(file, sizeof file, "#?RADIANCE\n# a comment\n%sSOFTWARE=x\nFORMAT=32-bit_rle_rgbe\n\n-Y 1 +X 1\n",
                     lines);
    memcpy(file + n, "\x80\x40\x20\x81", 4);
    image img;
    error err;
    assert_true(decode_exactly((uint8_t *)file, (size_t)n + 4, &plain, &img, &err));
    const float *p = img.data;
    assert_true(p[0] == 1 && p[1] == 0.5f && p[2] == 0.25f); /* as they are stored */
    assert_int_equal(img.meta.blocks[META_HDR].n, sizeof lines - 1);
    assert_memory_equal(img.meta.blocks[META_HDR].bytes, lines, sizeof lines - 1);
    image out = rewritten(&img, &format_hdr, false);
    assert_true(same(&out.meta.blocks[META_HDR], &img.meta.blocks[META_HDR]));
    assert_memory_equal(out.data, img.data, image_bytes(&img));
    image_free(&img);
    image_free(&out);
}

int main(void)
{
    cmocka_set_message_output(CM_OUTPUT_TAP);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(exif_and_xmp_go_from_each_to_each),
        cmocka_unit_test(text_stays_in_its_format),
        cmocka_unit_test(colour_chunks_are_carried_before_the_pixels),
        cmocka_unit_test(what_is_too_large_is_dropped),
        cmocka_unit_test(xmp_that_cannot_be_read_is_dropped),
        cmocka_unit_test(hdr_keeps_what_its_samples_mean),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
