/* tiff_blocks.c - rows to the strips or tiles of a TIFF.
 *
 * Rows of blocks of all planes are written in batches.  In Deflate, all blocks of a batch are deflated by several
 * threads, each block by itself, and written in order; so the file does not depend on the number of threads.  Other
 * compressions are libtiff's, on one thread. */
#if SAT_WITH_LIBTIFF
#include <libdeflate.h>
#include <stdlib.h>
#include <tiffio.h>

#include "codec.h"
#include "tiff_parts.h"

enum {
    LEVEL = 7,              /* of libdeflate; that of libtiff, where that uses libdeflate */
    EACH = 4,               /* blocks of a batch for a thread, so that all threads end at about the same time */
    BATCH_BYTES = 16 << 20, /* of the blocks of a batch, about, where those for one thread are fewer */
    MOST_THREADS = 64,
};

/* The memory of one thread. */
typedef struct worker {
    struct libdeflate_compressor *deflater;
    uint8_t *block; /* as it is deflated */
    uint8_t *row;   /* padded, or its bytes parted */
} worker;

typedef struct deflated {
    uint8_t *bytes;
    size_t n; /* 0: it failed */
} deflated;

struct tiff_blocks {
    tiff_blocks_how how;
    tiff_file *file;
    size_t row_bytes, block_row_bytes;
    size_t stride;              /* from a row to the next one of a plane */
    int64_t across, batch_rows; /* blocks from left to right; rows of a batch */
    int64_t done;               /* rows written */
    uint8_t *held;              /* rows that wait for the rest of their batch: bands interleaved by line */
    int64_t held_rows;
    worker workers[MOST_THREADS];
    int ready;           /* workers */
    deflated *batch;     /* one for each block */
    const uint8_t *rows; /* of the batch that is being written */
    int64_t count;
};

static size_t block_bytes(const tiff_blocks_how *how)
{
    return (size_t)how->block_width * how->block_height * how->pixel_bytes;
}

static int64_t across_of(const tiff_blocks_how *how)
{
    return (how->width + how->block_width - 1) / how->block_width;
}

static int threads_of(const tiff_blocks_how *how)
{
    return !how->deflate ? 1 : how->threads < MOST_THREADS ? how->threads : MOST_THREADS;
}

int64_t tiff_blocks_step(const tiff_blocks_how *how)
{
    const int64_t down = (how->height + how->block_height - 1) / how->block_height;
    int64_t blocks = how->deflate ? (int64_t)threads_of(how) * EACH : 1;
    if (blocks > 1 && (uint64_t)blocks * block_bytes(how) > BATCH_BYTES) blocks = threads_of(how);
    const int64_t in_row = across_of(how) * how->planes, rows = (blocks + in_row - 1) / in_row;
    return (rows < down ? rows : down) * how->block_height;
}

uint64_t tiff_blocks_bytes(const tiff_blocks_how *how)
{
    const uint64_t rows = (uint64_t)tiff_blocks_step(how), block = block_bytes(how);
    const uint64_t planes = (uint64_t)how->planes, held = rows * (uint64_t)how->width * how->pixel_bytes * planes;
    const uint64_t packed =
        how->deflate ? rows / how->block_height * (uint64_t)across_of(how) * planes * (block + block / 1024 + 64) : 0;
    enum { DEFLATER_BYTES = 1 << 20 };
    return held + packed + (uint64_t)threads_of(how) * (block + DEFLATER_BYTES);
}

static bool worker_begin(worker *w, const tiff_blocks *b)
{
    w->block = malloc(block_bytes(&b->how));
    w->row = calloc(2, b->block_row_bytes);
    w->deflater = b->how.deflate ? libdeflate_alloc_compressor(LEVEL) : NULL;
    return w->block && w->row && (w->deflater || !b->how.deflate);
}

static void worker_end(worker *w)
{
    libdeflate_free_compressor(w->deflater);
    free(w->block);
    free(w->row);
}

tiff_blocks *tiff_blocks_begin(const tiff_blocks_how *how, tiff_file *f, error *err)
{
    tiff_blocks *b = calloc(1, sizeof *b);
    if (!b) goto out;
    *b = (tiff_blocks){.how = *how, .file = f, .across = across_of(how), .batch_rows = tiff_blocks_step(how)};
    b->row_bytes = (size_t)how->width * how->pixel_bytes;
    b->block_row_bytes = (size_t)how->block_width * how->pixel_bytes;
    b->stride = how->plane_bytes == b->row_bytes ? b->row_bytes * (size_t)how->planes : b->row_bytes;
    const int64_t blocks = b->batch_rows / how->block_height * b->across * how->planes;
    const int threads = threads_of(how) < blocks ? threads_of(how) : (int)blocks;
    b->batch = calloc((size_t)blocks, sizeof *b->batch);
    /* fewer threads where there is no memory for more */
    while (b->ready < threads && worker_begin(&b->workers[b->ready], b)) b->ready++;
    if (b->ready < threads) {
        worker_end(&b->workers[b->ready]);
        b->workers[b->ready] = (worker){0};
    }
    if (b->batch && b->ready > 0) return b;
out:
    tiff_blocks_free(b);
    fail_memory(err, "out of memory: strips or tiles of %zu bytes", block_bytes(how));
    return NULL;
}

