/* box_float_rows.cuh - the window sums of a row of column sums, by additions only; counts slide (box_float.cu). */
#ifndef BOX_FLOAT_ROWS_CUH
#define BOX_FLOAT_ROWS_CUH

#include "box/box_float_columns.cuh"

namespace box
{

template <class Layout> struct float_rows : float_columns<Layout> {
    using typename Layout::shared;
    using typename Layout::two;
    static constexpr unsigned RUN = Layout::RUN_PIXELS, WARPS = Layout::ROW_WARPS;
    using Layout::RUNS, Layout::PITCH, Layout::ONE_CHANNEL, Layout::x, Layout::pixels, Layout::channel_count,
        Layout::row_number, Layout::row_of_warp;
    static constexpr bool COUNTS = Layout::HAS_COUNTS;

    /* Of a lane's pixels. */
    using window_sums = double[RUN];

    /* The sum of `count` lanes' values, from the next lane's on: in pieces of a power of two. */
    PRIM_DEVICE static double sum_lanes(double v, int32_t count)
    {
        double sum = 0;
        unsigned at = 1;
        for (int32_t piece = 1; piece <= count; piece *= 2) {
            const double here = prim::shuffle_down(v, at);
            if (count & piece) {
                sum += here;
                at += (unsigned)piece;
            }
            v += prim::shuffle_down(v, (unsigned)piece);
        }
        return sum;
    }

    /* The window sums of a row: for each of a lane's RUN pixels the sum of those up to width - 1 pixels further.  Runs
     * are taken apart into parts of PART pixels, which a window exceeds by `further` runs, if PART is RUN, and PLACE
     * pixels: it is the end of one part, the middle, and the beginning of another part.  The three are added at last,
     * so that none waits for another. */
    template <unsigned PART, unsigned PLACE> PRIM_DEVICE void sum_row(shared &s, window_sums &v) const
    {
        constexpr unsigned PARTS = RUN / PART;
        const int32_t beyond = x.before + x.after, runs = ONE_CHANNEL ? (int32_t)RUNS : pixels / (int32_t)RUN;
        const int32_t run = (int32_t)(prim::thread_id() % RUNS), line = ONE_CHANNEL ? 0 : run / runs;
        const bool in_strip = line < (int32_t)channel_count();
        const bool has_windows = in_strip && (run - line * runs) * (int32_t)RUN + beyond < pixels;
        const unsigned further = PART == RUN ? (unsigned)beyond / RUN : 1;
        double end[RUN], middle[PARTS]; /* middle: at first sums of the first PLACE pixels of each part */
        load_own(s.sums, in_strip, v);
        load_entering<PART == RUN ? PLACE : PART + PLACE>(
            s, place_of_run() + (PART == RUN && has_windows ? further * PITCH : 0), end);
#pragma unroll
        for (unsigned u = 0; u < PARTS; u++) {
            middle[u] = 0;
            if constexpr (PLACE > 0) {
                middle[u] = v[u * PART];
#pragma unroll
                for (unsigned i = 1; i < PLACE; i++) middle[u] += v[u * PART + i];
            }
        }
        const double begin = middle[0];
#pragma unroll
        for (unsigned u = 0; u + 1 < PARTS; u++) middle[u] = middle[u + 1];
#pragma unroll
        for (unsigned i = 1; i < RUN; i++) {
            if (i % PART == 0) continue;
            v[RUN - 1 - i] += v[RUN - i];
            end[i] += end[i - 1];
        }
        middle[PARTS - 1] = sum_between(s, begin, v[0], run, further);
#pragma unroll
        for (unsigned i = 0; i < RUN; i++) v[i] = v[i] + end[i] + middle[i / PART];
    }

    template <unsigned PART> PRIM_DEVICE void sum_row(shared &s, window_sums &v) const
    {
        const uint32_t place = (uint32_t)(x.before + x.after) % PART;
        const auto sum = [&]<unsigned CASE>() { sum_row<PART, CASE % PART>(s, v); };
        /* A case for each, so that its places in shared memory and its additions are fixed. */
        switch (place) {
        case 0: return sum.template operator()<0>();
        case 1: return sum.template operator()<1>();
        case 2: return sum.template operator()<2>();
        case 3: return sum.template operator()<3>();
        case 4: return sum.template operator()<4>();
        case 5: return sum.template operator()<5>();
        case 6: return sum.template operator()<6>();
        case 7: return sum.template operator()<7>();
        case 8: return sum.template operator()<8>();
        case 9: return sum.template operator()<9>();
        case 10: return sum.template operator()<10>();
        case 11: return sum.template operator()<11>();
        case 12: return sum.template operator()<12>();
        case 13: return sum.template operator()<13>();
        case 14: return sum.template operator()<14>();
        default: return sum.template operator()<15>();
        }
    }

    PRIM_DEVICE static unsigned place_of_run()
    {
        return row_of_warp() + prim::thread_id() % RUNS * PITCH;
    }
    template <class Value, unsigned SIZE>
    PRIM_DEVICE static void load_own(const prim::array<Value, SIZE> &row, bool in_strip, Value (&v)[RUN])
    {
#pragma unroll
        for (unsigned i = 0; i < RUN; i += 2) {
            prim::vec<Value, 2> pair = {};
            if (in_strip) pair = row.template get_vector<2>(place_of_run() + i);
            v[i] = pair.at[0];
            v[i + 1] = pair.at[1];
        }
    }

    /* Window sums in place of the row's sums, which all warps of the row have read. */
    PRIM_DEVICE void store_windows(shared &s, const window_sums &v) const
    {
        const int32_t runs = ONE_CHANNEL ? (int32_t)RUNS : pixels / (int32_t)RUN;
        if ((int32_t)(prim::thread_id() % RUNS) / runs >= (int32_t)channel_count()) return;
#pragma unroll
        for (unsigned i = 0; i < RUN; i += 2) s.sums.template set_vector<2>(place_of_run() + i, two{v[i], v[i + 1]});
    }

    /* What a run's last part has between it and its windows' last parts: further - 1 whole runs, and the beginning of
     * the run behind them.  begin, total: of each run. */
    PRIM_DEVICE double sum_between(shared &s, double begin, double total, int32_t run, unsigned further) const
    {
        if constexpr (WARPS == 1) {
            const double behind = prim::shuffle_down(begin, further);
            return further > 1 ? sum_lanes(total, (int32_t)further - 1) + behind : behind;
        } else {
            const unsigned first = row_number() * RUNS, behind = (unsigned)run + further;
            s.totals.set(first + (unsigned)run, total);
            s.begins.set(first + (unsigned)run, begin);
            prim::block_sync(); /* they are there; and all warps of the row have read its sums */
            double sum = 0;
            for (unsigned k = (unsigned)run + 1; k < behind && k < RUNS; k++) sum += s.totals.get(first + k);
            return behind < RUNS ? sum + s.begins.get(first + behind) : sum;
        }
    }

    /* The RUN sums from FIRST pixels behind a place on. */
    template <unsigned FIRST> PRIM_DEVICE static void load_entering(const shared &s, unsigned from, double (&sum)[RUN])
    {
        const auto place = [&](unsigned i) { return from + i + (i >= RUN ? PITCH - RUN : 0); };
#pragma unroll
        for (unsigned i = 0; i < RUN; i += 2)
            if constexpr (FIRST % 2 == 0) {
                const two pair = s.sums.template get_vector<2>(place(FIRST + i));
                sum[i] = pair.at[0];
                sum[i + 1] = pair.at[1];
            } else {
                sum[i] = s.sums.get(place(FIRST + i));
                sum[i + 1] = s.sums.get(place(FIRST + i + 1));
            }
    }

    /* Sums of a row's counts from its first place to each one, in the places of the columns' counts.  They are exact,
     * and so are their differences. */
    PRIM_DEVICE void count_rows(shared &s) const
    {
        const unsigned run = prim::thread_id() % RUNS;
        uint32_t sum[RUN];
        load_own(s.counts, true, sum);
#pragma unroll
        for (unsigned i = 1; i < RUN; i++) sum[i] += sum[i - 1];
        uint32_t upto = sum[RUN - 1];
#pragma unroll
        for (unsigned d = 1; d < prim::WARP; d *= 2) upto = prim::add_left(upto, d);
        uint32_t before = upto - sum[RUN - 1];
        if constexpr (WARPS > 1) {
            const unsigned row = row_number() * WARPS;
            if (prim::lane_id() == prim::WARP - 1) s.count_totals.set(row + run / prim::WARP, upto);
            prim::block_sync(); /* the warps' totals are there */
            for (unsigned w = 0; w < run / prim::WARP; w++) before += s.count_totals.get(row + w);
        }
#pragma unroll
        for (unsigned i = 0; i < RUN; i += 2)
            s.counts.template set_vector<2>(place_of_run() + i,
                                            prim::vec<uint32_t, 2>{sum[i] + before, sum[i + 1] + before});
    }

    /* Counts of the windows of N neighbouring pixels of a lane's run, from pixel i on; i and N are even. */
    template <unsigned N> PRIM_DEVICE void load_counts(const shared &s, unsigned i, uint32_t (&n)[N]) const
    {
        const unsigned beyond = (unsigned)(x.before + x.after), run = prim::thread_id() % RUNS;
        const unsigned place = beyond % RUN + i, further = beyond / RUN; /* of the last pixel of the first window */
        const unsigned from = place_of_run() + place + (run + further < RUNS ? further * PITCH : 0);
        const auto at = [&](unsigned k) { return from + k + (place + k >= RUN ? PITCH - RUN : 0); };
        uint32_t before = i > 0 || run > 0 ? s.counts.get(place_of_run() + i - (i > 0 ? 1 : 1 + PITCH - RUN)) : 0;
#pragma unroll
        for (unsigned k = 0; k < N; k += 2) {
            prim::vec<uint32_t, 2> upto;
            if (beyond % 2 == 0)
                upto = s.counts.template get_vector<2>(at(k));
            else
                upto = {s.counts.get(at(k)), s.counts.get(at(k + 1))};
            const prim::vec<uint32_t, 2> own = s.counts.template get_vector<2>(place_of_run() + i + k);
            n[k] = upto.at[0] - before;
            n[k + 1] = upto.at[1] - own.at[0];
            before = own.at[1];
        }
    }

    /* Of the warp's row, and waits until its sums have been read. */
    template <class Results> PRIM_DEVICE void sum_rows(shared &s, window_sums &v, const Results &) const
    {
        const int32_t beyond = x.before + x.after;
        constexpr unsigned LONG = RUN < 16 ? RUN : 16, HALF = RUN < 8 ? RUN : 8;
        if (beyond >= 16)
            sum_row<LONG>(s, v);
        else if (beyond >= 8)
            sum_row<HALF>(s, v);
        else if (beyond >= 4)
            sum_row<4>(s, v);
        else if (beyond >= 2)
            sum_row<2>(s, v);
        else if (beyond == 1)
            sum_row<1>(s, v);
        else
            load_own(s.sums, true, v);
        if (WARPS > 1 && beyond == 0)
            prim::block_sync();
        else
            prim::warp_sync(); /* all warps of the row have read */
    }
};

} // namespace box
#endif
