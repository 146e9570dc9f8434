/* reader.c - tables and rectangles checked, and what is wrong with them in words. */
#include "reader.h"

#include <stdatomic.h>
#include <stdio.h>

#include "c_numbers.h"
#include "pool.h"
#include "shape.h"
#include "sized.h"
#include "status.h"

sat_status sat_reader_open(sat_reader *r, sat_table *t, unsigned flags)
{
    const sat_view *v = &t->view;
    sat_status status = sat_take_view(&t->view, v, "table");
    if (status != SAT_OK) return status;
    status = sat_check_apart(v, "table");
    if (status != SAT_OK) return status;
    if (v->memory == SAT_DEVICE && !sat_is_plain(v))
        return sat_fail(SAT_ERR_ARGUMENT, "table: in device memory, a table has rows top to bottom, without gaps");
    if ((unsigned)t->layout > SAT_EXCLUSIVE) return sat_fail(SAT_ERR_ARGUMENT, "unknown layout");
    if (flags & ~(unsigned)SAT_CLIP) return sat_fail(SAT_ERR_ARGUMENT, "unknown flags");
    if (t->power == 0) t->power = 1;
    status = sat_check_reserved(t->reserved, sizeof t->reserved);
    if (status != SAT_OK) return status;
    if (!sat_is_power(t->power))
        return sat_fail(SAT_ERR_ARGUMENT, "table: of samples to the power of %d; 1, 2 and SAT_COUNTS are known",
                        t->power);
    if (!sat_power_combines(t->sample, t->power, v->type))
        return sat_fail(SAT_ERR_TYPE, "there is no %s table of %s%s samples", sat_type_name(v->type),
                        sat_power_words(t->power), sat_type_name(t->sample));
    if (v->type == SAT_Q32 && !sat_quant_ok(&t->quant))
        return sat_fail(
            SAT_ERR_ARGUMENT,
            "table: of q32, with a step of %g and a largest value of %lu: its fixed point (quant) is missing",
            t->quant.step, (unsigned long)t->quant.largest);
    if (!sat_is_level(t->level, t->sample, v->type))
        return sat_fail(SAT_ERR_ARGUMENT, "table: of level %g, which no %s table of %s samples has", t->level,
                        sat_type_name(v->type), sat_type_name(t->sample));
    const bool padded = t->layout == SAT_PADDED, exclusive = t->layout == SAT_EXCLUSIVE;
    *r = (sat_reader){.origin = v->data,
                      .row_bytes = v->row_bytes,
                      .pixel_bytes = v->pixel_bytes,
                      .image_bytes = v->image_bytes,
                      .channel_bytes = v->channel_bytes,
                      .count = v->count,
                      .inclusive = t->layout == SAT_INCLUSIVE,
                      .clip = flags & SAT_CLIP,
                      .type = v->type,
                      .width = v->width - padded,
                      .height = v->height - padded,
                      .x_max = v->width - padded - exclusive,
                      .y_max = v->height - padded - exclusive,
                      .limit_px = sat_power_area(t->sample, t->power, v->type, &t->quant),
                      .whole = !sat_is_float(t->sample),
                      .offset = t->quant.offset,
                      .step = t->quant.step};
    return r->width < 1 || r->height < 1 ? sat_fail(SAT_ERR_SHAPE, "a padded table without pixels") : SAT_OK;
}

