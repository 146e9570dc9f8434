/* bands.c - the pipeline of bands.h.
 *
 *     host threads    in 0  in 1  in 2  in 3  out 0  in 4  out 1  in 5  ..       in: source to pinned memory
 *     up                 up 0  up 1  up 2        up 3         up 4               out: pinned memory to results
 *     work                  run 0  run 1  run 2     run 3
 *     down                      down 0 .....  down 1 .....  down 2 .....  down 3 .....
 *
 * Pageable memory is copied through pinned memory by the object's threads; memory that the caller has pinned is copied
 * from and to directly, and the threads have nothing to do.
 *
 * Three bands under way.  While the threads bring in band k and take out k-3, k-2 and k-1 come down.  So the bus is
 * busy if "in" and "out" of a band take no longer than bringing two down; k itself is uploaded and computed before its
 * turn. With two bands the bus would have to wait whenever the threads take longer than one.
 *
 * The height of a band.  A job moves B bytes in the direction that has more, in bands of b.  Filling and draining the
 * pipeline takes about as long as bringing three bands down: in, up and run of the first one, out of the last.  And
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
#include "status.h"

#ifdef SAT_SIMT
#define START_BYTES 64.0 /* many bands in small images */
#else
#define START_BYTES 524288.0
#endif
#define MOST_BYTES 16777216.0

int64_t sat_band_rows(size_t row_bytes_in, size_t row_bytes_out, int64_t height)
{
    double row = (double)(row_bytes_in > row_bytes_out ? row_bytes_in : row_bytes_out);
    double bytes = sqrt(START_BYTES / 3 * row * (double)height);
    if (bytes < START_BYTES) bytes = START_BYTES;
    if (bytes > MOST_BYTES) bytes = MOST_BYTES;
    int64_t rows = (int64_t)(bytes / row);
    return rows < 1 ? 1 : rows > height ? height : rows;
}

enum { SOURCE = SAT_BAND_SOURCE, MASK = SAT_BAND_MASK, RESULTS = SAT_BAND_RESULTS };

static const sat_view *array_of(const sat_views *v, int i)
{
    if (i == SOURCE) return v->src;
    if (i == MASK) return v->mask;
    return i - RESULTS < v->n ? &v->results[i - RESULTS] : NULL;
}

/* ---- memory ------------------------------------------------------------------------------------------ */

static sat_status open_array(const sat_bands *b, sat_band_array *to, const sat_view *shape, bool result,
                             sat_arena *arena)
{
    size_t bytes;
    const size_t row = sat_row_bytes(shape->width, shape->channels, shape->type);
    if (!sat_mul(row, (size_t)shape->height, &bytes) || !sat_mul(bytes, (size_t)shape->count, &bytes))
        return sat_fail(SAT_ERR_SHAPE, "bands of %lld columns and %lld rows are larger than the address space",
                        (long long)shape->width, (long long)shape->height);
    sat_status status = sat_arena_take(arena, SAT_MEMORY_PINNED, bytes, &to->pinned);
    if (status == SAT_OK) status = sat_arena_take(arena, SAT_MEMORY_DEVICE, bytes, &to->device);
    /* All of it is copied to the host, also what a ceiling leaves unwritten: never what another program left there. */
    if (status == SAT_OK && result) status = b->device->fill(to->device, 0, bytes, b->work);
    return status;
}

static sat_status open_slot(const sat_bands *b, sat_band *s, const sat_views *largest, sat_arena *arena)
{
    const sat_device *d = b->device;
    sat_status status = SAT_OK;
    for (int i = 0; i < SAT_BAND_ARRAYS && status == SAT_OK; i++) {
        const sat_view *shape = array_of(largest, i);
        if (shape) status = open_array(b, &s->of[i], shape, i >= RESULTS, arena);
    }
    if (status == SAT_OK) status = d->event_create(&s->uploaded);
    if (status == SAT_OK) status = d->event_create(&s->computed);
    if (status == SAT_OK) status = d->event_create(&s->downloaded);
    return status;
}

