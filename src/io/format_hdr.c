/* Radiance HDR (Ward, "Real Pixels", Graphics Gems II, 1991): a header of text lines up to an empty one,
 * a line of the size, and pixels of four bytes: three mantissas and the exponent that they share.
 * A row of 8 to 32767 pixels may begin with 2, 2 and its length: then follow its four bytes' planes,
 * each in runs (a count over 128, one byte) and literals (a count, the bytes). */
#include <math.h>
#include <stdlib.h>

#include "codec.h"
#include "netpbm.h"

enum { SHORTEST_CODED = 8, LONGEST_CODED = 0x7fff, BIAS = 128 + 8 /* of the exponent, and the mantissas' bits */ };

static bool sniff(const uint8_t *bytes, size_t n)
{
    return (n >= 11 && memcmp(bytes, "#?RADIANCE\n", 11) == 0) || (n >= 7 && memcmp(bytes, "#?RGBE\n", 7) == 0);
}

static bool next_line(netpbm_reader *r, char *line, size_t capacity, error *err)
{
    const uint8_t *end = memchr(r->at, '\n', (size_t)(r->end - r->at));
    if (!end) {
        r->at = r->end;
        return fail(err, "truncated: the file ends in its header");
    }
    size_t n = (size_t)(end - r->at);
    if (n >= capacity) n = capacity - 1;
    memcpy(line, r->at, n);
    line[n] = '\0';
    r->at = end + 1;
    return true;
}

static bool read_header(netpbm_reader *r, unsigned *width, unsigned *height, error *err)
{
    char line[128] = "";
    do {
        if (!next_line(r, line, sizeof line, err)) return false;
        if (strncmp(line, "FORMAT=", 7) == 0 && strcmp(line, "FORMAT=32-bit_rle_rgbe") != 0) {
            return fail(err, "an HDR file of %.60s; only 32-bit_rle_rgbe can be read", line);
        }
    } while (line[0] != '\0');
    if (!next_line(r, line, sizeof line, err)) return false;
    netpbm_reader size = {.at = (const uint8_t *)line + 3, .end = (const uint8_t *)line + strlen(line)};
    bool ok = strncmp(line, "-Y ", 3) == 0 && netpbm_number(&size, NETPBM_LARGEST_SIDE, height, err) &&
              strncmp((const char *)size.at, " +X ", 4) == 0;
    size.at += 4;
    ok = ok && netpbm_number(&size, NETPBM_LARGEST_SIDE, width, err) && size.at == size.end;
    return ok || fail(err, "an HDR file whose size line is not \"-Y height +X width\"");
}

static bool shape(const uint8_t *bytes, size_t n, const decode_options *opt, image_shape *s)
{
    (void)opt;
    netpbm_reader r = {.at = bytes, .end = bytes + n};
    unsigned width = 1, height = 1;
    error unused;
    if (!read_header(&r, &width, &height, &unused)) return false;
    *s = (image_shape){.width = width, .height = height, .channels = 3, .type = SAT_F32};
    return true;
}

/* Keeps the lines about the samples' meaning from a header that read_header() has accepted.  Samples are not scaled by
 * them, and repeated lines are all kept: their values multiply. */
static bool keep_lines(const uint8_t *at, const uint8_t *end, image_meta *meta, error *err)
{
    static const char *const names[] = {"EXPOSURE=", "COLORCORR=", "PRIMARIES=", "PIXASPECT=", "GAMMA="};
    bool ok = true;
    while (ok && at < end) {
        const uint8_t *next = memchr(at, '\n', (size_t)(end - at));
        next = next ? next + 1 : end;
        for (size_t i = 0; ok && i < sizeof names / sizeof names[0]; i++) {
            size_t n = strlen(names[i]);
            if ((size_t)(next - at) > n && memcmp(at, names[i], n) == 0)
                ok = meta_append(meta, META_HDR, at, (size_t)(next - at), err);
        }
        at = next;
    }
    return ok;
}

/* In a coded row a pixel takes up to 8 bytes, a count for each of its bytes, and the row begins with 4 bytes.  In other
 * rows it takes up to 16: 4 of its own, and a repetition with up to three digits of 0. */
static bool extent(const uint8_t *bytes, size_t n, const decode_options *opt, uint64_t *most, error *err)
{
    enum { PIXEL_BYTES = 16, ROW_BYTES = 4 };
    netpbm_reader r = {.at = bytes, .end = bytes + n};
    unsigned width = 1, height = 1;
    if (!read_header(&r, &width, &height, err)) return netpbm_no_header(&r, n, err);
    if (!codec_size_ok(width, height, opt, err)) return false;
    *most = (uint64_t)(r.at - bytes) + (uint64_t)height * (PIXEL_BYTES * (uint64_t)width + ROW_BYTES);
    return true;
}

