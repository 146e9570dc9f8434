/* table_job.c - the table file of one image, a band of rows at a time.
 *
 * Planes of an image are its channels: each entry of the table has all of them side by side, as the file has.
 *
 * Bands of about 16 MiB (well beyond what a parallel region costs to start, and small beside an image) are
 * summed, joined by their carry row, and written as they come: no table is ever held whole, and no image of integers
 * whose rows can be read. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "image.h"
#include "image_memory.h"
#include "job.h"
#include "mask_rows.h"
#include "messages.h"
#include "progress.h"
#include "rounding.h"
#include "stream.h"
#include "sample_type.h"
#include "sat_image.h"
#include "sat_query.h"

enum { BAND_BYTES = 16 << 20 };

/* q32 without --largest: rectangles of up to 256 x 256 px, which leaves 32 - 16 = 16 bits for each sample. */
enum { Q32_LARGEST_PX = 1 << 16 };

static bool choose_quant(const job *j, const char *input, const image *img, int threads, sat_quant *quant, error *err)
{
    double low, high;
    int64_t largest = j->largest_px;
    if (!is_float_type(img->type))
        return fail(err, "--type q32 is for float images, and this one is %s; i64 is exact for it",
                    sat_type_name(img->type));
    if (largest == 0) largest = Q32_LARGEST_PX;
    if (largest > img->width * img->height) largest = img->width * img->height;
    const sat_view pixels = image_view(img);
    const sat_status status = sat_image_range(&pixels, threads, &low, &high);
    if (status != SAT_OK)
        return fail(err, "%s%s", sat_detail(), status == SAT_ERR_RANGE ? ", which q32 cannot hold" : "");
    if (sat_quant_for(low, high, largest, quant) != SAT_OK) return fail(err, "%s", sat_detail());
    if (j->verbose)
        say(input_name(input), "samples from %g to %g in steps of %g, rectangles of up to %lld px", low, high,
            quant->step, (long long)largest);
    return true;
}

/* One moment's sums: of the samples, of their squares, or how many count. */
typedef struct moment {
    bool used;
    sat_plan *plan;
    sat_view band; /* the table's rows of one band */
    void *carry;
} moment;

enum { COUNTS, SUMS, SQUARES, MOMENTS };
static const int powers[MOMENTS] = {SAT_COUNTS, 1, 2};

typedef struct band_work {
    sat_plan_spec spec;
    valid_samples valid;
    moment moments[MOMENTS];
    sat_file_writer *writer;
    row_source *from;      /* the rows of an image without pixels; or NULL */
    bool seeks_level;      /* until a row with valid samples has set the level (sat_image_level()) */
    char *rows, *counting; /* of a band: samples, and a byte for each pixel that says whether it counts */
    mask_rows mask;
} band_work;

/* Rows of the image in a band. */
static int64_t band_rows(int64_t height, size_t table_row_bytes)
{
    int64_t rows = (int64_t)(BAND_BYTES / table_row_bytes);
    return rows < 1 ? 1 : rows > height ? height : rows;
}

static sat_type accum_for(const job *j, sat_type sample)
{
    return j->accum ? j->accum : is_float_type(sample) ? SAT_F64 : SAT_I64;
}

static sat_plan_spec plan_spec(const job *j, const image_shape *shape, int64_t rows, int threads)
{
    return (sat_plan_spec){.width = shape->width,
                           .height = rows,
                           .channels = shape->channels,
                           .count = shape->planes,
                           .sample = shape->type,
                           .accum = accum_for(j, shape->type),
                           .layout = j->layout,
                           .backend = j->backend,
                           .threads = threads};
}

/* 0: more than can be. */
static size_t table_row_bytes(const image_shape *shape, int64_t width, sat_type accum)
{
    size_t bytes = sat_row_bytes(width, shape->channels, accum);
    return __builtin_mul_overflow(bytes, (size_t)(shape->planes > 1 ? shape->planes : 1), &bytes) ? 0 : bytes;
}

/* Returns whether a level is subtracted: of float samples with squares, summed in f64. */
static bool has_level(const job *j, sat_type sample)
{
    return j->squares && is_float_type(sample) && accum_for(j, sample) == SAT_F64;
}

/* A plan, with a band, a padded table's first row, and the row that is carried on. */
static uint64_t moment_bytes(const job_need *need, const image_shape *shape, int power)
{
    const job *j = need->j;
    const size_t row_bytes = table_row_bytes(shape, shape->width + 1, accum_for(j, shape->type));
    if (row_bytes == 0) return UINT64_MAX;
    const int64_t rows = band_rows(shape->height, row_bytes);
    sat_plan_spec spec = plan_spec(j, shape, rows, need->threads);
    spec.power = power;
    spec.level = has_level(j, shape->type); /* 1: any level takes as much memory */
    spec.masked = valid_has_mask(&j->valid);
    spec.skip_nan = j->valid.skip_nan, spec.has_nodata = j->valid.has_nodata, spec.nodata = j->valid.nodata;
    sat_bytes bytes;
    const sat_status status = sat_plan_bytes(&spec, &bytes);
    return (uint64_t)(rows + 2) * row_bytes + job_object_bytes(status, &bytes);
}

