/* filter_job.c - the filter of one image.
 *
 * Each pass of a box rounds to the result's type, as if it had been saved and filtered again.  Passes of an even side
 * alternate between the two anchors: each moves the picture by half a pixel, and the next one moves it back.  Two
 * images are held while it computes, one while it encodes. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "job.h"
#include "messages.h"
#include "number.h"
#include "progress.h"
#include "sample_type.h"
#include "sat_image.h"
#include "stream.h"

/* ---- a box ---------------------------------------------------------------------------------------- */

static sat_box_spec box_spec(const job *j, const image_shape *shape, int threads)
{
    const bool has_alpha = shape->channels % 2 == 0;
    return (sat_box_spec){.width = shape->width,
                          .height = shape->height,
                          .channels = shape->channels,
                          .sample = shape->type,
                          .window_width = j->window_width,
                          .window_height = j->window_height,
                          .border = j->border,
                          .weighted_alpha = j->alpha != ALPHA_STRAIGHT && has_alpha,
                          .count = shape->planes,
                          .backend = j->backend,
                          .threads = threads,
                          .result = job_result_type(j, shape->type)};
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

/* Leaves the result in img; all samples count. */
static bool filter_all(const job *j, const char *input, image *img, int threads, times *spent, error *err)
{
    const image_shape shape = image_shape_of(img);
    sat_box_spec spec = box_spec(j, &shape, threads);
    sat_box *box = NULL;
    image other = {0};
    bool ok = job_border_values(j, img, spec.border_value, err);

    for (int64_t pass = 0; ok && pass < j->passes; pass++) {
        job_stage(j, spent, "compute");
        ok = (other.data || image_alloc_like(&other, img, img->channels, spec.result, err)) &&
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

static bool all_count(const job *j, const valid_samples *valid)
{
    return valid_all(valid) && j->windows.min_valid == 0;
}

/* What counts in the image, before its samples become light; of a box not what is transparent. */
static bool what_counts(const job *j, const char *input, image *img, int threads, valid_samples *valid, error *err)
{
    const decode_options decode = {.max_pixels = j->max_pixels, .no_orient = j->no_orient, .threads = threads};
    const bool by_alpha = !j->gauss.name && image_has_alpha(img) && j->alpha != ALPHA_STRAIGHT;
    if (!valid_of_image(valid, &j->valid, img, input, false, &decode, j->verbose, err)) return false;
    if (j->valid.nodata_given && !valid->has_nodata) img->meta.nodata[0] = 0;
    if (!by_alpha || all_count(j, valid)) return true;
    if (valid_clear_transparent(valid, img, threads, err)) return true;
    valid_free(valid);
    return false;
}

/* ---- a Gaussian ----------------------------------------------------------------------------------- */

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
                            .keep_holes = j->keep_holes,
                            .min_valid = j->windows.min_valid,
                            .sigma2 = j->gauss.sigma2,
                            .side = j->gauss.side,
                            .count = shape->planes,
                            .backend = j->backend,
                            .threads = threads,
                            .result = job_result_type(j, shape->type)};
}

/* The result, and the filter. */
static uint64_t gauss_bytes(const image_shape *shape, const job_need *need)
{
    sat_gauss_spec spec = gauss_spec(need->j, shape, need->threads);
    const valid_choice *valid = &need->j->valid;
    image_shape mask = *shape;
    sat_bytes bytes;
    mask.channels = 1;
    spec.masked = valid->mask || valid->skip_nan || valid->has_nodata;
    const sat_status status = sat_gauss_bytes(&spec, &bytes);
    return job_image_bytes(shape, spec.result) + job_object_bytes(status, &bytes) +
           (valid->mask ? job_image_bytes(&mask, SAT_U8) : 0);
}

/* nodata: the value in results. */
static bool open_gauss(const job *j, const char *input, const image *img, const valid_samples *valid,
                       sat_gauss_spec *spec, sat_gauss **gauss, char nodata[NODATA_TEXT_BYTES], error *err)
{
    valid_nodata_text(valid, spec->result, nodata);
    spec->masked = valid_masked(valid);
    spec->skip_nan = valid->skip_nan;
    spec->has_nodata = valid->has_nodata;
    spec->empty_set = valid->has_nodata && nodata[0];
    spec->nodata = spec->empty = valid->nodata;
    if (!job_border_values(j, img, spec->border_value, err)) return false;
    if (sat_gauss_create(gauss, spec) != SAT_OK) return fail(err, "%s", sat_detail());
    if (j->verbose)
        say(input_name(input), "%s, border %s%s, %s%s; %s", j->gauss.name + 2, job_border_name(j),
            spec->weighted_alpha ? ", weighted by alpha" : "", j->linear ? "in linear light" : "results of ",
            j->linear ? "" : sat_type_name(spec->result), sat_gauss_note(*gauss));
    return true;
}

/* valid: as the image's samples, which may be light, are compared. */
static bool gauss_filter(const job *j, const char *input, image *img, const valid_samples *valid, int threads,
                         sat_counts *counts, error *err)
{
    sat_gauss *gauss = NULL;
    const image_shape shape = image_shape_of(img);
    sat_gauss_spec spec = gauss_spec(j, &shape, threads);
    image made = {0};
    char nodata[NODATA_TEXT_BYTES];
    bool ok = open_gauss(j, input, img, valid, &spec, &gauss, nodata, err);
    ok = ok && image_alloc_like(&made, img, img->channels, spec.result, err);
    if (ok) {
        const sat_view src = image_view(img), dst = image_view(&made), mask = image_view(&valid->mask);
        const sat_run_options run = {.counts = counts, .mask = spec.masked ? &mask : NULL};
        ok = sat_gauss_run(gauss, &src, &dst, &run) == SAT_OK || fail(err, "%s", sat_detail());
    }
    if (ok) {
        image_exchange(img, &made);
        if (!all_count(j, valid)) memcpy(img->meta.nodata, nodata, sizeof nodata);
        job_say_clipped(j, input, img, counts->clipped);
    }
    image_free(&made);
    sat_gauss_destroy(&gauss);
    return ok;
}

/* Takes *valid.  counts: of a Gaussian. */
static bool filter_any(const job *j, const char *input, image *img, valid_samples *valid, int threads, times *spent,
                       sat_counts *counts, error *err)
{
    if (!j->gauss.name && all_count(j, valid)) return filter_all(j, input, img, threads, spent, err);
    if (!j->gauss.name) return job_box_valid(j, input, img, valid, threads, spent, counts, err);
    job_stage(j, spent, "compute");
    const bool ok = gauss_filter(j, input, img, valid, threads, counts, err);
    valid_free(valid);
    return ok;
}

/* ---- in linear light ------------------------------------------------------------------------------ */

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
        if (!sat_type_holds(img->type, v))
            return fail(err, "a border value of %.17g; %s samples take integers from 0 to %.0f", v,
                        sat_type_name(img->type), largest);
        const bool alpha = image_has_alpha(img) && c == img->channels - 1;
        j->border_value[c] = alpha ? v / largest : sat_light_of(v / largest);
    }
    j->border_values = img->channels;
    return true;
}

