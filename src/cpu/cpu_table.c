/* cpu_table.c - the cpu backend's tables: a wavefront of bands and blocks, one read and one write per pixel.
 *
 * The image is cut into bands of rows, and each band into blocks of columns so narrow that a block's row
 * of the table stays in the first-level cache.  A thread takes the next band and goes along its blocks;
 * in a block it goes down the rows, adding each row's running sum to the row above, which is in cache:
 *
 *              block 0    block 1    block 2
 *     band 0  [########] [########] [####....]    thread 0     # done
 *     band 1  [########] [###.....] [        ]    thread 1     . under way: two blocks are never one
 *     band 2  [#.......] [        ] [        ]    thread 2       above the other
 *
 * What goes from band to band is one row of sums, the carry row, kept in memory that no table row shares;
 * what goes from block to block is one sum for each row and channel, kept by the thread.  A thread waits
 * for block b until the band above is done with it: done[b] counts the bands, release to acquire.  It is
 * the decoupled look-back of GPU scans with the carry always there: bands are begun in order (sat_parallel()),
 * so that the lowest band that is not done is being worked on, and waits for nothing.
 *
 * Finished rows of a table that will not fit the cache are written with non-temporal stores, so that
 * memory sees each input byte once and each output byte once. */
#include <stdio.h>
#include <string.h>

#include "cpu.h"
#include "cpu_table_narrow.h"
#include "isa.h"
#include "machine.h"
#include "path.h"
#include "pool.h"
#include "shape.h"
#include "strides.h"
#include "types.h"

/* Sums in a block's row: so few that they, the samples read ahead and what the prefetchers bring along stay
 * in the smallest first-level caches (32 KiB). */
enum { BLOCK_BYTES = 4096 };

/* Threads beyond the number of blocks in a row would have nothing to do: with many, blocks are smaller. */
enum { BLOCK_BYTES_MIN = 1024 };

/* Sums in rows so short that cpu_table_narrow.c makes them: fewer than in any block, so that they are one thread's. */
enum { NARROW_BYTES = 512 };

/* Samples that go through the loops at a time, in bytes: of each type a multiple of every vector length and channel
 * count.  Less costs calls, more lets reads wait for writes. */
enum { CHUNK_BYTES = 768 };

/* Rows in a band: so many that copying the carry row, once in and once out, does not count, so few that
 * every thread has bands to take. */
enum { BAND_ROWS_MAX = 32 };

enum { LINE_BYTES = 64, LEAD = LINE_BYTES, ALONG_BYTES = 32 };

typedef struct worker {
    _Alignas(SAT_CACHE_LINE) char *above; /* the block's row of the table; LEAD bytes before it are the zero column's */
    uint32_t *fixed;                      /* q32: a part of a row in fixed point */
    char *squares;                        /* of a part of a row */
    char *turned;  /* a row of the block in the order of a table with gaps, if that goes past the caches */
    char *along;   /* for each row of the band: 4 running sums of 8 bytes */
    sat_rows rows; /* of a block of the image, without gaps */
} worker;

typedef struct table {
    sat_plan_spec spec;
    const sat_isa *isa;
    sat_summing summing;
    sat_narrow *narrow; /* makes tables of few columns; or NULL */
    size_t entry;       /* bytes of a sum */
    bool scatters;      /* the run's table has gaps */
    int64_t samples, block, blocks;
    int threads;
    char *carry;        /* the row that goes from band to band */
    sat_progress *done; /* of each block: the bands */
    char *memory;       /* of the workers */
    worker *workers;
} table;

static bool open_workers(table *t, sat_arena *arena)
{
    size_t block_bytes = LEAD + BLOCK_BYTES, fixed_bytes = CHUNK_BYTES;
    size_t along_bytes = BAND_ROWS_MAX * ALONG_BYTES;
    size_t squares_bytes = t->summing.square ? 2 * CHUNK_BYTES : 0; /* a square has at most twice its sample's bytes */
    size_t turned_bytes = t->summing.stream ? block_bytes : 0;
    size_t per_worker = block_bytes + fixed_bytes + along_bytes + squares_bytes + turned_bytes;
    size_t row = (size_t)t->block * sat_type_bytes(t->spec.sample);
    t->done = sat_arena_alloc(arena, (size_t)t->blocks * sizeof *t->done);
    t->memory = sat_arena_alloc(arena, (size_t)t->threads * per_worker);
    t->workers = sat_arena_zeros(arena, (size_t)t->threads * sizeof *t->workers);
    if (!t->done || !t->memory || !t->workers) return false;
    for (int i = 0; i < t->threads; i++) {
        char *m = t->memory + (size_t)i * per_worker;
        t->workers[i] = (worker){.above = m + LEAD, .fixed = (uint32_t *)(void *)(m + block_bytes)};
        t->workers[i].along = m + block_bytes + fixed_bytes;
        t->workers[i].squares = t->workers[i].along + along_bytes;
        t->workers[i].turned = t->workers[i].squares + squares_bytes;
        memset(m, 0, LEAD);
        if (!sat_rows_open(&t->workers[i].rows, row, t->spec.height, arena)) return false;
    }
    return true;
}

