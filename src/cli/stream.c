/* stream.c - stages of filters, whatever their rows lie in. */
#include <float.h>
#include <stdlib.h>

#include "image_memory.h"
#include "sat_image.h"
#include "stream_parts.h"

bool stream_border_repeats(const char *border)
{
    sat_border_info info;
    for (size_t i = 0; border && sat_border_at(i, &info); i++)
        if (strcmp(info.name, border) == 0) return info.repeats_all;
    return false;
}

bool stream_backend(const char *backend)
{
    sat_backend_info info;
    for (size_t i = 0; backend && sat_backend_entry(i, &info); i++)
        if (strcmp(info.name, backend) == 0) return info.filters && !info.device;
    return true;
}

bool stream_serves(const job *j, const row_source *from, const char *output)
{
    const image_format *format = j->format ? j->format : format_by_extension(output);
    if (from->whole || image_planes(&from->head) > 1 || !format || !format->writes_rows) return false;
    return stream_backend(j->backend) && !(from->in_order && stream_border_repeats(j->border));
}

int64_t stream_band_rows(const stream *s)
{
    return s->band < job_head(&s->from)->height ? s->band : 0;
}

bool stream_allows(stream *s, sat_status status, const sat_bytes *bytes, error *err)
{
    if (s->from.img) return true;
    const image_shape shape = image_shape_of(&s->from.from->head);
    s->bytes += job_object_bytes(status, bytes);
    return image_memory_allows(&shape, s->bytes, err);
}

void stream_write_to(stream *s, int i, const image_format *format, const encode_options *opt, sink *out)
{
    s->to[i] = (row_sink){.format = format, .head = &s->head[i], .opt = opt, .out = out};
}

static void free_filter(stream_filter *f)
{
    if (f->object) f->destroy(f->object);
}

void stream_stage_free(stream_stage *g)
{
    for (int i = 0; i < g->filters; i++) free_filter(&g->filter[i]);
    free_filter(&g->mask);
    *g = (stream_stage){.filters = 0};
}

static void add(int64_t *to, int64_t more)
{
    if (more >= 0) *to = (*to > 0 ? *to : 0) + more;
}

bool stream_filter_rows(stream *s, const stream_stage *g, bool last, const sat_view *src, const sat_view *results,
                        sat_run_options run, error *err)
{
    sat_counts counts;
    run.counts = &counts;
    for (int i = 0; i < g->filters; i++) {
        const stream_filter *f = &g->filter[i];
        sat_view views[SAT_OUTPUTS];
        for (int k = 0; k < f->results; k++) views[k] = results[f->result[k]];
        if (f->run(f->object, src, views, &run) != SAT_OK) return fail(err, "%s", sat_detail());
        add(&s->counts.clipped, counts.clipped);
        add(&s->counts.moved, counts.moved);
        for (int k = 0; last && k < f->results; k++) add(&s->counts.empty[f->result[k]], counts.empty[k]);
    }
    return true;
}

bool stream_filter_mask(const stream_stage *g, const sat_view *from, const sat_view *to, sat_run_options run,
                        error *err)
{
    run.mask = from;
    return g->mask.run(g->mask.object, from, to, &run) == SAT_OK || fail(err, "%s", sat_detail());
}

void stream_note_range(stream *s, int i, const sat_view *rows, int threads)
{
    double low, high;
    if (!s->ranges[i] || s->low[i] < s->high[i] || sat_image_range(rows, threads, &low, &high) != SAT_OK) return;
    if (low < s->low[i]) s->low[i] = low;
    if (high > s->high[i]) s->high[i] = high;
}

size_t stream_made_bytes(const stream *s, int i)
{
    return sat_row_bytes(s->head[i].width, s->head[i].channels, s->made[i]);
}

bool stream_run(stream *s, times *spent, error *err)
{
    s->at_output = -1;
    s->counts = (sat_counts){.clipped = -1, .moved = -1};
    for (int i = 0; i < s->results; i++) {
        image *head = &s->head[i];
        head->data = NULL;
        head->row_bytes = sat_row_bytes(head->width, head->channels, head->type);
        s->low[i] = DBL_MAX, s->high[i] = -DBL_MAX;
        s->counts.empty[i] = -1;
    }
    job_stage(s->j, spent, "compute");
    return (s->from.img ? stream_run_image : stream_run_rows)(s, spent, err);
}

stream *stream_new(const job *j, const job_source *from, int threads, error *err)
{
    stream *s = calloc(1, sizeof *s);
    if (!s) fail_memory(err, "out of memory");
    if (!s) return NULL;
    s->j = j, s->from = *from, s->threads = threads, s->passes = j->passes;
    s->at_output = -1;
    return s;
}

void stream_free(stream *s)
{
    for (int i = 0; i < STREAM_STAGES; i++) stream_stage_free(&s->stage[i]);
    for (int i = 0; i < s->results; i++) row_sink_free(&s->to[i]);
    image_free(&s->mask);
    free(s);
}
