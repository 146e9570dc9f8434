/* box.cuh - the box filter on a device: the hooks of backend.h, for any backend there. */
#ifndef BOX_CUH
#define BOX_CUH

#include "backend.h"
#include "box_window.h"

/* Refuses with SAT_ERR_UNAVAILABLE what goes through a table: weights of integers, windows that are too wide, types of
 * samples and results that have no kernel. */
extern const sat_hooks sat_box_on_device;

#endif
