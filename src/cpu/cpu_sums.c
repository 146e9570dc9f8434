/* cpu_sums.c - sums of what windows hold, for integer samples: no table, two running sums.
 *
 * A feature is what each sample adds to a sum: itself, 1 where it counts, its square.  For each row of windows, the
 * sums of the window's rows in every column:
 *
 *     column[x] += I(x, y + after) - I(x, y - 1 - before)           one row enters, one leaves
 *
 * and of those the running sum along the row, from which any window takes two reads:
 *
 *     prefix[x + 1] = prefix[x] + column[x]                         the scan of the table builder
 *     window(x) = prefix[x + after + 1] - prefix[x - before]
 *
 * (McDonnell, Box-filtering techniques, 1981.)  The cost does not depend on the window's size, and the
 * arithmetic is modulo 2^16, 2^32 or 2^64: every window's own sum fits, so every difference is exact.
 *
 * The column sums are continued beyond the left and right edges as the border mode says; where samples
 * beyond the edge do not count, by zeros.  Near the upper and lower edges the entering and leaving rows
 * are those that the border mode names.  Only a window that reaches beyond the image by more than the
 * image's size, in a mode that repeats samples, is taken apart into the segments of border.h.
 *
 * Each thread takes bands of rows; a band begins with the sums of a whole window of rows.  A row is finished a chunk of
 * samples at a time, while its prefix sums are in the first-level cache. */
#include <string.h>

#include "cpu_sums.h"
#include "path.h"
#include "shape.h"

enum { LINE = 64 }; /* bytes of the longest vector, and of a cache line */

#define ACCUM uint16_t
#include "cpu_sums_template.h"
#define ACCUM uint32_t
#include "cpu_sums_template.h"
#define ACCUM uint64_t
#include "cpu_sums_template.h"

