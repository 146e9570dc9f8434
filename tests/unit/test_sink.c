/* Outputs are whole or not there. */
#include <sys/resource.h>

#include "sink_test.h"
#include "terminal.h"

static void the_target_appears_at_commit_only(void **state)
{
    sink *s;
    (void)state;
    put("f", "old");
    assert_true(sink_open(&s, "f", NULL, &err));
    assert_true(sink_write(s, "new!", 4, &err));
    assert_holds("f", "old", 3);
    assert_int_equal(files_here(), 1 + temporary_names());
    assert_true(sink_commit(&s, &err));
    assert_holds("f", "new!", 4);
    assert_int_equal(files_here(), 1);
    unlink("f");
}

static void abort_leaves_nothing(void **state)
{
    sink *s;
    (void)state;
    put("f", "old");
    assert_true(sink_open(&s, "f", NULL, &err));
    assert_true(sink_write(s, "new!", 4, &err));
    sink_abort(&s);
    assert_null(s);
    sink_abort(&s);
    sink_abort(NULL);
    assert_holds("f", "old", 3);
    assert_int_equal(files_here(), 1);
    unlink("f");
}

static void every_size_arrives_whole(void **state)
{
    static const size_t pieces[] = {1, 4095, 1 << 16, (1 << 20) - 1, 1 << 20, (1 << 20) + 1, 3000001};
    enum { TOTAL = 6500000 };
    uint8_t *bytes = malloc(TOTAL);
    (void)state;
    assert_non_null(bytes);
    for (size_t i = 0; i < TOTAL; i++) bytes[i] = (uint8_t)(i % 251);
    for (size_t p = 0; p < sizeof(pieces) / sizeof(*pieces); p++) {
        sink *s;
        size_t total = pieces[p] == 1 ? 70000 : TOTAL;
        assert_true(sink_open(&s, "f", NULL, &err));
        for (size_t at = 0; at < total; at += pieces[p])
            assert_true(sink_write(s, bytes + at, total - at < pieces[p] ? total - at : pieces[p], &err));
        assert_true(sink_write(s, NULL, 0, &err));
        assert_true(sink_commit(&s, &err));
        assert_holds("f", bytes, total);
    }
    free(bytes);
    unlink("f");
}

static void rewriting_reaches_what_was_written(void **state)
{
    sink *s;
    (void)state;
    assert_true(sink_open(&s, "f", NULL, &err));
    assert_true(sink_write(s, "....end", 7, &err));
    assert_true(sink_rewrite(s, 1, "ab", 2, &err));
    assert_true(sink_rewrite(s, 7, "", 0, &err));
    assert_false(sink_rewrite(s, 6, "ab", 2, &err));
    assert_false(sink_rewrite(s, SIZE_MAX, "ab", 2, &err));
    assert_true(sink_write(s, "!", 1, &err));
    assert_true(sink_commit(&s, &err));
    assert_holds("f", ".ab.end!", 8);
    assert_true(sink_open(&s, "f", NULL, &err));
    assert_true(sink_write(s, "head", 4, &err));
    assert_true(sink_reserve(s, 4, &err));
    assert_true(sink_write(s, "end", 3, &err));
    assert_true(sink_rewrite(s, 6, "cd", 2, &err));
    assert_true(sink_rewrite(s, 4, "ab", 2, &err));
    assert_true(sink_commit(&s, &err));
    assert_holds("f", "headabcdend", 11);
    assert_true(sink_open(&s, "f", NULL, &err));
    assert_false(sink_reserve(s, UINT64_MAX, &err)); /* and it stays failed */
    assert_non_null(strstr(err.text, "File too large"));
    assert_false(sink_commit(&s, &err));
    assert_holds("f", "headabcdend", 11);
    unlink("f");

    assert_true(sink_open(&s, "/dev/null", NULL, &err));
    assert_true(sink_write(s, "....", 4, &err));
    assert_false(sink_rewrite(s, 0, "ab", 2, &err));
    assert_false(sink_reserve(s, 4, &err));
    assert_true(sink_commit(&s, &err));
}

static void a_name_that_comes_up_meanwhile_is_replaced(void **state)
{
    sink *s;
    (void)state;
    assert_true(sink_open(&s, "f", NULL, &err));
    assert_true(sink_write(s, "mine", 4, &err));
    put("f", "theirs");
    assert_true(sink_commit(&s, &err));
    assert_holds("f", "mine", 4);
    assert_int_equal(files_here(), 1);
    unlink("f");
}

