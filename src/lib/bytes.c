/* bytes.c - how much memory an object will take: it is made, with an allocator that counts, and destroyed.
 *
 * So there is no second account of what backends take.  Host memory that is taken and not written costs addresses
 * alone. */
#include "filter.h"
#include "sat_bytes.h"

enum { KINDS = SAT_MEMORY_DEVICE + 1 };

typedef struct meter {
    size_t now[KINDS], most[KINDS];
    sat_allocator counts;
} meter;

/* What cannot be had counts as well. */
static void *take(void *context, size_t bytes, sat_memory_kind kind)
{
    meter *m = context;
    void *data;
    if (__builtin_add_overflow(m->now[kind], bytes, &m->now[kind])) m->now[kind] = SIZE_MAX;
    if (m->most[kind] < m->now[kind]) m->most[kind] = m->now[kind];
    if (sat_take_own(kind, bytes, &data) == SAT_OK) return data;
    m->now[kind] -= bytes;
    return NULL;
}

static void give_back(void *context, void *data, size_t bytes, sat_memory_kind kind)
{
    meter *m = context;
    m->now[kind] -= bytes;
    sat_free_own(kind, data);
}

/* The spec is the caller's, with an allocator that counts. */
static sat_status begin(meter *m, void *spec, size_t size, const sat_allocator **allocator, const void *given,
                        size_t given_bytes, const sat_bytes *bytes)
{
    *m = (meter){.counts = {.allocate = take, .release = give_back, .context = m}};
    if (bytes == NULL) return sat_fail(SAT_ERR_ARGUMENT, "no place for the bytes");
    const sat_status status = sat_take_struct(spec, size, given, given_bytes, "spec");
    *allocator = &m->counts;
    return status;
}

static sat_status tell(const meter *m, sat_status status, sat_bytes *bytes)
{
    *bytes = (sat_bytes){0};
    if (status == SAT_OK || status == SAT_ERR_MEMORY)
        *bytes = (sat_bytes){m->most[SAT_MEMORY_HOST], m->most[SAT_MEMORY_PINNED], m->most[SAT_MEMORY_DEVICE]};
    return status;
}

#define BYTES_OF(object)                                                                                               \
    sat_status sat_##object##_bytes_sized(const sat_##object##_spec *given, sat_bytes *bytes, size_t spec_bytes)       \
    {                                                                                                                  \
        sat_##object##_spec spec;                                                                                      \
        sat_##object *made = NULL;                                                                                     \
        meter m;                                                                                                       \
        sat_status status = begin(&m, &spec, sizeof spec, &spec.allocator, given, spec_bytes, bytes);                  \
        if (status != SAT_OK) return status;                                                                           \
        status = sat_##object##_create(&made, &spec);                                                                  \
        sat_##object##_destroy(&made);                                                                                 \
        return tell(&m, status, bytes);                                                                                \
    }

BYTES_OF(plan)
BYTES_OF(light)

sat_status sat_filter_bytes(const sat_operation *o, const void *given, sat_bytes *bytes, size_t spec_bytes)
{
    _Alignas(max_align_t) char spec[SAT_SPEC_BYTES];
    sat_filter *made;
    meter m;
    sat_status status = begin(&m, spec, o->spec_bytes, o->job(spec).allocator, given, spec_bytes, bytes);
    if (status != SAT_OK) return status;
    status = sat_filter_create(&made, o, spec, o->spec_bytes);
    sat_filter_destroy(made);
    return tell(&m, status, bytes);
}
