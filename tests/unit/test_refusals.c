/* What the library cannot do it refuses with the status that sat.h documents, a detail, and no object. */
#include "arrays.h"
#include "sat_lab.h"

static void refused(sat_plan_spec spec, sat_status want, const char *word)
{
    sat_plan *plan = (sat_plan *)&plan;
    assert_int_equal(sat_plan_create(&plan, &spec), want);
    assert_null(plan);
    if (!strstr(sat_detail(), word)) fail_msg("'%s' does not say '%s'", sat_detail(), word);
}

static void plans(void **state)
{
    (void)state;
    const sat_plan_spec good = {.width = 4, .height = 4, .sample = SAT_U8};
    sat_plan_spec s;
    sat_plan *plan;
    assert_int_equal(sat_plan_create(NULL, &good), SAT_ERR_ARGUMENT);
    assert_int_equal(sat_plan_create(&plan, NULL), SAT_ERR_ARGUMENT);
    s = good, s.width = 0, refused(s, SAT_ERR_SHAPE, "shape (4, 0, 1)");
    s = good, s.height = -1, refused(s, SAT_ERR_SHAPE, "shape (-1, 4, 1)");
    s = good, s.width = ((int64_t)1 << 40) + 1, refused(s, SAT_ERR_SHAPE, "2^40");
    s = good, s.width = s.height = (int64_t)1 << 40, refused(s, SAT_ERR_SHAPE, "address space");
    s = good, s.channels = 5, refused(s, SAT_ERR_SHAPE, "(4, 4, 5)");
    s = good, s.threads = -2, refused(s, SAT_ERR_ARGUMENT, "-2 threads");
    s = good, s.threads = 1025, refused(s, SAT_ERR_ARGUMENT, "1025 threads");
    s = good, s.sample = SAT_U64, refused(s, SAT_ERR_TYPE, "u64: convert them to u32");
    s = good, s.sample = SAT_I64, refused(s, SAT_ERR_TYPE, "i64: convert them to i32");
    s = good, s.sample = SAT_F16, refused(s, SAT_ERR_TYPE, "f16: convert them to f32");
    s = good, s.sample = SAT_Q32, refused(s, SAT_ERR_TYPE, "u8, u16");
    s = good, s.accum = SAT_U16, refused(s, SAT_ERR_TYPE, "u16");
    s = good, s.accum = SAT_Q32, refused(s, SAT_ERR_TYPE, "q32");
    s = good, s.sample = SAT_F32, s.accum = SAT_U64, refused(s, SAT_ERR_TYPE, "f32");
    s = good, s.sample = SAT_F32, s.accum = SAT_Q32, refused(s, SAT_ERR_ARGUMENT, "step");
    s = good, s.layout = (sat_layout)9, refused(s, SAT_ERR_ARGUMENT, "layout");
    s = good, s.backend = "abacus", refused(s, SAT_ERR_UNAVAILABLE, "'abacus'");
    setenv("SAT_ISA", "mmx", 1);
    s = good, s.backend = "cpu", refused(s, SAT_ERR_UNAVAILABLE, "SAT_ISA");
}

