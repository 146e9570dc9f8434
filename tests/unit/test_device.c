/* test_device.c - device memory: what is refused everywhere; where there is no device, that everything says why; where
 * there is one, that what goes there comes back. */
#include "arrays.h"
#include "device_memory.h"
#include "sat_lab.h"
#include "sat_window.h"

#ifdef SAT_SIMT
#include "simt.h"
#endif

/* Names and reasons of the backends that need one. */
static bool device_backend(size_t *i, sat_backend_info *info)
{
    while (sat_backend_at(*i, info)) {
        ++*i;
        if (info->device) return true;
    }
    return false;
}

static sat_status no_work(void *arg)
{
    *(int *)arg += 1;
    return SAT_OK;
}

static void arguments(void **state)
{
    uint8_t bytes[16];
    void *data = bytes;
    double us;
    const sat_view good = {.data = bytes, .row_bytes = 4, .width = 4, .height = 2, .channels = 1, .type = SAT_U8};
    sat_view v;
    (void)state;
    assert_int_equal(sat_device_current(NULL), SAT_ERR_ARGUMENT);
    assert_int_equal(sat_device_alloc(NULL, 1), SAT_ERR_ARGUMENT);
    assert_int_equal(sat_device_alloc(&data, 0), SAT_ERR_ARGUMENT);
    assert_null(data);
    sat_device_free(NULL);
    assert_int_equal(sat_device_fill(NULL, 0, 1, NULL), SAT_ERR_ARGUMENT);
    assert_int_equal(sat_device_copy(NULL, &good, NULL), SAT_ERR_ARGUMENT);
    assert_int_equal(sat_device_copy(&good, NULL, NULL), SAT_ERR_ARGUMENT);
    v = good, v.width = 3, said(sat_device_copy(&good, &v, NULL), SAT_ERR_SHAPE, "shape (2, 4, 1)");
    v = good, v.height = 1, said(sat_device_copy(&good, &v, NULL), SAT_ERR_SHAPE, "(1, 4, 1)");
    v = good, v.row_bytes = 3, said(sat_device_copy(&good, &v, NULL), SAT_ERR_SHAPE, "3 bytes from row to row");
    v = good, v.memory = (sat_memory)5, said(sat_device_copy(&good, &v, NULL), SAT_ERR_ARGUMENT, "memory");
    v = good, v.data = bytes + 4, said(sat_device_copy(&good, &v, NULL), SAT_ERR_ARGUMENT, "overlap");
    v = good, v.type = SAT_F32, v.row_bytes = 16, said(sat_device_copy(&good, &v, NULL), SAT_ERR_TYPE, "f32");
    assert_int_equal(sat_device_time(NULL, NULL, NULL, &us), SAT_ERR_ARGUMENT);
    assert_int_equal(sat_device_time(no_work, NULL, NULL, NULL), SAT_ERR_ARGUMENT);
}

/* What reads or writes here and now takes no view of memory elsewhere, whether there is a device or not. */
static void views_elsewhere(void **state)
{
    uint32_t pixels[4] = {1, 2, 3, 4}, sums[9] = {0};
    sat_view image = {.data = pixels, .row_bytes = 8, .width = 2, .height = 2, .channels = 1, .type = SAT_U32},
             table = {.data = sums, .row_bytes = 12, .width = 3, .height = 3, .channels = 1, .type = SAT_U32};
    sat_plan_spec spec = {.width = 2, .height = 2, .sample = SAT_U32, .accum = SAT_U32};
    sat_rect rect = {0, 0, 1, 1};
    sat_table whole = {.view = table, .sample = SAT_U32};
    sat_plan *plan;
    (void)state;
    assert_ok(sat_plan_create(&plan, &spec));
    image.memory = SAT_DEVICE;
    said(sat_plan_run(plan, &image, &table, NULL), SAT_ERR_ARGUMENT, "device memory");
    image.memory = SAT_HOST, table.memory = SAT_DEVICE;
    said(sat_plan_run(plan, &image, &table, NULL), SAT_ERR_ARGUMENT, "device memory");
    table.memory = SAT_HOST;
    assert_ok(sat_plan_run(plan, &image, &table, NULL));
    assert_ok(sat_plan_wait(plan, NULL));
    sat_plan_destroy(&plan);
    assert_int_equal(sat_plan_wait(NULL, NULL), SAT_ERR_ARGUMENT);
    spec.memory = (sat_memory)9;
    said(sat_plan_create(&plan, &spec), SAT_ERR_ARGUMENT, "memory");

    whole.view.memory = SAT_DEVICE;
    said(sat_table_query(&whole, &rect, 1, 0, 1, (sat_sum[1]){{0}}, NULL), SAT_ERR_UNAVAILABLE,
         "copy it to host memory");

    uint8_t from[4] = {0}, to[4];
    sat_view src = {.data = from,
                    .row_bytes = 2,
                    .width = 2,
                    .height = 2,
                    .channels = 1,
                    .type = SAT_U8,
                    .memory = SAT_DEVICE},
             dst = {.data = to, .row_bytes = 2, .width = 2, .height = 2, .channels = 1, .type = SAT_U8};
    sat_box_spec filter = {.width = 2, .height = 2, .sample = SAT_U8, .window_width = 1, .window_height = 1};
    sat_box *box;
    assert_ok(sat_box_create(&box, &filter));
    said(sat_box_run(box, &src, &dst, NULL), SAT_ERR_ARGUMENT, "in device memory where the box filter has host memory");
    src.memory = SAT_HOST, dst.memory = SAT_DEVICE;
    said(sat_box_run(box, &src, &dst, NULL), SAT_ERR_ARGUMENT, "in device memory where the box filter has host memory");
    sat_box_destroy(&box);
    filter.memory = (sat_memory)9;
    said(sat_box_create(&box, &filter), SAT_ERR_ARGUMENT, "memory");
}

