/* temp_file.c - files without a name, or with a temporary name in a list.
 *
 * A file is created and listed under one lock, and renamed and unlisted under the same lock.  So the holder of the lock
 * sees exactly the temporary names that exist.  temp_file_remove_all() takes the lock, removes the names and never
 * releases it.  It may run in a signal handler, hence two parts of the lock: a flag, and a mutex around it.  A handler
 * polls the flag only.  Other threads wait for the mutex, asleep.  The holder has all signals blocked, so a handler
 * never waits for the thread that it interrupted. */
#include "temp_file.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define NAME_KEPT 200 /* bytes of the target's name in the temporary one; the rest needs 12 */
#define TRIES_MAX 100 /* names of 24 random bits: a second attempt is rare already */

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static atomic_flag held = ATOMIC_FLAG_INIT;
static temp_file *list;

static void hold(void)
{
    while (atomic_flag_test_and_set_explicit(&held, memory_order_acquire)) poll(NULL, 0, 1);
}

static void lock(sigset_t *before)
{
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, before);
    pthread_mutex_lock(&mutex);
    hold();
}

static void unlock(const sigset_t *before)
{
    atomic_flag_clear_explicit(&held, memory_order_release);
    pthread_mutex_unlock(&mutex);
    pthread_sigmask(SIG_SETMASK, before, NULL);
}

static void unlist(temp_file *t)
{
    for (temp_file **p = &list; *p; p = &(*p)->next) {
        if (*p != t) continue;
        *p = t->next;
        break;
    }
    free(t->name);
    *t = (temp_file){0};
}

/* ---- names ----------------------------------------------------------------------------------------- */

/* A random name beside the target; NULL and ENOMEM when out of memory. */
static char *temporary_name(const char *target, int attempt)
{
    char *name;
    uint32_t bits;
    int dir = (int)path_dir_bytes(target);
    if (getrandom(&bits, sizeof bits, 0) != (ssize_t)sizeof bits) bits = (uint32_t)getpid() + (uint32_t)attempt;
    if (asprintf(&name, "%.*s.%.*s.sat-%06x", dir, target, NAME_KEPT, target + dir, (unsigned)(bits & 0xffffff)) >= 0)
        return name;
    errno = ENOMEM;
    return NULL;
}

/* ---- creating -------------------------------------------------------------------------------------- */

static void path_of(int fd, char path[32])
{
    snprintf(path, 32, "/proc/self/fd/%d", fd);
}

/* Fails if the file could not be linked later: that needs its name in /proc, as linkat() on a descriptor needs a
 * privilege. */
static int create_unnamed(const char *target, mode_t mode)
{
    char path[32], *dir = strndup(target, path_dir_bytes(target));
    if (!dir) return -1;
    int fd = open(*dir ? dir : ".", O_TMPFILE | O_RDWR | O_CLOEXEC, mode);
    free(dir);
    if (fd < 0) return -1;
    path_of(fd, path);
    if (access(path, F_OK) == 0) return fd;
    close(fd);
    return -1;
}

static int create_named(temp_file *t, const char *target, mode_t mode)
{
    int fd = -1;
    sigset_t before;
    lock(&before);
    for (int i = 0; i < TRIES_MAX; i++) {
        char *name = temporary_name(target, i);
        if (!name) break;
        fd = open(name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, mode);
        if (fd >= 0) {
            *t = (temp_file){.name = name, .next = list};
            list = t;
            break;
        }
        free(name);
        if (errno != EEXIST) break;
    }
    unlock(&before);
    return fd;
}

/* Does the target's directory exist?  A removed one has no links any more. */
static bool has_directory(const char *target)
{
    struct stat st;
    char *dir = strndup(target, path_dir_bytes(target));
    bool there = dir && stat(*dir ? dir : ".", &st) == 0 && S_ISDIR(st.st_mode) && st.st_nlink > 0;
    free(dir);
    return there;
}

int temp_file_create(temp_file *t, const char *target, mode_t mode, error *err)
{
    int fd = create_unnamed(target, mode);
    if (fd < 0) fd = create_named(t, target, mode);
    if (fd >= 0) return fd;
    if (errno == ENOENT)
        fail_code(err, ENOENT, has_directory(target) ? "its directory takes no files" : NO_DIRECTORY);
    else
        fail_errno(err, "cannot create a file in its directory");
    return -1;
}

/* ---- ending ---------------------------------------------------------------------------------------- */

/* Old kernels and some file systems have no RENAME_NOREPLACE; link() refuses an existing name too. */
static bool rename_new(const char *from, const char *to)
{
    /* By its number: musl 1.2.3 has no renameat2(). */
    if (syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, RENAME_NOREPLACE) == 0) return true;
    if (errno != EINVAL && errno != ENOSYS) return false;
    if (link(from, to) != 0) return false;
    unlink(from);
    return true;
}

static bool link_to(int fd, const char *name)
{
    char path[32];
    path_of(fd, path);
    return linkat(AT_FDCWD, path, AT_FDCWD, name, AT_SYMLINK_FOLLOW) == 0;
}

/* No system call replaces a name by an unnamed file: one links a temporary name, and another renames it. */
static bool link_over(int fd, const char *target)
{
    char *name = NULL;
    bool linked = false, ok = false;
    for (int i = 0; i < TRIES_MAX && !linked; i++) {
        free(name);
        name = temporary_name(target, i);
        linked = name && link_to(fd, name);
        if (!linked && errno != EEXIST) break;
    }
    if (linked) {
        ok = rename(name, target) == 0;
        int why = errno;
        if (!ok) unlink(name);
        errno = why;
    }
    free(name);
    return ok;
}

bool temp_file_publish(temp_file *t, int fd, const char *target, bool no_clobber, error *err)
{
    bool ok;
    sigset_t before;
    lock(&before);
    if (t->name)
        ok = no_clobber ? rename_new(t->name, target) : rename(t->name, target) == 0;
    else
        ok = link_to(fd, target) || (errno == EEXIST && !no_clobber && link_over(fd, target));
    if (ok)
        unlist(t);
    else if (no_clobber && errno == EEXIST)
        fail_code(err, EEXIST, "exists already");
    else if (errno == ENOENT && !has_directory(target)) /* removed meanwhile */
        fail_code(err, ENOENT, NO_DIRECTORY);
    else
        fail_errno(err, "cannot give the finished file its name");
    unlock(&before);
    return ok;
}

void temp_file_discard(temp_file *t)
{
    sigset_t before;
    if (!t->name) return;
    lock(&before);
    unlink(t->name);
    unlist(t);
    unlock(&before);
}

void temp_file_remove_all(void)
{
    hold();
    for (const temp_file *t = list; t; t = t->next) unlink(t->name);
}
