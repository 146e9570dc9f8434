/* Tables of every backend, instruction set, type, layout, channel count and awkward shape are the sums that
 * they should be, bit for bit; bands joined by carry rows are the whole. */

#include "arrays.h"
#include "emulated.h"
#include "sat_lab.h"

static const sat_type samples[] = {SAT_U8, SAT_U16, SAT_U32, SAT_I8, SAT_I16, SAT_I32, SAT_F32, SAT_F64};
static const sat_type accums[] = {SAT_U32, SAT_U64, SAT_I32, SAT_I64, SAT_F32, SAT_F64, SAT_Q32};
static const sat_quant eighths = {.offset = -128, .step = 0.125, .largest = 2048};

/* 384 samples are a chunk and 2048 (u32) or 1024 (u64) a block of the cpu backend, 32 rows a band; rows of up to 512
 * bytes of sums are made in stages of 8 KiB. */
static const int64_t shapes[][2] = {{1, 1},     {1, 67},    {67, 1},   {16, 16},  {17, 31},
                                    {127, 33},  {383, 5},   {384, 3},  {385, 65}, {2048, 2},
                                    {2049, 34}, {1023, 32}, {1, 2050}, {37, 131}, {128, 70}};
enum { SHAPES = sizeof shapes / sizeof *shapes, MOST_ADDITIONS = 2049 + 34 };

/* Modulo 2^64, or exact in double: all sums of these arrays are multiples of 1/8 below 2^50.  The size is the sum of
 * the magnitudes. */
typedef struct expected {
    uint64_t u;
    double f, size;
} expected;

static expected *sums_of(const sat_view *image, sat_type accum)
{
    size_t row = (size_t)image->width * (size_t)image->channels, n = row * (size_t)image->height;
    expected *e = calloc(n, sizeof *e);
    assert_non_null(e);
    for (int64_t y = 0; y < image->height; y++)
        for (int64_t x = 0; x < image->width; x++)
            for (int c = 0; c < image->channels; c++) {
                size_t i = (size_t)y * row + (size_t)(x * image->channels + c), left = i - (size_t)image->channels;
                double value = value_at(image, x, y, c);
                if (accum == SAT_Q32) value = (value - eighths.offset) / eighths.step;
                e[i].f = value;
                e[i].size = fabs(value);
                e[i].u = accum == SAT_F32 || accum == SAT_F64 ? 0 : (uint64_t)(int64_t)value;
                if (x > 0) e[i].f += e[left].f, e[i].u += e[left].u, e[i].size += e[left].size;
                if (y > 0) e[i].f += e[i - row].f, e[i].u += e[i - row].u, e[i].size += e[i - row].size;
                if (x > 0 && y > 0)
                    e[i].f -= e[left - row].f, e[i].u -= e[left - row].u, e[i].size -= e[left - row].size;
            }
    return e;
}

/* What the table should hold at (x, y): `before` is how many rows and columns its zeros take. */
static expected should_be(const expected *e, const sat_view *image, int64_t before, int64_t x, int64_t y, int c)
{
    if (x < before || y < before) return (expected){0, 0, 0};
    return e[((y - before) * image->width + x - before) * image->channels + c];
}

static bool same(const sat_view *table, int64_t x, int64_t y, int c, expected want)
{
    const void *p = entry_at(table, x, y, c);
    switch (table->type) {
    case SAT_U32:
    case SAT_I32:
    case SAT_Q32: return *(const uint32_t *)p == (uint32_t)want.u;
    case SAT_U64:
    case SAT_I64: return *(const uint64_t *)p == want.u;
    case SAT_F64: return *(const double *)p == want.f;
    default: return fabs((double)*(const float *)p - want.f) <= 2 * 0x1p-24 * MOST_ADDITIONS * want.size; /* sat.h */
    }
}

static void check_table(const char *backend, sat_plan_spec spec, const sat_view *image, const expected *e)
{
    sat_plan *plan;
    spec.backend = backend;
    sat_status status = sat_plan_create(&plan, &spec);
    if (status == SAT_ERR_UNAVAILABLE) return; /* this machine lacks the instruction set */
    assert_ok(status);
    int64_t padded = spec.layout == SAT_PADDED, before = spec.layout != SAT_INCLUSIVE;
    sat_view table =
        guarded(spec.width + padded, spec.height + padded, spec.channels, spec.accum, (size_t)(random64() % 3) * 8);
    for (int again = 0; again < 2; again++) assert_ok(sat_plan_run(plan, image, &table, NULL));
    for (int64_t y = 0; y < table.height; y++)
        for (int64_t x = 0; x < table.width; x++)
            for (int c = 0; c < spec.channels; c++)
                if (!same(&table, x, y, c, should_be(e, image, before, x, y, c)))
                    fail_msg("%s, %s to %s, %lldx%lldx%d %s: wrong at (%lld, %lld)", sat_plan_note(plan),
                             sat_type_name(spec.sample), sat_type_name(spec.accum), (long long)spec.width,
                             (long long)spec.height, spec.channels, sat_layout_name(spec.layout), (long long)x,
                             (long long)y);
    unguard(&table);
    sat_plan_destroy(&plan);
}

