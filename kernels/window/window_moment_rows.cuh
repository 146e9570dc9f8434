/* window_moment_rows.cuh - counts, sums and squared distances from the mean of windows, of a row of columns
 * (window_moments.cu). */
#ifndef WINDOW_MOMENT_ROWS_CUH
#define WINDOW_MOMENT_ROWS_CUH

#include "window/window_moment_columns.cuh"

namespace window
{

/* 1 / n for n from 1 to 2^53, wrong by little more than half of a unit; of 0 an infinity. */
PRIM_DEVICE double reciprocal(double n)
{
    double r = prim::reciprocal_approx(n);
    if (n == 0) return r;
#pragma unroll
    for (int i = 0; i < 2; i++) r = prim::multiply_add(prim::multiply_add(-n, r, 1.0), r, r);
    return r;
}

template <class Layout> struct moment_rows : moment_columns<Layout> {
    using base = moment_columns<Layout>;
    using Sample = typename Layout::sample_type;
    using typename Layout::shared;
    static constexpr unsigned RUN = Layout::RUN_PIXELS, WARPS = Layout::ROW_WARPS;
    static constexpr bool COUNTED = Layout::HAS_COUNTS;
    using base::per_width;
    using Layout::RUNS, Layout::x, Layout::y, Layout::pixels, Layout::channel_count, Layout::row_number,
        Layout::row_of_warp;

    /* Of the windows of a lane's pixels.  n: samples; where they are not counted, columns in the image, and squares are
     * as many times larger as a column has rows (moment_columns::store()). */
    struct window_sums {
        double sum[RUN], squares[RUN];
        uint32_t n[RUN];
    };

    /* Columns of a row, or one. */
    using columns = part;

    /* The columns of the lane's windows, from its run's first one on.  ALIKE: all of them are in the image, and samples
     * are not counted. */
    struct lane_columns {
        unsigned run, width; /* width: of the windows; RUN where these would reach beyond the strip */
        int32_t before;      /* columns of its run, or less than 0, before the image */
    };
    template <bool ALIKE>
    PRIM_DEVICE columns column_at(const shared &s, const lane_columns &l, unsigned k) const
    {
        const unsigned at = row_of_warp() + base::place(l.run + k / RUN, k % RUN);
        const prim::vec<double, 2> v = s.sums.template get_vector<2>(2 * at);
        return {v.at[0], v.at[1], ALIKE ? 1 : number_at(s, l, k)};
    }
    PRIM_DEVICE int32_t number_at(const shared &s, const lane_columns &l, unsigned k) const
    {
        if constexpr (COUNTED)
            return (int32_t)s.counts.get(row_number() * Layout::NARROW_ROW +
                                         base::narrow_place(l.run + k / RUN, k % RUN));
        return (uint32_t)((int32_t)k - l.before) < (uint32_t)x.n;
    }

    /* n times `pivot` less than `sum`.  Sums of f64 samples are rounded: alike ones differ from n times one of them. */
    PRIM_DEVICE static double distance(double sum, double n, double pivot)
    {
        const double d = prim::multiply_add(-n, pivot, sum);
        return sizeof(Sample) == 8 && fabs(d) <= 0x1p-50 * fabs(sum) ? 0 : d;
    }
    PRIM_DEVICE double inverse_columns(int32_t n) const
    {
        return n == (int32_t)RUN ? 1.0 / RUN : this->inverse_of(n);
    }
    template <bool ALIKE> PRIM_DEVICE void add(columns &w, const columns &c, double pivot) const
    {
        if constexpr (COUNTED) {
            const double d = distance(c.sum, real((uint32_t)c.n, 0), pivot);
            w.squares += prim::multiply_add(d * this->inverse_of(c.n), d, c.squares);
        } else {
            const double d = ALIKE || c.n ? c.sum - pivot : 0;
            w.squares += prim::multiply_add(d, d, c.squares);
        }
        w.sum += c.sum;
        w.n += c.n;
    }
    /* Adds columns whose squared distances are from their mean. */
    PRIM_DEVICE void move(columns &w, const columns &c, double pivot) const
    {
        if (c.n == 0) return;
        const double d = distance(c.sum, real((uint32_t)c.n, 0), pivot);
        w.sum += c.sum;
        w.squares += prim::multiply_add(d * inverse_columns(c.n), d, c.squares);
        w.n += c.n;
    }
    /* Their squared distances from their mean; less than 0 where these are small. */
    PRIM_DEVICE static double about_mean(const columns &w, double pivot, double n, double per_n)
    {
        const double d = prim::multiply_add(-n, pivot, w.sum);
        return prim::multiply_add(-d * per_n, d, w.squares);
    }
    PRIM_DEVICE double mean_of(const columns &c) const
    {
        if constexpr (!COUNTED) return c.sum;
        const double mean = box::corrected_quotient(c.sum, real((uint32_t)c.n, 0), this->inverse_of(c.n));
        return mean == mean ? mean : c.sum;
    }

    /* A column that all windows of PART pixels hold, from column `first` on: its mean.  Else false. */
    template <bool ALIKE, unsigned PART>
    PRIM_DEVICE bool find_pivot(const shared &s, const lane_columns &l, unsigned first, double *pivot) const
    {
        unsigned k = first + PART - 1;
        if constexpr (!ALIKE) {
            while (k < first + l.width && number_at(s, l, k) == 0) k++;
            if (k == first + l.width) return false;
        }
        *pivot = mean_of(column_at<ALIKE>(s, l, k));
        return true;
    }

    /* Runs are taken apart into parts of PART pixels, which windows exceed by WIDTH - PART columns: a window is the end
     * of its part, these columns, whole runs among them, and further ones.  What the windows of a part hold is summed
     * about the mean of a column that all of them hold. */
    template <bool ALIKE, unsigned PART> PRIM_DEVICE void sum_row(shared &s, window_sums &v, int32_t left) const
    {
        const unsigned run = prim::thread_id() % RUNS, of_row = row_number() * RUNS;
        const int32_t runs = pixels / (int32_t)RUN, line = (int32_t)run / runs,
                      first = ((int32_t)run - line * runs) * (int32_t)RUN, width = x.before + 1 + x.after;
        const bool has_windows = line < (int32_t)channel_count() && first + width <= pixels;
        const lane_columns l = {run, has_windows ? (unsigned)width : RUN, -left - first};
#pragma unroll
        for (unsigned p = 0; p < RUN; p += PART) {
            double pivot = 0;
            const bool has_pivot = find_pivot<ALIKE, PART>(s, l, p, &pivot);
            columns own = {}, further = {};
#pragma unroll
            for (unsigned k = 0; k < PART; k++) {
                const unsigned i = p + PART - 1 - k;
                add<ALIKE>(own, column_at<ALIKE>(s, l, i), pivot);
                v.sum[i] = own.sum;
                v.squares[i] = own.squares;
                v.n[i] = (uint32_t)own.n;
            }
            unsigned beyond = p + PART; /* the columns behind the part */
            if constexpr (PART == RUN) {
                columns total = own;
                double of_run = pivot;
                if (!ALIKE && number_at(s, l, RUN - 1) == 0) { /* the pivot is not the run's */
                    total = {};
                    add_columns(s, l, 0, RUN, total, of_run);
                }
                store_total<ALIKE>(s, of_row + run, total, of_run);
                const unsigned whole = (l.width - RUN) / RUN;
                if constexpr (WARPS == 1)
                    prim::warp_sync(); /* the row's runs are there */
                else
                    prim::block_sync(); /* the runs of the row's warps are there */
#pragma unroll 1
                for (unsigned k = run + 1; k <= run + whole; k++) move(further, total_at<ALIKE>(s, of_row + k), pivot);
                beyond += whole * RUN;
            }
#pragma unroll 1
            for (; beyond < p + l.width; beyond++) add<ALIKE>(further, column_at<ALIKE>(s, l, beyond), pivot);
#pragma unroll
            for (unsigned i = p; i < p + PART; i++) {
                const columns window = {v.sum[i] + further.sum, v.squares[i] + further.squares,
                                        (int32_t)v.n[i] + further.n};
                const double n = ALIKE ? width : real((uint32_t)window.n, 0);
                v.sum[i] = window.sum;
                v.squares[i] = about_mean(window, pivot, n, ALIKE ? per_width : reciprocal(n));
                v.n[i] = (uint32_t)window.n;
                if (i + 1 < p + PART) add<ALIKE>(further, column_at<ALIKE>(s, l, i + l.width), pivot);
            }
            if (!ALIKE && !has_pivot) sum_ends<PART>(s, v, l, p);
        }
    }
    template <bool ALIKE>
    PRIM_DEVICE void store_total(shared &s, unsigned at, const columns &w, double pivot) const
    {
        const double n = ALIKE ? RUN : real((uint32_t)w.n, 0);
        s.totals.template set_vector<2>(2 * at, prim::vec<double, 2>{
                                                    w.sum, about_mean(w, pivot, n, inverse_columns(ALIKE ? RUN : w.n))});
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
    /* The windows of a part of which no column that all of them hold has samples. */
    template <unsigned PART>
    PRIM_DEVICE void sum_ends(const shared &s, window_sums &v, const lane_columns &l, unsigned first) const
    {
#pragma unroll
        for (unsigned i = first; i < first + PART; i++) {
            columns window = {};
            double pivot = 0;
            add_columns(s, l, i, first + PART - 1, window, pivot);
            add_columns(s, l, first + l.width, i + l.width, window, pivot);
            const double n = real((uint32_t)window.n, 0);
            v.sum[i] = window.sum;
            v.squares[i] = window.n ? about_mean(window, pivot, n, reciprocal(n)) : 0;
            v.n[i] = (uint32_t)window.n;
        }
    }

    /* left: the image's column of the strip's first place.  Waits until the row's columns have been read. */
    template <class Results> PRIM_DEVICE void sum_rows(shared &s, window_sums &v, const Results &r) const
    {
        const int32_t width = x.before + 1 + x.after, left = r.origin - x.before;
        const auto sum = [&]<bool ALIKE>() {
            if (width >= (int32_t)RUN)
                sum_row<ALIKE, RUN>(s, v, left);
            else if (width >= (int32_t)(RUN / 2))
                sum_row<ALIKE, RUN / 2>(s, v, left);
            else if (RUN >= 4 && width >= (int32_t)(RUN / 4))
                sum_row<ALIKE, RUN < 4 ? 1 : RUN / 4>(s, v, left);
            else
                sum_row<ALIKE, 1>(s, v, left);
        };
        if (!COUNTED && r.whole)
            sum.template operator()<!COUNTED>();
        else
            sum.template operator()<false>();
        if constexpr (WARPS == 1)
            prim::warp_sync(); /* all lanes of the row have read */
        else
            prim::block_sync(); /* all warps of the row have read */
    }
};

} // namespace window
#endif
