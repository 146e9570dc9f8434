/* test_gauss_valid.c - Gaussian filters of samples that may not count: normalised convolution in long double by its
 * definition, up to sigma 4, where the weights are samples of the Gaussian; and the contract.  Wider ones and every
 * border are checked by tests/check/test_gauss_valid.py. */
#include "arrays.h"
#include "sat_gauss.h"

enum { SIDE = 24, REACH = 16 };

/* ---- the definition -------------------------------------------------------------------------------------- */

typedef struct sample_case {
    sat_gauss_spec s;
    sat_view src, mask, dst;
} sample_case;

static bool counts_by_itself(const sample_case *k, int64_t x, int64_t y, int c)
{
    const double v = value_at(&k->src, x, y, c);
    if (k->s.masked && !*(uint8_t *)entry_at(&k->mask, x, y, 0)) return false;
    if (k->s.skip_nan && isnan(v)) return false;
    const bool alpha = k->s.weighted_alpha && c == k->s.channels - 1;
    return !(k->s.has_nodata && !alpha && v == k->s.nodata);
}

static bool counts(const sample_case *k, int64_t x, int64_t y, int c)
{
    return counts_by_itself(k, x, y, c) && (!k->s.weighted_alpha || counts_by_itself(k, x, y, k->s.channels - 1));
}

typedef struct blur {
    long double sum, weight, size, share; /* size: of the sum's terms */
} blur;

/* Around one sample; nothing lies beyond the edge (shrink), or the sample at the edge (replicate). */
static blur blur_at(const sample_case *k, double sigma, int64_t x, int64_t y, int c)
{
    const int64_t reach = (int64_t)(4 * sigma + 0.5);
    long double g[2 * REACH + 1], total = 0;
    blur b = {0, 0, 0, 0};
    for (int64_t i = -reach; i <= reach; i++)
        total += g[i + reach] = expl(-0.5L * (long double)(i * i) / ((long double)sigma * (long double)sigma));
    const bool shrinks = strcmp(k->s.border, "shrink") == 0;
    const int alpha = k->s.channels - 1;
    for (int64_t dy = -reach; dy <= reach; dy++)
        for (int64_t dx = -reach; dx <= reach; dx++) {
            int64_t px = x + dx, py = y + dy;
            if (shrinks && (px < 0 || px >= k->s.width || py < 0 || py >= k->s.height)) continue;
            px = px < 0 ? 0 : px >= k->s.width ? k->s.width - 1 : px;
            py = py < 0 ? 0 : py >= k->s.height ? k->s.height - 1 : py;
            if (!counts(k, px, py, c)) continue;
            long double w = g[dx + reach] * g[dy + reach] / (total * total);
            b.share += w;
            if (k->s.weighted_alpha && c < alpha) w *= (long double)value_at(&k->src, px, py, alpha);
            b.sum += w * (long double)value_at(&k->src, px, py, c);
            b.size += fabsl(w * (long double)value_at(&k->src, px, py, c));
            b.weight += w;
        }
    return b;
}

/* ---- random cases ---------------------------------------------------------------------------------------- */

static double one_of(const double *among, int n)
{
    return among[random_in(0, n - 1)];
}

static void put(const sat_view *v, int64_t x, int64_t y, int c, double value)
{
    void *p = entry_at(v, x, y, c);
    switch (v->type) {
    case SAT_U8: *(uint8_t *)p = (uint8_t)value; break;
    case SAT_I16: *(int16_t *)p = (int16_t)value; break;
    case SAT_I32: *(int32_t *)p = (int32_t)value; break;
    case SAT_F32: *(float *)p = (float)value; break;
    default: *(double *)p = value;
    }
}

