/* rects_npy.c - rectangles of a .npy: N x 4 integers of any size, or f32 or f64, in either byte order. */
#include <stdio.h>
#include <string.h>

#include "rects_parts.h"

bool rects_open_npy(rects *r, error *err)
{
    npy_header *h = &r->npy;
    char name[NPY_NAME_BYTES];
    if (!npy_parse(h, r->file.bytes, r->file.n, err)) return false;
    r->kind = RECTS_NPY;
    r->real = h->kind == 'f' && (h->item_bytes == 4 || h->item_bytes == 8);
    if (h->kind != 'i' && h->kind != 'u' && !r->real)
        return fail(err, "rectangles are integers, f32 or f64, not %s", npy_type_name(h, name));
    if (h->dims == 2 && h->shape[1] == RECTS_SIDES) return true;
    char shape[64] = "";
    size_t used = 0;
    for (int i = 0; i < h->dims; i++)
        used += (size_t)snprintf(shape + used, sizeof shape - used, "%s%lld", i ? " x " : "", (long long)h->shape[i]);
    return fail(err, "rectangles are an array of N x 4, not %s%s", shape, h->dims == 1 ? " numbers" : "");
}

/* The bits of an item of either byte order. */
static uint64_t read_bits(const uint8_t *at, const npy_header *h)
{
    const int bytes = h->item_bytes;
    uint64_t v = 0;
    for (int i = 0; i < bytes; i++) v = v << 8 | at[h->big_endian ? i : bytes - 1 - i];
    return v;
}

/* False if 64 bits with a sign do not hold it. */
static bool read_integer(const uint8_t *at, const npy_header *h, int64_t *value)
{
    const int bytes = h->item_bytes;
    const bool is_signed = h->kind == 'i';
    uint64_t v = read_bits(at, h), sign = UINT64_C(1) << (8 * bytes - 1);
    if (is_signed && bytes < 8) v = (v ^ sign) - sign;
    *value = (int64_t)v;
    return is_signed || *value >= 0;
}

static double read_float(const uint8_t *at, const npy_header *h)
{
    const uint64_t v = read_bits(at, h);
    const uint32_t low = (uint32_t)v;
    double f64;
    float f32;
    memcpy(&f64, &v, sizeof f64);
    memcpy(&f32, &low, sizeof f32);
    return h->item_bytes == 8 ? f64 : (double)f32;
}

bool rects_next_npy(rects *r, error *err)
{
    const npy_header *h = &r->npy;
    size_t bytes = (size_t)h->item_bytes;
    for (; r->chunk_n < RECTS_CHUNK && (int64_t)r->given < h->shape[0]; r->given++) {
        const uint8_t *row = r->file.bytes + h->data_offset + r->given * RECTS_SIDES * bytes;
        double side[RECTS_SIDES];
        int64_t value[RECTS_SIDES];
        for (size_t f = 0; f < RECTS_SIDES; f++)
            if (r->real)
                side[f] = read_float(row + f * bytes, h);
            else if (!read_integer(row + f * bytes, h, &value[f]))
                return fail(err, "row %zu: %llu is too large", r->given, (unsigned long long)value[f]);
        if (r->real)
            r->chunk.real[r->chunk_n] = (sat_rect_f64){side[0], side[1], side[2], side[3]};
        else
            r->chunk.whole[r->chunk_n] = (sat_rect){value[0], value[1], value[2], value[3]};
        r->lines[r->chunk_n++] = (int64_t)r->given;
    }
    return true;
}
