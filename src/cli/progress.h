/* progress.h - a bar on the terminal for work that takes longer than half a second.
 *
 * Nothing is drawn unless standard error is a terminal.  A thread of its own draws, so that the bar also
 * appears while one long step runs; messages take the bar away while they print.  Colour is left out
 * with NO_COLOR or TERM=dumb.  Any thread may call any function. */
#ifndef CLI_PROGRESS_H
#define CLI_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

void progress_begin(int64_t steps, bool quiet);
void progress_label(const char *label); /* what is going on; a static string */
void progress_step(void);               /* one more step is done */
void progress_end(void);                /* erases the bar */

/* Around a message: take the bar away, and let it come back. */
void progress_hide(void);
void progress_show(void);

#endif
