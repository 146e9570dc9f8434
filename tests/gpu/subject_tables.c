/* subject_tables.c - whole images: all types, shapes, layouts and placements, in host and in device memory. */
#include <stdlib.h>
#include <string.h>

#include "stage.h"

/* One pixel, one row, one column, primes, the sizes around tiles (32: a warp; B*Q: a block's elements), tall, wide. */
static const shape small[] = {{1, 1},  {1, 7},  {13, 1},  {31, 33}, {32, 32}, {33, 31},
                              {64, 5}, {5, 65}, {127, 3}, {3, 131}, {84, 13}};
static const shape medium[] = {{255, 2},  {256, 3},  {257, 2},  {1023, 2}, {1024, 1}, {1025, 3}, {2, 1025},
                               {2049, 1}, {2047, 2}, {2, 2048}, {4096, 1}, {4097, 2}, {1, 4099}, {67, 71}};
static const shape large[] = {{1, 100003},  {100003, 1},  {8191, 5},    {8192, 4},   {8193, 3},    {5, 8193},
                              {16384, 33},  {16385, 32},  {33, 16385},  {509, 521},  {1021, 1031}, {2048, 1024},
                              {3, 1000003}, {1000003, 2}, {12289, 129}, {61, 30011}, {1 << 20, 4}, {1920, 1080},
                              {260, 17041}, {37, 200003}, {128, 40961}, {65537, 64}, {200001, 37}};

enum {
    SMALL = sizeof small / sizeof *small,
    MEDIUM = sizeof medium / sizeof *medium,
    LARGE = sizeof large / sizeof *large
};

/* All of them, or so many for each pair of types, at random: the simulator, and sanitizers, are slow. */
static size_t shapes(effort e)
{
    return e == FULL ? SMALL + MEDIUM + LARGE : e == QUICK ? 5 : 8;
}

static shape shape_at(size_t i)
{
    return i < SMALL ? small[i] : i < SMALL + MEDIUM ? medium[i - SMALL] : large[i - SMALL - MEDIUM];
}

/* Images of few columns or of few rows (kernels/table/thin.cu), as the last of each pair's shapes. */
static shape thin_shape(uint64_t *seed, bool low, effort e)
{
    if (e == SIMT) {
        if (low) return (shape){7 * random_in(seed, 1, 150) + 3, random_in(seed, 1, 20)};
        return (shape){random_in(seed, 1, 10), 3 * random_in(seed, 1, 130) + 1};
    }
    if (low) return (shape){random_in(seed, 65536, 70000), random_in(seed, 1, 3)};
    return (shape){random_in(seed, 1, 6), random_in(seed, 32768, 35000)};
}

static size_t cases(effort e)
{
    return pairs(TABLES) * shapes(e);
}

static void *make(uint64_t seed, size_t k, effort e)
{
    pair types;
    size_t i = k / pairs(TABLES);
    pair_at(TABLES, k % pairs(TABLES), &types);
    if (e != FULL) i = (size_t)random_in(&seed, 0, (i % 3 ? SMALL : SMALL + MEDIUM) - 1);
    shape s = shape_at(i);
    if (e == SIMT && s.width * s.height > 1100) s = (shape){s.width / 8 + 1, s.height / 2 + 1};
    /* the simulator's tiles are small: several across and down */
    if (e == SIMT && k % 3 == 0) s = (shape){random_in(&seed, 60, 520), random_in(&seed, 13, 45)};
    const size_t thin = e == SIMT ? 6 : 4, at = k / pairs(TABLES);
    if (e == FULL || at < thin) return whole_answer(whole_new(seed, types, s), picture_answer);
    const bool low = e == SIMT ? at == 7 : k % 2 == 0;
    s = thin_shape(&seed, low, e);
    return whole_answer(whole_of(seed, types, s, low ? 1 : 0), picture_answer);
}

/* Brute force: shapes of a few pixels. */
static size_t brute_cases(effort e)
{
    return pairs(TABLES) * (e == FULL ? 40 : e == QUICK ? 2 : 4);
}

static void *make_brute(uint64_t seed, size_t k, effort e)
{
    (void)e;
    pair types;
    pair_at(TABLES, k % pairs(TABLES), &types);
    shape s = {random_in(&seed, 1, 9), random_in(&seed, 1, 9)};
    return whole_answer(whole_new(seed, types, s), picture_brute);
}

/* Squares, in a few shapes for each pair of types. */
static bool sums_squares(const target *t)
{
    return t->squares;
}

static size_t square_cases(effort e)
{
    return pairs(SQUARES) * (e == FULL ? 16 : e == QUICK ? 2 : 3);
}

static void *make_squares(uint64_t seed, size_t k, effort e)
{
    pair types;
    pair_at(SQUARES, k % pairs(SQUARES), &types);
    const size_t of = k / pairs(SQUARES) % 4;
    shape s = e != FULL ? (shape){random_in(&seed, 1, 330), random_in(&seed, 1, 30)}
              : of == 0 ? small[random64(&seed) % SMALL]
              : of == 1 ? (shape){random_in(&seed, 1, 9), random_in(&seed, 1, 9)}
              : of == 2 ? medium[random64(&seed) % MEDIUM]
                        : large[random64(&seed) % LARGE];
    return whole_answer(whole_new(seed, types, s), of == 1 && e == FULL ? picture_brute : picture_answer);
}

/* Rows without gaps of a host view, for comparing two runs. */
static void *pack(const sat_view *v)
{
    size_t row = sat_row_bytes(v->width, v->channels, v->type);
    char *data = malloc(row * (size_t)v->height);
    for (int64_t y = 0; data && y < v->height; y++)
        memcpy(data + (size_t)y * row, (const char *)v->data + (size_t)y * (size_t)v->row_bytes, row);
    return data;
}

/* Two runs, nothing reset between them; the second one elsewhere in half of the cases. */
static void run(void *made, const target *t)
{
    whole *w = made;
    uint64_t random = w->random;
    sat_memory memory = t->device ? w->memory : SAT_HOST;
    sat_plan *plan = plan_of(&w->picture, t, memory);
    if (plan == NULL) return;
    stage st;
    sat_view table;
    void *before = NULL;
    bool ok = stage_open(&st, w, memory, &random);
    for (int i = 0; ok && i < 2; i++) {
        const bool elsewhere = i == 1 && random64(&random) % 2;
        if (elsewhere) {
            stage_close(&st);
            ok = stage_open(&st, w, memory, &random);
        }
        ok = ok && stage_fill(&st, &w->picture, &random, i == 0 || elsewhere, i == 0 && sums(t)) &&
             stage_queue(&st, w, plan) && is_status(sat_plan_wait(plan, NULL), SAT_OK, "sat_plan_wait") &&
             stage_check(&st, w, sums(t), &table);
        if (!ok || !t->repeatable || !sums(t)) continue;
        if (i == 0) {
            before = pack(&table);
        } else if (before) {
            sat_view packed = w->picture.table;
            packed.data = before;
            ok = same_bits(&table, &packed, "the second run's table");
        }
    }
    free(before);
    stage_close(&st);
    sat_plan_destroy(&plan);
}

const subject subject_tables = {"tables", builds_tables, cases, make, run, whole_drop, whole_text};
const subject subject_squares = {"squares", sums_squares, square_cases, make_squares, run, whole_drop, whole_text};
const subject subject_brute = {"brute-force", sums_tables, brute_cases, make_brute, run, whole_drop, whole_text};
