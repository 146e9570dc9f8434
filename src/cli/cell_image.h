/* cell_image.h - one statistic of a grid's cells, as an image: a pixel for each cell, its channels those of the input.
 * Samples are f64, or f32 where the format holds no f64. */
#ifndef CLI_CELL_IMAGE_H
#define CLI_CELL_IMAGE_H

#include "format.h"

typedef struct cell_image {
    const image_format *format; /* NULL: no image is made */
    const char *output;
    bool no_clobber;
    int64_t cell_width, cell_height; /* px of the input */
    image img;
    int64_t used; /* samples put so far */
} cell_image;

/* The format of an output of that name, if an image can be written to it; else NULL. */
const image_format *cell_image_format(const char *output);

/* Can files of the format hold cells?  If not, the error says what they hold. */
bool cell_image_holds(const image_format *format, error *err);

/* An input of that size; false if the format holds no such image, or memory is short. */
bool cell_image_begin(cell_image *c, int64_t width, int64_t height, int channels, error *err);
void cell_image_put(cell_image *c, double value); /* channels of a cell one after the other, cells in order */
/* Writes the file, if all cells were put, and frees the image. */
bool cell_image_end(cell_image *c, error *err);

#endif
