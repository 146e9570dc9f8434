/* answers_job.c - answers rectangles of images and tables: by a table or by the pixels, input after input. */
#include "answers_job.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "answers_choice.h"
#include "image.h"
#include "input.h"
#include "messages.h"
#include "progress.h"
#include "rounding.h"
#include "sample_type.h"

/* ---- the table ------------------------------------------------------------------------------------ */

typedef struct answers_source {
    const char *input; /* its name */
    sat_table table;
    sat_table squares;     /* where they are asked for, and no pixels are summed */
    sat_table counts;      /* of a file that has them */
    int64_t width, height; /* of the image */
    int channels, planes;  /* all, and those that are planes: images or tables of one */
    sat_type sums;         /* the type of sums: whose member of sat_sum counts */
    source source;         /* of the file */
    sat_file *file;        /* a table file, or NULL */
    void *memory[2];       /* tables that were built here, of sums and squares */
    image pixels;          /* of floats, for a few rectangles, or with holes: what these are summed from */
    image_meta meta;       /* of an image that is not in memory any more */
    valid_samples valid;   /* of a file with counts: its value for no data, or NaN */
} answers_source;

static answers_ask ask_of(const answers_job *job)
{
    answers_ask ask = {.backend = job->common->backend, .threads = job->common->threads};
    for (int s = 0; s < job->stats_n; s++) {
        ask.variances = ask.variances || job->stats[s].variance;
        ask.roots = ask.roots || (job->stats[s].squares && !job->stats[s].variance);
    }
    return ask;
}

static bool needs_squares(const answers_job *job)
{
    for (int s = 0; s < job->stats_n; s++)
        if (job->stats[s].squares) return true;
    return false;
}

/* power 1: the sums; 2: the squares. */
static bool build(const answers_job *job, const image *img, const answers_choice *c, int power, answers_source *a,
                  error *err)
{
    sat_plan *plan = NULL;
    sat_view in = image_view(img);
    sat_plan_spec spec = {.width = img->width,
                          .height = img->height,
                          .channels = img->channels,
                          .count = img->planes,
                          .sample = img->type,
                          .accum = power == 1 ? c->accum : SAT_TYPE_NONE,
                          .power = power,
                          .layout = SAT_PADDED,
                          .backend = job->common->backend,
                          .threads = job->common->threads};
    bool ok = false;
    if (sat_plan_create(&plan, &spec) != SAT_OK) return fail(err, "%s", sat_detail());
    sat_view view = {.width = img->width + 1, .height = img->height + 1, .channels = img->channels};
    view.type = sat_plan_accum(plan), view.count = image_planes(img);
    if (!view_alloc(&view, "its table", err)) goto out;
    a->memory[power - 1] = view.data;
    if (sat_plan_run(plan, &in, &view, NULL) != SAT_OK) {
        fail(err, "%s", sat_detail());
        goto out;
    }
    *(power == 1 ? &a->table : &a->squares) =
        (sat_table){.view = view, .layout = SAT_PADDED, .sample = img->type, .power = power};
    if (job->common->verbose && power == 1)
        say(input_name(a->input), "%s; %s is the narrowest that holds the largest rectangle%s, %lld px of %s",
            sat_plan_note(plan), sat_type_name(view.type), c->known ? "" : " that fits the image",
            (long long)c->largest_px, sat_type_name(img->type));
    ok = true;
out:
    sat_plan_destroy(&plan);
    return ok;
}

/* The checksum is compared with --verify, and where the table is small, or all of it is read anyway.  A stream is read
 * whole.  So is a file by as many rectangles as may touch each of its pages; a file of rectangles counts as a chunk. */
