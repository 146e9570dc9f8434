/* Table files come back as they were written; foreign, broken and lying ones are told apart. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

#include "npy_header.h"
#include "table_file.h"
#include "table_trailer.h"
#include <cmocka.h> /* last: it has a macro fail() */

static char path[64];
static error err;

static int enter(void **state)
{
    (void)state;
    strcpy(path, "/tmp/sat-test-XXXXXX");
    int fd = mkstemp(path);
    return fd < 0 || close(fd);
}

static int leave(void **state)
{
    (void)state;
    return unlink(path);
}

static uint8_t *slurp(const char *name, size_t *n)
{
    FILE *f = fopen(name, "r");
    assert_non_null(f);
    assert_int_equal(fseek(f, 0, SEEK_END), 0);
    *n = (size_t)ftell(f);
    rewind(f);
    uint8_t *bytes = malloc(*n + 1);
    assert_non_null(bytes);
    assert_int_equal(fread(bytes, 1, *n, f), *n);
    fclose(f);
    bytes[*n] = 0;
    return bytes;
}

static void put(const void *bytes, size_t n)
{
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    assert_int_equal(fwrite(bytes, 1, n, f), n);
    assert_int_equal(fclose(f), 0);
}

/* Writes the table in bands of `rows` rows that lie `gap` bytes apart. */
static void write_table(const sat_view *view, const table_meta *meta, int64_t rows, size_t gap)
{
    size_t row = sat_row_bytes(view->width, view->channels, view->type);
    sat_view band = *view;
    table_writer *w;
    sink *s;

    band.row_bytes = (ptrdiff_t)(row + gap);
    band.data = malloc((size_t)rows * (size_t)band.row_bytes);
    assert_non_null(band.data);
    assert_true(sink_open(&s, path, NULL, &err));
    assert_true(table_writer_open(&w, s, view, meta, &err));
    for (int64_t y = 0; y < view->height; y += rows) {
        band.height = view->height - y < rows ? view->height - y : rows;
        memset(band.data, 0xee, (size_t)(rows * band.row_bytes));
        for (int64_t k = 0; k < band.height; k++)
            memcpy((uint8_t *)band.data + k * band.row_bytes, (uint8_t *)view->data + (size_t)(y + k) * row, row);
        assert_true(table_writer_rows(w, &band, &err));
    }
    assert_true(table_writer_close(&w, &err));
    assert_null(w);
    assert_true(sink_commit(&s, &err));
    free(band.data);
}

static const int64_t tiny[4][5] = {{0, 0, 0, 0, 0}, {0, 1, 3, 6, 10}, {0, 6, 14, 24, 36}, {0, 15, 24, 36, 51}};

static sat_view tiny_view(void)
{
    return (sat_view){
        .data = (void *)(uintptr_t)tiny, .row_bytes = 40, .width = 5, .height = 4, .channels = 1, .type = SAT_I64};
}

static void write_tiny(void)
{
    sat_view view = tiny_view();
    write_table(&view, &(table_meta){.layout = SAT_PADDED, .sample = SAT_U8}, 2, 0);
}

static void assert_open_fails(const sat_file_options *assume, const char *why)
{
    table_file file;
    bool opened = table_file_open(&file, path, assume, &err);
    assert_false(opened);
    assert_string_equal(err.text, why);
    assert_null(file.file.bytes);
    table_file_close(&file);
}

/* ---- our own files --------------------------------------------------------------------------------- */

