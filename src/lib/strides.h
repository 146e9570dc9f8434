/* strides.h - rows of views with any strides, gathered and scattered. */
#ifndef SAT_STRIDES_H
#define SAT_STRIDES_H

#include "arena.h"

/* Pixels without gaps from columns [x, x + n) of rows [y, y + rows) of the view's first image, and back.  `pitch`:
 * bytes from one of the packed rows to the next. */
void sat_gather(void *to, size_t pitch, const sat_view *from, int64_t x, int64_t n, int64_t y, int64_t rows);
void sat_scatter(const sat_view *to, int64_t x, int64_t n, int64_t y, int64_t rows, const void *from, size_t pitch);

/* Zeros in n pixels of row y from x on. */
void sat_scatter_zeros(const sat_view *to, int64_t x, int64_t n, int64_t y);

/* Rows [y, y + rows) of one image to those of another of the same shape and type. */
void sat_copy_rows(const sat_view *to, const sat_view *from, int64_t y, int64_t rows);

/* Rows of a view without the gaps between samples; of one thread.  Where rows share cache lines, as the columns of a
 * transposed image do, several neighbours are gathered or scattered together. */
typedef struct sat_rows {
    char *data; /* room for `most` rows, `pitch` bytes apart */
    size_t pitch;
    int64_t most;
    int64_t first, held; /* rows [first, first + held) are there */
} sat_rows;

/* Takes memory for rows of up to that many bytes, of images of that height; false if there is none. */
bool sat_rows_open(sat_rows *r, size_t row_bytes, int64_t height, sat_arena *arena);

/* Before rows of another view are asked for, or what the view holds has changed. */
static inline void sat_rows_forget(sat_rows *r)
{
    r->held = 0;
}

/* Row y, without gaps: in the view, or, until the next call, in r's memory. */
const void *sat_row(sat_rows *r, const sat_view *v, int64_t y);

/* Where row y, without gaps, is to be written, for a view that has some: in r's memory.  Rows come from the first to
 * the last; the last of them are scattered by sat_rows_end(). */
void *sat_row_to(sat_rows *r, const sat_view *v, int64_t y);
void sat_rows_end(sat_rows *r, const sat_view *v);

#endif
