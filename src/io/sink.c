/* sink.c - where an output goes, how it is written, and how signals end the process. */
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
#include <sys/stat.h>
#include <unistd.h>

#include "file_rights.h"
#include "mapped.h"
#include "printable.h"
#include "temp_file.h"

#define BUFFER_BYTES ((size_t)1 << 20) /* one write in 256 pages: the system call is lost in the copy */
#define LINKS_MAX    40                /* the kernel's own limit for a path */

struct sink {
    int fd;
    int dir_fd; /* to sync the new name; -1 for streams and for unreadable directories */
    bool stream, is_stdout, no_clobber, failed;
    error first;  /* the first error, if failed */
    char *target; /* the end of the path's symbolic links; not used for streams */
    temp_file temp;
    uint8_t *buffer;
    size_t used;      /* bytes in buffer */
    uint64_t written; /* bytes handed to the kernel */
};

static void sink_free(sink *s)
{
    if (s->fd >= 0) close(s->fd);
    if (s->dir_fd >= 0) close(s->dir_fd);
    free(s->target);
    free(s->buffer);
    free(s);
}

/* ---- opening --------------------------------------------------------------------------------------- */

/* Is this directory, without links in its path, that of the process's descriptors?  Threads share them. */
static bool is_descriptors(const char *dir)
{
    char own[PATH_MAX];
    if (!realpath("/proc/self", own)) return false;
    size_t n = strlen(own);
    if (strncmp(dir, own, n) != 0) return false;
    const char *task = "/task/", *at = dir + n;
    if (strncmp(at, task, strlen(task)) == 0) {
        at += strlen(task);
        at += strspn(at, "0123456789");
    }
    return strcmp(at, "/fd") == 0;
}

/* The number of the descriptor with this path, or -1: /dev/stderr, /dev/fd/N, and N in /proc/self/fd,
 * /proc/thread-self/fd or any other name of these directories. */
static int descriptor_of(const char *path)
{
    static const struct {
        const char *path;
        int fd;
    } names[] = {{"/dev/stdout", STDOUT_FILENO}, {"/dev/stderr", STDERR_FILENO}}; /* also without /proc */
    char dir[PATH_MAX];
    size_t n = path_dir_bytes(path), digits = strspn(path + n, "0123456789");

    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (strcmp(path, names[i].path) == 0) return names[i].fd;
    }
    if (digits == 0 || path[n + digits] || n >= sizeof dir) return -1;
    memcpy(dir, path, n);
    dir[n] = 0;
    char *at = realpath(n ? dir : ".", NULL);
    bool is_own = at && is_descriptors(at);
    free(at);
    if (!is_own) return -1;
    long fd = strtol(path + n, NULL, 10);
    return fd < INT_MAX ? (int)fd : INT_MAX;
}

/* The end of a chain of symbolic links; the file itself may be missing.  The path of a descriptor is also an end,
 * although the kernel shows it as a link. */
static char *follow_links(const char *path, error *err)
{
    char *at = strdup(path);
    char to[PATH_MAX];

    for (int links = 0; at; links++) {
        if (descriptor_of(at) >= 0) return at;
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
        int dir = to[0] == '/' ? 0 : (int)path_dir_bytes(at);
        if (asprintf(&joined, "%.*s%s", dir, at, to) < 0) joined = NULL;
        free(at);
        at = joined;
    }
    if (!at) fail_memory(err, "out of memory");
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

static bool refuses_own;

void sink_refuse_own_descriptors(void)
{
    refuses_own = true;
}

/* Writes at the descriptor's offset, as `>>file` requires. */
static bool open_descriptor(sink *s, int fd, const sink_options *opt, error *err)
{
    int access = fcntl(fd, F_GETFL), flags = fcntl(fd, F_GETFD);
    s->is_stdout = fd == STDOUT_FILENO;
    const bool ours = refuses_own && (flags & FD_CLOEXEC);
    if (access < 0 || flags < 0 || (access & O_ACCMODE) == O_RDONLY || ours)
        return fail_code(err, EBADF, "not open for writing");
    return open_stream(s, fcntl(fd, F_DUPFD_CLOEXEC, 3), opt, err);
}

bool sink_check_path(const char *path, error *err)
{
    struct stat st;
    size_t dir = path_dir_bytes(path);
    if (dir == 0 || path[dir]) return true;
    if (stat(path, &st) == 0) return fail_code(err, EISDIR, "is a directory");
    return errno == ENOENT ? fail_code(err, ENOENT, NO_DIRECTORY) : fail_errno(err, "cannot write here");
}

static bool open_path(sink *s, const char *path, const sink_options *opt, error *err)
{
    struct stat st, own;

    if (!sink_check_path(path, err)) return false;
    s->target = follow_links(path, err);
    if (!s->target) return false;
    int fd = descriptor_of(s->target);
    if (fd >= 0) return open_descriptor(s, fd, opt, err);

    bool exists = stat(path, &st) == 0;
    if (!exists && errno != ENOENT) return fail_errno(err, "cannot write here");
    if (exists && S_ISDIR(st.st_mode)) return fail_code(err, EISDIR, "is a directory");
    if (exists && !S_ISREG(st.st_mode)) return open_stream(s, open(path, O_WRONLY | O_NOCTTY | O_CLOEXEC), opt, err);

    if (opt->no_clobber && lstat(path, &own) == 0) return fail_code(err, EEXIST, "exists already");
    if (exists && faccessat(AT_FDCWD, path, W_OK, AT_EACCESS) != 0) return fail_errno(err, "may not be replaced");

    size_t dir = path_dir_bytes(s->target);
    if (s->target[dir] == 0) return fail_code(err, ENOENT, dir ? NO_DIRECTORY : "the name is empty");
    s->no_clobber = opt->no_clobber;
    s->fd = temp_file_create(&s->temp, s->target, exists ? 0600 : 0666, err);
    if (s->fd < 0) return false;
    if (exists && !file_rights_keep(s->fd, s->target, &st, err)) return false;

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
    if (!s) return fail_memory(err, "out of memory");
    s->fd = s->dir_fd = -1;
    s->buffer = malloc(BUFFER_BYTES);
    if (!s->buffer)
        ok = fail_memory(err, "out of memory");
    else if (strcmp(path, "-") == 0)
        ok = open_descriptor(s, STDOUT_FILENO, opt ? opt : &none, err);
    else
        ok = open_path(s, path, opt ? opt : &none, err);
    if (!ok) {
        sink_abort(&s);
        return false;
    }
    *out = s;
    return true;
}

bool sink_is_terminal(const sink *s)
{
    return s->stream && isatty(s->fd);
}

/* ---- writing --------------------------------------------------------------------------------------- */

/* Keeps err as the sink's first error. */
static bool set_failed(sink *s, const error *err)
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
        fail_code(err, EPIPE, "closed pipe");
    }
    return set_failed(s, err);
}

