/* scan_template.h - running sums of rows of SAMPLE in ACCUM, C channels.
 *
 * SCAN: `scan`, which adds the row above, of the pairs in scan_sample_template.h; or `prefix`, of u16, u32 and u64 to
 * the same.
 *
 * A vector of L lanes is scanned for C interleaved channels in log2(L / C) steps: add the vector moved up
 * by C lanes, then by 2C, 4C, ... (Hillis & Steele 1986, within a register).  Then the sums of everything
 * before are added: lane j needs that of its own channel, and the last lane of that channel in the vector
 * before is L - C + j % C, whatever the channel of lane 0 is: it and L + j differ by a multiple of C.
 *
 * One addition for each vector is all that waits for the vector before.  If C does not divide L, channels
 * change lanes from vector to vector, and the sums are kept as each of the next vectors needs them. */
#include "loops_template.h"

#ifndef SCAN_VECTORS
#define SCAN_VECTORS
/* The last lane of lane i's channel, for the next vector (ahead = 0), for the one after it (1), for the third (2). */
#define LAST(i, ahead, L) ((L)-C + ((i) + (ahead) * (L)) % C)
#define FIRST(i, a, L)    ((i) % C)
#define ABOVE_scan(row)   (row) +
#define ABOVE_prefix(row)
#define ABOVE         NAME_2(ABOVE, SCAN)
#define HAS_ROWS_scan 1
#define COLUMNS_WHILE(K)                                                                                               \
    for (; i + (K) <= n; i += (K), t += (K) * sizeof(ACCUM), s += (K) * sizeof(SAMPLE))                                \
    OF_CHANNELS(scan_columns)(K, t, table_bytes, s, sample_bytes, along, rows)
#endif
#define L      LANES_OF(ACCUM)
#define vector VECTOR_OF(ACCUM)

#if VECTOR_BYTES != 0
/* L samples from p on, scanned. */
INLINE vector NAME_2(OF_CHANNELS(SCAN), loaded)(const SAMPLE *p)
{
    vector v;
    LOAD(SAMPLE, ACCUM, v, p, C);
    if (LOAD_SCANS(SAMPLE, ACCUM)) return v;
    if (C < L) v += MOVE_UP(v, C, L);
    if (2 * C < L) v += MOVE_UP(v, 2 * C, L);
    if (4 * C < L) v += MOVE_UP(v, 4 * C, L);
    if (8 * C < L) v += MOVE_UP(v, 8 * C, L);
    if (16 * C < L) v += MOVE_UP(v, 16 * C, L);
    return v;
}
#endif

TARGET static void OF_CHANNELS(SCAN)(void *row, const void *samples, int64_t n, void *carry)
{
    ACCUM *restrict r = row;
    const SAMPLE *restrict s = samples;
    int64_t i = 0;
#if VECTOR_BYTES != 0
    ACCUM *restrict along = carry;
    vector before, v, out;                                                 /* sums before this vector */
    for (int j = 0; j < L; j++) v[j] = j < L - C ? 0 : along[j - (L - C)]; /* as if from a vector before */
    before = SHUFFLE(v, v, L, LAST, 0);
#if L % C != 0
    vector before1 = SHUFFLE(v, v, L, LAST, 1), before2 = SHUFFLE(v, v, L, LAST, 2); /* as the next two need them */
#endif
    for (; i + L <= n; i += L) {
        v = NAME_2(OF_CHANNELS(SCAN), loaded)(s + i);
        memcpy(&out, r + i, sizeof v);
        out = ABOVE(out)(before + v);
#if L % C == 0
        before += SHUFFLE(v, v, L, LAST, 0);
#else /* 3 channels: after 3 vectors they are in the same lanes again */
        const vector before3 = before + SHUFFLE(v, v, L, LAST, 2);
        before = before1 + SHUFFLE(v, v, L, LAST, 0);
        before1 = before2 + SHUFFLE(v, v, L, LAST, 1);
        before2 = before3;
#endif
        memcpy(r + i, &out, sizeof v);
    }
    for (int j = 0; j < C; j++) along[(i + j) % C] = before[j];
    for (; i < n; i++) {
        const ACCUM value = (ACCUM)s[i];
        r[i] = (ACCUM)(ABOVE(r[i])(along[i % C] = (ACCUM)(along[i % C] + value)));
    }
#else
    ACCUM along[C];
    memcpy(along, carry, sizeof along);
    for (; i < n; i += C)
        for (int c = 0; c < C; c++) {
            const ACCUM value = (ACCUM)s[i + c];
            r[i + c] = (ACCUM)(ABOVE(r[i + c])(along[c] = (ACCUM)(along[c] + value)));
        }
    memcpy(carry, along, sizeof along);
#endif
}

