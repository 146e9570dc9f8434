/* cmd_bench.c - checks every backend against the reference, then times it, under the ceiling of a copy.
 *
 * The reference is the last backend of the table that sums.  Nothing is timed that has not just been
 * checked; a row that fails its check, or cannot run, shows no time. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "format.h"
#include "machine_info.h"
#include "messages.h"
#include "options.h"
#include "progress.h"
#include "report.h"
#include "sampler.h"

enum {
    OPT_SIZE = OPT_OWN,
    OPT_TYPE,
    OPT_ACCUM,
    OPT_CHANNELS,
    OPT_LAYOUT,
    OPT_ROW,
    OPT_BOX,
    OPT_REPEAT,
    OPT_MD,
    OPT_CSV,
    OPT_JSON,
    OPT_NO_CLOBBER,
};

static const struct option longs[] = {
    {"size", required_argument, NULL, OPT_SIZE},
    {"type", required_argument, NULL, OPT_TYPE},
    {"accum", required_argument, NULL, OPT_ACCUM},
    {"channels", required_argument, NULL, OPT_CHANNELS},
    {"layout", required_argument, NULL, OPT_LAYOUT},
    {"backend", required_argument, NULL, OPT_ROW},
    {"box", required_argument, NULL, OPT_BOX},
    {"repeat", required_argument, NULL, OPT_REPEAT},
    {"md", no_argument, NULL, OPT_MD},
    {"csv", no_argument, NULL, OPT_CSV},
    {"json", no_argument, NULL, OPT_JSON},
    {"output", required_argument, NULL, 'o'},
    {"no-clobber", no_argument, NULL, OPT_NO_CLOBBER},
    {"threads", required_argument, NULL, OPT_THREADS},
    OPTIONS_TALK,
    OPTIONS_HELP,
    {0},
};

static const sat_type sample_types[] = {SAT_U8, SAT_U16, SAT_U32, SAT_F32, SAT_F64, SAT_TYPE_NONE};
static const sat_type accum_types[] = {SAT_U32, SAT_U64, SAT_I64, SAT_F32, SAT_F64, SAT_TYPE_NONE};

/* The columns, in the order of their names below. */
enum { BENCH, NAME, WIDTH, HEIGHT, CHANNELS, TYPE, ACCUM, MODEL, COLD, WARM, NOISE, GBPS, COPY, SHARE, CHECK, COLUMNS };
static const report_column columns[COLUMNS] = {
    {"bench", true, 8},     {"name", true, 12},          {"width", false, 5},     {"height", false, 5},
    {"channels", false, 1}, {"type", true, 3},           {"accum", true, 3},      {"model_bytes", false, 11},
    {"cold_us", false, 9},  {"warm_us", false, 9},       {"noise_pct", false, 5}, {"gbps", false, 6},
    {"copy_us", false, 9},  {"share_of_copy", false, 5}, {"check", true, 5},
};
enum { CELL_BYTES = 256, WANTED_MAX = 32, SAMPLES_DEFAULT = 7 };
static const double FLOOR_S = 0.25; /* warm and cold each: half a second for a row */

typedef struct request {
    bench_case of;
    int64_t width, height;
    bool shaped; /* size, type or channels were given */
    const char *wanted[WANTED_MAX];
    int wanted_n;
    int64_t samples;
    report_form form;
    const char *output;
    bool no_clobber;
} request;

typedef struct bench_run_state {
    request *r;
    report report;
    sampler sampler;
    double copy_us; /* the best ceiling row's warm time; 0 = none yet */
    int failed;
    bool verbose;
} state;

/* ---- one row --------------------------------------------------------------------------------------- */

