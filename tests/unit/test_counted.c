/* Tables of what counts: sums, squares and counts of images some of whose samples do not count, by masks and values for
 * no data, are those of the definition, in every layout, in bands, on any number of threads; and rectangles asked of
 * the three are answered of what counts. */
#include "arrays.h"
#include "sat_query.h"

static const sat_type samples[] = {SAT_U8, SAT_U16, SAT_U32, SAT_I8, SAT_I16, SAT_I32, SAT_F32, SAT_F64};
static const sat_type accums[] = {SAT_TYPE_NONE, SAT_U32, SAT_U64, SAT_I32, SAT_I64, SAT_F32, SAT_F64};
enum { SAMPLES = sizeof samples / sizeof *samples, ACCUMS = sizeof accums / sizeof *accums };
static const int powers[] = {1, 2, SAT_COUNTS};

/* An image with holes, and what says which they are. */
typedef struct raster {
    sat_view image, mask; /* of some images */
    bool masked;
    sat_plan_spec spec; /* skip_nan, has_nodata, nodata */
} raster;

static bool is_real(sat_type type)
{
    return type == SAT_F32 || type == SAT_F64;
}

static void put(const sat_view *v, int64_t x, int64_t y, int c, double value)
{
    void *p = entry_at(v, x, y, c);
    if (v->type == SAT_F32)
        *(float *)p = (float)value;
    else if (v->type == SAT_F64)
        *(double *)p = value;
    else /* two's complement, little-endian */
        memcpy(p, &(int64_t){(int64_t)value}, sat_type_bytes(v->type));
}

/* Small integers, the value for no data among them; of floats, one in eight is NaN. */
static raster make(int64_t width, int64_t height, int64_t count, int channels, sat_type type, bool masked, bool nan,
                   bool value)
{
    raster r = {.masked = masked, .spec = {.has_nodata = value, .skip_nan = nan}};
    const bool is_signed = type == SAT_I8 || type == SAT_I16 || type == SAT_I32 || is_real(type);
    r.spec.nodata = value ? (double)random_in(is_signed ? -5 : 0, 5) : 0;
    r.image = guarded_images(width, height, count, channels, type, random64() % 2, random64() % 3, 1);
    r.mask = guarded_images(width, height, count, 1, SAT_U8, random64() % 2, random64() % 3, 1);
    for (int64_t i = 0; i < count; i++) {
        const sat_view image = sat_view_image(&r.image, i), mask = sat_view_image(&r.mask, i);
        for (int64_t y = 0; y < height; y++)
            for (int64_t x = 0; x < width; x++) {
                put(&mask, x, y, 0, random64() % 3 == 0 ? 0 : (double)random_in(1, 255));
                for (int c = 0; c < channels; c++)
                    put(&image, x, y, c,
                        is_real(type) && nan && random64() % 8 == 0 ? (double)NAN
                                                                    : (double)random_in(is_signed ? -5 : 0, 5));
            }
    }
    return r;
}

static void drop(raster *r)
{
    unguard(&r->image);
    unguard(&r->mask);
}

static bool counts(const raster *r, int64_t i, int64_t x, int64_t y, int c)
{
    const sat_view image = sat_view_image(&r->image, i), mask = sat_view_image(&r->mask, i);
    const double value = value_at(&image, x, y, c);
    if (r->masked && value_at(&mask, x, y, 0) == 0) return false;
    if (r->spec.skip_nan && isnan(value)) return false;
    return !(r->spec.has_nodata && value == r->spec.nodata);
}

/* What a sample adds to a table of that power. */
static int64_t adds(const raster *r, int power, int64_t i, int64_t x, int64_t y, int c)
{
    if (!counts(r, i, x, y, c)) return 0;
    const sat_view image = sat_view_image(&r->image, i);
    const int64_t value = (int64_t)value_at(&image, x, y, c);
    return power == SAT_COUNTS ? 1 : power == 2 ? value * value : value;
}

/* The sums of all samples up to each, inclusive. */
static int64_t *totals(const raster *r, int power, int64_t i)
{
    const int64_t width = r->image.width, height = r->image.height, channels = r->image.channels;
    int64_t *t = calloc((size_t)(width * height * channels), sizeof *t);
    assert_non_null(t);
    for (int64_t y = 0; y < height; y++)
        for (int64_t k = 0; k < width * channels; k++) {
            const int64_t at = y * width * channels + k;
            t[at] = adds(r, power, i, k / channels, y, (int)(k % channels));
            if (k >= channels) t[at] += t[at - channels];
            if (y > 0) t[at] += t[at - width * channels];
            if (k >= channels && y > 0) t[at] -= t[at - width * channels - channels];
        }
    return t;
}

