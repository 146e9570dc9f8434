/* image.h - pixels in memory, between files and the library. */
#ifndef IO_IMAGE_H
#define IO_IMAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "error.h"
#include "sat.h"

/* Metadata that is copied unchanged, to the formats that can store it. */
typedef enum meta_kind {
    META_EXIF,       /* a TIFF structure, from its byte order mark on, without a thumbnail: PNG, JPEG, TIFF */
    META_XMP,        /* a packet in UTF-8: PNG, JPEG, TIFF */
    META_PNG_COLOUR, /* whole chunks about colour */
    META_PNG_TEXT,   /* whole chunks of text, but for XMP */
    META_COMMENTS,   /* whole segments of a JPEG */
    META_HDR,        /* whole lines of a Radiance header, but for the format and the size */
    META_GEOTIFF,    /* tags of GeoTIFF, in a form of tiff_meta.c */
    META_GDAL,       /* GDAL's XML about bands, GDAL_METADATA, a text: TIFF */
    META_KINDS
} meta_kind;

enum { META_MOST_BYTES = 1 << 24 }; /* of one kind; more is dropped */

typedef struct meta_block {
    uint8_t *bytes; /* malloc'd, NULL = none */
    size_t n;
} meta_block;

enum { NODATA_TEXT_BYTES = 32, NOTE_BYTES = 128 };

/* What samples are, beside those of the file whose metadata they have. */
typedef enum meta_units {
    UNITS_SAME,        /* values in its units, with its scale and offset */
    UNITS_DIFFERENCES, /* of such values: without its offset */
    UNITS_ROOTS,       /* of the mean of their squares: the same, unless it has an offset; else: */
    UNITS_OTHER        /* neither its scale, offset nor units hold */
} meta_units;

/* A file's metadata; copied from input to output if the output's format can store it. */
typedef struct image_meta {
    uint8_t *icc; /* colour profile, malloc'd, or NULL */
    size_t icc_bytes;
    double x_per_metre, y_per_metre; /* resolution, 0 = unknown */
    int orientation;                 /* of the pixels in memory, as in Exif: 2..8; 0, 1 = upright, or unknown */
    int turned;                      /* the orientation that was applied to them; 0 = none */
    meta_block blocks[META_KINDS];
    char nodata[NODATA_TEXT_BYTES]; /* GDAL's value for no data, without blanks around it; "" = none */
    meta_units units;               /* of GDAL's description of the bands */
    char note[NOTE_BYTES]; /* for the user: what is odd about the file, or how its pixels were changed; "" = nothing */
    bool big;              /* a BigTIFF, which stays one */
    bool premultiplied;    /* of planes: colours are multiplied by alpha, */
    int pages;             /* of the file, where one was asked for; 0: not known */
    int colours, alpha;    /* the first that are colours of a picture, and the one that is alpha, from 1 */
    int mask_page;         /* page of the file, from 1, that is the image's mask; 0: none */
    bool tiled;            /* the TIFF is in tiles, not in strips */
    uint64_t blocks_all, blocks_missing; /* strips or tiles to read, and how many of these the file lacks */
} image_meta;

/* Appends a copy of n bytes to the block of that kind; drops them if it would exceed META_MOST_BYTES.  False: out of
 * memory. */
bool meta_append(image_meta *meta, meta_kind kind, const uint8_t *bytes, size_t n, error *err);
/* Appends the georeference of an image to that of an image of its cells of that size: a pixel for each. */
bool meta_of_cells(image_meta *to, const image_meta *from, int64_t cell_width, int64_t cell_height, error *err);
/* The georeference becomes that of an image of which the first `rows` are cut off. */
void meta_begin_at(image_meta *meta, int64_t rows);
void meta_free(image_meta *meta); /* frees what it points to, and zeroes the struct; a zeroed one is fine */

/* channels: 1 grey, 2 grey+alpha, 3 RGB, 4 RGBA.  Or 1, and several planes, which lie one behind the other: bands that
 * are no channels of one picture.  Rows without gaps.  Where some rows of an image are held, bands are interleaved by
 * line: a row of each plane, then the next row of each. */
typedef struct image {
    int64_t width, height; /* px, at least 1 */
    int channels;
    sat_type type; /* of samples: u8 u16 u32 i8 i16 i32 f32 f64, in native byte order */
    size_t row_bytes;
    void *data; /* malloc'd */
    image_meta meta;
    bool bilevel; /* u8, one channel, each sample 0 or 255: encoders of such formats write one bit for it */
    int planes;   /* 0 = 1 */
} image;

enum { PLANES_MAX = 1024 };

/* Allocates data (uninitialised, on huge pages when large); all fields are set. */
bool image_alloc(image *img, int64_t width, int64_t height, int channels, sat_type type, error *err);
bool image_alloc_planes(image *img, int64_t width, int64_t height, int planes, sat_type type, error *err);
/* The same width, height and planes. */
bool image_alloc_like(image *img, const image *as, int channels, sat_type type, error *err);
/* Gives view->data its bytes (as image_alloc() does, but beside any limit) and sets row_bytes from its width, channels
 * and type.  what: "the table", for the error.  Freed with free(). */
bool view_alloc(sat_view *view, const char *what, error *err);

void image_free(image *img); /* frees data and meta, zeroes the struct; a zeroed one is fine */

/* Exchanges the pixels of two images of one size, whose types and numbers of channels may differ. */
void image_exchange(image *a, image *b);

static inline int image_planes(const image *img)
{
    return img->planes > 1 ? img->planes : 1;
}

/* Samples of a pixel. */
static inline int image_bands(const image *img)
{
    return img->channels * image_planes(img);
}

/* From a row to the next one of the same plane, where bands are interleaved by line. */
static inline size_t image_line_bytes(const image *img)
{
    return img->row_bytes * (size_t)image_planes(img);
}

/* The same of planes that lie plane_bytes apart: their rows follow one another, or, where that is a row, are
 * interleaved by line. */
static inline size_t image_stride(const image *img, size_t plane_bytes)
{
    return plane_bytes == img->row_bytes ? image_line_bytes(img) : img->row_bytes;
}

/* Samples of all pixels. */
static inline int64_t image_samples(const image *img)
{
    return img->width * img->height * image_bands(img);
}

static inline bool image_has_alpha(const image *img)
{
    return img->channels == 2 || img->channels == 4;
}

/* Rows that are converted together, while they are in a cache: IMAGE_CACHE_BYTES, at most all, at least one. */
enum { IMAGE_CACHE_BYTES = 1 << 18 };
static inline int64_t image_cache_rows(size_t row_bytes, int64_t height)
{
    const int64_t rows = row_bytes < IMAGE_CACHE_BYTES ? (int64_t)(IMAGE_CACHE_BYTES / row_bytes) : 1;
    return rows < height ? rows : height;
}

/* The library's view of it, whose images are the planes; of bands that are interleaved by line; of some channels of it;
 * of some rows. */
sat_view image_view(const image *img);
sat_view image_lines_view(const image *img);
sat_view image_channels_view(const image *img, int first, int channels);
sat_view image_rows_view(const image *img, int64_t y, int64_t rows);

/* Each row of the first image of a view becomes that of all others: u8 of one channel. */
void view_repeat_first(const sat_view *v);
/* Do rows [y, y + rows) of an image with alpha contain a pixel whose alpha is 0? */
bool image_is_transparent(const image *img, int64_t y, int64_t rows);

/* Sets sample i of an image of f32 or f64, counted through all its rows. */
void image_set(image *img, int64_t i, double value);

#endif
