/* filter_job.c - the filter of one image.
 *
 * Each pass of a box rounds to the result's type, as if it had been saved and filtered again.  Passes of an even side
 * alternate between the two anchors: each moves the picture by half a pixel, and the next one moves it back.  Two
 * images are held while it computes, one while it encodes. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "clock.h"
#include "gauss_job.h"
#include "job.h"
#include "light.h"
#include "messages.h"
#include "sample_type.h"

static bool make_spec(const job *j, const image *img, int threads, sat_box_spec *spec, error *err)
{
    *spec = (sat_box_spec){.width = img->width,
                           .height = img->height,
                           .channels = img->channels,
                           .sample = img->type,
                           .window_width = j->window_width,
                           .window_height = j->window_height,
                           .border = j->border,
                           .weighted_alpha = j->alpha != ALPHA_STRAIGHT && image_has_alpha(img),
                           .backend = j->backend,
                           .threads = threads};
    return job_border_values(j, img, spec->border_value, err);
}

/* The library refused the spec: says why, and what would do. */
static void refuse(sat_status status, const sat_box_spec *spec, error *err)
{
    sat_box_spec straight = *spec;
    sat_box *box = NULL;
    fail(err, "%s", sat_detail());
    straight.weighted_alpha = false;
    if (status == SAT_ERR_RANGE && spec->weighted_alpha && sat_box_create(&box, &straight) == SAT_OK) {
        size_t used = strlen(err->text);
        snprintf(err->text + used, sizeof err->text - used, "; --alpha straight sums the samples alone");
    }
    sat_box_destroy(&box);
}

/* The filter of that pass, which is the one before's where the samples' type and the anchor are the same. */
static bool open_pass(const job *j, const image *img, int64_t pass, sat_box_spec *spec, sat_box **box, error *err)
{
    const bool even = j->window_width % 2 == 0 || j->window_height % 2 == 0;
    if (pass > 0 && !even && spec->sample == img->type) return true;
    spec->anchor = pass % 2 ? SAT_ANCHOR_FIRST : SAT_ANCHOR_SECOND;
    spec->sample = img->type;
    sat_box_destroy(box); /* first: some backends hold a table */
    const sat_status status = sat_box_create(box, spec);
    if (status != SAT_OK) refuse(status, spec, err);
    return status == SAT_OK;
}

static void say_filter(const job *j, const char *input, const sat_box_spec *spec, const sat_box *box)
{
    say(input_name(input), "window %lldx%lld px, border %s, %lld pass%s%s, %s%s; %s", (long long)j->window_width,
        (long long)j->window_height, job_border_name(j), (long long)j->passes, j->passes > 1 ? "es" : "",
        spec->weighted_alpha ? ", weighted by alpha" : "", j->linear ? "in linear light" : "results of ",
        j->linear ? "" : sat_type_name(spec->result), sat_box_note(box));
}

/* Leaves the result in img. */
static bool filter(const job *j, const char *input, image *img, int threads, times *spent, error *err)
{
    sat_box_spec spec;
    sat_box *box = NULL;
    image other = {0};
    bool ok = make_spec(j, img, threads, &spec, err);

    spec.result = job_result_type(j, img->type);
    for (int64_t pass = 0; ok && pass < j->passes; pass++) {
        job_stage(j, spent, "compute");
        ok = (other.data || image_alloc(&other, img->width, img->height, img->channels, spec.result, err)) &&
             open_pass(j, img, pass, &spec, &box, err);
        if (!ok) break;
        if (pass == 0 && j->verbose) say_filter(j, input, &spec, box);
        sat_view src = image_view(img), dst = image_view(&other);
        if (sat_box_run(box, &src, &dst, NULL) != SAT_OK) ok = fail(err, "%s", sat_detail());
        if (!ok) break;
        image_exchange(img, &other);
        if (other.type != img->type) image_free(&other);
    }
    image_free(&other);
    sat_box_destroy(&box);
    return ok;
}

static bool filter_any(const job *j, const char *input, image *img, int threads, times *spent, error *err)
{
    if (!j->gauss.name) return filter(j, input, img, threads, spent, err);
    job_stage(j, spent, "compute");
    return gauss_filter(j, input, img, threads, err);
}

/* ---- in linear light ------------------------------------------------------------------------------- */

static bool check_linear(const image *img, error *err)
{
    if (img->type == SAT_U8 || img->type == SAT_U16) return true;
    return fail(err, "--linear is for samples of u8 and u16, in sRGB; those of %s are %s", sat_type_name(img->type),
                img->type == SAT_F32 || img->type == SAT_F64 ? "taken for light already" : "no picture's");
}

