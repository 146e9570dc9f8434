/* images.c - several images, one job each. */
#include <pthread.h>
#include <stdio.h>

#include "backend.h"
#include "choose.h"
#include "images.h"

/* Work worth a thread: ten times what it takes to wake one. */
#define SHARE_US 100.0

sat_image_threads sat_image_threads_for(int64_t count, double image_us, int threads)
{
    if (count <= 1) return (sat_image_threads){1, threads};
    if (threads == 0) threads = sat_threads_worth((double)count * image_us, SHARE_US, sat_processors());
    int workers = threads < count ? threads : (int)count;
    return (sat_image_threads){workers, threads / workers};
}

typedef struct images {
    const sat_run *run;
    sat_image_job *job;
    void *context;
    pthread_mutex_t lock; /* of what follows */
    int64_t failed;       /* the lowest image that has; -1 = none */
    sat_status status;
    char detail[SAT_DETAIL_BYTES];
} images;

static void do_image(void *context, int64_t image, int worker)
{
    images *r = context;
    sat_run run = *r->run;
    run.asks = run.asks && worker == 0;
    sat_status status = r->job(r->context, &run, image, worker);
    if (status == SAT_OK) return;
    pthread_mutex_lock(&r->lock);
    if (r->failed < 0 || image < r->failed) {
        r->failed = image;
        r->status = status;
        snprintf(r->detail, sizeof r->detail, "%s", sat_detail());
    }
    pthread_mutex_unlock(&r->lock);
}

sat_status sat_each_image(const sat_run *run, const sat_executor *executor, int workers, int64_t count,
                          sat_image_job *job, void *context)
{
    if (count == 1) return job(context, run, 0, 0);
    images r = {
        .run = run, .job = job, .context = context, .lock = PTHREAD_MUTEX_INITIALIZER, .failed = -1, .status = SAT_OK};
    sat_status status = sat_run_each(run, executor, workers, count, do_image, &r);
    if (status != SAT_OK) return status;
    return r.failed < 0 ? SAT_OK : sat_fail(r.status, "image %lld: %s", (long long)r.failed, r.detail);
}
