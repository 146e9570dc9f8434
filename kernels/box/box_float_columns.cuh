/* box_float_columns.cuh - the sums of a strip's columns, by additions only (box_float.cu). */
#ifndef BOX_FLOAT_COLUMNS_CUH
#define BOX_FLOAT_COLUMNS_CUH

#include "box/box_float_counts.cuh"

namespace box
{

template <class Layout> struct float_columns : float_counting<Layout> {
    using Sample = typename Layout::sample_type;
    using typename Layout::shared;
    using typename Layout::two;
    static constexpr unsigned STEP = Layout::STEP_ROWS, QUEUE = Layout::QUEUED;
    using Layout::COLUMNS, Layout::PAIRS, Layout::ROW, Layout::SLOTS, Layout::threads, Layout::ONE_CHANNEL,
        Layout::pixels, Layout::blocks, Layout::rest, Layout::newest, Layout::weighted, Layout::channel_count,
        Layout::pixel_of, Layout::place, Layout::height, Layout::counted;
    using typename float_counting<Layout>::column_pair;
    using typename float_counting<Layout>::counting_state;
    static constexpr bool COUNTS = Layout::HAS_COUNTS;

    struct thread_columns {
        column_pair pair[PAIRS];
    };
    static constexpr uint32_t NONE = ~0u;

    static constexpr unsigned OWN = PAIRS; /* pairs of a thread */
    using column_part = two;

    /* Sums of a column's windows, of two columns. */
    struct column_state {
        two newest; /* of the last whole block, which the queue has not yet */
        two rest;   /* of the rows behind it */
        two back;   /* of the blocks since the queue's last turn */
        counting_state counting;
    };

    PRIM_DEVICE column_pair pair_of_thread(unsigned p, int32_t left) const
    {
        column_pair m = {};
        m.at = 2 * (prim::thread_id() + p * threads);
#pragma unroll
        for (unsigned i = 0; i < 2; i++) {
            const uint32_t pixel = pixel_of(m.at + i), channel = m.at + i - pixel * channel_count();
            m.in_strip[i] = pixel < (uint32_t)pixels;
            m.to[i] = place(pixel, channel);
            m.pixel[i] = pixel;
            const bool colour = weighted() && channel != channel_count() - 1;
            if (COUNTS && this->source_of_pixel(left, pixel) >= 0) m.present |= this->STEP_BITS & 0xffffu << 16 * i;
            m.alpha[i] = colour && m.in_strip[i] ? m.at + i - channel + channel_count() - 1 : NONE;
        }
        return m;
    }

    /* Strips of narrow images have fewer columns than a block.  Of those of several channels, or of two warps, all
     * columns are summed: there a branch costs more than it saves (docs/lab/box.md). */
    PRIM_DEVICE static bool has_columns(const column_pair &m)
    {
        return !ONE_CHANNEL || Layout::ROW_WARPS > 1 || m.in_strip[0];
    }

    PRIM_DEVICE thread_columns columns_of_thread(int32_t left) const
    {
        thread_columns m;
#pragma unroll
        for (unsigned p = 0; p < PAIRS; p++) m.pair[p] = pair_of_thread(p, left);
        return m;
    }

    /* Zeros for sums that no column has, which lanes read beyond a strip. */
    PRIM_DEVICE static void clear(shared &s)
    {
        for (unsigned i = prim::thread_id(); i < STEP * ROW; i += threads) {
            s.sums.set(i, 0);
            if constexpr (COUNTS) s.counts.set(i, 0);
        }
    }

    /* Two columns of a row of samples: as they are; as doubles, times their alphas. */
    using pair_of_samples = prim::vec<Sample, 2>;
    PRIM_DEVICE static pair_of_samples load_pair(const shared &s, unsigned slot, const column_pair &m)
    {
        return s.rows.template get_vector<2>(slot * COLUMNS + m.at);
    }
    PRIM_DEVICE two weighted_pair(const shared &s, unsigned slot, const column_pair &m, const pair_of_samples &v) const
    {
        two d = {(double)v.at[0], (double)v.at[1]};
        if (weighted())
#pragma unroll
            for (unsigned i = 0; i < 2; i++)
                if (m.alpha[i] != NONE)
                    d.at[i] = prim::product(d.at[i], (double)s.rows.get(slot * COLUMNS + m.alpha[i]));
        return d;
    }
    /* 0 in place of samples that do not count: `rows` has those that do. */
    PRIM_DEVICE static pair_of_samples kept(pair_of_samples v, uint32_t rows, unsigned t)
    {
        if constexpr (COUNTS)
#pragma unroll
            for (unsigned i = 0; i < 2; i++)
                if (!(rows >> (16 * i + t) & 1)) v.at[i] = 0;
        return v;
    }
    PRIM_DEVICE two samples(const shared &s, unsigned slot, const column_pair &m) const
    {
        return weighted_pair(s, slot, m, load_pair(s, slot, m));
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

    /* The counts of a step's columns, where samples are counted, before their sums. */
    PRIM_DEVICE void count_step(shared &s, const column_pair &m, column_state &state, unsigned half, bool begins) const
    {
        const bool near = height <= (int32_t)STEP;
        if (near && begins) this->template begin_counts<true>(s, m, state.counting, 0, 0, (unsigned)height - 1);
        if (near)
            this->template count_columns<true>(s, m, state.counting, half + (unsigned)height - 1);
        else
            this->template count_columns<false>(s, m, state.counting, STEP);
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
    PRIM_DEVICE void sum_near(shared &s, const column_pair &m, const column_state &state, unsigned first,
                              int32_t height, int32_t at) const
    {
        if (height == (int32_t)HEIGHT)
            sum_near<HEIGHT>(s, m, first);
        else if constexpr (HEIGHT > 1)
            sum_near<HEIGHT - 1>(s, m, state, first, height, at);
    }

    /* The queue: sums of whole blocks.  Entry b % blocks is block b's.  After each turn of the ring all its entries
     * become sums up to the turn's end (van Herk); `back` is the sum of those that came since. */
    PRIM_DEVICE two queued(const shared &s, int32_t entry, const column_pair &m) const
    {
        if constexpr (QUEUE > 0) return s.queue.template get_vector<2>((unsigned)entry * COLUMNS + m.at);
        return prim::load_vector<2>(this->queue_at(entry) + m.at);
    }
    PRIM_DEVICE void queue(shared &s, int32_t entry, const column_pair &m, const two &sum) const
    {
        if constexpr (QUEUE > 0)
            s.queue.template set_vector<2>((unsigned)entry * COLUMNS + m.at, sum);
        else
            prim::store_vector(this->queue_at(entry) + m.at, sum);
    }

    /* first: the first entry that has been filled. */
    PRIM_DEVICE void push(shared &s, const column_pair &m, column_state &state, int32_t entry, int32_t first,
                          const two &block) const
    {
        constexpr int32_t AT_ONCE = 4;
        queue(s, entry, m, block);
        if (entry != blocks - 1) {
            state.back = sum_of(state.back, block);
            return;
        }
        two sum = block;
        /* Several at a time: a load does not wait for the store before it. */
        for (int32_t e = entry - 1; e >= first; e -= AT_ONCE) {
            two entries[AT_ONCE];
#pragma unroll
            for (int32_t k = 0; k < AT_ONCE; k++)
                if (e - k >= first) entries[k] = queued(s, e - k, m);
#pragma unroll
            for (int32_t k = 0; k < AT_ONCE; k++)
                if (e - k >= first) queue(s, e - k, m, sum = sum_of(sum, entries[k]));
        }
        state.back = {};
    }

    /* Sums the rows between the leaving block and the entering rows of a segment's first step: whole blocks, whose
     * first has that entry, and the rest.  first: the first of these rows.  Where samples are counted, those
     * of these rows and of the leaving block are. */
    PRIM_DEVICE void begin_columns(shared &s, const thread_columns &m, column_state (&state)[PAIRS],
                                   const strip_source<Sample> &source, int32_t first, int32_t entry) const
    {
        const int32_t whole = first + blocks * (int32_t)STEP, end = whole + (newest ? (int32_t)STEP : 0) + rest;
        const int32_t first_entry = entry;
        bool turned = false;
        uint32_t block = 0; /* in the ring of bits: the leaving block, which is only counted, is the first */
#pragma unroll 1
        for (int32_t at = first - (counted() ? (int32_t)STEP : 0); at < end; at += 2 * (int32_t)STEP) {
            this->copy_halves(s, source, at, at + (int32_t)STEP, end, true);
            prim::copy_async_wait();
            prim::block_sync(); /* the rows above have come */
#pragma unroll 1
            for (unsigned half = 0; half < 2; half++) {
                const int32_t from = at + (int32_t)(half * STEP), left = end - from;
                if (left <= 0) continue;
                if (counted())
#pragma unroll
                    for (unsigned p = 0; p < PAIRS; p++)
                        this->template begin_counts<false>(s, m.pair[p], state[p].counting, half * STEP, block,
                                                           left < (int32_t)STEP ? (unsigned)left : STEP);
                block++;
                if (from < first) continue;
#pragma unroll
                for (unsigned p = 0; p < PAIRS; p++) {
                    /* A whole block is the rest and the first entering rows of a step, also here: floats have the
                     * same sums, wherever a segment begins. */
                    const int32_t head = left >= (int32_t)STEP ? rest : 0;
                    two begin = {}, sum = {};
#pragma unroll
                    for (unsigned k = 0; k < STEP; k++) {
                        if ((int32_t)k == head) begin = sum, sum = {};
                        if ((int32_t)k < left) sum = sum_of(sum, samples(s, half * STEP + k, m.pair[p]));
                    }
                    sum = sum_of(begin, sum);
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

    /* Windows of more than STEP rows: the leaving block from each row on, the whole blocks, the rest, and the
     * entering rows up to each.  Slots 0 .. STEP - 1 hold the leaving rows, the others the entering ones, of which
     * REST lie behind the last whole block. */
    template <unsigned REST>
    PRIM_DEVICE void sum_around(shared &s, const column_pair &m, column_state &state, const two &oldest,
                                int32_t entry) const
    {
        two sum[STEP], middle = sum_of(state.newest, state.rest), prefix, block;
        if (blocks > 0) {
            middle = sum_of(middle, sum_of(oldest, state.back));
            push(s, m, state, entry, 0, state.newest);
        }
#pragma unroll
        for (unsigned k = 0; k < STEP; k++) {
            const unsigned t = STEP - 1 - k;
            sum[t] = middle =
                sum_of(middle, weighted_pair(s, t, m, kept(load_pair(s, t, m), state.counting.leaves, t)));
        }
        /* All loads before all stores, which the compiler would not reorder. */
        pair_of_samples enter[STEP];
#pragma unroll
        for (unsigned t = 0; t < STEP; t++) enter[t] = load_pair(s, STEP + t, m);
#pragma unroll
        for (unsigned t = 0; t < STEP; t++) {
            const two sample = weighted_pair(s, STEP + t, m, kept(enter[t], state.counting.enters, t));
            prefix = t == 0 ? sample : sum_of(prefix, sample);
            if (t + 1 == STEP - REST) block = sum_of(state.rest, prefix);
            if (t + 1 > STEP - REST) state.rest = t == STEP - REST ? sample : sum_of(state.rest, sample);
            store_sums(s, t, m, sum_of(sum[t], prefix));
        }
        if (REST == 0) state.rest = {};
        if (newest) state.newest = block;
    }
    template <unsigned REST = STEP - 1>
    PRIM_DEVICE void sum_far(shared &s, const column_pair &m, column_state &state, const two &oldest, int32_t entry,
                             int32_t at) const
    {
        if (rest == (int32_t)REST)
            sum_around<REST>(s, m, state, oldest, entry);
        else if constexpr (REST > 0)
            sum_far<REST - 1>(s, m, state, oldest, entry, at);
    }
};

} // namespace box
#endif
