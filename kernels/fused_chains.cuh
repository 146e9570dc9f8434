/* fused_chains.cuh - how tiles of fused.cuh learn what lies to the left of them and above them. */
#ifndef FUSED_CHAINS_CUH
#define FUSED_CHAINS_CUH

#include <type_traits>

#include "prim/tile_state.cuh"

namespace fuse
{

/* Sums of float samples come out the same in every run only if they are always added in the same order.  So of every
 * ANCHORS tiles one, the anchor, tells what lies before its end, and the others their own sums only: every tile adds
 * the tiles back to the nearest anchor, which one it is does not depend on who was first. */
constexpr unsigned ANCHORS = 8;
template <class Sum> constexpr bool ordered = !std::is_integral_v<Sum>;

constexpr unsigned NAP_NS = 20; /* between two looks at something that is not there yet */

/* Where tiles leave their words.  All of a large image's would go through the second-level cache and out to memory, in
 * the way of samples and sums; so there is room for some rows of tiles only, and row d of them takes the place of row
 * d - kept, in an epoch of its own.  Small images and ordered sums keep all. */
struct ring {
    uint32_t kept, laps; /* rows of tiles; how often a place is taken in a launch */
    uint32_t down;       /* rows of tiles in the image */

    PRIM_DEVICE uint32_t place(uint32_t row) const { return row % kept; }
    PRIM_DEVICE uint32_t epoch(uint32_t launch, uint32_t row) const { return launch * laps + row / kept; }
    PRIM_DEVICE bool taken(uint32_t row) const { return row >= kept; }       /* from another row of tiles */
    PRIM_DEVICE bool given(uint32_t row) const { return row + kept < down; } /* to another */
};

enum direction { LEFT, UP };

/* What a thread asks for N chains of tiles, all at the same tile.  A tile's words are those of the tile before it and
 * `step` words more; in chains that go up, those of the next place of the ring.
 *
 * Who takes a place must know that the tile that had it has told its last word there, and that nobody needs the words
 * any more.  The one behind it may: until it tells its prefix.  All others can stop at that prefix.  So both must have
 * told theirs, or be gone; one thread reads that and then writes, which needs no fence.  Somebody may have read the sum
 * of the one behind before that told its prefix, and now look for the words that are gone: he finds them LATER, and
 * begins again. */
template <class Sum, unsigned N, direction TO, unsigned LOOK, bool REUSES> struct chains {
    prim::tile_states<Sum> states;
    int64_t at[N], step;
    uint32_t tile, tiles; /* this one, of so many in a chain */
    uint32_t place, kept; /* of the ring */
    bool taken, given;    /* another tile had the words before, another will have them */
    bool live[N];
    Sum first[N]; /* before tile 0 */

    PRIM_DEVICE bool has_prefix() const { return !ordered<Sum> || tile % ANCHORS == 0; }

    /* What the tile so many before this one has told. */
    PRIM_DEVICE prim::tile_news<Sum> ask(unsigned n, uint32_t back) const
    {
        const bool lap = REUSES && TO == UP && back > place; /* it is in the lap before this one */
        const prim::tile_states<Sum> theirs = {states.words, states.epoch - lap, states.laps};
        return theirs.ask(at[n] + ((int64_t)(lap ? kept : 0) - back) * step);
    }

    /* How far the tile is that had the place, and the one behind it. */
    struct past {
        uint32_t had[N], behind[N];
    };
    PRIM_DEVICE uint32_t past_of(unsigned n, unsigned behind) const
    {
        if (TO == UP) return ask(n, kept - behind).state;
        const prim::tile_states<Sum> theirs = {states.words, states.epoch - 1, states.laps};
        return tile + behind < tiles ? theirs.ask(at[n] + behind * step).state : (uint32_t)prim::TILE_PREFIX;
    }
    PRIM_DEVICE past look_at_place() const
    {
        past p = {};
        if (REUSES && tiles > 1 && taken)
#pragma unroll
            for (unsigned n = 0; n < N; n++)
                if (live[n]) p.had[n] = past_of(n, 0), p.behind[n] = past_of(n, 1);
        return p;
    }
    PRIM_DEVICE void take_place(past p) const
    {
        if constexpr (REUSES)
#pragma unroll
            for (unsigned n = 0; n < N; n++)
                while (taken && live[n] && (p.had[n] < prim::TILE_PREFIX || p.behind[n] < prim::TILE_PREFIX)) {
                    prim::nap(NAP_NS);
                    p.had[n] = past_of(n, 0);
                    p.behind[n] = past_of(n, 1);
                }
    }

    PRIM_DEVICE void begin(const Sum *mine, past p) const
    {
        if (tiles == 1) return;
        take_place(p);
#pragma unroll
        for (unsigned n = 0; n < N; n++)
            if (live[n]) {
                if (tile == 0)
                    states.tell(at[n], prim::TILE_PREFIX, first[n] + mine[n]);
                else if (tile + 1 < tiles && (!ordered<Sum> || !has_prefix()))
                    states.tell(at[n], prim::TILE_SUM, mine[n]);
            }
    }

    /* The LOOK tiles before the last `left` of each chain, as far as there are any. */
    struct sight {
        prim::tile_news<Sum> of[N][LOOK];
    };
    PRIM_DEVICE sight look(const uint32_t *left) const
    {
        sight s;
#pragma unroll
        for (unsigned n = 0; n < N; n++)
#pragma unroll
            for (unsigned k = 0; k < LOOK; k++) {
                s.of[n][k] = {prim::TILE_NOTHING, Sum()};
                if (k < left[n]) s.of[n][k] = ask(n, tile - left[n] + 1 + k);
            }
        return s;
    }
    PRIM_DEVICE sight look() const
    {
        uint32_t left[N];
#pragma unroll
        for (unsigned n = 0; n < N; n++) left[n] = live[n] ? tile : 0;
        return look(left);
    }

    /* What lies before this tile, which a first look may already have seen; tells what lies before its end. */
    PRIM_DEVICE void finish(const Sum *mine, sight seen, Sum *before) const
    {
        uint32_t left[N]; /* tiles that are not added yet */
#pragma unroll
        for (unsigned n = 0; n < N; n++) {
            before[n] = tile == 0 ? first[n] : Sum();
            left[n] = live[n] ? tile : 0;
        }
        for (;;) {
            bool more = false, stuck = false;
#pragma unroll
            for (unsigned n = 0; n < N; n++) {
                bool there = left[n] > 0;
                stuck = stuck || (there && seen.of[n][0].state == prim::TILE_NOTHING);
#pragma unroll
                for (unsigned k = 0; k < LOOK; k++) {
                    const uint32_t state = seen.of[n][k].state;
                    there = there && state != prim::TILE_NOTHING;
                    if (REUSES && there && state == prim::TILE_LATER) {
                        before[n] = Sum();
                        left[n] = tile;
                        there = false;
                    } else if (there) {
                        before[n] += seen.of[n][k].value;
                        left[n] = state == prim::TILE_PREFIX ? 0 : left[n] - 1;
                        there = left[n] > 0;
                    }
                }
                more = more || left[n] > 0;
            }
            if (!more) break;
            if (stuck) prim::nap(NAP_NS);
            seen = look(left);
        }
        if (tile == 0) return;
        if (!has_prefix() || (tile + 1 == tiles && !(REUSES && given))) return;
#pragma unroll
        for (unsigned n = 0; n < N; n++)
            if (live[n]) states.tell(at[n], prim::TILE_PREFIX, before[n] + mine[n]);
    }
};

} // namespace fuse
#endif
