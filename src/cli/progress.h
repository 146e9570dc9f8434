/* progress.h - the clock, and a bar on the terminal for work that takes longer than half a second.
 *
 * Nothing is drawn unless standard error is a terminal that can erase a line: if TERM is dumb,
 * empty or not set, there is no bar.  A thread of its own draws, twice a second, so that the bar
 * also appears while one long step runs; messages take the bar away while they print.  Colour is
 * left out with NO_COLOR.  Any thread may call any function; an item is one thread's at a time,
 * but for progress_more(). */
#ifndef CLI_PROGRESS_H
#define CLI_PROGRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

/* Time that only moves forward, in seconds. */
static inline double clock_now_s(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

void progress_begin(int64_t steps, bool quiet);
void progress_label(const char *label); /* what is going on; a static string of ASCII */
void progress_step(void);               /* one more step is done */
void progress_end(void);                /* erases the bar */

/* A step that is counted while it is on its way; zeroed at its begin. */
typedef struct progress_item {
    double done, end; /* parts of the step: what is done, and where its stage ends */
    double share;     /* of the stage */
    double pixels;    /* of the step; 0 = not known yet */
} progress_item;

/* The stage before is done, and the next, which is that share of the step, begins. */
void progress_stage(progress_item *item, double share);
/* So much more of the stage, 0 to 1, is done.  item: a progress_item. */
void progress_more(void *item, double part);
void progress_pixels(progress_item *item, double pixels);
/* The step is done, whatever was reported of it. */
void progress_finish(progress_item *item);

/* Around a message: take the bar away, and let it come back. */
void progress_hide(void);
void progress_show(void);

/* ---- the text of the bar, computed from numbers alone ---- */

typedef struct progress_moment {
    double seconds; /* since the first step began */
    double done;    /* steps and parts of steps */
    double pixels;  /* done; 0 = unknown, or not what is counted */
} progress_moment;

enum { PROGRESS_PAST = 10 }; /* 5 s at two lines a second: the pace of a stage does not count long in the next */

typedef struct progress_state {
    int64_t steps, whole; /* all, and how many are done */
    progress_moment now;
    progress_moment past[PROGRESS_PAST]; /* a ring; zero where nothing is remembered */
    int remembered;                      /* moments, the forgotten ones too */
    const char *label;                   /* what is going on */
    int columns;                         /* of the terminal, from 1 on */
    bool colour;
} progress_state;

/* "[====      ]  42%  3 of 7  85 Mpx/s  12 s left  files": the count where there is more than one step; the rate and
 * the time left where anything was done since the oldest moment that is remembered, whose pace they are.
 *
 * If the line is too long for the terminal, the bar is shortened, or left out if it would
 * have fewer than six cells.  If that is not enough, the rate, the label, the time left
 * and the count are left out, in this order, until the line fits.  The line has no
 * newline and is cut to `bytes`.  Returns `line`. */
const char *progress_line(const progress_state *s, char *line, size_t bytes);

/* Remembers the present moment in place of the oldest. */
void progress_remember(progress_state *s);

#endif
