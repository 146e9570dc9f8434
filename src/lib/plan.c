/* plan.c - a plan: the spec checked, a backend chosen, its state kept. */
#include <stdio.h>
#include <stdlib.h>

#include "backend.h"
#include "bands.h"
#include "shape.h"
#include "sized.h"

struct sat_plan {
    sat_plan_spec spec;
    const sat_backend *backend;
    void *state;
    bool staged; /* host views, and a backend that takes a device's */
    sat_bands bands;
    sat_choice choice;
    char note[192];
};

/* Such samples are not summed in that: says in what they are. */
static sat_status refuse_accum(sat_type sample, sat_type accum)
{
    char names[64] = "";
    size_t used = 0;
    for (sat_type t = SAT_U8; t <= SAT_Q32; t++)
        if (sat_combines(sample, t) && used < sizeof names)
            used += (size_t)snprintf(names + used, sizeof names - used, "%s%s", used ? " or " : "", sat_type_name(t));
    return sat_fail(SAT_ERR_TYPE, "%s samples cannot be summed in %s, but in %s", sat_type_name(sample),
                    sat_type_name(accum), names);
}

/* Checks the spec and fills in its defaults. */
static sat_status complete(sat_plan_spec *s)
{
    if (s->channels == 0) s->channels = 1;
    sat_status status = sat_check_job(s->width, s->height, s->channels, s->threads);
    if (status != SAT_OK) return status;
    if ((unsigned)s->layout > SAT_EXCLUSIVE) return sat_fail(SAT_ERR_ARGUMENT, "unknown layout");
    if (sat_sample_max(s->sample) == 0 && !sat_is_float(s->sample))
        return sat_fail(SAT_ERR_TYPE, "samples of type %s cannot be summed", sat_type_name(s->sample));
    if (s->accum == SAT_TYPE_NONE) {
        s->accum = sat_accum_for(s->sample, sat_area(s->width, s->height));
        if (s->accum == SAT_TYPE_NONE) s->accum = SAT_U64;
    }
    if (!sat_combines(s->sample, s->accum)) return refuse_accum(s->sample, s->accum);
    if (s->accum == SAT_Q32 && !sat_quant_ok(&s->quant))
        return sat_fail(SAT_ERR_ARGUMENT, "q32 needs a step that is a power of two and a largest value; "
                                          "sat_quant_for() finds them");
    if (s->memory != SAT_HOST && s->memory != SAT_DEVICE) return sat_fail(SAT_ERR_ARGUMENT, "unknown kind of memory");
    size_t row = sat_row_bytes(s->width, s->channels, s->accum), bytes;
    if (row == 0 || !sat_mul(row + 32, (size_t)s->height + 1, &bytes) || bytes > PTRDIFF_MAX)
        return sat_fail(SAT_ERR_SHAPE, "the table of a %lldx%lld image is larger than the address space",
                        (long long)s->width, (long long)s->height);
    return SAT_OK;
}

/* Another library's code may know no carry rows, and is given the whole image: one band, for which memory of the device
 * and pinned memory of the host are taken whole. */
static int64_t band_rows(const sat_plan_spec *s, const sat_backend *backend)
{
    if (backend->kind == SAT_PEER) return s->height;
    return sat_band_rows(sat_row_bytes(s->width, s->channels, s->sample),
                         sat_row_bytes(s->width + (s->layout == SAT_PADDED), s->channels, s->accum), s->height);
}

static double all_bytes(const sat_plan_spec *s)
{
    double sample = (double)sat_type_bytes(s->sample), sum = (double)sat_type_bytes(s->accum);
    return (double)s->width * (double)s->height * s->channels * (sample + sum);
}

static sat_status open_with(void *object, const sat_backend *backend)
{
    sat_plan *plan = object;
    sat_plan_spec spec = plan->spec;
    sat_status status = sat_check_memory(backend->name, spec.memory, backend->device);
    if (status != SAT_OK) return status;
    if (spec.accum == SAT_I64) spec.accum = SAT_U64; /* the same bits */
    plan->backend = backend;
    plan->staged = backend->device && spec.memory == SAT_HOST;
    if (plan->staged) {
        spec.memory = SAT_DEVICE;
        spec.height = band_rows(&plan->spec, backend);
    }
    status = backend->open(&spec, &plan->state, plan->note, sizeof plan->note);
    if (status == SAT_OK && plan->staged) {
        const char *why;
        const sat_device *device = sat_device_get(&why);
        status = device ? sat_bands_open(&plan->bands, device, &plan->spec, spec.height)
                        : sat_fail(SAT_ERR_UNAVAILABLE, "no device: %s", why);
        if (status != SAT_OK) backend->close(plan->state);
    }
    return plan->staged && spec.backend == NULL ? sat_passed_over(status) : status;
}

