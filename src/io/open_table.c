/* open_table.c - sat_file.h: checks arguments, and turns failures into a status and a line. */
#include "sat_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sized.h"
#include "table_file.h"

struct sat_file {
    table_file table;
};

struct sat_file_writer {
    sink *out;
    table_writer *rows;
    sat_view view;
};

SAT_NO_PADDING_BEHIND(sat_file_options, sample);
SAT_NO_PADDING_BEHIND(sat_file_info, nodata);
SAT_NO_PADDING_BEHIND(sat_file_write_options, nodata);

static _Thread_local int last_errno;

int sat_file_errno(void)
{
    return last_errno;
}

static sat_status refuse(sat_status status, const char *why)
{
    last_errno = 0;
    sat_set_detail(why);
    return status;
}

static sat_status failed(const error *err)
{
    const sat_status status = refuse(err->no_memory ? SAT_ERR_MEMORY : SAT_ERR_FILE, err->text);
    last_errno = err->code;
    return status;
}

static sat_status newer(const char *what)
{
    error err;
    fail(&err, "%s: sets a member that version %s of the library does not have", what, sat_version());
    return refuse(SAT_ERR_ARGUMENT, err.text);
}

/* ---- reading --------------------------------------------------------------------------------------- */

static sat_status take_options(sat_file_options *ours, const sat_file_options *theirs, size_t bytes)
{
    static const bool none[sizeof ours->reserved];
    *ours = (sat_file_options){0};
    if (!theirs) return SAT_OK;
    if (!sat_copy_struct(ours, sizeof *ours, theirs, bytes)) return newer("options");
    if (memcmp(ours->reserved, none, sizeof none) != 0) return newer("options");
    if ((unsigned)ours->layout > SAT_EXCLUSIVE) return refuse(SAT_ERR_ARGUMENT, "no such layout");
    if (ours->sample != SAT_TYPE_NONE && sat_type_bytes(ours->sample) == 0)
        return refuse(SAT_ERR_ARGUMENT, "no such sample type");
    return SAT_OK;
}

/* As source.h and sink.h take it, for which "-" always is a standard stream. */
static const char *path_of(const char *path, bool standard)
{
    return strcmp(path, "-") == 0 && !standard ? "./-" : path;
}

/* src NULL: from the path.  Takes the source over. */
static sat_status open_table(sat_file **file, const char *path, source *src, const sat_file_options *theirs,
                             size_t options_bytes)
{
    sat_file_options options;
    error err;
    if (!file) return refuse(SAT_ERR_ARGUMENT, "no file");
    *file = NULL;
    sat_status status = take_options(&options, theirs, options_bytes);
    if (status != SAT_OK) return status;
    sat_file *f = calloc(1, sizeof *f);
    if (!f) return refuse(SAT_ERR_MEMORY, "out of memory");
    if (src ? table_file_take(&f->table, src, &options, &err)
            : table_file_open(&f->table, path_of(path, options.standard_input), &options, &err)) {
        *file = f;
        return SAT_OK;
    }
    free(f);
    return failed(&err);
}

sat_status sat_file_open_sized(sat_file **file, const char *path, const sat_file_options *options, size_t options_bytes)
{
    if (file) *file = NULL;
    if (!path) return refuse(SAT_ERR_ARGUMENT, "no path");
    return open_table(file, path, NULL, options, options_bytes);
}

sat_status sat_file_open_memory_sized(sat_file **file, const void *bytes, size_t n, const sat_file_options *options,
                                      size_t options_bytes)
{
    if (file) *file = NULL;
    if (!bytes) return refuse(SAT_ERR_ARGUMENT, "no bytes");
    if ((uintptr_t)bytes % 8 != 0) return refuse(SAT_ERR_ARGUMENT, "the bytes begin at no multiple of 8");
    source src = {.bytes = bytes, .n = n, .borrowed = true};
    return open_table(file, NULL, &src, options, options_bytes);
}

sat_status sat_file_table_sized(const sat_file *file, sat_table *table, size_t table_bytes)
{
    if (!file || !table) return refuse(SAT_ERR_ARGUMENT, "no file or no table");
    sat_give_struct(table, table_bytes, &file->table.table, sizeof(sat_table));
    return SAT_OK;
}

