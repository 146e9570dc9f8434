/* shape.c - views, checked. */
#include <stdlib.h>

#include "status.h"
#include "shape.h"

size_t sat_row_bytes(int64_t width, int channels, sat_type type)
{
    size_t samples, bytes;
    if (width < 1 || width > SAT_MAX_SIDE || channels < 1 || channels > 4) return 0;
    if (!sat_mul((size_t)width, (size_t)channels, &samples) || !sat_mul(samples, sat_type_bytes(type), &bytes))
        return 0;
    return bytes;
}

/* Bytes of the first row, from its first to its last; 0 on overflow. */
static size_t row_extent(const sat_view *v)
{
    size_t pixels, bytes;
    if (!sat_mul((size_t)(v->width - 1), v->pixel_bytes, &pixels)) return 0;
    if (__builtin_add_overflow(pixels, (size_t)v->channels * sat_type_bytes(v->type), &bytes)) return 0;
    return bytes;
}

/* The same of the first image. */
static size_t extent_of_image(const sat_view *v)
{
    size_t rows, bytes, row = row_extent(v);
    if (row == 0 || !sat_mul((size_t)(v->height - 1), v->row_bytes, &rows)) return 0;
    return __builtin_add_overflow(rows, row, &bytes) ? 0 : bytes;
}

/* The same of all images. */
static size_t extent(const sat_view *v)
{
    size_t images, bytes, image = extent_of_image(v);
    if (image == 0 || !sat_mul((size_t)(v->count - 1), v->image_bytes, &images)) return 0;
    if (__builtin_add_overflow(images, image, &bytes)) return 0;
    return bytes <= PTRDIFF_MAX ? bytes : 0;
}

static bool sides_ok(int64_t width, int64_t height, int channels)
{
    return width >= 1 && height >= 1 && width <= SAT_MAX_SIDE && height <= SAT_MAX_SIDE && channels >= 1 &&
           channels <= 4;
}

sat_status sat_check_job(int64_t width, int64_t height, int64_t count, int channels, int threads)
{
    if (!sides_ok(width, height, channels))
        return sat_fail(
            SAT_ERR_SHAPE,
            "an image of shape (%lld, %lld, %d), height x width x channels; sides from 1 to 2^40 and 1 to 4 "
            "channels are possible",
            (long long)height, (long long)width, channels);
    if (count < 1 || count > SAT_MAX_SIDE)
        return sat_fail(SAT_ERR_SHAPE, "%lld images; 1 to 2^40 are possible", (long long)count);
    if (threads < 0 || threads > SAT_MAX_THREADS)
        return sat_fail(SAT_ERR_ARGUMENT, "%d threads; 1 to %d are possible, or 0 for one on each core", threads,
                        SAT_MAX_THREADS);
    return SAT_OK;
}

static sat_status check(const sat_view *v, const char *what)
{
    size_t size = sat_type_bytes(v->type);
    if (v->memory != SAT_HOST && v->memory != SAT_DEVICE)
        return sat_fail(SAT_ERR_ARGUMENT, "%s: unknown kind of memory", what);
    if (size == 0) return sat_fail(SAT_ERR_ARGUMENT, "%s: unknown type", what);
    if (v->reserved != 0) return sat_fail(SAT_ERR_ARGUMENT, "%s: the reserved member is not 0", what);
    if (!sides_ok(v->width, v->height, v->channels))
        return sat_fail(
            SAT_ERR_SHAPE,
            "%s: shape (%lld, %lld, %d), height x width x channels; sides from 1 to 2^40 and 1 to 4 channels "
            "are possible",
            what, (long long)v->height, (long long)v->width, v->channels);
    if (v->count < 0 || v->count > SAT_MAX_SIDE)
        return sat_fail(SAT_ERR_SHAPE, "%s: %lld images; 1 to 2^40 are possible", what, (long long)v->count);
    return SAT_OK;
}

