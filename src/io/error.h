/* error.h - why something failed, in words for the user.
 *
 * Functions of io/ return true or false; on false they have written one line, without newline and
 * without the file's name (the caller knows it), to the error that they were given: "truncated: the
 * file ends inside a PNG chunk".  They never print. */
#ifndef IO_ERROR_H
#define IO_ERROR_H

#include <stdbool.h>

typedef struct error {
    char text[240];
    bool no_memory; /* an allocation failed: by fail_memory(), and by fail_errno() with ENOMEM */
    int code;       /* errno of the failure; 0: no call of the system failed */
} error;

/* Formats the text and returns false: `return fail(err, "...", ...)`. */
__attribute__((format(printf, 2, 3))) bool fail(error *err, const char *format, ...);

/* The same, and stores code, an errno that the text describes. */
__attribute__((format(printf, 3, 4))) bool fail_code(error *err, int code, const char *format, ...);

/* The same where an allocation failed. */
__attribute__((format(printf, 2, 3))) bool fail_memory(error *err, const char *format, ...);

/* The same as fail(), followed by ": " and the text of errno as it is on entry. */
__attribute__((format(printf, 2, 3))) bool fail_errno(error *err, const char *format, ...);

#ifdef __clang_analyzer__ /* which cannot see that they return false */
#define fail(...)        (fail(__VA_ARGS__), false)
#define fail_code(...)   (fail_code(__VA_ARGS__), false)
#define fail_memory(...) (fail_memory(__VA_ARGS__), false)
#define fail_errno(...)  (fail_errno(__VA_ARGS__), false)
#endif

#endif
