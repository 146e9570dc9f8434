/* subject_statistics.c - statistics of rectangles, from a table of sums and one of squares, in the memory of the
 * target: those of sat_table_statistics(), which test_moments.py holds against exact arithmetic. */
#include <stdlib.h>
#include <string.h>

#include "sat_query.h"
#include "stage.h"

enum { SUMS, MEANS, VARIANCES, DEVIATIONS, ROOTS, AREAS, AREAS_F64, ANSWERS };
static const char *const names[ANSWERS] = {"sums", "mean", "var", "std", "rms", "areas", "areas_f64"};

/* A table of several images on the host, `tall` rows from one to the next, of which the last lie in no image. */
typedef struct stack {
    picture like; /* the first image's */
    int64_t tall;
    sat_view view; /* owned; rows without gaps */
} stack;

typedef struct batch {
    stack sums, squares; /* of the same images */
    unsigned flags;
    bool ask_both; /* the query has the table of squares even if nothing needs it */
    int64_t ddof;
    size_t n;
    sat_rect *rects;
    bool asked[ANSWERS];
    uint64_t *want[ANSWERS]; /* bits */
    sat_status status;       /* of the first bad rectangle */
    char detail[300];
    sat_status of_all; /* of all together: a host asks the table of sums about all, and then that of squares */
    uint64_t random;
} batch;

static bool has_squares(const target *t)
{
    return t->squares;
}

static size_t cases(effort e)
{
    return e == FULL ? 240 : e == QUICK ? 12 : 60;
}

static void stack_drop(stack *s)
{
    picture_close(&s->like);
    free(s->view.data);
}

/* The same images for the same seed, but for samples of q32, which lie in the range of the fixed point. */
static bool stack_open(stack *s, const sat_plan_spec *spec, int64_t rows, int64_t count, int64_t gap, uint64_t seed)
{
    for (int64_t i = 0; i < count; i++) {
        picture image;
        const content c = (content)(random64(&seed) % CONTENTS);
        if (!picture_open(&image, spec, rows, c, random64(&seed)) || !picture_answer(&image)) {
            picture_close(&image);
            return false;
        }
        const size_t bytes = (size_t)image.table.row_bytes * (size_t)image.table.height;
        if (i == 0) {
            s->tall = image.table.height + gap;
            s->view = image.table;
            s->view.count = count;
            s->view.image_bytes = (ptrdiff_t)((size_t)s->tall * (size_t)image.table.row_bytes);
            s->view.data = malloc((size_t)count * (size_t)s->view.image_bytes);
            if (s->view.data) memset(s->view.data, 0xa5, (size_t)count * (size_t)s->view.image_bytes);
        }
        if (s->view.data)
            memcpy((char *)s->view.data + (size_t)i * (size_t)s->view.image_bytes, image.table.data, bytes);
        else
            fail("out of memory");
        if (i == 0)
            s->like = image;
        else
            picture_close(&image);
        if (s->view.data == NULL) return false;
    }
    return true;
}

static void drop(void *made)
{
    batch *b = made;
    stack_drop(&b->sums);
    stack_drop(&b->squares);
    for (int i = 0; i < ANSWERS; i++) free(b->want[i]);
    free(b->rects);
    free(b);
}

static bool needs_squares(const batch *b)
{
    return b->asked[VARIANCES] || b->asked[DEVIATIONS] || b->asked[ROOTS];
}

static sat_table table_of(const stack *s, sat_view view)
{
    const sat_plan_spec *p = &s->like.spec;
    return (sat_table){.view = view, .layout = p->layout, .sample = p->sample, .quant = p->quant, .power = p->power};
}

/* How many answers there are. */
static size_t answers_of(const batch *b, int which)
{
    const sat_view *v = &b->sums.view;
    return which < AREAS ? b->n * (size_t)(v->count * v->channels) : b->n;
}

/* Answers from entry i on; areas from rectangle r on. */
static sat_statistics statistics(const batch *b, uint64_t *const to[ANSWERS], size_t i, size_t r,
                                 sat_rect_output output[ANSWERS])
{
    const bool *a = b->asked;
    sat_statistics ask = {.flags = b->flags,
                          .threads = 1,
                          .ddof = b->ddof,
                          .sums = a[SUMS] ? (sat_sum *)(to[SUMS] + i) : NULL,
                          .areas = a[AREAS] ? (int64_t *)(to[AREAS] + r) : NULL,
                          .areas_f64 = a[AREAS_F64] ? (double *)(to[AREAS_F64] + r) : NULL,
                          .output = output};
    for (int k = MEANS; k <= ROOTS; k++)
        if (a[k]) output[ask.outputs++] = (sat_rect_output){names[k], (double *)(to[k] + i)};
    return ask;
}

