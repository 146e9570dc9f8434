#include "counted.h"

#include "pool.h"
#include "shape.h"
#include "strides.h"

/* Samples of a band, for each thread: they stay in its caches until they are summed. */
enum { BAND_BYTES = 1 << 20 };

/* Samples that a thread copies at a time: some 100 us. */
enum { PART_BYTES = 1 << 16 };
#define PART_US 100.0

/* What one thread has. */
typedef struct seat {
    sat_rows image, mask; /* without gaps */
    uint8_t *valid;       /* of the samples in a row */
} seat;

struct sat_counted {
    sat_valid valid;
    sat_type sample;
    bool counts, compares; /* makes a table of counts; reads samples to know which count */
    double level;          /* subtracted from each; 0: samples are copied as they are */
    sat_view band;         /* as the backend takes it; that of worker i is image i */
    char *carry;           /* a row of the table for each worker */
    size_t carry_bytes;
    int64_t part_rows;
    const sat_executor *executor;
    int threads; /* of each worker */
    seat *seats; /* of worker i from i * threads on */
};

static sat_status take_memory(sat_counted *c, const sat_plan_spec *s, int workers, sat_arena *arena)
{
    const size_t samples = (size_t)s->width * (size_t)s->channels, row = samples * sat_type_bytes(s->sample);
    const size_t seats = (size_t)workers * (size_t)c->threads;
    c->carry = sat_arena_alloc(arena, (size_t)workers * c->carry_bytes);
    c->seats = sat_arena_zeros(arena, seats * sizeof *c->seats);
    bool ok = c->carry && c->seats && sat_arena_view(arena, &c->band) == SAT_OK;
    for (size_t i = 0; ok && i < seats; i++) {
        seat *t = &c->seats[i];
        t->valid = sat_arena_alloc(arena, samples);
        ok = t->valid && sat_rows_open(&t->image, row, s->height, arena) &&
             (!s->masked || sat_rows_open(&t->mask, (size_t)s->width, s->height, arena));
    }
    return ok ? SAT_OK : sat_fail(SAT_ERR_MEMORY, "out of memory for bands of what counts");
}

sat_status sat_counted_open(sat_counted **out, const sat_plan_spec *s, sat_plan_spec *each, int workers,
                            sat_arena *arena)
{
    const int64_t row = s->width * s->channels * (int64_t)sat_type_bytes(s->sample); /* its table has a size */
    const int64_t bands = sat_parts(s->height, BAND_BYTES / row + 1);
    sat_counted *c = sat_arena_zeros(arena, sizeof *c);
    if (c == NULL) return sat_fail(SAT_ERR_MEMORY, "out of memory for a plan");
    c->valid = (sat_valid){s->skip_nan, s->has_nodata, s->nodata};
    c->sample = s->sample;
    c->counts = s->power == SAT_COUNTS;
    c->compares = !c->counts || s->skip_nan || s->has_nodata;
    c->level = s->level;
    c->carry_bytes = sat_row_bytes(s->width, s->channels, s->accum);
    c->part_rows = PART_BYTES / row + 1;
    c->executor = s->executor;
    c->threads = each->threads ? each->threads : sat_processors();
    if (c->threads > bands) c->threads = (int)bands;
    const int64_t rows = c->threads * (BAND_BYTES / row + 1);
    each->height = rows < s->height ? rows : s->height;
    if (c->counts) each->sample = SAT_U8, each->power = 1;
    if (c->level != 0) each->sample = SAT_F64;
    c->band = sat_packed_view(s->width, each->height, workers, s->channels, each->sample, SAT_HOST);
    *out = c;
    return take_memory(c, s, workers, arena);
}

typedef struct filling {
    const sat_counted *c;
    const sat_counted_views *views;
    const sat_run *run;
    seat *seats;
    const sat_view *band; /* rows of the image from `first` on */
    int64_t first;
} filling;

static void fill_part(void *context, int64_t part, int worker)
{
    const filling *f = context;
    const sat_counted *c = f->c;
    const sat_view *band = f->band;
    seat *t = &f->seats[worker];
    const int64_t from = part * c->part_rows, left = band->height - from;
    const int64_t end = from + (left < c->part_rows ? left : c->part_rows);
    if (!sat_goes_on(f->run, worker, PART_US)) return;
    sat_rows_forget(&t->image);
    sat_rows_forget(&t->mask);
    for (int64_t y = from; y < end; y++) {
        char *to = (char *)band->data + y * band->row_bytes;
        uint8_t *valid = c->counts ? (uint8_t *)to : t->valid;
        const void *samples = c->compares ? sat_row(&t->image, f->views->image, f->first + y) : NULL;
        const uint8_t *mask = f->views->mask ? sat_row(&t->mask, f->views->mask, f->first + y) : NULL;
        const bool all = c->level != 0 && !mask && !c->valid.skip_nan && !c->valid.has_nodata;
        if (!all) (void)sat_valid_row(&c->valid, c->sample, samples, mask, band->width, band->channels, valid);
        const int64_t n = band->width * band->channels;
        if (c->level != 0)
            sat_valid_less(c->sample, samples, all ? NULL : valid, n, c->level, (double *)(void *)to);
        else if (!c->counts)
            sat_valid_zeros(c->sample, samples, valid, n, to);
    }
}

sat_status sat_counted_run(const sat_counted *c, const sat_backend *backend, void *state, int worker,
                           const sat_counted_views *views, const sat_run *run)
{
    const int64_t height = views->image->height, zero_row = views->table->height - height;
    char *carry = c->carry + (size_t)worker * c->carry_bytes;
    sat_view band = sat_images_of(&c->band, worker, 1);
    filling f = {.c = c, .views = views, .run = run, .seats = &c->seats[worker * c->threads], .band = &band};
    sat_status status = SAT_OK;
    for (int64_t y = 0; y < height && status == SAT_OK; y += band.height) {
        if (band.height > height - y) band.height = height - y;
        f.first = y;
        status = sat_run_each(run, c->executor, c->threads, sat_parts(band.height, c->part_rows), fill_part, &f);
        if (status != SAT_OK) break;
        const sat_view table = y == 0 ? sat_rows_of(views->table, 0, band.height + zero_row)
                                      : sat_rows_of(views->table, y + zero_row, band.height);
        sat_run part = *run;
        if (y > 0) part.carry_in = carry, part.continues = true;
        if (y + band.height < height) part.carry_out = carry;
        status = backend->run(state, &band, &table, &part);
    }
    return status;
}