static bool is_total(const sat_view *table, int64_t x, int64_t y, int c, int64_t want)
{
    const void *p = entry_at(table, x, y, c);
    switch (table->type) {
    case SAT_U32:
    case SAT_I32: return *(const uint32_t *)p == (uint32_t)want;
    case SAT_U64:
    case SAT_I64: return *(const int64_t *)p == want;
    case SAT_F32: return *(const float *)p == (float)want;
    default: return *(const double *)p == (double)want;
    }
}

/* Rows [first, first + table.height) of the whole table of image i. */
static void check_rows(const raster *r, const sat_view *table, sat_layout layout, int power, int64_t i, int64_t first)
{
    const int64_t width = r->image.width, channels = r->image.channels, before = layout != SAT_INCLUSIVE;
    int64_t *want = totals(r, power, i);
    const sat_view one = sat_view_image(table, i);
    for (int64_t y = first; y < first + table->height; y++)
        for (int64_t x = 0; x < table->width; x++)
            for (int c = 0; c < channels; c++) {
                const bool zero = x < before || y < before;
                const int64_t total = zero ? 0 : want[((y - before) * width + x - before) * channels + c];
                if (!is_total(&one, x, y - first, c, total))
                    fail_msg("%s to %s, power %d, %s: wrong at (%lld, %lld, %d) of image %lld",
                             sat_type_name(r->image.type), sat_type_name(table->type), power, sat_layout_name(layout),
                             (long long)x, (long long)y, c, (long long)i);
            }
    free(want);
}

static sat_plan_spec spec_of(const raster *r, sat_type accum, sat_layout layout, int power, int threads)
{
    sat_plan_spec s = r->spec;
    s.width = r->image.width, s.height = r->image.height, s.count = r->image.count;
    s.channels = r->image.channels, s.sample = r->image.type, s.masked = r->masked;
    s.accum = accum, s.layout = layout, s.power = power, s.threads = threads;
    return s;
}

/* The whole, twice; and one image in bands of random heights.  What does not go together is refused. */
static void check_tables(const raster *r, sat_type accum, sat_layout layout, int power, int threads)
{
    sat_plan_spec spec = spec_of(r, accum, layout, power, threads);
    if (random64() % 4 == 0) spec.backend = "serial";
    const int64_t padded = layout == SAT_PADDED;
    sat_plan *plan;
    sat_status status = sat_plan_create(&plan, &spec);
    if (status == SAT_ERR_TYPE) return;
    assert_ok(status);
    sat_view table = guarded_images(spec.width + padded, spec.height + padded, spec.count, spec.channels,
                                    sat_plan_accum(plan), random64() % 2, 0, 3);
    const sat_run_options run = {.mask = r->masked ? &r->mask : NULL};
    for (int again = 0; again < 2; again++) assert_ok(sat_plan_run(plan, &r->image, &table, &run));
    for (int64_t i = 0; i < spec.count; i++) check_rows(r, &table, layout, power, i, 0);
    unguard(&table);

    sat_view carry = guarded(spec.width, 1, spec.channels, sat_plan_accum(plan), 0);
    for (int64_t y = 0, rows; y < spec.height; y += rows) {
        rows = random_in(1, spec.height - y);
        sat_view image = sat_view_image(&r->image, 0), mask = sat_view_image(&r->mask, 0);
        image.data = entry_at(&image, 0, y, 0), mask.data = entry_at(&mask, 0, y, 0);
        image.height = mask.height = rows;
        table = guarded(spec.width + padded, rows + (padded && y == 0), spec.channels, sat_plan_accum(plan), 8);
        const sat_run_options part = {.carry_in = y > 0 ? carry.data : NULL,
                                      .carry_out = carry.data,
                                      .continues = y > 0,
                                      .mask = r->masked ? &mask : NULL};
        assert_ok(sat_plan_run(plan, &image, &table, &part));
        table.count = 1;
        check_rows(r, &table, layout, power, 0, padded && y > 0 ? y + 1 : y);
        unguard(&table);
    }
    unguard(&carry);
    sat_plan_destroy(&plan);
}

