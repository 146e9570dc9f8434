/* rects_csv.c - rectangles of CSV, and what other files share with it: the chunk, numbers, the names of fields, memory
 * for other columns. */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "number.h"
#include "rects.h"
#include "rects_parts.h"

bool rects_is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

/* ---- numbers -------------------------------------------------------------------------------------- */

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

bool rects_is_whole(double v)
{
    static const double most = 9007199254740992.0;
    return v >= -most && v <= most && v == (double)(int64_t)v;
}

/* A number as other programs write it: 2.0 and 2e+00 (NumPy's savetxt) are whole. */
static bool read_number(const char *s, size_t n, rects_number *value)
{
    char text[64];
    value->is_real = !read_int(s, n, &value->i);
    value->f = (double)value->i;
    if (!value->is_real) return true;
    if (n >= sizeof text || memchr(s, 0, n)) return false;
    memcpy(text, s, n);
    text[n] = '\0';
    if (!number_of(text, NUMBER_SIGN | NUMBER_REAL, &value->f)) return false;
    value->is_real = !rects_is_whole(value->f);
    value->i = value->is_real ? 0 : (int64_t)value->f;
    return true;
}

bool rects_read_number(const rects *r, const char *text, size_t n, rects_number *value, error *err)
{
    const long long line = r->line;
    const int shown = n < 40 ? (int)n : 40;
    if (!read_number(text, n, value)) return fail(err, "line %lld: '%.*s' is not a number", line, shown, text);
    if (!value->is_real || !r->whole_only) return true;
    return fail(err, "line %lld: '%.*s' is not a whole number; .npy answers need rectangles in a .npy for that", line,
                shown, text);
}

bool rects_put(rects *r, const rects_one *one, int64_t line)
{
    if (r->chunk_n > 0 && one->is_real != r->real) return false;
    r->real = one->is_real;
    if (r->real)
        r->chunk.real[r->chunk_n] = one->real;
    else
        r->chunk.whole[r->chunk_n] = one->whole;
    r->lines[r->chunk_n++] = line;
    return true;
}

rects_one rects_of_sides(bool is_real, const double side[RECTS_SIDES], const int64_t whole[RECTS_SIDES])
{
    if (is_real) return (rects_one){.is_real = true, .real = {side[0], side[1], side[2], side[3]}};
    return (rects_one){.whole = {whole[0], whole[1], whole[2], whole[3]}};
}

bool rects_parse(const char *text, rects_one *rect)
{
    double side[RECTS_SIDES];
    int64_t whole[RECTS_SIDES];
    bool is_real = false;
    for (int i = 0; i < RECTS_SIDES; i++) {
        rects_number v = {.is_real = false};
        size_t n = strcspn(text, ","), begin = 0, end = n;
        if (text[n] != (i + 1 < RECTS_SIDES ? ',' : 0)) return false;
        while (begin < end && rects_is_blank(text[begin])) begin++;
        while (end > begin && rects_is_blank(text[end - 1])) end--;
        if (!read_number(text + begin, end - begin, &v)) return false;
        is_real = is_real || v.is_real;
        side[i] = v.f;
        whole[i] = v.i;
        text += n + 1;
    }
    *rect = rects_of_sides(is_real, side, whole);
    return true;
}

/* ---- fields --------------------------------------------------------------------------------------- */

static const char *const names[RECTS_FIELDS][2] = {
    [RECTS_X] = {"x", "x0"},     [RECTS_Y] = {"y", "y0"},   [RECTS_W] = {"w", "width"},
    [RECTS_H] = {"h", "height"}, [RECTS_X1] = {"x1", NULL}, [RECTS_Y1] = {"y1", NULL}};

int rects_field_named(const char *name, size_t n)
{
    for (int f = 0; f < RECTS_FIELDS; f++)
        for (int k = 0; k < 2; k++) {
            const char *known = names[f][k];
            if (known && strlen(known) == n && strncasecmp(name, known, n) == 0) return f;
        }
    return -1;
}

bool rects_check_fields(const rects *r, const int *seen, bool by_corners[2], error *err)
{
    const long long line = r->line;
    const char *has = r->json ? "the object has" : "the header names", *noun = r->json ? "" : "column ";
    for (int f = 0; f < RECTS_FIELDS; f++)
        if (seen[f] > 1) return fail(err, "line %lld: %s %s%s twice", line, has, noun, names[f][0]);
    for (int i = 0; i < 2; i++) {
        const char *start = names[RECTS_X + i][0], *side = names[RECTS_W + i][0], *end = names[RECTS_X1 + i][0];
        by_corners[i] = seen[RECTS_X1 + i] > 0;
        if (seen[RECTS_X + i] == 0) return fail(err, "line %lld: %s no %s%s", line, has, noun, start);
        if (seen[RECTS_W + i] + seen[RECTS_X1 + i] == 0)
            return fail(err, "line %lld: %s no %s%s or %s", line, has, noun, side, end);
        if (seen[RECTS_W + i] + seen[RECTS_X1 + i] == 2)
            return fail(err, "line %lld: %s both %s%s and %s%s", line, has, noun, side, noun, end);
    }
    return true;
}

