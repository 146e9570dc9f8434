/* box_float_steps.h - the means of a part of an image (cpu_box_float.c explains the sums). */
#ifndef SAT_CPU_BOX_FLOAT_STEPS_H
#define SAT_CPU_BOX_FLOAT_STEPS_H

#include "box_float_plan.h"

/* A part whose origin is set. */
void sat_float_strip(const sat_float_part *p);

#endif
