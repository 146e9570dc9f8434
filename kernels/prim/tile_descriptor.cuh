/* tile_descriptor.cuh - what a tile publishes for the tiles after it: its aggregate, then its inclusive prefix.
 *
 * The aggregate of a tile is the sum of its own elements.  Its inclusive prefix is the sum of all elements up to its
 * end (Merrill & Garland 2016, 4.1).
 *
 * Packed descriptors.  Value and status share a word.  One relaxed access moves both, so that no order between two
 * words is needed (4.4 of the paper).  The epoch comes from the number of the launch (ticket.cuh): descriptors
 * of earlier launches are invalid.
 *
 *      63               32 31             2 1      0
 *     |       value       |     epoch      | status |       one word for a value of 4 bytes, two for one of 8
 *
 * A value of 8 bytes takes two adjacent words, its lower half in the first.  One instruction writes both words, but the
 * memory model treats a vector access as one access for each.  So each word carries the tag (epoch and status), and a
 * reader takes the value when both tags agree (Smith, Levien & Owens, Decoupled Fallback, SPAA 2025).  That suffices
 * because a tile publishes each status at most once in a launch.
 *
 * Flagged descriptors.  A flag lies beside each value; release and acquire order the two.  Values may be of any type.
 * Aggregate and inclusive prefix have a member each, so that no value is overwritten while it may be read. */
#ifndef PRIM_TILE_DESCRIPTOR_CUH
#define PRIM_TILE_DESCRIPTOR_CUH

#include <type_traits>

#include "prim/device.cuh"

namespace prim
{

enum tile_status : uint32_t {
    TILE_INVALID,
    TILE_AGGREGATE,
    TILE_PREFIX,
    TILE_RECYCLED /* for readers only: the slot belongs to a later epoch of this launch */
};

PRIM_DEVICE uint32_t tile_tag(uint32_t epoch, tile_status status)
{
    return epoch << 2 | status;
}

template <class T> struct tile_descriptor {
    uint32_t status; /* tile_status */
    T value;
};

/* ---- packed -------------------------------------------------------------------------------------------- */

/* Packed descriptors as one epoch sees them.  Descriptor i begins at word SPACING * i * WORDS: a SPACING above 1 gives
 * each a larger part of a cache line. */
template <class T, unsigned SPACING = 1> struct tile_descriptors {
    static_assert(sizeof(T) == 4 || sizeof(T) == 8, "a word holds 32 bits of the value");
    static constexpr unsigned WORDS = sizeof(T) / 4, STRIDE = WORDS * SPACING;

    uint64_t *words; /* aligned to 16 bytes */
    uint32_t epoch;
    uint32_t generations; /* epochs of a launch that recycles slots; 0: no descriptor is ever RECYCLED */

    PRIM_DEVICE uint64_t pack(uint32_t payload, tile_status status) const
    {
        return (uint64_t)payload << 32 | tile_tag(epoch, status);
    }

    PRIM_DEVICE void publish(int64_t i, tile_status status, T value) const
    {
        if constexpr (WORDS == 1) {
            store_evict_last(words + STRIDE * i, pack(__builtin_bit_cast(uint32_t, value), status));
        } else {
            uint64_t bits = __builtin_bit_cast(uint64_t, value);
            store_evict_last_pair(words + STRIDE * i,
                                  {{pack((uint32_t)bits, status), pack((uint32_t)(bits >> 32), status)}});
        }
    }

    PRIM_DEVICE uint32_t status_of(uint64_t word) const
    {
        const uint32_t age = (uint32_t)word - (epoch << 2); /* 0 .. 3: of this epoch */
        return age < 4 ? age : age >> 2 < generations ? (uint32_t)TILE_RECYCLED : (uint32_t)TILE_INVALID;
    }
    PRIM_DEVICE tile_descriptor<T> decode_word(uint64_t word) const
    {
        return {status_of(word), __builtin_bit_cast(T, (uint32_t)(word >> 32))};
    }
    PRIM_DEVICE tile_descriptor<T> decode_pair(vec<uint64_t, 2> w) const
    {
        bool whole = (uint32_t)w.at[0] == (uint32_t)w.at[1];
        uint64_t bits = w.at[0] >> 32 | (w.at[1] >> 32) << 32;
        return {whole ? status_of(w.at[0]) : (uint32_t)TILE_INVALID, __builtin_bit_cast(T, bits)};
    }

    /* poll() in two steps: a thread begins several loads before it decodes the first.  Without the predicate load()
     * returns 0. */
    using packed = std::conditional_t<WORDS == 1, uint64_t, vec<uint64_t, 2>>;
    PRIM_DEVICE packed load(int64_t i, bool predicate) const
    {
        if constexpr (WORDS == 1)
            return load_evict_last(words + STRIDE * i, predicate);
        else
            return load_evict_last_pair(words + STRIDE * i, predicate);
    }
    PRIM_DEVICE tile_descriptor<T> decode(packed p) const
    {
        if constexpr (WORDS == 1)
            return decode_word(p);
        else
            return decode_pair(p);
    }
    PRIM_DEVICE tile_descriptor<T> poll(int64_t i) const { return decode(load(i, true)); }
};

/* ---- flagged ------------------------------------------------------------------------------------------- */

template <class T> struct flagged_descriptor {
    uint32_t aggregate_flag, prefix_flag; /* the tags of TILE_AGGREGATE and TILE_PREFIX, once the values are there */
    T aggregate, prefix;
};

template <class T> PRIM_DEVICE void publish_flagged(T *to, T value, uint32_t *flag, uint32_t tag)
{
    store_weak(to, value);
    store_release(flag, tag);
}
template <class T> PRIM_DEVICE bool poll_flagged(const uint32_t *flag, uint32_t tag, const T *from, T *value)
{
    if (load_acquire(flag) != tag) return false;
    *value = load_weak(from);
    return true;
}

} // namespace prim
#endif
