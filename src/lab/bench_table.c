/* bench_table.c - all backends on one image: tables, the box filter, the Gaussian filter, or statistics of windows. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench_criterion.h"
#include "bench_gauss.h"
#include "bench_mode.h"
#include "bench_plots.h"
#include "bench_window.h"
#include "format.h"
#include "progress.h"
#include "sample_type.h"
#include "sat_image.h"

enum { SIDE_DEFAULT = 8192 };

/* In the column `bench`: followed by SQUARES where samples are squared, and by the layout, if it is another than the
 * default; followed by the window or sigma, by the statistics or WEIGHTED, and by the results' type, if it is another
 * than the samples'. */
#define TABLE    "table"
#define BOX      "box "
#define GAUSS    "gauss "
#define RESULT   " to "
#define SQUARES  " of squares"
#define WEIGHTED " weighted"
enum { STATISTICS_MAX = 36 }; /* characters, with the widest window and a batch */

static const int takes[] = {
    OPT_SIZE,    OPT_SAMPLES,    OPT_ACCUM,   OPT_CHANNELS, OPT_TABLES, OPT_SIDE,  OPT_SIGMA, OPT_MEANS, OPT_BATCH,
    OPT_AGAINST, OPT_STATISTICS, OPT_SQUARES, OPT_WEIGHTED, OPT_ORDER,  OPT_HOLES, OPT_VALUE, 0};

static bool some_do_not_count(const bench_request *r)
{
    return r->masked || r->skip_nan || r->has_nodata;
}

/* A box of what counts is the mean of windows, as in the command. */
static const char *statistics_of(const bench_request *r)
{
    return r->statistics || !r->window || !some_do_not_count(r) ? r->statistics : "mean";
}

static const char *refuse(const bench_request *r)
{
    if (r->image && (r->width || r->type || r->channels)) return "--size, --type and --channels are the image's own";
    if (r->image && r->batch) return "--batch is of random samples, not of an image";
    if (r->against && r->layout != SAT_EXCLUSIVE) return "--against belongs to --layout exclusive";
    const bool filter = r->window || r->sigma > 0;
    if (r->window && r->sigma > 0) return "--box and --gauss are two filters";
    if (filter && r->accum) return "--accum is for tables, not for filters";
    if (r->squares && filter) return "--squares is for tables, not for filters";
    if (r->result && !filter) return "--result is for --box and --gauss";
    if (r->statistics && !r->window) return "--stat is of windows: --box N";
    if (r->weighted && (!r->window || r->statistics)) return "--weighted is for --box, without --stat";
    if (r->order && (r->statistics || r->sigma > 0)) return "--order is for tables and for --box, without --stat";
    if (some_do_not_count(r) && (r->order || r->weighted))
        return "--mask and --nodata do not go with --order and --weighted";
    if (r->statistics) {
        static char why[160];
        const char *wrong = bench_window_outputs(&(bench_case){0}, r->statistics);
        if (!wrong && strlen(r->statistics) > STATISTICS_MAX) wrong = "more than a row has room for";
        snprintf(why, sizeof why, "--stat '%.60s': %s", r->statistics, wrong ? wrong : "");
        if (wrong) return why;
    }
    if (r->type == SAT_U64) return "--type u64 is for scans; an image has u8, u16, u32, i8, i16, i32, f32 or f64";
    return NULL;
}

/* Gets the input, an image or random samples, and makes room for the answer. */
static bool prepare(const bench_request *r, bench_case *b, error *err)
{
    *b = (bench_case){
        .accum = r->accum, .squares = r->squares, .layout = r->layout, .window = r->window, .threads = r->threads};
    b->weighted = r->weighted;
    b->order = r->order;
    b->sigma = r->sigma;
    if (b->sigma > 0) b->window = 2 * bench_gauss_reach(b) + 1;
    if (r->image) {
        const image_format *format;
        decode_options decode = {.max_pixels = MAX_PIXELS_DEFAULT, .threads = r->threads};
        if (!image_read(r->image, &decode, &b->img, &format, err)) return false;
        b->in = image_view(&b->img);
    } else {
        b->in = (sat_view){.width = r->width ? r->width : SIDE_DEFAULT,
                           .height = r->height ? r->height : SIDE_DEFAULT,
                           .channels = r->channels ? r->channels : 1,
                           .type = r->type ? r->type : SAT_U8,
                           .count = r->batch};
        if (!bench_fill(b, err)) return false;
    }
    if (!b->accum && b->squares)
        b->accum = is_float_type(b->in.type) || sat_type_bytes(b->in.type) == 4 ? SAT_F64 : SAT_U64;
    if (!b->accum) b->accum = is_float_type(b->in.type) ? SAT_F64 : is_signed_type(b->in.type) ? SAT_I32 : SAT_U32;
    b->result = r->result ? r->result : r->statistics ? sat_real_type(b->in.type) : b->in.type;
    if (statistics_of(r)) bench_window_outputs(b, statistics_of(r));
    b->valid = (bench_valid){.skip_nan = r->skip_nan, .has_nodata = r->has_nodata, .nodata = r->nodata};
    return bench_valid_prepare(b, r->masked, err) && bench_prepare(b, err);
}

