/* bands.c - the pipeline of bands.h.
 *
 *     host threads    in 0  in 1  in 2  in 3  out 0  in 4  out 1  in 5  ..       in: image to pinned memory
 *     up                 up 0  up 1  up 2        up 3         up 4               out: pinned memory to table
 *     work                  sum 0  sum 1  sum 2     sum 3
 *     down                      down 0 .....  down 1 .....  down 2 .....  down 3 .....
 *
 * Pageable memory is copied through pinned memory by the plan's threads; memory that the caller has pinned is copied
 * from and to directly, and the threads have nothing to do.  The carry row stays on the device and joins the bands.
 *
 * Three bands under way.  While the threads bring in band k and take out k-3, k-2 and k-1 come down.  So the bus is
 * busy if "in" and "out" of a band take no longer than bringing two down; k itself is uploaded and summed before its
 * turn. With two bands the bus would have to wait whenever the threads take longer than one.
 *
 * The height of a band.  A job moves B bytes in the direction that has more, in bands of b.  Filling and draining the
 * pipeline takes about as long as bringing three bands down: in, up and sum of the first one, out of the last.  And
 * each band takes the time in which the bus would have moved another s bytes: ten microseconds to start copies and
 * kernels, at 50 GB/s half a megabyte.
 *
 *     cost(b) = B + 3 b + s B / b, which is least for b = sqrt(s B / 3)
 *
 * Near it little depends on b: half or twice of it makes the last two terms a quarter larger, and together they are
 * 2 sqrt(3 s / B) of B, a thirteenth for a gigabyte.  Below b = s a band would be more start than copy.  Above 16 MiB
 * there is nothing left to gain, while pinned memory, of which there are three such bands, takes long to make and
 * should stay in the processor's last cache between its two copies. */
#include <math.h>

#include "bands.h"
#include "host_copy.h"
#include "shape.h"

#ifdef SAT_SIMT
#define START_BYTES 64.0 /* many bands in small images */
#else
#define START_BYTES 524288.0
#endif
#define MOST_BYTES 16777216.0

int64_t sat_band_rows(size_t image_row_bytes, size_t table_row_bytes, int64_t height)
{
    double row = (double)(image_row_bytes > table_row_bytes ? image_row_bytes : table_row_bytes);
    double bytes = sqrt(START_BYTES / 3 * row * (double)height);
    if (bytes < START_BYTES) bytes = START_BYTES;
    if (bytes > MOST_BYTES) bytes = MOST_BYTES;
    int64_t rows = (int64_t)(bytes / row);
    return rows < 1 ? 1 : rows > height ? height : rows;
}

/* Another library's code may know no carry rows, and is given whole images. */
void sat_bands_shape(sat_plan_spec *spec, const sat_backend *backend)
{
    bool padded = spec->layout == SAT_PADDED;
    int64_t rows = sat_band_rows(sat_row_bytes(spec->width, spec->channels, spec->sample),
                                 sat_row_bytes(spec->width + padded, spec->channels, spec->accum),
                                 sat_area(spec->height, spec->count));
    if (rows < spec->height && backend->kind != SAT_PEER) spec->height = rows;
    spec->count = rows < spec->height ? 1 : rows / spec->height;
}

/* ---- memory ------------------------------------------------------------------------------------------ */

static sat_view packed(const sat_view *shape, void *data, sat_memory memory)
{
    sat_view v = sat_packed_view(shape->width, shape->height, shape->count, shape->channels, shape->type, memory);
    v.data = data;
    return v;
}

static sat_status open_slot(const sat_bands *b, sat_band *s, size_t image_bytes, size_t table_bytes, sat_arena *arena)
{
    const sat_device *d = b->device;
    sat_status status = sat_arena_take(arena, SAT_MEMORY_PINNED, image_bytes, &s->pinned_image);
    if (status == SAT_OK) status = sat_arena_take(arena, SAT_MEMORY_DEVICE, image_bytes, &s->image);
    if (status == SAT_OK) status = sat_arena_take(arena, SAT_MEMORY_DEVICE, table_bytes, &s->table);
    /* All of it is copied to the host, also what a ceiling leaves unwritten: never what another program left there. */
    if (status == SAT_OK) status = d->fill(s->table, 0, table_bytes, b->work);
    if (status == SAT_OK) status = sat_arena_take(arena, SAT_MEMORY_PINNED, table_bytes, &s->pinned_table);
    if (status == SAT_OK) status = d->event_create(&s->uploaded);
    if (status == SAT_OK) status = d->event_create(&s->computed);
    if (status == SAT_OK) status = d->event_create(&s->downloaded);
    return status;
}

