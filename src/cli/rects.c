#include "rects.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "npy_header.h"
#include "source.h"

enum {
    STREAM_BYTES = 1 << 20, /* the window on a stream; no line is longer */
    COLUMNS_MAX = 64,
    OTHERS_BYTES = 8 << 20, /* of the other columns, beyond which a chunk ends */
};

/* x1 and y1 stand for a width and a height. */
enum field { X, Y, W, H, X1, Y1, FIELDS, SIDES = 4 };

enum kind { LIST, GRID, CSV, NPY };

/* Strings one behind the other. */
typedef struct text_heap {
    char *bytes;
    size_t used, capacity;
} text_heap;

struct rects {
    enum kind kind;
    const char *name;     /* of the file; NULL for a list */
    const sat_rect *list; /* LIST: all of them */
    size_t list_n;
    size_t given;                                               /* LIST, GRID, NPY: handed out already */
    int64_t cell_width, cell_height, image_width, image_height; /* GRID, px */
    npy_header npy;                                             /* NPY: of the mapped file */

    /* CSV: text[begin..end) is what has been read and not yet parsed. */
    source file;
    int fd;
    bool at_end, begun;
    char *window;
    const char *text;
    size_t begin, end;
    int64_t line;
    char separator;                 /* a blank: any number of them */
    int columns;                    /* of each line */
    signed char field[COLUMNS_MAX]; /* which field a column is, -1 = none */
    bool by_corners[2];             /* x1 is given, and not w; y1, and not h */
    int others;                     /* columns that are no field */
    text_heap names, rest;          /* of the other columns: names; fields of the chunk */
    bool deferred;                  /* a line is wrong: the next call says so */
    error deferred_err;

    size_t chunk_n;
    sat_rect chunk[RECTS_CHUNK];
    int64_t lines[RECTS_CHUNK];
    size_t rest_at[RECTS_CHUNK]; /* where in rest the fields begin */
};

/* ---- lines ----------------------------------------------------------------------------------------- */

