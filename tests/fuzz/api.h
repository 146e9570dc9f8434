/* api.h - what the targets of the public interface share: blocks of memory, right and wrong views of them, and what
 * sat.h says of a view. */
#ifndef FUZZ_API_H
#define FUZZ_API_H

#include <stdlib.h>

#include "fuzz.h"
#include "sat_lab.h"

enum { BLOCK_BYTES = 1 << 12, POISON = 0xa5 };

/* Aligned to 64 bytes, and a byte behind them is out of bounds for the sanitizers. */
typedef struct block {
    uint8_t *bytes;
} block;

static inline bool block_alloc(block *b)
{
    b->bytes = aligned_alloc(64, BLOCK_BYTES);
    if (b->bytes) memset(b->bytes, POISON, BLOCK_BYTES);
    return b->bytes != NULL;
}

/* ---- what sat.h says ---- */

static inline bool side_right(int64_t side)
{
    return side >= 1 && side <= (int64_t)1 << 40;
}

/* Bytes from the first of a view to its last. */
static inline unsigned __int128 extent_of(const sat_view *v)
{
    return (unsigned __int128)(v->height - 1) * v->row_bytes +
           (unsigned __int128)v->width * (unsigned)v->channels * sat_type_bytes(v->type);
}

static inline bool view_right(const sat_view *v)
{
    size_t size = sat_type_bytes(v->type);
    if (v->data == NULL || size == 0 || (v->memory != SAT_HOST && v->memory != SAT_DEVICE)) return false;
    if (!side_right(v->width) || !side_right(v->height) || v->channels < 1 || v->channels > 4) return false;
    if (v->row_bytes < (unsigned __int128)v->width * (unsigned)v->channels * size) return false;
    if (v->row_bytes % size != 0 || (uintptr_t)v->data % size != 0) return false;
    return extent_of(v) <= PTRDIFF_MAX;
}

static inline bool view_inside(const sat_view *v, const block *b)
{
    uintptr_t begin = (uintptr_t)b->bytes, at = (uintptr_t)v->data;
    return view_right(v) && at >= begin && at - begin + extent_of(v) <= BLOCK_BYTES;
}

/* Do two right views share a byte?  Of tall ones: may they? */
static inline bool views_overlap(const sat_view *a, const sat_view *b)
{
    const uintptr_t a0 = (uintptr_t)a->data, b0 = (uintptr_t)b->data;
    if (a0 >= b0 + extent_of(b) || b0 >= a0 + extent_of(a)) return false;
    if (a->height > 64 || b->height > 64) return true;
    const size_t row_a = sat_row_bytes(a->width, a->channels, a->type),
                 row_b = sat_row_bytes(b->width, b->channels, b->type);
    for (int64_t y = 0; y < a->height; y++)
        for (int64_t z = 0; z < b->height; z++) {
            const uintptr_t at = (uintptr_t)a->data + (size_t)y * a->row_bytes,
                            bt = (uintptr_t)b->data + (size_t)z * b->row_bytes;
            if (at < bt + row_b && bt < at + row_a) return true;
        }
    return false;
}

static inline bool views_alike(const sat_view *a, const sat_view *b)
{
    return a->width == b->width && a->height == b->height && a->channels == b->channels && a->type == b->type &&
           a->memory == b->memory;
}

/* ---- views, and what is wrong with them ---- */

/* A view of the block with gaps between its rows; data NULL if it does not fit. */
static inline sat_view take_view(fuzz_input *in, const block *b, int64_t width, int64_t height, int channels,
                                 sat_type type)
{
    size_t size = sat_type_bytes(type);
    sat_view v = {.width = width, .height = height, .channels = channels, .type = type};
    v.row_bytes = sat_row_bytes(width, channels, type) + take(in, 1) % 8 * size;
    v.data = b->bytes + take(in, 1) % 16 * size;
    if (!view_inside(&v, b)) v.data = NULL;
    return v;
}

/* Changes something, or nothing. */
static inline void spoil_view(fuzz_input *in, sat_view *v, const block *other)
{
    switch (take(in, 1) % 16) {
    case 0: v->data = NULL; break;
    case 1: v->data = (uint8_t *)v->data + take(in, 1) % 8; break;
    case 2: v->data = other->bytes; break;
    case 3: v->row_bytes = (size_t)take_int(in, 0, 64); break;
    case 4: v->row_bytes += (size_t)take_int(in, 0, 64); break;
    case 5: v->width = take_int(in, 0, 16); break;
    case 6: v->height = take_int(in, 0, 16); break;
    case 7: v->channels = (int)take_int(in, 0, 5); break;
    case 8: v->type = (sat_type)take_int(in, 0, 12); break;
    case 9: v->memory = (sat_memory)take_int(in, 0, 2); break;
    default: break;
    }
}

/* Does a wrong view point to memory that nothing may touch?  One that was refused must not have been read. */
static inline void poison_if_wrong(sat_view *v)
{
    if (v->data && !view_right(v)) v->data = (void *)((uintptr_t)4096 + (uintptr_t)v->data % 64);
}

static inline bool untouched(const uint8_t *at, size_t n)
{
    bool same = true;
    for (size_t i = 0; i < n; i++) same &= at[i] == POISON;
    return same;
}

