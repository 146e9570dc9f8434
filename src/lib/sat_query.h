/* sat_query.h - rectangles whose sides have fractions: statistics of the area that they cover.
 *
 * What sat.h says of versions, threads and executors holds here. */
#ifndef SAT_QUERY_H
#define SAT_QUERY_H

#include "sat.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The pixels of column i cover [i, i + 1), those of row j likewise.  The edges are x, y, x + width and y + height, the
 * latter two rounded to f64. */
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
 * the mean of w * |x|.  Where both tables are of integers, a variance v is 0 for equal samples, never negative, and
 * differs by at most 64 * 2^-53 * (A / (A - ddof))^2 * (v0 + 1/3),  v0 = the variance with ddof 0.
 *
 * A table of f32, f64 or q32 among them: where it answers each rectangle of whole pixels with an error of at most e, a
 * sum with fractions is wrong by at most 9 * e and the bound above; of variances holds with these what
 * sat_table_statistics() says.
 *
 * Rectangles are refused as those of whole pixels: SAT_ERR_RECT also where a side is NaN, or edges are one number in
 * f64; SAT_ERR_RANGE where all pixels that they touch are more than the table is proven to answer.  SAT_CLIP cuts them
 * to the image.  Other statuses as of sat_table_statistics(); SAT_ERR_ARGUMENT also for areas. */
#define sat_table_statistics_f64(...) /* table, squares, rects, n, ask, run */                                         \
    sat_table_statistics_f64_sized(__VA_ARGS__, sizeof(sat_table), sizeof(sat_statistics), sizeof(sat_run_options))
SAT_API sat_status sat_table_statistics_f64_sized(const sat_table *table, const sat_table *squares,
                                                  const sat_rect_f64 *rects, size_t n, const sat_statistics *ask,
                                                  const sat_run_options *run, size_t table_bytes, size_t ask_bytes,
                                                  size_t run_bytes);

#ifdef __cplusplus
}
#endif
#endif