static void symbolic_links_are_followed(void **state)
{
    struct stat st;
    (void)state;
    assert_int_equal(mkdir("d", 0777), 0);
    put("d/real", "old");
    assert_int_equal(symlink("real", "d/inner"), 0);
    assert_int_equal(symlink("d/inner", "outer"), 0);
    assert_int_equal(symlink("d/absent", "dangling"), 0);
    write_file("outer", "new");
    write_file("dangling", "made");
    assert_int_equal(lstat("outer", &st), 0);
    assert_true(S_ISLNK(st.st_mode));
    assert_holds("d/real", "new", 3);
    assert_holds("d/absent", "made", 4);

    assert_int_equal(symlink("loop", "loop"), 0);
    assert_refused("loop", NULL, "cannot write here: Too many levels of symbolic links");
    unlink("loop"), unlink("outer"), unlink("dangling"), unlink("d/inner"), unlink("d/real"), unlink("d/absent");
    assert_int_equal(rmdir("d"), 0);
}

static void bad_targets_are_refused_at_once(void **state)
{
    (void)state;
    put("f", "old");
    assert_refused(".", NULL, "is a directory");
    assert_refused("absent/f", NULL, "its directory does not exist");
    assert_refused("absent/", NULL, "its directory does not exist");
    assert_refused("f/g", NULL, "cannot write here: Not a directory");
    assert_refused("f/", NULL, "cannot write here: Not a directory");
    assert_refused("", NULL, "the name is empty");
    char name[NAME_MAX + 8];
    memset(name, 'n', sizeof(name));
    name[NAME_MAX + 1] = 0;
    assert_refused(name, NULL, "cannot write here: File name too long");
    unlink("f");
}

static void the_longest_name_works(void **state)
{
    char name[NAME_MAX + 1];
    (void)state;
    memset(name, 'n', sizeof(name));
    name[NAME_MAX] = 0;
    write_file(name, "a");
    assert_holds(name, "a", 1);
    unlink(name);
}

/* Root may write anywhere, so a child gives its rights up. */
static void unwritable_targets_are_refused(void **state)
{
    int status;
    (void)state;
    put("f", "old");
    assert_int_equal(chmod("f", 0444), 0);
    assert_int_equal(mkdir("d", 0555), 0);
    assert_int_equal(chmod(".", 0777), 0);
    pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        sink *s;
        if (geteuid() == 0 && setuid(65534) != 0) _exit(9);
        if (sink_open(&s, "f", NULL, &err)) _exit(1);
        if (strcmp(err.text, "may not be replaced: Permission denied") != 0) _exit(2);
        if (sink_open(&s, "d/g", NULL, &err)) _exit(3);
        if (strcmp(err.text, "cannot create a file in its directory: Permission denied") != 0) _exit(4);
        _exit(0);
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(status, 0);
    assert_holds("f", "old", 3);
    unlink("f");
    rmdir("d");
}

static void no_clobber_refuses_early_and_at_commit(void **state)
{
    sink_options keep = {.no_clobber = true};
    sink *s;
    (void)state;
    put("f", "old");
    assert_refused("f", &keep, "exists already");
    assert_int_equal(symlink("absent", "link"), 0);
    assert_refused("link", &keep, "exists already");
    unlink("link");

    assert_true(sink_open(&s, "g", &keep, &err));
    assert_true(sink_write(s, "mine", 4, &err));
    put("g", "theirs");
    assert_false(sink_commit(&s, &err));
    assert_null(s);
    assert_string_equal(err.text, "exists already");
    assert_holds("g", "theirs", 6);
    assert_int_equal(files_here(), 2);
    unlink("g");

    assert_true(sink_open(&s, "g", &keep, &err));
    assert_true(sink_commit(&s, &err));
    assert_holds("g", "", 0);
    assert_true(sink_open(&s, "/dev/null", &keep, &err));
    assert_true(sink_commit(&s, &err));
    unlink("f"), unlink("g");
}

static void a_full_device_is_an_error(void **state)
{
    sink *s;
    (void)state;
    assert_true(sink_open(&s, "/dev/full", NULL, &err));
    assert_true(sink_write(s, "a", 1, &err));
    assert_false(sink_commit(&s, &err));
    assert_string_equal(err.text, "cannot write: No space left on device");
    assert_null(s);
}

