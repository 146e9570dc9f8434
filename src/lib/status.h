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

/* A copy of the thread's detail string, and that string put back: a call that succeeds in the end leaves it as it was,
 * although a way that was tried has failed. */
typedef struct sat_kept_detail {
    char text[SAT_DETAIL_BYTES];
} sat_kept_detail;

sat_kept_detail sat_keep_detail(void);
void sat_put_back_detail(const sat_kept_detail *kept);

#ifdef __cplusplus
}
#endif
#endif
