/* hillis_steele.cu - the naive parallel scan: every element in every step, recursion over the sums of tiles.
 *
 * Idea      After step d = 1, 2, 4, ... each element holds the sum of itself and the 2 * d - 1 before it: log2(B)
 *           steps for a tile of B, the fewest possible, with B * (log2(B) - 1) + 1 additions where a loop needs B -
 *           1. It was meant for a machine with a processor for each element. On one with fewer it is the bottom of
 *           the ladder.
 * Paper     Hillis & Steele, Data parallel algorithms, CACM 29(12), 1986; in two buffers: Harris, Sengupta & Owens,
 *           Parallel prefix sum (scan) with CUDA, GPU Gems 3 ch. 39.2.1, 2007.
 * Layout    one element for each thread; a step reads one buffer and writes the other, so that no thread overwrites
 *           what another has yet to read:
 *
 *               buffer 0     a     b     c     d     e     f
 *                            | `-. | `-. | `-. | `-. | `-. |       d = 1
 *               buffer 1     a    ab    bc    cd    de    ef
 *                            |  `--|--.` |--.` |--.` |     |       d = 2: from two to the left
 *               buffer 0     a    ab   abc  abcd  bcde  cdef       ...
 *
 *           The exclusive sum is the left neighbour's inclusive one, never the own one minus the element, which would
 *           lose digits of floats.
 * Launch    One block for each tile of each row, at every level (recursion.cuh). B = 512: of the sizes that divide
 *           the threads of every multiprocessor the largest that leaves two blocks to Turing's 1024, one to load
 *           while the other scans; Q = 1, as in the listings.
 * Traffic   scan 1R1W, uniform addition 1R1W; as a table twice, and two transposes of 1R1W: 1R of the image, 5R6W of
 *           sums.
 * Sync      Barriers only, one for each step; between levels the order of the stream. No block waits for another. The
 *           order of additions depends on the shape alone: floats repeat.
 * Limits    rows * tiles of a level at most 2^31 - 1, the grid: 2^40 elements.
 * Steps     1. Each block: load a tile, step, write; its sum to level 1.
 *           2. The same for the sums, until a row is one tile, which starts from the row's initial value.
 *           3. Back down: each block adds one value to all elements of its tile. */
#include "lab/recursion.cuh"
#include "table/table.cuh"

namespace
{

template <unsigned BLOCK, class Sample, class Accum> struct hillis_steele_tile {
    static constexpr unsigned threads = BLOCK;
    using sum = Accum;
    struct shared {
        prim::array<sum, BLOCK> buffer[2];
    };
    recursion::level<Sample, Accum> level;

    PRIM_DEVICE void operator()(shared &s) const
    {
        const unsigned t = prim::thread_id();
        const unsigned row = prim::block_id() / level.tiles, number = prim::block_id() % level.tiles;
        const int64_t start = (int64_t)number * BLOCK;
        const unsigned here = tile_extent(start, level.length, BLOCK);
        const Sample *in = level.source.row(row) + start * level.source.step;
        sum v = t < here ? level.source.at(in, t) : 0;
        s.buffer[0].set(t, v);
        unsigned from = 0;
        for (unsigned d = 1; d < BLOCK; d *= 2, from = 1 - from) {
            prim::block_sync(); /* the step before is written, and the other buffer has been read */
            if (t >= d) v = s.buffer[from].get(t - d) + v;
            s.buffer[1 - from].set(t, v);
        }
        prim::block_sync();
        if (t == BLOCK - 1 && level.sums) prim::store(level.sums + row * level.sums_pitch + number, v);
        if (t >= here) return;
        if (level.exclusive) v = t ? s.buffer[from].get(t - 1) : 0;
        const sum initial_value = level.initial_values ? prim::load(level.initial_values + row) : 0;
        prim::store(level.out + row * level.out_pitch + start + t, initial_value + v);
    }
};

struct rung {
    static constexpr const char *name = "hillis-steele";
    template <unsigned BLOCK, unsigned ITEMS, class Sample, class Accum>
    using kernel = hillis_steele_tile<BLOCK, Sample, Accum>;
};

using scan = recursion::algorithm<rung, tuning::hillis_steele_shapes>;

const scan_algorithm algorithm = {rung::name, scan::workspace, scan::queue, scan::describe};

const char summary[] = "naive scan, n log n additions in two buffers, recursion over tile sums, uniform addition";
const char paper[] = "Hillis & Steele, CACM 29(12), 1986; Harris, Sengupta & Owens, GPU Gems 3 ch. 39, 2007";

sat_status open_plan(const sat_plan_spec *spec, sat_arena *arena, void **state, char *note, size_t note_bytes)
{
    return table_open(&algorithm, spec, arena, state, note, note_bytes);
}

sat_status open_scan(const sat_scan_spec *spec, sat_arena *arena, void **state, char *note, size_t note_bytes)
{
    return array_open(&algorithm, spec, arena, state, note, note_bytes);
}

} // namespace

const sat_backend sat_backend_hillis_steele = {
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

const sat_scan_method sat_scan_hillis_steele = {
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
