/* sink_test.h - what the tests of outputs share: a folder of their own, and file systems with and without unnamed
 * files. */
#ifndef SINK_TEST_H
#define SINK_TEST_H

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sink.h"
#include "child.h"
#include "scratch.h"
#include <cmocka.h> /* last: it has a macro fail() */

static error err;

/* ---- calls of the sink, as the tests want them ------------------------------------------------------- */

static bool named; /* this file system makes no unnamed files */

int open(const char *path, int flags, ...)
{
    va_list args;
    va_start(args, flags);
    bool unnamed = (flags & O_TMPFILE) == O_TMPFILE;
    int mode = unnamed || (flags & O_CREAT) ? va_arg(args, int) : 0;
    va_end(args);
    if (named && unnamed) {
        errno = EOPNOTSUPP;
        return -1;
    }
    return (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
}

static inline int with_unnamed_files(void **state)
{
    (void)state;
    named = false;
    return 0;
}

static inline int with_named_files(void **state)
{
    (void)state;
    named = true;
    return 0;
}

/* How many names an output has before it is committed. */
static inline int temporary_names(void)
{
    int fd = open(".", O_TMPFILE | O_RDWR, 0600);
    if (fd >= 0) close(fd);
    return fd < 0;
}

/* ---- files ------------------------------------------------------------------------------------------- */

static inline int enter(void **state)
{
    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN);
    return scratch_make(state) || chdir(scratch);
}

static inline int leave(void **state)
{
    return chdir("/") || scratch_remove(state);
}

static inline void put(const char *path, const char *text)
{
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    assert_true(fputs(text, f) >= 0);
    assert_int_equal(fclose(f), 0);
}

static inline void assert_holds(const char *path, const void *bytes, size_t n)
{
    char *have = malloc(n + 1);
    FILE *f = fopen(path, "r");
    assert_non_null(have);
    assert_non_null(f);
    assert_int_equal(fread(have, 1, n + 1, f), n);
    assert_memory_equal(have, bytes, n);
    fclose(f);
    free(have);
}

static inline int files_here(void)
{
    DIR *dir = opendir(".");
    int n = -2; /* . and .. */
    assert_non_null(dir);
    while (readdir(dir)) n++;
    closedir(dir);
    return n;
}

static inline mode_t mode_of(const char *path)
{
    struct stat st;
    assert_int_equal(lstat(path, &st), 0);
    return st.st_mode & 07777;
}

static inline void write_file(const char *path, const char *text)
{
    sink *s;
    assert_true(sink_open(&s, path, NULL, &err));
    assert_true(sink_write(s, text, strlen(text), &err));
    assert_true(sink_commit(&s, &err));
    assert_null(s);
}

static inline void assert_refused(const char *path, const sink_options *opt, const char *why)
{
    sink *s = (sink *)&err;
    int files = files_here();
    assert_false(sink_open(&s, path, opt, &err));
    assert_null(s);
    assert_string_equal(err.text, why);
    assert_int_equal(files_here(), files);
}

#define BOTH(f)                                                                                                        \
    {#f ", unnamed files", f, with_unnamed_files, NULL, NULL},                                                         \
    {                                                                                                                  \
#f ", named files", f, with_named_files, NULL, NULL                                                            \
    }

#endif
