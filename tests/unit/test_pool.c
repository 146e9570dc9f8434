/* The pool of threads: each index is done once, whether workers are refused, late, or lost in a fork. */
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include "child.h"
#include "emulated.h"
#include "sat.h"

enum { COUNT = 1000, WATCHDOG_S = 100 };

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED 1
#else
#define SANITIZED 0
#endif

/* ---- the system's threads, of which some are refused or held back --------------------------------------- */

static atomic_int started, refuse_after = INT32_MAX;
static atomic_bool held;

typedef struct start {
    void *(*body)(void *);
    void *arg;
} start;

static void *start_when_free(void *arg)
{
    start s = *(start *)arg;
    free(arg);
    while (atomic_load(&held)) usleep(100);
    return s.body(s.arg);
}

int pthread_create(pthread_t *thread, const pthread_attr_t *attr, void *(*body)(void *), void *arg)
{
    static int (*real)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
    if (!real) real = (__typeof__(real))(uintptr_t)dlsym(RTLD_NEXT, "pthread_create");
    if (atomic_fetch_add(&started, 1) >= atomic_load(&refuse_after)) return EAGAIN;
    if (!atomic_load(&held)) return real(thread, attr, body, arg);
    start *s = malloc(sizeof *s);
    *s = (start){body, arg};
    return real(thread, attr, start_when_free, s);
}

/* ---- the system's processors ----------------------------------------------------------------------------- */

static int processors_said; /* 0 = those that are there */

int sched_getaffinity(pid_t pid, size_t bytes, cpu_set_t *set)
{
    if (processors_said == 0) return syscall(SYS_sched_getaffinity, pid, bytes, set) < 0 ? -1 : 0;
    if (bytes * 8 < (size_t)processors_said) return errno = EINVAL, -1;
    memset(set, 0, bytes);
    for (int i = 0; i < processors_said; i++) CPU_SET_S((size_t)i, bytes, set);
    return 0;
}

/* Does body in a child, whose pool is a new one.  A child that hangs is ended by its alarm.  Valgrind would call lost
 * what the parent's threads held. */
static int in_fresh_process(bool (*body)(void))
{
    const char *preloaded = getenv("LD_PRELOAD");
    int status;
    if (preloaded && strstr(preloaded, "vgpreload")) skip();
    fflush(NULL);
    pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        alarm(WATCHDOG_S);
        _exit(body() ? 0 : 1);
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    return status;
}

/* ---- regions that count ---------------------------------------------------------------------------------- */

typedef struct tally {
    atomic_int times[COUNT]; /* that each index was done */
    atomic_int busy[8];      /* threads that are this worker, at most 1 */
    int threads;
    atomic_bool wrong;
} tally;

static void count_index(void *context, int64_t index, int worker)
{
    tally *t = context;
    if (worker < 0 || worker >= t->threads || atomic_fetch_add(&t->busy[worker], 1) != 0) atomic_store(&t->wrong, true);
    if (index < 0 || index >= COUNT)
        atomic_store(&t->wrong, true);
    else
        atomic_fetch_add(&t->times[index], 1);
    if (worker >= 0 && worker < t->threads) atomic_fetch_sub(&t->busy[worker], 1);
}

static bool all_once(int threads, int64_t count, int *came)
{
    tally *t = calloc(1, sizeof *t);
    t->threads = threads;
    *came = sat_parallel(threads, count, count_index, t);
    bool ok = !atomic_load(&t->wrong) && *came >= 1 && *came <= threads;
    for (int64_t i = 0; i < COUNT; i++) ok = ok && atomic_load(&t->times[i]) == (i < count);
    free(t);
    return ok;
}

static void each_index_is_done_once(void **state)
{
    static const int64_t counts[] = {1, 2, 3, 7, 8, 9, 100, COUNT};
    int came;
    (void)state;
    for (int threads = 1; threads <= 8; threads++)
        for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) assert_true(all_once(threads, counts[i], &came));
    assert_int_equal(sat_parallel(4, 0, count_index, NULL), 0);
    assert_int_equal(sat_parallel(4, -1, count_index, NULL), 0);
    assert_int_equal(sat_parallel(4, 1, NULL, NULL), 0);
    assert_true(sat_processors() >= 1);
}

static void processors_are_counted_to_1024(void **state)
{
    static const int said[] = {1, 3, 64, 1023, 1024, 1025, 8192};
    (void)state;
    for (size_t i = 0; i < sizeof said / sizeof *said; i++) {
        processors_said = said[i];
        assert_int_equal(sat_processors(), said[i] < 1024 ? said[i] : 1024);
    }
    processors_said = 0;
}

