/* thin_narrow.cuh - tables of images of few columns and many rows; a part of thin.cu. */
#ifndef THIN_NARROW_CUH
#define THIN_NARROW_CUH

#include "table/thin_parts.cuh"

namespace thin
{

/* Elements of a row, all channels together, at most. */
constexpr int64_t NARROW_ELEMENTS = tuning::THIN_THREADS / 2;

/* An image in bands of rows, a block's each, which takes a band in rounds of some rows.  In a round a thread has one
 * column of a group of rows. */
template <class Sample> struct narrow_rows {
    static constexpr unsigned threads = tuning::THIN_THREADS, PER_VECTOR = prim::vector_items<Sample>;
    const Sample *in;
    int64_t pitch, rows, band;        /* samples from row to row; rows of the image, and of a band */
    uint32_t elements, groups, round; /* of a row; groups of rows; rows of a round, at most */

    struct place {
        uint32_t column, group;
        bool has_column; /* threads that are left over have none */
    };
    PRIM_DEVICE place of_thread() const
    {
        const uint32_t group = prim::thread_id() / elements;
        return {prim::thread_id() % elements, group, group < groups};
    }

    PRIM_DEVICE int64_t begin() const { return prim::block_id() * band; }
    PRIM_DEVICE int64_t end() const { return begin() + band < rows ? begin() + band : rows; }
    PRIM_DEVICE uint32_t rows_of_round(int64_t y) const { return (uint32_t)(end() - y < round ? end() - y : round); }

    /* The first row of a group in a round of n rows; of the group behind the last: n. */
    PRIM_DEVICE uint32_t first_of(uint32_t group, uint32_t n) const
    {
        const uint32_t first = group * ((n + groups - 1) / groups);
        return first < n ? first : n;
    }

    /* Samples in front of row y where rows follow one another without gaps: these are copied as they lie, so that
     * vectors keep their alignment. */
    PRIM_DEVICE uint32_t lead(int64_t y) const
    {
        return pitch == elements ? (uint32_t)((uintptr_t)(in + y * pitch) / sizeof(Sample) % PER_VECTOR) : 0;
    }

    /* Begins to copy n rows from row y on: element x of row r to lead(y) + r * elements + x. */
    template <unsigned N>
    PRIM_DEVICE void copy(prim::array<Sample, N> &to, const place &at, int64_t y, uint32_t n) const
    {
        const Sample *first = in + y * pitch;
        if (pitch != elements) {
            if (!at.has_column) return;
            for (uint32_t r = at.group; r < n; r += groups)
                prim::copy_async(to, r * elements + at.column, first + r * pitch + at.column);
            return;
        }
        const uint32_t from = lead(y), behind = from + n * elements;
        for (uint32_t i = prim::thread_id() * PER_VECTOR; i < behind; i += threads * PER_VECTOR) {
            if (i >= from && i + PER_VECTOR <= behind) {
                prim::copy_async_vector<PER_VECTOR>(to, i, first + (i - from));
                continue;
            }
            for (uint32_t k = i; k < i + PER_VECTOR; k++)
                if (k >= from && k < behind) prim::copy_async(to, k, first + (k - from));
        }
    }
};

/* The sums of the columns of each band; behind them the carry row. */
template <class Sample, class Sum> struct narrow_sums {
    static constexpr unsigned threads = tuning::THIN_THREADS;
    static constexpr unsigned SUMS = tuning::THIN_NARROW_SUM_BYTES / sizeof(Sum),
                              SAMPLES = SUMS + 2 * prim::vector_items<Sample>;
    struct shared {
        alignas(prim::VECTOR_BYTES) prim::array<Sample, SAMPLES> samples;
        prim::array<Sum, threads> totals;
    };
    narrow_rows<Sample> image;
    const Sum *carry_in;
    Sum *sums;
    uint32_t bands;

    PRIM_DEVICE void operator()(shared &s) const
    {
        const auto at = image.of_thread();
        Sum sum = 0;
        for (int64_t y = image.begin(); y < image.end(); y += image.round) {
            const uint32_t n = image.rows_of_round(y), lead = image.lead(y);
            image.copy(s.samples, at, y, n);
            prim::copy_async_wait();
            prim::block_sync(); /* the samples are there */
            if (at.has_column) {
                const uint32_t first = image.first_of(at.group, n), end = image.first_of(at.group + 1, n);
#pragma unroll 8
                for (uint32_t r = first; r < end; r++) sum += (Sum)s.samples.get(lead + r * image.elements + at.column);
            }
            prim::block_sync(); /* they have been read */
        }
        s.totals.set(prim::thread_id(), sum);
        prim::block_sync(); /* the sums of all groups are there */
        if (at.group != 0) return;
        for (uint32_t g = 1; g < image.groups; g++) sum += s.totals.get(g * image.elements + at.column);
        prim::store(sums + (int64_t)prim::block_id() * image.elements + at.column, sum);
        if (prim::block_id() == 0)
            prim::store(sums + (int64_t)bands * image.elements + at.column,
                        carry_in ? prim::load(carry_in + at.column) : Sum());
    }
};

/* The table, from these sums. */
template <class Sample, class Sum> struct narrow_table {
    static constexpr unsigned threads = tuning::THIN_THREADS;
    static constexpr int min_blocks = tuning::THIN_NARROW_BLOCKS;
    static constexpr unsigned SUMS = narrow_sums<Sample, Sum>::SUMS, SAMPLES = narrow_sums<Sample, Sum>::SAMPLES;
    static_assert(SUMS >= 2 * threads, "a row of each group");
    struct shared {
        alignas(prim::VECTOR_BYTES) prim::array<Sample, SAMPLES> samples;
        prim::array<Sum, SUMS> sums; /* rows, sums_pitch() apart */
    };
    narrow_rows<Sample> image;
    table_rows<Sum> table;
    const Sum *sums;
    Sum *carry_out;
    uint32_t bands, channels;
    using place = typename narrow_rows<Sample>::place;

    /* Odd, so that neighbouring rows lie in different banks. */
    PRIM_HOST_DEVICE static constexpr uint32_t sums_pitch(uint32_t elements) { return elements | 1; }

    PRIM_DEVICE void operator()(shared &s) const
    {
        const place at = image.of_thread();
        const uint32_t pitch = sums_pitch(image.elements);
        int64_t y = image.begin();
        uint32_t n = image.rows_of_round(y);
        image.copy(s.samples, at, y, n);
        const Sum carry = at.has_column ? prim::load(sums + (int64_t)bands * image.elements + at.column) : Sum();
        write_edges(at, carry);
        Sum above = carry + sum_above(s, at); /* T of the row above, in the thread's column */
        for (;;) {
            const uint32_t lead = image.lead(y), first = image.first_of(at.group, n),
                           end = at.has_column ? image.first_of(at.group + 1, n) : first;
            prim::copy_async_wait();
            prim::block_sync(); /* the samples are there, and the sums of the round before have been read */
            sum_columns(s, lead + at.column, at.column, first, end);
            prim::block_sync(); /* the groups' column sums are there, and the samples have been read */
            const int64_t next = y + n;
            const uint32_t rows_of_next = next < image.end() ? image.rows_of_round(next) : 0;
            if (rows_of_next > 0) image.copy(s.samples, at, next, rows_of_next);
            scan_rows(s, n);
            prim::block_sync(); /* the rows are scanned */
            if (at.has_column) {
                Sum start = above;
                for (uint32_t g = 0; g < image.groups && image.first_of(g, n) < n; g++) {
                    above += s.sums.get((image.first_of(g + 1, n) - 1) * pitch + at.column);
                    if (g < at.group) start = above;
                }
                write(s, at, y, first, end, start);
            }
            if (rows_of_next == 0) break;
            y = next, n = rows_of_next;
        }
        if (carry_out && at.group == 0 && image.end() == image.rows) prim::store(carry_out + at.column, above);
    }

    /* Rows [first, end) of a round, in the thread's column. */
    PRIM_DEVICE void write(const shared &s, const place &at, int64_t y, uint32_t first, uint32_t end, Sum start) const
    {
        const uint32_t pitch = sums_pitch(image.elements);
        if (at.column >= table.elements) return;
        if (table.rows - y < end) end = (uint32_t)(table.rows - y);
        Sum *out = table.out + (y + first) * table.pitch + at.column;
        for (uint32_t r = first; r < end; r++, out += table.pitch)
            prim::store(out, start + s.sums.get(r * pitch + at.column));
    }

    /* Steps of a loop whose loads are made together, before the stores that might be to the same memory. */
    static constexpr unsigned AT_ONCE = 8;

    /* Sums of a column from row `first` on, for rows [first, end) of a round; sample: the column's in row 0. */
    PRIM_DEVICE void sum_columns(shared &s, uint32_t sample, uint32_t column, uint32_t first, uint32_t end) const
    {
        const uint32_t pitch = sums_pitch(image.elements);
        uint32_t from = sample + first * image.elements, to = first * pitch + column, r = first;
        Sum sum = 0;
        for (; r + AT_ONCE <= end; r += AT_ONCE, from += AT_ONCE * image.elements, to += AT_ONCE * pitch) {
            Sum v[AT_ONCE];
#pragma unroll
            for (unsigned k = 0; k < AT_ONCE; k++) v[k] = (Sum)s.samples.get(from + k * image.elements);
#pragma unroll
            for (unsigned k = 0; k < AT_ONCE; k++) s.sums.set(to + k * pitch, sum += v[k]);
        }
        for (; r < end; r++, from += image.elements, to += pitch) s.sums.set(to, sum += (Sum)s.samples.get(from));
    }

    /* Replaces n rows of sums by their inclusive scans, for each channel.  A thread has a row. */
    PRIM_DEVICE void scan_rows(shared &s, uint32_t n) const
    {
        const uint32_t row = prim::thread_id() * sums_pitch(image.elements), end = row + image.elements;
        if (prim::thread_id() >= n) return;
        for (uint32_t c = 0; c < channels; c++) {
            uint32_t i = row + c;
            Sum sum = 0;
            for (; i + (AT_ONCE - 1) * channels < end; i += AT_ONCE * channels) {
                Sum v[AT_ONCE];
#pragma unroll
                for (unsigned k = 0; k < AT_ONCE; k++) v[k] = s.sums.get(i + k * channels);
#pragma unroll
                for (unsigned k = 0; k < AT_ONCE; k++) s.sums.set(i + k * channels, sum += v[k]);
            }
            for (; i < end; i += channels) s.sums.set(i, sum += s.sums.get(i));
        }
    }

    /* The sum of all samples above the band, up to the thread's column. */
    PRIM_DEVICE Sum sum_above(shared &s, const place &at) const
    {
        const uint32_t pitch = sums_pitch(image.elements);
        if (at.has_column)
            s.sums.set(at.group * pitch + at.column,
                       sum_parts(sums, image.elements, at.column, at.group, prim::block_id(), image.groups));
        prim::block_sync(); /* the sums of a share of the bands each */
        scan_rows(s, image.groups);
        prim::block_sync(); /* they are scanned */
        Sum sum = 0;
        for (uint32_t g = 0; at.has_column && g < image.groups; g++) sum += s.sums.get(g * pitch + at.column);
        return sum;
    }

    PRIM_DEVICE void write_edges(const place &at, Sum carry) const
    {
        if (prim::block_id() == 0 && at.group == 0) table.write_top(at.column, carry);
        if (table.zeros == 0) return;
        const int64_t top = image.begin() - (prim::block_id() == 0);
        for (int64_t i = prim::thread_id(); i < (image.end() - top) * table.zeros; i += threads)
            table.write_zeros(top + i / table.zeros, (uint32_t)(i % table.zeros));
    }
};

} // namespace thin
#endif
