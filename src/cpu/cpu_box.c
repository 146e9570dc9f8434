/* cpu_box.c - the cpu backend's box filter for integer samples: the sums of cpu_sums.c, divided.
 *
 * Sums are divided as they are taken from two prefix sums, or, in windows of few columns of bytes, from the column
 * sums; unless a border adds its value to them, or alpha weighs them (paths.def: few_columns, few_means). */
#include <stdio.h>
#include <string.h>

#include "box_bands.h"
#include "cpu.h"
#include "cpu_box_float.h"
#include "cpu_sums.h"
#include "cpu_window.h"
#include "machine.h"
#include "path.h"
#include "pool.h"
#include "shape.h"

enum { CHUNK = SAT_CENTRES };

/* Samples in a thread's share (machine.h), at 0.7 and at 1.6 ns each (docs/cpu.md). */
enum { SHARE_INTEGERS = 150000, SHARE_FLOATS = 60000 };

/* Samples that one thread adds to column sums, and makes means of, in a microsecond. */
#define SUMMED_PER_US 5000.0
#define MADE_PER_US   1400.0

typedef struct worker {
    _Alignas(SAT_CACHE_LINE) char *zeros; /* a chunk of them */
    char *divisors;                       /* of its windows */
    char *result;                         /* a row of results on its way past the caches */
    sat_rows *results;                    /* on their way to a view with gaps */
    char *row;                            /* where the row's results go */
    int64_t empty, moved;                 /* results of a run */
} worker;

typedef struct filter {
    sat_box_spec spec;
    sat_box_window window;
    sat_cpu_sums sums;
    const struct sat_box_ops *ops;
    int sign, out;    /* box_ops.h's indices: of the samples' sign, and of the results */
    size_t out_bytes; /* of a result */
    bool stream;      /* the result will not fit the cache and goes past it */
    int threads;
    worker *workers;
    uint64_t least; /* samples of a window that must count, where some may not; else its mean is `empty` */
    sat_cpu_avoided empty;
    bool keep_holes;
    bool avoids;               /* it, with results that are not empty */
    bool clips;                /* it lay beyond the results' range */
    sat_cpu_box_float *floats; /* float samples: cpu_box_float.c, and nothing of the above */
} filter;

static bool plan_workers(filter *f, sat_arena *arena)
{
    const size_t chunk = CHUNK * f->sums.of[SUM].entry, result = (size_t)f->sums.samples * f->out_bytes;
    f->workers = sat_arena_zeros(arena, (size_t)f->threads * sizeof *f->workers);
    sat_rows *rows = sat_arena_alloc(arena, (size_t)f->threads * sizeof *rows);
    bool ok = f->workers && rows;
    for (int i = 0; ok && i < f->threads; i++) {
        f->workers[i] = (worker){.zeros = sat_arena_zeros(arena, chunk),
                                 .divisors = sat_arena_alloc(arena, chunk),
                                 .result = sat_arena_alloc(arena, result),
                                 .results = rows + i};
        ok = f->workers[i].zeros && f->workers[i].divisors && f->workers[i].result &&
             sat_rows_open(rows + i, result, f->spec.height, arena);
    }
    return ok;
}

/* What is summed, and the indices of box_ops.h that a checked spec has: of the narrowest sums that hold all (paths.def:
 * sums_16, sums_24, sums_32). */
static void choose_loops(filter *f)
{
    const sat_box_spec *s = &f->spec;
    const sat_box_window *w = &f->window;
    const size_t in_bytes = sat_type_bytes(s->sample);
    sat_cpu_feature *sum = &f->sums.of[SUM];
    f->out_bytes = sat_type_bytes(s->result);
    f->sign = w->is_signed ? BOX_SIGNED : BOX_UNSIGNED;
    f->sums.sample_bytes = in_bytes;
    f->sums.sample = (w->is_signed ? BOX_I8 : BOX_U8) + (in_bytes == 1 ? 0 : in_bytes == 2 ? 1 : 2);
    f->sums.in = !s->weighted_alpha ? f->sums.sample : w->is_signed ? BOX_I32 : BOX_U32;
    const bool sums_64 = !SAT_PATH(sums_32) || w->accum == SAT_U64;
    *sum = (sat_cpu_feature){.used = true, .sums = sums_64 ? BOX_SUMS_64 : BOX_SUMS_32};
    if (SAT_PATH(sums_16) && in_bytes == 1 && !s->weighted_alpha && sat_box_window_fits(w, 16)) sum->sums = BOX_SUMS_16;
    for (int c = 0; c < 4; c++) sum->value[c] = w->value[c];
    if (s->result == SAT_F64)
        f->out = BOX_TO_F64;
    else if (s->result == SAT_F32)
        f->out = SAT_PATH(sums_24) && !sums_64 && sat_sum_fits(w->area_px, w->largest, 24) ? BOX_TO_F24 : BOX_TO_F32;
    else
        f->out = in_bytes == 1 ? BOX_TO_8 : in_bytes == 2 ? BOX_TO_16 : BOX_TO_32;
}

