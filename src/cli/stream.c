/* stream.c - bands of rows through stages of filters.
 *
 * step() filters a band, reads the rows of the next one and writes the one before, side by side.  What a stage's
 * filters see lies in a ring: rows of the file, or results of the stage before, which are made as they are asked for
 * (fill()). A ring has room for twice the rows of a band and its windows, so that each row is moved once at most. */
#include "stream.h"

#include <float.h>
#include <stdlib.h>

#include "image_memory.h"
#include "sat_image.h"

enum { MASK_BYTES = 1 << 18 }; /* of a mask's file that are read at a time */

/* Bytes of a band for each thread, and of all; and the least rows, whatever a row's bytes are. */
enum { BAND_EACH = 2 << 20, BAND_MOST = 16 << 20, BAND_ROWS = 64, BLOCK_ROWS = 8, NARROW = 256 };

int64_t stream_band(int64_t height, size_t row_bytes, int threads)
{
    const int64_t most = threads > 0 ? threads : sat_processors(), all = most * BAND_EACH;
    const bool narrow = row_bytes <= NARROW; /* whole images of few columns are filtered as their transpose */
    int64_t rows = (all < BAND_MOST && !narrow ? all : BAND_MOST) / (int64_t)row_bytes / BLOCK_ROWS * BLOCK_ROWS;
    if (rows < BAND_ROWS) rows = BAND_ROWS;
    return rows < height ? rows : height;
}

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

bool stream_allows(stream *s, sat_status status, const sat_bytes *bytes, error *err)
{
    const image_shape shape = image_shape_of(&s->from->head);
    s->bytes += job_object_bytes(status, bytes);
    return image_memory_allows(&shape, s->bytes, err);
}

/* ---- rows that a stage holds --------------------------------------------------------------------------- */

/* Rows [base, end) of an image.  Numbers below 0, and of the image's height and more, are taken modulo the height. */
typedef struct ring {
    char *bytes;
    size_t row_bytes;
    int64_t capacity, base, end;
} ring;

typedef struct work {
    stream *s;
    int64_t height, band;
    int threads;
    ring rows[STREAM_STAGES];
    ring mask;                   /* of the first stage's rows, a byte for each pixel */
    char *mask_part;             /* rows of the mask's file, */
    int64_t mask_rows;           /* so many at a time */
    int64_t next[STREAM_STAGES]; /* the row behind those that a stage has made */
    char *made[2][SAT_OUTPUTS];  /* bands of results */
    int64_t first, end;          /* of the band that is filtered */
    int64_t ahead;               /* rows of the source up to that one are to be read */
    int64_t written, write_end;  /* rows of the band that is written */
    int side;                    /* which of `made` is filtered into */
    bool writes_alone;           /* it compresses, in as many threads as are idle */
    bool failed[3];
    error why[3];
} work;

static int64_t modulo(int64_t row, int64_t height)
{
    return (row % height + height) % height;
}

static char *row_at(const ring *r, int64_t row)
{
    return r->bytes + (size_t)(row - r->base) * r->row_bytes;
}

/* Rows [from, to) will be held; what lies before them may go. */
static void make_room(ring *r, int64_t from, int64_t to)
{
    if (from < r->base || from > r->end) r->base = r->end = from;
    if (to - r->base <= r->capacity) return;
    if (r->bytes && r->end > from) memmove(r->bytes, row_at(r, from), (size_t)(r->end - from) * r->row_bytes);
    r->base = from;
}

static bool needs(const work *w, int stage, int64_t first, int64_t end, int64_t *from, int64_t *to, error *err)
{
    const stream_filter *f = w->s->stage[stage].filter;
    return f->needs(f->object, first, end, from, to) == SAT_OK || fail(err, "%s", sat_detail());
}

static bool run_stage(work *w, int stage, int64_t first, int64_t end, char *const *results, error *err);

/* Rows up to `to` of a stage's source. */
static bool fill(work *w, int stage, int64_t to, error *err)
{
    ring *r = &w->rows[stage];
    for (int64_t n; r->end < to; r->end += n) {
        const int64_t y = modulo(r->end, w->height);
        char *at = row_at(r, r->end);
        n = to - r->end < w->height - y ? to - r->end : w->height - y;
        if (stage > 0 && n > w->band) n = w->band;
        if (stage > 0 ? !run_stage(w, stage - 1, y, y + n, &at, err) : !row_source_read(w->s->from, y, n, at, err))
            return false;
    }
    return true;
}

