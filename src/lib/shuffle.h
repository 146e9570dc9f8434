/* shuffle.h - the lanes of two vectors in a constant order, for gcc and clang.
 *
 * SAT_SHUFFLE(a, b, i, j, ...) is the vector of lanes i, j, ... where the lanes of b are counted after those of a. It
 * has as many lanes as a and b. gcc has __builtin_shufflevector() since version 12; before, it takes the numbers of the
 * lanes as a vector of integers of the lanes' size. */
#ifndef SAT_SHUFFLE_H
#define SAT_SHUFFLE_H

#include <stdint.h>

#if __has_builtin(__builtin_shufflevector)
#define SAT_SHUFFLE(a, b, ...) __builtin_shufflevector(a, b, __VA_ARGS__)
#else
#define SAT_SHUFFLE(a, b, ...) __builtin_shuffle(a, b, (SAT_LANE_NUMBERS(a)){__VA_ARGS__})
#define SAT_LANE_NUMBERS(a)    __typeof__(SAT_INTEGER(sizeof((a)[0]))) __attribute__((vector_size(sizeof(a))))
#define SAT_INTEGER(bytes)                                                                                             \
    __builtin_choose_expr(                                                                                             \
        (bytes) == 1, (int8_t)0,                                                                                       \
        __builtin_choose_expr((bytes) == 2, (int16_t)0, __builtin_choose_expr((bytes) == 4, (int32_t)0, (int64_t)0)))
#endif

#endif
