/* answers_run.c - answers rectangles of images and tables, chunk after chunk, input after input. */
#include "answers_job.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "answers_source.h"
#include "input.h"
#include "messages.h"
#include "progress.h"
#include "sample_type.h"

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

/* SAT_ERR_FILE: with the error. */
static sat_status ask_library(answers_source *a, const rects_chunk *chunk, const sat_statistics *ask, error *err)
{
    if (a->by_pixels) return answers_pixels_ask(&a->pixels, &a->valid, chunk, ask, err);
    const sat_table *squares = a->squares.view.data ? &a->squares : NULL;
    return chunk->real ? sat_table_statistics_f64(&a->table, squares, chunk->real, chunk->n, ask, NULL)
                       : sat_table_statistics(&a->table, squares, chunk->whole, chunk->n, ask, NULL);
}

/* What the library says of rectangle i; of pixels none is read. */
static sat_status ask_one(answers_source *a, const rects_chunk *chunk, size_t i, const sat_statistics *ask, error *err)
{
    const rects_chunk one = rects_chunk_one(chunk, i);
    return a->by_pixels ? answers_pixels_check(&a->pixels, &one, ask) : ask_library(a, &one, ask, err);
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

/* The library refuses rectangle i: says which it is and why. */
static bool refuse(answers_source *a, const rects *from, const rects_chunk *chunk, size_t i, const sat_statistics *ask,
                   error *err)
{
    char where[48], name[128];
    const sat_status status = ask_one(a, chunk, i, ask, err);
    const rects_chunk one = rects_chunk_one(chunk, i);
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

/* Answers rectangles of a chunk, from number `at` on, and writes their rows; where one is refused, the rows before it,
 * and then why. */
static bool put_rows(answers_source *a, const rects *from, const rects_chunk *chunk, size_t at, size_t n,
                     const sat_statistics *ask, answers *to, error *err)
{
    rects_chunk part = rects_chunk_part(chunk, at, n);
    sat_status status = ask_library(a, &part, ask, err);
    if (status == SAT_ERR_RECT || status == SAT_ERR_RANGE) {
        for (part.n = 0; ask_one(a, chunk, at + part.n, ask, err) == SAT_OK;) part.n++;
        status = part.n > 0 ? ask_library(a, &part, ask, err) : SAT_OK;
    }
    if (status != SAT_OK) return status != SAT_ERR_FILE && fail(err, "%s", sat_detail());
    if (ask->imprecise) a->imprecise += *ask->imprecise;
    if (part.n > 0) answers_put(to, from, at, &part, ask);
    return part.n == n || refuse(a, from, chunk, at + part.n, ask, err);
}

/* What is asked of a chunk of rectangles, with its arrays. */
typedef struct question {
    sat_statistics ask;
    sat_rect_output output[STATS_MAX];
    int64_t imprecise; /* of the last call */
} question;

/* Rectangles that are answered at once.  Cells by rows: whole rows of cells, so that no row of the image is read twice,
 * in memory that stays in a cache; of a stream all, as it is read to its end before any is answered. */
static size_t piece_of(const answers_job *job, const answers_source *a)
{
    enum { CELLS = 1 << 12 };
    const size_t most = rects_at_once(a->channels);
    if (!job->cell_width || !a->by_pixels || a->pixels.whole.data || a->pixels.from.in_order) return most;
    const size_t columns = (size_t)((a->width - 1) / job->cell_width + 1),
                 cells = columns < CELLS ? CELLS / columns * columns : columns;
    return cells < most ? cells : most;
}

/* In images of cells, how many samples count is asked for, too. */
static bool allocate(const answers_job *job, const answers_source *a, question *q)
{
    const size_t n = piece_of(job, a) * (size_t)a->channels;
    sat_statistics *ask = &q->ask;
    *ask = (sat_statistics){.flags = job->clip ? SAT_CLIP : 0,
                            .threads = job->common->threads,
                            .ddof = job->ddof,
                            .output = q->output,
                            .skip_nan = a->by_pixels && a->valid.skip_nan,
                            .has_nodata = a->by_pixels && a->valid.has_nodata,
                            .nodata = a->valid.nodata,
                            .counts = a->counts.view.data ? &a->counts : NULL,
                            .imprecise = a->by_pixels ? NULL : &q->imprecise};
    ask->areas_f64 = malloc(piece_of(job, a) * sizeof *ask->areas_f64);
    bool ok = ask->areas_f64;
    for (int s = 0; ok && s < job->stats_n; s++) {
        const answers_column *column = &job->stats[s];
        if (column->sum && !ask->sums) ok = (ask->sums = malloc(n * sizeof *ask->sums)) != NULL;
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
    const image_shape shape = image_shape_of(answers_pixels_head(&a->pixels));
    const answers_ask ask = answers_ask_of(job);
    const bool before = answers_table_pays(&ask, load, &shape);
    if (!is_float_type(shape.type)) return;
    rects_add_load(load, chunk, shape.width, shape.height, (size_t)shape.channels * sat_type_bytes(shape.type));
    if (before || !answers_table_pays(&ask, load, &shape)) return;
    say(input_name(a->input),
        "so many rectangles of floats are summed from the pixels; quicker, but with sums that are rounded, is `sat "
        "IMAGE "
        "-o TABLE.npy%s`, and `sat query TABLE.npy`",
        answers_need_squares(job) ? " --moments 1,2" : "");
}

static bool put_all(const answers_job *job, answers_source *a, rects *from, answers *to, error *err)
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
        if (a->by_pixels && valid_all(&a->valid) && !job->common->quiet) say_slow(job, a, &chunk, &load);
        for (size_t at = 0; at < chunk.n; at += piece_of(job, a)) {
            const size_t left = chunk.n - at;
            if (!put_rows(a, from, &chunk, at, left < piece_of(job, a) ? left : piece_of(job, a), ask, to, err))
                goto out;
        }
        if (answers_failed(to)) break;
    }
    chunk.n = 0;
    if (!answers_pixels_end(&a->pixels, err)) goto out;
    answers_put(to, from, 0, &chunk, ask); /* the header, where there is no rectangle */
    ok = true;
out:
    free_all(&q);
    return ok;
}

/* All rectangles of one input; on false, *at_fault is the file that the error is about. */
static bool answer_input(const answers_job *job, const char *input, rects *from, answers *to, const char **at_fault,
                         error *err)
{
    answers_source a;
    double start = clock_now_s(), ready;

    *at_fault = input_name(input);
    bool ok = answers_source_open(&a, job, input, from, err);
    rects_of_image(from, a.width, a.height);
    answers_input columns = {.name = input,
                             .width = a.width,
                             .height = a.height,
                             .channels = a.channels,
                             .planes = a.planes > 1,
                             .type = a.sums};
    if (!a.file) columns.meta = a.by_pixels ? &answers_pixels_head(&a.pixels)->meta : &a.meta;
    columns.valid = &a.valid;
    ready = clock_now_s();
    ok = ok && answers_next_input(to, &columns, err);
    if (ok && !put_all(job, &a, from, to, err)) {
        if (rects_name(from) && !a.pixels.failed) *at_fault = input_name(rects_name(from));
        ok = false;
    }
    if (ok && a.imprecise > 0 && !job->common->quiet)
        say(input_name(input),
            "%lld answers may be off by more than 1 %% (std, rms) or 2 %% (var), because the table's sums are rounded; "
            "`sat query IMAGE` computes them from the pixels",
            (long long)a.imprecise);
    if (ok && job->common->verbose)
        say(input_name(input), "ready after %.1f ms, answers took %.1f ms", 1e3 * (ready - start),
            1e3 * (clock_now_s() - ready));
    answers_source_close(&a);
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
    const unsigned long long infinite = answers_infinite(to);
    if (infinite > 0 && !job->common->quiet)
        say(output_name(job->output), "%llu value%s inf, which JSON writes as null; CSV and .npy hold %s", infinite,
            infinite > 1 ? "s are" : " is", infinite > 1 ? "them" : "it");
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
