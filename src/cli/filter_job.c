/* filter_job.c - the filter of one image.
 *
 * Each pass of a box rounds to the result's type, as if it had been saved and filtered again.  Passes of an even side
 * alternate between the two anchors: each moves the picture by half a pixel, and the next one moves it back.
 *
 * Where some samples do not count, a pass makes the means of what counts.  Where too few samples count, its result is
 * the value for no data, else NaN, else 0.  No other result is that value.  So the next pass, and a reader of the file,
 * can tell what counts.  Where there is no value, the next pass has a mask: the means of what counts of the mask's own
 * ones, whose empty results are 0. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "convert.h"
#include "filter_kinds.h"
#include "job.h"
#include "messages.h"
#include "number.h"
#include "progress.h"
#include "sample_type.h"
#include "sat_image.h"
#include "stream.h"

/* What is made of one image. */
typedef struct work {
    job j; /* its border's values are light where that is filtered */
    const char *input;
    image head;              /* the image before any filter, without pixels */
    valid_samples named;     /* its value for no data, as the file has it */
    valid_samples valid;     /* what counts of the samples that filters see */
    bool all;                /* samples count */
    sat_light *light, *back; /* to light; and back, of results, which may have no alpha */
    int64_t beyond;          /* light beyond the range of samples */
} work;

/* ---- a box ---------------------------------------------------------------------------------------- */

STREAM_OF(box, sat_box_run(o, src, results, run))
STREAM_OF(window, sat_window_run(o, src, NULL, results, run))

static sat_anchor anchor_of(int64_t pass)
{
    return pass % 2 ? SAT_ANCHOR_FIRST : SAT_ANCHOR_SECOND;
}

/* Do the samples' values say what counts?  Else a mask does. */
static bool by_value(const valid_samples *valid)
{
    return valid->skip_nan || valid->has_nodata;
}

/* What counts of a later pass is what is not the value, or NaN, which stands for it. */
static bool pass_of(const stream *s, int64_t pass, filter_pass *p, error *err)
{
    const work *w = s->context;
    valid_samples *valid = &p->valid;
    if (!filter_pass_of(p, s, &w->j, &w->head, s->head->channels, err)) return false;
    p->number = pass;
    p->shape.type = pass > 0 ? s->made[0] : s->sample;
    p->result = s->made[0];
    p->valid = w->valid;
    p->weighted = (w->all || w->j.filter.kind) && w->j.alpha != ALPHA_STRAIGHT && p->shape.channels % 2 == 0;
    if (pass > 0 && by_value(valid)) {
        valid->masked = false;
        if (valid->has_nodata && !sat_type_holds(s->made[0], valid->nodata))
            valid->has_nodata = false, valid->skip_nan = true;
    }
    return true;
}

static sat_status open_box(stream *s, const filter_pass *p, stream_filter *f, error *err)
{
    sat_box_spec spec = {FILTER_PASS(p),
                         .window_width = p->j->window_width,
                         .window_height = p->j->window_height,
                         .weighted_alpha = p->weighted,
                         .anchor = anchor_of(p->number),
                         .result = p->result};
    sat_box *box = NULL;
    const sat_status status = stream_make(s, &stream_box, &spec, f, err);
    spec.weighted_alpha = false;
    if (status == SAT_ERR_RANGE && p->weighted && sat_box_create(&box, &spec) == SAT_OK) {
        const size_t used = strlen(err->text);
        snprintf(err->text + used, sizeof err->text - used, "; --alpha straight sums the samples alone");
    }
    sat_box_destroy(&box);
    return status;
}

/* ---- means of what counts ------------------------------------------------------------------------- */

static sat_status open_means(stream *s, const filter_pass *p, stream_filter *f, error *err)
{
    const sat_window_output mean = {.statistic = "mean", .result = p->result};
    const bool has_empty = p->valid.has_nodata && sat_type_holds(p->result, p->valid.nodata);
    const sat_window_spec spec = {FILTER_PASS(p),
                                  FILTER_VALID(p),
                                  .window_width = p->j->window_width,
                                  .window_height = p->j->window_height,
                                  .anchor = anchor_of(p->number),
                                  .outputs = 1,
                                  .output = &mean,
                                  .empty_set = has_empty,
                                  .avoid_empty = has_empty};
    const sat_status status = stream_make(s, &stream_window, &spec, f, err);
    if (status == SAT_ERR_UNAVAILABLE)
        fail(err, "%s, by which boxes leave out samples that do not count%s", sat_detail(),
             by_value(&p->valid) ? "; --nodata none takes all" : "");
    return status;
}

