/* window_job.c - statistics of the windows of one image: one output for each.
 *
 * Alpha is no sample: pixels with an alpha of 0 do not count, and outputs have the colours alone.  All outputs are held
 * until the last is encoded, and appear together. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "clock.h"
#include "job.h"
#include "memory.h"
#include "messages.h"
#include "name_list.h"
#include "number.h"
#include "sample_type.h"
#include "text_out.h"

/* What is made of one image. */
typedef struct work {
    const job *j;
    const window_request *r;
    const image *img;
    int channels; /* without alpha */
    bool by_alpha;
    bool skip_nan, has_nodata; /* as asked for, or as the file has it */
    double nodata;
    const image_format *format[SAT_OUTPUTS];
    sat_type result[SAT_OUTPUTS];
    bool bilevel[SAT_OUTPUTS];
    image out[SAT_OUTPUTS];
    sink *sink[SAT_OUTPUTS];
    image mask; /* u8, 1 channel; or empty */
    int64_t clipped, empty[SAT_OUTPUTS];
} work;

/* ---- result types -------------------------------------------------------------------------------------- */

static sat_type real_type(sat_type sample)
{
    return sample == SAT_F64 || sample == SAT_U32 || sample == SAT_I32 ? SAT_F64 : SAT_F32;
}

/* The type of output i: as --result says; else floats, or the image's type where the format holds no floats. */
static bool choose_result(work *w, int i, const char *word, error *err)
{
    const job *j = w->j;
    const sat_type real = real_type(w->img->type);
    error unused;
    w->result[i] = j->result_given ? (j->result == SAT_TYPE_NONE ? w->img->type : j->result) : real;
    if (w->r->output[i].compare) w->result[i] = SAT_U8;
    w->bilevel[i] = w->r->output[i].compare && w->channels == 1 && format_has_bits(w->format[i], word);
    if (w->bilevel[i]) return true;
    if (!j->result_given && !format_holds(w->format[i], word, w->result[i], w->channels, true, &unused))
        w->result[i] = w->img->type;
    return format_holds(w->format[i], word, w->result[i], w->channels, true, err);
}

/* ---- what counts --------------------------------------------------------------------------------------- */

/* Is sample i of a row not 0?  A NaN is set. */
static bool is_set(const void *row, sat_type type, int64_t i)
{
    switch (type) {
    case SAT_U8:
    case SAT_I8: return ((const uint8_t *)row)[i] != 0;
    case SAT_U16:
    case SAT_I16: return ((const uint16_t *)row)[i] != 0;
    case SAT_U32:
    case SAT_I32: return ((const uint32_t *)row)[i] != 0;
    case SAT_F32: return ((const float *)row)[i] != 0;
    default: return ((const double *)row)[i] != 0;
    }
}

/* Clears the mask where no sample of channels [first, end) of an image of its size is set. */
static void apply(image *mask, const image *from, int first, int end)
{
    for (int64_t y = 0; y < mask->height; y++) {
        uint8_t *to = (uint8_t *)mask->data + (size_t)y * mask->row_bytes;
        const void *row = (const char *)from->data + (size_t)y * from->row_bytes;
        for (int64_t x = 0; x < mask->width; x++) {
            bool set = false;
            for (int c = first; c < end; c++) set = set || is_set(row, from->type, x * from->channels + c);
            if (!set) to[x] = 0;
        }
    }
}

/* Can a sample be that, rounded to f32 if it is one? */
static bool is_sample(double v, sat_type type)
{
    if (type == SAT_F64) return true;
    if (type == SAT_F32) return isinf(v) || fabs(v) < 0x1.ffffffp127; /* nearer to the largest than to 2^128 */
    const bool is_signed = is_signed_type(type);
    const double range = ldexp(1, 8 * (int)sat_type_bytes(type) - is_signed);
    return v == floor(v) && v >= (is_signed ? -range : 0) && v < range;
}

/* A file's text: a number, NaN or an infinity, and blanks around it. */
static bool nodata_of(const char *text, double *value)
{
    char word[NODATA_TEXT_BYTES];
    snprintf(word, sizeof word, "%s", text + strspn(text, " "));
    size_t n = strlen(word);
    while (n > 0 && word[n - 1] == ' ') word[--n] = 0;
    if (number_of(word, NUMBER_SIGN | NUMBER_REAL, value)) return true;
    const char *bare = word + (*word == '-' || *word == '+');
    if (strcasecmp(bare, "nan") != 0 && strcasecmp(bare, "inf") != 0) return false;
    *value = strtod(word, NULL);
    return true;
}