static void tables_sum_what_counts(void **state)
{
    (void)state;
    for (int k = 0; k < 600; k++) {
        const sat_type type = samples[k % SAMPLES];
        raster r = make(random_in(1, 40), random_in(1, 30), random_in(1, 3), (int)random_in(1, 4), type, k >> 3 & 1,
                        (k >> 4 & 1) && is_real(type), k >> 5 & 1);
        check_tables(&r, accums[random64() % ACCUMS], (sat_layout)(random64() % 3), powers[random64() % 3],
                     (int)random_in(0, 3));
        drop(&r);
    }
}

/* More rows than a band holds for each thread. */
static void bands_are_joined(void **state)
{
    (void)state;
    raster bytes = make(1300, 1700, 1, 1, SAT_U8, true, false, true);
    check_tables(&bytes, SAT_TYPE_NONE, SAT_PADDED, 1, 1);
    check_tables(&bytes, SAT_U64, SAT_EXCLUSIVE, SAT_COUNTS, 2);
    drop(&bytes);
    raster reals = make(170, 801, 2, 2, SAT_F64, false, true, true);
    check_tables(&reals, SAT_F64, SAT_INCLUSIVE, 1, 1);
    check_tables(&reals, SAT_TYPE_NONE, SAT_PADDED, SAT_COUNTS, 3);
    check_tables(&reals, SAT_F64, SAT_EXCLUSIVE, 2, 2);
    drop(&reals);
}

/* Floats of any size: a mask of ones changes no bit. */
static void a_mask_of_ones_changes_nothing(void **state)
{
    (void)state;
    sat_view image = guarded(700, 900, 1, SAT_F32, 0), mask = guarded(700, 900, 1, SAT_U8, 0);
    for (int64_t y = 0; y < 900; y++)
        for (int64_t x = 0; x < 700; x++) {
            *(float *)entry_at(&image, x, y, 0) = ldexpf((float)random_in(-999, 999), (int)random_in(-20, 20));
            *(uint8_t *)entry_at(&mask, x, y, 0) = (uint8_t)random_in(1, 255);
        }
    for (int power = 1; power <= 2; power++) {
        const sat_plan_spec spec = {.power = power, .threads = power};
        sat_table plain, masked;
        assert_ok(sat_table_of(&image, &spec, &plain));
        assert_ok(sat_tables_of(&image, &spec, &(sat_run_options){.mask = &mask}, power == 1 ? &masked : NULL,
                                power == 2 ? &masked : NULL, NULL));
        assert_memory_equal(plain.view.data, masked.view.data, (size_t)(901 * plain.view.row_bytes));
        sat_view_free(&plain.view);
        sat_view_free(&masked.view);
    }
    unguard(&image);
    unguard(&mask);
}

/* ---- rectangles -------------------------------------------------------------------------------------------- */

__extension__ typedef __int128 wide;

static bool near(double is, long double want)
{
    return isnan(want) ? isnan(is) : fabsl((long double)is - want) <= fabsl(want) * (0x1p-53L + 0x1p-60L);
}

/* exact: tables of integers, and rectangles that are whole. */
static void check_answers(const raster *r, const sat_rect *rect, int64_t ddof, bool exact, const double got[7],
                          int64_t i, int c)
{
    wide n = 0, s1 = 0, s2 = 0;
    for (int64_t y = rect->y; y < rect->y + rect->height; y++)
        for (int64_t x = rect->x; x < rect->x + rect->width; x++)
            n += adds(r, SAT_COUNTS, i, x, y, c), s1 += adds(r, 1, i, x, y, c), s2 += adds(r, 2, i, x, y, c);
    const long double none = NAN, real_n = (long double)n;
    const long double var =
        n <= ddof || n == 0 ? none : (long double)(n * s2 - s1 * s1) / (long double)(n * (n - ddof));
    assert_true(got[0] == (double)n);
    assert_true(got[1] == (double)s1);
    assert_true(near(got[2], n ? (long double)s1 / real_n : none));
    assert_true(exact || isnan(var) ? near(got[3], var)
                                    : fabsl((long double)got[3] - var) <= 0x1p-46L * (long double)(s2 + n));
    assert_true(isnan(var) ? isnan(got[4]) : got[4] == sqrt(got[3]));
    assert_true(n ? got[5] == sqrt((double)((long double)s2 / real_n)) : isnan(got[5]));
    assert_true(got[6] == (double)(rect->width * rect->height));
}

