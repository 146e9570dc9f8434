/* rects.h - where rectangles come from: the command line, a CSV file or stream, or an integer .npy of
 * N x 4.  They are handed out in chunks, so that a file of any length needs the same memory.
 *
 * CSV: x,y,w,h in each line, in pixels; commas, semicolons, tabs or blanks, whichever the first line has; a field may
 * stand in quotes.  Blank lines and lines that begin with # are skipped.  A header line may name the columns x y w h in
 * any order; further columns are then allowed, and ignored. */
#ifndef CLI_RECTS_H
#define CLI_RECTS_H

#include "error.h"
#include "sat.h"

enum { RECTS_CHUNK = 1 << 16 };

typedef struct rects rects;

bool rects_open(rects **out, const char *path, error *err);                    /* "-" = CSV on standard input */
bool rects_from_list(rects **out, const sat_rect *list, size_t n, error *err); /* list stays the caller's */
void rects_close(rects **r);

/* The next chunk, at most RECTS_CHUNK, in memory that is valid until the next call; *n = 0: the end.  If a line is
 * wrong, the rectangles before it are handed out first. */
bool rects_next(rects *r, const sat_rect **chunk, size_t *n, error *err);

/* The whole list is handed out again. */
void rects_again(rects *r);

/* Whole list known beforehand (the command line)? Else NULL. */
const sat_rect *rects_list(const rects *r, size_t *n);

/* The file's name; NULL for the command line. */
const char *rects_name(const rects *r);

/* "line 7: " for rectangle i of the last chunk, in a buffer of 48 bytes; "" for the command line. */
const char *rects_where(const rects *r, size_t i, char *buffer);

#endif
