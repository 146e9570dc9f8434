/* gauss_plan.c - a Gaussian filter's memory, and one axis: passes, margins, and what becomes of ones. */
#include "gauss_plan.h"

#include <math.h>
#include <stdio.h>

#include "machine.h"
#include "path.h"
#include "sat_image.h"
#include "shape.h"

/* Samples in a thread's share (machine.h), at 3 to 5 ns each (docs/cpu.md). */
enum { SHARE_SAMPLES = 30000 };

/* Up to that sigma, sums of f32 are exact enough for samples of 16 bits (docs/gauss.md has the errors; paths.def:
 * gauss_f32). */
#define F32_SIGMA_MAX 64.0

static int index_of(sat_type type)
{
    switch (type) {
    case SAT_U8: return GAUSS_U8;
    case SAT_U16: return GAUSS_U16;
    case SAT_U32: return GAUSS_U32;
    case SAT_I8: return GAUSS_I8;
    case SAT_I16: return GAUSS_I16;
    case SAT_I32: return GAUSS_I32;
    case SAT_F32: return GAUSS_F32;
    default: return GAUSS_F64;
    }
}

/* ---- one axis ---------------------------------------------------------------------------------------- */

static double first_real(const sat_gauss_filter *f, const char *line)
{
    float single;
    double value;
    memcpy(&single, line, sizeof single);
    memcpy(&value, line, sizeof value);
    return f->ops->line_bytes == GAUSS_LANES * sizeof single ? (double)single : value;
}

static bool plan_axis(sat_gauss_axis *a, const sat_gauss_kernel *k, const sat_border *border, int64_t n, int64_t span,
                      int planes, sat_arena *arena)
{
    a->n = n;
    a->span = span;
    a->margin = border->blurs ? k->reach : k->passes * k->reach;
    a->ones = planes > 1 ? sat_arena_alloc(arena, (size_t)n * sizeof *a->ones) : NULL;
    if (planes > 1 && a->ones == NULL) return false;
    if (border->shrinks) return (a->scale = sat_arena_alloc(arena, (size_t)n * sizeof *a->scale)) != NULL;
    if (border->takes_value) return true;
    a->beyond = sat_arena_alloc(arena, (size_t)(2 * a->margin) * sizeof *a->beyond);
    if (a->beyond == NULL) return false;
    for (int64_t i = 0; i < a->margin; i++) {
        a->beyond[i] = sat_border_index(border, i - a->margin, n);
        a->beyond[a->margin + i] = sat_border_index(border, n + i, n);
    }
    return true;
}

/* Lines that hold one value for each lane; NULL: zeros. */
static void fill(char *lines, int64_t n, const char *value, size_t line)
{
    if (value == NULL) memset(lines, 0, (size_t)n * line);
    for (int64_t i = 0; value && i < n; i++) memcpy(lines + (size_t)i * line, value, line);
}

/* The lines at positions [begin, end) beyond an edge; those inside, from position `from` on, lie at `lines`. */
static void extend(const sat_gauss_axis *a, char *lines, int64_t from, int64_t begin, int64_t end, const char *value,
                   int64_t line)
{
    if (begin >= end) return;
    if (a->beyond == NULL) fill(lines + (begin - from) * line, end - begin, value, (size_t)line);
    for (int64_t p = begin; a->beyond && p < end; p++) {
        const int64_t inside = a->beyond[p < 0 ? p + a->margin : p - a->n + a->margin];
        memcpy(lines + (p - from) * line, lines + (inside - from) * line, (size_t)line);
    }
}