/* Pixels of another type take the place of an image's. */
static bool exchange(image *img, sat_type type, image *made, error *err)
{
    if (!image_alloc_like(made, img, img->channels, type, err)) return false;
    image_exchange(img, made);
    return true;
}

static bool to_light(const sat_light *light, image *img, error *err)
{
    image samples;
    if (!exchange(img, SAT_F32, &samples, err)) return false;
    const sat_view from = image_view(&samples), to = image_view(img);
    const bool ok = sat_light_from_srgb(light, &from, &to) == SAT_OK || fail(err, "%s", sat_detail());
    image_free(&samples);
    return ok;
}

static bool to_samples(const sat_light *light, image *img, sat_type type, int64_t *clipped, error *err)
{
    image reals;
    if (!exchange(img, type, &reals, err)) return false;
    const sat_view from = image_view(&reals), to = image_view(img);
    const bool ok = sat_light_to_srgb(light, &from, &to, clipped) == SAT_OK || fail(err, "%s", sat_detail());
    image_free(&reals);
    return ok;
}

static bool open_light(sat_light **light, const sat_light_spec *spec, error *err)
{
    return sat_light_create(light, spec) == SAT_OK || fail(err, "%s", sat_detail());
}

/* Results of boxes over what counts are without alpha. */
static bool without_alpha(sat_light **light, sat_light_spec *spec, const image *img, error *err)
{
    if (!spec->alpha || image_has_alpha(img)) return true;
    spec->alpha = false;
    sat_light_destroy(light);
    return open_light(light, spec, err);
}

