/* EXIF of TIFFs: what a block holds comes back from a TIFF and a BigTIFF, and goes on to a PNG, whatever its byte
 * order. */
#include "codec_test.h"

enum { MOST = 4096, TEXT = 1 << 16, EXIF = 34665, GPS = 34853, INTEROPERABILITY = 40965 };

/* ---- blocks ----------------------------------------------------------------------------------------- */

typedef struct block {
    uint8_t bytes[MOST];
    size_t n;
    bool big_endian;
} block;

static void put_at(block *b, size_t at, uint64_t value, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++) b->bytes[at + i] = (uint8_t)(value >> 8 * (b->big_endian ? bytes - 1 - i : i));
}

static void put(block *b, uint64_t value, size_t bytes)
{
    put_at(b, b->n, value, bytes);
    b->n += bytes;
}

/* Bytes of a value, and of the numbers of which it consists. */
static const size_t size_of[] = {0, 1, 1, 2, 4, 8, 1, 1, 2, 4, 8, 4, 8, 4},
                    number_of[] = {0, 1, 1, 2, 4, 4, 1, 1, 2, 4, 4, 4, 8, 4};

/* A directory of entries of each type with random values, behind others that are given as tag and offset; its offset.
 */
static size_t put_directory(block *b, uint32_t *seed, unsigned first_tag, const unsigned given[][2], int given_n)
{
    const size_t at = b->n, types = 13;
    put(b, types + (size_t)given_n, 2);
    b->n += 12 * (types + (size_t)given_n) + 4;
    memset(b->bytes + at + 2, 0, b->n - at - 2);
    for (unsigned i = 0; i < types + (unsigned)given_n; i++) {
        const size_t entry = at + 2 + 12 * (size_t)i;
        const bool own = i < types;
        const unsigned type = own ? i + 1 : 4, count = own ? 1 + next_random(seed) % 7 : 1;
        put_at(b, entry, own ? first_tag + i : given[i - types][0], 2);
        put_at(b, entry + 2, type, 2);
        put_at(b, entry + 4, count, 4);
        if (!own) {
            put_at(b, entry + 8, given[i - types][1], 4);
            continue;
        }
        size_t to = entry + 8;
        if (count * size_of[type] > 4) {
            put_at(b, to, b->n, 4);
            to = b->n;
            b->n += (count * size_of[type] + 1) & ~(size_t)1;
        }
        for (size_t k = 0; k < count * size_of[type] / number_of[type]; k++)
            put_at(b, to + k * number_of[type], next_random(seed) * (uint64_t)next_random(seed), number_of[type]);
    }
    return at;
}

static void make_block(block *b, uint32_t seed, bool big_endian)
{
    static const char make[] = "A camera", author[] = "An author of pictures";
    *b = (block){.big_endian = big_endian};
    memcpy(b->bytes, big_endian ? "MM" : "II", 2);
    b->n = 2;
    put(b, 42, 2);
    put(b, 8, 4);
    const size_t first = b->n;
    put(b, 4, 2);
    b->n += 4 * 12 + 4;
    memset(b->bytes + first + 2, 0, 4 * 12 + 4);
    const unsigned inner = (unsigned)put_directory(b, &seed, 1, NULL, 0);
    const unsigned exif = (unsigned)put_directory(b, &seed, 33434, (const unsigned[][2]){{INTEROPERABILITY, inner}}, 1);
    const unsigned gps = (unsigned)put_directory(b, &seed, 1, NULL, 0);
    const struct {
        unsigned tag, type, count, value;
    } entries[] = {{271, 2, sizeof make, (unsigned)b->n},
                   {315, 2, sizeof author, (unsigned)b->n + 10},
                   {EXIF, 4, 1, exif},
                   {GPS, 4, 1, gps}};
    memcpy(b->bytes + b->n, make, sizeof make);
    memcpy(b->bytes + b->n + 10, author, sizeof author);
    b->n += 10 + sizeof author;
    for (size_t i = 0; i < 4; i++) {
        const size_t at = first + 2 + 12 * i;
        put_at(b, at, entries[i].tag, 2);
        put_at(b, at + 2, entries[i].type, 2);
        put_at(b, at + 4, entries[i].count, 4);
        put_at(b, at + 8, entries[i].value, 4);
    }
}

/* ---- what a block says, as a text ---------------------------------------------------------------------- */

static uint64_t get(const uint8_t *b, size_t at, size_t bytes)
{
    uint64_t value = 0;
    for (size_t i = 0; i < bytes; i++) value = value << 8 | b[at + (b[0] == 'M' ? i : bytes - 1 - i)];
    return value;
}

static size_t tell(const uint8_t *b, size_t n, size_t at, char *text, size_t used)
{
    const size_t entries = get(b, at, 2);
    used += (size_t)snprintf(text + used, TEXT - used, "(");
    for (size_t e = at + 2; e < at + 2 + 12 * entries; e += 12) {
        const unsigned tag = (unsigned)get(b, e, 2), type = (unsigned)get(b, e + 2, 2);
        const size_t count = get(b, e + 4, 4), bytes = count * size_of[type],
                     from = bytes > 4 ? get(b, e + 8, 4) : e + 8;
        assert_true(from + bytes <= n);
        if (tag == 274) continue; /* the orientation is the file's */
        used += (size_t)snprintf(text + used, TEXT - used, " %u:", tag);
        if (tag == EXIF || tag == GPS || tag == INTEROPERABILITY) {
            used = tell(b, n, get(b, from, 4), text, used);
            continue;
        }
        used += (size_t)snprintf(text + used, TEXT - used, "%u", type);
        for (size_t k = 0; k < bytes / number_of[type]; k++)
            used += (size_t)snprintf(text + used, TEXT - used, ",%llx",
                                     (unsigned long long)get(b, from + k * number_of[type], number_of[type]));
    }
    return used + (size_t)snprintf(text + used, TEXT - used, ")");
}