static void print_row(state *s, const char *name, double model_bytes, const timing *cold, const timing *warm,
                      const char *check)
{
    const bench_case *b = &s->r->of;
    char text[COLUMNS][CELL_BYTES], *cells[COLUMNS];
    for (int i = 0; i < COLUMNS; i++) {
        cells[i] = text[i];
        text[i][0] = 0;
    }
    if (b->window)
        snprintf(text[BENCH], CELL_BYTES, "box %lldx%lld", (long long)b->window, (long long)b->window);
    else
        snprintf(text[BENCH], CELL_BYTES, "table");
    snprintf(text[NAME], CELL_BYTES, "%s", name);
    snprintf(text[WIDTH], CELL_BYTES, "%lld", (long long)b->in.width);
    snprintf(text[HEIGHT], CELL_BYTES, "%lld", (long long)b->in.height);
    snprintf(text[CHANNELS], CELL_BYTES, "%d", b->in.channels);
    snprintf(text[TYPE], CELL_BYTES, "%s", sat_type_name(b->in.type));
    snprintf(text[ACCUM], CELL_BYTES, "%s", b->window ? "" : sat_type_name(b->accum));
    snprintf(text[MODEL], CELL_BYTES, "%.0f", model_bytes);
    snprintf(text[CHECK], CELL_BYTES, "%s", check);
    if (warm) {
        snprintf(text[COLD], CELL_BYTES, "%.2f", cold->median_us);
        snprintf(text[WARM], CELL_BYTES, "%.2f", warm->median_us);
        snprintf(text[NOISE], CELL_BYTES, "%.1f", warm->noise_pct);
        snprintf(text[GBPS], CELL_BYTES, "%.2f", bench_least_bytes(b) / warm->median_us / 1e3);
    }
    if (warm && s->copy_us > 0) {
        snprintf(text[COPY], CELL_BYTES, "%.2f", s->copy_us);
        snprintf(text[SHARE], CELL_BYTES, "%.3f", s->copy_us / warm->median_us);
    }
    progress_hide();
    report_row(&s->report, cells);
    text_show(s->report.to);
    progress_show();
}

/* backend NULL = the plain copy.  ceiling: the row is a yardstick. */
static void measure(state *s, const char *name, const char *backend, bool ceiling, double model_bytes)
{
    bench_work w;
    error err;
    timing cold, warm;
    progress_label(name);
    bool ok = bench_open(&w, &s->r->of, backend);
    if (!ok)
        fail(&err, "%s", sat_detail());
    else
        ok = ceiling ? bench_check_writes(&w, &err) : bench_check(&w, &err);
    if (ok && s->verbose && backend) say(name, "%s", w.plan ? sat_plan_note(w.plan) : sat_box_note(w.box));
    if (ok && !(sample_cold(&s->sampler, bench_run, &w, &cold) && sample_warm(&s->sampler, bench_run, &w, &warm)))
        ok = fail(&err, "%s", sat_detail());
    if (ok && ceiling && (s->copy_us == 0 || warm.median_us < s->copy_us)) s->copy_us = warm.median_us;
    print_row(s, name, model_bytes, &cold, ok ? &warm : NULL, ok ? "ok" : err.text);
    s->failed += !ok;
    bench_close(&w);
    progress_step();
}

static bool is_wanted(const request *r, const char *name)
{
    for (int i = 0; i < r->wanted_n; i++)
        if (strcmp(r->wanted[i], name) == 0) return true;
    return r->wanted_n == 0;
}

static void measure_backends(state *s, bool ceilings)
{
    sat_backend_info info;
    for (size_t i = 0; sat_backend_at(i, &info); i++) {
        if ((info.kind == SAT_CEILING) != ceilings || (!ceilings && !is_wanted(s->r, info.name))) continue;
        double model = bench_model_bytes(&s->r->of, &info);
        if (info.available)
            measure(s, info.name, info.name, ceilings, model);
        else
            print_row(s, info.name, model, NULL, NULL, info.why);
    }
}

/* Ceilings first: their check borrows the place of the reference, which is then made. */
static bool measure_all(state *s, const char *reference, error *err)
{
    bench_case *b = &s->r->of;
    if (b->window)
        measure(s, "memcpy", NULL, true, bench_least_bytes(b));
    else
        measure_backends(s, true);
    if (!bench_make_reference(b, reference)) return fail(err, "%s", sat_detail());
    measure_backends(s, false);
    return true;
}

/* ---- the report ------------------------------------------------------------------------------------ */

static void put_machine(const state *s, int argc, char **argv, text_out *t)
{
    machine_info m;
    bool json = s->report.form == REPORT_JSON;
    if (s->report.form == REPORT_CSV) return;
    machine_read(&m);
    const char *const facts[][2] = {
        {"processor", m.cpu}, {"kernel", m.kernel}, {"compiler", m.compiler}, {"date", m.date}, {"sat", sat_version()}};
    if (json) text_string(t, "{\"machine\":{");
    for (size_t i = 0; i < sizeof facts / sizeof *facts; i++) {
        if (json) {
            text_printf(t, "\"%s\":", facts[i][0]);
            text_json_string(t, facts[i][1]);
            text_string(t, ",");
        } else {
            text_printf(t, "- %s: %s\n", facts[i][0], facts[i][1]);
        }
    }
    text_printf(t, json ? "\"cores\":%d,\"threads\":%d,\"command\":" : "- cores: %d, of which %d used\n- command: ",
                m.cores, s->r->of.threads);
    char line[4096];
    size_t used = (size_t)snprintf(line, sizeof line, "sat");
    for (int i = 0; i < argc && used < sizeof line; i++)
        used += (size_t)snprintf(line + used, sizeof line - used, " %s", argv[i]);
    if (json)
        text_json_string(t, line);
    else
        text_string(t, line);
    text_string(t, json ? "},\n\"rows\":" : "\n\n");
}

