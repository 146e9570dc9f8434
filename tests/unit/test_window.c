/* Window statistics: what is refused, with which words; reads and writes to the last byte of the views; an executor and
 * an allocator of the caller's; batches. */
#include <float.h>

#include "arrays.h"
#include "sat_window.h"

static sat_window_output output[SAT_OUTPUTS];

static sat_window_spec spec_of(const char *statistic)
{
    memset(output, 0, sizeof output);
    output[0].statistic = statistic;
    return (sat_window_spec){.width = 40,
                             .height = 30,
                             .channels = 2,
                             .sample = SAT_U8,
                             .window_width = 5,
                             .window_height = 3,
                             .outputs = 1,
                             .output = output};
}

#define REFUSED(status, text, change)                                                                                  \
    do {                                                                                                               \
        sat_window_spec s = spec_of("var");                                                                            \
        sat_window *w = (sat_window *)&s;                                                                              \
        change;                                                                                                        \
        said(sat_window_create(&w, &s), status, text);                                                                 \
        assert_null(w);                                                                                                \
    } while (0)

static void specs_that_are_refused(void **state)
{
    (void)state;
    REFUSED(SAT_ERR_ARGUMENT, "no statistic is called 'nope'", output[0].statistic = "nope");
    REFUSED(SAT_ERR_ARGUMENT, "no statistic is called ''", output[0].statistic = NULL);
    REFUSED(SAT_ERR_ARGUMENT, "0 outputs; 1 to 16", s.outputs = 0);
    REFUSED(SAT_ERR_ARGUMENT, "17 outputs; 1 to 16", s.outputs = 17);
    REFUSED(SAT_ERR_ARGUMENT, "1 outputs", s.output = NULL);
    REFUSED(SAT_ERR_ARGUMENT, "var has no parameter 0", output[0].set = 1);
    REFUSED(SAT_ERR_ARGUMENT, "sauvola has no parameter 3", (output[0].statistic = "sauvola", output[0].set = 8));
    REFUSED(SAT_ERR_ARGUMENT, "no such parameter", (output[0].statistic = "phansalkar", output[0].set = 16));
    REFUSED(SAT_ERR_ARGUMENT, "the parameter k is not finite",
            (output[0].statistic = "niblack", output[0].set = 1, output[0].parameter[0] = NAN));
    REFUSED(SAT_ERR_ARGUMENT, "sauvola: the parameter r is 0; it must be above 0",
            (output[0].statistic = "sauvola", output[0].set = 2));
    REFUSED(SAT_ERR_ARGUMENT, "wolf: the parameter r is -2; it must be above 0",
            (output[0].statistic = "wolf", output[0].set = 2, output[0].parameter[1] = -2));
    REFUSED(SAT_ERR_ARGUMENT, "phansalkar: the parameter r is 0;",
            (output[0].statistic = "phansalkar", output[0].set = 2));
    REFUSED(SAT_ERR_TYPE, "results of type u64", output[0].result = SAT_U64);
    REFUSED(SAT_ERR_TYPE, "compared with it are u8, not f32", (output[0].compare = true, output[0].result = SAT_F32));
    REFUSED(SAT_ERR_ARGUMENT, "min_valid is 1.5", s.min_valid = 1.5);
    REFUSED(SAT_ERR_ARGUMENT, "min_valid is -1", s.min_valid = -1);
    REFUSED(SAT_ERR_ARGUMENT, "min_valid is nan", s.min_valid = NAN);
    REFUSED(SAT_ERR_ARGUMENT, "nodata 300: no sample of type u8", (s.has_nodata = true, s.nodata = 300));
    REFUSED(SAT_ERR_ARGUMENT, "nodata -1: no sample of type u8", (s.has_nodata = true, s.nodata = -1));
    REFUSED(SAT_ERR_ARGUMENT, "nodata 1.5: no sample", (s.has_nodata = true, s.nodata = 1.5));
    REFUSED(SAT_ERR_ARGUMENT, "nodata nan: no sample", (s.has_nodata = true, s.nodata = NAN));
    REFUSED(SAT_ERR_ARGUMENT, "nodata -32769: no sample of type i16",
            (s.sample = SAT_I16, s.has_nodata = true, s.nodata = -32769));
    REFUSED(SAT_ERR_ARGUMENT, "no sample of type f32", (s.sample = SAT_F32, s.has_nodata = true, s.nodata = 1e300));
    REFUSED(SAT_ERR_ARGUMENT, "no sample of type f32",
            (s.sample = SAT_F32, s.has_nodata = true, s.nodata = 0x1.ffffffp127));
    REFUSED(SAT_ERR_ARGUMENT, "a range of 256; of u8 samples it is 1 to 255", s.range = 256);
    REFUSED(SAT_ERR_ARGUMENT, "a range of 0.5; of i16 samples it is 1 to 32767", (s.sample = SAT_I16, s.range = 0.5));
    REFUSED(SAT_ERR_ARGUMENT, "a range of nan; of u8", s.range = NAN);
    REFUSED(SAT_ERR_ARGUMENT, "a range of -1; it is finite and above 0", (s.sample = SAT_F32, s.range = -1));
    REFUSED(SAT_ERR_ARGUMENT, "a range of inf; it is finite", (s.sample = SAT_F64, s.range = INFINITY));
    REFUSED(SAT_ERR_ARGUMENT, "ddof is -1", s.ddof = -1);
    REFUSED(SAT_ERR_ARGUMENT, "reserved", s.reserved[0] = true);
    REFUSED(SAT_ERR_ARGUMENT, "reserved", output[0].reserved[2] = true);
    REFUSED(SAT_ERR_ARGUMENT, "reserved", output[0].reserved_word = 1);
    REFUSED(SAT_ERR_ARGUMENT, "no border mode is called 'nope'", s.border = "nope");
    REFUSED(SAT_ERR_ARGUMENT, "a window 0 wide and 3 high", s.window_width = 0);
    REFUSED(SAT_ERR_TYPE, "samples of type u64", s.sample = SAT_U64);
    REFUSED(SAT_ERR_UNAVAILABLE, "serial: has no window statistics", s.backend = "serial");
    REFUSED(SAT_ERR_UNAVAILABLE, "no backend is called 'nope'", s.backend = "nope");
    REFUSED(SAT_ERR_RANGE, "64 bits cannot hold its sums of squares of u16 samples",
            (s.sample = SAT_U16, s.border = "wrap", s.window_width = s.window_height = 1 << 16));
    REFUSED(SAT_ERR_RANGE, "the sum of its u32 samples could exceed 2^64",
            (s.sample = SAT_U32, s.border = "wrap", s.window_width = s.window_height = 1 << 17));
    REFUSED(SAT_ERR_RANGE, "reaches beyond the image by more than its size",
            (s.sample = SAT_F32, s.border = "reflect", s.window_width = s.window_height = 1 << 15));
    REFUSED(SAT_ERR_RANGE, "sum: it can reach 62979135, and f32 is exact up to 2^24; ask for f64",
            (s.sample = SAT_U16, s.border = "wrap", s.window_width = s.window_height = 31, output[0].statistic = "sum",
             output[0].result = SAT_F32));
    REFUSED(SAT_ERR_RANGE, "f64 is exact up to 2^53",
            (s.sample = SAT_U32, s.border = "wrap", s.window_width = s.window_height = 1 << 12,
             output[0].statistic = "sum", output[0].result = SAT_F64));
    said(sat_window_create(NULL, NULL), SAT_ERR_ARGUMENT, "window is NULL");
}

