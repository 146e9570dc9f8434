/* cpu_window_floats.c - count, sum, mean and squared deviations of the windows of a row of floats, by joining alone.
 *
 * Two sets of samples with counts na and nb, means ma and mb, squared deviations qa and qb join (Chan, Golub and LeVeque
 * 1979) to
 *
 *     n = na + nb     mean = ma + (mb - ma) * nb / n     q = qa + qb + (mb - ma)^2 * na * nb / n
 *
 * No difference of large sums is taken, and nothing is taken away: windows along an axis are joined from suffixes and
 * prefixes of segments as long as a window (van Herk 1992), first down the columns, then along the rows.
 *
 *     |  .  .  .  a  b  c | d  e  .  .  .  . |          window {a b c d e} = suffix(a b c) + prefix(d e)
 *
 * Down the columns.  A suffix is needed for each row of a segment, and all are made before the first is used.  One for
 * each GROUP rows is kept, and the others are made again from it.
 *
 * Along the rows.  WINDOW_ROWS rows lie side by side, so that vectors hold one column of each.
 *
 * Segments begin at multiples of their length, from the first row and column of the image on, so that results do not
 * depend on bands and strips.  Strips are whole segments wide.
 *
 * Positions beyond the image.  Windows are cut to the image's size beyond each edge.  A border that takes a value is
 * joined as samples there, and what was cut off as one set of equal samples. */
#include <string.h>

#include "cpu_window.h"
#include "host_copy.h"

enum { GROUP = 16 };
enum { STRIP_SAMPLES = 512 }; /* at least; moments of a group of rows then stay in the second-level cache */

typedef struct worker {
    char *packed;              /* a row without the gaps between its pixels */
    double *x, *valid;         /* of a strip's row */
    sat_moments prefix;        /* of the columns of a strip: of the segment's rows that have come */
    sat_moments kept, group;   /* suffixes: of each GROUP-th row, and of the rows of one group */
    sat_moments window;        /* of one row */
    sat_moments tile, done;    /* WINDOW_ROWS rows of a strip, entry by entry: of columns, of windows */
    sat_moments scratch;
} worker;

typedef struct sat_cpu_floats {
    bool all;                     /* means and squared deviations too */
    int64_t before_x, after_x;    /* pixels by which windows reach beyond a column, and a row */
    int64_t before_y, after_y;
    int64_t strip_px;             /* columns of results */
    double cut_off;               /* positions of a window beyond these reaches; of the border's value */
    worker *workers;
} floats;

/* A strip of a band, and where its rows of samples are. */
typedef struct strip {
    const sat_cpu_window_run *run;
    const worker *k;
    sat_cpu_finish *finish;
    int64_t first_px, px; /* columns of results */
    int64_t entries;      /* samples of a row that the strip's windows hold */
} strip;

/* ---- creation ------------------------------------------------------------------------------------------ */

