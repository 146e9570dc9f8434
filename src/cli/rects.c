/* rects.c - rectangles from a list, a grid or a file, in chunks, and how much of an image they read. */
#include "rects.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "rects_parts.h"

/* ---- a grid --------------------------------------------------------------------------------------- */

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static void next_cells(rects *r)
{
    const int64_t w = r->cell_width, h = r->cell_height;
    const int64_t columns = (r->image_width - 1) / w + 1, rows = (r->image_height - 1) / h + 1;
    /* Whole rows of cells, if they have room: no row of the image is then asked for in two chunks. */
    const int64_t most = columns < RECTS_CHUNK ? RECTS_CHUNK / columns * columns : RECTS_CHUNK;
    for (; (int64_t)r->chunk_n < most && (int64_t)r->given < columns * rows; r->given++) {
        const int64_t x = (int64_t)r->given % columns * w, y = (int64_t)r->given / columns * h;
        r->chunk.whole[r->chunk_n++] =
            (sat_rect){.x = x, .y = y, .width = least(w, r->image_width - x), .height = least(h, r->image_height - y)};
    }
}

/* An edge in whole pixels, down or up; one that is far outside of any image stays so. */
static int64_t edge(double at, bool up)
{
    static const double far = 0x1p60;
    if (!(at < far)) return (int64_t)far; /* NaN, too */
    if (at < -far) return (int64_t)-far;
    const int64_t whole = (int64_t)at; /* towards 0 */
    return up ? whole + ((double)whole < at) : whole - ((double)whole > at);
}

/* The whole pixels that it touches. */
static sat_rect rects_touched(const sat_rect_f64 *r)
{
    const int64_t x = edge(r->x, false), y = edge(r->y, false);
    return (sat_rect){
        .x = x, .y = y, .width = edge(r->x + r->width, true) - x, .height = edge(r->y + r->height, true) - y};
}

enum { OTHERS_BYTES = 8 << 20 }; /* of the other columns, beyond which a chunk ends */

/* ---- text: its lines ------------------------------------------------------------------------------ */

/* Reads on into the window, behind what is still unparsed.  False on an error. */
static bool refill(rects *r, error *err)
{
    if (r->begin > 0) memmove(r->window, r->window + r->begin, r->end - r->begin);
    r->end -= r->begin;
    r->begin = 0;
    if (r->end == RECTS_STREAM_BYTES)
        return fail(err, "line %lld: longer than %d bytes", (long long)r->line + 1, RECTS_STREAM_BYTES);
    ssize_t got;
    do got = read(r->fd, r->window + r->end, RECTS_STREAM_BYTES - r->end);
    while (got < 0 && errno == EINTR);
    if (got < 0) return fail_errno(err, "cannot be read");
    r->end += (size_t)got;
    r->at_end = got == 0;
    return true;
}

/* The next line without its end; *text = NULL after the last. */
static bool next_line(rects *r, const char **text, size_t *n, error *err)
{
    for (;;) {
        const char *from = r->text + r->begin;
        const char *stop = r->begin < r->end ? memchr(from, '\n', r->end - r->begin) : NULL;
        if (!stop && !r->at_end) {
            if (!refill(r, err)) return false;
            continue;
        }
        if (!stop && r->begin == r->end) {
            *text = NULL;
            return true;
        }
        *n = stop ? (size_t)(stop - from) : r->end - r->begin;
        r->begin += *n + (stop ? 1 : 0);
        r->line++;
        *text = from;
        return true;
    }
}

/* ---- text: a chunk -------------------------------------------------------------------------------- */

/* The first line that is neither blank nor a comment, from the first character that is no blank, or from its start. */
static bool begin(rects *r, const char *first, const char *text, const char *end, bool *is_header, error *err)
{
    if (!r->known) r->json = *first == '{' || *first == '[';
    return r->json || rects_begin_csv(r, text, end, is_header, err);
}

/* The columns are as before: a line is wrong again when all is handed out again. */
static bool forget(rects *r)
{
    r->others = 0;
    r->names.used = 0;
    return false;
}

static bool next_text(rects *r, error *err)
{
    r->rest.used = 0;
    while (r->chunk_n < RECTS_CHUNK && r->rest.used < OTHERS_BYTES) {
        const char *text, *first;
        size_t n;
        bool is_header = false;
        if (!next_line(r, &text, &n, err)) return false;
        if (!text) return r->said || fail(err, "no rectangles; a header, or a comment, says that there are none");
        const char *start = text, *end = text + n;
        if (r->line == 1 && n >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0) text += 3; /* byte order mark */
        while (end > text && (end[-1] == ' ' || end[-1] == '\r')) end--;
        for (first = text; first < end && rects_is_blank(*first);) first++;
        r->said = r->said || first < end;
        if (first == end || *first == '#') continue;
        rects_one rect;
        r->rest_at[r->chunk_n] = r->rest.used;
        bool ok = r->begun || begin(r, first, text, end, &is_header, err);
        if (ok && !is_header)
            ok = r->json ? rects_read_json(r, first, end, &rect, err) : rects_read_csv(r, text, end, &rect, err);
        if (!ok) return r->known ? false : forget(r);
        r->begun = r->known = true;
        if (is_header) continue;
        if (rects_put(r, &rect, r->line)) continue;
        r->begin = (size_t)(start - r->text);
        r->line--;
        return true;
    }
    return true;
}

