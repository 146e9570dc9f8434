/* Rows of files that other programs write; and inputs that end too soon, become shorter, or go on behind their rows. */
#include "rows_test.h"

/* ---- what other programs write ---- */

/* A header of text, and bytes behind it. */
static uint8_t *file_of(const char *header, const void *samples, size_t bytes, size_t *n)
{
    const size_t head = strlen(header);
    uint8_t *file = malloc(head + bytes);
    assert_non_null(file);
    memcpy(file, header, head);
    memcpy(file + head, samples, bytes);
    *n = head + bytes;
    return file;
}

/* Of version 1.0; its dictionary ends with spaces. */
static uint8_t *npy_of(const char *type, int64_t height, int64_t width, const void *samples, size_t bytes, size_t *n)
{
    char header[129];
    int used =
        snprintf(header, sizeof header, "%s%c%c%c%c{'descr': '%s', 'fortran_order': False, 'shape': (%lld, %lld), }",
                 "\x93NUMPY", 1, 1, 118, 1, type, (long long)height, (long long)width);
    snprintf(header + used, sizeof header - (size_t)used, "%*s\n", 127 - used, "");
    uint8_t *file = file_of(header, samples, bytes, n);
    file[7] = file[9] = 0;
    return file;
}

enum { W = 523, H = 311 };

/* The samples in the other byte order, and half floats: bytes, and what they mean. */
static void arrays_of_other_types(void **state)
{
    static const char *const names[] = {"|u1", ">u2", ">u4", "|i1", ">i2", ">i4", ">f4", ">f8"};
    (void)state;
    for (size_t i = 0; i < TYPES; i++) {
        const size_t size = sat_type_bytes(types[i]);
        image img = random_image(W, H, 1, types[i], 9);
        uint8_t *swapped = malloc(image_bytes(&img));
        size_t n;
        assert_non_null(swapped);
        for (size_t at = 0; at < image_bytes(&img); at++)
            swapped[at] = ((uint8_t *)img.data)[at / size * size + size - 1 - at % size];
        uint8_t *file = npy_of(names[i], H, W, swapped, image_bytes(&img), &n);
        check_file_and_stream(file, n, &img, true, &plain);
        free(file);
        free(swapped);
        image_free(&img);
    }
    /* 1024 is 0x6400 in 16 bits, and its neighbours differ by 1 */
    image img = random_image(W, H, 1, SAT_F32, 9);
    uint16_t *halves = malloc(W * H * sizeof *halves);
    assert_non_null(halves);
    for (int i = 0; i < W * H; i++) {
        ((float *)img.data)[i] = (float)(1024 + i % 1000);
        halves[i] = (uint16_t)(0x6400 + i % 1000);
    }
    size_t n;
    uint8_t *file = npy_of("<f2", H, W, halves, W * H * sizeof *halves, &n);
    check_file_and_stream(file, n, &img, true, &plain);
    free(file);
    free(halves);
    image_free(&img);
}

/* Samples up to 100 of 255, up to 1000 of 65535, and bits. */
static void anymaps_of_other_ranges(void **state)
{
    char header[64];
    size_t n;
    (void)state;
    image img = random_image(W, H, 1, SAT_U8, 9);
    uint8_t *raw = malloc(2 * W * H), *at = raw;
    assert_non_null(raw);
    for (int i = 0; i < W * H; i++) {
        raw[i] = (uint8_t)(i * 7 % 101);
        ((uint8_t *)img.data)[i] = (uint8_t)((raw[i] * 255 + 50) / 100);
    }
    snprintf(header, sizeof header, "P5\n%d %d\n100\n", W, H);
    uint8_t *file = file_of(header, raw, W * H, &n);
    check_file_and_stream(file, n, &img, true, &plain);
    free(file);
    for (int y = 0; y < H; y++)
        for (int x = 0; x < W; x += 8) {
            *at = (uint8_t)next_random(&seed);
            for (int k = 0; k < 8 && x + k < W; k++)
                ((uint8_t *)img.data)[y * W + x + k] = *at >> (7 - k) & 1 ? 0 : 255;
            at++;
        }
    snprintf(header, sizeof header, "P4\n%d %d\n", W, H);
    file = file_of(header, raw, (size_t)(at - raw), &n);
    check_file_and_stream(file, n, &img, true, &plain);
    free(file);
    image_free(&img);
    img = random_image(W, H, 1, SAT_U16, 9);
    for (int i = 0; i < W * H; i++) {
        const unsigned v = (unsigned)(i * 31 % 1001);
        raw[2 * i] = (uint8_t)(v >> 8);
        raw[2 * i + 1] = (uint8_t)v;
        ((uint16_t *)img.data)[i] = (uint16_t)((v * 65535 + 500) / 1000);
    }
    snprintf(header, sizeof header, "P5\n%d %d\n1000\n", W, H);
    file = file_of(header, raw, 2 * W * H, &n);
    check_file_and_stream(file, n, &img, true, &plain);
    free(file);
    free(raw);
    image_free(&img);
}

