/* A JPEG file (ITU-T T.81, annex B) is a row of segments: FF, a code, and for most codes two bytes of
 * length, themselves included, and the content.  Behind a start of scan come coded pixels, in which FF
 * is always followed by 00 or a restart code. */
#include "jpeg_markers.h"

#include <stdlib.h>

#include "codec.h"
#include "exif.h"

enum {
    SOF0 = 0xC0,
    SOF1 = 0xC1,
    SOF2 = 0xC2,
    DHT = 0xC4,
    JPG = 0xC8,
    DAC = 0xCC,
    SOF15 = 0xCF,
    RST0 = 0xD0,
    RST7 = 0xD7,
    SOI = 0xD8,
    EOI = 0xD9,
    SOS = 0xDA,
    APP0 = 0xE0,
    APP1 = 0xE1,
    APP2 = 0xE2,
    APP15 = 0xEF,
    SOF55 = 0xF7,
    COM = 0xFE,
    TEM = 0x01,
    LARGEST_SEGMENT = UINT16_MAX - 2,
};

/* The names of segments, each with its zero. */
static const char jfif[] = "JFIF", exif[] = "Exif\0", icc[] = "ICC_PROFILE", xmp[] = "http://ns.adobe.com/xap/1.0/";
enum {
    JFIF_REVISION = sizeof jfif, /* offset of the revision: 1, and a minor number */
    ICC_HEAD = sizeof icc + 2 /* number of the segment, from 1, and of all */,
    ICC_PIECE = LARGEST_SEGMENT - ICC_HEAD,
    SEGMENT_HEAD = 4, /* FF, code, length */
};

static bool is_new_jfif(const uint8_t *p, size_t n)
{
    return n > JFIF_REVISION && memcmp(p, jfif, sizeof jfif) == 0 && p[JFIF_REVISION] != 1;
}

static void read_density(const uint8_t *p, size_t n, image_meta *meta)
{
    enum { NONE, PER_INCH, PER_CM };
    if (n < 12 || memcmp(p, jfif, sizeof jfif) != 0) return;
    double scale = p[7] == PER_INCH ? 1 / 0.0254 : p[7] == PER_CM ? 100 : 0;
    meta->x_per_metre = load_be16(p + 8) * scale;
    meta->y_per_metre = load_be16(p + 10) * scale;
}

/* The pieces of a profile, in any order. */
typedef struct pieces {
    const uint8_t *at[256];
    size_t n[256];
    int count; /* from the first piece; 0 = no piece; -1 = the pieces contradict each other */
} pieces;

static void note_piece(const uint8_t *p, size_t n, pieces *all)
{
    if (n < ICC_HEAD || memcmp(p, icc, sizeof icc) != 0) return;
    int i = p[sizeof icc], count = p[sizeof icc + 1];
    if (all->count == 0) all->count = count;
    if (i < 1 || i > count || count != all->count || all->at[i]) {
        all->count = -1;
        return;
    }
    all->at[i] = p + ICC_HEAD;
    all->n[i] = n - ICC_HEAD;
}

/* A profile with missing pieces is dropped, as by other readers. */
static bool join_pieces(const pieces *all, image_meta *meta, error *err)
{
    size_t total = 0;
    for (int i = 1; i <= all->count; i++) {
        if (!all->at[i]) return true;
        total += all->n[i];
    }
    if (total == 0) return true;
    uint8_t *joined = malloc(total), *end = joined;
    if (!joined) return fail(err, "out of memory: the colour profile needs %zu bytes", total);
    for (int i = 1; i <= all->count; i++) {
        memcpy(end, all->at[i], all->n[i]);
        end += all->n[i];
    }
    meta->icc = joined;
    meta->icc_bytes = total;
    return true;
}

/* The name of a coding process that no library here decodes; NULL for the others. */
static const char *foreign_process(int code)
{
    switch (code) {
    case 0xC3:
    case 0xCB: return "a lossless JPEG";
    case 0xC5:
    case 0xC6:
    case 0xC7:
    case 0xCD:
    case 0xCE:
    case 0xCF: return "a hierarchical JPEG";
    case SOF55: return "a JPEG-LS file";
    default: return NULL;
    }
}

static bool read_frame(const uint8_t *p, size_t n, int code, jpeg_markers *jpeg, error *err)
{
    if (foreign_process(code)) return fail(err, "%s, which cannot be read", foreign_process(code));
    if (n < 6) return fail(err, "corrupt: the JPEG's frame header is too short");
    if (p[0] != 8) return fail(err, "a JPEG of %d bits per sample; only those of 8 can be read", p[0]);
    jpeg->height = load_be16(p + 1);
    jpeg->width = load_be16(p + 3);
    jpeg->components = p[5];
    jpeg->process = code;
    return true;
}

/* Each table: its class and number, the number of codes of each length from 1 to 16, and their values.  There are at
 * most 256 values (C.2); Debian's stb_image does not check that. */