static void check_says(const meta_block *is, const char *want)
{
    static char text[TEXT];
    assert_non_null(is->bytes);
    tell(is->bytes, is->n, get(is->bytes, 4, 4), text, 0);
    assert_string_equal(text, want);
}

/* ---- tests ---------------------------------------------------------------------------------------------- */

static void decode_as(const image_format *format, const image *img, image *out)
{
    uint8_t *bytes;
    size_t n;
    error err;
    if (!encode_to_memory(format, img, &(encode_options){0}, &bytes, &n, &err)) fail_msg("%s", err.text);
    if (!decode_exactly(bytes, n, &(decode_options){.max_pixels = 1 << 20, .no_orient = true}, out, &err))
        fail_msg("%s", err.text);
    free(bytes);
}

static void exif_goes_into_and_out_of_a_tiff(void **state)
{
    static char want[TEXT];
    static block b;
    (void)state;
    for (uint32_t seed = 0; seed < 200; seed++) {
        image img = random_image(5, 4, 3, seed % 3 ? SAT_U8 : SAT_U16, seed), tiff, again, png;
        error err;
        make_block(&b, seed, seed % 2);
        tell(b.bytes, b.n, 8, want, 0);
        assert_true(meta_append(&img.meta, META_EXIF, b.bytes, b.n, &err));
        img.meta.big = seed % 4 > 1;
        img.meta.orientation = seed % 5 ? 6 : 0;
        decode_as(&format_tiff, &img, &tiff);
        assert_int_equal(tiff.meta.big, img.meta.big);
        assert_int_equal(tiff.meta.orientation > 1 ? tiff.meta.orientation : 0, img.meta.orientation);
        check_says(&tiff.meta.blocks[META_EXIF], want);
        assert_memory_equal(tiff.data, img.data, image_bytes(&img));
        decode_as(&format_tiff, &tiff, &again);
        check_says(&again.meta.blocks[META_EXIF], want);
        decode_as(&format_png, &again, &png);
        check_says(&png.meta.blocks[META_EXIF], want);
        image_free(&img), image_free(&tiff), image_free(&again), image_free(&png);
    }
}

/* A block cut short, or with a circle of directories, gives a file that can be read. */
static void broken_blocks_are_written_as_far_as_they_go(void **state)
{
    static block b;
    (void)state;
    make_block(&b, 7, true);
    for (size_t cut = 0; cut < b.n; cut += 3) {
        image img = random_image(5, 4, 1, SAT_U8, 1), out;
        error err;
        block broken = b;
        if (cut % 2) put_at(&broken, cut, 8, 4);
        assert_true(meta_append(&img.meta, META_EXIF, broken.bytes, cut % 2 ? b.n : cut, &err));
        decode_as(&format_tiff, &img, &out);
        assert_memory_equal(out.data, img.data, image_bytes(&img));
        image_free(&img), image_free(&out);
    }
}

/* Texts of programs, about pages that are not written, stay behind. */
static void descriptions_of_programs_are_left(void **state)
{
    static const struct {
        const char *text;
        bool stays;
    } cases[] = {
        {"a picture", true}, {"<OME>", false}, {"{\"shape\": [5, 5]}", false}, {"ImageJ=1.53\nimages=10", false}};
    (void)state;
    for (size_t i = 0; i < 4; i++) {
        static block b;
        image img = random_image(5, 4, 1, SAT_U8, 1), first, out;
        error err;
        make_block(&b, 3, false);
        put_at(&b, 8 + 2 + 12, 270, 2); /* in the author's place */
        put_at(&b, 8 + 2 + 12 + 4, strlen(cases[i].text) + 1, 4);
        put_at(&b, 8 + 2 + 12 + 8, b.n, 4);
        memcpy(b.bytes + b.n, cases[i].text, strlen(cases[i].text) + 1);
        b.n += strlen(cases[i].text) + 1;
        assert_true(meta_append(&img.meta, META_EXIF, b.bytes, b.n, &err));
        decode_as(&format_tiff, &img, &first);
        decode_as(&format_png, &first, &out);
        const meta_block *kept = &out.meta.blocks[META_EXIF];
        assert_true(memmem(kept->bytes, kept->n, "A camera", 8) != NULL);
        assert_int_equal(memmem(kept->bytes, kept->n, cases[i].text, strlen(cases[i].text)) != NULL, cases[i].stays);
        image_free(&img), image_free(&first), image_free(&out);
    }
}

int main(void)
{
    if (!SAT_WITH_LIBTIFF) return puts("1..0 # SKIP built without libtiff") < 0;
    cmocka_set_message_output(CM_OUTPUT_TAP);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(exif_goes_into_and_out_of_a_tiff),
        cmocka_unit_test(broken_blocks_are_written_as_far_as_they_go),
        cmocka_unit_test(descriptions_of_programs_are_left),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
