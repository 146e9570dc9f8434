/* rect_job.c - rectangles that are asked of an image, checked and answered. */
#include "rect_job.h"

#include "choose.h"
#include "pool.h"
#include "shape.h"
#include "sized.h"
#include "status.h"

sat_rect_status sat_rect_job_status(const sat_rect_job *j, size_t i, sat_rect *touched, sat_edges *e)
{
    const sat_reader *b = &j->bounds;
    sat_rect_status status = SAT_RECT_INSIDE;
    if (j->whole)
        *touched = j->whole[i];
    else
        status = sat_edges_of(b->width, b->height, b->clip, &j->reals[i], e, touched);
    return status == SAT_RECT_INSIDE ? sat_rect_validate(b, touched) : status;
}

static sat_rect_status status_at(const void *context, size_t i)
{
    sat_rect touched;
    sat_edges e;
    return sat_rect_job_status(context, i, &touched, &e);
}

/* What is wrong with rectangle i. */
static sat_status refuse(const sat_rect_job *j, size_t i)
{
    char sides[SAT_SIDES_BYTES];
    sat_rect touched;
    sat_edges e;
    const sat_rect_status status = sat_rect_job_status(j, i, &touched, &e);
    if (j->whole)
        sat_rect_sides(&j->whole[i], sides);
    else
        sat_rect_sides_f64(&j->reals[i], sides);
    if (j->reals && sat_rect_has_nan(&j->reals[i]))
        return sat_fail(SAT_ERR_RECT, "rectangle %zu (%s) has a side that is no number", i, sides);
    if (status != SAT_RECT_TOO_LARGE) return sat_reader_refuse(NULL, &j->bounds, status, i, sides);
    return sat_fail(SAT_ERR_RANGE,
                    "rectangle %zu (%s) has more than the %lld pixels whose sum of %s samples fits 64 bits", i, sides,
                    (long long)j->bounds.limit_px, sat_type_name(j->image.type));
}

sat_status sat_rect_job_check(const sat_rect_job *j, const sat_run *run, int threads)
{
    size_t bad;
    const sat_status status = sat_first_bad(
        run, j->given.executor, sat_threads_worth((double)j->n, SAT_SHARE_RECTS, threads), j->n, status_at, j, &bad);
    return status != SAT_OK || bad == j->n ? status : refuse(j, bad);
}

sat_status sat_rect_job_open(sat_rect_job *j, bool masked, const sat_statistics *ask, size_t ask_bytes)
{
    sat_status status = sat_take_struct(&j->given, sizeof j->given, ask, ask_bytes, "statistics");
    if (status == SAT_OK) status = sat_rect_ask_of(&j->given, true, &j->ask);
    if (status != SAT_OK) return status;
    j->valid = (sat_valid){j->given.skip_nan, j->given.has_nodata, j->given.nodata};
    status = sat_valid_take(&j->valid.skip_nan, &j->valid.has_nodata, &j->valid.nodata, j->image.type);
    j->masked = masked;
    j->holes = j->masked || j->valid.skip_nan || j->valid.has_nodata;
    if (status == SAT_OK) status = sat_check_threads(j->given.threads);
    if (status == SAT_OK) status = sat_check_executor(j->given.executor);
    if (status != SAT_OK) return status;
    if (j->whole == NULL && j->reals == NULL && j->n > 0) return sat_fail(SAT_ERR_ARGUMENT, "no rectangles");
    if (j->ask.areas && j->reals)
        return sat_fail(SAT_ERR_ARGUMENT, "areas of rectangles with fractions are no integers: areas_f64 takes them");
    if (j->given.flags & ~(unsigned)SAT_CLIP) return sat_fail(SAT_ERR_ARGUMENT, "unknown flags");
    const sat_view *v = &j->image;
    const sat_type sums = sat_is_float(v->type) ? SAT_F64 : sat_is_signed(v->type) ? SAT_I64 : SAT_U64;
    j->bounds = (sat_reader){.width = v->width,
                             .height = v->height,
                             .x_max = v->width,
                             .y_max = v->height,
                             .clip = j->given.flags & SAT_CLIP,
                             .limit_px = sat_largest_area(v->type, sums, NULL)};
    j->counts = j->ask.sums;
    for (int i = 0; i < SAT_RECT_STATISTICS; i++) j->counts = j->counts || j->ask.values[i];
    return SAT_OK;
}

void sat_rect_job_put(const sat_rect_job *j, int64_t image, size_t i, const sat_rect *touched, sat_pieces *at,
                      const sat_totals *t)
{
    const sat_rect_ask *ask = &j->ask;
    const int channels = j->image.channels;
    for (int c = 0; j->counts && c < channels; c++) {
        const size_t to = ((size_t)image * j->n + i) * (size_t)channels + (size_t)c;
        sat_rect_features f;
        sat_sum sum = {0};
        if (touched) {
            sum = sat_totals_answer(j->image.type, at, t + (ptrdiff_t)c * at->n, ask, j->reals, &f);
            sat_rect_put(ask, to, &f);
            sat_rect_put_area(ask, to, at->area);
        } else {
            sat_rect_put_nothing(ask, to);
        }
        if (ask->sums) ask->sums[to] = sum;
    }
    if (ask->areas && image == 0) ask->areas[i] = touched ? touched->width * touched->height : 0;
    if (ask->areas_f64 && image == 0) ask->areas_f64[i] = touched ? at->area : 0;
}
