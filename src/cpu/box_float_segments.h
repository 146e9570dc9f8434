/* box_float_segments.h - means of windows that reach far beyond the image. */
#ifndef SAT_CPU_BOX_FLOAT_SEGMENTS_H
#define SAT_CPU_BOX_FLOAT_SEGMENTS_H

#include "box_float_plan.h"

void sat_float_row_by_segments(const sat_float_box *f, const sat_float_worker *w, const sat_view *src,
                               const sat_view *dst, int64_t y);

#endif
