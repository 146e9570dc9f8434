/* main.c - runs the cases of all subjects over all targets, in several processes, and prints TAP.
 *
 *     check [--quick] [--stride N] [--seed N] [--jobs N] [--only WORD]... [--case SUBJECT:K] [--list] [--device]
 *
 *     --quick        small shapes, for compute-sanitizer
 *     --stride N     every Nth case of each subject
 *     --seed N       other contents, placements and schedules; 1
 *     --jobs N       processes; one for each core by default; 0: none but this one, for debuggers and sanitizers
 *     --only WORD    the tests of that subject, or of that target; several: of one of the subjects and of one of the
 *                    targets
 *     --case S:K     case K of subject S alone, as a failing case prints it
 *     --list         the tests' names
 *     --device       what runs the tests of devices; status 1 where nothing does
 *
 * Workers take cases from a common counter, make each once and put it to every target.  When a worker dies, or its
 * device is lost, the parent reports the case that it was in and starts another behind it.  A case that hangs is ended
 * by an alarm.  All counts are in memory that the processes share. */
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"

#ifdef SAT_SIMT
#include "simt.h"
#endif

static const subject *const subjects[] = {
    &subject_brute,         &subject_tables,         &subject_bands,         &subject_plans,      &subject_range,
    &subject_filters,       &subject_crops,          &subject_queries,       &subject_scans,      &subject_shapes,
    &subject_hosts,         &subject_batches,        &subject_batch_filters, &subject_windows,    &subject_squares,
    &subject_statistics,
#if SAT_WITH_CUDA && !defined(SAT_SIMT)
    &subject_stream_tables, &subject_stream_queries, &subject_stream_scans,  &subject_big_tables, &subject_big_scans,
#endif
};

enum {
    SUBJECTS = sizeof subjects / sizeof *subjects,
    MAX_TARGETS = 64,
    MAX_JOBS = 64,
    MAX_DEATHS = 40,  /* of workers, after which nothing more is to be learnt */
    SHOWN = 5,        /* failures of one test; the others are counted */
    PATIENCE_S = 100, /* for one case on one target, under a sanitizer too */
};

static struct {
    effort effort;
    uint64_t seed;
    int jobs;
    size_t stride;
    const char *only[16];
    int onlys;
    const char *subject; /* --case */
    long long the_case;
} opt = {.seed = 1, .jobs = -1, .stride = 1, .the_case = -1};

/* ---- what the processes share ---------------------------------------------------------------------- */

typedef struct result {
    _Atomic long cases, failed;
} result;

/* Where a worker is. */
typedef struct place {
    int subject, target;
    size_t k;
    bool busy;
} place;

static struct shared {
    _Atomic size_t next[SUBJECTS];
    result results[SUBJECTS][MAX_TARGETS];
    place places[MAX_JOBS];
} * shared;

static target targets[MAX_TARGETS];
static int n_targets;

/* ---- the case that runs ---------------------------------------------------------------------------- */

static struct {
    const subject *subject;
    const target *target; /* NULL while the case is made */
    int subject_index, target_index;
    size_t k;
    bool failed, passed_over, lost;
    char text[200];
} now;

static void say(const char *line)
{
    size_t n = strlen(line);
    if (write(STDOUT_FILENO, line, n) != (ssize_t)n) _exit(4);
}

/* One line with all that it takes to see it again. */
static void report(const subject *s, const target *t, size_t k, const char *words, const char *how)
{
    char line[1600];
    snprintf(line, sizeof line, "# FAIL %s%s%s: %s%s%s\n#      again: --seed %llu%s --case %s:%zu%s%s\n",
             t ? t->name : "", t ? " " : "", s->name, words, *words ? ": " : "", how, (unsigned long long)opt.seed,
             opt.effort == QUICK ? " --quick" : "", s->name, k, t ? " --only " : "", t ? t->name : "");
    say(line);
}

void fail(const char *format, ...)
{
    char how[600];
    va_list args;
    va_start(args, format);
    vsnprintf(how, sizeof how, format, args);
    va_end(args);
    if (now.failed) return; /* what follows a failure is its consequence */
    now.failed = true;
    if (now.target == NULL) {
        report(now.subject, NULL, now.k, now.text, how);
        return;
    }
    long before = atomic_fetch_add(&shared->results[now.subject_index][now.target_index].failed, 1);
    if (before < SHOWN) report(now.subject, now.target, now.k, now.text, how);
#ifdef SAT_SIMT
    if (before < SHOWN && simt_fault() == NULL) {
        char line[600];
        snprintf(line, sizeof line, "#      replay: %s\n", simt_replay());
        say(line);
    }
#endif
}

