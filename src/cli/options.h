/* options.h - the command line: getopt_long with our own error lines, rules, and strict values. */
#ifndef CLI_OPTIONS_H
#define CLI_OPTIONS_H

#include <getopt.h>
#include <stdbool.h>
#include <stdint.h>

#include "command.h"
#include "names.h"
#include "sat.h"

enum { OPTIONS_MAX = 128 };

typedef struct options {
    const command *self;
    const char *backend; /* NULL = the best */
    int threads;         /* 0 = not said: one for each core, as far as there is work for it */
    int64_t max_pixels;  /* the largest image */
    bool quiet, verbose; /* never both: the last that was given */
    bool stop;           /* set when the command must return `status` at once: an error, --help, --version */
    int status;
    const option_line *line; /* the option that options_next() returned */
    char name[32];           /* and its name as it was given: "--box", "-o" */
    int given[OPTIONS_MAX]; /* by number less OPT_FIRST: its place among the options that were given, from 1; 0 = not */
    int given_n;
    struct option longs[OPTIONS_MAX]; /* what getopt_long() takes */
    char shorts[OPTIONS_MAX];
} options;

/* The next option that is not a shared one (its number; the value is in optarg), or -1 at the end or when
 * o->stop has been set; operands are then argv[optind..argc). */
int options_next(options *o, int argc, char **argv);

/* After the last option: the environment (SAT_BACKEND, SAT_THREADS) where no option was given, the backend's name
 * checked, and the rules of options.def.  False when o->stop has been set. */
bool options_end(options *o);

/* The name of the option, or of the one of a set that was given last; NULL if none was. */
const char *options_given(const options *o, int what);

/* The name, without dashes, of the option that a misspelt word is nearest to; NULL if it is near none. */
const char *options_near(const options *o, const char *word);

/* The library's sentence about a backend that it does not have, valid like sat_detail(); "" if it has one. */
const char *unknown_backend(const char *name);

/* Reports an error that is none of usage, as say() does, and sets stop; returns false. */
bool options_fail(options *o, const char *file, const char *why);

/* Reports a usage error of this command and sets stop; returns false. */
__attribute__((format(printf, 2, 3))) bool options_refuse(options *o, const char *format, ...);

/* The same of the value of the option that was returned: "--box 'x': a number from 1 to 9". */
__attribute__((format(printf, 2, 3))) bool options_wrong(options *o, const char *format, ...);

/* ---- values: the whole string must be one, or false; numbers as in number.h ---- */

bool parse_int(const char *text, int64_t low, int64_t high, int64_t *value); /* a sign only where low is below 0 */
bool parse_size(const char *text, int64_t low, int64_t high, int64_t *width, int64_t *height); /* N or WxH */

/* The value of the option that was returned; else refused with `what` it takes. */
bool options_int(options *o, int64_t low, int64_t high, const char *what, int64_t *value);
/* A page from 0 on, which *page counts from 1. */
bool options_page(options *o, int *page);
bool options_side(options *o, const char *what, int64_t *width, int64_t *height); /* of N px, or WxH */
/* Which of its values in the table it is, from 0; -1: none, refused with `what` and all of them. */
int options_choice(options *o, const char *what);

/* `--max-pixels`: 1 Gpx, beyond which an image is more likely an attack than a picture. */
#define MAX_PIXELS_DEFAULT ((int64_t)1 << 30)

#endif
