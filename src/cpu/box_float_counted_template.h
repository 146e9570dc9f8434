/* box_float_counted_template.h - means of the floats that count, for one instruction set: how many windows hold, in
 * integers down the columns and in f64 along the rows, and the quotients.
 *
 * Integers of 16 bits are added and subtracted modulo 2^16.  They are right, as no window holds 2^16 rows
 * (cpu_window.c: is_mean()). */

/* Eight or sixteen columns at a time. */
#if F64_LANES > 2
#define COUNT_LANES 16
#else
#define COUNT_LANES 8
#endif
typedef u16 count_vector __attribute__((vector_size(COUNT_LANES * sizeof(u16))));

INLINE count_vector widened(const u8 *p)
{
    count_vector v;
#if VECTOR_BYTES == 0
    for (int k = 0; k < COUNT_LANES; k++) v[k] = p[k];
#else
    LOAD(u8, u16, v, p, 1);
#endif
    return v;
}

/* Eight rows of eight columns change places, or twice that many: rows j and j + 4 are interleaved, three times. */
#define LOW_OF(i, a, L)  (((i)&1 ? (L) : 0) + (i) / 2 % 4 + ((i)&8))
#define HIGH_OF(i, a, L) (LOW_OF(i, a, L) + 4)
INLINE void interleave(count_vector *v)
{
    count_vector w[BOX_LINES];
    UNROLL for (int j = 0; j < BOX_LINES / 2; j++)
    {
        w[2 * j] = SHUFFLE(v[j], v[j + BOX_LINES / 2], COUNT_LANES, LOW_OF, 0);
        w[2 * j + 1] = SHUFFLE(v[j], v[j + BOX_LINES / 2], COUNT_LANES, HIGH_OF, 0);
    }
    UNROLL for (int j = 0; j < BOX_LINES; j++) v[j] = w[j];
}

INLINE void store_counts(count_vector *v, u16 *out, int64_t row, int64_t i)
{
    if (row) {
        UNROLL for (int j = 0; j < BOX_LINES; j++) memcpy(out + j * row + i, &v[j], sizeof v[j]);
        return;
    }
    interleave(v);
    interleave(v);
    interleave(v);
    UNROLL for (int j = 0; j < BOX_LINES; j++) UNROLL for (int k = 0; k < COUNT_LANES; k += BOX_LINES)
        memcpy(out + (i + k + j) * BOX_LINES, (const u16 *)&v[j] + k, BOX_LINES * sizeof(u16));
}

TARGET static void count_columns(u16 *count, const u8 *const *leave, const u8 *const *enter, int64_t at, int64_t n,
                                 u16 *out, int64_t row)
{
    const u8 *in[BOX_LINES], *away[BOX_LINES];
    UNROLL for (int j = 0; j < BOX_LINES; j++) in[j] = enter[j] + at, away[j] = leave[j] + at;
    for (int64_t i = 0; i < n; i += COUNT_LANES) {
        count_vector c, v[BOX_LINES];
        memcpy(&c, count + i, sizeof c);
        UNROLL for (int j = 0; j < BOX_LINES; j++)
        {
            v[j] = c;
            c += widened(in[j] + i) - widened(away[j] + i);
        }
        memcpy(count + i, &c, sizeof c);
        store_counts(v, out, row, i);
    }
}

TARGET static void enter_counts(u16 *restrict count, const u8 *restrict counts, int64_t n)
{
    for (int64_t i = 0; i < n; i++) count[i] = (u16)(count[i] + counts[i]);
}

INLINE f64s load_count(const u16 *p)
{
    f64s v;
    LOAD_F64S(u16, v, p);
    return v;
}

INLINE void count_along(f64 *count, const u16 *leave, const u16 *enter, f64 *out, int64_t px, const int channels)
{
    for (int lane = 0; lane < BOX_LINES; lane += F64_LANES) {
        f64s n[4];
        UNROLL for (int c = 0; c < channels; c++) n[c] = load_sums(count + c * BOX_LINES + lane);
        for (int64_t i = 0; i < px; i++) UNROLL for (int c = 0; c < channels; c++)
            {
                const int64_t at = (i * channels + c) * BOX_LINES + lane;
                store_sums(out + at, n[c]);
                n[c] += load_count(enter + at) - load_count(leave + at);
            }
        UNROLL for (int c = 0; c < channels; c++) store_sums(count + c * BOX_LINES + lane, n[c]);
    }
}

TARGET static void count_rows(f64 *count, const u16 *leave, const u16 *enter, f64 *out, int64_t px, int channels)
{
    switch (channels) {
    case 1: count_along(count, leave, enter, out, px, 1); break;
    case 2: count_along(count, leave, enter, out, px, 2); break;
    case 3: count_along(count, leave, enter, out, px, 3); break;
    default: count_along(count, leave, enter, out, px, 4);
    }
}

TARGET static void count_few(const u16 *counts, int64_t row, int64_t stride, int64_t n, f64 *out, int window)
{
    for (int j = 0; j < BOX_LINES; j++, counts += row, out += row)
        for (int64_t i = 0; i < n; i += F64_LANES) {
            f64s sum = load_count(counts + i);
            for (int k = 1; k < window; k++) sum += load_count(counts + i + k * stride);
            store_sums(out + i, sum);
        }
}

