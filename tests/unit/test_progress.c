/* The progress bar: its line is computed from numbers, and codecs report all of their pixels, part by part. */
#include "codec_test.h"

#undef fail
#include "../../src/cli/progress.c"

/* As near as sums of doubles come. */
static void assert_near(double is, double want)
{
    assert_true(fabs(is - want) <= 1e-9 * (1 + want));
}

static const char *line_of(progress_state s)
{
    static char line[LINE_BYTES];
    if (s.columns == 0) s.columns = 80;
    return progress_line(&s, line, sizeof line);
}

static void the_line(void **state)
{
    (void)state;
    assert_string_equal(line_of((progress_state){.steps = 1, .label = "decode"}),
                        "[                              ]   0%  decode");
    assert_string_equal(line_of((progress_state){.steps = 1, .now = {2, 0.5, 50e6}, .label = "compute"}),
                        "[===============               ]  50%  25 Mpx/s  2 s left  compute");
    assert_string_equal(line_of((progress_state){.steps = 8, .whole = 1, .now = {10, 2.5, 5e6}, .label = "files"}),
                        "[=========                     ]  31%  1 of 8  0.5 Mpx/s  22 s left  files");
    assert_string_equal(line_of((progress_state){.steps = 4, .whole = 4, .now = {9, 4, 0}, .label = "files"}),
                        "[==============================] 100%  4 of 4  files");
    assert_string_equal(line_of((progress_state){.steps = 1, .now = {0, 0.5, 0}, .colour = true, .label = ""}),
                        "[\033[36m===============               \033[0m]  50%  ");
}

static void the_line_fits_the_terminal(void **state)
{
    (void)state;
    static const struct {
        int columns;
        const char *line;
    } cases[] = {
        {75, "[=========                     ]  31%  1 of 8  0.5 Mpx/s  22 s left  files"},
        {74, "[=========                    ]  31%  1 of 8  0.5 Mpx/s  22 s left  files"},
        {51, "[=     ]  31%  1 of 8  0.5 Mpx/s  22 s left  files"},
        {50, " 31%  1 of 8  0.5 Mpx/s  22 s left  files"},
        {42, " 31%  1 of 8  0.5 Mpx/s  22 s left  files"},
        {41, " 31%  1 of 8  22 s left  files"},
        {31, " 31%  1 of 8  22 s left  files"},
        {30, " 31%  1 of 8  22 s left"},
        {23, " 31%  1 of 8"},
        {12, " 31%"},
        {4, " 31"},
        {1, ""},
    };
    progress_state s = {.steps = 8, .whole = 1, .now = {10, 2.5, 5e6}, .label = "files"};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        s.columns = cases[i].columns;
        assert_string_equal(line_of(s), cases[i].line);
    }
    s = (progress_state){.steps = INT64_MAX, .whole = INT64_MAX, .now = {1e9, 1, 1e30}, .label = "files"};
    for (s.columns = 1; s.columns < 300; s.columns++) assert_true(strlen(line_of(s)) < (size_t)s.columns);
}