sat_status sat_cpu_table_open(const sat_plan_spec *spec, sat_arena *arena, void **state, char *note, size_t note_bytes)
{
    const char *why;
    const sat_isa *isa = sat_isa_in_use(&why);
    if (isa == NULL) return sat_fail(SAT_ERR_UNAVAILABLE, "cpu: %s", why);
    table *t = sat_arena_zeros(arena, sizeof *t);
    if (t == NULL) return sat_fail(SAT_ERR_MEMORY, "cpu: out of memory for a plan");
    t->spec = *spec;
    t->isa = isa;
    sat_summing *summing = &t->summing;
    summing->quantise = spec->accum == SAT_Q32 ? isa->quantise(spec->sample) : NULL;
    summing->square = spec->power == 2 ? isa->square(spec->sample) : NULL;
    summing->squares = sat_square_type(spec->sample);
    summing->scan = spec->accum == SAT_Q32
                        ? isa->scan(SAT_U32, SAT_U32, spec->channels)
                        : isa->scan(summing->square ? summing->squares : spec->sample, spec->accum, spec->channels);
    t->entry = sat_type_bytes(spec->accum);
    t->samples = spec->width * spec->channels;
    size_t row = (size_t)t->samples * t->entry, block = BLOCK_BYTES;
    double bytes = (double)t->samples * (double)spec->height * (double)(t->entry + sat_type_bytes(spec->sample));
    t->threads = sat_machine_threads(spec->threads, bytes, SAT_SHARE_BYTES);
    if (t->threads > spec->height) t->threads = (int)spec->height;
    while (block > BLOCK_BYTES_MIN && row / block < 2 * (size_t)t->threads) block /= 2;
    size_t line = 64 * (size_t)spec->channels; /* blocks of whole pixels that begin in the same place of a cache line */
    t->block = (int64_t)(block / line * line / t->entry);
    t->blocks = (t->samples + t->block - 1) / t->block;
    if (t->threads > t->blocks) t->threads = (int)t->blocks; /* no more are ever at work at the same time */
    summing->stream = sat_machine_streams(row, sat_area(spec->height, spec->count)) ? isa->stream : NULL;
    t->carry = sat_arena_alloc(arena, row);
    const bool narrow = SAT_PATH(narrow_tables) && row <= NARROW_BYTES;
    if (narrow) t->narrow = sat_narrow_open(spec, isa, summing, arena);
    if (!t->carry || (narrow ? !t->narrow : !open_workers(t, arena)))
        return sat_fail(SAT_ERR_MEMORY, "cpu: out of memory for a row of %lld pixels", (long long)spec->width);
    snprintf(note, note_bytes, "cpu, %s, %d thread%s", isa->name, t->threads, t->threads == 1 ? "" : "s");
    *state = t;
    return SAT_OK;
}

/* Writes a block's row of a table with gaps.  A row that fills its memory, in another order, is brought into that order
 * and then written past the caches (paths.def: turned_rows). */
static void scatter(const table *t, const worker *w, const sat_view *row, const char *sums)
{
    const size_t bytes = (size_t)(row->width * row->channels) * t->entry;
    if (!SAT_PATH(turned_rows) || !t->summing.stream || sat_extent(row) != bytes) {
        sat_scatter(row, 0, row->width, 0, 1, sums, 0);
        return;
    }
    char *to = sat_lowest(row);
    sat_view turned = *row;
    turned.data = w->turned + ((char *)row->data - to);
    sat_scatter(&turned, 0, row->width, 0, 1, sums, 0);
    t->summing.stream(to, w->turned, bytes);
}

