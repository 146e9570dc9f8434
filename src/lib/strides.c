/* strides.c - copies between arrays of any strides, in loops that compilers make fast. */
#include <stdlib.h>
#include <string.h>

#include "path.h"
#include "processor.h"
#include "shape.h"
#include "shuffle.h"
#include "strides.h"

#define FORCE static inline __attribute__((always_inline))

/* ---- elements ------------------------------------------------------------------------------------------ */

/* Inlined for each size, so that an element is a move or two; and for strides that are common, where the compiler takes
 * several elements at once.  Elements are found from the first, not from one to the next: the stride of a single one
 * may be any. */
FORCE void copy_each(char *restrict to, ptrdiff_t to_step, const char *restrict from, ptrdiff_t from_step, int64_t n,
                     const size_t size)
{
    for (int64_t i = 0; i < n; i++) memcpy(to + i * to_step, from + i * from_step, size);
}

/* 16 bytes, or 8 words of 4, change places at once, where the processor can do that in one instruction.  `lead`: where
 * they lie from the first of a step.  Bytes beyond a step belong to the next element, so `rest` elements are left to
 * the caller.  Memory is asked for as far ahead as a row's next part may lie. */
enum { AHEAD_BYTES = 1024 };
typedef uint8_t bytes_16 __attribute__((vector_size(16)));
typedef uint32_t words_8 __attribute__((vector_size(32)));
#if defined(__x86_64__)
#define SHUFFLE_TARGET __attribute__((target("avx2")))
#define SHUFFLE_SET    SAT_SET_AVX2
#else
#define SHUFFLE_TARGET
#define SHUFFLE_SET SAT_SET_PORTABLE
#endif
#define SHUFFLE(name, vector, lead, to_step, from_step, ...)                                                           \
    SHUFFLE_TARGET static void name(char *restrict to, const char *restrict from, int64_t steps)                       \
    {                                                                                                                  \
        for (int64_t i = 0; i < steps; i++) {                                                                          \
            vector v;                                                                                                  \
            __builtin_prefetch(from + i * (from_step) + ((from_step) < 0 ? -AHEAD_BYTES : AHEAD_BYTES));               \
            memcpy(&v, from + i * (from_step) + (lead), sizeof v);                                                     \
            v = SAT_SHUFFLE(v, v, __VA_ARGS__);                                                                        \
            memcpy(to + i * (to_step), &v, sizeof v);                                                                  \
        }                                                                                                              \
    }
SHUFFLE(reverse_1, bytes_16, -15, 16, -16, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0)
SHUFFLE(reverse_2, bytes_16, -14, 16, -16, 14, 15, 12, 13, 10, 11, 8, 9, 6, 7, 4, 5, 2, 3, 0, 1)
SHUFFLE(reverse_3, bytes_16, -13, 15, -15, 13, 14, 15, 10, 11, 12, 7, 8, 9, 4, 5, 6, 1, 2, 3, 0)
SHUFFLE(reverse_4, words_8, -28, 32, -32, 7, 6, 5, 4, 3, 2, 1, 0)
SHUFFLE(reverse_6, bytes_16, -10, 12, -12, 10, 11, 12, 13, 14, 15, 4, 5, 6, 7, 8, 9, 0, 1, 2, 3)
SHUFFLE(reverse_8, words_8, -24, 32, -32, 6, 7, 4, 5, 2, 3, 0, 1)
SHUFFLE(reverse_12, words_8, -20, 24, -24, 5, 6, 7, 2, 3, 4, 0, 1)
SHUFFLE(reverse_16, words_8, -16, 32, -32, 4, 5, 6, 7, 0, 1, 2, 3)
SHUFFLE(reverse_24, words_8, -8, 24, -24, 2, 3, 4, 5, 6, 7, 0, 1)
SHUFFLE(reverse_32, words_8, 0, 32, -32, 0, 1, 2, 3, 4, 5, 6, 7)
SHUFFLE(swap_1x3, bytes_16, 0, 15, 15, 2, 1, 0, 5, 4, 3, 8, 7, 6, 11, 10, 9, 14, 13, 12, 15)
SHUFFLE(swap_1x4, bytes_16, 0, 16, 16, 3, 2, 1, 0, 7, 6, 5, 4, 11, 10, 9, 8, 15, 14, 13, 12)
SHUFFLE(swap_2x3, bytes_16, 0, 12, 12, 4, 5, 2, 3, 0, 1, 10, 11, 8, 9, 6, 7, 12, 13, 14, 15)
SHUFFLE(swap_2x4, bytes_16, 0, 16, 16, 6, 7, 4, 5, 2, 3, 0, 1, 14, 15, 12, 13, 10, 11, 8, 9)
SHUFFLE(swap_4x3, words_8, 0, 24, 24, 2, 1, 0, 5, 4, 3, 6, 7)
SHUFFLE(swap_4x4, words_8, 0, 32, 32, 3, 2, 1, 0, 7, 6, 5, 4)