sat_status sat_reader_refuse(const sat_table *t, const sat_reader *r, sat_rect_status rect_status, size_t i,
                             const char *sides)
{
    switch (rect_status) {
    case SAT_RECT_INSIDE:
    case SAT_RECT_CLIPPED_AWAY: return SAT_OK;
    case SAT_RECT_EMPTY: return sat_fail(SAT_ERR_RECT, "rectangle %zu (%s) is empty", i, sides);
    case SAT_RECT_OUTSIDE:
        return sat_fail(SAT_ERR_RECT, "rectangle %zu (%s) reaches outside the image of shape (%lld, %lld)", i, sides,
                        (long long)r->height, (long long)r->width);
    case SAT_RECT_AT_EDGE:
        return sat_fail(SAT_ERR_RANGE,
                        "rectangle %zu (%s) touches the last row or column, whose sums an exclusive table does not "
                        "hold",
                        i, sides);
    case SAT_RECT_TOO_LARGE: break;
    }
    const char *type = sat_type_name(t->view.type);
    return sat_fail(SAT_ERR_RANGE,
                    "rectangle %zu (%s) has more than the %lld pixels that %s %s table of %s%s samples is proven to "
                    "answer",
                    i, sides, (long long)r->limit_px, type[0] == 'i' ? "an" : "a", type, sat_power_words(t->power),
                    sat_type_name(t->sample));
}

const char *sat_rect_sides(const sat_rect *r, char sides[SAT_SIDES_BYTES])
{
    snprintf(sides, SAT_SIDES_BYTES, "x=%lld, y=%lld, width=%lld, height=%lld", (long long)r->x, (long long)r->y,
             (long long)r->width, (long long)r->height);
    return sides;
}

const char *sat_rect_sides_f64(const sat_rect_f64 *r, char sides[SAT_SIDES_BYTES])
{
    sat_print(sides, SAT_SIDES_BYTES, "x=%.15g, y=%.15g, width=%.15g, height=%.15g", r->x, r->y, r->width, r->height);
    return sides;
}

sat_status sat_reader_check(const sat_table *t, const sat_reader *r, size_t i, const sat_rect *given)
{
    sat_rect rect = *given;
    char sides[SAT_SIDES_BYTES];
    return sat_reader_refuse(t, r, sat_rect_validate(r, &rect), i, sat_rect_sides(given, sides));
}

typedef struct checks {
    const sat_run *run;
    sat_rect_check *status_of;
    const void *context;
    size_t n;
    atomic_size_t bad; /* the first rectangle that is refused; n = none */
} checks;

static void check_part(void *context, int64_t part, int worker)
{
    checks *j = context;
    if (!sat_goes_on(j->run, worker, SAT_PART_US / 10)) return;
    size_t first = (size_t)part * SAT_PART_RECTS, end = j->n - first < SAT_PART_RECTS ? j->n : first + SAT_PART_RECTS;
    for (size_t i = first; i < end; i++) {
        const sat_rect_status status = j->status_of(j->context, i);
        if (status == SAT_RECT_INSIDE || status == SAT_RECT_CLIPPED_AWAY) continue;
        size_t bad = atomic_load(&j->bad);
        while (i < bad && !atomic_compare_exchange_weak(&j->bad, &bad, i)) {}
        break;
    }
}

sat_status sat_first_bad(const sat_run *run, const sat_executor *executor, int threads, size_t n,
                         sat_rect_check *status_of, const void *context, size_t *bad)
{
    checks j = {.run = run, .status_of = status_of, .context = context, .n = n, .bad = n};
    const sat_status status =
        sat_run_each(run, executor, threads, sat_parts((int64_t)n, SAT_PART_RECTS), check_part, &j);
    *bad = atomic_load(&j.bad);
    return status;
}

typedef struct whole_rects {
    const sat_reader *r;
    const sat_rect *rects;
} whole_rects;

static sat_rect_status status_of_whole(const void *context, size_t i)
{
    const whole_rects *w = context;
    sat_rect rect = w->rects[i];
    return sat_rect_validate(w->r, &rect);
}

sat_status sat_reader_check_all(const sat_table *t, const sat_reader *r, const sat_rect *rects, size_t n,
                                const sat_run *run, const sat_executor *executor, int threads)
{
    size_t bad;
    sat_status status = sat_first_bad(run, executor, threads, n, status_of_whole, &(whole_rects){r, rects}, &bad);
    if (status != SAT_OK) return status;
    return bad < n ? sat_reader_check(t, r, bad, &rects[bad]) : SAT_OK;
}