static void every_type_and_shape_comes_back(void **state)
{
    static const struct {
        sat_type sample, accum;
    } types[] = {{SAT_U8, SAT_U32},  {SAT_U16, SAT_U64}, {SAT_U8, SAT_I64}, {SAT_U32, SAT_F64},
                 {SAT_F32, SAT_F32}, {SAT_F64, SAT_F64}, {SAT_F32, SAT_Q32}};
    static const struct {
        int64_t width, height;
    } shapes[] = {{2, 2}, {3, 5}, {7, 1000}, {70001, 3}};
    (void)state;

    for (size_t t = 0; t < sizeof(types) / sizeof(*types); t++) {
        for (size_t s = 0; s < sizeof(shapes) / sizeof(*shapes); s++) {
            int channels = (int)(s + t) % 4 + 1;
            sat_layout layout = (sat_layout)((s + t) % 3);
            sat_view view = {
                .width = shapes[s].width, .height = shapes[s].height, .channels = channels, .type = types[t].accum};
            view.row_bytes = (ptrdiff_t)sat_row_bytes(view.width, channels, view.type);
            size_t n = (size_t)view.row_bytes * (size_t)view.height;
            uint8_t *bytes = malloc(n);
            assert_non_null(bytes);
            for (size_t i = 0; i < n; i++) bytes[i] = (uint8_t)(i % 251);
            view.data = bytes;
            table_meta meta = {.layout = layout, .sample = types[t].sample, .writer = "test 1"};
            if (view.type == SAT_Q32) meta.quant = (sat_quant){.offset = -1.5, .step = 0.25, .largest = 65535};
            write_table(&view, &meta, (int64_t)s + 1, s % 2 * 24);

            table_file file;
            assert_true(table_file_open(&file, path, NULL, &err));
            assert_int_equal(file.table.view.width, view.width);
            assert_int_equal(file.table.view.height, view.height);
            assert_int_equal(file.table.view.channels, channels);
            assert_int_equal(file.table.view.type, view.type);
            assert_int_equal(file.table.view.row_bytes, view.row_bytes);
            assert_int_equal(file.table.layout, layout);
            assert_int_equal(file.table.sample, types[t].sample);
            assert_true(file.table.quant.offset == meta.quant.offset && file.table.quant.step == meta.quant.step);
            assert_int_equal(file.table.quant.largest, meta.quant.largest);
            assert_true(file.meta.has_trailer);
            assert_string_equal(file.meta.writer, "test 1");
            assert_true(file.meta.checksum == XXH3_64bits(bytes, n));
            assert_int_equal(file.data_offset, 4096);
            assert_int_equal(file.data_bytes, n);
            assert_int_equal((uintptr_t)file.table.view.data % 4096, 0);
            assert_memory_equal(file.table.view.data, bytes, n);
            assert_true(table_file_verify(&file, &err));
            table_file_close(&file);
            free(bytes);
        }
    }
}

/* docs/format.md shows a file as `od -A x -t x1z` prints it; it is the file that the writer makes. */
static void the_documented_bytes_are_the_written_ones(void **state)
{
    enum { BYTES = 4096 + 160 + 192 };
    uint8_t *want = calloc(1, BYTES + 16), *have, last[16] = {0};
    size_t n, at = 0;
    bool repeats = false;
    (void)state;
    assert_non_null(want);
    char *text = (char *)slurp("docs/format.md", &n);
    char *line = strstr(text, "\n000000 93 4e 55 4d 50 59");
    assert_non_null(line);
    for (line = strtok(line, "\n"); line && strcmp(line, "```") != 0; line = strtok(NULL, "\n")) {
        if (!strcmp(line, "*")) {
            repeats = true;
            continue;
        }
        char *end;
        size_t offset = strtoul(line, &end, 16);
        assert_true(offset <= BYTES);
        for (; repeats && at < offset; at += 16) memcpy(want + at, last, 16);
        repeats = false;
        assert_int_equal(at, offset);
        if (*end == 0) break;
        for (int i = 0; i < 16; i++) want[at + (size_t)i] = last[i] = (uint8_t)strtoul(end, &end, 16);
        at += 16;
    }
    assert_int_equal(at, BYTES);
    free(text);

    sat_view view = tiny_view();
    write_table(&view, &(table_meta){.layout = SAT_PADDED, .sample = SAT_U8, .writer = "sat 0.3.0"}, 4, 0);
    have = slurp(path, &n);
    assert_int_equal(n, BYTES);
    assert_memory_equal(have, want, BYTES);
    free(have);
    free(want);
}

static void the_writer_names_itself(void **state)
{
    table_file file;
    char want[32];
    (void)state;
    write_tiny();
    snprintf(want, sizeof(want), "sat %s", sat_version());
    assert_true(table_file_open(&file, path, NULL, &err));
    assert_string_equal(file.meta.writer, want);
    table_file_close(&file);
}

