/* box_table.cu - the box filter from a table that lies in device memory.
 *
 * Idea    A window of any size is four entries of a table.  A window that reaches outside the image is the few
 *         rectangles into which the border mode cuts it.  So a filter needs only a table, of any backend, and does any
 *         window, any border and weights.  The price is to write and read sums that are wider than the samples.
 *
 * Paper   Crow, Summed-area tables for texture mapping, SIGGRAPH 1984.
 *
 * Layout  Runs along an axis, made on the host for each column and each row (border.h), here of reflect101:
 *
 *             window  [-2, 3)  of  a b c d ..      runs  [0, 3) weight 1, [1, 3) weight 1
 *
 *         and the window's sum is that over all pairs of a column's and a row's runs, each four entries of the table.
 *
 * Launch  A thread for each pixel and all its channels, 256 in a block along a row: the lanes of a warp read
 *         neighbouring entries of the same rows.
 *
 * Traffic 1 read and 1 write of the table's entries and 1 write of samples for each pixel, besides those of building
 *         it; the other three of the four reads, and the runs, come from caches.
 *
 * Sync    The order of the stream.
 *
 * Limits  2^31 - 1 blocks.  Float tables must hold no NaN and no infinity, which spread: the library checks the
 *         samples first.
 *
 * Steps   1. with weights: colours times alpha, of which the table is made  2. sums, divided
 */
#include "box/box.cuh"
#include "box/box_divide.cuh"
#include "prim/runtime.cuh"

namespace
{

constexpr unsigned THREADS = 256;

/* ---- weights ------------------------------------------------------------------------------------------- */

template <class Sample, class Product> struct weigh {
    static constexpr unsigned threads = THREADS;
    struct shared {
    };
    const Sample *in;
    Product *out;
    int64_t in_pitch, out_pitch, samples; /* of a row */
    int32_t channels;
    uint32_t blocks_per_row;

    PRIM_DEVICE void operator()(shared &) const
    {
        const int64_t y = prim::block_id() / blocks_per_row;
        const int64_t i = (int64_t)(prim::block_id() % blocks_per_row) * threads + prim::thread_id();
        if (i >= samples) return;
        const Sample *row = in + y * in_pitch;
        const int64_t alpha = i - i % channels + channels - 1;
        const Product own = (Product)prim::load(row + i);
        prim::store(out + y * out_pitch + i, i == alpha ? own : own * (Product)prim::load(row + alpha));
    }
};

/* ---- means --------------------------------------------------------------------------------------------- */

/* The window of one position: its runs, and how many positions of the image these are. */
struct runs {
    const sat_box_runs *at;

