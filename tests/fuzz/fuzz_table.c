/* fuzz_table.c - table files behind right checksums: what opens fits its memory, and answers what its entries say.
 *
 *     assumed layout   sample   rectangles   x y w h ...   the file
 *     1 byte           1 byte   1 byte       8 bytes each   all others */
#include <math.h>
#include <stdlib.h>
#include <xxhash.h>

#include "fuzz.h"
#include "npy_header.h"
#include "sat_query.h"
#include "table_file.h"
#include "table_trailer.h"

enum { HEAD = 3, RECTS = 4, RECT_BYTES = 8 };

static size_t head_bytes(const uint8_t *bytes, size_t n)
{
    return n < HEAD ? n : HEAD + (size_t)(bytes[2] % (RECTS + 1)) * RECT_BYTES;
}

/* ---- the trailer that the reader wants to see ---- */

static bool find_trailer(const uint8_t *file, size_t n, npy_header *h, size_t *at)
{
    error unused;
    if (!npy_parse(h, file, n, &unused)) return false;
    uint64_t offset = trailer_offset(h->data_offset + h->data_bytes);
    *at = (size_t)offset;
    return offset <= n && n - offset >= TRAILER_BYTES;
}

/* Its checksums; and its shape, if the input's first byte says so. */
static size_t repair(uint8_t *bytes, size_t n, size_t room)
{
    (void)room;
    size_t head = head_bytes(bytes, n), at;
    npy_header h;
    table_trailer t;
    if (head >= n || !find_trailer(bytes + head, n - head, &h, &at)) return n;
    uint8_t *file = bytes + head;
    memcpy(&t, file + at, sizeof t);
    if (bytes[0] & 0x80 && h.dims >= 2) {
        bool padded = strncmp(t.layout, "padded", sizeof t.layout) == 0;
        t.width = (uint64_t)(h.shape[1] - padded);
        t.height = (uint64_t)(h.shape[0] - padded);
        t.channels = h.dims == 3 ? (uint32_t)h.shape[2] : 1;
        table_moments m = {false, false};
        t.moment[sizeof t.moment - 1] = 0;
        if (table_moments_from_name(t.moment, &m)) t.channels /= (uint32_t)table_planes(m);
        if (m.counts) t.has_nodata &= 1;
        t.data_offset = h.data_offset;
        t.data_bytes = h.data_bytes;
    }
    t.data_xxh3 = XXH3_64bits(file + h.data_offset, h.data_bytes);
    trailer_seal(&t);
    memcpy(file + at, &t, sizeof t);
    return n;
}

/* ---- queries ---- */

static const uint8_t *entry(const sat_view *v, int64_t x, int64_t y, size_t c)
{
    return (const uint8_t *)v->data + y * v->row_bytes +
           x * (v->pixel_bytes ? v->pixel_bytes : v->channels * (ptrdiff_t)sat_type_bytes(v->type)) +
           c * sat_type_bytes(v->type); /* of a view of many tables, whose entries lie side by side, too */
}

/* The sum of the first x columns of the first y rows. */
static uint64_t prefix(const sat_table *t, int64_t x, int64_t y, size_t c)
{
    int64_t shift = t->layout == SAT_INCLUSIVE;
    uint64_t value = 0;
    if (shift && (x == 0 || y == 0)) return 0;
    memcpy(&value, entry(&t->view, x - shift, y - shift, c), sat_type_bytes(t->view.type));
    return value;
}

static bool is_sum(const sat_table *t, const sat_rect *r, size_t c, const sat_sum *sum)
{
    int64_t x1 = r->x + r->width, y1 = r->y + r->height;
    uint64_t four = prefix(t, x1, y1, c) - prefix(t, x1, r->y, c) - prefix(t, r->x, y1, c) + prefix(t, r->x, r->y, c);
    if (t->view.type == SAT_U32) return sum->u == (uint32_t)four;
    if (t->view.type == SAT_I32) return sum->i == (int32_t)four;
    return t->view.type == SAT_U64 || t->view.type == SAT_I64 ? sum->u == four : true;
}

static int channels_of(const sat_view *v)
{
    return v->count > 1 ? (int)v->count : v->channels;
}

/* squares, counts: NULL, or these tables. */
static const char *query_statistics(const sat_table *t, const sat_table *squares, const sat_table *counts,
                                    const sat_rect *r, bool inside)
{
    double variances[TABLE_CHANNELS_MAX], roots[TABLE_CHANNELS_MAX], numbers[TABLE_CHANNELS_MAX];
    sat_sum sums[TABLE_CHANNELS_MAX];
    int64_t area = -1;
    sat_statistics ask = {.threads = 1, .sums = sums, .areas = &area, .counts = counts};
    const sat_rect_output output[] = {{"count", numbers}, {"var", variances}, {"rms", roots}};
    ask.output = output, ask.outputs = squares ? 3 : 1;
    sat_status status = sat_table_statistics(t, squares, r, 1, &ask, NULL);
    if (status == SAT_OK && (!inside || area != r->width * r->height)) return "statistics of another rectangle";
    for (int c = 0; status == SAT_OK && c < channels_of(&t->view); c++) {
        const double n = numbers[c];
        if (n < 0 || n > (double)area || n != floor(n)) return "a count that no rectangle has";
        if (!counts && n != (double)area) return "a count that is not the area";
        if (n == 0 ? sums[c].u != 0 : !is_sum(t, r, (size_t)c, &sums[c]))
            return "a sum beside statistics is not that of four entries";
        if (squares && variances[c] < 0) return "a variance below 0";
    }
    return NULL;
}

