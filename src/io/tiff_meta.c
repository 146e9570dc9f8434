/* tiff_meta.c - the metadata of a TIFF: resolution, colour profile, XMP, EXIF, orientation, the tags of GeoTIFF (OGC
 * 19-008r4), which are carried as they are, GDAL's value for no data, and its description of the bands. */
#include "image.h"

#if SAT_WITH_LIBTIFF
#include <stdlib.h>
#include <tiffio.h>

#include "codec.h"
#include "exif_tiff.h"
#include "gdal_metadata.h"
#include "tiff_parts.h"

enum { ANY = TIFF_VARIABLE2, TEXT = TIFF_VARIABLE };

static const TIFFFieldInfo geo_tags[] = {
    {33550, ANY, ANY, TIFF_DOUBLE, FIELD_CUSTOM, 1, 1, "ModelPixelScale"},
    {33922, ANY, ANY, TIFF_DOUBLE, FIELD_CUSTOM, 1, 1, "ModelTiepoint"},
    {34264, ANY, ANY, TIFF_DOUBLE, FIELD_CUSTOM, 1, 1, "ModelTransformation"},
    {34735, ANY, ANY, TIFF_SHORT, FIELD_CUSTOM, 1, 1, "GeoKeyDirectory"},
    {34736, ANY, ANY, TIFF_DOUBLE, FIELD_CUSTOM, 1, 1, "GeoDoubleParams"},
    {34737, TEXT, TEXT, TIFF_ASCII, FIELD_CUSTOM, 1, 0, "GeoAsciiParams"},
};
enum { GEO_TAGS = sizeof geo_tags / sizeof *geo_tags, GEO_SCALE = 0, GEO_TIEPOINTS, GEO_MATRIX, GEO_KEYS };
static const TIFFFieldInfo nodata_tag = {42113, TEXT, TEXT, TIFF_ASCII, FIELD_CUSTOM, 1, 0, "GDAL_NODATA"};
static const TIFFFieldInfo gdal_tag = {42112, TEXT, TEXT, TIFF_ASCII, FIELD_CUSTOM, 1, 0, "GDAL_METADATA"};

/* A tag in the block of META_GEOTIFF; its bytes follow. */
typedef struct geo_head {
    uint32_t tag;   /* its place in geo_tags */
    uint32_t count; /* of values; of a text: with its zero */
} geo_head;

static size_t value_bytes(const TIFFFieldInfo *tag)
{
    return tag->field_type == TIFF_DOUBLE ? 8 : tag->field_type == TIFF_SHORT ? 2 : 1;
}

void tiff_know_tags(struct tiff *tif)
{
    TIFFMergeFieldInfo(tif, geo_tags, GEO_TAGS);
    TIFFMergeFieldInfo(tif, &nodata_tag, 1);
    TIFFMergeFieldInfo(tif, &gdal_tag, 1);
}

/* The values of a tag as the file has it, which libtiff does not know; NULL if the file has none of its type. */
static const void *geo_values(TIFF *tif, const TIFFFieldInfo *tag, uint32_t *count)
{
    const void *values = NULL;
    const TIFFField *field = TIFFFindField(tif, tag->field_tag, TIFF_ANY);
    if (!field || TIFFFieldDataType(field) != tag->field_type || !TIFFFieldPassCount(field) ||
        TIFFFieldReadCount(field) != TIFF_VARIABLE2 || !TIFFGetField(tif, tag->field_tag, count, &values) ||
        *count == 0 || *count > META_MOST_BYTES)
        return NULL;
    if (values && tag->field_type == TIFF_ASCII) *count = (uint32_t)strnlen(values, *count - 1) + 1;
    return values;
}

