/* words.cpp - words by which blocks talk: what a thread may see of what others have stored.
 *
 * A store becomes a message.  It first waits in its block's buffer, where only its block sees it, and drains
 * into device memory later, not in the order of the program: only stores to one address stay in order, and a release
 * waits for everything that comes before it in its thread, or in others of its block across a barrier.
 *
 *     store --> buffer of the block --(random step)--> history of the word: | value, time | value, time | .. newest |
 *                      ^                                                        ^
 *                      loads of the same block                                  loads of other blocks
 *
 * A load returns the newest message, or with some chance an older one, but none that is older than
 *     what its block has seen of this word before (coherence), or
 *     its thread's floor: the time that acquire read off a release's message, and barriers hand on (causality).
 * So what a release and an acquire do not order is at times read in the wrong order, as the PTX memory model allows.
 *
 * A weak access may not meet another block's store at all unless the two are ordered: a message beyond the floor is a
 * data race, and reported as one whatever the value is. */
#include "grid.h"

#include <algorithm>
#include <string.h>

namespace simt
{

namespace
{

struct message {
    uint64_t time, sync; /* sync: what an acquire that reads it learns; 0: nothing */
    uint32_t value;
    int64_t block; /* -1: from before the launch */
    unsigned thread;
    bool weak;
};

constexpr unsigned HISTORY = 8; /* messages that a word remembers */

/* One 4-byte word that is exchanged in this launch; wider ones are several with the same times. */
struct record {
    uint64_t cell;
    unsigned n;
    message history[HISTORY]; /* oldest first */
    struct {
        uint32_t block; /* first epoch of the block in that slot */
        uint64_t time;
    } seen[SLOTS];
};

struct entry {
    char *p;
    uint64_t value;
    unsigned bytes;
    order kind;
    touch by;
    uint32_t first_epoch; /* of the block */
    unsigned slot;
    uint64_t floor;
};

std::vector<record> records; /* of this launch; message_index() of a word is its place here + 1 */
std::vector<entry> pending;  /* stores that wait, of all blocks, oldest first */
uint64_t clock_now;          /* of messages */

constexpr size_t MOST_PENDING = 128;

record *record_of(uint64_t cell)
{
    uint32_t i = message_index(cell);
    return i && i <= records.size() && records[i - 1].cell == cell ? &records[i - 1] : nullptr;
}

record *make_record(uint64_t cell)
{
    record *r = record_of(cell);
    if (r) return r;
    records.push_back({.cell = cell, .n = 1});
    r = &records.back();
    r->history[0] = {.block = -1};
    memcpy(&r->history[0].value, cell_address(cell), 4);
    message_index(cell) = (uint32_t)records.size();
    return r;
}

bool overlap(const entry &a, const char *p, unsigned bytes)
{
    return a.p < p + bytes && p < a.p + a.bytes;
}

const message &newest(const record *r)
{
    return r->history[r->n - 1];
}

/* A new message with what the word holds now. */
void append(record *r, uint64_t sync, bool weak, const touch &by, unsigned slot, uint32_t first_epoch)
{
    if (r->n == HISTORY) memmove(&r->history[0], &r->history[1], (--r->n) * sizeof(message));
    message &m = r->history[r->n++];
    m = {.time = clock_now, .sync = sync, .block = by.block, .thread = by.thread, .weak = weak};
    memcpy(&m.value, cell_address(r->cell), 4);
    if (r->seen[slot].block <= first_epoch)
        r->seen[slot] = {first_epoch, clock_now}; /* else the slot is a later block's */
}

/* Lets pending[i] go; stores to the same address must have gone before. */
void drain(size_t i)
{
    entry e = pending[i];
    pending.erase(pending.begin() + (ptrdiff_t)i);
    clock_now++;
    counts.drains++;
    memcpy(e.p, &e.value, e.bytes);
    for (uint64_t cell = cell_of(e.p); cell <= cell_of(e.p + e.bytes - 1); cell++) {
        record *r = record_of(cell);
        const message &m = newest(r);
        bool weak = e.kind == order::weak;
        if (m.block >= 0 && m.block != e.by.block && m.time > e.floor && (m.weak || weak))
            note_fault("global race", e.by.block, e.by.thread,
                       "a %s store to a word that block %lld thread %u stored to, and no release and acquire between",
                       weak ? "weak" : "relaxed", (long long)m.block, m.thread);
        append(r, e.kind == order::release ? clock_now : 0, weak, e.by, e.slot, e.first_epoch);
    }
}

/* The same for the oldest store of that block to that address. */
void drain_in_order(size_t i)
{
    size_t first = i;
    for (size_t j = 0; j < first; j++)
        if (pending[j].by.block == pending[i].by.block && overlap(pending[j], pending[i].p, pending[i].bytes))
            first = j;
    drain(first);
}

/* Those of the running block which `which` accepts. */
template <class F> void drain_own(F which)
{
    for (size_t i = 0; i < pending.size();) {
        if (pending[i].by.block == now.block && which(pending[i]))
            drain(i);
        else
            i++;
    }
}

const char *named(order o)
{
    const char *const names[] = {"weak", "relaxed", "acquire", "release"};
    return names[(int)o];
}

/* The value of 1, 2, 4 or 8 aligned bytes that the running thread sees. */
uint64_t look(const char *p, unsigned bytes, order o, const site &at)
{
    uint64_t first = cell_of(p), last = cell_of(p + bytes - 1), sync = 0;
    uint32_t seen_by = self->block->first_epoch, words[2];
    unsigned slot = self->block->slot;
    record *r[2] = {record_of(first), last > first ? record_of(last) : nullptr};

    /* When to look: now, or at one of the moments since the oldest one that is allowed. */
    uint64_t oldest = self->floor, when = UINT64_MAX;
    for (record *x : r)
        if (x && x->seen[slot].block == seen_by) oldest = std::max(oldest, x->seen[slot].time);
    unsigned stale = o == order::weak ? g.stale_weak : g.stale;
    if (!fair && (r[0] || r[1]) && rng.one_in(stale)) {
        uint64_t moments[2 * HISTORY + 1] = {oldest};
        unsigned n = 1;
        for (record *x : r)
            for (unsigned i = 0; x && i < x->n; i++)
                if (x->history[i].time > oldest) moments[n++] = x->history[i].time;
        when = moments[rng.below(n)];
    }

    for (unsigned i = 0; i <= last - first; i++) {
        memcpy(&words[i], cell_address(first + i), 4);
        if (!r[i]) continue;
        const message &latest = newest(r[i]);
        if (latest.block >= 0 && latest.block != now.block && latest.time > self->floor &&
            (latest.weak || o == order::weak))
            fault("global race", at, "a %s load of a word that block %lld thread %u stored to, %s", named(o),
                  (long long)latest.block, latest.thread, "and no release and acquire between");
        unsigned j = r[i]->n - 1;
        while (j > 0 && r[i]->history[j].time > when) j--;
        words[i] = r[i]->history[j].value;
        r[i]->seen[slot] = {seen_by, r[i]->history[j].time};
        sync = std::max(sync, r[i]->history[j].sync);
    }

    char value[8];
    memcpy(value, words, sizeof value);
    const char *base = cell_address(first);
    for (const entry &e : pending)
        if (e.by.block == now.block && overlap(e, base, 8))
            for (unsigned i = 0; i < e.bytes; i++)
                if (e.p + i >= base && e.p + i < base + 8) {
                    value[e.p + i - base] = ((const char *)&e.value)[i];
                    if (e.kind == order::release) sync = std::max(sync, e.floor);
                }
    if (o == order::acquire) self->floor = std::max(self->floor, sync);
    uint64_t result = 0;
    memcpy(&result, value + (p - base), bytes);
    return result;
}

void put(char *p, uint64_t value, unsigned bytes, order o)
{
    if (o == order::release) drain_own([](const entry &e) { return ordered(e.by); });
    if (pending.size() == MOST_PENDING) drain(0);
    for (uint64_t cell = cell_of(p); cell <= cell_of(p + bytes - 1); cell++) make_record(cell);
    pending.push_back({p, value, bytes, o, touch_now(0), self->block->first_epoch, self->block->slot, self->floor});
    progressed();
    if (lost) leave_grid();
}

/* What every access of a word does first. */
void visit(const void *p, unsigned bytes, unsigned alignment, bool write, const site &at)
{
    self->at = at;
    yield();
    check_bytes(p, bytes, alignment, write, at);
    looks_at(p);
    for (uint64_t cell = cell_of(p); cell <= cell_of((const char *)p + bytes - 1); cell++)
        word_touches(cell, write, at);
}

} // namespace

void words_begin()
{
    records.clear();
    pending.clear();
    clock_now = 0;
}

void words_drain_all()
{
    while (!pending.empty()) drain(0);
}

void words_end()
{
    if (!lost) words_drain_all();
    pending.clear();
}

void words_drain_some()
{
    if (pending.empty() || !(fair || rng.one_in(g.drain))) return;
    drain_in_order(rng.below(pending.size()));
    if (lost) leave_grid();
}

void words_plain(uint64_t cell, bool write, const site &at)
{
    const record *r = record_of(cell);
    if (!r) return;
    const char *p = cell_address(cell);
    drain_own([p](const entry &e) { return overlap(e, p, 4); });
    if (lost) leave_grid();
    const message &m = newest(r);
    if (write || (m.block >= 0 && m.block != now.block))
        fault("global race", at, "a plain %s a word by which blocks talk in this launch%s",
              write ? "store to" : "load of", write ? "" : ", and which another one has stored to");
}

uint64_t word_load(const void *p, unsigned bytes, order o, site at)
{
    visit(p, bytes, bytes, false, at);
    return look((const char *)p, bytes, o, at);
}

void word_store(void *p, uint64_t value, unsigned bytes, order o, site at)
{
    visit(p, bytes, bytes, true, at);
    put((char *)p, value, bytes, o);
}

/* Two loads or stores, in either order. */
void pair_load(uint64_t to[2], const void *p, site at)
{
    visit(p, 16, 16, false, at);
    unsigned first = (unsigned)rng.below(2);
    to[first] = look((const char *)p + first * 8, 8, order::relaxed, at);
    to[!first] = look((const char *)p + !first * 8, 8, order::relaxed, at);
}

void pair_store(void *p, const uint64_t from[2], site at)
{
    visit(p, 16, 16, true, at);
    for (unsigned i = 0; i < 2; i++) put((char *)p + i * 8, from[i], 8, order::relaxed);
}

/* An atomic acts on device memory itself, behind what its block has stored to that address. */
uint64_t word_add(void *p, uint64_t value, unsigned bytes, site at)
{
    visit(p, bytes, bytes, true, at);
    drain_own([p, bytes](const entry &e) { return overlap(e, (const char *)p, bytes); });
    uint64_t before = 0, after;
    memcpy(&before, p, bytes);
    after = before + value;
    for (uint64_t cell = cell_of(p); cell <= cell_of((char *)p + bytes - 1); cell++) make_record(cell);
    clock_now++;
    memcpy(p, &after, bytes);
    for (uint64_t cell = cell_of(p); cell <= cell_of((char *)p + bytes - 1); cell++) {
        record *r = record_of(cell);
        append(r, newest(r).sync, false, touch_now(0), self->block->slot, self->block->first_epoch);
    }
    progressed();
    if (lost) leave_grid();
    return before;
}

} // namespace simt
