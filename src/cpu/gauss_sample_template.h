/* gauss_sample_template.h - rows of any SAMPLE to lines of REAL (gauss_template.h), and lines to results of SAMPLE, but
 * of integers of 32 bits in f32. */
#include "loops_template.h"

TARGET static void NAME(OF_SAMPLE(load))(void *lines, const sat_gauss_rows *from)
{
    REAL *restrict to = lines;
    for (int64_t y = 0; y < from->rows; y++, to += GAUSS_LANES) {
        const char *row = from->data + y * from->row_bytes;
        const SAMPLE *restrict s = (const void *)row;
        if (y + NAME(rows_ahead) < from->rows) __builtin_prefetch(row + NAME(rows_ahead) * from->row_bytes);
        if (from->lanes == GAUSS_LANES) {
            for (int i = 0; i < GAUSS_LANES; i++) to[i] = (REAL)s[i];
            continue;
        }
        for (int i = 0; i < from->lanes; i++) to[i] = (REAL)s[i];
        for (int i = from->lanes; i < GAUSS_LANES; i++) to[i] = 0;
    }
}

#if IS_FLOAT(SAMPLE)
TARGET static int64_t NAME(OF_SAMPLE(store))(const void *lines, const sat_gauss_rows *to)
{
    const REAL *restrict from = lines;
    for (int64_t y = 0; y < to->rows; y++, from += GAUSS_LANES) {
        SAMPLE *restrict s = (void *)(to->data + y * to->row_bytes);
        if (to->lanes == GAUSS_LANES)
            for (int i = 0; i < GAUSS_LANES; i++) s[i] = (SAMPLE)from[i];
        else
            for (int i = 0; i < to->lanes; i++) s[i] = (SAMPLE)from[i];
    }
    return 0;
}
#elif BITS_OF(SAMPLE) < BITS_OF(REAL)
TARGET static int64_t NAME(OF_SAMPLE(store))(const void *lines, const sat_gauss_rows *to)
{
    const REALS least = (REAL)LEAST_OF(SAMPLE) - (REALS){0}, most = (REAL)MOST_OF(SAMPLE) - (REALS){0};
    const REALS below = least - (REAL)0.5, above = most + (REAL)0.5;
    const REAL *restrict from = lines;
    MASKS beyond[VECTORS] = {{0}};
    int64_t cut = 0;
    for (int64_t y = 0; y < to->rows; y++, from += GAUSS_LANES) {
        SAMPLE line[GAUSS_LANES];
        MASK whole[GAUSS_LANES];
        EACH
        {
            REALS v;
            memcpy(&v, from + g * REAL_LANES, sizeof v);
            beyond[g] -= (MASKS)((v >= above) | (v <= below));
            const MASKS rounded = NAME(round)(v, least, most);
            memcpy(whole + g * REAL_LANES, &rounded, sizeof rounded);
        }
        for (int i = 0; i < GAUSS_LANES; i++) line[i] = (SAMPLE)whole[i];
        char *row = to->data + y * to->row_bytes;
        if (to->lanes == GAUSS_LANES)
            memcpy(row, line, sizeof line);
        else
            memcpy(row, line, (size_t)to->lanes * sizeof *line);
    }
    for (int i = 0; i < to->lanes; i++) cut += beyond[i / REAL_LANES][i % REAL_LANES];
    return cut;
}
#endif

TARGET static int64_t NAME(OF_SAMPLE(avoid))(const void *lines, const void *kinds, const sat_gauss_rows *to,
                                             sat_type type, double nodata)
{
    const REAL *from = lines, *kind = kinds;
    const SAMPLE value = (SAMPLE)nodata;
    const SAMPLE above = (SAMPLE)sat_type_beside(type, (double)value, false);
    const SAMPLE below = (SAMPLE)sat_type_beside(type, (double)value, true);
    int64_t moved = 0;
    for (int64_t y = 0; y < to->rows; y++, from += GAUSS_LANES, kind += GAUSS_LANES) {
        SAMPLE *s = (void *)(to->data + y * to->row_bytes);
        for (int i = 0; i < to->lanes; i++) {
            if (s[i] != value || kind[i] != GAUSS_COUNTS) continue;
            s[i] = from[i] < (REAL)value ? below : above;
            moved++;
        }
    }
    return moved;
}
#undef SAMPLE