static void the_first_error_stays(void **state)
{
    static uint8_t zeros[3 << 20];
    struct rlimit old, limit;
    error again;
    sink *s;
    (void)state;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
    put("f", "old");
    limit = (struct rlimit){.rlim_cur = 2500000, .rlim_max = old.rlim_max};
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
    assert_true(sink_open(&s, "f", NULL, &err));
    bool wrote = sink_write(s, zeros, sizeof(zeros), &err);
    bool wrote_more = sink_write(s, zeros, 1, &again);
    bool rewrote = sink_rewrite(s, 0, zeros, 1, &again);
    error last;
    bool committed = sink_commit(&s, &last);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &old), 0);
    assert_false(wrote);
    assert_false(wrote_more);
    assert_false(rewrote);
    assert_false(committed);
    assert_string_equal(err.text, "cannot write: File too large");
    assert_string_equal(again.text, err.text);
    assert_string_equal(last.text, err.text);
    assert_holds("f", "old", 3);
    assert_int_equal(files_here(), 1);
    unlink("f");
}

static void say_hello(void)
{
    sink *s;
    if (!sink_open(&s, "-", NULL, &err)) _exit(1);
    if (!sink_write(s, "hello", 5, &err)) _exit(2);
    if (!sink_commit(&s, &err)) _exit(strcmp(err.text, "closed pipe") ? 3 : 4);
}

static void say_hello_by_name(void)
{
    sink *s;
    if (!sink_open(&s, "/dev/stdout", NULL, &err) || !sink_write(s, "hello", 5, &err) || !sink_commit(&s, &err))
        _exit(1);
}

static void standard_output_is_written_in_place(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++) {
        int fd = open("f", O_RDWR | O_CREAT | O_TRUNC, 0666);
        assert_true(fd >= 0);
        assert_int_equal(write(fd, "> ", 2), 2);
        assert_int_equal(in_child(STDOUT_FILENO, fd, i ? say_hello_by_name : say_hello), 0);
        close(fd);
        assert_holds("f", "> hello", 7);
    }
    assert_int_equal(files_here(), 1);
    unlink("f");
}

static void a_closed_pipe_and_a_closed_output_are_errors(void **state)
{
    int ends[2];
    (void)state;
    assert_int_equal(pipe(ends), 0);
    close(ends[0]);
    int status = in_child(STDOUT_FILENO, ends[1], say_hello);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 4);
    close(ends[1]);
    status = in_child(STDOUT_FILENO, -1, say_hello);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 1);
}

static void say_hello_with_text(void)
{
    sink_options text = {.text = true};
    sink *s;
    if (sink_open(&s, "-", NULL, &err)) _exit(1);
    if (strcmp(err.text, "binary data is not written to a terminal") != 0) _exit(2);
    if (!sink_open(&s, "-", &text, &err) || !sink_write(s, "hello", 5, &err) || !sink_commit(&s, &err)) _exit(3);
}

static void only_text_goes_to_a_terminal(void **state)
{
    char have[6] = "";
    (void)state;
    int fd, terminal = open_terminal(&fd);
    assert_int_equal(in_child(STDOUT_FILENO, fd, say_hello_with_text), 0);
    assert_int_equal(read(terminal, have, 5), 5);
    assert_string_equal(have, "hello");
    close(fd);
    close(terminal);
}

/* A pipe that is full and does not block must be waited for. */
static void a_slow_reader_gets_everything(void **state)
{
    enum { TOTAL = 3 << 20 };
    int ends[2], status;
    (void)state;
    assert_int_equal(pipe2(ends, O_NONBLOCK), 0);
    fflush(NULL);
    pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        static uint8_t zeros[TOTAL];
        sink *s;
        dup2(ends[1], STDOUT_FILENO);
        close(ends[0]);
        if (!sink_open(&s, "-", NULL, &err) || !sink_write(s, zeros, TOTAL, &err) || !sink_commit(&s, &err)) _exit(1);
        _exit(0);
    }
    close(ends[1]);
    assert_int_equal(fcntl(ends[0], F_SETFL, 0), 0);
    size_t got = 0;
    static char bytes[1 << 16];
    for (ssize_t k; (k = read(ends[0], bytes, sizeof(bytes))) > 0;) got += (size_t)k;
    close(ends[0]);
    assert_int_equal(got, TOTAL);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(status, 0);
}

