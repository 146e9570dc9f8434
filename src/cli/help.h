/* help.h - what the tool says about itself, on standard output.  Lists are read from the tables. */
#ifndef CLI_HELP_H
#define CLI_HELP_H

#include "command.h"

void help_print(const command *self);
/* For completions: a line for each option, with tabs between its name, letter, argument, values (options.def), and
 * text; behind an empty line those that are in the help of a part of the command. */
void help_list(const command *self);
void version_print(void);
void help_rect_statistics(void); /* the list of statistics of rectangles */

#endif