#define WITH_SUMS(e, f, what, ...)                                                                                     \
    ((e)->of[f].sums == BOX_SUMS_16   ? what##_uint16_t(__VA_ARGS__)                                                   \
     : (e)->of[f].sums == BOX_SUMS_32 ? what##_uint32_t(__VA_ARGS__)                                                   \
                                      : what##_uint64_t(__VA_ARGS__))

/* Counts in the upper bits of the words of sums take none of their own, where both fit (paths.def: packed_counts). */
static void plan_packing(sat_cpu_sums *e)
{
    const uint64_t area = (uint64_t)e->window->area_px;
    if (!SAT_PATH(packed_counts) || !e->packs || e->window->is_signed || e->of[SUM].sums != BOX_SUMS_32) return;
    const int bits = 64 - __builtin_clzll(area * e->window->largest);
    if (bits >= 32 || area >> (32 - bits) != 0) return;
    e->packed_bits = bits;
    e->in = BOX_U32;
    e->of[COUNT].used = false;
    e->of[COUNT].entry = sizeof(uint32_t); /* of those that are unpacked */
    for (int c = 0; c < 4; c++) e->of[SUM].value[c] += e->of[COUNT].value[c] << bits;
}

/* ---- creation ------------------------------------------------------------------------------------------ */

/* Everything that depends on the column alone. */
static bool plan_columns(sat_cpu_sums *e, sat_arena *arena)
{
    const sat_axis *x = &e->window->x;
    const int64_t channels = e->channels, n = x->n;
    const bool repeats = !x->border->shrinks && !x->border->takes_value;
    const int64_t before = x->before < n ? x->before : n, after = x->after < n ? x->after : n;
    e->by_segments = repeats && (x->before > n || x->after > n);
    if (e->by_segments) e->columns = sat_axis_runs(x, arena);
    if (e->by_segments && e->columns == NULL) return false;
    e->before = e->by_segments ? 0 : before;
    e->after = e->by_segments ? 0 : after;
    if (SAT_PATH(few_columns) && e->of[SUM].sums == BOX_SUMS_16 && !e->by_segments && before + 1 + after <= BOX_FEW)
        e->few = (int)(before + 1 + after);
    e->left = repeats ? 0 : before * channels;
    e->right = repeats ? e->samples : (n - after) * channels;
    if (e->right < e->left) e->right = e->left;
    e->covered = sat_arena_alloc(arena, (size_t)e->samples * sizeof *e->covered);
    if (e->covered == NULL) return false;
    for (int64_t i = 0; i < e->samples; i++) {
        sat_segment segments[SAT_SEGMENTS];
        int64_t covered = x->before + 1 + x->after;
        if (i < e->left || i >= e->right) sat_axis_segments(x, i / channels, segments, &covered);
        e->covered[i] = (uint32_t)covered;
    }
    if (!repeats) return true;
    e->beyond = sat_arena_alloc(arena, (size_t)((e->before + e->after + 1) * channels) * sizeof *e->beyond);
    for (int64_t i = 0; e->beyond && i < e->before + e->after; i++)
        for (int64_t c = 0; c < channels; c++)
            e->beyond[i * channels + c] =
                sat_border_index(x->border, i < e->before ? i - e->before : n + i - e->before, n) * channels + c;
    return e->beyond != NULL;
}

static bool plan_values(sat_cpu_sums *e, sat_arena *arena)
{
    for (int f = 0; e->window->border->takes_value && f < FEATURES; f++) {
        if (!e->of[f].used) continue;
        e->of[f].values = sat_arena_alloc(arena, (size_t)e->samples * e->of[f].entry);
        if (e->of[f].values == NULL) return false;
        WITH_SUMS(e, f, put_values, e, f);
    }
    return true;
}

static bool plan_row(const sat_cpu_sums *e, sat_cpu_row *row, sat_arena *arena)
{
    const size_t n = (size_t)e->samples, bytes = e->sample_bytes;
    const bool makes = e->weighted || e->some_count;
    row->rows = sat_arena_alloc(arena, 2 * sizeof *row->rows);
    if (row->rows == NULL || !sat_rows_open(row->rows, n * bytes, e->window->y.n, arena)) return false;
    row->mask = row->rows + 1;
    if (e->masked && !sat_rows_open(row->mask, n / (size_t)e->channels, e->window->y.n, arena)) return false;
    row->made = makes ? sat_arena_alloc(arena, n * (e->weighted || e->packed_bits ? sizeof(uint32_t) : bytes)) : NULL;
    row->valid = e->some_count ? sat_arena_alloc(arena, n) : NULL;
    return (row->made || !makes) && (row->valid || !e->some_count);
}

static bool plan_workers(sat_cpu_sums *e, sat_arena *arena)
{
    const size_t pixel = (size_t)e->channels, reach = (size_t)e->samples + (size_t)(e->before + e->after) * pixel;
    const size_t beyond = LINE * pixel; /* rows of column sums are scanned in whole vectors */
    e->workers = sat_arena_zeros(arena, (size_t)e->threads * sizeof *e->workers);
    if (e->workers == NULL) return false;
    for (int i = 0; i < e->threads; i++) {
        sat_cpu_summer *k = &e->workers[i];
        if (!plan_row(e, &k->enter, arena) || !plan_row(e, &k->leave, arena)) return false;
        for (int f = 0; f < FEATURES; f++) {
            const size_t entry = e->of[f].entry;
            if (!e->of[f].used) continue;
            k->of[f].column = sat_arena_zeros(arena, reach * entry + beyond);
            k->of[f].prefix = sat_arena_zeros(arena, (reach + pixel) * entry + beyond);
            k->of[f].row = sat_arena_zeros(arena, (size_t)(e->by_segments ? e->samples : e->chunk) * entry);
            if (!k->of[f].column || !k->of[f].prefix || !k->of[f].row) return false;
        }
    }
    return true;
}

bool sat_cpu_sums_open(sat_cpu_sums *e, sat_arena *arena)
{
    plan_packing(e);
    for (int f = 0; f < FEATURES; f++)
        if (e->of[f].used) {
            e->of[f].entry = (size_t)2 << e->of[f].sums;
            e->of[f].whole = LINE / (int64_t)e->of[f].entry * e->channels;
            e->features = f + 1;
        }
    return plan_columns(e, arena) && plan_values(e, arena) && plan_workers(e, arena);
}

/* ---- columns ------------------------------------------------------------------------------------------- */

/* What summing a row takes. */
typedef struct row_data {
    const void *samples, *valid;
} row_data;

/* Weighs samples, or finds those that count; y: the source's row. */
static row_data made(const sat_cpu_sums_run *run, int64_t y, const void *samples, const sat_cpu_row *to)
{
    const sat_cpu_sums *e = run->e;
    if (e->weighted) {
        e->isa->box->weigh[e->sample](to->made, samples, e->channels, e->samples);
        return (row_data){to->made, NULL};
    }
    sat_validity v = e->counts;
    v.mask = run->mask ? sat_row(to->mask, run->mask, y) : NULL;
    if (e->packed_bits) {
        e->isa->window->pack[e->sample](to->made, to->valid, samples, &v, e->packed_bits, e->samples);
        return (row_data){to->made, NULL};
    }
    e->isa->window->validate[e->sample](to->made, to->valid, samples, &v, e->samples);
    return (row_data){to->made, to->valid};
}

static inline row_data prepare(const sat_cpu_sums_run *run, int64_t row, const sat_cpu_row *to)
{
    const int64_t y = sat_source_row(run->run, row);
    const void *samples = sat_row(to->rows, run->src, y);
    return run->e->weighted || run->e->some_count ? made(run, y, samples, to) : (row_data){samples, NULL};
}

/* The column sums inside the image. */
static char *inside(const sat_cpu_sums *e, const sat_cpu_summer *k, int f)
{
    return k->of[f].column + (size_t)e->before * (size_t)e->channels * e->of[f].entry;
}

static void add(const sat_cpu_sums *e, const sat_cpu_summer *k, const row_data *row, uint64_t weight)
{
    const sat_cpu_feature *f = e->of;
    const struct sat_box_ops *box = e->isa->box;
    const struct sat_window_ops *window = e->isa->window;
    const int64_t n = e->samples;
    box->add[e->in][f[SUM].sums](inside(e, k, SUM), row->samples, weight, n);
    if (f[COUNT].used) box->add[BOX_U8][f[COUNT].sums](inside(e, k, COUNT), row->valid, weight, n);
    if (f[HIGH_SQUARES].used)
        window->add_halves[e->in](inside(e, k, SQUARES), inside(e, k, HIGH_SQUARES), row->samples, weight, n);
    else if (f[SQUARES].used)
        window->add_squares[e->in][f[SQUARES].sums](inside(e, k, SQUARES), row->samples, weight, n);
}

static void slide(const sat_cpu_sums *e, const sat_cpu_summer *k, const row_data *enter, const row_data *leave)
{
    const sat_cpu_feature *f = e->of;
    const struct sat_box_ops *box = e->isa->box;
    const struct sat_window_ops *window = e->isa->window;
    const int64_t n = e->samples;
    box->slide[e->in][f[SUM].sums](inside(e, k, SUM), enter->samples, leave->samples, n);
    if (f[COUNT].used) box->slide[BOX_U8][f[COUNT].sums](inside(e, k, COUNT), enter->valid, leave->valid, n);
    if (f[HIGH_SQUARES].used)
        window->slide_halves[e->in](inside(e, k, SQUARES), inside(e, k, HIGH_SQUARES), enter->samples, leave->samples,
                                    n);
    else if (f[SQUARES].used)
        window->slide_squares[e->in][f[SQUARES].sums](inside(e, k, SQUARES), enter->samples, leave->samples, n);
}

/* The column sums of row y from nothing. */
static void start_columns(const sat_cpu_sums_run *run, const sat_cpu_summer *k, int worker, int64_t y)
{
    const sat_cpu_sums *e = run->e;
    sat_segment segments[SAT_SEGMENTS];
    int64_t covered;
    const int count = sat_axis_segments(&e->window->y, y, segments, &covered);
    for (int f = 0; f < e->features; f++)
        if (e->of[f].used) memset(inside(e, k, f), 0, (size_t)e->samples * e->of[f].entry);
    for (int s = 0; s < count; s++)
        for (int64_t r = segments[s].begin; r < segments[s].end; r++) {
            if (!sat_goes_on(run->run, worker, (double)e->samples / e->summed_per_us)) return;
            const row_data row = prepare(run, r, &k->enter);
            add(e, k, &row, (uint64_t)segments[s].weight);
        }
}

/* The column sums of row y from those of row y - 1. */
static void move_columns(const sat_cpu_sums_run *run, const sat_cpu_summer *k, int64_t y)
{
    const sat_axis *axis = &run->e->window->y;
    const int64_t enter = sat_border_index(axis->border, y + axis->after, axis->n);
    const int64_t leave = sat_border_index(axis->border, y - 1 - axis->before, axis->n);
    row_data e = {0}, l = {0};
    if (enter == leave) return;
    if (enter >= 0) e = prepare(run, enter, &k->enter);
    if (leave >= 0) l = prepare(run, leave, &k->leave);
    if (enter >= 0 && leave >= 0)
        slide(run->e, k, &e, &l);
    else if (enter >= 0)
        add(run->e, k, &e, 1);
    else
        add(run->e, k, &l, UINT64_MAX);
}

/* ---- along a row --------------------------------------------------------------------------------------- */

/* Adds what positions beyond the image add to those windows of the chunk that lie in [begin, end); row: of the chunk.
 */
static void add_values(const sat_cpu_sums *e, int f, char *row, const sat_cpu_chunk *c, int64_t begin, int64_t end)
{
    if (begin < c->first) begin = c->first;
    if (end > c->first + c->n) end = c->first + c->n;
    if (begin >= end) return;
    row += (size_t)(begin - c->first) * e->of[f].entry;
    WITH_SUMS(e, f, add_values, e, f, row, begin, end - begin, c->covered_y);
}

char *sat_cpu_window_sums(const sat_cpu_sums *e, const sat_cpu_summer *k, int f, const sat_cpu_chunk *c)
{
    const sat_cpu_feature *of = &e->of[f];
    char *row = k->of[f].row;
    if (e->by_segments) return row + (size_t)c->first * of->entry;
    if (e->few)
        e->isa->box->few_sums[e->few - 1](row, k->of[f].column + (size_t)c->first * of->entry, e->channels, c->n);
    else
        e->isa->box->differ[of->sums](row, sat_cpu_prefix(e, k, f, c->first), sat_cpu_reach(e), c->n);
    if (!sat_cpu_has_values(e, c)) return row;
    if (c->covered_y == e->window->y.before + 1 + e->window->y.after) {
        add_values(e, f, row, c, c->first, e->left);
        add_values(e, f, row, c, e->right, c->first + c->n);
    } else {
        add_values(e, f, row, c, c->first, c->first + c->n);
    }
    return row;
}

void sat_cpu_areas(const sat_cpu_sums *e, int feature, void *areas, const sat_cpu_chunk *c)
{
    WITH_SUMS(e, feature, multiply, areas, e->covered + c->first, c->covered_y, c->n);
}

/* Prefetches n bytes from `first` on of a view's row at position y. */
static void prefetch(const sat_cpu_sums_run *run, const sat_view *view, int64_t y, size_t first, size_t n)
{
    const int64_t row = sat_border_index(run->e->window->border, y, run->e->window->y.n);
    const int64_t at = row < 0 ? view->height : sat_source_row(run->run, row);
    if (at >= view->height) return;
    const char *p = (const char *)view->data + at * view->row_bytes + first;
    for (size_t i = 0; i < n; i += LINE) __builtin_prefetch(p + i);
}

/* Sends the rows that enter and leave next on their way to the cache, n samples of them from sample `first` on: the
 * prefetchers alone would stop at the ends of the last two (paths.def: sums_prefetch). */
static void prefetch_next(const sat_cpu_sums_run *run, int64_t y, int64_t first, int64_t n)
{
    const sat_cpu_sums *e = run->e;
    const int64_t part = e->samples - first < n ? e->samples - first : n, enter = y + 1 + e->window->y.after;
    const size_t bytes = e->sample_bytes, channels = (size_t)e->channels;
    for (int leaves = 0; leaves < 2; leaves++) {
        const int64_t row = leaves ? y - e->window->y.before : enter;
        prefetch(run, run->src, row, (size_t)first * bytes, (size_t)part * bytes);
        if (run->mask) prefetch(run, run->mask, row, (size_t)first / channels, (size_t)part / channels);
    }
}

/* The running sums of n column sums from the i-th on. */
static void scan(const sat_cpu_sums *e, const sat_cpu_summer *k, int f, int64_t i, int64_t n, uint64_t along[4])
{
    const sat_cpu_feature *of = &e->of[f];
    e->isa->box->prefix[of->sums][e->channels - 1](k->of[f].prefix + (size_t)(i + e->channels) * of->entry,
                                                   k->of[f].column + (size_t)i * of->entry,
                                                   (n + of->whole - 1) / of->whole * of->whole, along);
}

static void finish_segments(const sat_cpu_sums_run *run, int worker, sat_cpu_chunk c)
{
    const sat_cpu_sums *e = run->e;
    for (int f = 0; f < e->features; f++)
        if (e->of[f].used) WITH_SUMS(e, f, sum_segments, e, &e->workers[worker], f);
    for (; c.first < e->samples; c.first += e->chunk) {
        c.n = e->samples - c.first < e->chunk ? e->samples - c.first : e->chunk;
        run->finish(run->context, worker, &c);
    }
}

/* One row of results from the column sums. */
static void do_row(const sat_cpu_sums_run *run, int worker, int64_t y, bool gaps)
{
    const sat_cpu_sums *e = run->e;
    const sat_cpu_summer *k = &e->workers[worker];
    const sat_axis *axis = &e->window->y;
    const int64_t window = sat_cpu_reach(e), reach = e->samples + window - e->channels;
    uint64_t along[FEATURES][4];
    sat_cpu_chunk c = {.y = y, .covered_y = axis->before + 1 + axis->after};
    sat_segment segments[SAT_SEGMENTS];
    if (y < axis->before || y + axis->after >= axis->n) sat_axis_segments(axis, y, segments, &c.covered_y);
    for (int f = 0; f < e->features; f++) {
        memset(along[f], 0, sizeof along[f]);
        if (e->beyond && e->of[f].used) WITH_SUMS(e, f, continue_columns, e, k, f);
    }
    for (int64_t i = 0; i < reach; i += e->chunk) {
        const int64_t n = reach - i < e->chunk ? reach - i : e->chunk;
        if (SAT_PATH(sums_prefetch) && i < e->samples && !gaps) prefetch_next(run, y, i, n);
        for (int f = 0; e->few == 0 && f < e->features; f++)
            if (e->of[f].used) scan(e, k, f, i, n, along[f]);
        c.n = i + n + e->channels - window - c.first; /* samples whose windows' sums are there now */
        if (e->by_segments || c.n <= 0) continue;
        run->finish(run->context, worker, &c);
        c.first += c.n;
    }
    if (e->by_segments) finish_segments(run, worker, c);
}

void sat_cpu_sums_begin(const sat_cpu_sums *e, const sat_run *run, int64_t rows)
{
    const bool follows = run->follows && rows == run->end - run->first;
    for (int i = 0; i < e->threads; i++)
        if (i > 0 || !follows) e->workers[i].next = 0;
}

void sat_cpu_sums_rows(const sat_cpu_sums_run *run, int worker, int64_t y, int64_t end)
{
    sat_cpu_summer *k = &run->e->workers[worker];
    const bool follows = k->next == y && y > 0;
    const sat_cpu_row *rows[] = {&k->enter, &k->leave};
    const bool gaps = sat_has_gaps(run->src) || (run->mask && sat_has_gaps(run->mask));
    for (int i = 0; i < 2; i++) {
        sat_rows_forget(rows[i]->rows);
        sat_rows_forget(rows[i]->mask);
    }
    k->next = 0;
    for (int64_t first = y; y < end; y++) {
        if (y == first && !follows)
            start_columns(run, k, worker, y);
        else
            move_columns(run, k, y);
        if (!sat_goes_on(run->run, worker, (double)run->e->samples / run->e->made_per_us)) return;
        do_row(run, worker, y, gaps);
    }
    k->next = end;
}
