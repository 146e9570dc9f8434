/* box_row.cuh - the means of a row of an image from its column sums; a part of box_strip.cuh. */
#ifndef BOX_ROW_CUH
#define BOX_ROW_CUH

#include "box/box_axis.cuh"
#include "box/box_divide.cuh"
#include "prim/warp_scan.cuh"

namespace box
{

/* RUN: columns of a lane.  STEP: rows that a block does at a time.  Result: Sample, or float. */
template <class Sample, unsigned CHANNELS, class Column, class Sum, unsigned RUN, unsigned STEP, class Result>
struct row_filter {
    static constexpr bool REAL = std::is_same_v<Result, float>;
    static constexpr unsigned ROWS = STEP;
    static constexpr unsigned ELEMENTS = prim::WARP * RUN;            /* columns of samples in a strip and its halo */
    static constexpr unsigned VECTOR = 16 / (unsigned)sizeof(Column); /* columns in a 16-byte vector */
    static constexpr unsigned VECTORS = RUN / VECTOR;                 /* vectors of a lane's run */
    static constexpr unsigned ROW_WORDS = ELEMENTS * (unsigned)sizeof(Column) / 4;
    static constexpr unsigned RUN_WORDS = RUN * (unsigned)sizeof(Result) / 4;
    static constexpr unsigned STAGE_WORDS = 4 + prim::WARP * RUN_WORDS + 4;
    static constexpr unsigned UNIT =
        VECTOR % CHANNELS ? CHANNELS : 1; /* vectors from one that begins with channel 0 to the next */
    static_assert(VECTORS % UNIT == 0 && RUN % VECTOR == 0 && RUN % CHANNELS == 0);
    static_assert(VECTORS % 2 == 1, "no bank conflicts between lanes that read their vectors together");

    using vector = prim::vec<uint32_t, 4>;

    /* Words behind a row: windows of the last lanes, whose results are not requested, read them. */
    static constexpr unsigned PADDING = (VECTORS + 1) * 4, ROW_PITCH = ROW_WORDS + PADDING;

    /* Results near the edges of a row, whose areas differ from the row's: at most so many, else all count as such. */
    static constexpr unsigned EDGE_RESULTS = ELEMENTS / 4;

    struct alignas(8) edge_window {
        uint32_t columns; /* of the image, in the window of one result */
        float reciprocal; /* 1 / columns */
    };

    struct shared {
        alignas(16) prim::array<uint32_t, 2 * ROWS * ROW_PITCH> columns; /* column sums of two steps */
        alignas(16) prim::array<uint32_t, ROWS * STAGE_WORDS> results;
        alignas(16) prim::array<Sum, ROWS * EDGE_RESULTS> edge_sums; /* sums of windows near the edges */
        alignas(16) prim::array<edge_window, EDGE_RESULTS> edge_windows;
        prim::array<int32_t, ELEMENTS> sources;
    };

    Result *out;
    int64_t out_pitch, out_image_pitch; /* results from row to row, and from image to image */
    uint32_t image_blocks;              /* blocks of an image */
    axis x, y;
    divisor mean;
    /* The window's width in elements (columns times channels), and where its end lies. */
    struct {
        uint32_t elements, words; /* of column sums, in whole vectors */
        uint32_t lanes, split;    /* whole runs, and the vectors of one more */
    } window;
    void set_window(uint32_t elements)
    {
        const uint32_t vectors = elements / VECTOR;
        window = {elements, vectors * 4, vectors / VECTORS, vectors % VECTORS};
    }

    /* One image takes no division. */
    PRIM_DEVICE uint32_t image_number() const
    {
        return prim::blocks() > image_blocks ? prim::block_id() / image_blocks : 0;
    }

    /* A segment of rows, counted in the direction in which the block walks; a window's rows before and after its own.
     */
    struct segment {
        int32_t top, bottom, before, after;
        bool up; /* walks upwards: its row i is row n - 1 - i of the image */
    };
    PRIM_DEVICE int32_t row_of(const segment &g, int32_t at) const { return g.up ? y.n - 1 - at : at; }

    /* The barrier between the warps of columns and those of rows: the column sums of a step are stored, and those of
     * the step before have been read. */
    PRIM_DEVICE static void sync_step() { prim::block_sync_unaligned(); /* column sums change hands */ }

