/* plan.c - a plan: the spec checked, a backend chosen, its state kept. */
#include <stdlib.h>
#include <string.h>

#include "backend.h"
#include "shape.h"

struct sat_plan {
    sat_spec spec;
    const sat_backend *backend;
    void *state;
    char note[128];
};

/* Checks the spec and fills in its defaults. */
static sat_status complete(sat_spec *s)
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
    if (!sat_combines(s->sample, s->accum))
        return sat_fail(SAT_ERR_TYPE, "%s samples cannot be summed in %s", sat_type_name(s->sample),
                        sat_type_name(s->accum));
    if (s->accum == SAT_Q32 && !sat_quant_ok(&s->quant))
        return sat_fail(SAT_ERR_ARGUMENT, "q32 needs a step that is a power of two and a largest value; "
                                          "sat_quant_for() finds them");
    size_t row = sat_row_bytes(s->width, s->channels, s->accum), bytes;
    if (row == 0 || !sat_mul(row + 32, (size_t)s->height + 1, &bytes) || bytes > PTRDIFF_MAX)
        return sat_fail(SAT_ERR_SHAPE, "the table of a %lldx%lld image is larger than the address space",
                        (long long)s->width, (long long)s->height);
    return SAT_OK;
}

static sat_status open_with(void *object, const sat_backend *backend)
{
    sat_plan *plan = object;
    sat_spec spec = plan->spec;
    if (spec.accum == SAT_I64) spec.accum = SAT_U64; /* the same bits */
    plan->backend = backend;
    return backend->open(&spec, &plan->state, plan->note, sizeof plan->note);
}

sat_status sat_plan_create(sat_plan **out, const sat_spec *spec)
{
    if (out == NULL) return sat_fail(SAT_ERR_ARGUMENT, "no place for the plan");
    *out = NULL;
    if (spec == NULL) return sat_fail(SAT_ERR_ARGUMENT, "no spec");
    sat_plan *plan = calloc(1, sizeof *plan);
    if (plan == NULL) return sat_fail(SAT_ERR_MEMORY, "out of memory for a plan");
    plan->spec = *spec;
    sat_status status = complete(&plan->spec);
    if (status == SAT_OK) status = sat_backend_choose(spec->backend, open_with, plan);
    if (status != SAT_OK) {
        free(plan);
        return status;
    }
    *out = plan;
    return SAT_OK;
}

static sat_status same(const char *what, const char *field, int64_t is, int64_t should)
{
    return is == should ? SAT_OK
                        : sat_fail(SAT_ERR_SHAPE, "%s: %s is %lld where the plan has %lld", what, field, (long long)is,
                                   (long long)should);
}

sat_status sat_plan_run(sat_plan *plan, const sat_view *image, const sat_view *table, const sat_run *run)
{
    static const sat_run whole = {0};
    if (plan == NULL) return sat_fail(SAT_ERR_ARGUMENT, "no plan");
    const sat_spec *s = &plan->spec;
    if (run == NULL) run = &whole;
    sat_status status = sat_check_view(image, "image");
    if (status == SAT_OK) status = sat_check_view(table, "table");
    if (status == SAT_OK) status = same("image", "width", image->width, s->width);
    if (status == SAT_OK) status = same("image", "channels", image->channels, s->channels);
    if (status == SAT_OK && image->height > s->height)
        status = sat_fail(SAT_ERR_SHAPE, "image: %lld rows, more than the plan's %lld", (long long)image->height,
                          (long long)s->height);
    bool padded = s->layout == SAT_PADDED;
    if (status == SAT_OK) status = same("table", "width", table->width, s->width + padded);
    if (status == SAT_OK) status = same("table", "channels", table->channels, s->channels);
    if (status == SAT_OK) status = same("table", "height", table->height, image->height + (padded && !run->continues));
    if (status == SAT_OK && (image->type != s->sample || table->type != s->accum))
        status = sat_fail(SAT_ERR_TYPE, "views of %s and %s where the plan has %s and %s", sat_type_name(image->type),
                          sat_type_name(table->type), sat_type_name(s->sample), sat_type_name(s->accum));
    if (status == SAT_OK && sat_overlap(image, table)) status = sat_fail(SAT_ERR_ARGUMENT, "image and table overlap");
    if (status != SAT_OK) return status;
    sat_view bits = *table;
    if (bits.type == SAT_I64) bits.type = SAT_U64;
    return plan->backend->run(plan->state, image, &bits, run);
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
    free(*plan);
    *plan = NULL;
}
