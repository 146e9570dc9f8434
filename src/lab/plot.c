/* plot.c - runs gnuplot: the script from memory to its standard input, the figure from its standard output into a
 * sink. */
#include "plot.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sink.h"

/* The terminals draw on white, for readers whose page is dark.  Sizes in pixels; PNG has twice as many. */
static const struct {
    const char *suffix, *terminal;
} forms[] = {
    {".svg", "set terminal svg size 860,520 dynamic font 'sans-serif,13' background rgb 'white'\n"},
    {".png", "if (strstrt(GPVAL_TERMINALS, 'pngcairo')) {\n"
             "  set terminal pngcairo size 1720,1040 font 'sans,13' fontscale 1.7 linewidth 2 background rgb 'white'\n"
             "} else {\n"
             "  set terminal png size 1720,1040 medium background rgb 'white'\n"
             "}\n"},
};
enum { FORMS = sizeof forms / sizeof *forms };

static const char *terminal_for(const char *path)
{
    size_t n = strlen(path);
    for (size_t i = 0; i < FORMS; i++) {
        size_t k = strlen(forms[i].suffix);
        if (n > k && strcasecmp(path + n - k, forms[i].suffix) == 0) return forms[i].terminal;
    }
    return NULL;
}

bool plot_knows(const char *path, const char **names)
{
    *names = ".svg or .png";
    return terminal_for(path) != NULL;
}

bool plot_begin(plot *p, const char *path, bool no_clobber, error *err)
{
    *p = (plot){.path = path, .no_clobber = no_clobber};
    p->script = open_memstream(&p->text, &p->bytes);
    if (!p->script) return fail(err, "out of memory");
    fputs(terminal_for(path), p->script);
    fputs("set encoding utf8\n"
          "set datafile missing '?'\n"
          "set border 3 linecolor rgb '#666666'\n"
          "set tics nomirror out\n"
          "set grid ytics linecolor rgb '#dddddd' linetype 1\n",
          p->script);
    return true;
}

void plot_abort(plot *p)
{
    if (p->script) fclose(p->script);
    free(p->text);
    *p = (plot){0};
}

void plot_string(FILE *script, const char *text)
{
    fputc('\'', script);
    for (; *text; text++) {
        if (*text == '\'') fputc('\'', script); /* doubled */
        fputc((unsigned char)*text < ' ' ? ' ' : *text, script);
    }
    fputc('\'', script);
}

/* ---- gnuplot ------------------------------------------------------------------------------------------- */

static bool write_all(int fd, const char *bytes, size_t n)
{
    while (n > 0) {
        ssize_t k = write(fd, bytes, n);
        if (k < 0 && errno == EINTR) continue;
        if (k <= 0) return false;
        bytes += k;
        n -= (size_t)k;
    }
    return true;
}

/* A nameless file in memory with these bytes, read from the beginning. */
static int memory_file(const char *bytes, size_t n)
{
    int fd = memfd_create("plot", MFD_CLOEXEC);
    if (fd >= 0 && (!write_all(fd, bytes, n) || lseek(fd, 0, SEEK_SET) != 0)) {
        close(fd);
        fd = -1;
    }
    return fd;
}

static bool start(pid_t *pid, int in, int out, int complaints, error *err)
{
    static char name[] = "gnuplot";
    char *const words[] = {name, NULL};
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t signals; /* ours are blocked or ignored; its own are not */
    sigset_t none, pipe_only;
    sigemptyset(&none);
    sigemptyset(&pipe_only);
    sigaddset(&pipe_only, SIGPIPE);
    int code = posix_spawnattr_init(&signals);
    if (code == 0 && (code = posix_spawn_file_actions_init(&actions)) != 0) posix_spawnattr_destroy(&signals);
    if (code == 0) {
        posix_spawnattr_setflags(&signals, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
        posix_spawnattr_setsigmask(&signals, &none);
        posix_spawnattr_setsigdefault(&signals, &pipe_only);
        posix_spawn_file_actions_adddup2(&actions, in, STDIN_FILENO);
        posix_spawn_file_actions_adddup2(&actions, out, STDOUT_FILENO);
        posix_spawn_file_actions_adddup2(&actions, complaints, STDERR_FILENO);
        code = posix_spawnp(pid, name, &actions, &signals, words, environ);
        posix_spawn_file_actions_destroy(&actions);
        posix_spawnattr_destroy(&signals);
    }
    if (code == ENOENT) return fail(err, "gnuplot is not installed: there is none on PATH");
    errno = code;
    return code ? fail_errno(err, "cannot start gnuplot") : true;
}

static bool pour(int from, sink *to, size_t *total, error *err)
{
    char buffer[1 << 14];
    for (;;) {
        ssize_t n = read(from, buffer, sizeof buffer);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) return fail_errno(err, "cannot read from gnuplot");
        if (n == 0) return true;
        *total += (size_t)n;
        if (!sink_write(to, buffer, (size_t)n, err)) return false;
    }
}

/* What gnuplot said: its last line that is not blank. */
static bool refused(int complaints, error *err)
{
    char text[2048];
    ssize_t n = pread(complaints, text, sizeof text - 1, 0);
    text[n > 0 ? n : 0] = 0;
    char *last = NULL, *rest = NULL;
    for (char *line = strtok_r(text, "\r\n", &rest); line; line = strtok_r(NULL, "\r\n", &rest))
        if (line[strspn(line, " \t^")]) last = line;
    return fail(err, "gnuplot failed%s%.180s", last ? ": " : "", last ? last + strspn(last, " \t") : "");
}

static bool draw(const plot *p, sink *to, error *err)
{
    int script = memory_file(p->text, p->bytes), complaints = memory_file("", 0), ends[2] = {-1, -1}, status = 0;
    pid_t pid = 0;
    size_t total = 0;
    bool ok = script >= 0 && complaints >= 0 && pipe2(ends, O_CLOEXEC) == 0;
    if (!ok) fail_errno(err, "cannot start gnuplot");
    if (ok) ok = start(&pid, script, ends[1], complaints, err);
    if (ends[1] >= 0) close(ends[1]);
    if (pid) {
        if (ok) ok = pour(ends[0], to, &total, err);
        close(ends[0]); /* if it still writes, it ends of that */
        ends[0] = -1;
        while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {}
        if (ok && (status != 0 || total == 0)) ok = refused(complaints, err);
    }
    if (ends[0] >= 0) close(ends[0]);
    if (script >= 0) close(script);
    if (complaints >= 0) close(complaints);
    return ok;
}

bool plot_end(plot *p, error *err)
{
    const sink_options options = {.no_clobber = p->no_clobber};
    sink *to = NULL;
    bool whole = !ferror(p->script);
    bool ok = fclose(p->script) == 0 && whole;
    p->script = NULL;
    if (!ok) fail(err, "out of memory");
    ok = ok && sink_open(&to, p->path, &options, err);
    if (ok) ok = draw(p, to, err);
    if (ok)
        ok = sink_commit(&to, err);
    else
        sink_abort(&to);
    plot_abort(p);
    return ok;
}
