#include "stream.h"

#include <float.h>
#include <stdlib.h>

#include "stream_image.h"
#include "stream_rows.h"

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
    const image_format *format = j->format ? j->format : format_by_extension(output);
    const bool part = j->end_row > 0; /* is held until it is encoded, where the format is not written by rows */
    if (from->whole) return from->whole;
    if (!format || !(format->writes_rows || part)) return "the output's format is written whole";
    if (!stream_backend(j->backend)) return "the backend makes no rows";
    return from->in_order && stream_border_repeats(j->border) ? "its last rows come first, and it is a pipe" : NULL;
}

void stream_write_to(stream *s, int i, const image_format *format, const encode_options *opt, sink *out)
{
    s->to[i] = (row_sink){.format = format, .head = &s->head[i], .opt = opt, .out = out};
}

bool stream_run(stream *s, times *spent, error *err)
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
    job_stage(s->j, spent, "compute");
    return (s->from.img ? stream_run_image : stream_run_rows)(s, spent, err);
}

stream *stream_new(const job *j, const job_source *from, int threads, error *err)
{
    stream *s = calloc(1, sizeof *s);
    if (!s) fail_memory(err, "out of memory");
    if (!s) return NULL;
    s->j = j, s->from = *from, s->threads = threads, s->passes = j->passes;
    s->first = j->first_row, s->end = j->end_row > 0 ? j->end_row : job_head(from)->height;
    s->at_output = -1;
    return s;
}

uint64_t stream_measure(const job *j, image *head, sat_type made, int threads,
                        bool (*open)(stream *s, int64_t pass, stream_stage *g, error *err), void *context)
{
    error refused; /* is said when the image is filtered */
    stream *s = stream_new(j, &(job_source){.img = head}, threads, &refused);
    if (!s) return 0;
    s->measures = true, s->context = context;
    *s->head = *head, s->sample = head->type, *s->made = made;
    const uint64_t bytes = open(s, 0, s->stage, &refused) ? s->bytes : 0;
    stream_free(s);
    return bytes;
}

void stream_free(stream *s)
{
    for (int i = 0; i < STREAM_STAGES; i++) stream_stage_free(&s->stage[i]);
    for (int i = 0; i < s->results; i++) row_sink_free(&s->to[i]);
    image_free(&s->mask);
    free(s);
}
