/* test_tile_descriptor.cpp - the status of a descriptor by its age (prim/tile_descriptor.cuh).  TAP.
 *
 * A tag has 30 bits of the epoch, and a descriptor may be almost any number of epochs old: a plan may run small images
 * for hours before a large one polls slots that no tile has used since. */
#include <initializer_list>
#include <stdio.h>

#include "prim/tile_descriptor.cuh"

namespace
{

int tests, failures;

/* The status of a published prefix for a reader of an epoch so much later (or, below 0, earlier). */
void expect(prim::tile_status status, int64_t later, uint32_t generations, const char *what)
{
    bool right = true;
    for (uint32_t epoch : {0u, 1u, 7u, 1u << 29, (1u << 30) - 1, 1u << 30, ~0u}) {
        const prim::tile_descriptors<uint32_t> writer = {nullptr, epoch, generations},
                                               reader = {nullptr, epoch + (uint32_t)later, generations};
        const prim::tile_descriptor<uint32_t> d = reader.decode_word(writer.pack(5, prim::TILE_PREFIX));
        right = right && d.status == status && d.value == 5;
    }
    printf("%s %d - %s\n", right ? "ok" : "not ok", ++tests, what);
    failures += !right;
}

} // namespace

int main()
{
    expect(prim::TILE_PREFIX, 0, 0, "a descriptor of this epoch");
    expect(prim::TILE_PREFIX, 0, 3, "the same, where slots are recycled");
    expect(prim::TILE_INVALID, 1, 0, "of the launch before");
    expect(prim::TILE_INVALID, 1, 3, "of the generation before");
    expect(prim::TILE_RECYCLED, -1, 3, "of the next generation");
    expect(prim::TILE_RECYCLED, -2, 3, "of the last generation, for a reader in the first");
    expect(prim::TILE_INVALID, -3, 3, "of a later launch");
    expect(prim::TILE_INVALID, 1 << 28, 3, "2^28 epochs old");
    expect(prim::TILE_INVALID, (1 << 29) + 1, 3, "older than 2^29 epochs");
    expect(prim::TILE_INVALID, (1 << 29) + 1, 0, "the same, where slots are not recycled");
    expect(prim::TILE_INVALID, (1 << 30) - 3, 3, "2^30 - 3 epochs old");
    expect(prim::TILE_INVALID, (1 << 30) - 1, 0, "2^30 - 1 epochs old, where slots are not recycled");
    printf("1..%d\n", tests);
    return failures != 0;
}
