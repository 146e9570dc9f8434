/* Rows of files: read and written in parts of any height they are the image's, from a file and from a stream; inputs
 * that end too soon, become shorter, or go on behind their rows are refused. */
#include <pthread.h>
#include <signal.h>

#include "row_sink.h"
#include "row_source.h"
#include "scratch.h"
#include "tiff_maker.h"

static error err;
static uint32_t seed = 1;

static int64_t below(int64_t n)
{
    return (int64_t)(next_random(&seed) % (uint64_t)n);
}

static void put_file(const char *path, const uint8_t *bytes, size_t n)
{
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    assert_int_equal(fwrite(bytes, 1, n, f), n);
    assert_int_equal(fclose(f), 0);
}

/* ---- a stream that a thread fills ---- */

typedef struct feed {
    const uint8_t *bytes;
    size_t n;
    int fd;
    char path[32];
    int read_end;
    pthread_t thread;
} feed;

static void *fill(void *context)
{
    feed *f = context;
    for (size_t at = 0; at < f->n;) {
        const size_t want = 1 + (size_t)(at * 7919 % 70000);
        ssize_t k = write(f->fd, f->bytes + at, want < f->n - at ? want : f->n - at);
        if (k <= 0) break;
        at += (size_t)k;
    }
    close(f->fd);
    return NULL;
}

static void feed_begin(feed *f, const uint8_t *bytes, size_t n)
{
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    *f = (feed){.bytes = bytes, .n = n, .fd = ends[1], .read_end = ends[0]};
    snprintf(f->path, sizeof f->path, "/proc/self/fd/%d", ends[0]);
    assert_int_equal(pthread_create(&f->thread, NULL, fill, f), 0);
}

static void feed_end(feed *f)
{
    close(f->read_end);
    assert_int_equal(pthread_join(f->thread, NULL), 0);
}

/* ---- reading ---- */

/* Are rows of such a file read from a pipe? */
static bool streams(const image_format *format)
{
    return format != &format_pfm && format != &format_tiff;
}

/* The image's rows, read in parts from the top, and at random places of a file. */
static void check_rows(const char *path, const image *img, bool places, const decode_options *opt)
{
    row_source s;
    if (!row_source_open(&s, path, opt, &err)) fail_msg("%s", err.text);
    if (s.whole) fail_msg("%s", s.whole);
    assert_int_equal(s.head.width, img->width);
    assert_int_equal(s.head.height, img->height);
    assert_int_equal(s.head.channels, img->channels);
    assert_int_equal(s.head.type, img->type);
    assert_int_equal(s.head.row_bytes, img->row_bytes);
    const int64_t H = img->height;
    for (int64_t y = 0, n; y < H; y += n) {
        n = 1 + below(H - y < 40 ? H - y : 40);
        uint8_t *rows = malloc((size_t)n * img->row_bytes);
        assert_non_null(rows);
        if (!row_source_read(&s, y, n, rows, &err)) fail_msg("%s", err.text);
        assert_memory_equal(rows, (uint8_t *)img->data + (size_t)y * img->row_bytes, (size_t)n * img->row_bytes);
        free(rows);
    }
    for (int i = 0; places && i < 20; i++) {
        const int64_t y = below(H), n = 1 + below(H - y);
        uint8_t *rows = malloc((size_t)n * img->row_bytes);
        assert_non_null(rows);
        if (!row_source_read(&s, y, n, rows, &err)) fail_msg("%s", err.text);
        assert_memory_equal(rows, (uint8_t *)img->data + (size_t)y * img->row_bytes, (size_t)n * img->row_bytes);
        free(rows);
    }
    row_source_close(&s);
}

static void check_file_and_stream(const uint8_t *bytes, size_t n, const image *img, bool stream,
                                  const decode_options *opt)
{
    char path[256];
    snprintf(path, sizeof path, "%s/rows", scratch);
    put_file(path, bytes, n);
    check_rows(path, img, true, opt);
    image whole;
    if (!image_read(path, opt, &whole, NULL, &err)) fail_msg("%s", err.text);
    assert_memory_equal(whole.data, img->data, image_bytes(img));
    image_free(&whole);
    for (int i = 0; stream && i < 2; i++) {
        feed f;
        feed_begin(&f, bytes, n);
        if (i == 0) {
            check_rows(f.path, img, false, opt);
        } else {
            if (!image_read(f.path, opt, &whole, NULL, &err)) fail_msg("%s", err.text);
            assert_memory_equal(whole.data, img->data, image_bytes(img));
            image_free(&whole);
        }
        feed_end(&f);
    }
}

/* Reads all rows in parts of 10. */
static bool reads(const char *path)
{
    row_source s;
    err.text[0] = 0;
    bool ok = row_source_open(&s, path, &plain, &err);
    uint8_t *rows = ok ? malloc(10 * s.head.row_bytes) : NULL;
    for (int64_t y = 0; ok && y < s.head.height; y += 10)
        ok = row_source_read(&s, y, s.head.height - y < 10 ? s.head.height - y : 10, rows, &err);
    free(rows);
    row_source_close(&s);
    if (!ok) assert_true(err.text[0] != '\0' && !strchr(err.text, '\n'));
    return ok;
}

static const sat_type types[] = {SAT_U8, SAT_U16, SAT_U32, SAT_I8, SAT_I16, SAT_I32, SAT_F32, SAT_F64};
enum { TYPES = sizeof types / sizeof *types };

