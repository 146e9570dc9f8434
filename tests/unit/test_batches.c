/* test_batches.c - views of several images, gaps between pixels, a caller's executor: the results are those of each
 * image by itself, packed, on the library's threads. */
#include "arrays.h"
#include "sat_gauss.h"
#include "shape.h"

/* ---- executors ----------------------------------------------------------------------------------------- */

static int executed; /* jobs that an executor was given */

static void backwards(void *context, int jobs, void (*job)(void *argument, int i), void *argument)
{
    assert_ptr_equal(context, &executed);
    __atomic_fetch_add(&executed, jobs, __ATOMIC_RELAXED);
    for (int i = jobs - 1; i >= 0; i--) job(argument, i);
}

typedef struct shared_job {
    void (*job)(void *argument, int i);
    void *argument;
} shared_job;

static void run_shared(void *context, int64_t i, int worker)
{
    const shared_job *s = context;
    (void)worker;
    s->job(s->argument, (int)i);
}

static void together(void *context, int jobs, void (*job)(void *argument, int i), void *argument)
{
    shared_job s = {job, argument};
    __atomic_fetch_add((int *)context, jobs, __ATOMIC_RELAXED);
    sat_parallel(jobs, jobs, run_shared, &s);
}

static const sat_executor one_by_one = {backwards, &executed}, in_threads = {together, &executed};
static const sat_executor *const executors[] = {NULL, &one_by_one, &in_threads};

/* ---- images -------------------------------------------------------------------------------------------- */

static size_t some(size_t most)
{
    return random_in(0, 1) ? (size_t)random_in(0, (int64_t)most) : 0;
}

/* Image i of a view, without any gap. */
static sat_view packed_image(const sat_view *v, int64_t i)
{
    sat_view image = sat_view_image(v, i), packed = guarded(v->width, v->height, v->channels, v->type, 0);
    for (int64_t y = 0; y < v->height; y++)
        for (int64_t x = 0; x < v->width; x++)
            memcpy(entry_at(&packed, x, y, 0), entry_at(&image, x, y, 0),
                   (size_t)v->channels * sat_type_bytes(v->type));
    return packed;
}

static void assert_rows_equal(const sat_view *is, const sat_view *want)
{
    for (int64_t y = 0; y < want->height; y++)
        assert_memory_equal(entry_at(is, 0, y, 0), entry_at(want, 0, y, 0),
                            sat_row_bytes(want->width, want->channels, want->type));
}

/* Nothing is written between the rows and the images. */
static void assert_gaps_untouched(const sat_view *v)
{
    sat_view poison = *v;
    poison = guard(poison);
    for (int64_t i = 0; i < v->count; i++)
        for (int64_t y = 0; y < v->height; y++) {
            sat_view from = sat_view_image(v, i), to = sat_view_image(&poison, i);
            memcpy(entry_at(&to, 0, y, 0), entry_at(&from, 0, y, 0), sat_row_bytes(v->width, v->channels, v->type));
        }
    assert_memory_equal(v->data, poison.data, bytes_of_view(v));
    unguard(&poison);
}

/* ---- tables -------------------------------------------------------------------------------------------- */

static sat_plan_spec random_spec(void)
{
    static const sat_type pairs[][2] = {{SAT_U8, SAT_U32},  {SAT_U8, SAT_U64},  {SAT_U16, SAT_U32}, {SAT_U16, SAT_I64},
                                        {SAT_U32, SAT_U64}, {SAT_F32, SAT_F64}, {SAT_F32, SAT_Q32}, {SAT_F64, SAT_F64}};
    static const char *const names[] = {"cpu", "serial", NULL};
    const sat_type *pair = pairs[random_in(0, 7)];
    sat_plan_spec s = {.width = random_in(1, random_in(0, 3) ? 60 : 3000),
                       .height = random_in(1, 40),
                       .channels = (int)random_in(1, 4),
                       .sample = pair[0],
                       .accum = pair[1],
                       .layout = (sat_layout)random_in(0, 2),
                       .threads = (int)random_in(0, 5),
                       .backend = names[random_in(0, 2)],
                       .count = random_in(1, 9),
                       .strided = random_in(0, 1),
                       .executor = executors[random_in(0, 2)]};
    if (s.accum == SAT_Q32) assert_ok(sat_quant_for(-100, 100, s.width * s.height, &s.quant));
    return s;
}

