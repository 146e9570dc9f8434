/* fused_tile.cuh - a tile of an image that a block holds, as it was loaded, until it knows what lies above and to the
 * left of it.
 *
 * Elements are samples with their channels interleaved: a row of W pixels has W * C of them.  A tile is WARPS * ROWS
 * rows of HALVES times 32 runs: warp w owns ROWS of the rows, whole, and each lane a run of neighbouring elements in
 * each half.
 *
 *             half 0                   half 1
 *     lane     0 | 1 | 2 | ... | 31     0 | 1 | ... | 31
 *     row 0   e e e e ...                                        warp 0: ROWS rows
 *     row 1   ...
 *
 * A run is four elements; with three channels it is twelve bytes, or six samples of another size, a multiple of three:
 * every lane begins with channel 0.
 *
 * Rows lie in shared memory as words of 4 bytes (8 for samples of 8).  Those of bytes and half words that begin
 * anywhere come in packets of 16 bytes from the one on that holds their first element, and are then moved to the front.
 * A warp's last rows can wait in registers instead, where all that a multiprocessor has of one kind is used up before
 * the other: as many bytes more are under way at a time. */
#ifndef FUSED_TILE_CUH
#define FUSED_TILE_CUH

#include "prim/warp_scan.cuh"
#include "scan.cuh"

namespace fuse
{

/* RESIDENT: blocks on a multiprocessor.  HELD: rows of a warp that wait in registers. */
template <unsigned HALVES_, unsigned WARPS_, unsigned ROWS_, int RESIDENT, bool LARGE, unsigned HELD_> struct shape {
    static constexpr unsigned HALVES = HALVES_, WARPS = WARPS_, ROWS = ROWS_, HELD = HELD_, IN_ROOM = ROWS - HELD;
    static constexpr unsigned threads = WARPS * prim::WARP, height = WARPS * ROWS;
    static constexpr int min_blocks = RESIDENT;
    /* Images: so that words are used again, memory is asked for tiles ahead, and sums need not stay in the cache. */
    static constexpr bool large = LARGE;
    static_assert(ROWS <= prim::WARP, "a lane keeps what belongs to a row");
    /* Rows that are worked on together, for their latencies. */
    static constexpr unsigned BATCH = IN_ROOM % 4 == 0 && HELD % 4 == 0 ? 4 : 1;
};

/* ---- a run of elements of C channels ------------------------------------------------------------------- */

/* A value for each channel. */
template <class T, unsigned C> struct channels {
    T of[C];
};

/* A lane's N elements of one row, a multiple of C. */
template <class T, unsigned C, unsigned N> struct run {
    T at[N];

    PRIM_DEVICE channels<T, C> sums() const
    {
        channels<T, C> s;
#pragma unroll
        for (unsigned i = 0; i < N; i++) s.of[i % C] = i < C ? at[i] : s.of[i % C] + at[i];
        return s;
    }

    /* Each element plus all elements of its channel before it; `before`, of each channel, lies before the first. */
    PRIM_DEVICE run scanned(const channels<T, C> &before) const
    {
        run r;
#pragma unroll
        for (unsigned i = 0; i < N; i++) r.at[i] = (i < C ? before.of[i % C] : r.at[(i - C) % N]) + at[i];
        return r;
    }
};

/* The same as bytes, four to a word. */
template <unsigned C, unsigned N> struct run_of_bytes {
    uint32_t w[N / 4];

    /* Ones for the bytes of word k that are of channel c, none behind element `last`. */
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
            for (unsigned k = 0; k < N / 4; k++) s.of[c] = prim::dot_bytes(w[k], ones(k, c, N), s.of[c]);
        return s;
    }

    PRIM_DEVICE run<uint32_t, C, N> scanned(const channels<uint32_t, C> &before) const
    {
        run<uint32_t, C, N> r;
#pragma unroll
        for (unsigned i = 0; i < N; i++) {
            const unsigned back = (i % 4 / C + 1) * C; /* to the channel's last element in the words before */
            const uint32_t b = i < back ? before.of[i % C] : r.at[(i - back) % N];
            r.at[i] = prim::dot_bytes(w[i / 4], ones(i / 4, i % C, i), b);
        }
        return r;
    }
};

