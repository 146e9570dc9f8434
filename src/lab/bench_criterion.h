/* bench_criterion.h - a course lab's criterion: a solution passes if it is at most 2.5 times slower than another one.
 */
#ifndef BENCH_CRITERION_H
#define BENCH_CRITERION_H

#include "bench_rows.h"
#include "text_out.h"

/* Prints how many times slower the rows of the same work as `like` (bench, types, sizes) are than the fastest of them,
 * and than `against`, the name of a row, if there is one; NULL = none.  Ceilings are left out.  Behind `what`, which
 * says what the work is. */
void put_criterion(const bench_rows *rows, const bench_row *like, const char *against, const char *what, text_out *t);

#endif
