/* plan.c - a plan: the spec checked, a backend chosen, its state kept. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "backend.h"
#include "counted.h"
#include "images.h"
#include "offload.h"
#include "pool.h"
#include "samples.h"
#include "shape.h"
#include "sized.h"
#include "table_bands.h"

struct sat_plan {
    sat_arena arena; /* the plan and all that it holds */
    sat_plan_spec spec;
    const sat_backend *backend;
    void **states; /* one for each image that is worked on at a time */
    int workers;
    bool staged; /* host views, and a backend that takes a device's */
    sat_table_bands bands;
    sat_counted *counted; /* where some samples may not count, or they are counted; else NULL */
    sat_offload *offload; /* of images in device memory that are not plain */
    sat_choice choice;
    int device; /* -1: none */
    char note[192];
};

/* Such samples are not summed in that: says in what they are. */
static sat_status refuse_accum(sat_type sample, int power, sat_type accum)
{
    static const sat_type accums[] = {SAT_U32, SAT_I32, SAT_U64, SAT_I64, SAT_F32, SAT_F64, SAT_Q32};
    char names[64] = "";
    size_t used = 0;
    for (size_t i = 0; i < sizeof accums / sizeof *accums; i++)
        if (sat_power_combines(sample, power, accums[i]) && used < sizeof names)
            used += (size_t)snprintf(names + used, sizeof names - used, "%s%s", used ? " or " : "",
                                     sat_type_name(accums[i]));
    return sat_fail(SAT_ERR_TYPE, "%s%s samples cannot be summed in %s, but in %s%s", sat_power_words(power),
                    sat_type_name(sample), sat_type_name(accum), names,
                    power == 2 && sat_type_bytes(sample) == 4 && !sat_is_float(sample)
                        ? ", which rounds: 64 bits hold the sum of three of them at most"
                        : "");
}

/* Checks the spec and fills in its defaults. */
static sat_status complete(sat_plan_spec *s)
{
    if (s->channels == 0) s->channels = 1;
    if (s->count == 0) s->count = 1;
    sat_status status = sat_check_job(s->width, s->height, s->count, s->channels, s->threads);
    if (status != SAT_OK) return status;
    status = sat_check_reserved(s->reserved, sizeof s->reserved);
    if (status == SAT_OK) status = sat_check_executor(s->executor);
    if (status == SAT_OK) status = sat_check_allocator(s->allocator);
    if (status != SAT_OK) return status;
    if ((unsigned)s->layout > SAT_EXCLUSIVE) return sat_fail(SAT_ERR_ARGUMENT, "unknown layout");
    status = sat_check_sample(s->sample);
    if (status != SAT_OK) return status;
    if (s->power == 0) s->power = 1;
    if (!sat_is_power(s->power) || s->reserved_word != 0)
        return sat_fail(SAT_ERR_ARGUMENT, "samples to the power of %d; 1 and 2 are summed, SAT_COUNTS counts them",
                        s->power);
    status = SAT_VALID_TAKE(s);
    if (status == SAT_OK && s->accum == SAT_Q32 && sat_is_counted(s))
        status = sat_fail(SAT_ERR_TYPE, "q32: sums have no place for samples that do not count; those of f64 have");
    if (status != SAT_OK) return status;
    if (s->accum == SAT_TYPE_NONE) {
        s->accum = sat_power_accum(s->sample, s->power, sat_area(s->width, s->height));
        if (s->accum == SAT_TYPE_NONE) s->accum = sat_is_signed(s->sample) && s->power == 1 ? SAT_I64 : SAT_U64;
    }
    if (!sat_power_combines(s->sample, s->power, s->accum)) return refuse_accum(s->sample, s->power, s->accum);
    if (s->power == SAT_COUNTS) s->level = 0;
    if (s->level != 0 && (!sat_is_float(s->sample) || s->accum != SAT_F64))
        return sat_fail(SAT_ERR_TYPE, "level %g: it needs samples of f32 or f64 summed in f64, not %s samples in %s",
                        s->level, sat_type_name(s->sample), sat_type_name(s->accum));
    if (!sat_is_level(s->level, s->sample, s->accum))
        return sat_fail(SAT_ERR_ARGUMENT, "level %.17g: a finite value of type %s is possible", s->level,
                        sat_type_name(s->sample));
    if (s->accum == SAT_Q32 && !sat_quant_ok(&s->quant))
        return sat_fail(SAT_ERR_ARGUMENT,
                        "q32: a step of %g and a largest value of %lu; a finite offset, a power of two "
                        "and 1 to 2^31 - 1 are possible",
                        s->quant.step, (unsigned long)s->quant.largest);
    if (s->memory != SAT_HOST && s->memory != SAT_DEVICE) return sat_fail(SAT_ERR_ARGUMENT, "unknown kind of memory");
    size_t row = sat_row_bytes(s->width, s->channels, s->accum), bytes;
    const int64_t padding = s->layout == SAT_PADDED;
    if (s->width > SAT_MAX_SIDE - padding || s->height > SAT_MAX_SIDE - padding) row = 0;
    if (row == 0 || !sat_mul(row + 32, (size_t)s->height + 1, &bytes) || !sat_mul(bytes, (size_t)s->count, &bytes) ||
        bytes > PTRDIFF_MAX)
        return sat_fail(SAT_ERR_SHAPE, "the table of an image of shape (%lld, %lld) is larger than the address space",
                        (long long)s->height, (long long)s->width);
    return SAT_OK;
}