/* The same table in bands of random heights, each with its own view. */
static void check_bands(const char *backend, sat_plan_spec spec, const sat_view *image, const expected *e)
{
    sat_plan *plan;
    spec.backend = backend;
    sat_status status = sat_plan_create(&plan, &spec);
    if (status == SAT_ERR_UNAVAILABLE) return;
    assert_ok(status);
    sat_view carry = guarded(spec.width, 1, spec.channels, spec.accum, 0);
    int64_t padded = spec.layout == SAT_PADDED, before = spec.layout != SAT_INCLUSIVE;
    for (int64_t y = 0, rows; y < spec.height; y += rows) {
        rows = random_in(1, spec.height - y);
        int64_t zero_row = padded && y == 0;
        sat_view band = *image, table = guarded(spec.width + padded, rows + zero_row, spec.channels, spec.accum, 8);
        band.data = entry_at(image, 0, y, 0);
        band.height = rows;
        sat_run_options run = {.carry_in = y > 0 ? carry.data : NULL, .carry_out = carry.data, .continues = y > 0};
        assert_ok(sat_plan_run(plan, &band, &table, &run));
        int64_t first = padded && y > 0 ? y + 1 : y; /* the whole table's row for the band's first */
        for (int64_t r = 0; r < table.height; r++)
            for (int64_t x = 0; x < table.width; x++)
                for (int c = 0; c < spec.channels; c++)
                    assert_true(same(&table, x, r, c, should_be(e, image, before, x, first + r, c)));
        unguard(&table);
    }
    unguard(&carry);
    sat_plan_destroy(&plan);
}

/* As sat_plan_spec says. */
static bool is_summed(sat_type sample, sat_type accum)
{
    switch (sample) {
    case SAT_F32: return accum == SAT_F32 || accum == SAT_F64 || accum == SAT_Q32;
    case SAT_F64: return accum == SAT_F64 || accum == SAT_Q32;
    case SAT_U8:
    case SAT_U16: return accum != SAT_Q32;
    case SAT_U32: return accum != SAT_Q32 && accum != SAT_I32;
    default: return accum == SAT_I32 || accum == SAT_I64 || accum == SAT_F32 || accum == SAT_F64;
    }
}

static void every_combination(const char *backend)
{
    for (size_t s = 0; s < sizeof samples / sizeof *samples; s++)
        for (int shape = 0; shape < SHAPES; shape++) {
            int channels = (int)random_in(1, 4);
            sat_view image = guarded(shapes[shape][0], shapes[shape][1], channels, samples[s], 8 * (random64() % 2));
            randomise(&image);
            for (size_t a = 0; a < sizeof accums / sizeof *accums; a++) {
                if (!is_summed(samples[s], accums[a])) continue;
                expected *e = sums_of(&image, accums[a]);
                for (int layout = SAT_PADDED; layout <= SAT_EXCLUSIVE; layout++) {
                    sat_plan_spec spec = {.width = image.width,
                                          .height = image.height,
                                          .channels = channels,
                                          .sample = samples[s],
                                          .accum = accums[a],
                                          .layout = (sat_layout)layout,
                                          .quant = eighths,
                                          .threads = (int)random_in(1, 3)};
                    check_table(backend, spec, &image, e);
                    check_bands(backend, spec, &image, e);
                }
                free(e);
            }
            unguard(&image);
        }
}

static void every_backend_on_every_instruction_set(void **state)
{
    sat_lab_backend_info info;
    (void)state;
    if (emulated_as("max")) skip(); /* QEMU reads 16 bytes for the 8 of vcvtdq2pd, beyond an array's last page */
    for (int i = 0; i < ISAS; i++) {
        if (!force_isa(isas[i])) continue;
        for (int past_the_caches = 0; past_the_caches < 2; past_the_caches++) {
            setenv("SAT_STREAM", past_the_caches ? "always" : "never", 1);
            for (size_t b = 0; sat_lab_backend_at(b, &info); b++) {
                bool again = info.kind == SAT_REFERENCE && (i > 0 || past_the_caches); /* it knows neither */
                if (info.kind < SAT_CEILING && !again) every_combination(info.name);
            }
        }
    }
}

