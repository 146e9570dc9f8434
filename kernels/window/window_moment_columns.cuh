/* window_moment_columns.cuh - counts, sums and squared distances from the mean of a strip's columns
 * (window_moments.cu). */
#ifndef WINDOW_MOMENT_COLUMNS_CUH
#define WINDOW_MOMENT_COLUMNS_CUH

#include <math.h>

#include "box/box_float_plan.cuh"
#include "window/window_finish.cuh"
#include "window/window_moment_counts.cuh"

namespace window
{

/* Of a set of samples: their sum, the sum of their squared distances from their mean; and their number, where samples
 * are counted: elsewhere the caller knows it. */
struct part {
    double sum, squares;
    int32_t n;
};

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
template <class Layout> struct moment_columns : moment_counting<Layout> {
    using Sample = typename Layout::sample_type;
    using typename Layout::shared;
    using base = moment_counting<Layout>;
    using base::count, base::repeats;
    using typename base::column;
    using typename base::counting_state;
    using typename base::row_bits;
    static constexpr bool COUNTED = Layout::HAS_COUNTS;
    static constexpr unsigned STEP = Layout::STEP_ROWS, RUN = Layout::RUN_PIXELS, OWN = 1;
    using Layout::COLUMNS, Layout::ROW, Layout::NARROW_ROW, Layout::SLOTS, Layout::ONE_CHANNEL, Layout::threads,
        Layout::y, Layout::pixels, Layout::height, Layout::blocks, Layout::rest, Layout::newest, Layout::channel_count,
        Layout::pixel_of;

    const double *count_table; /* pairs: n; 1 / n, 0 of 0 */
    /* Rows and columns of a whole window; 1 / of its columns; of its rest. */
    double real_height, real_width, per_width, real_rest, per_rest;
    struct real_count {
        double n, per_n;
    };
    PRIM_DEVICE real_count real_of(int32_t n) const
    {
        const prim::vec<double, 2> pair = prim::load_vector<2>(count_table + 2 * (int64_t)n);
        return {pair.at[0], pair.at[1]};
    }
    PRIM_DEVICE double inverse_of(int32_t n) const { return real_of(n).per_n; }

    struct thread_columns {
        column pair[OWN];
    };
    using column_part = part;
    struct column_state {
        part newest, rest, back; /* as float_columns has them */
        Sample last;             /* of the rows up to the last one that entered, the last that counts */
        int32_t last_row;
        counting_state counting;
    };

    /* float_columns::has_columns(): all are summed. */
    PRIM_DEVICE static bool has_columns(const column &) { return true; }

    PRIM_DEVICE thread_columns columns_of_thread(int32_t left) const
    {
        const unsigned at = prim::thread_id();
        const uint32_t pixel = pixel_of(at), run = run_of(pixel, at - pixel * channel_count());
        const row_bits present = this->source_of_pixel(left, pixel) >= 0 ? base::STEP_BITS : 0;
        return {{{{at, {pixel}, present},
                  place(run, pixel % RUN),
                  narrow_place(run, pixel % RUN),
                  pixel < (uint32_t)pixels}}};
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

    PRIM_DEVICE int32_t count(const part &p, int32_t first, int32_t end) const
    {
        return COUNTED ? p.n : count(first, end);
    }
    PRIM_DEVICE static Sample sample(const shared &s, unsigned slot, const column &m)
    {
        return s.rows.get(slot * COLUMNS + m.at);
    }

    /* Neighbouring rows, from a slot of the ring below SLOTS on. */
    template <unsigned ROWS>
    PRIM_DEVICE static void load_rows(const shared &s, unsigned slot, const column &m, Sample (&v)[ROWS])
    {
#pragma unroll
        for (unsigned t = 0; t < ROWS; t++) v[t] = sample(s, slot + t < SLOTS ? slot + t : slot + t - SLOTS, m);
    }

    /* ---- parts ---- */

    PRIM_DEVICE part part_of(const about_pivot &a) const
    {
        const real_count of = real_of(a.n);
        return {a.sum, part_squares(a, of.n, of.per_n), a.n};
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
        const real_count of = real_of(n);
        move(to, p, of.n, of.per_n);
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
        const real_count of = real_of(n);
        store(s, t, m, sum, squares, pivot, n, of.n, of.per_n);
    }
    PRIM_DEVICE void store(shared &s, unsigned t, const column &m, double sum, double squares, double pivot, int32_t n,
                           double real_n, double per_n = 0) const
    {
        if (!ONE_CHANNEL && !m.in_strip) return;
        const double d = prim::multiply_add(-real_n, pivot, sum);
        set(s, t, m, sum,
            COUNTED ? prim::multiply_add(-d * per_n, d, squares)
                    : prim::multiply_add(real_n, squares, -prim::product(d, d)),
            n);
    }
    PRIM_DEVICE void set(shared &s, unsigned t, const column &m, double sum, double squares, int32_t n) const
    {
        s.sums.template set_vector<2>(2 * (t * ROW + m.to), prim::vec<double, 2>{sum, squares});
        if constexpr (COUNTED) s.counts.set(t * NARROW_ROW + m.to_narrow, (uint32_t)n);
    }

    /* ---- windows of STEP rows or less ---- */

    PRIM_DEVICE bool all_count(int32_t at) const
    {
        return !COUNTED && (repeats() || (at >= y.before && at + (int32_t)STEP + y.after <= y.n));
    }
    /* All rows count; or, where samples are counted, those that `rows` has. */
    template <unsigned HEIGHT = STEP>
    PRIM_DEVICE void sum_low(shared &s, const column &m, unsigned first, int32_t high, row_bits rows) const
    {
        if constexpr (HEIGHT > 1)
            if (high != (int32_t)HEIGHT) return sum_low<HEIGHT - 1>(s, m, first, high, rows);
        Sample v[STEP + HEIGHT - 1];
        load_rows(s, first, m, v);
#pragma unroll
        for (unsigned t = 0; t < STEP; t++) {
            about_pivot window = {};
#pragma unroll
            for (unsigned k = t; k < t + HEIGHT; k++)
                if (!COUNTED || (rows >> k & 1)) window.add((double)v[k]);
            store(s, t, m, window.sum, window.squares, window.pivot, window.n);
        }
    }
    /* Some rows are outside the image, and count nothing: `rows` has those inside. */
    PRIM_DEVICE void sum_cut(shared &s, const column &m, unsigned first, unsigned high, row_bits rows) const
    {
#pragma unroll 1
        for (unsigned t = 0; t < STEP; t++) {
            about_pivot window = {};
#pragma unroll 1
            for (unsigned k = t; k < t + high; k++)
                if (rows >> k & 1) window.add((double)sample(s, (first + k) % SLOTS, m));
            store(s, t, m, window.sum, window.squares, window.pivot, window.n);
        }
    }
    PRIM_DEVICE void sum_near(shared &s, const column &m, const column_state &state, unsigned first, int32_t high,
                              int32_t at) const
    {
        if (COUNTED || all_count(at))
            sum_low(s, m, first, high, state.counting.enters);
        else
            sum_cut(s, m, first, (unsigned)high, this->rows_inside(at - y.before, STEP + (unsigned)high - 1));
    }

    /* ---- the queue ---- */

    /* An entry has the columns' sums and squares, and behind them their counts. */
    PRIM_DEVICE part queued(const shared &, int32_t entry, const column &m) const
    {
        const double *from = this->queue_at(entry);
        const prim::vec<double, 2> v = prim::load_vector<2>(from + 2 * m.at);
        return {v.at[0], v.at[1], COUNTED ? (int32_t)prim::load(from + 2 * COLUMNS + m.at) : 0};
    }
    PRIM_DEVICE void queue(int32_t entry, const column &m, const part &p) const
    {
        double *to = this->queue_at(entry);
        prim::store_vector(to + 2 * m.at, prim::vec<double, 2>{p.sum, p.squares});
        if constexpr (COUNTED) prim::store(to + 2 * COLUMNS + m.at, (double)p.n);
    }

    /* float_columns::push().  row: the block's first one. */
    PRIM_DEVICE void push(const shared &s, const column &m, column_state &state, int32_t entry, int32_t first,
                          const part &block, int32_t row) const
    {
        const int32_t step = (int32_t)STEP;
        queue(entry, m, block);
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
            queue(e, m, sum);
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

    /* Which rows of a step count, where samples are counted. */
    PRIM_DEVICE void count_step(shared &s, const column &m, column_state &state, unsigned half, bool begins) const
    {
        if (height <= (int32_t)STEP)
            this->count_near(s, m, state.counting, half, begins);
        else
            this->count_far(s, m, state.counting);
    }

    PRIM_DEVICE void begin_columns(shared &s, const thread_columns &m, column_state (&state)[OWN],
                                   const box::strip_source<Sample> &source, int32_t first, int32_t entry) const
    {
        const int32_t step = (int32_t)STEP, whole = first + blocks * step, end = whole + (newest ? step : 0) + rest;
        const int32_t first_entry = entry;
        const column &c = m.pair[0];
        bool turned = false;
        uint32_t in_ring = 0;
        state[0].last_row = INT32_MIN;
#pragma unroll 1
        for (int32_t at = first - (COUNTED ? step : 0); at < end; at += step) {
            this->copy_rows(s, source, at, end, 0, true);
            prim::copy_async_wait();
            prim::block_sync(); /* the rows above have come */
            const unsigned rows = end - at < step ? (unsigned)(end - at) : STEP;
            const row_bits counting =
                COUNTED ? this->begin_counts(s, c, state[0].counting, in_ring++, rows) : this->rows_inside(at, rows);
            about_pivot begin = {}, entering = {};
#pragma unroll 1
            for (int32_t k = 0; at >= first && k < (int32_t)rows; k++) {
                if (!(counting >> k & 1)) continue;
                const Sample v = sample(s, (unsigned)k, c);
                state[0].last = v;
                state[0].last_row = at + k;
                if (k < rest)
                    begin.add((double)v);
                else
                    entering.add((double)v);
            }
            if (at >= first) {
                const part head = part_of(begin), block = block_of(head, begin.n, entering);
                if (at < whole)
                    push(s, c, state[0], entry, turned ? 0 : first_entry, block, at);
                else if (end - at >= step)
                    state[0].newest = block;
                else
                    state[0].rest = head;
                turned = turned || entry == blocks - 1;
                entry = entry == blocks - 1 ? 0 : entry + 1;
            }
            prim::block_sync(); /* and they are read */
        }
    }

    /* ---- windows of more than STEP rows ---- */

    /* float_columns::sum_around(), about a pivot that all windows hold: the first entering sample, or the last one that
     * has entered.  WHOLE: all rows are in the image; else the others count nothing, and windows that have none of them
     * have the same bits.  REST: rows of the rest; below zero: `rest` has them. */
    template <bool WHOLE, int REST>
    PRIM_DEVICE void sum_around(shared &s, const column &m, column_state &state, const part &oldest, int32_t entry,
                                int32_t at) const
    {
        const int32_t step = (int32_t)STEP, leaving = at - y.before, between = leaving + step,
                      entering = leaving + height - 1, newest_row = between + blocks * step,
                      rest_row = newest_row + (newest ? step : 0), split = step - (REST < 0 ? rest : REST),
                      turn = between + (blocks - entry) * step;
        const row_bits leaves = WHOLE ? 0 : this->rows_inside(leaving, STEP),
                       enters_bits = WHOLE ? 0 : this->rows_inside(entering, STEP);
        Sample leave[STEP], enter[STEP];
        load_rows(s, 0, m, leave);
        load_rows(s, STEP, m, enter);
        const double pivot = (double)(WHOLE || (enters_bits & 1) ? enter[0] : state.last);
        about_pivot middle = {0, 0, pivot, 0};
        const int32_t of_rest = WHOLE ? (REST < 0 ? rest : REST) : count(rest_row, entering);
        if constexpr (WHOLE) {
            if (REST != 0) move(middle, state.rest, real_rest, per_rest);
            if (newest) move(middle, state.newest, STEP, 1.0 / STEP);
            if (blocks > 0) {
                move(middle, oldest, (blocks - entry) * step);
                move(middle, state.back, entry * step);
            }
        } else {
            move(middle, state.rest, of_rest);
            if (newest) move(middle, state.newest, count(newest_row, rest_row));
            if (blocks > 0) {
                move(middle, oldest, count(between, turn));
                move(middle, state.back, count(turn, newest_row));
            }
        }
        if (blocks > 0) push(s, m, state, entry, 0, state.newest, newest_row);
        double sum[STEP], squares[STEP];
#pragma unroll
        for (unsigned k = 0; k < STEP; k++) {
            const unsigned t = STEP - 1 - k;
            if (WHOLE || (leaves >> t & 1)) middle.add_near((double)leave[t]);
            sum[t] = middle.sum;
            squares[t] = middle.squares;
        }
        /* head: the rows up to the end of the block, which have the windows' pivot; own: those behind it. */
        about_pivot enters = {0, 0, pivot, 0}, own = {}, head = {};
        int32_t n = middle.n;
#pragma unroll
        for (unsigned t = 0; t < STEP; t++) {
            const double v = (double)enter[t];
            if (WHOLE && t == 0) {
                enters = {v, 0, v, 1};
                if (split == 0) own.add(v);
            } else if (WHOLE || (enters_bits >> t & 1)) {
                enters.add_near(v);
                if ((int32_t)t >= split) own.add(v);
            }
            if ((int32_t)t + 1 == split) head = enters;
            if constexpr (WHOLE) {
                store(s, t, m, sum[t] + enters.sum, squares[t] + enters.squares, pivot, height, real_height);
            } else {
                store(s, t, m, sum[t] + enters.sum, squares[t] + enters.squares, pivot, n + enters.n);
                n -= leaves >> t & 1;
            }
        }
        const part block = block_of(state.rest, of_rest, head);
        state.rest = REST == 0 ? part{} : part_of(own);
        if (newest) state.newest = block;
        if (WHOLE || enters_bits != 0)
            state.last = WHOLE ? enter[STEP - 1] : sample(s, STEP + prim::highest_bit(enters_bits), m);
    }

    /* The entering rows: those up to the end of their block, then those behind it; about the first one that counts. */
    struct entering_rows {
        about_pivot sums;
        double n;               /* as sums.n */
        double half_sum, twice; /* half the sum of its pivot and the windows', twice their difference */

        PRIM_DEVICE void begin(double own_pivot, double pivot)
        {
            sums = {0, 0, own_pivot, 0};
            n = 0;
            half_sum = prim::multiply_add(0.5, own_pivot, 0.5 * pivot);
            twice = 2 * (own_pivot - pivot);
        }
        PRIM_DEVICE void add(double v)
        {
            sums.add_near(v);
            n += 1;
        }
        /* Squared distances from the windows' pivot: where q is the other one, those from q and, of each sample,
         * (x - p)^2 - (x - q)^2 = 2 (q - p) (x - (p + q) / 2). */
        PRIM_DEVICE double squares() const
        {
            return prim::multiply_add(twice, prim::multiply_add(-n, half_sum, sums.sum), sums.squares);
        }
    };
    PRIM_DEVICE static double first_of(const shared &s, const column &m, row_bits rows)
    {
        const row_bits some = rows | 1u << (STEP - 1);
        return (double)sample(s, STEP + prim::highest_bit(some & (0 - some)), m);
    }

    /* Where samples are counted.  The pivot is the last sample that counts, up to the first entering row.  If it
     * lies in a leaving row, windows below that row have only entering samples. */
    PRIM_DEVICE void sum_some(shared &s, const column &m, column_state &state, const part &oldest, int32_t entry,
                              int32_t at) const
    {
        const int32_t step = (int32_t)STEP, leaving = at - y.before, between = leaving + step,
                      entering = leaving + height - 1, newest_row = between + blocks * step, split = step - rest;
        const row_bits leaves = state.counting.leaves, enters = state.counting.enters;
        Sample leave[STEP], enter[STEP];
        load_rows(s, 0, m, leave);
        if (enters & 1) {
            state.last = sample(s, STEP, m);
            state.last_row = entering;
        }
        const bool in_all = state.last_row >= between;
        const uint32_t behind = leaves != 0 ? prim::highest_bit(leaves) + 1 : 0; /* rows up to the last that counts */
        const double pivot = in_all ? (double)state.last : behind > 0 ? (double)sample(s, behind - 1, m) : 0;
        about_pivot middle = {0, 0, pivot, 0};
        move(middle, state.rest, state.rest.n);
        if (newest) move(middle, state.newest, state.newest.n);
        if (blocks > 0) {
            move(middle, oldest, oldest.n);
            move(middle, state.back, state.back.n);
            push(s, m, state, entry, 0, state.newest, newest_row);
        }
        double sum[STEP], squares[STEP];
        int32_t n = middle.n;
#pragma unroll
        for (unsigned k = 0; k < STEP; k++) {
            const unsigned t = STEP - 1 - k;
            const bool counts = leaves >> t & 1;
            const double v = (double)(counts ? leave[t] : Sample(0)), d = counts ? v - pivot : 0;
            middle.sum += v;
            middle.squares = prim::multiply_add(d, d, middle.squares);
            n += counts;
            sum[t] = middle.sum;
            squares[t] = middle.squares;
        }
        load_rows(s, STEP, m, enter);
        entering_rows enter_rows;
        about_pivot head = {};
        double head_sum = 0, head_squares = 0;
        enter_rows.begin(first_of(s, m, enters), pivot);
#pragma unroll
        for (unsigned t = 0; t < STEP; t++) {
            if (rest > 0 && (int32_t)t == split) {
                head = enter_rows.sums;
                head_sum = head.sum;
                head_squares = head.n > 0 ? enter_rows.squares() : 0;
                enter_rows.begin(first_of(s, m, enters & ~0u << split), pivot);
            }
            const bool counts = enters >> t & 1;
            if (counts) enter_rows.add((double)enter[t]);
            double far = squares[t] + head_squares;
            if (enter_rows.sums.n > 0) far += enter_rows.squares();
            n += counts;
            store(s, t, m, sum[t] + (head_sum + enter_rows.sums.sum), far, pivot, n);
            n -= leaves >> t & 1;
        }
        if (!in_all && (leaves | enters) != 0) sum_entering(s, m, enters, behind);
        if (rest == 0) head = enter_rows.sums;
        const part block = block_of(state.rest, state.rest.n, head);
        state.rest = rest == 0 ? part{} : part_of(enter_rows.sums);
        if (newest) state.newest = block;
        if (enters != 0) {
            const unsigned last = prim::highest_bit(enters);
            state.last = sample(s, STEP + last, m);
            state.last_row = entering + (int32_t)last;
        }
    }
    /* Windows from row `first` on of which only entering rows have samples. */
    PRIM_DEVICE void sum_entering(shared &s, const column &m, row_bits enters, unsigned first) const
    {
        about_pivot sums = {};
#pragma unroll 1
        for (unsigned t = 0; t < STEP; t++) {
            if (enters >> t & 1) sums.add((double)sample(s, STEP + t, m));
            if (t >= first) store(s, t, m, sums.sum, sums.squares, sums.pivot, sums.n);
        }
    }
    template <int REST = (int)STEP - 1>
    PRIM_DEVICE void sum_around_rest(shared &s, const column &m, column_state &state, const part &oldest, int32_t entry,
                                     int32_t at) const
    {
        if (rest == REST)
            sum_around<true, REST>(s, m, state, oldest, entry, at);
        else if constexpr (REST > 0)
            sum_around_rest<REST - 1>(s, m, state, oldest, entry, at);
    }
    PRIM_DEVICE void sum_far(shared &s, const column &m, column_state &state, const part &oldest, int32_t entry,
                             int32_t at) const
    {
        if constexpr (COUNTED)
            sum_some(s, m, state, oldest, entry, at);
        else if (!all_count(at))
            sum_around<false, -1>(s, m, state, oldest, entry, at);
        else if constexpr (sizeof(Sample) == 4)
            sum_around_rest(s, m, state, oldest, entry, at);
        else
            sum_around<true, -1>(s, m, state, oldest, entry, at);
    }
};

} // namespace window
#endif
