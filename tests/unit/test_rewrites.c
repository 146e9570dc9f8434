/* Inputs that are written into, or cut, while they are read: an error or a wrong picture, never a crash. */
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "child.h"
#include "codec_test.h"
#include "scratch.h"
#include "table_file.h"

enum { WIDTH = 400, HEIGHT = 300, PLACES_MAX = 4096 }; /* so that no file ends in the head, SOURCE_HEAD_BYTES */

static error err;

static const char *in_scratch(const char *name)
{
    static char path[128];
    snprintf(path, sizeof path, "%s/%s", scratch, name);
    return path;
}

static void put(const char *path, const uint8_t *bytes, size_t n)
{
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    assert_int_equal(fwrite(bytes, 1, n, f), n);
    assert_int_equal(fclose(f), 0);
}

/* A file of a format, which its own encoder made. */
typedef struct sample {
    const image_format *format;
    uint8_t *bytes;
    size_t n;
    image img; /* what it decodes to */
} sample;

/* A stray byte behind the first segment of a JPEG, so that its segments are walked a second time. */
static void add_noise(sample *s)
{
    enum { FIRST_BYTES = 2 + 2 + 16 /* SOI, and JFIF's segment */ };
    uint8_t *noisy = malloc(s->n + 1);
    assert_non_null(noisy);
    memcpy(noisy, s->bytes, FIRST_BYTES);
    noisy[FIRST_BYTES] = 'x';
    memcpy(noisy + FIRST_BYTES + 1, s->bytes + FIRST_BYTES, s->n - FIRST_BYTES);
    free(s->bytes);
    s->bytes = noisy;
    s->n++;
}

static uint32_t seed; /* no two samples are alike */

/* Of the next format that can be written, from *i on; false if there is none. */
static bool next_sample(size_t *i, sample *s)
{
    const image_format *format = format_at(*i);
    while (format && (!format->encode || !format->decode)) format = format_at(++*i);
    if (!format) return false;
    ++*i;
    sat_type type = format->holds(SAT_U8, 3, &err) ? SAT_U8 : SAT_F32;
    image img = random_image(WIDTH, HEIGHT, 3, type, ++seed);
    s->format = format;
    assert_true(encode_to_memory(format, &img, &(encode_options){.quality = 100}, &s->bytes, &s->n, &err));
    if (strcmp(format->name, "jpeg") == 0) add_noise(s);
    assert_true(s->n > SOURCE_HEAD_BYTES);
    assert_true(decode_exactly(s->bytes, s->n, &plain, &s->img, &err));
    image_free(&img);
    return true;
}

static void free_sample(sample *s)
{
    free(s->bytes);
    image_free(&s->img);
}

static bool is_raw(const sample *s)
{
    image_shape shape = {0};
    return s->format->shape && s->format->shape(s->bytes, s->n, &plain, &shape) && shape.raw;
}

static source open_sample(const sample *s, const char *path)
{
    source src;
    put(path, s->bytes, s->n);
    assert_true(source_open_by(&src, path, image_probe, image_extent, &plain, &err));
    assert_int_equal(src.n, s->n);
    return src;
}

static void assert_same_image(const image *a, const image *b)
{
    assert_int_equal(a->width, b->width);
    assert_int_equal(a->height, b->height);
    assert_int_equal(a->channels, b->channels);
    assert_memory_equal(a->data, b->data, image_bytes(a));
}

static void overwrite(const char *path, size_t n, size_t at, const void *bytes, size_t count)
{
    int fd = open(path, O_WRONLY);
    assert_true(fd >= 0);
    assert_true(at + count <= n);
    assert_int_equal(pwrite(fd, bytes, count, (off_t)at), count);
    close(fd);
}

/* ---- what walks step by: the lengths that stand in a file --------------------------------------------- */

static size_t png_lengths(const sample *s, size_t *at)
{
    size_t n = 0;
    for (size_t i = 8; i < s->n && n < PLACES_MAX;) {
        at[n++] = i;
        i += 12 + ((size_t)s->bytes[i] << 24 | (size_t)s->bytes[i + 1] << 16 | (size_t)s->bytes[i + 2] << 8 |
                   s->bytes[i + 3]);
    }
    return n;
}

static size_t jpeg_lengths(const sample *s, size_t *at)
{
    size_t n = 0;
    for (size_t i = 4; s->bytes[i - 1] != 0xDA && n < PLACES_MAX;) {
        at[n++] = i;
        i += ((size_t)s->bytes[i] << 8 | s->bytes[i + 1]) + 2;
        i += s->bytes[i - 2] != 0xFF; /* the stray byte */
    }
    at[n++] = s->n - 2; /* the end marker, by which a scan's walk ends */
    return n;
}

