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

/* What creating an object takes, at most at a time, of each kind of memory. */
typedef struct sat_bytes {
    size_t host, pinned, device;
} sat_bytes;

#define sat_plan_bytes(...)   sat_plan_bytes_sized(__VA_ARGS__, sizeof(sat_plan_spec))     /* spec, bytes */
#define sat_box_bytes(...)    sat_box_bytes_sized(__VA_ARGS__, sizeof(sat_box_spec))       /* spec, bytes */
#define sat_gauss_bytes(...)  sat_gauss_bytes_sized(__VA_ARGS__, sizeof(sat_gauss_spec))   /* spec, bytes */
#define sat_window_bytes(...) sat_window_bytes_sized(__VA_ARGS__, sizeof(sat_window_spec)) /* spec, bytes */
#define sat_light_bytes(...)  sat_light_bytes_sized(__VA_ARGS__, sizeof(sat_light_spec))   /* spec, bytes */
SAT_API sat_status sat_plan_bytes_sized(const sat_plan_spec *spec, sat_bytes *bytes, size_t spec_bytes);
SAT_API sat_status sat_box_bytes_sized(const sat_box_spec *spec, sat_bytes *bytes, size_t spec_bytes);
SAT_API sat_status sat_gauss_bytes_sized(const sat_gauss_spec *spec, sat_bytes *bytes, size_t spec_bytes);
SAT_API sat_status sat_window_bytes_sized(const sat_window_spec *spec, sat_bytes *bytes, size_t spec_bytes);
SAT_API sat_status sat_light_bytes_sized(const sat_light_spec *spec, sat_bytes *bytes, size_t spec_bytes);

#ifdef __cplusplus
}
#endif
#endif
