/* cmd_filter.c - the command without a name: an image to a box-filtered image, to its table, or to means. */
#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "batch.h"
#include "channel_options.h"
#include "folder.h"
#include "gauss_options.h"
#include "input.h"
#include "messages.h"
#include "name_list.h"
#include "number.h"
#include "options.h"
#include "region_options.h"
#include "window_options.h"

enum {
    OPT_BOX = OPT_OWN,
    OPT_RADIUS,
    OPT_BORDER,
    OPT_PASSES,
    OPT_ALPHA,
    OPT_RESULT,
    OPT_LINEAR,
    OPT_FORMAT,
    OPT_LAYOUT,
    OPT_TYPE,
    OPT_LARGEST,
    OPT_MOMENTS,
    OPT_QUALITY,
    OPT_NO_ORIENT,
    OPT_NO_CLOBBER,
};

static const struct option longs[] = {
    {"box", required_argument, NULL, OPT_BOX},
    {"radius", required_argument, NULL, OPT_RADIUS},
    OPTIONS_GAUSS,
    OPTIONS_CHANNELS,
    {"mean", required_argument, NULL, OPT_MEAN | OPT_REPEATS},
    {"border", required_argument, NULL, OPT_BORDER},
    {"passes", required_argument, NULL, OPT_PASSES},
    {"alpha", required_argument, NULL, OPT_ALPHA},
    {"result", required_argument, NULL, OPT_RESULT},
    {"linear", no_argument, NULL, OPT_LINEAR},
    {"output", required_argument, NULL, 'o'},
    {"format", required_argument, NULL, OPT_FORMAT},
    {"layout", required_argument, NULL, OPT_LAYOUT},
    {"type", required_argument, NULL, OPT_TYPE},
    {"largest", required_argument, NULL, OPT_LARGEST},
    {"moments", required_argument, NULL, OPT_MOMENTS},
    {"quality", required_argument, NULL, OPT_QUALITY},
    {"no-orient", no_argument, NULL, OPT_NO_ORIENT},
    OPTIONS_LIMITS,
    {"no-clobber", no_argument, NULL, OPT_NO_CLOBBER},
    OPTIONS_REGIONS,
    OPTIONS_WINDOWS,
    OPTIONS_RUN,
    OPTIONS_VERBOSITY,
    OPTIONS_HELP,
    {0},
};

/* An output of that extension, or format, is a table, unless --box makes an image. */
static const char TABLE[] = ".npy";
static const int64_t SIDE_MAX = INT32_MAX, PASSES_MAX = 1000;
static const sat_type result_types[] = {SAT_F32, SAT_F64, SAT_TYPE_NONE};
static const sat_type table_types[] = {SAT_U32, SAT_U64, SAT_I32, SAT_I64, SAT_F32, SAT_F64, SAT_Q32, SAT_TYPE_NONE};

/* What the command line asks for. */
typedef struct request {
    job j;
    region_request regions;
    const char *output, *format;
    char *in_folder;                             /* the template of outputs in a folder, or NULL; malloc'd */
    bool has_box;                                /* or a Gaussian filter */
    const char *stats, *ddof;                    /* of rectangles or windows: the list, and whether that was given */
    const char *for_box, *for_table, *for_image; /* an option that only makes sense there, as it was given */
    char border[32];
} request;

/* ---- options --------------------------------------------------------------------------------------- */

