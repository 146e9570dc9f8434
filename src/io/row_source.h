/* row_source.h - the rows of an image file, of which no more than a few are in memory.
 *
 *     row_source s;
 *     if (!row_source_open(&s, path, &decode, err)) ...                  s.head: size, type, metadata
 *     if (s.whole) ok = row_source_image(&s, &decode, &img, err);        a format without rows, or an input as this one
 *     else ok = row_source_read(&s, y, n, rows, err);                    again and again
 *     row_source_close(&s);
 *
 * Rows are packed: n rows take n * image_line_bytes(&s.head) bytes, bands interleaved by line.  One thread uses a
 * source at a time. */
#ifndef IO_ROW_SOURCE_H
#define IO_ROW_SOURCE_H

#include "byte_reader.h"
#include "format.h"

typedef struct row_source row_source;

/* A format's part: how its files are read by rows.  open() sets the head, and `whole` where rows cannot be had; the
 * members below from `begin` on are its own.  Either open() sets begin and stored_bytes, and rows lie one behind the
 * other, or there is a read(). */
typedef struct row_reading {
    /* Refuses an image of more pixels than allowed.  Of an input with a length, it refuses one that is too short, and
     * what end() would. */
    bool (*open)(row_source *s, const decode_options *opt, error *err);
    /* Planes of the image lie plane_bytes apart: a row's, interleaved by line; or more, and then whole steps are asked
     * for. */
    bool (*read)(row_source *s, int64_t y, int64_t n, uint8_t *rows, size_t plane_bytes, error *err);
    /* Refuses what follows the last row; NULL: anything may.  Of a stream it is called behind that row. */
    bool (*end)(row_source *s, error *err);
    void (*close)(row_source *s); /* also after an open() that failed; NULL: state is freed */
} row_reading;

struct row_source {
    const image_format *format;
    image head;        /* all of the image but its pixels: data is NULL */
    const char *whole; /* why the image is to be read whole: "rows of text"; NULL: its rows can be read */
    bool in_order;     /* a stream: rows are read once, from the top on; some may be left out */
    int64_t step; /* rows that are stored together: to begin and end at multiples of it decodes none twice; 1: any */
    int64_t tile_width, tile_height; /* px, of a file in tiles; else 0 */
    uint64_t memory_bytes;           /* taken for reading, at most; of it the head of the file before the first read */
    uint64_t whole_bytes;            /* the same where parts begin and end as `step` says */

    /* The format's. */
    byte_reader in;
    image stored;        /* the head before a choice of channels; without metadata */
    uint64_t begin;      /* where rows lie as they are, the first byte of them */
    size_t stored_bytes; /* of a row there */
    bool upward;         /* the bottom row first */
    bool apart;          /* unpack()'s row lies elsewhere than its bytes; else it may lie where they do, or end there */
    unsigned how;        /* for unpack() */
    bool (*unpack)(const row_source *s, const uint8_t *from, uint8_t *row, error *err); /* NULL: as they are */
    void *state;                                                                        /* malloc'd */

    bool chosen; /* the choice of channels is made by the format */
    int band;    /* of the planes, the one that is read, from 1; 0: all */
    int turned;  /* 2 to 4: the orientation (orient.c) to which the rows of its read() are turned; no planes */

    const row_reading *by;
    channel_choice choice; /* that is still to be made */
    const char *path;
    uint8_t *part;  /* rows before the choice */
    uint8_t *bytes; /* that are to be unpacked to another place */
};

/* Opens an image file, "-" = standard input, and reads what stands before its samples.  The content decides the format.
 * --max-pixels and opt->memory are of whole images, and are not asked.  path and opt->progress stay valid until it is
 * closed.  To be closed, also on false. */
bool row_source_open(row_source *s, const char *path, const decode_options *opt, error *err);

/* Rows y to y + n of the image, with the choice of channels made.  Not where the image is read whole.  A stream that
 * does not end behind its last row is refused when that is read. */
bool row_source_read(row_source *s, int64_t y, int64_t n, void *rows, error *err);

/* The whole image, in place of any rows: within opt->max_pixels, in the memory that opt->memory reserves. */
bool row_source_image(row_source *s, const decode_options *opt, image *img, error *err);

/* Refuses a file that is broken, by its rows, of which some are in memory at a time, within opt->memory's limit; none
 * are read where they lie in a file as they are, as open() has found them there.  Not where the image is read whole. */
bool row_source_check(row_source *s, const decode_options *opt, error *err);

void row_source_close(row_source *s); /* a zeroed one is fine */

/* An unpack() that swaps the bytes of each sample. */
bool rows_swap(const row_source *s, const uint8_t *from, uint8_t *row, error *err);

/* For open(), of u8 with all of its members set: is alpha other than 0 in a pixel of the input's head?  If it is not,
 * the whole image may have to become opaque (codec_opaque_if_clear()). */
bool rows_show_alpha(const row_source *s);

/* For open(), with begin and stored_bytes set: has the input the bytes of all rows?  A stream may. */
bool rows_fit(const row_source *s, error *err);
/* Refuses what lies behind the last row; an end(). */
bool rows_end(row_source *s, error *err);
bool rows_end_at(row_source *s, uint64_t end, error *err);      /* the same of what lies behind that byte */
bool rows_more_follow(row_source *s, uint64_t end, error *err); /* refuses it, and reads a stream on; returns false */

/* A decode() for files in memory; img is freed on false. */
bool rows_decode(const row_reading *by, const uint8_t *bytes, size_t n, const decode_options *opt, image *img,
                 error *err);

#endif
