#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "npy_header.h"
#include "table_file.h"

/* Rows without gaps are hashed and written in pieces that the cache holds from the one to the other. */
#define PIECE_BYTES ((size_t)1 << 20)

struct table_writer {
    sink *out; /* the caller's */
    XXH3_state_t *hash;
    sat_view view;                 /* the whole array, without data */
    size_t row_bytes, pixel_bytes; /* of the view */
    table_moments moments;
    uint8_t *joined; /* of several moments: a row of the file */
    int64_t rows;    /* written so far */
    table_trailer trailer;
};

static void put_name(char *field, size_t capacity, const char *name)
{
    snprintf(field, capacity, "%s", name);
}

/* The size of the array, if a file can hold it with header and trailer. */
static bool fits_file(const sat_view *view, int planes, uint64_t *data_bytes)
{
    uint64_t row = sat_row_bytes(view->width, 1, view->type), end;
    return row && !__builtin_mul_overflow(row, (unsigned)view->channels, &row) &&
           !__builtin_mul_overflow(row, (unsigned)planes, &row) &&
           !__builtin_mul_overflow(row, (uint64_t)view->height, data_bytes) &&
           !__builtin_add_overflow(*data_bytes, NPY_PAGE + TRAILER_ALIGN + TRAILER_BYTES, &end) && end <= INT64_MAX;
}

static bool check_level(double level, sat_type sample, sat_type accum, error *err)
{
    if (table_level_ok(level, sample, accum)) return true;
    return fail(err, "level %g: a finite value of %s samples is possible, in a table of f64, not of %s", level,
                sat_type_name(sample), sat_type_name(accum));
}

sat_status table_writer_check(const sat_view *view, const table_meta *meta, error *err)
{
    int64_t width, height;
    uint64_t bytes;
    if ((unsigned)meta->layout > SAT_EXCLUSIVE) {
        fail(err, "no such layout");
        return SAT_ERR_ARGUMENT;
    }
    if (view->channels < 1 || view->channels > TABLE_CHANNELS_MAX ||
        !table_image_shape(meta->layout, view, &width, &height)) {
        fail(err, "no table has %lld x %lld entries and %d channels", (long long)view->width, (long long)view->height,
             view->channels);
        return SAT_ERR_SHAPE;
    }
    if (!table_types_match(meta->sample, view->type)) {
        fail(err, "no %s table of %s samples", sat_type_name(view->type), sat_type_name(meta->sample));
        return SAT_ERR_TYPE;
    }
    if (!table_moments_match(meta->moments, meta->sample, view->type)) {
        fail(err, "no %s table of the moments %s of %s samples", sat_type_name(view->type),
             table_moments_name(meta->moments), sat_type_name(meta->sample));
        return SAT_ERR_TYPE;
    }
    if (!check_level(meta->level, meta->sample, view->type, err)) return SAT_ERR_TYPE;
    if (!fits_file(view, table_planes(meta->moments), &bytes)) {
        fail(err, "the table is larger than any file");
        return SAT_ERR_SHAPE;
    }
    return SAT_OK;
}

static bool describe(table_trailer *t, const sat_view *view, const table_meta *meta, error *err)
{
    int64_t width, height;
    bool q32 = view->type == SAT_Q32;

    if (table_writer_check(view, meta, err) != SAT_OK) return false;
    table_image_shape(meta->layout, view, &width, &height);
    *t = (table_trailer){
        .width = (uint64_t)width,
        .height = (uint64_t)height,
        .channels = (uint32_t)view->channels,
        .data_offset = NPY_PAGE,
        .quant_offset = q32 ? meta->quant.offset : 0,
        .quant_step = q32 ? meta->quant.step : 0,
        .quant_largest = q32 ? meta->quant.largest : 0,
        .has_nodata = meta->has_nodata,
        .nodata = meta->has_nodata ? meta->nodata : 0,
        .level = meta->level,
    };
    put_name(t->layout, sizeof(t->layout), sat_layout_name(meta->layout));
    put_name(t->sample, sizeof(t->sample), sat_type_name(meta->sample));
    put_name(t->accum, sizeof(t->accum), sat_type_name(view->type));
    put_name(t->moment, sizeof(t->moment), table_moments_name(meta->moments));
    put_name(t->writer, sizeof(t->writer), meta->writer);
    if (!meta->writer[0]) snprintf(t->writer, sizeof(t->writer), "sat %s", sat_version());

    return fits_file(view, table_planes(meta->moments), &t->data_bytes);
}

static bool write_header(sink *out, const sat_view *view, int planes, error *err)
{
    const int channels = view->channels * planes;
    npy_header h = {
        .kind = npy_kind(view->type),
        .item_bytes = (int)sat_type_bytes(view->type),
        .dims = channels > 1 ? 3 : 2,
        .shape = {view->height, view->width, channels},
    };
    uint8_t page[NPY_PAGE];

    npy_format(&h, page);
    return sink_write(out, page, sizeof(page), err);
}