/* All tags become one block, which is kept or dropped as a whole. */
static bool read_geo(tiff_file *f, image_meta *meta, error *err)
{
    const void *values[GEO_TAGS];
    geo_head heads[GEO_TAGS];
    size_t n = 0;
    for (uint32_t i = 0; i < GEO_TAGS; i++) {
        heads[i].tag = i;
        heads[i].count = 0;
        values[i] = geo_values(f->tif, &geo_tags[i], &heads[i].count);
        if (values[i]) n += sizeof *heads + heads[i].count * value_bytes(&geo_tags[i]);
    }
    if (n == 0 || n > META_MOST_BYTES) return true;
    uint8_t *block = malloc(n), *at = block;
    if (!block) return fail(err, "out of memory: metadata of %zu bytes", n);
    for (uint32_t i = 0; i < GEO_TAGS; i++) {
        if (!values[i]) continue;
        size_t bytes = heads[i].count * value_bytes(&geo_tags[i]);
        memcpy(at, &heads[i], sizeof *heads);
        memcpy(at + sizeof *heads, values[i], bytes);
        if (geo_tags[i].field_type == TIFF_ASCII) at[sizeof *heads + bytes - 1] = '\0';
        at += sizeof *heads + bytes;
    }
    bool ok = meta_append(meta, META_GEOTIFF, block, n, err);
    free(block);
    return ok;
}

/* Without the blanks around it, with a point for a comma.  A text that is too long for a number says nothing. */
static void read_nodata(tiff_file *f, image_meta *meta)
{
    static const char blanks[] = " \t\n\v\f\r";
    uint32_t count = 0;
    const char *text = geo_values(f->tif, &nodata_tag, &count);
    if (!text || count > sizeof meta->nodata) return;
    snprintf(meta->nodata, sizeof meta->nodata, "%.*s", (int)count, text);
    const size_t first = strspn(meta->nodata, blanks);
    size_t n = strlen(meta->nodata);
    while (n > first && strchr(blanks, meta->nodata[n - 1])) n--;
    memmove(meta->nodata, meta->nodata + first, n - first);
    meta->nodata[n - first] = 0;
    char *point = meta->nodata + strcspn(meta->nodata, ".,");
    if (*point == ',' && point[1] >= '0' && point[1] <= '9') *point = '.';
}

/* Of all bands, or of the only one. */
static bool read_gdal(tiff_file *f, int only, meta_units units, image_meta *meta, error *err)
{
    uint32_t count = 0;
    const char *text = geo_values(f->tif, &gdal_tag, &count);
    meta_block *block = &meta->blocks[META_GDAL];
    if (!text) return true;
    if (!meta_append(meta, META_GDAL, (const uint8_t *)text, count, err)) return false;
    if (!block->bytes) return true;
    block->bytes[block->n - 1] = 0;
    if (units == UNITS_OTHER && strstr((char *)block->bytes, "role=\"scale\""))
        snprintf(meta->note, sizeof meta->note, "its scale and offset are of stored samples, and are not kept");
    if (gdal_metadata_keep((char *)block->bytes, only, units)) {
        block->n = strlen((const char *)block->bytes) + 1;
    } else {
        free(block->bytes);
        *block = (meta_block){NULL, 0};
    }
    return true;
}

static void read_resolution(tiff_file *f, image_meta *meta)
{
    float x = 0, y = 0;
    uint16_t unit = RESUNIT_INCH;
    if (!TIFFGetField(f->tif, TIFFTAG_XRESOLUTION, &x) || !TIFFGetField(f->tif, TIFFTAG_YRESOLUTION, &y)) return;
    TIFFGetFieldDefaulted(f->tif, TIFFTAG_RESOLUTIONUNIT, &unit);
    double scale = unit == RESUNIT_INCH ? 1 / 0.0254 : unit == RESUNIT_CENTIMETER ? 100 : 0;
    if (!(x > 0 && y > 0 && scale > 0)) return;
    meta->x_per_metre = (double)x * scale;
    meta->y_per_metre = (double)y * scale;
}

bool tiff_read_meta(tiff_file *f, bool geo, int only, meta_units units, image_meta *meta, error *err)
{
    uint32_t icc_bytes = 0, xmp_bytes = 0;
    const void *icc = NULL, *xmp = NULL;
    read_resolution(f, meta);
    read_nodata(f, meta);
    meta->big = TIFFIsBigTIFF(f->tif);
    if (!read_gdal(f, only, units, meta, err)) return false;
    if (TIFFGetField(f->tif, TIFFTAG_ICCPROFILE, &icc_bytes, &icc) && icc && !codec_keep_icc(meta, icc, icc_bytes, err))
        return false;
    if (TIFFGetField(f->tif, TIFFTAG_XMLPACKET, &xmp_bytes, &xmp) && xmp &&
        !meta_append(meta, META_XMP, xmp, xmp_bytes, err))
        return false;
    if (!exif_from_tiff(meta, f->in, TIFFCurrentDirOffset(f->tif), err)) return false;
    return !geo || read_geo(f, meta, err);
}

