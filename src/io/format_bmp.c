/* BMP (Microsoft, "Bitmap Storage"; IBM, "OS/2 2.1 Presentation Driver Reference"): a file header, an image header of
 * one of many lengths, a palette for up to 8 bits per pixel, and the pixels.  The pixels are rows of whole 32-bit
 * words, the bottom one first unless the height is negative; or the codes of bmp_runs.h.
 *
 * The format has no grey: a grey image is one of 8 bits whose palette is a ramp.  So an image with a palette of greys
 * only is read as grey, of one channel, and written like that. */
#include <stdlib.h>

#include "bmp_runs.h"
#include "codec.h"
#include "row_sink.h"
#include "row_source.h"

enum { LARGEST_GAP = 1 << 24 }; /* between header and pixels: a palette, and padding */
enum {
    FILE_HEADER = 14,
    CORE_HEADER = 12,     /* OS/2 1: sizes of 16 bits */
    SHORTEST_HEADER = 16, /* OS/2 2: any length up to 64 bytes; missing fields are 0 */
    INFO_HEADER = 40,
    MASKS_HEADER = 52, /* masks for the three colours, */
    ALPHA_HEADER = 56, /* and for alpha */
    OS2_HEADER = 64,
    V4_HEADER = 108,
    V5_HEADER = 124,
    RAMP = 256, /* colours of the palette of grey */
    RAMP_BYTES = 4 * RAMP,
    START_MOST = FILE_HEADER + V4_HEADER + RAMP_BYTES, /* before the pixels that are written */
};

typedef enum coding {
    PLAIN = 0,
    RLE8 = 1,
    RLE4 = 2,
    MASKS = 3, /* OS/2: Huffman codes */
    JPEG = 4,  /* OS/2: RLE24 */
    PNG = 5,
    ALPHA_MASKS = 6,
    FOREIGN = 7, /* all other numbers */
    RLE24,
    HUFFMAN,
} coding;

/* A component of a pixel: (pixel >> shift) & top. */
typedef struct field {
    int shift;
    uint32_t top; /* 0 = no such component */
} field;

typedef struct bmp {
    int64_t width, height;
    bool top_down;
    int channels;
    int bits; /* per pixel: 1, 2, 4, 8 (palette), 16, 24, 32 */
    coding coding;
    field fields[4];
    const uint8_t *palette; /* blue, green, red, and in entries of 4 bytes an unused one */
    size_t entries, entry_bytes;
    bool whole_palette;              /* the bytes at hand contain it */
    size_t begin;                    /* of the pixels in the file */
    size_t row_bytes;                /* in the file, unless it is in runs */
    double x_per_metre, y_per_metre; /* 0 = unknown */
} bmp;

static bool is_header_length(uint32_t n)
{
    return n == CORE_HEADER || (n >= SHORTEST_HEADER && n <= OS2_HEADER) || n == V4_HEADER || n == V5_HEADER;
}

/* OS/2's arrays of bitmaps, icons and pointers; arrays have one more header. */
static bool is_os2_container(const uint8_t *bytes, size_t n)
{
    static const char kinds[][3] = {"BA", "CI", "CP", "IC", "PT"};
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        size_t at = i == 0 ? 2 * FILE_HEADER : FILE_HEADER;
        if (n >= at + 4 && memcmp(bytes, kinds[i], 2) == 0) return is_header_length(load_le32(bytes + at));
    }
    return false;
}

static bool sniff(const uint8_t *bytes, size_t n)
{
    if (is_os2_container(bytes, n)) return true;
    if (n < FILE_HEADER + 4 || bytes[0] != 'B' || bytes[1] != 'M') return false;
    return is_header_length(load_le32(bytes + FILE_HEADER));
}

static field field_of(uint32_t mask)
{
    if (mask == 0) return (field){0};
    int shift = __builtin_ctz(mask);
    return (field){.shift = shift, .top = mask >> shift};
}

static void set_fields(bmp *b, uint32_t red, uint32_t green, uint32_t blue, uint32_t alpha)
{
    b->fields[0] = field_of(red);
    b->fields[1] = field_of(green);
    b->fields[2] = field_of(blue);
    b->fields[3] = field_of(alpha);
}

static coding coding_of(uint32_t number, bool os2)
{
    if (os2 && number >= MASKS) return number == MASKS ? HUFFMAN : number == JPEG ? RLE24 : FOREIGN;
    return number < FOREIGN ? (coding)number : FOREIGN;
}