bool table_writer_open(table_writer **writer, sink *out, const sat_view *view, const table_meta *meta, error *err)
{
    table_writer *w = calloc(1, sizeof(*w));

    *writer = NULL;
    if (!w) return fail_memory(err, "out of memory");
    if (!describe(&w->trailer, view, meta, err)) goto out;
    w->out = out;
    w->view = *view;
    w->row_bytes = sat_row_bytes(view->width, 1, view->type) * (size_t)view->channels;
    w->pixel_bytes = (size_t)view->channels * sat_type_bytes(view->type);
    w->moments = meta->moments;
    const int planes = table_planes(w->moments);
    if (planes > 1 && !(w->joined = malloc((size_t)planes * w->row_bytes))) {
        fail_memory(err, "out of memory");
        goto out;
    }
    w->hash = XXH3_createState();
    if (!w->hash || XXH3_64bits_reset(w->hash) != XXH_OK) {
        fail_memory(err, "out of memory");
        goto out;
    }
    if (!write_header(out, view, planes, err)) goto out;
    *writer = w;
    return true;
out:
    table_writer_abort(&w);
    return false;
}

bool table_writer_takes(const table_writer *w, const sat_view *rows)
{
    return rows->width == w->view.width && rows->channels == w->view.channels && rows->type == w->view.type &&
           rows->height >= 0 && rows->height <= w->view.height - w->rows;
}

bool table_writer_is_whole(const table_writer *w)
{
    return w->rows == w->view.height;
}

bool table_writer_level(table_writer *w, double level, error *err)
{
    if (!check_level(level, sat_type_from_name(w->trailer.sample), sat_type_from_name(w->trailer.accum), err))
        return false;
    w->trailer.level = level;
    return true;
}

table_moments table_writer_moments(const table_writer *w)
{
    return w->moments;
}

static bool put(table_writer *w, const void *bytes, size_t n, error *err)
{
    if (XXH3_64bits_update(w->hash, bytes, n) != XXH_OK) return fail(err, "cannot compute the checksum");
    return sink_write(w->out, bytes, n, err);
}

/* A row of the file from a row of each moment: the pixels of all lie side by side. */
static inline void join(uint8_t *to, const uint8_t *const *from, size_t planes, int64_t n, size_t pixel_bytes)
{
    for (int64_t x = 0; x < n; x++)
        for (size_t k = 0; k < planes; k++, to += pixel_bytes)
            memcpy(to, from[k] + (size_t)x * pixel_bytes, pixel_bytes);
}

bool table_writer_joined(table_writer *w, const sat_view *const *rows, error *err)
{
    const size_t planes = (size_t)table_planes(w->moments);
    const int64_t width = w->view.width;
    for (int64_t y = 0; y < rows[0]->height; y++) {
        const uint8_t *from[3] = {NULL};
        for (size_t k = 0; k < planes; k++) {
            const size_t apart = rows[k]->row_bytes ? (size_t)rows[k]->row_bytes : w->row_bytes;
            from[k] = (const uint8_t *)rows[k]->data + (size_t)y * apart;
        }
        if (w->pixel_bytes == 8) /* copies of a known size take no calls */
            join(w->joined, from, planes, width, 8);
        else
            join(w->joined, from, planes, width, w->pixel_bytes);
        if (!put(w, w->joined, planes * w->row_bytes, err)) return false;
    }
    w->rows += rows[0]->height;
    return true;
}

bool table_writer_rows(table_writer *writer, const sat_view *rows, error *err)
{
    if (!table_writer_takes(writer, rows)) return fail(err, "rows of another shape than the table's");

    const uint8_t *at = rows->data;
    const size_t apart = rows->row_bytes ? (size_t)rows->row_bytes : writer->row_bytes;
    bool gaps = apart != writer->row_bytes;
    int64_t step = gaps ? 1 : (int64_t)(PIECE_BYTES / writer->row_bytes) + 1;
    for (int64_t y = 0; y < rows->height; y += step) {
        int64_t n = rows->height - y < step ? rows->height - y : step;
        size_t bytes = (size_t)n * writer->row_bytes;
        if (!put(writer, at, bytes, err)) return false;
        at += (size_t)n * apart;
    }
    writer->rows += rows->height;
    return true;
}

bool table_writer_close(table_writer **writer, error *err)
{
    static const uint8_t zeros[TRAILER_ALIGN];
    table_writer *w = *writer;
    table_trailer *t = &w->trailer;
    bool ok;

    if (!table_writer_is_whole(w)) {
        ok = fail(err, "%lld of the table's %lld rows were written", (long long)w->rows, (long long)w->view.height);
        goto out;
    }
    t->data_xxh3 = XXH3_64bits_digest(w->hash);
    trailer_seal(t);
    uint64_t end = t->data_offset + t->data_bytes;
    ok = sink_write(w->out, zeros, (size_t)(trailer_offset(end) - end), err) && sink_write(w->out, t, sizeof(*t), err);
out:
    table_writer_abort(writer);
    return ok;
}

void table_writer_abort(table_writer **writer)
{
    if (!writer || !*writer) return;
    XXH3_freeState((*writer)->hash);
    free((*writer)->joined);
    free(*writer);
    *writer = NULL;
}
