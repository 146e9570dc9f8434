/* Inputs are whole in memory, or refused in words. */
#include <fcntl.h>
#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "source.h"
#include "mapped.h"
#include "child.h"
#include "scratch.h"
#include <cmocka.h> /* last: it has a macro fail() */
#include "terminal.h"

enum { BIG = 1000003 }; /* a prime: no multiple of any buffer */

/* In this program every pause of a writer outlasts every limited wait for it. */
int poll(struct pollfd *fds, nfds_t n, int ms)
{
    return ms < 0 ? ppoll(fds, n, NULL, NULL) : 0;
}

static error err;
static uint8_t big[BIG];

static int enter(void **state)
{
    for (size_t i = 0; i < BIG; i++) big[i] = (uint8_t)(i % 251);
    return scratch_make(state) || chdir(scratch);
}

static int leave(void **state)
{
    return chdir("/") || scratch_remove(state);
}

static void put(const char *path, const void *bytes, size_t n)
{
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    assert_int_equal(fwrite(bytes, 1, n, f), n);
    assert_int_equal(fclose(f), 0);
}

static void assert_refused(const char *path, const char *why)
{
    source src = {.n = 1};
    assert_false(source_open(&src, path, &err));
    assert_string_equal(err.text, why);
    assert_null(src.bytes);
    source_close(&src);
}

static uint64_t size_said;

static bool look(const uint8_t *head, size_t n, uint64_t file_bytes, const void *context, bool *maps, error *e)
{
    size_said = file_bytes;
    *maps = context;
    if (n == SOURCE_HEAD_BYTES && memcmp(head, big, n) == 0) return true;
    snprintf(e->text, sizeof e->text, "the head is wrong");
    return false;
}

static void regular_files_are_read_or_mapped(void **state)
{
    source src;
    (void)state;
    put("f", big, BIG);
    for (int k = 0; k < 3; k++) {
        assert_true(k ? source_open_by(&src, "f", look, NULL, k > 1 ? &k : NULL, &err) : source_open(&src, "f", &err));
        assert_int_equal(src.mapped, k > 1);
        assert_int_equal(src.n, BIG);
        assert_memory_equal(src.bytes, big, BIG);
        assert_true(k == 0 || size_said == BIG);
        source_close(&src);
        assert_null(src.bytes);
        assert_int_equal(src.n, 0);
        source_close(&src);
    }
    assert_int_equal(truncate("f", 1000), 0);
    assert_false(source_open_by(&src, "f", look, NULL, &src, &err));
    assert_string_equal(err.text, "the head is wrong");
    assert_null(src.bytes);
    unlink("f");
}

/* What lies in memory of its own is the file as it was, also behind its head. */
static void what_is_read_stays(void **state)
{
    source src;
    (void)state;
    put("f", big, BIG);
    assert_true(source_open(&src, "f", &err));
    assert_int_equal(truncate("f", 0), 0);
    put("f", big + 1, BIG - 1);
    assert_memory_equal(src.bytes, big, BIG);
    source_close(&src);
    unlink("f");
}

/* Sizes around those of the head and of a huge page. */
static void files_of_every_size_are_whole(void **state)
{
    enum { HUGE = 4 << 20 };
    static const size_t sizes[] = {1, SOURCE_HEAD_BYTES - 1, SOURCE_HEAD_BYTES, SOURCE_HEAD_BYTES + 1, HUGE, HUGE + 1};
    uint8_t *bytes = malloc(HUGE + 1);
    (void)state;
    assert_non_null(bytes);
    for (size_t i = 0; i <= HUGE; i++) bytes[i] = (uint8_t)(i % 251);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        source src;
        put("f", bytes, sizes[i]);
        assert_true(source_open(&src, "f", &err));
        assert_int_equal(src.n, sizes[i]);
        assert_memory_equal(src.bytes, bytes, sizes[i]);
        source_close(&src);
    }
    free(bytes);
    unlink("f");
}

static void files_of_proc_are_read(void **state)
{
    source src;
    (void)state;
    assert_true(source_open(&src, "/proc/self/maps", &err));
    assert_false(src.mapped);
    assert_true(src.n > 0);
    source_close(&src);
}

static void bad_inputs_are_refused(void **state)
{
    (void)state;
    put("empty", "", 0);
    assert_refused("empty", "empty file");
    assert_refused("/dev/null", "empty file");
    assert_refused(".", "is a directory");
    assert_refused("absent", "cannot open: No such file or directory");
    assert_refused("empty/f", "cannot open: Not a directory");
    for (int i = 0; i < 2; i++) { /* a list may be empty */
        source src = {.n = 1};
        assert_true(source_open_list(&src, i ? "/dev/null" : "empty", &err));
        assert_int_equal(src.n, 0);
        source_close(&src);
    }
    unlink("empty");
}

static size_t skipped;

static void read_big(void)
{
    source src;
    if (!source_open(&src, "-", &err)) _exit(1);
    if (src.n != BIG - skipped || memcmp(src.bytes, big + skipped, src.n) != 0) _exit(2);
    source_close(&src);
}

static void standard_input_may_be_a_file_read_in_part(void **state)
{
    (void)state;
    put("f", big, BIG);
    for (int k = 0; k < 2; k++) {
        int fd = open("f", O_RDONLY);
        assert_true(fd >= 0);
        skipped = k ? 100 : 0;
        assert_int_equal(lseek(fd, (off_t)skipped, SEEK_SET), skipped);
        assert_int_equal(in_child(STDIN_FILENO, fd, read_big), 0);
        close(fd);
    }
    unlink("f");
}

