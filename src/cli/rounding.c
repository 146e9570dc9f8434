/* rounding.c - when a table of floats rounds, and by how much; and when it holds no sums any more.
 *
 * Floats of p bits, p = 24 or 53, hold all integers up to 2^p, and no entry of a table exceeds the last one.  Beyond
 * that an addition is off by at most u = 2^-p of its result.  At most n = width + height of them lead to an entry, so
 * that it is off by at most g * S, S the sum of the image, g = n u / (1 - n u) (N. J. Higham, The accuracy of floating
 * point summation, 1993).  S is at most the last entry / (1 - g).  A rectangle takes four entries, and three more
 * roundings of numbers below 2 S: 4 g S + 6 u S, and a little.
 *
 * Signed samples cancel each other, so that the last entry bounds nothing.  For them S is the sum of the magnitudes: of
 * the image where there is one, and else at most 2^(b-1) for each pixel.
 *
 * An entry that is inf or nan stays one in all that are summed from it: those below and to the right.  So the last row
 * has one in each column that has one. */
#include "rounding.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "sample_type.h"

/* Entry i of a row, which may have gaps between its pixels. */
static double entry_at(const sat_view *v, const char *row, int64_t i)
{
    const ptrdiff_t bytes = (ptrdiff_t)sat_type_bytes(v->type), packed = v->channels * bytes;
    const char *pixel = row + (i / v->channels) * (v->pixel_bytes ? v->pixel_bytes : packed);
    const char *at = pixel + (i % v->channels) * bytes;
    float narrow;
    double wide;
    if (v->type == SAT_F32) {
        memcpy(&narrow, at, sizeof narrow);
        return (double)narrow;
    }
    memcpy(&wide, at, sizeof wide);
    return wide;
}

static const char *last_row(const sat_view *v)
{
    return (const char *)v->data + (v->height - 1) * v->row_bytes;
}

double rounding_largest(const sat_view *v)
{
    double largest = 0;
    for (int c = 0; c < v->channels; c++)
        largest = fmax(largest, entry_at(v, last_row(v), (v->width - 1) * v->channels + c));
    return largest;
}

static double magnitude_at(const sat_view *v, const void *row, int64_t i)
{
    switch (v->type) {
    case SAT_I8: return fabs((double)((const int8_t *)row)[i]);
    case SAT_I16: return fabs((double)((const int16_t *)row)[i]);
    default: return fabs((double)((const int32_t *)row)[i]);
    }
}

double rounding_magnitude(const sat_view *v)
{
    double sums[4] = {0}, largest = 1;
    for (int64_t y = 0; y < v->height; y++) {
        const char *row = (const char *)v->data + y * v->row_bytes;
        for (int64_t x = 0; x < v->width; x++)
            for (int c = 0; c < v->channels; c++) sums[c] += magnitude_at(v, row, x * v->channels + c);
    }
    for (int c = 0; c < v->channels; c++) largest = fmax(largest, sums[c]);
    return largest;
}

bool rounding_text(char text[ROUNDING_TEXT_BYTES], int power, sat_type table, sat_type sample, int64_t width,
                   int64_t height, double largest)
{
    const int bits = 8 * (int)sat_type_bytes(sample);
    const bool negative = power == 1 && is_signed_type(sample), by_type = negative && largest == 0;
    if (is_float_type(sample) || sample == SAT_TYPE_NONE || !is_float_type(table)) return false;
    if (power == 2 && bits == 32) return false; /* the squares themselves are rounded, as asked for */
    double exact = table == SAT_F32 ? 0x1p24 : 0x1p53, steps = ((double)width + (double)height) / exact;
    if (by_type) largest = ldexp((double)width * (double)height, bits - 1);
    if (!(largest >= exact)) return false;
    double off = steps / (1 - steps), bound = (4 * off + 8 / exact) * largest / (1 - off);
    if (steps > 0.25) bound = INFINITY;
    const sat_type narrowest = sat_accum_for(sample, width * height); /* that answers all rectangles */
    const bool narrow = sat_type_bytes(narrowest) == 4;
    snprintf(text, ROUNDING_TEXT_BYTES,
             "its sums%s can be rounded: %s %.15g, and %s is exact below %.0f; a rectangle's may be off by %.15g; "
             "--type %s%si64 make%s exact table%s",
             power == 2 ? " of squares" : "",
             by_type    ? "of such samples they may reach"
             : negative ? "they may reach"
                        : "they reach",
             largest, sat_type_name(table), exact, ceil(bound), narrow ? sat_type_name(narrowest) : "",
             narrow ? " and " : "", narrow ? "" : "s an", narrow ? "s" : "");
    return true;
}

static bool has_lost_samples(const sat_view *v)
{
    for (int64_t y = 0; y < v->height; y++)
        for (int64_t i = 0; i < v->width * v->channels; i++)
            if (!isfinite(entry_at(v, (const char *)v->data + y * v->row_bytes, i))) return true;
    return false;
}

bool rounding_lost_text(char text[ROUNDING_TEXT_BYTES], const sat_view *v, bool padded, const sat_view *image)
{
    const char *row = last_row(v);
    const int64_t n = v->width * v->channels;
    int64_t i = n - v->channels; /* of the last pixel, which sums all */
    bool lost = false;
    for (; i < n && !lost; i++) lost = !isfinite(entry_at(v, row, i));
    if (!lost) return false;
    for (i = 0; isfinite(entry_at(v, row, i));) i++;
    const bool wider = v->type == SAT_F32 && image && !(is_float_type(image->type) && has_lost_samples(image));
    snprintf(text, ROUNDING_TEXT_BYTES,
             "its sums are inf or nan from column %lld on, and rectangles that need them have no answer; %s",
             (long long)(i / v->channels - padded),
             wider ? "--type f64 holds these sums" : "`sat query` of the image itself sums what lies in a rectangle");
    return true;
}