/* The next pass's mask is the mean of this one's ones: 1 where the results are not empty. */
static bool add_mask(stream *s, filter_pass p, stream_filter *f, error *err)
{
    p.shape.channels = 1, p.shape.planes = 0, p.shape.type = p.result = SAT_U8;
    p.border_value[0] = 1;
    p.valid = (valid_samples){.masked = true};
    return open_means(s, &p, f, err) == SAT_OK;
}

/* ---- the filters of a pass ------------------------------------------------------------------------ */

static const char *border_name(const job *j)
{
    sat_border_info first;
    return j->border ? j->border : sat_border_at(0, &first) ? first.name : "";
}

static void say_filter(const work *w, const filter_pass *p, const stream_filter *f)
{
    const job *j = &w->j;
    char what[64];
    snprintf(what, sizeof what, "window %lldx%lld px, %lld pass%s", (long long)j->window_width,
             (long long)j->window_height, (long long)j->passes, j->passes > 1 ? "es" : "");
    say(input_name(w->input), "%s%s, border %s%s, %s%s; %s", j->filter.kind || w->all ? "" : "means of what counts, ",
        j->filter.kind ? j->filter.name + 2 : what, border_name(j), p->weighted ? ", weighted by alpha" : "",
        j->linear ? "in linear light" : "results of ", j->linear ? "" : sat_type_name(p->result),
        f->is->note(f->object));
}