static bool find_reference(bench_method *reference)
{
    for (size_t i = 0; bench_backend_entry(i, reference); i++)
        if (reference->kind == SAT_REFERENCE) return true;
    return false;
}

/* The first on the host, or the device, that does the job: where none is the reference, its results are checked by
 * other means. */
static bool find_method(bench_case *b, bool device, bench_method *m)
{
    for (size_t i = 0; bench_backend_entry(i, m); i++) {
        bench_work w = {0};
        if (m->kind != SAT_METHOD || m->device != device || !bench_backend_at(i, m) || !m->available) continue;
        const bool has = bench_open(&w, b, m) == SAT_OK;
        bench_close(&w);
        if (has) return true;
    }
    return false;
}

static bool any_wanted(const bench_request *r, bool device)
{
    bench_method m;
    for (size_t i = 0; bench_backend_entry(i, &m); i++)
        if (m.kind != SAT_CEILING && m.device == device && bench_wanted(r, m.id, strlen(m.id))) return true;
    return false;
}

/* It copies half of all bytes, which results that are narrower than the samples have no room for. */
static bool has_plain_copy(const bench_request *r, const bench_case *b)
{
    const size_t results = (size_t)(b->outputs ? b->outputs : 1);
    return results * sat_type_bytes(b->result) >= sat_type_bytes(b->in.type) && any_wanted(r, false);
}

/* It copies samples of one type, or half of what statistics read and write. */
static bool has_device_copy(const bench_request *r, bench_case *b)
{
    bench_method m;
    if (b->outputs)
        return any_wanted(r, true) && find_method(b, true, &m) &&
               (size_t)b->outputs * sat_type_bytes(b->result) >= sat_type_bytes(b->in.type);
    return b->result == b->in.type && any_wanted(r, true);
}

/* A ceiling is measured where something below it is. */
static bool has_row(const bench_request *r, const bench_method *m)
{
    if ((r->order || some_do_not_count(r)) && m->device) return false;
    if (m->kind == SAT_CEILING) return r->window == 0 && r->sigma == 0 && any_wanted(r, m->device);
    return bench_wanted(r, m->id, strlen(m->id));
}

/* The ceilings of filters, of which the table has none. */
static void measure_copies(bench_session *s, bench_case *b)
{
    bench_method copy;
    if (has_plain_copy(s->request, b)) {
        bench_plain_copy(&copy);
        bench_measure(s, b, &copy, false);
    }
    if (has_device_copy(s->request, b)) {
        bench_device_copy(&copy);
        bench_measure(s, b, &copy, false);
    }
}

static int64_t count_rows(const bench_request *r, bench_case *b)
{
    bench_method m;
    int64_t n = b->window ? has_plain_copy(r, b) + has_device_copy(r, b) : 0;
    for (size_t i = 0; bench_backend_entry(i, &m); i++) n += has_row(r, &m);
    return n;
}

/* Only what has a row is asked whether it is available: no driver is loaded for what runs on the host. */
static void measure_all(bench_session *s, bench_case *b, bool ceilings)
{
    bench_method m;
    for (size_t i = 0; bench_backend_entry(i, &m); i++)
        if ((m.kind == SAT_CEILING) == ceilings && has_row(s->request, &m) && bench_backend_at(i, &m))
            bench_measure(s, b, &m, (b->outputs || b->sigma > 0) && s->request->wanted_n == 0);
}

