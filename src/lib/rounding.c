/* rounding.c - when a table of floats rounds, and by how much; and when it holds no sums any more.
 *
 * Floats of p bits, p = 24 or 53, hold all integers up to 2^p, and no entry of a table exceeds the last one.  Beyond
 * that an addition is off by at most u = 2^-p of its result.  At most n = width + height of them lead to an entry, so
 * that it is off by at most g * S, S the sum of the image, g = n u / (1 - n u) (N. J. Higham, The accuracy of floating
 * point summation, 1993).  S is at most the last entry / (1 - g).  A rectangle takes four entries, and three more
 * roundings of numbers below 2 S: 4 g S + 6 u S, and a little.
 *
 * A square of 32 bits may be rounded before it is added: one step more.
 *
 * Signed samples cancel each other, so that the last entry bounds nothing.  For them S is the sum of the magnitudes: of
 * the image where there is one, and else at most 2^(b-1) for each pixel.
 *
 * An entry that is inf or nan stays one in all that are summed from it: those below and to the right.  So the last row
 * has one in each column that has one. */
#include <math.h>

#include "samples.h"
#include "sat_query.h"
#include "sized.h"
#include "status.h"

static double entry_at(const sat_view *v, int64_t x, int c)
{
    return sat_sample_value(v->type, sat_sample_in(v, 0, x, v->height - 1, c));
}

static bool lost_at(const sat_view *v, int64_t x)
{
    bool lost = false;
    for (int c = 0; c < v->channels; c++) lost = lost || !isfinite(entry_at(v, x, c));
    return lost;
}

static double largest_entry(const sat_view *v)
{
    double largest = 0;
    for (int c = 0; c < v->channels; c++) largest = fmax(largest, entry_at(v, v->width - 1, c));
    return largest;
}

/* The sum of one channel's magnitudes in an image of signed samples; at least 1. */
static double sum_of_magnitudes(const sat_view *v)
{
    double sums[4] = {0}, largest = 1;
    for (int64_t y = 0; y < v->height; y++)
        for (int64_t x = 0; x < v->width; x++)
            for (int c = 0; c < v->channels; c++)
                sums[c] += fabs(sat_sample_value(v->type, sat_sample_in(v, 0, x, y, c)));
    for (int c = 0; c < v->channels; c++) largest = fmax(largest, sums[c]);
    return largest;
}

static sat_status check(const sat_table *t, int64_t height, const sat_view *image)
{
    const int64_t width = t->view.width - (t->layout == SAT_PADDED);
    if (!sat_is_float(t->view.type))
        return sat_fail(SAT_ERR_TYPE, "table: sums of %s are not rounded; those of f32 and f64 are",
                        sat_type_name(t->view.type));
    const int power = t->power ? t->power : 1;
    if (!sat_is_power(power) || !sat_power_combines(t->sample, power, t->view.type))
        return sat_fail(SAT_ERR_TYPE, "there is no %s table of %s samples", sat_type_name(t->view.type),
                        sat_type_name(t->sample));
    if (height < 1 || height > SAT_MAX_SIDE || width < 1)
        return sat_fail(SAT_ERR_SHAPE, "a table of an image of shape (%lld, %lld)", (long long)height,
                        (long long)width);
    if (image && (image->width != width || image->height != height || image->type != t->sample ||
                  image->channels != t->view.channels || image->count != 1))
        return sat_fail(SAT_ERR_SHAPE, "image: it is not what the table sums");
    return SAT_OK;
}

static void bound(const sat_table *t, int64_t height, const sat_view *image, sat_rounding *r)
{
    const int64_t width = t->view.width - (t->layout == SAT_PADDED);
    const int bits = 8 * (int)sat_type_bytes(t->sample);
    r->exact = t->view.type == SAT_F32 ? 0x1p24 : 0x1p53;
    r->error = NAN;
    const bool counts = t->power == SAT_COUNTS;
    if (!counts && sat_is_float(t->sample)) return;
    const bool negative = !counts && t->power != 2 && sat_is_signed(t->sample);
    r->by_type = negative && image == NULL;
    r->largest = r->by_type ? ldexp((double)width * (double)height, bits - 1)
                 : negative ? sum_of_magnitudes(image)
                            : largest_entry(&t->view);
    const double squared = t->power == 2 && bits == 32; /* a square is rounded, too */
    const double steps = ((double)width + (double)height + squared) / r->exact, off = steps / (1 - steps);
    if (r->largest >= r->exact)
        r->error = steps > 0.25 ? INFINITY : (4 * off + 8 / r->exact) * r->largest / (1 - off);
    else if (r->largest < r->exact)
        r->error = 0;
}

sat_status sat_table_rounding_sized(const sat_table *given, int64_t height, const sat_view *given_image,
                                    sat_rounding *out, size_t table_bytes, size_t rounding_bytes)
{
    sat_table t;
    sat_view image;
    sat_rounding r = {.lost_x = -1};
    if (out == NULL) return sat_fail(SAT_ERR_ARGUMENT, "no place for the rounding");
    sat_status status = sat_take_struct(&t, sizeof t, given, table_bytes, "table");
    if (status == SAT_OK) status = sat_take_view(&t.view, &t.view, "table");
    if (status == SAT_OK && t.view.memory == SAT_DEVICE)
        status = sat_fail(SAT_ERR_UNAVAILABLE, "table: lies in device memory");
    if (status == SAT_OK && given_image) status = sat_take_samples(&image, given_image, "image");
    if (status == SAT_OK) status = check(&t, height, given_image ? &image : NULL);
    if (status != SAT_OK) return status;
    if (lost_at(&t.view, t.view.width - 1)) {
        int64_t x = 0;
        while (!lost_at(&t.view, x)) x++;
        r.lost_x = x - (t.layout != SAT_INCLUSIVE);
    }
    bound(&t, height, given_image ? &image : NULL, &r);
    sat_give_struct(out, rounding_bytes, &r, sizeof r);
    return SAT_OK;
}
