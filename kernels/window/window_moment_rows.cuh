/* window_moment_rows.cuh - counts, sums and squared distances from the mean of windows, of a row of columns
 * (window_moments.cu). */
#ifndef WINDOW_MOMENT_ROWS_CUH
#define WINDOW_MOMENT_ROWS_CUH

#include "window/window_moment_columns.cuh"

namespace window
{

template <class Layout> struct moment_rows : moment_columns<Layout> {
    using base = moment_columns<Layout>;
    using Sample = typename Layout::sample_type;
    using typename Layout::shared;
    static constexpr unsigned RUN = Layout::RUN_PIXELS, WARPS = Layout::ROW_WARPS;
    static constexpr bool COUNTED = Layout::HAS_COUNTS;
    using base::per_width;
    using Layout::RUNS, Layout::ONE_CHANNEL, Layout::x, Layout::pixels, Layout::channel_count, Layout::row_number,
        Layout::row_of_warp;

    /* Of the windows of a lane's pixels.  n: samples.  Where they are not counted, n has columns in the image, and
     * squares are those of moment_columns::store().  Squares may be little less than 0. */
    struct window_sums {
        double sum[RUN], squares[RUN];
        uint32_t n[RUN];
        double per_n[COUNTED ? RUN : 1]; /* 1 / n */
    };

    /* Columns of a row, or one. */
    using columns = part;

    /* The columns of the lane's windows, from its run's first one on.  ALIKE: all of them are in the image, and samples
     * are not counted. */
    struct lane_columns {
        unsigned run, width; /* width: of the windows; RUN where the lane has no results */
        int32_t before;      /* columns of its run, or less than 0, before the image */
        bool has_results;

        PRIM_DEVICE lane_columns from(unsigned runs) const
        {
            return {run + runs, width, before - (int32_t)(runs * RUN), has_results};
        }
    };
    template <bool ALIKE> PRIM_DEVICE columns column_at(const shared &s, const lane_columns &l, unsigned k) const
    {
        return column_at<ALIKE>(s, l, k, k / RUN, k % RUN);
    }
    PRIM_DEVICE int32_t number_at(const shared &s, const lane_columns &l, unsigned k) const
    {
        return number_at(s, l, k, k / RUN, k % RUN);
    }
    /* Column k, which has place i of the lane's run or of a further one. */
    template <bool ALIKE>
    PRIM_DEVICE columns column_at(const shared &s, const lane_columns &l, unsigned k, unsigned further,
                                  unsigned i) const
    {
        return column_at_place<ALIKE>(s, l, k, row_of_warp() + base::place(l.run + further, i),
                                      narrow_of_row() + base::narrow_place(l.run + further, i));
    }
    /* at, narrow: places in all rows, of sums and of counts. */
    template <bool ALIKE>
    PRIM_DEVICE columns column_at_place(const shared &s, const lane_columns &l, unsigned k, unsigned at,
                                        unsigned narrow) const
    {
        const prim::vec<double, 2> v = s.sums.template get_vector<2>(2 * at);
        return {v.at[0], v.at[1], ALIKE ? 1 : number_at_place(s, l, k, narrow)};
    }
    PRIM_DEVICE int32_t number_at(const shared &s, const lane_columns &l, unsigned k, unsigned further,
                                  unsigned i) const
    {
        return number_at_place(s, l, k, narrow_of_row() + base::narrow_place(l.run + further, i));
    }
    PRIM_DEVICE int32_t number_at_place(const shared &s, const lane_columns &l, unsigned k, unsigned narrow) const
    {
        if constexpr (COUNTED) return (int32_t)s.counts.get(narrow);
        return (uint32_t)((int32_t)k - l.before) < (uint32_t)x.n;
    }
    PRIM_DEVICE static unsigned narrow_of_row() { return row_number() * Layout::NARROW_ROW; }
    /* Column first + i, below 2 * RUN; below RUN unless WRAPS.  i is known when compiled: places differ by i times the
     * pitch, and where the next run begins by a constant besides. */
    template <bool ALIKE, bool WRAPS>
    PRIM_DEVICE void add_column(const shared &s, const lane_columns &l, unsigned first, unsigned i, columns &w,
                                double pivot) const
    {
        const bool wraps = WRAPS && first >= RUN - i;
        const unsigned at = row_of_warp() + base::place(l.run, first),
                       narrow = narrow_of_row() + base::narrow_place(l.run, first);
        const unsigned from = wraps ? at + 1 - base::place(0, RUN) : at,
                       narrow_from = wraps ? narrow + 1 - base::narrow_place(0, RUN) : narrow;
        add<ALIKE>(
            w,
            column_at_place<ALIKE>(s, l, first + i, from + base::place(0, i), narrow_from + base::narrow_place(0, i)),
            pivot);
    }
    /* Adds n columns, fewer than 2 * GROUP, in groups of powers of two: those of a group are read together. */
    template <bool ALIKE, bool WRAPS, unsigned GROUP>
    PRIM_DEVICE void add_near(const shared &s, const lane_columns &l, unsigned first, unsigned n, columns &w,
                              double pivot) const
    {
        if (n & GROUP) {
#pragma unroll
            for (unsigned k = 0; k < GROUP; k++) add_column<ALIKE, WRAPS>(s, l, first, k, w, pivot);
            first += GROUP;
        }
        if constexpr (GROUP > 1) add_near<ALIKE, WRAPS, GROUP / 2>(s, l, first, n, w, pivot);
    }

    PRIM_DEVICE static double one_or_0(int32_t one)
    {
        return __builtin_bit_cast(double, (uint64_t)(one ? 0x3ff00000u : 0) << 32);
    }
    template <bool ALIKE> PRIM_DEVICE void add(columns &w, const columns &c, double pivot) const
    {
        if constexpr (COUNTED) {
            const auto of = this->real_of(c.n);
            const double d = distance<Sample>(c.sum, of.n, pivot);
            w.squares += prim::multiply_add(d * of.per_n, d, c.squares);
        } else {
            const double d = ALIKE ? c.sum - pivot : prim::multiply_add(-one_or_0(c.n), pivot, c.sum);
            w.squares += prim::multiply_add(d, d, c.squares);
        }
        w.sum += c.sum;
        w.n += c.n;
    }
    /* Adds columns whose squared distances are from their mean. */
    template <bool ALIKE> PRIM_DEVICE void move(columns &w, const columns &c, double pivot) const
    {
        if (!ALIKE && c.n == 0) return;
        const auto of = count_of<ALIKE>(c.n);
        const double d = distance<Sample>(c.sum, of.n, pivot);
        w.sum += c.sum;
        w.squares += prim::multiply_add(d * of.per_n, d, c.squares);
        w.n += c.n;
    }
    /* Of whole runs, or of some of their columns or samples. */
    template <bool ALIKE> PRIM_DEVICE typename base::real_count count_of(int32_t n) const
    {
        if constexpr (ALIKE)
            return {RUN, 1.0 / RUN};
        else
            return this->real_of(n);
    }
    /* Their squared distances from their mean; less than 0 where these are small. */
    PRIM_DEVICE static double about_mean(const columns &w, double pivot, double n, double per_n)
    {
        const double d = prim::multiply_add(-n, pivot, w.sum);
        return prim::multiply_add(-d * per_n, d, w.squares);
    }
    PRIM_DEVICE static void set(window_sums &v, unsigned i, const columns &window, double pivot, double n, double per_n)
    {
        v.sum[i] = window.sum;
        v.squares[i] = about_mean(window, pivot, n, per_n);
        v.n[i] = (uint32_t)window.n;
        if constexpr (COUNTED) v.per_n[i] = per_n;
    }
    PRIM_DEVICE double mean_of(const columns &c) const
    {
        if constexpr (!COUNTED) return c.sum;
        const auto of = this->real_of(c.n);
        const double mean = box::corrected_quotient(c.sum, of.n, of.per_n);
        return mean == mean ? mean : c.sum;
    }

    /* Has no column of a further run samples? */
    PRIM_DEVICE bool is_empty(const shared &s, const lane_columns &l, unsigned further) const
    {
        int32_t n = 0;
#pragma unroll
        for (unsigned i = 0; i < RUN; i++) n |= number_at(s, l, further * RUN + i, further, i);
        return n == 0;
    }
    /* The first column with samples of those before `end` that all windows of a run hold; column RUN - 1 has none.
     * Where none has any: the nearest one before or behind them, which windows hold, or nothing; NONE if there are
     * both. */
    static constexpr unsigned NONE = ~0u;
    PRIM_NOINLINE unsigned next_with_samples(const shared &s, lane_columns l, unsigned end) const
    {
        unsigned k;
        for (k = RUN; k < end && is_empty(s, l, k / RUN); k += RUN) continue;
        while (k < end && number_at(s, l, k) == 0) k++;
        if (k < end) return k;
        const unsigned last = end + RUN - 1;
        unsigned before = RUN - 1, behind = end;
        while (before > 0 && number_at(s, l, before - 1) == 0) before--;
        while (behind < last && number_at(s, l, behind) == 0) behind++;
        if (before > 0) return behind < last ? NONE : before - 1;
        return behind < last ? behind : 0;
    }
    /* The mean of a column that all windows of PART pixels hold, from column `first` on, or of another one that serves
     * as well.  False if there is none. */
    template <bool ALIKE, unsigned PART>
    PRIM_DEVICE bool find_pivot(const shared &s, const lane_columns &l, unsigned first, double *pivot) const
    {
        unsigned k = first + PART - 1;
        if constexpr (!ALIKE) {
            const unsigned end = first + l.width;
            if constexpr (PART == RUN) {
                if (number_at(s, l, k) == 0) k = next_with_samples(s, l, end);
            } else {
                while (k < end && number_at(s, l, k) == 0) k++;
            }
            if (k >= (PART == RUN ? NONE : end)) return false;
        }
        *pivot = mean_of(column_at<ALIKE>(s, l, k));
        return true;
    }

    /* The lane's run, and the columns of its windows. */
    PRIM_DEVICE lane_columns columns_of_lane(const box::strip_place &r) const
    {
        const int32_t run = (int32_t)(prim::thread_id() % RUNS),
                      runs = ONE_CHANNEL ? (int32_t)RUNS : pixels / (int32_t)RUN;
        int32_t in_line = run; /* the run's number in its line */
        unsigned line = 0;
#pragma unroll
        for (unsigned c = 1; !ONE_CHANNEL && c < 4; c++)
            if (in_line >= runs) in_line -= runs, line++;
        const int32_t first = in_line * (int32_t)RUN, width = x.before + 1 + x.after;
        const bool has_results = line < channel_count() && r.origin + first < r.end;
        return {(unsigned)run, has_results ? (unsigned)width : RUN, x.before - r.origin - first, has_results};
    }

    /* Runs are taken apart into parts of PART pixels.  A window is the end of its part, the columns that all windows of
     * the part hold besides, and further ones; all are summed about the mean of a column that all of them hold, or
     * all that have samples.  PART is RUN where windows are as wide, and the columns that all hold are then whole runs,
     * and some more. */
    template <bool ALIKE, unsigned PART>
    PRIM_DEVICE void sum_row(shared &s, window_sums &v, const lane_columns &l) const
    {
        const unsigned of_row = row_number() * RUNS, width = (unsigned)(x.before + 1 + x.after);
        const unsigned runs = PART == RUN ? (width - RUN) / RUN : 0, whole = l.has_results ? runs : 0;
        const unsigned more = width - PART - runs * RUN; /* the same for all lanes: of those without results, too */
        const lane_columns behind = PART < RUN ? l : l.from(l.has_results ? 1 + runs : 0);
#pragma unroll
        for (unsigned p = 0; p < RUN; p += PART) {
            double pivot = 0;
            const bool has_pivot = find_pivot<ALIKE, PART>(s, l, p, &pivot);
            columns own = {}, further = {};
#pragma unroll
            for (unsigned k = 0; k < PART; k++) {
                const unsigned i = p + PART - 1 - k;
                if (ALIKE && k == 0)
                    own = column_at<true>(s, l, i);
                else
                    add<ALIKE>(own, column_at<ALIKE>(s, l, i), pivot);
                v.sum[i] = own.sum;
                v.squares[i] = own.squares;
                v.n[i] = (uint32_t)own.n;
            }
            if constexpr (PART == RUN) {
                columns total = own;
                double of_run = pivot;
                if (!ALIKE && own.n > 0 && number_at(s, l, RUN - 1) == 0) { /* the pivot is not the run's */
                    total = {};
                    add_columns(s, l, 0, RUN, total, of_run);
                }
                store_total<ALIKE>(s, of_row + l.run, total, of_run);
                if constexpr (WARPS == 1)
                    prim::warp_sync(); /* the row's runs are there */
                else
                    prim::block_sync(); /* the runs of the row's warps are there */
#pragma unroll 4
                for (unsigned k = l.run + 1; k <= l.run + whole; k++)
                    move<ALIKE>(further, total_at<ALIKE>(s, of_row + k), pivot);
            }
            const unsigned first = PART < RUN ? p + PART : 0;
            add_near<ALIKE, (PART < RUN), RUN / 2>(s, behind, first, more, further, pivot);
#pragma unroll
            for (unsigned i = 0; i < PART; i++) {
                const columns window = {v.sum[p + i] + further.sum, v.squares[p + i] + further.squares,
                                        (int32_t)v.n[p + i] + further.n};
                if constexpr (ALIKE) {
                    set(v, p + i, window, pivot, this->real_width, per_width);
                } else if constexpr (COUNTED) {
                    const double n = real((uint32_t)window.n, 0);
                    set(v, p + i, window, pivot, n, reciprocal(n));
                } else {
                    const auto of = this->real_of(window.n);
                    set(v, p + i, window, pivot, of.n, of.per_n);
                }
                if (i + 1 < PART) add_column<ALIKE, true>(s, behind, first + more, i, further, pivot);
            }
            if (!ALIKE && !has_pivot && l.has_results) sum_ends<PART>(s, v, l, p);
        }
    }
    template <bool ALIKE> PRIM_DEVICE void store_total(shared &s, unsigned at, const columns &w, double pivot) const
    {
        const auto of = count_of<ALIKE>(w.n);
        s.totals.template set_vector<2>(2 * at, prim::vec<double, 2>{w.sum, about_mean(w, pivot, of.n, of.per_n)});
        if constexpr (!ALIKE) s.run_counts.set(at, (uint32_t)w.n);
    }
    template <bool ALIKE> PRIM_DEVICE columns total_at(const shared &s, unsigned at) const
    {
        const prim::vec<double, 2> v = s.totals.template get_vector<2>(2 * at);
        return {v.at[0], v.at[1], ALIKE ? (int32_t)RUN : (int32_t)s.run_counts.get(at)};
    }
    /* Adds some columns, one by one; the first one that has samples is the pivot. */
    PRIM_DEVICE void add_columns(const shared &s, const lane_columns &l, unsigned first, unsigned end, columns &w,
                                 double &pivot) const
    {
#pragma unroll 1
        for (unsigned k = first; k < end; k++) {
            const columns c = column_at<false>(s, l, k);
            if (c.n == 0) continue;
            if (w.n == 0) pivot = mean_of(c);
            add<false>(w, c, pivot);
        }
    }
    /* The windows of a part without a pivot: each about the mean of its first column that has samples. */
    template <unsigned PART>
    PRIM_DEVICE void sum_ends(const shared &s, window_sums &v, const lane_columns &l, unsigned first) const
    {
#pragma unroll 1
        for (unsigned i = first; i < first + PART; i++) {
            columns window = {};
            double pivot = 0;
            add_columns(s, l, i, first + PART - 1, window, pivot);
            add_columns(s, l, first + l.width, i + l.width, window, pivot);
            const double n = real((uint32_t)window.n, 0), per_n = reciprocal(n);
#pragma unroll
            for (unsigned k = first; k < first + PART; k++)
                if (k == i) set(v, k, window, pivot, n, per_n);
        }
    }

    template <bool ALIKE> PRIM_DEVICE void sum_row(shared &s, window_sums &v, const lane_columns &l) const
    {
        const unsigned width = (unsigned)(x.before + 1 + x.after);
        constexpr unsigned HALF = RUN < 2 ? 1 : RUN / 2, QUARTER = RUN < 4 ? 1 : RUN / 4;
        if (width >= RUN)
            sum_row<ALIKE, RUN>(s, v, l);
        else if (width >= HALF)
            sum_row<ALIKE, HALF>(s, v, l);
        else if (width >= QUARTER)
            sum_row<ALIKE, QUARTER>(s, v, l);
        else
            sum_row<ALIKE, 1>(s, v, l);
    }
    /* Waits until the row's columns have been read. */
    template <class Results> PRIM_DEVICE void sum_rows(shared &s, window_sums &v, const Results &) const
    {
        const box::strip_place r = s.place.get();
        const lane_columns l = columns_of_lane(r);
        if constexpr (COUNTED)
            sum_row<false>(s, v, l);
        else if (r.whole)
            sum_row<true>(s, v, l);
        else
            sum_row<false>(s, v, l);
        if constexpr (WARPS == 1)
            prim::warp_sync(); /* all lanes of the row have read */
        else
            prim::block_sync(); /* all warps of the row have read */
    }
};

} // namespace window
#endif
