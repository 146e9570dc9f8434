/* sized.c - copies structs between versions of the public headers; the last members of the structs that may grow (of an
 * operation's spec: in its file). */
#include "sat_light.h"
#include "sat_query.h"
#include "sat_window.h"
#include "status.h"
#include "sized.h"

SAT_NO_PADDING_BEHIND(sat_plan_spec, level);
SAT_NO_PADDING_BEHIND(sat_run_options, mask);
SAT_NO_PADDING_BEHIND(sat_table, level);
SAT_NO_PADDING_BEHIND(sat_statistics, imprecise);
SAT_NO_PADDING_BEHIND(sat_query_spec, squares);
SAT_NO_PADDING_BEHIND(sat_light_spec, nodata);
SAT_NO_PADDING_BEHIND(sat_rounding, reserved);
SAT_NO_PADDING_BEHIND(sat_border_info, reserved);
SAT_NO_PADDING_BEHIND(sat_backend_info, why);
SAT_NO_PADDING_BEHIND(sat_device_info, reserved_word);
SAT_NO_PADDING_BEHIND(sat_statistic_info, reserved);
SAT_NO_PADDING_BEHIND(sat_rect_statistic_info, reserved);

sat_status sat_take_struct(void *ours, size_t bytes, const void *theirs, size_t their_bytes, const char *what)
{
    if (theirs == NULL) return sat_fail(SAT_ERR_ARGUMENT, "no %s", what);
    if (!sat_copy_struct(ours, bytes, theirs, their_bytes))
        return sat_fail(SAT_ERR_ARGUMENT, "%s: sets a member that version %s of the library does not have", what,
                        sat_version());
    return SAT_OK;
}

sat_status sat_check_reserved(const void *reserved, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++)
        if (((const unsigned char *)reserved)[i] != 0)
            return sat_fail(SAT_ERR_ARGUMENT,
                            "spec: a member called reserved is not 0, which version %s of the library does not know",
                            sat_version());
    return SAT_OK;
}
