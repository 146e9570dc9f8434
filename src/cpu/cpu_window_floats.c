/* cpu_window_floats.c - count, sum, mean and squared deviations of the windows of a row of floats, by joining alone.
 *
 * Two sets of samples with counts na and nb, means ma and mb, squared deviations qa and qb join (Chan, Golub and
 * LeVeque 1979) to
 *
 *     n = na + nb     mean = ma + (mb - ma) * nb / n     q = qa + qb + (mb - ma)^2 * na * nb / n
 *
 * No difference of large sums is taken, and nothing is taken away.
 *
 * Down the columns, windows are joined from suffixes and prefixes of segments as long as a window (van Herk 1992):
 *
 *     |  .  .  .  a  b  c | d  e  .  .  .  . |          window {a b c d e} = suffix(a b c) + prefix(d e)
 *
 * A suffix is needed for each row of a segment, and all are made before the first is used.  Of longer segments one for
 * each `group` rows is kept, and the others are made again from it.
 *
 * Along a row, windows of 1, 2, 4, 8 ... columns are joined from those of half their width, and windows of `side`
 * columns from those that its binary digits name: 13 = 1 + 4 + 8 takes three doublings and two more joins (Hillis and
 * Steele 1986).
 *
 * Segments begin at multiples of their length from the image's first row on, and strips of columns are the same
 * whatever the threads are, so that results do not depend on bands.
 *
 * Counts.  Where all samples count, a part has as many samples in all columns of a strip, and its count is one number
 * (paths.def: one_count); elsewhere there is one for each column.  Where no variance is asked for, sums alone are
 * joined (paths.def: sums_alone).
 *
 * Positions beyond the image.  Windows are cut to the image's size beyond each edge.  A border that takes a value is
 * joined as samples there, and what was cut off as one set of equal samples. */
#include <string.h>

#include "cpu_window.h"
#include "path.h"
#include "shape.h"

/* Rows whose suffixes are there at a time; of a longer segment GROUP. */
enum { MOST_AT_ONCE = 32, GROUP = 16 };
/* Of results, at least; half of it where columns may have counts.  A group stays in the second-level cache. */
enum { STRIP_SAMPLES = 768 };

/* Moments of the parts of windows in a row of columns, and how many samples each has where they have no counts of their
 * own. */
typedef struct part {
    sat_moments of;
    double n;
} part;

typedef struct worker {
    _Alignas(SAT_CACHE_LINE) sat_rows rows; /* of a strip of the image, without gaps */
    sat_rows mask;                          /* of the mask */
    double *x, *valid;                      /* of a strip's row */
    part prefix;                            /* of the rows of the next segment that have come */
    part running;                           /* of the suffixes that are being made; of a row's windows */
    double *line;                           /* parts of a row's windows on their way to later columns */
    part *kept, *group;                     /* suffixes: of each group's first row, and of the rows of one group */
} worker;

typedef struct sat_cpu_floats {
    bool all;                  /* means and squared deviations too */
    int64_t before_x, after_x; /* pixels by which windows reach beyond a column, and a row */
    int64_t before_y, after_y;
    int64_t group;    /* rows */
    int64_t strip_px; /* columns of results */
    double cut_off;   /* positions of a window beyond these reaches; of the border's value */
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
} strip;

/* ---- creation ------------------------------------------------------------------------------------------ */

