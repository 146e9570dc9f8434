/* window.c - window statistics: their spec, and their public functions. */
#include <math.h>

#include "filter.h"
#include "sat_image.h"
#include "shape.h"
#include "statistic.h"
#include "valid.h"
#include "window_plan.h"

struct sat_window {
    sat_filter filter;
    sat_window_spec spec;
    sat_window_output output[SAT_OUTPUTS];
};

/* ---- the spec ------------------------------------------------------------------------------------------ */

static sat_status take_output(const sat_window_spec *s, const sat_window_output *given, sat_window_output *o)
{
    *o = *given;
    const sat_statistic *statistic = sat_statistic_get(sat_statistic_find(o->statistic));
    if (statistic == NULL)
        return sat_fail(SAT_ERR_ARGUMENT, "no statistic is called '%s'", o->statistic ? o->statistic : "");
    o->statistic = statistic->info.name; /* the caller's may go */
    if (o->result == SAT_TYPE_NONE)
        o->result = o->compare
                        ? SAT_U8
                        : sat_statistic_result(o->statistic, s->sample, sat_area(s->window_width, s->window_height));
    if (o->compare && o->result != SAT_U8)
        return sat_fail(SAT_ERR_TYPE, "%s: pixels compared with it are u8, not %s", o->statistic,
                        sat_type_name(o->result));
    if (sat_sample_max(o->result) == 0 && !sat_is_float(o->result))
        return sat_fail(SAT_ERR_TYPE, "%s: results of type %s; integers of 8 to 32 bits, f32 and f64 are possible",
                        o->statistic, sat_type_name(o->result));
    if (s->band_rows && statistic->info.whole_image && !s->has_extremes)
        return sat_fail(SAT_ERR_UNAVAILABLE,
                        "%s: has extremes of the whole image, of which runs see some rows (has_extremes)",
                        o->statistic);
    for (int i = 0; i < SAT_PARAMETERS; i++) {
        if (!(o->set >> i & 1)) continue;
        if (statistic->info.parameter[i].name == NULL)
            return sat_fail(SAT_ERR_ARGUMENT, "%s has no parameter %d", o->statistic, i);
        const sat_parameter_info *p = &statistic->info.parameter[i];
        if (!isfinite(o->parameter[i]))
            return sat_fail(SAT_ERR_ARGUMENT, "%s: the parameter %s is not finite", o->statistic, p->name);
        if (p->positive && o->parameter[i] <= 0)
            return sat_fail(SAT_ERR_ARGUMENT, "%s: the parameter %s is %g; it must be above 0", o->statistic, p->name,
                            o->parameter[i]);
    }
    if (o->set >> SAT_PARAMETERS) return sat_fail(SAT_ERR_ARGUMENT, "%s has no such parameter", o->statistic);
    sat_status status = sat_check_reserved(o->reserved, sizeof o->reserved);
    return status == SAT_OK ? sat_check_reserved(&o->reserved_word, sizeof o->reserved_word) : status;
}

static sat_status check_windows(const sat_window_spec *s)
{
    sat_box_window window;
    const sat_box_spec box = sat_window_box(s);
    sat_status status = sat_box_window_of(&box, &window);
    if (status == SAT_OK) status = sat_check_reserved(s->reserved, sizeof s->reserved);
    if (status == SAT_OK) status = sat_check_reserved(s->reserved_extremes, sizeof s->reserved_extremes);
    if (status == SAT_OK && s->has_extremes && !(s->lowest == s->lowest && s->largest_var >= 0))
        status =
            sat_fail(SAT_ERR_ARGUMENT, "extremes of %g and %g; a sample, and a variance of 0 or more, are possible",
                     s->lowest, s->largest_var);
    if (status != SAT_OK) return status;
    const double least = s->min_valid;
    if (!(least >= 0 && least <= 0x1p53) || (least >= 1 && least != floor(least)))
        return sat_fail(SAT_ERR_ARGUMENT,
                        "min_valid is %.17g; a share below 1 or a whole number of samples is possible", least);
    if (s->ddof < 0) return sat_fail(SAT_ERR_ARGUMENT, "ddof is %lld; 0 or more is possible", (long long)s->ddof);
    if (s->outputs < 1 || s->outputs > SAT_OUTPUTS || s->output == NULL)
        return sat_fail(SAT_ERR_ARGUMENT, "%d outputs; 1 to %d are possible", s->outputs, SAT_OUTPUTS);
    return SAT_OK;
}

