/* box_march.cuh - the box filter of integer samples that needs no table; the head of box.cu explains it. */
#ifndef BOX_MARCH_CUH
#define BOX_MARCH_CUH

#include "box_axis.cuh"
#include "box_divide.cuh"
#include "prim/warp_scan.cuh"

namespace box
{

template <class Sample, unsigned CHANNELS, class Column, class Sum, unsigned RUN, unsigned OWN, int BLOCKS>
struct march {
    using sample_type = Sample;
    static constexpr unsigned WARPS = RUN / OWN, ROWS = WARPS, threads = WARPS * prim::WARP;
    static constexpr int min_blocks = BLOCKS;
    static constexpr unsigned ELEMENTS = prim::WARP * RUN;           /* columns of samples in a strip and its halo */
    static constexpr unsigned GROUP = 16 / (unsigned)sizeof(Column); /* columns in a piece of 16 bytes */
    static constexpr unsigned GROUPS = RUN / GROUP;                  /* pieces of a lane */
    static constexpr unsigned RAW = OWN * (unsigned)sizeof(Sample) / 4, COLUMN = OWN * (unsigned)sizeof(Column) / 4;
    static constexpr unsigned ROW_WORDS = ELEMENTS * (unsigned)sizeof(Column) / 4;
    static constexpr unsigned RUN_WORDS = RUN * (unsigned)sizeof(Sample) / 4;
    static constexpr unsigned STAGE_WORDS = 4 + prim::WARP * RUN_WORDS + 4;
    static constexpr unsigned UNIT = GROUP % CHANNELS ? CHANNELS : 1; /* pieces that begin at the same channel */
    static_assert(GROUPS % UNIT == 0 && RUN % GROUP == 0 && RUN % OWN == 0 && RUN % CHANNELS == 0 &&
                  OWN * sizeof(Sample) % 4 == 0);
    static_assert(GROUPS % 2 == 1, "lanes that read their pieces at the same time meet in no bank");

    static constexpr unsigned LEAD = OWN < 4 ? 4 : OWN;

    using raw = prim::vec<uint32_t, RAW>;
    using piece = prim::vec<uint32_t, 4>;

    /* Windows of lanes near the end of a row, whose results nobody asked for, reach this far behind it. */
    static constexpr unsigned BEHIND = (GROUPS + 1) * 4, ROW_PITCH = ROW_WORDS + BEHIND;

    /* Results of a row whose areas may be their own, at most, or else all of them count as such. */
    static constexpr unsigned KEPT = ELEMENTS / 4;

    struct shared {
        alignas(16) prim::array<uint32_t, ROWS * ROW_PITCH> columns; /* sums of the windows' rows */
        alignas(16) prim::array<uint32_t, WARPS * STAGE_WORDS> results;
        alignas(16) prim::array<Sum, WARPS * KEPT> kept; /* windows' sums near the edges */
        prim::array<int32_t, ELEMENTS> sources;
    };

    const Sample *in;
    Sample *out;
    int64_t in_pitch, out_pitch; /* samples */
    axis x, y;
    divisor mean;
    int32_t strips, strip, rows; /* elements of a strip, rows of a segment */
    uint32_t window;             /* elements: its width times the channels */
    uint32_t row_bytes;          /* in_pitch, if wide */
    bool wide;                   /* all rows are aligned to OWN samples, and less than 2^32 bytes apart */
    Sample value[4];             /* what lies beyond the edge, where that is a value */

    /* ---- down the columns ---------------------------------------------------------------------------- */

    struct column_sums {
        uint32_t at[COLUMN];