static uint32_t header_field(const uint8_t *header, size_t header_bytes, size_t at)
{
    return at + 4 <= header_bytes ? load_le32(header + at) : 0;
}

/* Sets the fields of pixels of more than 8 bits.  *end: the end of the header; moved behind the masks if they follow
 * it, as they do in the shortest header. */
static bool read_masks(const uint8_t *bytes, size_t n, size_t *end, bmp *b, error *err)
{
    const uint8_t *at = bytes + FILE_HEADER + INFO_HEADER;
    bool alpha = b->coding == ALPHA_MASKS;
    if (b->coding != MASKS && !alpha) {
        if (b->bits == 16) set_fields(b, 0x7c00, 0x3e0, 0x1f, 0);
        if (b->bits == 24 || b->bits == 32) set_fields(b, 0xff0000, 0xff00, 0xff, 0);
        return true;
    }
    if (*end == FILE_HEADER + INFO_HEADER) {
        *end += alpha ? 16 : 12;
    } else {
        alpha = *end >= FILE_HEADER + ALPHA_HEADER;
    }
    if (n < *end) return fail(err, "truncated: the file ends in its header");
    set_fields(b, load_le32(at), load_le32(at + 4), load_le32(at + 8), alpha ? load_le32(at + 12) : 0);
    return b->fields[0].top != 0 || fail(err, "corrupt: the BMP has no mask for red");
}

/* Does the format have this compression with these bits per pixel, and can it be read? */
static bool check_coding(const bmp *b, uint32_t number, error *err)
{
    bool right = false;
    switch (b->coding) {
    case PLAIN:
        if (b->bits == 64) return fail(err, "a BMP of 64 bits per pixel, which cannot be read");
        right = b->bits == 1 || b->bits == 2 || b->bits == 4 || b->bits == 8 || b->bits == 16 || b->bits == 24 ||
                b->bits == 32;
        break;
    case RLE8: right = b->bits == 8; break;
    case RLE4: right = b->bits == 4; break;
    case RLE24: right = b->bits == 24; break;
    case MASKS:
    case ALPHA_MASKS: right = b->bits == 16 || b->bits == 32; break;
    case JPEG: return fail(err, "a JPEG inside a BMP, which cannot be read");
    case PNG: return fail(err, "a PNG inside a BMP, which cannot be read");
    case HUFFMAN: return fail(err, "a BMP of OS/2's Huffman codes, which cannot be read");
    default: return fail(err, "a BMP of compression %u, which cannot be read", (unsigned)number);
    }
    return right || fail(err, "corrupt: a BMP of compression %u with %d bits per pixel", (unsigned)number, b->bits);
}

static bool in_runs(const bmp *b)
{
    return b->coding == RLE8 || b->coding == RLE4 || b->coding == RLE24;
}

/* The palette has as many colours as the header says, or as fit in front of the pixels: 0 says as many as there can be.
 * Other bytes may lie behind it. */
static size_t palette_entries(size_t fit, uint32_t said)
{
    return said > 0 && said < fit ? said : fit;
}

/* Colours of the palette that a pixel can have. */
static size_t colours(const bmp *b)
{
    size_t most = b->bits <= 8 ? (size_t)1 << b->bits : 0;
    return b->entries < most ? b->entries : most;
}

static bool is_grey(const bmp *b)
{
    for (size_t i = 0; i < colours(b); i++) {
        const uint8_t *colour = b->palette + i * b->entry_bytes;
        if (colour[0] != colour[1] || colour[0] != colour[2]) return false;
    }
    return colours(b) > 0;
}

