/* regions.h - means and sums of rectangles of an image or a table, as CSV or JSON. */
#ifndef CLI_REGIONS_H
#define CLI_REGIONS_H

#include "format.h"
#include "options.h"
#include "rects.h"
#include "table_file.h"

enum { STATS_MAX = 2 };

typedef enum stat_id { STAT_MEAN, STAT_SUM } stat_id;

typedef struct region_job {
    const char *input;  /* image or table */
    const char *output; /* "-" = standard output */
    bool no_clobber;
    stat_id stats[STATS_MAX]; /* the columns, in this order */
    int stats_n;
    bool clip, json;
    bool may_clip;         /* the command has an option for clip */
    decode_options decode; /* images */
    table_assume assume;   /* tables */
    bool assume_given;     /* --layout or --sample stand on the command line */
    const options *common;
} region_job;

/* "mean,sum" to columns; false if a name is unknown or stands twice. */
bool regions_stats(region_job *job, const char *text);

/* Answers all rectangles, in chunks, in constant memory beside the table.  Prints its own error lines;
 * returns the exit status. */
int regions_run(const region_job *job, rects *from);

#endif
