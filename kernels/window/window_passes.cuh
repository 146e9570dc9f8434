/* window_passes.cuh - window statistics in passes over an image: sets of samples that are joined (window_passes.cu). */
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
    using number = double;
    using stored = sample_set;
    static constexpr bool has_squares = true;
    double n, sum, mean, squares;

    PRIM_DEVICE static sample_set of(double n, double v) { return {n, v * n, v, 0}; } /* n times v */
};
/* Of f32 samples that all count, and no position outside the image does: the count is known, and half as much is moved.
 */
struct uncounted_set : sample_set {
    struct stored {
        double sum, squares;
    };
    PRIM_DEVICE static uncounted_set of(double n, double v) { return {sample_set::of(n, v)}; }
};
/* Where no result needs a variance or squares. */
struct counted_sum {
    using number = double;
    using stored = counted_sum;
    static constexpr bool has_squares = false;
    double n, sum;

    PRIM_DEVICE static counted_sum of(double n, double v) { return {n, v * n}; }
};

/* The same of integers, exact.  Sums of samples with a sign are two's complements.  Squares: sums of their lower and
 * their upper 32 bits, which are the host's (cpu_window_integers.c). */
struct integer_set {
    using number = int64_t;
    using stored = integer_set;
    static constexpr bool has_squares = true;
    uint64_t n, sum, low_squares, high_squares;

    PRIM_DEVICE static integer_set of(int64_t n, int64_t v)
    {
        const uint64_t times = (uint64_t)n, sample = (uint64_t)v, square = sample * sample;
        return {times, times * sample, times * (uint32_t)square, times * (square >> 32)};
    }
};
struct counted_integers {
    using number = int64_t;
    using stored = counted_integers;
    static constexpr bool has_squares = false;
    uint64_t n, sum;

    PRIM_DEVICE static counted_integers of(int64_t n, int64_t v) { return {(uint64_t)n, (uint64_t)n * (uint64_t)v}; }
};

/* Chan, Golub & LeVeque. */
PRIM_DEVICE sample_set join(const sample_set &a, const sample_set &b)
{
    const double both = a.n + b.n, apart = b.mean - a.mean;
    const double share = a.n > 0 ? b.n * reciprocal(both) : 1; /* what is joined to none keeps its mean */
    return {both, a.sum + b.sum, prim::multiply_add(apart, share, a.mean),
            a.squares + prim::multiply_add(apart, a.n * share * apart, b.squares)};
}
/* A mean is a rounded quotient: those of alike samples may differ. */
PRIM_DEVICE uncounted_set join(const uncounted_set &a, uncounted_set b)
{
    b.mean = a.mean + apart(b.mean, a.mean);
    return {join((const sample_set &)a, (const sample_set &)b)};
}
PRIM_DEVICE counted_sum join(const counted_sum &a, const counted_sum &b)
{
    return {a.n + b.n, a.sum + b.sum};
}
PRIM_DEVICE integer_set join(const integer_set &a, const integer_set &b)
{
    return {a.n + b.n, a.sum + b.sum, a.low_squares + b.low_squares, a.high_squares + b.high_squares};
}
PRIM_DEVICE counted_integers join(const counted_integers &a, const counted_integers &b)
{
    return {a.n + b.n, a.sum + b.sum};
}

/* Sets are moved as vectors of 16 bytes. */
template <class Set> struct vectors_of {
    prim::vec<uint64_t, 2> at[sizeof(Set) / 16];
};
template <class Set> PRIM_DEVICE Set load(const Set *from, double)
{
    vectors_of<Set> v;
#pragma unroll
    for (unsigned i = 0; i < sizeof(Set) / 16; i++) v.at[i] = prim::load_vector<2>((const uint64_t *)from + 2 * i);
    return __builtin_bit_cast(Set, v);
}
template <class Set> PRIM_DEVICE void store(Set *to, const Set &s)
{
    const auto v = __builtin_bit_cast(vectors_of<Set>, s);
#pragma unroll
    for (unsigned i = 0; i < sizeof(Set) / 16; i++) prim::store_vector<2>((uint64_t *)to + 2 * i, v.at[i]);
}

PRIM_DEVICE uncounted_set load(const uncounted_set::stored *from, double n)
{
    const prim::vec<double, 2> v = prim::load_vector<2>(&from->sum);
    return {{n, v.at[0], v.at[0] * reciprocal(n), v.at[1]}};
}
PRIM_DEVICE void store(uncounted_set::stored *to, const uncounted_set &s)
{
    prim::store_vector<2>(&to->sum, {s.sum, s.squares});
}

