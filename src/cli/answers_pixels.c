/* answers_pixels.c - rectangles are summed from an image in memory, or from the rows of a file, some that fit a cache
 * at a time. */
#include "answers_pixels.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "image_memory.h"
#include "messages.h"
#include "sat_image.h"
#include "sat_rects.h"

enum { BAND_BYTES = 2 << 20 };

/* Memory for rectangles, within what --max-memory leaves for them. */
typedef struct rects_memory {
    uint64_t taken, left; /* taken: by what is beside them */
    bool refused;
} rects_memory;

static void *take(void *context, size_t bytes, sat_memory_kind kind)
{
    rects_memory *m = context;
    (void)kind;
    if (bytes > m->left) {
        m->refused = true;
        return NULL;
    }
    m->left -= bytes;
    return memory_allocate(bytes);
}

static void release(void *context, void *data, size_t bytes, sat_memory_kind kind)
{
    rects_memory *m = context;
    (void)kind;
    m->left += bytes;
    free(data);
}

/* Beside the rows and the answers. */
static rects_memory memory_for(const answers_pixels *p, size_t n, const sat_statistics *ask)
{
    const size_t values = (size_t)ask->outputs * sizeof *ask->output->values + (ask->sums ? sizeof *ask->sums : 0);
    const uint64_t bands = (uint64_t)image_bands(answers_pixels_head(p)),
                   taken = p->bytes + n * (bands * values + sizeof *ask->areas_f64), limit = memory_limit();
    return (rects_memory){.taken = taken, .left = taken < limit ? limit - taken : 0};
}

/* A limit that is enough, in MiB: for a chunk's object, as sat_rects.h says what that takes, or for the whole image. */
static uint64_t enough_mib(const answers_pixels *p, const rects_chunk *chunk, uint64_t taken)
{
    enum { OBJECT_BYTES = 4 << 10, RECT_BYTES = 100, REAL_BYTES = 720, WHOLE_BYTES = 80 };
    const uint64_t bands = (uint64_t)image_bands(answers_pixels_head(p)),
                   each = RECT_BYTES + bands * (chunk->real ? REAL_BYTES : WHOLE_BYTES),
                   rows = taken + OBJECT_BYTES + chunk->n * each;
    return ((p->whole_bytes && p->whole_bytes < rows ? p->whole_bytes : rows) >> 20) + 1;
}

static sat_status create(const answers_pixels *p, const valid_samples *valid, const rects_chunk *chunk,
                         const sat_statistics *ask, const sat_allocator *allocator, sat_rects **r)
{
    const image *head = answers_pixels_head(p);
    const sat_rects_spec spec = {.width = head->width,
                                 .height = head->height,
                                 .count = image_planes(head),
                                 .channels = head->channels,
                                 .sample = head->type,
                                 .masked = valid && valid_masked(valid),
                                 .allocator = allocator};
    return sat_rects_create(r, &spec, chunk->whole, chunk->real, chunk->n, ask);
}

sat_status answers_pixels_check(const answers_pixels *p, const rects_chunk *chunk, const sat_statistics *ask)
{
    const sat_statistics nothing = {.flags = ask->flags, .threads = 1};
    sat_rects *r;
    const sat_status status = create(p, NULL, chunk, &nothing, NULL, &r);
    sat_rects_destroy(&r);
    return status;
}

/* ---- rows of a file ------------------------------------------------------------------------------------ */

/* The next rows from `from` on, `to` at most. */
static bool read_rows(answers_pixels *p, int64_t from, int64_t to, sat_view *rows, sat_view *counts, error *err)
{
    image part = p->from.head;
    const int64_t most = from + p->band - (from + p->band) % p->from.step;
    if (to > from + p->band) to = most > from ? most : from + p->band;
    part.height = to - from, part.data = p->rows;
    if (!row_source_read(&p->from, from, to - from, p->rows, err)) return false;
    *rows = image_lines_view(&part);
    part.data = p->counts, part.type = SAT_U8, part.channels = 1, part.row_bytes = (size_t)part.width;
    *counts = image_lines_view(&part);
    return !p->mask.count || mask_rows_read(&p->counting, from, counts, err);
}

/* A pipe is opened once, and may hold a mask that has no rows. */
static bool is_file(const char *path)
{
    struct stat st;
    return strcmp(path, "-") != 0 && stat(path, &st) == 0 && S_ISREG(st.st_mode);
}

