/* sat_window.h - statistics of the window around each pixel: mean, variance, local thresholds; with masks.
 *
 * A window statistic is a formula over a few sums of what the window holds, and over the pixel itself:
 *
 *     n     how many samples count           mean = S1 / n
 *     S1    the sum of these samples         var  = (n * S2 - S1 * S1) / (n * (n - ddof))
 *     S2    the sum of their squares         std, rms, thresholds ... follow from these
 *
 * The cost does not depend on the window's size, and the sums are taken once for all results of a run.
 *
 * Integer samples.  n, S1, S2 and n * S2 - S1 * S1 are exact.  The f64 of mean and variance are the quotients rounded
 * to nearest, where n < 2^24; else they are wrong by less than 2^-51 of themselves.  So a variance is never negative,
 * and 0 for a constant.  Results are the same on every thread count and instruction set.
 *
 * Float samples.  Sums, means and squared deviations of parts of a window are joined, never taken away (Chan, Golub and
 * LeVeque 1979; van Herk 1992).  No sample outside a window influences it: a NaN or an infinity spoils exactly the
 * windows that hold it, whose variance is NaN.  The rms of a window with an infinity is infinite; it is NaN if the
 * window holds a NaN, or infinities of both signs.  A variance is never negative, and 0 for a constant.  With e =
 * 2^-53, n samples, their exact mean m, mean of absolute values a and variance v: the f64 mean is wrong by less than
 * (n + 1) * e * a, and the f64 variance by less than (6 * n + 40) * e * (v + a * sqrt(v)), as far as that is small
 * beside v; where it is not, by less than (6 * n + 40)^2 * e^2 * a^2 in addition; with a ddof, all of it times
 * n / (n - ddof).  Results are the same on every thread count.  On a device they lie within the same bounds, and may
 * have other bits than on the host; they are the same for any number of images and multiprocessors.  A pixel compared
 * with a threshold may differ where it is no further from the threshold than these errors move it, and a variance
 * beyond f64, infinite on the host, may be NaN.
 *
 * Samples that count.  Without a mask, nodata value and skip_nan all do.  With one of them, samples that do not count
 * take no part in any sum, and n is the number of samples that count.  Where fewer than min_valid count, the result is
 * `empty`.
 */
#ifndef SAT_WINDOW_H
#define SAT_WINDOW_H

#include "sat.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- statistics --------------------------------------------------------------------------------------- */

/* The statistics, with their parameters in order and what these are where they are not set; an asterisk marks local
 * thresholds.  "of the range": times the range of the samples (sat_window_spec); "share": of that range, also where it
 * is set.
 *
 *     mean *        mean - offset                                     offset 0
 *     sum           n * mean
 *     var           (n * S2 - S1 * S1) / (n * (n - ddof))
 *     std           sqrt(var)
 *     rms           sqrt(S2 / n)
 *     count         n
 *     norm          (x - mean) / std
 *     bradley *     mean * (1 - t)                                    t 0.15
 *     niblack *     mean + k * std                                    k -0.2
 *     sauvola *     mean * (1 + k * (std / r - 1))                    k 0.2, r 0.5 of the range
 *     wolf *        mean + k * (std / r - 1) * (mean - min(image))    k 0.5, r 0
 *     nick *        mean + k * sqrt((S2 - mean * mean) / n)           k -0.1
 *     phansalkar *  mean * (1 + p * exp(-q * m) + k * (s / r - 1))    k 0.25, r 0.5 share, p 2, q 10
 *
 * x is the pixel, n the samples of its window that count, S1 and S2 the sums of them and of their squares; m and s are
 * mean and std as shares of the range.  wolf's r of 0 is the largest std of those windows of the image in which
 * min_valid samples count, and more than ddof; where that is 0 too, std / r is 0.
 */

enum { SAT_PARAMETERS = 4 };

typedef struct sat_parameter_info {
    const char *name; /* "k"; NULL past the last */
    double value;     /* what it is where it is not set: */
    bool in_range;    /* times the range of the samples (sat_window_spec) */
    bool positive;    /* must be above 0 where it is set */
    bool of_range;    /* is a share of that range, also where it is set */
    bool reserved[5]; /* false */
} sat_parameter_info;

typedef struct sat_statistic_info {
    const char *name, *summary;
    const char *equation; /* over n, S1, S2, mean, var, std, x (the pixel), min(image) and the parameters; for
                           * people */
    const char *source;   /* citation, or NULL */
    sat_parameter_info parameter[SAT_PARAMETERS];
    bool threshold;   /* a local threshold: meant to be compared with the pixel */
    bool whole_image; /* depends on extremes of the whole image, of all its channels together, for which a run reads it
                       * twice */
    bool variance;    /* depends on a variance, and so on ddof */
    bool count;       /* how many samples count: never empty */
    bool reserved[4]; /* false */
} sat_statistic_info;

