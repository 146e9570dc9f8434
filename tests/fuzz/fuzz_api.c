/* fuzz_api.c - tables, bands, queries and scans of any spec and views: what sat.h does not allow is refused and left
 * alone, and sums are those of the definition. */
#include <math.h>

#include "api.h"
#include "sat_query.h"

enum { SIDE = 20, ROWS = 8, PIXELS = SIDE * ROWS, LARGEST = 1 << 16 };

/* ---- specs ---- */

static bool is_signed(sat_type type)
{
    return type == SAT_I8 || type == SAT_I16 || type == SAT_I32;
}

static bool is_integer(sat_type type)
{
    return type == SAT_U8 || type == SAT_U16 || type == SAT_U32 || is_signed(type);
}

/* The largest magnitude of a sample. */
static uint64_t largest_of(sat_type sample)
{
    const uint64_t range = is_integer(sample) ? (uint64_t)1 << 8 * sat_type_bytes(sample) : (uint64_t)1 << 32;
    return is_signed(sample) ? range / 2 : range - 1;
}

static bool types_right(sat_type sample, sat_type accum)
{
    bool integer = is_integer(sample), is_float = sample == SAT_F32 || sample == SAT_F64;
    switch (accum) {
    case SAT_U32:
    case SAT_U64: return integer && !is_signed(sample);
    case SAT_I32: return integer && sample != SAT_U32;
    case SAT_I64: return integer;
    case SAT_F32: return integer || sample == SAT_F32;
    case SAT_F64: return integer || is_float;
    case SAT_Q32: return is_float;
    case SAT_TYPE_NONE: return integer || is_float;
    default: return false;
    }
}

static sat_plan_spec take_spec(fuzz_input *in)
{
    static const sat_type samples[] = {SAT_U8, SAT_U16, SAT_U32, SAT_F32, SAT_F64, SAT_I8, SAT_I16, SAT_I32};
    static const sat_type accums[] = {SAT_TYPE_NONE, SAT_U32, SAT_U64, SAT_I64, SAT_F32, SAT_F64, SAT_Q32, SAT_I32};
    sat_plan_spec s = {.width = 1 + (int64_t)(take(in, 1) % SIDE),
                       .height = 1 + (int64_t)(take(in, 1) % ROWS),
                       .channels = 1 + (int)(take(in, 1) % 4),
                       .sample = samples[take(in, 1) % (sizeof samples / sizeof *samples)],
                       .accum = accums[take(in, 1) % (sizeof accums / sizeof *accums)],
                       .layout = (sat_layout)(take(in, 1) % 3),
                       .backend = take_one_in(in, 4) ? take_backend(in) : NULL,
                       .threads = take_threads(in),
                       .quant = {.offset = -16, .step = 0.25, .largest = 255}};
    if (!types_right(s.sample, s.accum)) s.accum = SAT_TYPE_NONE;
    switch (take(in, 1) % 32) {
    case 0: s.width = take_int(in, 0, SIDE); break;
    case 1: s.height = take_int(in, 0, ROWS); break;
    case 2: s.channels = (int)take_int(in, 0, 5); break;
    case 3: s.sample = (sat_type)take_int(in, 0, 12); break;
    case 4: s.accum = (sat_type)take_int(in, 0, 12); break;
    case 5: s.layout = (sat_layout)take_int(in, 0, 4); break;
    case 6: s.memory = (sat_memory)take_int(in, 0, 2); break;
    case 7: s.quant.step = take_real(in); break;
    case 8: s.quant.offset = take_real(in); break;
    case 9: s.quant.largest = (uint32_t)take_int(in, 0, 256); break;
    default: break;
    }
    return s;
}

static bool quant_right(const sat_quant *q)
{
    int exponent;
    return isfinite(q->offset) && isnormal(q->step) && q->step > 0 && isnormal(1 / q->step) &&
           frexp(q->step, &exponent) == 0.5 && q->largest >= 1 && q->largest <= INT32_MAX;
}

