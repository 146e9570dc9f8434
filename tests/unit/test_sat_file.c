/* sat_file.h as programs use it: a table goes to a file and comes back, is asked through sat.h; what is broken, cut or
 * wrong is refused with a status and one line. */
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sat_file.h"
#include "scratch.h"
#include <cmocka.h>

enum { W = 600, H = 50, PAGE = 4096, TRAILER = 192 };

static int64_t sums[H + 1][W + 1];
static char path[96];

static sat_table table_of_ones(void)
{
    for (int y = 0; y <= H; y++)
        for (int x = 0; x <= W; x++) sums[y][x] = (int64_t)x * y;
    return (sat_table){
        .view =
            {.data = sums, .row_bytes = sizeof *sums, .width = W + 1, .height = H + 1, .channels = 1, .type = SAT_I64},
        .layout = SAT_PADDED,
        .sample = SAT_U8};
}

static void write_ones(void)
{
    sat_table table = table_of_ones();
    snprintf(path, sizeof path, "%s/t.npy", scratch);
    assert_int_equal(sat_file_write(path, &table, NULL), SAT_OK);
}

static void assert_one_line(sat_status have, sat_status want, const char *text)
{
    assert_int_equal(have, want);
    assert_non_null(strstr(sat_detail(), text));
    assert_null(strchr(sat_detail(), '\n'));
}

static void assert_no_file(void)
{
    struct stat st;
    assert_int_not_equal(stat(path, &st), 0);
}

static void flip(off_t at)
{
    uint8_t byte;
    int fd = open(path, O_RDWR | O_CLOEXEC);
    assert_int_equal(pread(fd, &byte, 1, at), 1);
    byte ^= 1;
    assert_int_equal(pwrite(fd, &byte, 1, at), 1);
    close(fd);
}

static void a_table_comes_back_and_is_asked(void **state)
{
    sat_file *file;
    sat_table table;
    sat_file_info info;
    sat_sum sum;
    double mean;
    sat_rect rect = {.x = 100, .y = 7, .width = 211, .height = 40};
    (void)state;
    write_ones();
    assert_int_equal(sat_file_open(&file, path, NULL), SAT_OK);
    assert_int_equal(sat_file_table(file, &table), SAT_OK);
    assert_int_equal(table.layout, SAT_PADDED);
    assert_int_equal(table.sample, SAT_U8);
    assert_int_equal(table.view.type, SAT_I64);
    assert_int_equal((uintptr_t)table.view.data % PAGE, 0);
    assert_memory_equal(table.view.data, sums, sizeof sums);
    assert_int_equal(sat_table_query(&table, &rect, 1, 0, 1, &sum, &mean), SAT_OK);
    assert_true(sum.i == 211 * 40 && mean == 1);
    assert_int_equal(sat_file_verify(file), SAT_OK);
    assert_int_equal(sat_file_check_samples(file), SAT_OK);

    assert_int_equal(sat_file_describe(file, &info), SAT_OK);
    assert_true(info.width == W && info.height == H && info.data_offset == PAGE && info.data_bytes == sizeof sums);
    assert_true(info.has_trailer && info.is_mapped && !info.looks_padded && info.checksum != 0);
    assert_string_equal(info.entry, "i64");
    assert_string_equal(info.moment, "sum");
    assert_string_equal(info.writer, "sat 0.3.0");
    sat_file_close(&file);
    assert_null(file);
    sat_file_close(&file);
    sat_file_close(NULL);
}

static void a_flipped_byte_is_seen(void **state)
{
    sat_file *file;
    (void)state;
    write_ones();
    flip(PAGE + 8 * 1000);
    assert_int_equal(sat_file_open(&file, path, NULL), SAT_OK);
    assert_one_line(sat_file_verify(file), SAT_ERR_FILE, "damaged: the table's checksum does not match");
    sat_file_close(&file);

    write_ones();
    flip(PAGE + (off_t)sizeof sums + 20);
    assert_one_line(sat_file_open(&file, path, NULL), SAT_ERR_FILE, "broken trailer: its checksum does not match");
    assert_null(file);
}

