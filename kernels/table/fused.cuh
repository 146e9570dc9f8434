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
    using tile_loader = fuse::tile_loader<Sample, Accum, C, Shape>;
    static constexpr unsigned height = Shape::height;
    using sum = typename tile_loader::sum;
    using tile_sum = typename tile_loader::tile_sum;
    using lane_items = typename tile_loader::lane_items;
    using warp_region = typename tile_loader::warp_region;
    using warp_rows = typename tile_loader::warp_rows;
    using lane_sums = fuse::lane_items<sum, C, tile_loader::LANE_ITEMS>;
    static constexpr unsigned threads = Shape::threads, GROUPS = Shape::GROUPS, ROWS = Shape::ROWS;
    static constexpr unsigned LANE_ITEMS = tile_loader::LANE_ITEMS, GROUP = tile_loader::GROUP,
                              WIDTH = tile_loader::WIDTH, WARPS = Shape::WARPS;
    static constexpr int min_blocks = Shape::min_blocks;
    static constexpr unsigned DESCRIPTOR_WORDS = prim::tile_descriptors<sum>::WORDS;
    static constexpr unsigned TILE_WORDS = (WIDTH + C * height) * DESCRIPTOR_WORDS, /* of all its descriptors */
        TILE_BYTES = WIDTH * height * sizeof(Sample);
    static constexpr bool RECYCLES = Shape::large;
    /* Where sums have four times the bytes of samples, memory idles while the first wave looks back: there is little to
     * load and nothing to store yet.  Those blocks prefetch later, and further ahead. */
    static constexpr bool idle_at_start = sizeof(sum) >= 4 * sizeof(Sample);

    struct shared {
        typename tile_loader::storage samples; /* first: aligned for vectors of 16 bytes */
        /* For each warp and element: the column sums of the warp's rows; then its exclusive prefixes of columns, which
         * are the table's row above the warp; then rows that are staged for their stores. */
        alignas(16) prim::array<sum, WARPS * WIDTH> columns;
        prim::var<uint64_t> ticket;
    };

    tile_loader loader;
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
        const uint32_t image_index = image_of(tile_y),
                       image_tile_y = tile_y - image_index * image_tiles_y; /* in the image */
        const unsigned lane = prim::lane_id(), warp = prim::warp_id();
        const warp_region region = region_of(ticket.number);

        /* 1. Begin to load the warp's rows, and to poll what publishing them depends on. */
        warp_rows w = {s.samples, {}};
        loader.load(w, region);
        const bool defers_prefetch = idle_at_start && ticket.number < first_wave;
        if (!defers_prefetch) prefetch(ticket.number + tuning::FUSED_AHEAD);
        write_edges(region, image_index, image_tile_y, tile_x);
        bool slot_free = !RECYCLES || ring.slot_free(ticket.launch, tile_y, tile_x);

        /* In a batch a slot has owners of fewer and of more rows.  By invariant 6 all of them publish the same
         * descriptors: zeros for rows that an image does not have, and for columns also the last row of tiles of an
         * image. */
        auto lookback_left = lookback<sum, C, LEFT, RECYCLES>::for_tile(
            row_descriptors, ring, ticket.launch, tile_y, (int64_t)C * ring.capacity * height, tile_x, ring.tiles_x);
