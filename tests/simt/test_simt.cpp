/* test_simt.cpp [SEEDS] - proves the simulator itself: kernels that are right are never flagged, and each kind of wrong
 * one is, by name.  TAP.
 *
 * The same small kernels are given right and wrong: a template parameter takes one thing away.  "flagged" tests count
 * the seeds of SEEDS at which the wrong one is caught, and by what: some faults are found at once, whatever the
 * schedule; others need the right moment. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

#include "prim/runtime.cuh"
#include "simt.h"

/* The one thing of sat that runtime.cuh needs. */
extern "C" sat_status sat_fail(sat_status status, const char *, ...)
{
    return status;
}

namespace
{

using prim::ALL_LANES;
using prim::WARP;

uint64_t SEEDS = 50;

/* ---- the kernels ----------------------------------------------------------------------------------------- */

/* What each of the look-backs below may lack. */
enum lack { NOTHING, TICKET, RELEASE, ACQUIRE, EPOCH, BARRIER };

/* A chained scan with a look-back: block i waits for the flag of block i - 1, and adds.  The state is a flag and a
 * value beside it, published by release and read by acquire. */
struct chain_state {
    uint32_t ticket, done, epoch, pad;
    struct {
        uint32_t flag, value;
    } tile[64];
};

template <lack LACK> struct chain {
    static constexpr unsigned threads = 64;
    struct shared {
        prim::var<uint32_t> tile, epoch, before;
        prim::array<uint32_t, 64> x;
    };
    chain_state *state;
    const uint32_t *in;
    uint32_t *out;

    PRIM_DEVICE void operator()(shared &s) const
    {
        unsigned t = prim::thread_id();
        if (t == 0) {
            s.epoch.set(LACK == EPOCH ? 1 : prim::load_relaxed(&state->epoch) + 1);
            s.tile.set(LACK == TICKET ? prim::block_id() : prim::fetch_add(&state->ticket, 1u));
        }
        prim::block_sync();
        unsigned tile = s.tile.get();
        uint32_t epoch = s.epoch.get(), v = prim::load(in + tile * 64 + t);
        s.x.set(t, v);
        prim::block_sync();
        if (t == 0) {
            uint32_t sum = 0, before = 0;
            for (unsigned i = 0; i < 64; i++) sum += s.x.get(i);
            if (tile) {
                auto *left = &state->tile[tile - 1];
                if (LACK == ACQUIRE)
                    while (prim::load_relaxed(&left->flag) != epoch) prim::nanosleep(20);
                else
                    while (prim::load_acquire(&left->flag) != epoch) prim::nanosleep(20);
                before = prim::load_weak(&left->value);
            }
            prim::store_weak(&state->tile[tile].value, before + sum);
            if (LACK == RELEASE)
                prim::store_relaxed(&state->tile[tile].flag, epoch);
            else
                prim::store_release(&state->tile[tile].flag, epoch);
            s.before.set(before);
        }
        if (LACK != BARRIER) prim::block_sync();
        prim::store(out + tile * 64 + t, s.before.get() + v);
        if (t == 0 && prim::fetch_add(&state->done, 1u) == prim::blocks() - 1) {
            prim::store_relaxed(&state->ticket, 0);
            prim::store_relaxed(&state->done, 0);
            prim::store_relaxed(&state->epoch, epoch);
        }
    }
};

/* The same with value and flag in one word, and a warp that looks at 32 predecessors at once. */
template <lack LACK> struct window {
    static constexpr unsigned threads = 64;
    struct shared {
        prim::var<uint32_t> tile, before, sum;
    };
    uint32_t *ticket;
    uint64_t *words; /* value << 32 | epoch << 2 | state */
    const uint32_t *in;
    uint32_t *out;
    uint32_t epoch;

    PRIM_DEVICE void operator()(shared &s) const
    {
        unsigned t = prim::thread_id(), lane = prim::lane_id();
        if (t == 0) s.tile.set(LACK == TICKET ? prim::block_id() : prim::fetch_add(ticket, 1u));
        prim::block_sync();
        unsigned tile = s.tile.get();
        uint32_t v = prim::load(in + tile * 64 + t), sum = v;
        for (unsigned d = 16; d; d /= 2) sum += prim::shuffle_xor(sum, d);
        if (t == 32) s.sum.set(sum);
        if (LACK != BARRIER) prim::block_sync();
        if (t < WARP) {
            sum += s.sum.get();
            if (t == 0) prim::store_relaxed(words + tile, (uint64_t)sum << 32 | epoch << 2 | 1);
            uint32_t before = 0;
            for (int64_t at = (int64_t)tile - 1; at >= 0; at -= WARP) {
                uint64_t w = 2; /* before the first: a prefix of 0 */
                for (bool waits = true; prim::any(waits);) {
                    if (waits && at >= lane) w = prim::load_relaxed(words + at - lane);
                    waits = at >= lane && ((uint32_t)w >> 2 != epoch || (w & 3) == 0);
                    if (waits) prim::nanosleep(20);
                }
                unsigned prefixes = prim::ballot((w & 3) == 2);
                unsigned stop = prefixes ? (unsigned)__builtin_ctz(prefixes) : WARP - 1;
                uint32_t part = lane <= stop ? (uint32_t)(w >> 32) : 0;
                for (unsigned d = 16; d; d /= 2) part += prim::shuffle_xor(part, d);
                before += part;
                if (prefixes) break;
            }
            if (t == 0) {
                prim::store_relaxed(words + tile, (uint64_t)(before + sum) << 32 | epoch << 2 | 2);
                s.before.set(before);
            }
        }
        prim::block_sync();
        prim::store(out + tile * 64 + t, s.before.get() + v);
    }
};

enum wrong_thing {
    RIGHT,
    DIVERGENT_SHUFFLE,
    DIVERGENT_BARRIER,
    EXITED_LANE,
    OTHER_SITE,
    DEADLOCK,
    LIVELOCK,
    PLAIN_LIVELOCK,
    BEYOND,
    BELOW,
    SHARED_BEYOND,
    MISALIGNED,
    UNWRITTEN,
    UNWRITTEN_SHARED,
    NO_WARP_SYNC,
    HALF_WARP_SYNC,
    SHUFFLE_IS_NO_BARRIER,
    WRITE_AFTER_READ,
    NO_FETCH_WAIT,
    FETCH_NO_BARRIER,
    BLOCKS_MEET,
    READ_OTHER,
    IN_BLOCK,
    HOST_POINTER,
    MIXED
};

/* Each thread: own work, and one thing that may be wrong. */
template <wrong_thing W> struct single {
    static constexpr unsigned threads = 96;
    struct shared {
        prim::array<uint32_t, 96> x, y, z;
    };
    uint32_t *data; /* 1024 words, the first 512 written */

    PRIM_DEVICE void operator()(shared &s) const
    {
        unsigned t = prim::thread_id(), b = prim::block_id(), lane = prim::lane_id();
        uint32_t v = t;
        s.x.set(t, t);
        if (W == EXITED_LANE && lane == 5) return;
        if (W == DIVERGENT_SHUFFLE && lane < 16)
            v += prim::shuffle(v, 3);
        else if (W == OTHER_SITE && lane == 7)
            v += prim::shuffle(v, 0);
        else
            v += prim::shuffle(v, 0);
        if (W == DIVERGENT_BARRIER && t < 32) prim::block_sync();
        prim::block_sync();
        v += s.x.get((t + 40) % 96);
        prim::copy_async(s.z, t, data + t);
        if (W != NO_FETCH_WAIT) prim::copy_async_wait();
        v += s.z.get(t);
        if (W == FETCH_NO_BARRIER) v += s.z.get((t + 1) % 96);
        if (W == DEADLOCK && lane < 2) prim::warp_sync(lane ? 0x6u : 0x3u);
        if (W == LIVELOCK && t == 3)
            while (prim::load_relaxed(data + 8) != 12345) prim::nanosleep(10);
        if (W == PLAIN_LIVELOCK && t == 3)
            while (prim::load(data + 8) != 12345) {}
        if (W == BEYOND && t == 95) v += prim::load(data + 1024);
        if (W == BELOW && t == 0) prim::store(data - 1, 1u);
        if (W == SHARED_BEYOND) v += s.x.get(t + 1);
        if (W == MISALIGNED) v += (uint32_t)prim::load((const prim::vec<uint32_t, 4> *)(data + t)).at[0];
        if (W == UNWRITTEN && t == 9) v += prim::load(data + 700);
        if (W == UNWRITTEN_SHARED && t == 9) v += s.y.get(0);
        prim::block_sync();
        s.y.set(t, v); /* a warp's own part from here on */
        if (W != NO_WARP_SYNC && W != SHUFFLE_IS_NO_BARRIER)
            prim::warp_sync(W == HALF_WARP_SYNC ? 0xffffu << (lane & 16) : ALL_LANES);
        if (W == SHUFFLE_IS_NO_BARRIER) v += prim::shuffle_up(v, 1);
        v += s.y.get(t ^ (W == HALF_WARP_SYNC ? 16 : 1));
        if (W != WRITE_AFTER_READ) prim::warp_sync();
        s.y.set(t, v);
        prim::store(data + 512 + (W == BLOCKS_MEET ? 0 : b % 4 * 96) + t, v);
        if (W == READ_OTHER) v += prim::load(data + 512 + (b + 1) % 4 * 96 + t);
        if (W == IN_BLOCK) v += prim::load(data + 512 + b % 4 * 96 + (t + 32) % 96);
        if (W == HOST_POINTER) {
            uint32_t host;
            prim::store(&host, v);
        }
        if (W == MIXED) {
            if (b == 0 && t == 0) prim::store_relaxed(data + 1000, 1u);
            if (b == 1 && t == 0) prim::store(data + 1000, 1u);
        }
    }
};

/* Calls itself, again and again. */
struct bottomless {
    static constexpr unsigned threads = 1;
    struct shared {
        prim::var<uint32_t> nothing;
    };
    uint32_t *data;