/* A chain in which each index waits for the one before: it would hang if a higher one were begun first. */
static void wait_for_lower(void *context, int64_t index, int worker)
{
    atomic_llong *done = context;
    (void)worker;
    while (atomic_load(done) < index) sched_yield();
    atomic_store(done, index + 1);
}

static void a_task_may_wait_for_lower_indices(void **state)
{
    (void)state;
    for (int i = 0; i < 50; i++) {
        atomic_llong done = 0;
        sat_parallel(5, 200, wait_for_lower, &done);
        assert_int_equal(atomic_load(&done), 200);
    }
}

/* Plain memory: what the caller wrote is seen by the tasks, and what they wrote by the caller. */
static void double_it(void *context, int64_t index, int worker)
{
    int *values = context;
    (void)worker;
    values[index] *= 2;
}

static void a_hundred_thousand_regions_follow_each_other(void **state)
{
    int values[3] = {1, 1, 1};
    (void)state;
    for (int i = 0; i < 100000; i++) {
        if (i % 20 == 0) values[0] = values[1] = values[2] = 1;
        sat_parallel(3, 3, double_it, values);
        if (i % 20 == 19)
            for (int k = 0; k < 3; k++) assert_int_equal(values[k], 1 << 20);
    }
}

/* ---- several regions at once ----------------------------------------------------------------------------- */

static void *call_often(void *wrong)
{
    int came;
    for (int i = 0; i < 300; i++)
        if (!all_once(1 + i % 4, 1 + i % 60, &came)) atomic_store((atomic_bool *)wrong, true);
    return NULL;
}

static void callers_share_the_pool(void **state)
{
    enum { CALLERS = 6 };
    pthread_t caller[CALLERS];
    atomic_bool wrong = false;
    (void)state;
    for (int i = 0; i < CALLERS; i++) assert_int_equal(pthread_create(&caller[i], NULL, call_often, &wrong), 0);
    for (int i = 0; i < CALLERS; i++) pthread_join(caller[i], NULL);
    assert_false(atomic_load(&wrong));
}

static void call_again(void *context, int64_t index, int worker)
{
    int came;
    (void)worker;
    if (!all_once(4, index % 40 + 1, &came)) atomic_store((atomic_bool *)context, true);
}

static void call_twice_again(void *context, int64_t index, int worker)
{
    (void)worker;
    sat_parallel(3, index % 5 + 1, call_again, context);
}

static void regions_nest(void **state)
{
    atomic_bool wrong = false;
    (void)state;
    sat_parallel(4, 100, call_again, &wrong);
    sat_parallel(4, 100, call_twice_again, &wrong);
    assert_false(atomic_load(&wrong));
}

/* More regions inside each other than the pool has slots. */
static void go_deeper(void *context, int64_t index, int worker)
{
    const int *depth = context;
    int next = *depth - 1, came;
    (void)worker;
    if (next > 0 && index == 0) sat_parallel(2, 2, go_deeper, &next);
    if (next == 0) all_once(3, 20, &came);
}

static void any_number_of_regions_is_open(void **state)
{
    int depth = 100;
    (void)state;
    assert_in_range(sat_parallel(2, 2, go_deeper, &depth), 1, 2);
}

/* ---- workers that do not come ------------------------------------------------------------------------------ */

static bool without_threads(void)
{
    int came;
    atomic_store(&refuse_after, 0);
    atomic_store(&started, 0);
    for (int i = 0; i < 5000; i++)
        if (!all_once(8, 100, &came) || came != 1) return false;
    return atomic_load(&started) > 0 && atomic_load(&started) < 100; /* it does not try each time */
}

static bool with_one_thread(void)
{
    int came, most = 0;
    atomic_store(&started, 0);
    atomic_store(&refuse_after, 1);
    for (int i = 0; i < 5000; i++) {
        if (!all_once(8, 100, &came)) return false;
        if (came > most) most = came;
    }
    return most <= 2;
}

static void threads_may_be_refused(void **state)
{
    (void)state;
    assert_int_equal(in_fresh_process(without_threads), 0);
    assert_int_equal(in_fresh_process(with_one_thread), 0);
}

