/* box_valid.c - a box filter of an image in which some samples do not count.
 *
 * A pass makes the means of what counts.  Where too few samples count, its result is the value for no data, else NaN,
 * else 0.  No other result is that value.  So the next pass, and a reader of the file, can tell what counts.  Where
 * there is no value, the next pass has a mask: the same pass over an image of ones, whose empty results are 0. */
#include <string.h>

#include "job.h"
#include "messages.h"
#include "progress.h"
#include "sat_image.h"

typedef struct work {
    const job *j;
    const char *input;
    int threads;
    valid_samples valid;
    sat_counts *counts; /* moved: of all passes; empty: of the last */
} work;

sat_window_spec job_pass_spec(const job *j, const valid_samples *valid, const image_shape *from, int64_t pass,
                              bool by_value, const sat_window_output *mean, int threads)
{
    sat_window_spec spec = {.width = from->width,
                            .height = from->height,
                            .channels = from->channels,
                            .count = from->planes,
                            .sample = from->type,
                            .window_width = j->window_width,
                            .window_height = j->window_height,
                            .border = j->border,
                            .anchor = pass % 2 ? SAT_ANCHOR_FIRST : SAT_ANCHOR_SECOND,
                            .outputs = 1,
                            .output = mean,
                            .masked = valid_masked(valid),
                            .keep_holes = j->keep_holes,
                            .min_valid = j->windows.min_valid,
                            .threads = threads,
                            .backend = j->backend};
    if (by_value) {
        spec.skip_nan = valid->skip_nan;
        spec.has_nodata = valid->has_nodata;
        spec.empty_set = spec.avoid_empty = valid->has_nodata && sat_type_holds(mean->result, valid->nodata);
        spec.nodata = spec.empty = valid->nodata;
    }
    for (int c = 0; c < spec.channels; c++) spec.border_value[c] = j->border_value[j->border_values > 1 ? c : 0];
    return spec;
}

void job_say_valid(const job *j, const char *input, const char *note)
{
    say(input_name(input), "means of what counts, window %lldx%lld px, %lld pass%s; %s", (long long)j->window_width,
        (long long)j->window_height, (long long)j->passes, j->passes > 1 ? "es" : "", note);
}

/* Means of what counts in `from`, into an image of as many channels.  ones: the border's value is 1. */
static bool run_pass(const work *w, int64_t pass, const sat_view *from, const image *to, bool by_value, bool ones,
                     sat_counts *counts, error *err)
{
    const job *j = w->j;
    const valid_samples *valid = &w->valid;
    const sat_window_output mean = {.statistic = "mean", .result = to->type};
    const image_shape shape = {.width = from->width,
                               .height = from->height,
                               .channels = from->channels,
                               .planes = (int)from->count,
                               .type = from->type};
    sat_window_spec spec = job_pass_spec(j, valid, &shape, pass, by_value, &mean, w->threads);
    for (int c = 0; ones && c < 4; c++) spec.border_value[c] = 1;
    sat_window *window;
    const sat_status status = sat_window_create(&window, &spec);
    if (status != SAT_OK)
        return fail(err, "%s%s%s", sat_detail(),
                    status == SAT_ERR_UNAVAILABLE ? ", by which boxes leave out samples that do not count" : "",
                    status == SAT_ERR_UNAVAILABLE && by_value ? "; --nodata none takes all" : "");
    if (pass == 0 && !ones && j->verbose) job_say_valid(j, w->input, sat_window_note(window));
    const sat_view mask = image_view(&valid->mask), result = image_view(to);
    const sat_run_options how = {.counts = counts, .mask = spec.masked ? &mask : NULL};
    const bool ok = sat_window_run(window, from, NULL, &result, &how) == SAT_OK || fail(err, "%s", sat_detail());
    sat_window_destroy(&window);
    return ok;
}

/* The mask of the results of that pass that are not empty. */
static bool next_mask(work *w, int64_t pass, const image *img, error *err)
{
    image ones = {0}, made = {0};
    sat_counts unused;
    bool ok = image_alloc_like(&ones, img, 1, SAT_U8, err) && image_alloc_like(&made, img, 1, SAT_U8, err);
    if (ok) {
        memset(ones.data, 1, (size_t)image_samples(&ones));
        const sat_view from = image_view(&ones);
        ok = run_pass(w, pass, &from, &made, false, true, &unused, err);
    }
    if (ok) image_exchange(&w->valid.mask, &made);
    image_free(&ones);
    image_free(&made);
    return ok;
}

static bool passes(work *w, image *img, int channels, times *spent, error *err)
{
    const job *j = w->j;
    const bool by_value = w->valid.skip_nan || w->valid.has_nodata;
    const sat_type type = job_result_type(j, img->type);
    image other = {0};
    bool ok = true;
    for (int64_t pass = 0; ok && pass < j->passes; pass++) {
        sat_counts counts;
        job_stage(j, spent, "compute");
        ok = other.data || image_alloc_like(&other, img, channels, type, err);
        const sat_view from = image_channels_view(img, 0, channels);
        ok = ok && run_pass(w, pass, &from, &other, by_value, false, &counts, err);
        if (!ok) break;
        w->counts->empty[0] = counts.empty[0];
        w->counts->moved += counts.moved;
        image_exchange(img, &other);
        if (other.type != img->type || other.channels != img->channels) image_free(&other);
        if (pass + 1 == j->passes) break;
        if (by_value) {
            valid_free(&w->valid);                                             /* of its mask */
            if (w->valid.has_nodata && !sat_type_holds(type, w->valid.nodata)) /* NaN stands for it */
                w->valid.has_nodata = false, w->valid.skip_nan = true;
        } else
            ok = next_mask(w, pass, img, err);
    }
    image_free(&other);
    return ok;
}

bool job_box_valid(const job *j, const char *input, image *img, valid_samples *valid, int threads, times *spent,
                   sat_counts *counts, error *err)
{
    const bool has_alpha = image_has_alpha(img);
    const int channels = img->channels - has_alpha;
    work w = {.j = j, .input = input, .threads = threads, .valid = *valid, .counts = counts};
    *valid = (valid_samples){.nodata = 0};
    bool ok = j->border_values <= 1 || j->border_values == channels ||
              fail(err, "--border %s has %d values, but the image has %d channel%s", j->border, j->border_values,
                   channels, channels > 1 ? "s beside alpha" : " beside alpha");
    char nodata[NODATA_TEXT_BYTES];
    valid_nodata_text(&w.valid, job_result_type(j, img->type), nodata);
    ok = ok && passes(&w, img, channels, spent, err);
    if (ok) {
        memcpy(img->meta.nodata, nodata, sizeof nodata);
        if (has_alpha && !j->quiet)
            say(input_name(input), "the result is without alpha%s",
                j->alpha == ALPHA_STRAIGHT ? "" : "; pixels whose alpha is 0 do not count");
    }
    valid_free(&w.valid);
    return ok;
}