typedef struct shuffle {
    size_t size; /* of an element */
    int channels;
    void (*run)(char *restrict to, const char *restrict from, int64_t steps);
    int64_t each, rest; /* elements of a step, and left to the caller */
} shuffle;

/* Elements in reverse order; and channels in reverse order in each pixel, RGB and BGR (paths.def: reversals, swaps). */
static const shuffle reversals[] = {{1, 1, reverse_1, 16, 0},
                                    {2, 1, reverse_2, 8, 0},
                                    {3, 1, reverse_3, 5, 1},
                                    {4, 1, reverse_4, 8, 0},
                                    {6, 1, reverse_6, 2, 1},
                                    {8, 1, reverse_8, 4, 0},
                                    {12, 1, reverse_12, 2, 1},
                                    {16, 1, reverse_16, 2, 0},
                                    {24, 1, reverse_24, 1, 1},
                                    {32, 1, reverse_32, 1, 0},
                                    {0}};
static const shuffle swaps[] = {{1, 3, swap_1x3, 5, 1},
                                {1, 4, swap_1x4, 4, 0},
                                {2, 3, swap_2x3, 2, 1},
                                {2, 4, swap_2x4, 2, 0},
                                {4, 3, swap_4x3, 2, 1},
                                {4, 4, swap_4x4, 2, 0},
                                {0}};

/* Takes as many of n elements as whole steps hold; returns their number. */
static int64_t run_shuffle(const shuffle *table, char *to, const char *from, int64_t n, size_t size, int channels)
{
    if (!(table == reversals ? SAT_PATH(reversals) : SAT_PATH(swaps))) return 0;
    while (table->run && (table->size != size || table->channels != channels)) table++;
    if (table->run == NULL || n < table->rest || !sat_processor_has(SHUFFLE_SET)) return 0;
    const int64_t steps = (n - table->rest) / table->each;
    table->run(to, from, steps);
    return steps * table->each;
}

/* One of the strides is the element's size, the other twice, three or four times that (paths.def: spread). */
FORCE void copy_spread(char *to, ptrdiff_t to_step, const char *from, ptrdiff_t from_step, int64_t n, const size_t size)
{
    const ptrdiff_t one = (ptrdiff_t)size;
    const bool packs = SAT_PATH(spread) && to_step == one;
    if (packs && from_step == 2 * one)
        copy_each(to, one, from, 2 * one, n, size);
    else if (packs && size > 1 && from_step == 3 * one)
        copy_each(to, one, from, 3 * one, n, size);
    else if (packs && from_step == 4 * one)
        copy_each(to, one, from, 4 * one, n, size);
    else
        copy_each(to, to_step, from, from_step, n, size);
}

