/* rows_test.h - what the tests of rows share: files and streams, whose rows are compared with an image. */
#ifndef ROWS_TEST_H
#define ROWS_TEST_H

#include <pthread.h>
#include <signal.h>

#include "raw.h"
#include "row_sink.h"
#include "row_source.h"
#include "scratch.h"
#include "tiff_maker.h"

static error err;
static uint32_t seed = 1;

static inline int64_t below(int64_t n)
{
    return (int64_t)(next_random(&seed) % (uint64_t)n);
}

static inline void put_file(const char *path, const uint8_t *bytes, size_t n)
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

static inline void *fill(void *context)
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

static inline void feed_begin(feed *f, const uint8_t *bytes, size_t n)
{
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    *f = (feed){.bytes = bytes, .n = n, .fd = ends[1], .read_end = ends[0]};
    snprintf(f->path, sizeof f->path, "/proc/self/fd/%d", ends[0]);
    assert_int_equal(pthread_create(&f->thread, NULL, fill, f), 0);
}

static inline void feed_end(feed *f)
{
    close(f->read_end);
    assert_int_equal(pthread_join(f->thread, NULL), 0);
}

/* ---- reading ---- */

/* Are rows of such a file read from a pipe? */
static inline bool streams(const image_format *format)
{
    return format != &format_pfm && format != &format_tiff && format != &format_bmp && format != &format_tga;
}

/* Are files read by rows, as they are written here?  TGAs are in runs. */
static inline bool by_rows(const image_format *format)
{
    return format->reads_rows && format->encode && format != &format_tga;
}

/* The widest type that it holds. */
static inline sat_type type_of(const image_format *format)
{
    return format->holds(SAT_U16, 1, &err) ? SAT_U16 : format->holds(SAT_F32, 1, &err) ? SAT_F32 : SAT_U8;
}

/* The image's rows as rows are held: a row of each plane, then the next row of each. */
static inline uint8_t *lines_of(const image *img)
{
    const size_t planes = (size_t)image_planes(img), row = img->row_bytes;
    uint8_t *lines = malloc(image_bytes(img) * planes);
    assert_non_null(lines);
    for (size_t y = 0; y < (size_t)img->height; y++)
        for (size_t k = 0; k < planes; k++)
            memcpy(lines + (y * planes + k) * row, (uint8_t *)img->data + (k * (size_t)img->height + y) * row, row);
    return lines;
}

/* The image's rows, read in parts from the top, and at random places of a file. */
static inline void check_rows(const char *path, const image *img, bool places, const decode_options *opt)
{
    row_source s;
    if (!row_source_open(&s, path, opt, &err)) fail_msg("%s", err.text);
    if (s.whole) fail_msg("%s", s.whole);
    assert_int_equal(s.head.width, img->width);
    assert_int_equal(s.head.height, img->height);
    assert_int_equal(s.head.channels, img->channels);
    assert_int_equal(s.head.type, img->type);
    assert_int_equal(s.head.row_bytes, img->row_bytes);
    assert_int_equal(image_planes(&s.head), image_planes(img));
    const int64_t H = img->height;
    const size_t row = img->row_bytes * (size_t)image_planes(img);
    uint8_t *lines = lines_of(img);
    for (int64_t y = 0, n; y < H; y += n) {
        n = 1 + below(H - y < 40 ? H - y : 40);
        uint8_t *rows = malloc((size_t)n * row);
        assert_non_null(rows);
        if (!row_source_read(&s, y, n, rows, &err)) fail_msg("%s", err.text);
        assert_memory_equal(rows, lines + (size_t)y * row, (size_t)n * row);
        free(rows);
    }
    for (int i = 0; places && i < 20; i++) {
        const int64_t y = below(H), n = 1 + below(H - y);
        uint8_t *rows = malloc((size_t)n * row);
        assert_non_null(rows);
        if (!row_source_read(&s, y, n, rows, &err)) fail_msg("%s", err.text);
        assert_memory_equal(rows, lines + (size_t)y * row, (size_t)n * row);
        free(rows);
    }
    free(lines);
    row_source_close(&s);
}

static inline void check_file_and_stream(const uint8_t *bytes, size_t n, const image *img, bool stream,
                                         const decode_options *opt)
{
    char path[256];
    snprintf(path, sizeof path, "%s/rows", scratch);
    put_file(path, bytes, n);
    check_rows(path, img, true, opt);
    image whole;
    if (!image_read(path, opt, &whole, NULL, &err)) fail_msg("%s", err.text);
    assert_memory_equal(whole.data, img->data, image_bytes(img) * (size_t)image_planes(img));
    image_free(&whole);
    for (int i = 0; stream && i < 2; i++) {
        feed f;
        feed_begin(&f, bytes, n);
        if (i == 0) {
            check_rows(f.path, img, false, opt);
        } else {
            if (!image_read(f.path, opt, &whole, NULL, &err)) fail_msg("%s", err.text);
            assert_memory_equal(whole.data, img->data, image_bytes(img) * (size_t)image_planes(img));
            image_free(&whole);
        }
        feed_end(&f);
    }
}

/* Reads all rows in parts of 10. */
static inline bool reads(const char *path, const raw_layout *raw)
{
    row_source s;
    decode_options opt = plain;
    opt.raw = raw;
    err.text[0] = 0;
    bool ok = row_source_open(&s, path, &opt, &err);
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
static inline image some_image(sat_type type, int channels)
{
    static const int64_t sides[][2] = {{1, 1}, {3, 7}, {61, 97}, {701, 301}, {1, 999}, {2999, 67}};
    const int64_t *side = sides[below(sizeof sides / sizeof *sides)];
    return random_image(side[0], side[1], channels, type, next_random(&seed));
}

/* The same of 2 to 9 bands: planes. */
static inline image some_bands(sat_type type)
{
    const int planes = 2 + (int)below(8);
    const image one = some_image(type, 1);
    image img = random_image(one.width, one.height * planes, 1, type, next_random(&seed));
    img.height = one.height, img.planes = planes;
    free(one.data);
    return img;
}

#endif
