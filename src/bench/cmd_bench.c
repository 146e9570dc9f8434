/* cmd_bench.c - checks methods against the reference, then times them, under the ceiling of a copy.
 *
 * Nothing is timed that has not just been checked; a row that fails its check, or cannot run, shows no time.  What is
 * measured depends on the bench (bench_mode.h); rows can also come from a file, to be drawn or summarised again. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench_mode.h"
#include "input.h"
#include "machine_info.h"
#include "messages.h"
#include "name_list.h"
#include "nearest.h"
#include "progress.h"

static const struct option longs[] = {
    {"size", required_argument, NULL, OPT_SIZE},
    {"type", required_argument, NULL, OPT_TYPE},
    {"accum", required_argument, NULL, OPT_ACCUM},
    {"channels", required_argument, NULL, OPT_CHANNELS},
    {"layout", required_argument, NULL, OPT_LAYOUT},
    {"box", required_argument, NULL, OPT_BOX},
    {"min", required_argument, NULL, OPT_MIN},
    {"max", required_argument, NULL, OPT_MAX},
    {"step", required_argument, NULL, OPT_STEP},
    {"exclusive", no_argument, NULL, OPT_EXCLUSIVE},
    {"naive-staging", no_argument, NULL, OPT_NAIVE},
    {"block", required_argument, NULL, OPT_BLOCK},
    {"items", required_argument, NULL, OPT_ITEMS},
    {"map", required_argument, NULL, OPT_MAP},
    {"against", required_argument, NULL, OPT_AGAINST},
    {"rects", required_argument, NULL, OPT_RECTS},
    {"backend", required_argument, NULL, OPT_ROW | OPT_REPEATS},
    {"repeat", required_argument, NULL, OPT_REPEAT},
    {"md", no_argument, NULL, OPT_MD},
    {"csv", no_argument, NULL, OPT_CSV},
    {"json", no_argument, NULL, OPT_JSON},
    {"list", no_argument, NULL, OPT_LIST},
    {"from", required_argument, NULL, OPT_FROM | OPT_REPEATS},
    {"plot", required_argument, NULL, OPT_PLOT},
    {"output", required_argument, NULL, 'o'},
    {"no-clobber", no_argument, NULL, OPT_NO_CLOBBER},
    {"threads", required_argument, NULL, OPT_THREADS | OPT_REPEATS},
    OPTIONS_VERBOSITY,
    OPTIONS_HELP,
    {0},
};

/* Those that choose among rows that a file holds; the others of OPT_SIZE and on are for measuring. */
static const int from_takes[] = {OPT_TYPE,  OPT_ACCUM, OPT_EXCLUSIVE, OPT_NAIVE, OPT_BLOCK,
                                 OPT_ITEMS, OPT_MAP,   OPT_AGAINST,   0};

static const sat_type sample_types[] = {SAT_U8, SAT_U16, SAT_U32, SAT_U64, SAT_F32, SAT_F64, SAT_TYPE_NONE};
static const sat_type accum_types[] = {SAT_U32, SAT_U64, SAT_I64, SAT_F32, SAT_F64, SAT_TYPE_NONE};

/* Nothing but the work runs on the device, by whose clock it is timed: long sampling finds no other median. */
static const double DEVICE_FLOOR_S = 0.05;

enum { SAMPLES_DEFAULT = 7, FILES_MAX = 16, GIVEN_MAX = 32, LOG2_MAX = 40 /* sat.h */ };

#define BENCH(id) &bench_mode_##id,
static const bench_mode *const modes[] = {
#include "benches.def"
};
#undef BENCH

const bench_mode *bench_mode_at(int i)
{
    return i >= 0 && (size_t)i < sizeof modes / sizeof *modes ? modes[i] : NULL;
}

static const bench_mode *mode_named(const char *name)
{
    for (int i = 0; bench_mode_at(i); i++)
        if (strcmp(bench_mode_at(i)->name, name) == 0) return bench_mode_at(i);
    return NULL;
}