static sample_case make_case(void)
{
    static const sat_type types[] = {SAT_U8, SAT_I16, SAT_I32, SAT_F32, SAT_F64};
    static const double sigmas[] = {0.3, 1, 2.2, 4}, leasts[] = {0, 0, 0.25, 0.6};
    const sat_type type = types[random_in(0, 4)];
    const bool is_float = type == SAT_F32 || type == SAT_F64;
    sample_case k = {.s = {.width = random_in(1, SIDE),
                           .height = random_in(1, SIDE),
                           .channels = (int)random_in(1, 4),
                           .sample = type,
                           .result = SAT_F64,
                           .sigma = one_of(sigmas, 4),
                           .sigma2 = one_of(sigmas, 4),
                           .mode = (sat_gauss_mode)random_in(0, 2),
                           .amount = 0.75,
                           .border = random_in(0, 1) ? "shrink" : "replicate",
                           .threads = (int)random_in(1, 3),
                           .masked = random_in(0, 1),
                           .has_nodata = random_in(0, 1),
                           .nodata = 7,
                           .skip_nan = random_in(0, 1),
                           .keep_holes = random_in(0, 1),
                           .min_valid = one_of(leasts, 4)}};
    k.s.weighted_alpha = k.s.channels % 2 == 0 && random_in(0, 1);
    if (!k.s.masked && !k.s.has_nodata) k.s.masked = true;
    const int64_t gap = random_in(0, 2);
    k.src = guarded_images(k.s.width, k.s.height, 1, k.s.channels, type, (size_t)gap, 1, 0);
    k.mask = guarded_images(k.s.width, k.s.height, 1, 1, SAT_U8, (size_t)gap, 0, 0);
    k.dst = guarded_images(k.s.width, k.s.height, 1, k.s.channels, SAT_F64, (size_t)random_in(0, 1), 0, 0);
    const int64_t rare = one_of((const double[]){2, 9, 40}, 3) > 5 ? 9 : 2;
    for (int64_t y = 0; y < k.s.height; y++)
        for (int64_t x = 0; x < k.s.width; x++) {
            *(uint8_t *)entry_at(&k.mask, x, y, 0) = (uint8_t)(random_in(1, rare) == 1 ? 0 : random_in(1, 255));
            for (int c = 0; c < k.s.channels; c++) {
                double v = random_in(0, 3) ? (double)random_in(1, 120) : 7;
                if (is_float && k.s.skip_nan && random_in(0, 9) == 0) v = NAN;
                put(&k.src, x, y, c, v);
            }
        }
    return k;
}

static void check_result(const sample_case *k, int64_t x, int64_t y, int c, int64_t *empties)
{
    const sat_gauss_spec *s = &k->s;
    const double got = value_at(&k->dst, x, y, c), own = value_at(&k->src, x, y, c);
    const bool is_alpha = s->weighted_alpha && c == s->channels - 1, hole = !counts(k, x, y, c);
    long double want = 0, size = 1;
    bool empty = hole && (s->mode != SAT_GAUSS_BLUR || s->keep_holes);
    for (int i = 0; i < (s->mode == SAT_GAUSS_DOG ? 2 : 1); i++) {
        const double sigma = i ? s->sigma2 : s->sigma;
        const blur b = blur_at(k, sigma, x, y, c);
        long double share = b.share;
        if (s->weighted_alpha && !is_alpha) {
            const blur a = blur_at(k, sigma, x, y, s->channels - 1);
            share = a.weight > 0 && a.sum > 0 ? a.share * b.weight / a.sum : 0;
        }
        if (s->min_valid > 0 && fabsl(share - (long double)s->min_valid) < 1e-4L) { /* rounding decides */
            *empties = -1;
            return;
        }
        empty = empty || share < (long double)s->min_valid || share == 0;
        if (b.weight > 0) size += b.size / b.weight;
        want += (i ? -1 : 1) * (b.weight > 0 ? b.sum / b.weight : 0);
    }
    if (s->mode == SAT_GAUSS_UNSHARP) want = (long double)own + (long double)s->amount * ((long double)own - want);
    if (s->weighted_alpha && is_alpha && s->mode != SAT_GAUSS_BLUR) want = (long double)own;
    if (empty) {
        const bool is_nodata = s->keep_holes && s->has_nodata;
        assert_true(is_alpha ? got == 0 : is_nodata ? got == s->nodata : isnan(got));
        if (*empties >= 0) (*empties)++;
        return;
    }
    if (!(fabsl((long double)got - want) <= 1e-12L * size))
        fail_msg("at %lld,%lld,%d: %.17g, not %.17Lg", (long long)x, (long long)y, c, got, want);
    if (s->has_nodata && !is_alpha) assert_true(got != s->nodata);
}

static void run_case(sample_case *k, int64_t *empty)
{
    sat_gauss *gauss;
    sat_counts counted;
    const sat_run_options run = {.counts = &counted, .mask = k->s.masked ? &k->mask : NULL};
    assert_ok(sat_gauss_create(&gauss, &k->s));
    assert_ok(sat_gauss_run(gauss, &k->src, &k->dst, &run));
    *empty = counted.empty[0];
    sat_gauss_destroy(&gauss);
}

static void results_are_what_counts_over_its_weights(void **state)
{
    (void)state;
    for (int i = 0; i < 300; i++) {
        sample_case k = make_case();
        int64_t empties = 0, empty;
        run_case(&k, &empty);
        for (int64_t y = 0; y < k.s.height; y++)
            for (int64_t x = 0; x < k.s.width; x++)
                for (int c = 0; c < k.s.channels; c++) check_result(&k, x, y, c, &empties);
        if (empties >= 0) assert_int_equal(empty, empties);
        unguard(&k.src), unguard(&k.mask), unguard(&k.dst);
    }
}

/* ---- the contract ---------------------------------------------------------------------------------------- */

static sat_gauss_spec fine(void)
{
    return (sat_gauss_spec){.width = 20, .height = 10, .sample = SAT_U8, .sigma = 2, .masked = true};
}

