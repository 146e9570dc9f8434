#include "bench_rows.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The columns, in the order of their names below. */
enum {
    BENCH,
    NAME,
    WIDTH,
    HEIGHT,
    CHANNELS,
    TYPE,
    ACCUM,
    MODEL,
    COLD,
    WARM,
    NOISE,
    GBPS,
    COPY,
    SHARE,
    MIN,
    MEAN,
    RUNS,
    CHECK,
    COLUMNS,
    OLD_COLUMNS = COLUMNS - (CHECK - MIN), /* files of version 0.1 lack three */
};
static const report_column columns[COLUMNS] = {
    {"bench", true, 8},     {"name", true, 16},          {"width", false, 5},     {"height", false, 5},
    {"channels", false, 1}, {"type", true, 3},           {"accum", true, 3},      {"model_bytes", false, 11},
    {"cold_us", false, 9},  {"warm_us", false, 9},       {"noise_pct", false, 5}, {"gbps", false, 6},
    {"copy_us", false, 9},  {"share_of_copy", false, 5}, {"min_us", false, 9},    {"mean_us", false, 9},
    {"runs", false, 5},     {"check", true, 12},
};
enum { CELL_BYTES = 256 };

bool bench_rows_add(bench_rows *rows, const bench_row *row, error *err)
{
    if (rows->n == rows->capacity) {
        size_t capacity = rows->capacity ? 2 * rows->capacity : 64;
        bench_row *more = realloc(rows->row, capacity * sizeof *more);
        if (!more) return fail(err, "out of memory");
        rows->row = more;
        rows->capacity = capacity;
    }
    rows->row[rows->n++] = *row;
    return true;
}

void bench_rows_free(bench_rows *rows)
{
    free(rows->row);
    *rows = (bench_rows){0};
}

/* ---- out ------------------------------------------------------------------------------------------- */

report bench_report(text_out *to, report_form form)
{
    return (report){.to = to, .form = form, .columns = columns, .n = COLUMNS};
}

static void put_real(char *to, int digits, double value)
{
    if (isnan(value))
        *to = 0;
    else
        snprintf(to, CELL_BYTES, "%.*f", digits, value);
}

void bench_report_row(report *r, const bench_row *row)
{
    char text[COLUMNS][CELL_BYTES], *cells[COLUMNS];
    for (int i = 0; i < COLUMNS; i++) cells[i] = text[i];
    snprintf(text[BENCH], CELL_BYTES, "%s", row->bench);
    snprintf(text[NAME], CELL_BYTES, "%s", row->name);
    snprintf(text[WIDTH], CELL_BYTES, "%lld", (long long)row->width);
    snprintf(text[HEIGHT], CELL_BYTES, "%lld", (long long)row->height);
    snprintf(text[CHANNELS], CELL_BYTES, "%d", row->channels);
    snprintf(text[TYPE], CELL_BYTES, "%s", sat_type_name(row->type));
    snprintf(text[ACCUM], CELL_BYTES, "%s", row->accum ? sat_type_name(row->accum) : "");
    put_real(text[MODEL], 0, row->model_bytes);
    put_real(text[COLD], 2, row->cold_us);
    put_real(text[WARM], 2, row->warm_us);
    put_real(text[NOISE], 1, row->noise_pct);
    put_real(text[GBPS], 2, row->gbps);
    put_real(text[COPY], 2, row->copy_us);
    put_real(text[SHARE], 3, row->share);
    put_real(text[MIN], 2, row->min_us);
    put_real(text[MEAN], 2, row->mean_us);
    if (row->runs)
        snprintf(text[RUNS], CELL_BYTES, "%lld", (long long)row->runs);
    else
        *text[RUNS] = 0;
    snprintf(text[CHECK], CELL_BYTES, "%s", row->check);
    report_row(r, cells);
}

/* ---- in -------------------------------------------------------------------------------------------- */

/* Cuts the next cell off a line, takes its quotes away, and moves *at behind it; NULL at the line's end. */
static char *next_cell(char **at)
{
    char *cell = *at, *from = cell, *to = cell;
    if (!from) return NULL;
    bool quoted = *from == '"';
    if (quoted) from++;
    while (*from && (quoted || *from != ',')) {
        if (quoted && *from == '"') {
            if (from[1] != '"') {
                quoted = false;
                from++;
                continue;
            }
            from++;
        }
        *to++ = *from++;
    }
    *at = *from == ',' ? from + 1 : NULL;
    *to = 0;
    return cell;
}

static bool to_real(const char *cell, double *value)
{
    char *end;
    *value = *cell ? strtod(cell, &end) : NAN;
    return !*cell || (end != cell && !*end);
}

static bool to_int(const char *cell, int64_t *value)
{
    char *end;
    errno = 0;
    *value = strtoll(cell, &end, 10);
    return end != cell && !*end && errno == 0;
}