static void runs(void **state)
{
    (void)state;
    uint8_t pixels[64] = {0};
    uint32_t sums[200];
    sat_plan_spec spec = {.width = 8, .height = 8, .sample = SAT_U8, .accum = SAT_U32};
    const sat_view image = {.data = pixels, .row_bytes = 8, .width = 8, .height = 8, .channels = 1, .type = SAT_U8},
                   table = {.data = sums, .row_bytes = 36, .width = 9, .height = 9, .channels = 1, .type = SAT_U32};
    sat_view i, t;
    sat_plan *plan;
    assert_ok(sat_plan_create(&plan, &spec));
    assert_ok(sat_plan_run(plan, &image, &table, NULL));
    assert_int_equal(sat_plan_run(NULL, &image, &table, NULL), SAT_ERR_ARGUMENT);
    assert_int_equal(sat_plan_run(plan, NULL, &table, NULL), SAT_ERR_ARGUMENT);
    i = image, i.width = 7, assert_int_equal(sat_plan_run(plan, &i, &table, NULL), SAT_ERR_SHAPE);
    i = image, i.height = 9, assert_int_equal(sat_plan_run(plan, &i, &table, NULL), SAT_ERR_SHAPE);
    i = image, i.row_bytes = 7; /* what is read may share bytes */
    assert_ok(sat_plan_run(plan, &i, &table, NULL));
    t = table, t.row_bytes = 32, assert_int_equal(sat_plan_run(plan, &image, &t, NULL), SAT_ERR_SHAPE);
    i = image, i.row_bytes = PTRDIFF_MAX, assert_int_equal(sat_plan_run(plan, &i, &table, NULL), SAT_ERR_SHAPE);
    t = table, t.width = 8, assert_int_equal(sat_plan_run(plan, &image, &t, NULL), SAT_ERR_SHAPE);
    t = table, t.height = 8, assert_int_equal(sat_plan_run(plan, &image, &t, NULL), SAT_ERR_SHAPE);
    t = table, t.row_bytes = 38, assert_int_equal(sat_plan_run(plan, &image, &t, NULL), SAT_ERR_ARGUMENT);
    t = table, t.type = SAT_F32, assert_int_equal(sat_plan_run(plan, &image, &t, NULL), SAT_ERR_TYPE);
    i = image, i.data = sums, assert_int_equal(sat_plan_run(plan, &i, &table, NULL), SAT_ERR_ARGUMENT);
    sat_plan_destroy(&plan);
    assert_null(plan);
    sat_plan_destroy(&plan);
    sat_plan_destroy(NULL);
}

static void filter_refused(sat_box_spec spec, sat_status want, const char *word)
{
    sat_box *box = (sat_box *)&box;
    assert_int_equal(sat_box_create(&box, &spec), want);
    assert_null(box);
    if (!strstr(sat_detail(), word)) fail_msg("'%s' does not say '%s'", sat_detail(), word);
}

static void filters(void **state)
{
    (void)state;
    const sat_box_spec good = {.width = 4, .height = 4, .sample = SAT_U8, .window_width = 3, .window_height = 3};
    sat_box_spec s;
    s = good, s.reserved[2] = true, filter_refused(s, SAT_ERR_ARGUMENT, "reserved");
    s = good, s.anchor = (sat_anchor)2, filter_refused(s, SAT_ERR_ARGUMENT, "anchor");
    s = good, s.window_width = 0, filter_refused(s, SAT_ERR_ARGUMENT, "a window 0 wide and 3 high");
    s = good, s.window_height = (int64_t)1 << 31, filter_refused(s, SAT_ERR_ARGUMENT, "2^31");
    s = good, s.sample = SAT_U64, filter_refused(s, SAT_ERR_TYPE, "u64: convert them to u32");
    s = good, s.sample = SAT_F16, filter_refused(s, SAT_ERR_TYPE, "f16: convert them to f32");
    s = good, s.border = "cliff", filter_refused(s, SAT_ERR_ARGUMENT, "'cliff'");
    s = good, s.weighted_alpha = true, filter_refused(s, SAT_ERR_ARGUMENT, "alpha");
    s = good, s.border = "constant", s.border_value[0] = 256, filter_refused(s, SAT_ERR_ARGUMENT, "256");
    s = good, s.border = "constant", s.border_value[0] = 0.5, filter_refused(s, SAT_ERR_ARGUMENT, "0.5");
    s = good, s.border = "wrap", s.window_width = s.window_height = INT32_MAX, filter_refused(s, SAT_ERR_RANGE, "2^64");
    s = good, s.backend = "abacus", filter_refused(s, SAT_ERR_UNAVAILABLE, "'abacus'");
    sat_lab_backend_info info;
    for (size_t b = 0; sat_lab_backend_at(b, &info); b++)
        if (info.kind >= SAT_CEILING)
            s = good, s.backend = info.name, filter_refused(s, SAT_ERR_UNAVAILABLE, info.name);
}

