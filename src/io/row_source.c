/* row_source.c - rows of files: those that lie one behind the other, and what all formats share. */
#include "row_source.h"

#include <stdlib.h>

#include "codec.h"
#include "image_memory.h"
#include "orient.h"

/* How many rows make a part. */
static int64_t part_rows(const row_source *s)
{
    return image_cache_rows(image_line_bytes(&s->stored), s->stored.height);
}

/* ---- rows that lie one behind the other ------------------------------------------------------------------ */

static uint64_t apart_bytes(const row_source *s)
{
    return s->apart ? (uint64_t)part_rows(s) * s->stored_bytes : 0;
}

/* Unpacks rows from where they are in memory, or in the place that they were read to: the end of the result's, or one
 * apart. */
static bool read_part(row_source *s, uint64_t at, int64_t n, size_t row, uint8_t *to, error *err)
{
    const size_t bytes = (size_t)n * s->stored_bytes;
    const uint8_t *from = reader_held(&s->in, at, bytes);
    if (!from) {
        if (s->apart && !s->bytes && !(s->bytes = malloc(apart_bytes(s))))
            return fail_memory(err, "out of memory: rows of %zu bytes", s->stored_bytes);
        uint8_t *place = s->apart ? s->bytes : to + (size_t)n * row - bytes;
        if (!reader_read(&s->in, at, place, bytes, err)) return false;
        from = place;
    }
    if (!s->unpack) {
        if (from != to) memcpy(to, from, bytes);
        return true;
    }
    for (int64_t y = 0; y < n; y++, from += s->stored_bytes, to += row)
        if (!s->unpack(s, from, to, err)) return false;
    return true;
}

static void reverse_rows(uint8_t *rows, int64_t n, size_t row_bytes)
{
    uint8_t kept[1 << 10];
    for (uint8_t *a = rows, *b = rows + (size_t)(n - 1) * row_bytes; a < b; a += row_bytes, b -= row_bytes)
        for (size_t i = 0, k; i < row_bytes; i += k) {
            k = row_bytes - i < sizeof kept ? row_bytes - i : sizeof kept;
            memcpy(kept, a + i, k);
            memcpy(a + i, b + i, k);
            memcpy(b + i, kept, k);
        }
}

static bool open_part(row_source *s, error *err)
{
    const size_t row = image_line_bytes(&s->stored);
    return s->part || (s->part = malloc((size_t)part_rows(s) * row)) ||
           fail_memory(err, "out of memory: rows of %zu bytes", row);
}

/* Rows of which each pixel's samples lie side by side, to planes, or to one of them. */
static bool read_planes(row_source *s, int64_t y, int64_t n, uint8_t *to, size_t plane_bytes, error *err)
{
    const image *head = &s->stored;
    const size_t line = image_line_bytes(head), bytes = sat_type_bytes(head->type);
    const size_t stride = s->band ? head->row_bytes : image_stride(head, plane_bytes);
    if (!open_part(s, err)) return false;
    for (const int64_t end = y + n; y < end; y += n) {
        n = part_rows(s) < end - y ? part_rows(s) : end - y;
        if (!read_part(s, s->begin + (uint64_t)y * s->stored_bytes, n, line, s->part, err)) return false;
        for (const uint8_t *row = s->part; row < s->part + (size_t)n * line; row += line, to += stride) {
            if (s->band)
                codec_copy_samples(to, bytes, row + (size_t)(s->band - 1) * bytes, line / (size_t)head->width,
                                   (size_t)head->width, bytes);
            else
                codec_split_row(head, row, to, plane_bytes);
        }
    }
    return true;
}

static bool read_plain(row_source *s, int64_t y, int64_t n, uint8_t *to, size_t plane_bytes, error *err)
{
    if (image_planes(&s->stored) > 1) return read_planes(s, y, n, to, plane_bytes, err);
    const int64_t most = s->unpack || s->upward ? part_rows(s) : n;
    for (int64_t end = y + n; y < end; y += n, to += (size_t)n * s->stored.row_bytes) {
        n = most < end - y ? most : end - y;
        const int64_t place = s->upward ? s->stored.height - y - n : y;
        if (!read_part(s, s->begin + (uint64_t)place * s->stored_bytes, n, s->stored.row_bytes, to, err)) return false;
        if (s->upward) reverse_rows(to, n, s->stored.row_bytes);
    }
    return true;
}

