/* npy_header.h - the header of a .npy file.
 *
 *     93 'N' 'U' 'M' 'P' 'Y'  major minor  length  {'descr': '<i8', 'fortran_order': False, 'shape': (3, 4), } ... \n
 *
 * length is 2 bytes in version 1.0 and 4 in 2.0 and 3.0, little-endian, and counts the dictionary with
 * the spaces and the newline after it; the array follows (NEP 1 of NumPy). */
#ifndef IO_NPY_HEADER_H
#define IO_NPY_HEADER_H

#include <stdint.h>
#include <stddef.h>

#include "error.h"
#include "sat.h"

enum {
    NPY_PAGE = 4096,  /* our arrays begin at this byte, so that a mapping of the file is aligned to pages */
    NPY_DIMS_MAX = 3, /* rows, columns, channels */
};

typedef struct npy_header {
    char kind;      /* NumPy's letter: 'i', 'u', 'f', 'b' ... */
    int item_bytes; /* 1 .. 16 */
    int dims;       /* 1 .. NPY_DIMS_MAX */
    int64_t shape[NPY_DIMS_MAX];
    size_t data_offset, data_bytes;
    bool big_endian; /* items of more than one byte; never so from npy_format() */
} npy_header;

/* The type of samples that an array of these numbers may hold, SAT_TYPE_NONE if none. */
sat_type npy_image_type(const npy_header *header);

/* NumPy's name of the numbers' type: "int64".  Its short ones, such as i8, are our names of other types. */
enum { NPY_NAME_BYTES = 24 };
const char *npy_type_name(const npy_header *header, char name[NPY_NAME_BYTES]);

/* NumPy's letter for a type of samples or sums. */
char npy_kind(sat_type type);

bool npy_sniff(const uint8_t *bytes, size_t n);

/* Reads the header of a file of n bytes.  Refuses all but arrays of plain numbers in C order with 1 to
 * 3 dimensions, and a file too short for its shape.  A dimension may be 0. */
bool npy_parse(npy_header *header, const uint8_t *bytes, size_t n, error *err);

/* The same for the first n bytes of a file.  They must contain the header; the array may lie behind them. */
bool npy_parse_header(npy_header *header, const uint8_t *bytes, size_t n, error *err);

/* The error of a file of n bytes, too few for its array; returns false. */
bool npy_too_short(const npy_header *header, uint64_t n, error *err);

/* Refuses a big-endian array. */
bool npy_little(const npy_header *header, error *err);

/* Writes the header of a C-order array in version 1.0: NPY_PAGE bytes.  Takes kind, item_bytes, dims and
 * shape, of which no number needs more than 19 digits. */
void npy_format(const npy_header *header, uint8_t page[NPY_PAGE]);

/* The same in NumPy's length: a multiple of 64 bytes.  Returns the length. */
size_t npy_format_short(const npy_header *header, uint8_t page[NPY_PAGE]);

/* The same as npy_format(), of an array of n records.  fields: "('x', '<i8'), ('mean', '<f8', (3,))", at most 3840
 * bytes. */
void npy_format_records(const char *fields, uint64_t n, uint8_t page[NPY_PAGE]);

#endif