bool is_status(sat_status got, sat_status want, const char *what)
{
    if (got == want) return true;
    if (got == SAT_ERR_DEVICE) now.lost = true;
    if (got == SAT_ERR_UNAVAILABLE && now.target &&
        now.target->kind == SAT_PEER) { /* it need not do all that ours do */
        pass_over();
        return false;
    }
    fail("%s: status %d (%s), not %d: %s", what, (int)got, sat_status_text(got), (int)want,
         got == SAT_OK ? "" : sat_detail());
    return false;
}

void pass_over(void)
{
    now.passed_over = true;
}

/* ---- targets --------------------------------------------------------------------------------------- */

static void find_targets(void)
{
    sat_lab_backend_info b;
    sat_scan_info s;
    int table_filters = 0;
    n_targets = 0;
    for (size_t i = 0; n_targets < MAX_TARGETS && sat_lab_backend_at(i, &b); i++)
        targets[n_targets++] = (target){.name = b.name,
                                        .why = b.why,
                                        .kind = b.kind,
                                        .device = b.device,
                                        .repeatable = b.repeatable,
                                        .available = b.available,
                                        .squares = b.squares,
                                        .table_filter = b.filters ? -1 : table_filters++};
    for (size_t i = 0; n_targets < MAX_TARGETS && sat_scan_at(i, &s); i++)
        targets[n_targets++] = (target){.name = s.name,
                                        .why = s.why,
                                        .kind = s.kind,
                                        .scans = true,
                                        .device = s.device,
                                        .repeatable = s.repeatable,
                                        .available = s.available,
                                        .table_filter = -1,
                                        .segment = s.segment};
}

static bool is_subject(const char *word)
{
    for (int i = 0; i < SUBJECTS; i++)
        if (strcmp(subjects[i]->name, word) == 0) return true;
    return false;
}

static bool wanted(const subject *s, const target *t)
{
    if (!s->fits(t) || s->cases(opt.effort) == 0) return false;
    if (opt.effort == QUICK && t->kind == SAT_PEER) return false; /* not ours to mend */
    if (opt.subject && strcmp(opt.subject, s->name) != 0) return false;
    bool words[2] = {false}, right[2] = {false}; /* that name subjects, that name targets */
    for (int i = 0; i < opt.onlys; i++) {
        int of = !is_subject(opt.only[i]);
        words[of] = true;
        right[of] = right[of] || strcmp(opt.only[i], of ? t->name : s->name) == 0;
    }
    return right[0] == words[0] && right[1] == words[1];
}

/* ---- a worker -------------------------------------------------------------------------------------- */

static void put(void *made, int subject_index, int target_index, size_t k, place *here)
{
    const subject *s = subjects[subject_index];
    now.target = &targets[target_index];
    now.target_index = target_index;
    now.failed = now.passed_over = false;
    *here = (place){.subject = subject_index, .target = target_index, .k = k, .busy = true};
#ifdef SAT_SIMT
    char arguments[200];
    snprintf(arguments, sizeof arguments, "--seed %llu --case %s:%zu --only %s", (unsigned long long)opt.seed, s->name,
             k, now.target->name);
    simt_case(arguments);
    simt_seed(sequence(opt.seed, now.target->name, k));
#endif
    alarm(PATIENCE_S);
    s->run(made, now.target);
    alarm(0);
    if (!now.passed_over) atomic_fetch_add(&shared->results[subject_index][target_index].cases, 1);
}

/* The laboratory's tables on a device take every third case in the simulator, in turns; of the many tables every fifth,
 * which have all types; of batches, which the library makes image by image, every ninth. */
static bool takes(const subject *s, int t, size_t k)
{
    bool laboratory = targets[t].device && targets[t].kind == SAT_METHOD && targets[t].table_filter >= 0;
    size_t turns = s == &subject_batches ? 9 : s == &subject_tables ? 5 : 3;
    return opt.effort != SIMT || opt.the_case >= 0 || !laboratory || (k + (size_t)t) % turns == 0;
}

/* Case k for the targets from `first` on. */
static void run_case(int subject_index, size_t k, int first, place *here)
{
    const subject *s = subjects[subject_index];
    now.subject = s;
    now.subject_index = subject_index;
    now.target = NULL;
    now.k = k;
    now.failed = false;
    snprintf(now.text, sizeof now.text, "case %zu", k);
    bool any = false;
    for (int t = first; t < n_targets; t++) any = any || (targets[t].available && wanted(s, &targets[t]));
    if (!any) return;
    void *made = s->make(sequence(opt.seed, s->name, k), k, opt.effort);
    if (made) s->text(made, now.text, sizeof now.text);
    for (int t = first; t < n_targets; t++) {
        if (!targets[t].available || !wanted(s, &targets[t]) || !takes(s, t, k)) continue;
        if (made)
            put(made, subject_index, t, k, here);
        else
            atomic_fetch_add(&shared->results[subject_index][t].failed, 1);
#ifndef SAT_SIMT
        if (now.lost && opt.jobs > 0) _exit(3); /* after an error of the device nothing works; another process may */
#endif
        now.lost = false;
    }
    if (made) s->drop(made);
    here->busy = false;
}

