/* box_float_template.h - box_float_ops.h for one instruction set, in vectors of F64_LANES sums. */
#include "box_float_ops.h"
#include "loops_template.h"

INLINE void transpose_square(f64s *v)
{
    EXCHANGE(v, F64_LANES, 1)
#if F64_LANES > 2
    EXCHANGE(v, F64_LANES, 2)
#endif
#if F64_LANES > 4
    EXCHANGE(v, F64_LANES, 4)
#endif
}

/* Sums of F64_LANES samples in eight rows, transposed or not. */
INLINE void store_columns(f64s *v, f64 *out, int64_t row, int64_t i)
{
    if (row) {
        UNROLL for (int j = 0; j < BOX_LINES; j++) store_sums(out + j * row + i, v[j]);
        return;
    }
    UNROLL for (int j = 0; j < BOX_LINES; j += F64_LANES)
    {
        transpose_square(v + j);
        UNROLL for (int k = 0; k < F64_LANES; k++) store_sums(out + (i + k) * BOX_LINES + j, v[j + k]);
    }
}

/* The sums of a step's vectors as they go on from line to line. */
typedef struct step_sums {
    f64s suffix, prefix, part;
} step_sums;

INLINE step_sums start_step(const sat_box_step *s, int64_t i)
{
    return (step_sums){load_sums(s->suffix + i), load_sums(s->prefix + i), load_sums(s->part + i)};
}

/* Leaving lines, from the last: the sum from line j to the end of its segment. */
INLINE f64s step_back(step_sums *sums, f64s leave)
{
    sums->suffix += leave;
    return sums->suffix;
}

/* Entering line j: what window j holds of the segments behind the leaving one's. */
INLINE f64s step_on(const sat_box_step *s, step_sums *sums, f64s enter, int j, int64_t i)
{
    const f64s window = sums->prefix;
    sums->prefix += enter;
    sums->part += enter;
    if (j + 1 == s->split) {
        store_sums(s->block + i, sums->part);
        sums->part = (f64s){0};
    }
    return window;
}

INLINE void end_step(const sat_box_step *s, const step_sums *sums, int64_t i)
{
    store_sums(s->prefix + i, s->last ? sums->part : sums->prefix);
    store_sums(s->part + i, sums->part);
}

/* Windows of few lines, from sums of four, two and one: 7 = 4 + 2 + 1. */
INLINE void few_lines(const f64s *one, f64s *v, const int window, const int lines)
{
    f64s two[2 * BOX_LINES];
    UNROLL for (int j = 0; j < lines + 6; j++) if (window > 1 && j < lines + window - 2) two[j] = one[j] + one[j + 1];
    UNROLL for (int j = 0; j < lines; j++)
    {
        if (window >= 4) v[j] = two[j] + two[j + 2];
        if (window == 6 || window == 7) v[j] += two[j + 4];
        if (window == 2 || window == 3) v[j] = two[j];
        if (window == 1) v[j] = one[j];
        if (window % 2 && window > 1) v[j] += one[j + window - 1];
    }
}

/* Two vectors of each row are read at a time, where there are registers for them: rows that are a power of two apart
 * share a few places of the first-level cache, and would lose a cache line before the rest of it is read. */
enum { COLUMN_VECTORS = F64_LANES > 2 ? 2 : 1, FEW_COLUMN_VECTORS = F64_LANES == 8 ? 2 : 1 };

/* How far ahead rows that enter are fetched: those of a large image come from memory.  A cache line has LINE_BITS. */
enum { AHEAD_BYTES = 1024, LINE_BITS = 512 };

/* A mask has one mark for all channels of a pixel. */
INLINE void spread_marks(u8 *restrict to, const u8 *restrict marks, int64_t n, const int channels)
{
    for (int64_t i = 0; i < n; i++)
        for (int c = 0; c < channels; c++) to[i * channels + c] = marks[i];
}

#define SAMPLE f32
#include "box_float_sample_template.h"
#define SAMPLE f64
#include "box_float_sample_template.h"

/* sum / area, from inverse = 1 / area to nearest (Markstein 1990): the first product is wrong
 * by less than 2^-52 of itself, its residue is divided as well, and what that is wrong by, 2^-104, is less than what
 * lies between a quotient and the middle of two doubles, 2^-94, as the area is an integer below 2^40.  An infinite sum
 * has a residue that is none. */
