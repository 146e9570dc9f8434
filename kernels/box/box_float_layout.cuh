/* box_float_layout.cuh - where the samples and sums of a strip of floats lie (box_float.cu). */
#ifndef BOX_FLOAT_LAYOUT_CUH
#define BOX_FLOAT_LAYOUT_CUH

#include "box/box_axis.cuh"
#include "box/box_segments.cuh"
#include "prim/vector.cuh"

namespace box
{

/* Where a strip lies in an image, or in a mask.  Columns begin .. end - 1 lie in it, side by side, and are copied as
 * vectors; the others are copied one by one, or are `absent`. */
template <class T> struct strip_source {
    const T *image;
    int64_t row_bytes;
    int32_t left;       /* the pixel of column 0 */
    int32_t first;      /* the value of a row that column 0 has; below zero: before the image */
    int32_t begin, end; /* both below 0: there are no vectors, and all columns lie in the image */
    uint32_t others;    /* columns of the strip besides */
    T absent;
};

/* Which samples count, where not all do: a sample counts unless it equals nodata, is a skipped NaN, or has a 0 in the
 * mask.  One that does not is taken for 0. */
template <class Sample> struct float_counts {
    bool counted;         /* else all samples count, and nothing below is read */
    bool masked, any_nan; /* there is a mask; a NaN counts */
    bool mask_words;      /* 4 pixels of a mask lie at multiples of 4 bytes in all rows, as strips do */
    Sample nodata;        /* NaN: none */
    Sample absent;        /* counts nothing, unless only a mask says so: for positions outside the image */
    const uint8_t *mask;
    int64_t mask_row_bytes, mask_image_bytes;
};

/* What is known of windows: the sum of their samples, and 1: their number; 2: the sum of squared distances from their
 * mean. */
enum float_features { SUMS, SUMS_AND_COUNTS, SUMS_AND_SQUARES, SUMS_COUNTS_AND_SQUARES };

/* Where a block's strip lies; whole: all columns of its windows are in the image. */
struct strip_place {
    int32_t origin, begin, end; /* px: of place 0, and of results */
    uint32_t image;
    bool whole;
};

/* The results of a strip.  Windows of pixels left .. right - 1 hold as many columns, covered_x, or all count alike. */
struct strip_means {
    int32_t origin; /* the pixel of place 0 in a row of sums */
    int32_t begin, left, right, end;
    double covered_x;
    uint32_t image;
    bool staged;
};

/* CHANNELS: 1, or 0 for any number, perhaps with weights.  RUN: pixels of a lane in a row of sums.  WARPS: of a row.
 * STEP: rows that are filtered at a time.  QUEUE: sums of blocks that shared memory holds for each column, with bits of
 * what counts; 0: these lie in device memory. */
template <class Sample, unsigned CHANNELS, unsigned RUN, unsigned WARPS, unsigned STEP, unsigned QUEUE, int BLOCKS,
          float_features FEATURES>
struct float_layout {
    static constexpr bool COUNTS = (FEATURES & 1) != 0, SQUARES = (FEATURES & 2) != 0;
    /* Doubles of a place in a row of sums, and in a queue in device memory. */
    static constexpr unsigned MEMBERS = SQUARES ? 2 : 1, QUEUE_MEMBERS = MEMBERS + (SQUARES && COUNTS ? 1 : 0);
    using sample_type = Sample;
    static constexpr bool HAS_COUNTS = COUNTS;
    static constexpr unsigned threads = STEP * WARPS * prim::WARP;
    static constexpr int min_blocks = BLOCKS;
    static constexpr unsigned STEP_ROWS = STEP, RUN_PIXELS = RUN, ROW_WARPS = WARPS, QUEUED = QUEUE;
    static constexpr bool ONE_CHANNEL = CHANNELS == 1;
    /* Samples of 16 bytes, which one instruction copies.  Results of a strip are a multiple of UNIT pixels, and strips
     * begin at multiples of it, so that such chunks of all rows stay aligned. */
    static constexpr unsigned CHUNK = prim::vector_items<Sample>;
    static constexpr int32_t UNIT = 4;
    static constexpr unsigned RUNS = WARPS * prim::WARP; /* in a row of sums, of all channels */
    static constexpr unsigned COLUMNS = RUNS * RUN;      /* samples of a strip and its halo */
    static constexpr unsigned COLUMNS_AT_ONCE = SQUARES ? 1 : 2;
    static constexpr unsigned PAIRS = COLUMNS / (2 * threads); /* of neighbouring columns, of a thread */
    /* Sums: two places between runs, so that lanes read vectors without conflicts, and behind the last run of a row as
     * many as a lane reads beyond the strip.  Where a place has two members: window_moment_columns.cuh. */
    static constexpr unsigned PITCH = SQUARES ? RUNS + 1 : RUN + 2, ROW = SQUARES ? RUN * PITCH : RUNS * PITCH + RUN;
    static constexpr unsigned NARROW_PITCH = RUNS + 4, NARROW_ROW = SQUARES ? RUN * NARROW_PITCH : ROW; /* of counts */
    /* Means of f32: four between runs, for the same reason. */
    static constexpr unsigned MEANS_PITCH = RUN + 4;
    static constexpr unsigned SLOTS = 2 * STEP; /* rows of samples */
    static_assert(SQUARES ? COLUMNS == threads : PAIRS * 2 * threads == COLUMNS && (RUN & (RUN - 1)) == 0);

