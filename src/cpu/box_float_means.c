/* box_float_means.c - from window sums to means, and to the result. */
#include <math.h>
#include <string.h>

#include "box_float_means.h"
#include "cpu_window.h"
#include "path.h"
#include "shape.h"
#include "strides.h"

enum { LINE_BYTES = 64 };

bool sat_float_are_whole(const sat_float_part *p, const sat_float_output *o, int64_t position, int64_t n)
{
    const sat_float_box *f = p->f;
    const sat_axis *x = &f->window.x;
    const bool cut = f->window.border->shrinks || f->window.border->takes_value;
    const int64_t i = position - f->x.skip;
    return o->whole && i >= (cut ? x->before : 0) && i + n <= x->n - (cut ? x->after : 0);
}

void sat_float_start(const sat_float_part *p, int64_t block, sat_float_output *o)
{
    const sat_axis *y = &p->f->window.y;
    *o = (sat_float_output){.block = block, .whole = true};
    for (int j = 0; j < BOX_LINES; j++) {
        int64_t row = block * BOX_LINES + j, covered = p->f->spec.window_height;
        sat_segment segments[SAT_SEGMENTS];
        if (row < y->n) sat_axis_segments(y, row, segments, &covered);
        o->rows[j] = (double)covered;
        o->whole = o->whole && covered == p->f->spec.window_height;
    }
    o->held = p->origin - SAT_FLOAT_FRONT_PX;
    o->ready = o->written = p->first + p->f->x.skip;
}

bool sat_float_are_plain(const sat_float_part *p, const sat_float_output *o, int64_t position, int64_t n)
{
    if (p->f->spec.weighted_alpha || p->f->counts) return false;
    return !p->f->window.border->takes_value || sat_float_are_whole(p, o, position, n);
}

/* The n of windows that are not made becomes NaN, which is not counted.  Where holes are kept, the n of a hole's window
 * becomes -inf, which is less than any number of samples that must count. */
static void leave_out(const sat_float_part *p, int64_t block, int64_t position, int64_t n, int64_t row)
{
    const sat_float_box *f = p->f;
    const int64_t channels = f->spec.channels, samples = n * channels, i = position - f->x.skip;
    const int64_t row_step = row ? row : 1, step = row ? 1 : BOX_LINES;
    const int64_t from = i < p->first ? p->first : i, to = i + n < p->last ? i + n : p->last;
    const bool all_made = to - from == n && block * BOX_LINES >= p->begin && (block + 1) * BOX_LINES <= p->end;
    if (all_made && !f->counted.keep_holes) return;
    for (int64_t j = 0, y = block * BOX_LINES; j < BOX_LINES; j++, y++) {
        const bool made = y >= p->begin && y < p->end && from < to;
        const int64_t begin = made ? (from - i) * channels : 0, end = made ? (to - i) * channels : 0;
        double *const of = p->w->n + j * row_step;
        for (int64_t k = 0; k < begin; k++) of[k * step] = NAN;
        for (int64_t k = end; k < samples; k++) of[k * step] = NAN;
        if (!f->counted.keep_holes || !made) continue;
        uint8_t valid[SAT_CENTRES];
        sat_cpu_centres(valid, &f->valid, p->src, p->mask, sat_source_row(p->run, y), from * channels, end - begin);
        for (int64_t k = begin; k < end; k++)
            if (!valid[k - begin]) of[k * step] = -INFINITY;
    }
}

void sat_float_finish(const sat_float_part *p, const sat_float_output *o, const sat_box_means *m, int64_t position,
                      int64_t n, int64_t row)
{
    const sat_float_box *f = p->f;
    const double *const windows = p->w->windows;
    const sat_border *border = f->window.border;
    const int64_t samples = n * f->spec.channels;
    double value[4 + BOX_LINES];
    for (int i = 0; border->takes_value && i < 4 + BOX_LINES; i++)
        value[i] = f->window.real_value[i % f->spec.channels];
    const sat_box_finish finish = {
        .means = m,
        .value = border->takes_value ? value : NULL,
        .area = border->shrinks ? 0 : (double)f->spec.window_width * (double)f->spec.window_height,
        .channels = f->spec.channels,
        .weighted = f->spec.weighted_alpha,
    };
    if (f->counts) {
        const sat_box_counted counted = {.finish = &finish,
                                         .n = p->w->n,
                                         .least = f->counted.least,
                                         .empty = f->counted.empty,
                                         .low = f->low,
                                         .high = f->high,
                                         .next = f->next,
                                         .empties = &p->w->empty,
                                         .moved = &p->w->moved};
        leave_out(p, o->block, position, n, row);
        if (row)
            f->ops->counted_rows(&counted, windows, row, samples);
        else
            f->ops->counted_groups(&counted, windows, samples);
    } else if (row)
        f->ops->finish_rows(&finish, windows, row, samples);
    else
        f->ops->finish_groups(&finish, windows, samples);
}