/* n elements of 1, 2, 3, 4, 6, 8, 12, 16, 24 or 32 bytes. */
static void copy_elements(char *to, ptrdiff_t to_step, const char *from, ptrdiff_t from_step, int64_t n, size_t size)
{
    const ptrdiff_t one = (ptrdiff_t)size;
    if (to_step < 0) { /* the last one first */
        to += (n - 1) * to_step, from += (n - 1) * from_step;
        to_step = -to_step, from_step = -from_step;
    }
    if (to_step == one && from_step == one) {
        memcpy(to, from, (size_t)n * size);
        return;
    }
    if (to_step == one && from_step == -one) {
        const int64_t done = run_shuffle(reversals, to, from, n, size, 1);
        to += done * one, from -= done * one, n -= done;
    }
    switch (size) {
    case 1: copy_spread(to, to_step, from, from_step, n, 1); break;
    case 2: copy_spread(to, to_step, from, from_step, n, 2); break;
    case 3: copy_each(to, to_step, from, from_step, n, 3); break;
    case 4: copy_spread(to, to_step, from, from_step, n, 4); break;
    case 6: copy_each(to, to_step, from, from_step, n, 6); break;
    case 8: copy_spread(to, to_step, from, from_step, n, 8); break;
    case 12: copy_each(to, to_step, from, from_step, n, 12); break;
    case 16: copy_each(to, to_step, from, from_step, n, 16); break;
    case 24: copy_each(to, to_step, from, from_step, n, 24); break;
    default: copy_each(to, to_step, from, from_step, n, 32);
    }
}

/* ---- pixels -------------------------------------------------------------------------------------------- */

/* Where pixels lie, and how far apart. */
typedef struct side {
    char *at;
    ptrdiff_t row, pixel, channel;
} side;

/* Pixels that follow one another, with their channels in reverse order: RGB and BGR. */
static bool are_swapped(const side *to, const side *from, int channels, ptrdiff_t size)
{
    return to->pixel == channels * size && from->pixel == channels * size && labs(to->channel) == size &&
           from->channel == -to->channel;
}

/* A row of n pixels. */
static void copy_pixels(const side *to, const side *from, int64_t n, int channels, size_t size)
{
    const ptrdiff_t one = (ptrdiff_t)size, last = (channels - 1) * one;
    if (to->pixel == channels * to->channel && from->pixel == channels * from->channel) {
        copy_elements(to->at, to->channel, from->at, from->channel, n * channels, size);
        return;
    }
    if (to->channel == one && from->channel == one) {
        copy_elements(to->at, to->pixel, from->at, from->pixel, n, (size_t)channels * size);
        return;
    }
    int64_t done = 0;
    if (are_swapped(to, from, channels, one))
        done = run_shuffle(swaps, to->channel < 0 ? to->at - last : to->at,
                           from->channel < 0 ? from->at - last : from->at, n, size, channels);
    for (int c = 0; done < n && c < channels; c++)
        copy_elements(to->at + done * to->pixel + c * to->channel, to->pixel,
                      from->at + done * from->pixel + c * from->channel, from->pixel, n - done, size);
}

static side turned(const side *s)
{
    return (side){s->at, s->pixel, s->row, s->channel};
}

/* Of rows and columns, what lies closer together goes first (paths.def: turned). */
static void copy_block(side to, side from, int64_t n, int64_t rows, int channels, size_t size)
{
    if (SAT_PATH(turned) && rows > 1 && (labs(to.row) < labs(to.pixel) || labs(from.row) < labs(from.pixel))) {
        const int64_t columns = n;
        to = turned(&to), from = turned(&from);
        n = rows, rows = columns;
    }
    for (int64_t y = 0; y < rows; y++, to.at += to.row, from.at += from.row) copy_pixels(&to, &from, n, channels, size);
}

static side side_of(const sat_view *v, int64_t x, int64_t y)
{
    return (side){sat_sample_at(v, x, y, 0), v->row_bytes, v->pixel_bytes, v->channel_bytes};
}