        /* The samples of a row as words of columns. */
        PRIM_DEVICE static uint32_t word(const raw &row, unsigned w)
        {
            if constexpr (sizeof(Sample) == 1 && sizeof(Column) == 2)
                return prim::permute_bytes(row.at[w / 2], 0, w % 2 ? 0x4342 : 0x4140);
            static_assert(sizeof(Column) == 4 || sizeof(Sample) == 1);
            return sample(row, w);
        }
        PRIM_DEVICE void move(const raw &enter, const raw &leave)
        {
#pragma unroll
            for (unsigned w = 0; w < COLUMN; w++) at[w] += word(enter, w) - word(leave, w);
        }
        PRIM_DEVICE void add(const raw &one, const raw &other)
        {
#pragma unroll
            for (unsigned w = 0; w < COLUMN; w++) at[w] += word(one, w) + word(other, w);
        }
    };

    PRIM_DEVICE static uint32_t sample(const raw &r, unsigned i)
    {
        constexpr unsigned PER = 4 / (unsigned)sizeof(Sample);
        return r.at[i / PER] >> i % PER * 8 * (unsigned)sizeof(Sample) & (uint32_t)(Sample)~0;
    }

    /* What a thread knows of its columns.  Where a column is from, if it is not the image's at its place (`sources`):
     * an element of the image's row; COPY + the column of this strip whose sum it repeats; or -1 - channel: the border
     * value. */
    static constexpr int32_t COPY = 1 << 30;
    struct mine {
        int32_t first;         /* element */
        bool direct;           /* all in the image, and aligned */
        bool gathers;          /* from sources */
        bool plain;            /* nobody in this warp gathers */
        const uint8_t *column; /* of the image, if direct */
        raw nothing;           /* the border values, or zeros */
    };

    PRIM_DEVICE mine my_columns(shared &s, int32_t left) const
    {
        const unsigned own = prim::thread_id() * OWN;
        const int32_t elements = x.n * (int32_t)CHANNELS, first = left + (int32_t)own;
        mine m = {};
        m.first = first;
        m.direct = wide && first >= 0 && first + (int32_t)OWN <= elements;
        const bool beyond = first + (int32_t)OWN <= 0 || first >= elements; /* nobody copies from it */
#pragma unroll
        for (unsigned i = 0; i < OWN; i++) {
            const int32_t e = first + (int32_t)i;
            const int32_t pixel = (e + (int32_t)CHANNELS * x.lead) / (int32_t)CHANNELS - x.lead;
            const int32_t channel = e - pixel * (int32_t)CHANNELS;
            constexpr unsigned PER = 4 / (unsigned)sizeof(Sample);
            m.nothing.at[i / PER] |= (uint32_t)value[channel] << i % PER * 8 * (unsigned)sizeof(Sample);
            if (m.direct) continue;
            const int32_t to = pixel < x.n + x.after ? seen(x, pixel) : -1;
            int32_t source = to < 0 ? -1 - channel : to * (int32_t)CHANNELS + channel;
            if (beyond && source >= left && source >= 0 && source < left + (int32_t)ELEMENTS) {
                source += COPY - left;
            } else if (source >= 0) {
                m.gathers = true;
            }
            s.sources.set(own + i, source);
        }
        m.plain = !prim::any(m.gathers);
        m.column = reinterpret_cast<const uint8_t *>(in + first);
        return m;
    }

    /* A thread's samples of rows one by one: at the edges, or where rows are not aligned. */
    PRIM_DEVICE void gather(const shared &s, const mine &m, const Sample *(&rows)[ROWS], raw (&r)[ROWS]) const
    {
        constexpr unsigned BITS = 8 * (unsigned)sizeof(Sample), PER = 4 / (unsigned)sizeof(Sample);
#pragma unroll
        for (unsigned k = 0; k < ROWS; k++) r[k] = m.nothing;
#pragma unroll
        for (unsigned i = 0; i < OWN; i++) {
            const int32_t from = s.sources.get(prim::thread_id() * OWN + i);
            if (from < 0 || from >= COPY) continue;
            const uint32_t keep = ~((uint32_t)(Sample)~0 << i % PER * BITS);
#pragma unroll
            for (unsigned k = 0; k < ROWS; k++)
                if (rows[k])
                    r[k].at[i / PER] = (r[k].at[i / PER] & keep) | (uint32_t)prim::load(rows[k] + from)
                                                                       << i % PER * BITS;
        }
    }

