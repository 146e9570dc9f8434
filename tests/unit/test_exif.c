/* Exif orientation: both byte orders, and blocks that lie. */
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
        cmocka_unit_test(what_cannot_be_read_means_leave_alone),
        cmocka_unit_test(all_pixels_of_all_types_go_to_their_places),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
