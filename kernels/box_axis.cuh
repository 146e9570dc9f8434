/* box_axis.cuh - what a filter's kernels must know of one direction of the image, and how it gets to the device. */
#ifndef BOX_AXIS_CUH
#define BOX_AXIS_CUH

#include <stdlib.h>

#include "prim/runtime.cuh"
#include "window.h"

namespace box
{

/* Positions beyond the image see the samples that the border mode names (numbers of columns or rows, -1: none): `lead`
 * entries for the positions before the image, then those from n on. */
struct axis {
    int32_t n, before, after, lead;
    const int32_t *beyond;
    const int32_t *covered; /* for each position of the image: how many samples its window holds */
};

/* How many samples of the image a window holds. */
PRIM_DEVICE uint32_t covered(const axis &a, int32_t at)
{
    const int32_t first = at < a.before ? 0 : at - a.before, end = at + a.after < a.n ? at + a.after + 1 : a.n;
    return (uint32_t)(end - first);
}

PRIM_DEVICE int32_t seen(const axis &a, int32_t at)
{
    if (at >= 0 && at < a.n) return at;
    return prim::load(a.beyond + a.lead + (at < 0 ? at : at - a.n));
}

/* Arrays that are filled on the host and lie, one behind the other, in one piece of device memory: first all are taken,
 * to see what they need, then reserve(), then all are taken again and filled, then send(). */
struct tables {
    unsigned char *host, *device;
    size_t taken;

    /* Room for n values: their address in device memory, and on the host; both NULL before reserve(). */
    template <class T> const T *take(size_t n, T **here)
    {
        taken = (taken + 15) / 16 * 16;
        *here = host ? (T *)(host + taken) : nullptr;
        const T *there = device ? (const T *)(device + taken) : nullptr;
        taken += n * sizeof(T);
        return there;
    }

    sat_status reserve()
    {
        const size_t bytes = taken;
        taken = 0;
        host = (unsigned char *)calloc(1, bytes);
        if (host == NULL) return sat_fail(SAT_ERR_MEMORY, "out of memory for the windows of a box filter");
        return prim::device_alloc(&device, bytes);
    }

    sat_status send()
    {
        sat_status status = prim::copy_rows(device, taken, host, taken, taken, 1, NULL);
        return status == SAT_OK ? prim::stream_wait(NULL) : status;
    }
};

/* Numbers of rows and of columns, also of those that a window sees beyond the image, are of 32 bits. */
static inline sat_status check_sides(const char *name, const sat_window *w)
{
    if (w->x.n <= INT32_MAX / 4 && w->y.n <= INT32_MAX / 4) return SAT_OK;
    return sat_fail(SAT_ERR_UNAVAILABLE, "%s: an image of %lldx%lld; sides below 2^29 are possible", name,
                    (long long)w->x.n, (long long)w->y.n);
}

/* Where samples beyond the image count nothing, windows need to reach no further than all of it.  Returns whether they
 * then reach beyond it by no more than its size, so that every position has one entry. */
static inline bool cut(sat_axis *a, bool counts_nothing)
{
    if (counts_nothing && a->before > a->n) a->before = a->n;
    if (counts_nothing && a->after > a->n) a->after = a->n;
    return a->before <= a->n && a->after <= a->n;
}

/* reach: the axis as it is cut; whole: as it was. */
static inline void fill_axis(axis *a, tables *t, const sat_axis *reach, const sat_axis *whole, int32_t lead)
{
    int32_t *beyond, *covered;
    *a = {.n = (int32_t)reach->n, .before = (int32_t)reach->before, .after = (int32_t)reach->after, .lead = lead};
    a->beyond = t->take((size_t)lead + (size_t)a->after + 1, &beyond);
    a->covered = t->take((size_t)a->n, &covered);
    if (t->host == NULL) return;
    for (int32_t i = 0; i < lead; i++) beyond[i] = (int32_t)sat_border_index(reach->border, i - lead, reach->n);
    for (int32_t i = 0; i <= a->after; i++)
        beyond[lead + i] = (int32_t)sat_border_index(reach->border, reach->n + i, reach->n);
    for (int32_t i = 0; i < a->n; i++) {
        sat_segment segments[SAT_SEGMENTS];
        int64_t count;
        (void)sat_axis_segments(whole, i, segments, &count);
        covered[i] = (int32_t)count;
    }
}

} // namespace box
#endif