static bool open_filter(stream *s, int64_t pass, stream_stage *g, error *err)
{
    const work *w = s->context;
    const filter_kind *kind = w->j.filter.kind;
    filter_pass p;
    const bool even = w->j.window_width % 2 == 0 || w->j.window_height % 2 == 0, means = !kind && !w->all,
               other = means || even || (pass == 1 && s->sample != s->made[0]);
    if (g->filters > 0 && !other) return true;
    stream_stage_free(g); /* first: some backends hold a table */
    if (!pass_of(s, pass, &p, err)) return false;
    const sat_status status = kind    ? kind->open(s, &p, g->filter, err)
                              : means ? open_means(s, &p, g->filter, err)
                                      : open_box(s, &p, g->filter, err);
    if (status != SAT_OK) return false;
    g->filters = 1;
    if (pass == 0 && w->j.verbose) say_filter(w, &p, g->filter);
    return !means || pass + 1 == s->passes || by_value(&w->valid) || add_mask(s, p, &g->mask, err);
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
    if (!job_border_values(j, img, img->channels, j->border_value, err)) return false;
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

static bool check_scale(const job *j, sat_type sample, error *err)
{
    const sat_type type = job_result_type(j, sample);
    if (!j->scales || j->scale_low < j->scale_high || type == SAT_U8 || type == SAT_U16) return true;
    return fail(err, "--scale 8bit is of samples of u16, and these are %s: --scale LO:HI", sat_type_name(type));
}

static bool open_light(sat_light **light, const sat_light_spec *spec, error *err)
{
    return sat_light_create(light, spec) == SAT_OK || fail(err, "%s", sat_detail());
}

/* What counts is compared as light. */
static bool become_light(work *w, stream *s, error *err)
{
    sat_light_spec spec = {.sample = w->head.type,
                           .threads = s->threads,
                           .alpha = image_has_alpha(&w->head),
                           .has_nodata = w->valid.has_nodata,
                           .nodata = w->valid.nodata};
    w->valid.nodata = (double)(float)sat_light_of(w->valid.nodata / sat_type_largest(w->head.type));
    if (!light_border(&w->j, &w->head, err) || !open_light(&w->light, &spec, err)) return false;
    s->light = w->light;
    s->sample = s->made[0] = SAT_F32;
    spec.alpha = image_has_alpha(s->head);
    return open_light(&w->back, &spec, err);
}

static bool to_samples(void *context, const sat_view *light, const sat_view *samples, error *err)
{
    work *w = context;
    int64_t beyond = 0;
    const bool ok = sat_light_to_srgb(w->back, light, samples, &beyond) == SAT_OK || fail(err, "%s", sat_detail());
    w->beyond += beyond;
    return ok;
}

/* ---- from image to file --------------------------------------------------------------------------- */

/* The first pass's, and masks. */
static uint64_t pass_bytes(const job_need *need, const image_shape *shape)
{
    const valid_choice *valid = &need->j->valid;
    work w = {.j = *need->j, .head = job_image_of(shape)};
    image_shape mask = *shape;
    mask.channels = 1;
    w.j.verbose = false;
    if (w.j.border_values > 1) w.j.border_values = shape->channels; /* another number is refused later */
    w.valid.masked = valid_has_mask(valid) || valid->skip_nan || valid->has_nodata;
    w.all = !w.valid.masked;
    const uint64_t masks = valid_has_mask(valid) ? job_image_bytes(&mask, SAT_U8) * (w.j.passes > 1 ? 3 : 1) : 0;
    return masks + stream_measure(&w.j, &w.head, job_result_type(&w.j, shape->type), need->threads, open_filter, &w);
}

/* Of light that is an image more.  From the second pass on, both images are of the result's type. */
static uint64_t filter_bytes(const image_shape *shape, const void *context)
{
    const job_need *need = context;
    const job *j = need->j;
    image_shape seen = *shape, result = *shape;
    if (j->linear) seen.type = SAT_F32;
    result.type = job_result_type(j, seen.type);
    const uint64_t light = j->linear ? job_image_bytes(shape, SAT_F32) : 0;
    const uint64_t in = job_image_bytes(&seen, seen.type), out = job_image_bytes(shape, result.type);
    const uint64_t first = out + pass_bytes(need, &seen);
    const uint64_t later = j->passes > 1 && out > in ? 2 * out - in + pass_bytes(need, &result) : 0;
    return light + (first > later ? first : later);
}

/* Boxes over what counts leave alpha out, where it is more than a channel like the others. */
static bool drops_alpha(const work *w)
{
    return !w->j.filter.kind && !w->all && image_has_alpha(&w->head) && w->j.alpha != ALPHA_STRAIGHT;
}

/* Can the format hold the result?  The error names what asked for its type. */
static bool check_holds(const work *w, const char *output, error *err)
{
    const job *j = &w->j;
    const image_format *format = job_format(j, output);
    const char *word = job_format_word(j, output);
    const image *img = &w->head;
    const bool colours = drops_alpha(w);
    const sat_type type = job_stored_type(j, job_result_type(j, img->type));
    const bool negative = !j->scales && ((j->filter.kind && j->filter.kind->is_signed) || is_signed_type(img->type));
    const int channels = img->channels - colours, planes = image_planes(img);
    error why, unused;
    if (format_holds(format, word, type, channels, planes, negative, &why)) return true;
    const bool bytes = type != SAT_U8 && format_holds(format, word, SAT_U8, channels, planes, negative, &unused);
    const char *cure = bytes ? "; --scale LO:HI makes u8" : "";
    if (type == img->type) return fail(err, "%s%s", why.text, cure);
    return fail(err, "%s %s: %s%s",
                j->scales   ? "--scale is to"
                : j->result ? "--result"
                            : "differences are of",
                sat_type_name(type), why.text, cure);
}

/* What counts in the image, before its samples become light; of a box not what is transparent. */
static bool what_counts(work *w, stream *s, error *err)
{
    const job *j = &w->j;
    const image *img = s->from.img ? s->from.img : &w->head;
    const bool by_alpha = !j->filter.kind && image_has_alpha(img) && j->alpha != ALPHA_STRAIGHT;
    valid_samples *valid = &w->valid;
    const valid_choice choice = job_valid(j, &s->from);
    if (!valid_of_image(valid, &choice, img, w->input, s->threads, j->verbose, err)) return false;
    if ((j->valid.nodata_given || j->valid.own_found) && !valid->has_nodata) w->head.meta.nodata[0] = 0;
    valid->masked = s->from.mask || valid->mask.data;
    w->all = valid_all(valid) && j->windows.min_valid == 0;
    const bool boxes = !w->all && !j->filter.kind, ones = boxes && s->passes > 1 && !by_value(valid);
    s->alpha_clears = boxes && by_alpha && valid->by_alpha;
    valid->masked = valid->masked || s->alpha_clears || ones;
    bool ok = true;
    if (s->from.img && valid->masked && !valid->mask.data) ok = valid_mask_of_ones(valid, img, err);
    if (s->from.img && s->alpha_clears) ok = ok && valid_clear_transparent(valid, img, s->threads, err);
    s->masked = valid->masked;
    s->mask = valid->mask;
    valid->mask = (image){0};
    w->named = *valid;
    return ok;
}

static bool store_light(stream *s, int i, image *rows, error *err)
{
    work *w = s->context;
    (void)i;
    return image_by_parts(rows, w->head.type, to_samples, w, err);
}

/* The stages, and what is written. */
static bool prepare(work *w, stream *s, error *err)
{
    image *made = s->head;
    s->context = w;
    s->results = 1;
    s->open = open_filter;
    s->sample = w->head.type;
    *made = w->head;
    made->channels -= drops_alpha(w);
    made->type = s->made[0] = job_result_type(&w->j, w->head.type);
    if (w->j.filter.kind && w->j.filter.kind->is_real) made->meta.units = UNITS_DIFFERENCES;
    if (!w->all) valid_nodata_text(&w->named, made->type, made->meta.nodata);
    job_store_head(&w->j, &w->named, made);
    s->named = &w->named;
    if (w->j.linear) s->store = store_light;
    return !w->j.linear || become_light(w, s, err);
}

static void say_clipped(const job *j, const char *input, const image *img, int64_t clipped)
{
    const long long samples = image_samples(img);
    if (clipped > 0 && !j->quiet)
        say(input_name(input), "%lld of %lld samples lay beyond the range of %s and were clipped", (long long)clipped,
            samples, sat_type_name(img->type));
}

static void say_results(const work *w, const stream *s)
{
    const job *j = &w->j;
    image made = *s->head;
    sat_counts counts = s->counts;
    made.type = s->made[0];
    if (j->filter.kind) say_clipped(j, w->input, &made, counts.clipped);
    if (drops_alpha(w) && !j->quiet)
        say(input_name(w->input), "the result is without alpha%s",
            s->alpha_clears ? "; pixels whose alpha is 0 do not count" : "");
    if (j->linear) made.type = w->head.type;
    say_clipped(j, w->input, &made, w->beyond);
    say_clipped(j, w->input, s->head, s->stored.clipped);
    if (is_float_type(made.type) && !j->scales) counts.empty[0] = 0;
    job_say_holes(j, w->input, &w->named,
                  &(job_holes){.is_value = w->named.has_nodata && !j->scales,
                               .of_floats = !j->linear && !j->scales,
                               .results = image_samples(&made),
                               .empty = counts.empty[0],
                               .moved = (counts.moved > 0 ? counts.moved : 0) + s->stored.moved});
}

static bool open_output(const work *w, stream *s, const char *output, error *err)
{
    s->at_output = 0;
    if (!check_holds(w, output, err) || !stream_write_to(s, 0, output, err)) return false;
    s->at_output = -1;
    return true;
}

static bool job_filter(const job *j, const char *input, const job_source *from, char *const *outputs, int threads,
                       times *spent, int *at_output, error *err)
{
    work w = {.j = *j, .input = input, .head = *job_head(from)};
    stream *s = stream_new(j, from, threads, spent, err);
    if (!s) return false;
    bool ok = (!j->linear || check_linear(&w.head, err)) && check_scale(j, w.head.type, err) &&
              what_counts(&w, s, err) && open_output(&w, s, *outputs, err) && prepare(&w, s, err) && stream_run(s, err);
    if (ok) say_results(&w, s);
    ok = stream_end(s, ok, at_output, err);
    valid_free(&w.valid);
    sat_light_destroy(&w.light);
    sat_light_destroy(&w.back);
    return ok;
}

static const char *job_filter_whole(const job *j, const row_source *from, char *const *outputs)
{
    const char *why = stream_refuses(j, from, outputs[0]);
    const bool far =
        j->filter.kind || j->passes > 1; /* rows of stages that are made long before they are needed again */
    if (!why && j->passes > STREAM_STAGES) why = "it has many passes";
    if (!why && far && stream_border_repeats(j->border)) why = "the border repeats all of it";
    return why;
}

const job_kind job_of_filter = {filter_bytes, job_filter_whole, job_filter};