/* Many blocks, bands and threads, and most machines' choice of writing past the caches. */
static void a_large_table(void **state)
{
    (void)state;
    sat_view image = guarded(4099, 5003, 1, SAT_U8, 0);
    randomise(&image);
    expected *e = sums_of(&image, SAT_U32);
    for (int i = 0; i < ISAS; i++) {
        if (!force_isa(isas[i])) continue;
        for (int layout = SAT_PADDED; layout <= SAT_EXCLUSIVE; layout++) {
            sat_plan_spec spec = {.width = image.width,
                                  .height = image.height,
                                  .channels = 1,
                                  .sample = SAT_U8,
                                  .accum = SAT_U32,
                                  .layout = (sat_layout)layout,
                                  .threads = 2};
            check_table(NULL, spec, &image, e);
        }
    }
    free(e);
    unguard(&image);
}

/* Samples whose sums depend on the order of additions: the order does not depend on the threads. */
static void float_sums_do_not_depend_on_threads(void **state)
{
    static const float magnitudes[] = {1e30f, -1e30f, 1e10f, 1, 2, 3};
    enum { W = 1500, H = 70 };
    (void)state;
    sat_view image = guarded(W, H, 1, SAT_F32, 0);
    for (int64_t i = 0; i < W * H; i++) ((float *)image.data)[i] = magnitudes[random64() % 6];
    for (int type = SAT_F32; type <= SAT_F64; type++) {
        sat_view one = guarded(W + 1, H + 1, 1, (sat_type)type, 0), many = guarded(W + 1, H + 1, 1, (sat_type)type, 0);
        for (int threads = 1; threads <= 9; threads++) {
            sat_plan_spec spec = {
                .width = W, .height = H, .sample = SAT_F32, .accum = (sat_type)type, .threads = threads};
            sat_plan *plan;
            assert_ok(sat_plan_create(&plan, &spec));
            assert_ok(sat_plan_run(plan, &image, threads == 1 ? &one : &many, NULL));
            if (threads > 1) assert_memory_equal(one.data, many.data, (size_t)one.row_bytes * (H + 1));
            sat_plan_destroy(&plan);
        }
        unguard(&one);
        unguard(&many);
    }
    unguard(&image);
}

static int threads_in(const char *note)
{
    const char *comma = strstr(note, " thread");
    while (comma > note && comma[-1] != ' ') comma--;
    return atoi(comma ? comma : "-1");
}

/* Where no number is given, small work takes one thread, large work all cores; else as many as are given, but in a
 * table no more than there are blocks of 1 KiB of sums in a row. */
static void threads_are_as_many_as_are_worth_it(void **state)
{
    static const struct {
        int64_t side;
        int threads, most, blocks;
    } cases[] = {{64, 0, 1, 1},    {500, 0, 1, 1},  {16384, 0, 1024, 64}, {64, 3, 3, 1},
                 {512, 16, 16, 2}, {1024, 3, 3, 4}, {16384, 3, 3, 64},    {2, 3, 2, 1}};
    (void)state;
    int cores = sat_processors();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        int64_t side = cases[i].side;
        int threads = cases[i].threads, want = threads ? cases[i].most : cases[i].most < cores ? cases[i].most : cores;
        sat_plan_spec spec = {.width = side, .height = side, .sample = SAT_U8, .accum = SAT_U32, .threads = threads};
        sat_plan *plan;
        assert_ok(sat_plan_create(&plan, &spec));
        assert_int_equal(threads_in(sat_plan_note(plan)), want < cases[i].blocks ? want : cases[i].blocks);
        sat_plan_destroy(&plan);
        sat_box_spec filter = {.width = side / 2,
                               .height = side,
                               .sample = SAT_U8,
                               .window_width = 3,
                               .window_height = 3,
                               .threads = threads};
        sat_box *box;
        assert_ok(sat_box_create(&box, &filter));
        assert_int_equal(threads_in(sat_box_note(box)), want);
        sat_box_destroy(&box);
    }
}

int main(void)
{
    cmocka_set_message_output(CM_OUTPUT_TAP);
    const struct CMUnitTest tests[] = {
        test_with_settings(every_backend_on_every_instruction_set),
        test_with_settings(a_large_table),
        cmocka_unit_test(float_sums_do_not_depend_on_threads),
        cmocka_unit_test(threads_are_as_many_as_are_worth_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
