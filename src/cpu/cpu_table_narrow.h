/* cpu_table_narrow.h - the cpu backend's tables of few columns. */
#ifndef SAT_CPU_TABLE_NARROW_H
#define SAT_CPU_TABLE_NARROW_H

#include <string.h>

#include "backend.h"
#include "isa.h"

/* How samples become sums, as the plan's spec says. */
typedef struct sat_summing {
    sat_quantise *quantise; /* NULL unless q32 */
    sat_square *square;     /* NULL unless squares are summed */
    sat_type squares;       /* their type */
    const sat_scan_loops *scan;
    sat_stream *stream; /* writes the table past the caches; NULL: it is not */
} sat_summing;

/* Writes a part of the table. */
static inline void sat_put_sums(const sat_summing *s, char *dst, const char *src, size_t bytes)
{
    if (s->stream)
        s->stream(dst, src, bytes);
    else
        memcpy(dst, src, bytes);
}

typedef struct sat_narrow sat_narrow;

/* NULL: out of memory.  It lives as long as the spec, the instruction set and the arena. */
sat_narrow *sat_narrow_open(const sat_plan_spec *spec, const sat_isa *isa, const sat_summing *summing,
                            sat_arena *arena);

/* The table of the image, from the image's first row on; carry: the row above, and then the last one.  False if a
 * sample is outside the range of fixed point.  Leaves off where the run ends. */
bool sat_narrow_run(const sat_narrow *narrow, const sat_view *image, const sat_view *out, void *carry,
                    const sat_run *run);

#endif