static void cut_files_give_one_line(void **state)
{
    static const struct {
        off_t bytes;
        const char *why;
    } cuts[] = {
        {0, "empty file"},
        {3, "not a .npy file"},
        {100, "truncated: the file ends inside the .npy header"},
        {PAGE + 8, "truncated: the array has"},
        {PAGE + (off_t)sizeof sums, "no trailer"},
        {PAGE + (off_t)sizeof sums + TRAILER - 1, "truncated: the file ends inside the trailer"},
    };
    sat_file *file;
    (void)state;
    for (size_t i = 0; i < sizeof cuts / sizeof *cuts; i++) {
        write_ones();
        assert_int_equal(truncate(path, cuts[i].bytes), 0);
        assert_one_line(sat_file_open(&file, path, NULL), SAT_ERR_FILE, cuts[i].why);
        assert_null(file);
    }
    assert_int_equal(unlink(path), 0);
    assert_one_line(sat_file_open(&file, path, NULL), SAT_ERR_FILE, "cannot open: No such file");
}

static void pipes_and_memory_are_read(void **state)
{
    static uint64_t bytes[(PAGE + sizeof sums + TRAILER) / 8 + 1];
    sat_file *file;
    sat_table table;
    sat_file_info info;
    char name[32];
    int ends[2];
    (void)state;
    write_ones();
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t n = read(fd, bytes, sizeof bytes);
    close(fd);
    assert_true(n > (ssize_t)sizeof sums);

    assert_int_equal(sat_file_open_memory(&file, bytes, (size_t)n, NULL), SAT_OK);
    assert_int_equal(sat_file_table(file, &table), SAT_OK);
    assert_ptr_equal(table.view.data, (char *)bytes + PAGE);
    assert_int_equal(sat_file_verify(file), SAT_OK);
    sat_file_close(&file);
    assert_one_line(sat_file_open_memory(&file, bytes, PAGE, NULL), SAT_ERR_FILE, "truncated");
    assert_one_line(sat_file_open_memory(&file, (char *)bytes + 1, 8, NULL), SAT_ERR_ARGUMENT, "no multiple of 8");

    assert_int_equal(pipe(ends), 0);
    pid_t child = fork();
    if (child == 0) {
        ssize_t k = 0;
        for (ssize_t at = 0; k >= 0 && at < n; at += k) k = write(ends[1], (char *)bytes + at, (size_t)(n - at));
        _exit(0);
    }
    close(ends[1]);
    snprintf(name, sizeof name, "/dev/fd/%d", ends[0]);
    assert_int_equal(sat_file_open(&file, name, NULL), SAT_OK);
    close(ends[0]);
    assert_int_equal(sat_file_verify(file), SAT_OK);
    assert_int_equal(sat_file_describe(file, &info), SAT_OK);
    assert_false(info.is_mapped);
    sat_file_close(&file);
}

/* The first 128 KiB, and with them small files, do not change with the file. */
static void the_head_of_a_file_is_read(void **state)
{
    enum { HEAD = 128 << 10, LAST = (HEAD - PAGE - TRAILER) / 8 };
    static uint64_t entries[LAST + 1];
    const sat_view view = {.data = entries, .height = 1, .channels = 1, .type = SAT_U64};
    (void)state;
    snprintf(path, sizeof path, "%s/t.npy", scratch);
    for (int64_t width = LAST - 8; width <= LAST + 1; width++) {
        sat_table table = {.view = view, .layout = SAT_INCLUSIVE, .sample = SAT_U8}, read;
        sat_file *file;
        sat_file_info info;
        table.view.width = width;
        table.view.row_bytes = width * 8;
        assert_int_equal(sat_file_write(path, &table, NULL), SAT_OK);
        assert_int_equal(sat_file_open(&file, path, NULL), SAT_OK);
        assert_int_equal(sat_file_describe(file, &info), SAT_OK);
        assert_int_equal(info.is_mapped, width > LAST);
        flip(PAGE);
        assert_int_equal(sat_file_table(file, &read), SAT_OK);
        assert_int_equal(*(const uint64_t *)read.view.data, 0);
        assert_int_equal(sat_file_verify(file), SAT_OK);
        sat_file_close(&file);
    }
}

