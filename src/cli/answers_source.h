/* answers_source.h - what rectangles of one input are asked of: a table, of its file or built here, or the pixels. */
#ifndef CLI_ANSWERS_SOURCE_H
#define CLI_ANSWERS_SOURCE_H

#include "answers_choice.h"
#include "answers_job.h"
#include "answers_pixels.h"

typedef struct answers_source {
    const char *input; /* its name */
    sat_table table;
    sat_table squares;     /* where they are asked for, and no pixels are summed */
    sat_table counts;      /* of a file that has them */
    int64_t width, height; /* of the image */
    int channels, planes;  /* all, and those that are planes: images or tables of one */
    sat_type sums;         /* the type of sums: whose member of sat_sum counts */
    source source;         /* of the file */
    sat_file *file;        /* a table file, or NULL */
    void *tables[2];       /* that were built here, of sums and squares */
    bool by_pixels;        /* no table answers, but these: */
    answers_pixels pixels;
    image_meta meta;       /* of an image that a table answers for */
    int64_t imprecise;     /* variances of the table that rounding may have spoilt (sat_statistics.imprecise) */
    valid_samples valid;   /* what counts; of a table with counts its value for no data, or NaN */
    char *own_mask;        /* malloc'd: the name of FILE.msk, or NULL */
    decode_options decode; /* of images, with what it points to: */
    image_memory memory;
    answers_ask ask;   /* what the choice of a table depends on, */
    const rects *from; /* and the rectangles */
} answers_source;

/* Do the columns need sums of squares? */
bool answers_need_squares(const answers_job *job);
/* What is asked beside sums. */
answers_ask answers_ask_of(const answers_job *job);

/* *a is to be closed, also on false, and stays where it is until then. */
bool answers_source_open(answers_source *a, const answers_job *job, const char *input, rects *from, error *err);
void answers_source_close(answers_source *a);

#endif