#pragma unroll
        for (unsigned c = 0; c < C; c++) {
            lookback_left.index[c] =
                (((int64_t)tile_x * C + c) * ring.capacity + ring.slot(tile_y)) * height + warp * ROWS + lane;
            lookback_left.active[c] = lane < (is_batch() ? ROWS : region.rows);
        }
        const auto previous_rows = lookback_left.load_previous();

        /* 2. The aggregates of the warp's rows: lane r has those of row r.  Publish them. */
        prim::copy_async_wait();
        prim::warp_sync();
        loader.align_rows(s.samples, region);
        channels<sum, C> row_prefix;
        channels<sum, C> row_aggregate;
        if constexpr (tile_loader::in_place)
            row_aggregate = scan_rows(w, region);
        else
            row_aggregate = sum_rows(w, region);
        if (is_batch() && lane >= region.rows) row_aggregate = {};
        while (RECYCLES && !prim::all(slot_free)) {
            prim::nanosleep(tuning::BACKOFF_NS);
            slot_free = ring.slot_free(ticket.launch, tile_y, tile_x);
        }
        lookback_left.publish_aggregate(row_aggregate.channel, previous_rows);
        const auto nearest = lookback_left.load(); /* decoded in step 3 */
        if (defers_prefetch) prefetch(ticket.number + tuning::FUSED_AHEAD_AT_START);

        /* 3. Sums of columns, while the nearest descriptors are loaded.  Then the look-back: L of each row. */
        typename tile_loader::columns columns[GROUPS] = {};
        sum_columns(w, region, columns);

        const column_lookback lookback_up =
            column_lookback_of(region, ticket.launch, tile_y, image_index, image_tile_y);
        const auto previous_columns = lookback_up.load_previous();

        lookback_left.resolve(row_aggregate.channel, nearest, row_prefix.channel);
        prim::warp_sync();
        channels<sum, C> prefix_sum; /* the sum of L over the warp's rows */
#pragma unroll
        for (unsigned c = 0; c < C; c++) prefix_sum.channel[c] = prim::warp_sum(row_prefix.channel[c]);

        /* 4. B of the warp's rows, what they add to the table between their top and bottom: the scan of the column sums
         * along the row, and the sum of L.  Publish B of all warps, and look back: U of each column. */
        fuse::lane_items<tile_sum, C, LANE_ITEMS> bottom[GROUPS];
#pragma unroll
        for (unsigned g = 0; g < GROUPS; g++) bottom[g] = columns[g].sums();
        if constexpr (!tile_loader::in_place) scan_bottom(bottom);
#pragma unroll
        for (unsigned g = 0; g < GROUPS; g++) {
            lane_sums added;
#pragma unroll
            for (unsigned i = 0; i < LANE_ITEMS; i++) added.at[i] = (sum)bottom[g].at[i] + prefix_sum.channel[i % C];
            tile_loader::set_items(s.columns, warp * WIDTH + g * GROUP, added);
        }
        prim::block_sync();
        resolve_columns(s, lookback_up, previous_columns);
        prim::block_sync();
        if (RECYCLES && prim::thread_id() == 0) ring.publish_done(ticket.launch, tile_y, tile_x);

        /* 5. The rows of the table, each from the one above: the first from U. */
        lane_sums sums[GROUPS];