    PRIM_DEVICE int32_t count(int64_t i) const { return prim::load(&at[i].count); }
    PRIM_DEVICE int64_t covered(int64_t i) const { return prim::load(&at[i].covered); }
    PRIM_DEVICE sat_segment run(int64_t i, int32_t k) const
    {
        return {prim::load(&at[i].runs[k].begin), prim::load(&at[i].runs[k].end), prim::load(&at[i].runs[k].weight)};
    }
};

template <class Sample, class Entry, unsigned CHANNELS> struct means {
    static constexpr unsigned threads = THREADS;
    static constexpr bool REAL = sizeof(Sample) == 4; /* float samples in double sums */
    using sum = std::conditional_t<REAL, double, uint64_t>;
    struct shared {
    };
    const Entry *table; /* padded */
    Sample *out;
    int64_t table_pitch, out_pitch, width;
    uint32_t blocks_per_row;
    runs x, y;
    uint64_t area;
    sum value[4];
    bool shrinks, takes_value, weighted;

    PRIM_DEVICE void operator()(shared &) const
    {
        const int64_t row = prim::block_id() / blocks_per_row;
        const int64_t column = (int64_t)(prim::block_id() % blocks_per_row) * threads + prim::thread_id();
        if (column >= width) return;
        sum sums[CHANNELS] = {};
        const int32_t nx = x.count(column), ny = y.count(row);
        for (int32_t j = 0; j < ny; j++) {
            const sat_segment down = y.run(row, j);
            const Entry *top = table + down.begin * table_pitch, *bottom = table + down.end * table_pitch;
            for (int32_t i = 0; i < nx; i++) {
                const sat_segment along = x.run(column, i);
                add_rectangle(sums, top, bottom, along.begin, along.end, (sum)(along.weight * down.weight));
            }
        }
        write(out + row * out_pitch + column * CHANNELS, sums, (uint64_t)x.covered(column) * (uint64_t)y.covered(row));
    }

    PRIM_DEVICE static void add_rectangle(sum (&sums)[CHANNELS], const Entry *top, const Entry *bottom, int64_t left,
                                          int64_t right, sum weight)
    {
#pragma unroll
        for (unsigned c = 0; c < CHANNELS; c++) {
            const int64_t l = left * CHANNELS + c, r = right * CHANNELS + c;
            const Entry corners =
                prim::load(bottom + r) - prim::load(bottom + l) - prim::load(top + r) + prim::load(top + l);
            if constexpr (REAL)
                sums[c] += prim::product(weight, corners);
            else
                sums[c] += weight * corners;
        }
    }

    PRIM_DEVICE void write(Sample *to, sum (&sums)[CHANNELS], uint64_t covered) const
    {
        const uint64_t whole = shrinks ? covered : area, beyond = whole - covered;
#pragma unroll
        for (unsigned c = 0; c < CHANNELS; c++) {
            if (!takes_value || beyond == 0) break;
            if constexpr (REAL)
                sums[c] += prim::product((double)beyond, value[c]);
            else
                sums[c] += beyond * value[c];
        }
#pragma unroll
        for (unsigned c = 0; c < CHANNELS; c++) {
            const sum divisor = weighted && c + 1 < CHANNELS ? sums[CHANNELS - 1] : (sum)whole;
            if (divisor == 0)
                prim::store(to + c, Sample(0));
            else if constexpr (REAL)
                prim::store(to + c, (Sample)(sums[c] / divisor));
            else
                prim::store(to + c, (Sample)box::quotient(sums[c] + divisor / 2, divisor));
        }
    }
};

uint32_t blocks_for(int64_t width)
{
    return (uint32_t)((width + THREADS - 1) / THREADS);
}

template <class Sample, class Product>
sat_status queue_weigh(const sat_view *image, const sat_view *product, void *stream)
{
    weigh<Sample, Product> k = {};
    k.in = (const Sample *)image->data;
    k.out = (Product *)product->data;
    k.in_pitch = (int64_t)(image->row_bytes / sizeof(Sample));
    k.out_pitch = (int64_t)(product->row_bytes / sizeof(Product));
    k.samples = image->width * image->channels;
    k.channels = image->channels;
    k.blocks_per_row = blocks_for(k.samples);
    return prim::launch(k, image->height * k.blocks_per_row, stream);
}

template <class Sample, class Entry, unsigned CHANNELS>
sat_status queue_means(const sat_box_table *b, const sat_view *table, const sat_view *result, void *stream)
{
    using kernel = means<Sample, Entry, CHANNELS>;
    kernel k = {};
    k.table = (const Entry *)table->data;
    k.out = (Sample *)result->data;
    k.table_pitch = (int64_t)(table->row_bytes / sizeof(Entry));
    k.out_pitch = (int64_t)(result->row_bytes / sizeof(Sample));
    k.width = result->width;
    k.blocks_per_row = blocks_for(result->width);
    k.x = {b->columns};
    k.y = {b->rows};
    k.area = b->area_px;
    for (int c = 0; c < 4; c++)
        k.value[c] = kernel::REAL ? (typename kernel::sum)b->real_value[c] : (typename kernel::sum)b->value[c];
    k.shrinks = b->shrinks;
    k.takes_value = b->takes_value;
    k.weighted = b->weighted;
    return prim::launch(k, result->height * k.blocks_per_row, stream);
}

template <class Sample, class Entry>
sat_status queue_channels(const sat_box_table *b, const sat_view *table, const sat_view *result, void *stream)
{
    switch (result->channels) {
    case 1: return queue_means<Sample, Entry, 1>(b, table, result, stream);
    case 2: return queue_means<Sample, Entry, 2>(b, table, result, stream);
    case 3: return queue_means<Sample, Entry, 3>(b, table, result, stream);
    default: return queue_means<Sample, Entry, 4>(b, table, result, stream);
    }
}

} // namespace

extern "C" sat_status sat_box_table_weigh(const sat_view *image, const sat_view *product, void *stream)
{
    switch (image->type) {
    case SAT_U8: return queue_weigh<uint8_t, uint32_t>(image, product, stream);
    case SAT_U16: return queue_weigh<uint16_t, uint32_t>(image, product, stream);
    default: return queue_weigh<float, double>(image, product, stream);
    }
}

extern "C" sat_status sat_box_table_means(const sat_box_table *b, const sat_view *table, const sat_view *result,
                                          void *stream)
{
    const bool wide = table->type == SAT_U64;
    switch (result->type) {
    case SAT_U8:
        return wide ? queue_channels<uint8_t, uint64_t>(b, table, result, stream)
                    : queue_channels<uint8_t, uint32_t>(b, table, result, stream);
    case SAT_U16:
        return wide ? queue_channels<uint16_t, uint64_t>(b, table, result, stream)
                    : queue_channels<uint16_t, uint32_t>(b, table, result, stream);
    default: return queue_channels<float, double>(b, table, result, stream);
    }
}