static bool check_sum(const answers_job *job, const answers_source *a, const sat_file_info *info, const rects *from,
                      error *err)
{
    enum { CORNERS = 4, PAGE_BYTES = 4096, SMALL_BYTES = 64 << 20 };
    size_t n;
    if (!rects_listed(from, &n)) n = RECTS_CHUNK;
    bool few = info->data_bytes > SMALL_BYTES && n * CORNERS < info->data_bytes / PAGE_BYTES;
    bool left_out = !info->has_trailer || (a->source.mapped && few);
    return (left_out && !job->verify) || sat_file_verify(a->file) == SAT_OK || fail(err, "%s", sat_detail());
}

static void say_rounding(const answers_job *job, const answers_source *a, int power)
{
    char text[ROUNDING_TEXT_BYTES];
    const sat_table *t = power == 1 ? &a->table : &a->squares;
    if (!t->view.data || job->common->quiet) return;
    if (rounding_text(text, t, t->view.height - (t->layout == SAT_PADDED), NULL)) say(input_name(a->input), "%s", text);
}

/* What to say of a file without trailer and --layout. */
static bool refuse_unknown(const answers_job *job, sat_type type, const char *name, error *err)
{
    const bool ambiguous = type != SAT_I64 && type != SAT_U64; /* no image has samples of these */
    bool certain = job->decode.array == ARRAY_TABLE;
    if (!job->is_query)
        return certain || !ambiguous
                   ? fail(err, "a table without trailer needs `sat query FILE --layout padded|inclusive|exclusive`")
                   : fail(err,
                          "no trailer, and %s may be an image or a table: an image needs --as image, a table `sat "
                          "query FILE --layout padded|inclusive|exclusive`",
                          name);
    if (certain)
        return fail(err, "a table without trailer: say how it was made with --layout padded|inclusive|exclusive");
    return fail(err, "no trailer: if it is a table, say how it was made with --layout padded|inclusive|exclusive%s%s",
                ambiguous ? ", if it is an image, --as image" : "; no image has samples of 64-bit integers",
                is_float_type(type) ? "; whether floats are a table's or an image's cannot be checked" : "");
}

/* Without --layout, any will do to see whether there is a trailer. */
static bool open_file(const answers_job *job, answers_source *a, sat_file_info *info, error *err)
{
    static const sat_file_options anything = {.foreign = true, .layout = SAT_INCLUSIVE};
    bool known = job->is_query && job->assume.foreign;
    if (sat_file_open_memory(&a->file, a->source.bytes, a->source.n, known ? &job->assume : &anything) != SAT_OK ||
        sat_file_table(a->file, &a->table) != SAT_OK || sat_file_describe(a->file, info) != SAT_OK)
        return fail(err, "%s", sat_detail());
    return info->has_trailer || known || refuse_unknown(job, a->table.view.type, info->entry, err);
}

static bool open_table(const answers_job *job, input_file *in, const rects *from, answers_source *a, error *err)
{
    sat_file_info info;
    bool certain = job->decode.array == ARRAY_TABLE;
    a->source = in->file;
    in->file = (source){0};
    if (!open_file(job, a, &info, err)) return false;
    if (info.has_trailer && job->assume.foreign && job->assume.layout != a->table.layout)
        return fail(err, "--layout %s: the file says that it is %s", sat_layout_name(job->assume.layout),
                    sat_layout_name(a->table.layout));
    if (info.has_trailer && job->assume.sample && job->assume.sample != a->table.sample)
        return fail(err, "--sample %s: the file says that it was made of %s", sat_type_name(job->assume.sample),
                    sat_type_name(a->table.sample));
    if (!check_sum(job, a, &info, from, err)) return false;
    if (sat_file_check_samples(a->file) != SAT_OK)
        return fail(err, "%s; other samples are named by --sample", sat_detail());
    bool real = is_float_type(a->table.view.type);
    bool said = job->common->quiet || certain;
    if (!info.has_trailer && a->table.layout == SAT_INCLUSIVE && real && !said)
        say(input_name(a->input), "whether its floats are a table's or an image's cannot be checked");
    if (info.looks_padded && !job->common->quiet)
        say(input_name(a->input), "its first row and column are zero; if it is padded, --layout inclusive is wrong");
    if (needs_squares(job) && sat_file_squares(a->file, &a->squares) != SAT_OK)
        return fail(err, "a table of sums alone, without the squares that --stat needs: `sat IMAGE -o TABLE.npy "
                         "--moments 1,2` makes one with both, and `sat query IMAGE` needs none");
    if (strchr(info.moment, '0') && sat_file_counts(a->file, &a->counts) != SAT_OK)
        return fail(err, "%s", sat_detail());
    a->valid.has_nodata = info.has_nodata && info.nodata == info.nodata;
    a->valid.skip_nan = a->counts.view.data && !a->valid.has_nodata;
    a->valid.nodata = info.nodata;
    say_rounding(job, a, 1);
    say_rounding(job, a, 2);
    if (job->common->verbose)
        say(input_name(a->input), "%s table of %s, %s samples%s", sat_layout_name(a->table.layout), info.entry,
            sat_type_name(a->table.sample), a->counts.view.data ? ", and the counts of the samples that count" : "");
    return true;
}

