/* format.h - the table of image formats.
 *
 * A format is one file that defines `const image_format format_<id>` at its bottom, and one line in
 * formats.def.  Help text, error text, `sat --version`, the tests and the fuzzers iterate the table. */
#ifndef IO_FORMAT_H
#define IO_FORMAT_H

#include "channels.h"
#include "image.h"
#include "memory.h"
#include "sink.h"
#include "source.h"

/* The size and type of an image, from the beginning of its file. */
typedef struct image_shape {
    int64_t width, height;
    int channels, planes; /* planes: 0 = 1 */
    sat_type type;
    bool raw;               /* the file has plain samples in rows, and may stay mapped */
    bool turns;             /* the file may have an orientation */
    uint64_t decoder_bytes; /* the decoder's memory beside the pixels, if it grows with them */
} image_shape;

static inline int shape_bands(const image_shape *s)
{
    return s->channels * (s->planes > 1 ? s->planes : 1);
}

static inline image_shape image_shape_of(const image *img)
{
    return (image_shape){.width = img->width,
                         .height = img->height,
                         .channels = img->channels,
                         .planes = img->planes,
                         .type = img->type};
}

/* The memory for one file and its processing (image_memory.h). */
typedef struct image_memory {
    uint64_t (*work)(const image_shape *shape, const void *context); /* beside the decoded image; NULL = nothing */
    const void *context;
    memory_share share; /* the caller gives it back: memory_keep(&share, 0) */
    bool knows;         /* the size of the image */
} image_memory;

/* more() is called on any thread, with the part of the pixels (0 to 1) that was done since the last call.  Formats that
 * do all pixels in one step never call it. */
typedef struct io_progress {
    void (*more)(void *context, double part); /* may be NULL */
    void *context;
} io_progress;

/* What a NumPy array without trailer is, if its type allows both (input_open_rows()).  An array of few rows and many
 * channels is an image only as ARRAY_IMAGE. */
typedef enum array_kind { ARRAY_OPEN = 0, ARRAY_IMAGE, ARRAY_TABLE } array_kind;

typedef struct decode_options {
    int64_t max_pixels;   /* refuse, before anything is allocated, an image of more */
    bool no_orient;       /* leave EXIF orientation alone */
    int threads;          /* at most; 0 = one for each core */
    image_memory *memory; /* NULL = not counted */
    io_progress progress;
    array_kind array;
    const struct raw_layout *raw; /* raw.h: what the input is; NULL: its content says so */
    channel_choice channels;      /* made by image_decode(), unless the format chooses; other decoders ignore it */
    /* Of a file with so many samples a pixel, or more, all become planes if some would not be channels of its picture
     * (unless channels are chosen); with fewer, a note says which are left out.  0: always with fewer. */
    int planes_from;
    bool
        takes_nodata; /* if the file's value for no data is written with too few digits, floats near it are set to it */
    bool strict;      /* errors: faults that otherwise give a note, and missing strips or tiles of a TIFF */
    int page;         /* of a file of several, from 1; 0: its only picture, beside its copies; more are refused */
} decode_options;

typedef struct encode_options {
    int quality;             /* 1..100, formats that have it; 0 = the format's default (90) */
    int threads;             /* at most; 0 = one for each core */
    const char *compression; /* of formats that name some; NULL = the first */
    io_progress progress;
    uint32_t tile_width, tile_height; /* px, multiples of 16, of formats that have tiles; 0 = rows */
} encode_options;

struct row_reading; /* row_source.h */
struct row_writing; /* row_sink.h */