static bool write_geo(TIFF *tif, const meta_block *block)
{
    bool ok = true;
    geo_head head;
    double aligned[1]; /* values in the block begin anywhere */
    for (size_t at = 0; ok && at < block->n;) {
        memcpy(&head, block->bytes + at, sizeof head);
        const TIFFFieldInfo *tag = &geo_tags[head.tag];
        size_t bytes = head.count * value_bytes(tag);
        void *values = bytes <= sizeof aligned ? aligned : malloc(bytes);
        if (!values) return false;
        memcpy(values, block->bytes + at + sizeof head, bytes);
        ok = tag->field_passcount ? TIFFSetField(tif, tag->field_tag, head.count, values)
                                  : TIFFSetField(tif, tag->field_tag, values);
        if (values != aligned) free(values);
        at += sizeof head + bytes;
    }
    return ok;
}

/* The values of a tag in a block, and their number; NULL: it has none.  They begin anywhere. */
static uint8_t *geo_find(const meta_block *block, uint32_t tag, uint32_t *count)
{
    geo_head head;
    for (size_t at = 0; at < block->n; at += sizeof head + head.count * value_bytes(&geo_tags[head.tag])) {
        memcpy(&head, block->bytes + at, sizeof head);
        *count = head.count;
        if (head.tag == tag) return block->bytes + at + sizeof head;
    }
    return NULL;
}

/* Do coordinates of pixels name their centres (GTRasterTypeGeoKey)?  Else their upper left corners. */
static bool geo_is_of_points(const meta_block *block)
{
    enum {
        RASTER_TYPE = 1025,
        POINT = 2,
        KEY = 4
    }; /* a key has four numbers: itself, where its value is, count, value */
    uint16_t key[KEY];
    uint32_t count;
    const uint8_t *keys = geo_find(block, GEO_KEYS, &count);
    for (uint32_t i = KEY; keys && i + KEY <= count; i += KEY) {
        memcpy(key, keys + i * sizeof *key, sizeof key);
        if (key[0] == RASTER_TYPE) return key[1] == 0 && key[3] == POINT;
    }
    return false;
}

/* Pixel (i, j) of the image is pixel ((i - x) / width, (j - y) / height) of its cells, where (x, y) is the middle of
 * the first cell if coordinates are of centres, else (0, 0).  The model's coordinates stay. */
bool meta_of_cells(image_meta *to, const image_meta *from, int64_t cell_width, int64_t cell_height, error *err)
{
    enum { POINT = 6, MATRIX = 16, ROW = 4 };
    const meta_block *all = &from->blocks[META_GEOTIFF], *block = &to->blocks[META_GEOTIFF];
    const bool of_points = geo_is_of_points(all);
    const double size[2] = {(double)cell_width, (double)cell_height};
    uint32_t n;
    double v[MATRIX];
    if (!meta_append(to, META_GDAL, from->blocks[META_GDAL].bytes, from->blocks[META_GDAL].n, err)) return false;
    if (all->n == 0) return true;
    if (!meta_append(to, META_GEOTIFF, all->bytes, all->n, err)) return false;
    uint8_t *scale = geo_find(block, GEO_SCALE, &n);
    if (scale && n >= 2) {
        memcpy(v, scale, sizeof size);
        for (int k = 0; k < 2; k++) v[k] *= size[k];
        memcpy(scale, v, sizeof size);
    }
    uint8_t *points = geo_find(block, GEO_TIEPOINTS, &n);
    for (uint32_t i = 0; points && i + POINT <= n; i += POINT) {
        memcpy(v, points + i * sizeof *v, sizeof size);
        for (int k = 0; k < 2; k++) v[k] = (v[k] - (of_points ? (size[k] - 1) / 2 : 0)) / size[k];
        memcpy(points + i * sizeof *v, v, sizeof size);
    }
    uint8_t *matrix = geo_find(block, GEO_MATRIX, &n);
    if (!matrix || n != MATRIX) return true;
    memcpy(v, matrix, sizeof v);
    for (double *row = v; row < v + MATRIX - ROW; row += ROW)
        for (int k = 0; k < 2; k++) {
            if (of_points) row[3] += row[k] * (size[k] - 1) / 2;
            row[k] *= size[k];
        }
    memcpy(matrix, v, sizeof v);
    return true;
}