    /* Columns beyond the edge, whose sums are those of columns of this strip: each warp has a row. */
    PRIM_DEVICE void copy_columns(shared &s, int32_t left) const
    {
        constexpr unsigned PER = 4 / (unsigned)sizeof(Column), BITS = 8 * (unsigned)sizeof(Column);
        const int32_t inside = x.n * (int32_t)CHANNELS - left; /* columns up to the right edge */
        const unsigned before = left < 0 ? (unsigned)-left / PER : 0, row = prim::warp_id() * ROW_PITCH;
        const unsigned behind = inside < (int32_t)ELEMENTS ? ((unsigned)inside + PER - 1) / PER : ROW_WORDS;
        for (unsigned i = prim::lane_id(); i < before + ROW_WORDS - behind; i += prim::WARP) {
            const unsigned at = i < before ? i : i - before + behind;
            uint32_t word = s.columns.get(row + at);
#pragma unroll
            for (unsigned k = 0; k < PER; k++) {
                const int32_t from = s.sources.get(at * PER + k);
                if (from < COPY) continue;
                const unsigned other = (unsigned)(from - COPY), shift = k * BITS;
                const uint32_t sum = s.columns.get(row + other / PER) >> other % PER * BITS;
                word = (word & ~((uint32_t)(Column)~0 << shift)) | (sum & (uint32_t)(Column)~0) << shift;
            }
            s.columns.set(row + at, word);
        }
        prim::warp_sync(); /* the columns beyond the edge are there */
    }

    /* Rows at, at + 1, ... at + ROWS - 1, of which `count` are asked for.  Where a thread's columns are nobody's, r
     * stays what it is: nothing, from the beginning. */
    PRIM_DEVICE void load_rows(const shared &s, const mine &m, int32_t at, int32_t count, raw (&r)[ROWS]) const
    {
        if (at >= 0 && at + (int32_t)ROWS <= y.n && m.plain) {
            if (m.direct) {
#pragma unroll
                for (unsigned k = 0; k < ROWS; k++)
                    r[k] =
                        prim::load(reinterpret_cast<const raw *>(m.column + (uint64_t)((uint32_t)at + k) * row_bytes));
            }
            return;
        }
        const int32_t lane = (int32_t)prim::lane_id();
        const bool asked = lane < (int32_t)ROWS && lane < count && at + lane >= -y.lead;
        const int32_t from = asked ? seen(y, at + lane) : -1;
        const Sample *rows[ROWS]; /* NULL: beyond the image, and nothing there */
#pragma unroll
        for (unsigned k = 0; k < ROWS; k++) {
            const int32_t row = prim::shuffle(from, k);
            rows[k] = row < 0 ? nullptr : in + row * in_pitch;
        }
#pragma unroll
        for (unsigned k = 0; k < ROWS; k++) {
            r[k] = m.nothing;
            if (m.direct && rows[k]) r[k] = prim::load(reinterpret_cast<const raw *>(rows[k] + m.first));
        }
        if (m.gathers) gather(s, m, rows, r);
    }

    /* ---- along a row --------------------------------------------------------------------------------- */

    PRIM_DEVICE static Sum plus(Sum sum, const piece &p, unsigned i)
    {
        if constexpr (sizeof(Column) == 2) return prim::add_half(p.at[i / 2], i % 2, sum);
        return sum + p.at[i];
    }
    PRIM_DEVICE static Sum minus(Sum sum, const piece &p, unsigned i)
    {
        if constexpr (sizeof(Column) == 2) return prim::subtract_half(p.at[i / 2], i % 2, sum);
        return sum - p.at[i];
    }

