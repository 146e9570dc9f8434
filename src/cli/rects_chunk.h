/* rects_chunk.h - the rectangles that are handed out at a time. */
#ifndef CLI_RECTS_CHUNK_H
#define CLI_RECTS_CHUNK_H

#include "sat.h"

enum { RECTS_CHUNK = 1 << 16 };

/* Their reader. */
typedef struct rects rects;

#endif
