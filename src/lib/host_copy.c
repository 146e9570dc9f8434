/* host_copy.c - the copy between a caller's memory and memory that a device can reach. */
#include <string.h>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "choose.h"
#include "host_copy.h"
#include "pool.h"

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

/* Bytes [begin, end) of the view's pixels, counted without what lies between rows. */
static void copy_part(const sat_view *to, const sat_view *from, size_t row, size_t begin, size_t end, bool past_caches)
{
    bool gapless = to->row_bytes == row && from->row_bytes == row;
    for (size_t at = begin, n; at < end; at += n) {
        size_t y = at / row, x = at % row;
        n = gapless || end - at < row - x ? end - at : row - x;
        char *t = (char *)to->data + y * to->row_bytes + x;
        const char *f = (const char *)from->data + y * from->row_bytes + x;
        if (past_caches)
            copy_past_caches(t, f, n);
        else
            memcpy(t, f, n);
    }
    if (past_caches) fence();
}

int sat_copy_threads(size_t bytes, int threads)
{
    return sat_threads_worth((double)bytes, SHARE_BYTES, threads);
}

typedef struct job {
    const sat_view *to, *from;
    size_t row, bytes; /* bytes of a row, and of all */
    bool past_caches;
} job;

static void copy_share(void *context, int64_t share, int worker)
{
    const job *j = context;
    size_t begin = (size_t)share * SHARE_BYTES, left = j->bytes - begin;
    (void)worker;
    copy_part(j->to, j->from, j->row, begin, begin + (left < SHARE_BYTES ? left : SHARE_BYTES), j->past_caches);
}

void sat_host_copy(const sat_view *to, const sat_view *from, int threads, bool past_caches)
{
    size_t row = sat_row_bytes(from->width, from->channels, from->type), bytes = row * (size_t)from->height;
    job j = {.to = to, .from = from, .row = row, .bytes = bytes, .past_caches = past_caches};
    sat_parallel(threads, sat_parts((int64_t)bytes, SHARE_BYTES), copy_share, &j);
}
