/* box_float_lines.c - rows of samples as they are summed: where they lie, or gathered. */
#include <string.h>

#include "box_float_lines.h"
#include "path.h"
#include "strides.h"

enum { LINE_BYTES = 64 };

static const char *row_of(const sat_view *v, int64_t y)
{
    return v == NULL || y >= v->height ? NULL : (const char *)v->data + y * v->row_bytes;
}

void sat_float_rows(const sat_float_part *p, int64_t position, int n, sat_float_lines *l, int i)
{
    const sat_float_axis *y = &p->f->y;
    for (const int end = i + n; i < end; i++, position++) {
        const int64_t row = sat_border_index(p->f->window.border, position + y->first, y->image.n);
        const int64_t at = row < 0 ? p->src->height : sat_source_row(p->run, row);
        l->rows[i] = row_of(p->src, at);
        l->marks[i] = row_of(p->mask, at);
    }
}

static double as_double(const char *sample, bool is_f64)
{
    return is_f64 ? *(const double *)(const void *)sample : (double)*(const float *)(const void *)sample;
}

/* Pixels from a position of x on that lie `step` pixels apart in the source; column NONE: beyond it. */
typedef struct run {
    int64_t column, step, n;
} run;

/* The column of the source that a position sees; NONE: it holds none, or no window that is made does. */
enum { NONE = INT32_MIN };
static int64_t column_at(const sat_float_part *p, int64_t position)
{
    const sat_columns *held = &p->run->held;
    const int64_t column = p->f->map[position], x = position + p->f->x.first;
    if (column >= held->first && column < held->end) return column;
    return x >= held->first && x < held->end ? x : NONE;
}

static int find_runs(const sat_float_part *p, int64_t position, int64_t n, run *runs)
{
    int count = 0;
    run last = {.n = 0};
    for (int64_t i = 0; i < n; i++) {
        const int64_t column = column_at(p, position + i);
        if (last.n == 1) last.step = column - last.column;
        if (last.n && (last.column == NONE) == (column == NONE) && column == last.column + last.n * last.step) {
            last.n++;
            continue;
        }
        if (last.n) runs[count++] = last;
        last = (run){column, 1, 1};
    }
    runs[count++] = last;
    return count;
}

/* n pixels, colours times alpha.  Inlined for each number of channels and type.  Pixels are found from the first, not
 * from one to the next: the stride of a row of one pixel may be any. */
static inline __attribute__((always_inline)) void weigh(double *to, const sat_view *from, int64_t n, const int channels,
                                                        const bool is_f64)
{
    const char *const pixels = from->data;
    const ptrdiff_t step = from->pixel_bytes, channel = from->channel_bytes;
    for (int64_t i = 0; i < n; i++, to += channels) {
        const char *pixel = pixels + i * step;
        const double alpha = as_double(pixel + (channels - 1) * channel, is_f64);
        for (int c = 0; c < channels - 1; c++) to[c] = as_double(pixel + c * channel, is_f64) * alpha;
        to[channels - 1] = alpha;
    }
}

/* The pixels of a run in a row, as they are summed; or of the mask. */
static char *gather(const sat_float_box *f, const sat_view *src, const char *row, const run *r, char *out)
{
    const int channels = f->spec.channels;
    const size_t pixel_bytes = src->type == SAT_U8 ? 1 : (size_t)channels * f->in_bytes;
    const bool is_f64 = f->sample_bytes == sizeof(double);
    char *const end = out + (size_t)r->n * pixel_bytes;
    if (r->column == NONE) {
        memset(out, 0, (size_t)r->n * pixel_bytes);
        return end;
    }
    if (r->step == 1 && !sat_has_gaps(src) && !f->spec.weighted_alpha) {
        memcpy(out, row + r->column * src->pixel_bytes, (size_t)r->n * pixel_bytes);
        return end;
    }
    sat_view pixels = *src;
    pixels.data = (char *)(uintptr_t)row + r->column * src->pixel_bytes;
    pixels.pixel_bytes *= r->n > 1 ? r->step : 1;
    if (f->spec.weighted_alpha) {
        double *const to = (double *)(void *)out;
        if (is_f64 && channels == 2)
            weigh(to, &pixels, r->n, 2, true);
        else if (is_f64)
            weigh(to, &pixels, r->n, 4, true);
        else if (channels == 2)
            weigh(to, &pixels, r->n, 2, false);
        else
            weigh(to, &pixels, r->n, 4, false);
    } else {
        sat_gather(out, 0, &pixels, 0, r->n, 0, 1);
    }
    return end;
}

/* Do the image's rows hold samples as they are summed, if all count (paths.def: float_in_place)? */
static bool rows_lie(const sat_float_part *p)
{
    return SAT_PATH(float_in_place) && !p->f->spec.weighted_alpha && !sat_has_gaps(p->src);
}

