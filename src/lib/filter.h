/* filter.h - objects that map images to images: the one life cycle of all operations (operation.h).
 *
 * An operation's object begins with a sat_filter, and its public functions call those below. */
#ifndef SAT_FILTER_H
#define SAT_FILTER_H

#include "backend.h"
#include "filter_bands.h"
#include "sized.h"

/* What works on one image at a time. */
typedef struct sat_worker {
    void *state;
    sat_counts counts; /* of its images, in a run */
} sat_worker;

typedef struct sat_filter {
    sat_arena arena; /* the object and all that it holds */
    const sat_operation *operation;
    sat_job job; /* in the object's spec */
    int threads; /* the caller's; in the spec they become the threads of one image */
    int results;
    bool turned;                /* the hooks see the transpose of images, masks, results and windows */
    sat_type type[SAT_OUTPUTS]; /* of results */
    const sat_backend *backend;
    const sat_hooks *hooks;
    sat_worker *worker;
    int workers, device;    /* device: -1: none */
    sat_counts *waited_for; /* the caller's, of the last run on device memory; or NULL */
    sat_offload *offload;   /* to a backend on a device, whole; or NULL */
    sat_filter_bands bands; /* or by bands, if they have rows */
    char note[256];
} sat_filter;

/* Makes an object of the operation; made NULL: the caller gave no place.  On SAT_OK *made is to be given to
 * sat_filter_destroy(), which takes NULL too; else it is NULL. */
sat_status sat_filter_create(sat_filter **made, const sat_operation *operation, const void *spec, size_t spec_bytes);
void sat_filter_destroy(sat_filter *filter);

/* filter NULL: SAT_ERR_ARGUMENT.  results: a view for each result of the spec. */
sat_status sat_filter_run(sat_filter *filter, const sat_operation *operation, const sat_view *src, const sat_view *mask,
                          const sat_view *results, const sat_run_options *run, size_t run_bytes);

/* Waits for what is queued on the stream, and fetches the last run's counts. */
sat_status sat_filter_wait(sat_filter *filter, const sat_operation *operation, void *stream);

/* Rows of the source that rows [first, end) of the results are made of: sat_box_needs(). */
sat_status sat_filter_needs(const sat_filter *filter, const sat_operation *operation, int64_t first, int64_t end,
                            int64_t *from, int64_t *to);

/* What an object of the spec will take (bytes.c). */
sat_status sat_filter_bytes(const sat_operation *operation, const void *spec, sat_bytes *bytes, size_t spec_bytes);

/* An operation's sat_<id>_create_sized() and sat_<id>_destroy(); last: the last member of its spec. */
#define SAT_FILTER_LIFE(id, last)                                                                                      \
    SAT_NO_PADDING_BEHIND(sat_##id##_spec, last);                                                                      \
    _Static_assert(sizeof(sat_##id##_spec) <= SAT_SPEC_BYTES, "sat_filter_create() has room for a spec");              \
    sat_status sat_##id##_create_sized(sat_##id **out, const sat_##id##_spec *spec, size_t spec_bytes)                 \
    {                                                                                                                  \
        sat_filter *made;                                                                                              \
        const sat_status status = sat_filter_create(out ? &made : NULL, &sat_operation_##id, spec, spec_bytes);        \
        if (out) *out = (sat_##id *)made;                                                                              \
        return status;                                                                                                 \
    }                                                                                                                  \
    void sat_##id##_destroy(sat_##id **o)                                                                              \
    {                                                                                                                  \
        sat_filter_destroy(o ? (sat_filter *)*o : NULL);                                                               \
        if (o) *o = NULL;                                                                                              \
    }

/* Its sat_<id>_needs() and sat_<id>_bytes_sized(). */
#define SAT_FILTER_ROWS(id)                                                                                            \
    sat_status sat_##id##_needs(const sat_##id *o, int64_t first, int64_t end, int64_t *from, int64_t *to)             \
    {                                                                                                                  \
        return sat_filter_needs((const sat_filter *)o, &sat_operation_##id, first, end, from, to);                     \
    }                                                                                                                  \
    sat_status sat_##id##_bytes_sized(const sat_##id##_spec *spec, sat_bytes *bytes, size_t spec_bytes)                \
    {                                                                                                                  \
        return sat_filter_bytes(&sat_operation_##id, spec, bytes, spec_bytes);                                         \
    }

/* Its sat_<id>_backend(), _note() and _device(). */
#define SAT_FILTER_WORDS(id)                                                                                           \
    const char *sat_##id##_backend(const sat_##id *o)                                                                  \
    {                                                                                                                  \
        return o ? o->filter.backend->name : "";                                                                       \
    }                                                                                                                  \
    const char *sat_##id##_note(const sat_##id *o)                                                                     \
    {                                                                                                                  \
        return o ? o->filter.note : "";                                                                                \
    }                                                                                                                  \
    int sat_##id##_device(const sat_##id *o)                                                                           \
    {                                                                                                                  \
        return o ? o->filter.device : -1;                                                                              \
    }

/* All of these. */
#define SAT_FILTER(id, last) SAT_FILTER_LIFE(id, last) SAT_FILTER_WORDS(id) SAT_FILTER_ROWS(id)

#endif
