/* box_wide.cu - the box filter without a table where windows are wide or tall: each sample is read three times.
 *
 * Idea    Strips (box.cu) read the rows above a segment's first windows, and columns beside a strip.  Where windows
 *         have hundreds of rows and columns, that is most of what they read.  Here a block has whole rows of the image,
 *         or strips of thousands of columns.  From one row of windows to the next, all window sums gain a difference:
 *         over the window's columns, the samples of the row that enters less those of the row that leaves.  One prefix
 *         sum of these differences answers that for windows of any width, and of any border: a window is the few runs
 *         of columns into which an edge cuts it.  The column sums of a segment's first windows are differences of
 *         column sums over all rows above, which two small kernels make for the few rows where such windows begin or
 *         end.
 *
 * Paper   McDonnell, Box-filtering techniques, CGIP 17, 1981: sums that slide down.  Crow, Summed-area tables for
 *         texture mapping, SIGGRAPH 1984: windows from prefix sums.
 *
 * Layout  One block, its row of differences, and the sections of its warps:
 *
 *               | warp 0                        | warp 1                        | ...
 *               | part 0        | part 1        | part 0        | part 1        |       part: 4 columns of each lane
 *               |0000111122223..|000011112222...|
 *
 *         and in shared memory the sum of all columns before each one, of one row.  Results are dealt out again: result
 *         number t + k * threads is thread t's, so that neighbouring lanes read neighbouring words.
 *
 * Launch  1. a block for each group of rows and 1024 columns  2. a block for 32 columns of all groups  3. a block for
 *         each segment of rows and strip; one strip where a row has up to 8192 samples.
 *
 * Traffic 3R1W of the samples: sums of groups, rows that enter, rows that leave.  4 bytes four times for each group
 *         and column, in L2.
 *
 * Sync    1. none  2. one barrier: the totals of all warps are stored  3. two barriers a row: the totals of all
 *         warps, and the prefix sums, are stored; a third where windows reach beyond the image.
 *
 * Limits  u8 whose windows have up to 2^23 samples, u16; results of the same type, or of f32.  Windows that reach
 *         outside the image by at most its size, unless samples there count nothing; `wrap` where a block has whole
 *         rows.
 *
 * Steps   3. a. column sums of the first windows, their prefix sums, the first window sums  b. differences of the next
 *         row: scan in lanes and warps  c. prefix sums are stored  d. barrier  e. window sums gain, means are written
 */
#include <stdlib.h>

#include "box/box_segments.cuh"
#include "box/box_wide.cuh"
#include "box/box_wide_rows.cuh"

namespace
{

/* Rows of a group, at most, so that blocks take equally long. */
constexpr int64_t GROUP_ROWS = 64;

} // namespace

struct box_wide {
    sat_box_spec spec;
    sat_box_window window;
    sat_axis reach_x, reach_y;
    box::axis x, y;
    int32_t elements, strip, strips, rows, groups;
    bool single_runs; /* as box::wide_rows has it */
    int64_t pitch;    /* of the column sums */
    uint32_t *sums;
    const int32_t *bounds; /* of the groups */
    const box::wide_run *first_windows, *beyond;
    const box::wide_mean *means;
    const box::wide_step *steps;
    sat_status (*queue)(const box_wide *f, const sat_view *src, const sat_view *dst, void *stream);
};

static int64_t segments_of(const box_wide *f)
{
    return (f->spec.height + f->rows - 1) / f->rows;
}

/* Positions in front of a row's prefix sums. */
static uint32_t lead_of(const box_wide *f)
{
    return ((uint32_t)(f->x.before * f->spec.channels) + box::QUAD - 1) / box::QUAD * box::QUAD;
}