/* Rows of the mask up to `to`: 1 where one of its channels but alpha is not 0, else 0. */
static bool fill_mask(work *w, int64_t to, error *err)
{
    ring *r = &w->mask;
    row_source *mask = w->s->mask;
    for (int64_t n; mask && r->bytes && r->end < to; r->end += n) {
        const int64_t y = modulo(r->end, w->height);
        image rows = mask->head;
        n = to - r->end < w->height - y ? to - r->end : w->height - y;
        if (n > w->mask_rows) n = w->mask_rows;
        rows.height = n, rows.data = w->mask_part;
        const sat_view set = image_channels_view(&rows, 0, rows.channels - image_has_alpha(&rows));
        const sat_view made = {
            .data = row_at(r, r->end), .width = rows.width, .height = n, .channels = 1, .type = SAT_U8};
        memset(made.data, 1, (size_t)n * r->row_bytes);
        error why;
        if (!row_source_read(mask, y, n, w->mask_part, &why)) return fail(err, "--mask %s: %s", mask->path, why.text);
        if (sat_mask_clear(&made, &set, 1) != SAT_OK) return fail(err, "%s", sat_detail());
    }
    return true;
}

static void add_counts(sat_counts *to, const sat_counts *more)
{
    int64_t *sum = &to->clipped;
    const int64_t *term = &more->clipped;
    for (size_t i = 0; i < sizeof *to / sizeof *sum; i++)
        if (term[i] > 0) sum[i] += term[i];
}

/* Rows [first, end) of a stage's results. */
static bool run_stage(work *w, int stage, int64_t first, int64_t end, char *const *results, error *err)
{
    stream_stage *g = &w->s->stage[stage];
    const image *head = &w->s->from->head;
    ring *r = &w->rows[stage];
    int64_t from, to;
    if (!needs(w, stage, first, end, &from, &to, err)) return false;
    if (stage > 0) {
        make_room(r, from, to);
        if (!fill(w, stage, to, err)) return false;
    }
    const sat_view src = {.data = row_at(r, from),
                          .width = head->width,
                          .height = to - from,
                          .channels = g->channels,
                          .type = g->sample,
                          .pixel_bytes = (ptrdiff_t)(r->row_bytes / (size_t)head->width),
                          .row_bytes = (ptrdiff_t)r->row_bytes};
    const sat_view mask = {.data = w->s->mask && stage == 0 ? row_at(&w->mask, from) : NULL,
                           .width = head->width,
                           .height = to - from,
                           .channels = 1,
                           .type = SAT_U8};
    const bool last = stage == w->s->stages - 1;
    for (int i = 0; i < g->filters; i++) {
        stream_filter *f = &g->filter[i];
        sat_view views[SAT_OUTPUTS];
        sat_counts counts;
        for (int k = 0; k < f->results; k++) {
            const image *made = &w->s->head[f->result[k]];
            views[k] = (sat_view){.data = results[f->result[k]],
                                  .width = head->width,
                                  .height = end - first,
                                  .channels = last ? made->channels : g->channels,
                                  .type = last ? made->type : w->s->stage[stage + 1].sample};
            views[k].row_bytes = (ptrdiff_t)sat_row_bytes(views[k].width, views[k].channels, views[k].type);
        }
        sat_run_options run = {.counts = &counts, .mask = mask.data ? &mask : NULL};
        if (w->band < w->height) {
            run.first_row = first, run.rows = end - first;
            run.continues = first > 0 && w->next[stage] == first;
        }
        if (f->run(f->object, &src, views, &run) != SAT_OK) return fail(err, "%s", sat_detail());
        add_counts(&f->counts, &counts);
    }
    w->next[stage] = end;
    return true;
}

/* ---- bands --------------------------------------------------------------------------------------------- */

