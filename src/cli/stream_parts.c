#include "stream_parts.h"

#include "image_memory.h"
#include "sat_image.h"

int64_t stream_band_rows(const stream *s)
{
    return s->band < job_head(&s->from)->height ? s->band : 0;
}

sat_status stream_make(stream *s, const stream_operation *o, const void *spec, stream_filter *f, error *err)
{
    const image_shape shape = image_shape_of(job_head(&s->from));
    sat_bytes bytes;
    sat_status status = SAT_OK;
    *f = (stream_filter){.is = o, .results = 1};
    if (s->measures || !s->from.img) {
        status = o->make(spec, &bytes, &f->object);
        s->bytes += job_object_bytes(status, &bytes);
    }
    if (s->measures) return SAT_OK;
    if (status == SAT_ERR_MEMORY && !image_memory_allows(&shape, s->bytes, err)) return status;
    status = o->make(spec, NULL, &f->object);
    if (status != SAT_OK) fail(err, "%s", sat_detail());
    return status;
}

static void free_filter(stream_filter *f)
{
    if (f->object) f->is->destroy(f->object);
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

/* Of rows that the stage's first filter needs, those that f needs. */
static sat_view rows_for(const stream_filter *f, const stream_filter *first, const sat_view *rows,
                         const sat_run_options *run)
{
    sat_view v = *rows;
    const int64_t end = run->first_row + run->rows;
    int64_t from, to, begin, unused;
    if (f == first || run->rows == 0 || f->is->needs(f->object, run->first_row, end, &from, &to) != SAT_OK ||
        first->is->needs(first->object, run->first_row, end, &begin, &unused) != SAT_OK)
        return v;
    const image all = {.data = v.data, .height = v.height, .row_bytes = (size_t)v.row_bytes};
    v.data = image_rows_view(&all, from - begin, to - from).data;
    v.height = to - from;
    return v;
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
        sat_run_options own = run;
        const sat_view from = rows_for(f, g->filter, src, &run);
        const sat_view mask = run.mask ? rows_for(f, g->filter, run.mask, &run) : (sat_view){.width = 0};
        if (run.mask) own.mask = &mask;
        if (f->is->run(f->object, &from, views, &own) != SAT_OK) return fail(err, "%s", sat_detail());
        add(&s->counts.clipped, counts.clipped);
        add(&s->counts.moved, counts.moved);
        for (int k = 0; last && k < f->results; k++) add(&s->counts.empty[f->result[k]], counts.empty[k]);
    }
    return true;
}

bool stream_filter_mask(const stream_stage *g, const sat_view *from, const sat_view *to, sat_run_options run,
                        error *err)
{
    const sat_view first = sat_view_image(from, 0), made = sat_view_image(to, 0);
    run.mask = &first;
    if (g->mask.is->run(g->mask.object, &first, &made, &run) != SAT_OK) return fail(err, "%s", sat_detail());
    view_repeat_first(to);
    return true;
}

bool stream_store(stream *s, int i, image *rows, error *err)
{
    if (s->store && !s->store(s, i, rows, err)) return false;
    if (s->named) job_store(s->j, s->named, rows, &s->stored);
    return true;
}

void stream_note_range(stream *s, int i, const sat_view *rows, int threads)
{
    double low, high;
    if (!s->ranges[i] || s->low[i] < s->high[i] || sat_image_range(rows, threads, &low, &high) != SAT_OK) return;
    if (low < s->low[i]) s->low[i] = low;
    if (high > s->high[i]) s->high[i] = high;
}

image stream_made(const stream *s, int i, void *data, int64_t rows)
{
    image made = s->head[i];
    made.type = s->made[i], made.data = data, made.height = rows;
    made.row_bytes = sat_row_bytes(made.width, made.channels, made.type);
    return made;
}

size_t stream_made_bytes(const stream *s, int i)
{
    const image made = stream_made(s, i, NULL, 1);
    return image_line_bytes(&made);
}
