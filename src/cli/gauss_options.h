/* gauss_options.h - the options of Gaussian filters. */
#ifndef CLI_GAUSS_OPTIONS_H
#define CLI_GAUSS_OPTIONS_H

#include "job.h"
#include "options.h"

enum { OPT_GAUSS = 680, OPT_UNSHARP, OPT_DOG };

#define OPTIONS_GAUSS                                                                                                  \
    {"gauss", required_argument, NULL, OPT_GAUSS}, {"unsharp", required_argument, NULL, OPT_UNSHARP},                  \
    {                                                                                                                  \
        "dog", required_argument, NULL, OPT_DOG                                                                        \
    }

/* Takes that option, whose value is optarg; false if it is none of OPTIONS_GAUSS. */
bool gauss_option(gauss_choice *g, options *o, int c);

#endif