    /* Adds the first N columns of a piece to the sums of their channels; the piece begins with number `channel`. */
    template <unsigned N> PRIM_DEVICE static void add_columns(Sum (&sum)[CHANNELS], const piece &p, unsigned channel)
    {
        constexpr unsigned PAIRS = CHANNELS == 1 && sizeof(Column) == 2 ? N / 2 : 0;
#pragma unroll
        for (unsigned w = 0; w + 1 <= PAIRS; w++) sum[0] = prim::add_halves(p.at[w], (uint32_t)sum[0]);
#pragma unroll
        for (unsigned i = 2 * PAIRS; i + 1 <= N; i++)
            sum[(channel + i) % CHANNELS] = plus(sum[(channel + i) % CHANNELS], p, i);
    }

    PRIM_DEVICE static uint32_t scaled(uint32_t n, uint32_t low, uint32_t high)
    {
        const uint32_t carried = prim::high_product(n, low);
        return sizeof(Sample) == 1 ? carried : (uint32_t)(((uint64_t)n * high + carried) >> 16);
    }

    /* All windows of a row have the same area; or all but those of the elements near the edges, whose sums are kept; or
     * each its own. */
    enum : unsigned { BY_ROW, BY_ROW_BUT_EDGES, BY_RESULT };

    /* A row's results, by one warp. */
    struct task {
        ratio whole; /* of the row */
        int32_t y;
        unsigned division;        /* one of the three above */
        uint32_t half;            /* of the area, if it is that of the row, else 0 */
        unsigned columns, behind; /* in shared memory: of this lane's first window; behind the row */
        unsigned stage;           /* its first result */
    };

    /* Which results a lane has, of [begin, end) of every row; the first window of the strip is that of element `first`.
     * Near the edges, up to element first + left and from first + right on, areas may be their own. */
    struct results {
        int32_t first, begin, end;
        int32_t own, from, upto; /* this lane's first one; which of those are asked for */
        int32_t left, right, kept;
    };

    PRIM_DEVICE results my_results(int32_t first, int32_t begin, int32_t end) const
    {
        results r = {.first = first, .begin = begin, .end = end};
        r.own = first + (int32_t)(prim::lane_id() * RUN);
        r.from = r.own > begin ? r.own : begin;
        r.upto = r.own + (int32_t)RUN < end ? r.own + (int32_t)RUN : end;
        const int32_t count = (end - first + 3) / 4 * 4, whole = x.before * (int32_t)CHANNELS - first,
                      last = (x.n - x.after) * (int32_t)CHANNELS - first;
        r.left = !mean.shrinks || whole <= begin - first ? 0 : whole < count ? (whole + 3) / 4 * 4 : count;
        r.right = !mean.shrinks || last > count ? count : last > r.left ? last / 4 * 4 : r.left;
        r.kept = r.left + count - r.right;
        return r;
    }

    /* Keeps the sums of the elements near the edges, of GROUP from `e` of this lane's on. */
    PRIM_DEVICE void keep(shared &s, const results &r, const Sum (&n)[GROUP], unsigned e) const
    {
        constexpr unsigned PER = 16 / (unsigned)sizeof(Sum);
#pragma unroll
        for (unsigned k = 0; k < GROUP; k += PER) {
            const int32_t at = (int32_t)(prim::lane_id() * RUN + e + k);
            if (at >= r.left && (at < r.right || at >= r.right + r.kept - r.left)) continue;
            prim::vec<Sum, PER> v;
#pragma unroll
            for (unsigned i = 0; i < PER; i++) v.at[i] = n[k + i];
            s.kept.template set_vector<PER>(
                prim::warp_id() * KEPT + (unsigned)(at < r.left ? at : at - r.right + r.left), v);
        }
    }

