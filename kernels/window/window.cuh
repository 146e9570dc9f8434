/* window.cuh - window statistics on a device: the hooks of backend.h, for any backend there. */
#ifndef WINDOW_CUH
#define WINDOW_CUH

#include "backend.h"
#include "window.h"

/* Refuses with SAT_ERR_UNAVAILABLE what has no kernel: squares of 32-bit integers, windows wider than a strip. */
sat_status window_open(const sat_window_spec *spec, sat_arena *arena, void **state, char *note, size_t note_bytes);
/* Takes views of several images, in device memory, without gaps in src and mask. */
sat_status window_run(void *state, const sat_view *src, const sat_view *mask, const sat_view *results,
                      const sat_run *run, sat_counts *counts);
/* Waits for the last run's stream; counts what is clipped. */
sat_status window_counts(void *state, sat_counts *counts);

#endif
