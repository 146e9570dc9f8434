/* image_statistics.c - statistics of rectangles from the pixels of an image that is in memory.
 *
 * A rectangle is one of whole pixels, or up to nine with a weight each (pieces.h), and one thread's: the same answers
 * on any number of threads. */
#include "choose.h"
#include "pool.h"
#include "rect_job.h"
#include "samples.h"

typedef struct work {
    sat_rect_job job;
    size_t part_rects; /* that a thread takes at a time */
} work;

static void answer_one(const sat_rect_job *j, int64_t image, size_t i, int worker)
{
    enum { CHANNELS = 4, PIECES = 9 };
    sat_totals_scratch own;
    sat_totals totals[CHANNELS * PIECES];
    sat_rect touched;
    sat_edges e;
    sat_pieces at;
    const int passes = sat_totals_passes(j->image.type, &j->ask);
    const bool inside = sat_rect_job_status(j, i, &touched, &e) == SAT_RECT_INSIDE;
    if (inside) sat_rect_job_pieces(j, &touched, &e, &at);
    for (int c = 0; inside && j->counts && c < j->image.channels; c++) {
        const sat_channel p = sat_rect_job_channel(j, image, c, worker, &own);
        sat_totals *t = totals + (ptrdiff_t)c * at.n;
        for (int k = 0; k < at.n; k++) t[k] = (sat_totals){0};
        for (int pass = 0; pass < passes; pass++) {
            const double mean = pass > 0 ? sat_totals_mean(&at, t) : 0;
            for (int k = 0; k < at.n; k++) sat_totals_add(&p, &at.of[k].rect, pass, &j->ask, mean, &t[k]);
        }
    }
    sat_rect_job_put(j, image, i, inside ? &touched : NULL, &at, totals);
}

static void answer_part(void *context, int64_t part, int worker)
{
    const work *w = context;
    const sat_rect_job *j = &w->job;
    const size_t all = j->n * (size_t)j->image.count, first = (size_t)part * w->part_rects;
    for (size_t i = first; i < all && i < first + w->part_rects; i++) {
        if (!sat_goes_on(j->run, worker, 0)) return;
        answer_one(j, (int64_t)(i / j->n), i % j->n, worker);
    }
}

/* So that large rectangles are spread, parts are of as few as make them worth taking, on an average. */
static sat_status answer_all(work *w, int threads)
{
    enum { PART_RECTS = 16 };
    const double part_px = 0x1p16, share_px = 0x1p18; /* some 100 us: ten times what it takes to wake a thread */
    const sat_rect_job *j = &w->job;
    const size_t all = j->n * (size_t)j->image.count;
    double px = 0;
    sat_rect touched;
    sat_edges e;
    for (size_t i = 0; i < j->n; i++)
        if (sat_rect_job_status(j, i, &touched, &e) == SAT_RECT_INSIDE)
            px += sat_rect_px(&touched) * (double)j->image.count;
    w->part_rects = 1;
    while (w->part_rects < PART_RECTS && (double)w->part_rects * px < (double)all * part_px) w->part_rects *= 2;
    return sat_run_each(j->run, j->given.executor, sat_threads_worth(px, share_px, threads),
                        sat_parts((int64_t)all, (int64_t)w->part_rects), answer_part, w);
}

static sat_status open_job(sat_rect_job *j, const sat_view *image, const sat_view *mask, const sat_statistics *ask,
                           size_t ask_bytes)
{
    sat_status status = sat_take_samples(&j->image, image, "image");
    if (status == SAT_OK && mask) status = sat_take_samples(&j->mask, mask, "mask"); /* of the host */
    if (status == SAT_OK && mask) status = sat_mask_take(&j->mask, mask, &j->image);
    return status == SAT_OK ? sat_rect_job_open(j, mask != NULL, ask, ask_bytes) : status;
}

static sat_status answer(work *w, const sat_view *image, const sat_statistics *ask, const sat_run_options *given,
                         size_t ask_bytes, size_t run_bytes)
{
    sat_run run;
    sat_control control;
    sat_rect_job *j = &w->job;
    sat_status status = sat_take_run(&run, &control, given, run_bytes, SAT_RUN_MASK);
    if (status == SAT_OK) status = open_job(j, image, run.mask, ask, ask_bytes);
    if (status == SAT_OK) status = sat_run_asked(&run);
    if (status != SAT_OK) return status;
    const int most = j->given.threads ? j->given.threads : sat_processors();
    status = sat_rect_job_check(j, &run, most);
    if (status != SAT_OK || j->n == 0 || !(j->counts || j->ask.areas || j->ask.areas_f64)) return status;
    j->run = &run;
    status = answer_all(w, most);
    j->run = NULL;
    return status;
}

sat_status sat_image_statistics_sized(const sat_view *image, const sat_rect *rects, size_t n, const sat_statistics *ask,
                                      const sat_run_options *run, size_t ask_bytes, size_t run_bytes)
{
    work w = {.job = {.whole = rects, .n = n}};
    return answer(&w, image, ask, run, ask_bytes, run_bytes);
}

sat_status sat_image_statistics_f64_sized(const sat_view *image, const sat_rect_f64 *rects, size_t n,
                                          const sat_statistics *ask, const sat_run_options *run, size_t ask_bytes,
                                          size_t run_bytes)
{
    work w = {.job = {.reals = rects, .n = n}};
    return answer(&w, image, ask, run, ask_bytes, run_bytes);
}
