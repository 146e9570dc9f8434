/* bench_query.c - the means of many rectangles from one table, in host memory and in device memory. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench_mode.h"
#include "bench_plots.h"
#include "image.h"
#include "progress.h"

enum {
    SIDE_DEFAULT = 8192,
    RECTS_DEFAULT = 10000000,
    /* Sides are 1 .. a quarter of the image's, but at most so many pixels: a sum of 2048 x 2048 8-bit samples is below
     * 2^30, so that a table of u32 answers it. */
    SIDE_MOST = 2048,
    RANDOMS = 4,        /* random numbers for each rectangle */
    PART_RECTS = 16384, /* that a thread makes at a time */
};

static const int takes[] = {OPT_SIZE, OPT_SAMPLES, OPT_ACCUM, OPT_TABLES, OPT_RANDOM_RECTS, 0};

static const char *refuse(const bench_request *r)
{
    if (r->type && r->type != SAT_U8 && r->type != SAT_U16) return "--type: these queries are of tables of u8 or u16";
    if (r->accum && r->accum != SAT_U32 && r->accum != SAT_U64)
        return "--accum: these queries are of tables of u32 or u64";
    if (r->layout == SAT_EXCLUSIVE) return "--layout: these queries are of padded or inclusive tables";
    if (r->type == SAT_U16 && r->accum != SAT_U64) return "--type u16 needs --accum u64";
    return NULL;
}

/* Where a table lies is all that its rows differ in. */
static bool method_at(size_t i, bench_method *m)
{
    static const char *const names[] = {"host", "device"};
    static const char *const summaries[] = {"a table in host memory", "a table in device memory"};
    if (i >= sizeof names / sizeof *names) return false;
    *m = (bench_method){.id = names[i], .summary = summaries[i], .device = i > 0, .available = true, .why = ""};
    snprintf(m->name, sizeof m->name, "%s", m->id);
    return true;
}

static const char *unknown(const char *name)
{
    static char text[128];
    snprintf(text, sizeof text, "no side is called '%.64s'", name);
    return text;
}

/* Only the device's row loads its driver. */
static void probe(bench_method *m)
{
    sat_device_info info;
    if (!m->device || sat_device_current(&info) == SAT_OK) return;
    m->available = false;
    m->why = sat_detail();
}

static bool probed_at(size_t i, bench_method *m)
{
    if (!method_at(i, m)) return false;
    probe(m);
    return true;
}

/* ---- the case ---------------------------------------------------------------------------------------- */

typedef struct questions {
    bench_case image, b; /* what the table is made of; the rectangles and their means */
    sat_table table;
} questions;

static bool make_table(questions *q, const bench_request *r, error *err)
{
    bench_case *from = &q->image;
    sat_plan *plan = NULL;
    *from = (bench_case){.in = {.width = r->width ? r->width : SIDE_DEFAULT,
                                .height = r->height ? r->height : SIDE_DEFAULT,
                                .channels = 1,
                                .type = r->type ? r->type : SAT_U8},
                         .accum = r->accum ? r->accum : SAT_U32,
                         .layout = r->layout,
                         .threads = r->threads};
    const sat_plan_spec spec = {.width = from->in.width,
                                .height = from->in.height,
                                .sample = from->in.type,
                                .accum = from->accum,
                                .layout = from->layout,
                                .threads = r->threads};
    if (!bench_fill(from, err) || !bench_prepare(from, err)) return false;
    sat_status status = sat_plan_create(&plan, &spec);
    if (status == SAT_OK) status = sat_plan_run(plan, &from->in, &from->reference, NULL);
    sat_plan_destroy(&plan);
    q->table = (sat_table){.view = from->reference, .layout = from->layout, .sample = from->in.type};
    return status == SAT_OK ? true : fail(err, "%s", sat_detail());
}

static int64_t random_side(uint64_t i, int64_t length)
{
    int64_t most = length / 4 < SIDE_MOST ? length / 4 : SIDE_MOST;
    return most > 1 ? 1 + (int64_t)(bench_random(i) % (uint64_t)most) : 1;
}

static int64_t random_place(uint64_t i, int64_t length, int64_t side)
{
    return (int64_t)(bench_random(i) % (uint64_t)(length - side + 1));
}

/* The sum of all that lies above row y and left of column x. */
static uint64_t corner(const sat_table *t, int64_t x, int64_t y)
{
    if (t->layout == SAT_INCLUSIVE && (x-- == 0 || y-- == 0)) return 0;
    const void *row = (const char *)t->view.data + y * t->view.row_bytes;
    return t->view.type == SAT_U32 ? ((const uint32_t *)row)[x] : ((const uint64_t *)row)[x];
}

/* The answer as docs/format.md defines it, four corners and a division, with none of the library's code. */
static double mean_of(const sat_table *t, const sat_rect *r)
{
    int64_t x = r->x + r->width, y = r->y + r->height;
    uint64_t sum = corner(t, x, y) - corner(t, r->x, y) - corner(t, x, r->y) + corner(t, r->x, r->y);
    if (t->view.type == SAT_U32) sum = (uint32_t)sum;
    return (double)sum / ((double)r->width * (double)r->height);
}