/* The border's values as light; alpha's from 0 to 1. */
static bool light_border(job *j, const image *img, error *err)
{
    const double largest = img->type == SAT_U8 ? UINT8_MAX : UINT16_MAX;
    if (j->border_values == 0) return true;
    if (!job_border_values(j, img, j->border_value, err)) return false;
    for (int c = 0; c < img->channels; c++) {
        const double v = j->border_value[c];
        if (!(v >= 0 && v <= largest && v == floor(v)))
            return fail(err, "a border value of %.17g; %s samples take integers from 0 to %.0f", v,
                        sat_type_name(img->type), largest);
        const bool alpha = image_has_alpha(img) && c == img->channels - 1;
        j->border_value[c] = alpha ? v / largest : light_of(v / largest);
    }
    j->border_values = img->channels;
    return true;
}

static bool filter_light(const job *j, const char *input, image *img, int threads, times *spent, error *err)
{
    job linear = *j;
    light *l = NULL;
    int64_t clipped = 0;
    if (!light_border(&linear, img, err) || !light_open(&l, img->type, err)) return false;
    const bool ok = light_from_srgb(l, img, threads, err) && filter_any(&linear, input, img, threads, spent, err) &&
                    light_to_srgb(l, img, threads, &clipped, err);
    light_close(l);
    if (ok) job_say_clipped(j, input, img, clipped);
    return ok;
}

/* The samples, light and what its filter holds. */
static uint64_t light_bytes(const job *j, const image_shape *shape)
{
    job plain = *j;
    image_shape reals = *shape;
    plain.linear = false;
    reals.type = SAT_F32;
    return (uint64_t)sat_row_bytes(shape->width, shape->channels, SAT_F32) * (uint64_t)shape->height +
           job_filter_bytes(&reals, &plain);
}

/* ---- from image to file ---------------------------------------------------------------------------- */

/* From the second pass on, both images are of the result's type. */
uint64_t job_filter_bytes(const image_shape *shape, const void *context)
{
    const job *j = context;
    const uint64_t height = (uint64_t)shape->height;
    if (j->linear) return light_bytes(j, shape);
    if (j->gauss.name) return gauss_bytes(shape, j);
    const uint64_t in = (uint64_t)sat_row_bytes(shape->width, shape->channels, shape->type) * height;
    const uint64_t out =
        (uint64_t)sat_row_bytes(shape->width, shape->channels, job_result_type(j, shape->type)) * height;
    return j->passes > 1 && out > in ? 2 * out - in : out;
}

/* Can the format hold the result?  The error names what asked for its type. */
static bool check_holds(const job *j, const image_format *format, const char *word, const image *img, error *err)
{
    const sat_type type = job_result_type(j, img->type);
    const bool blur = !j->gauss.name || j->gauss.mode == SAT_GAUSS_BLUR;
    error why;
    if (format_holds(format, word, type, img->channels, !blur || is_signed_type(img->type), &why)) return true;
    if (type == img->type) return fail(err, "%s", why.text);
    return fail(err, "%s %s: %s", j->result ? "--result" : "differences are of", sat_type_name(type), why.text);
}

bool job_filter(const job *j, const char *input, image *img, const char *output, int threads, times *spent,
                bool *at_output, error *err)
{
    sink *out = NULL;
    const image_format *format = j->format ? j->format : format_by_extension(output);
    double start = clock_now_s();

    *at_output = false;
    if (j->linear && !check_linear(img, err)) return false;
    *at_output = true;
    const char *word = j->format ? j->format_word : format_extension(output);
    if (!check_holds(j, format, word, img, err)) return false;
    if (!sink_open(&out, output, &(sink_options){.no_clobber = j->no_clobber}, err)) return false;
    *at_output = false;
    bool ok = (j->linear ? filter_light : filter_any)(j, input, img, threads, spent, err);
    spent->compute_s = clock_now_s() - start;
    if (ok) {
        job_stage(j, spent, "encode");
        *at_output = true;
        start = clock_now_s();
        encode_options encode = {.quality = j->quality, .threads = threads, .progress = {progress_more, &spent->item}};
        ok = format->encode(img, &encode, out, err);
        image_free(img);
        if (ok) ok = sink_commit(&out, err);
        spent->encode_s = clock_now_s() - start;
    }
    sink_abort(&out);
    return ok;
}
