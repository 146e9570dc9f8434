/* Exif: orientation, resolution and thumbnail, in both byte orders, and blocks that lie. */
#include <math.h>

#include "codec_test.h"
#include "exif.h"
#include "orient.h"

static size_t build(uint8_t *p, bool big, unsigned tag, unsigned type, unsigned count, unsigned value)
{
    const unsigned fields[][2] = {{42, 2}, {8, 4}, {1, 2}, {tag, 2}, {type, 2}, {count, 4}, {value, 2}, {0, 2}};
    size_t n = 2;
    memcpy(p, big ? "MM" : "II", 2);
    for (size_t i = 0; i < sizeof fields / sizeof fields[0]; i++) {
        for (unsigned k = 0; k < fields[i][1]; k++) {
            p[n++] = (uint8_t)(fields[i][0] >> (8 * (big ? fields[i][1] - 1 - k : k)));
        }
    }
    return n;
}

static void both_byte_orders_are_read(void **state)
{
    (void)state;
    uint8_t block[64];
    for (int big = 0; big < 2; big++) {
        for (unsigned k = 1; k <= 8; k++) {
            size_t n = build(block, big, 0x112, 3, 1, k);
            assert_int_equal(exif_orientation(block, n), (int)k);
        }
    }
}

static void what_is_written_is_read(void **state)
{
    (void)state;
    uint8_t block[EXIF_BLOCK_BYTES];
    for (int k = 1; k <= 8; k++) {
        exif_block(block, k);
        assert_int_equal(exif_orientation(block, sizeof block), k);
    }
}

static void what_cannot_be_read_means_leave_alone(void **state)
{
    (void)state;
    static const unsigned wrong[][4] = {
        {0x113, 3, 1, 6}, {0x112, 4, 1, 6}, {0x112, 3, 2, 6}, {0x112, 3, 1, 0}, {0x112, 3, 1, 9}};
    uint8_t block[64];
    for (size_t i = 0; i < 5; i++) {
        size_t n = build(block, i % 2, wrong[i][0], wrong[i][1], wrong[i][2], wrong[i][3]);
        assert_int_equal(exif_orientation(block, n), 1);
    }
    size_t n = build(block, true, 0x112, 3, 1, 6);
    for (size_t cut = 0; cut < n; cut++) {
        uint8_t *copy = malloc(cut ? cut : 1);
        assert_non_null(copy);
        memcpy(copy, block, cut);
        assert_int_equal(exif_orientation(copy, cut), 1);
        free(copy);
    }
    memset(block + 4, 0xFF, 4); /* the directory lies beyond the block */
    assert_int_equal(exif_orientation(block, n), 1);
}

enum { BLOCK = 100, THUMBNAIL_AT = 80, THUMBNAIL_BYTES = 10 };

static size_t put(uint8_t *p, size_t at, bool big, uint32_t v, size_t bytes)
{
    for (size_t k = 0; k < bytes; k++) p[at + k] = (uint8_t)(v >> 8 * (big ? bytes - 1 - k : k));
    return at + bytes;
}

static size_t entry(uint8_t *p, size_t at, bool big, unsigned tag, unsigned type, uint32_t value)
{
    at = put(p, at, big, tag, 2);
    at = put(p, at, big, type, 2);
    at = put(p, at, big, 1, 4);
    return type == 3 ? put(p, put(p, at, big, value, 2), big, 0, 2) : put(p, at, big, value, 4);
}

/* An orientation, and a directory of a thumbnail with two entries, whose pixels are 'T'. */
static void build_thumbnail(uint8_t *p, bool big, unsigned place, uint32_t at, uint32_t bytes)
{
    memset(p, 0, BLOCK);
    memcpy(p, big ? "MM" : "II", 2);
    put(p, put(p, 2, big, 42, 2), big, 8, 4);
    put(p, entry(p, put(p, 8, big, 1, 2), big, 0x112, 3, 6), big, 40, 4);
    entry(p, entry(p, put(p, 40, big, 2, 2), big, place, 4, at), big, place == 0x201 ? 0x202 : 0x117, 4, bytes);
    memset(p + THUMBNAIL_AT, 'T', THUMBNAIL_BYTES);
    memset(p + THUMBNAIL_AT + THUMBNAIL_BYTES, 'x', BLOCK - THUMBNAIL_AT - THUMBNAIL_BYTES);
}

