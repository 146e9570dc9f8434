/* bytes.c - how much memory an object will take: it is made, with an allocator that counts, and destroyed.
 *
 * So there is no second account of what backends take.  Host memory that is taken and not written costs addresses
 * alone. */
#include "arena.h"
#include "sat_bytes.h"
#include "sized.h"
#include "status.h"

enum { KINDS = SAT_MEMORY_DEVICE + 1 };

typedef struct meter {
    size_t now[KINDS], most[KINDS];
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

static sat_status take_spec(void *spec, size_t size, const void *given, size_t given_bytes, const sat_bytes *bytes)
{
    if (bytes == NULL) return sat_fail(SAT_ERR_ARGUMENT, "no place for the bytes");
    return sat_take_struct(spec, size, given, given_bytes, "spec");
}

static void tell(const meter *m, sat_status status, sat_bytes *bytes)
{
    *bytes = (sat_bytes){0};
    if (status != SAT_OK && status != SAT_ERR_MEMORY) return;
    *bytes = (sat_bytes){m->most[SAT_MEMORY_HOST], m->most[SAT_MEMORY_PINNED], m->most[SAT_MEMORY_DEVICE]};
}

#define BYTES_OF(object)                                                                                               \
    sat_status sat_##object##_bytes_sized(const sat_##object##_spec *given, sat_bytes *bytes, size_t spec_bytes)       \
    {                                                                                                                  \
        sat_##object##_spec spec;                                                                                      \
        meter m = {{0}, {0}};                                                                                          \
        const sat_allocator counts = {.allocate = take, .release = give_back, .context = &m};                          \
        sat_##object *made = NULL;                                                                                     \
        sat_status status = take_spec(&spec, sizeof spec, given, spec_bytes, bytes);                                   \
        if (status != SAT_OK) return status;                                                                           \
        spec.allocator = &counts;                                                                                      \
        status = sat_##object##_create(&made, &spec);                                                                  \
        sat_##object##_destroy(&made);                                                                                 \
        tell(&m, status, bytes);                                                                                       \
        return status;                                                                                                 \
    }

BYTES_OF(plan)
BYTES_OF(box)
BYTES_OF(gauss)
BYTES_OF(window)
BYTES_OF(light)
