/* cmd_filter.c - the command without a name: an image to a filtered image, to statistics of windows, its table or
 * means. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "answers_options.h"
#include "batch.h"
#include "filter_kinds.h"
#include "filter_options.h"
#include "input.h"
#include "messages.h"
#include "names.h"
#include "number.h"
#include "options.h"

/* An output of that extension, or format, is a table, unless --box makes an image. */
static const char TABLE[] = ".npy";
enum { PASSES_MAX = 1000, RADIUS_MAX = (INT32_MAX - 1) / 2 };
static const double ROWS_MAX = 0x1p40;

/* What the command line asks for. */
typedef struct request {
    job j;
    answers_request answers;
    const char *output, *format;
    char *in_folder;    /* the template of outputs in a folder, or NULL; malloc'd */
    const char *filter; /* the option of one, or NULL */
    const char *stats;  /* the list, of rectangles or windows */
    char border[32];
} request;

/* ---- options -------------------------------------------------------------------------------------- */

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
        r->j.border_values =
            value ? numbers_of(value, ',', NUMBER_SIGN | NUMBER_REAL, NUMBER_SIGN | NUMBER_REAL, r->j.border_value, 4)
                  : 0;
        if (value && r->j.border_values == 0) options_wrong(o, "after the name, one number or one for each channel");
        return;
    }
    options_wrong(o, "there is no such border; there are %s", names.text);
}

static void take_radius(options *o, job *j)
{
    int64_t w = 0, h = 0;
    if (filter_side(&j->filter, o, true)) return;
    if (!parse_size(optarg, 0, RADIUS_MAX, &w, &h)) options_wrong(o, "R or RXxRY in pixels from 0 to %d", RADIUS_MAX);
    j->window_width = 2 * w + 1;
    j->window_height = 2 * h + 1;
}

/* LO:HI, or 8bit, which leaves both 0. */
static void take_scale(options *o, job *j)
{
    double range[2] = {0};
    j->scales = true;
    if (strcmp(optarg, "8bit") != 0 &&
        !(numbers_of(optarg, ':', NUMBER_SIGN | NUMBER_REAL, NUMBER_SIGN | NUMBER_REAL, range, 2) == 2 &&
          range[0] < range[1]))
        options_wrong(o, "8bit, of samples of 16 bits, or LO:HI, the samples that become 0 and 255");
    j->scale_low = range[0], j->scale_high = range[1];
}

/* A:B, rows from the top. */
static void take_rows(options *o, job *j)
{
    double rows[2];
    if (numbers_of(optarg, ':', 0, 0, rows, 2) != 2 || rows[0] >= rows[1] || rows[1] > ROWS_MAX)
        options_wrong(o, "A:B, rows A to B - 1, A below B; the first is 0");
    else
        j->first_row = (int64_t)rows[0], j->end_row = (int64_t)rows[1];
}

static void take(int c, options *o, request *r)
{
    job *j = &r->j;
    int64_t n = 0, m = 0;
    switch (c) {
    case OPT_BOX:
        if (!filter_side(&j->filter, o, false))
            options_side(o, "the window's side", &j->window_width, &j->window_height);
        break;
    case OPT_RADIUS: take_radius(o, j); break;
    case OPT_BORDER: take_border(o, r); break;
    case OPT_PASSES: options_int(o, 1, PASSES_MAX, "a number from 1 to 1000", &j->passes); break;
    case OPT_ROWS: take_rows(o, j); break;
    case OPT_ALPHA: j->alpha = options_choice(o, "") == 0 ? ALPHA_WEIGHTED : ALPHA_STRAIGHT; break;
    case OPT_RESULT:
        j->result_given = true;
        if (options_choice(o, "") >= 0) j->result = sat_type_from_name(optarg); /* none of "same" */
        j->f16 = j->result == SAT_F16;
        if (j->f16) j->result = SAT_F32;
        break;
    case OPT_SCALE: take_scale(o, j); break;
    case OPT_LINEAR: j->linear = true; break;
    case OPT_KEEP_HOLES: j->keep_holes = true; break;
    case OPT_STAT: r->stats = optarg; break;
    case OPT_THRESHOLD: window_outputs(&j->windows, o, "--threshold", true, optarg); break;
    case OPT_MIN_VALID: window_min_valid(&j->windows, o); break;
    case OPT_OUTPUT: r->output = optarg; break;
    case OPT_FORMAT: r->format = optarg; break;
    case OPT_LAYOUT:
        if (options_choice(o, "") >= 0) sat_layout_from_name(optarg, &j->layout);
        break;
    case OPT_TYPE:
        if (options_choice(o, "a table is of ") >= 0) j->accum = sat_type_from_name(optarg);
        break;
    case OPT_LARGEST:
        options_side(o, "the side", &n, &m);
        j->largest_px = n * m; /* below 2^62 */
        break;
    case OPT_MOMENTS:
        j->counts = strncmp(optarg, "0,", 2) == 0;
        j->squares = strcmp(optarg + 2 * j->counts, "1,2") == 0;
        if (!j->squares && strcmp(optarg + 2 * j->counts, "1") != 0)
            options_wrong(o, "1 is the table of sums, 1,2 has the sums of squares, too, 0,1 and 0,1,2 the counts");
        break;
    case OPT_TIFF_COMPRESSION: j->compression = optarg; break;
    case OPT_QUALITY:
        options_int(o, 1, 100, "a number from 1 to 100", &n);
        j->quality = (int)n;
        break;
    default:
        if (!answers_option(&r->answers, o, c) && !valid_option(&j->valid, o, c)) filter_option(&j->filter, o, c);
    }
}

