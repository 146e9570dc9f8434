/* cpu_window_floats.c - count, sum, mean and squared deviations of windows of floats, by joining alone.
 *
 * Two sets of samples with counts na and nb, means ma and mb, squared deviations qa and qb join (Chan, Golub and
 * LeVeque 1979) to
 *
 *     n = na + nb     mean = ma + (mb - ma) * nb / n     q = qa + qb + (mb - ma)^2 * na * nb / n
 *
 * No difference of large sums is taken, and nothing is taken away.
 *
 * Eight rows of windows are made at a time, first down the columns, by the steps of cpu_box_float.c with joins in place
 * of additions, then along the rows, side by side in vectors (window_steps_template.h).  Windows of less than eight
 * rows are joined of pairs of rows.
 *
 * Steps begin at multiples of eight from the image's first row on, and strips of columns are the same whatever the
 * threads are, so that results do not depend on bands.
 *
 * Counts.  Where all samples count, a part has as many samples in all columns of a strip, and its count is one number
 * (paths.def: one_count); elsewhere there is one for each column.  Where no variance is asked for, sums alone are
 * joined (paths.def: sums_alone).
 *
 * Positions beyond the image.  If the border repeats samples, they are joined again at each position. Other windows
 * reach at most the image's size less one from their pixel, which covers the image. A border value is joined as samples
 * within that reach; what was cut off is one set of equal samples. */
#include <string.h>

#include "cpu_window.h"
#include "path.h"
#include "shape.h"

/* Of results, at least; half of it where columns may have counts. */
enum { STRIP_SAMPLES = 768 };

/* Samples of eight rows after which a run is asked whether it goes on. */
enum { ASKED_SAMPLES = 1 << 17 };

/* Members of moments; and of their description: n, sum, mean, variance, mean of squares. */
enum { MEMBERS = 4, DESCRIBED = 5 };

/* Moments of the parts of windows in a row of columns, and how many samples each has where they have no counts of their
 * own. */
typedef struct part {
    sat_moments of;
    double n;
} part;

typedef struct worker {
    _Alignas(SAT_CACHE_LINE) sat_rows rows; /* of a strip of the image, without gaps */
    sat_rows mask;                          /* of the mask */
    double *x, *valid;                      /* rows of a strip: those that leave, and those that enter */
    part *slots, none, prefix, rest;        /* what steps down the columns keep: sat_box_step */
    double *turned;                         /* eight rows of columns, then of windows, transposed */
    double *described;                      /* what describe() makes of eight rows of a chunk, member by member */
} worker;

typedef struct sat_cpu_floats {
    bool all;                  /* means and squared deviations too */
    int64_t before_x, after_x; /* pixels by which windows reach beyond a column, and a row */
    int64_t before_y, after_y;
    int64_t side_x, side_y; /* of windows */
    int64_t blocks;         /* of BOX_LINES rows in a window */
    int64_t strip_px;       /* columns of results */
    int64_t line;           /* entries in a row of a strip, in whole vectors */
    double cut_off;         /* positions of a window beyond these reaches; of the border's value */
    int64_t *beyond;        /* columns that positions -before_x .. -1, then n .. n + after_x - 1, repeat; -1: none */
    sat_window_rates *of_one, *of_window; /* along a row */
    worker *workers;
} floats;

/* A strip of a band. */
typedef struct strip {
    const sat_cpu_window_run *run;
    worker *k;
    sat_cpu_finish *finish;
    int worker;
    int64_t first_px, px; /* columns of results */
    int64_t entries;      /* samples of a row that the strip's windows hold */
    bool counts;          /* each column has counts of its own */
    bool in_place;        /* the image's rows are read where they lie */
    int lines;            /* window_ops.h */
    double n[BOX_LINES];  /* samples in a column of eight rows of windows, where columns have no counts */
} strip;

/* ---- creation ------------------------------------------------------------------------------------------ */