static void host_backends_refuse_device_memory(void **state)
{
    sat_lab_backend_info info;
    sat_plan *plan;
    sat_box *box;
    (void)state;
    for (size_t i = 0; sat_lab_backend_at(i, &info); i++) {
        sat_plan_spec spec = {
            .width = 4, .height = 4, .sample = SAT_U8, .accum = SAT_U32, .backend = info.name, .memory = SAT_DEVICE};
        sat_box_spec filter = {.width = 4,
                               .height = 4,
                               .sample = SAT_U8,
                               .window_width = 3,
                               .window_height = 3,
                               .backend = info.name,
                               .memory = SAT_DEVICE};
        if (!info.available || info.device) continue;
        said(sat_plan_create(&plan, &spec), SAT_ERR_UNAVAILABLE, "host memory");
        said(sat_box_create(&box, &filter), SAT_ERR_UNAVAILABLE,
             info.kind < SAT_CEILING ? "host memory" : "sums nothing");
    }
}

static void entries_are_what_probes_find(void **state)
{
    sat_backend_info asked, listed;
    sat_lab_backend_info lab, entry;
    size_t i = 0, k = 0;
    (void)state;
    for (; sat_lab_backend_at(k, &lab); k++) {
        assert_true(sat_lab_backend_entry(k, &entry));
        assert_string_equal(entry.name, lab.name);
        assert_int_equal(entry.kind, lab.kind);
        assert_int_equal(entry.device, lab.device);
        assert_false(entry.available);
        assert_non_null(entry.why);
        assert_string_not_equal(sat_kind_name(lab.kind), "none");
        if (lab.kind >= SAT_CEILING) continue; /* sat.h lists the others, in the same order */
        assert_true(sat_backend_at(i, &asked));
        assert_string_equal(asked.name, lab.name);
        assert_int_equal(asked.available, lab.available);
        i++;
    }
    assert_false(sat_lab_backend_entry(k, &entry));
    assert_false(sat_lab_backend_entry(0, NULL));
    assert_false(sat_backend_at(i, &asked));
    assert_string_equal(sat_kind_name((sat_kind)4), "none");
    i = 0;
    for (; sat_backend_at(i, &asked); i++) {
        assert_true(sat_backend_entry(i, &listed));
        assert_string_equal(listed.name, asked.name);
        assert_int_equal(listed.device, asked.device);
        assert_false(listed.available);
        assert_non_null(listed.why);
    }
    assert_false(sat_backend_entry(i, &listed));
    assert_false(sat_backend_entry(0, NULL));
}