/* Reads on into the window, behind what is still unparsed.  False on an error. */
static bool refill(rects *r, error *err)
{
    if (r->begin > 0) memmove(r->window, r->window + r->begin, r->end - r->begin);
    r->end -= r->begin;
    r->begin = 0;
    if (r->end == STREAM_BYTES)
        return fail(err, "line %lld: longer than %d bytes", (long long)r->line + 1, STREAM_BYTES);
    ssize_t got;
    do got = read(r->fd, r->window + r->end, STREAM_BYTES - r->end);
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

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

/* What separates the fields of the first line, and so of all: a comma or a semicolon, else a tab, else blanks. */
static char find_separator(const char *text, const char *end)
{
    char found = ' ';
    bool quoted = false;
    for (; text < end; text++) {
        if (*text == '"') quoted = !quoted;
        if (!quoted && (*text == ',' || *text == ';')) return *text;
        if (!quoted && *text == '\t') found = '\t';
    }
    return found;
}

/* A field of a line, without blanks and quotes around it. */
typedef struct csv_field {
    const char *text;
    size_t n;
    bool quoted; /* a quote within it is doubled */
} csv_field;

/* The next field of [*at, end); *at moves behind its separator, or becomes NULL after the last.  False if it begins
 * with a quote and does not end with one; *at is NULL then if that is never closed. */
static bool next_field(char separator, const char **at, const char *end, csv_field *field)
{
    const char *from = *at;
    while (from < end && is_blank(*from) && (*from != separator || separator == ' ')) from++;
    bool quoted = from < end && *from == '"';
    const char *to = from += quoted;
    while (quoted && to < end && (*to != '"' || (to + 1 < end && to[1] == '"'))) to += *to == '"' ? 2 : 1;
    if (quoted && to == end) {
        *at = NULL;
        return false;
    }
    const char *stop = to + quoted;
    for (; stop < end && *stop != separator; stop++)
        if (quoted && !is_blank(*stop)) return false;
    if (!quoted)
        for (to = stop; to > from && is_blank(to[-1]);) to--;
    *at = stop < end ? stop + 1 : NULL;
    *field = (csv_field){.text = from, .n = (size_t)(to - from), .quoted = quoted};
    return true;
}

static bool read_int(const char *s, size_t n, int64_t *value)
{
    bool negative = n > 0 && *s == '-';
    size_t i = n > 0 && (*s == '-' || *s == '+');
    int64_t v = 0;
    if (i == n) return false;
    for (; i < n; i++) {
        int digit = s[i] - '0';
        if (digit < 0 || digit > 9 || __builtin_mul_overflow(v, 10, &v) || __builtin_sub_overflow(v, digit, &v))
            return false;
    }
    return negative ? (*value = v, true) : !__builtin_sub_overflow(0, v, value);
}

/* A whole number, also as other programs write it: 2.0, 2e+00 (NumPy's savetxt), up to 2^53. */
static bool read_whole(const char *s, size_t n, int64_t *value)
{
    static const double most = 9007199254740992.0;
    char text[64], *end;
    if (read_int(s, n, value)) return true;
    if (n == 0 || n >= sizeof text) return false;
    for (size_t i = 0; i < n; i++)
        if (!memchr("0123456789+-.eE", s[i], 15)) return false;
    memcpy(text, s, n);
    text[n] = '\0';
    double v = strtod(text, &end);
    if (*end || !(v >= -most && v <= most) || v != (double)(int64_t)v) return false;
    *value = (int64_t)v;
    return true;
}

/* Appends a field as it reads. */
static bool keep(text_heap *to, const csv_field *field, int64_t line, error *err)
{
    if (memchr(field->text, 0, field->n)) return fail(err, "line %lld: a zero byte", (long long)line);
    if (to->capacity - to->used <= field->n) {
        size_t capacity = 2 * to->capacity + field->n + 4096;
        char *grown = realloc(to->bytes, capacity);
        if (!grown) return fail(err, "out of memory");
        to->bytes = grown;
        to->capacity = capacity;
    }
    for (size_t i = 0; i < field->n; i++) {
        to->bytes[to->used++] = field->text[i];
        i += field->quoted && field->text[i] == '"';
    }
    to->bytes[to->used++] = 0;
    return true;
}

/* ---- CSV ------------------------------------------------------------------------------------------- */

/* at: where next_field() has stopped. */
static bool fail_quote(const rects *r, const char *at, error *err)
{
    return fail(err, "line %lld: %s", (long long)r->line,
                at ? "a quote is not at the end of its field"
                   : "a quote is not closed, and a field cannot hold the end of a line");
}

static const char *const field_names[FIELDS][2] = {[X] = {"x", "x0"},     [Y] = {"y", "y0"},   [W] = {"w", "width"},
                                                   [H] = {"h", "height"}, [X1] = {"x1", NULL}, [Y1] = {"y1", NULL}};

/* Which field is the column of that name? -1 = none. */
static int field_named(const csv_field *name)
{
    for (int f = 0; f < FIELDS; f++)
        for (int k = 0; k < 2; k++) {
            const char *known = field_names[f][k];
            if (known && strlen(known) == name->n && strncasecmp(name->text, known, name->n) == 0) return f;
        }
    return -1;
}

/* Are all four sides there, and each once? */
static bool check_header(rects *r, const int *seen, error *err)
{
    for (int f = 0; f < FIELDS; f++)
        if (seen[f] > 1) return fail(err, "line %lld: column %s is named twice", (long long)r->line, field_names[f][0]);
    for (int i = 0; i < 2; i++) {
        const char *start = field_names[X + i][0], *side = field_names[W + i][0], *end = field_names[X1 + i][0];
        r->by_corners[i] = seen[X1 + i] > 0;
        if (seen[X + i] == 0) return fail(err, "line %lld: the header names no column %s", (long long)r->line, start);
        if (seen[W + i] + seen[X1 + i] == 0)
            return fail(err, "line %lld: the header names no column %s or %s", (long long)r->line, side, end);
        if (seen[W + i] + seen[X1 + i] == 2)
            return fail(err, "line %lld: the header names both column %s and column %s", (long long)r->line, side, end);
    }
    return true;
}

static bool read_header(rects *r, const char *text, const char *end, error *err)
{
    int seen[FIELDS] = {0};
    csv_field name;
    for (r->columns = 0; text; r->columns++) {
        if (!next_field(r->separator, &text, end, &name)) return fail_quote(r, text, err);
        if (r->columns == COLUMNS_MAX)
            return fail(err, "line %lld: more than %d columns", (long long)r->line, COLUMNS_MAX);
        int f = field_named(&name);
        r->field[r->columns] = (signed char)f;
        if (f >= 0) {
            seen[f]++;
        } else {
            r->others++;
            if (!keep(&r->names, &name, r->line, err)) return false;
        }
    }
    return check_header(r, seen, err);
}

/* value[end] - value[start] */
static bool side_of(const rects *r, const int64_t *value, enum field start, enum field end, int64_t *side, error *err)
{
    if (!__builtin_sub_overflow(value[end], value[start], side)) return true;
    return fail(err, "line %lld: from %lld to %lld is too long", (long long)r->line, (long long)value[start],
                (long long)value[end]);
}

static bool read_rect(rects *r, const char *text, const char *end, sat_rect *rect, error *err)
{
    int64_t value[FIELDS] = {0};
    csv_field field;
    int c;
    for (c = 0; text; c++) {
        if (!next_field(r->separator, &text, end, &field)) return fail_quote(r, text, err);
        if (c >= r->columns) continue;
        if (r->field[c] < 0) {
            if (!keep(&r->rest, &field, r->line, err)) return false;
        } else if (!read_whole(field.text, field.n, &value[r->field[c]])) {
            int shown = field.n < 40 ? (int)field.n : 40;
            return fail(err, "line %lld: '%.*s' is not a whole number", (long long)r->line, shown, field.text);
        }
    }
    if (c != r->columns)
        return fail(err, "line %lld: %d value%s where %d are expected", (long long)r->line, c, c == 1 ? "" : "s",
                    r->columns);
    if ((r->by_corners[0] && !side_of(r, value, X, X1, &value[W], err)) ||
        (r->by_corners[1] && !side_of(r, value, Y, Y1, &value[H], err)))
        return false;
    *rect = (sat_rect){.x = value[X], .y = value[Y], .width = value[W], .height = value[H]};
    return true;
}

/* Is it a line of names, not of numbers: does the first field that is not empty begin with what is no number? */
static bool is_header(char separator, const char *text, const char *end)
{
    csv_field field = {0};
    while (field.n == 0 && text && text < end)
        if (!next_field(separator, &text, end, &field)) return false;
    return field.n > 0 && !strchr("0123456789+-.", *field.text);
}

static bool next_csv(rects *r, error *err)
{
    r->rest.used = 0;
    while (r->chunk_n < RECTS_CHUNK && r->rest.used < OTHERS_BYTES) {
        const char *text, *first;
        size_t n;
        if (!next_line(r, &text, &n, err)) return false;
        if (!text) return true;
        const char *end = text + n;
        if (r->line == 1 && n >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0) text += 3; /* byte order mark */
        while (end > text && (end[-1] == ' ' || end[-1] == '\r')) end--;
        for (first = text; first < end && is_blank(*first);) first++;
        if (first == end || *first == '#') continue;
        if (!r->begun) {
            bool first_time = !r->separator; /* the file may have changed since: the columns stay */
            r->begun = true;
            if (first_time) r->separator = find_separator(text, end);
            if (is_header(r->separator, text, end)) {
                if (first_time && !read_header(r, text, end, err)) {
                    r->separator = 0; /* as before: it is wrong again when all is handed out again */
                    r->others = 0;
                    r->names.used = 0;
                    return false;
                }
                continue;
            }
        }
        r->rest_at[r->chunk_n] = r->rest.used;
        if (!read_rect(r, text, end, &r->chunk[r->chunk_n], err)) return false;
        r->lines[r->chunk_n++] = r->line;
    }
    return true;
}

/* ---- .npy ------------------------------------------------------------------------------------------ */

/* The numbers of a mapped file are read once each: it may change meanwhile. */
static bool probe(const uint8_t *head, size_t n, uint64_t file_bytes, const void *context, bool *maps, error *err)
{
    npy_header h;
    (void)file_bytes, (void)context;
    *maps = npy_parse_header(&h, head, n, err);
    return *maps;
}

static bool open_npy(rects *r, error *err)
{
    npy_header *h = &r->npy;
    if (!npy_parse(h, r->file.bytes, r->file.n, err)) return false;
    r->kind = NPY;
    if (h->kind != 'i' && h->kind != 'u')
        return fail(err, "rectangles are whole numbers, not %c%d", h->kind, 8 * h->item_bytes);
    if (h->dims == 2 && h->shape[1] == SIDES) return true;
    char shape[64] = "";
    size_t used = 0;
    for (int i = 0; i < h->dims; i++)
        used += (size_t)snprintf(shape + used, sizeof shape - used, "%s%lld", i ? " x " : "", (long long)h->shape[i]);
    return fail(err, "rectangles are an array of N x 4, not %s%s", shape, h->dims == 1 ? " numbers" : "");
}

/* An item of either byte order; false if 64 bits with a sign do not hold it. */
static bool read_item(const uint8_t *at, const npy_header *h, int64_t *value)
{
    const int bytes = h->item_bytes;
    const bool is_signed = h->kind == 'i';
    uint64_t v = 0;
    for (int i = 0; i < bytes; i++) v = v << 8 | at[h->big_endian ? i : bytes - 1 - i];
    uint64_t sign = UINT64_C(1) << (8 * bytes - 1);
    if (is_signed && bytes < 8) v = (v ^ sign) - sign;
    *value = (int64_t)v;
    return is_signed || *value >= 0;
}

static bool next_npy(rects *r, error *err)
{
    const npy_header *h = &r->npy;
    size_t bytes = (size_t)h->item_bytes;
    for (; r->chunk_n < RECTS_CHUNK && (int64_t)r->given < h->shape[0]; r->given++) {
        const uint8_t *row = r->file.bytes + h->data_offset + r->given * SIDES * bytes;
        int64_t value[SIDES];
        for (size_t f = 0; f < SIDES; f++)
            if (!read_item(row + f * bytes, h, &value[f]))
                return fail(err, "row %zu: %llu is too large", r->given, (unsigned long long)value[f]);
        r->lines[r->chunk_n] = (int64_t)r->given;
        r->chunk[r->chunk_n++] = (sat_rect){.x = value[0], .y = value[1], .width = value[2], .height = value[3]};
    }
    return true;
}

/* ---- a grid ---------------------------------------------------------------------------------------- */

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static void next_cells(rects *r)
{
    const int64_t w = r->cell_width, h = r->cell_height;
    const int64_t columns = (r->image_width - 1) / w + 1, rows = (r->image_height - 1) / h + 1;
    for (; r->chunk_n < RECTS_CHUNK && (int64_t)r->given < columns * rows; r->given++) {
        const int64_t x = (int64_t)r->given % columns * w, y = (int64_t)r->given / columns * h;
        r->chunk[r->chunk_n++] =
            (sat_rect){.x = x, .y = y, .width = least(w, r->image_width - x), .height = least(h, r->image_height - y)};
    }
}

/* ---- the interface --------------------------------------------------------------------------------- */

static bool allocate(rects **out, error *err)
{
    rects *r = *out = calloc(1, sizeof *r);
    if (!r) return fail(err, "out of memory");
    r->fd = -1;
    r->columns = SIDES;
    for (int f = 0; f < SIDES; f++) r->field[f] = (signed char)f;
    return true;
}

static bool open_stream(rects *r, const char *path, error *err)
{
    r->fd = strcmp(path, "-") == 0 ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
    if (r->fd < 0) return fail_errno(err, "cannot open");
    r->text = r->window = malloc(STREAM_BYTES);
    return r->window ? true : fail(err, "out of memory");
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
    r->kind = CSV;
    r->name = path;
    if (is_dir) {
        fail(err, "is a directory");
    } else if (regular && st.st_size == 0) {
        r->text = "";
        r->at_end = ok = true;
    } else if (regular && is_npy(path)) {
        ok = source_open_by(&r->file, path, probe, NULL, NULL, err) && open_npy(r, err);
    } else if (!again) {
        ok = open_stream(r, path, err);
    } else if (source_open_list(&r->file, path, err)) {
        ok = true;
        if (npy_sniff(r->file.bytes, r->file.n)) {
            ok = open_npy(r, err);
        } else {
            r->text = r->file.n > 0 ? (const char *)r->file.bytes : "";
            r->end = r->file.n;
            r->at_end = true;
        }
    }
    if (!ok) rects_close(out);
    return ok;
}

bool rects_from_list(rects **out, const sat_rect *list, size_t n, error *err)
{
    if (!allocate(out, err)) return false;
    (*out)->kind = LIST;
    (*out)->list = list;
    (*out)->list_n = n;
    return true;
}

bool rects_from_grid(rects **out, int64_t width, int64_t height, error *err)
{
    if (!allocate(out, err)) return false;
    (*out)->kind = GRID;
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
    free(r->names.bytes);
    free(r->rest.bytes);
    free(r);
    *out = NULL;
}

bool rects_next(rects *r, const sat_rect **chunk, size_t *n, error *err)
{
    r->chunk_n = 0;
    if (r->deferred) {
        *err = r->deferred_err;
        return false;
    }
    switch (r->kind) {
    case LIST:
        *n = r->list_n - r->given;
        if (*n > RECTS_CHUNK) *n = RECTS_CHUNK;
        *chunk = *n > 0 ? r->list + r->given : NULL;
        r->given += *n;
        return true;
    case GRID: next_cells(r); break;
    case CSV: r->deferred = !next_csv(r, &r->deferred_err); break;
    case NPY: r->deferred = !next_npy(r, &r->deferred_err); break;
    }
    if (r->deferred && r->chunk_n == 0) {
        *err = r->deferred_err;
        return false;
    }
    *chunk = r->chunk;
    *n = r->chunk_n;
    return true;
}

void rects_again(rects *r)
{
    r->given = 0;
    r->begin = 0;
    r->line = 0;
    r->begun = r->deferred = false;
}

bool rects_broken(const rects *r)
{
    return r->deferred;
}

int rects_others(const rects *r)
{
    return r->others;
}

const char *rects_other_names(const rects *r)
{
    return r->others > 0 ? r->names.bytes : NULL;
}

const char *rects_other_fields(const rects *r, size_t i)
{
    return r->others > 0 ? r->rest.bytes + r->rest_at[i] : NULL;
}

sat_rect part_inside(const sat_rect *r, int64_t width, int64_t height)
{
    int64_t x0 = r->x > 0 ? r->x : 0, y0 = r->y > 0 ? r->y : 0, x1, y1;
    if (__builtin_add_overflow(r->x, r->width, &x1) || x1 > width) x1 = width;
    if (__builtin_add_overflow(r->y, r->height, &y1) || y1 > height) y1 = height;
    if (x0 >= x1 || y0 >= y1) return (sat_rect){0};
    return (sat_rect){.x = x0, .y = y0, .width = x1 - x0, .height = y1 - y0};
}

const sat_rect *rects_list(const rects *r, size_t *n)
{
    *n = r->list_n;
    return r->kind == LIST ? r->list : NULL;
}

const char *rects_name(const rects *r)
{
    return r->name;
}

const char *rects_where(const rects *r, size_t i, char *buffer)
{
    *buffer = 0;
    if (r->kind == CSV || r->kind == NPY)
        snprintf(buffer, 48, "%s %lld: ", r->kind == CSV ? "line" : "row", (long long)r->lines[i]);
    return buffer;
}