sat_status sat_bands_open(sat_bands *b, const sat_device *device, const sat_plan_spec *spec, const sat_plan_spec *band,
                          sat_arena *arena)
{
    bool padded = spec->layout == SAT_PADDED;
    size_t image_row = sat_row_bytes(spec->width, spec->channels, spec->sample);
    size_t table_row = sat_row_bytes(spec->width + padded, spec->channels, spec->accum);
    size_t images = (size_t)band->count, image_bytes, table_bytes, carry;
    *b = (sat_bands){.device = device, .rows = band->height, .images = band->count, .executor = spec->executor};
    if (!sat_mul(image_row * images, (size_t)band->height, &image_bytes) ||
        !sat_mul(table_row * images, (size_t)(band->height + padded), &table_bytes) ||
        !sat_mul(sat_row_bytes(spec->width, spec->channels, spec->accum), (size_t)spec->count, &carry))
        return sat_fail(SAT_ERR_SHAPE, "bands of %lld columns and %lld rows are larger than the address space",
                        (long long)spec->width, (long long)band->height);
    int64_t bands = ((spec->height - 1) / b->rows + 1) * ((spec->count - 1) / b->images + 1);
    b->slots = bands < SAT_BANDS ? (int)bands : SAT_BANDS;
    b->threads = spec->threads ? spec->threads : sat_processors();

    sat_status status = device->stream_open(&b->up);
    if (status == SAT_OK) status = device->stream_open(&b->work);
    if (status == SAT_OK) status = device->stream_open(&b->down);
    if (status == SAT_OK) status = sat_arena_take(arena, SAT_MEMORY_DEVICE, carry, (void **)&b->carry);
    if (status == SAT_OK) status = device->fill(b->carry, 0, carry, b->work);
    for (int i = 0; i < b->slots && status == SAT_OK; i++)
        status = open_slot(b, &b->slot[i], image_bytes, table_bytes, arena);
    if (b->work) {
        sat_status filled = device->wait(b->work); /* also before what is being filled is freed */
        if (status == SAT_OK) status = filled;
    }
    if (status != SAT_OK) sat_bands_close(b);
    return status;
}

void sat_bands_close(sat_bands *b)
{
    const sat_device *d = b->device;
    for (int i = 0; i < b->slots; i++) {
        sat_band *s = &b->slot[i];
        d->event_destroy(s->uploaded);
        d->event_destroy(s->computed);
        d->event_destroy(s->downloaded);
    }
    if (d) {
        d->stream_close(b->up);
        d->stream_close(b->work);
        d->stream_close(b->down);
    }
    *b = (sat_bands){0};
}

/* ---- a run ------------------------------------------------------------------------------------------- */

typedef struct job {
    sat_bands *bands;
    const sat_backend *backend;
    void *state;
    const sat_view *image, *table;
    const sat_run *run;
    bool pinned_image, pinned_table; /* the caller's memory is */
    int64_t each, count;             /* bands of an image, and of all */
    int threads;
} job;

/* The rows and images of band k. */
static sat_view part_of(const job *j, int64_t k, const sat_view *v, int64_t first_row, int64_t rows)
{
    int64_t first = k / j->each * j->bands->images, left = v->count - first;
    sat_view images = sat_images_of(v, first, left < j->bands->images ? left : j->bands->images);
    return sat_rows_of(&images, first_row, rows);
}

static sat_view image_of(const job *j, int64_t k)
{
    int64_t first = k % j->each * j->bands->rows, left = j->image->height - first;
    return part_of(j, k, j->image, first, left < j->bands->rows ? left : j->bands->rows);
}

/* A zero row, which the table has and the image has not, is the first band's. */
static sat_view table_of(const job *j, int64_t k)
{
    int64_t zero_row = j->table->height - j->image->height, rows = image_of(j, k).height, band = k % j->each;
    return band == 0 ? part_of(j, k, j->table, 0, rows + zero_row)
                     : part_of(j, k, j->table, band * j->bands->rows + zero_row, rows);
}

static sat_band *slot_of(const job *j, int64_t k)
{
    return &j->bands->slot[k % j->bands->slots];
}

static bool all_pinned(const sat_device *d, const sat_view *v)
{
    return sat_is_plain(v) && d->pinned(v->data) >= sat_extent(v);
}

