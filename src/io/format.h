/* format.h - the table of image formats.
 *
 * A format is one file that defines `const image_format format_<id>` at its bottom, and one line in
 * formats.def.  Help text, error text, `sat --version`, the tests and the fuzzers iterate the table. */
#ifndef IO_FORMAT_H
#define IO_FORMAT_H

#include "image.h"
#include "memory.h"
#include "sink.h"
#include "source.h"

/* What a file says of its pixels, before they are decoded. */
typedef struct image_shape {
    int64_t width, height;
    int channels;
    sat_type type;
    bool raw;               /* all lie in the file as they are, in rows, so that it may stay mapped */
    bool turns;             /* the file may ask for another orientation */
    uint64_t decoder_bytes; /* what decoding holds beside the pixels, if it grows with them */
} image_shape;

/* The memory for one file, and for the work on it (image_memory.h). */
typedef struct image_memory {
    uint64_t (*work)(const image_shape *shape, const void *context); /* beside the decoded image; NULL = nothing */
    const void *context;
    memory_share share; /* the caller gives it back: memory_keep(&share, 0) */
    bool knows;         /* how large the image is */
} image_memory;

/* Is called with the part of the pixels, 0 to 1, that has been done since the call before, on any thread.  Formats that
 * do them all at once call nothing. */
typedef struct io_progress {
    void (*more)(void *context, double part); /* may be NULL */
    void *context;
} io_progress;

/* What an array of NumPy without trailer is where its type leaves it open; looked at by input_open(), as a decoder
 * takes it for an image. */
typedef enum array_kind { ARRAY_OPEN = 0, ARRAY_IMAGE, ARRAY_TABLE } array_kind;

typedef struct decode_options {
    int64_t max_pixels;   /* refuse, before anything is allocated, an image of more */
    bool no_orient;       /* leave EXIF orientation alone */
    int threads;          /* at most; 0 = one for each core */
    image_memory *memory; /* NULL = not counted */
    io_progress progress;
    array_kind array;
} decode_options;

typedef struct encode_options {
    int quality; /* 1..100, formats that have it; 0 = the format's default (90) */
    int threads; /* at most; 0 = one for each core */
    io_progress progress;
} encode_options;

typedef struct image_format {
    const char *name;             /* "jpeg" */
    const char *extensions;       /* "jpg jpeg jpe", the first is the usual one */
    const char *summary;          /* "JPEG, 8-bit grey and RGB" */
    const char *(*library)(void); /* what does the work: "libdeflate 1.14"; NULL = our own code */

    /* Is this its signature?  bytes: the file's first n. */
    bool (*sniff)(const uint8_t *bytes, size_t n);
    /* How long is a file that begins with these n bytes of a stream, SOURCE_HEAD_BYTES or more, and may go on?
     * *most: so many bytes, exactly or at most; n or less if it is complete, or so broken that decode() will say
     * what is wrong.  On false it is larger than may be decoded, or than its pixels can make it.
     * NULL = a stream is read to its end, of up to SOURCE_MOST_BYTES. */
    bool (*extent)(const uint8_t *bytes, size_t n, const decode_options *opt, uint64_t *most, error *err);
    /* The shape, if the first n bytes of a file say it; a channel that may be there is.  NULL = they never do, and then
     * the file is worked on alone. */
    bool (*shape)(const uint8_t *bytes, size_t n, image_shape *shape);
    /* A whole file in memory to pixels, whatever lies behind it, unless it is alone; NULL = write only.  On false, img
     * is freed and zeroed. */
    bool (*decode)(const uint8_t *bytes, size_t n, const decode_options *opt, image *img, error *err);
    /* Files of this format are put one behind the other to make a sequence, of which one picture would be read and the
     * others lost: decode() refuses what follows. */
    bool alone;

    /* Can a file of this format hold such pixels unchanged?  On false the error says why not
     * ("JPEG holds 8-bit samples, not u16; use .png").  NULL = read only, and then encode is NULL too. */
    bool (*holds)(sat_type type, int channels, error *err);
    /* Does that one of `extensions`, or the name, promise such pixels?  NULL: they all promise the same. */
    bool (*promises)(const char *extension, int channels, error *err);
    bool (*encode)(const image *img, const encode_options *opt, sink *out, error *err);
    bool has_quality; /* encode() looks at the quality that it is given */
} image_format;

#define FORMAT(id) extern const image_format format_##id;
#include "formats.def"
#undef FORMAT

const image_format *format_at(size_t i);                   /* NULL past the end */
const image_format *format_by_name(const char *name);      /* or by one of its extensions */
const image_format *format_by_extension(const char *path); /* NULL if it has none or an unknown one */
const char *format_extension(const char *path);            /* without its dot; "" if there is none */
const image_format *format_by_content(const uint8_t *bytes, size_t n);

/* The same for the stream that begins so; one of no known format is refused.  A source_rule; context: decode_options.
 */
bool image_extent(const uint8_t *bytes, size_t n, const void *context, uint64_t *most, error *err);
/* A file that begins so: one of no known format is refused, and so is one that needs too much memory; raw pixels map.
 * A source_look; context: decode_options. */
bool image_look(const uint8_t *head, size_t n, uint64_t file_bytes, const void *context, bool *maps, error *err);
bool image_decode(const source *src, const decode_options *opt, image *img, const image_format **format, error *err);

/* holds() and promises(), extension in letters of any case. */
bool format_holds(const image_format *format, const char *extension, sat_type type, int channels, error *err);

/* Reads an image file, "-" = standard input.  The content decides the format, not the name. */
bool image_read(const char *path, const decode_options *opt, image *img, const image_format **format, error *err);

#endif
