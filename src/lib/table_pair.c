#include "table_pair.h"

#include "choose.h"
#include "pool.h"
#include "shape.h"
#include "sized.h"
#include "status.h"

static sat_status check_host(const sat_table *t)
{
    if (t->view.memory != SAT_DEVICE) return SAT_OK;
    return sat_fail(SAT_ERR_UNAVAILABLE, "table: in device memory; make a query of it, or copy it to host memory");
}

sat_status sat_pair_needs_squares(void)
{
    return sat_fail(
        SAT_ERR_ARGUMENT,
        "variances, deviations and roots are made from a table of the squares (power 2), too: there is none");
}

sat_status sat_pair_check_sums(const sat_pair *p)
{
    return p->sum_table.power != 2 ? SAT_OK
                                   : sat_fail(SAT_ERR_ARGUMENT, "the table of sums has sums of squares, power 2");
}

sat_status sat_pair_check(const sat_pair *p)
{
    const sat_table *sums = &p->sum_table, *squares = &p->square_table;
    if (squares->power != 2) return sat_fail(SAT_ERR_ARGUMENT, "the table of squares has sums of samples, power 1");
    if (p->sums.width != p->squares.width || p->sums.height != p->squares.height || p->sums.count != p->squares.count ||
        sums->view.channels != squares->view.channels)
        return sat_fail(SAT_ERR_SHAPE, "sums and squares: tables of images of different shapes");
    if (sums->sample != squares->sample)
        return sat_fail(SAT_ERR_TYPE, "sums and squares: tables of %s and %s samples", sat_type_name(sums->sample),
                        sat_type_name(squares->sample));
    return sat_pair_check_sums(p);
}

sat_status sat_pair_open(sat_pair *p, const sat_table *sums, const sat_table *squares, size_t n,
                         const sat_statistics *ask, size_t table_bytes, size_t ask_bytes)
{
    *p = (sat_pair){.exact = false};
    sat_status status = sat_take_struct(&p->sum_table, sizeof p->sum_table, sums, table_bytes, "table");
    if (status == SAT_OK) status = sat_take_struct(&p->given, sizeof p->given, ask, ask_bytes, "statistics");
    if (status == SAT_OK) status = sat_rect_ask_of(&p->given, false, &p->ask);
    if (status == SAT_OK) status = sat_check_threads(p->given.threads);
    if (status == SAT_OK) status = sat_check_executor(p->given.executor);
    if (status == SAT_OK) status = check_host(&p->sum_table);
    if (status == SAT_OK) status = sat_reader_open(&p->sums, &p->sum_table, p->given.flags);
    if (status == SAT_OK) status = sat_pair_check_sums(p);
    if (status != SAT_OK) return status;
    p->channels = (size_t)p->sum_table.view.channels;
    p->threads = sat_threads_worth((double)n * (double)p->sums.count, SAT_SHARE_RECTS,
                                   p->given.threads ? p->given.threads : sat_processors());
    p->with_squares = sat_rect_needs_squares(&p->ask);
    if (squares == NULL) return p->with_squares ? sat_pair_needs_squares() : SAT_OK;
    status = sat_take_struct(&p->square_table, sizeof p->square_table, squares, table_bytes, "table of squares");
    if (status == SAT_OK) status = check_host(&p->square_table);
    if (status == SAT_OK) status = sat_reader_open(&p->squares, &p->square_table, p->given.flags);
    p->exact = !sat_is_real(p->sums.type) && !sat_is_real(p->squares.type);
    return status == SAT_OK ? sat_pair_check(p) : status;
}

void sat_pair_answer_nothing(const sat_pair *p, size_t to)
{
    if (p->ask.sums) p->ask.sums[to] = (sat_sum){0};
    sat_rect_put_nothing(&p->ask, to);
}