    /* Divides what is kept, four results for each lane. */
    PRIM_DEVICE void divide_kept(shared &s, const results &r, const task &t, unsigned stage) const
    {
        const uint32_t rows = (uint32_t)prim::load(y.covered + t.y);
#pragma unroll 1
        for (int32_t i = (int32_t)prim::lane_id() * 4; i < r.kept; i += prim::WARP * 4) {
            const int32_t at = i < r.left ? i : i - r.left + r.right;
            uint32_t m[4];
#pragma unroll
            for (int32_t k = 0; k < 4; k++) {
                const int32_t e = r.first + at + k;
                const Sum n = s.kept.get(prim::warp_id() * KEPT + (unsigned)(i + k)) - t.half;
                const bool asked = e >= r.begin && e < r.end;
                const Sum area = asked ? (Sum)prim::load(x.covered + e / (int32_t)CHANNELS) * rows : 1;
                m[k] = asked ? quotient(n + area / 2, area) : 0;
            }
            if constexpr (sizeof(Sample) == 1) {
                s.results.set(stage + (unsigned)at / 4, m[0] | m[1] << 8 | m[2] << 16 | m[3] << 24);
            } else {
                s.results.set(stage + (unsigned)at / 2, m[0] | m[1] << 16);
                s.results.set(stage + (unsigned)at / 2 + 1, m[2] | m[3] << 16);
            }
        }
    }

    PRIM_DEVICE piece get(const shared &s, unsigned at) const
    {
        return s.columns.template get_vector<4>(at);
    }

    /* Adds each lane's first window to `sum`, column after column. */
    template <unsigned PHASE> PRIM_DEVICE void sum_windows(const shared &s, unsigned own, Sum (&sum)[CHANNELS]) const
    {
        const unsigned pieces = window / GROUP;
#pragma unroll 1
        for (unsigned g = 0; g < pieces; g += UNIT)
#pragma unroll
            for (unsigned u = 0; u < UNIT; u++)
                if (g + u < pieces) add_columns<GROUP>(sum, get(s, own + (g + u) * 4), u * GROUP % CHANNELS);
        if constexpr (PHASE != 0)
            add_columns<PHASE>(sum, get(s, own + pieces * 4), (CHANNELS * GROUP - PHASE) % CHANNELS);
    }

    /* The same by a scan: what lies before the first window's end, less what lies before its beginning. */
    template <unsigned PHASE> PRIM_DEVICE void scan_windows(const shared &s, unsigned own, Sum (&sum)[CHANNELS]) const
    {
        const unsigned split = window / GROUP % GROUPS, lanes = window / GROUP / GROUPS;
        Sum total[CHANNELS] = {}, part[CHANNELS] = {};
#pragma unroll 1
        for (unsigned g = 0; g < GROUPS; g += UNIT)
#pragma unroll
            for (unsigned u = 0; u < UNIT; u++) {
                const piece p = get(s, own + (g + u) * 4);
                if (g + u == split) {
#pragma unroll
                    for (unsigned c = 0; c < CHANNELS; c++) part[c] = total[c];
                    add_columns<PHASE>(part, p, u * GROUP % CHANNELS);
                }
                add_columns<GROUP>(total, p, u * GROUP % CHANNELS);
            }
#pragma unroll
        for (unsigned c = 0; c < CHANNELS; c++) {
            const Sum before = prim::warp_scan_inclusive(total[c]) - total[c];
            sum[c] += prim::shuffle(before + part[c], (prim::lane_id() + lanes) % prim::WARP) - before;
        }
    }

