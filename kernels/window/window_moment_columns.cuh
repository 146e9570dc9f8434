/* window_moment_columns.cuh - counts, sums and squared distances from the mean of a strip's columns
 * (window_moments.cu). */
#ifndef WINDOW_MOMENT_COLUMNS_CUH
#define WINDOW_MOMENT_COLUMNS_CUH

#include <math.h>

#include "box/box_float_plan.cuh"
#include "window/window_finish.cuh"

namespace window
{

/* Of a set of samples: their sum, the sum of their squared distances from their mean; and their number, where samples
 * are counted: elsewhere the caller knows it. */
struct part {
    double sum, squares;
    int32_t n;
};

/* a - b; 0 where that may be the rounding of a and b, of which neither is wrong by more than some units. */
PRIM_DEVICE double apart(double a, double b)
{
    const double d = a - b;
    return fabs(d) <= 0x1p-50 * fabs(b) ? 0 : d;
}

/* n times `pivot` less than `sum`, of n samples.  Sums of f64 samples are rounded: those of alike samples differ from n
 * times one of them. */
template <class Sample> PRIM_DEVICE double distance(double sum, double n, double pivot)
{
    const double d = prim::multiply_add(-n, pivot, sum);
    return sizeof(Sample) == 8 && fabs(d) <= 0x1p-50 * fabs(sum) ? 0 : d;
}

/* The sum of samples, and of their squared distances from a pivot. */
struct about_pivot {
    double sum, squares, pivot;
    int32_t n;