void sat_gauss_along(const sat_gauss_filter *f, const sat_gauss_kernel *k, const sat_gauss_axis *a, int64_t first,
                     int64_t end, char *out, char *lines, const char *value, char *scratch)
{
    const int64_t line = (int64_t)f->ops->line_bytes, n = a->n, reach = k->reach;
    int64_t from, to; /* positions that are there: samples, then what the passes before made */
    sat_gauss_reach(k, a, first, end, &from, &to);
    char *at = lines + k->passes * reach * line; /* of `from` */
    for (int pass = k->passes - 1; pass >= 0; pass--) {
        const int64_t left = pass * reach;                           /* of the passes that follow */
        const bool made = f->border->blurs || pass == k->passes - 1; /* margins, before this pass */
        const int64_t inside = f->border->blurs ? 0 : left; /* what is filtered reaches so far beyond the image */
        const int64_t low = first - left > -inside ? first - left : -inside;
        const int64_t high = end + left < n + inside ? end + left : n + inside;
        char *in = at + (low - reach - from) * line;
        if (made) {
            extend(a, at, from, low - reach, from, value, line);
            extend(a, at, from, to, high + reach, value, line);
        }
        f->ops->pass(pass ? in : out, in, high - low, low + inside, k, scratch);
        at = in;
        from = low, to = high;
    }
}

/* What becomes of a line of ones: the weights of the samples inside, where those beyond the edge do not count. */
static void plan_ones(const sat_gauss_filter *f, const sat_gauss_kernel *k, const sat_gauss_axis *a)
{
    const sat_gauss_worker *w = &f->workers[0];
    const size_t line = f->ops->line_bytes;
    for (int i = 0; i < GAUSS_LANES; i++) sat_gauss_put(f, w->other, i, 1);
    for (int64_t first = 0, end, from, to; first < a->n; first = end) {
        end = first + a->span < a->n ? first + a->span : a->n;
        sat_gauss_reach(k, a, first, end, &from, &to);
        fill(w->lines[VALUES] + (size_t)(k->passes * k->reach) * line, to - from, w->other, line);
        sat_gauss_along(f, k, a, first, end, w->lines[VALUES], w->lines[VALUES], a->scale ? NULL : w->other,
                        w->scratch);
        for (int64_t i = first; i < end; i++) {
            const double ones = first_real(f, w->lines[VALUES] + (size_t)(i - first) * line);
            if (a->ones) a->ones[i] = ones;
            if (a->scale) a->scale[i] = i < a->margin || i >= a->n - a->margin ? 1 / ones : 1;
        }
    }
}

/* ---- memory ---------------------------------------------------------------------------------------- */

static int64_t round_up(int64_t n)
{
    return (n + GAUSS_LANES - 1) / GAUSS_LANES * GAUSS_LANES;
}

/* Samples that `span` results are made of. */
static int64_t source_span(const sat_gauss_kernel *k, const sat_gauss_axis *a)
{
    const int64_t most = a->span + 2 * (k->passes * k->reach + 1);
    return most < a->n ? most : a->n;
}

/* Lines of one channel or strip: the room in which passes move, the samples, and the margin behind them. */
static int64_t lines_of(const sat_gauss_kernel *k, const sat_gauss_axis *a)
{
    return k->passes * k->reach + round_up(source_span(k, a)) + a->margin;
}

static size_t cache_lines(size_t bytes)
{
    return (bytes + SAT_CACHE_LINE - 1) / SAT_CACHE_LINE * SAT_CACHE_LINE;
}

size_t sat_gauss_result_pitch(const sat_gauss_filter *f)
{
    return cache_lines((size_t)f->samples * sat_type_bytes(f->spec.result)) + SAT_CACHE_LINE;
}