typedef struct image_format {
    const char *name;             /* "jpeg" */
    const char *extensions;       /* "jpg jpeg jpe", the first is the usual one */
    const char *summary;          /* "JPEG, 8-bit grey and RGB" */
    const char *(*library)(void); /* what does the work: "libdeflate 1.14"; NULL = our own code */

    /* Does a file with these first n bytes have this format?  NULL: nothing in a file says so; it is that of
     * decode_options.raw. */
    bool (*sniff)(const uint8_t *bytes, size_t n);
    /* The length of a file that begins with these n bytes of a stream.  *most: the length or an upper bound of it; n or
     * less if the file is complete, or if decode() will refuse it.  False: the file is larger than allowed, or than its
     * pixels can need.  NULL = a stream is read to its end, up to SOURCE_MOST_BYTES. */
    bool (*extent)(const uint8_t *bytes, size_t n, const decode_options *opt, uint64_t *most, error *err);
    /* The shape, from the first n bytes of a file; false if they do not contain it.  An alpha channel that may follow
     * counts.  NULL = never known in advance; such a file gets all of the memory limit. */
    bool (*shape)(const uint8_t *bytes, size_t n, const decode_options *opt, image_shape *shape);
    /* Decodes a whole file in memory.  Bytes behind the image are ignored, unless `alone`.  NULL = none, or by
     * rows alone.  On false, img is freed and zeroed. */
    bool (*decode)(const uint8_t *bytes, size_t n, const decode_options *opt, image *img, error *err);
    /* Files of this format are concatenated to sequences.  decode() refuses bytes behind the image, as all pictures but
     * the first would be lost. */
    bool alone;
    /* decode() makes the choice of channels: a file may have more of them than an image. */
    bool chooses;
    /* Nothing in a file says whether the last of 2 or 4 channels is alpha. */
    bool unnamed_channels;

    /* Can a file of this format hold such pixels unchanged?  On false the error says why not
     * ("JPEG holds u8 samples, not u16").  NULL = read only, and then encode is NULL too. */
    bool (*holds)(sat_type type, int channels, error *err);
    /* Can a file with this one of `extensions`, or of this format's name, hold such pixels?  NULL: yes. */
    bool (*promises)(const char *extension, int channels, error *err);
    bool (*encode)(const image *img, const encode_options *opt, sink *out, error *err);
    /* Those of `extensions`, and its name, whose files have one bit for each pixel of a bilevel image; NULL: none. */
    const char *bilevel;
    bool has_quality;                      /* encode() uses its quality */
    const char *compressions;              /* that encode() can be asked for, with blanks between; NULL: none */
    const char *bit_compressions;          /* those of them that are for bilevel images alone; NULL: none */
    bool no_negatives;                     /* encode() refuses samples below 0 */
    bool planes;                           /* encode() takes images of several */
    bool pages;                            /* decode() takes a page */
    const struct row_reading *reads_rows;  /* NULL: an image is decoded whole */
    const struct row_writing *writes_rows; /* NULL: an image is encoded whole */
} image_format;

#define FORMAT(id) extern const image_format format_##id;
#include "formats.def"
#undef FORMAT

bool format_lists(const char *list, const char *word);     /* of `extensions` and the like, in any case */
const image_format *format_at(size_t i);                   /* NULL past the end */
const image_format *format_by_name(const char *name);      /* or by one of its extensions */
const image_format *format_by_extension(const char *path); /* NULL if it has none or an unknown one */
const char *format_extension(const char *path);            /* without its dot; "" if there is none */
const image_format *format_by_content(const uint8_t *bytes, size_t n);
const image_format *format_of_samples(void); /* that of decode_options.raw */

/* Do files with that extension, or of that format's name, in that compression, have bits for bilevel images?  Have they
 * for no others?  compression: NULL, the format's first. */
bool format_has_bits(const image_format *format, const char *extension, const char *compression);
bool format_has_bits_only(const image_format *format, const char *compression);

/* holds() and promises(), extension in letters of any case, of an image of that shape but for its type and channels. An
 * error of holds() is followed by the extensions of the formats that hold such pixels ("; use .png, .tif or .pam"),
 * negative ones too where some may be. */
bool format_holds(const image_format *format, const char *extension, sat_type type, int channels, int planes,
                  bool negative, error *err);

/* ---- image_file.c ------------------------------------------------------------------------------------ */

/* The error of bytes of no known format; returns false. */
bool image_unknown(error *err);
/* extent() of the format of these bytes; an unknown format is refused.  A source_extent; context: decode_options. */
bool image_extent(const uint8_t *bytes, size_t n, const void *context, uint64_t *most, error *err);
/* Maps files of raw pixels; refuses an unknown format, and an image that needs too much memory.  A source_probe;
 * context: decode_options. */
bool image_probe(const uint8_t *head, size_t n, uint64_t file_bytes, const void *context, bool *maps, error *err);
bool image_decode(const source *src, const decode_options *opt, image *img, const image_format **format, error *err);

/* Reads an image file, "-" = standard input (row_source.c).  The content decides the format, not the name. */
bool image_read(const char *path, const decode_options *opt, image *img, const image_format **format, error *err);

#endif
