/* rects_npy.c - rectangles of a .npy: N x 4 integers of any size and byte order. */
#include <stdio.h>

#include "rects_parts.h"

bool rects_open_npy(rects *r, error *err)
{
    npy_header *h = &r->npy;
    if (!npy_parse(h, r->file.bytes, r->file.n, err)) return false;
    r->kind = RECTS_NPY;
    if (h->kind != 'i' && h->kind != 'u')
        return fail(err, "rectangles are whole numbers, not %c%d", h->kind, 8 * h->item_bytes);
    if (h->dims == 2 && h->shape[1] == RECTS_SIDES) return true;
    char shape[64] = "";
    size_t used = 0;
    for (int i = 0; i < h->dims; i++)
        used += (size_t)snprintf(shape + used, sizeof shape - used, "%s%lld", i ? " x " : "", (long long)h->shape[i]);
    return fail(err, "rectangles are an array of N x 4, not %s%s", shape, h->dims == 1 ? " numbers" : "");
}

/* An item of either byte order; false if 64 bits with a sign do not hold it. */
static bool read_item(const uint8_t *at, const npy_header *h, int64_t *value)
{
    const int bytes = h->item_bytes;
    const bool is_signed = h->kind == 'i';
    uint64_t v = 0;
    for (int i = 0; i < bytes; i++) v = v << 8 | at[h->big_endian ? i : bytes - 1 - i];
    uint64_t sign = UINT64_C(1) << (8 * bytes - 1);
    if (is_signed && bytes < 8) v = (v ^ sign) - sign;
    *value = (int64_t)v;
    return is_signed || *value >= 0;
}

bool rects_next_npy(rects *r, error *err)
{
    const npy_header *h = &r->npy;
    size_t bytes = (size_t)h->item_bytes;
    for (; r->chunk_n < RECTS_CHUNK && (int64_t)r->given < h->shape[0]; r->given++) {
        const uint8_t *row = r->file.bytes + h->data_offset + r->given * RECTS_SIDES * bytes;
        int64_t value[RECTS_SIDES];
        for (size_t f = 0; f < RECTS_SIDES; f++)
            if (!read_item(row + f * bytes, h, &value[f]))
                return fail(err, "row %zu: %llu is too large", r->given, (unsigned long long)value[f]);
        r->lines[r->chunk_n] = (int64_t)r->given;
        r->chunk[r->chunk_n++] = (sat_rect){.x = value[0], .y = value[1], .width = value[2], .height = value[3]};
    }
    return true;
}
