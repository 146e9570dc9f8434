/* region_options.h - what `sat --mean` and `sat query` have in common: rectangles, columns, form, many inputs. */
#ifndef CLI_REGION_OPTIONS_H
#define CLI_REGION_OPTIONS_H

#include "batch.h"
#include "regions.h"

enum {
    OPT_RECT = 512,
    OPT_MEAN,
    OPT_RECTS,
    OPT_GRID,
    OPT_AS,
    OPT_STAT,
    OPT_DDOF,
    OPT_CLIP,
    OPT_JSON,
    OPT_FILES_FROM,
    OPT_NULL = '0'
};

#define OPTIONS_REGIONS                                                                                                \
    {"rect", required_argument, NULL, OPT_RECT | OPT_REPEATS}, {"rects", required_argument, NULL, OPT_RECTS},          \
        {"as", required_argument, NULL, OPT_AS}, {"stat", required_argument, NULL, OPT_STAT},                          \
        {"ddof", required_argument, NULL, OPT_DDOF}, {"clip", no_argument, NULL, OPT_CLIP},                            \
        {"json", no_argument, NULL, OPT_JSON}, {"files-from", required_argument, NULL, OPT_FILES_FROM},                \
    {                                                                                                                  \
        "null", no_argument, NULL, OPT_NULL                                                                            \
    }

typedef struct region_request {
    region_job job;
    batch files;            /* the inputs */
    const char *files_from; /* --files-from, or NULL */
    bool zero_ended;        /* -0 */
    const char *rect_name;  /* the option of one rectangle that was given last: "--mean" or "--rect" */
    rects_one *list;        /* those of the command line */
    size_t list_n;
    const char *rects_path; /* --rects, or NULL */
    bool json;
    const char *given; /* one of --rects, --stat, --ddof, --clip and --json that was given; NULL = none was */
} region_request;

/* stats: the columns where --stat does not stand.  False, with a line said, when out of memory. */
bool region_request_init(region_request *r, options *o, const char *stats, int argc);
void region_request_free(region_request *r);

/* Takes the option that options_next() returned, of OPTIONS_REGIONS or OPT_MEAN; false if it is none of them. */
bool region_option(region_request *r, options *o, int c);

/* The columns that --stat asks for; false, refused, if there are none of these names. */
bool region_stats(region_request *r, options *o, const char *text);

/* The operands argv[optind..argc) and --files-from become the inputs.  usage: of the line where there is none.
 * A list alone that names none is an error of status 1.
 * False when o->stop has been set. */
bool region_inputs(region_request *r, options *o, int argc, char **argv, const char *usage);

/* Answers; decoding, output and tables are set in r->job.  Returns the exit status. */
int region_answer(region_request *r, options *o);

#endif
