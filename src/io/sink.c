/* sink.c - outputs that are whole or not there.
 *
 * The registry lists every sink that has a temporary file.  Creating the file and listing it, and renaming
 * it and dropping it from the list, are each done under one lock; so whoever holds the lock sees exactly
 * the temporary files that exist.  The signal thread takes the lock, removes them and never gives it back.
 * Writing and fsync, which may take seconds, happen outside it. */
#include "sink.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#define BUFFER_BYTES ((size_t)1 << 20) /* one write in 256 pages: the system call is lost in the copy */
#define LINKS_MAX    40                /* the kernel's own limit for a path */
#define NAME_KEPT    200               /* bytes of the target's name in the temporary one; the rest needs 12 */
#define TRIES_MAX    100               /* names of 24 random bits; two collisions in a row are already unheard of */

struct sink {
    int fd;
    int dir_fd; /* to sync the new name; -1 for streams and for directories that may not be read */
    bool stream, is_stdout, no_clobber, failed;
    error first;  /* why it failed */
    char *target; /* NULL for streams */
    char *temp;   /* NULL while there is none */
    uint8_t *buffer;
    size_t used;      /* bytes in buffer */
    uint64_t written; /* bytes handed to the kernel */
    struct sink *next;
};

static pthread_mutex_t registry_lock = PTHREAD_MUTEX_INITIALIZER;
static sink *registry;

static void unlist(sink *s)
{
    for (sink **p = &registry; *p; p = &(*p)->next) {
        if (*p == s) {
            *p = s->next;
            return;
        }
    }
}

static void sink_free(sink *s)
{
    if (s->fd >= 0) close(s->fd);
    if (s->dir_fd >= 0) close(s->dir_fd);
    free(s->target);
    free(s->temp);
    free(s->buffer);
    free(s);
}

/* ---- opening --------------------------------------------------------------------------------------- */

static size_t dir_length(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? (size_t)(slash - path) + 1 : 0;
}

/* The path that the chain of symbolic links ends at, whether a file is there or not. */
static char *follow_links(const char *path, error *err)
{
    char *at = strdup(path);
    char to[PATH_MAX];

    for (int links = 0; at; links++) {
        ssize_t n = readlink(at, to, sizeof(to) - 1);
        if (n < 0) {
            if (errno == EINVAL || errno == ENOENT) return at;
            fail_errno(err, "cannot write here");
            break;
        }
        if (links == LINKS_MAX) {
            errno = ELOOP;
            fail_errno(err, "cannot write here");
            break;
        }
        to[n] = 0;
        char *joined = NULL;
        int dir = to[0] == '/' ? 0 : (int)dir_length(at);
        if (asprintf(&joined, "%.*s%s", dir, at, to) < 0) joined = NULL;
        free(at);
        at = joined;
    }
    if (!at) fail(err, "out of memory");
    free(at);
    return NULL;
}

static bool open_stream(sink *s, int fd, const sink_options *opt, error *err)
{
    s->stream = true;
    s->fd = fd;
    if (fd < 0) return fail_errno(err, "cannot open for writing");
    if (!opt->text && isatty(fd)) return fail(err, "binary data is not written to a terminal");
    return true;
}

/* Is there a directory where the first n bytes of the path say, and not one that was removed under its user? */
static bool has_directory(const char *path, size_t n)
{
    char *name = n ? strndup(path, n) : strdup(".");
    struct stat st;
    bool there = name && stat(name, &st) == 0 && S_ISDIR(st.st_mode) && st.st_nlink > 0;
    free(name);
    return there;
}

static bool create_temp(sink *s, const struct stat *old, error *err)
{
    size_t dir = dir_length(s->target);
    bool ok = false;

    pthread_mutex_lock(&registry_lock);
    for (int i = 0; i < TRIES_MAX; i++) {
        uint32_t bits;
        if (getrandom(&bits, sizeof(bits), 0) != (ssize_t)sizeof(bits)) bits = (uint32_t)getpid() + (uint32_t)i;
        free(s->temp);
        if (asprintf(&s->temp, "%.*s.%.*s.sat-%06x", (int)dir, s->target, NAME_KEPT, s->target + dir,
                     (unsigned)(bits & 0xffffff)) < 0) {
            s->temp = NULL;
            fail(err, "out of memory");
            goto out;
        }
        s->fd = open(s->temp, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, old ? 0600 : 0666);
        if (s->fd >= 0 || errno != EEXIST) break;
    }
    if (s->fd < 0) {
        if (errno == ENOENT)
            fail(err, has_directory(s->target, dir) ? "its directory takes no files" : "its directory does not exist");
        else
            fail_errno(err, "cannot create a file in its directory");
        free(s->temp);
        s->temp = NULL;
        goto out;
    }
    s->next = registry;
    registry = s;
    ok = true;
out:
    pthread_mutex_unlock(&registry_lock);
    return ok;
}

