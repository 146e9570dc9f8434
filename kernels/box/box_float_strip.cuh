/* box_float_strip.cuh - the box filter of float samples in one kernel: sums in f64, by additions only (box_float.cu).
 */
#ifndef BOX_FLOAT_STRIP_CUH
#define BOX_FLOAT_STRIP_CUH

#include "box/box_axis.cuh"

namespace box
{

/* Where this is `EXTREME` or more, quotient() is not for a sum: its quotient or remainder may leave the range of normal
 * numbers.  The upper word of the sum tells; sums of f32 samples are no smaller than normal numbers, or 0. */
constexpr uint32_t EXTREME = 1800u << 20;
template <class Sample> PRIM_DEVICE uint32_t extremity(double sum)
{
    constexpr uint32_t least = sizeof(Sample) == 4 ? 0 : (1023u - 900) << 20;
    return ((uint32_t)(__builtin_bit_cast(uint64_t, sum) >> 32) & 0x7fffffffu) - least;
}

/* inverse: 1 / n, rounded.  (Markstein, IA-64 and elementary functions, 2000, 8.3: a product, corrected once.) */
PRIM_DEVICE double quotient(double sum, double n, double inverse)
{
    const double q = prim::product(sum, inverse);
    return prim::multiply_add(prim::multiply_add(-q, n, sum), inverse, q);
}

/* CHANNELS: 1, or 0 for any number, perhaps with weights.  RUN: pixels of a lane in a row of sums.  WARPS: of a row.
 * STEP: rows that are filtered at a time.  QUEUE: sums of blocks that shared memory holds for each column; 0: they lie
 * in device memory. */
template <class Sample, class Result, unsigned CHANNELS, unsigned RUN, unsigned WARPS, unsigned STEP, unsigned QUEUE,
          int BLOCKS>
struct float_strip {
    using sample_type = Sample;
    using result_type = Result;
    static constexpr unsigned threads = STEP * WARPS * prim::WARP;
    static constexpr int64_t STEP_ROWS = STEP, PIXELS = RUN;
    static constexpr bool SCRATCH = QUEUE == 0;
    static constexpr int min_blocks = BLOCKS;
    static constexpr unsigned RUNS = WARPS * prim::WARP;       /* in a row of sums, of all channels */
    static constexpr unsigned COLUMNS = RUNS * RUN;            /* samples of a strip and its halo */
    static constexpr unsigned PAIRS = COLUMNS / (2 * threads); /* of neighbouring columns, of a thread */
    /* Sums: two between runs, so that lanes read vectors without conflicts; and behind the last run of a row as many as
     * a lane reads beyond the strip. */
    static constexpr unsigned PITCH = RUN + 2, ROW = RUNS * PITCH + RUN;
    static constexpr unsigned SLOTS = 2 * STEP; /* rows of samples */
    static constexpr unsigned NEAR = STEP;      /* the tallest window that is summed row by row */
    static_assert(PAIRS * 2 * threads == COLUMNS && (RUN & (RUN - 1)) == 0);

    struct shared {
        prim::array<Sample, SLOTS * COLUMNS> rows;
        prim::array<double, STEP * ROW> sums;
        prim::array<double, QUEUE ? QUEUE * COLUMNS : 1> queue;
        prim::array<double, WARPS == 1 ? 1 : STEP * RUNS> totals, begins; /* of runs, for the row's other warps */
        prim::array<uint16_t, CHANNELS == 1 ? 1 : COLUMNS> places;        /* of a row's samples in a row of sums */
    };

    const Sample *in;
    Result *out;
    int64_t in_row_bytes;
    int64_t out_pitch, in_image_pitch, out_image_pitch; /* elements */
    axis x, y;
    int32_t channels, pixels; /* pixels: of a strip and its halo, a multiple of RUN */
    int32_t lead;             /* the first strip begins so many pixels before the image, so that pairs are aligned */
    int32_t strips, strip;    /* results of a strip, pixels */
    int32_t rows;             /* results of a segment, a multiple of STEP */
    uint32_t image_blocks;
    uint32_t reciprocal; /* i / channels = i * reciprocal >> 16 */
    /* A window's height: STEP, `blocks` times STEP in the queue, STEP if `newest`, `rest`, and 1. */
    int32_t blocks, rest;
    bool newest;
    double *scratch; /* blocks * COLUMNS sums for each block, if not QUEUE */
    double area, value[4];
    bool shrinks, takes_value;
    bool weights; /* the last channel weighs the others */
    bool wide;    /* pairs of samples are aligned */

