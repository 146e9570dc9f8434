/* rounding.c - when a table of floats rounds, and by how much.
 *
 * Floats of p bits, p = 24 or 53, hold all integers up to 2^p, and no entry of a table exceeds the last one.  Beyond
 * that an addition is off by at most u = 2^-p of its result.  At most n = width + height of them lead to an entry, so
 * that it is off by at most g * S, S the sum of the image, g = n u / (1 - n u) (N. J. Higham, The accuracy of floating
 * point summation, 1993).  S is at most the last entry / (1 - g).  A rectangle takes four entries, and three more
 * roundings of numbers below 2 S: 4 g S + 6 u S, and a little.
 *
 * Signed samples cancel each other, so that the last entry bounds nothing.  For them S is the sum of the magnitudes, at
 * most 2^(b-1) for each pixel. */
#include "rounding.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "sample_type.h"

double rounding_largest(const sat_view *v)
{
    const char *row = (const char *)v->data + (size_t)(v->height - 1) * v->row_bytes;
    const char *last = row + (size_t)(v->width - 1) * (size_t)v->channels * sat_type_bytes(v->type);
    double largest = 0;
    for (int c = 0; c < v->channels; c++) {
        float narrow;
        double wide;
        if (v->type == SAT_F32) {
            memcpy(&narrow, last + (size_t)c * sizeof narrow, sizeof narrow);
            wide = (double)narrow;
        } else {
            memcpy(&wide, last + (size_t)c * sizeof wide, sizeof wide);
        }
        if (wide > largest) largest = wide;
    }
    return largest;
}

bool rounding_text(char text[ROUNDING_TEXT_BYTES], sat_type table, sat_type sample, int64_t width, int64_t height,
                   double largest)
{
    const int bits = 8 * (int)sat_type_bytes(sample);
    const bool negative = is_signed_type(sample);
    if (is_float_type(sample) || sample == SAT_TYPE_NONE || !is_float_type(table)) return false;
    double exact = table == SAT_F32 ? 0x1p24 : 0x1p53, steps = ((double)width + (double)height) / exact;
    if (negative) largest = ldexp((double)width * (double)height, bits - 1);
    if (!(largest >= exact)) return false;
    double off = steps / (1 - steps), bound = (4 * off + 8 / exact) * largest / (1 - off);
    if (steps > 0.25) bound = INFINITY;
    snprintf(text, ROUNDING_TEXT_BYTES,
             "its sums can be rounded: they %s %.15g, and %s is exact below %.0f; a rectangle's may be off by "
             "%.15g; --type %s and i64 make exact tables",
             negative ? "may reach" : "reach", largest, sat_type_name(table), exact, ceil(bound),
             negative ? "i32" : "u32");
    return true;
}