sat_status sat_plan_create_sized(sat_plan **out, const sat_plan_spec *given, size_t spec_bytes)
{
    sat_plan_spec spec;
    if (out == NULL) return sat_fail(SAT_ERR_ARGUMENT, "no place for the plan");
    *out = NULL;
    sat_status status = sat_take_struct(&spec, sizeof spec, given, spec_bytes, "spec");
    if (status == SAT_OK) status = complete(&spec);
    if (status != SAT_OK) return status;
    sat_plan *plan = calloc(1, sizeof *plan);
    if (plan == NULL) return sat_fail(SAT_ERR_MEMORY, "out of memory for a plan");
    plan->spec = spec;
    plan->choice = sat_choice_for(spec.memory, all_bytes(&spec), spec.threads);
    status = sat_backend_choose(spec.backend, &plan->choice, open_with, plan);
    if (status != SAT_OK) {
        free(plan);
        return status;
    }
    sat_choice_note(&plan->choice, spec.backend != NULL, plan->backend->device, plan->note, sizeof plan->note);
    *out = plan;
    return SAT_OK;
}

sat_status sat_plan_wait(sat_plan *plan, void *stream)
{
    if (plan == NULL) return sat_fail(SAT_ERR_ARGUMENT, "no plan");
    if (plan->spec.memory == SAT_HOST) return SAT_OK;
    sat_status status = sat_device_wait(stream);
    return status == SAT_OK && plan->backend->wait ? plan->backend->wait(plan->state, stream) : status;
}

static const char *memory_name(sat_memory memory)
{
    return memory == SAT_HOST ? "host" : "device";
}

static sat_status same(const char *what, const char *field, int64_t is, int64_t should)
{
    return is == should ? SAT_OK
                        : sat_fail(SAT_ERR_SHAPE, "%s: %s is %lld where the plan has %lld", what, field, (long long)is,
                                   (long long)should);
}

sat_status sat_plan_run_sized(sat_plan *plan, const sat_view *image, const sat_view *table,
                              const sat_run_options *given, size_t run_bytes)
{
    sat_run_options run = {0};
    if (plan == NULL) return sat_fail(SAT_ERR_ARGUMENT, "no plan");
    const sat_plan_spec *s = &plan->spec;
    sat_status status = given ? sat_take_struct(&run, sizeof run, given, run_bytes, "run") : SAT_OK;
    if (status == SAT_OK) status = sat_check_view(image, "image");
    if (status == SAT_OK) status = sat_check_view(table, "table");
    if (status == SAT_OK) status = same("image", "width", image->width, s->width);
    if (status == SAT_OK) status = same("image", "channels", image->channels, s->channels);
    if (status == SAT_OK && image->height > s->height)
        status = sat_fail(SAT_ERR_SHAPE, "image: %lld rows, more than the plan's %lld", (long long)image->height,
                          (long long)s->height);
    bool padded = s->layout == SAT_PADDED;
    if (status == SAT_OK) status = same("table", "width", table->width, s->width + padded);
    if (status == SAT_OK) status = same("table", "channels", table->channels, s->channels);
    if (status == SAT_OK) status = same("table", "height", table->height, image->height + (padded && !run.continues));
    if (status == SAT_OK && (image->type != s->sample || table->type != s->accum))
        status = sat_fail(SAT_ERR_TYPE, "views of %s and %s where the plan has %s and %s", sat_type_name(image->type),
                          sat_type_name(table->type), sat_type_name(s->sample), sat_type_name(s->accum));
    if (status == SAT_OK && (image->memory != s->memory || table->memory != s->memory))
        status = sat_fail(SAT_ERR_ARGUMENT, "views in %s memory where the plan is for %s memory",
                          image->memory == s->memory ? memory_name(table->memory) : memory_name(image->memory),
                          memory_name(s->memory));
    if (status == SAT_OK && sat_overlap(image, table)) status = sat_fail(SAT_ERR_ARGUMENT, "image and table overlap");
    if (status != SAT_OK) return status;
    sat_view bits = *table;
    if (bits.type == SAT_I64) bits.type = SAT_U64;
    return plan->staged ? sat_bands_run(&plan->bands, plan->backend, plan->state, image, &bits, &run)
                        : plan->backend->run(plan->state, image, &bits, &run);
}

sat_type sat_plan_accum(const sat_plan *plan)
{
    return plan ? plan->spec.accum : SAT_TYPE_NONE;
}
const char *sat_plan_note(const sat_plan *plan)
{
    return plan ? plan->note : "";
}

void sat_plan_destroy(sat_plan **plan)
{
    if (plan == NULL || *plan == NULL) return;
    (*plan)->backend->close((*plan)->state);
    sat_bands_close(&(*plan)->bands);
    free(*plan);
    *plan = NULL;
}