#pragma unroll
        for (unsigned g = 0; g < GROUPS; g++)
            sums[g] = tile_loader::template get_items<lane_sums>(s.columns, warp * WIDTH + g * GROUP);
        const unsigned out_width = clipped(out_elements - region.x, region.width);
        const unsigned out_height = clipped(out_rows - region.y, region.rows);
        sum *row = out + image_index * out_image_pitch + region.y * out_pitch + region.x;
        const bool full = out_width == WIDTH && out_height == ROWS;
        const bool aligned = ((uintptr_t)row | out_pitch * sizeof(sum)) % (VECTOR_SUMS * sizeof(sum)) == 0;
        if (VECTOR_SUMS > 1 && full && aligned)
            write<ALIGNED>(s, w, region, row_prefix, sums, row, out_width, out_height);
        else
            write<OTHERS>(s, w, region, row_prefix, sums, row, out_width, out_height);
        if (carry_out && region.rows > 0 && region.y + region.rows == rows) write_carry(region, image_index, sums);
    }

    /* Whether the launch has several images. */
    PRIM_DEVICE bool is_batch() const
    {
        return image_tiles_y < ring.tiles_y;
    }

    /* The image of a row of tiles.  A single image skips the division, whose latency small images would notice. */
    PRIM_DEVICE uint32_t image_of(uint32_t tile_y) const
    {
        return is_batch() ? tile_y / image_tiles_y : 0;
    }

    /* The warp's part of a tile. */
    PRIM_DEVICE warp_region region_of(uint32_t ticket) const
    {
        const uint32_t tile_y = ticket / ring.tiles_x, image_index = image_of(tile_y);
        const int64_t top = (int64_t)(tile_y - image_index * image_tiles_y) * height;
        /* The warps of a partial tile share its rows evenly. */
        const unsigned tile_rows = rows - top < height ? (unsigned)(rows - top) : height;
        const unsigned each = (tile_rows + WARPS - 1) / WARPS, first = prim::warp_id() * each;
        const unsigned end = first + each < tile_rows ? first + each : tile_rows;
        return loader.at(image_index, (int64_t)(ticket % ring.tiles_x) * WIDTH, top + first, elements,
                         top + (first < end ? end : first));
    }

    /* Prefetches a tile that is not of the first wave, if there is one. */
    PRIM_DEVICE void prefetch(uint32_t ticket) const
    {
        if (Shape::large && ticket >= first_wave && ticket < ring.tiles_x * ring.tiles_y)
            loader.prefetch(region_of(ticket));
    }

    /* The sums of the warp's rows; row r is lane r's. */
    PRIM_DEVICE channels<sum, C> sum_rows(const warp_rows &w, const warp_region &region) const
    {
        channels<sum, C> sums_of_row = {};
        for_rows_at_once<Shape::ROWS_AT_ONCE>(region.rows, [&](unsigned from, auto memory) {
            tile_sum partial[C][Shape::ROWS_AT_ONCE] = {};
#pragma unroll
            for (unsigned n = 0; n < Shape::ROWS_AT_ONCE; n++)
#pragma unroll
                for (unsigned g = 0; g < GROUPS; g++) {
                    const auto sums = loader.template get<memory.value>(w, region, from + n, g).sums();
#pragma unroll
                    for (unsigned c = 0; c < C; c++) partial[c][n] += sums.channel[c];
                }
#pragma unroll
            for (unsigned c = 0; c < C; c++) {
                const tile_sum totals = prim::warp_sums(partial[c]);
                if (prim::lane_id() / Shape::ROWS_AT_ONCE == from / Shape::ROWS_AT_ONCE)
                    sums_of_row.channel[c] = (sum)totals;
            }
        });
        return sums_of_row;
    }

    /* The same, and replaces the samples by their inclusive prefixes in the row.  In shared memory a lane scans a whole
     * row, which needs no shuffles; a row in registers is scanned by all lanes. */
    PRIM_DEVICE channels<sum, C> scan_rows(warp_rows &w, const warp_region &region) const
    {
        channels<sum, C> sums_of_row = {};
        const unsigned lane = prim::lane_id();
        if (lane < Shape::SHARED_ROWS) sums_of_row = loader.scan_row(w, region, lane);
#pragma unroll
        for (unsigned r = Shape::SHARED_ROWS; r < ROWS; r++) {
            lane_items q[GROUPS];
#pragma unroll
            for (unsigned g = 0; g < GROUPS; g++) q[g] = loader.template get<tile_loader::REGISTERS>(w, region, r, g);
            const auto scan = row_scan_of(q);
#pragma unroll
            for (unsigned g = 0; g < GROUPS; g++) {
                q[g] = q[g].scanned(scan.prefix_of(g));
                tile_loader::set_sums(w, r, g, q[g]);
            }
#pragma unroll
            for (unsigned c = 0; c < C; c++) {
                const sum last = prim::shuffle(q[GROUPS - 1].at[LANE_ITEMS - C + c], prim::WARP - 1);
                if (lane == r) sums_of_row.channel[c] = last;
            }
        }
        prim::warp_sync(); /* all rows are scanned */
        return sums_of_row;
    }

    /* Sums of columns over the warp's rows: of samples or, in place, of their prefixes in the rows. */
    PRIM_DEVICE void sum_columns(const warp_rows &w, const warp_region &region,
                                 typename tile_loader::columns (&columns)[GROUPS]) const
    {
        for_rows_at_once<Shape::ROWS_AT_ONCE>(region.rows, [&](unsigned from, auto memory) {
#pragma unroll
            for (unsigned n = 0; n < Shape::ROWS_AT_ONCE; n++)
#pragma unroll
                for (unsigned g = 0; g < GROUPS; g++)
                    if constexpr (tile_loader::in_place)
                        columns[g].add(tile_loader::template get_sums<memory.value>(w, from + n, g));
                    else
                        columns[g].add(loader.template get<memory.value>(w, region, from + n, g));
        });
    }

    /* Replaces sums of columns by their inclusive scan along the row, for each channel. */
    PRIM_DEVICE static void scan_bottom(fuse::lane_items<tile_sum, C, LANE_ITEMS> (&bottom)[GROUPS])
    {
        channels<tile_sum, C> sums[GROUPS];
#pragma unroll
        for (unsigned g = 0; g < GROUPS; g++) sums[g] = bottom[g].sums();
        const auto scan = fuse::row_scan<tile_sum, C, GROUPS>::over(sums);
#pragma unroll
        for (unsigned g = 0; g < GROUPS; g++) bottom[g] = bottom[g].scanned(scan.prefix_of(g));
    }

    /* Calls f(first row, memory of the rows) for each ROWS_AT_ONCE of the warp's rows; the last of these may be rows of
     * zeros.  Rows in registers are unrolled. */
    template <unsigned ROWS_AT_ONCE, class F> PRIM_DEVICE static void for_rows_at_once(unsigned rows, F f)
    {
        const unsigned in_shared = rows < Shape::SHARED_ROWS ? rows : Shape::SHARED_ROWS;
#pragma unroll 1
        for (unsigned from = 0; from < in_shared; from += ROWS_AT_ONCE)
            f(from, std::integral_constant<typename tile_loader::memory, tile_loader::SHARED>());
        if (rows > Shape::SHARED_ROWS)
#pragma unroll
            for (unsigned from = Shape::SHARED_ROWS; from < ROWS; from += ROWS_AT_ONCE)
                f(from, std::integral_constant<typename tile_loader::memory, tile_loader::REGISTERS>());
    }

    /* Sums in a vector that a lane stores, where rows of the table are aligned to it. */
    static constexpr unsigned VECTOR_SUMS = vector_of<WIDTH / prim::WARP, 16 / sizeof(sum)>;

    /* How the warp's rows of the table lie in memory: whole and aligned to vectors; or others, which may be cut by the
     * table's edge. */
    enum fit { ALIGNED, OTHERS };

    /* Makes the rows of the table, each from the one above, and writes those parts that the layout holds. */
    template <fit FIT>
    PRIM_DEVICE void write(shared &s, const warp_rows &w, const warp_region &region, const channels<sum, C> &row_prefix,
                           lane_sums (&sums)[GROUPS], sum *row, unsigned out_width, unsigned out_height) const
    {
        constexpr unsigned ROWS_AT_ONCE = FIT == ALIGNED ? Shape::ROWS_AT_ONCE : 1;
        for_rows_at_once<ROWS_AT_ONCE>(region.rows, [&](unsigned from, auto memory) {
            fuse::lane_items<tile_sum, C, LANE_ITEMS> q[ROWS_AT_ONCE][GROUPS];
#pragma unroll
            for (unsigned n = 0; n < ROWS_AT_ONCE; n++) scanned_row<memory.value>(w, region, from + n, q[n]);
#pragma unroll
            for (unsigned n = 0; n < ROWS_AT_ONCE; n++, row += out_pitch) {
                channels<sum, C> prefix;
#pragma unroll
                for (unsigned c = 0; c < C; c++) prefix.channel[c] = prim::shuffle(row_prefix.channel[c], from + n);
#pragma unroll
                for (unsigned g = 0; g < GROUPS; g++)
#pragma unroll
                    for (unsigned i = 0; i < LANE_ITEMS; i++)
                        sums[g].at[i] += (sum)q[n][g].at[i] + prefix.channel[i % C];
                if constexpr (FIT == ALIGNED && VECTOR_SUMS == LANE_ITEMS)
                    write_items(row, sums);
                else
                    write_row<FIT>(s, row, sums, from + n < out_height ? out_width : 0);
            }
        });
    }

    /* Row r as inclusive prefixes in the row. */
    template <typename tile_loader::memory FROM>
    PRIM_DEVICE void scanned_row(const warp_rows &w, const warp_region &region, unsigned r,
                                 fuse::lane_items<tile_sum, C, LANE_ITEMS> (&row)[GROUPS]) const
    {
        if constexpr (tile_loader::in_place) {
#pragma unroll
            for (unsigned g = 0; g < GROUPS; g++) row[g] = tile_loader::template get_sums<FROM>(w, r, g);
        } else {
            lane_items q[GROUPS];
#pragma unroll
            for (unsigned g = 0; g < GROUPS; g++) q[g] = loader.template get<FROM>(w, region, r, g);
            const auto scan = row_scan_of(q);
#pragma unroll
            for (unsigned g = 0; g < GROUPS; g++) row[g] = q[g].scanned(scan.prefix_of(g));
        }
    }

    PRIM_DEVICE static typename tile_loader::row_scan row_scan_of(const lane_items (&q)[GROUPS])
    {
        channels<tile_sum, C> sums[GROUPS];
#pragma unroll
        for (unsigned g = 0; g < GROUPS; g++) sums[g] = q[g].sums();
        return tile_loader::row_scan::over(sums);
    }

    PRIM_DEVICE static unsigned clipped(int64_t n, unsigned most)
    {
        return n < 0 ? 0 : n < most ? (unsigned)n : most;
    }

    /* A thread looks back up COLUMNS columns: thread_id() and each `threads` columns further on. */
    static constexpr unsigned COLUMNS = (WIDTH + threads - 1) / threads;
    using column_lookback = lookback<sum, COLUMNS, UP, RECYCLES>;
    PRIM_DEVICE column_lookback column_lookback_of(const warp_region &region, uint32_t launch, uint32_t tile_y,
                                                   uint32_t image_index, uint32_t image_tile_y) const
    {
        const uint32_t tiles = image_tiles_y + is_batch(); /* publishes(): see operator() */
        column_lookback l =
            column_lookback::for_tile(column_descriptors, ring, launch, tile_y, elements, image_tile_y, tiles);
#pragma unroll
        for (unsigned n = 0; n < COLUMNS; n++) {
            const unsigned e = n * threads + prim::thread_id();
            l.active[n] = e < region.width;
            l.index[n] = ring.slot(tile_y) * elements + region.x + e;
            l.initial_value[n] = image_tile_y == 0 ? carry(image_index, region.x + e, e < region.width) : sum();
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
    PRIM_DEVICE void write_carry(const warp_region &region, uint32_t image_index, const lane_sums (&sums)[GROUPS]) const
    {
#pragma unroll
        for (unsigned g = 0; g < GROUPS; g++)
#pragma unroll
            for (unsigned i = 0; i < LANE_ITEMS; i++) {
                const unsigned e = g * GROUP + prim::lane_id() * LANE_ITEMS + i;
                if (e >= region.pad && e < region.width)
                    prim::store_relaxed((bits *)carry_out + carry_index(image_index, region.x + e),
                                        __builtin_bit_cast(bits, sums[g].at[i]));
            }
    }

    /* carry_in and carry_out may be one row, so that both are accessed by relaxed words.  The first row of tiles loads
     * an entry, and the last row stores it after its look-back up the column, to which that load contributes.  The load
     * for the edge above is the same thread's, and an earlier one. */
    using bits = std::conditional_t<sizeof(sum) == 4, uint32_t, uint64_t>;
    PRIM_DEVICE sum carry(uint32_t image_index, int64_t element, bool inside) const
    {
        if (!carry_in || !inside || element < loader.pad) return sum();
        return __builtin_bit_cast(sum, prim::load_relaxed((const bits *)carry_in + carry_index(image_index, element)));
    }
    /* The carry rows of images follow one another, without pads. */
    PRIM_DEVICE int64_t carry_index(uint32_t image_index, int64_t element) const
    {
        return image_index * (elements - loader.pad) + element - loader.pad;
    }

    /* The table's row above the sums of image row 0, and its column of zeros. */
    PRIM_DEVICE void write_edges(const warp_region &region, uint32_t image_index, uint32_t image_tile_y,
                                 uint32_t tile_x) const
    {
        sum *first = out + image_index * out_image_pitch, *above = first - out_pitch;
        if (top != TOP_NONE && image_tile_y == 0)
            for (unsigned e = prim::thread_id(); e < region.width; e += threads)
                if (region.x + e < out_elements)
                    prim::store(above + region.x + e,
                                top == TOP_CARRY ? carry(image_index, region.x + e, true) : sum());
        if (!zero_column || tile_x != 0) return;
        if (top != TOP_NONE && image_tile_y == 0 && prim::thread_id() < C)
            prim::store(above - C + prim::thread_id(), sum());
        for (unsigned i = prim::lane_id(); i < region.rows * C; i += prim::WARP)
            if (region.y + i / C < out_rows) prim::store(first + (region.y + i / C) * out_pitch - C + i % C, sum());
    }

    /* Writes a row from the lanes' items.  Large tables are streamed; most small ones fit the cache. */
    PRIM_DEVICE static void write_items(sum *row, const lane_sums (&sums)[GROUPS])
    {
#pragma unroll
        for (unsigned g = 0; g < GROUPS; g++) {
            prim::vec<sum, LANE_ITEMS> v;
#pragma unroll
            for (unsigned i = 0; i < LANE_ITEMS; i++) v.at[i] = sums[g].at[i];
            prim::vec<sum, LANE_ITEMS> *to = (prim::vec<sum, LANE_ITEMS> *)(row + g * GROUP) + prim::lane_id();
            if constexpr (Shape::large)
                prim::store_streaming(to, v);
            else
                prim::store(to, v);
        }
    }

    /* Writes a row by way of shared memory, so that each store of a warp covers whole cache lines, at any misalignment
     * of the row.  OTHERS: its first `width` sums.  The first and the last line of a row are partial, and share one
     * store: lanes in front of the row's first sum store its last sums instead. */
    template <fit FIT>
    PRIM_DEVICE static void write_row(shared &s, sum *row, const lane_sums (&sums)[GROUPS], unsigned width)
    {
        constexpr unsigned AT_ONCE = FIT == ALIGNED ? VECTOR_SUMS : 1;
        using vector = prim::vec<sum, AT_ONCE>;
        constexpr unsigned LINE = prim::WARP * AT_ONCE, LINES = WIDTH / LINE;
        const unsigned from = prim::warp_id() * WIDTH, lane = prim::lane_id() * AT_ONCE;
        const unsigned misalignment = (unsigned)((uintptr_t)row / sizeof(sum) % LINE);
#pragma unroll
        for (unsigned g = 0; g < GROUPS; g++) tile_loader::set_items(s.columns, from + g * GROUP, sums[g]);
        prim::warp_sync(); /* the row is staged */
        const unsigned ends = lane < misalignment ? WIDTH + lane - misalignment : lane - misalignment;
        const int next = (int)(LINE + lane) - (int)misalignment;
        vector v[LINES];
        v[0] = s.columns.template get_vector<AT_ONCE>(from + ends);
#pragma unroll
        for (unsigned n = 1; n < LINES; n++)
            v[n] = s.columns.template get_vector<AT_ONCE>(from + (unsigned)next + (n - 1) * LINE);
        if (FIT == ALIGNED || ends < width) prim::store((vector *)(row + ends), v[0]);
#pragma unroll
        for (unsigned n = 1; n < LINES; n++)
            if (FIT == ALIGNED || (int)((n - 1) * LINE) < (int)width - next)
                prim::store((vector *)(row + next) + (n - 1) * prim::WARP, v[n]);
        prim::warp_sync(); /* the row has been read */
    }
};

} // namespace fuse
#endif
