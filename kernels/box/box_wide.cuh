/* box_wide.cuh - the box filter of integers for windows that leave strips little room (box_wide.cu).
 *
 * u8 and u16, results of the same type or of f32, all images of the views.  x, y: the window's axes after
 * box::clip_reach(). */
#ifndef BOX_WIDE_CUH
#define BOX_WIDE_CUH

#include "backend.h"
#include "box_window.h"

typedef struct box_wide box_wide;

/* Whether windows are so large that this filter is faster than strips. */
bool box_wide_pays(const sat_box_spec *spec, const sat_box_window *window, const sat_axis *x, const sat_axis *y);

/* Refuses with SAT_ERR_UNAVAILABLE windows that are too large, or need columns that a block does not have. */
sat_status box_wide_open(const sat_box_spec *spec, const sat_box_window *window, const sat_axis *x, const sat_axis *y,
                         sat_arena *arena, box_wide **filter);
sat_status box_wide_run(const box_wide *filter, const sat_view *src, const sat_view *dst, void *stream);

#endif
