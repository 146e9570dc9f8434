/* box_small_sums.cuh - sums and means of windows of 3x3, of a lane's columns (box_small.cu). */
#ifndef BOX_SMALL_SUMS_CUH
#define BOX_SMALL_SUMS_CUH

#include <type_traits>

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

/* The windows of a row that edges cut: samples of the image that they hold, and what their sums are divided by; of
 * pixels inside a row, and of those at its ends. */
struct small_windows {
    int32_t covered, covered_at_end, area, area_at_end;
    int32_t first, last; /* elements first .. last - 1 are inside */
};
template <unsigned CHANNELS>
PRIM_DEVICE small_windows small_windows_of(const small_border &b, int32_t covered_rows, int32_t elements)
{
    constexpr int32_t channels = (int32_t)CHANNELS;
    small_windows w = {3 * covered_rows, (elements > channels ? 2 : 1) * covered_rows,
                       SMALL_AREA,       SMALL_AREA,
                       channels,         elements - channels};
    if (b.shrinks) {
        w.area = w.covered;
        w.area_at_end = w.covered_at_end;
    }
    return w;
}

/* Sums are of Sum: u32 for u16, f64 for floats. */
template <class Sample, class Sum, unsigned CHANNELS> struct small_sums {
    using sample_type = Sample;
    static constexpr bool REAL = sizeof(Sum) == 8;
    using word = std::conditional_t<REAL, Sample, uint32_t>; /* two samples of u16 */
    using vector = prim::vec<word, prim::vector_items<word>>;
    static constexpr unsigned CHANNEL_COUNT = CHANNELS, VECTORS = tuning::box_small_vectors(sizeof(Sample)),
                              ITEMS = prim::vector_items<Sample>, COLUMNS = VECTORS * ITEMS;
    static_assert(COLUMNS >= CHANNELS);
    /* Samples or means. */
    struct row_samples {
        vector v[VECTORS];
    };
    struct row_sums {
        Sum at[COLUMNS];
    };

    PRIM_DEVICE static Sample get(const row_samples &r, unsigned j)
    {
        if constexpr (REAL)
            return r.v[j / ITEMS].at[j % ITEMS];
        else
            return (Sample)(r.v[j / ITEMS].at[j % ITEMS / 2] >> 16 * (j % 2));
    }
    /* In place of a zero. */
    PRIM_DEVICE static void set(row_samples &r, unsigned j, Sample v)
    {
        if constexpr (REAL)
            r.v[j / ITEMS].at[j % ITEMS] = v;
        else
            r.v[j / ITEMS].at[j % ITEMS / 2] |= (uint32_t)v << 16 * (j % 2);
    }

    /* Of each pixel and its two neighbours in the row. */
    PRIM_DEVICE static row_sums sum_row(const row_samples &r)
    {
        Sum all[COLUMNS + 2 * CHANNELS];
#pragma unroll
        for (unsigned j = 0; j < COLUMNS; j++) all[CHANNELS + j] = (Sum)get(r, j);
#pragma unroll
        for (unsigned c = 0; c < CHANNELS; c++) {
            all[c] = (Sum)prim::shuffle_up((word)get(r, COLUMNS - CHANNELS + c), 1);
            all[CHANNELS + COLUMNS + c] = (Sum)prim::shuffle_down((word)get(r, c), 1);
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
        row_samples r = {};
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
            for (unsigned j = 0; j < COLUMNS; j++) set(r, j, divisor(SMALL_AREA).mean(sums.at[j]));
        }
        return r;
    }

    /* Where edges cut windows.  begin: the lane's first element of a row. */
    PRIM_DEVICE static row_samples cut_means(const row_sums &sums, const small_border &b, const small_windows &w,
                                             int32_t begin)
    {
        row_samples r = {};
        const divisor inside(w.area), at_end(w.area_at_end);
#pragma unroll
        for (unsigned j = 0; j < COLUMNS; j++) {
            const int32_t element = begin + (int32_t)j;
            const bool is_inside = element >= w.first && element < w.last;
            Sum sum = sums.at[j];
            if (b.takes_value) {
                const int32_t beyond = SMALL_AREA - (is_inside ? w.covered : w.covered_at_end);
                const unsigned channel = (unsigned)element % CHANNELS;
                if constexpr (REAL)
                    sum = beyond > 0 ? sum + prim::product(b.real_value[channel], (double)beyond) : sum;
                else
                    sum += b.value[channel] * (uint32_t)beyond;
            }
            set(r, j, is_inside ? inside.mean(sum) : at_end.mean(sum));
        }
        return r;
    }

    /* u16: n = sum + area / 2 is below 2^20, and the multiplier exceeds 2^32 / area by less than 1: n * area < 2^32. */
    struct divisor {
        double area, inverse;
        uint32_t whole, multiplier;
        PRIM_DEVICE explicit divisor(int32_t a)
            : area(a), inverse(1 / area), whole((uint32_t)a), multiplier(UINT32_MAX / whole + 1)
        {
        }
        PRIM_DEVICE Sample mean(Sum sum) const
        {
            if constexpr (REAL)
                return (Sample)(extremity<Sample>(sum) >= EXTREME ? extreme_quotient<Sample>(sum, area)
                                                                  : corrected_quotient(sum, area, inverse));
            else
                return (Sample)(whole == 1 ? sum : prim::high_product(sum + whole / 2, multiplier));
        }
    };
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

    PRIM_DEVICE static row_samples cut_means(const row_sums &sums, const small_border &b, const small_windows &w,
                                             int32_t begin)
    {
        row_samples r = {};
        const uint32_t inside = multiplier((uint32_t)w.area), at_end = multiplier((uint32_t)w.area_at_end);
#pragma unroll
        for (unsigned j = 0; j < COLUMNS; j++) {
            const int32_t element = begin + (int32_t)j;
            const bool is_inside = element >= w.first && element < w.last;
            const uint32_t both = j % 2 ? sums.odd[j / 4] : sums.even[j / 4];
            uint32_t sum = j % 4 < 2 ? both & 0xffffu : both >> 16;
            if (b.takes_value) {
                const int32_t covered = is_inside ? w.covered : w.covered_at_end;
                sum += b.value[(unsigned)element % CHANNELS] * (uint32_t)(SMALL_AREA - covered);
            }
            const uint32_t half = (uint32_t)(is_inside ? w.area : w.area_at_end) / 2;
            set(r, j, (uint8_t)((sum + half) * (is_inside ? inside : at_end) >> 16));
        }
        return r;
    }
};

} // namespace box
#endif
