/* window_state.cuh - what a plan of window statistics holds on the host; for any of the kernels. */
#ifndef WINDOW_STATE_CUH
#define WINDOW_STATE_CUH

#include "box/box_axis.cuh"
#include "box/box_float.cuh"
#include "window/window_finish.cuh"

namespace window
{

/* What errors begin with. */
constexpr char NAME[] = "windows";

struct state {
    sat_window_spec spec;
    sat_window_plan plan;
    sat_axis reach_x, reach_y; /* before and after, clipped where positions outside count nothing */
    box::axis x, y;
    int32_t strips, strip, rows, segments, stride;
    enum arithmetic arithmetic;
    bool sums_in_32_bits;
    extremes *found, *image; /* NULL: no statistic needs them */
    uint64_t *clipped;
    box_float *sums;            /* floats whose windows fit strips; else NULL */
    const double *count_table;  /* of those with variances: pairs of n and 1 / n */
    void *passes;               /* box::passes where there are no strips */
    int32_t blocks_of_image;    /* that make results there */
    int32_t first_row, end_row; /* of results that count, in a run */
    void *stream;               /* of the last run */
    sat_arena *arena;
    sat_status (*queue)(const state *w, const sat_view *src, const sat_view *mask, const sat_view *results,
                        void *stream);
};

/* Columns that a whole window covers. */
inline int64_t whole_columns(const state *w)
{
    const int64_t columns = w->plan.window.x.before + 1 + w->plan.window.x.after;
    return w->plan.window.border->shrinks && columns > w->spec.width ? w->spec.width : columns;
}

/* What is added to samples that may be below zero, and the largest that they then are. */
inline uint32_t bias_of(const state *w)
{
    return w->plan.window.is_signed ? 1u << (8 * sat_type_bytes(w->spec.sample) - 1) : 0;
}
inline uint64_t largest_of(const state *w)
{
    return w->plan.window.largest + bias_of(w);
}

inline finish finish_of(const state *w, const sat_view *results)
{
    finish f = {};
    f.outputs = w->spec.outputs;
    f.arithmetic = w->arithmetic;
    f.sums_in_f64 =
        w->plan.window.area_px < (int64_t)1 << 40 && sat_sum_fits(w->plan.window.area_px, largest_of(w), 53);
    f.is_signed = w->plan.window.is_signed;
    f.integer_bias = bias_of(w);
    f.bias = f.integer_bias;
    f.ddof = (double)w->spec.ddof;
    f.range = w->plan.largest;
    for (int i = 0; i < f.outputs; i++) {
        const sat_window_result_plan *r = &w->plan.result[i];
        finish::output *o = &f.of[i];
        o->to = (char *)results[i].data;
        o->row_bytes = (int64_t)results[i].row_bytes;
        o->image_bytes = (int64_t)results[i].image_bytes;
        const sat_statistic *statistic = sat_statistic_get(r->statistic);
        o->needs = statistic->needs | (r->compare ? SAT_NEEDS_PIXEL : 0);
        f.needs_pixel = f.needs_pixel || (o->needs & SAT_NEEDS_PIXEL);
        o->is_real =
            !r->compare && r->type == SAT_F32 && (w->arithmetic != window::IN_128_BITS || !(o->needs & SAT_NEEDS_VAR));
        o->is_rough = r->compare && statistic->info.threshold && w->arithmetic == window::IN_F64 && f.sums_in_f64 &&
                      (!w->sums_in_32_bits || sat_sum_fits(w->plan.window.area_px, largest_of(w), 31));
        for (int k = 0; k < SAT_PARAMETERS; k++) {
            o->p[k] = r->p[k];
            o->rough_p[k] = (float)r->p[k];
            if (r->p[k] != 0) o->is_rough = o->is_rough && fabs(r->p[k]) > 0x1p-40 && fabs(r->p[k]) < 0x1p40;
        }
        o->least = r->least;
        o->empty = r->empty;
        o->statistic = r->statistic;
        o->type = r->type;
        o->compare = r->compare;
        o->may_be_empty = r->may_be_empty;
    }
    for (int i = 0; i + 1 < f.outputs; i++)
        f.of[i].pairs = f.of[i].is_real && f.of[i].statistic == SAT_STATISTIC_mean && f.of[i + 1].is_real &&
                        (f.of[i + 1].statistic == SAT_STATISTIC_var || f.of[i + 1].statistic == SAT_STATISTIC_std);
    return f;
}

/* Each chooses the kernel of its samples, and takes the memory of runs.  The strips of floats; has_room: false where
 * windows are too wide for them. */
sat_status prepare_sums(state *w, bool *has_room);
sat_status prepare_sums_f32(state *w, bool *has_room);
sat_status prepare_sums_f32_channels(state *w, bool *has_room);
sat_status prepare_sums_f64(state *w, bool *has_room);
sat_status prepare_sums_f64_channels(state *w, bool *has_room);
sat_status prepare_moments(state *w, bool *has_room);
sat_status prepare_moments_f32(state *w, bool *has_room);
sat_status prepare_moments_f32_counted(state *w, bool *has_room);
sat_status prepare_moments_f32_channels(state *w, bool *has_room);
sat_status prepare_moments_f32_channels_counted(state *w, bool *has_room);
sat_status prepare_moments_f64(state *w, bool *has_room);
sat_status prepare_moments_f64_counted(state *w, bool *has_room);
sat_status prepare_moments_f64_channels(state *w, bool *has_room);
sat_status prepare_moments_f64_channels_counted(state *w, bool *has_room);

/* Those of integers. */
sat_status prepare_bytes(state *w, bool *has_room);
sat_status prepare_words(state *w, bool *has_room);

/* What has no strips. */
sat_status prepare_passes(state *w);

} // namespace window
#endif