static void without_a_device_everything_says_why(void **state)
{
    uint8_t bytes[4], copy[4];
    void *data = bytes;
    double us = 1;
    int calls = 0;
    sat_device_info device;
    sat_backend_info info;
    const sat_view from = {.data = bytes, .row_bytes = 4, .width = 4, .height = 1, .channels = 1, .type = SAT_U8},
                   to = {.data = copy,
                         .row_bytes = 4,
                         .width = 4,
                         .height = 1,
                         .channels = 1,
                         .type = SAT_U8,
                         .memory = SAT_DEVICE};
    sat_plan_spec spec = {.width = 4, .height = 4, .sample = SAT_U8, .accum = SAT_U32, .memory = SAT_DEVICE};
    sat_scan_spec row = {.length = 4, .sample = SAT_U8, .accum = SAT_U32, .memory = SAT_DEVICE};
    sat_plan *plan;
    sat_scan *scan;
    (void)state;
    if (have_device()) skip();
    char why[256];
    said(sat_device_current(&device), SAT_ERR_UNAVAILABLE, "no device: ");
    snprintf(why, sizeof why, "%s", sat_detail() + strlen("no device: "));
    if (!SAT_WITH_CUDA) assert_string_equal(why, "built without CUDA");
    assert_true(*why);
    said(sat_device_alloc(&data, 16), SAT_ERR_UNAVAILABLE, why);
    assert_null(data);
    sat_device_free(bytes);
    said(sat_device_fill(bytes, 0, 1, NULL), SAT_ERR_UNAVAILABLE, why);
    said(sat_device_copy(&from, &to, NULL), SAT_ERR_UNAVAILABLE, why);
    said(sat_device_wait(NULL), SAT_ERR_UNAVAILABLE, why);
    said(sat_device_time(no_work, &calls, NULL, &us), SAT_ERR_UNAVAILABLE, why);
    assert_int_equal(calls, 0);
    assert_true(us == 0);
    said(sat_plan_create(&plan, &spec), SAT_ERR_UNAVAILABLE, why);
    assert_null(plan);
    said(sat_scan_create(&scan, &row), SAT_ERR_UNAVAILABLE, why);
    assert_null(scan);
    for (size_t i = 0; device_backend(&i, &info);) {
        assert_false(info.available);
        assert_string_equal(info.why, why);
        for (int memory = SAT_HOST; memory <= SAT_DEVICE; memory++) {
            spec.backend = info.name, spec.memory = (sat_memory)memory;
            said(sat_plan_create(&plan, &spec), SAT_ERR_UNAVAILABLE, why);
        }
    }
}

/* The image's sums, in device memory all the way and through host memory, as the default makes them on the host. */
static void with_a_device_what_goes_there_comes_back(void **state)
{
    enum { W = 37, H = 21 };
    sat_view image = guarded(W, H, 1, SAT_U16, 0), back = guarded(W, H, 1, SAT_U16, 4);
    sat_view want = guarded(W + 1, H + 1, 1, SAT_U32, 0), got = guarded(W + 1, H + 1, 1, SAT_U32, 8);
    sat_view there = image, sums = want;
    sat_plan_spec spec = {.width = W, .height = H, .sample = SAT_U16, .accum = SAT_U32};
    sat_backend_info info;
    sat_plan *plan;
    double us;
    int calls = 0;
    (void)state;
    if (!have_device()) skip();
    randomise(&image);
    assert_ok(sat_plan_create(&plan, &spec));
    assert_ok(sat_plan_run(plan, &image, &want, NULL));
    sat_plan_destroy(&plan);

    there.memory = sums.memory = SAT_DEVICE;
    assert_ok(sat_device_alloc(&there.data, (size_t)there.row_bytes * H));
    assert_ok(sat_device_alloc(&sums.data, (size_t)sums.row_bytes * (H + 1)));
    assert_ok(sat_device_copy(&image, &there, NULL));
    assert_ok(sat_device_copy(&there, &back, NULL));
    for (int64_t y = 0; y < H; y++)
        assert_memory_equal(entry_at(&back, 0, y, 0), entry_at(&image, 0, y, 0), W * sizeof(uint16_t));
    assert_ok(sat_device_time(no_work, &calls, NULL, &us));
    assert_int_equal(calls, 1);
    assert_true(us >= 0);

    for (size_t i = 0; device_backend(&i, &info);) {
        if (!info.available) continue;
        spec.backend = info.name;
        for (int memory = SAT_HOST; memory <= SAT_DEVICE; memory++) {
            spec.memory = (sat_memory)memory;
            const sat_status status = sat_plan_create(&plan, &spec);
            if (status == SAT_ERR_TYPE && !info.filters) continue; /* the laboratory's scans have few pairs of types */
            assert_ok(status);
            assert_ok(sat_device_fill(sums.data, 0xA5, (size_t)sums.row_bytes * (H + 1), NULL));
            if (memory == SAT_HOST) assert_ok(sat_plan_run(plan, &image, &got, NULL));
            if (memory == SAT_DEVICE) assert_ok(sat_plan_run(plan, &there, &sums, NULL));
            assert_ok(sat_plan_wait(plan, NULL));
            if (memory == SAT_DEVICE) assert_ok(sat_device_copy(&sums, &got, NULL));
            for (int64_t y = 0; y <= H; y++)
                assert_memory_equal(entry_at(&got, 0, y, 0), entry_at(&want, 0, y, 0), (W + 1) * sizeof(uint32_t));
            sat_plan_destroy(&plan);
        }
    }
    sat_device_free(there.data);
    sat_device_free(sums.data);
    unguard(&image), unguard(&back), unguard(&want), unguard(&got);
}

