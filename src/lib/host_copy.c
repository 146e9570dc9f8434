/* host_copy.c - the copy between a caller's memory and memory that a device can reach. */
#include <string.h>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "choose.h"
#include "host_copy.h"
#include "pool.h"
#include "shape.h"

enum {
    LINE = 64, /* bytes that caches and memory exchange */
    /* Worth a thread, and taken at a time: what one copies in the ten microseconds that another needs to wake.  Of
     * whole lines, counted from the first byte. */
    SHARE_BYTES = 1 << 17
};

/* Stores of whole lines past the caches need not read first what they overwrite: two accesses of memory instead of
 * three. Only fence() orders them before what follows. */
static void copy_past_caches(char *to, const char *from, size_t bytes)
{
#ifdef __SSE2__
    size_t head = (LINE - (uintptr_t)to % LINE) % LINE;
    if (bytes >= head + LINE) {
        memcpy(to, from, head);
        to += head, from += head, bytes -= head;
        for (; bytes >= LINE; to += LINE, from += LINE, bytes -= LINE) {
            __m128i v[LINE / 16];
            for (int i = 0; i < LINE / 16; i++) v[i] = _mm_loadu_si128((const __m128i *)(const void *)from + i);
            for (int i = 0; i < LINE / 16; i++) _mm_stream_si128((__m128i *)(void *)to + i, v[i]);
        }
    }
#endif
    memcpy(to, from, bytes);
}

static void fence(void)
{
#ifdef __SSE2__
    _mm_sfence();
#endif
}

/* Inlined for each number of bytes, so that a pixel is one or two moves; and for strides that neighbouring channels
 * have, where the compiler takes several pixels at once. */
static inline __attribute__((always_inline)) void gather(char *restrict to, const char *restrict from, int64_t n,
                                                         const size_t pixel, const size_t stride)
{
    for (int64_t i = 0; i < n; i++) memcpy(to + (size_t)i * pixel, from + (size_t)i * stride, pixel);
}

void sat_gather(void *to, const void *from, int64_t n, size_t pixel, size_t stride)
{
#define OF_BYTES(bytes)                                                                                                \
    case bytes:                                                                                                        \
        gather(to, from, n, bytes, stride);                                                                            \
        break
#define OF_SAMPLE(bytes)                                                                                               \
    case bytes:                                                                                                        \
        if (stride == 2 * (bytes))                                                                                     \
            gather(to, from, n, bytes, 2 * (bytes));                                                                   \
        else if (bytes > 1 && stride == 3 * (bytes))                                                                   \
            gather(to, from, n, bytes, 3 * (bytes));                                                                   \
        else if (stride == 4 * (bytes))                                                                                \
            gather(to, from, n, bytes, 4 * (bytes));                                                                   \
        else                                                                                                           \
            gather(to, from, n, bytes, stride);                                                                        \
        break
    switch (pixel) {
        OF_SAMPLE(1);
        OF_SAMPLE(2);
        OF_BYTES(3);
        OF_SAMPLE(4);
        OF_BYTES(6);
        OF_SAMPLE(8);
        OF_BYTES(12);
        OF_BYTES(16);
        OF_BYTES(24);
    default: gather(to, from, n, 32, stride); /* four channels of f64 */
    }
#undef OF_SAMPLE
#undef OF_BYTES
}

/* Row y of all images' rows. */
static char *row_of(const sat_view *v, size_t y)
{
    size_t height = (size_t)v->height;
    return (char *)v->data + y / height * v->image_bytes + y % height * v->row_bytes;
}

/* Do all rows follow one another without gaps? */
static bool is_packed(const sat_view *v, size_t row)
{
    return (v->row_bytes == row || v->height == 1) && (v->count == 1 || v->image_bytes == (size_t)v->height * row);
}

typedef struct job {
    const sat_view *to, *from;
    size_t row, bytes; /* bytes of a row, and of all */
    bool past_caches, packed;
} job;

/* Bytes [begin, end) of the views' pixels, counted without what lies between rows. */
static void copy_part(const job *j, size_t begin, size_t end)
{
    for (size_t at = begin, n; at < end; at += n) {
        size_t y = at / j->row, x = at % j->row;
        n = j->packed || end - at < j->row - x ? end - at : j->row - x;
        char *to = row_of(j->to, y) + x;
        const char *from = row_of(j->from, y) + x;
        if (j->past_caches)
            copy_past_caches(to, from, n);
        else
            memcpy(to, from, n);
    }
    if (j->past_caches) fence();
}

int sat_copy_threads(size_t bytes, int threads)
{
    return sat_threads_worth((double)bytes, SHARE_BYTES, threads);
}

static void copy_share(void *context, int64_t share, int worker)
{
    const job *j = context;
    size_t begin = (size_t)share * SHARE_BYTES, left = j->bytes - begin;
    (void)worker;
    copy_part(j, begin, begin + (left < SHARE_BYTES ? left : SHARE_BYTES));
}

/* Rows in a share of a gather. */
static int64_t rows_of_share(const job *j)
{
    return (int64_t)(SHARE_BYTES / j->row) + 1;
}

static void gather_share(void *context, int64_t share, int worker)
{
    const job *j = context;
    const sat_view *from = j->from;
    int64_t rows = from->height * from->count, y = share * rows_of_share(j), end = y + rows_of_share(j);
    (void)worker;
    for (; y < end && y < rows; y++)
        sat_gather(row_of(j->to, (size_t)y), row_of(from, (size_t)y), from->width,
                   (size_t)from->channels * sat_type_bytes(from->type), from->pixel_bytes);
}

void sat_host_copy(const sat_view *to, const sat_view *from, const sat_executor *executor, int threads,
                   bool past_caches)
{
    int64_t rows = from->height * from->count;
    size_t row = sat_row_bytes(from->width, from->channels, from->type), bytes = row * (size_t)rows;
    job j = {.to = to, .from = from, .row = row, .bytes = bytes, .past_caches = past_caches};
    j.packed = is_packed(to, row) && is_packed(from, row);
    if (sat_has_gaps(from))
        sat_parallel_on(executor, threads, sat_parts(rows, rows_of_share(&j)), gather_share, &j);
    else
        sat_parallel_on(executor, threads, sat_parts((int64_t)bytes, SHARE_BYTES), copy_share, &j);
}
