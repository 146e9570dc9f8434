/* tiff_layout.c - how the pixels of a TIFF are stored, and whether they can be read. */
#if SAT_WITH_LIBTIFF
#include <stdio.h>
#include <tiffio.h>

#include "codec.h"
#include "sample_type.h"
#include "tiff_parts.h"

static unsigned field16(tiff_file *f, uint32_t tag, unsigned otherwise)
{
    uint16_t value = 0;
    return TIFFGetFieldDefaulted(f->tif, tag, &value) ? value : otherwise;
}

static uint32_t field32(tiff_file *f, uint32_t tag, uint32_t otherwise)
{
    uint32_t value = 0;
    return TIFFGetFieldDefaulted(f->tif, tag, &value) ? value : otherwise;
}

static bool read_compression(tiff_file *f, unsigned *compression, error *err)
{
    *compression = field16(f, TIFFTAG_COMPRESSION, COMPRESSION_NONE);
    switch (*compression) {
    case COMPRESSION_NONE:
    case COMPRESSION_CCITTRLE:
    case COMPRESSION_CCITTFAX3:
    case COMPRESSION_CCITTFAX4:
    case COMPRESSION_LZW:
    case COMPRESSION_PACKBITS:
    case COMPRESSION_DEFLATE:
    case COMPRESSION_ADOBE_DEFLATE:
    case COMPRESSION_ZSTD:
    case COMPRESSION_LZMA:
    case COMPRESSION_WEBP:
    case COMPRESSION_LERC:
    case COMPRESSION_JPEG:
        if (TIFFIsCODECConfigured((uint16_t)*compression)) return true;
        break;
    default: break;
    }
    const TIFFCodec *codec = TIFFFindCODEC((uint16_t)*compression);
    return fail(err, "a TIFF in compression %u (%s), which cannot be read", *compression,
                codec && codec->name ? codec->name : "unknown");
}

static const char *format_name(unsigned format)
{
    static const char *const names[] = {"", "unsigned", "signed", "float", "untyped", "complex", "complex float"};
    return format < sizeof names / sizeof *names ? names[format] : "unknown";
}

static bool read_type(tiff_file *f, tiff_layout *t, error *err)
{
    unsigned format = field16(f, TIFFTAG_SAMPLEFORMAT, SAMPLEFORMAT_UINT);
    t->bits = (int)field16(f, TIFFTAG_BITSPERSAMPLE, 1);
    const int bits = t->bits;
    switch (format) {
    case SAMPLEFORMAT_IEEEFP:
        t->type = bits == 16 || bits == 32 ? SAT_F32 : bits == 64 ? SAT_F64 : SAT_TYPE_NONE;
        break;
    case SAMPLEFORMAT_INT:
        t->type = bits == 8 ? SAT_I8 : bits == 16 ? SAT_I16 : bits == 32 ? SAT_I32 : SAT_TYPE_NONE;
        break;
    case SAMPLEFORMAT_UINT:
    case SAMPLEFORMAT_VOID:
        t->type = bits < 1 || (bits > 16 && bits != 32) ? SAT_TYPE_NONE
                  : bits <= 8                           ? SAT_U8
                  : bits <= 16                          ? SAT_U16
                                                        : SAT_U32;
        break;
    default: t->type = SAT_TYPE_NONE;
    }
    if (t->type) return true;
    return fail(err, "a TIFF of %d-bit %s samples, which cannot be read; convert them to f32 or f64 first", bits,
                format_name(format));
}

/* The first extra sample that is called alpha is one, wherever it stands. */
static void read_alpha(tiff_file *f, tiff_layout *t)
{
    uint16_t count = 0, *kinds = NULL;
    const int extra = t->samples - t->colours;
    if (extra == 0 || !TIFFGetField(f->tif, TIFFTAG_EXTRASAMPLES, &count, &kinds) || count != extra) return;
    for (int i = 0; i < extra; i++) {
        if (kinds[i] != EXTRASAMPLE_ASSOCALPHA && kinds[i] != EXTRASAMPLE_UNASSALPHA) continue;
        t->premultiplied = kinds[i] == EXTRASAMPLE_ASSOCALPHA;
        t->sample[t->channels++] = t->colours + i;
        return;
    }
}

/* Are there bands that have no name, but not the one of this name? */
static bool lacks_named(const tiff_layout *t, char name)
{
    return name && t->samples > t->channels && (name == 'a' ? t->channels == t->colours : t->colours < 3);
}

