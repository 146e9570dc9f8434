#include "byte_reader.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "memory.h"

bool reader_some(int fd, void *to, size_t n, size_t *got, error *err)
{
    for (;;) {
        ssize_t k = read(fd, to, n);
        struct pollfd p = {.fd = fd, .events = POLLIN};
        *got = k > 0 ? (size_t)k : 0;
        if (k >= 0) return true;
        if (errno != EINTR && errno != EAGAIN) return fail_errno(err, "cannot read");
        /* O_NONBLOCK, set by another process that shares the stream */
        if (errno == EAGAIN) poll(&p, 1, -1);
    }
}

bool reader_drop(int fd, uint64_t most, bool *any, error *err)
{
    uint8_t part[1 << 16];
    size_t k = 1;
    for (uint64_t n = 0; k > 0 && n < most; n += k) {
        if (!reader_some(fd, part, sizeof part < most - n ? sizeof part : (size_t)(most - n), &k, err)) return false;
        *any = *any || k > 0;
    }
    return true;
}

/* As many of the n bytes as there are: *got. */
static bool get_at(int fd, uint64_t at, uint8_t *to, size_t n, size_t *got, error *err)
{
    for (*got = 0; *got < n;) {
        ssize_t k = pread(fd, to + *got, n - *got, (off_t)(at + *got));
        if (k == 0) break;
        if (k < 0 && errno != EINTR) return fail_errno(err, "cannot read");
        if (k > 0) *got += (size_t)k;
    }
    return true;
}

static bool get_next(byte_reader *r, uint64_t at, uint8_t *to, size_t n, size_t *got, error *err)
{
    bool any = false;
    *got = 0;
    if (at < r->at) return fail(err, "a stream is read once, from its beginning to its end");
    if (at > r->at && !reader_drop(r->fd, at - r->at, &any, err)) return false;
    for (r->at = at; *got < n;) {
        size_t k;
        if (!reader_some(r->fd, to + *got, n - *got, &k, err)) return false;
        if (k == 0) break;
        *got += k;
        r->at += k;
    }
    if (*got < n) r->length = r->at;
    return true;
}

static bool open_fd(byte_reader *r, error *err)
{
    struct stat st;
    if (fstat(r->fd, &st) != 0) return fail_errno(err, "cannot read");
    if (S_ISDIR(st.st_mode)) return fail_code(err, EISDIR, "is a directory");
    /* Streams: files of /proc, whose size is 0, and a redirected file that another process has read in part. */
    r->is_stream = !S_ISREG(st.st_mode) || st.st_size == 0 || lseek(r->fd, 0, SEEK_CUR) != 0;
    r->length = r->is_stream ? UINT64_MAX : (uint64_t)st.st_size;
    const size_t n = r->length < READER_HEAD_BYTES ? (size_t)r->length : READER_HEAD_BYTES;
    r->head = memory_allocate(n);
    r->owns_head = true;
    if (!r->head) return fail_memory(err, "out of memory: %zu bytes of input", n);
    if (r->is_stream) return get_next(r, 0, r->head, n, &r->head_n, err);
    if (!get_at(r->fd, 0, r->head, n, &r->head_n, err)) return false;
    if (r->head_n < n) r->length = r->head_n;
    return true;
}

bool reader_open(byte_reader *r, const char *path, error *err)
{
    const bool is_stdin = !strcmp(path, "-");
    *r = (byte_reader){.fd = -1};
    if (is_stdin && isatty(STDIN_FILENO)) return fail(err, "is a terminal");
    r->fd = is_stdin ? STDIN_FILENO : open(path, O_RDONLY | O_NOCTTY | O_CLOEXEC);
    r->owns_fd = !is_stdin;
    if (r->fd < 0) return fail_errno(err, "cannot open");
    if (open_fd(r, err)) return true;
    reader_close(r);
    return false;
}

byte_reader reader_of_memory(const uint8_t *bytes, size_t n)
{
    return (byte_reader){.head = (uint8_t *)(uintptr_t)bytes, .head_n = n, .length = n, .fd = -1};
}

void reader_close(byte_reader *r)
{
    if (r->owns_fd && r->fd >= 0) close(r->fd);
    if (r->owns_head) free(r->head);
    *r = (byte_reader){.fd = -1};
}

bool reader_get(byte_reader *r, uint64_t at, void *to, size_t n, size_t *got, error *err)
{
    const size_t held = at >= r->head_n ? 0 : n < r->head_n - at ? n : r->head_n - (size_t)at;
    size_t more = 0;
    if (held > 0) memcpy(to, r->head + at, held);
    at += held;
    n -= held;
    if (at >= r->length)
        n = 0;
    else if (n > r->length - at)
        n = (size_t)(r->length - at);
    uint8_t *rest = (uint8_t *)to + held;
    bool ok = n == 0 || (r->is_stream ? get_next(r, at, rest, n, &more, err) : get_at(r->fd, at, rest, n, &more, err));
    *got = held + more;
    return ok;
}

bool reader_read(byte_reader *r, uint64_t at, void *to, size_t n, error *err)
{
    size_t got;
    if (!reader_get(r, at, to, n, &got, err)) return false;
    if (got == n) return true;
    if (!r->is_stream && at + n <= r->length) return fail(err, "became shorter while it was read");
    return fail(err, "truncated: it ends at byte %llu; its rows go on to byte %llu at least",
                (unsigned long long)(at + got), (unsigned long long)(at + n));
}

const uint8_t *reader_held(const byte_reader *r, uint64_t at, uint64_t n)
{
    return at <= r->head_n && n <= r->head_n - at ? r->head + at : NULL;
}