bool rows_swap(const row_source *s, const uint8_t *from, uint8_t *row, error *err)
{
    const size_t bytes = sat_type_bytes(s->stored.type), n = s->stored_bytes / bytes;
    uint16_t *of_2 = (void *)row;
    uint32_t *of_4 = (void *)row;
    uint64_t *of_8 = (void *)row;
    (void)err;
    if (from != row) memcpy(row, from, s->stored_bytes);
    for (size_t i = 0; bytes == sizeof *of_2 && i < n; i++) of_2[i] = __builtin_bswap16(of_2[i]);
    for (size_t i = 0; bytes == sizeof *of_4 && i < n; i++) of_4[i] = __builtin_bswap32(of_4[i]);
    for (size_t i = 0; bytes == sizeof *of_8 && i < n; i++) of_8[i] = __builtin_bswap64(of_8[i]);
    return true;
}

bool rows_show_alpha(const row_source *s)
{
    const int channels = s->head.channels;
    const size_t row = sat_row_bytes(s->head.width, channels, SAT_U8);
    uint8_t *samples = row > 0 ? malloc(row) : NULL;
    const uint8_t *from;
    error unused;
    bool shown = false;
    for (int64_t y = 0; samples && !shown && y < s->head.height; y++) {
        from = reader_held(&s->in, s->begin + (uint64_t)y * s->stored_bytes, s->stored_bytes);
        if (!from || !s->unpack(s, from, samples, &unused)) break;
        for (size_t i = (size_t)channels - 1; !shown && i < row; i += (size_t)channels) shown = samples[i] != 0;
    }
    free(samples);
    return shown;
}

bool rows_fit(const row_source *s, error *err)
{
    uint64_t bytes, end;
    const uint64_t left = s->in.length > s->begin ? s->in.length - s->begin : 0;
    if (__builtin_mul_overflow(s->stored_bytes, (uint64_t)s->head.height, &bytes) ||
        __builtin_add_overflow(s->begin, bytes, &end) || end > INT64_MAX)
        return fail(err, "corrupt: an image of %lldx%lld pixels", (long long)s->head.width, (long long)s->head.height);
    if (bytes <= left) return true;
    return fail(err, "truncated: %llu bytes of samples are needed, %llu are there", (unsigned long long)bytes,
                (unsigned long long)left);
}

bool rows_end(row_source *s, error *err)
{
    return rows_end_at(s, s->begin + s->stored_bytes * (uint64_t)s->head.height, err);
}

bool rows_more_follow(row_source *s, uint64_t end, error *err)
{
    bool any;
    return (!s->in_order || reader_drop(s->in.fd, SOURCE_REST_BYTES, &any, err)) && codec_more_follows(end, err);
}

bool rows_end_at(row_source *s, uint64_t end, error *err)
{
    uint8_t byte;
    size_t more = s->in.length > end;
    if (s->in_order && !reader_get(&s->in, end, &byte, 1, &more, err)) return false;
    return more == 0 || rows_more_follow(s, end, err);
}

/* ---- any format ------------------------------------------------------------------------------------------- */

/* The choice of an image without rows makes the head. */
static bool choose(row_source *s, const decode_options *opt, error *err)
{
    double none; /* no samples */
    s->head.height = 0;
    s->head.data = &none;
    bool ok = image_choose_channels(&s->head, &opt->channels, err);
    s->head.height = s->stored.height;
    s->head.data = NULL;
    const bool planes = image_planes(&s->stored) > 1, others = s->head.channels != s->stored.channels;
    if (others) s->choice = opt->channels;
    if (planes && image_planes(&s->head) == 1) s->band = opt->channels.number;
    if (others || (planes && !s->by->read)) {
        const uint64_t part = (uint64_t)part_rows(s) * image_line_bytes(&s->stored);
        s->memory_bytes += part;
        s->whole_bytes += part;
    }
    return ok;
}

