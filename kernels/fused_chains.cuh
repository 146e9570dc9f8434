/* fused_chains.cuh - how tiles of fused.cuh learn what lies to the left of them and above them. */
#ifndef FUSED_CHAINS_CUH
#define FUSED_CHAINS_CUH

#include <type_traits>

#include "prim/tile_state.cuh"

namespace fuse
{

/* Sums of float samples come out the same in every run only if they are always added in the same order. */
template <class Sum> constexpr bool ordered = !std::is_integral_v<Sum>;

constexpr unsigned NAP_NS = 20; /* between two looks at something that is not there yet */

/* Where tiles leave their words.  All of a large image's would go through the second-level cache and out to memory, in
 * the way of samples and sums; so there is room for some rows of tiles only, and row d of them takes the place of row
 * d - kept, in an epoch of its own.  Small images keep all.
 *
 * A tile is done once it has told and learnt all that it has to.  Its words are free when it is, and so are the tile to
 * its right and the one below it, as those hide them from the others. */
struct ring {
    uint32_t kept, laps;   /* rows of tiles; how often a place is taken in a launch */
    uint32_t across, down; /* tiles of the image */
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
    PRIM_DEVICE bool is_free(uint32_t launch, uint32_t row, uint32_t right) const
    {
        const unsigned lane = prim::lane_id(), below = lane == 1, other = right + (lane == 2);
        if (!taken(row) || lane > 2 || other >= across) return true;
        return row_of(launch, row - kept + below).ask(other).state != prim::TILE_NOTHING;
    }
};

enum direction { LEFT, UP };

/* What a thread has found in N chains on its way back, before it came to a prefix.
 *
 * Where sums have an order, it keeps what it has found and adds that from the far end on.  So what lies before a tile
 * is what lies before the last one, and then that one's sum: the same bits, whichever prefix was the first that it
 * found.  It can keep the sums of MOST tiles; who has gone as far back waits for a prefix there. */
template <class Sum, unsigned N> struct found {
#ifdef SAT_SIMT
    static constexpr unsigned MOST = ordered<Sum> ? 2 : 1; /* images have few tiles there */
#else
    /* Registers are short where there are several chains, or sums of 8 bytes. */
    static constexpr unsigned FIT = 128 / (N * sizeof(Sum)), MANY = N * sizeof(Sum) == 4 ? 16 : 8;
    static constexpr unsigned MOST = !ordered<Sum> ? 1 : FIT < MANY ? FIT : MANY;
#endif
    Sum of[MOST][N];

    /* The sums of one more tile than `tiles`. */
    PRIM_DEVICE void keep(uint32_t tiles, const Sum (&sums)[N])
    {
#pragma unroll
        for (unsigned n = 0; n < N; n++)
            if constexpr (ordered<Sum>) {
#pragma unroll
                for (unsigned k = 0; k < MOST; k++)
                    if (k == tiles) of[k][n] = sums[n];
            } else {
                of[0][n] = tiles == 0 ? sums[n] : of[0][n] + sums[n];
            }
    }
    /* Adds the sums of all `tiles` to what lies before them. */
    PRIM_DEVICE void add_to(Sum (&before)[N], uint32_t tiles) const
    {
#pragma unroll
        for (unsigned k = MOST; k-- > 0;)
#pragma unroll
            for (unsigned n = 0; n < N; n++)
                if (ordered<Sum> ? k < tiles : tiles > 0) before[n] += of[k][n];
    }
};

/* What a thread asks for N chains of tiles, all at the same tile.  A tile's words are those of the tile before it and
 * `step` words more; in chains that go up, those of the next place of the ring.
 *
 * Who looks back can stop at the first prefix, so that a tile that is done hides what lies before it.  But somebody may
 * have read its sum before that told more, and now look for words that have been taken: he finds them LATER, and begins
 * again.
 *
 * All words are relaxed and order no others.  That a tile is done does not say that its words have arrived, where they
 * would overwrite those of the next one: it may tell its prefix when nobody needs it any more.  So who takes words
 * reads that prefix first, and then writes, which is in order. */
template <class Sum, unsigned N, direction TO, bool REUSES> struct chains {
    prim::tile_states<Sum> states;
    int64_t at[N], step;
    uint32_t tile, tiles; /* this one, of so many in a chain */
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
                .place = words.place(down),
                .kept = words.kept,
                .taken = words.taken(down)};
    }

    /* Where the tile so many before this one tells. */
    static constexpr bool RING = REUSES && TO == UP;
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
    PRIM_DEVICE bool takes() const { return REUSES && taken && tells(); }
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
                else
                    states.tell(at[n], prim::TILE_SUM, mine[n]);
            }
    }

    /* Tiles of which this thread has to know: all before its own, if any of its chains lives; then the first does. */
    PRIM_DEVICE uint32_t tiles_before() const
    {
        return live[0] ? tile : 0;
    }

    /* How many tiles it may pass: those that it has room for, and in the ring; one as far up as that is long has given
     * its words away. */
    PRIM_DEVICE uint32_t most_passed() const
    {
        const uint32_t most = ordered<Sum> ? found<Sum, N>::MOST : UINT32_MAX;
        return RING && kept - 2 < most ? kept - 2 : most;
    }

    /* Asks what the last of the `left` tiles that are not added yet has told, if there are any. */
    PRIM_DEVICE answers look(uint32_t left) const
    {
        const uint32_t back = tile - left + 1;
        answers a;
#pragma unroll
        for (unsigned n = 0; n < N; n++) a.of[n] = states_of(back).send(at_of(n, back), live[n] && left > 0);
        return a;
    }
    PRIM_DEVICE answers look() const
    {
        return look(tiles_before());
    }

    /* Reads what that tile has told: what all of its chains have, else nothing, as the rest will come at once. */
    PRIM_DEVICE uint32_t read(const answers &a, uint32_t left, Sum (&values)[N]) const
    {
        const uint32_t back = tile - left + 1;
        bool sums = true, prefixes = true, later = false;
#pragma unroll
        for (unsigned n = 0; n < N; n++) {
            const auto news = states_of(back).read(a.of[n]);
            values[n] = news.value;
            sums = sums && (!live[n] || news.state == prim::TILE_SUM);
            prefixes = prefixes && (!live[n] || news.state == prim::TILE_PREFIX);
            later = later || (live[n] && news.state == prim::TILE_LATER);
        }
        return REUSES && later ? prim::TILE_LATER
               : prefixes      ? prim::TILE_PREFIX
               : sums          ? prim::TILE_SUM
                               : prim::TILE_NOTHING;
    }

    /* What lies before this tile, which a first look may already have seen; tells what lies before its end. */
    PRIM_DEVICE void finish(const Sum *mine, answers seen, Sum (&before)[N]) const
    {
        found<Sum, N> on_the_way = {};
        const uint32_t room = most_passed();
        uint32_t left = tiles_before();
#pragma unroll
        for (unsigned n = 0; n < N; n++) before[n] = tile == 0 ? first[n] : Sum();
        while (left > 0) {
            Sum values[N];
            const uint32_t state = read(seen, left, values), passed = tile - left;
            if (state == prim::TILE_PREFIX) {
#pragma unroll
                for (unsigned n = 0; n < N; n++) before[n] = values[n];
                on_the_way.add_to(before, passed);
                break;
            }
            if (state == prim::TILE_LATER) {
                left = tile;
            } else if (state == prim::TILE_SUM && passed < room) {
                on_the_way.keep(passed, values);
                left--;
            } else {
                prim::nap(NAP_NS);
            }
            seen = look(left);
        }
        if (tile == 0 || !tells()) return;
#pragma unroll
        for (unsigned n = 0; n < N; n++)
            if (live[n]) states.tell(at[n], prim::TILE_PREFIX, before[n] + mine[n]);
    }
};

} // namespace fuse
#endif
