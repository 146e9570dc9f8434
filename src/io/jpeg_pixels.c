#include "jpeg_pixels.h"

#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "codec.h"
#if SAT_WITH_LIBJPEG
#include <jpeglib.h>
#include <jerror.h>
#else
#include "stb.h"
#endif

enum { COEFFICIENT_BYTES = 2 };

#if SAT_WITH_LIBJPEG

enum {
    FULL_CHROMA_QUALITY = 95, /* below, chroma has half the resolution each way, as nearly all photos have */
    MOST_SCANS = 500,         /* of a picture: few bytes of the file make a pass over all pixels */
};

const char *jpeg_library(void)
{
#define TEXT_OF(x) #x
#define TEXT(x)    TEXT_OF(x)
#ifdef LIBJPEG_TURBO_VERSION
    return "libjpeg-turbo " TEXT(LIBJPEG_TURBO_VERSION);
#else
    return "libjpeg " TEXT(JPEG_LIB_VERSION);
#endif
}

/* ---- errors ---------------------------------------------------------------------------------------- */

/* libjpeg calls on_error() instead of returning an error; it returns to where `escape` was set. */
typedef struct guard {
    struct jpeg_error_mgr base; /* first: libjpeg knows this part */
    jmp_buf escape;
    const uint8_t *bytes; /* of the file that is decoded */
    size_t n;
    bool strict, ends_early;
    bool stray; /* bytes behind coded pixels that no pixel needs, and that are no padding */
    error *err;
} guard;

/* Errors that say nothing against the file. */
static bool is_unsupported(int code)
{
    switch (code) {
#if JPEG_LIB_VERSION < 70
    case JERR_ARITH_NOTIMPL:
#endif
    case JERR_BAD_PRECISION:
    case JERR_CCIR601_NOTIMPL:
    case JERR_CONVERSION_NOTIMPL:
    case JERR_FRACT_SAMPLE_NOTIMPL:
    case JERR_IMAGE_TOO_BIG:
    case JERR_NOTIMPL:
    case JERR_NOT_COMPILED:
    case JERR_SOF_UNSUPPORTED:
    case JERR_WIDTH_OVERFLOW: return true;
    default: return false;
    }
}

static _Noreturn void on_error(j_common_ptr info)
{
    static const char said[] = "Corrupt JPEG data: ";
    guard *g = (guard *)(void *)info->err;
    char text[JMSG_LENGTH_MAX];
    g->base.format_message(info, text);
    if (g->base.msg_code == JERR_OUT_OF_MEMORY) {
        fail(g->err, "out of memory: libjpeg");
    } else if (is_unsupported(g->base.msg_code)) {
        fail(g->err, "a JPEG that libjpeg cannot read: %s", text);
    } else if (g->ends_early && g->base.msg_code == JWRN_HIT_MARKER) {
        fail(g->err, "truncated: the file ends inside the JPEG's pixels");
    } else {
        fail(g->err, "corrupt: %s", text + (strncmp(text, said, sizeof said - 1) == 0 ? sizeof said - 1 : 0));
    }
    longjmp(g->escape, 1);
}

/* Are the bytes before the end marker zeros?  Some cameras pad with them.  When libjpeg reports so many, its source is
 * behind the last of them. */
static bool is_padding(j_common_ptr info, const guard *g, int count)
{
    const uint8_t *end = ((j_decompress_ptr)(void *)info)->src->next_input_byte;
    if (count < 0 || count > end - g->bytes) return false;
    for (int i = 1; i <= count; i++)
        if (end[-i] != 0) return false;
    return true;
}

/* level -1: a warning; others are traces.  Most warnings mean lost or invented pixels, and are errors here.  Harmless
 * are an unknown revision of JFIF, and stray bytes between segments.  Webcams and scanners leave a few stray bytes
 * after the last coded pixels; libjpeg skips the first ones without a warning.  More than FEW mean a damaged code: the
 * pixels after it took fewer bits than the file has.  Four photos of 3 to 72 KB were given one wrong byte at a time: of
 * 1,644 files with stray bytes at their end, 3 had FEW or fewer.  Of a picture of 0.9 KB, 185 of 251 had: a small
 * damaged file may pass with a note.  Stray bytes before a restart marker are errors: damage leaves few there, too. */