/* One channel, and luma, of rows are those of the whole image. */
static void channels_are_chosen_in_rows(void **state)
{
    static const channel_choice choices[] = {{.gray = true}, {.number = 2}, {.name = 'b'}, {.name = 'a'}};
    (void)state;
    for (size_t i = 0; i < TYPES * 4; i++) {
        image img = random_image(W, H, 4, types[i / 4], 9);
        uint8_t *bytes;
        size_t n;
        decode_options opt = plain;
        opt.channels = choices[i % 4];
        assert_true(encode_to_memory(&format_npy, &img, &(encode_options){0}, &bytes, &n, &err));
        assert_true(image_choose_channels(&img, &opt.channels, &err));
        check_file_and_stream(bytes, n, &img, true, &opt);
        free(bytes);
        image_free(&img);
    }
}

/* ---- inputs that are not what they seem ---- */

static bool stream_reads(const uint8_t *bytes, size_t n, const raw_layout *raw)
{
    feed f;
    feed_begin(&f, bytes, n);
    bool ok = reads(f.path, raw);
    feed_end(&f);
    return ok;
}

/* ---- bitmaps ---- */

static size_t put_le(uint8_t *to, uint64_t value, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++) to[i] = (uint8_t)(value >> 8 * i);
    return bytes;
}

enum { WIDE = 611, HIGH = 290, BITMAP_BYTES = 4 * WIDE * HIGH + (1 << 20) };

/* Random bytes behind a header, of which all palettes have as many colours as there can be. */
static size_t make_bmp(uint8_t *to, int bits, bool top_down)
{
    const uint32_t colours = bits <= 8 ? 1u << bits : 0, begin = 54 + 4 * colours;
    const size_t n = begin + (WIDE * (size_t)bits + 31) / 32 * 4 * HIGH;
    for (size_t i = 0; i < n; i++) to[i] = (uint8_t)below(256);
    memset(to, 0, 54);
    memcpy(to, "BM", 2);
    put_le(to + 10, begin, 4);
    put_le(to + 14, 40, 4);
    put_le(to + 18, WIDE, 4);
    put_le(to + 22, (uint32_t)(top_down ? -HIGH : HIGH), 4);
    to[26] = 1;
    to[28] = (uint8_t)bits;
    return n;
}

/* A palette of 24 bits for indices of 16 goes on behind the head of the file that is read first. */
static size_t make_tga(uint8_t *to, int type, int bits, int entry_bits, int descriptor)
{
    const size_t entries = entry_bits == 0    ? 0
                           : bits == 8        ? 256
                           : entry_bits == 24 ? UINT16_MAX
                                              : 4096,
                 entry = ((size_t)entry_bits + 7) / 8, pixels = 18 + entries * entry, bytes = ((size_t)bits + 7) / 8,
                 n = pixels + bytes * WIDE * HIGH;
    for (size_t i = 0; i < n; i++) to[i] = (uint8_t)below(256);
    memset(to, 0, 18);
    to[1] = entry_bits > 0;
    to[2] = (uint8_t)type;
    put_le(to + 5, entries, 2);
    to[7] = (uint8_t)entry_bits;
    put_le(to + 12, WIDE, 2);
    put_le(to + 14, HIGH, 2);
    to[16] = (uint8_t)bits;
    to[17] = (uint8_t)descriptor;
    for (size_t i = 0; entries > 256 && i < WIDE * HIGH; i++) to[pixels + 2 * i + 1] &= 15;
    return n;
}

