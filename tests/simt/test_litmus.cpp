/* test_litmus.cpp [SEEDS] - the simulator's memory against the litmus tests of the PTX memory model: outcomes that the
 * model forbids must never be seen, and weak ones that it allows must be, at some seed.  TAP.
 *
 * Names are those of the literature (Alglave, Maranget & Tautschnig, Herding cats, TOPLAS 2014; for GPUs: Lustig,
 * Sahasrabuddhe & Giroux, A formal analysis of the NVIDIA PTX memory consistency model, ASPLOS 2019).  x, y are data,
 * f, g are flags; each block is one line of the drawing, and its loads go to r[0], r[1], .. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "prim/runtime.cuh"
#include "simt.h"

/* The one thing of sat that runtime.cuh needs. */
extern "C" sat_status sat_fail(sat_status status, const char *, ...)
{
    return status;
}

namespace
{

struct words {
    uint32_t x, pad1[7], y, pad2[7], f, pad3[7], g, pad4[7], r[64];
};

enum shape {
    MP_RELAXED,       /* x = 1; f = 1                | r0 = f; r1 = x                        r = 1 0 */
    MP_NO_RELEASE,    /* x = 1; f = 1                | r0 = f acquire; r1 = x                r = 1 0 */
    MP_NO_ACQUIRE,    /* x = 1; f = 1 release        | r0 = f; r1 = x                        r = 1 0 */
    MP,               /* x = 1; f = 1 release        | r0 = f acquire; r1 = x                r = 1 0 */
    SB,               /* x = 1; r0 = y               | y = 1; r1 = x                         r = 0 0 */
    CORR,             /* x = 1; x = 2                | r0 = x; r1 = x                        r1 < r0 */
    COWR,             /* x = 1; r0 = x; r1 = x       | x = 2                                 r0 = 0 */
    IRIW,             /* x = 1 | y = 1 | r0 = x; r1 = y | r2 = y; r3 = x                     r = 1 0 1 0 */
    ISA2,             /* x = 1; f = 1 release | if f acquire: g = 1 release | r0 = g acquire; r1 = x        r = 1 0 */
    RMW,              /* r[i] = x++                  | r[32 + i] = x++                       two are the same */
    RELEASE_SEQUENCE, /* x = 1; f = 1 release | f++ | r0 = f acquire; r1 = x              r0 = 2, r1 = 0 */
    MP_BLOCK,         /* MP, where a barrier of the block lies between x and f, on both sides */
    MP_BLOCK_NO_BARRIER, /* .. but not on the writer's */
    MP_WARP,             /* the same with a warp_sync */
    MP_WARP_SHUFFLE,     /* .. and a shuffle in its place on the writer's side */
};

template <shape S> struct litmus {
    static constexpr unsigned threads = 64;
    struct shared {
        prim::var<uint32_t> nothing;
    };
    words *w;

    /* A relaxed or an acquiring load, a relaxed or a releasing store. */
    PRIM_DEVICE uint32_t flag() const
    {
        return S == MP_RELAXED || S == MP_NO_ACQUIRE ? prim::load_relaxed(&w->f) : prim::load_acquire(&w->f);
    }
    PRIM_DEVICE void raise(uint32_t *f) const
    {
        if (S == MP_RELAXED || S == MP_NO_RELEASE)
            prim::store_relaxed(f, 1u);
        else
            prim::store_release(f, 1u);
    }
    PRIM_DEVICE void answer(unsigned i, uint32_t v) const { prim::store(&w->r[i], v); }

    /* What thread 0 of each block does. */
    PRIM_DEVICE void alone(unsigned b) const
    {
        switch (S) {
        case SB:
            if (b == 0) prim::store_relaxed(&w->x, 1u), answer(0, prim::load_relaxed(&w->y));
            if (b == 1) prim::store_relaxed(&w->y, 1u), answer(1, prim::load_relaxed(&w->x));
            break;
        case CORR:
            if (b == 0) prim::store_relaxed(&w->x, 1u), prim::store_relaxed(&w->x, 2u);
            if (b == 1) answer(0, prim::load_relaxed(&w->x)), answer(1, prim::load_relaxed(&w->x));
            break;
        case COWR:
            if (b == 0) {
                prim::store_relaxed(&w->x, 1u);
                answer(0, prim::load_relaxed(&w->x));
                answer(1, prim::load_relaxed(&w->x));
            }
            if (b == 1) prim::store_relaxed(&w->x, 2u);
            break;
        case IRIW:
            if (b == 0) prim::store_relaxed(&w->x, 1u);
            if (b == 1) prim::store_relaxed(&w->y, 1u);
            if (b == 2) answer(0, prim::load_relaxed(&w->x)), answer(1, prim::load_relaxed(&w->y));
            if (b == 3) answer(2, prim::load_relaxed(&w->y)), answer(3, prim::load_relaxed(&w->x));
            break;
        case ISA2:
            if (b == 0) prim::store_relaxed(&w->x, 1u), raise(&w->f);
            if (b == 1 && flag()) raise(&w->g);
            if (b == 2) answer(0, prim::load_acquire(&w->g)), answer(1, prim::load_relaxed(&w->x));
            break;
        case RELEASE_SEQUENCE:
            if (b == 0) prim::store_relaxed(&w->x, 1u), raise(&w->f);
            if (b == 1) prim::fetch_add(&w->f, 1u);
            if (b == 2) answer(0, flag()), answer(1, prim::load_relaxed(&w->x));
            break;
        default:
            if (b == 0) prim::store_relaxed(&w->x, 1u), raise(&w->f);
            if (b == 1) answer(0, flag()), answer(1, prim::load_relaxed(&w->x));
        }
    }

    /* Message passing by a block: another thread has the data than has the flag. */
    PRIM_DEVICE void together(unsigned b, unsigned t, unsigned data_thread) const
    {
        const bool block = S == MP_BLOCK || S == MP_BLOCK_NO_BARRIER;
        if (b == 0 && t == data_thread) prim::store_relaxed(&w->x, 1u);
        if (b == 1 && t == 0) answer(0, flag());
        if (block && (b || S != MP_BLOCK_NO_BARRIER)) prim::block_sync();
        if (!block && (b || S != MP_WARP_SHUFFLE)) prim::warp_sync();
        if (!block && b == 0 && S == MP_WARP_SHUFFLE) prim::shuffle(t, 0);
        if (b == 0 && t == 0) raise(&w->f);
        if (b == 1 && t == data_thread) answer(1, prim::load_relaxed(&w->x));
    }

    PRIM_DEVICE void operator()(shared &) const
    {
        unsigned b = prim::block_id(), t = prim::thread_id();
        if (S == RMW) {
            if (t < 32) answer(b * 32 + t, prim::fetch_add(&w->x, 1u));
        } else if (S >= MP_BLOCK) {
            together(b, t, S >= MP_WARP ? 5 : 40);
        } else if (t == 0) {
            alone(b);
        }
    }
};

/* ---- running them ---------------------------------------------------------------------------------------- */

uint64_t SEEDS = 600;
int tests, failures;

template <shape S, class F> uint64_t seen(unsigned blocks, F weak, const char **fault)
{
    uint64_t n = 0;
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        words *d, h = {};
        simt_seed(seed);
        if (prim::device_alloc(&d, 1) != SAT_OK) abort();
        (void)prim::fill_bytes(d, 0, sizeof *d, nullptr);
        sat_status status = prim::launch(litmus<S>{.w = d}, blocks, nullptr);
        if (status == SAT_OK) status = prim::copy_rows(&h, 0, d, 0, sizeof h, 1, nullptr);
        if (status != SAT_OK) *fault = simt_fault();
        n += weak(h);
        prim::device_free(d);
    }
    return n;
}

