/* table_job.c - the table file of one image, a band of rows at a time.
 *
 * Bands of about 16 MiB (well beyond what a parallel region costs to start, and small beside an image) are
 * summed, joined by their carry row, and written as they come: no table is ever held whole. */
#include <stdlib.h>

#include "image.h"
#include "job.h"
#include "messages.h"
#include "progress.h"
#include "rounding.h"
#include "sample_type.h"
#include "sat_image.h"

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

/* One moment's sums: of the samples, or of their squares. */
typedef struct moment {
    sat_plan *plan;
    sat_view band; /* the table's rows of one band */
    void *carry;
} moment;

typedef struct band_work {
    sat_plan_spec spec;
    moment moments[2];
    sat_file_writer *writer;
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
                           .sample = shape->type,
                           .accum = accum_for(j, shape->type),
                           .layout = j->layout,
                           .backend = j->backend,
                           .threads = threads};
}

/* A plan, with a band, a padded table's first row, and the row that is carried on. */
static uint64_t moment_bytes(const job_need *need, const image_shape *shape, int power)
{
    const job *j = need->j;
    const size_t row_bytes = sat_row_bytes(shape->width + 1, shape->channels, accum_for(j, shape->type));
    if (row_bytes == 0) return UINT64_MAX;
    const int64_t rows = band_rows(shape->height, row_bytes);
    sat_plan_spec spec = plan_spec(j, shape, rows, need->threads);
    spec.power = power;
    sat_bytes bytes;
    const sat_status status = sat_plan_bytes(&spec, &bytes);
    return (uint64_t)(rows + 2) * row_bytes + job_object_bytes(status, &bytes);
}

uint64_t job_table_bytes(const image_shape *shape, const void *context)
{
    const job_need *need = context;
    const uint64_t sums = moment_bytes(need, shape, 1), squares = need->j->squares ? moment_bytes(need, shape, 2) : 0;
    return sums > UINT64_MAX - squares ? UINT64_MAX : sums + squares;
}

static bool open_moment(band_work *w, int power, error *err)
{
    const sat_plan_spec *s = &w->spec;
    moment *m = &w->moments[power - 1];
    const bool padded = s->layout == SAT_PADDED;
    sat_plan_spec spec = *s;
    spec.power = power;
    if (sat_plan_create(&m->plan, &spec) != SAT_OK)
        return fail(err, "%s%s", sat_detail(), power == 2 ? " (--type)" : "");
    m->band = (sat_view){.width = s->width + padded, .height = s->height + padded, .channels = s->channels};
    m->band.type = s->accum;
    if (!view_alloc(&m->band, "a band of its table", err)) return false;
    m->carry = calloc((size_t)s->width * (size_t)s->channels, sat_type_bytes(s->accum));
    return m->carry ? true : fail(err, "out of memory");
}

static bool prepare(const job *j, const char *input, const image *img, int threads, band_work *w, error *err)
{
    int padded = j->layout == SAT_PADDED;
    sat_type accum = accum_for(j, img->type);
    size_t row_bytes = sat_row_bytes(img->width + padded, img->channels, accum);
    if (row_bytes == 0) return fail(err, "a row of its table would not fit any memory");
    int64_t rows = band_rows(img->height, row_bytes);
    const image_shape shape = image_shape_of(img);
    w->spec = plan_spec(j, &shape, rows, threads);
    if (accum == SAT_Q32 && !choose_quant(j, input, img, threads, &w->spec.quant, err)) return false;
    if (!open_moment(w, 1, err) || (j->squares && !open_moment(w, 2, err))) return false;
    if (j->verbose)
        say(input_name(input), "%s; %s table of %s%s, in bands of %lld rows", sat_plan_note(w->moments[0].plan),
            sat_layout_name(j->layout), sat_type_name(accum), j->squares ? ", and of the squares" : "",
            (long long)rows);
    return true;
}

/* Sums image rows [y, y + rows) and shows the table's rows for them in *made. */
static bool sum_band(const band_work *w, const moment *m, const image *img, int64_t y, int64_t rows, sat_view *made,
                     error *err)
{
    const sat_view in = image_rows_view(img, y, rows);
    *made = m->band;
    made->height = rows + (w->spec.layout == SAT_PADDED && y == 0);
    sat_run_options run = {.carry_in = y > 0 ? m->carry : NULL, .carry_out = m->carry, .continues = y > 0};
    return sat_plan_run(m->plan, &in, made, &run) == SAT_OK ? true : fail(err, "%s", sat_detail());
}

/* The carry row is the last of an inclusive table. */
static void say_rounding(const job *j, const image *img, const moment *m, int power, const char *output)
{
    char text[ROUNDING_TEXT_BYTES];
    const sat_view pixels = image_view(img);
    sat_table last = {.view = {.data = m->carry, .width = img->width, .height = 1}};
    if (!m->plan || j->quiet) return;
    last.view.channels = img->channels, last.view.type = m->band.type;
    last.view.row_bytes = (ptrdiff_t)sat_row_bytes(img->width, img->channels, m->band.type);
    last.layout = SAT_INCLUSIVE, last.sample = img->type, last.power = power;
    if (rounding_text(text, &last, img->height, power == 1 ? &pixels : NULL)) say(output_name(output), "%s", text);
}

bool job_table(const job *j, const char *input, image *img, const char *output, int threads, times *spent,
               bool *at_output, error *err)
{
    band_work w = {0};
    bool ok = false;
    double start = clock_now_s(), now;

    if (!prepare(j, input, img, threads, &w, err)) goto out;
    *at_output = true;
    sat_table whole = {.view = w.moments[0].band, .layout = j->layout, .sample = img->type, .quant = w.spec.quant};
    whole.view.height = img->height + (j->layout == SAT_PADDED);
    sat_file_write_options write = {
        .no_clobber = j->no_clobber, .standard_output = true, .moments = j->squares ? 2 : 1};
    if (sat_file_writer_open(&w.writer, output, &whole, &write) != SAT_OK) goto file_failed;

    job_stage(j, spent, "compute");
    for (int64_t y = 0, rows; y < img->height; y += rows) {
        sat_view made, squares;
        rows = img->height - y < w.spec.height ? img->height - y : w.spec.height;
        *at_output = false;
        if (!sum_band(&w, &w.moments[0], img, y, rows, &made, err)) goto out;
        if (j->squares && !sum_band(&w, &w.moments[1], img, y, rows, &squares, err)) goto out;
        now = clock_now_s();
        spent->compute_s += now - start;
        *at_output = true;
        if ((j->squares ? sat_file_writer_moments(w.writer, &made, &squares) : sat_file_writer_rows(w.writer, &made)) !=
            SAT_OK)
            goto file_failed;
        start = clock_now_s();
        spent->encode_s += start - now;
        progress_more(&spent->item, (double)rows / (double)img->height);
    }
    if (j->stages) progress_label("write");
    ok = sat_file_writer_close(&w.writer) == SAT_OK;
    spent->encode_s += clock_now_s() - start;
    if (ok) {
        say_rounding(j, img, &w.moments[0], 1, output);
        say_rounding(j, img, &w.moments[1], 2, output);
        goto out;
    }
file_failed:
    fail(err, "%s", sat_detail());
out:
    sat_file_writer_abort(&w.writer);
    for (int m = 0; m < 2; m++) {
        sat_plan_destroy(&w.moments[m].plan);
        free(w.moments[m].band.data);
        free(w.moments[m].carry);
    }
    return ok;
}
