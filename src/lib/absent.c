/* absent.c - the names of what a build with CUDA has and this one lacks: from the tables, read as such a build reads
 * them.  A name in them has underscores where that of the command has hyphens. */
#include <stdio.h>
#include <string.h>

#include "backend.h"
#include "sat_lab.h"

#if SAT_WITH_CUDA
static const char *const backends[] = {NULL};
#ifndef SAT_NO_LAB
static const char *const scans[] = {NULL}, *const warp_scans[] = {NULL};
#endif
#else
#undef SAT_WITH_CUDA
#define SAT_WITH_CUDA     1
#define SAT_METHODS_ALONE 1
static const char *const backends[] = {
#define SAT_BACKEND(id)   #id,
#include "backends.def"
#undef SAT_BACKEND
    NULL};
#ifndef SAT_NO_LAB
#define SAT_SCAN(id) #id,
static const char *const scans[] = {
#define SAT_WARP_SCAN(id)
#include "scans.def"
    NULL};
#undef SAT_SCAN
#define SAT_SCAN(id)
static const char *const warp_scans[] = {
#define SAT_WARP_SCAN(id) #id,
#include "scans.def"
    NULL};
#undef SAT_SCAN
#endif
#endif

/* The i-th of those names that is_here() does not know. */
static bool absent(const char *const *ids, size_t i, bool (*is_here)(const char *name), char *name, size_t bytes)
{
    for (; *ids; ids++) {
        snprintf(name, bytes, "%s", *ids);
        for (char *c = name; *c; c++)
            if (*c == '_') *c = '-';
        if (!is_here(name) && i-- == 0) return true;
    }
    return false;
}

static bool has_backend(const char *name)
{
    return sat_backend_find(name) != NULL;
}

bool sat_backend_absent(size_t i, char *name, size_t bytes)
{
    return absent(backends, i, has_backend, name, bytes);
}

#ifndef SAT_NO_LAB
static bool has_scan(const char *name)
{
    sat_scan_info info;
    for (size_t i = 0; sat_scan_at(i, &info); i++)
        if (strcmp(info.name, name) == 0) return true;
    return false;
}

bool sat_scan_absent(size_t i, bool of_warps, char *name, size_t bytes)
{
    return absent(of_warps ? warp_scans : scans, i, has_scan, name, bytes);
}
#endif
