/* TGA: every type, depth, direction and palette decodes to the pixels that the specification says; what is missing or
 * out of range is refused.  The files are made here. */
#include "codec_test.h"

enum { WIDTH = 5, HEIGHT = 3, PIXELS = WIDTH * HEIGHT, ENTRIES = 12, MOST = 4096 };
enum { HEADER_BYTES = 18, EXTENSION_BYTES = 495, FOOTER_BYTES = 26 };
enum { PALETTE = 1, COLOUR = 2, GREY = 3, RUNS = 8, FROM_RIGHT = 16, FROM_TOP = 32 };

typedef struct kind {
    int type, bits; /* of a pixel */
    int first_index, entry_bits;
    int alpha_bits;
    int channels; /* wanted */
} kind;

static const kind kinds[] = {
    {PALETTE, 8, 0, 15, 0, 3},  {PALETTE, 8, 0, 16, 0, 3},    {PALETTE, 8, 0, 16, 1, 4},    {PALETTE, 8, 0, 24, 0, 3},
    {PALETTE, 8, 0, 32, 0, 3},  {PALETTE, 8, 0, 32, 8, 4},    {PALETTE, 8, 7, 15, 0, 3},    {PALETTE, 8, 7, 16, 0, 3},
    {PALETTE, 8, 7, 16, 1, 4},  {PALETTE, 8, 7, 24, 0, 3},    {PALETTE, 8, 7, 32, 0, 3},    {PALETTE, 8, 7, 32, 8, 4},
    {PALETTE, 16, 0, 24, 0, 3}, {PALETTE, 16, 700, 24, 0, 3}, {PALETTE, 16, 700, 32, 8, 4}, {GREY, 8, 0, 0, 0, 1},
    {GREY, 16, 0, 0, 8, 2},     {GREY, 8, 0, 24, 0, 1},       {COLOUR, 15, 0, 0, 0, 3},     {COLOUR, 16, 0, 0, 0, 3},
    {COLOUR, 16, 0, 0, 1, 4},   {COLOUR, 24, 0, 0, 0, 3},     {COLOUR, 24, 0, 0, 8, 3},     {COLOUR, 32, 0, 0, 0, 3},
    {COLOUR, 32, 0, 0, 8, 4},   {COLOUR, 24, 0, 24, 0, 3},    {COLOUR, 24, 0, 16, 0, 3},    {COLOUR, 32, 0, 32, 0, 3},
    {COLOUR, 32, 9, 24, 8, 4},
};
enum { KINDS = sizeof kinds / sizeof *kinds };

typedef struct tga {
    uint8_t bytes[MOST];
    size_t n;
    uint8_t want[PIXELS * 4];
} tga;

static void put(tga *t, unsigned long value, int bytes)
{
    for (int i = 0; i < bytes; i++) t->bytes[t->n++] = (uint8_t)(value >> 8 * i);
}

/* The samples that a colour's bits mean: five, five and five bits and one, or bytes, blue first. */
static void meaning(uint32_t value, int bits, uint8_t rgba[4])
{
    for (int c = 0; c < 3; c++) {
        double share = bits <= 16 ? (value >> (10 - 5 * c) & 31) / 31.0 : (value >> (16 - 8 * c) & 255) / 255.0;
        rgba[c] = (uint8_t)(share * 255 + 0.5);
    }
    rgba[3] = bits <= 16 ? (value >> 15 & 1 ? 255 : 0) : (uint8_t)(value >> 24);
}

/* Pixels that repeat in places, also from one row to the next. */
static int source_of(int i)
{
    return i % 7 > 3 ? i - (i % 7 - 3) : i;
}

static void put_header(tga *t, const kind *k, int flags, size_t id_bytes)
{
    put(t, id_bytes, 1);
    put(t, k->entry_bits > 0, 1);
    put(t, (unsigned long)(k->type | (flags & RUNS)), 1);
    put(t, (unsigned long)k->first_index, 2);
    put(t, k->entry_bits ? ENTRIES : 0, 2);
    put(t, (unsigned long)k->entry_bits, 1);
    put(t, 0xdead, 2); /* where it stands on a screen */
    put(t, 0xbeef, 2);
    put(t, WIDTH, 2);
    put(t, HEIGHT, 2);
    put(t, (unsigned long)k->bits, 1);
    put(t, (unsigned long)(k->alpha_bits | (flags & (FROM_RIGHT | FROM_TOP))), 1);
}

/* `value` in `runs` of what repeats; else of one pixel. */
static void put_pixels(tga *t, const uint32_t *value, int bytes, bool runs)
{
    for (int i = 0, count; i < PIXELS; i += count) {
        count = 1;
        while (runs && i + count < PIXELS && value[i + count] == value[i]) count++;
        bool literal = count == 1;
        while (runs && literal && i + count < PIXELS && value[i + count] != value[i + count - 1]) count++;
        if (runs) put(t, (unsigned long)(count - 1) | (literal ? 0 : 128), 1);
        for (int j = 0; j < (literal ? count : 1); j++) put(t, value[i + j], bytes);
    }
}