/* Colours that are multiplied by alpha cannot be read alone: they are chosen when they are divided. */
static bool choose_band(tiff_layout *t, const channel_choice *choice, error *err)
{
    const int number = choice->number;
    if (lacks_named(t, choice->name))
        return fail(err, "there is no channel %c: the TIFF has %d bands; --channel N takes one of them", choice->name,
                    t->samples);
    if (number > t->samples)
        return fail(err, "there is no channel %d: the TIFF has %d band%s", number, t->samples,
                    t->samples > 1 ? "s" : "");
    if (number == 0 || (t->premultiplied && number <= t->colours)) return true;
    t->one = true;
    t->channels = 1;
    t->sample[0] = number - 1;
    t->premultiplied = false;
    t->inverted = t->inverted && number <= t->colours;
    return true;
}

/* All samples become planes where some would be left out, of as many as the caller says, and none is chosen. */
static bool choose_planes(tiff_layout *t, const decode_options *opt, error *err)
{
    const channel_choice *choice = &opt->channels;
    const bool chosen = choice->number || choice->name || choice->gray;
    if (chosen || opt->planes_from == 0 || t->samples < opt->planes_from || t->samples == t->channels) return true;
    if (t->samples > PLANES_MAX)
        return fail(err, "a TIFF of %d bands; at most %d are read together, and --channel N reads one", t->samples,
                    PLANES_MAX);
    t->alpha = t->channels > t->colours ? t->sample[t->colours] + 1 : 0;
    t->planes = t->samples;
    t->channels = 1;
    return true;
}

static bool read_channels(tiff_file *f, tiff_layout *t, int colours, const decode_options *opt, error *err)
{
    if (t->samples < colours) return fail(err, "corrupt: a TIFF whose pixels have too few samples");
    t->colours = t->channels = colours;
    for (int c = 0; c < colours; c++) t->sample[c] = c;
    read_alpha(f, t);
    if (!choose_band(t, &opt->channels, err) || !choose_planes(t, opt, err)) return false;
    if (t->inverted && t->type != SAT_U8 && t->type != SAT_U16 && t->type != SAT_U32)
        return fail(err, "a TIFF of %s whose 0 is white, which cannot be read", sat_type_name(t->type));
    if (t->premultiplied && !t->planes && is_signed_type(t->type))
        return fail(err, "a TIFF of %s colours that are multiplied by their alpha, which cannot be read",
                    sat_type_name(t->type));
    return true;
}

/* A palette has 2^bits colours for pixels of one sample, with another of 8 bits for alpha. */
static bool read_palette(tiff_file *f, tiff_layout *t, error *err)
{
    t->colours = 1;
    read_alpha(f, t);
    const bool alpha = t->samples == 2 && t->channels == 1 && t->bits == 8 && !t->premultiplied && !t->planar;
    if ((t->samples != 1 && !alpha) || t->bits > 8 || t->type != SAT_U8)
        return fail(err, "a TIFF with a palette of %d samples of %d bits, which cannot be read", t->samples, t->bits);
    t->palette = true;
    t->colours = 3;
    t->channels = 3 + alpha;
    return true;
}

static bool read_colours(tiff_file *f, tiff_layout *t, unsigned compression, const decode_options *opt, error *err)
{
    uint16_t photometric = t->samples < 3 ? PHOTOMETRIC_MINISBLACK : PHOTOMETRIC_RGB;
    TIFFGetField(f->tif, TIFFTAG_PHOTOMETRIC, &photometric);
    switch (photometric) {
    case PHOTOMETRIC_MASK:
    case PHOTOMETRIC_MINISBLACK: return read_channels(f, t, 1, opt, err);
    case PHOTOMETRIC_MINISWHITE: t->inverted = true; return read_channels(f, t, 1, opt, err);
    case PHOTOMETRIC_RGB: return read_channels(f, t, 3, opt, err);
    case PHOTOMETRIC_PALETTE: return read_palette(f, t, err);
    case PHOTOMETRIC_SEPARATED:
        if (opt->channels.number) return choose_band(t, &opt->channels, err);
        return fail(err, "a CMYK TIFF, which cannot be read; convert it to RGB first, or take one of its bands by "
                         "--channel N");
    case PHOTOMETRIC_YCBCR:
        t->ycbcr = true;
        if (!read_channels(f, t, 3, opt, err)) return false;
        if (compression == COMPRESSION_JPEG && t->samples == 3 && !t->planar) return true;
        return fail(err, "a TIFF of YCbCr that is no JPEG, which cannot be read; convert it to RGB first");
    default: return fail(err, "a TIFF of photometric interpretation %u, which cannot be read", photometric);
    }
}

