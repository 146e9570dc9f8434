/* window.cuh - window statistics on a device: the hooks of backend.h, for any backend there. */
#ifndef WINDOW_CUH
#define WINDOW_CUH

#include "backend.h"
#include "box_window.h"

/* Refuses with SAT_ERR_UNAVAILABLE what has no kernel: squares of 32-bit integers, windows wider than a strip.  Counts
 * what is clipped. */
extern const sat_hooks sat_window_on_device;

#endif
