#include "mask_rows.h"

#include <stdlib.h>
#include <string.h>

#include "sat_image.h"

bool mask_file_open(row_source *mask, const valid_choice *choice, const image *img, int threads, error *err)
{
    const decode_options decode = valid_mask_decoding(choice, threads);
    error why;
    if (!row_source_open(mask, choice->mask, &decode, &why)) return fail(err, "--mask %s: %s", choice->mask, why.text);
    return mask->whole || valid_mask_fits(choice->mask, &mask->head, img, err);
}

static int64_t part_rows(const row_source *from)
{
    return image_cache_rows(image_line_bytes(&from->head), from->head.height);
}

uint64_t mask_rows_bytes(const row_source *from)
{
    return from ? (uint64_t)part_rows(from) * image_line_bytes(&from->head) + from->memory_bytes : 0;
}

bool mask_rows_open(mask_rows *m, row_source *from, error *err)
{
    *m = (mask_rows){.from = from};
    if (!from) return true;
    m->part_n = part_rows(from);
    m->part = memory_rows(m->part_n, image_line_bytes(&from->head), err);
    return m->part != NULL;
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

bool mask_rows_read(mask_rows *m, int64_t y, const sat_view *made, error *err)
{
    sat_view part = sat_view_image(made, 0);
    char *at = part.data;
    memset(made->data, 1, (size_t)(made->height * made->row_bytes));
    for (const int64_t end = y + made->height; m->from && y < end; y += part.height) {
        part.height = end - y < m->part_n ? end - y : m->part_n;
        part.data = at;
        if (!clear(m, y, &part, err)) return false;
        at += part.height * part.row_bytes;
    }
    view_repeat_first(made);
    return true;
}

void mask_rows_close(mask_rows *m)
{
    free(m->part);
    *m = (mask_rows){.from = NULL};
}
