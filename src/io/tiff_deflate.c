/* tiff_deflate.c - strips and tiles in Deflate (RFC 1950), and the predictors behind it: differences to the sample on
 * the left (TIFF 6.0, section 14), and those of the bytes of floats (Adobe's Technical Note 3).
 *
 * Some writers end a picture with a strip of as many rows as the others have.  For these libtiff 4.5 reports success
 * and leaves samples unset, as libdeflate stops at the first run of bytes for which there is no space.  So they are
 * inflated here, where a strip of too many bytes is seen. */
#if SAT_WITH_LIBTIFF
#include <libdeflate.h>
#include <stdlib.h>
#include <tiffio.h>

#include "codec.h"
#include "tiff_parts.h"

static void swap_bytes(uint8_t *row, size_t bytes, size_t size)
{
    for (size_t at = 0; at < bytes; at += size) {
        for (size_t i = 0; i < size / 2; i++) {
            uint8_t kept = row[at + i];
            row[at + i] = row[at + size - 1 - i];
            row[at + size - 1 - i] = kept;
        }
    }
}

#define ADD_LEFT(type, step)                                                                                           \
    do {                                                                                                               \
        type *sample = (void *)row, left[step] = {0};                                                                  \
        for (size_t i = 0; i < bytes / sizeof(type); i += (step))                                                      \
            for (size_t c = 0; c < (step); c++) sample[i + c] = left[c] = (type)(left[c] + sample[i + c]);             \
    } while (0)

#define ADD_LEFT_OF(type)                                                                                              \
    do {                                                                                                               \
        if (step == 1) ADD_LEFT(type, 1);                                                                              \
        if (step == 2) ADD_LEFT(type, 2);                                                                              \
        if (step == 3) ADD_LEFT(type, 3);                                                                              \
        if (step == 4) ADD_LEFT(type, 4);                                                                              \
    } while (0)

/* step: samples from a pixel to the next, a constant of each loop, so that the sums stay in registers. */
static void add_left(uint8_t *row, size_t bytes, size_t size, size_t step)
{
    switch (size) {
    case 1: ADD_LEFT_OF(uint8_t); break;
    case 2: ADD_LEFT_OF(uint16_t); break;
    case 4: ADD_LEFT_OF(uint32_t); break;
    default: ADD_LEFT_OF(uint64_t);
    }
}

/* The row has the highest bytes of all samples first, whatever the file's order. */
static void join_bytes(uint8_t *row, uint8_t *copy, size_t bytes, size_t size)
{
    size_t count = bytes / size;
    memcpy(copy, row, bytes);
    for (size_t k = 0; k < size; k++) {
        size_t to = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? size - 1 - k : k;
        for (size_t i = 0; i < count; i++) row[i * size + to] = copy[k * count + i];
    }
}

static bool undo_predictor(const tiff_file *f, const tiff_layout *t, uint8_t *block, uint64_t n, error *err)
{
    const size_t size = (size_t)t->bits / 8, bytes = (size_t)t->block_row_bytes;
    const size_t step = t->planar ? 1 : (size_t)t->samples;
    const bool swap = size > 1 && t->bits % 16 == 0 && TIFFIsByteSwapped(f->tif);
    uint8_t *copy = NULL;
    if (t->predictor == PREDICTOR_FLOATINGPOINT && !(copy = malloc(bytes)))
        return fail(err, "out of memory: a row of %zu bytes", bytes);
    for (uint8_t *row = block; row < block + n; row += bytes) {
        if (copy) {
            add_left(row, bytes, 1, step);
            join_bytes(row, copy, bytes, size);
            continue;
        }
        if (swap) swap_bytes(row, bytes, size);
        if (t->predictor == PREDICTOR_HORIZONTAL) add_left(row, bytes, size, step);
    }
    free(copy);
    return true;
}

/* The first of the bytes of a strip that has as many as a whole one. */
static bool inflate_begin(struct libdeflate_decompressor *inflater, const uint8_t *stored, size_t n,
                          const tiff_layout *t, uint8_t *to, size_t bytes, enum libdeflate_result *result, error *err)
{
    uint8_t *whole = malloc((size_t)t->block_bytes);
    if (!whole) return fail(err, "out of memory: a strip of %zu bytes", (size_t)t->block_bytes);
    *result = libdeflate_zlib_decompress(inflater, stored, n, whole, (size_t)t->block_bytes, NULL);
    if (*result == LIBDEFLATE_SUCCESS) memcpy(to, whole, bytes);
    free(whole);
    return true;
}

bool tiff_inflate(const tiff_file *f, const tiff_layout *t, uint32_t index, uint8_t *to, uint64_t bytes, error *err)
{
    const char *name = t->tiled ? "tile" : "strip";
    const uint8_t *stored = f->bytes + TIFFGetStrileOffset(f->tif, index);
    size_t n = (size_t)TIFFGetStrileByteCount(f->tif, index);
    bool ok = true;
    struct libdeflate_decompressor *inflater = libdeflate_alloc_decompressor();
    if (!inflater) return fail(err, "out of memory: Deflate");
    enum libdeflate_result result = libdeflate_zlib_decompress(inflater, stored, n, to, (size_t)bytes, NULL);
    if (result == LIBDEFLATE_INSUFFICIENT_SPACE && bytes < t->block_bytes)
        ok = inflate_begin(inflater, stored, n, t, to, (size_t)bytes, &result, err);
    libdeflate_free_decompressor(inflater);
    if (!ok) return false;
    switch (result) {
    case LIBDEFLATE_SUCCESS: return undo_predictor(f, t, to, bytes, err);
    case LIBDEFLATE_SHORT_OUTPUT: return fail(err, "corrupt: %s %u of the TIFF has too few pixels", name, index);
    case LIBDEFLATE_INSUFFICIENT_SPACE: return fail(err, "corrupt: %s %u of the TIFF has too many pixels", name, index);
    default: return fail(err, "corrupt: %s %u of the TIFF cannot be inflated", name, index);
    }
}

#endif