#define REFUSED(member, value, text)                                                                                   \
    do {                                                                                                               \
        sat_gauss_spec s = fine();                                                                                     \
        sat_gauss *gauss = (sat_gauss *)(void *)&seed;                                                                 \
        s.has_nodata = true, s.member = (value);                                                                       \
        said(sat_gauss_create(&gauss, &s), SAT_ERR_ARGUMENT, text);                                                    \
        assert_null(gauss);                                                                                            \
    } while (0)

static void wrong_members_are_refused(void **state)
{
    (void)state;
    REFUSED(min_valid, 1.5, "a share of the Gaussian's weight, 0 to 1");
    REFUSED(min_valid, -0.1, "min_valid is -0.1");
    REFUSED(min_valid, NAN, "min_valid");
    REFUSED(nodata, 256, "nodata 256: no sample of type u8");
    REFUSED(nodata, 0.5, "nodata 0.5");
    REFUSED(nodata, NAN, "no sample of type u8");
    REFUSED(reserved_flags[2], true, "reserved");

    sat_gauss_spec s = fine();
    sat_gauss *gauss;
    sat_view src = guarded(20, 10, 1, SAT_U8, 0), dst = guarded(20, 10, 1, SAT_U8, 0),
             two = guarded(20, 10, 2, SAT_U8, 0);
    assert_ok(sat_gauss_create(&gauss, &s));
    said(sat_gauss_run(gauss, &src, &dst, NULL), SAT_ERR_ARGUMENT, "no mask; the Gaussian filter was made for one");
    said(sat_gauss_run(gauss, &src, &dst, &(sat_run_options){.mask = &two}), SAT_ERR_SHAPE, "mask");
    said(sat_gauss_run(gauss, &src, &dst, &(sat_run_options){.mask = &dst}), SAT_ERR_ARGUMENT, "overlaps the mask");
    sat_gauss_destroy(&gauss);
    s.masked = false;
    assert_ok(sat_gauss_create(&gauss, &s));
    said(sat_gauss_run(gauss, &src, &dst, &(sat_run_options){.mask = &src}), SAT_ERR_ARGUMENT, "was not made for one");
    sat_gauss_destroy(&gauss);
    unguard(&src), unguard(&dst), unguard(&two);
}

/* A row of the value with one other sample, and its blur: all is that sample, as far as the passes reach. */
static void holes_are_filled_as_far_as_passes_reach(void **state)
{
    (void)state;
    sat_gauss_spec s = {
        .width = 60, .height = 1, .sample = SAT_U8, .sigma = 1.5, .border = "replicate", .has_nodata = true};
    sat_view src = guarded(60, 1, 1, SAT_U8, 0), dst = guarded(60, 1, 1, SAT_U8, 0);
    memset(src.data, 0, 60);
    *(uint8_t *)entry_at(&src, 30, 0, 0) = 200;
    sample_case k = {.s = s, .src = src, .dst = dst};
    int64_t empty;
    run_case(&k, &empty);
    assert_int_equal(empty, 60 - 13);
    for (int64_t x = 0; x < 60; x++) assert_int_equal(value_at(&dst, x, 0, 0), x >= 24 && x <= 36 ? 200 : 0);
    k.s.empty_set = true, k.s.empty = 9;
    run_case(&k, &empty);
    for (int64_t x = 0; x < 60; x++) assert_int_equal(value_at(&dst, x, 0, 0), x >= 24 && x <= 36 ? 200 : 9);
    k.s.min_valid = 0.2; /* the weight of its own sample is 0.27, that of the next one 0.21, 0.11 */
    run_case(&k, &empty);
    assert_int_equal(empty, 60 - 3);
    k.s.min_valid = 0, k.s.keep_holes = true;
    run_case(&k, &empty);
    assert_int_equal(empty, 59);
    for (int64_t x = 0; x < 60; x++) assert_int_equal(value_at(&dst, x, 0, 0), x == 30 ? 200 : 9);
    k.s.empty_set = false;
    run_case(&k, &empty);
    assert_int_equal(empty, 59);
    assert_memory_equal(src.data, dst.data, 60);
    /* All of the weight: where no sample within reach is invalid. */
    *(uint8_t *)entry_at(&src, 30, 0, 0) = 0, k.s.nodata = 9, k.s.keep_holes = false, k.s.min_valid = 1;
    *(uint8_t *)entry_at(&src, 20, 0, 0) = 9;
    run_case(&k, &empty);
    assert_int_equal(empty, 13);
    for (int64_t x = 0; x < 60; x++) assert_int_equal(value_at(&dst, x, 0, 0), 0);
    unguard(&src), unguard(&dst);
}

int main(void)
{
    cmocka_set_message_output(CM_OUTPUT_TAP);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(results_are_what_counts_over_its_weights),
        cmocka_unit_test(wrong_members_are_refused),
        cmocka_unit_test(holes_are_filled_as_far_as_passes_reach),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
