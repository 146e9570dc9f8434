/* operation.h - the one contract between the library and an operation that maps images to images.
 *
 * An operation is a public header with a typed spec, one file with `const sat_operation sat_operation_<id>` at the
 * bottom, and one line of operations.def; docs/backends.md walks through it.  The life cycle of its objects is that of
 * all (filter.h): the spec checked, a backend chosen, memory taken, views checked and brought to a device, images
 * spread over threads, results counted.
 *
 * What computes is a backend's `sat_hooks` for the operation.  A spec that reaches hooks has been checked and
 * completed; its backend is the backend's name, and its threads work on one image. */
#ifndef SAT_OPERATION_H
#define SAT_OPERATION_H

#include "arena.h"
#include "border.h"
#include "run.h"

#ifdef __cplusplus
extern "C" {
#endif

/* How a backend does an operation. */
typedef struct sat_hooks {
    /* Makes the state of one object, with all memory that runs will need, or refuses the spec: as open() of a backend
     * (backend.h).  spec: the operation's. */
    sat_status (*open)(const void *spec, sat_arena *arena, void **state, char *note, size_t note_bytes);
    /* Makes all results of the image src, whose mask may be NULL.  On the CPU: one image in host
     * memory, all views with any strides.  On a device: views in its memory, src and mask without gaps.  counts are -1:
     * sets what it counts. */
    sat_status (*run)(void *state, const sat_view *src, const sat_view *mask, const sat_view *results,
                      const sat_run *run, sat_counts *counts);
    bool batches;    /* run takes views of several images; without it, it is called for each image */
    bool any_device; /* of sat_operation.any: may serve a backend on a device, too */

    /* The rest is optional. */
    bool turns; /* on the CPU: narrow images may come as their transpose, rows of floats as its columns (run.h) */
    bool rows;  /* on the CPU: makes some rows of an image (run.h); else specs have no band_rows */
    /* On a device: the rows by which a crop of an image may begin later, so that its results have the image's bits; 0:
     * they never have.  open() is given the height of crops, and band_rows; runs count in rows [first, end) alone, and
     * counts those of the run that they follow, too.  NULL: no crops. */
    int64_t (*period)(const void *spec);
    sat_status (*counts)(void *state, sat_counts *counts);        /* a device's: waits for the last run */
    sat_status (*check)(const sat_view *src, const sat_run *run); /* refuses samples in host memory */
    /* Frees what is not in the arena; not called where open() failed. */
    void (*close)(void *state);
} sat_hooks;

/* What every spec has; where in it. */
typedef struct sat_job {
    int64_t *width, *height, *count, *band_rows;
    int *channels, *threads;
    sat_type *sample;
    sat_memory *memory;
    bool *strided;
    const char **backend;
    const sat_executor **executor;
    const sat_allocator **allocator;
    sat_type *result;                      /* NULL: keep() says what results a run has */
    bool *masked;                          /* NULL: runs have no mask */
    int64_t *window_width, *window_height; /* NULL: images have no transpose, for the operation */
} sat_job;

#define SAT_JOB_OF(spec)                                                                                               \
    .width = &(spec)->width, .height = &(spec)->height, .count = &(spec)->count, .band_rows = &(spec)->band_rows,      \
    .channels = &(spec)->channels, .threads = &(spec)->threads, .sample = &(spec)->sample, .memory = &(spec)->memory,  \
    .strided = &(spec)->strided, .backend = &(spec)->backend, .executor = &(spec)->executor,                           \
    .allocator = &(spec)->allocator

#define SAT_JOB_WINDOW(spec) .window_width = &(spec)->window_width, .window_height = &(spec)->window_height

/* A member of a spec that is the operation's own; its kind is that of its C type: */
typedef enum sat_member_kind {
    SAT_NO_MEMBER,    /* behind the last one */
    SAT_MEMBER_COUNT, /* int */
    SAT_MEMBER_ENUM,
    SAT_MEMBER_INT64,
    SAT_MEMBER_BOOL,
    SAT_MEMBER_REAL,
    SAT_MEMBER_VALUES,  /* double[4], one for each channel */
    SAT_MEMBER_BORDER,  /* const char *, the name of a border mode */
    SAT_MEMBER_OUTPUTS, /* const sat_window_output * */
} sat_member_kind;

typedef struct sat_member {
    size_t at;
    sat_member_kind kind;
} sat_member;

#define SAT_MEMBER_KIND(m)                                                                                             \
    _Generic((m), int: SAT_MEMBER_COUNT, unsigned: SAT_MEMBER_ENUM, int64_t: SAT_MEMBER_INT64, bool: SAT_MEMBER_BOOL,  \
        double: SAT_MEMBER_REAL, double *: SAT_MEMBER_VALUES, const char *: SAT_MEMBER_BORDER,                         \
        const sat_window_output *: SAT_MEMBER_OUTPUTS)
#define SAT_MEMBER(spec, m)                                                                                            \
    {                                                                                                                  \
        offsetof(spec, m), SAT_MEMBER_KIND(((spec *)0)->m)                                                             \
    }

enum { SAT_MEMBERS = 24 };     /* one more than a spec has at most */
enum { SAT_SPEC_BYTES = 512 }; /* of the largest spec, at most */

typedef struct sat_operation {
    const char *name;                      /* "box" */
    size_t object_bytes, spec_at;          /* of the object, a struct that begins with sat_filter; its spec */
    size_t spec_bytes, hooks_at;           /* hooks_at: in sat_backend */
    const char *noun;                      /* of messages: "box filter" */
    const char *missing;                   /* what a backend without hooks lacks: "window statistics"; NULL: as noun */
    double integers_per_us, floats_per_us; /* samples that one thread does in a microsecond (docs/cpu.md) */
    bool on_host;                          /* device memory is refused, whatever the backend */
    const sat_hooks *any;            /* for backends that have no hooks, or on a device none for the spec; or NULL */
    sat_member members[SAT_MEMBERS]; /* beside the job's: what tests draw (tests/fuzz/fuzz_operation.c) */

    sat_job (*job)(void *spec);
    /* Checks what is the operation's own, and completes it.  Channels and count have their defaults; memory, executor
     * and allocator are checked elsewhere. */
    sat_status (*check)(void *spec);
    /* What of the spec no device does, in words; or NULL.  NULL: devices take all. */
    const char *(*host_only)(const void *spec);
    /* How far beyond a result's row lie the rows that it is made of, above and below; the border mode beyond the image.
     * NULL: it makes whole images only. */
    const sat_border *(*reach)(const void *spec, int64_t *above, int64_t *below);
    /* Copies what the spec points to into the object, in which it lies now, and gives the types of the results, at most
     * SAT_OUTPUTS; NULL: there is nothing, and one result. */
    sat_status (*keep)(void *object, sat_type *types, int *results);
} sat_operation;

/* Its first five members. */
#define SAT_OPERATION_OF(id)                                                                                           \
    .name = #id, .object_bytes = sizeof(sat_##id), .spec_at = offsetof(sat_##id, spec),                                \
    .spec_bytes = sizeof(sat_##id##_spec), .hooks_at = offsetof(sat_backend, id)

#define SAT_OPERATION(id) extern const sat_operation sat_operation_##id;
#include "operations.def"
#undef SAT_OPERATION

#ifdef __cplusplus
}
#endif
#endif
