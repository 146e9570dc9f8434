/* stream_rows.c - bands of rows through stages of filters.
 *
 * step() filters a band, reads the rows of the next one and writes the one before, side by side.  What a stage's
 * filters see lies in a ring: rows of the file, or results of the stage before, which are made as they are asked for
 * (fill()).  Its mask lies in a ring beside it.  A ring has room for twice the rows of a band and its windows, so that
 * each row is moved once at most. */

#include "stream_parts.h"

#include <stdlib.h>

#include "convert.h"
#include "image_memory.h"
#include "mask_rows.h"
#include "messages.h"
#include "sat_image.h"

/* Bytes of a band for each thread, and of all; and the least rows, whatever a row's bytes are. */
enum { BAND_EACH = 2 << 20, BAND_MOST = 16 << 20, BAND_ROWS = 64, BLOCK_ROWS = 8, NARROW = 256 };

/* Rows of results in a band, from images whose rows have so many bytes at most. */
static int64_t band_of(int64_t height, size_t row_bytes, int threads)
{
    const int64_t most = threads > 0 ? threads : sat_processors(), all = most * BAND_EACH;
    const bool narrow = row_bytes <= NARROW; /* whole images of few columns are filtered as their transpose */
    int64_t rows = (all < BAND_MOST && !narrow ? all : BAND_MOST) / (int64_t)row_bytes / BLOCK_ROWS * BLOCK_ROWS;
    if (rows < BAND_ROWS) rows = BAND_ROWS;
    return rows < height ? rows : height;
}

/* Rows of what filters see, with alpha. */
static image seen(const stream *s, void *data, int64_t rows)
{
    image img = *job_head(&s->from);
    img.type = s->sample, img.data = data, img.height = rows;
    img.row_bytes = sat_row_bytes(img.width, img.channels, img.type);
    return img;
}

static size_t seen_row_bytes(const stream *s)
{
    const image img = seen(s, NULL, 1);
    return image_line_bytes(&img);
}

/* ---- rows that a stage holds --------------------------------------------------------------------------- */

/* Rows [base, end) of an image, bands interleaved by line.  Numbers below 0, and of the image's height and more, are
 * taken modulo the height. */
typedef struct ring {
    char *bytes;
    size_t row_bytes;
    int64_t capacity, base, end;
} ring;

typedef struct work {
    stream *s;
    int64_t height, band;
    int stages;
    ring rows[STREAM_STAGES];
    ring mask[STREAM_STAGES];    /* of a stage's rows, a byte for each pixel; without bytes there is none */
    mask_rows file;              /* of which the first one is made */
    char *part;                  /* rows of the file that are to be light, */
    int64_t part_n;              /* so many at a time */
    int64_t next[STREAM_STAGES]; /* the row behind those that a stage has made */
    char *made[2][SAT_OUTPUTS];  /* bands of results */
    int64_t first, end;          /* of the band that is filtered */
    int64_t ahead;               /* rows of the source up to that one are to be read */
    int64_t written, write_end;  /* rows of the band that is written */
    int side;                    /* which of `made` is filtered into */
    uint64_t bytes;              /* of memory that all take */
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
    return f->is->needs(f->object, first, end, from, to) == SAT_OK || fail(err, "%s", sat_detail());
}

static sat_view mask_view(const work *w, char *rows, int64_t n)
{
    const image *head = w->s->head;
    const image mask = {.data = rows,
                        .width = head->width,
                        .height = n,
                        .channels = 1,
                        .planes = head->planes,
                        .type = SAT_U8,
                        .row_bytes = (size_t)head->width};
    return image_lines_view(&mask);
}

static sat_view source_view(const work *w, int stage, int64_t y, int64_t n)
{
    const stream *s = w->s;
    char *data = row_at(&w->rows[stage], y);
    const image rows = stage > 0 ? stream_made(s, 0, data, n) : seen(s, data, n);
    sat_view v = image_lines_view(&rows);
    v.pixel_bytes = rows.channels * (ptrdiff_t)sat_type_bytes(rows.type);
    v.channels = s->head->channels;
    return v;
}

