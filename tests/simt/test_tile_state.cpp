/* test_tile_state.cpp - what the age of a word makes of it (prim/tile_state.cuh).  TAP.
 *
 * A tag has 30 bits of the epoch, so that words of almost any age can be met: a plan may run small images for hours
 * before a large one comes to words that nobody has touched since. */
#include <initializer_list>
#include <stdio.h>

#include "prim/tile_state.cuh"

namespace
{

int tests, failures;

/* What a word, told as a prefix, is for a reader so many epochs later (or, below 0, earlier). */
void expect(prim::tile_told told, int64_t later, uint32_t laps, const char *what)
{
    bool right = true;
    for (uint32_t epoch : {0u, 1u, 7u, 1u << 29, (1u << 30) - 1, 1u << 30, ~0u}) {
        const prim::tile_states<uint32_t> writer = {nullptr, epoch, laps},
                                          reader = {nullptr, epoch + (uint32_t)later, laps};
        const prim::tile_news<uint32_t> news = reader.unpack(writer.pack(5, prim::TILE_PREFIX));
        right = right && news.state == told && news.value == 5;
    }
    printf("%s %d - %s\n", right ? "ok" : "not ok", ++tests, what);
    failures += !right;
}

} // namespace

int main()
{
    expect(prim::TILE_PREFIX, 0, 0, "a word of this epoch");
    expect(prim::TILE_PREFIX, 0, 3, "the same, where words are used again");
    expect(prim::TILE_NOTHING, 1, 0, "of the launch before");
    expect(prim::TILE_NOTHING, 1, 3, "of the lap before");
    expect(prim::TILE_LATER, -1, 3, "of the next lap");
    expect(prim::TILE_LATER, -2, 3, "of the last lap, for a reader in the first");
    expect(prim::TILE_NOTHING, -3, 3, "of a launch that is to come");
    expect(prim::TILE_NOTHING, 1 << 28, 3, "2^28 epochs old");
    expect(prim::TILE_NOTHING, (1 << 29) + 1, 3, "older than 2^29 epochs");
    expect(prim::TILE_NOTHING, (1 << 29) + 1, 0, "the same, where words are not used again");
    expect(prim::TILE_NOTHING, (1 << 30) - 3, 3, "2^30 - 3 epochs old");
    expect(prim::TILE_NOTHING, (1 << 30) - 1, 0, "2^30 - 1 epochs old, where words are not used again");
    printf("1..%d\n", tests);
    return failures != 0;
}