template <class Filter>
static sat_status queue(const box_wide *f, const sat_view *src, const sat_view *dst, void *stream)
{
    using sample = typename Filter::sample_type;
    using result = typename Filter::result_type;
    using group_sums = box::group_sums<sample>;
    const bool wide = ((uintptr_t)src->data | src->row_bytes | src->image_bytes) % sizeof(box::quad<sample>) == 0;
    group_sums g = {};
    g.in = (const sample *)src->data;
    g.sums = f->sums;
    g.bounds = f->bounds;
    g.in_pitch = (int64_t)(src->row_bytes / sizeof(sample));
    g.in_image_pitch = (int64_t)(src->image_bytes / sizeof(sample));
    g.pitch = f->pitch;
    g.elements = f->elements;
    g.groups = f->groups;
    g.chunks = (uint32_t)((f->elements + group_sums::COLUMNS - 1) / group_sums::COLUMNS);
    g.wide = wide;
    sat_status status = prim::launch(g, src->count * f->groups * g.chunks, stream);
    if (status != SAT_OK) return status;

    box::scan_groups s = {};
    s.sums = f->sums;
    s.pitch = f->pitch;
    s.groups = f->groups;
    s.chunks = (uint32_t)((f->elements + prim::WARP - 1) / prim::WARP);
    status = prim::launch(s, src->count * s.chunks, stream);
    if (status != SAT_OK) return status;

    Filter k = {};
    k.in = g.in;
    k.out = (result *)dst->data;
    k.above = f->sums;
    k.in_row_bytes = (uint32_t)src->row_bytes;
    k.in_row_over = (uint32_t)(src->row_bytes >> 32);
    k.in_image_pitch = g.in_image_pitch;
    k.out_pitch = (int64_t)(dst->row_bytes / sizeof(result));
    k.out_image_pitch = (int64_t)(dst->image_bytes / sizeof(result));
    k.above_pitch = f->pitch;
    k.above_image_pitch = f->groups * f->pitch;
    k.x = f->x;
    k.y = f->y;
    k.first_windows = f->first_windows;
    k.beyond = f->beyond;
    k.means = f->means;
    k.steps = f->steps;
    k.strip = f->strip;
    k.lead = lead_of(f);
    k.rows = f->rows;
    k.image_blocks = (uint32_t)(segments_of(f) * f->strips);
    k.wide = wide && k.in_row_over == 0;
    k.single_runs = f->single_runs;
    k.shrinks = f->window.border->shrinks;
    k.takes_value = f->window.border->takes_value;
    for (unsigned c = 0; k.takes_value && c < (unsigned)f->spec.channels; c++) k.value[c] = (sample)f->window.value[c];
    constexpr unsigned PER = 4 / sizeof(sample);
    for (unsigned i = 0; i < Filter::UNIT; i++)
        k.border[i / box::QUAD].at[i % box::QUAD / PER] |= k.value[i % (unsigned)f->spec.channels]
                                                           << i % PER * 8 * sizeof(sample);
    return prim::launch(k, (int64_t)k.image_blocks * src->count, stream);
}

/* ---- what the kernels read ------------------------------------------------------------------------------ */

static int by_size(const void *a, const void *b)
{
    const int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
    return (x > y) - (x < y);
}

/* The rows where first windows begin or end, in order, each once, and others so that no group has more than GROUP_ROWS
 * rows.  Returns their number. */
static int64_t fill_bounds(const box_wide *f, int32_t *bounds)
{
    int64_t n = 0, kept = 0;
    for (int64_t top = 0; top < f->spec.height; top += f->rows) {
        sat_segment segments[SAT_SEGMENTS];
        int64_t covered;
        const int count = sat_axis_segments(&f->reach_y, top, segments, &covered);
        for (int i = 0; i < count; i++) {
            bounds[n++] = (int32_t)segments[i].begin;
            bounds[n++] = (int32_t)segments[i].end;
        }
    }
    bounds[n++] = 0;
    bounds[n++] = (int32_t)f->spec.height;
    qsort(bounds, (size_t)n, sizeof *bounds, by_size);
    for (int64_t i = 0; i < n; i++)
        if (i == 0 || bounds[i] != bounds[kept - 1]) bounds[kept++] = bounds[i];
    const int64_t own = kept;
    for (int64_t i = 0; i + 1 < own; i++)
        for (int64_t y = bounds[i] + GROUP_ROWS; y < bounds[i + 1]; y += GROUP_ROWS) bounds[kept++] = (int32_t)y;
    qsort(bounds, (size_t)kept, sizeof *bounds, by_size);
    return kept;
}

