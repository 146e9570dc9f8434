/* filter_job.c - the box filter of one image.
 *
 * Each pass rounds to the result's type, as if it had been saved and filtered again.  Passes of an even side alternate
 * between the two anchors: each moves the picture by half a pixel, and the next one moves it back.  Two images are held
 * while it computes, one while it encodes. */
#include <stdio.h>
#include <string.h>

#include "clock.h"
#include "job.h"
#include "messages.h"

static sat_type result_type(const job *j, sat_type sample)
{
    return j->result == SAT_TYPE_NONE ? sample : j->result;
}

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
    if (j->border_values > 1 && j->border_values != img->channels)
        return fail(err, "--border %s has %d values, but the image has %d channel%s", j->border, j->border_values,
                    img->channels, img->channels > 1 ? "s" : "");
    for (int c = 0; c < img->channels; c++) spec->border_value[c] = j->border_value[j->border_values > 1 ? c : 0];
    return true;
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

static const char *border_name(const job *j)
{
    sat_border_info first;
    return j->border ? j->border : sat_border_at(0, &first) ? first.name : "";
}

/* Exchanges the pixels of two images of one shape, whose types may differ. */
static void exchange(image *a, image *b)
{
    const image was = *a;
    a->type = b->type, a->row_bytes = b->row_bytes, a->data = b->data;
    b->type = was.type, b->row_bytes = was.row_bytes, b->data = was.data;
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
    say(input_name(input), "window %lldx%lld px, border %s, %lld pass%s%s, results of %s; %s",
        (long long)j->window_width, (long long)j->window_height, border_name(j), (long long)j->passes,
        j->passes > 1 ? "es" : "", spec->weighted_alpha ? ", weighted by alpha" : "", sat_type_name(spec->result),
        sat_box_note(box));
}

/* Leaves the result in img. */
static bool filter(const job *j, const char *input, image *img, int threads, times *spent, error *err)
{
    sat_box_spec spec;
    sat_box *box = NULL;
    image other = {0};
    bool ok = make_spec(j, img, threads, &spec, err);

    spec.result = result_type(j, img->type);
    for (int64_t pass = 0; ok && pass < j->passes; pass++) {
        job_stage(j, spent, "compute");
        ok = (other.data || image_alloc(&other, img->width, img->height, img->channels, spec.result, err)) &&
             open_pass(j, img, pass, &spec, &box, err);
        if (!ok) break;
        if (pass == 0 && j->verbose) say_filter(j, input, &spec, box);
        sat_view src = image_view(img), dst = image_view(&other);
        if (sat_box_run(box, &src, &dst, NULL) != SAT_OK) ok = fail(err, "%s", sat_detail());
        if (!ok) break;
        exchange(img, &other);
        if (other.type != img->type) image_free(&other);
    }
    image_free(&other);
    sat_box_destroy(&box);
    return ok;
}

/* From the second pass on, both images are of the result's type. */
uint64_t job_filter_bytes(const image_shape *shape, const void *context)
{
    const job *j = context;
    const uint64_t height = (uint64_t)shape->height;
    const uint64_t in = (uint64_t)sat_row_bytes(shape->width, shape->channels, shape->type) * height;
    const uint64_t out = (uint64_t)sat_row_bytes(shape->width, shape->channels, result_type(j, shape->type)) * height;
    return j->passes > 1 && out > in ? 2 * out - in : out;
}

/* Can the format hold the result?  The error names what asked for its type. */
static bool check_holds(const job *j, const image_format *format, const char *word, const image *img, error *err)
{
    const sat_type type = result_type(j, img->type);
    error why;
    if (format_holds(format, word, type, img->channels, &why)) return true;
    return type == img->type ? fail(err, "%s", why.text) : fail(err, "--result %s: %s", sat_type_name(type), why.text);
}

bool job_filter(const job *j, const char *input, image *img, const char *output, int threads, times *spent,
                bool *at_output, error *err)
{
    sink *out = NULL;
    const image_format *format = j->format ? j->format : format_by_extension(output);
    double start = clock_now_s();

    *at_output = true;
    const char *word = j->format ? j->format_word : format_extension(output);
    if (!check_holds(j, format, word, img, err)) return false;
    if (!sink_open(&out, output, &(sink_options){.no_clobber = j->no_clobber}, err)) return false;
    *at_output = false;
    bool ok = filter(j, input, img, threads, spent, err);
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
