/* box_float_columns.cuh - the sums of a strip's columns, by additions only (box_float.cu). */
#ifndef BOX_FLOAT_COLUMNS_CUH
#define BOX_FLOAT_COLUMNS_CUH

#include "box/box_float_copies.cuh"

namespace box
{

template <class Layout> struct float_columns : float_copies<Layout> {
    using Sample = typename Layout::sample_type;
    using typename Layout::shared;
    using typename Layout::two;
    static constexpr unsigned STEP = Layout::STEP_ROWS, QUEUE = Layout::QUEUED;
    using typename float_copies<Layout>::strip_source;
    using Layout::COLUMNS, Layout::PAIRS, Layout::ROW, Layout::SLOTS, Layout::threads, Layout::ONE_CHANNEL,
        Layout::pixels, Layout::blocks, Layout::rest, Layout::newest, Layout::scratch, Layout::weighted,
        Layout::channel_count, Layout::pixel_of, Layout::place;

    /* Two neighbouring columns of a thread. */
    struct column_pair {
        unsigned at;       /* the first one's place in a row of samples */
        uint32_t to[2];    /* place in a row of sums */
        uint32_t alpha[2]; /* the place of the pixel's alpha, if the column is weighted by it; else none */
        bool in_strip[2];
    };
    struct thread_columns {
        column_pair pair[PAIRS];
    };
    static constexpr uint32_t NONE = ~0u;

    /* Sums of a column's windows, of two columns. */
    struct column_state {
        two newest;     /* of the last whole block, which the queue has not yet */
        two rest;       /* of the rows behind it */
        double back[2]; /* of the blocks since the queue's last turn */
    };

    PRIM_DEVICE column_pair pair_of_thread(unsigned p) const
    {
        column_pair m = {};
        m.at = 2 * (prim::thread_id() + p * threads);
#pragma unroll
        for (unsigned i = 0; i < 2; i++) {
            const uint32_t pixel = pixel_of(m.at + i), channel = m.at + i - pixel * channel_count();
            m.in_strip[i] = pixel < (uint32_t)pixels;
            m.to[i] = place(pixel, channel);
            const bool colour = weighted() && channel != channel_count() - 1;
            m.alpha[i] = colour && m.in_strip[i] ? m.at + i - channel + channel_count() - 1 : NONE;
        }
        return m;
    }

    PRIM_DEVICE thread_columns columns_of_thread() const
    {
        thread_columns m;
#pragma unroll
        for (unsigned p = 0; p < PAIRS; p++) m.pair[p] = pair_of_thread(p);
        return m;
    }

    /* Zeros for sums that no column has, which lanes read beyond a strip. */
    PRIM_DEVICE static void clear(shared &s)
    {
        for (unsigned i = prim::thread_id(); i < STEP * ROW; i += threads) s.sums.set(i, 0);
    }

    /* Two columns of a row of samples, times their alphas. */
    PRIM_DEVICE two samples(const shared &s, unsigned slot, const column_pair &m) const
    {
        const prim::vec<Sample, 2> v = s.rows.template get_vector<2>(slot * COLUMNS + m.at);
        two d = {(double)v.at[0], (double)v.at[1]};
        if (weighted())
#pragma unroll
            for (unsigned i = 0; i < 2; i++)
                if (m.alpha[i] != NONE)
                    d.at[i] = prim::product(d.at[i], (double)s.rows.get(slot * COLUMNS + m.alpha[i]));
        return d;
    }

    PRIM_DEVICE static two sum_of(two a, two b)
    {
        return {a.at[0] + b.at[0], a.at[1] + b.at[1]};
    }

    PRIM_DEVICE void store_sums(shared &s, unsigned row, const column_pair &m, const two &sums) const
    {
        if constexpr (ONE_CHANNEL) {
            s.sums.template set_vector<2>(row * ROW + m.to[0], sums);
        } else {
#pragma unroll
            for (unsigned i = 0; i < 2; i++)
                if (m.in_strip[i]) s.sums.set(row * ROW + m.to[i], sums.at[i]);
        }
    }

    /* Windows of HEIGHT <= STEP rows: slots `first` to the last of a ring hold the rows from the first window's on.
     * Sums of 1, 2, 4, .. neighbouring rows make up a window. */
    template <unsigned HEIGHT> PRIM_DEVICE void sum_near(shared &s, const column_pair &m, unsigned first) const
    {
        two v[STEP + HEIGHT - 1], sum[STEP];
#pragma unroll
        for (unsigned k = 0; k < STEP + HEIGHT - 1; k++) v[k] = samples(s, (first + k) % SLOTS, m);
#pragma unroll
        for (unsigned rows = 1; rows <= HEIGHT; rows *= 2) {
            const unsigned from = HEIGHT % rows; /* rows of the window that are summed */
#pragma unroll
            for (unsigned t = 0; HEIGHT & rows && t < STEP; t++) sum[t] = from ? sum_of(sum[t], v[t + from]) : v[t];
#pragma unroll
            for (unsigned k = 0; k + 2 * rows < STEP + HEIGHT; k++) v[k] = sum_of(v[k], v[k + rows]);
        }
#pragma unroll
        for (unsigned t = 0; t < STEP; t++) store_sums(s, t, m, sum[t]);
    }
    template <unsigned HEIGHT = STEP>
    PRIM_DEVICE void sum_near(shared &s, const column_pair &m, unsigned first, int32_t height) const
    {
        if (height == (int32_t)HEIGHT)
            sum_near<HEIGHT>(s, m, first);
        else if constexpr (HEIGHT > 1)
            sum_near<HEIGHT - 1>(s, m, first, height);
    }

    /* The queue: sums of whole blocks.  Entry b % blocks is block b's.  After each turn of the ring all its entries
     * become sums up to the turn's end (van Herk); `back` is the sum of those that came since. */
    PRIM_DEVICE double queued(const shared &s, unsigned entry, unsigned column) const
    {
        if constexpr (QUEUE > 0) return s.queue.get(entry * COLUMNS + column);
        return prim::load(scratch_of_block() + (int64_t)entry * COLUMNS + column);
    }
    PRIM_DEVICE void queue(shared &s, unsigned entry, unsigned column, double sum) const
    {
        if constexpr (QUEUE > 0)
            s.queue.set(entry * COLUMNS + column, sum);
        else
            prim::store(scratch_of_block() + (int64_t)entry * COLUMNS + column, sum);
    }
    PRIM_DEVICE double *scratch_of_block() const
    {
        return scratch + (int64_t)prim::block_id() * blocks * COLUMNS;
    }

    /* first: the first entry that has been filled. */
    PRIM_DEVICE void push(shared &s, const column_pair &m, column_state &state, int32_t entry, int32_t first,
                          const two &block) const
    {
        constexpr int32_t AT_ONCE = 4;
#pragma unroll
        for (unsigned i = 0; i < 2; i++) {
            double sum = block.at[i];
            queue(s, (unsigned)entry, m.at + i, sum);
            if (entry != blocks - 1) {
                state.back[i] += sum;
                continue;
            }
            /* Several at a time: a load does not wait for the store before it. */
            for (int32_t e = entry - 1; e >= first; e -= AT_ONCE) {
                double entries[AT_ONCE];
#pragma unroll
                for (int32_t k = 0; k < AT_ONCE; k++)
                    if (e - k >= first) entries[k] = queued(s, (unsigned)(e - k), m.at + i);
#pragma unroll
                for (int32_t k = 0; k < AT_ONCE; k++)
                    if (e - k >= first) queue(s, (unsigned)(e - k), m.at + i, sum += entries[k]);
            }
            state.back[i] = 0;
        }
    }

    PRIM_DEVICE two oldest_queued(const shared &s, const column_pair &m, int32_t entry) const
    {
        return {queued(s, (unsigned)entry, m.at), queued(s, (unsigned)entry, m.at + 1)};
    }

    /* Sums the rows between the leaving block and the entering rows of a segment's first step: whole blocks, whose
     * first has that entry, and the rest.  first: the first of these rows. */
    PRIM_DEVICE void begin_columns(shared &s, const thread_columns &m, column_state (&state)[PAIRS],
                                   const strip_source &source, int32_t first, int32_t entry) const
    {
        const int32_t whole = first + blocks * (int32_t)STEP, end = whole + (newest ? (int32_t)STEP : 0) + rest;
        const int32_t first_entry = entry;
        bool turned = false;
#pragma unroll 1
        for (int32_t at = first; at < end; at += 2 * (int32_t)STEP) {
            this->copy_rows(s, source, at, end, 0);
            this->copy_rows(s, source, at + (int32_t)STEP, end, STEP);
            prim::copy_async_wait();
            prim::block_sync(); /* the rows above have come */
#pragma unroll 1
            for (unsigned half = 0; half < 2; half++) {
                const int32_t from = at + (int32_t)(half * STEP), left = end - from;
                if (left <= 0) continue;
#pragma unroll
                for (unsigned p = 0; p < PAIRS; p++) {
                    two sum = {};
#pragma unroll
                    for (unsigned k = 0; k < STEP; k++)
                        if ((int32_t)k < left) sum = sum_of(sum, samples(s, half * STEP + k, m.pair[p]));
                    if (from < whole)
                        push(s, m.pair[p], state[p], entry, turned ? 0 : first_entry, sum);
                    else if (left >= (int32_t)STEP)
                        state[p].newest = sum;
                    else
                        state[p].rest = sum;
                }
                turned = turned || entry == blocks - 1;
                entry = entry == blocks - 1 ? 0 : entry + 1;
            }
            prim::block_sync(); /* and they are read */
        }
    }

    /* The block that entering rows complete, and the rest behind it. */
    template <unsigned REST> PRIM_DEVICE static void split(const two (&enter)[STEP], column_state &state, two &block)
    {
        block = state.rest;
#pragma unroll
        for (unsigned t = 0; t < STEP - REST; t++) block = sum_of(block, enter[t]);
        two sum = {};
#pragma unroll
        for (unsigned t = STEP - REST; t < STEP; t++) sum = sum_of(sum, enter[t]);
        state.rest = sum;
    }
    template <unsigned REST = STEP - 1>
    PRIM_DEVICE static void split(const two (&enter)[STEP], column_state &state, two &block, int32_t rest)
    {
        if (rest == (int32_t)REST)
            split<REST>(enter, state, block);
        else if constexpr (REST > 0)
            split<REST - 1>(enter, state, block, rest);
    }

    /* Windows of more than STEP rows: the leaving block from each row on, the whole blocks, the rest, and the
     * entering rows up to each.  Slots 0 .. STEP - 1 hold the leaving rows, the others the entering ones. */
    PRIM_DEVICE void sum_far(shared &s, const column_pair &m, column_state &state, const two &oldest,
                             int32_t entry) const
    {
        two sum[STEP], enter[STEP], middle = sum_of(state.newest, state.rest), block;
        if (blocks > 0)
#pragma unroll
            for (unsigned i = 0; i < 2; i++) middle.at[i] += oldest.at[i] + state.back[i];
#pragma unroll
        for (unsigned k = 0; k < STEP; k++) {
            const unsigned t = STEP - 1 - k;
            sum[t] = middle = sum_of(middle, samples(s, t, m));
        }
        /* All loads before all stores, which the compiler would not reorder. */
#pragma unroll
        for (unsigned t = 0; t < STEP; t++) enter[t] = samples(s, STEP + t, m);
        two prefix = enter[0];
#pragma unroll
        for (unsigned t = 0; t < STEP; t++) {
            if (t > 0) prefix = sum_of(prefix, enter[t]);
            store_sums(s, t, m, sum_of(sum[t], prefix));
        }
        split(enter, state, block, rest);
        if (blocks > 0) push(s, m, state, entry, 0, state.newest);
        if (newest) state.newest = block;
    }
};

} // namespace box
#endif
