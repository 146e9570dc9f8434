/* sat_bytes.h - the memory that objects will take, known before they are made.
 *
 * An object of the spec is made and destroyed to see that. Most of its memory is not written, and the spec's allocator
 * is not called.  The views of runs do not count.  Returns as creating the object does.  With SAT_ERR_MEMORY *bytes is
 * what had been asked for until then: it takes more than there is. */
#ifndef SAT_BYTES_H
#define SAT_BYTES_H

#include "sat_gauss.h"
#include "sat_light.h"
#include "sat_window.h"

#ifdef __cplusplus
extern "C" {
#endif

/* sat_window.h, sat_gauss.h and sat_light.h have the functions of their objects. */
#define sat_plan_bytes(...) sat_plan_bytes_sized(__VA_ARGS__, sizeof(sat_plan_spec)) /* spec, bytes */
#define sat_box_bytes(...)  sat_box_bytes_sized(__VA_ARGS__, sizeof(sat_box_spec))   /* spec, bytes */
SAT_API sat_status sat_plan_bytes_sized(const sat_plan_spec *spec, sat_bytes *bytes, size_t spec_bytes);
SAT_API sat_status sat_box_bytes_sized(const sat_box_spec *spec, sat_bytes *bytes, size_t spec_bytes);

#ifdef __cplusplus
}
#endif
#endif
