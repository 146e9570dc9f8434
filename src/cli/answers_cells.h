/* answers_cells.h - one statistic of a grid's cells, as an image: a pixel for each cell, with the channels of the
 * input. */
#ifndef CLI_ANSWERS_CELLS_H
#define CLI_ANSWERS_CELLS_H

#include "format.h"
#include "sat_query.h"
#include "valid_choice.h"

/* A column that answers: a statistic of rectangles.  Is it one of reals, in an array of its own, and no sum or area? */
typedef sat_rect_statistic_info answers_column;

/* What is answered: its name, the size of the image, and the channels and type of its table. */
typedef struct answers_input {
    const char *name;
    int64_t width, height;
    int channels;
    bool planes; /* the channels are, of an image */
    sat_type type;
    const image_meta *meta;     /* of an image that is in memory; or NULL */
    const valid_samples *valid; /* which of its samples count */
} answers_input;

/* Samples are f64, or f32 where the format holds no f64. */
typedef struct answers_cells {
    const image_format *format; /* NULL: no image is made */
    const char *output;
    bool no_clobber, verbose;
    int64_t cell_width, cell_height; /* px of the input */
    image img;
    int64_t used;  /* samples put so far, the channels of a cell one after the other */
    bool marks;    /* cells in which too few samples count have this value, and no others: */
    double empty;  /* the input's value for no data, or NaN */
    int64_t moved; /* cells that would have had it */
} answers_cells;

/* The format of an output of that name, if an image can be written to it; else NULL. */
const image_format *answers_cells_format(const char *output);

/* Can files of the format hold cells?  If not, the error says what they hold. */
bool answers_cells_hold(const image_format *format, error *err);

/* An input begins: the image has its georeference, scaled to the cells, and its value for no data, if cells may be
 * empty. False if the format holds no such image, or memory is short. */
bool answers_cells_begin(answers_cells *c, const answers_column *column, const answers_input *input, int channels,
                         error *err);

/* Channels of a cell one after the other, cells in order. */
void answers_cells_put(answers_cells *c, double value, bool is_empty);

/* Writes the file, if all cells were put, and frees the image. */
bool answers_cells_end(answers_cells *c, error *err);

#endif