/* Rows of a file, most of which lies behind the head of it, and the image that the format makes of the same bytes in
 * memory. */
static void check_bitmap(const image_format *format, const uint8_t *bytes, size_t n, int channels)
{
    image img;
    if (!format->decode(bytes, n, &plain, &img, &err)) fail_msg("%s", err.text);
    assert_int_equal(img.channels, channels);
    check_file_and_stream(bytes, n, &img, false, &plain);
    decode_options red = plain;
    red.channels.number = 1;
    if (!image_choose_channels(&img, &red.channels, &err)) fail_msg("%s", err.text);
    if (channels > 1) check_file_and_stream(bytes, n, &img, false, &red);
    image_free(&img);
}

static void bitmaps_of_all_kinds(void **state)
{
    static const int depths[] = {1, 2, 4, 8, 16, 24, 32};
    static const struct {
        int type, bits, entry_bits, alpha_bits, channels;
    } kinds[] = {{1, 8, 16, 0, 3}, {1, 16, 32, 8, 4}, {1, 16, 24, 0, 3}, {2, 15, 0, 0, 3}, {2, 16, 0, 1, 4},
                 {2, 24, 0, 0, 3}, {2, 32, 0, 8, 4},  {2, 32, 0, 0, 3},  {3, 8, 0, 0, 1},  {3, 16, 0, 8, 2}};
    uint8_t *bytes = malloc(BITMAP_BYTES);
    (void)state;
    assert_non_null(bytes);
    for (size_t i = 0; i < 2 * sizeof depths / sizeof *depths; i++)
        check_bitmap(&format_bmp, bytes, make_bmp(bytes, depths[i / 2], i % 2), 3);
    for (size_t i = 0; i < 4 * sizeof kinds / sizeof *kinds; i++) {
        const int k = (int)i / 4, way = (int)i % 4 * 16;
        const size_t n = make_tga(bytes, kinds[k].type, kinds[k].bits, kinds[k].entry_bits, kinds[k].alpha_bits | way);
        check_bitmap(&format_tga, bytes, n, kinds[k].channels);
    }
    free(bytes);
}

/* Whether alpha counts is known when all of it has been seen: such files are read whole, unless their head has some. */
static void an_alpha_that_begins_late_is_read_whole(void **state)
{
    uint8_t *bytes = malloc(BITMAP_BYTES);
    char path[256];
    (void)state;
    assert_non_null(bytes);
    snprintf(path, sizeof path, "%s/alpha", scratch);
    const size_t n = make_tga(bytes, 2, 32, 0, 8);
    for (int late = 0; late < 2; late++) {
        row_source s;
        image img, whole;
        for (size_t i = 18 + 3; i < (late ? n - 4 : 18 + 400); i += 4) bytes[i] = 0;
        bytes[n - 1] = 9;
        put_file(path, bytes, n);
        assert_true(row_source_open(&s, path, &plain, &err));
        assert_int_equal(s.whole != NULL, late);
        row_source_close(&s);
        assert_true(format_tga.decode(bytes, n, &plain, &img, &err));
        assert_true(image_read(path, &plain, &whole, NULL, &err));
        assert_memory_equal(whole.data, img.data, image_bytes(&img));
        assert_int_equal(((uint8_t *)img.data)[4 * (WIDE - 1) + 3], 9);
        image_free(&img);
        image_free(&whole);
    }
    free(bytes);
}

