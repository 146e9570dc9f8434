/* fuzz_window.c - statistics of windows of any spec and views: what sat_window.h does not allow is refused and left
 * alone, and counts, sums, means and variances are those of the definition, sums over every position of the window: of
 * integers to the bit, of floats within the header's bounds. */
#include <math.h>

#include "../borders.h"
#include "api.h"
#include "sat_window.h"

enum { SIDE = 20, ROWS = 8, WINDOW = 24, OUTPUTS = 3 };

static const char *const names[] = {"count", "mean", "var",        "std",  "sum",     "rms",     "norm",
                                    "wolf",  "nick", "phansalkar", "nope", "sauvola", "niblack", "bradley"};
enum { NAMES = sizeof names / sizeof *names };

static bool is_float(sat_type type)
{
    return type == SAT_F32 || type == SAT_F64;
}

/* How many samples must count: a few of them, or a share in hundredths of the window's pixels. */
static double take_min_valid(fuzz_input *in)
{
    const unsigned n = (unsigned)take(in, 1);
    return n < 128 ? n % 8 : (double)(n - 128) / 100;
}

static sat_window_output take_output(fuzz_input *in)
{
    static const sat_type results[] = {SAT_TYPE_NONE, SAT_F64, SAT_F32, SAT_U8, SAT_I16, SAT_U32, SAT_I8, SAT_U64};
    sat_window_output o = {.statistic = names[take(in, 1) % NAMES], .result = results[take(in, 1) % 8]};
    o.compare = take_one_in(in, 8);
    if (take_one_in(in, 8)) {
        o.set = (unsigned)take(in, 1);
        for (int i = 0; i < SAT_PARAMETERS; i++) o.parameter[i] = take_real(in);
    }
    return o;
}

static sat_window_spec take_spec(fuzz_input *in, sat_window_output *outputs)
{
    static const sat_type samples[] = {SAT_U8, SAT_U16, SAT_F32, SAT_U32, SAT_I8, SAT_I16, SAT_I32, SAT_F64};
    sat_border_info border = {0};
    sat_window_spec s = {.width = 1 + (int64_t)(take(in, 1) % SIDE),
                         .height = 1 + (int64_t)(take(in, 1) % ROWS),
                         .channels = 1 + (int)(take(in, 1) % 4),
                         .sample = samples[take(in, 1) % 8],
                         .window_width = 1 + (int64_t)(take(in, 1) % WINDOW),
                         .window_height = 1 + (int64_t)(take(in, 1) % WINDOW),
                         .border = sat_border_at(take(in, 1) % 8, &border) ? border.name : NULL,
                         .anchor = take_one_in(in, 4) ? SAT_ANCHOR_FIRST : SAT_ANCHOR_SECOND,
                         .outputs = 1 + (int)(take(in, 1) % OUTPUTS),
                         .output = outputs,
                         .masked = take_one_in(in, 2),
                         .skip_nan = take_one_in(in, 2),
                         .has_nodata = take_one_in(in, 2),
                         .ddof = (int)(take(in, 1) % 3),
                         .nodata = (double)(take(in, 1) % 128),
                         .min_valid = take_min_valid(in),
                         .threads = take_threads(in)};
    for (int i = 0; i < OUTPUTS; i++) outputs[i] = take_output(in);
    for (int c = 0; border.takes_value && c < 4; c++) s.border_value[c] = (double)(take(in, 1) % 128);
    switch (take(in, 1) % 32) {
    case 0: s.width = take_int(in, 0, SIDE); break;
    case 1: s.channels = (int)take_int(in, 0, 5); break;
    case 2: s.sample = (sat_type)take_int(in, 0, 13); break;
    case 3: s.window_width = take_int(in, 0, WINDOW); break;
    case 4: s.window_height = take_int(in, 0, WINDOW); break;
    case 5: s.border = "no such border"; break;
    case 6: s.min_valid = take_real(in); break;
    case 7: s.ddof = (int)take_int(in, -1, 3); break;
    case 8: s.nodata = take_real(in); break;
    case 9: s.outputs = (int)take_int(in, 0, OUTPUTS); break;
    case 10: s.memory = (sat_memory)take_int(in, 0, 2); break;
    case 11: s.reserved[0] = true; break;
    case 12: s.empty_set = true, s.empty = take_real(in); break;
    case 13: s.border_value[0] = take_real(in); break;
    case 14: s.range = take_real(in); break;
    default: break;
    }
    if (s.outputs > OUTPUTS) s.output = NULL; /* there are no more; refused, or read out of bounds */
    return s;
}

/* Would it take more memory than a fuzzer has? */
static bool too_large(const sat_window_spec *s)
{
    enum { MOST = 1 << 12 };
    return s->width > MOST || (is_float(s->sample) && (s->window_width > MOST || s->window_height > MOST));
}

/* ---- the definition ---- */

typedef struct sums {
    int64_t n;
    __int128 whole, whole_squares;       /* of integer samples */
    long double sum, squares, magnitude; /* of float samples */
} sums;

