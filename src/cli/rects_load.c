/* rects_load.c - what rectangles read of an image, as far as that is known before the first is answered. */
#include <math.h>

#include "rects.h"
#include "rects_parts.h"

enum { LINE_BYTES = 64 }; /* what a memory hands out at a time */

static double rows_bytes(int64_t width, int64_t height, size_t pixel_bytes)
{
    return (double)height * fmax((double)width * (double)pixel_bytes, LINE_BYTES);
}

void rects_add_load(rects_load *load, const rect_chunk *chunk, int64_t width, int64_t height, size_t pixel_bytes)
{
    for (size_t i = 0; i < chunk->n; i++) {
        const sat_rect all = chunk->real ? rects_touched(&chunk->real[i]) : chunk->whole[i];
        const sat_rect r = part_inside(&all, width, height);
        const int64_t px = r.width * r.height;
        load->bytes += rows_bytes(r.width, r.height, pixel_bytes);
        if (px > load->largest_px) load->largest_px = px;
    }
    load->n += (double)chunk->n;
}

/* The cells at the right and at the bottom count as those that are not cut. */
static void add_cells(rects_load *load, const rects *r, int64_t width, int64_t height, size_t pixel_bytes)
{
    const int64_t w = r->cell_width < width ? r->cell_width : width,
                  h = r->cell_height < height ? r->cell_height : height;
    load->n = (double)((width - 1) / w + 1) * (double)((height - 1) / h + 1);
    load->bytes = load->n * rows_bytes(w, h, pixel_bytes);
    load->largest_px = w * h;
}

bool rects_load_of(const rects *r, int64_t width, int64_t height, size_t pixel_bytes, rects_load *load)
{
    *load = (rects_load){.largest_px = 1};
    switch (r->kind) {
    case RECTS_GRID: add_cells(load, r, width, height, pixel_bytes); return true;
    case RECTS_LIST:
        rects_add_load(load, &(rect_chunk){.n = r->list_n, .whole = r->touched}, width, height, pixel_bytes);
        return true;
    default: break;
    }
    if (!r->held_all) return false;
    const rect_chunk held = rects_chunk_of(r);
    rects_add_load(load, &held, width, height, pixel_bytes);
    return true;
}