static size_t cases_of(int subject_index)
{
    return subjects[subject_index]->cases(opt.effort);
}

/* A line for each tenth of a subject's cases, so that the output shows that the run goes on. */
static void say_progress(const char *name, size_t k, size_t n)
{
    size_t tenth = n / 10 + 1;
    char line[200];
    if (k / tenth == (k + opt.stride) / tenth) return;
    snprintf(line, sizeof line, "# %s: %zu of %zu cases\n", name, k + 1, n);
    say(line);
}

static void work(int job, place from)
{
    place *here = &shared->places[job];
    if (from.busy) run_case(from.subject, from.k, from.target + 1, here);
    for (int s = 0; s < SUBJECTS; s++) {
        bool any = false;
        for (int t = 0; t < n_targets; t++) any = any || wanted(subjects[s], &targets[t]);
        if (!any) continue;
        if (opt.the_case >= 0) {
            if (job == 0) run_case(s, (size_t)opt.the_case, 0, here);
            continue;
        }
        for (size_t k, n = cases_of(s); (k = opt.stride * atomic_fetch_add(&shared->next[s], 1)) < n;) {
            run_case(s, k, 0, here);
            say_progress(subjects[s]->name, k, n);
        }
    }
}

static volatile sig_atomic_t stopping;

static void stop(int signal)
{
    (void)signal;
    stopping = 1; /* timeout(1) has sent the workers the same */
}

static pid_t start(int job, place from)
{
    fflush(stdout);
    pid_t pid = fork();
    if (pid != 0) return pid;
    signal(SIGTERM, SIG_DFL);
    find_targets();
    work(job, from);
    fflush(stdout);
    _exit(0);
}

/* ---- the parent ------------------------------------------------------------------------------------ */

/* A worker has ended in the middle of a case. */
static void bury(int job, int status)
{
    const place *p = &shared->places[job];
    char how[100];
    if (WIFSIGNALED(status))
        snprintf(how, sizeof how, "%s", WTERMSIG(status) == SIGALRM ? "hangs" : strsignal(WTERMSIG(status)));
    else
        snprintf(how, sizeof how, "ended with status %d", WEXITSTATUS(status));
    if (WIFEXITED(status) && WEXITSTATUS(status) == 3) return; /* it has told */
    atomic_fetch_add(&shared->results[p->subject][p->target].failed, 1);
    report(subjects[p->subject], &targets[p->target], p->k, "", how);
}

static int supervise(void)
{
    pid_t pids[MAX_JOBS];
    int running = 0, deaths = 0, lost = 0;
    sigaction(SIGTERM, &(struct sigaction){.sa_handler = stop}, NULL);
    for (int job = 0; job < opt.jobs; job++, running++) pids[job] = start(job, (place){0});
    while (running > 0) {
        int status, job = 0;
        pid_t pid = wait(&status);
        while (job < opt.jobs && pids[job] != pid) job++;
        if (job == opt.jobs) continue;
        running--;
        if (WIFEXITED(status) && WEXITSTATUS(status) == 0) continue;
        place at = shared->places[job];
        if (!at.busy || ++deaths > MAX_DEATHS) {
            lost++;
            continue;
        }
        bury(job, status);
        if (stopping) continue;
        pids[job] = start(job, at);
        running++;
    }
    return lost;
}

