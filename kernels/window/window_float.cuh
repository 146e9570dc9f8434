/* window_float.cuh - window statistics of floats: parts of windows that are joined (window_float.cu). */
#ifndef WINDOW_FLOAT_CUH
#define WINDOW_FLOAT_CUH

#include "window/window_extremes.cuh"
#include "window/window_state.cuh"

namespace window
{

/* What is known of a set of samples; squares: the sum of squared distances from the mean. */
struct part {
    double n, sum, mean, squares;
};

/* Chan, Golub & LeVeque. */
PRIM_DEVICE part join_parts(const part &a, const part &b)
{
    const double both = a.n + b.n, share = b.n / (both > 0 ? both : 1), apart = b.mean - a.mean;
    return {both, a.sum + b.sum, a.mean + apart * share, a.squares + b.squares + apart * (a.n * share * apart)};
}

/* VARIANCES: means and squared distances are needed. */
template <unsigned THREADS, unsigned OWN_, bool VARIANCES> struct float_kernel {
    static constexpr unsigned threads = THREADS, OWN = OWN_, /* entries of a thread */
        ENTRIES = THREADS * OWN, MEMBERS = VARIANCES ? 4 : 2;
    static constexpr int min_blocks = tuning::window_float_blocks(THREADS);

    /* Parts of windows, of a row: the members of one after the other. */
    using row_of_parts = prim::array<double, MEMBERS * ENTRIES>;
    struct shared {
        row_of_parts parts[2];
    };

    const void *in;
    bool is_f64;
    const uint8_t *mask;                                            /* NULL: all */
    int64_t in_pitch, in_image_pitch, mask_pitch, mask_image_pitch; /* samples; px */
    box::axis x, y;
    int32_t channels, strips, strip, runs, rows; /* px of a strip; rows of a run, a multiple of the segments' */
    int32_t first_row, end_row;                  /* of results; runs have others, too */
    int32_t group;                               /* rows of a segment whose suffixes are there at a time */
    int64_t images;
    bool has_nodata, skip_nan, takes_value;
    double nodata, value[4], cut_off; /* cut_off: positions of a window beyond its reach, of the border's value */
    double *suffixes;                 /* of each block: parts of `group` rows, then of the first row of each group */
    finish results;
    extremes *found;       /* of each warp, in the pass that searches them; else NULL */
    const extremes *image; /* of each image, in a pass that needs them */
    uint64_t *clipped;

    /* What a block works on: a strip, and a run of rows. */
    struct place {
        int64_t image;
        int32_t first, elements, top, bottom; /* column of the first result; results of a row; rows */
        int32_t source[OWN];                  /* the element of a row that each entry repeats; -1: none */
        double value[OWN];                    /* what counts in place of none */
    };

    PRIM_DEVICE static unsigned entry(unsigned k) { return k * THREADS + prim::thread_id(); }
    PRIM_DEVICE int32_t side() const { return y.before + 1 + y.after; }

    /* ---- samples ---- */

    PRIM_DEVICE double sample_at(const place &p, int32_t row, int32_t e) const
    {
        const int64_t at = p.image * in_image_pitch + row * in_pitch + e;
        return is_f64 ? prim::load((const double *)in + at) : (double)prim::load((const float *)in + at);
    }
    PRIM_DEVICE bool counts(const place &p, int32_t row, int32_t e, double v) const
    {
        if (mask && prim::load(mask + p.image * mask_image_pitch + row * mask_pitch + e / channels) == 0) return false;
        return !(has_nodata && v == nodata) && !(skip_nan && v != v);
    }

    /* The sample of entry k at position `row`; no sample where none counts. */
    PRIM_DEVICE part load(const place &p, int32_t row, unsigned k) const
    {
        const int32_t from = box::border_index(y, row), e = p.source[k];
        if (from < 0 || e < 0) return takes_value ? part{1, p.value[k], p.value[k], 0} : part{};
        const double v = sample_at(p, from, e);
        return counts(p, from, e, v) ? part{1, v, v, 0} : part{};
    }

    /* ---- parts of windows ---- */

    PRIM_DEVICE static part get(const row_of_parts &from, unsigned i)
    {
        part p = {from.get(i), from.get(ENTRIES + i), 0, 0};
        if constexpr (VARIANCES) p.mean = from.get(2 * ENTRIES + i), p.squares = from.get(3 * ENTRIES + i);
        return p;
    }
    PRIM_DEVICE static void set(row_of_parts &to, unsigned i, const part &p)
    {
        to.set(i, p.n);
        to.set(ENTRIES + i, p.sum);
        if constexpr (VARIANCES) to.set(2 * ENTRIES + i, p.mean), to.set(3 * ENTRIES + i, p.squares);
    }

    /* Entry k of row r of the block's suffixes, which no other thread accesses. */
    PRIM_DEVICE double *suffix(int32_t r, unsigned k) const
    {
        const int64_t of_block = group + (side() + group - 1) / group;
        return suffixes + (prim::block_id() * of_block + r) * (MEMBERS * ENTRIES) + entry(k);
    }
    PRIM_DEVICE part load_suffix(int32_t r, unsigned k) const
    {
        const double *from = suffix(r, k);
        part p = {prim::load(from), prim::load(from + ENTRIES), 0, 0};
        if constexpr (VARIANCES) p.mean = prim::load(from + 2 * ENTRIES), p.squares = prim::load(from + 3 * ENTRIES);
        return p;
    }
    PRIM_DEVICE void store_suffix(int32_t r, unsigned k, const part &p) const
    {
        double *to = suffix(r, k);
        prim::store(to, p.n);
        prim::store(to + ENTRIES, p.sum);
        if constexpr (VARIANCES) prim::store(to + 2 * ENTRIES, p.mean), prim::store(to + 3 * ENTRIES, p.squares);
    }

    /* The suffixes of rows [first, last) of the segment at position `start`, from the segment's end or a group's.
     * Those of each group's first row are kept; or all, which are those of one group. */
    PRIM_DEVICE void make_suffixes(const place &p, int32_t start, int32_t first, int32_t last, bool keep) const
    {
#pragma unroll
        for (unsigned k = 0; k < OWN; k++) {
            const bool whole = last == side();
            part below = whole ? part{} : load_suffix(group + last / group, k);
#pragma unroll 1
            for (int32_t i = last - 1; i >= first; i--) {
                const part row = load(p, start + i, k);
                below = whole && i == last - 1 ? row : join_parts(below, row);
                if (!keep)
                    store_suffix(i - first, k, below);
                else if (i % group == 0)
                    store_suffix(group + i / group, k, below);
            }
        }
    }

    /* The windows of a row from the parts of its columns, which all threads have stored in parts[now]: joined from
     * windows of half their width. */
    PRIM_DEVICE void join_columns(shared &s, unsigned &now, part (&windows)[OWN]) const
    {
        const int32_t width = x.before + 1 + x.after;
        int32_t done = 0; /* columns in `windows` */
#pragma unroll 1
        for (int32_t half = 1;; half *= 2) {
            const row_of_parts &from = s.parts[now];
            if (width & half) {
#pragma unroll
                for (unsigned k = 0; k < OWN; k++) {
                    const unsigned i = entry(k) + (unsigned)(done * channels);
                    if (i >= ENTRIES) continue;
                    windows[k] = done ? join_parts(windows[k], get(from, i)) : get(from, i);
                }
                done += half;
            }
            if (done == width) return;
            row_of_parts &to = s.parts[now ^ 1];
#pragma unroll
            for (unsigned k = 0; k < OWN; k++) {
                const unsigned i = entry(k), other = i + (unsigned)(half * channels);
                set(to, i, other < ENTRIES ? join_parts(get(from, i), get(from, other)) : get(from, i));
            }
            now ^= 1;
            prim::block_sync(); /* windows of twice the width are stored */
        }
    }

    /* ---- results ---- */

    PRIM_DEVICE part with_cut_off(part p, double border_value) const
    {
        const double apart = border_value - p.mean, share = cut_off / (p.n + cut_off);
        p.squares += apart * (p.n * share * apart);
        p.mean += apart * share;
        p.sum += border_value * cut_off;
        p.n += cut_off;
        return p;
    }

    PRIM_DEVICE moments<double> moments_of(const part &p, double pixel) const
    {
        const double mean = p.sum / p.n;
        return {p.n,
                p.sum,
                mean,
                (p.squares + 0 * p.sum) / (p.n - results.ddof), /* NaN if the sum is infinite */
                p.squares / p.n + mean * mean,
                pixel};
    }

    PRIM_DEVICE void write_row(const place &p, int32_t row, const part (&windows)[OWN], const extremes &whole,
                               extremes &seen, uint32_t &clipped_here) const
    {
#pragma unroll
        for (unsigned k = 0; k < OWN; k++) {
            if (entry(k) >= (unsigned)p.elements) continue;
            const int32_t e = p.first * channels + (int32_t)entry(k);
            const double pixel = sample_at(p, row, e);
            const part w = cut_off > 0 ? with_cut_off(windows[k], value[e % channels]) : windows[k];
            const moments<double> m = moments_of(w, pixel);
            if (found) {
                if (counts(p, row, e, pixel) && pixel < seen.low) seen.low = pixel;
                if (m.n >= results.of[0].least && m.var > seen.most) seen.most = m.var;
                continue;
            }
#pragma unroll 1
            for (int i = 0; i < results.outputs; i++) {
                const finish::output &o = results.of[i];
                double v = 0;
                with_statistic(o.statistic, [&](auto statistic) { v = value_of(statistic, results, o, m, whole); });
                store(o, o.to + p.image * o.image_bytes + row * o.row_bytes, e, pixel, v, clipped_here);
            }
        }
    }

    /* ---- a block ---- */

    PRIM_DEVICE place find_place(int64_t item) const
    {
        place p;
        const int32_t run = (int32_t)(item % runs), columns = strip + x.before + x.after;
        item /= runs;
        p.first = (int32_t)(item % strips) * strip;
        p.image = item / strips;
        p.elements = (x.n - p.first < strip ? x.n - p.first : strip) * channels;
        p.top = run * rows;
        p.bottom = p.top + rows < y.n ? p.top + rows : y.n;
#pragma unroll
        for (unsigned k = 0; k < OWN; k++) {
            const int32_t column = (int32_t)entry(k) / channels, channel = (int32_t)entry(k) % channels,
                          at = p.first - x.before + column;
            const int32_t from = column < columns && at <= x.n + x.after ? box::border_index(x, at) : -1;
            p.source[k] = from < 0 ? -1 : from * channels + channel;
            p.value[k] = value[channel];
        }
        return p;
    }

    PRIM_DEVICE void do_run(shared &s, const place &p, unsigned &now, extremes &seen, uint32_t &clipped_here) const
    {
        extremes whole = {};
        part prefix[OWN], windows[OWN];
        if (image) whole = {prim::load(&image[p.image].low), prim::load(&image[p.image].most)};
#pragma unroll 1
        for (int32_t row = p.top; row < p.bottom; row++) {
            const int32_t i = row % side(),
                          start = row - i - y.before; /* of the segment: its row, its first position */
            if (i == 0 && side() > group) make_suffixes(p, start, 0, side(), true);
            if (i % group == 0) make_suffixes(p, start, i, i + group < side() ? i + group : side(), false);
#pragma unroll
            for (unsigned k = 0; k < OWN; k++) {
                part columns = load_suffix(i % group, k);
                if (i > 0) {
                    const part next = load(p, start + side() + i - 1, k);
                    prefix[k] = i > 1 ? join_parts(prefix[k], next) : next;
                    columns = join_parts(columns, prefix[k]);
                }
                set(s.parts[now ^ 1], entry(k), columns);
            }
            now ^= 1;
            prim::block_sync(); /* the row's columns are stored */
            join_columns(s, now, windows);
            if (row >= first_row && row < end_row) write_row(p, row, windows, whole, seen, clipped_here);
        }
    }

    PRIM_DEVICE void operator()(shared &s) const
    {
        unsigned now = 0;
        uint32_t clipped_here = 0;
        const int64_t of_image = (int64_t)strips * runs;
#pragma unroll 1
        for (int64_t item = prim::block_id(); item < of_image * images; item += prim::blocks()) {
            const place p = find_place(item);
            extremes seen = no_extremes();
            do_run(s, p, now, seen, clipped_here);
            if (found) store_extremes(found + item * (THREADS / prim::WARP), seen);
        }
        add_clipped(clipped, clipped_here);
    }
};

} // namespace window
#endif
