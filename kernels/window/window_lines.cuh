/* window_lines.cuh - rows of an image as the lanes of a strip hold them: a run of neighbouring columns each.
 *
 * Lanes whose columns lie in the image load them, in words.  Columns beyond its edges repeat others, one by one, as the
 * border mode says: there, and in rows that are not aligned, the threads of a block gather samples, each of another
 * column, and hand them over in shared memory.  So an edge costs two loads and not a run of them. */
#ifndef WINDOW_LINES_CUH
#define WINDOW_LINES_CUH

#include "box/box_axis.cuh"
#include "tuning.cuh"

namespace window
{

/* Sample: of as many bytes, without a sign.  CHANNELS: that lie side by side in a strip.  MASKED: some samples may not
 * count.  WARPS: of a block. */
template <class Sample, unsigned CHANNELS, bool MASKED, unsigned WARPS> struct strip_lines {
    static constexpr unsigned RUN = tuning::window_run(CHANNELS), threads = WARPS * prim::WARP,
                              ELEMENTS = threads * RUN;
    static_assert(RUN % CHANNELS == 0 && RUN % 4 == 0 && RUN <= 32);

    /* A lane's samples of a row, in words, and loads of UNIT words. */
    static constexpr unsigned PER = 4 / (unsigned)sizeof(Sample), WORDS = RUN / PER;
    static constexpr unsigned UNIT = WORDS % 4 == 0 ? 4 : WORDS % 2 == 0 ? 2 : 1, ALIGNMENT = UNIT * PER;
    using unit = prim::vec<uint32_t, UNIT>;
    using samples_of_unit = prim::vec<Sample, UNIT * PER>;
    static constexpr unsigned MASK_WORDS = MASKED ? RUN / 4 : 1;
    static constexpr bool MASK_VECTORS = CHANNELS == 1 && RUN % 16 == 0;
    static constexpr int AT_ONCE = 4; /* rows, at most, that are gathered at once */

    struct shared {
        prim::array<Sample, ELEMENTS> samples[AT_ONCE];
        prim::array<uint8_t, MASKED ? ELEMENTS : 16> masks[AT_ONCE];
        prim::array<int32_t, ELEMENTS> sources; /* the element of a row that a gathered column repeats; -1: none */
    };

    const Sample *in;
    const uint8_t *mask;                                            /* NULL: all */
    int64_t in_pitch, in_image_pitch, mask_pitch, mask_image_pitch; /* samples; px */
    box::axis x, y;
    int32_t samples_apart; /* from one element to the next: the image's channels, or 1 */
    bool wide, wide_mask;  /* all rows are aligned to units; of masks to 16 bytes */
    uint32_t bias;         /* what is added to samples that may be below zero */

    /* A lane's samples of a row as they are in the image, and its part of the mask.  Positions outside the image, where
     * the border mode names no sample for them, are 0 with the bias, and in the mask. */
    struct line {
        uint32_t samples[WORDS], mask[MASK_WORDS];
    };
    /* The columns of a block, from element `left` of the image's rows on. */
    struct columns {
        int64_t image;
        int32_t channel; /* of the image, where strips hold one of several */
        int32_t left;
        unsigned own; /* the lane's first column */
        bool direct;  /* all of its columns are the image's own, and aligned */
        /* Columns 0 .. low - 1 and high .. needed - 1 are gathered, whole runs; those after them have no use. */
        int32_t low, high, needed;
        int32_t mask_low, mask_high; /* the same of the mask: at least as many */
    };

    /* Strips of one warp hold all channels. */
    PRIM_DEVICE int32_t stride() const { return WARPS == 1 ? 1 : samples_apart; }

    PRIM_DEVICE uint32_t biases() const
    {
        return bias * (sizeof(Sample) == 1 ? 0x01010101u : sizeof(Sample) == 2 ? 0x00010001u : 1u);
    }
    PRIM_DEVICE line biased(line l) const
    {
#pragma unroll
        for (unsigned w = 0; w < WORDS; w++) l.samples[w] ^= biases();
        return l;
    }
    PRIM_DEVICE static uint32_t sample(const line &l, unsigned i)
    {
        if constexpr (sizeof(Sample) == 1) return prim::permute_bytes(l.samples[i / PER], 0, 0x4440 + i % PER);
        return l.samples[i / PER] >> i % PER * 8 * (unsigned)sizeof(Sample) & (uint32_t)(Sample)~0;
    }
    PRIM_DEVICE static bool masked_in(const line &l, unsigned i)
    {
        return (l.mask[i / 4] >> i % 4 * 8 & 0xff) != 0;
    }

    /* ---- columns ---- */

    PRIM_DEVICE static int32_t rounded_up(int32_t column)
    {
        return (column + (int32_t)RUN - 1) / (int32_t)RUN * (int32_t)RUN;
    }

    /* Sources are there for all threads after the next barrier. */
    PRIM_DEVICE columns find_columns(shared &s, int64_t image, int32_t channel, int32_t left) const
    {
        const int32_t elements = x.n * (int32_t)CHANNELS, last = (x.n + x.after + 1) * (int32_t)CHANNELS - left;
        columns c = {image, channel, left, prim::thread_id() * RUN};
        c.direct = wide && left + (int32_t)c.own >= 0 && left + (int32_t)(c.own + RUN) <= elements;
        c.needed = last < (int32_t)ELEMENTS ? rounded_up(last) : (int32_t)ELEMENTS;
        c.low = left < 0 ? rounded_up(-left) : 0;
        c.high = elements - left < c.needed ? (elements - left) / (int32_t)RUN * (int32_t)RUN : c.needed;
        if (!wide || c.low > c.high) c.low = c.high = c.needed;
        const bool words = mask == nullptr || (MASK_VECTORS && wide_mask);
        c.mask_low = words ? c.low : c.needed;
        c.mask_high = words ? c.high : c.needed;
        for_gathered(c, [&](int32_t column) {
            /* C rounds towards zero: a multiple of the channels first makes the element positive. */
            const int32_t e = left + column, shift = x.halo * (int32_t)CHANNELS;
            const int32_t pixel = (e + shift) / (int32_t)CHANNELS - x.halo, own = e - pixel * (int32_t)CHANNELS;
            const int32_t to = e + shift < 0 || pixel > x.n + x.after ? -1 : box::border_index(x, pixel);
            s.sources.set((unsigned)column, to < 0 ? -1 : to * (int32_t)CHANNELS + own);
        });
        return c;
    }
    /* Calls do_it() with each of the columns that this thread gathers. */
    template <class Do> PRIM_DEVICE static void for_gathered(const columns &c, const Do &do_it)
    {
        const int32_t low = MASKED ? c.mask_low : c.low, high = MASKED ? c.mask_high : c.high;
        for (int32_t i = (int32_t)prim::thread_id(); i < low + c.needed - high; i += (int32_t)threads)
            do_it(i < low ? i : i - low + high);
    }
    PRIM_DEVICE static bool gathers(const columns &c)
    {
        return MASKED ? c.mask_low > 0 || c.mask_high < c.needed : c.low > 0 || c.high < c.needed;
    }

    /* ---- rows ---- */

    /* The row of the image that a row repeats; -1: none. */
    PRIM_DEVICE int32_t source_of(int32_t row) const
    {
        return row < -y.halo || row > y.n + y.after ? -1 : box::border_index(y, row);
    }
    PRIM_DEVICE const Sample *row_at(const columns &c, int32_t from) const
    {
        return in + c.image * in_image_pitch + from * in_pitch + c.channel;
    }

    PRIM_DEVICE const uint8_t *mask_at(const columns &c, int32_t from) const
    {
        return mask + c.image * mask_image_pitch + from * mask_pitch;
    }

    /* What the lane can load itself of row `from`, of source_of(): nothing waits for it.  So the sources of several
     * rows are asked for before any of them is loaded, and the bias is added where samples are used. */
    template <bool WITH_MASK = MASKED> PRIM_DEVICE line load(const columns &c, int32_t from) const
    {
        line l;
#pragma unroll
        for (unsigned w = 0; w < WORDS; w++) l.samples[w] = biases();
#pragma unroll
        for (unsigned w = 0; w < MASK_WORDS; w++) l.mask[w] = 0;
        if (from < 0 || !c.direct) return l;
        const int32_t first = c.left + (int32_t)c.own;
        const Sample *samples = row_at(c, from) + first;
#pragma unroll
        for (unsigned w = 0; w < WORDS; w += UNIT) {
            const unit u = prim::load(reinterpret_cast<const unit *>(samples + w * PER));
#pragma unroll
            for (unsigned i = 0; i < UNIT; i++) l.samples[w + i] = u.at[i];
        }
        if constexpr (WITH_MASK) {
#pragma unroll
            for (unsigned w = 0; w < MASK_WORDS; w++) l.mask[w] = mask ? 0 : 0x01010101u;
            if constexpr (MASK_VECTORS)
                if (mask && wide_mask) {
                    const uint8_t *counting = mask_at(c, from) + first;
#pragma unroll
                    for (unsigned w = 0; w < MASK_WORDS; w += 4) {
                        const auto u = prim::load(reinterpret_cast<const prim::vec<uint32_t, 4> *>(counting + 4 * w));
#pragma unroll
                        for (unsigned i = 0; i < 4; i++) l.mask[w + i] = u.at[i];
                    }
                }
        }
        return l;
    }

    /* The rest of N rows, for take() after a barrier; another follows before the next gather(). */
    template <int N> PRIM_DEVICE void gather(shared &s, const columns &c, const int32_t (&from)[N]) const
    {
        static_assert(N <= AT_ONCE);
        for_gathered(c, [&](int32_t column) {
            const int32_t e = s.sources.get((unsigned)column);
            if (column < c.low || column >= c.high) {
                Sample v[N];
#pragma unroll
                for (int i = 0; i < N; i++)
                    v[i] = e < 0 || from[i] < 0 ? (Sample)bias : prim::load(row_at(c, from[i]) + (int64_t)e * stride());
#pragma unroll
                for (int i = 0; i < N; i++) s.samples[i].set((unsigned)column, v[i]);
            }
            if constexpr (MASKED) {
                bool counts[N];
#pragma unroll
                for (int i = 0; i < N; i++)
                    counts[i] = e >= 0 && from[i] >= 0 &&
                                (mask == nullptr || prim::load(mask_at(c, from[i]) + e / (int32_t)CHANNELS) != 0);
#pragma unroll
                for (int i = 0; i < N; i++) s.masks[i].set((unsigned)column, counts[i]);
            }
        });
    }
    /* Adds what was gathered of row i to what load() gave. */
    template <bool WITH_MASK = MASKED>
    PRIM_DEVICE void take(const shared &s, const columns &c, unsigned i, line &l) const
    {
        const int32_t own = (int32_t)c.own;
        if (own >= c.needed) return;
        if (own < c.low || own >= c.high) {
#pragma unroll
            for (unsigned w = 0; w < WORDS; w += UNIT) {
                const unit u = __builtin_bit_cast(unit, s.samples[i].template get_vector<UNIT * PER>(c.own + w * PER));
#pragma unroll
                for (unsigned k = 0; k < UNIT; k++) l.samples[w + k] = u.at[k];
            }
        }
        if constexpr (WITH_MASK)
            if (own < c.mask_low || own >= c.mask_high) {
#pragma unroll
                for (unsigned w = 0; w < MASK_WORDS; w++)
                    l.mask[w] = __builtin_bit_cast(uint32_t, s.masks[i].template get_vector<4>(c.own + 4 * w));
            }
    }
};

} // namespace window
#endif
