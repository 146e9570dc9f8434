/* Pixels to PNG.
 *
 * Every row is filtered by Up and deflated by ISA-L at level 1: next to libdeflate and zlib by far the
 * fastest, and within a tenth of libdeflate's level 1 in size.  Rows go in bands of fixed size, each
 * deflated independently by any thread, ended at a byte by a full flush, and written in order as an
 * IDAT chunk.  So the file does not depend on the number of threads, and the memory not on
 * the image. */
#include "png.h"

#include <isa-l/igzip_lib.h>
#include <libdeflate.h>
#include <pthread.h>
#include <stdlib.h>

#include "codec.h"

enum {
    BAND_BYTES = 1 << 19, /* of filtered rows: large against deflate's window of 32 KiB */
    ADLER_BASE = 65521,   /* RFC 1950: the largest prime below 2^16 */
};

/* Of a row of the file, before it is filtered. */
static size_t line_bytes(const image *img)
{
    return img->bilevel ? ((size_t)img->width + 7) / 8 : img->row_bytes;
}

static bool write_header(const image *img, sink *out, error *err)
{
    static const uint8_t colours[5] = {0, PNG_COLOUR_GREY, PNG_COLOUR_GREY_ALPHA, PNG_COLOUR_RGB, PNG_COLOUR_RGBA};
    uint8_t file[PNG_SIGNATURE + PNG_CHUNK_OVERHEAD + 13];
    uint8_t *chunk = file + PNG_SIGNATURE, *data = chunk + PNG_CHUNK_HEAD;
    memcpy(file, png_signature, PNG_SIGNATURE);
    store_be32(data, (uint32_t)img->width);
    store_be32(data + 4, (uint32_t)img->height);
    data[8] = img->type == SAT_U16 ? 16 : img->bilevel ? 1 : 8;
    data[9] = colours[img->channels];
    memset(data + 10, 0, 3); /* deflate, the five filters, not interlaced */
    png_seal_chunk(chunk, "IHDR", 13);
    return sink_write(out, file, sizeof file, err);
}

/* ---- pixels ---------------------------------------------------------------------------------------- */

static void filter_up_8(uint8_t *restrict dst, const uint8_t *row, const uint8_t *above, size_t n)
{
    for (size_t i = 0; i < n; i++) dst[i] = (uint8_t)(row[i] - above[i]);
}

/* The same on 16-bit samples, each byte by itself, the higher one first. */
static void filter_up_16(uint8_t *restrict dst, const uint16_t *row, const uint16_t *above, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        dst[2 * i] = (uint8_t)((row[i] >> 8) - (above[i] >> 8));
        dst[2 * i + 1] = (uint8_t)(row[i] - above[i]);
    }
}

/* The same on the bits of a bilevel image, of n bytes. */
static void filter_up_bits(uint8_t *restrict dst, const uint8_t *row, const uint8_t *above, size_t n, size_t width)
{
    for (size_t i = 0; i < n; i++) {
        const size_t left = width - 8 * i, here = left < 8 ? left : 8;
        uint8_t bits, bits_above;
        codec_pack_bits(&bits, row + 8 * i, here, UINT8_MAX);
        codec_pack_bits(&bits_above, above + 8 * i, here, UINT8_MAX);
        dst[i] = (uint8_t)(bits - bits_above);
    }
}

static void filter_band(const image *img, const uint8_t *zeros, int64_t y0, int64_t y1, uint8_t *dst)
{
    for (int64_t y = y0; y < y1; y++) {
        const void *row = image_row(img, y), *above = y > 0 ? image_row(img, y - 1) : zeros;
        *dst++ = PNG_UP;
        if (img->type == SAT_U16) {
            filter_up_16(dst, row, above, img->row_bytes / 2);
        } else if (img->bilevel) {
            filter_up_bits(dst, row, above, line_bytes(img), (size_t)img->width);
        } else {
            filter_up_8(dst, row, above, img->row_bytes);
        }
        dst += line_bytes(img);
    }
}

/* The buffers of one thread. */
typedef struct worker {
    struct isal_zstream deflater;
    uint8_t level_buffer[ISAL_DEF_LVL1_LARGE];
    uint8_t *filtered, *chunk;
} worker;