/* Cut anywhere, and with a byte too many. */
static void other_lengths_are_refused(void **state)
{
    char path[256];
    (void)state;
    snprintf(path, sizeof path, "%s/cut", scratch);
    for (size_t i = 0; format_at(i); i++) {
        const image_format *format = format_at(i);
        if (!by_rows(format)) continue;
        image img = random_image(W, H, 3, type_of(format), 9);
        const raw_layout layout = {.width = W, .height = H, .channels = 3, .type = img.type};
        const raw_layout *raw = format->decode ? NULL : &layout;
        uint8_t *bytes;
        size_t n;
        assert_true(encode_to_memory(format, &img, &(encode_options){0}, &bytes, &n, &err));
        bytes = realloc(bytes, n + 1);
        assert_non_null(bytes);
        bytes[n] = 0;
        put_file(path, bytes, n);
        assert_true(reads(path, raw));
        for (int k = 0; k < 60; k++) {
            const size_t cut = k < 20 ? (size_t)k : (size_t)below((int64_t)n - 1);
            put_file(path, bytes, cut);
            assert_false(reads(path, raw));
            if (k % 4 == 0 && streams(format)) assert_false(stream_reads(bytes, cut, raw));
        }
        if (format->alone) {
            put_file(path, bytes, n + 1);
            assert_false(reads(path, raw));
            assert_non_null(strstr(err.text, "more follows"));
            if (streams(format)) {
                assert_false(stream_reads(bytes, n + 1, raw));
                assert_non_null(strstr(err.text, "more follows"));
            }
        }
        free(bytes);
        image_free(&img);
    }
}

/* The rest of a file goes while its rows are read. */
static void a_file_that_becomes_shorter_is_refused(void **state)
{
    char path[256];
    (void)state;
    snprintf(path, sizeof path, "%s/shorter", scratch);
    for (size_t i = 0; format_at(i); i++) {
        const image_format *format = format_at(i);
        if (!by_rows(format)) continue;
        image img = random_image(W, H, 1, type_of(format), 9);
        uint8_t *bytes;
        size_t n;
        row_source s;
        uint8_t *rows = malloc(image_bytes(&img));
        assert_true(encode_to_memory(format, &img, &(encode_options){0}, &bytes, &n, &err));
        put_file(path, bytes, n);
        const raw_layout layout = {.width = W, .height = H, .channels = 1, .type = img.type};
        decode_options opt = plain;
        if (!format->decode) opt.raw = &layout;
        assert_true(row_source_open(&s, path, &opt, &err));
        assert_true(row_source_read(&s, 0, 5, rows, &err));
        assert_int_equal(truncate(path, (off_t)(n / 4 * 3)), 0);
        assert_false(row_source_read(&s, 0, H, rows, &err));
        if (!strstr(err.text, "became shorter")) fail_msg("%s: %s", format->name, err.text);
        row_source_close(&s);
        free(rows);
        free(bytes);
        image_free(&img);
    }
}

