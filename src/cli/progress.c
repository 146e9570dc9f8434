/* progress.c - the bar: its text, and the thread that draws it. */
#include "progress.h"

#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

/* ---- its text ------------------------------------------------------------------------------------- */

enum { BAR_LEAST = 6, BAR_MOST = 30 }; /* cells */

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

static void put_bar(text *t, double part, int cells, bool colour)
{
    const int done = (int)(part * cells);
    put(t, "[%s", colour ? "\033[36m" : "");
    for (int i = 0; i < cells; i++) put(t, "%c", i < done ? '=' : ' ');
    put(t, "%s] ", colour ? "\033[0m" : "");
}

const char *progress_line(const progress_state *s, char *line, size_t bytes)
{
    enum { PERCENT, COUNT, RATE, TIME_LEFT, LABEL, FIELDS }; /* from left to right */
    static const int dropped[] = {RATE, LABEL, TIME_LEFT, COUNT};
    char field[FIELDS][64] = {""};
    text t = {.at = line, .left = bytes}, time_left = {.at = field[TIME_LEFT], .left = sizeof *field};
    const progress_moment *now = &s->now, *then = &s->past[s->remembered % PROGRESS_PAST];
    double steps = (double)s->steps, part = s->steps > 0 ? now->done / steps : 0;
    double seconds = now->seconds - then->seconds, done = now->done - then->done, pixels = now->pixels - then->pixels;
    int room = s->columns - 1, width = 0; /* some terminals wrap when the last column is written */
    part = part < 0 ? 0 : part > 1 ? 1 : part;

    snprintf(field[PERCENT], sizeof *field, "%3d%%", (int)(part * 100));
    if (s->steps > 1) snprintf(field[COUNT], sizeof *field, "  %lld of %lld", (long long)s->whole, (long long)s->steps);
    if (seconds > 0 && pixels > 0)
        snprintf(field[RATE], sizeof *field, "  %.*f Mpx/s", pixels / seconds < 9.95e6, pixels / seconds / 1e6);
    if (seconds > 0 && done > 0 && part < 1) put_time_left(&time_left, (steps - now->done) * seconds / done);
    snprintf(field[LABEL], sizeof *field, "  %s", s->label);

    for (int i = 0; i < FIELDS; i++) width += (int)strlen(field[i]);
    const int cells = room - width - (int)strlen("[] ");
    if (cells >= BAR_LEAST) put_bar(&t, part, cells < BAR_MOST ? cells : BAR_MOST, s->colour);
    for (size_t i = 0; width > room && i < sizeof dropped / sizeof *dropped; i++) {
        width -= (int)strlen(field[dropped[i]]);
        field[dropped[i]][0] = 0;
    }
    if (width > room) field[PERCENT][room] = 0;
    for (int i = 0; i < FIELDS; i++) put(&t, "%s", field[i]);
    return line;
}

void progress_remember(progress_state *s)
{
    s->past[s->remembered++ % PROGRESS_PAST] = s->now;
}

/* ---- its thread ----------------------------------------------------------------------------------- */

enum { FIRST_MS = 500, EVERY_MS = 500, LINE_BYTES = 256 };

static struct {
    pthread_mutex_t lock;
    pthread_cond_t wake;
    pthread_t drawer;
    bool running, stop, drawn;
    double begun_s;
    progress_state state;
} bar = {.lock = PTHREAD_MUTEX_INITIALIZER, .wake = PTHREAD_COND_INITIALIZER, .state.label = ""};

static void erase(void)
{
    if (bar.drawn) fputs("\r\033[K", stderr);
    bar.drawn = false;
}

/* Returns the terminal's width. It is asked for each line because windows are resized. */
static int terminal_columns(void)
{
    enum { UNKNOWN = 80, MOST = 1 << 15 };
    struct winsize size;
    const char *said = getenv("COLUMNS");
    const long columns = said ? strtol(said, NULL, 10) : 0;
    if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return size.ws_col;
    return columns > 0 && columns < MOST ? (int)columns : UNKNOWN;
}