/* A view of the spec's shape before a guard page, in rows with a gap. */
static sat_view view_of(const sat_window_spec *s, int channels, sat_type type)
{
    const int64_t count = s->count ? s->count : 1;
    const size_t row = sat_row_bytes(s->width, channels, type) + 3 * sat_type_bytes(type);
    return guard((sat_view){.row_bytes = (ptrdiff_t)row,
                            .width = s->width,
                            .height = s->height,
                            .channels = channels,
                            .type = type,
                            .count = count,
                            .image_bytes = (ptrdiff_t)(row * (size_t)s->height)});
}

static void views_that_are_refused(void **state)
{
    (void)state;
    sat_window_spec s = spec_of("var");
    sat_window *w, *masked;
    assert_int_equal(sat_window_create(&w, &s), SAT_OK);
    s.masked = true;
    assert_int_equal(sat_window_create(&masked, &s), SAT_OK);
    sat_view src = view_of(&s, 2, SAT_U8), out = view_of(&s, 2, SAT_F32), mask = view_of(&s, 1, SAT_U8);
    randomise(&src);
    randomise(&mask);
    sat_view wrong = out;
    said(sat_window_run(NULL, &src, NULL, &out, NULL), SAT_ERR_ARGUMENT, "no window");
    said(sat_window_run(w, &src, NULL, NULL, NULL), SAT_ERR_ARGUMENT, "no results");
    said(sat_window_run(w, NULL, NULL, &out, NULL), SAT_ERR_ARGUMENT, "source");
    said(sat_window_run(w, &src, &mask, &out, NULL), SAT_ERR_ARGUMENT, "the window was not made for one");
    said(sat_window_run(masked, &src, NULL, &out, NULL), SAT_ERR_ARGUMENT, "no mask");
    said(sat_window_run(masked, &src, &src, &out, NULL), SAT_ERR_SHAPE, "mask: shape (30, 40, 2)");
    sat_view spaced = src;
    spaced.channels = 1, spaced.pixel_bytes = 2;
    assert_ok(sat_window_run(masked, &src, &spaced, &out, NULL));
    said(sat_window_run(w, &out, NULL, &out, NULL), SAT_ERR_TYPE, "source: type f32");
    said(sat_window_run(w, &src, NULL, &src, NULL), SAT_ERR_TYPE, "result: type u8");
    wrong.width = 39;
    said(sat_window_run(w, &src, NULL, &wrong, NULL), SAT_ERR_SHAPE, "result: shape (30, 39, 2)");
    wrong = out;
    wrong.data = (void *)((uintptr_t)src.data & ~(uintptr_t)3);
    said(sat_window_run(w, &src, NULL, &wrong, NULL), SAT_ERR_ARGUMENT, "overlaps the source");
    assert_int_equal(sat_window_run(w, &src, NULL, &out, NULL), SAT_OK);
    assert_int_equal(sat_window_run(masked, &src, &mask, &out, NULL), SAT_OK);
    assert_string_equal(sat_window_backend(w), "cpu");
    assert_int_equal(sat_window_result(w, 0), SAT_F32);
    assert_int_equal(sat_window_result(w, 1), SAT_TYPE_NONE);
    sat_window_destroy(&w);
    sat_window_destroy(&masked);
    sat_window_destroy(&w);
    sat_window_destroy(NULL);
    unguard(&src), unguard(&out), unguard(&mask);
}

