/* What is asked of tables, scans, and table files: each with one thing that is wrong (statuses.h). */
#include <fcntl.h>

#include "sat_lab.h"
#include "sat_query.h"
#include "scratch.h"
#include "statuses.h"

#define LARGEST ((int64_t)1 << 40)

static call all[] = {
    {"sat_table_query", NULL, 0, 0},
    {"sat_table_statistics", "sat_table_query", 0, 0},
    {"sat_table_statistics_f64", "sat_table_statistics", 0, 0},
    {"sat_query_create", "sat_table_query", ON_DEVICE | OF_RECTS, 0},
    {"sat_query_run", NULL, ON_DEVICE, 0},
    {"sat_query_statistics", "sat_query_run", ON_DEVICE | NO_DEVICE, 0},
    {"sat_query_wait", NULL, ON_DEVICE | OF_RECTS, 0},
    {"sat_scan_create", NULL, ON_DEVICE | NO_MEMORY, 0},
    {"sat_scan_run", NULL, ON_DEVICE, 0},
    {"sat_file_open", NULL, NO_MEMORY, 0}, /* test_file_memory.c */
    {"sat_file_open_memory", "sat_file_open", NO_MEMORY, 0},
    {"sat_file_table", NULL, 0, 0},
    {"sat_file_squares", "sat_file_table", 0, 0},
    {"sat_file_describe", NULL, 0, 0},
    {"sat_file_verify", NULL, 0, 0},
    {"sat_file_check_samples", NULL, 0, 0},
    {"sat_file_write", NULL, NO_MEMORY, 0},
    {"sat_file_writer_open", "sat_file_write", NO_MEMORY | NO_DEVICE, 0}, /* memory does not count */
    {"sat_file_writer_rows", NULL, 0, 0},
    {"sat_file_writer_moments", "sat_file_writer_rows", 0, 0},
    {"sat_file_writer_close", NULL, NO_MEMORY, 0},
    {NULL, NULL, 0, 0},
};

static _Alignas(64) uint8_t pixels[64], room[64];
CREATES(scan) = {.length = 8, .sample = SAT_U8};

/* ---- tables and rectangles ------------------------------------------------------------------------------ */

static uint32_t sums[9][9];
static uint64_t squares[9][9];

static sat_table table_good(void)
{
    return (sat_table){
        .view = {.data = sums, .row_bytes = sizeof *sums, .width = 9, .height = 9, .channels = 1, .type = SAT_U32},
        .layout = SAT_PADDED,
        .sample = SAT_U8};
}

static sat_table squares_good(void)
{
    return (sat_table){
        .view =
            {.data = squares, .row_bytes = sizeof *squares, .width = 9, .height = 9, .channels = 1, .type = SAT_U64},
        .layout = SAT_PADDED,
        .sample = SAT_U8,
        .power = 2};
}

/* What is asked: all calls that answer get the same. */
typedef struct question {
    sat_table t, squared;
    sat_rect rects[2];
    sat_rect_f64 reals[2];
    size_t n;
    sat_statistics ask;
    bool with_squares, no_rects;
} question;

static void ask_host(const char *fault, sat_status want, const question *q)
{
    const sat_table *squared = q->with_squares ? &q->squared : NULL;
    const sat_rect *rects = q->no_rects ? NULL : q->rects;
    const sat_rect_f64 *reals = q->no_rects ? NULL : q->reals;
    told("sat_table_statistics", fault, want, sat_table_statistics(&q->t, squared, rects, q->n, &q->ask, NULL));
    told("sat_table_statistics_f64", fault, want, sat_table_statistics_f64(&q->t, squared, reals, q->n, &q->ask, NULL));
    if (q->ask.outputs == 1 && q->ask.ddof == 0 && !q->ask.executor)
        told("sat_table_query", fault, want,
             sat_table_query(&q->t, rects, q->n, q->ask.flags, q->ask.threads, NULL, q->ask.output->values));
}

