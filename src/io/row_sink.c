#include "row_sink.h"

#include <stdlib.h>

#include "codec.h"

bool row_sink_begin(row_sink *s, const image_format *format, const image *head, const encode_options *opt, sink *out,
                    error *err)
{
    *s = (row_sink){.format = format, .head = head, .opt = opt, .out = out};
    if (format->writes_rows) return format->writes_rows->begin(s, err);
    if (!image_alloc(&s->img, head->width, head->height, head->channels, head->type, err)) return false;
    s->img.bilevel = head->bilevel;
    return true;
}

static bool write_packed(row_sink *s, const uint8_t *rows, int64_t n, error *err)
{
    if (!s->pack) return sink_write(s->out, rows, (size_t)n * s->head->row_bytes, err);
    if (!s->state && !(s->state = malloc(s->packed_bytes)))
        return fail_memory(err, "out of memory: a row of %zu bytes", s->packed_bytes);
    bool ok = true;
    for (int64_t y = 0; ok && y < n; y++, rows += s->head->row_bytes) {
        s->pack(s, rows, s->state);
        ok = sink_write(s->out, s->state, s->packed_bytes, err);
    }
    return ok;
}

/* Those of all planes. */
static int64_t rows_of(const image *head)
{
    return head->height * image_planes(head);
}

bool row_sink_write(row_sink *s, const void *rows, int64_t n, error *err)
{
    const row_writing *by = s->format->writes_rows;
    if (n > rows_of(s->head) - s->done) return fail(err, "more rows than the image has");
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
    const row_writing *by = s->format->writes_rows;
    if (s->done < rows_of(s->head)) return fail(err, "fewer rows than the image has");
    if (by) return !by->end || by->end(s, err);
    s->img.meta = s->head->meta;
    bool ok = s->format->encode(&s->img, s->opt, s->out, err);
    s->img.meta = (image_meta){0};
    return ok;
}

void row_sink_free(row_sink *s)
{
    if (s->format && s->format->writes_rows && s->format->writes_rows->free)
        s->format->writes_rows->free(s);
    else
        free(s->state);
    image_free(&s->img);
    *s = (row_sink){0};
}

uint64_t row_sink_bytes(const image_format *format, const image_shape *shape, const encode_options *opt,
                        const sink *out)
{
    uint64_t row = sat_row_bytes(shape->width, shape->channels, shape->type), all;
    if (!format->writes_rows) return __builtin_mul_overflow(row, (uint64_t)shape->height, &all) ? UINT64_MAX : all;
    return format->writes_rows->bytes ? format->writes_rows->bytes(shape, opt, out) : row;
}

bool rows_encode(const image_format *format, const image *img, const encode_options *opt, sink *out, error *err)
{
    row_sink s;
    bool ok = row_sink_begin(&s, format, img, opt, out, err);
    const int64_t all = rows_of(img);
    int64_t rows = codec_part_rows(all);
    if (ok && s.step > 0) rows = (rows + s.step - 1) / s.step * s.step;
    for (int64_t y = 0; ok && y < all; y += rows) {
        if (rows > all - y) rows = all - y;
        ok = row_sink_write(&s, image_row(img, y), rows, err);
        codec_progress(&opt->progress, (double)rows / (double)all);
    }
    ok = ok && row_sink_end(&s, err);
    row_sink_free(&s);
    return ok;
}