static double image_bytes(const sat_plan_spec *s)
{
    double sample = (double)sat_type_bytes(s->sample), sum = (double)sat_type_bytes(s->accum);
    return (double)s->width * (double)s->height * s->channels * (sample + sum);
}

/* What one thread reads and writes in a microsecond. */
#define BYTES_PER_US 1e4

/* The states of a host backend: as many as images are worked on at a time. */
static sat_status open_states(sat_plan *plan, const sat_backend *backend, sat_plan_spec *spec)
{
    sat_image_threads threads = {1, spec->threads};
    if (!backend->device) threads = sat_image_threads_for(spec->count, image_bytes(spec) / BYTES_PER_US, spec->threads);
    spec->threads = threads.each;
    if (sat_is_counted(&plan->spec)) {
        const sat_status status = sat_counted_open(&plan->counted, &plan->spec, spec, threads.workers, &plan->arena);
        if (status != SAT_OK) return status;
    }
    plan->states = sat_arena_zeros(&plan->arena, (size_t)threads.workers * sizeof *plan->states);
    if (plan->states == NULL) return SAT_ERR_MEMORY;
    sat_status status = SAT_OK;
    for (; plan->workers < threads.workers && status == SAT_OK; plan->workers++) {
        status = backend->open(spec, &plan->arena, &plan->states[plan->workers], plan->note, sizeof plan->note);
        if (status != SAT_OK) break;
    }
    size_t used = strlen(plan->note);
    if (status == SAT_OK && threads.workers > 1)
        snprintf(plan->note + used, sizeof plan->note - used, " for each of %d images at a time", threads.workers);
    return status;
}

static sat_status open_with(void *object, const sat_backend *backend)
{
    sat_plan *plan = object;
    sat_plan_spec spec = plan->spec;
    sat_status status = sat_check_memory(backend->name, spec.memory, backend->device);
    if (status != SAT_OK) return status;
    if (spec.power == 2 && !backend->squares)
        return sat_fail(SAT_ERR_UNAVAILABLE, "%s: sums no squares", backend->name);
    if (spec.strided && !backend->gaps && !backend->device)
        return sat_fail(SAT_ERR_UNAVAILABLE, "%s: takes no images with gaps between their samples", backend->name);
    if (backend->device && sat_is_counted(&spec))
        return sat_fail(SAT_ERR_UNAVAILABLE,
                        "%s: builds no tables of valid samples or with a level; the cpu does, in host memory",
                        backend->name);
    spec.sample = sat_backend_sample(plan->spec.sample, plan->spec.accum);
    spec.accum = sat_backend_accum(plan->spec.accum);
    plan->backend = backend;
    plan->staged = backend->device && spec.memory == SAT_HOST;
    if (plan->staged) {
        spec.memory = SAT_DEVICE;
        sat_table_bands_shape(&spec, backend);
    }
    status = open_states(plan, backend, &spec);
    if (status == SAT_OK && plan->staged) {
        const sat_device *device;
        status = sat_device_need(&device);
        if (status == SAT_OK) status = sat_table_bands_open(&plan->bands, device, &plan->spec, &spec, &plan->arena);
    } else if (status == SAT_OK && backend->device && spec.strided) {
        sat_view images = sat_packed_view(spec.width, spec.height, spec.count, spec.channels, spec.sample, SAT_DEVICE);
        status = sat_offload_open(&plan->offload, &(sat_views){.src = &images}, &plan->arena);
    }
    if (status != SAT_OK) {
        plan->workers = 0;
        sat_arena_reset(&plan->arena, plan);
    }
    return plan->staged && plan->spec.backend == NULL ? sat_passed_over(status) : status;
}

