/* TIFF (Adobe, revision 6.0, 1992) and BigTIFF, through libtiff: one picture, or page, in strips or tiles. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "codec.h"
#include "orient.h"
#include "sample_type.h"
#include "tiff_parts.h"
#if SAT_WITH_LIBTIFF
#include <tiffio.h>
#endif

static bool sniff(const uint8_t *bytes, size_t n)
{
    enum { CLASSIC = 42, BIG = 43 };
    if (n < 8 || bytes[0] != bytes[1] || (bytes[0] != 'I' && bytes[0] != 'M')) return false;
    unsigned version = bytes[0] == 'M' ? load_be16(bytes + 2) : load_le16(bytes + 2);
    return version == CLASSIC || version == BIG;
}

#if SAT_WITH_LIBTIFF

static const char *library(void)
{
    static char text[sizeof "libtiff 00000000.00000000.00000000"];
    const char *version = strstr(TIFFGetVersion(), "ersion ");
    int n = version ? (int)strcspn(version + 7, "\n") : 0;
    snprintf(text, sizeof text, "libtiff %.*s", n, version ? version + 7 : "");
    return text;
}

/* Strips that are not decoded into the image take their own size, and about as much as they are stored. */
static bool shape(const uint8_t *bytes, size_t n, const decode_options *opt, image_shape *s)
{
    tiff_file f;
    tiff_layout t;
    error unused;
    int pages;
    bool ok = tiff_open(&f, bytes, n, &unused) && (!opt->page || tiff_open_page(&f, opt->page, &pages, &unused)) &&
              tiff_read_layout(&f, &t, opt, &unused);
    if (ok)
        *s = (image_shape){.width = t.width,
                           .height = t.height,
                           .channels = t.channels,
                           .planes = t.planes,
                           .type = t.type,
                           .turns = t.orientation > 1,
                           .decoder_bytes = t.block_bytes * (t.direct ? 1 : 2)};
    tiff_close(&f);
    return ok;
}

/* The value for no data is one of the stored samples.  Where other samples are read, it becomes theirs, if it is a
 * whole number of few bits or of an inverted type; else there is none any more, and a line says so. */
static void read_nodata_as_samples(const tiff_layout *t, image_meta *meta)
{
    const bool scaled = !is_float_type(t->type) && t->bits != 8 * (int)sat_type_bytes(t->type);
    const double largest = ldexp(1, 8 * (int)sat_type_bytes(t->type)) - 1; /* of integers without a sign */
    char *end;
    if (!meta->nodata[0] || !(scaled || t->inverted || t->palette || t->premultiplied)) return;
    const double most = scaled ? ldexp(1, t->bits) - 1 : largest, value = strtod(meta->nodata, &end);
    const bool known = end != meta->nodata && value >= 0 && value <= most && value == floor(value);
    if (t->palette || t->premultiplied || !known) {
        snprintf(meta->note, sizeof meta->note, "its value for no data, %.*s, is of stored samples, and none is read",
                 (int)sizeof meta->nodata, meta->nodata);
        meta->nodata[0] = 0;
        return;
    }
    double read = scaled ? floor(value * largest / most + 0.5) : value;
    if (t->inverted) read = largest - read;
    snprintf(meta->nodata, sizeof meta->nodata, "%.0f", read);
}

static bool decode(const uint8_t *bytes, size_t n, const decode_options *opt, image *img, error *err)
{
    *img = (image){0};
    image_meta meta = {0};
    tiff_file f;
    tiff_layout t;
    int pages;
    bool ok = tiff_open(&f, bytes, n, err) && tiff_open_page(&f, opt->page, &pages, err) &&
              tiff_read_layout(&f, &t, opt, err) && codec_size_ok(t.width, t.height, opt, err) &&
              tiff_read_meta(&f, opt->no_orient || t.orientation == 1, t.one ? t.sample[0] : -1, &meta, err) &&
              tiff_read_pixels(&f, &t, opt, img, err);
    tiff_close(&f);
    if (ok && t.orientation > 1) meta.orientation = t.orientation;
    if (ok) meta.pages = pages;
    if (ok && t.planes) meta.colours = t.colours, meta.alpha = t.alpha, meta.premultiplied = t.premultiplied;
    if (ok && !opt->channels.number && !opt->channels.name) tiff_note_bands(&t, meta.note);
    if (ok) read_nodata_as_samples(&t, &meta);
    img->meta = meta;
    if (ok && t.one && (t.colours != 1 || t.sample[0] != 0)) image_drop_profile(img);
    if (ok && !t.one) ok = image_choose_channels(img, &opt->channels, err);
    if (ok && !opt->no_orient) ok = image_orient(img, opt->threads, err);
    if (!ok) image_free(img);
    return ok;
}

static bool holds(sat_type type, int channels, error *err)
{
    (void)type, (void)channels, (void)err;
    return true;
}

#else

static const char *library(void)
{
    return "none; built without libtiff";
}

static bool decode(const uint8_t *bytes, size_t n, const decode_options *opt, image *img, error *err)
{
    (void)bytes, (void)n, (void)opt;
    *img = (image){0};
    return fail(err, "a TIFF, which cannot be read; build with libtiff");
}

#endif

const image_format format_tiff = {
    .name = "tiff",
    .extensions = "tif tiff",
    .summary = "TIFF of all sample types, with or without alpha, and of many bands",
    .library = library,
    .sniff = sniff,
    .decode = decode,
    .chooses = true,
    .pages = true,
    .planes = true,
#if SAT_WITH_LIBTIFF
    .shape = shape,
    .holds = holds,
    .encode = tiff_encode,
    .compressions = TIFF_COMPRESSIONS,
    .bit_compressions = TIFF_BIT_COMPRESSIONS,
#endif
};
