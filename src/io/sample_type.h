/* sample_type.h - what kind of number a type holds. */
#ifndef IO_SAMPLE_TYPE_H
#define IO_SAMPLE_TYPE_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

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

/* A float of 16 bits (IEEE 754 binary16), which f32 holds exactly. */
static inline float f16_value(uint16_t bits)
{
    const int exponent = bits >> 10 & 31, fraction = bits & 1023;
    float value = exponent ? ldexpf((float)(1024 + fraction), exponent - 25) : ldexpf((float)fraction, -24);
    if (exponent == 31) value = fraction ? NAN : INFINITY;
    return bits >> 15 ? -value : value;
}

#endif
