/* fuzz_gauss.c - Gaussian filters of any spec and views: what sat_gauss.h does not allow is refused and left alone;
 * blurs lie between the least and the largest sample, and are the same on one thread. */
#include <float.h>
#include <math.h>

#include "api.h"
#include "sat_gauss.h"

enum { SIDE = 20, ROWS = 8 };

static bool is_float(sat_type type)
{
    return type == SAT_F32 || type == SAT_F64;
}

static bool is_wide(sat_type type)
{
    return type == SAT_F64 || type == SAT_U32 || type == SAT_I32;
}

/* Mostly from 0.1 to 25.6. */
static double take_sigma(fuzz_input *in)
{
    return take_one_in(in, 16) ? take_real(in) : (double)(1 + take(in, 1)) / 10;
}

static sat_gauss_spec take_spec(fuzz_input *in)
{
    static const sat_type samples[] = {SAT_U8, SAT_U16, SAT_F32, SAT_U32, SAT_I8, SAT_I16, SAT_I32, SAT_F64};
    static const sat_type results[] = {SAT_TYPE_NONE, SAT_TYPE_NONE, SAT_F32, SAT_F64};
    sat_border_info border = {0};
    sat_gauss_spec s = {.width = 1 + (int64_t)(take(in, 1) % SIDE),
                        .height = 1 + (int64_t)(take(in, 1) % ROWS),
                        .channels = 1 + (int)(take(in, 1) % 4),
                        .sample = samples[take(in, 1) % 8],
                        .sigma = take_sigma(in),
                        .border = sat_border_at(take(in, 1) % 8, &border) ? border.name : NULL,
                        .weighted_alpha = take_one_in(in, 2),
                        .mode = (sat_gauss_mode)(take(in, 1) % 3),
                        .amount = take_real(in),
                        .sigma2 = take_sigma(in),
                        .threads = take_threads(in),
                        .result = results[take(in, 1) % 4]};
    for (int c = 0; border.takes_value && c < 4; c++)
        s.border_value[c] = is_float(s.sample) ? take_real(in) : (double)(take(in, 1) % 128);
    switch (take(in, 1) % 32) {
    case 0: s.width = take_int(in, 0, SIDE); break;
    case 1: s.height = take_int(in, 0, ROWS); break;
    case 2: s.channels = (int)take_int(in, 0, 5); break;
    case 3: s.sample = (sat_type)take_int(in, 0, 13); break;
    case 4: s.mode = (sat_gauss_mode)take_int(in, 0, 4); break;
    case 5: s.border = "no such border"; break;
    case 6: s.border_value[take(in, 1) % 4] = take_real(in); break;
    case 7: s.memory = (sat_memory)take_int(in, 0, 2); break;
    case 8: s.result = (sat_type)take_int(in, 0, 13); break;
    case 9: s.reserved_word = (int)take_int(in, 0, 1); break;
    case 10: s.backend = take_backend(in); break;
    case 11:
    case 12: s.side = take_real(in); break;
    case 13: s.side = 1 + (double)take(in, 1) / 4; break;
    default: break;
    }
    return s;
}

static double largest(sat_type type)
{
    switch (type) {
    case SAT_U8: return UINT8_MAX;
    case SAT_U16: return UINT16_MAX;
    case SAT_U32: return UINT32_MAX;
    case SAT_I8: return INT8_MAX;
    case SAT_I16: return INT16_MAX;
    case SAT_I32: return INT32_MAX;
    default: return 0;
    }
}

static bool values_right(const sat_gauss_spec *s, const char *border, int channels)
{
    const double high = largest(s->sample);
    const double low = s->sample == SAT_I8 || s->sample == SAT_I16 || s->sample == SAT_I32 ? -high - 1 : 0;
    if (strcmp(border, "constant") != 0) return true;
    for (int c = 0; c < channels; c++) {
        const double v = s->border_value[c];
        if (s->sample == SAT_F32 && isfinite(v) && fabs(v) > (double)FLT_MAX) return false;
        if (!is_float(s->sample) && !(v >= low && v <= high && v == floor(v))) return false;
    }
    return true;
}

static sat_type result_of(const sat_gauss_spec *s)
{
    if (s->result != SAT_TYPE_NONE) return s->result;
    return s->mode != SAT_GAUSS_DOG ? s->sample : is_wide(s->sample) ? SAT_F64 : SAT_F32;
}

static bool sigma_right(double sigma)
{
    return sigma > 0 && sigma <= 16384;
}

/* Of the window in place of the Gaussian. */
static bool window_right(const sat_gauss_spec *s)
{
    return s->side > 1 && s->side <= 32768 && fmod(s->side, 2) != 1 && s->mode != SAT_GAUSS_DOG;
}

static bool mode_right(const sat_gauss_spec *s)
{
    switch ((int)s->mode) {
    case SAT_GAUSS_BLUR: return true;
    case SAT_GAUSS_UNSHARP: return isfinite(s->amount);
    case SAT_GAUSS_DOG: return sigma_right(s->sigma2) && is_float(result_of(s));
    default: return false;
    }
}

static bool spec_right(const sat_gauss_spec *s)
{
    const char *border = s->border ? s->border : "shrink";
    sat_border_info info;
    bool known = false;
    for (size_t i = 0; !known && sat_border_at(i, &info); i++) known = strcmp(info.name, border) == 0;
    const int channels = s->channels ? s->channels : 1;
    const bool types =
        (largest(s->sample) > 0 || is_float(s->sample)) && (result_of(s) == s->sample || is_float(result_of(s)));
    return known && types && side_right(s->width) && side_right(s->height) && channels >= 1 && channels <= 4 &&
           (s->side != 0 ? window_right(s) : sigma_right(s->sigma)) && mode_right(s) &&
           values_right(s, border, channels) && (!s->weighted_alpha || channels % 2 == 0) &&
           (s->backend == NULL || strcmp(s->backend, "cpu") == 0) && threads_right(s->threads) &&
           s->memory == SAT_HOST && s->reserved_word == 0;
}

