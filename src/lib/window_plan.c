/* window_plan.c - a window's spec, resolved for backends. */
#include <math.h>

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

sat_status sat_window_plan_of(const sat_window_spec *spec, sat_window_plan *plan)
{
    const sat_box_spec box = sat_window_box(spec);
    *plan = (sat_window_plan){0};
    sat_status status = sat_box_window_of(&box, &plan->window);
    if (status != SAT_OK) return status;
    const sat_axis *x = &plan->window.x, *y = &plan->window.y;
    const bool repeats = !x->border->shrinks && !x->border->takes_value;
    if (sat_is_float(spec->sample) && repeats &&
        (x->before > x->n || x->after > x->n || y->before > y->n || y->after > y->n))
        return sat_fail(
            SAT_ERR_RANGE,
            "a window %lld wide and %lld high reaches beyond the image by more than its size, which border %s of "
            "floats does not do: here %lld wide and %lld high at most",
            (long long)spec->window_width, (long long)spec->window_height, x->border->name,
            /* Sides are below 2^62.  NOLINTNEXTLINE(bugprone-misplaced-widening-cast) */
            (long long)(2 * x->n + 1), (long long)(2 * y->n + 1));
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