static const char *query_table(fuzz_input *in, const sat_table *t, const sat_table *squares, const sat_table *counts,
                               size_t n)
{
    const char *why;
    bool padded = t->layout == SAT_PADDED;
    int64_t width = t->view.width - padded, height = t->view.height - padded;
    size_t channels = (size_t)channels_of(&t->view);
    for (size_t i = 0; i < n; i++) {
        sat_sum sums[TABLE_CHANNELS_MAX];
        double means[TABLE_CHANNELS_MAX];
        sat_rect r = {.x = (int16_t)take(in, 2), .y = (int16_t)take(in, 2)};
        r.width = (int16_t)take(in, 2);
        r.height = (int16_t)take(in, 2);
        bool inside =
            r.x >= 0 && r.y >= 0 && r.width > 0 && r.height > 0 && r.x + r.width <= width && r.y + r.height <= height;
        sat_status status = sat_table_query(t, &r, 1, 0, 1, sums, means);
        if (status == SAT_OK && !inside) return "a rectangle outside the image has an answer";
        if (status == SAT_ERR_RECT && inside) return "a rectangle inside the image is refused";
        if (status != SAT_OK && status != SAT_ERR_RECT && status != SAT_ERR_RANGE && status != SAT_ERR_ARGUMENT)
            return "a table that was opened cannot be queried";
        for (size_t c = 0; status == SAT_OK && c < channels; c++)
            if (!is_sum(t, &r, c, &sums[c])) return "a sum is not that of four entries";
        if ((why = query_statistics(t, squares, counts, &r, inside))) return why;
    }
    return NULL;
}

/* ---- an input ---- */

static const char *check_open(const table_file *file, const uint8_t *bytes, size_t n)
{
    const sat_view *v = &file->table.view;
    sat_table squares, counts;
    const bool has_squares = table_file_squares(file, &squares), has_counts = table_file_counts(file, &counts);
    const size_t planes = 1 + (size_t)has_squares + (size_t)has_counts,
                 pixel = (size_t)channels_of(v) * sat_type_bytes(v->type);
    size_t row = sat_row_bytes(v->width, 1, v->type) * (size_t)channels_of(v) * planes;
    error err;
    if (file->data_offset > n || file->data_bytes > n - file->data_offset) return "an array that is not in the file";
    if (row == 0 || row != (size_t)v->row_bytes || row * (size_t)v->height != file->data_bytes)
        return "rows of a wrong size";
    const char *first = (const char *)file->file.bytes + file->data_offset;
    if ((const char *)v->data != first + has_counts * pixel || (has_counts && counts.view.data != first) ||
        (has_squares && (const char *)squares.view.data != first + (planes - 1) * pixel))
        return "moments that do not lie side by side";
    if (file->table.layout != file->meta.layout || file->table.sample != file->meta.sample)
        return "a table that is not what its file says";
    bool same =
        file->meta.has_trailer && XXH3_64bits(bytes + file->data_offset, file->data_bytes) == file->meta.checksum;
    return table_file_verify(file, &err) == same ? NULL : "a checksum that is compared wrongly";
}

static const char *run(const uint8_t *bytes, size_t n)
{
    size_t head = head_bytes(bytes, n);
    if (head >= n || n - head < 2) return NULL;
    fuzz_input in = {bytes + HEAD, head - HEAD};
    const sat_file_options assume = {
        .foreign = bytes[0] % 4 < 3, .layout = (sat_layout)(bytes[0] % 4 % 3), .sample = (sat_type)(bytes[1] % 12)};
    uint64_t most;
    error err = {.text = ""}, other;
    uint8_t *copy = malloc(n - head);
    if (!copy) return NULL;
    memcpy(copy, bytes + head, n - head);
    source src = {.bytes = copy, .n = n - head};
    bool is_table = npy_sniff(src.bytes, src.n), wanted = table_file_extent(src.bytes, src.n, NULL, &most, &other);
    table_file file;
    const char *why = NULL;
    if (!table_file_take(&file, &src, &assume, &err)) {
        if (err.text[0] == '\0' || strchr(err.text, '\n')) why = "a failure without a line that says why";
        if (file.file.bytes || src.bytes) why = "a source is left behind by a failure";
        return why;
    }
    if (!is_table || !wanted) why = "a table from a file, and none from a stream";
    if (!why) why = check_open(&file, bytes + head, n - head);
    (void)table_file_looks_padded(&file);
    sat_table squares, counts;
    const bool has_squares = table_file_squares(&file, &squares), has_counts = table_file_counts(&file, &counts);
    if (!why)
        why = query_table(&in, &file.table, has_squares ? &squares : NULL, has_counts ? &counts : NULL,
                          (head - HEAD) / RECT_BYTES);
    table_file_close(&file);
    return why;
}

const fuzz_target fuzz = {.run = run, .repair = repair};
