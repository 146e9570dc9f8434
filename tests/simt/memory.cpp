/* memory.cpp - device memory: an arena of the host's address space, fenced, poisoned, and shadowed byte by byte.
 *
 *     |  zone  | allocation |  zone  | allocation | zone .. what was freed stays untouched for a while .. |
 *
 * Between calls of the simulator the arena cannot be touched at all: host code that follows a device pointer crashes,
 * as it would with a GPU. */
#include "grid.h"

#include <algorithm>
#include <map>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

namespace simt
{

namespace
{

constexpr size_t ARENA = (size_t)1 << 30, ALIGNMENT = 256, ZONE = 512;
constexpr size_t ROUND = (size_t)1 << 20; /* so much is handed out before freed memory is used again */

enum byte_state : uint8_t { OUTSIDE = 0, UNWRITTEN, WRITTEN, FREED };

char *arena;
uint8_t *states;
shared_word *plain;
uint32_t *messages;
std::map<size_t, size_t> live; /* offset to bytes */
size_t rover;
int open_depth;

void *reserve(size_t bytes)
{
    void *m = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (m == MAP_FAILED) {
        perror("simt: device memory");
        abort();
    }
    return m;
}

void begin()
{
    if (arena) return;
    fault_begin();
    arena = (char *)reserve(ARENA);
    states = (uint8_t *)reserve(ARENA);
    plain = (shared_word *)reserve(ARENA / 4 * sizeof *plain);
    messages = (uint32_t *)reserve(ARENA / 4 * sizeof *messages);
    mprotect(arena, ARENA, PROT_NONE);
}

size_t rounded(size_t bytes)
{
    return (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

/* The first free gap of that size at or behind `from`; ARENA: none. */
size_t find_gap(size_t from, size_t bytes)
{
    auto next = live.upper_bound(from);
    if (next != live.begin()) {
        auto before = std::prev(next);
        from = std::max(from, before->first + rounded(before->second) + ZONE);
    }
    for (; next != live.end() && from + bytes + ZONE > next->first; ++next)
        from = next->first + rounded(next->second) + ZONE;
    return from + bytes + ZONE <= ARENA ? from : ARENA;
}

/* Gives the pages that lie wholly inside back, so that a test's memory does not grow with the number of its cases. */
void give_back(void *p, size_t bytes)
{
    constexpr uintptr_t page = 4096;
    uintptr_t from = ((uintptr_t)p + page - 1) / page * page, to = ((uintptr_t)p + bytes) / page * page;
    if (from < to) madvise((void *)from, to - from, MADV_DONTNEED);
}

const char *state_text(uint8_t s)
{
    return s == OUTSIDE ? "outside all allocations" : s == FREED ? "freed" : "not written";
}

/* "byte 70 of an allocation of 64 bytes": of the one that begins last before it. */
std::string named(size_t offset)
{
    char text[96] = "in no allocation";
    auto after = live.upper_bound(offset);
    if (after != live.begin()) {
        auto a = std::prev(after);
        snprintf(text, sizeof text, "byte %zu of an allocation of %zu", offset - a->first, a->second);
    }
    return text;
}

/* -1, or the first byte that is not what it should be. */
int64_t wrong_byte(size_t offset, size_t bytes, bool need_written)
{
    for (size_t i = offset; i < offset + bytes; i++)
        if (states[i] != WRITTEN && (need_written || states[i] != UNWRITTEN)) return (int64_t)i;
    return -1;
}

/* May the host fill or copy it?  Copies of unwritten bytes are no fault: the test sees the poison. */
bool host_range(const void *p, size_t bytes, const char *what)
{
    size_t offset = (size_t)((const char *)p - arena);
    if (bytes > ARENA - offset) {
        note_fault("bounds", -1, -1, "%s %zu bytes reaches beyond the device", what, bytes);
        return false;
    }
    int64_t bad = wrong_byte(offset, bytes, false);
    if (bad < 0) return true;
    note_fault("bounds", -1, -1, "%s: %s is %s", what, named((size_t)bad).c_str(), state_text(states[bad]));
    return false;
}

} // namespace

memory_open::memory_open()
{
    begin();
    if (open_depth++ == 0) mprotect(arena, ARENA, PROT_READ | PROT_WRITE);
}

memory_open::~memory_open()
{
    if (--open_depth == 0) mprotect(arena, ARENA, PROT_NONE);
}

size_t memory_bytes()
{
    return ARENA;
}

bool memory_owns(const void *p)
{
    return arena && (size_t)((const char *)p - arena) < ARENA;
}

void *memory_alloc(size_t bytes)
{
    memory_open open;
    if (bytes == 0) bytes = 1;
    if (bytes > ARENA) return nullptr;
    if (rover > ROUND) rover = 0;
    size_t need = rounded(bytes), offset = find_gap(std::max(rover, ZONE), need);
    if (offset == ARENA) offset = find_gap(ZONE, need);
    if (offset == ARENA) return nullptr;
    rover = offset + need + ZONE;
    live[offset] = bytes;
    memset(states + offset, OUTSIDE, need + ZONE);
    memset(states + offset, UNWRITTEN, bytes);
    memset(arena + offset, (int)(rng.next() | 1), bytes);
    return arena + offset;
}

bool memory_free(void *p)
{
    memory_open open;
    size_t offset = (size_t)((char *)p - arena);
    auto a = live.find(offset);
    if (a == live.end()) {
        note_fault("bounds", -1, -1, "freeing what is no allocation, or was freed before");
        return false;
    }
    size_t bytes = a->second;
    live.erase(a);
    memset(states + offset, FREED, bytes);
    give_back(arena + offset, bytes);
    give_back(plain + offset / 4, bytes / 4 * sizeof *plain);
    return !lost;
}

bool memory_fill(void *p, int byte, size_t bytes)
{
    memory_open open;
    if (lost) return false;
    if (!memory_owns(p)) {
        note_fault("bounds", -1, -1, "filling memory that is not the device's");
        return false;
    }
    if (!host_range(p, bytes, "filling")) return false;
    memset(p, byte, bytes);
    memset(states + ((char *)p - arena), WRITTEN, bytes);
    return true;
}

bool memory_copy_rows(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t row_bytes, size_t rows)
{
    memory_open open;
    if (lost) return false;
    bool reads = memory_owns(from), writes = memory_owns(to);
    for (size_t row = 0; row < rows; row++) {
        const char *f = (const char *)from + row * from_pitch;
        char *t = (char *)to + row * to_pitch;
        if (reads && !host_range(f, row_bytes, "copying from the device")) return false;
        if (writes && !host_range(t, row_bytes, "copying to the device")) return false;
        memmove(t, f, row_bytes);
        if (writes && reads) memmove(states + (t - arena), states + (f - arena), row_bytes);
        if (writes && !reads) memset(states + (t - arena), WRITTEN, row_bytes);
    }
    return true;
}

/* ---- accesses of kernels -------------------------------------------------------------------------------- */

uint64_t cell_of(const void *p)
{
    return (uint64_t)((const char *)p - arena) / 4;
}

char *cell_address(uint64_t cell)
{
    return arena + cell * 4;
}

shared_word &plain_word(uint64_t cell)
{
    return plain[cell];
}

uint32_t &message_index(uint64_t cell)
{
    return messages[cell];
}

void check_bytes(const void *p, size_t bytes, size_t alignment, bool write, site at)
{
    size_t offset = (size_t)((const char *)p - arena);
    const char *what = write ? "stores" : "loads";
    if (offset >= ARENA || bytes > ARENA - offset)
        fault("bounds", at, "%s %zu bytes at %p, which is no device memory", what, bytes, p);
    if (offset % alignment)
        fault("misaligned", at, "%s %zu bytes at an address that is not a multiple of %zu, %s", what, bytes, alignment,
              named(offset).c_str());
    int64_t bad = wrong_byte(offset, bytes, !write);
    if (bad >= 0)
        fault(states[bad] == UNWRITTEN ? "uninitialised" : "bounds", at, "%s %s, which is %s", what,
              named((size_t)bad).c_str(), state_text(states[bad]));
    if (write) memset(states + offset, WRITTEN, bytes);
}

namespace
{

[[noreturn]] void plain_race(const char *what, const touch &e, bool wrote, size_t offset, const site &at)
{
    fault("global race", at, "%s %s, which block %u thread %u %s in the same launch, and nothing orders the two", what,
          named(offset).c_str(), e.block, e.thread, wrote ? "wrote" : "read");
}

} // namespace

void plain_read(const void *p, size_t bytes, size_t alignment, site at)
{
    burn();
    check_bytes(p, bytes, alignment, false, at);
    size_t from = (size_t)((const char *)p - arena), to = from + bytes;
    for (size_t word = from & ~(size_t)3; word < to; word += 4) {
        shared_word &w = plain[word / 4];
        const touch *e = record_read(w, bits_of(word, from, to), g.first_epoch);
        if (e) plain_race("loads", *e, e == &w.write, word, at);
        if (messages[word / 4]) words_plain(word / 4, false, at);
    }
}

void plain_write(void *p, size_t bytes, size_t alignment, site at)
{
    burn();
    progressed();
    check_bytes(p, bytes, alignment, true, at);
    size_t from = (size_t)((const char *)p - arena), to = from + bytes;
    for (size_t word = from & ~(size_t)3; word < to; word += 4) {
        shared_word &w = plain[word / 4];
        const touch *e = record_write(w, bits_of(word, from, to), g.first_epoch);
        if (e) plain_race("stores to", *e, e == &w.write, word, at);
        if (messages[word / 4]) words_plain(word / 4, true, at);
    }
}

void word_touches(uint64_t cell, bool write, const site &at)
{
    const shared_word &w = plain[cell];
    for (const touch *e : {&w.write, &w.read[0], &w.read[1]})
        if (e->epoch >= g.first_epoch && (write || e == &w.write) && !ordered(*e))
            plain_race(write ? "stores to" : "loads", *e, e == &w.write, cell * 4, at);
}

} // namespace simt
