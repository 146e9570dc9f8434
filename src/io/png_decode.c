/* PNG's pixels: one deflate stream of filtered rows.
 *
 * Inflating and unfiltering take about as long as each other, and both are serial by nature; so they run
 * side by side.  One thread inflates into a ring of slots of whole rows, a second one unfilters them
 * into the image:
 *
 *     file -> inflate -> [slot][slot][slot][slot] -> unfilter -> image
 *
 * The slots stay in the cache, and no more memory than the image itself is needed.  The second thread may come late,
 * or not at all: while none unfilters and the ring is full, the first one unfilters a slot.  With one thread, or for
 * a small image, it always does, in a ring of one slot.  An interlaced image is seven images of every 8th, 4th or 2nd
 * pixel, one behind the other in the same stream. */
#include "png.h"

#include <isa-l/igzip_lib.h>
#include <pthread.h>
#include <stdlib.h>
#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include "codec.h"
#include "orient.h"

enum {
    SLOTS = 4,
    SLOT_BYTES = 256 << 10, /* all slots fit a core's second-level cache, and a row of nearly any image fits a slot */
    THREAD_BYTES = 1 << 20, /* filtered bytes from which a second thread is worth its start */
};

/* ---- the compressed side --------------------------------------------------------------------------- */

typedef struct stream {
    struct inflate_state inflater;
    const uint8_t *next, *end; /* IDAT chunks not yet given to it */
} stream;

static bool feed(stream *s)
{
    while (s->inflater.avail_in == 0) {
        if (s->next == s->end) return false;
        s->inflater.avail_in = load_be32(s->next);
        s->inflater.next_in = (uint8_t *)s->next + PNG_CHUNK_HEAD;
        s->next += PNG_CHUNK_OVERHEAD + (size_t)s->inflater.avail_in;
    }
    return true;
}

/* ISA-L's AVX code leaves the vector registers' upper halves dirty, which makes all SSE code after it wait
 * for them: unfiltering takes twice as long. */
#if defined(__x86_64__)
__attribute__((target("avx"))) static void clear_upper_halves(void)
{
    _mm256_zeroupper();
}
static void after_isal(void)
{
    if (__builtin_cpu_supports("avx")) clear_upper_halves();
}
#else
static void after_isal(void) {}
#endif

/* Inflates into dst until it is full or the stream has ended; *got is what there was. */
static bool stream_inflate(stream *s, uint8_t *dst, size_t n, size_t *got, error *err)
{
    struct inflate_state *z = &s->inflater;
    z->next_out = dst;
    while ((size_t)(z->next_out - dst) < n && z->block_state != ISAL_BLOCK_FINISH) {
        size_t left = n - (size_t)(z->next_out - dst);
        uint32_t capacity = left < UINT32_MAX ? (uint32_t)left : UINT32_MAX;
        z->avail_out = capacity;
        bool fed = feed(s);
        int result = isal_inflate(z);
        after_isal();
        if (result == ISAL_INCORRECT_CHECKSUM) {
            return fail(err, "corrupt: the Adler-32 sum of the PNG's pixels is wrong");
        }
        if (result < 0 || result == ISAL_NEED_DICT) {
            return fail(err, "corrupt: the PNG's compressed pixels cannot be inflated");
        }
        if (!fed && z->avail_out == capacity && z->block_state != ISAL_BLOCK_FINISH) {
            return fail(err, "truncated: the PNG's compressed pixels have no end");
        }
    }
    *got = (size_t)(z->next_out - dst);
    return true;
}

static bool stream_read(stream *s, uint8_t *dst, size_t n, error *err)
{
    size_t got = 0;
    if (!stream_inflate(s, dst, n, &got, err)) return false;
    return got == n || fail(err, "truncated: the PNG has too few pixels");
}

/* Nothing more may come but the checksum, which is verified at the end. */
static bool stream_finish(stream *s, error *err)
{
    uint8_t surplus;
    size_t got = 0;
    if (!stream_inflate(s, &surplus, 1, &got, err)) return false;
    return got == 0 || fail(err, "corrupt: the PNG has more pixels than its size says");
}

/* ---- the pixel side -------------------------------------------------------------------------------- */

typedef struct unfilter {
    const png_chunks *png;
    image *img;
    png_pass part;
    size_t raw_bytes; /* of a row, without the filter's byte */
    bool direct;      /* unfiltered rows are rows of the image */
    uint8_t *above;   /* the raw row above the slot's first; zeros at the top */
    uint8_t *row;     /* interlaced: an expanded row */
    uint32_t y;       /* rows done */
    int wrong;        /* filter type that does not exist, or 0 */
    const io_progress *progress;
    double all_bytes; /* of the raw rows of all passes */
} unfilter;

