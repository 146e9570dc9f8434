/* mask_rows.h - the rows of masks, read beside an image's. */
#ifndef CLI_MASK_ROWS_H
#define CLI_MASK_ROWS_H

#include "row_source.h"
#include "valid_choice.h"

/* The files of an image's masks: its own, and --mask. */
typedef struct mask_files {
    row_source file[VALID_MASKS];
    mask_name name[VALID_MASKS];
    int count;
    const char *whole; /* why one of them is to be read whole, or NULL */
    bool in_order;     /* at least one mask is a stream: its rows are read once, from the top on */
} mask_files;

/* Opens the masks of a choice.  Fails if one differs in size from the image.  A mask that must be read whole is not
 * compared yet: then m->whole says why it must.  Call mask_files_close() afterwards, even if this returns false. */
bool mask_files_open(mask_files *m, const valid_choice *choice, const image *img, int threads, error *err);
void mask_files_close(mask_files *m);

typedef struct mask_rows {
    mask_files *from; /* NULL: all pixels count */
    char *part;       /* buffer for rows of one mask file */
    int64_t part_n;   /* how many rows it holds */
} mask_rows;

/* To be closed, also on false: out of memory.  bytes: what reading it takes, at most. */
bool mask_rows_open(mask_rows *m, mask_files *from, error *err);
uint64_t mask_rows_bytes(const mask_files *from);

/* Rows from y on, u8, to each image of `made`, interleaved by line: 1 where in each mask a channel, alpha aside, is
 * not 0, else 0. */
bool mask_rows_read(mask_rows *m, int64_t y, const sat_view *made, error *err);

void mask_rows_close(mask_rows *m);

#endif
