#include "exif.h"

#include "codec.h"

/* A block begins with a TIFF header: byte order, 42, offset of the first directory.  A directory is a count, entries of
 * 12 bytes, and the offset of the next directory, which in Exif is the thumbnail's.  An entry is a tag, a type, the
 * number of values, and the values if they fit in 4 bytes, else their offset. */
enum { HEADER = 8, ENTRY = 12, NEXT = 4, SHORT = 3, LONG = 4, RATIONAL = 5 };
enum { FIRST_TURNED = 5 }; /* orientations from here on exchange width and height */
enum {
    STRIP_OFFSET = 0x0111,
    ORIENTATION = 0x0112,
    STRIP_BYTES = 0x0117,
    X_RESOLUTION = 0x011A,
    Y_RESOLUTION = 0x011B,
    RESOLUTION_UNIT = 0x0128,
    JPEG_OFFSET = 0x0201,
    JPEG_BYTES = 0x0202,
};

/* A directory, as far as the block contains it. */
typedef struct directory {
    const uint8_t *tiff;
    size_t n;
    bool big;
    size_t first, entries; /* offset of the first entry, and their number */
    size_t next;           /* where the offset of the next directory is stored; 0 = the block ends before */
} directory;

static uint16_t get16(const directory *d, size_t at)
{
    return d->big ? load_be16(d->tiff + at) : load_le16(d->tiff + at);
}

static uint32_t get32(const directory *d, size_t at)
{
    return d->big ? load_be32(d->tiff + at) : load_le32(d->tiff + at);
}

static bool open_at(directory *d, size_t at)
{
    d->entries = d->next = 0;
    if (at > d->n || d->n - at < 2) return false;
    size_t said = get16(d, at), most;
    d->first = at + 2;
    most = (d->n - d->first) / ENTRY;
    d->entries = said < most ? said : most;
    size_t end = d->first + d->entries * ENTRY;
    if (d->entries == said && d->n - end >= NEXT) d->next = end;
    return true;
}

static bool open_first(directory *d, const uint8_t *tiff, size_t n)
{
    *d = (directory){.tiff = tiff, .n = n};
    if (n < HEADER || tiff[0] != tiff[1] || (tiff[0] != 'M' && tiff[0] != 'I')) return false;
    d->big = tiff[0] == 'M';
    return get16(d, 2) == 42 && open_at(d, get32(d, 4));
}

/* The offset of a tag's entry; 0 if there is none of this type with one value. */
static size_t find(const directory *d, unsigned tag, unsigned type)
{
    for (size_t i = 0; i < d->entries; i++) {
        size_t at = d->first + i * ENTRY;
        if (get16(d, at) != tag) continue;
        return get16(d, at + 2) == type && get32(d, at + 4) == 1 ? at : 0;
    }
    return 0;
}

/* A tag's value, SHORT or LONG; 0 if there is none. */
static size_t number(const directory *d, unsigned tag)
{
    size_t at = find(d, tag, LONG);
    if (at) return get32(d, at + 8);
    at = find(d, tag, SHORT);
    return at ? get16(d, at + 8) : 0;
}

static double rational(const directory *d, unsigned tag)
{
    size_t at = find(d, tag, RATIONAL);
    if (at) at = get32(d, at + 8);
    if (at < HEADER || at > d->n || d->n - at < 8 || get32(d, at + 4) == 0) return 0;
    return (double)get32(d, at) / get32(d, at + 4);
}

int exif_orientation(const uint8_t *tiff, size_t n)
{
    directory d;
    if (!open_first(&d, tiff, n)) return 1;
    size_t at = find(&d, ORIENTATION, SHORT);
    int value = at ? get16(&d, at + 8) : 1;
    return value >= 1 && value <= 8 ? value : 1;
}

void exif_resolution(const meta_block *block, double *x_per_metre, double *y_per_metre)
{
    enum { INCH = 2, CENTIMETRE = 3 };
    directory d;
    if (!block->bytes || !open_first(&d, block->bytes, block->n)) return;
    size_t unit = find(&d, RESOLUTION_UNIT, SHORT) ? number(&d, RESOLUTION_UNIT) : INCH;
    double scale = unit == INCH ? 1 / 0.0254 : unit == CENTIMETRE ? 100 : 0;
    double x = rational(&d, X_RESOLUTION) * scale, y = rational(&d, Y_RESOLUTION) * scale;
    if (x <= 0 || y <= 0) return;
    *x_per_metre = x;
    *y_per_metre = y;
}

