/* tiff_rows.c - the strips or tiles of a TIFF to rows of pixels.
 *
 * Strips that are not compressed are read row by row.  Of all others, rows of blocks are decoded together, a group: to
 * their place where all of its rows are asked for, else to memory that is kept, so that none is decoded twice when rows
 * are read in order.  The blocks of a group are decoded by several threads in Deflate, and where they are not
 * compressed; libtiff decodes others, on one thread. */
#if SAT_WITH_LIBTIFF
#include <stdlib.h>
#include <tiffio.h>

#include "codec.h"
#include "sample_type.h"
#include "tiff_parts.h"

enum {
    EACH = 2,              /* blocks of a group for a thread */
    GROUP_BYTES = 8 << 20, /* of a group, where that is not one row of blocks */
    MOST_THREADS = 64,
};

typedef struct worker {
    uint8_t *block; /* a tile or strip as it is stored; NULL until it is needed */
    int64_t failed; /* the first block of a group that failed */
    error why;
} worker;

struct tiff_rows {
    tiff_file *file;
    const tiff_layout *layout;
    size_t row_bytes;
    tiff_palette colours;
    uint64_t across, down; /* blocks */
    uint64_t most_stored;  /* bytes of one */
    uint64_t missing;      /* blocks that are read and are not in the file */
    int64_t group_rows;
    uint8_t *held;  /* a group */
    int64_t held_y; /* its first row; -1: none */
    int threads;
    worker workers[MOST_THREADS];
    uint8_t *part;

    int64_t y, rows; /* the group that is being decoded */
    uint8_t *to;
    size_t plane_bytes, stride; /* from a row to the next one */
};

/* Separate planes that are read: not those of samples that are left out. */
static int planes_of(const tiff_layout *t)
{
    return t->planar ? tiff_outputs(t) : 1;
}

/* Of rows as they are held: bands interleaved by line. */
static size_t line_bytes(const tiff_rows *r)
{
    return r->row_bytes * (r->layout->planes ? (size_t)r->layout->planes : 1);
}

static size_t stride_of(const tiff_rows *r, size_t plane_bytes)
{
    return plane_bytes == r->row_bytes ? line_bytes(r) : r->row_bytes;
}

/* Where a plane of the file goes, of which no other has samples there. */
static size_t place_of(const tiff_layout *t, int plane, size_t plane_bytes)
{
    return t->planes ? (size_t)plane * plane_bytes : 0;
}

/* The first block of a plane that is read. */
static uint64_t plane_begin(const tiff_rows *r, int plane)
{
    return r->layout->planar ? (uint64_t)tiff_sample(r->layout, plane) * r->across * r->down : 0;
}

/* Without padding behind the last row of a strip. */
static uint64_t block_bytes(const tiff_rows *r, uint64_t down)
{
    const tiff_layout *t = r->layout;
    uint64_t left = t->height - down * t->block_height;
    return t->tiled || left > t->block_height ? t->block_bytes : left * t->block_row_bytes;
}

/* Is this strip or tile left out of the file?  GDAL leaves out those that are all 0 or all without data. */
static bool is_missing(const tiff_rows *r, uint32_t index)
{
    return r->missing > 0 && TIFFGetStrileOffset(r->file->tif, index) == 0 &&
           TIFFGetStrileByteCount(r->file->tif, index) == 0;
}

/* Has the file all bytes of the strips or tiles that are read and are not missing?  libtiff reads uncompressed ones
 * without a look at their size. */
static bool find_blocks(tiff_rows *r, bool strict, error *err)
{
    TIFF *tif = r->file->tif;
    const tiff_layout *t = r->layout;
    const char *name = t->tiled ? "tile" : "strip";
    const uint64_t stored = t->tiled ? TIFFNumberOfTiles(tif) : TIFFNumberOfStrips(tif), blocks = r->across * r->down,
                   planes = t->planar ? (uint64_t)t->samples : 1, length = r->file->in->length;
    if (stored % planes != 0 || stored / planes != blocks)
        return fail(err, "corrupt: the TIFF has another number of %ss", name);
    for (uint64_t k = 0; k < blocks * (uint64_t)planes_of(t); k++) {
        const uint32_t i = (uint32_t)(plane_begin(r, (int)(k / blocks)) + k % blocks);
        int wrong = 0;
        uint64_t at = TIFFGetStrileOffsetWithErr(tif, i, &wrong),
                 n = wrong ? 0 : TIFFGetStrileByteCountWithErr(tif, i, &wrong);
        if (wrong) return tiff_fail(r->file, err);
        uint64_t least = t->plain ? block_bytes(r, i / r->across % r->down) : 1;
        if (at == 0 && n == 0) {
            if (strict) return fail(err, "%s %u is not in the file (a sparse TIFF), and --strict is given", name, i);
            r->missing++;
            continue;
        }
        if (at == 0) return fail(err, "corrupt: %s %u of the TIFF has no place in the file", name, i);
        if (n < least) return fail(err, "corrupt: %s %u of the TIFF has too few bytes", name, i);
        if (t->plain && n > least) n = least; /* the rest is not read; some writers store a wrong size */
        if (at > length || n > length - at)
            return fail(err, "truncated: the file ends inside %s %u of the TIFF", name, i);
        if (n > r->most_stored) r->most_stored = n;
    }
    if (r->missing > 0 && (tiff_count(r->file, TIFFTAG_TILEOFFSETS, TIFFTAG_STRIPOFFSETS) < stored ||
                           tiff_count(r->file, TIFFTAG_TILEBYTECOUNTS, TIFFTAG_STRIPBYTECOUNTS) < stored))
        return fail(err, "corrupt: the directory of the TIFF has too few %ss", name);
    return true;
}

