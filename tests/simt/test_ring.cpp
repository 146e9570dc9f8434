/* test_ring.cpp - when the words that a tile is going to take are free (ring, in fused_chains.cuh).  TAP.
 *
 * Each grid is one warp: it tells which tiles are done, in the order given, and then asks as a tile would.  The random
 * schedules of other tests meet some of these states once in a thousand cases. */
#include <stdio.h>
#include <vector>

#include "fused_chains.cuh"
#include "prim/runtime.cuh"

/* The one thing of sat that runtime.cuh needs. */
extern "C" sat_status sat_fail(sat_status status, const char *, ...)
{
    return status;
}

namespace
{

struct tile {
    uint32_t row, right;
};
enum { MOST = 8 };

struct asks {
    static constexpr unsigned threads = prim::WARP;
    struct shared {
        prim::var<uint32_t> unused;
    };
    fuse::ring words;
    tile done[MOST], taker;
    unsigned count;
    uint32_t *answer;

    PRIM_DEVICE void operator()(shared &) const
    {
        constexpr uint32_t launch = 3;
        if (prim::thread_id() == 0)
            for (unsigned i = 0; i < count; i++) words.leave(launch, done[i].row, done[i].right);
        prim::warp_sync();
        const bool is_free = prim::all(words.is_free(launch, taker.row, taker.right));
        if (prim::thread_id() == 0) prim::store(answer, (uint32_t)is_free);
    }
};

int tests, failures;

/* A ring of `kept` rows of 3 tiles, of an image of 8 rows. */
void expect(bool free, uint32_t kept, tile taker, const std::vector<tile> &done, const char *what)
{
    asks k = {};
    uint32_t answer = 2;
    bool ran = done.size() <= MOST && prim::device_alloc(&k.words.done, 3 * kept) == SAT_OK &&
               prim::device_alloc(&k.answer, 1) == SAT_OK &&
               prim::fill_bytes(k.words.done, 0, 3 * kept * sizeof *k.words.done, nullptr) == SAT_OK;
    if (ran) {
        k.words.kept = kept;
        k.words.laps = (8 + kept - 1) / kept;
        k.words.across = 3;
        k.words.down = 8;
        k.taker = taker;
        for (const tile &t : done) k.done[k.count++] = t;
        ran =
            prim::launch(k, 1, nullptr) == SAT_OK && prim::copy_rows(&answer, 4, k.answer, 4, 4, 1, nullptr) == SAT_OK;
    }
    prim::device_free(k.words.done);
    prim::device_free(k.answer);
    const bool right = ran && answer == (uint32_t)free;
    printf("%s %d - %s\n", right ? "ok" : "not ok", ++tests, what);
    failures += !right;
}

} // namespace

int main()
{
    expect(true, 2, {1, 0}, {}, "nobody has had the words");
    expect(false, 2, {2, 0}, {}, "nobody is done");
    expect(true, 2, {2, 0}, {{0, 0}, {0, 1}, {1, 0}}, "the tile, its right neighbour and the one below are done");
    expect(false, 2, {2, 0}, {{0, 1}, {1, 0}}, "the tile that has the words is at work");
    expect(false, 2, {2, 0}, {{0, 0}, {1, 0}}, "its right neighbour is at work");
    expect(false, 2, {2, 0}, {{0, 0}, {0, 1}}, "the tile below it is at work");
    expect(true, 2, {2, 2}, {{0, 2}, {1, 2}}, "at the end of a row there is no right neighbour");
    expect(true, 2, {2, 0}, {{0, 0}, {0, 1}, {1, 0}, {2, 1}}, "the right neighbour's place has been taken and left");
    expect(false, 2, {4, 0}, {{0, 0}, {0, 1}, {1, 0}}, "they were done a lap ago");
    printf("1..%d\n", tests);
    return failures != 0;
}