    /* Slides all windows that begin at this lane's columns; PHASE = window % GROUP.  means(n, e, m): m[k] = the mean of
     * n[k], the sum of element e + k.  pairs: the byte of two means that go into one word. */
    template <unsigned PHASE, bool UNROLL, class Means>
    PRIM_DEVICE void slide(shared &s, const task &t, Sum (&sum)[CHANNELS], uint32_t pairs, const Means &means) const
    {
        unsigned end = t.columns + window / GROUP * 4;
        if (end > t.behind) end = t.behind; /* nobody asked for this lane's results */
        piece next = get(s, end);
#pragma unroll(UNROLL ? GROUPS / UNIT : 1)
        for (unsigned g = 0; g < GROUPS; g += UNIT)
#pragma unroll
            for (unsigned u = 0; u < UNIT; u++) {
                const piece leave = get(s, t.columns + (g + u) * 4), now = next;
                next = get(s, end + (g + u + 1) * 4);
                Sum n[GROUP];
#pragma unroll
                for (unsigned k = 0; k < GROUP; k++) {
                    const unsigned c = (u * GROUP + k) % CHANNELS, e = PHASE + k;
                    n[k] = sum[c];
                    sum[c] = minus(plus(sum[c], e < GROUP ? now : next, e % GROUP), leave, k);
                }
                uint32_t m[GROUP];
                means(n, (g + u) * GROUP, m);
                if constexpr (sizeof(Sample) == 1) {
#pragma unroll
                    for (unsigned w = 0; w < GROUP / 4; w++) {
                        const uint32_t a = prim::permute_bytes(m[4 * w], m[4 * w + 1], pairs),
                                       b = prim::permute_bytes(m[4 * w + 2], m[4 * w + 3], pairs);
                        s.results.set(t.stage + (g + u) * (GROUP / 4) + w, prim::permute_bytes(a, b, 0x5410));
                    }
                } else {
#pragma unroll
                    for (unsigned w = 0; w < GROUP / 2; w++)
                        s.results.set(t.stage + (g + u) * (GROUP / 2) + w,
                                      prim::permute_bytes(m[2 * w], m[2 * w + 1], 0x5410));
                }
            }
    }

    template <unsigned PHASE> PRIM_DEVICE void along_phase(shared &s, const results &r, const task &t) const
    {
        const uint32_t select = sizeof(Sample) == 1 ? 0x0040 + 0x0011 * mean.byte : 0x0040;
        Sum sum[CHANNELS];
#pragma unroll
        for (unsigned c = 0; c < CHANNELS; c++) sum[c] = t.half;
        if (window < 2 * RUN)
            sum_windows<PHASE>(s, t.columns, sum);
        else
            scan_windows<PHASE>(s, t.columns, sum);
        const uint32_t low = (uint32_t)t.whole.multiplier, high = (uint32_t)(t.whole.multiplier >> 32);
        const auto multiply = [&](const Sum(&n)[GROUP], unsigned, uint32_t(&m)[GROUP]) {
#pragma unroll
            for (unsigned k = 0; k < GROUP; k++) m[k] = scaled((uint32_t)n[k], low, high);
        };
        if (t.division == BY_ROW) {
            slide<PHASE, true>(s, t, sum, select, multiply);
        } else if (t.division == BY_ROW_BUT_EDGES) {
            slide<PHASE, true>(s, t, sum, select, [&](const Sum(&n)[GROUP], unsigned e, uint32_t(&m)[GROUP]) {
                keep(s, r, n, e);
                multiply(n, e, m);
            });
        } else {
            const uint32_t rows = (uint32_t)prim::load(y.covered + t.y);
            slide<PHASE, false>(s, t, sum, 0x0040, [&](const Sum(&n)[GROUP], unsigned e, uint32_t(&m)[GROUP]) {
#pragma unroll
                for (unsigned k = 0; k < GROUP; k++) {
                    const int32_t i = r.own + (int32_t)(e + k);
                    Sum area = (Sum)mean.area;
                    if (mean.shrinks)
                        area =
                            i >= r.from && i < r.upto ? (Sum)prim::load(x.covered + i / (int32_t)CHANNELS) * rows : 1;
                    m[k] = quotient(n[k] + area / 2, area);
                }
            });
        }
    }

    /* How the windows' ends lie in pieces: PHASE, one of N that are possible from there on. */
    template <unsigned PHASE = 0, unsigned N = GROUP>
    PRIM_DEVICE void along(shared &s, const results &r, const task &t) const
    {
        constexpr unsigned STEP = CHANNELS % 4 == 0 ? 4 : CHANNELS % 2 == 0 ? 2 : 1;
        if constexpr (N > STEP) {
            if (window % GROUP < PHASE + N / 2) return along<PHASE, N / 2>(s, r, t);
            return along<PHASE + N / 2, N / 2>(s, r, t);
        } else {
            along_phase<PHASE>(s, r, t);
        }
    }