/* The images' samples, each the set of itself. */
template <class Set> struct sets_of_samples {
    using set = Set;
    using number = typename Set::number;
    static constexpr bool of_floats = std::is_same_v<number, double>;
    const void *in;
    const uint8_t *mask;                                            /* NULL: all count */
    int64_t in_pitch, in_image_pitch, mask_pitch, mask_image_pitch; /* samples; px */
    int32_t channels, bytes;                                        /* of a sample */
    uint32_t bias; /* what is added to integers that may be below zero, so that they are not */
    bool has_nodata, skip_nan, takes_value;
    number nodata, value[4];

    /* Of neighbouring rows, upwards or downwards.  Sample: of integers of as many bytes, without a sign. */
    template <int32_t STEP, class Sample, unsigned N> PRIM_DEVICE void load_samples(int64_t at, number (&v)[N]) const
    {
        Sample s[N];
#pragma unroll
        for (unsigned i = 0; i < N; i++, at += STEP * in_pitch) s[i] = prim::load((const Sample *)in + at);
#pragma unroll
        for (unsigned i = 0; i < N; i++) {
            if constexpr (of_floats)
                v[i] = (double)s[i];
            else
                v[i] = (int64_t)((uint32_t)s[i] ^ bias) - (int64_t)bias;
        }
    }
    /* The type is chosen once for all of them: loads do not wait for each other. */
    template <int32_t STEP, unsigned N> PRIM_DEVICE void load_any(int64_t at, number (&v)[N]) const
    {
        if constexpr (of_floats) {
            if (bytes == 8)
                load_samples<STEP, double>(at, v);
            else
                load_samples<STEP, float>(at, v);
        } else {
            if (bytes == 1)
                load_samples<STEP, uint8_t>(at, v);
            else if (bytes == 2)
                load_samples<STEP, uint16_t>(at, v);
            else
                load_samples<STEP, uint32_t>(at, v);
        }
    }
    /* Samples, and which count. */
    template <int32_t STEP, unsigned N>
    PRIM_DEVICE void load_rows(int64_t image, int32_t row, int32_t e, number (&v)[N], bool (&counts)[N]) const
    {
        uint8_t in_mask[N];
        int64_t pixel = image * mask_image_pitch + row * mask_pitch + e / channels;
#pragma unroll
        for (unsigned i = 0; i < N; i++, pixel += STEP * mask_pitch) in_mask[i] = mask ? prim::load(mask + pixel) : 1;
        load_any<STEP>(image * in_image_pitch + row * in_pitch + e, v);
#pragma unroll
        for (unsigned i = 0; i < N; i++)
            counts[i] = in_mask[i] != 0 && !(has_nodata && v[i] == nodata) && !(skip_nan && v[i] != v[i]);
    }
    template <int32_t STEP, unsigned N> PRIM_DEVICE void get(int64_t image, int32_t row, int32_t e, Set (&to)[N]) const
    {
        number v[N];
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
    typename Set::number rows, value[4]; /* rows of a window */

    PRIM_DEVICE Set outside(int32_t channel) const { return takes_value ? Set::of(rows, value[channel]) : Set{}; }
};

/* Results of the windows of a band; or, where they are searched, extremes. */
template <class Set> struct finish_windows {
    static constexpr unsigned threads = tuning::BOX_PASSES_THREADS;
    struct shared {
    };
    sets_of_samples<Set> in;
    const typename Set::stored *sets; /* of a band of images, of which all that follows is */
    double area;                      /* of windows where all samples count alike */
    int64_t of_image, pitch;
    int32_t first, end, elements, blocks_of_row, blocks_of_image;
    typename Set::number cut_off; /* positions of a window beyond its clipped reach, of the border's value */
    finish results;
    extremes *found;       /* of each warp of each image, in the pass that searches them; else NULL */
    const extremes *image; /* of each image, in a pass that needs them */
    uint64_t *clipped;

    PRIM_DEVICE static moments<double> moments_of(const counted_sum &s, double pixel, const finish &)
    {
        return {s.n, s.sum, s.sum / s.n, 0, 0, pixel};
    }
    PRIM_DEVICE static moments<double> moments_of(const sample_set &s, double pixel, const finish &f)
    {
        const double mean = s.sum / s.n, square = mean * mean;
        return {s.n,
                s.sum,
                mean,
                (s.squares + 0 * s.sum) / (s.n - f.ddof), /* NaN if the sum is infinite */
                fmax(s.squares / s.n + square, square),   /* infinite if the mean is, whose deviations are NaN */
                pixel};
    }
    /* As the host makes them, operation by operation. */
    PRIM_DEVICE static moments<double> moments_of(const counted_integers &s, double pixel, const finish &f)
    {
        const double sum = f.is_signed ? (double)(int64_t)s.sum : (double)s.sum;
        return {(double)s.n, sum, box::real_quotient(s.sum, s.n, f.is_signed), 0, 0, pixel};
    }
    PRIM_DEVICE static moments<double> moments_of(const integer_set &s, double pixel, const finish &f)
    {
        moments<double> m = moments_of(counted_integers{s.n, s.sum}, pixel, f);
        const uint64_t magnitude = f.is_signed && (int64_t)s.sum < 0 ? -s.sum : s.sum;
        m.var = sat_variance_u(s.n, magnitude, ((sat_u128)s.high_squares << 32) + s.low_squares, (uint64_t)f.ddof);
        m.squares = ((double)s.low_squares + (double)s.high_squares * 0x1p32) / m.n;
        return m;
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
            Set s = load(sets + number * of_image + row * pitch + e, area);
            if (cut_off > 0) s = join(s, Set::of(cut_off, in.value[e % in.channels]));
            write(number, first + row, e, s, whole, seen, clipped_here);
        }
        if (found) store_extremes(found + prim::block_id() * (threads / prim::WARP), seen, first > 0);
        add_clipped(clipped, clipped_here);
    }

    PRIM_DEVICE void write(int64_t number, int32_t row, int32_t e, const Set &s, const extremes &whole, extremes &seen,
                           uint32_t &clipped_here) const
    {
        typename Set::number of_pixel[1];
        bool counts[1];
        in.template load_rows<1>(number, row, e, of_pixel, counts);
        const double pixel = (double)of_pixel[0];
        const moments<double> m = moments_of(s, pixel, results);
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
                if constexpr (!needs_squares || Set::has_squares) v = value_of(statistic, results, o, m, whole);
            });
            store(o, o.to + number * o.image_bytes + row * o.row_bytes, e, pixel, v, clipped_here);
        }
    }
};

} // namespace window
#endif
