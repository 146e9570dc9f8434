/* window_job.c - statistics of the windows of one image: one output for each.
 *
 * Alpha is no sample: pixels with an alpha of 0 do not count, and outputs have the colours alone.  Outputs appear
 * together. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "filter_kinds.h"
#include "messages.h"
#include "number.h"
#include "progress.h"
#include "sample_type.h"
#include "sat_image.h"
#include "stream.h"
#include "text_out.h"
#include "units.h"

/* Of all rows: what wolf's threshold reads. */
typedef struct extremes {
    bool known; /* else the library finds them, or no statistic reads them */
    double lowest, largest_var;
} extremes;

/* What is made of one image. */
typedef struct work {
    const job *j;
    const char *input;
    const window_request *r;
    image head;   /* the image before any filter, without pixels */
    int channels; /* without alpha */
    bool by_alpha;
    valid_samples valid;
    sat_type result[SAT_OUTPUTS];
    bool bilevel[SAT_OUTPUTS];
    extremes whole;
} work;

/* ---- result types --------------------------------------------------------------------------------- */

/* The type in which output i is computed without --result. */
static sat_type own_type(const job *j, int i, sat_type sample)
{
    const sat_window_output *o = &j->windows.output[i];
    return o->compare ? SAT_U8 : sat_statistic_result(o->statistic, sample, j->window_width * j->window_height);
}

/* Refuses f16 for a sum or a count that can exceed 2048, up to which it stores all integers. */
static bool fits_f16(const work *w, int i, error *err)
{
    const window_request *r = w->r;
    const char *statistic = r->output[i].statistic;
    const bool sum = strcmp(statistic, "sum") == 0 && !is_float_type(w->head.type);
    const double area = (double)w->j->window_width * (double)w->j->window_height,
                 largest = r->info[i].count ? area
                           : sum            ? area * sat_type_largest(w->head.type)
                                            : 0;
    return largest <= 2048 || fail(err, "%s: it can reach %.0f, and f16 is exact up to 2^11; ask for %s", statistic,
                                   largest, largest <= 0x1p24 ? "f32" : "f64");
}

/* Chooses output i's type: --result's (not of comparisons), or the first that the format holds: own_type(), f32, the
 * image's. */
static bool choose_result(work *w, int i, const char *output, error *err)
{
    const job *j = w->j;
    const image_format *format = job_format(j, output);
    const char *word = job_format_word(j, output);
    const int planes = image_planes(&w->head);
    error unused;
    w->result[i] = own_type(j, i, w->head.type);
    if (j->result_given && !w->r->output[i].compare)
        w->result[i] = j->result == SAT_TYPE_NONE ? w->head.type : j->result;
    w->bilevel[i] =
        w->r->output[i].compare && w->channels == 1 && planes == 1 && format_has_bits(format, word, j->compression);
    if (w->bilevel[i]) return true;
    if (job_stored_type(j, w->result[i]) == SAT_F16 && !fits_f16(w, i, err)) return false;
    if (format_has_bits_only(format, j->compression))
        return fail(err, "--tiff-compression %s is for results of one bit: --threshold of one channel", j->compression);
    static const sat_type others[] = {SAT_F32, SAT_TYPE_NONE};
    for (int k = 0; !j->result_given && k < 2; k++) {
        if (format_holds(format, word, w->result[i], w->channels, planes, true, &unused)) break;
        w->result[i] = others[k] ? others[k] : w->head.type;
    }
    return format_holds(format, word, job_stored_type(j, w->result[i]), w->channels, planes, true, err);
}

/* ---- what counts ---------------------------------------------------------------------------------- */

/* The file's value for no data becomes that of output i: a result that pixels without data have, and no others. */
static void set_nodata(const work *w, int i, image_meta *meta)
{
    const sat_window_output *o = &w->r->output[i];
    const bool some_empty = !valid_all(&w->valid) || w->r->min_valid > 0 || w->r->ddof > 0;
    meta->nodata[0] = 0;
    if (!some_empty || o->compare || w->r->info[i].count) return;
    valid_nodata_text(&w->valid, w->result[i], meta->nodata);
}

/* ---- the statistics ------------------------------------------------------------------------------- */

STREAM_OF(window, sat_window_run(o, src, NULL, results, run))