static void add(sums *to, long double x, bool whole)
{
    to->n++;
    if (whole) {
        to->whole += (int64_t)x;
        to->whole_squares += (__int128)(int64_t)x * (int64_t)x;
        return;
    }
    to->sum += x;
    to->squares += x * x;
    to->magnitude += fabsl(x);
}

static sums window_at(const sat_window_spec *s, const sat_view *src, const sat_view *mask, int64_t x, int64_t y, int c)
{
    const char *border = s->border ? s->border : "shrink";
    const bool first = s->anchor == SAT_ANCHOR_FIRST, constant = strcmp(border, "constant") == 0;
    const int64_t left = x - (s->window_width - first) / 2, top = y - (s->window_height - first) / 2;
    const long double nodata = s->sample == SAT_F32 ? (float)s->nodata : s->nodata; /* sat_window.h */
    const bool whole = !is_float(s->sample);
    sums all = {0};
    for (int64_t j = top; j < top + s->window_height; j++)
        for (int64_t i = left; i < left + s->window_width; i++) {
            const int64_t px = border_position(border, i, s->width), py = border_position(border, j, s->height);
            if (px < 0 || py < 0) {
                if (constant) add(&all, (long double)s->border_value[c], whole);
                continue;
            }
            const long double value = load_sample(src, px, py, c);
            const bool skip_nan = s->skip_nan || (s->has_nodata && isnan(s->nodata));
            const bool counts = (!s->masked || load_sample(mask, px, py, 0) != 0) && !(skip_nan && isnan(value)) &&
                                !(s->has_nodata && value == nodata);
            if (counts) add(&all, value, whole);
        }
    return all;
}

/* Do as many samples count as the spec asks for?  0.07 of 100 are 7, although the double 0.07 is a little more. */
static bool enough(const sat_window_spec *s, int64_t n)
{
    const long double area = (long double)(s->window_width * s->window_height), least = s->min_valid;
    return n >= 1 && (long double)n >= (least < 1 ? least * area * (1 - 0x1p-50L) : least);
}

/* The result of a window where they do not. */
static bool is_empty_value(const sat_window_spec *s, sat_type result, long double is)
{
    const double empty = !s->empty_set ? NAN : result == SAT_F32 ? (float)s->empty : s->empty;
    return isnan(empty) ? isnan(is) : is == empty;
}

/* a / b to the nearest double, ties to even; b > 0 and below 2^32.  The dividend is shifted until its highest bit is
 * bit 126.  So the quotient has more than 90 bits, and its lowest can say whether there is a remainder. */
static double quotient(__int128 a, int64_t b)
{
    unsigned __int128 top = a < 0 ? -(unsigned __int128)a : (unsigned __int128)a;
    int shift = 0;
    if (top == 0) return 0;
    for (; top >> 126 == 0; shift++) top <<= 1;
    const unsigned __int128 q = top / (unsigned __int128)b | (top % (unsigned __int128)b != 0);
    const double magnitude = ldexp((double)q, -shift);
    return a < 0 ? -magnitude : magnitude;
}

/* Of integers every result is one quotient, and rounded to f32 where the result is. */
static bool is_exact(const sums *w, int ddof, char of, sat_type result, long double is)
{
    const double want = of == 's'   ? quotient(w->whole, 1)
                        : of == 'm' ? quotient(w->whole, w->n)
                                    : quotient(w->n * w->whole_squares - w->whole * w->whole, w->n * (w->n - ddof));
    return is == (result == SAT_F32 ? (float)want : want);
}

/* Of floats: the bounds of sat_window.h, and of a sum n times those of the mean.  Samples are multiples of a quarter
 * below 2^20, so that sums and sums of squares are exact here. */
static bool is_within(const sums *w, int ddof, char of, sat_type result, long double is)
{
    const long double n = (long double)w->n, e = 0x1p-53L, a = w->magnitude / n, free = n - ddof,
                      v = (n * w->squares - w->sum * w->sum) / (n * n), k = (6 * n + 40) * e;
    const long double of_mean = (n + 1) * e * a, of_var = (k * (v + a * sqrtl(v)) + k * k * a * a) * n / free;
    const long double exact = of == 's' ? w->sum : of == 'm' ? w->sum / n : v * n / free;
    const long double bound = of == 's' ? n * of_mean + fabsl(exact) * e : of == 'm' ? of_mean : of_var;
    return fabsl(is - exact) <= bound + (result == SAT_F32 ? (fabsl(exact) + bound) * 0x1p-24L : 0);
}

