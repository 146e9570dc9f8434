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
    const int power = p->sum_table.power;
    if (power == 1) return SAT_OK;
    return sat_fail(SAT_ERR_ARGUMENT, power == 2 ? "the table of sums has sums of squares, power 2"
                                                 : "the table of sums has counts; sat_table_query() answers from it");
}

/* Is another table of the same image? */
static sat_status check_alike(const sat_pair *p, const sat_reader *other, const sat_table *t, const char *what)
{
    const sat_table *sums = &p->sum_table;
    if (p->sums.width != other->width || p->sums.height != other->height || p->sums.count != other->count ||
        sums->view.channels != t->view.channels)
        return sat_fail(SAT_ERR_SHAPE, "sums and %s: tables of images of different shapes", what);
    if (sums->sample != t->sample)
        return sat_fail(SAT_ERR_TYPE, "sums and %s: tables of %s and %s samples", what, sat_type_name(sums->sample),
                        sat_type_name(t->sample));
    return SAT_OK;
}

sat_status sat_pair_check(const sat_pair *p)
{
    if (p->square_table.power != 2)
        return sat_fail(SAT_ERR_ARGUMENT, p->square_table.power == 1
                                              ? "the table of squares has sums of samples, power 1"
                                              : "the table of squares has counts");
    const sat_status status = check_alike(p, &p->squares, &p->square_table, "squares");
    if (status == SAT_OK && p->sum_table.level != p->square_table.level)
        return sat_fail(SAT_ERR_ARGUMENT, "the sums have level %g, the squares %g: both must have the same",
                        p->sum_table.level, p->square_table.level);
    return status == SAT_OK ? sat_pair_check_sums(p) : status;
}

static sat_status take_counts(sat_pair *p, size_t table_bytes)
{
    sat_table *t = &p->count_table;
    sat_status status = sat_take_struct(t, sizeof *t, p->given.counts, table_bytes, "table of counts");
    if (status == SAT_OK) status = check_host(t);
    if (status == SAT_OK) status = sat_reader_open(&p->counts, t, p->given.flags);
    if (status == SAT_OK && t->power != SAT_COUNTS)
        status = sat_fail(SAT_ERR_ARGUMENT, "the table of counts has sums, power %d", t->power);
    if (status == SAT_OK) status = check_alike(p, &p->counts, t, "counts");
    if (status == SAT_OK && p->sums.type == SAT_Q32)
        status = sat_fail(SAT_ERR_TYPE, "counts: in a table of q32 all samples count");
    p->with_counts = true;
    return status;
}

sat_status sat_pair_open(sat_pair *p, const sat_table *sums, const sat_table *squares, size_t n,
                         const sat_statistics *ask, size_t table_bytes, size_t ask_bytes)
{
    *p = (sat_pair){.channels = 0};
    sat_status status = sat_take_struct(&p->sum_table, sizeof p->sum_table, sums, table_bytes, "table");
    if (status == SAT_OK) status = sat_take_struct(&p->given, sizeof p->given, ask, ask_bytes, "statistics");
    if (status == SAT_OK) status = sat_rect_ask_of(&p->given, false, &p->ask);
    if (status == SAT_OK) status = sat_check_threads(p->given.threads);
    if (status == SAT_OK) status = sat_check_executor(p->given.executor);
    if (status == SAT_OK) status = check_host(&p->sum_table);
    if (status == SAT_OK) status = sat_reader_open(&p->sums, &p->sum_table, p->given.flags);
    if (status == SAT_OK) status = sat_pair_check_sums(p);
    if (status != SAT_OK) return status;
    p->level = p->sum_table.level;
    p->imprecise = p->given.imprecise;
    p->channels = (size_t)p->sum_table.view.channels;
    p->threads = sat_threads_worth((double)n * (double)p->sums.count, SAT_SHARE_RECTS,
                                   p->given.threads ? p->given.threads : sat_processors());
    p->with_squares = sat_rect_needs_squares(&p->ask);
    status = p->given.counts ? take_counts(p, table_bytes) : sat_pair_needs_counts(&p->sum_table);
    if (status != SAT_OK) return status;
    if (squares == NULL) return p->with_squares ? sat_pair_needs_squares() : SAT_OK;
    status = sat_take_struct(&p->square_table, sizeof p->square_table, squares, table_bytes, "table of squares");
    if (status == SAT_OK) status = check_host(&p->square_table);
    if (status == SAT_OK) status = sat_reader_open(&p->squares, &p->square_table, p->given.flags);
    return status == SAT_OK ? sat_pair_check(p) : status;
}