static bool spec_right(const sat_plan_spec *s)
{
    return side_right(s->width) && side_right(s->height) && s->channels >= 0 && s->channels <= 4 &&
           types_right(s->sample, s->accum) && (unsigned)s->layout <= SAT_EXCLUSIVE &&
           backend_of(s->backend) != UNKNOWN && threads_right(s->threads) && s->memory == SAT_HOST &&
           (s->accum != SAT_Q32 || quant_right(&s->quant));
}

/* ---- the definition ---- */

/* A sum modulo 2^64 and as a real, with the sum of the samples' sizes. */
typedef struct total {
    uint64_t whole;
    long double real, magnitude;
} total;

static total sum_of(const sat_view *image, const sat_plan_spec *s, int64_t x1, int64_t y1, int c)
{
    total t = {0};
    for (int64_t y = 0; y < y1; y++)
        for (int64_t x = 0; x < x1; x++) {
            long double v = load_sample(image, x, y, c);
            if (s->accum == SAT_Q32) v = (v - (long double)s->quant.offset) / (long double)s->quant.step;
            if (is_integer(s->sample)) t.whole += (uint64_t)(int64_t)v;
            if (s->accum == SAT_Q32) t.whole += (uint64_t)(v + 0.5L);
            t.real += v;
            t.magnitude += fabsl(v);
        }
    return t;
}

static bool is_sum(const sat_view *image, const sat_plan_spec *s, const void *entry, const total *should)
{
    long double eps = s->accum == SAT_F32 ? 0x1p-24L : 0x1p-53L;
    long double bound = 2 * (long double)(image->width + image->height) * eps * should->magnitude, is;
    switch (s->accum) {
    case SAT_U32:
    case SAT_I32:
    case SAT_Q32: return *(const uint32_t *)entry == (uint32_t)should->whole;
    case SAT_U64:
    case SAT_I64: return *(const uint64_t *)entry == should->whole;
    case SAT_F32: is = (long double)*(const float *)entry; break;
    default: is = (long double)*(const double *)entry;
    }
    if (isnan(should->real) || isinf(should->real)) return isnan(is) || isinf(is);
    return fabsl(is - should->real) <= bound;
}

static const char *check_table(const sat_view *image, const sat_view *table, const sat_plan_spec *s)
{
    int64_t shift = s->layout == SAT_INCLUSIVE ? 1 : 0;
    for (int64_t y = 0; y < table->height; y++)
        for (int64_t x = 0; x < table->width; x++)
            for (int c = 0; c < table->channels; c++) {
                total should = sum_of(image, s, x + shift, y + shift, c);
                if (!is_sum(image, s, sample_at(table, x, y, c), &should)) return "an entry is not its sum";
            }
    return NULL;
}

/* ---- questions ---- */

typedef enum answer { ANSWERED, NOWHERE, BAD_RECT, BAD_RANGE } answer;

static int64_t end_of(int64_t begin, int64_t length, int64_t most)
{
    __int128 end = (__int128)begin + length;
    return end < most ? (int64_t)end : most;
}

/* What sat.h says of a rectangle, which is cut to the image. */
static answer expect(const sat_plan_spec *s, int64_t height, sat_rect *r, bool clip)
{
    if (r->width < 1 || r->height < 1) return BAD_RECT;
    sat_rect cut = {.x = r->x > 0 ? r->x : 0, .y = r->y > 0 ? r->y : 0};
    cut.width = end_of(r->x, r->width, s->width) - cut.x;
    cut.height = end_of(r->y, r->height, height) - cut.y;
    bool inside = cut.x == r->x && cut.y == r->y && cut.width == r->width && cut.height == r->height;
    if (!clip && !inside) return BAD_RECT;
    if (cut.width < 1 || cut.height < 1) return NOWHERE;
    *r = cut;
    if (s->layout == SAT_EXCLUSIVE && (cut.x + cut.width == s->width || cut.y + cut.height == height)) return BAD_RANGE;
    uint64_t area = (uint64_t)(cut.width * cut.height);
    uint64_t largest = s->accum == SAT_Q32 ? s->quant.largest : largest_of(s->sample);
    if ((s->accum == SAT_U32 || s->accum == SAT_Q32) && area > UINT32_MAX / largest) return BAD_RANGE;
    if (s->accum == SAT_I32 && area > ((uint64_t)INT32_MAX + is_signed(s->sample)) / largest) return BAD_RANGE;
    return ANSWERED;
}

