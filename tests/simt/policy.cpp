/* policy.cpp - which thread runs next.
 *
 *   uniform   any warp that can run, any of its lanes.  Finds what needs much mixing.
 *   burst     one warp for a long while, then another: what a priority scheduler with random change points does
 * (Burckhardt et al., A randomized scheduler with probabilistic guarantees of finding bugs, ASPLOS 2010).  Finds what
 * needs one warp to be far ahead of its block, which uniform mixing practically never makes. starve    as uniform, but
 * one warp, or all warps of a block, stand still for a while.  Finds blocks that rely on another one.
 *
 * Inside a warp either all lanes are equal or one runs as long as it can, by the seed. */
#include "grid.h"

namespace simt
{

namespace
{

uint64_t until;  /* step at which the favourite, or the victim, changes */
unsigned span;   /* mean steps until then */
warp *favourite; /* NULL: none */
unsigned victim_block, victim_warp;
bool victim_is_block, eager;
size_t turn; /* fair: round robin */
unsigned turn_lane;

constexpr unsigned NO_BLOCK = UINT32_MAX;

thread *lane_of(warp *w)
{
    if (eager && self && self->warp == w && w->ready >> self->lane & 1 && !rng.one_in(16)) return self;
    unsigned from = (unsigned)rng.below(LANES), later = w->ready >> from << from; /* the next one that is ready */
    return &w->lanes[__builtin_ctz(later ? later : w->ready)];
}

warp *any_warp()
{
    return g.ready[rng.below(g.ready.size())];
}

bool is_victim(const warp *w)
{
    return w->block->id == victim_block && (victim_is_block || (unsigned)(w->lanes[0].id / LANES) == victim_warp);
}

thread *fair_pick()
{
    warp *w = g.ready[turn % g.ready.size()];
    unsigned later = turn_lane < LANES ? w->ready >> turn_lane << turn_lane : 0;
    if (!later) {
        w = g.ready[++turn % g.ready.size()];
        later = w->ready;
    }
    turn_lane = (unsigned)__builtin_ctz(later) + 1;
    return &w->lanes[turn_lane - 1];
}

} // namespace

void policy_begin()
{
    constexpr unsigned spans[] = {30, 300, 3000, 20000};
    span = spans[rng.below(4)];
    eager = rng.below(2);
    until = 0;
    favourite = nullptr;
    victim_block = NO_BLOCK;
}

thread *policy_pick()
{
    if (g.ready.empty()) return nullptr;
    if (fair) return fair_pick();
    bool change = counts.steps >= until;
    if (change) until = counts.steps + 1 + rng.below(2 * span);
    switch (g.policy) {
    case policy::uniform: break;
    case policy::burst:
        if (!change && favourite && favourite->ready) return lane_of(favourite);
        favourite = any_warp();
        return lane_of(favourite);
    case policy::starve:
        if (change) {
            warp *w = any_warp();
            victim_block = rng.below(4) ? w->block->id : NO_BLOCK;
            victim_warp = w->lanes[0].id / LANES;
            victim_is_block = rng.below(2);
        }
        for (int tries = 0; tries < 8; tries++) {
            warp *w = any_warp();
            if (!is_victim(w)) return lane_of(w);
        }
        break;
    }
    return lane_of(any_warp());
}

void policy_sleep()
{
    favourite = nullptr;
}

void policy_forget(const block *b)
{
    if (favourite && favourite->block == b) favourite = nullptr;
}

} // namespace simt
