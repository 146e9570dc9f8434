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

bool table_moments_match(table_moments m, sat_type sample, sat_type accum)
{
    const bool narrow = sat_type_bytes(sample) <= 2;
    const bool exact = accum == SAT_U32 || accum == SAT_U64 || accum == SAT_I64;
    if (!table_types_match(sample, accum)) return false;
    if (m.squares && accum != SAT_F64 && !(narrow && exact)) return false;
    return !m.counts || accum == SAT_F64 || exact;
}

static const char *const names[2][2] = {{"sum", "1,2"}, {"0,1", "0,1,2"}}; /* [counts][squares] */

const char *table_moments_name(table_moments m)
{
    return names[m.counts][m.squares];
}

bool table_moments_from_name(const char *name, table_moments *m)
{
    for (int k = 0; k < 4; k++) {
        *m = (table_moments){.counts = k >> 1, .squares = k & 1};
        if (strcmp(name, table_moments_name(*m)) == 0) return true;
    }
    return false;
}

bool table_quant_ok(const sat_quant *q)
{
    int exponent;
    return isfinite(q->offset) && q->step > 0 && isnormal(q->step) && isnormal(1 / q->step) &&
           frexp(q->step, &exponent) == 0.5 && q->largest >= 1 && q->largest <= INT32_MAX;
}

bool table_level_ok(double level, sat_type sample, sat_type accum)
{
    if (sample == SAT_F32 && (double)(float)level != level) return false;
    return level == 0 || (isfinite(level) && (sample == SAT_F32 || sample == SAT_F64) && accum == SAT_F64);
}

static uint64_t own_checksum(const table_trailer *trailer)
{
    return XXH3_64bits(trailer, offsetof(table_trailer, own_xxh3));
}

void trailer_seal(table_trailer *trailer)
{
    memcpy(trailer->magic, TRAILER_MAGIC, sizeof(trailer->magic));
    trailer->version = trailer->level != 0 ? 2 : 1;
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
    if (t.version < 1 || t.version > TRAILER_VERSION)
        return fail(err, "trailer of version %u; this program knows versions 1 to %d", (unsigned)t.version,
                    TRAILER_VERSION);
    if (t.bytes != TRAILER_BYTES || t.own_xxh3 != own_checksum(&t))
        return fail(err, "broken trailer: its checksum does not match");
    if (!is_name(t.layout, sizeof(t.layout)) || !is_name(t.sample, sizeof(t.sample)) ||
        !is_name(t.accum, sizeof(t.accum)) || !is_name(t.moment, sizeof(t.moment)) ||
        !is_name(t.writer, sizeof(t.writer)))
        return fail(err, "broken trailer: a name in it is none");
    if (t.version == 1) t.level = 0;
    *trailer = t;
    return true;
}
