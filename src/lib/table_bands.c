/* table_bands.c - the bands of tables.  The carry row stays on the device and joins the bands of an image. */
#include "table_bands.h"
#include "shape.h"

/* Another library's code may know no carry rows, and is given whole images. */
void sat_table_bands_shape(sat_plan_spec *spec, const sat_backend *backend)
{
    bool padded = spec->layout == SAT_PADDED;
    int64_t rows = sat_band_rows(sat_row_bytes(spec->width, spec->channels, spec->sample),
                                 sat_row_bytes(spec->width + padded, spec->channels, spec->accum),
                                 sat_area(spec->height, spec->count));
    if (rows < spec->height && backend->kind != SAT_PEER) spec->height = rows;
    spec->count = rows < spec->height ? 1 : rows / spec->height;
}

sat_status sat_table_bands_open(sat_table_bands *b, const sat_device *device, const sat_plan_spec *spec,
                                const sat_plan_spec *band, sat_arena *arena)
{
    const bool padded = spec->layout == SAT_PADDED;
    const sat_view image =
        sat_packed_view(spec->width, band->height, band->count, spec->channels, spec->sample, SAT_HOST);
    const sat_view table = sat_packed_view(spec->width + padded, band->height + padded, band->count, spec->channels,
                                           spec->accum, SAT_HOST);
    const int64_t each = (spec->height - 1) / band->height + 1, groups = (spec->count - 1) / band->count + 1;
    size_t carry;
    *b = (sat_table_bands){.rows = band->height, .images = band->count};
    if (!sat_mul(sat_row_bytes(spec->width, spec->channels, spec->accum), (size_t)spec->count, &carry))
        return sat_fail(SAT_ERR_SHAPE, "carry rows of %lld columns are larger than the address space",
                        (long long)spec->width);
    sat_status status = sat_bands_open(&b->bands, device, &(sat_views){&image, NULL, &table, 1}, each * groups,
                                       spec->threads, spec->executor, arena);
    if (status == SAT_OK) status = sat_arena_take(arena, SAT_MEMORY_DEVICE, carry, (void **)&b->carry);
    if (status == SAT_OK) status = device->fill(b->carry, 0, carry, b->bands.work);
    if (status == SAT_OK) status = device->wait(b->bands.work);
    if (status != SAT_OK) sat_table_bands_close(b);
    return status;
}

void sat_table_bands_close(sat_table_bands *b)
{
    sat_bands_close(&b->bands);
}

/* ---- a run ------------------------------------------------------------------------------------------- */

typedef struct job {
    const sat_table_bands *bands;
    const sat_backend *backend;
    void *state;
    const sat_view *image, *table;
    const sat_run *run;
    int64_t each; /* bands of an image */
} job;

/* A zero row, which the table has and the image has not, is the first band's. */
static void part(void *context, int64_t k, sat_band_part *to)
{
    const job *j = context;
    const int64_t first = k / j->each * j->bands->images, left = j->image->count - first, band = k % j->each;
    const int64_t count = left < j->bands->images ? left : j->bands->images;
    const int64_t top = band * j->bands->rows, below = j->image->height - top;
    const int64_t rows = below < j->bands->rows ? below : j->bands->rows;
    const int64_t zero_row = j->table->height - j->image->height;
    const sat_view image = sat_images_of(j->image, first, count), table = sat_images_of(j->table, first, count);
    to->of[SAT_BAND_SOURCE] = sat_rows_of(&image, top, rows);
    to->of[SAT_BAND_RESULTS] =
        band == 0 ? sat_rows_of(&table, 0, rows + zero_row) : sat_rows_of(&table, top + zero_row, rows);
    to->made = to->of[SAT_BAND_RESULTS].height;
}

static sat_status compute(void *context, int64_t k, const sat_views *device, void *stream)
{
    const job *j = context;
    const int64_t band = k % j->each;
    const bool first = band == 0, last = band == j->each - 1;
    const size_t row = sat_row_bytes(device->src->width, device->src->channels, device->results->type);
    char *carry = j->bands->carry + (size_t)(k / j->each * j->bands->images) * row;
    const sat_run run = {.carry_in = !first || j->run->carry_in ? carry : NULL,
                         .carry_out = !last || j->run->carry_out ? carry : NULL,
                         .continues = !first || j->run->continues,
                         .stream = stream};
    return sat_backend_run(j->backend, j->state, device->src, device->results, &run);
}

static sat_status wait(void *context, void *stream)
{
    const job *j = context;
    return j->backend->wait(j->state, stream);
}

sat_status sat_table_bands_run(sat_table_bands *b, const sat_backend *backend, void *state, const sat_view *image,
                               const sat_view *table, const sat_run *run)
{
    job j = {b, backend, state, image, table, run, (image->height - 1) / b->rows + 1};
    const sat_bands_job bands = {.count = j.each * ((image->count - 1) / b->images + 1),
                                 .host = {image, NULL, table, 1},
                                 .part = part,
                                 .compute = compute,
                                 .wait = backend->wait ? wait : NULL,
                                 .context = &j};
    sat_view there = sat_packed_view(image->width, image->count, 1, image->channels, table->type, SAT_DEVICE);
    sat_view carry_in = there, carry_out = there;
    there.data = b->carry;
    carry_in.memory = carry_out.memory = SAT_HOST;
    carry_in.data = (void *)(uintptr_t)run->carry_in;
    carry_out.data = run->carry_out;
    const sat_device *d = b->bands.device;
    sat_status status = run->carry_in ? sat_device_may_wait(d, run->stream) : SAT_OK;
    if (status == SAT_OK && run->carry_in) status = d->wait(run->stream);
    if (status == SAT_OK && run->carry_in) status = d->copy(&carry_in, &there, b->bands.work);
    if (status == SAT_OK) status = sat_bands_run(&b->bands, &bands, run);
    if (status == SAT_OK && run->carry_out) status = d->copy(&there, &carry_out, b->bands.work);
    return status;
}
