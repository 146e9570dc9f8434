/* stage.c - images at random, and running them. */
#include <stdlib.h>
#include <string.h>

#include "stage.h"

bool builds_tables(const target *t)
{
    return !t->scans;
}
bool sums_tables(const target *t)
{
    return !t->scans && sums(t);
}

/* 4096 quanta, so that the largest sums of the largest shapes wrap; with 0 among them and without. */
static const sat_quant quants[] = {{.offset = -1, .step = 1.0 / 2048, .largest = 4096},
                                   {.offset = 1, .step = 1.0 / 2048, .largest = 4096}};

static sat_plan_spec spec_of(pair p, shape s, int fixed, uint64_t *random)
{
    static const int channels[] = {1, 1, 2, 3, 4};
    sat_plan_spec spec = {.width = s.width,
                          .height = s.height,
                          .sample = p.sample,
                          .accum = p.accum,
                          .power = p.power,
                          .quant = quants[random64(random) % 2],
                          .channels = channels[random64(random) % 5],
                          .layout = (sat_layout)(random64(random) % 3),
                          .threads = (int)random_in(random, 1, 3)};
    if (fixed) spec.channels = fixed;
    if (random64(random) % 4 == 0) spec.height += random_in(random, 1, 40); /* taller than the image */
    return spec;
}

whole *whole_of(uint64_t seed, pair types, shape s, int channels)
{
    whole *w = calloc(1, sizeof *w);
    if (w == NULL) {
        fail("out of memory");
        return NULL;
    }
    uint64_t random = seed;
    sat_plan_spec spec = spec_of(types, s, channels, &random);
    w->memory = random64(&random) % 3 == 0 ? SAT_HOST : SAT_DEVICE;
    w->carry = random64(&random) % 2;
    content c = (content)(random64(&random) % CONTENTS);
    if (!picture_open(&w->picture, &spec, s.height, c, random64(&random))) {
        picture_close(&w->picture);
        free(w);
        return NULL;
    }
    w->random = random;
    return w;
}

whole *whole_new(uint64_t seed, pair types, shape s)
{
    return whole_of(seed, types, s, 0);
}

void whole_drop(void *made)
{
    whole *w = made;
    picture_close(&w->picture);
    free(w);
}

whole *whole_answer(whole *w, bool (*answer)(picture *p))
{
    if (w == NULL || answer(&w->picture)) return w;
    whole_drop(w);
    return NULL;
}

void whole_text(const void *made, char *line, size_t bytes)
{
    const whole *w = made;
    picture_text(&w->picture, line, bytes);
}

bool stage_open(stage *st, const whole *w, sat_memory memory, uint64_t *random)
{
    const picture *p = &w->picture;
    sat_view image = p->image, table = p->table, carry = p->table;
    image.memory = table.memory = carry.memory = memory;
    carry.width = p->spec.width;
    carry.height = 1;
    *st = (stage){0};
    return area_open(&st->image, image, random_placement(random)) &&
           area_open(&st->table, table, random_placement(random)) &&
           area_open(&st->carry, carry, random_placement(random));
}

void stage_close(stage *st)
{
    area_close(&st->image);
    area_close(&st->table);
    area_close(&st->carry);
}

/* Nothing is poisoned where a fresh table fills its memory: what reads an output that has not been written is then
 * found by the checkers of memory that was never written. */
bool stage_fill(stage *st, const picture *p, uint64_t *random, bool first, bool fresh)
{
    int poison = (int)(random64(random) % 256);
    size_t row = sat_row_bytes(st->table.view.width, st->table.view.channels, st->table.view.type);
    bool filled = st->table.start == 0 && (size_t)st->table.view.row_bytes == row &&
                  st->table.bytes == row * (size_t)p->table.height;
    if (first && !area_fill(&st->image, poison)) return false;
    if (first && !area_write(&st->image, &p->image)) return false;
    if (!(fresh && filled) && !area_fill(&st->table, poison)) return false;
    return area_fill(&st->carry, poison);
}

/* The table is right, and nothing but the table was written. */
bool stage_check(stage *st, const whole *w, bool compare, sat_view *table)
{
    const picture *p = &w->picture;
    sat_view image, carry;
    if (!area_read(&st->table, table) || !area_read(&st->image, &image) || !area_read(&st->carry, &carry)) return false;
    if (!area_clean(&st->table, "table") || !area_clean(&st->image, "image") || !area_clean(&st->carry, "carry row"))
        return false;
    if (!same_bits(&image, &p->image, "image after the run")) return false;
    if (!compare) return true;
    if (!picture_same(p, table, 0, "table")) return false;
    return !w->carry || picture_same_carry(p, carry.data, "carry row");
}

bool stage_queue(stage *st, const whole *w, sat_plan *plan)
{
    sat_run_options run = {.carry_out = w->carry ? st->carry.view.data : NULL};
    return is_status(sat_plan_run(plan, &st->image.view, &st->table.view, &run), SAT_OK, "sat_plan_run");
}

/* ---- rectangles -------------------------------------------------------------------------------------- */

static sat_rect good_rect(const picture *p, unsigned flags, uint64_t *random)
{
    int64_t w = p->image.width, h = p->image.height;
    if (p->spec.layout == SAT_EXCLUSIVE && !(flags & SAT_CLIP)) w -= w > 1, h -= h > 1;
    sat_rect r = {random_in(random, 0, w - 1), random_in(random, 0, h - 1), 1, 1};
    if (fits_one_sample(p->spec.sample, p->spec.accum)) return r; /* more pixels may not fit */
    r.width = random_in(random, 1, w - r.x);
    r.height = random_in(random, 1, h - r.y);
    if (random64(random) % 8 == 0) r = (sat_rect){0, 0, w, h};
    return r;
}

/* Anything at all, from harmless to absurd. */
static sat_rect odd_rect(const picture *p, uint64_t *random)
{
    static const int64_t far[] = {INT64_MIN, INT64_MIN + 1, -1, 0, 1, INT64_MAX - 1, INT64_MAX, (int64_t)1 << 40};
    int64_t v[4], most = p->image.width + p->image.height;
    for (int i = 0; i < 4; i++)
        v[i] = random64(random) % 3 == 0 ? far[random64(random) % 8] : random_in(random, i < 2 ? -most : 1, most);
    return (sat_rect){v[0], v[1], v[2], v[3]};
}

void random_rects(const picture *p, unsigned flags, sat_rect *rects, size_t n, uint64_t *random)
{
    const int64_t odd_of_1000 = (const int64_t[]){0, 2, 30, 500}[random64(random) % 4];
    for (size_t i = 0; i < n; i++)
        rects[i] = random_in(random, 1, 1000) <= odd_of_1000 ? odd_rect(p, random) : good_rect(p, flags, random);
}