enum { RECTS = 60, IMAGES = 2, CHANNELS = 2, ANSWERS = RECTS * IMAGES * CHANNELS };
static double answers[7][ANSWERS];
static const sat_rect_output wanted[7] = {{"count", answers[0]}, {"sum", answers[1]}, {"mean", answers[2]},
                                          {"var", answers[3]},   {"std", answers[4]}, {"rms", answers[5]},
                                          {"area", answers[6]}};

/* Whole rectangles, and the same as ones with fractions. */
static void rectangles_are_answered_of_what_counts(void **state)
{
    (void)state;
    for (int k = 0; k < 64; k++) {
        const sat_type type = samples[k % SAMPLES];
        raster r =
            make(random_in(1, 30), random_in(1, 20), IMAGES, CHANNELS, type, k >> 3 & 1, is_real(type), k >> 4 & 1);
        sat_table sums, squares, n;
        const sat_run_options run = {.mask = r.masked ? &r.mask : NULL};
        assert_ok(sat_tables_of(&r.image, &r.spec, &run, &sums, &squares, &n));
        const bool exact = sums.view.type != SAT_F64 && squares.view.type != SAT_F64;
        sat_rect rects[RECTS];
        sat_rect_f64 reals[RECTS];
        int64_t areas[RECTS];
        for (int j = 0; j < RECTS; j++) {
            const int64_t x = random_in(0, r.image.width - 1), y = random_in(0, r.image.height - 1);
            rects[j] = (sat_rect){x, y, random_in(1, r.image.width - x), random_in(1, r.image.height - y)};
            if (j % 3 == 0) rects[j].width = rects[j].height = 1;
            reals[j] = (sat_rect_f64){(double)x, (double)y, (double)rects[j].width, (double)rects[j].height};
        }
        sat_statistics ask = {.ddof = k & 1, .output = wanted, .outputs = 7, .counts = &n, .areas = areas};
        for (int fractions = 0; fractions < 2; fractions++) {
            if (fractions) ask.areas = NULL;
            assert_ok(fractions ? sat_table_statistics_f64(&sums, &squares, reals, RECTS, &ask, NULL)
                                : sat_table_statistics(&sums, &squares, rects, RECTS, &ask, NULL));
            for (int a = 0; a < ANSWERS; a++) {
                const double got[7] = {answers[0][a], answers[1][a], answers[2][a], answers[3][a],
                                       answers[4][a], answers[5][a], answers[6][a]};
                check_answers(&r, &rects[a / CHANNELS % RECTS], ask.ddof, exact && !fractions, got,
                              a / CHANNELS / RECTS, a % CHANNELS);
            }
            for (int j = 0; j < RECTS && !fractions; j++) assert_true(areas[j] == rects[j].width * rects[j].height);
        }
        sat_view_free(&sums.view), sat_view_free(&squares.view), sat_view_free(&n.view);
        drop(&r);
    }
}

/* Sides with fractions: sums over pixels with their weights. */
static void fractions_are_answered_of_what_counts(void **state)
{
    (void)state;
    for (int k = 0; k < 40; k++) {
        raster r = make(12, 9, IMAGES, CHANNELS, samples[k % SAMPLES], true, true, true);
        sat_table sums, squares, n;
        assert_ok(sat_tables_of(&r.image, &r.spec, &(sat_run_options){.mask = &r.mask}, &sums, &squares, &n));
        const double x = (double)random_in(0, 600) / 64, y = (double)random_in(0, 400) / 64;
        const sat_rect_f64 rect = {x, y, (double)random_in(1, 150) / 64, (double)random_in(1, 150) / 64};
        const sat_statistics ask = {.output = wanted, .outputs = 7, .counts = &n};
        assert_ok(sat_table_statistics_f64(&sums, &squares, &rect, 1, &ask, NULL));
        for (int a = 0; a < IMAGES * CHANNELS; a++) {
            long double w_n = 0, w_1 = 0, w_2 = 0;
            for (int64_t row = 0; row < 9; row++)
                for (int64_t column = 0; column < 12; column++) {
                    const double across = fmin(x + rect.width, (double)column + 1) - fmax(x, (double)column);
                    const double down = fmin(y + rect.height, (double)row + 1) - fmax(y, (double)row);
                    const long double w = across > 0 && down > 0 ? (long double)across * (long double)down : 0;
                    const int64_t i = a / CHANNELS;
                    w_n += w * (long double)adds(&r, SAT_COUNTS, i, column, row, a % CHANNELS);
                    w_1 += w * (long double)adds(&r, 1, i, column, row, a % CHANNELS);
                    w_2 += w * (long double)adds(&r, 2, i, column, row, a % CHANNELS);
                }
            assert_true(fabsl((long double)answers[0][a] - w_n) <= 0x1p-45L);
            assert_true(fabsl((long double)answers[1][a] - w_1) <= 0x1p-45L);
            assert_true(answers[6][a] == rect.width * rect.height);
            assert_true(w_n > 0 ? fabsl((long double)answers[2][a] - w_1 / w_n) <= 0x1p-45L : isnan(answers[2][a]));
            assert_true(w_n > 0 ? fabsl((long double)answers[3][a] - (w_2 / w_n - w_1 / w_n * w_1 / w_n)) <= 0x1p-40L
                                : isnan(answers[3][a]));
        }
        sat_view_free(&sums.view), sat_view_free(&squares.view), sat_view_free(&n.view);
        drop(&r);
    }
}

