/* row_sink.h - an image file that is written row by row.
 *
 *     row_sink to;
 *     ok = row_sink_begin(&to, format, &head, &encode, out, err);
 *     ok = ok && row_sink_write(&to, rows, n, err);                      again and again, the top row first
 *     ok = ok && row_sink_end(&to, err) && sink_commit(&out, err);
 *     row_sink_free(&to);
 *
 * Rows are packed: n rows take n * image_line_bytes(head) bytes, bands interleaved by line; formats whose `planes` says
 * so write several.  One thread uses a sink at a time. */
#ifndef IO_ROW_SINK_H
#define IO_ROW_SINK_H

#include "format.h"

typedef struct row_sink row_sink;

/* A format's part: how its files are written by rows.  begin() writes what stands before the samples.  Rows go out as
 * they are, or through the pack() that begin() has set, or there is a write(). */
typedef struct row_writing {
    bool upward; /* the bottom row first, by rows to files alone; nothing follows, and there is no write() */
    bool (*begin)(row_sink *s, error *err);
    bool (*write)(row_sink *s, const uint8_t *rows, int64_t n, error *err);
    bool (*end)(row_sink *s, error *err); /* NULL: nothing follows */
    void (*free)(row_sink *s);            /* NULL: state is freed */
    /* For row_sink_bytes(); NULL: those of a row. */
    uint64_t (*bytes)(const image_shape *shape, const encode_options *opt, const sink *out);
} row_writing;

struct row_sink {
    const image_format *format;
    const image *head; /* without pixels */
    const encode_options *opt;
    sink *out;
    int64_t done; /* rows written */
    int64_t step; /* rows that are stored together: parts that begin and end there are written at once; 0: any */

    /* The format's. */
    void (*pack)(const row_sink *s, const uint8_t *row, uint8_t *packed);
    size_t packed_bytes;   /* of a row */
    size_t plane_bytes;    /* from a row to that of the next plane: a row, or those of a plane of a whole image */
    uint64_t header_bytes; /* of an upward format */
    void *state;           /* malloc'd */

    const row_writing *by; /* NULL: the image is encoded whole */
    bool in_order;         /* rows come as the file has them: the last row of an upward image first */
    image img;             /* of a format without rows: all of them */
};

/* head: all of the image but its pixels.  head, opt, out and what they point to stay valid until the end.  A format
 * that cannot be written by rows, or to a stream not, keeps the whole image until the end.  To be freed, also on false.
 */
bool row_sink_begin(row_sink *s, const image_format *format, const image *head, const encode_options *opt, sink *out,
                    error *err);
/* The next n rows. */
bool row_sink_write(row_sink *s, const void *rows, int64_t n, error *err);
/* Behind the last row.  Does not commit. */
bool row_sink_end(row_sink *s, error *err);
void row_sink_free(row_sink *s); /* a zeroed one is fine */

/* The memory that such a sink takes, at most. */
uint64_t row_sink_bytes(const image_format *format, const image_shape *shape, const encode_options *opt,
                        const sink *out);

/* An encode() for an image in memory. */
bool rows_encode(const image_format *format, const image *img, const encode_options *opt, sink *out, error *err);

#endif
