/* PNG's pixels are deflated to the same bytes wherever in memory that is done. */
#include <sys/mman.h>

#include "codec_test.h"

/* The encoder under a name of its own, for its static functions. */
#define png_encode png_encode_here
#undef fail
#include "../../src/io/png_encode.c"

enum {
    STEP = 1 << 16,   /* ISA-L looked at an address without its lowest 16 bits, */
    PLACES = 1 << 13, /* and so many slots has the table that it indexed with them */
    BYTES = 600,      /* of pixels: the same ones three times, so that most is matches with the first bytes */
};

static void fill(uint8_t *bytes)
{
    uint32_t seed = 5;
    for (size_t i = 0; i < BYTES; i++) bytes[i] = i < BYTES / 3 ? (uint8_t)next_random(&seed) : bytes[i - BYTES / 3];
}

static void the_bytes_are_the_same_at_every_place(void **state)
{
    (void)state;
    static uint8_t pixels[BYTES], expected[2 * BYTES], got[2 * BYTES];
    fill(pixels);
    size_t bytes = (size_t)PLACES * STEP + sizeof(worker), n = 0;
    uint8_t *room = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    assert_true(room != MAP_FAILED);
    for (size_t i = 0; i < PLACES; i++) {
        worker *w = (worker *)(room + i * STEP);
        w->filtered = pixels;
        size_t size = deflate_band(w, i == 0 ? expected : got, BYTES, false);
        assert_true(size > 0);
        if (i == 0) n = size;
        assert_int_equal(size, n);
        if (i > 0) assert_memory_equal(got, expected, n);
        assert_return_code(madvise(w, sizeof *w, MADV_DONTNEED), 0);
    }
    munmap(room, bytes);
}

/* Bands at the edge of what is deflated in one piece and in two; decoded by what does not deflate them. */
static void short_bands_come_back(void **state)
{
    (void)state;
    static uint8_t pixels[BYTES], deflated[2 * BYTES], back[BYTES];
    fill(pixels);
    worker *w = malloc(sizeof *w);
    struct libdeflate_decompressor *d = libdeflate_alloc_decompressor();
    assert_true(w && d);
    w->filtered = pixels;
    for (size_t n = 1; n < 70; n++) {
        size_t size = deflate_band(w, deflated, n, true), got;
        assert_in_range(size, 1, deflated_bound(n));
        assert_int_equal(libdeflate_deflate_decompress(d, deflated, size, back, n, &got), LIBDEFLATE_SUCCESS);
        assert_int_equal(got, n);
        assert_memory_equal(back, pixels, n);
    }
    libdeflate_free_decompressor(d);
    free(w);
}

int main(void)
{
    cmocka_set_message_output(CM_OUTPUT_TAP);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_bytes_are_the_same_at_every_place),
        cmocka_unit_test(short_bands_come_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
