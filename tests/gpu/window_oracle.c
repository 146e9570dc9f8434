/* window_oracle.c - a statistic of one window of float samples, from its definition, in long double.
 *
 * Samples are visited twice: once for n, the sum and the sum of absolute values, once for the squared distances from
 * the mean.  sat_window.h bounds the errors of mean and variance.  A formula of them may be off by what it changes when
 * each of them is moved by its bound. */
#include "window_oracle.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "../borders.h"
#include "sat_image.h"

typedef long double real;

/* Of the samples that count. */
typedef struct features {
    real n, sum, mean, var, squares; /* squares: their mean */
    real size;                       /* mean of absolute values */
    real x;                          /* the pixel */
    window_extremes of_image;
    bool finite, alike; /* all samples are */
} features;

static real sample_at(const sat_view *v, int64_t row, int64_t element)
{
    const char *at = (const char *)v->data + row * v->row_bytes;
    return v->type == SAT_F32 ? (real)((const float *)at)[element] : (real)((const double *)at)[element];
}

static bool counts(const sat_window_spec *s, const sat_view *src, const sat_view *mask, int64_t row, int64_t x, int c)
{
    const real v = sample_at(src, row, x * s->channels + c);
    if (mask && ((const uint8_t *)mask->data)[row * mask->row_bytes + x] == 0) return false;
    return !(s->skip_nan && isnan(v)) && !(s->has_nodata && v == (real)s->nodata);
}

static features features_of(const sat_window_spec *s, const sat_view *src, const sat_view *mask, int64_t row,
                            int64_t element)
{
    const bool second = s->anchor == SAT_ANCHOR_SECOND, has_value = strcmp(s->border, "constant") == 0;
    const int64_t x = element / s->channels, y = row % s->height, top = row - y;
    const int64_t left = x - (second ? s->window_width / 2 : (s->window_width - 1) / 2),
                  first = y - (second ? s->window_height / 2 : (s->window_height - 1) / 2);
    const int c = (int)(element % s->channels);
    features f = {.x = sample_at(src, row, element), .finite = true, .alike = true};
    real least = INFINITY, most = -INFINITY;
    for (int pass = 0; pass < 2; pass++) {
        for (int64_t i = first; i < first + s->window_height; i++)
            for (int64_t k = left; k < left + s->window_width; k++) {
                const int64_t from = border_position(s->border, i, s->height),
                              column = border_position(s->border, k, s->width);
                const bool outside = from < 0 || column < 0;
                if (outside ? !has_value : !counts(s, src, mask, top + from, column, c)) continue;
                const real v =
                    outside ? (real)s->border_value[c] : sample_at(src, top + from, column * s->channels + c);
                if (pass == 1) {
                    f.var += (v - f.mean) * (v - f.mean);
                    continue;
                }
                f.n++;
                f.sum += v;
                f.size += fabsl(v);
                f.finite = f.finite && isfinite(v);
                least = fminl(least, v);
                most = fmaxl(most, v);
            }
        if (pass == 0) f.mean = f.sum / f.n;
    }
    f.size /= f.n;
    f.alike = least == most;
    f.squares = f.var / f.n + f.mean * f.mean;
    f.var /= f.n - (real)s->ddof;
    return f;
}

/* The formulas that sat_window.h lists, with its parameters. */
static real statistic_of(const sat_window_spec *s, const sat_window_output *o, const features *f)
{
    static const struct {
        const char *name;
        double p[SAT_PARAMETERS];
        bool of_range; /* p[1] is a share of it */
    } known[] = {{"bradley", {0.15}, false},
                 {"niblack", {-0.2}, false},
                 {"sauvola", {0.2, 0.5}, true},
                 {"nick", {-0.1}, false},
                 {"phansalkar", {0.25, 0.5, 2, 10}, true}};
    const char *name = o->statistic;
    const real range = s->range > 0 ? (real)s->range : 1, std = sqrtl(f->var);
    real p[SAT_PARAMETERS] = {0};
    if (strcmp(name, "wolf") == 0) p[0] = 0.5L, p[1] = sqrtl(f->of_image.var);
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        for (int k = 0; k < SAT_PARAMETERS && strcmp(name, known[i].name) == 0; k++)
            p[k] = (real)known[i].p[k] * (k == 1 && known[i].of_range ? range : 1);
    for (int k = 0; k < SAT_PARAMETERS; k++)
        if (o->set >> k & 1) p[k] = (real)o->parameter[k];
    if (strcmp(name, "mean") == 0) return f->mean - p[0];
    if (strcmp(name, "sum") == 0) return f->sum;
    if (strcmp(name, "count") == 0) return f->n;
    if (strcmp(name, "var") == 0) return f->var;
    if (strcmp(name, "std") == 0) return std;
    if (strcmp(name, "rms") == 0) return sqrtl(f->squares);
    if (strcmp(name, "norm") == 0) return f->var > 0 ? (f->x - f->mean) / std : 0;
    if (strcmp(name, "bradley") == 0) return f->mean * (1 - p[0]);
    if (strcmp(name, "niblack") == 0) return f->mean + p[0] * std;
    if (strcmp(name, "sauvola") == 0) return f->mean * (1 + p[0] * (std / p[1] - 1));
    if (strcmp(name, "wolf") == 0)
        return f->mean + p[0] * ((p[1] > 0 ? std / p[1] : 0) - 1) * (f->mean - f->of_image.low);
    if (strcmp(name, "nick") == 0) return f->mean + p[0] * sqrtl(fmaxl(f->squares - f->mean * f->mean / f->n, 0));
    return f->mean * (1 + p[2] * expl(-p[3] * f->mean / range) + p[0] * (std / p[1] - 1));
}

