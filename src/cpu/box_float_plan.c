/* box_float_plan.c - the sizes and the memory of a box filter for floats. */
#include <math.h>

#include "box_float_plan.h"
#include "machine.h"
#include "sat_image.h"
#include "shape.h"

/* Samples, about, in a piece, whose sums are taken down the columns and then along the rows while they are in the
 * first-level cache. */
enum { PIECE_SAMPLES = 128 };

/* The scratch memory of a worker from which on an image is cut into strips, each as wide as some windows at least, and
 * that of all from which on there are fewer workers.  Images of few rows are always cut, so that several workers have a
 * strip. */
enum { STRIP_BYTES = 1 << 26, STRIP_WINDOWS = 4, STRIP_PX = 4096, ALL_BYTES = 1 << 29, FEW_ROWS = 32 };

/* Most bytes of a strip of few rows that has a copy without gaps, which stays in the second-level cache. */
enum { COPY_BYTES = 1 << 22 };

/* Windows that reach beyond the image by more than this many images, in a mode that repeats samples, are taken apart;
 * of a few rows or columns, a few more. */
enum { REACH_IMAGES = 8, REACH_FEW = 32 };

enum { LINE_BYTES = 64 };

/* Lines beyond the reach of every window, of which none counts, are left out. */
static sat_float_axis extend(const sat_axis *a)
{
    int64_t before = a->before, after = a->after;
    if (a->border->shrinks || a->border->takes_value) {
        if (before > a->n - 1) before = a->n - 1;
        if (after > a->n - 1) after = a->n - 1;
    }
    sat_float_axis e = {.image = *a, .first = -before, .window = before + 1 + after};
    e.blocks = e.window / BOX_LINES;
    e.rest = e.window % BOX_LINES;
    return e;
}

static bool reaches_far(const sat_float_axis *a)
{
    const int64_t images = a->image.n <= FEW_ROWS ? REACH_FEW : REACH_IMAGES;
    return -a->first / images > a->image.n || (a->window + a->first) / images > a->image.n;
}

/* Hands out parts of one piece of memory; with base NULL it only counts. */
typedef struct pieces {
    char *base;
    size_t used;
    bool fits;
} pieces;

static void *take(pieces *p, int64_t n, size_t size)
{
    size_t bytes;
    p->fits = p->fits && sat_mul((size_t)n, size, &bytes) && bytes < SIZE_MAX / 2 - p->used;
    if (!p->fits) return NULL;
    void *at = p->base ? p->base + p->used : NULL;
    p->used += (bytes + LINE_BYTES - 1) / LINE_BYTES * LINE_BYTES;
    return at;
}

static double *take_sums(pieces *p, int64_t n)
{
    return take(p, n, sizeof(double));
}

static sat_float_sums plan_sums(pieces *p, const sat_float_axis *a, int64_t n)
{
    int64_t all = 0;
    p->fits = p->fits && !__builtin_mul_overflow(n, a->blocks, &all);
    return (sat_float_sums){take_sums(p, all), take_sums(p, n), take_sums(p, n), take_sums(p, n), n};
}

static sat_float_worker plan_worker(const sat_float_box *f, pieces *p)
{
    const int64_t channels = f->spec.channels, width = f->spec.width * channels;
    if (f->by_segments) return (sat_float_worker){.columns = take_sums(p, width), .windows = take_sums(p, width)};
    sat_float_worker w = {.down = plan_sums(p, &f->y, f->span_px * channels),
                          .along = plan_sums(p, &f->x, BOX_LINES * channels)};
    const int64_t columns = BOX_LINES * (f->x.blocks ? (f->ring_px + BOX_LINES) * channels : f->row);
    const int64_t windows = BOX_LINES * (f->x.blocks ? f->piece_px * channels : f->row);
    w.columns = take_sums(p, columns);
    w.windows = take_sums(p, windows);
    if (f->counts) {
        w.count = take(p, f->span_px * channels, sizeof *w.count);
        w.counts = take(p, columns, sizeof *w.counts);
        w.n = take_sums(p, windows);
        w.valid = take(p, 2 * BOX_LINES * channels + 1, (size_t)f->copied_px + LINE_BYTES);
    }
    w.samples = take(p, 2 * BOX_LINES, (size_t)(f->chunk_px * channels) * f->in_bytes + LINE_BYTES);
    w.means = take(p, BOX_LINES * f->row, f->out_bytes);
    w.strip = take(p, f->spec.height, f->pitch);
    return w;
}