static uint64_t rect_sum(const sat_view *image, const sat_rect *r, int c)
{
    uint64_t sum = 0;
    for (int64_t y = r->y; y < r->y + r->height; y++)
        for (int64_t x = r->x; x < r->x + r->width; x++) sum += (uint64_t)(int64_t)load_sample(image, x, y, c);
    return sum;
}

enum { RECTS = 6 };

static const char *check_answers(const sat_view *image, const sat_plan_spec *s, const sat_rect *rects,
                                 const answer *want, size_t n, const sat_sum *sums, const double *means)
{
    size_t channels = (size_t)image->channels;
    for (size_t i = 0; i < n * channels; i++) {
        const sat_rect *r = &rects[i / channels];
        if (want[i / channels] == NOWHERE && (sums[i].u != 0 || !isnan(means[i])))
            return "an answer for a rectangle without pixels";
        if (want[i / channels] != ANSWERED || !is_integer(s->sample) || s->accum == SAT_F32 || s->accum == SAT_F64)
            continue;
        uint64_t sum = rect_sum(image, r, (int)(i % channels));
        if (sums[i].u != sum) return "a rectangle's sum is not that of its pixels";
        if (means[i] !=
            (is_signed(s->sample) ? (double)(int64_t)sum : (double)sum) / ((double)r->width * (double)r->height))
            return "a mean is not the sum's";
    }
    return NULL;
}

/* How much of pixel i lies between two edges. */
static long double covered(double from, double to, int64_t i)
{
    const long double low = from > (double)i ? (long double)from : (long double)i;
    const long double high = to < (double)(i + 1) ? (long double)to : (long double)(i + 1);
    return high > low ? high - low : 0;
}

/* A rectangle of eighths, or of any f64: refused, or the area that it covers and the sum over that. */
static const char *query_fractions(fuzz_input *in, const sat_view *image, const sat_table *t, bool clip)
{
    sat_sum sums[4];
    double means[4], area, side[4];
    bool any = take_one_in(in, 4);
    for (int i = 0; i < 4; i++) {
        const uint64_t bits = any ? take(in, 8) : 0;
        memcpy(&side[i], &bits, sizeof bits);
        if (!any) side[i] = (double)take_int(in, -16, 8 * SIDE) / 8;
    }
    const sat_rect_f64 r = {side[0], side[1], side[2], side[3]};
    const sat_rect_output mean = {"mean", means};
    const sat_statistics ask = {
        .flags = clip ? SAT_CLIP : 0, .threads = 1, .sums = sums, .areas_f64 = &area, .output = &mean, .outputs = 1};
    const sat_status status = sat_table_statistics_f64(t, NULL, &r, 1, &ask, NULL);
    if (status == SAT_ERR_RECT || status == SAT_ERR_RANGE) return NULL;
    if (status != SAT_OK) return "a rectangle with fractions has another status";
    if (!(area >= 0 && area <= (double)image->width * (double)image->height)) return "an area larger than the image";
    const double x1 = r.x + r.width, y1 = r.y + r.height;
    for (int c = 0; c < image->channels; c++) {
        long double sum = 0, size = 0;
        for (int64_t y = 0; y < image->height; y++)
            for (int64_t x = 0; x < image->width; x++) {
                const long double weight = covered(r.x, x1, x) * covered(r.y, y1, y);
                if (weight > 0) sum += weight * load_sample(image, x, y, c);
                if (weight > 0) size += weight * fabsl(load_sample(image, x, y, c));
            }
        if (area == 0 && (sums[c].f != 0 || !isnan(means[c]))) return "an answer for a rectangle without pixels";
        if (!is_integer(t->sample) || t->view.type == SAT_F32 || t->view.type == SAT_F64) continue;
        if (!(fabsl((long double)sums[c].f - sum) <= 15 * 0x1p-53L * size + 0x1p-1000L))
            return "a sum of fractions is another";
    }
    return NULL;
}