/* They lie behind the colours, on both sides of alpha. */
void tiff_note_bands(const tiff_layout *t, char note[NOTE_BYTES])
{
    const int left = t->samples - t->channels, alpha = t->channels > t->colours ? t->sample[t->colours] : t->samples;
    const int ranges[2][2] = {{t->colours, alpha}, {alpha + 1, t->samples}};
    int n = 0, one = 0;
    if (t->planes && t->alpha)
        snprintf(note, NOTE_BYTES, "band %d of %d is alpha, and weighs no other band", t->alpha, t->samples);
    if (t->palette || t->planes || left == 0) return;
    for (int i = 0; i < 2; i++) {
        const int first = ranges[i][0] + 1, last = ranges[i][1];
        if (first > last) continue;
        one = last;
        n += snprintf(note + n, NOTE_BYTES - (size_t)n, n ? ", %d" : left > 1 ? "bands %d" : "band %d", first);
        if (first < last) n += snprintf(note + n, NOTE_BYTES - (size_t)n, " to %d", last);
    }
    if (left == 1)
        snprintf(note + n, NOTE_BYTES - (size_t)n, " of %d is left out; --channel %d reads it", t->samples, one);
    else
        snprintf(note + n, NOTE_BYTES - (size_t)n, " of %d are left out; --channel N reads one", t->samples);
}

static bool read_blocks(tiff_file *f, tiff_layout *t, error *err)
{
    t->tiled = TIFFIsTiled(f->tif);
    t->block_width = t->tiled ? field32(f, TIFFTAG_TILEWIDTH, 0) : t->width;
    t->block_height = field32(f, t->tiled ? TIFFTAG_TILELENGTH : TIFFTAG_ROWSPERSTRIP, t->tiled ? 0 : t->height);
    if (!t->tiled && t->block_height > t->height) t->block_height = t->height;
    t->block_row_bytes = ((uint64_t)t->block_width * (uint64_t)((t->planar ? 1 : t->samples) * t->bits) + 7) / 8;
    if (t->block_row_bytes == 0 || t->block_height == 0 ||
        __builtin_mul_overflow(t->block_row_bytes, t->block_height, &t->block_bytes) || t->block_bytes > PTRDIFF_MAX)
        return fail(err, "corrupt: a TIFF in blocks of %ux%u pixels", t->block_width, t->block_height);
    return true;
}

/* libtiff undoes the predictors of LZW, LZMA and Zstandard, or refuses them; and those of Deflate that are refused
 * here, or whose bits are to be reversed. */
static bool read_predictor(tiff_file *f, tiff_layout *t, unsigned compression, error *err)
{
    if (compression == COMPRESSION_LZW || compression == COMPRESSION_ZSTD || compression == COMPRESSION_LZMA)
        return true;
    const bool deflate = compression == COMPRESSION_DEFLATE || compression == COMPRESSION_ADOBE_DEFLATE;
    const bool whole = t->bits == 8 || t->bits == 16 || t->bits == 32 || t->bits == 64;
    const unsigned predictor = deflate ? field16(f, TIFFTAG_PREDICTOR, PREDICTOR_NONE) : tiff_predictor(f);
    const bool none = predictor == PREDICTOR_NONE,
               known = none || (predictor == PREDICTOR_HORIZONTAL && whole) ||
                       (predictor == PREDICTOR_FLOATINGPOINT && is_float_type(t->type));
    t->deflate = deflate && known && field16(f, TIFFTAG_FILLORDER, FILLORDER_MSB2LSB) == FILLORDER_MSB2LSB;
    if (!none && (t->deflate || compression == COMPRESSION_PACKBITS)) t->predictor = predictor;
    if (deflate || none || (compression == COMPRESSION_PACKBITS && known)) return true;
    return fail(err, "a TIFF in compression %u (%s) with predictor %u, which cannot be read", compression,
                TIFFFindCODEC((uint16_t)compression)->name, predictor);
}

