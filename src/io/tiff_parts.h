/* tiff_parts.h - the parts of the TIFF codec, which reads and writes through libtiff.  Builds without libtiff have none
 * of them. */
#ifndef IO_TIFF_PARTS_H
#define IO_TIFF_PARTS_H

#include "format.h"
#include "row_sink.h"

/* ---- tiff_file.c: a file in memory, as libtiff sees it ------------------------------------------------ */

/* A file that is read or written.  libtiff prints nothing: its first error is kept here. */
typedef struct tiff_file {
    struct tiff *tif;
    const uint8_t *bytes; /* what is read */
    size_t n;             /* bytes read or written */
    sink *out;            /* what is written goes there, or, NULL, to memory: */
    uint8_t *written;     /* malloc'd */
    size_t capacity;
    uint64_t at;
    bool strict; /* warnings are errors: they concern pixels */
    bool cut;    /* something behind the end was asked for */
    bool circle; /* the chain of directories leads back to one of them */
    error first; /* empty: no error so far */
} tiff_file;

/* Opens the first directory.  The bytes stay the caller's.  To be closed, also on false. */
bool tiff_open(tiff_file *f, const uint8_t *bytes, size_t n, error *err);
/* Begins a file.  big: BigTIFF.  It goes to the sink as it is made; of a stream, it is kept in `written`.  To be
 * closed, also on false. */
bool tiff_create(tiff_file *f, bool big, sink *out, error *err);
void tiff_close(tiff_file *f);

/* The file's first error, "truncated: ...", "corrupt: ..." or "out of memory ..."; returns false. */
bool tiff_fail(const tiff_file *f, error *err);

/* ---- tiff_layout.c: how the pixels are stored ---------------------------------------------------------- */

typedef struct tiff_layout {
    uint32_t width, height; /* px */
    int samples;            /* stored for each pixel: bands */
    int colours;            /* the first of them; of a palette: of the result */
    int channels;           /* of the result */
    int sample[4];          /* that becomes each channel */
    bool one;               /* of the bands was chosen, and is the only channel */
    int bits;               /* of a stored sample */
    sat_type type;          /* of the result */
    bool palette;
    bool inverted;      /* 0 is white */
    bool premultiplied; /* colours are multiplied by alpha */
    bool planar;        /* the channels one behind the other */
    bool tiled;
    bool ycbcr;                         /* JPEG's, which libtiff converts to RGB */
    bool plain;                         /* not compressed */
    bool direct;                        /* strips have the samples of the result */
    bool deflate;                       /* for tiff_inflate() */
    unsigned predictor;                 /* libtiff's number; 0: none, or undone by libtiff */
    uint32_t block_width, block_height; /* of a tile or strip, px */
    uint64_t block_row_bytes, block_bytes;
    int orientation; /* 1 to 8 */
} tiff_layout;

/* Of the directory that is open.  number: of the band to be read, from 1, where bands can be told apart; 0: all that
 * make an image.  Refuses what cannot be read. */
bool tiff_read_layout(tiff_file *f, tiff_layout *t, int number, error *err);

/* A line about the bands that are not read where none was chosen, or "". */
void tiff_note_bands(const tiff_layout *t, char note[NOTE_BYTES]);

/* Refuses a file of several pictures, a volume, and one that begins with a thumbnail or a mask.  A chain of directories
 * ends where it leads back.  The first directory is open before and after. */
bool tiff_one_picture(tiff_file *f, error *err);

/* ---- tiff_predictor.c: differences of samples ------------------------------------------------------------ */

/* Of the directory that is open, as the file has it; PREDICTOR_NONE if it has none. */
unsigned tiff_predictor(const tiff_file *f);

/* Undoes the layout's predictor in n bytes of whole rows.  native: samples are in the order of this machine already.
 * They are after it. */
bool tiff_undo_predictor(const tiff_file *f, const tiff_layout *t, bool native, uint8_t *block, uint64_t n, error *err);

/* Applies a predictor to n bytes of a row of samples of `size` bytes, in the order of this machine; step: samples from
 * a pixel to the next.  copy: n bytes, for PREDICTOR_FLOATINGPOINT. */
void tiff_predict(unsigned predictor, const uint8_t *row, size_t n, size_t size, size_t step, uint8_t *to,
                  uint8_t *copy);

/* ---- tiff_deflate.c: strips and tiles in Deflate --------------------------------------------------------- */

/* A block that lies in the file, its samples in the order of this machine.  bytes: fewer than those of a whole block in
 * a strip at the end. */
bool tiff_inflate(const tiff_file *f, const tiff_layout *t, uint32_t index, uint8_t *to, uint64_t bytes, error *err);

/* ---- tiff_decode.c, tiff_encode.c ----------------------------------------------------------------------- */

/* Allocates img.  The caller frees it, also on false. */
bool tiff_read_pixels(tiff_file *f, const tiff_layout *t, const decode_options *opt, image *img, error *err);

/* The compressions of encode_options that it knows, the default first. */
#define TIFF_COMPRESSIONS "deflate none lzw zstd packbits"
extern const row_writing tiff_writing;

/* ---- tiff_blocks.c: rows to strips and tiles ------------------------------------------------------------ */

/* How the pixels are to be stored. */
typedef struct tiff_blocks_how {
    int64_t width, height;
    uint32_t block_width, block_height; /* of a strip or tile */
    bool tiled, deflate;
    size_t pixel_bytes, sample_bytes;
    unsigned predictor; /* to be applied to deflated ones */
    int threads;
} tiff_blocks_how;

typedef struct tiff_blocks tiff_blocks;

/* NULL: out of memory. */
tiff_blocks *tiff_blocks_begin(const tiff_blocks_how *how, tiff_file *f, error *err);
/* The next n rows, the last of the image among them or not.  False with an empty error: the file has one. */
bool tiff_blocks_write(tiff_blocks *b, const uint8_t *rows, int64_t n, error *err);
void tiff_blocks_free(tiff_blocks *b);
/* Rows that are best written together; of each such part, the bytes of memory. */
int64_t tiff_blocks_step(const tiff_blocks_how *how);
uint64_t tiff_blocks_bytes(const tiff_blocks_how *how);

/* ---- tiff_meta.c ----------------------------------------------------------------------------------------- */

/* Makes the tags of GeoTIFF known to libtiff; before they are written. */
void tiff_know_tags(struct tiff *tif);

/* geo: keep the tags of GeoTIFF, which are those of the stored pixels. */
bool tiff_read_meta(tiff_file *f, bool geo, image_meta *meta, error *err);
/* False: libtiff has said why. */
bool tiff_write_meta(tiff_file *f, const image_meta *meta);

#endif