    /* The first word of a row's column sums in the next step, from that of this step. */
    PRIM_DEVICE static unsigned next_step(unsigned columns)
    {
        return columns < ROWS * ROW_PITCH ? columns + ROWS * ROW_PITCH : columns - ROWS * ROW_PITCH;
    }

    /* In `sources`: COPY + the column of this strip whose sum a column repeats. */
    static constexpr int32_t COPY = 1 << 30;

    /* Fills in the halo columns that repeat a column of this strip, in a warp's row, which begins at word `row`. */
    PRIM_DEVICE void copy_columns(shared &s, unsigned row, int32_t left) const
    {
        constexpr unsigned PER = 4 / (unsigned)sizeof(Column), BITS = 8 * (unsigned)sizeof(Column);
        const int32_t inside = x.n * (int32_t)CHANNELS - left; /* columns up to the right edge */
        const unsigned before = left < 0 ? (unsigned)-left / PER : 0;
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
        prim::warp_sync(); /* the halo columns are filled in */
    }

    PRIM_DEVICE static Sum plus(Sum sum, const vector &p, unsigned i)
    {
        if constexpr (sizeof(Column) == 2) return prim::add_half(p.at[i / 2], i % 2, sum);
        return sum + p.at[i];
    }
    PRIM_DEVICE static Sum minus(Sum sum, const vector &p, unsigned i)
    {
        if constexpr (sizeof(Column) == 2) return prim::subtract_half(p.at[i / 2], i % 2, sum);
        return sum - p.at[i];
    }

    /* Adds the first N columns of a vector, which begins with `channel`, to the sums of their channels. */
    template <unsigned N> PRIM_DEVICE static void add_columns(Sum (&sum)[CHANNELS], const vector &p, unsigned channel)
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

    /* Which areas the windows of a row have: all the row's; all but those near the edges, whose sums are stored and
     * divided later; or each its own. */
    enum : unsigned { BY_ROW, BY_ROW_BUT_EDGES, BY_RESULT };

    /* The work of one warp on one row. */
    struct task {
        ratio whole; /* of windows that are not cut by an edge */
        int32_t y;
        unsigned division;                  /* one of the three above */
        uint32_t half;                      /* of the area, if it is that of the row and results are rounded; else 0 */
        unsigned columns, end;              /* in shared memory: the lane's first window; the end of the row */
        unsigned stage;                     /* the lane's first result */
        unsigned edge_sums, lane_edge_sums; /* the warp's first stored sum, and this lane's */
    };

    /* The results of a lane, of [begin, end) of every row; `first` is the element of the strip's first window.  Near
     * the edges, up to element first + left and from first + right on, areas may differ from the row's: lanes there
     * store the sums of all their results. */
    struct results {
        int32_t first, begin, end;
        int32_t own, from, upto;    /* the lane's first element; those of its run that are requested */
        int32_t left, right, edges; /* edges: results near both */
        bool stores_edges;
    };

    PRIM_DEVICE results results_of_lane(int32_t first, int32_t begin, int32_t end) const
    {
        constexpr int32_t PER = RUN;
        results r = {.first = first, .begin = begin, .end = end};
        const int32_t lane = (int32_t)prim::lane_id() * PER;
        r.own = first + lane;
        r.from = r.own > begin ? r.own : begin;
        r.upto = r.own + PER < end ? r.own + PER : end;
        const int32_t count = (end - first + PER - 1) / PER * PER, whole = x.before * (int32_t)CHANNELS - first,
                      last = (x.n - x.after) * (int32_t)CHANNELS - first;
        r.left = !mean.shrinks || whole <= begin - first ? 0 : whole < count ? (whole + PER - 1) / PER * PER : count;
        r.right = !mean.shrinks || last > count ? count : last > r.left ? last / PER * PER : r.left;
        r.edges = r.left + count - r.right;
        r.stores_edges = lane < r.left || (lane >= r.right && lane < count);
        return r;
    }