    PRIM_DEVICE void do_row(shared &s, const results &r, const ratio &whole, int32_t at_y) const
    {
        task t;
        t.whole = whole;
        t.y = at_y;
        t.division = whole.multiplier == 0 || r.kept > (int32_t)KEPT ? BY_RESULT : r.kept ? BY_ROW_BUT_EDGES : BY_ROW;
        t.half = t.division == BY_RESULT ? 0 : whole.half;
        t.columns = prim::warp_id() * ROW_PITCH + prim::lane_id() * (GROUPS * 4);
        t.behind = prim::warp_id() * ROW_PITCH + ROW_WORDS;
        /* The warp stages its results so that pieces of 16 bytes there are pieces of 16 bytes of the image, but for the
         * last bits of the address, by which write_row() shifts them. */
        Sample *row = out + at_y * out_pitch;
        const unsigned offset = (unsigned)((uintptr_t)(row + r.first) % 16), room = prim::warp_id() * STAGE_WORDS + 4;
        t.stage = room + offset / 4 + prim::lane_id() * RUN_WORDS;
        along(s, r, t);
        prim::warp_sync(); /* the results are staged, and sums kept */
        if (t.division == BY_ROW_BUT_EDGES) {
            divide_kept(s, r, t, room + offset / 4);
            prim::warp_sync(); /* those near the edges, too */
        }
        write_row(s, r, row, offset, room);
    }

    /* A row's results that the warp has staged: 16 bytes at a time, and what is left at both ends one by one. */
    PRIM_DEVICE static void write_row(const shared &s, const results &r, Sample *row, unsigned offset, unsigned stage)
    {
        constexpr int32_t PER = 16 / (int32_t)sizeof(Sample);
        constexpr unsigned PIECES = (RUN * (unsigned)sizeof(Sample) + 15) / 16; /* of a lane, at most */
        const unsigned shift = offset % 4 * 8;
        const int32_t aligned = r.first - (int32_t)(offset / sizeof(Sample)); /* element at a multiple of 16 */
        const int32_t from = aligned + (r.begin - aligned + PER - 1) / PER * PER,
                      to = aligned + (r.end - aligned) / PER * PER;
        const int32_t lane = (int32_t)prim::lane_id(), own = from + lane * PER;
        const unsigned at = stage + (unsigned)(own - aligned) * (unsigned)sizeof(Sample) / 4;
        Sample *own_out = row + own;
#pragma unroll
        for (unsigned g = 0; g < PIECES; g++)
            if (own + (int32_t)(g * prim::WARP) * PER < to) {
                piece p = s.results.template get_vector<4>(at + g * prim::WARP * 4);
                if (shift) {
                    uint32_t left = s.results.get(at + g * prim::WARP * 4 - 1);
#pragma unroll
                    for (unsigned w = 0; w < 4; w++) {
                        const uint32_t right = p.at[w];
                        p.at[w] = prim::shift_right(left, right, 32 - shift);
                        left = right;
                    }
                }
                prim::store(reinterpret_cast<piece *>(own_out + g * prim::WARP * PER), p);
            }
        if (r.begin == from && r.end == to) return;
        const int32_t head = r.begin + lane, tail = (to > from ? to : from) + lane;
        if (head < from && head < r.end) store_result(s, row, head, r.first, stage + offset / 4);
        if (lane < PER && tail < r.end) store_result(s, row, tail, r.first, stage + offset / 4);
    }

    PRIM_DEVICE static void store_result(const shared &s, Sample *row, int32_t e, int32_t first, unsigned stage)
    {
        const unsigned byte = (unsigned)(e - first) * (unsigned)sizeof(Sample);
        prim::store(row + e, (Sample)(s.results.get(stage + byte / 4) >> byte % 4 * 8));
    }

    /* Columns before the first window's, which reaches so many to the left: strips begin at multiples of 16 results,
     * loads at multiples of OWN samples. */
    PRIM_HOST_DEVICE static int32_t lead(uint32_t reach)
    {
        return (int32_t)((LEAD - reach % LEAD) % LEAD);
    }