INLINE f64s quotient(f64s sum, f64s area, f64s inverse)
{
#if VECTOR_BYTES == 0
    (void)inverse;
    return sum / area + 0.0; /* no -0, as the residue has none */
#else
    const f64s q = sum * inverse;
    return CORRECTED(sum, area, inverse, q);
#endif
}

/* Means of F64_LANES rows: v[j] becomes that of sample i + j. */
INLINE void divide_lines(f64s *v, const sat_box_means *m, int64_t i, int lane)
{
    const f64s rows = load_sums(m->rows + lane);
    if (m->inverse != 0) {
        const f64s area = rows * all_of(m->columns[i]), inverse = all_of(m->inverse);
        UNROLL for (int j = 0; j < BOX_LINES; j++) v[j] = quotient(v[j], area, inverse);
        return;
    }
    UNROLL for (int j = 0; j < BOX_LINES; j++) v[j] /= rows * all_of(m->columns[i + j]);
}

/* Eight floats of each of F64_LANES rows from eight columns.  Columns j and j + 4 are joined, and squares of four
 * floats transposed: by pairs of floats, then by pairs of pairs. */
#define PAIRS_LOW(i, a, L)   (((i)&1 ? (L) : 0) + ((i) & ~3) + ((i)&2) / 2)
#define PAIRS_HIGH(i, a, L)  (PAIRS_LOW(i, a, L) + 2)
#define HALVES_LOW(i, a, L)  ((i)&2 ? (L) + (i)-2 : (i))
#define HALVES_HIGH(i, a, L) ((i)&2 ? (L) + (i) : (i) + 2)
#define OF_TWO(what, a, b)   SHUFFLE(a, b, F32_LANES, what, 0)
#define ROWS_APART(i, a, L)  (((i)&3) + ((i)&4) * 2 + ((i)&8) / 2)

INLINE void store_means_f32(const f64s *v, const sat_box_means *m, int64_t i, int lane)
{
#if F64_LANES == 2
    for (int j = 0; j < BOX_LINES; j++)
        for (int k = 0; k < F64_LANES; k++) ((f32 *)(void *)(m->to + (lane + k) * m->row_bytes))[i + j] = (f32)v[j][k];
#else
    enum { HALF = BOX_LINES / 2 };
    f32s r[HALF], pairs[HALF];
    UNROLL for (int j = 0; j < HALF; j++) r[j] = JOINED(TO_F32(v[j]), TO_F32(v[j + HALF]));
    UNROLL for (int j = 0; j < HALF; j += 2)
    {
        pairs[j] = OF_TWO(PAIRS_LOW, r[j], r[j + 1]);
        pairs[j + 1] = OF_TWO(PAIRS_HIGH, r[j], r[j + 1]);
    }
    UNROLL for (int j = 0; j < 2; j++)
    {
        r[2 * j] = OF_TWO(HALVES_LOW, pairs[j], pairs[j + 2]);
        r[2 * j + 1] = OF_TWO(HALVES_HIGH, pairs[j], pairs[j + 2]);
    }
    UNROLL for (int j = 0; j < HALF; j++)
    {
        char *to = m->to + (lane + j) * m->row_bytes + (size_t)i * sizeof(f32);
#if F64_LANES == 8
        const f32s apart = SHUFFLE(r[j], r[j], 16, ROWS_APART, 0);
        const f32_half row = HALF_OF(apart, 0);
        const f32_half below = HALF_OF(apart, 1);
        memcpy(to + HALF * m->row_bytes, &below, sizeof below);
#else
        const f32s row = r[j];
#endif
        memcpy(to, &row, sizeof row);
    }
#endif
}

/* Means of samples that are side by side, past the caches or not. */
INLINE void store_bytes(char *to, const void *means, size_t bytes, bool stream)
{
#if VECTOR_BYTES != 0
    if (stream) {
        for (size_t i = 0; i < bytes; i += VECTOR_BYTES) stream_vector(to + i, (const char *)means + i);
        return;
    }
#endif
    (void)stream;
    memcpy(to, means, bytes);
}

INLINE void store_f32s(char *to, const f32_half *two, bool stream)
{
    const f32s means = JOINED(two[0], two[1]);
    store_bytes(to, &means, sizeof means, stream);
}