sat_status sat_bands_open(sat_bands *b, const sat_device *device, const sat_views *largest, int64_t count, int threads,
                          const sat_executor *executor, sat_arena *arena)
{
    *b = (sat_bands){.device = device, .executor = executor};
    b->slots = count < SAT_BANDS ? (int)count : SAT_BANDS;
    b->threads = threads ? threads : sat_processors();
    sat_status status = device->stream_open(&b->up);
    if (status == SAT_OK) status = device->stream_open(&b->work);
    if (status == SAT_OK) status = device->stream_open(&b->down);
    for (int i = 0; i < b->slots && status == SAT_OK; i++) status = open_slot(b, &b->slot[i], largest, arena);
    if (b->work) {
        sat_status filled = b->device->wait(b->work); /* also before what is being filled is freed */
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

typedef struct pipeline {
    sat_bands *bands;
    const sat_bands_job *job;
    bool there[SAT_BAND_ARRAYS], direct[SAT_BAND_ARRAYS]; /* direct: the caller's memory is pinned */
    int threads;
} pipeline;

static sat_band *slot_of(const pipeline *p, int64_t k)
{
    return &p->bands->slot[k % p->bands->slots];
}

static sat_band_part part_of(const pipeline *p, int64_t k)
{
    sat_band_part part = {.skipped = 0};
    p->job->part(p->job->context, k, &part);
    return part;
}

static bool is_pinned(const sat_device *d, const sat_view *v)
{
    return sat_is_plain(v) && d->pinned(v->data) >= sat_extent(v);
}

static sat_view packed(const sat_view *shape, int64_t rows, void *data, sat_memory memory)
{
    sat_view v = sat_packed_view(shape->width, rows, shape->count, shape->channels, shape->type, memory);
    v.data = data;
    return v;
}

/* The rows of a result that are the host's, where the device made them. */
static sat_view taken_of(const sat_band *s, const sat_band_part *part, int i)
{
    const sat_view made = packed(&part->of[i], part->made, s->of[i].device, SAT_DEVICE);
    return sat_rows_of(&made, part->skipped, part->of[i].height);
}

/* Band k to the device, and what it makes of it.  Its slot was that of k - slots, which may still be on its way. */
static sat_status send(const pipeline *p, int64_t k)
{
    const sat_bands *b = p->bands;
    const sat_device *d = b->device;
    const sat_band *s = slot_of(p, k);
    const sat_band_part part = part_of(p, k);
    const bool again = k >= b->slots;
    sat_view device[SAT_BAND_ARRAYS];
    bool waited = !again;
    sat_status status = again ? d->stream_wait(b->up, s->computed) : SAT_OK;
    for (int i = 0; i < RESULTS && status == SAT_OK; i++) {
        if (!p->there[i]) continue;
        const sat_view pinned = packed(&part.of[i], part.of[i].height, s->of[i].pinned, SAT_HOST);
        device[i] = packed(&part.of[i], part.of[i].height, s->of[i].device, SAT_DEVICE);
        if (!p->direct[i] && !waited) status = d->event_wait(s->uploaded), waited = true;
        if (!p->direct[i] && status == SAT_OK) sat_host_copy(&pinned, &part.of[i], b->executor, p->threads, false);
        if (status == SAT_OK) status = d->queue_copy(p->direct[i] ? &part.of[i] : &pinned, &device[i], b->up);
    }
    if (status == SAT_OK) status = d->event_record(s->uploaded, b->up);
    if (status == SAT_OK) status = d->stream_wait(b->work, s->uploaded);
    if (status == SAT_OK && again) status = d->stream_wait(b->work, s->downloaded);
    for (int i = RESULTS; i < SAT_BAND_ARRAYS; i++)
        if (p->there[i]) device[i] = packed(&part.of[i], part.made, s->of[i].device, SAT_DEVICE);
    const sat_views views = {&device[SOURCE], p->there[MASK] ? &device[MASK] : NULL, &device[RESULTS], p->job->host.n};
    if (status == SAT_OK) status = p->job->compute(p->job->context, k, &views, b->work);
    return status == SAT_OK ? d->event_record(s->computed, b->work) : status;
}

/* Band k to the host.  The pinned results of its slot must have been taken. */
static sat_status fetch(const pipeline *p, int64_t k)
{
    const sat_bands *b = p->bands;
    const sat_band *s = slot_of(p, k);
    const sat_band_part part = part_of(p, k);
    sat_status status = b->device->stream_wait(b->down, s->computed);
    for (int i = RESULTS; i < SAT_BAND_ARRAYS && status == SAT_OK; i++) {
        if (!p->there[i]) continue;
        const sat_view from = taken_of(s, &part, i);
        const sat_view pinned = packed(&part.of[i], part.of[i].height, s->of[i].pinned, SAT_HOST);
        status = b->device->queue_copy(&from, p->direct[i] ? &part.of[i] : &pinned, b->down);
    }
    return status == SAT_OK ? b->device->event_record(s->downloaded, b->down) : status;
}

/* Waits until band k is back, and puts it where it belongs. */
static sat_status take(const pipeline *p, int64_t k)
{
    const sat_bands *b = p->bands;
    const sat_band *s = slot_of(p, k);
    const sat_band_part part = part_of(p, k);
    const sat_status status = b->device->event_wait(s->downloaded);
    for (int i = RESULTS; i < SAT_BAND_ARRAYS && status == SAT_OK; i++) {
        if (!p->there[i] || p->direct[i]) continue;
        const sat_view pinned = packed(&part.of[i], part.of[i].height, s->of[i].pinned, SAT_HOST);
        /* Results of many bands would push the pinned ones out of the caches. */
        sat_host_copy(&part.of[i], &pinned, b->executor, p->threads, p->job->count > b->slots);
    }
    return status;
}

/* Waits for all queued work, also after an error, and returns what only the device could find out. */
static sat_status wait_for_all(const pipeline *p)
{
    const sat_bands *b = p->bands;
    sat_status up = b->device->wait(b->up);
    sat_status work = p->job->wait ? p->job->wait(p->job->context, b->work) : b->device->wait(b->work);
    sat_status down = b->device->wait(b->down);
    return down != SAT_OK ? down : work != SAT_OK ? work : up; /* the last, of which sat_detail() speaks */
}

sat_status sat_bands_run(sat_bands *b, const sat_bands_job *job, const sat_run *run)
{
    const sat_device *d = b->device;
    sat_status status = sat_device_may_wait(d, run->stream);
    if (status != SAT_OK) return status;
    pipeline p = {.bands = b, .job = job};
    size_t most = 0;
    const sat_band_part first = part_of(&p, 0);
    for (int i = 0; i < SAT_BAND_ARRAYS; i++) {
        const sat_view *whole = array_of(&job->host, i), *part = &first.of[i];
        p.there[i] = whole != NULL;
        if (whole == NULL) continue;
        p.direct[i] = is_pinned(d, whole);
        const size_t bytes =
            (size_t)(part->height * part->count) * sat_row_bytes(part->width, part->channels, part->type);
        if (bytes > most) most = bytes;
    }
    p.threads = sat_copy_threads(most, b->threads);
    status = d->wait(run->stream);
    for (int64_t k = 0; k < job->count + b->slots && status == SAT_OK; k++) {
        status = sat_run_asked(run);
        if (status == SAT_OK && k < job->count) status = send(&p, k);
        if (k >= b->slots && status == SAT_OK) status = take(&p, k - b->slots);
        if (k < job->count && status == SAT_OK) status = fetch(&p, k);
    }
    sat_status waited = wait_for_all(&p);
    return waited != SAT_OK ? waited : status;
}