sat_status sat_pair_needs_counts(const sat_table *sums)
{
    if (sums->level == 0 || !sums->has_invalid) return SAT_OK;
    return sat_fail(SAT_ERR_ARGUMENT,
                    "table: with a level and samples that do not count, its sums need the table of counts "
                    "(sat_table_statistics(), counts)");
}

sat_status sat_pair_refuse(const sat_pair *p, size_t i, const sat_rect *rect, const char *sides)
{
    sat_rect cut = *rect;
    sat_status status = sat_reader_refuse(&p->sum_table, &p->sums, sat_rect_validate(&p->sums, &cut), i, sides);
    if (status == SAT_OK && p->with_squares)
        status = sat_reader_refuse(&p->square_table, &p->squares, sat_rect_validate(&p->squares, &cut), i, sides);
    if (status == SAT_OK && p->with_counts)
        status = sat_reader_refuse(&p->count_table, &p->counts, sat_rect_validate(&p->counts, &cut), i, sides);
    return status;
}

/* Estimates the error of a rectangle's sum: 16 roundings (eps in sat.h) of the largest of its four entries. 0 for
 * entries that are exact, and for q32. */
static double rounding_of(const sat_reader *r, uint64_t image, const sat_rect *rect, size_t c)
{
    static const double units[] = {[SAT_F32] = 0x1p-24, [SAT_F64] = 0x1p-53};
    const double unit = r->type == SAT_F32 || r->type == SAT_F64 ? units[r->type] : 0;
    const double largest = unit > 0 ? sat_largest_corner(r, image, rect, c) : 0;
    return r->whole && largest * unit <= 1 ? 0 : 16 * unit * largest;
}

void sat_pair_judge(const sat_pair *p, uint64_t image, const sat_pieces *at, size_t c, const sat_rect_features *f)
{
    double e1 = 0, e2 = 0;
    if (p->imprecise == NULL) return;
    for (int k = 0; k < at->n; k++) {
        e1 += at->of[k].weight * rounding_of(&p->sums, image, &at->of[k].rect, c);
        e2 += at->of[k].weight * rounding_of(&p->squares, image, &at->of[k].rect, c);
    }
    sat_rect_features whole = *f;
    sat_pair_add_level(p, &whole);
    const double left = f->n - (double)p->ask.ddof;
    const bool one = sat_pieces_samples(at) == 1 || (at->n == 1 && f->n == 1); /* its variance is 0 */
    const bool of_var = p->ask.needs & SAT_NEEDS_VAR && left > 0 && !one &&
                        (e2 + 2 * fabs(f->mean) * e1 + e1 * e1 / f->n) / left > f->var / 50;
    const bool of_squares =
        p->ask.needs & SAT_NEEDS_SQUARES && (e2 + 2 * fabs(p->level) * e1) / f->n > whole.squares / 50;
    if (of_var || of_squares) __atomic_fetch_add(p->imprecise, 1, __ATOMIC_RELAXED);
}

void sat_pair_answer_nothing(const sat_pair *p, size_t to)
{
    if (p->ask.sums) p->ask.sums[to] = (sat_sum){0};
    if (p->means) p->means[to] = NAN;
    sat_rect_put_nothing(&p->ask, to);
}
