/* fuzz_metadata.c - chunks and segments of any kind in a picture that is right: its pixels do not depend on what stands
 * beside them, unless it is refused.
 *
 * The input is a list of pieces: kind, length in two bytes, contents.  A PNG gets them as chunks with right CRCs, a
 * JPEG as segments; profiles are deflated if their kind says so. */
#include <libdeflate.h>
#include <stdio.h>

#include "carrier.h"
#include "codec.h"
#include "exif.h"

enum { WIDTH = 9, HEIGHT = 7, ROOM = 1 << 16, PIECE_MOST = 4096 };

typedef struct picture {
    uint8_t *bytes;
    size_t n, head; /* metadata goes behind the head */
    image pixels;
} picture;

static picture png, jpeg;

static void prepare(picture *p, const char *name, size_t head)
{
    error err;
    image img;
    const decode_options plain = {.max_pixels = WIDTH * HEIGHT, .threads = 1};
    const image_format *format = format_by_name(name);
    if (!image_alloc(&img, WIDTH, HEIGHT, 3, SAT_U8, &err)) abort();
    for (int i = 0; i < WIDTH * HEIGHT * 3; i++) ((uint8_t *)img.data)[i] = (uint8_t)(i * 37);
    p->head = head;
    if (!carrier_encode(format, &img, &(encode_options){.threads = 1}, &p->bytes, &p->n, &err) ||
        !format->decode(p->bytes, p->n, &plain, &p->pixels, &err))
        abort();
    image_free(&img);
}

static void begin(void)
{
    enum { PNG_HEAD = 8 + 25 /* signature and IHDR */, JPEG_HEAD = 2 /* SOI */ };
    if (!FUZZ_WITHOUT_PNG) prepare(&png, "png", PNG_HEAD);
    prepare(&jpeg, "jpeg", JPEG_HEAD);
}

typedef struct builder {
    uint8_t bytes[ROOM];
    size_t n;
} builder;

static void put(builder *b, const void *bytes, size_t n)
{
    if (n <= sizeof b->bytes - b->n) {
        memcpy(b->bytes + b->n, bytes, n);
        b->n += n;
    }
}

/* Name, zero, method 0, and a stream that inflates to the contents. */
static size_t deflate_profile(const uint8_t *profile, size_t n, uint8_t out[PIECE_MOST + 256])
{
    struct libdeflate_compressor *c = libdeflate_alloc_compressor(1);
    memcpy(out, "p\0", 3);
    size_t packed = c ? libdeflate_zlib_compress(c, profile, n, out + 3, PIECE_MOST + 253) : 0;
    libdeflate_free_compressor(c);
    return 3 + packed;
}

/* Chunks that say nothing of pixels. */
static void put_chunk(builder *b, unsigned kind, const uint8_t *contents, size_t n)
{
    static const char *const types[] = {"iCCP", "iCCP", "pHYs", "eXIf", "tEXt", "zTXt", "gAMA", "cHRM",
                                        "sRGB", "tIME", "sBIT", "prVt", "iTXt", "cICP", "sPLT", "PLTE"};
    enum { TYPES = sizeof types / sizeof types[0] };
    uint8_t head[8], tail[4], packed[PIECE_MOST + 256];
    if (kind % TYPES == 0 && n > 0) {
        n = deflate_profile(contents, n, packed);
        contents = packed;
    }
    if (b->n + n + 12 > ROOM - png.n) return;
    store_be32(head, (uint32_t)n);
    memcpy(head + 4, types[kind % TYPES], 4);
    put(b, head, sizeof head);
    put(b, contents, n);
    store_be32(tail, libdeflate_crc32(libdeflate_crc32(0, head + 4, 4), contents, n));
    put(b, tail, sizeof tail);
}

/* Segments that say nothing of pixels, with their names; and fill bytes between them. */
static void put_segment(builder *b, unsigned kind, const uint8_t *contents, size_t n)
{
    static const struct {
        uint8_t code;
        const char *name;
        size_t name_bytes;
    } kinds[] = {{0xe0, "JFIF", 5},
                 {0xe1, "Exif\0", 6},
                 {0xe2, "ICC_PROFILE", 12},
                 {0xe0, "", 0},
                 {0xe1, "", 0},
                 {0xe2, "", 0},
                 {0xfe, "", 0},
                 {0xed, "Photoshop 3.0", 14},
                 {0xff, "", 0},
                 {0xe1, "http://ns.adobe.com/xap/1.0/", 29}};
    unsigned k = kind % (sizeof kinds / sizeof kinds[0]);
    uint8_t head[4] = {0xff, kinds[k].code};
    if (b->n + n + 64 > ROOM - jpeg.n) return;
    if (kinds[k].code == 0xff) {
        put(b, head, 1 + n % 2);
        return;
    }
    store_be16(head + 2, (uint32_t)(2 + kinds[k].name_bytes + n));
    put(b, head, sizeof head);
    put(b, kinds[k].name, kinds[k].name_bytes);
    put(b, contents, n);
}

