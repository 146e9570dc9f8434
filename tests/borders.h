/* borders.h - the rules of the border modes for tests in C: from their definitions, and not from the library's code.  A
 * new border mode needs its rule here, and in MAPS of tests/check/satlib.py. */
#ifndef TESTS_BORDERS_H
#define TESTS_BORDERS_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The sample that position i of an axis of n sees; -1: none. */
static inline int64_t border_position(const char *border, int64_t i, int64_t n)
{
    if (i >= 0 && i < n) return i;
    if (strcmp(border, "shrink") == 0 || strcmp(border, "constant") == 0) return -1;
    if (strcmp(border, "replicate") == 0) return i < 0 ? 0 : n - 1;
    if (strcmp(border, "wrap") == 0) return (i % n + n) % n;
    if (strcmp(border, "reflect") == 0) {
        while (i < 0 || i >= n) i = i < 0 ? -1 - i : 2 * n - 1 - i;
        return i;
    }
    if (strcmp(border, "reflect101") == 0) {
        while (n > 1 && (i < 0 || i >= n)) i = i < 0 ? -i : 2 * (n - 1) - i;
        return n > 1 ? i : 0;
    }
    fprintf(stderr, "tests/borders.h has no rule for the border '%s'\n", border);
    abort();
}

#endif
