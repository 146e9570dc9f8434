#include <math.h>
#include <string.h>
#include <xxhash.h>

#include "memory.h"
#include "npy_header.h"
#include "sample_type.h"
#include "table_file.h"

/* Entries of a foreign table's first column to check.  Each lies on a page of its own; to check all of them would take
 * as long as reading the file. */
enum { COLUMN_PROBES = 16 };

static sat_type type_of(const npy_header *h)
{
    switch (h->kind) {
    case 'i': return h->item_bytes == 8 ? SAT_I64 : h->item_bytes == 4 ? SAT_U32 : SAT_TYPE_NONE;
    case 'u': return h->item_bytes == 8 ? SAT_U64 : h->item_bytes == 4 ? SAT_U32 : SAT_TYPE_NONE;
    case 'f': return h->item_bytes == 8 ? SAT_F64 : h->item_bytes == 4 ? SAT_F32 : SAT_TYPE_NONE;
    default: return SAT_TYPE_NONE;
    }
}

/* Channels of the image, times moments. */
static int64_t channels_of(const npy_header *h)
{
    return h->dims == 3 ? h->shape[2] : 1;
}

enum { CHANNELS_MAX = 4, MOMENTS_MAX = 3 }; /* without a trailer */

static bool check_channels(const npy_header *h, int64_t most, error *err)
{
    return channels_of(h) <= most || fail(err, "array of %lld channels: a table has 1 to %d", (long long)channels_of(h),
                                          most > CHANNELS_MAX ? TABLE_CHANNELS_MAX : CHANNELS_MAX);
}

static bool check_array(const npy_header *h, error *err)
{
    char name[NPY_NAME_BYTES];
    if (!npy_little(h, err)) return false;
    if (type_of(h) == SAT_TYPE_NONE && (h->kind == 'c' || h->item_bytes > 8))
        return fail(err,
                    "array of %s, which is not read: images and tables are of integers and floats of up to 64 bits",
                    npy_type_name(h, name));
    if (type_of(h) == SAT_TYPE_NONE)
        return fail(err, "array of %s: a table has int32, uint32, int64, uint64, float32 or float64",
                    npy_type_name(h, name));
    if (h->dims < 2) return fail(err, "array of 1 dimension: images and tables have rows and columns");
    if (h->data_bytes == 0) return fail(err, "the array is empty");
    if (!check_channels(h, TABLE_CHANNELS_MAX * MOMENTS_MAX, err)) return false;
    if (h->data_offset % (size_t)h->item_bytes) return fail(err, "the array is not aligned to its elements");
    return true;
}

static void read_array(table_file *file, const npy_header *h)
{
    sat_type type = type_of(h);
    int channels = (int)channels_of(h);

    file->data_offset = h->data_offset;
    file->data_bytes = h->data_bytes;
    file->has_i4 = h->kind == 'i' && h->item_bytes == 4;
    file->table.view = (sat_view){
        .data = (void *)(uintptr_t)(file->file.bytes + h->data_offset),
        .row_bytes = (ptrdiff_t)(h->data_bytes / (size_t)h->shape[0]),
        .width = h->shape[1],
        .height = h->shape[0],
        .channels = channels,
        .type = type,
    };
}

/* More channels than a view has are as many tables. */
static void channels_to_tables(sat_view *view)
{
    if (view->channels <= CHANNELS_MAX) return;
    view->image_bytes = (ptrdiff_t)sat_type_bytes(view->type);
    if (!view->pixel_bytes) view->pixel_bytes = view->channels * view->image_bytes;
    view->count = view->channels;
    view->channels = 1;
}