static void descriptors_of_the_program_are_written(void **state)
{
    const sat_table table = table_of_ones();
    char name[32];
    sat_file *file;
    (void)state;
    if (access("/dev/fd/0", F_OK) != 0) skip();
    snprintf(path, sizeof path, "%s/t.npy", scratch);
    unlink(path);
    static const int flags[] = {O_WRONLY, O_WRONLY | O_CLOEXEC};
    for (int i = 0; i < 2; i++) {
        int fd = open(path, flags[i] | O_CREAT | O_TRUNC, 0666);
        snprintf(name, sizeof name, "/dev/fd/%d", fd);
        assert_int_equal(sat_file_write(name, &table, NULL), SAT_OK);
        close(fd);
        assert_int_equal(sat_file_open(&file, path, NULL), SAT_OK);
        assert_int_equal(sat_file_verify(file), SAT_OK);
        sat_file_close(&file);
        assert_one_line(sat_file_write(name, &table, NULL), SAT_ERR_FILE, "not open for writing");
    }
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    snprintf(name, sizeof name, "/dev/fd/%d", fd);
    assert_one_line(sat_file_write(name, &table, NULL), SAT_ERR_FILE, "not open for writing");
    close(fd);
}

/* An inclusive <i4 array with NumPy's header, as np.save() has it. */
static void put_foreign(const int32_t *entries, size_t n, const char *shape)
{
    char head[128];
    memset(head, ' ', sizeof head);
    memcpy(head, "\x93NUMPY\x01\x00\x76\x00", 10);
    int used = snprintf(head + 10, 117, "{'descr': '<i4', 'fortran_order': False, 'shape': %s, }", shape);
    head[10 + used] = ' ';
    head[127] = '\n';
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    assert_int_equal(fwrite(head, 1, sizeof head, f), sizeof head);
    assert_int_equal(fwrite(entries, sizeof *entries, n, f), n);
    assert_int_equal(fclose(f), 0);
}

static void tables_of_others_need_a_layout(void **state)
{
    static const int32_t entries[] = {0, 0, 0, 0, 1, 3, 0, 4, 10}, large[] = {1, 2, 3, 2, 4, 7, 900, 902, 905};
    sat_file_options foreign = {.foreign = true, .layout = SAT_PADDED};
    sat_file *file;
    sat_table table;
    sat_file_info info;
    (void)state;
    put_foreign(entries, 9, "(3, 3)");
    assert_one_line(sat_file_open(&file, path, NULL), SAT_ERR_FILE, "no trailer: the layout");
    assert_int_equal(sat_file_open(&file, path, &foreign), SAT_OK);
    assert_int_equal(sat_file_table(file, &table), SAT_OK);
    assert_true(table.view.type == SAT_U32 && table.sample == SAT_U8 && table.layout == SAT_PADDED);
    assert_int_equal(sat_file_describe(file, &info), SAT_OK);
    assert_true(!info.has_trailer && info.width == 2 && info.height == 2 && info.checksum == 0);
    assert_string_equal(info.entry, "i32");
    assert_string_equal(info.writer, "");
    assert_int_equal(sat_file_check_samples(file), SAT_OK);
    assert_one_line(sat_file_verify(file), SAT_ERR_FILE, "no checksum");
    sat_file_close(&file);

    foreign.layout = SAT_INCLUSIVE;
    assert_int_equal(sat_file_open(&file, path, &foreign), SAT_OK);
    assert_int_equal(sat_file_describe(file, &info), SAT_OK);
    assert_true(info.looks_padded);
    sat_file_close(&file);

    put_foreign(large, 9, "(3, 3)");
    assert_int_equal(sat_file_open(&file, path, &foreign), SAT_OK);
    assert_one_line(sat_file_check_samples(file), SAT_ERR_FILE, "no inclusive table of u8 samples");
    sat_file_close(&file);
    foreign.layout = SAT_PADDED;
    assert_one_line(sat_file_open(&file, path, &foreign), SAT_ERR_FILE, "its first row is not zero");
}

