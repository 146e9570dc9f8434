/* pool.c - the pool of pool.h.
 *
 * A region lives on its caller's stack.  Workers read slots, which are never freed.  A slot's state is one atomic word:
 * the invitations that are left, the workers inside, and whether the caller sleeps.  A worker that accepts an
 * invitation takes it off and counts itself in one step, so that the region behind the slot stays as long as it is
 * used.  The epoch changes whenever a region opens; idle workers watch it, and sleep on it. */
#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "pool.h"
#include "shape.h"
#include "status.h"

enum {
    SLOTS = 64,              /* regions open at once; more run in their callers alone */
    SPIN_NS = 20000,         /* about what it takes to sleep and to be woken again */
    AWAIT_NS = 200000,       /* what the last of 16 tasks waits for blocks of some 10 us, done one after the other */
    IDLE_NS = 10000000,      /* a caller that waits and has questions asks them so often */
    PAUSES = 32,             /* between two reads of the clock, each of which costs a few pauses */
    STACK_BYTES = 512 << 10, /* tasks decode and encode files: sat.h promises half of it */
    REFUSED_REGIONS = 1000,  /* after a refusal, before a thread is asked for again */
};

/* A slot's state. */
#define INVITED 0x000007ffu /* mask: invitations left, at most SAT_MAX_THREADS - 1 */
#define INSIDE  0x00000800u /* one worker inside */
#define SLEEPS  0x80000000u /* the caller waits in a futex */

static unsigned inside(unsigned state)
{
    return state & ~(INVITED | SLEEPS);
}

typedef struct region {
    _Alignas(64) atomic_llong next; /* index; taking one needs all of this cache line */
    sat_task *task;
    void *context;
    int64_t count;
    int threads;     /* that may take part, the caller among them */
    atomic_int came; /* workers */
} region;

typedef struct slot {
    _Alignas(64) atomic_uint state;
    region *region;
} slot;

static struct {
    slot slots[SLOTS];
    _Alignas(64) atomic_ullong used; /* bit i: slot i is some caller's */
    _Alignas(64) atomic_uint epoch;
    atomic_bool ending;
    _Alignas(64) atomic_int idle; /* workers in no region; of those: */
    atomic_int asleep;
    atomic_flag starting; /* held by the one thread that starts or ends workers, with all that follows */
    bool handles_fork;
    int workers, pauses; /* pauses: regions to come that start no thread */
    pthread_t thread[SAT_MAX_THREADS];
} pool = {.starting = ATOMIC_FLAG_INIT};

/* ---- waiting ----------------------------------------------------------------------------------------- */

static void pause_briefly(void)
{
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("isb");
#endif
}

static int64_t now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* Has the word another value than `old`, now or before that time? */
static bool changes_by(const atomic_uint *word, unsigned old, int64_t ns)
{
    for (;;) {
        for (int i = 0; i < PAUSES; i++) {
            if (atomic_load_explicit(word, memory_order_acquire) != old) return true;
            pause_briefly();
        }
        if (now_ns() >= ns) return false;
    }
}

/* Returns when the word is changed and woken, at once if it is not `old`, after that time unless it is NULL, or for no
 * reason. */
static void sleep_on(atomic_uint *word, unsigned old, const struct timespec *most)
{
    int before = errno;
    syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, old, most, NULL, 0);
    errno = before;
}

static void wake(atomic_uint *word, int threads)
{
    int before = errno;
    syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, threads, NULL, NULL, 0);
    errno = before;
}

void sat_advance(sat_progress *p, unsigned done)
{
    atomic_store(&p->done, done);
    if (atomic_load(&p->asleep) > 0) wake(&p->done, INT_MAX);
}

void sat_await(sat_progress *p, unsigned done)
{
    unsigned now;
    while ((int)((now = atomic_load_explicit(&p->done, memory_order_acquire)) - done) < 0) {
        if (changes_by(&p->done, now, now_ns() + AWAIT_NS)) continue;
        atomic_fetch_add(&p->asleep, 1);
        sleep_on(&p->done, now, NULL);
        atomic_fetch_sub(&p->asleep, 1);
    }
}

/* ---- workers ----------------------------------------------------------------------------------------- */

static void take_indices(region *r, int worker)
{
    for (int64_t i; (i = atomic_fetch_add_explicit(&r->next, 1, memory_order_relaxed)) < r->count;)
        r->task(r->context, i, worker);
}

/* Accepts an invitation: the region, and which of its workers this one is; NULL if there is none. */
static region *accept_one(slot *s, int *worker)
{
    unsigned state = atomic_load_explicit(&s->state, memory_order_relaxed);
    do {
        if ((state & INVITED) == 0) return NULL;
    } while (!atomic_compare_exchange_weak_explicit(&s->state, &state, state - 1 + INSIDE, memory_order_acquire,
                                                    memory_order_relaxed));
    *worker = s->region->threads - (int)(state & INVITED);
    return s->region;
}

