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

/* The steps of a view: along its channels, pixels, rows and images. */
typedef struct steps {
    int64_t n[4];
    ptrdiff_t bytes[4];
} steps;
enum { STEPS = 4 };

static steps steps_of(const sat_view *v)
{
    return (steps){{v->channels - 1, v->width - 1, v->height - 1, v->count - 1},
                   {v->channel_bytes, v->pixel_bytes, v->row_bytes, v->image_bytes}};
}

/* Bytes [low, high) around the first sample.  False if they overflow. */
typedef struct span {
    ptrdiff_t low, high;
} span;

static bool find_span(const sat_view *v, span *s)
{
    const steps all = steps_of(v);
    *s = (span){0, (ptrdiff_t)sat_type_bytes(v->type)};
    for (int i = 0; i < STEPS; i++) {
        ptrdiff_t bytes, *end = all.bytes[i] < 0 ? &s->low : &s->high;
        if (__builtin_mul_overflow(all.n[i], all.bytes[i], &bytes) || __builtin_add_overflow(*end, bytes, end))
            return false;
    }
    ptrdiff_t extent;
    return !__builtin_sub_overflow(s->high, s->low, &extent);
}

/* Is the address of each byte a number? */
static bool has_addresses(const sat_view *v, const span *s)
{
    const uintptr_t data = (uintptr_t)v->data;
    return data >= (uintptr_t)-s->low && data <= UINTPTR_MAX - (uintptr_t)s->high;
}

static sat_status check_sides(const char *what, int64_t width, int64_t height, int channels)
{
    if (width >= 1 && height >= 1 && width <= SAT_MAX_SIDE && height <= SAT_MAX_SIDE && channels >= 1 && channels <= 4)
        return SAT_OK;
    return sat_fail(SAT_ERR_SHAPE,
                    "%s: shape (%lld, %lld, %d), height x width x channels; sides from 1 to 2^40 and 1 to 4 channels "
                    "are possible",
                    what, (long long)height, (long long)width, channels);
}

sat_status sat_check_threads(int threads)
{
    if (threads >= 0 && threads <= SAT_MAX_THREADS) return SAT_OK;
    return sat_fail(SAT_ERR_ARGUMENT, "%d threads; 1 to %d are possible, or 0 for one on each core", threads,
                    SAT_MAX_THREADS);
}

sat_status sat_check_job(int64_t width, int64_t height, int64_t count, int channels, int threads)
{
    const sat_status status = check_sides("image", width, height, channels);
    if (status == SAT_OK && (count < 1 || count > SAT_MAX_SIDE))
        return sat_fail(SAT_ERR_SHAPE, "%lld images; 1 to 2^40 are possible", (long long)count);
    return status == SAT_OK ? sat_check_threads(threads) : status;
}

sat_status sat_check_images(int64_t width, int64_t height, int64_t count, int channels, sat_type type)
{
    size_t bytes = sat_row_bytes(width, channels, type);
    if (sat_mul(bytes, (size_t)height, &bytes) && sat_mul(bytes, (size_t)count, &bytes) && bytes <= PTRDIFF_MAX)
        return SAT_OK;
    return sat_fail(SAT_ERR_SHAPE, "%lld images of shape (%lld, %lld) are larger than the address space",
                    (long long)count, (long long)height, (long long)width);
}

static sat_status check(const sat_view *v, const char *what)
{
    size_t size = sat_type_bytes(v->type);
    if (v->memory != SAT_HOST && v->memory != SAT_DEVICE)
        return sat_fail(SAT_ERR_ARGUMENT, "%s: unknown kind of memory", what);
    if (size == 0) return sat_fail(SAT_ERR_ARGUMENT, "%s: unknown type", what);
    if (v->reserved != 0 || v->reserved_words[0] != 0 || v->reserved_words[1] != 0)
        return sat_fail(SAT_ERR_ARGUMENT, "%s: a reserved member is not 0; zero a view before its members are set",
                        what);
    if (v->count < 0 || v->count > SAT_MAX_SIDE)
        return sat_fail(SAT_ERR_SHAPE, "%s: %lld images; 1 to 2^40 are possible", what, (long long)v->count);
    return check_sides(what, v->width, v->height, v->channels);
}

/* n times the magnitude of a stride. */
static bool whole(int64_t n, ptrdiff_t bytes, ptrdiff_t *all)
{
    if (bytes == PTRDIFF_MIN) return false;
    return !__builtin_mul_overflow(n, bytes < 0 ? -bytes : bytes, all);
}