/* At *offset, or at the file's current offset if NULL. */
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

bool sink_rewrites(const sink *s)
{
    return !s->stream;
}

bool sink_reserve(sink *out, uint64_t n, error *err)
{
    if (out->failed) return repeat_failure(out, err);
    if (out->stream) return fail(err, "a stream cannot be written out of order");
    if (!flush(out, err)) return false;
    const uint64_t end = out->written + n;
    if (end < n || end > INT64_MAX) {
        errno = EFBIG;
        return write_failed(out, err);
    }
    if (ftruncate(out->fd, (off_t)end) != 0 || lseek(out->fd, (off_t)end, SEEK_SET) < 0) return write_failed(out, err);
    out->written = end;
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
    if (ok && !s->stream) ok = temp_file_publish(&s->temp, s->fd, s->target, s->no_clobber, err);
    if (ok && !close_checked(&s->fd))
        ok = fail_errno(err, s->stream ? "cannot close" : "written, but it cannot be closed");
    if (ok && s->dir_fd >= 0 && fsync(s->dir_fd) != 0 && errno != EINVAL && errno != EROFS)
        ok = fail_errno(err, "written, but its directory cannot be synced");
    sink_abort(out);
    return ok;
}

void sink_abort(sink **out)
{
    if (!out || !*out) return;
    sink *s = *out;

    temp_file_discard(&s->temp);
    sink_free(s);
    *out = NULL;
}

/* ---- signals --------------------------------------------------------------------------------------- */

static sigset_t guarded;
static bool dies_of_pipe; /* SIGPIPE was not ignored when the program began */

/* SIGBUS: pages of a mapped input are gone. */
static void input_cut_short(int sig, siginfo_t *info, void *unused)
{
    static const char words[] = " became shorter while it was read\n";
    char line[MAPPED_NAME_BYTES + sizeof words + 8] = "sat: ";
    const char *name = mapped_name(info->si_addr);
    (void)sig, (void)unused;
    temp_file_remove_all();
    char *end = stpcpy(line + 5, name ? name : "an input");
    make_printable(line);
    if (name) *end++ = ':';
    end = stpcpy(end, words);
    if (write(STDERR_FILENO, line, (size_t)(end - line)) < 0) _exit(1);
    _exit(1);
}

/* Ends the process by the signal itself, so that a shell that waits for it ends its loop, too. */
static _Noreturn void die_of(int sig)
{
    sigset_t one;

    temp_file_remove_all();
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
    struct sigaction cut_short = {.sa_sigaction = input_cut_short, .sa_flags = SA_SIGINFO};
    struct sigaction ignore = {.sa_handler = SIG_IGN}, old;
    pthread_t thread;

    /* A closed pipe and a file-size limit become errors of write(). */
    sigaction(SIGPIPE, &ignore, &old);
    dies_of_pipe = old.sa_handler != SIG_IGN;
    sigaction(SIGXFSZ, &ignore, NULL);
    sigaction(SIGBUS, &cut_short, NULL);
    /* For exit() within a library. */
    if (atexit(temp_file_remove_all) != 0) return fail_memory(err, "out of memory");

    /* Signals that the parent ignores stay ignored: nohup, and background jobs of a shell. */
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
