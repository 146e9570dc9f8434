/* filter_bands.h - filters of images in host memory on a device: bands of rows, with the rows that their windows reach,
 * or of several images (bands.h). */
#ifndef SAT_FILTER_BANDS_H
#define SAT_FILTER_BANDS_H

#include "bands.h"

/* What decides about bands. */
typedef struct sat_filter_shape {
    int64_t height, count;
    int64_t above, below; /* rows that a result's window reaches beyond its own */
    int64_t period; /* an image that begins so many rows later has the same bits; 0: no part of an image has the same */
} sat_filter_shape;

/* A band is a crop: `rows` rows of one image, which the device filters as if there were no others.  Results whose
 * windows end in the crop, or where the image does, are those of the image.  Or it is whole images.  Zeroed, it holds
 * nothing. */
typedef struct sat_filter_bands {
    sat_bands bands;
    int64_t rows, images; /* of a band; 0: the images are one band, or no part of them can be one */
    int64_t step;         /* rows from one crop of an image to the next, at most */
    sat_filter_shape shape;
} sat_filter_bands;

/* Decides about bands.  views: shapes of all images, as of sat_offload_open(). */
sat_filter_bands sat_filter_bands_of(const sat_filter_shape *shape, const sat_views *views);

/* All memory that runs will need.  On SAT_OK to be given to sat_bands_close(); else it holds nothing, and the status is
 * that of sat_bands_open(). */
sat_status sat_filter_bands_open(sat_filter_bands *b, const sat_device *device, const sat_views *views, int threads,
                                 const sat_executor *executor, sat_arena *arena);

/* Runs the job on every band: its views are crops in device memory, its run's rows [first, end) of a crop are the
 * results that are taken, and follows is false for the first band alone.  As sat_bands_run(). */
sat_status sat_filter_bands_run(sat_filter_bands *b, const sat_views *views, const sat_run *run, sat_offload_job *job,
                                void *context);

#endif