/* There are no more indices: withdraws the invitations too.  The worker is idle before its caller can know that it has
 * left, so that the next region counts on it. */
static void leave(slot *s)
{
    atomic_fetch_add(&pool.idle, 1);
    unsigned state = atomic_load_explicit(&s->state, memory_order_relaxed);
    while (!atomic_compare_exchange_weak_explicit(&s->state, &state, (state & ~INVITED) - INSIDE, memory_order_acq_rel,
                                                  memory_order_relaxed)) {}
    if ((state & SLEEPS) && inside(state) == INSIDE) wake(&s->state, 1);
}

/* Works in the first region that has an invitation; false if none has. */
static bool work_somewhere(void)
{
    for (uint64_t used = atomic_load(&pool.used); used; used &= used - 1) {
        slot *s = &pool.slots[__builtin_ctzll(used)];
        int worker;
        region *r = accept_one(s, &worker);
        if (r == NULL) continue;
        atomic_fetch_sub(&pool.idle, 1);
        atomic_fetch_add_explicit(&r->came, 1, memory_order_relaxed);
        take_indices(r, worker);
        leave(s);
        return true;
    }
    return false;
}

static void *worker_thread(void *unused)
{
    int64_t until = now_ns() + SPIN_NS;
    (void)unused;
    for (;;) {
        unsigned epoch = atomic_load(&pool.epoch);
        if (atomic_load(&pool.ending)) break;
        if (work_somewhere()) {
            until = now_ns() + SPIN_NS;
        } else if (!changes_by(&pool.epoch, epoch, until)) {
            atomic_fetch_add(&pool.asleep, 1);
            sleep_on(&pool.epoch, epoch, NULL);
            atomic_fetch_sub(&pool.asleep, 1);
            until = now_ns() + SPIN_NS;
        }
    }
    return NULL;
}

/* A region has opened: idle workers that spin see it, and of the others so many are woken as it can use besides. */
static void announce(int workers)
{
    atomic_fetch_add(&pool.epoch, 1);
    int asleep = atomic_load(&pool.asleep), awake = atomic_load(&pool.idle) - asleep;
    if (asleep > 0 && workers > awake) wake(&pool.epoch, workers - awake);
}

/* A child has one thread, and that is in no region of its parent's: or a task forked, and it will not return. */
static void forget_parent(void)
{
    for (int i = 0; i < SLOTS; i++) atomic_store(&pool.slots[i].state, 0);
    atomic_store(&pool.used, 0);
    atomic_store(&pool.idle, 0);
    atomic_store(&pool.asleep, 0);
    atomic_store(&pool.ending, false);
    pool.workers = pool.pauses = 0;
    atomic_flag_clear(&pool.starting);
}

/* Signals go to the program's own threads, but for those that a thread brings on itself. */
static void signals_of_worker(sigset_t *set)
{
    static const int own[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS, SIGPIPE, SIGXFSZ};
    sigfillset(set);
    for (size_t i = 0; i < sizeof own / sizeof *own; i++) sigdelset(set, own[i]);
}

/* One more worker; false if the system has none. */
static bool start_worker(void)
{
    pthread_attr_t attr;
    pthread_t *thread = &pool.thread[pool.workers];
    if (pthread_attr_init(&attr) != 0) return false;
    int code = pthread_attr_setstacksize(&attr, STACK_BYTES);
    if (code == 0) code = pthread_create(thread, &attr, worker_thread, NULL);
    if (code == EINVAL) code = pthread_create(thread, NULL, worker_thread, NULL); /* much thread-local storage */
    pthread_attr_destroy(&attr);
    if (code == 0) pool.workers++;
    return code == 0;
}

/* Starts the workers that a region of so many threads, which invites so many workers, lacks.  All regions together have
 * a worker for each processor but one, or as many as one of them asked for. */
static void start_workers(int threads, int invited)
{
    sigset_t mask, old;
    if (atomic_load(&pool.idle) >= invited || atomic_flag_test_and_set(&pool.starting)) return;
    int most = threads - 1;
    if (pool.workers >= most) most = sat_processors() - 1;
    if (pool.pauses > 0) {
        pool.pauses--;
    } else if (pool.handles_fork && pool.workers < most) {
        signals_of_worker(&mask);
        pthread_sigmask(SIG_SETMASK, &mask, &old);
        bool more = true;
        while (more && atomic_load(&pool.idle) < invited && pool.workers < most) {
            atomic_fetch_add(&pool.idle, 1);
            more = start_worker();
            if (!more) atomic_fetch_sub(&pool.idle, 1);
        }
        if (!more) pool.pauses = REFUSED_REGIONS;
        pthread_sigmask(SIG_SETMASK, &old, NULL);
    }
    atomic_flag_clear(&pool.starting);
}

