/* warp_scans.cu - the three scans of a warp by themselves: every 32 elements are one scan.
 *
 * Idea      A tile's scan ends in scans of warps. Here they are without the rest, to be compared: Kogge and Stone's
 *           circuit in shared memory, asking in each step for the lane; without asking, over 16 zeros; in registers,
 *           by shuffles.
 * Paper     Kogge & Stone, IEEE Trans. Computers C-22, 1973; Sengupta, Harris & Garland, NVR-2008-003; Wilt, The CUDA
 *           Handbook, 13.5.
 * Layout    a warp each, the drawings in prim/warp_scan.cuh:
 *
 *               | 32 elements | 32 elements | ... | fewer |
 *
 * Launch    One thread for each element; B = 256: eight warps in a block, and eight blocks fill a multiprocessor.
 * Traffic   1R1W
 * Sync      Barriers of warps only.
 * Limits    2^31 - 1 blocks: 2^39 elements.
 * Steps     load; scan; shift by one lane, if exclusive; store */
#include <stdio.h>

#include "prim/runtime.cuh"
#include "prim/warp_scan.cuh"
#include "table/table.cuh"
#include "tuning.cuh"

namespace
{

constexpr unsigned BLOCK = tuning::WARP_SCANS_THREADS;

struct kogge_stone {
    static constexpr const char *name = "warp-kogge-stone";
    template <class T> struct shared {
        prim::array<T, BLOCK> x;
    };
    template <class T> PRIM_DEVICE static T scan(shared<T> &s, T v)
    {
        return prim::warp_scan_shared(s.x, prim::thread_id(), v);
    }
};

struct zero_padded {
    static constexpr const char *name = "warp-zero-padded";
    template <class T> struct shared {
        prim::array<T, prim::padded_words(BLOCK)> x;
    };
    template <class T> PRIM_DEVICE static T scan(shared<T> &s, T v)
    {
        return prim::warp_scan_padded(s.x, prim::padded_at(prim::thread_id()), v);
    }
};

struct shuffles {
    static constexpr const char *name = "warp-shuffle";
    template <class T> struct shared {
    };
    template <class T> PRIM_DEVICE static T scan(shared<T> &, T v) { return prim::warp_scan_inclusive(v); }
};

template <class Way, class T> struct scan_warps {
    static constexpr unsigned threads = BLOCK;
    using shared = typename Way::template shared<T>;
    const T *in;
    T *out;
    int64_t length;
    bool exclusive;

    PRIM_DEVICE void operator()(shared &s) const
    {
        const int64_t i = (int64_t)prim::block_id() * BLOCK + prim::thread_id();
        T v = Way::template scan<T>(s, i < length ? prim::load(in + i) : 0);
        if (exclusive) {
            v = prim::shuffle_up(v, 1);
            if (prim::lane_id() == 0) v = 0;
        }
        if (i < length) prim::store(out + i, v);
    }
};

template <class Way>
sat_status open_scan(const sat_scan_spec *spec, sat_arena *arena, void **state, char *note, size_t note_bytes)
{
    const char *device;
    if (spec->sample != spec->accum) return sat_fail(SAT_ERR_TYPE, "%s: samples and sums are of one type", Way::name);
    sat_status status = has_scan_types(spec->sample, spec->accum);
    if (status != SAT_OK) return status;
    if ((spec->block_threads && spec->block_threads != (int)BLOCK) || spec->thread_items > 1)
        return sat_fail(SAT_ERR_UNAVAILABLE, "%s: only B=%u with Q=1 was compiled in", Way::name, BLOCK);
    sat_scan_spec *mine = prim::arena_new<sat_scan_spec>(arena);
    if (mine == NULL) return SAT_ERR_MEMORY;
    *mine = *spec;
    (void)device_probe(&device);
    snprintf(note, note_bytes, "%s, B=%u, %s", Way::name, BLOCK, device);
    *state = mine;
    return SAT_OK;
}

template <class Way> sat_status run(void *state, const void *in, void *out, void *stream)
{
    const sat_scan_spec *spec = (const sat_scan_spec *)state;
    return with_scan_sums(spec->accum, [=](auto zero) {
        using T = decltype(zero);
        return prim::launch(scan_warps<Way, T>{(const T *)in, (T *)out, spec->length, spec->exclusive},
                            (spec->length - 1) / BLOCK + 1, stream);
    });
}

template <class Way> constexpr sat_scan_method method(const char *summary)
{
    return {
        .name = Way::name,
        .summary = summary,
        .paper = "Kogge & Stone 1973; Sengupta, Harris & Garland, NVR-2008-003",
        .traffic = {.in_reads = 1, .out_reads = 0, .out_writes = 1},
        .kind = SAT_METHOD,
        .segment = prim::WARP,
        .device = true,
        .probe = device_probe,
        .open = open_scan<Way>,
        .run = run<Way>,
    };
}

} // namespace

const sat_scan_method sat_scan_warp_kogge_stone = method<kogge_stone>("32 elements in shared memory, lane by lane");
const sat_scan_method sat_scan_warp_zero_padded = method<zero_padded>("32 elements in shared memory behind 16 zeros");
const sat_scan_method sat_scan_warp_shuffle = method<shuffles>("32 elements in registers, by shuffles");