static void on_message(j_common_ptr info, int level)
{
    enum { RST0 = 0xD0, RST7 = 0xD7, EOI = 0xD9, FEW = 8 };
    guard *g = (guard *)(void *)info->err;
    int stray = g->base.msg_parm.i[0], marker = g->base.msg_parm.i[1];
    if (level >= 0 || g->base.msg_code == JWRN_JFIF_MAJOR) return;
    if (g->base.msg_code == JWRN_JPEG_EOF) return; /* if pixels lack, another warning follows */
    if (g->base.msg_code != JWRN_EXTRANEOUS_DATA || (marker >= RST0 && marker <= RST7)) on_error(info);
    if (marker != EOI || is_padding(info, g, stray)) return;
    if (stray > FEW || g->strict) on_error(info);
    g->stray = true;
}

static struct jpeg_error_mgr *guard_init(guard *g, error *err)
{
    g->err = err;
    jpeg_std_error(&g->base);
    g->base.error_exit = on_error;
    g->base.emit_message = on_message;
    return &g->base;
}

/* ---- reading --------------------------------------------------------------------------------------- */

typedef struct decoder {
    struct jpeg_decompress_struct jpeg;
    struct jpeg_progress_mgr progress;
    guard guard;
    const io_progress *to;
    double reported; /* the part of the work */
} decoder;

static void report(decoder *d, double part)
{
    if (part > 1) part = 1;
    if (part <= d->reported) return;
    codec_progress(d->to, part - d->reported);
    d->reported = part;
}

/* Called by libjpeg for each row of blocks, or of pixels.  It counts passes over all pixels: one, or two if there are
 * several scans, whose number it guesses. */
static void on_progress(j_common_ptr info)
{
    enum { PARTS = 64 };
    decoder *d = info->client_data;
    const struct jpeg_progress_mgr *at = info->progress;
    if (d->jpeg.input_scan_number > MOST_SCANS) {
        fail(d->guard.err, "a JPEG of more than %d scans, which is not read", MOST_SCANS);
        longjmp(d->guard.escape, 1);
    }
    if (at->pass_limit <= 0 || at->total_passes <= 0) return;
    double part = (at->completed_passes + (double)at->pass_counter / (double)at->pass_limit) / at->total_passes;
    if (part >= d->reported + 1.0 / PARTS) report(d, part);
}

static bool decode(decoder *d, const jpeg_markers *jpeg, image *img, error *err)
{
    enum { ROWS = 16 }; /* at a time: at most 4 blocks' */
    if (setjmp(d->guard.escape)) return false;
    jpeg_create_decompress(&d->jpeg);
    d->jpeg.client_data = d;
    d->progress.progress_monitor = on_progress;
    d->jpeg.progress = &d->progress;
    jpeg_mem_src(&d->jpeg, (unsigned char *)d->guard.bytes, d->guard.n);
    jpeg_read_header(&d->jpeg, TRUE);
    if (d->jpeg.image_width != jpeg->width || d->jpeg.image_height != jpeg->height ||
        d->jpeg.num_components != jpeg->components)
        return fail(err, "corrupt: the JPEG has two sizes");
    int channels = jpeg->components;
    d->jpeg.out_color_space = channels == 1 ? JCS_GRAYSCALE : JCS_RGB;
    if (!image_alloc(img, jpeg->width, jpeg->height, channels, SAT_U8, err)) return false;
    jpeg_start_decompress(&d->jpeg);
    while (d->jpeg.output_scanline < d->jpeg.output_height) {
        JSAMPROW rows[ROWS];
        JDIMENSION y = d->jpeg.output_scanline, n = d->jpeg.output_height - y < ROWS ? d->jpeg.output_height - y : ROWS;
        for (JDIMENSION i = 0; i < n; i++) rows[i] = image_row(img, y + i);
        jpeg_read_scanlines(&d->jpeg, rows, n);
    }
    jpeg_finish_decompress(&d->jpeg);
    report(d, 1);
    return true;
}

unsigned jpeg_sample_bytes(const jpeg_markers *jpeg)
{
    return jpeg->in_scans ? COEFFICIENT_BYTES : 0;
}

bool jpeg_decode_pixels(const uint8_t *bytes, size_t n, const jpeg_markers *jpeg, const decode_options *opt, image *img,
                        error *err)
{
    if (jpeg->ends_early && opt->strict) return fail(err, "truncated: the JPEG has no end marker");
    decoder d = {.guard = {.bytes = bytes, .n = n, .strict = opt->strict, .ends_early = jpeg->ends_early},
                 .to = &opt->progress};
    d.jpeg.err = guard_init(&d.guard, err);
    bool ok = decode(&d, jpeg, img, err);
    jpeg_destroy_decompress(&d.jpeg);
    if (ok && (d.guard.stray || jpeg->ends_early))
        snprintf(img->meta.note, NOTE_BYTES, "the JPEG has %s (--strict refuses it)",
                 !d.guard.stray     ? "no end marker; all pixels are there"
                 : jpeg->ends_early ? "no end marker, and stray bytes after its pixels, which were skipped"
                                    : "stray bytes after its pixels, which were skipped");
    return ok;
}

