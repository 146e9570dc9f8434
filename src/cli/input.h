/* input.h - an input that may be an image or a table. */
#ifndef CLI_INPUT_H
#define CLI_INPUT_H

#include <stdbool.h>

/* Does that file begin like a table?  Only regular files are looked into (standard input too, when a file
 * was redirected to it): a table is mapped, a pipe is an image. */
bool input_is_table(const char *path);

/* "-" becomes a name that can be mapped. */
const char *input_table_path(const char *path);

/* Are both names of the same regular file? */
bool input_is_output(const char *input, const char *output);

#endif