static void tables_of_batches_are_those_of_each_image(void **state)
{
    (void)state;
    for (int round = 0; round < 600; round++) {
        sat_plan_spec spec = random_spec();
        sat_plan *plan, *single;
        const int64_t height = random_in(1, spec.height), count = random_in(1, spec.count);
        const bool padded = spec.layout == SAT_PADDED, continues = padded && random_in(0, 1);
        const size_t carries = (size_t)(spec.width * spec.channels) * sat_type_bytes(spec.accum);
        sat_view image = guarded_images(spec.width, height, count, spec.channels, spec.sample,
                                        spec.strided ? some(5) : 0, some(9), some(30));
        sat_view table = guarded_images(spec.width + padded, height + (padded && !continues), count, spec.channels,
                                        spec.accum, 0, some(9), some(30));
        randomise(&image);
        char *in = calloc((size_t)count, carries), *out = calloc((size_t)count, carries), *want_out = malloc(carries);
        for (size_t i = 0; i < (size_t)count * carries && !(spec.sample == SAT_F32 || spec.sample == SAT_F64); i++)
            in[i] = (char)random64();
        sat_run_options run = {.carry_in = continues ? in : NULL, .carry_out = out, .continues = continues};
        executed = 0;
        assert_ok(sat_plan_create(&plan, &spec));
        assert_ok(sat_plan_run(plan, &image, &table, &run));
        if (spec.executor && spec.threads > 1 && count > 1) assert_true(executed > 0);
        assert_string_equal(sat_plan_backend(plan), spec.backend ? spec.backend : "cpu");

        sat_plan_spec alone = spec;
        alone.count = 0, alone.strided = false, alone.executor = NULL, alone.backend = sat_plan_backend(plan);
        assert_ok(sat_plan_create(&single, &alone));
        for (int64_t i = 0; i < count; i++) {
            sat_view packed = packed_image(&image, i), is = sat_view_image(&table, i);
            sat_view want = guarded(table.width, table.height, table.channels, table.type, 0);
            sat_run_options one = {.continues = continues, .carry_out = want_out};
            if (continues) one.carry_in = in + (size_t)i * carries;
            assert_ok(sat_plan_run(single, &packed, &want, &one));
            assert_rows_equal(&is, &want);
            assert_memory_equal(out + (size_t)i * carries, want_out, carries);
            unguard(&packed), unguard(&want);
        }
        assert_gaps_untouched(&table);
        sat_plan_destroy(&plan), sat_plan_destroy(&single);
        unguard(&image), unguard(&table);
        free(in), free(out), free(want_out);
    }
}

/* ---- filters ------------------------------------------------------------------------------------------- */

