/* table.cu - the pipeline of table.cuh over any scan_algorithm: it is compiled once, for all of them.
 *
 * Idea      The sums of a table's columns are scans of rows once the table is transposed, and a scan method needs rows.
 * Paper     table.cuh
 * Layout    The drawing of table.cuh.  A holds the sums of image rows by channel (row y*C + c), B those of columns
 *           (row x*C + c), so that the index of a row of B is that of its entry in a carry row, and the transpose of
 *           all of B at once is a table with its channels interleaved.  The layouts differ in where that lands:
 *
 *              inclusive           padded              exclusive
 *              B B B B             0 0 0 0 0           0 c c c      c: the carry row above, or 0
 *              B B B B             0 B B B B           0 B B B      the last row and column of B stay behind
 *              B B B B             0 B B B B           0 B B B
 *                                  0 B B B B
 *
 * Launch    two scans, two transposes, and one kernel with a thread for each entry of a table's row or zero column.
 *           A single image row needs neither transposes nor a second scan: the last kernel adds the carry row to it.
 * Traffic   1 image + 3 sums read, 4 sums written for each pixel
 * Sync      the order of a stream
 * Limits    A and B alloc_sums as much memory as the table, each
 * Steps     1. scan image -> A  2. transpose A -> B for each channel  3. scan B from the carry row, in place
 *           4. transpose B -> table  5. edges: zeros, the exclusive layout's first row, the carry row for the next band
 */
#include <stdio.h>

#include "prim/runtime.cuh"
#include "prim/transpose.cuh"
#include "shape.h"
#include "table/table.cuh"

namespace
{

/* ---- edges ------------------------------------------------------------------------------------------- */

/* The entries that transposes do not write.  One thread reads an entry of carry_in and writes that of carry_out, and no
 * other accesses it: they may be one array. */
template <class T> struct edges {
    static constexpr unsigned threads = 256;
    struct shared {
    };
    T *table;
    int64_t pitch, rows, samples; /* of the table in entries; width * channels of the image */
    int32_t channels, shift;      /* entries of the zero column, 0 if there is none */
    bool zero_row, exclusive;
    const T *carry_in;
    T *carry_out;
    /* The inclusive sums of the image's last row, or with `alone`, of its only row without the carry row. */
    const T *last;
    int64_t last_x, last_c; /* from one x, one channel, to the next */
    bool alone;

    PRIM_DEVICE void operator()(shared &) const
    {
        int64_t i = (int64_t)prim::block_id() * threads + prim::thread_id();
        if (i < samples) column(i);
        if (i < rows * shift) prim::store(table + i / shift * pitch + i % shift, T(0));
    }

    PRIM_DEVICE void column(int64_t i) const
    {
        T above = carry_in ? prim::load(carry_in + i) : T(0);
        if (zero_row) prim::store(table + shift + i, T(0));
        if (exclusive && i + shift < samples) prim::store(table + shift + i, above);
        if (!alone && !carry_out) return;
        T sum = prim::load(last + i / channels * last_x + i % channels * last_c);
        if (alone) {
            sum = above + sum;
            if (!exclusive) prim::store(table + (zero_row ? pitch : 0) + shift + i, sum);
        }
        if (carry_out) prim::store(carry_out + i, sum);
    }
};

/* ---- tables ------------------------------------------------------------------------------------------ */

struct pipeline {
    const scan_algorithm *algorithm;
    sat_plan_spec spec;
    scan_shape shape;
    int64_t a_pitch, b_pitch; /* sums */
    void *a, *b, *row_work, *column_work;
};

/* Rows begin on lines of 128 bytes; shorter ones on a power of two that holds them, or narrow images would alloc_sums
 * 32 times their size. */
int64_t row_pitch(int64_t length, size_t size)
{
    int64_t line = 128 / (int64_t)size, step = 1;
    while (step < length && step < line) step *= 2;
    return (length + step - 1) / step * step;
}

sat_status alloc_sums(sat_arena *arena, void **memory, int64_t rows, int64_t pitch, size_t size)
{
    size_t bytes;
    if (!sat_mul((size_t)rows, (size_t)pitch, &bytes) || !sat_mul(bytes, size, &bytes))
        return sat_fail(SAT_ERR_SHAPE, "the sums of a table are larger than the address space");
    return sat_arena_take(arena, SAT_MEMORY_DEVICE, bytes, memory);
}

/* An algorithm's workspace, zeroed before any work can access it. */
sat_status alloc_workspace(const scan_algorithm *algorithm, int64_t rows, int64_t length, sat_type accum,
                           const scan_shape *shape, sat_arena *arena, void **memory)
{
    size_t bytes = 0;
    sat_status status = algorithm->workspace(rows, length, accum, shape, &bytes);
    if (status != SAT_OK || bytes == 0) return status;
    status = sat_arena_take(arena, SAT_MEMORY_DEVICE, bytes, memory);
    if (status == SAT_OK) status = prim::fill_bytes(*memory, 0, bytes, NULL);
    return status == SAT_OK ? prim::stream_wait(NULL) : status;
}

void describe(const scan_algorithm *algorithm, int64_t rows, int64_t length, sat_type accum, const scan_shape *shape,
              char *note, size_t note_bytes)
{
    char text[64] = "";
    const char *device;
    algorithm->describe(rows, length, accum, shape, text, sizeof text);
    (void)device_probe(&device);
    snprintf(note, note_bytes, "%s, %s, %s", algorithm->name, text, device);
}

} // namespace

