/* table_file.h - tables as .npy files with a trailer; docs/format.md specifies them.  sat_file.h is their public face.
 */
#ifndef IO_TABLE_FILE_H
#define IO_TABLE_FILE_H

#include "sat_file.h"
#include "sink.h"
#include "source.h"
#include "table_trailer.h"

/* From the trailer, or from the caller for a table without one. */
typedef struct table_meta {
    sat_layout layout;
    sat_type sample; /* type of the summed image */
    sat_quant quant; /* q32 */
    table_moments moments;
    bool has_nodata; /* with counts: samples of that value did not count */
    double nodata;
    double level;      /* what was subtracted from the samples (sat_table.level) */
    bool has_trailer;  /* read: false = made by other software (NumPy, OpenCV) */
    uint64_t checksum; /* XXH3-64 of the array's bytes, from the trailer */
    char writer[32];   /* "sat 0.3.0" */
} table_meta;

/* ---- writing: header, then rows as they come, then the trailer ---- */

typedef struct table_writer table_writer;

/* Can such a table be written?  Of the view, width, height, channels and type count.  SAT_ERR_SHAPE, _TYPE or _ARGUMENT
 * with an error if not. */
sat_status table_writer_check(const sat_view *view, const table_meta *meta, error *err);

/* view gives width, height, channels and type of the table's own array (padding included); its data is
 * not used.  1 channel makes a 2-D array, more, or more moments, make a 3-D one.  The sink stays the caller's. */
bool table_writer_open(table_writer **writer, sink *out, const sat_view *view, const table_meta *meta, error *err);
/* Are these rows of the array's shape, and no more than are missing? */
bool table_writer_takes(const table_writer *writer, const sat_view *rows);
/* The next rows of the array, top to bottom; table_writer_takes() them. */
bool table_writer_rows(table_writer *writer, const sat_view *rows, error *err);
/* The same of a writer of several moments: their rows in the array's order, the same number of each. */
bool table_writer_joined(table_writer *writer, const sat_view *const *rows, error *err);
/* Sets meta's level, while rows are written. */
bool table_writer_level(table_writer *writer, double level, error *err);
table_moments table_writer_moments(const table_writer *writer);
/* Were all rows written? */
bool table_writer_is_whole(const table_writer *writer);
/* Writes the trailer after the last row; frees the writer in every case. */
bool table_writer_close(table_writer **writer, error *err);
void table_writer_abort(table_writer **writer);

/* ---- reading: the file stays mapped, and only the pages of a query are read; a stream is in memory ----
 *
 * Header and trailer are copied before they are checked.  If the sums of a mapped file change during a query, its
 * answers are wrong; source.h describes files that become shorter. */

typedef struct table_file {
    source file;
    sat_table table; /* view.data points into it: read only */
    table_meta meta;
    size_t data_offset, data_bytes;
    bool has_i4; /* its entries are <i4, which table.view has as u32 */
} table_file;

/* A source_extent, without context: up to the end of the trailer.  Refuses what is larger than memory_limit(). */
bool table_file_extent(const uint8_t *bytes, size_t n, const void *context, uint64_t *most, error *err);

/* A source_probe, without context: maps the table. */
bool table_file_probe(const uint8_t *head, size_t n, uint64_t file_bytes, const void *context, bool *maps, error *err);

/* The table of the squares, and that of the counts; false if the file has none. */
bool table_file_squares(const table_file *file, sat_table *squares);
bool table_file_counts(const table_file *file, sat_table *counts);

/* An array without trailer is taken for a table only by options->foreign. */
bool table_file_open(table_file *file, const char *path, const sat_file_options *options, error *err);
/* Takes the source over, and empties it, in every case. */
bool table_file_take(table_file *file, source *src, const sat_file_options *options, error *err);
/* The name of its entries' type in the file: "i32" for <i4, else table.view's. */
const char *table_file_type_name(const table_file *file);
/* Does a table without trailer, opened as inclusive, begin with the zeros of a padded one?  The table of an image whose
 * first row and column are zero does too. */
bool table_file_looks_padded(const table_file *file);
/* Are the samples of a table without trailer within the range of their type?  If not, the array is an image, or a table
 * of other samples; the error names the first one out of range.  Checks up to 2^14 positions, always the same.  True
 * for floats, which cannot be checked. */
bool table_file_check_samples(const table_file *file, error *err);
/* Reads the whole array and compares with the trailer's checksum. */
bool table_file_verify(const table_file *file, error *err);
void table_file_close(table_file *file);

#endif
