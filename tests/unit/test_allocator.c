/* test_allocator.c - a caller's allocator: all memory of an object is taken from it when the object is created, none
 * while it runs, and all of it is given back; whichever piece is refused.  In the simulator also with a device. */
#include "arrays.h"
#include "sat_gauss.h"

/* ---- an allocator that keeps a record ------------------------------------------------------------------- */

enum { PIECES = 256 };

typedef struct record {
    struct {
        void *data;
        size_t bytes;
        sat_memory_kind kind;
    } piece[PIECES]; /* those not yet given back; data NULL: free */
    int held[3];     /* of each kind */
    int calls;       /* of allocate() and release() */
    int fail_at;     /* the allocation that is refused, 0: none */
    int shift;       /* bytes by which memory is out of place */
} record;

static void *take(size_t bytes, sat_memory_kind kind)
{
    void *data = NULL;
    if (kind == SAT_MEMORY_DEVICE) return sat_device_alloc(&data, bytes) == SAT_OK ? data : NULL;
    if (posix_memalign(&data, 64, bytes + 64) != 0) return NULL;
    memset(data, 0xa5, bytes + 64); /* nothing may count on zeros */
    return data;
}

static void *allocate(void *context, size_t bytes, sat_memory_kind kind)
{
    record *r = context;
    assert_true(bytes > 0 && kind <= SAT_MEMORY_DEVICE);
    if (++r->calls == r->fail_at) return NULL;
    for (int i = 0; i < PIECES; i++) {
        if (r->piece[i].data) continue;
        char *data = take(bytes, kind);
        assert_non_null(data);
        r->piece[i].data = data + r->shift;
        r->piece[i].bytes = bytes;
        r->piece[i].kind = kind;
        r->held[kind]++;
        return r->piece[i].data;
    }
    fail_msg("more than %d pieces", PIECES);
    return NULL;
}

static void release(void *context, void *data, size_t bytes, sat_memory_kind kind)
{
    record *r = context;
    r->calls++;
    for (int i = 0; i < PIECES; i++) {
        if (r->piece[i].data != data) continue;
        assert_int_equal(r->piece[i].bytes, bytes);
        assert_int_equal(r->piece[i].kind, kind);
        r->piece[i].data = NULL;
        r->held[kind]--;
        if (kind == SAT_MEMORY_DEVICE)
            sat_device_free(data);
        else
            free((char *)data - r->shift);
        return;
    }
    fail_msg("memory that was not allocated, or was given back before");
}

static void nothing_is_held(const record *r)
{
    for (int kind = 0; kind < 3; kind++) assert_int_equal(r->held[kind], 0);
}

/* ---- objects --------------------------------------------------------------------------------------------- */

enum { W = 37, H = 29, IMAGES = 3, MOST_BYTES = (W + 1) * (H + 1) * IMAGES * 8 };

static char image_bytes[MOST_BYTES], result_bytes[MOST_BYTES], expected_bytes[MOST_BYTES];

static sat_view view(void *data, int64_t width, int64_t height, sat_type type)
{
    return (sat_view){.data = data,
                      .row_bytes = (ptrdiff_t)sat_row_bytes(width, 1, type),
                      .width = width,
                      .height = height,
                      .channels = 1,
                      .type = type,
                      .count = IMAGES};
}

/* A plan, a filter or a query: made with that allocator, run once on host memory, destroyed. */
typedef sat_status life(const sat_allocator *allocator, const char *backend, record *r);

static sat_status life_of_a_plan(const sat_allocator *allocator, const char *backend, record *r)
{
    sat_plan *plan;
    sat_plan_spec spec = {.width = W, .height = H, .channels = 1, .sample = SAT_U8, .accum = SAT_U64, .count = IMAGES};
    spec.backend = backend, spec.threads = 2, spec.allocator = allocator;
    sat_view image = view(image_bytes, W, H, SAT_U8), table = view(result_bytes, W + 1, H + 1, SAT_U64);
    sat_status status = sat_plan_create(&plan, &spec);
    if (status != SAT_OK) {
        assert_null(plan);
        return status;
    }
    const int calls = r->calls;
    assert_ok(sat_plan_run(plan, &image, &table, NULL));
    assert_int_equal(r->calls, calls);
    sat_plan_destroy(&plan);
    return SAT_OK;
}

