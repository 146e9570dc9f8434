/* fused_chains.cuh - how tiles of fused.cuh learn what lies to the left of them and above them. */
#ifndef FUSED_CHAINS_CUH
#define FUSED_CHAINS_CUH

#include <type_traits>

#include "prim/tile_state.cuh"

namespace fuse
{

/* Sums of float samples come out the same in every run only if they are always added in the same order.  So of so many
 * tiles one, the anchor, tells what lies before its end, and the others their own sums only: every tile adds the tiles
 * back to the nearest anchor, which one it is does not depend on who was first.  Along rows it is one of ANCHORS.
 *
 * Anchors wait for each other.  One that was begun APART tickets ago has told its prefix before the next one asks, and
 * the tile above was begun a row of tiles ago: so up a column they are as near as leaves APART tickets between them,
 * and every tile is one in wide images. */
#ifdef SAT_SIMT
constexpr unsigned ANCHORS = 2, APART = 3; /* images have few tiles there */
#else
constexpr unsigned ANCHORS = 8, APART = 64;
#endif
template <class Sum> constexpr bool ordered = !std::is_integral_v<Sum>;

/* At most so many tiles after a tile may need its words. */
template <class Sum> constexpr unsigned BEHIND = ordered<Sum> ? ANCHORS : 1;

constexpr unsigned NAP_NS = 20; /* between two looks at something that is not there yet */

/* Where tiles leave their words.  All of a large image's would go through the second-level cache and out to memory, in
 * the way of samples and sums; so there is room for some rows of tiles only, and row d of them takes the place of row
 * d - kept, in an epoch of its own.  Small images keep all.
 *
 * A tile is done once it has told and learnt all that it has to.  Its words are free when it is, and so are those that
 * may need them: some tiles to its right and some below it. */
struct ring {
    uint32_t kept, laps;   /* rows of tiles; how often a place is taken in a launch */
    uint32_t across, down; /* tiles of the image */
    uint32_t anchors_up;   /* of so many tiles of a column one is an anchor */
    uint64_t *done;        /* a word for each tile of the ring: told when it is */

    PRIM_DEVICE uint32_t place(uint32_t row) const { return row % kept; }
    PRIM_DEVICE uint32_t epoch(uint32_t launch, uint32_t row) const { return launch * laps + row / kept; }
    PRIM_DEVICE bool taken(uint32_t row) const { return row >= kept; } /* from another row of tiles */