static bool check_codes(const uint8_t *p, size_t n, error *err)
{
    enum { LENGTHS = 16, MOST = 256 };
    while (n > 0) {
        size_t codes = 0;
        for (size_t i = 1; n > LENGTHS && i <= LENGTHS; i++) codes += p[i];
        if (n <= LENGTHS || codes > MOST || n - 1 - LENGTHS < codes) return fail(err, "corrupt: a JPEG Huffman table");
        p += 1 + LENGTHS + codes;
        n -= 1 + LENGTHS + codes;
    }
    return true;
}

static const uint8_t *skip_coded(const uint8_t *at, const uint8_t *end)
{
    while (at < end && (at = memchr(at, 0xFF, (size_t)(end - at))) != NULL) {
        if (end - at < 2) break;
        if (at[1] != 0 && at[1] != 0xFF && !(at[1] >= RST0 && at[1] <= RST7)) return at;
        at += at[1] == 0xFF ? 1 : 2;
    }
    return end;
}

/* Comments and applications' segments.  libjpeg accepts one with a length below 2, and takes it for empty. */
static bool is_note(int code)
{
    return code == COM || (code >= APP0 && code <= APP15);
}

/* Keeps the first EXIF block, the first XMP packet, all comments and all pieces of the profile. */
static bool read_note(int code, const uint8_t *p, size_t n, image_meta *meta, pieces *profile, error *err)
{
    if (code == APP0) read_density(p, n, meta);
    if (code == APP2) note_piece(p, n, profile);
    if (code == COM && n > 0) return meta_append(meta, META_COMMENTS, p - SEGMENT_HEAD, SEGMENT_HEAD + n, err);
    if (code == APP1 && n > sizeof exif && memcmp(p, exif, sizeof exif) == 0)
        return exif_keep(meta, p + sizeof exif, n - sizeof exif, err);
    if (code == APP1 && n > sizeof xmp && memcmp(p, xmp, sizeof xmp) == 0 && !meta->blocks[META_XMP].bytes)
        return meta_append(meta, META_XMP, p + sizeof xmp, n - sizeof xmp, err);
    return true;
}

/* Reads the segments from *from on.  *from becomes the place behind the end marker, the place of an error, or the end.
 * meta: NULL = metadata is skipped. */
static bool walk(const uint8_t **from, const uint8_t *end, jpeg_markers *jpeg, image_meta *meta, pieces *profile,
                 error *err)
{
    const uint8_t *at = *from;
    for (;;) {
        const uint8_t *after = at;
        while (at < end && *at != 0xFF) at++; /* stray bytes, which decoders skip too */
        jpeg->has_noise = jpeg->has_noise || at > after;
        while (at < end && *at == 0xFF) at++;
        *from = end;
        /* of Huffman codes: arithmetic ones may end anywhere */
        jpeg->ends_early =
            at == end && jpeg->has_scan && jpeg->components > 0 && !jpeg->in_scans && jpeg->process <= SOF1;
        if (at == end) return jpeg->ends_early || fail(err, "truncated: the JPEG has no end marker");
        int code = *at++;
        jpeg->has_noise = jpeg->has_noise || code == 0;
        if (code == 0 || code == TEM || (code >= RST0 && code <= SOI)) continue;
        if (code != EOI && (end - at < 2 || load_be16(at) > end - at))
            return fail(err, "truncated: the file ends inside a JPEG segment");
        *from = at;
        if (code == EOI)
            return (jpeg->components > 0 && jpeg->has_scan) || fail(err, "corrupt: the JPEG has no picture");
        bool lacks_length = load_be16(at) < 2;
        if (lacks_length && !is_note(code)) return fail(err, "corrupt: a JPEG segment has no length");
        const uint8_t *p = at + 2;
        size_t n = lacks_length ? 0 : load_be16(at) - 2u;
        at = p + n;
        jpeg->has_noise = jpeg->has_noise || lacks_length;
        jpeg->has_noise = jpeg->has_noise || (code == APP0 && is_new_jfif(p, n));
        if (meta && !read_note(code, p, n, meta, profile, err)) return false;
        if (code == DHT && !check_codes(p, n, err)) return false;
        bool frame = code >= SOF0 && code <= SOF15 && code != DHT && code != JPG && code != DAC;
        if ((frame || code == SOF55) && !read_frame(p, n, code, jpeg, err)) return false;
        jpeg->in_scans = jpeg->in_scans || code == SOF2 || (code == SOS && n > 0 && p[0] < jpeg->components);
        jpeg->has_scan = jpeg->has_scan || code == SOS;
        if (code == SOS) at = skip_coded(at, end);
    }
}

bool jpeg_read_markers(const uint8_t *bytes, size_t n, jpeg_markers *jpeg, image_meta *meta, error *err)
{
    pieces profile = {.count = 0};
    const uint8_t *at = bytes + 2;
    *jpeg = (jpeg_markers){0};
    if (!walk(&at, bytes + n, jpeg, meta, &profile, err) || !join_pieces(&profile, meta, err)) return false;
    jpeg->length = (size_t)(at - bytes);
    if (meta->x_per_metre == 0) exif_resolution(&meta->blocks[META_EXIF], &meta->x_per_metre, &meta->y_per_metre);
    return true;
}

