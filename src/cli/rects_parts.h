/* rects_parts.h - what the files of the rectangles' reader share: its state, lines and numbers of text, and one
 * function for each format. */
#ifndef CLI_RECTS_PARTS_H
#define CLI_RECTS_PARTS_H

#include "npy_header.h"
#include "rects_chunk.h"
#include "source.h"

enum {
    RECTS_STREAM_BYTES = 1 << 20, /* the window on a stream; no line is longer */
    RECTS_COLUMNS_MAX = 64,
    RECTS_SIDES = 4,
};

/* A rectangle's numbers by name.  x1 and y1 stand for a width and a height. */
enum rects_field { RECTS_X, RECTS_Y, RECTS_W, RECTS_H, RECTS_X1, RECTS_Y1, RECTS_FIELDS };

enum rects_kind { RECTS_LIST, RECTS_GRID, RECTS_TEXT, RECTS_NPY };

/* Strings one behind the other. */
typedef struct text_heap {
    char *bytes;
    size_t used, capacity;
} text_heap;

/* A number: an integer, or one that is none of 64 bits. */
typedef struct rects_number {
    bool is_real;
    int64_t i;
    double f; /* in any case */
} rects_number;

struct rects {
    enum rects_kind kind;
    const char *name;      /* of the file; NULL for a list */
    const rects_one *list; /* LIST: all of them */
    sat_rect *touched;     /* LIST: the pixels of each */
    size_t list_n;
    size_t given;                                               /* LIST, GRID, NPY: handed out already */
    int64_t cell_width, cell_height, image_width, image_height; /* GRID, px */
    npy_header npy;                                             /* NPY: of the mapped file */

    /* TEXT: text[begin..end) is what has been read and not yet parsed. */
    source file;
    int fd;
    bool at_end;
    char *window;
    const char *text;
    size_t begin, end;
    int64_t line;
    bool said;                            /* some line is not blank */
    bool begun;                           /* a line was parsed since the file was begun */
    bool known;                           /* the form and the columns are, from a first time */
    bool json;                            /* each line is an object or an array */
    char separator;                       /* CSV: a blank: any number of them */
    int columns;                          /* CSV: of each line */
    signed char field[RECTS_COLUMNS_MAX]; /* CSV: which field a column is, -1 = none */
    bool by_corners[2];                   /* CSV: x1 is given, and not w; y1, and not h */
    int others;                           /* columns that are no field */
    text_heap names, rest;                /* of the other columns: names; fields of the chunk */
    bool deferred;                        /* a line is wrong: the next call says so */
    error deferred_err;

    bool whole_only; /* TEXT: fractions are refused; NPY: there were none */

    bool handed_out; /* a chunk was, at any time */
    bool held;       /* the chunk was read, and not handed out yet */
    bool held_all;   /* and no rectangle follows it */
    size_t chunk_n;
    bool real; /* the chunk is of rectangles with fractions */
    union {
        sat_rect whole[RECTS_CHUNK];
        sat_rect_f64 real[RECTS_CHUNK];
    } chunk;
    int64_t lines[RECTS_CHUNK];
    size_t rest_at[RECTS_CHUNK]; /* where in rest the fields begin */
};

/* Fill the chunk as far as there are rectangles.  False if one is wrong; those before it are in the chunk. */
bool rects_next_npy(rects *r, error *err);

/* The mapped file is an array of rectangles? */
bool rects_open_npy(rects *r, error *err);

/* Has any row fractions?  Reads all of them. */
bool rects_npy_fractions(const rects *r);

/* CSV: the first line that is neither blank nor a comment says what the columns are, and may do nothing else: then
 * *is_header.  Where they are known from a first time, they stay. */
bool rects_begin_csv(rects *r, const char *text, const char *end, bool *is_header, error *err);
bool rects_read_csv(rects *r, const char *text, const char *end, rects_one *rect, error *err);

/* One line of JSON; the members of the first that are no fields name the other columns. */
bool rects_read_json(rects *r, const char *text, const char *end, rects_one *rect, error *err);

/* Adds a rectangle to the chunk, of that line or row; false if it is of the other kind: the next chunk begins with it.
 */
bool rects_put(rects *r, const rects_one *one, int64_t line);

/* Which has these sides; whole ones are integers of the same values. */
rects_one rects_of_sides(bool is_real, const double side[RECTS_SIDES], const int64_t whole[RECTS_SIDES]);

/* ---- text ---- */

bool rects_is_blank(char c);

/* Is it an integer, of a magnitude up to 2^53? */
bool rects_is_whole(double v);

/* Which field has that name? -1 = none. */
int rects_field_named(const char *name, size_t n);

/* Are all four sides named, in a header or an object, and each once? */
bool rects_check_fields(const rects *r, const int *seen, bool by_corners[2], error *err);

/* A field's number. */
bool rects_read_number(const rects *r, const char *text, size_t n, rects_number *value, error *err);

/* The rectangle of the fields that by_corners leaves. */
bool rects_of_fields(const rects *r, const rects_number *value, const bool by_corners[2], rects_one *rect, error *err);

/* Room for n bytes and a zero behind what is used; NULL: out of memory.  The caller adds what it took to `used`. */
char *rects_room(text_heap *to, size_t n, error *err);

#endif