static void filters_of_batches_are_those_of_each_image(void **state)
{
    (void)state;
    for (int round = 0; round < 400; round++) {
        static const sat_type types[] = {SAT_U8, SAT_U16, SAT_F32};
        static const char *const borders[] = {"shrink", "constant", "replicate", "reflect", "reflect101", "wrap"};
        sat_box_spec spec = {.width = random_in(1, random_in(0, 3) ? 50 : 1500),
                             .height = random_in(1, 40),
                             .channels = (int)random_in(1, 4),
                             .sample = types[random_in(0, 2)],
                             .window_width = random_in(1, 30),
                             .window_height = random_in(1, 30),
                             .border = borders[random_in(0, 5)],
                             .threads = (int)random_in(0, 5),
                             .backend = random_in(0, 3) ? "cpu" : "serial",
                             .count = random_in(1, 9),
                             .strided = random_in(0, 1),
                             .executor = executors[random_in(0, 2)]};
        spec.weighted_alpha = spec.channels % 2 == 0 && random_in(0, 1);
        sat_box *box, *single;
        const int64_t count = random_in(1, spec.count);
        sat_view src = guarded_images(spec.width, spec.height, count, spec.channels, spec.sample,
                                      spec.strided ? some(5) : 0, some(9), some(30));
        sat_view dst = guarded_images(spec.width, spec.height, count, spec.channels, spec.sample, 0, some(9), some(30));
        randomise(&src);
        assert_ok(sat_box_create(&box, &spec));
        assert_ok(sat_box_run(box, &src, &dst, NULL));
        assert_string_equal(sat_box_backend(box), spec.backend);
        sat_box_spec alone = spec;
        alone.count = 0, alone.strided = false, alone.executor = NULL;
        assert_ok(sat_box_create(&single, &alone));
        for (int64_t i = 0; i < count; i++) {
            sat_view packed = packed_image(&src, i), is = sat_view_image(&dst, i);
            sat_view want = guarded(dst.width, dst.height, dst.channels, dst.type, 0);
            assert_ok(sat_box_run(single, &packed, &want, NULL));
            assert_rows_equal(&is, &want);
            unguard(&packed), unguard(&want);
        }
        assert_gaps_untouched(&dst);
        sat_box_destroy(&box), sat_box_destroy(&single);
        unguard(&src), unguard(&dst);
    }
}

static void gaussians_of_batches_are_those_of_each_image(void **state)
{
    (void)state;
    for (int round = 0; round < 300; round++) {
        static const sat_type types[] = {SAT_U8, SAT_U16, SAT_I32, SAT_F32, SAT_F64};
        static const char *const borders[] = {"shrink", "constant", "replicate", "reflect", "reflect101", "wrap"};
        sat_gauss_spec spec = {.width = random_in(1, random_in(0, 3) ? 50 : 1500),
                               .height = random_in(1, 40),
                               .channels = (int)random_in(1, 4),
                               .sample = types[random_in(0, 4)],
                               .sigma = (double)random_in(1, 200) / 10,
                               .border = borders[random_in(0, 5)],
                               .mode = (sat_gauss_mode)random_in(0, 2),
                               .amount = 1.5,
                               .sigma2 = (double)random_in(1, 200) / 10,
                               .threads = (int)random_in(0, 5),
                               .count = random_in(1, 9),
                               .strided = random_in(0, 1),
                               .executor = executors[random_in(0, 2)]};
        spec.weighted_alpha = spec.channels % 2 == 0 && random_in(0, 1);
        if (spec.mode == SAT_GAUSS_DOG) spec.result = random_in(0, 1) ? SAT_F32 : SAT_F64;
        sat_gauss *gauss, *single;
        int64_t all = 0;
        sat_counts counts, each;
        const int64_t count = random_in(1, spec.count);
        const sat_type result = spec.result ? spec.result : spec.sample;
        sat_view src = guarded_images(spec.width, spec.height, count, spec.channels, spec.sample,
                                      spec.strided ? some(5) : 0, some(9), some(30));
        sat_view dst = guarded_images(spec.width, spec.height, count, spec.channels, result, 0, some(9), some(30));
        randomise(&src);
        assert_ok(sat_gauss_create(&gauss, &spec));
        assert_ok(sat_gauss_run(gauss, &src, &dst, NULL));
        assert_ok(sat_gauss_run(gauss, &src, &dst, &(sat_run_options){.counts = &counts})); /* of this run alone */
        assert_string_equal(sat_gauss_backend(gauss), "cpu");
        sat_gauss_spec alone = spec;
        alone.count = 0, alone.strided = false, alone.executor = NULL, alone.threads = 1;
        assert_ok(sat_gauss_create(&single, &alone));
        for (int64_t i = 0; i < count; i++) {
            sat_view packed = packed_image(&src, i), is = sat_view_image(&dst, i);
            sat_view want = guarded(dst.width, dst.height, dst.channels, dst.type, 0);
            assert_ok(sat_gauss_run(single, &packed, &want, &(sat_run_options){.counts = &each}));
            all += each.clipped;
            assert_rows_equal(&is, &want);
            unguard(&packed), unguard(&want);
        }
        assert_int_equal(counts.clipped, all);
        assert_gaps_untouched(&dst);
        sat_gauss_destroy(&gauss), sat_gauss_destroy(&single);
        unguard(&src), unguard(&dst);
    }
}