sat_status sat_file_squares_sized(const sat_file *file, sat_table *table, size_t table_bytes)
{
    sat_table squares;
    if (!file || !table) return refuse(SAT_ERR_ARGUMENT, "no file or no table");
    if (!table_file_squares(&file->table, &squares))
        return refuse(SAT_ERR_UNAVAILABLE,
                      "the table has no squares: sat IMAGE -o TABLE.npy --moments 1,2 writes them");
    sat_give_struct(table, table_bytes, &squares, sizeof squares);
    return SAT_OK;
}

sat_status sat_file_counts_sized(const sat_file *file, sat_table *table, size_t table_bytes)
{
    sat_table counts;
    if (!file || !table) return refuse(SAT_ERR_ARGUMENT, "no file or no table");
    if (!table_file_counts(&file->table, &counts))
        return refuse(SAT_ERR_UNAVAILABLE, "the table has no counts: all samples count");
    sat_give_struct(table, table_bytes, &counts, sizeof counts);
    return SAT_OK;
}

sat_status sat_file_describe_sized(const sat_file *file, sat_file_info *info, size_t info_bytes)
{
    if (!file || !info) return refuse(SAT_ERR_ARGUMENT, "no file or no info");
    const table_file *t = &file->table;
    sat_file_info ours = {
        .data_offset = t->data_offset,
        .data_bytes = t->data_bytes,
        .checksum = t->meta.checksum,
        .has_trailer = t->meta.has_trailer,
        .is_mapped = t->file.mapped,
        .looks_padded = table_file_looks_padded(t),
        .has_nodata = t->meta.has_nodata,
        .nodata = t->meta.nodata,
    };
    table_image_shape(t->table.layout, &t->table.view, &ours.width, &ours.height);
    snprintf(ours.moment, sizeof ours.moment, "%s", table_moments_name(t->meta.moments));
    snprintf(ours.entry, sizeof ours.entry, "%s", table_file_type_name(t));
    memcpy(ours.writer, t->meta.writer, sizeof ours.writer);
    sat_give_struct(info, info_bytes, &ours, sizeof ours);
    return SAT_OK;
}

sat_status sat_file_verify(const sat_file *file)
{
    error err;
    if (!file) return refuse(SAT_ERR_ARGUMENT, "no file");
    return table_file_verify(&file->table, &err) ? SAT_OK : failed(&err);
}

sat_status sat_file_check_samples(const sat_file *file)
{
    error err;
    if (!file) return refuse(SAT_ERR_ARGUMENT, "no file");
    return file->table.meta.has_trailer || table_file_check_samples(&file->table, &err) ? SAT_OK : failed(&err);
}

void sat_file_close(sat_file **file)
{
    if (!file || !*file) return;
    table_file_close(&(*file)->table);
    free(*file);
    *file = NULL;
}

/* ---- writing --------------------------------------------------------------------------------------- */

static sat_status take_write_options(sat_file_write_options *ours, const sat_file_write_options *theirs, size_t bytes,
                                     table_meta *meta)
{
    static const bool none[sizeof ours->reserved];
    *ours = (sat_file_write_options){0};
    if (!theirs) return SAT_OK;
    if (!sat_copy_struct(ours, sizeof *ours, theirs, bytes)) return newer("options");
    if (memcmp(ours->reserved, none, sizeof none) != 0) return newer("options");
    if (ours->reserved_word != 0) return newer("options");
    if (ours->moments < 0 || ours->moments > 2)
        return refuse(SAT_ERR_ARGUMENT, "a file has one or two moments, beside counts");
    if (ours->has_nodata && !ours->counts)
        return refuse(SAT_ERR_ARGUMENT, "a value for no data, in a file without counts");
    meta->moments = (table_moments){.counts = ours->counts, .squares = ours->moments == 2};
    meta->has_nodata = ours->has_nodata;
    meta->nodata = ours->nodata;
    if (!ours->writer) return SAT_OK;
    size_t n = strnlen(ours->writer, sizeof meta->writer);
    bool printable = n > 0 && n < sizeof meta->writer;
    for (size_t i = 0; printable && i < n; i++) printable = ours->writer[i] >= ' ' && ours->writer[i] <= '~';
    if (!printable) return refuse(SAT_ERR_ARGUMENT, "the writer's name has 1 to 31 printable ASCII characters");
    memcpy(meta->writer, ours->writer, n);
    return SAT_OK;
}

