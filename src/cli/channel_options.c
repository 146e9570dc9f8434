#include "channel_options.h"

#include <string.h>

enum { MOST_CHANNELS = UINT16_MAX }; /* as many samples as a pixel of a TIFF can have */

bool channel_option(channel_choice *choice, options *o, int c)
{
    int64_t number = 0;
    switch (c) {
    case OPT_GRAY: choice->gray = true; break;
    case OPT_CHANNEL:
        choice->name = optarg[0] && !optarg[1] && strchr("rgba", optarg[0]) ? optarg[0] : 0;
        if (!choice->name && !parse_int(optarg, 1, MOST_CHANNELS, &number))
            options_refuse(o, "--channel '%s': a number from 1 to %d, or r, g, b or a", optarg, MOST_CHANNELS);
        choice->number = (int)number;
        break;
    default: return false;
    }
    if (choice->gray && (choice->name || choice->number) && !o->stop)
        options_refuse(o, "--gray and --channel: one or the other");
    return true;
}
