/* host_copy.c - the copy between a caller's memory and memory that a device can reach. */
#include <string.h>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "choose.h"
#include "host_copy.h"
#include "pool.h"
#include "shape.h"
#include "strides.h"

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

/* Row y of all images' rows. */
static char *row_of(const sat_view *v, int64_t y)
{
    return (char *)v->data + y / v->height * v->image_bytes + y % v->height * v->row_bytes;
}

/* Do all rows follow one another without gaps? */
static bool is_packed(const sat_view *v, size_t row)
{
    return v->row_bytes == (ptrdiff_t)row && v->image_bytes == v->height * v->row_bytes;
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
        char *to = row_of(j->to, (int64_t)y) + x;
        const char *from = row_of(j->from, (int64_t)y) + x;
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

/* Rows in a share of views with gaps. */
static int64_t rows_of_share(const job *j)
{
    return (int64_t)(SHARE_BYTES / j->row) + 1;
}

static void copy_rows_of_share(void *context, int64_t share, int worker)
{
    const job *j = context;
    const int64_t height = j->from->height, all = height * j->from->count, end = (share + 1) * rows_of_share(j);
    (void)worker;
    for (int64_t row = share * rows_of_share(j), rows; row < end && row < all; row += rows) {
        const int64_t y = row % height;
        const sat_view to = sat_images_of(j->to, row / height, 1), from = sat_images_of(j->from, row / height, 1);
        rows = end - row < height - y ? end - row : height - y;
        sat_copy_rows(&to, &from, y, rows);
    }
}

void sat_host_copy(const sat_view *to, const sat_view *from, const sat_executor *executor, int threads,
                   bool past_caches)
{
    int64_t rows = from->height * from->count;
    size_t row = sat_row_bytes(from->width, from->channels, from->type), bytes = row * (size_t)rows;
    job j = {.to = to, .from = from, .row = row, .bytes = bytes, .past_caches = past_caches};
    j.packed = is_packed(to, row) && is_packed(from, row);
    if (sat_has_gaps(from) || sat_has_gaps(to))
        sat_parallel_on(executor, threads, sat_parts(rows, rows_of_share(&j)), copy_rows_of_share, &j);
    else
        sat_parallel_on(executor, threads, sat_parts((int64_t)bytes, SHARE_BYTES), copy_share, &j);
}
