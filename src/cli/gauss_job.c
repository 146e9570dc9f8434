/* gauss_job.c - the Gaussian filter of one image, and what is made of it. */
#include "gauss_job.h"

#include "messages.h"

/* The result, and reals of eight bytes or, up to what f32 suffices for, of four: one for each sample, of differences
 * two. */
uint64_t gauss_bytes(const image_shape *shape, const job *j)
{
    const uint64_t samples = (uint64_t)shape->width * (uint64_t)shape->height * (uint64_t)shape->channels;
    const bool wide =
        sat_type_bytes(shape->type) > 2 || j->result == SAT_F64 || j->gauss.sigma > 64 || j->gauss.sigma2 > 64;
    const uint64_t reals = (wide ? sizeof(double) : sizeof(float)) * (j->gauss.mode == SAT_GAUSS_DOG ? 2 : 1);
    return samples * (reals + sat_type_bytes(job_result_type(j, shape->type)));
}

bool gauss_filter(const job *j, const char *input, image *img, int threads, error *err)
{
    sat_gauss *gauss = NULL;
    sat_gauss_spec spec = {.width = img->width,
                           .height = img->height,
                           .channels = img->channels,
                           .sample = img->type,
                           .sigma = j->gauss.sigma,
                           .border = j->border,
                           .weighted_alpha = j->alpha != ALPHA_STRAIGHT && image_has_alpha(img),
                           .mode = j->gauss.mode,
                           .amount = j->gauss.amount,
                           .sigma2 = j->gauss.sigma2,
                           .backend = j->backend,
                           .threads = threads,
                           .result = job_result_type(j, img->type)};
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
