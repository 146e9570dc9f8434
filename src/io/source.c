#include "source.h"
#include "mapped.h"
#include "memory.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* map_file() replaces whole pages. */
_Static_assert(SOURCE_HEAD_BYTES % (64 << 10) == 0, "a multiple of the largest page");

/* Some of the stream's next bytes, at most n; 0 at its end, -1 on an error. */
static ssize_t read_some(int fd, uint8_t *bytes, size_t n)
{
    for (;;) {
        ssize_t k = read(fd, bytes, n);
        struct pollfd p = {.fd = fd, .events = POLLIN};
        if (k >= 0 || (errno != EINTR && errno != EAGAIN)) return k;
        /* O_NONBLOCK, set by another process that shares the stream */
        if (errno == EAGAIN) poll(&p, 1, -1);
    }
}

/* Reads the bytes behind the content.  Sets *any if there are some. */
static bool drop_rest(int fd, bool *any, error *err)
{
    uint8_t part[1 << 16];
    ssize_t k = 1;
    for (size_t n = 0; k > 0 && n < SOURCE_REST_BYTES; n += (size_t)k) {
        k = read_some(fd, part, sizeof part);
        if (k < 0) return fail_errno(err, "cannot read");
        *any = *any || k > 0;
    }
    return true;
}

static bool read_stream(source *src, int fd, source_extent *extent, const void *context, error *err)
{
    uint8_t *bytes = NULL;
    size_t n = 0, capacity = 0;
    bool goes_on = false;

    for (;;) {
        if (n == capacity) {
            uint64_t most = SIZE_MAX;
            if (n > 0 && !extent(bytes, n, context, &most, err)) goto out;
            if (n >= most) {
                if (!drop_rest(fd, &goes_on, err)) goto out;
                break;
            }
            size_t more = capacity ? capacity * 2 : SOURCE_HEAD_BYTES;
            if (more > most) more = (size_t)most;
            uint8_t *grown = more > capacity ? realloc(bytes, more) : NULL;
            if (!grown) {
                fail_memory(err, "out of memory after %zu bytes of input", n);
                goto out;
            }
            bytes = grown;
            capacity = more;
        }
        ssize_t k = read_some(fd, bytes + n, capacity - n);
        if (k == 0) break;
        if (k < 0) {
            fail_errno(err, "cannot read");
            goto out;
        }
        n += (size_t)k;
    }
    *src = (source){.bytes = bytes, .n = n, .goes_on = goes_on};
    return true;
out:
    free(bytes);
    return false;
}

/* Reads a regular file from `at` up to *n.  If the file ends before, *n becomes its end. */
static bool read_file(int fd, uint8_t *bytes, size_t at, size_t *n, error *err)
{
    while (at < *n) {
        ssize_t k = pread(fd, bytes + at, *n - at, (off_t)at);
        if (k > 0) {
            at += (size_t)k;
        } else if (k == 0) {
            *n = at;
        } else if (errno != EINTR) {
            return fail_errno(err, "cannot read");
        }
    }
    return true;
}

/* Maps the file, and replaces the pages of its head by a copy in memory. */
static bool map_file(source *src, int fd, const uint8_t *head, size_t n)
{
    uint8_t *map = mmap(NULL, n, PROT_READ, MAP_PRIVATE, fd, 0);
    if (map == MAP_FAILED) return false;
    if (mmap(map, SOURCE_HEAD_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) ==
        MAP_FAILED) {
        munmap(map, n);
        return false;
    }
    memcpy(map, head, SOURCE_HEAD_BYTES);
    *src = (source){.bytes = map, .n = n, .mapped = true};
    return true;
}