/* One row of a block: some samples at a time are prefetched, `ahead` bytes further on, and added and written, so that
 * the processor reads, computes and writes at once: a whole row of prefetches would wait for places in the queue of
 * misses.  A chunk is written up to its last full cache line, the rest goes with the next, so that only the ends of a
 * block's row are parts of lines.  Rows of a view with gaps are scattered when they are done.  out NULL: is not
 * written. */
static bool do_row(const table *t, const worker *w, const char *in, ptrdiff_t ahead, const sat_view *out, int64_t y,
                   int64_t first, int64_t n, void *along)
{
    const size_t sample = sat_type_bytes(t->spec.sample), pixel = (size_t)t->spec.channels * t->entry;
    const int64_t chunk = CHUNK_BYTES / (int64_t)sample;
    const bool scatters = out && t->scatters, puts = out && !scatters;
    size_t lead = 0, written = 0, last = (size_t)n * t->entry; /* bytes, from the zero column on */
    int64_t to = first / t->spec.channels;                     /* px */
    bool inside = true;
    if (t->spec.layout != SAT_INCLUSIVE) {
        if (first == 0)
            lead = pixel; /* the zero column, from the zeros in front of the block */
        else
            to++;
        if (t->spec.layout == SAT_EXCLUSIVE && first + n == t->samples) last -= pixel;
    }
    const char *src = w->above - lead;
    char *dst = puts ? (char *)out->data + y * out->row_bytes + (size_t)to * pixel : NULL;
    for (int64_t i = 0; i < n; i += chunk) {
        int64_t m = n - i < chunk ? n - i : chunk;
        const char *samples = in + (size_t)i * sample;
        for (size_t j = 0; ahead && j < (size_t)m * sample; j += LINE_BYTES)
            __builtin_prefetch(samples + ahead + (ptrdiff_t)j);
        if (t->summing.quantise) {
            inside &= t->summing.quantise(w->fixed, samples, m, &t->spec.quant);
            samples = (const char *)w->fixed;
        }
        if (t->summing.square) {
            t->summing.square(w->squares, samples, m);
            samples = w->squares;
        }
        t->summing.scan->add(w->above + (size_t)i * t->entry, samples, m, along);
        if (!puts) continue;
        size_t ready = lead + (i + m < n ? (size_t)(i + m) * t->entry : last);
        if (i + m < n) ready -= (uintptr_t)(dst + ready) % 64;
        sat_put_sums(&t->summing, dst + written, src + written, ready - written);
        written = ready;
    }
    if (scatters) {
        const sat_view row = sat_rows_of(out, y, 1), part = sat_columns_of(&row, to, (int64_t)((lead + last) / pixel));
        scatter(t, w, &part, src);
    }
    return inside;
}

/* What a row of samples with gaps spans, if it is not much more than they are. */
static void prefetch(const sat_view *row)
{
    const size_t samples = sat_row_bytes(row->width, row->channels, row->type), bytes = sat_extent(row);
    const char *at = sat_lowest(row);
    for (size_t i = 0; bytes <= 2 * samples && i < bytes; i += LINE_BYTES) __builtin_prefetch(at + i);
}

/* One block of one band: rows [y, y + rows) of the image, whose first is row 0 of `out`. */
static bool do_block(const table *t, worker *w, const sat_view *image, int64_t y, int64_t rows, const sat_view *out,
                     int64_t first)
{
    int64_t n = t->samples - first < t->block ? t->samples - first : t->block;
    const int64_t x = first / t->spec.channels; /* px */
    const char *top = (const char *)image->data + y * image->row_bytes + x * image->pixel_bytes;
    const bool gaps = sat_has_gaps(image);
    sat_view block;
    if (gaps) block = sat_columns_of(image, x, n / t->spec.channels);
    char *carry = t->carry + (size_t)first * t->entry;
    bool inside = true;
    memcpy(w->above, carry, (size_t)n * t->entry);
    if (gaps) sat_rows_forget(&w->rows);
    for (int64_t r = 0; r < rows; r++) {
        bool beyond = t->spec.layout == SAT_EXCLUSIVE && y + r + 1 == image->height;
        /* A block's rows are too short for the prefetchers, which begin anew on each: prefetch two rows ahead
         * (paths.def: table_prefetch). */
        const bool fetch = SAT_PATH(table_prefetch) && r + 2 < rows;
        const ptrdiff_t ahead = fetch && !gaps ? 2 * image->row_bytes : 0;
        if (fetch && gaps) {
            const sat_view next = sat_rows_of(&block, y + r + 2, 1);
            prefetch(&next);
        }
        const char *in = gaps ? sat_row(&w->rows, &block, y + r) : top + r * image->row_bytes;
        inside &= do_row(t, w, in, ahead, beyond ? NULL : out, y + r, first, n, w->along + r * ALONG_BYTES);
    }
    memcpy(carry, w->above, (size_t)n * t->entry);
    return inside;
}

