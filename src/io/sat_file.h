/* sat_file.h - table files: open, verify, write.  The public interface of libsat_file, which needs libsat and xxHash.
 *
 * A table file is a .npy file with a trailer (docs/format.md): a summed-area table with what a query must know of it.
 * What this library opens goes to sat_table_query() and sat_query_create() as it is:
 *
 *     sat_file *file;
 *     sat_table table;
 *     if (sat_file_open(&file, "table.npy", NULL) || sat_file_table(file, &table) ||
 *         sat_table_query(&table, rects, n, 0, 0, NULL, means)) ...
 *     sat_file_close(&file);
 *
 * Large files are mapped, and only the pages of a query are read.  Nothing is printed, and the process is never
 * ended.  Functions return sat_status; where it is not SAT_OK, sat_detail() has one line that says why, without the
 * file's name.
 *
 * Threads.  Every function may be called from any thread.  An open file may be read by many threads at once, as long as
 * none closes it; a writer is used by one thread at a time.
 *
 * Versions.  sat_file_options, sat_file_info and sat_file_write_options grow as the structs of sat.h do: functions that
 * take or fill one are macros that pass its sizeof, and other languages call sat_file_open_sized() and so on with the
 * sizes of their own declarations. */
#ifndef SAT_FILE_H
#define SAT_FILE_H

#include "sat.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Returns errno of this thread's last function of this header that failed: ENOENT, EACCES, EEXIST ...; 0 if no call of
 * the system failed, but the file is broken or an argument is wrong. */
SAT_API int sat_file_errno(void);

/* ---- reading --------------------------------------------------------------------------------------- */

typedef struct sat_file sat_file;

/* How to take a table that other software made (np.save() of cv2.integral(), of cumsum()): an array of <i4 <u4 <i8 <u8
 * <f4 <f8 in C order, with 2 dimensions, or with 3, the last 1 .. 4, and without a trailer.  NULL or zeros:
 * a file of other software is refused.  A file with a trailer is what its trailer says, whatever stands here. */
typedef struct sat_file_options {
    bool foreign;        /* take a file without trailer: its layout and sample type are these */
    bool standard_input; /* the path "-" is standard input; else it is a file of that name */
    bool reserved[2];    /* false */
    sat_layout layout;
    sat_type sample; /* SAT_TYPE_NONE: u8 for a table of integers, f32 for one of floats */
} sat_file_options;

/* Opens a table file.  The first 128 KiB of a regular file are read, and the rest is mapped,
 * privately and read only: a file without a rest is in memory.  So is one that its file system cannot map.  What is no
 * regular file (a pipe) is read to its end.  Header and trailer are checked, the sums are not: sat_file_verify().
 * On SAT_OK *file is the caller's, to be given to sat_file_close(); else it is NULL and the status is
 *   SAT_ERR_FILE      the file cannot be opened or read, holds no table, or is broken; what cannot be mapped is
 *                     larger than three quarters of the machine's memory, or of its control group's limit
 *   SAT_ERR_ARGUMENT  a pointer is NULL, or an option is unknown
 *   SAT_ERR_MEMORY    an allocation failed
 *
 * A mapped file changes under its readers when another process writes into it: sums may then be wrong, and if the file
 * becomes shorter, reading behind its end raises SIGBUS.  Writers that replace a file, as this library does, do no
 * harm. */
#define sat_file_open(...) sat_file_open_sized(__VA_ARGS__, sizeof(sat_file_options)) /* file, path, options */
SAT_API sat_status sat_file_open_sized(sat_file **file, const char *path, const sat_file_options *options,
                                       size_t options_bytes);

/* The same for n bytes of a table file in memory: the caller's, which stay as they are until sat_file_close(), and
 * begin at a multiple of 8. */
#define sat_file_open_memory(...)                                                                                      \
    sat_file_open_memory_sized(__VA_ARGS__, sizeof(sat_file_options)) /* file, bytes, n, options */
SAT_API sat_status sat_file_open_memory_sized(sat_file **file, const void *bytes, size_t n,
                                              const sat_file_options *options, size_t options_bytes);

/* The table: its view, layout, sample type and fixed point.  More than 4 channels are as many tables of one channel in
 * the view (count), whose entries lie side by side: sat_table_statistics() answers for each.  view.data lies in the
 * file; it is read only, and valid until sat_file_close().  Arrays of <i4 are tables of u32, modulo 2^32.
 * SAT_ERR_ARGUMENT if a pointer is NULL. */