static sat_status life_of_a_filter_of(sat_type sample, const sat_allocator *allocator, const char *backend, record *r)
{
    sat_box *box;
    sat_box_spec spec = {.width = W, .height = H, .channels = 1, .sample = sample, .count = IMAGES};
    spec.window_width = 5, spec.window_height = 4, spec.border = "reflect";
    spec.backend = backend, spec.threads = 2, spec.allocator = allocator;
    sat_view src = view(image_bytes, W, H, sample), dst = view(result_bytes, W, H, sample);
    sat_status status = sat_box_create(&box, &spec);
    if (status != SAT_OK) {
        assert_null(box);
        return status;
    }
    const int calls = r->calls;
    assert_ok(sat_box_run(box, &src, &dst, NULL));
    assert_int_equal(r->calls, calls);
    sat_box_destroy(&box);
    return SAT_OK;
}

static sat_status life_of_a_filter(const sat_allocator *allocator, const char *backend, record *r)
{
    return life_of_a_filter_of(SAT_U8, allocator, backend, r);
}

static sat_status life_of_a_float_filter(const sat_allocator *allocator, const char *backend, record *r)
{
    return life_of_a_filter_of(SAT_F32, allocator, backend, r);
}

static sat_status life_of_a_gaussian(const sat_allocator *allocator, const char *backend, record *r)
{
    sat_gauss *gauss;
    sat_gauss_spec spec = {.width = W, .height = H, .sample = SAT_U8, .sigma = 5, .count = IMAGES};
    spec.mode = SAT_GAUSS_DOG, spec.sigma2 = 2;
    spec.backend = backend, spec.threads = 2, spec.allocator = allocator;
    sat_view src = view(image_bytes, W, H, SAT_U8), dst = view(result_bytes, W, H, SAT_F32);
    sat_status status = sat_gauss_create(&gauss, &spec);
    if (status != SAT_OK) {
        assert_null(gauss);
        return status;
    }
    const int calls = r->calls;
    assert_ok(sat_gauss_run(gauss, &src, &dst, NULL));
    assert_int_equal(r->calls, calls);
    sat_gauss_destroy(&gauss);
    return SAT_OK;
}

/* Floats in [0, 1): also as bytes and words they are any samples. */
static void fill_image(void)
{
    float *samples = (float *)(void *)image_bytes;
    for (size_t i = 0; i < sizeof image_bytes / sizeof *samples; i++) samples[i] = (float)random_in(0, 1023) / 1024;
}

/* The same life without an allocator, with one, and with one that refuses each piece in turn. */
static void check_life(life *live, const char *backend)
{
    static record none, r;
    memset(&r, 0, sizeof r);
    const sat_allocator allocator = {allocate, release, &r};
    memset(result_bytes, 0, sizeof result_bytes);
    sat_status status = live(NULL, backend, &none);
    if (status == SAT_ERR_TYPE || status == SAT_ERR_UNAVAILABLE) return; /* not this backend's work */
    assert_ok(status);
    memcpy(expected_bytes, result_bytes, sizeof expected_bytes);
    memset(result_bytes, 0, sizeof result_bytes);
    assert_ok(live(&allocator, backend, &r));
    assert_memory_equal(result_bytes, expected_bytes, sizeof expected_bytes);
    nothing_is_held(&r);
    for (int n = 1;; n++) {
        r.calls = 0, r.fail_at = n;
        status = live(&allocator, backend, &r);
        nothing_is_held(&r);
        if (status == SAT_OK) break;
        assert_int_equal(status, SAT_ERR_MEMORY);
        assert_true(r.calls >= n);
    }
    r.calls = 0, r.fail_at = 0, r.shift = 8;
    assert_int_equal(live(&allocator, backend, &r), SAT_ERR_MEMORY);
    nothing_is_held(&r);
}

static void objects_live_in_the_callers_memory(void **state)
{
    (void)state;
    sat_backend_info info;
    fill_image();
    for (size_t i = 0; sat_backend_at(i, &info); i++) {
        if (!info.available) continue;
        check_life(life_of_a_plan, info.name);
        check_life(life_of_a_filter, info.name);
        check_life(life_of_a_float_filter, info.name);
        check_life(life_of_a_gaussian, info.name);
    }
}

