/* rects_json.c - rectangles of JSON lines: {"x":1,"y":2,"w":3,"h":4} or [1,2,3,4].
 *
 * Objects take the names of CSV's headers, in any order.  The other members of the first line are the other columns;
 * those of the lines that follow are among them, and one that is missing is empty. */
#include <string.h>

#include "json_text.h"
#include "rects_parts.h"

/* The other members of one line, in the order of the columns. */
typedef struct others {
    json_value value[RECTS_COLUMNS_MAX];
    bool there[RECTS_COLUMNS_MAX];
} others;

static bool fail_json(const rects *r, const char *at, const char *end, error *err)
{
    const long long line = r->line;
    if (at == end) return fail(err, "line %lld: an object or array is not closed, or goes on in the next line", line);
    const int shown = end - at < 20 ? (int)(end - at) : 20;
    return fail(err, "line %lld: not JSON from '%.*s' on", line, shown, at);
}

/* Behind the last bracket nothing follows. */
static bool check_end(const rects *r, const char *at, const char *end, error *err)
{
    if (json_peek(&at, end) == 0 && at == end) return true;
    return fail(err, "line %lld: a line holds one rectangle, and this one goes on behind it", (long long)r->line);
}

static bool read_number(const rects *r, const json_value *v, rects_number *value, error *err)
{
    if (v->kind == JSON_NUMBER) return rects_read_number(r, v->text, v->n, value, err);
    return fail(err, "line %lld: '%.*s' is not a number", (long long)r->line, v->n < 40 ? (int)v->n : 40, v->text);
}

static bool read_array(rects *r, const char *at, const char *end, rects_number *value, error *err)
{
    int n = 0;
    if (json_peek(&at, end) == ']') return fail(err, "line %lld: 0 values where 4 are expected", (long long)r->line);
    for (bool more = true; more; n++) {
        json_value v;
        if (!json_take(&at, end, &v)) return fail_json(r, at, end, err);
        const char mark = json_peek(&at, end);
        if (mark != ',' && mark != ']') return fail_json(r, at, end, err);
        more = mark == ',';
        at++;
        if (n < RECTS_SIDES && !read_number(r, &v, &value[n], err)) return false;
    }
    if (n == RECTS_SIDES) return check_end(r, at, end, err);
    return fail(err, "line %lld: %d value%s where 4 are expected", (long long)r->line, n, n == 1 ? "" : "s");
}

/* Appends a value as text: a string without its quotes, null as nothing. */
static bool keep(rects *r, text_heap *to, const json_value *v, error *err)
{
    char *room = rects_room(to, v->n, err);
    size_t n = v->kind == JSON_NULL ? 0 : v->n;
    if (!room) return false;
    if (v->kind == JSON_STRING)
        n = json_string(room, v);
    else
        memcpy(room, v->text, n);
    if (memchr(room, 0, n)) return fail(err, "line %lld: a zero byte", (long long)r->line);
    room[n] = 0;
    to->used += n + 1;
    return true;
}

/* The number of the column of that name; in the first line it becomes one.  -1, with an error, if there is none. */
static int column_named(rects *r, const json_value *name, error *err)
{
    const size_t at = r->names.used;
    if (!keep(r, &r->names, name, err)) return -1;
    const char *column = r->names.bytes, *wanted = r->names.bytes + at;
    for (int i = 0; i < r->others; i++, column += strlen(column) + 1)
        if (strcmp(column, wanted) == 0) {
            r->names.used = at;
            return i;
        }
    if (!r->known && r->others < RECTS_COLUMNS_MAX) return r->others++;
    if (!r->known)
        fail(err, "line %lld: more than %d members", (long long)r->line, RECTS_COLUMNS_MAX);
    else
        fail(err, "line %lld: a member '%.40s', which the first line has not", (long long)r->line, wanted);
    r->names.used = at;
    return -1;
}

/* One member, its name and its value. */
static bool take_member(rects *r, const json_value *name, const json_value *v, int *seen, rects_number *value,
                        others *o, error *err)
{
    const int f = rects_field_named(name->text, name->n);
    if (f >= 0) {
        seen[f]++;
        return read_number(r, v, &value[f], err);
    }
    const int c = column_named(r, name, err);
    if (c < 0) return false;
    if (o->there[c])
        return fail(err, "line %lld: member '%.*s' is there twice", (long long)r->line,
                    name->n < 40 ? (int)name->n : 40, name->text);
    o->there[c] = true;
    o->value[c] = *v;
    return true;
}

static bool read_object(rects *r, const char *at, const char *end, rects_number *value, bool by_corners[2], error *err)
{
    static const json_value nothing = {.kind = JSON_NULL, .text = ""};
    int seen[RECTS_FIELDS] = {0};
    others o = {.there = {false}};
    bool more = json_peek(&at, end) != '}';
    if (!more) at++;
    while (more) {
        json_value name, v;
        if (json_peek(&at, end) != '"' || !json_take(&at, end, &name) || json_peek(&at, end) != ':')
            return fail_json(r, at, end, err);
        at++;
        if (!json_take(&at, end, &v)) return fail_json(r, at, end, err);
        const char mark = json_peek(&at, end);
        if (mark != ',' && mark != '}') return fail_json(r, at, end, err);
        more = mark == ',';
        at++;
        if (!take_member(r, &name, &v, seen, value, &o, err)) return false;
    }
    if (!rects_check_fields(r, seen, by_corners, err) || !check_end(r, at, end, err)) return false;
    for (int c = 0; c < r->others; c++)
        if (!keep(r, &r->rest, o.there[c] ? &o.value[c] : &nothing, err)) return false;
    return true;
}

bool rects_read_json(rects *r, const char *text, const char *end, rects_one *rect, error *err)
{
    static const json_value nothing = {.kind = JSON_NULL, .text = ""};
    rects_number value[RECTS_FIELDS] = {0};
    bool by_corners[2] = {false, false}, ok;
    if (*text == '{') {
        ok = read_object(r, text + 1, end, value, by_corners, err);
    } else if (*text == '[') {
        ok = read_array(r, text + 1, end, value, err);
        for (int c = 0; ok && c < r->others; c++) ok = keep(r, &r->rest, &nothing, err);
    } else {
        ok = fail(err, "line %lld: neither an object nor an array, as the first line is", (long long)r->line);
    }
    return ok && rects_of_fields(r, value, by_corners, rect, err);
}