bool answers_pixels_rows(answers_pixels *p, const valid_choice *choice, const decode_options *decode, bool verbose,
                         bool *serves, error *err)
{
    const image *head = &p->from.head;
    const image_shape shape = image_shape_of(head);
    *serves = !choice->mask || is_file(choice->mask);
    if (*serves && !mask_files_open(&p->mask, choice, head, decode->threads, err)) return false;
    *serves = *serves && !p->mask.whole;
    if (!*serves) {
        mask_files_close(&p->mask);
        return true;
    }
    const int64_t step = p->from.step;
    const size_t row = image_line_bytes(head), mask_row = (size_t)(head->width * image_planes(head));
    p->band = BAND_BYTES / (int64_t)row;
    p->band = p->band > step ? p->band - p->band % step : step;
    if (p->band > head->height) p->band = head->height;
    uint64_t all = p->from.memory_bytes + (uint64_t)p->band * row;
    if (p->mask.count) all += mask_rows_bytes(&p->mask) + (uint64_t)p->band * mask_row;
    if (!image_memory_allows(&shape, all, err)) return false;
    memory_take(&decode->memory->share, all);
    p->bytes = all;
    if (verbose)
        say(input_name(p->from.path),
            "no table is made: the rectangles are summed from the pixels, %lld rows at a time", (long long)p->band);
    return (p->rows = memory_rows(p->band, row, err)) &&
           (!p->mask.count ||
            (mask_rows_open(&p->counting, &p->mask, err) && (p->counts = memory_rows(p->band, mask_row, err))));
}

/* ---- all rows that are needed -------------------------------------------------------------------------- */

bool answers_pixels_end(answers_pixels *p, error *err)
{
    const int64_t last = p->from.head.height - 1;
    if (!p->rows || !p->from.in_order || p->read > last) return true;
    p->read = last + 1;
    p->failed = !row_source_read(&p->from, last, 1, p->rows, err);
    return !p->failed;
}

sat_status answers_pixels_ask(answers_pixels *p, valid_samples *valid, const rects_chunk *chunk,
                              const sat_statistics *ask, error *err)
{
    sat_rects *r;
    sat_view rows, counts = image_view(&valid->mask);
    int64_t from = 0, to = 0;
    if (p->whole.data) {
        const sat_view all = image_view(&p->whole);
        const sat_run_options run = {.mask = counts.data ? &counts : NULL};
        return chunk->real ? sat_image_statistics_f64(&all, chunk->real, chunk->n, ask, &run)
                           : sat_image_statistics(&all, chunk->whole, chunk->n, ask, &run);
    }
    rects_memory memory = memory_for(p, chunk->n, ask);
    const uint64_t left = memory.left;
    const sat_allocator allocator = {.allocate = take, .release = release, .context = &memory};
    sat_status status = create(p, valid, chunk, ask, &allocator, &r);
    if (status == SAT_ERR_MEMORY && memory.refused) {
        char most[32];
        fail(err,
             "%zu rectangle%s%s take%s more than the %s that --max-memory leaves beside rows and answers; %lluM is "
             "enough",
             chunk->n, chunk->n > 1 ? "s" : "", chunk->real ? " with fractions" : "", chunk->n > 1 ? "" : "s",
             size_text(most, (double)left), (unsigned long long)enough_mib(p, chunk, memory.taken));
        return SAT_ERR_FILE;
    }
    while (status == SAT_OK && sat_rects_needs(r, &from, &to) == SAT_OK && from < to) {
        if (!read_rows(p, from, to, &rows, &counts, err)) {
            status = SAT_ERR_FILE;
            break;
        }
        image read = p->from.head;
        read.data = p->rows;
        valid_say_transparent(valid, &read, 0, rows.height, p->from.path);
        const sat_run_options run = {.first_row = from, .mask = valid_masked(valid) ? &counts : NULL};
        status = sat_rects_run(r, &rows, &run);
        p->read = from + rows.height;
    }
    if (status == SAT_OK && !answers_pixels_end(p, err)) status = SAT_ERR_FILE;
    p->failed = status == SAT_ERR_FILE;
    sat_rects_destroy(&r);
    return status;
}

void answers_pixels_close(answers_pixels *p)
{
    row_source_close(&p->from);
    mask_files_close(&p->mask);
    image_free(&p->whole);
    free(p->rows);
    mask_rows_close(&p->counting);
    free(p->counts);
}
