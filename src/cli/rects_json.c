/* rects_json.c - rectangles of JSON lines: {"x":1,"y":2,"w":3,"h":4} or [1,2,3,4]; and JSON (RFC 8259) of one line.
 *
 * Objects take the names of CSV's headers, in any order.  The other members of the first line are the other columns;
 * those of the lines that follow are among them, and one that is missing is empty. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "rects_parts.h"

/* ---- JSON ----------------------------------------------------------------------------------------- */

enum { DEPTH_MAX = 64 };

typedef enum json_kind { JSON_NUMBER, JSON_STRING, JSON_NULL, JSON_WORD, JSON_NESTED } json_kind;

/* A value as it stands in the line, which stays the caller's.  A string without its quotes, and with its escapes. */
typedef struct json_value {
    json_kind kind; /* WORD: true or false; NESTED: an object or an array, with at most DEPTH_MAX in each other */
    const char *text;
    size_t n;
} json_value;

/* The next character that is no blank, which *at then stands at; 0 at the end. */
static char json_peek(const char **at, const char *end)
{
    while (*at < end && (**at == ' ' || **at == '\t' || **at == '\r' || **at == '\n')) ++*at;
    return *at < end ? **at : 0;
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* At least one digit. */
static bool take_digits(const char **at, const char *end)
{
    const char *from = *at;
    while (*at < end && is_digit(**at)) ++*at;
    return *at > from;
}

static bool take_number(const char **at, const char *end)
{
    if (**at == '-') ++*at;
    if (*at < end && **at == '0')
        ++*at;
    else if (!take_digits(at, end))
        return false;
    if (*at < end && **at == '.') {
        ++*at;
        if (!take_digits(at, end)) return false;
    }
    if (*at < end && (**at == 'e' || **at == 'E')) {
        ++*at;
        if (*at < end && (**at == '+' || **at == '-')) ++*at;
        return take_digits(at, end);
    }
    return true;
}

/* The value of a hexadecimal digit; -1 = it is none. */
static int hex_of(char c)
{
    return is_digit(c) ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

/* Behind the quote that opens it; *at moves to the one that closes it. */
static bool take_string(const char **at, const char *end)
{
    for (; *at < end && **at != '"'; ++*at) {
        if ((unsigned char)**at < ' ') return false;
        if (**at != '\\') continue;
        if (++*at == end || !memchr("\"\\/bfnrtu", **at, 9)) return false;
        for (int i = 0, escaped = **at == 'u' ? 4 : 0; i < escaped; i++)
            if (++*at == end || hex_of(**at) < 0) return false;
    }
    return *at < end;
}

static bool take_word(const char **at, const char *end, const char *word)
{
    size_t n = strlen(word);
    if ((size_t)(end - *at) < n || memcmp(*at, word, n) != 0) return false;
    *at += n;
    return true;
}

/* A value that is no object and no array. */
static bool take_plain(const char **at, const char *end, json_value *value)
{
    const char first = json_peek(at, end);
    bool ok;
    *value = (json_value){.kind = JSON_WORD, .text = *at};
    if (first == '"') {
        value->kind = JSON_STRING;
        value->text = ++*at;
        ok = take_string(at, end);
    } else if (first == '-' || is_digit(first)) {
        value->kind = JSON_NUMBER;
        ok = take_number(at, end);
    } else if (first == 'n') {
        value->kind = JSON_NULL;
        ok = take_word(at, end, "null");
    } else {
        ok = first == 't' ? take_word(at, end, "true") : first == 'f' && take_word(at, end, "false");
    }
    value->n = (size_t)(*at - value->text);
    if (ok && first == '"') ++*at;
    return ok;
}

static bool json_take(const char **at, const char *end, int depth, json_value *value);

/* A member of an object, with its name, or of an array, and the mark behind it: *more: a comma. */
static bool json_member(const char **at, const char *end, char closes, int depth, json_value *name, json_value *value,
                        bool *more)
{
    if (closes == '}') {
        if (json_peek(at, end) != '"' || !take_plain(at, end, name) || json_peek(at, end) != ':') return false;
        ++*at;
    }
    if (!json_take(at, end, depth, value)) return false;
    const char mark = json_peek(at, end);
    if (mark != ',' && mark != closes) return false;
    *more = mark == ',';
    ++*at;
    return true;
}

/* Behind the bracket that opens an object or an array: has it a member?  If not, *at moves behind it. */
static bool json_begin(const char **at, const char *end, char closes)
{
    if (json_peek(at, end) != closes) return true;
    ++*at;
    return false;
}

/* The next value, in so many objects and arrays; *at moves behind it.  False if there is none, or it is no JSON: *at
 * stands where that shows. */
static bool json_take(const char **at, const char *end, int depth, json_value *value)
{
    const char first = json_peek(at, end), *from = *at, closes = first == '{' ? '}' : ']';
    json_value name, member;
    if (first != '{' && first != '[') return take_plain(at, end, value);
    if (depth == DEPTH_MAX) return false;
    ++*at;
    bool more = json_begin(at, end, closes), ok = true;
    while (ok && more) ok = json_member(at, end, closes, depth + 1, &name, &member, &more);
    *value = (json_value){.kind = JSON_NESTED, .text = from, .n = (size_t)(*at - from)};
    return ok;
}

/* ---- strings -------------------------------------------------------------------------------------- */

static uint32_t unit_of(const char *digits)
{
    uint32_t unit = 0;
    for (int i = 0; i < 4; i++) unit = unit << 4 | (uint32_t)hex_of(digits[i]);
    return unit;
}

static size_t put_utf8(char *to, uint32_t point)
{
    if (point < 0x80) {
        to[0] = (char)point;
        return 1;
    }
    size_t more = point < 0x800 ? 1 : point < 0x10000 ? 2 : 3;
    static const unsigned char leads[] = {0, 0xc0, 0xe0, 0xf0};
    to[0] = (char)(leads[more] | point >> 6 * more);
    for (size_t i = 1; i <= more; i++) to[i] = (char)(0x80 | (point >> 6 * (more - i) & 0x3f));
    return more + 1;
}

/* Writes a string's bytes, its escapes as UTF-8, and returns their number, at most value->n.  A surrogate without its
 * other half becomes U+FFFD. */
static size_t json_string(char *to, const json_value *value)
{
    static const char escapes[] = "bfnrt", meanings[] = "\b\f\n\r\t";
    const char *s = value->text, *end = s + value->n;
    size_t n = 0;
    while (s < end) {
        if (*s != '\\') {
            to[n++] = *s++;
        } else if (s[1] != 'u') {
            const char *known = memchr(escapes, s[1], sizeof escapes - 1);
            to[n++] = known ? meanings[known - escapes] : s[1];
            s += 2;
        } else {
            uint32_t point = unit_of(s + 2), low = 0;
            s += 6;
            if (point >> 10 == 0xd800 >> 10 && end - s >= 6 && s[0] == '\\' && s[1] == 'u') low = unit_of(s + 2);
            if (low >> 10 == 0xdc00 >> 10) {
                point = 0x10000 + ((point & 0x3ff) << 10 | (low & 0x3ff));
                s += 6;
            } else if (point >> 11 == 0xd800 >> 11) {
                point = 0xfffd;
            }
            n += put_utf8(to + n, point);
        }
    }
    return n;
}

/* ---- rectangles ----------------------------------------------------------------------------------- */

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
    json_value v;
    for (bool more = json_begin(&at, end, ']'); more; n++) {
        if (!json_member(&at, end, ']', 0, NULL, &v, &more)) return fail_json(r, at, end, err);
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
    json_value name, v;
    for (bool more = json_begin(&at, end, '}'); more;) {
        if (!json_member(&at, end, '}', 0, &name, &v, &more)) return fail_json(r, at, end, err);
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
