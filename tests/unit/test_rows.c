/* Rows of files: read and written in parts of any height, they are the image's, from a file and from a stream. */
#include "rows_test.h"

static void written_in_parts(const image_format *format, const image *img, encode_options opt, uint8_t **bytes,
                             size_t *n)
{
    char path[256];
    sink *out;
    source src;
    row_sink to;
    opt.threads = 1 + (int)below(3);
    image head = *img;
    head.data = NULL;
    snprintf(path, sizeof path, "%s/written", scratch);
    assert_true(sink_open(&out, path, NULL, &err));
    if (!row_sink_begin(&to, format, &head, &opt, out, &err)) fail_msg("%s", err.text);
    uint8_t *lines = lines_of(img);
    for (int64_t y = 0, rows; y < img->height; y += rows) {
        rows = 1 + below(img->height - y < 50 ? img->height - y : 50);
        if (!row_sink_write(&to, lines + (size_t)y * img->row_bytes * (size_t)image_planes(img), rows, &err))
            fail_msg("%s", err.text);
    }
    free(lines);
    if (!row_sink_end(&to, &err)) fail_msg("%s", err.text);
    row_sink_free(&to);
    assert_true(sink_commit(&out, &err));
    assert_true(source_open(&src, path, &err));
    *n = src.n;
    *bytes = malloc(src.n);
    assert_non_null(*bytes);
    memcpy(*bytes, src.bytes, src.n);
    source_close(&src);
}

/* Every format, type and number of channels. */
static void rows_in_parts_are_the_image(void **state)
{
    (void)state;
    for (size_t i = 0; format_at(i); i++) {
        const image_format *format = format_at(i);
        if (!format->encode) continue;
        for (int k = 0; k < 2 * TYPES * 4; k++) {
            const sat_type type = types[k / 4 % TYPES];
            uint8_t *parts, *whole;
            size_t n, n_whole;
            if (!format->holds(type, 1 + k % 4, &err)) continue;
            image img = some_image(type, 1 + k % 4);
            if (!encode_to_memory(format, &img, &(encode_options){0}, &whole, &n_whole, &err)) fail_msg("%s", err.text);
            written_in_parts(format, &img, (encode_options){0}, &parts, &n);
            assert_int_equal(n, n_whole);
            assert_memory_equal(parts, whole, n);
            raw_layout raw = {.width = img.width, .height = img.height, .channels = img.channels, .type = type};
            decode_options opt = plain;
            if (!format->decode) opt.raw = &raw;
            if (by_rows(format)) check_file_and_stream(parts, n, &img, streams(format), &opt);
            free(parts);
            free(whole);
            image_free(&img);
        }
    }
}

/* Tiles that the image's sides are no multiples of, and strips, in each compression. */
static void tiles_are_written_in_parts(void **state)
{
    static const char *const names[] = {"deflate", "none", "lzw", "zstd", "packbits"};
    static const uint32_t tiles[][2] = {{16, 16}, {256, 256}, {64, 16}, {1024, 2048}, {0, 0}};
    (void)state;
    for (int k = 0; k < 75; k++) {
        const encode_options opt = {
            .compression = names[k % 5], .tile_width = tiles[k / 5 % 5][0], .tile_height = tiles[k / 5 % 5][1]};
        const bool bands = k % 4 == 3;
        decode_options all = plain;
        all.planes_from = bands ? 2 : 0;
        image img = bands ? some_bands(types[k % TYPES]) : some_image(types[k % TYPES], 1 + k / 3 % 4), back;
        uint8_t *parts, *whole;
        size_t n, n_whole;
        if (!encode_to_memory(&format_tiff, &img, &opt, &whole, &n_whole, &err)) fail_msg("%s", err.text);
        written_in_parts(&format_tiff, &img, opt, &parts, &n);
        assert_int_equal(n, n_whole);
        assert_memory_equal(parts, whole, n);
        if (!decode_exactly(parts, n, &all, &back, &err)) fail_msg("%s", err.text);
        assert_int_equal(back.width, img.width);
        assert_int_equal(back.height, img.height);
        assert_int_equal(image_planes(&back), image_planes(&img));
        assert_memory_equal(back.data, img.data, image_bytes(&img) * (size_t)image_planes(&img));
        if (bands) check_file_and_stream(parts, n, &img, false, &all);
        image_free(&back);
        image_free(&img);
        free(parts);
        free(whole);
    }
}

/* Arrays of more bands than a picture's: all of them, and one. */
static void arrays_of_bands(void **state)
{
    (void)state;
    for (int k = 0; k < 4 * TYPES; k++) {
        image img = some_bands(types[k % TYPES]);
        decode_options opt = plain;
        uint8_t *parts, *whole;
        size_t n, n_whole;
        if (!encode_to_memory(&format_npy, &img, &(encode_options){0}, &whole, &n_whole, &err))
            fail_msg("%s", err.text);
        written_in_parts(&format_npy, &img, (encode_options){0}, &parts, &n);
        assert_int_equal(n, n_whole);
        assert_memory_equal(parts, whole, n);
        opt.planes_from = 2;
        const bool turned = img.planes > 4 && img.height <= 4; /* its bands are taken for columns, and refused */
        if (img.planes > 4 && !turned) check_file_and_stream(parts, n, &img, true, &opt);
        image one = img;
        opt.channels.number = 1 + (int)below(img.planes);
        one.data = (uint8_t *)img.data + (size_t)(opt.channels.number - 1) * image_bytes(&img), one.planes = 1;
        if (!turned) check_file_and_stream(parts, n, &one, true, &opt);
        free(parts);
        free(whole);
        image_free(&img);
    }
}

