/* query_statistics.c - variances and more of rectangles, from a table, that of the squares and that of the counts. */
#include "pool.h"
#include "status.h"
#include "table_pair.h"

typedef struct job {
    const sat_run *run;
    sat_pair pair;
    const sat_rect *whole;
    const sat_rect_f64 *reals; /* or these, with fractions */
    size_t n;
} job;

/* One channel of a rectangle that is inside, as answer number `to`. */
static void answer_one(const sat_pair *p, uint64_t image, const sat_rect *rect, size_t c, size_t to)
{
    const sat_rect_ask *ask = &p->ask;
    const int64_t count = sat_pair_count(p, image, rect, c);
    const double n = (double)count;
    if (count == 0) {
        sat_pair_answer_nothing(p, to);
    } else {
        const sat_sum corners = sat_corners_of(&p->sums, image, rect, c), s1 = sat_rect_sum(&p->sums, corners, n);
        sat_rect_features f = {
            .n = n, .mean = sat_rect_mean(&p->sums, corners, n), .sum = sat_sum_as_double(p->sums.type, s1)};
        if (p->with_squares) {
            const sat_reader *sums = &p->sums, *squares = &p->squares;
            const sat_sum s2 = sat_rect_sum(squares, sat_corners_of(squares, image, rect, c), n);
            if (ask->needs & SAT_NEEDS_VAR)
                f.var = sat_count_variance(sums, squares, s1, s2, (uint64_t)count, ask->ddof);
            if (ask->needs & SAT_NEEDS_SQUARES) f.squares = sat_count_mean_square(squares, s2, (uint64_t)count);
            if (p->imprecise) {
                sat_pieces one;
                sat_whole_piece(&one, rect);
                sat_pair_judge(p, image, &one, c, &f);
            }
        }
        sat_pair_add_level(p, &f);
        if (ask->sums) ask->sums[to] = p->level != 0 ? (sat_sum){.f = f.sum} : s1;
        if (p->means) p->means[to] = f.mean;
        sat_rect_put(ask, to, &f);
    }
    sat_rect_put_area(ask, to, sat_rect_px(rect));
}

/* Answers are numbered through all images: image * n + rectangle. */
static void answer_part(void *context, int64_t part, int worker)
{
    const job j = *(const job *)context; /* here, no answer that is written can change it */
    const sat_pair *p = &j.pair;
    const size_t all = j.n * (size_t)p->sums.count, first = (size_t)part * SAT_PART_RECTS;
    const size_t end = all - first < SAT_PART_RECTS ? all : first + SAT_PART_RECTS;
    uint64_t image = first / j.n;
    size_t of = first % j.n; /* the rectangle */
    if (!sat_goes_on(j.run, worker, SAT_PART_US)) return;
    for (size_t i = first; i < end; i++) {
        sat_rect rect = {0};
        sat_pieces pieces = {0};
        bool inside;
        if (j.whole) {
            if (of + SAT_AHEAD_RECTS < j.n) SAT_PREFETCH_CORNERS(&p->sums, image, &j.whole[of + SAT_AHEAD_RECTS]);
            rect = j.whole[of];
            inside = sat_pair_validate(p, &rect) == SAT_RECT_INSIDE; /* again, as others may have changed it */
        } else {
            inside = sat_pair_pieces(p, &j.reals[of], &pieces) == SAT_RECT_INSIDE;
        }
        for (size_t c = 0; c < p->channels; c++) {
            const size_t to = i * p->channels + c;
            if (!inside)
                sat_pair_answer_nothing(p, to);
            else if (j.whole)
                answer_one(p, image, &rect, c, to);
            else
                sat_pair_answer_pieces(p, image, &pieces, c, to);
        }
        if (p->ask.areas && image == 0) p->ask.areas[of] = inside ? rect.width * rect.height : 0;
        if (p->ask.areas_f64 && image == 0)
            p->ask.areas_f64[of] = !inside ? 0 : j.whole ? sat_rect_px(&rect) : pieces.area;
        if (++of == j.n) of = 0, image++;
    }
}

static sat_status answer(job *j)
{
    const sat_pair *p = &j->pair;
    if (p->imprecise) *p->imprecise = 0;
    if (j->n == 0) return SAT_OK;
    return sat_run_each(j->run, p->given.executor, p->threads,
                        sat_parts((int64_t)(j->n * (size_t)p->sums.count), SAT_PART_RECTS), answer_part, j);
}

sat_status sat_pair_answer(const sat_pair *pair, const sat_run *run, const sat_rect *rects, size_t n)
{
    job j = {.run = run, .pair = *pair, .whole = rects, .n = n};
    const sat_pair *p = &j.pair;
    const sat_executor *executor = p->given.executor;
    sat_status status = sat_reader_check_all(&p->sum_table, &p->sums, rects, n, run, executor, p->threads);
    if (status == SAT_OK && p->with_squares)
        status = sat_reader_check_all(&p->square_table, &p->squares, rects, n, run, executor, p->threads);
    if (status == SAT_OK && p->with_counts)
        status = sat_reader_check_all(&p->count_table, &p->counts, rects, n, run, executor, p->threads);
    return status == SAT_OK ? answer(&j) : status;
}

sat_status sat_table_statistics_sized(const sat_table *sums, const sat_table *squares, const sat_rect *rects, size_t n,
                                      const sat_statistics *ask, const sat_run_options *given, size_t table_bytes,
                                      size_t ask_bytes, size_t run_bytes)
{
    sat_run run;
    sat_control control;
    sat_pair pair;
    sat_status status = sat_take_run(&run, &control, given, run_bytes, 0);
    if (status == SAT_OK) status = sat_pair_open(&pair, sums, squares, n, ask, table_bytes, ask_bytes);
    if (status == SAT_OK && rects == NULL && n > 0) status = sat_fail(SAT_ERR_ARGUMENT, "no rectangles");
    if (status == SAT_OK) status = sat_run_asked(&run);
    return status == SAT_OK ? sat_pair_answer(&pair, &run, rects, n) : status;
}

/* ---- with fractions ------------------------------------------------------------------------------------- */

static sat_rect_status status_at(const void *context, size_t i)
{
    const job *j = context;
    return sat_pair_pieces(&j->pair, &j->reals[i], NULL);
}

sat_status sat_table_statistics_f64_sized(const sat_table *sums, const sat_table *squares, const sat_rect_f64 *rects,
                                          size_t n, const sat_statistics *ask, const sat_run_options *given,
                                          size_t table_bytes, size_t ask_bytes, size_t run_bytes)
{
    sat_run run;
    sat_control control;
    size_t bad;
    job j = {.run = &run, .reals = rects, .n = n};
    sat_pair *p = &j.pair;
    sat_status status = sat_take_run(&run, &control, given, run_bytes, 0);
    if (status == SAT_OK) status = sat_pair_open(p, sums, squares, n, ask, table_bytes, ask_bytes);
    if (status != SAT_OK) return status;
    if (rects == NULL && n > 0) return sat_fail(SAT_ERR_ARGUMENT, "no rectangles");
    if (p->ask.areas)
        return sat_fail(SAT_ERR_ARGUMENT, "areas of rectangles with fractions are no integers: areas_f64 takes them");
    status = sat_run_asked(&run);
    if (status == SAT_OK) status = sat_first_bad(&run, p->given.executor, p->threads, n, status_at, &j, &bad);
    if (status != SAT_OK) return status;
    return bad < n ? sat_pair_refuse_f64(p, bad, &rects[bad]) : answer(&j);
}
