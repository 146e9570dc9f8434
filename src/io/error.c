#include "error.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "c_numbers.h"

__attribute__((format(printf, 3, 0))) static int put(error *err, int code, const char *format, va_list args)
{
    err->no_memory = code == ENOMEM;
    err->code = code;
    return sat_print_args(err->text, sizeof err->text, format, args);
}

bool(fail)(error *err, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    put(err, 0, format, args);
    va_end(args);
    return false;
}

bool(fail_code)(error *err, int code, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    put(err, code, format, args);
    va_end(args);
    return false;
}

bool(fail_memory)(error *err, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    put(err, ENOMEM, format, args);
    va_end(args);
    return false;
}

bool(fail_errno)(error *err, const char *format, ...)
{
    int code = errno;
    va_list args;
    va_start(args, format);
    int used = put(err, code, format, args);
    va_end(args);
    /* strerror() of known codes is safe in threads, with glibc and musl; strerror_r() has two meanings. */
    if (used >= 0 && (size_t)used < sizeof err->text)
        snprintf(err->text + used, sizeof err->text - (size_t)used, ": %s", strerror(code));
    return false;
}
