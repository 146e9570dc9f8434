/* test_channels.c - luma and single channels of every type, number of channels and shape. */
#include "channels.h" /* before cmocka, which defines fail */

#include "arrays.h"

static const sat_type types[] = {SAT_U8, SAT_U16, SAT_U32, SAT_I8, SAT_I16, SAT_I32, SAT_F32, SAT_F64};
enum { TYPES = sizeof types / sizeof *types };

static image random_image(int channels, sat_type type)
{
    image img;
    error err;
    assert_true(image_alloc(&img, random_in(1, 40), random_in(1, 9), channels, type, &err));
    const sat_view view = image_view(&img);
    randomise(&view);
    img.meta.icc = malloc(3);
    img.meta.icc_bytes = 3;
    img.meta.x_per_metre = 7;
    return img;
}

static image copy_of(const image *img)
{
    image copy;
    error err;
    assert_true(image_alloc(&copy, img->width, img->height, img->channels, img->type, &err));
    memcpy(copy.data, img->data, img->row_bytes * (size_t)img->height);
    return copy;
}

/* What is left fits its rows without gaps; a profile of colours is gone. */
static void check_shape(const image *now, const image *was, int channels)
{
    const bool colours = was->channels >= 3 && channels < 3;
    assert_int_equal(now->channels, channels);
    assert_int_equal(now->width, was->width);
    assert_int_equal(now->height, was->height);
    assert_int_equal(now->row_bytes, (size_t)now->width * (size_t)channels * sat_type_bytes(now->type));
    assert_int_equal(now->meta.icc != NULL, !colours);
    assert_int_equal(now->meta.icc_bytes, colours ? 0 : 3);
    assert_true(now->meta.x_per_metre == 7);
}

/* In thousandths, integers have the sum exactly; llround() takes halves away from zero, and 1000 has no other halves.
 */
static double luma(const sat_view *v, int64_t x, int64_t y)
{
    const double r = value_at(v, x, y, 0), g = value_at(v, x, y, 1), b = value_at(v, x, y, 2);
    if (v->type == SAT_F64) return 0.299 * r + 0.587 * g + 0.114 * b;
    if (v->type == SAT_F32) return (float)(0.299 * r + 0.587 * g + 0.114 * b);
    const int64_t sum = (int64_t)r * 299 + (int64_t)g * 587 + (int64_t)b * 114, whole = sum / 1000, rest = sum % 1000;
    return (double)(whole + (rest >= 500) - (rest <= -500));
}

static void luma_is_that_of_bt601(void **state)
{
    (void)state;
    error err;
    for (int round = 0; round < 40 * TYPES; round++) {
        const int channels = (int)random_in(1, 4), left = channels > 2 ? channels - 2 : channels;
        image img = random_image(channels, types[round % TYPES]), was = copy_of(&img);
        assert_true(image_choose_channels(&img, &(channel_choice){.gray = true}, &err));
        check_shape(&img, &was, left);
        const sat_view from = image_view(&was), to = image_view(&img);
        for (int64_t y = 0; y < img.height; y++)
            for (int64_t x = 0; x < img.width; x++) {
                const double want = channels > 2 ? luma(&from, x, y) : value_at(&from, x, y, 0);
                assert_true(value_at(&to, x, y, 0) == want);
                if (left == 2) assert_true(value_at(&to, x, y, 1) == value_at(&from, x, y, channels - 1));
            }
        image_free(&img), image_free(&was);
    }
}

static void a_channel_is_kept_as_it_is(void **state)
{
    (void)state;
    static const char names[] = "1234rgba";
    static const int index[4][8] = {{0, -1, -1, -1, -1, -1, -1, -1},
                                    {0, 1, -1, -1, -1, -1, -1, 1},
                                    {0, 1, 2, -1, 0, 1, 2, -1},
                                    {0, 1, 2, 3, 0, 1, 2, 3}};
    error err;
    for (int channels = 1; channels <= 4; channels++)
        for (int n = 0; n < 8; n++)
            for (int t = 0; t < TYPES; t++) {
                image img = random_image(channels, types[t]), was = copy_of(&img);
                const int want = index[channels - 1][n];
                const channel_choice choice = {.number = n < 4 ? n + 1 : 0, .name = n < 4 ? 0 : names[n]};
                assert_int_equal(image_choose_channels(&img, &choice, &err), want >= 0);
                check_shape(&img, &was, want < 0 ? channels : 1);
                const sat_view from = image_view(&was), to = image_view(&img);
                for (int64_t y = 0; y < img.height; y++)
                    for (int64_t x = 0; x < img.width; x++)
                        assert_true(value_at(&to, x, y, 0) == value_at(&from, x, y, want < 0 ? 0 : want));
                image_free(&img), image_free(&was);
            }
}

int main(void)
{
    cmocka_set_message_output(CM_OUTPUT_TAP);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(luma_is_that_of_bt601),
        cmocka_unit_test(a_channel_is_kept_as_it_is),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
