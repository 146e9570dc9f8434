#include "progress.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { FIRST_MS = 500, EVERY_MS = 100, BAR_CELLS = 30 };

static struct {
    pthread_mutex_t lock;
    pthread_cond_t wake;
    pthread_t drawer;
    bool running, stop, drawn, colour;
    int64_t done, steps;
    const char *label;
} bar = {.lock = PTHREAD_MUTEX_INITIALIZER, .wake = PTHREAD_COND_INITIALIZER, .label = ""};

static void erase(void)
{
    if (bar.drawn) fputs("\r\033[K", stderr);
    bar.drawn = false;
}

static void draw(void)
{
    char cells[BAR_CELLS + 1];
    int full = bar.steps > 0 ? (int)((double)bar.done / (double)bar.steps * BAR_CELLS) : 0;
    for (int i = 0; i < BAR_CELLS; i++) cells[i] = i < full ? '=' : ' ';
    cells[BAR_CELLS] = 0;
    fprintf(stderr, "\r\033[K[%s%s%s] %lld of %lld  %s", bar.colour ? "\033[36m" : "", cells,
            bar.colour ? "\033[0m" : "", (long long)bar.done, (long long)bar.steps, bar.label);
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
    if (quiet || !isatty(STDERR_FILENO)) return;
    bar.steps = steps;
    bar.done = 0;
    bar.stop = false;
    bar.colour = !(no_colour && *no_colour) && term && strcmp(term, "dumb") != 0;
    bar.running = pthread_create(&bar.drawer, NULL, draw_on, NULL) == 0;
}

void progress_label(const char *label)
{
    pthread_mutex_lock(&bar.lock);
    bar.label = label;
    pthread_mutex_unlock(&bar.lock);
}

void progress_step(void)
{
    pthread_mutex_lock(&bar.lock);
    bar.done++;
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