static bool choose_nodata(work *w, const char *input, error *err)
{
    const window_request *r = w->r;
    const sat_type type = w->img->type;
    const bool is_float = is_float_type(type);
    const char *text = w->img->meta.nodata;
    double value;
    w->skip_nan = r->skip_nan, w->has_nodata = r->has_nodata, w->nodata = r->nodata;
    if (r->skip_nan && !is_float) return fail(err, "--nodata nan: of %s samples none is NaN", sat_type_name(type));
    if (r->has_nodata && !is_sample(r->nodata, type))
        return fail(err, "--nodata %.17g: no %s sample can be that", r->nodata, sat_type_name(type));
    if (r->nodata_given || !text[0]) return true;
    const bool number = nodata_of(text, &value), fits = number && (isnan(value) ? is_float : is_sample(value, type));
    w->skip_nan = fits && isnan(value);
    w->has_nodata = fits && !isnan(value);
    if (w->has_nodata) w->nodata = value;
    if (w->j->verbose)
        say(input_name(input), "its value for no data is '%s'%s", text,
            !number ? ", which is no number"
            : fits  ? ""
                    : ", which no sample can be");
    return true;
}

/* The file's value for no data becomes that of output i: a result that pixels without data have, and no others. */
static void set_nodata(const work *w, int i, image_meta *meta)
{
    const sat_window_output *o = &w->r->output[i];
    const sat_type type = w->result[i];
    const bool some_empty = w->skip_nan || w->has_nodata || w->mask.data || w->r->min_valid > 0 || w->r->ddof > 0;
    meta->nodata[0] = 0;
    if (!some_empty || o->compare || strcmp(o->statistic, "count") == 0) return;
    if (w->has_nodata && is_sample(w->nodata, type))
        meta->nodata[real_text(meta->nodata, type == SAT_F32 ? (double)(float)w->nodata : w->nodata)] = 0;
    else if (!w->has_nodata && is_float_type(type))
        snprintf(meta->nodata, sizeof meta->nodata, "nan");
}

static bool make_mask(work *w, int threads, error *err)
{
    image from = {0};
    const image *img = w->img;
    if (!w->r->mask && !w->by_alpha) return true;
    if (!image_alloc(&w->mask, img->width, img->height, 1, SAT_U8, err)) return false;
    memset(w->mask.data, 1, w->mask.row_bytes * (size_t)w->mask.height);
    if (w->by_alpha) apply(&w->mask, img, img->channels - 1, img->channels);
    if (!w->r->mask) return true;
    const decode_options decode = {.max_pixels = w->j->max_pixels, .no_orient = w->j->no_orient, .threads = threads};
    error why;
    if (!image_read(w->r->mask, &decode, &from, NULL, &why)) return fail(err, "--mask %s: %s", w->r->mask, why.text);
    const bool fits = from.width == img->width && from.height == img->height;
    if (fits)
        apply(&w->mask, &from, 0, image_has_alpha(&from) ? from.channels - 1 : from.channels);
    else
        fail(err, "--mask %s: %lldx%lld px, where the image has %lldx%lld", w->r->mask, (long long)from.width,
             (long long)from.height, (long long)img->width, (long long)img->height);
    image_free(&from);
    return fits;
}

/* ---- the statistics ------------------------------------------------------------------------------------ */

/* Says how many results of integers, and of thresholds, are empty: there they look like others. */
static void say_empty(const work *w, const char *input)
{
    const window_request *r = w->r;
    const bool given = w->has_nodata && !r->output->compare, some = r->min_valid > 0 || r->ddof > 0;
    char value[REAL_TEXT_BYTES + 1] = "0";
    long long empty = 0, of = 0;
    for (int i = 0; i < r->outputs; i++) {
        if (w->empty[i] < 0 || is_float_type(w->result[i])) continue;
        empty += w->empty[i];
        of += (long long)w->img->width * w->img->height * w->channels;
    }
    if (empty == 0 || w->j->quiet) return;
    if (given) value[real_text(value, w->nodata)] = 0;
    say(input_name(input), "%lld of %lld results are %s, as %s of their windows count%s", empty, of, value,
        some ? "too few samples" : "no samples",
        given || r->output->compare ? "" : "; floats are NaN there (--result)");
}

/* The value of all samples of an image of u8; -1 if they differ.  Stops at the first that does. */
static int only_value(const image *img)
{
    const uint8_t *first = img->data;
    const size_t n = (size_t)img->width * (size_t)img->channels;
    for (int64_t y = 0; y < img->height; y++) {
        const uint8_t *row = first + (size_t)y * img->row_bytes;
        if (*row != *first || memcmp(row, row + 1, n - 1) != 0) return -1;
    }
    return *first;
}

/* The range that output i reads, if it is not set: of the image's type.  0 if it reads none. */
static double silent_range(const work *w, int i)
{
    const sat_window_output *o = &w->r->output[i];
    const sat_type type = w->img->type;
    sat_statistic_info info = {0};
    bool reads = false;
    for (size_t k = 0; sat_statistic_at(k, &info) && strcmp(info.name, o->statistic) != 0;) k++;
    for (int k = 0; k < SAT_PARAMETERS; k++)
        reads = reads || info.parameter[k].of_range || (info.parameter[k].in_range && !(o->set >> k & 1));
    if (!reads || w->r->range[i] != 0) return 0;
    return is_float_type(type) ? 1 : ldexp(1, 8 * (int)sat_type_bytes(type) - is_signed_type(type)) - 1;
}

