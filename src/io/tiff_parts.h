/* tiff_parts.h - the parts of the TIFF codec, which reads and writes through libtiff.  Builds without libtiff have none
 * of them. */
#ifndef IO_TIFF_PARTS_H
#define IO_TIFF_PARTS_H

#include "format.h"

/* ---- tiff_file.c: a file in memory, as libtiff sees it ------------------------------------------------ */

/* A file that is read or written.  libtiff prints nothing: its first error is kept here. */
typedef struct tiff_file {
    struct tiff *tif;
    const uint8_t *bytes; /* what is read */
    size_t n;             /* bytes read or written */
    uint8_t *written;     /* what is written, malloc'd */
    size_t capacity;
    uint64_t at;
    bool strict; /* warnings are errors: they concern pixels */
    bool cut;    /* something behind the end was asked for */
    bool circle; /* the chain of directories leads back to one of them */
    error first; /* empty: no error so far */
} tiff_file;

/* Opens the first directory.  The bytes stay the caller's.  To be closed, also on false. */
bool tiff_open(tiff_file *f, const uint8_t *bytes, size_t n, error *err);
/* Begins a file.  big: BigTIFF.  To be closed, also on false. */
bool tiff_create(tiff_file *f, bool big, error *err);
void tiff_close(tiff_file *f);

/* Writes n bytes where the file ends, behind its header, before libtiff writes any.  False: the file's error says why.
 */
bool tiff_append(tiff_file *f, const uint8_t *bytes, size_t n);

/* The file's first error, "truncated: ...", "corrupt: ..." or "out of memory ..."; returns false. */
bool tiff_fail(const tiff_file *f, error *err);

/* ---- tiff_layout.c: how the pixels are stored ---------------------------------------------------------- */

typedef struct tiff_layout {
    uint32_t width, height; /* px */
    int samples;            /* stored for each pixel: bands */
    int colours;            /* the first of them; of a palette: of the result */
    int channels;           /* of the result */
    int sample[4];          /* that becomes each channel */
    int planes;             /* all samples become: one channel in each; 0: they do not */
    int alpha;              /* the one of the planes that is alpha, from 1; 0: none */
    bool one;               /* of the bands was chosen, and is the only channel */
    int bits;               /* of a stored sample */
    sat_type type;          /* of the result */
    bool palette;
    bool inverted;      /* 0 is white */
    bool premultiplied; /* colours are multiplied by alpha; by which they are divided, but those of planes */
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

/* Of the directory that is open, and of its bands that the options choose: one, those that make a picture, or all.
 * Refuses what cannot be read. */
bool tiff_read_layout(tiff_file *f, tiff_layout *t, const decode_options *opt, error *err);

/* Channels, or planes, of the result; the sample that becomes one of them. */
static inline int tiff_outputs(const tiff_layout *t)
{
    return t->planes ? t->planes : t->channels;
}
static inline int tiff_sample(const tiff_layout *t, int output)
{
    return t->planes ? output : t->sample[output];
}

/* A line about the bands that are not read where none was chosen, or about alpha among planes, or "". */
void tiff_note_bands(const tiff_layout *t, char note[NOTE_BYTES]);

/* Opens the directory of a page, from 1, and counts all.  page 0: the first stays open, and *pages is 0; refuses a file
 * of several pictures, and one that begins with a thumbnail or a mask.  Refuses a volume.  A chain of directories ends
 * where it leads back. */
bool tiff_open_page(tiff_file *f, int page, int *pages, error *err);

/* ---- tiff_predictor.c: differences of samples ------------------------------------------------------------ */

/* Of the directory that is open, as the file has it; PREDICTOR_NONE if it has none. */
unsigned tiff_predictor(const tiff_file *f);

/* Undoes the layout's predictor in n bytes of whole rows.  native: samples are in the order of this machine already.
 * They are after it. */
bool tiff_undo_predictor(const tiff_file *f, const tiff_layout *t, bool native, uint8_t *block, uint64_t n, error *err);

/* ---- tiff_deflate.c: strips and tiles in Deflate --------------------------------------------------------- */

/* A block that lies in the file, its samples in the order of this machine.  bytes: fewer than those of a whole block in
 * a strip at the end. */
bool tiff_inflate(const tiff_file *f, const tiff_layout *t, uint32_t index, uint8_t *to, uint64_t bytes, error *err);

/* ---- tiff_decode.c, tiff_encode.c ----------------------------------------------------------------------- */

/* Allocates img.  The caller frees it, also on false. */
bool tiff_read_pixels(tiff_file *f, const tiff_layout *t, const decode_options *opt, image *img, error *err);

/* The compressions of encode_options that it knows, the default first. */
#define TIFF_BIT_COMPRESSIONS "fax4 fax3" /* of bilevel images */
#define TIFF_COMPRESSIONS     "deflate none lzw zstd packbits " TIFF_BIT_COMPRESSIONS
bool tiff_encode(const image *img, const encode_options *opt, sink *out, error *err);

/* ---- tiff_meta.c ----------------------------------------------------------------------------------------- */

/* Makes the tags of GeoTIFF known to libtiff; before they are written. */
void tiff_know_tags(struct tiff *tif);

/* geo: keep the tags of GeoTIFF, which are those of the stored pixels.  only: the band that is read, from 0; -1: all.
 */
bool tiff_read_meta(tiff_file *f, bool geo, int only, image_meta *meta, error *err);
/* False: libtiff has said why. */
bool tiff_write_meta(tiff_file *f, const image_meta *meta);

#endif
