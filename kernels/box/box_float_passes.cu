/* box_float_passes.cu - the box filter of float samples in passes over the whole image, for windows of any width.
 *
 * Idea    For windows that box_float.cu has no room for: wider than its strips.  Nothing is subtracted here either.
 *         Cut the positions of an axis into blocks as long as the window.  Then every window is the end of one block
 *         and the beginning of the next.  Sums from each block's end backwards and from its beginning forwards are two
 *         additions for each sample.  First down the columns; then, when these sums are transposed, along the rows.
 *
 * Paper   van Herk, A fast algorithm for local minimum and maximum filters on rectangular and octagonal kernels,
 *         Pattern Recognition Letters 13, 1992; Gil & Werman, Computing 2-D min, median, and max filters, PAMI 15,
 *         1993.
 *
 * Layout  |  .  .  .  a  b  c | d  e  .  .  .  . |          window {a b c d e} = suffix(a b c) + prefix(d e)
 *
 *         image -> columns' sums -> transposed -> rows' sums -> transposed back -> means
 *
 * Launch  A thread for each column and each block of the axis, 256 threads along a row, so that warps touch whole
 *         lines: the block upwards, then the next one downwards.
 *
 * Traffic For each sample 1R of the image, its rows a second time from L2; 6R6W of f64 sums, two of them in L2.
 *
 * Sync    The order of a stream.
 *
 * Limits  Windows that reach outside the image by at most its size, unless samples there count nothing; 16 bytes of
 *         memory for each sample; 2^31 - 1 blocks.
 *
 * Steps   1. columns  2. transpose  3. rows  4. transpose  5. border values, division
 */

#include "box/box_axis.cuh"
#include "box/box_float.cuh"
#include "prim/transpose.cuh"

namespace
{

constexpr unsigned THREADS = 256;

/* ---- kernels ------------------------------------------------------------------------------------------- */

/* The image as f64, colours times alpha if weighted; or sums. */
template <class Sample> struct weighted_samples {
    const Sample *at;
    int32_t channels;
    bool weighted;

    PRIM_DEVICE double get(int64_t row, int64_t i) const
    {
        const double own = (double)prim::load(at + row + i);
        if (!weighted || i % channels == channels - 1) return own;
        return prim::product(own, (double)prim::load(at + row + i - i % channels + channels - 1));
    }
};
struct plain_sums {
    const double *at;