/* The bench that may have been meant by a word which is none; NULL if it is near none of them. */
static const bench_mode *guess(const char *word)
{
    const bench_mode *best = NULL;
    size_t least = SIZE_MAX;
    for (int i = 0; bench_mode_at(i); i++)
        if (nearer(word, bench_mode_at(i)->name, &least)) best = bench_mode_at(i);
    return best;
}

/* The command line beyond what benches read. */
typedef struct words {
    const bench_mode *mode; /* NULL = not named */
    bench_request request;
    report_form form;
    bool formed; /* a form or an output was given */
    const char *output, *plot;
    bool no_clobber, list;
    const char *from[FILES_MAX];
    int from_n;
    int given[GIVEN_MAX], given_n; /* options of OPT_SIZE and on */
    int argc;
    char **argv;
} words;

/* ---- options ----------------------------------------------------------------------------------------- */

static void take_type(options *o, const char *option, const sat_type *among, const char *what, sat_type *type)
{
    name_list names = {.used = 0};
    if (!parse_type(optarg, among, type))
        options_refuse(o, "%s '%s': %s %s", option, optarg, what, type_names(&names, among));
}

static void take_int(options *o, const char *option, int64_t low, int64_t high, const char *what, int64_t *value)
{
    if (!parse_int(optarg, low, high, value)) options_refuse(o, "%s '%s': %s", option, optarg, what);
}

/* Options that some benches take. */
static void take_own(int c, options *o, bench_request *r)
{
    int64_t n = 0;
    switch (c) {
    case OPT_SIZE:
        if (!parse_size(optarg, 1, (int64_t)1 << 40, &r->width, &r->height))
            options_refuse(o, "--size '%s': WxH or N in pixels", optarg);
        break;
    case OPT_TYPE: take_type(o, "--type", sample_types, "samples are", &r->type); break;
    case OPT_ACCUM: take_type(o, "--accum", accum_types, "sums here are of", &r->accum); break;
    case OPT_CHANNELS:
        take_int(o, "--channels", 1, 4, "a number from 1 to 4", &n);
        r->channels = (int)n;
        break;
    case OPT_LAYOUT:
        if (!sat_layout_from_name(optarg, &r->layout))
            options_refuse(o, "--layout '%s': padded, inclusive or exclusive", optarg);
        break;
    case OPT_BOX: take_int(o, "--box", 1, INT32_MAX, "a side in pixels", &r->window); break;
    case OPT_MIN: take_int(o, "--min", 0, LOG2_MAX, "a power of two from 0 to 40", &r->min_log2); break;
    case OPT_MAX: take_int(o, "--max", 0, LOG2_MAX, "a power of two from 0 to 40", &r->max_log2); break;
    case OPT_STEP: take_int(o, "--step", 1, LOG2_MAX, "a number from 1 to 40", &r->step); break;
    case OPT_EXCLUSIVE: r->exclusive = true; break;
    case OPT_NAIVE: r->naive_staging = true; break;
    case OPT_BLOCK: take_int(o, "--block", 1, 1024, "a number of threads from 1 to 1024", &r->block_threads); break;
    case OPT_ITEMS: take_int(o, "--items", 1, 1024, "a number of elements from 1 to 1024", &r->thread_items); break;
    case OPT_MAP: r->map = optarg; break;
    case OPT_AGAINST: r->against = optarg; break;
    case OPT_RECTS: take_int(o, "--rects", 1, (int64_t)1 << 31, "a number from 1 to 2^31", &r->rects); break;
    }
}

