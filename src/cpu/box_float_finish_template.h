/* box_float_finish_template.h - means of floats weighted by alpha, or with a border's value beyond the image, for one
 * instruction set.
 *
 * Every operation is that of the definition, so that an infinite value or a sum of no weight spoils what it should. */

INLINE f64s chosen(i64s which, f64s yes, f64s no)
{
    return (f64s)((which & (i64s)yes) | (~which & (i64s)no));
}

/* What the positions beyond the image add to a sum. */
INLINE f64s with_value(f64s sum, f64s covered, f64s area, f64s value)
{
    return chosen(covered < area, sum + value * (area - covered), sum);
}

INLINE f64s by_weight(f64s sum, f64s weight)
{
    return chosen(weight == 0, (f64s){0}, sum / weight);
}

INLINE void finish_group(const sat_box_finish *f, const f64 *sums, int64_t i, int lane, const int alpha)
{
    const sat_box_means *m = f->means;
    const f64s rows = load_sums(m->rows + lane), full = all_of(f->area);
    f64s v[BOX_LINES], area[BOX_LINES];
    UNROLL for (int j = 0; j < BOX_LINES; j++)
    {
        const f64s covered = all_of(m->columns[i + j]) * rows;
        area[j] = f->area != 0 ? full : covered;
        v[j] = load_sums(sums + (i + j) * BOX_LINES + lane);
        if (f->value) v[j] = with_value(v[j], covered, full, all_of(f->value[i % f->channels + j]));
    }
    UNROLL for (int j = 0; j < BOX_LINES; j++)
    {
        const int last = alpha ? j | (alpha - 1) : j;
        if (j != last) v[j] = by_weight(v[j], v[last]);
    }
    UNROLL for (int j = 0; j < BOX_LINES; j++) if (!alpha || j % alpha == alpha - 1) v[j] /= area[j];
    store_means(v, m, i, lane);
}

INLINE void finish_all_groups(const sat_box_finish *f, const f64 *sums, int64_t n, const int alpha)
{
    for (int64_t i = 0; i < n; i += BOX_LINES)
        for (int lane = 0; lane < BOX_LINES; lane += F64_LANES) finish_group(f, sums, i, lane, alpha);
}

/* The loops must know how many channels there are where one is alpha. */
#define WITH_WEIGHTS(loop, f, ...)                                                                                     \
    do {                                                                                                               \
        if (!(f)->weighted)                                                                                            \
            loop(f, __VA_ARGS__, 0);                                                                                   \
        else if ((f)->channels == 2)                                                                                   \
            loop(f, __VA_ARGS__, 2);                                                                                   \
        else                                                                                                           \
            loop(f, __VA_ARGS__, 4);                                                                                   \
    } while (0)

TARGET static void finish_groups(const sat_box_finish *finish, const double *sums, int64_t n)
{
    WITH_WEIGHTS(finish_all_groups, finish, sums, n);
}

/* The sum of each pixel's alpha in all its lanes; v: a vector of a row's sums, or two, which hold whole pixels. */
#define ALPHA_OF_2(i, a, L) ((i) | 1)
#define ALPHA_OF_4(i, a, L) ((i) | 3)
INLINE f64s weights(const f64s *v, int k, const int alpha)
{
#if F64_LANES == 2
    const f64s last = v[alpha == 2 ? k : k | 1];
    return (f64s){last[1], last[1]};
#else
    return alpha == 2 ? SHUFFLE(v[k], v[k], F64_LANES, ALPHA_OF_2, 0) : SHUFFLE(v[k], v[k], F64_LANES, ALPHA_OF_4, 0);
#endif
}

/* Which lanes of v[k] are alpha. */
INLINE i64s alpha_lanes(int k, const int alpha)
{
    i64s which;
    UNROLL for (int l = 0; l < F64_LANES; l++) which[l] = ((k * F64_LANES + l) & (alpha - 1)) == alpha - 1 ? -1 : 0;
    return which;
}

INLINE void finish_all_rows(const sat_box_finish *f, const f64 *sums, int64_t row, int64_t n, const int alpha)
{
    const sat_box_means *m = f->means;
    const f64s full = all_of(f->area);
    for (int j = 0; j < BOX_LINES; j++, sums += row) {
        char *const to = m->to + j * m->row_bytes;
        const f64s rows = all_of(m->rows[j]);
        for (int64_t i = 0; i < n; i += F32_LANES) {
            f64s v[2], by[2];
            f32_half in_f32[2];
            UNROLL for (int k = 0; k < 2; k++)
            {
                const int64_t at = i + k * F64_LANES;
                const f64s covered = load_sums(m->columns + at) * rows;
                by[k] = f->area != 0 ? full : covered;
                v[k] = load_sums(sums + at);
                if (f->value) v[k] = with_value(v[k], covered, full, load_sums(f->value + at % f->channels));
            }
            UNROLL for (int k = 0; alpha && k < 2; k++) by[k] =
                chosen(alpha_lanes(k, alpha), by[k], weights(v, k, alpha));
            UNROLL for (int k = 0; k < 2; k++)
            {
                v[k] = by_weight(v[k], by[k]);
                in_f32[k] = TO_F32(v[k]);
            }
            if (m->to_f64)
                store_bytes(to + (size_t)i * sizeof(f64), v, sizeof v, false);
            else
                store_f32s(to + (size_t)i * sizeof(f32), in_f32, false);
        }
    }
}

TARGET static void finish_rows(const sat_box_finish *finish, const double *sums, int64_t row, int64_t n)
{
    WITH_WEIGHTS(finish_all_rows, finish, sums, row, n);
}
