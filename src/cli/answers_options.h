/* answers_options.h - what `sat --mean` and `sat query` have in common: rectangles, columns, form, many inputs. */
#ifndef CLI_ANSWERS_OPTIONS_H
#define CLI_ANSWERS_OPTIONS_H

#include "answers_job.h"
#include "batch.h"
#include "raw.h"

typedef struct answers_request {
    answers_job job;
    batch files;            /* the inputs */
    const char *files_from; /* --files-from, or NULL */
    bool zero_ended;        /* -0 */
    rects_one *list;        /* rectangles of the command line */
    size_t list_n;
    const char *rects_path; /* --rects, or NULL */
    raw_layout raw;         /* of the inputs, where --raw is given */
    bool json;
} answers_request;

/* stats: the columns where --stat does not stand.  False, with a line said, when out of memory. */
bool answers_request_init(answers_request *r, options *o, const char *stats, int argc);
void answers_request_free(answers_request *r);

/* Takes the option that options_next() returned; false if it is not about rectangles, their answers or inputs. */
bool answers_option(answers_request *r, options *o, int c);

/* The columns that --stat asks for; false, refused, if there are none of these names. */
bool answers_request_stats(answers_request *r, options *o, const char *text);

/* The operands argv[optind..argc) and --files-from become the inputs.  usage: of the line where there is none.
 * A list alone that names none is an error of status 1.
 * False when o->stop has been set. */
bool answers_request_inputs(answers_request *r, options *o, int argc, char **argv, const char *usage);

/* Can the mask be read, if it is standard input?  Refused if not. */
bool answers_request_mask(const answers_request *r, options *o, const char *mask);

/* Answers; decoding, output and tables are set in r->job.  Returns the exit status. */
int answers_request_run(answers_request *r, options *o);

#endif
