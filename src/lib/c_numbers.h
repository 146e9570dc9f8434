/* c_numbers.h - vsnprintf() for messages: their numbers have a decimal point, not the comma
 * that a program may have chosen with setlocale(). */
#ifndef SAT_C_NUMBERS_H
#define SAT_C_NUMBERS_H

#include <locale.h>
#include <stdarg.h>
#include <stdio.h>

/* Does what vsnprintf() does, but in the "C" locale. It switches the locale of the
 * calling thread only, and restores it. In glibc and musl the "C" locale is a constant,
 * so nothing is allocated. */
__attribute__((format(printf, 3, 0))) static inline int sat_print_args(char *text, size_t bytes, const char *format,
                                                                       va_list args)
{
    const locale_t numbers = newlocale(LC_NUMERIC_MASK, "C", (locale_t)0);
    const locale_t callers = numbers ? uselocale(numbers) : (locale_t)0;
    const int used = vsnprintf(text, bytes, format, args);
    if (numbers) {
        uselocale(callers);
        freelocale(numbers);
    }
    return used;
}

__attribute__((format(printf, 3, 4))) static inline int sat_print(char *text, size_t bytes, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    const int used = sat_print_args(text, bytes, format, args);
    va_end(args);
    return used;
}

#endif