/* ---- the pixels ----------------------------------------------------------------------------------- */

typedef struct table_need {
    answers_ask ask;
    const rects *from;
} table_need;

/* What open_image() holds beside the pixels. */
static uint64_t table_bytes(const image_shape *shape, const void *context)
{
    const table_need *q = context;
    const answers_choice c = answers_choose(&q->ask, q->from, shape);
    return c.table ? c.table_bytes
           : q->ask.holes
               ? (uint64_t)shape->width * (uint64_t)shape->height * (uint64_t)(shape->planes > 1 ? shape->planes : 1)
               : 0;
}

/* Which samples count; the pixels are summed if it may be not all of them. */
static bool choose_valid(const answers_job *job, const image *img, const decode_options *given, answers_source *a,
                         answers_ask *ask, error *err)
{
    const decode_options decode = {
        .max_pixels = given->max_pixels, .no_orient = given->no_orient, .threads = given->threads};
    sat_backend_info info;
    if (!valid_of_image(&a->valid, &job->valid, img, a->input, false, &decode, job->common->verbose, err)) return false;
    ask->holes = !valid_all(&a->valid);
    for (size_t i = 0; ask->holes && ask->backend && sat_backend_entry(i, &info); i++)
        if (info.device && strcmp(info.name, ask->backend) == 0)
            return fail(err, "--backend %s: samples that do not count are left out on the CPU alone", ask->backend);
    return true;
}

static bool open_image(const answers_job *job, input_file *in, const decode_options *decode, const rects *from,
                       answers_source *a, error *err)
{
    image img = {0};
    if (job->assume_given) return fail(err, "--layout and --sample are for tables, and this is none");
    if (job->verify) return fail(err, "--verify is for tables, and this is none");
    bool ok =
        decode->raw ? image_read(a->input, decode, &img, NULL, err) : image_decode(&in->file, decode, &img, NULL, err);
    source_close(&in->file);
    if (ok && img.meta.note[0] && !job->common->quiet) say(input_name(a->input), "%s", img.meta.note);
    const image_shape shape = image_shape_of(&img);
    answers_ask ask = ask_of(job);
    ok = ok && choose_valid(job, &img, decode, a, &ask, err);
    const answers_choice c = ok ? answers_choose(&ask, from, &shape) : (answers_choice){.table = false};
    if (ok && c.table) ok = build(job, &img, &c, 1, a, err);
    if (ok && !c.pixels && needs_squares(job)) ok = build(job, &img, &c, 2, a, err);
    if (ok && job->common->verbose) answers_choice_say(&c, input_name(a->input));
    if (ok && c.pixels) {
        a->pixels = img;
        return true;
    }
    a->meta = img.meta;
    img.meta = (image_meta){0};
    image_free(&img);
    return ok;
}