/* One by one, as the host gives none when one is bad. */
static void answer_image(batch *b, int64_t image)
{
    const size_t channels = (size_t)b->sums.view.channels;
    const sat_table sums = table_of(&b->sums, sat_view_image(&b->sums.view, image)),
                    squares = table_of(&b->squares, sat_view_image(&b->squares.view, image));
    const double nan = strtod("nan", NULL);
    sat_rect_output output[ANSWERS];
    for (size_t r = 0; r < b->n; r++) {
        const size_t to = ((size_t)image * b->n + r) * channels;
        const sat_statistics ask = statistics(b, b->want, to, r, output);
        const sat_status status =
            sat_table_statistics(&sums, needs_squares(b) ? &squares : NULL, &b->rects[r], 1, &ask, NULL);
        if (status == SAT_OK) continue;
        for (int i = MEANS; i <= ROOTS; i++)
            for (size_t c = 0; c < channels; c++) memcpy(&b->want[i][to + c], &nan, sizeof nan);
        if (b->status != SAT_OK) continue;
        b->status = sat_table_statistics(&sums, needs_squares(b) ? &squares : NULL, b->rects, r + 1, &ask, NULL);
        snprintf(b->detail, sizeof b->detail, "%s", sat_detail());
    }
}

static bool answer(batch *b)
{
    const sat_table sums = table_of(&b->sums, b->sums.view), squares = table_of(&b->squares, b->squares.view);
    for (int i = 0; i < ANSWERS; i++) {
        b->want[i] = calloc(answers_of(b, i), sizeof *b->want[i]);
        if (b->want[i] == NULL) {
            fail("out of memory");
            return false;
        }
    }
    for (int64_t image = 0; image < b->sums.view.count; image++) answer_image(b, image);
    sat_rect_output output[ANSWERS];
    const sat_statistics ask = statistics(b, b->want, 0, 0, output);
    if (b->status != SAT_OK)
        b->of_all = sat_table_statistics(&sums, needs_squares(b) ? &squares : NULL, b->rects, b->n, &ask, NULL);
    return true;
}

static void *make(uint64_t seed, size_t k, effort e)
{
    static const int channels[] = {1, 1, 2, 3, 4};
    static const sat_quant quant = {.offset = -1, .step = 1.0 / 2048, .largest = 4096};
    pair types, of_squares;
    const int64_t most = e == FULL ? 400 : 24;
    batch *b = calloc(1, sizeof *b);
    if (b == NULL) {
        fail("out of memory");
        return NULL;
    }
    pair_at(TABLES, k % pairs(TABLES), &types);
    size_t i = (size_t)random64(&seed) % pairs(SQUARES);
    do {
        i = (i + 1) % pairs(SQUARES);
        pair_at(SQUARES, i, &of_squares);
    } while (of_squares.sample != types.sample);
    sat_plan_spec spec = {.width = random_in(&seed, 1, most),
                          .height = random_in(&seed, 1, most),
                          .channels = channels[random64(&seed) % 5],
                          .sample = types.sample,
                          .accum = types.accum,
                          .power = types.power,
                          .quant = quant,
                          .layout = (sat_layout)(random64(&seed) % 3)};
    sat_plan_spec spec_of_squares = spec;
    spec_of_squares.accum = of_squares.accum, spec_of_squares.power = of_squares.power;
    if (random64(&seed) % 4 == 0) spec_of_squares.layout = (sat_layout)(random64(&seed) % 3);
    const int64_t count = random64(&seed) % 2 ? 1 : random_in(&seed, 2, 4);
    const int64_t gaps[2] = {random_in(&seed, 0, 2), random_in(&seed, 0, 2)};
    const uint64_t images = random64(&seed);
    bool ok = stack_open(&b->sums, &spec, spec.height, count, gaps[0], images) &&
              stack_open(&b->squares, &spec_of_squares, spec.height, count, gaps[1], images);
    b->n = (size_t)random_in(&seed, 1, e == FULL ? 5000 : 400);
    b->flags = random64(&seed) % 2 ? SAT_CLIP : 0;
    b->ddof = random64(&seed) % 2 ? 0 : random_in(&seed, 1, 3);
    b->ask_both = random64(&seed) % 2;
    for (int a = 0; a < ANSWERS; a++) b->asked[a] = random64(&seed) % 3;
    b->rects = calloc(b->n, sizeof *b->rects);
    if (ok && b->rects) {
        picture like = b->sums.like; /* with the edges that either table leaves out */
        if (spec_of_squares.layout == SAT_EXCLUSIVE) like.spec.layout = SAT_EXCLUSIVE;
        random_rects(&like, b->flags, b->rects, b->n, &seed);
        b->random = seed;
        if (answer(b)) return b;
    }
    drop(b);
    return NULL;
}

