/* test_gauss.c - the Gaussian filter's contract: what it refuses, what it counts, what it says.  Its values are checked
 * by tests/check/test_gauss.py. */
#include "arrays.h"
#include "sat_gauss.h"

static sat_gauss_spec fine(void)
{
    return (sat_gauss_spec){.width = 20, .height = 10, .channels = 2, .sample = SAT_U8, .sigma = 5};
}

static void refused(const sat_gauss_spec *spec, sat_status status, const char *text)
{
    sat_gauss *gauss = (sat_gauss *)(void *)&seed;
    said(sat_gauss_create(&gauss, spec), status, text);
    assert_null(gauss);
}

/* Changes one member of a spec that is fine. */
#define REFUSED(member, value, status, text)                                                                           \
    do {                                                                                                               \
        sat_gauss_spec s = fine();                                                                                     \
        s.member = (value);                                                                                            \
        refused(&s, status, text);                                                                                     \
    } while (0)

static void wrong_specs_are_refused(void **state)
{
    (void)state;
    const sat_executor none = {0};
    refused(NULL, SAT_ERR_ARGUMENT, "no spec");
    said(sat_gauss_create(NULL, NULL), SAT_ERR_ARGUMENT, "gauss is NULL");
    REFUSED(sigma, 0, SAT_ERR_ARGUMENT, "a sigma of 0;");
    REFUSED(sigma, -1, SAT_ERR_ARGUMENT, "a sigma of -1;");
    REFUSED(sigma, NAN, SAT_ERR_ARGUMENT, "a sigma of");
    REFUSED(sigma, 16385, SAT_ERR_ARGUMENT, "up to 16384 px");
    REFUSED(width, 0, SAT_ERR_SHAPE, "");
    REFUSED(height, (int64_t)1 << 50, SAT_ERR_SHAPE, "");
    REFUSED(channels, 5, SAT_ERR_SHAPE, "channels");
    REFUSED(count, -1, SAT_ERR_SHAPE, "");
    REFUSED(threads, 1025, SAT_ERR_ARGUMENT, "threads");
    REFUSED(sample, SAT_U64, SAT_ERR_TYPE, "u64");
    REFUSED(sample, SAT_TYPE_NONE, SAT_ERR_TYPE, "none");
    REFUSED(result, SAT_U16, SAT_ERR_TYPE, "results of type u16 from u8 samples; u8, f32 and f64");
    REFUSED(border, "nowhere", SAT_ERR_ARGUMENT, "'nowhere'");
    REFUSED(mode, (sat_gauss_mode)3, SAT_ERR_ARGUMENT, "mode");
    REFUSED(executor, &none, SAT_ERR_ARGUMENT, "executor");
    REFUSED(reserved[1], true, SAT_ERR_ARGUMENT, "reserved");
    REFUSED(reserved_word, 1, SAT_ERR_ARGUMENT, "reserved");
    REFUSED(memory, (sat_memory)7, SAT_ERR_ARGUMENT, "memory");
    REFUSED(memory, SAT_DEVICE, SAT_ERR_UNAVAILABLE, "device");
    REFUSED(backend, "serial", SAT_ERR_UNAVAILABLE, "serial: has no Gaussian filter");
    REFUSED(backend, "cpu-copy", SAT_ERR_UNAVAILABLE, "cpu-copy: sums nothing and filters nothing");
    REFUSED(backend, "abacus", SAT_ERR_UNAVAILABLE, "abacus");

    sat_gauss_spec s = fine();
    s.weighted_alpha = true, s.channels = 3;
    refused(&s, SAT_ERR_ARGUMENT, "2 or 4 channels");
    s = fine();
    s.border = "constant", s.border_value[1] = 256;
    refused(&s, SAT_ERR_ARGUMENT, "256");
    s.sample = SAT_F32;
    sat_gauss *gauss;
    assert_ok(sat_gauss_create(&gauss, &s));
    sat_gauss_destroy(&gauss);
    s = fine();
    s.mode = SAT_GAUSS_UNSHARP, s.amount = INFINITY;
    refused(&s, SAT_ERR_ARGUMENT, "amount");
    s.mode = SAT_GAUSS_DOG;
    refused(&s, SAT_ERR_ARGUMENT, "a sigma of 0;");
    s.sigma2 = 1, s.result = SAT_U8;
    refused(&s, SAT_ERR_TYPE, "differences of type u8; f32 and f64");
    s = fine();
    s.sigma = 0, s.side = 4.5;
    assert_ok(sat_gauss_create(&gauss, &s));
    sat_gauss_destroy(&gauss);
    s.mode = SAT_GAUSS_DOG, refused(&s, SAT_ERR_ARGUMENT, "a side, of a difference");
    s.mode = SAT_GAUSS_BLUR, s.side = 5, refused(&s, SAT_ERR_ARGUMENT, "a side of 5: windows of odd whole sides");
    s.side = 1, refused(&s, SAT_ERR_ARGUMENT, "a side of 1; above 1 and up to 32768 px");
    s.side = NAN, refused(&s, SAT_ERR_ARGUMENT, "a side of");
    s.side = 32769, refused(&s, SAT_ERR_ARGUMENT, "up to 32768 px");
    s = fine();
    s.width = s.height = s.count = (int64_t)1 << 22;
    refused(&s, SAT_ERR_SHAPE, "address space");
}

