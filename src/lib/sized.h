/* sized.h - structs of callers whose version of sat.h may be older or newer than the library's.
 *
 * The size of the caller's struct travels with the call, and structs grow at their end only, where zero means what the
 * version before did: the rule of Linux' openat2(2) and clone3(2). */
#ifndef SAT_SIZED_H
#define SAT_SIZED_H

#include "sat.h"

/* Fills our struct from the caller's: members that the caller does not have are zero.  SAT_ERR_ARGUMENT if theirs is
 * NULL or has members that we do not have and that are not zero; what: "spec", for the detail. */
sat_status sat_take_struct(void *ours, size_t bytes, const void *theirs, size_t their_bytes, const char *what);

/* Fills the caller's struct from ours: members that we do not have become zero, and none is written that the caller
 * does not have. */
void sat_give_struct(void *theirs, size_t their_bytes, const void *ours, size_t bytes);

/* SAT_ERR_ARGUMENT unless the reserved members of a spec, of so many bytes, are zero. */
sat_status sat_check_reserved(const void *reserved, size_t bytes);

#endif
