/* fuzz_box.c - box filters of any spec and views: what sat.h does not allow is refused and left alone, and means are
 * those of the definition, a sum over every position of the window. */
#include <float.h>
#include <math.h>

#include "../borders.h"
#include "api.h"

enum { SIDE = 20, ROWS = 8, WINDOW = 40 /* the largest whose positions are counted */ };

static bool is_float(sat_type type)
{
    return type == SAT_F32 || type == SAT_F64;
}

static bool is_signed(sat_type type)
{
    return type == SAT_I8 || type == SAT_I16 || type == SAT_I32;
}

static sat_box_spec take_spec(fuzz_input *in)
{
    static const sat_type samples[] = {SAT_U8, SAT_U16, SAT_F32, SAT_U32, SAT_I8, SAT_I16, SAT_I32, SAT_F64};
    static const sat_type results[] = {SAT_TYPE_NONE, SAT_TYPE_NONE, SAT_F32, SAT_F64};
    sat_border_info border = {0};
    sat_box_spec s = {.width = 1 + (int64_t)(take(in, 1) % SIDE),
                      .height = 1 + (int64_t)(take(in, 1) % ROWS),
                      .channels = 1 + (int)(take(in, 1) % 4),
                      .sample = samples[take(in, 1) % 8],
                      .window_width = 1 + (int64_t)(take(in, 1) % WINDOW),
                      .window_height = 1 + (int64_t)(take(in, 1) % WINDOW),
                      .border = sat_border_at(take(in, 1) % 8, &border) ? border.name : NULL,
                      .weighted_alpha = take_one_in(in, 2),
                      .backend = take_one_in(in, 4) ? take_backend(in) : NULL,
                      .threads = take_threads(in),
                      .result = results[take(in, 1) % 4]};
    for (int c = 0; border.takes_value && c < 4; c++)
        s.border_value[c] = is_float(s.sample)    ? take_real(in)
                            : is_signed(s.sample) ? (double)(int8_t)take(in, 1)
                                                  : (double)take(in, 1);
    switch (take(in, 1) % 32) {
    case 0: s.width = take_int(in, 0, SIDE); break;
    case 1: s.height = take_int(in, 0, ROWS); break;
    case 2: s.channels = (int)take_int(in, 0, 5); break;
    case 3: s.sample = (sat_type)take_int(in, 0, 13); break;
    case 4: s.window_width = take_int(in, 0, WINDOW); break;
    case 5: s.window_height = take_int(in, 0, WINDOW); break;
    case 6: s.border = "no such border"; break;
    case 7: s.border_value[take(in, 1) % 4] = take_real(in); break;
    case 8: s.memory = (sat_memory)take_int(in, 0, 2); break;
    case 9: s.anchor = (sat_anchor)take_int(in, 0, 2); break;
    case 10: s.anchor = SAT_ANCHOR_FIRST; break;
    case 11: s.result = (sat_type)take_int(in, 0, 13); break;
    case 12: s.reserved_word = (int)take_int(in, 0, 1); break;
    default: break;
    }
    return s;
}

static bool is_integer(sat_type type)
{
    return type == SAT_U8 || type == SAT_U16 || type == SAT_U32 || is_signed(type);
}

static double largest(sat_type type)
{
    return ldexp(1, (int)(8 * sat_type_bytes(type)) - is_signed(type)) - 1;
}

static double least(sat_type type)
{
    return is_signed(type) ? -largest(type) - 1 : 0;
}

static bool values_right(const sat_box_spec *s, bool takes_value)
{
    int channels = s->channels ? s->channels : 1;
    for (int c = 0; takes_value && s->sample == SAT_F32 && c < channels; c++)
        if (isfinite(s->border_value[c]) && fabs(s->border_value[c]) > (double)FLT_MAX) return false;
    for (int c = 0; takes_value && !is_float(s->sample) && c < channels; c++)
        if (!(s->border_value[c] >= least(s->sample) && s->border_value[c] <= largest(s->sample) &&
              s->border_value[c] == floor(s->border_value[c])))
            return false;
    return true;
}

static bool types_right(const sat_box_spec *s)
{
    if (!is_integer(s->sample) && !is_float(s->sample)) return false;
    if (s->weighted_alpha && is_integer(s->sample) && sat_type_bytes(s->sample) == 4) return false;
    return s->result == SAT_TYPE_NONE || s->result == s->sample || is_float(s->result);
}

static sat_type result_of(const sat_box_spec *s)
{
    return s->result == SAT_TYPE_NONE ? s->sample : s->result;
}