static const char *check_output(const sat_window_spec *s, const sat_window_output *o, const sat_view *src,
                                const sat_view *mask, const sat_view *result)
{
    static const char *const checked[] = {"count", "mean", "var", "sum"};
    char of = 0; /* its first letter */
    for (int i = 0; i < 4; i++)
        if (strcmp(o->statistic, checked[i]) == 0) of = checked[i][0];
    if (of == 0 || o->compare || o->set || !is_float(result->type)) return NULL;
    for (int64_t y = 0; y < s->height; y++)
        for (int64_t x = 0; x < s->width; x++)
            for (int c = 0; c < src->channels; c++) {
                const sums w = window_at(s, src, mask, x, y, c);
                const long double is = load_sample(result, x, y, c);
                if (of == 'c') {
                    if (is != (long double)w.n) return "a count is not that of the definition";
                } else if (!enough(s, w.n) || (of == 'v' && w.n <= s->ddof)) {
                    if (!is_empty_value(s, result->type, is)) return "a window where too few samples count has a value";
                } else if (!isfinite(w.sum)) {
                    if (isfinite(is)) return "a window with a value that is not finite has one";
                } else {
                    const bool right = is_float(s->sample) ? is_within(&w, (int)s->ddof, of, result->type, is)
                                                           : is_exact(&w, (int)s->ddof, of, result->type, is);
                    if (of == 'v' && is < 0) return "a variance below 0";
                    if (!right)
                        return of == 's'   ? "a sum is not that of the definition"
                               : of == 'm' ? "a mean is not that of the definition"
                                           : "a variance is not that of the definition";
                }
            }
    return NULL;
}

/* ---- a run ---- */

/* A pixel counts where a random byte is not below a level of the input's. */
static void fill_mask(fuzz_input *in, const sat_view *mask)
{
    const unsigned level = (unsigned)take(in, 1);
    fill_view(in, mask, false);
    for (int64_t y = 0; y < mask->height; y++)
        for (int64_t x = 0; x < mask->width; x++) {
            uint8_t *at = sample_at(mask, x, y, 0);
            if (*at < level) *at = 0;
        }
}

static const char *run_window(fuzz_input *in, sat_window *window, const sat_window_spec *s, block *from, block *over,
                              block *to)
{
    const int channels = s->channels ? s->channels : 1;
    sat_view src = take_view(in, from, s->width, s->height, channels, s->sample), results[OUTPUTS];
    sat_view mask = take_view(in, over, s->width, s->height, 1, SAT_U8);
    for (int i = 0; i < s->outputs; i++) {
        results[i] = take_view(in, &to[i], s->width, s->height, channels, sat_window_result(window, i));
        if (!results[i].data) return NULL;
    }
    if (!src.data || !mask.data) return NULL;
    const bool wild = is_float(s->sample) && take_one_in(in, 2);
    const bool spoilt = take_one_in(in, 4);
    sat_view right = src;
    fill_view(in, &src, wild);
    if (spoilt) spoil_view(in, &src, to);
    fill_mask(in, &mask);
    const bool same = view_right(&src) && views_alike(&src, &right) && view_inside(&src, from);
    if (spoilt && !same && view_right(&src)) return NULL; /* right, and elsewhere: not for this run */
    poison_if_wrong(&src);
    sat_status status = sat_window_run(window, &src, s->masked ? &mask : NULL, results, NULL);
    if (!view_right(&src)) return status == SAT_OK ? "a wrong view was taken" : NULL;
    if (status != SAT_OK) return "a right run was refused";
    for (int i = 0; i < s->outputs; i++) {
        if (!gaps_untouched(&results[i], &to[i])) return "bytes between the rows were written";
        /* only the first value of a border is ever odd; see is_within() */
        const double b = s->border_value[0];
        const bool known = !is_float(s->sample) || (fabs(b) < 0x1p20 && 4 * b == floor(4 * b));
        const char *why = known ? check_output(s, &s->output[i], &src, &mask, &results[i]) : NULL;
        if (why) return why;
    }
    return NULL;
}

static const char *run(const uint8_t *bytes, size_t n)
{
    fuzz_input in = {bytes, n};
    sat_window_output outputs[OUTPUTS];
    sat_window_spec s = take_spec(&in, outputs);
    sat_window *window = (sat_window *)&window;
    const char *why = NULL;
    if (too_large(&s)) return NULL;
    sat_status status = sat_window_create(&window, &s);
    if ((status == SAT_OK) != (window != NULL)) why = "a status and an object that disagree";
    if (status != SAT_OK && !*sat_detail()) why = "a failure without a line that says why";
    block from = {0}, over = {0}, to[OUTPUTS] = {{0}};
    bool memory = block_alloc(&from) && block_alloc(&over);
    for (int i = 0; i < OUTPUTS; i++) memory = memory && block_alloc(&to[i]);
    if (!why && window && memory && s.width <= SIDE && s.height <= ROWS && s.window_width <= WINDOW &&
        s.window_height <= WINDOW)
        why = run_window(&in, window, &s, &from, &over, to);
    sat_window_destroy(&window);
    free(from.bytes);
    free(over.bytes);
    for (int i = 0; i < OUTPUTS; i++) free(to[i].bytes);
    return why;
}

const fuzz_target fuzz = {.run = run};