static void plan_widths(sat_float_box *f, int64_t strip_px)
{
    f->strip_px = strip_px < f->spec.width ? strip_px : f->spec.width;
    f->ring_px = sat_float_round_up(f->x.window + 2 * BOX_LINES, SAT_FLOAT_ALIGNED) + f->piece_px;
    f->span_px =
        sat_float_round_up(f->strip_px + f->x.window + 2 * SAT_FLOAT_ALIGNED + 4 * BOX_LINES, SAT_FLOAT_ALIGNED);
}

/* Takes the memory of all workers.  Large sums mean fewer workers. */
static bool plan_workers(sat_float_box *f, sat_arena *arena)
{
    pieces one = {.fits = true}, all;
    plan_worker(f, &one);
    if (!f->by_segments && one.fits && (one.used > STRIP_BYTES || f->spec.height <= FEW_ROWS)) {
        const int64_t strip = f->x.window > STRIP_PX ? STRIP_WINDOWS * f->x.window : STRIP_WINDOWS * (int64_t)STRIP_PX;
        plan_widths(f, sat_float_round_up(strip, SAT_FLOAT_ALIGNED));
        const int64_t needed = f->strip_px + f->x.window + 2, px = needed < f->spec.width ? needed : f->spec.width;
        const size_t bytes = (size_t)(px * f->spec.channels) * f->sample_bytes,
                     pitch = (bytes / LINE_BYTES + 2) * LINE_BYTES;
        if (f->spec.height <= FEW_ROWS && pitch <= COPY_BYTES / (size_t)f->spec.height) f->pitch = pitch;
        one = (pieces){.fits = true};
        plan_worker(f, &one);
    }
    const int64_t rows = f->spec.band_rows ? f->spec.band_rows : f->spec.height;
    const int64_t tasks = f->by_segments ? rows : rows * ((f->spec.width - 1) / f->strip_px + 1);
    if (f->threads > tasks) f->threads = (int)tasks;
    while (f->threads > 1 && one.used > ALL_BYTES / (size_t)f->threads) f->threads /= 2;
    f->workers = sat_arena_zeros(arena, (size_t)f->threads * sizeof *f->workers);
    if (!one.fits || f->workers == NULL) return false;
    for (int pass = 0; pass < 2; pass++) {
        all = (pieces){.base = f->memory, .fits = true};
        f->zeros = take(&all, f->chunk_px * f->spec.channels, f->in_bytes);
        for (int i = 0; i < f->threads; i++) f->workers[i] = plan_worker(f, &all);
        if (!all.fits || pass) break;
        f->memory = sat_arena_zeros(arena, all.used);
        if (f->memory == NULL) return false;
    }
    return all.fits;
}

/* What depends on the column alone. */
static bool plan_columns(sat_float_box *f, sat_arena *arena)
{
    const int64_t channels = f->spec.channels, n = f->spec.width, front = SAT_FLOAT_FRONT_PX;
    const int64_t all = f->x.skip + sat_float_round_up(n, f->strip_px) + f->span_px;
    size_t map_bytes, covered_bytes;
    if (!sat_mul((size_t)all, sizeof *f->map, &map_bytes) ||
        !sat_mul((size_t)(all + front), (size_t)channels * sizeof *f->covered, &covered_bytes))
        return false;
    f->map = sat_arena_alloc(arena, map_bytes);
    f->covered = sat_arena_alloc(arena, covered_bytes);
    if (f->map == NULL || f->covered == NULL) return false;
    for (int64_t p = 0; p < all; p++)
        f->map[p] = p - f->x.skip < n + f->x.window - 1 ? sat_border_index(f->window.border, p + f->x.first, n) : -1;
    for (int64_t p = -front; p < all; p++) {
        const int64_t i = p - f->x.skip;
        int64_t covered = f->spec.window_width;
        sat_segment segments[SAT_SEGMENTS];
        if (i < 0 || i >= n)
            covered = 1;
        else if (i < f->window.x.before || i >= n - f->window.x.after)
            sat_axis_segments(&f->window.x, i, segments, &covered);
        for (int64_t c = 0; c < channels; c++) f->covered[(p + front) * channels + c] = (double)covered;
    }
    return true;
}

