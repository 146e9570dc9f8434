/* query_statistics.c - variances and more of rectangles, from a table and the table of the squares. */
#include <math.h>

#include "choose.h"
#include "moments.h"
#include "pool.h"
#include "reader.h"
#include "shape.h"
#include "sized.h"
#include "status.h"

typedef struct job {
    sat_statistics ask;
    sat_reader sums, squares;
    const sat_rect *rects;
    size_t n, channels;
    bool with_squares, exact; /* exact: both tables are of integers */
} job;

static bool is_real(sat_type type)
{
    return sat_is_float(type) || type == SAT_Q32;
}

static double as_double(sat_type type, sat_sum sum)
{
    return is_real(type) ? sum.f : sat_is_signed(type) ? (double)sum.i : (double)sum.u;
}

static double variance_of(const job *j, sat_sum s1, sat_sum s2, const sat_rect *rect)
{
    const double px = sat_rect_px(rect);
    if (!j->exact)
        return sat_variance_f(px, as_double(j->sums.type, s1), as_double(j->squares.type, s2), (double)j->ask.ddof);
    const uint64_t n = (uint64_t)rect->width * (uint64_t)rect->height, ddof = (uint64_t)j->ask.ddof;
    return sat_is_signed(j->sums.type) ? sat_variance_i(n, s1.i, s2.u, ddof) : sat_variance_u(n, s1.u, s2.u, ddof);
}

static double root_of(const job *j, sat_sum s2, const sat_rect *rect)
{
    if (is_real(j->squares.type)) return sat_rms_f(sat_rect_px(rect), s2.f);
    return sat_rms_u((uint64_t)rect->width * (uint64_t)rect->height, s2.u);
}

/* One channel of a rectangle that is inside, as answer number `to`. */
static void answer_one(const job *j, uint64_t image, const sat_rect *rect, size_t c, size_t to)
{
    const sat_statistics *ask = &j->ask;
    const double px = sat_rect_px(rect);
    const sat_sum corners = sat_corners_of(&j->sums, image, rect, c), s1 = sat_rect_sum(&j->sums, corners, px);
    if (ask->sums) ask->sums[to] = s1;
    if (ask->means) ask->means[to] = sat_rect_mean(&j->sums, corners, px);
    if (!j->with_squares) return;
    const sat_sum s2 = sat_rect_sum(&j->squares, sat_corners_of(&j->squares, image, rect, c), px);
    if (ask->variances || ask->deviations) {
        const double variance = variance_of(j, s1, s2, rect);
        if (ask->variances) ask->variances[to] = variance;
        if (ask->deviations) ask->deviations[to] = sqrt(variance);
    }
    if (ask->roots) ask->roots[to] = root_of(j, s2, rect);
}

static void answer_nothing(const job *j, size_t to)
{
    const sat_statistics *ask = &j->ask;
    if (ask->sums) ask->sums[to] = (sat_sum){0};
    if (ask->means) ask->means[to] = NAN;
    if (ask->variances) ask->variances[to] = NAN;
    if (ask->deviations) ask->deviations[to] = NAN;
    if (ask->roots) ask->roots[to] = NAN;
}

/* Answers are numbered through all images: image * n + rectangle. */
static void answer_part(void *context, int64_t part, int worker)
{
    const job j = *(const job *)context; /* here, no answer that is written can change it */
    const size_t all = j.n * (size_t)j.sums.count, first = (size_t)part * SAT_PART_RECTS;
    const size_t end = all - first < SAT_PART_RECTS ? all : first + SAT_PART_RECTS;
    uint64_t image = first / j.n;
    size_t of = first % j.n; /* the rectangle */
    (void)worker;
    for (size_t i = first; i < end; i++) {
        sat_rect rect = j.rects[of];
        /* Both tables cut it alike; that each can answer it is asked again, as others may have changed it. */
        bool inside = sat_rect_validate(&j.sums, &rect) == SAT_RECT_INSIDE;
        if (inside && j.with_squares) inside = sat_rect_validate(&j.squares, &rect) == SAT_RECT_INSIDE;
        for (size_t c = 0; c < j.channels; c++)
            if (inside)
                answer_one(&j, image, &rect, c, i * j.channels + c);
            else
                answer_nothing(&j, i * j.channels + c);
        if (j.ask.areas && image == 0) j.ask.areas[of] = inside ? rect.width * rect.height : 0;
        if (++of == j.n) of = 0, image++;
    }
}