/* The targets, as a process of its own sees them: the parent must not touch the device before it forks. */
static void find_targets_aside(void)
{
    struct {
        target targets[MAX_TARGETS];
        char text[MAX_TARGETS][2][200];
        int n;
    } *seen = mmap(NULL, sizeof *seen, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (seen == MAP_FAILED) exit(2);
    pid_t pid = fork();
    if (pid == 0) {
        find_targets();
        for (int i = 0; i < n_targets; i++) {
            seen->targets[i] = targets[i];
            snprintf(seen->text[i][0], 200, "%s", targets[i].name);
            snprintf(seen->text[i][1], 200, "%s", targets[i].why);
        }
        seen->n = n_targets;
        _exit(0);
    }
    while (waitpid(pid, NULL, 0) < 0) continue;
    n_targets = seen->n;
    for (int i = 0; i < n_targets; i++) {
        targets[i] = seen->targets[i];
        targets[i].name = seen->text[i][0];
        targets[i].why = seen->text[i][1];
    }
}

static int print_results(bool names_only)
{
    int n = 0, bad = 0;
    for (int s = 0; s < SUBJECTS; s++)
        for (int t = 0; t < n_targets; t++) {
            if (!wanted(subjects[s], &targets[t])) continue;
            long cases = shared->results[s][t].cases, failed = shared->results[s][t].failed;
            n++;
            if (names_only) {
                printf("%s %s%s%s\n", targets[t].name, subjects[s]->name, targets[t].available ? "" : ": ",
                       targets[t].available ? "" : targets[t].why);
            } else if (!targets[t].available) {
                printf("ok %d - %s %s # SKIP %s%s\n", n, targets[t].name, subjects[s]->name, targets[t].why,
                       targets[t].kind == SAT_PEER ? " (peer)" : "");
            } else if (cases == 0 && failed == 0 && targets[t].kind == SAT_PEER) {
                printf("ok %d - %s %s # SKIP it does nothing of this (peer)\n", n, targets[t].name, subjects[s]->name);
            } else {
                bool all = opt.the_case < 0 && opt.stride == 1; /* then each must have been asked something */
                bool ok = failed == 0 && (cases > 0 || !all);
                bad += !ok;
                printf("%sok %d - %s %s: %ld cases", ok ? "" : "not ", n, targets[t].name, subjects[s]->name, cases);
                printf(failed ? ", %ld failed\n" : "\n", failed);
            }
        }
    if (!names_only) printf("1..%d\n", n);
    return bad;
}

static int print_device(void)
{
    sat_device_info d;
    if (sat_device_current(&d) != SAT_OK) {
        puts(sat_detail());
        return 1;
    }
    printf("%s, sm_%d, CUDA %d.%d, driver for %d.%d\n", d.name, d.sm, d.runtime / 1000, d.runtime / 10 % 100,
           d.driver / 1000, d.driver / 10 % 100);
    return 0;
}

static void usage(void)
{
    fputs("usage: check [--quick] [--stride N] [--seed N] [--jobs N] [--only WORD]... [--case SUBJECT:K] [--list] "
          "[--device]\n",
          stderr);
    exit(2);
}

static long long number(const char *text)
{
    char *end;
    long long v = strtoll(text, &end, 0);
    if (*text == '\0' || *end || v < 0) usage();
    return v;
}

static bool parse(int argc, char **argv)
{
    bool list = false;
#ifdef SAT_SIMT
    opt.effort = SIMT;
#endif
    for (int i = 1; i < argc; i++) {
        const char *value = i + 1 < argc ? argv[i + 1] : "";
        if (strcmp(argv[i], "--quick") == 0) {
            if (opt.effort == FULL) opt.effort = QUICK;
        } else if (strcmp(argv[i], "--list") == 0) {
            list = true;
        } else if (strcmp(argv[i], "--device") == 0) {
            exit(print_device());
        } else if (strcmp(argv[i], "--seed") == 0) {
            opt.seed = (uint64_t)number(value), i++;
        } else if (strcmp(argv[i], "--stride") == 0) {
            opt.stride = (size_t)number(value), i++;
            if (opt.stride == 0) usage();
        } else if (strcmp(argv[i], "--jobs") == 0) {
            opt.jobs = (int)number(value), i++;
        } else if (strcmp(argv[i], "--only") == 0 && *value && opt.onlys < 16) {
            opt.only[opt.onlys++] = value, i++;
        } else if (strcmp(argv[i], "--case") == 0 && strchr(value, ':')) {
            opt.the_case = number(strchr(value, ':') + 1);
            opt.subject = strndup(value, (size_t)(strchr(value, ':') - value)), i++;
        } else {
            usage();
        }
    }
    return list;
}

int main(int argc, char **argv)
{
    bool list = parse(argc, argv);
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    if (opt.jobs < 0) opt.jobs = opt.the_case >= 0 ? 0 : cores < 1 ? 1 : (int)cores;
    if (opt.jobs > MAX_JOBS) opt.jobs = MAX_JOBS;
    shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED) return 2;
    int lost = 0;
    if (opt.jobs > 0)
        find_targets_aside();
    else
        find_targets();
    if (list) return print_results(true), 0;
    if (opt.jobs > 0)
        lost = supervise();
    else
        work(0, (place){0});
    if (lost) printf("# %d workers were lost\n", lost);
    return print_results(false) + lost != 0;
}