/* Bytes that are stored as they are read, from that byte of a block on. */
static bool read_stored(const tiff_rows *r, uint32_t index, uint64_t at, uint8_t *to, uint64_t bytes, error *err)
{
    if (is_missing(r, index)) {
        tiff_put_missing(r->layout, to, bytes);
        return true;
    }
    if (!reader_read(r->file->in, TIFFGetStrileOffset(r->file->tif, index) + at, to, (size_t)bytes, err) ||
        !tiff_undo_predictor(r->file, r->layout, false, to, bytes, err))
        return false;
    tiff_settle_nodata(r->layout, to, bytes);
    return true;
}

static bool read_packed(const tiff_rows *r, uint32_t index, uint8_t *to, uint64_t bytes, error *err)
{
    TIFF *tif = r->file->tif;
    error *first = &r->file->first;
    if (r->layout->deflate) return tiff_inflate(r->file, r->layout, index, to, bytes, err);
    tmsize_t got = r->layout->tiled ? TIFFReadEncodedTile(tif, index, to, (tmsize_t)bytes)
                                    : TIFFReadEncodedStrip(tif, index, to, (tmsize_t)bytes);
    if (got >= 0 && (uint64_t)got == bytes && !first->text[0])
        return !r->layout->predictor || tiff_undo_predictor(r->file, r->layout, true, to, bytes, err);
    if (!first->text[0]) fail(first, "block %u has another size", index);
    return tiff_fail(r->file, err);
}

static bool read_block(const tiff_rows *r, uint32_t index, uint8_t *to, uint64_t bytes, error *err)
{
    if (r->layout->as_stored || is_missing(r, index)) return read_stored(r, index, 0, to, bytes, err);
    if (!read_packed(r, index, to, bytes, err)) return false;
    tiff_settle_nodata(r->layout, to, bytes);
    return true;
}

/* ---- groups of blocks ------------------------------------------------------------------------------------- */

static bool decode_block(const tiff_rows *r, int64_t i, worker *w, error *err)
{
    const tiff_layout *t = r->layout;
    const uint64_t height = t->block_height, each = ((uint64_t)r->rows + height - 1) / height * r->across,
                   down = (uint64_t)i % each / r->across, x = (uint64_t)i % r->across * t->block_width,
                   y = (uint64_t)r->y + down * height;
    const uint64_t rows = t->height - y < height ? t->height - y : height,
                   pixels = t->width - x < t->block_width ? t->width - x : t->block_width;
    const int plane = (int)((uint64_t)i / each);
    const uint64_t index = plane_begin(r, plane) + y / height * r->across + (uint64_t)i % r->across;
    uint8_t *to = r->to + down * height * r->stride;
    if (t->direct && r->stride == r->row_bytes)
        return read_block(r, (uint32_t)index, to + place_of(t, plane, r->plane_bytes), block_bytes(r, y / height), err);
    if (!w->block && !(w->block = calloc(t->block_height, (size_t)t->block_row_bytes)))
        return fail_memory(err, "out of memory: a strip or tile of a TIFF");
    if (!read_block(r, (uint32_t)index, w->block, block_bytes(r, y / height), err)) return false;
    for (uint64_t k = 0; k < rows; k++)
        tiff_put_row(t, r->colours, w->block + k * t->block_row_bytes, (size_t)pixels, plane,
                     to + k * r->stride + x * (r->row_bytes / t->width), r->plane_bytes);
    return true;
}

