/* table_trailer.h - the block behind the array of a table file; docs/format.md is its specification.
 *
 * It begins at the first multiple of 8 bytes after the array.  The struct is the block as it lies in the
 * file: little-endian, without gaps, names in ASCII padded with zeros. */
#ifndef IO_TABLE_TRAILER_H
#define IO_TABLE_TRAILER_H

#include <stddef.h>
#include <stdint.h>

#include "error.h"
#include "sat.h"

#define TRAILER_MAGIC "SATTABLE"

/* What the array has beside the sums of samples, in this order: counts, sums, squares. */
typedef struct table_moments {
    bool counts, squares;
} table_moments;

static inline int table_planes(table_moments m)
{
    return 1 + m.counts + m.squares;
}

/* Their name in the trailer: "sum", "1,2", "0,1" or "0,1,2"; and back, false if it is none. */
const char *table_moments_name(table_moments moments);
bool table_moments_from_name(const char *name, table_moments *moments);

/* Files have version 1, or 2 with a level, which readers of version 1 would ignore. */
enum { TRAILER_VERSION = 2, TRAILER_BYTES = 192, TRAILER_ALIGN = 8, TABLE_CHANNELS_MAX = 1024 };

typedef struct table_trailer {
    char magic[8];
    uint32_t version, bytes;
    uint64_t width, height;           /* of the image, px */
    uint32_t channels, quant_largest; /* q32, else 0 */
    uint64_t data_offset, data_bytes;
    uint64_t data_xxh3;
    char layout[16], sample[8], accum[8], moment[8];
    double nodata;                   /* with has_nodata, else 0 */
    double quant_offset, quant_step; /* q32, else 0 */
    char writer[32];
    uint64_t has_nodata; /* with counts: 1, or 0; else 0 */
    double level;        /* of version 2: what was subtracted from the samples; else 0 */
    uint8_t reserved[8];
    uint64_t own_xxh3; /* of everything above */
} table_trailer;

_Static_assert(sizeof(table_trailer) == TRAILER_BYTES, "the struct has gaps");

/* Where the trailer of an array that ends at this byte begins. */
static inline uint64_t trailer_offset(uint64_t data_end)
{
    return (data_end + TRAILER_ALIGN - 1) / TRAILER_ALIGN * TRAILER_ALIGN;
}

/* Shape of the image whose table has this layout and shape; false if there is none. */
bool table_image_shape(sat_layout layout, const sat_view *table, int64_t *width, int64_t *height);

/* Does this combination of sample and accumulator exist? */
bool table_types_match(sat_type sample, sat_type accum);

/* The same for an accumulator of the sums, and of all moments beside them. */
bool table_moments_match(table_moments moments, sat_type sample, sat_type accum);

/* Is this the fixed point of a q32 table, as sat.h describes it? */
bool table_quant_ok(const sat_quant *quant);

/* Can tables of such samples in such a type have this level? */
bool table_level_ok(double level, sat_type sample, sat_type accum);

/* Sets magic, version, bytes and own_xxh3. */
void trailer_seal(table_trailer *trailer);

/* Reads the trailer from the n bytes behind the array.  False if there is none (the error's text is empty) or if it is
 * broken (with an error). */
bool trailer_read(table_trailer *trailer, const uint8_t *bytes, size_t n, error *err);

#endif
