/* box_passes.cuh - windows of any width in passes over an image: along its columns, then along its rows.
 *
 * What windows hold is joined and never taken away.  Cut the positions of an axis into blocks as long as the window:
 * every window is the end of one block joined with the beginning of the next (van Herk, A fast algorithm for local
 * minimum and maximum filters on rectangular and octagonal kernels, Pattern Recognition Letters 13, 1992; Gil & Werman,
 * Computing 2-D min, median, and max filters, PAMI 15, 1993).
 *
 *     |  .  .  .  a  b  c | d  e  .  .  .  . |          window {a b c d e} = suffix(a b c) and prefix(d e)
 *
 * What is known of a set of samples is a struct, {} of none, with join(), store() as its type `stored`, and load() of
 * such, of so many samples where all count alike. */
#ifndef BOX_PASSES_CUH
#define BOX_PASSES_CUH

#include "box/box_axis.cuh"
#include "prim/transpose.cuh"
#include "tuning.cuh"

namespace box
{

/* The windows along an axis, of its positions first .. end - 1.  A line is what is joined: a column of an image, or of
 * a row one channel.  A thread has a block of a line, as many positions as a window has.
 *
 * Source: set; get<STEP>(image, position, line, sets), those of neighbouring positions in the image, upwards or
 * downwards, whose loads do not wait for each other; outside(line). */
template <class Source> struct join_axis {
    using set = typename Source::set;
    using stored = typename set::stored;
    static constexpr unsigned threads = tuning::BOX_PASSES_THREADS;
    static constexpr int32_t AHEAD = sizeof(stored) < 16 ? 8 : 4; /* sets loaded before the first is joined */
    struct shared {
    };
    Source in;
    stored *out;
    axis along;
    int32_t each;                     /* samples of a position, where all count alike */
    int32_t first, end, lines, group; /* `group` lines lie side by side */
    int64_t of_image, of_group, step; /* sets of an image's band; from group to group, from position to position */
    int32_t blocks;                   /* of the axis, with positions first .. end - 1 */
    uint32_t blocks_of_lines;

    /* The sets of `count` positions, at most AHEAD, upwards or downwards. */
    template <int32_t STEP>
    PRIM_DEVICE void get(int64_t image, int32_t position, int32_t line, int32_t count, set (&sets)[AHEAD]) const
    {
        const int32_t last = position + STEP * (AHEAD - 1);
        if (count >= AHEAD && position >= 0 && position < along.n && last >= 0 && last < along.n) {
            in.template get<STEP>(image, position, line, sets);
            return;
        }
#pragma unroll 1
        for (int32_t i = 0; i < AHEAD && i < count; i++) {
            const int32_t from = border_index(along, position + STEP * i);
            set one[1] = {in.outside(line)};
            if (from >= 0) in.template get<STEP>(image, from, line, one);
#pragma unroll
            for (int32_t k = 0; k < AHEAD; k++)
                if (k == i) sets[k] = one[0];
        }
    }

    PRIM_DEVICE void operator()(shared &) const
    {
        uint32_t number = prim::block_id();
        const int64_t line_64 = (int64_t)(number % blocks_of_lines) * threads + prim::thread_id();
        number /= blocks_of_lines;
        if (line_64 >= lines) return;
        const int32_t line = (int32_t)line_64, side = side_of(along),
                      start = (first / side + (int32_t)(number % (uint32_t)blocks)) * side;
        const int64_t image = number / (uint32_t)blocks;
        const int32_t from = first > start ? first - start : 0, upto = end - start < side ? end - start : side;
        stored *to = out + image * of_image + line / group * of_group + line % group + (int64_t)(start - first) * step;
        set joined = {};
        for (int32_t k = side - 1; k >= from; k -= AHEAD) {
            set next[AHEAD];
            get<-1>(image, start - along.before + k, line, k - from + 1, next);
#pragma unroll
            for (int32_t i = 0; i < AHEAD; i++) {
                if (k - i < from) break;
                joined = join(joined, next[i]);
                if (k - i < upto) store(to + (k - i) * step, joined);
            }
        }
        joined = {};
        for (int32_t k = 1; k < upto; k += AHEAD) {
            set next[AHEAD], ends[AHEAD];
#pragma unroll
            for (int32_t i = 0; i < AHEAD; i++)
                if (k + i < upto && k + i >= from) ends[i] = load(to + (k + i) * step, (double)(side - k - i) * each);
            get<1>(image, start - along.before + side - 1 + k, line, upto - k, next);
#pragma unroll
            for (int32_t i = 0; i < AHEAD; i++) {
                if (k + i >= upto) break;
                joined = join(joined, next[i]);
                if (k + i >= from) store(to + (k + i) * step, join(ends[i], joined));
            }
        }
    }
};

/* Columns of windows, as join_axis stores windows.  Border: outside(channel), what a column outside the image holds. */
template <class Set, class Border> struct joined_columns {
    using set = Set;
    const typename Set::stored *sets;
    Border border;
    int32_t rows; /* of a window */
    int64_t of_image, of_group, step;
    int32_t group;
    bool turned;

    template <int32_t STEP, unsigned N>
    PRIM_DEVICE void get(int64_t image, int32_t column, int32_t line, Set (&to)[N]) const
    {
        const auto *from = sets + image * of_image + line / group * of_group + line % group + column * step;
#pragma unroll
        for (unsigned i = 0; i < N; i++, from += STEP * step) to[i] = load(from, rows);
    }
    PRIM_DEVICE Set outside(int32_t line) const
    {
        return border.outside(turned ? line / group : line % group);
    }
};

/* ---- host ---------------------------------------------------------------------------------------------- */

/* How images are cut into bands, and memory for one of them. */
template <class Set> struct passes {
    /* Sets of 8 bytes, a quarter of what memory moves at once, are transposed, before and after they are joined along
     * rows. */
    using stored = typename Set::stored;
    static constexpr bool turns = sizeof(stored) == sizeof(uint64_t);
    axis x, y;
    int32_t channels, elements; /* of a row */
    int32_t rows;               /* of a band */
    int64_t images;             /* of which a band is made at a time: one, or of whole images some */
    int64_t across, down;       /* sets from row to row, and transposed: even, so that transposes may move 16 bytes */
    int64_t of_image;
    stored *columns, *windows; /* of a band */

    /* The end of the band of that row. */
    int32_t end_of(int32_t row, int32_t end) const
    {
        const int64_t whole = ((int64_t)row / rows + 1) * rows;
        return whole < end ? (int32_t)whole : end;
    }
};

/* Rows of whole blocks, where that many have room. */
template <class Set>
sat_status prepare_passes(passes<Set> *p, const sat_axis *reach_x, const sat_axis *reach_y,
                          const sat_box_window *window, int32_t channels, int64_t images, sat_arena *arena)
{
    const int64_t samples = window->x.n * channels, height = window->y.n, side = reach_y->before + 1 + reach_y->after,
                  sets = tuning::BOX_PASSES_BYTES / (int64_t)sizeof(typename Set::stored), most = sets / samples;
    p->channels = channels;
    p->elements = (int32_t)samples;
    p->rows = (int32_t)(most < 1 ? 1 : most >= height ? height : most > side ? most - most % side : most);
    p->across = (samples + 1) / 2 * 2;
    p->down = (p->rows + 1) / 2 * 2;
    p->of_image = p->across * p->rows;
    if (p->turns && p->of_image < p->down * samples) p->of_image = p->down * samples;
    p->images = p->rows < height || sets < p->of_image ? 1 : sets / p->of_image < images ? sets / p->of_image : images;
    sat_status status = prim::arena_alloc(arena, &p->columns, (size_t)(p->images * p->of_image));
    if (status == SAT_OK) status = prim::arena_alloc(arena, &p->windows, (size_t)(p->images * p->of_image));
    if (status != SAT_OK) return status;
    return make_tables(arena, [&](tables *t) {
        fill_axis(&p->x, t, reach_x, &window->x, (int32_t)reach_x->before);
        fill_axis(&p->y, t, reach_y, &window->y, (int32_t)reach_y->before);
    });
}

template <class Source> sat_status queue_axis(join_axis<Source> k, const axis &along, int64_t images, void *stream)
{
    k.along = along;
    k.blocks = (k.end - 1) / side_of(along) - k.first / side_of(along) + 1;
    k.blocks_of_lines = (uint32_t)((k.lines + (int64_t)k.threads - 1) / k.threads);
    return prim::launch(k, images * k.blocks * k.blocks_of_lines, stream);
}

template <class Set>
sat_status queue_transpose(const Set *in, int64_t in_pitch, Set *out, int64_t out_pitch, int64_t of_image, int64_t rows,
                           int64_t columns, int64_t images, void *stream)
{
    static_assert(sizeof(Set) == sizeof(uint64_t));
    const prim::matrices<const uint64_t> from = {(const uint64_t *)in, in_pitch, of_image};
    const prim::matrices<uint64_t> to = {(uint64_t *)out, out_pitch, of_image};
    return prim::transpose(from, to, rows, columns, images, stream);
}

/* The windows of rows first .. end - 1, no more than a band has, of the first of Source's images. */
template <class Source, class Border>
sat_status queue_band(const passes<typename Source::set> *p, const Source &in, const Border &border, int64_t images,
                      int32_t first, int32_t end, void *stream)
{
    using set = typename Source::set;
    const int32_t rows = end - first, of_window = side_of(p->y);
    join_axis<Source> down = {.in = in, .out = p->columns, .each = 1, .first = first, .end = end};
    down.lines = down.group = p->elements;
    down.step = p->across;
    down.of_image = p->of_image;
    sat_status status = queue_axis(down, p->y, images, stream);

    join_axis<joined_columns<set, Border>> along = {
        .out = p->windows, .each = of_window, .end = p->x.n, .lines = rows * p->channels};
    along.group = p->turns ? rows : p->channels;
    along.of_group = p->turns ? p->down : p->across;
    along.step = p->turns ? p->channels * p->down : p->channels;
    along.of_image = p->of_image;
    along.in = {p->columns, border, of_window, p->of_image, along.of_group, along.step, along.group, p->turns};
    if constexpr (passes<set>::turns) {
        along.in.sets = p->windows;
        along.out = p->columns;
        if (status == SAT_OK)
            status = queue_transpose(p->columns, p->across, p->windows, p->down, p->of_image, rows, p->elements, images,
                                     stream);
    }
    if (status == SAT_OK) status = queue_axis(along, p->x, images, stream);
    if constexpr (passes<set>::turns)
        if (status == SAT_OK)
            status = queue_transpose(p->columns, p->down, p->windows, p->across, p->of_image, p->elements, rows, images,
                                     stream);
    return status;
}

} // namespace box
#endif