/* ---- queries ------------------------------------------------------------------------------------------- */

static void rectangles_are_answered_in_every_image(void **state)
{
    (void)state;
    for (int round = 0; round < 60; round++) {
        enum { RECTS = 2500 };
        sat_plan_spec spec = {.width = 40,
                              .height = 30,
                              .channels = (int)random_in(1, 4),
                              .sample = SAT_U8,
                              .layout = (sat_layout)random_in(0, 1),
                              .count = random_in(1, 5)};
        sat_view image = guarded_images(40, 30, spec.count, spec.channels, SAT_U8, 0, 0, 0);
        sat_plan *plan;
        sat_query *query;
        sat_table table;
        randomise(&image);
        assert_ok(sat_table_for(&spec, &table));
        assert_ok(sat_view_alloc(&table.view));
        assert_ok(sat_plan_create(&plan, &spec));
        assert_ok(sat_plan_run(plan, &image, &table.view, NULL));
        sat_query_spec how = {
            .flags = SAT_CLIP, .threads = (int)random_in(0, 4), .executor = executors[random_in(0, 2)]};
        assert_ok(sat_query_create(&query, &table, &how));
        const size_t n = (size_t)random_in(1, RECTS), each = n * (size_t)spec.channels, all = each * (size_t)spec.count;
        sat_rect *rects = calloc(n, sizeof *rects);
        sat_sum *sums = calloc(all, sizeof *sums), *one = calloc(each, sizeof *one);
        double *means = calloc(all, sizeof *means), *mean = calloc(each, sizeof *mean);
        for (size_t i = 0; i < n; i++)
            rects[i] = (sat_rect){random_in(-9, 39), random_in(-9, 29), random_in(1, 50), random_in(1, 50)};
        assert_ok(sat_query_run(query, rects, n, sums, means, NULL));
        for (int64_t k = 0; k < spec.count; k++) {
            sat_table single = table;
            single.view = sat_view_image(&table.view, k);
            assert_ok(sat_table_query(&single, rects, n, SAT_CLIP, 1, one, mean));
            assert_memory_equal(sums + (size_t)k * each, one, each * sizeof *one);
            assert_memory_equal(means + (size_t)k * each, mean, each * sizeof *mean);
        }
        if (n > 3) { /* a bad one is named by its index among the rectangles */
            rects[3].width = 0;
            assert_int_equal(sat_query_run(query, rects, n, sums, means, NULL), SAT_ERR_RECT);
            assert_non_null(strstr(sat_detail(), "rectangle 3 "));
        }
        free(rects), free(sums), free(one), free(means), free(mean);
        sat_query_destroy(&query), sat_plan_destroy(&plan), sat_view_free(&table.view);
        assert_null(table.view.data);
        unguard(&image);
    }
}

/* ---- what is refused, and what is not ------------------------------------------------------------------ */