/* NAME, or NAME:V[,V...] for a border that takes values. */
static void take_border(options *o, request *r)
{
    sat_border_info info;
    name_list names = {.used = 0};
    size_t n = strcspn(optarg, ":");
    const char *value = optarg[n] ? optarg + n + 1 : NULL;
    for (size_t i = 0; sat_border_at(i, &info); i++) {
        name_list_add(&names, ", ", "%s%s", info.name, info.takes_value ? ":V" : "");
        if (strlen(info.name) != n || strncmp(info.name, optarg, n) != 0) continue;
        if (info.takes_value != (value != NULL)) {
            options_refuse(o,
                           info.takes_value ? "--border %s needs a value: %s:V, or %s:V,V,V for its channels"
                                            : "--border %s takes no value",
                           info.name, info.name, info.name);
            return;
        }
        snprintf(r->border, sizeof r->border, "%s", info.name);
        r->j.border = r->border;
        r->j.border_values = 0;
        while (value) {
            char number[64];
            size_t digits = strcspn(value, ",");
            snprintf(number, sizeof number, "%.*s", (int)(digits < sizeof number ? digits : sizeof number), value);
            if (r->j.border_values == 4 ||
                !number_of(number, NUMBER_SIGN | NUMBER_REAL, &r->j.border_value[r->j.border_values++])) {
                options_refuse(o, "--border '%s': after the name, one number or one for each channel", optarg);
                return;
            }
            value = value[digits] ? value + digits + 1 : NULL;
        }
        return;
    }
    options_refuse(o, "--border '%s': there is no such border; there are %s", optarg, names.text);
}

#define ONE_FILTER "a filter has been given already"

static void take_window(int c, options *o, request *r)
{
    const char *name = c == OPT_BOX ? "--box" : "--radius";
    int64_t w, h;
    if (r->has_box) {
        options_refuse(o, "%s '%s': " ONE_FILTER, name, optarg);
    } else if (c == OPT_BOX && !parse_size(optarg, 1, SIDE_MAX, &r->j.window_width, &r->j.window_height)) {
        options_refuse(o, "--box '%s': the window's side N, or WxH, in pixels from 1 to %lld", optarg,
                       (long long)SIDE_MAX);
    } else if (c == OPT_RADIUS) {
        w = h = 0;
        if (!parse_size(optarg, 0, (SIDE_MAX - 1) / 2, &w, &h))
            options_refuse(o, "--radius '%s': R or RXxRY in pixels from 0 to %lld", optarg,
                           (long long)(SIDE_MAX - 1) / 2);
        r->j.window_width = 2 * w + 1;
        r->j.window_height = 2 * h + 1;
    }
    r->has_box = true;
}

static void take_largest(options *o, request *r)
{
    int64_t w, h;
    if (!parse_size(optarg, 1, SIDE_MAX, &w, &h))
        options_refuse(o, "--largest '%s': the side N, or WxH, in pixels from 1 to %lld", optarg, (long long)SIDE_MAX);
    else
        r->j.largest_px = w * h; /* below 2^62 */
}