sat_status sat_plan_create_sized(sat_plan **out, const sat_plan_spec *given, size_t spec_bytes)
{
    sat_plan_spec spec;
    if (out == NULL) return sat_fail(SAT_ERR_ARGUMENT, "plan is NULL");
    *out = NULL;
    sat_status status = sat_take_struct(&spec, sizeof spec, given, spec_bytes, "spec");
    if (status == SAT_OK) status = complete(&spec);
    if (status != SAT_OK) return status;
    sat_arena arena = {.allocator = spec.allocator};
    sat_plan *plan = sat_arena_zeros(&arena, sizeof *plan);
    if (plan == NULL) return SAT_ERR_MEMORY;
    plan->arena = arena;
    plan->spec = spec;
    plan->choice = sat_choice_for(spec.memory, image_bytes(&spec) * (double)spec.count, spec.threads);
    status = sat_backend_choose(spec.backend, &plan->choice, open_with, plan);
    if (status != SAT_OK) {
        sat_plan_destroy(&plan);
        return status;
    }
    plan->device = sat_device_ordinal(plan->backend->device);
    sat_choice_note(&plan->choice, spec.backend != NULL, plan->backend->device, plan->note, sizeof plan->note);
    *out = plan;
    return SAT_OK;
}

sat_status sat_plan_wait(sat_plan *plan, void *stream)
{
    if (plan == NULL) return sat_fail(SAT_ERR_ARGUMENT, "no plan");
    if (plan->spec.memory == SAT_HOST) return SAT_OK;
    sat_status status = sat_device_wait(stream);
    return status == SAT_OK && plan->backend->wait ? plan->backend->wait(plan->states[0], stream) : status;
}

/* Do the views fit the plan and each other? */
static sat_status check_views(const sat_plan *plan, const sat_view *image, const sat_view *table, bool continues)
{
    const sat_plan_spec *s = &plan->spec;
    const bool padded = s->layout == SAT_PADDED;
    const int64_t rows = image->height + (padded && !continues);
    const sat_view of_image = sat_packed_view(s->width, image->height, s->count, s->channels, s->sample, s->memory);
    const sat_view of_table = sat_packed_view(s->width + padded, rows, s->count, s->channels, s->accum, s->memory);
    sat_status status = sat_check_fit(image, &of_image, "image", "plan");
    if (status == SAT_OK && image->height > s->height)
        status = sat_fail(SAT_ERR_SHAPE, "image: %lld rows, more than the plan's %lld", (long long)image->height,
                          (long long)s->height);
    if (status == SAT_OK) status = sat_check_strides(image, s->strided, "image");
    if (status == SAT_OK && !plan->backend->gaps && !plan->backend->device &&
        (sat_has_gaps(image) || sat_has_gaps(table)))
        status = sat_fail(SAT_ERR_UNAVAILABLE, "%s: takes and makes rows without gaps between their samples",
                          plan->backend->name);
    if (status == SAT_OK) status = sat_check_fit(table, &of_table, "table", "plan");
    if (status == SAT_OK && table->count != image->count)
        status = sat_fail(SAT_ERR_SHAPE, "table: %lld tables for %lld images", (long long)table->count,
                          (long long)image->count);
    if (status == SAT_OK && sat_overlap(image, table)) status = sat_fail(SAT_ERR_ARGUMENT, "image and table overlap");
    return status;
}

static sat_status take_mask(const sat_plan *plan, sat_view *mask, const sat_view *given, const sat_view *image,
                            const sat_view *table)
{
    if (plan->spec.masked != (given != NULL))
        return sat_fail(SAT_ERR_ARGUMENT, given ? "run: a mask; the plan was not made for one"
                                                : "run: no mask; the plan was made for one");
    if (given == NULL) return SAT_OK;
    sat_status status = sat_take_samples(mask, given, "mask"); /* of the host */
    if (status == SAT_OK) status = sat_mask_take(mask, given, image);
    return status == SAT_OK && sat_overlap(mask, table) ? sat_fail(SAT_ERR_ARGUMENT, "mask and table overlap") : status;
}

typedef struct images {
    sat_plan *plan;
    const sat_view *image, *mask, *table;
} images;

