/* box_float_steps.c - sums in steps of eight windows, down the columns and then along the rows. */
#include <string.h>

#include "box_float_lines.h"
#include "box_float_means.h"
#include "box_float_steps.h"
#include "path.h"

/* The place of a block in its segment. */
static int64_t place(const sat_float_axis *a, int64_t block)
{
    return (block % a->blocks + a->blocks) % a->blocks;
}

/* The step of a block at that place, for sums from the i-th on. */
static sat_box_step step_at(const sat_float_axis *a, const sat_float_sums *s, int64_t at, int64_t i)
{
    const bool last = at == a->blocks - 1;
    return (sat_box_step){.suffix = (last ? s->tail : s->slots + (at + 1) * s->n) + i,
                          .block = s->slots + at * s->n + i,
                          .prefix = s->prefix + i,
                          .part = s->part + i,
                          .split = (int)(BOX_LINES - a->rest),
                          .last = last};
}

static sat_box_step step_from(const sat_box_step *s, int64_t i)
{
    return (sat_box_step){s->suffix + i, s->block + i, s->prefix + i, s->part + i, s->split, s->last};
}

/* The column sums of a part, in whole chunks. */
static int64_t sums_of(const sat_float_part *p)
{
    return sat_float_round_up(p->stop - p->start, SAT_FLOAT_ALIGNED) * p->f->spec.channels;
}

/* After the last block of a segment of column sums: its blocks' sums become suffix sums. */
static void end_segment(const sat_float_part *p)
{
    const sat_float_sums *s = &p->w->down;
    for (int64_t k = p->f->y.blocks - 2; k >= 0; k--)
        p->f->ops->add_sums(s->slots + k * s->n, s->slots + (k + 1) * s->n, sums_of(p));
}

/* n sums of each line. */
static void start_sums(const sat_float_axis *a, const sat_float_sums *s, int64_t n)
{
    for (int64_t k = 0; k < a->blocks; k++) memset(s->slots + k * s->n, 0, (size_t)n * sizeof *s->slots);
    memset(s->prefix, 0, (size_t)n * sizeof *s->prefix);
    memset(s->part, 0, (size_t)n * sizeof *s->part);
}

/* Eight rows of an image: the step down the columns, the rows it takes, and those rows at a chunk. */
typedef struct rows {
    int64_t block;
    sat_box_step step;
    int count;
    sat_float_lines l;
} rows;

/* What counts of n samples of the columns' windows, from sample i of the chunk and of the sums on.  Windows of few rows
 * are counted from their first row on. */
static void count_columns(const sat_float_part *p, const rows *r, int64_t i, int64_t at, int64_t n, double *columns,
                          int64_t row)
{
    const sat_float_box *f = p->f;
    const uint8_t *enter[BOX_LINES];
    uint16_t *const count = p->w->count + i;
    const int ahead = f->y.blocks ? BOX_LINES : (int)f->y.rest;
    for (int j = 0; j < BOX_LINES; j++)
        enter[j] = ahead + j < r->count ? r->l.valid[ahead + j] : (const uint8_t *)f->zeros;
    if (f->y.blocks == 0) memset(count, 0, (size_t)n * sizeof *count);
    for (int j = 0; f->y.blocks == 0 && j < ahead; j++) f->ops->enter_counts(count, r->l.valid[j] + at, n);
    f->ops->count_columns(count, r->l.valid, enter, at, n, p->w->counts + (columns - p->w->columns), row);
}

/* Column sums of px pixels, from pixel `at` of the chunk at a position on, and what counts of them. */
static void sum_columns(const sat_float_part *p, const rows *r, int64_t position, int64_t at, int64_t px, double *out,
                        int64_t row)
{
    const sat_float_box *f = p->f;
    const int64_t channels = f->spec.channels, n = px * channels, i = (position + at - p->start) * channels;
    if (f->counts) count_columns(p, r, i, at * channels, n, out, row);
    if (f->y.blocks == 0) {
        f->ops->few_columns[f->in][f->y.rest - 1](r->l.lines, at * channels, n, out, row);
        return;
    }
    const sat_box_step s = step_from(&r->step, i);
    f->ops->columns[f->in](&s, r->l.lines, r->l.lines + BOX_LINES, at * channels, n, out, row);
}