static void no_thumbnail_is_kept(void **state)
{
    (void)state;
    static const struct {
        unsigned place;
        uint32_t at, bytes;
        bool gone;
    } all[] = {{0x201, THUMBNAIL_AT, THUMBNAIL_BYTES, true},
               {0x111, THUMBNAIL_AT, THUMBNAIL_BYTES, true},
               {0x201, THUMBNAIL_AT, BLOCK, false},
               {0x201, UINT32_MAX, UINT32_MAX, false},
               {0x201, 0, BLOCK, false},
               {0x201, 7, 2, false},
               {0x201, 9, 80, false}};
    for (int big = 0; big < 2; big++) {
        for (size_t k = 0; k < sizeof all / sizeof all[0]; k++) {
            uint8_t p[BLOCK];
            image_meta meta = {0};
            error err;
            build_thumbnail(p, big, all[k].place, all[k].at, all[k].bytes);
            assert_true(exif_keep(&meta, p, BLOCK, &err));
            const uint8_t *kept = meta.blocks[META_EXIF].bytes;
            assert_int_equal(meta.blocks[META_EXIF].n, BLOCK);
            assert_int_equal(meta.orientation, 6);
            assert_int_equal(exif_orientation(kept, BLOCK), 6);
            memset(p + 22, 0, 4); /* no other directory */
            if (all[k].gone) memset(p + THUMBNAIL_AT, 0, THUMBNAIL_BYTES);
            assert_memory_equal(kept, p, BLOCK);

            uint8_t out[BLOCK];
            meta.orientation = 0;
            assert_int_equal(exif_size(&meta, BLOCK), BLOCK);
            exif_write(out, BLOCK, &meta);
            assert_int_equal(exif_orientation(out, BLOCK), 1);
            meta_free(&meta);
        }
    }
}

/* Width and height, and so their resolutions, change places with the pixels that are turned. */
static void the_resolutions_are_turned_too(void **state)
{
    enum { X_AT = 60, Y_AT = 68 };
    (void)state;
    for (int big = 0; big < 2; big++) {
        for (int orientation = 1; orientation <= 8; orientation++) {
            for (int upright = 0; upright < 2; upright++) {
                uint8_t p[BLOCK] = {0}, out[BLOCK];
                image_meta meta = {0};
                error err;
                double x = 0, y = 0;
                memcpy(p, big ? "MM" : "II", 2);
                put(p, put(p, 2, big, 42, 2), big, 8, 4);
                size_t at = entry(p, put(p, 8, big, 3, 2), big, 0x112, 3, (uint32_t)orientation);
                entry(p, entry(p, at, big, 0x11A, 5, X_AT), big, 0x11B, 5, Y_AT);
                put(p, put(p, X_AT, big, 254, 4), big, 1, 4);
                put(p, put(p, Y_AT, big, 127, 4), big, 1, 4);
                assert_true(exif_keep(&meta, p, BLOCK, &err));
                if (upright) meta.orientation = 0;
                exif_write(out, exif_size(&meta, BLOCK), &meta);
                exif_resolution(&(meta_block){.bytes = out, .n = BLOCK}, &x, &y);
                bool turned = upright && orientation >= 5;
                assert_true(fabs(x - (turned ? 5000 : 10000)) < 1e-6 && fabs(y - (turned ? 10000 : 5000)) < 1e-6);
                meta_free(&meta);
            }
        }
    }
}

/* A block that a format has no room for is replaced by its orientation. */
static void the_orientation_of_a_long_block_is_kept(void **state)
{
    (void)state;
    uint8_t p[BLOCK], out[EXIF_BLOCK_BYTES];
    image_meta meta = {0};
    error err;
    build_thumbnail(p, true, 0x201, THUMBNAIL_AT, THUMBNAIL_BYTES);
    assert_true(exif_keep(&meta, p, BLOCK, &err));
    assert_int_equal(exif_size(&meta, BLOCK - 1), EXIF_BLOCK_BYTES);
    exif_write(out, EXIF_BLOCK_BYTES, &meta);
    assert_int_equal(exif_orientation(out, EXIF_BLOCK_BYTES), 6);
    meta.orientation = 0; /* upright: nothing is needed */
    assert_int_equal(exif_size(&meta, BLOCK - 1), 0);
    meta_free(&meta);
}

