/* arrays.h - one array put to a scan method. */
#ifndef ARRAYS_H
#define ARRAYS_H

#include "check.h"

typedef struct array {
    sat_scan_spec spec; /* method NULL; memory: of methods that run on a device */
    content content;
    void *in, *want; /* want: the answer for `segment`, -1: none yet */
    double *sizes;   /* sums of |samples| */
    int64_t segment;
    uint64_t random;
} array;

/* Fills an array of the spec; its memory, naive_staging and content are chosen at random.  NULL after fail(). */
array *array_new(uint64_t seed, const sat_scan_spec *spec);
void array_drop(void *made);
void array_text(const void *made, char *line, size_t bytes);

bool array_answer(array *a, int64_t segment);                       /* fills want and sizes; false after fail()  */
bool array_same(const array *a, const void *got, const char *what); /* fails with the first difference */

bool scans_arrays(const target *t); /* all scan methods */

/* Makes a scan of the target. NULL: after fail(), or after pass_over(). */
sat_scan *scan_of(const array *a, const target *t, sat_memory memory);

/* Runs it twice on fresh memory and compares. */
void array_run(void *made, const target *t);

#endif