/* The image itself answers what a table does; sums of integers are the same. */
static const char *query_image(const sat_view *image, const sat_table *t, const sat_rect *rects, size_t n, bool clip,
                               const sat_sum *sums)
{
    sat_sum own[RECTS * 4] = {0};
    double variances[RECTS * 4];
    const sat_rect_output variance = {"var", variances};
    const sat_statistics ask = {
        .flags = clip ? SAT_CLIP : 0, .threads = 1, .sums = own, .output = &variance, .outputs = 1};
    const size_t all = n * (size_t)image->channels;
    if (sat_image_statistics(image, rects, n, &ask, NULL) != SAT_OK) return "an image refuses what its table answers";
    const bool exact = is_integer(t->sample) && t->view.type != SAT_F32 && t->view.type != SAT_F64;
    for (size_t i = 0; exact && i < all; i++) {
        if (own[i].u != sums[i].u) return "a sum of the image is not the table's";
        if (variances[i] < 0) return "a variance below 0";
    }
    return NULL;
}

static const char *query_table(fuzz_input *in, const sat_view *image, const sat_view *view, const sat_plan_spec *s)
{
    sat_table table = {.view = *view, .layout = s->layout, .sample = s->sample, .quant = s->quant};
    sat_rect rects[RECTS] = {{0}}, cut[RECTS];
    sat_sum sums[RECTS * 4] = {0}, again[RECTS * 4] = {0};
    double means[RECTS * 4] = {0}, means_again[RECTS * 4] = {0};
    answer want[RECTS], first_bad = ANSWERED;
    size_t n = take(in, 1) % (RECTS + 1);
    bool clip = take_one_in(in, 2);
    for (size_t i = 0; i < n; i++) {
        cut[i] = rects[i] = (sat_rect){.x = take_int(in, -2, SIDE),
                                       .y = take_int(in, -2, ROWS),
                                       .width = take_int(in, 0, SIDE),
                                       .height = take_int(in, 0, ROWS)};
        want[i] = expect(s, image->height, &cut[i], clip);
        if (first_bad < BAD_RECT) first_bad = want[i];
    }
    sat_status status = sat_table_query(&table, rects, n, clip ? SAT_CLIP : 0, 1, sums, means);
    sat_status should = first_bad == BAD_RECT ? SAT_ERR_RECT : first_bad == BAD_RANGE ? SAT_ERR_RANGE : SAT_OK;
    if (status != should) return "rectangles were answered that are to be refused, or refused";
    const char *why = status == SAT_OK ? check_answers(image, s, cut, want, n, sums, means) : NULL;
    if (!why && status == SAT_OK) why = query_image(image, &table, rects, n, clip, sums);

    sat_query *query = NULL;
    sat_status made = sat_query_create(&query, &table, &(sat_query_spec){.flags = clip ? SAT_CLIP : 0});
    if (!why && made != SAT_OK) why = "a valid table is refused";
    if (!why && sat_query_run(query, rects, n, again, means_again, NULL) != status) why = "two ways, two statuses";
    if (!why && memcmp(sums, again, sizeof sums) != 0) why = "two ways, two answers";
    sat_query_destroy(&query);
    return why ? why : query_fractions(in, image, &table, clip);
}