static void views_that_do_not_fit_are_refused(void **state)
{
    (void)state;
    static uint8_t pixels[4096];
    static uint32_t sums[4096];
    sat_plan *plan;
    sat_plan_spec spec = {.width = 8, .height = 4, .sample = SAT_U8, .accum = SAT_U32, .count = 3};
    spec.layout = SAT_INCLUSIVE;
    assert_ok(sat_plan_create(&plan, &spec));
    const sat_view image = {
        .data = pixels, .row_bytes = 8, .width = 8, .height = 4, .channels = 1, .type = SAT_U8, .count = 3};
    const sat_view table = {
        .data = sums, .row_bytes = 32, .width = 8, .height = 4, .channels = 1, .type = SAT_U32, .count = 3};
    sat_view v;
    assert_ok(sat_plan_run(plan, &image, &table, NULL));
    v = image, v.count = 4, said(sat_plan_run(plan, &v, &table, NULL), SAT_ERR_SHAPE, "4 images");
    v = image, v.count = -1, said(sat_plan_run(plan, &v, &table, NULL), SAT_ERR_SHAPE, "-1 images");
    v = table, v.count = 2, said(sat_plan_run(plan, &image, &v, NULL), SAT_ERR_SHAPE, "2 tables for 3");
    v = table, v.pixel_bytes = 3, said(sat_plan_run(plan, &image, &v, NULL), SAT_ERR_ARGUMENT, "multiples");
    v = table, v.image_bytes = 96, said(sat_plan_run(plan, &image, &v, NULL), SAT_ERR_SHAPE, "96 bytes from image");
    v = table, v.row_bytes = -28, said(sat_plan_run(plan, &image, &v, NULL), SAT_ERR_SHAPE, "-28 bytes from row");
    v = image, v.reserved = 3, said(sat_plan_run(plan, &v, &table, NULL), SAT_ERR_ARGUMENT, "reserved");
    v = image, v.reserved_words[0] = 1, said(sat_plan_run(plan, &v, &table, NULL), SAT_ERR_ARGUMENT, "reserved");
    v = table, v.reserved_words[1] = 1, said(sat_plan_run(plan, &image, &v, NULL), SAT_ERR_ARGUMENT, "reserved");
    v = table, v.image_bytes = 130, said(sat_plan_run(plan, &image, &v, NULL), SAT_ERR_ARGUMENT, "multiples");
    v = table, v.data = (char *)sums + 2, said(sat_plan_run(plan, &image, &v, NULL), SAT_ERR_ARGUMENT, "aligned");
    v = image, v.row_bytes = PTRDIFF_MIN, said(sat_plan_run(plan, &v, &table, NULL), SAT_ERR_SHAPE, "address space");
    v = image, v.row_bytes = -(ptrdiff_t)(uintptr_t)pixels; /* its last row would lie below 0 */
    said(sat_plan_run(plan, &v, &table, NULL), SAT_ERR_SHAPE, "address space");
    v = image, v.image_bytes = 8, v.row_bytes = 24; /* rows of the images in turns, and read that need not be apart */
    assert_ok(sat_plan_run(plan, &v, &table, NULL));
    v = image, v.row_bytes = 1; /* each row is the one above, a pixel further on */
    assert_ok(sat_plan_run(plan, &v, &table, NULL));
    v = table, v.image_bytes = 40, v.row_bytes = 112; /* tiles with gutters, none behind the last */
    assert_ok(sat_plan_run(plan, &image, &v, NULL));
    v = table, v.image_bytes = 32, v.row_bytes = 96;
    assert_ok(sat_plan_run(plan, &image, &v, NULL));
    sat_plan_destroy(&plan);
    spec.count = -1, said(sat_plan_create(&plan, &spec), SAT_ERR_SHAPE, "-1 images");
    spec.count = (int64_t)1 << 40, spec.height = (int64_t)1 << 30;
    said(sat_plan_create(&plan, &spec), SAT_ERR_SHAPE, "address space");
    spec = (sat_plan_spec){.width = 8, .height = 4, .sample = SAT_U8, .accum = SAT_U32, .backend = "cpu-copy"};
    spec.layout = SAT_INCLUSIVE;
    assert_ok(sat_plan_create(&plan, &spec));
    sat_view one = sat_view_image(&image, 0), result = sat_view_image(&table, 0);
    assert_ok(sat_plan_run(plan, &one, &result, NULL));
    one.data = pixels + 7, one.pixel_bytes = -1;
    said(sat_plan_run(plan, &one, &result, NULL), SAT_ERR_UNAVAILABLE, "gaps");
    sat_plan_destroy(&plan);
    const sat_executor none = {0};
    spec.backend = NULL, spec.executor = &none, said(sat_plan_create(&plan, &spec), SAT_ERR_ARGUMENT, "executor");
    spec.executor = NULL;
    spec.backend = NULL, spec.reserved[3] = true, said(sat_plan_create(&plan, &spec), SAT_ERR_ARGUMENT, "reserved");
}