/* ---- refusals ----------------------------------------------------------------------------------------------- */

static void what_does_not_go_together_is_refused(void **state)
{
    (void)state;
    raster r = make(8, 6, 1, 1, SAT_U8, true, false, false);
    sat_plan_spec spec = spec_of(&r, SAT_U32, SAT_INCLUSIVE, 1, 0);
    sat_view table = guarded(8, 6, 1, SAT_U32, 0), small = guarded(8, 5, 1, SAT_U8, 0),
             other = guarded(8, 6, 1, SAT_I8, 0);
    sat_plan *plan;
    assert_ok(sat_plan_create(&plan, &spec));
    said(sat_plan_run(plan, &r.image, &table, NULL), SAT_ERR_ARGUMENT, "run: no mask");
    said(sat_plan_run(plan, &r.image, &table, &(sat_run_options){.mask = &small}), SAT_ERR_SHAPE, "mask");
    said(sat_plan_run(plan, &r.image, &table, &(sat_run_options){.mask = &other}), SAT_ERR_TYPE, "mask");
    sat_view shared = table;
    shared.type = SAT_U8;
    said(sat_plan_run(plan, &r.image, &table, &(sat_run_options){.mask = &shared}), SAT_ERR_ARGUMENT, "overlap");
    sat_plan_destroy(&plan);
    spec.masked = false;
    assert_ok(sat_plan_create(&plan, &spec));
    said(sat_plan_run(plan, &r.image, &table, &(sat_run_options){.mask = &r.mask}), SAT_ERR_ARGUMENT, "run: a mask");
    sat_plan_destroy(&plan);
    spec.power = -2, said(sat_plan_create(&plan, &spec), SAT_ERR_ARGUMENT, "power");
    spec.power = SAT_COUNTS, spec.accum = SAT_I32;
    said(sat_plan_create(&plan, &spec), SAT_ERR_TYPE,
         "counts of u8 samples cannot be summed in i32, but in u32 or u64");
    spec.accum = SAT_TYPE_NONE, spec.has_nodata = true, spec.nodata = 256;
    said(sat_plan_create(&plan, &spec), SAT_ERR_ARGUMENT, "nodata 256");
    spec.has_nodata = false, spec.reserved[0] = true, said(sat_plan_create(&plan, &spec), SAT_ERR_ARGUMENT, "reserved");
    spec = (sat_plan_spec){.width = 8, .height = 6, .sample = SAT_F32, .accum = SAT_Q32, .skip_nan = true};
    assert_ok(sat_quant_for(0, 1, 48, &spec.quant));
    said(sat_plan_create(&plan, &spec), SAT_ERR_TYPE, "q32");

    sat_table sums, squares, n;
    assert_ok(sat_tables_of(&r.image, NULL, NULL, &sums, &squares, &n));
    const sat_rect rect = {0, 0, 8, 6};
    double mean;
    const sat_rect_output output = {"mean", &mean};
    sat_statistics ask = {.output = &output, .outputs = 1, .counts = &squares};
    said(sat_table_statistics(&sums, NULL, &rect, 1, &ask, NULL), SAT_ERR_ARGUMENT, "counts");
    ask.counts = &n, said(sat_image_statistics(&r.image, &rect, 1, &ask, NULL), SAT_ERR_ARGUMENT, "counts");
    said(sat_table_statistics(&n, NULL, &rect, 1, &ask, NULL), SAT_ERR_ARGUMENT, "counts");
    said(sat_table_statistics(&sums, &n, &rect, 1, &ask, NULL), SAT_ERR_ARGUMENT, "counts");
    /* a program's with a newer header, in which a member is set: of a query as of its table */
    const struct {
        sat_table known;
        long unknown;
    } newer[] = {{sums, 0}, {*ask.counts, 1}};
    sat_query *q;
    assert_ok(sat_query_create_sized(&q, &newer[0].known, NULL, sizeof newer[0], 0));
    ask.counts = &newer[1].known;
    said(sat_query_statistics(q, &rect, 1, &ask, NULL), SAT_ERR_ARGUMENT, "table of counts: sets a member");
    sat_query_destroy(&q);
    ask.counts = &n;
    n.view.height--, said(sat_table_statistics(&sums, NULL, &rect, 1, &ask, NULL), SAT_ERR_SHAPE, "sums and counts");
    n.view.height++, n.sample = SAT_U16;
    said(sat_table_statistics(&sums, NULL, &rect, 1, &ask, NULL), SAT_ERR_TYPE, "sums and counts");
    n.sample = SAT_U8, ask.skip_nan = true;
    said(sat_table_statistics(&sums, NULL, &rect, 1, &ask, NULL), SAT_ERR_ARGUMENT, "skip_nan");
    ask.skip_nan = false, n.layout = SAT_INCLUSIVE, n.view.width--, n.view.height--; /* of a table that is not one */
    assert_ok(sat_table_statistics(&sums, NULL, &rect, 1, &ask, NULL));
    n.layout = SAT_EXCLUSIVE;
    said(sat_table_statistics(&sums, NULL, &rect, 1, &ask, NULL), SAT_ERR_RANGE, "rectangle 0");
    sat_view_free(&sums.view), sat_view_free(&squares.view), sat_view_free(&n.view);
    said(sat_tables_of(&r.image, NULL, &(sat_run_options){.continues = true}, &sums, NULL, NULL), SAT_ERR_ARGUMENT,
         "carry_in");
    said(sat_tables_of(&r.image, &(sat_plan_spec){.accum = SAT_I32}, NULL, &sums, NULL, &n), SAT_ERR_TYPE, "counts");
    assert_true(sums.view.data == NULL && n.view.data == NULL);
    unguard(&table), unguard(&small), unguard(&other);
    drop(&r);
}

