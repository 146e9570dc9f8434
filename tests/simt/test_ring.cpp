/* test_ring.cpp - when a slot is free for the tile that recycles it (descriptor_ring, in fused_lookback.cuh).  TAP.
 *
 * Each grid is one warp.  It publishes which tiles are done, in the order given, and then polls as a tile would.  The
 * random schedules of other tests reach some of these states once in a thousand cases. */
#include <stdio.h>
#include <vector>

#include "table/fused_lookback.cuh"
#include "prim/runtime.cuh"

/* The one thing of sat that runtime.cuh needs. */
extern "C" sat_status sat_fail(sat_status status, const char *, ...)
{
    return status;
}

namespace
{

struct tile {
    uint32_t y, x;
};
enum { MOST = 8 };

struct poll_slot {
    static constexpr unsigned threads = prim::WARP;
    struct shared {
        prim::var<uint32_t> unused;
    };
    fuse::descriptor_ring ring;
    tile done[MOST], recycler;
    unsigned count;
    uint32_t *answer;

    PRIM_DEVICE void operator()(shared &) const
    {
        constexpr uint32_t launch = 3;
        if (prim::thread_id() == 0)
            for (unsigned i = 0; i < count; i++) ring.publish_done(launch, done[i].y, done[i].x);
        prim::warp_sync();
        const bool free = prim::all(ring.slot_free(launch, recycler.y, recycler.x));
        if (prim::thread_id() == 0) prim::store(answer, (uint32_t)free);
    }
};

int tests, failures;

/* A ring of `capacity` rows of 3 tiles, of an image of 8 rows of tiles. */
void expect(bool free, uint32_t capacity, tile recycler, const std::vector<tile> &done, const char *what)
{
    poll_slot k = {};
    uint32_t answer = 2;
    bool ran = done.size() <= MOST && prim::device_alloc(&k.ring.done, 3 * capacity) == SAT_OK &&
               prim::device_alloc(&k.answer, 1) == SAT_OK &&
               prim::fill_bytes(k.ring.done, 0, 3 * capacity * sizeof *k.ring.done, nullptr) == SAT_OK;
    if (ran) {
        k.ring.capacity = capacity;
        k.ring.generations = (8 + capacity - 1) / capacity;
        k.ring.tiles_x = 3;
        k.ring.tiles_y = 8;
        k.recycler = recycler;
        for (const tile &t : done) k.done[k.count++] = t;
        ran =
            prim::launch(k, 1, nullptr) == SAT_OK && prim::copy_rows(&answer, 4, k.answer, 4, 4, 1, nullptr) == SAT_OK;
    }
    prim::device_free(k.ring.done);
    prim::device_free(k.answer);
    const bool right = ran && answer == (uint32_t)free;
    printf("%s %d - %s\n", right ? "ok" : "not ok", ++tests, what);
    failures += !right;
}

} // namespace

int main()
{
    expect(true, 2, {1, 0}, {}, "the slot had no owner yet");
    expect(false, 2, {2, 0}, {}, "no tile is done");
    expect(true, 2, {2, 0}, {{0, 0}, {0, 1}, {1, 0}}, "the tile, its right neighbour and the one below are done");
    expect(false, 2, {2, 0}, {{0, 1}, {1, 0}}, "the owner of the slot is not done");
    expect(false, 2, {2, 0}, {{0, 0}, {1, 0}}, "its right neighbour is not done");
    expect(false, 2, {2, 0}, {{0, 0}, {0, 1}}, "the tile below it is not done");
    expect(true, 2, {2, 2}, {{0, 2}, {1, 2}}, "at the end of a row there is no right neighbour");
    expect(true, 2, {2, 0}, {{0, 0}, {0, 1}, {1, 0}, {2, 1}}, "the right neighbour's slot has been recycled");
    expect(false, 2, {4, 0}, {{0, 0}, {0, 1}, {1, 0}}, "they were done in the generation before");
    printf("1..%d\n", tests);
    return failures != 0;
}