#if NAME_2(HAS_ROWS, SCAN)
/* Rows of few samples go strip by strip: down each strip, the row above stays in registers, and what a row summed
 * before the strip lies in `along`, C sums for each row.  Strips are vectors, and then some columns each, of which K
 * must be known when this is compiled.  No pointer steps beyond the last row, whose stride may be any. */
INLINE void OF_CHANNELS(scan_columns)(const int K, char *t, size_t table_bytes, const char *s, size_t sample_bytes,
                                      ACCUM *restrict along, int64_t rows)
{
    ACCUM up[8];
    for (int j = 0; j < K; j++) up[j] = ((const ACCUM *)(const void *)t)[j];
    for (int64_t r = 0; r < rows; r++, along += C) {
        ACCUM *restrict row = (ACCUM *)(void *)(t += table_bytes);
        const SAMPLE *restrict in = (const SAMPLE *)(const void *)(s + (size_t)r * sample_bytes);
        for (int j = 0; j < K; j++) {
            const ACCUM value = (ACCUM)in[j];
            along[j % C] = (ACCUM)(along[j % C] + value);
            row[j] = up[j] = (ACCUM)(up[j] + along[j % C]);
        }
    }
}

#if VECTOR_BYTES != 0
INLINE void OF_CHANNELS(scan_strip)(char *t, size_t table_bytes, const char *s, size_t sample_bytes,
                                    ACCUM *restrict along, int64_t rows)
{
    vector up, v, before;
    memcpy(&up, t, sizeof up);
    for (int64_t r = 0; r < rows; r++, along += C) {
        v = NAME_2(OF_CHANNELS(scan), loaded)((const SAMPLE *)(const void *)(s + (size_t)r * sample_bytes));
        memcpy(&before, along, sizeof before);
        v = SHUFFLE(before, before, L, FIRST, 0) + v;
        for (int j = 0; j < C; j++) along[j] = (ACCUM)v[L - C + j];
        up = up + v;
        memcpy(t += table_bytes, &up, sizeof up);
    }
}
#endif

TARGET static void OF_CHANNELS(scan_rows)(void *table, size_t table_bytes, const void *samples, size_t sample_bytes,
                                          void *sums, int64_t n, int64_t rows)
{
    char *t = table;
    const char *s = samples;
    ACCUM *restrict along = sums;
    int64_t i = 0;
    memset(along, 0, (size_t)rows * C * sizeof(ACCUM));
#if VECTOR_BYTES != 0
    for (; i + L <= n; i += L, t += L * sizeof(ACCUM), s += L * sizeof(SAMPLE))
        OF_CHANNELS(scan_strip)(t, table_bytes, s, sample_bytes, along, rows);
#endif
    COLUMNS_WHILE(C == 3 ? 6 : 8);
    COLUMNS_WHILE(C == 3 ? 3 : 4);
    if (C < 4) COLUMNS_WHILE(2);
    if (C % 2) COLUMNS_WHILE(1);
}
#endif

#undef L
#undef vector
#undef C
