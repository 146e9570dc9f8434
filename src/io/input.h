/* input.h - an input that may be an image or a table. */
#ifndef IO_INPUT_H
#define IO_INPUT_H

#include "row_source.h"

typedef struct input_file {
    source file;
    bool is_table; /* by how it begins and ends, and decode->array; else it is an image, or neither */
} input_file;

/* "-" = standard input.  Of an image no more is read than its head, of which its rows go on; in->file is then empty.
 * Not so where a stream might have been a table: it is read to its end (source.h).  in->file: to be handed on to
 * sat_file_open_memory() or image_decode(), and to source_close().  rows: to be closed, also on false. */
bool input_open_rows(input_file *in, row_source *rows, const char *path, const decode_options *decode, error *err);

/* Are both names of the same regular file? */
bool input_is_output(const char *input, const char *output);

#endif
