/* run.c - the options of runs, and their ends. */
#include "run.h"
#include "pool.h"
#include "sized.h"
#include "status.h"

/* What one thread works between two questions: far less than the 20 ms that sat.h promises, since estimates of work are
 * of one machine, and far more than a question takes. */
#define ASK_US 1000.0

sat_status sat_take_run(sat_run *run, sat_control *control, const sat_run_options *given, size_t bytes,
                        unsigned members)
{
    sat_run_options o = {0};
    sat_status status = given ? sat_take_struct(&o, sizeof o, given, bytes, "run") : SAT_OK;
    if (status != SAT_OK) return status;
    for (size_t i = 0; i < sizeof o.reserved; i++)
        if (o.reserved[i]) return sat_fail(SAT_ERR_ARGUMENT, "run: the member reserved is not false");
    if (!(members & SAT_RUN_ROWS) && (o.first_row != 0 || o.rows != 0))
        return sat_fail(SAT_ERR_ARGUMENT, "run: first_row and rows; all rows are made here");
    if (o.progress) return sat_fail(SAT_ERR_ARGUMENT, "run: progress is for later versions; proceed is called");
    if (!(members & SAT_RUN_CARRIES) && (o.carry_in || o.carry_out))
        return sat_fail(SAT_ERR_ARGUMENT, "run: carry_in and carry_out are for tables");
    if (!(members & (SAT_RUN_CARRIES | SAT_RUN_ROWS)) && o.continues)
        return sat_fail(SAT_ERR_ARGUMENT, "run: continues; all rows are made here");
    if (!(members & SAT_RUN_MASK) && o.mask) return sat_fail(SAT_ERR_ARGUMENT, "run: a mask; nothing here takes one");
    *control = (sat_control){.proceed = o.proceed, .context = o.context};
    *run = (sat_run){.stream = o.stream,
                     .carry_in = o.carry_in,
                     .carry_out = o.carry_out,
                     .continues = o.continues,
                     .asks = true,
                     .counts = o.counts,
                     .moved =
                         o.counts && bytes >= offsetof(sat_run_options, mask) + sizeof o.mask ? &o.counts->moved : NULL,
                     .mask = o.mask,
                     .control = o.proceed ? control : NULL,
                     .first = o.first_row,
                     .end = o.rows,
                     .follows = o.continues};
    if (o.counts) memset(o.counts, 0xff, offsetof(sat_counts, moved));
    if (run->moved) *run->moved = -1;
    return SAT_OK;
}

bool sat_ask(const sat_run *run)
{
    sat_control *c = run->control;
    if (c == NULL) return true;
    if (__atomic_load_n(&c->ended, __ATOMIC_SEQ_CST)) return false;
    c->work_us = 0;
    const bool on = c->proceed(c->context);
    if (!on) __atomic_store_n(&c->ended, true, __ATOMIC_SEQ_CST);
    return on;
}

bool sat_worked(const sat_run *run, int worker, double us)
{
    sat_control *c = run->control;
    if (!run->asks || worker != 0) return !__atomic_load_n(&c->ended, __ATOMIC_SEQ_CST);
    c->work_us += us;
    return c->work_us < ASK_US ? !__atomic_load_n(&c->ended, __ATOMIC_SEQ_CST) : sat_ask(run);
}

sat_status sat_run_status(const sat_run *run)
{
    const bool ended = run->control && __atomic_load_n(&run->control->ended, __ATOMIC_SEQ_CST);
    return ended ? sat_fail(SAT_ERR_CANCELLED, "the caller ended the run") : SAT_OK;
}

sat_status sat_run_asked(const sat_run *run)
{
    (void)sat_ask(run);
    return sat_run_status(run);
}

static void ask_while_waiting(void *run)
{
    (void)sat_ask(run);
}

sat_status sat_run_each(const sat_run *run, const sat_executor *executor, int threads, int64_t count, sat_task *task,
                        void *context)
{
    if (executor || run->control == NULL || !run->asks)
        sat_parallel_on(executor, threads, count, task, context);
    else
        sat_parallel_waiting(threads, count, task, context, ask_while_waiting, (void *)(uintptr_t)run);
    return sat_run_status(run);
}