/* A file of this kind, and the pixels that it means. */
static void make(tga *t, const kind *k, int flags, size_t id_bytes)
{
    uint32_t seed = 5, palette[ENTRIES], value[PIXELS];
    t->n = 0;
    put_header(t, k, flags, id_bytes);
    for (size_t i = 0; i < id_bytes; i++) put(t, 'i', 1);
    for (int i = 0; k->entry_bits && i < ENTRIES; i++) {
        palette[i] = next_random(&seed) << 8 ^ next_random(&seed);
        put(t, palette[i], (k->entry_bits + 7) / 8);
    }
    for (int i = 0; i < PIXELS; i++) {
        uint8_t samples[4];
        uint32_t v = next_random(&seed) << 8 ^ next_random(&seed);
        if (k->type == PALETTE) v = v % ENTRIES + (uint32_t)k->first_index;
        value[i] = source_of(i) < i ? value[source_of(i)] : v;
        if (k->bits < 32) value[i] &= (1u << (k->bits + 7) / 8 * 8) - 1;
        if (k->type == GREY)
            samples[0] = (uint8_t)value[i], samples[1] = (uint8_t)(value[i] >> 8);
        else if (k->type == COLOUR)
            meaning(value[i], k->bits, samples);
        else
            meaning(palette[value[i] - (uint32_t)k->first_index], k->entry_bits, samples);
        int x = flags & FROM_RIGHT ? WIDTH - 1 - i % WIDTH : i % WIDTH;
        int y = flags & FROM_TOP ? i / WIDTH : HEIGHT - 1 - i / WIDTH;
        memcpy(t->want + (y * WIDTH + x) * k->channels, samples, (size_t)k->channels);
    }
    put_pixels(t, value, (k->bits + 7) / 8, flags & RUNS);
}

/* The end of a newer file: an extension area of that type of attributes, and the footer. */
static void put_extension(tga *t, int attributes)
{
    size_t at = t->n;
    put(t, EXTENSION_BYTES, 2);
    while (t->n < at + EXTENSION_BYTES - 1) put(t, 0, 1);
    put(t, (unsigned long)attributes, 1);
    put(t, at, 4);
    put(t, 0, 4);
    memcpy(t->bytes + t->n, "TRUEVISION-XFILE.", 18);
    t->n += 18;
}

static void assert_decodes(const tga *t, int channels, const char *what)
{
    image img;
    error err;
    if (!decode_exactly(t->bytes, t->n, &plain, &img, &err)) fail_msg("%s: %s", what, err.text);
    if (img.width != WIDTH || img.height != HEIGHT || img.channels != channels || img.type != SAT_U8)
        fail_msg("%s: %lldx%lld, %d channels", what, (long long)img.width, (long long)img.height, img.channels);
    if (memcmp(img.data, t->want, (size_t)PIXELS * (size_t)channels) != 0) fail_msg("%s: other pixels", what);
    image_free(&img);
}

static void assert_refused(const tga *t, size_t n, const char *why)
{
    image img;
    error err;
    assert_false(decode_exactly(t->bytes, n, &plain, &img, &err));
    assert_string_equal(err.text, why);
}

/* ---- tests ----------------------------------------------------------------------------------------- */

static void every_kind_decodes_in_every_direction(void **state)
{
    (void)state;
    static tga t;
    for (int i = 0; i < KINDS; i++) {
        for (int flags = 0; flags < 64; flags += RUNS) {
            char what[64];
            snprintf(what, sizeof what, "kind %d, flags %d", i, flags);
            make(&t, &kinds[i], flags, flags % 24 ? 0 : 255);
            assert_decodes(&t, kinds[i].channels, what);
        }
    }
}

static void what_is_cut_off_is_refused(void **state)
{
    (void)state;
    static tga t;
    for (int i = 0; i < KINDS; i++) {
        for (int flags = 0; flags <= RUNS; flags += RUNS) {
            make(&t, &kinds[i], flags, 3);
            for (size_t n = HEADER_BYTES; n < t.n; n++) assert_refused(&t, n, "truncated: the TGA has too few pixels");
        }
    }
}

static void an_index_outside_the_palette_is_refused(void **state)
{
    (void)state;
    static const kind small = {PALETTE, 8, 7, 24, 0, 3}, large = {PALETTE, 16, 700, 24, 0, 3};
    static const int outside[] = {0, 6, 7 + ENTRIES, 255}, outside_large[] = {0, 699, 700 + ENTRIES, 65535};
    static tga t;
    for (int i = 0; i < 4; i++) {
        make(&t, &small, 0, 0);
        t.bytes[t.n - 1] = (uint8_t)outside[i];
        assert_refused(&t, t.n, "corrupt: the TGA's palette lacks a colour");
        make(&t, &large, 0, 0);
        t.n -= 2;
        put(&t, (unsigned long)outside_large[i], 2);
        assert_refused(&t, t.n, "corrupt: the TGA's palette lacks a colour");
    }
}