/* ---- the command ----------------------------------------------------------------------------------- */

static void take_backend(options *o, request *r)
{
    char names[512] = "";
    size_t used = 0;
    sat_backend_info info;
    for (size_t i = 0; sat_backend_at(i, &info); i++) {
        if (strcmp(info.name, optarg) == 0) {
            if (r->wanted_n < WANTED_MAX) r->wanted[r->wanted_n++] = optarg;
            return;
        }
        if (used < sizeof names)
            used += (size_t)snprintf(names + used, sizeof names - used, "%s%s", used ? ", " : "", info.name);
    }
    options_refuse(o, "--backend '%s': there is no such backend; there are %s", optarg, names);
}

static void take(int c, options *o, request *r)
{
    char names[128];
    int64_t n;
    switch (c) {
    case OPT_SIZE:
        r->shaped = true;
        if (!parse_size(optarg, 1, (int64_t)1 << 40, &r->width, &r->height))
            options_refuse(o, "--size '%s': WxH or N in pixels", optarg);
        break;
    case OPT_TYPE:
        r->shaped = true;
        if (!parse_type(optarg, sample_types, &r->of.in.type))
            options_refuse(o, "--type '%s': samples are %s", optarg, type_names(names, sample_types));
        break;
    case OPT_ACCUM:
        if (!parse_type(optarg, accum_types, &r->of.accum))
            options_refuse(o, "--accum '%s': tables here are of %s", optarg, type_names(names, accum_types));
        break;
    case OPT_CHANNELS:
        r->shaped = true;
        if (!parse_int(optarg, 1, 4, &n))
            options_refuse(o, "--channels '%s': a number from 1 to 4", optarg);
        else
            r->of.in.channels = (int)n;
        break;
    case OPT_LAYOUT:
        if (!sat_layout_from_name(optarg, &r->of.layout))
            options_refuse(o, "--layout '%s': padded, inclusive or exclusive", optarg);
        break;
    case OPT_ROW: take_backend(o, r); break;
    case OPT_BOX:
        if (!parse_int(optarg, 1, INT32_MAX, &r->of.window)) options_refuse(o, "--box '%s': a side in pixels", optarg);
        break;
    case OPT_REPEAT:
        if (!parse_int(optarg, 1, 10000, &r->samples))
            options_refuse(o, "--repeat '%s': a number from 1 to 10000", optarg);
        break;
    case OPT_MD: r->form = REPORT_MD; break;
    case OPT_CSV: r->form = REPORT_CSV; break;
    case OPT_JSON: r->form = REPORT_JSON; break;
    case 'o': r->output = optarg; break;
    case OPT_NO_CLOBBER: r->no_clobber = true; break;
    }
}

/* Gets the input, an image or random samples, and allocates the outputs. */
static bool prepare(request *r, const char *path, error *err)
{
    bench_case *b = &r->of;
    if (path) {
        const image_format *format;
        decode_options decode = {.max_pixels = MAX_PIXELS_DEFAULT, .threads = b->threads};
        if (!image_read(path, &decode, &b->img, &format, err)) return false;
        b->in = image_view(&b->img);
    } else {
        b->in.width = r->width;
        b->in.height = r->height;
        if (!bench_fill(b, err)) return false;
    }
    if (!b->accum) b->accum = b->in.type == SAT_F32 || b->in.type == SAT_F64 ? SAT_F64 : SAT_U32;
    return bench_outputs(b, err);
}

static const char *reference_name(int *rows)
{
    sat_backend_info info;
    const char *name = NULL;
    *rows = 1;
    for (size_t i = 0; sat_backend_at(i, &info); i++, ++*rows)
        if (info.kind == SAT_REFERENCE) name = info.name;
    return name;
}

