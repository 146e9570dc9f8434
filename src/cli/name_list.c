#include "name_list.h"

#include <stdarg.h>
#include <stdio.h>

void name_list_add(name_list *l, const char *between, const char *format, ...)
{
    va_list args;
    if (l->used > 0 && l->used < sizeof l->text)
        l->used += (size_t)snprintf(l->text + l->used, sizeof l->text - l->used, "%s", between);
    if (l->used >= sizeof l->text) return;
    va_start(args, format);
    l->used += (size_t)vsnprintf(l->text + l->used, sizeof l->text - l->used, format, args);
    va_end(args);
}
