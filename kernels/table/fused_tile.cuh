/* fused_tile.cuh - a tile of an image as a block holds it, from its loads until its exclusive prefixes are known.
 *
 * Elements are samples with their channels interleaved: a row of W pixels has W * C of them.  A tile is WARPS * ROWS
 * rows.  A row is GROUPS column groups.  Warp w owns ROWS whole rows.  In each column group a lane owns LANE_ITEMS
 * neighbouring elements: its items.
 *
 *             group 0                  group 1
 *     lane     0 | 1 | 2 | ... | 31     0 | 1 | ... | 31
 *     row 0   e e e e ...                                        warp 0: ROWS rows
 *     row 1   ...
 *
 * LANE_ITEMS is 4.  With three channels it is 12 for bytes, and 6 for other samples: a multiple of three, so that the
 * items of every lane begin with channel 0.
 *
 * Rows lie in shared memory as words of 4 bytes (8 for samples of 8).  Rows of samples of 1 and 2 bytes may begin at
 * any address.  They are copied as 16-byte vectors, from the vector on that holds their first element, and then moved
 * by their misalignment to the front.
 *
 * A warp's last rows may be held in registers: a multiprocessor whose shared memory is full of tiles has registers
 * left, and more rows held are more bytes in flight. */
#ifndef FUSED_TILE_CUH
#define FUSED_TILE_CUH

#include "prim/warp_scan.cuh"
#include "scan.cuh"