static bool run(bench_session *s, error *err)
{
    bench_case b;
    bench_method reference;
    char label[sizeof((bench_row *)0)->bench] = TABLE;
    bool ok = prepare(s->request, &b, err);
    if (b.sigma > 0)
        snprintf(label, sizeof label, GAUSS "%.6g%s%s", b.sigma, b.result == b.in.type ? "" : RESULT,
                 b.result == b.in.type ? "" : sat_type_name(b.result));
    else if (b.window)
        snprintf(label, sizeof label, BOX "%lldx%lld%s%s%s%s", (long long)b.window, (long long)b.window,
                 b.outputs ? " " : "",
                 b.outputs    ? statistics_of(s->request)
                 : b.weighted ? WEIGHTED
                              : "",
                 b.result == b.in.type ? "" : RESULT, b.result == b.in.type ? "" : sat_type_name(b.result));
    else if (b.layout != SAT_INCLUSIVE || b.squares)
        snprintf(label, sizeof label, TABLE "%s%s%s", b.squares ? SQUARES : "", b.layout == SAT_INCLUSIVE ? "" : " ",
                 b.layout == SAT_INCLUSIVE ? "" : sat_layout_name(b.layout));
    for (char *comma = label; (comma = strchr(comma, ','));) *comma = '+'; /* CSV's separator */
    if (b.in.count > 1) {
        size_t used = strlen(label);
        snprintf(label + used, sizeof label - used, " batch %lld", (long long)b.in.count);
    }
    if (b.order) {
        size_t used = strlen(label);
        snprintf(label + used, sizeof label - used, " %s", bench_order_name[b.order]);
    }
    const size_t used = strlen(label);
    snprintf(label + used, sizeof label - used, "%s", bench_valid_label(&b));
    s->label = label;
    const bool unreferenced = b.outputs || b.sigma > 0;
    if (ok && !(unreferenced ? find_method(&b, false, &reference) : find_reference(&reference)))
        ok = fail(err, "there is no reference");
    bench_begin_size(s);
    progress_begin(count_rows(s->request, &b), s->request->quiet);
    if (ok && b.window) {
        measure_copies(s, &b);
    } else if (ok) {
        measure_all(s, &b, true);
    }
    progress_label("reference");
    ok = ok && bench_make_reference(&b, &reference, 0, err);
    if (b.outputs) ok = ok && bench_window_check(&b, err);
    if (b.sigma > 0) ok = ok && bench_gauss_check(&b, err);
    if (ok) measure_all(s, &b, false);
    progress_end();
    bench_free(&b);
    return ok;
}

static bool owns(const bench_row *row)
{
    return strncmp(row->bench, TABLE, strlen(TABLE)) == 0 || strncmp(row->bench, BOX, strlen(BOX)) == 0 ||
           strncmp(row->bench, GAUSS, strlen(GAUSS)) == 0;
}

/* "8192x8192 u8 to u32", "table padded, 8192x8192 u8 to u32", "box 15x15, 8192x8192x3 u8" */
static void group_name(const bench_row *row, char *to, size_t size)
{
    char filter[sizeof row->bench + 2] = "", channels[16] = "", sums[16] = "";
    if (row->accum) snprintf(sums, sizeof sums, " to %s", sat_type_name(row->accum));
    if (strcmp(row->bench, TABLE) != 0) snprintf(filter, sizeof filter, "%s, ", row->bench);
    if (row->channels > 1) snprintf(channels, sizeof channels, "x%d", row->channels);
    snprintf(to, size, "%s%lldx%lld%s %s%s", filter, (long long)row->width, (long long)row->height, channels,
             sat_type_name(row->type), sums);
}

/* Without --against: the first scan of an array, as the table that is made of it has its name. */
static const char *usual_scan(void)
{
    bench_method m;
    return bench_scan_at(0, &m) && m.kind == SAT_METHOD ? m.id : NULL;
}

/* A course lab's task is an exclusive table. */
static void summarise(const bench_rows *rows, const bench_request *r, text_out *t)
{
    for (size_t i = 0; i < rows->n; i++) {
        const bench_row *row = &rows->row[i];
        char what[96];
        bool seen = strcmp(row->bench, TABLE " exclusive") != 0;
        for (size_t k = 0; k < i && !seen; k++) seen = bench_rows_same(&rows->row[k], row);
        if (seen) continue;
        group_name(row, what, sizeof what);
        put_criterion(rows, row, r->against ? r->against : usual_scan(), what, t);
    }
}

