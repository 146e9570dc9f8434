/* sat_query.h - more of rectangles: which statistics there are, sides with fractions, tables of what counts, how far
 * tables of floats are off, and answers straight from an image, for which no table is made.
 *
 * What sat.h says of versions, threads and executors holds here; sat_rect_statistic_info and sat_rounding travel with
 * their sizes. */
#ifndef SAT_QUERY_H
#define SAT_QUERY_H

#include "sat.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- the statistics ------------------------------------------------------------------------------------ */

/* A statistic of rectangles. */
typedef struct sat_rect_statistic_info {
    const char *name, *summary;
    const char *equation; /* over n, the samples that count, S1, S2, mean, var and std; for people */
    const char *source;   /* citation, or NULL */
    bool squares;         /* a table must have that of its squares beside it */
    bool variance;        /* depends on a variance, and so on ddof */
    bool sum;             /* is the sum, which sat_statistics.sums has in its own type */
    bool area;            /* is the area, the same for all channels, which sat_statistics.areas has as an integer */
    bool count;           /* is the number of samples that count, of each channel */
    bool reserved[3];     /* false */
} sat_rect_statistic_info;

/* The i-th statistic of rectangles; false past the last. */
#define sat_rect_statistic_at(...)                                                                                     \
    sat_rect_statistic_at_sized(__VA_ARGS__, sizeof(sat_rect_statistic_info)) /* i, info */
SAT_API bool sat_rect_statistic_at_sized(size_t i, sat_rect_statistic_info *info, size_t info_bytes);

/* One of them, asked for: each once at most in one question. */
typedef struct sat_rect_output {
    const char *statistic; /* its name */
    double *values;        /* as the arrays of sat_statistics */
} sat_rect_output;

/* ---- sides with fractions ------------------------------------------------------------------------------ */

/* The pixels of column i cover [i, i + 1), the pixels of row j [j, j + 1).  The edges are x, y, x + width and y +
 * height; the sums are rounded to f64. */
typedef struct sat_rect_f64 {
    double x, y, width, height; /* px */
} sat_rect_f64;

/* Answers n rectangles as sat_table_statistics() does, with each pixel weighted by the area of it that the rectangle
 * covers: w = 0 .. 1.  With A = sum of w, S1 = sum of w * x and S2 = sum of w * x * x,
 *
 *     mean = S1 / A      variance = (S2 - S1 * S1 / A) / (A - ddof)      rms = sqrt(S2 / A)
 *
 * S1 is what a bilinear reading of the table's entries at the four corners gives.  It is added up from up to nine
 * rectangles of whole pixels with one weight each, so that nothing cancels but what cancels in these.
 *
 * sums are f64 (the member f) of tables of any type; areas is NULL, and areas_f64 takes A.
 *
 * Tables of integers, and areas above 2^-1000 px: a sum differs from that of the definition by at most 14 * 2^-53 *
 * (sum of w * |x|), and is that sum, rounded once, where all sides are whole.  A mean differs by at most 18 * 2^-53 of
 * the mean of w * |x|.  Where all entries are exact, a variance v is 0 for equal samples, never negative, and
 * differs by at most 64 * 2^-53 * (A / (A - ddof))^2 * (v0 + 1/3),  v0 = the variance with ddof 0.
 *
 * A table of f32, f64 or q32 among them: where it answers each rectangle of whole pixels with an error of at most e, a
 * sum with fractions is wrong by at most 9 * e and the bound above; of variances holds with these what
 * sat_table_statistics() says, also of integer samples in tables of floats.
 *
 * Rectangles are refused as sat_table_statistics() refuses them: SAT_ERR_RECT also where a side is NaN, or edges are
 * one number in f64; SAT_ERR_RANGE where all pixels that they touch are more than the table is proven to answer.
 * SAT_CLIP cuts them to the image.  Other statuses as of sat_table_statistics(); SAT_ERR_ARGUMENT also for areas. */
#define sat_table_statistics_f64(...) /* table, squares, rects, n, ask, run */                                         \
    sat_table_statistics_f64_sized(__VA_ARGS__, sizeof(sat_table), sizeof(sat_statistics), sizeof(sat_run_options))
SAT_API sat_status sat_table_statistics_f64_sized(const sat_table *table, const sat_table *squares,
                                                  const sat_rect_f64 *rects, size_t n, const sat_statistics *ask,
                                                  const sat_run_options *run, size_t table_bytes, size_t ask_bytes,
                                                  size_t run_bytes);