static bool open_rows(row_source *s, const row_reading *by, const decode_options *opt, error *err)
{
    s->by = by;
    s->in_order = s->in.is_stream && s->in.head_n < s->in.length;
    s->step = 1;
    s->memory_bytes = s->in.head_n;
    if (!by->open(s, opt, err)) return false;
    if (s->whole_bytes == 0) s->whole_bytes = s->memory_bytes;
    if (s->whole && s->head.width == 0) return true;
    s->head.row_bytes = sat_row_bytes(s->head.width, s->head.channels, s->head.type);
    if (s->head.row_bytes == 0) return fail(err, "a row of %lld pixels cannot be addressed", (long long)s->head.width);
    s->stored = s->head;
    s->stored.meta = (image_meta){0};
    s->memory_bytes += apart_bytes(s);
    s->whole_bytes += apart_bytes(s);
    if (s->upward && s->in_order) s->whole = "its rows begin at the bottom, and it comes through a pipe";
    return s->chosen || choose(s, opt, err);
}

/* From the last row up in orientations 3 and 4, in parts that begin at steps, so that what is stored together is read
 * once; each row from the right in 2 and 3. */
static bool read_turned(row_source *s, int64_t y, int64_t n, uint8_t *to, error *err)
{
    const size_t row = s->stored.row_bytes;
    const int64_t height = s->stored.height;
    if (s->turned == 2 && !s->by->read(s, y, n, to, 0, err)) return false;
    for (int64_t end = height - y, low = end - n, from; s->turned > 2 && end > low; end = from) {
        from = s->step > 1 ? (end - 1) / s->step * s->step : low;
        if (from < low) from = low;
        uint8_t *part = to + (size_t)(height - end - y) * row;
        if (!s->by->read(s, from, end - from, part, 0, err)) return false;
        reverse_rows(part, end - from, row);
    }
    if (s->turned < 4) mirror_rows(to, n, s->stored.width, row / (size_t)s->stored.width);
    return true;
}

static bool read_any(row_source *s, int64_t y, int64_t n, uint8_t *to, size_t plane_bytes, error *err)
{
    if (s->turned) return read_turned(s, y, n, to, err);
    return (s->by->read ? s->by->read : read_plain)(s, y, n, to, plane_bytes, err);
}

static bool read_stored(row_source *s, int64_t y, int64_t n, uint8_t *to, size_t plane_bytes, error *err)
{
    return read_any(s, y, n, to, plane_bytes, err) &&
           (!s->in_order || y + n < s->stored.height || !s->by->end || s->by->end(s, err));
}

/* With `opt` of the whole image: what its rows do not ask. */
static decode_options of_rows(const decode_options *opt)
{
    decode_options rows = *opt;
    rows.max_pixels = INT64_MAX;
    rows.memory = NULL;
    return rows;
}

bool row_source_open(row_source *s, const char *path, const decode_options *opt, error *err)
{
    *s = (row_source){.path = path};
    if (!reader_open(&s->in, path, err)) return false;
    if (s->in.length == 0) return fail(err, "empty file");
    s->format = opt->raw ? format_of_samples() : format_by_content(s->in.head, s->in.head_n);
    if (!s->format) return image_unknown(err);
    if (!s->format->reads_rows) {
        s->whole = "its format is not read by rows";
        return true;
    }
    if (opt->page > 1 && !s->format->pages)
        return fail(err, "there is no page %d: a %s file has one, number 0", opt->page - 1, s->format->name);
    const decode_options rows = of_rows(opt);
    return open_rows(s, s->format->reads_rows, &rows, err);
}

/* The choice is made in a part of the rows, whose metadata is none. */
static bool read_chosen(row_source *s, int64_t y, int64_t n, uint8_t *to, error *err)
{
    const int64_t most = part_rows(s);
    if (!open_part(s, err)) return false;
    for (int64_t end = y + n; y < end; y += n, to += (size_t)n * s->head.row_bytes) {
        image rows = s->stored;
        n = rows.height = most < end - y ? most : end - y;
        rows.data = s->part;
        if (!read_stored(s, y, n, s->part, 0, err) || !image_choose_channels(&rows, &s->choice, err)) return false;
        memcpy(to, s->part, (size_t)n * s->head.row_bytes);
    }
    return true;
}

