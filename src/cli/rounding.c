/* rounding.c - whether a table rounds, and what is said of it. */
#include "rounding.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "messages.h"
#include "sample_type.h"
#include "sat_image.h"
#include "sat_query.h"

enum { ROUNDING_TEXT_BYTES = 240 };

static bool is_rounded(char text[ROUNDING_TEXT_BYTES], const sat_table *t, int64_t height, const sat_rounding *r)
{
    const int64_t width = t->view.width - (t->layout == SAT_PADDED);
    const bool negative = t->power != 2 && is_signed_type(t->sample);
    if (!(r->error > 0)) return false;
    const sat_type narrowest = sat_accum_for(t->sample, width * height); /* that answers all rectangles */
    const bool narrow = sat_type_bytes(narrowest) == 4;
    char way[64] = "`sat query` of the image itself is exact"; /* no integers hold sums of squares of 32 bits */
    if (t->power != 2 || sat_type_bytes(t->sample) < 4)
        snprintf(way, sizeof way, "--type %s%si64 make%s exact table%s", narrow ? sat_type_name(narrowest) : "",
                 narrow ? " and " : "", narrow ? "" : "s an", narrow ? "s" : "");
    snprintf(text, ROUNDING_TEXT_BYTES,
             "its sums%s can be rounded: %s %.15g, and %s is exact below %.0f; a rectangle's may be off by %.15g; %s",
             t->power == 2 ? " of squares" : "",
             r->by_type ? "of such samples they may reach"
             : negative ? "they may reach"
                        : "they reach",
             r->largest, sat_type_name(t->view.type), r->exact, ceil(r->error), way);
    return true;
}

static bool has_lost_samples(const sat_view *image)
{
    double low, high;
    return is_float_type(image->type) && sat_image_range(image, 0, &low, &high) == SAT_ERR_RANGE;
}

static bool one_text(char text[ROUNDING_TEXT_BYTES], const sat_table *t, int64_t height, const sat_view *image)
{
    sat_rounding r;
    const sat_type type = t->view.type;
    if (!is_float_type(type) || sat_table_rounding(t, height, image, &r) != SAT_OK) return false;
    if (r.lost_x < 0) return is_rounded(text, t, height, &r);
    const bool wider = type == SAT_F32 && t->power != 2 && image && !has_lost_samples(image);
    snprintf(text, ROUNDING_TEXT_BYTES,
             "its sums are inf or nan from column %lld on, and rectangles that need them have no answer; %s",
             (long long)r.lost_x,
             wider ? "--type f64 holds these sums" : "`sat query` of the image itself sums what lies in a rectangle");
    return true;
}

static bool rounding_text(char text[ROUNDING_TEXT_BYTES], const sat_table *t, int64_t height, const sat_view *image)
{
    sat_table one = *t;
    for (int64_t i = 0; i == 0 || i < t->view.count; i++) {
        const sat_view plane = image ? sat_view_image(image, i) : t->view;
        one.view = sat_view_image(&t->view, i);
        if (one_text(text, &one, height, image ? &plane : NULL)) return true;
    }
    return false;
}

void rounding_say(const char *name, const sat_table *sums, const sat_table *squares, int64_t height,
                  const sat_view *image)
{
    char text[ROUNDING_TEXT_BYTES], first[ROUNDING_TEXT_BYTES] = "";
    if (rounding_text(first, sums, height, image)) say(name, "%s", first);
    if (squares->view.data && rounding_text(text, squares, height, NULL) && strcmp(text, first) != 0)
        say(name, "%s", text);
}