/* A table that is described wrongly: anything but a crash, and what cannot be is refused. */
static const char *query_wrong_table(fuzz_input *in, const sat_view *view, const sat_plan_spec *s, const block *b)
{
    sat_table table = {.view = *view, .layout = s->layout, .sample = s->sample, .quant = s->quant};
    sat_rect rect = {take_int(in, 0, SIDE), take_int(in, 0, ROWS), take_int(in, 1, SIDE), take_int(in, 1, ROWS)};
    sat_sum sums[4];
    double means[4];
    spoil_view(in, &table.view, b);
    if (take_one_in(in, 4)) table.layout = (sat_layout)take_int(in, 0, 4);
    if (take_one_in(in, 4)) table.sample = (sat_type)take_int(in, 0, 12);
    unsigned flags = (unsigned)take_int(in, 0, 2);
    bool right = view_right(&table.view) && samples_apart(&table.view) && table.view.memory == SAT_HOST &&
                 (unsigned)table.layout <= SAT_EXCLUSIVE && flags <= SAT_CLIP && table.view.type != SAT_TYPE_NONE &&
                 types_right(table.sample, table.view.type);
    if (right && !view_inside(&table.view, b)) return NULL;
    poison_if_wrong(&table.view);
    sat_status status = sat_table_query(&table, &rect, 1, flags, (int)take_int(in, 0, 3), sums, means);
    return status == SAT_OK && !right ? "a wrong table was accepted" : NULL;
}

/* ---- tables ---- */

static bool in_range(const sat_view *image, const sat_plan_spec *s)
{
    for (int64_t i = 0; s->accum == SAT_Q32 && i < image->width * image->height * image->channels; i++) {
        int64_t pixel = i / image->channels;
        long double v = load_sample(image, pixel % image->width, pixel / image->width, (int)(i % image->channels));
        long double q = (v - (long double)s->quant.offset) / (long double)s->quant.step;
        if (!(q >= 0 && q <= s->quant.largest)) return false;
    }
    return true;
}

/* The same table in two bands, joined by a carry row. */
static const char *in_bands(sat_plan *plan, const sat_view *image, const sat_view *whole, const sat_plan_spec *s,
                            int64_t rows)
{
    static const char different[] = "two bands make another table";
    uint64_t carry[SIDE * 4];
    block b;
    if (!block_alloc(&b)) return NULL;
    sat_view first = *image, second = *image, to = *whole;
    bool padded = s->layout == SAT_PADDED;
    first.height = rows;
    second.height -= rows;
    second.data = sample_at(image, 0, rows, 0);
    uint8_t *const lowest = lowest_of(whole);
    to.data = b.bytes + (uintptr_t)lowest % 64 + ((uint8_t *)whole->data - lowest); /* blocks are aligned to that */
    to.height = rows + padded;
    sat_view rest = to;
    rest.data = sample_at(&to, 0, to.height, 0);
    rest.height = image->height - rows;
    bool ok = sat_plan_run(plan, &first, &to, &(sat_run_options){.carry_out = carry}) == SAT_OK &&
              sat_plan_run(plan, &second, &rest,
                           &(sat_run_options){.carry_in = carry, .carry_out = carry, .continues = padded}) == SAT_OK;
    const char *why = ok ? NULL : "a band was refused";
    to.height = whole->height;
    bool exact = s->accum != SAT_F32 && s->accum != SAT_F64;
    if (!why && exact && !same_samples(&to, whole)) why = different;
    if (!why) why = check_table(image, &to, s);
    free(b.bytes);
    return why;
}

static bool so_often(void *context)
{
    int64_t *left = context;
    return (*left)-- > 0;
}

/* Any options: those of later versions are refused, a run ends if its caller says so, an end that comes at once writes
 * nothing.  How often a run asks depends on time. */
static const char *with_options(fuzz_input *in, sat_plan *plan, const sat_view *image, const sat_view *table, block *to)
{
    int64_t left = take(in, 1) % 4;
    sat_counts counts = {.clipped = 3};
    sat_run_options run = {.context = &left};
    if (take_one_in(in, 2)) run.proceed = so_often;
    if (take_one_in(in, 2)) run.counts = &counts;
    if (take_one_in(in, 4)) run.reserved[take(in, 1) % sizeof run.reserved] = true;
    if (take_one_in(in, 4)) run.first_row = take_int(in, -1, 1);
    if (take_one_in(in, 4)) run.rows = take_int(in, -1, 1);
    const bool later = run.first_row != 0 || run.rows != 0 || memchr(run.reserved, 1, sizeof run.reserved);
    const bool at_once = run.proceed && left == 0;
    memset(to->bytes, POISON, BLOCK_BYTES);
    const sat_status status = sat_plan_run(plan, image, table, &run);
    if (later != (status == SAT_ERR_ARGUMENT)) return "options of later versions are taken, or others refused";
    const bool ended = left < 0; /* so_often() has said so */
    if (!later && ended != (status == SAT_ERR_CANCELLED)) return "a run goes on, or has ended";
    if (at_once && !later && !ended) return "a run does not ask first";
    if ((later || at_once) && !block_untouched(to)) return "a run that was refused or ended has written";
    return !later && run.counts && counts.clipped != -1 ? "a table counts" : NULL;
}