static bool small(const sat_gauss_spec *s)
{
    return s->width <= SIDE && s->height <= ROWS && s->sigma < 500 && s->sigma2 < 500 && s->side < 1000;
}

/* Blurs are averages; rounding errors are those of reals of f32. */
static const char *check_range(const sat_gauss_spec *s, const sat_view *src, const sat_view *dst)
{
    for (int c = 0; c < src->channels; c++) {
        long double low = load_sample(src, 0, 0, c), high = low;
        if (s->border && strcmp(s->border, "constant") == 0) {
            low = fminl(low, (long double)s->border_value[c]);
            high = fmaxl(high, (long double)s->border_value[c]);
        }
        for (int64_t i = 0; i < src->width * src->height; i++) {
            const long double v = load_sample(src, i % src->width, i / src->width, c);
            low = fminl(low, v), high = fmaxl(high, v);
        }
        const long double error = 1e-5L * fmaxl(fabsl(low), fabsl(high));
        for (int64_t i = 0; i < src->width * src->height; i++) {
            const long double v = load_sample(dst, i % src->width, i / src->width, c);
            if (!(v >= low - error && v <= high + error)) return "a blur lies beyond all samples";
        }
    }
    return NULL;
}

static const char *check_thread(const sat_gauss_spec *s, const sat_view *src, const sat_view *dst, int64_t clipped)
{
    sat_gauss_spec alone = *s;
    sat_gauss *gauss;
    block again = {0};
    sat_counts also;
    const sat_run_options run = {.counts = &also};
    const char *why = NULL;
    alone.threads = 1;
    if (!block_alloc(&again)) return NULL;
    sat_view view = *dst;
    view.data = again.bytes + ((uint8_t *)dst->data - lowest_of(dst));
    if (sat_gauss_create(&gauss, &alone) != SAT_OK || sat_gauss_run(gauss, src, &view, &run) != SAT_OK)
        why = "one thread was refused";
    if (!why && !same_samples(dst, &view)) why = "one thread makes other results";
    if (!why && also.clipped != clipped) why = "one thread counts other results that were cut";
    sat_gauss_destroy(&gauss);
    free(again.bytes);
    return why;
}

static const char *run_gauss(fuzz_input *in, sat_gauss *gauss, const sat_gauss_spec *s, block *from, block *to)
{
    const int channels = s->channels ? s->channels : 1;
    sat_view src = take_view(in, from, s->width, s->height, channels, s->sample);
    sat_view dst = take_view(in, to, s->width, s->height, channels, result_of(s));
    if (!src.data || !dst.data) return NULL;
    const bool wild = is_float(s->sample) && take_one_in(in, 2);
    if (take_one_in(in, 4)) {
        spoil_view(in, &src, to);
        spoil_view(in, &dst, from);
    }
    sat_view source = {
        .width = s->width, .height = s->height, .channels = channels, .type = s->sample, .memory = SAT_HOST};
    sat_view result = source;
    result.type = result_of(s);
    const bool right = view_right(&src) && view_right(&dst) && views_alike(&src, &source) &&
                       views_alike(&dst, &result) && samples_apart(&dst) && views_overlap(&src, &dst) != SHARED;
    if (right && (!view_inside(&src, from) || !view_inside(&dst, to))) return NULL;
    if (right) fill_view(in, &src, wild);
    poison_if_wrong(&src);
    poison_if_wrong(&dst);

    sat_counts counts;
    const sat_status status = sat_gauss_run(gauss, &src, &dst, &(sat_run_options){.counts = &counts});
    if (!right && status == SAT_OK) return "a wrong view was filtered";
    if (!right) return block_untouched(to) ? NULL : "a refused run has written";
    if (status != SAT_OK) return views_overlap(&src, &dst) == APART ? "a right run was refused" : NULL;
    if (!gaps_untouched(&dst, to)) return "bytes between the rows were written";
    const int64_t clipped = counts.clipped;
    if (clipped > s->width * s->height * channels || (is_float(dst.type) && clipped)) return "too many were cut";
    const bool plain = s->mode == SAT_GAUSS_BLUR && !s->weighted_alpha && !is_float(s->sample);
    const char *why = plain ? check_range(s, &src, &dst) : NULL;
    return why ? why : check_thread(s, &src, &dst, clipped);
}

static const char *run(const uint8_t *bytes, size_t n)
{
    fuzz_input in = {bytes, n};
    const sat_gauss_spec s = take_spec(&in);
    sat_gauss *gauss = (sat_gauss *)&gauss;
    const bool right = spec_right(&s);
    const char *why = NULL;
    if (right && !small(&s)) return NULL;
    const sat_status status = sat_gauss_create(&gauss, &s);
    if ((status == SAT_OK) != (gauss != NULL)) why = "a status and an object that disagree";
    if (status == SAT_OK && !right) why = "a wrong spec was taken";
    if (status != SAT_OK && right) why = "a right spec was refused";
    if (status != SAT_OK && !*sat_detail()) why = "a failure without a line that says why";
    block from = {0}, to = {0};
    if (!why && gauss && block_alloc(&from) && block_alloc(&to)) why = run_gauss(&in, gauss, &s, &from, &to);
    sat_gauss_destroy(&gauss);
    free(from.bytes);
    free(to.bytes);
    return why;
}

const fuzz_target fuzz = {.run = run};