/* Says how many results of integers, and of thresholds, are empty: there they look like others. */
static void say_empty(const work *w, const stream *s)
{
    const bool compares = w->r->output->compare;
    const sat_counts *counts = &s->counts;
    job_holes holes = {.is_value = w->valid.has_nodata && !compares,
                       .of_floats = !compares,
                       .moved = (counts->moved > 0 ? counts->moved : 0) + s->stored.moved};
    for (int i = 0; i < w->r->outputs; i++) {
        if (counts->empty[i] < 0 || is_float_type(w->result[i])) continue;
        holes.empty += counts->empty[i];
        holes.results += image_samples(&s->head[i]);
    }
    job_say_holes(w->j, w->input, &w->valid, &holes);
}

/* The range that output i reads, if it is not set: of the image's type.  0 if it reads none. */
static double silent_range(const work *w, int i)
{
    const sat_window_output *o = &w->r->output[i];
    const sat_type type = w->head.type;
    const sat_statistic_info *info = &w->r->info[i];
    bool reads = false;
    for (int k = 0; k < SAT_PARAMETERS; k++)
        reads = reads || info->parameter[k].of_range || (info->parameter[k].in_range && !(o->set >> k & 1));
    if (!reads || w->r->range[i] != 0) return 0;
    return sat_type_largest(type);
}

/* Says where all results of a threshold are this; often its range is another than the image's. */
static void say_uniform(const work *w, int i, int value)
{
    char hint[64] = "";
    const double range = silent_range(w, i);
    if (range > 0)
        snprintf(hint, sizeof hint, "; its range is %.0f (%s:" WINDOW_RANGE "=V)", range, w->r->output[i].statistic);
    say(input_name(w->input), "%s pixel is above %s, so that all results are %d%s", value ? "every" : "no",
        w->r->label[i], value, hint);
}

/* The windows of one range of samples; *f: theirs, and which outputs are theirs. */
static bool open_range(stream *s, sat_window_spec spec, stream_filter *f, error *err)
{
    const work *w = s->context;
    const job *j = w->j;
    sat_window_output output[SAT_OUTPUTS];
    int index[SAT_OUTPUTS] = {0};
    char range[REAL_TEXT_BYTES];
    spec.output = output;
    for (int i = 0; i < w->r->outputs; i++) {
        if (w->r->range[i] != spec.range) continue;
        output[spec.outputs] = w->r->output[i];
        output[spec.outputs].result = w->result[i];
        index[spec.outputs++] = i;
    }
    sat_status status = stream_make(s, &stream_window, &spec, f, err);
    if (status == SAT_ERR_UNAVAILABLE && spec.avoid_empty) { /* a device */
        spec.avoid_empty = false;
        status = stream_make(s, &stream_window, &spec, f, err);
    }
    memcpy(f->result, index, sizeof index);
    f->results = spec.outputs;
    if (status == SAT_OK && j->verbose && !s->measures)
        say(input_name(w->input), "window %lldx%lld px, %d statistic%s%s%.*s; %s", (long long)j->window_width,
            (long long)j->window_height, spec.outputs, spec.outputs > 1 ? "s" : "", spec.range > 0 ? ", range " : "",
            spec.range > 0 ? (int)real_text(range, spec.range) : 0, range, f->is->note(f->object));
    return status == SAT_OK;
}

/* What all outputs have in common, with what counts. */
static bool common_spec(const work *w, const stream *s, sat_window_spec *spec, error *err)
{
    filter_pass p;
    if (!filter_pass_of(&p, s, w->j, &w->head, w->channels, err)) return false;
    p.valid = w->valid;
    *spec = (sat_window_spec){FILTER_PASS(&p),
                              FILTER_VALID(&p),
                              .window_width = w->j->window_width,
                              .window_height = w->j->window_height,
                              .empty_set = w->valid.has_nodata,
                              .ddof = w->r->ddof,
                              .has_extremes = w->whole.known,
                              .lowest = w->whole.lowest,
                              .largest_var = w->whole.largest_var};
    for (int i = 0; i < w->r->outputs; i++) /* else NaN, or 0 */
        spec->empty_set = spec->empty_set && (w->r->output[i].compare || sat_type_holds(w->result[i], w->valid.nodata));
    spec->avoid_empty = spec->empty_set;
    return true;
}

/* Has output i the range of an output before it? */
static bool has_range_of_another(const work *w, int i)
{
    for (int k = 0; k < i; k++)
        if (w->r->range[k] == w->r->range[i]) return true;
    return false;
}

