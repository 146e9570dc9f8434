/* window_job.c - statistics of the windows of one image: one output for each.
 *
 * Alpha is no sample: pixels with an alpha of 0 do not count, and outputs have the colours alone.  All outputs are held
 * until the last is encoded, and appear together. */
#include <stdio.h>
#include <string.h>

#include "job.h"
#include "messages.h"
#include "number.h"
#include "progress.h"
#include "sample_type.h"
#include "sat_image.h"
#include "text_out.h"

/* What is made of one image. */
typedef struct work {
    const job *j;
    const window_request *r;
    const image *img;
    int channels; /* without alpha */
    bool by_alpha;
    valid_samples valid;
    const image_format *format[SAT_OUTPUTS];
    sat_type result[SAT_OUTPUTS];
    bool bilevel[SAT_OUTPUTS];
    image out[SAT_OUTPUTS];
    sink *sink[SAT_OUTPUTS];
    int64_t clipped, empty[SAT_OUTPUTS];
} work;

/* ---- result types --------------------------------------------------------------------------------- */

/* The type of output i: as --result says; else floats, or the image's type where the format holds no floats. */
static bool choose_result(work *w, int i, const char *word, error *err)
{
    const job *j = w->j;
    const sat_type real = sat_real_type(w->img->type);
    const int planes = image_planes(w->img);
    error unused;
    w->result[i] = j->result_given ? (j->result == SAT_TYPE_NONE ? w->img->type : j->result) : real;
    if (w->r->output[i].compare) w->result[i] = SAT_U8;
    w->bilevel[i] = w->r->output[i].compare && w->channels == 1 && planes == 1 &&
                    format_has_bits(w->format[i], word, j->compression);
    if (w->bilevel[i]) return true;
    if (format_has_bits_only(w->format[i], j->compression))
        return fail(err, "--tiff-compression %s is for results of one bit: --threshold of one channel", j->compression);
    if (!j->result_given && !format_holds(w->format[i], word, w->result[i], w->channels, planes, true, &unused))
        w->result[i] = w->img->type;
    return format_holds(w->format[i], word, w->result[i], w->channels, planes, true, err);
}

/* ---- what counts ---------------------------------------------------------------------------------- */

static bool is_count(const char *statistic)
{
    sat_statistic_info info;
    return window_statistic(statistic, strlen(statistic), &info) && info.count;
}

/* The file's value for no data becomes that of output i: a result that pixels without data have, and no others. */
static void set_nodata(const work *w, int i, image_meta *meta)
{
    const sat_window_output *o = &w->r->output[i];
    const sat_type type = w->result[i];
    const bool some_empty = !valid_all(&w->valid) || w->r->min_valid > 0 || w->r->ddof > 0;
    meta->nodata[0] = 0;
    if (!some_empty || o->compare || is_count(o->statistic)) return;
    valid_nodata_text(&w->valid, type, meta->nodata);
}

/* ---- the statistics ------------------------------------------------------------------------------- */

/* Says how many results of integers, and of thresholds, are empty: there they look like others. */
static void say_empty(const work *w, const char *input)
{
    const window_request *r = w->r;
    const bool given = w->valid.has_nodata && !r->output->compare, some = r->min_valid > 0 || r->ddof > 0;
    char value[REAL_TEXT_BYTES + 1] = "0";
    long long empty = 0, of = 0;
    for (int i = 0; i < r->outputs; i++) {
        if (w->empty[i] < 0 || is_float_type(w->result[i])) continue;
        empty += w->empty[i];
        of += image_samples(&w->out[i]);
    }
    if (empty == 0 || w->j->quiet) return;
    if (given) value[real_text(value, w->valid.nodata)] = 0;
    say(input_name(input), "%lld of %lld results are %s, as %s of their windows count%s", empty, of, value,
        some ? "too few samples" : "no samples",
        given || r->output->compare ? "" : "; floats are NaN there (--result)");
}

/* What all outputs have in common. */
static sat_window_spec window_spec(const job *j, const image_shape *colours, int threads)
{
    sat_window_spec spec = {.width = colours->width,
                            .height = colours->height,
                            .channels = colours->channels,
                            .sample = colours->type,
                            .count = colours->planes,
                            .window_width = j->window_width,
                            .window_height = j->window_height,
                            .border = j->border,
                            .ddof = j->windows.ddof,
                            .keep_holes = j->keep_holes,
                            .min_valid = j->windows.min_valid,
                            .threads = threads,
                            .backend = j->backend};
    for (int c = 0; c < spec.channels; c++) spec.border_value[c] = j->border_value[j->border_values > 1 ? c : 0];
    return spec;
}

