#include "row_sink.h"

#include <stdlib.h>

#include "codec.h"

/* How such an output is written by rows; NULL: it is not. */
static const row_writing *rows_to(const image_format *format, const sink *out)
{
    const row_writing *by = format->writes_rows;
    return by && by->upward && !sink_rewrites(out) ? NULL : by;
}

static bool begin_upward(row_sink *s, error *err)
{
    if (s->packed_bytes == 0) s->packed_bytes = s->head->row_bytes;
    return s->in_order || sink_reserve(s->out, s->packed_bytes * (uint64_t)s->head->height, err);
}

static bool begin_rows(row_sink *s, error *err)
{
    return s->by->begin(s, err) && (!s->by->upward || begin_upward(s, err));
}

bool row_sink_begin(row_sink *s, const image_format *format, const image *head, const encode_options *opt, sink *out,
                    error *err)
{
    *s = (row_sink){.format = format,
                    .head = head,
                    .opt = opt,
                    .out = out,
                    .by = rows_to(format, out),
                    .plane_bytes = head->row_bytes};
    if (s->by) return begin_rows(s, err);
    if (!image_alloc(&s->img, head->width, head->height, head->channels, head->type, err)) return false;
    s->img.bilevel = head->bilevel;
    return true;
}

/* Rows that are packed together. */
static int64_t part_rows(const row_writing *by, size_t packed_bytes, int64_t height)
{
    return by->upward ? image_cache_rows(packed_bytes, height) : 1;
}

static bool write_packed(row_sink *s, const uint8_t *rows, int64_t n, error *err)
{
    const bool upward = s->by->upward;
    const size_t stride = image_stride(s->head, s->plane_bytes);
    if (!s->pack && !upward) return sink_write(s->out, rows, (size_t)n * s->head->row_bytes, err);
    const int64_t most = part_rows(s->by, s->packed_bytes, s->head->height);
    if (!s->state && !(s->state = malloc((size_t)most * s->packed_bytes)))
        return fail_memory(err, "out of memory: a row of %zu bytes", s->packed_bytes);
    for (int64_t done = 0, k; done < n; done += k) {
        k = n - done < most ? n - done : most;
        const int64_t y = upward ? n - done - k : done;
        const size_t bytes = (size_t)k * s->packed_bytes;
        for (int64_t i = 0; i < k; i++) {
            const uint8_t *row = rows + (size_t)(y + i) * stride;
            uint8_t *to = (uint8_t *)s->state + (size_t)(upward ? k - 1 - i : i) * s->packed_bytes;
            if (s->pack)
                s->pack(s, row, to);
            else
                memcpy(to, row, s->packed_bytes);
        }
        const int64_t below = s->head->height - s->done - y - k;
        const uint64_t at = s->header_bytes + (uint64_t)below * s->packed_bytes;
        if (!(upward && !s->in_order ? sink_rewrite(s->out, at, s->state, bytes, err)
                                     : sink_write(s->out, s->state, bytes, err)))
            return false;
    }
    return true;
}

bool row_sink_write(row_sink *s, const void *rows, int64_t n, error *err)
{
    const row_writing *by = s->by;
    if (n > s->head->height - s->done) return fail(err, "more rows than the image has");
    bool ok = true;
    if (!by)
        memcpy(image_row(&s->img, s->done), rows, (size_t)n * s->head->row_bytes);
    else
        ok = (by->write ? by->write : write_packed)(s, rows, n, err);
    s->done += n;
    return ok;
}

bool row_sink_end(row_sink *s, error *err)
{
    const row_writing *by = s->by;
    if (s->done < s->head->height) return fail(err, "fewer rows than the image has");
    if (by) return !by->end || by->end(s, err);
    s->img.meta = s->head->meta;
    bool ok = s->format->encode(&s->img, s->opt, s->out, err);
    s->img.meta = (image_meta){0};
    return ok;
}

void row_sink_free(row_sink *s)
{
    if (s->by && s->by->free)
        s->by->free(s);
    else
        free(s->state);
    image_free(&s->img);
    *s = (row_sink){0};
}

enum { ROW_PADDING = 4 }; /* of packed rows */

uint64_t row_sink_bytes(const image_format *format, const image_shape *shape, const encode_options *opt,
                        const sink *out)
{
    uint64_t row = sat_row_bytes(shape->width, shape->channels, shape->type), all;
    if (shape->planes > 1) row *= (uint64_t)shape->planes;
    const row_writing *by = rows_to(format, out);
    if (!by) return __builtin_mul_overflow(row, (uint64_t)shape->height, &all) ? UINT64_MAX : all;
    return by->bytes ? by->bytes(shape, opt, out) : (uint64_t)part_rows(by, row, shape->height) * (row + ROW_PADDING);
}

bool rows_encode(const image_format *format, const image *img, const encode_options *opt, sink *out, error *err)
{
    row_sink s = {.format = format, .head = img, .opt = opt, .out = out, .by = format->writes_rows, .in_order = true};
    s.plane_bytes = img->row_bytes * (size_t)img->height;
    bool ok = begin_rows(&s, err);
    const int64_t all = img->height;
    int64_t rows = codec_part_rows(all);
    if (ok && s.step > 0) rows = (rows + s.step - 1) / s.step * s.step;
    for (int64_t y = 0; ok && y < all; y += rows) {
        if (rows > all - y) rows = all - y;
        ok = row_sink_write(&s, image_row(img, s.by->upward ? all - y - rows : y), rows, err);
        codec_progress(&opt->progress, (double)rows / (double)all);
    }
    ok = ok && row_sink_end(&s, err);
    row_sink_free(&s);
    return ok;
}