    /* Counts the columns in windows near the edges, by the whole block. */
    PRIM_DEVICE void count_edges(shared &s, const results &r, unsigned threads) const
    {
        for (int32_t i = (int32_t)prim::thread_id(); i < r.edges && i < (int32_t)EDGE_RESULTS; i += (int32_t)threads) {
            const int32_t e = r.first + (i < r.left ? i : i - r.left + r.right);
            const bool requested = e >= r.begin && e < r.end;
            const uint32_t columns = requested ? covered(x, e / (int32_t)CHANNELS) : 1;
            s.edge_windows.set((unsigned)i, edge_window{columns, requested ? 1.0f / (float)columns : 0.0f});
        }
    }

    /* The bits of a mean of f32.  Sums are below 2^53: the window has fewer columns than a strip, and column sums are
     * below 2^32. */
    PRIM_DEVICE static uint32_t real_mean(Sum sum, Sum area)
    {
        return __builtin_bit_cast(uint32_t, (float)((double)sum / (double)area));
    }

    /* The same of a row's area. */
    PRIM_DEVICE uint32_t real_mean_of_row(Sum sum, const ratio &whole) const
    {
        const double reciprocal = __builtin_bit_cast(double, whole.multiplier);
        const float mean_of_floats = corrected_quotient((float)(uint32_t)sum, (float)whole.half, (float)reciprocal);
        if (mean.in_floats) return __builtin_bit_cast(uint32_t, mean_of_floats);
        return __builtin_bit_cast(uint32_t, (float)corrected_quotient((double)sum, (double)whole.half, reciprocal));
    }

    /* Divides the stored sums, four results for each lane. */
    PRIM_DEVICE void divide_edges(shared &s, const results &r, const task &t, unsigned stage) const
    {
        const uint32_t rows = covered(y, t.y);
        const float reciprocal = 1.0f / (float)rows;
#pragma unroll 1
        for (int32_t i = (int32_t)prim::lane_id() * 4; i < r.edges; i += prim::WARP * 4) {
            const int32_t at = i < r.left ? i : i - r.left + r.right;
            uint32_t m[4];
#pragma unroll
            for (unsigned k = 0; k < 4; k++) {
                const Sum n = s.edge_sums.get(t.edge_sums + (unsigned)i + k) - t.half;
                const edge_window h = s.edge_windows.get((unsigned)i + k);
                const Sum area = (Sum)h.columns * rows;
                if constexpr (REAL)
                    m[k] = real_mean(n, area);
                else
                    m[k] = quotient(n + area / 2, area, h.reciprocal * reciprocal);
            }
            if constexpr (REAL) {
#pragma unroll
                for (unsigned k = 0; k < 4; k++) s.results.set(stage + (unsigned)at + k, m[k]);
            } else if constexpr (sizeof(Sample) == 1) {
                s.results.set(stage + (unsigned)at / 4, m[0] | m[1] << 8 | m[2] << 16 | m[3] << 24);
            } else {
                s.results.set(stage + (unsigned)at / 2, m[0] | m[1] << 16);
                s.results.set(stage + (unsigned)at / 2 + 1, m[2] | m[3] << 16);
            }
        }
    }

    /* Stores the sums of VECTOR results, from the lane's result `e` on. */
    PRIM_DEVICE static void store_edges(shared &s, const task &t, const Sum (&n)[VECTOR], unsigned e)
    {
        constexpr unsigned PER = 16 / (unsigned)sizeof(Sum);
#pragma unroll
        for (unsigned k = 0; k < VECTOR; k += PER) {
            prim::vec<Sum, PER> v;
#pragma unroll
            for (unsigned i = 0; i < PER; i++) v.at[i] = n[k + i];
            s.edge_sums.template set_vector<PER>(t.lane_edge_sums + e + k, v);
        }
    }

    PRIM_DEVICE vector get(const shared &s, unsigned at) const
    {
        return s.columns.template get_vector<4>(at);
    }

    /* Adds each lane's first window to `sum`, column by column. */
    template <unsigned PHASE> PRIM_DEVICE void sum_windows(const shared &s, unsigned own, Sum (&sum)[CHANNELS]) const
    {
        const unsigned end = own + window.words;
#pragma unroll 1
        for (unsigned at = own; at < end; at += UNIT * 4)
#pragma unroll
            for (unsigned u = 0; u < UNIT; u++)
                if (at + u * 4 < end) add_columns<VECTOR>(sum, get(s, at + u * 4), u * VECTOR % CHANNELS);
        if constexpr (PHASE != 0) add_columns<PHASE>(sum, get(s, end), (CHANNELS * VECTOR - PHASE) % CHANNELS);
    }