static void fill_runs(box::wide_run *to, const sat_axis *axis, int64_t at)
{
    sat_segment segments[SAT_SEGMENTS];
    int64_t covered;
    const int count = sat_axis_segments(axis, at, segments, &covered);
    for (int i = 0; i < count; i++)
        to[i] = {(int32_t)segments[i].begin, (int32_t)segments[i].end, (int32_t)segments[i].weight, i + 1 < count};
}

static void fill_first_windows(const box_wide *f, const int32_t *bounds, box::wide_run *runs)
{
    const auto group_of = [&](int32_t row) {
        const void *found = bsearch(&row, bounds, (size_t)f->groups, sizeof row, by_size);
        return (int32_t)((const int32_t *)found - bounds);
    };
    for (int64_t s = 0; s < segments_of(f); s++) {
        box::wide_run *run = runs + s * SAT_SEGMENTS;
        fill_runs(run, &f->reach_y, s * f->rows);
        do {
            run->begin = group_of(run->begin);
            run->end = group_of(run->end);
        } while (run++->more);
    }
}

/* The samples that the border mode has between each position beyond the image and the nearest edge: those on the left
 * with weights below zero, then those on the right.  Where it has none, an empty run. */
static void fill_beyond(box_wide *f, box::wide_run *runs)
{
    const sat_axis *x = &f->reach_x;
    f->single_runs = true;
    for (int64_t i = 0; i < x->before + x->after; i++, runs += SAT_SEGMENTS) {
        const bool left = i < x->before;
        const int64_t at = left ? i - x->before : x->n + 1 + i - x->before;
        sat_segment s[SAT_SEGMENTS];
        const int count = x->border->segments(left ? at : x->n, left ? 0 : at, x->n, s);
        if (count > 1) f->single_runs = false;
        if (count == 0) runs[0] = {left ? 0 : (int32_t)x->n, left ? 0 : (int32_t)x->n, 1, 0};
        for (int k = 0; k < count; k++)
            runs[k] = {(int32_t)s[k].begin, (int32_t)s[k].end, (int32_t)(left ? -s[k].weight : s[k].weight),
                       k + 1 < count};
    }
}

/* n / area = n * multiplier / 2^(32 + shift) for n < 256 area and below 2^32, with the multiplier 2^(32 + shift) / area
 * rounded up, by less than 1: n * area < 2^(32 + shift), as 2^shift >= area / 2 and 2 <= area <= 2^23.  In doubles: a
 * reciprocal rounded up makes no quotient too small, and by less than 2^-34 too large, which is below 1 / area. */
static box::wide_mean mean_of(const sat_box_spec *spec, uint64_t area)
{
    box::wide_mean m = {.reciprocal = 1 / (double)area};
    if (spec->result != spec->sample) return m;
    m.reciprocal = __builtin_nextafter(m.reciprocal, 1);
    while ((uint64_t)2 << m.shift < area) m.shift++;
    m.multiplier = (uint32_t)((((uint64_t)1 << (32 + m.shift)) - 1) / area + 1);
    return m;
}

/* Positions of an axis that a window holds, at most. */
static int64_t most_held(const sat_axis *a, bool shrinks)
{
    const int64_t side = a->before + 1 + a->after;
    return shrinks && side > a->n ? a->n : side;
}

static void fill_means(const box_wide *f, box::wide_mean *means)
{
    const int64_t width = most_held(&f->reach_x, f->window.border->shrinks),
                  height = f->reach_y.before + 1 + f->reach_y.after;
    for (int64_t i = 0; i < f->spec.height; i++) {
        sat_segment segments[SAT_SEGMENTS];
        int64_t covered;
        (void)sat_axis_segments(&f->reach_y, i, segments, &covered);
        means[i] = mean_of(&f->spec, (uint64_t)(width * (f->window.border->shrinks ? covered : height)));
    }
}