    PRIM_DEVICE prim::tile_states<uint32_t> row_of(uint32_t launch, uint32_t row) const
    {
        return {done + (int64_t)place(row) * across, epoch(launch, row), laps};
    }
    PRIM_DEVICE void leave(uint32_t launch, uint32_t row, uint32_t right) const
    {
        row_of(launch, row).tell(right, prim::TILE_PREFIX, 0);
    }
    /* Whether the words are free that a tile is going to take, as far as this lane has asked: all of a warp have to say
     * so.  A done word may be LATER, as the tile's neighbours need not wait for a warp of it that has no rows. */
    template <unsigned TILES_BEHIND> PRIM_DEVICE bool is_free(uint32_t launch, uint32_t row, uint32_t right) const
    {
        static_assert(2 * TILES_BEHIND < prim::WARP);
        const unsigned lane = prim::lane_id(), below = lane <= TILES_BEHIND ? lane : 0;
        const uint32_t other = right + (lane <= TILES_BEHIND ? 0 : lane - TILES_BEHIND);
        if (!taken(row) || lane > 2 * TILES_BEHIND || other >= across) return true;
        return row_of(launch, row - kept + below).ask(other).state != prim::TILE_NOTHING;
    }
};

enum direction { LEFT, UP };

/* What a thread asks for N chains of tiles, all at the same tile.  A tile's words are those of the tile before it and
 * `step` words more; in chains that go up, those of the next place of the ring.
 *
 * Where sums have no order, who looks back can stop at the first prefix, so that a tile that is done hides what lies
 * before it.  But somebody may have read its sum before that told more, and now look for words that have been taken: he
 * finds them LATER, and begins again.
 *
 * All words are relaxed and order no others.  That a tile is done does not say that its words have arrived, where they
 * would overwrite those of the next one.  With an order of sums they have: a tile tells one word, and the one behind it
 * has read that before it was done.  (The memory model does not say that what one block has read nobody can overtake,
 * but all blocks read and write a word in one place, the second-level cache.)  Without, a tile may tell its prefix when
 * nobody needs it any more; so who takes words reads that prefix first, and then writes, which is in order. */
template <class Sum, unsigned N, direction TO, bool REUSES> struct chains {
    prim::tile_states<Sum> states;
    int64_t at[N], step;
    uint32_t tile, tiles; /* this one, of so many in a chain */
    uint32_t anchors;     /* one in so many tiles */
    uint32_t place, kept; /* of the ring */
    bool taken;           /* another tile had the words before */
    bool live[N];
    Sum first[N]; /* before tile 0 */

    /* Of tile row `down`, in a launch, with words in `told`; where those lie and which live is yet to be said. */
    PRIM_DEVICE static chains of(uint64_t *told, const ring &words, uint32_t launch, uint32_t down, int64_t step,
                                 uint32_t tile, uint32_t tiles)
    {
        return {.states = {told, words.epoch(launch, down), words.laps},
                .step = step,
                .tile = tile,
                .tiles = tiles,
                .anchors = TO == UP ? words.anchors_up : ANCHORS,
                .place = words.place(down),
                .kept = words.kept,
                .taken = words.taken(down)};
    }

    PRIM_DEVICE bool has_prefix() const { return !ordered<Sum> || tile % anchors == 0; }

    /* Where the tile so many before this one tells.  One as far up as the ring is long has given its words away. */
    static constexpr bool RING = REUSES && TO == UP;
    PRIM_DEVICE bool gone(uint32_t back) const { return RING && back >= kept; }
    PRIM_DEVICE bool lap_before(uint32_t back) const { return RING && back > place; }
    PRIM_DEVICE prim::tile_states<Sum> states_of(uint32_t back) const
    {
        return {states.words, states.epoch - lap_before(back), states.laps};
    }
    PRIM_DEVICE int64_t at_of(unsigned n, uint32_t back) const
    {
        return at[n] + ((int64_t)(lap_before(back) ? kept : 0) - back) * step;
    }

    PRIM_DEVICE bool tells() const { return tile + 1 < tiles; }

    /* Words as they have been asked for, not looked at yet: who does has to wait for them. */
    using states_of_sums = prim::tile_states<Sum>;
    struct answers {
        typename states_of_sums::answer of[N];
    };

    /* Asks for what the tile has told that had the words. */
    PRIM_DEVICE bool takes() const { return REUSES && !ordered<Sum> && taken && tells(); }
    PRIM_DEVICE states_of_sums past() const { return {states.words, states.epoch - 1, states.laps}; }
    PRIM_DEVICE answers look_at_place() const
    {
        answers a;
#pragma unroll
        for (unsigned n = 0; n < N; n++) a.of[n] = past().send(at[n], live[n] && takes());
        return a;
    }
    PRIM_DEVICE void take_place(answers a) const
    {
        while (takes()) {
            bool there = true;
#pragma unroll
            for (unsigned n = 0; n < N; n++)
                there = there && (!live[n] || past().read(a.of[n]).state == prim::TILE_PREFIX);
            if (there) break;
            prim::nap(NAP_NS);
            a = look_at_place();
        }
    }

    PRIM_DEVICE void begin(const Sum *mine, answers place_before) const
    {
        if (!tells()) return;
        take_place(place_before);
#pragma unroll
        for (unsigned n = 0; n < N; n++)
            if (live[n]) {
                if (tile == 0)
                    states.tell(at[n], prim::TILE_PREFIX, first[n] + mine[n]);
                else if (!ordered<Sum> || !has_prefix())
                    states.tell(at[n], prim::TILE_SUM, mine[n]);
            }
    }

    /* Asks what the last of the `left` tiles that are not added yet has told, for each chain that has any. */
    PRIM_DEVICE answers look(const uint32_t *left) const
    {
        answers a;
#pragma unroll
        for (unsigned n = 0; n < N; n++) {
            const uint32_t back = tile - left[n] + 1;
            a.of[n] = states_of(back).send(at_of(n, back), left[n] > 0 && !gone(back));
        }
        return a;
    }
    PRIM_DEVICE answers look() const
    {
        uint32_t left[N];
#pragma unroll
        for (unsigned n = 0; n < N; n++) left[n] = live[n] ? tile : 0;
        return look(left);
    }

    /* What lies before this tile, which a first look may already have seen; tells what lies before its end. */
    PRIM_DEVICE void finish(const Sum *mine, answers seen, Sum *before) const
    {
        uint32_t left[N];
#pragma unroll
        for (unsigned n = 0; n < N; n++) {
            before[n] = tile == 0 ? first[n] : Sum();
            left[n] = live[n] ? tile : 0;
        }
        for (;;) {
            bool more = false, stuck = false;
#pragma unroll
            for (unsigned n = 0; n < N; n++) {
                const uint32_t back = tile - left[n] + 1;
                const auto news = states_of(back).read(seen.of[n]);
                const uint32_t state = gone(back) ? (uint32_t)prim::TILE_LATER : news.state;
                if (left[n] > 0) {
                    if (state == prim::TILE_NOTHING) {
                        stuck = true;
                    } else if (REUSES && state == prim::TILE_LATER) {
                        before[n] = Sum();
                        left[n] = tile;
                    } else {
                        before[n] += news.value;
                        left[n] = state == prim::TILE_PREFIX ? 0 : left[n] - 1;
                    }
                }
                more = more || left[n] > 0;
            }
            if (!more) break;
            if (stuck) prim::nap(NAP_NS);
            seen = look(left);
        }
        if (tile == 0 || !has_prefix() || !tells()) return;
#pragma unroll
        for (unsigned n = 0; n < N; n++)
            if (live[n]) states.tell(at[n], prim::TILE_PREFIX, before[n] + mine[n]);
    }
};

} // namespace fuse
#endif
