/* rects_csv.c - rectangles of CSV: a header or none, fields that may be quoted. */
#include <string.h>

#include "rects_parts.h"

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
    if (memchr(field->text, 0, field->n)) return fail(err, "line %lld: a zero byte", (long long)line);
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
