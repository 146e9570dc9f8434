/* window_along_template.h - windows of a row from its columns: moments are joined in blocks of vectors.
 *
 * Parts of 1, 2, 4, 8 ... columns are joined from two of half their width, and windows from those that the binary
 * digits of `side` name, narrow ones first (cpu_window_floats.c).  Block by block, all widths at a time: the newest
 * part of each width joins the one `width` columns before it, which is late by width * channels entries.
 *
 *     a b c d e f g h | i j k l m n o p        the second block, late by 3:  f g h i j k l m
 *
 * Of parts that are late by less than a block, the block before stays in registers; others wait in a line in memory. */

/* A block of vectors is joined at a time, for fewer instructions between; of means a vector, as registers are few. */
enum { ALONG_VECTORS = F64_LANES == 2 ? 4 : 2 };
#define BLOCK_VECTORS(all) ((all) ? 1 : ALONG_VECTORS)
#define BLOCK(all)         (BLOCK_VECTORS(all) * F64_LANES)

typedef struct along_values {
    f64s v[ALONG_VECTORS];
} along_values;

typedef struct along_part {
    along_values n, sum, mean, m2;
} along_part;

/* Where all parts of a row have the same number of samples: see JOIN_MEANS(). */
typedef struct along_rates {
    f64 r, c;
} along_rates;

enum { ALONG_LEVELS = 40 }; /* more than the binary digits of a window's width that memory holds */

#define LATE(i, s, L) ((i) + (L) - (s))
#define LATE_BY(s)    SHUFFLE(before, v, F64_LANES, LATE, (s) % F64_LANES)

/* v, late by so many lanes. */
INLINE f64s lanes_late_by(f64s before, f64s v, const int lanes)
{
    switch (lanes) {
    case 0: return v;
    case 1: return LATE_BY(1);
    case 2: return LATE_BY(2);
    case 3: return LATE_BY(3);
    case 4: return LATE_BY(4);
    default: return LATE_BY(6);
    }
}

INLINE along_values late_by(along_values before, along_values block, const int entries, const int n)
{
    const int lanes = entries % F64_LANES, vectors = entries / F64_LANES;
    along_values late = block;
    UNROLL for (int j = 0; j < n; j++)
    {
        const int k = j - vectors; /* of this block, or below 0 of the one before */
        const f64s v = k < 0 ? before.v[(k + n) % n] : block.v[k];
        const f64s earlier = k < 1 ? before.v[(k - 1 + n) % n] : block.v[k - 1];
        late.v[j] = lanes_late_by(earlier, v, lanes);
    }
    return late;
}

INLINE along_part part_late_by(along_part before, along_part part, const int entries, const bool all, const bool counts)
{
    const int n = BLOCK_VECTORS(all);
    along_part p = part;
    p.sum = late_by(before.sum, part.sum, entries, n);
    if (all) p.mean = late_by(before.mean, part.mean, entries, n), p.m2 = late_by(before.m2, part.m2, entries, n);
    if (counts) p.n = late_by(before.n, part.n, entries, n);
    return p;
}

INLINE along_values load_values(const f64 *p, const int n)
{
    along_values values = {0};
    UNROLL for (int j = 0; j < n; j++) values.v[j] = load_sums(p + j * F64_LANES);
    return values;
}

INLINE void store_values(f64 *p, along_values values, const int n)
{
    UNROLL for (int j = 0; j < n; j++) store_sums(p + j * F64_LANES, values.v[j]);
}

INLINE along_part load_part(const sat_moments *from, int64_t i, const bool all, const bool counts)
{
    const int n = BLOCK_VECTORS(all);
    along_part p = {0};
    p.sum = load_values(from->sum + i, n);
    if (all) p.mean = load_values(from->mean + i, n), p.m2 = load_values(from->m2 + i, n);
    if (counts) p.n = load_values(from->n + i, n);
    return p;
}

INLINE void store_part(const sat_moments *to, int64_t i, along_part p, const bool all, const bool counts)
{
    const int n = BLOCK_VECTORS(all);
    store_values(to->sum + i, p.sum, n);
    if (all) store_values(to->mean + i, p.mean, n), store_values(to->m2 + i, p.m2, n);
    if (counts) store_values(to->n + i, p.n, n);
}

/* join(), with its operations in their order. */
INLINE along_part join_parts(along_part a, along_part b, along_rates by, const bool all, const bool counts)
{
    const int n = BLOCK_VECTORS(all);
    along_part p = a;
    UNROLL for (int j = 0; j < n; j++)
    {
        p.sum.v[j] = a.sum.v[j] + b.sum.v[j];
        if (counts) p.n.v[j] = a.n.v[j] + b.n.v[j];
        if (all && counts) {
            const f64s both = p.n.v[j], none = (f64s)((i64s)(both == 0) & (i64s)all_of(1));
            const f64s r = b.n.v[j] / (both + none);
            JOIN_MEANS(p.mean.v[j], p.m2.v[j], a.mean.v[j], a.m2.v[j], b.mean.v[j], b.m2.v[j], r, a.n.v[j] * r);
        } else if (all) {
            JOIN_MEANS(p.mean.v[j], p.m2.v[j], a.mean.v[j], a.m2.v[j], b.mean.v[j], b.m2.v[j], by.r, by.c);
        }
    }
    return p;
}

/* Parts of `width` columns, all of one power of two, and the windows of that digit and those before it. */
typedef struct along_level {
    bool digit, first, last; /* of `side`: set; the first that is set; its highest */
    along_rates of_parts, of_windows;
    f64 *line; /* of blocks that wait: parts, then windows, members apart */
    int64_t slots, at;
} along_level;

