/* cpu_table_narrow.c - tables of few columns, a stage of rows at a time (paths.def: narrow_tables).
 *
 * Where a row is short, what costs is to begin one: calls, the ends of vectors and of cache lines.  So one call makes
 * many rows, in a stage that stays in the first-level cache, and another writes all of them at once if nothing lies
 * between the rows of the table:
 *
 *     stage   0 c c c c     the row above, which is the last of the stage before
 *             0 s s s s     sums behind the zeros of the first column, but inclusive
 *             0 s s s s  -> table
 *
 * Sums are added in the order of cpu_table.c. */
#include <string.h>

#include "cpu_table_narrow.h"
#include "machine.h"
#include "shape.h"
#include "strides.h"
#include "types.h"

/* A quarter of the smallest first-level caches (32 KiB): the samples need as much, and what was written last is on its
 * way to memory while the next rows are summed. */
enum { STAGE_BYTES = 8192 };

struct sat_narrow {
    sat_plan_spec spec;
    const sat_isa *isa;
    sat_summing summing;
    int64_t samples, rows; /* in a row, in a stage */
    size_t entry, lead;    /* bytes of a sum, and of the zeros in front of a row */
    size_t row;            /* bytes of a row in the stage */
    char *stage;           /* the row above and `rows` more */
    char *packed;          /* their samples, without gaps, */
    uint32_t *fixed;       /* in fixed point, */
    char *squares;         /* squared */
    char *along;           /* what each row summed so far */
};

sat_narrow *sat_narrow_open(const sat_plan_spec *spec, const sat_isa *isa, const sat_summing *summing, sat_arena *arena)
{
    sat_narrow *t = sat_arena_zeros(arena, sizeof *t);
    if (t == NULL) return NULL;
    *t = (sat_narrow){.spec = *spec, .isa = isa, .summing = *summing, .entry = sat_type_bytes(spec->accum)};
    t->samples = spec->width * spec->channels;
    t->lead = spec->layout == SAT_INCLUSIVE ? 0 : (size_t)spec->channels * t->entry;
    t->row = t->lead + (size_t)t->samples * t->entry;
    t->rows = t->row < STAGE_BYTES ? (int64_t)(STAGE_BYTES / t->row) : 1;
    const size_t samples = (size_t)(t->rows * t->samples), none = 1;
    t->stage = sat_arena_zeros(arena, (size_t)(t->rows + 1) * t->row);
    t->packed = sat_arena_alloc(arena, samples * sat_type_bytes(spec->sample));
    t->fixed = sat_arena_alloc(arena, summing->quantise ? samples * sizeof *t->fixed : none);
    t->squares = sat_arena_alloc(arena, summing->square ? samples * sat_type_bytes(summing->squares) : none);
    t->along = sat_arena_alloc(arena, (size_t)(t->rows * spec->channels) * t->entry + 64);
    return t->stage && t->packed && t->fixed && t->squares && t->along ? t : NULL;
}

/* The samples of rows [y, y + rows) as they are summed; *pitch: bytes from row to row. */
static const char *samples_of(const sat_narrow *t, const sat_view *image, int64_t y, int64_t rows, size_t *pitch,
                              bool *inside)
{
    const char *in = (const char *)image->data + y * image->row_bytes;
    const size_t row = (size_t)t->samples * sat_type_bytes(t->spec.sample);
    *pitch = (size_t)image->row_bytes;
    if (sat_has_gaps(image) || image->row_bytes < 0) {
        sat_gather(t->packed, row, image, 0, image->width, y, rows);
        in = t->packed, *pitch = row;
    }
    const int64_t runs = *pitch == row ? 1 : rows, run = t->samples * rows / runs; /* rows without gaps are one */
    if (t->summing.quantise) {
        for (int64_t i = 0; i < runs; i++)
            *inside &= t->summing.quantise(t->fixed + i * run, in + (size_t)i * *pitch, run, &t->spec.quant);
        in = (const char *)t->fixed, *pitch = (size_t)t->samples * sizeof *t->fixed;
    }
    if (t->summing.square) {
        const size_t square = sat_type_bytes(t->summing.squares);
        for (int64_t i = 0; i < runs; i++)
            t->summing.square(t->squares + (size_t)(i * run) * square, in + (size_t)i * *pitch, run);
        in = t->squares, *pitch = (size_t)t->samples * square;
    }
    return in;
}

bool sat_narrow_run(const sat_narrow *t, const sat_view *image, const sat_view *out, void *carry, const sat_run *run)
{
    const bool gaps = sat_has_gaps(out);
    const bool exclusive = t->spec.layout == SAT_EXCLUSIVE;
    const size_t sums = (size_t)t->samples * t->entry, kept = exclusive ? sums : t->row;
    bool inside = true;
    memcpy(t->stage + t->lead, carry, sums);
    for (int64_t y = 0; y < image->height; y += t->rows) {
        const int64_t left = image->height - y, rows = left < t->rows ? left : t->rows;
        const int64_t shown = exclusive && rows == left ? rows - 1 : rows;
        size_t pitch;
        if (!sat_goes_on(run, 0, (double)((size_t)rows * 2 * t->row) / SAT_BYTES_PER_US)) break;
        const char *samples = samples_of(t, image, y, rows, &pitch, &inside);
        t->summing.scan->rows(t->stage + t->lead, t->row, samples, pitch, t->along, t->samples, rows);
        char *to = (char *)out->data + y * out->row_bytes;
        if (gaps)
            sat_scatter(out, 0, out->width, y, shown, t->stage + t->row, t->row);
        else if (out->row_bytes == (ptrdiff_t)t->row && kept == t->row)
            sat_put_sums(&t->summing, to, t->stage + t->row, (size_t)rows * t->row);
        else
            for (int64_t r = 0; r < shown; r++)
                sat_put_sums(&t->summing, to + r * out->row_bytes, t->stage + (size_t)(r + 1) * t->row, kept);
        memcpy(t->stage + t->lead, t->stage + t->lead + (size_t)rows * t->row, sums);
    }
    memcpy(carry, t->stage + t->lead, sums);
    if (t->summing.stream) t->isa->fence();
    return inside;
}