/* Of counts that no image has, as in a damaged file, answers are finite or NaN. */
static void damaged_counts_do_no_harm(void **state)
{
    (void)state;
    uint8_t pixels[2] = {1, 3};
    const sat_view image = {.data = pixels, .width = 2, .height = 1, .channels = 1, .type = SAT_U8};
    double entry[2] = {0, 0};
    sat_table sums, n = {.view = {.data = entry, .width = 2, .height = 1, .channels = 1, .type = SAT_F64}};
    n.layout = SAT_INCLUSIVE, n.sample = SAT_U8, n.power = SAT_COUNTS;
    const sat_rect rect = {0, 0, 2, 1};
    static const struct {
        double entry, count, mean;
    } cases[] = {{1e300, 2, 2}, {-4, 0, NAN}, {NAN, 0, NAN}, {INFINITY, 2, 2}, {1, 1, 4}};
    assert_ok(sat_table_of(&image, NULL, &sums));
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        double mean, count;
        const sat_rect_output output[] = {{"mean", &mean}, {"count", &count}};
        entry[1] = cases[k].entry;
        assert_ok(sat_table_statistics(&sums, NULL, &rect, 1,
                                       &(sat_statistics){.output = output, .outputs = 2, .counts = &n}, NULL));
        assert_true(count == cases[k].count && (isnan(cases[k].mean) ? isnan(mean) : mean == cases[k].mean));
    }
    sat_view_free(&sums.view);
}

int main(void)
{
    cmocka_set_message_output(CM_OUTPUT_TAP);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tables_sum_what_counts),
        cmocka_unit_test(bands_are_joined),
        cmocka_unit_test(a_mask_of_ones_changes_nothing),
        cmocka_unit_test(rectangles_are_answered_of_what_counts),
        cmocka_unit_test(fractions_are_answered_of_what_counts),
        cmocka_unit_test(what_does_not_go_together_is_refused),
        cmocka_unit_test(damaged_counts_do_no_harm),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
