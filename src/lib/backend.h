/* backend.h - the one contract between the library and whatever builds tables.
 *
 * A backend is one file: kernels, launcher, and at the bottom `const sat_backend sat_backend_<id>`.
 * To add one, write that file and add one line to backends.def; docs/backends.md walks through it.
 *
 * The library has checked everything that sat.h promises before it calls a backend: pointers, shapes,
 * types and sizes of a job are right.  Sums modulo 2^32 and 2^64 are SAT_U32 and SAT_U64 to a backend, never SAT_I32,
 * SAT_I64 or SAT_TYPE_NONE; so i8 and i16 samples may be summed in any accumulator but q32, and i32 ones in all of
 * these but SAT_U32, where they are SAT_U32 themselves.  The defaults of views are filled in, and spec->count is 1 or
 * more.  A backend fails by `return sat_fail(SAT_ERR_..., "text", ...)`.  One that works on the CPU asks between rows
 * whether the run goes on (run.h).
 */
#ifndef SAT_BACKEND_H
#define SAT_BACKEND_H

#include "choose.h"
#include "operation.h"
#include "sat_gauss.h"
#include "sat_window.h"
#include "status.h"

#ifdef __cplusplus
extern "C" { /* also gives the descriptors in .cu files external linkage */
#endif

typedef struct sat_backend {
    const char *name, *summary, *paper; /* "cpu" | one line | citation or NULL */
    struct {
        double in_reads, out_reads, out_writes;
    } traffic;         /* modelled accesses per pixel */
    sat_kind kind;     /* only methods and the reference are ever chosen by default */
    bool device;       /* views and carry rows that reach run() lie in device memory: the library copies others there */
    bool unrepeatable; /* float sums depend on timing */
    bool batches;      /* run() takes views of several images; without it, it is called for each image */
    bool gaps;         /* run() takes images and makes tables of any strides */
    bool squares;      /* sums squares, spec->power 2, in the accumulators of sat_power_combines() (types.h) */

    /* Can it run on this machine, now?  Cheap; *why is static text: what it found, or what is missing. */
    bool (*probe)(const char **why);

    /* Makes the state of one plan, with all memory that runs will need, or refuses the spec with
     * SAT_ERR_TYPE or SAT_ERR_UNAVAILABLE, upon which the next backend is tried; SAT_ERR_MEMORY ends it.  The state and
     * all that it holds are taken from the arena: the library frees them, after a refusal too.  note: a line of
     * note_bytes for sat_plan_note(). */
    sat_status (*open)(const sat_plan_spec *spec, sat_arena *arena, void **state, char *note, size_t note_bytes);
    sat_status (*run)(void *state, const sat_view *image, const sat_view *table, const sat_run *run);

    /* Waits for the stream and returns what runs could not (optional; see sat_plan_wait). */
    sat_status (*wait)(void *state, void *stream);

    /* How it does each operation that maps images to images (operation.h); NULL = as the operation itself does it
     * anywhere, else not at all. */
#define SAT_OPERATION(id) const sat_hooks *id;
#include "operations.def"
#undef SAT_OPERATION
} sat_backend;

#define SAT_BACKEND(id) extern const sat_backend sat_backend_##id;
#include "backends.def"
#undef SAT_BACKEND

const sat_backend *sat_backend_get(size_t i);          /* NULL past the end */
const sat_backend *sat_backend_find(const char *name); /* NULL if unknown   */

/* Opens an object with the backend of that name; name NULL: with the first that may be chosen (choose.h) and can do the
 * job, passing over those that answer SAT_ERR_UNAVAILABLE or SAT_ERR_TYPE.  Probes before it opens. */
sat_status sat_backend_choose(const char *name, const sat_choice *choice,
                              sat_status (*start)(void *object, const sat_backend *backend), void *object);

/* The i-th of these n ids as a name, which has hyphens where an id has underscores; false past the last, and in builds
 * with CUDA, which have them all. */
bool sat_absent(const char *const *ids, size_t n, size_t i, char *name, size_t bytes);

/* Runs all images of the views: in one call where the backend takes batches, else one after the other. */
sat_status sat_backend_run(const sat_backend *backend, void *state, const sat_view *image, const sat_view *table,
                           const sat_run *run);

/* sat_plan_run() as a part of another run. */
sat_status sat_plan_run_within(sat_plan *plan, const sat_view *image, const sat_view *table, const sat_run *run);

/* The run of image i of several: the carry rows of images follow one another. */
sat_run sat_run_of_image(const sat_run *run, const sat_view *image, const sat_view *table, int64_t i);

#ifdef __cplusplus
}
#endif
#endif
