/* sized.c - copies structs between versions of sat.h and sat_lab.h. */
#include <string.h>

#include "sat_lab.h"
#include "status.h"
#include "sized.h"

/* Padding at the end of a struct is undefined in callers, and a later member would lie there. */
#define NO_PADDING_BEHIND(type, last)                                                                                  \
    _Static_assert(offsetof(type, last) + sizeof(((type *)0)->last) == sizeof(type), #type " ends in padding")
NO_PADDING_BEHIND(sat_plan_spec, executor);
NO_PADDING_BEHIND(sat_run_options, stream);
NO_PADDING_BEHIND(sat_table, quant);
NO_PADDING_BEHIND(sat_query_spec, executor);
NO_PADDING_BEHIND(sat_box_spec, executor);
NO_PADDING_BEHIND(sat_scan_spec, thread_items);
NO_PADDING_BEHIND(sat_border_info, reserved);
NO_PADDING_BEHIND(sat_backend_info, why);
NO_PADDING_BEHIND(sat_scan_info, why);
NO_PADDING_BEHIND(sat_lab_backend_info, why);
NO_PADDING_BEHIND(sat_device_info, runtime);

sat_status sat_take_struct(void *ours, size_t bytes, const void *theirs, size_t their_bytes, const char *what)
{
    if (theirs == NULL) return sat_fail(SAT_ERR_ARGUMENT, "no %s", what);
    size_t common = their_bytes < bytes ? their_bytes : bytes;
    memset(ours, 0, bytes);
    memcpy(ours, theirs, common);
    for (size_t i = common; i < their_bytes; i++)
        if (((const unsigned char *)theirs)[i] != 0)
            return sat_fail(SAT_ERR_ARGUMENT, "%s: sets a member that version %s of the library does not have", what,
                            sat_version());
    return SAT_OK;
}

void sat_give_struct(void *theirs, size_t their_bytes, const void *ours, size_t bytes)
{
    size_t common = their_bytes < bytes ? their_bytes : bytes;
    memset(theirs, 0, their_bytes);
    memcpy(theirs, ours, common);
}

sat_status sat_check_reserved(const void *reserved, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++)
        if (((const unsigned char *)reserved)[i] != 0)
            return sat_fail(SAT_ERR_ARGUMENT, "a reserved member of the spec is not 0");
    return SAT_OK;
}
