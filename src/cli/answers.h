/* answers.h - what answers rectangles, and its file: CSV, a JSON object in each line, or the records of a .npy.
 *
 *     file,x,y,w,h,mean,sum,area,...     file: where there are several inputs
 *                                        mean.0,mean.1 and so on where an input has several channels
 *                                        area: of the rectangle, whatever counts in it, and of the
 *                                        part inside the image, where rectangles are cut to it
 *                                        ...: the other columns of the rectangles' CSV, but for those named as above,
 *                                        which are left out
 *
 * In CSV all rows have the columns of the input with most channels, with blanks where another has fewer.  So the rows
 * of several inputs are held until all are answered, or until there are ANSWERS_HELD_ROWS; no input may have more
 * channels than those before from then on. */
#ifndef CLI_ANSWERS_H
#define CLI_ANSWERS_H

#include "answers_cells.h"
#include "names.h"
#include "rects.h"

enum { STATS_MAX = 32 };
bool answers_column_is_real(const answers_column *column);

typedef enum answers_form { ANSWERS_CSV, ANSWERS_JSON, ANSWERS_NPY } answers_form;

typedef struct answers_spec {
    const char *output; /* "-" = standard output */
    bool no_clobber;
    answers_form form;
    answers_column stats[STATS_MAX]; /* the columns, in this order, one place being left for the area */
    int stats_n;
    answers_cells cells; /* with a format: the first statistic becomes an image, in place of rows */
    size_t name_bytes;   /* each row names its input, in at most this number of bytes; 0 = it does not */
    bool several;        /* inputs */
    bool area;           /* is a column, the last where it is not among these */
    bool real;           /* NPY: some rectangles have fractions, and so sides, areas and sums are f64 */
} answers_spec;

enum { ANSWERS_HELD_ROWS = 1 << 16, ANSWERS_HELD_BYTES = 16 << 20 /* of other columns */ };

typedef struct answers answers;

/* On true *out is the caller's, to be given to answers_close() or answers_abort(); else it is NULL. */
bool answers_open(answers **out, const answers_spec *spec, error *err);

/* The rows that follow are of this input, whose name stays the caller's, until the answers are closed.  False if the
 * rows before leave no place for them. */
bool answers_next_input(answers *s, const answers_input *input, error *err);

/* Are the names of the rectangles' other columns, once a chunk has been handed out, different keys of a JSON object?
 * Those that are left out do not count.  In other forms they need not differ. */
bool answers_take_names(const answers *s, const rects *from, error *err);

/* The answers to rectangles, as sat_table_statistics() and sat_table_statistics_f64() give them: sums where they are a
 * column, an output for each column of reals, in their order, and areas_f64; the first is number `at` of the last chunk
 * of `from`, which knows its other columns.  n = 0: there is no rectangle, and a header is wanted. */
void answers_put(answers *s, const rects *from, size_t at, const rects_chunk *chunk, const sat_statistics *given);

/* Adds the names of the rectangles' columns that are left out, as answers have them: "mean, area".  Returns their
 * number. */
int answers_left_out(const answers *s, name_list *names);

/* How many values were inf or -inf, for which JSON has null. */
uint64_t answers_infinite(const answers *s);

/* The output cannot be written; answers_close() says why. */
bool answers_failed(const answers *s);
bool answers_on_stdout(const answers *s);

/* Both free them. */
bool answers_close(answers **s, error *err); /* the file is there, with its header if an input was answered */
void answers_abort(answers **s);             /* the file is as it was; on standard output all rows appear */

#endif
