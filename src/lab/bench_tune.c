/* bench_tune.c - one scan method in all shapes: B threads in a block, Q elements for each thread. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "bench_lengths.h"
#include "bench_plots.h"
#include "messages.h"
#include "progress.h"

/* What is asked for; a build has some of them or all. */
static const int blocks[] = {32, 64, 128, 256, 512, 1024};
static const int items[] = {2, 4, 7, 8, 10, 13, 16, 20, 24, 30, 32, 40};
enum { BLOCKS = sizeof blocks / sizeof *blocks, ITEMS = sizeof items / sizeof *items };

static const int takes[] = {OPT_SAMPLES, OPT_ACCUM, OPT_MIN,   OPT_MAX, OPT_STEP, OPT_EXCLUSIVE,
                            OPT_NAIVE,   OPT_BLOCK, OPT_ITEMS, OPT_MAP, OPT_MAPS, 0};

/* ---- rows -------------------------------------------------------------------------------------------- */

/* The i-th method to tune: those that were named, else the table's first one that works on a device. */
static bool tuned_at(const bench_request *r, size_t i, bench_method *m)
{
    for (size_t k = 0, n = 0; bench_scan_at(k, m); k++) {
        if (r->wanted_n ? !bench_wanted(r, m->id, strlen(m->id)) : m->kind != SAT_METHOD || !m->device || m->segment)
            continue;
        if (n++ == i) return true;
        if (!r->wanted_n) break;
    }
    return false;
}

/* The shape in which --maps holds two of the three parameters, by default the report's. */
enum { MAPS_BLOCK = 256, MAPS_ITEMS = 30 };

/* Is that shape measured at that length?  longest: of the lengths. */
static bool asked_for(const bench_request *r, int block, int item, bool longest)
{
    if (r->maps)
        return longest || block == (r->block_threads ? r->block_threads : MAPS_BLOCK) ||
               item == (r->thread_items ? r->thread_items : MAPS_ITEMS);
    return (!r->block_threads || r->block_threads == block) && (!r->thread_items || r->thread_items == item);
}

typedef struct tuning {
    bool refused[2][BLOCKS][ITEMS]; /* with and without naive staging */
    int refusals, shapes;
    char why[200];
} tuning;

static void measure_shape(bench_session *s, bench_case *b, bench_method m, int k, int q, bool naive, tuning *t)
{
    if (t->refused[naive][k][q] || !lengths_fits(b, &m)) {
        progress_step();
        return;
    }
    lengths_shape(&m, blocks[k], items[q], naive);
    if (bench_measure(s, b, &m, true) != BENCH_REFUSED) return;
    t->refused[naive][k][q] = true;
    t->refusals++;
    if (!*t->why) snprintf(t->why, sizeof t->why, "%s", m.available ? sat_detail() : m.why);
}

static void measure_shapes(bench_session *s, bench_case *b, const bench_method *m, bool longest, tuning *t)
{
    const bench_request *r = s->request;
    for (int k = 0; k < BLOCKS; k++)
        for (int q = 0; q < ITEMS; q++) {
            if (!asked_for(r, blocks[k], items[q], longest)) continue;
            measure_shape(s, b, *m, k, q, r->naive_staging, t);
            if (r->maps) measure_shape(s, b, *m, k, q, true, t);
        }
}

static int count_shapes(const bench_request *r, bool longest)
{
    int n = 0;
    for (int k = 0; k < BLOCKS; k++)
        for (int q = 0; q < ITEMS; q++) n += asked_for(r, blocks[k], items[q], longest);
    return r->maps ? 2 * n : n;
}

/* The lengths go from the longest down where --maps asks for more shapes there: whatever is refused is refused first.
 */
static int64_t length_at(const lengths *of, const bench_request *r, int64_t i)
{
    return r->maps ? of->max_log2 - i * of->step : of->min_log2 + i * of->step;
}

static int64_t count_lengths(const lengths *of)
{
    return (of->max_log2 - of->min_log2) / of->step + 1;
}

static const char *where_all_are(const bench_method *m)
{
    return m->available && m->device ? "; `make sweep` builds them all" : "";
}

static bool tune(bench_session *s, bench_case *b, const lengths *of, const bench_method *m, error *err)
{
    tuning t = {.shapes = count_shapes(s->request, true)};
    if (!lengths_reference(b, m->segment, err)) return false;
    for (int64_t i = 0; i < count_lengths(of); i++) {
        if (m->available) lengths_begin(s, b, length_at(of, s->request, i), !m->device, m->device);
        measure_shapes(s, b, m, i == 0, &t);
        if (t.refusals == t.shapes)
            return fail(err, "%s: none of %d shapes can be run: %.120s%s", m->id, t.shapes, t.why, where_all_are(m));
    }
    if (t.refusals > 0 && !s->request->quiet)
        say(m->id, "%d of %d shapes cannot be run: %s%s", t.refusals, t.shapes, t.why, where_all_are(m));
    return true;
}

