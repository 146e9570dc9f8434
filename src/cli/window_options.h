/* window_options.h - statistics of windows on the command line: --stat and --threshold beside --box, masks. */
#ifndef CLI_WINDOW_OPTIONS_H
#define CLI_WINDOW_OPTIONS_H

#include "options.h"
#include "window_request.h"

enum { OPT_THRESHOLD = 640, OPT_MASK, OPT_NODATA, OPT_MIN_VALID };

#define OPTIONS_WINDOWS                                                                                                \
    {"threshold", required_argument, NULL, OPT_THRESHOLD | OPT_REPEATS}, {"mask", required_argument, NULL, OPT_MASK},  \
        {"nodata", required_argument, NULL, OPT_NODATA},                                                               \
    {                                                                                                                  \
        "min-valid", required_argument, NULL, OPT_MIN_VALID                                                            \
    }

/* Takes the option that options_next() returned, of OPTIONS_WINDOWS; false if it is none of them. */
bool window_option(window_request *r, options *o, int c);

/* The outputs that the text of --stat names: "mean,sauvola:k=0.3,r=128". */
void window_stats(window_request *r, options *o, const char *text);

/* Labels the outputs: a statistic's name; where others have it, too, with its parameters behind it,
 * "sauvola-k0.3-r128". Refuses two that are the same. */
bool window_label_outputs(window_request *r, options *o);

#endif