static void the_writer_refuses_what_no_table_is(void **state)
{
    static const struct {
        sat_view view;
        table_meta meta;
        const char *why;
    } bad[] = {
        {{.width = 1, .height = 4, .channels = 1, .type = SAT_I64},
         {.layout = SAT_PADDED, .sample = SAT_U8},
         "no table has 1 x 4 entries and 1 channels"},
        {{.width = 4, .height = 0, .channels = 1, .type = SAT_I64},
         {.layout = SAT_INCLUSIVE, .sample = SAT_U8},
         "no table has 4 x 0 entries and 1 channels"},
        {{.width = 4, .height = 4, .channels = 1025, .type = SAT_I64},
         {.layout = SAT_INCLUSIVE, .sample = SAT_U8},
         "no table has 4 x 4 entries and 1025 channels"},
        {{.width = 4, .height = 4, .channels = 1, .type = SAT_Q32},
         {.layout = SAT_INCLUSIVE, .sample = SAT_U8},
         "no q32 table of u8 samples"},
        {{.width = 4, .height = 4, .channels = 1, .type = SAT_U8},
         {.layout = SAT_INCLUSIVE, .sample = SAT_U8},
         "no u8 table of u8 samples"},
        {{.width = (int64_t)1 << 32, .height = (int64_t)1 << 31, .channels = 1, .type = SAT_I64},
         {.layout = SAT_INCLUSIVE, .sample = SAT_U8},
         "the table is larger than any file"},
    };
    sink *s;
    (void)state;
    assert_true(sink_open(&s, "/dev/null", NULL, &err));
    for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
        table_writer *w;
        assert_false(table_writer_open(&w, s, &bad[i].view, &bad[i].meta, &err));
        assert_null(w);
        assert_string_equal(err.text, bad[i].why);
    }

    sat_view view = tiny_view(), part = view;
    table_meta meta = {.layout = SAT_PADDED, .sample = SAT_U8};
    table_writer *w;
    part.height = 3;
    assert_true(table_writer_open(&w, s, &view, &meta, &err));
    assert_true(table_writer_rows(w, &part, &err));
    assert_false(table_writer_rows(w, &part, &err));
    assert_string_equal(err.text, "rows of another shape than the table's");
    assert_false(table_writer_close(&w, &err));
    assert_null(w);
    assert_string_equal(err.text, "3 of the table's 4 rows were written");
    sink_abort(&s);
}

static void a_full_device_fails_the_writer(void **state)
{
    sat_view view = {.width = 4096, .height = 1, .channels = 1, .type = SAT_I64, .row_bytes = 32768};
    table_meta meta = {.layout = SAT_INCLUSIVE, .sample = SAT_U8};
    table_writer *w;
    sink *s;
    bool failed = false;
    (void)state;
    view.data = calloc(1, (size_t)view.row_bytes);
    sat_view whole = view;
    whole.height = 1000;
    assert_true(sink_open(&s, "/dev/full", NULL, &err));
    assert_true(table_writer_open(&w, s, &whole, &meta, &err));
    for (int i = 0; i < 1000 && !failed; i++) failed = !table_writer_rows(w, &view, &err);
    assert_true(failed);
    assert_string_equal(err.text, "cannot write: No space left on device");
    table_writer_abort(&w);
    assert_null(w);
    table_writer_abort(&w);
    sink_abort(&s);
    free(view.data);
}

/* ---- damage ---------------------------------------------------------------------------------------- */

enum { ARRAY = 4096, TRAILER = 4096 + 160, END = TRAILER + 192 };