#define sat_file_table(...) sat_file_table_sized(__VA_ARGS__, sizeof(sat_table)) /* file, table */
SAT_API sat_status sat_file_table_sized(const sat_file *file, sat_table *table, size_t table_bytes);

/* The table of the squares (sat_table.power = 2) of a file of two moments, for sat_table_statistics(): as above.  Sums
 * and squares lie in turns, with gaps between the pixels of both.  SAT_ERR_UNAVAILABLE if the file has none. */
#define sat_file_squares(...) sat_file_squares_sized(__VA_ARGS__, sizeof(sat_table)) /* file, table */
SAT_API sat_status sat_file_squares_sized(const sat_file *file, sat_table *table, size_t table_bytes);

/* The table of the counts (sat_table.power = SAT_COUNTS) of a file that has one, for sat_statistics.counts: as above.
 * Beside counts, sums and squares have 0 in place of samples that do not count.  SAT_ERR_UNAVAILABLE if the file has
 * none: all samples count. */
#define sat_file_counts(...) sat_file_counts_sized(__VA_ARGS__, sizeof(sat_table)) /* file, table */
SAT_API sat_status sat_file_counts_sized(const sat_file *file, sat_table *table, size_t table_bytes);

/* What else the file says of itself. */
typedef struct sat_file_info {
    int64_t width, height;            /* of the image, px */
    uint64_t data_offset, data_bytes; /* of the array in the file */
    uint64_t checksum;                /* XXH3-64 of the array, by the trailer; 0 without one */
    bool has_trailer;                 /* false: made by other software */
    bool is_mapped;                   /* but for its first 128 KiB; false: in memory */
    bool looks_padded; /* it was opened as inclusive, has no trailer, and its first row and column are zero:
                          it may be a padded one */
    bool has_nodata;   /* samples that equal `nodata` did not count */
    bool reserved[4];  /* false */
    char entry[8];     /* the type of the array: "i32" for <i4, else the table's */
    char moment[8];    /* what was summed: "sum", "1,2" with the squares, "0,1" and "0,1,2" with the counts */
    char writer[32];   /* the program that wrote it, "sat 0.3.0"; "" without a trailer */
    double nodata;     /* NaN: NaNs did not count */
} sat_file_info;

/* SAT_ERR_ARGUMENT if a pointer is NULL. */
#define sat_file_describe(...) sat_file_describe_sized(__VA_ARGS__, sizeof(sat_file_info)) /* file, info */
SAT_API sat_status sat_file_describe_sized(const sat_file *file, sat_file_info *info, size_t info_bytes);

/* Reads the whole array and compares it with the trailer's checksum.  SAT_ERR_FILE if they differ, or if there is no
 * trailer. */
SAT_API sat_status sat_file_verify(const sat_file *file);

/* Can the samples of a table without trailer be of its sample type?  Four entries give a sample back; up to 2^14 of
 * them are checked, always the same.  SAT_ERR_FILE names the first that is out of range: the array is an image, or the
 * table of other samples.  SAT_OK for tables with a trailer, for floats, and for u32 samples in entries of four bytes,
 * which cannot be checked. */
SAT_API sat_status sat_file_check_samples(const sat_file *file);

/* Unmaps or frees the file and sets *file to NULL. NULL and pointers to NULL are fine. */
SAT_API void sat_file_close(sat_file **file);

/* ---- writing --------------------------------------------------------------------------------------- */

typedef struct sat_file_write_options {
    bool no_clobber;      /* refuse a path that exists; checked again, atomically, at the end */
    bool standard_output; /* the path "-" is standard output; else it is a file of that name */
    bool counts;          /* counts beside the sums, by sat_file_writer_tables() */
    bool has_nodata;      /* with counts: the file says that samples of the value `nodata` did not count */
    bool reserved[4];     /* false */
    const char *writer;   /* name of the program, 1 .. 31 printable ASCII characters; NULL = "sat " and sat_version() */
    int moments;          /* 2: sums and sums of squares, by sat_file_writer_moments(); 0, 1: sums */
    int reserved_word;    /* 0 */
    double nodata;        /* NaN: NaNs did not count */
} sat_file_write_options;

