/* arena.h - the memory of one object: taken piece by piece, freed together.
 *
 * A plan, filter, query or scan lies in an arena of its own.  Its backend takes all memory from it and frees none. */
#ifndef SAT_ARENA_H
#define SAT_ARENA_H

#include "sat.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Pieces begin with one.  What threads write to lies in cache lines of their own. */
enum { SAT_CACHE_LINE = 64 }; /* bytes */

/* Zeroed, it holds nothing and takes the library's memory. */
typedef struct sat_arena {
    const sat_allocator *allocator; /* NULL: the library's */
    struct sat_piece *last;
} sat_arena;

/* SAT_ERR_ARGUMENT for an allocator without its functions; NULL is none. */
sat_status sat_check_allocator(const sat_allocator *allocator);

/* The library's own memory, as allocators give theirs. */
sat_status sat_take_own(sat_memory_kind kind, size_t bytes, void **data);
void sat_free_own(sat_memory_kind kind, void *data);

/* Host memory, aligned to SAT_CACHE_LINE; NULL if there is none. */
void *sat_arena_alloc(sat_arena *arena, size_t bytes); /* not initialised */
void *sat_arena_zeros(sat_arena *arena, size_t bytes);

/* Memory of any kind, aligned as sat_allocator says, not initialised; *data is NULL on failure. */
sat_status sat_arena_take(sat_arena *arena, sat_memory_kind kind, size_t bytes, void **data);

/* A view of that shape without gaps, with host or device memory of its own as view->memory says. */
sat_status sat_arena_view(sat_arena *arena, sat_view *view);

/* Frees one piece of host memory before the others; NULL is fine. */
void sat_arena_free(sat_arena *arena, void *data);

/* Frees all pieces that were taken after `kept`, a piece of host memory; all, if it is NULL. */
void sat_arena_reset(sat_arena *arena, const void *kept);

#ifdef __cplusplus
}
#endif
#endif