/* A count is divided by, and so has the sums' type. */
static void choose_counts(filter *f, const sat_cpu_counted *counted)
{
    const struct sat_window_ops *ops = f->sums.isa->window;
    sat_cpu_feature *count = &f->sums.of[COUNT];
    *count = (sat_cpu_feature){.used = true, .sums = f->sums.of[SUM].sums};
    for (int c = 0; c < 4; c++) count->value[c] = 1;
    f->sums.some_count = true;
    f->sums.masked = counted->masked;
    f->sums.packs = !sat_is_float(f->spec.result) && !counted->keep_holes;
    f->sums.counts =
        (sat_validity){.channels = f->spec.channels, .has_nodata = counted->has_nodata, .nodata = counted->nodata};
    f->least = counted->least <= (double)f->window.area_px ? (uint64_t)counted->least : (uint64_t)f->window.area_px + 1;
    f->empty = sat_cpu_avoid_value(f->sums.isa, f->spec.result, counted->empty);
    f->clips = ops->store[sat_window_sample(f->spec.result)](f->empty.value, &counted->empty, 1) > 0;
    f->avoids = counted->avoids;
    f->keep_holes = counted->keep_holes;
}

sat_status sat_cpu_means_open(const sat_box_spec *spec, const sat_cpu_counted *counted, sat_arena *arena, void **state,
                              char *note, size_t note_bytes)
{
    const char *why;
    const sat_isa *isa = sat_isa_in_use(&why);
    if (isa == NULL) return sat_fail(SAT_ERR_UNAVAILABLE, "cpu: %s", why);
    filter *f = sat_arena_zeros(arena, sizeof *f);
    if (f == NULL) return sat_fail(SAT_ERR_MEMORY, "cpu: out of memory for a box filter");
    f->spec = *spec;
    f->ops = isa->box;
    const int64_t rows = spec->band_rows ? spec->band_rows : spec->height; /* of a run */
    double samples = (double)spec->width * (double)rows * spec->channels;
    f->threads =
        sat_machine_threads(spec->threads, samples, sat_is_float(spec->sample) ? SHARE_FLOATS : SHARE_INTEGERS);
    if (f->threads > rows && !sat_is_float(spec->sample)) f->threads = (int)rows;
    sat_status status = sat_box_window_of(spec, &f->window);
    if (status == SAT_OK && sat_is_float(spec->sample)) {
        status = sat_cpu_box_float_open(spec, counted, &f->window, isa, f->threads, arena, &f->floats);
    } else if (status == SAT_OK) {
        f->sums = (sat_cpu_sums){.window = &f->window,
                                 .isa = isa,
                                 .channels = spec->channels,
                                 .samples = spec->width * spec->channels,
                                 .chunk = CHUNK,
                                 .threads = f->threads,
                                 .weighted = spec->weighted_alpha,
                                 .summed_per_us = SUMMED_PER_US,
                                 .made_per_us = MADE_PER_US};
        choose_loops(f);
        if (counted) choose_counts(f, counted);
        f->stream = sat_machine_streams((size_t)f->sums.samples * f->out_bytes, sat_area(rows, spec->count));
        if (!sat_cpu_sums_open(&f->sums, arena) || !plan_workers(f, arena))
            status = sat_fail(SAT_ERR_MEMORY, "cpu: out of memory for a box filter of rows of %lld pixels",
                              (long long)spec->width);
    }
    if (status != SAT_OK) return status;
    int n = snprintf(note, note_bytes, "cpu, %s, %d thread%s", isa->name, f->threads, f->threads == 1 ? "" : "s");
    if (f->sums.of[SUM].entry == 2) f->window.accum = SAT_U16;
    if (n > 0 && (size_t)n < note_bytes) sat_box_window_note(&f->window, note + n, note_bytes - (size_t)n);
    *state = f;
    return SAT_OK;
}

/* ---- runs ---------------------------------------------------------------------------------------------- */

typedef struct job {
    const filter *f;
    const sat_view *src, *mask, *dst;
    const sat_run *run;
    int64_t rows;  /* in each band but the last */
    bool scatters; /* to a view with gaps */
} job;

/* Means of n samples of the chunk, from sample i on, whose windows hold as many samples: `divisor`.  sums: of the
 * chunk, where they are there already. */
