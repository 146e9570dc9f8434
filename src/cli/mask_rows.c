#include "mask_rows.h"

#include <stdlib.h>
#include <string.h>

#include "sat_image.h"

bool mask_files_open(mask_files *m, const valid_choice *choice, const image *img, int threads, error *err)
{
    *m = (mask_files){.count = 0};
    while (valid_mask_name(choice, m->count, &m->name[m->count])) {
        const mask_name *name = &m->name[m->count];
        row_source *file = &m->file[m->count++];
        const decode_options decode = valid_mask_decoding(choice, name, threads);
        error why;
        if (!row_source_open(file, name->path, &decode, &why)) return fail(err, "%s: %s", name->text, why.text);
        if (!file->whole && !valid_mask_fits(name, &file->head, img, err)) return false;
        if (file->whole) m->whole = file->whole;
        m->in_order = m->in_order || file->in_order;
        if (m->count == VALID_MASKS) break;
    }
    return true;
}

void mask_files_close(mask_files *m)
{
    for (int i = 0; i < m->count; i++) row_source_close(&m->file[i]);
    *m = (mask_files){.count = 0};
}

/* Of the file whose rows are the longest. */
static size_t line_bytes(const mask_files *from)
{
    size_t most = image_line_bytes(&from->file[0].head);
    for (int i = 1; i < from->count; i++)
        if (image_line_bytes(&from->file[i].head) > most) most = image_line_bytes(&from->file[i].head);
    return most;
}

static int64_t part_rows(const mask_files *from)
{
    return image_cache_rows(line_bytes(from), from->file[0].head.height);
}

uint64_t mask_rows_bytes(const mask_files *from)
{
    uint64_t bytes = from ? (uint64_t)part_rows(from) * line_bytes(from) : 0;
    for (int i = 0; from && i < from->count; i++) bytes += from->file[i].memory_bytes;
    return bytes;
}

bool mask_rows_open(mask_rows *m, mask_files *from, error *err)
{
    *m = (mask_rows){.from = from};
    if (!from) return true;
    m->part_n = part_rows(from);
    m->part = memory_rows(m->part_n, line_bytes(from), err);
    return m->part != NULL;
}

static bool clear(const mask_rows *m, int i, int64_t y, const sat_view *made, error *err)
{
    image rows = m->from->file[i].head;
    rows.height = made->height, rows.data = m->part;
    const sat_view set = image_channels_view(&rows, 0, rows.channels - image_has_alpha(&rows));
    error why;
    if (!row_source_read(&m->from->file[i], y, rows.height, m->part, &why))
        return fail(err, "%s: %s", m->from->name[i].text, why.text);
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
        for (int i = 0; i < m->from->count; i++)
            if (!clear(m, i, y, &part, err)) return false;
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