static bool spec_right(const sat_box_spec *s)
{
    sat_border_info border = {0};
    bool known = s->border == NULL;
    for (size_t i = 0; !known && sat_border_at(i, &border); i++) known = strcmp(border.name, s->border) == 0;
    int channels = s->channels ? s->channels : 1;
    return known && side_right(s->width) && side_right(s->height) && channels >= 1 && channels <= 4 && types_right(s) &&
           s->reserved_word == 0 && s->window_width >= 1 && s->window_height >= 1 && s->window_width <= INT32_MAX &&
           s->window_height <= INT32_MAX && values_right(s, border.takes_value) &&
           (!s->weighted_alpha || channels % 2 == 0) && backend_of(s->backend) == COMPUTES &&
           threads_right(s->threads) && s->memory == SAT_HOST &&
           (s->anchor == SAT_ANCHOR_SECOND || s->anchor == SAT_ANCHOR_FIRST);
}

/* Would a right spec take more memory than a fuzzer has? */
static bool too_large(const sat_box_spec *s)
{
    enum { MOST = 1 << 12 };
    bool window = is_float(s->sample) && (s->window_width > MOST || s->window_height > MOST);
    return s->width > MOST || window;
}

/* ---- the definition ---- */

typedef struct axis {
    int64_t seen[SIDE]; /* how often the window holds each sample */
    int64_t outside;
} axis;

/* An even side reaches further to the left, or with the first anchor to the right. */
static axis axis_at(const sat_box_spec *s, int64_t at, int64_t window, int64_t n)
{
    const char *border = s->border ? s->border : "shrink";
    int64_t left = at - (window - (s->anchor == SAT_ANCHOR_FIRST)) / 2;
    axis a = {.outside = 0};
    for (int64_t k = 0; k < window; k++) {
        int64_t i = border_position(border, left + k, n);
        if (i < 0)
            a.outside++;
        else
            a.seen[i]++;
    }
    return a;
}

/* A weighted column, or row of columns: the sums of samples, or of samples times alpha, whose own are in the last
 * channel; and of their sizes. */
typedef struct sums {
    long double of[4], magnitude[4];
    int64_t inside; /* positions that saw a sample */
} sums;

static void add(sums *to, const sums *term, int64_t times, int channels)
{
    for (int c = 0; times > 0 && c < channels; c++) {
        to->of[c] += term->of[c] * times;
        to->magnitude[c] += term->magnitude[c] * times;
    }
    to->inside += term->inside * times;
}

static sums one_sample(const sat_box_spec *s, const long double value[4], int channels)
{
    sums one = {.inside = 1};
    int last = channels - 1;
    for (int c = 0; c < channels; c++) {
        one.of[c] = value[c] * (s->weighted_alpha && c < last ? value[last] : 1);
        one.magnitude[c] = fabsl(one.of[c]);
    }
    return one;
}

static sums column_at(const sat_box_spec *s, const sat_view *v, const axis *ay, int64_t x)
{
    sums column = {.inside = 0};
    for (int64_t y = 0; y < v->height; y++) {
        long double value[4] = {0};
        for (int c = 0; c < v->channels; c++) value[c] = load_sample(v, x, y, c);
        sums one = one_sample(s, value, v->channels);
        add(&column, &one, ay->seen[y], v->channels);
    }
    return column;
}

/* Of integers, whose sums are below 2^53 here: the quotient to nearest, halves away from zero, cut to the type's range;
 * or the double that is nearest to it, perhaps rounded to float.  Of floats, as near as the roundings of the sums and
 * of the quotient. */
static bool is_mean(const sat_box_spec *s, const sums *m, long double area, int c, int last, long double is)
{
    long double by = s->weighted_alpha && c < last ? m->of[last] : area;
    if (by == 0) return is == 0;
    long double exact = m->of[c] / by;
    if (is_integer(result_of(s)))
        return is == fminl(fmaxl(roundl(exact), (long double)least(s->sample)), (long double)largest(s->sample));
    const double nearest = (double)m->of[c] / (double)by;
    if (is_integer(s->sample)) return is == (result_of(s) == SAT_F32 ? (long double)(float)nearest : nearest);
    if (isnan(exact) || isinf(exact)) return isnan(is) == isnan(exact) && (isnan(is) || is == exact);
    return fabsl(is - exact) <= fabsl(exact) * 0x1p-23L + m->magnitude[c] / fabsl(by) * 0x1p-40L + 0x1p-140L;
}

