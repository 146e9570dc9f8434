/* answers_options.c - the options of rectangles, and what goes with them. */
#include "answers_options.h"

#include <stdlib.h>
#include <string.h>

#include "batch.h"
#include "input.h"
#include "messages.h"

/* The column of that name of n characters; false: there is none. */
static bool find_column(const char *name, size_t n, answers_column *column)
{
    for (size_t i = 0; sat_rect_statistic_at(i, column); i++)
        if (strlen(column->name) == n && strncmp(name, column->name, n) == 0) return true;
    return false;
}

/* "mean,std" to columns; NULL, or the rest of the list from a name that is unknown or stands twice. */
static const char *take_stats(answers_job *to, const char *text)
{
    to->stats_n = 0;
    while (text) {
        const char *comma = strchr(text, ',');
        size_t n = comma ? (size_t)(comma - text) : strlen(text);
        answers_column *found = &to->stats[to->stats_n];
        if (to->stats_n == STATS_MAX - 1 || !find_column(text, n, found)) return text;
        for (int k = 0; k < to->stats_n; k++)
            if (strcmp(to->stats[k].name, found->name) == 0) return text;
        to->stats_n++;
        text = comma ? comma + 1 : NULL;
    }
    return NULL;
}

/* "mean,sum,...": all that there are. */
static const char *all_columns(name_list *names)
{
    answers_column column;
    for (size_t i = 0; sat_rect_statistic_at(i, &column); i++) name_list_add(names, ",", "%s", column.name);
    return names->text;
}

bool answers_request_init(answers_request *r, options *o, const char *stats, int argc)
{
    *r = (answers_request){.job = {.output = "-", .common = o}};
    take_stats(&r->job, stats);
    r->list = calloc((size_t)argc, sizeof *r->list); /* each rectangle takes an argument of its own */
    if (r->list) return true;
    say(NULL, "out of memory");
    return false;
}

void answers_request_free(answers_request *r)
{
    batch_free(&r->files);
    free(r->list);
}

bool answers_request_stats(answers_request *r, options *o, const char *text)
{
    name_list names = {.used = 0};
    char near[NEAREST_TEXT];
    const char *wrong = take_stats(&r->job, text), *all = all_columns(&names);
    if (!wrong) return true;
    const size_t n = strcspn(wrong, ",");
    answers_column twice;
    if (find_column(wrong, n, &twice)) return options_refuse(o, "--stat '%s': %s stands there twice", text, twice.name);
    nearest_of(all, wrong, n, near);
    return options_refuse(o, "--stat '%.*s': there is no such statistic%s%s", (int)n, wrong,
                          *near ? near : "; there are ", *near ? "" : all);
}

static void take_channel(channel_choice *choice, options *o)
{
    enum { CHANNELS_MAX = UINT16_MAX }; /* as many samples as a pixel of a TIFF can have */
    int64_t number = 0;
    choice->name = optarg[0] && !optarg[1] && strchr("rgba", optarg[0]) ? optarg[0] : 0;
    if (!choice->name && !parse_int(optarg, 1, CHANNELS_MAX, &number))
        options_wrong(o, "a number from 1 to %d, or r, g, b or a", CHANNELS_MAX);
    choice->number = (int)number;
}

static void take_raw(answers_request *r, options *o)
{
    error err;
    if (!raw_parse(&r->raw, optarg, &err)) options_wrong(o, "%s", err.text);
    r->job.decode.raw = &r->raw;
}

bool answers_option(answers_request *r, options *o, int c)
{
    answers_job *to = &r->job;
    switch (c) {
    case OPT_MEAN:
    case OPT_RECT:
        if (!rects_parse(optarg, &r->list[r->list_n++]))
            options_wrong(o, "a rectangle is X,Y,W,H, four numbers of pixels");
        break;
    case OPT_RECTS: r->rects_path = optarg; break;
    case OPT_GRID: options_side(o, "the cell's side", &to->cell_width, &to->cell_height); break;
    case OPT_AS: to->decode.array = options_choice(o, "") == 0 ? ARRAY_IMAGE : ARRAY_TABLE; break;
    case OPT_STAT: answers_request_stats(r, o, optarg); break;
    case OPT_DDOF:
        options_int(o, 0, INT64_MAX, "a variance is divided by the pixels less this number, 0 or more", &to->ddof);
        break;
    case OPT_CLIP: to->clip = true; break;
    case OPT_JSON: r->json = true; break;
    case OPT_FILES_FROM: r->files_from = optarg; break;
    case OPT_NULL: r->zero_ended = true; break;
    case OPT_NO_CLOBBER: to->no_clobber = true; break;
    case OPT_NO_ORIENT: to->decode.no_orient = true; break;
    case OPT_STRICT: to->decode.strict = true; break;
    case OPT_GRAY: to->decode.channels.gray = true; break;
    case OPT_CHANNEL: take_channel(&to->decode.channels, o); break;
    case OPT_PAGE: options_page(o, &to->decode.page); break;
    case OPT_RAW: take_raw(r, o); break;
    default: return false;
    }
    return true;
}