static void fill_steps(const sat_axis *y, box::wide_step *steps)
{
    for (int64_t i = 0; i < y->n; i++)
        steps[i] = {(int32_t)sat_border_index(y->border, i + y->after, y->n),
                    (int32_t)sat_border_index(y->border, i - 1 - y->before, y->n)};
}

/* ---- which kernel -------------------------------------------------------------------------------------- */

/* Elements of a strip; 0 if windows are too wide. */
template <class Filter> static int64_t strip_of(const box_wide *f)
{
    const int64_t reach = f->reach_x.before > f->reach_x.after ? f->reach_x.before : f->reach_x.after;
    const int64_t halo = (f->reach_x.before + f->reach_x.after + 1) * f->spec.channels + box::QUAD - 1;
    if (halo > (int64_t)Filter::HALO) return 0;
    const int64_t most = ((int64_t)Filter::ELEMENTS - 2 * reach * f->spec.channels - Filter::UNIT) / 16 * 16;
    if (f->elements <= (int64_t)Filter::ELEMENTS) return f->elements;
    const bool whole_rows = sat_border_index(f->window.border, -1, f->spec.width) == f->spec.width - 1;
    if (whole_rows || most * 2 < (int64_t)Filter::ELEMENTS) return 0;
    const int64_t strips = (f->elements + most - 1) / most;
    return ((f->elements + strips - 1) / strips + 15) / 16 * 16;
}

template <class Filter> static sat_status prepare(box_wide *f, sat_arena *arena)
{
    const int64_t strip = strip_of<Filter>(f), height = f->spec.height;
    sat_device_info info;
    sat_status status = sat_device_current(&info);
    if (status != SAT_OK) return status;
    if (strip == 0 || sizeof(typename Filter::shared) > prim::shared_memory_limit())
        return sat_fail(SAT_ERR_UNAVAILABLE, "%s: a window of %lld columns is too wide", box::NAME,
                        (long long)f->spec.window_width);
    const auto axis_of = [](const sat_axis *a) {
        return box::axis{.n = (int32_t)a->n, .before = (int32_t)a->before, .after = (int32_t)a->after};
    };
    f->x = axis_of(&f->reach_x);
    f->y = axis_of(&f->reach_y);
    f->strip = (int32_t)strip;
    f->strips = (int32_t)((f->elements + strip - 1) / strip);
    const int64_t at_once = info.multiprocessors * box::blocks_at_once<Filter>();
    const int64_t rows = box::rows_of(height, 0, f->strips * f->spec.count, at_once, 1);
    f->rows = (int32_t)(rows < height ? rows : height);
    f->pitch = (f->elements + box::QUAD - 1) / box::QUAD * box::QUAD;
    f->queue = queue<Filter>;
    const int64_t segments = segments_of(f), most = segments * 2 * SAT_SEGMENTS + height / GROUP_ROWS + 2;
    int32_t *bounds = (int32_t *)sat_arena_zeros(arena, (size_t)most * sizeof *bounds);
    if (bounds == NULL) return SAT_ERR_MEMORY;
    f->groups = (int32_t)fill_bounds(f, bounds);
    status = box::make_tables(arena, [&](box::tables *t) {
        int32_t *own_bounds;
        box::wide_run *first_windows, *beyond;
        box::wide_mean *means;
        box::wide_step *steps;
        f->bounds = t->alloc((size_t)f->groups + 1, &own_bounds);
        f->first_windows = t->alloc((size_t)segments * SAT_SEGMENTS, &first_windows);
        f->beyond = t->alloc((size_t)(f->reach_x.before + f->reach_x.after) * SAT_SEGMENTS, &beyond);
        f->means = t->alloc((size_t)height, &means);
        f->steps = t->alloc((size_t)height, &steps);
        if (t->host == NULL) return;
        for (int32_t i = 0; i <= f->groups; i++) own_bounds[i] = bounds[i < f->groups ? i : f->groups - 1];
        fill_first_windows(f, bounds, first_windows);
        fill_beyond(f, beyond);
        fill_means(f, means);
        fill_steps(&f->reach_y, steps);
    });
    sat_arena_free(arena, bounds);
    size_t sums;
    if (status == SAT_OK &&
        (!sat_mul((size_t)f->groups, (size_t)f->pitch, &sums) || !sat_mul(sums, (size_t)f->spec.count, &sums)))
        status = sat_fail(SAT_ERR_SHAPE, "%s: column sums are larger than the address space", box::NAME);
    return status == SAT_OK ? prim::arena_alloc(arena, &f->sums, sums) : status;
}