/* Of other formats: the header, and the ends of the first part that lies in memory and of the file. */
static size_t other_places(const sample *s, size_t *at)
{
    size_t n = 0;
    for (size_t i = 0; i < 64; i += 2) at[n++] = i;
    for (size_t i = 0; i < 8; i += 2) {
        at[n++] = SOURCE_HEAD_BYTES - 4 + i;
        at[n++] = s->n - 8 + i;
    }
    return n;
}

static size_t places_of(const sample *s, size_t *at)
{
    if (strcmp(s->format->name, "png") == 0) return png_lengths(s, at);
    return strcmp(s->format->name, "jpeg") == 0 ? jpeg_lengths(s, at) : other_places(s, at);
}

/* ---- rewritten between opening and decoding ------------------------------------------------------------ */

static void encoded_files_are_decoded_as_they_were_opened(void **state)
{
    (void)state;
    const char *path = in_scratch("encoded");
    static size_t at[PLACES_MAX];
    sample s;
    for (size_t i = 0; next_sample(&i, &s);) {
        if (!is_raw(&s)) {
            source src = open_sample(&s, path);
            assert_false(src.mapped);
            for (size_t k = places_of(&s, at); k-- > 0;) overwrite(path, s.n, at[k], "\xff\xff", 2);
            image img;
            assert_true(image_decode(&src, &plain, &img, NULL, &err));
            assert_same_image(&img, &s.img);
            image_free(&img);
            assert_int_equal(truncate(path, 0), 0);
            assert_true(image_decode(&src, &plain, &img, NULL, &err));
            assert_same_image(&img, &s.img);
            image_free(&img);
            source_close(&src);
        }
        free_sample(&s);
    }
}

static void headers_of_mapped_files_stay(void **state)
{
    (void)state;
    const char *path = in_scratch("raw");
    static const uint8_t nines[SOURCE_HEAD_BYTES] = {'9'};
    int raw = 0;
    sample s;
    for (size_t i = 0; next_sample(&i, &s);) {
        if (is_raw(&s)) {
            source src = open_sample(&s, path);
            raw++;
            assert_true(src.mapped);
            assert_memory_equal(src.bytes, s.bytes, s.n);
            overwrite(path, s.n, 0, nines, sizeof nines);
            image img;
            assert_true(image_decode(&src, &plain, &img, NULL, &err));
            assert_same_image(&img, &s.img);
            image_free(&img);
            source_close(&src);
        }
        free_sample(&s);
    }
    assert_int_equal(raw, 4); /* PNM, PAM, PFM, and arrays of NumPy */
}

/* A header that goes on behind the head, and samples in text, are walked too. */
static void netpbm_files_that_are_walked_are_not_mapped(void **state)
{
    (void)state;
    const char *path = in_scratch("walked");
    static char text[2 * SOURCE_HEAD_BYTES];
    for (int k = 0; k < 2; k++) {
        source src;
        memset(text, k ? ' ' : 'c', sizeof text);
        memcpy(text, k ? "P2 1 1 255 7" : "P5 #", k ? 12 : 4);
        if (!k) memcpy(text + sizeof text - 11, "\n1 1 255 \7", 11);
        put(path, (const uint8_t *)text, sizeof text);
        assert_true(source_open_by(&src, path, image_probe, image_extent, &plain, &err));
        assert_false(src.mapped);
        source_close(&src);
    }
}

static void the_header_of_a_table_stays(void **state)
{
    (void)state;
    const char *path = in_scratch("table.npy");
    static uint64_t sums[SOURCE_HEAD_BYTES / 8];
    sat_view view = {.data = sums,
                     .row_bytes = 1024,
                     .width = 128,
                     .height = SOURCE_HEAD_BYTES / 1024,
                     .channels = 1,
                     .type = SAT_U64};
    table_meta meta = {.layout = SAT_INCLUSIVE, .sample = SAT_U8};
    table_writer *writer = NULL;
    table_file file;
    sink *out = NULL;
    source src;
    assert_true(sink_open(&out, path, NULL, &err));
    assert_true(table_writer_open(&writer, out, &view, &meta, &err));
    assert_true(table_writer_rows(writer, &view, &err));
    assert_true(table_writer_close(&writer, &err));
    assert_true(sink_commit(&out, &err));

    assert_true(source_open_by(&src, path, table_file_probe, table_file_extent, NULL, &err));
    assert_true(src.mapped);
    char *shape = memmem(src.bytes, 256, "(128, 128)", 10);
    assert_non_null(shape);
    overwrite(path, src.n, (size_t)(shape - (const char *)src.bytes), "(999, 999)", 10);
    assert_true(table_file_take(&file, &src, NULL, &err));
    assert_int_equal(file.table.view.width, 128);
    table_file_close(&file);
    assert_false(table_file_open(&file, path, NULL, &err));
}

