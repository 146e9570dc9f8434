/* jpeg_markers.h - what stands in a JPEG beside its pixels, whoever decodes those. */
#ifndef IO_JPEG_MARKERS_H
#define IO_JPEG_MARKERS_H

#include "image.h"

typedef struct jpeg_markers {
    int64_t width, height; /* px */
    int components;        /* 1 grey, 3 colour, 4 CMYK */
    int process;           /* the frame's code, T.81 table B.1: one that libjpeg reads */
    bool has_noise;        /* see jpeg_without_noise() */
    bool in_scans;         /* its coefficients come in several scans, and are kept until the last */
} jpeg_markers;

/* Walks all segments to the end marker: one that is not there is an error.  What is not
 * pixels goes to meta, which on false is the caller's to free. */
bool jpeg_read_markers(const uint8_t *bytes, size_t n, jpeg_markers *jpeg, image_meta *meta, error *err);

/* What stb_image refuses though it hurts no pixel: stray bytes between segments, segments without a length, and a
 * revision of JFIF that it does not know.  Makes a copy without them, of n bytes or less, of a file that
 * jpeg_read_markers() has walked; returns its size. */
size_t jpeg_without_noise(const uint8_t *bytes, size_t n, uint8_t *copy);

/* jpeg_read_markers() of the first n bytes of a stream: how long the file is, up to and with the end marker; n if
 * something is wrong with what comes before; 0 if they hold neither.  jpeg: as far as they say. */
size_t jpeg_length(const uint8_t *bytes, size_t n, jpeg_markers *jpeg);

/* The segments to put behind an encoder's JFIF header, malloc'd: EXIF, XMP, the profile and comments, but for what is
 * too large for JPEG (a segment, for the profile 255); NULL and 0 if there is nothing to say. */
bool jpeg_meta_segments(const image_meta *meta, uint8_t **segments, size_t *n, error *err);

/* Sets the density in a file that begins with SOI and a JFIF segment. */
void jpeg_set_density(uint8_t *bytes, size_t n, const image_meta *meta);

#endif