static bool open_file(sink *s, const char *path, const sink_options *opt, error *err)
{
    struct stat st, own;
    bool exists = stat(path, &st) == 0;

    if (!exists && errno != ENOENT) return fail_errno(err, "cannot write here");
    if (exists && S_ISDIR(st.st_mode)) return fail(err, "is a directory");
    if (exists && !S_ISREG(st.st_mode)) return open_stream(s, open(path, O_WRONLY | O_NOCTTY | O_CLOEXEC), opt, err);

    if (opt->no_clobber && lstat(path, &own) == 0) return fail(err, "exists already");
    if (exists && faccessat(AT_FDCWD, path, W_OK, AT_EACCESS) != 0) return fail_errno(err, "may not be replaced");

    s->target = follow_links(path, err);
    if (!s->target) return false;
    size_t dir = dir_length(s->target);
    if (s->target[dir] == 0) return fail(err, dir ? "is a directory's name" : "the name is empty");
    s->no_clobber = opt->no_clobber;
    if (!create_temp(s, exists ? &st : NULL, err)) return false;

    if (exists) {
        /* The owner first: chown clears bits.  Only root may give files away. */
        if ((st.st_uid != geteuid() || st.st_gid != getegid()) && fchown(s->fd, st.st_uid, st.st_gid) != 0 &&
            errno != EPERM)
            return fail_errno(err, "cannot keep its owner");
        if (fchmod(s->fd, st.st_mode & 0777) != 0 && errno != EPERM)
            return fail_errno(err, "cannot keep its permissions");
    }
    char last = s->target[dir];
    s->target[dir] = 0;
    s->dir_fd = open(dir ? s->target : ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    s->target[dir] = last;
    if (s->dir_fd < 0 && errno != EACCES) return fail_errno(err, "cannot open its directory");
    return true;
}

bool sink_open(sink **out, const char *path, const sink_options *opt, error *err)
{
    static const sink_options none;
    sink *s = calloc(1, sizeof(*s));
    bool ok;

    *out = NULL;
    if (!s) return fail(err, "out of memory");
    s->fd = s->dir_fd = -1;
    s->buffer = malloc(BUFFER_BYTES);
    if (!s->buffer)
        ok = fail(err, "out of memory");
    else if ((s->is_stdout = !strcmp(path, "-") || !strcmp(path, "/dev/stdout")))
        ok = open_stream(s, fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3), opt ? opt : &none, err);
    else
        ok = open_file(s, path, opt ? opt : &none, err);
    if (!ok) {
        sink_abort(&s);
        return false;
    }
    *out = s;
    return true;
}

/* ---- writing --------------------------------------------------------------------------------------- */

/* Keeps err as the sink's first error. */
static bool spoil(sink *s, const error *err)
{
    s->failed = true;
    s->first = *err;
    return false;
}

static bool write_failed(sink *s, error *err)
{
    if (errno != EPIPE) {
        fail_errno(err, "cannot write");
    } else {
        if (s->is_stdout) sink_reader_left();
        fail(err, "closed pipe");
    }
    return spoil(s, err);
}

/* At *offset, or where the file stands if offset is NULL. */
static bool write_all(sink *s, const uint8_t *bytes, size_t n, const uint64_t *offset, error *err)
{
    for (size_t done = 0; done < n;) {
        ssize_t k = offset ? pwrite(s->fd, bytes + done, n - done, (off_t)(*offset + done))
                           : write(s->fd, bytes + done, n - done);
        if (k > 0) {
            done += (size_t)k;
        } else if (k < 0 && errno == EAGAIN) {
            struct pollfd wait = {.fd = s->fd, .events = POLLOUT};
            if (poll(&wait, 1, -1) < 0 && errno != EINTR) return write_failed(s, err);
        } else if (k == 0 || errno != EINTR) {
            if (k == 0) errno = EIO;
            return write_failed(s, err);
        }
    }
    if (!offset) s->written += n;
    return true;
}

static bool flush(sink *s, error *err)
{
    size_t n = s->used;
    s->used = 0;
    return write_all(s, s->buffer, n, NULL, err);
}

static bool repeat_failure(const sink *s, error *err)
{
    *err = s->first;
    return false;
}

bool sink_write(sink *out, const void *bytes, size_t n, error *err)
{
    if (out->failed) return repeat_failure(out, err);
    if (n > BUFFER_BYTES - out->used && !flush(out, err)) return false;
    if (n >= BUFFER_BYTES) return write_all(out, bytes, n, NULL, err);
    if (n) memcpy(out->buffer + out->used, bytes, n);
    out->used += n;
    return true;
}

bool sink_rewrite(sink *out, size_t offset, const void *bytes, size_t n, error *err)
{
    uint64_t at = offset;

    if (out->failed) return repeat_failure(out, err);
    if (out->stream) return fail(err, "a stream cannot be written out of order");
    if (!flush(out, err)) return false;
    if (at > out->written || n > out->written - at) return fail(err, "rewritten past the end");
    return write_all(out, bytes, n, &at, err);
}

/* ---- ending ---------------------------------------------------------------------------------------- */

