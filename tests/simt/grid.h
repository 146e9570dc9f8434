/* grid.h - the simulator's inside: a grid that runs, its blocks, warps and threads.
 *
 *     launch ---> blocks that wait (shuffled)
 *                    |  admitted while fewer than `residency` are resident
 *                    v
 *                 block: shared memory, epoch      epoch: grows at every block_sync, unique in the whole process
 *                    |
 *                 warps: which lanes are ready     a warp is in grid.ready while any of its lanes can run
 *                    |
 *                 threads: a fiber each            clock[]: what it knows of the other lanes (vector clock, warp_sync)
 *                                                  floor: what it knows of other blocks (acquire), see words.cpp
 *
 * Everything is one global, since a simulator is one thread. */
#ifndef SIMT_GRID_H
#define SIMT_GRID_H

#include <memory>
#include <stdint.h>
#include <string>
#include <vector>

#include "engine.h"
#include "fiber.h"
#include "simt.h"

namespace simt
{

constexpr unsigned LANES = 32;

/* ---- the random sequence (splitmix64: Steele, Lea & Flood, OOPSLA 2014) --------------------------------- */

struct random_sequence {
    uint64_t state;
    uint64_t next()
    {
        uint64_t z = state += 0x9e3779b97f4a7c15u;
        z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
        z = (z ^ z >> 27) * 0x94d049bb133111ebu;
        return z ^ z >> 31;
    }
    uint64_t below(uint64_t n) { return (unsigned __int128)next() * n >> 64; }
    bool one_in(unsigned n) { return n && below(n) == 0; } /* 0: never */
};

/* ---- an access that is remembered, to be compared with later ones --------------------------------------- */

struct touch {
    uint32_t epoch = 0; /* 0: none */
    uint32_t clock = 0;
    uint32_t block = 0;
    uint16_t thread = 0;
    uint8_t bytes = 0; /* one bit for each byte of the word */
};

struct block;
struct warp;

struct async_copy {
    char *to;
    unsigned bytes;
    char value[16];
};

struct thread {
    enum state : uint8_t { READY, IN_WARP, IN_BLOCK, GONE };
    fiber context;
    void *stack;
    simt::block *block;
    simt::warp *warp;
    unsigned id, lane;
    state state;
    collective what; /* while it waits */
    unsigned mask, argument;
    uint64_t value;
    site at;
    const void *looked[4]; /* words that it has loaded: more than a waiting loop does */
    unsigned looks;
    std::vector<async_copy> async_copies;
    uint64_t floor; /* messages (words.cpp) that it must not miss: all up to this time */
    uint32_t
        clock[LANES]; /* clock[lane] is its own time; others: up to where their accesses are ordered before its own */
};

struct warp {
    simt::block *block;
    thread *lanes;
    unsigned n, ready;  /* ready: a bit for each lane that can run */
    unsigned met, mask; /* a collective that has begun: the lanes that have come, and those that must */
    collective what;
    site at;
    size_t position; /* in grid.ready */
};

struct block {
    unsigned id, slot;
    uint32_t first_epoch, epoch;
    unsigned alive, waiting; /* threads that have not exited; that wait at block_sync */
    site first_at;           /* where the first of those waits */
    std::vector<thread> threads;
    std::vector<warp> warps;
    char *shared;
};

/* Shared memory of one resident block, and what is known of each word and byte. */
struct shared_word {
    touch write, read[2];
};
struct slot_memory {
    char *bytes = nullptr;
    std::vector<shared_word> words;
    std::vector<uint32_t> written; /* for each byte: the epoch */
    bool used = false;
};

enum class policy : uint8_t { uniform, burst, starve };

/* One launch. */
struct grid {
    launch_spec spec;
    bool running;
    uint32_t launch; /* 1, 2, .. since the seed */
    uint32_t first_epoch;
    simt::policy policy;
    unsigned residency;
    unsigned stay;                 /* one switch point in so many is passed without a switch; 0: none */
    unsigned drain;                /* one buffered store is let go at one step in so many */
    unsigned stale, stale_weak;    /* one load in so many looks for an old value */
    std::vector<unsigned> waiting; /* blocks, last first */
    std::vector<std::unique_ptr<block>> resident;
    std::vector<warp *> ready;
    unsigned resident_threads;
};

extern grid g;
extern thread *self; /* the one that runs; NULL: the host */
extern random_sequence rng;
extern simt_counts counts;
extern uint32_t last_epoch;
extern bool fair; /* no progress for long: round robin and no weak memory, which shows slow from stuck */

constexpr unsigned SLOTS = 64; /* blocks resident at a time, at most */
slot_memory &slot(unsigned i);

/* ---- scheduling (policy.cpp, grid.cpp) --------------------------------------------------------------------- */

void policy_begin();
thread *policy_pick();              /* NULL: no thread is ready */
void policy_sleep();                /* the running thread would rather wait */
void policy_forget(const block *b); /* it has ended */
void make_ready(thread *t);
void unready(thread *t);
void yield();                     /* a switch point */
void wait_as(enum thread::state); /* until make_ready() */
void progressed();                /* something happened that a waiting loop does not do */
void looks_at(const void *p);     /* a load, which may be of a waiting loop, or of one that walks on */
void burn();                      /* an access that is no switch point; many in a row are */

/* ---- collectives (collective.cpp) ------------------------------------------------------------------------ */

void collective_exit(); /* the running thread ends: is it waited for? */
const char *collective_name(collective what);

/* ---- accesses (order.cpp) -------------------------------------------------------------------------------- */

touch touch_now(unsigned bytes);
/* The bits of the bytes [from, to) that lie in the word at `word`. */
unsigned bits_of(size_t word, size_t from, size_t to);
/* Is the earlier access, of this launch, ordered before whatever the running thread does now? */
bool ordered(const touch &earlier);
/* Records a read or write of a word; NULL, or the earlier access that races with it. */
const touch *record_read(shared_word &w, unsigned bytes, uint32_t since);
const touch *record_write(shared_word &w, unsigned bytes, uint32_t since);

/* ---- device memory (memory.cpp), words (words.cpp) -------------------------------------------------------- */

/* The host may touch the arena while one of these lives. */
struct memory_open {
    memory_open();
    ~memory_open();
};

/* Checks that the running kernel may touch these bytes, and that it reads none that was not written. */
void check_bytes(const void *p, size_t bytes, size_t alignment, bool write, site at);
uint64_t cell_of(const void *p); /* the number of the 4-byte word that holds it */
char *cell_address(uint64_t cell);
uint32_t &message_index(uint64_t cell);                       /* words.cpp's, for each word */
void word_touches(uint64_t cell, bool write, const site &at); /* a word access, where plain ones have been */
void words_plain(uint64_t cell, bool write, const site &at);  /* and a plain access, where word ones have been */

void words_begin();
void words_end();
void words_drain_some();
void words_drain_all();

/* ---- faults (fault.cpp) ----------------------------------------------------------------------------------- */

/* Ends the launch with this diagnosis, blaming the running thread. */
[[noreturn]] void fault(const char *kind, const site &at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Only notes it, for where no thread runs; block and thread -1: none. */
void note_fault(const char *kind, int64_t block, int64_t thread, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
[[noreturn]] void leave_grid(); /* to launch(), from any fiber */
std::string place(const site &at);
void fault_begin();  /* reads the environment once, catches segmentation faults */
int forced_policy(); /* -1: none */
void count_launch();
extern bool lost;

} // namespace simt
#endif
