/* png.h - the parts of our PNG codec (PNG specification, third edition, W3C 2025). */
#ifndef IO_PNG_H
#define IO_PNG_H

#include "format.h"

enum {
    PNG_SIGNATURE = 8,       /* bytes */
    PNG_CHUNK_HEAD = 8,      /* length and type */
    PNG_CHUNK_OVERHEAD = 12, /* head and CRC */
};
extern const uint8_t png_signature[PNG_SIGNATURE];

enum {
    PNG_COLOUR_GREY = 0,
    PNG_COLOUR_RGB = 2,
    PNG_COLOUR_PALETTE = 3,
    PNG_COLOUR_GREY_ALPHA = 4,
    PNG_COLOUR_RGBA = 6
};

/* The contents of the chunks, without metadata; pointers lead into the file's bytes. */
typedef struct png_chunks {
    uint32_t width, height; /* px */
    int depth;              /* bits per sample: 1, 2, 4, 8, 16 */
    int colour;             /* PNG_COLOUR_... */
    bool interlaced;
    const uint8_t *palette; /* entries of 3 bytes, or NULL */
    size_t palette_entries;
    const uint8_t *transparency; /* tRNS, or NULL */
    size_t transparency_bytes;
    const uint8_t *first_idat, *idat_end; /* the IDAT chunks, one behind the other */
    uint64_t idat_bytes;                  /* of compressed data in them */
} png_chunks;

/* A whole image, or one of the seven passes of an interlaced one; its sides may be 0. */
typedef struct png_pass {
    uint32_t width, height;  /* px */
    uint32_t x, y;           /* where its first pixel goes */
    uint32_t step_x, step_y; /* px from one of its pixels to the next */
} png_pass;

int png_passes(const png_chunks *png);              /* 1 or 7 */
png_pass png_pass_at(const png_chunks *png, int i); /* i: 0 .. png_passes() - 1 */

/* Before deflation, without the filters' bytes: bits of a pixel; bytes of a row of so many pixels; bytes of all rows of
 * all passes, UINT64_MAX on overflow. */
int png_pixel_bits(const png_chunks *png);
size_t png_row_bytes(const png_chunks *png, uint32_t width);
uint64_t png_raw_bytes(const png_chunks *png);

/* Reads and verifies every chunk.  Metadata goes to meta, which the caller frees, also on false. */
bool png_read_chunks(const uint8_t *bytes, size_t n, const decode_options *opt, png_chunks *png, image_meta *meta,
                     error *err);

/* Copies a chunk of metadata to meta.  chunk: begins with its length; n: bytes of its data.  All chunks of text
 * are kept, and the first one of profile, EXIF, XMP and each colour chunk. */
bool png_read_meta(const uint8_t *chunk, size_t n, bool before_pixels, image_meta *meta, error *err);
/* Writes the chunks between header and pixels. */
bool png_write_meta(const image_meta *meta, sink *out, error *err);

/* Completes a chunk whose n bytes of data begin at chunk + PNG_CHUNK_HEAD: adds the head and the CRC.  Returns its
 * size. */
size_t png_seal_chunk(uint8_t *chunk, const char *type, size_t n);

bool png_shape(const uint8_t *bytes, size_t n, const decode_options *opt, image_shape *s);
bool png_extent(const uint8_t *bytes, size_t n, const decode_options *opt, uint64_t *most, error *err);
bool png_decode(const uint8_t *bytes, size_t n, const decode_options *opt, image *img, error *err);
bool png_encode(const image *img, const encode_options *opt, sink *out, error *err);

/* Converts a raw row to pixels: expands palettes and samples of less than 8 bits, swaps the bytes of 16-bit samples,
 * and adds alpha for a transparent colour. */
int png_channels(const png_chunks *png); /* of the result */
void png_expand_row(const png_chunks *png, uint8_t *dst, const uint8_t *raw, size_t width);

enum { PNG_NONE = 0, PNG_SUB, PNG_UP, PNG_AVERAGE, PNG_PAETH, PNG_FILTERS };

/* Undoes one row's filter: dst may be src itself.  prev: the row above, unfiltered; zeros for the first.
 * bpp: bytes of a whole pixel, 1 (also for pixels of less than a byte), 2, 3, 4, 6 or 8; n is a multiple.
 * Up to PNG_SLACK bytes behind the n of src and prev are read, and ignored. */
enum { PNG_SLACK = 8 };
void png_unfilter(uint8_t *dst, const uint8_t *src, const uint8_t *prev, size_t n, int bpp, int filter);

/* The same for two rows, one below the other, both filtered by Paeth: faster than one at a time. */
void png_unfilter_paeth_pair(uint8_t *dst0, const uint8_t *src0, uint8_t *dst1, const uint8_t *src1,
                             const uint8_t *prev, size_t n, int bpp);

#endif