/* Bit for bit; of a NaN only that it is one. */
static bool same(const batch *b, int i, const uint64_t *got, size_t n)
{
    const bool real = i != SUMS && i != AREAS;
    const bool sums_are_real = is_float(b->sums.view.type) || b->sums.view.type == SAT_Q32;
    for (size_t k = 0; k < n; k++) {
        double is, to;
        memcpy(&is, &got[k], sizeof is);
        memcpy(&to, &b->want[i][k], sizeof to);
        if (got[k] == b->want[i][k]) continue;
        if ((real || (i == SUMS && sums_are_real)) && is != is && to != to) continue;
        fail("%s %zu is %.17g (%llx), not %.17g (%llx)", names[i], k, is, (unsigned long long)got[k], to,
             (unsigned long long)b->want[i][k]);
        return false;
    }
    return true;
}

static sat_view words(size_t n, sat_memory memory)
{
    return (sat_view){.row_bytes = (ptrdiff_t)(n * sizeof(uint64_t)),
                      .width = (int64_t)n,
                      .height = 1,
                      .channels = 1,
                      .type = SAT_U64,
                      .memory = memory};
}

/* A copy of the table in the target's memory. */
static bool place(area *a, const stack *s, sat_memory memory, uint64_t *random, sat_view *there)
{
    sat_view rows = s->view;
    rows.height = s->tall * s->view.count, rows.count = 0, rows.image_bytes = 0;
    sat_view each = rows;
    each.memory = memory;
    if (!area_open(a, each, random_placement(random)) || !area_fill(a, 0xa5) || !area_write(a, &rows)) return false;
    *there = s->view;
    there->memory = memory, there->data = a->view.data, there->row_bytes = a->view.row_bytes;
    there->image_bytes = (ptrdiff_t)((size_t)s->tall * (size_t)there->row_bytes);
    return true;
}

/* The status of the wait, and its sentence where a rectangle is bad. */
static bool is_told(const batch *b, sat_query *query)
{
    if (!is_status(sat_query_wait(query, NULL), b->status, "sat_query_wait")) return false;
    if (b->status != SAT_OK && strcmp(sat_detail(), b->detail) != 0) {
        fail("sat_query_wait says '%s', not '%s'", sat_detail(), b->detail);
        return false;
    }
    return is_status(sat_query_wait(query, NULL), SAT_OK, "a second wait");
}

static void run(void *made, const target *t)
{
    batch *b = made;
    const sat_memory memory = t->device ? SAT_DEVICE : SAT_HOST;
    uint64_t random = b->random;
    area sums = {0}, squares = {0}, rects = {0}, to[ANSWERS] = {0};
    sat_view given = words(4 * b->n, SAT_HOST), of_sums, of_squares, seen;
    sat_query *query = NULL;
    uint64_t *at[ANSWERS];
    given.data = b->rects;
    bool ok = place(&sums, &b->sums, memory, &random, &of_sums) &&
              place(&squares, &b->squares, memory, &random, &of_squares) &&
              area_open(&rects, words(4 * b->n, memory), random_placement(&random)) && area_write(&rects, &given);
    for (int i = 0; ok && i < ANSWERS; i++) {
        ok = area_open(&to[i], words(answers_of(b, i), memory), random_placement(&random)) && area_fill(&to[i], 0x5a);
        at[i] = to[i].view.data;
    }
    if (ok) {
        const sat_table table = table_of(&b->sums, of_sums), other = table_of(&b->squares, of_squares);
        const sat_query_spec spec = {.flags = b->flags, .squares = needs_squares(b) || b->ask_both ? &other : NULL};
        sat_rect_output output[ANSWERS];
        const sat_statistics ask = statistics(b, at, 0, 0, output);
        ok = is_status(sat_query_create(&query, &table, &spec), SAT_OK, "sat_query_create");
        const sat_status status = ok ? sat_query_statistics(query, rects.view.data, b->n, &ask, NULL) : SAT_OK;
        if (memory == SAT_HOST)
            ok = ok && is_status(status, b->of_all, "sat_query_statistics") && status == SAT_OK;
        else
            ok = ok && is_status(status, SAT_OK, "sat_query_statistics") && is_told(b, query);
    }
    for (int i = 0; ok && i < ANSWERS; i++)
        if (b->asked[i])
            ok = area_read(&to[i], &seen) && area_clean(&to[i], names[i]) && same(b, i, seen.data, answers_of(b, i));
    sat_query_destroy(&query);
    area_close(&sums);
    area_close(&squares);
    area_close(&rects);
    for (int i = 0; i < ANSWERS; i++) area_close(&to[i]);
}

static void text(const void *made, char *line, size_t bytes)
{
    const batch *b = made;
    const sat_plan_spec *s = &b->squares.like.spec;
    int n = snprintf(line, bytes, "%zu rectangles%s, ddof %lld, squares in %s %s, of %lld of ", b->n,
                     b->flags ? ", clipped" : "", (long long)b->ddof, sat_layout_name(s->layout),
                     sat_type_name(s->accum), (long long)b->sums.view.count);
    picture_text(&b->sums.like, line + n, bytes - (size_t)n);
}

const subject subject_statistics = {"statistics", has_squares, cases, make, run, drop, text};