/* Four planes of width bytes. */
static bool read_coded_row(netpbm_reader *r, uint8_t *planes, size_t width)
{
    for (int plane = 0; plane < 4; plane++, planes += width) {
        for (size_t x = 0; x < width;) {
            if (r->end - r->at < 2) return false;
            size_t count = *r->at++;
            bool run = count > 128;
            if (run) count -= 128;
            if (count == 0 || count > width - x || (size_t)(r->end - r->at) < (run ? 1 : count)) return false;
            if (run) {
                memset(planes + x, *r->at, count);
            } else {
                memcpy(planes + x, r->at, count);
            }
            r->at += run ? 1 : count;
            x += count;
        }
    }
    return true;
}

/* Pixels one after the other; in the oldest files a pixel 1, 1, 1, n repeats the one before it n times,
 * and several such in a row are the digits of a count to the base 256, the lowest first. */
static bool read_plain_row(netpbm_reader *r, uint8_t *planes, size_t width)
{
    int shift = 0;
    for (size_t x = 0; x < width;) {
        if (r->end - r->at < 4) return false;
        const uint8_t *p = r->at;
        r->at += 4;
        if (p[0] == 1 && p[1] == 1 && p[2] == 1) {
            if (x == 0 || shift > 16) return false;
            size_t count = (size_t)p[3] << shift;
            if (count > width - x) return false;
            for (int i = 0; i < 4; i++)
                memset(planes + (size_t)i * width + x, planes[(size_t)i * width + x - 1], count);
            x += count;
            shift += 8;
        } else {
            for (int i = 0; i < 4; i++) planes[(size_t)i * width + x] = p[i];
            x++;
            shift = 0;
        }
    }
    return true;
}

static bool read_row(netpbm_reader *r, uint8_t *planes, size_t width)
{
    bool coded = width >= SHORTEST_CODED && width <= LONGEST_CODED && r->end - r->at >= 4 && r->at[0] == 2 &&
                 r->at[1] == 2 && load_be16(r->at + 2) == width;
    if (!coded) return read_plain_row(r, planes, width);
    r->at += 4;
    return read_coded_row(r, planes, width);
}

static void to_floats(float *dst, const uint8_t *planes, size_t width)
{
    for (size_t x = 0; x < width; x++) {
        int exponent = planes[3 * width + x];
        float unit = exponent == 0 ? 0.0f : ldexpf(1.0f, exponent - BIAS);
        for (size_t c = 0; c < 3; c++) *dst++ = (float)planes[c * width + x] * unit;
    }
}

static bool decode(const uint8_t *bytes, size_t n, const decode_options *opt, image *img, error *err)
{
    *img = (image){0};
    netpbm_reader r = {.at = bytes, .end = bytes + n};
    unsigned width = 1, height = 1;
    if (!read_header(&r, &width, &height, err) || !codec_size_ok(width, height, opt, err) ||
        !netpbm_has(&r, (uint64_t)height * 4, err)) { /* a row is at least a pixel */
        return false;
    }
    uint8_t *planes = calloc(width, 4);
    if (!planes) return fail(err, "out of memory: a row of %u pixels", width);
    bool ok = image_alloc(img, width, height, 3, SAT_F32, err) && keep_lines(bytes, r.at, &img->meta, err);
    for (int64_t y = 0; ok && y < img->height; y++) {
        ok = read_row(&r, planes, width);
        if (ok) {
            to_floats((float *)(void *)image_row(img, y), planes, width);
        } else {
            fail(err,
                 r.end - r.at < 4 ? "truncated: the HDR file ends in row %lld" : "corrupt: row %lld of the HDR file",
                 (long long)y);
        }
        codec_rows_done(&opt->progress, y + 1, img->height);
    }
    free(planes);
    if (!ok) image_free(img);
    return ok;
}

static bool holds(sat_type type, int channels, error *err)
{
    if (type != SAT_F32) return codec_cannot_hold("HDR", "f32", type, err);
    if (channels == 2 || channels == 4) return fail(err, "HDR holds no alpha");
    return true;
}

/* The exponent that makes the largest of the three a mantissa of 128 to 255; what HDR cannot hold
 * (negative, NaN, too large) becomes the nearest that it can. */