/* Writes a table in host memory to a path; /dev/fd/N is a descriptor of the process that is
 * open for writing, also one that is closed on exec.  A file is whole or not there: no failure, full disk or crash
 * leaves half of it, or loses the one that was there before.  It is synced before it gets its name.  A file that is
 * replaced hands on its permissions as far as the process may set them.  A closed pipe raises SIGPIPE unless the
 * process ignores it.
 *
 *   SAT_ERR_ARGUMENT     a pointer is NULL, an option, the layout or the fixed point is none, or the table sums squares
 *                        or counts
 *   SAT_ERR_SHAPE        no table has this shape, its rows lie too close or its pixels apart, or there are several;
 *                        but up to 1024 of one channel, side by side, are written as its channels
 *   SAT_ERR_TYPE         no table of this type is made of samples of that type
 *   SAT_ERR_UNAVAILABLE  the table lies in device memory
 *   SAT_ERR_MEMORY       an allocation failed
 *   SAT_ERR_FILE         the path cannot be written; what was there is unchanged, unless the detail begins with
 *                        "written, but" (the new name could not be synced) */
#define sat_file_write(...) /* path, table, options */                                                                 \
    sat_file_write_sized(__VA_ARGS__, sizeof(sat_table), sizeof(sat_file_write_options))
SAT_API sat_status sat_file_write_sized(const char *path, const sat_table *table, const sat_file_write_options *options,
                                        size_t table_bytes, size_t options_bytes);

/* The same for a table that is made a band of rows at a time. */
typedef struct sat_file_writer sat_file_writer;

/* table: the whole one; its data, row_bytes and memory do not count.  On SAT_OK *writer is the caller's, to be given to
 * sat_file_writer_close() or sat_file_writer_abort(); else it is NULL.  Statuses as for sat_file_write(). */
#define sat_file_writer_open(...) /* writer, path, table, options */                                                   \
    sat_file_writer_open_sized(__VA_ARGS__, sizeof(sat_table), sizeof(sat_file_write_options))
SAT_API sat_status sat_file_writer_open_sized(sat_file_writer **writer, const char *path, const sat_table *table,
                                              const sat_file_write_options *options, size_t table_bytes,
                                              size_t options_bytes);

/* Sets the table's level (sat_table.level), any time before sat_file_writer_close(). Rows already written must fit it;
 * rows of zeros always do. SAT_ERR_ARGUMENT: writer is NULL. SAT_ERR_TYPE: the table cannot have this level. */
SAT_API sat_status sat_file_writer_level(sat_file_writer *writer, double level);

/* The next rows, top to bottom, of the table's width, channels and type, in host memory.  SAT_ERR_SHAPE: their width or
 * channels are others, they are more than are missing, or they lie as sat_file_write() takes no table.  SAT_ERR_TYPE:
 * their type is another.  SAT_ERR_UNAVAILABLE: they lie in device memory.  SAT_ERR_ARGUMENT: there is no data, or the
 * file has two moments.  SAT_ERR_FILE: the path cannot be written. */
SAT_API sat_status sat_file_writer_rows(sat_file_writer *writer, const sat_view *rows);

/* The same for a file of two moments: the same number of rows of the sums and of the squares, both of that type.
 * SAT_ERR_ARGUMENT also where the file has one moment, SAT_ERR_SHAPE where the numbers of rows differ. */
SAT_API sat_status sat_file_writer_moments(sat_file_writer *writer, const sat_view *rows, const sat_view *squares);

/* The same for a file of any moments: NULL for counts and squares that the file does not have.  All are of the table's
 * type. */
SAT_API sat_status sat_file_writer_tables(sat_file_writer *writer, const sat_view *counts, const sat_view *sums,
                                          const sat_view *squares);

/* After the last row: writes the trailer, syncs the file and gives it its name.  Frees the writer in every case, and
 * sets *writer to NULL. SAT_ERR_SHAPE if rows are missing; SAT_ERR_FILE and _MEMORY as for writing in one call. */
SAT_API sat_status sat_file_writer_close(sat_file_writer **writer);

/* Drops what was written. NULL and pointers to NULL are fine. */
SAT_API void sat_file_writer_abort(sat_file_writer **writer);

#ifdef __cplusplus
}
#endif
#endif