/* Of each output, of all images, of the last run. */
static void empty_results_are_counted(void **state)
{
    (void)state;
    sat_window_spec s = spec_of("mean");
    output[1] = (sat_window_output){.statistic = "var"};
    output[2] = (sat_window_output){.statistic = "count"};
    output[3] = (sat_window_output){.statistic = "mean", .compare = true};
    s.outputs = 4;
    s.masked = true;
    s.count = 2;
    s.ddof = 5;
    s.threads = 2;
    sat_window *w;
    assert_int_equal(sat_window_create(&w, &s), SAT_OK);
    sat_view src = view_of(&s, 2, SAT_U8), mask = view_of(&s, 1, SAT_U8), out[4];
    for (int i = 0; i < 4; i++) out[i] = view_of(&s, 2, sat_window_result(w, i));
    randomise(&src);
    for (int image = 0; image < 2; image++) /* one pixel counts, far from the edge */
        for (int64_t y = 0; y < s.height; y++) {
            uint8_t *row = (uint8_t *)mask.data + image * mask.image_bytes + y * mask.row_bytes;
            memset(row, 0, (size_t)s.width);
            row[9] = y == 9;
        }
    sat_counts counts;
    const int64_t samples = 2 * s.width * s.height * s.channels, near = 2 * 5 * 3 * s.channels;
    for (int run = 0; run < 2; run++) {
        assert_int_equal(sat_window_run(w, &src, &mask, out, &(sat_run_options){.counts = &counts}), SAT_OK);
        assert_int_equal(counts.empty[0], samples - near);
        assert_int_equal(counts.empty[1], samples);
        assert_int_equal(counts.empty[2], 0);
        assert_int_equal(counts.empty[3], samples - near);
    }
    src.count = mask.count = 1;
    for (int i = 0; i < 4; i++) out[i].count = 1;
    assert_int_equal(sat_window_run(w, &src, &mask, out, &(sat_run_options){.counts = &counts}), SAT_OK);
    assert_int_equal(counts.empty[0], (samples - near) / 2);
    assert_int_equal(counts.empty[4], -1);
    sat_window_destroy(&w);
    src.count = mask.count = 2;
    unguard(&src), unguard(&mask);
    for (int i = 0; i < 4; i++) out[i].count = 2, unguard(&out[i]);
}