/* ---- the interface -------------------------------------------------------------------------------- */

static bool allocate(rects **out, error *err)
{
    rects *r = *out = calloc(1, sizeof *r);
    if (!r) return fail(err, "out of memory");
    r->fd = -1;
    return true;
}

static bool open_stream(rects *r, const char *path, error *err)
{
    r->fd = strcmp(path, "-") == 0 ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
    if (r->fd < 0) return fail_errno(err, "cannot open");
    r->text = r->window = malloc(RECTS_STREAM_BYTES);
    return r->window ? true : fail(err, "out of memory");
}

/* The numbers of a mapped file are read once each: it may change meanwhile. */
static bool probe(const uint8_t *head, size_t n, uint64_t file_bytes, const void *context, bool *maps, error *err)
{
    npy_header h;
    (void)file_bytes, (void)context;
    *maps = npy_parse_header(&h, head, n, err);
    return *maps;
}

static bool is_npy(const char *path)
{
    uint8_t head[8];
    int fd = open(path, O_RDONLY | O_NOCTTY | O_CLOEXEC);
    ssize_t n = fd >= 0 ? read(fd, head, sizeof head) : -1;
    if (fd >= 0) close(fd);
    return n > 0 && npy_sniff(head, (size_t)n);
}

bool rects_open(rects **out, const char *path, bool again, error *err)
{
    struct stat st;
    bool there = strcmp(path, "-") != 0 && stat(path, &st) == 0;
    bool regular = there && S_ISREG(st.st_mode), is_dir = there && S_ISDIR(st.st_mode);
    bool ok = false;
    if (!allocate(out, err)) return false;
    rects *r = *out;
    r->kind = RECTS_TEXT;
    r->name = path;
    if (is_dir) {
        fail(err, "is a directory");
    } else if (regular && is_npy(path)) {
        ok = source_open_by(&r->file, path, probe, NULL, NULL, err) && rects_open_npy(r, err);
    } else if (!again) {
        ok = open_stream(r, path, err);
    } else if (source_open_list(&r->file, path, err)) {
        ok = true;
        if (npy_sniff(r->file.bytes, r->file.n)) {
            ok = rects_open_npy(r, err);
        } else {
            r->text = r->file.n > 0 ? (const char *)r->file.bytes : "";
            r->end = r->file.n;
            r->at_end = true;
        }
    }
    if (!ok) rects_close(out);
    return ok;
}

bool rects_from_list(rects **out, const rects_one *list, size_t n, error *err)
{
    if (!allocate(out, err)) return false;
    rects *r = *out;
    r->kind = RECTS_LIST;
    r->list = list;
    r->list_n = n;
    r->touched = calloc(n > 0 ? n : 1, sizeof *r->touched);
    for (size_t i = 0; r->touched && i < n; i++)
        r->touched[i] = list[i].is_real ? rects_touched(&list[i].real) : list[i].whole;
    if (r->touched) return true;
    rects_close(out);
    return fail(err, "out of memory");
}

bool rects_from_grid(rects **out, int64_t width, int64_t height, error *err)
{
    if (!allocate(out, err)) return false;
    (*out)->kind = RECTS_GRID;
    (*out)->cell_width = width;
    (*out)->cell_height = height;
    return true;
}

void rects_of_image(rects *r, int64_t width, int64_t height)
{
    r->image_width = width;
    r->image_height = height;
}

void rects_close(rects **out)
{
    rects *r = out ? *out : NULL;
    if (!r) return;
    if (r->file.bytes) source_close(&r->file);
    if (r->fd > STDIN_FILENO) close(r->fd);
    free(r->window);
    free(r->touched);
    free(r->names.bytes);
    free(r->rest.bytes);
    free(r);
    *out = NULL;
}

static void fill(rects *r)
{
    r->chunk_n = 0;
    if (r->deferred) return;
    switch (r->kind) {
    case RECTS_LIST:
        while (r->chunk_n < RECTS_CHUNK && r->given < r->list_n && rects_put(r, &r->list[r->given], 0)) r->given++;
        break;
    case RECTS_GRID: next_cells(r); break;
    case RECTS_TEXT: r->deferred = !next_text(r, &r->deferred_err); break;
    case RECTS_NPY: r->deferred = !rects_next_npy(r, &r->deferred_err); break;
    }
}

void rects_look(rects *r)
{
    if (r->held || (r->kind != RECTS_TEXT && r->kind != RECTS_NPY)) return;
    fill(r);
    r->held = true;
    r->held_all =
        r->deferred || (r->kind == RECTS_NPY ? (int64_t)r->given == r->npy.shape[0] : r->at_end && r->begin == r->end);
}

