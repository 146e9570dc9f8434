/* fuzz_decode.c - files of every image format through the front door: refused in words, or decoded to the same pixels
 * on any number of threads, and from a stream that goes on behind them. */
#include <libdeflate.h>
#include <stdlib.h>

#include "codec.h"
#include "fuzz.h"

enum { MAX_PIXELS = 1 << 20, SIGNATURE = 8, OVERHEAD = 12 /* of a PNG chunk */ };

static const char *check_failure(const image *one, const image *many, const error *err)
{
    bool left = one->data || one->meta.icc || many->data;
    for (int i = 0; i < META_KINDS; i++) left = left || one->meta.blocks[i].bytes;
    if (left) return "an image is left behind by a failure";
    if (err->text[0] == '\0' || strchr(err->text, '\n')) return "a failure without a line that says why";
    return NULL;
}

static const char *check_pixels(const image *one, const image *many)
{
    size_t row = sat_row_bytes(one->width, one->channels, one->type);
    const size_t rows = (size_t)one->height * (size_t)image_planes(one);
    if (one->width * one->height > MAX_PIXELS) return "more pixels than allowed";
    if (row == 0 || row != one->row_bytes) return "rows of a wrong size";
    if (many->row_bytes != row || many->height != one->height || image_planes(many) != image_planes(one) ||
        memcmp(one->data, many->data, row * rows) != 0)
        return "pixels depend on the number of threads, or on luck";
    return NULL;
}

/* Is as much of it read from a stream as the picture needs? */
static const char *check_extent(const image_format *format, const uint8_t *bytes, size_t n, const decode_options *opt)
{
    uint64_t most = n;
    image cut = {0};
    error err;
    if (!image_extent(bytes, n, opt, &most, &err)) return "decoded from a file, refused from a stream";
    bool ok = most >= n || format->decode(bytes, (size_t)most, opt, &cut, &err);
    image_free(&cut);
    return ok ? NULL : "its extent cuts it short";
}

/* One band of a format whose files have more of them than an image has channels. */
static const char *check_band(const image_format *format, const uint8_t *bytes, size_t n)
{
    const decode_options opt = {.max_pixels = MAX_PIXELS, .threads = 1, .channels.number = 1 + (int)(n % 9)};
    image band;
    error err = {.text = ""};
    if (!format->chooses) return NULL;
    const char *why =
        format->decode(bytes, n, &opt, &band, &err)
            ? (image_bands(&band) == 1 ? check_pixels(&band, &band) : "more channels than the one that was chosen")
            : check_failure(&band, &band, &err);
    image_free(&band);
    return why;
}

static const char *run(const uint8_t *bytes, size_t n)
{
    const image_format *format = format_by_content(bytes, n);
    if (!format || (FUZZ_WITHOUT_PNG && strcmp(format->name, "png") == 0)) return NULL;

    image one, many;
    error err = {.text = ""}, again;
    decode_options opt = {
        .max_pixels = MAX_PIXELS, .threads = 1, .planes_from = (int)(n % 4) * 2, .page = (int)(n % 5)};
    bool ok = format->decode(bytes, n, &opt, &one, &err);
    opt.threads = 3;
    bool same = format->decode(bytes, n, &opt, &many, &again) == ok;
    const char *why = NULL;
    if (!same)
        why = "one thread decodes it, three do not agree";
    else if (!ok)
        why = check_failure(&one, &many, &err);
    else
        why = check_pixels(&one, &many);
    if (ok && !why) why = check_extent(format, bytes, n, &opt);
    if (!why) why = check_band(format, bytes, n);
    image_free(&one);
    if (same) image_free(&many);
    return why;
}

/* The CRCs of PNG chunks. */
static size_t repair(uint8_t *bytes, size_t n, size_t room)
{
    (void)room;
    if (n < SIGNATURE || bytes[0] != 0x89) return n;
    for (size_t at = SIGNATURE; n - at >= OVERHEAD;) {
        uint8_t *p = bytes + at;
        size_t length = load_be32(p);
        if (length > n - at - OVERHEAD) break;
        store_be32(p + 8 + length, libdeflate_crc32(0, p + 4, length + 4));
        at += OVERHEAD + length;
    }
    return n;
}

const fuzz_target fuzz = {.run = run, .repair = repair};
