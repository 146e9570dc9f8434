/* offload.h - views that a device's code does not take as they are: those in host memory, and images that are not plain
 * (shape.h).  They go through device memory that is made once.  Tables and filters of host images take bands.h
 * instead, where their rows can come one after the other. */
#ifndef SAT_OFFLOAD_H
#define SAT_OFFLOAD_H

#include "arena.h"
#include "run.h"

/* The views of a run. */
typedef struct sat_views {
    const sat_view *src, *mask; /* mask: NULL if there is none */
    const sat_view *results;
    int n; /* results */
} sat_views;

typedef struct sat_offload sat_offload;

/* Takes device memory for sources, masks and results of up to the shapes of these views; with results, it is an offload
 * of host memory, without, of sources that are not plain.  The views' data and memory are not looked at.  On SAT_OK *o
 * lies in the arena; else the status is SAT_ERR_UNAVAILABLE, SAT_ERR_SHAPE, SAT_ERR_MEMORY or SAT_ERR_DEVICE, and *o
 * NULL. */
sat_status sat_offload_open(sat_offload **o, const sat_views *views, sat_arena *arena);

/* Work that a device's code does on its views. */
typedef sat_status sat_offload_job(void *context, const sat_views *views, const sat_run *run);

/* Brings sources and masks to the device if it has to, queues the job, and brings host results back: then all is done
 * when the call returns.  Views lie in host memory or are not plain only if the offload was made for that.  o NULL: all
 * views are taken as they are. */
sat_status sat_offload_run(const sat_offload *o, const sat_views *views, const sat_run *run, sat_offload_job *job,
                           void *context);

#endif