/* Unlinks the thumbnail's directory, and zeroes its pixels unless their range overlaps the header or the first
 * directory. */
static void drop_thumbnail(uint8_t *tiff, size_t n)
{
    static const unsigned where[][2] = {{JPEG_OFFSET, JPEG_BYTES}, {STRIP_OFFSET, STRIP_BYTES}};
    directory first, d;
    if (!open_first(&first, tiff, n) || first.next == 0) return;
    size_t second = get32(&first, first.next), end = first.next + NEXT;
    memset(tiff + first.next, 0, NEXT);
    d = first;
    if (second == 0 || !open_at(&d, second)) return;
    for (size_t i = 0; i < 2; i++) {
        size_t at = number(&d, where[i][0]), bytes = number(&d, where[i][1]);
        size_t before = first.first - 2; /* where the first directory begins */
        bool apart = at >= end || (at >= HEADER && at <= before && bytes <= before - at);
        if (apart && at <= n && bytes <= n - at) memset(tiff + at, 0, bytes);
    }
}

bool exif_keep(image_meta *meta, const uint8_t *tiff, size_t n, error *err)
{
    meta_block *block = &meta->blocks[META_EXIF];
    directory d;
    if (block->bytes || !open_first(&d, tiff, n)) return true;
    if (!meta_append(meta, META_EXIF, tiff, n, err)) return false;
    if (block->bytes) drop_thumbnail(block->bytes, block->n);
    meta->orientation = exif_orientation(tiff, n);
    return true;
}

size_t exif_size(const image_meta *meta, size_t most)
{
    const meta_block *block = &meta->blocks[META_EXIF];
    if (block->bytes && block->n <= most) return block->n;
    return meta->orientation > 1 ? EXIF_BLOCK_BYTES : 0;
}

/* The values of such entries are offsets. */
static void swap_resolutions(uint8_t *tiff, const directory *d)
{
    enum { VALUE = 8, VALUE_BYTES = 4 };
    size_t x = find(d, X_RESOLUTION, RATIONAL), y = find(d, Y_RESOLUTION, RATIONAL);
    uint8_t offset[VALUE_BYTES];
    if (x == 0 || y == 0) return;
    memcpy(offset, tiff + x + VALUE, VALUE_BYTES);
    memcpy(tiff + x + VALUE, tiff + y + VALUE, VALUE_BYTES);
    memcpy(tiff + y + VALUE, offset, VALUE_BYTES);
}

void exif_write(uint8_t *to, size_t n, const image_meta *meta)
{
    const meta_block *block = &meta->blocks[META_EXIF];
    unsigned orientation = meta->orientation > 1 ? (unsigned)meta->orientation : 1;
    directory d;
    if (block->n != n) {
        exif_block(to, (int)orientation);
        return;
    }
    memcpy(to, block->bytes, n);
    size_t at = open_first(&d, to, n) ? find(&d, ORIENTATION, SHORT) : 0;
    if (at == 0) return;
    if (orientation == 1 && exif_orientation(to, n) >= FIRST_TURNED) swap_resolutions(to, &d);
    to[at + 8] = (uint8_t)(d.big ? 0 : orientation);
    to[at + 9] = (uint8_t)(d.big ? orientation : 0);
}

void exif_block(uint8_t *tiff, int orientation)
{
    memset(tiff, 0, EXIF_BLOCK_BYTES); /* the last four bytes: no next directory */
    memcpy(tiff, "MM", 2);
    store_be16(tiff + 2, 42);
    store_be32(tiff + 4, HEADER);
    store_be16(tiff + HEADER, 1);
    tiff += HEADER + 2;
    store_be16(tiff, ORIENTATION);
    store_be16(tiff + 2, SHORT);
    store_be32(tiff + 4, 1);
    store_be16(tiff + 8, (uint32_t)orientation);
}