/* What counts is compared as light.  Takes *valid. */
static bool filter_light(const job *j, const char *input, image *img, valid_samples *valid, int threads, times *spent,
                         sat_counts *counts, error *err)
{
    job linear = *j;
    sat_light *light = NULL;
    int64_t clipped = 0;
    sat_light_spec spec = {.sample = img->type,
                           .threads = threads,
                           .alpha = image_has_alpha(img),
                           .has_nodata = valid->has_nodata,
                           .nodata = valid->nodata};
    char nodata[NODATA_TEXT_BYTES];
    if (all_count(j, valid))
        memcpy(nodata, img->meta.nodata, sizeof nodata);
    else
        valid_nodata_text(valid, img->type, nodata);
    valid->nodata = (double)(float)sat_light_of(valid->nodata / sat_type_largest(img->type));
    bool ok = light_border(&linear, img, err) && open_light(&light, &spec, err) && to_light(light, img, err);
    if (ok)
        ok = filter_any(&linear, input, img, valid, threads, spent, counts, err) &&
             without_alpha(&light, &spec, img, err) && to_samples(light, img, spec.sample, &clipped, err);
    else
        valid_free(valid);
    sat_light_destroy(&light);
    memcpy(img->meta.nodata, nodata, sizeof nodata);
    if (ok) job_say_clipped(j, input, img, clipped);
    return ok;
}

/* The samples, light and what its filter holds. */
static uint64_t light_bytes(const job_need *need, const image_shape *shape)
{
    job plain = *need->j;
    image_shape reals = *shape;
    plain.linear = false;
    reals.type = SAT_F32;
    return job_image_bytes(shape, SAT_F32) + job_filter_bytes(&reals, &(job_need){&plain, need->threads});
}

/* ---- from image to file --------------------------------------------------------------------------- */

static uint64_t box_bytes(const job_need *need, const image_shape *shape)
{
    sat_box_spec spec = box_spec(need->j, shape, need->threads);
    sat_bytes bytes;
    for (int c = 0; c < 4; c++) spec.border_value[c] = need->j->border_value[need->j->border_values > 1 ? c : 0];
    const sat_status status = sat_box_bytes(&spec, &bytes);
    image_shape mask = *shape;
    mask.channels = 1;
    const uint64_t masks = need->j->valid.mask ? job_image_bytes(&mask, SAT_U8) * (need->j->passes > 1 ? 3 : 1) : 0;
    return job_object_bytes(status, &bytes) + masks;
}