/* How many of N values, at most MOST, a power of two, move in one vector: as many as divide N. */
template <unsigned N, unsigned MOST> constexpr unsigned vector_of = (N & (0 - N)) < MOST ? N &(0 - N) : MOST;

/* Sums of the elements of several rows. */
template <class T, unsigned C, unsigned N> struct columns {
    run<T, C, N> sum;
    PRIM_DEVICE void add(const run<T, C, N> &r)
    {
#pragma unroll
        for (unsigned i = 0; i < N; i++) sum.at[i] += r.at[i];
    }
    PRIM_DEVICE run<T, C, N> sums() const
    {
        return sum;
    }
};

/* Of up to 257 rows of bytes, two to a word. */
template <unsigned C, unsigned N> struct columns_of_bytes {
    uint32_t even[N / 4], odd[N / 4];
    PRIM_DEVICE void add(const run_of_bytes<C, N> &r)
    {
#pragma unroll
        for (unsigned k = 0; k < N / 4; k++) {
            even[k] += r.w[k] & 0x00ff00ff;
            odd[k] += r.w[k] >> 8 & 0x00ff00ff;
        }
    }
    PRIM_DEVICE run<uint32_t, C, N> sums() const
    {
        run<uint32_t, C, N> r;
#pragma unroll
        for (unsigned i = 0; i < N; i++) r.at[i] = (i % 2 ? odd : even)[i / 4] >> 16 * (i % 4 / 2) & 0xffff;
        return r;
    }
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

/* Bytes: what a warp's runs of them sum to is below 2^15 for each half and channel, and one scan does for two. */
template <unsigned C, unsigned HALVES> struct row_scan_of_bytes {
    static_assert(HALVES <= 2);
    uint32_t two[(C * HALVES + 1) / 2];

    PRIM_DEVICE channels<uint32_t, C> of(unsigned half) const
    {
        channels<uint32_t, C> b;
#pragma unroll
        for (unsigned c = 0; c < C; c++) {
            const unsigned i = c * HALVES + half;
            b.of[c] = i % 2 ? two[i / 2] >> 16 : two[i / 2] & 0xffff;
        }
        return b;
    }

    PRIM_DEVICE static row_scan_of_bytes over(const channels<uint32_t, C> (&mine)[HALVES])
    {
        row_scan_of_bytes s;
#pragma unroll
        for (unsigned i = 0; i < C * HALVES; i += 2) {
            uint32_t m = mine[0].of[i / HALVES];
            if (i + 1 < C * HALVES) m |= mine[HALVES - 1].of[(i + 1) / HALVES] << 16;
            const uint32_t upto = prim::warp_scan_inclusive(m);
            s.two[i / 2] = upto - m;
            if (HALVES == 2) s.two[i / 2] += prim::shuffle(upto, prim::WARP - 1) << 16;
        }
        return s;
    }
};

/* ---- the tile ------------------------------------------------------------------------------------------ */

/* Where a warp's part of a tile lies in an image, and how much of it exists. */
struct place {
    int64_t x, y;  /* of its first element */
    unsigned wide; /* elements of its rows */
    unsigned lead; /* the first of them that are no samples: in front of the row */
    unsigned rows;
    bool even;                /* its rows begin on 16 bytes */
    unsigned late, late_step; /* elements by which row 0 begins after its packet, and each row more than the last */
};

template <class Sample, class Accum, unsigned C, class Shape> struct tile {
    using sum = typename sums_in<Accum>::type;
    static constexpr bool narrow = std::is_integral_v<Sample> && sizeof(Sample) <= 2;
    /* Sums of what lies in one tile: 2^15 samples of 16 bits, or 2^16 of 8, fit 32 bits. */
    using part = std::conditional_t<narrow || std::is_same_v<sum, uint32_t>, uint32_t, sum>;
    static constexpr bool bytes = sizeof(Sample) == 1;
    using word = std::conditional_t<sizeof(Sample) == 8, uint64_t, uint32_t>;
    static constexpr unsigned IN_WORD = sizeof(word) / sizeof(Sample), PACKET = 16 / sizeof(word);
    /* Words that come at once where rows begin anywhere, and their elements. */
    static constexpr unsigned SOME = IN_WORD > 1 ? PACKET : 1, IN_SOME = IN_WORD * SOME;

    /* Elements of a lane in each half, and words of them; elements of a half and of a row. */
    static constexpr unsigned RUN = C == 3 ? (bytes ? 12 : 6) : 4, RUN_WORDS = RUN / IN_WORD;
    static constexpr unsigned HALF = prim::WARP * RUN, WIDTH = Shape::HALVES * HALF, ROW_WORDS = WIDTH / IN_WORD;
    using run = std::conditional_t<bytes, run_of_bytes<C, RUN>, fuse::run<part, C, RUN>>;
    using columns = std::conditional_t<bytes, columns_of_bytes<C, RUN>, fuse::columns<part, C, RUN>>;
    using row_scan =
        std::conditional_t<bytes, row_scan_of_bytes<C, Shape::HALVES>, fuse::row_scan<part, C, Shape::HALVES>>;

    /* Behind the rows lies one more packet for each, where they may begin inside of one. */
    static constexpr unsigned HELD = Shape::HELD, IN_ROOM = Shape::IN_ROOM, ROOMS = Shape::WARPS * IN_ROOM;
    static constexpr unsigned ROW_PACKETS = ROW_WORDS / SOME, MORE = ROOMS * ROW_WORDS;
    using room = prim::array<word, MORE + (IN_WORD > 1 ? ROOMS * SOME : 0)>;
    static_assert(HELD == 0 || IN_WORD == 1, "rows that begin anywhere are moved in shared memory");

    struct words_of_run {
        word at[RUN_WORDS];
    };

    /* Where a warp's rows wait: the first IN_ROOM in shared memory, the others in the lanes that need them. */
    struct waiting {
        room &in_room;
        words_of_run held[HELD > 0 ? HELD : 1][Shape::HALVES];
    };
    enum home { ROOM, REGISTERS };

    /* Sums of a row can take the place of its samples. */
    static constexpr bool in_place = sizeof(Sample) == sizeof(sum) && !bytes;

    scan_source<Sample, Accum> source;
    const Sample *end; /* of the image */
    unsigned lead;     /* zeros in front of each row, which the table has too: they count as elements */

    /* The warp's row r in the room, and its word i, which may be one of those behind the others.  Where sums take the
     * place of samples, the packets of a line of the cache lie in another order in each of 8 rows: lanes that go along
     * rows of their own then use different banks, as those that go along one. */
    PRIM_DEVICE static unsigned row_at(unsigned r) { return (prim::warp_id() * IN_ROOM + r) * ROW_WORDS; }
    PRIM_DEVICE static unsigned word_at(unsigned r, unsigned i)
    {
        constexpr unsigned ORDERS = 128 / 16; /* packets in a row of the banks */
        if constexpr (in_place) {
            return row_at(r) + (i ^ r % ORDERS * PACKET);
        } else {
            const unsigned behind = MORE + (prim::warp_id() * IN_ROOM + r) * SOME;
            return IN_WORD == 1 || i < ROW_WORDS ? row_at(r) + i : behind + (i - ROW_WORDS);
        }
    }

    PRIM_DEVICE const Sample *row(const place &p, unsigned r) const
    {
        return source.in + (p.y + r) * source.pitch + p.x - lead;
    }

    PRIM_DEVICE place at(int64_t x, int64_t y, int64_t elements, int64_t rows) const
    {
        place p = {.x = x, .y = y};
        p.wide = elements - x < WIDTH ? (unsigned)(elements - x) : WIDTH;
        p.lead = x == 0 ? lead : 0;
        p.rows = y >= rows ? 0 : rows - y < Shape::ROWS ? (unsigned)(rows - y) : Shape::ROWS;
        p.late = (unsigned)((uintptr_t)row(p, 0) / sizeof(Sample) % IN_SOME);
        p.late_step = (unsigned)source.pitch;
        p.even = p.lead == 0 && (uintptr_t)row(p, 0) % 16 == 0 && source.pitch * sizeof(Sample) % 16 == 0;
        return p;
    }

    /* Elements by which row r begins after its first packet. */
    PRIM_DEVICE static unsigned late(const place &p, unsigned r) { return (p.late + r * p.late_step) % IN_SOME; }

    /* Where packet k of row r begins. */
    PRIM_DEVICE const Sample *packet_of(const place &p, unsigned r, unsigned k) const
    {
        return row(p, r) - late(p, r) + k * IN_SOME;
    }

    /* The warp's rows.  All loads are under way when it returns. */
    PRIM_DEVICE void load(waiting &w, const place &p) const
    {
        const unsigned lane = prim::lane_id();
        const bool full = p.wide == WIDTH && p.rows == Shape::ROWS;
        room &s = w.in_room;
        if (full && p.even) {
            hold<true>(w, p);
            constexpr unsigned PACKETS = ROW_WORDS / PACKET;
#pragma unroll 4
            for (unsigned i = lane; i < IN_ROOM * PACKETS; i += prim::WARP) {
                const unsigned r = i / PACKETS, k = i % PACKETS * PACKET;
                prim::fetch_vector<PACKET>(s, word_at(r, k), (const word *)row(p, r) + k);
            }
            return;
        }
        hold<false>(w, p);
        if (full && packet_of(p, 0, 0) >= source.in && packet_of(p, Shape::ROWS - 1, ROW_PACKETS + 1) <= end) {
#pragma unroll 4
            for (unsigned i = lane; i < IN_ROOM * ROW_PACKETS; i += prim::WARP)
                load_packet(s, p, i / ROW_PACKETS, i % ROW_PACKETS);
            if (IN_WORD > 1 && lane < IN_ROOM) load_packet(s, p, lane, ROW_PACKETS);
            return;
        }
        constexpr unsigned ALL = ROW_PACKETS + (IN_WORD > 1);
        for (unsigned i = lane; i < IN_ROOM * ALL; i += prim::WARP) load_part(s, p, i / ALL, i % ALL);
    }

    /* The warp's rows of a tile that others will load soon, but for a last part of a line, which is also the next
     * tile's first. */
    PRIM_DEVICE void prefetch(const place &p) const
    {
        constexpr unsigned LINE = 128, LINES = (WIDTH * sizeof(Sample) + LINE - 1) / LINE;
#pragma unroll 1
        for (unsigned i = prim::lane_id(); i < p.rows * LINES; i += prim::WARP)
            if (i % LINES * LINE < p.wide * sizeof(Sample))
                prim::prefetch((const char *)row(p, i / LINES) + i % LINES * LINE);
    }

    /* The rows that wait in registers, in packets if they are EVEN and all there. */
    template <bool EVEN> PRIM_DEVICE void hold(waiting &w, const place &p) const
    {
        constexpr unsigned V = vector_of<RUN_WORDS, PACKET>;
#pragma unroll
        for (unsigned r = IN_ROOM; r < Shape::ROWS; r++)
#pragma unroll
            for (unsigned h = 0; h < Shape::HALVES; h++) {
                const unsigned element = h * HALF + prim::lane_id() * RUN;
                const word *from = (const word *)row(p, r) + element;
                words_of_run &to = w.held[r - IN_ROOM][h];
#pragma unroll
                for (unsigned i = 0; i < RUN_WORDS; i += EVEN ? V : 1) {
                    if constexpr (EVEN) {
                        const auto some = prim::load((const prim::vec<word, V> *)(from + i));
#pragma unroll
                        for (unsigned n = 0; n < V; n++) to.at[i + n] = some.at[n];
                    } else {
                        to.at[i] = r < p.rows && element + i < p.wide ? prim::load(from + i) : word(0);
                    }
                }
            }
    }

    PRIM_DEVICE void load_packet(room &s, const place &p, unsigned r, unsigned k) const
    {
        if constexpr (SOME == 1)
            prim::fetch(s, word_at(r, k), (const word *)packet_of(p, r, k));
        else
            prim::fetch_vector<SOME>(s, word_at(r, k * SOME), (const word *)packet_of(p, r, k));
    }

    /* A packet of which the image may have some elements only, or none: 0 stands for those. */
    PRIM_DEVICE void load_part(room &s, const place &p, unsigned r, unsigned k) const
    {
        const Sample *from = packet_of(p, r, k);
        const bool needed = r < p.rows && k * IN_SOME < late(p, r) + p.wide;
        if (needed && from >= source.in && from + IN_SOME <= end) {
            load_packet(s, p, r, k);
            return;
        }
        for (unsigned i = 0; i < SOME; i++) {
            word w = 0;
            for (unsigned e = i * IN_WORD; needed && e < (i + 1) * IN_WORD; e++)
                if (from + e >= source.in && from + e < end)
                    w |= (word) __builtin_bit_cast(bits, prim::load(from + e))
                         << 8 * (sizeof(Sample) * e % sizeof(word));
            s.set(word_at(r, k * SOME + i), w);
        }
    }

    /* Those of word i that are of the first so many elements. */
    PRIM_DEVICE static word bits_of(unsigned elements, unsigned i)
    {
        const unsigned here = i * IN_WORD < elements ? elements - i * IN_WORD : 0;
        return here >= IN_WORD ? ~word(0) : (word(1) << 8 * sizeof(Sample) * here) - 1;
    }

    /* Moves rows of bytes or half words to where their packets begin, in a place whose loads are done, and leaves zeros
     * where the image has no samples: from here on, a row is a row.  Some at a time, so that they overlap. */
    PRIM_DEVICE void settle(room &s, const place &p) const
    {
        if (IN_WORD == 1 || (p.even && p.wide == WIDTH)) return;
        constexpr unsigned BITS = 8 * sizeof(Sample), BATCH = Shape::BATCH;
#pragma unroll 1
        for (unsigned chunk = 0; chunk < ROW_WORDS; chunk += prim::WARP) {
            const unsigned i = chunk + prim::lane_id(); /* word */
            const word kept = bits_of(p.wide, i) & ~bits_of(p.lead, i);
#pragma unroll 1
            for (unsigned from = 0; from < p.rows; from += BATCH) {
                word w[BATCH];
#pragma unroll
                for (unsigned b = 0; b < BATCH; b++) {
                    const unsigned r = from + b, skip = late(p, r), first = i + skip / IN_WORD;
                    w[b] = prim::shift_right(s.get(word_at(r, first)), s.get(word_at(r, first + 1)),
                                             BITS * (skip % IN_WORD));
                    w[b] &= kept;
                }
                prim::warp_sync(); /* a word's last elements are the next one's first */
#pragma unroll
                for (unsigned b = 0; b < BATCH; b++) s.set(row_at(from + b) + i, w[b]);
            }
        }
        prim::warp_sync();
    }

    /* The lane's elements of a half of row r. */
    template <home AT> PRIM_DEVICE run get(const waiting &w, const place &p, unsigned r, unsigned half) const
    {
        const auto words = run_words<AT>(w, r, half);
        run q;
        if constexpr (bytes) {
#pragma unroll
            for (unsigned k = 0; k < RUN_WORDS; k++) q.w[k] = words.at[k];
        } else if constexpr (sizeof(Sample) == 2) {
#pragma unroll
            for (unsigned i = 0; i < RUN; i++) q.at[i] = words.at[i / 2] >> 16 * (i % 2) & 0xffff;
        } else {
#pragma unroll
            for (unsigned i = 0; i < RUN; i++)
                q.at[i] = sample_of(p, r, half * HALF + prim::lane_id() * RUN + i, words.at[i]);
        }
        return q;
    }

    /* The sum of row r, which waits in the room, by one lane; each sample gives its place to the sum of all in its
     * channel up to it. */
    PRIM_DEVICE channels<sum, C> scan_row(waiting &w, const place &p, unsigned r) const
    {
        constexpr unsigned AT_ONCE = 4 * (C == 3 ? 3 : 1); /* packets */
        static_assert(in_place && AT_ONCE * PACKET % C == 0 && ROW_WORDS % (AT_ONCE * PACKET) == 0);
        channels<sum, C> s = {};
#pragma unroll 1
        for (unsigned from = 0; from < ROW_WORDS; from += AT_ONCE * PACKET) {
            prim::vec<word, PACKET> v[AT_ONCE];
#pragma unroll
            for (unsigned k = 0; k < AT_ONCE; k++)
                v[k] = w.in_room.template get_vector<PACKET>(word_at(r, from + k * PACKET));
#pragma unroll
            for (unsigned k = 0; k < AT_ONCE; k++)
#pragma unroll
                for (unsigned i = 0; i < PACKET; i++) {
                    sum &running = s.of[(k * PACKET + i) % C];
                    running += sample_of(p, r, from + k * PACKET + i, v[k].at[i]);
                    v[k].at[i] = __builtin_bit_cast(word, running);
                }
#pragma unroll
            for (unsigned k = 0; k < AT_ONCE; k++)
                w.in_room.template set_vector<PACKET>(word_at(r, from + k * PACKET), v[k]);
        }
        return s;
    }

    /* Sums that have taken the place of samples. */
    PRIM_DEVICE static void hold_sums(waiting &w, unsigned r, unsigned half, const run &q)
    {
        w.held[r - IN_ROOM][half] = __builtin_bit_cast(words_of_run, q);
    }
    template <home AT> PRIM_DEVICE static run get_sums(const waiting &w, unsigned r, unsigned half)
    {
        return __builtin_bit_cast(run, run_words<AT>(w, r, half));
    }

    /* The lane's run among those of the warp, which begin at `from`. */
    template <class T, unsigned N, class Run>
    PRIM_DEVICE static void set_run(prim::array<T, N> &to, unsigned from, const Run &q)
    {
        constexpr unsigned ALL = sizeof q / sizeof(T), V = vector_of<ALL, 16 / sizeof(T)>;
#pragma unroll
        for (unsigned i = 0; i < ALL; i += V) {
            prim::vec<T, V> v;
#pragma unroll
            for (unsigned k = 0; k < V; k++) v.at[k] = __builtin_bit_cast(T, q.at[i + k]);
            to.template set_vector<V>(from + prim::lane_id() * ALL + i, v);
        }
    }
    template <class Run, class T, unsigned N>
    PRIM_DEVICE static Run get_run(const prim::array<T, N> &from_all, unsigned from)
    {
        return gather<Run>(from_all,
                           [=](unsigned i) { return from + prim::lane_id() * (sizeof(Run) / sizeof(T)) + i; });
    }
    /* Element i lies at(i), and those of a vector side by side. */
    template <class Run, class T, unsigned N, class At>
    PRIM_DEVICE static Run gather(const prim::array<T, N> &from_all, At at)
    {
        constexpr unsigned ALL = sizeof(Run) / sizeof(T), V = vector_of<ALL, 16 / sizeof(T)>;
        Run q;
#pragma unroll
        for (unsigned i = 0; i < ALL; i += V) {
            const auto v = from_all.template get_vector<V>(at(i));
#pragma unroll
            for (unsigned k = 0; k < V; k++) q.at[i + k] = v.at[k];
        }
        return q;
    }

  private:
    using bits =
        std::conditional_t<sizeof(Sample) == 1, uint8_t, std::conditional_t<sizeof(Sample) == 2, uint16_t, word>>;

    /* Element e of row r, as it takes part in sums: 0 is not nothing in fixed point, whose samples have no lead. */
    PRIM_DEVICE part sample_of(const place &p, unsigned r, unsigned e, word w) const
    {
        const bool inside = !std::is_same_v<Accum, q32> || (r < p.rows && e < p.wide);
        return inside ? (part)source.widen(__builtin_bit_cast(Sample, w)) : part(0);
    }

    /* r is known when this is compiled, if they are in registers. */
    template <home AT> PRIM_DEVICE static words_of_run run_words(const waiting &w, unsigned r, unsigned half)
    {
        const unsigned from = half * prim::WARP * RUN_WORDS;
        if constexpr (AT == REGISTERS)
            return w.held[r - IN_ROOM][half];
        else if constexpr (in_place)
            return gather<words_of_run>(w.in_room,
                                        [=](unsigned i) { return word_at(r, from + prim::lane_id() * RUN_WORDS + i); });
        else
            return get_run<words_of_run>(w.in_room, row_at(r) + from);
    }
};

} // namespace fuse
#endif
