/* filter_bands.c - the bands of filters.
 *
 *     crop 0            | rows .............................. |
 *     crop 1                       <- step -> | rows .............................. |
 *     last crop                                       | rows .............................. |
 *     results           | of crop 0 ............... | of crop 1 ...... | of the last ...... |
 *                                             above |            below |
 *
 * Crops begin at multiples of the period, so that sums of floats are grouped as those of the whole image; the last one
 * ends where the image does.  So the rows of a crop are those of the image, less a multiple of the period. */
#include "filter_bands.h"
#include "shape.h"

static size_t row_bytes(const sat_view *v)
{
    return v ? sat_row_bytes(v->width, v->channels, v->type) : 0;
}

sat_filter_bands sat_filter_bands_of(const sat_filter_shape *shape, const sat_views *views)
{
    const int64_t height = shape->height, count = shape->count, halo = shape->above + shape->below;
    size_t out = 0;
    for (int i = 0; i < views->n; i++) out += row_bytes(&views->results[i]);
    const int64_t rows = sat_band_rows(row_bytes(views->src) + row_bytes(views->mask), out, sat_area(height, count));
    sat_filter_bands b = {.shape = *shape};
    if (rows >= height) {
        if (rows / height < count) b.rows = height, b.images = rows / height;
        return b;
    }
    const int64_t period = shape->period;
    if (period == 0 || halo >= height) return b;
    /* Windows read the halo again: a third of a crop at most. */
    const int64_t step = ((rows > 2 * halo ? rows : 2 * halo) + period - 1) / period * period;
    if (step > height - halo) return b;
    const int64_t least = step + halo, crop = least + (height - least) % period;
    if (crop >= height) return b;
    b.rows = crop, b.images = 1, b.step = step;
    return b;
}

static int64_t crops_of(const sat_filter_bands *b)
{
    return b->rows < b->shape.height ? (b->shape.height - b->rows + b->step - 1) / b->step + 1 : 1;
}

static sat_view shape_of(const sat_filter_bands *b, const sat_view *v)
{
    return sat_packed_view(v->width, b->rows, b->images, v->channels, v->type, SAT_HOST);
}

sat_status sat_filter_bands_open(sat_filter_bands *b, const sat_device *device, const sat_views *views, int threads,
                                 const sat_executor *executor, sat_arena *arena)
{
    sat_view src = shape_of(b, views->src), mask, results[SAT_OUTPUTS];
    if (views->mask) mask = shape_of(b, views->mask);
    for (int i = 0; i < views->n; i++) results[i] = shape_of(b, &views->results[i]);
    const sat_views largest = {&src, views->mask ? &mask : NULL, results, views->n};
    const int64_t count = crops_of(b) * ((b->shape.count - 1) / b->images + 1);
    return sat_bands_open(&b->bands, device, &largest, count, threads, executor, arena);
}

/* ---- a run ------------------------------------------------------------------------------------------- */

typedef struct job {
    const sat_filter_bands *bands;
    const sat_views *views;
    const sat_run *run;
    sat_offload_job *job;
    void *context;
} job;

/* Rows of an image: a crop, and the results that are taken of it. */
typedef struct rows {
    int64_t begin, first, end;
} rows;

static rows rows_of(const sat_filter_bands *b, int64_t crop)
{
    const int64_t height = b->shape.height, last = height - b->rows, begin = crop * b->step;
    if (begin >= last) return (rows){last, crop ? (crop - 1) * b->step + b->rows - b->shape.below : 0, height};
    return (rows){begin, crop ? begin - b->step + b->rows - b->shape.below : 0, begin + b->rows - b->shape.below};
}

static sat_view images_of(const sat_filter_bands *b, const sat_view *v, int64_t k)
{
    const int64_t first = k / crops_of(b) * b->images, left = v->count - first;
    return sat_images_of(v, first, left < b->images ? left : b->images);
}

static void part(void *context, int64_t k, sat_band_part *to)
{
    const job *j = context;
    const sat_filter_bands *b = j->bands;
    const rows r = rows_of(b, k % crops_of(b));
    const sat_view src = images_of(b, j->views->src, k);
    to->of[SAT_BAND_SOURCE] = sat_rows_of(&src, r.begin, b->rows);
    if (j->views->mask) {
        const sat_view mask = images_of(b, j->views->mask, k);
        to->of[SAT_BAND_MASK] = sat_rows_of(&mask, r.begin, b->rows);
    }
    for (int i = 0; i < j->views->n; i++) {
        const sat_view result = images_of(b, &j->views->results[i], k);
        to->of[SAT_BAND_RESULTS + i] = sat_rows_of(&result, r.first, r.end - r.first);
    }
    to->made = b->rows, to->skipped = r.first - r.begin;
}

static sat_status compute(void *context, int64_t k, const sat_views *device, void *stream)
{
    const job *j = context;
    const rows r = rows_of(j->bands, k % crops_of(j->bands));
    const sat_run run = {.stream = stream,
                         .first = r.first - r.begin,
                         .end = r.end - r.begin,
                         .height = j->bands->rows,
                         .follows = k > 0};
    return j->job(j->context, device, &run);
}

sat_status sat_filter_bands_run(sat_filter_bands *b, const sat_views *views, const sat_run *run,
                                sat_offload_job *run_job, void *context)
{
    job j = {b, views, run, run_job, context};
    const sat_bands_job bands = {.count = crops_of(b) * ((views->src->count - 1) / b->images + 1),
                                 .host = *views,
                                 .part = part,
                                 .compute = compute,
                                 .context = &j};
    return sat_bands_run(&b->bands, &bands, run);
}
