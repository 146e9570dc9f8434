/* table_samples.c - checks that a table of other software is one.
 *
 * Its type is known, and its layout comes from the user.  Each four entries give a sample back,
 *
 *     I(x,y) = T(x,y) - T(x-1,y) - T(x,y-1) + T(x-1,y-1),
 *
 * which must lie in the range of the samples' type.  In a picture that is not flat, about every second of these second
 * differences is negative.  For entries of four bytes, which wrap, they are taken modulo 2^32.  So samples of 32 bits
 * of such entries cannot be checked, and neither can floats.
 *
 * Rows are spread over all of the table, and runs of columns over each row, so that few pages are read:
 *
 *     y = 0      ####----####----####      16 runs of 64 columns, or the whole row
 *                ####----####----####      16 rows, more if they are short: 2^14 positions
 *     y = last   ####----####----####
 *
 * The mapped file may change meanwhile: each entry is read once, and any value is safe. */
#include <string.h>

#include "sample_type.h"
#include "table_file.h"

enum { RUN = 64, RUNS = 16, POSITIONS = 1 << 14 };

/* The i-th of n numbers evenly spread from first to last, both among them; n is at most POSITIONS. */
static int64_t spread(int64_t i, int64_t n, int64_t first, int64_t last)
{
    int64_t length = last - first;
    return n < 2 ? first : first + length / (n - 1) * i + length % (n - 1) * i / (n - 1);
}

/* 0 above and to the left of the first. */
static uint64_t entry(const sat_view *v, int64_t x, int64_t y, int c)
{
    size_t bytes = sat_type_bytes(v->type);
    uint64_t wide = 0;
    uint32_t narrow = 0;
    if (x < 0 || y < 0) return 0;
    const char *at = (const char *)v->data + y * v->row_bytes + ((size_t)x * (size_t)v->channels + (size_t)c) * bytes;
    if (bytes == sizeof(narrow))
        memcpy(&narrow, at, sizeof(narrow));
    else
        memcpy(&wide, at, sizeof(wide));
    return bytes == sizeof(narrow) ? narrow : wide;
}

static uint64_t sample_at(const sat_view *v, int64_t x, int64_t y, int c)
{
    uint64_t wide = entry(v, x, y, c) - entry(v, x - 1, y, c) - entry(v, x, y - 1, c) + entry(v, x - 1, y - 1, c);
    return v->type == SAT_I32                            ? (uint64_t)(int32_t)wide
           : sat_type_bytes(v->type) == sizeof(uint32_t) ? (uint32_t)wide
                                                         : wide;
}

static bool refuse(const table_file *file, int64_t x, int64_t y, uint64_t sample, error *err)
{
    const sat_table *t = &file->table;
    bool narrow = sat_type_bytes(t->view.type) == sizeof(uint32_t);
    int64_t border = t->layout == SAT_INCLUSIVE ? 0 : 1;
    return fail(
        err,
        "no %s table of %s samples: the one at %lld,%lld would be %lld; of an image a, a.cumsum(0).cumsum(1) is an "
        "inclusive table",
        sat_layout_name(t->layout), sat_type_name(t->sample), (long long)(x - border), (long long)(y - border),
        narrow ? (long long)(int32_t)sample : (long long)sample);
}

/* The samples of a type are `samples` integers from the lowest on, modulo 2^64; 0 where they are not known. */
static uint64_t samples(sat_type type)
{
    switch (type) {
    case SAT_U8:
    case SAT_I8: return (uint64_t)1 << 8;
    case SAT_U16:
    case SAT_I16: return (uint64_t)1 << 16;
    case SAT_U32:
    case SAT_I32: return (uint64_t)1 << 32;
    default: return 0;
    }
}

static uint64_t lowest_sample(sat_type type)
{
    return is_signed_type(type) ? -(samples(type) / 2) : 0;
}

bool table_file_check_samples(const table_file *file, error *err)
{
    const sat_view *v = &file->table.view;
    const uint64_t lowest = lowest_sample(file->table.sample), count = samples(file->table.sample);
    if (is_float_type(v->type) || v->type == SAT_Q32 || count == 0) return true;

    /* The zeros of the other layouts are checked already. */
    int64_t first = file->table.layout == SAT_INCLUSIVE ? 0 : 1;
    int64_t columns = v->width - first, rows = v->height - first;
    int64_t runs = columns <= RUN * RUNS ? 1 : RUNS, run = columns <= RUN * RUNS ? columns : RUN;
    if (columns < 1 || rows < 1) return true;
    if (rows > POSITIONS / (runs * run)) rows = POSITIONS / (runs * run);
    for (int64_t i = 0; i < rows * runs; i++) {
        int64_t y = spread(i / runs, rows, first, v->height - 1), x = spread(i % runs, runs, first, v->width - run);
        for (int64_t end = x + run; x < end; x++)
            for (int c = 0; c < v->channels; c++) {
                uint64_t sample = sample_at(v, x, y, c);
                if (sample - lowest >= count) return refuse(file, x, y, sample, err);
            }
    }
    return true;
}
