/* cpu_box_float.c - the cpu backend's box filter for float samples: sums by additions only.
 *
 * Running sums that add what enters and subtract what leaves drift, lose small samples beside large ones,
 * and never forget a NaN.  Here nothing is ever subtracted.  Cut the samples of an axis into blocks as
 * long as the window; then a window is the end of one block and the beginning of the next:
 *
 *     |  .  .  .  a  b  c | d  e  .  .  .  . |          window {a b c d e} = suffix(a b c) + prefix(d e)
 *
 * and suffix and prefix sums take one addition for each sample, whatever the window's size (van Herk 1992,
 * Gil & Werman 1993, there for minima).  First down the columns, then along the row of column sums.  So an
 * NaN or Inf reaches exactly the windows that hold it, and the error of a mean of n samples is at most
 * n * 2^-53 of the mean of their absolute values.
 *
 * Rows and columns beyond the image are the ones that the border mode names, or zeros; what a border value
 * adds is added at the end.  Threads take bands of rows in strips of columns, whose suffix sums, a window's
 * height of them, are their scratch memory.  Windows that reach beyond the image by more than its size, in
 * a mode that repeats samples, are summed as the segments that the mode makes of them. */
#include <string.h>

#include "box_bands.h"
#include "cpu_box_float.h"
#include "machine.h"
#include "pool.h"

/* Results in a strip: so many that the columns that only its neighbours' windows share cost little, so few
 * that a row of it and its sums stay in the second-level cache. */
enum { STRIP_PX = 1024 };

enum { SCRATCH_BYTES = 1 << 29 };

typedef struct worker {
    double *column;          /* sums over the window's rows of the strip and of what its windows reach */
    double *suffix, *prefix; /* of the column sums, along the row */
    double *row;             /* one row of samples */
    double *below;           /* prefix sums down the columns */
    double *above;           /* suffix sums down the columns, window height rows */
} worker;

struct sat_cpu_box_float {
    sat_box_spec spec;
    sat_window window;
    sat_axis x, y; /* cut where samples beyond the image count for nothing */
    bool by_segments;
    int threads;
    int64_t strip, reach; /* px: of results, and of columns that these need at most */
    double *memory;
    worker *workers;
};

typedef struct sat_cpu_box_float filter;

static void cut(sat_axis *a)
{
    if (a->before > a->n) a->before = a->n;
    if (a->after > a->n) a->after = a->n;
}

sat_status sat_cpu_box_float_open(const sat_box_spec *spec, const sat_window *window, int threads, sat_arena *arena,
                                  filter **out)
{
    filter *f = sat_arena_zeros(arena, sizeof *f);
    if (f == NULL) return sat_fail(SAT_ERR_MEMORY, "cpu: out of memory for a box filter");
    *f = (filter){.spec = *spec, .window = *window, .x = window->x, .y = window->y, .threads = threads};
    if (window->border->shrinks || window->border->takes_value) cut(&f->x), cut(&f->y);
    f->by_segments = f->x.before > f->x.n || f->x.after > f->x.n || f->y.before > f->y.n || f->y.after > f->y.n;
    f->strip = f->by_segments || spec->width < STRIP_PX ? spec->width : STRIP_PX;
    f->reach = f->by_segments ? f->strip : f->x.before + f->strip + f->x.after;

    /* Fewer threads where their scratch memory together would be large: a window's height of rows each. */
    size_t row, rows = f->by_segments ? 0 : (size_t)(f->y.before + 1 + f->y.after), each = 0, all = 0;
    bool fits =
        sat_mul((size_t)f->reach, (size_t)spec->channels * sizeof(double), &row) && sat_mul(row, rows + 5, &each);
    while (fits && threads > 1 && each > SCRATCH_BYTES / (size_t)threads) threads /= 2;
    f->threads = threads;
    fits = fits && sat_mul(each, (size_t)threads, &all);
    f->memory = fits ? sat_arena_alloc(arena, all) : NULL;
    f->workers = sat_arena_zeros(arena, (size_t)threads * sizeof *f->workers);
    if (f->memory == NULL || f->workers == NULL)
        return sat_fail(SAT_ERR_MEMORY, "cpu: out of memory for the sums of %zu rows for each of %d threads", rows,
                        threads);
    row /= sizeof(double), each /= sizeof(double);
    for (int i = 0; i < threads; i++) {
        double *m = f->memory + (size_t)i * each;
        f->workers[i] = (worker){m, m + row, m + 2 * row, m + 3 * row, m + 4 * row, m + 5 * row};
    }
    *out = f;
    return SAT_OK;
}

