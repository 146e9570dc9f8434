/* rects_fields.c - what the forms of text share: numbers, the names of fields, memory for the other columns. */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "rects_parts.h"

bool rects_is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

/* ---- numbers --------------------------------------------------------------------------------------- */

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

bool rects_read_number(const rects *r, const char *text, size_t n, int64_t *value, error *err)
{
    if (read_whole(text, n, value)) return true;
    return fail(err, "line %lld: '%.*s' is not a whole number", (long long)r->line, n < 40 ? (int)n : 40, text);
}

/* ---- fields ---------------------------------------------------------------------------------------- */

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

/* value[end] - value[start] */
static bool side_of(const rects *r, const int64_t *value, int start, int end, int64_t *side, error *err)
{
    if (!__builtin_sub_overflow(value[end], value[start], side)) return true;
    return fail(err, "line %lld: from %lld to %lld is too long", (long long)r->line, (long long)value[start],
                (long long)value[end]);
}

bool rects_of_fields(const rects *r, int64_t *value, const bool by_corners[2], sat_rect *rect, error *err)
{
    for (int i = 0; i < 2; i++)
        if (by_corners[i] && !side_of(r, value, RECTS_X + i, RECTS_X1 + i, &value[RECTS_W + i], err)) return false;
    *rect = (sat_rect){.x = value[RECTS_X], .y = value[RECTS_Y], .width = value[RECTS_W], .height = value[RECTS_H]};
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