void tiff_blocks_free(tiff_blocks *b)
{
    if (!b) return;
    const int64_t blocks = b->batch ? b->batch_rows / b->how.block_height * b->across * b->how.planes : 0;
    for (int64_t i = 0; i < blocks; i++) free(b->batch[i].bytes);
    for (int i = 0; i < b->ready; i++) worker_end(&b->workers[i]);
    free(b->batch);
    free(b->held);
    free(b);
}

/* Blocks of a plane in the batch. */
static int64_t each_plane(const tiff_blocks *b)
{
    return (b->count + b->how.block_height - 1) / b->how.block_height * b->across;
}

/* Block i of the batch, plane by plane, as the file has it before it is compressed, with differences if `predictor`
 * says so.  Behind the image's edge a tile has zeros. */
static size_t gather(const tiff_blocks *b, int64_t i, unsigned predictor, worker *w)
{
    const tiff_blocks_how *how = &b->how;
    const int64_t in_plane = i % each_plane(b), y0 = in_plane / b->across * how->block_height,
                  x0 = in_plane % b->across * how->block_width, left = how->width - x0,
                  rows = b->count - y0 < how->block_height ? b->count - y0 : how->block_height;
    const size_t pixels = left < how->block_width ? (size_t)left : how->block_width,
                 bytes = how->bits ? ((size_t)how->block_width + 7) / 8 : b->block_row_bytes,
                 inside = pixels * how->pixel_bytes;
    for (int64_t y = 0; y < rows; y++) {
        const uint8_t *row = b->rows + (size_t)(i / each_plane(b)) * how->plane_bytes + (size_t)(y0 + y) * b->stride +
                             (size_t)x0 * how->pixel_bytes;
        uint8_t *to = w->block + (size_t)y * bytes;
        if (how->bits) {
            memset(to, 0, bytes);
            codec_pack_bits(to, row, pixels, 0);
            continue;
        }
        if (inside < bytes) {
            memset(w->row + inside, 0, bytes - inside);
            row = memcpy(w->row, row, inside);
        }
        tiff_predict(predictor, row, bytes, how->sample_bytes, how->pixel_bytes / how->sample_bytes, to,
                     w->row + bytes);
    }
    if (!how->tiled) return (size_t)rows * bytes;
    memset(w->block + (size_t)rows * bytes, 0, (size_t)(how->block_height - rows) * bytes);
    return (size_t)how->block_height * bytes;
}

static void deflate_block(void *context, int64_t i, int thread)
{
    tiff_blocks *b = context;
    worker *w = &b->workers[thread];
    deflated *to = &b->batch[i];
    const size_t n = gather(b, i, b->how.predictor, w),
                 most = libdeflate_zlib_compress_bound(w->deflater, block_bytes(&b->how));
    to->n = 0;
    if (!to->bytes && !(to->bytes = malloc(most))) return;
    to->n = libdeflate_zlib_compress(w->deflater, w->block, n, to->bytes, most);
}

/* libtiff changes no bytes that it is given. */
static bool write_block(tiff_blocks *b, int64_t i, error *err)
{
    TIFF *tif = b->file->tif;
    const bool tiled = b->how.tiled;
    const int64_t each = each_plane(b), down = (b->how.height + b->how.block_height - 1) / b->how.block_height;
    const uint32_t index = (uint32_t)((i / each * down + b->done / b->how.block_height) * b->across + i % each);
    tmsize_t n, got;
    if (b->how.deflate) {
        n = (tmsize_t)b->batch[i].n;
        if (n == 0) return fail_memory(err, "out of memory: a strip or tile of %zu bytes", block_bytes(&b->how));
        got = (tiled ? TIFFWriteRawTile : TIFFWriteRawStrip)(tif, index, b->batch[i].bytes, n);
    } else {
        n = (tmsize_t)gather(b, i, PREDICTOR_NONE, &b->workers[0]);
        got = (tiled ? TIFFWriteEncodedTile : TIFFWriteEncodedStrip)(tif, index, b->workers[0].block, n);
    }
    return got == n && !b->file->first.text[0];
}

static bool write_batch(tiff_blocks *b, const uint8_t *rows, int64_t count, error *err)
{
    b->rows = rows;
    b->count = count;
    const int64_t blocks = each_plane(b) * b->how.planes;
    if (b->how.deflate) sat_parallel(b->ready, blocks, deflate_block, b);
    for (int64_t i = 0; i < blocks; i++)
        if (!write_block(b, i, err)) return false;
    b->done += count;
    return true;
}

bool tiff_blocks_write(tiff_blocks *b, const uint8_t *rows, int64_t n, error *err)
{
    for (int64_t k; n > 0; n -= k, rows += (size_t)k * b->stride) {
        const int64_t left = b->how.height - b->done, whole = left < b->batch_rows ? left : b->batch_rows;
        k = whole - b->held_rows < n ? whole - b->held_rows : n;
        if (k == whole) {
            if (!write_batch(b, rows, whole, err)) return false;
            continue;
        }
        if (!b->held && !(b->held = malloc((size_t)b->batch_rows * b->stride)))
            return fail_memory(err, "out of memory: rows of %zu bytes", b->stride);
        memcpy(b->held + (size_t)b->held_rows * b->stride, rows, (size_t)k * b->stride);
        b->held_rows += k;
        if (b->held_rows < whole) continue;
        b->held_rows = 0;
        if (!write_batch(b, b->held, whole, err)) return false;
    }
    return true;
}

#endif