static void time_left(void **state)
{
    (void)state;
    static const struct {
        double done, seconds;
        const char *says;
    } cases[] = {
        {0.01, 1, "  99 s left"},      {0.5, 118.5, "  119 s left"}, {0.5, 121, "  3 min left"},
        {0.5, 7199, "  120 min left"}, {0.5, 7201, "  3 h left"},    {0.75, 90, "  30 s left"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char want[64];
        snprintf(want, sizeof want, "%%%s  x", cases[i].says);
        progress_state s = {.steps = 1, .now = {cases[i].seconds, cases[i].done, 0}, .label = "x"};
        assert_string_equal(strchr(line_of(s), '%'), want);
    }
}

static void the_pace_is_that_of_late(void **state)
{
    (void)state;
    progress_state s = {.steps = 1, .label = "x"};
    s.now = (progress_moment){1, 0.5, 5e6}; /* a fast stage, then a slow one: 1 in 100 in each second */
    progress_remember(&s);
    for (int i = 1; i < PROGRESS_PAST; i++) {
        s.now = (progress_moment){1 + i, 0.5 + 0.01 * i, 5e6 + 1e5 * i};
        progress_remember(&s);
    }
    s.now = (progress_moment){11, 0.605, 6.05e6};
    assert_string_equal(line_of(s), "[==================            ]  60%  0.1 Mpx/s  38 s left  x");
    for (int i = 0; i < PROGRESS_PAST; i++) progress_remember(&s);
    s.now.seconds = 20; /* nothing has been done since */
    assert_string_equal(line_of(s), "[==================            ]  60%  x");
}

static void too_long_a_label_is_cut(void **state)
{
    (void)state;
    char line[20];
    progress_state s = {.steps = 3, .label = "a label", .columns = 80};
    memset(line, 'x', sizeof line);
    progress_line(&s, line, sizeof line);
    assert_int_equal(strlen(line), sizeof line - 1);
}

static void a_step_is_counted_while_it_is_on_its_way(void **state)
{
    (void)state;
    progress_item item = {0};
    bar.state = (progress_state){.steps = 2, .label = ""};
    progress_stage(&item, 0.5);
    progress_more(&item, 0.5);
    assert_near(bar.state.now.done, 0.25);
    progress_pixels(&item, 1000); /* known late: what was done before counts */
    assert_near(bar.state.now.pixels, 250);
    progress_more(&item, 0.9); /* more than there is */
    assert_near(bar.state.now.done, 0.5);
    progress_stage(&item, 0.25);
    progress_stage(&item, 0.25); /* of the stage before nothing was reported */
    assert_near(bar.state.now.done, 0.75);
    progress_finish(&item);
    assert_near(bar.state.now.done, 1);
    assert_near(bar.state.now.pixels, 1000);
    assert_int_equal(bar.state.whole, 1);
}

typedef struct parts {
    pthread_mutex_t lock;
    int calls;
    double sum, largest;
} parts;

static void add_part(void *context, double part)
{
    parts *p = context;
    pthread_mutex_lock(&p->lock);
    p->calls++;
    p->sum += part;
    if (part > p->largest) p->largest = part;
    pthread_mutex_unlock(&p->lock);
}

static void png_reports_its_pixels(void **state)
{
    (void)state;
    for (int threads = 1; threads <= 2; threads++) {
        image img = random_image(1500, 1000, 3, SAT_U8, 1), back;
        parts written = {.lock = PTHREAD_MUTEX_INITIALIZER}, read = {.lock = PTHREAD_MUTEX_INITIALIZER};
        uint8_t *bytes;
        size_t n;
        error err;
        encode_options encode = {.threads = threads, .progress = {add_part, &written}};
        decode_options decode = {.max_pixels = 1 << 24, .threads = threads, .progress = {add_part, &read}};
        assert_true(encode_to_memory(&format_png, &img, &encode, &bytes, &n, &err));
        assert_true(format_png.decode(bytes, n, &decode, &back, &err));
        assert_near(written.sum, 1);
        assert_near(read.sum, 1);
        assert_true(written.calls > 4 && written.largest < 0.25);
        assert_true(read.calls > 4 && read.largest < 0.25);
        image_free(&img);
        image_free(&back);
        free(bytes);
    }
}

/* Those whose writer is stb_image_write, which writes all pixels in one step. */
static bool reports_writing(const image_format *format)
{
    return strcmp(format->name, "tga") != 0 && (SAT_WITH_LIBJPEG || strcmp(format->name, "jpeg") != 0);
}

static bool reports_reading(const image_format *format)
{
    return SAT_WITH_LIBJPEG || strcmp(format->name, "jpeg") != 0;
}

/* Every format, each type that it holds, and so few rows that each is a part. */
static void all_formats_report_their_pixels(void **state)
{
    static const sat_type types[] = {SAT_U8, SAT_U16, SAT_F32};
    (void)state;
    for (size_t i = 0; format_at(i); i++) {
        const image_format *format = format_at(i);
        int written_types = 0;
        if (!format->encode || !format->decode) continue; /* TIFF, in a build without libtiff */
        for (size_t k = 0; k < 2 * sizeof types / sizeof *types; k++) {
            int64_t rows = k % 2 ? 1000 : 3;
            image img = random_image(200, rows, 3, types[k / 2], 1), back;
            parts written = {.lock = PTHREAD_MUTEX_INITIALIZER}, read = {.lock = PTHREAD_MUTEX_INITIALIZER};
            uint8_t *bytes = NULL;
            size_t n;
            error err;
            encode_options encode = {.threads = 1, .progress = {add_part, &written}};
            decode_options decode = {.max_pixels = 1 << 24, .threads = 1, .progress = {add_part, &read}};
            for (size_t j = 0; types[k / 2] == SAT_F32 && j < 3 * 200 * (size_t)rows; j++)
                ((float *)img.data)[j] = (float)j;
            if (format->holds(types[k / 2], 3, &err)) {
                assert_true(encode_to_memory(format, &img, &encode, &bytes, &n, &err));
                assert_true(format->decode(bytes, n, &decode, &back, &err));
                if (reports_writing(format)) assert_near(written.sum, 1);
                if (reports_reading(format)) assert_near(read.sum, 1);
                if (rows > 100 && reports_reading(format) && format != &format_png && format != &format_tiff) {
                    assert_true(read.calls > 30 && read.calls <= 65 && read.largest < 0.04);
                    assert_true(!reports_writing(format) || (written.calls > 30 && written.largest < 0.04));
                }
                image_free(&back);
                written_types++;
            }
            image_free(&img);
            free(bytes);
        }
        assert_true(written_types > 0);
    }
}

/* Text and bits, which are read alone; several scans of a JPEG. */
static void what_is_read_alone_reports_its_pixels(void **state)
{
    static const char *const files[] = {"P3 1 2 255 1 2 3 4 5 6", "P1 2 3 010101", "P4 8 2\nxy"};
    (void)state;
    for (size_t i = 0; i < 3 + SAT_WITH_LIBJPEG; i++) {
        parts read = {.lock = PTHREAD_MUTEX_INITIALIZER};
        decode_options decode = {.max_pixels = 1 << 24, .threads = 1, .progress = {add_part, &read}};
        image img;
        error err;
        assert_true(i < 3 ? decode_exactly((const uint8_t *)files[i], strlen(files[i]), &decode, &img, &err)
                          : image_read(FIXTURES "progressive.jpg", &decode, &img, NULL, &err));
        assert_near(read.sum, 1);
        assert_true(read.calls > 1);
        image_free(&img);
    }
}

static void an_interlaced_png_does_too(void **state)
{
    (void)state;
    static const char path[] = FIXTURES "c2d8i.png";
    parts read = {.lock = PTHREAD_MUTEX_INITIALIZER};
    decode_options decode = {.max_pixels = 1 << 24, .threads = 1, .progress = {add_part, &read}};
    image img;
    error err;
    assert_true(image_read(path, &decode, &img, NULL, &err));
    assert_near(read.sum, 1);
    assert_int_equal(read.calls, 7);
    image_free(&img);
}

/* The last one: its standard error is gone. */
static void the_width_without_a_terminal(void **state)
{
    (void)state;
    static const struct {
        const char *columns;
        int is;
    } cases[] = {{"40", 40}, {"1", 1}, {"", 80}, {"0", 80}, {"-3", 80}, {"wide", 80}, {"99999999999", 80}};
    assert_non_null(freopen("/dev/null", "w", stderr));
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        setenv("COLUMNS", cases[i].columns, 1);
        assert_int_equal(terminal_columns(), cases[i].is);
    }
    unsetenv("COLUMNS");
    assert_int_equal(terminal_columns(), 80);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_line),
        cmocka_unit_test(the_line_fits_the_terminal),
        cmocka_unit_test(time_left),
        cmocka_unit_test(the_pace_is_that_of_late),
        cmocka_unit_test(too_long_a_label_is_cut),
        cmocka_unit_test(a_step_is_counted_while_it_is_on_its_way),
        cmocka_unit_test(png_reports_its_pixels),
        cmocka_unit_test(an_interlaced_png_does_too),
        cmocka_unit_test(all_formats_report_their_pixels),
        cmocka_unit_test(what_is_read_alone_reports_its_pixels),
        cmocka_unit_test(the_width_without_a_terminal),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
