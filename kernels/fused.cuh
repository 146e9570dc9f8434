/* fused.cuh - the kernel of fused.cu: a block makes one tile of a table. */
#ifndef FUSED_CUH
#define FUSED_CUH

#include "fused_chains.cuh"
#include "fused_tile.cuh"
#include "prim/block_scan.cuh"
#include "prim/ticket.cuh"
#include "prim/turn.cuh"

namespace fuse
{

/* ---- the kernel -------------------------------------------------------------------------------------------- */

/* A row above the first row of sums, where the layout has one. */
enum top_row : uint32_t { TOP_NONE, TOP_ZEROS, TOP_CARRY };

template <class Sample, class Accum, unsigned C, class Shape> struct fused {
    using tile = fuse::tile<Sample, Accum, C, Shape>;
    static constexpr unsigned height = Shape::height;
    using sum = typename tile::sum;
    using part = typename tile::part;
    using four = typename tile::four;
    static constexpr unsigned threads = Shape::threads, HALVES = Shape::HALVES, ROWS = Shape::ROWS;
    static constexpr unsigned WIDTH = Shape::width, WARPS = Shape::WARPS;
    static constexpr int min_blocks = Shape::min_blocks;
    static constexpr unsigned WORDS_EACH = prim::tile_states<sum>::words_each;
    static constexpr unsigned TILE_WORDS = (WIDTH + C * height) * WORDS_EACH;
    /* Tiles that are asked for at once. */
    static constexpr unsigned LOOK = ordered<sum> ? 1 : Shape::look;
    static constexpr bool REUSES = Shape::reuses;

    struct shared {
        typename tile::room samples;           /* first: aligned for packets of 16 bytes */
        prim::array<sum, WARPS * WIDTH> above; /* for each warp and element: sums of what lies above the warp's rows */
        prim::var<uint64_t> ticket;
    };

    tile image;
    int64_t elements, rows;                    /* of the image */
    ring words;                                /* of its tiles */
    sum *out;                                  /* the sum of element 0 of row 0 */
    int64_t out_pitch, out_elements, out_rows; /* those that the layout holds */
    top_row top;
    bool zero_column; /* C zeros before each row */
    const sum *carry_in;
    sum *carry_out;
    uint64_t *counter, *row_words, *column_words;

    PRIM_DEVICE void operator()(shared &s) const
    {
        const prim::ticket ticket = prim::draw_ticket(counter, s.ticket);
        prim::await_turn(ticket.number, min_blocks, sizeof s.samples);
        const uint32_t down = ticket.number / words.across, right = ticket.number % words.across;
        const unsigned lane = prim::lane_id(), warp = prim::warp_id();
        const place p = image.at((int64_t)right * WIDTH, (int64_t)down * Shape::height + warp * ROWS, elements, rows);
        image.load(s.samples, p);
        edges(p, down, right);
        bool is_free = !REUSES || words.is_free<BEHIND<sum>>(ticket.epoch, down, right);

        unsigned first[HALVES]; /* channels */
#pragma unroll
        for (unsigned h = 0; h < HALVES; h++)
            first[h] = C == 3 ? (unsigned)((p.x + h * HALF + lane * LANE_ELEMENTS) % 3) : 0;

        chains<sum, C, LEFT, LOOK, REUSES> row_chains = {
            .states = {row_words, words.epoch(ticket.epoch, down), words.laps},
            .step = (int64_t)C * words.kept * height,
            .tile = right,
            .tiles = words.across,
            .place = words.place(down),
            .kept = words.kept,
            .taken = words.taken(down)};
#pragma unroll
        for (unsigned c = 0; c < C; c++) {
            row_chains.at[c] =
                (((int64_t)right * C + c) * words.kept + words.place(down)) * height + warp * ROWS + lane;
            row_chains.live[c] = lane < p.rows;
            row_chains.first[c] = sum();
        }
        const auto rows_before = row_chains.look_at_place();

        /* sums of rows, in the lanes of their numbers */
        prim::fetch_wait();
        prim::warp_sync();
        image.settle(s.samples, p);
        channels<sum, C> left;
        const channels<sum, C> mine = row_sums(s, p, first);
        while (REUSES && !prim::all(is_free)) {
            prim::nap(NAP_NS);
            is_free = words.is_free<BEHIND<sum>>(ticket.epoch, down, right);
        }
        row_chains.begin(mine.of, rows_before);
        const auto seen = row_chains.look();

        /* while others answer: sums of columns, and where they can stay, of each row */
        typename tile::columns columns[HALVES] = {};
        column_sums(s, p, first, columns);

        chains<sum, COLUMNS, UP, LOOK, REUSES> column_chains = my_columns(p, ticket.epoch, down);
        const auto columns_before = column_chains.look_at_place();

        /* what lies to the left of each row */
        row_chains.finish(mine.of, seen, left.of);
        prim::warp_sync();
        channels<sum, C> strip;
#pragma unroll
        for (unsigned c = 0; c < C; c++) strip.of[c] = prim::warp_sum(left.of[c]);

        /* what the warp's rows add to the table from their top to their bottom */
        quad<part, C> bottom[HALVES];
        channels<part, C> bottom_sums[HALVES];
#pragma unroll
        for (unsigned h = 0; h < HALVES; h++) {
            bottom[h] = columns[h].sums();
            bottom_sums[h] = bottom[h].sums(first[h]);
        }
        const auto bottom_before = fuse::row_scan<part, C, HALVES>::over(bottom_sums);
#pragma unroll
        for (unsigned h = 0; h < HALVES; h++) {
            const quad<part, C> upto = bottom[h].scanned(bottom_before.of(h), first[h]);
            const channels<sum, C> to_left = elements_of(strip, first[h]);
#pragma unroll
            for (unsigned i = 0; i < LANE_ELEMENTS; i++)
                s.above.set(warp * WIDTH + h * HALF + lane * LANE_ELEMENTS + i, (sum)upto.at[i] + to_left.of[i % C]);
        }
        prim::block_sync();
        look_up(s, column_chains, columns_before);
        prim::block_sync();
        if (REUSES && prim::thread_id() == 0) words.leave(ticket.epoch, down, right);

        quad<sum, 1> sums[HALVES];
#pragma unroll
        for (unsigned h = 0; h < HALVES; h++)
#pragma unroll
            for (unsigned i = 0; i < LANE_ELEMENTS; i++)
                sums[h].at[i] = s.above.get(warp * WIDTH + h * HALF + lane * LANE_ELEMENTS + i);
        const unsigned out_wide = clipped(out_elements - p.x, p.wide);
        const unsigned out_here = clipped(out_rows - p.y, p.rows);
        sum *row = out + p.y * out_pitch + p.x;
        const bool full = out_wide == WIDTH && out_here == ROWS;
        const bool even = ((uintptr_t)row | out_pitch * sizeof(sum)) % 16 == 0;
        if (full && even)
            write<EVEN>(s, p, first, left, sums, row, out_wide, out_here);
        else if (full)
            write<LATE>(s, p, first, left, sums, row, out_wide, out_here);
        else
            write<PART>(s, p, first, left, sums, row, out_wide, out_here);
        if (carry_out && p.rows > 0 && p.y + p.rows == rows) hand_on(p, sums);
    }

    /* How rows of sums lie in memory: whole, and beginning on 16 bytes; whole; or only partly there. */
    enum fit { EVEN, LATE, PART };

    PRIM_DEVICE channels<sum, C> row_sums(const shared &s, const place &p, const unsigned (&first)[HALVES]) const
    {
        channels<sum, C> mine = {};
#pragma unroll 1
        for (unsigned from = 0; from < ROWS; from += Shape::BATCH) {
            part all[C][Shape::BATCH] = {};
#pragma unroll
            for (unsigned b = 0; b < Shape::BATCH; b++)
#pragma unroll
                for (unsigned h = 0; h < HALVES; h++) {
                    const auto sums = image.get(s.samples, p, from + b, h).sums(first[h]);
#pragma unroll
                    for (unsigned c = 0; c < C; c++) all[c][b] += sums.of[c];
                }
#pragma unroll
            for (unsigned c = 0; c < C; c++) {
                const part totals = prim::warp_sums(all[c]);
                if (prim::lane_id() / Shape::BATCH == from / Shape::BATCH) mine.of[c] = (sum)totals;
            }
        }
        return mine;
    }

    /* Of the warp's rows; puts the sums along each row in place of its samples, where they fit. */
    PRIM_DEVICE void column_sums(shared &s, const place &p, const unsigned (&first)[HALVES],
                                 typename tile::columns (&columns)[HALVES]) const
    {
#pragma unroll 1
        for (unsigned from = 0; from < ROWS; from += Shape::BATCH) {
            four q[Shape::BATCH][HALVES];
#pragma unroll
            for (unsigned b = 0; b < Shape::BATCH; b++)
#pragma unroll
                for (unsigned h = 0; h < HALVES; h++) {
                    q[b][h] = image.get(s.samples, p, from + b, h);
                    columns[h].add(q[b][h]);
                }
            if constexpr (tile::in_place) {
#pragma unroll
                for (unsigned b = 0; b < Shape::BATCH; b++) {
                    const auto before = row_scan_of(q[b], first);
#pragma unroll
                    for (unsigned h = 0; h < HALVES; h++)
                        tile::put_sums(s.samples, from + b, h, q[b][h].scanned(before.of(h), first[h]));
                }
            }
        }
    }

    /* Makes the rows of the table, each from the one above, and writes what the layout holds of them. */
    template <fit FIT>
    PRIM_DEVICE void write(const shared &s, const place &p, const unsigned (&first)[HALVES],
                           const channels<sum, C> &left, quad<sum, 1> (&sums)[HALVES], sum *row, unsigned out_wide,
                           unsigned out_here) const
    {
        const unsigned late = (unsigned)((uintptr_t)row / sizeof(sum)), late_step = (unsigned)out_pitch;
        constexpr unsigned BATCH = FIT == PART ? 1 : Shape::BATCH;
#pragma unroll 1
        for (unsigned from = 0; from < ROWS; from += BATCH) {
            quad<part, C> q[BATCH][HALVES];
#pragma unroll
            for (unsigned b = 0; b < BATCH; b++) scanned_row(s, p, from + b, first, q[b]);
#pragma unroll
            for (unsigned b = 0; b < BATCH; b++, row += out_pitch) {
                channels<sum, C> row_left;
#pragma unroll
                for (unsigned c = 0; c < C; c++) row_left.of[c] = prim::shuffle(left.of[c], from + b);
#pragma unroll
                for (unsigned h = 0; h < HALVES; h++) {
                    const channels<sum, C> to_left = elements_of(row_left, first[h]);
#pragma unroll
                    for (unsigned i = 0; i < LANE_ELEMENTS; i++)
                        sums[h].at[i] += (sum)q[b][h].at[i] + to_left.of[i % C];
                }
                if constexpr (FIT == PART)
                    write_part(row, sums, from + b < out_here ? out_wide : 0);
                else
                    write_row<FIT>(row, sums, (late + (from + b) * late_step) % V);
            }
        }
    }

    /* Row r, each element with all before it in the row. */
    PRIM_DEVICE void scanned_row(const shared &s, const place &p, unsigned r, const unsigned (&first)[HALVES],
                                 quad<part, C> (&row)[HALVES]) const
    {
        if constexpr (tile::in_place) {
#pragma unroll
            for (unsigned h = 0; h < HALVES; h++) row[h] = tile::get_sums(s.samples, r, h);
        } else {
            four q[HALVES];
#pragma unroll
            for (unsigned h = 0; h < HALVES; h++) q[h] = image.get(s.samples, p, r, h);
            const auto before = row_scan_of(q, first);
#pragma unroll
            for (unsigned h = 0; h < HALVES; h++) row[h] = q[h].scanned(before.of(h), first[h]);
        }
    }

    PRIM_DEVICE static typename tile::row_scan row_scan_of(const four (&q)[HALVES], const unsigned (&first)[HALVES])
    {
        channels<part, C> sums[HALVES];
#pragma unroll
        for (unsigned h = 0; h < HALVES; h++) sums[h] = q[h].sums(first[h]);
        return tile::row_scan::over(sums);
    }

    PRIM_DEVICE static unsigned clipped(int64_t n, unsigned most)
    {
        return n < 0 ? 0 : n < most ? (unsigned)n : most;
    }

    /* The columns that a thread asks for: number thread_id() of each `threads` of them. */
    static constexpr unsigned COLUMNS = (WIDTH + threads - 1) / threads;
    PRIM_DEVICE chains<sum, COLUMNS, UP, LOOK, REUSES> my_columns(const place &p, uint32_t launch, uint32_t down) const
    {
        chains<sum, COLUMNS, UP, LOOK, REUSES> c = {.states = {column_words, words.epoch(launch, down), words.laps},
                                                    .step = elements,
                                                    .tile = down,
                                                    .tiles = words.down,
                                                    .place = words.place(down),
                                                    .kept = words.kept,
                                                    .taken = words.taken(down)};
#pragma unroll
        for (unsigned n = 0; n < COLUMNS; n++) {
            const unsigned e = n * threads + prim::thread_id();
            c.live[n] = e < p.wide;
            c.at[n] = words.place(down) * elements + p.x + e;
            c.first[n] = down == 0 ? carry(p.x + e, e < p.wide) : sum();
        }
        return c;
    }

    /* Turns what the warps have told of their rows into what lies above each of them: adds the warps before, and all
     * tiles above. */
    PRIM_DEVICE void look_up(shared &s, const chains<sum, COLUMNS, UP, LOOK, REUSES> &column_chains,
                             typename chains<sum, COLUMNS, UP, LOOK, REUSES>::past columns_before) const
    {
        sum mine[COLUMNS], before[COLUMNS];
#pragma unroll
        for (unsigned n = 0; n < COLUMNS; n++) {
            const unsigned e = n * threads + prim::thread_id();
            mine[n] = sum();
#pragma unroll
            for (unsigned w = 0; w < WARPS; w++)
                if (e < WIDTH) mine[n] += s.above.get(w * WIDTH + e);
        }
        column_chains.begin(mine, columns_before);
        column_chains.finish(mine, column_chains.look(), before);
#pragma unroll
        for (unsigned n = 0; n < COLUMNS; n++) {
            const unsigned e = n * threads + prim::thread_id();
            sum running = before[n];
#pragma unroll
            for (unsigned w = 0; w < WARPS; w++)
                if (e < WIDTH) {
                    const sum more = s.above.get(w * WIDTH + e);
                    s.above.set(w * WIDTH + e, running);
                    running += more;
                }
        }
    }

    /* The last row of the image, as it has been written. */
    PRIM_DEVICE void hand_on(const place &p, const quad<sum, 1> (&sums)[HALVES]) const
    {
#pragma unroll
        for (unsigned h = 0; h < HALVES; h++)
#pragma unroll
            for (unsigned i = 0; i < LANE_ELEMENTS; i++) {
                const unsigned e = h * HALF + prim::lane_id() * LANE_ELEMENTS + i;
                if (e < p.wide)
                    prim::store_relaxed((bits *)carry_out + p.x + e, __builtin_bit_cast(bits, sums[h].at[i]));
            }
    }

    /* Relaxed, as a carry row may be given for both: its entries come in with the first tile row, and the last one,
     * which has heard of that, writes them. */
    using bits = std::conditional_t<sizeof(sum) == 4, uint32_t, uint64_t>;
    PRIM_DEVICE sum carry(int64_t element, bool inside) const
    {
        if (!carry_in || !inside) return sum();
        return __builtin_bit_cast(sum, prim::load_relaxed((const bits *)carry_in + element));
    }

    /* The row above the first and the column before the first. */
    PRIM_DEVICE void edges(const place &p, uint32_t down, uint32_t right) const
    {
        sum *above = out - out_pitch;
        if (top != TOP_NONE && down == 0)
            for (unsigned e = prim::thread_id(); e < p.wide; e += threads)
                if (p.x + e < out_elements)
                    prim::store(above + p.x + e, top == TOP_CARRY ? carry(p.x + e, true) : sum());
        if (!zero_column || right != 0) return;
        if (top != TOP_NONE && down == 0 && prim::thread_id() < C) prim::store(above - C + prim::thread_id(), sum());
        for (unsigned i = prim::lane_id(); i < p.rows * C; i += prim::WARP)
            if (p.y + i / C < out_rows) prim::store(out + (p.y + i / C) * out_pitch - C + i % C, sum());
    }

    static constexpr unsigned V = 16 / sizeof(sum); /* sums in a vector of 16 bytes */

    /* Writes a row of the warp's sums in vectors.  Where it begins `late` elements after 16 bytes, every lane takes so
     * many from the lane to the left, and lane 0 those of the last lane of the half before; lane 0's first and lane
     * 31's last ones, which are no whole vector, go out alone.  Without branches, so that rows overlap. */
    template <fit FIT> PRIM_DEVICE static void write_row(sum *row, const quad<sum, 1> (&sums)[HALVES], unsigned late)
    {
        const unsigned lane = prim::lane_id();
        if (FIT == EVEN) late = 0;
#pragma unroll
        for (unsigned h = 0; h < HALVES; h++) {
            quad<sum, 1> q = sums[h];
            if (FIT == LATE) {
                sum z[V - 1 + LANE_ELEMENTS]; /* V - 1 of the lane to the left, and the lane's own */
#pragma unroll
                for (unsigned i = 0; i < V - 1; i++) {
                    constexpr unsigned from = LANE_ELEMENTS - (V - 1);
                    const sum mine = q.at[from + i], half_before = sums[h > 0 ? h - 1 : 0].at[from + i];
                    z[i] = prim::shuffle(lane == prim::WARP - 1 ? half_before : mine,
                                         (lane + prim::WARP - 1) % prim::WARP);
                }
#pragma unroll
                for (unsigned i = 0; i < LANE_ELEMENTS; i++) z[V - 1 + i] = q.at[i];
                if constexpr (V == 4) {
#pragma unroll
                    for (unsigned i = 0; i < 5; i++) z[i] = late & 2 ? z[i] : z[i + 2];
                }
#pragma unroll
                for (unsigned i = 0; i < 4; i++) q.at[i] = late & 1 ? z[i] : z[i + 1];
            }
#pragma unroll
            for (unsigned n = 0; n < LANE_ELEMENTS / V; n++) {
                const int at = (int)(h * HALF + (n * prim::WARP + lane) * V) - (int)late;
                const prim::vec<sum, V> v = nth_vector(q, n);
                if (FIT == EVEN || at >= 0) prim::store_once((prim::vec<sum, V> *)(row + at), v);
            }
        }
        if (FIT == LATE)
#pragma unroll
            for (unsigned i = 0; i < V; i++) {
                const bool begins = lane == 0 && i + late < V && late > 0,
                           ends = lane == prim::WARP - 1 && i + late >= V;
                const sum v = lane == 0 ? sums[0].at[i] : sums[HALVES - 1].at[LANE_ELEMENTS - V + i];
                if (begins || ends) prim::store(row + (lane == 0 ? i : WIDTH - V + i), v);
            }
    }

    /* The vector that the lane writes as one of the warp's n-th run of memory.  Four sums of 8 bytes are two vectors,
     * and neighbours in memory are to be neighbours among the lanes. */
    PRIM_DEVICE static prim::vec<sum, V> nth_vector(const quad<sum, 1> &q, unsigned n)
    {
        prim::vec<sum, V> v;
        if constexpr (V == LANE_ELEMENTS) {
#pragma unroll
            for (unsigned i = 0; i < V; i++) v.at[i] = q.at[i];
        } else {
            const unsigned lane = prim::lane_id(), from = n * prim::WARP / 2 + lane / 2;
#pragma unroll
            for (unsigned i = 0; i < V; i++) {
                const sum even = prim::shuffle(q.at[i], from), odd = prim::shuffle(q.at[V + i], from);
                v.at[i] = lane % 2 ? odd : even;
            }
        }
        return v;
    }

    /* The first `wide` of the warp's sums of a row. */
    PRIM_DEVICE static void write_part(sum *row, const quad<sum, 1> (&sums)[HALVES], unsigned wide)
    {
#pragma unroll
        for (unsigned h = 0; h < HALVES; h++)
#pragma unroll
            for (unsigned i = 0; i < LANE_ELEMENTS; i++) {
                const unsigned at = h * HALF + prim::lane_id() * LANE_ELEMENTS + i;
                if (at < wide) prim::store(row + at, sums[h].at[i]);
            }
    }
};

} // namespace fuse
#endif
