/* order.cpp - which accesses of one block are ordered, and those in shared memory that are not.
 *
 * Two accesses of one word race if they are by different threads, at least one is a write, and no barrier lies between
 * them.  Each word remembers its last write and two reads (touch); a later access compares itself with these, whatever
 * the schedule happens to be, so that a missing barrier is found even where the values come out right (as FastTrack
 * does: Flanagan & Freund, PLDI 2009).  Barriers are known in two ways:
 *
 *     block_sync   a new epoch: what was touched in an earlier one is ordered
 *     warp_sync    vector clocks of the 32 lanes: what a lane touched by its time c is ordered before what lane l does,
 * if l's clock for it is at least c
 *
 * Of the reads, the first one stays until it is ordered before a later one, and the second is the latest: enough to
 * find one of the readers that a write does not wait for. */
#include "grid.h"

#include <string.h>

namespace simt
{

touch touch_now(unsigned bytes)
{
    return {self->block->epoch, self->clock[self->lane], self->block->id, (uint16_t)self->id, (uint8_t)bytes};
}

bool ordered(const touch &e)
{
    const thread *t = self;
    if (e.block != t->block->id) return false;
    if (e.epoch != t->block->epoch || e.thread == t->id) return true;
    return e.thread / LANES == t->id / LANES && t->clock[e.thread % LANES] >= e.clock;
}

namespace
{
bool races(const touch &e, unsigned bytes, uint32_t since)
{
    return e.epoch >= since && e.bytes & bytes && !ordered(e);
}
} // namespace

const touch *record_read(shared_word &w, unsigned bytes, uint32_t since)
{
    if (races(w.write, bytes, since)) return &w.write;
    touch &first = w.read[0], &latest = w.read[1];
    if (first.epoch < since || ordered(first)) {
        unsigned also = first.epoch == self->block->epoch && first.thread == self->id ? first.bytes : 0;
        first = touch_now(bytes | also);
    } else {
        unsigned also = latest.epoch == self->block->epoch && latest.thread == self->id ? latest.bytes : 0;
        latest = touch_now(bytes | also);
    }
    return nullptr;
}

const touch *record_write(shared_word &w, unsigned bytes, uint32_t since)
{
    for (const touch *e : {&w.write, &w.read[0], &w.read[1]})
        if (races(*e, bytes, since)) return e;
    unsigned also = w.write.epoch == self->block->epoch && w.write.thread == self->id ? w.write.bytes : 0;
    w.write = touch_now(bytes | also);
    return nullptr;
}

unsigned bits_of(size_t word, size_t from, size_t to)
{
    unsigned bits = 0;
    for (unsigned i = 0; i < 4; i++)
        if (word + i >= from && word + i < to) bits |= 1u << i;
    return bits;
}

/* ---- shared memory -------------------------------------------------------------------------------------- */

namespace
{

/* Offset in the running block's shared memory. */
size_t shared_offset(const void *p, size_t bytes, const site &at)
{
    size_t offset = (size_t)((const char *)p - self->block->shared);
    if (offset >= g.spec.shared_bytes || bytes > g.spec.shared_bytes - offset)
        fault("bounds", at, "an array<> or var<> that does not lie in the block's shared memory");
    return offset;
}

[[noreturn]] void shared_race(const char *what, const touch *e, const shared_word &w, size_t offset, const site &at)
{
    fault("shared race", at,
          "%s byte %zu of shared memory, which thread %u (warp %u lane %u) %s, and no barrier between", what, offset,
          e->thread, e->thread / LANES, e->thread % LANES, e == &w.write ? "wrote" : "read");
}

} // namespace

void shared_outside(unsigned i, unsigned n, site at)
{
    fault("bounds", at, "element %u of an array of %u in shared memory", i, n);
}

void shared_misaligned(size_t bytes, site at)
{
    fault("misaligned", at, "%zu bytes of shared memory at an address that is not a multiple of that", bytes);
}

void shared_read(const void *p, size_t bytes, site at)
{
    burn();
    size_t from = shared_offset(p, bytes, at), to = from + bytes;
    slot_memory &m = slot(self->block->slot);
    uint32_t since = self->block->first_epoch;
    for (size_t i = from; i < to; i++)
        if (m.written[i] < since)
            fault("uninitialised", at,
                  "byte %zu of shared memory has not been written (an asynchronous copy writes it for the threads that "
                  "wait)",
                  i);
    for (size_t word = from & ~(size_t)3; word < to; word += 4) {
        shared_word &w = m.words[word / 4];
        const touch *e = record_read(w, bits_of(word, from, to), since);
        if (e) shared_race("reads", e, w, word, at);
    }
}

void shared_write(const void *p, const void *value, size_t bytes, site at)
{
    burn();
    size_t from = shared_offset(p, bytes, at), to = from + bytes;
    slot_memory &m = slot(self->block->slot);
    uint32_t since = self->block->first_epoch;
    for (size_t word = from & ~(size_t)3; word < to; word += 4) {
        shared_word &w = m.words[word / 4];
        const touch *e = record_write(w, bits_of(word, from, to), since);
        if (e) shared_race("writes", e, w, word, at);
    }
    for (size_t i = from; i < to; i++) m.written[i] = self->block->epoch;
    if (memcmp(m.bytes + from, value, bytes)) progressed(); /* a loop that waits writes the same again */
    memcpy(m.bytes + from, value, bytes);
}

/* ---- asynchronous copies: written at some moment between the two calls; no access to the bytes from the first one on
 * ------ */

void copy_async_begin(void *to, const void *from, size_t bytes, size_t alignment, site at)
{
    async_copy f = {.to = (char *)to, .bytes = (unsigned)bytes, .value = {}};
    if (bytes > sizeof f.value) fault("misaligned", at, "an asynchronous copy of %zu bytes: 16 at most", bytes);
    plain_read(from, bytes, alignment, at);
    memcpy(f.value, from, bytes);
    shared_write(to, to, bytes, at);
    size_t offset = shared_offset(to, bytes, at);
    for (size_t i = offset; i < offset + bytes; i++) slot(self->block->slot).written[i] = 0;
    self->async_copies.push_back(f);
}

void copy_async_wait(site at)
{
    for (const async_copy &f : self->async_copies) shared_write(f.to, f.value, f.bytes, at);
    self->async_copies.clear();
}

} // namespace simt
