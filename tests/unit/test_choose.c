/* test_choose.c - who is asked for a job that names nobody, as pure functions. */
#include "arrays.h"
#include "choose.h"
#include "sat_lab.h"

/* One byte a second for a thread, ten for all of memory; a device costs 100 s, and then copies 4 bytes a second. */
static const sat_rates rates = {
    .thread_bytes_per_s = 1, .memory_bytes_per_s = 10, .startup_s = 100, .bus_bytes_per_s = 4, .copied_bytes_per_s = 4};

static void a_device_has_to_earn_its_start(void **state)
{
    (void)state;
    /* 1 thread: b > 100 + b/4 from b = 133.3 on; 2 threads: b/2 > 100 + b/4 from 400 on */
    assert_false(sat_device_pays(&rates, 1, 1));
    assert_false(sat_device_pays(&rates, 133, 1));
    assert_true(sat_device_pays(&rates, 134, 1));
    assert_false(sat_device_pays(&rates, 134, 2));
    assert_false(sat_device_pays(&rates, 400, 2));
    assert_true(sat_device_pays(&rates, 401, 2));
}

static void a_bus_slower_than_the_threads_never_pays(void **state)
{
    (void)state;
    for (double bytes = 1; bytes < 1e18; bytes *= 10) {
        assert_false(sat_device_pays(&rates, bytes, 4));
        assert_false(sat_device_pays(&rates, bytes, 1024));
    }
}

static void more_threads_than_memory_feeds_do_not_count(void **state)
{
    sat_rates fast_bus = rates;
    (void)state;
    fast_bus.bus_bytes_per_s = fast_bus.copied_bytes_per_s = 20; /* b/10 > 100 + b/20 from 2000 on */
    for (int threads = 10; threads < 1024; threads += 7) {
        assert_false(sat_device_pays(&fast_bus, 2000, threads));
        assert_true(sat_device_pays(&fast_bus, 2001, threads));
    }
}

/* A thread that copies no faster than it sums cannot win by copying. */
static void threads_have_to_feed_the_bus(void **state)
{
    sat_rates wide_bus = rates;
    (void)state;
    wide_bus.bus_bytes_per_s = 20;
    wide_bus.copied_bytes_per_s = 1;
    for (double bytes = 1; bytes < 1e18; bytes *= 10)
        for (int threads = 1; threads <= 10; threads++) assert_false(sat_device_pays(&wide_bus, bytes, threads));
    wide_bus.copied_bytes_per_s = 2; /* 3 threads: b/3 > 100 + b/6 from 600 on */
    assert_false(sat_device_pays(&wide_bus, 600, 3));
    assert_true(sat_device_pays(&wide_bus, 601, 3));
}

static void small_work_stays_where_it_is(void **state)
{
    (void)state;
    for (int threads = 0; threads <= 1024; threads += 64) {
        sat_choice choice = sat_choice_for(SAT_HOST, 1 << 20, threads);
        assert_false(choice.device_pays);
        assert_true(sat_may_choose(&choice, SAT_METHOD, false));
        assert_false(sat_may_choose(&choice, SAT_METHOD, true));
    }
}

static void memory_decides_who_may(void **state)
{
    (void)state;
    for (int pays = 0; pays < 2; pays++) {
        sat_choice there = {.memory = SAT_DEVICE, .device_pays = pays},
                   here = {.memory = SAT_HOST, .device_pays = pays};
        assert_true(sat_may_choose(&there, SAT_METHOD, true));
        assert_false(sat_may_choose(&there, SAT_METHOD, false));
        assert_false(sat_may_choose(&there, SAT_REFERENCE, false));
        assert_true(sat_may_choose(&here, SAT_METHOD, false));
        assert_true(sat_may_choose(&here, SAT_REFERENCE, false));
        assert_int_equal(sat_may_choose(&here, SAT_METHOD, true), pays);
        for (int device = 0; device < 2; device++) {
            assert_false(sat_may_choose(&here, SAT_CEILING, device) || sat_may_choose(&there, SAT_CEILING, device));
            assert_false(sat_may_choose(&here, SAT_PEER, device) || sat_may_choose(&there, SAT_PEER, device));
        }
    }
    assert_int_equal(sat_check_memory("abacus", SAT_HOST, false), SAT_OK);
    assert_int_equal(sat_check_memory("abacus", SAT_HOST, true), SAT_OK);
    assert_int_equal(sat_check_memory("abacus", SAT_DEVICE, true), SAT_OK);
    assert_int_equal(sat_check_memory("abacus", SAT_DEVICE, false), SAT_ERR_UNAVAILABLE);
    assert_non_null(strstr(sat_detail(), "abacus"));
}

