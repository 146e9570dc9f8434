/* tile_state.cuh - what a tile tells the tiles behind it: its own sum, then the sum of everything up to its end.
 *
 * Packed: value and state in one word that is written and read at once, so that no order between two words is needed,
 * and relaxed accesses do (Merrill & Garland 2016, 4.4).  The epoch (ticket.cuh) makes words of earlier launches count
 * as nothing.
 *
 *      63               32 31             2 1     0
 *     |     payload       |     epoch      | state |       one word for a value of 4 bytes, two for one of 8
 *
 * A value of 8 bytes takes two adjacent words, its low half in the first.  The two are written by one instruction, but
 * the memory model treats the halves of a vector access as two accesses: each carries the tag (epoch and state), and a
 * reader takes the value when both tags agree (Smith, Levien & Owens, Decoupled Fallback, SPAA 2025).  That suffices as
 * a tile writes each state at most once in a launch.
 *
 * Split: a flag beside the value, for release and acquire; any type would do.  The two values have places of their own:
 * nobody may overwrite what a reader that has seen the flag is reading. */
#ifndef PRIM_TILE_STATE_CUH
#define PRIM_TILE_STATE_CUH

#include <type_traits>

#include "prim/device.cuh"

namespace prim
{

enum tile_told : uint32_t {
    TILE_NOTHING,
    TILE_SUM,
    TILE_PREFIX,
    TILE_LATER /* what was told is gone: the words have been used again, in a later epoch */
};

PRIM_DEVICE uint32_t tile_tag(uint32_t epoch, tile_told state)
{
    return epoch << 2 | state;
}

template <class T> struct tile_news {
    uint32_t state; /* tile_told */
    T value;
};

/* Tile i's words begin APART * i values further on: 1, or more to keep tiles that many others ask for apart. */
template <class T, unsigned APART = 1> struct tile_states {
    static_assert(sizeof(T) == 4 || sizeof(T) == 8, "a payload is 32 bits");
    static constexpr unsigned words_each = sizeof(T) / 4, step = words_each * APART;

    uint64_t *words; /* aligned to 16 bytes */
    uint32_t epoch;
    uint32_t laps; /* epochs of a launch that uses words again, else 0: nothing older than the launch is LATER */

    PRIM_DEVICE uint64_t pack(uint32_t payload, tile_told state) const
    {
        return (uint64_t)payload << 32 | tile_tag(epoch, state);
    }

    PRIM_DEVICE void tell(int64_t i, tile_told state, T value) const
    {
        if constexpr (words_each == 1) {
            store_kept(words + step * i, pack(__builtin_bit_cast(uint32_t, value), state));
        } else {
            uint64_t bits = __builtin_bit_cast(uint64_t, value);
            store_kept_pair(words + step * i, {{pack((uint32_t)bits, state), pack((uint32_t)(bits >> 32), state)}});
        }
    }

    PRIM_DEVICE uint32_t state_of(uint64_t word) const
    {
        const uint32_t since = (uint32_t)word - (epoch << 2); /* 0 .. 3: in this epoch */
        return since < 4 ? since : since >> 2 < laps ? (uint32_t)TILE_LATER : (uint32_t)TILE_NOTHING;
    }
    PRIM_DEVICE tile_news<T> unpack(uint64_t word) const
    {
        return {state_of(word), __builtin_bit_cast(T, (uint32_t)(word >> 32))};
    }
    PRIM_DEVICE tile_news<T> unpack_pair(vec<uint64_t, 2> w) const
    {
        bool whole = (uint32_t)w.at[0] == (uint32_t)w.at[1];
        uint64_t bits = w.at[0] >> 32 | (w.at[1] >> 32) << 32;
        return {whole ? state_of(w.at[0]) : (uint32_t)TILE_NOTHING, __builtin_bit_cast(T, bits)};
    }

    /* In two steps, so that who asks for several does so at once. */
    using answer = std::conditional_t<words_each == 1, uint64_t, vec<uint64_t, 2>>;
    PRIM_DEVICE answer send(int64_t i, bool wanted) const
    {
        if constexpr (words_each == 1)
            return load_kept(words + step * i, wanted);
        else
            return load_kept_pair(words + step * i, wanted);
    }
    PRIM_DEVICE tile_news<T> read(answer a) const
    {
        if constexpr (words_each == 1)
            return unpack(a);
        else
            return unpack_pair(a);
    }
    PRIM_DEVICE tile_news<T> ask(int64_t i) const { return read(send(i, true)); }
};

/* ---- split ------------------------------------------------------------------------------------------- */

template <class T> struct split_state {
    uint32_t has_sum, has_prefix; /* the tags of TILE_SUM and TILE_PREFIX, once they are there */
    T sum, prefix;
};

template <class T> PRIM_DEVICE void tell_by_flag(T *place, T value, uint32_t *flag, uint32_t tag)
{
    store_weak(place, value);
    store_release(flag, tag);
}
template <class T> PRIM_DEVICE bool ask_flag(const uint32_t *flag, uint32_t tag, const T *place, T *value)
{
    if (load_acquire(flag) != tag) return false;
    *value = load_weak(place);
    return true;
}

} // namespace prim
#endif