/* A call that succeeds leaves the last failure's detail, whatever it has tried. */
static void success_leaves_the_detail(void **state)
{
    (void)state;
    const sat_plan_spec plan_spec = {.width = 4, .height = 4, .sample = SAT_F32};
    const sat_box_spec box_spec = {.width = 4, .height = 4, .sample = SAT_F32, .window_width = 3, .window_height = 3};
    const sat_scan_spec scan_spec = {.length = 4, .sample = SAT_F32};
    sat_plan *plan;
    sat_box *box;
    sat_scan *scan;
    assert_int_equal(sat_plan_create(NULL, &plan_spec), SAT_ERR_ARGUMENT);
    const char *detail = sat_detail();
    assert_ok(sat_plan_create(&plan, &plan_spec));
    assert_ok(sat_box_create(&box, &box_spec));
    assert_ok(sat_scan_create(&scan, &scan_spec));
    assert_string_equal(detail, "plan is NULL");
    sat_plan_destroy(&plan);
    sat_box_destroy(&box);
    sat_scan_destroy(&scan);
}

static void names_and_bounds(void **state)
{
    (void)state;
    for (int t = SAT_U8; t <= SAT_F16; t++) assert_int_equal(sat_type_from_name(sat_type_name((sat_type)t)), t);
    assert_int_equal(sat_type_from_name("u7"), SAT_TYPE_NONE);
    assert_int_equal(sat_type_bytes((sat_type)99), 0);
    assert_string_equal(sat_status_text((sat_status)99), "unknown status");
    assert_non_null(strstr(sat_status_text(SAT_ERR_TYPE), "results")); /* of windows and filters, too */
    for (int s = SAT_OK; s <= SAT_ERR_DEVICE; s++)
        assert_string_not_equal(sat_status_text((sat_status)s), "unknown status");
    assert_int_equal(sat_accum_for(SAT_U8, 16843009), SAT_U32); /* floor((2^32 - 1) / 255) */
    assert_int_equal(sat_accum_for(SAT_U8, 16843010), SAT_U64);
    assert_int_equal(sat_accum_for(SAT_U16, 65537), SAT_U32);
    assert_int_equal(sat_accum_for(SAT_U16, 65538), SAT_U64);
    assert_int_equal(sat_accum_for(SAT_U32, (int64_t)1 << 32), SAT_U64);
    assert_int_equal(sat_accum_for(SAT_U32, ((int64_t)1 << 32) + 2), SAT_TYPE_NONE);
    assert_int_equal(sat_accum_for(SAT_I8, 1 << 24), SAT_I32); /* 2^31 / 2^7: -2^31 fits */
    assert_int_equal(sat_accum_for(SAT_I8, (1 << 24) + 1), SAT_I64);
    assert_int_equal(sat_accum_for(SAT_I16, 1 << 16), SAT_I32);
    assert_int_equal(sat_accum_for(SAT_I16, (1 << 16) + 1), SAT_I64);
    assert_int_equal(sat_accum_for(SAT_I32, 1), SAT_I32);
    assert_int_equal(sat_accum_for(SAT_I32, (int64_t)1 << 32), SAT_I64);
    assert_int_equal(sat_accum_for(SAT_I32, ((int64_t)1 << 32) + 1), SAT_TYPE_NONE);
    assert_int_equal(sat_accum_for(SAT_F32, 1), SAT_F64);
    assert_int_equal(sat_row_bytes(3, 4, SAT_F64), 96);
    assert_int_equal(sat_row_bytes(0, 4, SAT_F64), 0);
}

/* Calls of read() and the like so far; -1 where the system does not count them. */
static long reads(void)
{
    long n = -1;
    char line[64];
    FILE *file = fopen("/proc/self/io", "re");
    while (file && fgets(line, sizeof line, file)) sscanf(line, "syscr: %ld", &n);
    if (file) fclose(file);
    return n;
}