static void statistics_of_variances_say_so(void **state)
{
    (void)state;
    sat_statistic_info info;
    for (size_t i = 0; sat_statistic_at(i, &info); i++) {
        const bool means = strcmp(info.name, "mean") == 0 || strcmp(info.name, "count") == 0 ||
                           strcmp(info.name, "sum") == 0 || strcmp(info.name, "rms") == 0 ||
                           strcmp(info.name, "bradley") == 0 || strcmp(info.name, "nick") == 0;
        assert_true(info.variance == !means);
    }
}

/* ---- batches, executors, memory ------------------------------------------------------------------------ */

static void run_backwards(void *context, int jobs, void (*job)(void *argument, int i), void *argument)
{
    ++*(int *)context;
    while (jobs-- > 0) job(argument, jobs);
}

typedef struct counter {
    int pieces, fail_at;
} counter;

static void *counted(void *context, size_t bytes, sat_memory_kind kind)
{
    counter *c = context;
    (void)kind;
    if (c->fail_at > 0 && c->pieces + 1 >= c->fail_at) return NULL;
    c->pieces++;
    return aligned_alloc(64, (bytes + 63) / 64 * 64);
}

static void released(void *context, void *data, size_t bytes, sat_memory_kind kind)
{
    (void)bytes, (void)kind;
    ((counter *)context)->pieces--;
    free(data);
}