static void wrong_views_are_refused(void **state)
{
    (void)state;
    sat_gauss_spec s = fine();
    sat_gauss *gauss;
    sat_counts counts = {.clipped = 7};
    const sat_run_options run = {.counts = &counts};
    sat_view src = guarded(20, 10, 2, SAT_U8, 0), dst = guarded(20, 10, 2, SAT_U8, 0);
    sat_view other = guarded(20, 9, 2, SAT_U8, 0), wide = guarded(20, 10, 2, SAT_U16, 0);
    sat_view spaced = guarded_images(20, 10, 1, 2, SAT_U8, 3, 0, 0),
             two = guarded_images(20, 10, 2, 2, SAT_U8, 0, 0, 0);
    said(sat_gauss_run(NULL, &src, &dst, &run), SAT_ERR_ARGUMENT, "no Gaussian filter");
    assert_ok(sat_gauss_create(&gauss, &s));
    said(sat_gauss_run(gauss, NULL, &dst, &run), SAT_ERR_ARGUMENT, "source");
    assert_int_equal(counts.clipped, -1);
    said(sat_gauss_run(gauss, &src, &other, NULL), SAT_ERR_SHAPE, "result: shape (9, 20, 2)");
    said(sat_gauss_run(gauss, &wide, &dst, NULL), SAT_ERR_TYPE, "source: type u16");
    said(sat_gauss_run(gauss, &src, &src, NULL), SAT_ERR_ARGUMENT, "overlap");
    assert_ok(sat_gauss_run(gauss, &spaced, &dst, NULL));
    said(sat_gauss_run(gauss, &two, &dst, NULL), SAT_ERR_SHAPE, "2 images");
    assert_ok(sat_gauss_run(gauss, &src, &dst, &run));
    sat_gauss_destroy(&gauss);
    sat_gauss_destroy(&gauss);
    sat_gauss_destroy(NULL);
    unguard(&src), unguard(&dst), unguard(&other), unguard(&wide), unguard(&spaced), unguard(&two);
}

/* An edge between two extremes: a mask overshoots on both sides, and every overshoot is cut and counted. */
static void what_is_cut_is_counted(void **state)
{
    (void)state;
    sat_gauss_spec s = {.width = 64, .height = 3, .sample = SAT_U8, .sigma = 2, .border = "replicate"};
    s.mode = SAT_GAUSS_UNSHARP, s.amount = 1;
    sat_gauss *gauss;
    sat_counts counts;
    const sat_run_options run = {.counts = &counts};
    sat_view src = guarded(64, 3, 1, SAT_U8, 0), dst = guarded(64, 3, 1, SAT_U8, 0);
    for (int64_t y = 0; y < 3; y++)
        for (int64_t x = 0; x < 64; x++) *(uint8_t *)entry_at(&src, x, y, 0) = x < 32 ? 0 : 255;
    assert_ok(sat_gauss_create(&gauss, &s));
    assert_ok(sat_gauss_run(gauss, &src, &dst, &run));
    assert_memory_equal(src.data, dst.data, 64 * 3);
    /* 8 columns on each side are within reach of the other; in the last two the overshoot is 0.13 and 0.02 */
    assert_int_equal(counts.clipped, 3 * 2 * 6);
    assert_int_equal(counts.empty[0], -1);
    sat_gauss_destroy(&gauss);
    unguard(&src), unguard(&dst);
}

static void notes_say_what_is_computed(void **state)
{
    (void)state;
    sat_gauss_spec s = fine();
    sat_gauss *gauss;
    s.threads = 2;
    assert_ok(sat_gauss_create(&gauss, &s));
    assert_string_equal(sat_gauss_backend(gauss), "cpu");
    assert_non_null(strstr(sat_gauss_note(gauss), "2 threads, in f32, 4 passes of boxes of 5 and 13 px"));
    sat_gauss_destroy(&gauss);
    s.sigma = 3, s.sample = SAT_I32, s.count = 3;
    assert_ok(sat_gauss_create(&gauss, &s));
    assert_non_null(strstr(sat_gauss_note(gauss), "1 thread, in f64, 25 weights; 2 images at a time"));
    sat_gauss_destroy(&gauss);
    s.sigma = 0.12;
    assert_ok(sat_gauss_create(&gauss, &s));
    assert_non_null(strstr(sat_gauss_note(gauss), ", 1 weight;"));
    sat_gauss_destroy(&gauss);
    assert_string_equal(sat_gauss_note(NULL), "");
    assert_string_equal(sat_gauss_backend(NULL), "");
}

int main(void)
{
    cmocka_set_message_output(CM_OUTPUT_TAP);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wrong_specs_are_refused),
        cmocka_unit_test(wrong_views_are_refused),
        cmocka_unit_test(what_is_cut_is_counted),
        cmocka_unit_test(notes_say_what_is_computed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