static bool run(bench_session *s, error *err)
{
    lengths of = {.min_log2 = 10, .max_log2 = 28, .step = 2};
    bench_case b;
    bench_method m;
    absent_line absent;
    s->label = "tune";
    if (s->request->maps) of = (lengths){.min_log2 = 10, .max_log2 = 30, .step = 1};
    if (!tuned_at(s->request, 0, &m))
        return fail(err, "%d shapes of %s", BLOCKS * ITEMS, bench_absent(&bench_mode_tune, &absent));
    if (!m.available) return fail(err, "%s: %s", m.id, m.why);
    bool ok = lengths_open(s, &of, &b, err);
    progress_begin((count_lengths(&of) - 1) * count_shapes(s->request, false) + count_shapes(s->request, true),
                   s->request->quiet);
    for (size_t i = 0; ok && tuned_at(s->request, i, &m); i++) ok = tune(s, &b, &of, &m, err);
    progress_end();
    bench_free(&b);
    return ok;
}

static bool owns(const bench_row *row)
{
    return strcmp(row->bench, "tune") == 0;
}

/* ---- what was found ---------------------------------------------------------------------------------- */

/* A row as a point; false if it has no time or no shape. */
typedef struct point {
    int block, item;
    bool naive;
    double gbps;
    int64_t length;
    const bench_row *row;
} point;

static bool point_of(const bench_row *row, point *p)
{
    *p = (point){.row = row, .gbps = row->gbps, .length = row->width};
    return bench_row_timed(row) && bench_row_shape(row, &p->block, &p->item, &p->naive);
}

static bool same_method(const bench_row *a, const bench_row *b)
{
    int n = bench_row_method(a);
    return n == bench_row_method(b) && strncmp(a->name, b->name, (size_t)n) == 0 && bench_rows_alike(a, b);
}

/* The fastest point at that length of the same method, types and staging. */
static bool fastest(const bench_rows *rows, const bench_row *like, bool naive, int64_t length, point *best)
{
    bool found = false;
    for (size_t i = 0; i < rows->n; i++) {
        point p;
        if (!point_of(&rows->row[i], &p) || p.naive != naive || p.length != length || !same_method(p.row, like))
            continue;
        if (!found || p.gbps > best->gbps) *best = p;
        found = true;
    }
    return found;
}

/* The point of that shape and length, or none. */
static bool find(const bench_rows *rows, const point *like, point *found)
{
    for (size_t i = 0; i < rows->n; i++)
        if (point_of(&rows->row[i], found) && found->block == like->block && found->item == like->item &&
            found->naive == like->naive && found->length == like->length && same_method(found->row, like->row))
            return true;
    return false;
}

/* The lengths that occur are powers of two: the next above one, 0 if there is none. */
static int64_t next_length(const bench_rows *rows, const bench_row *like, int64_t after)
{
    int64_t next = 0;
    for (size_t i = 0; i < rows->n; i++) {
        point p;
        if (point_of(&rows->row[i], &p) && same_method(p.row, like) && p.length > after && (!next || p.length < next))
            next = p.length;
    }
    return next;
}

static int64_t largest_length(const bench_rows *rows, const bench_row *like)
{
    int64_t length = 0;
    for (int64_t next; (next = next_length(rows, like, length)) != 0;) length = next;
    return length;
}

static void put_best(const bench_rows *rows, const bench_row *like, text_out *t)
{
    text_printf(t,
                "\n## %.*s, %s to %s\n\nThe fastest shape for each length:\n\n"
                "| elements | B | Q | GB/s | of the copy |\n|---:|---:|---:|---:|---:|\n",
                bench_row_method(like), like->name, sat_type_name(like->type), sat_type_name(like->accum));
    for (int64_t length = 0; (length = next_length(rows, like, length)) != 0;) {
        point p;
        if (fastest(rows, like, false, length, &p) || fastest(rows, like, true, length, &p))
            text_printf(t, "| 2^%d | %d | %d%s | %.0f | %.2f |\n", (int)log2((double)length), p.block, p.item,
                        p.naive ? ", naive" : "", p.gbps, p.row->share);
    }
}

