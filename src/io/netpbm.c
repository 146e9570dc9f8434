#include "netpbm.h"

#include <stdlib.h>

#include "codec.h"

bool netpbm_is_space(uint8_t c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

static bool skip_space(netpbm_reader *r, error *err)
{
    bool comment = false;
    for (; r->at < r->end; r->at++) {
        if (*r->at == '#') comment = true;
        if (comment) {
            comment = *r->at != '\n' && *r->at != '\r';
        } else if (!netpbm_is_space(*r->at)) {
            return true;
        }
    }
    return fail(err, "truncated: a number is missing at the end");
}

bool netpbm_number(netpbm_reader *r, unsigned largest, unsigned *value, error *err)
{
    if (!skip_space(r, err)) return false;
    if (*r->at < '0' || *r->at > '9') return fail(err, "corrupt: a number is expected");
    uint64_t v = 0;
    for (; r->at < r->end && *r->at >= '0' && *r->at <= '9'; r->at++) {
        v = 10 * v + (*r->at - '0');
        if (v > largest) return fail(err, "corrupt: a number is larger than %u", largest);
    }
    *value = (unsigned)v;
    return true;
}

bool netpbm_bit(netpbm_reader *r, unsigned *value, error *err)
{
    if (!skip_space(r, err)) return false;
    if (*r->at != '0' && *r->at != '1') return fail(err, "corrupt: a bit is neither 0 nor 1");
    *value = *r->at++ - (unsigned)'0';
    return true;
}

bool netpbm_one_space(netpbm_reader *r, error *err)
{
    if (r->at == r->end) return fail(err, "truncated: the file ends in its header");
    if (!netpbm_is_space(*r->at)) return fail(err, "corrupt: no space after the header");
    r->at++;
    return true;
}

bool netpbm_no_header(const netpbm_reader *r, size_t n, error *err)
{
    return r->at == r->end ? fail(err, "corrupt: no end of the header in %zu bytes", n) : false;
}

bool netpbm_has(const netpbm_reader *r, uint64_t bytes, error *err)
{
    uint64_t left = (uint64_t)(r->end - r->at);
    if (left >= bytes) return true;
    return fail(err, "truncated: %llu bytes of samples are needed, %llu are there", (unsigned long long)bytes,
                (unsigned long long)left);
}

bool netpbm_ends(netpbm_reader *r, const uint8_t *bytes, bool text, error *err)
{
    error unused;
    bool more = text ? skip_space(r, &unused) : r->at < r->end;
    return !more || codec_more_follows((uint64_t)(r->at - bytes), err);
}

/* Rounded to nearest; maxval * 65535 + maxval / 2 is below 2^32. */
static inline unsigned scale(unsigned v, unsigned full, unsigned maxval)
{
    return (v * full + maxval / 2) / maxval;
}

void netpbm_store(const image *img, uint8_t *row, size_t i, unsigned v, unsigned maxval)
{
    if (img->type == SAT_U16) {
        ((uint16_t *)(void *)row)[i] = (uint16_t)scale(v, UINT16_MAX, maxval);
    } else {
        row[i] = (uint8_t)scale(v, UINT8_MAX, maxval);
    }
}

static inline unsigned load(const uint8_t *bytes, size_t i, bool wide)
{
    return wide ? load_be16(bytes + 2 * i) : bytes[i];
}

bool netpbm_samples(const uint8_t *bytes, image *img, unsigned maxval, const io_progress *progress, error *err)
{
    size_t n = (size_t)img->width * (size_t)img->channels;
    bool wide = img->type == SAT_U16;
    for (int64_t y = 0; y < img->height; y++, bytes += img->row_bytes) {
        uint8_t *row = image_row(img, y);
        if (maxval == UINT8_MAX) {
            memcpy(row, bytes, n);
        } else if (maxval == UINT16_MAX) {
            uint16_t *dst = (uint16_t *)(void *)row;
            for (size_t i = 0; i < n; i++) dst[i] = load_be16(bytes + 2 * i);
        } else {
            for (size_t i = 0; i < n; i++) {
                unsigned v = load(bytes, i, wide);
                if (v > maxval) return fail(err, "corrupt: a sample of %u, the largest is %u", v, maxval);
                netpbm_store(img, row, i, v, maxval);
            }
        }
        codec_rows_done(progress, y + 1, img->height);
    }
    return true;
}

bool netpbm_write_samples(const image *img, const io_progress *progress, sink *out, error *err)
{
    if (img->type == SAT_U8) return codec_write_rows(img, progress, out, err);

    uint8_t *swapped = malloc(img->row_bytes);
    if (!swapped) return fail(err, "out of memory: a row of %zu bytes", img->row_bytes);
    bool ok = true;
    for (int64_t y = 0; ok && y < img->height; y++) {
        const uint16_t *row = (const uint16_t *)(const void *)image_row(img, y);
        for (size_t i = 0; i < img->row_bytes / 2; i++) store_be16(swapped + 2 * i, row[i]);
        ok = sink_write(out, swapped, img->row_bytes, err);
        codec_rows_done(progress, y + 1, img->height);
    }
    free(swapped);
    return ok;
}