static void bands_make_the_same_file(void **state)
{
    sat_file_write_options options = {.no_clobber = true, .writer = "a program"};
    sat_file_writer *writer;
    sat_file *file;
    sat_file_info info;
    sat_table table = table_of_ones();
    sat_view rows = table.view;
    (void)state;
    unlink(path);
    assert_int_equal(sat_file_writer_open(&writer, path, &table, &options), SAT_OK);
    for (int y = 0; y <= H; y += 20) {
        rows.data = sums[y];
        rows.height = H + 1 - y < 20 ? H + 1 - y : 20;
        assert_int_equal(sat_file_writer_rows(writer, &rows), SAT_OK);
    }
    assert_one_line(sat_file_writer_rows(writer, &rows), SAT_ERR_SHAPE, "rows of another shape");
    assert_no_file();
    assert_int_equal(sat_file_writer_close(&writer), SAT_OK);
    assert_null(writer);
    assert_int_equal(sat_file_open(&file, path, NULL), SAT_OK);
    assert_int_equal(sat_file_verify(file), SAT_OK);
    assert_int_equal(sat_file_describe(file, &info), SAT_OK);
    assert_string_equal(info.writer, "a program");
    sat_file_close(&file);

    assert_one_line(sat_file_write(path, &table, &options), SAT_ERR_FILE, "exists already");
    assert_int_equal(sat_file_errno(), EEXIST);
    assert_int_equal(sat_file_write(path, &table, NULL), SAT_OK);
    assert_int_equal(unlink(path), 0);

    assert_int_equal(sat_file_writer_open(&writer, path, &table, NULL), SAT_OK);
    assert_one_line(sat_file_writer_close(&writer), SAT_ERR_SHAPE, "0 of the table's 51 rows");
    assert_null(writer);
    assert_int_equal(sat_file_writer_open(&writer, path, &table, NULL), SAT_OK);
    sat_file_writer_abort(&writer);
    assert_null(writer);
    sat_file_writer_abort(NULL);
    assert_no_file();
    assert_one_line(sat_file_write("/nowhere/at/all.npy", &table, NULL), SAT_ERR_FILE, "directory");
    assert_int_equal(sat_file_errno(), ENOENT);
    assert_one_line(sat_file_open(&file, "/nowhere/at/all.npy", NULL), SAT_ERR_FILE, "cannot open");
    assert_int_equal(sat_file_errno(), ENOENT);
    assert_one_line(sat_file_write(scratch, &table, NULL), SAT_ERR_FILE, "is a directory");
    assert_int_equal(sat_file_errno(), EISDIR);
    assert_one_line(sat_file_open(&file, "/dev/null", NULL), SAT_ERR_FILE, "empty");
    assert_int_equal(sat_file_errno(), 0);
}

/* Counts, sums and squares side by side in each pixel; rows as they come. */
static void a_file_of_counts(void **state)
{
    enum { COLUMNS = 3, ROWS = 2, CHANNELS = 2, PIXELS = COLUMNS * ROWS * CHANNELS };
    double entries[3][PIXELS], array[3 * PIXELS];
    (void)state;
    for (int m = 0; m < 3; m++)
        for (int i = 0; i < PIXELS; i++) entries[m][i] = 100 * m + i;
    for (int kind = 0; kind < 4; kind++) {
        const bool with_counts = kind & 1, with_squares = kind & 2;
        const int planes = 1 + with_counts + with_squares;
        const sat_table t = {
            .view = {.width = COLUMNS, .height = ROWS, .channels = CHANNELS, .type = SAT_F64, .data = entries[1]},
            .layout = SAT_INCLUSIVE,
            .sample = SAT_F32};
        const sat_file_write_options options = {.moments = with_squares ? 2 : 1,
                                                .counts = with_counts,
                                                .has_nodata = with_counts,
                                                .nodata = with_squares ? (double)NAN : -9999.5};
        sat_file_writer *writer;
        snprintf(path, sizeof path, "%s/c.npy", scratch);
        assert_int_equal(sat_file_writer_open(&writer, path, &t, &options), SAT_OK);
        for (int y = 0; y < ROWS; y++) {
            sat_view rows[3] = {t.view, t.view, t.view};
            for (int m = 0; m < 3; m++) rows[m].height = 1, rows[m].data = &entries[m][y * COLUMNS * CHANNELS];
            const sat_view *n = with_counts ? &rows[0] : NULL, *s2 = with_squares ? &rows[2] : NULL;
            assert_one_line(sat_file_writer_tables(writer, with_counts ? NULL : &rows[0], &rows[1], s2),
                            SAT_ERR_ARGUMENT, "moments");
            assert_one_line(sat_file_writer_tables(writer, n, &rows[1], with_squares ? NULL : &rows[2]),
                            SAT_ERR_ARGUMENT, "moments");
            if (with_counts) {
                assert_one_line(sat_file_writer_rows(writer, &rows[1]), SAT_ERR_ARGUMENT, "moments");
                rows[0].height = 0;
                assert_one_line(sat_file_writer_tables(writer, n, &rows[1], s2), SAT_ERR_SHAPE, "shape");
                rows[0].height = 1;
            }
            assert_int_equal(sat_file_writer_tables(writer, n, &rows[1], s2), SAT_OK);
        }
        assert_int_equal(sat_file_writer_close(&writer), SAT_OK);

        /* Readers of version 0.2 know the names "sum" and "1,2", and refuse others. */
        static const char *const names[] = {"sum", "0,1", "1,2", "0,1,2"};
        char name[8];
        const int fd = open(path, O_RDONLY | O_CLOEXEC);
        const off_t end = PAGE + planes * PIXELS * 8;
        assert_int_equal(pread(fd, array, (size_t)(planes * PIXELS * 8), PAGE), planes * PIXELS * 8);
        assert_int_equal(pread(fd, name, sizeof name, end + 96), sizeof name);
        close(fd);
        assert_string_equal(name, names[kind]);
        for (int i = 0; i < PIXELS; i++) {
            const double *pixel = array + i / CHANNELS * CHANNELS * planes + i % CHANNELS;
            if (with_counts) assert_true(pixel[0] == entries[0][i]);
            assert_true(pixel[with_counts * CHANNELS] == entries[1][i]);
            if (with_squares) assert_true(pixel[(planes - 1) * CHANNELS] == entries[2][i]);
        }

        sat_file *file;
        sat_table made, counts = {.power = 0};
        sat_file_info info;
        assert_int_equal(sat_file_open(&file, path, NULL), SAT_OK);
        assert_int_equal(sat_file_verify(file), SAT_OK);
        assert_int_equal(sat_file_table(file, &made), SAT_OK);
        assert_true(*(double *)made.view.data == entries[1][0]);
        assert_int_equal(sat_file_describe(file, &info), SAT_OK);
        assert_string_equal(info.moment, names[kind]);
        assert_int_equal(info.has_nodata, with_counts);
        assert_true(!with_counts ? info.nodata == 0 : with_squares ? isnan(info.nodata) : info.nodata == -9999.5);
        if (with_counts) {
            assert_int_equal(sat_file_counts(file, &counts), SAT_OK);
            assert_int_equal(counts.power, SAT_COUNTS);
            assert_true(*(double *)counts.view.data == entries[0][0]);
        } else {
            assert_one_line(sat_file_counts(file, &counts), SAT_ERR_UNAVAILABLE, "no counts");
        }
        sat_file_close(&file);
    }
    const sat_table narrow = {.view = {.width = 4, .height = 4, .channels = 1, .type = SAT_F32}, .sample = SAT_U8};
    sat_file_writer *writer;
    assert_one_line(sat_file_writer_open(&writer, path, &narrow, &(sat_file_write_options){.counts = true}),
                    SAT_ERR_TYPE, "0,1");
}