static void take(int c, options *o, words *w)
{
    bench_request *r = &w->request;
    if (c >= OPT_SIZE) {
        if (w->given_n < GIVEN_MAX) w->given[w->given_n++] = c;
        take_own(c, o, r);
        return;
    }
    switch (c) {
    case OPT_ROW:
        if (r->wanted_n == NAMES_MAX)
            options_refuse(o, "--backend: %d names at most", NAMES_MAX);
        else
            r->wanted[r->wanted_n++] = optarg;
        break;
    case OPT_REPEAT: take_int(o, "--repeat", 1, 10000, "a number from 1 to 10000", &r->samples); break;
    case OPT_FROM:
        if (w->from_n == FILES_MAX)
            options_refuse(o, "--from: %d files at most", FILES_MAX);
        else
            w->from[w->from_n++] = optarg;
        break;
    case OPT_PLOT: w->plot = optarg; break;
    case OPT_MD: w->form = REPORT_MD; break;
    case OPT_CSV: w->form = REPORT_CSV; break;
    case OPT_JSON: w->form = REPORT_JSON; break;
    case 'o': w->output = optarg; break;
    case OPT_NO_CLOBBER: w->no_clobber = true; break;
    case OPT_LIST: w->list = true; break;
    }
    w->formed |= c == OPT_MD || c == OPT_CSV || c == OPT_JSON || c == 'o';
}

static const char *option_name(int code)
{
    const struct option *o = longs;
    while (o->val != code) o++;
    return o->name;
}

static bool among(int code, const int *list)
{
    while (*list && *list != code) list++;
    return *list != 0;
}

/* ---- does it make sense? ------------------------------------------------------------------------------ */

static void check_names(options *o, const bench_mode *mode, const bench_request *r)
{
    for (int k = 0; k < r->wanted_n; k++) {
        name_list names = {.used = 0};
        bench_method m;
        bool found = false;
        for (size_t i = 0; !found && mode->method_at(i, &m); i++) {
            found = strcmp(m.id, r->wanted[k]) == 0;
            name_list_add(&names, ", ", "%s", m.id);
        }
        if (!found) {
            options_refuse(o, "--backend: %s; there are %s", mode->unknown(r->wanted[k]), names.text);
            return;
        }
    }
}

static void check_files(options *o, const words *w)
{
    const char *forms;
    if (w->plot && !plot_knows(w->plot, &forms)) options_refuse(o, "--plot '%s': a file in %s", w->plot, forms);
    if (w->plot && strcmp(w->plot, w->output) == 0) options_refuse(o, "-o and --plot name the same file, %s", w->plot);
    for (int i = -1; !o->stop && i < w->from_n; i++) {
        const char *input = i < 0 ? w->request.image : w->from[i];
        if (!input) continue;
        if (input_is_output(input, w->output) || (w->plot && input_is_output(input, w->plot)))
            options_refuse(o, "%s would be written over", input);
    }
}

static void check(options *o, words *w, int operands, char **operand)
{
    const bench_mode *mode = w->mode ? w->mode : bench_mode_at(0);
    bench_request *r = &w->request;
    const bench_mode *near = !w->mode && operands > 0 && access(operand[0], F_OK) != 0 ? guess(operand[0]) : NULL;
    if (operands > 0) r->image = operand[0];
    if (near)
        options_refuse(o, "there is neither a file nor a bench '%s'; did you mean `sat bench %s`?", operand[0],
                       near->name);
    else if (operands > 1)
        options_refuse(o, "one image at a time, not also '%s'", operand[1]);
    else if (operands > 0 && (!mode->takes_image || w->from_n > 0))
        options_refuse(o, "'%s': nothing but options is taken here", operand[0]);
    for (int i = 0; !o->stop && i < w->given_n; i++) {
        if (w->list)
            options_refuse(o, "--%s is for measuring, and --list measures nothing", option_name(w->given[i]));
        else if (w->from_n > 0 && !among(w->given[i], from_takes))
            options_refuse(o, "--%s is for measuring, and --from measures nothing", option_name(w->given[i]));
        else if (w->from_n == 0 && !among(w->given[i], mode->takes))
            options_refuse(o, "--%s is no option of `sat bench%s%s`", option_name(w->given[i]), w->mode ? " " : "",
                           w->mode ? mode->name : "");
    }
    if (w->list && !o->stop && (w->from_n > 0 || w->plot || r->wanted_n > 0 || r->image || w->form == REPORT_CSV))
        options_refuse(o, "--list takes --json and -o, and nothing else");
    if (w->from_n == 0 && !o->stop) {
        check_names(o, mode, r);
        const char *wrong = mode->refuse(r);
        if (wrong && !o->stop) options_refuse(o, "%s", wrong);
    }
    if (!o->stop) check_files(o, w);
}

