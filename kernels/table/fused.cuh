/* fused.cuh - the kernel of fused.cu: a block makes one tile of a table.
 *
 * fused.cu has the idea, and names the sums L, U, B and the steps; fused_tile.cuh has the layout of a tile in a block;
 * fused_lookback.cuh has the look-back and the invariants of recycled slots.
 *
 * The order within the steps hides latencies: descriptors are loaded long before they are decoded, and sums of columns
 * are made while the row descriptors are loaded. */
#ifndef FUSED_CUH
#define FUSED_CUH

#include "prim/block_scan.cuh"
#include "prim/stagger.cuh"
#include "prim/ticket.cuh"
#include "table/fused_lookback.cuh"
#include "table/fused_tile.cuh"
#include "tuning.cuh"

namespace fuse
{

/* The row of the table above the sums of image row 0, where the layout has one. */
enum top_row : uint32_t { TOP_NONE, TOP_ZEROS, TOP_CARRY };

template <class Sample, class Accum, unsigned C, class Shape> struct fused {
    using tile = fuse::tile<Sample, Accum, C, Shape>;
    static constexpr unsigned height = Shape::height;
    using sum = typename tile::sum;
    using part = typename tile::part;
    using run = typename tile::run;
    using region = typename tile::region;
    using warp_rows = typename tile::warp_rows;
    using run_of_sums = fuse::run<sum, C, tile::RUN>;
    static constexpr unsigned threads = Shape::threads, GROUPS = Shape::GROUPS, ROWS = Shape::ROWS;
    static constexpr unsigned RUN = tile::RUN, GROUP = tile::GROUP, WIDTH = tile::WIDTH, WARPS = Shape::WARPS;
    static constexpr int min_blocks = Shape::min_blocks;
    static constexpr unsigned DESCRIPTOR_WORDS = prim::tile_descriptors<sum>::WORDS;
    static constexpr unsigned TILE_WORDS = (WIDTH + C * height) * DESCRIPTOR_WORDS, /* of all its descriptors */
        TILE_BYTES = WIDTH * height * sizeof(Sample);
    static constexpr bool RECYCLES = Shape::large;
    /* Where sums have four times the bytes of samples, memory idles while the first wave looks back: there is little to
     * load and nothing to store yet.  Those blocks prefetch later, and further ahead. */
    static constexpr bool idle_at_start = sizeof(sum) >= 4 * sizeof(Sample);

    struct shared {
        typename tile::storage samples; /* first: aligned for vectors of 16 bytes */
        /* For each warp and element: the column sums of the warp's rows; then its exclusive prefixes of columns, which
         * are the table's row above the warp; then rows that are staged for their stores. */
        alignas(16) prim::array<sum, WARPS * WIDTH> columns;
        prim::var<uint64_t> ticket;
    };

    tile image;
    int64_t elements, rows;                    /* of an image, with its pad */
    descriptor_ring ring;                      /* of the tiles of all images, one image below the other */
    uint32_t image_tiles_y;                    /* rows of tiles of an image */
    sum *out;                                  /* the sum of element 0 of row 0 */
    int64_t out_pitch, out_elements, out_rows; /* those that the layout holds */
    int64_t out_image_pitch;                   /* sums from one table to the next */
    top_row top;
    bool zero_column; /* C zeros before each row */
    const sum *carry_in;
    sum *carry_out;
    uint32_t first_wave; /* blocks that are resident together at the start of a launch */
    uint64_t *counter, *row_descriptors, *column_descriptors; /* of tickets; descriptors of rows and of columns */

    PRIM_DEVICE void operator()(shared &s) const
    {
        const prim::ticket ticket = prim::draw_ticket(counter, s.ticket);
        prim::staggered_start(ticket.number, first_wave, TILE_BYTES);
        const uint32_t tile_y = ticket.number / ring.tiles_x, tile_x = ticket.number % ring.tiles_x;
        const uint32_t number = image_of(tile_y), image_tile_y = tile_y - number * image_tiles_y; /* in the image */
        const unsigned lane = prim::lane_id(), warp = prim::warp_id();
        const region p = region_of(ticket.number);

        /* 1. Begin to load the warp's rows, and to poll what publishing them depends on. */
        warp_rows w = {s.samples, {}};
        image.load(w, p);
        const bool defers_prefetch = idle_at_start && ticket.number < first_wave;
        if (!defers_prefetch) prefetch(ticket.number + tuning::FUSED_AHEAD);
        write_edges(p, number, image_tile_y, tile_x);
        bool slot_free = !RECYCLES || ring.slot_free(ticket.epoch, tile_y, tile_x);

        /* In a batch a slot has owners of fewer and of more rows.  By invariant 6 all of them publish the same
         * descriptors: zeros for rows that an image does not have, and for columns also the last row of tiles of an
         * image. */
        auto left = lookback<sum, C, LEFT, RECYCLES>::of(row_descriptors, ring, ticket.epoch, tile_y,
                                                         (int64_t)C * ring.capacity * height, tile_x, ring.tiles_x);
#pragma unroll
        for (unsigned c = 0; c < C; c++) {
            left.index[c] =
                (((int64_t)tile_x * C + c) * ring.capacity + ring.slot(tile_y)) * height + warp * ROWS + lane;
            left.active[c] = lane < (batch() ? ROWS : p.rows);
        }
        const auto previous_rows = left.load_previous();

        /* 2. The aggregates of the warp's rows: lane r has those of row r.  Publish them. */
        prim::copy_async_wait();
        prim::warp_sync();
        image.align_rows(s.samples, p);
        channels<sum, C> row_prefix;
        channels<sum, C> row_aggregate;
        if constexpr (tile::in_place)
            row_aggregate = scan_rows(w, p);
        else
            row_aggregate = sum_rows(w, p);
        if (batch() && lane >= p.rows) row_aggregate = {};
        while (RECYCLES && !prim::all(slot_free)) {
            prim::nanosleep(tuning::BACKOFF_NS);
            slot_free = ring.slot_free(ticket.epoch, tile_y, tile_x);
        }
        left.publish_aggregate(row_aggregate.of, previous_rows);
        const auto nearest = left.load(); /* decoded in step 3 */
        if (defers_prefetch) prefetch(ticket.number + tuning::FUSED_AHEAD_AT_START);

        /* 3. Sums of columns, while the nearest descriptors are loaded.  Then the look-back: L of each row. */
        typename tile::columns columns[GROUPS] = {};
        sum_columns(w, p, columns);

        const column_lookback up = column_lookback_of(p, ticket.epoch, tile_y, number, image_tile_y);
        const auto previous_columns = up.load_previous();

        left.resolve(row_aggregate.of, nearest, row_prefix.of);
        prim::warp_sync();
        channels<sum, C> prefix_sum; /* the sum of L over the warp's rows */
#pragma unroll
        for (unsigned c = 0; c < C; c++) prefix_sum.of[c] = prim::warp_sum(row_prefix.of[c]);

        /* 4. B of the warp's rows, what they add to the table between their top and bottom: the scan of the column sums
         * along the row, and the sum of L.  Publish B of all warps, and look back: U of each column. */
        fuse::run<part, C, RUN> bottom[GROUPS];
#pragma unroll
        for (unsigned g = 0; g < GROUPS; g++) bottom[g] = columns[g].sums();
        if constexpr (!tile::in_place) scan_bottom(bottom);
#pragma unroll
        for (unsigned g = 0; g < GROUPS; g++) {
            run_of_sums added;
#pragma unroll
            for (unsigned i = 0; i < RUN; i++) added.at[i] = (sum)bottom[g].at[i] + prefix_sum.of[i % C];
            tile::set_run(s.columns, warp * WIDTH + g * GROUP, added);
        }
        prim::block_sync();
        resolve_columns(s, up, previous_columns);
        prim::block_sync();
        if (RECYCLES && prim::thread_id() == 0) ring.publish_done(ticket.epoch, tile_y, tile_x);

        /* 5. The rows of the table, each from the one above: the first from U. */
        run_of_sums sums[GROUPS];
#pragma unroll
        for (unsigned g = 0; g < GROUPS; g++)
            sums[g] = tile::template get_run<run_of_sums>(s.columns, warp * WIDTH + g * GROUP);
        const unsigned out_width = clipped(out_elements - p.x, p.width);
        const unsigned out_height = clipped(out_rows - p.y, p.rows);
        sum *row = out + number * out_image_pitch + p.y * out_pitch + p.x;
        const bool full = out_width == WIDTH && out_height == ROWS;
        const bool aligned = ((uintptr_t)row | out_pitch * sizeof(sum)) % (V * sizeof(sum)) == 0;
        if (V > 1 && full && aligned)
            write<ALIGNED>(s, w, p, row_prefix, sums, row, out_width, out_height);
        else if (full)
            write<MISALIGNED>(s, w, p, row_prefix, sums, row, out_width, out_height);
        else
            write<PARTIAL>(s, w, p, row_prefix, sums, row, out_width, out_height);
        if (carry_out && p.rows > 0 && p.y + p.rows == rows) write_carry(p, number, sums);
    }

    /* A single image skips the division, whose latency small images would notice. */
    PRIM_DEVICE bool batch() const
    {
        return image_tiles_y < ring.tiles_y;
    }
    PRIM_DEVICE uint32_t image_of(uint32_t tile_y) const
    {
        return batch() ? tile_y / image_tiles_y : 0;
    }

    /* The warp's part of a tile. */
    PRIM_DEVICE region region_of(uint32_t ticket) const
    {
        const uint32_t tile_y = ticket / ring.tiles_x, number = image_of(tile_y);
        const int64_t top = (int64_t)(tile_y - number * image_tiles_y) * height;
        /* The warps of a partial tile share its rows evenly. */
        const unsigned tile_rows = rows - top < height ? (unsigned)(rows - top) : height;
        const unsigned each = (tile_rows + WARPS - 1) / WARPS, first = prim::warp_id() * each;
        const unsigned end = first + each < tile_rows ? first + each : tile_rows;
        return image.at(number, (int64_t)(ticket % ring.tiles_x) * WIDTH, top + first, elements,
                        top + (first < end ? end : first));
    }

    /* Prefetches a tile that is not of the first wave, if there is one. */
    PRIM_DEVICE void prefetch(uint32_t ticket) const
    {
        if (Shape::large && ticket >= first_wave && ticket < ring.tiles_x * ring.tiles_y)
            image.prefetch(region_of(ticket));
    }

    /* The sums of the warp's rows; row r is lane r's. */
    PRIM_DEVICE channels<sum, C> sum_rows(const warp_rows &w, const region &p) const
    {
        channels<sum, C> sums_of_row = {};
        each_batch<Shape::BATCH>(p.rows, [&](unsigned from, auto memory) {
            part partial[C][Shape::BATCH] = {};
#pragma unroll
            for (unsigned b = 0; b < Shape::BATCH; b++)
#pragma unroll
                for (unsigned g = 0; g < GROUPS; g++) {
                    const auto sums = image.template get<memory.value>(w, p, from + b, g).sums();
#pragma unroll
                    for (unsigned c = 0; c < C; c++) partial[c][b] += sums.of[c];
                }
#pragma unroll
            for (unsigned c = 0; c < C; c++) {
                const part totals = prim::warp_sums(partial[c]);
                if (prim::lane_id() / Shape::BATCH == from / Shape::BATCH) sums_of_row.of[c] = (sum)totals;
            }
        });
        return sums_of_row;
    }

    /* The same, and replaces the samples by their inclusive prefixes in the row.  In shared memory a lane scans a whole
     * row, which needs no shuffles; a row in registers is scanned by all lanes. */
    PRIM_DEVICE channels<sum, C> scan_rows(warp_rows &w, const region &p) const
    {
        channels<sum, C> sums_of_row = {};
        const unsigned lane = prim::lane_id();
        if (lane < Shape::SHARED_ROWS) sums_of_row = image.scan_row(w, p, lane);
#pragma unroll
        for (unsigned r = Shape::SHARED_ROWS; r < ROWS; r++) {
            run q[GROUPS];
#pragma unroll
            for (unsigned g = 0; g < GROUPS; g++) q[g] = image.template get<tile::REGISTERS>(w, p, r, g);
            const auto prefix = row_scan_of(q);
#pragma unroll
            for (unsigned g = 0; g < GROUPS; g++) {
                q[g] = q[g].scanned(prefix.of(g));
                tile::set_sums(w, r, g, q[g]);
            }
#pragma unroll
            for (unsigned c = 0; c < C; c++) {
                const sum last = prim::shuffle(q[GROUPS - 1].at[RUN - C + c], prim::WARP - 1);
                if (lane == r) sums_of_row.of[c] = last;
            }
        }
        prim::warp_sync(); /* all rows are scanned */
        return sums_of_row;
    }

    /* Sums of columns over the warp's rows: of samples or, in place, of their prefixes in the rows. */
    PRIM_DEVICE void sum_columns(const warp_rows &w, const region &p, typename tile::columns (&columns)[GROUPS]) const
    {
        each_batch<Shape::BATCH>(p.rows, [&](unsigned from, auto memory) {
#pragma unroll
            for (unsigned b = 0; b < Shape::BATCH; b++)
#pragma unroll
                for (unsigned g = 0; g < GROUPS; g++)
                    if constexpr (tile::in_place)
                        columns[g].add(tile::template get_sums<memory.value>(w, from + b, g));
                    else
                        columns[g].add(image.template get<memory.value>(w, p, from + b, g));
        });
    }

    /* Replaces sums of columns by their inclusive scan along the row, for each channel. */
    PRIM_DEVICE static void scan_bottom(fuse::run<part, C, RUN> (&bottom)[GROUPS])
    {
        channels<part, C> sums[GROUPS];
#pragma unroll
        for (unsigned g = 0; g < GROUPS; g++) sums[g] = bottom[g].sums();
        const auto prefix = fuse::row_scan<part, C, GROUPS>::over(sums);
#pragma unroll
        for (unsigned g = 0; g < GROUPS; g++) bottom[g] = bottom[g].scanned(prefix.of(g));
    }

    /* Calls f(first row, memory of the rows) for each BATCH of the warp's rows; the last batch may end with rows of
     * zeros.  Rows in registers are unrolled. */
    template <unsigned BATCH, class F> PRIM_DEVICE static void each_batch(unsigned rows, F f)
    {
        const unsigned in_shared = rows < Shape::SHARED_ROWS ? rows : Shape::SHARED_ROWS;
#pragma unroll 1
        for (unsigned from = 0; from < in_shared; from += BATCH)
            f(from, std::integral_constant<typename tile::memory, tile::SHARED>());
        if (rows > Shape::SHARED_ROWS)
#pragma unroll
            for (unsigned from = Shape::SHARED_ROWS; from < ROWS; from += BATCH)
                f(from, std::integral_constant<typename tile::memory, tile::REGISTERS>());
    }

    /* Sums in a vector that a lane stores, where rows of the table are aligned to it. */
    static constexpr unsigned V = vector_of<WIDTH / prim::WARP, 16 / sizeof(sum)>;

    /* How the warp's rows of the table lie in memory: whole and aligned to vectors, whole, or cut by the table's edge.
     */
    enum fit { ALIGNED, MISALIGNED, PARTIAL };

    /* Makes the rows of the table, each from the one above, and writes those parts that the layout holds. */
    template <fit FIT>
    PRIM_DEVICE void write(shared &s, const warp_rows &w, const region &p, const channels<sum, C> &row_prefix,
                           run_of_sums (&sums)[GROUPS], sum *row, unsigned out_width, unsigned out_height) const
    {
        constexpr unsigned BATCH = FIT == PARTIAL ? 1 : Shape::BATCH;
        each_batch<BATCH>(p.rows, [&](unsigned from, auto memory) {
            fuse::run<part, C, RUN> q[BATCH][GROUPS];
#pragma unroll
            for (unsigned b = 0; b < BATCH; b++) scanned_row<memory.value>(w, p, from + b, q[b]);
#pragma unroll
            for (unsigned b = 0; b < BATCH; b++, row += out_pitch) {
                channels<sum, C> prefix;
#pragma unroll
                for (unsigned c = 0; c < C; c++) prefix.of[c] = prim::shuffle(row_prefix.of[c], from + b);
#pragma unroll
                for (unsigned g = 0; g < GROUPS; g++)
#pragma unroll
                    for (unsigned i = 0; i < RUN; i++) sums[g].at[i] += (sum)q[b][g].at[i] + prefix.of[i % C];
                if constexpr (FIT == ALIGNED && V == RUN)
                    write_runs(row, sums);
                else
                    write_row<FIT>(s, row, sums, from + b < out_height ? out_width : 0);
            }
        });
    }

    /* Row r as inclusive prefixes in the row. */
    template <typename tile::memory FROM>
    PRIM_DEVICE void scanned_row(const warp_rows &w, const region &p, unsigned r,
                                 fuse::run<part, C, RUN> (&row)[GROUPS]) const
    {
        if constexpr (tile::in_place) {
#pragma unroll
            for (unsigned g = 0; g < GROUPS; g++) row[g] = tile::template get_sums<FROM>(w, r, g);
        } else {
            run q[GROUPS];
#pragma unroll
            for (unsigned g = 0; g < GROUPS; g++) q[g] = image.template get<FROM>(w, p, r, g);
            const auto prefix = row_scan_of(q);
#pragma unroll
            for (unsigned g = 0; g < GROUPS; g++) row[g] = q[g].scanned(prefix.of(g));
        }
    }

    PRIM_DEVICE static typename tile::row_scan row_scan_of(const run (&q)[GROUPS])
    {
        channels<part, C> sums[GROUPS];
#pragma unroll
        for (unsigned g = 0; g < GROUPS; g++) sums[g] = q[g].sums();
        return tile::row_scan::over(sums);
    }

    PRIM_DEVICE static unsigned clipped(int64_t n, unsigned most)
    {
        return n < 0 ? 0 : n < most ? (unsigned)n : most;
    }

    /* A thread looks back up COLUMNS columns: thread_id() and each `threads` columns further on. */
    static constexpr unsigned COLUMNS = (WIDTH + threads - 1) / threads;
    using column_lookback = lookback<sum, COLUMNS, UP, RECYCLES>;
    PRIM_DEVICE column_lookback column_lookback_of(const region &p, uint32_t launch, uint32_t tile_y, uint32_t number,
                                                   uint32_t image_tile_y) const
    {
        const uint32_t tiles = image_tiles_y + batch(); /* publishes(): see operator() */
        column_lookback l =
            column_lookback::of(column_descriptors, ring, launch, tile_y, elements, image_tile_y, tiles);
#pragma unroll
        for (unsigned n = 0; n < COLUMNS; n++) {
            const unsigned e = n * threads + prim::thread_id();
            l.active[n] = e < p.width;
            l.index[n] = ring.slot(tile_y) * elements + p.x + e;
            l.first[n] = image_tile_y == 0 ? carry(number, p.x + e, e < p.width) : sum();
        }
        return l;
    }

    /* Turns the warps' sums of columns into exclusive prefixes: adds those of the warps above, and the exclusive prefix
     * of the tile. */
    PRIM_DEVICE void resolve_columns(shared &s, const column_lookback &l,
                                     typename column_lookback::loads previous) const
    {
        sum aggregate[COLUMNS], prefix[COLUMNS];
#pragma unroll
        for (unsigned n = 0; n < COLUMNS; n++) {
            const unsigned e = n * threads + prim::thread_id();
            aggregate[n] = sum();
#pragma unroll
            for (unsigned w = 0; w < WARPS; w++)
                if (e < WIDTH) aggregate[n] += s.columns.get(w * WIDTH + e);
        }
        l.publish_aggregate(aggregate, previous);
        l.resolve(aggregate, l.load(), prefix);
#pragma unroll
        for (unsigned n = 0; n < COLUMNS; n++) {
            const unsigned e = n * threads + prim::thread_id();
            sum running = prefix[n];
#pragma unroll
            for (unsigned w = 0; w < WARPS; w++)
                if (e < WIDTH) {
                    const sum of_warp = s.columns.get(w * WIDTH + e);
                    s.columns.set(w * WIDTH + e, running);
                    running += of_warp;
                }
        }
    }

    /* The carry row for the next band: the last row of the table. */
    PRIM_DEVICE void write_carry(const region &p, uint32_t number, const run_of_sums (&sums)[GROUPS]) const
    {
#pragma unroll
        for (unsigned g = 0; g < GROUPS; g++)
#pragma unroll
            for (unsigned i = 0; i < RUN; i++) {
                const unsigned e = g * GROUP + prim::lane_id() * RUN + i;
                if (e >= p.pad && e < p.width)
                    prim::store_relaxed((bits *)carry_out + carry_index(number, p.x + e),
                                        __builtin_bit_cast(bits, sums[g].at[i]));
            }
    }

    /* carry_in and carry_out may be one row, so that both are accessed by relaxed words.  The first row of tiles loads
     * an entry, and the last row stores it after its look-back up the column, to which that load contributes.  The load
     * for the edge above is the same thread's, and an earlier one. */
    using bits = std::conditional_t<sizeof(sum) == 4, uint32_t, uint64_t>;
    PRIM_DEVICE sum carry(uint32_t number, int64_t element, bool inside) const
    {
        if (!carry_in || !inside || element < image.pad) return sum();
        return __builtin_bit_cast(sum, prim::load_relaxed((const bits *)carry_in + carry_index(number, element)));
    }
    /* The carry rows of images follow one another, without pads. */
    PRIM_DEVICE int64_t carry_index(uint32_t number, int64_t element) const
    {
        return number * (elements - image.pad) + element - image.pad;
    }

    /* The table's row above the sums of image row 0, and its column of zeros. */
    PRIM_DEVICE void write_edges(const region &p, uint32_t number, uint32_t image_tile_y, uint32_t tile_x) const
    {
        sum *first = out + number * out_image_pitch, *above = first - out_pitch;
        if (top != TOP_NONE && image_tile_y == 0)
            for (unsigned e = prim::thread_id(); e < p.width; e += threads)
                if (p.x + e < out_elements)
                    prim::store(above + p.x + e, top == TOP_CARRY ? carry(number, p.x + e, true) : sum());
        if (!zero_column || tile_x != 0) return;
        if (top != TOP_NONE && image_tile_y == 0 && prim::thread_id() < C)
            prim::store(above - C + prim::thread_id(), sum());
        for (unsigned i = prim::lane_id(); i < p.rows * C; i += prim::WARP)
            if (p.y + i / C < out_rows) prim::store(first + (p.y + i / C) * out_pitch - C + i % C, sum());
    }

    /* Writes a row from the lanes' runs.  Large tables are streamed; most small ones fit the cache. */
    PRIM_DEVICE static void write_runs(sum *row, const run_of_sums (&sums)[GROUPS])
    {
#pragma unroll
        for (unsigned g = 0; g < GROUPS; g++) {
            prim::vec<sum, RUN> v;
#pragma unroll
            for (unsigned i = 0; i < RUN; i++) v.at[i] = sums[g].at[i];
            prim::vec<sum, RUN> *to = (prim::vec<sum, RUN> *)(row + g * GROUP) + prim::lane_id();
            if constexpr (Shape::large)
                prim::store_streaming(to, v);
            else
                prim::store(to, v);
        }
    }

    /* Writes a row by way of shared memory, so that each store of a warp covers whole cache lines, at any misalignment
     * of the row.  PARTIAL: its first `width` sums.  The first and the last line of a row are partial, and share one
     * store: lanes in front of the row's first sum store its last sums instead. */
    template <fit FIT>
    PRIM_DEVICE static void write_row(shared &s, sum *row, const run_of_sums (&sums)[GROUPS], unsigned width)
    {
        constexpr unsigned AT_ONCE = FIT == ALIGNED ? V : 1;
        using vector = prim::vec<sum, AT_ONCE>;
        constexpr unsigned LINE = prim::WARP * AT_ONCE, LINES = WIDTH / LINE;
        const unsigned from = prim::warp_id() * WIDTH, lane = prim::lane_id() * AT_ONCE;
        const unsigned misalignment = (unsigned)((uintptr_t)row / sizeof(sum) % LINE);
#pragma unroll
        for (unsigned g = 0; g < GROUPS; g++) tile::set_run(s.columns, from + g * GROUP, sums[g]);
        prim::warp_sync(); /* the row is staged */
        const unsigned ends = lane < misalignment ? WIDTH + lane - misalignment : lane - misalignment;
        const int next = (int)(LINE + lane) - (int)misalignment;
        vector v[LINES];
        v[0] = s.columns.template get_vector<AT_ONCE>(from + ends);
#pragma unroll
        for (unsigned n = 1; n < LINES; n++)
            v[n] = s.columns.template get_vector<AT_ONCE>(from + (unsigned)next + (n - 1) * LINE);
        if (FIT != PARTIAL || ends < width) prim::store((vector *)(row + ends), v[0]);
#pragma unroll
        for (unsigned n = 1; n < LINES; n++)
            if (FIT != PARTIAL || (int)((n - 1) * LINE) < (int)width - next)
                prim::store((vector *)(row + next) + (n - 1) * prim::WARP, v[n]);
        prim::warp_sync(); /* the row has been read */
    }
};

} // namespace fuse
#endif
