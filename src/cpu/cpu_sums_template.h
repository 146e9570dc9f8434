/* cpu_sums_template.h - the loops of cpu_sums.c that go sample by sample.  ACCUM: the type of the sums. */

#define LOOP_(name, accum)   name##_##accum
#define LOOP_OF(name, accum) LOOP_(name, accum)
#define LOOP(name)           LOOP_OF(name, ACCUM)

/* The column sums beyond the edges. */
static void LOOP(continue_columns)(const sat_cpu_sums *e, const sat_cpu_summer *k, int f)
{
    const int64_t before = e->before * e->channels, after = e->after * e->channels;
    ACCUM *left = (ACCUM *)(void *)k->of[f].column, *right = left + before + e->samples;
    const ACCUM *in = left + before;
    for (int64_t i = 0; i < before; i++) left[i] = in[e->beyond[i]];
    for (int64_t i = 0; i < after; i++) right[i] = in[e->beyond[before + i]];
}

/* The window sums of a row from the segments of each window. */
static void LOOP(sum_segments)(const sat_cpu_sums *e, const sat_cpu_summer *k, int f)
{
    const ACCUM *p = (const ACCUM *)(const void *)k->of[f].prefix;
    ACCUM *row = (ACCUM *)(void *)k->of[f].row;
    const int64_t channels = e->channels;
    for (int64_t i = 0; i < e->samples; i++) {
        const sat_box_runs *of = &e->columns[i / channels];
        const int64_t c = i % channels;
        ACCUM sum = 0;
        for (int j = 0; j < of->count; j++) {
            const sat_segment *s = &of->runs[j];
            const ACCUM part = (ACCUM)(p[s->end * channels + c] - p[s->begin * channels + c]);
            sum = (ACCUM)(sum + (ACCUM)(1u * (ACCUM)s->weight * part));
        }
        row[i] = sum;
    }
}

/* What positions beyond the image add to n windows from sample i on; sums: of these. */
static void LOOP(add_values)(const sat_cpu_sums *e, int f, void *restrict sums, int64_t i, int64_t n, int64_t covered_y)
{
    ACCUM *restrict s = sums;
    const uint32_t *restrict covered = e->covered + i;
    const ACCUM *restrict value = (const ACCUM *)e->of[f].values + i;
    const ACCUM area = (ACCUM)e->window->area_px, rows = (ACCUM)covered_y;
    for (int64_t k = 0; k < n; k++)
        s[k] = (ACCUM)(s[k] + (ACCUM)(1u * (ACCUM)(area - (ACCUM)(1u * rows * (ACCUM)covered[k])) * value[k]));
}

static void LOOP(multiply)(void *restrict areas, const uint32_t *restrict covered, int64_t rows, int64_t n)
{
    ACCUM *restrict o = areas;
    for (int64_t i = 0; i < n; i++) o[i] = (ACCUM)(1u * (ACCUM)covered[i] * (ACCUM)rows);
}

static void LOOP(put_values)(const sat_cpu_sums *e, int f)
{
    ACCUM *values = e->of[f].values;
    for (int64_t i = 0; i < e->samples; i++) values[i] = (ACCUM)e->of[f].value[i % e->channels];
}

#undef LOOP
#undef LOOP_OF
#undef LOOP_
#undef ACCUM
