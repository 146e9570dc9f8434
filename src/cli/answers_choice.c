/* answers_choice.c - a table or the pixels?
 *
 * Where all rectangles are known, the library sums them from the pixels, and makes tables of a few rows at a time where
 * these cost less (rects_table.h).  Where they are not known beforehand (a stream, or a file of more than a chunk),
 * they may be any number, and a table of the whole image is made if it fits; and where there is one for every few
 * pixels.
 *
 * Sums of integers, and what follows from them, are exact both ways: the same bits.  Floats are always summed from the
 * pixels: the difference of two large sums has lost what is small beside them, and one NaN is in every sum behind it.
 * So are squares of integers of 32 bits, which no table holds exactly, and images some of whose samples do not count.
 *
 * A line says so where a table would answer rectangles of floats much faster.  Both ways compute little for each byte,
 * so their cost is the bytes that go between the processor and memory.
 *
 *   pixels   each rectangle's rows, a line of a cache at least, for each channel, once for each sum that is asked for
 *   table    the image, and three times the table: cleared by the system when its pages are touched first, read into
 *            the caches before it is written, and written; twice for sums and squares
 *   both     four lines of a cache for each rectangle: its corners in a table, or what it takes to begin with its
 *            pixels */
#include "answers_choice.h"

#include "memory.h"
#include "messages.h"
#include "sample_type.h"
#include "sat_bytes.h"

enum { CORNERS = 4, TABLE_TIMES = 3, DENSE_PX = 128 /* of the image, for each rectangle */ };

/* Of floats. */
static double moved_by_pixels(const answers_ask *ask, const rects_load *load, const image_shape *shape)
{
    return load->bytes * shape_bands(shape) * (1 + 2 * ask->variances + ask->roots) +
           load->n * CORNERS * RECTS_LINE_BYTES;
}

static double moved_by_table(const rects_load *load, const image_shape *shape, bool squares, uint64_t table_bytes)
{
    const double image_bytes =
        (double)shape->width * (double)shape->height * (double)shape_bands(shape) * (double)sat_type_bytes(shape->type);
    return (1 + squares) * (image_bytes + load->n * CORNERS * RECTS_LINE_BYTES) + TABLE_TIMES * (double)table_bytes;
}

/* Bytes of the tables; UINT64_MAX: more than can be. */
static uint64_t bytes_of(const image_shape *shape, sat_type accum, bool squares)
{
    uint64_t bytes = sat_row_bytes(shape->width + 1, shape->channels, accum ? accum : SAT_I64);
    if (squares) bytes += sat_row_bytes(shape->width + 1, shape->channels, SAT_U64);
    const uint64_t planes = shape->planes > 1 ? (uint64_t)shape->planes : 1;
    return bytes == 0 || __builtin_mul_overflow(bytes, (uint64_t)shape->height + 1, &bytes) ||
                   __builtin_mul_overflow(bytes, planes, &bytes)
               ? UINT64_MAX
               : bytes;
}

sat_plan_spec answers_plan_spec(const answers_ask *ask, const image_shape *shape, sat_type accum, int power)
{
    return (sat_plan_spec){.width = shape->width,
                           .height = shape->height,
                           .channels = shape->channels,
                           .count = shape->planes,
                           .sample = shape->type,
                           .accum = power == 1 ? accum : SAT_TYPE_NONE,
                           .power = power,
                           .layout = SAT_PADDED,
                           .backend = ask->backend,
                           .threads = ask->threads};
}

/* What a plan takes besides; one after the other makes the tables. */
static uint64_t plan_bytes(const answers_ask *ask, const image_shape *shape, sat_type accum, bool squares)
{
    uint64_t most = 0;
    for (int power = 1; power <= 1 + squares; power++) {
        const sat_plan_spec spec = answers_plan_spec(ask, shape, accum, power);
        sat_bytes bytes;
        const sat_status status = sat_plan_bytes(&spec, &bytes);
        if (status != SAT_OK && status != SAT_ERR_MEMORY) continue; /* refused when it is made */
        if ((uint64_t)bytes.host + bytes.pinned > most) most = (uint64_t)bytes.host + bytes.pinned;
    }
    return most;
}

answers_choice answers_choose(const answers_ask *ask, const rects *from, const image_shape *shape)
{
    const bool asked = ask->variances || ask->roots, forced = ask->backend && !ask->holes;
    const size_t pixel_bytes = (size_t)shape->channels * sat_type_bytes(shape->type); /* of a plane */
    const double most = (double)rects_at_once(shape_bands(shape));
    rects_load load = {.n = 0};
    answers_choice c = {.forced = forced,
                        .known = rects_load_of(from, shape->width, shape->height, pixel_bytes, &load)};
    const bool exact = ask->holes || is_float_type(shape->type) || (asked && sat_type_bytes(shape->type) == 4);
    const bool squares = asked && !exact;
    c.one_chunk = c.known && load.n <= most && !load.mixed;
    c.image_bytes =
        (double)shape->width * (double)shape->height * (double)shape_bands(shape) * (double)sat_type_bytes(shape->type);
    c.answers_bytes =
        (c.known && load.n < most ? load.n : most) * ((double)ask->answer_bytes * shape_bands(shape) + sizeof(double));
    c.largest_px = c.known ? load.largest_px : shape->width * shape->height;
    c.accum = sat_accum_for(shape->type, c.largest_px);
    c.table_bytes = bytes_of(shape, c.accum, squares);
    c.dense = c.known && load.n > RECTS_CHUNK && load.n * DENSE_PX > (double)shape->width * (double)shape->height;
    c.table = forced || (!exact && (!c.known || c.dense));
    if (c.table && c.table_bytes != UINT64_MAX) c.table_bytes += plan_bytes(ask, shape, c.accum, squares);
    c.too_large =
        c.table && !forced && (double)c.table_bytes + c.image_bytes + c.answers_bytes > (double)memory_limit();
    c.table = c.table && !c.too_large;
    c.pixels = exact || !c.table;
    return c;
}

bool answers_table_pays(const answers_ask *ask, const rects_load *load, const image_shape *shape)
{
    static const double worth_a_command = 1 << 30, far_less = 4;
    const bool squares = ask->variances || ask->roots;
    const double pixels = moved_by_pixels(ask, load, shape),
                 table = moved_by_table(load, shape, squares, bytes_of(shape, SAT_F64, squares));
    return is_float_type(shape->type) && pixels > worth_a_command && pixels > far_less * table;
}

void answers_choice_say(const answers_choice *c, const char *input)
{
    char table[32];
    if (c->too_large)
        say(input,
            "no table is made: the rectangles are summed from the pixels, as a table of %s is beyond --max-memory",
            size_text(table, (double)c->table_bytes));
    else if (!c->table)
        say(input, "no table is made: the rectangles are summed from the pixels");
}