static int64_t lower(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static bool take(part *p, bool all, size_t entries, sat_arena *arena)
{
    const size_t apart = (entries + 2 * WINDOW_PAD - 1) / WINDOW_PAD * WINDOW_PAD;
    double *m = sat_arena_zeros(arena, (apart * (all ? 4 : 2) + WINDOW_PAD) * sizeof *m);
    if (m == NULL) return false;
    m += WINDOW_PAD;
    p->of = (sat_moments){m, m + apart, all ? m + 2 * apart : NULL, all ? m + 3 * apart : NULL};
    return true;
}

static bool plan_worker(const sat_cpu_window *w, const floats *g, worker *k, sat_arena *arena)
{
    const int64_t side_x = g->before_x + 1 + g->after_x, side_y = g->before_y + 1 + g->after_y;
    const size_t entries = (size_t)((g->strip_px + side_x) * w->spec.channels);
    const int64_t groups = (side_y + g->group - 1) / g->group;
    k->x = sat_arena_zeros(arena, entries * sizeof *k->x);
    k->valid = sat_arena_zeros(arena, entries * sizeof *k->valid);
    k->kept = sat_arena_zeros(arena, (size_t)groups * sizeof *k->kept);
    k->group = sat_arena_zeros(arena, (size_t)g->group * sizeof *k->group);
    k->line = sat_arena_alloc(arena, sat_window_line(side_x, w->spec.channels) * sizeof *k->line);
    const int64_t most_px = lower(g->strip_px + side_x, w->spec.width);
    const size_t row = (size_t)(most_px * w->spec.channels) * sat_type_bytes(w->spec.sample);
    bool ok = k->line && k->x && k->valid && k->kept && k->group &&
              sat_rows_open(&k->rows, row, w->spec.height, arena) &&
              (!w->spec.masked || sat_rows_open(&k->mask, (size_t)w->spec.width, w->spec.height, arena)) &&
              take(&k->prefix, g->all, entries, arena) && take(&k->running, g->all, entries, arena);
    for (int64_t i = 0; groups > 1 && i < groups && ok; i++) ok = take(&k->kept[i], g->all, entries, arena);
    for (int64_t i = 0; i < g->group && ok; i++) ok = take(&k->group[i], g->all, entries, arena);
    return ok;
}

sat_status sat_cpu_floats_open(sat_cpu_window *w, sat_arena *arena)
{
    const sat_axis *x = &w->plan.window.x, *y = &w->plan.window.y;
    floats *g = sat_arena_zeros(arena, sizeof *g);
    w->floats = g;
    if (g == NULL) return sat_fail(SAT_ERR_MEMORY, "cpu: out of memory for windows");
    g->all = !SAT_PATH(sums_alone) || w->plan.needs & (SAT_NEEDS_VAR | SAT_NEEDS_SQUARES);
    g->before_x = lower(x->before, x->n), g->after_x = lower(x->after, x->n);
    g->before_y = lower(y->before, y->n), g->after_y = lower(y->after, y->n);
    const int64_t side_x = g->before_x + 1 + g->after_x, side_y = g->before_y + 1 + g->after_y;
    g->group = side_y <= MOST_AT_ONCE ? side_y : GROUP;
    if (x->border->takes_value)
        g->cut_off = (double)w->spec.window_width * (double)w->spec.window_height - (double)side_x * (double)side_y;
    g->strip_px = STRIP_SAMPLES / w->spec.channels / (w->plan.validity || x->border->shrinks ? 2 : 1);
    if (g->strip_px < 2 * side_x) g->strip_px = 2 * side_x;
    if (g->strip_px > w->spec.width) g->strip_px = w->spec.width;
    g->workers = sat_arena_zeros(arena, (size_t)w->threads * sizeof *g->workers);
    bool ok = g->workers != NULL;
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

/* The pixels of a strip's row from position `begin` to `end`, which lie beyond the image; those from `from` to `to` are
 * loaded. */
static void load_beyond(const strip *s, int64_t begin, int64_t end, int64_t from, int64_t to, const sat_validity *v,
                        int64_t y)
{
    const sat_cpu_window *w = s->run->w;
    const sat_axis *axis = &w->plan.window.x;
    const int64_t origin = s->first_px - w->floats->before_x;
    const int channels = w->spec.channels;
    double pixel[4];
    for (int64_t px = begin; px < end; px++) {
        const int64_t column = sat_border_index(axis->border, px, axis->n);
        double *x = s->k->x + (px - origin) * channels, *valid = s->k->valid + (px - origin) * channels;
        if (column >= from && column < to) {
            for (int c = 0; c < channels; c++) {
                x[c] = x[(column - px) * channels + c];
                valid[c] = valid[(column - px) * channels + c];
            }
        } else if (column >= 0) {
            sat_validity here = *v;
            if (v->mask) here.mask += column;
            sat_gather(pixel, 0, s->run->src, column, 1, sat_source_row(s->run->run, y), 1);
            load(s, x, valid, (const char *)pixel, &here, channels);
        }
        for (int c = 0; column < 0 && c < channels; c++) {
            x[c] = axis->border->takes_value ? w->plan.window.real_value[c] : 0;
            valid[c] = axis->border->takes_value;
        }
    }
}

/* The samples at position y that the strip's windows hold: k->x and, if columns have counts, k->valid.  False if none
 * of them counts, and the strip's columns have no counts.  Rows that the source does not hold are of no window that is
 * made. */
static bool load_row(const strip *s, int64_t y)
{
    const sat_cpu_window *w = s->run->w;
    const floats *g = w->floats;
    const sat_view *src = s->run->src;
    const int channels = w->spec.channels;
    const int64_t origin = s->first_px - g->before_x, end = origin + s->entries / channels, width = w->spec.width;
    const int64_t r = sat_border_index(w->plan.window.border, y, w->plan.window.y.n);
    const bool takes_value = w->plan.window.border->takes_value;
    if (r < 0 || sat_source_row(s->run->run, r) >= src->height) {
        if (!takes_value && !s->counts) return false;
        for (int64_t i = 0; i < s->entries; i++) {
            s->k->x[i] = takes_value ? w->plan.window.real_value[i % channels] : 0;
            s->k->valid[i] = takes_value;
        }
        return true;
    }
    const sat_validity v = sat_cpu_validity(s->run, r, &s->k->mask);
    sat_validity here = v;
    const int64_t from = origin > 0 ? origin : 0, to = lower(end, width), skipped = (from - origin) * channels;
    const sat_view columns = sat_columns_of(src, from, to - from);
    if (v.mask) here.mask += from;
    const void *samples = sat_row(&s->k->rows, &columns, sat_source_row(s->run->run, r));
    load(s, s->k->x + skipped, s->k->valid + skipped, samples, &here, (to - from) * channels);
    load_beyond(s, origin, from, from, to, &v, r);
    load_beyond(s, to, end, from, to, &v, r);
    return true;
}

/* A row of the strip is next, of which a thread does so many samples in a microsecond. */
static bool goes_on(const strip *s, double per_us)
{
    return sat_goes_on(s->run->run, s->worker, (double)s->entries / per_us);
}

/* ---- parts of windows ---------------------------------------------------------------------------------- */

static sat_moments of(const strip *s, const part *p, int64_t entry)
{
    const sat_moments *m = &p->of;
    return (sat_moments){s->counts ? m->n + entry : NULL, m->sum + entry, m->mean ? m->mean + entry : NULL,
                         m->m2 ? m->m2 + entry : NULL};
}

static void copy(const strip *s, part *to, const part *from)
{
    const size_t bytes = (size_t)s->entries * sizeof(double);
    to->n = from->n;
    if (s->counts) memcpy(to->of.n, from->of.n, bytes);
    memcpy(to->of.sum, from->of.sum, bytes);
    if (to->of.mean) memcpy(to->of.mean, from->of.mean, bytes);
    if (to->of.m2) memcpy(to->of.m2, from->of.m2, bytes);
}

/* to = p and the row at position y; p NULL: nothing and that row. */
static void join_row(const strip *s, part *to, const part *p, int64_t y)
{
    const size_t bytes = (size_t)s->entries * sizeof(double);
    if (!load_row(s, y)) {
        if (p == NULL)
            to->n = 0;
        else if (p != to)
            copy(s, to, p);
    } else if (p == NULL || (!s->counts && p->n == 0)) {
        to->n = 1;
        if (s->counts) memcpy(to->of.n, s->k->valid, bytes);
        memcpy(to->of.sum, s->k->x, bytes);
        if (to->of.mean) memcpy(to->of.mean, s->k->x, bytes);
        if (to->of.m2) memset(to->of.m2, 0, bytes);
    } else {
        const sat_moments out = of(s, to, 0), a = of(s, p, 0);
        s->run->w->ops->join_samples(&out, &a, p->n, s->k->x, s->k->valid, s->entries);
        to->n = p->n + 1;
    }
}

/* to = a and b, column by column. */
static void join(const strip *s, part *to, const part *a, const part *b)
{
    const double na = a->n, nb = b->n;
    if (!s->counts && (na == 0 || nb == 0)) {
        if (to != a) copy(s, to, na == 0 ? b : a);
        return;
    }
    const sat_moments out = of(s, to, 0), first = of(s, a, 0), second = of(s, b, 0);
    s->run->w->ops->join(&out, &first, na, &second, nb, s->entries);
    to->n = na + nb;
}

/* The suffixes of rows [first, last) of the segment at position `start`; last is its end, or a group's.  Kept for the
 * first row of each group; or for all of these rows, which are those of one group. */
static void make_suffixes(const strip *s, int64_t start, int64_t first, int64_t last, bool keep)
{
    const floats *g = s->run->w->floats;
    worker *k = s->k;
    const int64_t side = g->before_y + 1 + g->after_y;
    const part *below = last < side ? &k->kept[last / g->group] : NULL;
    for (int64_t i = last - 1; i >= first; i--) {
        if (!goes_on(s, SAT_SUMMED_PER_US)) return;
        part *to = keep ? &k->running : &k->group[i - first];
        join_row(s, to, below, start + i);
        if (keep && i % g->group == 0) copy(s, &k->kept[i / g->group], to);
        below = to;
    }
}

/* ---- windows ------------------------------------------------------------------------------------------- */

/* The windows of a row from its columns, in their place. */
static void run_columns(const strip *s, part *columns)
{
    const sat_cpu_window *w = s->run->w;
    const floats *g = w->floats;
    const int64_t side = g->before_x + 1 + g->after_x;
    const sat_moments m = of(s, columns, 0);
    w->ops->along[g->all][s->counts][w->spec.channels - 1](&m, &m, columns->n, side, s->k->line, s->entries);
    columns->n *= (double)side;
}

/* The cut-off positions of the windows of n samples from sample `first` of the strip on. */
static void join_cut_off(const strip *s, const part *p, int64_t first, int64_t n)
{
    const sat_cpu_window *w = s->run->w;
    const double cut = w->floats->cut_off;
    sat_moments m = p->of;
    for (int64_t i = first; i < first + n; i++) {
        const double count = s->counts ? m.n[i] : p->n, value = w->plan.window.real_value[i % w->spec.channels];
        if (m.mean) {
            const double apart = value - m.mean[i], share = cut / (count + cut);
            m.m2[i] += apart * (count * share * apart);
            m.mean[i] += apart * share;
        }
        m.sum[i] += value * cut;
        if (s->counts) m.n[i] = count + cut;
    }
}

/* Row y from the moments of its columns. */
static void do_row(const strip *s, part *columns, int64_t y)
{
    const sat_cpu_window *w = s->run->w;
    const floats *g = w->floats;
    sat_cpu_finish *f = s->finish;
    run_columns(s, columns);
    const double count = columns->n + g->cut_off;
    for (int64_t i = 0, n; i < s->px * w->spec.channels; i += n) {
        n = lower(s->px * w->spec.channels - i, WINDOW_CHUNK);
        if (g->cut_off > 0) join_cut_off(s, columns, i, n);
        const sat_moments m = of(s, columns, i);
        w->ops->describe(f->mean, w->plan.needs & SAT_NEEDS_VAR ? f->var : NULL,
                         w->plan.needs & SAT_NEEDS_SQUARES ? f->squares : NULL, &m, count, (double)w->spec.ddof, n);
        if (w->plan.needs & SAT_NEEDS_SUM) memcpy(f->sum, m.sum, (size_t)n * sizeof *f->sum);
        if (s->counts) memcpy(f->n, m.n, (size_t)n * sizeof *f->n);
        for (int64_t e = 0; !s->counts && f->filled != count && e < WINDOW_CHUNK; e++) f->n[e] = count;
        f->filled = s->counts ? 0 : count;
        sat_cpu_window_finish(s->run, f, y, s->first_px * w->spec.channels + i, n);
    }
}

/* Rows [y, end) of a strip. */
static void do_strip(const strip *s, int64_t y, int64_t end)
{
    const floats *g = s->run->w->floats;
    worker *k = s->k;
    const int64_t side = g->before_y + 1 + g->after_y;
    for (const int64_t first = y; y < end; y++) {
        const int64_t i = y % side, start = y - i - g->before_y; /* of the segment: its row, its first position */
        if (i == 0 || y == first) {
            if (side > g->group) make_suffixes(s, start, i / g->group * g->group, side, true);
            for (int64_t j = 0; j < i; j++) join_row(s, &k->prefix, j ? &k->prefix : NULL, start + side + j);
        } else {
            join_row(s, &k->prefix, i > 1 ? &k->prefix : NULL, start + side + i - 1);
        }
        if (i % g->group == 0 || y == first) {
            const int64_t group = i / g->group * g->group;
            make_suffixes(s, start, group, lower(group + g->group, side), false);
        }
        if (i == 0)
            copy(s, &k->running, &k->group[0]);
        else
            join(s, &k->running, &k->group[i % g->group], &k->prefix);
        if (!goes_on(s, SAT_WINDOWS_PER_US)) return;
        do_row(s, &k->running, y);
    }
}

void sat_cpu_floats_rows(const sat_cpu_window_run *run, int worker_index, int64_t y, int64_t end)
{
    const sat_cpu_window *w = run->w;
    const floats *g = w->floats;
    for (int64_t first = 0; first < w->spec.width; first += g->strip_px) {
        if (!sat_goes_on(run->run, worker_index, 0)) return;
        strip s = {.run = run,
                   .k = &g->workers[worker_index],
                   .finish = &w->finish[worker_index],
                   .worker = worker_index,
                   .first_px = first,
                   .px = lower(g->strip_px, w->spec.width - first)};
        s.entries = (s.px + g->before_x + g->after_x) * w->spec.channels;
        sat_rows_forget(&s.k->rows);
        sat_rows_forget(&s.k->mask);
        const bool inside = first >= g->before_x && first + s.px + g->after_x <= w->spec.width;
        s.counts = !SAT_PATH(one_count) || w->plan.validity || (w->plan.window.border->shrinks && !inside);
        do_strip(&s, y, end);
    }
}
