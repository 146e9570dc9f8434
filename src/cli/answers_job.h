/* answers_job.h - what is asked of rectangles of images or tables, and in which form; answers_run.c. */
#ifndef CLI_ANSWERS_JOB_H
#define CLI_ANSWERS_JOB_H

#include "answers.h"
#include "format.h"
#include "options.h"
#include "rects.h"
#include "sat_file.h"
#include "valid_choice.h"

typedef struct answers_job {
    char *const *inputs; /* images or tables */
    size_t inputs_n;     /* more than one: for rectangles of the command line */
    bool name_inputs;    /* in each row */
    const char *output;  /* "-" = standard output */
    bool no_clobber;
    answers_column stats[STATS_MAX]; /* the columns, in this order */
    int stats_n;
    bool clip;
    int64_t ddof;                    /* of variances */
    int64_t cell_width, cell_height; /* of a grid, px; 0: there is none */
    const image_format *cell_format; /* its cells become an image; NULL: rows */
    answers_form form;
    bool is_query;           /* the command has options for clip, and for what a table's file does not say */
    decode_options decode;   /* images */
    valid_choice valid;      /* which samples of images count */
    sat_file_options assume; /* tables without trailer; foreign: with --layout */
    bool verify;             /* compare the checksum of any table */
    bool assume_given;       /* --layout or --sample stand on the command line */
    const options *common;
} answers_job;

/* Answers all rectangles of each input, in chunks, in constant memory beside the table.  An input that fails does not
 * stop the others, but a file is written only if all were answered.  Prints its own error lines; returns the exit
 * status. */
int answers_job_run(const answers_job *job, rects *from);

#endif