static void divide(const filter *f, const worker *w, const sat_cpu_summer *k, const sat_cpu_chunk *c, const char *sums,
                   int64_t i, int64_t n, uint64_t divisor)
{
    const sat_cpu_sums *e = &f->sums;
    const size_t entry = e->of[SUM].entry;
    char *out = w->row + (size_t)i * f->out_bytes;
    sat_box_divide *loop = f->ops->divide[f->sign][e->of[SUM].sums][f->out];
    if (sums)
        loop(out, sums + (size_t)(i - c->first) * entry, w->zeros, divisor, n);
    else if (e->few)
        f->ops->few_means[e->few - 1](out, k->of[SUM].column + (size_t)i * entry, e->channels, divisor, n);
    else
        loop(out, sat_cpu_prefix(e, k, SUM, i + sat_cpu_reach(e)), sat_cpu_prefix(e, k, SUM, i), divisor, n);
}

/* Means of the few samples [i, end) at an edge, one by one: a call takes longer than they do (paths.def: few_edges). */
static void divide_edge(const filter *f, const worker *w, const sat_cpu_summer *k, int64_t i, int64_t end,
                        int64_t covered_y)
{
    const uint16_t *column = (const uint16_t *)(const void *)k->of[SUM].column;
    uint8_t *row = (uint8_t *)w->row;
    for (; i < end; i++) {
        const uint32_t divisor = (uint32_t)covered_y * f->sums.covered[i];
        uint32_t sum = divisor / 2;
        for (int j = 0; j < f->sums.few; j++) sum += column[i + j * f->spec.channels];
        row[i] = (uint8_t)(sum / divisor);
    }
}

/* Means by w->divisors. */
static void divide_each(const filter *f, const worker *w, const char *sums, int64_t first, int64_t n)
{
    f->ops->divide_each[f->sign][f->sums.of[SUM].sums][f->out](w->row + (size_t)first * f->out_bytes, sums, w->divisors,
                                                               n);
}

/* Where positions beyond the image count nothing, windows at the edges have fewer columns; all others have the same
 * divisor (paths.def: one_divisor). */
static void divide_shrunk(const filter *f, const worker *w, const sat_cpu_summer *k, const sat_cpu_chunk *c,
                          const char *sums)
{
    const sat_cpu_sums *e = &f->sums;
    const int64_t behind = c->first + c->n;
    for (int64_t i = c->first, end; i < behind; i = end) {
        end = i < e->left ? e->left : i < e->right ? e->right : e->samples;
        if (end > behind) end = behind;
        const sat_cpu_chunk part = {c->y, i, end - i, c->covered_y};
        if (SAT_PATH(one_divisor) && i >= e->left && end <= e->right) {
            divide(f, w, k, c, sums, i, part.n, (uint64_t)(c->covered_y * f->spec.window_width));
        } else if (SAT_PATH(few_edges) && e->few && !sums) {
            divide_edge(f, w, k, i, end, c->covered_y);
        } else {
            sat_cpu_areas(e, SUM, w->divisors, &part);
            divide_each(f, w,
                        sums ? sums + (size_t)(i - c->first) * e->of[SUM].entry : sat_cpu_window_sums(e, k, SUM, &part),
                        i, part.n);
        }
    }
}

static void divide_weighted(const filter *f, const worker *w, const sat_cpu_chunk *c, const char *sums)
{
    const sat_cpu_sums *e = &f->sums;
    const bool shrinks = f->window.border->shrinks;
    if (shrinks) sat_cpu_areas(e, SUM, w->divisors, c);
    f->ops->spread[e->of[SUM].sums](w->divisors, sums, shrinks ? 0 : (uint64_t)f->window.area_px, e->channels, c->n);
    divide_each(f, w, sums, c->first, c->n);
}

static void avoid_empty(const filter *f, worker *w, char *results, int64_t n)
{
    if (f->avoids) w->moved += sat_cpu_avoid(&f->empty, results, NULL, 0, n);
}

/* The windows of holes count nothing. */
static void count_no_holes(const job *j, const sat_cpu_chunk *c, char *counts)
{
    const filter *f = j->f;
    const size_t entry = f->sums.of[COUNT].entry;
    uint8_t valid[CHUNK];
    sat_cpu_centres(valid, &f->sums.counts, j->src, j->mask, sat_source_row(j->run, c->y), c->first, c->n);
    for (int64_t i = 0; i < c->n; i++)
        if (!valid[i]) memset(counts + (size_t)i * entry, 0, entry);
}