/* What was read of a picture is read again of one that is written from it. */
static const char *check_carried(const image *img, const image_format *format)
{
    const decode_options plain = {.max_pixels = WIDTH * HEIGHT, .no_orient = true, .threads = 1};
    const char *why = NULL;
    uint8_t *bytes = NULL;
    size_t n;
    image out = {0};
    error err;
    if (!carrier_encode(format, img, &(encode_options){.threads = 1}, &bytes, &n, &err)) {
        why = "a picture that was read is not written";
    } else if (!format->decode(bytes, n, &plain, &out, &err)) {
        why = "what is written is not read";
    } else {
        const meta_block *a = img->meta.blocks, *b = out.meta.blocks;
        bool exif = a[META_EXIF].n > 0 ? b[META_EXIF].n == a[META_EXIF].n : img->meta.orientation <= 1;
        bool xmp = b[META_XMP].n == a[META_XMP].n &&
                   (a[META_XMP].n == 0 || !memcmp(a[META_XMP].bytes, b[META_XMP].bytes, a[META_XMP].n));
        bool turned =
            img->meta.orientation > 1 ? out.meta.orientation != img->meta.orientation : out.meta.orientation > 1;
        if (!exif || !xmp || turned) why = "EXIF, XMP or the orientation is not carried";
    }
    image_free(&out);
    free(bytes);
    return why;
}

static const char *check(const picture *p, const builder *b)
{
    const decode_options plain = {.max_pixels = WIDTH * HEIGHT, .no_orient = true, .threads = 1};
    decode_options upright = plain;
    const image_format *format;
    source src = {.n = b->n};
    uint8_t *exact = malloc(b->n);
    image img, turned;
    uint64_t most = 0;
    error err = {.text = ""};
    const char *why = NULL;
    if (!exact) return NULL;
    memcpy(exact, b->bytes, b->n);
    src.bytes = exact;
    upright.no_orient = false;
    bool ok = image_decode(&src, &plain, &img, &format, &err);
    if (!ok) {
        why = err.text[0] && !strchr(err.text, '\n') ? NULL : "a failure without a line that says why";
    } else {
        if (memcmp(img.data, p->pixels.data, p->pixels.row_bytes * HEIGHT) != 0) why = "metadata changes pixels";
        if ((img.meta.icc != NULL) != (img.meta.icc_bytes > 0)) why = "a profile without bytes";
        if (img.meta.orientation < 0 || img.meta.orientation > 8) why = "an orientation that is none";
        if (!(img.meta.x_per_metre >= 0) || !(img.meta.y_per_metre >= 0)) why = "a resolution that is none";
        bool turns = image_decode(&src, &upright, &turned, &format, &err);
        bool sideways = img.meta.orientation >= 5;
        if (!turns || turned.width != (sideways ? HEIGHT : WIDTH) || turned.meta.orientation > 1) why = "not upright";
        image_free(&turned);
        bool to_png = png.bytes && b->n % 2 == 0;
        if (!why) why = check_carried(&img, format_by_name(to_png ? "png" : "jpeg"));
        if (!image_extent(src.bytes, src.n, &plain, &most, &err) || most < src.n) why = "its extent cuts it short";
    }
    image_free(&img);
    free(exact);
    return why;
}

static const char *run(const uint8_t *bytes, size_t n)
{
    static builder b;
    if (n < 1) return NULL;
    int orientation = exif_orientation(bytes + 1, n - 1);
    if (orientation < 1 || orientation > 8) return "an orientation that is none";
    bool is_png = bytes[0] % 2 == 0;
    const picture *p = is_png ? &png : &jpeg;
    if (!p->bytes) return NULL;
    b.n = 0;
    put(&b, p->bytes, p->head);
    for (size_t at = 1; n - at >= 3;) {
        unsigned kind = bytes[at];
        size_t length = load_be16(bytes + at + 1) % PIECE_MOST;
        at += 3;
        if (length > n - at) length = n - at;
        (is_png ? put_chunk : put_segment)(&b, kind, bytes + at, length);
        at += length;
    }
    put(&b, p->bytes + p->head, p->n - p->head);
    return check(p, &b);
}

const fuzz_target fuzz = {.begin = begin, .run = run};