static inline bool block_untouched(const block *b)
{
    return untouched(b->bytes, BLOCK_BYTES);
}

/* Are the bytes of the block that belong to no row as they were? */
static inline bool gaps_untouched(const sat_view *v, const block *b)
{
    size_t row = sat_row_bytes(v->width, v->channels, v->type);
    const uint8_t *at = b->bytes;
    for (int64_t y = 0; y < v->height; y++) {
        const uint8_t *begin = (const uint8_t *)v->data + (size_t)y * v->row_bytes;
        if (!untouched(at, (size_t)(begin - at))) return false;
        at = begin + row;
    }
    return untouched(at, (size_t)(b->bytes + BLOCK_BYTES - at));
}

static inline void *sample_at(const sat_view *v, int64_t x, int64_t y, int c)
{
    return (uint8_t *)v->data + (size_t)y * v->row_bytes + (size_t)(x * v->channels + c) * sat_type_bytes(v->type);
}

/* Samples from the input's bytes, which are used again when they end: integers over their whole range; floats that are
 * multiples of a quarter from -16 to 47.75, now and then NaN or infinite if wild. */
static inline void fill_view(const fuzz_input *in, const sat_view *v, bool wild)
{
    uint32_t state = 1;
    for (int64_t y = 0; y < v->height; y++)
        for (int64_t x = 0; x < v->width; x++)
            for (int c = 0; c < v->channels; c++) {
                size_t i = (size_t)((y * v->width + x) * v->channels + c);
                state = state * 1664525u + 1013904223u + (in->left ? in->at[i % in->left] : 0);
                uint32_t random = state >> 8;
                double f = (double)(random % 256) / 4 - 16;
                if (wild && random % 61 == 0) f = random % 3 == 0 ? __builtin_nan("") : f > 0 ? 1 / 0.0 : -1 / 0.0;
                void *at = sample_at(v, x, y, c);
                switch (v->type) {
                case SAT_U8: *(uint8_t *)at = random % 5 == 0 ? 255 : (uint8_t)random; break;
                case SAT_U16: *(uint16_t *)at = random % 5 == 0 ? 65535 : (uint16_t)random; break;
                case SAT_U32: *(uint32_t *)at = random % 5 == 0 ? UINT32_MAX : random * 257u; break;
                case SAT_I8: *(int8_t *)at = random % 5 == 0 ? INT8_MIN : (int8_t)random; break;
                case SAT_I16: *(int16_t *)at = random % 5 == 0 ? INT16_MIN : (int16_t)random; break;
                case SAT_I32: *(int32_t *)at = random % 5 == 0 ? INT32_MIN : (int32_t)(random * 257u); break;
                case SAT_F32: *(float *)at = (float)f; break;
                default: *(double *)at = f;
                }
            }
}

static inline long double load_sample(const sat_view *v, int64_t x, int64_t y, int c)
{
    const void *at = sample_at(v, x, y, c);
    switch (v->type) {
    case SAT_U8: return *(const uint8_t *)at;
    case SAT_U16: return *(const uint16_t *)at;
    case SAT_U32: return *(const uint32_t *)at;
    case SAT_I8: return *(const int8_t *)at;
    case SAT_I16: return *(const int16_t *)at;
    case SAT_I32: return *(const int32_t *)at;
    case SAT_F32: return (long double)*(const float *)at;
    default: return (long double)*(const double *)at;
    }
}

/* ---- names ---- */

/* A backend's name, none, or one that there is not.  Backends of a device are left out: a seed means the same in a
 * build with CUDA. */
static inline const char *take_backend(fuzz_input *in)
{
    sat_lab_backend_info info;
    unsigned left = (unsigned)take(in, 1) % 16;
    if (left == 15) return "no such backend";
    for (size_t i = 0; left > 0 && sat_lab_backend_entry(i, &info); i++)
        if (!info.device && --left == 0) return info.name;
    return NULL;
}

/* The name of a scan that needs no device, or NULL. */
static inline const char *take_scan(fuzz_input *in)
{
    sat_scan_info info;
    uint64_t left = take(in, 1) % 3;
    for (size_t i = 0; sat_scan_at(i, &info); i++)
        if (!info.device && left-- == 0) return info.name;
    return NULL;
}

typedef enum backend_kind { COMPUTES, OTHER, UNKNOWN } backend_kind;

static inline backend_kind backend_of(const char *name)
{
    sat_lab_backend_info info;
    if (name == NULL) return COMPUTES;
    for (size_t i = 0; sat_lab_backend_entry(i, &info); i++)
        if (strcmp(info.name, name) == 0) return info.kind < SAT_CEILING ? COMPUTES : OTHER;
    return UNKNOWN;
}

static inline int take_threads(fuzz_input *in)
{
    static const int threads[] = {0, 1, 2, 3, 1, 1, 1, 1, -1, 1025, INT32_MIN, INT32_MAX};
    return threads[take(in, 1) % (sizeof threads / sizeof *threads)];
}

static inline bool threads_right(int threads)
{
    return threads >= 0 && threads <= 1024;
}

#endif
