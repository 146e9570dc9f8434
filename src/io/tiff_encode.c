/* tiff_encode.c - rows to a TIFF: strips or tiles, compressed after horizontal differences (of floats: of their bytes),
 * or bilevel ones as by a fax machine (ITU-T T.4 and T.6), in which 0 is white.  A stream gets the file when it is
 * whole, as its directory comes last and the offset of that first. */
#if SAT_WITH_LIBTIFF
#include <stdlib.h>
#include <strings.h>
#include <tiffio.h>

#include "codec.h"
#include "sample_type.h"
#include "tiff_parts.h"

enum { STRIP_BYTES = 1 << 18 }; /* about: whole rows */

/* The bytes of the file, at most.  Deflate adds 5 bytes to 64 KiB that it cannot shorten; a strip of one byte becomes
 * 11, and has 16 in the directory. */
static uint64_t most_bytes(const image *img, const tiff_blocks_how *how)
{
    const image_meta *meta = &img->meta;
    enum { DIRECTORY = 1 << 16, BLOCK_OVERHEAD = 32 };
    const uint64_t across = ((uint64_t)how->width + how->block_width - 1) / how->block_width,
                   down = ((uint64_t)how->height + how->block_height - 1) / how->block_height;
    uint64_t pixels = (uint64_t)how->width * (uint64_t)how->height, bytes;
    if (how->tiled) pixels = across * how->block_width * down * how->block_height;
    if (__builtin_mul_overflow(pixels, how->pixel_bytes * (uint64_t)image_planes(img), &bytes)) return UINT64_MAX;
    uint64_t more =
        DIRECTORY + across * down * (uint64_t)image_planes(img) * BLOCK_OVERHEAD + bytes / 1024 + meta->icc_bytes;
    for (int i = 0; i < META_KINDS; i++) more += meta->blocks[i].n;
    return more > UINT64_MAX - bytes ? UINT64_MAX : bytes + more;
}

/* Can it exceed the 32 bits of a TIFF's offsets? */
static bool needs_big(const image *img, const tiff_blocks_how *how)
{
    return most_bytes(img, how) > UINT32_MAX;
}

typedef struct compression {
    const char *name;
    unsigned code;
    bool predicts; /* of samples the differences are compressed */
    bool bits;     /* of pixels of one bit */
} compression;
static const compression compressions[] = {{"deflate", COMPRESSION_ADOBE_DEFLATE, true, false},
                                           {"none", COMPRESSION_NONE, false, false},
                                           {"lzw", COMPRESSION_LZW, true, false},
                                           {"zstd", COMPRESSION_ZSTD, true, false},
                                           {"packbits", COMPRESSION_PACKBITS, false, false},
                                           {"fax4", COMPRESSION_CCITTFAX4, false, true},
                                           {"fax3", COMPRESSION_CCITTFAX3, false, true}};

/* One that libtiff has: without a name, where it lacks deflate, none.  NULL if it lacks the one that is named. */
static const compression *find_compression(const char *name, error *err)
{
    const size_t n = sizeof compressions / sizeof *compressions;
    const compression *c = compressions;
    while (name && c < compressions + n && strcasecmp(c->name, name) != 0) c++;
    if (c < compressions + n && TIFFIsCODECConfigured((uint16_t)c->code)) return c;
    if (name == NULL) return &compressions[1];
    fail(err, "the libtiff in use has no compression '%s'", name);
    return NULL;
}

static unsigned predictor_of(const image *img, const compression *c)
{
    return !c->predicts ? PREDICTOR_NONE : is_float_type(img->type) ? PREDICTOR_FLOATINGPOINT : PREDICTOR_HORIZONTAL;
}

static bool set_blocks(TIFF *tif, const tiff_blocks_how *how)
{
    if (!how->tiled) return TIFFSetField(tif, TIFFTAG_ROWSPERSTRIP, how->block_height);
    return TIFFSetField(tif, TIFFTAG_TILEWIDTH, how->block_width) &&
           TIFFSetField(tif, TIFFTAG_TILELENGTH, how->block_height);
}

/* The colours of a picture, and what the samples behind them are: alpha, or unknown. */
static bool set_meaning(TIFF *tif, const image *img, const compression *c)
{
    uint16_t kinds[PLANES_MAX] = {EXTRASAMPLE_UNASSALPHA};
    const image_meta *meta = &img->meta;
    const int bands = image_bands(img);
    int colours = img->channels < 3 ? 1 : 3;
    if (bands > img->channels) {
        colours = meta->colours == 3 && bands >= 3 ? 3 : 1;
        for (int i = colours; i < bands; i++)
            kinds[i - colours] = i + 1 != meta->alpha  ? EXTRASAMPLE_UNSPECIFIED
                                 : meta->premultiplied ? EXTRASAMPLE_ASSOCALPHA
                                                       : EXTRASAMPLE_UNASSALPHA;
    }
    return TIFFSetField(tif, TIFFTAG_SAMPLESPERPIXEL, (unsigned)bands) &&
           TIFFSetField(tif, TIFFTAG_PHOTOMETRIC,
                        c->bits       ? PHOTOMETRIC_MINISWHITE
                        : colours < 3 ? PHOTOMETRIC_MINISBLACK
                                      : PHOTOMETRIC_RGB) &&
           TIFFSetField(tif, TIFFTAG_PLANARCONFIG,
                        bands > img->channels ? PLANARCONFIG_SEPARATE : PLANARCONFIG_CONTIG) &&
           (bands == colours || TIFFSetField(tif, TIFFTAG_EXTRASAMPLES, bands - colours, kinds));
}

