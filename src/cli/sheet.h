/* sheet.h - the rows that answer rectangles: CSV, a JSON object in each line, or the records of a .npy.
 *
 *     file,x,y,w,h,mean,sum,area,...     file: where there are several inputs
 *                                        mean.0,mean.1 and so on where an input has several channels; count and area
 *                                        are those of the rectangle
 *                                        area: of the part inside the image, where rectangles are cut to it
 *                                        ...: the other columns of the rectangles' CSV, but for those named as above,
 *                                        which are left out
 *
 * In CSV all rows have the columns of the input with most channels, with blanks where another has fewer.  So the rows
 * of several inputs are held until all are answered, or until there are SHEET_HELD_ROWS; no input may have more
 * channels than those before from then on. */
#ifndef CLI_SHEET_H
#define CLI_SHEET_H

#include "cell_image.h"
#include "names.h"
#include "rects.h"

/* A column that answers: a statistic of rectangles.  Is it one of reals, in an array of its own, and no sum or area? */
typedef sat_rect_statistic_info stat_column;
enum { STATS_MAX = 32 };
bool stat_is_real(const stat_column *column);

/* "mean,sum,...": all that there are. */
const char *stat_list(name_list *names);

typedef enum sheet_form { SHEET_CSV, SHEET_JSON, SHEET_NPY } sheet_form;

/* The form that an output's extension names: .csv, .json (.jsonl, .ndjson) or .npy; false if it names none. */
bool sheet_form_named(const char *output, sheet_form *form);

typedef struct sheet_spec {
    const char *output; /* "-" = standard output */
    bool no_clobber;
    sheet_form form;
    stat_column stats[STATS_MAX]; /* the columns, in this order, one place being left for the area */
    int stats_n;
    cell_image cells;  /* with a format: the first statistic becomes an image, in place of rows */
    size_t name_bytes; /* each row names its input, in at most so many bytes; 0 = it does not */
    bool several;      /* inputs */
    bool area;         /* is a column, the last where it is not among these */
    bool real;         /* NPY: some rectangles have fractions, and so sides, areas and sums are f64 */
} sheet_spec;

enum { SHEET_HELD_ROWS = 1 << 16, SHEET_HELD_BYTES = 16 << 20 /* of other columns */ };

typedef struct sheet sheet;

/* On true *out is the caller's, to be given to sheet_close() or sheet_abort(); else it is NULL. */
bool sheet_open(sheet **out, const sheet_spec *spec, error *err);

/* The rows that follow are of this input: its name, the size of the image, and the channels and type of its table.  The
 * text stays the caller's, until the sheet is closed.  False if the rows before leave no place for them. */
typedef struct sheet_input {
    const char *name;
    int64_t width, height;
    int channels;
    sat_type type;
} sheet_input;
bool sheet_next_input(sheet *s, const sheet_input *input, error *err);

/* Are the names of the rectangles' other columns, once a chunk has been handed out, different keys of a JSON object?
 * Those that are left out do not count.  In other forms they need not differ. */
bool sheet_takes_names(const sheet *s, const rects *from, error *err);

/* The answers to rectangles, as sat_table_statistics() and sat_table_statistics_f64() give them: sums where they are a
 * column, an output for each column of reals, in their order, and areas_f64; the first is number `at` of the last chunk
 * of `from`, which knows its other columns.  n = 0: there is no rectangle, and a header is wanted. */
void sheet_rows(sheet *s, const rects *from, size_t at, const rect_chunk *chunk, const sat_statistics *answers);

/* Adds the names of the rectangles' columns that are left out, as answers have them: "mean, area".  Returns their
 * number. */
int sheet_left_out(const sheet *s, name_list *names);

/* The output cannot be written; sheet_close() says why. */
bool sheet_failed(const sheet *s);
bool sheet_is_stdout(const sheet *s);

/* Both free the sheet. */
bool sheet_close(sheet **s, error *err); /* the file is there, with its header if an input was answered */
void sheet_abort(sheet **s);             /* the file is as it was; on standard output all rows appear */

#endif