namespace fuse
{

/* RESIDENT: blocks on a multiprocessor.  REGISTER_ROWS: rows of a warp that are held in registers. */
template <unsigned GROUPS_, unsigned WARPS_, unsigned ROWS_, int RESIDENT, bool LARGE, unsigned REGISTER_ROWS_>
struct shape {
    static constexpr unsigned GROUPS = GROUPS_, WARPS = WARPS_, ROWS = ROWS_, REGISTER_ROWS = REGISTER_ROWS_,
                              SHARED_ROWS = ROWS - REGISTER_ROWS;
    static constexpr unsigned threads = WARPS * prim::WARP, height = WARPS * ROWS;
    static constexpr int min_blocks = RESIDENT;
    /* For images of many tiles: descriptors are recycled, tiles prefetched, and sums stored past the cache. */
    static constexpr bool large = LARGE;
    static_assert(ROWS <= prim::WARP, "a lane holds the sums of a row");
    /* Rows that a warp handles at once, so that their latencies overlap. */
    static constexpr unsigned ROWS_AT_ONCE = SHARED_ROWS % 4 == 0 && REGISTER_ROWS % 4 == 0 ? 4 : 1;
};

/* ---- a lane's items ------------------------------------------------------------------------------------ */

/* A value for each channel. */
template <class T, unsigned C> struct channels {
    T channel[C];
};

/* A lane's N elements of one row, a multiple of C. */
template <class T, unsigned C, unsigned N> struct lane_items {
    T at[N];

    PRIM_DEVICE channels<T, C> sums() const
    {
        channels<T, C> s;
#pragma unroll
        for (unsigned i = 0; i < N; i++) s.channel[i % C] = i < C ? at[i] : s.channel[i % C] + at[i];
        return s;
    }

    /* The inclusive scan of each channel, from an exclusive prefix of each. */
    PRIM_DEVICE lane_items scanned(const channels<T, C> &prefix) const
    {
        lane_items r;
#pragma unroll
        for (unsigned i = 0; i < N; i++) r.at[i] = (i < C ? prefix.channel[i % C] : r.at[(i - C) % N]) + at[i];
        return r;
    }
};

/* The same for bytes, four to a word. */
template <unsigned C, unsigned N> struct lane_bytes {
    uint32_t w[N / 4];

    /* Ones for the bytes of word k that are of channel c, up to element `last`. */
    PRIM_DEVICE static constexpr uint32_t ones(unsigned k, unsigned c, unsigned last)
    {
        uint32_t bytes = 0;
        for (unsigned i = 4 * k; i < 4 * k + 4 && i <= last; i++)
            if (i % C == c) bytes |= 1u << 8 * (i % 4);
        return bytes;
    }

    PRIM_DEVICE channels<uint32_t, C> sums() const
    {
        channels<uint32_t, C> s = {};
#pragma unroll
        for (unsigned c = 0; c < C; c++)
#pragma unroll
            for (unsigned k = 0; k < N / 4; k++) s.channel[c] = prim::dot_bytes(w[k], ones(k, c, N), s.channel[c]);
        return s;
    }

    PRIM_DEVICE lane_items<uint32_t, C, N> scanned(const channels<uint32_t, C> &prefix) const
    {
        lane_items<uint32_t, C, N> r;
#pragma unroll
        for (unsigned i = 0; i < N; i++) {
            const unsigned back = (i % 4 / C + 1) * C; /* to the channel's last element in the words before */
            const uint32_t b = i < back ? prefix.channel[i % C] : r.at[(i - back) % N];
            r.at[i] = prim::dot_bytes(w[i / 4], ones(i / 4, i % C, i), b);
        }
        return r;
    }
};

/* How many of N values, at most MOST, a power of two, move in one vector: as many as divide N. */
template <unsigned N, unsigned MOST> constexpr unsigned vector_of = (N & (0 - N)) < MOST ? N &(0 - N) : MOST;

/* Sums of columns: the items of several rows, added up. */
template <class T, unsigned C, unsigned N> struct columns {
    lane_items<T, C, N> sum;
    PRIM_DEVICE void add(const lane_items<T, C, N> &r)
    {
#pragma unroll
        for (unsigned i = 0; i < N; i++) sum.at[i] += r.at[i];
    }
    PRIM_DEVICE lane_items<T, C, N> sums() const
    {
        return sum;
    }
};

/* Sums of columns of up to 257 rows of bytes, two to a word. */
template <unsigned C, unsigned N> struct columns_of_bytes {
    uint32_t even[N / 4], odd[N / 4];
    PRIM_DEVICE void add(const lane_bytes<C, N> &r)
    {
#pragma unroll
        for (unsigned k = 0; k < N / 4; k++) {
            even[k] += r.w[k] & 0x00ff00ff;
            odd[k] += r.w[k] >> 8 & 0x00ff00ff;
        }
    }
    PRIM_DEVICE lane_items<uint32_t, C, N> sums() const
    {
        lane_items<uint32_t, C, N> r;
#pragma unroll
        for (unsigned i = 0; i < N; i++) r.at[i] = (i % 2 ? odd : even)[i / 4] >> 16 * (i % 4 / 2) & 0xffff;
        return r;
    }
};

/* The exclusive prefix of each lane in a row of a tile: a warp scan for each column group and channel. */
template <class T, unsigned C, unsigned GROUPS> struct row_scan {
    channels<T, C> prefix[GROUPS];

    PRIM_DEVICE channels<T, C> prefix_of(unsigned group) const { return prefix[group]; }

    PRIM_DEVICE static row_scan over(const channels<T, C> (&sums)[GROUPS])
    {
        row_scan s;
        channels<T, C> total = {}; /* of the column groups before */
#pragma unroll
        for (unsigned g = 0; g < GROUPS; g++)
#pragma unroll
            for (unsigned c = 0; c < C; c++) {
                const T inclusive = prim::warp_scan_inclusive(sums[g].channel[c]);
                const T exclusive = prim::warp_scan_exclusive(sums[g].channel[c], inclusive);
                s.prefix[g].channel[c] = total.channel[c] + exclusive;
                if (g + 1 < GROUPS) total.channel[c] += prim::shuffle(inclusive, prim::WARP - 1);
            }
        return s;
    }
};

/* Bytes: the sum of a warp's items is below 2^15 for each column group and channel, so that one scan does two. */
template <unsigned C, unsigned GROUPS> struct row_scan_of_bytes {
    static_assert(GROUPS <= 2);
    uint32_t two[(C * GROUPS + 1) / 2];

    PRIM_DEVICE channels<uint32_t, C> prefix_of(unsigned group) const
    {
        channels<uint32_t, C> b;
#pragma unroll
        for (unsigned c = 0; c < C; c++) {
            const unsigned i = c * GROUPS + group;
            b.channel[c] = i % 2 ? two[i / 2] >> 16 : two[i / 2] & 0xffff;
        }
        return b;
    }

    PRIM_DEVICE static row_scan_of_bytes over(const channels<uint32_t, C> (&sums)[GROUPS])
    {
        row_scan_of_bytes s;
#pragma unroll
        for (unsigned i = 0; i < C * GROUPS; i += 2) {
            uint32_t m = sums[0].channel[i / GROUPS];
            if (i + 1 < C * GROUPS) m |= sums[GROUPS - 1].channel[(i + 1) / GROUPS] << 16;
            const uint32_t inclusive = prim::warp_scan_inclusive(m);
            s.two[i / 2] = inclusive - m;
            if (GROUPS == 2) s.two[i / 2] += prim::shuffle(inclusive, prim::WARP - 1) << 16;
        }
        return s;
    }
};

/* ---- the tile ------------------------------------------------------------------------------------------ */

/* A warp's part of a tile: where it lies in the image, and how much of it is inside. */
template <class Sample> struct warp_region {
    const Sample *first; /* its first element in memory, or in front of the image by the pad */
    int64_t x, y;        /* of its first element, in its image */
    unsigned width;      /* elements of its rows */
    unsigned pad;        /* the first of these that are zeros in front of the image */
    unsigned rows;
    bool aligned; /* all its rows begin on 16 bytes */
    /* Elements from a 16-byte boundary to row 0, and from one row to the next (modulo a vector). */
    unsigned misalignment, misalignment_step;
};

/* Loads a warp's rows of a tile, and returns the items of a lane. */
template <class Sample, class Accum, unsigned C, class Shape> struct tile_loader {
    using sum = typename sums_in<Accum>::type;
    using warp_region = fuse::warp_region<Sample>;
    static constexpr bool narrow = std::is_integral_v<Sample> && sizeof(Sample) <= 2;
    static constexpr bool squares = sums_squares<Accum>;
    /* Sums of what lies in one tile: 2^15 samples of 16 bits, or 2^16 of 8, fit 32 bits, and so do the squares of 8
     * bits.  Those of signed samples are signed, and are extended by their sign where wider sums take them. */
    using narrow_sum = std::conditional_t<squares && sizeof(Sample) == 2, sum,
                                          std::conditional_t<std::is_signed_v<Sample>, int32_t, uint32_t>>;
    using tile_sum =
        std::conditional_t<narrow, narrow_sum, std::conditional_t<std::is_same_v<sum, uint32_t>, uint32_t, sum>>;
    /* Four to a word all the way: sums of unsigned bytes only. */
    static constexpr bool bytes = std::is_same_v<Sample, uint8_t> && !squares;
    using word = std::conditional_t<sizeof(Sample) == 8, uint64_t, uint32_t>;
    static constexpr unsigned WORD_ELEMENTS = sizeof(word) / sizeof(Sample), VECTOR_WORDS = 16 / sizeof(word);
    /* Words of one asynchronous copy where rows are misaligned, and their elements. */
    static constexpr unsigned COPY_WORDS = WORD_ELEMENTS > 1 ? VECTOR_WORDS : 1,
                              COPY_ELEMENTS = WORD_ELEMENTS * COPY_WORDS;

    /* Items of a lane, and their words; elements of a column group and of a row. */
    static constexpr unsigned LANE_ITEMS = C == 3 ? (sizeof(Sample) == 1 ? 12 : 6) : 4,
                              LANE_WORDS = LANE_ITEMS / WORD_ELEMENTS;
    static constexpr unsigned GROUP = prim::WARP * LANE_ITEMS, WIDTH = Shape::GROUPS * GROUP,
                              ROW_WORDS = WIDTH / WORD_ELEMENTS;
    using lane_items = std::conditional_t<bytes, lane_bytes<C, LANE_ITEMS>, fuse::lane_items<tile_sum, C, LANE_ITEMS>>;
    using columns = std::conditional_t<bytes, columns_of_bytes<C, LANE_ITEMS>, fuse::columns<tile_sum, C, LANE_ITEMS>>;
    using row_scan =
        std::conditional_t<bytes, row_scan_of_bytes<C, Shape::GROUPS>, fuse::row_scan<tile_sum, C, Shape::GROUPS>>;

    static constexpr unsigned REGISTER_ROWS = Shape::REGISTER_ROWS, SHARED_ROWS = Shape::SHARED_ROWS,
                              STORED_ROWS = Shape::WARPS * SHARED_ROWS;
    static constexpr unsigned ROW_COPIES = ROW_WORDS / COPY_WORDS;
    /* Behind the rows, from word EXTRA on, lies one vector more for each: a misaligned row touches one more than it
     * fills. */
    static constexpr unsigned EXTRA = STORED_ROWS * ROW_WORDS;
    using storage = prim::array<word, EXTRA + (WORD_ELEMENTS > 1 ? STORED_ROWS * COPY_WORDS : 0)>;
    static_assert(REGISTER_ROWS == 0 || WORD_ELEMENTS == 1, "misaligned rows are moved in shared memory");

    struct packed_items {
        word at[LANE_WORDS];
    };

    /* A warp's rows: the first SHARED_ROWS in shared memory, the others in the lanes that own their elements. */
    struct warp_rows {
        storage &shared;
        packed_items registers[REGISTER_ROWS > 0 ? REGISTER_ROWS : 1][Shape::GROUPS];
    };
    enum memory { SHARED, REGISTERS };

    /* Sums of rows replace the samples in the same storage. */
    static constexpr bool in_place = sizeof(Sample) == sizeof(sum) && !bytes;

    scan_source<Sample, Accum> source;
    int64_t image_pitch; /* elements from one image to the next */
    const Sample *end;   /* of the last image */
    unsigned pad;        /* zeros in front of each row that count as elements: the table's column of zeros */

    /* The first word of the warp's row r in shared memory; word i of it, which may be one of the vector behind.  In
     * place the vectors of each 128 bytes are permuted, in another way in each of 8 rows.  So there are no bank
     * conflicts, whether the lanes of a warp read one row, or each a row of its own. */
    PRIM_DEVICE static unsigned row_at(unsigned r) { return (prim::warp_id() * SHARED_ROWS + r) * ROW_WORDS; }
    PRIM_DEVICE static unsigned word_at(unsigned r, unsigned i)
    {
        constexpr unsigned ORDERS = 128 / 16; /* vectors in one pass over the banks */
        if constexpr (in_place) {
            return row_at(r) + (i ^ r % ORDERS * VECTOR_WORDS);
        } else {
            const unsigned behind = EXTRA + (prim::warp_id() * SHARED_ROWS + r) * COPY_WORDS;
            return WORD_ELEMENTS == 1 || i < ROW_WORDS ? row_at(r) + i : behind + (i - ROW_WORDS);
        }
    }

    PRIM_DEVICE const Sample *row(const warp_region &region, unsigned r) const
    {
        return region.first + r * source.pitch;
    }

    PRIM_DEVICE warp_region at(uint32_t image_index, int64_t x, int64_t y, int64_t elements, int64_t rows) const
    {
        warp_region region = {
            .first = source.in + image_index * image_pitch + y * source.pitch + x - pad, .x = x, .y = y};
        region.width = elements - x < WIDTH ? (unsigned)(elements - x) : WIDTH;
        region.pad = x == 0 ? pad : 0;
        region.rows = y >= rows ? 0 : rows - y < Shape::ROWS ? (unsigned)(rows - y) : Shape::ROWS;
        region.misalignment = (unsigned)((uintptr_t)row(region, 0) / sizeof(Sample) % COPY_ELEMENTS);
        region.misalignment_step = (unsigned)source.pitch;
        region.aligned =
            region.pad == 0 && (uintptr_t)row(region, 0) % 16 == 0 && source.pitch * sizeof(Sample) % 16 == 0;
        return region;
    }

    /* Elements from a 16-byte boundary to row r. */
    PRIM_DEVICE static unsigned misalignment(const warp_region &region, unsigned r)
    {
        return (region.misalignment + r * region.misalignment_step) % COPY_ELEMENTS;
    }

    /* Vector k of row r, from the one on that holds the row's first element. */
    PRIM_DEVICE const Sample *vector_at(const warp_region &region, unsigned r, unsigned k) const
    {
        return row(region, r) - misalignment(region, r) + k * COPY_ELEMENTS;
    }

    /* Begins to load the warp's rows. */
    PRIM_DEVICE void load(warp_rows &w, const warp_region &region) const
    {
        const unsigned lane = prim::lane_id();
        const bool full = region.width == WIDTH && region.rows == Shape::ROWS;
        storage &s = w.shared;
        if (full && region.aligned) {
            load_registers<true>(w, region);
            constexpr unsigned VECTORS = ROW_WORDS / VECTOR_WORDS;
#pragma unroll 4
            for (unsigned i = lane; i < SHARED_ROWS * VECTORS; i += prim::WARP) {
                const unsigned r = i / VECTORS, k = i % VECTORS * VECTOR_WORDS;
                prim::copy_async_vector<VECTOR_WORDS>(s, word_at(r, k), (const word *)row(region, r) + k);
            }
            return;
        }
        load_registers<false>(w, region);
        if (full && vector_at(region, 0, 0) >= source.in && vector_at(region, Shape::ROWS - 1, ROW_COPIES + 1) <= end) {
#pragma unroll 4
            for (unsigned i = lane; i < SHARED_ROWS * ROW_COPIES; i += prim::WARP)
                copy_vector(s, region, i / ROW_COPIES, i % ROW_COPIES);
            if (WORD_ELEMENTS > 1 && lane < SHARED_ROWS) copy_vector(s, region, lane, ROW_COPIES);
            return;
        }
        constexpr unsigned COPIES = ROW_COPIES + (WORD_ELEMENTS > 1);
        for (unsigned i = lane; i < SHARED_ROWS * COPIES; i += prim::WARP)
            copy_partial(s, region, i / COPIES, i % COPIES);
    }

    /* Prefetches the warp's rows of a later tile, but for the last part of a cache line: the next tile begins there. */
    PRIM_DEVICE void prefetch(const warp_region &region) const
    {
        constexpr unsigned LINE = 128, LINES = (WIDTH * sizeof(Sample) + LINE - 1) / LINE;
#pragma unroll 1
        for (unsigned i = prim::lane_id(); i < region.rows * LINES; i += prim::WARP)
            if (i % LINES * LINE < region.width * sizeof(Sample))
                prim::prefetch((const char *)row(region, i / LINES) + i % LINES * LINE);
    }

    /* The rows in registers, as vectors if they are ALIGNED and whole. */
    template <bool ALIGNED> PRIM_DEVICE void load_registers(warp_rows &w, const warp_region &region) const
    {
        constexpr unsigned VECTOR = vector_of<LANE_WORDS, VECTOR_WORDS>;
#pragma unroll
        for (unsigned r = SHARED_ROWS; r < Shape::ROWS; r++)
#pragma unroll
            for (unsigned g = 0; g < Shape::GROUPS; g++) {
                const unsigned element = g * GROUP + prim::lane_id() * LANE_ITEMS;
                const word *from = (const word *)row(region, r) + element;
                packed_items &to = w.registers[r - SHARED_ROWS][g];
#pragma unroll
                for (unsigned i = 0; i < LANE_WORDS; i += ALIGNED ? VECTOR : 1) {
                    if constexpr (ALIGNED) {
                        const auto vector = prim::load((const prim::vec<word, VECTOR> *)(from + i));
#pragma unroll
                        for (unsigned n = 0; n < VECTOR; n++) to.at[i + n] = vector.at[n];
                    } else {
                        to.at[i] = r < region.rows && element + i < region.width ? prim::load(from + i) : word(0);
                    }
                }
            }
    }

    PRIM_DEVICE void copy_vector(storage &s, const warp_region &region, unsigned r, unsigned k) const
    {
        if constexpr (COPY_WORDS == 1)
            prim::copy_async(s, word_at(r, k), (const word *)vector_at(region, r, k));
        else
            prim::copy_async_vector<COPY_WORDS>(s, word_at(r, k * COPY_WORDS), (const word *)vector_at(region, r, k));
    }

    /* Vector k of row r where the image may not have all its elements: the others are zeros. */
    PRIM_DEVICE void copy_partial(storage &s, const warp_region &region, unsigned r, unsigned k) const
    {
        const Sample *from = vector_at(region, r, k);
        const bool needed = r < region.rows && k * COPY_ELEMENTS < misalignment(region, r) + region.width;
        if (needed && from >= source.in && from + COPY_ELEMENTS <= end) {
            copy_vector(s, region, r, k);
            return;
        }
        for (unsigned i = 0; i < COPY_WORDS; i++) {
            word w = 0;
            for (unsigned e = i * WORD_ELEMENTS; needed && e < (i + 1) * WORD_ELEMENTS; e++)
                if (from + e >= source.in && from + e < end)
                    w |= (word) __builtin_bit_cast(bits, prim::load(from + e))
                         << 8 * (sizeof(Sample) * e % sizeof(word));
            s.set(word_at(r, k * COPY_WORDS + i), w);
        }
    }

    /* The bits of word i that belong to the first `elements` elements. */
    PRIM_DEVICE static word mask_of(unsigned elements, unsigned i)
    {
        const unsigned here = i * WORD_ELEMENTS < elements ? elements - i * WORD_ELEMENTS : 0;
        return here >= WORD_ELEMENTS ? ~word(0) : (word(1) << 8 * sizeof(Sample) * here) - 1;
    }

    /* Moves misaligned rows to the front, ROWS_AT_ONCE at a time, and sets elements outside the image to zero.  All
     * copies are done. */
    PRIM_DEVICE void align_rows(storage &s, const warp_region &region) const
    {
        if (WORD_ELEMENTS == 1 || (region.aligned && region.width == WIDTH)) return;
        constexpr unsigned BITS = 8 * sizeof(Sample), ROWS_AT_ONCE = Shape::ROWS_AT_ONCE;
#pragma unroll 1
        for (unsigned chunk = 0; chunk < ROW_WORDS; chunk += prim::WARP) {
            const unsigned i = chunk + prim::lane_id(); /* word */
            const word mask = mask_of(region.width, i) & ~mask_of(region.pad, i);
#pragma unroll 1
            for (unsigned from = 0; from < region.rows; from += ROWS_AT_ONCE) {
                word w[ROWS_AT_ONCE];
#pragma unroll
                for (unsigned n = 0; n < ROWS_AT_ONCE; n++) {
                    const unsigned r = from + n, skip = misalignment(region, r), first = i + skip / WORD_ELEMENTS;
                    w[n] = prim::shift_right(s.get(word_at(r, first)), s.get(word_at(r, first + 1)),
                                             BITS * (skip % WORD_ELEMENTS));
                    w[n] &= mask;
                }
                prim::warp_sync(); /* all have read the words that are overwritten now */
#pragma unroll
                for (unsigned n = 0; n < ROWS_AT_ONCE; n++) s.set(row_at(from + n) + i, w[n]);
            }
        }
        prim::warp_sync();
    }

    /* The lane's items in a column group of row r. */
    template <memory AT>
    PRIM_DEVICE lane_items get(const warp_rows &w, const warp_region &region, unsigned r, unsigned group) const
    {
        const auto words = get_words<AT>(w, r, group);
        lane_items q;
        if constexpr (bytes) {
#pragma unroll
            for (unsigned k = 0; k < LANE_WORDS; k++) q.w[k] = words.at[k];
        } else if constexpr (narrow) {
#pragma unroll
            for (unsigned i = 0; i < LANE_ITEMS; i++) {
                const Sample v = (Sample)(words.at[i / WORD_ELEMENTS] >> 8 * sizeof(Sample) * (i % WORD_ELEMENTS));
                if constexpr (squares)
                    q.at[i] = (tile_sum)source.widen(v);
                else
                    q.at[i] = v;
            }
        } else {
#pragma unroll
            for (unsigned i = 0; i < LANE_ITEMS; i++)
                q.at[i] = sample_of(region, r, group * GROUP + prim::lane_id() * LANE_ITEMS + i, words.at[i]);
        }
        return q;
    }

    /* Scans row r in shared memory, by one lane: each sample is replaced by its inclusive prefix in the row.  Returns
     * the sums of the row. */
    PRIM_DEVICE channels<sum, C> scan_row(warp_rows &w, const warp_region &region, unsigned r) const
    {
        constexpr unsigned AT_ONCE = 4 * (C == 3 ? 3 : 1); /* vectors */
        static_assert(in_place && AT_ONCE * VECTOR_WORDS % C == 0 && ROW_WORDS % (AT_ONCE * VECTOR_WORDS) == 0);
        channels<sum, C> s = {};
#pragma unroll 1
        for (unsigned from = 0; from < ROW_WORDS; from += AT_ONCE * VECTOR_WORDS) {
            prim::vec<word, VECTOR_WORDS> v[AT_ONCE];
#pragma unroll
            for (unsigned k = 0; k < AT_ONCE; k++)
                v[k] = w.shared.template get_vector<VECTOR_WORDS>(word_at(r, from + k * VECTOR_WORDS));
#pragma unroll
            for (unsigned k = 0; k < AT_ONCE; k++)
#pragma unroll
                for (unsigned i = 0; i < VECTOR_WORDS; i++) {
                    sum &running = s.channel[(k * VECTOR_WORDS + i) % C];
                    running += sample_of(region, r, from + k * VECTOR_WORDS + i, v[k].at[i]);
                    v[k].at[i] = __builtin_bit_cast(word, running);
                }
#pragma unroll
            for (unsigned k = 0; k < AT_ONCE; k++)
                w.shared.template set_vector<VECTOR_WORDS>(word_at(r, from + k * VECTOR_WORDS), v[k]);
        }
        return s;
    }

    /* In place: the sums of the items in registers. */
    PRIM_DEVICE static void set_sums(warp_rows &w, unsigned r, unsigned group, const lane_items &q)
    {
        w.registers[r - SHARED_ROWS][group] = __builtin_bit_cast(packed_items, q);
    }
    template <memory AT> PRIM_DEVICE static lane_items get_sums(const warp_rows &w, unsigned r, unsigned group)
    {
        return __builtin_bit_cast(lane_items, get_words<AT>(w, r, group));
    }

    /* The lane's items of a column group that begins at `from`. */
    template <class T, unsigned N, class Items>
    PRIM_DEVICE static void set_items(prim::array<T, N> &to, unsigned from, const Items &q)
    {
        constexpr unsigned ITEMS = sizeof q / sizeof(T), VECTOR = vector_of<ITEMS, 16 / sizeof(T)>;
#pragma unroll
        for (unsigned i = 0; i < ITEMS; i += VECTOR) {
            prim::vec<T, VECTOR> v;
#pragma unroll
            for (unsigned k = 0; k < VECTOR; k++) v.at[k] = __builtin_bit_cast(T, q.at[i + k]);
            to.template set_vector<VECTOR>(from + prim::lane_id() * ITEMS + i, v);
        }
    }
    template <class Items, class T, unsigned N>
    PRIM_DEVICE static Items get_items(const prim::array<T, N> &from_all, unsigned from)
    {
        return gather<Items>(from_all,
                             [=](unsigned i) { return from + prim::lane_id() * (sizeof(Items) / sizeof(T)) + i; });
    }
    /* Items of which number i lies at index at(i); the elements of a vector lie side by side. */
    template <class Items, class T, unsigned N, class At>
    PRIM_DEVICE static Items gather(const prim::array<T, N> &from_all, At at)
    {
        constexpr unsigned ITEMS = sizeof(Items) / sizeof(T), VECTOR = vector_of<ITEMS, 16 / sizeof(T)>;
        Items q;
#pragma unroll
        for (unsigned i = 0; i < ITEMS; i += VECTOR) {
            const auto v = from_all.template get_vector<VECTOR>(at(i));
#pragma unroll
            for (unsigned k = 0; k < VECTOR; k++) q.at[i + k] = v.at[k];
        }
        return q;
    }

  private:
    using bits =
        std::conditional_t<sizeof(Sample) == 1, uint8_t, std::conditional_t<sizeof(Sample) == 2, uint16_t, word>>;

    /* Element e of row r, widened.  In fixed point a sample 0 is not the sum 0; such rows have no pad. */
    PRIM_DEVICE tile_sum sample_of(const warp_region &region, unsigned r, unsigned e, word w) const
    {
        const bool inside = !std::is_same_v<Accum, q32> || (r < region.rows && e < region.width);
        return inside ? (tile_sum)source.widen(__builtin_bit_cast(Sample, w)) : tile_sum(0);
    }

    /* For registers, r must be a constant when the loop is unrolled. */
    template <memory AT> PRIM_DEVICE static packed_items get_words(const warp_rows &w, unsigned r, unsigned group)
    {
        const unsigned from = group * prim::WARP * LANE_WORDS;
        if constexpr (AT == REGISTERS)
            return w.registers[r - SHARED_ROWS][group];
        else if constexpr (in_place)
            return gather<packed_items>(
                w.shared, [=](unsigned i) { return word_at(r, from + prim::lane_id() * LANE_WORDS + i); });
        else
            return get_items<packed_items>(w.shared, row_at(r) + from);
    }
};

} // namespace fuse
#endif
