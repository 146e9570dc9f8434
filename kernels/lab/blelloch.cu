/* blelloch.cu - the work-efficient scan, with recursion over the sums of tiles.
 *
 * Idea      A scan by a balanced tree makes 2 * (n - 1) additions, no more than twice what a loop makes, where the
 *           naive scan makes n * log2(n). It is exclusive by nature; the inclusive sum is the exclusive one plus the
 *           element. A tree over single elements would spend a block's barriers on two elements for each thread. So
 *           each thread first adds up its vectors of 16 bytes by itself, the tree has one leaf for each vector, and
 *           each thread adds what came before to its elements in registers (GPU Gems 3, 39.2.5).
 * Paper     Blelloch, Prefix sums and their applications, CMU-CS-90-190, 1990; Harris, Sengupta & Owens, Parallel
 *           prefix sum (scan) with CUDA, GPU Gems 3 ch. 39, 2007.
 * Layout    vectors of a tile, in the order of their numbers (tile_vectors.cuh), and their tree (prim/blelloch.cuh):
 *
 *               | p0 | p1 | p2 | p3 | ... | pN |     registers: Q / V vectors of V elements for each of B threads
 *                  \   /     \   /                   shared memory: N = B * Q / V sums, skewed over the banks
 *                    o         o                     up, clear the root, down
 *                     \       /
 *                         o  --> sum of the tile     device memory: one sum for each tile; recursion.cuh
 *
 * Launch    One block for each tile of each row, at every level. B = 256 threads, 64 bytes of sums for each: four
 *           vectors are enough loads in flight, and B * Q / V = 1024 leaves fill 4 KiB (8-byte sums: 8 KiB), so that
 *           the registers and not the shared memory decide how many blocks a multiprocessor holds.
 * Traffic   scan 1R1W, uniform addition 1R1W; as a table twice, and two transposes of 1R1W: 1R of the image, 5R6W of
 *           sums.
 * Sync      Barriers only: 2 * log2(N / 64) + 2 block_syncs in a tile; between levels the order of the stream. No
 *           block waits for another. The order of additions depends on the shape alone: floats repeat.
 * Limits    rows * tiles of a level at most 2^31 - 1, the grid: 2^43 elements of 4 bytes.
 * Steps     1. Each block: load a tile, sum each vector, scan the sums by the tree, add, write; its sum to level 1.
 *           2. The same for the sums, until a row is one tile, which starts from the row's initial value.
 *           3. Back down: each block adds one value to all elements of its tile. */
#include "prim/blelloch.cuh"
#include "lab/recursion.cuh"
#include "table/table.cuh"

namespace
{

template <unsigned BLOCK, unsigned ITEMS, class Sample, class Accum> struct blelloch_tile {
    static constexpr unsigned threads = BLOCK, tile = BLOCK * ITEMS;
    using vectors = tile_vectors<BLOCK, ITEMS, Sample, Accum>;
    using sum = typename vectors::sum;
    static constexpr int min_blocks = tuning::resident_blocks(BLOCK, ITEMS * sizeof(sum));
    struct shared {
        prim::tree<sum, tile / vectors::V> sums;
    };
    recursion::level<Sample, Accum> level;

    PRIM_DEVICE void operator()(shared &s) const
    {
        const unsigned t = prim::thread_id(), row = prim::block_id() / level.tiles,
                       number = prim::block_id() % level.tiles;
        const unsigned skew = level.naive ? s.sums.PLAIN : s.sums.SKEW;
        const int64_t start = (int64_t)number * tile;
        const unsigned here = tile_extent(start, level.length, tile);
        vectors x;
        x.load(level.source, level.source.row(row) + start * level.source.step, here);
#pragma unroll
        for (unsigned p = 0; p < vectors::VECTORS; p++) s.sums.set(p * BLOCK + t, x.total(p), skew);

        const sum all = prim::blelloch_scan<BLOCK>(s.sums, skew);
        if (t == 0 && level.sums) prim::store(level.sums + row * level.sums_pitch + number, all);

        const sum initial_value = level.initial_values ? prim::load(level.initial_values + row) : 0;
        sum *out = level.out + row * level.out_pitch + start;
#pragma unroll
        for (unsigned p = 0; p < vectors::VECTORS; p++)
            x.write_sums(out, here, p, initial_value + s.sums.get(p * BLOCK + t, skew), level.exclusive);
    }
};

struct rung {
    static constexpr const char *name = "blelloch";
    template <unsigned BLOCK, unsigned ITEMS, class Sample, class Accum>
    using kernel = blelloch_tile<BLOCK, ITEMS, Sample, Accum>;
};

using scan = recursion::algorithm<rung, tuning::blelloch_shapes>;

const scan_algorithm algorithm = {rung::name, scan::workspace, scan::queue, scan::describe};

const char summary[] = "work-efficient exclusive scan by a tree, recursion over tile sums, uniform addition";
const char paper[] = "Blelloch 1990; Harris, Sengupta & Owens, GPU Gems 3 ch. 39, 2007";

sat_status open_plan(const sat_plan_spec *spec, sat_arena *arena, void **state, char *note, size_t note_bytes)
{
    return table_open(&algorithm, spec, arena, state, note, note_bytes);
}

sat_status open_scan(const sat_scan_spec *spec, sat_arena *arena, void **state, char *note, size_t note_bytes)
{
    return open_array_in(tuning::blelloch_shapes(), &algorithm, spec, arena, state, note, note_bytes);
}

} // namespace

const sat_backend sat_backend_blelloch = {
    .name = rung::name,
    .summary = summary,
    .paper = paper,
    .traffic = {.in_reads = 1, .out_reads = 5, .out_writes = 6},
    .kind = SAT_METHOD,
    .device = true,
    .probe = device_probe,
    .open = open_plan,
    .run = table_run,
};

const sat_scan_method sat_scan_blelloch = {
    .name = rung::name,
    .summary = summary,
    .paper = paper,
    .traffic = {.in_reads = 1, .out_reads = 1, .out_writes = 2},
    .kind = SAT_METHOD,
    .device = true,
    .probe = device_probe,
    .open = open_scan,
    .run = array_run,
};