/* A line about an object begins with the name of the backend that was found for it, also where none was named. */
static void begins_with_a_name(const char *note, bool device)
{
    sat_backend_info info;
    for (size_t i = 0; sat_backend_entry(i, &info); i++) {
        size_t n = strlen(info.name);
        if (info.device == device && strncmp(note, info.name, n) == 0 && (note[n] == ',' || note[n] == ' ')) return;
    }
    fail_msg("'%s' names no backend", note);
}

static void notes_name_who_does_it(void **state)
{
    (void)state;
    for (int memory = SAT_HOST; memory <= (have_device() ? SAT_DEVICE : SAT_HOST); memory++) {
        sat_plan_spec spec = {.width = 4, .height = 4, .sample = SAT_U8, .memory = (sat_memory)memory};
        sat_plan *plan;
        assert_ok(sat_plan_create(&plan, &spec));
        begins_with_a_name(sat_plan_note(plan), memory == SAT_DEVICE);
        sat_plan_destroy(&plan);
        for (int i = 0; i < 2; i++) {
            sat_box_spec filter = {.width = 4,
                                   .height = 4,
                                   .sample = i ? SAT_F32 : SAT_U8,
                                   .window_width = 3,
                                   .window_height = 3,
                                   .memory = (sat_memory)memory};
            sat_box *box;
            assert_ok(sat_box_create(&box, &filter));
            begins_with_a_name(sat_box_note(box), memory == SAT_DEVICE);
            sat_box_destroy(&box);
        }
    }
}

/* Statistics of images with gaps between their pixels: those of the host, with as many results clipped, wherever views
 * lie. */
static void windows_of_views_with_gaps(void **state)
{
    enum { W = 41, H = 23, CHANNELS = 3, GAP = 1 };
    (void)state;
    if (!have_device()) skip();
    const sat_window_output output[2] = {{.statistic = "std", .result = SAT_F32},
                                         {.statistic = "sum", .result = SAT_U8}};
    uint8_t *pixels = malloc(W * H * (CHANNELS + GAP)), sums[2][W * H * CHANNELS];
    float *stds[2] = {malloc(sizeof(float) * W * H * CHANNELS), malloc(sizeof(float) * W * H * CHANNELS)};
    sat_window_spec spec = {.width = W,
                            .height = H,
                            .channels = CHANNELS,
                            .sample = SAT_U8,
                            .window_width = 5,
                            .window_height = 4,
                            .outputs = 2,
                            .output = output,
                            .strided = true};
    sat_view src = {.data = pixels,
                    .row_bytes = W * (CHANNELS + GAP),
                    .pixel_bytes = CHANNELS + GAP,
                    .width = W,
                    .height = H,
                    .channels = CHANNELS,
                    .type = SAT_U8};
    sat_backend_info info;
    int64_t clipped[2];
    size_t i = 0;
    for (size_t k = 0; k < W * H * (CHANNELS + GAP); k++) pixels[k] = (uint8_t)(k * k * 7 % 31);
    while (device_backend(&i, &info) && strcmp(info.name, "fused") != 0) {}
    for (int on_device = 0; on_device < 2; on_device++) {
        sat_view results[2] = {{.data = stds[on_device],
                                .row_bytes = sizeof(float) * W * CHANNELS,
                                .width = W,
                                .height = H,
                                .channels = CHANNELS,
                                .type = SAT_F32},
                               {.data = sums[on_device],
                                .row_bytes = W * CHANNELS,
                                .width = W,
                                .height = H,
                                .channels = CHANNELS,
                                .type = SAT_U8}};
        sat_window *window;
        spec.backend = on_device ? "fused" : "cpu";
        assert_ok(sat_window_create(&window, &spec));
        begins_with_a_name(sat_window_note(window), on_device);
        sat_counts counts;
        assert_ok(sat_window_run(window, &src, NULL, results, &(sat_run_options){.counts = &counts}));
        clipped[on_device] = counts.clipped;
        assert_int_equal(counts.empty[0], on_device ? -1 : 0);
        assert_int_equal(counts.empty[2], -1);
        sat_window_destroy(&window);
    }
    assert_true(clipped[0] > 0);
    assert_int_equal(clipped[1], clipped[0]);
    assert_memory_equal(stds[1], stds[0], sizeof(float) * W * H * CHANNELS);
    assert_memory_equal(sums[1], sums[0], sizeof sums[0]);
    free(pixels), free(stds[0]), free(stds[1]);
}