static void say_results(const work *w, const stream *s)
{
    const job *j = w->j;
    long long integers = 0; /* samples of results that may be clipped */
    for (int i = 0; i < w->r->outputs; i++) {
        if (s->ranges[i] && s->low[i] == s->high[i]) say_uniform(w, i, (int)s->low[i]);
        if (!is_float_type(w->result[i]) && !w->r->output[i].compare) integers += image_samples(&s->head[i]);
    }
    say_empty(w, s);
    if (s->counts.clipped > 0 && !j->quiet)
        say(input_name(w->input),
            "%lld of %lld samples lay beyond the range of their type and were clipped; floats hold them (--result)",
            (long long)s->counts.clipped, integers);
    if (w->channels < w->head.channels && !j->quiet)
        say(input_name(w->input), "results are without alpha%s",
            w->by_alpha ? "; pixels whose alpha is 0 do not count" : "");
}

static bool by_alpha(const job *j, const image *img)
{
    return image_has_alpha(img) && j->alpha != ALPHA_STRAIGHT;
}

static bool open_outputs(work *w, stream *s, char *const *outputs, error *err)
{
    for (int i = 0; i < w->r->outputs; i++) {
        s->at_output = i;
        if (!choose_result(w, i, outputs[i], err) || !stream_write_to(s, i, outputs[i], err)) return false;
        if (w->r->output[i].compare && s->to[i].format->has_quality && !w->j->quiet)
            say(output_name(outputs[i]), "the format is lossy: samples beside edges will be neither 0 nor 255");
    }
    s->at_output = -1;
    return true;
}

/* ---- the statistics of an image ---------------------------------------------------------------------- */

/* The windows of all ranges. */
static bool open_windows(stream *s, int64_t pass, stream_stage *g, error *err)
{
    const work *w = s->context;
    sat_window_spec spec;
    (void)pass;
    if (!common_spec(w, s, &spec, err)) return false;
    for (int i = 0; i < w->r->outputs; i++) {
        if (has_range_of_another(w, i)) continue;
        spec.range = w->r->range[i];
        if (!open_range(s, spec, &g->filter[g->filters], err)) return false;
        g->filters++;
    }
    return true;
}

/* Results, a mask and the objects; whether there will be a mask is not known yet. */
static uint64_t window_bytes(const image_shape *shape, const void *context)
{
    const job_need *need = context;
    job j = *need->j;
    work w = {.j = &j, .r = &j.windows, .head = job_image_of(shape), .valid = {.masked = true}};
    image_shape colours = *shape, mask = *shape;
    w.channels = colours.channels -= shape->channels % 2 == 0;
    mask.channels = 1;
    if (j.border_values > 1) j.border_values = w.channels; /* another number is refused later */
    uint64_t all = job_image_bytes(&mask, SAT_U8);
    for (int i = 0; i < j.windows.outputs; i++) {
        w.result[i] = j.result && !j.windows.output[i].compare ? j.result : own_type(&j, i, shape->type);
        all += job_image_bytes(&colours, w.result[i]);
    }
    return all + stream_measure(&j, &w.head, SAT_TYPE_NONE, need->threads, open_windows, &w);
}

static bool what_counts(work *w, stream *s, error *err)
{
    const job *j = w->j;
    const image *img = s->from.img;
    const valid_choice choice = job_valid(j, &s->from);
    if (!valid_of_image(&w->valid, &choice, img ? img : &w->head, w->input, s->threads, j->verbose, err)) return false;
    s->alpha_clears = w->by_alpha = w->by_alpha && w->valid.by_alpha;
    if (img && w->by_alpha && !valid_clear_transparent(&w->valid, img, s->threads, err)) return false;
    s->masked = w->valid.masked = w->valid.mask.data || s->from.mask || w->by_alpha;
    s->mask = w->valid.mask;
    w->valid.mask = (image){0};
    return true;
}

/* ---- extremes of the whole image ---------------------------------------------------------------------- */

bool job_reads_twice(const job *j)
{
    for (int i = 0; i < j->windows.outputs; i++)
        if (j->windows.info[i].whole_image) return true;
    return false;
}

