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
    using run = typename tile::run;
    using waiting = typename tile::waiting;
    using run_of_sums = fuse::run<sum, C, tile::RUN>;
    static constexpr unsigned threads = Shape::threads, HALVES = Shape::HALVES, ROWS = Shape::ROWS;
    static constexpr unsigned RUN = tile::RUN, HALF = tile::HALF, WIDTH = tile::WIDTH, WARPS = Shape::WARPS;
    static constexpr int min_blocks = Shape::min_blocks;
    static constexpr unsigned WORDS_EACH = prim::tile_states<sum>::words_each;
    static constexpr unsigned TILE_WORDS = (WIDTH + C * height) * WORDS_EACH,
                              TILE_BYTES = WIDTH * height * sizeof(Sample);
    static constexpr bool REUSES = Shape::large;
    /* The tiles that begin together at first, and by how many tiles memory is asked for one before it is loaded.  Where
     * sums take four times the room of samples, memory waits for the first tiles' looks, with little to read and
     * nothing to write yet: then these ask later, and for more. */
    static constexpr uint32_t FIRST = prim::MULTIPROCESSORS * min_blocks;
    static constexpr bool idle_at_first = sizeof(sum) >= 4 * sizeof(Sample);
#ifdef SAT_SIMT
    static constexpr uint32_t AHEAD = 2, AHEAD_AT_FIRST = 3;
#else
    static constexpr uint32_t AHEAD = 64, AHEAD_AT_FIRST = 160;
#endif

    struct shared {
        typename tile::room samples; /* first: aligned for packets of 16 bytes */
        /* For each warp and element: sums of what lies above the warp's rows; then its rows, on their way out. */
        alignas(16) prim::array<sum, WARPS * WIDTH> above;
        prim::var<uint64_t> ticket;
    };

    tile image;
    int64_t elements, rows;                    /* of the image, with its lead */
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
        prim::await_turn(ticket.number, min_blocks, TILE_BYTES);
        const uint32_t down = ticket.number / words.across, right = ticket.number % words.across;
        const unsigned lane = prim::lane_id(), warp = prim::warp_id();
        const place p = place_of(ticket.number);
        waiting w = {s.samples, {}};
        image.load(w, p);
        const bool asks_later = idle_at_first && ticket.number < FIRST;
        if (!asks_later) prefetch(ticket.number + AHEAD);
        edges(p, down, right);
        bool is_free = !REUSES || words.is_free(ticket.epoch, down, right);

        auto row_chains = chains<sum, C, LEFT, REUSES>::of(row_words, words, ticket.epoch, down,
                                                           (int64_t)C * words.kept * height, right, words.across);
#pragma unroll
        for (unsigned c = 0; c < C; c++) {
            row_chains.at[c] =
                (((int64_t)right * C + c) * words.kept + words.place(down)) * height + warp * ROWS + lane;
            row_chains.live[c] = lane < p.rows;
        }
        const auto rows_before = row_chains.look_at_place();

        /* sums of rows, in the lanes of their numbers */
        prim::fetch_wait();
        prim::warp_sync();
        image.settle(s.samples, p);
        channels<sum, C> left;
        channels<sum, C> mine;
        if constexpr (tile::in_place)
            mine = scan_rows(w, p);
        else
            mine = row_sums(w, p);
        while (REUSES && !prim::all(is_free)) {
            prim::nap(NAP_NS);
            is_free = words.is_free(ticket.epoch, down, right);
        }
        row_chains.begin(mine.of, rows_before);
        const auto seen = row_chains.look();
        if (asks_later) prefetch(ticket.number + AHEAD_AT_FIRST);

        /* while others answer: sums of columns */
        typename tile::columns columns[HALVES] = {};
        column_sums(w, p, columns);

        const columns_up column_chains = my_columns(p, ticket.epoch, down);
        const auto columns_before = column_chains.look_at_place();

        /* what lies to the left of each row */
        row_chains.finish(mine.of, seen, left.of);
        prim::warp_sync();
        channels<sum, C> strip;
#pragma unroll
        for (unsigned c = 0; c < C; c++) strip.of[c] = prim::warp_sum(left.of[c]);

        /* what the warp's rows add to the table from their top to their bottom */
        fuse::run<part, C, RUN> bottom[HALVES];
#pragma unroll
        for (unsigned h = 0; h < HALVES; h++) bottom[h] = columns[h].sums();
        if constexpr (!tile::in_place) scan_bottom(bottom);