static double share(const bench_row *row)
{
    return row->share;
}

static double side(const bench_row *row)
{
    return (double)row->width;
}

/* Square tables of the same types and channels, in the first row's layout; of methods that know that layout not at
 * all, in another. */
static bool belongs(const bench_rows *rows, const bench_row *row, const bench_row *first)
{
    if (row->width != row->height || row->channels != first->channels || row->type != first->type ||
        row->accum != first->accum)
        return false;
    if (strcmp(row->bench, first->bench) == 0) return true;
    for (size_t i = 0; i < rows->n; i++) {
        const bench_row *other = &rows->row[i];
        if (bench_row_timed(other) && strcmp(other->name, row->name) == 0 && bench_rows_alike(other, first))
            return false;
    }
    return true;
}

/* The window or sigma of a filter, in the column `bench`. */
static const char *filter_size(const bench_row *row)
{
    const char *at = strchr(row->bench, ' ');
    return at ? at + 1 : "";
}

/* What follows it: the statistics and the type of results, where they are named. */
static const char *result_name(const bench_row *row)
{
    const char *at = strchr(filter_size(row), ' ');
    return at ? at : "";
}

/* The same filter of the same images, whatever its size. */
static bool belongs_to_filters(const bench_rows *rows, const bench_row *row, const bench_row *first)
{
    (void)rows;
    return !row->accum && !first->accum && row->width == first->width && row->height == first->height &&
           row->channels == first->channels && row->type == first->type && row->bench[0] == first->bench[0] &&
           strcmp(result_name(row), result_name(first)) == 0;
}

static double window(const bench_row *row)
{
    return strtod(filter_size(row), NULL);
}

static double microseconds(const bench_row *row)
{
    return row->warm_us;
}

/* Lines over the side of the image, or of the window, where there are enough of them for a line; else bars. */
static bool draw(const bench_rows *rows, const bench_request *r, FILE *gnuplot, error *err)
{
    enum { PLACES_FOR_A_LINE = 3 };
    const bench_row *first = first_timed(rows);
    char title[192] = "", channels[24] = "";
    const line_chart sides = {.title = title,
                              .x_axis = "side of the square image, px",
                              .x_format = "%.0f",
                              .y_axis = "share of the copy",
                              .y_range = "[0:1.0 < * < 1.3]", /* in a cache a kernel copies faster than the driver */
                              .x = side,
                              .y = share,
                              .belongs = belongs};
    const line_chart windows = {.title = title,
                                .x_axis = "side of the window, px",
                                .x_format = "%.0f",
                                .y_axis = "us",
                                .y_range = "[*:*]",
                                .y_log = true,
                                .x = window,
                                .y = microseconds,
                                .belongs = belongs_to_filters};
    const bar_chart bars = {.title = "How close each backend comes to a copy of the least bytes",
                            .axis = "share of the copy",
                            .value = share,
                            .group_name = group_name,
                            .top = 1};
    (void)r;
    if (first && first->channels > 1) snprintf(channels, sizeof channels, ", %d channels", first->channels);
    if (first && first->accum && count_places(&sides, rows) >= PLACES_FOR_A_LINE) {
        snprintf(title, sizeof title, "Tables of %s to %s%s: share of a copy of the least bytes in the same memory",
                 sat_type_name(first->type), sat_type_name(first->accum), channels);
        return draw_lines(&sides, rows, gnuplot, err);
    }
    if (first && !first->accum && count_places(&windows, rows) >= PLACES_FOR_A_LINE) {
        snprintf(title, sizeof title, "Box filters of %lldx%lld %s%s, each in its own memory", (long long)first->width,
                 (long long)first->height, sat_type_name(first->type), channels);
        return draw_lines(&windows, rows, gnuplot, err);
    }
    return draw_bars(&bars, rows, gnuplot, err);
}

const bench_mode bench_mode_table = {
    .name = "tables",
    .summary = "all backends on one image: what runs when no bench is named",
    .takes = takes,
    .takes_image = true,
    .method_at = bench_backend_entry,
    .probed_at = bench_backend_at,
    .absent_at = sat_backend_absent,
    .unknown = unknown_backend,
    .floor_s = 0.25,
    .refuse = refuse,
    .run = run,
    .owns = owns,
    .summarise = summarise,
    .draw = draw,
};