    /* The first one is the pivot. */
    PRIM_DEVICE void add(double v)
    {
        if (n == 0)
            *this = {v, 0, v, 1};
        else
            add_near(v);
    }
    PRIM_DEVICE void add_near(double v)
    {
        const double d = v - pivot;
        sum += v;
        squares = prim::multiply_add(d, d, squares);
        n++;
    }
};

/* A thread has one column.
 *
 * A row of sums: the first columns of all runs, then the second ones, ...; pairs are PITCH apart, single words
 * NARROW_PITCH.  So neither neighbouring lanes, which read the same column of their runs, nor neighbouring threads,
 * which store columns side by side, have bank conflicts. */
template <class Layout> struct moment_columns : box::float_copies<Layout> {
    using Sample = typename Layout::sample_type;
    using typename Layout::shared;
    static constexpr bool COUNTED = Layout::HAS_COUNTS;
    static constexpr unsigned STEP = Layout::STEP_ROWS, QUEUE = Layout::QUEUED, RUN = Layout::RUN_PIXELS, OWN = 1;
    using Layout::COLUMNS, Layout::ROW, Layout::NARROW_ROW, Layout::SLOTS, Layout::ONE_CHANNEL, Layout::threads,
        Layout::y, Layout::pixels, Layout::height, Layout::blocks, Layout::rest, Layout::newest, Layout::scratch,
        Layout::in_device, Layout::channel_count, Layout::pixel_of, Layout::shrinks, Layout::takes_value, Layout::valid,
        Layout::masked;

    const double *inverse; /* 1 / n; 0 of 0 */
    /* Rows and columns of a whole window; 1 / of its columns; of its rest. */
    double real_height, real_width, per_width, real_rest, per_rest;
    PRIM_DEVICE double inverse_of(int32_t n) const { return prim::load(inverse + n); }

    struct column {
        unsigned at;            /* place in a row of samples */
        uint32_t to, to_narrow; /* in rows of sums, of counts */
        uint32_t pixel;
        bool in_strip;
    };
    struct thread_columns {
        column pair[OWN];
    };
    using column_part = part;
    struct column_state {
        part newest, rest, back; /* as float_columns has them */
        Sample last;             /* of the rows up to the last one that entered, the last that counts */
        int32_t last_row;
    };

    PRIM_DEVICE thread_columns columns_of_thread(int32_t) const
    {
        const unsigned at = prim::thread_id();
        const uint32_t pixel = pixel_of(at), run = run_of(pixel, at - pixel * channel_count());
        return {{{at, place(run, pixel % RUN), narrow_place(run, pixel % RUN), pixel, pixel < (uint32_t)pixels}}};
    }
    PRIM_DEVICE uint32_t run_of(uint32_t pixel, uint32_t channel) const
    {
        return channel * ((uint32_t)pixels / RUN) + pixel / RUN;
    }
    PRIM_DEVICE static unsigned place(unsigned run, unsigned i) { return i * Layout::PITCH + run; }
    PRIM_DEVICE static unsigned narrow_place(unsigned run, unsigned i) { return i * Layout::NARROW_PITCH + run; }
    PRIM_DEVICE static void clear(shared &s)
    {
        for (unsigned i = prim::thread_id(); i < STEP * ROW; i += threads)
            s.sums.template set_vector<2>(2 * i, prim::vec<double, 2>{});
        for (unsigned i = prim::thread_id(); COUNTED && i < STEP * NARROW_ROW; i += threads) s.counts.set(i, 0);
    }

    /* ---- rows ---- */

    PRIM_DEVICE bool repeats() const { return !(shrinks || takes_value); }
    /* Rows first .. end - 1 of windows that are in the image; all are where the border repeats rows. */
    PRIM_DEVICE int32_t count(int32_t first, int32_t end) const
    {
        if (repeats()) return end - first;
        first = first > 0 ? first : 0;
        end = end < y.n ? end : y.n;
        return end > first ? end - first : 0;
    }
    PRIM_DEVICE int32_t count(const part &p, int32_t first, int32_t end) const
    {
        return COUNTED ? p.n : count(first, end);
    }
    /* Does the sample of a row in that slot count?  Where samples are counted, none outside the image does. */
    PRIM_DEVICE bool counts(const shared &s, unsigned slot, const column &m, Sample v, int32_t row) const
    {
        if constexpr (!COUNTED) return repeats() || (row >= 0 && row < y.n);
        const bool in_mask = !masked() || s.mask.get(slot * COLUMNS + (ONE_CHANNEL ? m.at : m.pixel)) != 0;
        return (v == v || valid.any_nan) && v != valid.nodata && in_mask;
    }
    PRIM_DEVICE static Sample sample(const shared &s, unsigned slot, const column &m)
    {
        return s.rows.get(slot * COLUMNS + m.at);
    }

    /* A column of neighbouring rows, and which count.  WHOLE: all do. */
    template <bool WHOLE, unsigned ROWS> struct rows_of_column {
        Sample v[ROWS];
        uint32_t counting; /* bits */

        PRIM_DEVICE bool has(unsigned t) const { return WHOLE || (counting >> t & 1) != 0; }
    };
    /* The ring's slots from `slot` on; slot below SLOTS. */
    template <bool WHOLE, unsigned ROWS>
    PRIM_DEVICE rows_of_column<WHOLE, ROWS> load_rows(const shared &s, unsigned slot, const column &m,
                                                      int32_t row) const
    {
        rows_of_column<WHOLE, ROWS> r;
        r.counting = 0;
#pragma unroll
        for (unsigned t = 0; t < ROWS; t++) {
            const unsigned from = slot + t < SLOTS ? slot + t : slot + t - SLOTS;
            r.v[t] = sample(s, from, m);
            if (!WHOLE && counts(s, from, m, r.v[t], row + (int32_t)t)) r.counting |= 1u << t;
        }
        return r;
    }

    /* ---- parts ---- */

    PRIM_DEVICE double inverse_of_rows(int32_t n) const
    {
        return n == (int32_t)STEP ? 1.0 / STEP : inverse_of(n);
    }
    PRIM_DEVICE part part_of(const about_pivot &a) const
    {
        return {a.sum, part_squares(a, real((uint32_t)a.n, 0), inverse_of_rows(a.n)), a.n};
    }
    PRIM_DEVICE static double part_squares(const about_pivot &a, double n, double per_n)
    {
        const double d = distance<Sample>(a.sum, n, a.pivot);
        return prim::multiply_add(-d * per_n, d, a.squares);
    }
    /* Adds n samples of the same window to those about a pivot. */
    PRIM_DEVICE void move(about_pivot &to, const part &p, int32_t n) const
    {
        if (n == 0) return;
        move(to, p, real((uint32_t)n, 0), inverse_of_rows(n));
        to.n += n;
    }
    PRIM_DEVICE static void move(about_pivot &to, const part &p, double n, double per_n)
    {
        const double d = distance<Sample>(p.sum, n, to.pivot);
        to.sum += p.sum;
        to.squares += prim::multiply_add(d * per_n, d, p.squares);
    }
    PRIM_DEVICE part join(const part &a, int32_t of_a, const part &b, int32_t of_b) const
    {
        if (of_a == 0) return b;
        if (of_b == 0) return a;
        const double d = apart(a.sum * inverse_of(of_a), b.sum * inverse_of(of_b)),
                     weight = (double)of_a * of_b * inverse_of(of_a + of_b);
        return {a.sum + b.sum, a.squares + prim::multiply_add(d * weight, d, b.squares), of_a + of_b};
    }

    /* A column's window in row t.  Squares: where samples are counted, those about the mean; else n times as much,
     * which takes no quotient.  n is then the same for all columns of a row. */
    PRIM_DEVICE void store(shared &s, unsigned t, const column &m, double sum, double squares, double pivot,
                           int32_t n) const
    {
        store(s, t, m, sum, squares, pivot, n, real((uint32_t)n, 0));
    }
    PRIM_DEVICE void store(shared &s, unsigned t, const column &m, double sum, double squares, double pivot, int32_t n,
                           double real_n) const
    {
        if (!ONE_CHANNEL && !m.in_strip) return;
        const double d = prim::multiply_add(-real_n, pivot, sum);
        set(s, t, m, sum,
            COUNTED ? prim::multiply_add(-d * inverse_of(n), d, squares)
                    : prim::multiply_add(real_n, squares, -prim::product(d, d)),
            n);
    }
    PRIM_DEVICE void set(shared &s, unsigned t, const column &m, double sum, double squares, int32_t n) const
    {
        s.sums.template set_vector<2>(2 * (t * ROW + m.to), prim::vec<double, 2>{sum, squares});
        if constexpr (COUNTED) s.counts.set(t * NARROW_ROW + m.to_narrow, (uint32_t)n);
    }
    /* A window of two parts, each about a pivot of its own. */
    PRIM_DEVICE void store_joined(shared &s, unsigned t, const column &m, const about_pivot &a,
                                  const about_pivot &b) const
    {
        if (!ONE_CHANNEL && !m.in_strip) return;
        const int32_t n = a.n + b.n;
        const part all = n > 0 ? join(part_of(a), a.n, part_of(b), b.n) : part{}; /* a pivot may be no number */
        set(s, t, m, all.sum, COUNTED ? all.squares : n * all.squares, n);
    }

    /* ---- windows of STEP rows or less ---- */

    PRIM_DEVICE bool all_count(int32_t at) const
    {
        return !COUNTED && (repeats() || (at >= y.before && at + (int32_t)STEP + y.after <= y.n));
    }
    template <bool WHOLE, unsigned HEIGHT = STEP>
    PRIM_DEVICE void sum_low(shared &s, const column &m, unsigned first, int32_t high, int32_t top) const
    {
        if constexpr (HEIGHT > 1)
            if (high != (int32_t)HEIGHT) return sum_low<WHOLE, HEIGHT - 1>(s, m, first, high, top);
        const auto rows = load_rows<WHOLE, STEP + HEIGHT - 1>(s, first, m, top);
#pragma unroll
        for (unsigned t = 0; t < STEP; t++) {
            about_pivot window = {};
#pragma unroll
            for (unsigned k = t; k < t + HEIGHT; k++)
                if (rows.has(k)) window.add((double)rows.v[k]);
            store(s, t, m, window.sum, window.squares, window.pivot, window.n);
        }
    }
    PRIM_DEVICE void sum_near(shared &s, const column &m, unsigned first, int32_t high, int32_t at) const
    {
        if (all_count(at))
            sum_low<true>(s, m, first, high, at - y.before);
        else
            sum_low<false>(s, m, first, high, at - y.before);
    }

    /* ---- the queue ---- */

    /* In device memory an entry has the columns' sums and squares, and behind them their counts. */
    PRIM_DEVICE double *queue_at(int32_t entry) const
    {
        return scratch + ((int64_t)prim::block_id() * blocks + entry) * (Layout::QUEUE_MEMBERS * COLUMNS);
    }
    PRIM_DEVICE part queued(const shared &s, int32_t entry, const column &m) const
    {
        const unsigned at = (unsigned)entry * COLUMNS + m.at;
        const double *there = queue_at(entry);
        const prim::vec<double, 2> v =
            in_device() ? prim::load_vector<2>(there + 2 * m.at) : s.queue.template get_vector<2>(2 * at);
        part p = {v.at[0], v.at[1], 0};
        if constexpr (COUNTED)
            p.n = in_device() ? (int32_t)prim::load(there + 2 * COLUMNS + m.at) : (int32_t)s.queue_counts.get(at);
        return p;
    }
    PRIM_DEVICE void queue(shared &s, int32_t entry, const column &m, const part &p) const
    {
        const prim::vec<double, 2> v = {p.sum, p.squares};
        const unsigned at = (unsigned)entry * COLUMNS + m.at;
        if (in_device()) {
            prim::store_vector(queue_at(entry) + 2 * m.at, v);
            if constexpr (COUNTED) prim::store(queue_at(entry) + 2 * COLUMNS + m.at, (double)p.n);
        } else {
            s.queue.template set_vector<2>(2 * at, v);
            if constexpr (COUNTED) s.queue_counts.set(at, (uint32_t)p.n);
        }
    }

    /* float_columns::push().  row: the block's first one. */
    PRIM_DEVICE void push(shared &s, const column &m, column_state &state, int32_t entry, int32_t first,
                          const part &block, int32_t row) const
    {
        const int32_t step = (int32_t)STEP;
        queue(s, entry, m, block);
        if (entry != blocks - 1) {
            state.back =
                join(state.back, count(state.back, row - entry * step, row), block, count(block, row, row + step));
            return;
        }
        part sum = block;
#pragma unroll 1
        for (int32_t e = entry - 1; e >= first; e--) {
            row -= step;
            const part before = queued(s, e, m);
            sum =
                join(sum, count(sum, row + step, row + (entry - e + 1) * step), before, count(before, row, row + step));
            queue(s, e, m, sum);
        }
        state.back = {};
    }

    /* A whole block: the rest of n rows that count, and the first entering ones. */
    PRIM_DEVICE part block_of(const part &begin, int32_t n, about_pivot entering) const
    {
        if (entering.n == 0) return begin;
        move(entering, begin, n);
        return part_of(entering);
    }

    PRIM_DEVICE void begin_columns(shared &s, const thread_columns &m, column_state (&state)[OWN],
                                   const box::strip_source<Sample> &source, int32_t first, int32_t entry) const
    {
        const int32_t step = (int32_t)STEP, whole = first + blocks * step, end = whole + (newest ? step : 0) + rest;
        const int32_t first_entry = entry;
        const column &c = m.pair[0];
        bool turned = false;
        state[0].last_row = INT32_MIN;
#pragma unroll 1
        for (int32_t at = first; at < end; at += step) {
            this->copy_rows(s, source, at, end, 0);
            prim::copy_async_wait();
            prim::block_sync(); /* the rows above have come */
            about_pivot begin = {}, entering = {};
#pragma unroll 1
            for (int32_t k = 0; k < step && at + k < end; k++) {
                const Sample v = sample(s, (unsigned)k, c);
                if (!counts(s, (unsigned)k, c, v, at + k)) continue;
                state[0].last = v;
                state[0].last_row = at + k;
                if (k < rest)
                    begin.add((double)v);
                else
                    entering.add((double)v);
            }
            const part head = part_of(begin), block = block_of(head, begin.n, entering);
            if (at < whole)
                push(s, c, state[0], entry, turned ? 0 : first_entry, block, at);
            else if (end - at >= step)
                state[0].newest = block;
            else
                state[0].rest = head;
            turned = turned || entry == blocks - 1;
            entry = entry == blocks - 1 ? 0 : entry + 1;
            prim::block_sync(); /* and they are read */
        }
    }

    /* ---- windows of more than STEP rows ---- */

    /* Rows begin .. end - 1 of a column that count, about the first one of them. */
    template <class Rows> PRIM_DEVICE static about_pivot sum_of(const Rows &rows, unsigned begin, unsigned end)
    {
        Sample pivot = 0;
#pragma unroll
        for (unsigned t = STEP; t-- > 0;)
            if (t >= begin && t < end && rows.has(t)) pivot = rows.v[t];
        about_pivot sums = {0, 0, (double)pivot, 0};
#pragma unroll
        for (unsigned t = 0; t < STEP; t++)
            if (t >= begin && t < end && rows.has(t)) sums.add_near((double)rows.v[t]);
        return sums;
    }
    /* Entering rows up to the end of their block, and those behind it, `rest`: REST, if it is known when compiled, as
     * where samples are counted. */
    template <int REST = COUNTED ? (int)STEP - 1 : -1, class Rows>
    PRIM_DEVICE void take_apart(const Rows &enter, about_pivot &head, about_pivot &behind) const
    {
        if constexpr (REST > 0)
            if (rest != REST) return take_apart<REST - 1>(enter, head, behind);
        const unsigned split = STEP - (unsigned)(REST < 0 ? rest : REST);
        head = sum_of(enter, 0, split);
        behind = sum_of(enter, split, STEP);
    }

    /* float_columns::sum_around(), about a pivot that all windows hold: the first entering sample, or the last one of
     * the rows between that counts.  Where there is none, windows hold leaving and entering samples only, which are
     * summed about pivots of their own.  REST: rows of the rest; below zero: `rest` has them. */
    template <bool WHOLE, int REST>
    PRIM_DEVICE void sum_around(shared &s, const column &m, column_state &state, const part &oldest, int32_t entry,
                                int32_t at) const
    {
        const int32_t step = (int32_t)STEP, leaving = at - y.before, between = leaving + step,
                      entering = leaving + height - 1, newest_row = between + blocks * step,
                      rest_row = newest_row + (newest ? step : 0), split = step - (REST < 0 ? rest : REST),
                      turn = between + (blocks - entry) * step;
        const auto leave = load_rows<WHOLE, STEP>(s, 0, m, leaving),
                   enter = load_rows<WHOLE, STEP>(s, STEP, m, entering);
        if (enter.has(0)) {
            state.last = enter.v[0];
            state.last_row = entering;
        }
        const bool has_pivot = WHOLE || state.last_row >= between;
        double pivot = has_pivot ? (double)state.last : 0, entering_pivot = pivot;
        if (!has_pivot)
#pragma unroll
            for (unsigned t = 0; t < STEP; t++) {
                if (leave.has(t)) pivot = (double)leave.v[t];
                if (enter.has(STEP - 1 - t)) entering_pivot = (double)enter.v[STEP - 1 - t];
            }
        about_pivot middle = {0, 0, pivot, 0};
        const int32_t of_rest = REST == 0 ? 0 : count(state.rest, rest_row, entering);
        if constexpr (WHOLE) {
            if (REST != 0) move(middle, state.rest, real_rest, per_rest);
            if (newest) move(middle, state.newest, STEP, 1.0 / STEP);
            if (blocks > 0) {
                const int32_t n = (blocks - entry) * step;
                move(middle, oldest, n);
                move(middle, state.back, entry * step);
            }
        } else {
            move(middle, state.rest, of_rest);
            if (newest) move(middle, state.newest, count(state.newest, newest_row, rest_row));
            if (blocks > 0) {
                move(middle, oldest, count(oldest, between, turn));
                move(middle, state.back, count(state.back, turn, newest_row));
            }
        }
        if (blocks > 0) push(s, m, state, entry, 0, state.newest, newest_row);
        double sum[STEP], squares[STEP];
        int32_t n[STEP];
#pragma unroll
        for (unsigned k = 0; k < STEP; k++) {
            const unsigned t = STEP - 1 - k;
            if (leave.has(t)) middle.add_near((double)leave.v[t]);
            sum[t] = middle.sum;
            squares[t] = middle.squares;
            n[t] = middle.n;
        }
        /* head: the rows up to the end of the block, and own: those behind it.  Where all count, the former have the
         * same pivot as the windows. */
        about_pivot enters = {0, 0, entering_pivot, 0}, own = {}, head = {};
#pragma unroll
        for (unsigned t = 0; t < STEP; t++) {
            const double v = (double)enter.v[t];
            const bool behind = (int32_t)t >= split;
            if (enter.has(t)) {
                if (WHOLE && t == 0)
                    enters = {v, 0, v, 1};
                else
                    enters.add_near(v);
                if (WHOLE && behind) own.add(v);
            }
            if (WHOLE && (int32_t)t + 1 == split) head = enters;
            const double of_window = sum[t] + enters.sum, far = squares[t] + enters.squares;
            if constexpr (WHOLE)
                store(s, t, m, of_window, far, pivot, height, real_height);
            else if (has_pivot)
                store(s, t, m, of_window, far, pivot, n[t] + enters.n);
            else
                store_joined(s, t, m, {sum[t], squares[t], pivot, n[t]}, enters);
        }
        if (!WHOLE) take_apart(enter, head, own);
        const part block = block_of(state.rest, of_rest, head);
        state.rest = REST == 0 ? part{} : part_of(own);
        if (newest) state.newest = block;
#pragma unroll
        for (unsigned t = 0; t < STEP; t++)
            if (WHOLE ? t == STEP - 1 : enter.has(t)) {
                state.last = enter.v[t];
                state.last_row = entering + (int32_t)t;
            }
    }
    template <bool WHOLE, int REST = (int)STEP - 1>
    PRIM_DEVICE void sum_around_rest(shared &s, const column &m, column_state &state, const part &oldest, int32_t entry,
                                     int32_t at) const
    {
        if (rest == REST)
            sum_around<WHOLE, REST>(s, m, state, oldest, entry, at);
        else if constexpr (REST > 0)
            sum_around_rest<WHOLE, REST - 1>(s, m, state, oldest, entry, at);
    }
    PRIM_DEVICE void sum_far(shared &s, const column &m, column_state &state, const part &oldest, int32_t entry,
                             int32_t at) const
    {
        if (COUNTED || !all_count(at))
            sum_around<false, -1>(s, m, state, oldest, entry, at);
        else if constexpr (sizeof(Sample) == 4)
            sum_around_rest<true>(s, m, state, oldest, entry, at);
        else
            sum_around<true, -1>(s, m, state, oldest, entry, at);
    }
};

} // namespace window
#endif