/* A mean's divisor is the count of its window. */
static void divide_counted(const job *j, worker *w, const sat_cpu_summer *k, const sat_cpu_chunk *c, const char *sums)
{
    const filter *f = j->f;
    const sat_cpu_sums *e = &f->sums;
    const sat_cpu_feature *of = &e->of[COUNT];
    char *counts = e->packed_bits ? w->divisors : sat_cpu_window_sums(e, k, COUNT, c);
    char *out = w->row + (size_t)c->first * f->out_bytes;
    int64_t below;
    if (e->packed_bits) {
        below = e->isa->window->divide_packed[e->sample](out, (const void *)sums, (void *)counts, e->packed_bits,
                                                         (uint32_t)f->least, c->n);
    } else {
        f->ops->divide_each[f->sign][of->sums][f->out](out, sums, counts, c->n);
        if (f->keep_holes) count_no_holes(j, c, counts);
        below = f->ops->below[of->sums](counts, f->least, c->n);
    }
    w->empty += below;
    int64_t done = 0;
    for (int64_t i = 0; below > 0 && i < c->n; i++) {
        if (!f->ops->below[of->sums](counts + (size_t)i * of->entry, f->least, 1)) continue;
        avoid_empty(f, w, out + (size_t)done * f->out_bytes, i - done);
        memcpy(out + (size_t)i * f->out_bytes, f->empty.value, f->out_bytes);
        done = i + 1;
    }
    avoid_empty(f, w, out + (size_t)done * f->out_bytes, c->n - done);
}

static void means(const void *context, int worker_index, const sat_cpu_chunk *c)
{
    const job *j = context;
    const filter *f = j->f;
    const sat_cpu_sums *e = &f->sums;
    worker *w = &f->workers[worker_index];
    const sat_cpu_summer *k = &e->workers[worker_index];
    const int64_t y = c->y - j->run->first;
    char *to = (char *)j->dst->data + y * j->dst->row_bytes;
    if (c->first == 0) w->row = j->scatters ? sat_row_to(w->results, j->dst, y) : f->stream ? w->result : to;
    const bool few_sums = e->few && (f->out != BOX_TO_8 || f->sign == BOX_SIGNED); /* no few_means() for them */
    const bool summed = (e->few && !SAT_PATH(few_means)) || f->spec.weighted_alpha || e->some_count || e->by_segments ||
                        few_sums || sat_cpu_has_values(e, c);
    const char *sums = summed ? sat_cpu_window_sums(e, k, SUM, c) : NULL;
    if (e->some_count)
        divide_counted(j, w, k, c, sums);
    else if (f->spec.weighted_alpha)
        divide_weighted(f, w, c, sums);
    else if (f->window.border->shrinks)
        divide_shrunk(f, w, k, c, sums);
    else
        divide(f, w, k, c, sums, c->first, c->n, (uint64_t)f->window.area_px);
    if (c->first + c->n == e->samples && f->stream && !j->scatters)
        e->isa->stream(to, w->row, (size_t)e->samples * f->out_bytes);
}

static void do_band(void *context, int64_t band, int worker_index)
{
    const job *j = context;
    const filter *f = j->f;
    const sat_cpu_sums_run run = {&f->sums, j->src, j->mask, j->run, means, j};
    const int64_t first = j->run->first + band * j->rows;
    const int64_t end = first + j->rows < j->run->end ? first + j->rows : j->run->end;
    sat_rows_forget(f->workers[worker_index].results);
    sat_cpu_sums_rows(&run, worker_index, first, end);
    sat_rows_end(f->workers[worker_index].results, j->dst);
    if (f->stream) f->sums.isa->fence();
}

sat_status sat_cpu_means_run(void *state, const sat_view *src, const sat_view *mask, const sat_view *dst,
                             const sat_run *run, sat_counts *counts)
{
    const filter *f = state;
    if (f->floats) return sat_cpu_box_float_run(f->floats, src, mask, dst, run, counts);
    const int64_t height = run->end - run->first;
    const int64_t rows = sat_cpu_box_band_rows(run, f->spec.window_height, f->threads);
    job j = {.f = f, .src = src, .mask = mask, .dst = dst, .run = run, .rows = rows, .scatters = sat_has_gaps(dst)};
    for (int i = 0; i < f->threads; i++) f->workers[i].empty = f->workers[i].moved = 0;
    sat_cpu_sums_begin(&f->sums, run, rows);
    const sat_status status = sat_run_each(run, f->spec.executor, f->threads, (height - 1) / rows + 1, do_band, &j);
    if (!f->sums.some_count) return status;
    counts->empty[0] = counts->moved = 0;
    for (int i = 0; i < f->threads; i++) {
        counts->empty[0] += f->workers[i].empty;
        counts->moved += f->workers[i].moved;
    }
    counts->clipped = f->clips ? counts->empty[0] : 0;
    return status;
}

static sat_status sat_cpu_box_open(const void *spec, sat_arena *arena, void **state, char *note, size_t note_bytes)
{
    return sat_cpu_means_open(spec, NULL, arena, state, note, note_bytes);
}

const sat_hooks sat_cpu_box = {.open = sat_cpu_box_open, .run = sat_cpu_means_run, .turns = true, .rows = true};
