/* fused.cu - backend `fused`
 *
 * Idea    One kernel, one read and one write for each pixel.  A block loads a tile.  It publishes the sums of the
 *         tile's rows to the tiles on its right, and the sums of its columns to the tiles below.  It looks back to the
 *         left and upwards for its exclusive prefixes, and writes.  While it polls, the tile stays in shared memory
 *         and registers as it was loaded, in the bytes of its samples.
 *
 * Paper   Emoto, Funasaka, Tokura, Honda, Nakano & Ito, An optimal parallel algorithm for computing the summed area
 *         table on the GPU, IPDPSW 2018; the look-back is that of Merrill & Garland, NVR-2016-002, 2016.
 *
 * Layout  Tiles, in the order of their tickets, and the prefixes between them:
 *
 *             0 --> 1 --> 2 --> 3        -->  L: for each row, the sum of everything to the left
 *             |     |     |     |         |   U: for each column, the table's row above the tile
 *             4 --> 5 --> 6 --> 7
 *
 *         In a tile, with X(y,x) the inclusive prefix of its own elements in row y:
 *
 *             T(y,x) = U(x) + sum over rows y' <= y of  L(y') + X(y',x)
 *
 *         What the tile adds to the table between its top and its bottom is B(x) = sum over all its rows of
 *         L(y') + X(y',x): the aggregate of the vertical scan, whose input are rows that are scanned already.  It is
 *         known as soon as L is.  U of the tile below is U + B.
 *
 * Launch  A block for each tile: 4 warps, each with whole rows (fused_tile.cuh).  Shapes: tuning.cuh.
 *
 * Traffic 1 read and 1 write for each element.  For each column, and each channel of a row, a tile writes a
 *         descriptor of 8 bytes (16 for sums of 8 bytes) twice.  The next tile reads it, and the slot's next owner.
 *         For u8 with u32 sums the stores are one 27th of all bytes with one channel, and one 13th with three.  Most
 *         of them stay in the second-level cache: descriptors lie in a ring whose slots are recycled
 *         (fused_lookback.cuh).
 *
 * Sync    Packed descriptors by relaxed accesses (prim/tile_descriptor.cuh).  The thread that needs a prefix polls for
 *         it: a lane for each row, a thread for each column.  A tile waits only for tiles with lower tickets
 *         (prim/ticket.cuh): those to its left and above, the previous owner of its slot, and two tiles next to that
 *         one.  So every wait ends.
 *
 * Limits  2^31 - 1 tiles.  A tag holds 30 bits of the epoch, as in lookback.cu; a launch has an epoch for each
 *         round through the ring.  Tiles are cut for the 227 KiB of an H200's multiprocessor.  Where one has 100 KiB,
 *         a tile of 64 KiB is alone there, and nothing loads while it stores.
 *
 * Steps   1. Ticket -> tile; load; prefetch a later tile.
 *         2. Sums of rows (in place, where samples have the size of sums: rows are scanned); publish them.
 *         3. Sums of columns; look back along the rows -> L.
 *         4. B over all warps; publish it; look back up the columns -> U.
 *         5. Row by row: scan, unless step 2 has; add; write.
 *         The edges of padded and exclusive tables are written on the way. */
#include "box/box.cuh"
#include "table/fused_plan.cuh"
#include "table/table.cuh"
#include "window/window.cuh"

namespace
{

using fuse::plan;

sat_status find_kernel(const sat_plan_spec *spec, const fuse::hooks **kernel)
{
    const bool squares = spec->power == 2;
    switch (spec->sample) {
    case SAT_U8: *kernel = fuse::of_u8(spec); break;
    case SAT_U16: *kernel = fuse::of_u16(spec); break;
    case SAT_U32: *kernel = fuse::of_u32(spec); break;
    case SAT_I8: *kernel = squares ? fuse::of_u8(spec) : fuse::of_signed(spec); break;
    case SAT_I16: *kernel = squares ? fuse::of_u16(spec) : fuse::of_signed(spec); break;
    case SAT_I32: *kernel = squares ? fuse::of_u32(spec) : fuse::of_signed(spec); break;
    case SAT_F32: *kernel = fuse::of_f32(spec); break;
    case SAT_F64: *kernel = fuse::of_f64(spec); break;
    default: break;
    }
    if (*kernel) return SAT_OK;
    return sat_fail(SAT_ERR_TYPE, "fused: %s%s samples cannot be summed in %s on a device",
                    squares ? "squares of " : "", sat_type_name(spec->sample), sat_type_name(spec->accum));
}

sat_status open_plan(const sat_plan_spec *spec, sat_arena *arena, void **state, char *note, size_t note_bytes)
{
    plan *p = prim::arena_new<plan>(arena);
    if (p == NULL) return SAT_ERR_MEMORY;
    p->spec = *spec;
    *state = p;
    if (thin_pays(spec)) return thin_open(spec, arena, &p->thin, note, note_bytes);
    sat_status status = find_kernel(spec, &p->kernel);
    if (status == SAT_OK) status = p->kernel->alloc_descriptors(p, arena, note, note_bytes);
    if (status == SAT_OK && spec->accum == SAT_Q32) status = prim::arena_alloc(arena, &p->outside, 1);
    if (status == SAT_OK && spec->accum == SAT_Q32) status = prim::fill_bytes(p->outside, 0, sizeof *p->outside, NULL);
    if (status == SAT_OK) status = prim::stream_wait(NULL);
    return status;
}

sat_status run_plan(void *state, const sat_view *image, const sat_view *table, const sat_run *run)
{
    const plan *p = (const plan *)state;
    if (p->thin) return thin_run(p->thin, image, table, run);
    return p->kernel->queue(p, image, table, run);
}

sat_status wait_plan(void *state, void *stream)
{
    return wait_in_range(((const plan *)state)->outside, stream);
}

} // namespace

const sat_backend sat_backend_fused = {
    .name = "fused",
    .summary = "one pass over the image: tiles that look back along rows and columns",
    .paper = "Emoto et al., IPDPSW 2018; Merrill & Garland, NVR-2016-002, 2016",
    .traffic = {1, 0, 1},
    .kind = SAT_METHOD,
    .device = true,
    .batches = true,
    .squares = true,
    .probe = device_probe,
    .open = open_plan,
    .run = run_plan,
    .wait = wait_plan,
    .box = &sat_box_on_device,
    .window = &sat_window_on_device,
};