static void a_failure_names_its_image(void **state)
{
    (void)state;
    sat_plan_spec spec = {.width = 5, .height = 5, .sample = SAT_F32, .accum = SAT_Q32, .count = 6, .threads = 3};
    spec.layout = SAT_INCLUSIVE;
    assert_ok(sat_quant_for(-100, 100, 25, &spec.quant));
    sat_view image = guarded_images(5, 5, 6, 1, SAT_F32, 0, 0, 0);
    sat_view table = guarded_images(5, 5, 6, 1, SAT_Q32, 0, 0, 0), bad = sat_view_image(&image, 4);
    sat_plan *plan;
    randomise(&image);
    *(float *)entry_at(&bad, 2, 2, 0) = 1000;
    assert_ok(sat_plan_create(&plan, &spec));
    said(sat_plan_run(plan, &image, &table, NULL), SAT_ERR_RANGE, "image 4: ");
    sat_plan_destroy(&plan);
    unguard(&image), unguard(&table);
}

/* Regions of one larger image, channels of one pixel, images in turns: they share no byte. */
static void regions_of_one_image_do_not_overlap(void **state)
{
    (void)state;
    static uint8_t memory[64 * 64 * 4];
    const sat_box_spec spec = {
        .width = 32, .height = 64, .sample = SAT_U8, .window_width = 3, .window_height = 3, .count = 2};
    sat_box *box;
    assert_ok(sat_box_create(&box, &spec));
    const sat_view left = {.data = memory, .row_bytes = 64, .width = 32, .height = 64, .channels = 1, .type = SAT_U8};
    sat_view right = left, other;
    right.data = memory + 32;
    assert_ok(sat_box_run(box, &left, &right, NULL));
    assert_ok(sat_box_run(box, &right, &left, NULL));
    right.data = memory + 31;
    said(sat_box_run(box, &left, &right, NULL), SAT_ERR_ARGUMENT, "overlap");
    right.data = memory + 64 * 64 - 1; /* the last byte of the left half's row and the first of the right's */
    assert_ok(sat_box_run(box, &left, &right, NULL));
    other = left, other.pixel_bytes = 2, other.row_bytes = 128; /* every other pixel, and the ones between */
    right = left, right.data = memory + 1;
    said(sat_box_run(box, &other, &right, NULL), SAT_ERR_ARGUMENT, "overlap");
    other.data = memory, right = left, right.data = memory + 64, right.row_bytes = 128;
    assert_ok(sat_box_run(box, &other, &right, NULL));
    other = left, other.count = 2, other.row_bytes = 32, other.image_bytes = 4096; /* source and result in turns */
    right = other, right.data = memory + 2048;
    assert_ok(sat_box_run(box, &other, &right, NULL));
    right.data = memory + 2047, said(sat_box_run(box, &other, &right, NULL), SAT_ERR_ARGUMENT, "overlap");
    /* Two tiles of a row into the two beside them, and every other tile into those between. */
    sat_view tiles = {.data = memory, .row_bytes = 128, .width = 32, .height = 64, .channels = 1, .type = SAT_U8};
    tiles.count = 2, tiles.image_bytes = 32;
    other = tiles, other.data = memory + 64;
    assert_ok(sat_box_run(box, &tiles, &other, NULL));
    tiles.image_bytes = 64, other = tiles, other.data = memory + 32;
    assert_ok(sat_box_run(box, &tiles, &other, NULL));
    /* A half in reverse into the other; a transposed half into the other; the even columns into the odd ones. */
    right = left, right.data = memory + 63, right.pixel_bytes = -1;
    assert_ok(sat_box_run(box, &left, &right, NULL));
    other = left, other.pixel_bytes = 64, other.row_bytes = 1;
    right = other, right.data = memory + 32 * 64;
    assert_ok(sat_box_run(box, &other, &right, NULL));
    right.data = memory + 32 * 64 - 1, said(sat_box_run(box, &other, &right, NULL), SAT_ERR_ARGUMENT, "overlap");
    other = left, other.pixel_bytes = 2, right = other, right.data = memory + 1;
    assert_ok(sat_box_run(box, &other, &right, NULL));
    right.data = memory + 63, right.pixel_bytes = -2;
    assert_ok(sat_box_run(box, &other, &right, NULL));
    right.data = memory + 62, said(sat_box_run(box, &other, &right, NULL), SAT_ERR_ARGUMENT, "overlap");
    sat_box_destroy(&box);
    const sat_box_spec huge = {.width = 1,
                               .height = (int64_t)1 << 32,
                               .count = (int64_t)1 << 32,
                               .sample = SAT_U8,
                               .window_width = 3,
                               .window_height = 3,
                               .threads = 1};
    said(sat_box_create(&box, &huge), SAT_ERR_SHAPE, "address space");
}