/* ---- tables of what counts ------------------------------------------------------------------------------- */

/* In tables of a sat_plan_spec, a sample counts, by itself in its channel,
 *
 *     masked       where the image's mask is not 0: sat_run_options.mask, of each run
 *     skip_nan     unless it is NaN (integers have none)
 *     has_nodata   unless it equals nodata, a value of the samples' type (of f32, nodata is rounded; NaN is skip_nan)
 *
 * as far as these are set.  Tables of samples and of squares sum 0 in place of samples that do not count.  The table of
 * power SAT_COUNTS sums 1 for each that counts, of samples of all types in u32 u64 i64 f64; SAT_TYPE_NONE = u32, or u64
 * for images of more than 2^32 - 1 pixels.  Plans with one of these run on the host: a device refuses them with
 * SAT_ERR_UNAVAILABLE, and q32, in which 0 may have no place, is refused with SAT_ERR_TYPE.  They hold a copy of about
 * 1 MiB of samples for each thread.  SAT_ERR_ARGUMENT for a nodata that no sample can be.
 *
 * With sat_statistics.counts, n is the number of samples that count in the rectangle, in place of the area: in means,
 * variances, std, rms and `count`.  Where sides have fractions, n is the sum of these samples' weights.  `area` and the
 * areas stay the rectangle's.  Bounds hold with that n, and integers are as exact as where all samples count.  Where n
 * is 0, sum and count are 0, and mean, var, std and rms NaN.  A count above the area,
 * as a damaged table may have, is the area. */

/* The tables of one image, of one mask and values for no data: of its samples, of their squares and of its counts, as
 * sat_table_of() makes each; NULL: not wanted.  All are of the spec's accum, or each has its default.  The spec's power
 * does not count, nor does `masked`: run->mask is the mask, or NULL.  On SAT_OK the views of those wanted are the
 * caller's; else their data is NULL, and the status SAT_ERR_CANCELLED or one of sat_table_of()'s. */
#define sat_tables_of(...) /* image, spec, run, sums, squares, counts */                                               \
    sat_tables_of_sized(__VA_ARGS__, sizeof(sat_plan_spec), sizeof(sat_run_options), sizeof(sat_table))
SAT_API sat_status sat_tables_of_sized(const sat_view *image, const sat_plan_spec *spec, const sat_run_options *run,
                                       sat_table *sums, sat_table *squares, sat_table *counts, size_t spec_bytes,
                                       size_t run_bytes, size_t table_bytes);

/* ---- tables of floats ------------------------------------------------------------------------------------ */

/* Sets *level to a value near the samples, which is subtracted from each before tables of the samples and their squares
 * are summed, so that little is lost in rounding (sat_plan_spec.level).  It is the median of up to 33 valid, finite
 * samples, spread evenly over the first row that has any, and does not depend on the number of threads.  For images of
 * integers it is 0.
 *
 * If the image comes in bands, call this with each band until *level is not NaN.  NaN means that the band has no valid,
 * finite sample: any level will do for it.
 *
 * All images and channels of a view share one level, from the first channel that has valid samples.  It is kept only if
 * subtracting it at least halves the size of every channel's median in that row; otherwise *level is 0, and nothing is
 * subtracted.
 *
 * image: in host memory.  spec: which samples are valid (skip_nan, has_nodata, nodata; the other members are ignored).
 * mask: of the image, or NULL.  Returns SAT_ERR_ARGUMENT, _SHAPE, _TYPE, _UNAVAILABLE. */
#define sat_image_level(...) sat_image_level_sized(__VA_ARGS__, sizeof(sat_plan_spec)) /* image, mask, level, spec */
SAT_API sat_status sat_image_level_sized(const sat_view *image, const sat_view *mask, double *level,
                                         const sat_plan_spec *spec, size_t spec_bytes);

/* How a table of f32 or f64 rounds. */
typedef struct sat_rounding {
    double largest; /* what its sums reach: its largest sum; of signed samples the sum of a channel's magnitudes, or 0
                       where nothing is known of the error */
    double exact;   /* below, all integers are held exactly: 2^24 or 2^53 */
    double error;   /* how far the sum of any rectangle may be off, at most: 0 of integers below `exact`; NaN where that
                       is not known, of float samples; INFINITY */
    int64_t lost_x; /* the image's first column in which sums are inf or NaN: rectangles that need them have no answer;
                       -1: all are finite */
    bool by_type;   /* `largest` holds for any image of that signed type, as none is given */
    bool reserved[7]; /* false */
} sat_rounding;

