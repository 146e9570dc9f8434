/* text_out.h - fast text to standard output or into a file that is whole or not there.
 *
 * Errors stick: no call needs a check, text_close() returns the first. */
#ifndef CLI_TEXT_OUT_H
#define CLI_TEXT_OUT_H

#include <stdint.h>

#include "sink.h"

typedef struct text_out {
    sink *to;
    size_t used;
    bool failed, is_stdout, is_terminal;
    error err;
    char buffer[1 << 16];
} text_out;

bool text_open(text_out *t, const char *path, bool no_clobber, error *err); /* "-" = standard output */
void text_show(text_out *t);              /* what has been written so far appears, on standard output */
bool text_close(text_out *t, error *err); /* the file is there */
void text_abort(text_out *t);             /* the file is as it was; on standard output all of it appears */

void text_bytes(text_out *t, const char *bytes, size_t n);
void text_string(text_out *t, const char *string);
void text_int(text_out *t, int64_t value);
void text_uint(text_out *t, uint64_t value);
/* Quoted where CSV needs it.  A terminal gets '?' for each byte that make_printable() replaces; all else gets the bytes
 * as they are. */
void text_csv_string(text_out *t, const char *string);
/* Quoted and escaped.  JSON is UTF-8: each byte that is not becomes U+FFFD. */
void text_json_string(text_out *t, const char *string);
/* ,"name":"value", or null for NULL. */
void text_json_member(text_out *t, const char *name, const char *value);
/* Does it write both strings alike? */
bool text_json_same(const char *a, const char *b);
/* Overwrites bytes that were written before, of a file: a stream fails. */
void text_rewrite(text_out *t, size_t offset, const void *bytes, size_t n);
__attribute__((format(printf, 2, 3))) void text_printf(text_out *t, const char *format, ...); /* up to 8 KiB */

/* The fewest digits that read back as the same double; "nan", "inf", "-inf". */
void text_real(text_out *t, double value);

#endif