/* A file has one table, its rows without gaps between samples.  Several with one channel, whose entries lie side by
 * side, are its channels, which they become. */
static sat_status check_one(sat_view *v)
{
    const ptrdiff_t size = (ptrdiff_t)sat_type_bytes(v->type);
    if (v->reserved != 0 || v->reserved_words[0] != 0 || v->reserved_words[1] != 0) return newer("view");
    if (v->channels > 4) return refuse(SAT_ERR_SHAPE, "a view has 1 to 4 channels; more are tables, side by side");
    if (v->count > 1 && v->count <= TABLE_CHANNELS_MAX && v->channels == 1 && v->image_bytes == size &&
        v->pixel_bytes == v->count * size)
        v->channels = (int)v->count, v->count = 1;
    if (v->count < 0 || v->count > 1)
        return refuse(SAT_ERR_SHAPE, "several tables: a file has one, or up to 1024 of one channel, side by side");
    const ptrdiff_t packed = v->channels * size;
    if ((v->pixel_bytes != 0 && v->pixel_bytes != packed) ||
        (v->channel_bytes != 0 && v->channel_bytes != size && v->channels > 1))
        return refuse(SAT_ERR_SHAPE, "a table with gaps between the samples of its rows: copy it to one without");
    return SAT_OK;
}

static sat_status check_rows(sat_view *rows)
{
    if (!rows->data) return refuse(SAT_ERR_ARGUMENT, "no data");
    if (rows->memory != SAT_HOST && rows->memory != SAT_DEVICE)
        return refuse(SAT_ERR_ARGUMENT, "unknown kind of memory");
    if (rows->memory == SAT_DEVICE)
        return refuse(SAT_ERR_UNAVAILABLE, "the table is in device memory; copy it to host memory");
    const sat_status status = check_one(rows);
    if (status != SAT_OK) return status;
    if (rows->row_bytes != 0 && rows->channels > 0 &&
        rows->row_bytes / rows->channels < (ptrdiff_t)sat_row_bytes(rows->width, 1, rows->type))
        return refuse(SAT_ERR_SHAPE, "fewer bytes from row to row than a row has");
    return SAT_OK;
}

sat_status sat_file_writer_open_sized(sat_file_writer **writer, const char *path, const sat_table *theirs,
                                      const sat_file_write_options *their_options, size_t table_bytes,
                                      size_t options_bytes)
{
    sat_table table;
    sat_file_write_options options;
    table_meta meta = {0};
    error err;

    if (writer) *writer = NULL;
    if (!writer || !path || !theirs) return refuse(SAT_ERR_ARGUMENT, "no writer, no path or no table");
    if (!sat_copy_struct(&table, sizeof table, theirs, table_bytes)) return newer("table");
    sat_status status = take_write_options(&options, their_options, options_bytes, &meta);
    if (status != SAT_OK) return status;
    if (table.power != 0 && table.power != 1)
        return refuse(SAT_ERR_ARGUMENT, "a table of squares or counts alone: a file has sums, and these beside them");
    if (table.reserved[0] || table.reserved[1] || table.reserved[2]) return newer("table");
    meta.layout = table.layout;
    meta.sample = table.sample;
    meta.quant = table.quant;
    meta.level = table.level;
    status = check_one(&table.view);
    if (status != SAT_OK) return status;
    status = table_writer_check(&table.view, &meta, &err);
    if (status != SAT_OK) return refuse(status, err.text);
    if (table.view.type == SAT_Q32 && !table_quant_ok(&table.quant))
        return refuse(SAT_ERR_ARGUMENT, "no such fixed point");

    sat_file_writer *w = calloc(1, sizeof *w);
    if (!w) return refuse(SAT_ERR_MEMORY, "out of memory");
    w->view = table.view;
    if (sink_open(&w->out, path_of(path, options.standard_output), &(sink_options){.no_clobber = options.no_clobber},
                  &err) &&
        table_writer_open(&w->rows, w->out, &table.view, &meta, &err)) {
        *writer = w;
        return SAT_OK;
    }
    sat_file_writer_abort(&w);
    return failed(&err);
}

