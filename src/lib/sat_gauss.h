/* sat_gauss.h - Gaussian filters of libsat: blurs, unsharp masks, differences.
 *
 * What sat.h says of versions, threads, executors and allocators holds here; sat_gauss_spec travels with its size. */
#ifndef SAT_GAUSS_H
#define SAT_GAUSS_H

#include "sat.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Beyond that, what a pass takes from beyond the edge would be longer than any image. */
#define SAT_GAUSS_SIGMA_MAX 16384.0 /* px */

#define SAT_GAUSS_SIDE_MAX 32768.0 /* px, of a window in place of the Gaussian */

typedef enum sat_gauss_mode {
    SAT_GAUSS_BLUR = 0, /* G(sigma) * image                                                                */
    SAT_GAUSS_UNSHARP,  /* image + amount * (image - G(sigma) * image): an unsharp mask                    */
    SAT_GAUSS_DOG,      /* G(sigma) * image - G(sigma2) * image: the difference of Gaussians; floats alone */
} sat_gauss_mode;

/* A Gaussian blur, and what is made of one.
 *
 * Up to sigma 4 the Gaussian is sampled, from -r to r with r = floor(4 sigma + 1/2), and its weights sum to 1: the
 * weights of SciPy's gaussian_filter().  So up to sigma 1/8, not included, nothing is blurred.  Wider ones take a time
 * that hardly depends on sigma, while it is small beside the image: four equal passes, each the sum of two boxes whose
 * rims are weighted so that the variance of all is exactly sigma^2.  Against the Gaussian (docs/gauss.md), along one
 * axis, for any sigma above 4:
 *
 *     largest difference of weights   0.36 % of the largest weight        sum of all differences   0.29 % of the sum
 *     their root mean square          0.26 % of that of the weights       error of sigma           none but rounding
 *
 * so that a picture of values from 0 to 255 is wrong by at most 0.75.
 *
 * Borders.  Blurred is the image as the border mode extends it; what passes make is not extended anew.  "shrink"
 * divides by the weights, of all passes, that lie inside the image.  The last figure holds at edges and corners, too.
 *
 * Arithmetic.  Sums by additions only, in f32 for samples of u8, i8, u16, i16 and f32, or in f64: where samples or
 * results are of 32-bit integers or f64, sigma is above 64, or f32 colours are weighted.  Results of an integer type
 * are rounded once, at the end, to nearest, halves away from zero, and cut to the type's range.  A NaN or Inf reaches
 * the pixels whose passes hold it. In f32, sums of samples beyond 1e36 may overflow to Inf; results of f64 are computed
 * in f64.  Results are the same on every number of threads and every instruction set.
 *
 * Samples that count.  Without a mask, nodata value and skip_nan all do.  With one of them, the blur of a channel is
 * G(valid * x) / G(valid), valid being 1 where its sample counts and 0 elsewhere (normalised convolution, Knutsson and
 * Westin 1993); G(valid), the weight, is 1 where all samples within the passes' reach count.  What lies beyond the edge
 * counts as the sample that it repeats; a constant does, and nothing with the border mode shrink.  A blur is `empty`
 * where the weight is below min_valid; an unsharp mask or a difference also where its pixel's own sample does not
 * count.  min_valid is a share of the weight, and no number of samples: the weight is there already, and a sample far
 * away says less than one nearby.  As shares of windows do, it takes what lies beyond the edge for a part of the whole.
 *
 * With weighted_alpha, alpha is no data: its value is not compared with nodata (a NaN does not count with skip_nan),
 * and its results are 0 where others are empty.  A colour counts where its alpha does, too, with the weight
 * G(alpha * valid): its share is that of alpha's samples, times the share of the blurred alpha that belongs to colours
 * that count.
 *
 * A result that counts is never the value nodata, where the results' type holds that: it becomes the value beside it
 * (sat_type_beside()), on the side of the true one, upwards where it was not rounded.
 *
 * Rounding: with E that of a blur as a share of G(|x|), a quotient is within 2 E of G(valid * |x|) / G(valid), however
 * small the weight w = G(valid) is.
 *
 * A window in place of the Gaussian: with `side` the blur is the mean of a square window around the pixel, whose side
 * S = 2 (r + f) + 1 has a fraction, r being whole and 0 < f < 1.  Along each axis the pixels up to r away weigh 1 / S,
 * and the two next to these, the rim, f / S; at corners the weights are multiplied.  So S between 1 and 3 is a part of
 * the neighbours, and S = 2 lies around the pixel, where sat_box_spec has an anchor.  All of the above holds, with
 * these weights; sums are of f64, and a blur is within (4 S + 40) 2^-53 of the blur of |x|, before its result is
 * rounded.
 *
 * Against the Gaussian, a picture of values from 0 to 255 is wrong by at most 0.75 /
 * w. Results do not depend on the samples that do not count; holes beyond the passes' reach change no bit of a result,
 * and so a mask of ones changes none. */
