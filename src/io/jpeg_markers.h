/* jpeg_markers.h - the segments of a JPEG, read and written without a decoder. */
#ifndef IO_JPEG_MARKERS_H
#define IO_JPEG_MARKERS_H

#include "image.h"

typedef struct jpeg_markers {
    size_t length;         /* of the file, end marker included; from jpeg_read_markers() alone */
    bool ends_early;       /* the file has one scan, and ends after its coded pixels, without an end marker */
    int64_t width, height; /* px; height 0 = it follows the pixels (T.81, B.2.5) */
    int components;        /* 1 grey, 3 colour, 4 CMYK */
    int process;           /* the frame's code, T.81 table B.1: one that libjpeg reads */
    bool has_noise;        /* see jpeg_without_noise() */
    bool has_scan;         /* a start of scan was read, and so in_scans is known */
    bool in_scans;         /* several scans: the decoder keeps all coefficients until the last one */
} jpeg_markers;

/* Reads all segments to the end marker.  A missing end marker is an error, except in the case that sets
 * jpeg->ends_early.  All but the pixels goes to meta, which the caller frees, even if this returns false. */
bool jpeg_read_markers(const uint8_t *bytes, size_t n, jpeg_markers *jpeg, image_meta *meta, error *err);

/* Makes a copy without the parts that stb_image refuses although no pixel needs them: stray bytes between segments,
 * segments without a length, and revisions of JFIF other than 1.  bytes: a file that jpeg_read_markers() has accepted.
 * copy: n bytes.  Returns the size of the copy. */
size_t jpeg_without_noise(const uint8_t *bytes, size_t n, uint8_t *copy);

/* The length of a file, end marker included, from its first n bytes.  0 if more bytes are needed; n if the bytes are
 * corrupt.  jpeg: set from the segments that were read. */
size_t jpeg_length(const uint8_t *bytes, size_t n, jpeg_markers *jpeg);

/* The segments to write behind an encoder's JFIF header, malloc'd: EXIF, XMP, profile and comments.  Metadata that does
 * not fit a segment (255 for the profile) is left out; of EXIF the orientation stays.  NULL and 0 if there is none. */
bool jpeg_meta_segments(const image_meta *meta, uint8_t **segments, size_t *n, error *err);

/* Sets the density in a file that begins with SOI and a JFIF segment. */
void jpeg_set_density(uint8_t *bytes, size_t n, const image_meta *meta);

#endif
