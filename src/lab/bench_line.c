/* bench_line.c - the command line of `sat bench`: its options, and whether they go together. */
#include "bench_line.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "input.h"
#include "number.h"

enum { LOG2_MAX = 40 /* sat_lab.h */ };

/* ---- options ----------------------------------------------------------------------------------------- */

/* "256x30", "256x30:naive" or "own". */
static bool parse_shape(const char *text, block_shape *shape)
{
    char pair[32];
    int64_t block, item;
    const size_t n = strcspn(text, ":");
    const bool naive = text[n] == ':';
    *shape = (block_shape){0};
    if (strcmp(text, "own") == 0) return true;
    if (!strchr(text, 'x') || n >= sizeof pair || (naive && strcmp(text + n, ":naive") != 0)) return false;
    snprintf(pair, sizeof pair, "%.*s", (int)n, text);
    if (!parse_size(pair, 1, 1024, &block, &item)) return false;
    *shape = (block_shape){(int)block, (int)item, naive};
    return true;
}

static void take_shape(options *o, bench_request *r)
{
    if (r->shape_n == SHAPES_MAX)
        options_refuse(o, "--shape: %d shapes at most", SHAPES_MAX);
    else if (!parse_shape(optarg, &r->shape[r->shape_n]))
        options_wrong(o, "threads x elements, as 256x30 or 256x30:naive, or own");
    else
        r->shape_n++;
}

static void take_type(options *o, const char *what, sat_type *type)
{
    if (options_choice(o, what) >= 0) *type = sat_type_from_name(optarg);
}

/* Options that some benches take. */
static void take_own(int c, options *o, bench_request *r)
{
    int64_t n = 0;
    switch (c) {
    case OPT_SIZE:
        if (!parse_size(optarg, 1, (int64_t)1 << 40, &r->width, &r->height)) options_wrong(o, "WxH or N in pixels");
        break;
    case OPT_SAMPLES: take_type(o, "samples are ", &r->type); break;
    case OPT_ACCUM: take_type(o, "sums here are of ", &r->accum); break;
    case OPT_CHANNELS:
        options_int(o, 1, 4, "a number from 1 to 4", &n);
        r->channels = (int)n;
        break;
    case OPT_TABLES:
        if (options_choice(o, "") >= 0) sat_layout_from_name(optarg, &r->layout);
        break;
    case OPT_SIDE: options_int(o, 1, INT32_MAX, "a side in pixels", &r->window); break;
    case OPT_SIGMA:
        if (!number_of(optarg, NUMBER_REAL, &r->sigma) || !(r->sigma > 0 && r->sigma <= SAT_GAUSS_SIGMA_MAX))
            options_wrong(o, "a sigma in pixels, above 0 and up to %.0f", SAT_GAUSS_SIGMA_MAX);
        break;
    case OPT_MEANS: take_type(o, "other results than the samples' type are ", &r->result); break;
    case OPT_BATCH: options_int(o, 1, 9999, "a number of images from 1 to 9999", &r->batch); break;
    case OPT_MIN: options_int(o, 0, LOG2_MAX, "a power of two from 0 to 40", &r->min_log2); break;
    case OPT_MAX: options_int(o, 0, LOG2_MAX, "a power of two from 0 to 40", &r->max_log2); break;
    case OPT_STEP: options_int(o, 1, LOG2_MAX, "a number from 1 to 40", &r->step); break;
    case OPT_EXCLUSIVE: r->exclusive = true; break;
    case OPT_NAIVE: r->naive_staging = true; break;
    case OPT_BLOCK: options_int(o, 1, 1024, "a number of threads from 1 to 1024", &r->block_threads); break;
    case OPT_ITEMS: options_int(o, 1, 1024, "a number of elements from 1 to 1024", &r->thread_items); break;
    case OPT_SHAPE: take_shape(o, r); break;
    case OPT_MAP: r->map = optarg; break;
    case OPT_MAPS: r->maps = true; break;
    case OPT_AGAINST: r->against = optarg; break;
    case OPT_STATISTICS: r->statistics = optarg; break;
    case OPT_SQUARES: r->squares = true; break;
    case OPT_RANDOM_RECTS: options_int(o, 1, (int64_t)1 << 31, "a number from 1 to 2^31", &r->rects); break;
    case OPT_WEIGHTED: r->weighted = true; break;
    case OPT_ORDER: r->order = (bench_order)(ORDER_FLIPPED + options_choice(o, "")); break;
    case OPT_HOLES: r->masked = true; break;
    case OPT_VALUE:
        r->skip_nan = strcmp(optarg, "nan") == 0;
        r->has_nodata = !r->skip_nan;
        if (r->has_nodata && !number_of(optarg, NUMBER_SIGN | NUMBER_REAL, &r->nodata))
            options_wrong(o, "the value of samples that do not count, or nan");
        break;
    }
}