INLINE void store_means(f64s *v, const sat_box_means *m, int64_t i, int lane)
{
    if (!m->to_f64) {
        store_means_f32(v, m, i, lane);
        return;
    }
    UNROLL for (int j = 0; j < BOX_LINES; j += F64_LANES)
    {
        transpose_square(v + j);
        UNROLL for (int k = 0; k < F64_LANES; k++)
            store_sums((f64 *)(void *)(m->to + (lane + k) * m->row_bytes) + i + j, v[j + k]);
    }
}

/* The step of a group for one channel. */
INLINE sat_box_step step_of(const sat_box_walk *w, int64_t place, int64_t channel)
{
    const int64_t next = w->channels * BOX_LINES, at = channel * BOX_LINES;
    const bool last = place == w->blocks - 1;
    f64 *const slot = w->slots + place * next + at;
    return (sat_box_step){last ? w->tail + at : slot + next, slot, w->prefix + at, w->part + at, w->split, last};
}

/* The place after this one; at the end of a segment its blocks' sums become suffix sums. */
INLINE int64_t next_place(const sat_box_walk *w, int64_t place)
{
    const int64_t next = w->channels * BOX_LINES;
    if (place < w->blocks - 1) return place + 1;
    for (int64_t i = 0; i < next; i += F64_LANES) {
        f64 *slot = w->slots + place * next + i;
        f64s suffix = load_sums(slot);
        for (int64_t k = place; k > 0; k--) {
            slot -= next;
            suffix += load_sums(slot);
            store_sums(slot, suffix);
        }
    }
    return 0;
}

/* F64_LANES rows of a group's means, of which sums stand in a row of samples: eight at a time. */
INLINE void means_of_group(const f64 *sums, const sat_box_means *m, int64_t i, int64_t channels, int lane)
{
    for (int64_t k = 0; k < channels * BOX_LINES; k += BOX_LINES) {
        f64s v[BOX_LINES];
        UNROLL for (int j = 0; j < BOX_LINES; j++) v[j] = load_sums(sums + (k + j) * BOX_LINES + lane);
        divide_lines(v, m, i + k, lane);
        store_means(v, m, i + k, lane);
    }
}

INLINE void do_rows(const sat_box_walk *walk, int64_t place, const f64 *leave, const f64 *enter, int64_t groups,
                    f64 *out, const sat_box_means *means, const int64_t channels)
{
    sat_box_walk w = *walk;
    const sat_box_means m = means ? *means : (sat_box_means){0};
    const int64_t line = channels * BOX_LINES;
    w.channels = channels;
    for (int64_t i = 0; i < groups * line; i += line) { /* samples */
        f64 *const to = means ? out : out + i * BOX_LINES;
        for (int64_t c = 0; c < channels; c++) {
            const sat_box_step s = step_of(&w, place, c);
            for (int lane = 0; lane < BOX_LINES; lane += F64_LANES) {
                const int64_t first = c * BOX_LINES + lane, at = i * BOX_LINES + first;
                f64s v[BOX_LINES];
                step_sums sums = start_step(&s, lane);
                UNROLL for (int j = BOX_LINES - 1; j >= 0; j--) v[j] =
                    step_back(&sums, load_sums(leave + at + j * line));
                UNROLL for (int j = 0; j < BOX_LINES; j++) v[j] +=
                    step_on(&s, &sums, load_sums(enter + at + j * line), j, lane);
                end_step(&s, &sums, lane);
                if (means && channels == 1) {
                    divide_lines(v, &m, i, lane);
                    store_means(v, &m, i, lane);
                } else {
                    UNROLL for (int j = 0; j < BOX_LINES; j++) store_sums(to + first + j * line, v[j]);
                }
            }
        }
        for (int lane = 0; means && channels > 1 && lane < BOX_LINES; lane += F64_LANES)
            means_of_group(out, &m, i, channels, lane);
        place = next_place(&w, place);
    }
}

#define ROWS(channels)                                                                                                 \
    TARGET static void rows_##channels(const sat_box_walk *walk, int64_t place, const f64 *leave, const f64 *enter,    \
                                       int64_t groups, f64 *out, const sat_box_means *means)                           \
    {                                                                                                                  \
        do_rows(walk, place, leave, enter, groups, out, means, channels);                                              \
    }
ROWS(1)
ROWS(2)
ROWS(3)
ROWS(4)

