/* window_steps_template.h - moments of windows of floats: eight rows at a time, down the columns and then along the
 * rows.
 *
 * cpu_window_floats.c has the steps down the columns.  Transposed: of each entry the members of its moments that are
 * there, in their order in sat_moments, eight rows side by side.
 *
 * Along a row a segment is as long as a window (van Herk 1992).  Windows take the places of the suffixes:
 *
 *     |  a  b  c  d  e | f  g  h  .  . |          window {d e f g h} = suffix(d e) + prefix(f g h) */

typedef struct moments {
    f64s n, sum, mean, m2;
} moments;

/* a and b; where there are no counts, by their rates.  line: b is single samples. */
INLINE moments joined(moments a, moments b, sat_window_rates by, const bool all, const bool counts, const bool line)
{
    moments p = {.sum = a.sum + b.sum};
    f64s r = all_of(by.r), c = all_of(by.c);
    if (counts) p.n = a.n + b.n;
    if (all && counts) {
        r = b.n / (p.n + (f64s)((i64s)(p.n == 0) & (i64s)all_of(1)));
        c = a.n * r;
    }
    const f64s apart = b.mean - a.mean, squares = line ? a.m2 : a.m2 + b.m2;
    if (all) p.m2 = squares + apart * (c * apart), p.mean = a.mean + apart * r;
    return p;
}

INLINE moments load_moments(const sat_moments *from, int64_t i, const bool all, const bool counts)
{
    moments p = {.sum = load_sums(from->sum + i)};
    if (all) p.mean = load_sums(from->mean + i), p.m2 = load_sums(from->m2 + i);
    if (counts) p.n = load_sums(from->n + i);
    return p;
}

INLINE void store_moments(const sat_moments *to, int64_t i, moments p, const bool all, const bool counts)
{
    store_sums(to->sum + i, p.sum);
    if (all) store_sums(to->mean + i, p.mean), store_sums(to->m2 + i, p.m2);
    if (counts) store_sums(to->n + i, p.n);
}

INLINE void join(const sat_moments *to, const sat_moments *from, sat_window_rates by, int64_t n, const bool all,
                 const bool counts)
{
    for (int64_t i = 0; i < n; i += F64_LANES) {
        const moments a = load_moments(to, i, all, counts), b = load_moments(from, i, all, counts);
        store_moments(to, i, joined(a, b, by, all, counts, false), all, counts);
    }
}

INLINE moments load_line(const sat_window_line *line, int64_t i, const bool all, const int lines)
{
    moments p = {.sum = lines == WINDOW_LINES_F32 ? load_f32(line->x, i) : load_f64(line->x, i)};
    if (all) p.mean = p.sum;
    if (lines == WINDOW_LINES_COUNTED) p.n = load_sums(line->valid + i);
    return p;
}

/* One member of F64_LANES entries in eight rows, transposed. */
INLINE void store_turned(f64s *v, f64 *out, const int members)
{
    UNROLL for (int j = 0; j < BOX_LINES; j += F64_LANES)
    {
        transpose_square(v + j);
        UNROLL for (int k = 0; k < F64_LANES; k++) store_sums(out + k * members * BOX_LINES + j, v[j + k]);
    }
}

/* Squared deviations are divided by the samples of a column, where these have no counts: then the rates of
 * single samples hold along a row. */
INLINE void store_windows(const moments *v, f64 *out, const f64 *scale, const bool all, const bool counts)
{
    const int members = sat_window_members(all, counts);
    f64s one[BOX_LINES];
#define STORE_MEMBER(member)                                                                                           \
    UNROLL for (int j = 0; j < BOX_LINES; j++) one[j] = member;                                                        \
    store_turned(one, out, members);                                                                                   \
    out += BOX_LINES;
    if (counts) { STORE_MEMBER(v[j].n) }
    STORE_MEMBER(v[j].sum)
    if (all) {
        STORE_MEMBER(v[j].mean)
        STORE_MEMBER(counts ? v[j].m2 : v[j].m2 * scale[j])
    }
#undef STORE_MEMBER
}