/* Deflate never makes more of n bytes than stored blocks of 65535, each with 5 bytes before it; there is one more for
 * the first bytes, and the empty blocks of both flushes take 5 each.  ISA-L writes in whole words, hence the rest. */
static size_t deflated_bound(size_t n)
{
    return n + 5 * (n / UINT16_MAX + 4) + 64;
}

static void worker_free(worker *w)
{
    if (!w) return;
    free(w->filtered);
    free(w->chunk);
    free(w);
}

static worker *worker_new(size_t band_bytes)
{
    worker *w = malloc(sizeof *w);
    if (!w) return NULL;
    w->filtered = malloc(band_bytes);
    w->chunk = malloc(PNG_CHUNK_OVERHEAD + 2 + deflated_bound(band_bytes));
    if (w->filtered && w->chunk) return w;
    worker_free(w);
    return NULL;
}

/* Deflates the next n bytes, all of them and up to the end of a byte. */
static bool deflate_piece(struct isal_zstream *z, size_t n, int flush, bool last)
{
    z->flush = (uint16_t)flush;
    z->end_of_stream = last;
    z->avail_in = (uint32_t)n;
    return isal_deflate(z) == COMP_OK && z->avail_in == 0 && z->avail_out > 0;
}

/* Deflates n filtered bytes to dst; the result's size, or 0 if ISA-L failed.
 *
 * The first bytes are a piece of their own.  Where ISA-L's fast loop takes the first byte of a stream (2.30.0 to
 * 2.32.1: igzip_icf_body_h1_gr_bt.asm, write_first_byte), it enters the third byte into its table of matches under a
 * hash of the stream's address, so that now and then a band came out with other matches.  Pieces of up to HEAD bytes go
 * through the loop for the ends of streams, which takes the first byte as it should. */
static size_t deflate_band(worker *w, uint8_t *dst, size_t n, bool last)
{
    enum { HEAD = 16 }; /* MIN_INBUF_PADDING there */
    struct isal_zstream *z = &w->deflater;
    isal_deflate_init(z);
    z->level = 1;
    z->level_buf = w->level_buffer;
    z->level_buf_size = sizeof w->level_buffer;
    z->next_in = w->filtered;
    z->next_out = dst;
    z->avail_out = (uint32_t)deflated_bound(n);
    bool ok = n <= HEAD || deflate_piece(z, HEAD, SYNC_FLUSH, false);
    if (n > HEAD) n -= HEAD;
    ok = ok && deflate_piece(z, n, last ? NO_FLUSH : FULL_FLUSH, last);
    return ok ? z->total_out : 0;
}

/* The checksum of two pieces from theirs; n: bytes of the second.  With a = 1 + the sum of the bytes and
 * b = the sum of all a on the way (RFC 1950), appending adds b's start n times the first piece's a - 1. */
static uint32_t join_adler(uint32_t first, uint32_t second, size_t n)
{
    uint64_t a1 = first & 0xffff, b1 = first >> 16, a2 = second & 0xffff, b2 = second >> 16;
    uint64_t a = (a1 + a2 + ADLER_BASE - 1) % ADLER_BASE;
    uint64_t b = (b1 + b2 + (n % ADLER_BASE) * ((a1 + ADLER_BASE - 1) % ADLER_BASE)) % ADLER_BASE;
    return (uint32_t)(b << 16 | a);
}

enum { MOST_THREADS = 64 };

/* The bands of an image, shared by the threads. */
typedef struct bands {
    const image *img;
    const uint8_t *zeros; /* a row of them */
    int64_t count, rows;  /* rows in each but the last */
    size_t bytes;         /* filtered, in each but the last */
    sink *out;
    const io_progress *progress;
    error *err;
    worker *workers[MOST_THREADS];
    pthread_mutex_t lock; /* for all that follows */
    pthread_cond_t changed;
    int64_t written;
    uint32_t adler;
    bool ok;
} bands;

static bool all_well(bands *b)
{
    pthread_mutex_lock(&b->lock);
    bool ok = b->ok;
    pthread_mutex_unlock(&b->lock);
    return ok;
}

/* Waits until all bands before i are written; false if one has failed. */
static bool wait_for_turn(bands *b, int64_t i)
{
    pthread_mutex_lock(&b->lock);
    while (b->ok && b->written < i) pthread_cond_wait(&b->changed, &b->lock);
    bool ok = b->ok;
    pthread_mutex_unlock(&b->lock);
    return ok;
}

