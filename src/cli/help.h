/* help.h - what the tool says about itself, on standard output.  Lists are read from the tables. */
#ifndef CLI_HELP_H
#define CLI_HELP_H

#include "command.h"

void help_print(const command *self);
void version_print(void);
void help_rect_statistics(void); /* the list of statistics of rectangles */

#endif