/* Rows of the file that results [first, end) of the last stage are made of. */
static bool source_rows(const work *w, int64_t first, int64_t end, int64_t *from, int64_t *to, error *err)
{
    for (int stage = w->s->stages - 1; stage >= 0; stage--) {
        if (!needs(w, stage, first, end, from, to, err)) return false;
        first = *from > 0 ? *from : 0, end = *to < w->height ? *to : w->height;
    }
    return true;
}

static bool filter_band(work *w, error *err)
{
    return run_stage(w, w->s->stages - 1, w->first, w->end, w->made[w->side], err);
}

static bool read_ahead(work *w, error *err)
{
    return fill(w, 0, w->ahead, err) && fill_mask(w, w->ahead, err);
}

static void note_range(stream *s, int i, const sat_view *rows)
{
    double low, high;
    if (!s->ranges[i] || sat_image_range(rows, 1, &low, &high) != SAT_OK) return;
    if (low < s->low[i]) s->low[i] = low;
    if (high > s->high[i]) s->high[i] = high;
}

static bool write_band(work *w, error *err)
{
    stream *s = w->s;
    const int64_t n = w->write_end - w->written;
    for (int i = 0; i < s->results && n > 0; i++) {
        const char *rows = w->made[!w->side][i];
        const image *head = &s->head[i];
        const sat_view view = {.data = (void *)(uintptr_t)rows,
                               .width = head->width,
                               .height = n,
                               .channels = head->channels,
                               .type = head->type,
                               .row_bytes = (ptrdiff_t)head->row_bytes};
        note_range(s, i, &view);
        if (row_sink_write(&s->to[i], rows, n, err)) continue;
        s->at_output = i;
        return false;
    }
    return true;
}

static void do_task(void *context, int64_t index, int worker)
{
    static bool (*const tasks[])(work *, error *) = {filter_band, read_ahead, write_band};
    work *w = context;
    (void)worker;
    w->failed[index] = !tasks[index](w, &w->why[index]);
}

static bool compresses(const row_sink *to)
{
    const char *how = to->opt->compression;
    return to->format->compressions && !(how && strcmp(how, "none") == 0);
}

/* Filters a band, reads the rows of the next, and writes the one before. */
static bool step(work *w, error *err)
{
    ring *held = &w->rows[0];
    int64_t from = 0, to = 0, next_from;
    const int64_t end = w->end + w->band < w->height ? w->end + w->band : w->height;
    if (!source_rows(w, w->first, w->end, &from, &to, err)) return false;
    w->ahead = to;
    if (w->end < w->height && !source_rows(w, w->end, end, &next_from, &w->ahead, err)) return false;
    if (w->ahead < to) w->ahead = to;
    make_room(held, from, w->ahead);
    if (w->s->mask) make_room(&w->mask, from, w->ahead);
    if (!fill(w, 0, to, err) || !fill_mask(w, to, err)) return false;
    sat_parallel(w->threads, w->writes_alone ? 2 : 3, do_task, w);
    if (w->writes_alone) do_task(w, 2, 0);
    for (int i = 0; i < 3; i++)
        if (w->failed[i]) return fail(err, "%s", w->why[i].text);
    return true;
}

static bool allocate(char **data, int64_t rows, size_t row_bytes, error *err)
{
    size_t bytes;
    const bool fits = !__builtin_mul_overflow((size_t)rows, row_bytes, &bytes);
    *data = fits ? memory_allocate(bytes) : NULL;
    return *data || fail_memory(err, "out of memory: %lld rows of %zu bytes", (long long)rows, row_bytes);
}