static void end_turn(bands *b, bool ok)
{
    pthread_mutex_lock(&b->lock);
    b->written++;
    b->ok = b->ok && ok;
    pthread_cond_broadcast(&b->changed);
    pthread_mutex_unlock(&b->lock);
    codec_progress(b->progress, 1 / (double)b->count);
}

static void encode_band(void *context, int64_t i, int thread)
{
    bands *b = context;
    worker *w = b->workers[thread];
    bool last = i == b->count - 1;
    int64_t y0 = i * b->rows, y1 = last ? b->img->height : y0 + b->rows;
    size_t n = (size_t)(y1 - y0) * (line_bytes(b->img) + 1), head = i == 0 ? 2 : 0;
    if (!all_well(b)) return;
    filter_band(b->img, b->zeros, y0, y1, w->filtered);
    uint32_t sum = libdeflate_adler32(1, w->filtered, n);
    store_be16(w->chunk + PNG_CHUNK_HEAD, 0x7801); /* zlib's header: deflate, 32 KiB window, fastest level */
    size_t deflated = deflate_band(w, w->chunk + PNG_CHUNK_HEAD + head, n, last);
    size_t chunk = png_seal_chunk(w->chunk, "IDAT", head + deflated);

    if (!wait_for_turn(b, i)) return;
    bool ok = deflated > 0 ? sink_write(b->out, w->chunk, chunk, b->err)
                           : fail(b->err, "the PNG's pixels could not be deflated");
    b->adler = join_adler(b->adler, sum, n);
    end_turn(b, ok);
}

static bool write_pixels(const image *img, int threads, const io_progress *progress, sink *out, error *err)
{
    size_t line = line_bytes(img) + 1;
    bands b = {.img = img, .rows = line < BAND_BYTES ? (int64_t)(BAND_BYTES / line) : 1, .out = out, .err = err};
    if (b.rows > img->height) b.rows = img->height;
    b.count = (img->height + b.rows - 1) / b.rows;
    b.bytes = (size_t)b.rows * line;
    b.progress = progress;
    b.adler = 1;
    b.ok = true;
    if (deflated_bound(b.bytes) > INT32_MAX) return fail(err, "rows of %zu bytes are too long for PNG", line);
    if (threads > MOST_THREADS) threads = MOST_THREADS;
    if (threads > b.count) threads = (int)b.count;

    uint8_t *zeros = calloc(1, img->row_bytes);
    if (!zeros) return fail(err, "out of memory: a row of %zu bytes", img->row_bytes);
    b.zeros = zeros;
    int ready = 0; /* fewer threads where there is no memory for more */
    while (ready < threads && (b.workers[ready] = worker_new(b.bytes))) ready++;
    if (ready == 0) b.ok = fail(err, "out of memory: PNG bands of %zu bytes", b.bytes);
    pthread_mutex_init(&b.lock, NULL);
    pthread_cond_init(&b.changed, NULL);
    if (b.ok) sat_parallel(ready, b.count, encode_band, &b);
    while (ready > 0) worker_free(b.workers[--ready]);
    pthread_cond_destroy(&b.changed);
    pthread_mutex_destroy(&b.lock);
    free(zeros);

    uint8_t chunk[PNG_CHUNK_OVERHEAD + 4];
    store_be32(chunk + PNG_CHUNK_HEAD, b.adler);
    return b.ok && sink_write(out, chunk, png_seal_chunk(chunk, "IDAT", 4), err);
}

bool png_encode(const image *img, const encode_options *opt, sink *out, error *err)
{
    if (img->width > INT32_MAX || img->height > INT32_MAX) {
        return fail(err, "%lldx%lld pixels are too many for PNG, whose sides end at 2^31 - 1", (long long)img->width,
                    (long long)img->height);
    }
    uint8_t end[PNG_CHUNK_OVERHEAD];
    return write_header(img, out, err) && png_write_meta(&img->meta, out, err) &&
           write_pixels(img, codec_threads(opt->threads), &opt->progress, out, err) &&
           sink_write(out, end, png_seal_chunk(end, "IEND", 0), err);
}
