/* window.cuh - window statistics on a device: the hooks of backend.h, for any backend there. */
#ifndef WINDOW_CUH
#define WINDOW_CUH

#include "backend.h"
#include "box_window.h"

/* Refuses with SAT_ERR_UNAVAILABLE images and windows whose positions 32 bits do not hold, and crops of floats in
 * windows too wide for a strip.  Counts what is clipped. */
extern const sat_hooks sat_window_on_device;

#endif
