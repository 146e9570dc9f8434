#include "mask_rows.h"

#include <stdlib.h>
#include <string.h>

#include "sat_image.h"
#include "valid_choice.h"

enum { PART_BYTES = 1 << 18 };

bool mask_file_open(row_source *mask, const char *path, const image *img, const decode_options *decode, error *err)
{
    const decode_options own = {
        .max_pixels = decode->max_pixels, .no_orient = decode->no_orient, .threads = decode->threads};
    error why;
    if (!row_source_open(mask, path, &own, &why)) return fail(err, "--mask %s: %s", path, why.text);
    return mask->whole || valid_mask_fits(path, &mask->head, img, err);
}

static int64_t part_rows(const row_source *from)
{
    const int64_t n = PART_BYTES / (int64_t)from->head.row_bytes;
    return n > 1 ? n : 1;
}

uint64_t mask_rows_bytes(const row_source *from)
{
    return from ? (uint64_t)part_rows(from) * from->head.row_bytes + from->memory_bytes : 0;
}

bool mask_rows_open(mask_rows *m, row_source *from, int64_t width, error *err)
{
    *m = (mask_rows){.from = from, .width = width};
    if (!from) return true;
    m->part_n = part_rows(from);
    m->part = malloc((size_t)m->part_n * from->head.row_bytes);
    return m->part || fail_memory(err, "out of memory: rows of %zu bytes of --mask", from->head.row_bytes);
}

static bool clear(const mask_rows *m, int64_t y, const sat_view *made, error *err)
{
    image rows = m->from->head;
    rows.height = made->height, rows.data = m->part;
    const sat_view set = image_channels_view(&rows, 0, rows.channels - image_has_alpha(&rows));
    error why;
    if (!row_source_read(m->from, y, rows.height, m->part, &why))
        return fail(err, "--mask %s: %s", m->from->path, why.text);
    return sat_mask_clear(made, &set, 1) == SAT_OK || fail(err, "%s", sat_detail());
}

bool mask_rows_read(mask_rows *m, int64_t y, int64_t n, void *rows, error *err)
{
    char *at = rows;
    sat_view made = {.width = m->width, .channels = 1, .type = SAT_U8};
    memset(rows, 1, (size_t)n * (size_t)m->width);
    for (const int64_t end = y + n; m->from && y < end; y += made.height) {
        made.height = end - y < m->part_n ? end - y : m->part_n;
        made.data = at;
        if (!clear(m, y, &made, err)) return false;
        at += made.height * m->width;
    }
    return true;
}

void mask_rows_close(mask_rows *m)
{
    free(m->part);
    *m = (mask_rows){.from = NULL};
}
