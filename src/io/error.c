#include "error.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

__attribute__((format(printf, 3, 0))) static int put(error *err, bool no_memory, const char *format, va_list args)
{
    err->no_memory = no_memory;
    return vsnprintf(err->text, sizeof err->text, format, args);
}

bool(fail)(error *err, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    put(err, false, format, args);
    va_end(args);
    return false;
}

bool(fail_memory)(error *err, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    put(err, true, format, args);
    va_end(args);
    return false;
}

bool(fail_errno)(error *err, const char *format, ...)
{
    int code = errno;
    va_list args;
    va_start(args, format);
    int used = put(err, code == ENOMEM, format, args);
    va_end(args);
    /* strerror() of known codes is safe in threads, with glibc and musl; strerror_r() has two meanings. */
    if (used >= 0 && (size_t)used < sizeof err->text)
        snprintf(err->text + used, sizeof err->text - (size_t)used, ": %s", strerror(code));
    return false;
}
