/* bench_scan.c - all methods that scan one array, over its length: the experiments of a report, a course lab and a book
 * chapter on scans, whose tables are printed behind the rows. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "bench_criterion.h"
#include "bench_lengths.h"
#include "bench_plots.h"

static const int takes[] = {OPT_TYPE,  OPT_ACCUM, OPT_MIN,   OPT_MAX,   OPT_STEP,    OPT_EXCLUSIVE,
                            OPT_BLOCK, OPT_ITEMS, OPT_NAIVE, OPT_SHAPE, OPT_AGAINST, 0};

/* Where launches no longer dominate, and smaller than any device's memory: the criterion is looked at here, too. */
static const int64_t TEST_LENGTH = (int64_t)1 << 24;

#define INCLUSIVE "scan"
#define EXCLUSIVE "scan-exclusive"

static const char *refuse(const bench_request *r)
{
    if (!r->block_threads != !r->thread_items) return "--block and --items belong together here";
    if (r->shape_n && r->block_threads) return "--shape takes the place of --block and --items";
    if (r->naive_staging && !r->block_threads) return "--naive-staging needs --block and --items here";
    return lengths_refuse(r);
}

static bool scans_all(const bench_method *m)
{
    return m->segment == 0;
}

static bool run(bench_session *s, error *err)
{
    const lengths defaults = {.min_log2 = 10, .max_log2 = 30, .step = 1};
    s->label = s->request->exclusive ? EXCLUSIVE : INCLUSIVE;
    return lengths_measure(s, defaults, scans_all, err);
}

static bool owns(const bench_row *row)
{
    return strcmp(row->bench, INCLUSIVE) == 0 || strcmp(row->bench, EXCLUSIVE) == 0;
}

/* ---- what a row's method is --------------------------------------------------------------------------- */

/* Methods that this build does not know are those of a build with more than it has: a device. */
static void method_of(const bench_row *row, bench_method *m)
{
    size_t n = (size_t)bench_row_method(row);
    bench_plain_copy(m);
    if (strlen(m->name) == n && strncmp(m->name, row->name, n) == 0) return;
    for (size_t i = 0; bench_scan_at(i, m); i++)
        if (strlen(m->id) == n && strncmp(m->id, row->name, n) == 0) return;
    *m = (bench_method){.device = true, .kind = bench_row_copies(row) ? SAT_CEILING : SAT_METHOD};
}

static bool on_device(const bench_row *row)
{
    bench_method m;
    method_of(row, &m);
    return m.device;
}

static bool is_reference(const bench_row *row)
{
    bench_method m;
    method_of(row, &m);
    return m.kind == SAT_REFERENCE;
}

/* ---- summaries ---------------------------------------------------------------------------------------- */

/* Rows of one bench and types; the summaries look at one such group at a time. */
typedef struct group {
    const bench_rows *rows;
    const bench_row *like;
} group;

/* The i-th row of the group with a time, NULL if it is not one. */
static const bench_row *member(const group *g, size_t i)
{
    const bench_row *row = &g->rows->row[i];
    return bench_row_timed(row) && bench_rows_alike(row, g->like) ? row : NULL;
}

/* The largest length with a device's sums, or with any. */
static int64_t largest_length(const group *g)
{
    int64_t device = 0, any = 0;
    for (size_t i = 0; i < g->rows->n; i++) {
        const bench_row *row = member(g, i);
        if (!row || bench_row_copies(row)) continue;
        if (row->width > any) any = row->width;
        if (row->width > device && on_device(row)) device = row->width;
    }
    return device ? device : any;
}

/* Among the ceilings at that length: the one of that name, or the second of the device, which is the copy kernel
 * behind the driver's copy, or the only one. */
static const bench_row *ceiling(const group *g, int64_t length, const char *name)
{
    const bench_row *found = NULL;
    bool device = false;
    int nth = 0;
    for (size_t i = 0; i < g->rows->n; i++) {
        const bench_row *row = member(g, i);
        if (!row || row->width != length) continue;
        if (name && strcmp(row->name, name) == 0) return row;
        if (name || !bench_row_copies(row)) continue;
        bool here = on_device(row);
        if (here && !device) {
            device = true;
            nth = 0;
        }
        if (here == device && nth++ < 2) found = row;
    }
    return found;
}

