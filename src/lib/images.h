/* images.h - runs on several images by host code that knows one: whole images are spread over threads. */
#ifndef SAT_IMAGES_H
#define SAT_IMAGES_H

#include "run.h"

/* How many images are worked on at a time, and the threads of each. */
typedef struct sat_image_threads {
    int workers, each; /* each: 0 = as many as the backend finds worth it */
} sat_image_threads;

/* For `count` images that take one thread so many microseconds each; threads as in sat_plan_spec. */
sat_image_threads sat_image_threads_for(int64_t count, double image_us, int threads);

/* Runs one image in the state of a worker. */
typedef sat_status sat_image_job(void *context, const sat_run *run, int64_t image, int worker);

/* Calls job(context, run, image, worker) once for each image 0 .. count-1, in at most that many workers; the job's run
 * is the given one, of which its thread may not be the one that asks.  An image that fails ends no other.  Returns
 * SAT_ERR_CANCELLED, or the failure of the lowest image that failed, with its detail. */
sat_status sat_each_image(const sat_run *run, const sat_executor *executor, int workers, int64_t count,
                          sat_image_job *job, void *context);

#endif
