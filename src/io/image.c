#include "image.h"

#include <stdlib.h>
#include <string.h>

#include "memory.h"

static bool alloc(image *img, int64_t width, int64_t height, int channels, int planes, sat_type type, error *err)
{
    *img = (image){0};
    size_t row_bytes = width < 1 || height < 1 ? 0 : sat_row_bytes(width, channels, type);
    size_t bytes;
    if (row_bytes == 0 || __builtin_mul_overflow(row_bytes, (size_t)height, &bytes) ||
        __builtin_mul_overflow(bytes, (size_t)planes, &bytes) || bytes > PTRDIFF_MAX) {
        return fail(err, "an image of %lldx%lld with %d channels of %s cannot be addressed", (long long)width,
                    (long long)height, channels * planes, sat_type_name(type));
    }
    if (!memory_allows(bytes, "pixels", err)) return false;
    void *data = memory_allocate(bytes);
    if (!data) return fail(err, "out of memory: the image needs %zu MiB", (bytes >> 20) + 1);
    *img = (image){.width = width,
                   .height = height,
                   .channels = channels,
                   .planes = planes,
                   .type = type,
                   .row_bytes = row_bytes,
                   .data = data};
    return true;
}

bool image_alloc(image *img, int64_t width, int64_t height, int channels, sat_type type, error *err)
{
    return alloc(img, width, height, channels, 1, type, err);
}

bool image_alloc_planes(image *img, int64_t width, int64_t height, int planes, sat_type type, error *err)
{
    return alloc(img, width, height, 1, planes, type, err);
}

bool image_alloc_like(image *img, const image *as, int channels, sat_type type, error *err)
{
    return alloc(img, as->width, as->height, channels, image_planes(as), type, err);
}

bool view_alloc(sat_view *view, const char *what, error *err)
{
    char text[32];
    size_t bytes;
    view->row_bytes = (ptrdiff_t)sat_row_bytes(view->width, view->channels, view->type);
    if (view->row_bytes <= 0 || __builtin_mul_overflow(view->row_bytes, (size_t)view->height, &bytes) ||
        __builtin_mul_overflow(bytes, (size_t)(view->count ? view->count : 1), &bytes) || bytes > PTRDIFF_MAX)
        return fail(err, "%s would not fit any memory", what);
    view->data = memory_allocate(bytes);
    return view->data || fail(err, "%s needs %s, which could not be allocated", what, size_text(text, (double)bytes));
}

bool meta_append(image_meta *meta, meta_kind kind, const uint8_t *bytes, size_t n, error *err)
{
    meta_block *b = &meta->blocks[kind];
    if (n == 0 || n > META_MOST_BYTES || b->n > META_MOST_BYTES - n) return true;
    uint8_t *grown = realloc(b->bytes, b->n + n);
    if (!grown) return fail(err, "out of memory: metadata of %zu bytes", b->n + n);
    memcpy(grown + b->n, bytes, n);
    b->bytes = grown;
    b->n += n;
    return true;
}

void meta_free(image_meta *meta)
{
    free(meta->icc);
    for (int i = 0; i < META_KINDS; i++) free(meta->blocks[i].bytes);
    *meta = (image_meta){0};
}

void image_free(image *img)
{
    free(img->data);
    meta_free(&img->meta);
    *img = (image){0};
}

void image_exchange(image *a, image *b)
{
    const image was = *a;
    a->type = b->type, a->channels = b->channels, a->row_bytes = b->row_bytes, a->data = b->data;
    b->type = was.type, b->channels = was.channels, b->row_bytes = was.row_bytes, b->data = was.data;
}

sat_view image_view(const image *img)
{
    return (sat_view){.data = img->data,
                      .row_bytes = (ptrdiff_t)img->row_bytes,
                      .width = img->width,
                      .height = img->height,
                      .channels = img->channels,
                      .type = img->type,
                      .memory = SAT_HOST,
                      .count = image_planes(img),
                      .image_bytes = (ptrdiff_t)(img->row_bytes * (size_t)img->height)};
}

sat_view image_lines_view(const image *img)
{
    sat_view v = image_view(img);
    v.row_bytes = (ptrdiff_t)image_line_bytes(img);
    v.image_bytes = (ptrdiff_t)img->row_bytes;
    return v;
}

sat_view image_channels_view(const image *img, int first, int channels)
{
    sat_view v = image_view(img);
    v.pixel_bytes = img->channels * (ptrdiff_t)sat_type_bytes(img->type);
    v.data = (char *)v.data + (size_t)first * sat_type_bytes(img->type);
    v.channels = channels;
    return v;
}

sat_view image_rows_view(const image *img, int64_t y, int64_t rows)
{
    sat_view v = image_view(img);
    v.data = (char *)v.data + y * v.row_bytes;
    v.height = rows;
    return v;
}

void view_repeat_first(const sat_view *v)
{
    for (int64_t y = 0; y < v->height; y++) {
        char *row = (char *)v->data + y * v->row_bytes;
        for (int64_t k = 1; k < v->count; k++) memcpy(row + k * v->image_bytes, row, (size_t)v->width);
    }
}

#define ANY_ZERO(type)                                                                                                 \
    for (int64_t x = 0; x < img->width; x++) any |= ((const type *)at)[(x + 1) * img->channels - 1] == 0;
bool image_is_transparent(const image *img, int64_t y, int64_t rows)
{
    bool any = false;
    for (; rows > 0 && !any; rows--, y++) {
        const void *at = (const char *)img->data + (size_t)y * img->row_bytes;
        switch (img->type) {
        case SAT_U8:
        case SAT_I8: ANY_ZERO(uint8_t) break;
        case SAT_U16:
        case SAT_I16: ANY_ZERO(uint16_t) break;
        case SAT_F32: ANY_ZERO(float) break;
        case SAT_F64: ANY_ZERO(double) break;
        default: ANY_ZERO(uint32_t)
        }
    }
    return any;
}
#undef ANY_ZERO

void image_set(image *img, int64_t i, double value)
{
    if (img->type == SAT_F64)
        ((double *)img->data)[i] = value;
    else
        ((float *)img->data)[i] = (float)value;
}
