/* stream_image.c - a decoded image through stages of filters, one after the other.
 *
 * Two images are held while a box's pass computes; one while a result is encoded. */
#include "stream_parts.h"

#include <stdlib.h>

#include "sat_image.h"

static bool to_light(const stream *s, error *err)
{
    image light;
    if (!s->light) return true;
    if (!image_alloc_like(&light, s->from.img, s->from.img->channels, s->sample, err)) return false;
    const sat_view from = image_view(s->from.img), to = image_view(&light);
    const bool ok = sat_light_from_srgb(s->light, &from, &to) == SAT_OK || fail(err, "%s", sat_detail());
    image_exchange(s->from.img, &light);
    image_free(&light);
    return ok;
}

/* The mask of the next pass takes the place of this one's. */
static bool next_mask(stream *s, const stream_stage *g, error *err)
{
    image made = {0};
    bool ok = true;
    if (g->mask.object) {
        ok = image_alloc_like(&made, &s->mask, 1, SAT_U8, err);
        const sat_view from = image_view(&s->mask), to = image_view(&made);
        ok = ok && stream_filter_mask(g, &from, &to, (sat_run_options){.rows = 0}, err);
    }
    image_exchange(&s->mask, &made);
    image_free(&made);
    return ok;
}

/* A pass from the image to made; the image is made[0] where another follows. */
static bool run_pass(stream *s, int64_t pass, image made[], error *err)
{
    stream_stage *g = &s->stage[0];
    const bool last = pass == s->passes - 1;
    image *img = s->from.img;
    sat_view results[SAT_OUTPUTS];
    bool ok = true;
    for (int i = 0; ok && i < s->results; i++) {
        ok = made[i].data || image_alloc_like(&made[i], img, s->head[i].channels, s->made[i], err);
        results[i] = image_view(&made[i]);
    }
    ok = ok && s->open(s, pass, g, err);
    const sat_view src = image_channels_view(img, 0, s->head->channels), mask = image_view(&s->mask);
    const sat_run_options run = {.mask = s->mask.data ? &mask : NULL};
    if (!ok || !stream_filter_rows(s, g, last, &src, results, run, err)) return false;
    if (last) return true;
    image_exchange(img, &made[0]);
    if (made[0].type != img->type || made[0].channels != img->channels) image_free(&made[0]);
    return next_mask(s, g, err);
}

static bool encode(stream *s, int i, image *made, error *err)
{
    const row_sink *to = &s->to[i];
    if (!stream_store(s, i, made, err)) return false;
    const sat_view first = image_rows_view(made, 0, 1), all = image_view(made);
    stream_note_range(s, i, &first, 1); /* mostly its samples differ already */
    stream_note_range(s, i, &all, s->threads);
    s->at_output = i;
    made->meta = s->head[i].meta;
    made->bilevel = s->head[i].bilevel;
    const bool ok = to->format->encode(made, to->opt, to->out, err);
    made->meta = (image_meta){0}; /* is borrowed */
    image_free(made);
    if (ok) s->at_output = -1;
    return ok;
}

bool stream_run_image(stream *s, error *err)
{
    image made[SAT_OUTPUTS] = {{0}};
    bool ok = to_light(s, err);
    for (int64_t pass = 0; ok && pass < s->passes; pass++) {
        if (pass > 0) job_stage(s->j, s->spent, "compute");
        ok = run_pass(s, pass, made, err);
    }
    stream_stage_free(&s->stage[0]);
    image_free(&s->mask);
    free(s->from.img->data); /* its metadata is still to be written */
    s->from.img->data = NULL;
    if (ok) job_stage(s->j, s->spent, "encode");
    const double start = clock_now_s();
    for (int i = 0; ok && i < s->results; i++) ok = encode(s, i, &made[i], err);
    s->spent->encode_s = clock_now_s() - start;
    for (int i = 0; i < s->results; i++) image_free(&made[i]);
    return ok;
}
