/* subject_batches.c - several images in one call, with gaps between pixels, rows and images: their tables, rectangles
 * and filters are those of each image by itself. */
#include <stdlib.h>
#include <string.h>

#include "stage.h"

enum { MOST_IMAGES = 6, RECTS = 300 };

typedef struct batch {
    picture pictures[MOST_IMAGES];
    int64_t count;
    sat_memory memory;                    /* of backends that run on a device */
    size_t pixel_gap, row_gap, image_gap; /* in samples */
    bool carry_out;
    sat_box_spec filter; /* of filters; backend NULL */
    size_t k;
    effort effort;
    uint64_t random;
} batch;

static void drop(void *made)
{
    batch *b = made;
    if (b == NULL) return;
    for (int i = 0; i < MOST_IMAGES; i++) picture_close(&b->pictures[i]);
    free(b);
}

static void text(const void *made, char *line, size_t bytes)
{
    const batch *b = made;
    char first[120];
    picture_text(&b->pictures[0], first, sizeof first);
    snprintf(line, bytes, "%lld of %s; gaps %zu %zu %zu; %s memory", (long long)b->count, first, b->pixel_gap,
             b->row_gap, b->image_gap, b->memory == SAT_HOST ? "host" : "device");
}

static size_t cases(effort e)
{
    return pairs(TABLES) * (e == FULL ? 12 : e == QUICK ? 2 : 4);
}

/* Small images, and those of several tiles, in both directions; in the simulator tiles are small. */
static shape random_shape(uint64_t *random, effort e)
{
    if (random64(random) % 2) return (shape){random_in(random, 1, 40), random_in(random, 1, 40)};
    if (e == SIMT) return (shape){random_in(random, 60, 300), random_in(random, 13, 40)};
    if (e == QUICK) return (shape){random_in(random, 100, 700), random_in(random, 100, 300)};
    return (shape){random_in(random, 100, 2100), random_in(random, 100, 1100)};
}

/* Rows for which kernels/box/box_wide.cu is, and so many that its windows do not leave the image by more than that. */
static shape wide_shape(uint64_t *random, effort e)
{
    if (e == SIMT) return (shape){random_in(random, 60, 300), random_in(random, 13, 40)};
    if (e == QUICK) return (shape){random_in(random, 520, 700), random_in(random, 150, 200)};
    return (shape){random_in(random, 520, 2100), random_in(random, 300, 700)};
}

/* Filters need no tables of their images. */
static batch *make_images(uint64_t seed, size_t k, effort e, bool tables, bool wide)
{
    batch *b = calloc(1, sizeof *b);
    pair types;
    pair_at(TABLES, k % pairs(TABLES), &types);
    if (b == NULL) {
        fail("out of memory");
        return NULL;
    }
    shape s = wide ? wide_shape(&seed, e) : random_shape(&seed, e);
    sat_plan_spec spec = {.width = s.width, .height = s.height, .channels = (int)random_in(&seed, 1, 4)};
    spec.sample = types.sample, spec.accum = types.accum, spec.layout = (sat_layout)random_in(&seed, 0, 2);
    if (types.accum == SAT_Q32) sat_quant_for(-1, 1, s.width * s.height, &spec.quant);
    b->count = random_in(&seed, 1, MOST_IMAGES);
    b->memory = random64(&seed) % 3 ? SAT_DEVICE : SAT_HOST;
    b->pixel_gap = random64(&seed) % 3 ? 0 : (size_t)random_in(&seed, 1, 3);
    b->row_gap = random64(&seed) % 2 ? 0 : (size_t)random_in(&seed, 1, 16);
    b->image_gap = random64(&seed) % 2 ? 0 : (size_t)random_in(&seed, 1, 40);
    b->carry_out = random64(&seed) % 2;
    b->random = seed;
    bool ok = true;
    for (int64_t i = 0; i < b->count && ok; i++)
        ok = picture_open(&b->pictures[i], &spec, s.height, i % 2 ? RANDOM : PERIOD, random64(&seed)) &&
             (!tables || picture_answer(&b->pictures[i]));
    if (ok) return b;
    drop(b);
    return NULL;
}