/* Three images at once, in any threads: what each gives alone, in one. */
static void batches_and_executors(void **state)
{
    (void)state;
    static const sat_type samples[] = {SAT_U8, SAT_I16, SAT_U32, SAT_F32, SAT_F64};
    int calls = 0;
    counter memory = {0};
    const sat_executor executor = {run_backwards, &calls};
    const sat_allocator allocator = {counted, released, &memory};
    for (size_t i = 0; i < sizeof samples / sizeof *samples; i++) {
        sat_window_spec s = spec_of("mean");
        sat_window *batch, *alone;
        output[1].statistic = "std";
        s.outputs = 2;
        s.sample = samples[i];
        s.window_width = 7, s.window_height = 9;
        s.border = "reflect";
        assert_int_equal(sat_window_create(&alone, &s), SAT_OK);
        s.count = 3, s.threads = 2, s.executor = &executor, s.allocator = &allocator;
        assert_int_equal(sat_window_create(&batch, &s), SAT_OK);
        const sat_type real = sat_window_result(batch, 0);
        sat_view src = view_of(&s, 2, s.sample), results[] = {view_of(&s, 2, real), view_of(&s, 2, real)};
        randomise(&src);
        assert_int_equal(sat_window_run(batch, &src, NULL, results, NULL), SAT_OK);
        s.count = 1;
        sat_view one[] = {view_of(&s, 2, real), view_of(&s, 2, real)};
        for (int64_t k = 0; k < 3; k++) {
            const sat_view image = sat_view_image(&src, k);
            assert_int_equal(sat_window_run(alone, &image, NULL, one, NULL), SAT_OK);
            for (int o = 0; o < 2; o++) {
                const sat_view result = sat_view_image(&results[o], k);
                for (int64_t y = 0; y < s.height; y++)
                    assert_memory_equal((char *)result.data + y * result.row_bytes,
                                        (char *)one[o].data + y * one[o].row_bytes, sat_row_bytes(s.width, 2, real));
            }
        }
        unguard(&src), unguard(&results[0]), unguard(&results[1]), unguard(&one[0]), unguard(&one[1]);
        sat_window_destroy(&batch);
        sat_window_destroy(&alone);
    }
    assert_true(calls > 0);
    assert_int_equal(memory.pieces, 0);
}

/* Each piece of memory is refused once; nothing is left behind. */
static void memory_that_is_refused(void **state)
{
    (void)state;
    static const sat_type samples[] = {SAT_U8, SAT_I32, SAT_F32};
    for (size_t i = 0; i < sizeof samples / sizeof *samples; i++)
        for (int at = 1;; at++) {
            counter memory = {.fail_at = at};
            const sat_allocator allocator = {counted, released, &memory};
            sat_window_spec s = spec_of("std");
            sat_window *w;
            s.sample = samples[i], s.masked = true, s.strided = true, s.border = "wrap", s.allocator = &allocator;
            const sat_status status = sat_window_create(&w, &s);
            if (status == SAT_OK) assert_true(at > 5);
            if (status != SAT_OK) assert_int_equal(status, SAT_ERR_MEMORY);
            sat_window_destroy(&w);
            assert_int_equal(memory.pieces, 0);
            if (status == SAT_OK) break;
        }
}

static void put(void *to, sat_type type, double value)
{
    switch (type) {
    case SAT_U8: *(uint8_t *)to = (uint8_t)value; break;
    case SAT_I16: *(int16_t *)to = (int16_t)value; break;
    case SAT_U32: *(uint32_t *)to = (uint32_t)value; break;
    case SAT_I32: *(int32_t *)to = (int32_t)value; break;
    case SAT_F32: *(float *)to = (float)value; break;
    default: *(double *)to = value; break;
    }
}

/* Values that samples can have, and NaN for those that are not numbers. */
static void nodata_of_samples(void **state)
{
    (void)state;
    static const struct {
        sat_type sample;
        double nodata;
    } of[] = {{SAT_U8, 0},          {SAT_U8, 255},       {SAT_I16, -32768},   {SAT_U32, 4294967295.0},
              {SAT_I32, -0x1p31},   {SAT_F32, -3.5e-46}, {SAT_F32, FLT_MAX},  {SAT_F32, 3.4028234663852887e38},
              {SAT_F32, -INFINITY}, {SAT_F64, 1e300},    {SAT_F64, INFINITY}, {SAT_F32, NAN},
              {SAT_F64, NAN}};
    for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
        sat_window_spec s = spec_of("count");
        sat_window *w;
        s.sample = of[i].sample, s.has_nodata = true, s.nodata = of[i].nodata, s.channels = 1;
        assert_int_equal(sat_window_create(&w, &s), SAT_OK);
        sat_view src = view_of(&s, 1, s.sample), out = view_of(&s, 1, sat_window_result(w, 0));
        for (int64_t y = 0; y < s.height; y++)
            for (int64_t x = 0; x < s.width; x++) put(entry_at(&src, x, y, 0), s.sample, 1);
        put(entry_at(&src, 20, 15, 0), s.sample, s.nodata);
        assert_int_equal(sat_window_run(w, &src, NULL, &out, NULL), SAT_OK);
        const void *at = entry_at(&out, 20, 15, 0);
        const double n = out.type == SAT_F32 ? (double)*(const float *)at : *(const double *)at;
        assert_true(n == 14);
        sat_window_destroy(&w);
        unguard(&src), unguard(&out);
    }
}