static void decode_job(void *context, int64_t i, int thread)
{
    tiff_rows *r = context;
    worker *w = &r->workers[thread];
    error why;
    if (w->failed >= 0 || decode_block(r, i, w, &why)) return;
    w->failed = i;
    w->why = why;
}

static void finish(const tiff_rows *r, uint8_t *rows, int64_t n)
{
    for (int64_t y = 0; (r->layout->inverted || r->layout->premultiplied) && y < n; y++)
        tiff_finish_row(r->layout, rows + (size_t)y * r->stride);
}

/* The group that begins with row y. */
static bool read_group(tiff_rows *r, int64_t y, int64_t rows, uint8_t *to, size_t plane_bytes, error *err)
{
    const int64_t height = r->layout->block_height,
                  blocks = (rows + height - 1) / height * (int64_t)r->across * planes_of(r->layout);
    const worker *first = NULL;
    r->y = y;
    r->rows = rows;
    r->to = to;
    r->plane_bytes = plane_bytes;
    r->stride = stride_of(r, plane_bytes);
    for (int i = 0; i < r->threads; i++) r->workers[i].failed = -1;
    if (r->threads > 1)
        sat_parallel(r->threads, blocks, decode_job, r);
    else
        for (int64_t i = 0; i < blocks && r->workers[0].failed < 0; i++) decode_job(r, i, 0);
    for (const worker *w = r->workers; w < r->workers + r->threads; w++)
        if (w->failed >= 0 && (!first || w->failed < first->failed)) first = w;
    if (first) *err = first->why;
    if (!first) finish(r, to, rows);
    return !first;
}

/* UINT64_MAX where no memory has so many. */
static uint64_t group_bytes(const tiff_rows *r)
{
    uint64_t bytes;
    return __builtin_mul_overflow((uint64_t)r->group_rows, line_bytes(r), &bytes) ? UINT64_MAX : bytes;
}

static bool hold_group(tiff_rows *r, int64_t y, int64_t rows, error *err)
{
    if (r->held_y == y) return true;
    const uint64_t bytes = group_bytes(r);
    if (!r->held && !memory_allows(bytes, "a strip or a row of tiles", err)) return false;
    if (!r->held && !(r->held = malloc(bytes)))
        return fail_memory(err, "out of memory: %llu bytes of strips or tiles", (unsigned long long)bytes);
    r->held_y = -1;
    if (!read_group(r, y, rows, r->held, r->row_bytes, err)) return false;
    r->held_y = y;
    return true;
}

static bool read_groups(tiff_rows *r, int64_t y, int64_t n, uint8_t *to, size_t plane_bytes, error *err)
{
    const size_t stride = stride_of(r, plane_bytes);
    for (int64_t end = y + n, k; y < end; y += k, to += (size_t)k * stride) {
        const int64_t from = y % r->group_rows, left = r->layout->height - (y - from),
                      rows = left < r->group_rows ? left : r->group_rows;
        k = rows - from < end - y ? rows - from : end - y;
        if (k == rows) {
            if (!read_group(r, y, rows, to, plane_bytes, err)) return false;
            continue;
        }
        if (!hold_group(r, y - from, rows, err)) return false;
        memcpy(to, r->held + (size_t)from * stride, (size_t)k * stride);
    }
    return true;
}

/* ---- strips that are not compressed ------------------------------------------------------------------------ */

static bool by_row(const tiff_layout *t)
{
    return t->as_stored && !t->tiled;
}

static int64_t part_rows(const tiff_layout *t)
{
    return image_cache_rows((size_t)t->block_row_bytes, t->height);
}

/* Rows of one strip of a plane. */
static bool read_part(tiff_rows *r, int plane, int64_t y, int64_t n, uint8_t *to, size_t plane_bytes, error *err)
{
    const tiff_layout *t = r->layout;
    const uint64_t bytes = (uint64_t)n * t->block_row_bytes, from = (uint64_t)y % t->block_height * t->block_row_bytes;
    const uint32_t index = (uint32_t)(plane_begin(r, plane) + (uint64_t)y / t->block_height);
    if (t->direct && r->stride == r->row_bytes)
        return read_stored(r, index, from, to + place_of(t, plane, plane_bytes), bytes, err);
    if (!r->part && !(r->part = malloc((size_t)part_rows(t) * (size_t)t->block_row_bytes)))
        return fail_memory(err, "out of memory: rows of a TIFF");
    if (!read_stored(r, index, from, r->part, bytes, err)) return false;
    for (int64_t k = 0; k < n; k++)
        tiff_put_row(t, r->colours, r->part + (size_t)k * t->block_row_bytes, t->width, plane,
                     to + (size_t)k * r->stride, plane_bytes);
    return true;
}

