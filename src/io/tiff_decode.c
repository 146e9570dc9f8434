/* tiff_decode.c - the strips or tiles of a TIFF to pixels. */
#if SAT_WITH_LIBTIFF
#include <stdlib.h>
#include <tiffio.h>

#include "codec.h"
#include "sample_type.h"
#include "tiff_parts.h"

typedef struct decoder {
    tiff_file *file;
    const tiff_layout *layout;
    const io_progress *progress;
    image *img;
    uint8_t *block;          /* one tile or strip as it is stored; NULL if strips are decoded into the image */
    uint8_t colours[256][3]; /* of a palette */
    uint64_t blocks_across, blocks_down;
} decoder;

/* ---- samples ------------------------------------------------------------------------------------------------ */

/* Sample i of a row of whole bits, the highest first. */
static unsigned bits_at(const uint8_t *row, uint64_t i, int bits)
{
    unsigned value = 0;
    uint64_t at = i * (uint64_t)bits;
    for (int k = 0; k < bits; k++, at++) value = value << 1 | (row[at / 8] >> (7 - at % 8) & 1u);
    return value;
}

/* To the whole range of 8 or 16 bits, rounded. */
static unsigned scaled(unsigned value, int bits)
{
    unsigned most = (1u << bits) - 1, range = bits <= 8 ? UINT8_MAX : UINT16_MAX;
    return (unsigned)(((uint64_t)value * range + most / 2) / most);
}

/* Where channel or plane c of a pixel lies. */
static uint8_t *place(const decoder *d, int c, uint64_t x, uint64_t y)
{
    const image *img = d->img;
    const int plane = img->planes > 1 ? c : 0;
    const size_t sample = (size_t)x * (size_t)img->channels + (size_t)(c - plane);
    return image_row(img, plane * img->height + (int64_t)y) + sample * sat_type_bytes(img->type);
}

/* A channel of a row's pixels, from the sample that lies `first` behind each pixel's begin. */
static void put_channel(const tiff_layout *t, const uint8_t *raw, size_t pixels, int first, uint8_t *dst)
{
    size_t size = sat_type_bytes(t->type), step = size * (size_t)t->channels;
    unsigned stored = t->planar ? 1 : (unsigned)t->samples;
    if (t->bits == 8 * (int)size) {
        raw += size * (size_t)first;
        for (size_t x = 0; x < pixels; x++) memcpy(dst + x * step, raw + x * size * stored, size);
        return;
    }
    for (size_t x = 0; is_float_type(t->type) && x < pixels; x++) {
        uint16_t bits;
        memcpy(&bits, raw + (x * stored + (unsigned)first) * sizeof bits, sizeof bits);
        const float value = f16_value(bits);
        memcpy(dst + x * step, &value, sizeof value);
    }
    for (size_t x = 0; !is_float_type(t->type) && x < pixels; x++) {
        unsigned v = scaled(bits_at(raw, x * stored + (unsigned)first, t->bits), t->bits);
        uint16_t v16 = (uint16_t)v;
        uint8_t v8 = (uint8_t)v;
        memcpy(dst + x * step, size == 1 ? (const void *)&v8 : &v16, size);
    }
}

/* Pixels of a row, from (x, y) on.  channel: of separate planes, the one that these are. */
static void put_row(const decoder *d, const uint8_t *raw, size_t pixels, int channel, uint64_t x, uint64_t y)
{
    const tiff_layout *t = d->layout;
    if (t->palette) {
        uint8_t *dst = place(d, 0, x, y);
        for (size_t i = 0; i < pixels; i++) memcpy(dst + 3 * i, d->colours[bits_at(raw, i, t->bits)], 3);
    } else if (t->planar) {
        put_channel(t, raw, pixels, 0, place(d, channel, x, y));
    } else {
        for (int c = 0; c < tiff_outputs(t); c++) put_channel(t, raw, pixels, tiff_sample(t, c), place(d, c, x, y));
    }
}

/* The high byte of entries of 16 bits.  Those of old files have 8, and so no entry is above 255. */
static bool read_palette(decoder *d, error *err)
{
    uint16_t *map[3];
    unsigned most = 0, entries = 1u << d->layout->bits;
    if (!TIFFGetField(d->file->tif, TIFFTAG_COLORMAP, &map[0], &map[1], &map[2]))
        return fail(err, "corrupt: a TIFF of indices without a palette");
    for (unsigned i = 0; i < 3 * entries; i++) most = map[i % 3][i / 3] > most ? map[i % 3][i / 3] : most;
    for (unsigned i = 0; i < 3 * entries; i++)
        d->colours[i / 3][i % 3] = (uint8_t)(map[i % 3][i / 3] >> (most > UINT8_MAX ? 8 : 0));
    return true;
}