/* The mean of n samples.  odd: below 0 where mended() may be needed. */
INLINE f64s counted_mean(const sat_box_counted *c, f64s sum, f64s n, i64s *odd, const bool moves)
{
    const f64s mean = sum / n;
    *odd |= (i64s)(n - c->least);
    if (moves) *odd |= (mean >= c->low) & (mean <= c->high);
    return mean;
}

INLINE bool is_any_below_0(i64s v)
{
    i64 any = v[0];
    UNROLL for (int k = 1; k < F64_LANES; k++) any |= v[k];
    return any < 0;
}

/* `empty` for means of too few samples, and `next` for others that are it; both are counted. */
INLINE f64s mended(const sat_box_counted *c, f64s mean, f64s n, i64s *counts)
{
    const i64s lacks = n < c->least,
               moved = (mean >= c->low) & (mean <= c->high) & ~lacks & (all_of(c->next) == c->next);
    counts[0] -= lacks;
    counts[1] -= moved;
    return chosen(lacks, all_of(c->empty), chosen(moved, all_of(c->next), mean));
}

INLINE void add_counts(const sat_box_counted *c, const i64s *counts)
{
    UNROLL for (int k = 0; k < F64_LANES; k++) *c->empties += counts[0][k], *c->moved += counts[1][k];
}

/* What the positions beyond the image add to sum and n. */
INLINE f64s with_values(const sat_box_finish *f, f64s sum, f64s covered, f64s value, f64s *n)
{
    const f64s full = all_of(f->area);
    *n += full - covered;
    return with_value(sum, covered, full, value);
}

INLINE void counted_all_groups(const sat_box_counted *c, const f64 *sums, int64_t samples, const bool moves,
                               const bool values)
{
    const sat_box_finish *f = c->finish;
    const sat_box_means *m = f->means;
    i64s counts[2] = {{0}, {0}};
    for (int64_t i = 0; i < samples; i += BOX_LINES)
        for (int lane = 0; lane < BOX_LINES; lane += F64_LANES) {
            f64s v[BOX_LINES], n[BOX_LINES];
            i64s odd = {0};
            UNROLL for (int j = 0; j < BOX_LINES; j++)
            {
                const int64_t at = (i + j) * BOX_LINES + lane;
                f64s sum = load_sums(sums + at);
                n[j] = load_sums(c->n + at);
                if (values)
                    sum = with_values(f, sum, all_of(m->columns[i + j]) * load_sums(m->rows + lane),
                                      all_of(f->value[i % f->channels + j]), &n[j]);
                v[j] = counted_mean(c, sum, n[j], &odd, moves);
            }
            if (is_any_below_0(odd)) {
                UNROLL for (int j = 0; j < BOX_LINES; j++) v[j] = mended(c, v[j], n[j], counts);
            }
            store_means(v, m, i, lane);
        }
    add_counts(c, counts);
}

INLINE void counted_all_rows(const sat_box_counted *c, const f64 *sums, int64_t row, int64_t samples, const bool moves,
                             const bool values)
{
    const sat_box_finish *f = c->finish;
    const sat_box_means *m = f->means;
    i64s counts[2] = {{0}, {0}};
    for (int j = 0; j < BOX_LINES; j++) {
        char *const to = m->to + j * m->row_bytes;
        for (int64_t i = 0; i < samples; i += F32_LANES) {
            f64s v[2], n[2];
            f32_half in_f32[2];
            i64s odd = {0};
            UNROLL for (int k = 0; k < 2; k++)
            {
                const int64_t at = i + k * F64_LANES;
                f64s sum = load_sums(sums + j * row + at);
                n[k] = load_sums(c->n + j * row + at);
                if (values)
                    sum = with_values(f, sum, load_sums(m->columns + at) * all_of(m->rows[j]),
                                      load_sums(f->value + at % f->channels), &n[k]);
                v[k] = counted_mean(c, sum, n[k], &odd, moves);
            }
            if (is_any_below_0(odd)) { UNROLL for (int k = 0; k < 2; k++) v[k] = mended(c, v[k], n[k], counts); }
            UNROLL for (int k = 0; k < 2; k++) in_f32[k] = TO_F32(v[k]);
            if (m->to_f64)
                store_bytes(to + (size_t)i * sizeof(f64), v, sizeof v, false);
            else
                store_f32s(to + (size_t)i * sizeof(f32), in_f32, false);
        }
    }
    add_counts(c, counts);
}

/* Few images have a border of a value. */
TARGET static void counted_groups(const sat_box_counted *c, const f64 *sums, int64_t n)
{
    if (c->finish->value)
        counted_all_groups(c, sums, n, true, true);
    else if (c->next == c->next)
        counted_all_groups(c, sums, n, true, false);
    else
        counted_all_groups(c, sums, n, false, false);
}

TARGET static void counted_rows(const sat_box_counted *c, const f64 *sums, int64_t row, int64_t n)
{
    if (c->finish->value)
        counted_all_rows(c, sums, row, n, true, true);
    else if (c->next == c->next)
        counted_all_rows(c, sums, row, n, true, false);
    else
        counted_all_rows(c, sums, row, n, false, false);
}