static int64_t lower(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static bool take(part *p, const floats *g, sat_arena *arena)
{
    double *m = sat_arena_zeros(arena, (size_t)(g->line * (g->all ? 4 : 2)) * sizeof *m);
    if (m == NULL) return false;
    p->of = (sat_moments){m, m + g->line, g->all ? m + 2 * g->line : NULL, g->all ? m + 3 * g->line : NULL};
    return true;
}

static bool plan_worker(const sat_cpu_window *w, const floats *g, worker *k, sat_arena *arena)
{
    const size_t line = (size_t)g->line, columns = line + (size_t)w->spec.channels;
    k->x = sat_arena_zeros(arena, 2 * BOX_LINES * line * sizeof *k->x);
    k->valid = sat_arena_zeros(arena, 2 * BOX_LINES * line * sizeof *k->valid);
    k->slots = sat_arena_zeros(arena, (size_t)(g->blocks + 1) * sizeof *k->slots);
    k->turned = sat_arena_zeros(arena, MEMBERS * BOX_LINES * columns * sizeof *k->turned);
    k->described = sat_arena_zeros(arena, DESCRIBED * BOX_LINES * WINDOW_CHUNK * sizeof *k->described);
    const int64_t most_px = lower(g->strip_px + g->side_x, w->spec.width);
    const size_t row = (size_t)(most_px * w->spec.channels) * sat_type_bytes(w->spec.sample);
    bool ok = k->x && k->valid && k->slots && k->turned && k->described &&
              sat_rows_open(&k->rows, row, w->spec.height, arena) &&
              (!w->spec.masked || sat_rows_open(&k->mask, (size_t)most_px, w->spec.height, arena)) &&
              take(&k->prefix, g, arena) && take(&k->rest, g, arena) && take(&k->none, g, arena);
    for (int64_t i = 0; i < g->blocks && ok; i++) ok = take(&k->slots[i], g, arena);
    return ok;
}

/* Of sets of na and nb samples. */
static sat_window_rates rates(double na, double nb)
{
    const double r = nb > 0 ? nb / (na + nb) : 0;
    return (sat_window_rates){r, na * r};
}

/* Computes `beyond`, the columns that the border repeats. This takes a division for each
 * border column, so it is done once and not for each row. */
static bool plan_beyond(floats *g, const sat_axis *x, sat_arena *arena)
{
    g->beyond = sat_arena_alloc(arena, (size_t)(g->before_x + g->after_x + 1) * sizeof *g->beyond);
    for (int64_t i = 0; g->beyond && i < g->before_x + g->after_x; i++)
        g->beyond[i] = sat_border_index(x->border, i < g->before_x ? i - g->before_x : i - g->before_x + x->n, x->n);
    return g->beyond != NULL;
}

static bool plan_rates(floats *g, sat_arena *arena)
{
    const size_t bytes = (size_t)g->side_x * sizeof *g->of_one;
    g->of_one = sat_arena_alloc(arena, bytes);
    g->of_window = sat_arena_alloc(arena, bytes);
    for (int64_t k = 0; g->of_one && g->of_window && k < g->side_x; k++) {
        g->of_one[k] = rates((double)k, 1);
        g->of_window[k] = rates((double)(g->side_x - k), (double)k);
    }
    return g->of_one && g->of_window;
}

sat_status sat_cpu_floats_open(sat_cpu_window *w, sat_arena *arena)
{
    const sat_axis *x = &w->plan.window.x, *y = &w->plan.window.y;
    floats *g = sat_arena_zeros(arena, sizeof *g);
    w->floats = g;
    if (g == NULL) return sat_fail(SAT_ERR_MEMORY, "cpu: out of memory for windows");
    g->all = !SAT_PATH(sums_alone) || w->plan.needs & (SAT_NEEDS_VAR | SAT_NEEDS_SQUARES);
    const bool repeats = !x->border->shrinks && !x->border->takes_value;
    g->before_x = repeats ? x->before : lower(x->before, x->n - 1);
    g->after_x = repeats ? x->after : lower(x->after, x->n - 1);
    g->before_y = repeats ? y->before : lower(y->before, y->n - 1);
    g->after_y = repeats ? y->after : lower(y->after, y->n - 1);
    const int64_t side_x = g->before_x + 1 + g->after_x, side_y = g->before_y + 1 + g->after_y;
    g->side_x = side_x, g->side_y = side_y;
    g->blocks = side_y / BOX_LINES;
    if (x->border->takes_value)
        g->cut_off = (double)w->spec.window_width * (double)w->spec.window_height - (double)side_x * (double)side_y;
    g->strip_px = STRIP_SAMPLES / w->spec.channels / (w->plan.validity || x->border->shrinks ? 2 : 1);
    if (g->strip_px < 2 * side_x) g->strip_px = 2 * side_x;
    if (g->strip_px > w->spec.width) g->strip_px = w->spec.width;
    g->line = ((g->strip_px + side_x) * w->spec.channels + WINDOW_PAD - 1) / WINDOW_PAD * WINDOW_PAD;
    g->workers = sat_arena_zeros(arena, (size_t)w->threads * sizeof *g->workers);
    bool ok = g->workers != NULL && plan_rates(g, arena) && plan_beyond(g, x, arena);
    for (int i = 0; i < w->threads && ok; i++) ok = plan_worker(w, g, &g->workers[i], arena);
    if (!ok)
        return sat_fail(SAT_ERR_MEMORY, "cpu: out of memory for windows %lld wide and %lld high",
                        (long long)w->spec.window_width, (long long)w->spec.window_height);
    return SAT_OK;
}

/* ---- rows of samples ----------------------------------------------------------------------------------- */

/* Samples as f64; valid only where columns have counts. */
static void load(const strip *s, double *x, double *valid, const char *samples, const sat_validity *v, int64_t n)
{
    const sat_cpu_window *w = s->run->w;
    if (s->counts)
        w->ops->load[w->sample](x, valid, samples, v, n);
    else
        w->isa->widen(w->spec.sample, SAT_F64)(x, samples, n);
}

/* Columns [from, to) of row y of the source, as f64; of the whole strip at once, or of one pixel. */
static void load_columns(const strip *s, double *x, double *valid, int64_t from, int64_t to, int64_t y, bool one)
{
    const sat_view *mask = s->run->mask;
    const sat_view columns = sat_columns_of(s->run->src, from, to - from);
    const sat_cpu_window *w = s->run->w;
    sat_validity v = sat_cpu_validity(&w->spec);
    double pixel[4];
    uint8_t mark;
    if (mask && one) sat_gather(&mark, 0, mask, from, 1, y, 1), v.mask = &mark;
    if (mask && !one) {
        const sat_view marks = sat_columns_of(mask, from, to - from);
        v.mask = sat_row(&s->k->mask, &marks, y);
    }
    if (one) sat_gather(pixel, 0, &columns, 0, 1, y, 1);
    load(s, x, valid, one ? (const char *)pixel : sat_row(&s->k->rows, &columns, y), &v, (to - from) * v.channels);
}

/* The pixels of a strip's row from position `begin` to `end`, that the source does not hold, or holds elsewhere; those
 * from `from` to `to` are loaded. */
static void load_beyond(const strip *s, double *row, double *counts, int64_t begin, int64_t end, int64_t from,
                        int64_t to, int64_t y)
{
    const sat_cpu_window *w = s->run->w;
    const floats *g = w->floats;
    const sat_axis *axis = &w->plan.window.x;
    const sat_columns *held = &s->run->run->held;
    const int64_t origin = s->first_px - g->before_x;
    const int channels = w->spec.channels;
    for (int64_t px = begin; px < end; px++) {
        const int64_t column = px < 0         ? g->beyond[px + g->before_x]
                               : px < axis->n ? px
                                              : g->beyond[px - axis->n + g->before_x];
        const bool takes_value = column < 0 && axis->border->takes_value;
        double *x = row + (px - origin) * channels, *valid = counts + (px - origin) * channels;
        if (column >= held->first && column < held->end && (column < from || column >= to)) {
            load_columns(s, x, valid, column, column + 1, y, true);
            continue;
        }
        const bool is_there = column >= from && column < to;
        for (int c = 0; c < channels; c++) {
            x[c] = is_there ? x[(column - px) * channels + c] : takes_value ? w->plan.window.real_value[c] : 0;
            valid[c] = is_there ? valid[(column - px) * channels + c] : takes_value;
        }
    }
}

/* The samples at position y that the strip's windows hold: where they lie, or in row i of k->x and, if columns have
 * counts, of k->valid.  Returns how many samples of each column count, where they have none.  Rows that the source does
 * not hold are of no window that is made. */
static double load_row(const strip *s, int64_t y, int i, sat_window_line *line)
{
    const sat_cpu_window *w = s->run->w;
    const floats *g = w->floats;
    const sat_view *src = s->run->src;
    const int channels = w->spec.channels;
    const sat_columns *held = &s->run->run->held;
    const int64_t origin = s->first_px - g->before_x, end = origin + s->entries / channels;
    const int64_t r = sat_border_index(w->plan.window.border, y, w->plan.window.y.n);
    const bool takes_value = w->plan.window.border->takes_value;
    double *x = s->k->x + i * g->line, *valid = s->k->valid + i * g->line;
    *line = (sat_window_line){x, valid};
    if (r < 0 || sat_source_row(s->run->run, r) >= src->height) {
        memset(x, 0, (size_t)s->entries * sizeof *x);
        memset(valid, 0, (size_t)s->entries * sizeof *valid);
        for (int64_t e = 0; takes_value && e < s->entries; e += channels)
            for (int c = 0; c < channels; c++) x[e + c] = w->plan.window.real_value[c], valid[e + c] = 1;
        return takes_value;
    }
    const int64_t row = sat_source_row(s->run->run, r);
    if (s->in_place) {
        line->x = sat_sample_at(src, origin, row, 0);
        return 1;
    }
    int64_t from = origin > held->first ? origin : held->first, to = lower(end, held->end);
    if (from > to) from = to = origin;
    if (to > from)
        load_columns(s, x + (from - origin) * channels, valid + (from - origin) * channels, from, to, row, false);
    load_beyond(s, x, valid, origin, from, from, to, row);
    load_beyond(s, x, valid, to, end, from, to, row);
    return 1;
}

/* So many samples are next, of which a thread does so many in a microsecond. */
static bool goes_on(const strip *s, int64_t samples, double per_us)
{
    return sat_goes_on(s->run->run, s->worker, (double)samples / per_us);
}

/* ---- windows ------------------------------------------------------------------------------------------- */

static sat_moments of(const strip *s, const part *p)
{
    sat_moments m = p->of;
    if (!s->counts) m.n = NULL;
    return m;
}

static void forget(const strip *s, part *p)
{
    const size_t bytes = (size_t)s->run->w->floats->line * sizeof(double);
    p->n = 0;
    memset(p->of.n, 0, bytes * (p->of.m2 ? MEMBERS : 2));
}

/* After the last block of a segment: its blocks become suffixes. */
static bool end_segment(const strip *s)
{
    const floats *g = s->run->w->floats;
    for (int64_t i = g->blocks - 2; i >= 0; i--) {
        if (!goes_on(s, s->entries, SAT_SUMMED_PER_US)) return false;
        part *p = &s->k->slots[i], *below = p + 1;
        const sat_moments to = of(s, p), from = of(s, below);
        s->run->w->ops->join[g->all][s->counts](&to, &from, rates(p->n, below->n), s->entries);
        p->n += below->n;
    }
    return true;
}

/* The step of a block of rows: its windows, or, before the first of a strip, the rows that enter. */
static bool step_down(strip *s, int64_t block, bool windows)
{
    const floats *g = s->run->w->floats;
    worker *k = s->k;
    const int64_t place = (block % g->blocks + g->blocks) % g->blocks, first = block * BOX_LINES - g->before_y;
    const part *suffix = place + 1 == g->blocks ? &k->none : &k->slots[place + 1];
    part *slot = &k->slots[place];
    const int split = (int)(BOX_LINES - g->side_y % BOX_LINES);
    sat_window_step step = {.suffix = of(s, suffix),
                            .block = of(s, slot),
                            .prefix = of(s, &k->prefix),
                            .part = of(s, &k->rest),
                            .split = split,
                            .last = place + 1 == g->blocks};
    double after = suffix->n, before = k->prefix.n, rest = k->rest.n;
    for (int j = BOX_LINES - 1; windows && j >= 0; j--) {
        if (!goes_on(s, s->entries, SAT_SUMMED_PER_US)) return false;
        const double n = load_row(s, first + j, j, &step.leave[j]);
        step.of_leave[j] = rates(after, n);
        s->n[j] = after += n;
    }
    for (int j = 0; j < BOX_LINES; j++) {
        if (!goes_on(s, s->entries, SAT_SUMMED_PER_US)) return false;
        const double n = load_row(s, first + g->side_y + j, BOX_LINES + j, &step.enter[j]);
        step.of_window[j] = rates(s->n[j], before);
        s->n[j] += before;
        step.of_prefix[j] = rates(before, n);
        before += n;
        step.of_part[j] = rates(rest, n);
        rest += n;
        if (j + 1 == split) slot->n = rest, rest = 0;
        step.scale[j] = 1 / s->n[j];
    }
    k->prefix.n = step.last ? rest : before;
    k->rest.n = rest;
    for (int64_t at = 0, end; at < s->entries; at = end) {
        end = lower(at + ASKED_SAMPLES, s->entries);
        if (!goes_on(s, end - at, SAT_WINDOWS_PER_US)) return false;
        s->run->w->ops->down[g->all][s->lines](&step, windows ? k->turned : NULL, at, end);
    }
    return !step.last || end_segment(s);
}

/* Of windows that are lower than a block. */
static bool low_down(strip *s, int64_t block)
{
    const floats *g = s->run->w->floats;
    double n[2 * BOX_LINES] = {0};
    sat_window_low low = {.side = (int)g->side_y};
    for (int j = 0; j < BOX_LINES + low.side - 1; j++) {
        if (!goes_on(s, s->entries, SAT_SUMMED_PER_US)) return false;
        n[j] = load_row(s, block * BOX_LINES - g->before_y + j, j, &low.line[j]);
        if (j > 0) low.of_pair[j - 1] = rates(n[j - 1], n[j]);
    }
    for (int j = 0; j < BOX_LINES; j++) {
        s->n[j] = n[j] + (low.side > 1 ? n[j + 1] : 0);
        for (int i = 2; i < low.side; i += 2) {
            const double more = n[j + i] + (i + 1 < low.side ? n[j + i + 1] : 0);
            low.of_window[j][i / 2 - 1] = rates(s->n[j], more);
            s->n[j] += more;
        }
        low.scale[j] = 1 / s->n[j];
    }
    for (int64_t at = 0, end; at < s->entries; at = end) {
        end = lower(at + ASKED_SAMPLES, s->entries);
        if (!goes_on(s, end - at, SAT_WINDOWS_PER_US)) return false;
        s->run->w->ops->low[g->all][s->lines](&low, s->k->turned, at, end);
    }
    return true;
}

/* From the moments of eight rows of windows to what describe() makes of them. */
static sat_window_describe describe(const strip *s)
{
    const sat_cpu_window *w = s->run->w;
    const floats *g = w->floats;
    enum { ROWS = BOX_LINES * WINDOW_CHUNK };
    double *at = s->k->described;
    sat_window_describe d = {.n = at,
                             .sum = w->plan.needs & SAT_NEEDS_SUM ? at + ROWS : NULL,
                             .mean = at + 2 * ROWS,
                             .var = w->plan.needs & SAT_NEEDS_VAR ? at + 3 * ROWS : NULL,
                             .squares = w->plan.needs & SAT_NEEDS_SQUARES ? at + 4 * ROWS : NULL,
                             .row = WINDOW_CHUNK,
                             .ddof = (double)w->spec.ddof,
                             .cut_off = g->cut_off,
                             .value = w->plan.window.real_value,
                             .channels = w->spec.channels};
    for (int j = 0; j < BOX_LINES; j++) {
        const double columns = (double)g->side_x, samples = s->n[j] * columns, all = samples + g->cut_off;
        d.samples[j] = samples;
        d.inverse[j] = 1 / all;
        d.scale[j] = 1 / s->n[j];
        d.of_var[j] = s->n[j] / (all - d.ddof);
        d.of_squares[j] = s->n[j] / all;
    }
    return d;
}

/* Results of n windows of row j of the block, row y of the image, from sample `first` of the strip on. */
static void finish(const strip *s, const sat_window_describe *d, int64_t j, int64_t y, int64_t first, int64_t n)
{
    sat_cpu_finish *f = s->finish;
    const int64_t at = j * d->row;
    const double count = d->samples[j] + d->cut_off;
    f->mean = d->mean + at;
    if (d->sum) f->sum = d->sum + at;
    if (d->var) f->var = d->var + at;
    if (d->squares) f->squares = d->squares + at;
    if (s->counts) memcpy(f->n, d->n + at, (size_t)n * sizeof *f->n);
    for (int64_t e = 0; !s->counts && f->filled != count && e < WINDOW_CHUNK; e++) f->n[e] = count;
    f->filled = s->counts ? 0 : count;
    sat_cpu_window_finish(s->run, f, y, s->first_px * s->run->w->spec.channels + first, n);
}

/* Rows [y, end) of a block, whose columns are there. */
static bool do_rows(const strip *s, int64_t block, int64_t y, int64_t end)
{
    const sat_cpu_window *w = s->run->w;
    const floats *g = w->floats;
    const sat_window_along along = {g->side_x, w->spec.channels, g->of_one, g->of_window};
    const sat_window_describe d = describe(s);
    const int64_t samples = s->px * w->spec.channels, entry = sat_window_members(g->all, s->counts) * BOX_LINES;
    const int64_t segments = (ASKED_SAMPLES / w->spec.channels / g->side_x + 1) * g->side_x;
    for (int64_t px = 0; px < s->px; px += segments) {
        const int64_t n = lower(s->px - px, segments);
        if (!goes_on(s, n * w->spec.channels, SAT_WINDOWS_PER_US)) return false;
        w->ops->along[g->all][s->counts](&along, s->k->turned + px * w->spec.channels * entry, n);
    }
    const int64_t before = s->run->run->made.first - s->first_px;
    for (int64_t i = before > 0 ? before * w->spec.channels : 0, n; i < samples; i += n) {
        n = lower(samples - i, WINDOW_CHUNK);
        w->ops->describe[g->all][s->counts](&d, s->k->turned + i * entry, n);
        for (int64_t row = y; row < end; row++) {
            if (!goes_on(s, n, SAT_WINDOWS_PER_US)) return false;
            finish(s, &d, row - block * BOX_LINES, row, i, n);
        }
    }
    return true;
}

/* Rows [y, end) of a strip. */
static void do_strip(strip *s, int64_t y, int64_t end)
{
    const floats *g = s->run->w->floats;
    int64_t block = y / BOX_LINES;
    if (g->blocks) {
        for (int64_t i = 0; i < g->blocks; i++) forget(s, &s->k->slots[i]);
        forget(s, &s->k->prefix);
        forget(s, &s->k->rest);
        for (int64_t b = block - g->blocks - 1; b < block; b++)
            if (!step_down(s, b, false)) return;
    }
    for (; block * BOX_LINES < end; block++, y = block * BOX_LINES) {
        if (!(g->blocks ? step_down(s, block, true) : low_down(s, block))) return;
        if (!do_rows(s, block, y, lower(end, (block + 1) * BOX_LINES))) return;
    }
}

void sat_cpu_floats_rows(const sat_cpu_window_run *run, int worker_index, int64_t y, int64_t end_row)
{
    const sat_cpu_window *w = run->w;
    const floats *g = w->floats;
    const sat_columns *made = &run->run->made, *held = &run->run->held;
    for (int64_t first = made->first - made->first % g->strip_px; first < made->end; first += g->strip_px) {
        if (!sat_goes_on(run->run, worker_index, 0)) return;
        const int64_t end = lower(first + g->strip_px, w->spec.width);
        const bool inside = first >= g->before_x && end + g->after_x <= w->spec.width;
        strip s = {.run = run,
                   .k = &g->workers[worker_index],
                   .finish = &w->finish[worker_index],
                   .worker = worker_index,
                   .first_px = first,
                   .counts = !SAT_PATH(one_count) || w->plan.validity || (w->plan.window.border->shrinks && !inside)};
        /* Of windows that are not made, those in the first one's segment are. */
        if (made->first > first) s.first_px += (made->first - first) / g->side_x * g->side_x;
        s.px = lower(end, made->end) - s.first_px;
        s.entries = (s.px + g->before_x + g->after_x) * w->spec.channels;
        sat_rows_forget(&s.k->rows);
        sat_rows_forget(&s.k->mask);
        const int64_t origin = s.first_px - g->before_x; /* vectors end in the source */
        const bool lies = origin >= held->first && origin + s.px + g->side_x + WINDOW_PAD <= held->end;
        s.in_place = !s.counts && lies && !w->plan.window.border->takes_value && !sat_has_gaps(run->src);
        s.lines = s.counts                                  ? WINDOW_LINES_COUNTED
                  : s.in_place && w->spec.sample == SAT_F32 ? WINDOW_LINES_F32
                                                            : WINDOW_LINES_F64;
        do_strip(&s, y, end_row);
    }
}
