/* filter_kinds.h - filters of the command that are no box: their options' values, and the specs that follow. */
#ifndef CLI_FILTER_KINDS_H
#define CLI_FILTER_KINDS_H

#include "options.h"
#include "stream_parts.h"

/* What a filter of one pass is made for. */
typedef struct filter_pass {
    const job *j;
    int64_t number, band_rows; /* number: from 0 on */
    image_shape shape;         /* of the samples that it sees */
    int threads;
    sat_type result;
    bool weighted; /* colours, by alpha */
    double border_value[4];
    valid_samples valid; /* which of the samples count; by a mask: masked */
} filter_pass;

/* The members of an operation's spec that follow from a pass; and those of operations that know what counts. */
#define FILTER_PASS(p)                                                                                                 \
    .width = (p)->shape.width, .height = (p)->shape.height, .channels = (p)->shape.channels,                           \
    .sample = (p)->shape.type, .count = (p)->shape.planes, .border = (p)->j->border,                                   \
    .border_value = {(p)->border_value[0], (p)->border_value[1], (p)->border_value[2], (p)->border_value[3]},          \
    .backend = (p)->j->backend, .threads = (p)->threads, .band_rows = (p)->band_rows
#define FILTER_VALID(p)                                                                                                \
    .masked = (p)->valid.masked, .skip_nan = (p)->valid.skip_nan, .has_nodata = (p)->valid.has_nodata,                 \
    .nodata = (p)->valid.nodata, .empty = (p)->valid.nodata, .min_valid = (p)->j->windows.min_valid,                   \
    .keep_holes = (p)->j->keep_holes

/* Fills what follows from the stream and the image, whose type is that of the samples and of the border's values; false
 * if there are several values, and not one for each of the channels. */
bool filter_pass_of(filter_pass *p, const stream *s, const job *j, const image *img, int channels, error *err);

/* Takes the option that options_next() returned; false if it is none of a filter. */
bool filter_option(filter_choice *f, options *o, int c);

/* Takes a side of a square window in pixels, or a radius, that has a fraction; false if optarg is none. */
bool filter_side(filter_choice *f, const options *o, bool is_radius);

#endif
