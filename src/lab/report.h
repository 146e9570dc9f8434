/* report.h - rows of a table as Markdown, CSV or JSON. */
#ifndef LAB_REPORT_H
#define LAB_REPORT_H

#include "text_out.h"

typedef enum report_form { REPORT_MD, REPORT_CSV, REPORT_JSON } report_form;

typedef struct report_column {
    const char *name;
    bool text; /* quoted in JSON, aligned left; else a number, aligned right */
    int width; /* of its cells in Markdown, at least */
} report_column;

typedef struct report {
    text_out *to;
    report_form form;
    const report_column *columns;
    int n, rows;
} report;

void report_begin(report *r);
void report_row(report *r, char *const cells[]); /* "" = no value; one for each column */
void report_end(report *r);

#endif