static void the_extension_area_says_what_attributes_are(void **state)
{
    (void)state;
    static const kind colour = {COLOUR, 32, 0, 0, 8, 4}, grey = {GREY, 16, 0, 0, 8, 2};
    static tga t;
    for (int type = 0; type < 6; type++) {
        for (int k = 0; k < 2; k++) {
            const kind *which = k ? &grey : &colour;
            int channels = which->channels;
            char what[64];
            snprintf(what, sizeof what, "attributes %d, %d channels", type, channels);
            make(&t, which, FROM_TOP, 0);
            put_extension(&t, type);
            for (int i = 0; i < PIXELS; i++) {
                uint8_t *p = t.want + i * channels, alpha = p[channels - 1];
                for (int c = 0; type == 4 && c < channels - 1; c++) {
                    double share = alpha == 0 ? 0 : (double)p[c] / alpha;
                    p[c] = share >= 1 ? 255 : (uint8_t)(share * 255 + 0.5);
                }
                if (type < 3 || type == 5) memmove(t.want + i * (channels - 1), p, (size_t)channels - 1);
            }
            assert_decodes(&t, channels - (type < 3 || type == 5), what);
        }
    }
}

static bool is_noted(const image *img)
{
    return strcmp(img->meta.note, "its alpha is 0 in every pixel, and is taken for opaque") == 0;
}

/* Also where colours are said to be multiplied by it.  One bit of the last pixel makes it an alpha. */
static void an_alpha_of_nothing_is_opaque(void **state)
{
    (void)state;
    static const struct {
        kind k;
        const char *pixel, *want, *set; /* set: the same with some alpha */
    } cases[] = {
        {{COLOUR, 32, 0, 0, 8, 4}, "\3\2\1\0", "\1\2\3\377", "\3\2\1\1"},
        {{COLOUR, 16, 0, 0, 1, 4}, "\37\174", "\377\0\377\377", "\37\374"},
        {{GREY, 16, 0, 0, 8, 2}, "\7\0", "\7\377", "\7\1"},
    };
    static tga t;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (int way = 0; way < 16; way++) {
            const kind *k = &cases[i].k;
            const size_t bytes = (size_t)k->bits / 8, channels = (size_t)k->channels;
            const bool runs = way & 1, multiplied = way & 2, extension = way & 4, alpha = way & 8;
            image img;
            error err;
            t.n = 0;
            put_header(&t, k, FROM_TOP | (runs ? RUNS : 0), 0);
            for (int p = 0; p < PIXELS; p++) {
                if (runs) put(&t, 128, 1);
                memcpy(t.bytes + t.n, alpha && p == PIXELS - 1 ? cases[i].set : cases[i].pixel, bytes);
                t.n += bytes;
            }
            if (extension) put_extension(&t, multiplied ? 4 : 3);
            assert_true(decode_exactly(t.bytes, t.n, &plain, &img, &err));
            assert_int_equal(img.channels, k->channels);
            assert_int_equal(is_noted(&img), !alpha);
            for (size_t p = 0; p < PIXELS && !alpha; p++)
                assert_memory_equal((uint8_t *)img.data + p * channels, cases[i].want, channels);
            if (alpha) assert_int_equal(((uint8_t *)img.data)[channels - 1], 0);
            image_free(&img);
        }
}

static void an_extension_area_that_is_not_there_says_nothing(void **state)
{
    (void)state;
    static const kind colour = {COLOUR, 32, 0, 0, 8, 4};
    static tga t;
    for (int fault = 0; fault < 5; fault++) {
        make(&t, &colour, 0, 0);
        size_t at = t.n, offset_at;
        put_extension(&t, 0);
        offset_at = t.n - FOOTER_BYTES;
        if (fault == 0) memset(t.bytes + offset_at, 0, 4);
        if (fault == 1) memset(t.bytes + offset_at, 255, 4);
        if (fault == 2) t.bytes[offset_at]++; /* it would reach into the footer */
        if (fault == 3) t.bytes[at + 1] = 0;  /* too short to have a type */
        if (fault == 4) t.bytes[t.n - 2] = '!';
        char what[64];
        snprintf(what, sizeof what, "fault %d", fault);
        assert_decodes(&t, 4, what);
    }
}