    PRIM_DEVICE double get(int64_t row, int64_t i) const { return prim::load(at + row + i); }
};

/* out(p, i) = the sum of in(q, i) over the window of p.  Position p of an axis is row p * channels + c. */
template <class Source> struct sum_windows {
    static constexpr unsigned threads = THREADS;
    struct shared {
    };
    Source in;
    double *out;
    box::axis along;
    int32_t channels; /* rows of one position */
    int64_t in_pitch, out_pitch, samples;
    uint32_t blocks_per_row;

    PRIM_DEVICE void operator()(shared &) const
    {
        const int64_t i = (int64_t)(prim::block_id() % blocks_per_row) * threads + prim::thread_id();
        const int32_t c = (int32_t)(prim::block_id() / blocks_per_row) % channels,
                      block = (int32_t)(prim::block_id() / blocks_per_row) / channels;
        if (i >= samples) return;
        const int32_t window = along.before + 1 + along.after, first = block * window; /* result of the block's first */
        const int32_t most = along.n - first, results = most < window ? most : window;
        double sum = 0;
        for (int32_t k = window - 1; k >= 0; k--) {
            sum += at(first - along.before + k, c, i);
            if (k < results) prim::store(out + row_at(first + k, c) + i, sum);
        }
        sum = 0;
        for (int32_t k = 1; k < results; k++) {
            double *to = out + row_at(first + k, c) + i;
            sum += at(first - along.before + window - 1 + k, c, i);
            prim::store(to, prim::load((const double *)to) + sum);
        }
    }

    PRIM_DEVICE int64_t row_at(int32_t p, int32_t c) const { return ((int64_t)p * channels + c) * out_pitch; }
    PRIM_DEVICE double at(int32_t p, int32_t c, int64_t i) const
    {
        const int32_t from = box::border_index(along, p);
        return from < 0 ? 0 : in.get(((int64_t)from * channels + c) * in_pitch, i);
    }
};

template <class Result> struct divide {
    static constexpr unsigned threads = THREADS;
    struct shared {
    };
    const double *sums;
    Result *out;
    box::axis x, y;
    int64_t sums_pitch, out_pitch;
    uint32_t blocks_per_row;
    int32_t channels;
    double area, value[4];
    bool shrinks, takes_value, weighted;

    PRIM_DEVICE void operator()(shared &) const
    {
        const int32_t row = (int32_t)(prim::block_id() / blocks_per_row);
        const int32_t column = (int32_t)(prim::block_id() % blocks_per_row * threads + prim::thread_id());
        if (column >= x.n) return;
        const double *from = sums + row * sums_pitch + (int64_t)column * channels;
        Result *to = out + row * out_pitch + (int64_t)column * channels;
        const double covered =
            prim::product((double)prim::load(x.covered + column), (double)prim::load(y.covered + row));
        const double whole = shrinks ? covered : area;
        const double alpha = weighted ? sum(from, channels - 1, whole - covered) : 0;
        for (int32_t c = 0; c < channels; c++) {
            const double divisor = weighted && c < channels - 1 ? alpha : whole;
            prim::store(to + c, divisor == 0 ? Result(0) : (Result)(sum(from, c, whole - covered) / divisor));
        }
    }

    PRIM_DEVICE double sum(const double *from, int32_t c, double beyond) const
    {
        const double inside = prim::load(from + c);
        return takes_value && beyond > 0 ? inside + prim::product(value[c], beyond) : inside;
    }
};

uint32_t blocks_for(int64_t samples)
{
    return (uint32_t)((samples + THREADS - 1) / THREADS);
}

} // namespace

/* ---- host ---------------------------------------------------------------------------------------------- */

struct box_float_passes {
    sat_box_spec spec;
    sat_box_window window;
    box::axis x, y;
    int64_t across, down; /* doubles from row to row: of sums as the image lies, and transposed */
    double *a, *b;
};

static sat_status take_sums(box_float_passes *f, sat_arena *arena)
{
    /* Rows of two doubles, so that transposes may move 16 bytes. */
    const int64_t samples = f->spec.width * f->spec.channels;
    f->across = (samples + 1) / 2 * 2;
    f->down = (f->spec.height + 1) / 2 * 2;
    size_t image, turned;
    if (!sat_mul((size_t)f->across, (size_t)f->spec.height, &image) ||
        !sat_mul((size_t)f->down, (size_t)samples, &turned))
        return sat_fail(SAT_ERR_SHAPE, "%s: the sums of an image are larger than the address space", box::NAME);
    const size_t most = image > turned ? image : turned;
    sat_status status = prim::arena_alloc(arena, &f->a, most);
    return status == SAT_OK ? prim::arena_alloc(arena, &f->b, most) : status;
}

static sat_status fill_axes(box_float_passes *f, const sat_axis *x, const sat_axis *y, sat_arena *arena)
{
    return box::make_tables(arena, [&](box::tables *t) {
        box::fill_axis(&f->x, t, x, &f->window.x, (int32_t)x->before);
        box::fill_axis(&f->y, t, y, &f->window.y, (int32_t)y->before);
    });
}

sat_status box_float_passes_open(const sat_box_spec *spec, const sat_box_window *window, const sat_axis *x,
                                 const sat_axis *y, sat_arena *arena, box_float_passes **filter)
{
    box_float_passes *f = prim::arena_new<box_float_passes>(arena);
    if (f == NULL) return SAT_ERR_MEMORY;
    f->spec = *spec;
    f->window = *window;
    sat_status status = take_sums(f, arena);
    if (status == SAT_OK) status = fill_axes(f, x, y, arena);
    *filter = f;
    return status;
}