/* Sizes below the head that is kept in memory, and above it. */
static image some_image(sat_type type, int channels)
{
    static const int64_t sides[][2] = {{1, 1}, {3, 7}, {61, 97}, {701, 301}, {1, 999}, {2999, 67}};
    const int64_t *side = sides[below(sizeof sides / sizeof *sides)];
    return random_image(side[0], side[1], channels, type, next_random(&seed));
}

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
    for (int64_t y = 0, rows; y < img->height; y += rows) {
        rows = 1 + below(img->height - y < 50 ? img->height - y : 50);
        if (!row_sink_write(&to, (uint8_t *)img->data + (size_t)y * img->row_bytes, rows, &err))
            fail_msg("%s", err.text);
    }
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
            if (format->reads_rows) check_file_and_stream(parts, n, &img, streams(format), &plain);
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
        image img = some_image(types[k % TYPES], 1 + k / 3 % 4), back;
        uint8_t *parts, *whole;
        size_t n, n_whole;
        if (!encode_to_memory(&format_tiff, &img, &opt, &whole, &n_whole, &err)) fail_msg("%s", err.text);
        written_in_parts(&format_tiff, &img, opt, &parts, &n);
        assert_int_equal(n, n_whole);
        assert_memory_equal(parts, whole, n);
        if (!decode_exactly(parts, n, &plain, &back, &err)) fail_msg("%s", err.text);
        assert_int_equal(back.width, img.width);
        assert_int_equal(back.height, img.height);
        assert_memory_equal(back.data, img.data, image_bytes(&img));
        image_free(&back);
        image_free(&img);
        free(parts);
        free(whole);
    }
}

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

/* Every depth, meaning, order and layout of samples, each against the whole in memory, which other tests compare with
 * the specification. */
static void tiffs_of_all_kinds(void **state)
{
    static const int depths[] = {1, 4, 8, 12, 16, 32};
    static tiff t;
    (void)state;
    for (int k = 0; k < 6 * 4 * 5 * 32; k++) {
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
                   .differences = k / 128 % 5 == 4 && depths[k / 640] % 8 == 0 && depths[k / 640] < 32};
        image img;
        if ((photometric == PALETTE && is.bits > 8) || (photometric == WHITE && is.bits == 32)) continue;
        make(&t, &is);
        if (!decode_exactly(t.bytes, t.n, &plain, &img, &err)) fail_msg("%s", err.text);
        check_file_and_stream(t.bytes, t.n, &img, false, &plain);
        image_free(&img);
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
            assert_false(reads(path));
            assert_string_equal(err.text, why);
        }
        free(bytes);
    }
    assert_int_equal(pclose(list), 0);
    assert_true(files > 5);
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

static bool stream_reads(const uint8_t *bytes, size_t n)
{
    feed f;
    feed_begin(&f, bytes, n);
    bool ok = reads(f.path);
    feed_end(&f);
    return ok;
}

/* Cut anywhere, and with a byte too many. */
static void other_lengths_are_refused(void **state)
{
    char path[256];
    (void)state;
    snprintf(path, sizeof path, "%s/cut", scratch);
    for (size_t i = 0; format_at(i); i++) {
        const image_format *format = format_at(i);
        if (!format->reads_rows || !format->encode) continue;
        const bool f32 = !format->holds(SAT_U16, 3, &err);
        image img = random_image(W, H, 3, f32 ? SAT_F32 : SAT_U16, 9);
        uint8_t *bytes;
        size_t n;
        assert_true(encode_to_memory(format, &img, &(encode_options){0}, &bytes, &n, &err));
        bytes = realloc(bytes, n + 1);
        assert_non_null(bytes);
        bytes[n] = 0;
        put_file(path, bytes, n);
        assert_true(reads(path));
        for (int k = 0; k < 60; k++) {
            const size_t cut = k < 20 ? (size_t)k : (size_t)below((int64_t)n - 1);
            put_file(path, bytes, cut);
            assert_false(reads(path));
            if (k % 4 == 0 && streams(format)) assert_false(stream_reads(bytes, cut));
        }
        if (format->alone) {
            put_file(path, bytes, n + 1);
            assert_false(reads(path));
            assert_non_null(strstr(err.text, "more follows"));
            if (streams(format)) {
                assert_false(stream_reads(bytes, n + 1));
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
        if (!format->reads_rows || !format->encode) continue;
        image img = random_image(W, H, 1, format == &format_pfm ? SAT_F32 : SAT_U16, 9);
        uint8_t *bytes;
        size_t n;
        row_source s;
        uint8_t *rows = malloc(image_bytes(&img));
        assert_true(encode_to_memory(format, &img, &(encode_options){0}, &bytes, &n, &err));
        put_file(path, bytes, n);
        assert_true(row_source_open(&s, path, &plain, &err));
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
        cmocka_unit_test(rows_in_parts_are_the_image),
        cmocka_unit_test(tiles_are_written_in_parts),
        cmocka_unit_test(arrays_of_other_types),
        cmocka_unit_test(anymaps_of_other_ranges),
        cmocka_unit_test(channels_are_chosen_in_rows),
        cmocka_unit_test(tiffs_of_all_kinds),
        cmocka_unit_test(tiffs_of_other_software),
        cmocka_unit_test(other_lengths_are_refused),
        cmocka_unit_test(a_file_that_becomes_shorter_is_refused),
        cmocka_unit_test(what_cannot_be_had_is_refused),
    };
    return cmocka_run_group_tests(tests, scratch_make, scratch_remove);
}
