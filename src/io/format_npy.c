/* Images saved by NumPy: H x W, or H x W x C with 1 to 4 channels, or with more, which become planes, of u1, u2, u4,
 * i1, i2, i4, f4 or f8 in either byte order, in C order; of b1, which are read as u1, 0 and 1, and of f2, which are
 * read as f4.  np.save() puts arrays one behind the other into a file that is open, so what follows an image is
 * refused.
 *
 * Tables are .npy files too.  A table of this program has a trailer behind the array (docs/format.md), and its array
 * begins at byte 4096.  Tables of other software have entries of four bytes or more.  An image of such samples that is
 * written here has a mark behind the array (npy_image.h).  Of a stream as much is read as trailer or mark may take. */
#include <stdlib.h>

#include "codec.h"
#include "npy_header.h"
#include "npy_image.h"
#include "sample_type.h"
#include "table_trailer.h"

static bool sniff(const uint8_t *bytes, size_t n)
{
    return npy_sniff(bytes, n);
}

static int64_t channels_of(const npy_header *h)
{
    return h->dims == 3 ? h->shape[2] : 1;
}

static bool fail_type(const npy_header *h, error *err)
{
    bool table = h->item_bytes == 8 && strchr("iu", h->kind);
    const char *cure = h->kind == 'c'                         ? ""
                       : h->kind != 'f' && h->item_bytes >= 4 ? ", as a.astype('float64') makes, exact up to 2^53"
                                                              : ", as a.astype('float32') makes";
    char name[NPY_NAME_BYTES];
    return fail(err, "an array of %s: images are of uint8, uint16, uint32, int8, int16, int32, float32 or float64%s%s",
                npy_type_name(h, name), cure,
                table ? "; tables without trailer are queried with `sat query FILE --layout NAME`" : "");
}

/* An array of planes that lie one behind the other. */
static bool has_planes_first(const npy_header *h)
{
    return h->dims == 3 && h->shape[0] <= 4 && channels_of(h) > 4;
}

static bool fail_shape(const npy_header *h, error *err)
{
    char shape[NPY_DIMS_MAX * 24] = "";
    size_t used = 0;
    for (int i = 0; i < h->dims; i++)
        used += (size_t)snprintf(shape + used, sizeof shape - used, "%s%lld", i ? " x " : "", (long long)h->shape[i]);
    if (h->data_bytes == 0) return fail(err, "an array of %s%s, which is empty", shape, h->dims == 1 ? " numbers" : "");
    return fail(err, "an array of %s%s: an image is H x W, or H x W x C with 1 to %d channels%s", shape,
                h->dims == 1 ? " numbers" : "", PLANES_MAX,
                has_planes_first(h) ? ", as a.transpose(1, 2, 0) makes" : "");
}

/* More channels than a picture has are read where the caller takes planes, or one of them. */
static int planes_of(const npy_header *h)
{
    return channels_of(h) > 4 ? (int)channels_of(h) : 1;
}

static bool check(const npy_header *h, const decode_options *opt, error *err)
{
    if (npy_image_type(h) == SAT_TYPE_NONE) return fail_type(h, err);
    const int most = opt->planes_from || opt->channels.number ? PLANES_MAX : 4;
    if (h->data_bytes == 0 || h->dims < 2 || channels_of(h) > most || has_planes_first(h)) return fail_shape(h, err);
    return codec_size_ok(h->shape[1], h->shape[0], opt, err);
}

static bool extent(const uint8_t *bytes, size_t n, const decode_options *opt, uint64_t *most, error *err)
{
    npy_header h;
    if (!npy_parse_header(&h, bytes, n, err)) return false;
    uint64_t end = h.data_offset + h.data_bytes;
    bool may_be_table = h.data_offset == NPY_PAGE;
    *most = h.item_bytes < 4 ? end : trailer_offset(end) + (may_be_table ? TRAILER_BYTES : NPY_MARK_BYTES);
    return check(&h, opt, err);
}

static bool shape(const uint8_t *bytes, size_t n, const decode_options *opt, image_shape *s)
{
    npy_header h;
    error unused;
    decode_options any = *opt;
    any.max_pixels = INT64_MAX;
    if (!npy_parse_header(&h, bytes, n, &unused) || !check(&h, &any, &unused)) return false;
    *s = (image_shape){.width = h.shape[1],
                       .height = h.shape[0],
                       .channels = planes_of(&h) > 1 ? 1 : (int)channels_of(&h),
                       .planes = planes_of(&h),
                       .type = npy_image_type(&h),
                       .raw = h.item_bytes == (int)sat_type_bytes(npy_image_type(&h))};
    return true;
}