/* Small blocks where they have whole rows. */
template <class Sample, class Result, unsigned CHANNELS> static sat_status prepare_block(box_wide *f, sat_arena *arena)
{
    using few = box::wide_rows<Sample, Result, CHANNELS, tuning::BOX_WIDE_FEW_WARPS>;
    using many = box::wide_rows<Sample, Result, CHANNELS, tuning::BOX_WIDE_WARPS>;
    const bool whole_rows = f->elements <= (int32_t)few::ELEMENTS && strip_of<few>(f) > 0;
    return whole_rows ? prepare<few>(f, arena) : prepare<many>(f, arena);
}

template <class Sample, class Result> static sat_status prepare_channels(box_wide *f, sat_arena *arena)
{
    switch (f->spec.channels) {
    case 1: return prepare_block<Sample, Result, 1>(f, arena);
    case 2: return prepare_block<Sample, Result, 2>(f, arena);
    case 3: return prepare_block<Sample, Result, 3>(f, arena);
    default: return prepare_block<Sample, Result, 4>(f, arena);
    }
}

bool box_wide_pays(const sat_box_spec *spec, const sat_box_window *window, const sat_axis *x, const sat_axis *y)
{
    return spec->width * spec->channels >= tuning::BOX_WIDE_LEAST_ELEMENTS &&
           spec->height >= tuning::BOX_WIDE_LEAST_ROWS &&
           tuning::box_wide_pays(sat_type_bytes(spec->sample), spec->result != spec->sample, window->accum == SAT_U32,
                                 (x->before + 1 + x->after) * spec->channels, y->before + 1 + y->after);
}

sat_status box_wide_open(const sat_box_spec *spec, const sat_box_window *window, const sat_axis *x, const sat_axis *y,
                         sat_arena *arena, box_wide **filter)
{
    box_wide *f = prim::arena_new<box_wide>(arena);
    if (f == NULL) return SAT_ERR_MEMORY;
    f->spec = *spec;
    f->window = *window;
    f->reach_x = *x;
    f->reach_y = *y;
    const int64_t elements = spec->width * spec->channels;
    const int64_t width = most_held(x, window->border->shrinks), height = most_held(y, window->border->shrinks);
    if (elements > INT32_MAX / 2 || width < 2 || height > (int64_t)(UINT32_MAX / sat_sample_max(spec->sample)) ||
        window->area_px > (spec->sample == SAT_U8 ? 1 << 23 : UINT32_MAX))
        return sat_fail(SAT_ERR_UNAVAILABLE, "%s: no wide window of %lldx%lld", box::NAME,
                        (long long)spec->window_width, (long long)spec->window_height);
    f->elements = (int32_t)elements;
    *filter = f;
    const bool real = spec->result != spec->sample;
    if (spec->sample == SAT_U8)
        return real ? prepare_channels<uint8_t, float>(f, arena) : prepare_channels<uint8_t, uint8_t>(f, arena);
    return real ? prepare_channels<uint16_t, float>(f, arena) : prepare_channels<uint16_t, uint16_t>(f, arena);
}

sat_status box_wide_run(const box_wide *filter, const sat_view *src, const sat_view *dst, void *stream)
{
    return filter->queue(filter, src, dst, stream);
}
