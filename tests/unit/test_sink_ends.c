/* A process that ends early leaves no temporary file. */
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/prctl.h>

#include "sink_test.h"

static bool watched;
static atomic_int inside;
static sem_t began;

/* A watched one takes long, and ends the process with 42 if another begins meanwhile. */
int unlink(const char *path)
{
    if (watched) {
        if (atomic_fetch_add(&inside, 1) > 0) _exit(42);
        sem_post(&began);
        for (int i = 0; i < 100; i++) poll(NULL, 0, 1);
        atomic_fetch_sub(&inside, 1);
    }
    return (int)syscall(SYS_unlinkat, AT_FDCWD, path, 0);
}

static void a_killed_process_leaves_nothing(void **state)
{
    int status;
    (void)state;
    if (temporary_names() > 0) skip();
    put("f", "old");
    fflush(NULL);
    pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        sink *s, *t;
        if (!sink_open(&s, "f", NULL, &err) || !sink_write(s, "new", 3, &err)) _exit(1);
        if (!sink_open(&t, "g", NULL, &err) || !sink_write(t, "new", 3, &err)) _exit(1);
        raise(SIGKILL);
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFSIGNALED(status));
    assert_int_equal(files_here(), 1);
    assert_holds("f", "old", 3);
    unlink("f");
}

/* A child with three sinks open gets the signal: its files go, and its status says which it was. */
static void signals_remove_every_temporary_file(void **state)
{
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
    (void)state;
    put("f", "old");
    for (size_t i = 0; i < 3; i++) {
        int ready[2], status;
        char byte;
        assert_int_equal(pipe(ready), 0);
        fflush(NULL);
        pid_t pid = fork();
        assert_true(pid >= 0);
        if (pid == 0) {
            static const char *names[] = {"f", "g", "h"};
            sink *s[3];
            prctl(PR_SET_PDEATHSIG, SIGKILL); /* if the test fails */
            for (size_t k = 0; k < 3; k++) signal(signals[k], SIG_DFL);
            if (!sink_guard_signals(&err)) _exit(1);
            for (size_t k = 0; k < 3; k++) {
                if (!sink_open(&s[k], names[k], NULL, &err) || !sink_write(s[k], "new", 3, &err)) _exit(2);
            }
            if (write(ready[1], "r", 1) != 1) _exit(3);
            for (;;) pause();
        }
        assert_int_equal(read(ready[0], &byte, 1), 1);
        assert_int_equal(files_here(), 1 + 3 * temporary_names());
        assert_int_equal(kill(pid, signals[i]), 0);
        assert_int_equal(waitpid(pid, &status, 0), pid);
        assert_true(WIFSIGNALED(status));
        assert_int_equal(WTERMSIG(status), signals[i]);
        assert_int_equal(files_here(), 1);
        assert_holds("f", "old", 3);
        close(ready[0]), close(ready[1]);
    }
    unlink("f");
}

/* A child that is cut short in reading removes its files while another of its threads removes one of its own: the
 * second has to wait, as the first reads the list of all. */
static void *abort_it(void *s)
{
    sem_wait(&began);
    sink_abort((sink **)s);
    return NULL;
}

static void a_process_that_ends_is_alone_with_the_names(void **state)
{
    (void)state;
    for (int by_exit = 0; by_exit < 2; by_exit++) {
        int status;
        fflush(NULL);
        pid_t pid = fork();
        assert_true(pid >= 0);
        if (pid == 0) {
            static const char *names[] = {"f", "g", "h"};
            sink *s[3];
            pthread_t thread;
            named = true;
            if (!sink_guard_signals(&err)) _exit(2);
            for (int k = 0; k < 3; k++)
                if (!sink_open(&s[k], names[k], NULL, &err)) _exit(2);
            int fd = open("cut", O_RDWR | O_CREAT | O_TRUNC, 0666);
            const volatile char *map = mmap(NULL, 1, PROT_READ, MAP_SHARED, fd, 0);
            if (map == MAP_FAILED || sem_init(&began, 0, 0) != 0) _exit(2);
            watched = true;
            if (pthread_create(&thread, NULL, abort_it, &s[0]) != 0) _exit(2);
            if (by_exit) exit(1);
            _exit(map[0] ? 3 : 4); /* SIGBUS: nothing of the file is there */
        }
        assert_int_equal(waitpid(pid, &status, 0), pid);
        assert_true(WIFEXITED(status));
        assert_int_equal(WEXITSTATUS(status), 1);
        unlink("cut");
        assert_int_equal(files_here(), 0);
    }
}

static void ignored_signals_stay_ignored(void **state)
{
    int status;
    (void)state;
    fflush(NULL);
    pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        signal(SIGHUP, SIG_IGN);
        signal(SIGINT, SIG_IGN);
        signal(SIGTERM, SIG_IGN);
        if (!sink_guard_signals(&err)) _exit(1);
        kill(getpid(), SIGHUP);
        kill(getpid(), SIGINT);
        write_file("f", "whole");
        _exit(0);
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(status, 0);
    assert_holds("f", "whole", 5);
    unlink("f");
}

int main(void)
{
    cmocka_set_message_output(CM_OUTPUT_TAP);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(a_killed_process_leaves_nothing, with_unnamed_files),
        BOTH(signals_remove_every_temporary_file),
        cmocka_unit_test(a_process_that_ends_is_alone_with_the_names),
        BOTH(ignored_signals_stay_ignored),
    };
    return cmocka_run_group_tests(tests, enter, leave);
}
