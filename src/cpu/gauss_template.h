/* gauss_template.h - gauss_ops.h for one instruction set and one type of reals.
 *
 * REAL: f32 or f64, the type that it filters in. */
#include "gauss_ops.h"
#include "loops_template.h"
#include "sat_image.h"

#define NAME(x)    NAME_3(gauss, x, REAL)
#define REALS      VECTOR_OF(REAL)
#define REAL_LANES LANES_OF(REAL)
#define VECTORS    (GAUSS_LANES / REAL_LANES)
#define EACH       UNROLL for (int g = 0; g < VECTORS; g++)
/* What comparisons of reals give: -1 where they hold, else 0. */
#define MASK        NAME_2(MASK_OF, REAL)
#define MASKS       VECTOR_OF(MASK)
#define MASK_OF_f32 i32
#define MASK_OF_f64 i64

typedef struct NAME(line) {
    REALS v[VECTORS];
} NAME(line);

INLINE NAME(line) NAME(get)(const REAL *p)
{
    NAME(line) line;
    EACH memcpy(&line.v[g], p + g * REAL_LANES, sizeof line.v[g]);
    return line;
}

INLINE void NAME(put)(REAL *p, NAME(line) line)
{
    EACH memcpy(p + g * REAL_LANES, &line.v[g], sizeof line.v[g]);
}

INLINE NAME(line) NAME(plus)(NAME(line) a, NAME(line) b)
{
    EACH a.v[g] += b.v[g];
    return a;
}

INLINE NAME(line) NAME(times)(NAME(line) a, REAL by)
{
    EACH a.v[g] *= by - (REALS){0};
    return a;
}

/* ---- samples ------------------------------------------------------------------------------------------- */

/* Rows lie far apart: none but this asks for them in time. */
enum { NAME(rows_ahead) = 16 };

#define SELECT(mask, a, b) ((REALS)(((MASKS)(mask) & (MASKS)(a)) | (~(MASKS)(mask) & (MASKS)(b))))

/* To the nearest integer, halves away from zero, cut to the range.  NaN becomes the largest; only samples that are none
 * make one. */
INLINE MASKS NAME(round)(REALS v, REALS low, REALS high)
{
    const REALS half = (REAL)0.5 - (REALS){0};
    v = SELECT(v <= high, v, high);
    v = SELECT(v >= low, v, low);
    const MASKS whole = __builtin_convertvector(v, MASKS);
    const REALS rest = v - __builtin_convertvector(whole, REALS);
    return whole - (MASKS)(rest >= half) + (MASKS)(rest <= -half);
}

#define EACH_SAMPLE "gauss_sample_template.h"
#include "samples_template.h"

/* ---- passes -------------------------------------------------------------------------------------------- */

/* The sums of windows by additions only, as cpu_box_float.c has them: a window is the end of one segment, as long as
 * the window, and the beginning of the next.  suffix[i] is the sum from line i of a segment to its end. */
typedef struct NAME(window) {
    REAL *suffix;
    int64_t first, side, done; /* of line 0, its first line; lines; lines of the segment that windows began with */
    NAME(line) prefix;
} NAME(window);

/* With window `done` of a segment, which begins with line 0 of `in`. */
INLINE void NAME(begin_segment)(NAME(window) * w, const REAL *in, int64_t done)
{
    NAME(line) sum = {0};
    for (int64_t k = w->side - 1; k >= done; k--) {
        sum = NAME(plus)(NAME(get)(in + (k - done) * GAUSS_LANES), sum);
        NAME(put)(w->suffix + k * GAUSS_LANES, sum);
    }
    w->done = done;
    w->prefix = (NAME(line)){0};
    for (int64_t k = w->side; k < w->side + done; k++)
        w->prefix = NAME(plus)(w->prefix, NAME(get)(in + (k - done) * GAUSS_LANES));
}

/* Line i of the result may take the place of line i of the input: no later window holds it.  Line 0 is line `at` of the
 * whole axis. */