    /* ---- columns --------------------------------------------------------------------------------------- */

    using two = prim::vec<double, 2>;

    /* Two neighbouring columns of a thread. */
    struct column_pair {
        unsigned at;       /* the first one's place in a row of samples */
        int32_t source[2]; /* sample of the image's row; -1: none, zeros */
        uint32_t to[2];    /* place in a row of sums */
        uint32_t alpha[2]; /* the place of the pixel's alpha, if the column is weighted by it; else none */
        bool in_strip[2];
    };
    struct thread_columns {
        column_pair pair[PAIRS];
        bool plain; /* all columns of this warp lie in the image, side by side */
    };
    static constexpr uint32_t NONE = ~0u;

    /* Sums of a column's windows, of two columns. */
    struct column_state {
        two newest;     /* of the last whole block, which the queue has not yet */
        two rest;       /* of the rows behind it */
        double back[2]; /* of the blocks since the queue's last turn */
    };

    PRIM_DEVICE bool weighted() const { return CHANNELS != 1 && weights; }
    PRIM_DEVICE uint32_t channel_count() const { return CHANNELS ? CHANNELS : (uint32_t)channels; }
    PRIM_DEVICE uint32_t pixel_of(uint32_t sample) const { return CHANNELS == 1 ? sample : sample * reciprocal >> 16; }
    PRIM_DEVICE uint32_t place(uint32_t pixel, uint32_t channel) const
    {
        const uint32_t line = CHANNELS == 1 ? 0 : channel * ((uint32_t)pixels / RUN);
        return (line + pixel / RUN) * PITCH + pixel % RUN;
    }

    PRIM_DEVICE column_pair pair_of_thread(unsigned p, int32_t left) const
    {
        column_pair m = {};
        m.at = 2 * (prim::thread_id() + p * threads);
#pragma unroll
        for (unsigned i = 0; i < 2; i++) {
            const uint32_t pixel = pixel_of(m.at + i), channel = m.at + i - pixel * channel_count();
            const int32_t position = left + (int32_t)pixel;
            m.in_strip[i] = pixel < (uint32_t)pixels;
            const bool has_source = m.in_strip[i] && position >= -x.halo && position <= x.n + x.after;
            const int32_t source = has_source ? border_index(x, position) : -1;
            m.source[i] = source < 0 ? -1 : source * (int32_t)channel_count() + (int32_t)channel;
            m.to[i] = place(pixel, channel);
            const bool colour = weighted() && channel != channel_count() - 1;
            m.alpha[i] = colour && m.in_strip[i] ? m.at + i - channel + channel_count() - 1 : NONE;
        }
        return m;
    }

    PRIM_DEVICE thread_columns columns_of_thread(int32_t left) const
    {
        thread_columns m;
        bool plain = true;
#pragma unroll
        for (unsigned p = 0; p < PAIRS; p++) {
            m.pair[p] = pair_of_thread(p, left);
            const int32_t *source = m.pair[p].source;
            plain = plain && source[0] >= 0 && source[0] % 2 == 0 && source[1] == source[0] + 1;
        }
        m.plain = prim::all(plain);
        return m;
    }

    PRIM_DEVICE const Sample *row_at(const Sample *image, int32_t row) const
    {
        return reinterpret_cast<const Sample *>(reinterpret_cast<const char *>(image) + row * in_row_bytes);
    }