static bool sums_right(int threads)
{
    enum { SIDE = 256 };
    static uint8_t pixels[SIDE][SIDE];
    static uint32_t sums[SIDE][SIDE];
    sat_view image = {.data = pixels, .row_bytes = SIDE, .width = SIDE, .height = SIDE, .channels = 1, .type = SAT_U8};
    sat_view table = {
        .data = sums, .row_bytes = sizeof *sums, .width = SIDE, .height = SIDE, .channels = 1, .type = SAT_U32};
    sat_plan_spec spec = {.width = SIDE,
                          .height = SIDE,
                          .sample = SAT_U8,
                          .accum = SAT_U32,
                          .layout = SAT_INCLUSIVE,
                          .backend = "cpu",
                          .threads = threads};
    sat_plan *plan = NULL;
    memset(pixels, 1, sizeof pixels);
    memset(sums, 0, sizeof sums);
    bool ok = sat_plan_create(&plan, &spec) == SAT_OK && sat_plan_run(plan, &image, &table, NULL) == SAT_OK;
    for (int y = 0; ok && y < SIDE; y++)
        for (int x = 0; ok && x < SIDE; x++) ok = sums[y][x] == (uint32_t)((x + 1) * (y + 1));
    sat_plan_destroy(&plan);
    return ok;
}

/* Address space for what the process has and a little more: some of 64 stacks, not all. */
static bool in_little_memory(void)
{
    struct rlimit limit;
    long pages = 0;
    FILE *f = fopen("/proc/self/statm", "r");
    if (f == NULL || fscanf(f, "%ld", &pages) != 1) return false;
    fclose(f);
    limit.rlim_cur = limit.rlim_max = (rlim_t)(pages * sysconf(_SC_PAGESIZE)) + (4 << 20);
    if (setrlimit(RLIMIT_AS, &limit) != 0) return false;
    for (int i = 0; i < 3; i++)
        if (!sums_right(64)) return false;
    return true;
}

static void memory_for_stacks_may_lack(void **state)
{
    (void)state;
    if (SANITIZED) skip();
    assert_int_equal(in_fresh_process(in_little_memory), 0);
}

/* The workers exist, but none has run yet: the caller does not wait for them. */
static bool late_workers(void)
{
    int came;
    atomic_store(&held, true);
    for (int i = 0; i < 100; i++)
        if (!all_once(4, 50, &came) || came != 1) return false;
    if (!sums_right(4)) return false;
    atomic_store(&held, false);
    do {
        if (!all_once(4, 50, &came)) return false;
    } while (came == 1); /* until the watchdog ends it */
    return true;
}

static void late_workers_are_not_waited_for(void **state)
{
    (void)state;
    assert_int_equal(in_fresh_process(late_workers), 0);
}

/* ---- fork ------------------------------------------------------------------------------------------------- */

static bool regions_and_tables(void)
{
    int came;
    for (int i = 0; i < 100; i++)
        if (!all_once(4, 200, &came)) return false;
    return sums_right(4);
}

static bool parent_and_child(void)
{
    int status;
    if (!regions_and_tables()) return false;
    pid_t pid = fork();
    if (pid == 0) {
        alarm(WATCHDOG_S);
        _exit(regions_and_tables() ? 0 : 1);
    }
    return waitpid(pid, &status, 0) == pid && status == 0 && regions_and_tables();
}

static void a_child_starts_anew(void **state)
{
    (void)state;
    assert_int_equal(in_fresh_process(parent_and_child), 0);
}

static atomic_bool enough;

static void *call_until_enough(void *wrong)
{
    int came;
    while (!atomic_load(&enough))
        if (!all_once(4, 30, &came)) atomic_store((atomic_bool *)wrong, true);
    return NULL;
}

/* Children forked by a thread, while two others are somewhere in regions of their own. */
static bool children_amid_regions(void)
{
    pthread_t caller[2];
    atomic_bool wrong = false;
    bool ok = true;
    for (int i = 0; i < 2; i++) ok = ok && pthread_create(&caller[i], NULL, call_until_enough, &wrong) == 0;
    for (int i = 0; ok && i < 40; i++) {
        int status;
        pid_t pid = fork();
        if (pid == 0) {
            alarm(WATCHDOG_S);
            _exit(regions_and_tables() ? 0 : 1);
        }
        ok = waitpid(pid, &status, 0) == pid && status == 0;
    }
    atomic_store(&enough, true);
    for (int i = 0; i < 2; i++) pthread_join(caller[i], NULL);
    return ok && !atomic_load(&wrong);
}

