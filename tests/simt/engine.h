/* engine.h - what device.h and runtime.h call: the simulator, seen from a kernel and from its host.  Knows nothing of
 * sat. */
#ifndef SIMT_ENGINE_H
#define SIMT_ENGINE_H

#include <source_location>
#include <stddef.h>
#include <stdint.h>

namespace simt
{

using site = std::source_location; /* where a kernel calls: for diagnoses, and to tell one collective from another */

/* ---- for kernels: each acts for the thread that runs now ---------------------------------------------- */

/* The thread that runs now. */
struct indices {
    unsigned thread, block, blocks;
};
extern indices now;

enum class collective : uint8_t {
    block_sync,
    warp_sync,
    shuffle,
    shuffle_up,
    shuffle_down,
    shuffle_xor,
    ballot,
    any,
    all,
    add_lanes
};
void block_sync(site at);
/* One of the others: value and lane are this lane's arguments; returns what this lane gets. */
uint64_t warp_collective(collective what, uint64_t value, unsigned lane, unsigned mask, site at);
void nanosleep(site at);

/* Shared memory: checked and not interleaved, since what is free of races cannot depend on the order. */
void shared_read(const void *p, size_t bytes, site at);
void shared_write(const void *p, const void *from, size_t bytes, site at); /* checks, then writes */
[[noreturn]] void shared_outside(unsigned i, unsigned n, site at);
[[noreturn]] void shared_misaligned(size_t bytes, site at);

/* Arrays in device memory, the same. */
void plain_read(const void *p, size_t bytes, size_t alignment, site at);
void plain_write(void *p, size_t bytes, size_t alignment, site at); /* before the write */

/* A copy from device to shared memory that is under way until the thread waits for it. */
void copy_async_begin(void *to, const void *from, size_t bytes, size_t alignment, site at);
void copy_async_wait(site at);

/* Words by which blocks talk to each other: interleaved, buffered, stale. */
enum class order : uint8_t { weak, relaxed, acquire, release };
uint64_t word_load(const void *p, unsigned bytes, order order, site at);
void word_store(void *p, uint64_t value, unsigned bytes, order order, site at);
uint64_t word_add(void *p, uint64_t value, unsigned bytes, site at); /* returns the value before */
void pair_load(uint64_t to[2], const void *p, site at);
void pair_store(void *p, const uint64_t from[2], site at);

/* ---- for the host ------------------------------------------------------------------------------------- */

/* All return false after a fault: the device is lost until simt_seed(); fault_text() is the diagnosis. */
struct launch_spec {
    void (*enter)(const void *kernel, void *shared); /* NULL: not compiled, a fault */
    const void *kernel;
    const char *name; /* __PRETTY_FUNCTION__ of a template of the kernel's type */
    unsigned threads;
    size_t shared_bytes;
    int64_t blocks;
    unsigned least_resident; /* blocks that the kernel needs at the same time: 1, but for what its file admits */
};
bool launch(const launch_spec &spec);
bool device_alive();
const char *fault_text();

void *memory_alloc(size_t bytes); /* NULL: none left */
bool memory_free(void *p);
bool memory_fill(void *p, int byte, size_t bytes);
bool memory_copy_rows(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t row_bytes, size_t rows);
bool memory_owns(const void *p); /* any address of the device */

size_t memory_bytes(); /* of the device */

} // namespace simt
#endif