/* Fills in the strides that are zero; false if they overflow. */
static bool complete(sat_view *v)
{
    if (v->count == 0) v->count = 1;
    if (v->pixel_bytes == 0) v->pixel_bytes = (size_t)v->channels * sat_type_bytes(v->type);
    return v->image_bytes != 0 || v->count == 1 || sat_mul((size_t)v->height, v->row_bytes, &v->image_bytes);
}

sat_status sat_take_view(sat_view *view, const sat_view *given, const char *what)
{
    if (given == NULL || given->data == NULL) return sat_fail(SAT_ERR_ARGUMENT, "%s: no data", what);
    sat_view v = *given;
    sat_status status = check(&v, what);
    if (status != SAT_OK) return status;
    size_t size = sat_type_bytes(v.type);
    if (!complete(&v)) return sat_fail(SAT_ERR_SHAPE, "%s: larger than the address space", what);
    if (v.pixel_bytes < (size_t)v.channels * size)
        return sat_fail(SAT_ERR_SHAPE, "%s: %zu bytes from pixel to pixel are less than a pixel", what, v.pixel_bytes);
    if (row_extent(&v) == 0 || v.row_bytes < row_extent(&v))
        return sat_fail(SAT_ERR_SHAPE, "%s: %zu bytes from row to row are less than a row", what, v.row_bytes);
    if (extent(&v) == 0) return sat_fail(SAT_ERR_SHAPE, "%s: larger than the address space", what);
    if ((v.pixel_bytes | v.row_bytes | v.image_bytes | (uintptr_t)v.data) % size != 0)
        return sat_fail(SAT_ERR_ARGUMENT, "%s: not aligned to its type", what);
    *view = v;
    return SAT_OK;
}

sat_status sat_take_output(sat_view *view, const sat_view *given, const char *what)
{
    sat_status status = sat_take_view(view, given, what);
    if (status != SAT_OK) return status;
    if (sat_has_gaps(view))
        return sat_fail(SAT_ERR_ARGUMENT, "%s: gaps between pixels; what is written has none", what);
    /* Images one after the other, or side by side in each row. */
    const size_t row = row_extent(view);
    bool apart = view->count == 1 || view->image_bytes >= extent_of_image(view) ||
                 (view->image_bytes >= row && (view->row_bytes - row) / (size_t)(view->count - 1) >= view->image_bytes);
    return apart ? SAT_OK
                 : sat_fail(SAT_ERR_SHAPE, "%s: images that lie %zu bytes apart share bytes, or may", what,
                            view->image_bytes);
}

size_t sat_extent(const sat_view *view)
{
    return extent(view);
}

/* Do [a, a + n) and [b, b + m), repeated every `period` bytes, stay apart? */
static bool apart(uintptr_t a, size_t n, uintptr_t b, size_t m, size_t period)
{
    if (period == 0 || n > period || m > period) return false;
    size_t from_a = b % period >= a % period ? b % period - a % period : b % period + (period - a % period);
    return from_a >= n && period - from_a >= m;
}

/* Bytes of a period in which the view may have some: strides that are multiples of it lead to the same place. */
static size_t extent_in(const sat_view *v, size_t period)
{
    size_t bytes = (size_t)v->channels * sat_type_bytes(v->type);
    if (v->pixel_bytes % period != 0) bytes += (size_t)(v->width - 1) * v->pixel_bytes;
    if (v->height > 1 && v->row_bytes % period != 0) bytes += (size_t)(v->height - 1) * v->row_bytes;
    if (v->count > 1 && v->image_bytes % period != 0) bytes += (size_t)(v->count - 1) * v->image_bytes;
    return bytes;
}

bool sat_overlap(const sat_view *a, const sat_view *b)
{
    uintptr_t a0 = (uintptr_t)a->data, b0 = (uintptr_t)b->data;
    if (a->memory != b->memory || a0 >= b0 + extent(b) || b0 >= a0 + extent(a)) return false;
    const size_t periods[] = {a->pixel_bytes, a->row_bytes, a->count > 1 ? a->image_bytes : 0,
                              b->pixel_bytes, b->row_bytes, b->count > 1 ? b->image_bytes : 0};
    for (size_t i = 0; i < sizeof periods / sizeof *periods; i++)
        if (periods[i] && apart(a0, extent_in(a, periods[i]), b0, extent_in(b, periods[i]), periods[i])) return false;
    return true;
}