/* Reads all but the pixels, which may lie behind the n bytes. */
static bool read_header(const uint8_t *bytes, size_t n, const decode_options *opt, bmp *b, error *err)
{
    if (bytes[0] != 'B' || bytes[1] != 'M')
        return fail(err, "an OS/2 %s, which cannot be read", bytes[1] == 'A' ? "array of bitmaps" : "icon or pointer");
    const uint8_t *header = bytes + FILE_HEADER;
    size_t header_bytes = load_le32(header), end = FILE_HEADER + header_bytes, begin = load_le32(bytes + 10);
    if (n < end) return fail(err, "truncated: the file ends in its header");
    bool core = header_bytes == CORE_HEADER;
    bool os2 = header_bytes < V4_HEADER && header_bytes != INFO_HEADER && header_bytes != MASKS_HEADER &&
               header_bytes != ALPHA_HEADER;
    int32_t height = core ? load_le16(header + 6) : (int32_t)load_le32(header + 8);
    int32_t x_per_metre = (int32_t)header_field(header, header_bytes, 24);
    int32_t y_per_metre = (int32_t)header_field(header, header_bytes, 28);
    *b = (bmp){.width = core ? load_le16(header + 4) : (int32_t)load_le32(header + 4),
               .height = llabs((int64_t)height),
               .top_down = height < 0,
               .bits = load_le16(header + (core ? 10 : 14)),
               .coding = coding_of(header_field(header, header_bytes, 16), os2)};
    if (x_per_metre > 0 && y_per_metre > 0) {
        b->x_per_metre = x_per_metre;
        b->y_per_metre = y_per_metre;
    }
    if (!check_coding(b, header_field(header, header_bytes, 16), err) ||
        !codec_size_ok(b->width, b->height, opt, err) || !read_masks(bytes, n, &end, b, err))
        return false;
    if (in_runs(b) && b->top_down) return fail(err, "corrupt: a BMP in runs whose top row comes first");
    const uint32_t said = header_field(header, header_bytes, 32), most = b->bits <= 8 ? 1u << b->bits : 0;
    b->entry_bytes = core ? 3 : 4;
    if (begin == end) begin += b->entry_bytes * palette_entries(most, said); /* an offset that leaves out the palette */
    if (begin < end) return fail(err, "corrupt: the BMP's pixels lie in its header");
    if (begin - end > LARGEST_GAP)
        return fail(err, "corrupt: the BMP's pixels lie %zu bytes behind its header", begin - end);
    b->row_bytes = ((size_t)b->width * (size_t)b->bits + 31) / 32 * 4;
    b->palette = bytes + end;
    b->entries = palette_entries((begin - end) / b->entry_bytes, said);
    b->whole_palette = n - end >= colours(b) * b->entry_bytes;
    b->channels = b->fields[3].top ? 4 : b->whole_palette && is_grey(b) ? 1 : 3;
    b->begin = begin;
    return true;
}

static bmp_runs runs_of(const bmp *b)
{
    return (bmp_runs){.width = b->width,
                      .height = b->height,
                      .bits = b->bits,
                      .palette = b->palette,
                      .entries = b->entries,
                      .entry_bytes = b->entry_bytes};
}

static bool shape(const uint8_t *bytes, size_t n, const decode_options *opt, image_shape *s)
{
    (void)opt;
    bmp b;
    error unused;
    if (!read_header(bytes, n, &codec_any_size, &b, &unused)) return false;
    *s = (image_shape){.width = b.width, .height = b.height, .channels = b.channels, .type = SAT_U8};
    return b.whole_palette;
}

static bool extent(const uint8_t *bytes, size_t n, const decode_options *opt, uint64_t *most, error *err)
{
    bmp b;
    if (!read_header(bytes, n, opt, &b, err)) return false;
    *most = b.begin + (uint64_t)b.row_bytes * (uint64_t)b.height;
    if (!in_runs(&b)) return true;
    bmp_runs runs = runs_of(&b);
    const uint8_t *at = bytes + b.begin;
    bool complete;
    runs_state state = b.begin < n ? bmp_runs_read(&runs, &at, bytes + n, NULL, &complete) : RUNS_CUT;
    if (__builtin_add_overflow(bmp_runs_longest(&runs), b.begin, most)) *most = UINT64_MAX;
    if (state != RUNS_CUT) *most = (uint64_t)(at - bytes);
    return true;
}

static inline uint8_t component(uint32_t pixel, field f)
{
    uint32_t v = pixel >> f.shift & f.top;
    return (uint8_t)(f.top == 255 ? v : f.top == 0 ? 0 : ((uint64_t)v * 255 + f.top / 2) / f.top);
}

static bool expand_row(const row_source *s, const uint8_t *from, uint8_t *row, error *err)
{
    const bmp *b = s->state;
    const size_t bytes = (size_t)b->bits / 8;
    (void)err;
    for (int64_t x = 0; x < b->width; x++, from += bytes) {
        uint32_t pixel = load_le16(from);
        if (bytes >= 3) pixel |= (uint32_t)from[2] << 16;
        if (bytes == 4) pixel |= (uint32_t)from[3] << 24;
        for (int c = 0; c < b->channels; c++) *row++ = component(pixel, b->fields[c]);
    }
    return true;
}