/* ---- descriptors ----------------------------------------------------------------------------------- */

static const char *by_name; /* of a descriptor */

static void say_hello_to(void)
{
    write_file(by_name, "hello");
}

static void a_descriptor_is_written_by_any_of_its_names(void **state)
{
    static const struct {
        const char *name;
        int fd;
    } cases[] = {{"/dev/stdout", 1},
                 {"/dev/stderr", 2},
                 {"/dev/fd/2", 2},
                 {"/dev/fd/17", 17},
                 {"/dev//fd/17", 17},
                 {"to-17", 17},
                 {"/proc/self/fd/17", 17},
                 {"/proc/thread-self/fd/17", 17},
                 {"/proc/self/task/../fd/17", 17}};
    (void)state;
    if (access("/proc/self/fd/0", F_OK) != 0) skip();
    assert_int_equal(symlink("/dev/fd/17", "to-17"), 0);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char have[6] = "";
        int ends[2], fd = open("f", O_RDWR | O_CREAT | O_TRUNC, 0666);
        by_name = cases[i].name;
        assert_int_equal(write(fd, "> ", 2), 2);
        assert_int_equal(in_child(cases[i].fd, fd, say_hello_to), 0);
        close(fd);
        assert_holds("f", "> hello", 7);

        assert_int_equal(pipe(ends), 0);
        assert_int_equal(in_child(cases[i].fd, ends[1], say_hello_to), 0);
        assert_int_equal(read(ends[0], have, 5), 5);
        assert_string_equal(have, "hello");
        close(ends[0]), close(ends[1]);
    }
    assert_int_equal(files_here(), 2);
    unlink("f"), unlink("to-17");
}

static void refuse_descriptors(void)
{
    static const char *const names[] = {"/dev/fd/17", "/proc/self/fd/17", "/dev/fd/99999999999999999999"};
    sink *s;
    for (int i = 0; i < 3; i++) {
        if (sink_open(&s, names[i], NULL, &err) || strcmp(err.text, "not open for writing") != 0) _exit(1);
    }
}

/* Of a command they are its own, of a program that calls the library they are the caller's. */
static void refuse_what_is_not_inherited(void)
{
    if (fcntl(17, F_SETFD, FD_CLOEXEC) != 0) _exit(2);
    say_hello_to();
    sink_refuse_own_descriptors();
    refuse_descriptors();
}

static void descriptors_that_are_not_open_for_writing_are_refused(void **state)
{
    (void)state;
    if (access("/proc/self/fd/0", F_OK) != 0) skip();
    put("f", "old");
    int fd = open("f", O_RDONLY);
    assert_int_equal(in_child(17, -1, refuse_descriptors), 0);
    assert_int_equal(in_child(17, fd, refuse_descriptors), 0);
    close(fd);
    fd = open("f", O_RDWR);
    by_name = "/dev/fd/17";
    assert_holds("f", "old", 3);
    assert_int_equal(in_child(17, fd, refuse_what_is_not_inherited), 0);
    close(fd);
    assert_holds("f", "hello", 5);
    assert_int_equal(files_here(), 1);
    unlink("f");
}

int main(void)
{
    cmocka_set_message_output(CM_OUTPUT_TAP);
    const struct CMUnitTest tests[] = {
        BOTH(the_target_appears_at_commit_only),
        BOTH(abort_leaves_nothing),
        BOTH(every_size_arrives_whole),
        BOTH(rewriting_reaches_what_was_written),
        BOTH(a_name_that_comes_up_meanwhile_is_replaced),
        BOTH(symbolic_links_are_followed),
        BOTH(bad_targets_are_refused_at_once),
        BOTH(the_longest_name_works),
        BOTH(unwritable_targets_are_refused),
        BOTH(no_clobber_refuses_early_and_at_commit),
        cmocka_unit_test(a_full_device_is_an_error),
        BOTH(the_first_error_stays),
        cmocka_unit_test(standard_output_is_written_in_place),
        cmocka_unit_test(a_closed_pipe_and_a_closed_output_are_errors),
        cmocka_unit_test(only_text_goes_to_a_terminal),
        cmocka_unit_test(a_slow_reader_gets_everything),
        cmocka_unit_test(a_descriptor_is_written_by_any_of_its_names),
        cmocka_unit_test(descriptors_that_are_not_open_for_writing_are_refused),
    };
    return cmocka_run_group_tests(tests, enter, leave);
}
