/* gauss_job.c - the Gaussian filter of one image, and what is made of it. */
#include "gauss_job.h"

#include "messages.h"

static sat_gauss_spec gauss_spec(const job *j, const image_shape *shape, int threads)
{
    const bool has_alpha = shape->channels % 2 == 0;
    return (sat_gauss_spec){.width = shape->width,
                            .height = shape->height,
                            .channels = shape->channels,
                            .sample = shape->type,
                            .sigma = j->gauss.sigma,
                            .border = j->border,
                            .weighted_alpha = j->alpha != ALPHA_STRAIGHT && has_alpha,
                            .mode = j->gauss.mode,
                            .amount = j->gauss.amount,
                            .sigma2 = j->gauss.sigma2,
                            .backend = j->backend,
                            .threads = threads,
                            .result = job_result_type(j, shape->type)};
}

/* The result, and the filter. */
uint64_t gauss_bytes(const image_shape *shape, const job_need *need)
{
    const sat_gauss_spec spec = gauss_spec(need->j, shape, need->threads);
    sat_bytes bytes;
    const sat_status status = sat_gauss_bytes(&spec, &bytes);
    return job_image_bytes(shape, spec.result) + job_object_bytes(status, &bytes);
}

bool gauss_filter(const job *j, const char *input, image *img, int threads, error *err)
{
    sat_gauss *gauss = NULL;
    const image_shape shape = {
        .width = img->width, .height = img->height, .channels = img->channels, .type = img->type};
    sat_gauss_spec spec = gauss_spec(j, &shape, threads);
    image made = {0};
    sat_counts counts;
    if (!job_border_values(j, img, spec.border_value, err)) return false;
    bool ok = sat_gauss_create(&gauss, &spec) == SAT_OK || fail(err, "%s", sat_detail());
    if (ok && j->verbose)
        say(input_name(input), "%s, border %s%s, %s%s; %s", j->gauss.name + 2, job_border_name(j),
            spec.weighted_alpha ? ", weighted by alpha" : "", j->linear ? "in linear light" : "results of ",
            j->linear ? "" : sat_type_name(spec.result), sat_gauss_note(gauss));
    ok = ok && image_alloc(&made, img->width, img->height, img->channels, spec.result, err);
    if (ok) {
        sat_view src = image_view(img), dst = image_view(&made);
        ok = sat_gauss_run(gauss, &src, &dst, &(sat_run_options){.counts = &counts}) == SAT_OK ||
             fail(err, "%s", sat_detail());
    }
    if (ok) {
        image_exchange(img, &made);
        job_say_clipped(j, input, img, counts.clipped);
    }
    image_free(&made);
    sat_gauss_destroy(&gauss);
    return ok;
}