static void make_part(void *context, int64_t part, int worker)
{
    const questions *q = context;
    const sat_view *picture = &q->image.in, *in = &q->b.in;
    sat_rect *rects = in->data;
    double *means = q->b.reference.data;
    (void)worker;
    for (int64_t i = part * PART_RECTS; i < in->width && i < (part + 1) * PART_RECTS; i++) {
        uint64_t at = (uint64_t)i * RANDOMS;
        sat_rect *rect = &rects[i];
        rect->width = random_side(at, picture->width);
        rect->height = random_side(at + 1, picture->height);
        rect->x = random_place(at + 2, picture->width, rect->width);
        rect->y = random_place(at + 3, picture->height, rect->height);
        means[i] = mean_of(&q->table, rect);
    }
}

static bool make_queries(questions *q, const bench_request *r, error *err)
{
    bench_case *b = &q->b;
    int64_t n = r->rects ? r->rects : RECTS_DEFAULT;
    *b = (bench_case){.in = {.width = n, .height = 1, .channels = sizeof(sat_rect) / sizeof(int64_t), .type = SAT_I64},
                      .reference = {.width = n, .height = 1, .channels = 1, .type = SAT_F64},
                      .full_width = n,
                      .accum = q->image.accum,
                      .threads = r->threads,
                      .exact = true,
                      .table = &q->table};
    if (!view_alloc(&b->in, "the rectangles", err)) return false;
    b->owned = b->in.data;
    if (!view_alloc(&b->reference, "the answers", err)) return false;
    sat_parallel(b->threads, (n - 1) / PART_RECTS + 1, make_part, q);
    b->has_reference = true;
    return true;
}

static bool run(bench_session *s, error *err)
{
    const bench_request *r = s->request;
    char label[sizeof((bench_row *)0)->bench];
    questions q = {0};
    bench_method m;
    progress_begin(2, r->quiet);
    progress_label("reference");
    bool ok = make_table(&q, r, err) && make_queries(&q, r, err);
    snprintf(label, sizeof label, "query %lldx%lld", (long long)q.image.in.width, (long long)q.image.in.height);
    s->label = label;
    bench_begin_size(s);
    for (size_t i = 0; ok && method_at(i, &m); i++) {
        if (!bench_wanted(r, m.id, strlen(m.id))) continue;
        probe(&m);
        bench_measure(s, &q.b, &m, false);
    }
    progress_end();
    bench_free(&q.b);
    bench_free(&q.image);
    return ok;
}

/* ---- rows -------------------------------------------------------------------------------------------- */

static bool owns(const bench_row *row)
{
    return strncmp(row->bench, "query ", 6) == 0;
}

static void group_name(const bench_row *row, char *to, size_t size)
{
    snprintf(to, size, "%s, %s to %s", row->bench, sat_type_name(row->type), sat_type_name(row->accum));
}

/* Rectangles in a microsecond: millions in a second. */
static double rate(const bench_row *row)
{
    return (double)row->width / row->warm_us;
}

static void summarise(const bench_rows *rows, const bench_request *r, text_out *t)
{
    (void)r;
    text_string(t, "\n| name | million rectangles a second | billion corners a second |\n|---|---:|---:|\n");
    for (size_t i = 0; i < rows->n; i++)
        if (bench_row_timed(&rows->row[i]))
            text_printf(t, "| %s | %.1f | %.2f |\n", rows->row[i].name, rate(&rows->row[i]),
                        4e-3 * rate(&rows->row[i]));
}

static bool draw(const bench_rows *rows, const bench_request *r, FILE *gnuplot, error *err)
{
    const bar_chart chart = {.title = "Means of random rectangles from one table",
                             .axis = "million rectangles a second",
                             .value = rate,
                             .group_name = group_name};
    (void)r;
    return draw_bars(&chart, rows, gnuplot, err);
}

static const char help[] = "Checks and times the means of many random rectangles, from a table in host\n"
                           "memory and from one on the device.\n"
                           "\n"
                           "  sat bench queries               10 million, 8192x8192 u8 to u32\n"
                           "  sat bench queries --rects 1000000 --size 16384 --accum u64\n"
                           "\n"
                           "  --rects N       rectangles [10000000]: sides up to a quarter of the image and\n"
                           "                  2048 px, anywhere in it, in no order\n"
                           "  --size N|WxH    of the random image [8192x8192]\n"
                           "  --type u8|u16, --accum u32|u64, --layout padded|inclusive [u8 u32]\n"
                           "  --backend host|device   only this row\n"
                           "\n"
                           "and of `sat bench --help`: --list --repeat --threads --md --csv --json -o\n"
                           "--no-clobber --from --plot -q -v.\n"
                           "\n"
                           "A row's width is the number of rectangles, its type and accum are the table's.\n"
                           "gbps counts for each rectangle its 32 bytes, its mean's 8, and 4 entries of the\n"
                           "table; model_bytes counts each entry as the 32 bytes that a GPU fetches for it.\n";

const bench_mode bench_mode_query = {
    .name = "queries",
    .summary = "the means of many rectangles from one table",
    .help = help,
    .takes = takes,
    .method_at = method_at,
    .probed_at = probed_at,
    .unknown = unknown,
    .floor_s = 0.05,
    .refuse = refuse,
    .run = run,
    .owns = owns,
    .summarise = summarise,
    .draw = draw,
};