/* Fills in the strides that are zero, and those that no step takes; false if they overflow. */
static bool complete(sat_view *v)
{
    const ptrdiff_t size = (ptrdiff_t)sat_type_bytes(v->type), pixel = v->channels * size;
    ptrdiff_t row;
    if (v->count == 0) v->count = 1;
    if (v->channel_bytes == 0 || v->channels == 1) v->channel_bytes = size;
    if (v->pixel_bytes == 0 || v->width == 1) v->pixel_bytes = pixel;
    if (!whole(v->width, v->pixel_bytes, &row)) return false;
    if (v->row_bytes == 0) v->row_bytes = row;
    if (v->count > 1 && v->image_bytes == 0 && !whole(v->height, v->row_bytes, &v->image_bytes)) return false;
    if (v->height == 1) v->row_bytes = row;
    return v->count > 1 || whole(v->height, v->row_bytes, &v->image_bytes);
}

/* Checks the strides of a view whose data may be set later. */
static sat_status take_strides(sat_view *v, const char *what)
{
    span s;
    if (!complete(v) || !find_span(v, &s)) return sat_fail(SAT_ERR_SHAPE, "%s: larger than the address space", what);
    const ptrdiff_t size = (ptrdiff_t)sat_type_bytes(v->type);
    if (v->channel_bytes % size || v->pixel_bytes % size || v->row_bytes % size || v->image_bytes % size)
        return sat_fail(SAT_ERR_ARGUMENT, "%s: strides that are no multiples of its type's %d bytes", what, (int)size);
    return SAT_OK;
}

/* Each stride steps over all that the smaller ones reach; then no two samples share a byte. */
sat_status sat_check_apart(const sat_view *v, const char *what)
{
    static const char *const names[STEPS] = {"channel", "pixel", "row", "image"};
    const steps all = steps_of(v);
    ptrdiff_t extent = (ptrdiff_t)sat_type_bytes(v->type);
    bool done[STEPS] = {false};
    for (int k = 0; k < STEPS; k++) {
        int least = -1;
        for (int i = 0; i < STEPS; i++)
            if (!done[i] && all.n[i] > 0 && (least < 0 || labs(all.bytes[i]) < labs(all.bytes[least]))) least = i;
        if (least < 0) break;
        const ptrdiff_t bytes = labs(all.bytes[least]);
        if (bytes < extent)
            return sat_fail(SAT_ERR_SHAPE, "%s: samples share bytes, or may: %td bytes from %s to %s", what,
                            all.bytes[least], names[least], names[least]);
        extent += all.n[least] * bytes;
        done[least] = true;
    }
    return SAT_OK;
}

sat_status sat_take_view(sat_view *view, const sat_view *given, const char *what)
{
    if (given == NULL || given->data == NULL) return sat_fail(SAT_ERR_ARGUMENT, "%s: no data", what);
    sat_view v = *given;
    span s;
    sat_status status = check(&v, what);
    if (status == SAT_OK) status = take_strides(&v, what);
    if (status != SAT_OK) return status;
    if (!find_span(&v, &s) || !has_addresses(&v, &s))
        return sat_fail(SAT_ERR_SHAPE, "%s: larger than the address space", what);
    if ((uintptr_t)v.data % sat_type_bytes(v.type) != 0)
        return sat_fail(SAT_ERR_ARGUMENT, "%s: data that is not aligned to its type's %zu bytes", what,
                        sat_type_bytes(v.type));
    *view = v;
    return SAT_OK;
}

bool sat_is_plain(const sat_view *v)
{
    const ptrdiff_t least = (v->width - 1) * v->pixel_bytes; /* less than a row */
    return !sat_has_gaps(v) && v->row_bytes > least && (v->count == 1 || v->image_bytes > least);
}

sat_status sat_check_strides(const sat_view *view, bool strided, const char *what)
{
    if (view->memory == SAT_HOST || strided || sat_is_plain(view)) return SAT_OK;
    return sat_fail(
        SAT_ERR_ARGUMENT,
        "%s: in device memory with gaps between its samples, or with rows or images in reverse; only what is "
        "made with `strided` has the memory to gather it",
        what);
}

sat_status sat_take_output(sat_view *view, const sat_view *given, const char *what)
{
    sat_status status = sat_take_view(view, given, what);
    if (status == SAT_OK) status = sat_check_apart(view, what);
    if (status == SAT_OK && view->memory == SAT_DEVICE && !sat_is_plain(view))
        status = sat_fail(SAT_ERR_ARGUMENT, "%s: what is written in device memory has rows top to bottom, without gaps",
                          what);
    return status;
}