static void threads_need_a_share_each(void **state)
{
    (void)state;
    assert_int_equal(sat_threads_worth(0, 10, 16), 1);
    assert_int_equal(sat_threads_worth(19, 10, 16), 1);
    assert_int_equal(sat_threads_worth(20, 10, 16), 2);
    assert_int_equal(sat_threads_worth(159, 10, 16), 15);
    assert_int_equal(sat_threads_worth(1e300, 10, 16), 16);
    assert_int_equal(sat_threads_worth(1e300, 10, 1), 1);
}

static void unknown_names_tell_of_the_build(void **state)
{
    sat_plan_spec spec = {.width = 1, .height = 1, .sample = SAT_U8, .backend = "abacus"};
    sat_scan_spec row = {.length = 1, .sample = SAT_U8, .method = "abacus"};
    sat_plan *plan;
    sat_scan *scan;
    (void)state;
    assert_int_equal(sat_plan_create(&plan, &spec), SAT_ERR_UNAVAILABLE);
    assert_string_equal(sat_detail(), SAT_WITH_CUDA
                                          ? "no backend is called 'abacus'"
                                          : "no backend is called 'abacus' in this build, which is without CUDA");
    assert_int_equal(sat_scan_create(&scan, &row), SAT_ERR_UNAVAILABLE);
    assert_non_null(strstr(sat_detail(), "no scan method is called 'abacus'"));
}

static void a_full_device_is_passed_over(void **state)
{
    (void)state;
    assert_int_equal(sat_passed_over(SAT_ERR_MEMORY), SAT_ERR_UNAVAILABLE);
    assert_int_equal(sat_passed_over(SAT_ERR_DEVICE), SAT_ERR_UNAVAILABLE);
    assert_int_equal(sat_passed_over(SAT_ERR_TYPE), SAT_ERR_TYPE);
    assert_int_equal(sat_passed_over(SAT_ERR_SHAPE), SAT_ERR_SHAPE);
    assert_int_equal(sat_passed_over(SAT_OK), SAT_OK);
}

static void the_note_says_what_a_device_copies(void **state)
{
    (void)state;
    const sat_choice here = {.memory = SAT_HOST, .bytes = 335.4e6}, there = {.memory = SAT_DEVICE, .bytes = 335.4e6};
    char note[64] = "x", small[8] = "x";
    sat_choice_note(&here, true, true, note, sizeof note);
    assert_string_equal(note, "x (through host memory: copies 335 MB)");
    strcpy(note, "x");
    sat_choice_note(&here, false, false, note, sizeof note);
    assert_string_equal(note, SAT_WITH_CUDA ? "x (a GPU would have to copy 335 MB)" : "x");
    strcpy(note, "x");
    sat_choice_note(&here, true, false, note, sizeof note); /* who names one wants no reasons */
    assert_string_equal(note, "x");
    sat_choice_note(&there, false, true, note, sizeof note);
    assert_string_equal(note, "x");
    sat_choice_note(&here, true, true, small, sizeof small);
    assert_string_equal(small, "x (thro");
}

int main(void)
{
    cmocka_set_message_output(CM_OUTPUT_TAP);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_device_has_to_earn_its_start),
        cmocka_unit_test(a_bus_slower_than_the_threads_never_pays),
        cmocka_unit_test(more_threads_than_memory_feeds_do_not_count),
        cmocka_unit_test(threads_have_to_feed_the_bus),
        cmocka_unit_test(small_work_stays_where_it_is),
        cmocka_unit_test(memory_decides_who_may),
        cmocka_unit_test(threads_need_a_share_each),
        cmocka_unit_test(unknown_names_tell_of_the_build),
        cmocka_unit_test(a_full_device_is_passed_over),
        cmocka_unit_test(the_note_says_what_a_device_copies),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
