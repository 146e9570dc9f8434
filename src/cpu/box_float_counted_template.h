/* box_float_counted_template.h - means of the floats that count, for one instruction set: how many they are, in integers
 * down the columns and in f64 along the rows, which hold them exactly, and the quotients. */

INLINE void count_down(u16 *restrict count, const u8 *const *leave, const u8 *const *enter, int64_t at, int64_t n,
                       u16 *restrict out, int64_t row, int64_t step)
{
    for (int64_t i = 0; i < n; i++) {
        u16 c = count[i];
        UNROLL for (int j = 0; j < BOX_LINES; j++)
        {
            out[j * row + i * step] = c;
            c = (u16)(c + enter[j][at + i] - leave[j][at + i]);
        }
        count[i] = c;
    }
}

TARGET static void count_columns(u16 *count, const u8 *const *leave, const u8 *const *enter, int64_t at, int64_t n,
                                 u16 *out, int64_t row)
{
    if (row)
        count_down(count, leave, enter, at, n, out, row, 1);
    else
        count_down(count, leave, enter, at, n, out, 1, BOX_LINES);
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

#define COUNT_ROWS(channels)                                                                                           \
    TARGET static void count_rows_##channels(f64 *count, const u16 *leave, const u16 *enter, f64 *out, int64_t px)     \
    {                                                                                                                  \
        count_along(count, leave, enter, out, px, channels);                                                           \
    }
COUNT_ROWS(1)
COUNT_ROWS(2)
COUNT_ROWS(3)
COUNT_ROWS(4)

TARGET static void count_few(const u16 *counts, int64_t row, int64_t stride, int64_t n, f64 *out, int window)
{
    for (int j = 0; j < BOX_LINES; j++, counts += row, out += row)
        for (int64_t i = 0; i < n; i += F64_LANES) {
            f64s sum = load_count(counts + i);
            for (int k = 1; k < window; k++) sum += load_count(counts + i + k * stride);
            store_sums(out + i, sum);
        }
}

/* What is found on the way. */
typedef struct found {
    i64s few, moved;
} found;

/* The mean of F64_LANES windows that hold n samples each, and `beyond` positions of the border's value. */
INLINE f64s counted_mean(const sat_box_counted *c, f64s sum, f64s n, found *f)
{
    const f64s mean = sum / n;
    const i64s few = n < c->least;
    f->few -= few;
    if (c->next == c->next) {
        const i64s is_empty = (mean >= c->low) & (mean <= c->high) & ~few;
        f->moved -= is_empty;
        return chosen(few, all_of(c->empty), chosen(is_empty, all_of(c->next), mean));
    }
    return chosen(few, all_of(c->empty), mean);
}

INLINE f64s with_values(const sat_box_finish *f, f64s sum, f64s covered, f64s value, f64s *n)
{
    const f64s full = all_of(f->area);
    *n += full - covered;
    return with_value(sum, covered, full, value);
}

INLINE void add_found(const sat_box_counted *c, const found *f)
{
    UNROLL for (int k = 0; k < F64_LANES; k++) *c->few += f->few[k], *c->moved += f->moved[k];
}

TARGET static void counted_groups(const sat_box_counted *c, const f64 *sums, int64_t n)
{
    const sat_box_finish *f = c->finish;
    const sat_box_means *m = f->means;
    found all = {{0}, {0}};
    for (int64_t i = 0; i < n; i += BOX_LINES)
        for (int lane = 0; lane < BOX_LINES; lane += F64_LANES) {
            f64s v[BOX_LINES];
            UNROLL for (int j = 0; j < BOX_LINES; j++)
            {
                const int64_t at = (i + j) * BOX_LINES + lane;
                f64s sum = load_sums(sums + at), count = load_sums(c->n + at);
                if (f->value)
                    sum = with_values(f, sum, all_of(m->columns[i + j]) * load_sums(m->rows + lane),
                                      all_of(f->value[i % f->channels + j]), &count);
                v[j] = counted_mean(c, sum, count, &all);
            }
            store_means(v, m, i, lane);
        }
    add_found(c, &all);
}

TARGET static void counted_rows(const sat_box_counted *c, const f64 *sums, int64_t row, int64_t n)
{
    const sat_box_finish *f = c->finish;
    const sat_box_means *m = f->means;
    found all = {{0}, {0}};
    for (int j = 0; j < BOX_LINES; j++) {
        char *const to = m->to + j * m->row_bytes;
        for (int64_t i = 0; i < n; i += F32_LANES) {
            f64s v[2];
            f32_half in_f32[2];
            UNROLL for (int k = 0; k < 2; k++)
            {
                const int64_t at = i + k * F64_LANES;
                f64s sum = load_sums(sums + j * row + at), count = load_sums(c->n + j * row + at);
                if (f->value)
                    sum = with_values(f, sum, load_sums(m->columns + at) * all_of(m->rows[j]),
                                      load_sums(f->value + at % f->channels), &count);
                v[k] = counted_mean(c, sum, count, &all);
                in_f32[k] = TO_F32(v[k]);
            }
            if (m->to_f64)
                store_bytes(to + (size_t)i * sizeof(f64), v, sizeof v, false);
            else
                store_f32s(to + (size_t)i * sizeof(f32), in_f32, false);
        }
    }
    add_found(c, &all);
}
