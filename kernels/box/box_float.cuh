/* box_float.cuh - the box filter of float samples on a device, in one pass or in several. */
#ifndef BOX_FLOAT_CUH
#define BOX_FLOAT_CUH

#include "backend.h"
#include "box_window.h"

/* f32 and f64 samples and results, all images of the views.  x, y: the window's axes after box::clip_reach(). */
typedef struct box_float box_float;
sat_status box_float_open(const sat_box_spec *spec, const sat_box_window *window, const sat_axis *x, const sat_axis *y,
                          sat_arena *arena, box_float **filter);
sat_status box_float_run(const box_float *filter, const sat_view *src, const sat_view *dst, void *stream);

/* Rows of a step: fewer where a block of the device has no room for strips of more. */
int64_t box_float_step(sat_type sample, int64_t window_height);
/* The rows by which an image may begin later and have the same sums (operation.h). */
int64_t box_float_period(sat_type sample, int64_t window_height);
int64_t box_float_period_of(int64_t step, int64_t window_height); /* of steps of so many rows */

/* In passes over the whole image (box_float_passes.cu). */
typedef struct box_float_passes box_float_passes;
sat_status box_float_passes_open(const sat_box_spec *spec, const sat_box_window *window, const sat_axis *x,
                                 const sat_axis *y, sat_arena *arena, box_float_passes **filter);
sat_status box_float_passes_run(const box_float_passes *filter, const sat_view *src, const sat_view *dst, void *stream);

#endif