    /* Begins to copy rows first .. first + STEP - 1 to `slot` and the slots behind it; rows from `end` on are not
     * needed, and zeros. */
    PRIM_DEVICE void copy_rows(shared &s, const thread_columns &m, const Sample *image, int32_t first, int32_t end,
                               unsigned slot) const
    {
        if (first < 0 || first + (int32_t)STEP > y.n) return copy_edge_rows(s, m, image, first, end, slot);
#pragma unroll
        for (unsigned p = 0; p < PAIRS; p++) {
            const column_pair &pair = m.pair[p];
            const unsigned to = slot * COLUMNS + pair.at;
            if (m.plain && wide) {
                const Sample *from = row_at(image + pair.source[0], first);
#pragma unroll
                for (unsigned k = 0; k < STEP; k++, from = row_at(from, 1))
                    prim::copy_async_vector<2>(s.rows, to + k * COLUMNS, from);
                continue;
            }
#pragma unroll
            for (unsigned i = 0; i < 2; i++) {
                if (pair.source[i] < 0) continue; /* zeros, since clear() */
                const Sample *from = row_at(image + pair.source[i], first);
#pragma unroll
                for (unsigned k = 0; k < STEP; k++, from = row_at(from, 1))
                    prim::copy_async(s.rows, to + i + k * COLUMNS, from);
            }
        }
    }

    /* The same where rows lie outside the image. */
    PRIM_DEVICE void copy_edge_rows(shared &s, const thread_columns &m, const Sample *image, int32_t first, int32_t end,
                                    unsigned slot) const
    {
        const int32_t row = first + (int32_t)prim::lane_id();
        const int32_t mine = prim::lane_id() < STEP && row < end ? border_index(y, row) : -1;
#pragma unroll 1
        for (unsigned k = 0; k < STEP; k++) {
            const int32_t source = prim::shuffle(mine, k);
            const Sample *from = row_at(image, source < 0 ? 0 : source);
#pragma unroll
            for (unsigned p = 0; p < PAIRS; p++)
#pragma unroll
                for (unsigned i = 0; i < 2; i++) {
                    const unsigned to = (slot + k) * COLUMNS + m.pair[p].at + i;
                    const int32_t column = m.pair[p].source[i];
                    if (source >= 0 && column >= 0)
                        prim::copy_async(s.rows, to, from + column);
                    else
                        s.rows.set(to, Sample(0));
                }
        }
    }

