/* sample_type.h - what kind of number a type holds. */
#ifndef IO_SAMPLE_TYPE_H
#define IO_SAMPLE_TYPE_H

#include <stdbool.h>

#include "sat.h"

static inline bool is_float_type(sat_type type)
{
    return type == SAT_F32 || type == SAT_F64;
}

/* Integers of which some are below zero: of samples or of sums. */
static inline bool is_signed_type(sat_type type)
{
    return type == SAT_I8 || type == SAT_I16 || type == SAT_I32 || type == SAT_I64;
}

#endif