/* Rows [y, y + n) of the image, as light. */
static bool read_light(work *w, int64_t y, int64_t n, char *to, error *err)
{
    const stream *s = w->s;
    image rows = s->from.from->head;
    for (const int64_t end = y + n; y < end; y += n, to += (size_t)n * w->rows[0].row_bytes) {
        n = end - y < w->part_n ? end - y : w->part_n;
        const image light = seen(s, to, n);
        rows.data = w->part, rows.height = n;
        const sat_view from = image_lines_view(&rows), made = image_lines_view(&light);
        if (!row_source_read(s->from.from, y, n, w->part, err)) return false;
        if (sat_light_from_srgb(s->light, &from, &made) != SAT_OK) return fail(err, "%s", sat_detail());
    }
    return true;
}

static bool run_stage(work *w, int stage, int64_t first, int64_t end, char *const *results, char *mask, error *err);

/* Rows up to `to` of a stage's source; of stages behind the first, with their mask. */
static bool fill(work *w, int stage, int64_t to, error *err)
{
    ring *r = &w->rows[stage], *mask = &w->mask[stage];
    const stream *s = w->s;
    for (int64_t n; r->end < to; r->end += n) {
        const int64_t y = modulo(r->end, w->height);
        char *at = row_at(r, r->end);
        n = to - r->end < w->height - y ? to - r->end : w->height - y;
        if (stage > 0 && n > w->band) n = w->band;
        const bool ok = stage > 0
                            ? run_stage(w, stage - 1, y, y + n, &at, mask->bytes ? row_at(mask, mask->end) : NULL, err)
                        : s->light ? read_light(w, y, n, at, err)
                                   : row_source_read(s->from.from, y, n, at, err);
        if (!ok) return false;
        if (stage > 0) mask->end += n;
    }
    return true;
}

/* Rows of the first stage's mask up to `to`, where its source is: 1 where a pixel counts, else 0. */
static bool fill_mask(work *w, int64_t to, error *err)
{
    const stream *s = w->s;
    ring *r = &w->mask[0];
    for (int64_t n; r->bytes && r->end < to; r->end += n) {
        const int64_t y = modulo(r->end, w->height);
        n = to - r->end < w->height - y ? to - r->end : w->height - y;
        const sat_view made = mask_view(w, row_at(r, r->end), n);
        if (!mask_rows_read(&w->file, y, &made, err)) return false;
        if (!s->alpha_clears) continue;
        const image rows = seen(s, row_at(&w->rows[0], r->end), n);
        const sat_view alpha = image_channels_view(&rows, rows.channels - 1, 1);
        if (sat_mask_clear(&made, &alpha, 1) != SAT_OK) return fail(err, "%s", sat_detail());
    }
    return true;
}

/* Rows [first, end) of a stage's results, and of the next one's mask, or NULL. */
static bool run_stage(work *w, int stage, int64_t first, int64_t end, char *const *results, char *mask, error *err)
{
    stream *s = w->s;
    const stream_stage *g = &s->stage[stage];
    const bool last = stage == w->stages - 1;
    ring *rows = &w->rows[stage], *masks = &w->mask[stage];
    int64_t from, to;
    if (!needs(w, stage, first, end, &from, &to, err)) return false;
    if (stage > 0) {
        make_room(rows, from, to);
        make_room(masks, from, to);
        if (!fill(w, stage, to, err)) return false;
    }
    const bool masked = masks->bytes;
    const sat_view src = source_view(w, stage, from, to - from);
    const sat_view counting = masked ? mask_view(w, row_at(masks, from), to - from) : (sat_view){.width = 0};
    sat_view views[SAT_OUTPUTS];
    for (int k = 0; k < (last ? s->results : 1); k++) {
        const image made = stream_made(s, k, results[k], end - first);
        views[k] = image_lines_view(&made);
    }
    sat_run_options run = {.mask = masked ? &counting : NULL};
    if (w->band < w->height) {
        run.first_row = first, run.rows = end - first;
        run.continues = first > 0 && w->next[stage] == first;
    }
    const sat_view next = mask_view(w, mask, end - first);
    if (!stream_filter_rows(s, g, last, &src, views, run, err)) return false;
    if (mask && !stream_filter_mask(g, &counting, &next, run, err)) return false;
    w->next[stage] = end;
    return true;
}

/* ---- bands --------------------------------------------------------------------------------------------- */

