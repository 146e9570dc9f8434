/* grid.cpp - runs a launch: admits blocks, starts threads, switches between them, and sees when no thread makes
 * progress.
 */
#include "grid.h"

#include <algorithm>
#include <iterator>
#include <stdlib.h>
#include <string.h>

namespace simt
{

grid g;
thread *self;
indices now;
random_sequence rng = {1};
simt_counts counts;
uint32_t last_epoch;
bool fair;

namespace
{

fiber host;
uint64_t progress_at, looked_at; /* steps */
unsigned fuel;

/* When do all threads only wait?  When, in a fair order and with all stores visible, no thread has stored anything new
 * for so many steps each: a look-back over the longest grids that tests run takes a few hundred collectives.  Fewer do
 * if no thread has loaded another word than those that it loaded before: more than a tile's arithmetic takes, whose
 * results may all be what was there (four channels of zeros, scanned by shuffles: some 200; statistics of windows that
 * are all clipped to zeros: some 600).  Below the first number of steps no thread is suspect: the policies starve
 * threads for less long. */
constexpr uint64_t SUSPICIOUS = 20000, STEPS_EACH = 4000, REPEATING_STEPS_EACH = 2000;
constexpr unsigned FUEL = 64; /* accesses without a switch point, until one is made */
constexpr size_t SHARED_ALIGNMENT = 128, SHARED_LIMIT = 227 << 10;

void be(thread *t)
{
    self = t;
    now.thread = t->id;
    now.block = t->block->id;
    counts.switches++;
}

void switch_to(thread *t)
{
    if (t == self) return;
    thread *from = self;
    be(t);
    fiber_switch(&from->context, &t->context);
}

void thread_main()
{
    g.spec.enter(g.spec.kernel, self->block->shared);
    collective_exit();
    progressed();
    self->state = thread::GONE;
    unready(self);
    fiber_switch(&self->context, &host);
    abort();
}

/* ---- blocks ------------------------------------------------------------------------------------------- */

slot_memory slots[SLOTS];

unsigned take_slot()
{
    for (unsigned i = 0; i < SLOTS; i++)
        if (!slots[i].used) return i;
    abort();
}

void admit()
{
    std::unique_ptr<block> b(new block);
    b->id = g.waiting.back();
    g.waiting.pop_back();
    b->slot = take_slot();
    b->epoch = b->first_epoch = ++last_epoch;
    b->alive = g.spec.threads;
    b->waiting = 0;

    slot_memory &m = slots[b->slot];
    m.used = true;
    if (!m.bytes)
        m.bytes = (char *)aligned_alloc(SHARED_ALIGNMENT, (SHARED_LIMIT + SHARED_ALIGNMENT) & -SHARED_ALIGNMENT);
    if (m.words.size() * 4 < g.spec.shared_bytes) m.words.resize((g.spec.shared_bytes + 3) / 4);
    if (m.written.size() < g.spec.shared_bytes) m.written.resize(g.spec.shared_bytes);
    memset(m.bytes, (int)rng.next(), g.spec.shared_bytes);
    b->shared = m.bytes;

    unsigned n = g.spec.threads;
    b->threads.resize(n, {.block = b.get(), .at = site::current()});
    b->warps.resize((n + LANES - 1) / LANES);
    for (unsigned w = 0; w < b->warps.size(); w++)
        b->warps[w] = {.block = b.get(), .lanes = &b->threads[w * LANES], .n = std::min(LANES, n - w * LANES)};
    for (unsigned i = 0; i < n; i++) {
        thread *t = &b->threads[i];
        t->id = i;
        t->lane = i % LANES;
        t->warp = &b->warps[i / LANES];
        t->state = thread::GONE;
        t->clock[t->lane] = 1;
        t->stack = stack_get();
        fiber_start(&t->context, t->stack, thread_main);
        make_ready(t);
    }
    g.resident_threads += n;
    g.resident.push_back(std::move(b));
    counts.blocks++;
    counts.threads += n;
}

void dismiss(size_t i)
{
    block *b = g.resident[i].get();
    policy_forget(b);
    for (thread &t : b->threads) {
        fiber_end(&t.context);
        stack_put(t.stack);
    }
    slots[b->slot].used = false;
    g.resident_threads -= g.spec.threads;
    std::swap(g.resident[i], g.resident.back());
    g.resident.pop_back();
}

/* ---- a launch ----------------------------------------------------------------------------------------- */

/* What this launch is like; all from the seed. */
void draw()
{
    constexpr unsigned stays[] = {0, 2, 8, 0}, drains[] = {1, 4, 32, 256}, stales[] = {0, 2, 8, 64};
    int forced = forced_policy();
    g.policy = forced >= 0 ? (policy)forced : (policy)rng.below(3);
    g.stay = stays[rng.below(4)];
    g.drain = drains[rng.below(4)];
    g.stale = stales[rng.below(4)];
    g.stale_weak = stales[1 + rng.below(3)];

    constexpr unsigned most_threads = 2048; /* resident at a time: what a multiprocessor holds */
    uint64_t most = std::min<uint64_t>({SLOTS, std::max(1u, most_threads / g.spec.threads), (uint64_t)g.spec.blocks});
    g.residency = std::max((unsigned)(1 + rng.below(most)), g.spec.least_resident);

    g.waiting.resize((size_t)g.spec.blocks);
    for (size_t i = 0; i < g.waiting.size(); i++) g.waiting[i] = (unsigned)(g.waiting.size() - 1 - i);
    if (rng.below(4))
        for (size_t i = g.waiting.size(); i > 1; i--) std::swap(g.waiting[i - 1], g.waiting[rng.below(i)]);
}

void run()
{
    while (!lost) {
        for (size_t i = g.resident.size(); i-- > 0;)
            if (g.resident[i]->alive == 0) dismiss(i);
        while (!g.waiting.empty() && g.resident.size() < g.residency) admit();
        if (g.resident.empty()) return;
        thread *t = policy_pick();
        if (!t) {
            note_fault("deadlock", -1, -1, "every thread waits for one that does not come");
            return;
        }
        be(t);
        fiber_switch(&host, &t->context); /* returns when a thread has exited, or after a fault */
        if (self && self->state == thread::GONE) self->block->alive--;
        self = nullptr;
    }
}

} // namespace

slot_memory &slot(unsigned i)
{
    return slots[i];
}

bool launch(const launch_spec &spec)
{
    fault_begin();
    if (lost) return false;
    memory_open open;
    g.spec = spec;
    g.running = true;
    g.launch++;
    g.first_epoch = last_epoch + 1;
    g.ready.clear();
    g.resident_threads = 0;
    now.blocks = (unsigned)spec.blocks;
    progress_at = looked_at = counts.steps;
    fuel = FUEL;
    fair = false;
    counts.launches++;
    count_launch();
    if (spec.enter == nullptr) {
        note_fault("not compiled", -1, -1, "the file of SIMT_CHOSEN does not name this kernel");
        g.running = false;
        return false;
    }
    draw();
    policy_begin();
    words_begin();
    run();
    self = nullptr;
    words_end();
    g.running = false;
    g.waiting.clear();
    while (!g.resident.empty()) dismiss(g.resident.size() - 1); /* after a fault: none of their frames owns anything */
    return !lost;
}

void leave_grid()
{
    fiber_switch(&self->context, &host);
    abort();
}

/* ---- switch points ------------------------------------------------------------------------------------ */

void make_ready(thread *t)
{
    warp *w = t->warp;
    t->state = thread::READY;
    if (!w->ready) {
        w->position = g.ready.size();
        g.ready.push_back(w);
    }
    w->ready |= 1u << t->lane;
}

void unready(thread *t)
{
    warp *w = t->warp;
    w->ready &= ~(1u << t->lane);
    if (w->ready) return;
    g.ready[w->position] = g.ready.back();
    g.ready[w->position]->position = w->position;
    g.ready.pop_back();
}

void progressed()
{
    progress_at = looked_at = counts.steps;
    fair = false;
}

void looks_at(const void *p)
{
    for (const void *before : self->looked)
        if (before == p) return;
    self->looked[self->looks++ % std::size(self->looked)] = p;
    looked_at = counts.steps;
}

namespace
{
void step()
{
    counts.steps++;
    fuel = FUEL;
    words_drain_some();
    uint64_t idle = counts.steps - progress_at;
    if (idle < SUSPICIOUS) return;
    if (!fair) {
        fair = true;
        words_drain_all();
    }
    if (idle > SUSPICIOUS + STEPS_EACH * g.resident_threads ||
        counts.steps - looked_at > SUSPICIOUS + REPEATING_STEPS_EACH * g.resident_threads)
        fault("livelock", self->at, "all threads only wait for each other, here among others");
}
} // namespace

void yield()
{
    step();
    if (!fair && g.stay && !rng.one_in(g.stay)) return;
    switch_to(policy_pick());
}

void wait_as(enum thread::state state)
{
    self->state = state;
    unready(self);
    step();
    thread *next = policy_pick();
    if (!next) fault("deadlock", self->at, "every thread waits; this one at %s", collective_name(self->what));
    switch_to(next);
}

void nanosleep(site at)
{
    self->at = at;
    step();
    policy_sleep();
    switch_to(policy_pick());
}

void burn()
{
    if (--fuel == 0) yield();
}

} // namespace simt
