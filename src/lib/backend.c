/* backend.c - the table of backends, and the names of what builds with CUDA have. */
#include <stdio.h>
#include <string.h>

#include "backend.h"
#include "device.h"
#include "shape.h"
#include "sized.h"

static const sat_backend *const table[] = {
#define SAT_BACKEND(id) &sat_backend_##id,
#include "backends.def"
#undef SAT_BACKEND
};

static const char *const of_cuda[] = {
#define SAT_BACKEND(id)
#define SAT_CUDA_BACKEND(id) #id,
#define SAT_CUDA_COMPARED(id)
#include "backends.def"
#undef SAT_BACKEND
};

bool sat_absent(const char *const *ids, size_t n, size_t i, char *name, size_t bytes)
{
    if (SAT_WITH_CUDA || i >= n) return false;
    snprintf(name, bytes, "%s", ids[i]);
    for (char *c = name; *c; c++)
        if (*c == '_') *c = '-';
    return true;
}

bool sat_backend_absent(size_t i, char *name, size_t bytes)
{
    return sat_absent(of_cuda, sizeof of_cuda / sizeof *of_cuda, i, name, bytes);
}

const sat_backend *sat_backend_get(size_t i)
{
    return i < sizeof table / sizeof *table ? table[i] : NULL;
}

const sat_backend *sat_backend_find(const char *name)
{
    for (size_t i = 0; name && i < sizeof table / sizeof *table; i++)
        if (strcmp(table[i]->name, name) == 0) return table[i];
    return NULL;
}

/* The i-th of those that are chosen: methods, and the reference. */
static const sat_backend *chosen(size_t i)
{
    const sat_backend *b;
    for (size_t k = 0; (b = sat_backend_get(k)); k++)
        if (b->kind < SAT_CEILING && i-- == 0) return b;
    return NULL;
}

static bool give(const sat_backend *b, bool probes, sat_backend_info *info, size_t info_bytes)
{
    if (b == NULL || info == NULL) return false;
    sat_backend_info ours = {
        .name = b->name,
        .summary = b->summary,
        .paper = b->paper,
        .device = b->device,
        .repeatable = !b->unrepeatable,
        .filters = b->box != NULL,
        .why = "not probed",
    };
    if (probes) ours.available = b->probe(&ours.why);
    sat_give_struct(info, info_bytes, &ours, sizeof ours);
    return true;
}

bool sat_backend_entry_sized(size_t i, sat_backend_info *info, size_t info_bytes)
{
    return give(chosen(i), false, info, info_bytes);
}

bool sat_backend_at_sized(size_t i, sat_backend_info *info, size_t info_bytes)
{
    return give(chosen(i), true, info, info_bytes);
}

static sat_status start_if_usable(const sat_backend *b, sat_status (*start)(void *object, const sat_backend *backend),
                                  void *object)
{
    const char *why;
    return b->probe(&why) ? start(object, b) : sat_fail(SAT_ERR_UNAVAILABLE, "%s: %s", b->name, why);
}

static sat_status choose(const sat_choice *choice, sat_status (*start)(void *object, const sat_backend *backend),
                         void *object)
{
    const sat_backend *b;
    sat_status status = sat_choice_none(choice);
    if (sat_choice_hopeless(choice)) return status;
    for (size_t i = 0; (status == SAT_ERR_UNAVAILABLE || status == SAT_ERR_TYPE) && (b = sat_backend_get(i)); i++)
        if (sat_may_choose(choice, b->kind, b->device)) status = start_if_usable(b, start, object);
    return status;
}

sat_status sat_backend_choose(const char *name, const sat_choice *choice,
                              sat_status (*start)(void *object, const sat_backend *backend), void *object)
{
    const sat_kept_detail before = sat_keep_detail();
    const sat_backend *b = sat_backend_find(name);
    sat_status status = name == NULL ? choose(choice, start, object)
                        : b          ? start_if_usable(b, start, object)
                                     : sat_choice_unknown("backend", name);
    if (status == SAT_OK) sat_put_back_detail(&before);
    return status;
}

sat_run sat_run_of_image(const sat_run *run, const sat_view *image, const sat_view *sums, int64_t i)
{
    sat_run one = *run;
    size_t row = (size_t)i * sat_row_bytes(image->width, image->channels, sums->type);
    if (run->carry_in) one.carry_in = (const char *)run->carry_in + row;
    if (run->carry_out) one.carry_out = (char *)run->carry_out + row;
    return one;
}

sat_status sat_backend_run(const sat_backend *backend, void *state, const sat_view *image, const sat_view *sums,
                           const sat_run *run)
{
    if (image->count == 1 || backend->batches) return backend->run(state, image, sums, run);
    sat_status status = SAT_OK;
    for (int64_t i = 0; i < image->count && status == SAT_OK; i++) {
        sat_view from = sat_images_of(image, i, 1), to = sat_images_of(sums, i, 1);
        sat_run one = sat_run_of_image(run, image, sums, i);
        status = backend->run(state, &from, &to, &one);
    }
    return status;
}
