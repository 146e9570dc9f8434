/* rects_chunk.h - the rectangles that are handed out at a time. */
#ifndef CLI_RECTS_CHUNK_H
#define CLI_RECTS_CHUNK_H

#include "sat_query.h"

enum { RECTS_CHUNK = 1 << 16 };

/* The most rectangles that are answered at once, by the bands of the image. */
static inline size_t rects_at_once(int bands)
{
    enum { FEW = 4 };
    return bands > FEW ? (size_t)RECTS_CHUNK * FEW / (size_t)bands : RECTS_CHUNK;
}

/* Whole ones, or with fractions: the other is NULL. */
typedef struct rects_chunk {
    size_t n;
    const sat_rect *whole;
    const sat_rect_f64 *real;
} rects_chunk;

/* One, with fractions (real) or without (whole). */
typedef struct rects_one {
    bool is_real;
    sat_rect whole;
    sat_rect_f64 real;
} rects_one;

/* n of a chunk, from number i on; number i alone. */
static inline rects_chunk rects_chunk_part(const rects_chunk *c, size_t i, size_t n)
{
    if (c->real) return (rects_chunk){.n = n, .real = c->real + i};
    return (rects_chunk){.n = n, .whole = c->whole + i};
}
static inline rects_chunk rects_chunk_one(const rects_chunk *c, size_t i)
{
    return rects_chunk_part(c, i, 1);
}

/* Their reader. */
typedef struct rects rects;

#endif
