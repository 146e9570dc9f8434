/* fuzz_counted.c - tables of what counts, of any spec, mask and views: what cannot be is refused and nothing touched,
 * sums, squares and counts are the definition's, and rectangles are answered of what counts. */
#include <math.h>

#include "api.h"
#include "sat_query.h"

enum { SIDE = 20, ROWS = 8 };

static bool is_real(sat_type type)
{
    return type == SAT_F32 || type == SAT_F64;
}

static sat_plan_spec take_spec(fuzz_input *in)
{
    static const sat_type samples[] = {SAT_U8, SAT_U16, SAT_F32, SAT_U32, SAT_I8, SAT_I16, SAT_I32, SAT_F64};
    static const sat_type accums[] = {SAT_TYPE_NONE, SAT_U32, SAT_U64, SAT_I64, SAT_F32, SAT_F64, SAT_Q32, SAT_I32};
    static const int powers[] = {1, 2, SAT_COUNTS};
    sat_plan_spec s = {.width = 1 + (int64_t)(take(in, 1) % SIDE),
                       .height = 1 + (int64_t)(take(in, 1) % ROWS),
                       .channels = 1 + (int)(take(in, 1) % 4),
                       .sample = samples[take(in, 1) % 8],
                       .accum = take_one_in(in, 2) ? accums[take(in, 1) % 8] : SAT_TYPE_NONE,
                       .layout = (sat_layout)(take(in, 1) % 3),
                       .power = powers[take(in, 1) % 3],
                       .masked = take_one_in(in, 2),
                       .skip_nan = take_one_in(in, 2),
                       .has_nodata = take_one_in(in, 2),
                       .nodata = (double)(take(in, 1) % 128),
                       .threads = take_threads(in),
                       .quant = {.offset = -16, .step = 0.25, .largest = 255}};
    switch (take(in, 1) % 16) {
    case 0: s.power = (int)take_int(in, -3, 4); break;
    case 1: s.nodata = take_real(in); break;
    case 2: s.reserved[take(in, 1) % sizeof s.reserved] = true; break;
    case 3: s.sample = (sat_type)take_int(in, 0, 13); break;
    case 4: s.memory = SAT_DEVICE; break;
    case 5: s.level = take_real(in); break;
    case 6:
    case 7:
        s.level = (double)(take(in, 1) % 64);
        s.accum = SAT_F64;
        break;
    default: break;
    }
    return s;
}

static bool counts(const sat_plan_spec *s, const sat_view *image, const sat_view *mask, int64_t x, int64_t y, int c)
{
    const long double v = load_sample(image, x, y, c);
    const double nodata = s->sample == SAT_F32 ? (double)(float)s->nodata : s->nodata;
    const bool skip_nan = s->skip_nan || (s->has_nodata && isnan(s->nodata));
    return !(s->masked && load_sample(mask, x, y, 0) == 0) && !(skip_nan && isnan(v)) &&
           !(s->has_nodata && v == (long double)nodata);
}

typedef struct total {
    uint64_t whole;
    long double real, magnitude;
} total;

static total total_of(const sat_plan_spec *s, const sat_view *image, const sat_view *mask, const sat_rect *r, int c)
{
    total t = {0};
    for (int64_t y = r->y; y < r->y + r->height; y++)
        for (int64_t x = r->x; x < r->x + r->width; x++) {
            if (!counts(s, image, mask, x, y, c)) continue;
            const long double v = s->power == SAT_COUNTS ? 1 : load_sample(image, x, y, c) - (long double)s->level;
            const long double added = s->power == 2 ? v * v : v;
            if (!is_real(s->sample) || s->power == SAT_COUNTS) {
                const uint64_t whole = (uint64_t)(int64_t)v;
                t.whole += s->power == 2 ? whole * whole : whole;
            }
            t.real += added;
            t.magnitude += fabsl(added);
        }
    return t;
}

static bool is_total(const sat_plan_spec *s, const void *entry, const total *t)
{
    const long double eps = s->accum == SAT_F32 ? 0x1p-24L : 0x1p-53L;
    long double is;
    switch (s->accum) {
    case SAT_U32:
    case SAT_I32: return *(const uint32_t *)entry == (uint32_t)t->whole;
    case SAT_U64:
    case SAT_I64: return *(const uint64_t *)entry == t->whole;
    case SAT_F32: is = (long double)*(const float *)entry; break;
    default: is = (long double)*(const double *)entry;
    }
    if (!isfinite(t->real)) return !isfinite(is);
    return fabsl(is - t->real) <= 4 * (SIDE + ROWS) * eps * t->magnitude;
}