static void close_source(answers_source *a)
{
    sat_file_close(&a->file);
    source_close(&a->source);
    free(a->memory[0]);
    free(a->memory[1]);
    image_free(&a->pixels);
    meta_free(&a->meta);
    valid_free(&a->valid);
}

/* ---- the rows ------------------------------------------------------------------------------------- */

static bool reaches(int64_t at, int64_t length, int64_t end)
{
    int64_t to;
    return __builtin_add_overflow(at, length, &to) || to >= end;
}

/* What table would answer a rectangle that this one cannot; it is inside the image, but where it is cut to that. */
static const char *cure(const sat_table *t, const rects_chunk *one)
{
    const sat_rect *whole = one->whole;
    const sat_rect_f64 *real = one->real;
    const double width = (double)t->view.width, height = (double)t->view.height;
    const bool at_edge =
        real ? real->x + real->width > width - 1 || real->y + real->height > height - 1
             : reaches(whole->x, whole->width, t->view.width) || reaches(whole->y, whole->height, t->view.height);
    if (t->layout == SAT_EXCLUSIVE && at_edge) return "; a padded one does (--layout padded)";
    switch (t->view.type) {
    case SAT_U32:
    case SAT_I32: return "; a table of i64 answers it (--type i64, the default)";
    case SAT_Q32: return "; one that was made with a larger --largest does";
    default: return "";
    }
}

static sat_status ask_library(const answers_source *a, const rects_chunk *chunk, const sat_statistics *ask)
{
    const sat_view pixels = image_view(&a->pixels), mask = image_view(&a->valid.mask);
    const sat_run_options run = {.mask = mask.data ? &mask : NULL};
    if (pixels.data)
        return chunk->real ? sat_image_statistics_f64(&pixels, chunk->real, chunk->n, ask, &run)
                           : sat_image_statistics(&pixels, chunk->whole, chunk->n, ask, &run);
    const sat_table *squares = a->squares.view.data ? &a->squares : NULL;
    return chunk->real ? sat_table_statistics_f64(&a->table, squares, chunk->real, chunk->n, ask, NULL)
                       : sat_table_statistics(&a->table, squares, chunk->whole, chunk->n, ask, NULL);
}

/* "x,y,w,h", as the command takes it. */
static void name_rect(char *to, size_t bytes, const rects_chunk *one)
{
    const sat_rect_f64 *real = one->real;
    const sat_rect *whole = one->whole;
    if (real)
        snprintf(to, bytes, "%.15g,%.15g,%.15g,%.15g", real->x, real->y, real->width, real->height);
    else
        snprintf(to, bytes, "%lld,%lld,%lld,%lld", (long long)whole->x, (long long)whole->y, (long long)whole->width,
                 (long long)whole->height);
}

/* Why a rectangle is none of the image's; NULL: it reaches outside. */
static const char *fault_of(const rects_chunk *one)
{
    const sat_rect_f64 *r = one->real;
    if (!r) return one->whole->width <= 0 || one->whole->height <= 0 ? "is empty" : NULL;
    const double x1 = r->x + r->width, y1 = r->y + r->height;
    return x1 != x1 || y1 != y1 ? "has a side that is no number" : x1 <= r->x || y1 <= r->y ? "is empty" : NULL;
}

/* The library refused a chunk: finds the first rectangle that it refuses, and says which and why. */
static bool refuse(const answers_source *a, const rects *from, const rects_chunk *chunk, const sat_statistics *ask,
                   error *err)
{
    char where[48], name[128];
    for (size_t i = 0; i < chunk->n; i++) {
        const rects_chunk one = rects_chunk_one(chunk, i);
        sat_status status = ask_library(a, &one, ask);
        if (status == SAT_OK) continue;
        rects_where(from, i, where);
        name_rect(name, sizeof name, &one);
        if (status == SAT_ERR_RECT) {
            const char *fault = fault_of(&one);
            return fail(err, "%srectangle %s %s; the image is %lldx%lld px%s", where, name,
                        fault ? fault : "reaches outside the image", (long long)a->width, (long long)a->height,
                        fault ? "" : " (--clip cuts rectangles to it)");
        }
        /* The detail counts within the call: our own place in the file stands for that. */
        static const char first[] = "rectangle 0 (";
        const char *why = strncmp(sat_detail(), first, strlen(first)) == 0 ? strstr(sat_detail(), ") ") : NULL;
        if (why == NULL) return fail(err, "%s%s", where, sat_detail());
        return fail(err, "%srectangle %s %s%s", where, name, why + 2, cure(&a->table, &one));
    }
    return fail(err, "%s", sat_detail());
}

