/* progress_line.h - the text of the progress bar, computed from numbers alone. */
#ifndef CLI_PROGRESS_LINE_H
#define CLI_PROGRESS_LINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct progress_moment {
    double seconds; /* since the first step began */
    double done;    /* steps and parts of steps */
    double pixels;  /* done; 0 = unknown, or not what is counted */
} progress_moment;

enum { PROGRESS_PAST = 10 }; /* 5 s at two lines a second: the pace of a stage does not count long in the next */

typedef struct progress_state {
    int64_t steps, whole; /* all, and those that are done */
    progress_moment now;
    progress_moment past[PROGRESS_PAST]; /* a ring; zero where nothing is remembered */
    int remembered;                      /* moments, those that are forgotten too */
    const char *label;                   /* what is going on */
    bool colour;
} progress_state;

/* "[====      ]  42%  3 of 7  85 Mpx/s  12 s left  files": the count where there is more than one step; the rate and
 * the time left where anything was done since the oldest moment that is remembered, whose pace they are.  Without line
 * end, cut to fit; returns line. */
const char *progress_line(const progress_state *s, char *line, size_t bytes);

/* Remembers the present moment in place of the oldest. */
void progress_remember(progress_state *s);

#endif
