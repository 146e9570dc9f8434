/* processor.h - the sets of vector instructions that loops are compiled for, and which of them this processor has. */
#ifndef SAT_PROCESSOR_H
#define SAT_PROCESSOR_H

#include <stdbool.h>

/* Each set includes the ones before it. Names: portable, avx2, avx512. */
typedef enum sat_set {
    SAT_SET_PORTABLE, /* what the compiler uses without being told */
    SAT_SET_AVX2,     /* AVX2, BMI2 and FMA */
    SAT_SET_AVX512    /* AVX-512 F, BW, DQ, VL and VNNI, BMI2 and FMA */
} sat_set;

/* Returns whether the processor has the set, and SAT_ISA_MOST (override.h) does not hide it. A SAT_ISA_MOST that is not
 * the name of a set hides all of them, so that a typing error is noticed. */
bool sat_processor_has(sat_set set);

#endif
