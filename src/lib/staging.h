/* staging.h - host arrays for what runs on a device: its memory is made once, each run copies there and back.  Tables
 * have a faster way (bands.h), as their rows can come one after the other. */
#ifndef SAT_STAGING_H
#define SAT_STAGING_H

#include "sat.h"

/* Zeroed, it holds nothing. */
typedef struct sat_staging {
    void *in, *out; /* device memory; rows without gaps, which is how copies are fastest */
} sat_staging;

/* Device memory for arrays of up to these sides.  The views' data is not looked at.  On SAT_OK to be given to
 * sat_staging_close(); else it holds nothing, and the status is SAT_ERR_UNAVAILABLE, SAT_ERR_SHAPE, SAT_ERR_MEMORY or
 * SAT_ERR_DEVICE. */
sat_status sat_staging_open(sat_staging *s, const sat_view *in, const sat_view *out);
void sat_staging_close(sat_staging *s);

/* The view of the host view's shape in that device memory. */
sat_view sat_staged(const sat_view *host, void *memory);

#endif
