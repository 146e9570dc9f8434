/* name_list.h - names in an error line: "padded, inclusive or exclusive". */
#ifndef CLI_NAME_LIST_H
#define CLI_NAME_LIST_H

#include <stddef.h>

typedef struct name_list {
    char text[1024];
    size_t used;
} name_list;

/* Adds a name, with `between` before it unless it is the first.  What does not fit is cut. */
__attribute__((format(printf, 3, 4))) void name_list_add(name_list *l, const char *between, const char *format, ...);

#endif
