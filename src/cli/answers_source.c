/* answers_source.c - opens a table, or an image: whose rectangles are summed from its rows, or from a table. */
#include "answers_source.h"

#include <stdlib.h>
#include <string.h>

#include "image.h"
#include "input.h"
#include "messages.h"
#include "rounding.h"
#include "sample_type.h"

/* ---- the table ------------------------------------------------------------------------------------ */

answers_ask answers_ask_of(const answers_job *job)
{
    answers_ask ask = {.backend = job->common->backend, .threads = job->common->threads};
    for (int s = 0; s < job->stats_n; s++) {
        ask.variances = ask.variances || job->stats[s].variance;
        ask.roots = ask.roots || (job->stats[s].squares && !job->stats[s].variance);
        ask.answer_bytes += job->stats[s].area ? 0 : sizeof(double); /* a sat_sum has as many */
    }
    return ask;
}

bool answers_need_squares(const answers_job *job)
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
    const image_shape shape = image_shape_of(img);
    const sat_plan_spec spec = answers_plan_spec(&a->ask, &shape, c->accum, power);
    bool ok = false;
    if (sat_plan_create(&plan, &spec) != SAT_OK) return fail(err, "%s", sat_detail());
    sat_view view = {.width = img->width + 1, .height = img->height + 1, .channels = img->channels};
    view.type = sat_plan_accum(plan), view.count = image_planes(img);
    if (!view_alloc(&view, "its table", err)) goto out;
    a->tables[power - 1] = view.data;
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

/* What is of images alone is refused of a table. */
static bool takes_options(const answers_job *job, error *err)
{
    const channel_choice *c = &job->decode.channels;
    const char *given = c->gray                   ? "--gray"
                        : c->name || c->number    ? "--channel"
                        : job->decode.page        ? "--page"
                        : job->valid.mask         ? "--mask"
                        : job->valid.nodata_given ? "--nodata"
                                                  : NULL;
    return !given || fail(err, "%s is for images, and this is a table", given);
}

static bool open_table(const answers_job *job, input_file *in, const rects *from, answers_source *a, error *err)
{
    sat_file_info info;
    bool certain = job->decode.array == ARRAY_TABLE;
    a->source = in->file;
    in->file = (source){0};
    if (!open_file(job, a, &info, err) || !takes_options(job, err)) return false;
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
    if (answers_need_squares(job) && sat_file_squares(a->file, &a->squares) != SAT_OK)
        return fail(err, "a table of sums alone, without the squares that --stat needs: `sat IMAGE -o TABLE.npy "
                         "--moments 1,2` makes one with both, and `sat query IMAGE` needs none");
    if (strchr(info.moment, '0') && sat_file_counts(a->file, &a->counts) != SAT_OK)
        return fail(err, "%s", sat_detail());
    a->valid.has_nodata = info.has_nodata && info.nodata == info.nodata;
    a->valid.skip_nan = a->counts.view.data && !a->valid.has_nodata;
    a->valid.nodata = info.nodata;
    if (!job->common->quiet)
        rounding_say(input_name(a->input), &a->table, &a->squares,
                     a->table.view.height - (a->table.layout == SAT_PADDED), NULL);
    if (job->common->verbose)
        say(input_name(a->input), "%s table of %s, %s samples%s", sat_layout_name(a->table.layout), info.entry,
            sat_type_name(a->table.sample), a->counts.view.data ? ", and the counts of the samples that count" : "");
    return true;
}

/* ---- the pixels ----------------------------------------------------------------------------------- */

/* What open_whole() holds beside the pixels. */
static uint64_t table_bytes(const image_shape *shape, const void *context)
{
    const answers_source *a = context;
    const answers_choice c = answers_choose(&a->ask, a->from, shape);
    const uint64_t mask =
        (uint64_t)shape->width * (uint64_t)shape->height * (uint64_t)(shape->planes > 1 ? shape->planes : 1);
    uint64_t all = c.table ? c.table_bytes : a->ask.holes ? mask : 0;
    return __builtin_add_overflow(all, (uint64_t)c.answers_bytes, &all) ? UINT64_MAX : all;
}

/* Which samples count; the pixels are summed if it may be not all of them. */
static bool choose_valid(const answers_job *job, const valid_choice *choice, const image *img,
                         const decode_options *given, bool verbose, answers_source *a, answers_ask *ask, error *err)
{
    sat_backend_info info;
    if (!valid_of_image(&a->valid, choice, img, a->input, given->threads, verbose, err)) return false;
    if (job->common->quiet) a->valid.by_alpha = false;
    ask->holes = valid_has_mask(&job->valid) || !valid_all(&a->valid);
    for (size_t i = 0; ask->holes && ask->backend && sat_backend_entry(i, &info); i++)
        if (info.device && strcmp(info.name, ask->backend) == 0)
            return fail(err, "--backend %s: samples that do not count are left out on the CPU alone", ask->backend);
    return true;
}

/* Can all be answered from rows, without a table of the image?  A stream is read once.  Rectangles of which there may
 * be any number are asked of an image in memory, if that is allowed. */
static bool takes_rows(const decode_options *decode, const answers_ask *ask, answers_source *a)
{
    const row_source *from = &a->pixels.from;
    const image_shape shape = image_shape_of(&from->head);
    const answers_choice c = answers_choose(ask, a->from, &shape);
    const bool twice = is_float_type(shape.type) && ask->variances;
    if (c.forced) return false;
    if (from->in_order) return c.one_chunk && !twice;
    if ((c.known && !c.dense) || shape.width > decode->max_pixels / shape.height) return true;
    const uint64_t working = table_bytes(&shape, a), beside = working > from->whole_bytes ? working : from->whole_bytes;
    if (c.image_bytes < 0x1p62) a->pixels.whole_bytes = (uint64_t)c.image_bytes + beside;
    return c.image_bytes + (double)beside > (double)memory_limit();
}

