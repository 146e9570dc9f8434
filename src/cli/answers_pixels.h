/* answers_pixels.h - the pixels that rectangles are asked of: an image in memory, or the rows of its file, some at a
 * time. */
#ifndef CLI_ANSWERS_PIXELS_H
#define CLI_ANSWERS_PIXELS_H

#include "mask_rows.h"
#include "rects_chunk.h"
#include "row_source.h"
#include "valid_choice.h"

/* Zeroed, it holds nothing. */
typedef struct answers_pixels {
    image whole; /* or empty: rows are read */
    row_source from;
    mask_files mask;      /* beside rows that are read */
    int64_t band, read;   /* of them: at a time; the one behind the last that was read */
    uint64_t bytes;       /* that they take, at most; */
    uint64_t whole_bytes; /* that the image takes which is read whole where there is room for it; 0: it is not */
    char *rows, *counts;  /* of these rows; a byte for each pixel that says whether it counts */
    mask_rows counting;
    bool failed; /* to read a row */
} answers_pixels;

/* All of the image but its pixels. */
static inline const image *answers_pixels_head(const answers_pixels *p)
{
    return p->whole.data ? &p->whole : &p->from.head;
}

/* Reads rows of the file: takes the memory for some, and opens the mask, if there is one.  *serves: its rows can be
 * read, too.  Says how many, with `verbose`. */
bool answers_pixels_rows(answers_pixels *p, const valid_choice *choice, const decode_options *decode, bool verbose,
                         bool *serves, error *err);

/* As sat_image_statistics() of the whole image: SAT_OK, what the library refuses, or SAT_ERR_FILE, with the error,
 * where the file's rows cannot be read, or rectangles take more memory than --max-memory leaves beside the rows. */
sat_status answers_pixels_ask(answers_pixels *p, valid_samples *valid, const rects_chunk *chunk,
                              const sat_statistics *ask, error *err);
/* What of that the library refuses, before a row is read. */
sat_status answers_pixels_check(const answers_pixels *p, const rects_chunk *chunk, const sat_statistics *ask);

/* Reads a stream to its last row, so that what follows that, or does not come, is seen. */
bool answers_pixels_end(answers_pixels *p, error *err);

void answers_pixels_close(answers_pixels *p);

#endif
