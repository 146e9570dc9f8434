/* filter_kinds.h - filters of the command that are no box: their options' values, and the specs that follow. */
#ifndef CLI_FILTER_KINDS_H
#define CLI_FILTER_KINDS_H

#include "options.h"
#include "stream_parts.h"

/* What a filter of one pass is made for. */
typedef struct filter_pass {
    const job *j;
    int64_t number;    /* from 0 on */
    image_shape shape; /* of the samples that it sees */
    sat_type result;
    bool weighted; /* colours, by alpha */
    double border_value[4];
    valid_samples valid; /* which of the samples count; by a mask: masked */
} filter_pass;

/* Takes the option that options_next() returned; false if it is none of a filter. */
bool filter_option(filter_choice *f, options *o, int c);

/* Takes a side of a square window in pixels, or a radius, that has a fraction; false if optarg is none. */
bool filter_side(filter_choice *f, const options *o, bool is_radius);

#endif