static uint64_t job_table_bytes(const image_shape *shape, const void *context)
{
    const job_need *need = context;
    image_shape mask = *shape;
    mask.channels = 1;
    const bool counts = need->j->counts || valid_has_mask(&need->j->valid) || need->j->valid.nodata_given;
    uint64_t all = valid_has_mask(&need->j->valid) && !need->by_rows ? job_image_bytes(&mask, SAT_U8) : 0;
    for (int m = 0; m < MOMENTS; m++) {
        const bool used = m == COUNTS ? counts : m == SUMS || need->j->squares;
        if (used && __builtin_add_overflow(all, moment_bytes(need, shape, powers[m]), &all)) return UINT64_MAX;
    }
    return all;
}

static sat_plan_spec moment_spec(const band_work *w, int which, sat_type accum)
{
    sat_plan_spec spec = w->spec;
    spec.power = powers[which];
    spec.accum = accum;
    return spec;
}

/* Several moments are of one type, of which the library knows those of each: names those of all. */
static bool refuse_type(const band_work *w, error *err)
{
    static const sat_type accums[] = {SAT_U32, SAT_I32, SAT_U64, SAT_I64, SAT_F32, SAT_F64};
    char names[64] = "";
    for (size_t i = 0; i < sizeof accums / sizeof *accums; i++) {
        bool all = true;
        for (int m = 0; m < MOMENTS && all; m++) {
            sat_plan *plan = NULL;
            const sat_plan_spec spec = moment_spec(w, m, accums[i]);
            all = !w->moments[m].used || sat_plan_create(&plan, &spec) == SAT_OK;
            sat_plan_destroy(&plan);
        }
        const size_t used = strlen(names);
        if (all) snprintf(names + used, sizeof names - used, "%s%s", used ? " or " : "", sat_type_name(accums[i]));
    }
    return fail(err, "a table of sums%s%s of %s samples cannot be of %s, but of %s (--type)",
                w->moments[SQUARES].used ? " and squares" : "", w->moments[COUNTS].used ? " and counts" : "",
                sat_type_name(w->spec.sample), sat_type_name(w->spec.accum), names);
}

static bool open_moment(band_work *w, int which, error *err)
{
    const sat_plan_spec *s = &w->spec;
    moment *m = &w->moments[which];
    const bool padded = s->layout == SAT_PADDED;
    const sat_plan_spec spec = moment_spec(w, which, s->accum);
    const sat_status status = sat_plan_create(&m->plan, &spec);
    if (status == SAT_ERR_TYPE && (w->moments[SQUARES].used || w->moments[COUNTS].used)) return refuse_type(w, err);
    if (status != SAT_OK) return fail(err, "%s%s", sat_detail(), which != SUMS ? " (--type)" : "");
    m->band = (sat_view){.width = s->width + padded, .height = s->height + padded, .channels = s->channels};
    m->band.type = s->accum, m->band.count = s->count;
    if (!view_alloc(&m->band, "a band of its table", err)) return false;
    const size_t planes = s->count > 1 ? (size_t)s->count : 1;
    if (planes > 1) {
        m->band.image_bytes = (ptrdiff_t)sat_type_bytes(s->accum);
        m->band.pixel_bytes = m->band.image_bytes * (ptrdiff_t)planes;
        m->band.row_bytes *= (ptrdiff_t)planes;
    }
    m->carry = calloc((size_t)s->width * (size_t)s->channels * planes, sat_type_bytes(s->accum));
    return m->carry ? true : fail(err, "out of memory");
}

