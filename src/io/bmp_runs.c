/* The codes, from the bottom row up.  n: 1 to 255 px.
 *
 *     n, pixel                n times this pixel; RLE4: its two nibbles alternate
 *     0, 0                    to the beginning of the next row
 *     0, 1                    the end
 *     0, 2, dx, dy            move right and up
 *     0, n, pixels            n >= 3 pixels as they come, filled up to an even number of bytes
 *
 * Skipped pixels are not changed.  Some encoders pad rows to whole words, as the uncompressed format does: the pixels
 * of the padding are dropped.  A move of 0, 0 is refused; so every code advances, and their number is bounded. */
#include "bmp_runs.h"

#include "codec.h"

/* Pixels of a row with its padding. */
static int64_t padded_width(const bmp_runs *b)
{
    return (b->width * b->bits + 31) / 32 * 32 / b->bits;
}

/* n pixels from (x, y) on, y from the bottom. */
static bool put(const bmp_runs *b, image *img, int64_t x, int64_t y, const uint8_t *p, int n, bool repeat)
{
    if (!img || x >= b->width) return true;
    uint8_t *dst = image_row(img, b->height - 1 - y) + img->channels * x;
    for (int i = 0; i < n && x + i < b->width; i++) {
        const uint8_t *colour = p + (repeat ? 0 : 3 * i);
        if (b->bits != 24) {
            int k = repeat ? i % (8 / b->bits) : i;
            size_t index = b->bits == 8 ? p[k] : k % 2 ? p[k / 2] & 15 : p[k / 2] >> 4;
            if (index >= b->entries) return false;
            colour = b->palette + index * b->entry_bytes;
        }
        for (int c = 0; c < img->channels; c++) *dst++ = colour[2 - c];
    }
    return true;
}

runs_state bmp_runs_read(const bmp_runs *b, const uint8_t **at, const uint8_t *end, image *img, bool *complete)
{
    enum { ROW_END = 0, END = 1, MOVE = 2 };
    const uint8_t *p = *at;
    int64_t x = 0, y = 0, width = padded_width(b);
    runs_state state = RUNS_CUT;
    while (end - p >= 2) {
        int count = p[0], code = p[1];
        const uint8_t *data = p + 2;
        ptrdiff_t left = end - data, bytes = 0; /* of data */
        bool good = true;
        if (count > 0) {
            bytes = b->bits == 24 ? 2 : 0;
            if (left < bytes) break;
            good = y < b->height && count <= width - x && put(b, img, x, y, p + 1, count, true);
            x += count;
        } else if (code == END) {
            state = RUNS_WHOLE;
        } else if (code == ROW_END) {
            good = y < b->height;
            x = 0;
            y++;
        } else if (code == MOVE) {
            bytes = 2;
            if (left < bytes) break;
            good = data[0] + data[1] > 0 && data[0] <= width - x && data[1] <= b->height - y;
            x += data[0];
            y += data[1];
        } else {
            bytes = (code * b->bits + 15) / 16 * 2;
            if (left < bytes) break;
            good = y < b->height && code <= width - x && put(b, img, x, y, data, code, false);
            x += code;
        }
        if (!good) state = RUNS_CORRUPT;
        p = data + bytes;
        if (state != RUNS_CUT) break;
    }
    *at = p;
    *complete = y >= b->height || (y == b->height - 1 && x >= b->width);
    return state;
}

/* A code of one pixel takes up to 4 bytes, and so does one of many for each; the end of a row takes 2. */
uint64_t bmp_runs_longest(const bmp_runs *b)
{
    enum { PIXEL_BYTES = 4, CODE_BYTES = 2 };
    uint64_t bytes, width = (uint64_t)padded_width(b), rows = (uint64_t)b->height + 1;
    if (__builtin_mul_overflow(rows, width * PIXEL_BYTES + CODE_BYTES, &bytes) ||
        __builtin_add_overflow(bytes, CODE_BYTES, &bytes))
        return UINT64_MAX;
    return bytes;
}