static void put_shares(const group *g, const bench_request *r, text_out *t)
{
    int64_t length = largest_length(g);
    const bench_row *copy = ceiling(g, length, r->against);
    if (!copy) return;
    text_printf(t, "\nThroughput at 2^%d elements, against %s:\n\n| name | GB/s | of %s |\n|---|---:|---:|\n",
                (int)log2((double)length), copy->name, copy->name);
    for (size_t i = 0; i < g->rows->n; i++) {
        const bench_row *row = member(g, i);
        if (row && row->width == length)
            text_printf(t, "| %s | %.0f | %.2f |\n", row->name, row->gbps, copy->warm_us / row->warm_us);
    }
}

/* The fastest scan at that length of ours on the device. */
static const bench_row *fastest(const group *g, int64_t length)
{
    const bench_row *best = NULL;
    for (size_t i = 0; i < g->rows->n; i++) {
        const bench_row *row = member(g, i);
        if (!row || row->width != length || bench_row_copies(row) || bench_row_peer(row) || !on_device(row)) continue;
        if (!best || row->warm_us < best->warm_us) best = row;
    }
    return best;
}

/* The lab's criterion, which is about exclusive scans. */
static void put_lab(const group *g, int64_t length, const char *against, text_out *t)
{
    char what[64];
    if (strcmp(g->like->bench, EXCLUSIVE) != 0) return;
    snprintf(what, sizeof what, "exclusive scan at 2^%d elements", (int)log2((double)length));
    for (size_t i = 0; i < g->rows->n; i++) {
        const bench_row *row = member(g, i);
        if (!row || row->width != length) continue;
        put_criterion(g->rows, row, against, what, t);
        return;
    }
}

/* The chapter's table: the serial scan on the host against the device, 2^10 .. 2^24 elements.  The host's time is that
 * of its fastest run, where that is known: others that use the machine can only add to it. */
static void put_speed_ups(const group *g, text_out *t)
{
    bool begun = false;
    for (int log2 = 10; log2 <= 24; log2++) {
        int64_t length = (int64_t)1 << log2;
        const bench_row *host = NULL, *device = fastest(g, length);
        for (size_t i = 0; i < g->rows->n && !host; i++) {
            const bench_row *row = member(g, i);
            if (row && row->width == length && is_reference(row)) host = row;
        }
        if (!host || !device) continue;
        if (!begun)
            text_string(t,
                        "\nThe host's serial scan, its fastest run, against the fastest of ours on the device:\n\n"
                        "| elements | host ms | device ms | speed-up | by | host ms, cold | device ms, cold | speed-up "
                        "|\n|---:|---:|---:|---:|---|---:|---:|---:|\n");
        begun = true;
        const double host_us = host->min_us > 0 ? host->min_us : host->warm_us;
        text_printf(t, "| %lld | %.6f | %.6f | %.2f | %s | %.6f | %.6f | %.2f |\n", (long long)length, host_us / 1e3,
                    device->warm_us / 1e3, host_us / device->warm_us, device->name, host->cold_us / 1e3,
                    device->cold_us / 1e3, host->cold_us / device->cold_us);
    }
}

/* The row of the same work and shape with staging as it should be. */
static const bench_row *without_naive(const group *g, const bench_row *naive)
{
    const size_t n = strlen(naive->name) - strlen(" naive");
    for (size_t i = 0; i < g->rows->n; i++) {
        const bench_row *row = member(g, i);
        if (row && row->width == naive->width && strlen(row->name) == n && strncmp(row->name, naive->name, n) == 0)
            return row;
    }
    return NULL;
}

/* What conflicts of banks cost, at all lengths. */
static void put_conflicts(const group *g, text_out *t)
{
    bool begun = false;
    for (size_t i = 0; i < g->rows->n; i++) {
        int block, items;
        bool naive;
        const bench_row *row = member(g, i), *other;
        if (!row || !bench_row_shape(row, &block, &items, &naive) || !naive) continue;
        if ((other = without_naive(g, row)) == NULL) continue;
        if (!begun)
            text_string(t, "\nNaive staging beside that without conflicts of banks:\n\n"
                           "| name | elements | ms | naive ms | naive / ours |\n|---|---:|---:|---:|---:|\n");
        begun = true;
        text_printf(t, "| %s | %lld | %.6f | %.6f | %.2f |\n", other->name, (long long)row->width, other->warm_us / 1e3,
                    row->warm_us / 1e3, row->warm_us / other->warm_us);
    }
}