/* For a query that is made once: of what runs are asked, the rectangles and `ask`. */
static void ask_query(const char *fault, sat_status want, const question *q)
{
    const sat_query_spec spec = {.flags = q->ask.flags,
                                 .threads = q->ask.threads,
                                 .executor = q->ask.executor,
                                 .squares = q->with_squares ? &q->squared : NULL};
    sat_query *query = (sat_query *)&query;
    const sat_rect *rects = q->no_rects ? NULL : q->rects;
    const bool of_run =
        want == RECT || want == RANGE || q->no_rects || q->ask.ddof < 0 || (q->ask.outputs > 1 && !q->with_squares);
    const sat_status made = sat_query_create(&query, &q->t, &spec);
    told("sat_query_create", fault, of_run ? OK : want, made);
    if (made != OK) {
        assert_null(query);
        return;
    }
    told("sat_query_statistics", fault, want, sat_query_statistics(query, rects, q->n, &q->ask, NULL));
    if (want == OK) {
        told("sat_query_run", "ended", CANCELLED, sat_query_run(query, rects, q->n, NULL, NULL, &ended));
        told("sat_query_statistics", "ended", CANCELLED, sat_query_statistics(query, rects, q->n, &q->ask, &ended));
    }
    if (q->ask.outputs == 1 && q->ask.ddof == 0)
        told("sat_query_run", fault, want, sat_query_run(query, rects, q->n, NULL, q->ask.output->values, NULL));
    sat_query_destroy(&query);
}

