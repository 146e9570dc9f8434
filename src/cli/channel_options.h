/* channel_options.h - the options that choose among the channels of an image. */
#ifndef CLI_CHANNEL_OPTIONS_H
#define CLI_CHANNEL_OPTIONS_H

#include "channels.h"
#include "options.h"

enum { OPT_GRAY = 700, OPT_CHANNEL };

#define OPTIONS_CHANNELS                                                                                               \
    {"gray", no_argument, NULL, OPT_GRAY},                                                                             \
    {                                                                                                                  \
        "channel", required_argument, NULL, OPT_CHANNEL                                                                \
    }

/* Takes that option; false if it is none of OPTIONS_CHANNELS. */
bool channel_option(channel_choice *choice, options *o, int c);

#endif
