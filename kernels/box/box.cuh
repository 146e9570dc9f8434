/* box.cuh - the box filter on a device: the hooks of backend.h, for any backend there. */
#ifndef BOX_CUH
#define BOX_CUH

#include "backend.h"
#include "window.h"

/* Refuses with SAT_ERR_UNAVAILABLE what goes through a table: weights of integers, windows that are too wide. */
sat_status box_open(const sat_box_spec *spec, sat_arena *arena, void **state, char *note, size_t note_bytes);
sat_status box_run(void *state, const sat_view *src, const sat_view *dst, void *stream);

/* The part of it for floats (box_float.cu). */
typedef struct box_float box_float;
sat_status box_float_open(const sat_box_spec *spec, sat_arena *arena, box_float **filter);
sat_status box_float_run(const box_float *filter, const sat_view *src, const sat_view *dst, void *stream);

#endif
