/* box_template.h - box_ops.h for one instruction set: loops that compilers vectorise. */
#ifndef SAT_CPU_BOX_TEMPLATE_H
#define SAT_CPU_BOX_TEMPLATE_H

#include "box_ops.h"
#include "loops_template.h"

#define EACH_SAMPLE "sums_sample_template.h"
#include "samples_template.h"

#define BITS 16
#include "sums_template.h"
#define BITS 32
#include "sums_template.h"
#define BITS 64
#include "sums_template.h"

#define W 1
#include "box_few_template.h"
#define W 2
#include "box_few_template.h"
#define W 3
#include "box_few_template.h"
#define W 4
#include "box_few_template.h"
#define W 5
#include "box_few_template.h"

/* By types: of samples and sums; of sums, unsigned (u) or signed (i), and results. */
#define TO_SUMS(name, s)      [BOX_SUMS_32] = name##_##s##_u32, [BOX_SUMS_64] = name##_##s##_u64
#define TO_8(name, s)         [BOX_TO_8] = name##_##s##8
#define TO_16(name, s)        TO_8(name, s), [BOX_TO_16] = name##_##s##16
#define TO_32(name, s)        TO_16(name, s), [BOX_TO_32] = name##_##s##32
#define TO_F24(name, f24)     [BOX_TO_F24] = name##_##f24
#define TO_FLOATS(name)       [BOX_TO_F32] = name##_f32, [BOX_TO_F64] = name##_f64
#define FROM_16(name, s, f24) TO_8(name##_##s##16, s), TO_F24(name##_##s##16, f24), [BOX_TO_F64] = name##_##s##16_f64
#define FROM_32(name, s, f24) TO_16(name##_##s##32, s), TO_F24(name##_##s##32, f24), TO_FLOATS(name##_##s##32)
#define FROM_64(name, s)      TO_32(name##_##s##64, s), TO_FLOATS(name##_##s##64)
#define OF_SUMS(name, s, f24)                                                                                          \
    {                                                                                                                  \
        {FROM_16(name, s, f24)}, {FROM_32(name, s, f24)},                                                              \
        {                                                                                                              \
            FROM_64(name, s)                                                                                           \
        }                                                                                                              \
    }
#define BY_CHANNELS(name)                                                                                              \
    {                                                                                                                  \
        name##_1, name##_2, name##_3, name##_4                                                                         \
    }

static const struct sat_box_ops box_ops = {
    .slide = {[BOX_U8] = {slide_u8_u16, TO_SUMS(slide, u8)},
              [BOX_U16] = {TO_SUMS(slide, u16)},
              [BOX_U32] = {TO_SUMS(slide, u32)},
              [BOX_I8] = {slide_i8_u16, TO_SUMS(slide, i8)},
              [BOX_I16] = {TO_SUMS(slide, i16)},
              [BOX_I32] = {TO_SUMS(slide, i32)}},
    .add = {[BOX_U8] = {add_u8_u16, TO_SUMS(add, u8)},
            [BOX_U16] = {TO_SUMS(add, u16)},
            [BOX_U32] = {TO_SUMS(add, u32)},
            [BOX_I8] = {add_i8_u16, TO_SUMS(add, i8)},
            [BOX_I16] = {TO_SUMS(add, i16)},
            [BOX_I32] = {TO_SUMS(add, i32)}},
    .prefix = {BY_CHANNELS(prefix_u16_u16), BY_CHANNELS(prefix_u32_u32), BY_CHANNELS(prefix_u64_u64)},
    .differ = {differ_u16, differ_u32, differ_u64},
    .below = {below_u16, below_u32, below_u64},
    .divide = {[BOX_UNSIGNED] = OF_SUMS(divide, u, f24), [BOX_SIGNED] = OF_SUMS(divide, i, f24)},
    /* Where the divisors differ, f32 needs no other loop for small sums. */
    .divide_each = {[BOX_UNSIGNED] = OF_SUMS(divide_each, u, f32), [BOX_SIGNED] = OF_SUMS(divide_each, i, f32)},
    .spread = {NULL, spread_u32, spread_u64},
    .weigh = {[BOX_U8] = weigh_u8, [BOX_U16] = weigh_u16, [BOX_I8] = weigh_i8, [BOX_I16] = weigh_i16},
    .few_sums = {few_sums_1, few_sums_2, few_sums_3, few_sums_4, few_sums_5},
    .few_means = {few_means_1, few_means_2, few_means_3, few_means_4, few_means_5},
};

#endif
