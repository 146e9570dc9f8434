/* view_copy.cuh - copies between views in any memory. */
#ifndef VIEW_COPY_CUH
#define VIEW_COPY_CUH

#include "sat.h"

/* Queues copying the pixels of `from` to `to`: views of one shape, count and type, with their defaults filled in; `to`
 * has no gaps between its pixels. */
sat_status queue_view_copy(const sat_view *from, const sat_view *to, void *stream);

#endif
