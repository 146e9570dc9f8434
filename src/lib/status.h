/* status.h - how a function of the library fails. */
#ifndef SAT_STATUS_H
#define SAT_STATUS_H

#include "sat.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { SAT_DETAIL_BYTES = 256 }; /* of sat_detail(), its end included */

/* Sets the thread's detail string and returns status: `return sat_fail(SAT_ERR_MEMORY, "...", ...)`. */
#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
sat_status
sat_fail(sat_status status, const char *format, ...);

#ifdef __cplusplus
}
#endif
#endif
