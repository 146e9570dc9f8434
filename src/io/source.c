#include "source.h"
#include "mapped.h"
#include "memory.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* map_file() replaces whole pages. */
_Static_assert(SOURCE_HEAD_BYTES % (64 << 10) == 0, "a multiple of the largest page");

/* Goes on behind the head, which becomes the source's. */
static bool read_stream(source *src, byte_reader *r, source_extent *extent, const void *context, error *err)
{
    uint8_t *bytes = r->head;
    size_t n = r->head_n, capacity = SOURCE_HEAD_BYTES;
    bool goes_on = false, ok = false;

    r->owns_head = false;
    while (n < r->length) {
        if (n == capacity) {
            uint64_t most = SIZE_MAX;
            if (!extent(bytes, n, context, &most, err)) goto out;
            if (n >= most) {
                if (!reader_drop(r->fd, SOURCE_REST_BYTES, &goes_on, err)) goto out;
                break;
            }
            size_t more = capacity * 2;
            if (more > most) more = (size_t)most;
            uint8_t *grown = more > capacity ? realloc(bytes, more) : NULL;
            if (!grown) {
                fail_memory(err, "out of memory after %zu bytes of input", n);
                goto out;
            }
            bytes = grown;
            capacity = more;
        }
        size_t k;
        if (!reader_some(r->fd, bytes + n, capacity - n, &k, err)) goto out;
        if (k == 0) break;
        n += k;
    }
    *src = (source){.bytes = bytes, .n = n, .goes_on = goes_on};
    ok = true;
out:
    if (!ok) free(bytes);
    return ok;
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

static bool read_regular(source *src, byte_reader *r, source_probe *probe, const void *context, error *err)
{
    const size_t n = (size_t)r->length;
    size_t got;
    bool maps = false;

    if (probe && r->head_n > 0 && !probe(r->head, r->head_n, n, context, &maps, err)) return false;
    if (n == r->head_n) {
        *src = (source){.bytes = r->head, .n = n};
        r->owns_head = false;
        return true;
    }
    if (maps && map_file(src, r->fd, r->head, n)) return true;
    if (!memory_allows(n, "a file", err)) return false;
    uint8_t *whole = memory_allocate(n);
    if (!whole) return fail_memory(err, "out of memory: %zu MiB of input", (n >> 20) + 1);
    if (!reader_get(r, 0, whole, n, &got, err)) {
        free(whole);
        return false;
    }
    *src = (source){.bytes = whole, .n = got};
    return true;
}

static bool any_extent(const uint8_t *bytes, size_t n, const void *context, uint64_t *most, error *err)
{
    (void)bytes, (void)context;
    *most = SOURCE_MOST_BYTES;
    return n < SOURCE_MOST_BYTES || fail(err, "goes on after %d MiB, more than is read of it", SOURCE_MOST_BYTES >> 20);
}

bool source_read(source *src, byte_reader *r, const char *path, source_probe *probe, source_extent *extent,
                 const void *context, error *err)
{
    *src = (source){0};
    if (r->is_stream) return read_stream(src, r, extent ? extent : any_extent, context, err);
    if (r->length > PTRDIFF_MAX) return fail(err, "is too large to be read");
    if (!read_regular(src, r, probe, context, err)) return false;
    if (src->mapped) mapped_add(src->bytes, src->n, strcmp(path, "-") == 0 ? "standard input" : path);
    return true;
}

/* An empty input is a source of 0 bytes. */
static bool open_path(source *src, const char *path, source_probe *probe, source_extent *extent, const void *context,
                      error *err)
{
    byte_reader r;
    *src = (source){0};
    if (!reader_open(&r, path, err)) return false;
    bool ok = source_read(src, &r, path, probe, extent, context, err);
    reader_close(&r);
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
