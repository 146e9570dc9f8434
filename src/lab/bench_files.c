/* bench_files.c - rows that `sat bench --csv` wrote, and which of them are asked for. */
#include <string.h>

#include "bench_line.h"
#include "messages.h"

static bool kept(const bench_mode *mode, const bench_request *r, const bench_row *row)
{
    int block, items;
    bool naive;
    if (bench_row_shape(row, &block, &items, &naive) &&
        ((r->block_threads && r->block_threads != block) || (r->thread_items && r->thread_items != items)))
        return false;
    if (!mode->owns(row) || (r->type && row->type != r->type) || (r->accum && row->accum != r->accum)) return false;
    if (r->exclusive && !strstr(row->bench, "exclusive")) return false;
    return bench_row_copies(row) || bench_wanted(r, row->name, (size_t)bench_row_method(row));
}

/* Is there a row of the same work already?  Runs that were put together repeat their ceilings. */
static bool repeated(const bench_rows *rows, size_t n, const bench_row *row)
{
    for (size_t i = 0; i < n; i++)
        if (strcmp(rows->row[i].name, row->name) == 0 && bench_rows_same(&rows->row[i], row)) return true;
    return false;
}

bool bench_line_rows(const bench_line *l, const bench_mode **mode, bench_rows *rows, const char **at_fault, error *err)
{
    for (int i = 0; i < l->from_n; i++) {
        *at_fault = input_name(l->from[i]);
        if (!bench_rows_read(rows, l->from[i], err)) return false;
    }
    *mode = l->mode;
    for (int i = 0; !*mode && bench_mode_at(i); i++)
        if (bench_mode_at(i)->owns(&rows->row[0])) *mode = bench_mode_at(i);
    if (!*mode) return fail(err, "'%s' is none of the benches", rows->row[0].bench);
    size_t n = 0;
    for (size_t i = 0; i < rows->n; i++)
        if (kept(*mode, &l->request, &rows->row[i]) && !repeated(rows, n, &rows->row[i])) rows->row[n++] = rows->row[i];
    rows->n = n;
    if (n == 0) return fail(err, "holds no such rows of `sat bench %s`", (*mode)->name);
    *at_fault = NULL;
    return true;
}