static void the_resolution_has_two_units(void **state)
{
    (void)state;
    static const struct {
        unsigned unit;
        double x, y;
    } all[] = {{2, 300 / 0.0254, 150.5 / 0.0254}, {3, 30000, 15050}, {0, 300 / 0.0254, 150.5 / 0.0254}, {1, 7, 7}};
    for (int big = 0; big < 2; big++) {
        for (size_t k = 0; k < 4; k++) {
            uint8_t p[BLOCK] = {0};
            memcpy(p, big ? "MM" : "II", 2);
            put(p, put(p, 2, big, 42, 2), big, 8, 4);
            size_t at = put(p, 8, big, all[k].unit ? 3 : 2, 2);
            at = entry(p, at, big, 0x11A, 5, 60);
            at = entry(p, at, big, 0x11B, 5, 68);
            if (all[k].unit) entry(p, at, big, 0x128, 3, all[k].unit);
            put(p, put(p, 60, big, 300, 4), big, 1, 4);
            put(p, put(p, 68, big, 301, 4), big, 2, 4);
            double x = 7, y = 7;
            for (size_t n = 0; n <= 76; n++) {
                uint8_t *copy = malloc(n ? n : 1); /* ends where the bytes end, for the sanitizers */
                assert_non_null(copy);
                memcpy(copy, p, n);
                exif_resolution(&(meta_block){.bytes = copy, .n = n}, &x, &y);
                assert_true(n == 76 || (x == 7 && y == 7));
                free(copy);
            }
            assert_true(fabs(x - all[k].x) < 1e-6 && fabs(y - all[k].y) < 1e-6);
            put(p, 72, big, 0, 4); /* divided by 0 */
            x = y = 7;
            exif_resolution(&(meta_block){.bytes = p, .n = BLOCK}, &x, &y);
            assert_true(x == 7 && y == 7);
        }
    }
}

/* Where the stored pixel (x, y) of a W x H image goes: TIFF 6.0, page 36, in words of rows and columns. */
static void place(int orientation, int64_t w, int64_t h, int64_t x, int64_t y, int64_t *to_x, int64_t *to_y)
{
    int64_t right = w - 1 - x, below = h - 1 - y;
    const int64_t where[9][2] = {{0, 0}, {x, y},     {right, y},     {right, below}, {x, below},
                                 {y, x}, {below, x}, {below, right}, {y, right}};
    *to_x = where[orientation][0];
    *to_y = where[orientation][1];
}

static void all_pixels_of_all_types_go_to_their_places(void **state)
{
    (void)state;
    static const sat_type types[] = {SAT_U8, SAT_U16, SAT_F32};
    static const int64_t sizes[][2] = {{1, 1}, {1, 9}, {9, 1}, {67, 130}, {530, 507}};
    for (int orientation = 1; orientation <= 8; orientation++) {
        for (size_t t = 0; t < 3; t++) {
            for (int channels = 1; channels <= 4; channels++) {
                for (size_t s = 0; s < 5; s++) {
                    if (s == 4 && (types[t] != SAT_U16 || channels != 3)) continue; /* the one for threads */
                    int64_t w = sizes[s][0], h = sizes[s][1];
                    image in = random_image(w, h, channels, types[t], 2),
                          out = random_image(w, h, channels, types[t], 2);
                    size_t pixel = (size_t)channels * sat_type_bytes(types[t]);
                    error err;
                    out.meta.x_per_metre = 3;
                    out.meta.y_per_metre = 4;
                    out.meta.orientation = orientation;
                    assert_true(image_orient(&out, 2, &err));
                    assert_true(out.meta.orientation <= 1);
                    assert_int_equal(out.width, orientation < 5 ? w : h);
                    assert_int_equal(out.height, orientation < 5 ? h : w);
                    assert_true(out.meta.x_per_metre == (orientation < 5 ? 3 : 4));
                    for (int64_t y = 0; y < h; y++) {
                        for (int64_t x = 0; x < w; x++) {
                            int64_t to_x, to_y;
                            place(orientation, w, h, x, y, &to_x, &to_y);
                            const uint8_t *from = (uint8_t *)in.data + (size_t)y * in.row_bytes + (size_t)x * pixel;
                            const uint8_t *to =
                                (uint8_t *)out.data + (size_t)to_y * out.row_bytes + (size_t)to_x * pixel;
                            assert_memory_equal(from, to, pixel);
                        }
                    }
                    image_free(&in);
                    image_free(&out);
                }
            }
        }
    }
}

int main(void)
{
    cmocka_set_message_output(CM_OUTPUT_TAP);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(both_byte_orders_are_read),
        cmocka_unit_test(what_is_written_is_read),
        cmocka_unit_test(no_thumbnail_is_kept),
        cmocka_unit_test(the_resolutions_are_turned_too),
        cmocka_unit_test(the_orientation_of_a_long_block_is_kept),
        cmocka_unit_test(the_resolution_has_two_units),
        cmocka_unit_test(what_cannot_be_read_means_leave_alone),
        cmocka_unit_test(all_pixels_of_all_types_go_to_their_places),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
