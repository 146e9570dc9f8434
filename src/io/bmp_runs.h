/* bmp_runs.h - the run-length codes of BMP: RLE8, RLE4, and OS/2's RLE24. */
#ifndef IO_BMP_RUNS_H
#define IO_BMP_RUNS_H

#include "image.h"

typedef struct bmp_runs {
    int64_t width, height;  /* px */
    int bits;               /* of a pixel: 4, 8 (palette), 24 */
    const uint8_t *palette; /* blue, green, red, and up to entry_bytes ignored */
    size_t entries, entry_bytes;
} bmp_runs;

typedef enum runs_state {
    RUNS_WHOLE,   /* up to the end code */
    RUNS_CUT,     /* the bytes end before it */
    RUNS_CORRUPT, /* a pixel outside of the image, or a colour outside of the palette */
} runs_state;

/* Reads the codes from *at on, and sets *at to the place behind the last one.  img: u8, of 3 channels, or of 1 that is
 * the palette's red; only coded pixels are set.  img NULL: only the codes are read.  *complete: the codes have reached
 * the last pixel. */
runs_state bmp_runs_read(const bmp_runs *b, const uint8_t **at, const uint8_t *end, image *img, bool *complete);

/* An upper bound of the codes' bytes for an image of this size; UINT64_MAX on overflow. */
uint64_t bmp_runs_longest(const bmp_runs *b);

#endif
