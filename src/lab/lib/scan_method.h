/* scan_method.h - the contract between the library and whatever scans one array: backend.h for one row.
 *
 * A method stands in the file of the backend that is built on it, or has a file of its own, and one line in
 * scans.def.  The library has checked the spec: types, length, and that arrays lie where `device` wants them. */
#ifndef SAT_SCAN_METHOD_H
#define SAT_SCAN_METHOD_H

#include "arena.h"
#include "sat_lab.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct sat_scan_method {
    const char *name, *summary, *paper;
    struct {
        double in_reads, out_reads, out_writes;
    } traffic; /* modelled accesses per element */
    sat_kind kind;
    int64_t segment;   /* see sat_scan_info */
    bool device;       /* arrays that reach run() lie in device memory */
    bool unrepeatable; /* float sums depend on timing */

    bool (*probe)(const char **why); /* as in backend.h */
    /* Types as in backend.h.  Refuses with SAT_ERR_TYPE or SAT_ERR_UNAVAILABLE.  Memory as in
     * backend.h. */
    sat_status (*open)(const sat_scan_spec *spec, sat_arena *arena, void **state, char *note, size_t note_bytes);
    sat_status (*run)(void *state, const void *in, void *out, void *stream);
} sat_scan_method;

#define SAT_SCAN(id) extern const sat_scan_method sat_scan_##id;
#include "scans.def"
#undef SAT_SCAN

#ifdef __cplusplus
}
#endif
#endif