static void *make(uint64_t seed, size_t k, effort e)
{
    return make_images(seed, k, e, true, false);
}

/* ---- memory -------------------------------------------------------------------------------------------- */

/* A view of `count` images of a picture's shape inside an area of bytes. */
static sat_view placed(const sat_view *like, int64_t count, size_t pixel_gap, size_t row_gap, size_t image_gap)
{
    size_t size = sat_type_bytes(like->type);
    sat_view v = *like;
    v.count = count;
    v.pixel_bytes = (ptrdiff_t)(((size_t)v.channels + pixel_gap) * size);
    v.row_bytes = (ptrdiff_t)((size_t)v.width * (size_t)v.pixel_bytes + row_gap * size);
    v.image_bytes = (ptrdiff_t)((size_t)v.height * (size_t)v.row_bytes + image_gap * size);
    return v;
}

static bool open_bytes(area *a, const sat_view *v, sat_memory memory)
{
    const size_t bytes = (size_t)v->count * (size_t)v->image_bytes;
    const sat_view flat = {.width = (int64_t)bytes, .height = 1, .channels = 1, .type = SAT_U8, .memory = memory};
    return area_open(a, flat, (placement){.guard = 1024});
}

static char *pixel_of(const sat_view *v, char *bytes, int64_t i, int64_t y, int64_t x)
{
    return bytes + (size_t)i * (size_t)v->image_bytes + (size_t)y * (size_t)v->row_bytes +
           (size_t)x * (size_t)v->pixel_bytes;
}

/* All images into the area, each where the view has it. */
static bool write_images(const batch *b, area *a, const sat_view *v)
{
    const size_t bytes = (size_t)v->count * (size_t)v->image_bytes,
                 pixel = (size_t)v->channels * sat_type_bytes(v->type);
    char *all = calloc(1, bytes);
    if (all == NULL) {
        fail("out of memory for %zu bytes", bytes);
        return false;
    }
    for (int64_t i = 0; i < v->count; i++)
        for (int64_t y = 0; y < v->height; y++) {
            const sat_view *images = &b->pictures[i].image;
            const char *from = (const char *)images->data + (size_t)y * (size_t)images->row_bytes;
            const int64_t at_once = (size_t)v->pixel_bytes == pixel ? v->width : 1; /* pixels that lie side by side */
            for (int64_t x = 0; x < v->width; x += at_once)
                memcpy(pixel_of(v, all, i, y, x), from + (size_t)x * pixel, (size_t)at_once * pixel);
        }
    const sat_view packed = {.data = all,
                             .row_bytes = (ptrdiff_t)bytes,
                             .width = (int64_t)bytes,
                             .height = 1,
                             .channels = 1,
                             .type = SAT_U8};
    bool ok = area_write(a, &packed);
    free(all);
    return ok;
}

static bool untouched(const char *bytes, size_t from, size_t to, int poison)
{
    for (size_t at = from; at < to; at++)
        if ((unsigned char)bytes[at] != (unsigned char)poison) {
            fail("table: byte %zu, between rows or images, was written", at);
            return false;
        }
    return true;
}

/* Is what lies between rows and images still poison? */
static bool gaps_clean(const sat_view *v, const char *bytes, int poison)
{
    const size_t row = (size_t)v->width * (size_t)v->pixel_bytes, rows = (size_t)v->height * (size_t)v->row_bytes;
    for (size_t image = 0, i = 0; i < (size_t)v->count; i++, image += (size_t)v->image_bytes) {
        for (size_t at = image; at < image + rows; at += (size_t)v->row_bytes)
            if (!untouched(bytes, at + row, at + (size_t)v->row_bytes, poison)) return false;
        if (!untouched(bytes, image + rows, image + (size_t)v->image_bytes, poison)) return false;
    }
    return true;
}

/* ---- tables and their rectangles ----------------------------------------------------------------------- */