/* Opens the image's rows, if they serve: *serves. */
static bool open_rows(const answers_job *job, const decode_options *decode, answers_source *a, bool *serves, error *err)
{
    answers_ask ask = answers_ask_of(job);
    valid_choice choice = job->valid;
    choice.mask = choice.own_mask = NULL;
    *serves = false;
    if (!choose_valid(job, &choice, &a->pixels.from.head, decode, job->common->verbose, a, &ask, err)) return false;
    if (!takes_rows(decode, &ask, a)) return true;
    if (!answers_pixels_rows(&a->pixels, &job->valid, decode, job->common->verbose, serves, err)) return false;
    a->by_pixels = *serves, a->valid.masked = *serves && valid_has_mask(&job->valid);
    return true;
}

static bool open_whole(const answers_job *job, input_file *in, const decode_options *decode, const rects *from,
                       bool verbose, answers_source *a, error *err)
{
    image img = {0};
    valid_choice choice = job->valid;
    choice.quiet = choice.quiet || !verbose;
    bool ok = in->file.bytes ? image_decode(&in->file, decode, &img, NULL, err)
                             : row_source_image(&a->pixels.from, decode, &img, err);
    source_close(&in->file);
    const image_shape shape = image_shape_of(&img);
    answers_ask ask = answers_ask_of(job);
    ok = ok && choose_valid(job, &choice, &img, decode, verbose && job->common->verbose, a, &ask, err);
    if (ok) valid_say_transparent(&a->valid, &img, 0, img.height, a->input);
    const answers_choice c = ok ? answers_choose(&ask, from, &shape) : (answers_choice){.table = false};
    if (ok && c.table) ok = build(job, &img, &c, 1, a, err);
    if (ok && !c.pixels && answers_need_squares(job)) ok = build(job, &img, &c, 2, a, err);
    if (ok && job->common->verbose) answers_choice_say(&c, input_name(a->input));
    a->by_pixels = ok && c.pixels;
    if (a->by_pixels) {
        a->pixels.whole = img;
        return true;
    }
    a->meta = img.meta;
    img.meta = (image_meta){0};
    image_free(&img);
    return ok;
}

static bool open_image(const answers_job *job, input_file *in, const decode_options *decode, const rects *from,
                       answers_source *a, error *err)
{
    const bool has_rows = !in->file.bytes && !a->pixels.from.whole;
    bool serves = false;
    if (job->assume_given) return fail(err, "--layout and --sample are for tables, and this is none");
    if (job->verify) return fail(err, "--verify is for tables, and this is none");
    if (has_rows && !open_rows(job, decode, a, &serves, err)) return false;
    if (!serves && !open_whole(job, in, decode, from, !has_rows, a, err)) return false;
    const image_meta *meta = a->by_pixels ? &answers_pixels_head(&a->pixels)->meta : &a->meta;
    if (meta->note[0] && !job->common->quiet) say(input_name(a->input), "%s", meta->note);
    return true;
}

/* ---- either ---------------------------------------------------------------------------------------- */

/* What is asked, a table or pixels. */
static void describe(answers_source *a)
{
    const sat_view *t = &a->table.view;
    const bool padded = a->table.layout == SAT_PADDED;
    const image *img = a->by_pixels ? answers_pixels_head(&a->pixels) : NULL;
    a->width = img ? img->width : t->width - padded;
    a->height = img ? img->height : t->height - padded;
    a->planes = img ? image_planes(img) : t->count > 1 ? (int)t->count : 1;
    a->channels = img ? image_bands(img) : a->planes * t->channels;
    a->sums = !img ? t->type : is_float_type(img->type) ? SAT_F64 : is_signed_type(img->type) ? SAT_I64 : SAT_U64;
}

bool answers_source_open(answers_source *a, const answers_job *given, const char *input, rects *from, error *err)
{
    input_file in;
    answers_job of_input = *given, *job = &of_input;
    *a = (answers_source){.input = input, .decode = job->decode, .ask = answers_ask_of(job), .from = from};
    a->memory = (image_memory){.work = table_bytes, .context = a};
    a->decode.planes_from = 2, a->decode.takes_nodata = !job->valid.nodata_given;
    a->decode.memory = &a->memory;
    bool ok = input_open_rows(&in, &a->pixels.from, input, &a->decode, err);
    if (ok && !in.is_table) rects_look(from); /* a table waits for no rectangle */
    ok = ok && (in.is_table || valid_find_own(&job->valid, input, &a->pixels.from.head.meta, a->decode.page,
                                              job->common->verbose, err));
    a->ask.holes = valid_has_mask(&job->valid);
    ok = ok && (in.is_table ? open_table(job, &in, from, a, err) : open_image(job, &in, &a->decode, from, a, err));
    source_close(&in.file);
    a->own_mask = job->valid.own_name;
    if (ok) describe(a);
    return ok;
}

void answers_source_close(answers_source *a)
{
    sat_file_close(&a->file);
    source_close(&a->source);
    free(a->tables[0]);
    free(a->tables[1]);
    answers_pixels_close(&a->pixels);
    meta_free(&a->meta);
    valid_free(&a->valid);
    free(a->own_mask);
    memory_keep(&a->memory.share, 0);
}
