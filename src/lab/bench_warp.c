/* bench_warp.c - the methods that scan the elements of each warp and no further. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "bench_lengths.h"
#include "bench_plots.h"

static const int takes[] = {OPT_TYPE, OPT_ACCUM, OPT_MIN, OPT_MAX, OPT_STEP, OPT_EXCLUSIVE, 0};

static bool scans_segments(const bench_method *m)
{
    return m->segment != 0;
}

static bool absent_at(size_t i, char *name, size_t bytes)
{
    return sat_scan_absent(i, true, name, bytes);
}

/* Can any of them run here?  Else why the first cannot: there is no bench without one. */
static bool any_runs(const bench_request *r, error *err)
{
    bench_method m;
    bool found = false;
    for (size_t i = 0; bench_scan_at(i, &m); i++) {
        if (!scans_segments(&m) || !bench_wanted(r, m.id, strlen(m.id))) continue;
        if (m.available) return true;
        if (!found) fail(err, "%s: %s", m.id, m.why);
        found = true;
    }
    absent_line absent;
    return found ? false : fail(err, "%s", bench_absent(&bench_mode_warp, &absent));
}

static bool run(bench_session *s, error *err)
{
    const lengths defaults = {.min_log2 = 20, .max_log2 = 28, .step = 4};
    if (!any_runs(s->request, err)) return false;
    s->label = "warp";
    return lengths_measure(s, defaults, scans_segments, err);
}

static bool owns(const bench_row *row)
{
    return strcmp(row->bench, "warp") == 0;
}

static void group_name(const bench_row *row, char *to, size_t size)
{
    snprintf(to, size, "2^%d elements, %s", (int)log2((double)row->width), sat_type_name(row->type));
}

static double throughput(const bench_row *row)
{
    return row->gbps;
}

static bool draw(const bench_rows *rows, const bench_request *r, FILE *gnuplot, error *err)
{
    const bar_chart chart = {.title = "Scans of 32 elements each: throughput",
                             .axis = "GB/s (input and output once each)",
                             .value = throughput,
                             .group_name = group_name};
    (void)r;
    return draw_bars(&chart, rows, gnuplot, err);
}

static const char help[] = "Checks and times the scans that every warp makes of its own 32 elements.\n"
                           "\n"
                           "  sat bench warp\n"
                           "  sat bench warp --min 28 --plot warp.svg\n"
                           "\n"
                           "  --min K, --max K, --step K   2^K elements [20, 28, 4]\n"
                           "  --type TYPE, --accum TYPE    as of `sat bench scan` [u32]\n"
                           "  --exclusive                  each sum without its own sample\n"
                           "\n"
                           "and of `sat bench --help`: --list --backend --repeat --threads --md --csv --json\n"
                           "-o --no-clobber --from --plot -q -v.\n";

const bench_mode bench_mode_warp = {
    .name = "warp",
    .summary = "scans that do not leave their warp",
    .help = help,
    .takes = takes,
    .method_at = bench_scan_at,
    .probed_at = bench_scan_at,
    .absent_at = absent_at,
    .unknown = bench_unknown_scan,
    .floor_s = 0.05,
    .refuse = lengths_refuse,
    .run = run,
    .owns = owns,
    .draw = draw,
};