static bool prepare(const job *j, const char *input, const job_source *in, int threads, band_work *w, error *err)
{
    const image *img = job_head(in);
    mask_files *mask = in->mask;
    int padded = j->layout == SAT_PADDED;
    sat_type accum = accum_for(j, img->type);
    const image_shape shape = image_shape_of(img);
    size_t row_bytes = table_row_bytes(&shape, img->width + padded, accum);
    if (row_bytes == 0) return fail(err, "a row of its table would not fit any memory");
    int64_t rows = band_rows(img->height, row_bytes);
    w->spec = plan_spec(j, &shape, rows, threads);
    const size_t mask_row = (size_t)(img->width * image_planes(img));
    if (w->from && !(w->rows = memory_rows(rows, image_line_bytes(img), err))) return false;
    if (mask && !(w->counting = memory_rows(rows, mask_row, err))) return false;
    if (!mask_rows_open(&w->mask, mask, err)) return false;
    const valid_choice choice = job_valid(j, in);
    if (!valid_of_image(&w->valid, &choice, img, input, threads, j->verbose, err)) return false;
    w->valid.by_alpha = w->valid.by_alpha && !j->quiet;
    w->spec.masked = w->valid.masked = mask || w->valid.mask.data;
    w->spec.skip_nan = w->valid.skip_nan, w->spec.has_nodata = w->valid.has_nodata, w->spec.nodata = w->valid.nodata;
    const bool counts = j->counts || !valid_all(&w->valid);
    w->seeks_level = has_level(j, img->type);
    if (accum == SAT_Q32 && !choose_quant(j, input, img, threads, &w->spec.quant, err)) return false;
    w->moments[SUMS].used = true, w->moments[SQUARES].used = j->squares, w->moments[COUNTS].used = counts;
    for (int m = 0; m < MOMENTS; m++)
        if (w->moments[m].used && !open_moment(w, m, err)) return false;
    if (j->verbose)
        say(input_name(input), "%s; %s table of %s%s%s, in bands of %lld rows", sat_plan_note(w->moments[SUMS].plan),
            sat_layout_name(j->layout), sat_type_name(accum), j->squares ? ", and of the squares" : "",
            counts ? ", and of the counts" : "", (long long)rows);
    return true;
}

/* Sets the level of plans and file from the first valid row. All sums above it are 0 at any level. */
static bool take_level(band_work *w, const sat_view *rows, const sat_view *mask, error *err)
{
    double level;
    if (sat_image_level(rows, mask, &level, &w->spec) != SAT_OK) return fail(err, "%s", sat_detail());
    if (level != level) return true; /* NaN: there are none */
    w->seeks_level = false;
    w->spec.level = level;
    for (int m = SUMS; m <= SQUARES; m++) {
        const sat_plan_spec spec = moment_spec(w, m, w->spec.accum);
        sat_plan_destroy(&w->moments[m].plan);
        if (sat_plan_create(&w->moments[m].plan, &spec) != SAT_OK) return fail(err, "%s", sat_detail());
    }
    return sat_file_writer_level(w->writer, level) == SAT_OK || fail(err, "%s", sat_detail());
}

/* Sums image rows [y, y + rows) for all moments and shows the tables' rows for them in made. */
static bool sum_band(band_work *w, const char *input, const image *img, int64_t y, int64_t rows, sat_view made[MOMENTS],
                     error *err)
{
    image band = *img;
    if (w->from) band.data = w->rows, band.height = rows;
    if (w->from && !row_source_read(w->from, y, rows, w->rows, err)) return false;
    valid_say_transparent(&w->valid, &band, w->from ? 0 : y, rows, input);
    const sat_view in = w->from ? image_lines_view(&band) : image_rows_view(&band, y, rows);
    sat_view mask = {0};
    if (w->valid.mask.data)
        mask = image_rows_view(&w->valid.mask, y, rows);
    else if (w->spec.masked) {
        band.data = w->counting, band.type = SAT_U8, band.channels = 1, band.row_bytes = (size_t)band.width;
        mask = image_lines_view(&band);
        if (!mask_rows_read(&w->mask, y, &mask, err)) return false;
    }
    if (w->seeks_level && !take_level(w, &in, w->spec.masked ? &mask : NULL, err)) return false;
    for (int k = 0; k < MOMENTS; k++) {
        const moment *m = &w->moments[k];
        if (!m->used) continue;
        made[k] = m->band;
        made[k].height = rows + (w->spec.layout == SAT_PADDED && y == 0);
        const sat_run_options run = {.carry_in = y > 0 ? m->carry : NULL,
                                     .carry_out = m->carry,
                                     .continues = y > 0,
                                     .mask = w->spec.masked ? &mask : NULL};
        if (sat_plan_run(m->plan, &in, &made[k], &run) != SAT_OK) return fail(err, "%s", sat_detail());
    }
    return true;
}

/* The carry row is the last of an inclusive table. */
static sat_table last_row(const image *img, const moment *m, int power)
{
    sat_table last = {.view = {.data = m->plan ? m->carry : NULL, .width = img->width, .height = 1}};
    last.view.channels = img->channels, last.view.count = image_planes(img), last.view.type = m->band.type;
    last.view.row_bytes = (ptrdiff_t)sat_row_bytes(img->width, img->channels, m->band.type);
    last.layout = SAT_INCLUSIVE, last.sample = img->type, last.power = power;
    return last;
}