static void place_row(unfilter *u, const uint8_t *raw)
{
    const png_pass *p = &u->part;
    uint8_t *dst = image_row(u->img, (int64_t)p->y + (int64_t)u->y * p->step_y);
    if (!u->png->interlaced) {
        png_expand_row(u->png, dst, raw, p->width);
        return;
    }
    size_t pixel_bytes = u->img->row_bytes / (size_t)u->img->width;
    png_expand_row(u->png, u->row, raw, p->width);
    for (size_t i = 0; i < p->width; i++) {
        memcpy(dst + (p->x + i * p->step_x) * pixel_bytes, u->row + i * pixel_bytes, pixel_bytes);
    }
}

static void unfilter_rows(unfilter *u, uint8_t *slot, size_t rows)
{
    int bits = png_pixel_bits(u->png), bpp = bits < 8 ? 1 : bits / 8;
    size_t n = u->raw_bytes, slot_rows = rows;
    const uint8_t *above = u->above;
    while (rows > 0) {
        int filter = slot[0];
        if (filter >= PNG_FILTERS) {
            u->wrong = filter;
            return;
        }
        bool pair = filter == PNG_PAETH && rows >= 2 && slot[n + 1] == PNG_PAETH;
        uint8_t *src[2] = {slot + 1, slot + n + 2};
        uint8_t *dst[2] = {u->direct ? image_row(u->img, u->y) : src[0],
                           u->direct && pair ? image_row(u->img, u->y + 1) : src[1]};
        if (pair) {
            png_unfilter_paeth_pair(dst[0], src[0], dst[1], src[1], above, n, bpp);
        } else {
            png_unfilter(dst[0], src[0], above, n, bpp, filter);
        }
        int done = pair ? 2 : 1;
        for (int i = 0; i < done; i++, u->y++) {
            if (!u->direct) place_row(u, dst[i]);
            above = dst[i];
        }
        slot += (size_t)done * (n + 1);
        rows -= (size_t)done;
    }
    memcpy(u->above, above, n);
    codec_progress(u->progress, (double)slot_rows * (double)n / u->all_bytes);
}

/* ---- both, on one thread or two -------------------------------------------------------------------- */

typedef struct ring {
    stream *in;
    unfilter *out;
    error *err;
    size_t slot_rows, n; /* rows in each slot's content but the last, and how many such contents there are */
    uint8_t *slots[SLOTS];
    size_t slots_n;
    pthread_mutex_t lock; /* for all that follows */
    pthread_cond_t changed;
    size_t filled, emptied; /* slots so far */
    bool unfiltering;       /* a thread is at slot `emptied` */
    bool stop, ok;          /* stop: one side has failed; ok: not the inflating one */
} ring;

static size_t rows_in(const ring *r, size_t slot)
{
    size_t left = r->out->part.height - slot * r->slot_rows;
    return left < r->slot_rows ? left : r->slot_rows;
}

static bool fill_slot(ring *r, size_t slot)
{
    return stream_read(r->in, r->slots[slot % r->slots_n], rows_in(r, slot) * (r->out->raw_bytes + 1), r->err);
}

/* Unfilters the next slot, which is filled and which no other thread is at; the lock is held before and after. */
static void empty_slot(ring *r)
{
    size_t slot = r->emptied;
    r->unfiltering = true;
    pthread_mutex_unlock(&r->lock);
    unfilter_rows(r->out, r->slots[slot % r->slots_n], rows_in(r, slot));
    pthread_mutex_lock(&r->lock);
    r->unfiltering = false;
    r->emptied++;
    if (r->out->wrong) r->stop = true;
    pthread_cond_signal(&r->changed);
}

/* Waits until at most so many slots are full, or one side has failed; unfilters them while no other thread does. */
static void drain(ring *r, size_t full)
{
    while (r->filled - r->emptied > full && !r->stop) {
        if (r->unfiltering)
            pthread_cond_wait(&r->changed, &r->lock);
        else
            empty_slot(r);
    }
}

static void inflate_all(ring *r)
{
    pthread_mutex_lock(&r->lock);
    for (size_t slot = 0; slot < r->n; slot++) {
        drain(r, r->slots_n - 1);
        if (r->stop) break;
        pthread_mutex_unlock(&r->lock);
        bool ok = fill_slot(r, slot);
        pthread_mutex_lock(&r->lock);
        if (ok) r->filled++;
        if (!ok) r->stop = true, r->ok = false;
        pthread_cond_signal(&r->changed);
    }
    drain(r, 0);
    pthread_mutex_unlock(&r->lock);
}

