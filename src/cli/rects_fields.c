/* rects_fields.c - what the forms of text share: numbers, the names of fields, memory for the other columns. */
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

bool rects_parse(const char *text, rects_one *rect)
{
    double side[RECTS_SIDES];
    int64_t whole[RECTS_SIDES];
    rect->is_real = false;
    for (int i = 0; i < RECTS_SIDES; i++) {
        rects_number v = {.is_real = false};
        size_t n = strcspn(text, ","), begin = 0, end = n;
        if (text[n] != (i + 1 < RECTS_SIDES ? ',' : 0)) return false;
        while (begin < end && rects_is_blank(text[begin])) begin++;
        while (end > begin && rects_is_blank(text[end - 1])) end--;
        if (!read_number(text + begin, end - begin, &v)) return false;
        rect->is_real = rect->is_real || v.is_real;
        side[i] = v.f;
        whole[i] = v.i;
        text += n + 1;
    }
    rect->real = (sat_rect_f64){side[0], side[1], side[2], side[3]};
    rect->whole = (sat_rect){whole[0], whole[1], whole[2], whole[3]};
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

/* The side of number i, x or y, and its length. */
static bool side_of(const rects *r, const rects_number *value, int i, bool by_corner, int64_t *length, error *err)
{
    const int64_t from = value[RECTS_X + i].i, to = value[RECTS_X1 + i].i;
    *length = value[RECTS_W + i].i;
    if (!by_corner || !__builtin_sub_overflow(to, from, length)) return true;
    return fail(err, "line %lld: from %lld to %lld is too long", (long long)r->line, (long long)from, (long long)to);
}

bool rects_of_fields(const rects *r, const rects_number *value, const bool by_corners[2], rects_one *rect, error *err)
{
    const rects_number *x = &value[RECTS_X], *y = &value[RECTS_Y], *w = &value[RECTS_W], *h = &value[RECTS_H];
    rect->is_real = false;
    for (int f = 0; f < RECTS_FIELDS; f++) rect->is_real |= value[f].is_real;
    if (rect->is_real) {
        rect->real = (sat_rect_f64){.x = x->f,
                                    .y = y->f,
                                    .width = by_corners[0] ? value[RECTS_X1].f - x->f : w->f,
                                    .height = by_corners[1] ? value[RECTS_Y1].f - y->f : h->f};
        return true;
    }
    rect->whole.x = x->i;
    rect->whole.y = y->i;
    return side_of(r, value, 0, by_corners[0], &rect->whole.width, err) &&
           side_of(r, value, 1, by_corners[1], &rect->whole.height, err);
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