/* Answers rectangles, from number `at` of what was handed out on, and writes their rows; false if the
 * library refuses one of them. */
static bool put_rows(const answers_source *a, const rects *from, size_t at, const rects_chunk *rows,
                     const sat_statistics *ask, answers *to)
{
    if (ask_library(a, rows, ask) != SAT_OK) return false;
    answers_put(to, from, at, rows, ask);
    return true;
}

/* What is asked of a chunk of rectangles, with its arrays. */
typedef struct question {
    sat_statistics ask;
    sat_rect_output output[STATS_MAX];
} question;

/* Rectangles that are answered at once: a chunk, or of many channels fewer. */
static size_t piece_of(const answers_source *a)
{
    enum { CHANNELS = 4 };
    return a->channels > CHANNELS ? (size_t)RECTS_CHUNK * CHANNELS / (size_t)a->channels : RECTS_CHUNK;
}

/* In images of cells, how many samples count is asked for, too. */
static bool allocate(const answers_job *job, const answers_source *a, question *q)
{
    const size_t n = piece_of(a) * (size_t)a->channels;
    sat_statistics *ask = &q->ask;
    *ask = (sat_statistics){.flags = job->clip ? SAT_CLIP : 0,
                            .threads = job->common->threads,
                            .ddof = job->ddof,
                            .output = q->output,
                            .skip_nan = a->pixels.data && a->valid.skip_nan,
                            .has_nodata = a->pixels.data && a->valid.has_nodata,
                            .nodata = a->valid.nodata,
                            .counts = a->counts.view.data ? &a->counts : NULL};
    ask->areas_f64 = malloc(piece_of(a) * sizeof *ask->areas_f64);
    bool ok = ask->areas_f64;
    for (int s = 0; ok && s < job->stats_n; s++) {
        const answers_column *column = &job->stats[s];
        if (column->sum) ok = (ask->sums = malloc(n * sizeof *ask->sums)) != NULL;
        if (!answers_column_is_real(column)) continue;
        double *values = malloc(n * sizeof *values);
        q->output[ask->outputs++] = (sat_rect_output){column->name, values};
        ok = values;
    }
    if (ok && job->cell_format && !valid_all(&a->valid) && !job->stats->count && !job->stats->area) {
        double *counts = malloc(n * sizeof *counts);
        q->output[ask->outputs++] = (sat_rect_output){"count", counts};
        ok = counts;
    }
    return ok;
}

static void free_all(question *q)
{
    for (int i = 0; i < q->ask.outputs; i++) free(q->output[i].values);
    free(q->ask.sums);
    free(q->ask.areas_f64);
}

/* Says once of floats that a table would be the quicker way. */
static void say_slow(const answers_job *job, const answers_source *a, const rects_chunk *chunk, rects_load *load)
{
    const image_shape shape = image_shape_of(&a->pixels);
    const answers_ask ask = ask_of(job);
    const bool before = answers_table_pays(&ask, load, &shape);
    rects_add_load(load, chunk, shape.width, shape.height, (size_t)shape.channels * sat_type_bytes(shape.type));
    if (before || !answers_table_pays(&ask, load, &shape)) return;
    say(input_name(a->input),
        "so many rectangles of floats are summed from the pixels; quicker, but with sums that are rounded, is `sat "
        "IMAGE "
        "-o TABLE.npy%s`, and `sat query TABLE.npy`",
        needs_squares(job) ? " --moments 1,2" : "");
}