static bool plan_workers(sat_gauss_filter *f, sat_arena *arena)
{
    const size_t line = f->ops->line_bytes, sample = sat_type_bytes(f->spec.sample);
    int64_t lines = 0, scratch = 0;
    for (int i = 0; i < f->kernels; i++) {
        const sat_gauss_kernel *k = &f->kernel[i].k;
        const int64_t down = lines_of(k, &f->kernel[i].y), along = lines_of(k, &f->kernel[i].x);
        if (f->line_room < along) f->line_room = along;
        if (lines < down) lines = down;
        if (scratch < sat_gauss_scratch_lines(k)) scratch = sat_gauss_scratch_lines(k);
    }
    if (lines < f->line_room * f->spec.channels) lines = f->line_room * f->spec.channels;
    const size_t packed = (size_t)f->source_rows * PACKED_SAMPLES * sample,
                 result = sat_gauss_result_pitch(f) * GAUSS_LANES;
    size_t each, all;
    const int64_t all_lines = lines * f->planes, blocks = f->planes + 2;
    if (!sat_mul((size_t)(all_lines + scratch + blocks * GAUSS_LANES), line, &each)) return false;
    each += cache_lines(packed) + cache_lines(result);
    if (!sat_mul(each, (size_t)f->threads, &all)) return false;
    char *memory = sat_arena_alloc(arena, all);
    f->workers = sat_arena_alloc(arena, (size_t)f->threads * sizeof *f->workers);
    if (!memory || !f->workers) return false;
    for (int i = 0; i < f->threads; i++, memory += each) {
        const size_t block = GAUSS_LANES * line;
        char *first = memory + (size_t)(all_lines + scratch) * line, *behind = first + (size_t)blocks * block;
        f->workers[i] = (sat_gauss_worker){.lines = {memory, memory + (size_t)lines * line},
                                           .scratch = memory + (size_t)all_lines * line,
                                           .block = {first, first + 3 * block},
                                           .other = first + block,
                                           .centre = first + 2 * block,
                                           .packed = behind,
                                           .results = behind + cache_lines(packed)};
    }
    return true;
}

static bool plan_memory(sat_gauss_filter *f, sat_arena *arena)
{
    size_t all;
    f->samples = f->spec.width * f->spec.channels;
    f->strips = (f->samples - 1) / GAUSS_LANES + 1;
    const int64_t band = f->spec.band_rows ? f->spec.band_rows : f->spec.height;
    f->rows = round_up(band);
    f->strip_bytes = (size_t)f->rows * f->ops->line_bytes;
    if (!sat_mul(f->strip_bytes, (size_t)f->strips, &all)) return false;
    for (int p = 0; p < f->planes; p++) {
        f->kept[p] = sat_arena_alloc(arena, all);
        f->first[p] = f->kernels > 1 ? sat_arena_alloc(arena, all) : NULL;
        if (f->kept[p] == NULL || (f->kernels > 1 && f->first[p] == NULL)) return false;
    }
    for (int i = 0; i < f->kernels; i++) {
        sat_gauss_stage *k = &f->kernel[i];
        for (int other = 0; f->border->repeats_all && other < f->kernels; other++) {
            const int64_t reach = f->kernel[other].k.passes * f->kernel[other].k.reach;
            if (k->y.most < reach) k->y.most = k->x.most = reach;
        }
        if (!plan_axis(&k->x, &k->k, f->border, f->spec.width, f->spec.width, f->planes, arena)) return false;
        if (!plan_axis(&k->y, &k->k, f->border, f->spec.height, band, f->planes, arena)) return false;
        const int64_t rows = round_up(source_span(&k->k, &k->y));
        if (f->source_rows < rows) f->source_rows = rows;
    }
    f->marks = f->spec.masked ? sat_arena_zeros(arena, (size_t)(f->source_rows * f->strips) * GAUSS_LANES) : NULL;
    if (f->spec.masked && f->marks == NULL) return false;
    if (!plan_workers(f, arena)) return false;
    for (int i = 0; i < f->kernels && (f->planes > 1 || f->border->shrinks); i++) {
        plan_ones(f, &f->kernel[i].k, &f->kernel[i].x);
        plan_ones(f, &f->kernel[i].k, &f->kernel[i].y);
    }
    return true;
}

