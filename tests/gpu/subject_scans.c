/* subject_scans.c - scans of one array: all types and lengths, and all block shapes that were compiled in. */
#include "arrays.h"

/* ---- lengths --------------------------------------------------------------------------------------- */

/* Every length around two warps; then sizes around powers of two, which all tiles' sizes are near; then primes. */
enum { SHORT = 70, FIRST_POWER = 7, POWERS = 14, LONG = 8 };

static size_t lengths(effort e)
{
    return e == FULL ? SHORT + 3 * POWERS + LONG : e == QUICK ? 5 : 12;
}

static int64_t length_at(effort e, size_t i, uint64_t *random)
{
    static const int64_t primes[LONG] = {12289, 65537, 131071, 1000003, 2097143, 3145739, 5000011, 8388617};
    static const int64_t bounds[] = {1, 32, 64, 128, 256, 512, 1024, 2048, 4096};
    if (e != FULL) { /* up to two warps, around a bound, anything */
        int64_t bound = bounds[random64(random) % (sizeof bounds / sizeof *bounds)] + random_in(random, -1, 1);
        if (i % 3 == 0) return random_in(random, 1, SHORT);
        return i % 3 == 1 && bound ? bound : random_in(random, 1, 6000);
    }
    if (i < SHORT) return (int64_t)i + 1;
    i -= SHORT;
    if (i < 3 * POWERS) return ((int64_t)1 << (FIRST_POWER + i / 3)) + (int64_t)(i % 3) - 1;
    return primes[i - 3 * POWERS];
}

static size_t scan_cases(effort e)
{
    return pairs(SCANS) * lengths(e);
}

static void *make_scan(uint64_t seed, size_t k, effort e)
{
    pair types;
    pair_at(SCANS, k % pairs(SCANS), &types);
    sat_scan_spec spec = {.sample = types.sample,
                          .accum = types.accum,
                          .length = length_at(e, k / pairs(SCANS), &seed),
                          .exclusive = random64(&seed) % 2};
    return array_new(seed, &spec);
}

const subject subject_scans = {"scans", scans_arrays, scan_cases, make_scan, array_run, array_drop, array_text};

/* ---- block shapes ---------------------------------------------------------------------------------- */

static const int block_threads[] = {0, 32, 64, 128, 256, 512, 1024};
static const int thread_items[] = {0, 1, 2, 4, 7, 8, 10, 13, 16, 20, 24, 30, 32, 40};
enum { BLOCKS = sizeof block_threads / sizeof *block_threads, ITEMS = sizeof thread_items / sizeof *thread_items };

static bool has_shapes(const target *t)
{
    return t->scans && sums(t) && t->segment == 0;
}

static size_t shape_cases(effort e)
{
    return BLOCKS * ITEMS * (e == FULL ? 12 : e == QUICK ? 1 : 6);
}

/* Lengths around multiples of the tile; where the method chooses, 256 x 16 is as good a guess as any. */
static void *make_shape(uint64_t seed, size_t k, effort e)
{
    int b = block_threads[k % BLOCKS], q = thread_items[k / BLOCKS % ITEMS];
    int64_t tile = (int64_t)(b ? b : 256) * (q ? q : 16), tiles = random_in(&seed, 1, e == FULL ? 50 : 3);
    const pair types = pair_of_case(SCANS, k, &seed);
    sat_scan_spec spec = {.sample = types.sample,
                          .accum = types.accum,
                          .length = tile * tiles + random_in(&seed, -1, 1),
                          .exclusive = random64(&seed) % 2,
                          .block_threads = b,
                          .thread_items = q};
    return array_new(seed, &spec);
}

const subject subject_shapes = {"block-shapes", has_shapes, shape_cases, make_shape, array_run, array_drop, array_text};
