/* thin_narrow.cuh - tables of images of few columns and many rows; a part of thin.cu. */
#ifndef THIN_NARROW_CUH
#define THIN_NARROW_CUH

#include "table/thin_parts.cuh"

namespace thin
{

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

    /* Of a round of n rows; the last groups can have fewer, or none. */
    PRIM_DEVICE uint32_t rows_of_group(uint32_t n) const { return (n + groups - 1) / groups; }
    /* The first row of a group; of the group behind the last: n. */
    PRIM_DEVICE uint32_t first_of(uint32_t group, uint32_t n) const
    {
        const uint32_t first = group * rows_of_group(n);
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

/* The sums of the columns of each band.  In front of them those of the rows above the image, from the carry row; and
 * the table's row above row 0. */
template <class Sample, class Sum> struct narrow_sums {
    static constexpr unsigned threads = tuning::THIN_THREADS;
    static constexpr unsigned SUMS = tuning::THIN_NARROW_SUM_BYTES / sizeof(Sum),
                              SAMPLES = SUMS + 2 * prim::vector_items<Sample>;
    struct shared {
        alignas(prim::VECTOR_BYTES) prim::array<Sample, SAMPLES> samples;
        prim::array<Sum, threads> totals;
    };
    narrow_rows<Sample> image;
    table_rows<Sum> table;
    const Sum *carry_in;
    Sum *sums;
    uint32_t channels;

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
        prim::store(sums + ((int64_t)prim::block_id() + 1) * image.elements + at.column, sum);
        if (prim::block_id() == 0) write_above(at.column);
    }

    PRIM_DEVICE void write_above(uint32_t x) const
    {
        const Sum carry = carry_in ? prim::load(carry_in + x) : Sum(),
                  left = carry_in && x >= channels ? prim::load(carry_in + x - channels) : Sum();
        prim::store(sums + x, carry - left);
        table.write_top(x, carry);
        table.write_zeros(-1, x);
    }
};

/* The table, from these sums. */
template <class Sample, class Sum> struct narrow_table {
    static constexpr unsigned threads = tuning::THIN_THREADS;
    static constexpr int min_blocks = tuning::THIN_NARROW_BLOCKS;
    static constexpr unsigned SUMS = narrow_sums<Sample, Sum>::SUMS, SAMPLES = narrow_sums<Sample, Sum>::SAMPLES;
    struct shared {
        alignas(prim::VECTOR_BYTES) prim::array<Sample, SAMPLES> samples;
        prim::array<Sum, SUMS> sums;      /* rows, sums_pitch() apart */
        prim::array<Sum, threads> starts; /* column sums of all rows above a group */
    };
    narrow_rows<Sample> image;
    table_rows<Sum> table;
    const Sum *sums;
    Sum *carry_out;
    uint32_t channels;
    using place = typename narrow_rows<Sample>::place;

    /* Odd, so that neighbouring rows lie in different banks. */
    PRIM_HOST_DEVICE static constexpr uint32_t sums_pitch(uint32_t elements) { return elements | 1; }

    PRIM_DEVICE void operator()(shared &s) const
    {
        const place at = image.of_thread();
        int64_t y = image.begin();
        uint32_t n = image.rows_of_round(y);
        image.copy(s.samples, at, y, n);
        Sum above = sum_above(s, at); /* the sum of the thread's column above the round */
        for (;;) {
            prim::copy_async_wait();
            prim::block_sync(); /* the samples are there, and the rows of the round before have been written */
            if (at.has_column)
                sum_columns(s, image.lead(y), at.column, image.first_of(at.group, n), image.first_of(at.group + 1, n));
            prim::block_sync(); /* the groups' column sums are there, and the samples have been read */
            const int64_t next = y + n;
            const uint32_t rows_of_next = next < image.end() ? image.rows_of_round(next) : 0;
            if (rows_of_next > 0) image.copy(s.samples, at, next, rows_of_next);
            if (at.has_column) above = start_groups(s, at, n, above);
            prim::block_sync(); /* the starts are there */
            scan_rows(s, n);
            prim::block_sync(); /* the sums are rows of the table */
            write(s, y, n);
            if (rows_of_next == 0) break;
            y = next, n = rows_of_next;
        }
        if (carry_out && at.group == 0 && image.end() == image.rows)
            prim::store(carry_out + at.column, s.sums.get((n - 1) * sums_pitch(image.elements) + at.column));
    }

    /* The sum of the thread's column over all bands above. */
    PRIM_DEVICE Sum sum_above(shared &s, const place &at) const
    {
        if (at.has_column)
            s.starts.set(prim::thread_id(),
                         sum_parts(sums, image.elements, at.column, at.group, prim::block_id() + 1, image.groups));
        prim::block_sync(); /* the sums of a share of the bands each */
        Sum sum = 0;
        for (uint32_t g = 0; at.has_column && g < image.groups; g++)
            sum += s.starts.get(g * image.elements + at.column);
        return sum;
    }

    /* Steps of a loop whose loads are made together, before the stores that might be to the same memory. */
    static constexpr unsigned AT_ONCE = 8;

    /* Sums of a column from row `first` on, for rows [first, end) of a round. */
    PRIM_DEVICE void sum_columns(shared &s, uint32_t lead, uint32_t column, uint32_t first, uint32_t end) const
    {
        const uint32_t pitch = sums_pitch(image.elements);
        uint32_t from = lead + first * image.elements + column, to = first * pitch + column, r = first;
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

    /* The start of the thread's group, from the last rows of the groups above it.  Returns that of the next round. */
    PRIM_DEVICE Sum start_groups(shared &s, const place &at, uint32_t n, Sum above) const
    {
        const uint32_t of_group = image.rows_of_group(n), pitch = sums_pitch(image.elements);
        uint32_t g = 0;
        for (uint32_t end = of_group; end < n + of_group; end += of_group, g++) {
            if (g == at.group) s.starts.set(prim::thread_id(), above);
            above += s.sums.get(((end < n ? end : n) - 1) * pitch + at.column);
        }
        return above;
    }

    /* Makes n rows of the table: scans of the rows of sums with the starts of their groups added, for each channel.
     * A thread has a row. */
    PRIM_DEVICE void scan_rows(shared &s, uint32_t n) const
    {
        const uint32_t of_group = image.rows_of_group(n), pitch = sums_pitch(image.elements);
        for (uint32_t r = prim::thread_id(); r < n; r += threads)
            for (uint32_t c = 0; c < channels; c++) scan_row(s, r * pitch, r / of_group * image.elements, c);
    }
    PRIM_DEVICE void scan_row(shared &s, uint32_t row, uint32_t start, uint32_t x) const
    {
        Sum sum = 0;
        for (; x + (AT_ONCE - 1) * channels < image.elements; x += AT_ONCE * channels) {
            Sum v[AT_ONCE];
#pragma unroll
            for (unsigned k = 0; k < AT_ONCE; k++)
                v[k] = s.sums.get(row + x + k * channels) + s.starts.get(start + x + k * channels);
#pragma unroll
            for (unsigned k = 0; k < AT_ONCE; k++) s.sums.set(row + x + k * channels, sum += v[k]);
        }
        for (; x < image.elements; x += channels)
            s.sums.set(row + x, sum += s.sums.get(row + x) + s.starts.get(start + x));
    }

    /* Writes n rows from row y on, with the zeros in front.  Threads have neighbouring elements, across the ends of
     * rows, so that each store of a warp covers a line where the table has no gaps. */
    PRIM_DEVICE void write(const shared &s, int64_t y, uint32_t n) const
    {
        constexpr unsigned STORES = 4, LINE = tuning::CACHE_LINE_BYTES / sizeof(Sum);
        const uint32_t width = table.zeros + (uint32_t)table.elements, pitch = sums_pitch(image.elements);
        const int64_t rows = table.rows - y < n ? table.rows - y : n;
        Sum *const out = table.out + y * table.pitch - table.zeros;
        const uint32_t i = (prim::thread_id() + threads - (uint32_t)((uintptr_t)out / sizeof(Sum) % LINE)) % threads;
        uint32_t row = i / width, x = i % width;
        while (row < rows) {
            Sum v[STORES];
            int64_t to[STORES];
#pragma unroll
            for (unsigned k = 0; k < STORES; k++) {
                to[k] = row < rows ? row * table.pitch + x : -1;
                v[k] = row < rows && x >= table.zeros ? s.sums.get(row * pitch + x - table.zeros) : Sum();
                row += threads / width, x += threads % width;
                if (x >= width) x -= width, row++;
            }
#pragma unroll
            for (unsigned k = 0; k < STORES; k++)
                if (to[k] >= 0) prim::store(out + to[k], v[k]);
        }
    }
};

} // namespace thin
#endif
