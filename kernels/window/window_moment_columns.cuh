/* window_moment_columns.cuh - sums and squared distances from the mean of a strip's columns (window_moments.cu). */
#ifndef WINDOW_MOMENT_COLUMNS_CUH
#define WINDOW_MOMENT_COLUMNS_CUH

#include <math.h>

#include "box/box_float_plan.cuh"

namespace window
{

/* Of a set of samples, which the caller counts: their sum, and the sum of their squared distances from their mean. */
struct part {
    double sum, squares;
};

/* a - b; 0 where that may be the rounding of a and b, of which neither is wrong by more than some units. */
PRIM_DEVICE double apart(double a, double b)
{
    const double d = a - b;
    return fabs(d) <= 0x1p-50 * fabs(b) ? 0 : d;
}

/* The sum of samples, and of their squared distances from a pivot, the first of them. */
struct about_pivot {
    double sum, squares, pivot;
    int32_t n;

    PRIM_DEVICE void add(double v)
    {
        if (n == 0) pivot = v;
        const double d = v - pivot;
        sum += v;
        squares = prim::multiply_add(d, d, squares);
        n++;
    }
};

/* Layout: PAIRS is not used.  A thread has OWN columns, every threads-th one. */
template <class Layout> struct moment_columns : box::float_copies<Layout> {
    using Sample = typename Layout::sample_type;
    using typename Layout::shared;
    static constexpr unsigned STEP = Layout::STEP_ROWS, QUEUE = Layout::QUEUED, OWN = Layout::COLUMNS / Layout::threads;
    using Layout::COLUMNS, Layout::ROW, Layout::SLOTS, Layout::threads, Layout::x, Layout::y, Layout::pixels,
        Layout::height, Layout::blocks, Layout::rest, Layout::newest, Layout::scratch, Layout::channel_count,
        Layout::pixel_of, Layout::place, Layout::shrinks, Layout::takes_value, Layout::lead, Layout::strip;

    const double *inverse;        /* 1 / n; 0 of 0 */
    double per_height, per_width; /* 1 / the rows and the columns of a whole window */
    PRIM_DEVICE double inverse_of(int32_t n) const { return prim::load(inverse + n); }

    struct column {
        unsigned at; /* place in a row of samples */
        uint32_t to; /* place in a row of sums */
        bool in_strip, in_image;
    };
    struct thread_columns {
        column pair[OWN];
    };
    using column_part = part;
    struct column_state {
        part newest, rest, back; /* as float_columns has them */
    };

    PRIM_DEVICE thread_columns columns_of_thread(int32_t left) const
    {
        thread_columns m;
#pragma unroll
        for (unsigned p = 0; p < OWN; p++) {
            column &c = m.pair[p];
            c.at = prim::thread_id() + p * threads;
            const uint32_t pixel = pixel_of(c.at);
            c.in_strip = pixel < (uint32_t)pixels;
            c.in_image = this->source_of_pixel(left, pixel) >= 0;
            c.to = place(pixel, c.at - pixel * channel_count());
        }
        return m;
    }
    PRIM_DEVICE static void clear(shared &s)
    {
        for (unsigned i = prim::thread_id(); i < STEP * ROW; i += threads) {
            s.sums.set(i, 0);
            s.squares.set(i, 0);
        }
    }

    /* Rows first .. end - 1 of windows that count; all do where the border repeats rows. */
    PRIM_DEVICE bool counts(int32_t row) const
    {
        return !(shrinks || takes_value) || (row >= 0 && row < y.n);
    }
    PRIM_DEVICE int32_t count(int32_t first, int32_t end) const
    {
        if (!(shrinks || takes_value)) return end - first;
        first = first > 0 ? first : 0;
        end = end < y.n ? end : y.n;
        return end > first ? end - first : 0;
    }
    PRIM_DEVICE static double sample(const shared &s, unsigned slot, const column &m)
    {
        return (double)s.rows.get(slot * COLUMNS + m.at);
    }

    /* ---- parts ---- */

    PRIM_DEVICE part part_of(const about_pivot &a) const
    {
        const double d = a.n > 0 ? apart(a.sum * inverse_of(a.n), a.pivot) : 0;
        return {a.sum, prim::multiply_add(-d * a.n, d, a.squares)};
    }
    /* Adds n samples of the same window to those about a pivot. */
    PRIM_DEVICE void move(double &sum, double &squares, double pivot, const part &p, int32_t n) const
    {
        if (n > 0) move(sum, squares, pivot, p, n, n == (int32_t)STEP ? 1.0 / STEP : inverse_of(n));
    }
    PRIM_DEVICE static void move(double &sum, double &squares, double pivot, const part &p, double n, double per_n)
    {
        const double d = apart(p.sum * per_n, pivot);
        sum += p.sum;
        squares += prim::multiply_add(d * n, d, p.squares);
    }
    PRIM_DEVICE part join(const part &a, int32_t of_a, const part &b, int32_t of_b) const
    {
        if (of_a == 0) return b;
        if (of_b == 0) return a;
        const double d = apart(a.sum * inverse_of(of_a), b.sum * inverse_of(of_b)),
                     weight = (double)of_a * of_b * inverse_of(of_a + of_b);
        return {a.sum + b.sum, a.squares + prim::multiply_add(d * weight, d, b.squares)};
    }

    /* The mean of a column's window and its variance, both of n samples about a pivot. */
    PRIM_DEVICE void store(shared &s, unsigned t, const column &m, double sum, double squares, double pivot, double n,
                           double per_n) const
    {
        if (!m.in_strip) return;
        const double mean = box::corrected_quotient(sum, n, per_n), d = mean - pivot,
                     variance = prim::multiply_add(squares, per_n, -d * d);
        s.sums.set(t * ROW + m.to, mean == mean ? mean : sum);
        s.squares.set(t * ROW + m.to, m.in_image ? variance < 0 ? 0 : variance : -1);
    }

    /* ---- windows of STEP rows or less ---- */

    PRIM_DEVICE bool all_count(int32_t at) const
    {
        return !(shrinks || takes_value) || (at >= y.before && at + (int32_t)STEP + y.after <= y.n);
    }
    template <unsigned HEIGHT = STEP>
    PRIM_DEVICE void sum_whole(shared &s, const column &m, unsigned first, int32_t high) const
    {
        if constexpr (HEIGHT > 1)
            if (high != (int32_t)HEIGHT) return sum_whole<HEIGHT - 1>(s, m, first, high);
        Sample v[STEP + HEIGHT - 1];
#pragma unroll
        for (unsigned k = 0; k < STEP + HEIGHT - 1; k++) v[k] = s.rows.get((first + k) % SLOTS * COLUMNS + m.at);
#pragma unroll
        for (unsigned t = 0; t < STEP; t++) {
            const double pivot = (double)v[t];
            double sum = pivot, squares = 0;
#pragma unroll
            for (unsigned k = 1; k < HEIGHT; k++) {
                const double d = (double)v[t + k] - pivot;
                sum += (double)v[t + k];
                squares = prim::multiply_add(d, d, squares);
            }
            store(s, t, m, sum, squares, pivot, HEIGHT, per_height);
        }
    }
    PRIM_DEVICE void sum_near(shared &s, const column &m, unsigned first, int32_t high, int32_t at) const
    {
        if (all_count(at)) return sum_whole(s, m, first, high);
#pragma unroll 1
        for (unsigned t = 0; t < STEP; t++) {
            about_pivot window = {};
            for (int32_t k = 0; k < high; k++)
                if (counts(at - y.before + (int32_t)t + k)) window.add(sample(s, (first + t + (unsigned)k) % SLOTS, m));
            store(s, t, m, window.sum, window.squares, window.pivot, window.n, inverse_of(window.n));
        }
    }

    /* ---- the queue ---- */

    PRIM_DEVICE bool in_device() const
    {
        return blocks > (int32_t)QUEUE;
    }
    PRIM_DEVICE double *queue_at(int32_t entry, const column &m) const
    {
        return scratch + ((int64_t)prim::block_id() * blocks + entry) * 2 * COLUMNS + 2 * m.at;
    }
    PRIM_DEVICE part queued(const shared &s, int32_t entry, const column &m) const
    {
        using two = prim::vec<double, 2>;
        const two v = in_device() ? prim::load_vector<2>((const double *)queue_at(entry, m))
                                  : s.queue.template get_vector<2>(2 * ((unsigned)entry * COLUMNS + m.at));
        return {v.at[0], v.at[1]};
    }
    PRIM_DEVICE void queue(shared &s, int32_t entry, const column &m, const part &p) const
    {
        const prim::vec<double, 2> v = {p.sum, p.squares};
        if (in_device())
            prim::store_vector(queue_at(entry, m), v);
        else
            s.queue.template set_vector<2>(2 * ((unsigned)entry * COLUMNS + m.at), v);
    }

    /* float_columns::push().  row: the block's first one. */
    PRIM_DEVICE void push(shared &s, const column &m, column_state &state, int32_t entry, int32_t first,
                          const part &block, int32_t row) const
    {
        const int32_t step = (int32_t)STEP, own = count(row, row + step);
        queue(s, entry, m, block);
        if (entry != blocks - 1) {
            state.back = join(state.back, count(row - entry * step, row), block, own);
            return;
        }
        part sum = block;
#pragma unroll 1
        for (int32_t e = entry - 1; e >= first; e--) {
            row -= step;
            sum = join(sum, count(row + step, row + (entry - e + 1) * step), queued(s, e, m), count(row, row + step));
            queue(s, e, m, sum);
        }
        state.back = {};
    }

    /* A whole block: the rest, and the first entering rows. */
    PRIM_DEVICE part block_of(const part &begin, int32_t n, const about_pivot &entering) const
    {
        if (entering.n == 0) return begin;
        about_pivot all = entering;
        move(all.sum, all.squares, all.pivot, begin, n);
        all.n += n;
        return part_of(all);
    }

    PRIM_DEVICE void begin_columns(shared &s, const thread_columns &m, column_state (&state)[OWN],
                                   const box::strip_source<Sample> &source, int32_t first, int32_t entry) const
    {
        const int32_t step = (int32_t)STEP, whole = first + blocks * step, end = whole + (newest ? step : 0) + rest;
        const int32_t first_entry = entry;
        bool turned = false;
#pragma unroll 1
        for (int32_t at = first; at < end; at += step) {
            this->copy_rows(s, source, at, end, 0);
            prim::copy_async_wait();
            prim::block_sync(); /* the rows above have come */
#pragma unroll
            for (unsigned p = 0; p < OWN; p++) {
                const column &c = m.pair[p];
                about_pivot begin = {}, entering = {};
#pragma unroll 1
                for (int32_t k = 0; k < step && at + k < end; k++) {
                    const double v = sample(s, (unsigned)k, c);
                    if (!counts(at + k)) continue;
                    if (k < rest)
                        begin.add(v);
                    else
                        entering.add(v);
                }
                const part head = part_of(begin), block = block_of(head, begin.n, entering);
                if (at < whole)
                    push(s, c, state[p], entry, turned ? 0 : first_entry, block, at);
                else if (end - at >= step)
                    state[p].newest = block;
                else
                    state[p].rest = head;
            }
            turned = turned || entry == blocks - 1;
            entry = entry == blocks - 1 ? 0 : entry + 1;
            prim::block_sync(); /* and they are read */
        }
    }

    /* ---- windows of more than STEP rows ---- */

    /* float_columns::sum_around(), about a pivot that all windows hold: the first entering row, or where that lies
     * beyond the image, the last leaving one that does not.  Where both do, all windows are the rows between.  WHOLE:
     * all rows count. */
    template <bool WHOLE>
    PRIM_DEVICE void sum_around(shared &s, const column &m, column_state &state, const part &oldest, int32_t entry,
                                int32_t at) const
    {
        const int32_t step = (int32_t)STEP, leaving = at - y.before, between = leaving + step,
                      entering = leaving + height - 1, newest_row = between + blocks * step,
                      rest_row = newest_row + (newest ? step : 0), split = step - rest,
                      turn = between + (blocks - entry) * step;
        const auto has = [&](int32_t row) { return WHOLE || counts(row); };
        double sum[STEP], squares[STEP], pivot = 0;
        bool has_pivot = has(entering);
        if (has_pivot) pivot = sample(s, STEP, m);
        if constexpr (!WHOLE)
#pragma unroll
            for (unsigned k = 0; k < STEP; k++) {
                const unsigned t = STEP - 1 - k;
                if (has_pivot || !counts(leaving + (int32_t)t)) continue;
                has_pivot = true;
                pivot = sample(s, t, m);
            }
        double all = 0, far = 0;
        if (WHOLE || has_pivot) {
            if (blocks > 0) {
                move(all, far, pivot, oldest, count(between, turn));
                move(all, far, pivot, state.back, count(turn, newest_row));
            }
            if (newest) move(all, far, pivot, state.newest, count(newest_row, rest_row));
            move(all, far, pivot, state.rest, count(rest_row, entering));
        } else {
            part middle = state.rest;
            if (newest) middle = join(middle, count(rest_row, entering), state.newest, count(newest_row, rest_row));
            if (blocks > 0) {
                middle = join(middle, count(newest_row, entering), state.back, count(turn, newest_row));
                middle = join(middle, count(turn, entering), oldest, count(between, turn));
            }
            all = middle.sum, far = middle.squares;
        }
        if (blocks > 0) push(s, m, state, entry, 0, state.newest, newest_row);
#pragma unroll
        for (unsigned k = 0; k < STEP; k++) {
            const unsigned t = STEP - 1 - k;
            if (has(leaving + (int32_t)t)) {
                const double v = sample(s, t, m), d = v - pivot;
                all += v;
                far = prim::multiply_add(d, d, far);
            }
            sum[t] = all;
            squares[t] = far;
        }
        Sample enter[STEP]; /* all loads before all stores */
#pragma unroll
        for (unsigned t = 0; t < STEP; t++) enter[t] = s.rows.get((STEP + t) * COLUMNS + m.at);
        about_pivot enters = {0, 0, pivot, 0}, after = {};
        part block = {};
#pragma unroll
        for (unsigned t = 0; t < STEP; t++) {
            const double v = (double)enter[t];
            if (has(entering + (int32_t)t)) {
                const double d = v - pivot;
                enters.sum += v;
                enters.squares = prim::multiply_add(d, d, enters.squares);
                enters.n++;
                if (WHOLE && (int32_t)t >= split) {
                    if ((int32_t)t == split) after.pivot = v;
                    const double apart_after = v - after.pivot;
                    after.sum += v;
                    after.squares = prim::multiply_add(apart_after, apart_after, after.squares);
                } else if ((int32_t)t >= split) {
                    after.add(v);
                }
            }
            if ((int32_t)t + 1 == split) block = block_of(state.rest, count(rest_row, entering), enters);
            const int32_t n = WHOLE ? height : count(leaving + (int32_t)t, entering + (int32_t)t + 1);
            const double s1 = sum[t] + enters.sum, s2 = squares[t] + enters.squares;
            const double per_n = WHOLE ? per_height : inverse_of(n);
            store(s, t, m, s1, s2, WHOLE || has_pivot ? pivot : s1 * per_n, n, per_n);
        }
        if (WHOLE) after.n = rest;
        state.rest = part_of(after);
        if (newest) state.newest = block;
    }
    PRIM_DEVICE void sum_far(shared &s, const column &m, column_state &state, const part &oldest, int32_t entry,
                             int32_t at, bool) const
    {
        if (all_count(at))
            sum_around<true>(s, m, state, oldest, entry, at);
        else
            sum_around<false>(s, m, state, oldest, entry, at);
    }
};

} // namespace window
#endif
