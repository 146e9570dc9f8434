/* gauss_options.h - the options of Gaussian filters. */
#ifndef CLI_GAUSS_OPTIONS_H
#define CLI_GAUSS_OPTIONS_H

#include "job.h"
#include "options.h"

/* Takes the option that options_next() returned; false if it is none of a Gaussian. */
bool gauss_option(gauss_choice *g, options *o, int c);

#endif
