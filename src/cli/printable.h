/* printable.h - names of files and other text from outside, on its way to where people look.
 *
 * A terminal takes control characters for commands: those of ASCII, and U+0080 to U+009F. */
#ifndef CLI_PRINTABLE_H
#define CLI_PRINTABLE_H

#include <stdbool.h>
#include <stddef.h>

/* The bytes of the character that the string begins with, 0 if they are not UTF-8 (RFC 3629: the shortest form, no
 * surrogates), and whether it is a control character.  The string is not empty. */
size_t utf8_bytes(const char *string, bool *is_control);

/* Each byte of a control character, or of what is not UTF-8, becomes '?'. */
void make_printable(char *string);

/* The name of a file so, in a buffer; returns that. */
enum { PRINTABLE_BYTES = 4352 }; /* PATH_MAX and more */
const char *printable_name(const char *name, char *buffer);

#endif