/* How many pixels before this one, 16 at most, does a cache line begin (paths.def: float_aligned)?  0 where none begins
 * with a pixel. */
static int64_t pixels_into_line(const void *data, int64_t x, size_t pixel)
{
    for (int64_t back = 0; SAT_PATH(float_aligned) && back < SAT_FLOAT_ALIGNED;
         back++) { /* 16 pixels are whole lines */
        const size_t pixels = (size_t)(((x - back) % SAT_FLOAT_ALIGNED + SAT_FLOAT_ALIGNED) % SAT_FLOAT_ALIGNED);
        if (((uintptr_t)data + pixels * pixel) % LINE_BYTES == 0) return back;
    }
    return 0;
}

void sat_float_begin(sat_float_part *p)
{
    const sat_float_axis *x = &p->f->x;
    const size_t channels = (size_t)p->f->spec.channels;
    p->origin = p->first + x->skip;
    if (x->blocks == 0) {
        p->origin -= pixels_into_line(p->dst->data, p->first - (x->rest - 1), channels * p->f->out_bytes);
        p->start = p->origin;
        return;
    }
    p->origin -= p->origin % SAT_FLOAT_ALIGNED;
    p->start = p->origin;
    if (rows_lie(p)) p->start -= pixels_into_line(p->src->data, p->origin + x->first, channels * p->f->in_bytes);
}

/* Rows that are copied stay in the first-level cache beside their sums. */
static int64_t longest_chunk(const sat_float_part *p)
{
    return rows_lie(p) && !p->f->counts ? p->f->chunk_px : p->f->copied_px;
}

int64_t sat_float_chunk(const sat_float_part *p, int64_t position, int64_t end)
{
    const sat_float_box *f = p->f;
    const sat_columns *held = &p->run->held;
    const int64_t x = position + f->x.first;
    int64_t n = end - position, left = x < held->first ? held->first - x : held->end - x;
    if (x >= held->first) left -= left % SAT_FLOAT_ALIGNED;
    if (rows_lie(p) && left > 0 && left < n) n = left;
    n = sat_float_round_up(n, SAT_FLOAT_ALIGNED);
    const int64_t most = longest_chunk(p);
    return n < most ? n : most;
}

/* Which pixels of a row count by its marks, a row of the mask, if there is one; NULL: all do.  runs: where they lie. */
static const uint8_t *marks_of(const sat_float_part *p, const char *marks, const run *runs, int count)
{
    uint8_t *const valid = p->w->valid;
    const bool lies = p->mask == NULL || p->mask->pixel_bytes == 1;
    if (count == 1 && lies && runs->column != NONE && runs->step == 1)
        return p->mask ? (const uint8_t *)marks + runs->column : NULL;
    char *to = (char *)valid;
    for (int k = 0; k < count; k++) {
        if (p->mask)
            to = gather(p->f, p->mask, marks, &runs[k], to);
        else
            memset(to, runs[k].column != NONE, (size_t)runs[k].n), to += runs[k].n;
    }
    return valid;
}

/* Line i without the samples that do not count. */
static void keep_valid(const sat_float_part *p, sat_float_lines *l, int i, char *out, const uint8_t *marks, int64_t n)
{
    const sat_float_box *f = p->f;
    const int64_t channels = f->spec.channels, pitch = f->copied_px + LINE_BYTES;
    uint8_t *const valid = p->w->valid + (1 + i * channels) * pitch;
    sat_validity v = f->valid;
    v.mask = marks;
    f->ops->keep[f->in](out, valid, l->lines[i], &v, n * channels);
    l->lines[i] = out;
    l->valid[i] = valid;
}

void sat_float_take(const sat_float_part *p, sat_float_lines *l, int count, int64_t position, int64_t n)
{
    const sat_float_box *f = p->f;
    const int64_t channels = f->spec.channels, x = position + f->x.first;
    const size_t pitch = (size_t)(longest_chunk(p) * channels) * f->in_bytes + LINE_BYTES;
    const bool inside = x >= p->run->held.first && x + n <= p->run->held.end, lie = rows_lie(p) && inside;
    run runs[SAT_FLOAT_CHUNK_SAMPLES];
    runs[0] = (run){x, 1, n};
    const int all = inside ? 1 : find_runs(p, position, n, runs);
    for (int i = 0; i < count; i++) {
        const char *const row = l->rows[i];
        char *const out = p->w->samples + (size_t)i * pitch, *to = out;
        l->lines[i] = row == NULL ? f->zeros : lie ? row + (size_t)(x * channels) * f->in_bytes : out;
        l->valid[i] = (const uint8_t *)f->zeros;
        for (int k = 0; row && !lie && k < all; k++) to = gather(f, p->src, row, &runs[k], to);
        if (row && f->counts) keep_valid(p, l, i, out, marks_of(p, l->marks[i], runs, all), n);
    }
}
