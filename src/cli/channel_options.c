#include "channel_options.h"

#include <string.h>

bool channel_option(channel_choice *choice, options *o, int c)
{
    switch (c) {
    case OPT_GRAY: choice->gray = true; break;
    case OPT_CHANNEL:
        choice->one = optarg[0];
        if (optarg[0] == 0 || optarg[1] != 0 || !strchr("1234rgba", optarg[0]))
            options_refuse(o, "--channel '%s': a number from 1 to 4, or r, g, b or a", optarg);
        break;
    default: return false;
    }
    if (choice->gray && choice->one && !o->stop) options_refuse(o, "--gray and --channel: one or the other");
    return true;
}