/* Pixel (i, j + rows) becomes pixel (i, j). */
void meta_begin_at(image_meta *meta, int64_t rows)
{
    enum { POINT = 6, MATRIX = 16, ROW = 4 };
    const meta_block *block = &meta->blocks[META_GEOTIFF];
    uint32_t n;
    double v[MATRIX];
    uint8_t *points = geo_find(block, GEO_TIEPOINTS, &n);
    for (uint32_t i = 1; points && i + POINT <= n + 1; i += POINT) {
        memcpy(v, points + i * sizeof *v, sizeof *v);
        *v -= (double)rows;
        memcpy(points + i * sizeof *v, v, sizeof *v);
    }
    uint8_t *matrix = geo_find(block, GEO_MATRIX, &n);
    if (!matrix || n != MATRIX) return;
    memcpy(v, matrix, sizeof v);
    for (double *row = v; row < v + MATRIX - ROW; row += ROW) row[3] += row[1] * (double)rows;
    memcpy(matrix, v, sizeof v);
}

/* EXIF's directories, ahead of all else, and its texts. */
static bool write_exif(tiff_file *f, const image_meta *meta)
{
    const meta_block *block = &meta->blocks[META_EXIF];
    const char *text;
    exif_parts parts;
    unsigned tag;
    bool ok = exif_for_tiff(block, TIFFIsBigTIFF(f->tif), f->n, &parts, &f->first) &&
              tiff_append(f, parts.bytes, parts.n) &&
              (!parts.exif || TIFFSetField(f->tif, TIFFTAG_EXIFIFD, parts.exif)) &&
              (!parts.gps || TIFFSetField(f->tif, TIFFTAG_GPSIFD, parts.gps));
    for (int i = 0; ok && (tag = exif_text(block, i, &text)); i++) ok = !text || TIFFSetField(f->tif, tag, text);
    free(parts.bytes);
    return ok;
}

/* What holds for the samples. */
static bool write_gdal(TIFF *tif, const image_meta *meta)
{
    const meta_block *block = &meta->blocks[META_GDAL];
    if (!block->n) return true;
    char *text = malloc(block->n);
    if (text) memcpy(text, block->bytes, block->n);
    const bool ok = text && (!gdal_metadata_keep(text, -1, meta->units) || TIFFSetField(tif, gdal_tag.field_tag, text));
    free(text);
    return ok;
}

bool tiff_write_meta(tiff_file *f, const image_meta *meta)
{
    enum { LEAST = 1, MOST = UINT16_MAX }; /* pixels per inch, as in JPEG */
    const meta_block *xmp = &meta->blocks[META_XMP];
    double x = meta->x_per_metre * 0.0254, y = meta->y_per_metre * 0.0254;
    TIFF *tif = f->tif;
    bool ok = true;
    if (x >= LEAST && x <= MOST && y >= LEAST && y <= MOST)
        ok = TIFFSetField(tif, TIFFTAG_RESOLUTIONUNIT, RESUNIT_INCH) && TIFFSetField(tif, TIFFTAG_XRESOLUTION, x) &&
             TIFFSetField(tif, TIFFTAG_YRESOLUTION, y);
    if (ok && meta->orientation > 1) ok = TIFFSetField(tif, TIFFTAG_ORIENTATION, meta->orientation);
    if (ok && meta->icc_bytes > 0) ok = TIFFSetField(tif, TIFFTAG_ICCPROFILE, (uint32_t)meta->icc_bytes, meta->icc);
    if (ok && xmp->n > 0) ok = TIFFSetField(tif, TIFFTAG_XMLPACKET, (uint32_t)xmp->n, xmp->bytes);
    if (ok && meta->nodata[0]) ok = TIFFSetField(tif, nodata_tag.field_tag, meta->nodata);
    return ok && write_gdal(tif, meta) && write_exif(f, meta) && write_geo(tif, &meta->blocks[META_GEOTIFF]);
}

#else

bool meta_of_cells(image_meta *to, const image_meta *from, int64_t cell_width, int64_t cell_height, error *err)
{
    (void)to, (void)from, (void)cell_width, (void)cell_height, (void)err; /* no format with one is read */
    return true;
}

void meta_begin_at(image_meta *meta, int64_t rows)
{
    (void)meta, (void)rows;
}

#endif