static void take(int c, options *o, request *r)
{
    name_list names = {.used = 0};
    int64_t n;
    if (c == OPT_STAT) {
        r->stats = optarg;
        return;
    }
    if (c == OPT_DDOF) {
        const char *given = r->regions.given;
        region_option(&r->regions, o, c);
        r->regions.given = given;
        r->ddof = "--ddof";
        return;
    }
    if (region_option(&r->regions, o, c) || window_option(&r->j.windows, o, c) ||
        channel_option(&r->regions.job.decode.channels, o, c))
        return;
    if (gauss_option(&r->j.gauss, o, c)) {
        if (r->has_box && !o->stop) options_refuse(o, "%s '%s': " ONE_FILTER, r->j.gauss.name, optarg);
        r->has_box = true;
        return;
    }
    switch (c) {
    case OPT_BOX:
    case OPT_RADIUS: take_window(c, o, r); break;
    case OPT_BORDER:
        r->for_box = "--border";
        take_border(o, r);
        break;
    case OPT_PASSES:
        r->for_box = "--passes";
        if (!parse_int(optarg, 1, PASSES_MAX, &r->j.passes))
            options_refuse(o, "--passes '%s': a number from 1 to %lld", optarg, (long long)PASSES_MAX);
        break;
    case OPT_ALPHA:
        r->for_box = "--alpha";
        r->j.alpha = strcmp(optarg, "straight") == 0 ? ALPHA_STRAIGHT : ALPHA_WEIGHTED;
        if (r->j.alpha == ALPHA_WEIGHTED && strcmp(optarg, "weighted") != 0)
            options_refuse(o, "--alpha '%s': straight or weighted", optarg);
        break;
    case OPT_RESULT:
        r->for_box = "--result";
        r->j.result_given = true;
        r->j.result = SAT_TYPE_NONE;
        if (strcmp(optarg, "same") != 0 && !parse_type(optarg, result_types, &r->j.result))
            options_refuse(o, "--result '%s': same, which is the image's type, %s", optarg,
                           type_names(&names, result_types));
        break;
    case OPT_LINEAR:
        r->for_box = "--linear";
        r->j.linear = true;
        break;
    case 'o': r->output = optarg; break;
    case OPT_FORMAT: r->format = optarg; break;
    case OPT_LAYOUT:
        r->for_table = "--layout";
        if (!sat_layout_from_name(optarg, &r->j.layout))
            options_refuse(o, "--layout '%s': padded, inclusive or exclusive", optarg);
        break;
    case OPT_TYPE:
        r->for_table = "--type";
        if (!parse_type(optarg, table_types, &r->j.accum))
            options_refuse(o, "--type '%s': a table is of %s", optarg, type_names(&names, table_types));
        break;
    case OPT_LARGEST:
        r->for_table = "--largest";
        take_largest(o, r);
        break;
    case OPT_MOMENTS:
        r->for_table = "--moments";
        r->j.squares = strcmp(optarg, "1,2") == 0;
        if (!r->j.squares && strcmp(optarg, "1") != 0)
            options_refuse(o, "--moments '%s': 1 is the table of sums, 1,2 has the sums of squares, too", optarg);
        break;
    case OPT_QUALITY:
        r->for_image = "--quality";
        if (!parse_int(optarg, 1, 100, &n))
            options_refuse(o, "--quality '%s': a number from 1 to 100", optarg);
        else
            r->j.quality = (int)n;
        break;
    case OPT_NO_ORIENT: r->j.no_orient = true; break;
    case OPT_NO_CLOBBER: r->j.no_clobber = true; break;
    }
}

/* ---- what belongs together ------------------------------------------------------------------------- */

static bool is_table_name(const char *path)
{
    return strcasecmp(format_extension(path), TABLE + 1) == 0;
}

/* Names the formats that can be written; for differences, those that hold them. */
static bool refuse_format(options *o, const request *r, const char *what, const char *name, const char *why)
{
    const bool differences = r->j.gauss.name && r->j.gauss.mode == SAT_GAUSS_DOG;
    const sat_type type = r->j.result ? r->j.result : SAT_F32;
    name_list names = {.used = 0};
    const image_format *f;
    error unused;
    for (size_t i = 0; (f = format_at(i)); i++)
        if (f->encode && !(differences && (f->no_negatives || !f->holds(type, 1, &unused))))
            name_list_add(&names, " ", "%s", f->name);
    return options_refuse(o, "%s '%s': %sthe formats that %s are %s", what, name, why,
                          differences ? "hold differences" : "can be written", names.text);
}

/* Reports an error that is none of usage; returns false. */
static bool stop(options *o, const char *file, const char *why)
{
    say(file, "%s", why);
    o->stop = true;
    o->status = EXIT_INPUT;
    return false;
}

/* No output has a format with a quality. */
static bool refuse_quality(options *o, const char *output)
{
    name_list names = {.used = 0};
    const image_format *f;
    for (size_t i = 0; (f = format_at(i)); i++)
        if (f->has_quality) name_list_add(&names, ", ", "%s", f->name);
    return options_refuse(o, "--quality is for %s, and -o %s is none", names.text, output);
}

/* The format of an image under that name; NULL if it cannot be written there, which is then said. */
static const image_format *check_output(options *o, const request *r, const char *output)
{
    if (r->j.format) return r->j.format;
    const image_format *f = format_by_extension(output);
    if (f && f->encode) return f;
    if (strcmp(output, "-") == 0)
        options_refuse(o, "-o - needs --format, which says what to write");
    else
        refuse_format(o, r, "-o", output,
                      *format_extension(output) ? "" : "its extension, or --format, says the format; ");
    return NULL;
}