/* The i-th statistic; false past the last. */
#define sat_statistic_at(...) sat_statistic_at_sized(__VA_ARGS__, sizeof(sat_statistic_info)) /* i, info */
SAT_API bool sat_statistic_at_sized(size_t i, sat_statistic_info *info, size_t info_bytes);

/* The type of results for which no other is asked: sat_real_type() of the samples, but f64 for sums of integers, and
 * for counts of windows of more than 2^24 pixels, so that none is rounded.  SAT_TYPE_NONE: no such statistic or
 * samples. */
SAT_API sat_type sat_statistic_result(const char *statistic, sat_type sample, int64_t window_px);

/* ---- windows ------------------------------------------------------------------------------------------ */

/* One result of a run. */
typedef struct sat_window_output {
    const char *statistic;            /* a name of sat_statistic_at() */
    sat_type result;                  /* u8 u16 u32 i8 i16 i32, rounded to nearest, halves away from zero, and clipped
                                         to the type's range, NaN to 0; f32; f64.  SAT_TYPE_NONE =
                                         sat_statistic_result(), of a comparison u8 */
    bool compare;                     /* 255 where the pixel is above the statistic, else 0; of u8 */
    bool reserved[3];                 /* false */
    double parameter[SAT_PARAMETERS]; /* in the order of sat_statistic_info */
    unsigned set;                     /* bit i: parameter[i] counts; else it has its default */
    int reserved_word;                /* 0 */
} sat_window_output;

/* What windows are made for.  Zero means the default where one is named. */
typedef struct sat_window_spec {
    int64_t width, height;               /* px */
    int channels;                        /* 1..4, each on its own, but for the extremes of the image; 0 = 1 */
    sat_type sample;                     /* u8 u16 u32 i8 i16 i32 f32 f64 */
    int64_t window_width, window_height; /* px, as in sat_box_spec */
    const char *border;                  /* as in sat_box_spec */
    double border_value[4];
    sat_anchor anchor;
    int outputs;                     /* 1..SAT_OUTPUTS */
    const sat_window_output *output; /* that many; read by sat_window_create() alone */
    bool masked;                     /* runs have a mask */
    bool skip_nan;                   /* NaN samples do not count */
    bool has_nodata;                 /* samples equal to nodata do not count */
    bool strided;                    /* as in sat_box_spec */
    bool empty_set;                  /* false: empty is NaN for f32 and f64, 0 for others */
    bool avoid_empty;             /* results that are not empty, but equal `empty` in their type, become the larger one
                                     beside it, or, of the largest, the smaller one (sat_type_beside()); not of
                                     comparisons.  A device refuses */
    bool keep_holes;              /* the results of pixels that do not count are `empty`, but for the statistic count,
                                     whatever else their windows hold.  A device refuses */
    bool reserved[1];             /* false */
    int64_t ddof;                 /* 0 or more: variances are divided by n - ddof */
    double nodata;                /* a value that samples can have (sat_type_holds()), of f32 rounded to it; NaN
                                     means skip_nan */
    double min_valid;             /* samples that must count: 1 or more, a whole number; below 1: a share of
                                     window_width * window_height. What lies beyond the image never counts
                                     with the border mode shrink, and counts as the pixel that it
                                     repeats in modes that repeat; 0 = one sample */
    double empty;                 /* the result where fewer count, or n <= ddof for a variance; of a statistic with
                                     extremes of the image also where none of its samples counts; clipped as any
                                     other */
    int threads;                  /* as in sat_plan_spec */
    sat_memory memory;            /* where views lie */
    const char *backend;          /* NULL = the first that can do the job */
    int64_t count;                /* images that a run has at most; 0 = 1 */
    const sat_executor *executor; /* as in sat_plan_spec */
    const sat_allocator *allocator; /* as in sat_plan_spec */
    double range;                   /* the largest value that samples are to have, for statistics with a parameter
                                       in_range or of_range: 4095 for 12 bits in u16.  Of integers 1 to the largest
                                       of the type, of floats finite and above 0.  0 = sat_type_largest() */
    int64_t band_rows;              /* as in sat_box_spec; of statistics with extremes of the image with has_extremes */
    bool has_extremes;              /* the extremes of every image are the two members below: no run reads the image to
                                       find them.  A device refuses */
    bool reserved_extremes[7];      /* false */
    double lowest;                  /* the smallest sample that counts, of all channels; infinity: none counts */
    double largest_var;             /* the largest variance of a window where min_valid samples count, and more than
                                       ddof: the largest result of the statistic var in f64; 0 or more */
} sat_window_spec;

