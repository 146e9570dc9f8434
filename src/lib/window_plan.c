/* window_plan.c - a window's spec, resolved for backends. */
#include <math.h>
#include <string.h>

#include "sat_image.h"
#include "status.h"
#include "types.h"
#include "window_plan.h"

double sat_window_least(const sat_window_plan *plan, const sat_window_spec *spec, unsigned needs)
{
    const double ddof = (double)spec->ddof;
    return needs & SAT_NEEDS_VAR && plan->least <= ddof ? ddof + 1 : plan->least;
}

static double parameter(const sat_statistic *s, const sat_window_output *given, int i, double range)
{
    const sat_parameter_info *p = &s->info.parameter[i];
    return given->set >> i & 1 ? given->parameter[i] : p->in_range ? p->value * range : p->value;
}

sat_box_spec sat_window_box(const sat_window_spec *s)
{
    sat_box_spec box = {.width = s->width,
                        .height = s->height,
                        .channels = s->channels,
                        .sample = s->sample,
                        .window_width = s->window_width,
                        .window_height = s->window_height,
                        .border = s->border,
                        .anchor = s->anchor,
                        .threads = s->threads,
                        .count = s->count,
                        .executor = s->executor,
                        .result = SAT_F64,
                        .band_rows = s->band_rows};
    memcpy(box.border_value, s->border_value, sizeof box.border_value);
    return box;
}

bool sat_window_reaches_far(const sat_window_spec *s)
{
    const sat_border *border = sat_border_find(s->border);
    if (!sat_is_float(s->sample) || border->shrinks || border->takes_value) return false;
    return s->window_width / 2 > s->width || s->window_height / 2 > s->height;
}

/* The largest value of a result that is an integer; 0 where there is none. */
static double largest_integer(const sat_window_plan *plan, const sat_window_spec *spec, unsigned needs)
{
    if (needs & SAT_IS_COUNT) return (double)plan->window.area_px;
    return needs & SAT_IS_SUM && !sat_is_float(spec->sample)
               ? (double)plan->window.area_px * (double)plan->window.largest
               : 0;
}

/* Refuses a float type that cannot store every possible sum or count exactly: f32 above 2^24, f64 above 2^53. */
static sat_status check_exact(double largest, const sat_window_output *o)
{
    const double exact = o->result == SAT_F32 ? 0x1p24 : 0x1p53;
    if (!sat_is_float(o->result) || largest <= exact) return SAT_OK;
    if (largest <= 0x1p53)
        return sat_fail(SAT_ERR_RANGE, "%s: it can reach %.0f, and f32 is exact up to 2^24; ask for f64", o->statistic,
                        largest);
    return sat_fail(SAT_ERR_RANGE,
                    "%s: it can reach %.0f, and f64 is exact up to 2^53; sums of rectangles have 64 bits", o->statistic,
                    largest);
}

sat_type sat_statistic_result(const char *statistic, sat_type sample, int64_t window_px)
{
    const sat_statistic *s = sat_statistic_get(sat_statistic_find(statistic));
    const sat_type real = sat_real_type(sample);
    if (s == NULL || real == SAT_TYPE_NONE) return SAT_TYPE_NONE;
    const bool wide =
        (s->needs & SAT_IS_SUM && !sat_is_float(sample)) || (s->needs & SAT_IS_COUNT && (double)window_px > 0x1p24);
    return wide ? SAT_F64 : real;
}

sat_status sat_window_plan_of(const sat_window_spec *spec, sat_window_plan *plan)
{
    const sat_box_spec box = sat_window_box(spec);
    *plan = (sat_window_plan){0};
    sat_status status = sat_box_window_of(&box, &plan->window);
    if (status != SAT_OK) return status;
    if (sat_window_reaches_far(spec) && spec->window_width > SAT_FAR_PX / spec->channels / spec->window_height)
        return sat_fail(SAT_ERR_RANGE,
                        "a window %lld wide and %lld high reaches beyond the image by more than its size; with border "
                        "%s, a window of floats that does may have at most %lld samples, pixels times channels",
                        (long long)spec->window_width, (long long)spec->window_height, plan->window.border->name,
                        (long long)SAT_FAR_PX);
    plan->validity = spec->masked || spec->has_nodata || spec->skip_nan;
    plan->largest = spec->range;
    const double whole = (double)spec->window_width * (double)spec->window_height;
    /* 0.07 of 100 is 7, although the product is a little more */
    plan->least = spec->min_valid < 1 ? ceil(spec->min_valid * whole * (1 - 0x1p-50)) : spec->min_valid;
    if (plan->least < 1) plan->least = 1;
    for (int i = 0; i < spec->outputs; i++) {
        const sat_window_output *given = &spec->output[i];
        sat_window_result_plan *r = &plan->result[i];
        r->statistic = sat_statistic_find(given->statistic);
        const sat_statistic *s = sat_statistic_get(r->statistic);
        if (!given->compare) status = check_exact(largest_integer(plan, spec, s->needs), given);
        if (status != SAT_OK) return status;
        r->type = given->result;
        r->compare = given->compare;
        r->of_image = s->needs & SAT_NEEDS_EXTREMES;
        r->may_be_empty =
            r->statistic != SAT_STATISTIC_count && (plan->validity || spec->min_valid > 0 || spec->ddof > 0);
        r->least = sat_window_least(plan, spec, s->needs);
        r->empty = spec->empty_set ? spec->empty : sat_is_float(given->result) ? NAN : 0;
        r->avoids = spec->avoid_empty && !r->compare && r->may_be_empty;
        if (r->compare) r->empty = INFINITY;
        for (int k = 0; k < SAT_PARAMETERS; k++) r->p[k] = parameter(s, given, k, spec->range);
        plan->needs |= s->needs | (r->compare || s->needs & SAT_NEEDS_EXTREMES ? SAT_NEEDS_PIXEL : 0);
    }
    /* Squares of 32-bit samples are summed in halves. */
    const uint64_t m = plan->window.largest;
    const bool squares = plan->needs & (SAT_NEEDS_VAR | SAT_NEEDS_SQUARES), halves = m > UINT32_MAX / 2;
    if (squares && !sat_sum_fits(plan->window.area_px, halves ? UINT32_MAX : m * m, halves ? 64 : 63))
        return sat_fail(SAT_ERR_RANGE,
                        "a window %lld wide and %lld high: 64 bits cannot hold its sums of squares of %s samples",
                        (long long)spec->window_width, (long long)spec->window_height, sat_type_name(spec->sample));
    return SAT_OK;
}
