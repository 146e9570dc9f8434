/* answers_choice.h - are rectangles of an image answered by a table, or from its pixels? */
#ifndef CLI_ANSWERS_CHOICE_H
#define CLI_ANSWERS_CHOICE_H

#include "format.h"
#include "rects.h"

/* What is asked of each rectangle beside its sum. */
typedef struct answers_ask {
    bool variances, roots; /* of squares */
    bool holes;            /* some samples may not count: the pixels are summed */
    const char *backend;   /* of a table, which is made in any case; NULL: whichever way is better */
    int threads;
    size_t answer_bytes; /* of a rectangle in each band */
} answers_ask;

typedef struct answers_choice {
    bool table;     /* one is made, for sums and for squares where they are asked for */
    bool pixels;    /* they are summed: no table is made, or none would be as exact */
    bool known;     /* all rectangles are */
    bool forced;    /* its backend makes a table */
    bool too_large; /* a table would be made if there were memory for it */
    bool one_chunk; /* all are known, and handed out at once */
    bool dense;     /* all are known, and there is one for every few pixels: the image is read whole, if it may be */
    double image_bytes, answers_bytes; /* the latter of all that are answered at once */
    int64_t largest_px;                /* the largest rectangle, as far as that is known */
    sat_type accum;                    /* of the table of sums that answers it; SAT_TYPE_NONE: none is proven to */
    uint64_t table_bytes;              /* of the tables and what makes them; UINT64_MAX: more than can be */
} answers_choice;

answers_choice answers_choose(const answers_ask *ask, const rects *from, const image_shape *shape);

/* Of the table of sums in that type (power 1), or of squares (2). */
sat_plan_spec answers_plan_spec(const answers_ask *ask, const image_shape *shape, sat_type accum, int power);

/* Rectangles of floats that were summed from the pixels: would a table have taken far less? */
bool answers_table_pays(const answers_ask *ask, const rects_load *load, const image_shape *shape);

/* For -v: "no table is made: ...", and why. */
void answers_choice_say(const answers_choice *c, const char *input);

#endif