/* Every depth, meaning, order and layout of samples, each against the whole in memory, which other tests compare with
 * the specification. */
static void tiffs_of_all_kinds(void **state)
{
    static const int depths[] = {1, 4, 8, 12, 16, 32};
    static tiff t;
    (void)state;
    for (int k = 0; k < 6 * 4 * 5 * 32; k++) {
        decode_options opt = plain;
        const int layout = k % 32, photometric = k / 32 % 4,
                  compression = (int[]){0, 0, DEFLATE, PACKBITS, DEFLATE}[k / 128 % 5];
        kind is = {.bits = depths[k / 640],
                   .photometric = photometric,
                   .extra = layout & 1 && photometric != PALETTE ? (k % 3 ? ALPHA : PREMULTIPLIED) : NO_EXTRA,
                   .planar = layout & 2,
                   .tiled = layout & 4,
                   .last_first = layout & 8,
                   .big = layout & 16,
                   .compression = compression,
                   .rows = 1 + k % 7,
                   .behind = photometric != PALETTE && k % 5 == 1 ? 1 + k % 3 : 0,
                   .differences = k / 128 % 5 == 4 && depths[k / 640] % 8 == 0 && depths[k / 640] < 32};
        image img;
        if ((photometric == PALETTE && is.bits > 8) || (photometric == WHITE && is.bits == 32)) continue;
        opt.planes_from = is.behind ? 2 : 0;
        make(&t, &is);
        if (!decode_exactly(t.bytes, t.n, &opt, &img, &err)) fail_msg("%s", err.text);
        check_file_and_stream(t.bytes, t.n, &img, false, &opt);
        image_free(&img);
    }
}

/* TIFF 6.0, page 36: in orientations 2 and 3 the first stored column is the right one, in 3 and 4 the first row is the
 * bottom one.  Rows of 5 to 8 would be columns. */
static void turned_tiffs(void **state)
{
    static tiff t;
    char path[256];
    (void)state;
    snprintf(path, sizeof path, "%s/turned", scratch);
    for (int k = 0; k < 7 * 8 * 4 * 3; k++) {
        const int way = 2 + k % 7, layout = k / 7 % 8;
        const kind is = {.bits = (int[]){8, 16, 32}[k / 224],
                         .photometric = k / 56 % 2 ? RGB : BLACK,
                         .extra = k / 112 % 2 ? ALPHA : NO_EXTRA,
                         .planar = layout & 1,
                         .tiled = layout & 2,
                         .compression = layout & 4 ? DEFLATE : 0,
                         .rows = 1 + k % 5,
                         .orientation = way};
        decode_options as_stored = plain;
        image stored, img;
        make(&t, &is);
        as_stored.no_orient = true;
        if (!decode_exactly(t.bytes, t.n, &as_stored, &stored, &err)) fail_msg("%s", err.text);
        assert_true(image_alloc_like(&img, &stored, stored.channels, stored.type, &err));
        const size_t pixel = img.row_bytes / WIDTH;
        uint8_t *to = img.data;
        const uint8_t *from = stored.data;
        for (size_t y = 0; y < HEIGHT; y++)
            for (size_t x = 0; x < WIDTH; x++)
                memcpy(to + y * img.row_bytes + x * pixel,
                       from + (way == 2 ? y : HEIGHT - 1 - y) * img.row_bytes + (way == 4 ? x : WIDTH - 1 - x) * pixel,
                       pixel);
        if (way < 5) {
            check_file_and_stream(t.bytes, t.n, &img, false, &plain);
        } else {
            row_source s;
            put_file(path, t.bytes, t.n);
            assert_true(row_source_open(&s, path, &plain, &err));
            assert_string_equal(s.whole, "it is to be turned");
            row_source_close(&s);
        }
        image_free(&img);
        if (!decode_exactly(t.bytes, t.n, &plain, &img, &err)) fail_msg("%s", err.text);
        assert_int_equal(img.meta.turned, way);
        assert_int_equal(img.meta.orientation, 0);
        image_free(&img);
        image_free(&stored);
    }
}

static void tiffs_of_other_software(void **state)
{
    char command[256], name[128];
    int files = 0;
    (void)state;
    snprintf(command, sizeof command, "ls " FIXTURES "*.tif");
    FILE *list = popen(command, "r");
    assert_non_null(list);
    while (fgets(name, sizeof name, list)) {
        uint8_t *bytes;
        size_t n;
        image img;
        decode_options opt = plain;
        name[strcspn(name, "\n")] = '\0';
        read_fixture(name + strlen(FIXTURES), &bytes, &n);
        opt.no_orient = true;
        if (decode_exactly(bytes, n, &opt, &img, &err)) {
            check_file_and_stream(bytes, n, &img, false, &opt);
            image_free(&img);
            files++;
        } else {
            char path[256], why[sizeof err.text];
            snprintf(path, sizeof path, "%s/refused", scratch);
            strcpy(why, err.text);
            put_file(path, bytes, n);
            assert_false(reads(path, NULL));
            assert_string_equal(err.text, why);
        }
        free(bytes);
    }
    assert_int_equal(pclose(list), 0);
    assert_true(files > 5);
}

int main(void)
{
    signal(SIGPIPE, SIG_IGN);
    cmocka_set_message_output(CM_OUTPUT_TAP);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_in_parts_are_the_image),
        cmocka_unit_test(tiles_are_written_in_parts),
        cmocka_unit_test(arrays_of_bands),
        cmocka_unit_test(tiffs_of_all_kinds),
        cmocka_unit_test(turned_tiffs),
        cmocka_unit_test(tiffs_of_other_software),
    };
    return cmocka_run_group_tests(tests, scratch_make, scratch_remove);
}
