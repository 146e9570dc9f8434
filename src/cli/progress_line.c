#include "progress_line.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>

enum { BAR_CELLS = 30 };

typedef struct text {
    char *at;
    size_t left; /* bytes, with the final zero */
} text;

__attribute__((format(printf, 2, 3))) static void put(text *t, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    int n = vsnprintf(t->at, t->left, format, args);
    va_end(args);
    size_t used = n < 0 ? 0 : (size_t)n < t->left ? (size_t)n : t->left - 1;
    t->at += used;
    t->left -= used;
}

/* Rounded up: at 0 s the bar is gone. */
static void put_time_left(text *t, double seconds)
{
    enum { MINUTE = 60, HOUR = 60 * MINUTE };
    double s = ceil(seconds);
    if (s < 2 * MINUTE)
        put(t, "  %.0f s left", s);
    else if (s < 2 * HOUR)
        put(t, "  %.0f min left", ceil(s / MINUTE));
    else
        put(t, "  %.0f h left", ceil(s / HOUR));
}

const char *progress_line(const progress_state *s, char *line, size_t bytes)
{
    text t = {.at = line, .left = bytes};
    const progress_moment *now = &s->now, *then = &s->past[s->remembered % PROGRESS_PAST];
    double steps = (double)s->steps, part = s->steps > 0 ? now->done / steps : 0;
    double seconds = now->seconds - then->seconds, done = now->done - then->done, pixels = now->pixels - then->pixels;
    part = part < 0 ? 0 : part > 1 ? 1 : part;
    int percent = (int)(part * 100), cells = (int)(part * BAR_CELLS);

    put(&t, "[%s", s->colour ? "\033[36m" : "");
    for (int i = 0; i < BAR_CELLS; i++) put(&t, "%c", i < cells ? '=' : ' ');
    put(&t, "%s] %3d%%", s->colour ? "\033[0m" : "", percent);
    if (s->steps > 1) put(&t, "  %lld of %lld", (long long)s->whole, (long long)s->steps);
    if (seconds > 0 && pixels > 0) put(&t, "  %.*f Mpx/s", pixels / seconds < 9.95e6 ? 1 : 0, pixels / seconds / 1e6);
    if (seconds > 0 && done > 0 && part < 1) put_time_left(&t, (steps - now->done) * seconds / done);
    put(&t, "  %s", s->label);
    return line;
}

void progress_remember(progress_state *s)
{
    s->past[s->remembered++ % PROGRESS_PAST] = s->now;
}
