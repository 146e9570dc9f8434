/* driver.c - what libFuzzer calls.  A broken promise aborts, so that the input is kept. */
#include <stdio.h>
#include <stdlib.h>

#include "fuzz.h"

#if FUZZ_WITH_MSAN
#include <sanitizer/msan_interface.h>
#else
#define __msan_unpoison(bytes, n) ((void)0)
#endif

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);
size_t LLVMFuzzerCustomMutator(uint8_t *bytes, size_t n, size_t room, unsigned seed);
size_t LLVMFuzzerMutate(uint8_t *bytes, size_t n, size_t room);
const char *__asan_default_options(void);
const char *__msan_default_options(void);

/* What is too large is an error of malloc(), as it is without a sanitizer. */
#define OPTIONS "allocator_may_return_null=1:max_allocation_size_mb=1024"

const char *__asan_default_options(void)
{
    return OPTIONS ":detect_stack_use_after_return=1";
}

const char *__msan_default_options(void)
{
    return OPTIONS;
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc, (void)argv;
    if (fuzz.begin) fuzz.begin();
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
    const char *why = fuzz.run(bytes, n);
    if (why) {
        dprintf(2, "broken promise: %s\n", why);
        abort();
    }
    return 0;
}

size_t LLVMFuzzerCustomMutator(uint8_t *bytes, size_t n, size_t room, unsigned seed)
{
    n = LLVMFuzzerMutate(bytes, n, room);
    __msan_unpoison(bytes, n); /* libFuzzer is not instrumented */
    return fuzz.repair && seed % 8 ? fuzz.repair(bytes, n, room) : n;
}
