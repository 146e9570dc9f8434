/* text_out.c - text to a sink. */
#include "text_out.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "number.h"
#include "printable.h"

static const sink_options text_options = {.text = true};

bool text_open(text_out *t, const char *path, bool no_clobber, error *err)
{
    sink_options options = text_options;
    options.no_clobber = no_clobber;
    t->used = 0;
    t->failed = false;
    t->is_stdout = strcmp(path, "-") == 0;
    bool ok = sink_open(&t->to, path, &options, err);
    t->is_terminal = ok && sink_is_terminal(t->to);
    return ok;
}

static bool flush(text_out *t)
{
    if (!t->failed && t->used > 0 && !sink_write(t->to, t->buffer, t->used, &t->err)) t->failed = true;
    t->used = 0;
    return !t->failed;
}

/* A sink shows what it holds when it is committed, and standard output can be opened again. */
void text_show(text_out *t)
{
    if (!t->is_stdout || !flush(t)) return;
    t->failed = !sink_commit(&t->to, &t->err) || !sink_open(&t->to, "-", &text_options, &t->err);
}

bool text_close(text_out *t, error *err)
{
    if (flush(t)) return sink_commit(&t->to, err);
    *err = t->err;
    sink_abort(&t->to);
    return false;
}

void text_abort(text_out *t)
{
    if (t->is_stdout && flush(t))
        sink_commit(&t->to, &t->err);
    else
        sink_abort(&t->to);
}

/* Room for n bytes, n at most a quarter of the buffer. */
static char *reserve(text_out *t, size_t n)
{
    if (t->used + n > sizeof t->buffer) flush(t);
    return t->buffer + t->used;
}

void text_bytes(text_out *t, const char *bytes, size_t n)
{
    while (n > 0) {
        size_t part = n < sizeof t->buffer / 4 ? n : sizeof t->buffer / 4;
        memcpy(reserve(t, part), bytes, part);
        t->used += part;
        bytes += part;
        n -= part;
    }
}

void text_rewrite(text_out *t, size_t offset, const void *bytes, size_t n)
{
    if (flush(t) && !sink_rewrite(t->to, offset, bytes, n, &t->err)) t->failed = true;
}

void text_string(text_out *t, const char *string)
{
    text_bytes(t, string, strlen(string));
}

static size_t uint_text(char *to, uint64_t value)
{
    char digits[20]; /* 2^64 has 20 */
    size_t n = 0;
    do digits[n++] = (char)('0' + value % 10);
    while ((value /= 10) > 0);
    for (size_t i = 0; i < n; i++) to[i] = digits[n - 1 - i];
    return n;
}

void text_uint(text_out *t, uint64_t value)
{
    t->used += uint_text(reserve(t, 20), value);
}

void text_int(text_out *t, int64_t value)
{
    if (value < 0) text_bytes(t, "-", 1);
    text_uint(t, value < 0 ? 0 - (uint64_t)value : (uint64_t)value);
}

void text_real(text_out *t, double value)
{
    t->used += real_text(reserve(t, REAL_TEXT_BYTES), value);
}

/* Readers of CSV end rows at a carriage return, and some drop blanks around a field. */
static bool needs_quotes(const char *string)
{
    static const char blanks[] = " \t";
    size_t n = strlen(string);
    return strpbrk(string, ",\"\r\n") || (n > 0 && (strchr(blanks, string[0]) || strchr(blanks, string[n - 1])));
}

void text_csv_string(text_out *t, const char *string)
{
    bool quoted = needs_quotes(string);
    if (quoted) text_bytes(t, "\"", 1);
    while (*string) {
        uint32_t code;
        size_t n = utf8_bytes(string, &code), bytes = n ? n : 1;
        bool shown = !t->is_terminal || (n > 0 && !is_unprintable(code));
        if (*string == '"') text_bytes(t, string, 1);
        for (size_t i = 0; i < bytes; i++) text_bytes(t, shown ? string + i : "?", 1);
        string += bytes;
    }
    if (quoted) text_bytes(t, "\"", 1);
}

/* The code point at *string, which moves behind it: U+FFFD for a byte that is not UTF-8. */
static uint32_t next_code(const char **string)
{
    uint32_t code;
    size_t n = utf8_bytes(*string, &code);
    *string += n ? n : 1;
    return n ? code : 0xfffd;
}

bool text_json_same(const char *a, const char *b)
{
    bool same = true;
    while (same && *a && *b) same = next_code(&a) == next_code(&b);
    return same && *a == *b;
}

void text_json_string(text_out *t, const char *string)
{
    text_bytes(t, "\"", 1);
    for (size_t n; *string; string += n ? n : 1) {
        uint32_t code;
        n = utf8_bytes(string, &code);
        if (*string == '"' || *string == '\\')
            text_bytes(t, (char[]){'\\', *string}, 2);
        else if (n == 0)
            text_string(t, "\\ufffd");
        else if (is_unprintable(code) && code > 0xffff) /* a surrogate pair */
            text_printf(t, "\\u%04x\\u%04x", 0xd7c0 + (code >> 10), 0xdc00 + (code & 0x3ff));
        else if (is_unprintable(code))
            text_printf(t, "\\u%04x", code);
        else
            text_bytes(t, string, n);
    }
    text_bytes(t, "\"", 1);
}

void text_json_member(text_out *t, const char *name, const char *value)
{
    text_printf(t, ",\"%s\":", name);
    if (value)
        text_json_string(t, value);
    else
        text_string(t, "null");
}

void text_printf(text_out *t, const char *format, ...)
{
    char text[8192];
    va_list args;
    va_start(args, format);
    int n = vsnprintf(text, sizeof text, format, args);
    va_end(args);
    if (n > 0) text_bytes(t, text, (size_t)n < sizeof text ? (size_t)n : sizeof text - 1);
}
