/* mask_rows.h - the rows of --mask, read beside an image's. */
#ifndef CLI_MASK_ROWS_H
#define CLI_MASK_ROWS_H

#include "row_source.h"
#include "valid_choice.h"

/* Opens the file of --mask, and refuses a mask of another size than the image; it may turn out to be read whole. */
bool mask_file_open(row_source *mask, const valid_choice *choice, const image *img, int threads, error *err);

typedef struct mask_rows {
    row_source *from; /* NULL: all pixels count */
    char *part;       /* rows of the file, */
    int64_t part_n;   /* so many at a time */
} mask_rows;

/* To be closed, also on false: out of memory.  bytes: what reading it takes, at most. */
bool mask_rows_open(mask_rows *m, row_source *from, error *err);
uint64_t mask_rows_bytes(const row_source *from);

/* Rows from y on, u8, to each image of `made`, interleaved by line: 1 where a channel of the mask, alpha aside, is not
 * 0, else 0. */
bool mask_rows_read(mask_rows *m, int64_t y, const sat_view *made, error *err);

void mask_rows_close(mask_rows *m);

#endif