static bool put_all(const answers_job *job, const answers_source *a, rects *from, answers *to, error *err)
{
    rects_chunk chunk;
    question q = {.ask = {0}};
    const sat_statistics *ask = &q.ask;
    rects_load load = {.n = 0};
    bool ok = false;
    if (!allocate(job, a, &q)) {
        fail(err, "out of memory");
        goto out;
    }
    for (;;) {
        if (!rects_next(from, &chunk, err) || !answers_take_names(to, from, err)) goto out;
        if (chunk.n == 0) break;
        if (a->pixels.data && valid_all(&a->valid) && !job->common->quiet) say_slow(job, a, &chunk, &load);
        for (size_t at = 0; at < chunk.n; at += piece_of(a)) {
            const size_t left = chunk.n - at;
            const rects_chunk part = rects_chunk_part(&chunk, at, left < piece_of(a) ? left : piece_of(a));
            if (put_rows(a, from, at, &part, ask, to)) continue;
            /* The rows before the first that is refused, one by one; then why. */
            for (size_t i = at; i < chunk.n; i++) {
                const rects_chunk one = rects_chunk_one(&chunk, i);
                if (!put_rows(a, from, i, &one, ask, to)) break;
            }
            refuse(a, from, &chunk, ask, err);
            goto out;
        }
        if (answers_failed(to)) break;
    }
    chunk.n = 0;
    answers_put(to, from, 0, &chunk, ask); /* the header, where there is no rectangle */
    ok = true;
out:
    free_all(&q);
    return ok;
}

static bool takes_options(const answers_job *job, const input_file *in, error *err)
{
    const channel_choice *c = &job->decode.channels;
    const char *given = c->gray                   ? "--gray"
                        : c->name || c->number    ? "--channel"
                        : job->decode.page        ? "--page"
                        : job->valid.mask         ? "--mask"
                        : job->valid.nodata_given ? "--nodata"
                                                  : NULL;
    return !in->is_table || !given || fail(err, "%s is for images, and this is a table", given);
}

/* What is asked, a table or pixels. */
static void describe(answers_source *a)
{
    const sat_view *t = &a->table.view;
    const bool padded = a->table.layout == SAT_PADDED;
    const image *img = &a->pixels;
    a->width = img->data ? img->width : t->width - padded;
    a->height = img->data ? img->height : t->height - padded;
    a->planes = img->data ? image_planes(img) : t->count > 1 ? (int)t->count : 1;
    a->channels = img->data ? image_bands(img) : a->planes * t->channels;
    a->sums = !img->data ? t->type : is_float_type(img->type) ? SAT_F64 : is_signed_type(img->type) ? SAT_I64 : SAT_U64;
}

/* All rectangles of one input; on false, *at_fault is the file that the error is about. */
static bool answer_input(const answers_job *job, const char *input, rects *from, answers *to, const char **at_fault,
                         error *err)
{
    answers_source a = {.input = input};
    table_need need = {ask_of(job), from};
    image_memory memory = {.work = table_bytes, .context = &need};
    decode_options decode = job->decode;
    input_file in = {.is_table = false};
    double start = clock_now_s(), ready;

    need.ask.holes = job->valid.mask;
    decode.planes_from = 2;
    *at_fault = input_name(input);
    decode.memory = &memory;
    bool ok = (decode.raw || input_open(&in, input, &decode, err)) && takes_options(job, &in, err);
    if (ok && !in.is_table) rects_look(from); /* a table waits for no rectangle */
    ok = ok && (in.is_table ? open_table(job, &in, from, &a, err) : open_image(job, &in, &decode, from, &a, err));
    source_close(&in.file);
    if (ok) describe(&a);
    rects_of_image(from, a.width, a.height);
    answers_input columns = {.name = input,
                             .width = a.width,
                             .height = a.height,
                             .channels = a.channels,
                             .planes = a.planes > 1,
                             .type = a.sums};
    if (!a.file) columns.meta = a.pixels.data ? &a.pixels.meta : &a.meta;
    columns.valid = &a.valid;
    ready = clock_now_s();
    ok = ok && answers_next_input(to, &columns, err);
    if (ok && !put_all(job, &a, from, to, err)) {
        if (rects_name(from)) *at_fault = input_name(rects_name(from));
        ok = false;
    }
    if (ok && job->common->verbose)
        say(input_name(input), "ready after %.1f ms, answers took %.1f ms", 1e3 * (ready - start),
            1e3 * (clock_now_s() - ready));
    close_source(&a);
    memory_keep(&memory.share, 0);
    return ok;
}