static bool expand_palette_row(const row_source *s, const uint8_t *from, uint8_t *row, error *err)
{
    const bmp *b = s->state;
    for (int64_t x = 0; x < b->width; x++) {
        size_t bit = (size_t)x * (size_t)b->bits;
        size_t i = (unsigned)from[bit / 8] >> (8 - b->bits - (int)(bit % 8)) & ((1u << b->bits) - 1);
        if (i >= b->entries) return fail(err, "corrupt: the BMP's palette lacks a colour");
        const uint8_t *colour = b->palette + i * b->entry_bytes;
        for (int c = 0; c < b->channels; c++) *row++ = colour[2 - c];
    }
    return true;
}

/* The palette is in the input's head. */
static bool open_rows(row_source *s, const decode_options *opt, error *err)
{
    if (s->in_order) {
        s->whole = "it comes through a pipe";
        return true;
    }
    bmp *b = s->state = calloc(1, sizeof *b);
    if (!b) return fail_memory(err, "out of memory: a BMP");
    if (!read_header(s->in.head, s->in.head_n, opt, b, err)) return false;
    if (in_runs(b)) {
        s->whole = "it is in runs";
        return true;
    }
    if (b->begin > s->in.length || (s->in.length - b->begin) / b->row_bytes < (uint64_t)b->height)
        return fail(err, "truncated: the BMP has too few pixels");
    s->head = (image){.width = b->width, .height = b->height, .channels = b->channels, .type = SAT_U8};
    s->head.meta.x_per_metre = b->x_per_metre;
    s->head.meta.y_per_metre = b->y_per_metre;
    s->begin = b->begin;
    s->stored_bytes = b->row_bytes;
    s->upward = !b->top_down;
    s->apart = true;
    s->unpack = b->bits > 8 ? expand_row : expand_palette_row;
    if (b->channels == 4 && !rows_show_alpha(s)) s->whole = "its alpha may be 0 in every pixel";
    return true;
}

static const row_reading reads_rows = {.open = open_rows};

/* Two bytes code up to 255 pixels, and a move may skip any number.  Up to a million pixels are always plausible; above,
 * a factor of 16 is for moves. */
static bool plausible(const bmp *b, const bmp_runs *runs, const uint8_t *at, size_t n, error *err)
{
    enum { ALWAYS = 1 << 20, MOST_PIXELS_PER_BYTE = 128 * 16 };
    uint64_t count = (uint64_t)b->width * (uint64_t)b->height;
    const uint8_t *end = at;
    bool complete;
    if (count <= ALWAYS) return true;
    bmp_runs_read(runs, &end, at + n, NULL, &complete); /* other bytes may follow */
    size_t bytes = (size_t)(end - at);
    if (count / MOST_PIXELS_PER_BYTE <= bytes) return true;
    return fail(err, "truncated: %zu bytes cannot hold the pixels of a %lldx%lld BMP", bytes, (long long)b->width,
                (long long)b->height);
}

/* Skipped pixels get the palette's first colour, or black without a palette, as in other readers. */
static bool read_runs(const bmp *b, const uint8_t *pixels, size_t n, image *img, error *err)
{
    static const uint8_t black[3];
    bmp_runs runs = runs_of(b);
    bool complete, palette = b->bits != 24;
    if (!plausible(b, &runs, pixels, n, err)) return false;
    if (palette && b->entries == 0) return fail(err, "corrupt: the BMP has no palette");
    if (!image_alloc(img, b->width, b->height, b->channels, SAT_U8, err)) return false;
    const uint8_t *colour = palette ? b->palette : black, *at = pixels;
    uint8_t *dst = img->data;
    for (int64_t i = 0; i < img->width * img->height; i++)
        for (int c = 0; c < img->channels; c++) *dst++ = colour[2 - c];
    switch (bmp_runs_read(&runs, &at, pixels + n, img, &complete)) {
    case RUNS_WHOLE: return true;
    case RUNS_CUT: return complete || fail(err, "truncated: the BMP's runs have no end");
    default:
        return fail(err, "corrupt: the BMP's runs leave the image or its palette, %zu bytes in", (size_t)(at - pixels));
    }
}

/* Channels are chosen when alpha is known. */
static bool decode(const uint8_t *bytes, size_t n, const decode_options *opt, image *img, error *err)
{
    *img = (image){0};
    bmp b;
    decode_options all = *opt;
    all.channels = (channel_choice){0};
    if (!read_header(bytes, n, opt, &b, err)) return false;
    if (!in_runs(&b)) {
        if (!rows_decode(&reads_rows, bytes, n, &all, img, err)) return false;
    } else {
        if (b.begin > n) return fail(err, "truncated: the BMP has too few pixels");
        if (!read_runs(&b, bytes + b.begin, n - b.begin, img, err)) {
            image_free(img);
            return false;
        }
        img->meta.x_per_metre = b.x_per_metre;
        img->meta.y_per_metre = b.y_per_metre;
    }
    codec_opaque_if_clear(img);
    return true;
}