/* ---- the report ------------------------------------------------------------------------------------ */

static bool uses_device(const bench_mode *mode, const bench_request *r)
{
    bench_method m;
    for (size_t i = 0; mode->method_at(i, &m); i++)
        if (m.device && bench_wanted(r, m.id, strlen(m.id))) return true;
    return false;
}

static void put_fact(text_out *t, bool json, const char *name, const char *value)
{
    if (!*value) return;
    if (json) {
        text_printf(t, "\"%s\":", name);
        text_json_string(t, value);
        text_string(t, ",");
    } else {
        text_printf(t, "- %s: %s\n", name, value);
    }
}

/* What stands above the rows that were measured here. */
static void put_machine(void *context, report *to)
{
    const words *w = context;
    const bench_mode *mode = w->mode ? w->mode : bench_mode_at(0);
    text_out *t = to->to;
    machine_info m;
    bool json = w->form == REPORT_JSON;
    if (w->form == REPORT_CSV) {
        report_begin(to);
        return;
    }
    machine_read(&m, uses_device(mode, &w->request));
    if (json) text_string(t, "{\"machine\":{");
    put_fact(t, json, "processor", m.cpu);
    put_fact(t, json, "gpu", m.gpu);
    put_fact(t, json, "cuda", m.cuda);
    put_fact(t, json, "kernel", m.kernel);
    put_fact(t, json, "compiler", m.compiler);
    put_fact(t, json, "date", m.date);
    put_fact(t, json, "sat", sat_version());
    text_printf(t, json ? "\"cores\":%d,\"threads\":%d,\"command\":" : "- cores: %d, of which %d used\n- command: ",
                m.cores, w->request.threads);
    char line[4096];
    size_t used = (size_t)snprintf(line, sizeof line, "sat");
    for (int i = 0; i < w->argc && used < sizeof line; i++)
        used += (size_t)snprintf(line + used, sizeof line - used, " %s", w->argv[i]);
    if (json)
        text_json_string(t, line);
    else
        text_string(t, line);
    text_string(t, json ? "},\n\"rows\":" : "\n\n");
    report_begin(to);
}

static bool draw(const bench_mode *mode, const words *w, const bench_rows *rows, error *err)
{
    plot p;
    if (!plot_begin(&p, w->plot, w->no_clobber, err)) return false;
    if (mode->draw(rows, &w->request, p.script, err)) return plot_end(&p, err);
    plot_abort(&p);
    return false;
}

static void put_end(const bench_mode *mode, const words *w, const bench_session *s, text_out *t)
{
    report end = s->report;
    report_end(&end);
    if (w->form == REPORT_JSON) text_string(t, w->from_n > 0 ? "\n" : "}\n");
    if (w->form == REPORT_MD && mode->summarise) mode->summarise(&s->rows, &w->request, t);
}

/* ---- rows from files --------------------------------------------------------------------------------- */

static bool kept(const bench_mode *mode, const bench_request *r, const bench_row *row)
{
    int block, items;
    bool naive;
    if (bench_row_shape(row, &block, &items, &naive) &&
        ((r->block_threads && r->block_threads != block) || (r->thread_items && r->thread_items != items)))
        return false;
    if (!mode->owns(row) || (r->type && row->type != r->type) || (r->accum && row->accum != r->accum)) return false;
    if (r->exclusive && !strstr(row->bench, "exclusive")) return false;
    return bench_row_copies(row) || bench_wanted(r, row->name, (size_t)bench_row_method(row));
}

/* Is there a row of the same work already?  Runs that were put together repeat their ceilings. */
static bool repeated(const bench_rows *rows, size_t n, const bench_row *row)
{
    for (size_t i = 0; i < n; i++) {
        const bench_row *other = &rows->row[i];
        if (strcmp(other->name, row->name) == 0 && bench_rows_alike(other, row) && other->width == row->width &&
            other->height == row->height && other->channels == row->channels)
            return true;
    }
    return false;
}