sat_status table_open(const scan_algorithm *algorithm, const sat_plan_spec *spec, sat_arena *arena, void **state,
                      char *note, size_t note_bytes)
{
    sat_status status = has_scan_types(spec->sample, spec->accum);
    if (status != SAT_OK) return status;
    pipeline *p = prim::arena_new<pipeline>(arena);
    if (p == NULL) return SAT_ERR_MEMORY;
    int64_t height = spec->height, width = spec->width, channels = spec->channels;
    size_t size = sat_type_bytes(spec->accum);
    p->algorithm = algorithm;
    p->spec = *spec;
    p->a_pitch = row_pitch(width, size);
    p->b_pitch = row_pitch(height, size);

    status = alloc_sums(arena, &p->a, height * channels, p->a_pitch, size);
    if (status == SAT_OK)
        status = alloc_workspace(algorithm, height * channels, width, spec->accum, &p->shape, arena, &p->row_work);
    if (status == SAT_OK && height > 1) status = alloc_sums(arena, &p->b, width * channels, p->b_pitch, size);
    if (status == SAT_OK && height > 1)
        status = alloc_workspace(algorithm, width * channels, height, spec->accum, &p->shape, arena, &p->column_work);
    if (status == SAT_OK) status = prim::stream_wait(NULL);
    if (status != SAT_OK) return status;
    describe(algorithm, height * channels, width, spec->accum, &p->shape, note, note_bytes);
    *state = p;
    return SAT_OK;
}

namespace
{

sat_status scan_image(const pipeline *p, const sat_view *image, void *stream)
{
    scan_job job = {};
    job.in = image->data;
    job.sample = p->spec.sample;
    job.in_pitch = (int64_t)(image->row_bytes / sat_type_bytes(image->type));
    job.step = image->channels;
    job.out = p->a;
    job.accum = p->spec.accum;
    job.out_pitch = p->a_pitch;
    job.rows = image->height * image->channels;
    job.length = image->width;
    return p->algorithm->queue(&job, &p->shape, p->row_work, stream);
}

sat_status scan_columns(const pipeline *p, int64_t height, const void *carry_in, void *stream)
{
    scan_job job = {};
    job.in = job.out = p->b;
    job.sample = job.accum = p->spec.accum;
    job.in_pitch = job.out_pitch = p->b_pitch;
    job.step = 1;
    job.rows = p->spec.width * p->spec.channels;
    job.length = height;
    job.initial_values = carry_in;
    return p->algorithm->queue(&job, &p->shape, p->column_work, stream);
}

/* Sums are moved as words of 4 bytes: images have no pair of types with sums of 8 (scan.cuh).
 *
 * A -> B: row y*C + c becomes column y of the rows x*C + c. */
using word = uint32_t;
sat_status transpose_sums(const pipeline *p, int64_t height, void *stream)
{
    int64_t channels = p->spec.channels;
    prim::matrices<const word> a = {(const word *)p->a, channels * p->a_pitch, p->a_pitch};
    prim::matrices<word> b = {(word *)p->b, channels * p->b_pitch, p->b_pitch};
    return prim::transpose(a, b, height, p->spec.width, channels, stream);
}

/* B -> the table's entries from (1, 1) on, or from (0, 0) on; the exclusive layout does not hold the last ones. */
sat_status transpose_to_table(const pipeline *p, const sat_view *table, int64_t height, bool zero_row, void *stream)
{
    int64_t channels = p->spec.channels, samples = p->spec.width * channels;
    bool exclusive = p->spec.layout == SAT_EXCLUSIVE;
    int64_t pitch = (int64_t)(table->row_bytes / sizeof(word));
    word *to = (word *)table->data + (p->spec.layout == SAT_INCLUSIVE ? 0 : channels);
    if (zero_row || exclusive) to += pitch;
    prim::matrices<const word> b = {(const word *)p->b, p->b_pitch, 0};
    prim::matrices<word> out = {to, pitch, 0};
    return prim::transpose(b, out, samples - (exclusive ? channels : 0), height - exclusive, 1, stream);
}

template <class Sum> sat_status finish(const pipeline *p, const sat_view *table, int64_t height, const sat_run *run)
{
    edges<Sum> e = {};
    e.table = (Sum *)table->data;
    e.pitch = (int64_t)(table->row_bytes / sizeof(Sum));
    e.rows = table->height;
    e.samples = p->spec.width * p->spec.channels;
    e.channels = p->spec.channels;
    e.shift = p->spec.layout == SAT_INCLUSIVE ? 0 : p->spec.channels;
    e.zero_row = p->spec.layout == SAT_PADDED && !run->continues;
    e.exclusive = p->spec.layout == SAT_EXCLUSIVE;
    e.carry_in = (const Sum *)run->carry_in;
    e.carry_out = (Sum *)run->carry_out;
    e.alone = height == 1;
    e.last = e.alone ? (const Sum *)p->a : (const Sum *)p->b + height - 1;
    e.last_x = e.alone ? 1 : p->spec.channels * p->b_pitch;
    e.last_c = e.alone ? p->a_pitch : p->b_pitch;
    if (e.shift == 0 && !e.alone && !e.carry_out) return SAT_OK;
    int64_t most = e.samples > e.rows * e.shift ? e.samples : e.rows * e.shift;
    return prim::launch(e, (most + edges<Sum>::threads - 1) / edges<Sum>::threads, run->stream);
}

} // namespace