    uint32_t deeper(uint32_t depth) const
    {
        volatile uint32_t room[128];
        room[depth % 128] = depth;
        return depth == 0 ? 0 : deeper(depth + 1) + room[depth % 128]; /* for four thousand million frames */
    }
    PRIM_DEVICE void operator()(shared &) const { prim::store(data, deeper(1)); }
};

/* Two words that say the same: what may be read of them depends on the order of each access. */
enum reading { PAIR, TWO_RELAXED, TWO_WEAK, FLAGGED };
template <reading R> struct twins {
    static constexpr unsigned threads = 32;
    struct shared {
        prim::var<uint32_t> nothing;
    };
    uint64_t *words; /* aligned to 16 */
    uint32_t *flag, *torn;

    PRIM_DEVICE void operator()(shared &) const
    {
        if (prim::thread_id()) return;
        if (prim::block_id() == 0) {
            for (uint64_t i = 1; i <= 20; i++) {
                if (R == PAIR) prim::store_evict_last_pair(words, {{i, i}});
                if (R == TWO_RELAXED) prim::store_relaxed(words, i), prim::store_relaxed(words + 1, i);
            }
        } else {
            uint64_t last = 0;
            for (int i = 0; i < 60; i++) {
                prim::vec<uint64_t, 2> v = prim::load_evict_last_pair(words);
                if (v.at[0] != v.at[1]) prim::store_relaxed(torn, 1u);
                if (v.at[0] < last) prim::store_relaxed(torn + 1, 1u); /* one word never goes back */
                last = v.at[0];
            }
        }
    }
};

/* ---- running them ---------------------------------------------------------------------------------------- */

int tests, failures;

__attribute__((format(printf, 2, 3))) void test(bool ok, const char *format, ...)
{
    va_list args;
    printf("%sok %d - ", ok ? "" : "not ", ++tests);
    va_start(args, format);
    vprintf(format, args);
    va_end(args);
    printf("\n");
    failures += !ok;
}

template <class T> T *device(size_t n, const T *from)
{
    T *p;
    if (prim::device_alloc(&p, n) != SAT_OK) abort();
    if (from) (void)prim::copy_rows(p, 0, from, 0, n * sizeof(T), 1, nullptr);
    return p;
}
template <class T> T *zeros(size_t n)
{
    T *p = device<T>(n, nullptr);
    (void)prim::fill_bytes(p, 0, n * sizeof(T), nullptr);
    return p;
}

constexpr unsigned TILES = 40, N = TILES * 64;

/* What is wrong with the sums: each tile must hold its own elements plus all of those before the tile. */
bool scanned(const std::vector<uint32_t> &in, const std::vector<uint32_t> &out)
{
    uint32_t before = 0;
    for (unsigned tile = 0; tile < TILES; tile++) {
        uint32_t sum = 0;
        for (unsigned i = tile * 64; i < tile * 64 + 64; i++) {
            sum += in[i];
            if (out[i] != before + in[i]) return false;
        }
        before += sum;
    }
    return true;
}

/* "": right; "wrong": so; else what simt_fault() says.  Two launches without a reset between, other data in each. */
template <class F> const char *scan_twice(uint64_t seed, F launch)
{
    std::vector<uint32_t> in(N), out(N);
    const char *result = "";
    simt_seed(seed);
    uint32_t *din = device<uint32_t>(N, nullptr), *dout = zeros<uint32_t>(N);
    for (unsigned run = 0; run < 2 && !*result; run++) {
        for (unsigned i = 0; i < N; i++) in[i] = i * 7 + run * 1000003u;
        (void)prim::copy_rows(din, 0, in.data(), 0, N * 4, 1, nullptr);
        sat_status status = launch(din, dout, run);
        if (status == SAT_OK) status = prim::copy_rows(out.data(), 0, dout, 0, N * 4, 1, nullptr);
        result = status != SAT_OK ? simt_fault() : scanned(in, out) ? "" : "wrong";
    }
    prim::device_free(din);
    prim::device_free(dout);
    return result;
}

template <lack L> const char *run_chain(uint64_t seed)
{
    chain_state *state = nullptr;
    const char *result = scan_twice(seed, [&](const uint32_t *in, uint32_t *out, unsigned) {
        if (!state) state = zeros<chain_state>(1);
        return prim::launch(chain<L>{.state = state, .in = in, .out = out}, TILES, nullptr);
    });
    prim::device_free(state);
    return result;
}

template <lack L> const char *run_window(uint64_t seed)
{
    uint32_t *ticket = nullptr;
    uint64_t *words = nullptr;
    const char *result = scan_twice(seed, [&](const uint32_t *in, uint32_t *out, unsigned run) {
        if (!ticket) ticket = zeros<uint32_t>(1), words = zeros<uint64_t>(TILES);
        (void)prim::fill_bytes(ticket, 0, 4, nullptr);
        return prim::launch(
            window<L>{.ticket = ticket, .words = words, .in = in, .out = out, .epoch = L == EPOCH ? 1 : run + 1}, TILES,
            nullptr);
    });
    prim::device_free(ticket);
    prim::device_free(words);
    return result;
}

template <wrong_thing W> const char *run_single(uint64_t seed)
{
    std::vector<uint32_t> start(512, 3);
    simt_seed(seed);
    uint32_t *data = device<uint32_t>(1024, nullptr);
    (void)prim::copy_rows(data, 0, start.data(), 0, 2048, 1, nullptr);
    if (W == MIXED) (void)prim::fill_bytes(data + 1000, 0, 4, nullptr);
    sat_status status = prim::launch(single<W>{.data = data}, 4, nullptr);
    prim::device_free(data);
    return status == SAT_OK ? "" : simt_fault();
}

template <class F> void never_flagged(const char *name, F run)
{
    uint64_t bad = 0;
    const char *what = "";
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        const char *v = run(seed);
        if (*v) bad++, what = v;
    }
    test(bad == 0, "right, and never flagged: %s%s%s", name, *what ? ": " : "", what);
}