static const char *check_means(const sat_box_spec *s, const sat_view *src, const sat_view *dst)
{
    const char *border = s->border ? s->border : "shrink";
    bool shrinks = strcmp(border, "shrink") == 0, constant = strcmp(border, "constant") == 0;
    int64_t all = s->window_width * s->window_height;
    long double value[4];
    for (int c = 0; c < 4; c++) value[c] = (long double)s->border_value[c];
    for (int64_t y = 0; y < src->height; y++) {
        axis ay = axis_at(s, y, s->window_height, src->height);
        sums columns[SIDE], outside = one_sample(s, value, src->channels);
        for (int64_t x = 0; x < src->width; x++) columns[x] = column_at(s, src, &ay, x);
        for (int64_t x = 0; x < src->width; x++) {
            axis ax = axis_at(s, x, s->window_width, src->width);
            sums m = {.inside = 0};
            for (int64_t i = 0; i < src->width; i++) add(&m, &columns[i], ax.seen[i], src->channels);
            int64_t inside = m.inside;
            if (constant) add(&m, &outside, all - inside, src->channels);
            for (int c = 0; c < src->channels; c++)
                if (!is_mean(s, &m, (long double)(shrinks ? inside : all), c, src->channels - 1,
                             load_sample(dst, x, y, c)))
                    return "a mean is not that of the definition";
        }
    }
    return NULL;
}

/* ---- a run ---- */

static bool all_finite(const sat_view *v)
{
    for (int64_t i = 0; i < v->width * v->height * v->channels; i++)
        if (!isfinite(
                (double)load_sample(v, i / v->channels % v->width, i / v->channels / v->width, (int)(i % v->channels))))
            return false;
    return true;
}

static const char *run_box(fuzz_input *in, sat_box *box, const sat_box_spec *s, block *from, block *to)
{
    int channels = s->channels ? s->channels : 1;
    sat_view src = take_view(in, from, s->width, s->height, channels, s->sample);
    sat_view dst = take_view(in, to, s->width, s->height, channels, result_of(s));
    if (!src.data || !dst.data) return NULL;
    bool floats = is_float(s->sample), wild = floats && !s->weighted_alpha && take_one_in(in, 2);
    if (take_one_in(in, 4)) {
        spoil_view(in, &src, to);
        spoil_view(in, &dst, from);
    }
    sat_view source = {
        .width = s->width, .height = s->height, .channels = channels, .type = s->sample, .memory = SAT_HOST};
    sat_view result = source;
    result.type = result_of(s);
    bool right = view_right(&src) && view_right(&dst) && views_alike(&src, &source) && views_alike(&dst, &result) &&
                 samples_apart(&dst) && views_overlap(&src, &dst) != SHARED;
    if (right && (!view_inside(&src, from) || !view_inside(&dst, to))) return NULL;
    if (right) fill_view(in, &src, wild);
    poison_if_wrong(&src);
    poison_if_wrong(&dst);

    sat_status status = sat_box_run(box, &src, &dst, NULL);
    if (!right) {
        if (status == SAT_OK) return "a wrong view was filtered";
        return block_untouched(to) ? NULL : "a refused run has written";
    }
    bool tables_refuse = status == SAT_ERR_RANGE && floats && s->backend && !all_finite(&src);
    if (status != SAT_OK) return tables_refuse || views_overlap(&src, &dst) != APART ? NULL : "a right run was refused";
    if (!gaps_untouched(&dst, to)) return "bytes between the rows were written";
    bool values_finite = true;
    for (int c = 0; c < 4; c++)
        values_finite = values_finite && isfinite(s->border_value[c]) && fabs(s->border_value[c]) < 1e6;
    bool definite = !floats || !s->weighted_alpha; /* a sum of alphas that may cancel has no bound */
    return s->window_width <= WINDOW && s->window_height <= WINDOW && definite && (values_finite || !floats)
               ? check_means(s, &src, &dst)
               : NULL;
}

static const char *run(const uint8_t *bytes, size_t n)
{
    fuzz_input in = {bytes, n};
    sat_box_spec s = take_spec(&in);
    sat_box *box = (sat_box *)&box;
    bool right = spec_right(&s);
    const char *why = NULL;
    if (right && too_large(&s)) return NULL;
    sat_status status = sat_box_create(&box, &s);
    if ((status == SAT_OK) != (box != NULL)) why = "a status and an object that disagree";
    if (status == SAT_OK && !right) why = "a wrong spec was taken";
    if (status != SAT_OK && right && s.width <= SIDE && s.height <= ROWS && s.window_width <= WINDOW &&
        s.window_height <= WINDOW)
        why = "a right spec was refused";
    if (status != SAT_OK && !*sat_detail()) why = "a failure without a line that says why";
    block from = {0}, to = {0};
    if (!why && box && s.width <= SIDE && s.height <= ROWS && block_alloc(&from) && block_alloc(&to))
        why = run_box(&in, box, &s, &from, &to);
    sat_box_destroy(&box);
    free(from.bytes);
    free(to.bytes);
    return why;
}

const fuzz_target fuzz = {.run = run};
