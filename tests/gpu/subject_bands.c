/* subject_bands.c - what plans keep from run to run: bands and their carry rows, several plans in turn, and samples
 * that fixed point cannot hold. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../../src/lib/device.h" /* the simulator has a device.h too */
#include "stage.h"

/* ---- bands ----------------------------------------------------------------------------------------- */

static size_t rounds(effort e, size_t full)
{
    return pairs(TABLES) * (e == FULL ? full : e == QUICK ? 1 : 2);
}

static size_t band_cases(effort e)
{
    return rounds(e, 12);
}

static void *make_bands(uint64_t seed, size_t k, effort e)
{
    pair types;
    pair_at(TABLES, k % pairs(TABLES), &types);
    int64_t most = e == FULL ? 700 : 40;
    shape s = {random_in(&seed, 1, most), random_in(&seed, 2, most)};
    if (k / pairs(TABLES) % 4 == 0) s.width = e == FULL ? random_in(&seed, 2000, 20000) : random_in(&seed, 100, 300);
    if (s.width > 2000) s.height = random_in(&seed, 2, 60);
    whole *w = whole_new(seed, types, s);
    if (w) w->picture.spec.height = random_in(&seed, 1, s.height);
    return whole_answer(w, picture_answer);
}

/* The rows of an area from `first` on. */
static sat_view rows_of(const area *a, int64_t first, int64_t rows)
{
    sat_view v = a->view;
    v.data = (char *)v.data + (size_t)first * (size_t)v.row_bytes;
    v.height = rows;
    return v;
}

/* A plan whose bands have heights at random, joined by carry rows; nothing waits between them. */
static bool run_all_bands(const whole *w, sat_plan *plan, stage *st, area *other, uint64_t *random)
{
    const sat_plan_spec *s = &w->picture.spec;
    bool one_row = random64(random) % 2, zeros = random64(random) % 2; /* carry_in and _out the same; zeros given */
    int padded = s->layout == SAT_PADDED;
    area *in = &st->carry, *out = one_row ? in : other;
    if (zeros && !area_fill(in, 0)) return false;
    for (int64_t y = 0, rows; y < w->picture.image.height; y += rows) {
        int64_t left = w->picture.image.height - y;
        rows = random_in(random, 1, s->height < left ? s->height : left);
        sat_view image = rows_of(&st->image, y, rows);
        sat_view table = y == 0 ? rows_of(&st->table, 0, rows + padded) : rows_of(&st->table, y + padded, rows);
        sat_run_options run = {
            .carry_in = y || zeros ? in->view.data : NULL, .carry_out = out->view.data, .continues = y > 0};
        if (!is_status(sat_plan_run(plan, &image, &table, &run), SAT_OK, "sat_plan_run of a band")) return false;
        area *last = out;
        out = one_row ? out : in;
        in = last;
    }
    sat_view carry;
    return is_status(sat_plan_wait(plan, NULL), SAT_OK, "sat_plan_wait") && area_read(in, &carry) &&
           area_clean(in, "carry row") && picture_same_carry(&w->picture, carry.data, "carry row of the last band");
}

static void run_bands(void *made, const target *t)
{
    whole w = *(whole *)made;
    sat_memory memory = t->device ? w.memory : SAT_HOST;
    uint64_t random = w.random;
    sat_plan *plan = plan_of(&w.picture, t, memory);
    if (plan == NULL) return;
    w.carry = false; /* compared above */
    stage st;
    area other = {0};
    sat_view table, row;
    bool ok = stage_open(&st, &w, memory, &random);
    row = st.carry.view;
    ok = ok && area_open(&other, row, random_placement(&random)) && area_fill(&other, 0xa5);
    for (int i = 0; ok && i < 2; i++)
        ok = stage_fill(&st, &w.picture, &random, i == 0, i == 0) && run_all_bands(&w, plan, &st, &other, &random) &&
             stage_check(&st, &w, true, &table);
    area_close(&other);
    stage_close(&st);
    sat_plan_destroy(&plan);
}

