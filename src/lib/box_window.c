/* box_window.c - a box filter's spec, checked, and the window that follows from it. */
#include <math.h>
#include <stdio.h>

#include "backend.h"
#include "pool.h"
#include "shape.h"
#include "sized.h"
#include "box_window.h"

enum { SIDE_MAX = INT32_MAX };

sat_box_runs *sat_axis_runs(const sat_axis *axis, sat_arena *arena)
{
    size_t bytes;
    sat_box_runs *runs = sat_mul((size_t)axis->n, sizeof *runs, &bytes) ? sat_arena_alloc(arena, bytes) : NULL;
    if (runs == NULL) {
        (void)sat_fail(SAT_ERR_MEMORY, "out of memory for the windows of %lld positions", (long long)axis->n);
        return NULL;
    }
    for (int64_t i = 0; i < axis->n; i++) {
        runs[i] = (sat_box_runs){0};
        runs[i].count = sat_axis_segments(axis, i, runs[i].runs, &runs[i].covered);
    }
    return runs;
}

static sat_type larger(sat_type a, sat_type b)
{
    return sat_type_bytes(a) < sat_type_bytes(b) ? b : a;
}

static void take_integers(const sat_box_spec *s, sat_box_window *w)
{
    for (int c = 0; c < s->channels; c++) w->value[c] = (uint64_t)(int64_t)s->border_value[c];
    for (int c = 0; s->weighted_alpha && c < s->channels - 1; c++) w->value[c] *= w->value[s->channels - 1];
}

sat_status sat_box_window_of(const sat_box_spec *s, sat_box_window *w)
{
    *w = (sat_box_window){.border = sat_border_find(s->border)};
    if (w->border == NULL) return sat_fail(SAT_ERR_ARGUMENT, "no border mode is called '%s'", s->border);
    sat_status status = sat_check_sample(s->sample);
    if (status != SAT_OK) return status;
    if (s->result != SAT_TYPE_NONE && s->result != s->sample && !sat_is_float(s->result))
        return sat_fail(SAT_ERR_TYPE, "results of type %s from %s samples; %s%s are possible", sat_type_name(s->result),
                        sat_type_name(s->sample), sat_is_float(s->sample) ? "" : sat_type_name(s->sample),
                        sat_is_float(s->sample) ? "f32 and f64" : ", f32 and f64");
    if (s->weighted_alpha && s->channels % 2 != 0)
        return sat_fail(SAT_ERR_ARGUMENT, "weights from alpha need 2 or 4 channels, not %d", s->channels);
    if (s->window_width < 1 || s->window_height < 1 || s->window_width > SIDE_MAX || s->window_height > SIDE_MAX)
        return sat_fail(SAT_ERR_ARGUMENT, "a window %lld wide and %lld high; sides from 1 to 2^31 - 1 are possible",
                        (long long)s->window_width, (long long)s->window_height);
    status = sat_border_check_values(w->border, s->sample, s->channels, s->border_value);
    if (status != SAT_OK) return status;
    if (s->anchor != SAT_ANCHOR_SECOND && s->anchor != SAT_ANCHOR_FIRST)
        return sat_fail(SAT_ERR_ARGUMENT, "unknown anchor");
    status = sat_check_reserved(s->reserved, sizeof s->reserved);
    if (status == SAT_OK) status = sat_check_reserved(&s->reserved_word, sizeof s->reserved_word);
    if (status == SAT_OK)
        status = sat_check_images(s->width, s->height, s->count, s->channels, larger(s->sample, s->result));
    if (status != SAT_OK) return status;
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
    w->is_signed = sat_is_signed(s->sample);
    w->largest = sat_sample_max(s->sample) + w->is_signed;
    w->alpha = s->weighted_alpha ? w->largest : 1;
    w->largest *= w->alpha;
    if (s->weighted_alpha && sat_type_bytes(s->sample) > 2)
        return sat_fail(SAT_ERR_RANGE, "sums of %s samples, each times its alpha, do not fit 64 bits",
                        sat_type_name(s->sample));
    if (!sat_box_window_fits(w, 64))
        return sat_fail(SAT_ERR_RANGE, "a window %lld wide and %lld high: the sum of its %s samples%s could exceed %s",
                        (long long)s->window_width, (long long)s->window_height, sat_type_name(s->sample),
                        s->weighted_alpha ? ", each times its alpha," : "", w->is_signed ? "2^63" : "2^64");
    w->accum = sat_box_window_fits(w, 32) ? SAT_U32 : SAT_U64;
    if (w->border->takes_value) take_integers(s, w);
    return SAT_OK;
}

void sat_box_window_note(const sat_box_window *w, char *note, size_t note_bytes)
{
    if (w->accum == SAT_F64)
        snprintf(note, note_bytes, ", f64 sums");
    else
        snprintf(note, note_bytes, ", %s sums (%lld pixels of at most %llu%s)", sat_type_name(w->accum),
                 (long long)w->area_px, (unsigned long long)w->largest, w->is_signed ? " in magnitude" : "");
}

/* An integer of 64 bits as the sum of two doubles: high is the nearest double, low what it is wrong by (Dekker 1971,
 * Fast2Sum: the upper half is zero or larger than the lower one). */
typedef struct two_parts {
    double high, low;
} two_parts;

static two_parts parts_of(uint64_t n, bool is_signed)
{
    const double upper = (is_signed ? (double)((int64_t)n >> 32) : (double)(n >> 32)) * 0x1p32;
    const double lower = (double)(n & UINT32_MAX);
    const double high = upper + lower;
    return (two_parts){high, lower - (high - upper)};
}

/* q is the quotient of the nearest doubles; the fused product gives the rest exactly.  The second quotient is what q
 * is wrong by, at most 2 units of its last place (ulp), with an error of 2^-52 of itself.  A quotient of two integers
 * that lies between two doubles is exactly their middle or at least ulp / (2 * by) from it.  In the middle, the second
 * quotient is exact, and the sum rounds to even.  Elsewhere its error is too small to matter: 2^-51 ulp, and
 * by < 2^48. */
double sat_real_quotient(uint64_t sum, uint64_t by, bool is_signed)
{
    if (by == 0) return 0;
    const two_parts s = parts_of(sum, is_signed);
    const double d = parts_of(by, is_signed).high, q = s.high / d;
    return q + (fma(-q, d, s.high) + s.low) / d;
}