/* When the program or the library is loaded, before any region can be open. */
__attribute__((constructor)) static void register_fork(void)
{
    pool.handles_fork = pthread_atfork(NULL, NULL, forget_parent) == 0;
}

/* At exit() and before the library is unloaded. */
__attribute__((destructor)) static void end_workers(void)
{
    if (atomic_load(&pool.used) != 0 || atomic_flag_test_and_set(&pool.starting)) return;
    atomic_store(&pool.ending, true);
    atomic_fetch_add(&pool.epoch, 1);
    wake(&pool.epoch, INT_MAX);
    while (pool.workers > 0) pthread_join(pool.thread[--pool.workers], NULL);
    atomic_store(&pool.idle, 0);
    atomic_store(&pool.ending, false);
    atomic_flag_clear(&pool.starting);
}

/* ---- regions ----------------------------------------------------------------------------------------- */

static slot *free_slot(void)
{
    unsigned long long used = atomic_load_explicit(&pool.used, memory_order_relaxed), lowest;
    do {
        lowest = ~used & (used + 1);
        if (lowest == 0) return NULL;
    } while (!atomic_compare_exchange_weak(&pool.used, &used, used | lowest));
    return &pool.slots[__builtin_ctzll(lowest)];
}

static void open_region(slot *s, region *r)
{
    int invited = r->threads - 1;
    s->region = r;
    atomic_store_explicit(&s->state, (unsigned)invited, memory_order_release);
    announce(invited);
    start_workers(r->threads, invited);
}

/* Returns when all workers inside have left. */
static void close_region(slot *s, void (*idle)(void *argument), void *argument)
{
    const struct timespec ask = {.tv_nsec = IDLE_NS};
    int64_t until = 0;
    unsigned state = atomic_fetch_and_explicit(&s->state, ~INVITED, memory_order_acq_rel) & ~INVITED;
    while (inside(state) > 0) {
        if (until == 0) until = now_ns() + SPIN_NS;
        if (!changes_by(&s->state, state, until) &&
            ((state & SLEEPS) || atomic_compare_exchange_strong(&s->state, &state, state | SLEEPS))) {
            sleep_on(&s->state, state | SLEEPS, idle ? &ask : NULL);
            if (idle) idle(argument);
        }
        state = atomic_load_explicit(&s->state, memory_order_acquire);
    }
    atomic_store_explicit(&s->state, 0, memory_order_relaxed);
    atomic_fetch_and(&pool.used, ~(1ull << (s - pool.slots)));
}

int sat_parallel_waiting(int threads, int64_t count, sat_task *task, void *context, void (*idle)(void *argument),
                         void *argument)
{
    if (task == NULL || count < 1) return 0;
    if (threads <= 0) threads = sat_processors();
    if (threads > SAT_MAX_THREADS) threads = SAT_MAX_THREADS;
    if (threads > count) threads = (int)count;
    region r = {.task = task, .context = context, .count = count, .threads = threads};
    slot *s = threads > 1 ? free_slot() : NULL;
    if (s) open_region(s, &r);
    take_indices(&r, 0);
    if (s) close_region(s, idle, argument);
    return 1 + atomic_load_explicit(&r.came, memory_order_relaxed);
}

int sat_parallel(int threads, int64_t count, sat_task *task, void *context)
{
    return sat_parallel_waiting(threads, count, task, context, NULL, NULL);
}

typedef struct jobs {
    sat_task *task;
    void *context;
    int64_t count;
    _Atomic int64_t next;
    atomic_int took; /* jobs that have had an index */
} jobs;

static void do_job(void *argument, int worker)
{
    jobs *j = argument;
    int64_t i = atomic_fetch_add(&j->next, 1);
    if (i < j->count) atomic_fetch_add(&j->took, 1);
    for (; i < j->count; i = atomic_fetch_add(&j->next, 1)) j->task(j->context, i, worker);
}

int sat_parallel_on(const sat_executor *executor, int threads, int64_t count, sat_task *task, void *context)
{
    if (executor == NULL || task == NULL || count < 1) return sat_parallel(threads, count, task, context);
    if (threads <= 0) threads = sat_processors();
    if (threads > count) threads = (int)count;
    jobs j = {.task = task, .context = context, .count = count};
    if (threads == 1)
        do_job(&j, 0);
    else
        executor->run(executor->context, threads, do_job, &j);
    return atomic_load(&j.took);
}

sat_status sat_check_executor(const sat_executor *executor)
{
    return executor && executor->run == NULL ? sat_fail(SAT_ERR_ARGUMENT, "an executor without a function") : SAT_OK;
}

int sat_processors(void)
{
    cpu_set_t set[8]; /* as many processors as Linux can be built for: 8192 */
    int n = sched_getaffinity(0, sizeof set, set) == 0 ? CPU_COUNT_S(sizeof set, set) : 1;
    return n < 1 ? 1 : n > SAT_MAX_THREADS ? SAT_MAX_THREADS : n;
}
