/* netpbm.h - what PNM, PAM and PFM have in common: headers of numbers in text, samples in rows. */
#ifndef IO_NETPBM_H
#define IO_NETPBM_H

#include "row_sink.h"
#include "row_source.h"

enum { NETPBM_LARGEST_SIDE = INT32_MAX }; /* px */

typedef struct netpbm_reader {
    const uint8_t *at, *end;
} netpbm_reader;

bool netpbm_is_space(uint8_t c);

/* Skips white space and comments (# to the end of the line), then reads a number of up to largest. */
bool netpbm_number(netpbm_reader *r, unsigned largest, unsigned *value, error *err);
/* The same for a single digit 0 or 1, which needs no space after it. */
bool netpbm_bit(netpbm_reader *r, unsigned *value, error *err);
/* Skips the one byte of white space that ends a header. */
bool netpbm_one_space(netpbm_reader *r, error *err);
/* For extent(), after a header could not be read from the n bytes of a stream.  Keeps the error; if the reader has
 * reached the end, replaces it by one that the header is too long.  Returns false. */
bool netpbm_no_header(const netpbm_reader *r, size_t n, error *err);
/* Are so many bytes left? */
bool netpbm_has(const netpbm_reader *r, uint64_t bytes, error *err);

/* Refuses bytes behind the image, except white space and comments of a text format.  bytes: the beginning of the file.
 */
bool netpbm_ends(netpbm_reader *r, const uint8_t *bytes, bool text, error *err);

/* Sample i of a row: v of maxval, scaled to the full range of the image's type. */
void netpbm_store(const image *img, uint8_t *row, size_t i, unsigned v, unsigned maxval);

/* For open(): rows from begin on, of samples of one byte each or, if maxval is over 255, two, the higher one first.  Is
 * so much of the input there?  A sample over maxval is an error. */
bool netpbm_rows(row_source *s, uint64_t begin, unsigned maxval, error *err);

/* For begin(): samples are of one byte, or of two, the higher one first. */
void netpbm_pack_samples(row_sink *s);

#endif
