/* tiff_encode.c - pixels to a TIFF: strips, compressed after horizontal differences (of floats: of their bytes), or
 * bilevel ones as by a fax machine (ITU-T T.4 and T.6), in which 0 is white.  The
 * file is made in memory, as libtiff writes its directory last and the offset of that first. */
#if SAT_WITH_LIBTIFF
#include <stdlib.h>
#include <strings.h>
#include <tiffio.h>

#include "codec.h"
#include "sample_type.h"
#include "tiff_parts.h"

enum { STRIP_BYTES = 1 << 18 }; /* about: whole rows */

/* Can it exceed the 32 bits of a TIFF's offsets?  Deflate adds 5 bytes to 64 KiB that it cannot shorten; a strip of one
 * byte becomes 11, and has 16 in the directory. */
static bool needs_big(const image *img, uint64_t strips)
{
    const image_meta *meta = &img->meta;
    enum { DIRECTORY = 1 << 16, STRIP_OVERHEAD = 32 };
    uint64_t bytes = (uint64_t)img->row_bytes * (uint64_t)img->height * (uint64_t)image_planes(img);
    uint64_t more = DIRECTORY + strips * STRIP_OVERHEAD + bytes / 1024 + meta->icc_bytes;
    for (int i = 0; i < META_KINDS; i++) more += meta->blocks[i].n;
    return bytes > UINT32_MAX || more > UINT32_MAX - bytes;
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

static bool set_fields(tiff_file *f, const image *img, uint32_t rows, const compression *c)
{
    TIFF *tif = f->tif;
    const unsigned numbers = is_float_type(img->type)    ? SAMPLEFORMAT_IEEEFP
                             : is_signed_type(img->type) ? SAMPLEFORMAT_INT
                                                         : SAMPLEFORMAT_UINT;
    bool ok = TIFFSetField(tif, TIFFTAG_IMAGEWIDTH, (uint32_t)img->width) &&
              TIFFSetField(tif, TIFFTAG_IMAGELENGTH, (uint32_t)img->height) &&
              TIFFSetField(tif, TIFFTAG_BITSPERSAMPLE, c->bits ? 1 : (unsigned)(8 * sat_type_bytes(img->type))) &&
              TIFFSetField(tif, TIFFTAG_SAMPLEFORMAT, numbers) && set_meaning(tif, img, c) &&
              TIFFSetField(tif, TIFFTAG_ROWSPERSTRIP, rows);
    return ok && TIFFSetField(tif, TIFFTAG_COMPRESSION, c->code) &&
           (!c->predicts || TIFFSetField(tif, TIFFTAG_PREDICTOR,
                                         is_float_type(img->type) ? PREDICTOR_FLOATINGPOINT : PREDICTOR_HORIZONTAL));
}

/* Rows in their bytes, or where there is a buffer, in bits of which 1 is black. */
static bool write_strips(tiff_file *f, const image *img, uint32_t rows, uint8_t *bits, const io_progress *progress)
{
    const size_t row_bytes = bits ? ((size_t)img->width + 7) / 8 : img->row_bytes;
    const int64_t all = img->height * image_planes(img); /* rows, one plane behind the other */
    uint32_t strip = 0;
    double reported = 0;
    for (int64_t y = 0, count; y < all; y += count) {
        const int64_t left = img->height - y % img->height;
        count = left < rows ? left : rows;
        tmsize_t bytes = (tmsize_t)(row_bytes * (size_t)count);
        for (int64_t r = 0; bits && r < count; r++)
            codec_pack_bits(bits + (size_t)r * row_bytes, image_row(img, y + r), (size_t)img->width, 0);
        if (TIFFWriteEncodedStrip(f->tif, strip++, bits ? bits : image_row(img, y), bytes) != bytes) return false;
        double done = (double)(y + count);
        if (y + count < all && done - reported < (double)all / 64) continue;
        codec_progress(progress, (done - reported) / (double)all);
        reported = done;
    }
    return true;
}

bool tiff_encode(const image *img, const encode_options *opt, sink *out, error *err)
{
    if (img->width > INT32_MAX || img->height > INT32_MAX) {
        return fail(err, "%lldx%lld pixels are too many for TIFF, whose sides end at %d", (long long)img->width,
                    (long long)img->height, INT32_MAX);
    }
    uint32_t rows = img->row_bytes < STRIP_BYTES ? (uint32_t)(STRIP_BYTES / img->row_bytes) : 1;
    const compression *c = find_compression(opt->compression, err);
    uint8_t *bits = NULL;
    if (c == NULL) return false;
    if (c->bits && !img->bilevel) return fail(err, "%s is for results of one bit: --threshold of one channel", c->name);
    if (c->bits && !(bits = malloc(((size_t)img->width + 7) / 8 * rows))) return fail(err, "out of memory: a strip");
    tiff_file f;
    const uint64_t strips = ((uint64_t)img->height / rows + 1) * (uint64_t)image_planes(img);
    bool ok = tiff_create(&f, img->meta.big || needs_big(img, strips), err);
    if (ok) {
        tiff_know_tags(f.tif);
        ok = set_fields(&f, img, rows, c) && tiff_write_meta(&f, &img->meta) &&
             write_strips(&f, img, rows, bits, &opt->progress) && TIFFWriteDirectory(f.tif) && !f.first.text[0];
        if (!ok) fail(err, "%.200s", f.first.text[0] ? f.first.text : "libtiff cannot write it");
    }
    ok = ok && sink_write(out, f.written, f.n, err);
    tiff_close(&f);
    free(bits);
    return ok;
}

#endif
