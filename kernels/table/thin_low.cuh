/* thin_low.cuh - tables of images of few rows and many columns; a part of thin.cu. */
#ifndef THIN_LOW_CUH
#define THIN_LOW_CUH

#include "table/thin_parts.cuh"

namespace thin
{

/* Rows, at most: a thread sums each over all chunks on the left. */
constexpr int64_t LOW_ROWS = tuning::THIN_LOW_ROWS;

/* An image in chunks of columns, a block's each; a lane has a run of neighbouring ones. */
template <class Sample> struct low_columns {
    static constexpr unsigned threads = tuning::THIN_THREADS, WARPS = threads / prim::WARP;
    static constexpr unsigned RUN = tuning::THIN_LOW_RUN, SECTION = RUN * prim::WARP, CHUNK = WARPS * SECTION;
    const Sample *in;
    int64_t pitch, columns;
    uint32_t rows;
    bool wide; /* all rows are aligned to vectors of a run */

    static constexpr unsigned PER_VECTOR = RUN < prim::vector_items<Sample> ? RUN : prim::vector_items<Sample>;
    struct run {
        Sample at[RUN];
    };

    /* Samples of row y from column x on; those behind the last are 0. */
    PRIM_DEVICE run load(uint32_t y, int64_t x) const
    {
        const Sample *row = in + y * pitch + x;
        run r;
        if (wide && x + RUN <= columns) {
#pragma unroll
            for (unsigned v = 0; v < RUN; v += PER_VECTOR) {
                const auto vector = prim::load_vector<PER_VECTOR>(row + v);
#pragma unroll
                for (unsigned i = 0; i < PER_VECTOR; i++) r.at[v + i] = vector.at[i];
            }
        } else {
#pragma unroll
            for (unsigned i = 0; i < RUN; i++) r.at[i] = x + i < columns ? prim::load(row + i) : Sample();
        }
        return r;
    }
};

/* The sums of each row's samples in each chunk; a warp takes every so many rows. */
template <class Sample, class Sum> struct low_sums {
    using image_type = low_columns<Sample>;
    static constexpr unsigned threads = tuning::THIN_THREADS;
    static constexpr int min_blocks = tuning::thin_low_blocks(sizeof(Sum));
    struct shared {
    };
    image_type image;
    Sum *sums;

    PRIM_DEVICE void operator()(shared &) const
    {
        constexpr unsigned RUNS = image_type::CHUNK / image_type::SECTION, AT_ONCE = RUNS < 4 ? RUNS : 4;
        const int64_t first = (int64_t)prim::block_id() * image_type::CHUNK + prim::lane_id() * image_type::RUN;
        for (uint32_t y = prim::warp_id(); y < image.rows; y += image_type::WARPS) {
            Sum sum = 0;
#pragma unroll
            for (unsigned k = 0; k < RUNS; k += AT_ONCE) {
                typename image_type::run r[AT_ONCE];
#pragma unroll
                for (unsigned j = 0; j < AT_ONCE; j++) r[j] = image.load(y, first + (k + j) * image_type::SECTION);
#pragma unroll
                for (unsigned j = 0; j < AT_ONCE; j++)
#pragma unroll
                    for (unsigned i = 0; i < image_type::RUN; i++) sum += (Sum)r[j].at[i];
            }
            sum = prim::warp_sum(sum);
            if (prim::lane_id() == 0) prim::store(sums + (int64_t)prim::block_id() * image.rows + y, sum);
        }
    }
};

/* The table, from these sums.  A thread keeps T of the row above in registers. */
template <class Sample, class Sum> struct low_table {
    using image_type = low_columns<Sample>;
    static constexpr unsigned threads = tuning::THIN_THREADS, WARPS = image_type::WARPS, RUN = image_type::RUN,
                              SECTION = image_type::SECTION;
    static constexpr int min_blocks = tuning::thin_low_blocks(sizeof(Sum));
    static constexpr unsigned PER_VECTOR = RUN < prim::vector_items<Sum> ? RUN : prim::vector_items<Sum>;
    static_assert(LOW_ROWS <= threads && SECTION >= prim::WARP);
    struct shared {
        alignas(prim::VECTOR_BYTES) prim::array<Sum, WARPS * SECTION> staged; /* a section of each warp */
        prim::array<Sum, 2 * WARPS> totals; /* of the warps' sections, of two rows in turn */
        prim::array<Sum, LOW_ROWS> left;    /* of each row, the sum of the chunks on the left */
    };
    image_type image;
    table_rows<Sum> table;
    const Sum *sums, *carry_in;
    Sum *carry_out;

    PRIM_DEVICE void operator()(shared &s) const
    {
        const int64_t first = ((int64_t)prim::block_id() * WARPS + prim::warp_id()) * SECTION;
        const int64_t x = first + prim::lane_id() * RUN;
        auto samples = image.load(0, x);
        sum_left(s);
        Sum t[RUN];
#pragma unroll
        for (unsigned i = 0; i < RUN; i++) {
            t[i] = carry_in && x + i < image.columns ? prim::load(carry_in + x + i) : Sum();
            table.write_top(x + i, t[i]);
        }
        if (prim::block_id() == 0)
            for (int64_t y = (int64_t)prim::thread_id() - 1; y < image.rows; y += threads) table.write_zeros(y, 0);

        for (uint32_t y = 0; y < image.rows; y++) {
            Sum prefix[RUN], sum = 0;
#pragma unroll
            for (unsigned i = 0; i < RUN; i++) prefix[i] = sum += (Sum)samples.at[i];
            const Sum inclusive = prim::warp_scan_inclusive(sum);
            const unsigned totals = y % 2 * WARPS;
            if (prim::lane_id() == prim::WARP - 1) s.totals.set(totals + prim::warp_id(), inclusive);
            if (y + 1 < image.rows) samples = image.load(y + 1, x);
            prim::block_sync(); /* the totals of all warps are there */
            Sum before = s.left.get(y) + inclusive - sum;
            for (unsigned w = 0; w < prim::warp_id(); w++) before += s.totals.get(totals + w);
#pragma unroll
            for (unsigned i = 0; i < RUN; i++) t[i] += before + prefix[i];
            if (y < table.rows) write(s, first, y, t);
        }
#pragma unroll
        for (unsigned i = 0; i < RUN; i++)
            if (carry_out && x + i < image.columns) prim::store(carry_out + x + i, t[i]);
    }

    /* Row y of the warp's section, by way of shared memory: each store of the warp covers whole lines, at any
     * misalignment of the row. */
    PRIM_DEVICE void write(shared &s, int64_t first, uint32_t y, const Sum (&t)[RUN]) const
    {
        const unsigned own = prim::warp_id() * SECTION;
#pragma unroll
        for (unsigned v = 0; v < RUN; v += PER_VECTOR) {
            prim::vec<Sum, PER_VECTOR> vector;
#pragma unroll
            for (unsigned i = 0; i < PER_VECTOR; i++) vector.at[i] = t[v + i];
            s.staged.template set_vector<PER_VECTOR>(own + prim::lane_id() * RUN + v, vector);
        }
        prim::warp_sync(); /* the section is staged */
        Sum *out = table.out + y * table.pitch + first;
#pragma unroll
        for (unsigned i = prim::lane_id(); i < SECTION; i += prim::WARP)
            if (first + i < table.elements) prim::store(out + i, s.staged.get(own + i));
        prim::warp_sync(); /* it has been read */
    }

    /* left: a thread sums a row over a share of the chunks; then one over these. */
    PRIM_DEVICE void sum_left(shared &s) const
    {
        const uint32_t groups = threads / image.rows, row = prim::thread_id() % image.rows,
                       group = prim::thread_id() / image.rows;
        if (group < groups)
            s.staged.set(prim::thread_id(), sum_parts(sums, image.rows, row, group, prim::block_id(), groups));
        prim::block_sync(); /* the sums of all shares are there */
        if (group == 0) {
            Sum sum = 0;
            for (uint32_t g = 0; g < groups; g++) sum += s.staged.get(g * image.rows + row);
            s.left.set(row, sum);
        }
        prim::block_sync(); /* left is there, and the shares have been read */
    }
};

} // namespace thin
#endif
