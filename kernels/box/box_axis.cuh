/* box_axis.cuh - the axes of a filter: how far windows reach; border indices and window sizes in device memory. */
#ifndef BOX_AXIS_CUH
#define BOX_AXIS_CUH

#include "prim/runtime.cuh"
#include "box_window.h"

namespace box
{

/* What errors begin with. */
constexpr char NAME[] = "box";

/* One axis of an image of n positions, and of windows that hold `before` and `after` positions around their own.
 * `border` holds the border index of each position of the halo (a column or row of the image; -1: none): `halo` entries
 * for the positions before the image, then those from n on. */
struct axis {
    int32_t n, before, after, halo;
    const int32_t *border;
    const int32_t *covered; /* for each position of the image: samples that its window holds */
};

PRIM_HOST_DEVICE int32_t side_of(const axis &a)
{
    return a.before + 1 + a.after;
}

/* Samples of the image in a window. */
PRIM_DEVICE uint32_t covered(const axis &a, int32_t at)
{
    const int32_t first = at < a.before ? 0 : at - a.before, end = at + a.after < a.n ? at + a.after + 1 : a.n;
    return (uint32_t)(end - first);
}

PRIM_DEVICE int32_t border_index(const axis &a, int32_t at)
{
    if (at >= 0 && at < a.n) return at;
    return prim::load(a.border + a.halo + (at < 0 ? at : at - a.n));
}

/* Arrays of one allocation of device memory, filled on the host.  In two passes: alloc() of each, to add up their
 * sizes; reserve(); alloc() of each again, and fill it; upload().  The device memory is the arena's. */
struct tables {
    sat_arena *arena;
    unsigned char *host, *device;
    size_t used;

    /* n values: their address in device memory, and on the host; both NULL before reserve(). */
    template <class T> const T *alloc(size_t n, T **here)
    {
        used = (used + 15) / 16 * 16;
        *here = host ? (T *)(host + used) : nullptr;
        const T *there = device ? (const T *)(device + used) : nullptr;
        used += n * sizeof(T);
        return there;
    }

    sat_status reserve()
    {
        const size_t bytes = used;
        used = 0;
        host = (unsigned char *)sat_arena_zeros(arena, bytes);
        return host ? prim::arena_alloc(arena, &device, bytes) : SAT_ERR_MEMORY;
    }

    sat_status upload()
    {
        sat_status status = prim::copy_rows(device, used, host, used, used, 1, NULL);
        if (status == SAT_OK) status = prim::stream_wait(NULL);
        sat_arena_free(arena, host);
        return status;
    }
};

/* Fills arrays and uploads them: fill(tables *) takes each with alloc(), and is called twice. */
template <class Fill> sat_status make_tables(sat_arena *arena, const Fill &fill)
{
    tables t = {.arena = arena};
    fill(&t);
    sat_status status = t.reserve();
    if (status != SAT_OK) return status;
    fill(&t);
    return t.upload();
}

/* Clips the reach of windows to the image's size, where samples outside count nothing.  Returns whether the halo is
 * then no larger than the image, so that each of its positions has one border index. */
static inline bool clip_axis(sat_axis *a, bool counts_nothing)
{
    if (counts_nothing && a->before > a->n) a->before = a->n;
    if (counts_nothing && a->after > a->n) a->after = a->n;
    return a->before <= a->n && a->after <= a->n;
}

/* The window's axes, so clipped; or SAT_ERR_UNAVAILABLE.  Indices of rows and columns have 32 bits, those of the halo
 * included. */
static inline sat_status clip_reach(const sat_box_window *w, bool counts_nothing, sat_axis *x, sat_axis *y)
{
    if (w->x.n > INT32_MAX / 4 || w->y.n > INT32_MAX / 4)
        return sat_fail(SAT_ERR_UNAVAILABLE, "%s: an image of %lldx%lld; sides below 2^29 are possible", NAME,
                        (long long)w->x.n, (long long)w->y.n);
    *x = w->x;
    *y = w->y;
    const bool near_x = clip_axis(x, counts_nothing), near_y = clip_axis(y, counts_nothing);
    if (near_x && near_y) return SAT_OK;
    return sat_fail(SAT_ERR_UNAVAILABLE, "%s: windows reach outside the image by more than its size", NAME);
}

/* reach: the axis after clip_reach(); whole: before. */
static inline void fill_axis(axis *a, tables *t, const sat_axis *reach, const sat_axis *whole, int32_t halo)
{
    int32_t *border, *covered;
    *a = {.n = (int32_t)reach->n, .before = (int32_t)reach->before, .after = (int32_t)reach->after, .halo = halo};
    a->border = t->alloc((size_t)halo + (size_t)a->after + 1, &border);
    a->covered = t->alloc((size_t)a->n, &covered);
    if (t->host == NULL) return;
    for (int32_t i = 0; i < halo; i++) border[i] = (int32_t)sat_border_index(reach->border, i - halo, reach->n);
    for (int32_t i = 0; i <= a->after; i++)
        border[halo + i] = (int32_t)sat_border_index(reach->border, reach->n + i, reach->n);
    for (int32_t i = 0; i < a->n; i++) {
        sat_segment segments[SAT_SEGMENTS];
        int64_t count;
        (void)sat_axis_segments(whole, i, segments, &count);
        covered[i] = (int32_t)count;
    }
}

} // namespace box
#endif