/* What the user says of a file of samples alone; and a picture in the middle of it. */
static void raw_files_are_what_is_said(void **state)
{
    static const struct {
        const char *text;
        raw_layout is;
    } good[] = {{"640x480:u8", {640, 480, 1, SAT_U8, false, false, 0}},
                {"1x2:u16le:3", {1, 2, 3, SAT_U16, false, false, 0}},
                {"7x5:f64be:4@512", {7, 5, 4, SAT_F64, true, true, 512}},
                {"7x5:i32le@0", {7, 5, 1, SAT_I32, false, true, 0}},
                {"7x5:i8:2", {7, 5, 2, SAT_I8, false, false, 0}}};
    static const char *const bad[] = {"",
                                      "7",
                                      "7x",
                                      "0x5:u8",
                                      "7x5",
                                      "7x5:",
                                      "7x5:u16",
                                      "7x5:u8le",
                                      "7x5:u64le",
                                      "7x5:q32le",
                                      "7x5:f16le",
                                      "7x5:le",
                                      "7x5:u8:0",
                                      "7x5:u8:5",
                                      "7x5:u8:",
                                      "7x5:u8@",
                                      "7x5:u8@-1",
                                      "7x5:u8@1x",
                                      "-7x5:u8",
                                      " 7x5:u8",
                                      "7x5:u8:3:3",
                                      "7x5:u8@1:3",
                                      "7X5:u8",
                                      "7x5:U8",
                                      "7x5:u16lebe",
                                      "99999999999999999999x5:u8",
                                      "7x5:u8@99999999999999999999"};
    raw_layout raw;
    (void)state;
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        if (!raw_parse(&raw, good[i].text, &err)) fail_msg("%s: %s", good[i].text, err.text);
        assert_true(raw.width == good[i].is.width && raw.height == good[i].is.height &&
                    raw.channels == good[i].is.channels && raw.type == good[i].is.type &&
                    raw.big_endian == good[i].is.big_endian && raw.has_offset == good[i].is.has_offset &&
                    raw.offset == good[i].is.offset);
    }
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        if (raw_parse(&raw, bad[i], &err)) fail_msg("%s is taken", bad[i]);
    for (size_t i = 0; i < 2 * TYPES; i++) {
        const size_t size = sat_type_bytes(types[i / 2]), before = 77, behind = 5;
        image img = random_image(W, H, 3, types[i / 2], 9);
        const size_t n = image_bytes(&img);
        uint8_t *file = malloc(before + n + behind);
        assert_non_null(file);
        memset(file, 1, before + n + behind);
        for (size_t at = 0; at < n; at++)
            file[before + at] = ((uint8_t *)img.data)[i % 2 ? at / size * size + size - 1 - at % size : at];
        raw = (raw_layout){.width = W,
                           .height = H,
                           .channels = 3,
                           .type = img.type,
                           .big_endian = i % 2,
                           .has_offset = true,
                           .offset = before};
        decode_options opt = plain;
        opt.raw = &raw;
        check_file_and_stream(file, before + n + behind, &img, true, &opt);
        raw.offset = (uint64_t)INT64_MAX - 5;
        char path[256];
        snprintf(path, sizeof path, "%s/far", scratch);
        put_file(path, file, n);
        assert_false(reads(path, &raw));
        free(file);
        image_free(&img);
    }
}

/* Rows of a stream that were passed, and rows that an image lacks. */
static void what_cannot_be_had_is_refused(void **state)
{
    image img = random_image(2000, 200, 1, SAT_U8, 9);
    uint8_t *bytes, row[2000];
    size_t n;
    row_source s;
    feed f;
    (void)state;
    assert_true(encode_to_memory(&format_pnm, &img, &(encode_options){0}, &bytes, &n, &err));
    feed_begin(&f, bytes, n);
    assert_true(row_source_open(&s, f.path, &plain, &err));
    assert_true(s.in_order);
    assert_true(row_source_read(&s, 150, 1, row, &err));
    assert_memory_equal(row, (uint8_t *)img.data + 150 * 2000, 2000);
    assert_false(row_source_read(&s, 100, 1, row, &err));
    row_source_close(&s);
    feed_end(&f);
    row_sink to;
    sink *out;
    assert_true(sink_open(&out, "/dev/null", NULL, &err));
    assert_true(row_sink_begin(&to, &format_pnm, &img, &(encode_options){0}, out, &err));
    assert_true(row_sink_write(&to, img.data, 199, &err));
    assert_false(row_sink_end(&to, &err));
    assert_false(row_sink_write(&to, img.data, 2, &err));
    row_sink_free(&to);
    sink_abort(&out);
    free(bytes);
    image_free(&img);
}

int main(void)
{
    signal(SIGPIPE, SIG_IGN);
    cmocka_set_message_output(CM_OUTPUT_TAP);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arrays_of_other_types),
        cmocka_unit_test(anymaps_of_other_ranges),
        cmocka_unit_test(channels_are_chosen_in_rows),
        cmocka_unit_test(bitmaps_of_all_kinds),
        cmocka_unit_test(an_alpha_that_begins_late_is_read_whole),
        cmocka_unit_test(other_lengths_are_refused),
        cmocka_unit_test(a_file_that_becomes_shorter_is_refused),
        cmocka_unit_test(raw_files_are_what_is_said),
        cmocka_unit_test(what_cannot_be_had_is_refused),
    };
    return cmocka_run_group_tests(tests, scratch_make, scratch_remove);
}