#define ASK(want, ...)                                                                                                 \
    do {                                                                                                               \
        double means[2], variances[2];                                                                                 \
        const sat_rect_output output[] = {{"mean", means}, {"var", variances}};                                        \
        question q = {.t = table_good(), .squared = squares_good(), .n = 2};                                           \
        q.rects[0] = q.rects[1] = (sat_rect){1, 1, 2, 2};                                                              \
        q.reals[0] = q.reals[1] = (sat_rect_f64){1, 1, 2, 2};                                                          \
        q.ask.output = output, q.ask.outputs = 1;                                                                      \
        __VA_ARGS__;                                                                                                   \
        ask_host(#__VA_ARGS__, want, &q);                                                                              \
        if (q.t.view.memory == SAT_HOST) ask_query(#__VA_ARGS__, want, &q);                                            \
    } while (0)
#define SQUARES(want, ...)   ASK(want, q.with_squares = true; q.ask.outputs = 2; __VA_ARGS__)
#define RECTANGLE(want, ...) ASK(want, q.rects[1] = (sat_rect){__VA_ARGS__}; q.reals[1] = (sat_rect_f64){__VA_ARGS__})

static void tables(void **state)
{
    (void)state;
    ASK(OK, (void)q);
    ASK(ARGUMENT, q.t.view.data = NULL);
    ASK(ARGUMENT, q.t.view.type = (sat_type)99);
    ASK(ARGUMENT, q.t.view.memory = (sat_memory)2);
    ASK(ARGUMENT, q.t.view.reserved = 1);
    ASK(ARGUMENT, q.t.view.row_bytes++);
    ASK(ARGUMENT, q.t.layout = (sat_layout)3);
    ASK(ARGUMENT, q.t.power = 3);
    ASK(ARGUMENT, q.t.reserved[0] = true);
    ASK(ARGUMENT, q.t.sample = SAT_F32; q.t.view.type = SAT_Q32);
    ASK(ARGUMENT, q.ask.flags = 2);
    ASK(ARGUMENT, q.ask.threads = -1);
    ASK(ARGUMENT, q.ask.executor = &idle);
    ASK(ARGUMENT, q.ask.ddof = -1);
    ASK(ARGUMENT, q.no_rects = true);
    ASK(SHAPE, q.t.view.width = 1);
    ASK(SHAPE, q.t.view.channels = 5);
    ASK(SHAPE, q.t.view.count = -1);
    ASK(SHAPE, q.t.view.row_bytes = 32);
    ASK(TYPE, q.t.view.type = SAT_U8);
    ASK(TYPE, q.t.sample = SAT_TYPE_NONE);
    ASK(TYPE, q.t.sample = SAT_F32);
    ASK(TYPE, q.t.sample = SAT_I8);
    ASK(UNAVAILABLE, q.t.view.memory = SAT_DEVICE);
    RECTANGLE(RECT, 1, 1, 0, 2);
    RECTANGLE(RECT, 1, 1, 2, -1);
    RECTANGLE(RECT, 7, 0, 2, 1);
    RECTANGLE(RECT, -1, 0, 2, 1);
    ASK(RANGE, q.t.sample = SAT_U32);
    ASK(RANGE, q.t.layout = SAT_EXCLUSIVE; q.rects[1].x = 7; q.reals[1].x = 7);
    SQUARES(OK, (void)q);
    SQUARES(ARGUMENT, q.with_squares = false);
    SQUARES(ARGUMENT, q.squared.power = 1);
    SQUARES(ARGUMENT, q.t.power = 2; q.t.view.type = SAT_U32);
    SQUARES(ARGUMENT, q.squared.view.data = NULL);
    SQUARES(SHAPE, q.squared.view.height--);
    SQUARES(TYPE, q.squared.sample = SAT_U16);
    SQUARES(TYPE, q.squared.view.type = SAT_F32);
    SQUARES(RANGE, q.squared.view.type = SAT_U32; q.t.sample = q.squared.sample = SAT_U16);

    double means[1];
    int64_t areas[1];
    const sat_rect_output mean = {"mean", means}, twice[] = {mean, mean}, unknown = {"mode", means},
                          nowhere = {"mean", NULL};
    const sat_table t = table_good();
    sat_statistics ask = {.output = &mean, .outputs = 1};
    const sat_rect_f64 nan_side = {0, 0, NAN, 1}, no_side = {1e15, 0, 1e-9, 1}, good = {0.5, 0.5, 1, 1};
    const sat_rect rect = {0, 0, 1, 1};
    const sat_statistics wrong[] = {{.output = twice, .outputs = 2},
                                    {.output = &unknown, .outputs = 1},
                                    {.output = &nowhere, .outputs = 1},
                                    {.outputs = 1},
                                    {.outputs = -1},
                                    {.reserved_word = 1}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        told("sat_table_statistics", "a statistic", ARGUMENT,
             sat_table_statistics(&t, NULL, &rect, 1, &wrong[i], NULL));
        told("sat_table_statistics_f64", "a statistic", ARGUMENT,
             sat_table_statistics_f64(&t, NULL, &good, 1, &wrong[i], NULL));
    }
    told("sat_table_statistics_f64", "NaN", RECT, sat_table_statistics_f64(&t, NULL, &nan_side, 1, &ask, NULL));
    told("sat_table_statistics_f64", "edges that are one", RECT,
         sat_table_statistics_f64(&t, NULL, &no_side, 1, &ask, NULL));
    told("sat_table_statistics", "ended", CANCELLED, sat_table_statistics(&t, NULL, NULL, 0, &ask, &ended));
    told("sat_table_statistics_f64", "ended", CANCELLED, sat_table_statistics_f64(&t, NULL, &good, 1, &ask, &ended));
    ask.areas = areas;
    told("sat_table_statistics_f64", "areas", ARGUMENT, sat_table_statistics_f64(&t, NULL, &good, 1, &ask, NULL));

    sat_query *query;
    sat_query_spec spec = {.allocator = &halved};
    told("sat_query_create", "no release()", ARGUMENT, sat_query_create(&query, &t, &spec));
    spec.allocator = &nothing;
    told("sat_query_create", "no memory", MEMORY, sat_query_create(&query, &t, &spec));
    told("sat_query_create", "no place", ARGUMENT, sat_query_create(NULL, &t, NULL));
    told("sat_query_run", "no query", ARGUMENT, sat_query_run(NULL, NULL, 0, NULL, NULL, NULL));
    told("sat_query_statistics", "no query", ARGUMENT, sat_query_statistics(NULL, NULL, 0, &ask, NULL));
    told("sat_query_wait", "no query", ARGUMENT, sat_query_wait(NULL, NULL));
    if (has_device()) {
        call_of("sat_query_create")->unseen |= NO_DEVICE;
        return;
    }
    sat_table there = table_good();
    there.view.memory = SAT_DEVICE;
    told("sat_query_create", "no device", UNAVAILABLE, sat_query_create(&query, &there, NULL));
}

static void scans(void **state)
{
    (void)state;
    ROW(scan, OK, (void)s);
    ROW(scan, SHAPE, s.length = 0);
    ROW(scan, SHAPE, s.length = LARGEST + 1);
    ROW(scan, TYPE, s.sample = SAT_TYPE_NONE);
    ROW(scan, TYPE, s.sample = SAT_F32; s.accum = SAT_Q32);
    ROW(scan, TYPE, s.sample = SAT_U64; s.accum = SAT_F64);
    ROW(scan, ARGUMENT, s.memory = (sat_memory)2);
    ROW(scan, ARGUMENT, s.block_threads = -1);
    ROW(scan, UNAVAILABLE, s.method = "abacus");
    ROW(scan, UNAVAILABLE, s.method = "serial"; s.block_threads = 7);
    scan_made("no spec", ARGUMENT, NULL);
    told("sat_scan_create", "no place", ARGUMENT, sat_scan_create(NULL, &scan_good));
    sat_scan *scan;
    assert_int_equal(sat_scan_create(&scan, &scan_good), OK);
    told("sat_scan_run", "", OK, sat_scan_run(scan, pixels, room, NULL));
    told("sat_scan_run", "no input", ARGUMENT, sat_scan_run(scan, NULL, room, NULL));
    told("sat_scan_run", "overlap", ARGUMENT, sat_scan_run(scan, pixels, pixels, NULL));
    told("sat_scan_run", "not aligned", ARGUMENT, sat_scan_run(scan, pixels, room + 1, NULL));
    told("sat_scan_run", "no scan", ARGUMENT, sat_scan_run(NULL, pixels, room, NULL));
    sat_scan_destroy(&scan);
}

/* ---- files ---------------------------------------------------------------------------------------------- */

static char path[96], other[96];

/* In a copy `t` of a good table, or in `o`, that is wrong. */
#define WRITE(want, ...)                                                                                               \
    do {                                                                                                               \
        sat_table t = table_good();                                                                                    \
        sat_file_write_options o = {.writer = "test"};                                                                 \
        const char *to = path;                                                                                         \
        sat_file_writer *writer = (sat_file_writer *)&writer;                                                          \
        __VA_ARGS__;                                                                                                   \
        told("sat_file_write", #__VA_ARGS__, want, sat_file_write(to, &t, &o));                                        \
        const bool of_rows = !t.view.data || t.view.memory != SAT_HOST || t.view.row_bytes < 36;                       \
        const sat_status have = sat_file_writer_open(&writer, to, &t, &o);                                             \
        told("sat_file_writer_open", #__VA_ARGS__, of_rows ? OK : want, have);                                         \
        if (have != OK) assert_null(writer);                                                                           \
        sat_file_writer_abort(&writer);                                                                                \
        unlink(path);                                                                                                  \
    } while (0)

static void writing(void **state)
{
    (void)state;
    snprintf(path, sizeof path, "%s/t.npy", scratch);
    snprintf(other, sizeof other, "%s/none/t.npy", scratch);
    WRITE(OK, (void)t);
    WRITE(ARGUMENT, to = NULL);
    WRITE(ARGUMENT, t.view.data = NULL);
    WRITE(ARGUMENT, t.view.memory = (sat_memory)2);
    WRITE(ARGUMENT, t.view.reserved = 1);
    WRITE(ARGUMENT, t.reserved[2] = true);
    WRITE(ARGUMENT, t.layout = (sat_layout)3);
    WRITE(ARGUMENT, t.power = 2);
    WRITE(ARGUMENT, o.writer = "");
    WRITE(ARGUMENT, o.writer = "a\nb");
    WRITE(ARGUMENT, o.writer = "a name of more than 31 characters");
    WRITE(ARGUMENT, o.moments = 3);
    WRITE(ARGUMENT, o.reserved[3] = true);
    WRITE(ARGUMENT, o.has_nodata = true);
    WRITE(ARGUMENT, t.power = SAT_COUNTS);
    WRITE(ARGUMENT, o.reserved_word = 1);
    WRITE(ARGUMENT, t.view.type = SAT_Q32; t.sample = SAT_F32);
    WRITE(ARGUMENT, t.view.type = SAT_Q32; t.sample = SAT_F32; t.quant = ((sat_quant){0, 0.3, 255}));
    WRITE(OK, t.view.type = SAT_Q32; t.sample = SAT_F32; t.quant = ((sat_quant){0, 0.25, 255}));
    WRITE(SHAPE, t.view.width = 1);
    WRITE(SHAPE, t.view.height = 0);
    WRITE(SHAPE, t.view.channels = 5);
    WRITE(SHAPE, t.view.count = 2);
    WRITE(SHAPE, t.view.row_bytes = 35);
    WRITE(SHAPE, t.view.pixel_bytes = 8; t.view.row_bytes = 72);
    WRITE(TYPE, t.sample = SAT_F32);
    WRITE(TYPE, t.sample = SAT_TYPE_NONE);
    WRITE(TYPE, t.view.type = SAT_U8);
    WRITE(TYPE, t.view.type = (sat_type)99);
    WRITE(UNAVAILABLE, t.view.memory = SAT_DEVICE);
    WRITE(BROKEN, to = other);
    WRITE(BROKEN, to = scratch);
    WRITE(BROKEN, o.no_clobber = true; to = "/dev/fd/987");
    sat_table t = table_good();
    told("sat_file_write", "no counts", ARGUMENT, sat_file_write(path, &t, &(sat_file_write_options){.counts = true}));
    told("sat_file_write", "no table", ARGUMENT, sat_file_write(path, NULL, NULL));
}

/* In a copy `v` of a good band, that is wrong; two: of a file of sums and squares, whose squares are `v2`. */
static void band(const char *fault, sat_status want, bool two, const sat_view *v, const sat_view *v2)
{
    const sat_table t = table_good();
    const sat_file_write_options o = {.moments = two ? 2 : 1};
    sat_file_writer *writer;
    assert_int_equal(sat_file_writer_open(&writer, path, &t, &o), OK);
    if (two)
        told("sat_file_writer_moments", fault, want, sat_file_writer_moments(writer, v, v2));
    else
        told("sat_file_writer_rows", fault, want, sat_file_writer_rows(writer, v));
    const bool whole = want == OK && v->height == 9;
    told("sat_file_writer_close", fault, whole ? OK : SHAPE, sat_file_writer_close(&writer));
    assert_null(writer);
}
#define BAND(want, ...)                                                                                                \
    do {                                                                                                               \
        const sat_table good = table_good();                                                                           \
        sat_view v = good.view, v2 = good.view;                                                                        \
        (void)v2;                                                                                                      \
        __VA_ARGS__;                                                                                                   \
        band(#__VA_ARGS__, want, false, &v, NULL);                                                                     \
        band(#__VA_ARGS__, want, true, &v, &v2);                                                                       \
        band(#__VA_ARGS__, want, true, want == OK ? &v : &v2, &v);                                                     \
    } while (0)

static void bands(void **state)
{
    (void)state;
    BAND(OK, (void)v);
    BAND(OK, v.height = v2.height = 3);
    BAND(ARGUMENT, v.data = NULL);
    BAND(ARGUMENT, v.memory = (sat_memory)2);
    BAND(ARGUMENT, v.reserved = 1);
    BAND(SHAPE, v.width = 8);
    BAND(SHAPE, v.height = 10);
    BAND(SHAPE, v.channels = 2; v.row_bytes = 72);
    BAND(SHAPE, v.row_bytes = 35);
    BAND(SHAPE, v.count = 2);
    BAND(TYPE, v.type = SAT_F32);
    BAND(TYPE, v.type = SAT_I32);
    BAND(UNAVAILABLE, v.memory = SAT_DEVICE);
}

static void writers(void **state)
{
    const sat_table t = table_good();
    const sat_view v = t.view;
    const sat_file_write_options two = {.moments = 2};
    sat_file_writer *writer;
    (void)state;
    told("sat_file_writer_rows", "no writer", ARGUMENT, sat_file_writer_rows(NULL, &v));
    told("sat_file_writer_moments", "no writer", ARGUMENT, sat_file_writer_moments(NULL, &v, &v));
    told("sat_file_writer_close", "no writer", ARGUMENT, sat_file_writer_close(NULL));
    assert_int_equal(sat_file_writer_open(&writer, path, &t, NULL), OK);
    told("sat_file_writer_moments", "of one moment", ARGUMENT, sat_file_writer_moments(writer, &v, &v));
    sat_file_writer_abort(&writer);
    assert_int_equal(sat_file_writer_open(&writer, path, &t, &two), OK);
    told("sat_file_writer_rows", "of two moments", ARGUMENT, sat_file_writer_rows(writer, &v));
    sat_file_writer_abort(&writer);

    /* More than a buffer, to a device that is full. */
    static uint32_t large[1 << 19];
    if (access("/dev/full", W_OK) != 0) {
        for (call *c = all; c->name; c++) c->unseen |= 1 << BROKEN;
        skip();
    }
    const sat_table big = {
        .view =
            {.data = large, .row_bytes = sizeof large, .width = 1 << 19, .height = 1, .channels = 1, .type = SAT_U32},
        .layout = SAT_INCLUSIVE,
        .sample = SAT_U8};
    assert_int_equal(sat_file_writer_open(&writer, "/dev/full", &big, NULL), OK);
    told("sat_file_writer_rows", "a full disk", BROKEN, sat_file_writer_rows(writer, &big.view));
    sat_file_writer_abort(&writer);
    assert_int_equal(sat_file_writer_open(&writer, "/dev/full", &big, &two), OK);
    told("sat_file_writer_moments", "a full disk", BROKEN, sat_file_writer_moments(writer, &big.view, &big.view));
    sat_file_writer_abort(&writer);
    assert_int_equal(sat_file_writer_open(&writer, "/dev/full", &t, NULL), OK);
    assert_int_equal(sat_file_writer_rows(writer, &t.view), OK);
    told("sat_file_writer_close", "a full disk", BROKEN, sat_file_writer_close(&writer));
}

static void reading(void **state)
{
    static uint64_t bytes[1 << 10];
    const sat_table t = table_good();
    sat_table read;
    sat_file_info info;
    sat_file *file = (sat_file *)&file;
    (void)state;
    assert_int_equal(sat_file_write(path, &t, NULL), OK);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    const size_t n = (size_t)pread(fd, bytes, sizeof bytes, 0);
    close(fd);
    sat_file_options o = {.layout = (sat_layout)3};
    told("sat_file_open", "layout", ARGUMENT, sat_file_open(&file, path, &o));
    assert_null(file);
    told("sat_file_open_memory", "layout", ARGUMENT, sat_file_open_memory(&file, bytes, n, &o));
    o = (sat_file_options){.sample = (sat_type)99};
    told("sat_file_open", "sample", ARGUMENT, sat_file_open(&file, path, &o));
    o = (sat_file_options){.reserved = {true}};
    told("sat_file_open", "reserved", ARGUMENT, sat_file_open(&file, path, &o));
    told("sat_file_open", "no path", ARGUMENT, sat_file_open(&file, NULL, NULL));
    told("sat_file_open", "no place", ARGUMENT, sat_file_open(NULL, path, NULL));
    told("sat_file_open", "no file", BROKEN, sat_file_open(&file, other, NULL));
    told("sat_file_open", "a folder", BROKEN, sat_file_open(&file, scratch, NULL));
    told("sat_file_open_memory", "cut", BROKEN, sat_file_open_memory(&file, bytes, n - 8, NULL));
    told("sat_file_open_memory", "no bytes", BROKEN, sat_file_open_memory(&file, bytes, 0, NULL));
    told("sat_file_open_memory", "no memory", ARGUMENT, sat_file_open_memory(&file, NULL, n, NULL));
    told("sat_file_open_memory", "no multiple of 8", ARGUMENT, sat_file_open_memory(&file, (char *)bytes + 4, n, NULL));
    told("sat_file_open", "", OK, sat_file_open(&file, path, NULL));
    told("sat_file_table", "no table", ARGUMENT, sat_file_table(file, NULL));
    told("sat_file_table", "no file", ARGUMENT, sat_file_table(NULL, &read));
    told("sat_file_squares", "no table", ARGUMENT, sat_file_squares(file, NULL));
    told("sat_file_squares", "sums alone", UNAVAILABLE, sat_file_squares(file, &read));
    told("sat_file_describe", "no place", ARGUMENT, sat_file_describe(file, NULL));
    told("sat_file_describe", "no file", ARGUMENT, sat_file_describe(NULL, &info));
    told("sat_file_verify", "no file", ARGUMENT, sat_file_verify(NULL));
    told("sat_file_check_samples", "no file", ARGUMENT, sat_file_check_samples(NULL));
    sat_file_close(&file);

    bytes[4096 / 8]++; /* the table's first entry */
    told("sat_file_open_memory", "", OK, sat_file_open_memory(&file, bytes, n, NULL));
    told("sat_file_verify", "damaged", BROKEN, sat_file_verify(file));
    sat_file_close(&file);
    bytes[4096 / 8] = 900;
    o = (sat_file_options){.foreign = true, .layout = SAT_INCLUSIVE};
    told("sat_file_open_memory", "foreign", OK, sat_file_open_memory(&file, bytes, 4096 + 9 * 36, &o));
    told("sat_file_verify", "no trailer", BROKEN, sat_file_verify(file));
    told("sat_file_check_samples", "900 of u8", BROKEN, sat_file_check_samples(file));
    sat_file_close(&file);
}

int main(void)
{
    calls = all;
    cmocka_set_message_output(CM_OUTPUT_TAP);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tables),
        cmocka_unit_test(scans),
        cmocka_unit_test(writing),
        cmocka_unit_test(bands),
        cmocka_unit_test(writers),
        cmocka_unit_test(reading),
        cmocka_unit_test(headers_and_calls_agree),
    };
    return cmocka_run_group_tests(tests, scratch_make, scratch_remove);
}