/* Reads all files and keeps what the bench and the options ask for.  A bench that was not named is the first row's. */
static bool read_rows(words *w, const bench_mode **mode, bench_rows *rows, const char **at_fault, error *err)
{
    for (int i = 0; i < w->from_n; i++) {
        *at_fault = input_name(w->from[i]);
        if (!bench_rows_read(rows, w->from[i], err)) return false;
    }
    *mode = w->mode;
    for (int i = 0; !*mode && bench_mode_at(i); i++)
        if (bench_mode_at(i)->owns(&rows->row[0])) *mode = bench_mode_at(i);
    if (!*mode) return fail(err, "'%s' is none of the benches", rows->row[0].bench);
    size_t n = 0;
    for (size_t i = 0; i < rows->n; i++)
        if (kept(*mode, &w->request, &rows->row[i]) && !repeated(rows, n, &rows->row[i])) rows->row[n++] = rows->row[i];
    rows->n = n;
    if (n == 0) return fail(err, "holds no such rows of `sat bench %s`", (*mode)->name);
    *at_fault = NULL;
    return true;
}

/* Without a form or an output a plot is all that is asked for. */
static bool report_files(words *w, text_out *t, const char **at_fault, error *err)
{
    bench_session s = {.request = &w->request};
    const bench_mode *mode;
    bool ok = read_rows(w, &mode, &s.rows, at_fault, err);
    if (ok && (w->formed || !w->plot)) {
        *at_fault = output_name(w->output);
        ok = text_open(t, w->output, w->no_clobber, err);
        if (ok) {
            s.report = bench_report(t, w->form);
            report_begin(&s.report);
            for (size_t i = 0; i < s.rows.n; i++) bench_report_row(&s.report, &s.rows.row[i]);
            put_end(mode, w, &s, t);
            ok = text_close(t, err);
        }
    }
    if (ok && w->plot) {
        *at_fault = w->plot;
        ok = draw(mode, w, &s.rows, err);
    }
    bench_rows_free(&s.rows);
    return ok;
}

/* ---- a run --------------------------------------------------------------------------------------------- */

/* A row that was named has a time, or fails the run; others may be missing. */
static bool check_wanted(const bench_request *r, const bench_rows *rows, error *err)
{
    for (int k = 0; k < r->wanted_n; k++) {
        const char *why = "there is nothing to measure";
        bool timed = false;
        for (size_t i = rows->n; i-- > 0 && !timed;) {
            const bench_row *row = &rows->row[i];
            size_t n = (size_t)bench_row_method(row);
            if (strlen(r->wanted[k]) != n || strncmp(r->wanted[k], row->name, n) != 0) continue;
            timed = bench_row_timed(row);
            why = row->check;
        }
        if (!timed) return fail(err, "%s: %s", r->wanted[k], why);
    }
    return true;
}

static bool list(words *w, text_out *t, const char **at_fault, error *err)
{
    *at_fault = output_name(w->output);
    if (!text_open(t, w->output, w->no_clobber, err)) return false;
    bench_list(w->mode ? w->mode : bench_mode_at(0), w->form == REPORT_JSON, t);
    return text_close(t, err);
}

static bool measure(words *w, text_out *t, const char **at_fault, error *err)
{
    const bench_mode *mode = w->mode ? w->mode : bench_mode_at(0);
    const double floor_s = w->request.samples == 1 ? 0 : mode->floor_s; /* one sample means one */
    bench_session s = {.request = &w->request,
                       .report = bench_report(t, w->form),
                       .begin = put_machine,
                       .context = w,
                       .host.floor_s = floor_s,
                       .device.floor_s = floor_s < DEVICE_FLOOR_S ? floor_s : DEVICE_FLOOR_S};
    *at_fault = output_name(w->output);
    if (!text_open(t, w->output, w->no_clobber, err)) return false;
    bool ok = mode->run(&s, err);
    if (!ok) *at_fault = w->request.image;
    if (s.rows.n > 0) {
        put_end(mode, w, &s, t);
        error close_err;
        if (!text_close(t, &close_err) && ok) {
            ok = false;
            *err = close_err;
        }
    } else {
        text_abort(t);
        if (ok) *at_fault = NULL;
        if (ok && check_wanted(&w->request, &s.rows, err)) fail(err, "there is nothing to measure");
        ok = false;
    }
    if (ok && w->plot) {
        *at_fault = w->plot;
        ok = draw(mode, w, &s.rows, err);
    }
    if (ok && s.failed > 0) {
        *at_fault = NULL;
        ok = fail(err, "%d row%s failed the check or could not run", s.failed, s.failed > 1 ? "s" : "");
    }
    if (ok && !check_wanted(&w->request, &s.rows, err)) {
        *at_fault = NULL;
        ok = false;
    }
    if (s.host_open) sampler_close(&s.host);
    if (s.device_open) sampler_close(&s.device);
    bench_rows_free(&s.rows);
    return ok;
}