bool row_source_read(row_source *s, int64_t y, int64_t n, void *rows, error *err)
{
    const bool chooses = s->choice.gray || s->choice.number || s->choice.name;
    return chooses ? read_chosen(s, y, n, rows, err) : read_stored(s, y, n, rows, s->stored.row_bytes, err);
}

/* All rows to an image, which takes the head's metadata. */
static bool read_all(row_source *s, const io_progress *progress, image *img, error *err)
{
    const image *head = &s->head;
    const bool planes = image_planes(head) > 1;
    if (!image_alloc_like(img, head, head->channels, head->type, err)) return false;
    const size_t plane_bytes = img->row_bytes * (size_t)img->height;
    bool ok = true;
    int64_t rows = codec_part_rows(img->height);
    if (rows % s->step != 0) rows += s->step - rows % s->step;
    for (int64_t y = 0; ok && y < img->height; y += rows) {
        if (rows > img->height - y) rows = img->height - y;
        ok = planes ? read_stored(s, y, rows, image_row(img, y), plane_bytes, err)
                    : row_source_read(s, y, rows, image_row(img, y), err);
        codec_progress(progress, (double)rows / (double)img->height);
    }
    img->meta = s->head.meta;
    s->head.meta = (image_meta){0};
    if (!ok) image_free(img);
    return ok;
}

static bool read_whole(row_source *s, const decode_options *opt, image *img, error *err)
{
    source src;
    if (!source_read(&src, &s->in, s->path, image_probe, image_extent, opt, err)) return false;
    bool ok = image_decode(&src, opt, img, NULL, err);
    source_close(&src);
    return ok;
}

bool row_source_image(row_source *s, const decode_options *opt, image *img, error *err)
{
    *img = (image){0};
    const image_shape shape = image_shape_of(&s->head);
    bool ok = s->whole ? read_whole(s, opt, img, err)
                       : image_memory_rows(&shape, s->whole_bytes, opt, err) && read_all(s, &opt->progress, img, err);
    reader_close(&s->in);
    if (ok) image_memory_decoded(img, opt);
    return ok;
}

bool row_source_check(row_source *s, const decode_options *opt, error *err)
{
    const image_shape shape = image_shape_of(&s->head);
    const size_t line = image_line_bytes(&s->head);
    int64_t n = image_cache_rows(line, s->head.height);
    if (n % s->step != 0 && n < s->head.height) n += s->step - n % s->step;
    const uint64_t bytes = s->whole_bytes + (uint64_t)n * line;
    if (!image_memory_allows(&shape, bytes, err)) return false;
    memory_take(&opt->memory->share, bytes);
    if (!s->by->read && !s->unpack && !s->in_order) return true;
    void *rows = memory_rows(n, line, err);
    bool ok = rows;
    for (int64_t y = 0; ok && y < s->head.height; y += n)
        ok = row_source_read(s, y, n < s->head.height - y ? n : s->head.height - y, rows, err);
    free(rows);
    return ok;
}

void row_source_close(row_source *s)
{
    if (s->by && s->by->close)
        s->by->close(s);
    else
        free(s->state);
    free(s->part);
    free(s->bytes);
    meta_free(&s->head.meta);
    reader_close(&s->in);
    *s = (row_source){.in.fd = -1};
}

bool image_read(const char *path, const decode_options *opt, image *img, const image_format **format, error *err)
{
    *img = (image){0};
    row_source src;
    bool ok = row_source_open(&src, path, opt, err) && row_source_image(&src, opt, img, err);
    if (ok && format) *format = src.format;
    row_source_close(&src);
    return ok;
}

bool rows_decode(const row_reading *by, const uint8_t *bytes, size_t n, const decode_options *opt, image *img,
                 error *err)
{
    row_source s = {.in = reader_of_memory(bytes, n)};
    *img = (image){0};
    const bool ok = open_rows(&s, by, opt, err) && read_all(&s, &opt->progress, img, err);
    if (!ok) image_free(img);
    row_source_close(&s);
    return ok;
}
