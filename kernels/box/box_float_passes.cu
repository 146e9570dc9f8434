/* box_float_passes.cu - the box filter of float samples in passes over an image, for windows of any width.
 *
 * Idea    For windows that box_float.cu has no room for: wider than its strips.  Nothing is subtracted here either:
 *         sums of the ends and beginnings of blocks of an axis are joined (box_passes.cuh), first down the columns,
 *         then along the rows.
 *
 * Paper   van Herk, A fast algorithm for local minimum and maximum filters on rectangular and octagonal kernels,
 *         Pattern Recognition Letters 13, 1992; Gil & Werman, Computing 2-D min, median, and max filters, PAMI 15,
 *         1993.
 *
 * Layout  band of images -> columns' sums -> transposed -> rows' sums -> transposed back -> means
 *
 * Launch  For sums, a thread for each line and each block of its axis: the block upwards, then the next one downwards.
 *         Warps touch whole lines of memory.  For means, a thread for four pixels of a row.
 *
 * Traffic For each sample 1R of the image, its rows a second time from L2; 6R6W of f64 sums, two of them in L2.
 *
 * Sync    The order of a stream.
 *
 * Limits  Windows that reach outside the image by at most its size, unless samples there count nothing.
 *
 * Steps   1. columns  2. transpose  3. rows  4. transpose  5. border values, division
 */

#include "box/box_float.cuh"
#include "box/box_passes.cuh"

namespace
{

struct sum {
    using stored = sum;
    double of;
};
PRIM_DEVICE sum join(const sum &a, const sum &b)
{
    return {a.of + b.of};
}
PRIM_DEVICE sum load(const sum *from, double)
{
    return {prim::load(&from->of)};
}
PRIM_DEVICE void store(sum *to, const sum &s)
{
    prim::store(&to->of, s.of);
}

/* What lies outside the image is added in the end. */
struct nothing {
    PRIM_DEVICE static sum outside(int32_t) { return {}; }
};

/* The images, colours times alpha if weighted. */
template <class Sample> struct weighted_samples : nothing {
    using set = sum;
    const Sample *at;
    int64_t pitch, image_pitch;
    int32_t channels;
    bool weighted;

    template <int32_t STEP, unsigned N> PRIM_DEVICE void get(int64_t image, int32_t row, int32_t e, sum (&to)[N]) const
    {
        const Sample *from = at + image * image_pitch + row * pitch + e;
        const int32_t alpha = weighted ? channels - 1 - e % channels : 0; /* behind the sample */
        Sample own[N], weight[N];
#pragma unroll
        for (unsigned i = 0; i < N; i++, from += STEP * pitch) {
            own[i] = prim::load(from);
            if (weighted) weight[i] = prim::load(from + alpha);
        }
#pragma unroll
        for (unsigned i = 0; i < N; i++)
            to[i] = {alpha > 0 ? prim::product((double)own[i], (double)weight[i]) : (double)own[i]};
    }
};

template <class Result> struct divide {
    static constexpr unsigned threads = tuning::BOX_PASSES_THREADS, PIXELS = 4; /* of a thread, `threads` apart */
    struct shared {
    };
    const sum *sums; /* of a band of images */
    Result *out;
    box::axis x, y;
    int64_t of_image, pitch, out_pitch, out_image_pitch;
    uint32_t blocks_per_row;
    int32_t first, rows, channels; /* rows of the band */
    double area, value[4];
    bool shrinks, takes_value, weighted;

    PRIM_DEVICE void operator()(shared &) const
    {
        const uint32_t number = prim::block_id() / blocks_per_row;
        const int32_t in_band = (int32_t)(number % (uint32_t)rows), row = first + in_band;
        const int64_t image = number / (uint32_t)rows;
        const int32_t begin = (int32_t)(prim::block_id() % blocks_per_row * (threads * PIXELS) + prim::thread_id());
        const sum *from = sums + image * of_image + in_band * pitch;
        Result *to = out + image * out_image_pitch + row * out_pitch;
        const double covered_y = (double)prim::load(y.covered + row);
#pragma unroll
        for (unsigned k = 0; k < PIXELS; k++) {
            const int32_t column = begin + (int32_t)(k * threads);
            if (column < x.n)
                divide_pixel(to + (int64_t)column * channels, from + (int64_t)column * channels,
                             prim::product((double)prim::load(x.covered + column), covered_y));
        }
    }
    PRIM_DEVICE void divide_pixel(Result *to, const sum *from, double covered) const
    {
        const double whole = shrinks ? covered : area;
        const double alpha = weighted ? with_border(from, channels - 1, whole - covered) : 0;
        for (int32_t c = 0; c < channels; c++) {
            const double divisor = weighted && c < channels - 1 ? alpha : whole;
            prim::store(to + c, divisor == 0 ? Result(0) : (Result)(with_border(from, c, whole - covered) / divisor));
        }
    }

    PRIM_DEVICE double with_border(const sum *from, int32_t c, double beyond) const
    {
        const double inside = load(from + c, 0).of;
        return takes_value && beyond > 0 ? inside + prim::product(value[c], beyond) : inside;
    }
};

} // namespace

