/* box_small_sums.cuh - sums and means of windows of 3x3, of a lane's columns (box_small.cu). */
#ifndef BOX_SMALL_SUMS_CUH
#define BOX_SMALL_SUMS_CUH

#include "box/box_axis.cuh"
#include "box/box_divide.cuh"
#include "prim/vector.cuh"
#include "tuning.cuh"

namespace box
{

/* A whole window's samples. */
constexpr int32_t SMALL_AREA = 9;

/* How edges cut windows. */
struct small_border {
    bool shrinks, takes_value;
    uint32_t value[4];    /* of each channel outside the image, if takes_value */
    double real_value[4]; /* the same of floats */
};

/* The window of one element of a row. */
struct small_window {
    int32_t covered, area; /* samples of the image; what the sum is divided by */
    unsigned channel;
};
template <unsigned CHANNELS>
PRIM_DEVICE small_window small_window_of(const small_border &b, int32_t covered_rows, int32_t element, int32_t elements)
{
    constexpr int32_t channels = (int32_t)CHANNELS;
    const int32_t covered = covered_rows * (3 - (element < channels) - (element >= elements - channels));
    return {covered, b.shrinks ? covered : SMALL_AREA, (unsigned)element % CHANNELS};
}

/* Sums are of Sum: u32 for u16, f64 for floats. */
template <class Sample, class Sum, unsigned CHANNELS> struct small_sums {
    using sample_type = Sample;
    using vector = prim::vec<Sample, prim::vector_items<Sample>>;
    static constexpr unsigned CHANNEL_COUNT = CHANNELS, VECTORS = tuning::box_small_vectors(sizeof(Sample)),
                              ITEMS = prim::vector_items<Sample>, COLUMNS = VECTORS * ITEMS;
    static constexpr bool REAL = sizeof(Sum) == 8;
    static_assert(COLUMNS >= CHANNELS);
    /* Samples or means. */
    struct row_samples {
        vector v[VECTORS];
    };
    struct row_sums {
        Sum at[COLUMNS];
    };

    PRIM_DEVICE static Sample get(const row_samples &r, unsigned j) { return r.v[j / ITEMS].at[j % ITEMS]; }
    PRIM_DEVICE static void set(row_samples &r, unsigned j, Sample v) { r.v[j / ITEMS].at[j % ITEMS] = v; }

    /* Of each pixel and its two neighbours in the row. */
    PRIM_DEVICE static row_sums sum_row(const row_samples &r)
    {
        Sum all[COLUMNS + 2 * CHANNELS];
#pragma unroll
        for (unsigned j = 0; j < COLUMNS; j++) all[CHANNELS + j] = (Sum)get(r, j);
#pragma unroll
        for (unsigned c = 0; c < CHANNELS; c++) {
            all[c] = (Sum)prim::shuffle_up(word(get(r, COLUMNS - CHANNELS + c)), 1);
            all[CHANNELS + COLUMNS + c] = (Sum)prim::shuffle_down(word(get(r, c)), 1);
        }
        row_sums sums;
#pragma unroll
        for (unsigned j = 0; j < COLUMNS; j++) sums.at[j] = all[j] + all[j + 2 * CHANNELS] + all[j + CHANNELS];
        return sums;
    }

    /* Of three rows, in the same order from top to bottom as from bottom to top. */
    PRIM_DEVICE static row_sums sum_windows(const row_sums &before, const row_sums &middle, const row_sums &now)
    {
        row_sums sums;
#pragma unroll
        for (unsigned j = 0; j < COLUMNS; j++) sums.at[j] = before.at[j] + now.at[j] + middle.at[j];
        return sums;
    }

    /* Of whole windows. */
    PRIM_DEVICE static row_samples means(const row_sums &sums)
    {
        row_samples r;
        if constexpr (REAL) {
            constexpr double whole = SMALL_AREA, inverse = 1 / whole;
            uint32_t most = 0;
#pragma unroll
            for (unsigned j = 0; j < COLUMNS; j++) {
                const uint32_t size = extremity<Sample>(sums.at[j]);
                most = size > most ? size : most;
            }
#pragma unroll
            for (unsigned j = 0; j < COLUMNS; j++) set(r, j, (Sample)corrected_quotient(sums.at[j], whole, inverse));
            if (most >= EXTREME)
#pragma unroll
                for (unsigned j = 0; j < COLUMNS; j++)
                    if (extremity<Sample>(sums.at[j]) >= EXTREME)
                        set(r, j, (Sample)extreme_quotient<Sample>(sums.at[j], whole));
        } else {
#pragma unroll
            for (unsigned j = 0; j < COLUMNS; j++) set(r, j, rounded(sums.at[j], SMALL_AREA));
        }
        return r;
    }

    /* Where edges cut windows.  begin: the lane's first element of a row. */
    PRIM_DEVICE static row_samples cut_means(const row_sums &sums, const small_border &b, int32_t covered_rows,
                                             int32_t begin, int32_t elements)
    {
        row_samples r;
#pragma unroll
        for (unsigned j = 0; j < COLUMNS; j++) {
            const small_window w = small_window_of<CHANNELS>(b, covered_rows, begin + (int32_t)j, elements);
            const int32_t beyond = b.takes_value ? SMALL_AREA - w.covered : 0;
            Sum sum = sums.at[j];
            if constexpr (REAL) {
                if (beyond > 0) sum += prim::product(b.real_value[w.channel], (double)beyond);
                set(r, j, (Sample)(sum / w.area));
            } else {
                sum += b.value[w.channel] * (uint32_t)beyond;
                set(r, j, rounded(sum, (uint32_t)w.area));
            }
        }
        return r;
    }

    /* n = sum + area / 2 is below 2^20, and the multiplier exceeds 2^32 / area by less than 1: n * area < 2^32. */
    PRIM_DEVICE static Sample rounded(uint32_t sum, uint32_t area)
    {
        return (Sample)(area == 1 ? sum : prim::high_product(sum + area / 2, UINT32_MAX / area + 1));
    }

    /* What shuffles take. */
    PRIM_DEVICE static auto word(Sample v)
    {
        if constexpr (sizeof(Sample) < 4)
            return (uint32_t)v;
        else
            return v;
    }
};

/* u8: two sums of 16 bits in a word.  Word k of a lane's columns has the bytes 4 k .. 4 k + 3: `even` holds sums of the
 * first and the third, `odd` of the others. */
template <unsigned CHANNELS> struct small_bytes {
    using sample_type = uint8_t;
    static constexpr unsigned WORDS = 4;
    using vector = prim::vec<uint32_t, WORDS>;
    static constexpr unsigned CHANNEL_COUNT = CHANNELS, VECTORS = 1, COLUMNS = 4 * WORDS;
    struct row_samples {
        vector v[VECTORS];
    };
    struct row_sums {
        uint32_t even[WORDS], odd[WORDS];
    };

    PRIM_DEVICE static uint8_t get(const row_samples &r, unsigned j)
    {
        return (uint8_t)(r.v[0].at[j / 4] >> 8 * (j % 4));
    }
    /* In place of a zero. */
    PRIM_DEVICE static void set(row_samples &r, unsigned j, uint8_t v)
    {
        r.v[0].at[j / 4] |= (uint32_t)v << 8 * (j % 4);
    }

    /* Of one sample each: rows are added up first, and then columns. */
    PRIM_DEVICE static row_sums sum_row(const row_samples &r)
    {
        row_sums sums;
#pragma unroll
        for (unsigned k = 0; k < WORDS; k++) {
            sums.even[k] = r.v[0].at[k] & 0x00ff00ffu;
            sums.odd[k] = r.v[0].at[k] >> 8 & 0x00ff00ffu;
        }
        return sums;
    }

    PRIM_DEVICE static row_sums sum_windows(const row_sums &before, const row_sums &middle, const row_sums &now)
    {
        extended even, odd;
#pragma unroll
        for (unsigned k = 0; k < WORDS; k++) {
            even[k + 1] = before.even[k] + middle.even[k] + now.even[k];
            odd[k + 1] = before.odd[k] + middle.odd[k] + now.odd[k];
        }
        even[0] = prim::shuffle_up(even[WORDS], 1);
        odd[0] = prim::shuffle_up(odd[WORDS], 1);
        even[WORDS + 1] = prim::shuffle_down(even[1], 1);
        odd[WORDS + 1] = prim::shuffle_down(odd[1], 1);
        row_sums sums;
#pragma unroll
        for (unsigned k = 1; k <= WORDS; k++) {
            sums.even[k - 1] = even[k] + left_of_even(even, odd, k) + right_of_even(even, odd, k);
            sums.odd[k - 1] = odd[k] + left_of_odd(even, odd, k) + right_of_odd(even, odd, k);
        }
        return sums;
    }

    /* Words 0 and WORDS + 1 are those of the lanes beside this one. */
    using extended = uint32_t[WORDS + 2];

    /* The upper half of a, and the lower half of b above it. */
    PRIM_DEVICE static uint32_t between(uint32_t a, uint32_t b)
    {
        return prim::permute_bytes(a, b, 0x5432);
    }

    /* The sums of the columns CHANNELS to the left, or to the right, of those of word k. */
    PRIM_DEVICE static uint32_t left_of_even(const extended &even, const extended &odd, unsigned k)
    {
        if constexpr (CHANNELS == 1) return between(odd[k - 1], odd[k]);
        if constexpr (CHANNELS == 2) return between(even[k - 1], even[k]);
        return CHANNELS == 3 ? odd[k - 1] : even[k - 1];
    }
    PRIM_DEVICE static uint32_t right_of_even(const extended &even, const extended &odd, unsigned k)
    {
        if constexpr (CHANNELS == 1) return odd[k];
        if constexpr (CHANNELS == 2) return between(even[k], even[k + 1]);
        return CHANNELS == 3 ? between(odd[k], odd[k + 1]) : even[k + 1];
    }
    PRIM_DEVICE static uint32_t left_of_odd(const extended &even, const extended &odd, unsigned k)
    {
        if constexpr (CHANNELS == 1) return even[k];
        if constexpr (CHANNELS == 2) return between(odd[k - 1], odd[k]);
        return CHANNELS == 3 ? between(even[k - 1], even[k]) : odd[k - 1];
    }
    PRIM_DEVICE static uint32_t right_of_odd(const extended &even, const extended &odd, unsigned k)
    {
        if constexpr (CHANNELS == 1) return between(even[k], even[k + 1]);
        if constexpr (CHANNELS == 2) return between(odd[k], odd[k + 1]);
        return CHANNELS == 3 ? even[k + 1] : odd[k + 1];
    }

    /* n = sum + area / 2 < 2^12, and the multiplier exceeds 2^16 / area by less than 1: n * area < 2^16, and the mean
     * is byte 2 of the product. */
    PRIM_DEVICE static constexpr uint32_t multiplier(uint32_t area)
    {
        return UINT16_MAX / area + 1;
    }

    PRIM_DEVICE static row_samples means(const row_sums &sums)
    {
        constexpr uint32_t m = multiplier(SMALL_AREA), half = SMALL_AREA / 2 * m;
        row_samples r;
#pragma unroll
        for (unsigned k = 0; k < WORDS; k++) {
            const uint32_t even = sums.even[k], odd = sums.odd[k];
            const uint32_t low = prim::permute_bytes((even & 0xffffu) * m + half, (odd & 0xffffu) * m + half, 0x0062),
                           high = prim::permute_bytes((even >> 16) * m + half, (odd >> 16) * m + half, 0x0062);
            r.v[0].at[k] = prim::permute_bytes(low, high, 0x5410);
        }
        return r;
    }

    PRIM_DEVICE static row_samples cut_means(const row_sums &sums, const small_border &b, int32_t covered_rows,
                                             int32_t begin, int32_t elements)
    {
        row_samples r = {};
#pragma unroll
        for (unsigned j = 0; j < COLUMNS; j++) {
            const small_window w = small_window_of<CHANNELS>(b, covered_rows, begin + (int32_t)j, elements);
            const uint32_t both = j % 2 ? sums.odd[j / 4] : sums.even[j / 4], area = (uint32_t)w.area;
            uint32_t sum = j % 4 < 2 ? both & 0xffffu : both >> 16;
            if (b.takes_value) sum += b.value[w.channel] * (uint32_t)(SMALL_AREA - w.covered);
            set(r, j, (uint8_t)((sum + area / 2) * multiplier(area) >> 16));
        }
        return r;
    }
};

} // namespace box
#endif
