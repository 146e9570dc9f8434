/* stage.h - one image put to one plan: the case, and the memory that it is run in. */
#ifndef STAGE_H
#define STAGE_H

#include "check.h"

typedef struct whole {
    picture picture;
    sat_memory memory; /* of the views of backends that run on a device */
    bool carry;        /* ask for the carry row too */
    uint64_t random;
} whole;

/* The image's sides. */
typedef struct shape {
    int64_t width, height;
} shape;

/* A case with everything but types and shape at random.  NULL after fail(). */
whole *whole_new(uint64_t seed, pair types, shape s);
/* The same with so many channels. */
whole *whole_of(uint64_t seed, pair types, shape s, int channels);
/* The same case with its answer; NULL (and the case dropped) after fail(). */
whole *whole_answer(whole *w, bool (*answer)(picture *p));
void whole_drop(void *made);
void whole_text(const void *made, char *line, size_t bytes);

bool builds_tables(const target *t); /* all but scan methods */
bool sums_tables(const target *t);   /* and but ceilings     */

/* The areas of one run. */
typedef struct stage {
    area image, table, carry;
} stage;

/* All return false after fail(). */
bool stage_open(stage *st, const whole *w, sat_memory memory, uint64_t *random);
/* Poison, and the first time the image.  fresh: the table was never written, and will be wholly. */
bool stage_fill(stage *st, const picture *p, uint64_t *random, bool first, bool fresh);
bool stage_queue(stage *st, const whole *w, sat_plan *plan); /* sat_plan_run()                       */
/* Is the table right, if it is to be compared, and was nothing else written?  *table: as it lies on the host. */
bool stage_check(stage *st, const whole *w, bool compare, sat_view *table);
void stage_close(stage *st); /* accepts a zeroed one */

/* Rectangles in the picture; in three of four cases some that are not. */
void random_rects(const picture *p, unsigned flags, sat_rect *rects, size_t n, uint64_t *random);

#endif
