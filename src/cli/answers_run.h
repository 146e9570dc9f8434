/* answers_run.h - statistics of rectangles of an image or a table, as CSV, JSON or .npy. */
#ifndef CLI_ANSWERS_RUN_H
#define CLI_ANSWERS_RUN_H

#include "answers_job.h"

/* Answers all rectangles of each input, in chunks, in constant memory beside the table.  An input that fails does not
 * stop the others, but a file is written only if all were answered.  Prints its own error lines; returns the exit
 * status. */
int answers_job_run(const answers_job *job, rects *from);

#endif
