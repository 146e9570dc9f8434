/* The metadata of a PNG.  Chunks about colour and chunks of text are kept whole: a mean of stored samples has the same
 * colour space.  Others (the time, a background, a histogram) describe the input's pixels, and are dropped. */
#include <libdeflate.h>
#include <stdlib.h>

#include "codec.h"
#include "exif.h"
#include "png.h"

static const char xmp_keyword[] = "XML:com.adobe.xmp"; /* with its zero */

static bool is(const uint8_t *chunk, const char *type)
{
    return memcmp(chunk + 4, type, 4) == 0;
}

/* ---- reading --------------------------------------------------------------------------------------- */

static void read_resolution(const uint8_t *data, size_t n, image_meta *meta)
{
    enum { METRES = 1 };
    if (n != 9 || data[8] != METRES) return;
    meta->x_per_metre = load_be32(data);
    meta->y_per_metre = load_be32(data + 4);
}

/* Inflates a zlib stream of unknown length, of up to META_MOST_BYTES.  *to: malloc'd, NULL if the stream is corrupt or
 * longer; the metadata is then dropped, as by other readers.  False: out of memory. */
static bool inflate(const uint8_t *stream, size_t n, uint8_t **to, size_t *got, error *err)
{
    enum { FIRST_TRY = 4096 };
    struct libdeflate_decompressor *inflater = libdeflate_alloc_decompressor();
    bool ok = inflater != NULL;
    enum libdeflate_result result = LIBDEFLATE_INSUFFICIENT_SPACE;
    *to = NULL;
    for (size_t capacity = FIRST_TRY; ok && result == LIBDEFLATE_INSUFFICIENT_SPACE && capacity <= META_MOST_BYTES;
         capacity *= 2) {
        free(*to);
        *to = malloc(capacity);
        ok = *to != NULL;
        if (ok) result = libdeflate_zlib_decompress(inflater, stream, n, *to, capacity, got);
    }
    if (result != LIBDEFLATE_SUCCESS) {
        free(*to);
        *to = NULL;
    }
    libdeflate_free_decompressor(inflater);
    return ok || fail(err, "out of memory: the metadata of a PNG");
}

/* A name of 1 to 79 bytes, a zero, the method 0, and the profile as a zlib stream. */
static bool read_profile(const uint8_t *data, size_t n, image_meta *meta, error *err)
{
    enum { LONGEST_NAME = 79 };
    const uint8_t *zero = memchr(data, 0, n < LONGEST_NAME + 1 ? n : LONGEST_NAME + 1);
    if (!zero || data + n - zero < 2 || zero[1] != 0 || meta->icc) return true;
    uint8_t *profile;
    size_t got = 0;
    bool ok = inflate(zero + 2, (size_t)(data + n - zero - 2), &profile, &got, err) &&
              (!profile || codec_keep_icc(meta, profile, got, err));
    free(profile);
    return ok;
}

/* The keyword with its zero, a compression flag, a method, a language and a translated keyword, each with its zero, and
 * the packet. */
static bool read_xmp(const uint8_t *data, size_t n, image_meta *meta, error *err)
{
    enum { PLAIN = 0, DEFLATED = 1 };
    const uint8_t *at = data + sizeof xmp_keyword, *end = data + n;
    if (end - at < 2 || meta->blocks[META_XMP].bytes) return true;
    int coding = at[0], method = at[1];
    at += 2;
    for (int i = 0; i < 2 && at; i++) {
        at = memchr(at, 0, (size_t)(end - at));
        if (at) at++;
    }
    if (!at) return true;
    if (coding == PLAIN) return meta_append(meta, META_XMP, at, (size_t)(end - at), err);
    if (coding != DEFLATED || method != 0) return true;
    uint8_t *packet;
    size_t got = 0;
    bool ok = inflate(at, (size_t)(end - at), &packet, &got, err) &&
              (!packet || meta_append(meta, META_XMP, packet, got, err));
    free(packet);
    return ok;
}

/* Is it a colour chunk of the right size, before the pixels, and the first of its type? */
static bool is_colour(const uint8_t *chunk, size_t n, bool before_pixels, const image_meta *meta)
{
    static const struct {
        char type[5];
        size_t n;
    } known[] = {{"gAMA", 4}, {"cHRM", 32}, {"sRGB", 1}, {"cICP", 4}, {"mDCV", 24}, {"cLLI", 8}};
    const meta_block *kept = &meta->blocks[META_PNG_COLOUR];
    for (size_t at = 0; at < kept->n; at += PNG_CHUNK_OVERHEAD + load_be32(kept->bytes + at))
        if (memcmp(kept->bytes + at + 4, chunk + 4, 4) == 0) return false;
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        if (is(chunk, known[i].type)) return before_pixels && n == known[i].n;
    return false;
}

