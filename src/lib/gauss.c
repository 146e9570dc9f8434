/* gauss.c - a Gaussian filter: the spec checked, a backend chosen, its state kept. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "backend.h"
#include "border.h"
#include "images.h"
#include "pool.h"
#include "sat_image.h"
#include "shape.h"
#include "sized.h"

struct sat_gauss {
    sat_arena arena; /* the filter and all that it holds */
    sat_gauss_spec spec;
    const sat_backend *backend;
    void **states;      /* one for each image that is worked on at a time */
    sat_counts *counts; /* by each of them */
    int workers;
    char note[256];
};

/* What one thread filters in a microsecond, in samples (docs/cpu.md). */
#define SAMPLES_PER_US 300.0

/* ---- the spec ---------------------------------------------------------------------------------------- */

static sat_status check_sigma(double sigma)
{
    if (sigma > 0 && sigma <= SAT_GAUSS_SIGMA_MAX) return SAT_OK;
    return sat_fail(SAT_ERR_ARGUMENT, "a sigma of %.17g; above 0 and up to %.0f px are possible", sigma,
                    SAT_GAUSS_SIGMA_MAX);
}

static sat_status check_mode(const sat_gauss_spec *s)
{
    sat_status status = check_sigma(s->sigma);
    if (status != SAT_OK) return status;
    switch (s->mode) {
    case SAT_GAUSS_BLUR: return SAT_OK;
    case SAT_GAUSS_UNSHARP:
        return isfinite(s->amount) ? SAT_OK : sat_fail(SAT_ERR_ARGUMENT, "an amount that is not finite");
    case SAT_GAUSS_DOG: return check_sigma(s->sigma2);
    }
    return sat_fail(SAT_ERR_ARGUMENT, "unknown mode of a Gaussian filter");
}

/* Fills in the result's type, too. */
static sat_status check_types(sat_gauss_spec *s)
{
    const char *name = sat_type_name(s->sample);
    const bool differs = s->mode == SAT_GAUSS_DOG;
    const sat_status status = sat_check_sample(s->sample);
    if (status != SAT_OK) return status;
    if (s->result == SAT_TYPE_NONE) s->result = differs ? sat_real_type(s->sample) : s->sample;
    if (sat_is_float(s->result) || (s->result == s->sample && !differs)) return SAT_OK;
    if (differs)
        return sat_fail(SAT_ERR_TYPE, "differences of type %s; f32 and f64 are possible", sat_type_name(s->result));
    return sat_fail(SAT_ERR_TYPE, "results of type %s from %s samples; %s%sf32 and f64 are possible",
                    sat_type_name(s->result), name, sat_is_float(s->sample) ? "" : name,
                    sat_is_float(s->sample) ? "" : ", ");
}

static sat_status check_border(const sat_gauss_spec *s)
{
    const sat_border *border = sat_border_find(s->border);
    if (border == NULL) return sat_fail(SAT_ERR_ARGUMENT, "no border mode is called '%s'", s->border);
    return sat_border_check_values(border, s->sample, s->channels, s->border_value);
}

static sat_status check_spec(sat_gauss_spec *s)
{
    if (s->channels == 0) s->channels = 1;
    if (s->count == 0) s->count = 1;
    sat_status status = sat_check_job(s->width, s->height, s->count, s->channels, s->threads);
    if (status == SAT_OK) status = check_mode(s);
    if (status == SAT_OK) status = check_types(s);
    if (status == SAT_OK) status = check_border(s);
    if (status == SAT_OK && s->weighted_alpha && s->channels % 2 != 0)
        status = sat_fail(SAT_ERR_ARGUMENT, "weights from alpha need 2 or 4 channels, not %d", s->channels);
    if (status == SAT_OK) status = sat_check_reserved(s->reserved, sizeof s->reserved);
    if (status == SAT_OK) status = sat_check_reserved(&s->reserved_word, sizeof s->reserved_word);
    if (status == SAT_OK) status = sat_check_executor(s->executor);
    if (status == SAT_OK) status = sat_check_allocator(s->allocator);
    if (status == SAT_OK && s->memory != SAT_HOST && s->memory != SAT_DEVICE)
        status = sat_fail(SAT_ERR_ARGUMENT, "unknown kind of memory");
    if (status != SAT_OK) return status;
    size_t bytes = sat_row_bytes(s->width, s->channels, SAT_F64);
    if (!sat_mul(bytes, (size_t)s->height, &bytes) || !sat_mul(bytes, (size_t)s->count, &bytes) || bytes > PTRDIFF_MAX)
        return sat_fail(SAT_ERR_SHAPE, "%lld images of shape (%lld, %lld) are larger than the address space",
                        (long long)s->count, (long long)s->height, (long long)s->width);
    return SAT_OK;
}

/* ---- the filter ---------------------------------------------------------------------------------------- */

static sat_status open_states(sat_gauss *gauss)
{
    sat_gauss_spec spec = gauss->spec;
    const double samples = (double)spec.width * (double)spec.height * spec.channels;
    const sat_image_threads threads = sat_image_threads_for(spec.count, samples / SAMPLES_PER_US, spec.threads);
    spec.threads = threads.each;
    gauss->workers = threads.workers;
    gauss->states = sat_arena_zeros(&gauss->arena, (size_t)threads.workers * sizeof *gauss->states);
    gauss->counts = sat_arena_zeros(&gauss->arena, (size_t)threads.workers * sizeof *gauss->counts);
    if (gauss->states == NULL || gauss->counts == NULL) return SAT_ERR_MEMORY;
    for (int i = 0; i < threads.workers; i++) {
        sat_status status =
            gauss->backend->gauss_open(&spec, &gauss->arena, &gauss->states[i], gauss->note, sizeof gauss->note);
        if (status != SAT_OK) return status;
    }
    const size_t used = strlen(gauss->note);
    if (threads.workers > 1)
        snprintf(gauss->note + used, sizeof gauss->note - used, "; %d images at a time", threads.workers);
    return SAT_OK;
}