static void invert(uint8_t *row, size_t pixels, int channels, sat_type type)
{
    for (size_t x = 0; x < pixels; x++) {
        if (type == SAT_U8)
            row[x * (size_t)channels] ^= UINT8_MAX;
        else if (type == SAT_U16)
            ((uint16_t *)(void *)row)[x * (size_t)channels] ^= UINT16_MAX;
        else
            ((uint32_t *)(void *)row)[x * (size_t)channels] ^= UINT32_MAX;
    }
}

/* Divides premultiplied colours by their alpha; black where alpha is 0. */
static uint64_t quotient(uint64_t v, uint64_t a, uint64_t range)
{
    uint64_t q = a ? (v * range + a / 2) / a : 0;
    return q < range ? q : range;
}

static void divide_by_alpha(uint8_t *row, size_t pixels, int channels, sat_type type)
{
    uint16_t *row16 = (void *)row;
    uint32_t *row32 = (void *)row;
    float *f32 = (void *)row;
    double *f64 = (void *)row;
    for (size_t x = 0; x < pixels; x++) {
        size_t at = x * (size_t)channels, alpha = at + (size_t)channels - 1;
        for (size_t i = at; i < alpha; i++) {
            if (type == SAT_U8) row[i] = (uint8_t)quotient(row[i], row[alpha], UINT8_MAX);
            if (type == SAT_U16) row16[i] = (uint16_t)quotient(row16[i], row16[alpha], UINT16_MAX);
            if (type == SAT_U32) row32[i] = (uint32_t)quotient(row32[i], row32[alpha], UINT32_MAX);
            if (type == SAT_F32) f32[i] = f32[alpha] != 0 ? f32[i] / f32[alpha] : 0;
            if (type == SAT_F64) f64[i] = f64[alpha] != 0 ? f64[i] / f64[alpha] : 0;
        }
    }
}

/* ---- strips and tiles ----------------------------------------------------------------------------------------- */

/* Separate planes that are read: not those of samples that are left out. */
static int planes_of(const tiff_layout *t)
{
    return t->planar ? tiff_outputs(t) : 1;
}

/* The first block of a plane that is read. */
static uint64_t plane_begin(const decoder *d, int plane)
{
    return d->layout->planar ? (uint64_t)tiff_sample(d->layout, plane) * d->blocks_across * d->blocks_down : 0;
}

/* Without padding behind the last row of a strip. */
static uint64_t block_bytes(const decoder *d, uint64_t down)
{
    const tiff_layout *t = d->layout;
    uint64_t left = t->height - down * t->block_height;
    return t->tiled || left > t->block_height ? t->block_bytes : left * t->block_row_bytes;
}

/* Has the file the bytes of every strip or tile that is read?  libtiff reads uncompressed ones without a look at their
 * size.  GDAL leaves out those of zeros. */
static bool has_blocks(const decoder *d, error *err)
{
    TIFF *tif = d->file->tif;
    const char *name = d->layout->tiled ? "tile" : "strip";
    const uint64_t stored = d->layout->tiled ? TIFFNumberOfTiles(tif) : TIFFNumberOfStrips(tif),
                   blocks = d->blocks_across * d->blocks_down,
                   planes = d->layout->planar ? (uint64_t)d->layout->samples : 1;
    if (stored % planes != 0 || stored / planes != blocks)
        return fail(err, "corrupt: the TIFF has another number of %ss", name);
    for (uint64_t k = 0; k < blocks * (uint64_t)planes_of(d->layout); k++) {
        const uint32_t i = (uint32_t)(plane_begin(d, (int)(k / blocks)) + k % blocks);
        int wrong = 0;
        uint64_t at = TIFFGetStrileOffsetWithErr(tif, i, &wrong),
                 n = wrong ? 0 : TIFFGetStrileByteCountWithErr(tif, i, &wrong);
        if (wrong) return tiff_fail(d->file, err);
        uint64_t least = d->layout->plain ? block_bytes(d, i / d->blocks_across % d->blocks_down) : 1;
        if (at == 0 && n == 0) return fail(err, "%s %u is not in the file: a sparse TIFF, or a corrupt one", name, i);
        if (n < least) return fail(err, "corrupt: %s %u of the TIFF has too few bytes", name, i);
        if (at > d->file->n || n > d->file->n - at)
            return fail(err, "truncated: the file ends inside %s %u of the TIFF", name, i);
    }
    return true;
}

