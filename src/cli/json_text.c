#include "json_text.h"

#include <stdint.h>
#include <string.h>

enum { DEPTH_MAX = 64 };

char json_peek(const char **at, const char *end)
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

/* "name": */
static bool take_name(const char **at, const char *end)
{
    json_value name;
    if (json_peek(at, end) != '"' || !take_plain(at, end, &name) || json_peek(at, end) != ':') return false;
    ++*at;
    return true;
}

/* From the bracket that opens an object or an array to behind the one that closes it. */
static bool take_nested(const char **at, const char *end)
{
    char closes[DEPTH_MAX]; /* of those that are open */
    int depth = 0;
    bool is_first = false; /* the bracket was opened last, and may be closed again */
    json_value value;
    do {
        const char c = json_peek(at, end);
        if (depth > 0 && c == closes[depth - 1]) {
            ++*at;
            depth--;
            is_first = false;
            continue;
        }
        if (depth > 0 && !is_first) {
            if (c != ',') return false;
            ++*at;
        }
        if (depth > 0 && closes[depth - 1] == '}' && !take_name(at, end)) return false;
        const char opens = json_peek(at, end);
        is_first = opens == '{' || opens == '[';
        if (!is_first && !take_plain(at, end, &value)) return false;
        if (!is_first) continue;
        if (depth == DEPTH_MAX) return false;
        closes[depth++] = opens == '{' ? '}' : ']';
        ++*at;
    } while (depth > 0);
    return true;
}

bool json_take(const char **at, const char *end, json_value *value)
{
    const char first = json_peek(at, end), *from = *at;
    if (first != '{' && first != '[') return take_plain(at, end, value);
    bool ok = take_nested(at, end);
    *value = (json_value){.kind = JSON_NESTED, .text = from, .n = (size_t)(*at - from)};
    return ok;
}

/* ---- strings --------------------------------------------------------------------------------------- */

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

size_t json_string(char *to, const json_value *value)
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