static bool apply_trailer(table_file *file, const npy_header *h, const table_trailer *t, error *err)
{
    table_meta *meta = &file->meta;
    sat_view *view = &file->table.view;
    int64_t width, height;
    sat_type accum = sat_type_from_name(t->accum);

    const bool known = table_moments_from_name(t->moment, &meta->moments);
    const int planes = table_planes(meta->moments);
    if (!known || channels_of(h) % planes != 0)
        return fail(err,
                    "table of the moments '%s' with %lld numbers in each entry; this program knows sum, 1,2, 0,1 and "
                    "0,1,2",
                    t->moment, (long long)channels_of(h));
    if (!check_channels(h, (int64_t)TABLE_CHANNELS_MAX * planes, err)) return false;
    if (planes > 1) {
        const ptrdiff_t plane = view->channels / planes * (ptrdiff_t)sat_type_bytes(view->type);
        view->channels /= planes;
        view->pixel_bytes = planes * plane;
        if (meta->moments.counts) view->data = (char *)view->data + plane;
    }
    if (!sat_layout_from_name(t->layout, &meta->layout))
        return fail(err, "table of the unknown layout '%s'", t->layout);
    meta->sample = sat_type_from_name(t->sample);
    if (!table_types_match(meta->sample, accum))
        return fail(err, "broken trailer: no %s table of %s samples", t->accum, t->sample);
    if (!table_moments_match(meta->moments, meta->sample, accum))
        return fail(err, "broken trailer: no %s table of the moments %s of %s samples", t->accum, t->moment, t->sample);
    if (meta->moments.counts && t->has_nodata > 1) return fail(err, "broken trailer: no such value for no data");

    if (accum == SAT_Q32 && view->type == SAT_U32) view->type = SAT_Q32;
    if (accum == SAT_I32 && file->has_i4) view->type = SAT_I32;
    if (accum != view->type || (accum == SAT_U32 && h->kind != 'u'))
        return fail(err, "broken trailer: its type is not the array's");
    if (!table_image_shape(meta->layout, view, &width, &height) || t->width != (uint64_t)width ||
        t->height != (uint64_t)height || t->channels != (uint32_t)view->channels)
        return fail(err, "broken trailer: its image size does not fit the array");
    channels_to_tables(view);
    if (t->data_offset != h->data_offset || t->data_bytes != h->data_bytes)
        return fail(err, "broken trailer: it describes another array");
    if (accum == SAT_Q32) {
        meta->quant = (sat_quant){.offset = t->quant_offset, .step = t->quant_step, .largest = t->quant_largest};
        if (!table_quant_ok(&meta->quant)) return fail(err, "broken trailer: no such fixed point");
    }
    if (!table_level_ok(t->level, meta->sample, accum))
        return fail(err, "broken trailer: level %g of %s samples in %s", t->level, sat_type_name(meta->sample),
                    sat_type_name(accum));
    meta->level = t->level;
    meta->has_nodata = meta->moments.counts && t->has_nodata;
    meta->nodata = meta->has_nodata ? t->nodata : 0;
    meta->has_trailer = true;
    meta->checksum = t->data_xxh3;
    memcpy(meta->writer, t->writer, sizeof(meta->writer));
    return true;
}

static bool is_zero(const sat_view *view, int64_t x, int64_t y)
{
    static const uint8_t zeros[4 * 8];
    size_t bytes = sat_type_bytes(view->type) * (size_t)view->channels;
    const uint8_t *at = (const uint8_t *)view->data + y * view->row_bytes + (size_t)x * bytes;

    return memcmp(at, zeros, bytes) == 0;
}

static bool check_zero_border(const sat_view *view, const char *layout, error *err)
{
    for (int64_t x = 0; x < view->width; x++) {
        if (!is_zero(view, x, 0))
            return fail(err, "no %s table: its first row is not zero at column %lld", layout, (long long)x);
    }
    int64_t probes = view->height < COLUMN_PROBES ? view->height : COLUMN_PROBES;
    for (int64_t i = 1; i < probes; i++) {
        int64_t y = (view->height - 1) * i / (probes - 1);
        if (!is_zero(view, 0, y))
            return fail(err, "no %s table: its first column is not zero at row %lld", layout, (long long)y);
    }
    return true;
}

/* Such samples are not summed in that: names those that are. */
static bool refuse_samples(const table_file *file, error *err)
{
    char names[64] = "";
    size_t used = 0;
    for (sat_type t = SAT_U8; t <= SAT_I32; t++) {
        const sat_type entry = file->has_i4 && is_signed_type(t) ? SAT_I32 : file->table.view.type;
        if (table_types_match(t, entry) && used < sizeof names)
            used += (size_t)snprintf(names + used, sizeof names - used, "%s%s", used ? ", " : "", sat_type_name(t));
    }
    return fail(err, "no %s table of %s samples; --sample names those of the image that was summed, of %s",
                table_file_type_name(file), sat_type_name(file->meta.sample), names);
}

