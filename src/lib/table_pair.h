/* table_pair.h - the table of sums and that of squares, opened for one question to both. */
#ifndef SAT_TABLE_PAIR_H
#define SAT_TABLE_PAIR_H

#include "moments.h"
#include "reader.h"

typedef struct sat_pair {
    sat_statistics ask;
    sat_table sum_table, square_table;
    sat_reader sums, squares;
    size_t channels;
    bool with_squares; /* they are asked for, and open */
    bool exact;        /* both tables are of integers */
    int threads;       /* for the rectangles that are asked */
} sat_pair;

/* Checks what is asked and the tables that it needs; n rectangles are asked of them. */
sat_status sat_pair_open(sat_pair *p, const sat_table *sums, const sat_table *squares, size_t n,
                         const sat_statistics *ask, size_t table_bytes, size_t ask_bytes);

/* The table of squares is missing: SAT_ERR_ARGUMENT. */
sat_status sat_pair_needs_squares(void);

/* Is the table of sums none of squares? */
sat_status sat_pair_check_sums(const sat_pair *p);

/* Are both of one image, the table of squares one, and that of sums none? */
sat_status sat_pair_check(const sat_pair *p);

/* The answers of a rectangle that is cut away: sum 0, and NaN. */
void sat_pair_answer_nothing(const sat_pair *p, size_t to);

#endif