static const char *filter_name(const request *r)
{
    return r->j.gauss.name ? r->j.gauss.name : "--box";
}

static bool check_means(options *o, request *r)
{
    const char *stray = r->for_box ? r->for_box : r->for_table ? r->for_table : r->for_image;
    const char *means = r->regions.list_n > 0 ? r->regions.rect_name : "--rects";
    if (r->has_box) return options_refuse(o, "%s and %s: one or the other", means, filter_name(r));
    if (r->j.windows.given) return options_refuse(o, "%s does not go with %s", r->j.windows.given, means);
    if (r->stats && !region_stats(&r->regions, o, r->stats)) return false;
    if (stray && strcmp(stray, "--layout") == 0)
        return options_refuse(o, "--layout does not go with %s; `sat query` takes it", means);
    if (stray || r->format) return options_refuse(o, "%s does not go with %s", stray ? stray : "--format", means);
    if (r->output && batch_is_template(r->output))
        return options_refuse(o, "-o '%s': %s writes one file for all inputs", r->output, means);
    return true;
}

#define OPERATIONS "--box N -o OUT blurs, -o OUT.npy writes the table, --mean X,Y,W,H prints"

/* An input that is no file, but looks like the name of a command; NULL if there is none. */
static const char *stray_word(const batch *files)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ-";
    for (size_t i = 0; i < files->n; i++) {
        const char *word = files->inputs[i];
        if (isalpha((unsigned char)*word) && !word[strspn(word, letters)] && access(word, F_OK) != 0) return word;
    }
    return NULL;
}

/* Refuses what cannot be done as it was said; where a word was not understood, that is why. */
static bool refuse_request(options *o, const request *r, const char *format, ...)
{
    const char *word = stray_word(&r->regions.files), *near = word ? options_near(word, longs) : NULL;
    char text[4500];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    if (near) return options_refuse(o, "there is neither a file nor a command '%s'; did you mean --%s?", word, near);
    if (word) return options_refuse(o, "there is neither a file nor a command '%s'; " OPERATIONS, word);
    return options_refuse(o, "%s", text);
}

/* What is wrong with the name of that output; false if something is. */
static bool check_name(options *o, const request *r, const char *input, const char *output)
{
    error err;
    if (r->regions.files_from && input_is_output(r->regions.files_from, output))
        return options_refuse(o, "-o %s would replace the list of inputs", output);
    if (r->j.windows.mask && input_is_output(r->j.windows.mask, output))
        return options_refuse(o, "-o %s would replace the mask", output);
    if (r->in_folder && input_is_output(input, output))
        return options_refuse(o, "-o %s: %s would be written over itself; to replace it, name it: -o '{dir}/{name}'",
                              r->output, input);
    return sink_check_path(output, &err) || stop(o, output, err.text);
}

/* One input, which is a file? */
static bool is_alone(const region_request *r)
{
    const bool list = r->files_from && strcmp(r->files_from, "-") == 0;
    return r->files.n == 1 && !list && strcmp(r->files.inputs[0], "-") != 0;
}

/* Refuses what no window can have: fewer samples than must count. */
static bool check_counts(options *o, const request *r)
{
    const window_request *w = &r->j.windows;
    const int64_t most = r->j.window_width * r->j.window_height;
    const long long width = r->j.window_width, height = r->j.window_height;
    sat_statistic_info info;
    bool variance = false;
    for (size_t i = 0; sat_statistic_at(i, &info); i++)
        for (int k = 0; k < w->outputs; k++)
            variance = variance || (info.variance && strcmp(w->output[k].statistic, info.name) == 0);
    if (variance && w->ddof >= most)
        return options_refuse(o,
                              "--ddof %lld: a window of %lldx%lld has at most %lld sample%s, and a variance needs more",
                              (long long)w->ddof, width, height, (long long)most, most > 1 ? "s" : "");
    if (w->min_valid > (double)most)
        return options_refuse(o, "--min-valid %.0f: a window of %lldx%lld has at most %lld sample%s", w->min_valid,
                              width, height, (long long)most, most > 1 ? "s" : "");
    return true;
}