size_t jpeg_without_noise(const uint8_t *bytes, size_t n, uint8_t *copy)
{
    const uint8_t *at = bytes + 2, *end = bytes + n;
    uint8_t *to = copy;
    *to++ = 0xFF;
    *to++ = SOI;
    for (;;) {
        while (*at != 0xFF) at++;
        while (*at == 0xFF) at++;
        int code = *at++;
        if (code == 0) continue;
        if (is_note(code) && load_be16(at) < 2) {
            at += 2;
            continue;
        }
        *to++ = 0xFF;
        *to++ = (uint8_t)code;
        if (code == EOI) return (size_t)(to - copy);
        if (code == TEM || (code >= RST0 && code <= SOI)) continue;
        const uint8_t *stop = at + load_be16(at);
        bool is_new = code == APP0 && is_new_jfif(at + 2, load_be16(at) - 2u);
        if (code == SOS) stop = skip_coded(stop, end);
        memcpy(to, at, (size_t)(stop - at));
        if (is_new) to[2 + JFIF_REVISION] = 1;
        to += stop - at;
        at = stop;
    }
}

size_t jpeg_length(const uint8_t *bytes, size_t n, jpeg_markers *jpeg)
{
    error why;
    const uint8_t *at = bytes + 2, *end = bytes + n;
    *jpeg = (jpeg_markers){0};
    if (walk(&at, end, jpeg, NULL, NULL, &why)) return jpeg->ends_early ? 0 : (size_t)(at - bytes);
    return at < end ? n : 0;
}

/* Writes the head of a segment of n bytes, and the name that they begin with; returns the place behind it. */
static uint8_t *begin_segment(uint8_t *at, int code, size_t n, const char *name, size_t name_bytes)
{
    at[0] = 0xFF;
    at[1] = (uint8_t)code;
    store_be16(at + 2, (uint32_t)(2 + n));
    memcpy(at + SEGMENT_HEAD, name, name_bytes);
    return at + SEGMENT_HEAD + name_bytes;
}

bool jpeg_meta_segments(const image_meta *meta, uint8_t **segments, size_t *n, error *err)
{
    const meta_block *packet = &meta->blocks[META_XMP], *comments = &meta->blocks[META_COMMENTS];
    size_t count = (meta->icc_bytes + ICC_PIECE - 1) / ICC_PIECE, xmp_bytes = packet->n,
           exif_bytes = exif_size(meta, LARGEST_SEGMENT - sizeof exif);
    if (count > UINT8_MAX) count = 0;
    if (xmp_bytes > LARGEST_SEGMENT - sizeof xmp) xmp_bytes = 0;
    *segments = NULL;
    *n = 0;
    if (count == 0 && exif_bytes + xmp_bytes + comments->n == 0) return true;
    uint8_t *at = *segments = malloc((count + 2) * (SEGMENT_HEAD + LARGEST_SEGMENT) + comments->n);
    if (!at) return fail(err, "out of memory: the segments of a JPEG");
    if (exif_bytes > 0) {
        at = begin_segment(at, APP1, sizeof exif + exif_bytes, exif, sizeof exif);
        exif_write(at, exif_bytes, meta);
        at += exif_bytes;
    }
    if (xmp_bytes > 0) {
        at = begin_segment(at, APP1, sizeof xmp + xmp_bytes, xmp, sizeof xmp);
        memcpy(at, packet->bytes, xmp_bytes);
        at += xmp_bytes;
    }
    for (size_t i = 0; i < count; i++) {
        size_t begin = i * ICC_PIECE, piece = meta->icc_bytes - begin < ICC_PIECE ? meta->icc_bytes - begin : ICC_PIECE;
        at = begin_segment(at, APP2, ICC_HEAD + piece, icc, sizeof icc);
        *at++ = (uint8_t)(i + 1);
        *at++ = (uint8_t)count;
        memcpy(at, meta->icc + begin, piece);
        at += piece;
    }
    if (comments->n > 0) memcpy(at, comments->bytes, comments->n);
    *n = (size_t)(at - *segments) + comments->n;
    return true;
}

/* SOI, APP0, length, "JFIF" and its zero, version, unit, x, y */
void jpeg_set_density(uint8_t *bytes, size_t n, const image_meta *meta)
{
    enum { JFIF_AT = 6, UNIT_AT = 13, PER_INCH = 1 };
    double x = meta->x_per_metre * 0.0254, y = meta->y_per_metre * 0.0254;
    if (n < 18 || bytes[3] != APP0 || memcmp(bytes + JFIF_AT, jfif, sizeof jfif) != 0) return;
    if (!(x >= 1 && x <= UINT16_MAX && y >= 1 && y <= UINT16_MAX)) return;
    bytes[UNIT_AT] = PER_INCH;
    store_be16(bytes + UNIT_AT + 1, (uint32_t)(x + 0.5));
    store_be16(bytes + UNIT_AT + 3, (uint32_t)(y + 0.5));
}