typedef struct answers {
    sat_rect rects[RECTS];
    sat_sum sums[RECTS * 4 * MOST_IMAGES], one[RECTS * 4];
    double means[RECTS * 4 * MOST_IMAGES], mean[RECTS * 4];
} answers;

static sat_view bytes_of(void *data, size_t bytes, sat_memory memory)
{
    return (sat_view){.data = data,
                      .row_bytes = (ptrdiff_t)bytes,
                      .width = (int64_t)bytes,
                      .height = 1,
                      .channels = 1,
                      .type = SAT_U8,
                      .memory = memory};
}

/* Runs the query where the table lies: rectangles, sums and means go there and come back. */
static bool run_query(sat_query *query, answers *a, sat_memory memory)
{
    if (memory == SAT_HOST)
        return is_status(sat_query_run(query, a->rects, RECTS, a->sums, a->means, NULL), SAT_OK, "sat_query_run");
    void *there;
    const sat_view here = bytes_of(a, sizeof *a, SAT_HOST);
    if (!is_status(sat_device_alloc(&there, sizeof *a), SAT_OK, "sat_device_alloc")) return false;
    answers *d = there;
    const sat_view view = bytes_of(there, sizeof *a, SAT_DEVICE);
    bool ok = is_status(sat_device_copy(&here, &view, NULL), SAT_OK, "sat_device_copy") &&
              is_status(sat_query_run(query, d->rects, RECTS, d->sums, d->means, NULL), SAT_OK, "sat_query_run") &&
              is_status(sat_query_wait(query, NULL), SAT_OK, "sat_query_wait") &&
              is_status(sat_device_copy(&view, &here, NULL), SAT_OK, "sat_device_copy");
    sat_device_free(there);
    return ok;
}

/* The answers to all images are those that each table, as it lies on the host, gives to the library's host query. */
static bool check_query(const batch *b, const sat_view *table, const sat_view *seen)
{
    const sat_plan_spec *s = &b->pictures[0].spec;
    const size_t each = RECTS * (size_t)s->channels;
    sat_table t = {.view = *table, .layout = s->layout, .sample = s->sample, .quant = s->quant};
    sat_query *query;
    uint64_t random = b->random;
    if (s->layout == SAT_EXCLUSIVE) return true;           /* most rectangles of small images have no answer */
    if (fits_one_sample(s->sample, s->accum)) return true; /* proven for rectangles of one pixel */
    answers *a = calloc(1, sizeof *a);
    if (a == NULL ||
        !is_status(sat_query_create(&query, &t, &(sat_query_spec){.flags = SAT_CLIP}), SAT_OK, "sat_query_create")) {
        free(a);
        return false;
    }
    for (int i = 0; i < RECTS; i++)
        a->rects[i] = (sat_rect){random_in(&random, -5, s->width - 1), random_in(&random, -5, s->height - 1),
                                 random_in(&random, 1, 180), random_in(&random, 1, 180)};
    bool ok = run_query(query, a, table->memory);
    for (int64_t i = 0; i < b->count && ok; i++) {
        t.view = sat_view_image(seen, i);
        ok = is_status(sat_table_query(&t, a->rects, RECTS, SAT_CLIP, 1, a->one, a->mean), SAT_OK, "sat_table_query");
        if (ok && memcmp(a->sums + (size_t)i * each, a->one, each * sizeof *a->one) != 0) {
            fail("the sums of image %lld are not its own", (long long)i);
            ok = false;
        }
        for (size_t k = 0; k < each && ok; k++) {
            const double got = a->means[(size_t)i * each + k], want = a->mean[k];
            if (got == want || (got != got && want != want)) continue;
            fail("mean %zu of image %lld is %g, not %g", k, (long long)i, got, want);
            ok = false;
        }
    }
    sat_query_destroy(&query);
    free(a);
    return ok;
}

