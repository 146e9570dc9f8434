/* window_offload.h - window statistics of views that a device's code does not take as they are (offload.h). */
#ifndef SAT_WINDOW_OFFLOAD_H
#define SAT_WINDOW_OFFLOAD_H

#include "arena.h"
#include "sat_window.h"

/* Device memory without gaps; data NULL: views are taken as they are. */
typedef struct sat_window_offload {
    sat_view src, mask, results[SAT_OUTPUTS];
    int outputs;
} sat_window_offload;

/* Takes memory for all views of a spec of host memory, for the sources of one with `strided`, else none.
 * Fails as sat_arena_view() does. */
sat_status sat_window_offload_open(sat_window_offload *o, const sat_window_spec *spec, sat_arena *arena);

/* What a device's code is given instead of these views; inputs are copied there.  mask may be NULL. */
sat_status sat_window_offload_in(const sat_window_offload *o, sat_view *src, sat_view *mask, sat_view *results,
                                 void *stream);
/* Copies results back into the caller's views. */
sat_status sat_window_offload_out(const sat_window_offload *o, const sat_view *results, void *stream);

#endif