/* Sanitizers' allocators keep, in a child, a lock that another thread of the parent held at the fork. */
static void children_may_be_forked_amid_regions(void **state)
{
    (void)state;
    if (SANITIZED || emulated_as("")) skip(); /* QEMU's own locks are not made for fork() in the midst of threads */
    assert_int_equal(in_fresh_process(children_amid_regions), 0);
}

static void fork_in_task(void *context, int64_t index, int worker)
{
    int status;
    (void)index, (void)worker;
    pid_t pid = fork();
    if (pid == 0) _exit(regions_and_tables() ? 0 : 1);
    if (waitpid(pid, &status, 0) != pid || status != 0) atomic_store((atomic_bool *)context, true);
}

static bool children_of_tasks(void)
{
    atomic_bool wrong = false;
    sat_parallel(3, 12, fork_in_task, &wrong);
    return !atomic_load(&wrong) && regions_and_tables();
}

static void children_may_be_forked_by_tasks(void **state)
{
    (void)state;
    if (emulated_as("")) skip();
    assert_int_equal(in_fresh_process(children_of_tasks), 0);
}

/* ---- the workers themselves --------------------------------------------------------------------------------- */

typedef struct two_threads {
    atomic_int begun;
    int signals[2]; /* of the worker: SIGINT and SIGSEGV are blocked */
} two_threads;

/* Returns when both indices have begun, each in its own thread. */
static void wait_for_both(void *context, int64_t index, int worker)
{
    two_threads *m = context;
    sigset_t mask;
    (void)index;
    if (worker > 0) {
        pthread_sigmask(SIG_BLOCK, NULL, &mask);
        m->signals[0] = sigismember(&mask, SIGINT);
        m->signals[1] = sigismember(&mask, SIGSEGV);
    }
    atomic_fetch_add(&m->begun, 1);
    while (atomic_load(&m->begun) < 2) sched_yield();
}

static bool signals_of_workers(void)
{
    two_threads m = {.signals = {-1, -1}};
    return sat_parallel(2, 2, wait_for_both, &m) == 2 && m.signals[0] == 1 && m.signals[1] == 0;
}

static void workers_block_signals_but_those_of_their_own(void **state)
{
    (void)state;
    assert_int_equal(in_fresh_process(signals_of_workers), 0);
}

static int threads_here(void)
{
    struct stat s;
    return stat("/proc/self/task", &s) == 0 ? (int)s.st_nlink - 2 : -1;
}

static char library[256];

/* The workers end when the library is unloaded: none runs code that is gone. */
static bool loaded_and_unloaded(void)
{
    for (int i = 0; i < 20; i++) {
        void *so = dlopen(library, RTLD_NOW | RTLD_LOCAL);
        if (so == NULL) return false;
        int (*parallel)(int, int64_t, sat_task *, void *) = (__typeof__(parallel))(uintptr_t)dlsym(so, "sat_parallel");
        two_threads m = {.begun = 0};
        if (parallel(2, 2, wait_for_both, &m) != 2 || threads_here() < 2) return false;
        dlclose(so);
        while (threads_here() > 1) sched_yield(); /* /proc lists a thread a little longer; else until the alarm */
    }
    return true;
}

static void no_thread_stays_behind_the_library(void **state)
{
    const char *built = getenv("B");
    (void)state;
    snprintf(library, sizeof library, "%s/libsat.so", built ? built : "build");
    if (SANITIZED || access(library, R_OK) != 0) skip(); /* a sanitizer's build has no shared library */
    if (emulated_as("")) skip();                         /* QEMU has a thread of its own */
    assert_int_equal(in_fresh_process(loaded_and_unloaded), 0);
}

int main(void)
{
    cmocka_set_message_output(CM_OUTPUT_TAP);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_index_is_done_once),
        cmocka_unit_test(processors_are_counted_to_1024),
        cmocka_unit_test(a_task_may_wait_for_lower_indices),
        cmocka_unit_test(a_hundred_thousand_regions_follow_each_other),
        cmocka_unit_test(callers_share_the_pool),
        cmocka_unit_test(regions_nest),
        cmocka_unit_test(any_number_of_regions_is_open),
        cmocka_unit_test(threads_may_be_refused),
        cmocka_unit_test(memory_for_stacks_may_lack),
        cmocka_unit_test(late_workers_are_not_waited_for),
        cmocka_unit_test(a_child_starts_anew),
        cmocka_unit_test(children_may_be_forked_amid_regions),
        cmocka_unit_test(children_may_be_forked_by_tasks),
        cmocka_unit_test(workers_block_signals_but_those_of_their_own),
        cmocka_unit_test(no_thread_stays_behind_the_library),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
