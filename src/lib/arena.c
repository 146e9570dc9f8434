/* arena.c - a list of pieces, the last one first. */
#include <stdlib.h>
#include <string.h>

#include "arena.h"
#include "device.h"
#include "shape.h"
#include "status.h"

/* The head of each piece lies in host memory: in front of the piece, or alone. */
typedef struct sat_piece {
    _Alignas(SAT_CACHE_LINE) struct sat_piece *before;
    void *data;         /* of the piece: behind the head, or elsewhere */
    size_t bytes, head; /* of the piece elsewhere, 0 if there is none; of host memory with the head */
    sat_memory_kind kind;
} sat_piece;

sat_status sat_check_allocator(const sat_allocator *allocator)
{
    return allocator == NULL || (allocator->allocate && allocator->release)
               ? SAT_OK
               : sat_fail(SAT_ERR_ARGUMENT, "an allocator without its two functions");
}

sat_status sat_take_own(sat_memory_kind kind, size_t bytes, void **data)
{
    const sat_device *device;
    if (kind == SAT_MEMORY_HOST)
        return posix_memalign(data, 64, bytes) == 0
                   ? SAT_OK
                   : sat_fail(SAT_ERR_MEMORY, "%zu bytes of memory could not be allocated", bytes);
    sat_status status = sat_device_need(&device);
    if (status != SAT_OK) return status;
    return kind == SAT_MEMORY_PINNED ? device->pinned_alloc(data, bytes) : device->alloc(data, bytes);
}

void sat_free_own(sat_memory_kind kind, void *data)
{
    const sat_device *device;
    if (kind == SAT_MEMORY_HOST)
        free(data);
    else if (sat_device_need(&device) == SAT_OK)
        (kind == SAT_MEMORY_PINNED ? device->pinned_free : device->free)(data);
}

static void release(const sat_allocator *a, sat_memory_kind kind, void *data, size_t bytes)
{
    if (a)
        a->release(a->context, data, bytes, kind);
    else
        sat_free_own(kind, data);
}

static sat_status allocate(const sat_allocator *a, sat_memory_kind kind, size_t bytes, void **data)
{
    static const char *const names[] = {"host", "pinned", "device"};
    const uintptr_t alignment = kind == SAT_MEMORY_DEVICE ? 256 : 64;
    *data = NULL;
    if (a == NULL) return sat_take_own(kind, bytes, data);
    *data = a->allocate(a->context, bytes, kind);
    if (*data == NULL)
        return sat_fail(SAT_ERR_MEMORY, "the allocator has no %zu bytes of %s memory", bytes, names[kind]);
    if ((uintptr_t)*data % alignment == 0) return SAT_OK;
    release(a, kind, *data, bytes);
    *data = NULL;
    return sat_fail(SAT_ERR_MEMORY, "the allocator's %s memory is not aligned to %d bytes", names[kind],
                    (int)alignment);
}

/* A head with `bytes` of host memory behind it; NULL if there is none. */
static sat_piece *take_head(sat_arena *arena, size_t bytes)
{
    size_t all;
    void *data;
    if (__builtin_add_overflow(bytes, sizeof(sat_piece), &all)) {
        (void)sat_fail(SAT_ERR_MEMORY, "%zu bytes of memory are more than there can be", bytes);
        return NULL;
    }
    (void)allocate(arena->allocator, SAT_MEMORY_HOST, all, &data);
    if (data == NULL) return NULL;
    sat_piece *piece = data;
    *piece = (sat_piece){.before = arena->last, .data = piece + 1, .head = all};
    return piece;
}

void *sat_arena_alloc(sat_arena *arena, size_t bytes)
{
    void *data;
    return sat_arena_take(arena, SAT_MEMORY_HOST, bytes, &data) == SAT_OK ? data : NULL;
}

void *sat_arena_zeros(sat_arena *arena, size_t bytes)
{
    void *data = sat_arena_alloc(arena, bytes);
    return data ? memset(data, 0, bytes) : NULL;
}

sat_status sat_arena_take(sat_arena *arena, sat_memory_kind kind, size_t bytes, void **data)
{
    const bool elsewhere = kind != SAT_MEMORY_HOST;
    *data = NULL;
    sat_piece *piece = take_head(arena, elsewhere ? 0 : bytes);
    if (piece == NULL) return SAT_ERR_MEMORY;
    if (elsewhere) {
        piece->kind = kind;
        piece->bytes = bytes ? bytes : 1;
        sat_status status = allocate(arena->allocator, kind, piece->bytes, &piece->data);
        if (status != SAT_OK) {
            release(arena->allocator, SAT_MEMORY_HOST, piece, piece->head);
            return status;
        }
    }
    arena->last = piece;
    *data = piece->data;
    return SAT_OK;
}

sat_status sat_arena_view(sat_arena *arena, sat_view *view)
{
    const sat_memory_kind kind = view->memory == SAT_DEVICE ? SAT_MEMORY_DEVICE : SAT_MEMORY_HOST;
    const size_t bytes = sat_extent(view);
    if (bytes == 0)
        return sat_fail(SAT_ERR_SHAPE, "%lld images of shape (%lld, %lld) are larger than the address space",
                        (long long)view->count, (long long)view->height, (long long)view->width);
    return sat_arena_take(arena, kind, bytes, &view->data);
}

/* Takes the piece out of the list at `place`. */
static void drop(sat_arena *arena, sat_piece **place)
{
    sat_piece *piece = *place;
    *place = piece->before;
    if (piece->bytes) release(arena->allocator, piece->kind, piece->data, piece->bytes);
    release(arena->allocator, SAT_MEMORY_HOST, piece, piece->head);
}

void sat_arena_free(sat_arena *arena, void *data)
{
    for (sat_piece **place = &arena->last; *place; place = &(*place)->before)
        if ((*place)->data == data) {
            drop(arena, place);
            return;
        }
}

void sat_arena_reset(sat_arena *arena, const void *kept)
{
    while (arena->last && arena->last->data != kept) drop(arena, &arena->last);
}
