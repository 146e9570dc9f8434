#include "rects_table.h"

#include "backend.h"
#include "shape.h"
#include "status.h"

enum { TABLE_BYTES = 4 << 20 }; /* about what a cache holds of it and of the image */

sat_status sat_rects_table_open(sat_rects_table *t, const sat_rect_job *j, sat_arena *arena)
{
    const sat_view *v = &j->image;
    const bool squares = sat_rect_needs_squares(&j->ask);
    *t = (sat_rects_table){.powers = 1 + squares};
    if (j->holes || sat_is_float(v->type) || (squares && sat_type_bytes(v->type) == 4)) return SAT_OK;
    const size_t row = sat_row_bytes(v->width + 1, v->channels, SAT_U64);
    size_t bytes;
    if (row == 0 || !sat_mul(row, (size_t)v->count * (size_t)t->powers, &bytes)) return SAT_OK;
    t->rows = TABLE_BYTES / (int64_t)bytes;
    if (t->rows < 2) t->rows = 0; /* the pixels of one row are in a cache */
    if (t->rows == 0) return SAT_OK;
    if (t->rows > v->height) t->rows = v->height;
    sat_status status = SAT_OK;
    for (int p = 0; p < t->powers && status == SAT_OK; p++) {
        const sat_plan_spec spec = {.width = v->width,
                                    .height = t->rows,
                                    .channels = v->channels,
                                    .count = v->count,
                                    .sample = v->type,
                                    .power = p + 1,
                                    .layout = SAT_PADDED,
                                    .threads = j->given.threads,
                                    .executor = j->given.executor,
                                    .allocator = arena->allocator};
        status = sat_plan_create(&t->plan[p], &spec);
        if (status != SAT_OK) break;
        t->view[p] =
            sat_packed_view(v->width + 1, t->rows + 1, v->count, v->channels, sat_plan_accum(t->plan[p]), SAT_HOST);
        status = sat_arena_view(arena, &t->view[p]);
    }
    return status;
}

void sat_rects_table_close(sat_rects_table *t)
{
    for (int p = 0; p < t->powers; p++) sat_plan_destroy(&t->plan[p]);
}

sat_status sat_rects_table_make(sat_rects_table *t, const sat_view *rows, const sat_run *run)
{
    sat_status status = SAT_OK;
    t->used = true;
    sat_run own = {.control = run->control, .asks = run->asks};
    for (int p = 0; p < t->powers && status == SAT_OK; p++) {
        sat_table table = {.view = t->view[p], .layout = SAT_PADDED, .sample = rows->type, .power = p + 1};
        table.view.height = rows->height + 1;
        status = sat_plan_run_within(t->plan[p], rows, &table.view, &own);
        if (status == SAT_OK) status = sat_reader_open(&t->reader[p], &table, 0);
    }
    return status;
}

void sat_rects_table_add(const sat_rects_table *t, int64_t i, int c, const sat_rect *rect, sat_totals *to)
{
    const double px = sat_rect_px(rect);
    const sat_sum sum = sat_rect_sum(&t->reader[0], sat_corners_of(&t->reader[0], (uint64_t)i, rect, (size_t)c), px);
    to->u.whole.sum += sum.u;
    if (t->powers > 1) to->u.whole.squares += sat_corners_of(&t->reader[1], (uint64_t)i, rect, (size_t)c).u;
    to->count += rect->width * rect->height;
}