/* The value of all samples of an image of u8; -1 if they differ: mostly in the first row already. */
static int only_value(const image *img)
{
    const sat_view first = image_rows_view(img, 0, 1), all = image_view(img);
    double low, high;
    if (sat_image_range(&first, 1, &low, &high) != SAT_OK || low < high) return -1;
    return sat_image_range(&all, 0, &low, &high) == SAT_OK && low == high ? (int)low : -1;
}

/* The range that output i reads, if it is not set: of the image's type.  0 if it reads none. */
static double silent_range(const work *w, int i)
{
    const sat_window_output *o = &w->r->output[i];
    const sat_type type = w->img->type;
    sat_statistic_info info = {0};
    bool reads = false;
    window_statistic(o->statistic, strlen(o->statistic), &info);
    for (int k = 0; k < SAT_PARAMETERS; k++)
        reads = reads || info.parameter[k].of_range || (info.parameter[k].in_range && !(o->set >> k & 1));
    if (!reads || w->r->range[i] != 0) return 0;
    return sat_type_largest(type);
}

/* Says where all results of a threshold are equal; often its range is another than the image's. */
static void say_uniform(const work *w, const char *input, int i)
{
    const int value = w->r->output[i].compare && !w->j->quiet ? only_value(&w->out[i]) : -1;
    char hint[64] = "";
    if (value < 0) return;
    const double range = silent_range(w, i);
    if (range > 0)
        snprintf(hint, sizeof hint, "; its range is %.0f (%s:" WINDOW_RANGE "=V)", range, w->r->output[i].statistic);
    say(input_name(input), "%s pixel is above %s, so that all results are %d%s", value ? "every" : "no", w->r->label[i],
        value, hint);
}

/* The outputs of one range of samples, in one run. */
static bool compute_range(work *w, const char *input, sat_window_spec spec, const sat_view *src, error *err)
{
    const job *j = w->j;
    const sat_view mask = image_view(&w->valid.mask);
    sat_window_output output[SAT_OUTPUTS];
    sat_view results[SAT_OUTPUTS];
    int index[SAT_OUTPUTS];
    char range[REAL_TEXT_BYTES];
    sat_window *window;
    spec.output = output;
    for (int i = 0; i < w->r->outputs; i++) {
        if (w->r->range[i] != spec.range) continue;
        output[spec.outputs] = w->r->output[i];
        output[spec.outputs].result = w->result[i];
        results[spec.outputs] = image_view(&w->out[i]);
        index[spec.outputs++] = i;
    }
    sat_status status = sat_window_create(&window, &spec);
    if (status == SAT_ERR_UNAVAILABLE && spec.avoid_empty) { /* a device */
        spec.avoid_empty = false;
        status = sat_window_create(&window, &spec);
    }
    if (status != SAT_OK) return fail(err, "%s", sat_detail());
    if (j->verbose)
        say(input_name(input), "window %lldx%lld px, %d statistic%s%s%.*s; %s", (long long)j->window_width,
            (long long)j->window_height, spec.outputs, spec.outputs > 1 ? "s" : "", spec.range > 0 ? ", range " : "",
            spec.range > 0 ? (int)real_text(range, spec.range) : 0, range, sat_window_note(window));
    sat_counts counts;
    const sat_run_options run = {.counts = &counts};
    const bool ok = sat_window_run(window, src, spec.masked ? &mask : NULL, results, &run) == SAT_OK;
    if (!ok) fail(err, "%s", sat_detail());
    if (counts.clipped > 0) w->clipped += counts.clipped;
    for (int i = 0; i < spec.outputs; i++) w->empty[index[i]] = counts.empty[i];
    sat_window_destroy(&window);
    return ok;
}

static bool compute(work *w, const char *input, int threads, error *err)
{
    const job *j = w->j;
    const image *img = w->img;
    const double *range = w->r->range;
    image_shape colours = image_shape_of(img);
    colours.channels = w->channels;
    sat_window_spec spec = window_spec(j, &colours, threads);
    spec.masked = w->valid.mask.data != NULL;
    spec.skip_nan = w->valid.skip_nan;
    spec.has_nodata = w->valid.has_nodata;
    spec.empty_set = w->valid.has_nodata;
    for (int i = 0; i < w->r->outputs; i++) /* else NaN, or 0 */
        spec.empty_set = spec.empty_set && (w->r->output[i].compare || sat_type_holds(w->result[i], w->valid.nodata));
    spec.avoid_empty = spec.empty_set;
    spec.nodata = spec.empty = w->valid.nodata;
    if (j->border_values > 1 && j->border_values != w->channels)
        return fail(err, "--border %s has %d values, but the image has %d channel%s", j->border, j->border_values,
                    w->channels, w->channels > 1 ? "s beside alpha" : " beside alpha");
    long long integers = 0; /* samples of results that may be clipped */
    const sat_view src = image_channels_view(img, 0, w->channels);
    for (int i = 0; i < w->r->outputs; i++) {
        if (!image_alloc_like(&w->out[i], img, w->channels, w->result[i], err)) return false;
        if (w->result[i] != SAT_F32 && w->result[i] != SAT_F64 && !w->r->output[i].compare)
            integers += image_samples(&w->out[i]);
    }
    for (int i = 0; i < w->r->outputs; i++) {
        bool done = false; /* with an output before it */
        for (int k = 0; k < i; k++) done = done || range[k] == range[i];
        spec.range = range[i];
        if (!done && !compute_range(w, input, spec, &src, err)) return false;
    }
    say_empty(w, input);
    for (int i = 0; i < w->r->outputs; i++) say_uniform(w, input, i);
    if (w->clipped > 0 && !j->quiet)
        say(input_name(input),
            "%lld of %lld samples lay beyond the range of their type and were clipped; floats hold them (--result)",
            (long long)w->clipped, integers);
    return true;
}

