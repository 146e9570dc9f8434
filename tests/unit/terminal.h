/* terminal.h - a pseudo-terminal for a test, which is skipped and says so where the system gives none (containers
 * without devpts). */
#ifndef TERMINAL_H
#define TERMINAL_H

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* The test's end of a new terminal; *user is the end of the program under test.  The caller closes both. */
static int open_terminal(int *user)
{
    int terminal = posix_openpt(O_RDWR | O_NOCTTY);
    const char *name = terminal >= 0 && !grantpt(terminal) && !unlockpt(terminal) ? ptsname(terminal) : NULL;
    *user = name ? open(name, O_RDWR | O_NOCTTY) : -1;
    if (*user < 0) {
        if (terminal >= 0) close(terminal);
        puts("# no pseudo-terminals here");
        fflush(stdout);
        skip();
    }
    return terminal;
}

#endif