sat_status table_run(void *state, const sat_view *image, const sat_view *table, const sat_run *run)
{
    const pipeline *p = (const pipeline *)state;
    int64_t height = image->height;
    bool zero_row = p->spec.layout == SAT_PADDED && !run->continues;

    sat_status status = scan_image(p, image, run->stream);
    if (height > 1) {
        if (status == SAT_OK) status = transpose_sums(p, height, run->stream);
        if (status == SAT_OK) status = scan_columns(p, height, run->carry_in, run->stream);
        if (status == SAT_OK) status = transpose_to_table(p, table, height, zero_row, run->stream);
    }
    if (status != SAT_OK) return status;
    return with_scan_sums(p->spec.accum, [=](auto zero) { return finish<decltype(zero)>(p, table, height, run); });
}

sat_status wait_in_range(uint32_t *flag, void *stream)
{
    uint32_t outside = 0;
    sat_status copied = SAT_OK;
    if (flag) copied = prim::copy_rows(&outside, sizeof outside, flag, sizeof outside, sizeof outside, 1, stream);
    sat_status status = prim::stream_wait(stream); /* also where the copy failed: all work must be done */
    if (status == SAT_OK) status = copied;
    if (status != SAT_OK || !outside) return status;
    status = prim::fill_bytes(flag, 0, sizeof *flag, stream);
    if (status == SAT_OK) status = prim::stream_wait(stream); /* the next run may be on another one */
    return status == SAT_OK ? sat_fail(SAT_ERR_RANGE, "a sample lies outside the declared range") : status;
}

/* ---- arrays ------------------------------------------------------------------------------------------ */

namespace
{

struct array {
    const scan_algorithm *algorithm;
    sat_scan_spec spec;
    scan_shape shape;
    void *work;
};

} // namespace

sat_status array_open(const scan_algorithm *algorithm, const sat_scan_spec *spec, sat_arena *arena, void **state,
                      char *note, size_t note_bytes)
{
    sat_status status = has_scan_types(spec->sample, spec->accum);
    if (status != SAT_OK) return status;
    array *a = prim::arena_new<array>(arena);
    if (a == NULL) return SAT_ERR_MEMORY;
    a->algorithm = algorithm;
    a->spec = *spec;
    a->shape = {spec->block_threads, spec->thread_items, spec->naive_staging};
    status = alloc_workspace(algorithm, 1, spec->length, spec->accum, &a->shape, arena, &a->work);
    if (status != SAT_OK) return status;
    describe(algorithm, 1, spec->length, spec->accum, &a->shape, note, note_bytes);
    *state = a;
    return SAT_OK;
}

sat_status array_run(void *state, const void *in, void *out, void *stream)
{
    const array *a = (const array *)state;
    scan_job job = {};
    job.in = in;
    job.sample = a->spec.sample;
    job.in_pitch = job.out_pitch = job.length = a->spec.length;
    job.step = 1;
    job.out = out;
    job.accum = a->spec.accum;
    job.rows = 1;
    job.exclusive = a->spec.exclusive;
    return a->algorithm->queue(&job, &a->shape, a->work, stream);
}
