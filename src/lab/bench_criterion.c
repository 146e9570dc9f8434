#include "bench_criterion.h"

#include <string.h>

static const double allowed = 2.5;

static const bench_row *member(const bench_rows *rows, size_t i, const bench_row *like)
{
    const bench_row *row = &rows->row[i];
    return bench_rows_same(row, like) && bench_row_timed(row) && !bench_row_copies(row) ? row : NULL;
}

static void put_times(const bench_row *row, const bench_row *other, text_out *t)
{
    const double slower = row->warm_us / other->warm_us;
    text_printf(t, " %.2f | %s |", slower, slower <= allowed ? "pass" : "too slow");
}

void put_criterion(const bench_rows *rows, const bench_row *like, const char *against, const char *what, text_out *t)
{
    const bench_row *best = NULL, *other = NULL;
    for (size_t i = 0; i < rows->n; i++) {
        const bench_row *row = member(rows, i, like);
        if (row && (!best || row->warm_us < best->warm_us)) best = row;
        if (row && against && strcmp(row->name, against) == 0) other = row;
    }
    if (!best) return;
    if (other == best) other = NULL;
    text_printf(t, "\nHow much slower than the fastest %s; up to %.1f passes:\n\n| name | ms | times slower | |", what,
                allowed);
    if (other) text_printf(t, " than %s | |", other->name);
    text_string(t, other ? "\n|---|---:|---:|---|---:|---|\n" : "\n|---|---:|---:|---|\n");
    for (size_t i = 0; i < rows->n; i++) {
        const bench_row *row = member(rows, i, like);
        if (!row) continue;
        text_printf(t, "| %s | %.3f |", row->name, row->warm_us / 1e3);
        put_times(row, best, t);
        if (other) put_times(row, other, t);
        text_string(t, "\n");
    }
}