static void say_rounding(const job *j, const image *img, const moment *moments, const char *output)
{
    const sat_view pixels = image_view(img);
    const sat_table sums = last_row(img, &moments[SUMS], 1), squares = last_row(img, &moments[SQUARES], 2);
    if (!j->quiet) rounding_say(output_name(output), &sums, &squares, img->height, img->data ? &pixels : NULL);
}

/* What is said of other tables of floats, and the step of q32, follows from all samples. */
static const char *job_table_whole(const job *j, const row_source *from, char *const *outputs)
{
    const sat_type accum = accum_for(j, from->head.type);
    (void)outputs;
    if (from->whole) return from->whole;
    if (!stream_backend(j->backend)) return "the backend makes no rows";
    if (accum == SAT_Q32) return "the table is of q32";
    if (is_float_type(from->head.type)) return accum == SAT_F64 ? NULL : "the table is of f32";
    return is_float_type(accum) ? "the table is of floats" : NULL;
}

static bool take_memory(const job *j, const job_source *in, int threads, error *err)
{
    const row_source *from = in->from;
    const image_shape shape = image_shape_of(&from->head);
    const size_t row = table_row_bytes(&shape, shape.width, accum_for(j, shape.type));
    const uint64_t planes = (uint64_t)image_planes(&from->head);
    const uint64_t each = planes * (from->head.row_bytes + (in->mask ? (uint64_t)shape.width : 0));
    const uint64_t reading = from->memory_bytes + mask_rows_bytes(in->mask);
    uint64_t all = job_table_bytes(&shape, &(job_need){.j = j, .threads = threads, .by_rows = true});
    if (row == 0 || __builtin_add_overflow(all, reading + (uint64_t)band_rows(shape.height, row) * each, &all))
        all = UINT64_MAX;
    if (!image_memory_allows(&shape, all, err)) return false;
    memory_take(in->share, all);
    return true;
}

static bool job_table(const job *j, const char *input, const job_source *from, char *const *outputs, int threads,
                      times *spent, int *at_output, error *err)
{
    const char *output = *outputs;
    const image *img = job_head(from);
    band_work w = {.from = from->img ? NULL : from->from};
    bool ok = false;
    double start = clock_now_s(), now;

    if (w.from && !take_memory(j, from, threads, err)) return false;
    if (!prepare(j, input, from, threads, &w, err)) goto out;
    *at_output = 0;
    const bool counts = w.moments[COUNTS].used;
    sat_table whole = {.view = w.moments[SUMS].band, .layout = j->layout, .sample = img->type, .quant = w.spec.quant};
    whole.view.height = img->height + (j->layout == SAT_PADDED);
    sat_file_write_options write = {.no_clobber = j->no_clobber,
                                    .standard_output = true,
                                    .counts = counts,
                                    .has_nodata = w.valid.has_nodata || w.valid.skip_nan,
                                    .nodata = w.valid.skip_nan ? __builtin_nan("") : w.valid.nodata,
                                    .moments = j->squares ? 2 : 1};
    if (sat_file_writer_open(&w.writer, output, &whole, &write) != SAT_OK) goto file_failed;

    job_stage(j, spent, "compute");
    for (int64_t y = 0, rows; y < img->height; y += rows) {
        sat_view made[MOMENTS];
        rows = img->height - y < w.spec.height ? img->height - y : w.spec.height;
        *at_output = -1;
        if (!sum_band(&w, input, img, y, rows, made, err)) goto out;
        now = clock_now_s();
        spent->compute_s += now - start;
        *at_output = 0;
        if (sat_file_writer_tables(w.writer, counts ? &made[COUNTS] : NULL, &made[SUMS],
                                   j->squares ? &made[SQUARES] : NULL) != SAT_OK)
            goto file_failed;
        start = clock_now_s();
        spent->encode_s += start - now;
        progress_more(&spent->item, (double)rows / (double)img->height);
    }
    if (j->stages) progress_label("write");
    ok = sat_file_writer_close(&w.writer) == SAT_OK;
    spent->encode_s += clock_now_s() - start;
    if (ok) {
        say_rounding(j, img, w.moments, output);
        goto out;
    }
file_failed:
    fail(err, "%s", sat_detail());
out:
    sat_file_writer_abort(&w.writer);
    for (int m = 0; m < MOMENTS; m++) {
        sat_plan_destroy(&w.moments[m].plan);
        free(w.moments[m].band.data);
        free(w.moments[m].carry);
    }
    valid_free(&w.valid);
    mask_rows_close(&w.mask);
    free(w.rows);
    free(w.counting);
    return ok;
}

const job_kind job_of_table = {job_table_bytes, job_table_whole, job_table};