static void summarise(const bench_rows *rows, const bench_request *r, text_out *t)
{
    for (size_t i = 0; i < rows->n; i++) {
        group g = {.rows = rows, .like = &rows->row[i]};
        bool seen = !member(&g, i);
        for (size_t k = 0; k < i && !seen; k++) seen = member(&g, k) != NULL;
        if (seen) continue;
        text_printf(t, "\n## %s, %s to %s\n",
                    strcmp(g.like->bench, EXCLUSIVE) == 0 ? "Exclusive scan" : "Inclusive scan",
                    sat_type_name(g.like->type), sat_type_name(g.like->accum));
        put_shares(&g, r, t);
        put_lab(&g, largest_length(&g), r->against, t);
        if (largest_length(&g) > TEST_LENGTH) put_lab(&g, TEST_LENGTH, r->against, t);
        put_speed_ups(&g, t);
        put_conflicts(&g, t);
    }
}

static double length(const bench_row *row)
{
    return (double)row->width;
}

static double throughput(const bench_row *row)
{
    return row->gbps;
}

static bool belongs(const bench_rows *rows, const bench_row *row, const bench_row *first)
{
    (void)rows;
    return bench_rows_alike(row, first);
}

static bool draw(const bench_rows *rows, const bench_request *r, FILE *gnuplot, error *err)
{
    char title[128] = "";
    const bench_row *first = first_timed(rows);
    const line_chart chart = {.title = title,
                              .x_axis = "elements",
                              .x_format = "2^{%L}",
                              .y_axis = "GB/s (input and output once each)",
                              .y_range = "[0:*]",
                              .x = length,
                              .y = throughput,
                              .belongs = belongs};
    (void)r;
    if (first)
        snprintf(title, sizeof title, "%s scan of %s to %s: throughput",
                 strcmp(first->bench, EXCLUSIVE) == 0 ? "Exclusive" : "Inclusive", sat_type_name(first->type),
                 sat_type_name(first->accum));
    return draw_lines(&chart, rows, gnuplot, err);
}

static const char help[] = "Checks and times all methods that scan one array, over lengths N from 2^10 on.\n"
                           "\n"
                           "  sat bench scan                           u32 to u32, inclusive\n"
                           "  sat bench scan --type f32 --max 24 --csv -o scan.csv\n"
                           "  sat bench scan --from scan.csv --plot scan.svg\n"
                           "  sat bench scan --block 256 --items 30    methods in that shape, if compiled in\n"
                           "\n"
                           "  --min K, --max K   N from 2^K to 2^K elements [10; 30 on a device, 26 else,\n"
                           "                     less where memory is short]; the host stops at 2^26\n"
                           "  --step K           every K-th power [1]\n"
                           "  --type TYPE        of the samples: u8 u16 u32 u64 i8 i16 i32 f32 f64 [u32]\n"
                           "  --accum TYPE       of the sums [u32 for u8 and u16, i32 for i8 and i16, else\n"
                           "                     the samples' type]\n"
                           "  --exclusive        each sum without its own sample\n"
                           "  --block B, --items Q, --naive-staging   threads in a block, elements for each\n"
                           "                     thread; staging that suffers from bank conflicts\n"
                           "  --shape BxQ        methods in that shape, BxQ:naive with naive staging, own in\n"
                           "                     their own; may be given again\n"
                           "  --against NAME     what the summary compares with [the copy kernel]\n"
                           "\n"
                           "and of `sat bench --help`: --list --backend --repeat --threads --md --csv --json\n"
                           "-o --no-clobber --from --plot -q -v. Markdown rows are followed by shares\n"
                           "at the largest N, for exclusive scans how much slower than the fastest, and the\n"
                           "host's serial scan against the device.\n";

const bench_mode bench_mode_scan = {
    .name = "scan",
    .summary = "scans of one array over its length",
    .help = help,
    .takes = takes,
    .method_at = bench_scan_at,
    .probed_at = bench_scan_at,
    .absent_at = bench_scan_absent,
    .unknown = bench_unknown_scan,
    .floor_s = 0.05,
    .refuse = refuse,
    .run = run,
    .owns = owns,
    .summarise = summarise,
    .draw = draw,
};