/* ---- writing --------------------------------------------------------------------------------------- */

typedef struct encoder {
    struct jpeg_compress_struct jpeg;
    struct jpeg_destination_mgr to;
    guard guard;
    uint8_t *bytes;
    size_t capacity;
} encoder;

/* All of `bytes` is full. */
static boolean grow(j_compress_ptr info)
{
    enum { FIRST_BYTES = 1 << 16 };
    encoder *e = info->client_data;
    size_t capacity = e->capacity ? 2 * e->capacity : FIRST_BYTES;
    uint8_t *grown = realloc(e->bytes, capacity);
    if (!grown) ERREXIT1(info, JERR_OUT_OF_MEMORY, 0);
    e->to.next_output_byte = grown + e->capacity;
    e->to.free_in_buffer = capacity - e->capacity;
    e->bytes = grown;
    e->capacity = capacity;
    return TRUE;
}

static void begin(j_compress_ptr info)
{
    grow(info);
}

static void end(j_compress_ptr info)
{
    (void)info;
}

static bool encode(encoder *e, const image *img, int quality, const io_progress *progress)
{
    if (setjmp(e->guard.escape)) return false;
    jpeg_create_compress(&e->jpeg);
    e->jpeg.client_data = e;
    e->to =
        (struct jpeg_destination_mgr){.init_destination = begin, .empty_output_buffer = grow, .term_destination = end};
    e->jpeg.dest = &e->to;
    e->jpeg.image_width = (JDIMENSION)img->width;
    e->jpeg.image_height = (JDIMENSION)img->height;
    e->jpeg.input_components = img->channels;
    e->jpeg.in_color_space = img->channels == 1 ? JCS_GRAYSCALE : JCS_RGB;
    jpeg_set_defaults(&e->jpeg);
    jpeg_set_quality(&e->jpeg, quality, TRUE);
    e->jpeg.comp_info[0].h_samp_factor = e->jpeg.comp_info[0].v_samp_factor =
        img->channels == 1 || quality >= FULL_CHROMA_QUALITY ? 1 : 2;
    jpeg_start_compress(&e->jpeg, TRUE);
    while (e->jpeg.next_scanline < e->jpeg.image_height) {
        JSAMPROW row = image_row(img, e->jpeg.next_scanline);
        jpeg_write_scanlines(&e->jpeg, &row, 1);
        codec_rows_done(progress, e->jpeg.next_scanline, img->height);
    }
    jpeg_finish_compress(&e->jpeg);
    return true;
}

bool jpeg_encode_pixels(const image *img, int quality, const io_progress *progress, uint8_t **bytes, size_t *n,
                        error *err)
{
    encoder e = {.capacity = 0};
    e.jpeg.err = guard_init(&e.guard, err);
    bool ok = encode(&e, img, quality, progress);
    jpeg_destroy_compress(&e.jpeg);
    *bytes = e.bytes;
    *n = e.capacity - e.to.free_in_buffer;
    return ok;
}

#else

const char *jpeg_library(void)
{
    return stb_library();
}

unsigned jpeg_sample_bytes(const jpeg_markers *jpeg)
{
    return (jpeg->in_scans ? COEFFICIENT_BYTES : 0) + 1;
}

bool jpeg_decode_pixels(const uint8_t *bytes, size_t n, const jpeg_markers *jpeg, const decode_options *opt, image *img,
                        error *err)
{
    enum { FIRST_ARITHMETIC = 0xC9 };
    if (jpeg->ends_early) return fail(err, "truncated: the JPEG has no end marker"); /* stb invents pixels that lack */
    if (jpeg->process >= FIRST_ARITHMETIC)
        return fail(err, "an arithmetically coded JPEG, which stb_image cannot read; build with libjpeg");
    if (!jpeg->has_noise) return stb_decode(bytes, n, opt, img, err);
    uint8_t *clean = malloc(n);
    bool ok = clean || fail(err, "out of memory: a copy of the JPEG needs %zu bytes", n);
    ok = ok && stb_decode(clean, jpeg_without_noise(bytes, n, clean), opt, img, err);
    free(clean);
    return ok;
}

bool jpeg_encode_pixels(const image *img, int quality, const io_progress *progress, uint8_t **bytes, size_t *n,
                        error *err)
{
    (void)progress;
    return stb_encode_jpeg(img, quality, bytes, n, err);
}

#endif