static void run(void *made, const target *t)
{
    const batch *b = made;
    const picture *first = &b->pictures[0];
    const sat_memory memory = t->device ? b->memory : SAT_HOST;
    sat_plan_spec spec = first->spec;
    sat_plan *plan;
    spec.backend = t->name, spec.memory = memory, spec.count = b->count + (b->random % 3 == 0);
    spec.strided = b->pixel_gap > 0;
    sat_status status = sat_plan_create(&plan, &spec);
    if (status == SAT_ERR_UNAVAILABLE || status == SAT_ERR_TYPE) { /* subject_tables sees whether that is right */
        pass_over();
        return;
    }
    if (!is_status(status, SAT_OK, "sat_plan_create")) return;
    sat_view image = placed(&first->image, b->count, b->pixel_gap, b->row_gap, b->image_gap);
    sat_view table = placed(&first->table, b->count, 0, b->row_gap, b->image_gap);
    const size_t carries = sat_row_bytes(spec.width, spec.channels, spec.accum);
    sat_view carry_row = {.width = spec.width * b->count, .height = 1, .channels = spec.channels, .type = spec.accum};
    carry_row.row_bytes = (ptrdiff_t)(carries * (size_t)b->count), carry_row.memory = memory;
    area from = {0}, to = {0}, carry = {0};
    bool ok = open_bytes(&from, &image, memory) && open_bytes(&to, &table, memory) &&
              area_open(&carry, carry_row, (placement){.guard = 256}) && area_fill(&from, 0x33) &&
              area_fill(&carry, 0x77) && write_images(b, &from, &image);
    image.data = from.view.data, table.data = to.view.data, image.memory = table.memory = memory;
    sat_run_options options = {.carry_out = b->carry_out ? carry.view.data : NULL};
    for (int runs = 0; ok && runs < 2; runs++) {
        sat_view bytes, seen = table, seen_carry;
        ok = area_fill(&to, 0x5a + runs) &&
             is_status(sat_plan_run(plan, &image, &table, &options), SAT_OK, "sat_plan_run") &&
             is_status(sat_plan_wait(plan, NULL), SAT_OK, "sat_plan_wait") && area_read(&to, &bytes) &&
             area_clean(&to, "table");
        seen.data = bytes.data, seen.memory = SAT_HOST;
        ok = ok && gaps_clean(&seen, bytes.data, 0x5a + runs);
        if (!ok || !sums(t)) continue;
        for (int64_t i = 0; i < b->count && ok; i++) {
            sat_view one = sat_view_image(&seen, i);
            ok = picture_same(&b->pictures[i], &one, 0, "table");
        }
        if (ok && b->carry_out) ok = area_read(&carry, &seen_carry) && area_clean(&carry, "carry rows");
        for (int64_t i = 0; i < b->count && ok && b->carry_out; i++)
            ok = picture_same_carry(&b->pictures[i], (const char *)seen_carry.data + (size_t)i * carries, "carry");
        if (ok && runs == 1) ok = check_query(b, &table, &seen);
    }
    area_close(&from), area_close(&to), area_close(&carry);
    sat_plan_destroy(&plan);
}

/* ---- filters ------------------------------------------------------------------------------------------- */

static bool filters(const target *t)
{
    return sums_tables(t) && t->kind != SAT_PEER;
}

static size_t filter_cases(effort e)
{
    return e == FULL ? 150 : e == QUICK ? 8 : 40;
}

