/* arrays.h - arrays for tests: random, poisoned, and ending at a page that may not be touched. */
#ifndef TEST_ARRAYS_H
#define TEST_ARRAYS_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "sat.h"

/* xorshift64 (Marsaglia 2003) from a fixed seed: every run sees the same arrays. */
static uint64_t seed = 88172645463325252u;

static inline uint64_t random64(void)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    return seed ^= seed << 17;
}

static inline int64_t random_in(int64_t low, int64_t high)
{
    return low + (int64_t)(random64() % (uint64_t)(high - low + 1));
}

/* A call that failed with that status, and whose detail says that. */
static inline void said(sat_status is, sat_status expected, const char *text)
{
    if (is != expected || !strstr(sat_detail(), text))
        fail_msg("status %d, '%s' where %d and '%s' were expected", (int)is, sat_detail(), (int)expected, text);
}

static inline ptrdiff_t pixel_bytes_of(const sat_view *v)
{
    return v->pixel_bytes ? v->pixel_bytes : v->channels * (ptrdiff_t)sat_type_bytes(v->type);
}

/* From the first byte of a view without negative strides to its last. */
static inline size_t bytes_of_view(const sat_view *v)
{
    const ptrdiff_t row = (v->width - 1) * pixel_bytes_of(v) + v->channels * (ptrdiff_t)sat_type_bytes(v->type);
    const ptrdiff_t images = v->count > 1 ? (v->count - 1) * v->image_bytes : 0;
    return (size_t)(images + v->row_bytes * (v->height - 1) + row);
}

/* Gives a view that is described memory whose last byte is the last before a guard page; every byte is poison (0xA5).
 */
static inline sat_view guard(sat_view v)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE), bytes = bytes_of_view(&v), pages = (bytes + page - 1) / page * page;
    char *base = mmap(NULL, pages + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (base == MAP_FAILED || mprotect(base + pages, page, PROT_NONE) != 0) abort();
    v.data = base + pages - bytes;
    memset(base, 0xA5, pages);
    return v;
}

static inline sat_view guarded(int64_t width, int64_t height, int channels, sat_type type, size_t gap_bytes)
{
    sat_view v = {.width = width, .height = height, .channels = channels, .type = type};
    v.row_bytes = (ptrdiff_t)(sat_row_bytes(width, channels, type) + gap_bytes);
    return guard(v);
}

/* Several images, with gaps between pixels, rows and images: each of them so many samples. */
static inline sat_view guarded_images(int64_t width, int64_t height, int64_t count, int channels, sat_type type,
                                      size_t pixel_gap, size_t row_gap, size_t image_gap)
{
    const ptrdiff_t size = (ptrdiff_t)sat_type_bytes(type);
    sat_view v = {.width = width, .height = height, .channels = channels, .type = type, .count = count};
    v.channel_bytes = size;
    v.pixel_bytes = (channels + (ptrdiff_t)pixel_gap) * size;
    v.row_bytes = width * v.pixel_bytes + (ptrdiff_t)row_gap * size;
    v.image_bytes = height * v.row_bytes + (ptrdiff_t)image_gap * size;
    return guard(v);
}

static inline void unguard(sat_view *v)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE), bytes = bytes_of_view(v), pages = (bytes + page - 1) / page * page;
    munmap((char *)v->data + bytes - pages, pages + page);
    v->data = NULL;
}

static inline void *entry_at(const sat_view *v, int64_t x, int64_t y, int c)
{
    const ptrdiff_t channel = v->channel_bytes ? v->channel_bytes : (ptrdiff_t)sat_type_bytes(v->type);
    return (char *)v->data + y * v->row_bytes + x * pixel_bytes_of(v) + c * channel;
}

static inline double value_at(const sat_view *v, int64_t x, int64_t y, int c)
{
    const void *p = entry_at(v, x, y, c);
    switch (v->type) {
    case SAT_U8: return *(const uint8_t *)p;
    case SAT_U16: return *(const uint16_t *)p;
    case SAT_U32: return *(const uint32_t *)p;
    case SAT_I8: return *(const int8_t *)p;
    case SAT_I16: return *(const int16_t *)p;
    case SAT_I32: return *(const int32_t *)p;
    case SAT_F32: return (double)*(const float *)p;
    default: return *(const double *)p;
    }
}

/* Integers over their whole range; floats in [-100, 100] in steps of 1/8, so that sums are exact. */
static inline void randomise(const sat_view *v)
{
    for (int64_t i = 1; i < v->count; i++) {
        sat_view one = sat_view_image(v, i);
        one.count = 1;
        randomise(&one);
    }
    for (int64_t y = 0; y < v->height; y++)
        for (int64_t x = 0; x < v->width; x++)
            for (int c = 0; c < v->channels; c++) {
                void *p = entry_at(v, x, y, c);
                double eighths = (double)random_in(-800, 800) / 8;
                switch (v->type) {
                case SAT_U8:
                case SAT_I8: *(uint8_t *)p = (uint8_t)random64(); break;
                case SAT_U16:
                case SAT_I16: *(uint16_t *)p = (uint16_t)random64(); break;
                case SAT_U32:
                case SAT_I32: *(uint32_t *)p = (uint32_t)random64(); break;
                case SAT_F32: *(float *)p = (float)eighths; break;
                default: *(double *)p = eighths;
                }
            }
}

static const char *const isas[] = {"portable", "avx2", "avx512"};
enum { ISAS = sizeof isas / sizeof *isas };

/* Makes the CPU backends use an instruction set until the test ends (test_with_settings). Returns false if this
 * machine does not have it. */
static inline bool force_isa(const char *name)
{
    sat_backend_info info;
    setenv("SAT_ISA", name, 1);
    for (size_t i = 0; sat_backend_at(i, &info); i++)
        if (strcmp(info.name, "cpu") == 0) return info.available;
    return false;
}

static inline int forget_settings(void **state)
{
    (void)state;
    unsetenv("SAT_ISA");
    unsetenv("SAT_STREAM");
    return 0;
}

/* A test that sets SAT_ISA or SAT_STREAM. They are unset after it even if it fails, so that it spoils no later test. */
#define test_with_settings(f) cmocka_unit_test_teardown(f, forget_settings)

#define assert_ok(call)                                                                                                \
    do {                                                                                                               \
        sat_status status_ = (call);                                                                                   \
        if (status_ != SAT_OK) fail_msg("%s: %s", sat_status_text(status_), sat_detail());                             \
    } while (0)

#endif
