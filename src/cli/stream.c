#include "stream.h"

#include <float.h>
#include <stdlib.h>

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

const char *stream_refuses(const job *j, const row_source *from, const char *output)
{
    const image_format *format = job_format(j, output);
    const bool part = j->end_row > 0; /* is held until it is encoded, where the format is not written by rows */
    if (from->whole) return from->whole;
    if (!format || !(format->writes_rows || part)) return "the output's format is written whole";
    if (!stream_backend(j->backend)) return "the backend makes no rows";
    return from->in_order && stream_border_repeats(j->border) ? "its last rows come first, and it is a pipe" : NULL;
}

/* How results are encoded. */
static encode_options encoding_of(const stream *s)
{
    const row_source *from = s->from.from;
    encode_options encode = {.quality = s->j->quality,
                             .compression = s->j->compression,
                             .threads = s->threads,
                             .tile_width = (uint32_t)from->tile_width,
                             .tile_height = (uint32_t)from->tile_height};
    if (s->from.img) encode.progress = (io_progress){progress_more, &s->spent->item}; /* rows count as they are made */
    return encode;
}

bool stream_write_to(stream *s, int i, const char *output, error *err)
{
    const job *j = s->j;
    s->to[i] = (row_sink){.format = job_format(j, output), .head = &s->head[i]};
    s->to[i].opt = &s->encode, s->encode = encoding_of(s);
    if (!sink_open(&s->sink[i], output, &(sink_options){.no_clobber = j->no_clobber}, err)) return false;
    s->to[i].out = s->sink[i];
    return true;
}

bool stream_run(stream *s, error *err)
{
    s->at_output = -1;
    s->counts = (sat_counts){.clipped = -1, .moved = -1};
    for (int i = 0; i < s->results; i++) {
        image *head = &s->head[i];
        head->data = NULL, head->height = s->end - s->first;
        head->row_bytes = sat_row_bytes(head->width, head->channels, head->type);
        s->low[i] = DBL_MAX, s->high[i] = -DBL_MAX;
        s->counts.empty[i] = -1;
    }
    job_stage(s->j, s->spent, "compute");
    return (s->from.img ? stream_run_image : stream_run_rows)(s, err);
}

stream *stream_new(const job *j, const job_source *from, int threads, times *spent, error *err)
{
    stream *s = calloc(1, sizeof *s);
    if (!s) fail_memory(err, "out of memory");
    if (!s) return NULL;
    s->j = j, s->from = *from, s->threads = threads, s->passes = j->passes;
    s->spent = spent, s->begun = clock_now_s();
    s->first = j->first_row, s->end = j->end_row > 0 ? j->end_row : job_head(from)->height;
    s->at_output = -1;
    return s;
}

uint64_t stream_measure(const job *j, image *head, sat_type made, int threads,
                        bool (*open)(stream *s, int64_t pass, stream_stage *g, error *err), void *context)
{
    error refused; /* is said when the image is filtered */
    times spent = {0};
    int unused;
    stream *s = stream_new(j, &(job_source){.img = head}, threads, &spent, &refused);
    if (!s) return 0;
    s->measures = true, s->context = context;
    *s->head = *head, s->sample = head->type, *s->made = made;
    const uint64_t bytes = open(s, 0, s->stage, &refused) ? s->bytes : 0;
    stream_end(s, false, &unused, &refused);
    return bytes;
}

bool stream_end(stream *s, bool ok, int *at_output, error *err)
{
    for (int i = 0; ok && i < s->results; i++) {
        s->at_output = i;
        ok = !s->sink[i] || sink_commit(&s->sink[i], err);
    }
    *at_output = s->at_output;
    s->spent->compute_s = clock_now_s() - s->begun - s->spent->encode_s;
    for (int i = 0; i < STREAM_STAGES; i++) stream_stage_free(&s->stage[i]);
    for (int i = 0; i < SAT_OUTPUTS; i++) row_sink_free(&s->to[i]), sink_abort(&s->sink[i]);
    image_free(&s->mask);
    free(s);
    return ok;
}
