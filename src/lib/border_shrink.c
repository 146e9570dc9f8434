/* border_shrink.c - the window is cut at the edge: the mean of the pixels inside the image. */
#include "border.h"

const sat_border sat_border_shrink = {
    .name = "shrink",
    .summary = "mean of the pixels inside the image",
    .shrinks = true,
    .segments = sat_border_inside,
};