/* The part and the window of a vector, joined from the late ones and the newest. */
INLINE void join_level(const along_level *level, along_part late_part, along_part late_window, along_part *part,
                       along_part *window, const bool all, const bool counts)
{
    if (level->first)
        *window = *part;
    else if (level->digit)
        *window = join_parts(late_window, *part, level->of_windows, all, counts);
    if (!level->last) *part = join_parts(late_part, *part, level->of_parts, all, counts);
}

/* Late by less than a block. */
INLINE void near_level(const along_level *level, along_part *part_before, along_part *window_before, along_part *part,
                       along_part *window, const int late, const bool all, const bool counts)
{
    const along_part new_part = *part, new_window = *window;
    join_level(level, part_late_by(*part_before, *part, late, all, counts),
               part_late_by(*window_before, *window, late, all, counts), part, window, all, counts);
    *part_before = new_part;
    *window_before = new_window;
}

/* One place of a line, its parts or its windows. */
INLINE sat_moments place(const along_level *level, int64_t at, int windows, const int block)
{
    f64 *p = level->line + (2 * at + windows) * (int64_t)(4 * block);
    return (sat_moments){p, p + block, p + 2 * block, p + 3 * block};
}

/* Late by whole blocks, or, of three channels, by whole blocks and a half. */
INLINE void far_level(along_level *level, bool half, along_part *part, along_part *window, const bool all,
                      const bool counts)
{
    const int block = BLOCK(all);
    const int64_t at = level->at, next = at + 1 == level->slots ? 0 : at + 1;
    const sat_moments parts = place(level, at, 0, block), windows = place(level, at, 1, block);
    const along_part new_part = *part, new_window = *window;
    along_part late_part = load_part(&parts, 0, all, counts), late_window = load_part(&windows, 0, all, counts);
    if (half) {
        const sat_moments parts2 = place(level, next, 0, block), windows2 = place(level, next, 1, block);
        late_part = part_late_by(late_part, load_part(&parts2, 0, all, counts), block / 2, all, counts);
        late_window = part_late_by(late_window, load_part(&windows2, 0, all, counts), block / 2, all, counts);
    }
    join_level(level, late_part, late_window, part, window, all, counts);
    store_part(&parts, 0, new_part, all, counts);
    store_part(&windows, 0, new_window, all, counts);
    level->at = next;
}

INLINE int plan_levels(along_level *levels, f64 count, int64_t side, f64 *line, const int C, const int block)
{
    int n = 0;
    for (int64_t width = 1; width <= side; width *= 2, n++) {
        const f64 na = count * (f64)width, done = count * (f64)(side & (width - 1));
        along_level *l = &levels[n];
        *l = (along_level){.digit = side & width,
                           .first = (side & (2 * width - 1)) == width,
                           .last = 2 * width > side,
                           .of_parts = {na / (na + na), na * (na / (na + na))},
                           .of_windows = {na / (done + na), done * (na / (done + na))},
                           .line = line,
                           .slots = (width * C + block - 1) / block};
        const int64_t entries = l->slots * (8 * block);
        memset(line, 0, (size_t)entries * sizeof *line);
        line += entries;
    }
    return n;
}

INLINE void along(const sat_moments *out, const sat_moments *columns, f64 count, int64_t side, f64 *line, int64_t n,
                  const int C, const bool all, const bool counts)
{
    const int block = BLOCK(all);
    along_level levels[ALONG_LEVELS];
    const int last = plan_levels(levels, count, side, line, C, block);
    const int64_t skip = (side - 1) * C;
    along_part parts0 = {0}, windows0 = {0}, parts1 = {0}, windows1 = {0}, parts2 = {0}, windows2 = {0}, parts3 = {0},
               windows3 = {0};
    for (int64_t i = 0; i < n; i += block) {
        along_part part = load_part(columns, i, all, counts), window = part;
        int k = 0;
        if (C < block) near_level(&levels[k++], &parts0, &windows0, &part, &window, C, all, counts);
        if (2 * C < block && last > 1) near_level(&levels[k++], &parts1, &windows1, &part, &window, 2 * C, all, counts);
        if (4 * C < block && last > 2) near_level(&levels[k++], &parts2, &windows2, &part, &window, 4 * C, all, counts);
        if (8 * C < block && last > 3) near_level(&levels[k++], &parts3, &windows3, &part, &window, 8 * C, all, counts);
        for (; k < last; k++) far_level(&levels[k], C == 3 && (C << k) % block, &part, &window, all, counts);
        if (i + block > skip) store_part(out, i - skip, window, all, counts);
    }
}

#define ALONG(C, kind, all, counts)                                                                                    \
    TARGET static void along_##kind##_##C(const sat_moments *out, const sat_moments *columns, f64 count, int64_t side, \
                                          f64 *line, int64_t n)                                                        \
    {                                                                                                                  \
        along(out, columns, count, side, line, n, C, all, counts);                                                     \
    }
#define ALONG_CHANNELS(kind, all, counts)                                                                              \
    ALONG(1, kind, all, counts)                                                                                        \
    ALONG(2, kind, all, counts) ALONG(3, kind, all, counts) ALONG(4, kind, all, counts)
ALONG_CHANNELS(sums, false, false)
ALONG_CHANNELS(counted_sums, false, true)
ALONG_CHANNELS(means, true, false)
ALONG_CHANNELS(counted_means, true, true)
#define OF_ALONG(kind)                                                                                                 \
    {                                                                                                                  \
        along_##kind##_1, along_##kind##_2, along_##kind##_3, along_##kind##_4                                         \
    }
