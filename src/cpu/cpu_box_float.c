/* cpu_box_float.c - the cpu backend's box filter for float samples: sums by additions only.
 *
 * Running sums that add what enters and subtract what leaves drift, lose small samples beside large ones,
 * and never forget a NaN.  Here nothing is ever subtracted.  Cut the samples of an axis into segments about as
 * long as the window; then a window is the end of one segment and the beginning of the next:
 *
 *     |  .  .  .  a  b  c | d  e  .  .  .  . |          window {a b c d e} = suffix(a b c) + prefix(d e)
 *
 * and suffix and prefix sums take one addition for each sample, whatever the window's size (van Herk 1992,
 * Gil & Werman 1993, there for minima).  So an NaN or Inf reaches exactly the windows that hold it, and the error of a
 * mean of n samples is at most n * 2^-53 of the mean of their absolute values.
 *
 * Blocks.  A segment is `blocks` blocks of 8 lines, and a window `rest` < 8 lines longer than a segment.  A step makes
 * eight windows.  The first begins with a block, which leaves:
 *
 *     | . . . . . . . . | . . . . . . . . | . . . . . . . . | . . . . . . . . |      lines, in blocks; segments of two
 *     [------ window 0 ------------------------]                                     rest = 3
 *                     [------ window 7 ------------------------]
 *      leaving block     suffix              prefix  entering lines
 *
 * The sums from each leaving line to the end of the segment are added up again, from the suffix sum of whole blocks; so
 * one suffix sum is kept for 8 lines, and not for each.  The prefix sum goes on over the 8 lines that enter.  The sums
 * of whole blocks, which become suffix sums when the segment is complete, are in the same places (slots) that the
 * suffix sums of the segment before were in.  Windows of less than a block are summed line by line.
 *
 * First down the columns of a few pixels, 8 rows at a time, then along these 8 rows, side by side in vectors.  Means go
 * to their rows in whole cache lines.
 *
 * Blocks begin at the same lines whatever the bands, strips and vectors are, so that sums do not depend on them.
 *
 * Samples that do not count are 0 in the copies of rows that are summed then.  How many count is summed beside: these
 * sums are whole numbers, and so may slide, by what enters and what leaves (box_float_counted_template.h). */
#include "box_bands.h"
#include "box_float_lines.h"
#include "box_float_plan.h"
#include "box_float_segments.h"
#include "box_float_steps.h"
#include "cpu_box_float.h"
#include "pool.h"
#include "strides.h"

sat_status sat_cpu_box_float_open(const sat_box_spec *spec, const sat_cpu_counted *counted,
                                  const sat_box_window *window, const sat_isa *isa, int threads, sat_arena *arena,
                                  sat_cpu_box_float **out)
{
    sat_cpu_box_float *f = sat_arena_zeros(arena, sizeof *f);
    if (f == NULL) return sat_fail(SAT_ERR_MEMORY, "cpu: out of memory for a box filter");
    *out = f;
    return sat_float_plan(f, spec, counted, window, isa, threads, arena);
}

typedef struct job {
    const sat_float_box *f;
    const sat_view *src, *mask, *dst;
    const sat_run *run;
    int64_t rows, strips; /* rows in each band but the last, strips in a row */
} job;

static int64_t lower(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* A part of an image of few rows with gaps has a copy of its source without them, if the plan has room for it.  A
 * border mode that wraps may look for columns at the other end. */
static void gather_strip(sat_float_part *p, sat_view *src, sat_run *run)
{
    const sat_float_box *f = p->f;
    const sat_axis *x = &f->window.x;
    const int64_t from = p->first - x->before - 1, to = p->last + x->after + 1;
    if (f->pitch == 0 || !sat_has_gaps(src) || (x->border->repeats_all && (from < 0 || to > x->n))) return;
    if (run->held.first < from) run->held.first = from;
    if (run->held.end > to) run->held.end = to;
    sat_gather(p->w->strip, f->pitch, src, run->held.first, run->held.end - run->held.first, 0, src->height);
    const ptrdiff_t size = (ptrdiff_t)f->sample_bytes, pixel = size * src->channels;
    src->data = (void *)((uintptr_t)p->w->strip - (uintptr_t)(run->held.first * pixel));
    src->row_bytes = (ptrdiff_t)f->pitch, src->pixel_bytes = pixel, src->channel_bytes = size;
    p->src = src, p->run = run;
}

static void do_part(void *context, int64_t index, int worker)
{
    const job *j = context;
    const sat_float_box *f = j->f;
    const sat_run *run = j->run;
    sat_view src = *j->src;
    sat_run strip = *run;
    const int64_t y = run->first / BOX_LINES * BOX_LINES + index / j->strips * j->rows;
    const int64_t first = run->made.first + index % j->strips * f->strip_px;
    sat_float_worker *w = &f->workers[worker];
    sat_float_part p = {.f = f,
                        .w = w,
                        .src = j->src,
                        .mask = j->mask,
                        .dst = j->dst,
                        .run = run,
                        .worker = worker,
                        .follows = j->strips == 1 && y > 0 && w->next == y,
                        .y = y,
                        .begin = y < run->first ? run->first : y,
                        .end = lower(y + j->rows, run->end),
                        .first = first,
                        .last = lower(first + f->strip_px, run->made.end)};
    w->next = 0;
    gather_strip(&p, &src, &strip);
    if (p.follows)
        p.origin = w->origin, p.start = w->start;
    else
        sat_float_begin(&p);
    const int64_t last = p.last + f->x.skip - 1; /* the last window begins there */
    p.stop = f->x.blocks ? sat_float_lines_end(&f->x, last / BOX_LINES) : last + f->x.rest;
    sat_float_strip(&p);
    w->origin = p.origin, w->start = p.start;
    if (p.end % BOX_LINES == 0 && sat_goes_on(run, worker, 0)) w->next = p.end;
    if (f->stream) f->isa->fence();
}

static void do_row_by_segments(void *context, int64_t row, int worker)
{
    const job *j = context;
    const sat_float_part p = {.f = j->f,
                              .w = &j->f->workers[worker],
                              .src = j->src,
                              .dst = j->dst,
                              .run = j->run,
                              .worker = worker,
                              .y = j->run->first + row};
    sat_float_row_by_segments(&p);
}

sat_status sat_cpu_box_float_run(sat_cpu_box_float *f, const sat_view *src, const sat_view *mask, const sat_view *dst,
                                 const sat_run *run, sat_counts *counts)
{
    const int64_t height = run->end - run->first / BOX_LINES * BOX_LINES; /* of whole blocks */
    job j = {.f = f, .src = src, .mask = mask, .dst = dst, .run = run};
    if (f->by_segments)
        return sat_run_each(run, f->spec.executor, f->threads, run->end - run->first, do_row_by_segments, &j);
    j.rows = sat_float_round_up(sat_cpu_box_band_rows(run, f->y.window, f->threads), BOX_LINES);
    j.strips = (run->made.end - run->made.first - 1) / f->strip_px + 1;
    for (int i = 0; i < f->threads; i++) {
        if (i > 0 || !run->follows || j.rows < height) f->workers[i].next = 0;
        f->workers[i].empty = f->workers[i].moved = 0;
    }
    const sat_status status =
        sat_run_each(run, f->spec.executor, f->threads, ((height - 1) / j.rows + 1) * j.strips, do_part, &j);
    if (!f->counts) return status;
    counts->empty[0] = counts->moved = counts->clipped = 0;
    for (int i = 0; i < f->threads; i++) {
        counts->empty[0] += f->workers[i].empty;
        counts->moved += f->workers[i].moved;
    }
    return status;
}