/* Results, a mask and the object; whether there will be a mask is not known yet. */
uint64_t job_window_bytes(const image_shape *shape, const void *context)
{
    const job_need *need = context;
    const job *j = need->j;
    image_shape colours = *shape, mask = *shape;
    colours.channels -= shape->channels % 2 == 0;
    mask.channels = 1;
    sat_window_spec spec = window_spec(j, &colours, need->threads);
    spec.output = j->windows.output, spec.outputs = j->windows.outputs, spec.masked = true;
    sat_bytes bytes;
    const sat_status status = sat_window_bytes(&spec, &bytes);
    uint64_t all = job_image_bytes(&mask, SAT_U8) + job_object_bytes(status, &bytes);
    for (int i = 0; i < j->windows.outputs; i++) {
        const sat_type type = j->windows.output[i].compare ? SAT_U8
                              : j->result                  ? j->result
                                                           : sat_real_type(shape->type);
        all += job_image_bytes(&colours, type);
    }
    return all;
}

/* Encodes output i, with the image's metadata. */
static bool encode(work *w, int i, int threads, times *spent, error *err)
{
    const encode_options encoding = {.quality = w->j->quality,
                                     .compression = w->j->compression,
                                     .threads = threads,
                                     .progress = {progress_more, &spent->item}};
    w->out[i].meta = w->img->meta;
    w->out[i].bilevel = w->bilevel[i];
    set_nodata(w, i, &w->out[i].meta);
    const bool ok = w->format[i]->encode(&w->out[i], &encoding, w->sink[i], err);
    w->out[i].meta = (image_meta){0}; /* still the image's own */
    image_free(&w->out[i]);
    return ok;
}

bool job_window(const job *j, const char *input, image *img, char *const *outputs, int threads, times *spent,
                int *at_output, error *err)
{
    work w = {.j = j, .r = &j->windows, .img = img};
    const int n = w.r->outputs;
    double start = clock_now_s();
    bool ok = true;
    w.channels = img->channels - image_has_alpha(img);
    w.by_alpha = image_has_alpha(img) && j->alpha != ALPHA_STRAIGHT;
    for (int i = 0; i < n && ok; i++) {
        *at_output = i;
        w.format[i] = j->format ? j->format : format_by_extension(outputs[i]);
        ok = choose_result(&w, i, j->format ? j->format_word : format_extension(outputs[i]), err) &&
             sink_open(&w.sink[i], outputs[i], &(sink_options){.no_clobber = j->no_clobber}, err);
    }
    if (ok) {
        *at_output = -1;
        job_stage(j, spent, "compute");
        const decode_options decode = {.max_pixels = j->max_pixels, .no_orient = j->no_orient, .threads = threads};
        ok = valid_of_image(&w.valid, &j->valid, img, input, w.by_alpha, &decode, j->verbose, err) &&
             compute(&w, input, threads, err);
        if (ok && w.channels < img->channels && !j->quiet)
            say(input_name(input), "results are without alpha%s",
                w.by_alpha ? "; pixels whose alpha is 0 do not count" : "");
    }
    spent->compute_s = clock_now_s() - start;
    if (ok) job_stage(j, spent, "encode");
    start = clock_now_s();
    for (int i = 0; i < n && ok; i++) {
        *at_output = i;
        ok = encode(&w, i, threads, spent, err);
    }
    for (int i = 0; i < n && ok; i++) {
        *at_output = i;
        ok = sink_commit(&w.sink[i], err);
    }
    spent->encode_s = clock_now_s() - start;
    for (int i = 0; i < n; i++) {
        sink_abort(&w.sink[i]);
        image_free(&w.out[i]);
    }
    valid_free(&w.valid);
    return ok;
}
