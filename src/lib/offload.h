/* offload.h - views that a device's code does not take as they are: those in host memory, and images that are not plain
 * (shape.h).  They go through device memory that is made once.  Tables of host images take bands.h instead: their
 * rows can come one after the other. */
#ifndef SAT_OFFLOAD_H
#define SAT_OFFLOAD_H

#include "arena.h"
#include "run.h"

/* Zeroed, it holds nothing, and all views are taken as they are. */
typedef struct sat_offload {
    sat_view in, out; /* device memory without gaps; data NULL: none */
} sat_offload;

/* Takes memory for inputs of up to that shape; and, unless out is NULL, for outputs, which makes it an offload of host
 * memory.  The views' data and memory are not looked at.  On SAT_OK to be given to sat_offload_close(); else it holds
 * nothing, and the status is SAT_ERR_UNAVAILABLE, SAT_ERR_SHAPE, SAT_ERR_MEMORY or SAT_ERR_DEVICE. */
sat_status sat_offload_open(sat_offload *o, const sat_view *in, const sat_view *out, sat_arena *arena);

/* Work that a device's code does on its views. */
typedef sat_status sat_offload_job(void *context, const sat_view *in, const sat_view *out, const sat_run *run);

/* Brings the input to the device if it has to, queues the job, and brings host outputs back: then all is done when the
 * call returns.  in lies in host memory or is not plain only if the offload was made for that. */
sat_status sat_offload_run(const sat_offload *o, const sat_view *in, const sat_view *out, const sat_run *run,
                           sat_offload_job *job, void *context);

#endif