static void every_flipped_byte_is_noticed(void **state)
{
    size_t n;
    (void)state;
    write_tiny();
    uint8_t *bytes = slurp(path, &n);
    assert_int_equal(n, END);
    for (size_t at = ARRAY; at < END; at++) {
        table_file file;
        bytes[at] ^= 0x10;
        put(bytes, n);
        bool opened = table_file_open(&file, path, NULL, &err);
        if (at < TRAILER) {
            assert_true(opened);
            assert_false(table_file_verify(&file, &err));
            assert_string_equal(err.text, "damaged: the table's checksum does not match");
            table_file_close(&file);
        } else {
            assert_false(opened);
            if (at < TRAILER + 8)
                assert_string_equal(err.text, "broken trailer: it does not begin with SATTABLE");
            else
                assert_non_null(strstr(err.text, "trailer"));
        }
        bytes[at] ^= 0x10;
    }
    free(bytes);
}

static void every_truncation_is_noticed(void **state)
{
    size_t n;
    (void)state;
    write_tiny();
    uint8_t *bytes = slurp(path, &n);
    for (size_t cut = 0; cut < n; cut += cut < ARRAY - 8 ? 61 : 1) {
        table_file file;
        put(bytes, cut);
        assert_false(table_file_open(&file, path, NULL, &err));
        if (cut >= TRAILER + 8) assert_string_equal(err.text, "truncated: the file ends inside the trailer");
    }
    free(bytes);
}

/* Seals a trailer after a change, so that only the change itself can be noticed. */
static void assert_change_refused(void (*change)(table_trailer *), const char *why)
{
    size_t n;
    table_trailer t;
    write_tiny();
    uint8_t *bytes = slurp(path, &n);
    memcpy(&t, bytes + TRAILER, sizeof(t));
    change(&t);
    t.own_xxh3 = XXH3_64bits(&t, offsetof(table_trailer, own_xxh3));
    memcpy(bytes + TRAILER, &t, sizeof(t));
    put(bytes, n);
    assert_open_fails(NULL, why);
    free(bytes);
}

static void newer(table_trailer *t)
{
    t->version = 3;
}
static void longer(table_trailer *t)
{
    t->bytes = 200;
}
static void wider(table_trailer *t)
{
    t->width++;
}
static void taller(table_trailer *t)
{
    t->height = UINT64_MAX;
}
static void coloured(table_trailer *t)
{
    t->channels = 3;
}
static void elsewhere(table_trailer *t)
{
    t->data_offset = 128;
}
static void shorter(table_trailer *t)
{
    t->data_bytes = 8;
}
static void other_layout(table_trailer *t)
{
    strcpy(t->layout, "inclusive");
}
static void odd_layout(table_trailer *t)
{
    strcpy(t->layout, "spiral");
}
static void odd_moment(table_trailer *t)
{
    strcpy(t->moment, "squares");
}
static void odd_sample(table_trailer *t)
{
    strcpy(t->sample, "f32");
}
static void other_type(table_trailer *t)
{
    strcpy(t->accum, "u64");
}
static void endless_name(table_trailer *t)
{
    memset(t->layout, 'x', sizeof(t->layout));
}
static void escape_code(table_trailer *t)
{
    strcpy(t->writer, "\x1b[2J");
}

static void sealed_lies_are_refused(void **state)
{
    (void)state;
    assert_change_refused(newer, "trailer of version 3; this program knows versions 1 to 2");
    assert_change_refused(longer, "broken trailer: its checksum does not match");
    assert_change_refused(wider, "broken trailer: its image size does not fit the array");
    assert_change_refused(taller, "broken trailer: its image size does not fit the array");
    assert_change_refused(coloured, "broken trailer: its image size does not fit the array");
    assert_change_refused(other_layout, "broken trailer: its image size does not fit the array");
    assert_change_refused(elsewhere, "broken trailer: it describes another array");
    assert_change_refused(shorter, "broken trailer: it describes another array");
    assert_change_refused(odd_layout, "table of the unknown layout 'spiral'");
    assert_change_refused(odd_moment, "table of the moments 'squares' with 1 numbers in each entry; "
                                      "this program knows sum, 1,2, 0,1 and 0,1,2");
    assert_change_refused(odd_sample, "broken trailer: no i64 table of f32 samples");
    assert_change_refused(other_type, "broken trailer: its type is not the array's");
    assert_change_refused(endless_name, "broken trailer: a name in it is none");
    assert_change_refused(escape_code, "broken trailer: a name in it is none");
}