/* More channels than a view has are tables of one channel, whose entries lie side by side. */
static void many_channels_are_tables_side_by_side(void **state)
{
    enum { MANY = 7, BYTES = sizeof(int64_t) };
    static int64_t entries[H + 1][W + 1][MANY];
    (void)state;
    for (int y = 0; y <= H; y++)
        for (int x = 0; x <= W; x++)
            for (int c = 0; c < MANY; c++) entries[y][x][c] = (int64_t)(c + 1) * x * y; /* of an image of c + 1 */
    sat_table table = table_of_ones(), back;
    table.view.data = entries;
    table.view.count = MANY, table.view.image_bytes = BYTES, table.view.pixel_bytes = MANY * BYTES;
    table.view.row_bytes = sizeof *entries;
    assert_int_equal(sat_file_write(path, &table, NULL), SAT_OK);
    sat_file *file;
    assert_int_equal(sat_file_open(&file, path, NULL), SAT_OK);
    assert_int_equal(sat_file_verify(file), SAT_OK);
    assert_int_equal(sat_file_table(file, &back), SAT_OK);
    assert_int_equal(back.view.channels, 1);
    assert_int_equal(back.view.count, MANY);
    assert_int_equal(back.view.width, W + 1);
    const sat_rect rect = {3, 4, 20, 10};
    sat_sum sum[MANY];
    assert_int_equal(sat_table_query(&back, &rect, 1, 0, 1, sum, NULL), SAT_OK);
    for (int c = 0; c < MANY; c++) assert_int_equal(sum[c].i, 200 * (c + 1));
    sat_file_close(&file);
    unlink(path);
    table.view.count = 1025, table.view.pixel_bytes = 1025 * BYTES, table.view.width = 4;
    assert_one_line(sat_file_write(path, &table, NULL), SAT_ERR_SHAPE, "several tables: a file has one, or up to 1024");
    table = table_of_ones();
    table.view.count = 2; /* one behind the other */
    assert_one_line(sat_file_write(path, &table, NULL), SAT_ERR_SHAPE, "several tables");
    assert_no_file();
}