typedef struct sat_gauss_spec {
    int64_t width, height;          /* px */
    int channels;                   /* 1..4; 0 = 1 */
    sat_type sample;                /* SAT_U8, _U16, _U32, _I8, _I16, _I32, _F32, _F64 */
    double sigma;                   /* px, the standard deviation: above 0, at most SAT_GAUSS_SIGMA_MAX */
    const char *border;             /* as in sat_box_spec */
    double border_value[4];         /* as in sat_box_spec */
    bool weighted_alpha;            /* of samples of any type: blurs are of colours times alpha, divided by the
                                       blur of alpha; the alpha of masks and differences is the image's own */
    bool strided;                   /* as in sat_box_spec */
    bool reserved[2];               /* false */
    sat_gauss_mode mode;            /* default SAT_GAUSS_BLUR */
    double amount;                  /* SAT_GAUSS_UNSHARP: finite */
    double sigma2;                  /* SAT_GAUSS_DOG: as sigma */
    const char *backend;            /* as in sat_box_spec; those with a device refuse */
    int threads;                    /* as in sat_plan_spec */
    sat_memory memory;              /* SAT_HOST; SAT_DEVICE is refused with SAT_ERR_UNAVAILABLE */
    int64_t count;                  /* images that a run has at most; 0 = 1 */
    const sat_executor *executor;   /* as in sat_plan_spec */
    const sat_allocator *allocator; /* as in sat_plan_spec */
    sat_type result;                /* SAT_F32, SAT_F64, or, but of differences, the sample's type; SAT_TYPE_NONE = the
                                       sample's type, of differences sat_real_type() */
    int reserved_word;              /* 0 */
    bool masked, skip_nan;          /* as in sat_window_spec; the mask is that of sat_run_options */
    bool has_nodata;                /* as in sat_window_spec */
    bool keep_holes;                /* a blur is `empty` where its pixel's own sample does not count, too */
    bool empty_set;                 /* false: empty is nodata, with keep_holes and a value that the results' type
                                       holds; else NaN of f32 and f64, 0 of others */
    bool reserved_flags[3];         /* false */
    double nodata;                  /* as in sat_window_spec */
    double min_valid;               /* the share of the Gaussian's weight that valid samples must have, 0 to 1; 0 = any
                                       weight, 1 = all of it, up to rounding */
    double empty;                   /* the result where they have less; cut to the range of its type as any other */
    int64_t band_rows;              /* as in sat_box_spec; not with border "wrap" and sigma above 4 */
    double side;                    /* 0 = the Gaussian; else px, of a window in its place: above 1, at most
                                       SAT_GAUSS_SIDE_MAX, and no odd whole number, which sat_box_spec has; sigma does
                                       not count; not with SAT_GAUSS_DOG; band_rows with border "wrap": up to 33 */
} sat_gauss_spec;

typedef struct sat_gauss sat_gauss;

/* Makes a filter, with all memory that runs need: an image of f32 or f64 reals (of differences: two; twice as many
 * where samples may not count) and, for each thread, 16 rows or columns of them, as long as the image and at most
 * eleven times the reach of a pass (1.5 sigma), for each channel.  On SAT_OK *gauss is the caller's, to be given to
 * sat_gauss_destroy(); else it is NULL, and the status is SAT_ERR_ARGUMENT, _SHAPE, _TYPE, _MEMORY or _UNAVAILABLE. */
#define sat_gauss_create(...) sat_gauss_create_sized(__VA_ARGS__, sizeof(sat_gauss_spec)) /* gauss, spec */
SAT_API sat_status sat_gauss_create_sized(sat_gauss **gauss, const sat_gauss_spec *spec, size_t spec_bytes);

/* Filters each image of src into dst: both of the spec's shape and channels and of 1 .. count images, src of the spec's
 * samples' type and dst of its results'; they share no byte.  run->counts->clipped becomes the number of results that
 * lay outside their integer type's range, as masks can, and were cut to it; where samples may not count,
 * run->counts->empty[0] that of the results that are `empty`, or alpha's 0, and run->counts->moved that of the results
 * that would have been nodata.  run->mask: of a filter that is masked. Returns SAT_ERR_ARGUMENT, _SHAPE, _TYPE or
 * _CANCELLED. */
#define sat_gauss_run(...) sat_gauss_run_sized(__VA_ARGS__, sizeof(sat_run_options)) /* gauss, src, dst, run */
SAT_API sat_status sat_gauss_run_sized(sat_gauss *gauss, const sat_view *src, const sat_view *dst,
                                       const sat_run_options *run, size_t run_bytes);

/* As sat_box_needs(). */
SAT_API sat_status sat_gauss_needs(const sat_gauss *gauss, int64_t first, int64_t end, int64_t *from, int64_t *to);

/* What creating it takes: sat_bytes.h. */
#define sat_gauss_bytes(...) sat_gauss_bytes_sized(__VA_ARGS__, sizeof(sat_gauss_spec)) /* spec, bytes */
SAT_API sat_status sat_gauss_bytes_sized(const sat_gauss_spec *spec, sat_bytes *bytes, size_t spec_bytes);

/* The backend chosen, and one line for people; valid while the filter lives. */
SAT_API const char *sat_gauss_backend(const sat_gauss *gauss);
SAT_API const char *sat_gauss_note(const sat_gauss *gauss);
/* As of sat_plan_device(). */
SAT_API int sat_gauss_device(const sat_gauss *gauss);

/* Frees the filter and sets *gauss to NULL. NULL and pointers to NULL are fine. */
SAT_API void sat_gauss_destroy(sat_gauss **gauss);

#ifdef __cplusplus
}
#endif
#endif