/* What naive staging costs: at the largest length, in the block of the fastest shape. */
static void put_naive(const bench_rows *rows, const bench_row *like, text_out *t)
{
    point best, smooth, naive;
    bool begun = false;
    int64_t length = largest_length(rows, like);
    if (!fastest(rows, like, false, length, &best)) return;
    for (int q = 0; q < ITEMS; q++) {
        point want = {.block = best.block, .item = items[q], .length = length, .row = like};
        if (!find(rows, &want, &smooth)) continue;
        want.naive = true;
        if (!find(rows, &want, &naive)) continue;
        if (!begun)
            text_printf(t,
                        "\nNaive staging, B=%d, 2^%d elements:\n\n"
                        "| Q | GB/s | naive GB/s | naive / ours |\n|---:|---:|---:|---:|\n",
                        best.block, (int)log2((double)length));
        begun = true;
        text_printf(t, "| %d | %.0f | %.0f | %.2f |\n", items[q], smooth.gbps, naive.gbps, naive.gbps / smooth.gbps);
    }
}

static void summarise(const bench_rows *rows, const bench_request *r, text_out *t)
{
    (void)r;
    for (size_t i = 0; i < rows->n; i++) {
        point p;
        bool seen = !point_of(&rows->row[i], &p);
        for (size_t k = 0; k < i && !seen; k++) {
            point before;
            seen = point_of(&rows->row[k], &before) && same_method(before.row, p.row);
        }
        if (seen) continue;
        put_best(rows, p.row, t);
        put_naive(rows, p.row, t);
    }
}

/* ---- heat maps --------------------------------------------------------------------------------------- */

typedef enum parameter { BLOCK, ITEM, LENGTH } parameter;
static const char *const axis_names[] = {"B, threads in a block", "Q, elements for each thread", "log2 N"};
static const char *const held_names[] = {"B = %d", "Q = %d", "N = 2^{%d}"};

static int value_of(const point *p, parameter of)
{
    return of == BLOCK ? p->block : of == ITEM ? p->item : (int)log2((double)p->length);
}

static const struct map {
    const char *name;
    parameter x, y, held;
} maps[] = {{"bn", LENGTH, BLOCK, ITEM}, {"bq", ITEM, BLOCK, LENGTH}, {"qn", LENGTH, ITEM, BLOCK}};
enum { MAPS = sizeof maps / sizeof *maps, PLACES_MAX = 64 };

static const struct map *map_named(const char *name)
{
    for (size_t i = 0; i < MAPS; i++)
        if (!name || strcmp(maps[i].name, name) == 0) return &maps[i];
    return NULL;
}

static const char *refuse(const bench_request *r)
{
    bool block = !r->block_threads, item = !r->thread_items;
    for (size_t i = 0; i < BLOCKS; i++) block |= r->block_threads == blocks[i];
    for (size_t i = 0; i < ITEMS; i++) item |= r->thread_items == items[i];
    if (!block) return "--block: 32, 64, 128, 256, 512 or 1024 threads are tried";
    if (!item) return "--items: 2, 4, 7, 8, 10, 13, 16, 20, 24, 30, 32 or 40 elements are tried";
    if (r->maps && r->naive_staging) return "--maps are measured with naive staging and without";
    if (r->map && !map_named(r->map)) return "--map: bn, bq or qn";
    return lengths_refuse(r);
}

/* Different values in order, each a place on an axis. */
typedef struct axis {
    int value[PLACES_MAX], n;
} axis;

static int place_on(axis *a, int value)
{
    int at = 0;
    while (at < a->n && a->value[at] < value) at++;
    if (at < a->n && a->value[at] == value) return at;
    if (a->n == PLACES_MAX) return at;
    memmove(&a->value[at + 1], &a->value[at], (size_t)(a->n - at) * sizeof *a->value);
    a->value[at] = value;
    a->n++;
    return at;
}

static void put_tics(FILE *gnuplot, const char *which, const axis *a)
{
    fprintf(gnuplot, "set %stics (", which);
    for (int i = 0; i < a->n; i++) fprintf(gnuplot, "%s'%d' %d", i ? ", " : "", a->value[i], i);
    fprintf(gnuplot, ") scale 0\nset %srange [-0.5:%g]\n", which, a->n - 0.5);
}

/* Where the map's third parameter is held: as asked, else at the fastest point of the largest length. */
static bool hold(const bench_rows *rows, const bench_request *r, point *held)
{
    point first;
    for (size_t i = 0; i < rows->n; i++) {
        if (!point_of(&rows->row[i], &first)) continue;
        if (!fastest(rows, first.row, r->naive_staging, largest_length(rows, first.row), held)) continue;
        if (r->block_threads) held->block = (int)r->block_threads;
        if (r->thread_items) held->item = (int)r->thread_items;
        return true;
    }
    return false;
}

