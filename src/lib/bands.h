/* bands.h - images and tables in host memory for a backend that works on a device: band by band, so that the bus is
 * busy in both directions while the device computes, and of device memory a few bands are enough, however tall the
 * image. */
#ifndef SAT_BANDS_H
#define SAT_BANDS_H

#include "backend.h"
#include "device.h"

/* The rows of a band for `height` rows in all, 1 .. height: the derivation is in bands.c. */
int64_t sat_band_rows(size_t image_row_bytes, size_t table_row_bytes, int64_t height);

/* Makes the spec of a plan, its defaults filled in, that of its backend's state: the height and the count of the images
 * that it is given at a time.  A band holds rows of one image, or several whole images. */
void sat_bands_shape(sat_plan_spec *spec, const sat_backend *backend);

/* One band on its way: the host's side of it and the device's. */
typedef struct sat_band {
    void *pinned_image, *image;             /* host, device; rows without gaps, which is how copies are fastest */
    void *table, *pinned_table;             /* device, host                                                     */
    void *uploaded, *computed, *downloaded; /* events */
} sat_band;

enum { SAT_BANDS = 3 }; /* under way at a time; bands.c says why */

/* Zeroed, it holds nothing. */
typedef struct sat_bands {
    const sat_device *device;
    int64_t rows, images; /* of a band: rows of each of so many images; one image if it has more rows */
    int slots, threads;
    const sat_executor *executor;
    void *up, *work, *down; /* streams */
    char *carry;            /* device: a row for each image of the plan */
    sat_band slot[SAT_BANDS];
} sat_bands;

/* All memory that runs of a plan of that spec, its defaults filled in, will need for bands of the shape above.  On
 * SAT_OK to be given to sat_bands_close(); else it holds nothing, and the status is SAT_ERR_SHAPE, SAT_ERR_MEMORY or
 * SAT_ERR_DEVICE. */
sat_status sat_bands_open(sat_bands *b, const sat_device *device, const sat_plan_spec *spec, const sat_plan_spec *band,
                          sat_arena *arena);
void sat_bands_close(sat_bands *b);

/* sat_plan_run() on host views and host carry rows, for a state that the backend opened for bands of b->rows rows.
 * Begins when the caller's stream is empty, and refuses one that is being captured; whatever it returns, nothing is
 * under way any more. */
sat_status sat_bands_run(sat_bands *b, const sat_backend *backend, void *state, const sat_view *image,
                         const sat_view *table, const sat_run *run);

#endif
