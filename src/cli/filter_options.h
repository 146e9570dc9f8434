/* filter_options.h - the options of statistics of windows. */
#ifndef CLI_FILTER_OPTIONS_H
#define CLI_FILTER_OPTIONS_H

#include "job.h"
#include "options.h"

/* Takes the option that options_next() returned; false if it is none of windows alone. */
bool window_option(window_request *r, options *o, int c);

/* The outputs that the text of --stat names: "mean,sauvola:k=0.3,r=128". */
void window_stats(window_request *r, options *o, const char *text);

/* Labels the outputs: a statistic's name; where others have it, too, with its parameters behind it,
 * "sauvola-k0.3-r128". Refuses two that are the same. */
bool window_label_outputs(window_request *r, options *o);

#endif