/* The pixel that position i of the axis sees, -1 if none. */
static int64_t seen(const filter *f, const sat_axis *axis, int64_t i)
{
    return sat_border_index(f->window.border, i, axis->n);
}

/* The samples of n pixels from column `first` on (either may lie beyond the image) of the row at position
 * y, times alpha where colours are weighted. */
static void load(const filter *f, const sat_view *src, int64_t y, int64_t first, int64_t n, double *out)
{
    int channels = f->spec.channels;
    int64_t row = seen(f, &f->y, y);
    if (row < 0) {
        memset(out, 0, (size_t)(n * channels) * sizeof *out);
        return;
    }
    const float *in = (const float *)(const void *)((const char *)src->data + (size_t)row * src->row_bytes);
    const int64_t pitch = (int64_t)(src->pixel_bytes / sizeof *in); /* from pixel to pixel */
    for (int64_t i = 0; i < n; i++, out += channels) {
        int64_t x = seen(f, &f->x, first + i);
        double alpha = x >= 0 && f->spec.weighted_alpha ? (double)in[x * pitch + channels - 1] : 1;
        for (int c = 0; c < channels; c++)
            out[c] = x < 0 ? 0 : (double)in[x * pitch + c] * (c < channels - 1 ? alpha : 1);
    }
}

static void add(double *restrict to, const double *restrict what, int64_t n)
{
    for (int64_t i = 0; i < n; i++) to[i] += what[i];
}

/* Window sums along a row of n column sums: out[i] for the window that begins at pixel i. */
static void along_row(const filter *f, const worker *w, int64_t n)
{
    int64_t channels = f->spec.channels, window = f->x.before + 1 + f->x.after;
    for (int64_t i = n - 1; i >= 0; i--)
        for (int64_t k = i * channels; k < (i + 1) * channels; k++)
            w->suffix[k] = w->column[k] + (i % window == window - 1 || i == n - 1 ? 0 : w->suffix[k + channels]);
    for (int64_t i = 0; i < n; i++)
        for (int64_t k = i * channels; k < (i + 1) * channels; k++)
            w->prefix[k] = w->column[k] + (i % window == 0 ? 0 : w->prefix[k - channels]);
    for (int64_t i = 0; i + window <= n; i++)
        for (int64_t c = 0; c < channels && i % window != 0; c++)
            w->suffix[i * channels + c] += w->prefix[(i + window - 1) * channels + c];
}

/* The means of one row's pixels [first, first + n) from their sums. */
static void means(const filter *f, const double *sums, int64_t y, int64_t first, int64_t n, const sat_view *dst)
{
    int channels = f->spec.channels;
    float *out = (float *)(void *)((char *)dst->data + (size_t)y * dst->row_bytes) + first * channels;
    sat_segment segments[SAT_SEGMENTS];
    int64_t covered_x, covered_y;
    sat_axis_segments(&f->window.y, y, segments, &covered_y);
    for (int64_t i = 0; i < n; i++, sums += channels, out += channels) {
        double area = (double)f->window.area_px, sum[4];
        bool inside = first + i >= f->x.before && first + i < f->x.n - f->x.after;
        if (inside)
            covered_x = f->spec.window_width;
        else
            sat_axis_segments(&f->window.x, first + i, segments, &covered_x);
        double covered = (double)covered_x * (double)covered_y;
        if (f->window.border->shrinks) area = covered;
        memcpy(sum, sums, (size_t)channels * sizeof *sum);
        for (int c = 0; c < channels && f->window.border->takes_value && covered < area; c++)
            sum[c] += f->window.real_value[c] * (area - covered);
        for (int c = 0; c < channels; c++) {
            double divisor = f->spec.weighted_alpha && c < channels - 1 ? sum[channels - 1] : area;
            out[c] = divisor == 0 ? 0 : (float)(sum[c] / divisor);
        }
    }
}