/* Result 0: the variances of all windows; result 1: the pixels, those that count. */
static bool open_extremes(stream *s, int64_t pass, stream_stage *g, error *err)
{
    const work *w = s->context;
    sat_window_spec spec;
    (void)pass;
    if (!common_spec(w, s, &spec, err)) return false;
    spec.empty_set = spec.avoid_empty = spec.keep_holes = false;
    spec.outputs = 1;
    for (int i = 0; i < 2; i++) {
        const sat_window_output output = {.statistic = i == 0 ? "var" : "mean", .result = SAT_F64};
        spec.output = &output;
        if (i == 1) spec.window_width = spec.window_height = 1, spec.min_valid = 0, spec.border = NULL;
        if (stream_make(s, &stream_window, &spec, &g->filter[i], err) != SAT_OK) return false;
        g->filter[i].result[0] = i;
        g->filters++;
    }
    return true;
}

/* NaN is an empty result, or the variance of samples that are no numbers: not an extreme. */
static bool take_extremes(stream *s, int i, image *rows, error *err)
{
    work *w = s->context;
    extremes *e = &w->whole;
    const sat_view view = image_view(rows);
    double low, high;
    const sat_status status = sat_image_range(&view, 1, &low, &high);
    if (status != SAT_OK && status != SAT_ERR_RANGE) return fail(err, "%s", sat_detail());
    if (i == 0 && high > e->largest_var) e->largest_var = high;
    if (i == 1 && (!e->known || low < e->lowest)) e->lowest = low, e->known = true;
    return true;
}

/* Reads all rows, as of: the stream that will make the results. */
static bool find_extremes(work *w, const stream *of, error *err)
{
    stream *s = stream_new(w->j, &of->from, of->threads, of->spent, err);
    int unused;
    if (!s) return false;
    s->first = 0, s->end = w->head.height;
    s->context = w;
    s->sample = w->head.type;
    s->masked = of->masked, s->alpha_clears = of->alpha_clears;
    s->open = open_extremes;
    s->store = take_extremes;
    s->results = 2;
    for (int i = 0; i < s->results; i++) {
        s->head[i] = w->head;
        s->head[i].channels = w->channels, s->head[i].type = s->made[i] = SAT_F64;
    }
    const bool ok = stream_run(s, err);
    memory_keep(s->from.share, 0); /* the next stream takes its own */
    return stream_end(s, ok, &unused, err);
}

/* What is written. */
static void prepare(work *w, stream *s)
{
    s->context = w;
    s->results = w->r->outputs, s->named = &w->valid;
    s->open = open_windows;
    s->sample = w->head.type;
    for (int i = 0; i < s->results; i++) {
        image *head = &s->head[i];
        *head = w->head;
        head->channels = w->channels, head->type = s->made[i] = w->result[i], head->bilevel = w->bilevel[i];
        set_nodata(w, i, &head->meta);
        const sat_statistic_info *info = &w->r->info[i];
        head->meta.units = w->r->output[i].compare ? UNITS_OTHER : units_of(info->name, info->threshold);
        job_store_head(w->j, &w->valid, head);
        s->ranges[i] = w->r->output[i].compare && !w->j->quiet;
    }
}

static bool job_window(const job *j, const char *input, const job_source *from, char *const *outputs, int threads,
                       times *spent, int *at_output, error *err)
{
    work w = {.j = j, .input = input, .r = &j->windows, .head = *job_head(from)};
    stream *s = stream_new(j, from, threads, spent, err);
    if (!s) return false;
    w.channels = w.head.channels - image_has_alpha(&w.head);
    w.by_alpha = by_alpha(j, &w.head);
    bool ok = open_outputs(&w, s, outputs, err) && what_counts(&w, s, err) &&
              (from->img || !job_reads_twice(j) || find_extremes(&w, s, err));
    if (ok) {
        prepare(&w, s);
        ok = stream_run(s, err);
    }
    if (ok) say_results(&w, s);
    ok = stream_end(s, ok, at_output, err);
    valid_free(&w.valid);
    return ok;
}

static const char *job_window_whole(const job *j, const row_source *from, char *const *outputs)
{
    for (int i = 0; i < j->windows.outputs; i++) {
        const char *why = stream_refuses(j, from, outputs[i]);
        if (why) return why;
    }
    if (!job_reads_twice(j)) return NULL;
    return image_planes(&from->head) > 1 ? "a statistic has extremes of each band"
           : from->in_order              ? "a statistic reads it twice, and it is a pipe"
                                         : NULL;
}

const job_kind job_of_windows = {window_bytes, job_window_whole, job_window};