static void draw(void)
{
    char line[LINE_BYTES];
    bar.state.now.seconds = clock_now_s() - bar.begun_s;
    bar.state.columns = terminal_columns();
    fprintf(stderr, "\r\033[K%s", progress_line(&bar.state, line, sizeof line));
    progress_remember(&bar.state);
    fflush(stderr);
    bar.drawn = true;
}

static void *draw_on(void *unused)
{
    (void)unused;
    struct timespec next;
    clock_gettime(CLOCK_REALTIME, &next);
    int wait_ms = FIRST_MS;
    pthread_mutex_lock(&bar.lock);
    while (!bar.stop) {
        next.tv_nsec += wait_ms * 1000000L;
        next.tv_sec += next.tv_nsec / 1000000000L;
        next.tv_nsec %= 1000000000L;
        int late = 0;
        while (!bar.stop && late != ETIMEDOUT) late = pthread_cond_timedwait(&bar.wake, &bar.lock, &next);
        if (!bar.stop) draw();
        wait_ms = EVERY_MS;
    }
    erase();
    fflush(stderr);
    pthread_mutex_unlock(&bar.lock);
    return NULL;
}

void progress_begin(int64_t steps, bool quiet)
{
    const char *term = getenv("TERM"), *no_colour = getenv("NO_COLOR");
    const bool dumb = !term || !*term || strcmp(term, "dumb") == 0; /* it may not know \r and \033[K */
    const bool colour = !no_colour || !*no_colour;
    if (quiet || dumb || !isatty(STDERR_FILENO)) return;
    bar.state = (progress_state){.steps = steps, .label = bar.state.label, .colour = colour};
    bar.begun_s = clock_now_s();
    bar.stop = false;
    bar.running = pthread_create(&bar.drawer, NULL, draw_on, NULL) == 0;
}

void progress_label(const char *label)
{
    pthread_mutex_lock(&bar.lock);
    bar.state.label = label;
    pthread_mutex_unlock(&bar.lock);
}

void progress_step(void)
{
    pthread_mutex_lock(&bar.lock);
    bar.state.now.done++;
    bar.state.whole++;
    pthread_mutex_unlock(&bar.lock);
}

/* Up to that part of the step; the lock is held. */
static void reach(progress_item *item, double done)
{
    if (done > item->end) done = item->end;
    if (done <= item->done) return;
    bar.state.now.done += done - item->done;
    bar.state.now.pixels += (done - item->done) * item->pixels;
    item->done = done;
}

void progress_stage(progress_item *item, double share)
{
    pthread_mutex_lock(&bar.lock);
    reach(item, item->end);
    item->share = share;
    item->end += share;
    pthread_mutex_unlock(&bar.lock);
}

void progress_more(void *context, double part)
{
    progress_item *item = context;
    pthread_mutex_lock(&bar.lock);
    reach(item, item->done + part * item->share);
    pthread_mutex_unlock(&bar.lock);
}

void progress_pixels(progress_item *item, double pixels)
{
    pthread_mutex_lock(&bar.lock);
    bar.state.now.pixels += item->done * (pixels - item->pixels);
    item->pixels = pixels;
    pthread_mutex_unlock(&bar.lock);
}

void progress_finish(progress_item *item)
{
    pthread_mutex_lock(&bar.lock);
    item->end = 1;
    reach(item, 1);
    bar.state.whole++;
    pthread_mutex_unlock(&bar.lock);
}

void progress_end(void)
{
    if (!bar.running) return;
    pthread_mutex_lock(&bar.lock);
    bar.stop = true;
    pthread_cond_signal(&bar.wake);
    pthread_mutex_unlock(&bar.lock);
    pthread_join(bar.drawer, NULL);
    bar.running = false;
}

void progress_hide(void)
{
    pthread_mutex_lock(&bar.lock);
    erase();
}

void progress_show(void)
{
    pthread_mutex_unlock(&bar.lock);
}