static int64_t lower(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static bool take(sat_moments *m, bool all, size_t entries, sat_arena *arena)
{
    double *p = sat_arena_zeros(arena, entries * (all ? 4 : 2) * sizeof *p);
    if (p == NULL) return false;
    *m = (sat_moments){p, p + entries, all ? p + 2 * entries : NULL, all ? p + 3 * entries : NULL};
    return true;
}

static sat_moments at(const sat_moments *m, int64_t entry)
{
    return (sat_moments){m->n + entry, m->sum + entry, m->mean ? m->mean + entry : NULL, m->m2 ? m->m2 + entry : NULL};
}

static bool plan_worker(const sat_cpu_window *w, const floats *g, worker *k, sat_arena *arena)
{
    const int64_t side_x = g->before_x + 1 + g->after_x, side_y = g->before_y + 1 + g->after_y;
    const size_t channels = (size_t)w->spec.channels, out = (size_t)g->strip_px * channels;
    const size_t in = out + (size_t)side_x * channels;
    const size_t groups = (size_t)((side_y + GROUP - 1) / GROUP + 1);
    k->packed = sat_arena_alloc(arena, (size_t)w->samples * sat_type_bytes(w->spec.sample));
    k->x = sat_arena_zeros(arena, in * sizeof *k->x);
    k->valid = sat_arena_zeros(arena, in * sizeof *k->valid);
    return k->packed && k->x && k->valid && take(&k->prefix, g->all, in, arena) &&
           take(&k->kept, g->all, groups * in, arena) && take(&k->group, g->all, GROUP * in, arena) &&
           take(&k->window, g->all, in, arena) && take(&k->tile, g->all, in * WINDOW_ROWS, arena) &&
           take(&k->done, g->all, out * WINDOW_ROWS, arena) &&
           take(&k->scratch, g->all, (size_t)side_x * channels * WINDOW_ROWS, arena);
}

sat_status sat_cpu_floats_open(sat_cpu_window *w, sat_arena *arena)
{
    const sat_axis *x = &w->window.x, *y = &w->window.y;
    const bool repeats = !x->border->shrinks && !x->border->takes_value;
    floats *g = sat_arena_zeros(arena, sizeof *g);
    if (repeats && (x->before > x->n || x->after > x->n || y->before > y->n || y->after > y->n))
        return sat_fail(SAT_ERR_RANGE, "a window of %lldx%lld reaches beyond the image by more than its size; for floats "
                        "and border %s, that is too far", (long long)w->spec.window_width,
                        (long long)w->spec.window_height, x->border->name);
    w->floats = g;
    if (g == NULL) return sat_fail(SAT_ERR_MEMORY, "cpu: out of memory for windows");
    g->all = w->needs & (SAT_NEEDS_VAR | SAT_NEEDS_SQUARES);
    g->before_x = lower(x->before, x->n), g->after_x = lower(x->after, x->n);
    g->before_y = lower(y->before, y->n), g->after_y = lower(y->after, y->n);
    const int64_t side_x = g->before_x + 1 + g->after_x, side_y = g->before_y + 1 + g->after_y;
    if (x->border->takes_value)
        g->cut_off = (double)w->spec.window_width * (double)w->spec.window_height - (double)side_x * (double)side_y;
    g->strip_px = (STRIP_SAMPLES / w->spec.channels + side_x - 1) / side_x * side_x;
    if (g->strip_px > w->spec.width) g->strip_px = w->spec.width;
    g->workers = sat_arena_zeros(arena, (size_t)w->threads * sizeof *g->workers);
    for (int i = 0; g->workers && i < w->threads; i++)
        if (!plan_worker(w, g, &g->workers[i], arena)) g->workers = NULL;
    if (g->workers == NULL)
        return sat_fail(SAT_ERR_MEMORY, "cpu: out of memory for windows of %lldx%lld", (long long)w->spec.window_width,
                        (long long)w->spec.window_height);
    return SAT_OK;
}

/* ---- down the columns ---------------------------------------------------------------------------------- */

/* The pixels of a strip's row from position `from` to `to` that lie beyond the image. */
static void fill_beyond(const strip *s, int64_t from, int64_t to, const sat_validity *v, const char *row)
{
    const sat_cpu_window *w = s->run->w;
    const sat_axis *axis = &w->window.x;
    const int64_t origin = s->first_px - w->floats->before_x;
    const int channels = w->spec.channels;
    for (int64_t px = from; px < to; px++) {
        const int64_t i = (px - origin) * channels, column = sat_border_index(axis->border, px, axis->n);
        for (int c = 0; c < channels; c++) s->k->x[i + c] = s->k->valid[i + c] = 0;
        if (column >= 0) {
            sat_validity one = *v;
            if (v->mask) one.mask += column;
            const size_t bytes = (size_t)channels * sat_type_bytes(w->spec.sample);
            w->ops->load[w->sample](s->k->x + i, s->k->valid + i, row + (size_t)column * bytes, &one, channels);
        } else if (axis->border->takes_value) {
            for (int c = 0; c < channels; c++) s->k->x[i + c] = w->window.real_value[c], s->k->valid[i + c] = 1;
        }
    }
}

/* The samples at position y that the strip's windows hold: k->x and k->valid. */
static void load_row(const strip *s, int64_t y)
{
    const sat_cpu_window *w = s->run->w;
    const floats *g = w->floats;
    const sat_view *src = s->run->src;
    const int channels = w->spec.channels;
    const int64_t origin = s->first_px - g->before_x, end = origin + s->entries / channels, width = w->spec.width;
    const int64_t r = sat_border_index(w->window.border, y, w->window.y.n);
    const size_t bytes = (size_t)channels * sat_type_bytes(w->spec.sample);
    if (r < 0) {
        for (int64_t i = 0; i < s->entries; i++) {
            s->k->x[i] = w->window.border->takes_value ? w->window.real_value[i % channels] : 0;
            s->k->valid[i] = w->window.border->takes_value;
        }
        return;
    }
    const char *row = sat_cpu_row(src, r);
    if (sat_has_gaps(src)) {
        sat_gather(s->k->packed, row, width, bytes, src->pixel_bytes);
        row = s->k->packed;
    }
    sat_validity v = sat_cpu_validity(s->run, r);
    const int64_t from = origin > 0 ? origin : 0, to = lower(end, width), skipped = (from - origin) * channels;
    fill_beyond(s, origin, from, &v, row);
    fill_beyond(s, to, end, &v, row);
    if (v.mask) v.mask += from;
    w->ops->load[w->sample](s->k->x + skipped, s->k->valid + skipped, row + (size_t)from * bytes, &v,
                            (to - from) * channels);
}

/* What the samples of one row are: no squared deviations. */
static void set_row(const strip *s, const sat_moments *m)
{
    const size_t bytes = (size_t)s->entries * sizeof(double);
    memcpy(m->n, s->k->valid, bytes);
    memcpy(m->sum, s->k->x, bytes);
    if (m->mean) memcpy(m->mean, s->k->x, bytes);
    if (m->m2) memset(m->m2, 0, bytes);
}

static void copy(const strip *s, const sat_moments *to, const sat_moments *from)
{
    const size_t bytes = (size_t)s->entries * sizeof(double);
    memcpy(to->n, from->n, bytes);
    memcpy(to->sum, from->sum, bytes);
    if (to->mean) memcpy(to->mean, from->mean, bytes);
    if (to->m2) memcpy(to->m2, from->m2, bytes);
}

/* The suffixes of rows [first, last) of a segment at position `start`, from that of row `last`, if it is no segment's
 * end: to(row) for each, or only for each GROUP-th. */
static void make_suffixes(const strip *s, int64_t start, int64_t first, int64_t last, bool keep)
{
    const sat_cpu_window *w = s->run->w;
    const floats *g = w->floats;
    const worker *k = s->k;
    const int64_t side = g->before_y + 1 + g->after_y;
    sat_moments running = k->window;
    for (int64_t i = last - 1; i >= first; i--) {
        load_row(s, start + i);
        sat_moments below = keep ? running : at(&k->group, (i + 1 - first) * s->entries);
        const sat_moments to = keep ? running : at(&k->group, (i - first) * s->entries);
        if (i == last - 1 && !keep) below = at(&k->kept, last / GROUP * s->entries);
        if (i == side - 1)
            set_row(s, &to);
        else
            w->ops->join_samples[g->all](&to, &below, k->x, k->valid, s->entries);
        if (keep && i % GROUP == 0) {
            const sat_moments kept = at(&k->kept, i / GROUP * s->entries);
            copy(s, &kept, &to);
        }
    }
}

/* ---- along the rows ------------------------------------------------------------------------------------ */

static void to_tile(const strip *s, const sat_moments *row, int r)
{
    const sat_moments *t = &s->k->tile;
    for (int64_t i = 0; i < s->entries; i++) {
        t->n[i * WINDOW_ROWS + r] = row->n[i];
        t->sum[i * WINDOW_ROWS + r] = row->sum[i];
    }
    for (int64_t i = 0; row->mean && i < s->entries; i++) {
        t->mean[i * WINDOW_ROWS + r] = row->mean[i];
        t->m2[i * WINDOW_ROWS + r] = row->m2[i];
    }
}

/* Moments of n samples of a row, to what results are made of. */
static void to_results(const strip *s, const sat_moments *m, int r, int64_t first, int64_t n)
{
    const sat_cpu_window *w = s->run->w;
    const floats *g = w->floats;
    sat_cpu_finish *f = s->finish;
    for (int64_t i = 0; i < n; i++) {
        f->n[i] = m->n[(first + i) * WINDOW_ROWS + r];
        f->sum[i] = m->sum[(first + i) * WINDOW_ROWS + r];
    }
    if (g->cut_off > 0)
        for (int64_t i = 0; i < n; i++) {
            const double value = w->window.real_value[(first + i) % w->spec.channels], count = f->n[i] + g->cut_off;
            const int64_t e = (first + i) * WINDOW_ROWS + r;
            if (g->all) {
                const double apart = value - m->mean[e], share = g->cut_off / count;
                m->m2[e] += apart * (f->n[i] * share * apart);
                m->mean[e] += apart * share;
            }
            f->sum[i] += value * g->cut_off;
            f->n[i] = count;
        }
    for (int64_t i = 0; i < n; i++) f->mean[i] = f->sum[i] / f->n[i];
    for (int64_t i = 0; g->all && i < n; i++) {
        const double q = m->m2[(first + i) * WINDOW_ROWS + r];
        f->var[i] = q / (f->n[i] - w->spec.ddof);
        f->squares[i] = q / f->n[i] + f->mean[i] * f->mean[i];
    }
}

/* The results of the rows in the tile, of which the first is y. */
static void finish_tile(const strip *s, int64_t y, int rows)
{
    const sat_cpu_window *w = s->run->w;
    const floats *g = w->floats;
    const int channels = w->spec.channels;
    const int64_t n = s->px * channels;
    w->ops->run_columns[g->all](&s->k->done, &s->k->tile, &s->k->scratch, g->before_x + 1 + g->after_x, channels, n);
    for (int r = 0; r < rows; r++)
        for (int64_t i = 0; i < n; i += WINDOW_CHUNK) {
            const int64_t count = lower(n - i, WINDOW_CHUNK);
            to_results(s, &s->k->done, r, i, count);
            sat_cpu_window_finish(s->run, s->finish, y + r, s->first_px * channels + i, count);
        }
}

/* Rows [y, end) of a strip. */
static void do_strip(const strip *s, int64_t y, int64_t end)
{
    const sat_cpu_window *w = s->run->w;
    const floats *g = w->floats;
    const worker *k = s->k;
    const int64_t side = g->before_y + 1 + g->after_y;
    int rows = 0;
    for (int64_t first = y, tile = y; y < end; y++) {
        const int64_t i = y % side, start = y - i - g->before_y; /* the segment's first position */
        if (i == 0 || y == first) {
            make_suffixes(s, start, i / GROUP * GROUP, side, true);
            for (int64_t j = 0; j < i; j++) { /* of the next segment: what came before the band */
                load_row(s, start + side + j);
                if (j == 0)
                    set_row(s, &k->prefix);
                else
                    w->ops->join_samples[g->all](&k->prefix, &k->prefix, k->x, k->valid, s->entries);
            }
        } else {
            load_row(s, start + side + i - 1);
            if (i == 1)
                set_row(s, &k->prefix);
            else
                w->ops->join_samples[g->all](&k->prefix, &k->prefix, k->x, k->valid, s->entries);
        }
        if (i % GROUP == 0 || y == first) {
            const int64_t from = i / GROUP * GROUP;
            make_suffixes(s, start, from, lower(from + GROUP, side), false);
        }
        const sat_moments suffix = at(&k->group, i % GROUP * s->entries);
        if (i == 0) {
            to_tile(s, &suffix, rows++);
        } else {
            w->ops->join[g->all](&k->window, &suffix, &k->prefix, s->entries);
            to_tile(s, &k->window, rows++);
        }
        if (rows < WINDOW_ROWS && y + 1 < end) continue;
        finish_tile(s, tile, rows);
        rows = 0;
        tile = y + 1;
    }
}

void sat_cpu_floats_rows(const sat_cpu_window_run *run, int worker_index, int64_t y, int64_t end)
{
    const sat_cpu_window *w = run->w;
    const floats *g = w->floats;
    const int channels = w->spec.channels;
    for (int64_t first = 0; first < w->spec.width; first += g->strip_px) {
        strip s = {.run = run,
                   .k = &g->workers[worker_index],
                   .finish = &w->finish[worker_index],
                   .first_px = first,
                   .px = lower(g->strip_px, w->spec.width - first)};
        s.entries = (s.px + g->before_x + g->after_x) * channels;
        do_strip(&s, y, end);
    }
}