/* What a plan must know of the machine is read once, not for each. */
static void the_machine_is_read_once(void **state)
{
    (void)state;
    const sat_plan_spec spec = {.width = 4, .height = 4, .sample = SAT_U8};
    const sat_box_spec filter = {.width = 4, .height = 4, .sample = SAT_U8, .window_width = 3, .window_height = 3};
    long before = 0;
    for (int i = 0; i < 101; i++) {
        sat_plan *plan;
        sat_box *box;
        if (i == 1) before = reads();
        assert_ok(sat_plan_create(&plan, &spec));
        assert_ok(sat_box_create(&box, &filter));
        sat_plan_destroy(&plan);
        sat_box_destroy(&box);
    }
    if (before < 0) skip();
    assert_true(reads() - before < 100); /* of that file itself there are a few */
}

/* From an image to its table in one call. */
static void one_call(void **state)
{
    (void)state;
    const uint8_t pixels[3][8] = {{1, 0, 2, 0, 3, 0, 4, 0}, {5, 0, 6, 0, 7, 0, 8, 0}, {9, 0, 1, 0, 2, 0, 3, 0}};
    const sat_view image = {.data = (void *)(uintptr_t)pixels,
                            .row_bytes = 8,
                            .width = 4,
                            .height = 3,
                            .channels = 1,
                            .type = SAT_U8,
                            .pixel_bytes = 2};
    const sat_rect rect = {1, 1, 2, 2};
    sat_table table;
    sat_sum sum;
    assert_ok(sat_table_of(&image, NULL, &table));
    assert_ok(sat_table_query(&table, &rect, 1, 0, 1, &sum, NULL));
    assert_int_equal(sum.u, 16);
    assert_int_equal(table.layout, SAT_PADDED);
    sat_view_free(&table.view);
    const sat_plan_spec squares = {.power = 2, .layout = SAT_INCLUSIVE, .accum = SAT_F64};
    assert_ok(sat_table_of(&image, &squares, &table));
    assert_int_equal(table.view.width, 4);
    assert_ok(sat_table_query(&table, &rect, 1, 0, 1, &sum, NULL));
    assert_true(sum.f == 36 + 49 + 1 + 4);
    sat_view_free(&table.view);

    const sat_plan_spec other = {.height = 4};
    assert_int_equal(sat_table_of(&image, &other, &table), SAT_ERR_SHAPE);
    assert_null(table.view.data);
    assert_int_equal(sat_table_of(NULL, NULL, &table), SAT_ERR_ARGUMENT);
    assert_int_equal(sat_table_of(&image, NULL, NULL), SAT_ERR_ARGUMENT);
    sat_view wrong = image;
    wrong.type = SAT_F16;
    assert_int_equal(sat_table_of(&wrong, NULL, &table), SAT_ERR_TYPE);
}

/* Objects on the CPU are on no device. */
static void no_device(void **state)
{
    (void)state;
    const sat_plan_spec spec = {.width = 4, .height = 4, .sample = SAT_U8, .backend = "cpu"};
    sat_plan *plan;
    assert_ok(sat_plan_create(&plan, &spec));
    assert_int_equal(sat_plan_device(plan), -1);
    assert_int_equal(sat_plan_device(NULL), -1);
    assert_int_equal(sat_box_device(NULL), -1);
    assert_int_equal(sat_query_device(NULL), -1);
    sat_plan_destroy(&plan);
    assert_int_equal(sat_device_capturing(NULL, NULL), SAT_ERR_ARGUMENT);
    sat_set_detail("another library's words");
    assert_string_equal(sat_detail(), "another library's words");
}

int main(void)
{
    cmocka_set_message_output(CM_OUTPUT_TAP);
    const struct CMUnitTest tests[] = {
        test_with_settings(plans),          cmocka_unit_test(runs),
        cmocka_unit_test(filters),          cmocka_unit_test(success_leaves_the_detail),
        cmocka_unit_test(names_and_bounds), cmocka_unit_test(the_machine_is_read_once),
        cmocka_unit_test(one_call),         cmocka_unit_test(no_device),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
