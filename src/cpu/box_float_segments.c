/* box_float_segments.c - windows that reach beyond the image by many times its size, in a mode that repeats samples:
 * the sums of the segments that the mode makes of each, as the definition has it. */
#include <string.h>

#include "box_float_segments.h"
#include "shape.h"

static double as_double(const sat_view *v, const void *sample)
{
    return v->type == SAT_F64 ? *(const double *)sample : (double)*(const float *)sample;
}

/* The samples of a row that the source holds, times alpha where colours are weighted. */
static void load(const sat_float_part *p, int64_t y)
{
    const sat_float_box *f = p->f;
    const int channels = f->spec.channels, alpha = channels - 1;
    for (int64_t x = p->run->held.first; x < p->run->held.end; x++) {
        double *out = p->w->windows + (x + f->spec.width) % f->spec.width * channels;
        for (int c = alpha; c >= 0; c--)
            out[c] = as_double(p->src, sat_sample_at(p->src, x, y, c)) *
                     (f->spec.weighted_alpha && c < alpha ? out[alpha] : 1);
    }
}

void sat_float_row_by_segments(const sat_float_part *p)
{
    const sat_float_box *f = p->f;
    const sat_float_worker *w = p->w;
    const sat_view *dst = p->dst;
    const int64_t y = p->y;
    const int channels = f->spec.channels, alpha = channels - 1;
    const int64_t samples = f->spec.width * channels;
    int64_t covered;
    double summed = 0; /* samples since the run was last asked whether it goes on */
    sat_segment segments[SAT_SEGMENTS];
    int count = sat_axis_segments(&f->window.y, y, segments, &covered);
    memset(w->columns, 0, (size_t)samples * sizeof *w->columns);
    for (int s = 0; s < count; s++)
        for (int64_t r = segments[s].begin; r < segments[s].end; r++) {
            if (!sat_goes_on(p->run, p->worker, (double)samples / SAT_FLOATS_PER_US)) return;
            load(p, sat_source_row(p->run, r));
            for (int64_t i = 0; i < samples; i++) w->columns[i] += (double)segments[s].weight * w->windows[i];
        }
    for (int64_t x = p->run->made.first; x < p->run->made.end; x++) {
        double sum[4] = {0};
        if (!sat_goes_on(p->run, p->worker, summed / SAT_FLOATS_PER_US)) return;
        summed = channels;
        count = sat_axis_segments(&f->window.x, x, segments, &covered);
        for (int s = 0; s < count; summed += (double)((segments[s].end - segments[s].begin) * channels), s++)
            for (int64_t i = segments[s].begin; i < segments[s].end; i++)
                for (int c = 0; c < channels; c++) sum[c] += (double)segments[s].weight * w->columns[i * channels + c];
        for (int c = 0; c < channels; c++) {
            void *out = sat_sample_at(dst, x, y - p->run->first, c);
            const double by = f->spec.weighted_alpha && c < alpha ? sum[alpha] : (double)f->window.area_px;
            const double mean = by == 0 ? 0 : sum[c] / by;
            if (dst->type == SAT_F64)
                *(double *)out = mean;
            else
                *(float *)out = (float)mean;
        }
    }
}