#ifdef SAT_SIMT
/* While a stream is captured, whatever would wait for it says so before it has queued anything; afterwards all is well.
 */
static void captured(sat_status is)
{
    said(is, SAT_ERR_ARGUMENT, "captured");
}

static bool never(void *context)
{
    (void)context;
    return false;
}

static void what_waits_spoils_no_capture(void **state)
{
    (void)state;
    uint8_t pixels[16] = {1, 2, 3, 4}, out[16];
    uint32_t sums[25], entries[4];
    double us;
    int calls = 0;
    sat_view image = {.data = pixels, .row_bytes = 4, .width = 4, .height = 4, .channels = 1, .type = SAT_U8},
             table = {.data = sums, .row_bytes = 20, .width = 5, .height = 5, .channels = 1, .type = SAT_U32};
    sat_view result = {.data = out, .row_bytes = 4, .width = 4, .height = 4, .channels = 1, .type = SAT_U8},
             there = image;
    sat_backend_info info;
    sat_scan_info method;
    size_t i = 0;
    assert_true(device_backend(&i, &info));
    for (i = 0; sat_scan_at(i, &method) && (!method.device || method.segment);) i++;

    sat_plan_spec spec = {.width = 4, .height = 4, .sample = SAT_U8, .accum = SAT_U32, .backend = info.name};
    sat_box_spec filter = {
        .width = 4, .height = 4, .sample = SAT_U8, .window_width = 1, .window_height = 1, .backend = info.name};
    sat_scan_spec row = {.length = 4, .sample = SAT_U8, .accum = SAT_U32, .method = method.name};
    sat_table asked = {.view = table, .sample = SAT_U8};
    sat_plan *plan, *device_plan;
    const sat_window_output mean = {.statistic = "mean", .result = SAT_U8};
    const sat_window_spec window_spec = {.width = 4,
                                         .height = 4,
                                         .sample = SAT_U8,
                                         .window_width = 1,
                                         .window_height = 1,
                                         .outputs = 1,
                                         .output = &mean,
                                         .backend = "fused"};
    sat_box *box;
    sat_scan *scan;
    sat_query *query;
    sat_window *window;
    assert_ok(sat_plan_create(&plan, &spec));
    spec.memory = there.memory = asked.view.memory = SAT_DEVICE;
    assert_ok(sat_plan_create(&device_plan, &spec));
    assert_ok(sat_box_create(&box, &filter));
    assert_ok(sat_scan_create(&scan, &row));
    assert_ok(sat_device_alloc(&there.data, 16));
    assert_ok(sat_device_alloc(&asked.view.data, sizeof sums));
    assert_ok(sat_query_create(&query, &asked, NULL));
    assert_ok(sat_window_create(&window, &window_spec));
    assert_ok(sat_window_run(window, &image, NULL, &result, NULL));

    sat_device_info current;
    assert_ok(sat_device_current(&current));
    assert_int_equal(current.ordinal, 0);
    assert_int_equal(sat_plan_device(plan), 0);
    assert_int_equal(sat_plan_device(device_plan), 0);
    assert_int_equal(sat_box_device(box), 0);
    assert_int_equal(sat_window_device(window), 0);
    assert_int_equal(sat_query_device(query), 0);

    bool capturing = true;
    assert_ok(sat_device_capturing(NULL, &capturing));
    assert_false(capturing);
    simt_capture(1);
    assert_ok(sat_device_capturing(NULL, &capturing));
    assert_true(capturing);
    uint64_t launches = simt_count().launches;
    captured(sat_plan_run(plan, &image, &table, NULL));
    captured(sat_box_run(box, &image, &result, NULL));
    captured(sat_window_run(window, &image, NULL, &result, NULL));
    captured(sat_scan_run(scan, pixels, entries, NULL));
    captured(sat_plan_wait(device_plan, NULL));
    captured(sat_query_wait(query, NULL));
    captured(sat_device_copy(&image, &there, NULL));
    captured(sat_device_copy(&there, &image, NULL));
    captured(sat_device_wait(NULL));
    captured(sat_device_time(no_work, &calls, NULL, &us));
    assert_int_equal(calls, 0);
    assert_int_equal(simt_count().launches, launches);
    assert_ok(sat_device_fill(there.data, 0, 16, NULL)); /* waits for nothing */
    assert_ok(sat_plan_wait(plan, NULL));
    simt_capture(0);

    /* What a caller ends launches nothing. */
    const sat_run_options none = {.proceed = never};
    assert_int_equal(sat_plan_run(plan, &image, &table, &none), SAT_ERR_CANCELLED);
    assert_int_equal(sat_box_run(box, &image, &result, &none), SAT_ERR_CANCELLED);
    assert_int_equal(sat_window_run(window, &image, NULL, &result, &none), SAT_ERR_CANCELLED);
    assert_int_equal(sat_query_run(query, there.data, 0, NULL, NULL, &none), SAT_ERR_CANCELLED);
    assert_int_equal(simt_count().launches, launches);

    assert_ok(sat_plan_run(plan, &image, &table, NULL));
    assert_int_equal(sums[24], 10);
    assert_ok(sat_box_run(box, &image, &result, NULL));
    assert_memory_equal(out, pixels, 16);
    assert_ok(sat_scan_run(scan, pixels, entries, NULL));
    assert_int_equal(entries[3], 10);
    assert_ok(sat_plan_wait(device_plan, NULL));
    assert_ok(sat_query_wait(query, NULL));
    sat_query_destroy(&query);
    sat_counts counts;
    assert_ok(sat_window_run(window, &image, NULL, &result, &(sat_run_options){.counts = &counts}));
    assert_int_equal(counts.clipped, 0);
    sat_window_destroy(&window);
    sat_scan_destroy(&scan);
    sat_box_destroy(&box);
    sat_plan_destroy(&device_plan);
    sat_plan_destroy(&plan);
    sat_device_free(there.data);
    sat_device_free(asked.view.data);
}
#endif