/* ---- what belongs together ------------------------------------------------------------------------ */

/* Names the formats that can be written; for differences, the formats that hold them. */
static bool refuse_format(options *o, const request *r, const char *what, const char *name, const char *why)
{
    const bool differences = r->j.filter.kind && r->j.filter.kind->is_real;
    const sat_type type = job_stored_type(&r->j, r->j.result ? r->j.result : SAT_F32);
    name_list names = {.used = 0};
    const image_format *f;
    error unused;
    for (size_t i = 0; (f = format_at(i)); i++)
        if (f->encode && !(differences && (f->no_negatives || !f->holds(type, 1, &unused))))
            name_list_add(&names, " ", "%s", f->name);
    return options_refuse(o, "%s '%s': %sthe formats that %s are %s", what, name, why,
                          differences ? "hold differences" : "can be written", names.text);
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

/* No output has a format with that compression. */
static bool refuse_compression(options *o, const char *name, const char *output)
{
    const image_format *f;
    for (size_t i = 0; (f = format_at(i)); i++)
        if (f->compressions && !format_lists(f->compressions, name))
            return options_refuse(o, "--tiff-compression '%s': there are %s", name, f->compressions);
    return options_refuse(o, "--tiff-compression is for TIFF, and -o %s is none", output);
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

/* Means, where rectangles are given. */
static bool check_means(options *o, request *r)
{
    if (r->stats && !answers_request_stats(&r->answers, o, r->stats)) return false;
    if (r->output && batch_is_template(r->output))
        return options_refuse(o, "-o '%s': %s writes one file for all inputs", r->output, options_given(o, RECTS));
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

/* Before what cannot be done is refused: false, with its line, where a word was not understood, which is why. */
static bool check_words(options *o, const request *r)
{
    const char *word = stray_word(&r->answers.files), *near = word ? options_near(o, word) : NULL;
    if (near) return options_refuse(o, "there is neither a file nor a command '%s'; did you mean --%s?", word, near);
    return !word || options_refuse(o, "there is neither a file nor a command '%s'; " OPERATIONS, word);
}

/* What is wrong with the name of that output; false if something is. */
static bool check_name(options *o, const request *r, const char *input, const char *output)
{
    error err;
    if (r->answers.files_from && input_is_output(r->answers.files_from, output))
        return options_refuse(o, "-o %s would replace the list of inputs", output);
    if (r->j.valid.mask && input_is_output(r->j.valid.mask, output))
        return options_refuse(o, "-o %s would replace the mask", output);
    const bool named = !r->in_folder && (!batch_is_template(r->output) || strstr(r->output, "{name}"));
    if (!named && input_is_output(input, output))
        return options_refuse(o, "-o %s: %s would be written over itself; %s", r->output, input,
                              r->j.windows.outputs > 1 ? "another name keeps it"
                                                       : "to replace it, name it: -o '{dir}/{name}'");
    return sink_check_path(output, &err) || options_fail(o, output, err.text);
}

/* Refuses what no window can have: fewer samples than must count. */
static bool check_counts(options *o, const request *r)
{
    const window_request *w = &r->j.windows;
    const int64_t most = r->j.window_width * r->j.window_height;
    const long long width = r->j.window_width, height = r->j.window_height;
    bool variance = false;
    for (int k = 0; k < w->outputs; k++) variance = variance || w->info[k].variance;
    if (!r->j.filter.kind && variance && w->ddof >= most)
        return options_refuse(o,
                              "--ddof %lld: a window of %lldx%lld has at most %lld sample%s, and a variance needs more",
                              (long long)w->ddof, width, height, (long long)most, most > 1 ? "s" : "");
    if (r->j.filter.kind && w->min_valid >= 1)
        return options_refuse(o, "--min-valid %.0f: of %s it is a share of the weight, 0.5 or 50%%", w->min_valid,
                              r->j.filter.name);
    if (!r->j.filter.kind && w->min_valid > (double)most)
        return options_refuse(o, "--min-valid %.0f: a window of %lldx%lld has at most %lld sample%s", w->min_valid,
                              width, height, (long long)most, most > 1 ? "s" : "");
    return true;
}

/* Statistics of windows: what goes with them; and masks. */
static bool check_windows(options *o, request *r)
{
    window_request *w = &r->j.windows;
    if (r->stats || (options_given(o, STATS) && w->outputs == 0))
        window_outputs(w, o, "--stat", false, r->stats ? r->stats : "mean");
    w->ddof = r->answers.job.ddof;
    if (o->stop) return false;
    if (!check_counts(o, r)) return false;
    if (!answers_request_mask(&r->answers, o, r->j.valid.mask)) return false;
    if (w->outputs == 0) return true;
    if (!window_label_outputs(w, o)) return false;
    if (r->j.passes > 1) return options_refuse(o, "--passes does not go with statistics of windows");
    if (r->j.filter.kind)
        return options_refuse(o, "%s: statistics are of windows whose sides are whole numbers", r->j.filter.name);
    if (r->j.alpha == ALPHA_WEIGHTED)
        return options_refuse(o, "--alpha weighted: statistics of windows leave out pixels with an alpha of 0, or with "
                                 "--alpha straight take all");
    return true;
}

static bool check_images(options *o, request *r)
{
    const batch *files = &r->answers.files;
    error err;
    bool by_format = r->format && strcasecmp(r->format, TABLE + 1) == 0;
    if (r->format && (r->filter || !by_format)) {
        r->j.format = format_by_name(r->format);
        r->j.format_word = r->format;
        if (!r->j.format || !r->j.format->encode) return refuse_format(o, r, "--format", r->format, "");
    }
    if (r->output && !*r->output) return options_refuse(o, "-o '': the name of the output is empty");
    if (r->output && strcmp(r->output, "-") != 0 && is_folder(r->output)) {
        r->in_folder = folder_template(r->output, r->format);
        if (!r->in_folder) return options_fail(o, NULL, "out of memory");
    }
    if (r->output && !r->in_folder && !batch_is_template(r->output) && !sink_check_path(r->output, &err))
        return options_fail(o, r->output, err.text);
    const char *template = r->in_folder ? r->in_folder : r->output;
    r->j.table = !r->filter && r->output &&
                 (by_format || (!r->format && strcasecmp(format_extension(template), TABLE + 1) == 0));
    if (files->n == 1 && is_folder(*files->inputs))
        return options_fail(o, *files->inputs,
                            "is a directory; its files are named one by one, or by the shell: sat DIR/*.png");
    if (!r->filter && !r->output) return check_words(o, r) && options_refuse(o, "nothing to do: " OPERATIONS);
    if (!r->filter && !r->j.table)
        return check_words(o, r) &&
               options_refuse(o, "-o %s: an image needs --box N, which blurs; a table has a name in %s, or --format %s",
                              r->output, TABLE, TABLE + 1);
    if (!r->output) return check_words(o, r) && options_refuse(o, "%s needs an output: -o OUT", r->filter);
    if (r->j.linear && r->j.result)
        return options_refuse(o, "--linear keeps the image's type; it does not go with --result");
    if (r->answers.job.decode.array == ARRAY_TABLE)
        return options_refuse(o, "--as table: a table is for `sat query`, and cannot be filtered or summed");
    if (r->j.filter.kind && r->j.passes > 1)
        return options_refuse(o, "--passes is for windows whose sides are whole numbers, not for %s", r->j.filter.name);
    const char *stray = options_given(o, OF_BLURS | OF_IMAGES);
    if (r->j.table && stray) return options_refuse(o, "%s is for --box, not for tables", stray);
    if (!check_windows(o, r)) return false;
    if (r->j.largest_px && r->j.accum != SAT_Q32) return options_refuse(o, "--largest is for --type q32");
    if (r->answers.files.n > 1 && !batch_is_template(template))
        return check_words(o, r) &&
               options_refuse(o, "%zu inputs need a folder that is there, or a template: -o 'out/{stem}.png'",
                              r->answers.files.n);
    switch (batch_name_outputs(&r->answers.files, &r->j.windows, template, &err)) {
    case EXIT_FINE: break;
    case EXIT_USAGE: return options_refuse(o, "-o %s", err.text);
    default: return options_fail(o, NULL, err.text);
    }
    bool has_quality = false, compresses = false, bits = false;
    const size_t each = r->answers.files.each;
    for (size_t i = 0; i < r->answers.files.n * each; i++) {
        const char *output = r->answers.files.outputs[i];
        const image_format *f = NULL;
        if (!check_name(o, r, r->answers.files.inputs[i / each], output)) return false;
        if (!r->j.table && !(f = check_output(o, r, output))) return false;
        has_quality = has_quality || (f && f->has_quality);
        bits = bits || (f && format_has_bits_only(f, r->j.compression));
        compresses =
            compresses || (f && f->compressions && r->j.compression && format_lists(f->compressions, r->j.compression));
    }
    if (r->j.quality && !has_quality) return refuse_quality(o, r->answers.files.outputs[0]);
    if (bits && !options_given(o, OPT_THRESHOLD))
        return options_refuse(o, "--tiff-compression %s is for results of one bit: --threshold", r->j.compression);
    if (r->j.compression && !compresses) return refuse_compression(o, r->j.compression, r->answers.files.outputs[0]);
    return true;
}

/* ---- the command ---------------------------------------------------------------------------------- */

static int run_means(options *o, request *r)
{
    r->answers.job.output = r->output ? r->output : "-";
    r->answers.job.valid = r->j.valid;
    return answers_request_run(&r->answers, o);
}

static int run_images(const options *o, request *r)
{
    r->j.decode = r->answers.job.decode;
    r->j.decode.max_pixels = r->j.valid.max_pixels = o->max_pixels;
    r->j.valid.no_orient = r->j.decode.no_orient, r->j.valid.strict = r->j.decode.strict;
    r->j.valid.quiet = o->quiet;
    r->j.no_clobber = r->answers.job.no_clobber;
    r->j.backend = o->backend;
    r->j.verbose = o->verbose;
    r->j.quiet = o->quiet;
    r->j.stages = r->answers.files.n == 1;
    size_t failed = batch_run(&r->answers.files, &r->j, o->threads, o->quiet);
    if (failed > 0 && r->answers.files.n > 1 && !o->quiet)
        say(NULL, "%zu of %zu files failed", failed, r->answers.files.n);
    return failed > 0 ? EXIT_INPUT : EXIT_FINE;
}

static int run(int argc, char **argv)
{
    options o = {.self = &command_filter, .max_pixels = MAX_PIXELS_DEFAULT};
    request r = {.j = {.passes = 1}};
    int c;

    if (!answers_request_init(&r.answers, &o, "mean", argc)) return EXIT_INPUT;
    while ((c = options_next(&o, argc, argv)) != -1) take(c, &o, &r);
    if (!options_end(&o) || !answers_request_inputs(&r.answers, &o, argc, argv, "sat INPUT --box N -o OUT")) goto out;
    r.filter = options_given(&o, FILTERS);
    if (options_given(&o, RECTS)) {
        if (check_means(&o, &r)) o.status = run_means(&o, &r);
    } else {
        if (check_images(&o, &r)) o.status = run_images(&o, &r);
    }
out:
    answers_request_free(&r.answers);
    free(r.in_folder);
    return o.status;
}

static const char help[] = "Blurs images, makes summed-area tables, prints means and sums of rectangles.\n"
                           "\n"
                           "  sat photo.jpg --box 15 -o blurred.png        the mean of 15x15 px around each\n"
                           "  sat photo.jpg -o table.npy                   the summed-area table\n"
                           "  sat photo.jpg --mean 100,50,64,48            the mean of a rectangle, as CSV\n"
                           "  sat *.jpg --box 9 -o 'out/{stem}_blur.png'   also {name} {ext} {dir} {n}\n"
                           "  sat - --radius 7 -o - --format png <a.pgm >b.png\n";

const command command_filter = {
    .name = "",
    .summary = "blur an image, write its table, print means",
    .help = help,
    .options = FILTER,
    .run = run,
};