/* ---- host ---------------------------------------------------------------------------------------------- */

struct box_float_passes {
    sat_box_spec spec;
    sat_box_window window;
    box::passes<sum> passes;
};

sat_status box_float_passes_open(const sat_box_spec *spec, const sat_box_window *window, const sat_axis *x,
                                 const sat_axis *y, sat_arena *arena, box_float_passes **filter)
{
    box_float_passes *f = prim::arena_new<box_float_passes>(arena);
    if (f == NULL) return SAT_ERR_MEMORY;
    f->spec = *spec;
    f->window = *window;
    *filter = f;
    return box::prepare_passes(&f->passes, x, y, window, spec->channels, spec->count, arena);
}

template <class Result>
static sat_status queue_division(const box_float_passes *f, const sat_view *dst, int64_t images, int32_t first,
                                 int32_t end, void *stream)
{
    const box::passes<sum> *p = &f->passes;
    divide<Result> k = {.sums = p->windows, .out = (Result *)dst->data, .x = p->x, .y = p->y};
    k.of_image = p->of_image;
    k.pitch = p->across;
    k.out_pitch = (int64_t)(dst->row_bytes / sizeof(Result));
    k.out_image_pitch = (int64_t)(dst->image_bytes / sizeof(Result));
    k.blocks_per_row = (uint32_t)((f->spec.width - 1) / (k.threads * k.PIXELS) + 1);
    k.first = first;
    k.rows = end - first;
    k.channels = p->channels;
    k.area = (double)f->window.area_px;
    k.shrinks = f->window.border->shrinks;
    k.takes_value = f->window.border->takes_value;
    k.weighted = f->spec.weighted_alpha;
    for (int c = 0; c < 4; c++) k.value[c] = f->window.real_value[c];
    return prim::launch(k, images * k.rows * k.blocks_per_row, stream);
}

template <class Sample>
static sat_status filter_images(const box_float_passes *f, const sat_view *src, const sat_view *dst, int64_t images,
                                void *stream)
{
    const int32_t height = (int32_t)f->spec.height;
    weighted_samples<Sample> in = {};
    in.at = (const Sample *)src->data;
    in.pitch = (int64_t)(src->row_bytes / sizeof(Sample));
    in.image_pitch = (int64_t)(src->image_bytes / sizeof(Sample));
    in.channels = f->spec.channels;
    in.weighted = f->spec.weighted_alpha;
    sat_status status = SAT_OK;
    for (int32_t row = 0, end; row < height && status == SAT_OK; row = end) {
        end = f->passes.end_of(row, height);
        status = box::queue_band(&f->passes, in, nothing(), images, row, end, stream);
        if (status != SAT_OK) break;
        status = dst->type == SAT_F32 ? queue_division<float>(f, dst, images, row, end, stream)
                                      : queue_division<double>(f, dst, images, row, end, stream);
    }
    return status;
}

sat_status box_float_passes_run(const box_float_passes *f, const sat_view *src, const sat_view *dst, void *stream)
{
    sat_status status = SAT_OK;
    for (int64_t i = 0; i < src->count && status == SAT_OK; i += f->passes.images) {
        const int64_t left = src->count - i, images = left < f->passes.images ? left : f->passes.images;
        const sat_view from = sat_view_image(src, i), to = sat_view_image(dst, i);
        status = src->type == SAT_F32 ? filter_images<float>(f, &from, &to, images, stream)
                                      : filter_images<double>(f, &from, &to, images, stream);
    }
    return status;
}
