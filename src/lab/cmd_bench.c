/* cmd_bench.c - checks methods against the reference, then times them, under the ceiling of a copy.
 *
 * Nothing is timed that has not just been checked; a row that fails its check, or cannot run, shows no time.  What is
 * measured depends on the bench (bench_mode.h); rows can also come from a file, to be drawn or summarised again. */
#include <stdio.h>
#include <string.h>

#include "bench_line.h"
#include "input.h"
#include "machine_info.h"
#include "messages.h"

/* Nothing but the work runs on the device, by whose clock it is timed: long sampling finds no other median. */
static const double DEVICE_FLOOR_S = 0.05;

enum { SAMPLES_DEFAULT = 7 };

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
    const bench_line *l = context;
    const bench_mode *mode = l->mode ? l->mode : bench_mode_at(0);
    text_out *t = to->to;
    machine_info m;
    absent_line absent;
    bool json = l->form == REPORT_JSON;
    if (l->form == REPORT_CSV) {
        report_begin(to);
        return;
    }
    machine_read(&m, uses_device(mode, &l->request));
    if (json) text_string(t, "{\"machine\":{");
    put_fact(t, json, "processor", m.cpu);
    put_fact(t, json, "gpu", m.gpu);
    put_fact(t, json, "cuda", m.cuda);
    put_fact(t, json, "kernel", m.kernel);
    put_fact(t, json, "compiler", m.compiler);
    put_fact(t, json, "date", m.date);
    put_fact(t, json, "sat", sat_version());
    put_fact(t, json, "absent", bench_absent(mode, &absent));
    text_printf(t, json ? "\"cores\":%d,\"threads\":%d,\"command\":" : "- cores: %d, of which %d used\n- command: ",
                m.cores, l->request.threads);
    char line[4096];
    size_t used = (size_t)snprintf(line, sizeof line, "sat");
    for (int i = 0; i < l->argc && used < sizeof line; i++)
        used += (size_t)snprintf(line + used, sizeof line - used, " %s", l->argv[i]);
    if (json)
        text_json_string(t, line);
    else
        text_string(t, line);
    text_string(t, json ? "},\n\"rows\":" : "\n\n");
    report_begin(to);
}

static bool draw(const bench_mode *mode, const bench_line *l, const bench_rows *rows, error *err)
{
    plot p;
    if (!plot_begin(&p, l->plot, l->no_clobber, err)) return false;
    if (mode->draw(rows, &l->request, p.script, err)) return plot_end(&p, err);
    plot_abort(&p);
    return false;
}

static void put_end(const bench_mode *mode, const bench_line *l, const bench_session *s, text_out *t)
{
    report end = s->report;
    report_end(&end);
    if (l->form == REPORT_JSON) text_string(t, l->from_n > 0 ? "\n" : "}\n");
    if (l->form == REPORT_MD && mode->summarise) mode->summarise(&s->rows, &l->request, t);
}

/* Without a form or an output a plot is all that is asked for. */
static bool report_files(bench_line *l, text_out *t, const char **at_fault, error *err)
{
    bench_session s = {.request = &l->request};
    const bench_mode *mode;
    bool ok = bench_line_rows(l, &mode, &s.rows, at_fault, err);
    if (ok && (l->formed || !l->plot)) {
        *at_fault = output_name(l->output);
        ok = text_open(t, l->output, l->no_clobber, err);
        if (ok) {
            s.report = bench_report(t, l->form);
            report_begin(&s.report);
            for (size_t i = 0; i < s.rows.n; i++) bench_report_row(&s.report, &s.rows.row[i]);
            put_end(mode, l, &s, t);
            ok = text_close(t, err);
        }
    }
    if (ok && l->plot) {
        *at_fault = l->plot;
        ok = draw(mode, l, &s.rows, err);
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

static bool list(bench_line *l, text_out *t, const char **at_fault, error *err)
{
    *at_fault = output_name(l->output);
    if (!text_open(t, l->output, l->no_clobber, err)) return false;
    bench_list(l->mode ? l->mode : bench_mode_at(0), l->form == REPORT_JSON, t);
    return text_close(t, err);
}

static bool measure(bench_line *l, text_out *t, const char **at_fault, error *err)
{
    const bench_mode *mode = l->mode ? l->mode : bench_mode_at(0);
    const double floor_s = l->request.samples == 1 ? 0 : mode->floor_s; /* one sample means one */
    bench_session s = {.request = &l->request,
                       .report = bench_report(t, l->form),
                       .begin = put_machine,
                       .context = l,
                       .host.floor_s = floor_s,
                       .device.floor_s = floor_s < DEVICE_FLOOR_S ? floor_s : DEVICE_FLOOR_S};
    *at_fault = output_name(l->output);
    if (!text_open(t, l->output, l->no_clobber, err)) return false;
    bool ok = mode->run(&s, err);
    if (!ok) *at_fault = l->request.image;
    if (s.rows.n > 0) {
        put_end(mode, l, &s, t);
        error close_err;
        if (!text_close(t, &close_err) && ok) {
            ok = false;
            *err = close_err;
        }
    } else {
        text_abort(t);
        if (ok) *at_fault = NULL;
        if (ok && check_wanted(&l->request, &s.rows, err)) fail(err, "there is nothing to measure");
        ok = false;
    }
    if (ok && l->plot) {
        *at_fault = l->plot;
        ok = draw(mode, l, &s.rows, err);
    }
    if (ok && s.failed > 0) {
        *at_fault = NULL;
        ok = fail(err, "%d row%s failed the check or could not run", s.failed, s.failed > 1 ? "s" : "");
    }
    if (ok && !check_wanted(&l->request, &s.rows, err)) {
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
    bench_line l = {.request = {.layout = SAT_INCLUSIVE, .min_log2 = -1, .max_log2 = -1, .samples = SAMPLES_DEFAULT},
                    .output = "-",
                    .argc = argc,
                    .argv = argv};
    command self = command_bench;
    options o = {.self = &self};
    const char *at_fault = NULL;
    char name[32];
    error err;

    if (argc > 1) l.mode = bench_mode_named(argv[1]);
    if (l.mode) {
        snprintf(name, sizeof name, "%s %s", self.name, l.mode->name);
        self.name = name;
        if (l.mode->help) {
            self.help = l.mode->help;
            self.help_more = NULL;
        }
    }
    int skip = l.mode != NULL;
    if (!bench_line_read(&l, &o, argc - skip, argv + skip)) return o.status;

    bool (*job)(bench_line *, text_out *, const char **, error *) = l.list         ? list
                                                                    : l.from_n > 0 ? report_files
                                                                                   : measure;
    bool ok = job(&l, &t, &at_fault, &err);
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
                           "  --type TYPE        of its samples: u8 u16 u32 i8 i16 i32 f32 f64 [u8]\n"
                           "  --channels N       1 to 4 [1]\n"
                           "  --accum TYPE       of the table: u32 u64 i32 i64 f32 f64 [u32; i32 of signed\n"
                           "                     samples, f64 of floats]; --squares: of squares [u64]\n"
                           "  --layout NAME      padded, inclusive, exclusive [inclusive]\n"
                           "  --against NAME     exclusive: what the summary compares with [the fastest and\n"
                           "                     the first method of scans]\n"
                           "  --box N, --gauss SIGMA   a filter; of --box: --weighted by alpha, --stat LIST\n"
                           "  --result TYPE      of a filter: f32 f64 [the samples' type; of --stat either]\n"
                           "  --batch N          N images in one call; ceilings copy them as one\n"
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