static sat_status open_with(void *object, const sat_backend *b)
{
    sat_gauss *gauss = object;
    if (b->gauss_open == NULL)
        return sat_fail(SAT_ERR_UNAVAILABLE, "%s: has no Gaussian filter; there is one on the CPU", b->name);
    sat_status status = sat_check_memory(b->name, gauss->spec.memory, b->device);
    if (status != SAT_OK) return status;
    gauss->backend = b;
    gauss->spec.backend = b->name;
    status = open_states(gauss);
    if (status != SAT_OK) sat_arena_reset(&gauss->arena, gauss);
    return status;
}

sat_status sat_gauss_create_sized(sat_gauss **out, const sat_gauss_spec *given, size_t spec_bytes)
{
    sat_gauss_spec spec;
    if (out == NULL) return sat_fail(SAT_ERR_ARGUMENT, "gauss is NULL");
    *out = NULL;
    sat_status status = sat_take_struct(&spec, sizeof spec, given, spec_bytes, "spec");
    if (status == SAT_OK) status = check_spec(&spec);
    if (status != SAT_OK) return status;
    if (spec.memory == SAT_DEVICE)
        return sat_fail(SAT_ERR_UNAVAILABLE, "Gaussian filters are of arrays in host memory: no device has one");
    sat_arena arena = {.allocator = spec.allocator};
    sat_gauss *gauss = sat_arena_zeros(&arena, sizeof *gauss);
    if (gauss == NULL) return SAT_ERR_MEMORY;
    gauss->arena = arena;
    gauss->spec = spec;
    const sat_choice choice = {.memory = spec.memory, .device_pays = false};
    status = sat_backend_choose(spec.backend, &choice, open_with, gauss);
    if (status == SAT_OK)
        *out = gauss;
    else
        sat_gauss_destroy(&gauss);
    return status;
}

static sat_status fits(const sat_gauss_spec *s, const sat_view *view, sat_type type, const char *what)
{
    const sat_view made = sat_packed_view(s->width, s->height, s->count, s->channels, type, s->memory);
    return sat_check_fit(view, &made, what, "Gaussian filter");
}

typedef struct images {
    sat_gauss *gauss;
    const sat_view *src, *dst;
} images;

static sat_status filter_image(void *context, const sat_run *run, int64_t i, int worker)
{
    const images *b = context;
    sat_view src = sat_images_of(b->src, i, 1), dst = sat_images_of(b->dst, i, 1);
    sat_counts counts = {0};
    sat_status status = b->gauss->backend->gauss_run(b->gauss->states[worker], &src, &dst, run, &counts);
    b->gauss->counts[worker].clipped += counts.clipped;
    return status;
}

sat_status sat_gauss_run_sized(sat_gauss *gauss, const sat_view *given_src, const sat_view *given_dst,
                               const sat_run_options *given, size_t run_bytes)
{
    sat_run run;
    sat_control control;
    sat_view src, dst;
    if (gauss == NULL) return sat_fail(SAT_ERR_ARGUMENT, "no Gaussian filter");
    sat_status status = sat_take_run(&run, &control, given, run_bytes, false);
    if (status == SAT_OK) status = sat_take_view(&src, given_src, "source");
    if (status == SAT_OK) status = sat_take_output(&dst, given_dst, "result");
    if (status == SAT_OK) status = fits(&gauss->spec, &src, gauss->spec.sample, "source");
    if (status == SAT_OK) status = fits(&gauss->spec, &dst, gauss->spec.result, "result");
    if (status == SAT_OK && src.count != dst.count)
        status = sat_fail(SAT_ERR_SHAPE, "result: %lld images for %lld", (long long)dst.count, (long long)src.count);
    if (status == SAT_OK && sat_overlap(&src, &dst)) status = sat_fail(SAT_ERR_ARGUMENT, "source and result overlap");
    if (status == SAT_OK) status = sat_run_asked(&run);
    if (status != SAT_OK) return status;
    images b = {gauss, &src, &dst};
    memset(gauss->counts, 0, (size_t)gauss->workers * sizeof *gauss->counts);
    status = sat_each_image(&run, gauss->spec.executor, gauss->workers, src.count, filter_image, &b);
    if (status != SAT_OK || run.counts == NULL) return status;
    run.counts->clipped = 0;
    for (int i = 0; i < gauss->workers; i++) run.counts->clipped += gauss->counts[i].clipped;
    return SAT_OK;
}

const char *sat_gauss_backend(const sat_gauss *gauss)
{
    return gauss ? gauss->backend->name : "";
}

const char *sat_gauss_note(const sat_gauss *gauss)
{
    return gauss ? gauss->note : "";
}

int sat_gauss_device(const sat_gauss *gauss)
{
    (void)gauss; /* no device has a Gaussian filter */
    return -1;
}

void sat_gauss_destroy(sat_gauss **gauss)
{
    if (gauss == NULL || *gauss == NULL) return;
    sat_arena arena = (*gauss)->arena;
    sat_arena_reset(&arena, NULL);
    *gauss = NULL;
}