/* Band k to the device, and its sum.  Its slot was that of k - slots, which may still be on its way. */
static sat_status send(const job *j, int64_t k)
{
    const sat_bands *b = j->bands;
    const sat_device *d = b->device;
    const sat_band *s = slot_of(j, k);
    sat_view image = image_of(j, k), table = table_of(j, k), pinned = packed(&image, s->pinned_image, SAT_HOST);
    sat_view device_image = packed(&image, s->image, SAT_DEVICE), device_table = packed(&table, s->table, SAT_DEVICE);
    int64_t band = k % j->each;
    bool again = k >= b->slots, first = band == 0, last = band == j->each - 1;
    char *carry = b->carry + (size_t)(k / j->each * b->images) * sat_row_bytes(image.width, image.channels, table.type);
    sat_run run = {.carry_in = !first || j->run->carry_in ? carry : NULL,
                   .carry_out = !last || j->run->carry_out ? carry : NULL,
                   .continues = !first || j->run->continues,
                   .stream = b->work};
    sat_status status = SAT_OK;
    if (!j->pinned_image) {
        if (again) status = d->event_wait(s->uploaded);
        if (status == SAT_OK) sat_host_copy(&pinned, &image, b->executor, j->threads, false);
    }
    if (status == SAT_OK && again) status = d->stream_wait(b->up, s->computed);
    if (status == SAT_OK) status = d->queue_copy(j->pinned_image ? &image : &pinned, &device_image, b->up);
    if (status == SAT_OK) status = d->event_record(s->uploaded, b->up);
    if (status == SAT_OK) status = d->stream_wait(b->work, s->uploaded);
    if (status == SAT_OK && again) status = d->stream_wait(b->work, s->downloaded);
    if (status == SAT_OK) status = sat_backend_run(j->backend, j->state, &device_image, &device_table, &run);
    return status == SAT_OK ? d->event_record(s->computed, b->work) : status;
}

/* Band k to the host.  The pinned table of its slot must have been taken. */
static sat_status fetch(const job *j, int64_t k)
{
    const sat_bands *b = j->bands;
    const sat_device *d = b->device;
    const sat_band *s = slot_of(j, k);
    sat_view table = table_of(j, k), pinned = packed(&table, s->pinned_table, SAT_HOST);
    sat_view device_table = packed(&table, s->table, SAT_DEVICE);
    sat_status status = d->stream_wait(b->down, s->computed);
    if (status == SAT_OK) status = d->queue_copy(&device_table, j->pinned_table ? &table : &pinned, b->down);
    return status == SAT_OK ? d->event_record(s->downloaded, b->down) : status;
}

/* Waits until band k is back, and puts it where it belongs. */
static sat_status take(const job *j, int64_t k)
{
    const sat_bands *b = j->bands;
    const sat_band *s = slot_of(j, k);
    sat_view table = table_of(j, k), pinned = packed(&table, s->pinned_table, SAT_HOST);
    sat_status status = b->device->event_wait(s->downloaded);
    /* A table of many bands would push the pinned ones out of the caches. */
    if (status == SAT_OK && !j->pinned_table)
        sat_host_copy(&table, &pinned, b->executor, j->threads, j->count > b->slots);
    return status;
}

/* Waits for all queued work, also after an error, and returns what only the device could find out. */
static sat_status wait_for_all(const job *j)
{
    const sat_bands *b = j->bands;
    sat_status up = b->device->wait(b->up);
    sat_status work = j->backend->wait ? j->backend->wait(j->state, b->work) : b->device->wait(b->work);
    sat_status down = b->device->wait(b->down);
    return down != SAT_OK ? down : work != SAT_OK ? work : up; /* the last, of which sat_detail() speaks */
}

sat_status sat_bands_run(sat_bands *b, const sat_backend *backend, void *state, const sat_view *image,
                         const sat_view *table, const sat_run *run)
{
    const sat_device *d = b->device;
    sat_status status = sat_device_may_wait(d, run->stream);
    if (status != SAT_OK) return status;
    job j = {.bands = b,
             .backend = backend,
             .state = state,
             .image = image,
             .table = table,
             .run = run,
             .pinned_image = all_pinned(d, image),
             .pinned_table = all_pinned(d, table),
             .each = (image->height - 1) / b->rows + 1};
    j.count = j.each * ((image->count - 1) / b->images + 1);
    sat_view table0 = table_of(&j, 0);
    const size_t row = sat_row_bytes(table->width, table->channels, table->type);
    j.threads = sat_copy_threads((size_t)(table0.height * table0.count) * row, b->threads);
    sat_view there = sat_packed_view(image->width, image->count, 1, image->channels, table->type, SAT_DEVICE);
    sat_view carry_in = packed(&there, NULL, SAT_HOST), carry_out = carry_in;
    there.data = b->carry;
    carry_in.data = (void *)(uintptr_t)run->carry_in;
    carry_out.data = run->carry_out;

    status = d->wait(run->stream);
    if (status == SAT_OK && run->carry_in) status = d->copy(&carry_in, &there, b->work);
    for (int64_t k = 0; k < j.count + b->slots && status == SAT_OK; k++) {
        status = sat_run_asked(run);
        if (status == SAT_OK && k < j.count) status = send(&j, k);
        if (k >= b->slots && status == SAT_OK) status = take(&j, k - b->slots);
        if (k < j.count && status == SAT_OK) status = fetch(&j, k);
    }
    sat_status waited = wait_for_all(&j);
    if (waited != SAT_OK) status = waited;
    if (status == SAT_OK && run->carry_out) status = d->copy(&there, &carry_out, b->work);
    return status;
}