static void take(int c, options *o, bench_line *l)
{
    bench_request *r = &l->request;
    if (o->line->sets & MEASURES) {
        if (l->given_n < GIVEN_MAX) l->given[l->given_n++] = o->line;
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
    case OPT_REPEAT: options_int(o, 1, 10000, "a number from 1 to 10000", &r->samples); break;
    case OPT_FROM:
        if (l->from_n == FILES_MAX)
            options_refuse(o, "--from: %d files at most", FILES_MAX);
        else
            l->from[l->from_n++] = optarg;
        break;
    case OPT_PLOT: l->plot = optarg; break;
    case OPT_MD: l->form = REPORT_MD; break;
    case OPT_CSV: l->form = REPORT_CSV; break;
    case OPT_JSON_FORM: l->form = REPORT_JSON; break;
    case OPT_OUTPUT: l->output = optarg; break;
    case OPT_NO_CLOBBER: l->no_clobber = true; break;
    case OPT_LIST: l->list = true; break;
    }
    l->formed |= c == OPT_MD || c == OPT_CSV || c == OPT_JSON_FORM || c == OPT_OUTPUT;
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

static void check_files(options *o, const bench_line *l)
{
    const char *forms;
    if (l->plot && !plot_knows(l->plot, &forms)) options_refuse(o, "--plot '%s': a file in %s", l->plot, forms);
    if (l->plot && strcmp(l->plot, l->output) == 0) options_refuse(o, "-o and --plot name the same file, %s", l->plot);
    for (int i = -1; !o->stop && i < l->from_n; i++) {
        const char *input = i < 0 ? l->request.image : l->from[i];
        if (!input) continue;
        if (input_is_output(input, l->output) || (l->plot && input_is_output(input, l->plot)))
            options_refuse(o, "%s would be written over", input);
    }
}

static void check(options *o, bench_line *l, int operands, char **operand)
{
    const bench_mode *mode = l->mode ? l->mode : bench_mode_at(0);
    bench_request *r = &l->request;
    const bench_mode *near =
        !l->mode && operands > 0 && access(operand[0], F_OK) != 0 ? bench_mode_near(operand[0]) : NULL;
    if (operands > 0) r->image = operand[0];
    if (near)
        options_refuse(o, "there is neither a file nor a bench '%s'; did you mean `sat bench %s`?", operand[0],
                       near->name);
    else if (operands > 1)
        options_refuse(o, "one image at a time, not also '%s'", operand[1]);
    else if (operands > 0 && (!mode->takes_image || l->from_n > 0))
        options_refuse(o, "'%s': nothing but options is taken here", operand[0]);
    for (int i = 0; !o->stop && i < l->given_n; i++) {
        if (l->list)
            options_refuse(o, "%s is for measuring, and --list measures nothing", l->given[i]->name);
        else if (l->from_n > 0 && !(l->given[i]->sets & CHOOSES))
            options_refuse(o, "%s is for measuring, and --from measures nothing", l->given[i]->name);
        else if (l->from_n == 0 && !among(l->given[i]->id, mode->takes))
            options_refuse(o, "%s is no option of `sat bench%s%s`", l->given[i]->name, l->mode ? " " : "",
                           l->mode ? mode->name : "");
    }
    if (l->list && !o->stop && (l->from_n > 0 || l->plot || r->wanted_n > 0 || r->image || l->form == REPORT_CSV))
        options_refuse(o, "--list takes --json and -o, and nothing else");
    if (l->from_n == 0 && !o->stop) {
        check_names(o, mode, r);
        const char *wrong = mode->refuse(r);
        if (wrong && !o->stop) options_refuse(o, "%s", wrong);
    }
    if (!o->stop) check_files(o, l);
}

bool bench_line_read(bench_line *l, options *o, int argc, char **argv)
{
    int c;
    while ((c = options_next(o, argc, argv)) != -1) take(c, o, l);
    if (!options_end(o)) return false;
    check(o, l, argc - optind, argv + optind); /* getopt has put the operands last */
    l->request.threads = o->threads > 0 ? o->threads : sat_processors();
    l->request.verbose = o->verbose;
    l->request.quiet = o->quiet;
    return !o->stop;
}