/* The note names the accumulators that the statistics take. */
static void notes(void **state)
{
    (void)state;
    static const struct {
        const char *statistic;
        sat_type sample;
        int64_t side;
        const char *note;
    } of[] = {{"mean", SAT_U8, 15, ", u16 sums (225 pixels of at most 255)"},
              {"std", SAT_U8, 15, ", u32 sums, u32 squares, variances in f64 (225 pixels of at most 255)"},
              {"rms", SAT_I16, 15, ", u32 sums, u64 squares (225 pixels of at most 32768 in magnitude)"},
              {"std", SAT_U16, 51, ", u64 sums, u64 squares, variances in 64 bits (2601 pixels of at most 65535)"},
              {"std", SAT_U32, 3, ", u64 sums, squares in two u64, variances in 128 bits (9 pixels of at most 42949"},
              {"mean", SAT_F32, 3, ", f64 sums"},
              {"std", SAT_F64, 3, ", f64 sums, means and squared deviations"}};
    for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
        sat_window_spec s = spec_of(of[i].statistic);
        sat_window *w;
        s.sample = of[i].sample, s.window_width = s.window_height = of[i].side;
        s.backend = "cpu", s.border = "wrap";
        assert_int_equal(sat_window_create(&w, &s), SAT_OK);
        if (!strstr(sat_window_note(w), of[i].note)) fail_msg("%s: %s", of[i].note, sat_window_note(w));
        sat_window_destroy(&w);
    }
}

/* Values beyond the range of their type are cut to it, and counted. */
static void clipped_values(void **state)
{
    (void)state;
    sat_window_spec s = spec_of("sum");
    sat_window *w;
    output[0].result = SAT_U8;
    assert_int_equal(sat_window_create(&w, &s), SAT_OK);
    sat_view src = view_of(&s, 2, SAT_U8), out = view_of(&s, 2, SAT_U8);
    for (int64_t y = 0; y < s.height; y++) memset((char *)src.data + y * src.row_bytes, 20, 80);
    sat_counts counts;
    assert_int_equal(sat_window_run(w, &src, NULL, &out, &(sat_run_options){.counts = &counts}), SAT_OK);
    /* 15 * 20 inside, 12 * 20 where a column is missing, 10 * 20 where a row is */
    assert_int_equal(counts.clipped, (s.width - 4) * (s.height - 2) * 2);
    assert_int_equal(*(uint8_t *)entry_at(&out, 20, 15, 1), 255);
    assert_int_equal(*(uint8_t *)entry_at(&out, 1, 15, 1), 240);
    assert_int_equal(*(uint8_t *)entry_at(&out, 20, 0, 0), 200);
    sat_window_destroy(&w);
    unguard(&src), unguard(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(specs_that_are_refused),
        cmocka_unit_test(views_that_are_refused),
        cmocka_unit_test(batches_and_executors),
        cmocka_unit_test(memory_that_is_refused),
        cmocka_unit_test(nodata_of_samples),
        cmocka_unit_test(clipped_values),
        cmocka_unit_test(empty_results_are_counted),
        cmocka_unit_test(statistics_of_variances_say_so),
        cmocka_unit_test(notes),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
