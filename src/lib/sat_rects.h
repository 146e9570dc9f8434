/* sat_rects.h - statistics of rectangles of an image whose rows come a few at a time: of images larger than memory.
 *
 *     sat_rects_create(&r, &(sat_rects_spec){.width = w, .height = h, .sample = SAT_U8}, rects, NULL, n, &ask);
 *     while (sat_rects_needs(r, &from, &to) == SAT_OK && from < to) {
 *         rows.height = to - from < 64 ? to - from : 64;
 *         rows.data = rows_of_the_file(from, rows.height);
 *         sat_rects_run(r, &rows, &(sat_run_options){.first_row = from});
 *     }                                                                    the answers are in the arrays of `ask`
 *     sat_rects_destroy(&r);
 *
 * What sat.h says of versions, threads, executors and memory holds here; sat_rects_spec travels with its size. */
#ifndef SAT_RECTS_H
#define SAT_RECTS_H

#include "sat_query.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The image.  Zero means the default where one is named. */
typedef struct sat_rects_spec {
    int64_t width, height;          /* px, of the whole image: 1 .. 2^40, and together less than 2^63 */
    int64_t count;                  /* images; the rectangles are asked of each; 0 = 1 */
    int channels;                   /* 1..4; 0 = 1 */
    sat_type sample;                /* u8 u16 u32, i8 i16 i32, f32, f64 */
    bool masked;                    /* a mask says which pixels count: sat_run_options.mask, of each run */
    bool reserved[7];               /* false */
    const sat_allocator *allocator; /* as in sat_plan_spec */
} sat_rects_spec;

/* n rectangles of that image, and what is asked of them. */
typedef struct sat_rects sat_rects;

/* Takes the question of sat_image_statistics(), or with `reals` in place of `rects` that of
 * sat_image_statistics_f64(); the other pointer is NULL.  Rectangles are copied.  The arrays of *ask stay the
 * caller's, and are written when no more rows are needed, or before.  Memory: some 100 bytes for each rectangle; in
 * each image and channel 80 more, 720 where sides have fractions; and of several rectangles of integers some 4 MiB, or
 * none where that is refused.  On SAT_OK *r is the caller's, to be given to sat_rects_destroy(); else it is NULL, and
 * the status SAT_ERR_ARGUMENT, _SHAPE, _TYPE, _MEMORY, or _RECT and _RANGE as of sat_image_statistics(). */
#define sat_rects_create(...) /* r, spec, rects, reals, n, ask */                                                      \
    sat_rects_create_sized(__VA_ARGS__, sizeof(sat_rects_spec), sizeof(sat_statistics))
SAT_API sat_status sat_rects_create_sized(sat_rects **r, const sat_rects_spec *spec, const sat_rect *rects,
                                          const sat_rect_f64 *reals, size_t n, const sat_statistics *ask,
                                          size_t spec_bytes, size_t ask_bytes);

/* The rows that are needed next: [*from, *to), from the top on; some between may be left out.  Variances and deviations
 * of floats take two passes: once the last row was given, the first is needed again.  *from == *to: none are, and all
 * answers are there.  Returns SAT_ERR_ARGUMENT. */
SAT_API sat_status sat_rects_needs(const sat_rects *r, int64_t *from, int64_t *to);

/* How often the first row is needed, in all: 1 or 2; 0 where no rectangle needs any. */
SAT_API int sat_rects_passes(const sat_rects *r);

/* Gives the next rows, in host memory, with any strides.  They begin with *from of sat_rects_needs(), which is
 * run->first_row, and end at *to or before; a mask has the same rows.  Answers have the bits
 * of sat_image_statistics()'s, for any number of rows at a time and any number of threads.  Returns
 * SAT_ERR_ARGUMENT, _SHAPE (also of rows that are not needed next), _TYPE, _UNAVAILABLE (device memory); and
 * SAT_ERR_CANCELLED, after which the object begins anew: the first rows are needed next.  After another error it is as
 * before. */
#define sat_rects_run(...) /* r, rows, run */ sat_rects_run_sized(__VA_ARGS__, sizeof(sat_run_options))
SAT_API sat_status sat_rects_run_sized(sat_rects *r, const sat_view *rows, const sat_run_options *run,
                                       size_t run_bytes);

SAT_API void sat_rects_destroy(sat_rects **r); /* sets *r to NULL; NULL and pointers to NULL are fine */

#ifdef __cplusplus
}
#endif
#endif