static sat_status run_image(void *context, const sat_run *all, int64_t i, int worker)
{
    const images *b = context;
    sat_view image = sat_images_of(b->image, i, 1), table = sat_images_of(b->table, i, 1);
    sat_run run = sat_run_of_image(all, &image, &table, i);
    if (b->plan->counted) {
        sat_view mask;
        if (b->mask) mask = sat_images_of(b->mask, i, 1);
        const sat_counted_views views = {&image, b->mask ? &mask : NULL, &table};
        return sat_counted_run(b->plan->counted, b->plan->backend, b->plan->states[worker], worker, &views, &run);
    }
    return b->plan->backend->run(b->plan->states[worker], &image, &table, &run);
}

static sat_status run_on_device(void *context, const sat_views *views, const sat_run *run)
{
    sat_plan *plan = context;
    return sat_backend_run(plan->backend, plan->states[0], views->src, views->results, run);
}

/* Views in the memory where the backend works. */
static sat_status run_there(sat_plan *plan, const sat_view *image, const sat_view *mask, const sat_view *table,
                            const sat_run *run)
{
    images b = {plan, image, mask, table};
    const sat_views views = {image, NULL, table, 1};
    if (plan->backend->device) return sat_offload_run(plan->offload, &views, run, run_on_device, plan);
    return sat_each_image(run, plan->spec.executor, plan->workers, image->count, run_image, &b);
}

sat_status sat_plan_run_within(sat_plan *plan, const sat_view *given_image, const sat_view *given_table,
                               const sat_run *run)
{
    sat_view image, mask, table;
    sat_status status = sat_take_view(&image, given_image, "image");
    if (status == SAT_OK) status = sat_take_output(&table, given_table, "table");
    if (status == SAT_OK) status = check_views(plan, &image, &table, run->continues);
    if (status == SAT_OK) status = take_mask(plan, &mask, run->mask, &image, &table);
    if (status == SAT_OK) status = sat_run_asked(run);
    if (status != SAT_OK) return status;
    image.type = sat_backend_sample(image.type, table.type);
    table.type = sat_backend_accum(table.type);
    return plan->staged ? sat_table_bands_run(&plan->bands, plan->backend, plan->states[0], &image, &table, run)
                        : run_there(plan, &image, run->mask ? &mask : NULL, &table, run);
}

sat_status sat_plan_run_sized(sat_plan *plan, const sat_view *image, const sat_view *table,
                              const sat_run_options *given, size_t run_bytes)
{
    sat_run run;
    sat_control control;
    if (plan == NULL) return sat_fail(SAT_ERR_ARGUMENT, "no plan");
    sat_status status = sat_take_run(&run, &control, given, run_bytes, SAT_RUN_CARRIES | SAT_RUN_MASK);
    return status == SAT_OK ? sat_plan_run_within(plan, image, table, &run) : status;
}

sat_status sat_table_for_sized(const sat_plan_spec *given, sat_table *table, size_t spec_bytes, size_t table_bytes)
{
    sat_plan_spec s;
    if (table == NULL) return sat_fail(SAT_ERR_ARGUMENT, "table is NULL");
    sat_status status = sat_take_struct(&s, sizeof s, given, spec_bytes, "spec");
    if (status == SAT_OK) status = complete(&s);
    if (status != SAT_OK) return status;
    bool padded = s.layout == SAT_PADDED;
    sat_table t = {.layout = s.layout, .sample = s.sample, .quant = s.quant, .power = s.power, .level = s.level};
    t.has_invalid = s.masked || s.skip_nan || s.has_nodata;
    t.view = sat_packed_view(s.width + padded, s.height + padded, s.count, s.channels, s.accum, s.memory);
    sat_give_struct(table, table_bytes, &t, sizeof t);
    return SAT_OK;
}

sat_type sat_plan_accum(const sat_plan *plan)
{
    return plan ? plan->spec.accum : SAT_TYPE_NONE;
}
const char *sat_plan_backend(const sat_plan *plan)
{
    return plan ? plan->backend->name : "";
}
const char *sat_plan_note(const sat_plan *plan)
{
    return plan ? plan->note : "";
}

int sat_plan_device(const sat_plan *plan)
{
    return plan ? plan->device : -1;
}

void sat_plan_destroy(sat_plan **plan)
{
    if (plan == NULL || *plan == NULL) return;
    sat_table_bands_close(&(*plan)->bands);
    sat_arena arena = (*plan)->arena;
    sat_arena_reset(&arena, NULL);
    *plan = NULL;
}
