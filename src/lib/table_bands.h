/* table_bands.h - tables of images in host memory on a device: bands of rows, which a carry row joins, or of several
 * images (bands.h). */
#ifndef SAT_TABLE_BANDS_H
#define SAT_TABLE_BANDS_H

#include "backend.h"
#include "bands.h"

/* Zeroed, it holds nothing. */
typedef struct sat_table_bands {
    sat_bands bands;
    int64_t rows, images; /* of a band: rows of each of so many images; one image if it has more rows */
    char *carry;          /* device: a row for each image of the plan */
} sat_table_bands;

/* Makes the spec of a plan, its defaults filled in, that of its backend's state: the height and the count of the images
 * that it is given at a time. */
void sat_table_bands_shape(sat_plan_spec *spec, const sat_backend *backend);

/* All memory that runs of a plan of that spec, its defaults filled in, will need for bands of the shape above.  On
 * SAT_OK to be given to sat_table_bands_close(); else it holds nothing, and the status is that of sat_bands_open(). */
sat_status sat_table_bands_open(sat_table_bands *b, const sat_device *device, const sat_plan_spec *spec,
                                const sat_plan_spec *band, sat_arena *arena);
void sat_table_bands_close(sat_table_bands *b);

/* sat_plan_run() on host views and host carry rows, for a state that the backend opened for bands of b->rows rows: as
 * sat_bands_run(). */
sat_status sat_table_bands_run(sat_table_bands *b, const sat_backend *backend, void *state, const sat_view *image,
                               const sat_view *table, const sat_run *run);

#endif