/* Flagged at `least` seeds or more, and as one of the classes in `expected` ("shared race|wrong"). */
template <class F> void flagged(const char *name, const char *expected, uint64_t least, F run)
{
    uint64_t caught = 0;
    const char *strange = "";
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        const char *v = run(seed);
        if (!*v) continue;
        if (strstr(expected, v))
            caught++;
        else
            strange = v;
    }
    test(caught >= least && !*strange, "flagged as %s: %s, at %llu of %llu seeds%s%s", expected, name,
         (unsigned long long)caught, (unsigned long long)SEEDS, *strange ? ", but also as " : "", strange);
}

/* Does it end the process with status 1? */
template <class F> bool dies(F f)
{
    fflush(stdout);
    pid_t child = fork();
    int status = 0;
    if (child == 0) {
        (void)!freopen("/dev/null", "w", stderr);
        f();
        _exit(0);
    }
    return waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 1;
}

/* What the host does wrong, and faults that no launch survives. */
void host_faults()
{
    uint32_t host[4] = {};
    simt_seed(1);
    uint32_t *freed = zeros<uint32_t>(1024);
    prim::device_free(freed);
    test(prim::launch(single<RIGHT>{.data = freed}, 1, nullptr) != SAT_OK && !strcmp(simt_fault(), "bounds"),
         "flagged as bounds: a kernel touches freed memory");
    test(prim::stream_wait(nullptr) != SAT_OK && prim::fill_bytes(freed, 0, 4, nullptr) != SAT_OK,
         "after a fault every call fails");
    simt_seed(2);
    prim::device_free(freed);
    test(simt_fault() && !strcmp(simt_fault(), "bounds"), "flagged as bounds: freed twice");
    simt_seed(3);
    uint32_t *data = zeros<uint32_t>(3);
    test(prim::copy_rows(data, 0, host, 0, sizeof host, 1, nullptr) != SAT_OK && !strcmp(simt_fault(), "bounds"),
         "flagged as bounds: a copy beyond the end");
    test(dies([data] { *(volatile uint32_t *)data = 1; }), "ends the process: the host follows a device pointer");
    test(dies([] {
             simt_seed(4);
             (void)prim::launch(bottomless{.data = zeros<uint32_t>(1)}, 1, nullptr);
         }),
         "ends the process: a thread's stack overflows");
}