bool png_read_meta(const uint8_t *chunk, size_t n, bool before_pixels, image_meta *meta, error *err)
{
    const uint8_t *data = chunk + PNG_CHUNK_HEAD;
    if (is(chunk, "iCCP")) return read_profile(data, n, meta, err);
    if (is(chunk, "eXIf")) return exif_keep(meta, data, n, err);
    if (is(chunk, "pHYs")) read_resolution(data, n, meta);
    if (is(chunk, "iTXt") && n >= sizeof xmp_keyword && memcmp(data, xmp_keyword, sizeof xmp_keyword) == 0)
        return read_xmp(data, n, meta, err);
    if (is(chunk, "tEXt") || is(chunk, "zTXt") || is(chunk, "iTXt"))
        return meta_append(meta, META_PNG_TEXT, chunk, n + PNG_CHUNK_OVERHEAD, err);
    if (is_colour(chunk, n, before_pixels, meta))
        return meta_append(meta, META_PNG_COLOUR, chunk, n + PNG_CHUNK_OVERHEAD, err);
    return true;
}

/* ---- writing --------------------------------------------------------------------------------------- */

size_t png_seal_chunk(uint8_t *chunk, const char *type, size_t n)
{
    store_be32(chunk, (uint32_t)n);
    memcpy(chunk + 4, type, 4);
    store_be32(chunk + PNG_CHUNK_HEAD + n, libdeflate_crc32(0, chunk + 4, n + 4));
    return n + PNG_CHUNK_OVERHEAD;
}

static bool write_profile(const image_meta *meta, sink *out, error *err)
{
    static const char name[] = "ICC profile"; /* any name with its zero; then a zero for the method */
    enum { LEVEL = 6 };
    if (!meta->icc) return true;
    struct libdeflate_compressor *deflater = libdeflate_alloc_compressor(LEVEL);
    size_t capacity = libdeflate_zlib_compress_bound(deflater, meta->icc_bytes);
    uint8_t *chunk = malloc(PNG_CHUNK_OVERHEAD + sizeof name + 1 + capacity);
    bool ok = deflater && chunk;
    if (ok) {
        uint8_t *data = chunk + PNG_CHUNK_HEAD;
        memcpy(data, name, sizeof name);
        data[sizeof name] = 0;
        size_t n = libdeflate_zlib_compress(deflater, meta->icc, meta->icc_bytes, data + sizeof name + 1, capacity);
        ok = sink_write(out, chunk, png_seal_chunk(chunk, "iCCP", sizeof name + 1 + n), err);
    } else {
        fail(err, "out of memory: PNG colour profile");
    }
    free(chunk);
    libdeflate_free_compressor(deflater);
    return ok;
}

static bool write_resolution(const image_meta *meta, sink *out, error *err)
{
    double x = meta->x_per_metre, y = meta->y_per_metre;
    if (!(x >= 1 && x <= INT32_MAX && y >= 1 && y <= INT32_MAX)) return true;
    uint8_t chunk[PNG_CHUNK_OVERHEAD + 9];
    store_be32(chunk + PNG_CHUNK_HEAD, (uint32_t)(x + 0.5));
    store_be32(chunk + PNG_CHUNK_HEAD + 4, (uint32_t)(y + 0.5));
    chunk[PNG_CHUNK_HEAD + 8] = 1; /* per metre */
    return sink_write(out, chunk, png_seal_chunk(chunk, "pHYs", 9), err);
}

static bool write_exif(const image_meta *meta, sink *out, error *err)
{
    size_t n = exif_size(meta, META_MOST_BYTES);
    if (n == 0) return true;
    uint8_t *chunk = malloc(PNG_CHUNK_OVERHEAD + n);
    if (!chunk) return fail(err, "out of memory: EXIF of %zu bytes", n);
    exif_write(chunk + PNG_CHUNK_HEAD, n, meta);
    bool ok = sink_write(out, chunk, png_seal_chunk(chunk, "eXIf", n), err);
    free(chunk);
    return ok;
}

static bool write_xmp(const image_meta *meta, sink *out, error *err)
{
    enum { HEAD = sizeof xmp_keyword + 4 }; /* not compressed, no language, no translated keyword */
    const meta_block *xmp = &meta->blocks[META_XMP];
    if (!xmp->bytes) return true;
    uint8_t *chunk = calloc(1, PNG_CHUNK_OVERHEAD + HEAD + xmp->n);
    if (!chunk) return fail(err, "out of memory: XMP of %zu bytes", xmp->n);
    memcpy(chunk + PNG_CHUNK_HEAD, xmp_keyword, sizeof xmp_keyword);
    memcpy(chunk + PNG_CHUNK_HEAD + HEAD, xmp->bytes, xmp->n);
    bool ok = sink_write(out, chunk, png_seal_chunk(chunk, "iTXt", HEAD + xmp->n), err);
    free(chunk);
    return ok;
}

bool png_write_meta(const image_meta *meta, sink *out, error *err)
{
    const meta_block *colour = &meta->blocks[META_PNG_COLOUR], *text = &meta->blocks[META_PNG_TEXT];
    return sink_write(out, colour->bytes, colour->n, err) && write_profile(meta, out, err) &&
           write_resolution(meta, out, err) && write_exif(meta, out, err) && write_xmp(meta, out, err) &&
           sink_write(out, text->bytes, text->n, err);
}