bool answers_request_inputs(answers_request *r, options *o, int argc, char **argv, const char *usage)
{
    error err;
    const char *list = r->files_from;
    size_t from_stdin = list && strcmp(list, "-") == 0;
    for (int i = optind; i < argc; i++) from_stdin += strcmp(argv[i], "-") == 0;
    if (from_stdin > 0 && r->rects_path && strcmp(r->rects_path, "-") == 0)
        return options_refuse(o, "the image and the rectangles cannot both be standard input");
    if (from_stdin > 1) return options_refuse(o, "standard input can be read only once");
    for (int i = optind; i < argc; i++)
        if (!batch_add(&r->files, argv[i], &err)) goto failed;
    if (list && !batch_add_from(&r->files, list, r->zero_ended, &err)) goto failed;
    if (r->files.n > 0) return true;
    if (!list) return options_refuse(o, "no input: %s, where - is standard input", usage);
    fail(&err, "no files in the list");
failed:
    return options_fail(o, list ? input_name(list) : NULL, err.text);
}

bool answers_request_mask(const answers_request *r, options *o, const char *mask)
{
    const bool list = r->files_from && strcmp(r->files_from, "-") == 0;
    const bool piped_rects = r->rects_path && strcmp(r->rects_path, "-") == 0;
    if (!mask || strcmp(mask, "-") != 0) return true;
    if (r->files.n == 1 && !list && !piped_rects && strcmp(r->files.inputs[0], "-") != 0) return true;
    return options_refuse(o, "--mask -: standard input holds one mask, for one input that is a file");
}

/* Sets the form that an extension, with its dot, names; returns false if it names none. */
static bool form_named(const char *extension, answers_form *form)
{
    static const char *const known[] = {
        [ANSWERS_CSV] = ".csv", [ANSWERS_JSON] = ".json .jsonl .ndjson", [ANSWERS_NPY] = ".npy"};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (format_lists(known[i], extension)) {
            *form = (answers_form)i;
            return true;
        }
    return false;
}

/* Sets the form of the results, by the output's extension and --json. Rejects an
 * extension that contradicts --json or that names no form. With .txt or without an
 * extension, the form is JSON if --json is given, else CSV. */
static bool take_form(answers_job *to, options *o, bool json)
{
    const char *extension = format_extension(to->output);
    if (*extension) extension--; /* the dot */
    bool named = form_named(extension, &to->form);
    if (to->cell_width && to->stats_n == 1 && !json) to->cell_format = answers_cells_format(to->output);
    error err;
    if (to->cell_format && !answers_cells_hold(to->cell_format, &err))
        return options_refuse(o, "-o '%s': %s; cells are written as .npy, .tif, .pfm or .csv", to->output, err.text);
    if (to->cell_format && to->inputs_n > 1)
        return options_refuse(o, "-o '%s': an image of cells is of one input; .csv and .json take many", to->output);
    if (to->cell_format) return true;
    if (!named && to->cell_width && answers_cells_format(to->output))
        return options_refuse(o, "-o '%s': an image of the cells has one statistic: --stat mean%s", to->output,
                              json ? ", without --json" : ", or another");
    if (to->output[0] == '-' && to->output[1])
        return options_refuse(o, "-o '%s': begins with '-' like an option; the name of such a file begins with ./",
                              to->output);
    if (!named && *extension && !format_lists(".txt", extension))
        return options_refuse(o, "-o '%s': answers are written as .csv, .json or .npy%s", to->output,
                              to->cell_width ? ", and one statistic of a grid as .tif or .pfm, too" : "");
    if (named && json && to->form != ANSWERS_JSON)
        return options_refuse(o, "-o '%s': --json writes a .json", to->output);
    if (!named) to->form = json ? ANSWERS_JSON : ANSWERS_CSV;
    return true;
}

static bool check(answers_request *r, options *o)
{
    const char *output = r->job.output, *mask = r->job.valid.mask;
    if (!answers_request_mask(r, o, mask)) return false;
    if (mask && input_is_output(mask, output)) return options_refuse(o, "-o %s would replace the mask", output);
    if (r->job.decode.array == ARRAY_IMAGE && r->job.assume_given)
        return options_refuse(o, "--layout and --sample are for tables, not for --as image");
    if (r->rects_path && input_is_output(r->rects_path, output))
        return options_refuse(o, "-o %s would replace the rectangles by their answers", output);
    if (r->files_from && input_is_output(r->files_from, output))
        return options_refuse(o, "-o %s would replace the list of inputs", output);
    if (strcmp(output, "-") != 0 && is_folder(output))
        return options_fail(o, output, "is a directory; answers are one file: .csv, .json or .npy");
    r->job.inputs_n = r->files.n;
    return take_form(&r->job, o, r->json);
}

int answers_request_run(answers_request *r, options *o)
{
    rects *from = NULL;
    error err;
    if (!check(r, o)) return o->status;
    r->job.inputs = r->files.inputs;
    r->job.name_inputs = r->files.n > 1 || r->files_from;
    r->job.valid.quiet = o->quiet;
    r->job.decode.threads = o->threads;
    r->job.decode.max_pixels = r->job.valid.max_pixels = o->max_pixels;
    r->job.valid.no_orient = r->job.decode.no_orient, r->job.valid.strict = r->job.decode.strict;
    bool ok = r->job.cell_width ? rects_from_grid(&from, r->job.cell_width, r->job.cell_height, &err)
              : r->rects_path   ? rects_open(&from, r->rects_path, r->files.n > 1, &err)
                                : rects_from_list(&from, r->list, r->list_n, &err);
    if (!ok) say(r->rects_path ? input_name(r->rects_path) : NULL, "%s", err.text);
    int status = ok ? answers_job_run(&r->job, from) : EXIT_INPUT;
    rects_close(&from);
    return status;
}