static bool read_regular(source *src, int fd, size_t n, source_probe *probe, const void *context, error *err)
{
    size_t head_bytes = n < SOURCE_HEAD_BYTES ? n : SOURCE_HEAD_BYTES;
    uint8_t *head = memory_allocate(head_bytes), *whole = NULL;
    bool maps = false, ok = false;

    if (!head) {
        fail_memory(err, "out of memory: %zu bytes of input", head_bytes);
        goto out;
    }
    if (!read_file(fd, head, 0, &head_bytes, err)) goto out;
    if (probe && head_bytes > 0 && !probe(head, head_bytes, n, context, &maps, err)) goto out;
    if (head_bytes < SOURCE_HEAD_BYTES || n == SOURCE_HEAD_BYTES) {
        *src = (source){.bytes = head, .n = head_bytes};
        head = NULL;
        ok = true;
        goto out;
    }
    ok = maps && map_file(src, fd, head, n);
    if (ok) goto out;
    if (!memory_allows(n, "a file", err)) goto out;
    whole = memory_allocate(n);
    if (!whole) {
        fail_memory(err, "out of memory: %zu MiB of input", (n >> 20) + 1);
        goto out;
    }
    memcpy(whole, head, head_bytes);
    if (!read_file(fd, whole, head_bytes, &n, err)) goto out;
    *src = (source){.bytes = whole, .n = n};
    whole = NULL;
    ok = true;
out:
    free(head);
    free(whole);
    return ok;
}

static bool any_extent(const uint8_t *bytes, size_t n, const void *context, uint64_t *most, error *err)
{
    (void)bytes, (void)context;
    *most = SOURCE_MOST_BYTES;
    return n < SOURCE_MOST_BYTES || fail(err, "goes on after %d MiB, more than is read of it", SOURCE_MOST_BYTES >> 20);
}

static bool open_fd(source *src, int fd, source_probe *probe, source_extent *extent, const void *context, error *err)
{
    struct stat st;

    if (fstat(fd, &st) != 0) return fail_errno(err, "cannot read");
    if (S_ISDIR(st.st_mode)) return fail(err, "is a directory");
    /* Streams: files of /proc, whose size is 0, and a redirected file that another process has read in part. */
    if (S_ISREG(st.st_mode) && st.st_size > 0 && lseek(fd, 0, SEEK_CUR) == 0 && (uintmax_t)st.st_size <= PTRDIFF_MAX)
        return read_regular(src, fd, (size_t)st.st_size, probe, context, err);
    return read_stream(src, fd, extent ? extent : any_extent, context, err);
}

/* An empty input is a source of 0 bytes. */
static bool open_path(source *src, const char *path, source_probe *probe, source_extent *extent, const void *context,
                      error *err)
{
    *src = (source){0};
    if (!strcmp(path, "-")) {
        if (isatty(STDIN_FILENO)) return fail(err, "is a terminal");
        if (!open_fd(src, STDIN_FILENO, probe, extent, context, err)) return false;
        if (src->mapped) mapped_add(src->bytes, src->n, "standard input");
        return true;
    }
    int fd = open(path, O_RDONLY | O_NOCTTY | O_CLOEXEC);
    if (fd < 0) return fail_errno(err, "cannot open");
    bool ok = open_fd(src, fd, probe, extent, context, err);
    close(fd);
    if (ok && src->mapped) mapped_add(src->bytes, src->n, path);
    return ok;
}

bool source_open_list(source *src, const char *path, error *err)
{
    return open_path(src, path, NULL, NULL, NULL, err);
}

bool source_open(source *src, const char *path, error *err)
{
    return source_open_by(src, path, NULL, NULL, NULL, err);
}

bool source_open_by(source *src, const char *path, source_probe *probe, source_extent *extent, const void *context,
                    error *err)
{
    if (!open_path(src, path, probe, extent, context, err)) return false;
    if (src->n > 0) return true;
    source_close(src);
    return fail(err, "empty file");
}

void source_close(source *src)
{
    if (src->mapped) {
        mapped_remove(src->bytes);
        munmap((void *)(uintptr_t)src->bytes, src->n);
    } else if (!src->borrowed) {
        free((void *)(uintptr_t)src->bytes);
    }
    *src = (source){0};
}
