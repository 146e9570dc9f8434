/* sample_type.h - what kind of number a type holds. */
#ifndef IO_SAMPLE_TYPE_H
#define IO_SAMPLE_TYPE_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "sat.h"

static inline bool is_float_type(sat_type type)
{
    return type == SAT_F16 || type == SAT_F32 || type == SAT_F64;
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

/* The f16 nearest to a value, ties to even; infinite beyond 65520, and NaN keeps its highest bits. */
static inline uint16_t f16_bits(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    const uint16_t sign = bits >> 16 & 0x8000;
    bits &= 0x7fffffff;
    if (bits > 0x7f800000) return sign | 0x7c00 | (bits >> 13 & 0x3ff ? bits >> 13 & 0x3ff : 1);
    if (bits >= 0x477ff000) return sign | 0x7c00;
    if (bits < 0x38800000) return sign | (uint16_t)rintf(fabsf(value) * 0x1p24f); /* multiples of 2^-24 */
    return sign | (uint16_t)(((bits + 0xfff + (bits >> 13 & 1)) >> 13) - (112 << 10));
}

#endif