INLINE void NAME(boxes)(REAL *out, const REAL *in, int64_t n, int64_t at, const sat_gauss_kernel *k, REAL *scratch)
{
    const REAL inside[] = {(REAL)k->inside[0], (REAL)k->inside[1]}, rim[] = {(REAL)k->rim[0], (REAL)k->rim[1]};
    NAME(window) w[SAT_GAUSS_BOXES];
    for (int b = 0; b < SAT_GAUSS_BOXES; b++) {
        const int64_t side = 2 * k->radius[b] + 1;
        w[b] = (NAME(window)){.suffix = scratch, .first = k->reach - k->radius[b], .side = side, .done = side};
        scratch += side * GAUSS_LANES;
    }
    for (int64_t i = 0, run; i < n; i += run) {
        run = n - i;
        for (int b = 0; b < SAT_GAUSS_BOXES; b++) {
            if (w[b].done == w[b].side)
                NAME(begin_segment)(&w[b], in + (i + w[b].first) * GAUSS_LANES, i ? 0 : at % w[b].side);
            if (run > w[b].side - w[b].done) run = w[b].side - w[b].done;
        }
        const REAL *suffix0 = w[0].suffix + w[0].done * GAUSS_LANES, *suffix1 = w[1].suffix + w[1].done * GAUSS_LANES;
        const REAL *before0 = in + (i + w[0].first - 1) * GAUSS_LANES,
                   *before1 = in + (i + w[1].first - 1) * GAUSS_LANES;
        const REAL *after0 = before0 + (w[0].side + 1) * GAUSS_LANES, *after1 = before1 + (w[1].side + 1) * GAUSS_LANES;
        NAME(line) prefix0 = w[0].prefix, prefix1 = w[1].prefix;
        REAL *to = out + i * GAUSS_LANES;
        for (int64_t j = 0; j < run * GAUSS_LANES; j += GAUSS_LANES) {
            const NAME(line) enters0 = NAME(get)(after0 + j), enters1 = NAME(get)(after1 + j);
            const NAME(line) sum0 = NAME(plus)(NAME(get)(suffix0 + j), prefix0);
            const NAME(line) sum1 = NAME(plus)(NAME(get)(suffix1 + j), prefix1);
            const NAME(line) rim0 = NAME(plus)(NAME(get)(before0 + j), enters0);
            const NAME(line) rim1 = NAME(plus)(NAME(get)(before1 + j), enters1);
            const NAME(line) boxes = NAME(plus)(NAME(times)(sum0, inside[0]), NAME(times)(sum1, inside[1]));
            const NAME(line) rims = NAME(plus)(NAME(times)(rim0, rim[0]), NAME(times)(rim1, rim[1]));
            NAME(put)(to + j, NAME(plus)(boxes, rims));
            prefix0 = NAME(plus)(prefix0, enters0);
            prefix1 = NAME(plus)(prefix1, enters1);
        }
        w[0].prefix = prefix0, w[0].done += run;
        w[1].prefix = prefix1, w[1].done += run;
    }
}

INLINE void NAME(taps)(REAL *out, const REAL *in, int64_t n, const sat_gauss_kernel *k)
{
    const int64_t reach = k->reach * GAUSS_LANES;
    REAL taps[SAT_GAUSS_TAPS + 1];
    for (int64_t i = 0; i <= k->reach; i++) taps[i] = (REAL)k->taps[i];
    for (int64_t i = 0; i < n * GAUSS_LANES; i += GAUSS_LANES) {
        const REAL *middle = in + i + reach;
        NAME(line) sum = NAME(times)(NAME(get)(middle), taps[0]);
        for (int64_t j = 1; j <= k->reach; j++) {
            const NAME(line) left = NAME(get)(middle - j * GAUSS_LANES), right = NAME(get)(middle + j * GAUSS_LANES);
            sum = NAME(plus)(sum, NAME(times)(NAME(plus)(left, right), taps[j]));
        }
        NAME(put)(out + i, sum);
    }
}

TARGET static void NAME(pass)(void *out, const void *in, int64_t n, int64_t at, const sat_gauss_kernel *kernel,
                              void *scratch)
{
    if (kernel->direct)
        NAME(taps)(out, in, n, kernel);
    else
        NAME(boxes)(out, in, n, at, kernel, scratch);
}

TARGET static void NAME(scale)(void *lines, const double *by, int64_t n)
{
    REAL *p = lines;
    for (int64_t i = 0; i < n; i++, p += GAUSS_LANES) NAME(put)(p, NAME(times)(NAME(get)(p), (REAL)by[i]));
}

