/* Each allocation of a call of sat_file.h fails once: SAT_ERR_MEMORY, no object, no file.  The linker puts the
 * functions below in place of the C library's (--wrap, Makefile). */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sat_file.h"
#include "scratch.h"
#include <cmocka.h>

static int left = -1; /* allocations until the one that fails; below 0: none does */

static bool fails(void)
{
    if (left < 0 || left-- > 0) return false;
    errno = ENOMEM;
    return true;
}

void *__real_malloc(size_t n);
void *__real_calloc(size_t n, size_t bytes);
void *__real_realloc(void *old, size_t n);
int __real_posix_memalign(void **to, size_t alignment, size_t n);
char *__real_strdup(const char *s);
char *__real_strndup(const char *s, size_t n);

void *__wrap_malloc(size_t n)
{
    return fails() ? NULL : __real_malloc(n);
}

void *__wrap_calloc(size_t n, size_t bytes)
{
    return fails() ? NULL : __real_calloc(n, bytes);
}

void *__wrap_realloc(void *old, size_t n)
{
    return fails() ? NULL : __real_realloc(old, n);
}

int __wrap_posix_memalign(void **to, size_t alignment, size_t n)
{
    return fails() ? ENOMEM : __real_posix_memalign(to, alignment, n);
}

char *__wrap_strdup(const char *s)
{
    return fails() ? NULL : __real_strdup(s);
}

char *__wrap_strndup(const char *s, size_t n)
{
    return fails() ? NULL : __real_strndup(s, n);
}

int __wrap_asprintf(char **to, const char *format, ...)
{
    va_list args;
    if (fails()) return -1;
    va_start(args, format);
    int n = vasprintf(to, format, args);
    va_end(args);
    return n;
}

enum { W = 20000, SMALL = 20 };
static uint64_t entries[2 * W];
static char path[96];

static sat_table table_of(int64_t width)
{
    return (sat_table){
        .view = {.data = entries, .row_bytes = width * 8, .width = width, .height = 1, .channels = 1, .type = SAT_U64},
        .layout = SAT_INCLUSIVE,
        .sample = SAT_U8};
}

/* ---- calls: each leaves nothing behind ---------------------------------------------------------------- */

static sat_status write_one(void)
{
    const sat_table table = table_of(SMALL);
    return sat_file_write(path, &table, NULL);
}

static sat_status write_moments(void)
{
    const sat_table table = table_of(SMALL);
    const sat_file_write_options options = {.moments = 2};
    sat_file_writer *writer = (sat_file_writer *)&writer;
    sat_status status = sat_file_writer_open(&writer, path, &table, &options);
    if (status != SAT_OK) {
        assert_null(writer);
        return status;
    }
    status = sat_file_writer_moments(writer, &table.view, &table.view);
    if (status == SAT_OK) return sat_file_writer_close(&writer);
    sat_file_writer_abort(&writer);
    return status;
}

static sat_status read_one(void)
{
    sat_file *file = (sat_file *)&file;
    sat_status status = sat_file_open(&file, path, NULL);
    if (status != SAT_OK) assert_null(file);
    sat_file_close(&file);
    return status;
}

static sat_status read_pipe(void)
{
    static char bytes[8192];
    char name[32];
    sat_file *file = NULL;
    int ends[2], fd = open(path, O_RDONLY | O_CLOEXEC);
    const ssize_t n = read(fd, bytes, sizeof bytes); /* less than a pipe holds */
    close(fd);
    assert_int_equal(pipe(ends), 0);
    assert_int_equal(write(ends[1], bytes, (size_t)n), n);
    close(ends[1]);
    snprintf(name, sizeof name, "/dev/fd/%d", ends[0]);
    const sat_status status = sat_file_open(&file, name, NULL);
    close(ends[0]);
    sat_file_close(&file);
    return status;
}

/* Fails each allocation until there is none left; returns how many there were. */
static int each_fails(sat_status (*call)(void))
{
    for (int n = 0;; n++) {
        left = n;
        const sat_status status = call();
        const bool done = left >= 0;
        left = -1;
        if (done) {
            assert_int_equal(status, SAT_OK);
            return n;
        }
        if (status != SAT_ERR_MEMORY && status != SAT_OK)
            fail_msg("allocation %d: status %d, '%s'", n, status, sat_detail());
    }
}

static void writing(void **state)
{
    (void)state;
    snprintf(path, sizeof path, "%s/t.npy", scratch);
    assert_true(each_fails(write_one) > 3);
    assert_true(each_fails(write_one) > 4); /* over a file that is there */
    assert_true(each_fails(write_moments) > 4);
}

static void reading(void **state)
{
    (void)state;
    sat_table table = table_of(SMALL);
    assert_int_equal(sat_file_write(path, &table, NULL), SAT_OK);
    assert_true(each_fails(read_one) > 1);
    assert_true(each_fails(read_pipe) > 1);
    table = table_of(W);
    assert_int_equal(sat_file_write(path, &table, NULL), SAT_OK);
    assert_true(each_fails(read_one) > 1);
}

int main(void)
{
    cmocka_set_message_output(CM_OUTPUT_TAP);
    const struct CMUnitTest tests[] = {cmocka_unit_test(writing), cmocka_unit_test(reading)};
    return cmocka_run_group_tests(tests, scratch_make, scratch_remove);
}
