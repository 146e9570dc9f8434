/* tiff_deflate.c - strips and tiles in Deflate (RFC 1950).
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
    const uint64_t at = TIFFGetStrileOffset(f->tif, index);
    const size_t n = (size_t)TIFFGetStrileByteCount(f->tif, index);
    const uint8_t *stored = reader_held(f->in, at, n);
    uint8_t *read = stored ? NULL : malloc(n);
    struct libdeflate_decompressor *inflater = libdeflate_alloc_decompressor();
    enum libdeflate_result result = LIBDEFLATE_BAD_DATA;
    bool ok = (stored || read) && inflater;
    if (!ok) fail(err, "out of memory: Deflate");
    if (!stored) stored = read;
    ok = ok && (stored != read || reader_read(f->in, at, read, n, err));
    if (ok) result = libdeflate_zlib_decompress(inflater, stored, n, to, (size_t)bytes, NULL);
    if (ok && result == LIBDEFLATE_INSUFFICIENT_SPACE && bytes < t->block_bytes)
        ok = inflate_begin(inflater, stored, n, t, to, (size_t)bytes, &result, err);
    libdeflate_free_decompressor(inflater);
    free(read);
    if (!ok) return false;
    switch (result) {
    case LIBDEFLATE_SUCCESS: return tiff_undo_predictor(f, t, false, to, bytes, err);
    case LIBDEFLATE_SHORT_OUTPUT: return fail(err, "corrupt: %s %u of the TIFF has too few pixels", name, index);
    case LIBDEFLATE_INSUFFICIENT_SPACE: return fail(err, "corrupt: %s %u of the TIFF has too many pixels", name, index);
    default: return fail(err, "corrupt: %s %u of the TIFF cannot be inflated", name, index);
    }
}

#endif
