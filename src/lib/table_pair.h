/* table_pair.h - the table of sums, that of squares and that of counts, opened for one question to all. */
#ifndef SAT_TABLE_PAIR_H
#define SAT_TABLE_PAIR_H

#include "reader.h"
#include "rect_values.h"

typedef struct sat_pair {
    sat_statistics given;
    sat_rect_ask ask;
    sat_table sum_table, square_table, count_table;
    sat_reader sums, squares, counts;
    size_t channels;
    bool with_squares; /* they are asked for, and open */
    bool with_counts;  /* these are open */
    bool exact;        /* sums and squares are of integers */
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

/* Whether all of its tables can answer a rectangle, which is cut to the image if they clip: all cut it alike. */
sat_rect_status sat_pair_validate(const sat_pair *p, sat_rect *rect);

/* The words of sat_pair_validate()'s answer for rectangle i, whose whole pixels are rect; sides: sat_rect_sides(). */
sat_status sat_pair_refuse(const sat_pair *p, size_t i, const sat_rect *rect, const char *sides);

/* How many samples of one channel count in a rectangle of whole pixels inside the image. */
int64_t sat_pair_count(const sat_pair *p, uint64_t image, const sat_rect *rect, size_t c);

/* The answers of a rectangle that is cut away, or in which no sample counts: sums, counts and areas of 0, and NaN. */
void sat_pair_answer_nothing(const sat_pair *p, size_t to);

#endif
