/* box.cuh - the box filter on a device: the hooks of backend.h, for any backend there. */
#ifndef BOX_CUH
#define BOX_CUH

#include "backend.h"
#include "window.h"

/* Refuses with SAT_ERR_UNAVAILABLE what goes through a table: weights of integers, windows that are too wide, types of
 * samples and results that have no kernel. */
sat_status box_open(const sat_box_spec *spec, sat_arena *arena, void **state, char *note, size_t note_bytes);
sat_status box_run(void *state, const sat_view *src, const sat_view *dst, const sat_run *run);

#endif
