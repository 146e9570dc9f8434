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

/* Entry: u32, u64 or double.  The type of the results is no parameter: their store is little beside four reads. */
template <class Entry, unsigned CHANNELS> struct means {
    static constexpr unsigned threads = THREADS;
    static constexpr bool REAL = std::is_same_v<Entry, double>;
    using sum = std::conditional_t<REAL, double, uint64_t>;
    struct shared {
    };
    const Entry *table; /* padded */
    char *out;
    int64_t table_pitch, width; /* entries, px */
    size_t row_bytes;           /* of out */
    uint32_t blocks_per_row;
    runs x, y;
    uint64_t area;
    sum value[4];
    sat_type result;
    bool shrinks, takes_value, weighted, is_signed;

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
        write(out + (size_t)row * row_bytes, column * CHANNELS, sums,
              (uint64_t)x.covered(column) * (uint64_t)y.covered(row));
    }

    PRIM_DEVICE void add_rectangle(sum (&sums)[CHANNELS], const Entry *top, const Entry *bottom, int64_t left,
                                   int64_t right, sum weight) const
    {
#pragma unroll
        for (unsigned c = 0; c < CHANNELS; c++) {
            const int64_t l = left * CHANNELS + c, r = right * CHANNELS + c;
            const Entry corners =
                prim::load(bottom + r) - prim::load(bottom + l) - prim::load(top + r) + prim::load(top + l);
            if constexpr (REAL)
                sums[c] += prim::product(weight, corners);
            else if (sizeof(Entry) == 4 && is_signed)
                sums[c] += weight * (uint64_t)(int64_t)(int32_t)corners;
            else
                sums[c] += weight * corners;
        }
    }

    PRIM_DEVICE void write(char *row, int64_t first, sum (&sums)[CHANNELS], uint64_t covered) const
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
        for (unsigned c = 0; c < CHANNELS; c++)
            write_mean(row, first + c, sums[c], weighted && c + 1 < CHANNELS ? sums[CHANNELS - 1] : (sum)whole);
    }

    PRIM_DEVICE void write_mean(char *row, int64_t i, sum total, sum by) const
    {
        switch (result) {
        case SAT_F64: prim::store((double *)row + i, real_mean(total, by)); break;
        case SAT_F32: prim::store((float *)row + i, (float)real_mean(total, by)); break;
        default:
            if constexpr (!REAL) write_integer(row, i, integer_mean(total, by));
        }
    }

    PRIM_DEVICE double real_mean(sum total, sum by) const
    {
        if constexpr (REAL)
            return by == 0 ? 0 : total / by;
        else
            return box::real_quotient(total, by, is_signed);
    }

    /* sat_rounded() of box_window.h, cut to the range of the result, beyond which only weights below zero lead. */
    PRIM_DEVICE int64_t integer_mean(uint64_t total, uint64_t by) const
    {
        if (by == 0) return 0;
        if (!is_signed) return box::quotient(total + by / 2, by);
        const bool negative = (int64_t)(total ^ by) < 0;
        const uint64_t t = (int64_t)total < 0 ? 0 - total : total, d = (int64_t)by < 0 ? 0 - by : by;
        const uint64_t beyond = result == SAT_I8    ? INT8_MAX
                                : result == SAT_I16 ? INT16_MAX
                                                    : INT32_MAX,
                       most = negative ? beyond + 1 : beyond;
        const uint64_t q = weighted && t / d > most ? most : box::quotient(t + d / 2, d), mean = q > most ? most : q;
        return negative ? -(int64_t)mean : (int64_t)mean;
    }

    PRIM_DEVICE void write_integer(char *row, int64_t i, int64_t mean) const
    {
        switch (result) {
        case SAT_U8:
        case SAT_I8: prim::store((uint8_t *)row + i, (uint8_t)mean); break;
        case SAT_U16:
        case SAT_I16: prim::store((uint16_t *)row + i, (uint16_t)mean); break;
        default: prim::store((uint32_t *)row + i, (uint32_t)mean);
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

template <class Entry, unsigned CHANNELS>
sat_status queue_means(const sat_box_table *b, const sat_view *table, const sat_view *result, void *stream)
{
    using kernel = means<Entry, CHANNELS>;
    kernel k = {};
    k.table = (const Entry *)table->data;
    k.out = (char *)result->data;
    k.table_pitch = (int64_t)(table->row_bytes / sizeof(Entry));
    k.row_bytes = result->row_bytes;
    k.width = result->width;
    k.blocks_per_row = blocks_for(result->width);
    k.x = {b->columns};
    k.y = {b->rows};
    k.area = b->area_px;
    for (int c = 0; c < 4; c++)
        k.value[c] = kernel::REAL ? (typename kernel::sum)b->real_value[c] : (typename kernel::sum)b->value[c];
    k.result = result->type;
    k.shrinks = b->shrinks;
    k.takes_value = b->takes_value;
    k.weighted = b->weighted;
    k.is_signed = b->is_signed;
    return prim::launch(k, result->height * k.blocks_per_row, stream);
}

template <class Entry>
sat_status queue_channels(const sat_box_table *b, const sat_view *table, const sat_view *result, void *stream)
{
    switch (result->channels) {
    case 1: return queue_means<Entry, 1>(b, table, result, stream);
    case 2: return queue_means<Entry, 2>(b, table, result, stream);
    case 3: return queue_means<Entry, 3>(b, table, result, stream);
    default: return queue_means<Entry, 4>(b, table, result, stream);
    }
}

} // namespace

extern "C" sat_status sat_box_table_weigh(const sat_view *image, const sat_view *product, void *stream)
{
    switch (image->type) {
    case SAT_U8: return queue_weigh<uint8_t, uint32_t>(image, product, stream);
    case SAT_U16: return queue_weigh<uint16_t, uint32_t>(image, product, stream);
    case SAT_I8: return queue_weigh<int8_t, int32_t>(image, product, stream);
    case SAT_I16: return queue_weigh<int16_t, int32_t>(image, product, stream);
    case SAT_F64: return queue_weigh<double, double>(image, product, stream);
    default: return queue_weigh<float, double>(image, product, stream);
    }
}

extern "C" sat_status sat_box_table_means(const sat_box_table *b, const sat_view *table, const sat_view *result,
                                          void *stream)
{
    switch (table->type) {
    case SAT_U32:
    case SAT_I32: return queue_channels<uint32_t>(b, table, result, stream);
    case SAT_F64: return queue_channels<double>(b, table, result, stream);
    default: return queue_channels<uint64_t>(b, table, result, stream);
    }
}
