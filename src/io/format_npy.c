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
#include "row_sink.h"
#include "row_source.h"
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

/* It looks like an array of planes that lie one behind the other. */
static bool has_planes_first(const npy_header *h, const decode_options *opt)
{
    return h->dims == 3 && h->shape[0] <= 4 && channels_of(h) > 4 && opt->array != ARRAY_IMAGE;
}

static bool fail_shape(const npy_header *h, const decode_options *opt, error *err)
{
    char shape[NPY_DIMS_MAX * 24] = "";
    size_t used = 0;
    for (int i = 0; i < h->dims; i++)
        used += (size_t)snprintf(shape + used, sizeof shape - used, "%s%lld", i ? " x " : "", (long long)h->shape[i]);
    if (h->data_bytes == 0) return fail(err, "an array of %s%s, which is empty", shape, h->dims == 1 ? " numbers" : "");
    return fail(err, "an array of %s%s: an image is H x W, or H x W x C with 1 to %d channels%s", shape,
                h->dims == 1 ? " numbers" : "", PLANES_MAX,
                !has_planes_first(h, opt)      ? ""
                : channels_of(h) <= PLANES_MAX ? ", as a.transpose(1, 2, 0) makes; --as image reads it as it is"
                                               : ", as a.transpose(1, 2, 0) makes");
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
    if (h->data_bytes == 0 || h->dims < 2 || channels_of(h) > most || has_planes_first(h, opt))
        return fail_shape(h, opt, err);
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

enum { BIG_ENDIAN_SAMPLES = 1, MAY_BE_MARKED = 2 }; /* row_source.how */

/* Floats of 16 bits, which may lie in the second half of the row. */
static bool widen_samples(const row_source *s, const uint8_t *from, uint8_t *row, error *err)
{
    float *to = (void *)row;
    (void)err;
    for (size_t i = 0, n = s->stored_bytes / 2; i < n; i++)
        to[i] = f16_value(s->how & BIG_ENDIAN_SAMPLES ? load_be16(from + 2 * i) : load_le16(from + 2 * i));
    return true;
}

/* Is it a table?  *end: where the image, with its mark, ends.  Refuses what follows that, in the reach of a trailer. */
static bool read_tail(row_source *s, uint64_t *end, error *err)
{
    uint8_t tail[TRAILER_ALIGN + TRAILER_BYTES];
    table_trailer t;
    size_t n;
    *end = s->begin + s->stored_bytes * (uint64_t)s->head.height;
    const size_t gap = (size_t)(trailer_offset(*end) - *end);
    if (!reader_get(&s->in, *end, tail, gap + TRAILER_BYTES, &n, err)) return false;
    const uint64_t read = *end + n;
    n = n > gap ? n - gap : 0;
    if (trailer_read(&t, tail + gap, n, err)) return fail(err, "a table, not an image; query it with `sat query`");
    if (err->text[0]) return false;
    if (s->how & MAY_BE_MARKED && npy_is_mark(tail + gap, n)) *end += gap + NPY_MARK_BYTES;
    return read == *end || !s->in_order || rows_more_follow(s, *end, err);
}

static bool end_rows(row_source *s, error *err)
{
    uint64_t end;
    return read_tail(s, &end, err) && rows_end_at(s, end, err);
}

static bool open_rows(row_source *s, const decode_options *opt, error *err)
{
    npy_header h;
    uint64_t end = UINT64_MAX;
    if (!npy_parse_header(&h, s->in.head, s->in.head_n, err)) return false;
    if (h.data_bytes > s->in.length - h.data_offset) return npy_too_short(&h, s->in.length, err);
    s->begin = h.data_offset;
    s->head.height = h.shape[0];
    s->stored_bytes = h.shape[0] > 0 ? h.data_bytes / (size_t)h.shape[0] : 0;
    s->how = (h.big_endian ? BIG_ENDIAN_SAMPLES : 0) | (h.item_bytes >= 4 ? MAY_BE_MARKED : 0);
    if ((!s->in_order && !read_tail(s, &end, err)) || !check(&h, opt, err)) return false;
    s->head = (image){.width = h.shape[1],
                      .height = h.shape[0],
                      .channels = planes_of(&h) > 1 ? 1 : (int)channels_of(&h),
                      .planes = planes_of(&h),
                      .type = npy_image_type(&h)};
    if (planes_of(&h) > 1 && (s->head.planes > s->head.height || s->head.planes > s->head.width))
        snprintf(s->head.meta.note, sizeof s->head.meta.note, "its array is taken for %lldx%lld px with %d bands",
                 (long long)s->head.width, (long long)s->head.height, s->head.planes);
    if (h.item_bytes < (int)sat_type_bytes(s->head.type))
        s->unpack = widen_samples;
    else if (h.big_endian)
        s->unpack = rows_swap;
    return s->in_order || rows_end_at(s, end, err);
}

static const row_reading reads_rows = {.open = open_rows, .end = end_rows};

static bool decode(const uint8_t *bytes, size_t n, const decode_options *opt, image *img, error *err)
{
    return rows_decode(&reads_rows, bytes, n, opt, img, err);
}

static bool holds(sat_type type, int channels, error *err)
{
    (void)type, (void)channels, (void)err;
    return true;
}

static void pack_bands(const row_sink *s, const uint8_t *row, uint8_t *packed)
{
    codec_join_row(s->head, row, s->plane_bytes, packed);
}

static bool begin(row_sink *s, error *err)
{
    const image *img = s->head;
    uint8_t page[NPY_PAGE];
    npy_header h = {.kind = npy_kind(img->type),
                    .item_bytes = (int)sat_type_bytes(img->type),
                    .dims = image_bands(img) > 1 ? 3 : 2,
                    .shape = {img->height, img->width, image_bands(img)}};
    s->header_bytes = npy_format_short(&h, page);
    s->packed_bytes = image_line_bytes(img);
    if (image_planes(img) > 1) s->pack = pack_bands;
    return sink_write(s->out, page, s->header_bytes, err);
}

static bool end(row_sink *s, error *err)
{
    const uint64_t bytes = (uint64_t)s->packed_bytes * (uint64_t)s->head->height;
    return sat_type_bytes(s->head->type) < 4 || npy_write_mark(s->header_bytes + bytes, s->out, err);
}

static const row_writing writes_rows = {.begin = begin, .end = end};

static bool encode(const image *img, const encode_options *opt, sink *out, error *err)
{
    return rows_encode(&format_npy, img, opt, out, err);
}

const image_format format_npy = {
    .name = "npy",
    .extensions = "npy",
    .summary = "NumPy arrays of all sample types, with or without alpha, and of many bands",
    .sniff = sniff,
    .extent = extent,
    .shape = shape,
    .decode = decode,
    .chooses = true,
    .alone = true,
    .unnamed_channels = true,
    .planes = true,
    .holds = holds,
    .encode = encode,
    .reads_rows = &reads_rows,
    .writes_rows = &writes_rows,
};