static bool read_block(const decoder *d, uint32_t index, uint8_t *to, uint64_t bytes, error *err)
{
    TIFF *tif = d->file->tif;
    if (d->layout->deflate) return tiff_inflate(d->file, d->layout, index, to, bytes, err);
    tmsize_t got = d->layout->tiled ? TIFFReadEncodedTile(tif, index, to, (tmsize_t)bytes)
                                    : TIFFReadEncodedStrip(tif, index, to, (tmsize_t)bytes);
    if (got >= 0 && (uint64_t)got == bytes && !d->file->first.text[0])
        return !d->layout->predictor || tiff_undo_predictor(d->file, d->layout, true, to, bytes, err);
    if (!d->file->first.text[0]) fail(&d->file->first, "block %u has another size", index);
    return tiff_fail(d->file, err);
}

/* The blocks whose first row is y; of separate planes, those of one channel. */
static bool read_blocks(const decoder *d, uint64_t y, int channel, error *err)
{
    const tiff_layout *t = d->layout;
    uint64_t down = y / t->block_height, rows = t->height - y < t->block_height ? t->height - y : t->block_height;
    for (uint64_t across = 0; across < d->blocks_across; across++) {
        uint64_t x = across * t->block_width, pixels = t->width - x < t->block_width ? t->width - x : t->block_width;
        uint64_t index = plane_begin(d, channel) + down * d->blocks_across + across;
        uint8_t *to = d->block ? d->block : place(d, channel, 0, y);
        if (!read_block(d, (uint32_t)index, to, block_bytes(d, down), err)) return false;
        for (uint64_t r = 0; d->block && r < rows; r++)
            put_row(d, to + r * t->block_row_bytes, (size_t)pixels, channel, x, y + r);
    }
    return true;
}

static bool read_planes(const decoder *d, error *err)
{
    const tiff_layout *t = d->layout;
    int planes = planes_of(t);
    double steps = (double)d->blocks_down * planes, done = 0, reported = 0;
    for (int plane = 0; plane < planes; plane++) {
        for (uint64_t y = 0; y < t->height; y += t->block_height) {
            if (!read_blocks(d, y, plane, err)) return false;
            done++;
            if (done < steps && done - reported < steps / 64) continue;
            codec_progress(d->progress, (done - reported) / steps);
            reported = done;
        }
    }
    return true;
}

bool tiff_read_pixels(tiff_file *f, const tiff_layout *t, const decode_options *opt, image *img, error *err)
{
    decoder d = {.file = f, .layout = t, .progress = &opt->progress, .img = img};
    d.blocks_across = ((uint64_t)t->width + t->block_width - 1) / t->block_width;
    d.blocks_down = ((uint64_t)t->height + t->block_height - 1) / t->block_height;
    if (t->tiled && !codec_size_ok(t->block_width, t->block_height, opt, err)) return false;
    if (!has_blocks(&d, err) || (t->palette && !read_palette(&d, err))) return false;
    if (!t->direct && !memory_allows(t->block_bytes, "a strip or tile", err)) return false;
    if (t->planes ? !image_alloc_planes(img, t->width, t->height, t->planes, t->type, err)
                  : !image_alloc(img, t->width, t->height, t->channels, t->type, err))
        return false;
    if (!t->direct) d.block = calloc(t->block_height, (size_t)t->block_row_bytes);
    f->first.text[0] = '\0';
    f->cut = false;
    f->strict = true;
    bool ok = t->direct || d.block || fail(err, "out of memory: a strip or tile of a TIFF");
    ok = ok && read_planes(&d, err);
    free(d.block);
    for (int64_t y = 0; ok && y < img->height; y++) {
        if (t->inverted) invert(image_row(img, y), (size_t)img->width, img->channels, img->type);
        if (t->premultiplied && !t->planes)
            divide_by_alpha(image_row(img, y), (size_t)img->width, img->channels, img->type);
    }
    return ok;
}

#endif