INLINE void step_down(const sat_window_step *s, f64 *out, int64_t at, int64_t n, const bool all, const int lines)
{
    const bool counts = lines == WINDOW_LINES_COUNTED;
    for (int64_t i = at; i < n; i += F64_LANES) {
        moments v[BOX_LINES] = {0}, suffix = load_moments(&s->suffix, i, all, counts),
                prefix = load_moments(&s->prefix, i, all, counts), part = load_moments(&s->part, i, all, counts);
        UNROLL for (int j = 0; lines == WINDOW_LINES_F32 && j < BOX_LINES; j++)
            __builtin_prefetch((const f32 *)s->enter[j].x + i + AHEAD_BYTES / sizeof(f32));
        UNROLL for (int j = BOX_LINES - 1; out && j >= 0; j--) v[j] = suffix =
            joined(suffix, load_line(&s->leave[j], i, all, lines), s->of_leave[j], all, counts, true);
        UNROLL for (int j = 0; j < BOX_LINES; j++)
        {
            const moments line = load_line(&s->enter[j], i, all, lines);
            v[j] = joined(v[j], prefix, s->of_window[j], all, counts, false);
            prefix = joined(prefix, line, s->of_prefix[j], all, counts, true);
            part = joined(part, line, s->of_part[j], all, counts, true);
            if (j + 1 == s->split) {
                store_moments(&s->block, i, part, all, counts);
                part = (moments){0};
            }
        }
        store_moments(&s->prefix, i, s->last ? part : prefix, all, counts);
        store_moments(&s->part, i, part, all, counts);
        if (out) store_windows(v, out + i * sat_window_members(all, counts) * BOX_LINES, s->scale, all, counts);
    }
}

/* Windows of few rows, from pairs of them: 7 = 2 + 2 + 2 + 1. */
INLINE void low_down(const sat_window_low *s, f64 *out, int64_t at, int64_t n, const bool all, const int lines)
{
    const bool counts = lines == WINDOW_LINES_COUNTED;
    for (int64_t i = at; i < n; i += F64_LANES) {
        moments v[BOX_LINES], pair[2 * BOX_LINES];
        int k = 2;
        for (int j = 0; s->side > 1 && j < BOX_LINES + s->side - 2; j++)
            pair[j] = joined(load_line(&s->line[j], i, all, lines), load_line(&s->line[j + 1], i, all, lines),
                             s->of_pair[j], all, counts, true);
        UNROLL for (int j = 0; j < BOX_LINES; j++) v[j] = s->side > 1 ? pair[j] : load_line(&s->line[j], i, all, lines);
        for (; k + 1 < s->side; k += 2)
            UNROLL for (int j = 0; j < BOX_LINES; j++) v[j] =
                joined(v[j], pair[j + k], s->of_window[j][k / 2 - 1], all, counts, false);
        if (k < s->side) {
            UNROLL for (int j = 0; j < BOX_LINES; j++) v[j] =
                joined(v[j], load_line(&s->line[j + k], i, all, lines), s->of_window[j][k / 2 - 1], all, counts, true);
        }
        store_windows(v, out + i * sat_window_members(all, counts) * BOX_LINES, s->scale, all, counts);
    }
}

INLINE moments load_turned(const f64 *p, const bool all, const bool counts)
{
    moments m = {0};
    if (counts) m.n = load_sums(p), p += BOX_LINES;
    m.sum = load_sums(p);
    if (all) m.mean = load_sums(p + BOX_LINES), m.m2 = load_sums(p + 2 * BOX_LINES);
    return m;
}

INLINE void keep_turned(f64 *p, moments m, const bool all, const bool counts)
{
    if (counts) store_sums(p, m.n), p += BOX_LINES;
    store_sums(p, m.sum);
    if (all) store_sums(p + BOX_LINES, m.mean), store_sums(p + 2 * BOX_LINES, m.m2);
}

/* Windows from segment to segment, of one channel in F64_LANES rows. */
INLINE void along_rows(const sat_window_along *w, f64 *p, int64_t next, int64_t px, const bool all, const bool counts)
{
    const int64_t side = w->side;
    for (int64_t first = 0; first < px; first += side, p += side * next) {
        moments part = load_turned(p + (side - 1) * next, all, counts);
        for (int64_t i = side - 2; i >= 0; i--) {
            part = joined(part, load_turned(p + i * next, all, counts), w->of_one[side - 1 - i], all, counts, false);
            keep_turned(p + i * next, part, all, counts);
        }
        part = load_turned(p + side * next, all, counts);
        for (int64_t i = 1; i < side && first + i < px; i++) {
            f64 *const window = p + i * next;
            const moments suffix = load_turned(window, all, counts),
                          column = load_turned(window + side * next, all, counts);
            keep_turned(window, joined(suffix, part, w->of_window[i], all, counts, false), all, counts);
            part = joined(part, column, w->of_one[i], all, counts, false);
        }
    }
}

INLINE void along(const sat_window_along *w, f64 *turned, int64_t px, const bool all, const bool counts)
{
    const int64_t column = (int64_t)sat_window_members(all, counts) * BOX_LINES;
    for (int64_t c = 0; c < w->channels; c++)
        for (int lane = 0; lane < BOX_LINES; lane += F64_LANES)
            along_rows(w, turned + c * column + lane, column * w->channels, px, all, counts);
}

/* F64_LANES entries of one of eight rows from each row's. */
INLINE void store_rows(f64s *v, f64 *rows, int64_t row)
{
    transpose_square(v);
    UNROLL for (int k = 0; k < F64_LANES; k++) store_sums(rows + k * row, v[k]);
}

/* The mean of the squares: the mean of the squared deviations plus the squared mean. If a sample is
 * infinite, the deviations are NaN but the squared mean is infinite, and that is the result. */