/* Says where a threshold tells nothing apart; often its range is another than the image's. */
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
    const sat_view mask = image_view(&w->mask);
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
    if (sat_window_create(&window, &spec) != SAT_OK) return fail(err, "%s", sat_detail());
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
    sat_window_spec spec = {.width = img->width,
                            .height = img->height,
                            .channels = w->channels,
                            .sample = img->type,
                            .window_width = j->window_width,
                            .window_height = j->window_height,
                            .border = j->border,
                            .masked = w->mask.data != NULL,
                            .skip_nan = w->skip_nan,
                            .has_nodata = w->has_nodata,
                            .ddof = w->r->ddof,
                            .nodata = w->nodata,
                            .min_valid = w->r->min_valid,
                            .empty = w->nodata,
                            .empty_set = w->has_nodata,
                            .threads = threads,
                            .backend = j->backend};
    if (j->border_values > 1 && j->border_values != w->channels)
        return fail(err, "--border %s has %d values, but the image has %d channel%s", j->border, j->border_values,
                    w->channels, w->channels > 1 ? "s beside alpha" : " beside alpha");
    for (int c = 0; c < w->channels; c++) spec.border_value[c] = j->border_value[j->border_values > 1 ? c : 0];
    long long integers = 0; /* samples of results that may be clipped */
    sat_view src = image_view(img);
    src.pixel_bytes = img->channels * (ptrdiff_t)sat_type_bytes(img->type);
    src.channels = w->channels;
    for (int i = 0; i < w->r->outputs; i++) {
        if (!image_alloc(&w->out[i], img->width, img->height, w->channels, w->result[i], err)) return false;
        if (w->result[i] != SAT_F32 && w->result[i] != SAT_F64 && !w->r->output[i].compare)
            integers += (long long)img->width * img->height * w->channels;
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

/* What the library takes beside views, at most (sat_window.h; cpu_window_integers.c and cpu_window_floats.c).  Of
 * integers, for each thread: columns of sums, and prefixes of them, of samples, squares in halves, and counts, for the
 * row and what windows reach beyond it.  Of floats: a part of 32 bytes for each sample of a strip, twice as wide as a
 * window, in some rows of the window. */
static uint64_t engine_bytes(const job *j, const image_shape *shape)
{
    enum {
        SAMPLE_BYTES = 128,
        PART_BYTES = 36,
        LEAST_STRIP = 384,
        GROUP = 16,
        MORE_ROWS = 2 * GROUP + 4,
        REST = 64 << 10
    };
    const uint64_t channels = (uint64_t)shape->channels, width = (uint64_t)shape->width,
                   side = (uint64_t)(j->window_width < 2 * shape->width ? j->window_width : 2 * shape->width),
                   rows = (uint64_t)(j->window_height < 2 * shape->height ? j->window_height : 2 * shape->height);
    uint64_t strip = 2 * side > LEAST_STRIP ? 2 * side : LEAST_STRIP, threads = (uint64_t)sat_processors();
    if (threads > (uint64_t)shape->height) threads = (uint64_t)shape->height;
    if (!is_float_type(shape->type)) return threads * (SAMPLE_BYTES * channels * (width + side) + REST);
    if (strip > width) strip = width;
    return threads * (PART_BYTES * channels * (strip + side) * (rows / GROUP + MORE_ROWS) + REST);
}

uint64_t job_window_bytes(const image_shape *shape, const void *context)
{
    const job *j = context;
    const uint64_t height = (uint64_t)shape->height;
    uint64_t bytes = (uint64_t)shape->width * height + engine_bytes(j, shape);
    for (int i = 0; i < j->windows.outputs; i++) {
        const sat_type type = j->windows.output[i].compare ? SAT_U8 : j->result ? j->result : real_type(shape->type);
        bytes += (uint64_t)sat_row_bytes(shape->width, shape->channels, type) * height;
    }
    return bytes;
}

/* Encodes output i, with the image's metadata. */
static bool encode(work *w, int i, int threads, times *spent, error *err)
{
    const encode_options options = {
        .quality = w->j->quality, .threads = threads, .progress = {progress_more, &spent->item}};
    w->out[i].meta = w->img->meta;
    w->out[i].bilevel = w->bilevel[i];
    set_nodata(w, i, &w->out[i].meta);
    const bool ok = w->format[i]->encode(&w->out[i], &options, w->sink[i], err);
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
        ok = choose_nodata(&w, input, err) && make_mask(&w, threads, err) && compute(&w, input, threads, err);
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
    image_free(&w.mask);
    return ok;
}