static bool set_fields(tiff_file *f, const image *img, const tiff_blocks_how *how, const compression *c)
{
    TIFF *tif = f->tif;
    const unsigned numbers = is_float_type(img->type)    ? SAMPLEFORMAT_IEEEFP
                             : is_signed_type(img->type) ? SAMPLEFORMAT_INT
                                                         : SAMPLEFORMAT_UINT;
    bool ok = TIFFSetField(tif, TIFFTAG_IMAGEWIDTH, (uint32_t)img->width) &&
              TIFFSetField(tif, TIFFTAG_IMAGELENGTH, (uint32_t)img->height) &&
              TIFFSetField(tif, TIFFTAG_BITSPERSAMPLE, c->bits ? 1 : (unsigned)(8 * sat_type_bytes(img->type))) &&
              TIFFSetField(tif, TIFFTAG_SAMPLEFORMAT, numbers) && set_meaning(tif, img, c) && set_blocks(tif, how);
    return ok && TIFFSetField(tif, TIFFTAG_COMPRESSION, c->code) &&
           (!c->predicts || TIFFSetField(tif, TIFFTAG_PREDICTOR, predictor_of(img, c)));
}

typedef struct writer {
    tiff_file file;
    tiff_blocks *blocks;
} writer;

static bool fail_file(const writer *w, error *err)
{
    return fail(err, "%.200s", w->file.first.text[0] ? w->file.first.text : "libtiff cannot write it");
}

/* Strips of whole rows, or tiles. */
static tiff_blocks_how store(const image *img, size_t plane_bytes, const encode_options *opt, const compression *c)
{
    const bool tiled = opt->tile_width > 0 && opt->tile_height > 0;
    const size_t row_bytes = sat_row_bytes(img->width, img->channels, img->type);
    return (tiff_blocks_how){.width = img->width,
                             .height = img->height,
                             .block_width = tiled ? opt->tile_width : (uint32_t)img->width,
                             .block_height = tiled                     ? opt->tile_height
                                             : row_bytes < STRIP_BYTES ? (uint32_t)(STRIP_BYTES / row_bytes)
                                                                       : 1,
                             .tiled = tiled,
                             .planes = image_planes(img),
                             .plane_bytes = plane_bytes,
                             .deflate = c->code == COMPRESSION_ADOBE_DEFLATE,
                             .bits = c->bits,
                             .pixel_bytes = row_bytes / (size_t)img->width,
                             .sample_bytes = sat_type_bytes(img->type),
                             .predictor = predictor_of(img, c),
                             .threads = codec_threads(opt->threads)};
}

static bool begin(row_sink *s, error *err)
{
    const image *img = s->head;
    if (img->width > INT32_MAX || img->height > INT32_MAX) {
        return fail(err, "%lldx%lld pixels are too many for TIFF, whose sides end at %d", (long long)img->width,
                    (long long)img->height, INT32_MAX);
    }
    const compression *c = find_compression(s->opt->compression, err);
    if (c == NULL) return false;
    if (c->bits && !img->bilevel) return fail(err, "%s is for results of one bit: --threshold of one channel", c->name);
    const tiff_blocks_how how = store(img, s->plane_bytes, s->opt, c);
    writer *w = s->state = calloc(1, sizeof *w);
    if (!w) return fail_memory(err, "out of memory: a TIFF");
    if (!tiff_create(&w->file, img->meta.big || needs_big(img, &how), s->out, err)) return false;
    tiff_know_tags(w->file.tif);
    if (!set_fields(&w->file, img, &how, c) || !tiff_write_meta(&w->file, &img->meta)) return fail_file(w, err);
    s->step = tiff_blocks_step(&how);
    w->blocks = tiff_blocks_begin(&how, &w->file, err);
    return w->blocks != NULL;
}

static bool write_rows(row_sink *s, const uint8_t *rows, int64_t n, error *err)
{
    writer *w = s->state;
    err->text[0] = '\0';
    return tiff_blocks_write(w->blocks, rows, n, err) || (!err->text[0] && fail_file(w, err));
}

static bool end(row_sink *s, error *err)
{
    writer *w = s->state;
    if (!TIFFWriteDirectory(w->file.tif) || w->file.first.text[0]) return fail_file(w, err);
    return w->file.out || sink_write(s->out, w->file.written, w->file.n, err);
}

static void free_writer(row_sink *s)
{
    writer *w = s->state;
    if (!w) return;
    tiff_blocks_free(w->blocks);
    tiff_close(&w->file);
    free(w);
}

/* Of a stream, the file too, which is no larger than its bound. */
static uint64_t bytes(const image_shape *shape, const encode_options *opt, const sink *out)
{
    error unused;
    const image img = {.width = shape->width,
                       .height = shape->height,
                       .channels = shape->channels,
                       .planes = shape->planes,
                       .type = shape->type};
    const compression *c = find_compression(opt->compression, &unused);
    if (c == NULL) return 0;
    const tiff_blocks_how how = store(&img, sat_row_bytes(img.width, img.channels, img.type), opt, c);
    return tiff_blocks_bytes(&how) + (sink_rewrites(out) ? 0 : most_bytes(&img, &how));
}

const row_writing tiff_writing = {.begin = begin, .write = write_rows, .end = end, .free = free_writer, .bytes = bytes};

#endif
