/* rects_table.h - rows of integers as tables, for rectangles that overlap so much that four entries cost less than
 * their pixels. */
#ifndef SAT_RECTS_TABLE_H
#define SAT_RECTS_TABLE_H

#include "arena.h"
#include "rect_job.h"

/* Tables of a few rows: of their sums and, where they are asked for, of their squares.  Each begins anew, so that its
 * entries are of the narrowest type that holds those of so few rows. */
typedef struct sat_rects_table {
    int64_t rows; /* at most; 0: none are made */
    int powers;   /* 1: sums; 2: squares too */
    bool used;    /* their memory was written once */
    sat_plan *plan[2];
    sat_view view[2];
    sat_reader reader[2];
} sat_rects_table;

/* For the images of a job, in memory of the arena, which is freed after it is closed; leaves rows 0 where tables are
 * not as exact as the pixels. */
sat_status sat_rects_table_open(sat_rects_table *t, const sat_rect_job *j, sat_arena *arena);
void sat_rects_table_close(sat_rects_table *t);

/* The tables of these rows. */
sat_status sat_rects_table_make(sat_rects_table *t, const sat_view *rows, const sat_run *run);

/* Adds what lies in channel c of these rows of image i to the totals of a piece. */
void sat_rects_table_add(const sat_rects_table *t, int64_t i, int c, const sat_rect *rect, sat_totals *to);

#endif
