/* fuzz.h - a fuzz target: one file fuzz_NAME.c that defines `const fuzz_target fuzz`, and seeds in corpus/NAME/.
 *
 * fuzz.mk makes two programs of it: with driver.c one for libFuzzer, and with replay.c a test that runs the corpus. */
#ifndef FUZZ_H
#define FUZZ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef struct fuzz_target {
    /* Called once, before the first input; may be NULL. */
    void (*begin)(void);
    /* Runs one input.  Returns NULL, or a sentence that names the promise which was broken. */
    const char *(*run)(const uint8_t *bytes, size_t n);
    /* Makes checksums right, which no fuzzer guesses: called after most mutations.  Returns n, or another length of at
     * most room.  May be NULL. */
    size_t (*repair)(uint8_t *bytes, size_t n, size_t room);
} fuzz_target;

extern const fuzz_target fuzz;

#if defined(__has_feature)
#if __has_feature(memory_sanitizer)
#define FUZZ_WITH_MSAN 1
#endif
#endif
#ifndef FUZZ_WITH_MSAN
#define FUZZ_WITH_MSAN 0
#endif

/* MemorySanitizer does not see what libdeflate and ISA-L write. */
enum { FUZZ_WITHOUT_PNG = FUZZ_WITH_MSAN };

/* ---- numbers from the input's bytes, zeros behind its end ---- */

typedef struct fuzz_input {
    const uint8_t *at;
    size_t left;
} fuzz_input;

static inline uint64_t take(fuzz_input *in, int bytes)
{
    uint64_t v = 0;
    for (int i = 0; i < bytes && in->left > 0; i++, in->at++, in->left--) v |= (uint64_t)*in->at << (8 * i);
    return v;
}

static inline bool take_one_in(fuzz_input *in, unsigned n)
{
    return take(in, 1) % n == n - 1;
}

/* Mostly low .. high; sometimes a number at which arithmetic ends, or any. */
static inline int64_t take_int(fuzz_input *in, int64_t low, int64_t high)
{
    static const int64_t ends[] = {INT64_MIN, INT64_MAX,           -1,        0,         INT32_MAX,
                                   INT32_MIN, (int64_t)UINT32_MAX, 1LL << 40, 1LL << 32, INT64_MAX - 1};
    enum { ENDS = sizeof ends / sizeof *ends, COMMON = 240 };
    uint64_t kind = take(in, 1);
    if (kind < COMMON) return low + (int64_t)(kind % (uint64_t)(high - low + 1));
    if (kind < COMMON + ENDS) return ends[kind - COMMON];
    return (int64_t)take(in, 8);
}

static inline double take_real(fuzz_input *in)
{
    uint64_t bits = take(in, 1);
    double value = (double)bits - 8;
    if (bits < 248) return value;
    bits = take(in, 8);
    memcpy(&value, &bits, sizeof value);
    return value;
}

#endif
