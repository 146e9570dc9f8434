/* border_constant.c - every pixel outside has one value. */
#include "border.h"

const sat_border sat_border_constant = {
    .name = "constant",
    .summary = "V V V | a b c d | V V V",
    .takes_value = true,
    .segments = sat_border_inside,
};