static void wrong_arguments_are_refused(void **state)
{
    const sat_table good = table_of_ones();
    sat_table t = good;
    sat_file_writer *writer;
    sat_file *file;
    sat_file_options options = {.foreign = true, .layout = (sat_layout)7};
    sat_file_write_options as = {.writer = "caf\xc3\xa9"};
    (void)state;
    unlink(path);
    t.view.memory = SAT_DEVICE;
    assert_one_line(sat_file_write(path, &t, NULL), SAT_ERR_UNAVAILABLE, "device memory");
    t = good, t.view.data = NULL;
    assert_one_line(sat_file_write(path, &t, NULL), SAT_ERR_ARGUMENT, "no data");
    t = good, t.view.row_bytes = 8;
    assert_one_line(sat_file_write(path, &t, NULL), SAT_ERR_SHAPE, "fewer bytes");
    t = good, t.view.height = 1;
    assert_one_line(sat_file_write(path, &t, NULL), SAT_ERR_SHAPE, "no table has 601 x 1 entries");
    t = good, t.view.count = 2;
    assert_one_line(sat_file_write(path, &t, NULL), SAT_ERR_SHAPE, "several tables");
    assert_one_line(sat_file_writer_open(&writer, path, &t, NULL), SAT_ERR_SHAPE, "several tables");
    t = good, t.view.pixel_bytes = 16;
    assert_one_line(sat_file_write(path, &t, NULL), SAT_ERR_SHAPE, "gaps between the samples");
    t = good, t.view.channels = 2, t.view.width /= 2, t.view.channel_bytes = 16;
    assert_one_line(sat_file_write(path, &t, NULL), SAT_ERR_SHAPE, "gaps between the samples");
    t = good, t.view.count = 1, t.view.pixel_bytes = 8;
    assert_int_equal(sat_file_write(path, &t, NULL), SAT_OK);
    unlink(path);
    t = good, t.sample = SAT_F32;
    assert_one_line(sat_file_write(path, &t, NULL), SAT_ERR_TYPE, "no i64 table of f32 samples");
    t = good, t.layout = (sat_layout)3;
    assert_one_line(sat_file_write(path, &t, NULL), SAT_ERR_ARGUMENT, "no such layout");
    t = good, t.view.type = SAT_Q32, t.sample = SAT_F32;
    assert_one_line(sat_file_write(path, &t, NULL), SAT_ERR_ARGUMENT, "no such fixed point");
    assert_one_line(sat_file_write(path, &good, &as), SAT_ERR_ARGUMENT, "printable ASCII");
    as.writer = "";
    assert_one_line(sat_file_write(path, &good, &as), SAT_ERR_ARGUMENT, "printable ASCII");
    assert_one_line(sat_file_write(NULL, &good, NULL), SAT_ERR_ARGUMENT, "no path");
    assert_one_line(sat_file_write(path, NULL, NULL), SAT_ERR_ARGUMENT, "no table");
    assert_one_line(sat_file_writer_open(&writer, path, NULL, NULL), SAT_ERR_ARGUMENT, "no table");
    assert_no_file();

    write_ones();
    assert_one_line(sat_file_open(&file, path, &options), SAT_ERR_ARGUMENT, "no such layout");
    assert_one_line(sat_file_open(NULL, path, NULL), SAT_ERR_ARGUMENT, "no file");
    assert_one_line(sat_file_open(&file, NULL, NULL), SAT_ERR_ARGUMENT, "no path");
    assert_one_line(sat_file_table(NULL, &t), SAT_ERR_ARGUMENT, "no file");
    assert_one_line(sat_file_describe(NULL, NULL), SAT_ERR_ARGUMENT, "no file");
    assert_one_line(sat_file_verify(NULL), SAT_ERR_ARGUMENT, "no file");
    assert_one_line(sat_file_check_samples(NULL), SAT_ERR_ARGUMENT, "no file");
    assert_one_line(sat_file_writer_rows(NULL, &t.view), SAT_ERR_ARGUMENT, "no writer");
    assert_one_line(sat_file_writer_close(NULL), SAT_ERR_ARGUMENT, "no writer");
    assert_non_null(strstr(sat_status_text(SAT_ERR_FILE), "file"));
}

