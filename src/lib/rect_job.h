/* rect_job.h - rectangles that are asked of an image: the question checked, each rectangle checked, one answered. */
#ifndef SAT_RECT_JOB_H
#define SAT_RECT_JOB_H

#include "reader.h"
#include "rect_totals.h"
#include "samples.h"

typedef struct sat_rect_job {
    const sat_run *run;
    sat_view image, mask; /* whole, or rows of it */
    sat_valid valid;
    bool masked, holes; /* there is a mask; some samples may not count */
    sat_statistics given;
    sat_rect_ask ask;
    sat_reader bounds;         /* of rectangles */
    const sat_rect *whole;     /* these, */
    const sat_rect_f64 *reals; /* or these */
    size_t n;
    bool counts; /* something is asked for beside areas */
} sat_rect_job;

/* Takes the question; image is set, whole as far as its shape and type go, and whole, reals, n. */
sat_status sat_rect_job_open(sat_rect_job *j, bool masked, const sat_statistics *ask, size_t ask_bytes);

/* Rectangle i, cut to the image if that is asked for: the pixels that it touches, and with fractions its edges. */
sat_rect_status sat_rect_job_status(const sat_rect_job *j, size_t i, sat_rect *touched, sat_edges *e);

/* SAT_OK, or what is wrong with the first rectangle that is refused; or SAT_ERR_CANCELLED. */
sat_status sat_rect_job_check(const sat_rect_job *j, const sat_run *run, int threads);

static inline void sat_rect_job_pieces(const sat_rect_job *j, const sat_rect *touched, const sat_edges *e,
                                       sat_pieces *at)
{
    if (j->whole)
        sat_whole_piece(at, touched);
    else
        *at = sat_pieces_of(e);
}

/* Channel c of an image, for a worker. */
static inline sat_channel sat_rect_job_channel(const sat_rect_job *j, int64_t image, int c, int worker,
                                               sat_totals_scratch *own)
{
    return (sat_channel){.view = &j->image,
                         .step = sat_sample_step(&j->image),
                         .image = image,
                         .c = c,
                         .run = j->run,
                         .worker = worker,
                         .valid = &j->valid,
                         .mask = j->masked ? &j->mask : NULL,
                         .scratch = j->holes ? own : NULL};
}

/* The answers to rectangle i of an image, from its totals of each channel: at->n of them, one channel behind the other;
 * touched NULL: nothing is left of it. */
void sat_rect_job_put(const sat_rect_job *j, int64_t image, size_t i, const sat_rect *touched, sat_pieces *at,
                      const sat_totals *t);

#endif
