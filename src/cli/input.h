/* input.h - an input that may be an image or a table. */
#ifndef CLI_INPUT_H
#define CLI_INPUT_H

#include <stdbool.h>

#include "error.h"

/* Call first for each input.  "-" that is a pipe is read to its end, into memory that takes the pipe's place
 * as standard input and can be looked into and mapped like a file; everything else is left alone. */
bool input_settle(const char *path, error *err);

/* Does that file begin like a table? */
bool input_is_table(const char *path);

/* "-" becomes a name that can be mapped. */
const char *input_table_path(const char *path);

/* Are both names of the same regular file? */
bool input_is_output(const char *input, const char *output);

#endif