#pragma unroll
        for (unsigned h = 0; h < HALVES; h++) {
            run_of_sums all;
#pragma unroll
            for (unsigned i = 0; i < RUN; i++) all.at[i] = (sum)bottom[h].at[i] + strip.of[i % C];
            tile::set_run(s.above, warp * WIDTH + h * HALF, all);
        }
        prim::block_sync();
        look_up(s, column_chains, columns_before);
        prim::block_sync();
        if (REUSES && prim::thread_id() == 0) words.leave(ticket.epoch, down, right);

        run_of_sums sums[HALVES];
#pragma unroll
        for (unsigned h = 0; h < HALVES; h++)
            sums[h] = tile::template get_run<run_of_sums>(s.above, warp * WIDTH + h * HALF);
        const unsigned out_wide = clipped(out_elements - p.x, p.wide);
        const unsigned out_here = clipped(out_rows - p.y, p.rows);
        sum *row = out + p.y * out_pitch + p.x;
        const bool full = out_wide == WIDTH && out_here == ROWS;
        const bool even = ((uintptr_t)row | out_pitch * sizeof(sum)) % (V * sizeof(sum)) == 0;
        if (V > 1 && full && even)
            write<EVEN>(s, w, p, left, sums, row, out_wide, out_here);
        else if (full)
            write<LATE>(s, w, p, left, sums, row, out_wide, out_here);
        else
            write<PART>(s, w, p, left, sums, row, out_wide, out_here);
        if (carry_out && p.rows > 0 && p.y + p.rows == rows) hand_on(p, sums);
    }

    /* The warp's part of a tile. */
    PRIM_DEVICE place place_of(uint32_t number) const
    {
        return image.at((int64_t)(number % words.across) * WIDTH,
                        (int64_t)(number / words.across) * height + prim::warp_id() * ROWS, elements, rows);
    }

    /* Asks memory for a tile, unless it is one of the first; behind the last one there are no rows. */
    PRIM_DEVICE void prefetch(uint32_t number) const
    {
        if (Shape::large && number >= FIRST) image.prefetch(place_of(number));
    }

    /* Sums of the warp's rows, in the lanes of their numbers. */
    PRIM_DEVICE channels<sum, C> row_sums(const waiting &w, const place &p) const
    {
        channels<sum, C> mine = {};
        each_batch<Shape::BATCH>(p.rows, [&](unsigned from, auto home) {
            part all[C][Shape::BATCH] = {};
#pragma unroll
            for (unsigned b = 0; b < Shape::BATCH; b++)
#pragma unroll
                for (unsigned h = 0; h < HALVES; h++) {
                    const auto sums = image.template get<home.value>(w, p, from + b, h).sums();
#pragma unroll
                    for (unsigned c = 0; c < C; c++) all[c][b] += sums.of[c];
                }
#pragma unroll
            for (unsigned c = 0; c < C; c++) {
                const part totals = prim::warp_sums(all[c]);
                if (prim::lane_id() / Shape::BATCH == from / Shape::BATCH) mine.of[c] = (sum)totals;
            }
        });
        return mine;
    }

    /* The same, and the sums that each row has up to its elements take their place: by a lane for each row in the room,
     * which needs no shuffles, and by all lanes for each of those in registers. */
    PRIM_DEVICE channels<sum, C> scan_rows(waiting &w, const place &p) const
    {
        channels<sum, C> mine = {};
        const unsigned lane = prim::lane_id();
        if (lane < Shape::IN_ROOM) mine = image.scan_row(w, p, lane);
#pragma unroll
        for (unsigned r = Shape::IN_ROOM; r < ROWS; r++) {
            run q[HALVES];
#pragma unroll
            for (unsigned h = 0; h < HALVES; h++) q[h] = image.template get<tile::REGISTERS>(w, p, r, h);
            const auto before = row_scan_of(q);
#pragma unroll
            for (unsigned h = 0; h < HALVES; h++) {
                q[h] = q[h].scanned(before.of(h));
                tile::hold_sums(w, r, h, q[h]);
            }
#pragma unroll
            for (unsigned c = 0; c < C; c++) {
                const sum all = prim::shuffle(q[HALVES - 1].at[RUN - C + c], prim::WARP - 1);
                if (lane == r) mine.of[c] = all;
            }
        }
        prim::warp_sync(); /* the rows' sums are there */
        return mine;
    }

    /* Of the warp's rows: of their samples, or of the sums that have taken their place. */
    PRIM_DEVICE void column_sums(const waiting &w, const place &p, typename tile::columns (&columns)[HALVES]) const
    {
        each_batch<Shape::BATCH>(p.rows, [&](unsigned from, auto home) {
#pragma unroll
            for (unsigned b = 0; b < Shape::BATCH; b++)
#pragma unroll
                for (unsigned h = 0; h < HALVES; h++)
                    if constexpr (tile::in_place)
                        columns[h].add(tile::template get_sums<home.value>(w, from + b, h));
                    else
                        columns[h].add(image.template get<home.value>(w, p, from + b, h));
        });
    }

    /* Sums of columns turn into those of all columns up to each, of its channel. */
    PRIM_DEVICE static void scan_bottom(fuse::run<part, C, RUN> (&bottom)[HALVES])
    {
        channels<part, C> sums[HALVES];
#pragma unroll
        for (unsigned h = 0; h < HALVES; h++) sums[h] = bottom[h].sums();
        const auto before = fuse::row_scan<part, C, HALVES>::over(sums);
#pragma unroll
        for (unsigned h = 0; h < HALVES; h++) bottom[h] = bottom[h].scanned(before.of(h));
    }

    /* Calls f(the first of BATCH rows, where they wait) for those of a warp's that there are, the last ones followed by
     * zeros; in registers, each by its number. */
    template <unsigned BATCH, class F> PRIM_DEVICE static void each_batch(unsigned rows, F f)
    {
        const unsigned in_room = rows < Shape::IN_ROOM ? rows : Shape::IN_ROOM;
#pragma unroll 1
        for (unsigned from = 0; from < in_room; from += BATCH)
            f(from, std::integral_constant<typename tile::home, tile::ROOM>());
        if (rows > Shape::IN_ROOM)
#pragma unroll
            for (unsigned from = Shape::IN_ROOM; from < ROWS; from += BATCH)
                f(from, std::integral_constant<typename tile::home, tile::REGISTERS>());
    }

    /* Sums that a lane can write at once where rows begin on as many. */
    static constexpr unsigned V = vector_of<WIDTH / prim::WARP, 16 / sizeof(sum)>;

    /* How rows of sums lie in memory: whole, and beginning on so many; whole; or only partly there. */
    enum fit { EVEN, LATE, PART };

    /* Makes the rows of the table, each from the one above, and writes what the layout holds of them. */
    template <fit FIT>
    PRIM_DEVICE void write(shared &s, const waiting &w, const place &p, const channels<sum, C> &left,
                           run_of_sums (&sums)[HALVES], sum *row, unsigned out_wide, unsigned out_here) const
    {
        constexpr unsigned BATCH = FIT == PART ? 1 : Shape::BATCH;
        each_batch<BATCH>(p.rows, [&](unsigned from, auto home) {
            fuse::run<part, C, RUN> q[BATCH][HALVES];
#pragma unroll
            for (unsigned b = 0; b < BATCH; b++) scanned_row<home.value>(w, p, from + b, q[b]);
#pragma unroll
            for (unsigned b = 0; b < BATCH; b++, row += out_pitch) {
                channels<sum, C> row_left;
#pragma unroll
                for (unsigned c = 0; c < C; c++) row_left.of[c] = prim::shuffle(left.of[c], from + b);
#pragma unroll
                for (unsigned h = 0; h < HALVES; h++)
#pragma unroll
                    for (unsigned i = 0; i < RUN; i++) sums[h].at[i] += (sum)q[b][h].at[i] + row_left.of[i % C];
                if constexpr (FIT == EVEN && V == RUN)
                    write_runs(row, sums);
                else
                    write_row<FIT>(s, row, sums, from + b < out_here ? out_wide : 0);
            }
        });
    }

    /* Row r, each element with all before it in the row. */
    template <typename tile::home AT>
    PRIM_DEVICE void scanned_row(const waiting &w, const place &p, unsigned r,
                                 fuse::run<part, C, RUN> (&row)[HALVES]) const
    {
        if constexpr (tile::in_place) {
#pragma unroll
            for (unsigned h = 0; h < HALVES; h++) row[h] = tile::template get_sums<AT>(w, r, h);
        } else {
            run q[HALVES];
#pragma unroll
            for (unsigned h = 0; h < HALVES; h++) q[h] = image.template get<AT>(w, p, r, h);
            const auto before = row_scan_of(q);
#pragma unroll
            for (unsigned h = 0; h < HALVES; h++) row[h] = q[h].scanned(before.of(h));
        }
    }

    PRIM_DEVICE static typename tile::row_scan row_scan_of(const run (&q)[HALVES])
    {
        channels<part, C> sums[HALVES];
#pragma unroll
        for (unsigned h = 0; h < HALVES; h++) sums[h] = q[h].sums();
        return tile::row_scan::over(sums);
    }

    PRIM_DEVICE static unsigned clipped(int64_t n, unsigned most)
    {
        return n < 0 ? 0 : n < most ? (unsigned)n : most;
    }

    /* The columns that a thread asks for: number thread_id() of each `threads` of them. */
    static constexpr unsigned COLUMNS = (WIDTH + threads - 1) / threads;
    using columns_up = chains<sum, COLUMNS, UP, REUSES>;
    PRIM_DEVICE columns_up my_columns(const place &p, uint32_t launch, uint32_t down) const
    {
        columns_up c = columns_up::of(column_words, words, launch, down, elements, down, words.down);
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
    PRIM_DEVICE void look_up(shared &s, const columns_up &column_chains,
                             typename columns_up::answers columns_before) const
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
    PRIM_DEVICE void hand_on(const place &p, const run_of_sums (&sums)[HALVES]) const
    {
#pragma unroll
        for (unsigned h = 0; h < HALVES; h++)
#pragma unroll
            for (unsigned i = 0; i < RUN; i++) {
                const unsigned e = h * HALF + prim::lane_id() * RUN + i;
                if (e >= p.lead && e < p.wide)
                    prim::store_relaxed((bits *)carry_out + p.x + e - image.lead,
                                        __builtin_bit_cast(bits, sums[h].at[i]));
            }
    }

    /* Relaxed, as a carry row may be given for both: its entries come in with the first tile row, and the last one,
     * which has heard of that, writes them. */
    using bits = std::conditional_t<sizeof(sum) == 4, uint32_t, uint64_t>;
    PRIM_DEVICE sum carry(int64_t element, bool inside) const
    {
        if (!carry_in || !inside || element < image.lead) return sum();
        return __builtin_bit_cast(sum, prim::load_relaxed((const bits *)carry_in + element - image.lead));
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

    /* Writes a whole row of the warp's sums as they lie in the lanes.  The cache has room for most small
     * tables. */
    PRIM_DEVICE static void write_runs(sum *row, const run_of_sums (&sums)[HALVES])
    {
#pragma unroll
        for (unsigned h = 0; h < HALVES; h++) {
            prim::vec<sum, RUN> v;
#pragma unroll
            for (unsigned i = 0; i < RUN; i++) v.at[i] = sums[h].at[i];
            prim::vec<sum, RUN> *to = (prim::vec<sum, RUN> *)(row + h * HALF) + prim::lane_id();
            if constexpr (Shape::large)
                prim::store_once(to, v);
            else
                prim::store(to, v);
        }
    }

    /* Writes the warp's sums of a row, in a PART the first `wide`, by way of shared memory, so that all that the lanes
     * write at a time is one line of the cache (or several), wherever in one the row begins.  Its first and its last
     * line are parts of one: the lanes that the first has nothing for write the last. */
    template <fit FIT>
    PRIM_DEVICE static void write_row(shared &s, sum *row, const run_of_sums (&sums)[HALVES], unsigned wide)
    {
        constexpr unsigned AT_ONCE = FIT == EVEN ? V : 1;
        using some = prim::vec<sum, AT_ONCE>;
        constexpr unsigned LINE = prim::WARP * AT_ONCE, LINES = WIDTH / LINE;
        const unsigned from = prim::warp_id() * WIDTH, lane = prim::lane_id() * AT_ONCE;
        const unsigned late = (unsigned)((uintptr_t)row / sizeof(sum) % LINE);
#pragma unroll
        for (unsigned h = 0; h < HALVES; h++) tile::set_run(s.above, from + h * HALF, sums[h]);
        prim::warp_sync(); /* the row is there */
        const unsigned ends = lane < late ? WIDTH + lane - late : lane - late;
        const int next = (int)(LINE + lane) - (int)late;
        some v[LINES];
        v[0] = s.above.template get_vector<AT_ONCE>(from + ends);
#pragma unroll
        for (unsigned n = 1; n < LINES; n++)
            v[n] = s.above.template get_vector<AT_ONCE>(from + (unsigned)next + (n - 1) * LINE);
        if (FIT != PART || ends < wide) prim::store((some *)(row + ends), v[0]);
#pragma unroll
        for (unsigned n = 1; n < LINES; n++)
            if (FIT != PART || (int)((n - 1) * LINE) < (int)wide - next)
                prim::store((some *)(row + next) + (n - 1) * prim::WARP, v[n]);
        prim::warp_sync(); /* and has been read */
    }
};

} // namespace fuse
#endif
