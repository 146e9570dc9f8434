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

/* The steps along channels, pixels and rows: how many, and how long. */
typedef struct view_steps {
    int64_t n[3];
    __int128 bytes[3];
} view_steps;

static inline view_steps steps_of(const sat_view *v)
{
    const __int128 size = (__int128)sat_type_bytes(v->type);
    view_steps s = {{v->channels - 1, v->width - 1, v->height - 1}, {v->channel_bytes, v->pixel_bytes, v->row_bytes}};
    if (s.bytes[0] == 0) s.bytes[0] = size;
    if (s.bytes[1] == 0 || s.n[1] == 0) s.bytes[1] = v->channels * size;
    if (s.bytes[2] == 0) s.bytes[2] = v->width * (s.bytes[1] < 0 ? -s.bytes[1] : s.bytes[1]);
    return s;
}

/* The lowest byte of a view, and the one behind the highest, counted from its data. */
static inline void bounds_of(const sat_view *v, __int128 *low, __int128 *high)
{
    const view_steps s = steps_of(v);
    *low = 0, *high = (__int128)sat_type_bytes(v->type);
    for (int i = 0; i < 3; i++) *(s.bytes[i] < 0 ? low : high) += s.n[i] * s.bytes[i];
}

static inline __int128 extent_of(const sat_view *v)
{
    __int128 low, high;
    bounds_of(v, &low, &high);
    return high - low;
}

static inline uint8_t *lowest_of(const sat_view *v)
{
    __int128 low, high;
    bounds_of(v, &low, &high);
    return (uint8_t *)v->data + (ptrdiff_t)low;
}

static inline bool view_right(const sat_view *v)
{
    const __int128 size = (__int128)sat_type_bytes(v->type);
    __int128 low, high;
    if (v->data == NULL || size == 0 || (v->memory != SAT_HOST && v->memory != SAT_DEVICE)) return false;
    if (v->reserved || v->reserved_words[0] || v->reserved_words[1]) return false;
    if (!side_right(v->width) || !side_right(v->height) || v->channels < 1 || v->channels > 4) return false;
    const view_steps s = steps_of(v);
    for (int i = 0; i < 3; i++)
        if (s.n[i] > 0 && s.bytes[i] % size != 0) return false;
    bounds_of(v, &low, &high);
    const __int128 at = (__int128)(uintptr_t)v->data;
    return (uintptr_t)v->data % (size_t)size == 0 && high - low <= PTRDIFF_MAX && at + low >= 0 &&
           at + high <= (__int128)UINTPTR_MAX;
}

/* Each stride of a right view steps over all that the smaller ones reach. */
static inline bool samples_apart(const sat_view *v)
{
    view_steps s = steps_of(v);
    __int128 reach = (__int128)sat_type_bytes(v->type);
    for (int i = 0; i < 3; i++)
        if (s.bytes[i] < 0) s.bytes[i] = -s.bytes[i];
    for (int k = 0; k < 3; k++) {
        int least = -1;
        for (int i = 0; i < 3; i++)
            if (s.n[i] > 0 && (least < 0 || s.bytes[i] < s.bytes[least])) least = i;
        if (least < 0) return true;
        if (s.bytes[least] < reach) return false;
        reach += s.n[least] * s.bytes[least];
        s.n[least] = 0;
    }
    return true;
}

static inline bool view_inside(const sat_view *v, const block *b)
{
    if (!view_right(v)) return false;
    const uintptr_t begin = (uintptr_t)b->bytes, at = (uintptr_t)lowest_of(v);
    return at >= begin && extent_of(v) <= BLOCK_BYTES && at - begin + (size_t)extent_of(v) <= BLOCK_BYTES;
}

static inline void *sample_at(const sat_view *v, int64_t x, int64_t y, int c)
{
    const view_steps s = steps_of(v);
    return (uint8_t *)v->data + (ptrdiff_t)(c * s.bytes[0] + x * s.bytes[1] + y * s.bytes[2]);
}

/* Marks the bytes of a view that lie in [begin, begin + n). */
static inline void mark_view(const sat_view *v, uintptr_t begin, uint8_t *marks, size_t n)
{
    for (int64_t y = 0; y < v->height; y++)
        for (int64_t x = 0; x < v->width; x++)
            for (int c = 0; c < v->channels; c++) {
                const uintptr_t at = (uintptr_t)sample_at(v, x, y, c);
                for (size_t i = 0; i < sat_type_bytes(v->type); i++)
                    if (at + i - begin < n) marks[at + i - begin]++;
            }
}

