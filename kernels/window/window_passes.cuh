/* window_passes.cuh - window statistics of floats in passes over an image: sets of samples that are joined
 * (window_passes.cu). */
#ifndef WINDOW_PASSES_CUH
#define WINDOW_PASSES_CUH

#include "box/box_passes.cuh"
#include "prim/vector.cuh"
#include "window/window_extremes.cuh"
#include "window/window_state.cuh"

namespace window
{

/* What is known of a set of samples; squares: the sum of squared distances from the mean. */
struct sample_set {
    double n, sum, mean, squares;

    PRIM_DEVICE static sample_set of(double n, double v) { return {n, v * n, v, 0}; } /* n times v */
};
/* Where no result needs a variance or squares: moves half as much. */
struct counted_sum {
    double n, sum;

    PRIM_DEVICE static counted_sum of(double n, double v) { return {n, v * n}; }
};

/* Chan, Golub & LeVeque. */
PRIM_DEVICE sample_set join(const sample_set &a, const sample_set &b)
{
    const double both = a.n + b.n, apart = b.mean - a.mean;
    const double share = a.n > 0 ? b.n * reciprocal(both) : 1; /* what is joined to none keeps its mean */
    return {both, a.sum + b.sum, prim::multiply_add(apart, share, a.mean),
            a.squares + prim::multiply_add(apart, a.n * share * apart, b.squares)};
}
PRIM_DEVICE counted_sum join(const counted_sum &a, const counted_sum &b)
{
    return {a.n + b.n, a.sum + b.sum};
}

PRIM_DEVICE sample_set load(const sample_set *from)
{
    const auto a = prim::load_vector<2>(&from->n), b = prim::load_vector<2>(&from->mean);
    return {a.at[0], a.at[1], b.at[0], b.at[1]};
}
PRIM_DEVICE void store(sample_set *to, const sample_set &s)
{
    prim::store_vector<2>(&to->n, {s.n, s.sum});
    prim::store_vector<2>(&to->mean, {s.mean, s.squares});
}

PRIM_DEVICE counted_sum load(const counted_sum *from)
{
    const auto a = prim::load_vector<2>(&from->n);
    return {a.at[0], a.at[1]};
}
PRIM_DEVICE void store(counted_sum *to, const counted_sum &s)
{
    prim::store_vector<2>(&to->n, {s.n, s.sum});
}

/* The images' samples, each the set of itself. */
template <class Set> struct sets_of_samples {
    using set = Set;
    const void *in;
    const uint8_t *mask;                                            /* NULL: all count */
    int64_t in_pitch, in_image_pitch, mask_pitch, mask_image_pitch; /* samples; px */
    int32_t channels;
    bool is_f64, has_nodata, skip_nan, takes_value;
    double nodata, value[4];

    /* Of neighbouring rows, upwards or downwards. */
    template <int32_t STEP, class Sample, unsigned N> PRIM_DEVICE void load_samples(int64_t at, double (&v)[N]) const
    {
        Sample s[N];
#pragma unroll
        for (unsigned i = 0; i < N; i++, at += STEP * in_pitch) s[i] = prim::load((const Sample *)in + at);
#pragma unroll
        for (unsigned i = 0; i < N; i++) v[i] = (double)s[i];
    }
    /* Samples, and which count. */
    template <int32_t STEP, unsigned N>
    PRIM_DEVICE void load_rows(int64_t image, int32_t row, int32_t e, double (&v)[N], bool (&counts)[N]) const
    {
        uint8_t in_mask[N];
        int64_t pixel = image * mask_image_pitch + row * mask_pitch + e / channels;
#pragma unroll
        for (unsigned i = 0; i < N; i++, pixel += STEP * mask_pitch) in_mask[i] = mask ? prim::load(mask + pixel) : 1;
        const int64_t at = image * in_image_pitch + row * in_pitch + e;
        if (is_f64)
            load_samples<STEP, double>(at, v);
        else
            load_samples<STEP, float>(at, v);
#pragma unroll
        for (unsigned i = 0; i < N; i++)
            counts[i] = in_mask[i] != 0 && !(has_nodata && v[i] == nodata) && !(skip_nan && v[i] != v[i]);
    }
    template <int32_t STEP, unsigned N> PRIM_DEVICE void get(int64_t image, int32_t row, int32_t e, Set (&to)[N]) const
    {
        double v[N];
        bool counts[N];
        load_rows<STEP>(image, row, e, v, counts);
#pragma unroll
        for (unsigned i = 0; i < N; i++) to[i] = counts[i] ? Set::of(1, v[i]) : Set{};
    }
    /* A position outside the image. */
    PRIM_DEVICE Set outside(int32_t e) const
    {
        return takes_value ? Set::of(1, value[e % channels]) : Set{};
    }
};

/* Columns outside the image. */
template <class Set> struct columns_outside {
    bool takes_value;
    double rows, value[4]; /* rows of a window */

    PRIM_DEVICE Set outside(int32_t channel) const { return takes_value ? Set::of(rows, value[channel]) : Set{}; }
};

/* Results of the windows of a band; or, where they are searched, extremes. */
template <class Set> struct finish_windows {
    static constexpr unsigned threads = tuning::BOX_PASSES_THREADS;
    struct shared {
    };
    sets_of_samples<Set> in;
    const Set *sets; /* of a band of images, of which all that follows is */
    int64_t of_image, pitch;
    int32_t first, end, elements, blocks_of_row, blocks_of_image;
    double cut_off; /* positions of a window beyond its clipped reach, of the border's value */
    finish results;
    extremes *found;       /* of each warp of each image, in the pass that searches them; else NULL */
    const extremes *image; /* of each image, in a pass that needs them */
    uint64_t *clipped;

    PRIM_DEVICE static moments<double> moments_of(const counted_sum &s, double pixel, double)
    {
        return {s.n, s.sum, s.sum / s.n, 0, 0, pixel};
    }
    PRIM_DEVICE static moments<double> moments_of(const sample_set &s, double pixel, double ddof)
    {
        const double mean = s.sum / s.n;
        return {s.n,
                s.sum,
                mean,
                (s.squares + 0 * s.sum) / (s.n - ddof), /* NaN if the sum is infinite */
                s.squares / s.n + mean * mean,
                pixel};
    }

    PRIM_DEVICE void operator()(shared &) const
    {
        const int64_t number = prim::block_id() / blocks_of_image; /* of the band's images */
        const int32_t block = (int32_t)(prim::block_id() % blocks_of_image);
        extremes seen = no_extremes(), whole = {};
        uint32_t clipped_here = 0;
        if (image) whole = load_extremes(image + number);
        for (int64_t i = block; i < (int64_t)(end - first) * blocks_of_row; i += blocks_of_image) {
            const int32_t row = (int32_t)(i / blocks_of_row),
                          e = (int32_t)((i % blocks_of_row) * threads + prim::thread_id());
            if (e >= elements) continue;
            const Set *from = sets + number * of_image + row * pitch + e;
            Set s = load(from);
            if (cut_off > 0) s = join(s, Set::of(cut_off, in.value[e % in.channels]));
            write(number, first + row, e, s, whole, seen, clipped_here);
        }
        if (found) store_extremes(found + prim::block_id() * (threads / prim::WARP), seen, first > 0);
        add_clipped(clipped, clipped_here);
    }

    PRIM_DEVICE void write(int64_t number, int32_t row, int32_t e, const Set &s, const extremes &whole, extremes &seen,
                           uint32_t &clipped_here) const
    {
        double of_pixel[1];
        bool counts[1];
        in.template load_rows<1>(number, row, e, of_pixel, counts);
        const double pixel = of_pixel[0];
        const moments<double> m = moments_of(s, pixel, results.ddof);
        if (found) {
            if (counts[0] && pixel < seen.low) seen.low = pixel;
            if (m.n >= results.of[0].least && m.var > seen.most) seen.most = m.var;
            return;
        }
#pragma unroll 1
        for (int i = 0; i < results.outputs; i++) {
            const finish::output &o = results.of[i];
            double v = 0;
            with_statistic(o.statistic, [&](auto statistic) {
                constexpr bool needs_squares = (decltype(statistic)::needs & (SAT_NEEDS_VAR | SAT_NEEDS_SQUARES)) != 0;
                if constexpr (!needs_squares || std::is_same_v<Set, sample_set>)
                    v = value_of(statistic, results, o, m, whole);
            });
            store(o, o.to + number * o.image_bytes + row * o.row_bytes, e, pixel, v, clipped_here);
        }
    }
};

} // namespace window
#endif
