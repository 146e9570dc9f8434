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

/* Sample by sample, so that the row may lie where its bytes do. */
static bool unpack_scaled(const row_source *s, const uint8_t *from, uint8_t *row, error *err)
{
    const bool wide = s->stored.type == SAT_U16;
    const unsigned most = s->how;
    for (size_t i = 0, n = s->stored_bytes / (wide ? 2 : 1); i < n; i++) {
        const unsigned v = load(from, i, wide);
        if (v > most) return fail(err, "corrupt: a sample of %u, the largest is %u", v, most);
        netpbm_store(&s->stored, row, i, v, most);
    }
    return true;
}

bool netpbm_rows(row_source *s, uint64_t begin, unsigned maxval, error *err)
{
    s->begin = begin;
    s->how = maxval;
    if (s->stored_bytes == 0) {
        s->stored_bytes = sat_row_bytes(s->head.width, s->head.channels, s->head.type);
        s->unpack = maxval == UINT8_MAX ? NULL : maxval == UINT16_MAX ? rows_swap : unpack_scaled;
    }
    return rows_fit(s, err) && (s->in_order || rows_end(s, err));
}

static void pack_wide(const row_sink *s, const uint8_t *row, uint8_t *packed)
{
    const uint16_t *from = (const uint16_t *)(const void *)row;
    for (size_t i = 0, n = s->packed_bytes / 2; i < n; i++) store_be16(packed + 2 * i, from[i]);
}

void netpbm_pack_samples(row_sink *s)
{
    s->packed_bytes = s->head->row_bytes;
    if (s->head->type == SAT_U16) s->pack = pack_wide;
}
