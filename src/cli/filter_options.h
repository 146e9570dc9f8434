/* filter_options.h - the options of statistics of windows. */
#ifndef CLI_FILTER_OPTIONS_H
#define CLI_FILTER_OPTIONS_H

#include "job.h"
#include "options.h"

/* The outputs of --stat or --threshold (compare): NAME[:KEY=VALUE...], several with commas between; a comma may stand
 * before a further KEY=VALUE, too. */
void window_outputs(window_request *r, options *o, const char *option, bool compare, const char *text);

/* Takes the value of --min-valid. */
void window_min_valid(window_request *r, options *o);

/* Labels the outputs: a statistic's name; where others have it, too, with its parameters behind it,
 * "sauvola-k0.3-r128". Refuses two that are the same. */
bool window_label_outputs(window_request *r, options *o);

#endif