/* Samples that are wider than their sums, in bands: a ceiling's own memory takes what the table has no place for, and
 * all bands but the first write a row less than the plan's table has. */
static void ceilings_keep_to_their_memory(void **state)
{
    enum { SIDE = 12 };
    static double samples[SIDE * SIDE];
    static uint32_t sums[(SIDE + 1) * (SIDE + 1)];
    sat_lab_backend_info info;
    (void)state;
    if (!have_device()) skip();
    for (size_t i = 0; sat_lab_backend_at(i, &info); i++)
        for (int64_t n = 0; info.available && info.device && info.kind == SAT_CEILING && n < SIDE * SIDE; n++) {
            const int64_t w = n / SIDE + 1, h = n % SIDE + 1;
            sat_view image = {.data = samples, .row_bytes = w * 8, .width = w, .height = h, .channels = 1};
            sat_view table = {.data = sums, .width = w + 1, .height = h + 1, .channels = 1, .type = SAT_Q32};
            sat_plan_spec spec = {.width = w, .height = h, .sample = SAT_F64, .accum = SAT_Q32, .layout = SAT_PADDED};
            sat_plan *plan;
            image.type = SAT_F64;
            table.row_bytes = table.width * 4;
            spec.quant = (sat_quant){.step = 1, .largest = 1};
            spec.backend = info.name;
            assert_ok(sat_plan_create(&plan, &spec));
            assert_ok(sat_plan_run(plan, &image, &table, NULL));
            sat_plan_destroy(&plan);
        }
}

int main(void)
{
    cmocka_set_message_output(CM_OUTPUT_TAP);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arguments),
        cmocka_unit_test(views_elsewhere),
        cmocka_unit_test(host_backends_refuse_device_memory),
        cmocka_unit_test(entries_are_what_probes_find),
        cmocka_unit_test(without_a_device_everything_says_why),
        cmocka_unit_test(with_a_device_what_goes_there_comes_back),
        cmocka_unit_test(notes_name_who_does_it),
        cmocka_unit_test(windows_of_views_with_gaps),
        cmocka_unit_test(ceilings_keep_to_their_memory),
#ifdef SAT_SIMT
        cmocka_unit_test(what_waits_spoils_no_capture),
#endif
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
