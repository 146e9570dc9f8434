/* sized.h - structs of callers whose version of sat.h may be older or newer than the library's.
 *
 * The size of the caller's struct travels with the call, and structs grow at their end only, where zero means what the
 * version before did: the rule of Linux' openat2(2) and clone3(2). */
#ifndef SAT_SIZED_H
#define SAT_SIZED_H

#include <string.h>

#include "sat.h"

/* Padding at the end of a struct is undefined in callers, and a later member would lie there. */
#define SAT_NO_PADDING_BEHIND(type, last)                                                                              \
    _Static_assert(offsetof(type, last) + sizeof(((type *)0)->last) == sizeof(type), #type " ends in padding")

/* Fills our struct from the caller's: members that the caller does not have are zero.  False if theirs has members that
 * we do not have and that are not zero. */
static inline bool sat_copy_struct(void *ours, size_t bytes, const void *theirs, size_t their_bytes)
{
    size_t common = their_bytes < bytes ? their_bytes : bytes;
    memset(ours, 0, bytes);
    memcpy(ours, theirs, common);
    for (size_t i = common; i < their_bytes; i++)
        if (((const unsigned char *)theirs)[i] != 0) return false;
    return true;
}

/* sat_copy_struct(), with SAT_ERR_ARGUMENT where that is false or theirs is NULL; what: "spec", for the detail. */
sat_status sat_take_struct(void *ours, size_t bytes, const void *theirs, size_t their_bytes, const char *what);

/* Fills the caller's struct from ours: members that we do not have become zero, and none is written that the caller
 * does not have. */
static inline void sat_give_struct(void *theirs, size_t their_bytes, const void *ours, size_t bytes)
{
    size_t common = their_bytes < bytes ? their_bytes : bytes;
    memset(theirs, 0, their_bytes);
    memcpy(theirs, ours, common);
}

/* SAT_ERR_ARGUMENT unless the reserved members of a spec, of so many bytes, are zero. */
sat_status sat_check_reserved(const void *reserved, size_t bytes);

#endif
