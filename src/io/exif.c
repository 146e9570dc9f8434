#include "exif.h"

#include <stdbool.h>

#include "codec.h"

/* A TIFF header (byte order, 42, offset of the first directory); a directory is a count and entries of
 * 12 bytes: tag, type, number of values, and the values themselves if they fit in 4 bytes. */
enum { HEADER = 8, ENTRY = 12, ORIENTATION = 0x0112, SHORT = 3 };

int exif_orientation(const uint8_t *tiff, size_t n)
{
    if (n < HEADER) return 1;
    bool big = tiff[0] == 'M' && tiff[1] == 'M';
    if (!big && !(tiff[0] == 'I' && tiff[1] == 'I')) return 1;
    uint16_t (*load16)(const uint8_t *) = big ? load_be16 : load_le16;
    uint32_t (*load32)(const uint8_t *) = big ? load_be32 : load_le32;
    if (load16(tiff + 2) != 42) return 1;

    size_t at = load32(tiff + 4);
    if (at > n || n - at < 2) return 1;
    size_t entries = load16(tiff + at);
    at += 2;
    for (size_t i = 0; i < entries && n - at >= ENTRY; i++, at += ENTRY) {
        if (load16(tiff + at) != ORIENTATION) continue;
        int value = load16(tiff + at + 8);
        bool right = load16(tiff + at + 2) == SHORT && load32(tiff + at + 4) == 1 && value >= 1 && value <= 8;
        return right ? value : 1;
    }
    return 1;
}

void exif_block(uint8_t *tiff, int orientation)
{
    memset(tiff, 0, EXIF_BLOCK_BYTES); /* the last four bytes: no other directory */
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