static uint64_t larger(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

/* From the second pass on, both images are of the result's type. */
uint64_t job_filter_bytes(const image_shape *shape, const void *context)
{
    const job_need *need = context;
    const job *j = need->j;
    if (j->linear) return light_bytes(need, shape);
    if (j->gauss.name) return gauss_bytes(shape, need);
    image_shape result = *shape;
    result.type = job_result_type(j, shape->type);
    const uint64_t in = job_image_bytes(shape, shape->type), out = job_image_bytes(shape, result.type);
    const uint64_t first = out + box_bytes(need, shape);
    return j->passes > 1 && out > in ? larger(first, 2 * out - in + box_bytes(need, &result)) : first;
}

/* Can the format hold the result?  Boxes over what counts leave alpha out.  The error names what asked for its type. */
static bool check_holds(const job *j, const image_format *format, const char *word, const image *img,
                        const valid_samples *valid, error *err)
{
    const bool colours = !j->gauss.name && !all_count(j, valid) && image_has_alpha(img);
    const sat_type type = job_stored_type(j, job_result_type(j, img->type));
    const bool blur = !j->gauss.name || j->gauss.mode == SAT_GAUSS_BLUR;
    const bool negative = !j->scales && (!blur || is_signed_type(img->type));
    error why;
    if (format_holds(format, word, type, img->channels - colours, image_planes(img), negative, &why)) return true;
    if (type == img->type) return fail(err, "%s", why.text);
    return fail(err, "%s %s: %s",
                j->scales   ? "--scale is to"
                : j->result ? "--result"
                            : "differences are of",
                sat_type_name(type), why.text);
}

bool job_filter(const job *j, const char *input, image *img, const char *output, int threads, times *spent,
                bool *at_output, error *err)
{
    sink *out = NULL;
    const image_format *format = j->format ? j->format : format_by_extension(output);
    double start = clock_now_s();

    *at_output = false;
    if (j->linear && !check_linear(img, err)) return false;
    if (!job_check_scale(j, img->type, err)) return false;
    valid_samples valid;
    if (!what_counts(j, input, img, threads, &valid, err)) return false;
    *at_output = true;
    const char *word = j->format ? j->format_word : format_extension(output);
    if (!check_holds(j, format, word, img, &valid, err) ||
        !sink_open(&out, output, &(sink_options){.no_clobber = j->no_clobber}, err)) {
        valid_free(&valid);
        return false;
    }
    *at_output = false;
    sat_counts counts = {.moved = 0};
    const valid_samples said = valid; /* numbers alone */
    bool ok = (j->linear ? filter_light : filter_any)(j, input, img, &valid, threads, spent, &counts, err);
    const bool floats = is_float_type(img->type);
    if (ok) job_store(j, input, img, &said, &counts.moved);
    if (ok)
        job_say_holes(j, input, &said,
                      &(job_holes){.is_value = said.has_nodata && !j->scales,
                                   .of_floats = !j->linear && !j->scales,
                                   .results = image_samples(img),
                                   .empty = floats && !j->scales ? 0 : counts.empty[0],
                                   .moved = counts.moved});
    spent->compute_s = clock_now_s() - start;
    if (ok) {
        job_stage(j, spent, "encode");
        *at_output = true;
        start = clock_now_s();
        encode_options encode = {.quality = j->quality,
                                 .compression = j->compression,
                                 .threads = threads,
                                 .progress = {progress_more, &spent->item}};
        ok = format->encode(img, &encode, out, err);
        image_free(img);
        if (ok) ok = sink_commit(&out, err);
        spent->encode_s = clock_now_s() - start;
    }
    sink_abort(&out);
    return ok;
}

/* ---- a band of rows at a time ----------------------------------------------------------------------- */

bool job_filter_streams(const job *j, const row_source *from, char *const *outputs)
{
    const bool wraps = stream_border_repeats(j->border);
    if (!stream_serves(j, from, outputs[0]) || j->linear || j->scales || j->f16 || j->passes > STREAM_STAGES)
        return false;
    if (j->valid.mask && j->passes > 1) return false; /* the second pass has a mask of its own */
    if (wraps && (j->gauss.name || j->passes > 1)) return false;
    if (j->gauss.name) return true;
    const bool all = !j->valid.mask && !j->valid.skip_nan && !j->valid.has_nodata &&
                     (j->valid.nodata_given || !from->head.meta.nodata[0]);
    return (all && j->windows.min_valid == 0) || !image_has_alpha(&from->head);
}

/* A stage for each pass of a box. */
static bool box_stages(const job *j, const char *input, const image *img, int64_t band, int threads, stream *s,
                       error *err)
{
    const image_shape shape = image_shape_of(img);
    sat_box_spec spec = box_spec(j, &shape, threads);
    spec.band_rows = band < spec.height ? band : 0;
    if (!job_border_values(j, img, spec.border_value, err)) return false;
    for (int64_t pass = 0; pass < j->passes; pass++) {
        stream_filter *f = &s->stage[s->stages].filter[0];
        sat_box *box;
        s->stage[s->stages++] = (stream_stage){.filter = {STREAM_FILTER(box)}, .filters = 1, .channels = spec.channels};
        s->stage[pass].sample = spec.sample;
        f->results = 1;
        sat_bytes bytes;
        if (!stream_allows(s, sat_box_bytes(&spec, &bytes), &bytes, err)) return false;
        const sat_status status = sat_box_create(&box, &spec);
        if (status != SAT_OK) refuse(status, &spec, err);
        if (status != SAT_OK) return false;
        f->object = box;
        if (pass == 0 && j->verbose) say_filter(j, input, &spec, box);
        spec.sample = spec.result;
        spec.anchor = spec.anchor == SAT_ANCHOR_FIRST ? SAT_ANCHOR_SECOND : SAT_ANCHOR_FIRST;
    }
    return true;
}

/* The same where some samples do not count. */
static bool valid_stages(const job *j, const char *input, const image *img, valid_samples valid, int64_t band,
                         int threads, stream *s, error *err)
{
    const sat_window_output mean = {.statistic = "mean", .result = job_result_type(j, img->type)};
    image_shape shape = image_shape_of(img);
    double values[4];
    if (!job_border_values(j, img, values, err)) return false;
    for (int64_t pass = 0; pass < j->passes; pass++) {
        sat_window_spec spec = job_pass_spec(j, &valid, &shape, pass, true, &mean, threads);
        stream_filter *f = &s->stage[s->stages].filter[0];
        sat_window *window;
        s->stage[s->stages++] =
            (stream_stage){.filter = {STREAM_FILTER(window)}, .filters = 1, .channels = shape.channels};
        s->stage[pass].sample = shape.type;
        f->results = 1;
        spec.band_rows = band < spec.height ? band : 0;
        sat_bytes bytes;
        if (!stream_allows(s, sat_window_bytes(&spec, &bytes), &bytes, err)) return false;
        if (sat_window_create(&window, &spec) != SAT_OK) return fail(err, "%s", sat_detail());
        f->object = window;
        if (pass == 0 && j->verbose) job_say_valid(j, input, sat_window_note(window));
        shape.type = mean.result;
        valid.by_rows = false;
        if (valid.has_nodata && !sat_type_holds(mean.result, valid.nodata))
            valid.has_nodata = false, valid.skip_nan = true;
    }
    return true;
}

static bool gauss_stage(const job *j, const char *input, const image *img, const valid_samples *valid, int64_t band,
                        int threads, stream *s, char nodata[NODATA_TEXT_BYTES], error *err)
{
    const image_shape shape = image_shape_of(img);
    sat_gauss_spec spec = gauss_spec(j, &shape, threads);
    sat_gauss *gauss;
    spec.band_rows = band < spec.height ? band : 0;
    sat_bytes bytes;
    if (!stream_allows(s, sat_gauss_bytes(&spec, &bytes), &bytes, err)) return false;
    if (!open_gauss(j, input, img, valid, &spec, &gauss, nodata, err)) return false;
    s->stage[s->stages++] = (stream_stage){
        .filter = {STREAM_FILTER(gauss)}, .filters = 1, .channels = spec.channels, .sample = spec.sample};
    s->stage[0].filter[0].results = 1;
    s->stage[0].filter[0].object = gauss;
    return true;
}

/* The stages of what is asked for; nodata: the value in results. */
static bool open_stages(const job *j, const char *input, const image *img, const valid_samples *valid, int64_t band,
                        int threads, stream *s, char nodata[NODATA_TEXT_BYTES], error *err)
{
    const bool all = all_count(j, valid);
    if (all)
        memcpy(nodata, img->meta.nodata, NODATA_TEXT_BYTES);
    else
        valid_nodata_text(valid, s->head[0].type, nodata);
    if (j->gauss.name) {
        char text[NODATA_TEXT_BYTES];
        return gauss_stage(j, input, img, valid, band, threads, s, text, err);
    }
    return all ? box_stages(j, input, img, band, threads, s, err)
               : valid_stages(j, input, img, *valid, band, threads, s, err);
}

static void say_bands(const job *j, const char *input, const stream *s, const valid_samples *valid)
{
    const image *made = &s->head[0];
    sat_counts counts = s->stage[s->stages - 1].filter[0].counts;
    for (int i = 0; i + 1 < s->stages; i++) counts.moved += s->stage[i].filter[0].counts.moved;
    if (j->gauss.name) job_say_clipped(j, input, made, counts.clipped);
    job_say_holes(j, input, valid,
                  &(job_holes){.is_value = valid->has_nodata,
                               .of_floats = true,
                               .results = image_samples(made),
                               .empty = is_float_type(made->type) ? 0 : counts.empty[0],
                               .moved = counts.moved});
}

bool job_filter_rows(const job *j, const char *input, const job_rows *rows, const char *output, int threads,
                     times *spent, bool *at_output, error *err)
{
    image *img = &rows->from->head;
    job unmasked = *j; /* its mask is not decoded */
    unmasked.valid.mask = NULL;
    sink *out = NULL;
    const image_format *format = j->format ? j->format : format_by_extension(output);
    const char *word = j->format ? j->format_word : format_extension(output);
    const double start = clock_now_s();
    const encode_options encode = {.quality = j->quality,
                                   .compression = j->compression,
                                   .threads = threads,
                                   .tile_width = (uint32_t)rows->from->tile_width,
                                   .tile_height = (uint32_t)rows->from->tile_height};
    valid_samples valid;
    stream *s = calloc(1, sizeof *s);
    if (!s) return fail_memory(err, "out of memory");
    job_stage(j, spent, "compute");
    bool ok = what_counts(&unmasked, input, img, threads, &valid, err);
    if (ok) {
        valid.by_rows = rows->mask != NULL;
        *at_output = true;
        ok = check_holds(j, format, word, img, &valid, err) &&
             sink_open(&out, output, &(sink_options){.no_clobber = j->no_clobber}, err);
    }
    if (ok) {
        *at_output = false;
        *s = (stream){.from = rows->from, .mask = rows->mask, .results = 1, .share = rows->share, .at_output = -1};
        image *made = &s->head[0];
        *made = *img;
        made->type = job_result_type(j, img->type);
        const size_t row = sat_row_bytes(img->width, img->channels, made->type);
        const int64_t band = stream_band(img->height, row > img->row_bytes ? row : img->row_bytes, threads);
        ok = open_stages(j, input, img, &valid, band, threads, s, made->meta.nodata, err) &&
             stream_begin(s, 0, format, &encode, out, err) && stream_run(s, band, threads, spent, err);
        *at_output = s->at_output == 0;
    }
    if (ok) {
        say_bands(j, input, s, &valid);
        *at_output = true;
        ok = sink_commit(&out, err);
    }
    spent->compute_s = clock_now_s() - start;
    sink_abort(&out);
    stream_free(s);
    free(s);
    return ok;
}