/* The rows that each ring holds, and the memory of all. */
static bool plan_rings(work *w, error *err)
{
    stream *s = w->s;
    const int sides = w->band < w->height ? 2 : 1;
    const image_shape shape = image_shape_of(&s->from->head);
    uint64_t all = s->bytes + s->from->memory_bytes;
    for (int i = 0; i < s->results; i++) {
        const image_shape result = image_shape_of(&s->head[i]);
        all += (uint64_t)(sides * w->band) * s->head[i].row_bytes;
        all += row_sink_bytes(s->to[i].format, &result, s->to[i].opt, s->to[i].out);
    }
    for (int stage = 0; stage < s->stages; stage++) {
        ring *r = &w->rows[stage];
        int64_t from, to, most = 0;
        for (int64_t y = 0; y < w->height; y += w->band) {
            const int64_t end = y + w->band < w->height ? y + w->band : w->height;
            if (!(stage ? needs(w, stage, y, end, &from, &to, err) : source_rows(w, y, end, &from, &to, err)))
                return false;
            if (to - from > most) most = to - from;
        }
        const stream_stage *g = &s->stage[stage];
        r->row_bytes = stage ? sat_row_bytes(s->from->head.width, g->channels, g->sample) : s->from->head.row_bytes;
        r->capacity = sides == 1 ? most : 2 * most + w->band;
        if (r->capacity > w->height + most) r->capacity = w->height + most;
        all += (uint64_t)r->capacity * r->row_bytes;
    }
    if (s->mask) {
        w->mask = (ring){.row_bytes = (size_t)shape.width, .capacity = w->rows[0].capacity};
        w->mask_rows = MASK_BYTES / (int64_t)s->mask->head.row_bytes;
        if (w->mask_rows < 1) w->mask_rows = 1;
        all += (uint64_t)w->mask.capacity * w->mask.row_bytes + s->mask->memory_bytes;
        all += (uint64_t)w->mask_rows * s->mask->head.row_bytes;
    }
    if (!image_memory_allows(&shape, all, err)) return false;
    memory_take(s->share, all);
    return true;
}

static bool open_rings(work *w, error *err)
{
    const stream *s = w->s;
    if (!plan_rings(w, err)) return false;
    for (int i = 0; i < s->stages; i++)
        if (!allocate(&w->rows[i].bytes, w->rows[i].capacity, w->rows[i].row_bytes, err)) return false;
    if (s->mask && (!allocate(&w->mask.bytes, w->mask.capacity, w->mask.row_bytes, err) ||
                    !allocate(&w->mask_part, w->mask_rows, s->mask->head.row_bytes, err)))
        return false;
    for (int i = 0; i < s->results; i++)
        if (!allocate(&w->made[0][i], w->band, s->head[i].row_bytes, err) ||
            (w->band < w->height && !allocate(&w->made[1][i], w->band, s->head[i].row_bytes, err)))
            return false;
    return true;
}

bool stream_begin(stream *s, int i, const image_format *format, const encode_options *opt, sink *out, error *err)
{
    image *head = &s->head[i];
    head->data = NULL;
    head->row_bytes = sat_row_bytes(head->width, head->channels, head->type);
    return row_sink_begin(&s->to[i], format, head, opt, out, err);
}

bool stream_run(stream *s, int64_t band, int threads, times *spent, error *err)
{
    work w = {.s = s, .height = s->from->head.height, .band = band, .threads = threads};
    s->at_output = -1;
    for (int i = 0; i < s->results; i++) w.writes_alone = w.writes_alone || compresses(&s->to[i]);
    for (int i = 0; i < s->results; i++) s->low[i] = DBL_MAX, s->high[i] = -DBL_MAX;
    bool ok = open_rings(&w, err);
    for (; ok && w.first < w.height; w.first = w.end, w.side = !w.side) {
        w.end = w.first + band < w.height ? w.first + band : w.height;
        ok = step(&w, err);
        w.written = w.first, w.write_end = w.end;
        progress_more(&spent->item, (double)(w.end - w.first) / (double)w.height);
    }
    ok = ok && write_band(&w, err);
    for (int i = 0; ok && i < s->results; i++) {
        s->at_output = i;
        ok = row_sink_end(&s->to[i], err);
    }
    if (ok) s->at_output = -1;
    for (int i = 0; i < s->stages; i++) free(w.rows[i].bytes);
    free(w.mask.bytes);
    free(w.mask_part);
    for (int i = 0; i < s->results; i++) free(w.made[0][i]), free(w.made[1][i]);
    return ok;
}

void stream_free(stream *s)
{
    for (int i = 0; i < s->stages; i++)
        for (int k = 0; k < s->stage[i].filters; k++) {
            stream_filter *f = &s->stage[i].filter[k];
            if (f->object) f->destroy(f->object);
        }
    for (int i = 0; i < s->results; i++) row_sink_free(&s->to[i]);
}
