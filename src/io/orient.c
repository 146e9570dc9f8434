/* The eight orientations: the pixel at (x, y) of the result is the stored one at
 *
 *     1 (x, y)          2 (W-1-x, y)       3 (W-1-x, H-1-y)       4 (x, H-1-y)
 *     5 (y, x)          6 (y, H-1-x)       7 (W-1-y, H-1-x)       8 (W-1-y, x)       W x H: as stored
 *
 * All are one form: start + x * step_x + y * step_y, in bytes.  The turned ones read columns, so they go
 * in square tiles, whose source lines stay in the cache. */
#include "orient.h"

#include <stdlib.h>
#include <string.h>

#include "codec.h"

enum {
    TILE = 64,              /* px: a tile of the widest pixels, 32 bytes, is 128 KiB */
    THREAD_BYTES = 1 << 20, /* from which more threads are worth their start */
};

typedef struct mapping {
    const uint8_t *start;
    ptrdiff_t step_x, step_y; /* bytes in the source for one pixel in the result */
} mapping;

static mapping map(const image *img, int orientation, size_t pixel_bytes)
{
    bool turned = orientation >= 5;
    bool from_right = orientation == 2 || orientation == 3 || orientation == 7 || orientation == 8;
    bool from_below = orientation == 3 || orientation == 4 || orientation == 6 || orientation == 7;
    ptrdiff_t right = from_right ? -(ptrdiff_t)pixel_bytes : (ptrdiff_t)pixel_bytes;
    ptrdiff_t down = from_below ? -(ptrdiff_t)img->row_bytes : (ptrdiff_t)img->row_bytes;
    const uint8_t *start = image_row(img, from_below ? img->height - 1 : 0);
    if (from_right) start += (size_t)(img->width - 1) * pixel_bytes;
    return (mapping){.start = start, .step_x = turned ? down : right, .step_y = turned ? right : down};
}

static inline __attribute__((always_inline)) void copy_run(uint8_t *dst, const uint8_t *src, ptrdiff_t step, int64_t n,
                                                           size_t pixel_bytes)
{
    for (int64_t i = 0; i < n; i++) {
        memcpy(dst, src, pixel_bytes);
        dst += pixel_bytes;
        src += step;
    }
}

static void copy_tile_row(uint8_t *dst, const uint8_t *src, ptrdiff_t step, int64_t n, size_t pixel_bytes)
{
    switch (pixel_bytes) {
    case 1: copy_run(dst, src, step, n, 1); break;
    case 2: copy_run(dst, src, step, n, 2); break;
    case 3: copy_run(dst, src, step, n, 3); break;
    case 4: copy_run(dst, src, step, n, 4); break;
    case 6: copy_run(dst, src, step, n, 6); break;
    case 8: copy_run(dst, src, step, n, 8); break;
    default: copy_run(dst, src, step, n, pixel_bytes); break;
    }
}

typedef struct turning {
    const image *out;
    mapping from; /* in the first plane */
    size_t plane_bytes;
    size_t pixel_bytes;
} turning;

static void turn_tiles(void *context, int64_t index, int worker)
{
    const turning *t = context;
    const image *out = t->out;
    const int64_t down = (out->height - 1) / TILE + 1, plane = index / down;
    int64_t y0 = index % down * TILE, y1 = y0 + TILE < out->height ? y0 + TILE : out->height;
    const uint8_t *start = t->from.start + (size_t)plane * t->plane_bytes;
    (void)worker;
    for (int64_t x = 0; x < out->width; x += TILE) {
        int64_t n = out->width - x < TILE ? out->width - x : TILE;
        for (int64_t y = y0; y < y1; y++)
            copy_tile_row(image_row(out, plane * out->height + y) + (size_t)x * t->pixel_bytes,
                          start + x * t->from.step_x + y * t->from.step_y, t->from.step_x, n, t->pixel_bytes);
    }
}

static inline __attribute__((always_inline)) void mirror(uint8_t *row, int64_t width, size_t pixel_bytes)
{
    uint8_t *a = row, *b = row + (size_t)(width - 1) * pixel_bytes, kept[32]; /* the widest pixel */
    for (; a < b; a += pixel_bytes, b -= pixel_bytes) {
        memcpy(kept, a, pixel_bytes);
        memcpy(a, b, pixel_bytes);
        memcpy(b, kept, pixel_bytes);
    }
}

void mirror_rows(uint8_t *rows, int64_t n, int64_t width, size_t pixel_bytes)
{
    for (int64_t y = 0; y < n; y++, rows += (size_t)width * pixel_bytes) {
        switch (pixel_bytes) {
        case 1: mirror(rows, width, 1); break;
        case 2: mirror(rows, width, 2); break;
        case 3: mirror(rows, width, 3); break;
        case 4: mirror(rows, width, 4); break;
        default: mirror(rows, width, pixel_bytes); break;
        }
    }
}

bool image_orient(image *img, int threads, error *err)
{
    int orientation = img->meta.orientation;
    if (orientation <= 1 || orientation > 8) return true;
    bool turned = orientation >= 5;
    image out, shape = *img;
    if (turned) shape.width = img->height, shape.height = img->width;
    if (!image_alloc_like(&out, &shape, img->channels, img->type, err)) return false;
    size_t pixel_bytes = img->row_bytes / (size_t)img->width;
    turning t = {.out = &out,
                 .from = map(img, orientation, pixel_bytes),
                 .plane_bytes = img->row_bytes * (size_t)img->height,
                 .pixel_bytes = pixel_bytes};
    if (t.plane_bytes * (size_t)image_planes(img) < THREAD_BYTES) threads = 1;
    sat_parallel(threads, ((out.height - 1) / TILE + 1) * image_planes(img), turn_tiles, &t);

    out.meta = img->meta;
    out.meta.orientation = 0;
    out.meta.turned = orientation;
    if (turned) {
        out.meta.x_per_metre = img->meta.y_per_metre;
        out.meta.y_per_metre = img->meta.x_per_metre;
    }
    img->meta = (image_meta){0};
    image_free(img);
    *img = out;
    return true;
}
