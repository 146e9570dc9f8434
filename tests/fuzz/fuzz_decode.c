/* A libFuzzer target over all image formats:
 *
 *     clang -g -O1 -pthread -fsanitize=fuzzer,address,undefined -D_GNU_SOURCE -DSAT_WITH_LIBJPEG=1 \
 *         -Isrc/lib -Isrc/io tests/fuzz/fuzz_decode.c src/io/?*.c build/libsat.a \
 *         -ljpeg -lisal -ldeflate -lxxhash -lm -o build/fuzz_decode
 *     mkdir -p build/found && build/fuzz_decode -max_len=4096 build/found tests/fuzz/corpus
 *
 * The checksums of PNG chunks are made right after each mutation: no fuzzer guesses them. */
#include <libdeflate.h>
#include <stdio.h>

#include "decode.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);
size_t LLVMFuzzerCustomMutator(uint8_t *bytes, size_t n, size_t room, unsigned seed);
size_t LLVMFuzzerMutate(uint8_t *bytes, size_t n, size_t room);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
    const char *why;
    if (!decode_one(bytes, n, &why)) {
        fprintf(stderr, "%s\n", why);
        abort();
    }
    return 0;
}

size_t LLVMFuzzerCustomMutator(uint8_t *bytes, size_t n, size_t room, unsigned seed)
{
    enum { SIGNATURE = 8, OVERHEAD = 12 };
    n = LLVMFuzzerMutate(bytes, n, room);
    if (n < SIGNATURE || bytes[0] != 0x89 || seed % 8 == 0) return n;
    for (size_t at = SIGNATURE; n - at >= OVERHEAD;) {
        uint8_t *p = bytes + at;
        size_t length = (size_t)p[0] << 24 | (size_t)p[1] << 16 | (size_t)p[2] << 8 | p[3];
        if (length > n - at - OVERHEAD) break;
        uint32_t crc = libdeflate_crc32(0, p + 4, length + 4);
        for (int i = 0; i < 4; i++) p[8 + length + (size_t)i] = (uint8_t)(crc >> (24 - 8 * i));
        at += OVERHEAD + length;
    }
    return n;
}