const subject subject_bands = {"bands", sums_tables, band_cases, make_bands, run_bands, whole_drop, whole_text};

/* ---- several plans --------------------------------------------------------------------------------- */

enum { PLANS = 3 };

typedef struct several {
    whole *wholes[PLANS];
    uint64_t random;
} several;

static size_t plan_cases(effort e)
{
    return e == FULL ? 60 : e == QUICK ? 4 : 10;
}

static void drop_several(void *made)
{
    several *s = made;
    for (int i = 0; i < PLANS; i++)
        if (s->wholes[i]) whole_drop(s->wholes[i]);
    free(s);
}

static void *make_several(uint64_t seed, size_t k, effort e)
{
    several *s = calloc(1, sizeof *s);
    if (s == NULL) {
        fail("out of memory");
        return NULL;
    }
    for (int i = 0; i < PLANS; i++) {
        const pair types = pair_of_case(TABLES, k, &seed);
        int64_t most = e == FULL ? 600 : 35;
        shape size = {random_in(&seed, 1, most), random_in(&seed, 1, most)};
        s->wholes[i] = whole_answer(whole_new(random64(&seed), types, size), picture_answer);
        if (s->wholes[i] == NULL) {
            drop_several(s);
            return NULL;
        }
    }
    s->random = seed;
    return s;
}

static void text_several(const void *made, char *line, size_t bytes)
{
    const several *s = made;
    size_t at = 0;
    for (int i = 0; i < PLANS && at + 1 < bytes; i++) {
        if (i) at += (size_t)snprintf(line + at, bytes - at, "; ");
        if (at < bytes) whole_text(s->wholes[i], line + at, bytes - at);
        at += strlen(line + at);
    }
}

static bool queue_several(const whole *w, stage *st, sat_plan *plan, void *stream)
{
    sat_run_options run = {.carry_out = w->carry ? st->carry.view.data : NULL, .stream = stream};
    return is_status(sat_plan_run(plan, &st->image.view, &st->table.view, &run), SAT_OK, "sat_plan_run");
}

/* Plans take turns, twice each, on a device each on a stream of its own, and nothing waits before the end. */
static void run_several(void *made, const target *t)
{
    several *s = made;
    uint64_t random = s->random;
    const char *why;
    const sat_device *device = t->device ? sat_device_get(&why) : NULL;
    sat_plan *plans[PLANS] = {0};
    void *streams[PLANS] = {0};
    stage st[PLANS] = {0};
    bool ok = true;
    for (int i = 0; ok && i < PLANS; i++) {
        sat_memory memory = t->device ? s->wholes[i]->memory : SAT_HOST;
        plans[i] = plan_of(&s->wholes[i]->picture, t, memory);
        ok = plans[i] && stage_open(&st[i], s->wholes[i], memory, &random) &&
             stage_fill(&st[i], &s->wholes[i]->picture, &random, true, true) &&
             (device == NULL || is_status(device->stream_open(&streams[i]), SAT_OK, "a stream"));
    }
    if (ok && device) ok = is_status(sat_device_wait(NULL), SAT_OK, "sat_device_wait"); /* what filled the areas */
    for (int i = 0; ok && i < 2 * PLANS; i++) {
        int n = i % PLANS;
        ok = queue_several(s->wholes[n], &st[n], plans[n], streams[n]);
    }
    for (int i = 0; ok && i < PLANS; i++) {
        sat_view table;
        ok = is_status(sat_plan_wait(plans[i], streams[i]), SAT_OK, "sat_plan_wait") &&
             stage_check(&st[i], s->wholes[i], true, &table);
    }
    for (int i = 0; i < PLANS; i++) {
        if (streams[i]) {
            (void)device->wait(streams[i]);
            device->stream_close(streams[i]);
        }
        stage_close(&st[i]);
        sat_plan_destroy(&plans[i]);
    }
}

const subject subject_plans = {"plans", sums_tables, plan_cases, make_several, run_several, drop_several, text_several};

/* ---- samples that fixed point cannot hold ------------------------------------------------------------ */