static void queries_live_in_the_callers_memory(void **state)
{
    (void)state;
    static record r;
    const sat_allocator allocator = {allocate, release, &r};
    const sat_query_spec spec = {.allocator = &allocator};
    const sat_rect rect = {1, 2, 3, 4};
    sat_table table = {.view = view(result_bytes, W + 1, H + 1, SAT_U32), .sample = SAT_U8};
    sat_query *query;
    sat_sum sums[IMAGES];
    memset(result_bytes, 0, sizeof result_bytes);
    assert_ok(sat_query_create(&query, &table, &spec));
    assert_true(r.held[SAT_MEMORY_HOST] > 0);
    const int calls = r.calls;
    assert_ok(sat_query_run(query, &rect, 1, sums, NULL, NULL));
    assert_int_equal(r.calls, calls);
    sat_query_destroy(&query);
    nothing_is_held(&r);
    r.calls = 0, r.fail_at = 1;
    said(sat_query_create(&query, &table, &spec), SAT_ERR_MEMORY, "allocator");
    assert_null(query);

    r.fail_at = 0, r.shift = 8;
    said(sat_query_create(&query, &table, &spec), SAT_ERR_MEMORY, "not aligned to 64 bytes");
    nothing_is_held(&r);
    r.shift = 0;

    if (sat_device_alloc(&table.view.data, sizeof result_bytes) != SAT_OK) return;
    table.view.memory = SAT_DEVICE;
    assert_ok(sat_query_create(&query, &table, &spec));
    assert_int_equal(r.held[SAT_MEMORY_DEVICE], 1);
    sat_query_destroy(&query);
    nothing_is_held(&r);
    sat_device_free(table.view.data);
}

/* Host images on a device: device memory and pinned memory are the caller's too. */
static void devices_use_the_callers_memory(void **state)
{
    (void)state;
    static record r;
    const sat_allocator allocator = {allocate, release, &r};
    sat_backend_info info;
    sat_plan *plan;
    sat_plan_spec spec = {.width = W, .height = H, .sample = SAT_U8, .allocator = &allocator};
    for (size_t i = 0; sat_backend_at(i, &info); i++) {
        if (!info.device || !info.available) continue;
        spec.backend = info.name;
        if (sat_plan_create(&plan, &spec) != SAT_OK) continue;
        assert_true(r.held[SAT_MEMORY_HOST] > 0);
        assert_true(r.held[SAT_MEMORY_PINNED] >= 2);
        assert_true(r.held[SAT_MEMORY_DEVICE] >= 3);
        sat_plan_destroy(&plan);
        nothing_is_held(&r);
        return;
    }
    skip();
}

static void an_allocator_has_two_functions(void **state)
{
    (void)state;
    record r = {0};
    const sat_allocator half = {allocate, NULL, &r};
    sat_plan *plan;
    sat_box *box;
    sat_gauss *gauss;
    sat_query *query;
    const sat_gauss_spec gauss_spec = {.width = W, .height = H, .sample = SAT_U8, .sigma = 1, .allocator = &half};
    const sat_plan_spec plan_spec = {.width = W, .height = H, .sample = SAT_U8, .allocator = &half};
    const sat_box_spec box_spec = {
        .width = W, .height = H, .sample = SAT_U8, .window_width = 1, .window_height = 1, .allocator = &half};
    const sat_query_spec query_spec = {.allocator = &half};
    const sat_table table = {.view = view(result_bytes, W + 1, H + 1, SAT_U32), .sample = SAT_U8};
    said(sat_plan_create(&plan, &plan_spec), SAT_ERR_ARGUMENT, "allocator");
    said(sat_box_create(&box, &box_spec), SAT_ERR_ARGUMENT, "allocator");
    said(sat_gauss_create(&gauss, &gauss_spec), SAT_ERR_ARGUMENT, "allocator");
    said(sat_query_create(&query, &table, &query_spec), SAT_ERR_ARGUMENT, "allocator");
}

int main(void)
{
    cmocka_set_message_output(CM_OUTPUT_TAP);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(objects_live_in_the_callers_memory),
        cmocka_unit_test(queries_live_in_the_callers_memory),
        cmocka_unit_test(devices_use_the_callers_memory),
        cmocka_unit_test(an_allocator_has_two_functions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
