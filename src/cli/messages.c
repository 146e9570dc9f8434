/* messages.c - lines on standard error. */
#include "messages.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "command.h"
#include "printable.h"
#include "progress.h"

static void put_line(char *line, size_t size, int length)
{
    size_t n = length < 0 ? 0 : (size_t)length;
    if (n > size - 2) n = size - 2;
    line[n] = 0;
    make_printable(line);
    line[n++] = '\n';
    progress_hide();
    fwrite(line, 1, n, stderr);
    fflush(stderr);
    progress_show();
}

void say(const char *file, const char *format, ...)
{
    char text[1024], line[6000]; /* a path of PATH_MAX = 4096 bytes fits */
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    put_line(line, sizeof line, snprintf(line, sizeof line, "sat: %s%s%s", file ? file : "", file ? ": " : "", text));
}

int usage_error(const char *name, const char *format, ...)
{
    char text[5000], line[6000];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    put_line(line, sizeof line,
             snprintf(line, sizeof line, "sat: %s (try `sat%s%s --help`)", text, *name ? " " : "", name));
    return EXIT_USAGE;
}

const char *input_name(const char *path)
{
    return strcmp(path, "-") == 0 ? "standard input" : *path ? path : "''";
}
const char *output_name(const char *path)
{
    return strcmp(path, "-") == 0 ? "standard output" : *path ? path : "''";
}