typedef enum overlap { APART, PERHAPS, SHARED } overlap;

/* Do two right views share a byte?  PERHAPS: they share none, but a library may fail to see it; or they are large. */
static inline overlap views_overlap(const sat_view *a, const sat_view *b)
{
    uint8_t in_a[BLOCK_BYTES] = {0}, in_b[BLOCK_BYTES] = {0};
    const uintptr_t a0 = (uintptr_t)lowest_of(a), b0 = (uintptr_t)lowest_of(b);
    const size_t of_a = (size_t)extent_of(a), of_b = (size_t)extent_of(b);
    if (a0 >= b0 + of_b || b0 >= a0 + of_a) return APART;
    if (of_a > BLOCK_BYTES || a->width * a->height > BLOCK_BYTES || b->width * b->height > BLOCK_BYTES) return PERHAPS;
    mark_view(a, a0, in_a, of_a);
    mark_view(b, a0, in_b, of_a);
    for (size_t i = 0; i < of_a; i++)
        if (in_a[i] && in_b[i]) return SHARED;
    return PERHAPS;
}

static inline bool views_alike(const sat_view *a, const sat_view *b)
{
    return a->width == b->width && a->height == b->height && a->channels == b->channels && a->type == b->type &&
           a->memory == b->memory;
}

/* ---- views, and what is wrong with them ---- */

/* A view of the block, data NULL if it does not fit: rows with gaps, columns in place of rows, channels that lie apart,
 * each of them in reverse or not. */
static inline sat_view take_view(fuzz_input *in, const block *b, int64_t width, int64_t height, int channels,
                                 sat_type type)
{
    const ptrdiff_t size = (ptrdiff_t)sat_type_bytes(type);
    const unsigned how = (unsigned)take(in, 1), order = how / 64 % 4;
    sat_view v = {.width = width, .height = height, .channels = channels, .type = type};
    ptrdiff_t *const bytes[] = {&v.channel_bytes, &v.pixel_bytes, &v.row_bytes};
    const int64_t n[] = {channels, width, height};
    static const int orders[][3] = {{0, 1, 2}, {0, 2, 1}, {1, 2, 0}, {2, 1, 0}};
    ptrdiff_t step = size, low = 0;
    for (int k = 0; k < 3; k++) {
        const int i = orders[order][k];
        if (n[i] > (int64_t)1 << 16) return v;
        *bytes[i] = how / 8 >> i & 1 ? -step : step;
        if (*bytes[i] < 0) low += (n[i] - 1) * *bytes[i];
        step = n[i] * step + (k == 1 ? how % 8 * size : 0);
        if (step > BLOCK_BYTES * 16) return v;
    }
    v.data = b->bytes + take(in, 1) % 16 * (size_t)size - low;
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
    case 3: v->row_bytes = (ptrdiff_t)take_int(in, -64, 64); break;
    case 4: v->row_bytes = (ptrdiff_t)((size_t)v->row_bytes + (size_t)take_int(in, -64, 64)); break;
    case 5: v->width = take_int(in, 0, 16); break;
    case 6: v->height = take_int(in, 0, 16); break;
    case 7: v->channels = (int)take_int(in, 0, 5); break;
    case 8: v->type = (sat_type)take_int(in, 0, 12); break;
    case 9: v->memory = (sat_memory)take_int(in, 0, 2); break;
    case 10: v->pixel_bytes = (ptrdiff_t)take_int(in, -64, 64); break;
    case 11: v->channel_bytes = (ptrdiff_t)take_int(in, -64, 64); break;
    case 12: v->reserved_words[take(in, 1) % 2] = take_int(in, 0, 2); break;
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

/* Are the bytes of the block that belong to no sample as they were? */
static inline bool gaps_untouched(const sat_view *v, const block *b)
{
    uint8_t marks[BLOCK_BYTES] = {0};
    bool same = true;
    mark_view(v, (uintptr_t)b->bytes, marks, BLOCK_BYTES);
    for (size_t i = 0; i < BLOCK_BYTES; i++) same &= marks[i] || b->bytes[i] == POISON;
    return same;
}

/* Do two views of one shape hold the same bits? */
static inline bool same_samples(const sat_view *a, const sat_view *b)
{
    for (int64_t y = 0; y < a->height; y++)
        for (int64_t x = 0; x < a->width; x++)
            for (int c = 0; c < a->channels; c++)
                if (memcmp(sample_at(a, x, y, c), sample_at(b, x, y, c), sat_type_bytes(a->type)) != 0) return false;
    return true;
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