/* Means up to `end` of a row that has no gaps. */
static void write_row(const sat_float_part *p, const sat_float_output *o, const char *means, int64_t y, int64_t end,
                      bool all)
{
    const sat_float_box *f = p->f;
    const int64_t skip = f->x.skip, size = f->spec.channels * (int64_t)f->out_bytes, first = p->first * size;
    char *to = (char *)p->dst->data + (y - p->run->first) * p->dst->row_bytes;
    int64_t from = (o->written - skip) * size, until = (end - skip) * size;
    if (f->stream) {
        from -= (int64_t)(((uintptr_t)to + (uintptr_t)from) % LINE_BYTES);
        if (from < first) from = first;
        if (!all) until -= (int64_t)(((uintptr_t)to + (uintptr_t)until) % LINE_BYTES);
    }
    means += from - (o->held - skip) * size;
    if (until > from && f->stream)
        f->isa->stream(to + from, means, (size_t)(until - from));
    else if (until > from)
        memcpy(to + from, means, (size_t)(until - from));
}

/* Rows are not aligned alike: each is written up to its own last whole line, and what follows is kept, in front. */
void sat_float_write(const sat_float_part *p, sat_float_output *o, bool all)
{
    const sat_float_box *f = p->f;
    const int64_t skip = f->x.skip, y = o->block * BOX_LINES, size = f->spec.channels * (int64_t)f->out_bytes;
    const int64_t end = o->ready < p->last + skip ? o->ready : p->last + skip;
    const int64_t rows = p->end - y < BOX_LINES ? p->end - y : BOX_LINES, pitch = f->row * (int64_t)f->out_bytes;
    const int64_t before = p->begin > y ? p->begin - y : 0; /* rows that are not written */
    const bool gaps = sat_has_gaps(p->dst);
    if (o->held == o->ready) return;
    const int64_t keep = o->ready - SAT_FLOAT_ALIGNED > o->held ? o->ready - SAT_FLOAT_ALIGNED : o->held;
    if (gaps && end > o->written)
        sat_scatter(p->dst, o->written - skip, end - o->written, y + before - p->run->first, rows - before,
                    p->w->means + before * pitch + (o->written - o->held) * size, (size_t)pitch);
    for (int64_t j = 0; j < rows; j++) {
        char *row = p->w->means + j * pitch;
        if (!gaps && j >= before) write_row(p, o, row, y + j, end, all);
        memmove(row, row + (keep - o->held) * size, (size_t)((o->ready - keep) * size));
    }
    o->held = keep;
    if (end > o->written) o->written = end;
}

/* Do rows that begin there, and those below, begin with a cache line each? */
static bool whole_lines(const sat_view *dst, const char *to)
{
    return ((uintptr_t)to | (uintptr_t)dst->row_bytes) % LINE_BYTES == 0;
}

sat_box_means sat_float_means(const sat_float_part *p, sat_float_output *o, int64_t position, int64_t n, bool lines)
{
    const sat_float_box *f = p->f;
    const size_t bytes = f->out_bytes, pixel = (size_t)f->spec.channels * bytes;
    const int64_t i = position - f->x.skip, y = o->block * BOX_LINES;
    const bool to_f64 = bytes == sizeof(double), whole = f->inverse != 0 && sat_float_are_whole(p, o, position, n);
    const bool inside = i >= p->first && i + n <= p->last && y >= p->begin && y + BOX_LINES <= p->end;
    const bool lies = inside && !sat_has_gaps(p->dst);
    char *const to = lies ? (char *)p->dst->data + (y - p->run->first) * p->dst->row_bytes + (size_t)i * pixel : NULL;
    const bool direct =
        SAT_PATH(float_direct) && lies && (!f->stream || (lines && (whole || to_f64) && whole_lines(p->dst, to)));
    sat_box_means m = {
        .columns = f->covered + (position + SAT_FLOAT_FRONT_PX) * f->spec.channels,
        .rows = o->rows,
        .row_bytes = f->row * (ptrdiff_t)bytes,
        .to_f64 = to_f64,
        .inverse = whole ? f->inverse : 0,
    };
    if (direct) {
        sat_float_write(p, o, true);
        m.to = to;
        m.stream = f->stream;
        m.row_bytes = p->dst->row_bytes;
        o->held = o->written = position + n;
    } else {
        m.to = p->w->means + (size_t)(position - o->held) * pixel;
    }
    o->ready = position + n;
    return m;
}
