/* window_moment_rows.cuh - sums and squared distances from the mean of a row of columns (window_moments.cu). */
#ifndef WINDOW_MOMENT_ROWS_CUH
#define WINDOW_MOMENT_ROWS_CUH

#include "window/window_moment_columns.cuh"

namespace window
{

template <class Layout> struct moment_rows : moment_columns<Layout> {
    using base = moment_columns<Layout>;
    using typename Layout::shared;
    static constexpr unsigned RUN = Layout::RUN_PIXELS, WARPS = Layout::ROW_WARPS;
    using base::per_width;
    using Layout::RUNS, Layout::PITCH, Layout::x, Layout::y, Layout::pixels, Layout::channel_count, Layout::row_number,
        Layout::row_of_warp;

    /* Of the windows of a lane's pixels. */
    struct window_sums {
        double sum[RUN], squares[RUN];
    };

    /* Columns of the same row: the sums of their means, and of their variances and the squared distances of their means
     * from a pivot, the first one's mean.  All columns of a row have as many samples. */
    struct about_column {
        double sum, squares, pivot;
        uint32_t n;
    };
    PRIM_DEVICE static void add(about_column &a, const part &column)
    {
        if (column.squares < 0) return; /* outside the image */
        if (a.n == 0) a.pivot = column.sum;
        const double d = column.sum - a.pivot;
        a.sum += column.sum;
        a.squares += prim::multiply_add(d, d, column.squares);
        a.n++;
    }
    PRIM_DEVICE double inverse_columns(uint32_t n) const
    {
        if (n == (uint32_t)(x.before + 1 + x.after)) return per_width;
        return n == RUN ? 1.0 / RUN : this->inverse_of((int32_t)n);
    }
    PRIM_DEVICE part part_of_columns(const about_column &a) const
    {
        if (a.n == 0) return {};
        const double d = apart(a.sum * inverse_columns(a.n), a.pivot);
        return {a.sum, prim::multiply_add(-d * a.n, d, a.squares)};
    }
    PRIM_DEVICE void move_columns(about_column &a, const part &p, uint32_t n) const
    {
        if (n == 0) return;
        const double mean = p.sum * inverse_columns(n);
        if (a.n == 0) a.pivot = mean;
        const double d = apart(mean, a.pivot);
        a.sum += p.sum;
        a.squares += prim::multiply_add(d * n, d, p.squares);
        a.n += n;
    }

    PRIM_DEVICE static unsigned place_of_run() { return row_of_warp() + prim::thread_id() % RUNS * PITCH; }
    PRIM_DEVICE static part column_at(const shared &s, unsigned place)
    {
        return {s.sums.get(place), s.squares.get(place)};
    }

    /* Windows of at most RUN columns: one by one. */
    PRIM_DEVICE void sum_short(const shared &s, window_sums &v) const
    {
        const uint32_t columns = (uint32_t)(x.before + 1 + x.after);
#pragma unroll
        for (unsigned i = 0; i < RUN; i++) {
            about_column window = {};
#pragma unroll 1
            for (unsigned k = i; k < i + columns; k++)
                add(window, column_at(s, place_of_run() + k + (k >= RUN ? PITCH - RUN : 0)));
            const part p = part_of_columns(window);
            v.sum[i] = p.sum;
            v.squares[i] = p.squares;
        }
    }

    /* Longer ones: the end of the lane's run, whole runs, and the beginning of a later run, about the mean of a column
     * that all of the lane's windows hold: the last one of its run in the image, or the first one that enters.  Where
     * neither is, all of its windows are the runs between. */
    PRIM_DEVICE void sum_long(shared &s, window_sums &v) const
    {
        const int32_t beyond = x.before + x.after, runs = pixels / (int32_t)RUN;
        const int32_t run = (int32_t)(prim::thread_id() % RUNS), line = run / runs;
        const bool in_strip = line < (int32_t)channel_count();
        const bool has_windows = in_strip && (run - line * runs) * (int32_t)RUN + beyond < pixels;
        const unsigned place = (unsigned)beyond % RUN, further = has_windows ? (unsigned)beyond / RUN : 0;
        const unsigned of_row = row_number() * RUNS, behind = (unsigned)run + further, from = place_of_run();
        about_column own = {}, begin = {};
        uint32_t in_image = 0; /* bits */
#pragma unroll
        for (unsigned k = 0; k < RUN; k++) {
            const unsigned i = RUN - 1 - k;
            const uint32_t before = own.n;
            add(own, column_at(s, from + i));
            in_image |= (own.n - before) << i;
            v.sum[i] = own.sum;
            v.squares[i] = own.squares;
        }
#pragma unroll
        for (unsigned i = 0; i + 1 < RUN; i++)
            if (i < place) add(begin, column_at(s, from + i));
        const part whole = part_of_columns(own), head = part_of_columns(begin);
        s.totals.set(of_row + (unsigned)run, whole.sum);
        s.total_squares.set(of_row + (unsigned)run, whole.squares);
        s.begins.set(of_row + (unsigned)run, head.sum);
        s.begin_squares.set(of_row + (unsigned)run, head.squares);
        s.run_counts.set(of_row + (unsigned)run, own.n | begin.n << 16);
        prim::block_sync(); /* the row's runs are there */
        const unsigned entering = from + further * PITCH;
        const auto entering_at = [&](unsigned i) {
            return column_at(s, entering + place + i + (place + i >= RUN ? PITCH - RUN : 0));
        };
        about_column middle = {0, 0, own.pivot, own.n};
        if (middle.n == 0) {
            add(middle, entering_at(0));
            middle.sum = middle.squares = 0;
        }
        uint32_t between = middle.n; /* in the end, columns of the runs between */
        const uint32_t counted = middle.n;
#pragma unroll 1
        for (unsigned k = (unsigned)run + 1; k < behind; k++)
            move_columns(middle, {s.totals.get(of_row + k), s.total_squares.get(of_row + k)},
                         s.run_counts.get(of_row + k) & 0xffff);
        if (further > 0)
            move_columns(middle, {s.begins.get(of_row + behind), s.begin_squares.get(of_row + behind)},
                         s.run_counts.get(of_row + behind) >> 16);
        between = middle.n - counted;
        about_column enters = {0, 0, middle.pivot, 0};
#pragma unroll
        for (unsigned i = 0; i < RUN; i++) {
            const part column = entering_at(i);
            if (!(column.squares < 0)) {
                const double d = column.sum - middle.pivot;
                enters.sum += column.sum;
                enters.squares += prim::multiply_add(d, d, column.squares);
                enters.n++;
            }
            const about_column window = {v.sum[i] + middle.sum + enters.sum,
                                         v.squares[i] + middle.squares + enters.squares, middle.pivot,
                                         prim::count_bits(in_image >> i) + between + enters.n};
            const part p = part_of_columns(window);
            v.sum[i] = p.sum;
            v.squares[i] = p.squares;
        }
    }

    /* The same where all columns are in the image. */
    template <unsigned WIDTH = RUN>
    PRIM_DEVICE void sum_short_whole(const shared &s, window_sums &v, int32_t width) const
    {
        if constexpr (WIDTH > 1)
            if (width != (int32_t)WIDTH) return sum_short_whole<WIDTH - 1>(s, v, width);
        part columns[RUN + WIDTH - 1];
#pragma unroll
        for (unsigned k = 0; k < RUN + WIDTH - 1; k++)
            columns[k] = column_at(s, place_of_run() + k + (k >= RUN ? PITCH - RUN : 0));
#pragma unroll
        for (unsigned i = 0; i < RUN; i++) {
            const double pivot = columns[i].sum;
            part window = columns[i];
#pragma unroll
            for (unsigned k = 1; k < WIDTH; k++) {
                const double d = columns[i + k].sum - pivot;
                window.sum += columns[i + k].sum;
                window.squares += prim::multiply_add(d, d, columns[i + k].squares);
            }
            const double d = prim::multiply_add(window.sum, per_width, -pivot); /* below zero is taken for 0 */
            v.sum[i] = window.sum;
            v.squares[i] = prim::multiply_add(-d * WIDTH, d, window.squares);
        }
    }
    PRIM_DEVICE void sum_long_whole(shared &s, window_sums &v) const
    {
        const uint32_t beyond = (uint32_t)(x.before + x.after), place = beyond % RUN;
        const unsigned of_row = row_number() * RUNS, run = prim::thread_id() % RUNS, from = place_of_run();
        const unsigned further = run + beyond / RUN < RUNS ? beyond / RUN : 0, behind = run + further;
        const double first = s.sums.get(from);
        double sum = 0, squares = 0, pivot = 0, begin = 0, begin_squares = 0;
#pragma unroll
        for (unsigned k = 0; k < RUN; k++) {
            const unsigned i = RUN - 1 - k;
            const part column = column_at(s, from + i);
            if (k == 0) pivot = column.sum;
            const double d = column.sum - pivot;
            sum += column.sum;
            squares += prim::multiply_add(d, d, column.squares);
            v.sum[i] = sum;
            v.squares[i] = squares;
            if (i < place) {
                const double e = column.sum - first;
                begin += column.sum;
                begin_squares += prim::multiply_add(e, e, column.squares);
            }
        }
        const double d = apart(sum * (1.0 / RUN), pivot), per_place = this->inverse_of((int32_t)place),
                     e = apart(begin * per_place, first);
        s.totals.set(of_row + run, sum);
        s.total_squares.set(of_row + run, prim::multiply_add(-d * RUN, d, squares));
        s.begins.set(of_row + run, begin);
        s.begin_squares.set(of_row + run, prim::multiply_add(-e * place, e, begin_squares));
        prim::block_sync(); /* the runs of whole rows are there */
        double all = 0, far = 0;
#pragma unroll 2
        for (unsigned k = run + 1; k < behind; k++)
            base::move(all, far, pivot, {s.totals.get(of_row + k), s.total_squares.get(of_row + k)}, RUN, 1.0 / RUN);
        if (place > 0)
            base::move(all, far, pivot, {s.begins.get(of_row + behind), s.begin_squares.get(of_row + behind)}, place,
                       per_place);
        const unsigned entering = from + further * PITCH + place;
        const double width = beyond + 1;
#pragma unroll
        for (unsigned i = 0; i < RUN; i++) {
            const part column = column_at(s, entering + i + (place + i >= RUN ? PITCH - RUN : 0));
            const double apart_here = column.sum - pivot;
            all += column.sum;
            far += prim::multiply_add(apart_here, apart_here, column.squares);
            v.sum[i] += all;
            const double off = prim::multiply_add(v.sum[i], per_width, -pivot);
            v.squares[i] = prim::multiply_add(-off * width, off, v.squares[i] + far);
        }
    }

    /* whole: all columns of all results are in the image. */
    PRIM_DEVICE void sum_rows(shared &s, window_sums &v, bool whole) const
    {
        const int32_t width = x.before + 1 + x.after;
        if (width <= (int32_t)RUN && whole)
            sum_short_whole(s, v, width);
        else if (width <= (int32_t)RUN)
            sum_short(s, v);
        else if (whole)
            sum_long_whole(s, v);
        else
            sum_long(s, v);
        prim::block_sync(); /* all warps of the row have read */
    }
};

} // namespace window
#endif