INLINE f64s mean_of_squares(f64s deviations, f64s mean)
{
    const f64s square = mean * mean, both = deviations + square;
    const i64s is_number = both >= square;
    return (f64s)(((i64s)both & is_number) | ((i64s)square & ~is_number));
}

INLINE void describe(const sat_window_describe *d, const f64 *turned, int64_t n, const bool all, const bool counts)
{
    const int64_t column = (int64_t)sat_window_members(all, counts) * BOX_LINES;
    for (int64_t i = 0; i < n; i += F64_LANES)
        for (int lane = 0; lane < BOX_LINES; lane += F64_LANES) {
            const int64_t to = lane * d->row + i;
            const f64s full = load_sums(d->samples + lane) + d->cut_off, inverse = load_sums(d->inverse + lane);
            f64s count[F64_LANES], sum[F64_LANES], mean[F64_LANES], var[F64_LANES], squares[F64_LANES];
            UNROLL for (int k = 0; k < F64_LANES; k++)
            {
                moments w = load_turned(turned + (i + k) * column + lane, all, counts);
                if (d->cut_off > 0) {
                    const f64 value = d->value[(i + k) % d->channels];
                    const f64s before = counts ? w.n : load_sums(d->samples + lane), apart = value - w.mean;
                    const f64s c = before * (d->cut_off / (before + d->cut_off)) *
                                   (counts ? all_of(1) : load_sums(d->scale + lane));
                    w.n += d->cut_off;
                    w.sum += value * d->cut_off;
                    w.m2 += apart * (c * apart);
                }
                count[k] = w.n;
                sum[k] = w.sum;
                mean[k] = counts ? w.sum / w.n : quotient(w.sum, full, inverse);
                const f64s m2 = w.m2 + 0 * w.sum; /* NaN if the sum is infinite */
                var[k] = counts ? m2 / (w.n - d->ddof) : m2 * load_sums(d->of_var + lane);
                squares[k] = mean_of_squares(counts ? w.m2 / w.n : w.m2 * load_sums(d->of_squares + lane), mean[k]);
            }
            if (counts) store_rows(count, d->n + to, d->row);
            if (d->sum) store_rows(sum, d->sum + to, d->row);
            store_rows(mean, d->mean + to, d->row);
            if (all && d->var) store_rows(var, d->var + to, d->row);
            if (all && d->squares) store_rows(squares, d->squares + to, d->row);
        }
}

#define LINES_DOWN(kind, all, lines)                                                                                   \
    TARGET static void down_##kind(const sat_window_step *step, f64 *out, int64_t at, int64_t n)                       \
    {                                                                                                                  \
        step_down(step, out, at, n, all, lines);                                                                       \
    }                                                                                                                  \
    TARGET static void low_##kind(const sat_window_low *low, f64 *out, int64_t at, int64_t n)                          \
    {                                                                                                                  \
        low_down(low, out, at, n, all, lines);                                                                         \
    }
#define MOMENTS(kind, all, counts)                                                                                     \
    TARGET static void join_##kind(const sat_moments *to, const sat_moments *from, sat_window_rates by, int64_t n)     \
    {                                                                                                                  \
        join(to, from, by, n, all, counts);                                                                            \
    }                                                                                                                  \
    TARGET static void along_##kind(const sat_window_along *w, f64 *turned, int64_t px)                                \
    {                                                                                                                  \
        along(w, turned, px, all, counts);                                                                             \
    }                                                                                                                  \
    TARGET static void describe_##kind(const sat_window_describe *d, const f64 *turned, int64_t n)                     \
    {                                                                                                                  \
        describe(d, turned, n, all, counts);                                                                           \
    }
LINES_DOWN(sums, false, WINDOW_LINES_F64)
LINES_DOWN(sums_f32, false, WINDOW_LINES_F32)
LINES_DOWN(counted_sums, false, WINDOW_LINES_COUNTED)
LINES_DOWN(means, true, WINDOW_LINES_F64)
LINES_DOWN(means_f32, true, WINDOW_LINES_F32)
LINES_DOWN(counted_means, true, WINDOW_LINES_COUNTED)
MOMENTS(sums, false, false)
MOMENTS(counted_sums, false, true)
MOMENTS(means, true, false)
MOMENTS(counted_means, true, true)
#define OF_LINES(name)                                                                                                 \
    {                                                                                                                  \
        {name##_sums, name##_sums_f32, name##_counted_sums},                                                           \
        {                                                                                                              \
            name##_means, name##_means_f32, name##_counted_means                                                       \
        }                                                                                                              \
    }
#define OF_COUNTS(name)                                                                                                \
    {                                                                                                                  \
        {name##_sums, name##_counted_sums},                                                                            \
        {                                                                                                              \
            name##_means, name##_counted_means                                                                         \
        }                                                                                                              \
    }
