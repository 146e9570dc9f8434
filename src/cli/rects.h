/* rects.h - where rectangles come from: the command line, a grid, a file or stream of CSV or JSON lines, or a .npy of
 * N x 4 integers, f32 or f64.  They are handed out in chunks, so that a file of any length needs the same memory.
 *
 * CSV: x,y,w,h in each line, in pixels, whole or not; commas, semicolons, tabs or blanks, whichever the first line has;
 * a field may stand in quotes, and holds no line end.  Blank lines and lines that begin with # are skipped.  A header
 * line may name the columns x y w h in any order, or x0 y0 x1 y1, where x1 and y1 lie just outside; further columns are
 * then allowed, and kept.
 *
 * JSON lines: the first line that is neither blank nor a comment begins with { or [.  Each line is an array x,y,w,h, or
 * an object with these names.  Its other members are the other columns, as text: numbers, arrays and objects as they
 * stand, null as nothing.  The first line has all of them; in one that follows any may be missing. */
#ifndef CLI_RECTS_H
#define CLI_RECTS_H

#include "error.h"
#include "rects_chunk.h"

/* "-" = text on standard input.  again: rects_again() will be called, and so a stream is read whole, up to 128 MiB. */
bool rects_open(rects **out, const char *path, bool again, error *err);
bool rects_from_list(rects **out, const rects_one *list, size_t n, error *err); /* list stays the caller's */
bool rects_from_grid(rects **out, int64_t width, int64_t height, error *err);   /* cells of that size, in px */
void rects_close(rects **r);

/* The image of the rectangles to come, which the cells of a grid divide: in order, the first row first;
 * the last of a row, and the last row, are cut to the image. */
void rects_of_image(rects *r, int64_t width, int64_t height);

/* "X,Y,W,H", numbers as in CSV, blanks around them; false: it is none. */
bool rects_parse(const char *text, rects_one *rect);

/* The next chunk, at most RECTS_CHUNK, in memory that is valid until the next call; n = 0: the end.  One is of whole
 * rectangles, or of those with fractions, whatever type a .npy has.  If a line is wrong, the rectangles before it are
 * handed out first. */
bool rects_next(rects *r, rects_chunk *chunk, error *err);

/* Reads the first chunk of a file already, so that rects_load_of() knows a file of no more; rects_next() hands it out,
 * and says what is wrong with it. */
void rects_look(rects *r);

enum { RECTS_LINE_BYTES = 64 }; /* a line of a cache: what a memory hands out at a time */

/* How much of an image's memory rectangles take, cut to it: the bytes of their rows, each at least a line of a cache.
 */
typedef struct rects_load {
    double n, bytes;
    int64_t largest_px;
    bool mixed; /* some have fractions, and not all: these are in chunks of their own */
} rects_load;

/* Of all rectangles; false if they are not known yet. */
bool rects_load_of(const rects *r, int64_t width, int64_t height, size_t pixel_bytes, rects_load *load);
/* Adds the rectangles of a chunk. */
void rects_add_load(rects_load *load, const rects_chunk *chunk, int64_t width, int64_t height, size_t pixel_bytes);

/* For answers whose columns have one type: has any of a list or a .npy fractions?  If none, and in text, which cannot
 * be known beforehand, one that comes is wrong. */
bool rects_fix_columns(rects *r);

void rects_again(rects *r);        /* all are handed out again, from the first */
bool rects_broken(const rects *r); /* a line is wrong: each time it will be */

/* The text's other columns: how many, once the first chunk has been handed out; their names, and the fields of
 * rectangle i of the last chunk: strings one behind the other.  NULL where there are none. */
int rects_others(const rects *r);
const char *rects_other_names(const rects *r);
const char *rects_other_fields(const rects *r, size_t i);

/* Are they of the command line?  Then *n is their number. */
bool rects_listed(const rects *r, size_t *n);

/* The part of a rectangle that lies in an image of this size; all 0 if none does. */
sat_rect rects_inside(const sat_rect *r, int64_t width, int64_t height);

/* The file's name; NULL for the command line. */
const char *rects_name(const rects *r);

/* "line 7: " for rectangle i of the last chunk, in a buffer of 48 bytes; "" for the command line. */
const char *rects_where(const rects *r, size_t i, char *buffer);

#endif
