/* bench_session.c - one row: open, check, time, report. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench_mode.h"
#include "messages.h"
#include "progress.h"

/* After so long three samples do: a run that takes most of a second has no short noise, one on a device of tenths. */
static const double LIMIT_HOST_S = 2, LIMIT_DEVICE_S = 0.5;

bool bench_wanted(const bench_request *r, const char *name, size_t length)
{
    for (int i = 0; i < r->wanted_n; i++)
        if (strlen(r->wanted[i]) == length && strncmp(r->wanted[i], name, length) == 0) return true;
    return r->wanted_n == 0;
}

void bench_begin_size(bench_session *s)
{
    s->copy_us[SAT_HOST] = s->copy_us[SAT_DEVICE] = 0;
}

sat_memory bench_memory_of(const bench_method *m)
{
    return m->device ? SAT_DEVICE : SAT_HOST;
}

static sampler *sampler_for(bench_session *s, bool device, error *err)
{
    sampler *to = device ? &s->device : &s->host;
    bool *open = device ? &s->device_open : &s->host_open;
    if (*open) return to;
    to->device = device;
    to->threads = s->request->threads;
    to->samples = (int)s->request->samples;
    to->limit_s = device ? LIMIT_DEVICE_S : LIMIT_HOST_S;
    *open = sampler_open(to, err);
    return *open ? to : NULL;
}

static void put_row(bench_session *s, const bench_row *row)
{
    error err;
    progress_hide();
    if (s->rows.n == 0 && s->begin) s->begin(s->context, &s->report);
    bench_report_row(&s->report, row);
    text_show(s->report.to);
    if (!bench_rows_add(&s->rows, row, &err)) say(NULL, "%s", err.text);
    progress_show();
}

static bool time_work(bench_session *s, bench_work *w, bench_row *row, error *err)
{
    timing cold, warm;
    sampler *clock = sampler_for(s, w->device, err);
    if (!clock) return false;
    if (sample_cold(clock, bench_run, w, &cold) != SAT_OK || sample_warm(clock, bench_run, w, &warm) != SAT_OK)
        return fail(err, "%s", sat_detail());
    row->cold_us = cold.median_us;
    row->warm_us = warm.median_us;
    row->noise_pct = warm.noise_pct;
    row->min_us = warm.min_us;
    row->mean_us = warm.mean_us;
    row->runs = warm.runs;
    if (warm.median_us > 0) row->gbps = bench_least_bytes(w->of) / warm.median_us / 1e3;
    return true;
}

/* The row of a ceiling by one thread, if that is the faster one: on a machine that has others' work to do, all threads
 * wait for the one that does not get to run, and small work is not worth waking them. */
static void time_alone(bench_session *s, bench_case *b, const bench_method *m, bench_row *row)
{
    bench_row alone = *row;
    bench_work w = {0};
    error err;
    const int threads = b->threads;
    b->threads = 1;
    if (bench_open(&w, b, m) == SAT_OK && time_work(s, &w, &alone, &err) && alone.warm_us < row->warm_us) *row = alone;
    bench_close(&w);
    b->threads = threads;
}

/* What the row's method said when it was opened, and what it wrote. */
static bool print_digest(bench_work *w, const bench_method *m, error *err)
{
    uint64_t digest;
    if (!bench_digest(w, &digest, err)) return false;
    say(m->name, "%s; digest %016llx", bench_note(w), (unsigned long long)digest);
    return true;
}

/* Arrays first, so that a method's own memory is what may be lacking. */
static bool check_work(bench_work *w, const bench_method *m, error *err)
{
    bool arrays = w->device ? bench_device_arrays(w->of, err) : bench_host_output(w->of, err);
    if (!arrays) return false;
    return m->kind == SAT_CEILING ? bench_check_copy(w, err) : bench_check(w, err);
}

static bench_row blank_row(const bench_session *s, const bench_case *b, const bench_method *m)
{
    bench_row row = {.width = b->in.width,
                     .height = b->in.height,
                     .channels = b->table ? b->table->view.channels : b->in.channels,
                     .type = b->table ? b->table->sample : b->in.type,
                     .accum = b->window ? SAT_TYPE_NONE : b->accum,
                     .model_bytes = bench_model_bytes(b, m),
                     .cold_us = NAN,
                     .warm_us = NAN,
                     .noise_pct = NAN,
                     .gbps = NAN,
                     .copy_us = NAN,
                     .share = NAN,
                     .min_us = NAN,
                     .mean_us = NAN};
    snprintf(row.bench, sizeof row.bench, "%s", s->label);
    snprintf(row.name, sizeof row.name, "%s", m->name);
    return row;
}

static const char *check_text(sat_kind kind)
{
    return kind == SAT_CEILING ? CHECK_COPY : kind == SAT_PEER ? CHECK_PEER : CHECK_SUMS;
}

bench_outcome bench_measure(bench_session *s, bench_case *b, const bench_method *m, bool unless_refused)
{
    bench_row row = blank_row(s, b, m);
    bench_outcome outcome = BENCH_MEASURED;
    bench_work w = {0};
    error err;
    double *copy_us = &s->copy_us[bench_memory_of(m)];

    progress_label(m->id ? m->id : m->name);
    if (!m->available) {
        outcome = BENCH_REFUSED;
        fail(&err, "%s", m->why);
    } else {
        sat_status status = bench_open(&w, b, m);
        if (status != SAT_OK) {
            outcome = status == SAT_ERR_TYPE || status == SAT_ERR_UNAVAILABLE ? BENCH_REFUSED : BENCH_FAILED;
            fail(&err, "%s", sat_detail());
        }
    }
    const bool prints = s->request->verbose && m->id;
    if (outcome == BENCH_MEASURED &&
        !(check_work(&w, m, &err) && (!prints || print_digest(&w, m, &err)) && time_work(s, &w, &row, &err)))
        outcome = BENCH_FAILED;
    bench_close(&w);
    if (outcome == BENCH_MEASURED && m->kind == SAT_CEILING && !m->device && b->threads > 1) time_alone(s, b, m, &row);
    if (outcome == BENCH_MEASURED) {
        if (m->kind == SAT_CEILING && *copy_us == 0) *copy_us = row.warm_us;
        if (*copy_us > 0 && row.warm_us > 0) {
            row.copy_us = *copy_us;
            row.share = *copy_us / row.warm_us;
        }
    }
    snprintf(row.check, sizeof row.check, "%s", outcome == BENCH_MEASURED ? check_text(m->kind) : err.text);
    if (outcome == BENCH_FAILED) row.cold_us = row.warm_us = row.noise_pct = row.gbps = row.min_us = row.mean_us = NAN;
    if (outcome != BENCH_REFUSED || !unless_refused) put_row(s, &row);
    s->failed += outcome == BENCH_FAILED;
    progress_step();
    return outcome;
}