/* The chunk as it is handed out. */
static rects_chunk rects_chunk_of(const rects *r)
{
    return (rects_chunk){
        .n = r->chunk_n, .whole = r->real ? NULL : r->chunk.whole, .real = r->real ? r->chunk.real : NULL};
}

bool rects_next(rects *r, rects_chunk *chunk, error *err)
{
    if (!r->held) fill(r);
    r->held = r->held_all = false;
    if (r->deferred && r->chunk_n == 0) {
        *err = r->deferred_err;
        return false;
    }
    r->handed_out = true;
    *chunk = rects_chunk_of(r);
    return true;
}

bool rects_fix_columns(rects *r)
{
    bool some = r->kind == RECTS_NPY && rects_npy_fractions(r);
    for (size_t i = 0; r->kind == RECTS_LIST && i < r->list_n; i++) some = some || r->list[i].is_real;
    r->whole_only = !some;
    return some;
}

void rects_again(rects *r)
{
    r->given = 0;
    r->begin = 0;
    r->line = 0;
    r->begun = r->deferred = r->held = r->held_all = false;
}

bool rects_broken(const rects *r)
{
    return r->deferred && !r->held;
}

int rects_others(const rects *r)
{
    return r->handed_out ? r->others : 0;
}

const char *rects_other_names(const rects *r)
{
    return rects_others(r) > 0 ? r->names.bytes : NULL;
}

const char *rects_other_fields(const rects *r, size_t i)
{
    return rects_others(r) > 0 ? r->rest.bytes + r->rest_at[i] : NULL;
}

sat_rect rects_inside(const sat_rect *r, int64_t width, int64_t height)
{
    int64_t x0 = r->x > 0 ? r->x : 0, y0 = r->y > 0 ? r->y : 0, x1, y1;
    if (__builtin_add_overflow(r->x, r->width, &x1) || x1 > width) x1 = width;
    if (__builtin_add_overflow(r->y, r->height, &y1) || y1 > height) y1 = height;
    if (x0 >= x1 || y0 >= y1) return (sat_rect){0};
    return (sat_rect){.x = x0, .y = y0, .width = x1 - x0, .height = y1 - y0};
}

bool rects_listed(const rects *r, size_t *n)
{
    *n = r->list_n;
    return r->kind == RECTS_LIST;
}

const char *rects_name(const rects *r)
{
    return r->name;
}

const char *rects_where(const rects *r, size_t i, char *buffer)
{
    *buffer = 0;
    if (r->kind == RECTS_TEXT || r->kind == RECTS_NPY)
        snprintf(buffer, 48, "%s %lld: ", r->kind == RECTS_TEXT ? "line" : "row", (long long)r->lines[i]);
    return buffer;
}

/* ---- what they read of an image ------------------------------------------------------------------- */

static double rows_bytes(int64_t width, int64_t height, size_t pixel_bytes)
{
    const double row = (double)width * (double)pixel_bytes;
    return (double)height * (row > RECTS_LINE_BYTES ? row : RECTS_LINE_BYTES);
}

void rects_add_load(rects_load *load, const rects_chunk *chunk, int64_t width, int64_t height, size_t pixel_bytes)
{
    for (size_t i = 0; i < chunk->n; i++) {
        const sat_rect all = chunk->real ? rects_touched(&chunk->real[i]) : chunk->whole[i];
        const sat_rect r = rects_inside(&all, width, height);
        const int64_t px = r.width * r.height;
        load->bytes += rows_bytes(r.width, r.height, pixel_bytes);
        if (px > load->largest_px) load->largest_px = px;
    }
    load->n += (double)chunk->n;
}

/* The cells at the right and at the bottom count as if they were not cut. */
static void add_cells(rects_load *load, const rects *r, int64_t width, int64_t height, size_t pixel_bytes)
{
    const int64_t w = r->cell_width < width ? r->cell_width : width,
                  h = r->cell_height < height ? r->cell_height : height;
    load->n = (double)((width - 1) / w + 1) * (double)((height - 1) / h + 1);
    load->bytes = load->n * rows_bytes(w, h, pixel_bytes);
    load->largest_px = w * h;
}

bool rects_load_of(const rects *r, int64_t width, int64_t height, size_t pixel_bytes, rects_load *load)
{
    *load = (rects_load){.largest_px = 1};
    switch (r->kind) {
    case RECTS_GRID: add_cells(load, r, width, height, pixel_bytes); return true;
    case RECTS_LIST:
        rects_add_load(load, &(rects_chunk){.n = r->list_n, .whole = r->touched}, width, height, pixel_bytes);
        for (size_t i = 1; i < r->list_n; i++) load->mixed = load->mixed || r->list[i].is_real != r->list[0].is_real;
        return true;
    default: break;
    }
    if (!r->held_all) return false;
    const rects_chunk held = rects_chunk_of(r);
    rects_add_load(load, &held, width, height, pixel_bytes);
    return true;
}