    /* The same by a warp scan: the prefix of the window's end less that of its beginning. */
    template <unsigned PHASE> PRIM_DEVICE void scan_windows(const shared &s, unsigned own, Sum (&sum)[CHANNELS]) const
    {
        Sum total[CHANNELS] = {}, part[CHANNELS] = {};
#pragma unroll
        for (unsigned g = 0; g < VECTORS; g++) {
            if (g == window.split)
#pragma unroll
                for (unsigned c = 0; c < CHANNELS; c++) part[c] = total[c];
            add_columns<VECTOR>(total, get(s, own + g * 4), g * VECTOR % CHANNELS);
        }
        if constexpr (PHASE != 0)
            add_columns<PHASE>(part, get(s, own + window.split * 4), (CHANNELS * VECTOR - PHASE) % CHANNELS);
#pragma unroll
        for (unsigned c = 0; c < CHANNELS; c++) {
            const Sum before = prim::warp_scan_exclusive(total[c], prim::warp_scan_inclusive(total[c]));
            sum[c] += prim::shuffle(before + part[c], (prim::lane_id() + window.lanes) % prim::WARP) - before;
        }
    }

    static constexpr unsigned UNROLLED = UNIT == 3          ? 1
                                         : VECTORS % 3 == 0 ? 3
                                                            : VECTORS; /* UNITs in a turn of the loop */
    /* Slides all windows that begin at this lane's columns; PHASE = window.elements % VECTOR.  means(n, e, m): m[k] =
     * the mean of n[k], the sum of element e + k.  pairs: the byte of two means that go into one word. */
    template <unsigned PHASE, bool UNROLL, class Means>
    PRIM_DEVICE void slide(shared &s, const task &t, Sum (&sum)[CHANNELS], uint32_t pairs, const Means &means) const
    {
        unsigned end = t.columns + window.words;
        if (end > t.end) end = t.end; /* the lane's results are not requested */
        vector next = get(s, end);
#pragma unroll(UNROLL ? UNROLLED : 1)
        for (unsigned g = 0; g < VECTORS; g += UNIT)
#pragma unroll
            for (unsigned u = 0; u < UNIT; u++) {
                const vector leave = get(s, t.columns + (g + u) * 4), now = next;
                next = get(s, end + (g + u + 1) * 4);
                Sum n[VECTOR];
#pragma unroll
                for (unsigned k = 0; k < VECTOR; k++) {
                    const unsigned c = (u * VECTOR + k) % CHANNELS, e = PHASE + k;
                    n[k] = sum[c];
                    sum[c] = minus(plus(sum[c], e < VECTOR ? now : next, e % VECTOR), leave, k);
                }
                uint32_t m[VECTOR];
                means(n, (g + u) * VECTOR, m);
                if constexpr (REAL) {
#pragma unroll
                    for (unsigned k = 0; k < VECTOR; k++) s.results.set(t.stage + (g + u) * VECTOR + k, m[k]);
                } else if constexpr (sizeof(Sample) == 1) {
#pragma unroll
                    for (unsigned w = 0; w < VECTOR / 4; w++) {
                        const uint32_t a = prim::permute_bytes(m[4 * w], m[4 * w + 1], pairs),
                                       b = prim::permute_bytes(m[4 * w + 2], m[4 * w + 3], pairs);
                        s.results.set(t.stage + (g + u) * (VECTOR / 4) + w, prim::permute_bytes(a, b, 0x5410));
                    }
                } else {
#pragma unroll
                    for (unsigned w = 0; w < VECTOR / 2; w++)
                        s.results.set(t.stage + (g + u) * (VECTOR / 2) + w,
                                      prim::permute_bytes(m[2 * w], m[2 * w + 1], 0x5410));
                }
            }
    }

