/* shape.c - views, checked. */
#include "shape.h"
#include "backend.h"

size_t sat_row_bytes(int64_t width, int channels, sat_type type)
{
    size_t samples, bytes;
    if (width < 1 || width > SAT_MAX_SIDE || channels < 1 || channels > 4) return 0;
    if (!sat_mul((size_t)width, (size_t)channels, &samples) || !sat_mul(samples, sat_type_bytes(type), &bytes))
        return 0;
    return bytes;
}

/* Bytes from the first of a view to its last, both included; 0 on overflow. */
static size_t extent(const sat_view *view)
{
    size_t rows, bytes;
    if (!sat_mul((size_t)(view->height - 1), view->row_bytes, &rows)) return 0;
    if (__builtin_add_overflow(rows, sat_row_bytes(view->width, view->channels, view->type), &bytes)) return 0;
    return bytes <= PTRDIFF_MAX ? bytes : 0;
}

static bool sides_ok(int64_t width, int64_t height, int channels)
{
    return width >= 1 && height >= 1 && width <= SAT_MAX_SIDE && height <= SAT_MAX_SIDE && channels >= 1 &&
           channels <= 4;
}

sat_status sat_check_job(int64_t width, int64_t height, int channels, int threads)
{
    if (!sides_ok(width, height, channels))
        return sat_fail(SAT_ERR_SHAPE,
                        "an image of %lldx%lld with %d channels; sides from 1 to 2^40 and 1 to 4 channels are possible",
                        (long long)width, (long long)height, channels);
    if (threads < 0 || threads > SAT_MAX_THREADS)
        return sat_fail(SAT_ERR_ARGUMENT, "%d threads; 1 to %d are possible, or 0 for one on each core", threads,
                        SAT_MAX_THREADS);
    return SAT_OK;
}

sat_status sat_check_view(const sat_view *view, const char *what)
{
    if (view == NULL || view->data == NULL) return sat_fail(SAT_ERR_ARGUMENT, "%s: no data", what);
    if (view->memory != SAT_HOST && view->memory != SAT_DEVICE)
        return sat_fail(SAT_ERR_ARGUMENT, "%s: unknown kind of memory", what);
    size_t size = sat_type_bytes(view->type);
    if (size == 0) return sat_fail(SAT_ERR_ARGUMENT, "%s: unknown type", what);
    if (!sides_ok(view->width, view->height, view->channels))
        return sat_fail(SAT_ERR_SHAPE,
                        "%s: %lldx%lld with %d channels; sides from 1 to 2^40 and 1 to 4 channels are "
                        "possible",
                        what, (long long)view->width, (long long)view->height, view->channels);
    if (view->row_bytes < sat_row_bytes(view->width, view->channels, view->type))
        return sat_fail(SAT_ERR_SHAPE, "%s: %zu bytes from row to row are less than a row", what, view->row_bytes);
    if (extent(view) == 0) return sat_fail(SAT_ERR_SHAPE, "%s: larger than the address space", what);
    if (view->row_bytes % size != 0 || (uintptr_t)view->data % size != 0)
        return sat_fail(SAT_ERR_ARGUMENT, "%s: not aligned to its type", what);
    return SAT_OK;
}

sat_status sat_check_host_view(const sat_view *view, const char *what)
{
    if (view && view->memory == SAT_DEVICE)
        return sat_fail(SAT_ERR_UNAVAILABLE, "%s: lies in device memory; copy it to the host first (sat_device_copy)",
                        what);
    return sat_check_view(view, what);
}

bool sat_overlap(const sat_view *a, const sat_view *b)
{
    uintptr_t a0 = (uintptr_t)a->data, b0 = (uintptr_t)b->data;
    return a->memory == b->memory && a0 < b0 + extent(b) && b0 < a0 + extent(a);
}