/* What is said of windows needs one. */
static bool check_has_window(options *o, const request *r)
{
    const char *either = r->stats ? "--stat" : r->ddof;
    if (r->has_box) return true;
    if (either) return options_refuse(o, "%s is for --mean and --rects, or for windows: --box N", either);
    return !r->j.windows.given || options_refuse(o, "%s is for windows: --box N", r->j.windows.given);
}

/* Statistics of windows: what goes with them, and what is theirs alone. */
static bool check_windows(options *o, request *r)
{
    window_request *w = &r->j.windows;
    if (r->stats) window_stats(w, o, r->stats);
    if (r->ddof && w->given == NULL) w->given = r->ddof;
    w->ddof = r->regions.job.ddof;
    if (o->stop) return false;
    if (w->given && w->outputs == 0) { /* a mean over what counts */
        *w->output = (sat_window_output){.statistic = "mean"};
        w->outputs = 1;
    }
    if (w->outputs == 0) return true;
    if (!window_label_outputs(w, o)) return false;
    if (r->j.gauss.name)
        return options_refuse(o, "%s does not go with %s: statistics are of windows, --box N",
                              w->given ? w->given : "--stat", r->j.gauss.name);
    if (!check_counts(o, r)) return false;
    if (w->mask && strcmp(w->mask, "-") == 0 && !is_alone(&r->regions))
        return options_refuse(o, "--mask -: standard input holds one mask, for one input that is a file");
    if (w->output->compare && r->j.result_given)
        return options_refuse(o, "--result does not go with --threshold, which writes 0 and 255");
    if (r->j.linear) return options_refuse(o, "--linear does not go with statistics of windows");
    if (r->j.passes > 1) return options_refuse(o, "--passes does not go with statistics of windows");
    if (r->j.alpha == ALPHA_WEIGHTED)
        return options_refuse(o, "--alpha weighted: statistics of windows leave out pixels with an alpha of 0, or with "
                                 "--alpha straight take all");
    return true;
}