/* The last value from a float on, on the way to the float beside it, that is rounded to it; beyond an infinity there is
 * none, and all are. */
static double last_of(float at, float beside)
{
    if (at == beside) return at;
    const double from = isinf(at) ? copysign(0x1p128, at) : at, to = isinf(beside) ? copysign(0x1p128, beside) : beside;
    const double middle = (from + to) / 2;
    return (float)middle == at ? middle : nextafter(middle, from);
}

/* Which samples count; the means that are `empty` in the results' type. */
static void plan_counts(sat_float_box *f, const sat_cpu_counted *counted)
{
    const sat_type type = f->spec.result;
    f->counts = true;
    f->counted = *counted;
    f->valid = (sat_validity){.channels = f->spec.channels,
                              .skip_nan = counted->skip_nan,
                              .has_nodata = counted->has_nodata,
                              .nodata = counted->nodata};
    f->low = f->high = counted->empty;
    f->next = counted->avoids ? sat_type_beside(type, counted->empty, false) : (double)NAN;
    if (type == SAT_F64 || f->next != f->next) return;
    const float empty = (float)counted->empty;
    f->next = sat_type_beside(type, empty, false);
    f->low = last_of(empty, nextafterf(empty, -INFINITY));
    f->high = last_of(empty, nextafterf(empty, INFINITY));
}

sat_status sat_float_plan(sat_float_box *f, const sat_box_spec *spec, const sat_cpu_counted *counted,
                          const sat_box_window *window, const sat_isa *isa, int threads, sat_arena *arena)
{
    const double area = (double)spec->window_width * (double)spec->window_height;
    *f = (sat_float_box){.spec = *spec, .window = *window, .isa = isa, .ops = isa->box_float, .threads = threads};
    if (counted) plan_counts(f, counted);
    f->x = extend(&window->x);
    f->y = extend(&window->y);
    f->by_segments = reaches_far(&f->x) || reaches_far(&f->y);
    f->x.skip = sat_float_round_up(-f->x.first, SAT_FLOAT_ALIGNED) + f->x.first + SAT_FLOAT_ALIGNED;
    f->x.first -= f->x.skip;
    f->in = spec->sample == SAT_F64 || spec->weighted_alpha ? BOX_F64 : BOX_F32;
    f->in_bytes = f->in == BOX_F64 ? sizeof(double) : sizeof(float);
    f->sample_bytes = sat_type_bytes(spec->sample);
    f->out_bytes = sat_type_bytes(spec->result);
    f->inverse = f->out_bytes == sizeof(float) && area < 0x1p40 && !counted ? 1 / area : 0;
    f->stream = sat_machine_streams((size_t)spec->width * (size_t)spec->channels * f->out_bytes,
                                    sat_area(spec->band_rows ? spec->band_rows : spec->height, spec->count));
    f->piece_px = PIECE_SAMPLES / spec->channels / SAT_FLOAT_ALIGNED * SAT_FLOAT_ALIGNED;
    f->chunk_px = SAT_FLOAT_CHUNK_SAMPLES / PIECE_SAMPLES * f->piece_px;
    f->copied_px = f->chunk_px / 4 / SAT_FLOAT_ALIGNED * SAT_FLOAT_ALIGNED;
    f->row = (3 * SAT_FLOAT_FRONT_PX + 2 * SAT_FLOAT_ALIGNED + f->chunk_px) * spec->channels;
    if (!f->by_segments) plan_widths(f, spec->width);
    if (plan_workers(f, arena) && (f->by_segments || plan_columns(f, arena))) return SAT_OK;
    return sat_fail(SAT_ERR_MEMORY,
                    "cpu: out of memory for the sums of a window %lld wide and %lld high for each of %d threads",
                    (long long)spec->window_width, (long long)spec->window_height, f->threads);
}