/* The next step along the rows, the place of its blocks in their segments, and, in the ring, of its lines. */
typedef struct walk {
    int64_t group, place, leave, enter;
    double count[4 * BOX_LINES]; /* samples that count in its first window of eight rows, of each channel */
} walk;

/* In front of the strip there are zeros. */
static walk start_walk(const sat_float_part *p)
{
    const sat_float_axis *x = &p->f->x;
    walk w = {.group = p->origin / BOX_LINES - x->blocks - 1};
    w.place = place(x, w.group);
    w.enter = SAT_FLOAT_ALIGNED + sat_float_lines_end(x, w.group) - BOX_LINES - p->start;
    w.leave = SAT_FLOAT_ALIGNED + p->origin - p->start;
    return w;
}

static int64_t lower(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static sat_box_walk walk_of(const sat_float_part *p)
{
    const sat_float_box *f = p->f;
    const sat_float_sums *s = &p->w->along;
    return (sat_box_walk){
        s->slots, s->prefix, s->part, s->tail, f->x.blocks, f->spec.channels, (int)(BOX_LINES - f->x.rest)};
}

/* Windows of n groups along the rows. */
static void do_groups(const sat_float_part *p, walk *w, int64_t n, sat_float_output *o)
{
    const sat_float_box *f = p->f;
    const int64_t line = f->spec.channels * BOX_LINES, position = w->group * BOX_LINES, px = n * BOX_LINES;
    const bool plain = sat_float_are_plain(p, o, position, px);
    const sat_box_means m = sat_float_means(p, o, position, px, false);
    const sat_box_walk along = walk_of(p);
    const double *columns = p->w->columns;
    f->ops->rows[f->spec.channels - 1](&along, w->place, columns + w->leave * line, columns + w->enter * line, n,
                                       p->w->windows, plain ? &m : NULL);
    if (f->counts)
        f->ops->count_rows(w->count, p->w->counts + w->leave * line, p->w->counts + w->enter * line, p->w->n, px,
                           f->spec.channels);
    if (!plain) sat_float_finish(p, o, &m, position, px, 0);
}

/* The lines of a group that the first window holds, if it is the walk's first one, or all. */
static void enter_counts(const sat_float_part *p, walk *w)
{
    const sat_float_box *f = p->f;
    const int64_t line = f->spec.channels * BOX_LINES;
    const uint16_t *const counts = p->w->counts + w->enter * line;
    const bool first = w->group == p->origin / BOX_LINES - f->x.blocks - 1;
    for (int64_t j = first ? BOX_LINES - f->x.rest : 0; j < BOX_LINES; j++)
        for (int64_t i = 0; i < line; i++) w->count[i] += counts[j * line + i];
}

/* The steps along the rows, before group `end`, whose lines are there: those before a position. */
static void walk_to(const sat_float_part *p, walk *w, int64_t position, int64_t end, sat_float_output *o)
{
    const sat_float_box *f = p->f;
    for (int64_t n;
         (n = lower(end - w->group, (position - sat_float_lines_end(&f->x, w->group) + BOX_LINES) / BOX_LINES)) > 0;) {
        if (w->group * BOX_LINES < p->origin) {
            n = 1;
            const sat_box_walk along = walk_of(p);
            f->ops->enter_rows(&along, w->place, p->w->columns + w->enter * f->spec.channels * BOX_LINES);
            if (f->counts) enter_counts(p, w);
        } else {
            n = lower(n, (f->ring_px - w->leave + BOX_LINES - 1) / BOX_LINES);
            n = lower(n, (f->ring_px - w->enter + BOX_LINES - 1) / BOX_LINES);
            do_groups(p, w, n, o);
            w->leave = (w->leave + n * BOX_LINES) % f->ring_px;
        }
        w->enter = (w->enter + n * BOX_LINES) % f->ring_px;
        w->group += n;
        w->place += n;
        while (w->place >= f->x.blocks) w->place -= f->x.blocks;
    }
}

/* Eight rows: column sums a piece at a time, and the windows that they complete. */
static void do_rows(const sat_float_part *p, rows *r)
{
    const sat_float_box *f = p->f;
    const int64_t channels = f->spec.channels, px = channels * BOX_LINES;
    const int64_t groups = (p->last + f->x.skip - 1) / BOX_LINES + 1, end = p->stop;
    double *const ring = p->w->columns;
    uint16_t *const counts = p->w->counts;
    int64_t to = SAT_FLOAT_ALIGNED; /* px, in the ring */
    walk w = start_walk(p);
    sat_float_output o;
    sat_float_start(p, r->block, &o);
    start_sums(&f->x, &p->w->along, p->w->along.n);
    memset(ring, 0, (size_t)(to * px) * sizeof *ring);
    for (int64_t position = p->start, n; position < end; position += n) {
        n = sat_float_chunk(p, position, end);
        if (!sat_float_goes_on(p, n)) return;
        sat_float_take(p, &r->l, r->count, position, n);
        for (int64_t at = 0, piece; at < n; at += piece) {
            piece = lower(lower(f->piece_px, n - at), f->ring_px - to);
            sum_columns(p, r, position, at, piece, ring + to * px, 0);
            if (to == 0) memcpy(ring + f->ring_px * px, ring, (size_t)(BOX_LINES * px) * sizeof *ring);
            if (to == 0 && f->counts)
                memcpy(counts + f->ring_px * px, counts, (size_t)(BOX_LINES * px) * sizeof *counts);
            to = to + piece == f->ring_px ? 0 : to + piece;
            walk_to(p, &w, position + at + piece, groups, &o);
        }
        sat_float_write(p, &o, position + n >= end);
    }
}

/* The loop for small windows. */
static void do_small(const sat_float_part *p, const rows *r, int64_t position, int64_t n, double *columns,
                     sat_float_output *o)
{
    const sat_float_box *f = p->f;
    const int64_t channels = f->spec.channels, before = f->x.rest - 1;
    const sat_box_means m = sat_float_means(p, o, position - before, n, true);
    f->ops->small[channels - 1][before](r->l.lines, 0, n * channels, columns, f->row, &m);
}

/* The same for windows of few columns: their sums are added as they stand in their rows. */
static void do_few(const sat_float_part *p, rows *r)
{
    const sat_float_box *f = p->f;
    const int64_t channels = f->spec.channels, before = f->x.rest - 1;
    const int64_t end = p->stop;
    const bool small = SAT_PATH(float_small) && f->in == BOX_F32 && f->y.blocks == 0 && f->x.rest == f->y.rest &&
                       f->inverse != 0 && f->ops->small[channels - 1][before];
    double *columns = p->w->columns + SAT_FLOAT_FRONT_PX * channels, *carried = columns - before * channels;
    sat_float_output o;
    sat_float_start(p, r->block, &o);
    for (int64_t position = p->start, n; position < end; position += n) {
        n = sat_float_chunk(p, position, end);
        /* The first windows are cut: so few of them as can be are taken with them. */
        if (small && !sat_float_are_whole(p, &o, position - before, 1)) n = SAT_FLOAT_ALIGNED;
        if (!sat_float_goes_on(p, n)) return;
        sat_float_take(p, &r->l, r->count, position, n);
        if (small && sat_float_are_whole(p, &o, position - before, n)) {
            do_small(p, r, position, n, columns, &o);
            sat_float_write(p, &o, position + n >= end);
            continue;
        }
        for (int64_t at = 0, piece; at < n; at += piece) {
            const int64_t from = position + at - before;
            piece = lower(f->piece_px, n - at);
            const sat_box_means m = sat_float_means(p, &o, from, piece, true);
            const bool plain = sat_float_are_plain(p, &o, from, piece);
            sum_columns(p, r, position, at, piece, columns + at * channels, f->row);
            f->ops->few_rows[before](carried + at * channels, f->row, channels, piece * channels, p->w->windows,
                                     plain ? &m : NULL);
            if (f->counts)
                f->ops->count_few(p->w->counts + (carried - p->w->columns) + at * channels, f->row, channels,
                                  piece * channels, p->w->n, (int)f->x.rest);
            if (!plain) sat_float_finish(p, &o, &m, from, piece, f->row);
        }
        for (int64_t j = 0; j < BOX_LINES; j++) {
            double *const sums = carried + j * f->row;
            uint16_t *const counts = f->counts ? p->w->counts + (sums - p->w->columns) : NULL;
            memcpy(sums, sums + n * channels, (size_t)(before * channels) * sizeof *sums);
            if (f->counts) memcpy(counts, counts + n * channels, (size_t)(before * channels) * sizeof *counts);
        }
        sat_float_write(p, &o, position + n >= end);
    }
}

/* The rows that enter before the first block of a strip.  The first window holds those from the one `counted` on. */
static void enter_rows(const sat_float_part *p, int64_t block, int64_t counted)
{
    const sat_float_box *f = p->f;
    const int64_t end = p->stop;
    sat_float_lines l;
    sat_float_rows(p, sat_float_lines_end(&f->y, block) - BOX_LINES, BOX_LINES, &l, 0);
    const sat_box_step step = step_at(&f->y, &p->w->down, place(&f->y, block), 0);
    for (int64_t position = p->start, n; position < end; position += n) {
        n = sat_float_chunk(p, position, end);
        if (!sat_float_goes_on(p, n / 2)) return;
        sat_float_take(p, &l, BOX_LINES, position, n);
        const int64_t i = (position - p->start) * f->spec.channels;
        const sat_box_step s = step_from(&step, i);
        f->ops->enter_columns[f->in](&s, l.lines, n * f->spec.channels);
        for (int64_t j = counted; f->counts && j < BOX_LINES; j++)
            f->ops->enter_counts(p->w->count + i, l.valid[j], n * f->spec.channels);
    }
    if (step.last) end_segment(p);
}

void sat_float_strip(const sat_float_part *p)
{
    const sat_float_box *f = p->f;
    const sat_float_axis *y = &f->y;
    rows r = {.block = p->y / BOX_LINES, .count = y->blocks ? 2 * BOX_LINES : (int)(BOX_LINES + y->rest - 1)};
    const bool starts = y->blocks && !p->follows;
    const int64_t before = r.block - y->blocks - 1; /* the block with whose rows sums begin */
    if (starts) start_sums(y, &p->w->down, sums_of(p));
    if (starts && f->counts) memset(p->w->count, 0, (size_t)sums_of(p) * sizeof *p->w->count);
    for (int64_t b = before; starts && b < r.block && sat_float_goes_on(p, 0); b++)
        enter_rows(p, b, b == before ? BOX_LINES - y->rest : 0);
    for (; r.block * BOX_LINES < p->end && sat_float_goes_on(p, 0); r.block++) {
        sat_float_rows(p, r.block * BOX_LINES, y->blocks ? BOX_LINES : r.count, &r.l, 0);
        if (y->blocks) {
            sat_float_rows(p, sat_float_lines_end(y, r.block) - BOX_LINES, BOX_LINES, &r.l, BOX_LINES);
            r.step = step_at(y, &p->w->down, place(y, r.block), 0);
        }
        if (f->x.blocks)
            do_rows(p, &r);
        else
            do_few(p, &r);
        if (r.step.last) end_segment(p);
    }
}
