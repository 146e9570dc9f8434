/* sheet.h - the rows that answer rectangles: CSV, a JSON object in each line, or the records of a .npy. */
#ifndef CLI_SHEET_H
#define CLI_SHEET_H

#include "error.h"
#include "sat.h"

typedef enum stat_id { STAT_MEAN, STAT_SUM } stat_id;

enum { STATS_MAX = 2 };

const char *stat_name(stat_id id); /* "mean" */

typedef enum sheet_form { SHEET_CSV, SHEET_JSON, SHEET_NPY } sheet_form;

/* The form that an output's extension names: .csv, .json (.jsonl, .ndjson) or .npy; false if it names none. */
bool sheet_form_named(const char *output, sheet_form *form);

typedef struct sheet_spec {
    const char *output; /* "-" = standard output */
    bool no_clobber;
    sheet_form form;
    stat_id stats[STATS_MAX]; /* the columns, in this order */
    int stats_n;
    size_t name_bytes; /* each row names its input, in at most so many bytes; 0 = it does not */
} sheet_spec;

typedef struct sheet sheet;

/* On true *out is the caller's, to be given to sheet_close() or sheet_abort(); else it is NULL. */
bool sheet_open(sheet **out, const sheet_spec *spec, error *err);

/* The rows that follow are of this input: its name, and the channels and type of its table.  The text stays the
 * caller's.  False if the rows before have other columns. */
bool sheet_input(sheet *s, const char *input, int channels, sat_type type, error *err);

/* The answers to n rectangles, as sat_table_query() gives them. */
void sheet_rows(sheet *s, const sat_rect *rects, size_t n, const sat_sum *sums, const double *means);

/* The output cannot be written; sheet_close() says why. */
bool sheet_failed(const sheet *s);
bool sheet_is_stdout(const sheet *s);

/* Both free the sheet. */
bool sheet_close(sheet **s, error *err); /* the file is there, with its header if an input was answered */
void sheet_abort(sheet **s);             /* the file is as it was; on standard output all rows appear */

#endif