static void unfilter_all(ring *r)
{
    pthread_mutex_lock(&r->lock);
    while (r->emptied < r->n && !r->stop) {
        if (r->unfiltering || r->filled == r->emptied)
            pthread_cond_wait(&r->changed, &r->lock);
        else
            empty_slot(r);
    }
    pthread_mutex_unlock(&r->lock);
}

static void do_side(void *context, int64_t side, int worker)
{
    (void)worker;
    if (side == 0)
        inflate_all(context);
    else
        unfilter_all(context);
}

static bool decode_pass(stream *in, unfilter *u, int threads, error *err)
{
    size_t line = u->raw_bytes + 1;
    ring r = {.in = in, .out = u, .err = err, .slot_rows = line < SLOT_BYTES ? SLOT_BYTES / line : 1};
    if (r.slot_rows > u->part.height) r.slot_rows = u->part.height;
    r.n = (u->part.height + r.slot_rows - 1) / r.slot_rows;
    bool together = threads > 1 && r.n > 1 && line * u->part.height >= THREAD_BYTES;
    r.slots_n = together ? SLOTS : 1;

    u->y = 0;
    u->above = calloc(1, u->raw_bytes + PNG_SLACK);
    u->row = malloc((size_t)u->part.width * (size_t)u->img->channels * sat_type_bytes(u->img->type));
    bool memory = u->above && u->row;
    for (size_t i = 0; i < r.slots_n; i++) {
        r.slots[i] = calloc(1, r.slot_rows * line + PNG_SLACK); /* zeroed, so that the slack is never uninitialised */
        memory = memory && r.slots[i];
    }
    r.ok = memory || fail(err, "out of memory: PNG rows of %zu bytes", line);
    if (memory) {
        pthread_mutex_init(&r.lock, NULL);
        pthread_cond_init(&r.changed, NULL);
        sat_parallel(together ? 2 : 1, 2, do_side, &r);
        pthread_cond_destroy(&r.changed);
        pthread_mutex_destroy(&r.lock);
    }
    if (r.ok && u->wrong) r.ok = fail(err, "corrupt: PNG filter type %d does not exist", u->wrong);
    free(u->above);
    free(u->row);
    for (size_t i = 0; i < r.slots_n; i++) free(r.slots[i]);
    return r.ok;
}

/* ---- the whole ------------------------------------------------------------------------------------- */

/* Deflate makes at most 258 bytes of 2 bits. */
static bool size_plausible(const png_chunks *png, error *err)
{
    enum { LARGEST_RATIO = 258 * 8 / 2 };
    if (png_raw_bytes(png) / LARGEST_RATIO <= png->idat_bytes) return true;
    return fail(err, "truncated: %llu bytes cannot hold the pixels of a %ux%u PNG", (unsigned long long)png->idat_bytes,
                png->width, png->height);
}

static bool decode_pixels(const png_chunks *png, image *img, int threads, const io_progress *progress, error *err)
{
    stream *in = malloc(sizeof *in);
    if (!in) return fail(err, "out of memory: PNG inflater");
    isal_inflate_init(&in->inflater);
    in->inflater.crc_flag = ISAL_ZLIB;
    in->inflater.avail_in = 0;
    in->next = png->first_idat;
    in->end = png->idat_end;

    bool ok = true;
    unfilter u = {.png = png, .img = img, .progress = progress, .all_bytes = (double)png_raw_bytes(png)};
    u.direct = !png->interlaced && png->depth == 8 && png->colour != PNG_COLOUR_PALETTE && !png->transparency &&
               img->row_bytes >= PNG_SLACK; /* so that the slack behind a row above is in the image */
    for (int i = 0; ok && i < png_passes(png); i++) {
        u.part = png_pass_at(png, i);
        u.raw_bytes = png_row_bytes(png, u.part.width);
        if (u.part.width > 0 && u.part.height > 0) ok = decode_pass(in, &u, threads, err);
    }
    ok = ok && stream_finish(in, err);
    free(in);
    return ok;
}

bool png_decode(const uint8_t *bytes, size_t n, const decode_options *opt, image *img, error *err)
{
    *img = (image){0};
    image_meta meta = {0};
    png_chunks png;
    bool ok = png_read_chunks(bytes, n, opt, &png, &meta, err) && size_plausible(&png, err);
    ok = ok && image_alloc(img, png.width, png.height, png_channels(&png), png.depth == 16 ? SAT_U16 : SAT_U8, err);
    if (!ok) {
        meta_free(&meta);
        return false;
    }
    img->meta = meta;
    int threads = codec_threads(opt->threads);
    ok = decode_pixels(&png, img, threads, &opt->progress, err);
    if (ok && !opt->no_orient) ok = image_orient(img, threads, err);
    if (!ok) image_free(img);
    return ok;
}