/* Strides that change places, and signs. */
static void stir(sat_view *v)
{
    ptrdiff_t *const bytes[] = {&v->channel_bytes, &v->pixel_bytes, &v->row_bytes, &v->image_bytes};
    const int64_t n[] = {v->channels, v->width, v->height, v->count};
    if (random_in(0, 2) == 0) {
        ptrdiff_t *const a = bytes[random_in(0, 3)], *const b = bytes[random_in(0, 3)], kept = *a;
        *a = *b, *b = kept;
    }
    for (int i = 0; i < 4; i++) {
        if (random_in(0, 3)) continue;
        v->data = (char *)v->data + (n[i] - 1) * *bytes[i];
        *bytes[i] = -*bytes[i];
    }
}

/* Against the sets of their bytes: what shares one is never taken for apart. */
static void overlaps_are_found(void **state)
{
    (void)state;
    enum { BYTES = 4096 };
    static const sat_type types[] = {SAT_U8, SAT_U16, SAT_U32};
    static uint8_t memory[BYTES], marks[BYTES];
    int apart = 0, together = 0;
    for (int round = 0; round < 60000; round++) {
        sat_view v[2];
        for (int i = 0; i < 2; i++) {
            const sat_type type = types[random_in(0, 2)];
            const size_t size = sat_type_bytes(type);
            v[i] = (sat_view){.data = memory + size * (size_t)random_in(0, 60), .type = type};
            v[i].width = random_in(1, 4), v[i].height = random_in(1, 4), v[i].count = random_in(1, 3);
            v[i].channels = (int)random_in(1, 2);
            v[i].pixel_bytes = (ptrdiff_t)(((size_t)v[i].channels + (i ? 0 : some(3))) * size);
            v[i].row_bytes = v[i].width * v[i].pixel_bytes + (ptrdiff_t)(some(30) * size);
            v[i].image_bytes = random_in(0, 1) ? v[i].height * v[i].row_bytes : (ptrdiff_t)size * random_in(1, 40);
            v[i].channel_bytes = (ptrdiff_t)size;
        }
        if (random_in(0, 1) && v[0].row_bytes % (ptrdiff_t)sat_type_bytes(v[1].type) == 0 &&
            v[0].row_bytes >= v[1].width * v[1].pixel_bytes)
            v[1].row_bytes = v[0].row_bytes;
        for (int i = 0; i < 2; i++) stir(&v[i]);
        bool shared = false;
        memset(marks, 0, sizeof marks);
        for (int i = 0; i < 2; i++)
            for (int64_t k = 0; k < v[i].count * v[i].height * v[i].width; k++) {
                const sat_view image = sat_view_image(&v[i], k / v[i].width / v[i].height);
                const size_t size = sat_type_bytes(v[i].type);
                for (size_t b = 0; b < (size_t)v[i].channels * size; b++) {
                    const uint8_t *at = entry_at(&image, k % v[i].width, k / v[i].width % v[i].height, (int)(b / size));
                    uint8_t *mark = &marks[at + b % size - memory];
                    if (i && *mark) shared = true;
                    if (!i) *mark = 1;
                }
            }
        if (!sat_overlap(&v[0], &v[1])) {
            apart++;
            assert_false(shared);
        } else {
            together += shared;
        }
        assert_int_equal(sat_overlap(&v[0], &v[1]), sat_overlap(&v[1], &v[0]));
    }
    assert_true(apart > 5000 && together > 5000);
}