static bool draw(const bench_rows *rows, const bench_request *r, FILE *gnuplot, error *err)
{
    const struct map *m = map_named(r->map);
    point held, p;
    axis x = {0}, y = {0};
    char what[64], title[256];
    double top = 0;
    if (!hold(rows, r, &held)) return fail(err, "there is nothing to draw: no row has a shape and a time");
    for (int pass = 0; pass < 2; pass++) { /* the places must be known before the points */
        if (pass) fputs("$map << EOD\n", gnuplot);
        for (size_t i = 0; i < rows->n; i++) {
            if (!point_of(&rows->row[i], &p) || p.naive != held.naive || !same_method(p.row, held.row) ||
                value_of(&p, m->held) != value_of(&held, m->held))
                continue;
            int at_x = place_on(&x, value_of(&p, m->x)), at_y = place_on(&y, value_of(&p, m->y));
            if (p.gbps > top) top = p.gbps;
            if (pass) fprintf(gnuplot, "%d %d %.6g\n", at_x, at_y, p.gbps);
        }
        if (pass) fputs("EOD\n", gnuplot);
    }
    if (x.n == 0) return fail(err, "there is nothing to draw: no row has that block or those items");
    snprintf(what, sizeof what, held_names[m->held], value_of(&held, m->held));
    snprintf(title, sizeof title, "%.*s%s, %s to %s, %s: GB/s", bench_row_method(held.row), held.row->name,
             held.naive ? ", naive staging" : "", sat_type_name(held.row->type), sat_type_name(held.row->accum), what);
    fputs("set title ", gnuplot);
    plot_string(gnuplot, title);
    fprintf(gnuplot, "\nset xlabel '%s'\nset ylabel '%s'\n", axis_names[m->x], axis_names[m->y]);
    put_tics(gnuplot, "x", &x);
    put_tics(gnuplot, "y", &y);
    fprintf(gnuplot,
            "unset grid\nunset key\nset border 0\nset cbrange [0:%g]\n"
            "set palette defined (0 '#f7fbff', 0.25 '#c6dbef', 0.5 '#6baed6', 0.75 '#2171b5', 1 '#08306b')\n"
            "plot $map using 1:2:($1-0.5):($1+0.5):($2-0.5):($2+0.5):3 with boxxyerror fillstyle solid noborder "
            "linecolor palette, \\\n"
            "  $map using 1:2:(sprintf('%%.0f', $3)):($3 > %g ? 0xffffff : 0x222222) with labels font ',10' "
            "textcolor rgb variable\n",
            top, 0.55 * top);
    return true;
}

static const char help[] = "Checks and times one scan method with B threads in a block and Q elements for\n"
                           "each thread: B in 32 .. 1024, Q in 2 .. 40, as far as they were compiled in.\n"
                           "\n"
                           "  sat bench tune                              the first method of the device\n"
                           "  sat bench tune --naive-staging --min 28     with conflicts of memory banks\n"
                           "  sat bench tune --maps --csv -o tune.csv     the cells of three maps, both ways\n"
                           "  sat bench tune --from tune.csv --map qn --block 256 --plot qn.svg\n"
                           "\n"
                           "  --min K, --max K, --step K   2^K elements [10, 28, 2]\n"
                           "  --type TYPE, --accum TYPE    as of `sat bench scan` [u32]\n"
                           "  --exclusive                  each sum without its own sample\n"
                           "  --block B, --items Q         only these; with --from, the shape of the plot\n"
                           "  --naive-staging              without what avoids bank conflicts\n"
                           "  --maps                       every B at Q = --items [30] and every Q at\n"
                           "                               B = --block [256] over 2^10 .. 2^30, every B and\n"
                           "                               Q at the largest, each also with naive staging\n"
                           "  --map bn|bq|qn               the plot: blocks over lengths, blocks over items,\n"
                           "                               items over lengths, at the fastest shape [bn]\n"
                           "\n"
                           "and of `sat bench --help`: --list --backend --repeat --threads --md --csv --json\n"
                           "-o --no-clobber --from --plot -q -v.\n";

const bench_mode bench_mode_tune = {
    .name = "tune",
    .summary = "one scan in all shapes of its blocks",
    .help = help,
    .takes = takes,
    .method_at = bench_scan_at,
    .probed_at = bench_scan_at,
    .absent_at = bench_scan_absent,
    .unknown = bench_unknown_scan,
    .floor_s = 0.02,
    .refuse = refuse,
    .run = run,
    .owns = owns,
    .summarise = summarise,
    .draw = draw,
};