/* Images of integers, of which all filters are bit-equal. */
static void *make_filter(uint64_t seed, size_t k, effort e)
{
    static const char *const borders[] = {"shrink", "constant", "replicate", "reflect", "reflect101", "wrap"};
    pair types;
    size_t i = 0;
    const sat_type want = k % 2 ? SAT_U8 : SAT_U16;
    while (pair_at(TABLES, i, &types) && !(types.sample == want && types.accum == SAT_U32)) i++;
    /* In one of four, windows as kernels/tuning.cuh has them for box_wide.cu; in one of four, of 3x3 with rows that
     * begin on vectors, for box_small.cu. */
    const bool wide = k / 2 % 4 == 3;
    batch *b = make_images(seed, i, e, false, wide);
    if (b == NULL) return NULL;
    b->k = k, b->effort = e;
    const sat_plan_spec *s = &b->pictures[0].spec;
    const bool small = k / 2 % 4 == 1;
    if (small) {
        const size_t vector = 16 / sat_type_bytes(s->sample), row = (size_t)s->width * (size_t)s->channels % vector;
        b->pixel_gap = 0, b->row_gap = (vector - row) % vector, b->image_gap -= b->image_gap % vector;
    }
    b->filter = (sat_box_spec){.width = s->width,
                               .height = s->height,
                               .channels = s->channels,
                               .sample = s->sample,
                               .border = borders[random_in(&b->random, 0, 5)],
                               .strided = b->pixel_gap > 0};
    b->filter.window_width = random_in(&b->random, 1, 21), b->filter.window_height = random_in(&b->random, 1, 21);
    if (small) b->filter.window_width = b->filter.window_height = 3;
    if (wide && e == SIMT)
        b->filter.window_width = random_in(&b->random, 20, 60),
        b->filter.window_height = 3 * random_in(&b->random, 3, 8) + 1;
    else if (wide && s->sample == SAT_U8)
        b->filter.window_width = random_in(&b->random, 2, 500),
        b->filter.window_height = random_in(&b->random, 258, e == QUICK ? 300 : 600);
    else if (wide)
        b->filter.window_width = random_in(&b->random, 801, 1000) / s->channels + 1,
        b->filter.window_height = random_in(&b->random, 30, 300);
    return b;
}

static void run_filter(void *made, const target *t)
{
    const batch *b = made;
    if (!takes_filter(t, b->k, b->effort)) {
        pass_over();
        return;
    }
    const sat_memory memory = t->device ? b->memory : SAT_HOST;
    sat_box_spec spec = b->filter, alone = b->filter;
    sat_box *box = NULL, *single = NULL;
    spec.backend = t->name, spec.memory = memory, spec.count = b->count, alone.strided = false, alone.backend = "cpu";
    sat_view src = placed(&b->pictures[0].image, b->count, b->pixel_gap, b->row_gap, b->image_gap);
    sat_view dst = placed(&b->pictures[0].image, b->count, 0, b->row_gap, b->image_gap), bytes, seen = dst;
    sat_view want = b->pictures[0].image;
    want.data = malloc((size_t)want.row_bytes * (size_t)want.height);
    area from = {0}, to = {0};
    const sat_status created = sat_box_create(&box, &spec);
    if (created == SAT_ERR_TYPE && is_of_lab(t)) { /* subject_tables sees whether that is right */
        pass_over();
        free(want.data);
        return;
    }
    bool ok = want.data && is_status(created, SAT_OK, "sat_box_create") &&
              is_status(sat_box_create(&single, &alone), SAT_OK, "sat_box_create") && open_bytes(&from, &src, memory) &&
              open_bytes(&to, &dst, memory) && area_fill(&from, 0x33) && area_fill(&to, 0x5a) &&
              write_images(b, &from, &src);
    src.data = from.view.data, dst.data = to.view.data, src.memory = dst.memory = memory;
    ok = ok && is_status(sat_box_run(box, &src, &dst, NULL), SAT_OK, "sat_box_run") &&
         (memory == SAT_HOST || is_status(sat_device_wait(NULL), SAT_OK, "sat_device_wait")) &&
         area_read(&to, &bytes) && area_clean(&to, "result");
    if (ok) seen.data = bytes.data;
    ok = ok && gaps_clean(&seen, bytes.data, 0x5a);
    for (int64_t i = 0; i < b->count && ok; i++) {
        sat_view one = sat_view_image(&seen, i);
        ok = is_status(sat_box_run(single, &b->pictures[i].image, &want, NULL), SAT_OK, "sat_box_run") &&
             same_bits(&one, &want, "result");
    }
    area_close(&from), area_close(&to);
    sat_box_destroy(&box), sat_box_destroy(&single);
    free(want.data);
}

const subject subject_batches = {"batches", builds_tables, cases, make, run, drop, text};
const subject subject_batch_filters = {"batch-filters", filters, filter_cases, make_filter, run_filter, drop, text};