static void views_are_allocated_as_they_are_described(void **state)
{
    (void)state;
    sat_view v = {.width = 5, .height = 3, .channels = 2, .type = SAT_U16, .count = 4};
    assert_ok(sat_view_alloc(&v));
    assert_int_equal(v.row_bytes, 20), assert_int_equal(v.image_bytes, 60), assert_int_equal((uintptr_t)v.data % 64, 0);
    memset(v.data, 1, 240);
    sat_view last = sat_view_image(&v, 3);
    assert_ptr_equal(last.data, (char *)v.data + 180), assert_int_equal(last.count, 1);
    assert_null(sat_view_image(&v, 4).data), assert_null(sat_view_image(&v, -1).data);
    assert_null(sat_view_image(NULL, 0).data);
    sat_view_free(&v), sat_view_free(&v), sat_view_free(NULL);
    v = (sat_view){.width = 5, .height = 3, .channels = 3, .type = SAT_U8, .pixel_bytes = 4};
    assert_ok(sat_view_alloc(&v));
    assert_int_equal(v.row_bytes, 20), assert_int_equal(v.image_bytes, 60);
    sat_view_free(&v);
    /* In reverse, and as planes: the lowest byte is aligned. */
    v = (sat_view){.width = 5, .height = 3, .channels = 2, .type = SAT_U16, .pixel_bytes = -2, .channel_bytes = -30};
    assert_ok(sat_view_alloc(&v));
    assert_int_equal(v.row_bytes, 10);
    char *const lowest = (char *)v.data - 30 - 8;
    assert_int_equal((uintptr_t)lowest % 64, 0);
    memset(lowest, 1, 60);
    sat_view_free(&v);
    v = (sat_view){.width = 5, .height = 3, .channels = 2, .type = SAT_U16, .row_bytes = 18};
    said(sat_view_alloc(&v), SAT_ERR_SHAPE, "18 bytes from row to row"), assert_null(v.data);
    v.row_bytes = 0, v.height = (int64_t)1 << 40, v.width = (int64_t)1 << 30;
    said(sat_view_alloc(&v), SAT_ERR_SHAPE, "address space");
    v.height = 0, said(sat_view_alloc(&v), SAT_ERR_SHAPE, "sides");
    said(sat_view_alloc(NULL), SAT_ERR_ARGUMENT, "no view");
    sat_plan_spec spec = {.width = 7, .height = 5, .channels = 3, .sample = SAT_U8, .count = 2};
    sat_table t;
    assert_ok(sat_table_for(&spec, &t));
    assert_null(t.view.data);
    assert_int_equal(t.view.width, 8), assert_int_equal(t.view.height, 6), assert_int_equal(t.view.type, SAT_U32);
    assert_int_equal(t.view.row_bytes, 96), assert_int_equal(t.view.image_bytes, 576),
        assert_int_equal(t.sample, SAT_U8);
    spec.sample = SAT_U64, said(sat_table_for(&spec, &t), SAT_ERR_TYPE, "u64");
    said(sat_table_for(&spec, NULL), SAT_ERR_ARGUMENT, "table is NULL");
}

int main(void)
{
    cmocka_set_message_output(CM_OUTPUT_TAP);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tables_of_batches_are_those_of_each_image),
        cmocka_unit_test(filters_of_batches_are_those_of_each_image),
        cmocka_unit_test(gaussians_of_batches_are_those_of_each_image),
        cmocka_unit_test(rectangles_are_answered_in_every_image),
        cmocka_unit_test(views_that_do_not_fit_are_refused),
        cmocka_unit_test(a_failure_names_its_image),
        cmocka_unit_test(regions_of_one_image_do_not_overlap),
        cmocka_unit_test(overlaps_are_found),
        cmocka_unit_test(views_are_allocated_as_they_are_described),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