/* Old kernels and some file systems have no RENAME_NOREPLACE; link() refuses an existing name too. */
static bool rename_new(const char *from, const char *to)
{
    if (renameat2(AT_FDCWD, from, AT_FDCWD, to, RENAME_NOREPLACE) == 0) return true;
    if (errno != EINVAL && errno != ENOSYS) return false;
    if (link(from, to) != 0) return false;
    unlink(from);
    return true;
}

static bool publish(sink *s, error *err)
{
    pthread_mutex_lock(&registry_lock);
    bool ok = s->no_clobber ? rename_new(s->temp, s->target) : rename(s->temp, s->target) == 0;
    if (ok) {
        unlist(s);
        free(s->temp);
        s->temp = NULL;
    } else if (s->no_clobber && errno == EEXIST) {
        fail(err, "exists already");
    } else {
        fail_errno(err, "cannot rename the finished file");
    }
    pthread_mutex_unlock(&registry_lock);
    return ok;
}

static bool close_checked(int *fd)
{
    int k = *fd;
    *fd = -1;
    return close(k) == 0 || errno == EINTR; /* on Linux the descriptor is gone either way */
}

bool sink_commit(sink **out, error *err)
{
    sink *s = *out;
    bool ok = s->failed ? repeat_failure(s, err) : flush(s, err);

    if (ok && !s->stream && fsync(s->fd) != 0) ok = fail_errno(err, "cannot sync");
    if (ok && !close_checked(&s->fd)) ok = fail_errno(err, "cannot close");
    if (ok && !s->stream) ok = publish(s, err);
    if (ok && s->dir_fd >= 0 && fsync(s->dir_fd) != 0 && errno != EINVAL && errno != EROFS)
        ok = fail_errno(err, "written, but its directory cannot be synced");
    sink_abort(out);
    return ok;
}

void sink_abort(sink **out)
{
    if (!out || !*out) return;
    sink *s = *out;

    if (s->temp) {
        pthread_mutex_lock(&registry_lock);
        unlink(s->temp);
        unlist(s);
        pthread_mutex_unlock(&registry_lock);
    }
    sink_free(s);
    *out = NULL;
}

/* ---- signals --------------------------------------------------------------------------------------- */

static sigset_t guarded;
static bool dies_of_pipe; /* SIGPIPE was not ignored when the program began */

static void remove_all(void)
{
    for (const sink *s = registry; s; s = s->next) unlink(s->temp);
}

/* A mapped input lost pages that are being read.  The lock may be held by whoever reads; no file is made
 * while the process dies here. */
static void input_cut_short(int sig)
{
    static const char line[] = "sat: an input became shorter while it was read\n";
    (void)sig;
    remove_all();
    if (write(STDERR_FILENO, line, sizeof(line) - 1) < 0) _exit(1);
    _exit(1);
}

/* Of the signal itself, so that a shell sees it and ends its loop, too. */
static _Noreturn void die_of(int sig)
{
    sigset_t one;

    pthread_mutex_lock(&registry_lock);
    remove_all();
    sigemptyset(&one);
    sigaddset(&one, sig);
    signal(sig, SIG_DFL);
    pthread_sigmask(SIG_UNBLOCK, &one, NULL);
    raise(sig);
    _exit(128 + sig);
}

static void *signal_thread(void *unused)
{
    int sig = SIGTERM;

    (void)unused;
    while (sigwait(&guarded, &sig) != 0) {}
    die_of(sig);
}

void sink_reader_left(void)
{
    if (dies_of_pipe) die_of(SIGPIPE);
}

bool sink_guard_signals(error *err)
{
    static const int ends[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGXCPU, SIGALRM, SIGUSR1, SIGUSR2};
    struct sigaction cut_short = {.sa_handler = input_cut_short};
    struct sigaction ignore = {.sa_handler = SIG_IGN}, old;
    pthread_t thread;

    /* A closed pipe and a file-size limit are errors of write(), not deaths. */
    sigaction(SIGPIPE, &ignore, &old);
    dies_of_pipe = old.sa_handler != SIG_IGN;
    sigaction(SIGXFSZ, &ignore, NULL);
    sigaction(SIGBUS, &cut_short, NULL);
    /* Also when a library ends the process. */
    if (atexit(remove_all) != 0) return fail(err, "out of memory");

    /* What the parent ignores stays ignored: nohup, and background jobs of a shell. */
    sigemptyset(&guarded);
    for (size_t i = 0; i < sizeof(ends) / sizeof(*ends); i++) {
        if (sigaction(ends[i], NULL, &old) == 0 && old.sa_handler != SIG_IGN) sigaddset(&guarded, ends[i]);
    }
    if (sigisemptyset(&guarded)) return true;
    int code = pthread_sigmask(SIG_BLOCK, &guarded, NULL);
    if (!code) code = pthread_create(&thread, NULL, signal_thread, NULL);
    if (!code) code = pthread_detach(thread);
    errno = code;
    return code ? fail_errno(err, "cannot guard against signals") : true;
}