static bool check_images(options *o, request *r)
{
    const batch *files = &r->regions.files;
    error err;
    bool by_format = r->format && strcasecmp(r->format, TABLE + 1) == 0;
    if (r->format && (r->has_box || !by_format)) {
        r->j.format = format_by_name(r->format);
        r->j.format_word = r->format;
        if (!r->j.format || !r->j.format->encode) return refuse_format(o, r, "--format", r->format, "");
    }
    if (r->output && !*r->output) return options_refuse(o, "-o '': the name of the output is empty");
    if (r->output && strcmp(r->output, "-") != 0 && is_folder(r->output)) {
        r->in_folder = folder_template(r->output, r->format);
        if (!r->in_folder) return stop(o, NULL, "out of memory");
    }
    if (r->output && !r->in_folder && !batch_is_template(r->output) && !sink_check_path(r->output, &err))
        return stop(o, r->output, err.text);
    const char *template = r->in_folder ? r->in_folder : r->output;
    r->j.table = !r->has_box && r->output && (by_format || (!r->format && is_table_name(template)));
    if (files->n == 1 && is_folder(*files->inputs))
        return stop(o, *files->inputs,
                    "is a directory; its files are named one by one, or by the shell: sat DIR/*.png");
    if (!check_has_window(o, r)) return false;
    if (!r->has_box && !r->output) return refuse_request(o, r, "nothing to do: " OPERATIONS);
    if (!r->has_box && !r->j.table)
        return refuse_request(o, r,
                              "-o %s: an image needs --box N, which blurs; a table has a name in %s, or --format %s",
                              r->output, TABLE, TABLE + 1);
    if (!r->output) return refuse_request(o, r, "%s needs an output: -o OUT", filter_name(r));
    if (r->j.gauss.name && o->given[OPT_PASSES])
        return options_refuse(o, "--passes is for --box; %s has the passes that it needs", r->j.gauss.name);
    if (r->j.linear && r->j.result)
        return options_refuse(o, "--linear keeps the image's type; it does not go with --result");
    if (r->j.linear && r->j.gauss.mode == SAT_GAUSS_DOG)
        return options_refuse(o, "--linear does not go with --dog: no sample stands for a difference of light");
    if (r->regions.job.decode.array == ARRAY_TABLE)
        return options_refuse(o, "--as table: a table is for `sat query`, and cannot be filtered or summed");
    if (r->j.table && (r->for_box || r->for_image))
        return options_refuse(o, "%s is for --box, not for tables", r->for_box ? r->for_box : r->for_image);
    if (!r->j.table && r->for_table)
        return options_refuse(o, "%s is for tables, -o OUT.npy without --box", r->for_table);
    if (r->regions.given) return options_refuse(o, "%s is for --mean", r->regions.given);
    if (!check_windows(o, r)) return false;
    if (r->j.largest_px && r->j.accum != SAT_Q32) return options_refuse(o, "--largest is for --type q32");
    if (r->regions.files.n > 1 && !batch_is_template(template))
        return refuse_request(o, r, "%zu inputs need a folder that is there, or a template: -o 'out/{stem}.png'",
                              r->regions.files.n);
    switch (batch_name_outputs(&r->regions.files, &r->j.windows, template, &err)) {
    case EXIT_FINE: break;
    case EXIT_USAGE: return options_refuse(o, "-o %s", err.text);
    default: return stop(o, NULL, err.text);
    }
    bool has_quality = false;
    const size_t each = r->regions.files.each;
    for (size_t i = 0; i < r->regions.files.n * each; i++) {
        const char *output = r->regions.files.outputs[i];
        const image_format *f = NULL;
        if (!check_name(o, r, r->regions.files.inputs[i / each], output)) return false;
        if (!r->j.table && !(f = check_output(o, r, output))) return false;
        has_quality = has_quality || (f && f->has_quality);
    }
    if (r->j.quality && !has_quality) return refuse_quality(o, r->regions.files.outputs[0]);
    return true;
}

/* ---- the command ----------------------------------------------------------------------------------- */

static int run_means(options *o, request *r)
{
    region_job *answers = &r->regions.job;
    answers->output = r->output ? r->output : "-";
    answers->no_clobber = r->j.no_clobber;
    answers->decode.no_orient = r->j.no_orient;
    return region_answer(&r->regions, o);
}

static int run_images(const options *o, request *r)
{
    r->j.max_pixels = o->max_pixels;
    r->j.channels = r->regions.job.decode.channels;
    r->j.backend = o->backend;
    r->j.verbose = o->verbose;
    r->j.quiet = o->quiet;
    r->j.stages = r->regions.files.n == 1;
    size_t failed = batch_run(&r->regions.files, &r->j, o->threads, o->quiet);
    if (failed > 0 && r->regions.files.n > 1 && !o->quiet)
        say(NULL, "%zu of %zu files failed", failed, r->regions.files.n);
    return failed > 0 ? EXIT_INPUT : EXIT_FINE;
}

static int run(int argc, char **argv)
{
    options o = {.self = &command_filter, .max_pixels = MAX_PIXELS_DEFAULT};
    request r = {.j = {.passes = 1}};
    int c;

    if (!region_request_init(&r.regions, &o, "mean", argc)) return EXIT_INPUT;
    while ((c = options_next(&o, argc, argv, OPTIONS_SHORT "qvo:0", longs)) != -1) take(c, &o, &r);
    if (!options_end(&o) || !region_inputs(&r.regions, &o, argc, argv, "sat INPUT --box N -o OUT")) goto out;
    if (r.regions.list_n > 0 || r.regions.rects_path) {
        if (check_means(&o, &r)) o.status = run_means(&o, &r);
    } else {
        if (check_images(&o, &r)) o.status = run_images(&o, &r);
    }
out:
    region_request_free(&r.regions);
    free(r.in_folder);
    return o.status;
}

