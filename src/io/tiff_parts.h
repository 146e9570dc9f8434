/* tiff_parts.h - the parts of the TIFF codec, which reads and writes through libtiff.  Builds without libtiff have none
 * of them. */
#ifndef IO_TIFF_PARTS_H
#define IO_TIFF_PARTS_H

#include "format.h"
#include "row_sink.h"
#include "row_source.h"

/* ---- tiff_file.c: a file as libtiff sees it ------------------------------------------------------------ */

/* A file that is read or written.  libtiff prints nothing: its first error is kept here. */
typedef struct tiff_file {
    struct tiff *tif;
    byte_reader *in;  /* what is read: no stream */
    size_t n;         /* bytes written */
    sink *out;        /* what is written goes there, or, NULL, to memory: */
    uint8_t *written; /* malloc'd */
    size_t capacity;
    uint64_t at;
    bool strict; /* warnings are errors: they concern pixels */
    bool cut;    /* something behind the end was asked for */
    bool circle; /* the chain of directories leads back to one of them */
    bool ends;   /* it leads beyond the end of the file */
    int mask;    /* the page, from 1, that is the mask of the first, as GDAL writes it; 0: none */
    error first; /* empty: no error so far */
} tiff_file;

/* Opens the first directory.  The reader stays the caller's.  To be closed, also on false. */
bool tiff_open(tiff_file *f, byte_reader *in, error *err);
/* Begins a file.  big: BigTIFF.  It goes to the sink as it is made; of a stream, it is kept in `written`.  To be
 * closed, also on false. */
bool tiff_create(tiff_file *f, bool big, sink *out, error *err);
void tiff_close(tiff_file *f);

/* Returns how many values the open directory stores for a tag or, if it lacks that one, for the other.  Read from the
 * file itself, because libtiff lengthens arrays of strips and tiles that are too short.  0: the directory has neither
 * tag, or cannot be read. */
uint64_t tiff_count(const tiff_file *f, unsigned tag, unsigned other);

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
    bool as_stored;                     /* plain, and the bits of bytes in their order: read without libtiff */
    bool same;                          /* rows of a tile or strip have the samples of the result */
    bool direct;                        /* the same, of strips */
    bool deflate;                       /* for tiff_inflate() */
    unsigned predictor;                 /* libtiff's number; 0: none, or undone by libtiff */
    uint32_t block_width, block_height; /* of a tile or strip, px */
    uint64_t block_row_bytes, block_bytes;
    int orientation; /* 1 to 8 */
    double missing;  /* the value of all samples in strips or tiles that are missing: that for no data, or 0 */
    double near; /* samples of f32 or f64 within this distance of the value for no data are set to it; 0: none are */
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

/* Opens a page, from 1, and sets *pages to how many there are.  page 0: the first page stays open, *pages is 0, and a
 * file of several pictures, or one that begins with a thumbnail, is refused.  A volume is always refused.  The chain of
 * pages ends where it leads back to one of them, or beyond the end of the file; `strict` refuses the latter.  With the
 * first page, its mask is looked for: f->mask. */
bool tiff_open_page(tiff_file *f, int page, bool strict, int *pages, error *err);

/* ---- tiff_predictor.c: differences of samples ------------------------------------------------------------ */

/* Of the directory that is open, as the file has it; PREDICTOR_NONE if it has none. */
unsigned tiff_predictor(const tiff_file *f);

/* Undoes the layout's predictor, if there is one, in n bytes of whole rows.  native: samples are in the order of this
 * machine already. They are after it. */
bool tiff_undo_predictor(const tiff_file *f, const tiff_layout *t, bool native, uint8_t *block, uint64_t n, error *err);

/* Applies a predictor to n bytes of a row of samples of `size` bytes, in the order of this machine; step: samples from
 * a pixel to the next.  copy: n bytes, for PREDICTOR_FLOATINGPOINT. */
void tiff_predict(unsigned predictor, const uint8_t *row, size_t n, size_t size, size_t step, uint8_t *to,
                  uint8_t *copy);

