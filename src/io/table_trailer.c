#include "table_trailer.h"

#include <math.h>
#include <string.h>
#include <xxhash.h>

bool table_image_shape(sat_layout layout, const sat_view *table, int64_t *width, int64_t *height)
{
    int64_t border = layout == SAT_PADDED ? 1 : 0;

    *width = table->width - border;
    *height = table->height - border;
    return *width > 0 && *height > 0;
}

bool table_types_match(sat_type sample, sat_type accum)
{
    bool f32 = accum == SAT_F32, f64 = accum == SAT_F64, q32 = accum == SAT_Q32;

    switch (sample) {
    case SAT_U8:
    case SAT_U16: return accum == SAT_U32 || accum == SAT_U64 || accum == SAT_I32 || accum == SAT_I64 || f32 || f64;
    case SAT_U32: return accum == SAT_U32 || accum == SAT_U64 || accum == SAT_I64 || f32 || f64;
    case SAT_I8:
    case SAT_I16:
    case SAT_I32: return accum == SAT_I32 || accum == SAT_I64 || f32 || f64;
    case SAT_F32: return f32 || f64 || q32;
    case SAT_F64: return f64 || q32;
    default: return false;
    }
}

bool table_squares_match(sat_type sample, sat_type accum)
{
    const size_t bytes = sat_type_bytes(sample);
    const bool known = table_types_match(sample, SAT_F64);
    if (bytes == 1 || bytes == 2)
        return known && (accum == SAT_U32 || accum == SAT_U64 || accum == SAT_I64 || accum == SAT_F64);
    return known && accum == SAT_F64;
}

bool table_quant_ok(const sat_quant *q)
{
    int exponent;
    return isfinite(q->offset) && q->step > 0 && isnormal(q->step) && isnormal(1 / q->step) &&
           frexp(q->step, &exponent) == 0.5 && q->largest >= 1 && q->largest <= INT32_MAX;
}

static uint64_t own_checksum(const table_trailer *trailer)
{
    return XXH3_64bits(trailer, offsetof(table_trailer, own_xxh3));
}

void trailer_seal(table_trailer *trailer)
{
    memcpy(trailer->magic, TRAILER_MAGIC, sizeof(trailer->magic));
    trailer->version = TRAILER_VERSION;
    trailer->bytes = TRAILER_BYTES;
    trailer->own_xxh3 = own_checksum(trailer);
}

/* Printable ASCII, then zeros only. */
static bool is_name(const char *field, size_t capacity)
{
    size_t n = strnlen(field, capacity);

    if (n == 0 || n == capacity) return false;
    for (size_t i = 0; i < capacity; i++) {
        if (i < n ? field[i] < ' ' || field[i] > '~' : field[i] != 0) return false;
    }
    return true;
}

/* A trailer but for its magic: other bytes would not have this checksum. */
static bool lacks_magic(const uint8_t *bytes, size_t n)
{
    table_trailer t;

    if (n < sizeof(t)) return false;
    memcpy(&t, bytes, sizeof(t));
    memcpy(t.magic, TRAILER_MAGIC, sizeof(t.magic));
    return t.own_xxh3 == own_checksum(&t);
}

bool trailer_read(table_trailer *trailer, const uint8_t *bytes, size_t n, error *err)
{
    table_trailer t;

    err->text[0] = 0;
    if (n < sizeof(t.magic) || memcmp(bytes, TRAILER_MAGIC, sizeof(t.magic)) != 0)
        return lacks_magic(bytes, n) ? fail(err, "broken trailer: it does not begin with " TRAILER_MAGIC) : false;
    if (n < sizeof(t)) return fail(err, "truncated: the file ends inside the trailer");
    memcpy(&t, bytes, sizeof(t));
    if (t.version != TRAILER_VERSION)
        return fail(err, "trailer of version %u; this program knows version %d", (unsigned)t.version, TRAILER_VERSION);
    if (t.bytes != TRAILER_BYTES || t.own_xxh3 != own_checksum(&t))
        return fail(err, "broken trailer: its checksum does not match");
    if (!is_name(t.layout, sizeof(t.layout)) || !is_name(t.sample, sizeof(t.sample)) ||
        !is_name(t.accum, sizeof(t.accum)) || !is_name(t.moment, sizeof(t.moment)) ||
        !is_name(t.writer, sizeof(t.writer)))
        return fail(err, "broken trailer: a name in it is none");
    *trailer = t;
    return true;
}
