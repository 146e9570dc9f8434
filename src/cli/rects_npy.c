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
    const bool floats = h->kind == 'f' && (h->item_bytes == 4 || h->item_bytes == 8);
    if (h->kind != 'i' && h->kind != 'u' && !floats)
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

/* Row i, of integers or floats. */
static bool read_row(const rects *r, size_t i, rects_one *one, error *err)
{
    const npy_header *h = &r->npy;
    const size_t bytes = (size_t)h->item_bytes;
    const uint8_t *row = r->file.bytes + h->data_offset + i * RECTS_SIDES * bytes;
    double side[RECTS_SIDES];
    int64_t whole[RECTS_SIDES];
    bool is_real = false;
    for (size_t f = 0; f < RECTS_SIDES; f++) {
        side[f] = h->kind == 'f' ? read_float(row + f * bytes, h) : 0;
        is_real = is_real || !rects_is_whole(side[f]);
        whole[f] = is_real ? 0 : (int64_t)side[f];
        if (h->kind != 'f' && !read_integer(row + f * bytes, h, &whole[f]))
            return fail(err, "row %zu: %llu is too large", i, (unsigned long long)whole[f]);
    }
    *one = rects_of_sides(is_real, side, whole);
    return true;
}

bool rects_npy_fractions(const rects *r)
{
    rects_one one = {.is_real = false};
    error unused;
    for (int64_t i = 0; r->npy.kind == 'f' && i < r->npy.shape[0] && !one.is_real; i++)
        read_row(r, (size_t)i, &one, &unused);
    return one.is_real;
}

bool rects_next_npy(rects *r, error *err)
{
    for (; r->chunk_n < RECTS_CHUNK && (int64_t)r->given < r->npy.shape[0]; r->given++) {
        rects_one one;
        if (!read_row(r, r->given, &one, err)) return false;
        if (one.is_real && r->whole_only) return fail(err, "row %zu: changed while it was read", r->given);
        if (!rects_put(r, &one, (int64_t)r->given)) return true;
    }
    return true;
}
