/* input.h - an input that may be an image or a table. */
#ifndef IO_INPUT_H
#define IO_INPUT_H

#include "format.h"

typedef struct input_file {
    source file;
    bool is_table; /* by how it begins and ends, and decode->array; else it is an image, or neither */
} input_file;

/* "-" = standard input.  What comes through a pipe is read to its end (source.h).  To be handed on to
 * sat_file_open_memory() and source_close(), or to image_decode() and source_close(). */
bool input_open(input_file *in, const char *path, const decode_options *decode, error *err);

/* Are both names of the same regular file? */
bool input_is_output(const char *input, const char *output);

#endif
