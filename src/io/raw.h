/* raw.h - files of samples alone, whose size and type the user says. */
#ifndef IO_RAW_H
#define IO_RAW_H

#include "format.h"

/* Rows without gaps, the top one first, the channels of a pixel side by side. */
typedef struct raw_layout {
    int64_t width, height; /* px, at least 1 */
    int channels;          /* 1 to 4 */
    sat_type type;
    bool big_endian; /* of samples of more than one byte: the highest byte first */
    bool has_offset; /* the file may go on behind the image; else it ends there */
    uint64_t offset; /* of the first sample, bytes */
} raw_layout;

/* "WxH:TYPE[:C][@OFFSET]".  TYPE: u8, i8, or u16, i16, u32, i32, f32 or f64 followed by le or be.  For
 * decode_options.raw. */
bool raw_parse(raw_layout *raw, const char *text, error *err);

#endif