static void a_fixed_point_must_be_one(void **state)
{
    static const sat_quant wrong[] = {{0, 0, 255},         {0, -1, 255},      {0, 1.0 / 0.0, 255}, {0, 0.0 / 0.0, 255},
                                      {0, 0.3, 255},       {0, 1, 0},         {0, 1, 1U << 31},    {1.0 / 0.0, 1, 255},
                                      {0, 0x1p-1030, 255}, {0, 0x1p1023, 255}};
    uint32_t zeros[4] = {0};
    sat_view view = {.data = zeros, .width = 2, .height = 2, .channels = 1, .type = SAT_Q32};
    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        table_meta meta = {.layout = SAT_PADDED, .sample = SAT_F32, .quant = wrong[i]};
        write_table(&view, &meta, 2, 0);
        assert_open_fails(NULL, "broken trailer: no such fixed point");
    }
}

/* ---- other software's files ------------------------------------------------------------------------ */

static void put_foreign(const char *descr, const char *shape, const void *array, size_t n, const char *after)
{
    uint8_t bytes[4096];
    int used =
        snprintf((char *)bytes + 10, 119, "{'descr': '%s', 'fortran_order': False, 'shape': %s, }", descr, shape);
    memcpy(bytes, "\x93NUMPY\x01\x00\x76\x00", 10);
    memset(bytes + 10 + used, ' ', (size_t)(118 - used));
    bytes[127] = '\n';
    memcpy(bytes + 128, array, n);
    memcpy(bytes + 128 + n, after, strlen(after));
    put(bytes, 128 + n + strlen(after));
}

static void foreign_tables_need_a_layout(void **state)
{
    sat_file_options padded = {.foreign = true, .layout = SAT_PADDED};
    table_file file;
    (void)state;
    put_foreign("<i8", "(4, 5)", tiny, sizeof(tiny), "what is this");
    const char *why = "no trailer: the layout of other software's table has to be given";
    assert_open_fails(NULL, why);
    assert_open_fails(&(sat_file_options){0}, why);
    assert_true(table_file_open(&file, path, &padded, &err));
    assert_false(file.meta.has_trailer);
    assert_int_equal(file.table.layout, SAT_PADDED);
    assert_int_equal(file.table.sample, SAT_U8);
    assert_int_equal(file.table.view.type, SAT_I64);
    assert_memory_equal(file.table.view.data, tiny, sizeof(tiny));
    assert_false(table_file_verify(&file, &err));
    assert_string_equal(err.text, "no trailer, and so no checksum");
    table_file_close(&file);

    padded.sample = SAT_U16;
    assert_true(table_file_open(&file, path, &padded, &err));
    assert_int_equal(file.table.sample, SAT_U16);
    table_file_close(&file);
    padded.sample = SAT_F32;
    assert_open_fails(&padded, "no i64 table of f32 samples; --sample names those of the image that was summed, of u8, "
                               "u16, u32, i8, i16, i32");
}

static void opencv_int32_is_read_modulo_2_32(void **state)
{
    static const int32_t wrapped[4] = {0, 0, 0, -5};
    sat_file_options padded = {.foreign = true, .layout = SAT_PADDED};
    table_file file;
    (void)state;
    put_foreign("<i4", "(2, 2)", wrapped, sizeof(wrapped), "");
    assert_true(table_file_open(&file, path, &padded, &err));
    assert_int_equal(file.table.view.type, SAT_U32);
    assert_true(((const uint32_t *)file.table.view.data)[3] == 4294967291u);
    assert_string_equal(table_file_type_name(&file), "i32");
    table_file_close(&file);
}

static void float_tables_are_of_f32_samples(void **state)
{
    static const double sums[6] = {1, 2, 3, 4, 5, 6};
    table_file file;
    (void)state;
    put_foreign("<f8", "(1, 2, 3)", sums, sizeof(sums), "");
    assert_true(table_file_open(&file, path, &(sat_file_options){.foreign = true, .layout = SAT_INCLUSIVE}, &err));
    assert_int_equal(file.table.sample, SAT_F32);
    assert_int_equal(file.table.view.type, SAT_F64);
    assert_int_equal(file.table.view.channels, 3);
    assert_int_equal(file.table.view.width, 2);
    assert_int_equal(file.table.view.height, 1);
    table_file_close(&file);
}