static bool fits_plan(const sat_view *image, const sat_view *table, const sat_plan_spec *s)
{
    bool padded = s->layout == SAT_PADDED;
    return view_right(image) && view_right(table) && samples_apart(table) && image->width == s->width &&
           image->height <= s->height && table->width == s->width + padded && table->height == image->height + padded &&
           image->channels == s->channels && table->channels == s->channels && image->type == s->sample &&
           table->type == s->accum && image->memory == SAT_HOST && table->memory == SAT_HOST &&
           views_overlap(image, table) != SHARED;
}

static const char *run_plan(fuzz_input *in, sat_plan *plan, const sat_plan_spec *s, block *from, block *to)
{
    bool padded = s->layout == SAT_PADDED, floats = !is_integer(s->sample);
    int64_t height = 1 + (int64_t)(take(in, 1) % (uint64_t)s->height);
    sat_view image = take_view(in, from, s->width, height, s->channels, s->sample);
    sat_view table = take_view(in, to, s->width + padded, height + padded, s->channels, s->accum);
    if (!image.data || !table.data) return NULL;
    bool wild = floats && take_one_in(in, 8);
    if (take_one_in(in, 4)) {
        spoil_view(in, &image, to);
        spoil_view(in, &table, from);
    }
    bool right = fits_plan(&image, &table, s);
    if (right && (!view_inside(&image, from) || !view_inside(&table, to))) return NULL;
    if (right) fill_view(in, &image, wild);
    poison_if_wrong(&image);
    poison_if_wrong(&table);

    sat_status status = sat_plan_run(plan, &image, &table, NULL);
    if (!right && status == SAT_OK) return "a wrong view was summed";
    if (!right) return block_untouched(to) ? NULL : "a refused run has written";
    if (backend_of(s->backend) == OTHER) return NULL; /* sums nothing */
    if (status == SAT_ERR_RANGE && !in_range(&image, s)) return NULL;
    if (status != SAT_OK) return views_overlap(&image, &table) == APART ? "a right run was refused" : NULL;
    if (!in_range(&image, s)) return "a sample outside the declared range was taken";
    if (!gaps_untouched(&table, to)) return "bytes between the rows were written";
    const char *why = check_table(&image, &table, s);
    if (!why) why = take_one_in(in, 2) ? query_table(in, &image, &table, s) : query_wrong_table(in, &table, s, to);
    height = image.height;
    if (!why && height > 1 && !wild)
        why = in_bands(plan, &image, &table, s, 1 + (int64_t)(take(in, 1) % (uint64_t)(height - 1)));
    return why ? why : with_options(in, plan, &image, &table, to);
}

static const char *plans(fuzz_input *in)
{
    sat_plan_spec s = take_spec(in);
    sat_plan *plan = (sat_plan *)&plan;
    bool right = spec_right(&s), small = s.width <= SIDE && s.height <= ROWS;
    const char *why = NULL;
    if (right && s.width > LARGEST) return NULL; /* a plan takes memory for rows */
    sat_status status = sat_plan_create(&plan, &s);
    if ((status == SAT_OK) != (plan != NULL)) why = "a status and an object that disagree";
    if (status == SAT_OK && !right) why = "a wrong spec was taken";
    if (status != SAT_OK && right && small && backend_of(s.backend) == COMPUTES) why = "a right spec was refused";
    if (status != SAT_OK && !*sat_detail()) why = "a failure without a line that says why";
    block from = {0}, to = {0};
    if (!why && plan && small && block_alloc(&from) && block_alloc(&to)) {
        s.channels = s.channels ? s.channels : 1;
        s.accum = sat_plan_accum(plan);
        why = run_plan(in, plan, &s, &from, &to);
    }
    sat_plan_destroy(&plan);
    free(from.bytes);
    free(to.bytes);
    return why;
}

