#include "codec.h"

#include <stdio.h>
#include <stdlib.h>

const decode_options codec_any_size = {.max_pixels = INT64_MAX};

bool codec_size_ok(int64_t width, int64_t height, const decode_options *opt, error *err)
{
    if (width < 1 || height < 1) {
        return fail(err, "corrupt: an image of %lldx%lld pixels", (long long)width, (long long)height);
    }
    int64_t pixels;
    if (__builtin_mul_overflow(width, height, &pixels)) {
        return fail(err, "corrupt: an image of %lldx%lld pixels", (long long)width, (long long)height);
    }
    if (pixels > opt->max_pixels) {
        return fail(err, "%lldx%lld is %lld pixels, more than --max-pixels %lld", (long long)width, (long long)height,
                    (long long)pixels, (long long)opt->max_pixels);
    }
    return true;
}

bool codec_too_long(const char *format, uint64_t n, error *err)
{
    return fail(err, "no end of the %s in %llu MiB, more than is read of a stream; try it as a file", format,
                (unsigned long long)(n >> 20));
}

bool codec_cannot_hold(const char *format, const char *samples, sat_type type, error *err)
{
    return fail(err, "%s holds %s samples, not %s", format, samples, sat_type_name(type));
}

bool codec_more_follows(uint64_t at, error *err)
{
    return fail(err,
                "the picture ends at byte %llu, and more follows; only one picture can be read from a file or stream",
                (unsigned long long)at);
}

bool codec_write_rows(const image *img, const io_progress *progress, sink *out, error *err)
{
    bool ok = true;
    int64_t rows = codec_part_rows(img->height);
    for (int64_t y = 0; ok && y < img->height; y += rows) {
        if (rows > img->height - y) rows = img->height - y;
        ok = sink_write(out, image_row(img, y), img->row_bytes * (size_t)rows, err);
        codec_progress(progress, (double)rows / (double)img->height);
    }
    return ok;
}

void codec_opaque_if_clear(image *img)
{
    uint8_t *samples = img->data;
    const int64_t n = img->width * img->height * img->channels;
    if (!image_has_alpha(img)) return;
    for (int64_t i = img->channels - 1; i < n; i += img->channels)
        if (samples[i] != 0) return;
    for (int64_t i = img->channels - 1; i < n; i += img->channels) samples[i] = UINT8_MAX;
    snprintf(img->meta.note, sizeof img->meta.note, "its alpha is 0 in every pixel, and is taken for opaque");
}

bool codec_keep_icc(image_meta *meta, const uint8_t *icc, size_t n, error *err)
{
    if (n == 0) return true;
    uint8_t *copy = malloc(n);
    if (!copy) return fail(err, "out of memory: the colour profile needs %zu bytes", n);
    memcpy(copy, icc, n);
    free(meta->icc);
    meta->icc = copy;
    meta->icc_bytes = n;
    return true;
}

void codec_pack_bits(uint8_t *restrict bits, const uint8_t *row, size_t n, uint8_t set)
{
    for (size_t i = 0; i < n; i += 8) {
        unsigned byte = 0;
        for (size_t k = i; k < i + 8; k++) byte = byte << 1 | (k < n && row[k] == set);
        *bits++ = (uint8_t)byte;
    }
}

/* n samples of that many bytes, which the compiler knows, with steps between them. */
static inline __attribute__((always_inline)) void copy_apart(uint8_t *to, size_t to_step, const uint8_t *from,
                                                             size_t from_step, size_t n, size_t bytes)
{
    for (size_t i = 0; i < n; i++) memcpy(to + i * to_step, from + i * from_step, bytes);
}

void codec_copy_samples(uint8_t *to, size_t to_step, const uint8_t *from, size_t from_step, size_t n, size_t bytes)
{
    switch (bytes) {
    case 1: copy_apart(to, to_step, from, from_step, n, 1); break;
    case 2: copy_apart(to, to_step, from, from_step, n, 2); break;
    case 4: copy_apart(to, to_step, from, from_step, n, 4); break;
    default: copy_apart(to, to_step, from, from_step, n, 8); break;
    }
}

void codec_split_row(const image *head, const uint8_t *row, uint8_t *to, size_t plane_bytes)
{
    const size_t bytes = sat_type_bytes(head->type), planes = (size_t)image_planes(head);
    for (size_t k = 0; k < planes; k++)
        codec_copy_samples(to + k * plane_bytes, bytes, row + k * bytes, planes * bytes, (size_t)head->width, bytes);
}

void codec_join_row(const image *head, const uint8_t *from, size_t plane_bytes, uint8_t *row)
{
    const size_t bytes = sat_type_bytes(head->type), planes = (size_t)image_planes(head);
    for (size_t k = 0; k < planes; k++)
        codec_copy_samples(row + k * bytes, planes * bytes, from + k * plane_bytes, bytes, (size_t)head->width, bytes);
}
