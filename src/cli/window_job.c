/* window_job.c - statistics of the windows of one image: one output for each.
 *
 * Alpha is no sample: pixels with an alpha of 0 do not count, and outputs have the colours alone.  All outputs are held
 * until the last is encoded, and appear together. */
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
    int64_t clipped, moved, empty[SAT_OUTPUTS];
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
    return format_holds(w->format[i], word, job_stored_type(j, w->result[i]), w->channels, planes, true, err);
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
    const sat_type type = w->out[i].data ? w->out[i].type : w->result[i];
    const bool some_empty = !valid_all(&w->valid) || w->r->min_valid > 0 || w->r->ddof > 0;
    meta->nodata[0] = 0;
    if (!some_empty || o->compare || is_count(o->statistic)) return;
    valid_nodata_text(&w->valid, type, meta->nodata);
}

/* ---- the statistics ------------------------------------------------------------------------------- */

/* Samples of one output. */
static long long samples_of(const work *w)
{
    return (long long)w->img->width * w->img->height * image_planes(w->img) * w->channels;
}

/* Says how many results of integers, and of thresholds, are empty: there they look like others. */
static void say_empty(const work *w, const char *input)
{
    const bool compares = w->r->output->compare;
    job_holes holes = {.is_value = w->valid.has_nodata && !compares, .of_floats = !compares, .moved = w->moved};
    for (int i = 0; i < w->r->outputs; i++) {
        if (w->empty[i] < 0 || is_float_type(w->result[i])) continue;
        holes.empty += w->empty[i];
        holes.results += samples_of(w);
    }
    job_say_holes(w->j, input, &w->valid, &holes);
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

/* Says where all results of a threshold are this; often its range is another than the image's. */
static void say_uniform(const work *w, const char *input, int i, int value)
{
    char hint[64] = "";
    if (value < 0 || !w->r->output[i].compare || w->j->quiet) return;
    const double range = silent_range(w, i);
    if (range > 0)
        snprintf(hint, sizeof hint, "; its range is %.0f (%s:" WINDOW_RANGE "=V)", range, w->r->output[i].statistic);
    say(input_name(input), "%s pixel is above %s, so that all results are %d%s", value ? "every" : "no", w->r->label[i],
        value, hint);
}

/* The windows of one range of samples, and which outputs are theirs. */
static bool open_range(const work *w, const char *input, sat_window_spec spec, sat_window **window, int index[],
                       int *outputs, error *err)
{
    const job *j = w->j;
    sat_window_output output[SAT_OUTPUTS];
    char range[REAL_TEXT_BYTES];
    spec.output = output;
    for (int i = 0; i < w->r->outputs; i++) {
        if (w->r->range[i] != spec.range) continue;
        output[spec.outputs] = w->r->output[i];
        output[spec.outputs].result = w->result[i];
        index[spec.outputs++] = i;
    }
    *outputs = spec.outputs;
    sat_status status = sat_window_create(window, &spec);
    if (status == SAT_ERR_UNAVAILABLE && spec.avoid_empty) { /* a device */
        spec.avoid_empty = false;
        status = sat_window_create(window, &spec);
    }
    if (status != SAT_OK) return fail(err, "%s", sat_detail());
    if (j->verbose)
        say(input_name(input), "window %lldx%lld px, %d statistic%s%s%.*s; %s", (long long)j->window_width,
            (long long)j->window_height, spec.outputs, spec.outputs > 1 ? "s" : "", spec.range > 0 ? ", range " : "",
            spec.range > 0 ? (int)real_text(range, spec.range) : 0, range, sat_window_note(*window));
    return true;
}

static void take_counts(work *w, const sat_counts *counts, const int index[], int outputs)
{
    if (counts->clipped > 0) w->clipped += counts->clipped;
    if (counts->moved > 0) w->moved += counts->moved;
    for (int i = 0; i < outputs; i++) w->empty[index[i]] = counts->empty[i];
}

/* The outputs of one range, in one run. */
static bool compute_range(work *w, const char *input, const sat_window_spec *spec, const sat_view *src, error *err)
{
    const sat_view mask = image_view(&w->valid.mask);
    sat_view results[SAT_OUTPUTS];
    int index[SAT_OUTPUTS], outputs;
    sat_window *window;
    if (!open_range(w, input, *spec, &window, index, &outputs, err)) return false;
    for (int i = 0; i < outputs; i++) results[i] = image_view(&w->out[index[i]]);
    sat_counts counts;
    const sat_run_options run = {.counts = &counts};
    const bool ok = sat_window_run(window, src, spec->masked ? &mask : NULL, results, &run) == SAT_OK;
    if (!ok) fail(err, "%s", sat_detail());
    take_counts(w, &counts, index, outputs);
    sat_window_destroy(&window);
    return ok;
}

/* What all outputs have in common, with what counts. */
static bool common_spec(const work *w, int threads, sat_window_spec *spec, error *err)
{
    const job *j = w->j;
    const image *img = w->img;
    image_shape colours = image_shape_of(img);
    colours.channels = w->channels;
    *spec = window_spec(j, &colours, threads);
    spec->masked = valid_masked(&w->valid);
    spec->skip_nan = w->valid.skip_nan;
    spec->has_nodata = w->valid.has_nodata;
    spec->empty_set = w->valid.has_nodata;
    for (int i = 0; i < w->r->outputs; i++) /* else NaN, or 0 */
        spec->empty_set = spec->empty_set && (w->r->output[i].compare || sat_type_holds(w->result[i], w->valid.nodata));
    spec->avoid_empty = spec->empty_set;
    spec->nodata = spec->empty = w->valid.nodata;
    if (j->border_values > 1 && j->border_values != w->channels)
        return fail(err, "--border %s has %d values, but the image has %d channel%s", j->border, j->border_values,
                    w->channels, w->channels > 1 ? "s beside alpha" : " beside alpha");
    return true;
}

/* Has output i the range of an output before it? */
static bool has_range_of_another(const work *w, int i)
{
    for (int k = 0; k < i; k++)
        if (w->r->range[k] == w->r->range[i]) return true;
    return false;
}

static void say_results(const work *w, const char *input)
{
    long long integers = 0; /* samples of results that may be clipped */
    say_empty(w, input);
    for (int i = 0; i < w->r->outputs; i++)
        if (w->result[i] != SAT_F32 && w->result[i] != SAT_F64 && !w->r->output[i].compare) integers += samples_of(w);
    if (w->clipped > 0 && !w->j->quiet)
        say(input_name(input),
            "%lld of %lld samples lay beyond the range of their type and were clipped; floats hold them (--result)",
            (long long)w->clipped, integers);
    if (w->channels < w->img->channels && !w->j->quiet)
        say(input_name(input), "results are without alpha%s",
            w->by_alpha ? "; pixels whose alpha is 0 do not count" : "");
}

static bool compute(work *w, const char *input, int threads, error *err)
{
    const image *img = w->img;
    sat_window_spec spec;
    if (!common_spec(w, threads, &spec, err)) return false;
    const sat_view src = image_channels_view(img, 0, w->channels);
    for (int i = 0; i < w->r->outputs; i++)
        if (!image_alloc_like(&w->out[i], img, w->channels, w->result[i], err)) return false;
    for (int i = 0; i < w->r->outputs; i++) {
        spec.range = w->r->range[i];
        if (!has_range_of_another(w, i) && !compute_range(w, input, &spec, &src, err)) return false;
    }
    for (int i = 0; i < w->r->outputs; i++) job_store(w->j, input, &w->out[i], &w->valid, &w->moved);
    for (int i = 0; i < w->r->outputs; i++)
        if (w->r->output[i].compare && !w->j->quiet) say_uniform(w, input, i, only_value(&w->out[i]));
    say_results(w, input);
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

static bool by_alpha(const job *j, const image *img)
{
    return image_has_alpha(img) && j->alpha != ALPHA_STRAIGHT;
}

static bool open_outputs(work *w, char *const *outputs, int *at_output, error *err)
{
    const job *j = w->j;
    for (int i = 0; i < w->r->outputs; i++) {
        *at_output = i;
        w->format[i] = j->format ? j->format : format_by_extension(outputs[i]);
        if (!choose_result(w, i, j->format ? j->format_word : format_extension(outputs[i]), err) ||
            !sink_open(&w->sink[i], outputs[i], &(sink_options){.no_clobber = j->no_clobber}, err))
            return false;
    }
    return true;
}

static bool commit(work *w, int *at_output, error *err)
{
    for (int i = 0; i < w->r->outputs; i++) {
        *at_output = i;
        if (!sink_commit(&w->sink[i], err)) return false;
    }
    return true;
}

/* ---- a band of rows at a time ----------------------------------------------------------------------- */

bool job_window_streams(const job *j, const row_source *from, char *const *outputs)
{
    bool ok = !by_alpha(j, &from->head) && !j->f16;
    for (int i = 0; i < j->windows.outputs; i++) {
        sat_statistic_info info;
        const char *name = j->windows.output[i].statistic;
        ok = ok && stream_serves(j, from, outputs[i]) && window_statistic(name, strlen(name), &info) &&
             !info.whole_image;
    }
    return ok;
}

static size_t largest_row(const work *w)
{
    size_t most = w->img->row_bytes;
    for (int i = 0; i < w->r->outputs; i++) {
        const size_t row = sat_row_bytes(w->img->width, w->channels, w->result[i]);
        if (row > most) most = row;
    }
    return most;
}

/* The windows of all ranges, and what is written of each output. */
static bool open_stream(work *w, const char *input, stream *s, int64_t band, const encode_options *encode, int threads,
                        int *at_output, error *err)
{
    stream_stage *g = &s->stage[0];
    sat_window_spec spec;
    s->stages = 1, s->results = w->r->outputs;
    g->channels = w->channels, g->sample = w->img->type;
    if (!common_spec(w, threads, &spec, err)) return false;
    spec.band_rows = band < spec.height ? band : 0;
    for (int i = 0; i < w->r->outputs; i++) {
        sat_window *window;
        spec.range = w->r->range[i];
        if (has_range_of_another(w, i)) continue;
        stream_filter *f = &g->filter[g->filters];
        *f = STREAM_FILTER(window);
        sat_bytes bytes;
        spec.output = w->r->output, spec.outputs = w->r->outputs;
        if (!stream_allows(s, sat_window_bytes(&spec, &bytes), &bytes, err)) return false;
        spec.outputs = 0;
        if (!open_range(w, input, spec, &window, f->result, &f->results, err)) return false;
        f->object = window;
        g->filters++;
    }
    for (int i = 0; i < w->r->outputs; i++) {
        image *head = &s->head[i];
        *at_output = i;
        *head = *w->img;
        head->channels = w->channels, head->type = w->result[i], head->bilevel = w->bilevel[i];
        s->ranges[i] = w->r->output[i].compare && !w->j->quiet;
        set_nodata(w, i, &head->meta);
        if (!stream_begin(s, i, w->format[i], encode, w->sink[i], err)) return false;
    }
    *at_output = -1;
    return true;
}

bool job_window_rows(const job *j, const char *input, const job_rows *rows, char *const *outputs, int threads,
                     times *spent, int *at_output, error *err)
{
    work w = {.j = j, .r = &j->windows, .img = &rows->from->head};
    valid_choice choice = j->valid;
    stream *s = calloc(1, sizeof *s);
    const double start = clock_now_s();
    const encode_options encode = {.quality = j->quality,
                                   .compression = j->compression,
                                   .threads = threads,
                                   .tile_width = (uint32_t)rows->from->tile_width,
                                   .tile_height = (uint32_t)rows->from->tile_height};
    if (!s) return fail_memory(err, "out of memory");
    s->from = rows->from, s->mask = rows->mask, s->share = rows->share, s->at_output = -1;
    choice.mask = NULL; /* is not decoded */
    w.channels = w.img->channels - image_has_alpha(w.img);
    job_stage(j, spent, "compute");
    bool ok = open_outputs(&w, outputs, at_output, err);
    const int64_t band = stream_band(w.img->height, largest_row(&w), threads);
    if (ok) {
        *at_output = -1;
        ok = valid_of_image(&w.valid, &choice, w.img, input, false, NULL, j->verbose, err);
        w.valid.by_rows = rows->mask != NULL;
        ok = ok && open_stream(&w, input, s, band, &encode, threads, at_output, err);
    }
    if (ok && !(ok = stream_run(s, band, threads, spent, err))) *at_output = s->at_output;
    if (ok) {
        for (int i = 0; i < s->stage[0].filters; i++) {
            const stream_filter *f = &s->stage[0].filter[i];
            take_counts(&w, &f->counts, f->result, f->results);
        }
        for (int i = 0; i < s->results; i++)
            if (s->ranges[i] && s->low[i] == s->high[i]) say_uniform(&w, input, i, (int)s->low[i]);
        say_results(&w, input);
        ok = commit(&w, at_output, err);
    }
    spent->compute_s = clock_now_s() - start;
    for (int i = 0; i < w.r->outputs; i++) sink_abort(&w.sink[i]);
    stream_free(s);
    free(s);
    return ok;
}

/* ---- a whole image ---------------------------------------------------------------------------------- */

bool job_window(const job *j, const char *input, image *img, char *const *outputs, int threads, times *spent,
                int *at_output, error *err)
{
    work w = {.j = j, .r = &j->windows, .img = img};
    const int n = w.r->outputs;
    double start = clock_now_s();
    w.channels = img->channels - image_has_alpha(img);
    w.by_alpha = by_alpha(j, img);
    bool ok = open_outputs(&w, outputs, at_output, err);
    if (ok) {
        *at_output = -1;
        job_stage(j, spent, "compute");
        const decode_options decode = {.max_pixels = j->max_pixels, .no_orient = j->no_orient, .threads = threads};
        ok = valid_of_image(&w.valid, &j->valid, img, input, w.by_alpha, &decode, j->verbose, err) &&
             compute(&w, input, threads, err);
    }
    spent->compute_s = clock_now_s() - start;
    if (ok) job_stage(j, spent, "encode");
    start = clock_now_s();
    for (int i = 0; i < n && ok; i++) {
        *at_output = i;
        ok = encode(&w, i, threads, spent, err);
    }
    ok = ok && commit(&w, at_output, err);
    spent->encode_s = clock_now_s() - start;
    for (int i = 0; i < n; i++) {
        sink_abort(&w.sink[i]);
        image_free(&w.out[i]);
    }
    valid_free(&w.valid);
    return ok;
}