    /* Zeros for sums that no column has, which lanes read beyond a strip, and for the columns that have none of the
     * image's: no copy touches these. */
    PRIM_DEVICE static void clear(shared &s, const thread_columns &m)
    {
        for (unsigned i = prim::thread_id(); i < STEP * ROW; i += threads) s.sums.set(i, 0);
        if (m.plain) return;
#pragma unroll
        for (unsigned p = 0; p < PAIRS; p++)
#pragma unroll
            for (unsigned i = 0; i < 2; i++)
                for (unsigned slot = 0; slot < SLOTS && m.pair[p].source[i] < 0; slot++)
                    s.rows.set(slot * COLUMNS + m.pair[p].at + i, Sample(0));
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
        if constexpr (CHANNELS == 1) {
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
                                   const Sample *image, int32_t first, int32_t entry) const
    {
        const int32_t whole = first + blocks * (int32_t)STEP, end = whole + (newest ? (int32_t)STEP : 0) + rest;
        const int32_t first_entry = entry;
        bool turned = false;
#pragma unroll 1
        for (int32_t at = first; at < end; at += 2 * (int32_t)STEP) {
            copy_rows(s, m, image, at, end, 0);
            copy_rows(s, m, image, at + (int32_t)STEP, end, STEP);
            prim::copy_async_wait();
            if (weighted()) prim::block_sync();
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
            if (weighted()) prim::block_sync();
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

    /* ---- rows ------------------------------------------------------------------------------------------ */

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

    /* The window sums of a row, in place of its sums: for each of a lane's RUN pixels the sum of those up to width - 1
     * pixels further.  Runs are taken apart into parts of PART pixels, which a window exceeds: it is the end of one
     * part, the middle, and the beginning of another part. */
    template <unsigned PART> PRIM_DEVICE void sum_row(shared &s) const
    {
        constexpr unsigned PARTS = RUN / PART;
        const int32_t beyond = x.before + x.after, runs = CHANNELS == 1 ? (int32_t)RUNS : pixels / (int32_t)RUN;
        const int32_t run = (int32_t)(prim::thread_id() % RUNS), line = CHANNELS == 1 ? 0 : run / runs;
        const bool in_strip = line < (int32_t)channel_count();
        const unsigned at = row_of_warp() + (unsigned)run * PITCH;
        double v[RUN], enter[RUN];
#pragma unroll
        for (unsigned i = 0; i < RUN; i += 2) {
            two pair = {};
            if (in_strip) pair = s.sums.template get_vector<2>(at + i);
            v[i] = pair.at[0];
            v[i + 1] = pair.at[1];
        }
        const bool has_windows = in_strip && (run - line * runs) * (int32_t)RUN + beyond < pixels;
        load_entering(s, at, has_windows ? beyond : 0, beyond % 2 == 0, enter);

        const int32_t parts = (beyond - (int32_t)PART) / (int32_t)PART, few = (beyond - (int32_t)PART) % (int32_t)PART;
        double begin[PARTS], middle[PARTS]; /* begin: sums of the first `few` pixels of each part */
#pragma unroll
        for (unsigned u = 0; u < PARTS; u++) begin[u] = sum_first<PART>(v, u * PART, few);
#pragma unroll
        for (unsigned u = 0; u + 1 < PARTS; u++) middle[u] = begin[u + 1];
        middle[PARTS - 1] = sum_between<PART>(s, v, begin[0], run, parts);
#pragma unroll
        for (unsigned u = 0; u < PARTS; u++) {
            double sum = middle[u], prefix = 0;
#pragma unroll
            for (unsigned i = 0; i < PART; i++) {
                const unsigned j = u * PART + PART - 1 - i;
                v[j] = sum += v[j];
            }
#pragma unroll
            for (unsigned i = 0; i < PART; i++) v[u * PART + i] += prefix += enter[u * PART + i];
        }
        prim::warp_sync(); /* all lanes have read */
        if (in_strip)
#pragma unroll
            for (unsigned i = 0; i < RUN; i += 2) s.sums.template set_vector<2>(at + i, two{v[i], v[i + 1]});
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

    PRIM_DEVICE static unsigned row_number()
    {
        return prim::thread_id() / RUNS;
    }
    PRIM_DEVICE static unsigned row_of_warp()
    {
        return row_number() * ROW;
    }

    PRIM_DEVICE void sum_rows(shared &s) const
    {
        const int32_t beyond = x.before + x.after;
        if (beyond == 0) return;
        if constexpr (RUN >= 16)
            if (beyond >= 16) return sum_row<16>(s);
        if constexpr (RUN >= 8)
            if (beyond >= 8) return sum_row<8>(s);
        if (beyond >= 4) return sum_row<4>(s);
        if (beyond >= 2) return sum_row<2>(s);
        sum_row<1>(s);
    }

    /* ---- means ----------------------------------------------------------------------------------------- */

    /* Window sums with what border values add to them, where a window has `beyond` positions outside the image. */
    PRIM_DEVICE double with_border(double inside, uint32_t channel, double beyond) const
    {
        return takes_value && beyond > 0 ? inside + prim::product(value[channel], beyond) : inside;
    }

    /* The place of a sample in a row of sums; samples are counted from the strip's first pixel on. */
    PRIM_DEVICE unsigned place_of(const shared &s, uint32_t sample) const
    {
        return CHANNELS == 1 ? place(sample, 0) : s.places.get(sample);
    }
    PRIM_DEVICE void store_places(shared &s) const
    {
        if constexpr (CHANNELS != 1)
            for (uint32_t i = prim::thread_id(); i < COLUMNS; i += threads) {
                const uint32_t pixel = pixel_of(i);
                s.places.set(i, (uint16_t)place(pixel, i - pixel * channel_count()));
            }
    }

    /* The means of n samples from `first` on, whose windows all hold `whole` positions, `beyond` of them outside the
     * image.  Each thread has at least FULL. */
    template <unsigned FULL>
    PRIM_DEVICE void store_alike(const shared &s, unsigned row, Result *to, uint32_t first, uint32_t n, double whole,
                                 double inverse, double beyond) const
    {
        const uint32_t own = prim::thread_id() % RUNS;
        /* Places of one channel's pixels RUNS apart are equally far apart. */
        constexpr uint32_t apart = RUNS / RUN * PITCH;
        const unsigned at = row + (CHANNELS == 1 ? place(first + own, 0) : 0);
        const auto has = [&](unsigned k) { return k < FULL || own + k * RUNS < n; };
        double sum[RUN];
        uint32_t most = 0;
#pragma unroll
        for (unsigned k = 0; k < RUN; k++) {
            sum[k] = 0;
            if (has(k)) sum[k] = s.sums.get(CHANNELS == 1 ? at + k * apart : at + s.places.get(first + own + k * RUNS));
        }
        if (takes_value && beyond > 0)
#pragma unroll
            for (unsigned k = 0; k < RUN; k++) {
                const uint32_t sample = own + k * RUNS, channel = sample - pixel_of(sample) * channel_count();
                sum[k] = with_border(sum[k], channel, beyond);
            }
#pragma unroll
        for (unsigned k = 0; k < RUN; k++) {
            const uint32_t size = sizeof(Sample) == 4 || has(k) ? extremity<Sample>(sum[k]) : 0;
            most = size > most ? size : most;
        }
        to += own;
        if (most >= EXTREME) {
#pragma unroll
            for (unsigned k = 0; k < RUN; k++)
                if (has(k)) prim::store(to + k * RUNS, (Result)(sum[k] / whole));
            return;
        }
#pragma unroll
        for (unsigned k = 0; k < RUN; k++) {
            const double mean = quotient(sum[k], whole, inverse);
            if (has(k)) prim::store(to + k * RUNS, (Result)mean);
        }
    }

    /* The same where windows differ, or colours are weighted.  begin: the image's pixel. */
    PRIM_DEVICE void store_others(const shared &s, unsigned row, Result *to, uint32_t first, uint32_t n, int32_t begin,
                                  double covered_y) const
    {
#pragma unroll 1
        for (uint32_t i = prim::thread_id() % RUNS; i < n; i += RUNS) {
            const uint32_t pixel = pixel_of(i), channel = i - pixel * channel_count(), last = channel_count() - 1;
            const double covered = prim::product((double)prim::load(x.covered + begin + pixel), covered_y);
            const double whole = shrinks ? covered : area, beyond = whole - covered;
            const double sum = with_border(s.sums.get(row + place_of(s, first + i)), channel, beyond);
            double divisor = whole;
            if (weighted() && channel != last)
                divisor = with_border(s.sums.get(row + place_of(s, first + i - channel + last)), last, beyond);
            prim::store(to + i, divisor == 0 ? Result(0) : (Result)(sum / divisor));
        }
    }

    /* The results of a strip.  Windows of pixels left .. right - 1 hold as many columns, covered_x, or all count alike.
     */
    struct strip_results {
        int32_t origin; /* the pixel of place 0 in a row of sums */
        int32_t begin, left, right, end;
        double covered_x, inverse; /* inverse: of the windows' size, where they hold all rows */
    };
    PRIM_DEVICE double whole_of(double covered) const
    {
        return shrinks ? covered : area;
    }

    PRIM_DEVICE strip_results results_of(int32_t origin) const
    {
        const int32_t begin = origin > 0 ? origin : 0, end = origin + strip < x.n ? origin + strip : x.n;
        strip_results r = {origin, begin, begin, end, end, 0, 0};
        if (weighted()) r.right = begin;
        if (shrinks || takes_value) {
            r.left = r.left > x.before ? r.left : x.before < r.right ? x.before : r.right;
            r.right = r.right < x.n - x.after ? r.right : x.n - x.after > r.left ? x.n - x.after : r.left;
        }
        r.covered_x = (double)prim::load(x.covered + (r.left < x.n ? r.left : begin));
        r.inverse = 1 / whole_of(prim::product(r.covered_x, (double)(y.before + 1 + y.after)));
        return r;
    }

    PRIM_DEVICE void store_means(const shared &s, unsigned row, Result *image, int32_t at, const strip_results &r) const
    {
        const int32_t channels = (int32_t)channel_count();
        const bool all_rows = at >= y.before && at + y.after < y.n;
        const double covered_y = (double)(all_rows ? y.before + 1 + y.after : prim::load(y.covered + at));
        Result *const to = image + (int64_t)at * out_pitch;
        const auto sample = [&](int32_t pixel) { return (uint32_t)((pixel - r.origin) * channels); };
        if (r.left > r.begin)
            store_others(s, row, to + (int64_t)r.begin * channels, sample(r.begin), sample(r.left) - sample(r.begin),
                         r.begin, covered_y);
        if (r.right > r.left) {
            const double covered = prim::product(r.covered_x, covered_y), whole = whole_of(covered);
            const double inverse = all_rows ? r.inverse : 1 / whole;
            Result *const first = to + (int64_t)r.left * channels;
            const uint32_t n = sample(r.right) - sample(r.left);
            if (n >= (RUN - RUN / 8) * RUNS)
                store_alike<RUN - RUN / 8>(s, row, first, sample(r.left), n, whole, inverse, whole - covered);
            else
                store_alike<0>(s, row, first, sample(r.left), n, whole, inverse, whole - covered);
        }
        if (r.end > r.right)
            store_others(s, row, to + (int64_t)r.right * channels, sample(r.right), sample(r.end) - sample(r.right),
                         r.right, covered_y);
    }

    /* ---- a block --------------------------------------------------------------------------------------- */

    PRIM_DEVICE void operator()(shared &s) const
    {
        const uint32_t image_number = prim::block_id() / image_blocks;
        const int32_t block = (int32_t)(prim::block_id() - image_number * image_blocks);
        const int32_t origin = block % strips * strip - lead;
        const int32_t top = block / strips * rows, bottom = top + rows < y.n ? top + rows : y.n;
        const int32_t height = y.before + 1 + y.after;
        const Sample *image = in + (int64_t)image_number * in_image_pitch;
        Result *result = out + (int64_t)image_number * out_image_pitch;
        const bool near = height <= (int32_t)NEAR;

        const thread_columns m = columns_of_thread(origin - x.before);
        column_state state[PAIRS] = {};
        const strip_results results = results_of(origin);
        clear(s, m);
        store_places(s);
        const int32_t first = top - y.before, last = bottom + y.after; /* rows of the segment's windows */
        int32_t entry = 0;
        if (!near) {
            /* Blocks are numbered from the first row of the image's first window on: sums do not depend on where a
             * segment begins. */
            if (blocks > 0) entry = (top / (int32_t)STEP + 1) % blocks;
            begin_columns(s, m, state, image, first + (int32_t)STEP, entry);
        }
        copy_rows(s, m, image, first, last, 0);
        copy_rows(s, m, image, near ? first + (int32_t)STEP : first + height - 1, last, STEP);
        unsigned half = 0;
        for (int32_t at = top; at < bottom; at += (int32_t)STEP, half ^= STEP) {
            two oldest[PAIRS] = {};
            if (blocks > 0)
#pragma unroll
                for (unsigned p = 0; p < PAIRS; p++) oldest[p] = oldest_queued(s, m.pair[p], entry);
            prim::copy_async_wait();
            prim::block_sync(); /* the rows are there, and the sums of the step before are read */
#pragma unroll
            for (unsigned p = 0; p < PAIRS; p++) {
                if (near)
                    sum_near(s, m.pair[p], half, height);
                else
                    sum_far(s, m.pair[p], state[p], oldest[p], entry);
            }
            entry = entry + 1 < blocks ? entry + 1 : 0;
            prim::block_sync(); /* the sums are there, and the rows are read */
            const int32_t next = at + (int32_t)STEP;
            if (next < bottom) {
                const int32_t leaving = next - y.before;
                if (near) {
                    copy_rows(s, m, image, leaving + (int32_t)STEP, last, half);
                } else {
                    copy_rows(s, m, image, leaving, last, 0);
                    copy_rows(s, m, image, leaving + height - 1, last, STEP);
                }
            }
            sum_rows(s);
            if constexpr (WARPS == 1)
                prim::warp_sync(); /* the window sums are there */
            else
                prim::block_sync();
            const int32_t mine = at + (int32_t)row_number();
            if (mine < bottom) store_means(s, row_of_warp(), result, mine, results);
        }
    }
};

} // namespace box
#endif