/* Rows [y, end) of the strip of n pixels from column `first` on. */
static void do_strip(const filter *f, const worker *w, const sat_view *src, const sat_view *dst, int64_t y, int64_t end,
                     int64_t first, int64_t n)
{
    int64_t window = f->y.before + 1 + f->y.after, reach = f->x.before + n + f->x.after, left = first - f->x.before;
    int64_t samples = reach * f->spec.channels;
    for (int64_t block = y - f->y.before; block + f->y.before < end; block += window) {
        for (int64_t j = window - 1; j >= 0; j--) {
            double *above = w->above + j * samples;
            load(f, src, block + j, left, reach, above);
            if (j < window - 1) add(above, above + samples, samples);
        }
        memset(w->below, 0, (size_t)samples * sizeof *w->below);
        for (int64_t j = 0; j < window && block + f->y.before + j < end; j++) {
            if (j > 0) {
                load(f, src, block + window + j - 1, left, reach, w->row);
                add(w->below, w->row, samples);
            }
            memcpy(w->column, w->above + j * samples, (size_t)samples * sizeof *w->column);
            if (j > 0) add(w->column, w->below, samples);
            along_row(f, w, reach);
            means(f, w->suffix, block + f->y.before + j, first, n, dst);
        }
    }
}

/* One row, as the definition has it. */
static void do_row_by_segments(const filter *f, const worker *w, const sat_view *src, const sat_view *dst, int64_t y)
{
    int64_t channels = f->spec.channels, width = f->spec.width, covered;
    sat_segment segments[SAT_SEGMENTS];
    int count = sat_axis_segments(&f->y, y, segments, &covered);
    memset(w->column, 0, (size_t)(width * channels) * sizeof *w->column);
    for (int s = 0; s < count; s++)
        for (int64_t r = segments[s].begin; r < segments[s].end; r++) {
            load(f, src, r, 0, width, w->row);
            for (int64_t i = 0; i < width * channels; i++) w->column[i] += (double)segments[s].weight * w->row[i];
        }
    for (int64_t x = 0; x < width; x++) {
        count = sat_axis_segments(&f->x, x, segments, &covered);
        for (int64_t c = 0; c < channels; c++) {
            double sum = 0;
            for (int s = 0; s < count; s++)
                for (int64_t i = segments[s].begin; i < segments[s].end; i++)
                    sum += (double)segments[s].weight * w->column[i * channels + c];
            w->suffix[x * channels + c] = sum;
        }
    }
    means(f, w->suffix, y, 0, width, dst);
}

typedef struct job {
    const filter *f;
    const sat_view *src, *dst;
    int64_t rows, strips; /* rows in each band but the last, strips in a row */
} job;

static void do_part(void *context, int64_t part, int worker_index)
{
    const job *j = context;
    const filter *f = j->f;
    const worker *w = &f->workers[worker_index];
    int64_t height = f->spec.height, width = f->spec.width;
    int64_t y = part / j->strips * j->rows, first = part % j->strips * f->strip;
    int64_t end = y + j->rows < height ? y + j->rows : height;
    if (f->by_segments)
        do_row_by_segments(f, w, j->src, j->dst, y);
    else
        do_strip(f, w, j->src, j->dst, y, end, first, width - first < f->strip ? width - first : f->strip);
}

sat_status sat_cpu_box_float_run(filter *f, const sat_view *src, const sat_view *dst)
{
    int64_t height = f->spec.height, strips = (f->spec.width - 1) / f->strip + 1;
    int64_t window = f->y.before + 1 + f->y.after;
    int64_t rows = f->by_segments ? 1 : sat_cpu_box_band_rows(height, window, f->threads);
    /* Blocks begin at multiples of the window in every band, so that sums do not depend on the threads. */
    if (!f->by_segments) rows = (rows + window - 1) / window * window;
    job j = {.f = f, .src = src, .dst = dst, .rows = rows, .strips = strips};
    sat_parallel_on(f->spec.executor, f->threads, ((height - 1) / rows + 1) * strips, do_part, &j);
    return SAT_OK;
}