/* The rounding of a table of one image with `height` rows. The table's view may hold the last rows alone: only its last
 * row is read.  image: what was summed, which says more of signed samples; NULL: not at hand.  Both in host memory.
 * Returns SAT_ERR_ARGUMENT, _SHAPE, _TYPE (a table of integers or q32) or _UNAVAILABLE. */
#define sat_table_rounding(...) /* table, height, image, rounding */                                                   \
    sat_table_rounding_sized(__VA_ARGS__, sizeof(sat_table), sizeof(sat_rounding))
SAT_API sat_status sat_table_rounding_sized(const sat_table *table, int64_t height, const sat_view *image,
                                            sat_rounding *rounding, size_t table_bytes, size_t rounding_bytes);

/* ---- straight from an image ---------------------------------------------------------------------------- */

/* Answers n rectangles in each image of a view by reading their pixels: for a few rectangles, which no table would pay
 * for, and for samples whose sums no table holds exactly.  The image has samples of u8 u16 u32 i8 i16 i32 f32 f64 and
 * lies in host memory.  Arrays are as in sat_table_statistics(); sums are u of unsigned samples, i of signed ones
 * and f of floats.
 *
 * Integers: sums are exact.  Variances and the means of the squares are exact quotients, rounded once, of 32-bit
 * samples too: sums of squares have 128 bits.
 *
 * Floats: a sum is added up in f64 with what its additions lose (T. Ogita, S. M. Rump and S. Oishi, Accurate sum and
 * dot product, SIAM J. Sci. Comput. 26 (2005): Sum2): as exact as in twice the precision of f64, rounded once.  A
 * variance is that of the samples less their mean (T. F. Chan, G. H. Golub and R. J. LeVeque, Algorithms for computing
 * the sample variance, The American Statistician 37 (1983): the corrected two-pass algorithm): never negative, and
 * nothing cancels.  A NaN or an infinity reaches exactly the rectangles that hold it.
 *
 * A sample does not count where its pixel is 0 in sat_run_options.mask, where it is NaN and ask has skip_nan, and where
 * it is ask's nodata: each in its channel by itself.  Where n samples count, count is n, and sums, means, variances and
 * roots are of these n alone, as exact as above: the same bits as of an image that has no others.  Where n is 0, sum
 * and count are 0, mean, var, std and rms NaN.  areas and area are the rectangle's.
 *
 * The time follows the pixels in the rectangles.  Results are the same on every number of threads.  Where nothing is
 * asked for, the rectangles are checked, and no more.  Takes no memory.
 * Returns, before the first answer is written, SAT_ERR_ARGUMENT (also a nodata that no sample can be), _SHAPE, _TYPE
 * (of samples, of a mask), _UNAVAILABLE (an image or a mask in device memory), SAT_ERR_RECT with the first rectangle
 * that is empty or reaches outside, or SAT_ERR_RANGE with the first whose sum of integers might not fit 64 bits: one of
 * more than 2^32 pixels of 32-bit samples; and SAT_ERR_CANCELLED. */
#define sat_image_statistics(...) /* image, rects, n, ask, run */                                                      \
    sat_image_statistics_sized(__VA_ARGS__, sizeof(sat_statistics), sizeof(sat_run_options))
SAT_API sat_status sat_image_statistics_sized(const sat_view *image, const sat_rect *rects, size_t n,
                                              const sat_statistics *ask, const sat_run_options *run, size_t ask_bytes,
                                              size_t run_bytes);

/* The same for rectangles with fractions, as sat_table_statistics_f64() defines them: sums are f64 (the member f) of
 * all samples, areas is NULL.  Integers have the bits that two exact tables give; of floats, each of up to nine parts
 * with one weight is summed as above.  Where not all samples count, A, S1 and S2 are sums over the samples that do,
 * count is A, and the bounds hold with it; areas_f64 and area are the rectangle's. */
#define sat_image_statistics_f64(...) /* image, rects, n, ask, run */                                                  \
    sat_image_statistics_f64_sized(__VA_ARGS__, sizeof(sat_statistics), sizeof(sat_run_options))
SAT_API sat_status sat_image_statistics_f64_sized(const sat_view *image, const sat_rect_f64 *rects, size_t n,
                                                  const sat_statistics *ask, const sat_run_options *run,
                                                  size_t ask_bytes, size_t run_bytes);

#ifdef __cplusplus
}
#endif
#endif