    template <unsigned PHASE> PRIM_DEVICE void along(shared &s, const results &r, const task &t) const
    {
        const uint32_t select = sizeof(Sample) == 1 ? 0x0040 + 0x0011 * mean.byte : 0x0040;
        Sum sum[CHANNELS];
#pragma unroll
        for (unsigned c = 0; c < CHANNELS; c++) sum[c] = t.half;
        if (window.elements < 2 * RUN)
            sum_windows<PHASE>(s, t.columns, sum);
        else
            scan_windows<PHASE>(s, t.columns, sum);
        const uint32_t low = (uint32_t)t.whole.multiplier, high = (uint32_t)(t.whole.multiplier >> 32);
        const auto multiply = [&](const Sum(&n)[VECTOR], unsigned, uint32_t(&m)[VECTOR]) {
#pragma unroll
            for (unsigned k = 0; k < VECTOR; k++) {
                if constexpr (REAL)
                    m[k] = real_mean_of_row(n[k], t.whole);
                else
                    m[k] = scaled((uint32_t)n[k], low, high);
            }
        };
        if (t.division == BY_ROW) {
            slide<PHASE, true>(s, t, sum, select, multiply);
        } else if (t.division == BY_ROW_BUT_EDGES) {
            slide<PHASE, true>(s, t, sum, select, [&](const Sum(&n)[VECTOR], unsigned e, uint32_t(&m)[VECTOR]) {
                if (r.stores_edges) store_edges(s, t, n, e);
                multiply(n, e, m);
            });
        } else {
            const uint32_t rows = covered(y, t.y);
            slide<PHASE, false>(s, t, sum, 0x0040, [&](const Sum(&n)[VECTOR], unsigned e, uint32_t(&m)[VECTOR]) {
#pragma unroll
                for (unsigned k = 0; k < VECTOR; k++) {
                    const int32_t i = r.own + (int32_t)(e + k);
                    Sum area = (Sum)mean.area;
                    if (mean.shrinks)
                        area = i >= r.from && i < r.upto ? (Sum)covered(x, i / (int32_t)CHANNELS) * rows : 1;
                    if constexpr (REAL)
                        m[k] = real_mean(n[k], area);
                    else
                        m[k] = quotient(n[k] + area / 2, area);
                }
            });
        }
    }

    /* Calls along<PHASE>, where PHASE is the window's width modulo a vector: one of N from PHASE on. */
    template <unsigned PHASE, unsigned N> PRIM_DEVICE void along(shared &s, const results &r, const task &t) const
    {
        constexpr unsigned APART = CHANNELS % 4 == 0 ? 4 : CHANNELS % 2 == 0 ? 2 : 1;
        if constexpr (N <= APART)
            along<PHASE>(s, r, t);
        else if (window.elements % VECTOR < PHASE + N / 2)
            along<PHASE, N / 2>(s, r, t);
        else
            along<PHASE + N / 2, N / 2>(s, r, t);
    }

    /* The results of row k of a step; its column sums begin at word `columns`. */
    PRIM_DEVICE void do_row(shared &s, const results &r, const ratio &whole, int32_t at_y, Result *row, unsigned k,
                            unsigned columns) const
    {
        task t;
        t.whole = whole;
        t.y = at_y;
        t.division = whole.multiplier == 0 || r.edges > (int32_t)EDGE_RESULTS ? BY_RESULT
                     : r.edges                                                ? BY_ROW_BUT_EDGES
                                                                              : BY_ROW;
        t.half = REAL || t.division == BY_RESULT ? 0 : whole.half;
        t.columns = columns + prim::lane_id() * (VECTORS * 4);
        t.end = columns + ROW_WORDS;
        t.edge_sums = k * EDGE_RESULTS;
        t.lane_edge_sums =
            t.edge_sums + (unsigned)(r.own - r.first < r.left ? r.own - r.first : r.own - r.first - r.right + r.left);
        /* Results are staged at the misalignment of their addresses, in whole words: vectors of the stage are vectors
         * of the image, but for the shift by bytes in write_row(). */
        const unsigned offset = (unsigned)((uintptr_t)(row + r.first) % 16), stage = k * STAGE_WORDS + 4;
        t.stage = stage + offset / 4 + prim::lane_id() * RUN_WORDS;
        along<0, VECTOR>(s, r, t);
        prim::warp_sync(); /* the results are staged, and edge sums stored */
        if (t.division == BY_ROW_BUT_EDGES) {
            divide_edges(s, r, t, stage + offset / 4);
            prim::warp_sync(); /* those near the edges, too */
        }
        write_row(s, r, row, offset, stage);
    }