static const char help[] = "Blurs images, makes summed-area tables, prints means and sums of rectangles.\n"
                           "\n"
                           "  sat photo.jpg --box 15 -o blurred.png        the mean of 15x15 px around each\n"
                           "  sat photo.jpg -o table.npy                   the summed-area table\n"
                           "  sat photo.jpg --mean 100,50,64,48            the mean of a rectangle, as CSV\n"
                           "  sat *.jpg --box 9 -o 'out/{stem}_blur.png'   also {name} {ext} {dir} {n}\n"
                           "  sat - --radius 7 -o - --format png <a.pgm >b.png\n"
                           "\n"
                           "  --box N|WxH, --radius R|RXxRY   the window in pixels; its side is N, or 2R+1\n"
                           "  --gauss S          instead of a window: a Gaussian of standard deviation S px\n"
                           "  --unsharp S,A      sharpen: the image and A times its difference from that\n"
                           "  --dog S,S2         the difference of two Gaussians, as floats, some negative\n"
                           "  --border NAME      what lies beyond the edge: borders below, the default first\n"
                           "                     constant:V sets alpha to V, too; constant:R,G,B,A does not\n"
                           "  --passes N         repeat; each pass rounds to the result's type [1]\n"
                           "  --result TYPE      of the blurred image: same as the image's, f32, f64 [same]\n"
                           "  --alpha MODE       weighted or straight [weighted]\n"
                           "  --linear           filter light: samples of u8 and u16 are sRGB\n"
                           "  --stat LIST        statistics of windows: stats below, -o 'out_{stat}.tif'\n"
                           "  --threshold NAME[:K=V,...]    255 where a pixel is above that one, else 0\n"
                           "  --mask FILE        pixels that are not 0 there count\n"
                           "  --nodata V|nan     samples that are not V count, in each channel by itself\n"
                           "  --min-valid N|SHARE  pixels of a window that must count [1]; 60%: of its whole\n"
                           "                     area, beyond the image too; inside alone: --border reflect\n"
                           "  --ddof N           variances are divided by the pixels that count less N [0]\n"
                           "  --gray, --channel N|r|g|b|a   its luma, or one channel, in place of an image\n"
                           "  --mean X,Y,W,H     print the mean of a rectangle; may be given many times;\n"
                           "                     of each channel: colours are not weighted by alpha\n"
                           "  --rect X,Y,W,H, --rects FILE, --stat LIST, --ddof N, --clip, --json   of query\n"
                           "  --as image|table   what an .npy of other software is\n"
                           "  -o, --output OUT   image, or table if .npy without --box; - is standard output\n"
                           "                     in a folder that is there, outputs have the inputs' names\n"
                           "  --format NAME, --quality N    of OUT, instead of its extension; of JPEG [90]\n"
                           "  --layout NAME      of a table: padded, inclusive, exclusive [padded]\n"
                           "  --type TYPE        of a table: u32 u64 i32 i64 f32 f64 q32 [i64; f64: floats]\n"
                           "  --largest N|WxH    q32: the largest rectangle of later queries [256x256]\n"
                           "  --moments LIST     of a table: 1, or 1,2 with sums of squares, for var [1]\n"
                           "  --files-from FILE  more inputs; - is standard input; -0, --null: zero-ended\n"
                           "  --max-pixels N     refuse larger images; K, M, G are 2^10, 2^20, 2^30 [1G]\n"
                           "  --max-memory N     refuse what needs more bytes; K, M, G [3/4 of all]\n"
                           "  --no-orient, --no-clobber     keep pixels as stored; keep an OUT that exists\n"
                           "  --backend NAME, --threads N   [SAT_BACKEND, SAT_THREADS, else automatic]\n"
                           "  -q, --quiet   -v, --verbose   -h, --help   -V, --version\n";

const command command_filter = {
    .name = "",
    .summary = "blur an image, write its table, print means",
    .help = help,
    .run = run,
};
