/* collective.cpp - barriers, shuffles and votes: threads meet, and must all mean the same meeting.
 *
 * A lane that arrives waits until every lane of its mask has come to the same call.  CUDA leaves undefined what happens
 * when one of them is at another collective with a mask that names this lane (neither can go on), or has exited: here
 * each is a fault. */
#include "grid.h"

#include <string.h>

namespace simt
{

namespace
{

const char *const names[] = {"block_sync",  "warp_sync", "shuffle", "shuffle_up", "shuffle_down",
                             "shuffle_xor", "ballot",    "any",     "all",        "add_lanes"};

bool same_place(const site &a, const site &b)
{
    if (!memcmp(&a, &b, sizeof a)) return true; /* else they may still be two copies of one inlined call */
    return a.line() == b.line() && a.column() == b.column() && !strcmp(a.file_name(), b.file_name());
}

/* What lane `lane` of a shuffle gets; a lane outside the mask has no value to give. */
uint64_t shuffled(const warp *w, const thread &t)
{
    unsigned from = t.lane;
    switch (t.what) {
    case collective::shuffle: from = t.argument % LANES; break;
    case collective::shuffle_up: from = t.argument > t.lane ? t.lane : t.lane - t.argument; break;
    case collective::shuffle_down: from = t.argument >= LANES - t.lane ? t.lane : t.lane + t.argument; break;
    default: from = (t.lane ^ t.argument) % LANES; break;
    }
    return t.mask >> from & 1 ? w->lanes[from].value : rng.next();
}

/* Each lane of the mask knows what all of them knew. */
void join(warp *w, unsigned mask)
{
    uint32_t clock[LANES] = {};
    uint64_t floor = 0;
    for (unsigned m = mask; m; m &= m - 1) {
        const thread &t = w->lanes[__builtin_ctz(m)];
        clock[t.lane] = t.clock[t.lane]; /* a lane's own clock is the newest */
        floor = t.floor > floor ? t.floor : floor;
        for (unsigned others = ~mask; others; others &= others - 1) {
            unsigned i = (unsigned)__builtin_ctz(others);
            clock[i] = t.clock[i] > clock[i] ? t.clock[i] : clock[i];
        }
    }
    for (unsigned m = mask; m; m &= m - 1) {
        thread &t = w->lanes[__builtin_ctz(m)];
        memcpy(t.clock, clock, sizeof clock);
        t.clock[t.lane]++;
        t.floor = floor;
    }
}

void complete(warp *w, unsigned mask)
{
    thread &first = w->lanes[__builtin_ctz(mask)];
    collective what = first.what;
    uint64_t results[LANES] = {}, votes = 0, sum = 0;
    for (unsigned m = mask; m; m &= m - 1) {
        thread &t = w->lanes[__builtin_ctz(m)];
        if (t.value) votes |= 1u << t.lane;
        sum += t.value;
    }
    for (unsigned m = mask; m; m &= m - 1) {
        thread &t = w->lanes[__builtin_ctz(m)];
        switch (what) {
        case collective::warp_sync: break;
        case collective::ballot: results[t.lane] = votes; break;
        case collective::any: results[t.lane] = votes != 0; break;
        case collective::add_lanes: results[t.lane] = (uint32_t)sum; break;
        case collective::all: results[t.lane] = votes == mask; break;
        default: results[t.lane] = shuffled(w, t); break;
        }
    }
    if (what == collective::warp_sync) join(w, mask); /* the only one that orders memory */
    for (unsigned m = mask; m; m &= m - 1) {
        thread &t = w->lanes[__builtin_ctz(m)];
        t.value = results[t.lane];
        if (&t != self) make_ready(&t);
    }
}

[[noreturn]] void diverged(const thread &other)
{
    const char *doing = names[(int)other.what];
    fault("divergence", self->at, "%s with mask %08x waits for lane %u, which waits at %s with mask %08x at %s",
          names[(int)self->what], self->mask, other.lane, doing, other.mask, place(other.at).c_str());
}

} // namespace

const char *collective_name(collective what)
{
    return names[(int)what];
}

uint64_t warp_collective(collective what, uint64_t value, unsigned lane, unsigned mask, site at)
{
    thread *me = self;
    warp *w = me->warp;
    me->what = what;
    me->value = value;
    me->argument = lane;
    me->mask = mask;
    me->at = at;
    if (!(mask >> me->lane & 1))
        fault("divergence", at, "%s with mask %08x, which does not name the calling lane", names[(int)what], mask);
    if (w->n < LANES && mask >> w->n)
        fault("divergence", at, "%s with mask %08x in a warp of %u lanes", names[(int)what], mask, w->n);
    /* The lanes that come after the first find the meeting that it has begun. */
    if (w->met && w->mask == mask && w->what == what && same_place(w->at, at)) {
        w->met |= 1u << me->lane;
        if (w->met != mask) {
            wait_as(thread::IN_WARP);
        } else {
            w->met = 0;
            complete(w, mask);
            yield();
        }
        return me->value;
    }
    bool last = true;
    unsigned met = 1u << me->lane;
    for (unsigned m = mask & ~(1u << me->lane); m; m &= m - 1) {
        thread &t = w->lanes[__builtin_ctz(m)];
        switch (t.state) {
        case thread::READY: last = false; break;
        case thread::GONE:
            fault("divergence", at, "%s with mask %08x names lane %u, which has exited", names[(int)what], mask,
                  t.lane);
        case thread::IN_BLOCK: diverged(t);
        case thread::IN_WARP:
            if (t.mask >> me->lane & 1) {
                if (t.mask != mask || t.what != what || !same_place(t.at, at)) diverged(t);
                met |= 1u << t.lane;
            } else {
                last = false;
            }
        }
    }
    if (last) {
        complete(w, mask);
        yield();
    } else {
        w->met = met;
        w->mask = mask;
        w->what = what;
        w->at = at;
        wait_as(thread::IN_WARP);
    }
    return me->value;
}

void block_sync(site at)
{
    thread *me = self;
    block *b = me->block;
    me->what = collective::block_sync;
    me->mask = UINT32_MAX;
    me->at = at;
    for (unsigned i = 0; i < me->warp->n; i++) {
        const thread &t = me->warp->lanes[i];
        if (t.state == thread::IN_WARP && t.mask >> me->lane & 1) diverged(t);
    }
    if (b->alive != b->threads.size())
        fault("divergence", at, "block_sync in a block of %zu threads, of which %zu have exited", b->threads.size(),
              b->threads.size() - b->alive);
    if (++b->waiting < b->threads.size()) {
        if (b->waiting == 1) b->first_at = at;
        if (!same_place(b->first_at, at))
            fault("divergence", at, "block_sync, while other threads are at the one at %s", place(b->first_at).c_str());
        wait_as(thread::IN_BLOCK);
        return;
    }
    if (b->threads.size() > 1 && !same_place(b->first_at, at))
        fault("divergence", at, "block_sync, while other threads are at the one at %s", place(b->first_at).c_str());
    b->waiting = 0;
    b->epoch = ++last_epoch;
    uint64_t floor = 0;
    for (thread &t : b->threads) floor = t.floor > floor ? t.floor : floor;
    for (thread &t : b->threads) {
        t.floor = floor;
        if (&t != me) make_ready(&t);
    }
    yield();
}

void collective_exit()
{
    thread *me = self;
    for (unsigned i = 0; i < me->warp->n; i++) {
        const thread &t = me->warp->lanes[i];
        if (t.state == thread::IN_WARP && t.mask >> me->lane & 1)
            fault("divergence", me->at, "a thread exits, for which %s with mask %08x waits at %s", names[(int)t.what],
                  t.mask, place(t.at).c_str());
    }
    if (me->block->waiting)
        fault("divergence", me->at, "a thread exits, for which block_sync waits at %s",
              place(me->block->first_at).c_str());
}

} // namespace simt