/* The pairs that sum in fixed point, one after the other. */
static pair fixed_point(size_t k)
{
    pair p = {0};
    for (size_t i = 0;; i++) {
        if (!pair_at(TABLES, i, &p))
            i = (size_t)-1;
        else if (p.accum == SAT_Q32 && k-- == 0)
            return p;
    }
}

static size_t range_cases(effort e)
{
    return e == FULL ? 60 : e == QUICK ? 4 : 16;
}

static void *make_range(uint64_t seed, size_t k, effort e)
{
    int64_t most = e == FULL ? 300 : 40;
    shape s = {random_in(&seed, 1, most), random_in(&seed, 1, most)};
    return whole_answer(whole_new(seed, fixed_point(k), s), picture_answer);
}

/* Puts one sample that is out of range into a copy of the image. */
static void spoil(const picture *p, void *image, uint64_t *random)
{
    const sat_quant *q = &p->spec.quant;
    double top = q->offset + q->step * (double)q->largest;
    const double bad[] = {HUGE_VAL, -HUGE_VAL, (double)NAN, q->offset - q->step / 4, top + q->step / 4, 1e30, -1e30};
    size_t n = (size_t)(p->image.width * p->image.height * p->image.channels);
    size_t i = random64(random) % 3 == 0 ? n - 1 : (size_t)random_in(random, 0, (int64_t)n - 1);
    double v = bad[random64(random) % (sizeof bad / sizeof *bad)];
    if (p->image.type == SAT_F32)
        ((float *)image)[i] = (float)v;
    else
        ((double *)image)[i] = v;
}

/* Host memory: sat_plan_run() tells.  Device memory: sat_plan_wait() does, once for all runs before it. */
static bool refuses(stage *st, sat_plan *plan, const sat_view *good, const sat_view *bad)
{
    bool device = st->image.view.memory == SAT_DEVICE;
    sat_run_options run = {0};
    if (!area_write(&st->image, bad)) return false;
    if (!is_status(sat_plan_run(plan, &st->image.view, &st->table.view, &run), device ? SAT_OK : SAT_ERR_RANGE,
                   "sat_plan_run of a sample out of range"))
        return false;
    if (device && !is_status(sat_device_wait(NULL), SAT_OK, "sat_device_wait")) return false;
    return area_write(&st->image, good) &&
           is_status(sat_plan_run(plan, &st->image.view, &st->table.view, &run), SAT_OK, "sat_plan_run after it") &&
           is_status(sat_plan_wait(plan, NULL), device ? SAT_ERR_RANGE : SAT_OK, "sat_plan_wait") &&
           is_status(sat_plan_wait(plan, NULL), SAT_OK, "the second sat_plan_wait");
}

static void run_range(void *made, const target *t)
{
    whole w = *(whole *)made;
    uint64_t random = w.random;
    sat_memory memory = t->device ? w.memory : SAT_HOST;
    sat_plan *plan = plan_of(&w.picture, t, memory);
    if (plan == NULL) return;
    stage st;
    sat_view bad = w.picture.image, table;
    size_t bytes = (size_t)bad.row_bytes * (size_t)bad.height;
    bad.data = malloc(bytes);
    bool ok = stage_open(&st, &w, memory, &random) && stage_fill(&st, &w.picture, &random, true, true);
    if (bad.data == NULL) {
        fail("out of memory");
        ok = false;
    }
    for (int i = 0; ok && i < 2; i++) {
        memcpy(bad.data, w.picture.image.data, bytes);
        spoil(&w.picture, bad.data, &random);
        w.carry = false;
        ok = refuses(&st, plan, &w.picture.image, &bad) && stage_check(&st, &w, true, &table);
    }
    free(bad.data);
    stage_close(&st);
    sat_plan_destroy(&plan);
}

static bool sums_in_fixed_point(const target *t)
{
    return sums_tables(t) && !is_of_lab(t);
}

const subject subject_range = {"range",   sums_in_fixed_point, range_cases, make_range,
                               run_range, whole_drop,          whole_text};