/* Callers of an older header, and of a newer one. */
static void structs_of_other_sizes_go(void **state)
{
    struct {
        sat_file_options options;
        unsigned char grown[8];
    } newer = {.grown = {0}};
    struct {
        sat_file_info info;
        unsigned char grown[8];
    } told;
    struct {
        sat_file_write_options options;
        unsigned char grown[8];
    } how = {.grown = {0}};
    sat_table table = table_of_ones();
    sat_file *file;
    int64_t width_alone[2] = {0, -1};
    (void)state;
    write_ones();
    assert_int_equal(sat_file_open_sized(&file, path, &newer.options, sizeof newer), SAT_OK);
    memset(&told, 0xff, sizeof told);
    assert_int_equal(sat_file_describe_sized(file, &told.info, sizeof told), SAT_OK);
    assert_int_equal(told.grown[7], 0);
    assert_int_equal(sat_file_describe_sized(file, (sat_file_info *)(void *)width_alone, sizeof *width_alone), SAT_OK);
    assert_true(width_alone[0] == W && width_alone[1] == -1);
    sat_file_close(&file);
    newer.grown[3] = 1;
    assert_one_line(sat_file_open_sized(&file, path, &newer.options, sizeof newer), SAT_ERR_ARGUMENT, "sets a member");
    assert_int_equal(sat_file_write_sized(path, &table, &how.options, sizeof table, sizeof how), SAT_OK);
    how.grown[0] = 1;
    assert_one_line(sat_file_write_sized(path, &table, &how.options, sizeof table, sizeof how), SAT_ERR_ARGUMENT,
                    "sets a member");
}

/* "-" is a file's name, but for callers who say that it is not. */
static void a_dash_is_a_name(void **state)
{
    (void)state;
    sat_table table = table_of_ones();
    sat_file *file;
    sat_file_info info;
    char before[4096];
    assert_non_null(getcwd(before, sizeof before));
    assert_int_equal(chdir(scratch), 0);
    assert_int_equal(sat_file_write("-", &table, NULL), SAT_OK);
    assert_int_equal(sat_file_open(&file, "-", NULL), SAT_OK);
    sat_file_close(&file);

    const int in = dup(STDIN_FILENO), out = dup(STDOUT_FILENO), dash = open("./-", O_RDONLY | O_CLOEXEC);
    const int streamed = open("streamed", O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    assert_true(in >= 0 && out >= 0 && dash >= 0 && streamed >= 0);
    assert_int_equal(unlink("./-"), 0);
    fflush(stdout);
    assert_true(dup2(dash, STDIN_FILENO) >= 0 && dup2(streamed, STDOUT_FILENO) >= 0);
    const sat_status no_file = sat_file_open(&file, "-", NULL);
    const sat_status from = sat_file_open(&file, "-", &(sat_file_options){.standard_input = true});
    const sat_status to = sat_file_write("-", &table, &(sat_file_write_options){.standard_output = true});
    dup2(in, STDIN_FILENO), dup2(out, STDOUT_FILENO);
    close(in), close(out), close(dash), close(streamed);
    assert_int_equal(no_file, SAT_ERR_FILE);
    assert_int_equal(from, SAT_OK);
    sat_file_close(&file);
    assert_int_equal(to, SAT_OK);
    assert_int_equal(sat_file_open(&file, "streamed", NULL), SAT_OK);
    assert_int_equal(sat_file_describe(file, &info), SAT_OK);
    assert_int_equal(info.width, W);
    sat_file_close(&file);
    assert_int_equal(chdir(before), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_table_comes_back_and_is_asked),
        cmocka_unit_test(a_flipped_byte_is_seen),
        cmocka_unit_test(cut_files_give_one_line),
        cmocka_unit_test(pipes_and_memory_are_read),
        cmocka_unit_test(the_head_of_a_file_is_read),
        cmocka_unit_test(descriptors_of_the_program_are_written),
        cmocka_unit_test(a_dash_is_a_name),
        cmocka_unit_test(tables_of_others_need_a_layout),
        cmocka_unit_test(bands_make_the_same_file),
        cmocka_unit_test(a_file_of_counts),
        cmocka_unit_test(many_channels_are_tables_side_by_side),
        cmocka_unit_test(wrong_arguments_are_refused),
        cmocka_unit_test(structs_of_other_sizes_go),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, scratch_make, scratch_remove);
}