static void to_text(char *to, size_t size, const char *cell)
{
    snprintf(to, size, "%s", cell);
}

static bool row_from(char *cells[], bench_row *row)
{
    int64_t channels;
    *row = (bench_row){0};
    if (strpbrk(cells[NAME], "\"'`\\") || strpbrk(cells[BENCH], "\"'`\\")) return false; /* gnuplot sees them */
    to_text(row->bench, sizeof row->bench, cells[BENCH]);
    to_text(row->name, sizeof row->name, cells[NAME]);
    to_text(row->check, sizeof row->check, cells[CHECK]);
    row->type = sat_type_from_name(cells[TYPE]);
    row->accum = sat_type_from_name(cells[ACCUM]);
    if (!row->type || (*cells[ACCUM] && !row->accum)) return false;
    if (!to_int(cells[WIDTH], &row->width) || !to_int(cells[HEIGHT], &row->height) ||
        !to_int(cells[CHANNELS], &channels))
        return false;
    row->channels = (int)channels;
    return to_real(cells[MODEL], &row->model_bytes) && to_real(cells[COLD], &row->cold_us) &&
           to_real(cells[WARM], &row->warm_us) && to_real(cells[NOISE], &row->noise_pct) &&
           to_real(cells[GBPS], &row->gbps) && to_real(cells[COPY], &row->copy_us) &&
           to_real(cells[SHARE], &row->share) && to_real(cells[MIN], &row->min_us) &&
           to_real(cells[MEAN], &row->mean_us) && (!*cells[RUNS] || to_int(cells[RUNS], &row->runs));
}

/* The cells of an older line, in their places of today. */
static void widen(char *cells[], char *empty)
{
    cells[CHECK] = cells[MIN];
    cells[MIN] = cells[MEAN] = cells[RUNS] = empty;
}

static bool is_header(char *cells[], bool old)
{
    for (int i = 0; i < COLUMNS; i++)
        if (strcmp(cells[i], old && i >= MIN && i < CHECK ? "" : columns[i].name) != 0) return false;
    return true;
}

static bool read_lines(FILE *file, bench_rows *rows, char **line, size_t *capacity, error *err)
{
    bool old = false;
    for (size_t number = 1; getline(line, capacity, file) > 0; number++) {
        char *cells[COLUMNS], *at = *line, empty[] = "";
        int n = 0;
        bench_row row;
        at[strcspn(at, "\r\n")] = 0;
        while (n < COLUMNS && (cells[n] = next_cell(&at))) n++;
        if (number == 1) old = n == OLD_COLUMNS;
        bool whole = n == (old ? OLD_COLUMNS : COLUMNS) && !at;
        if (whole && old) widen(cells, empty);
        if (number == 1 ? !whole || !is_header(cells, old) : !whole || !row_from(cells, &row))
            return fail(err, "line %zu is none that `sat bench --csv` writes", number);
        if (number > 1 && !bench_rows_add(rows, &row, err)) return false;
    }
    return ferror(file) ? fail_errno(err, "cannot read") : true;
}

bool bench_rows_read(bench_rows *rows, const char *path, error *err)
{
    bool is_stdin = strcmp(path, "-") == 0;
    FILE *file = is_stdin ? stdin : fopen(path, "re");
    char *line = NULL;
    size_t capacity = 0, before = rows->n;
    if (!file) return fail_errno(err, "cannot open");
    bool ok = read_lines(file, rows, &line, &capacity, err);
    if (ok && rows->n == before) ok = fail(err, "holds no rows");
    free(line);
    if (!is_stdin) fclose(file);
    return ok;
}

/* ---- what a row says --------------------------------------------------------------------------------- */

bool bench_row_timed(const bench_row *row)
{
    return row->warm_us > 0;
}

bool bench_row_copies(const bench_row *row)
{
    return strcmp(row->check, CHECK_COPY) == 0;
}

bool bench_row_peer(const bench_row *row)
{
    return strcmp(row->check, CHECK_PEER) == 0;
}

int bench_row_method(const bench_row *row)
{
    return (int)strcspn(row->name, " ");
}

bool bench_row_shape(const bench_row *row, int *block_threads, int *thread_items, bool *naive_staging)
{
    int used = 0;
    const char *shape = row->name + bench_row_method(row);
    if (sscanf(shape, " B=%d Q=%d%n", block_threads, thread_items, &used) != 2) return false;
    *naive_staging = shape[used] != 0;
    return true;
}

bool bench_rows_alike(const bench_row *a, const bench_row *b)
{
    return strcmp(a->bench, b->bench) == 0 && a->type == b->type && a->accum == b->accum;
}

bool bench_rows_same(const bench_row *a, const bench_row *b)
{
    return bench_rows_alike(a, b) && a->width == b->width && a->height == b->height && a->channels == b->channels;
}