/* Of a stream, as much is wanted as can change the pixels. */
static void a_stream_with_attributes_is_read_for_its_extension_area(void **state)
{
    (void)state;
    static tga t;
    for (int i = 0; i < KINDS; i++) {
        for (int flags = 0; flags <= RUNS; flags += RUNS) {
            uint64_t most;
            error err;
            make(&t, &kinds[i], flags, 0);
            size_t n = t.n;
            put_extension(&t, 4);
            assert_true(format_by_name("tga")->extent(t.bytes, t.n, &plain, &most, &err));
            if (kinds[i].channels % 2) /* no alpha */
                assert_int_equal(most, n);
            else
                assert_true(most >= t.n);
        }
    }
}

static void grey_of_sixteen_bits_has_to_declare_its_alpha(void **state)
{
    (void)state;
    static const kind grey = {GREY, 16, 0, 0, 0, 1};
    static tga t;
    make(&t, &grey, 0, 0);
    assert_refused(&t, t.n, "a TGA of 16-bit grey that does not say whether half of it is alpha, which cannot be read");
}

/* A run of one colour that goes on behind the last pixel hurts none. */
static void a_last_run_may_be_too_long(void **state)
{
    (void)state;
    static const kind colour = {COLOUR, 24, 0, 0, 0, 3};
    static tga t;
    make(&t, &colour, RUNS, 0);
    t.n = HEADER_BYTES;
    put(&t, 255, 1);
    put(&t, 0x010203, 3);
    for (int i = 0; i < PIXELS; i++) memcpy(t.want + 3 * i, "\1\2\3", 3);
    assert_decodes(&t, 3, "a long run");
}

static void a_few_bytes_get_no_large_memory(void **state)
{
    (void)state;
    const decode_options all = {.max_pixels = INT64_MAX};
    for (int runs = 0; runs <= RUNS; runs += RUNS) {
        uint8_t bytes[HEADER_BYTES + 3] = {
            [2] = (uint8_t)(COLOUR | runs), [12] = 255, [13] = 255, [14] = 255, [15] = 255, [16] = 32};
        image img;
        error err;
        assert_false(decode_exactly(bytes, sizeof bytes, &all, &img, &err));
        assert_string_equal(err.text, "truncated: the TGA has too few pixels");
    }
}

/* Eight pixels in a byte, rows of whole bytes, as Pillow writes them; in runs they are refused. */
static void one_bit_of_a_pixel_is_black_or_white(void **state)
{
    (void)state;
    for (int width = 1; width <= 17; width++)
        for (int flags = 0; flags <= (FROM_RIGHT | FROM_TOP); flags += FROM_RIGHT) {
            uint8_t bytes[HEADER_BYTES + 3 * HEIGHT] = {
                [2] = GREY, [12] = (uint8_t)width, [14] = HEIGHT, [16] = 1, [17] = (uint8_t)flags};
            const size_t row = ((size_t)width + 7) / 8, n = HEADER_BYTES + row * HEIGHT;
            uint32_t seed = 9;
            image img;
            error err;
            for (size_t i = HEADER_BYTES; i < n; i++) bytes[i] = (uint8_t)next_random(&seed);
            if (!decode_exactly(bytes, n, &plain, &img, &err)) fail_msg("%d pixels: %s", width, err.text);
            assert_int_equal(img.channels, 1);
            for (int y = 0; y < HEIGHT; y++)
                for (int x = 0; x < width; x++) {
                    const int stored_x = flags & FROM_RIGHT ? width - 1 - x : x,
                              stored_y = flags & FROM_TOP ? y : HEIGHT - 1 - y;
                    const uint8_t byte = bytes[HEADER_BYTES + (size_t)stored_y * row + (size_t)stored_x / 8];
                    assert_int_equal(((uint8_t *)img.data)[y * width + x], byte >> (7 - stored_x % 8) & 1 ? 255 : 0);
                }
            image_free(&img);
            assert_false(decode_exactly(bytes, n - 1, &plain, &img, &err));
            bytes[2] |= RUNS;
            assert_false(decode_exactly(bytes, n, &plain, &img, &err));
        }
}

int main(void)
{
    cmocka_set_message_output(CM_OUTPUT_TAP);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_kind_decodes_in_every_direction),
        cmocka_unit_test(what_is_cut_off_is_refused),
        cmocka_unit_test(an_index_outside_the_palette_is_refused),
        cmocka_unit_test(the_extension_area_says_what_attributes_are),
        cmocka_unit_test(an_alpha_of_nothing_is_opaque),
        cmocka_unit_test(an_extension_area_that_is_not_there_says_nothing),
        cmocka_unit_test(a_stream_with_attributes_is_read_for_its_extension_area),
        cmocka_unit_test(grey_of_sixteen_bits_has_to_declare_its_alpha),
        cmocka_unit_test(a_last_run_may_be_too_long),
        cmocka_unit_test(one_bit_of_a_pixel_is_black_or_white),
        cmocka_unit_test(a_few_bytes_get_no_large_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