/* Writes the table's first row, where it is not the sums of the image's: zeros, or, exclusive, the carry row.  Returns
 * the table's other rows. */
static sat_view first_row(const table *t, const sat_view *view, bool continues)
{
    if (t->spec.layout == SAT_INCLUSIVE || (t->spec.layout == SAT_PADDED && continues)) return *view;
    sat_scatter_zeros(view, 0, t->spec.layout == SAT_PADDED ? view->width : 1, 0);
    if (t->spec.layout == SAT_EXCLUSIVE) sat_scatter(view, 1, view->width - 1, 0, 1, t->carry, 0);
    return sat_rows_of(view, 1, view->height - 1);
}

typedef struct job {
    table *t;
    const sat_view *image, *out; /* out: the table from the image's first row on */
    const sat_run *run;
    int64_t band_rows; /* but in the last band */
    atomic_bool outside;
} job;

/* Lets those go that wait for this band, or for one above it, of a run that has ended: every band comes here that is
 * not done.  A thread whose block was under way sets that block's number back to its own band's, and then finds, as all
 * these are in one order, that the run has ended. */
static void give_way(const table *t, int64_t band)
{
    const unsigned beyond = 1U << 30; /* bands; as sat_await() compares them, more than are under way */
    for (int64_t b = 0; b < t->blocks; b++) sat_advance(&t->done[b], (unsigned)band + beyond);
}

static void do_band(void *context, int64_t band, int worker_index)
{
    job *j = context;
    const table *t = j->t;
    worker *w = &t->workers[worker_index];
    int64_t y = band * j->band_rows, left = j->image->height - y, rows = left < j->band_rows ? left : j->band_rows;
    memset(w->along, 0, (size_t)rows * ALONG_BYTES);
    const size_t pixel_bytes = t->entry + sat_type_bytes(t->spec.sample);
    const double block_us = (double)((size_t)(rows * t->block) * pixel_bytes) / SAT_BYTES_PER_US;
    for (int64_t b = 0; b < t->blocks && sat_goes_on(j->run, worker_index, block_us); b++) {
        sat_await(&t->done[b], (unsigned)band);
        if (!do_block(t, w, j->image, y, rows, j->out, b * t->block)) atomic_store(&j->outside, true);
        sat_advance(&t->done[b], (unsigned)band + 1);
    }
    if (!sat_goes_on(j->run, worker_index, 0)) give_way(t, band);
    if (t->summing.stream) t->isa->fence();
}

static bool run_bands(table *t, const sat_view *image, const sat_view *out, const sat_run *run)
{
    job j = {.t = t, .image = image, .out = out, .run = run};
    int64_t per_thread = (image->height + t->threads - 1) / t->threads;
    j.band_rows = per_thread < BAND_ROWS_MAX ? per_thread : BAND_ROWS_MAX;
    for (int64_t b = 0; b < t->blocks; b++) t->done[b] = (sat_progress){.done = 0};
    (void)sat_run_each(run, t->spec.executor, t->threads, (image->height - 1) / j.band_rows + 1, do_band, &j);
    return !atomic_load(&j.outside);
}

sat_status sat_cpu_table_run(void *state, const sat_view *image, const sat_view *view, const sat_run *run)
{
    table *t = state;
    size_t row = (size_t)t->samples * t->entry;
    if (run->carry_in)
        memcpy(t->carry, run->carry_in, row);
    else
        memset(t->carry, 0, row);
    const sat_view out = first_row(t, view, run->continues);
    t->scatters = sat_has_gaps(&out);
    const bool inside =
        t->narrow ? sat_narrow_run(t->narrow, image, &out, t->carry, run) : run_bands(t, image, &out, run);
    const sat_status status = sat_run_status(run);
    if (status != SAT_OK) return status;
    if (run->carry_out) memcpy(run->carry_out, t->carry, row);
    if (!inside)
        return sat_fail(SAT_ERR_RANGE, "a sample is NaN or lies outside [%g, %g], the range declared for fixed point",
                        t->spec.quant.offset, t->spec.quant.offset + t->spec.quant.step * t->spec.quant.largest);
    return SAT_OK;
}
