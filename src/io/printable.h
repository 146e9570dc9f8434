/* printable.h - names of files and other text from outside, on its way to a terminal or into JSON.
 *
 * A terminal takes control characters for commands: those of ASCII, and U+0080 to U+009F.  Marks of direction make a
 * name look like another ("gnp.exe" behind U+202E reads "exe.png"; Boucher and Anderson, "Trojan Source", 2021), and so
 * do characters that have no width.  The joiners U+200C and U+200D stay: words and emoji are spelt with them. */
#ifndef IO_PRINTABLE_H
#define IO_PRINTABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The bytes of the character that the string begins with, and its code; 0 if they are not UTF-8 (RFC 3629: the shortest
 * form, no surrogates).  The string is not empty. */
size_t utf8_bytes(const char *string, uint32_t *code);

/* Is it a control character, a mark of direction, or one that has no width? */
bool is_unprintable(uint32_t code);

/* Each byte of such a character, or of what is not UTF-8, becomes '?'. */
void make_printable(char *string);

/* The name of a file so, in a buffer; returns that. */
enum { PRINTABLE_BYTES = 4352 }; /* PATH_MAX and more */
const char *printable_name(const char *name, char *buffer);

#endif