/* Where alpha weights, a line holds whole pixels. */
static void plan_lanes(sat_gauss_filter *f)
{
    const sat_gauss_spec *s = &f->spec;
    for (int i = 0; i < GAUSS_LANES; i++) {
        sat_gauss_put(f, (char *)f->nodata, i, s->has_nodata && !sat_gauss_is_alpha(s, i) ? s->nodata : NAN);
        sat_gauss_put(f, (char *)f->empty, i, sat_gauss_is_alpha(s, i) ? 0 : s->empty);
        sat_gauss_put(f, (char *)f->whole, i, !s->weighted_alpha || sat_gauss_is_alpha(s, i));
        sat_gauss_put(f, (char *)f->one, i, 1);
    }
    f->avoids = s->has_nodata && sat_type_holds(s->result, s->nodata);
}

static bool in_f64(const sat_gauss_spec *s)
{
    const bool needs_f64 = s->sample == SAT_F64 || s->sample == SAT_U32 || s->sample == SAT_I32 || s->result == SAT_F64;
    const bool products = s->sample == SAT_F32 && s->weighted_alpha;
    if (s->side != 0) return true;
    return needs_f64 || products || s->sigma > F32_SIGMA_MAX || (s->mode == SAT_GAUSS_DOG && s->sigma2 > F32_SIGMA_MAX);
}

sat_status sat_gauss_open(const void *given, sat_arena *arena, void **state, char *note, size_t note_bytes)
{
    const sat_gauss_spec *spec = given;
    const char *why;
    const sat_isa *isa = sat_isa_in_use(&why);
    if (isa == NULL) return sat_fail(SAT_ERR_UNAVAILABLE, "cpu: %s", why);
    sat_gauss_filter *f = sat_arena_zeros(arena, sizeof *f);
    if (f == NULL) return sat_fail(SAT_ERR_MEMORY, "cpu: out of memory for a Gaussian filter");
    const bool f64 = !SAT_PATH(gauss_f32) || in_f64(spec);
    f->spec = *spec;
    f->border = sat_border_find(spec->border);
    f->isa = isa;
    f->ops = isa->gauss[f64];
    f->sample = index_of(spec->sample);
    f->result = index_of(spec->result);
    f->kernel[0].k = spec->side != 0 ? sat_gauss_kernel_of_side(spec->side) : sat_gauss_kernel_for(spec->sigma);
    f->kernels = 1;
    f->planes = spec->masked || spec->has_nodata || spec->skip_nan || spec->min_valid > 0 ? PLANES : 1;
    plan_lanes(f);
    if (spec->mode == SAT_GAUSS_DOG) f->kernel[f->kernels++].k = sat_gauss_kernel_for(spec->sigma2);
    const int64_t rows = spec->band_rows ? spec->band_rows : spec->height;
    const double samples = (double)spec->width * (double)rows * spec->channels;
    f->threads = sat_machine_threads(spec->threads, samples, SHARE_SAMPLES);
    const int64_t tasks = spec->width * spec->channels > rows ? spec->width * spec->channels : rows;
    if (f->threads > (tasks - 1) / GAUSS_LANES + 1) f->threads = (int)((tasks - 1) / GAUSS_LANES + 1);
    if (!plan_memory(f, arena))
        return sat_fail(SAT_ERR_MEMORY, "cpu: out of memory for a Gaussian filter of images of shape (%lld, %lld)",
                        (long long)spec->height, (long long)spec->width);
    *state = f;
    const sat_gauss_kernel *k = &f->kernel[0].k;
    const int n = snprintf(note, note_bytes, "cpu, %s, %d thread%s, in %s, ", isa->name, f->threads,
                           f->threads == 1 ? "" : "s", f64 ? "f64" : "f32");
    if (n < 0 || (size_t)n >= note_bytes) return SAT_OK;
    if (k->direct)
        snprintf(note + n, note_bytes - (size_t)n, "%d weight%s", 2 * (int)k->reach + 1, k->reach ? "s" : "");
    else
        snprintf(note + n, note_bytes - (size_t)n, "%d pass%s of boxes of %d and %d px", k->passes,
                 k->passes > 1 ? "es" : "", 2 * (int)k->radius[0] + 1, 2 * (int)k->radius[1] + 1);
    return SAT_OK;
}