template <shape S, class F> void expect(bool allowed, const char *name, unsigned blocks, F weak)
{
    const char *fault = nullptr;
    uint64_t n = seen<S>(blocks, weak, &fault);
    bool ok = !fault && (allowed ? n > 0 : n == 0);
    printf("%sok %d - %s: %s, seen at %llu of %llu seeds%s%s\n", ok ? "" : "not ", ++tests, name,
           allowed ? "allowed" : "forbidden", (unsigned long long)n, (unsigned long long)SEEDS, fault ? "; " : "",
           fault ? fault : "");
    failures += !ok;
}

bool one_zero(const words &w)
{
    return w.r[0] == 1 && w.r[1] == 0;
}

} // namespace

int main(int argc, char **argv)
{
    setenv("SAT_SIMT_QUIET", "1", 1);
    if (argc > 1) SEEDS = strtoull(argv[1], nullptr, 0);
    expect<MP_RELAXED>(true, "message passing, all relaxed", 2, one_zero);
    expect<MP_NO_RELEASE>(true, "message passing without release", 2, one_zero);
    expect<MP_NO_ACQUIRE>(true, "message passing without acquire", 2, one_zero);
    expect<MP>(false, "message passing", 2, one_zero);
    expect<MP>(true, "message passing, the message arrives", 2,
               [](const words &w) { return w.r[0] == 1 && w.r[1] == 1; });
    expect<SB>(true, "store buffering", 2, [](const words &w) { return !w.r[0] && !w.r[1]; });
    expect<CORR>(false, "one word goes back", 2, [](const words &w) { return w.r[1] < w.r[0]; });
    expect<COWR>(false, "a thread misses its own store", 2, [](const words &w) { return w.r[0] == 0; });
    expect<COWR>(true, "a thread sees another's later one", 2, [](const words &w) { return w.r[1] == 2; });
    expect<IRIW>(true, "two readers see two writers in different order", 4,
                 [](const words &w) { return w.r[0] == 1 && !w.r[1] && w.r[2] == 1 && !w.r[3]; });
    expect<ISA2>(false, "a message by way of a third block", 3, one_zero);
    expect<ISA2>(true, "a message by way of a third block, it arrives", 3,
                 [](const words &w) { return w.r[0] == 1 && w.r[1] == 1; });
    expect<RMW>(false, "two additions see the same value", 2, [](const words &w) {
        bool met[64] = {}, twice = false;
        for (uint32_t v : w.r) twice = twice || v >= 64 || met[v], met[v % 64] = true;
        return twice;
    });
    expect<RELEASE_SEQUENCE>(false, "a release, an addition, an acquire", 3,
                             [](const words &w) { return w.r[0] == 2 && !w.r[1]; });
    expect<MP_BLOCK>(false, "message passing across a block's barriers", 2, one_zero);
    expect<MP_BLOCK_NO_BARRIER>(true, "the same without the writer's", 2, one_zero);
    expect<MP_WARP>(false, "message passing across warp_sync", 2, one_zero);
    expect<MP_WARP_SHUFFLE>(true, "the same with a shuffle in place of the writer's", 2, one_zero);
    printf("1..%d\n", tests);
    return failures != 0;
}