/* ---- blocks -------------------------------------------------------------------------------------------- */

TARGET static void NAME(transpose)(void *const *to, const void *const *from)
{
    for (int row = 0; row < GAUSS_LANES; row += REAL_LANES)
        for (int column = 0; column < GAUSS_LANES; column += REAL_LANES) {
            REALS v[REAL_LANES];
            UNROLL for (int i = 0; i < REAL_LANES; i++)
                memcpy(&v[i], (const REAL *)from[row + i] + column, sizeof v[i]);
            EXCHANGE(v, REAL_LANES, 1)
#if REAL_LANES > 2
            EXCHANGE(v, REAL_LANES, 2)
#endif
#if REAL_LANES > 4
            EXCHANGE(v, REAL_LANES, 4)
#endif
#if REAL_LANES > 8
            EXCHANGE(v, REAL_LANES, 8)
#endif
            UNROLL for (int i = 0; i < REAL_LANES; i++) memcpy((REAL *)to[column + i] + row, &v[i], sizeof v[i]);
        }
}

TARGET static void NAME(weigh)(void *lines, int64_t n, int channels)
{
    REAL *p = lines;
    for (int64_t i = 0; i < n * GAUSS_LANES; i += channels)
        for (int c = 0; c < channels - 1; c++) p[i + c] *= p[i + channels - 1];
}

TARGET static void NAME(unweigh)(void *colours, const void *alpha, int64_t n)
{
    REAL *restrict p = colours;
    const REAL *restrict a = alpha;
    for (int64_t i = 0; i < n * GAUSS_LANES; i++) p[i] = a[i] != 0 ? p[i] / a[i] : 0;
}

TARGET static void NAME(mix)(void *blurred, const void *other, int64_t n, sat_gauss_mix mix, double amount,
                             int channels)
{
    REAL *restrict b = blurred;
    const REAL *restrict o = other;
    const REAL times = (REAL)amount;
    if (mix == GAUSS_MIX_UNSHARP)
        for (int64_t i = 0; i < n * GAUSS_LANES; i++) b[i] = o[i] + times * (o[i] - b[i]);
    if (mix == GAUSS_MIX_DIFFERENCE)
        for (int64_t i = 0; i < n * GAUSS_LANES; i++) b[i] = o[i] - b[i];
    for (int64_t i = channels - 1; channels && i < n * GAUSS_LANES; i += channels) b[i] = o[i];
}

#include "gauss_valid_template.h"

static const struct sat_gauss_ops NAME(ops) = {
    .line_bytes = GAUSS_LANES * sizeof(REAL),
    .load = {NAME(load_u8), NAME(load_u16), NAME(load_u32), NAME(load_i8), NAME(load_i16), NAME(load_i32),
             NAME(load_f32), NAME(load_f64)},
    .weigh = NAME(weigh),
    .pass = NAME(pass),
    .count = NAME(count),
    .weigh_counting = NAME(weigh_counting),
    .settle = NAME(settle),
    .divide = NAME(divide),
    .finish = NAME(finish),
    .scale = NAME(scale),
    .transpose = NAME(transpose),
    .unweigh = NAME(unweigh),
    .mix = NAME(mix),
    .store =
        {
            [GAUSS_U8] = NAME(store_u8),
            [GAUSS_U16] = NAME(store_u16),
            [GAUSS_I8] = NAME(store_i8),
            [GAUSS_I16] = NAME(store_i16),
#if BITS_OF(REAL) == 64
            [GAUSS_U32] = NAME(store_u32),
            [GAUSS_I32] = NAME(store_i32),
#endif
            [GAUSS_F32] = NAME(store_f32),
            [GAUSS_F64] = NAME(store_f64),
        },
    .avoid = {NAME(avoid_u8), NAME(avoid_u16), NAME(avoid_u32), NAME(avoid_i8), NAME(avoid_i16), NAME(avoid_i32),
              NAME(avoid_f32), NAME(avoid_f64)},
};

#undef NAME
#undef REALS
#undef REAL_LANES
#undef VECTORS
#undef EACH
#undef MASK
#undef MASKS
#undef SELECT
#undef REAL