/* How many samples count in a rectangle of any of the image's sums. */
static const char *ask(fuzz_input *in, const sat_plan_spec *s, const sat_view *image, const sat_view *mask,
                       const sat_view *sums)
{
    const sat_table table = {.view = *sums, .layout = s->layout, .sample = s->sample, .level = s->level};
    sat_plan_spec of_counts = *s, spec = {.skip_nan = s->skip_nan, .has_nodata = s->has_nodata, .nodata = s->nodata};
    const sat_run_options run = {.mask = s->masked ? mask : NULL};
    sat_table n;
    double got[4];
    const sat_rect_output output = {"count", got};
    sat_rect r = {.x = (int64_t)(take(in, 1) % (uint64_t)s->width), .y = (int64_t)(take(in, 1) % (uint64_t)s->height)};
    r.width = 1 + (int64_t)(take(in, 1) % (uint64_t)(s->width - r.x));
    r.height = 1 + (int64_t)(take(in, 1) % (uint64_t)(s->height - r.y));
    if (sat_tables_of(image, &spec, &run, NULL, NULL, &n) != SAT_OK) return "no table of counts";
    const sat_statistics question = {.threads = 1, .output = &output, .outputs = 1, .counts = &n};
    const sat_status status = sat_table_statistics(&table, NULL, &r, 1, &question, NULL);
    sat_view_free(&n.view);
    of_counts.power = SAT_COUNTS;
    for (int c = 0; status == SAT_OK && c < s->channels; c++)
        if ((long double)got[c] != total_of(&of_counts, image, mask, &r, c).real) return "a count is another";
    return status == SAT_OK || status == SAT_ERR_RANGE ? NULL : "a right question is refused";
}

static const char *run_plan(fuzz_input *in, sat_plan *plan, const sat_plan_spec *s, block b[3])
{
    const bool padded = s->layout == SAT_PADDED, wild = is_real(s->sample) && take_one_in(in, 2);
    sat_view image = take_view(in, &b[0], s->width, s->height, s->channels, s->sample);
    sat_view mask = take_view(in, &b[1], s->width, s->height, 1, SAT_U8);
    sat_view table = take_view(in, &b[2], s->width + padded, s->height + padded, s->channels, s->accum);
    if (!image.data || !mask.data || !table.data) return NULL;
    fill_view(in, &image, wild);
    fill_view(in, &mask, false);
    for (int64_t y = 0; y < s->height; y++)
        for (int64_t x = 0; x < s->width; x++) *(uint8_t *)sample_at(&mask, x, y, 0) &= 3;
    double level = INFINITY;
    if (sat_image_level(&image, s->masked ? &mask : NULL, &level, s) != SAT_OK) return "an image without a level";
    if (!is_real(s->sample) ? level != 0 : isinf(level) || (s->sample == SAT_F32 && (double)(float)level < level))
        return "a level that no table has";
    const sat_run_options right = {.mask = s->masked ? &mask : NULL}, wrong = {.mask = s->masked ? NULL : &mask};
    if (sat_plan_run(plan, &image, &table, &wrong) == SAT_OK) return "a mask too many, or none";
    if (!block_untouched(&b[2])) return "a refused run has written";
    if (sat_plan_run(plan, &image, &table, &right) != SAT_OK) return "a right run was refused";
    if (!gaps_untouched(&table, &b[2])) return "bytes between the rows were written";
    const int64_t shift = s->layout == SAT_INCLUSIVE;
    for (int64_t y = 0; y < table.height; y++)
        for (int64_t x = 0; x < table.width; x++)
            for (int c = 0; c < s->channels; c++) {
                const total t = total_of(s, &image, &mask, &(sat_rect){0, 0, x + shift, y + shift}, c);
                if (!is_total(s, sample_at(&table, x, y, c), &t)) return "an entry is not its sum";
            }
    return s->power == 1 ? ask(in, s, &image, &mask, &table) : NULL;
}

static const char *run(const uint8_t *bytes, size_t n)
{
    fuzz_input in = {bytes, n};
    sat_plan_spec s = take_spec(&in);
    sat_plan *plan = (sat_plan *)&plan;
    const char *why = NULL;
    const sat_status status = sat_plan_create(&plan, &s);
    const bool reserved = memchr(s.reserved, 1, sizeof s.reserved) != NULL;
    const bool powerless = s.power != SAT_COUNTS && (s.power < 0 || s.power > 2);
    if ((status == SAT_OK) != (plan != NULL)) why = "a status and an object that disagree";
    if (status != SAT_OK && !*sat_detail()) why = "a failure without a line that says why";
    if (status == SAT_OK && s.level != 0 && s.power != SAT_COUNTS && (!is_real(s.sample) || !isfinite(s.level)))
        why = "a wrong level was taken";
    if (status == SAT_OK && (reserved || powerless || s.memory == SAT_DEVICE)) why = "a wrong spec was taken";
    block b[3] = {{0}};
    if (!why && plan && s.accum != SAT_Q32 && block_alloc(&b[0]) && block_alloc(&b[1]) && block_alloc(&b[2])) {
        s.accum = sat_plan_accum(plan);
        if (s.power == 0) s.power = 1;
        why = run_plan(&in, plan, &s, b);
    }
    sat_plan_destroy(&plan);
    for (int i = 0; i < 3; i++) free(b[i].bytes);
    return why;
}

const fuzz_target fuzz = {.run = run};