/* ---- rewritten by another thread meanwhile --------------------------------------------------------------- */

typedef struct writer {
    const sample *s, *other;
    const char *path;
    atomic_bool stop;
} writer;

/* Spoils the lengths and makes them good again, and writes another file over all of it and back, until it is stopped.
 */
static void *rewrite(void *arg)
{
    enum { PART = 4096, TURNS = 8 };
    writer *w = arg;
    static size_t at[PLACES_MAX];
    size_t n = places_of(w->s, at), bytes = w->s->n < w->other->n ? w->s->n : w->other->n;
    int fd = open(w->path, O_WRONLY);
    for (size_t turn = 0; fd >= 0 && !w->stop; turn++) {
        for (size_t i = 0; i < n && turn % TURNS < TURNS - 2 && !w->stop; i++) {
            const uint8_t *to = turn % 2 ? w->s->bytes + at[i] : (const uint8_t *)"\xff\xff";
            if (pwrite(fd, to, 2, (off_t)at[i]) != 2) w->stop = true;
        }
        const uint8_t *from = turn % 2 ? w->s->bytes : w->other->bytes;
        for (size_t i = 0; i + PART < bytes && turn % TURNS >= TURNS - 2 && !w->stop; i += PART)
            if (pwrite(fd, from + i, PART, (off_t)i) != PART) w->stop = true;
    }
    if (fd >= 0) close(fd);
    return NULL;
}

static void rewriting_threads_crash_nothing(void **state)
{
    enum { READS = 100 };
    (void)state;
    const char *path = in_scratch("written");
    sample s, other;
    for (size_t i = 0, same = 0; next_sample(&i, &s) && next_sample(&same, &other);) {
        writer w = {.s = &s, .other = &other, .path = path};
        pthread_t thread;
        put(path, s.bytes, s.n);
        assert_int_equal(pthread_create(&thread, NULL, rewrite, &w), 0);
        for (int k = 0; k < READS; k++) {
            image img;
            err.text[0] = 0;
            bool ok = image_read(path, &plain, &img, NULL, &err);
            assert_true(ok ? img.width <= WIDTH * 256 : err.text[0] != 0);
            image_free(&img);
        }
        w.stop = true;
        pthread_join(thread, NULL);
        free_sample(&s);
        free_sample(&other);
    }
}

/* ---- cut --------------------------------------------------------------------------------------------------- */

static sample cut;

static void read_what_is_cut(void)
{
    char path[128];
    source src;
    image img;
    snprintf(path, sizeof path, "%s/cut", scratch);
    if (!sink_guard_signals(&err)) _exit(2);
    if (!source_open_by(&src, path, image_probe, image_extent, &plain, &err)) _exit(3);
    if (truncate(path, 100) != 0) _exit(4);
    image_decode(&src, &plain, &img, NULL, &err);
    _exit(5);
}

static void a_mapped_file_that_is_cut_ends_the_process_with_a_line(void **state)
{
    (void)state;
    char said[256] = "", want[256];
    snprintf(want, sizeof want, "sat: %s/cut: became shorter while it was read\n", scratch);
    int ends[2];
    for (size_t i = 0; next_sample(&i, &cut) && !is_raw(&cut);) free_sample(&cut);
    put(in_scratch("cut"), cut.bytes, cut.n);
    assert_int_equal(pipe(ends), 0);
    int status = in_child(STDERR_FILENO, ends[1], read_what_is_cut);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 1);
    assert_int_equal(read(ends[0], said, sizeof said - 1), strlen(want));
    assert_string_equal(said, want);
    close(ends[0]);
    close(ends[1]);
    free_sample(&cut);
}

int main(void)
{
    cmocka_set_message_output(CM_OUTPUT_TAP);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(encoded_files_are_decoded_as_they_were_opened),
        cmocka_unit_test(headers_of_mapped_files_stay),
        cmocka_unit_test(netpbm_files_that_are_walked_are_not_mapped),
        cmocka_unit_test(the_header_of_a_table_stays),
        cmocka_unit_test(rewriting_threads_crash_nothing),
        cmocka_unit_test(a_mapped_file_that_is_cut_ends_the_process_with_a_line),
    };
    return cmocka_run_group_tests(tests, scratch_make, scratch_remove);
}