    PRIM_DEVICE void operator()(shared &s) const
    {
        const int32_t block = (int32_t)prim::block_id(), elements = x.n * (int32_t)CHANNELS;
        /* The strips at the edges take longest: they come first. */
        const int32_t segments = (y.n + rows - 1) / rows, number = block / segments;
        const int32_t place = number == 0 ? 0 : number == 1 ? strips - 1 : number - 1;
        const int32_t begin = place * strip, end = begin + strip < elements ? begin + strip : elements;
        const int32_t top = block % segments * rows, bottom = top + rows < y.n ? top + rows : y.n;
        const int32_t reach = x.before * (int32_t)CHANNELS;
        const int32_t left = begin - reach - lead((uint32_t)reach);
        const mine m = my_columns(s, left);
        const results asked = my_results(left + reach, begin, end);
        const bool edge = !mean.shrinks && (left < 0 || left + (int32_t)ELEMENTS > elements);

        for (unsigned i = prim::thread_id(); i < ROWS * BEHIND; i += threads)
            s.columns.set(i / BEHIND * ROW_PITCH + ROW_WORDS + i % BEHIND, 0);

        column_sums sums = {};
        raw enter[ROWS], leave[ROWS];
#pragma unroll
        for (unsigned k = 0; k < ROWS; k++) enter[k] = leave[k] = m.nothing;
        /* Steps that only sum rows, twice as many: the window above the first one, from row `above` up to `full`; then
         * those with results.  Each loads what the next one needs. */
        constexpr int32_t STEP = ROWS;
        const int32_t above = top - 1 - y.before, full = top + y.after;
        const int32_t start = top - (full - above + 2 * STEP - 1) / (2 * STEP) * STEP;
        for (int32_t at_y = start - STEP; at_y < bottom; at_y += STEP) {
            const int32_t next = at_y + STEP;
            if (at_y >= top) {
#pragma unroll
                for (unsigned k = 0; k < ROWS; k++) {
                    sums.move(enter[k], leave[k]);
                    store_columns(s, k, sums);
                }
            } else if (at_y >= start) {
                const int32_t skip = above - (full - 2 * (top - at_y)); /* rows that are not the window's */
                if (skip <= 0) {
#pragma unroll
                    for (unsigned k = 0; k < ROWS; k++) sums.add(enter[k], leave[k]);
                } else {
#pragma unroll
                    for (unsigned k = 0; k < ROWS; k++) {
                        if ((int32_t)k >= skip) sums.add(enter[k], raw{});
                        if ((int32_t)k + STEP >= skip) sums.add(leave[k], raw{});
                    }
                }
            }
            if (next < bottom) {
                const int32_t at = full - 2 * (top - next); /* where rows are only summed */
                load_rows(s, m, next < top ? at : next + y.after, bottom - next, enter);
                load_rows(s, m, next < top ? at + STEP : next - 1 - y.before, bottom - next, leave);
            }
            if (at_y < top) continue;
            const int32_t row = at_y + (int32_t)prim::warp_id();
            const ratio whole = prim::load(mean.rows + (row < bottom ? row : at_y));
            prim::block_sync(); /* the sums of the columns are there */
            if (edge) copy_columns(s, left);
            if (row < bottom) do_row(s, asked, whole, row);
            prim::block_sync(); /* and have been read */
        }
    }

    PRIM_DEVICE static void store_columns(shared &s, unsigned k, const column_sums &sums)
    {
        constexpr unsigned N = COLUMN < 4 ? COLUMN : 4;
#pragma unroll
        for (unsigned w = 0; w < COLUMN; w += N) {
            prim::vec<uint32_t, N> v;
#pragma unroll
            for (unsigned i = 0; i < N; i++) v.at[i] = sums.at[w + i];
            s.columns.template set_vector<N>(k * ROW_PITCH + prim::thread_id() * COLUMN + w, v);
        }
    }
};

} // namespace box

#endif
