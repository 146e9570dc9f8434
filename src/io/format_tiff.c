/* TIFF (Adobe, revision 6.0, 1992) and BigTIFF, through libtiff: one picture, or page, in strips or tiles. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <strings.h>

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
    byte_reader in = reader_of_memory(bytes, n);
    tiff_file f;
    tiff_layout t;
    error unused;
    int pages;
    bool ok = tiff_open(&f, &in, &unused) && (!opt->page || tiff_open_page(&f, opt->page, false, &pages, &unused)) &&
              tiff_read_layout(&f, &t, opt, &unused);
    if (ok)
        *s = (image_shape){.width = t.width,
                           .height = t.height,
                           .channels = t.channels,
                           .planes = t.planes,
                           .type = t.type,
                           .turns = t.orientation > 4 || (t.orientation > 1 && t.planes),
                           .decoder_bytes = t.block_bytes * (t.direct ? 1 : 2)};
    tiff_close(&f);
    return ok;
}

static bool is_scaled(const tiff_layout *t)
{
    return !is_float_type(t->type) && t->bits != 8 * (int)sat_type_bytes(t->type);
}

/* Returns true if the samples that are read differ from the stored samples in value or
 * type. */
static bool reads_others(const tiff_layout *t)
{
    return is_scaled(t) || t->inverted || t->palette || t->premultiplied;
}

/* The value for no data is one of the stored samples.  Where other samples are read, it becomes theirs, if it is a
 * whole number of few bits or of an inverted type; else there is none any more, and a line says so. */
static void read_nodata_as_samples(const tiff_layout *t, image_meta *meta)
{
    const bool scaled = is_scaled(t);
    const double largest = ldexp(1, 8 * (int)sat_type_bytes(t->type)) - 1; /* of integers without a sign */
    char *end;
    if (!meta->nodata[0] || !reads_others(t)) return;
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

/* What missing blocks are filled with, and how near a sample must be to the value for no data to become it: of a text
 * with few digits, such as -3.402823e+38, the samples' value is another one.  Of f32 GDAL's distance is 2^-21 of the
 * value, and beside the largest f32, where its comparison overflows, more; of f64 that of the nearest f32. */
static bool take_nodata(tiff_layout *t, const image_meta *meta, const decode_options *opt, error *err)
{
    const char *digits = meta->nodata + (*meta->nodata == '-' || *meta->nodata == '+');
    char *end;
    double value = strtod(meta->nodata, &end);
    if (end == meta->nodata || strncasecmp(digits, "0x", 2) == 0)
        return !meta->nodata[0] || !opt->strict ||
               fail(err, "its value for no data is '%s', which is no number", meta->nodata);
    if (strncmp(digits, "1.#", 3) == 0)
        value = strncasecmp(digits + 3, "inf", 3) == 0 ? copysign(INFINITY, value) : NAN;
    t->missing = value;
    const double size = fabs(value), rounded = (double)(float)value;
    const bool stored = !t->inverted && !t->premultiplied && is_float_type(t->type) && t->bits >= 32;
    if (opt->takes_nodata && stored && isfinite(rounded) && rounded != value)
        t->near = size > 3.4028e38 ? size * 0x1p-16 : t->bits == 32 ? size * 0x1p-21 : fabs(rounded - value);
    return true;
}

typedef struct reading {
    tiff_file file;
    tiff_layout layout;
    tiff_rows *rows;
} reading;

/* What is known before the samples. */
static bool open_file(row_source *s, reading *r, const decode_options *opt, error *err)
{
    tiff_layout *t = &r->layout;
    image_meta *meta = &s->head.meta;
    if (!tiff_open(&r->file, &s->in, err) || !tiff_open_page(&r->file, opt->page, opt->strict, &meta->pages, err) ||
        !tiff_read_layout(&r->file, &r->layout, opt, err) || !codec_size_ok(t->width, t->height, opt, err) ||
        !tiff_read_meta(&r->file, opt->no_orient || t->orientation == 1, t->one ? t->sample[0] : -1,
                        reads_others(t) ? UNITS_OTHER : UNITS_SAME, meta, err))
        return false;
    meta->mask_page = r->file.mask;
    s->head.width = t->width;
    s->head.height = t->height;
    s->head.channels = t->channels;
    s->head.planes = t->planes;
    s->head.type = t->type;
    s->chosen = t->one;
    if (t->tiled) s->tile_width = t->block_width, s->tile_height = t->block_height;
    if (t->planes) meta->colours = t->colours, meta->alpha = t->alpha, meta->premultiplied = t->premultiplied;
    if (t->orientation > 1 && t->orientation < 5 && !t->planes && !opt->no_orient)
        s->turned = meta->turned = t->orientation;
    else if (t->orientation > 1)
        meta->orientation = t->orientation;
    if (meta->orientation && !opt->no_orient) s->whole = "it is to be turned";
    if (!opt->channels.number && !opt->channels.name) tiff_note_bands(t, meta->note);
    if (!take_nodata(t, meta, opt, err)) return false;
    read_nodata_as_samples(t, meta);
    if (r->file.ends && !meta->note[0])
        snprintf(meta->note, sizeof meta->note,
                 "the file ends before its next page; the first is read (--strict refuses it)");
    if (t->one && (t->colours != 1 || t->sample[0] != 0)) image_drop_profile(&s->head);
    return true;
}

static bool open_rows(row_source *s, const decode_options *opt, error *err)
{
    if (s->in_order) {
        s->whole = "it comes through a pipe";
        return true;
    }
    reading *r = s->state = calloc(1, sizeof *r);
    if (!r) return fail_memory(err, "out of memory: a TIFF");
    if (!open_file(s, r, opt, err)) return false;
    r->rows =
        tiff_rows_begin(&r->file, &r->layout, sat_row_bytes(s->head.width, s->head.channels, s->head.type), opt, err);
    if (!r->rows) return false;
    tiff_rows_count(r->rows, &s->head.meta);
    s->step = tiff_rows_step(r->rows);
    s->whole_bytes = s->memory_bytes + tiff_rows_bytes(r->rows, false);
    s->memory_bytes += tiff_rows_bytes(r->rows, true);
    return true;
}

static bool read_rows(row_source *s, int64_t y, int64_t n, uint8_t *rows, size_t plane_bytes, error *err)
{
    return tiff_rows_read(((reading *)s->state)->rows, y, n, rows, plane_bytes, err);
}

static void close_rows(row_source *s)
{
    reading *r = s->state;
    if (!r) return;
    tiff_rows_free(r->rows);
    tiff_close(&r->file);
    free(r);
}

static const row_reading reads_rows = {.open = open_rows, .read = read_rows, .close = close_rows};

static bool decode(const uint8_t *bytes, size_t n, const decode_options *opt, image *img, error *err)
{
    bool ok =
        rows_decode(&reads_rows, bytes, n, opt, img, err) && (opt->no_orient || image_orient(img, opt->threads, err));
    if (!ok) image_free(img);
    return ok;
}

static bool holds(sat_type type, int channels, error *err)
{
    (void)type, (void)channels, (void)err;
    return true;
}

static bool encode(const image *img, const encode_options *opt, sink *out, error *err)
{
    return rows_encode(&format_tiff, img, opt, out, err);
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
    .encode = encode,
    .reads_rows = &reads_rows,
    .writes_rows = &tiff_writing,
    .compressions = TIFF_COMPRESSIONS,
    .bit_compressions = TIFF_BIT_COMPRESSIONS,
#endif
};