/* Are the rectangles at fault, whatever the input? */
static bool rects_at_fault(const rects *from, const answers *to)
{
    error unused;
    return rects_broken(from) || !answers_take_names(to, from, &unused);
}

static void say_left_out(const answers_job *job, const rects *from, const answers *to)
{
    name_list names = {.used = 0};
    int n = job->common->quiet ? 0 : answers_left_out(to, &names);
    if (n > 0)
        say(input_name(rects_name(from)), "column%s left out, as answers have %s: %s", n > 1 ? "s" : "",
            n > 1 ? "these names" : "this name", names.text);
}

/* The longest name of an input, where rows name theirs. */
static size_t name_bytes(const answers_job *job)
{
    size_t most = 0;
    for (size_t i = 0; job->name_inputs && i < job->inputs_n; i++) {
        size_t n = strlen(job->inputs[i]);
        if (n > most) most = n;
    }
    return most;
}

int answers_job_run(const answers_job *job, rects *from)
{
    error err;
    size_t failed = 0;
    const char *at_fault;
    answers *to = NULL;
    answers_spec spec = {.output = job->output,
                         .no_clobber = job->no_clobber,
                         .form = job->form,
                         .stats_n = job->stats_n,
                         .name_bytes = name_bytes(job),
                         .several = job->inputs_n > 1,
                         .area = job->clip,
                         .real = job->form == ANSWERS_NPY && !job->cell_format && rects_fix_columns(from),
                         .cells = {.format = job->cell_format,
                                   .output = job->output,
                                   .no_clobber = job->no_clobber,
                                   .verbose = job->common->verbose,
                                   .cell_width = job->cell_width,
                                   .cell_height = job->cell_height}};

    for (size_t i = 0; i < job->inputs_n; i++)
        if (input_is_output(job->inputs[i], job->output))
            return usage_error(job->common->self->name, "-o %s would replace the input by its answers", job->output);
    memcpy(spec.stats, job->stats, sizeof spec.stats);
    bool ok = answers_open(&to, &spec, &err);
    for (size_t i = 0; ok && i < job->inputs_n && !answers_failed(to); i++) {
        if (i > 0) rects_again(from);
        if (answer_input(job, job->inputs[i], from, to, &at_fault, &err)) continue;
        say(at_fault, "%s", err.text);
        failed++;
        if (rects_at_fault(from, to)) break;
    }
    bool hopeless = ok && rects_at_fault(from, to);
    if (ok) say_left_out(job, from, to);
    bool withheld = ok && failed > 0 && !answers_on_stdout(to);
    if (withheld)
        answers_abort(&to);
    else
        ok = ok && answers_close(&to, &err);
    if (!ok) say(output_name(job->output), "%s", err.text);
    if (failed > 0 && job->inputs_n > 1 && !hopeless && !job->common->quiet)
        say(NULL, "%zu of %zu files failed%s", failed, job->inputs_n,
            withheld ? ", and so the output is not written" : "");
    return ok && failed == 0 ? EXIT_FINE : EXIT_INPUT;
}