/* Swaps the bytes of each of a row's n samples. */
static void swap_samples(uint8_t *row, size_t n, size_t bytes)
{
    uint16_t *of_2 = (void *)row;
    uint32_t *of_4 = (void *)row;
    uint64_t *of_8 = (void *)row;
    for (size_t i = 0; bytes == sizeof *of_2 && i < n; i++) of_2[i] = __builtin_bswap16(of_2[i]);
    for (size_t i = 0; bytes == sizeof *of_4 && i < n; i++) of_4[i] = __builtin_bswap32(of_4[i]);
    for (size_t i = 0; bytes == sizeof *of_8 && i < n; i++) of_8[i] = __builtin_bswap64(of_8[i]);
}

/* A row of floats of 16 bits. */
static void widen_row(const npy_header *h, const uint8_t *from, float *to, size_t n)
{
    for (size_t i = 0; i < n; i++, from += 2) to[i] = f16_value(h->big_endian ? load_be16(from) : load_le16(from));
}

static bool decode(const uint8_t *bytes, size_t n, const decode_options *opt, image *img, error *err)
{
    *img = (image){0};
    npy_header h;
    table_trailer t;
    if (!npy_parse(&h, bytes, n, err)) return false;
    uint64_t at = trailer_offset(h.data_offset + h.data_bytes);
    if (trailer_read(&t, at < n ? bytes + at : bytes, at < n ? n - (size_t)at : 0, err))
        return fail(err, "a table, not an image; query it with `sat query`");
    if (err->text[0] || !check(&h, opt, err)) return false;
    size_t end = h.data_offset + h.data_bytes;
    if (npy_is_marked_image(bytes, n)) end = (size_t)at + NPY_MARK_BYTES;
    if (n > end) return codec_more_follows(end, err);
    const sat_type type = npy_image_type(&h);
    const bool planes = planes_of(&h) > 1;
    if (planes ? !image_alloc_planes(img, h.shape[1], h.shape[0], planes_of(&h), type, err)
               : !image_alloc(img, h.shape[1], h.shape[0], (int)channels_of(&h), type, err))
        return false;
    const size_t samples = (size_t)img->width * (size_t)image_bands(img), size = sat_type_bytes(type);
    const size_t stored = samples * (size_t)h.item_bytes;
    uint8_t *line = planes ? malloc(samples * size) : NULL;
    if (planes && !line) {
        image_free(img);
        return fail(err, "out of memory: a row of an array");
    }
    for (int64_t y = 0; y < img->height; y++) {
        const uint8_t *row = bytes + h.data_offset + (size_t)y * stored;
        uint8_t *to = planes ? line : image_row(img, y);
        if (stored < samples * size) {
            widen_row(&h, row, (float *)(void *)to, samples);
        } else {
            memcpy(to, row, stored);
            if (h.big_endian) swap_samples(to, samples, size);
        }
        if (planes) codec_split_row(img, y, line);
        codec_rows_done(&opt->progress, y + 1, img->height);
    }
    free(line);
    if (planes && (img->planes > img->height || img->planes > img->width))
        snprintf(img->meta.note, sizeof img->meta.note, "its array is taken for %lldx%lld px with %d bands",
                 (long long)img->width, (long long)img->height, img->planes);
    return true;
}

static bool holds(sat_type type, int channels, error *err)
{
    (void)type, (void)channels, (void)err;
    return true;
}

/* Rows of which each pixel's samples lie side by side. */
static bool write_planes(const image *img, const io_progress *progress, sink *out, error *err)
{
    const size_t bytes = img->row_bytes * (size_t)image_planes(img);
    uint8_t *line = malloc(bytes);
    bool ok = line || fail(err, "out of memory: a row of an array");
    for (int64_t y = 0; ok && y < img->height; y++) {
        codec_join_row(img, y, line);
        ok = sink_write(out, line, bytes, err);
        codec_rows_done(progress, y + 1, img->height);
    }
    free(line);
    return ok;
}

static bool encode(const image *img, const encode_options *opt, sink *out, error *err)
{
    uint8_t page[NPY_PAGE];
    npy_header h = {.kind = npy_kind(img->type),
                    .item_bytes = (int)sat_type_bytes(img->type),
                    .dims = image_bands(img) > 1 ? 3 : 2,
                    .shape = {img->height, img->width, image_bands(img)}};
    size_t header = npy_format_short(&h, page);
    size_t bytes = img->row_bytes * (size_t)img->height * (size_t)image_planes(img);
    const bool planes = image_planes(img) > 1;
    return sink_write(out, page, header, err) &&
           (planes ? write_planes : codec_write_rows)(img, &opt->progress, out, err) &&
           (h.item_bytes < 4 || npy_write_mark(header + bytes, out, err));
}

const image_format format_npy = {
    .name = "npy",
    .extensions = "npy",
    .summary = "NumPy arrays of all sample types, with or without alpha, and of many bands",
    .sniff = sniff,
    .extent = extent,
    .shape = shape,
    .decode = decode,
    .alone = true,
    .unnamed_channels = true,
    .planes = true,
    .holds = holds,
    .encode = encode,
};