static side packed_side(const void *at, size_t pitch, const sat_view *like)
{
    const ptrdiff_t size = (ptrdiff_t)sat_type_bytes(like->type);
    return (side){(char *)(uintptr_t)at, (ptrdiff_t)pitch, like->channels * size, size};
}

void sat_gather(void *to, size_t pitch, const sat_view *from, int64_t x, int64_t n, int64_t y, int64_t rows)
{
    copy_block(packed_side(to, pitch, from), side_of(from, x, y), n, rows, from->channels, sat_type_bytes(from->type));
}

void sat_scatter(const sat_view *to, int64_t x, int64_t n, int64_t y, int64_t rows, const void *from, size_t pitch)
{
    copy_block(side_of(to, x, y), packed_side(from, pitch, to), n, rows, to->channels, sat_type_bytes(to->type));
}

void sat_scatter_zeros(const sat_view *to, int64_t x, int64_t n, int64_t y)
{
    enum { AT_ONCE = 32 };
    static const uint64_t zeros[AT_ONCE * 4] = {0}; /* of pixels of up to four samples of 8 bytes */
    for (int64_t i = 0, left = n; left > 0; i += AT_ONCE, left -= AT_ONCE)
        sat_scatter(to, x + i, left < AT_ONCE ? left : AT_ONCE, y, 1, zeros, 0);
}

void sat_copy_rows(const sat_view *to, const sat_view *from, int64_t y, int64_t rows)
{
    copy_block(side_of(to, 0, y), side_of(from, 0, y), from->width, rows, from->channels, sat_type_bytes(from->type));
}

/* ---- rows, some at a time ------------------------------------------------------------------------------ */

/* Of rows that share a cache line, as many are gathered as it holds and the memory takes (paths.def: rows_together).
 * Rows in that memory begin in different sets of the first-level cache. */
enum { LINE_BYTES = 64, ROWS_BYTES = 1 << 17 };

bool sat_rows_open(sat_rows *r, size_t row_bytes, int64_t height, sat_arena *arena)
{
    *r = (sat_rows){.pitch = (row_bytes + LINE_BYTES - 1) / LINE_BYTES * LINE_BYTES + LINE_BYTES, .most = LINE_BYTES};
    if (r->most > height) r->most = height;
    if (r->most > (int64_t)(ROWS_BYTES / r->pitch)) r->most = (int64_t)(ROWS_BYTES / r->pitch);
    if (r->most < 1) r->most = 1;
    r->data = sat_arena_alloc(arena, (size_t)r->most * r->pitch);
    return r->data != NULL;
}

static int64_t rows_together(const sat_rows *r, const sat_view *v)
{
    const ptrdiff_t apart = labs(v->row_bytes);
    const int64_t shared = SAT_PATH(rows_together) && apart < LINE_BYTES ? LINE_BYTES / apart : 1;
    return shared < r->most ? shared : r->most;
}

const void *sat_row(sat_rows *r, const sat_view *v, int64_t y)
{
    if (!sat_has_gaps(v)) return (const char *)v->data + y * v->row_bytes;
    if (y < r->first || y >= r->first + r->held) {
        const int64_t rows = rows_together(r, v);
        r->first = y - y % rows;
        r->held = v->height - r->first < rows ? v->height - r->first : rows;
        sat_gather(r->data, r->pitch, v, 0, v->width, r->first, r->held);
    }
    return r->data + (size_t)(y - r->first) * r->pitch;
}

void *sat_row_to(sat_rows *r, const sat_view *v, int64_t y)
{
    if (r->held == rows_together(r, v)) sat_rows_end(r, v);
    if (r->held == 0) r->first = y;
    r->held++;
    return r->data + (size_t)(y - r->first) * r->pitch;
}

void sat_rows_end(sat_rows *r, const sat_view *v)
{
    if (r->held > 0) sat_scatter(v, 0, v->width, r->first, r->held, r->data, r->pitch);
    r->held = 0;
}