typedef struct sat_window sat_window;

/* Checks the spec, picks the backend, allocates all that runs need.  On SAT_OK *window is the caller's, to be given to
 * sat_window_destroy(); else it is NULL, and the status is SAT_ERR_ARGUMENT, _SHAPE, _TYPE, _RANGE, _MEMORY, _DEVICE or
 * _UNAVAILABLE.
 *
 * _RANGE: sums that 64 bits cannot be proven to hold.  With area the pixels of the fullest window, which are at most
 * the image's where the border mode is shrink, and m the largest magnitude of a sample's type: area * m is not below
 * 2^64, or of signed samples 2^63, with half of the area added for rounding; or, where a statistic needs squares,
 * area * m^2 is not below 2^63, of 32-bit samples area * (2^32 - 1) below 2^64; and sums of
 * integers, or counts, that a result of f32 or f64 would round (above 2^24 or 2^53).  Floats: windows of more than 2^28
 * samples that reach beyond the image by more than its size, where the border mode repeats samples; with
 * fewer samples they are slow, and run on the host alone.
 *
 * Memory, for each thread.  Integers: some rows of sums.  Floats: means alone as sat_box_create(); else sums in strips
 * of at least twice the window's width, as far as the image is as wide; a row of them for every eight rows of the
 * window.  On a device, for floats: 4 to 10 KiB for every eight rows of the window in each block of a run, which has
 * blocks for the strips and segments of all images.  For windows too wide for strips (of floats some 400 columns with a
 * variance, of integers some 4000), and for 32-bit integers where a statistic needs squares: 2 GiB, or of small images
 * 64 bytes a sample.
 */
#define sat_window_create(...) sat_window_create_sized(__VA_ARGS__, sizeof(sat_window_spec)) /* window, spec */
SAT_API sat_status sat_window_create_sized(sat_window **window, const sat_window_spec *spec, size_t spec_bytes);

/* src: 1 .. count images of the spec's shape and sample type.  mask: the same number of images of u8 with one channel,
 * of the same width and height and with any strides, where samples of pixels that are not 0 count; NULL unless the spec
 * is masked.  results: one view for each output, in their order, of src's shape and the output's type.  No result
 * shares a byte with another view.
 *
 * run->counts: clipped counts the results of all outputs that lay beyond their integer type's range, or were NaN there,
 * which gives 0; empty ones like any other.  empty[i] counts the results of output i that are `empty`, as too few
 * samples of their windows count; of thresholds, the pixels that had none to be compared with, and so are 0.  A device
 * does not count these.
 *
 * Views in device memory: the work is queued on run->stream, as for sat_plan_run(); runs of one window go to one
 * stream, or each waits for the one before.  Returns SAT_ERR_ARGUMENT, _SHAPE, _TYPE, _DEVICE, _CANCELLED. */
#define sat_window_run(...) /* window, src, mask, results, run */                                                      \
    sat_window_run_sized(__VA_ARGS__, sizeof(sat_run_options))
SAT_API sat_status sat_window_run_sized(sat_window *window, const sat_view *src, const sat_view *mask,
                                        const sat_view *results, const sat_run_options *run, size_t run_bytes);

/* Waits for the work queued on that stream, fills the counts of the last run on device memory, and returns
 * SAT_ERR_DEVICE if it failed.  Elsewhere it returns SAT_OK at once. */
SAT_API sat_status sat_window_wait(sat_window *window, void *stream);

/* As sat_box_needs(). */
SAT_API sat_status sat_window_needs(const sat_window *window, int64_t first, int64_t end, int64_t *from, int64_t *to);

/* What creating it takes: sat_bytes.h. */
#define sat_window_bytes(...) sat_window_bytes_sized(__VA_ARGS__, sizeof(sat_window_spec)) /* spec, bytes */
SAT_API sat_status sat_window_bytes_sized(const sat_window_spec *spec, sat_bytes *bytes, size_t spec_bytes);

/* The result type of output i; SAT_TYPE_NONE if there is none. */
SAT_API sat_type sat_window_result(const sat_window *window, int i);

/* The backend chosen, and one line for people: backend, instruction set, threads, and the accumulators; valid while the
 * window lives. */
SAT_API const char *sat_window_backend(const sat_window *window);
SAT_API const char *sat_window_note(const sat_window *window);
/* As of sat_plan_device(). */
SAT_API int sat_window_device(const sat_window *window);

/* Frees the window and sets *window to NULL. NULL and pointers to NULL are fine. */
SAT_API void sat_window_destroy(sat_window **window);

#ifdef __cplusplus
}
#endif
#endif
