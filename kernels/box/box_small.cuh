/* box_small.cuh - the box filter for windows of 3x3 (box_small.cu).
 *
 * Samples of u8, u16, f32 and f64, results of the same type, all images of the views. */
#ifndef BOX_SMALL_CUH
#define BOX_SMALL_CUH

#include "backend.h"
#include "box_window.h"

typedef struct box_small box_small;

/* Whether there is a kernel for this filter.  x, y: the window's axes after box::clip_reach(). */
bool box_small_fits(const sat_box_spec *spec, const sat_axis *x, const sat_axis *y);

/* SAT_ERR_UNAVAILABLE where images have more strips than a launch has warps. */
sat_status box_small_open(const sat_box_spec *spec, const sat_box_window *window, const sat_axis *x, const sat_axis *y,
                          sat_arena *arena, box_small **filter);

/* Whether all rows of these views begin on 16 bytes, which this filter needs. */
bool box_small_takes(const sat_view *src, const sat_view *dst);
sat_status box_small_run(const box_small *filter, const sat_view *src, const sat_view *dst, void *stream);

#endif