static int run(int argc, char **argv)
{
    static text_out t;
    words w = {.request = {.layout = SAT_INCLUSIVE, .min_log2 = -1, .max_log2 = -1, .samples = SAMPLES_DEFAULT},
               .output = "-",
               .argc = argc,
               .argv = argv};
    command self = command_bench;
    options o = {.self = &self};
    const char *at_fault = NULL;
    char name[32];
    error err;
    int c;

    if (argc > 1) w.mode = mode_named(argv[1]);
    if (w.mode) {
        snprintf(name, sizeof name, "%s %s", self.name, w.mode->name);
        self.name = name;
        if (w.mode->help) {
            self.help = w.mode->help;
            self.help_more = NULL;
        }
    }
    int skip = w.mode != NULL;
    while ((c = options_next(&o, argc - skip, argv + skip, OPTIONS_SHORT "qvo:", longs)) != -1) take(c, &o, &w);
    if (!options_end(&o)) return o.status;
    check(&o, &w, argc - skip - optind, argv + skip + optind); /* getopt has put the operands last */
    if (o.stop) return o.status;
    w.request.threads = o.threads > 0 ? o.threads : sat_processors();
    w.request.verbose = o.verbose;
    w.request.quiet = o.quiet;

    bool (*job)(words *, text_out *, const char **, error *) = w.list ? list : w.from_n > 0 ? report_files : measure;
    bool ok = job(&w, &t, &at_fault, &err);
    if (!ok) say(at_fault, "%s", err.text);
    return ok ? EXIT_FINE : EXIT_INPUT;
}

static const char help[] = "Checks every backend against the reference, then times it, beside a copy of as\n"
                           "many bytes, the ceiling, and other libraries, the peers. A row that fails its\n"
                           "check shows no time.\n"
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
                           "  --backend NAME     only this row and the ceilings; may be given again\n"
                           "  --repeat N         at least so many timings of each row [7]; 1 takes just one\n"
                           "  --md, --csv, --json   the form of the report [--md]\n"
                           "  --list             what is compared, and what can run here; or with --json\n"
                           "  --from FILE.csv    rows that --csv wrote, instead of measuring\n"
                           "  --plot FILE        a figure of the rows, .svg or .png, by gnuplot\n"
                           "  -o, --output FILE   --no-clobber   --threads N   -q, --quiet   -v, --verbose\n"
                           "  -h, --help   -V, --version\n"
                           "\n"
                           "cold_us: each run after all caches were overwritten; warm_us: run after run;\n"
                           "medians, outputs reused. noise_pct: distance of the quartiles, in percent of\n"
                           "warm_us. model_bytes: what the backend is modelled to move. gbps: the least\n"
                           "bytes (input once, output once) over warm_us. share_of_copy: copy_us/warm_us.\n";

static void print_modes(void)
{
    puts("\nBenches (sat bench NAME --help; an image of such a name is ./NAME):");
    for (int i = 0; bench_mode_at(i); i++) printf("  %-10s %s\n", bench_mode_at(i)->name, bench_mode_at(i)->summary);
}

const command command_bench = {
    .name = "bench",
    .summary = "check and time every backend on this machine",
    .help = help,
    .help_more = print_modes,
    .run = run,
};