/* Bits: 1 torn, 2 one word went back. */
template <reading R> int run_twins(uint64_t seed)
{
    uint32_t seen[2] = {};
    simt_seed(seed);
    uint64_t *words = zeros<uint64_t>(2);
    uint32_t *flag = zeros<uint32_t>(1), *torn = zeros<uint32_t>(2);
    if (prim::launch(twins<R>{.words = words, .flag = flag, .torn = torn}, 2, nullptr) != SAT_OK) return 4;
    (void)prim::copy_rows(seen, 0, torn, 0, 8, 1, nullptr);
    prim::device_free(words);
    prim::device_free(flag);
    prim::device_free(torn);
    return (int)(seen[0] + 2 * seen[1]);
}

template <reading R> void tears(const char *name)
{
    uint64_t torn = 0, back = 0;
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        int v = run_twins<R>(seed);
        torn += v & 1;
        back += v >> 1;
    }
    test(torn > SEEDS / 10, "%s are read torn, at %llu of %llu seeds", name, (unsigned long long)torn,
         (unsigned long long)SEEDS);
    test(back == 0, "and a word never goes back");
}

} // namespace

int main(int argc, char **argv)
{
    if (argc > 1) SEEDS = strtoull(argv[1], nullptr, 0);
    setvbuf(stdout, nullptr, _IOLBF, 0);
    setenv("SAT_SIMT_QUIET", "1", 1);

    never_flagged("a chain with release and acquire", run_chain<NOTHING>);
    never_flagged("a window over packed words", run_window<NOTHING>);
    never_flagged("barriers of blocks and warps", run_single<RIGHT>);

    flagged("chain by block number, not ticket", "livelock", SEEDS / 4, run_chain<TICKET>);
    flagged("window by block number, not ticket", "livelock", SEEDS / 4, run_window<TICKET>);
    flagged("a flag without release", "global race|wrong", SEEDS / 2, run_chain<RELEASE>);
    flagged("a flag without acquire", "global race|wrong", SEEDS / 2, run_chain<ACQUIRE>);
    flagged("flags of the launch before", "global race|wrong", SEEDS / 4, run_chain<EPOCH>);
    flagged("words of the launch before", "wrong", SEEDS / 4, run_window<EPOCH>);
    flagged("a chain without its last barrier", "shared race|uninitialised", SEEDS, run_chain<BARRIER>);
    flagged("a window without a barrier", "shared race|uninitialised", SEEDS, run_window<BARRIER>);

    flagged("a shuffle under divergence", "divergence", SEEDS, run_single<DIVERGENT_SHUFFLE>);
    flagged("a barrier under divergence", "divergence", SEEDS, run_single<DIVERGENT_BARRIER>);
    flagged("an exited lane in a mask", "divergence", SEEDS, run_single<EXITED_LANE>);
    flagged("one shuffle at two places", "divergence", SEEDS, run_single<OTHER_SITE>);
    flagged("masks that wait for each other", "divergence|deadlock", SEEDS, run_single<DEADLOCK>);
    flagged("a wait for a store that never comes", "livelock", SEEDS, run_single<LIVELOCK>);
    flagged("the same with plain loads", "livelock", SEEDS, run_single<PLAIN_LIVELOCK>);

    flagged("a load behind the end", "bounds", SEEDS, run_single<BEYOND>);
    flagged("a store before the start", "bounds", SEEDS, run_single<BELOW>);
    flagged("an index beyond a shared array", "bounds", SEEDS, run_single<SHARED_BEYOND>);
    flagged("a host pointer", "bounds", SEEDS, run_single<HOST_POINTER>);
    flagged("a vector at an odd address", "misaligned", SEEDS, run_single<MISALIGNED>);
    flagged("device memory that was not written", "uninitialised", SEEDS, run_single<UNWRITTEN>);
    flagged("shared memory that was not written", "uninitialised|shared race", SEEDS, run_single<UNWRITTEN_SHARED>);

    flagged("no warp_sync", "shared race|uninitialised", SEEDS, run_single<NO_WARP_SYNC>);
    flagged("a warp_sync of the wrong lanes", "shared race|uninitialised", SEEDS, run_single<HALF_WARP_SYNC>);
    flagged("a shuffle in place of a warp_sync", "shared race|uninitialised", SEEDS, run_single<SHUFFLE_IS_NO_BARRIER>);
    flagged("a write that does not wait for readers", "shared race", SEEDS, run_single<WRITE_AFTER_READ>);
    flagged("an asynchronous copy without a wait", "uninitialised", SEEDS, run_single<NO_FETCH_WAIT>);
    flagged("another thread's asynchronous copy", "shared race|uninitialised", SEEDS, run_single<FETCH_NO_BARRIER>);
    flagged("two blocks write one element", "global race", SEEDS, run_single<BLOCKS_MEET>);
    flagged("a block reads what another writes", "global race|uninitialised", SEEDS, run_single<READ_OTHER>);
    flagged("a block reads its own without a barrier", "global race|uninitialised", SEEDS, run_single<IN_BLOCK>);
    flagged("one word, stored both ways", "global race", SEEDS, run_single<MIXED>);

    tears<PAIR>("the halves of a pair");
    tears<TWO_RELAXED>("two relaxed words");

    host_faults();

    /* The same seed, the same schedule. */
    simt_seed(5);
    run_window<NOTHING>(5);
    simt_counts a = simt_count();
    run_window<NOTHING>(5);
    simt_counts b = simt_count();
    run_window<NOTHING>(5);
    simt_counts c = simt_count();
    test(b.steps - a.steps == c.steps - b.steps && b.drains - a.drains == c.drains - b.drains, "a seed repeats");
    run_single<BEYOND>(7);
    test(simt_fault() && strstr(simt_replay(), "SAT_SIMT_SEED=7 "), "a fault names its seed");
    simt_seed(8);
    test(!simt_fault(), "a new seed forgets it");
    bool ran = simt::launch({.enter = nullptr,
                             .kernel = nullptr,
                             .name = "K = none",
                             .threads = 32,
                             .shared_bytes = 0,
                             .blocks = 1,
                             .least_resident = 1});
    test(!ran && simt_fault() && !strcmp(simt_fault(), "not compiled"), "a kernel that was left out is not launched");

    printf("1..%d\n", tests);
    return failures != 0;
}