static void a_wrong_layout_is_noticed(void **state)
{
    int64_t array[4][5];
    sat_file_options assume = {.foreign = true};
    (void)state;
    for (int k = 0; k < 2; k++) {
        assume.layout = k ? SAT_EXCLUSIVE : SAT_PADDED;
        memcpy(array, tiny, sizeof(tiny));
        array[0][4] = 9;
        put_foreign("<i8", "(4, 5)", array, sizeof(array), "");
        assert_open_fails(&assume, k ? "no exclusive table: its first row is not zero at column 4"
                                     : "no padded table: its first row is not zero at column 4");
        for (int y = 1; y < 4; y++) {
            char why[80];
            memcpy(array, tiny, sizeof(tiny));
            array[y][0] = 9;
            put_foreign("<i8", "(4, 5)", array, sizeof(array), "");
            snprintf(why, sizeof(why), "no %s table: its first column is not zero at row %d",
                     k ? "exclusive" : "padded", y);
            assert_open_fails(&assume, why);
        }
    }
    assume.layout = SAT_PADDED;
    put_foreign("<i8", "(1, 5)", tiny, 40, "");
    assert_open_fails(&assume, "no padded table: it has one row or column only");
}

static void arrays_that_are_no_tables(void **state)
{
    static const char zeros[400];
    sat_file_options any = {.foreign = true, .layout = SAT_INCLUSIVE};
    (void)state;
    put_foreign("<i8", "(5,)", zeros, 40, "");
    assert_open_fails(&any, "array of 1 dimension: images and tables have rows and columns");
    put_foreign("<i8", "(0, 5)", zeros, 40, "");
    assert_open_fails(&any, "the array is empty");
    put_foreign("<i8", "(5, 2, 5)", zeros, 400, "");
    assert_open_fails(&any, "array of 5 channels: a table has 1 to 4");
    put_foreign("|u1", "(5, 5)", zeros, 40, "");
    assert_open_fails(&any, "array of uint8: a table has int32, uint32, int64, uint64, float32 or float64");
    put_foreign("<c8", "(5, 5)", zeros, 400, "");
    assert_open_fails(
        &any, "array of complex64, which is not read: images and tables are of integers and floats of up to 64 bits");
    put_foreign("<i8", "(5, 11)", zeros, 400, "");
    assert_open_fails(&any, "truncated: the array has 440 bytes, the file holds 400 of them");
    put("P5 1 1 255\n ", 12);
    assert_open_fails(&any, "not a .npy file");

    char odd[] = "\x93NUMPY\x01\x00\x3c\x00{'descr': '<i8', 'fortran_order': False, 'shape': (1, 1), } \n12345678";
    put(odd, sizeof(odd) - 1);
    assert_open_fails(&any, "the array is not aligned to its elements");
}

int main(void)
{
    cmocka_set_message_output(CM_OUTPUT_TAP);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_type_and_shape_comes_back),  cmocka_unit_test(the_documented_bytes_are_the_written_ones),
        cmocka_unit_test(the_writer_names_itself),          cmocka_unit_test(the_writer_refuses_what_no_table_is),
        cmocka_unit_test(a_full_device_fails_the_writer),   cmocka_unit_test(every_flipped_byte_is_noticed),
        cmocka_unit_test(every_truncation_is_noticed),      cmocka_unit_test(sealed_lies_are_refused),
        cmocka_unit_test(a_fixed_point_must_be_one),        cmocka_unit_test(foreign_tables_need_a_layout),
        cmocka_unit_test(opencv_int32_is_read_modulo_2_32), cmocka_unit_test(float_tables_are_of_f32_samples),
        cmocka_unit_test(a_wrong_layout_is_noticed),        cmocka_unit_test(arrays_that_are_no_tables),
    };
    return cmocka_run_group_tests(tests, enter, leave);
}
