/* ---- the toy: what an option of the command adds to src/cli/filter_kinds.c, beside its row of kinds[] ----------- */

#include "sat_toy.h"

STREAM_OF(toy, sat_toy_run(o, src, NULL, results, run))

static sat_status open_toy(stream *s, const filter_pass *p, stream_filter *f, error *err)
{
    const double *number = p->j->filter.number;
    const sat_toy_spec spec = {FILTER_PASS(p), .reach = (int64_t)number[0], .gain = number[1],
                               .masked = p->valid.masked, .result = p->result};
    return stream_make(s, &stream_toy, &spec, f, err);
}

static bool takes_reach(const double *number)
{
    return number[0] == (double)(int64_t)number[0];
}