sat_status sat_file_writer_level(sat_file_writer *writer, double level)
{
    error err;
    if (!writer) return refuse(SAT_ERR_ARGUMENT, "no writer");
    return table_writer_level(writer->rows, level, &err) ? SAT_OK : refuse(SAT_ERR_TYPE, err.text);
}

sat_status sat_file_writer_tables(sat_file_writer *writer, const sat_view *counts, const sat_view *sums,
                                  const sat_view *squares)
{
    sat_view copies[3];
    const sat_view *rows[3];
    int n = 0;
    error err;
    if (!writer) return refuse(SAT_ERR_ARGUMENT, "no writer");
    const table_moments moments = table_writer_moments(writer->rows);
    if (moments.counts != (counts != NULL) || moments.squares != (squares != NULL)) {
        fail(&err, "rows of other moments than the file has, which are %s", table_moments_name(moments));
        return refuse(SAT_ERR_ARGUMENT, err.text);
    }
    if (counts) rows[n++] = counts;
    rows[n++] = sums;
    if (squares) rows[n++] = squares;
    for (int k = 0; k < n; k++) {
        if (!rows[k]) return refuse(SAT_ERR_ARGUMENT, "no data");
        copies[k] = *rows[k];
        rows[k] = &copies[k];
        const sat_status status = check_rows(&copies[k]);
        if (status != SAT_OK) return status;
        if (rows[k]->type != writer->view.type) return refuse(SAT_ERR_TYPE, "rows of another type than the table's");
        if (!table_writer_takes(writer->rows, rows[k]) || rows[k]->height != rows[0]->height)
            return refuse(SAT_ERR_SHAPE, "rows of another shape than the table's");
    }
    const bool ok =
        n > 1 ? table_writer_joined(writer->rows, rows, &err) : table_writer_rows(writer->rows, rows[0], &err);
    return ok ? SAT_OK : failed(&err);
}

sat_status sat_file_writer_rows(sat_file_writer *writer, const sat_view *rows)
{
    return sat_file_writer_tables(writer, NULL, rows, NULL);
}

sat_status sat_file_writer_moments(sat_file_writer *writer, const sat_view *rows, const sat_view *squares)
{
    if (!squares) return refuse(SAT_ERR_ARGUMENT, "no squares");
    return sat_file_writer_tables(writer, NULL, rows, squares);
}

sat_status sat_file_writer_close(sat_file_writer **writer)
{
    error err;
    if (!writer || !*writer) return refuse(SAT_ERR_ARGUMENT, "no writer");
    sat_file_writer *w = *writer;
    bool whole = table_writer_is_whole(w->rows);
    bool ok = table_writer_close(&w->rows, &err) && sink_commit(&w->out, &err);
    sat_file_writer_abort(writer);
    return ok ? SAT_OK : whole ? failed(&err) : refuse(SAT_ERR_SHAPE, err.text);
}

void sat_file_writer_abort(sat_file_writer **writer)
{
    if (!writer || !*writer) return;
    table_writer_abort(&(*writer)->rows);
    sink_abort(&(*writer)->out);
    free(*writer);
    *writer = NULL;
}

sat_status sat_file_write_sized(const char *path, const sat_table *table, const sat_file_write_options *options,
                                size_t table_bytes, size_t options_bytes)
{
    sat_file_writer *writer;
    if (!table) return refuse(SAT_ERR_ARGUMENT, "no table");
    sat_view view = table->view;
    sat_status status = check_rows(&view);
    if (status == SAT_OK)
        status = sat_file_writer_open_sized(&writer, path, table, options, table_bytes, options_bytes);
    if (status != SAT_OK) return status;
    status = sat_file_writer_rows(writer, &table->view);
    if (status == SAT_OK) return sat_file_writer_close(&writer);
    sat_file_writer_abort(&writer);
    return status;
}