/* ---- scans ---- */

static const char *run_scan(fuzz_input *in, sat_scan *scan, const sat_scan_spec *s, block *from, block *to)
{
    sat_view array = {.data = from->bytes,
                      .row_bytes = BLOCK_BYTES,
                      .width = s->length,
                      .height = 1,
                      .channels = 1,
                      .type = s->sample};
    sat_type accum = s->accum ? s->accum : sat_accum_for(s->sample, s->length);
    if (accum == SAT_TYPE_NONE) accum = is_signed(s->sample) ? SAT_I64 : SAT_U64;
    if (!is_integer(s->sample)) return NULL;
    fill_view(in, &array, false);
    if (sat_scan_run(scan, NULL, to->bytes, NULL) != SAT_ERR_ARGUMENT) return "a scan of nothing";
    if (sat_scan_run(scan, from->bytes, from->bytes, NULL) == SAT_OK) return "a scan onto itself";
    if (sat_scan_run(scan, from->bytes, to->bytes, NULL) != SAT_OK) return "a right scan was refused";
    uint64_t sum = 0;
    for (int64_t i = 0; i < s->length; i++) {
        uint64_t v = (uint64_t)(int64_t)load_sample(&array, i, 0, 0), should = s->exclusive ? sum : sum + v;
        sum += v;
        bool right = accum == SAT_U32 || accum == SAT_I32   ? ((uint32_t *)(void *)to->bytes)[i] == (uint32_t)should
                     : accum == SAT_U64 || accum == SAT_I64 ? ((uint64_t *)(void *)to->bytes)[i] == should
                                                            : true;
        if (!right) return "an element is not its sum";
    }
    size_t bytes = (size_t)s->length * sat_type_bytes(accum);
    return untouched(to->bytes + bytes, BLOCK_BYTES - bytes) ? NULL : "a scan wrote behind its end";
}

static const char *scans(fuzz_input *in)
{
    enum { LONGEST = 100 };
    bool named = take_one_in(in, 2);
    const char *name = take_scan(in);
    sat_scan_spec s = {.length = take_int(in, 1, LONGEST),
                       .sample = (sat_type)take_int(in, 0, 8),
                       .accum = (sat_type)take_int(in, 0, 8),
                       .exclusive = take_one_in(in, 2),
                       .memory = take_one_in(in, 16) ? (sat_memory)take_int(in, 0, 2) : SAT_HOST,
                       .method = !named ? NULL
                                 : name ? name
                                        : "no such scan",
                       .block_threads = take_one_in(in, 16) ? (int)take_int(in, 0, 3) : 0,
                       .naive_staging = take_one_in(in, 16)};
    bool whole = s.sample == SAT_U64;
    bool types = whole ? s.accum == SAT_U64 || s.accum == SAT_I64 || s.accum == SAT_TYPE_NONE
                       : s.accum != SAT_Q32 && types_right(s.sample, s.accum);
    bool right = side_right(s.length) && types && s.memory == SAT_HOST && (name || !named) && s.block_threads >= 0;
    sat_scan *scan = (sat_scan *)&scan;
    const char *why = NULL;
    sat_status status = sat_scan_create(&scan, &s);
    if ((status == SAT_OK) != (scan != NULL)) why = "a status and an object that disagree";
    if (status == SAT_OK && !right) why = "a wrong scan was taken";
    if (status != SAT_OK && right && s.block_threads == 0 && !s.naive_staging && s.length <= LONGEST)
        why = "a right scan was refused";
    block from = {0}, to = {0};
    if (!why && scan && s.length <= LONGEST && block_alloc(&from) && block_alloc(&to))
        why = run_scan(in, scan, &s, &from, &to);
    sat_scan_destroy(&scan);
    free(from.bytes);
    free(to.bytes);
    return why;
}