    using two = prim::vec<double, 2>;
    /* What a block's threads have alike lies in shared memory. */
    static constexpr bool FEW_REGISTERS = FEATURES != SUMS || CHANNELS != 1;
    /* The doubles of a block in device memory, where the queue does not lie in shared memory: bits of what counts, and
     * the queue. */
    static constexpr int64_t BITS_PITCH = COUNTS ? COLUMNS / 8 : 0, QUEUE_PITCH = (int64_t)COLUMNS * QUEUE_MEMBERS;
    PRIM_HOST_DEVICE static constexpr int64_t scratch_of(int64_t blocks)
    {
        return QUEUE > 0 ? 0 : blocks * QUEUE_PITCH + (blocks + 2) * BITS_PITCH;
    }

    struct shared {
        prim::array<Sample, SLOTS * COLUMNS> rows;
        union {
            prim::array<double, STEP * ROW * MEMBERS> sums;
            prim::array<float, 2 * STEP * ROW * MEMBERS> means; /* in place of a row's sums */
        };
        /* An even number of items each, so that all of them are aligned to two. */
        prim::array<double, QUEUE ? QUEUE * COLUMNS : 2> queue;
        prim::array<double, (SQUARES || WARPS > 1) ? STEP * RUNS * MEMBERS : 2> totals; /* of runs */
        prim::array<double, (!SQUARES && WARPS > 1) ? STEP * RUNS : 2> begins;
        prim::array<uint32_t, COUNTS ? STEP * NARROW_ROW : 2> counts; /* where the sums lie */
        prim::array<uint32_t, SQUARES ? STEP * RUNS : 2> run_counts;
        prim::array<uint8_t, COUNTS ? SLOTS * COLUMNS : 4> mask;
        prim::array<uint8_t, QUEUE && COUNTS ? (QUEUE + 2) * COLUMNS : 4> bits;
        prim::array<strip_source<uint8_t>, 1> mask_source;                         /* where FEW_REGISTERS */
        prim::array<strip_source<Sample>, 1> source;                               /* likewise */
        prim::var<strip_place> place;                                              /* likewise, and SQUARES */
        prim::var<strip_means> strip;                                              /* likewise, without SQUARES */
        prim::var<double> inverse;                                                 /* of the size of whole windows */
        prim::array<uint32_t, COUNTS && !SQUARES ? STEP * WARPS : 1> count_totals; /* of warps */
        prim::array<int32_t, COLUMNS> sources;                     /* samples of a row of the image; -1: none */
        prim::array<uint16_t, CHANNELS == 1 ? 1 : COLUMNS> places; /* of a row's samples in a row of sums */
    };

    const Sample *in;
    void *out; /* f64 if doubles, else f32 */
    int64_t in_row_bytes, out_row_bytes, out_image_bytes;
    int64_t in_image_pitch; /* samples */
    bool doubles;
    axis x, y;
    int32_t channels, pixels; /* pixels: of a strip and its halo, a multiple of RUN */
    int32_t lead;             /* pixels of a strip before its first result, so that its first sample is aligned */
    int32_t strip;            /* results of a strip, pixels */
    segments work;            /* of an image; rows are multiples of STEP */
    uint32_t image_blocks;
    uint32_t reciprocal; /* i / channels = i * reciprocal >> 16 */
    int32_t height;      /* of a window: STEP, `blocks` times STEP in the queue, STEP if `newest`, `rest`, and 1 */
    int32_t blocks, rest;
    bool newest;
    double *scratch; /* scratch_of(blocks) of each block */
    double area, value[4];
    bool shrinks, takes_value;
    bool weights;     /* the last channel weighs the others */
    uint32_t aligned; /* so many samples, of at most 16 bytes, that are aligned in all rows */
    float_counts<Sample> valid;

    PRIM_DEVICE double *scratch_of_block() const { return scratch + (int64_t)prim::block_id() * scratch_of(blocks); }
    /* Each has STEP rows of a column. */
    PRIM_DEVICE uint8_t *bits_of_block() const { return reinterpret_cast<uint8_t *>(scratch_of_block()); }
    PRIM_DEVICE double *queue_at(int32_t entry) const
    {
        return scratch_of_block() + (blocks + 2) * BITS_PITCH + entry * QUEUE_PITCH;
    }
    PRIM_DEVICE bool weighted() const { return CHANNELS != 1 && !COUNTS && weights; }
    PRIM_DEVICE bool counted() const { return COUNTS && valid.counted; }
    PRIM_DEVICE bool masked() const { return COUNTS && valid.masked; }
    PRIM_DEVICE Sample absent() const { return COUNTS ? valid.absent : Sample(0); }
    PRIM_DEVICE uint32_t channel_count() const { return CHANNELS ? CHANNELS : (uint32_t)channels; }
    PRIM_DEVICE uint32_t pixel_of(uint32_t sample) const { return CHANNELS == 1 ? sample : sample * reciprocal >> 16; }
    PRIM_DEVICE uint32_t place(uint32_t pixel, uint32_t channel) const
    {
        const uint32_t line = CHANNELS == 1 ? 0 : channel * ((uint32_t)pixels / RUN);
        return (line + pixel / RUN) * PITCH + pixel % RUN;
    }

    PRIM_DEVICE static unsigned row_number() { return prim::thread_id() / RUNS; }
    PRIM_DEVICE static unsigned row_of_warp() { return row_number() * ROW; }
};

} // namespace box
#endif