static void to_shared_exponent(const float rgb[3], uint8_t rgbe[4])
{
    const float largest = ldexpf(255, 255 - BIAS);
    float v[3], top = 0;
    for (int c = 0; c < 3; c++) {
        v[c] = rgb[c] > 0 ? fminf(rgb[c], largest) : 0;
        top = fmaxf(top, v[c]);
    }
    int exponent;
    frexpf(top, &exponent);
    if (lrintf(ldexpf(top, 8 - exponent)) > 255) exponent++;
    bool black = exponent + 128 < 1 || top == 0;
    for (int c = 0; c < 3; c++) rgbe[c] = black ? 0 : (uint8_t)lrintf(ldexpf(v[c], 8 - exponent));
    rgbe[3] = black ? 0 : (uint8_t)(exponent + 128);
}

/* Runs of 3 and more; returns the end of what was written, at most n * 129 / 128 + 1 bytes. */
static uint8_t *code_plane(uint8_t *dst, const uint8_t *plane, size_t n)
{
    enum { SHORTEST_RUN = 3, LONGEST_RUN = 127, LONGEST_LITERAL = 128 };
    for (size_t x = 0; x < n;) {
        size_t run = 1, begin = x;
        while (x + run < n && run < LONGEST_RUN && plane[x + run] == plane[x]) run++;
        if (run >= SHORTEST_RUN) {
            *dst++ = (uint8_t)(128 + run);
            *dst++ = plane[x];
            x += run;
            continue;
        }
        while (x < n && x - begin < LONGEST_LITERAL) {
            if (x + 2 < n && plane[x] == plane[x + 1] && plane[x] == plane[x + 2]) break;
            x++;
        }
        *dst++ = (uint8_t)(x - begin);
        memcpy(dst, plane + begin, x - begin);
        dst += x - begin;
    }
    return dst;
}

static size_t code_row(uint8_t *dst, const uint8_t *planes, size_t width)
{
    uint8_t *at = dst;
    if (width < SHORTEST_CODED || width > LONGEST_CODED) {
        for (size_t x = 0; x < width; x++) {
            for (size_t c = 0; c < 4; c++) *at++ = planes[c * width + x];
        }
        return (size_t)(at - dst);
    }
    *at++ = 2;
    *at++ = 2;
    store_be16(at, (uint32_t)width);
    at += 2;
    for (size_t c = 0; c < 4; c++) at = code_plane(at, planes + c * width, width);
    return (size_t)(at - dst);
}

static bool encode(const image *img, const encode_options *opt, sink *out, error *err)
{
    char header[96];
    static const char begin[] = "#?RADIANCE\nFORMAT=32-bit_rle_rgbe\n";
    const meta_block *lines = &img->meta.blocks[META_HDR];
    int n = snprintf(header, sizeof header, "\n-Y %lld +X %lld\n", (long long)img->height, (long long)img->width);
    size_t width = (size_t)img->width;
    uint8_t *planes = malloc(width * 4), *coded = malloc(4 + width * 4 + width / 16 + 16);
    bool ok = planes && coded;
    if (!ok) fail(err, "out of memory: a row of %zu pixels", width);
    ok = ok && sink_write(out, begin, sizeof begin - 1, err) && sink_write(out, lines->bytes, lines->n, err) &&
         sink_write(out, header, (size_t)n, err);
    for (int64_t y = 0; ok && y < img->height; y++) {
        const float *row = (const float *)(const void *)image_row(img, y);
        for (size_t i = 0; ok && i < width * (size_t)img->channels; i++)
            if (!(row[i] >= 0 && isfinite(row[i])))
                ok = fail(err, "HDR holds no negative sample, NaN or Inf; use .pfm");
        for (size_t x = 0; ok && x < width; x++) {
            bool grey = img->channels == 1;
            float rgb[3] = {row[grey ? x : 3 * x], row[grey ? x : 3 * x + 1], row[grey ? x : 3 * x + 2]};
            uint8_t rgbe[4];
            to_shared_exponent(rgb, rgbe);
            for (size_t c = 0; c < 4; c++) planes[c * width + x] = rgbe[c];
        }
        ok = ok && sink_write(out, coded, code_row(coded, planes, width), err);
        codec_rows_done(&opt->progress, y + 1, img->height);
    }
    free(planes);
    free(coded);
    return ok;
}

const image_format format_hdr = {
    .name = "hdr",
    .extensions = "hdr pic",
    .summary = "Radiance HDR, float RGB of 8 bits each and a shared exponent",
    .sniff = sniff,
    .extent = extent,
    .shape = shape,
    .decode = decode,
    .holds = holds,
    .encode = encode,
    .no_negatives = true,
};