static real error_of_var(const sat_window_spec *s, const features *f)
{
    const real e = 0x1p-53L, factor = 6 * f->n + 40, ddof = f->n / (f->n - (real)s->ddof), var = f->var / ddof;
    if (f->alike) return 0;
    return ddof * (factor * e * (var + f->size * sqrtl(var)) + factor * factor * e * e * f->size * f->size);
}

/* How far a result may lie from the value: what it changes when sum, mean, variance and mean of squares are moved by
 * their bounds, and its own rounding.  A variance of samples that are all alike is 0. */
static real tolerance_of(const sat_window_spec *s, const sat_window_output *o, const features *f, real value)
{
    const real e = 0x1p-53L, ddof = f->n / (f->n - (real)s->ddof), of_mean = (f->n + 1) * e * f->size,
               of_var = error_of_var(s, f);
    real most = 0;
    for (int way = -1; way <= 1; way += 2) {
        features moved[5] = {*f, *f, *f, *f, *f};
        moved[0].mean += way * of_mean;
        moved[1].var = fmaxl(f->var + way * of_var, 0);
        moved[2].squares = fmaxl(f->squares + way * (of_var / ddof + 2 * f->size * of_mean + of_mean * of_mean), 0);
        moved[3].sum += way * of_mean * f->n;
        moved[4].of_image.var = fmaxl(f->of_image.var + way * f->of_image.off, 0);
        real all = 0;
        for (int i = 0; i < 5; i++) all += fabsl(statistic_of(s, o, &moved[i]) - value);
        most = fmaxl(most, all);
    }
    /* exp() may be wrong by a few units, and the terms of a formula are larger than what they add up to. */
    const bool one_term = strcmp(o->statistic, "var") == 0 || strcmp(o->statistic, "std") == 0;
    return most + 16 * e * (fabsl(value) + (one_term ? 0 : fabsl(f->mean))) + (f->alike && one_term ? 0 : 0x1p-1060L);
}

/* As the output's type has it: to nearest, halves away from zero, cut to its range. */
static real stored(const sat_window_output *o, real v)
{
    if (o->result == SAT_F64) return (real)(double)v;
    if (o->result == SAT_F32) return (real)(float)v;
    const bool is_signed = o->result == SAT_I8 || o->result == SAT_I16 || o->result == SAT_I32;
    const real most = (real)sat_type_largest(o->result), least = is_signed ? -most - 1 : 0;
    return fminl(fmaxl(roundl(v), least), most);
}

/* Samples that must count, for a variance or not. */
static real least_of(const sat_window_spec *s, bool variance)
{
    const real share = s->min_valid * (real)s->window_width * (real)s->window_height;
    const real least = s->min_valid < 1 ? ceill(share) : (real)s->min_valid;
    return fmaxl(variance && least <= (real)s->ddof ? (real)s->ddof + 1 : least, 1);
}

window_extremes window_extremes_of(const sat_window_spec *s, const sat_view *src, const sat_view *mask, int64_t image)
{
    window_extremes e = {.low = INFINITY};
    for (int64_t row = image * s->height; row < (image + 1) * s->height; row++)
        for (int64_t i = 0; i < s->width * s->channels; i++) {
            const features f = features_of(s, src, mask, row, i);
            if (counts(s, src, mask, row, i / s->channels, (int)(i % s->channels)) && f.x < e.low) e.low = f.x;
            if (f.n >= least_of(s, true) && f.var > e.var) e.var = f.var, e.off = error_of_var(s, &f);
        }
    return e;
}

bool window_agrees(const sat_window_spec *s, const sat_window_output *o, const sat_view *src, const sat_view *mask,
                   const window_extremes *extremes, int64_t row, int64_t element, double is, double *want)
{
    features f = features_of(s, src, mask, row, element);
    if (extremes) f.of_image = *extremes;
    const bool real_result = o->result == SAT_F32 || o->result == SAT_F64;
    const bool is_count = strcmp(o->statistic, "count") == 0;
    sat_statistic_info info;
    for (size_t i = 0; sat_statistic_at(i, &info) && strcmp(info.name, o->statistic) != 0;) i++;
    if (!is_count && (f.n < least_of(s, info.variance) || (extremes && isinf(extremes->low)))) {
        const double empty = s->empty_set ? s->empty : real_result ? (double)NAN : 0;
        *want = o->compare ? 0 : (double)stored(o, (real)empty);
        return o->compare || !isnan(*want) ? is == *want : isnan(is);
    }
    const real value = is_count ? f.n : statistic_of(s, o, &f);
    *want = (double)stored(o, value);
    /* A window with a NaN or an infinity. */
    if (extremes && extremes->var > DBL_MAX) return true;
    if (!is_count && strcmp(o->statistic, "rms") == 0 && real_result && isinf(f.sum))
        return isinf(is); /* of one sign */
    if (!is_count && !f.finite) return !real_result || !isfinite(is);
    /* Squares that an f64 cannot hold: infinity, or no number. */
    const bool squares = info.variance || strcmp(o->statistic, "rms") == 0 || strcmp(o->statistic, "nick") == 0;
    if (squares && f.squares * f.n * f.n > DBL_MAX && (!real_result || !isfinite(is))) return true;
    const real off = is_count ? 0 : tolerance_of(s, o, &f, value);
    if (!o->compare) return stored(o, value - off) <= (real)is && (real)is <= stored(o, value + off);
    *want = f.x > value ? 255 : 0;
    return is == *want || fabsl(f.x - value) <= off;
}