TARGET static void enter_rows(const sat_box_walk *walk, int64_t place, const f64 *enter)
{
    for (int64_t c = 0; c < walk->channels; c++) {
        const sat_box_step s = step_of(walk, place, c);
        for (int lane = 0; lane < BOX_LINES; lane += F64_LANES) {
            step_sums sums = start_step(&s, lane);
            UNROLL for (int j = 0; j < BOX_LINES; j++)
                step_on(&s, &sums, load_sums(enter + (j * walk->channels + c) * BOX_LINES + lane), j, lane);
            end_step(&s, &sums, lane);
        }
    }
    next_place(walk, place);
}

/* The sums of a row's windows that begin with sample i, where no loop takes one step (paths.def: float_small). */
INLINE f64s few_sums(const f64 *sums, int64_t i, int64_t stride, const int window)
{
    f64s v = load_sums(sums + i);
    UNROLL for (int k = 1; k < window; k++) v += load_sums(sums + i + k * stride);
    return v;
}

INLINE void few_rows(const f64 *sums, int64_t row, int64_t stride, int64_t n, f64 *out, const sat_box_means *means,
                     const int window)
{
    for (int j = 0; j < BOX_LINES; j++, sums += row) {
        if (!means) {
            for (int64_t i = 0; i < n; i += F64_LANES) store_sums(out + j * row + i, few_sums(sums, i, stride, window));
            continue;
        }
        const f64s rows = all_of(means->rows[j]), area = rows * all_of(means->columns[0]);
        const f64s inverse = all_of(means->inverse);
        char *const to = means->to + j * means->row_bytes;
        if (means->inverse != 0) {
            for (int64_t i = 0; i < n; i += F32_LANES) {
                f32_half mean[2];
                UNROLL for (int h = 0; h < 2; h++) mean[h] =
                    TO_F32(quotient(few_sums(sums, i + h * F64_LANES, stride, window), area, inverse));
                store_f32s(to + (size_t)i * sizeof(f32), mean, means->stream);
            }
            continue;
        }
        for (int64_t i = 0; i < n; i += F64_LANES) {
            const f64s mean = few_sums(sums, i, stride, window) / (rows * load_sums(means->columns + i));
            const f32_half in_f32 = TO_F32(mean);
            if (means->to_f64)
                store_bytes(to + (size_t)i * sizeof(f64), &mean, sizeof mean, means->stream);
            else
                memcpy(to + (size_t)i * sizeof(f32), &in_f32, sizeof in_f32);
        }
    }
}

#define FEW_ROWS(window)                                                                                               \
    TARGET static void few_rows_##window(const f64 *sums, int64_t row, int64_t stride, int64_t n, f64 *out,            \
                                         const sat_box_means *means)                                                   \
    {                                                                                                                  \
        few_rows(sums, row, stride, n, out, means, window);                                                            \
    }
FEW_ROWS(1)
FEW_ROWS(2)
FEW_ROWS(3)
FEW_ROWS(4)
FEW_ROWS(5)
FEW_ROWS(6)
FEW_ROWS(7)

TARGET static void add_sums(f64 *restrict to, const f64 *restrict sums, int64_t n)
{
    for (int64_t i = 0; i < n; i++) to[i] += sums[i];
}

#include "box_float_finish_template.h"
#include "box_float_counted_template.h"
#include "box_float_small_template.h"

#define OF_WINDOWS(name)                                                                                               \
    {                                                                                                                  \
        name##_1, name##_2, name##_3, name##_4, name##_5, name##_6, name##_7                                           \
    }
static const struct sat_box_float_ops box_float_ops = {
    .columns = {columns_f32, columns_f64},
    .enter_columns = {enter_columns_f32, enter_columns_f64},
    .few_columns = {OF_WINDOWS(few_columns_f32), OF_WINDOWS(few_columns_f64)},
    .rows = {rows_1, rows_2, rows_3, rows_4},
    .enter_rows = enter_rows,
    .few_rows = OF_WINDOWS(few_rows),
    .small = {OF_SMALL(1), OF_SMALL(2), OF_SMALL(3), OF_SMALL(4)},
    .finish_groups = finish_groups,
    .finish_rows = finish_rows,
    .add_sums = add_sums,
    .keep = {keep_f32, keep_f64},
    .count_columns = count_columns,
    .enter_counts = enter_counts,
    .count_rows = count_rows,
    .count_few = count_few,
    .counted_groups = counted_groups,
    .counted_rows = counted_rows,
};
