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

/* The moment's name of sums alone, and of sums and sums of squares. */
#define MOMENT_SUM  "sum"
#define MOMENTS_1_2 "1,2"

enum { TRAILER_VERSION = 1, TRAILER_BYTES = 192, TRAILER_ALIGN = 8 };

typedef struct table_trailer {
    char magic[8];
    uint32_t version, bytes;
    uint64_t width, height;           /* of the image, px */
    uint32_t channels, quant_largest; /* q32, else 0 */
    uint64_t data_offset, data_bytes;
    uint64_t data_xxh3;
    char layout[16], sample[8], accum[8], moment[8];
    uint64_t reserved1;
    double quant_offset, quant_step; /* q32, else 0 */
    char writer[32];
    uint8_t reserved2[24];
    uint64_t own_xxh3; /* of everything above */
} table_trailer;

_Static_assert(sizeof(table_trailer) == TRAILER_BYTES, "the struct has gaps");
_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "table files are written and mapped as they lie in memory");

/* Where the trailer of an array that ends at this byte begins. */
static inline uint64_t trailer_offset(uint64_t data_end)
{
    return (data_end + TRAILER_ALIGN - 1) / TRAILER_ALIGN * TRAILER_ALIGN;
}

/* Shape of the image whose table has this layout and shape; false if there is none. */
bool table_image_shape(sat_layout layout, const sat_view *table, int64_t *width, int64_t *height);

/* Does this combination of sample and accumulator exist? */
bool table_types_match(sat_type sample, sat_type accum);

/* The same for an accumulator of the squares. */
bool table_squares_match(sat_type sample, sat_type accum);

/* Is this the fixed point of a q32 table, as sat.h describes it? */
bool table_quant_ok(const sat_quant *quant);

/* Sets magic, version, bytes and own_xxh3. */
void trailer_seal(table_trailer *trailer);

/* Reads the trailer from the n bytes behind the array.  False if there is none (the error's text is empty) or if it is
 * broken (with an error). */
bool trailer_read(table_trailer *trailer, const uint8_t *bytes, size_t n, error *err);

#endif