sat_view sat_packed_view(int64_t width, int64_t height, int64_t count, int channels, sat_type type, sat_memory memory)
{
    sat_view v = {.width = width, .height = height, .count = count, .channels = channels, .type = type};
    v.memory = memory;
    v.row_bytes = sat_row_bytes(width, channels, type);
    (void)complete(&v);
    return v;
}

sat_view sat_images_of(const sat_view *view, int64_t first, int64_t count)
{
    sat_view v = *view;
    v.data = (char *)view->data + (size_t)first * view->image_bytes;
    v.count = count;
    return v;
}

sat_view sat_rows_of(const sat_view *view, int64_t first, int64_t rows)
{
    sat_view v = *view;
    v.data = (char *)view->data + (size_t)first * view->row_bytes;
    v.height = rows;
    return v;
}

sat_view sat_view_image(const sat_view *view, int64_t i)
{
    sat_view v = {0};
    if (view == NULL) return v;
    v = *view;
    if (!complete(&v) || i < 0 || i >= v.count || v.data == NULL) {
        v.data = NULL;
        return v;
    }
    return sat_images_of(&v, i, 1);
}

sat_status sat_view_alloc(sat_view *view)
{
    if (view == NULL) return sat_fail(SAT_ERR_ARGUMENT, "no view");
    view->data = NULL;
    sat_view v = *view, checked = {.count = 1};
    sat_status status = check(&v, "view");
    if (status != SAT_OK) return status;
    if (v.pixel_bytes == 0) v.pixel_bytes = (size_t)v.channels * sat_type_bytes(v.type);
    if (v.row_bytes == 0 && !sat_mul((size_t)v.width, v.pixel_bytes, &v.row_bytes)) v.row_bytes = 0;
    if (v.image_bytes == 0 && !sat_mul((size_t)v.height, v.row_bytes, &v.image_bytes)) v.image_bytes = 0;
    v.data = (void *)(uintptr_t)64; /* stands for the memory that is to come */
    status = sat_take_view(&checked, &v, "view");
    if (status != SAT_OK) return status;
    size_t bytes = extent(&checked);
    if (v.memory == SAT_DEVICE) {
        status = sat_device_alloc(&checked.data, bytes);
    } else if (posix_memalign(&checked.data, 64, bytes) != 0) {
        status = sat_fail(SAT_ERR_MEMORY, "a view of %zu bytes could not be allocated", bytes);
    }
    if (status == SAT_OK) *view = checked;
    return status;
}

void sat_view_free(sat_view *view)
{
    if (view == NULL || view->data == NULL) return;
    if (view->memory == SAT_DEVICE)
        sat_device_free(view->data);
    else
        free(view->data);
    view->data = NULL;
}

static const char *memory_name(sat_memory memory)
{
    return memory == SAT_HOST ? "host" : "device";
}

sat_status sat_check_fit(const sat_view *v, const sat_view *made, const char *what, const char *object)
{
    if (v->memory != made->memory)
        return sat_fail(SAT_ERR_ARGUMENT, "%s: in %s memory where the %s has %s memory", what, memory_name(v->memory),
                        object, memory_name(made->memory));
    if (v->width != made->width || v->height != made->height || v->channels != made->channels)
        return sat_fail(SAT_ERR_SHAPE, "%s: shape (%lld, %lld, %d) where the %s has (%lld, %lld, %d)", what,
                        (long long)v->height, (long long)v->width, v->channels, object, (long long)made->height,
                        (long long)made->width, made->channels);
    if (v->count > made->count)
        return sat_fail(SAT_ERR_SHAPE, "%s: %lld images, more than the %s's %lld", what, (long long)v->count, object,
                        (long long)made->count);
    if (v->type != made->type)
        return sat_fail(SAT_ERR_TYPE, "%s: type %s where the %s has %s", what, sat_type_name(v->type), object,
                        sat_type_name(made->type));
    return SAT_OK;
}