static bool holds(sat_type type, int channels, error *err)
{
    if (type != SAT_U8) return codec_cannot_hold("BMP", "u8", type, err);
    if (channels == 2) return fail(err, "BMP holds no grey with alpha");
    return true;
}

static uint32_t per_metre(double v)
{
    return v >= 1 && v <= INT32_MAX ? (uint32_t)(v + 0.5) : 0;
}

/* The header of 40 bytes for RGB, and for grey with the palette; for RGBA version 4, with a mask for alpha and the sRGB
 * colour space. */
static bool write_header(row_sink *s, size_t pixel_bytes, error *err)
{
    const image *img = s->head;
    enum { SRGB = 0x73524742 };
    bool alpha = img->channels == 4, grey = img->channels == 1;
    uint32_t header_bytes = alpha ? V4_HEADER : INFO_HEADER, end = FILE_HEADER + header_bytes;
    uint32_t begin = end + (grey ? RAMP_BYTES : 0);
    uint8_t file[FILE_HEADER + V4_HEADER] = {'B', 'M'}, *header = file + FILE_HEADER, ramp[RAMP_BYTES];
    store_le32(file + 2, begin + (uint32_t)pixel_bytes);
    store_le32(file + 10, begin);
    store_le32(header, header_bytes);
    store_le32(header + 4, (uint32_t)img->width);
    store_le32(header + 8, (uint32_t)img->height);
    header[12] = 1; /* plane */
    header[14] = (uint8_t)(8 * img->channels);
    store_le32(header + 16, alpha ? MASKS : PLAIN);
    store_le32(header + 20, (uint32_t)pixel_bytes);
    store_le32(header + 24, per_metre(img->meta.x_per_metre));
    store_le32(header + 28, per_metre(img->meta.y_per_metre));
    for (int c = 0; alpha && c < 4; c++)
        store_le32(header + INFO_HEADER + 4 * c, (uint32_t)0xff << (c < 3 ? 16 - 8 * c : 24));
    if (alpha) store_le32(header + ALPHA_HEADER, SRGB);
    for (uint32_t i = 0; i < RAMP; i++) store_le32(ramp + 4 * i, i * 0x010101);
    if (grey) store_le32(header + 32, RAMP);
    s->header_bytes = begin;
    return sink_write(s->out, file, end, err) && sink_write(s->out, ramp, begin - end, err);
}

static void pack_row(const row_sink *s, const uint8_t *row, uint8_t *packed)
{
    const size_t n = s->head->row_bytes;
    const int channels = s->head->channels;
    if (channels == 1) memcpy(packed, row, n);
    for (size_t i = 0; channels > 1 && i < n; i += (size_t)channels) {
        packed[i] = row[i + 2];
        packed[i + 1] = row[i + 1];
        packed[i + 2] = row[i];
        if (channels == 4) packed[i + 3] = row[i + 3];
    }
    memset(packed + n, 0, s->packed_bytes - n);
}

static bool begin(row_sink *s, error *err)
{
    const image *img = s->head;
    size_t row_bytes, bytes;
    if (__builtin_mul_overflow((size_t)img->width, (size_t)img->channels, &row_bytes) ||
        __builtin_add_overflow(row_bytes, -row_bytes % 4, &row_bytes) ||
        __builtin_mul_overflow(row_bytes, (size_t)img->height, &bytes) || bytes > INT32_MAX - START_MOST) {
        return fail(err, "%lldx%lld pixels are too many for BMP; use .png", (long long)img->width,
                    (long long)img->height);
    }
    s->packed_bytes = row_bytes;
    s->pack = pack_row;
    return write_header(s, bytes, err);
}

static const row_writing writes_rows = {.upward = true, .begin = begin};

static bool encode(const image *img, const encode_options *opt, sink *out, error *err)
{
    return rows_encode(&format_bmp, img, opt, out, err);
}

const image_format format_bmp = {
    .name = "bmp",
    .extensions = "bmp dib",
    .summary = "BMP, 8-bit grey, and RGB with or without alpha",
    .sniff = sniff,
    .extent = extent,
    .shape = shape,
    .decode = decode,
    .holds = holds,
    .encode = encode,
    .reads_rows = &reads_rows,
    .writes_rows = &writes_rows,
};