bool tiff_read_layout(tiff_file *f, tiff_layout *t, const decode_options *opt, error *err)
{
    unsigned compression;
    *t = (tiff_layout){.width = field32(f, TIFFTAG_IMAGEWIDTH, 0), .height = field32(f, TIFFTAG_IMAGELENGTH, 0)};
    t->samples = (int)field16(f, TIFFTAG_SAMPLESPERPIXEL, 1);
    t->planar = field16(f, TIFFTAG_PLANARCONFIG, PLANARCONFIG_CONTIG) == PLANARCONFIG_SEPARATE;
    if (!read_compression(f, &compression, err) || !read_type(f, t, err) || !read_colours(f, t, compression, opt, err))
        return false;
    if (t->samples == 1) t->planar = false;
    if (compression == COMPRESSION_JPEG && t->bits != 8)
        return fail(err, "a JPEG of %d bits in a TIFF, which cannot be read", t->bits);
    t->plain = compression == COMPRESSION_NONE;
    t->as_stored = t->plain && field16(f, TIFFTAG_FILLORDER, FILLORDER_MSB2LSB) == FILLORDER_MSB2LSB;
    unsigned orientation = field16(f, TIFFTAG_ORIENTATION, 1);
    t->orientation = orientation >= 1 && orientation <= 8 ? (int)orientation : 1;
    t->same = !t->palette && (t->planar ? 1 : t->samples) == t->channels && compression != COMPRESSION_JPEG &&
              t->bits == 8 * (int)sat_type_bytes(t->type);
    t->direct = t->same && !TIFFIsTiled(f->tif);
    if (!read_predictor(f, t, compression, err)) return false;
    if (t->ycbcr) TIFFSetField(f->tif, TIFFTAG_JPEGCOLORMODE, JPEGCOLORMODE_RGB);
    return read_blocks(f, t, err);
}

static bool is_smaller(tiff_file *f)
{
    return field32(f, TIFFTAG_SUBFILETYPE, 0) & FILETYPE_REDUCEDIMAGE;
}

static bool is_part(tiff_file *f)
{
    return field32(f, TIFFTAG_SUBFILETYPE, 0) & (FILETYPE_REDUCEDIMAGE | FILETYPE_MASK);
}

/* All directories, pictures and copies; libtiff's errors on the way are none of the page's. */
static int count_pages(tiff_file *f)
{
    const error before = f->first;
    const int pages = (int)TIFFNumberOfDirectories(f->tif);
    f->first = before;
    f->cut = false;
    return pages;
}

static bool one_picture(tiff_file *f, bool strict, error *err)
{
    enum { MOST = 2 * 64 }; /* copies of halved sides, each with a mask */
    if (is_smaller(f))
        return fail(err,
                    "a TIFF that begins with a thumbnail, which is not read; --page N reads page N, the first is 0");
    if (TIFFLastDirectory(f->tif)) return true;
    for (int i = 1; !TIFFLastDirectory(f->tif); i++) {
        if (i <= MOST && !TIFFReadDirectory(f->tif)) {
            f->ends = f->cut && !strict;
            if (!f->circle && !f->ends) return tiff_fail(f, err);
            f->first.text[0] = '\0', f->cut = false;
            break;
        }
        if (i > MOST || !is_part(f))
            return fail(err, "a TIFF of several pictures, in %d pages; --page N reads one, the first is 0",
                        count_pages(f));
        if (!f->mask && !is_smaller(f)) f->mask = i + 1;
    }
    return TIFFSetDirectory(f->tif, 0) || tiff_fail(f, err);
}

/* Of the first page, among the pages behind it. */
static bool find_mask(tiff_file *f, bool strict, error *err)
{
    enum { MOST = 2 * 64 };
    const error before = f->first;
    for (int i = 1; i <= MOST && !f->mask && !TIFFLastDirectory(f->tif) && TIFFReadDirectory(f->tif); i++)
        if (is_part(f) && !is_smaller(f)) f->mask = i + 1;
    f->ends = f->cut;
    if (f->ends && strict) return tiff_fail(f, err);
    f->first = before, f->cut = false;
    return TIFFSetDirectory(f->tif, 0) || tiff_fail(f, err);
}

bool tiff_open_page(tiff_file *f, int page, bool strict, int *pages, error *err)
{
    *pages = page ? count_pages(f) : 0;
    if (page > *pages)
        return fail(err, "there is no page %d: the TIFF has %d, from 0 to %d", page - 1, *pages, *pages - 1);
    if (page > 1 && !TIFFSetDirectory(f->tif, (tdir_t)(page - 1))) return tiff_fail(f, err);
    uint32_t depth = field32(f, TIFFTAG_IMAGEDEPTH, 1);
    if (depth != 1) return fail(err, "a TIFF of a volume of %u slices, which cannot be read", depth);
    return page > 1 || (page ? find_mask(f, strict, err) : one_picture(f, strict, err));
}

#endif
