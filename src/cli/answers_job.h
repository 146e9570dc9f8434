/* answers_job.h - what is asked of rectangles of images or tables, and in which form; answers_form.c. */
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

/* The column of that name of n characters; false: there is none. */
bool answers_column_find(const char *name, size_t n, answers_column *column);

/* "mean,std" to columns; NULL, or the rest of the list from a name that is unknown or stands twice. */
const char *answers_job_stats(answers_job *job, const char *text);

/* The form of the answers, by the extension of job->output and --json; refuses what contradicts itself, and the name
 * of an image. */
bool answers_job_form(answers_job *job, options *o, bool json);

#endif