/* Rows of the file that results [first, end) of the last stage are made of. */
static bool source_rows(const work *w, int64_t first, int64_t end, int64_t *from, int64_t *to, error *err)
{
    for (int stage = w->stages - 1; stage >= 0; stage--) {
        if (!needs(w, stage, first, end, from, to, err)) return false;
        first = *from > 0 ? *from : 0, end = *to < w->height ? *to : w->height;
    }
    return true;
}

static bool filter_band(work *w, error *err)
{
    return run_stage(w, w->stages - 1, w->first, w->end, w->made[w->side], NULL, err);
}

static bool read_ahead(work *w, error *err)
{
    return fill(w, 0, w->ahead, err) && fill_mask(w, w->ahead, err);
}

static bool write_band(work *w, error *err)
{
    stream *s = w->s;
    const int64_t n = w->write_end - w->written;
    for (int i = 0; i < s->results && n > 0; i++) {
        image rows = stream_made(s, i, w->made[!w->side][i], n);
        rows.height *= image_planes(&rows), rows.planes = 0; /* as each is stored by itself */
        if (!stream_store(s, i, &rows, err)) return false;
        const sat_view view = image_view(&rows);
        stream_note_range(s, i, &view, 1);
        if (!s->to[i].format || row_sink_write(&s->to[i], rows.data, n, err)) continue;
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
    const char *how = to->format ? to->opt->compression : NULL;
    return to->format && to->format->compressions && !(how && strcmp(how, "none") == 0);
}

/* Filters a band, reads the rows of the next, and writes the one before. */
static bool step(work *w, error *err)
{
    ring *held = &w->rows[0];
    int64_t from = 0, to = 0, next_from;
    const int64_t end_row = w->s->end, end = w->end + w->band < end_row ? w->end + w->band : end_row;
    if (!source_rows(w, w->first, w->end, &from, &to, err)) return false;
    w->ahead = to;
    if (w->end < end_row && !source_rows(w, w->end, end, &next_from, &w->ahead, err)) return false;
    if (w->ahead < to) w->ahead = to;
    make_room(held, from, w->ahead);
    make_room(&w->mask[0], from, w->ahead);
    if (!fill(w, 0, to, err) || !fill_mask(w, to, err)) return false;
    sat_parallel(w->s->threads, w->writes_alone ? 2 : 3, do_task, w);
    if (w->writes_alone) do_task(w, 2, 0);
    for (int i = 0; i < 3; i++) {
        if (!w->failed[i]) continue;
        if (i < 2) w->s->at_output = -1; /* not the writer's, which may have failed, too */
        return fail(err, "%s", w->why[i].text);
    }
    return true;
}

/* The most rows that a stage's source holds for a band. */
static bool most_rows(const work *w, int stage, int64_t *most, error *err)
{
    int64_t from, to;
    *most = 0;
    const int64_t end_row = w->s->end;
    for (int64_t y = w->s->first; y < end_row; y += w->band) {
        const int64_t end = y + w->band < end_row ? y + w->band : end_row;
        if (!(stage ? needs(w, stage, y, end, &from, &to, err) : source_rows(w, y, end, &from, &to, err))) return false;
        if (to - from > *most) *most = to - from;
    }
    return true;
}

/* The rows that each ring holds, and the memory of all. */
static bool plan_rings(work *w, error *err)
{
    stream *s = w->s;
    const int sides = w->band < w->height ? 2 : 1;
    const image *head = &s->from.from->head;
    const image_shape shape = image_shape_of(head);
    uint64_t all = s->bytes + s->from.from->memory_bytes;
    for (int i = 0; i < s->results; i++) {
        const image_shape result = image_shape_of(&s->head[i]);
        all += (uint64_t)(sides * w->band) * stream_made_bytes(s, i);
        if (s->to[i].format) all += row_sink_bytes(s->to[i].format, &result, s->to[i].opt, s->to[i].out);
    }
    for (int stage = 0; stage < w->stages; stage++) {
        ring *r = &w->rows[stage];
        int64_t most;
        if (!most_rows(w, stage, &most, err)) return false;
        r->row_bytes = stage ? stream_made_bytes(s, 0) : seen_row_bytes(s);
        r->capacity = sides == 1 ? most : 2 * most + w->band;
        if (r->capacity > w->height + most) r->capacity = w->height + most;
        if (stage > 0 ? s->stage[stage - 1].mask.object != NULL : s->masked)
            w->mask[stage] = (ring){.row_bytes = (size_t)(head->width * image_planes(head)), .capacity = r->capacity};
        all += (uint64_t)r->capacity * (r->row_bytes + w->mask[stage].row_bytes);
    }
    const size_t line = image_line_bytes(head);
    w->part_n = image_cache_rows(line, w->height);
    const uint64_t back = (uint64_t)w->band * line; /* a part of which is made of light at a time */
    if (s->light) all += (uint64_t)w->part_n * line + (back < IMAGE_PART_BYTES ? back : IMAGE_PART_BYTES);
    all += mask_rows_bytes(s->from.mask);
    if (!image_memory_allows(&shape, all, err)) return false;
    memory_take(s->from.share, all);
    w->bytes = all;
    return true;
}

static void say_bands(const work *w)
{
    const stream *s = w->s;
    char text[32];
    if (s->j->verbose && w->band < w->height)
        say(input_name(s->from.from->path), "in bands of %lld rows, which take %s with the rows of their windows",
            (long long)w->band, size_text(text, (double)w->bytes));
}

static bool open_ring(ring *r, error *err)
{
    return r->row_bytes == 0 || (r->bytes = memory_rows(r->capacity, r->row_bytes, err));
}

static bool open_rings(work *w, error *err)
{
    const stream *s = w->s;
    if (!plan_rings(w, err)) return false;
    say_bands(w);
    for (int i = 0; i < w->stages; i++)
        if (!open_ring(&w->rows[i], err) || !open_ring(&w->mask[i], err)) return false;
    if ((s->light && !(w->part = memory_rows(w->part_n, image_line_bytes(&s->from.from->head), err))) ||
        !mask_rows_open(&w->file, s->from.mask, err))
        return false;
    const int sides = w->band < w->height ? 2 : 1;
    for (int i = 0; i < s->results * sides; i++)
        if (!(w->made[i % sides][i / sides] = memory_rows(w->band, stream_made_bytes(s, i / sides), err))) return false;
    return true;
}

/* Every stage's filters. */
static bool open_stages(stream *s, error *err)
{
    size_t most = seen_row_bytes(s);
    for (int i = 0; i < s->results; i++)
        if (stream_made_bytes(s, i) > most) most = stream_made_bytes(s, i);
    s->band = band_of(s->end - s->first, most, s->threads);
    for (int pass = 0; pass < s->passes; pass++)
        if (!s->open(s, pass, &s->stage[pass], err)) return false;
    return true;
}

static bool begin_results(stream *s, error *err)
{
    for (int i = 0; i < s->results; i++) {
        const row_sink to = s->to[i];
        s->at_output = i;
        if (to.format && !row_sink_begin(&s->to[i], to.format, to.head, to.opt, to.out, err)) return false;
    }
    s->at_output = -1;
    return true;
}

bool stream_run_rows(stream *s, error *err)
{
    bool ok = open_stages(s, err);
    work w = {.s = s,
              .stages = (int)s->passes,
              .height = s->from.from->head.height,
              .band = s->band,
              .first = s->first,
              .end = s->first};
    for (int i = 0; i < s->results; i++) w.writes_alone = w.writes_alone || compresses(&s->to[i]);
    ok = ok && open_rings(&w, err) && begin_results(s, err);
    for (; ok && w.first < s->end; w.first = w.end, w.side = !w.side) {
        w.end = w.first + w.band < s->end ? w.first + w.band : s->end;
        ok = step(&w, err);
        w.written = w.first, w.write_end = w.end;
        progress_more(&s->spent->item, (double)(w.end - w.first) / (double)(s->end - s->first));
    }
    ok = ok && write_band(&w, err);
    for (int i = 0; ok && i < s->results; i++) {
        s->at_output = i;
        ok = !s->to[i].format || row_sink_end(&s->to[i], err);
    }
    if (ok) s->at_output = -1;
    for (int i = 0; i < STREAM_STAGES; i++) free(w.rows[i].bytes), free(w.mask[i].bytes);
    free(w.part);
    mask_rows_close(&w.file);
    for (int i = 0; i < s->results; i++) free(w.made[0][i]), free(w.made[1][i]);
    return ok;
}