static bool read_by_row(tiff_rows *r, int64_t y, int64_t n, uint8_t *to, size_t plane_bytes, error *err)
{
    const tiff_layout *t = r->layout;
    r->stride = stride_of(r, plane_bytes);
    const int64_t most = t->direct && r->stride == r->row_bytes ? n : part_rows(t);
    for (int64_t end = y + n, k; y < end; y += k, to += (size_t)k * r->stride) {
        const int64_t left = t->block_height - y % t->block_height, wanted = end - y < most ? end - y : most;
        k = left < wanted ? left : wanted;
        for (int plane = 0; plane < planes_of(t); plane++)
            if (!read_part(r, plane, y, k, to, plane_bytes, err)) return false;
        finish(r, to, k);
    }
    return true;
}

/* ---- any rows ---------------------------------------------------------------------------------------------- */

static int64_t choose_group(const tiff_rows *r)
{
    const tiff_layout *t = r->layout;
    const uint64_t in_row = r->across * (uint64_t)planes_of(t), wanted = (uint64_t)r->threads * EACH;
    uint64_t rows_of_blocks = r->threads > 1 ? (wanted + in_row - 1) / in_row : 1;
    if (rows_of_blocks > r->down) rows_of_blocks = r->down;
    if (rows_of_blocks * t->block_height * line_bytes(r) > GROUP_BYTES) rows_of_blocks = 1;
    const uint64_t rows = rows_of_blocks * t->block_height;
    return rows < t->height ? (int64_t)rows : (int64_t)t->height;
}

tiff_rows *tiff_rows_begin(tiff_file *f, const tiff_layout *t, size_t row_bytes, const decode_options *opt, error *err)
{
    tiff_rows *r = calloc(1, sizeof *r);
    if (!r) {
        fail_memory(err, "out of memory: a TIFF");
        return NULL;
    }
    *r = (tiff_rows){.file = f, .layout = t, .row_bytes = row_bytes, .held_y = -1};
    r->across = ((uint64_t)t->width + t->block_width - 1) / t->block_width;
    r->down = ((uint64_t)t->height + t->block_height - 1) / t->block_height;
    const int threads = t->deflate || t->as_stored ? codec_threads(opt->threads) : 1;
    const uint64_t blocks = r->across * r->down * (uint64_t)planes_of(t),
                   most = blocks < MOST_THREADS ? blocks : MOST_THREADS;
    r->threads = (uint64_t)threads < most ? threads : (int)most;
    r->group_rows = choose_group(r);
    bool ok = (!t->tiled || codec_size_ok(t->block_width, t->block_height, opt, err)) &&
              find_blocks(r, opt->strict, err) && (!t->palette || tiff_read_palette(f, t, r->colours, err)) &&
              (t->direct || by_row(t) || memory_allows(t->block_bytes, "a strip or tile", err));
    f->first.text[0] = '\0';
    f->cut = false;
    f->strict = true;
    if (ok) return r;
    tiff_rows_free(r);
    return NULL;
}

bool tiff_rows_read(tiff_rows *r, int64_t y, int64_t n, uint8_t *to, size_t plane_bytes, error *err)
{
    return (by_row(r->layout) ? read_by_row : read_groups)(r, y, n, to, plane_bytes, err);
}

int64_t tiff_rows_step(const tiff_rows *r)
{
    return by_row(r->layout) ? 1 : r->group_rows;
}

uint64_t tiff_rows_bytes(const tiff_rows *r, bool any)
{
    const tiff_layout *t = r->layout;
    const bool direct = t->direct && !(any && t->planes);
    const uint64_t arrays = 16 * r->across * r->down * (t->planar ? (uint64_t)t->samples : 1);
    if (by_row(t)) return arrays + (direct ? 0 : (uint64_t)part_rows(t) * t->block_row_bytes);
    const uint64_t each = (direct ? 0 : t->block_bytes) + (t->as_stored ? 0 : r->most_stored),
                   others = arrays + (uint64_t)r->threads * each, group = any ? group_bytes(r) : 0;
    return group > UINT64_MAX - others ? UINT64_MAX : group + others;
}

void tiff_rows_count(const tiff_rows *r, image_meta *meta)
{
    meta->tiled = r->layout->tiled;
    meta->blocks_all = r->across * r->down * (uint64_t)planes_of(r->layout);
    meta->blocks_missing = r->missing;
}

void tiff_rows_free(tiff_rows *r)
{
    if (!r) return;
    for (int i = 0; i < r->threads; i++) free(r->workers[i].block);
    free(r->held);
    free(r->part);
    free(r);
}

#endif
