/* options.h - the command line: getopt_long with our own error lines, and strict values. */
#ifndef CLI_OPTIONS_H
#define CLI_OPTIONS_H

#include <getopt.h>
#include <stdbool.h>
#include <stdint.h>

#include "command.h"
#include "name_list.h"
#include "sat.h"

/* ---- options that several commands share ---- */

/* An option with a value is refused when it is given again, unless its code in the command's table has OPT_REPEATS
 * added. All codes are below that, and options_next() returns them without it. */
enum {
    OPT_BACKEND = 256,
    OPT_THREADS,
    OPT_MAX_PIXELS,
    OPT_MAX_MEMORY,
    OPT_OWN /* a command's own codes start here */,
    OPT_REPEATS = 1024
};

typedef struct options {
    const command *self;
    const char *backend;     /* NULL = the best */
    int threads;             /* 0 = not said: one for each core, as far as there is work for it */
    int64_t max_pixels;      /* the largest image */
    bool quiet, verbose;     /* never both: the last that was given */
    bool given[OPT_REPEATS]; /* by code: an option with a value was given */
    bool stop;               /* set when the command must return `status` at once: an error, --help, --version */
    int status;
} options;

#define OPTIONS_SHORT ":hV"
#define OPTIONS_HELP                                                                                                   \
    {"help", no_argument, NULL, 'h'},                                                                                  \
    {                                                                                                                  \
        "version", no_argument, NULL, 'V'                                                                              \
    }
#define OPTIONS_VERBOSITY                                                                                              \
    {"quiet", no_argument, NULL, 'q'},                                                                                 \
    {                                                                                                                  \
        "verbose", no_argument, NULL, 'v'                                                                              \
    }
#define OPTIONS_RUN                                                                                                    \
    {"backend", required_argument, NULL, OPT_BACKEND | OPT_REPEATS},                                                   \
    {                                                                                                                  \
        "threads", required_argument, NULL, OPT_THREADS | OPT_REPEATS                                                  \
    }

#define OPTIONS_LIMITS                                                                                                 \
    {"max-pixels", required_argument, NULL, OPT_MAX_PIXELS | OPT_REPEATS},                                             \
    {                                                                                                                  \
        "max-memory", required_argument, NULL, OPT_MAX_MEMORY | OPT_REPEATS                                            \
    }

/* The next option that is not a shared one (its code; the value is in optarg), or -1 at the end or when
 * o->stop has been set; operands are then argv[optind..argc). */
int options_next(options *o, int argc, char **argv, const char *shorts, const struct option *longs);

/* After the last option: the environment (SAT_BACKEND, SAT_THREADS) where no option was given, and the
 * backend's name checked.  False when o->stop has been set. */
bool options_end(options *o);

/* The name, without dashes, of the option that a misspelt word is nearest to; NULL if it is near none. */
const char *options_near(const char *word, const struct option *longs);

/* The library's sentence about a backend that it does not have, valid like sat_detail(); "" if it has one. */
const char *unknown_backend(const char *name);

/* Reads a number of pixels or bytes, from 1 on: 1, 2K, 3M, 4G or 5T, each unit 1024 of the one before.
 * name: of the option whose value the text is.  False, refused with what is wrong, if it is none. */
bool options_amount(options *o, const char *name, const char *text, int64_t *amount);

/* Reports a usage error of this command and sets stop; returns false. */
__attribute__((format(printf, 2, 3))) bool options_refuse(options *o, const char *format, ...);

/* ---- values: the whole string must be one, or false; numbers as in number.h ---- */

bool parse_int(const char *text, int64_t low, int64_t high, int64_t *value); /* a sign only where low is below 0 */
bool parse_size(const char *text, int64_t low, int64_t high, int64_t *width, int64_t *height); /* N or WxH */

/* The type of that name among those of a zero-ended list. */
bool parse_type(const char *text, const sat_type *among, sat_type *type);
/* Adds "u8, u16 or f32" of such a list; returns the text. */
const char *type_names(name_list *names, const sat_type *among);

/* `--max-pixels`: 1 Gpx, beyond which an image is more likely an attack than a picture. */
#define MAX_PIXELS_DEFAULT ((int64_t)1 << 30)

#endif