static int run(int argc, char **argv)
{
    options o = {.self = &command_bench};
    request r = {.of = {.in = {.type = SAT_U8, .channels = 1}, .layout = SAT_INCLUSIVE},
                 .width = 8192,
                 .height = 8192,
                 .samples = SAMPLES_DEFAULT,
                 .output = "-"};
    static text_out t;
    state s = {.r = &r, .sampler.floor_s = FLOOR_S};
    const char *image_path, *at_fault = NULL;
    error err;
    int c, rows;

    while ((c = options_next(&o, argc, argv, OPTIONS_SHORT "qvo:", longs)) != -1) take(c, &o, &r);
    char **words = argv; /* getopt has put the operands last */
    if (!options_end(&o)) return o.status;
    image_path = optind < argc ? argv[optind] : NULL;
    if (optind + 1 < argc)
        options_refuse(&o, "one image at a time, not also '%s'", argv[optind + 1]);
    else if (image_path && r.shaped)
        options_refuse(&o, "--size, --type and --channels are the image's own");
    else if (r.of.window && r.of.accum)
        options_refuse(&o, "--accum is for tables, not for --box");
    if (o.stop) return o.status;

    r.of.threads = s.sampler.threads = o.threads;
    s.verbose = o.verbose;
    s.sampler.samples = (int)r.samples;
    s.report = (report){.to = &t, .form = r.form, .columns = columns, .n = COLUMNS};
    const char *reference = reference_name(&rows);
    o.status = EXIT_INPUT;
    if (!sampler_open(&s.sampler)) {
        fail(&err, "out of memory");
        goto out;
    }
    at_fault = image_path;
    if (!prepare(&r, image_path, &err)) goto out;
    at_fault = output_name(r.output);
    if (!text_open(&t, r.output, r.no_clobber, &err)) goto out;
    put_machine(&s, argc, words, &t);
    report_begin(&s.report);
    text_show(&t);
    progress_begin(rows, o.quiet);
    bool ok = measure_all(&s, reference, &err);
    progress_end();
    report_end(&s.report);
    if (r.form == REPORT_JSON) text_string(&t, "}\n");
    if (!text_close(&t, ok ? &err : &(error){0})) goto out;
    at_fault = NULL;
    if (ok && s.failed > 0)
        ok = fail(&err, "%d row%s failed the check or could not run", s.failed, s.failed > 1 ? "s" : "");
    if (ok) o.status = EXIT_FINE;
out:
    if (o.status != EXIT_FINE) say(at_fault, "%s", err.text);
    sampler_close(&s.sampler);
    bench_free(&r.of);
    return o.status;
}

static const char help[] = "Checks every backend against the reference, then times it, under the ceiling of\n"
                           "a copy. A row that fails its check shows no time.\n"
                           "\n"
                           "  sat bench                                8192x8192 random u8, tables of u32\n"
                           "  sat bench --type f32 --accum f64 --threads 1\n"
                           "  sat bench --box 15 --channels 3          the box filter, under a memcpy\n"
                           "  sat bench photo.png --csv -o photo.csv\n"
                           "\n"
                           "  --size N|WxH       of the random image [8192x8192]\n"
                           "  --type TYPE        of its samples: u8 u16 u32 f32 f64 [u8]\n"
                           "  --channels N       1 to 4 [1]\n"
                           "  --accum TYPE       of the table: u32 u64 i64 f32 f64 [u32; f64 for floats]\n"
                           "  --layout NAME      padded, inclusive, exclusive [inclusive]\n"
                           "  --box N            the box filter of NxN px instead of tables\n"
                           "  --backend NAME     only this row and the ceiling; may be given many times\n"
                           "  --repeat N         samples of each time, at least, and for 0.25 s [7]\n"
                           "  --md, --csv, --json\n"
                           "  -o, --output FILE   --no-clobber   --threads N   -q, --quiet   -v, --verbose\n"
                           "  -h, --help   -V, --version\n"
                           "\n"
                           "cold_us: each run after all caches were overwritten; warm_us: run after run;\n"
                           "medians, outputs reused. noise_pct: distance of the quartiles, in percent of\n"
                           "warm_us. model_bytes: what the backend is modelled to move. gbps: the least\n"
                           "bytes (input once, output once) over warm_us. share_of_copy: copy_us/warm_us.\n";

const command command_bench = {
    .name = "bench",
    .summary = "check and time every backend on this machine",
    .help = help,
    .run = run,
};
