/* tiff_predictor.c - the predictors of a TIFF: differences to the sample on the left (TIFF 6.0, section 14), and those
 * of the bytes of floats (Adobe's Technical Note 3).
 *
 * Of what is deflated here, they are applied here.  libtiff undoes them behind LZW and Zstandard.  Beside PackBits and
 * others it passes over the tag, which is read from the file here. */
#if SAT_WITH_LIBTIFF
#include <stdlib.h>
#include <tiffio.h>

#include "codec.h"
#include "tiff_parts.h"

static void swap_bytes(uint8_t *row, size_t bytes, size_t size)
{
    for (size_t at = 0; at < bytes; at += size) {
        for (size_t i = 0; i < size / 2; i++) {
            uint8_t kept = row[at + i];
            row[at + i] = row[at + size - 1 - i];
            row[at + size - 1 - i] = kept;
        }
    }
}

#define ADD_LEFT(type, step)                                                                                           \
    do {                                                                                                               \
        type *sample = (void *)row, left[step] = {0};                                                                  \
        for (size_t i = 0; i < bytes / sizeof(type); i += (step))                                                      \
            for (size_t c = 0; c < (step); c++) sample[i + c] = left[c] = (type)(left[c] + sample[i + c]);             \
    } while (0)

#define ADD_LEFT_OF(type)                                                                                              \
    do {                                                                                                               \
        if (step == 1) ADD_LEFT(type, 1);                                                                              \
        if (step == 2) ADD_LEFT(type, 2);                                                                              \
        if (step == 3) ADD_LEFT(type, 3);                                                                              \
        if (step == 4) ADD_LEFT(type, 4);                                                                              \
        type *of_many = (void *)row;                                                                                   \
        for (size_t i = step; step > 4 && i < bytes / sizeof(type); i++)                                               \
            of_many[i] = (type)(of_many[i] + of_many[i - step]);                                                       \
    } while (0)

/* step: samples from a pixel to the next.  Up to 4 it is a constant of each loop, so that the sums stay in registers.
 */
static void add_left(uint8_t *row, size_t bytes, size_t size, size_t step)
{
    switch (size) {
    case 1: ADD_LEFT_OF(uint8_t); break;
    case 2: ADD_LEFT_OF(uint16_t); break;
    case 4: ADD_LEFT_OF(uint32_t); break;
    default: ADD_LEFT_OF(uint64_t);
    }
}

/* The row has the highest bytes of all samples first, whatever the file's order. */
static void join_bytes(uint8_t *row, uint8_t *copy, size_t bytes, size_t size)
{
    size_t count = bytes / size;
    memcpy(copy, row, bytes);
    for (size_t k = 0; k < size; k++) {
        size_t to = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? size - 1 - k : k;
        for (size_t i = 0; i < count; i++) row[i * size + to] = copy[k * count + i];
    }
}

bool tiff_undo_predictor(const tiff_file *f, const tiff_layout *t, bool native, uint8_t *block, uint64_t n, error *err)
{
    const size_t size = (size_t)t->bits / 8, bytes = (size_t)t->block_row_bytes;
    const size_t step = t->planar ? 1 : (size_t)t->samples;
    const bool of_bytes = t->predictor == PREDICTOR_FLOATINGPOINT;
    const bool swap = size > 1 && t->bits % 16 == 0 && TIFFIsByteSwapped(f->tif) && native == of_bytes;
    uint8_t *copy = NULL;
    if (of_bytes && !(copy = malloc(bytes))) return fail(err, "out of memory: a row of %zu bytes", bytes);
    for (uint8_t *row = block; row < block + n; row += bytes) {
        if (swap) swap_bytes(row, bytes, size);
        if (of_bytes) {
            add_left(row, bytes, 1, step);
            join_bytes(row, copy, bytes, size);
        } else if (t->predictor == PREDICTOR_HORIZONTAL) {
            add_left(row, bytes, size, step);
        }
    }
    free(copy);
    return true;
}

#define SUBTRACT_LEFT(type)                                                                                            \
    do {                                                                                                               \
        const type *sample = (const void *)row;                                                                        \
        type *restrict difference = (void *)to;                                                                        \
        for (size_t i = 0; i < n / sizeof(type); i++)                                                                  \
            difference[i] = (type)(i < step ? sample[i] : sample[i] - sample[i - step]);                               \
    } while (0)

static void subtract_left(const uint8_t *row, size_t n, size_t size, size_t step, uint8_t *to)
{
    switch (size) {
    case 1: SUBTRACT_LEFT(uint8_t); break;
    case 2: SUBTRACT_LEFT(uint16_t); break;
    default: SUBTRACT_LEFT(uint32_t);
    }
}

/* The highest bytes of all samples first. */
static void part_bytes(const uint8_t *row, size_t n, size_t size, uint8_t *restrict to)
{
    const size_t count = n / size;
    for (size_t k = 0; k < size; k++) {
        const size_t from = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? size - 1 - k : k;
        for (size_t i = 0; i < count; i++) to[k * count + i] = row[i * size + from];
    }
}

void tiff_predict(unsigned predictor, const uint8_t *row, size_t n, size_t size, size_t step, uint8_t *to,
                  uint8_t *copy)
{
    switch (predictor) {
    case PREDICTOR_FLOATINGPOINT:
        part_bytes(row, n, size, copy);
        subtract_left(copy, n, 1, step, to);
        break;
    case PREDICTOR_HORIZONTAL: subtract_left(row, n, size, step, to); break;
    default: memcpy(to, row, n);
    }
}

/* In the file's byte order; 0 behind its end. */
static uint64_t number_at(const tiff_file *f, uint64_t at, unsigned bytes)
{
    uint64_t value = 0;
    uint8_t of[sizeof value] = {0};
    size_t got;
    error unused;
    if (!reader_get(f->in, at, of, bytes, &got, &unused)) return 0;
    for (unsigned i = 0; i < bytes; i++) value |= (uint64_t)of[TIFFIsBigEndian(f->tif) ? bytes - 1 - i : i] << 8 * i;
    return value;
}

unsigned tiff_predictor(const tiff_file *f)
{
    enum { BIG = 43, BYTE = 1, SHORT = 3, LONG = 4 };
    const bool big = number_at(f, 2, 2) == BIG;
    const uint64_t begin = TIFFCurrentDirOffset(f->tif), head = big ? 8 : 2, entry = big ? 20 : 12;
    const uint64_t n = f->in->length;
    if (begin > n || n - begin < head) return PREDICTOR_NONE;
    const uint64_t entries = number_at(f, begin, (unsigned)head), fit = (n - begin - head) / entry;
    for (uint64_t i = 0; i < entries && i < fit; i++) {
        const uint64_t at = begin + head + i * entry, type = number_at(f, at + 2, 2);
        const unsigned bytes = type == BYTE ? 1 : type == SHORT ? 2 : type == LONG ? 4 : 0;
        if (number_at(f, at, 2) == TIFFTAG_PREDICTOR && bytes > 0)
            return (unsigned)number_at(f, at + entry - (big ? 8 : 4), bytes);
    }
    return PREDICTOR_NONE;
}

#endif