bool rects_of_fields(const rects *r, const rects_number *value, const bool by_corners[2], rects_one *rect, error *err)
{
    double side[RECTS_SIDES];
    int64_t whole[RECTS_SIDES];
    bool is_real = false;
    for (int f = 0; f < RECTS_FIELDS; f++) is_real |= value[f].is_real;
    for (int f = 0; f < RECTS_SIDES; f++) side[f] = value[f].f, whole[f] = value[f].i;
    for (int i = 0; i < 2; i++) {
        const rects_number *from = &value[RECTS_X + i], *to = &value[RECTS_X1 + i];
        if (!by_corners[i]) continue;
        side[RECTS_W + i] = to->f - from->f;
        if (__builtin_sub_overflow(to->i, from->i, &whole[RECTS_W + i]) && !is_real)
            return fail(err, "line %lld: from %lld to %lld is too long", (long long)r->line, (long long)from->i,
                        (long long)to->i);
    }
    *rect = rects_of_sides(is_real, side, whole);
    return true;
}

char *rects_room(text_heap *to, size_t n, error *err)
{
    if (to->capacity - to->used <= n) {
        size_t capacity = 2 * to->capacity + n + 4096;
        char *grown = realloc(to->bytes, capacity);
        if (!grown) {
            fail(err, "out of memory");
            return NULL;
        }
        to->bytes = grown;
        to->capacity = capacity;
    }
    return to->bytes + to->used;
}

/* ---- CSV --------------------------------------------------------------------------------------------- */

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
    while (from < end && rects_is_blank(*from) && (*from != separator || separator == ' ')) from++;
    bool quoted = from < end && *from == '"';
    const char *to = from += quoted;
    while (quoted && to < end && (*to != '"' || (to + 1 < end && to[1] == '"'))) to += *to == '"' ? 2 : 1;
    if (quoted && to == end) {
        *at = NULL;
        return false;
    }
    const char *stop = to + quoted;
    for (; stop < end && *stop != separator; stop++)
        if (quoted && !rects_is_blank(*stop)) return false;
    if (!quoted)
        for (to = stop; to > from && rects_is_blank(to[-1]);) to--;
    *at = stop < end ? stop + 1 : NULL;
    *field = (csv_field){.text = from, .n = (size_t)(to - from), .quoted = quoted};
    return true;
}

/* Appends a field as it reads. */
static bool keep(text_heap *to, const csv_field *field, int64_t line, error *err)
{
    if (memchr(field->text, 0, field->n))
        return fail(err, "line %lld: a zero byte, which no text has; CSV, JSON lines and .npy are read",
                    (long long)line);
    if (!rects_room(to, field->n, err)) return false;
    for (size_t i = 0; i < field->n; i++) {
        to->bytes[to->used++] = field->text[i];
        i += field->quoted && field->text[i] == '"';
    }
    to->bytes[to->used++] = 0;
    return true;
}

/* at: where next_field() has stopped. */
static bool fail_quote(const rects *r, const char *at, error *err)
{
    return fail(err, "line %lld: %s", (long long)r->line,
                at ? "a quote is not at the end of its field"
                   : "a quote is not closed, and a field cannot hold the end of a line");
}

static bool read_header(rects *r, const char *text, const char *end, error *err)
{
    int seen[RECTS_FIELDS] = {0};
    csv_field name;
    for (r->columns = 0; text; r->columns++) {
        if (!next_field(r->separator, &text, end, &name)) return fail_quote(r, text, err);
        if (r->columns == RECTS_COLUMNS_MAX)
            return fail(err, "line %lld: more than %d columns", (long long)r->line, RECTS_COLUMNS_MAX);
        int f = rects_field_named(name.text, name.n);
        r->field[r->columns] = (signed char)f;
        if (f >= 0) {
            seen[f]++;
        } else {
            r->others++;
            if (!keep(&r->names, &name, r->line, err)) return false;
        }
    }
    return rects_check_fields(r, seen, r->by_corners, err);
}

/* Is it a line of names, not of numbers: does the first field that is not empty begin with what is no number? */
static bool names_columns(char separator, const char *text, const char *end)
{
    csv_field field = {0};
    while (field.n == 0 && text && text < end)
        if (!next_field(separator, &text, end, &field)) return false;
    return field.n > 0 && !strchr("0123456789+-.", *field.text);
}

bool rects_begin_csv(rects *r, const char *text, const char *end, bool *is_header, error *err)
{
    if (!r->known) {
        r->separator = find_separator(text, end);
        r->columns = RECTS_SIDES;
        r->by_corners[0] = r->by_corners[1] = false;
        for (int f = 0; f < RECTS_SIDES; f++) r->field[f] = (signed char)f;
    }
    *is_header = names_columns(r->separator, text, end);
    return r->known || !*is_header || read_header(r, text, end, err);
}

bool rects_read_csv(rects *r, const char *text, const char *end, rects_one *rect, error *err)
{
    rects_number value[RECTS_FIELDS] = {0};
    csv_field field;
    int c;
    for (c = 0; text; c++) {
        if (!next_field(r->separator, &text, end, &field)) return fail_quote(r, text, err);
        if (c >= r->columns) continue;
        if (r->field[c] < 0) {
            if (!keep(&r->rest, &field, r->line, err)) return false;
        } else if (!rects_read_number(r, field.text, field.n, &value[r->field[c]], err)) {
            return false;
        }
    }
    if (c != r->columns)
        return fail(err, "line %lld: %d value%s where %d are expected", (long long)r->line, c, c == 1 ? "" : "s",
                    r->columns);
    return rects_of_fields(r, value, r->by_corners, rect, err);
}
