/* box_float_segments.h - means of windows that reach far beyond the image. */
#ifndef SAT_CPU_BOX_FLOAT_SEGMENTS_H
#define SAT_CPU_BOX_FLOAT_SEGMENTS_H

#include "box_float_plan.h"

/* The part's first row. */
void sat_float_row_by_segments(const sat_float_part *p);

#endif