/* ---- the rest ---- */

static const char *quants(fuzz_input *in)
{
    double low = take_real(in), high = take_real(in);
    int64_t area = take_int(in, 1, 200);
    sat_quant q = {0};
    sat_status status = sat_quant_for(low, high, area, &q);
    if (status != SAT_OK) return *sat_detail() ? NULL : "a failure without a line that says why";
    if (!(low <= high) || area < 1) return "a wrong range was taken";
    if (!quant_right(&q)) return "a fixed point that is none";
    if ((unsigned __int128)q.largest * (uint64_t)area > UINT32_MAX) return "a fixed point that may wrap";
    if (!(q.offset <= low)) return "the lowest sample is below the offset";
    long double held = (long double)q.offset + (long double)q.step * (q.largest + 0.5L); /* samples are rounded */
    return held >= (long double)high ? NULL : "the highest sample is not held";
}

static const char *sizes(fuzz_input *in)
{
    int64_t width = take_int(in, 0, SIDE), area = take_int(in, 0, PIXELS);
    int channels = (int)take_int(in, 0, 5);
    sat_type type = (sat_type)take_int(in, 0, 12);
    char name[16] = "";
    for (size_t i = 0; i < sizeof name - 1; i++) name[i] = (char)take(in, 1);
    sat_layout layout;
    unsigned __int128 row = (unsigned __int128)(width > 0 ? width : 0) * (unsigned)channels * sat_type_bytes(type);
    bool right = side_right(width) && channels >= 1 && channels <= 4;
    if (sat_row_bytes(width, channels, type) != (right ? row : 0)) return "bytes of a row";
    sat_type accum = sat_accum_for(type, area);
    unsigned __int128 sum = (unsigned __int128)(area > 0 ? area : 0) * largest_of(type);
    if (is_integer(type) && area > 0 &&
        accum != (is_signed(type)     ? sum <= (uint64_t)1 << 31   ? SAT_I32
                                        : sum <= (uint64_t)1 << 63 ? SAT_I64
                                                                   : SAT_TYPE_NONE
                  : sum <= UINT32_MAX ? SAT_U32
                  : sum <= UINT64_MAX ? SAT_U64
                                      : SAT_TYPE_NONE))
        return "not the narrowest accumulator";
    if (area < 1 && accum != SAT_TYPE_NONE) return "an accumulator of nothing";
    type = sat_type_from_name(name);
    if (type != SAT_TYPE_NONE && strcmp(sat_type_name(type), name) != 0) return "a type of another name";
    if (sat_layout_from_name(name, &layout) && strcmp(sat_layout_name(layout), name) != 0)
        return "a layout of another name";
    return *sat_status_text((sat_status)take_int(in, 0, 10)) ? NULL : "a status without a sentence";
}

/* Without CUDA everything about devices says so. */
static const char *devices(fuzz_input *in)
{
    block b;
    sat_device_info info;
    void *data = &info;
    if (sat_device_current(&info) == SAT_OK || !block_alloc(&b)) return NULL;
    sat_view from = take_view(in, &b, 4, 4, 1, SAT_U8), to = from;
    spoil_view(in, &from, &b);
    spoil_view(in, &to, &b);
    poison_if_wrong(&from);
    poison_if_wrong(&to);
    const char *why = NULL;
    if (sat_device_copy(&from, &to, NULL) == SAT_OK) why = "a copy without a device";
    if (sat_device_alloc(&data, (size_t)take_int(in, 0, 64)) == SAT_OK || data) why = "memory without a device";
    if (sat_device_fill(b.bytes, 0, 16, NULL) == SAT_OK || !block_untouched(&b)) why = "a fill without a device";
    free(b.bytes);
    return why;
}

static const char *run(const uint8_t *bytes, size_t n)
{
    fuzz_input in = {bytes, n};
    switch (take(&in, 1) % 16) {
    case 0: return scans(&in);
    case 1: return quants(&in);
    case 2: return sizes(&in);
    case 3: return devices(&in);
    default: return plans(&in);
    }
}

const fuzz_target fuzz = {.run = run};