template <class Source>
static sat_status queue_sums(const Source &in, int64_t in_pitch, double *out, int64_t out_pitch, const box::axis *along,
                             int32_t channels, int64_t samples, void *stream)
{
    sum_windows<Source> k = {};
    k.in = in;
    k.out = out;
    k.along = *along;
    k.channels = channels;
    k.in_pitch = in_pitch;
    k.out_pitch = out_pitch;
    k.samples = samples;
    k.blocks_per_row = blocks_for(samples);
    const int64_t window = along->before + 1 + along->after, blocks = (along->n + window - 1) / window;
    return prim::launch(k, blocks * channels * k.blocks_per_row, stream);
}

static sat_status queue_transpose(const double *from, int64_t from_pitch, double *to, int64_t to_pitch, int64_t rows,
                                  int64_t columns, void *stream)
{
    const prim::matrices<const uint64_t> in = {(const uint64_t *)from, from_pitch, 0};
    const prim::matrices<uint64_t> out = {(uint64_t *)to, to_pitch, 0};
    return prim::transpose(in, out, rows, columns, 1, stream);
}

template <class Result> static sat_status queue_division(const box_float_passes *f, const sat_view *dst, void *stream)
{
    const int32_t channels = f->spec.channels;
    divide<Result> k = {};
    k.sums = f->b;
    k.out = (Result *)dst->data;
    k.x = f->x;
    k.y = f->y;
    k.sums_pitch = f->across;
    k.out_pitch = (int64_t)(dst->row_bytes / sizeof(Result));
    k.blocks_per_row = blocks_for(f->spec.width);
    k.channels = channels;
    k.area = (double)f->window.area_px;
    k.shrinks = f->window.border->shrinks;
    k.takes_value = f->window.border->takes_value;
    k.weighted = f->spec.weighted_alpha;
    for (int c = 0; c < channels; c++) k.value[c] = f->window.real_value[c];
    return prim::launch(k, f->spec.height * k.blocks_per_row, stream);
}

template <class Sample> static sat_status queue_columns(const box_float_passes *f, const sat_view *src, void *stream)
{
    const weighted_samples<Sample> image = {(const Sample *)src->data, f->spec.channels, f->spec.weighted_alpha};
    return queue_sums(image, (int64_t)(src->row_bytes / sizeof(Sample)), f->a, f->across, &f->y, 1,
                      f->spec.width * f->spec.channels, stream);
}

static sat_status filter_image(const box_float_passes *f, const sat_view *src, const sat_view *dst, void *stream)
{
    const int64_t height = f->spec.height, samples = f->spec.width * f->spec.channels;
    sat_status status =
        src->type == SAT_F32 ? queue_columns<float>(f, src, stream) : queue_columns<double>(f, src, stream);
    if (status == SAT_OK) status = queue_transpose(f->a, f->across, f->b, f->down, height, samples, stream);
    if (status == SAT_OK)
        status = queue_sums(plain_sums{f->b}, f->down, f->a, f->down, &f->x, f->spec.channels, height, stream);
    if (status == SAT_OK) status = queue_transpose(f->a, f->down, f->b, f->across, samples, height, stream);
    if (status != SAT_OK) return status;
    return dst->type == SAT_F32 ? queue_division<float>(f, dst, stream) : queue_division<double>(f, dst, stream);
}

sat_status box_float_passes_run(const box_float_passes *f, const sat_view *src, const sat_view *dst, void *stream)
{
    sat_status status = SAT_OK;
    for (int64_t i = 0; i < src->count && status == SAT_OK; i++) {
        const sat_view from = sat_view_image(src, i), to = sat_view_image(dst, i);
        status = filter_image(f, &from, &to, stream);
    }
    return status;
}