    /* Writes a row that the warp has staged: vectors, and the results in front of the first and behind the last singly.
     *  Positions are bytes from the 16-byte boundary at or before element `first` of the row. */
    PRIM_DEVICE static void write_row(const shared &s, const results &r, Result *row, unsigned offset, unsigned stage)
    {
        constexpr unsigned SIZE = (unsigned)sizeof(Result);
        constexpr unsigned LANE_VECTORS = (RUN * SIZE + 15) / 16; /* at most */
        const unsigned shift = offset % 4 * 8, lane = prim::lane_id();
        const unsigned begin = (unsigned)(r.begin - r.first) * SIZE + offset,
                       end = (unsigned)(r.end - r.first) * SIZE + offset;
        const unsigned from = (begin + 15) / 16 * 16, to = end / 16 * 16, own = from + lane * 16, at = stage + own / 4;
        uint8_t *own_out = reinterpret_cast<uint8_t *>(row + r.first) - offset + own;
        if (shift == 0) {
#pragma unroll
            for (unsigned g = 0; g < LANE_VECTORS; g++)
                if (own + g * prim::WARP * 16 < to)
                    prim::store(reinterpret_cast<vector *>(own_out + g * prim::WARP * 16),
                                s.results.template get_vector<4>(at + g * prim::WARP * 4));
        } else {
#pragma unroll
            for (unsigned g = 0; g < LANE_VECTORS; g++) {
                if (own + g * prim::WARP * 16 >= to) continue;
                vector p = s.results.template get_vector<4>(at + g * prim::WARP * 4);
                uint32_t left = s.results.get(at + g * prim::WARP * 4 - 1);
#pragma unroll
                for (unsigned w = 0; w < 4; w++) {
                    const uint32_t right = p.at[w];
                    p.at[w] = prim::shift_right(left, right, 32 - shift);
                    left = right;
                }
                prim::store(reinterpret_cast<vector *>(own_out + g * prim::WARP * 16), p);
            }
        }
        if (begin == from && end == to) return;
        const int32_t head = r.begin + (int32_t)lane,
                      tail = r.first + (int32_t)(((to > from ? to : from) - offset) / SIZE + lane);
        if (head < r.first + (int32_t)((from - offset) / SIZE) && head < r.end)
            store_result(s, row, head, r.first, stage + offset / 4);
        if (lane < 16 / SIZE && tail < r.end) store_result(s, row, tail, r.first, stage + offset / 4);
    }

    PRIM_DEVICE static void store_result(const shared &s, Result *row, int32_t e, int32_t first, unsigned stage)
    {
        const unsigned byte = (unsigned)(e - first) * (unsigned)sizeof(Result);
        const uint32_t word = s.results.get(stage + byte / 4);
        if constexpr (REAL)
            prim::store(row + e, __builtin_bit_cast(float, word));
        else
            prim::store(row + e, (Result)(word >> byte % 4 * 8));
    }

    /* The warp's rows: number k of each step. */
    PRIM_DEVICE void filter_rows(shared &s, const segment &g, int32_t left, const results &requested, unsigned k) const
    {
        const int32_t elements = x.n * (int32_t)CHANNELS;
        const bool edge = !mean.shrinks && (left < 0 || left + (int32_t)ELEMENTS > elements);
        const int32_t last = g.bottom - 1;
        int32_t row = g.top + (int32_t)k;
        ratio next = prim::load(mean.rows + row_of(g, row < last ? row : last));
        Result *to = out + (int64_t)image_number() * out_image_pitch + row_of(g, row) * out_pitch;
        const int64_t far = (g.up ? -(int64_t)ROWS : (int64_t)ROWS) * out_pitch;
        unsigned columns = k * ROW_PITCH;
        for (int32_t at_y = g.top; at_y < g.bottom; at_y += ROWS) {
            sync_step();
            if (row <= last) {
                const ratio whole = next;
                const int32_t after = row + (int32_t)ROWS;
                next = prim::load(mean.rows + row_of(g, after < last ? after : last));
                if (edge) copy_columns(s, columns, left);
                do_row(s, requested, whole, row_of(g, row), to, k, columns);
            }
            row += ROWS;
            to += far;
            columns = next_step(columns);
        }
    }
};

} // namespace box

#endif