static bool apply_options(table_file *file, const sat_file_options *options, error *err)
{
    table_meta *meta = &file->meta;
    sat_view *view = &file->table.view;
    int64_t width, height;

    if (!options || !options->foreign)
        return fail(err, "no trailer: the layout of other software's table has to be given");
    meta->layout = options->layout;
    meta->sample = options->sample != SAT_TYPE_NONE ? options->sample : is_float_type(view->type) ? SAT_F32 : SAT_U8;
    if (file->has_i4 && is_signed_type(meta->sample)) view->type = SAT_I32;
    if (!table_types_match(meta->sample, view->type)) return refuse_samples(file, err);
    if (!table_image_shape(meta->layout, view, &width, &height))
        return fail(err, "no padded table: it has one row or column only");
    if (meta->layout == SAT_INCLUSIVE) return true;
    return check_zero_border(view, sat_layout_name(meta->layout), err);
}

bool table_file_extent(const uint8_t *bytes, size_t n, const void *context, uint64_t *most, error *err)
{
    npy_header h;
    (void)context;
    if (!npy_parse_header(&h, bytes, n, err) || !check_array(&h, err)) return false;
    *most = trailer_offset(h.data_offset + h.data_bytes) + TRAILER_BYTES;
    const char *what = npy_image_type(&h) ? "a stream of an array" : "a stream of a table"; /* or an image */
    return memory_allows(h.data_bytes, what, err) && memory_allows(*most, what, err);
}

bool table_file_probe(const uint8_t *head, size_t n, uint64_t file_bytes, const void *context, bool *maps, error *err)
{
    npy_header h;
    (void)file_bytes, (void)context;
    *maps = npy_parse_header(&h, head, n, err);
    return *maps;
}

bool table_file_open(table_file *file, const char *path, const sat_file_options *options, error *err)
{
    source src;

    *file = (table_file){0};
    return source_open_by(&src, path, table_file_probe, table_file_extent, NULL, err) &&
           table_file_take(file, &src, options, err);
}

bool table_file_take(table_file *file, source *src, const sat_file_options *options, error *err)
{
    npy_header h;
    table_trailer t;
    bool ok = false;

    *file = (table_file){.file = *src};
    *src = (source){0};
    if (!npy_parse(&h, file->file.bytes, file->file.n, err) || !check_array(&h, err)) goto out;
    read_array(file, &h);

    uint64_t at = trailer_offset(h.data_offset + h.data_bytes);
    size_t left = at < file->file.n ? file->file.n - (size_t)at : 0;
    if (trailer_read(&t, file->file.bytes + (file->file.n - left), left, err))
        ok = apply_trailer(file, &h, &t, err);
    else
        ok = !err->text[0] && check_channels(&h, CHANNELS_MAX, err) && apply_options(file, options, err);
    file->table.layout = file->meta.layout;
    file->table.sample = file->meta.sample;
    file->table.quant = file->meta.quant;
    file->table.level = file->meta.level;
    file->table.has_invalid = file->meta.moments.counts;
out:
    if (!ok) table_file_close(file);
    return ok;
}

/* The table `planes` further on in each pixel than the sums. */
static void beside(const table_file *file, int planes, int power, sat_table *other)
{
    *other = file->table;
    other->view.data = (char *)other->view.data + planes * other->view.pixel_bytes / table_planes(file->meta.moments);
    other->power = power;
}

bool table_file_squares(const table_file *file, sat_table *squares)
{
    if (file->meta.moments.squares) beside(file, 1, 2, squares);
    return file->meta.moments.squares;
}

bool table_file_counts(const table_file *file, sat_table *counts)
{
    if (file->meta.moments.counts) beside(file, -1, SAT_COUNTS, counts);
    return file->meta.moments.counts;
}

const char *table_file_type_name(const table_file *file)
{
    return file->has_i4 ? "i32" : sat_type_name(file->table.view.type);
}

bool table_file_looks_padded(const table_file *file)
{
    error unused;
    return !file->meta.has_trailer && file->meta.layout == SAT_INCLUSIVE &&
           check_zero_border(&file->table.view, "", &unused);
}

bool table_file_verify(const table_file *file, error *err)
{
    if (!file->meta.has_trailer) return fail(err, "no trailer, and so no checksum");
    if (XXH3_64bits(file->file.bytes + file->data_offset, file->data_bytes) != file->meta.checksum)
        return fail(err, "damaged: the table's checksum does not match");
    return true;
}

void table_file_close(table_file *file)
{
    source_close(&file->file);
    *file = (table_file){0};
}
