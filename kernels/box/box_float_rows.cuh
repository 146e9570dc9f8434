/* box_float_rows.cuh - the window sums of a row of column sums, by additions only (box_float.cu). */
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

    /* The sum of the first n < 16 of v, from `at` on, but for those from `at` + PART on: a jump into the additions. */
    template <unsigned PART> PRIM_DEVICE static double sum_first(const double (&v)[RUN], unsigned at, int32_t n)
    {
        double sum = 0;
        const auto add = [&](unsigned i) {
            if (i < PART) sum += v[at + i];
        };
        switch (n) {
        case 15: add(14); [[fallthrough]];
        case 14: add(13); [[fallthrough]];
        case 13: add(12); [[fallthrough]];
        case 12: add(11); [[fallthrough]];
        case 11: add(10); [[fallthrough]];
        case 10: add(9); [[fallthrough]];
        case 9: add(8); [[fallthrough]];
        case 8: add(7); [[fallthrough]];
        case 7: add(6); [[fallthrough]];
        case 6: add(5); [[fallthrough]];
        case 5: add(4); [[fallthrough]];
        case 4: add(3); [[fallthrough]];
        case 3: add(2); [[fallthrough]];
        case 2: add(1); [[fallthrough]];
        case 1: add(0); [[fallthrough]];
        default: return sum;
        }
    }

    /* The window sums of a row: for each of a lane's RUN pixels the sum of those up to width - 1 pixels further.  Runs
     * are taken apart into parts of PART pixels, which a window exceeds: it is the end of one part, the middle, and the
     * beginning of another part.  The three are added at last, so that none waits for another. */
    template <unsigned PART> PRIM_DEVICE void sum_row(shared &s, double (&v)[RUN]) const
    {
        constexpr unsigned PARTS = RUN / PART;
        const int32_t beyond = x.before + x.after, runs = ONE_CHANNEL ? (int32_t)RUNS : pixels / (int32_t)RUN;
        const int32_t run = (int32_t)(prim::thread_id() % RUNS), line = ONE_CHANNEL ? 0 : run / runs;
        const bool in_strip = line < (int32_t)channel_count();
        double enter[RUN];
        load_own(s, in_strip, v);
        const bool has_windows = in_strip && (run - line * runs) * (int32_t)RUN + beyond < pixels;
        load_entering(s, place_of_run(), has_windows ? beyond : 0, beyond % 2 == 0, enter);

        const int32_t parts = (beyond - (int32_t)PART) / (int32_t)PART, few = (beyond - (int32_t)PART) % (int32_t)PART;
        double begin[PARTS], middle[PARTS]; /* begin: sums of the first `few` pixels of each part */
#pragma unroll
        for (unsigned u = 0; u < PARTS; u++) begin[u] = sum_first<PART>(v, u * PART, few);
#pragma unroll
        for (unsigned u = 0; u + 1 < PARTS; u++) middle[u] = begin[u + 1];
        middle[PARTS - 1] = sum_between<PART>(s, v, begin[0], run, parts);
#pragma unroll
        for (unsigned u = 0; u < PARTS; u++) {
            double *part = v + u * PART, *prefix = enter + u * PART;
#pragma unroll
            for (unsigned i = 1; i < PART; i++) {
                part[PART - 1 - i] += part[PART - i];
                prefix[i] += prefix[i - 1];
            }
#pragma unroll
            for (unsigned i = 0; i < PART; i++) part[i] = part[i] + prefix[i] + middle[u];
        }
    }

    PRIM_DEVICE static unsigned place_of_run()
    {
        return row_of_warp() + prim::thread_id() % RUNS * PITCH;
    }
    PRIM_DEVICE static void load_own(const shared &s, bool in_strip, double (&v)[RUN])
    {
#pragma unroll
        for (unsigned i = 0; i < RUN; i += 2) {
            two pair = {};
            if (in_strip) pair = s.sums.template get_vector<2>(place_of_run() + i);
            v[i] = pair.at[0];
            v[i + 1] = pair.at[1];
        }
    }

    /* Window sums in place of the row's sums, which all warps of the row have read. */
    PRIM_DEVICE void store_windows(shared &s, const double (&v)[RUN]) const
    {
        const int32_t runs = ONE_CHANNEL ? (int32_t)RUNS : pixels / (int32_t)RUN;
        if ((int32_t)(prim::thread_id() % RUNS) / runs >= (int32_t)channel_count()) return;
#pragma unroll
        for (unsigned i = 0; i < RUN; i += 2) s.sums.template set_vector<2>(place_of_run() + i, two{v[i], v[i + 1]});
    }

    /* What a run's last part has between it and its windows' last parts: `parts` whole runs, if PART is RUN, and the
     * beginning of the run behind them. */
    template <unsigned PART>
    PRIM_DEVICE double sum_between(shared &s, const double (&v)[RUN], double begin, int32_t run, int32_t parts) const
    {
        double total = 0;
        if (PART == RUN && parts > 0) {
            total = v[0];
#pragma unroll
            for (unsigned i = 1; i < PART; i++) total += v[i];
        }
        if constexpr (WARPS == 1) {
            const double behind = prim::shuffle_down(begin, PART == RUN ? 1 + (unsigned)parts : 1);
            return PART == RUN && parts > 0 ? sum_lanes(total, parts) + behind : behind;
        } else {
            const unsigned first = row_number() * RUNS, next = PART == RUN ? (unsigned)parts + 1 : 1;
            s.totals.set(first + (unsigned)run, total);
            s.begins.set(first + (unsigned)run, begin);
            prim::block_sync(); /* they are there; and all warps of the row have read its sums */
            double sum = 0;
            for (unsigned k = 1; k < next && (unsigned)run + k < RUNS; k++)
                sum += s.totals.get(first + (unsigned)run + k);
            return (unsigned)run + next < RUNS ? sum + s.begins.get(first + (unsigned)run + next) : sum;
        }
    }

    /* The RUN sums from `beyond` pixels behind a lane's first on. */
    PRIM_DEVICE static void load_entering(const shared &s, unsigned at, int32_t beyond, bool even, double (&enter)[RUN])
    {
        const unsigned place = (unsigned)beyond % RUN, from = at + (unsigned)beyond / RUN * PITCH + place;
        if (even) {
#pragma unroll
            for (unsigned i = 0; i < RUN; i += 2) {
                const two pair = s.sums.template get_vector<2>(from + i + (place + i >= RUN ? PITCH - RUN : 0));
                enter[i] = pair.at[0];
                enter[i + 1] = pair.at[1];
            }
        } else {
#pragma unroll
            for (unsigned i = 0; i < RUN; i++) enter[i] = s.sums.get(from + i + (place + i >= RUN ? PITCH - RUN : 0));
        }
    }

    /* Of the warp's row, and waits until its sums have been read. */
    PRIM_DEVICE void sum_rows(shared &s, double (&v)[RUN]) const
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
            load_own(s, true, v);
        prim::warp_sync(); /* all lanes have read */
    }
};

} // namespace box
#endif
