/* box.c - a box filter: its spec, and its public functions. */
#include "filter.h"
#include "sat_bytes.h"
#include "shape.h"
#include "box_window.h"

struct sat_box {
    sat_filter filter;
    sat_box_spec spec;
};

static sat_status check(void *spec)
{
    sat_box_spec *s = spec;
    sat_box_window window;
    const sat_status status = sat_box_window_of(s, &window);
    if (s->result == SAT_TYPE_NONE) s->result = s->sample;
    return status;
}

static sat_job job(void *spec)
{
    sat_box_spec *s = spec;
    return (sat_job){SAT_JOB_OF(s), .result = &s->result, SAT_JOB_WINDOW(s)};
}

static const sat_border *reach(const void *spec, int64_t *above, int64_t *below)
{
    const sat_box_spec *s = spec;
    return sat_window_reach(s->border, s->window_height, s->anchor, above, below);
}

#define OWN(member) SAT_MEMBER(sat_box_spec, member)
const sat_operation sat_operation_box = {
    SAT_OPERATION_OF(box),
    .noun = "box filter",
    .integers_per_us = 1400,
    .floats_per_us = 600,
    .any = &sat_box_tables,
    .members = {OWN(window_width), OWN(window_height), OWN(border), OWN(border_value), OWN(weighted_alpha), OWN(anchor),
                OWN(result)},
    .job = job,
    .check = check,
    .reach = reach,
};

SAT_FILTER(box, band_rows)

sat_status sat_box_run_sized(sat_box *box, const sat_view *src, const sat_view *dst, const sat_run_options *run,
                             size_t run_bytes)
{
    return sat_filter_run((sat_filter *)box, &sat_operation_box, src, NULL, dst, run, run_bytes);
}
