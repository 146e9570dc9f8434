/* fused_tile.cuh - a tile of an image that a block holds, as it was loaded, until it knows what lies above and to the
 * left of it.
 *
 * Elements are samples with their channels interleaved: a row of W pixels has W * C of them.  A tile is WARPS * ROWS
 * rows of HALVES * 128 elements.  Warp w owns ROWS of the rows, whole, and each lane four neighbouring elements of
 * every 128, so that whatever a warp loads or stores is one run of memory:
 *
 *             half 0: 128 elements     half 1
 *     lane     0 | 1 | 2 | ... | 31     0 | 1 | ... | 31
 *     row 0   e e e e ...                                        warp 0: ROWS rows
 *     row 1   ...
 *
 * Rows lie in shared memory as words of 4 bytes (8 for samples of 8), beginning with the word that holds the row's
 * first element: a row of bytes may begin anywhere in a word, and lanes put their four together from two. */
#ifndef FUSED_TILE_CUH
#define FUSED_TILE_CUH

#include "prim/warp_scan.cuh"
#include "scan.cuh"

namespace fuse
{

constexpr unsigned LANE_ELEMENTS = 4, HALF = prim::WARP * LANE_ELEMENTS;

template <unsigned HALVES_, unsigned WARPS_, unsigned ROWS_, int RESIDENT, unsigned LOOK, bool REUSES> struct shape {
    static constexpr unsigned HALVES = HALVES_, WARPS = WARPS_, ROWS = ROWS_;
    static constexpr unsigned threads = WARPS * prim::WARP, width = HALVES * HALF, height = WARPS * ROWS;
    static constexpr int min_blocks = RESIDENT;
    static constexpr unsigned look = LOOK; /* tiles that are asked for at once */
    static constexpr bool reuses = REUSES; /* words; else all of an image's have room */
    static_assert(ROWS <= prim::WARP, "a lane keeps what belongs to a row");
    static constexpr unsigned BATCH = ROWS % 4 == 0 ? 4 : 1; /* rows that are worked on together, for their latencies */
};

/* ---- four elements of C channels ----------------------------------------------------------------------- */

/* A value for each channel. */
template <class T, unsigned C> struct channels {
    T of[C];
};

/* c.of[(i + by) % 3] */
template <class T> PRIM_DEVICE channels<T, 3> turned(const channels<T, 3> &c, unsigned by)
{
    return {{by == 0   ? c.of[0]
             : by == 1 ? c.of[1]
                       : c.of[2],
             by == 0   ? c.of[1]
             : by == 1 ? c.of[2]
                       : c.of[0],
             by == 0   ? c.of[2]
             : by == 1 ? c.of[0]
                       : c.of[1]}};
}

/* What belongs to elements 0 .. C-1 of a lane, of a value for each channel.  `first` is the channel of element 0; only
 * three channels need it, as four elements are a multiple of the others. */
template <class T, unsigned C> PRIM_DEVICE channels<T, C> elements_of(const channels<T, C> &c, unsigned first)
{
    if constexpr (C == 3)
        return turned(c, first);
    else
        return c;
}

/* A lane's four elements of one row. */
template <class T, unsigned C> struct quad {
    T at[LANE_ELEMENTS];

    /* The sum of each channel.  With three, element 3 has the channel of element 0. */
    PRIM_DEVICE channels<T, C> sums(unsigned first) const
    {
        if constexpr (C == 1) return {{at[0] + at[1] + at[2] + at[3]}};
        if constexpr (C == 2) return {{at[0] + at[2], at[1] + at[3]}};
        if constexpr (C == 3) return turned<T>({{at[0] + at[3], at[1], at[2]}}, (3 - first) % 3);
        if constexpr (C == 4) return {{at[0], at[1], at[2], at[3]}};
    }

    /* Each element plus all elements of its channel before it; `before`, of each channel, lies before the first. */
    PRIM_DEVICE quad scanned(const channels<T, C> &before, unsigned first) const
    {
        const channels<T, C> b = elements_of(before, first);
        quad q;
#pragma unroll
        for (unsigned i = 0; i < LANE_ELEMENTS; i++) q.at[i] = (i < C ? b.of[i % C] : q.at[(i - C) % 4]) + at[i];
        return q;
    }
};

/* The same as four bytes of one word. */
template <unsigned C> struct quad_of_bytes {
    uint32_t w;

    PRIM_DEVICE quad<uint32_t, C> wide() const { return {{w & 255, w >> 8 & 255, w >> 16 & 255, w >> 24}}; }

    PRIM_DEVICE channels<uint32_t, C> sums(unsigned first) const
    {
        if constexpr (C == 1) return {{prim::dot_bytes(w, 0x01010101, 0)}};
        if constexpr (C == 2) return {{prim::dot_bytes(w, 0x00010001, 0), prim::dot_bytes(w, 0x01000100, 0)}};
        if constexpr (C >= 3) return wide().sums(first);
    }

    PRIM_DEVICE quad<uint32_t, C> scanned(const channels<uint32_t, C> &before, unsigned first) const
    {
        if constexpr (C == 1) {
            const uint32_t b = before.of[0];
            return {{prim::dot_bytes(w, 0x00000001, b), prim::dot_bytes(w, 0x00000101, b),
                     prim::dot_bytes(w, 0x00010101, b), prim::dot_bytes(w, 0x01010101, b)}};
        } else {
            return wide().scanned(before, first);
        }
    }
};

/* Sums of the elements of several rows. */
template <class T, unsigned C> struct columns {
    quad<T, C> sum;
    PRIM_DEVICE void add(const quad<T, C> &q)
    {
#pragma unroll
        for (unsigned i = 0; i < LANE_ELEMENTS; i++) sum.at[i] += q.at[i];
    }
    PRIM_DEVICE quad<T, C> sums() const
    {
        return sum;
    }
};

/* Of up to 257 rows of bytes, two to a word. */
template <unsigned C> struct columns_of_bytes {
    uint32_t even, odd;
    PRIM_DEVICE void add(const quad_of_bytes<C> &q)
    {
        even += q.w & 0x00ff00ff;
        odd += q.w >> 8 & 0x00ff00ff;
    }
    PRIM_DEVICE quad<uint32_t, C> sums() const { return {{even & 0xffff, odd & 0xffff, even >> 16, odd >> 16}}; }
};

/* What lies before each lane in a row of a tile, and how a warp finds it: a scan over the lanes for each half. */
template <class T, unsigned C, unsigned HALVES> struct row_scan {
    channels<T, C> before[HALVES];

    PRIM_DEVICE channels<T, C> of(unsigned half) const { return before[half]; }

    PRIM_DEVICE static row_scan over(const channels<T, C> (&mine)[HALVES])
    {
        row_scan s;
        channels<T, C> all = {};
#pragma unroll
        for (unsigned h = 0; h < HALVES; h++)
#pragma unroll
            for (unsigned c = 0; c < C; c++) {
                const T upto = prim::warp_scan_inclusive(mine[h].of[c]);
                T others;
                if constexpr (std::is_integral_v<T>) {
                    others = upto - mine[h].of[c];
                } else { /* a sum less a part of it is not the sum of the rest */
                    others = prim::shuffle_up(upto, 1);
                    if (prim::lane_id() == 0) others = T(0);
                }
                s.before[h].of[c] = all.of[c] + others;
                if (h + 1 < HALVES) all.of[c] += prim::shuffle(upto, prim::WARP - 1);
            }
        return s;
    }
};

/* Bytes in two halves: their sums are below 2^16, and one scan does for both. */
template <unsigned C> struct row_scan_of_bytes {
    uint32_t both[C];

    PRIM_DEVICE channels<uint32_t, C> of(unsigned half) const
    {
        channels<uint32_t, C> b;
#pragma unroll
        for (unsigned c = 0; c < C; c++) b.of[c] = half ? both[c] >> 16 : both[c] & 0xffff;
        return b;
    }

    PRIM_DEVICE static row_scan_of_bytes over(const channels<uint32_t, C> (&mine)[2])
    {
        row_scan_of_bytes s;
#pragma unroll
        for (unsigned c = 0; c < C; c++) {
            const uint32_t m = mine[0].of[c] | mine[1].of[c] << 16, upto = prim::warp_scan_inclusive(m);
            s.both[c] = upto - m + (prim::shuffle(upto, prim::WARP - 1) << 16);
        }
        return s;
    }
};

/* ---- the tile ------------------------------------------------------------------------------------------ */

/* Where a warp's part of a tile lies in an image, and how much of it exists. */
struct place {
    int64_t x, y;  /* of its first element */
    unsigned wide; /* elements of its rows */
    unsigned rows;
    bool whole;               /* all of it, and its rows begin on 16 bytes */
    unsigned late, late_step; /* elements by which row 0 begins after its first word, and each row more than the last */
};

template <class Sample, class Accum, unsigned C, class Shape> struct tile {
    using sum = typename sums_in<Accum>::type;
    static constexpr bool narrow = std::is_integral_v<Sample> && sizeof(Sample) <= 2;
    /* Sums of what lies in one tile: 2^15 samples of 16 bits, or 2^16 of 8, fit 32 bits. */
    using part = std::conditional_t<narrow || std::is_same_v<sum, uint32_t>, uint32_t, sum>;
    static constexpr bool bytes = sizeof(Sample) == 1;
    using four = std::conditional_t<bytes, quad_of_bytes<C>, quad<part, C>>;
    using columns = std::conditional_t<bytes, columns_of_bytes<C>, fuse::columns<part, C>>;
    using row_scan =
        std::conditional_t<bytes && Shape::HALVES == 2, row_scan_of_bytes<C>, fuse::row_scan<part, C, Shape::HALVES>>;

    using word = std::conditional_t<sizeof(Sample) == 8, uint64_t, uint32_t>;
    static constexpr unsigned IN_WORD = sizeof(word) / sizeof(Sample), PACKET = 16 / sizeof(word);
    static constexpr unsigned ROW_WORDS = Shape::width / IN_WORD;
    /* Behind the rows lies one more word for each, where they may begin inside of one. */
    static constexpr unsigned MORE = Shape::height * ROW_WORDS;
    using room = prim::array<word, MORE + (IN_WORD > 1 ? Shape::height : 0)>;

    /* Sums of a row can take the place of its samples. */
    static constexpr bool in_place = sizeof(Sample) == sizeof(sum) && !bytes;

    scan_source<Sample, Accum> source;
    const Sample *end; /* of the image */

    /* The warp's row r in the room, and its word i, which may be the one behind the others. */
    PRIM_DEVICE static unsigned row_at(unsigned r) { return (prim::warp_id() * Shape::ROWS + r) * ROW_WORDS; }
    PRIM_DEVICE static unsigned word_at(unsigned r, unsigned i)
    {
        return IN_WORD == 1 || i < ROW_WORDS ? row_at(r) + i : MORE + prim::warp_id() * Shape::ROWS + r;
    }

    PRIM_DEVICE const Sample *row(const place &p, unsigned r) const
    {
        return source.in + (p.y + r) * source.pitch + p.x;
    }

    PRIM_DEVICE place at(int64_t x, int64_t y, int64_t elements, int64_t rows) const
    {
        place p = {.x = x, .y = y};
        p.wide = elements - x < Shape::width ? (unsigned)(elements - x) : Shape::width;
        p.rows = y >= rows ? 0 : rows - y < Shape::ROWS ? (unsigned)(rows - y) : Shape::ROWS;
        p.late = (unsigned)((uintptr_t)row(p, 0) / sizeof(Sample) % IN_WORD);
        p.late_step = (unsigned)source.pitch;
        p.whole = p.wide == Shape::width && p.rows == Shape::ROWS && (uintptr_t)row(p, 0) % 16 == 0 &&
                  source.pitch * sizeof(Sample) % 16 == 0;
        return p;
    }

    /* Elements by which row r begins after its first word. */
    PRIM_DEVICE static unsigned late(const place &p, unsigned r) { return (p.late + r * p.late_step) % IN_WORD; }

    /* The warp's rows.  All loads are under way when it returns. */
    PRIM_DEVICE void load(room &s, const place &p) const
    {
        const unsigned lane = prim::lane_id();
        if (p.whole) {
            constexpr unsigned PACKETS = ROW_WORDS / PACKET; /* of 16 bytes, in a row */
#pragma unroll 4
            for (unsigned i = lane; i < Shape::ROWS * PACKETS; i += prim::WARP) {
                const unsigned r = i / PACKETS, k = i % PACKETS * PACKET;
                prim::fetch_vector<PACKET>(s, row_at(r) + k, (const word *)row(p, r) + k);
            }
            return;
        }
        const bool full = p.wide == Shape::width && p.rows == Shape::ROWS;
        if (full && word_of(p, 0, 0) >= source.in && word_of(p, Shape::ROWS - 1, ROW_WORDS) + IN_WORD <= end) {
#pragma unroll 4
            for (unsigned r = 0; r < Shape::ROWS; r++)
#pragma unroll
                for (unsigned i = 0; i < ROW_WORDS; i += prim::WARP)
                    prim::fetch(s, row_at(r) + i + lane, (const word *)word_of(p, r, i + lane));
            if (IN_WORD > 1 && lane < Shape::ROWS)
                prim::fetch(s, word_at(lane, ROW_WORDS), (const word *)word_of(p, lane, ROW_WORDS));
            return;
        }
        for (unsigned r = 0; r < Shape::ROWS; r++)
            for (unsigned i = lane; i < ROW_WORDS + (IN_WORD > 1); i += prim::WARP) load_word(s, p, r, i);
    }

    /* Where word i of row r begins. */
    PRIM_DEVICE const Sample *word_of(const place &p, unsigned r, unsigned i) const
    {
        return row(p, r) - late(p, r) + i * IN_WORD;
    }

    /* A word of which the image may have some elements only, or none: 0 stands for those. */
    PRIM_DEVICE void load_word(room &s, const place &p, unsigned r, unsigned i) const
    {
        const Sample *from = word_of(p, r, i);
        const bool needed = r < p.rows && i * IN_WORD < late(p, r) + p.wide;
        if (needed && from >= source.in && from + IN_WORD <= end) {
            prim::fetch(s, word_at(r, i), (const word *)from);
            return;
        }
        word w = 0;
        for (unsigned k = 0; needed && k < IN_WORD; k++)
            if (from + k >= source.in && from + k < end)
                w |= (word) __builtin_bit_cast(bits, prim::load(from + k))
                     << 8 * sizeof(Sample) * k % (8 * sizeof(word));
        s.set(word_at(r, i), w);
    }

    /* Moves rows of bytes or half words to where their words begin, in a place whose loads are done, and leaves zeros
     * where the image has no samples: from here on, a row is a row.  Four at a time, so that they overlap. */
    PRIM_DEVICE void settle(room &s, const place &p) const
    {
        if (IN_WORD == 1 || p.whole) return;
        constexpr unsigned BITS = 8 * sizeof(Sample), CHUNKS = ROW_WORDS / prim::WARP, BATCH = Shape::BATCH;
#pragma unroll 1
        for (unsigned from = 0; from < Shape::ROWS; from += BATCH)
#pragma unroll
            for (unsigned c = 0; c < CHUNKS; c++) {
                const unsigned i = c * prim::WARP + prim::lane_id(); /* word */
                word w[BATCH];
#pragma unroll
                for (unsigned b = 0; b < BATCH; b++) {
                    const unsigned r = from + b, skip = late(p, r);
                    const unsigned here = r < p.rows && i * IN_WORD < p.wide ? p.wide - i * IN_WORD : 0;
                    w[b] = s.get(row_at(r) + i);
                    w[b] = prim::shift_right(w[b], skip ? s.get(word_at(r, i + 1)) : w[b], BITS * skip);
                    w[b] &= here >= IN_WORD ? ~word(0) : (word(1) << BITS * here) - 1;
                }
                prim::warp_sync(); /* a word's last elements are the next one's first */
#pragma unroll
                for (unsigned b = 0; b < BATCH; b++) s.set(row_at(from + b) + i, w[b]);
            }
        prim::warp_sync();
    }

    /* The lane's elements of a half of row r. */
    PRIM_DEVICE four get(const room &s, const place &p, unsigned r, unsigned half) const
    {
        const unsigned element = half * HALF + prim::lane_id() * LANE_ELEMENTS, at = row_at(r) + element / IN_WORD;
        four q;
        if constexpr (bytes) {
            q.w = s.get(at);
        } else if constexpr (sizeof(Sample) == 2) {
            const uint32_t w[2] = {s.get(at), s.get(at + 1)};
#pragma unroll
            for (unsigned k = 0; k < 4; k++) q.at[k] = w[k / 2] >> 16 * (k % 2) & 0xffff;
        } else {
            const auto w = wide_get(s, at);
#pragma unroll
            for (unsigned k = 0; k < 4; k++) {
                /* 0 is not nothing in fixed point */
                const bool inside = !std::is_same_v<Accum, q32> || (r < p.rows && element + k < p.wide);
                q.at[k] = inside ? (part)source.widen(__builtin_bit_cast(Sample, w.at[k])) : part(0);
            }
        }
        return q;
    }

    /* The same for sums that have taken the place of samples. */
    PRIM_DEVICE static void put_sums(room &s, unsigned r, unsigned half, const four &q)
    {
        if constexpr (in_place) {
            const unsigned at = row_at(r) + half * HALF + prim::lane_id() * LANE_ELEMENTS;
#pragma unroll
            for (unsigned i = 0; i < 4; i += PACKET) {
                prim::vec<word, PACKET> some;
#pragma unroll
                for (unsigned k = 0; k < PACKET; k++) some.at[k] = __builtin_bit_cast(word, (sum)q.at[i + k]);
                s.template set_vector<PACKET>(at + i, some);
            }
        }
    }
    PRIM_DEVICE static four get_sums(const room &s, unsigned r, unsigned half)
    {
        four q = {};
        if constexpr (in_place) {
            const auto w = wide_get(s, row_at(r) + half * HALF + prim::lane_id() * LANE_ELEMENTS);
#pragma unroll
            for (unsigned i = 0; i < 4; i++) q.at[i] = __builtin_bit_cast(sum, w.at[i]);
        }
        return q;
    }

  private:
    using bits =
        std::conditional_t<sizeof(Sample) == 1, uint8_t, std::conditional_t<sizeof(Sample) == 2, uint16_t, word>>;

    PRIM_DEVICE static prim::vec<word, 4> wide_get(const room &s, unsigned at)
    {
        prim::vec<word, 4> all;
#pragma unroll
        for (unsigned i = 0; i < 4; i += PACKET) {
            const auto some = s.template get_vector<PACKET>(at + i);
#pragma unroll
            for (unsigned k = 0; k < PACKET; k++) all.at[i + k] = some.at[k];
        }
        return all;
    }
};

} // namespace fuse
#endif
