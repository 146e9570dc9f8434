/* window.c - a box filter's spec, checked, and the window that follows from it. */
#include <math.h>
#include <stdio.h>

#include "backend.h"
#include "pool.h"
#include "shape.h"
#include "sized.h"
#include "window.h"

enum { SIDE_MAX = INT32_MAX };

static sat_status integer_values(const sat_box_spec *s, sat_window *w)
{
    uint64_t largest = sat_sample_max(s->sample);
    for (int c = 0; c < s->channels; c++) {
        double v = s->border_value[c];
        if (!(v >= 0 && v <= (double)largest && v == floor(v)))
            return sat_fail(SAT_ERR_ARGUMENT, "a border value of %g; %s samples take integers from 0 to %llu", v,
                            sat_type_name(s->sample), (unsigned long long)largest);
        w->value[c] = (uint64_t)v;
    }
    for (int c = 0; s->weighted_alpha && c < s->channels - 1; c++) w->value[c] *= w->value[s->channels - 1];
    return SAT_OK;
}

sat_status sat_window_of(const sat_box_spec *s, sat_window *w)
{
    *w = (sat_window){.border = sat_border_find(s->border)};
    if (w->border == NULL) return sat_fail(SAT_ERR_ARGUMENT, "no border mode is called '%s'", s->border);
    sat_status status = sat_check_job(s->width, s->height, s->count, s->channels, s->threads);
    if (status != SAT_OK) return status;
    if (s->sample != SAT_U8 && s->sample != SAT_U16 && !sat_is_float(s->sample))
        return sat_fail(SAT_ERR_TYPE, "samples of type %s cannot be filtered", sat_type_name(s->sample));
    if (s->weighted_alpha && s->channels % 2 != 0)
        return sat_fail(SAT_ERR_ARGUMENT, "weights from alpha need 2 or 4 channels, not %d", s->channels);
    if (s->window_width < 1 || s->window_height < 1 || s->window_width > SIDE_MAX || s->window_height > SIDE_MAX)
        return sat_fail(SAT_ERR_ARGUMENT, "a window of %lldx%lld; sides from 1 to 2^31 - 1 are possible",
                        (long long)s->window_width, (long long)s->window_height);
    if (s->anchor != SAT_ANCHOR_SECOND && s->anchor != SAT_ANCHOR_FIRST)
        return sat_fail(SAT_ERR_ARGUMENT, "unknown anchor");
    status = sat_check_reserved(s->reserved, sizeof s->reserved);
    if (status == SAT_OK) status = sat_check_executor(s->executor);
    if (status != SAT_OK) return status;
    size_t bytes = sat_row_bytes(s->width, s->channels, s->sample);
    if (!sat_mul(bytes, (size_t)s->height, &bytes) || !sat_mul(bytes, (size_t)s->count, &bytes) || bytes > PTRDIFF_MAX)
        return sat_fail(SAT_ERR_SHAPE, "%lld images of %lldx%lld are larger than the address space",
                        (long long)s->count, (long long)s->width, (long long)s->height);
    w->x = sat_axis_of(w->border, s->width, s->window_width, s->anchor);
    w->y = sat_axis_of(w->border, s->height, s->window_height, s->anchor);
    int64_t width = s->window_width, height = s->window_height;
    if (w->border->shrinks && width > s->width) width = s->width;
    if (w->border->shrinks && height > s->height) height = s->height;
    w->area_px = sat_area(width, height);
    if (sat_is_float(s->sample)) {
        w->accum = SAT_F64;
        for (int c = 0; c < s->channels; c++) {
            bool colour = s->weighted_alpha && c < s->channels - 1;
            w->real_value[c] = s->border_value[c] * (colour ? s->border_value[s->channels - 1] : 1);
        }
        return SAT_OK;
    }
    w->largest = sat_sample_max(s->sample);
    if (s->weighted_alpha) w->largest *= w->largest;
    if (!sat_window_fits(w, s->weighted_alpha ? sat_sample_max(s->sample) : 1, 64))
        return sat_fail(SAT_ERR_RANGE, "a window of %lldx%lld: the sum of its %s samples%s could exceed 2^64",
                        (long long)s->window_width, (long long)s->window_height, sat_type_name(s->sample),
                        s->weighted_alpha ? ", each times its alpha," : "");
    w->accum = sat_window_fits(w, s->weighted_alpha ? sat_sample_max(s->sample) : 1, 32) ? SAT_U32 : SAT_U64;
    return w->border->takes_value ? integer_values(s, w) : SAT_OK;
}

void sat_window_note(const sat_window *w, char *note, size_t note_bytes)
{
    if (w->accum == SAT_F64)
        snprintf(note, note_bytes, ", f64 sums");
    else
        snprintf(note, note_bytes, ", %s sums (%lld pixels of at most %llu)", sat_type_name(w->accum),
                 (long long)w->area_px, (unsigned long long)w->largest);
}