static sat_status check_host(const sat_table *t)
{
    if (t->view.memory != SAT_DEVICE) return SAT_OK;
    return sat_fail(SAT_ERR_UNAVAILABLE, "table: lies in device memory; copy it to the host first (sat_device_copy)");
}

/* Are they of one image? */
static sat_status check_pair(const job *j, const sat_table *sums, const sat_table *squares)
{
    if (squares->power != 2) return sat_fail(SAT_ERR_ARGUMENT, "the table of squares has sums of samples, power 1");
    if (j->sums.width != j->squares.width || j->sums.height != j->squares.height || j->sums.count != j->squares.count ||
        sums->view.channels != squares->view.channels)
        return sat_fail(SAT_ERR_SHAPE, "sums and squares: tables of images of different shapes");
    if (sums->sample != squares->sample)
        return sat_fail(SAT_ERR_TYPE, "sums and squares: tables of %s and %s samples", sat_type_name(sums->sample),
                        sat_type_name(squares->sample));
    return SAT_OK;
}

sat_status sat_table_statistics_sized(const sat_table *given_sums, const sat_table *given_squares,
                                      const sat_rect *rects, size_t n, const sat_statistics *ask, size_t table_bytes,
                                      size_t ask_bytes)
{
    sat_table sums, squares;
    job j = {.rects = rects, .n = n};
    sat_status status = sat_take_struct(&sums, sizeof sums, given_sums, table_bytes, "table");
    if (status == SAT_OK) status = sat_take_struct(&j.ask, sizeof j.ask, ask, ask_bytes, "statistics");
    if (status == SAT_OK && rects == NULL && n > 0) status = sat_fail(SAT_ERR_ARGUMENT, "no rectangles");
    if (status == SAT_OK && j.ask.ddof < 0) status = sat_fail(SAT_ERR_ARGUMENT, "ddof below 0");
    if (status == SAT_OK) status = sat_check_threads(j.ask.threads);
    if (status == SAT_OK) status = sat_check_executor(j.ask.executor);
    if (status == SAT_OK) status = check_host(&sums);
    if (status == SAT_OK) status = sat_reader_open(&j.sums, &sums, j.ask.flags);
    if (status == SAT_OK && sums.power == 2)
        status = sat_fail(SAT_ERR_ARGUMENT, "the table of sums has sums of squares, power 2");
    if (status != SAT_OK) return status;
    j.channels = (size_t)sums.view.channels;
    j.with_squares = j.ask.variances || j.ask.deviations || j.ask.roots;
    if (j.with_squares) {
        status = sat_take_struct(&squares, sizeof squares, given_squares, table_bytes, "table of squares");
        if (status == SAT_OK) status = check_host(&squares);
        if (status == SAT_OK) status = sat_reader_open(&j.squares, &squares, j.ask.flags);
        if (status == SAT_OK) status = check_pair(&j, &sums, &squares);
        if (status != SAT_OK) return status;
        j.exact = !is_real(sums.view.type) && !is_real(squares.view.type);
    }
    const int threads = sat_threads_worth((double)n * (double)j.sums.count, SAT_SHARE_RECTS,
                                          j.ask.threads ? j.ask.threads : sat_processors());
    status = sat_reader_check_all(&sums, &j.sums, rects, n, j.ask.executor, threads);
    if (status == SAT_OK && j.with_squares)
        status = sat_reader_check_all(&squares, &j.squares, rects, n, j.ask.executor, threads);
    if (status != SAT_OK || n == 0) return status;
    sat_parallel_on(j.ask.executor, threads, sat_parts((int64_t)(n * (size_t)j.sums.count), SAT_PART_RECTS),
                    answer_part, &j);
    return SAT_OK;
}