/* In pieces, with a pause before each. */
static void read_pipe(int flags, unsigned pause_us)
{
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    assert_int_equal(fcntl(ends[0], F_SETFL, flags), 0);
    fflush(NULL);
    pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        close(ends[0]);
        for (size_t at = 0; at < BIG;) {
            if (pause_us) usleep(pause_us);
            ssize_t k = write(ends[1], big + at, BIG - at < 7777 ? BIG - at : 7777);
            if (k <= 0) _exit(1);
            at += (size_t)k;
        }
        _exit(0);
    }
    close(ends[1]);
    skipped = 0;
    assert_int_equal(in_child(STDIN_FILENO, ends[0], read_big), 0);
    close(ends[0]);
    assert_int_equal(waitpid(pid, NULL, 0), pid);
}

static void pipes_are_read_to_their_end(void **state)
{
    (void)state;
    read_pipe(0, 0);
}

/* The pauses leave the pipe empty: read() fails with EAGAIN. */
static void pipes_that_do_not_block_are_waited_for(void **state)
{
    (void)state;
    read_pipe(O_NONBLOCK, 100);
}

static bool wants(const uint8_t *bytes, size_t n, const void *context, uint64_t *most, error *why)
{
    (void)bytes, (void)n, (void)why;
    *most = *(const size_t *)context;
    return true;
}

/* All of it is in the pipe before it is read. */
static void a_stream_that_goes_on_is_known_by_it(void **state)
{
    enum { WANTED = 200000, PIPE = 1 << 20 };
    static const size_t there[] = {WANTED - 1, WANTED, WANTED + 1, WANTED + 300000};
    size_t wanted = WANTED;
    (void)state;
    for (size_t i = 0; i < sizeof(there) / sizeof(there[0]); i++) {
        int ends[2];
        char path[64];
        source src;
        assert_int_equal(pipe(ends), 0);
        if (fcntl(ends[1], F_SETPIPE_SZ, PIPE) < PIPE) {
            print_message("no pipe of 1 MiB here\n");
            skip();
        }
        assert_int_equal(write(ends[1], big, there[i]), there[i]);
        close(ends[1]);
        snprintf(path, sizeof(path), "/proc/self/fd/%d", ends[0]);
        assert_true(source_open_by(&src, path, NULL, wants, &wanted, &err));
        assert_int_equal(src.n, there[i] < WANTED ? there[i] : WANTED);
        assert_memory_equal(src.bytes, big, src.n);
        assert_int_equal(src.goes_on, there[i] > WANTED);
        source_close(&src);
        close(ends[0]);
    }
}

static void read_terminal(void)
{
    source src;
    if (source_open(&src, "-", &err)) _exit(1);
    if (strcmp(err.text, "is a terminal") != 0) _exit(2);
}

static void terminals_are_refused(void **state)
{
    (void)state;
    int fd, terminal = open_terminal(&fd);
    assert_int_equal(in_child(STDIN_FILENO, fd, read_terminal), 0);
    close(fd);
    close(terminal);
}

static void mapped_files_have_names(void **state)
{
    static char files[MAPPED_MOST + 1][16];
    char name[32], longer[2 * MAPPED_NAME_BYTES];
    (void)state;
    for (int i = 0; i <= MAPPED_MOST; i++) {
        snprintf(name, sizeof name, "%d", i);
        mapped_add(files[i], sizeof files[i], name);
    }
    for (int i = 0; i < MAPPED_MOST; i++) {
        snprintf(name, sizeof name, "%d", i);
        assert_string_equal(mapped_name(files[i]), name);
        assert_string_equal(mapped_name(&files[i][15]), name);
    }
    assert_null(mapped_name(files[MAPPED_MOST])); /* more than are kept */
    mapped_remove(files[7]);
    assert_null(mapped_name(files[7]));
    memset(longer, 'x', sizeof longer - 1);
    longer[sizeof longer - 1] = 0;
    mapped_add(files[7], 1, longer);
    assert_int_equal(strlen(mapped_name(files[7])), MAPPED_NAME_BYTES - 1);
    assert_null(mapped_name(&files[7][1]));
    for (int i = 0; i < MAPPED_MOST; i++) mapped_remove(files[i]);
    assert_null(mapped_name(files[0]));
    assert_null(mapped_name(NULL));
}

static void a_mapped_source_has_a_name_until_it_is_closed(void **state)
{
    source src;
    (void)state;
    put("f", big, BIG);
    assert_true(source_open_by(&src, "f", look, NULL, &src, &err));
    const uint8_t *bytes = src.bytes;
    assert_string_equal(mapped_name(bytes + BIG - 1), "f");
    source_close(&src);
    assert_null(mapped_name(bytes + BIG - 1));
    unlink("f");
}

int main(void)
{
    cmocka_set_message_output(CM_OUTPUT_TAP);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(regular_files_are_read_or_mapped),
        cmocka_unit_test(what_is_read_stays),
        cmocka_unit_test(files_of_every_size_are_whole),
        cmocka_unit_test(files_of_proc_are_read),
        cmocka_unit_test(bad_inputs_are_refused),
        cmocka_unit_test(standard_input_may_be_a_file_read_in_part),
        cmocka_unit_test(pipes_are_read_to_their_end),
        cmocka_unit_test(pipes_that_do_not_block_are_waited_for),
        cmocka_unit_test(a_stream_that_goes_on_is_known_by_it),
        cmocka_unit_test(terminals_are_refused),
        cmocka_unit_test(mapped_files_have_names),
        cmocka_unit_test(a_mapped_source_has_a_name_until_it_is_closed),
    };
    return cmocka_run_group_tests(tests, enter, leave);
}
