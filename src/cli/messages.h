/* messages.h - lines for the user on standard error.
 *
 * Each is one line, "sat: FILE: reason", written at once, so that lines of several threads never mix;
 * control characters in names, invisible ones, and what is not UTF-8, are shown as '?'.  A progress bar is taken away
 * first. */
#ifndef CLI_MESSAGES_H
#define CLI_MESSAGES_H

/* file may be NULL. */
__attribute__((format(printf, 2, 3))) void say(const char *file, const char *format, ...);

/* The same with " (try `sat NAME --help`)" at its end; returns EXIT_USAGE.  name "" is the default one. */
__attribute__((format(printf, 2, 3))) int usage_error(const char *name, const char *format, ...);

/* "-" in the words of a message; an input of no name as ''. */
const char *input_name(const char *path);
const char *output_name(const char *path);

#endif