/* ---- tiff_deflate.c: strips and tiles in Deflate --------------------------------------------------------- */

/* A block that lies in the file, its samples in the order of this machine.  bytes: fewer than those of a whole block in
 * a strip at the end.  Several threads may call it, once the directory's arrays have been read. */
bool tiff_inflate(const tiff_file *f, const tiff_layout *t, uint32_t index, uint8_t *to, uint64_t bytes, error *err);

/* ---- tiff_rows.c: strips and tiles to rows --------------------------------------------------------------- */

typedef struct tiff_rows tiff_rows;

/* Begins to read rows of row_bytes.  Refuses a file that ends inside a strip or tile, or has too few of them.  The file
 * and the layout stay valid until the rows are freed.  NULL: it failed. */
tiff_rows *tiff_rows_begin(tiff_file *f, const tiff_layout *t, size_t row_bytes, const decode_options *opt, error *err);
/* Reads the n rows from y on.  plane_bytes: see row_reading.read(). */
bool tiff_rows_read(tiff_rows *r, int64_t y, int64_t n, uint8_t *to, size_t plane_bytes, error *err);
void tiff_rows_free(tiff_rows *r);
int64_t tiff_rows_step(const tiff_rows *r);                 /* row_source.step */
uint64_t tiff_rows_bytes(const tiff_rows *r, bool any);     /* row_source.memory_bytes, .whole_bytes */
void tiff_rows_count(const tiff_rows *r, image_meta *meta); /* sets tiled and blocks_... */

/* ---- tiff_samples.c: samples as they are stored to pixels ------------------------------------------------ */

typedef uint8_t tiff_palette[256][3];
bool tiff_read_palette(tiff_file *f, const tiff_layout *t, tiff_palette colours, error *err);
/* Pixels of a row; planes of the image lie plane_bytes apart.  channel: of separate planes in the file, the one that
 * these are. */
void tiff_put_row(const tiff_layout *t, const tiff_palette colours, const uint8_t *raw, size_t pixels, int channel,
                  uint8_t *dst, size_t plane_bytes);
/* Fills so many bytes, whole rows of a missing strip or tile, with layout.missing.  Integers are rounded, and clamped
 * to what their bits hold. */
void tiff_put_missing(const tiff_layout *t, uint8_t *raw, uint64_t bytes);
/* Samples of f32 or f64 that lie within layout.near of the value for no data become that value. */
void tiff_settle_nodata(const tiff_layout *t, uint8_t *raw, uint64_t bytes);
/* What is done to whole rows, when all of their channels are there. */
void tiff_finish_row(const tiff_layout *t, uint8_t *row);

/* ---- tiff_encode.c --------------------------------------------------------------------------------------- */

/* The compressions of encode_options that it knows, the default first. */
#define TIFF_BIT_COMPRESSIONS "fax4 fax3" /* of bilevel images */
#define TIFF_COMPRESSIONS     "deflate none lzw zstd packbits " TIFF_BIT_COMPRESSIONS
extern const row_writing tiff_writing;

/* ---- tiff_blocks.c: rows to strips and tiles ------------------------------------------------------------ */

/* How the pixels are to be stored. */
typedef struct tiff_blocks_how {
    int64_t width, height;
    uint32_t block_width, block_height; /* of a strip or tile */
    bool tiled, deflate;
    int planes;         /* one or more, of rows that lie */
    size_t plane_bytes; /* so far apart: as of row_sink */
    bool bits;          /* one for each pixel, set where a sample is 0 */
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

/* geo: keep the tags of GeoTIFF, which are those of the stored pixels.  only: the band that is read, from 0; -1: all.
 * units: how the samples that are read relate to the stored ones.  If it is UNITS_OTHER,
 * GDAL's scales are dropped, and a note says so. */
bool tiff_read_meta(tiff_file *f, bool geo, int only, meta_units units, image_meta *meta, error *err);
/* False: libtiff has said why. */
bool tiff_write_meta(tiff_file *f, const image_meta *meta);

#endif