char *sat_lowest(const sat_view *view)
{
    span s = {0};
    (void)find_span(view, &s);
    return (char *)view->data + s.low;
}

size_t sat_extent(const sat_view *view)
{
    span s;
    return find_span(view, &s) ? (size_t)(s.high - s.low) : 0;
}

/* Do [a, a + n) and [b, b + m), repeated every `period` bytes, stay apart? */
static bool apart(uintptr_t a, size_t n, uintptr_t b, size_t m, size_t period)
{
    if (period == 0 || n > period || m > period) return false;
    size_t from_a = b % period >= a % period ? b % period - a % period : b % period + (period - a % period);
    return from_a >= n && period - from_a >= m;
}

/* The bytes of a period in which the view may have some: strides that are multiples of it lead to the same place. */
static span span_in(const sat_view *v, ptrdiff_t period)
{
    const steps all = steps_of(v);
    span s = {0, (ptrdiff_t)sat_type_bytes(v->type)};
    for (int i = 0; i < STEPS; i++) {
        if (all.n[i] == 0 || all.bytes[i] % period == 0) continue;
        if (all.bytes[i] < 0)
            s.low += all.n[i] * all.bytes[i];
        else
            s.high += all.n[i] * all.bytes[i];
    }
    return s;
}

static bool apart_in(const sat_view *a, const sat_view *b, ptrdiff_t stride)
{
    const ptrdiff_t period = labs(stride);
    const span in_a = span_in(a, period), in_b = span_in(b, period);
    return apart((uintptr_t)a->data + (uintptr_t)in_a.low, (size_t)(in_a.high - in_a.low),
                 (uintptr_t)b->data + (uintptr_t)in_b.low, (size_t)(in_b.high - in_b.low), (size_t)period);
}

bool sat_overlap(const sat_view *a, const sat_view *b)
{
    const uintptr_t a0 = (uintptr_t)sat_lowest(a), b0 = (uintptr_t)sat_lowest(b);
    if (a->memory != b->memory || a0 >= b0 + sat_extent(b) || b0 >= a0 + sat_extent(a)) return false;
    const steps of_a = steps_of(a), of_b = steps_of(b);
    for (int i = 0; i < STEPS; i++)
        if ((of_a.n[i] > 0 && apart_in(a, b, of_a.bytes[i])) || (of_b.n[i] > 0 && apart_in(a, b, of_b.bytes[i])))
            return false;
    return true;
}

sat_view sat_packed_view(int64_t width, int64_t height, int64_t count, int channels, sat_type type, sat_memory memory)
{
    sat_view v = {.width = width, .height = height, .count = count, .channels = channels, .type = type};
    v.memory = memory;
    if (!complete(&v)) v.row_bytes = PTRDIFF_MIN; /* its extent overflows, too */
    return v;
}

sat_view sat_images_of(const sat_view *view, int64_t first, int64_t count)
{
    sat_view v = *view;
    v.data = (char *)view->data + first * view->image_bytes;
    v.count = count;
    return v;
}

sat_view sat_rows_of(const sat_view *view, int64_t first, int64_t rows)
{
    sat_view v = *view;
    v.data = (char *)view->data + first * view->row_bytes;
    v.height = rows;
    return v;
}

sat_view sat_columns_of(const sat_view *view, int64_t first, int64_t columns)
{
    sat_view v = *view;
    v.data = (char *)view->data + first * view->pixel_bytes;
    v.width = columns;
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
    sat_view v = *view;
    span s = {0};
    void *lowest;
    sat_status status = check(&v, "view");
    if (status == SAT_OK) status = take_strides(&v, "view");
    if (status == SAT_OK) status = sat_check_apart(&v, "view");
    if (status != SAT_OK) return status;
    const size_t bytes = find_span(&v, &s) ? (size_t)(s.high - s.low) : 0;
    if (v.memory == SAT_DEVICE) {
        status = sat_device_alloc(&lowest, bytes);
    } else if (posix_memalign(&lowest, 64, bytes) != 0) {
        status = sat_fail(SAT_ERR_MEMORY, "a view of %zu bytes could not be allocated", bytes);
    }
    if (status != SAT_OK) return status;
    *view = v;
    view->data = (char *)lowest - s.low;
    return SAT_OK;
}

void sat_view_free(sat_view *view)
{
    if (view == NULL || view->data == NULL) return;
    sat_view v = *view;
    void *lowest = complete(&v) ? sat_lowest(&v) : v.data;
    if (view->memory == SAT_DEVICE)
        sat_device_free(lowest);
    else
        free(lowest);
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