/* The range that statistics read. */
static sat_status take_range(sat_window_spec *s)
{
    const bool is_float = sat_is_float(s->sample);
    const double most = is_float ? 1 : (double)sat_sample_max(s->sample);
    if (s->range == 0) s->range = most;
    if (is_float ? s->range > 0 && isfinite(s->range) : s->range >= 1 && s->range <= most) return SAT_OK;
    if (is_float) return sat_fail(SAT_ERR_ARGUMENT, "a range of %g; it is finite and above 0", s->range);
    return sat_fail(SAT_ERR_ARGUMENT, "a range of %.17g; of %s samples it is 1 to %.0f", s->range,
                    sat_type_name(s->sample), most);
}

static sat_status check(void *spec)
{
    sat_window_spec *s = spec;
    sat_status status = check_windows(s);
    if (status == SAT_OK) status = SAT_VALID_TAKE(s);
    return status == SAT_OK ? take_range(s) : status;
}

static sat_status keep(void *object, sat_type *types, int *results)
{
    sat_window *w = object;
    sat_status status = SAT_OK;
    *results = w->spec.outputs;
    for (int i = 0; i < w->spec.outputs && status == SAT_OK; i++) {
        status = take_output(&w->spec, &w->spec.output[i], &w->output[i]);
        types[i] = w->output[i].result;
    }
    w->spec.output = w->output;
    return status;
}

static const char *host_only(const void *spec)
{
    const sat_window_spec *s = spec;
    if (s->avoid_empty) return "results that avoid the empty one (avoid_empty)";
    if (s->has_extremes) return "extremes of images that are given (has_extremes)";
    if (sat_window_reaches_far(s)) return "windows of floats that reach beyond the image by more than its size";
    return s->keep_holes ? "windows that keep holes (keep_holes)" : NULL;
}

static const sat_border *reach(const void *spec, int64_t *above, int64_t *below)
{
    const sat_window_spec *s = spec;
    return sat_window_reach(s->border, s->window_height, s->anchor, above, below);
}

static sat_job job(void *spec)
{
    sat_window_spec *s = spec;
    return (sat_job){SAT_JOB_OF(s), .masked = &s->masked, SAT_JOB_WINDOW(s)};
}

/* ---- windows ------------------------------------------------------------------------------------------- */

#define OWN(member) SAT_MEMBER(sat_window_spec, member)
const sat_operation sat_operation_window = {
    SAT_OPERATION_OF(window),
    .noun = "window",
    .missing = "window statistics",
    .integers_per_us = 250,
    .floats_per_us = 100,
    .members = {OWN(window_width), OWN(window_height), OWN(border),     OWN(border_value), OWN(anchor),
                OWN(outputs),      OWN(output),        OWN(masked),     OWN(skip_nan),     OWN(has_nodata),
                OWN(empty_set),    OWN(avoid_empty),   OWN(keep_holes), OWN(ddof),         OWN(nodata),
                OWN(min_valid),    OWN(empty),         OWN(range),      OWN(has_extremes), OWN(lowest),
                OWN(largest_var)},
    .job = job,
    .check = check,
    .reach = reach,
    .host_only = host_only,
    .keep = keep,
};

SAT_FILTER(window, largest_var)

sat_status sat_window_run_sized(sat_window *window, const sat_view *src, const sat_view *mask, const sat_view *results,
                                const sat_run_options *run, size_t run_bytes)
{
    return sat_filter_run((sat_filter *)window, &sat_operation_window, src, mask, results, run, run_bytes);
}

sat_status sat_window_wait(sat_window *window, void *stream)
{
    return sat_filter_wait((sat_filter *)window, &sat_operation_window, stream);
}

sat_type sat_window_result(const sat_window *window, int i)
{
    return window && i >= 0 && i < window->spec.outputs ? window->output[i].result : SAT_TYPE_NONE;
}
