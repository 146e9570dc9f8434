/* cmd_toy.c - a command in one file. */
#include <stdio.h>

#include "command.h"

static int run(int argc, char **argv)
{
    printf("%s with %d words\n", argv[0], argc - 1);
    return EXIT_FINE;
}

const command command_toy = {
    .name = "toy",
    .summary = "counts its words",
    .help = "  sat toy WORD...\n",
    .run = run,
};
