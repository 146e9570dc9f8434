/* window_request.h - what statistics of windows a command line asks for. */
#ifndef CLI_WINDOW_REQUEST_H
#define CLI_WINDOW_REQUEST_H

#include "sat_window.h"

/* A parameter of the command line that is no parameter of the library's: sat_window_spec's range, for one output. */
#define WINDOW_RANGE "range"

/* Has the statistic that parameter? */
static inline bool window_reads_range(const sat_statistic_info *info)
{
    for (int i = 0; i < SAT_PARAMETERS && info->parameter[i].name; i++)
        if (info->parameter[i].in_range || info->parameter[i].of_range) return true;
    return false;
}

enum { LABEL_BYTES = 192 }; /* a statistic's name, and five parameters of REAL_TEXT_BYTES (text_out.h) */

/* Read by many threads. */
typedef struct window_request {
    sat_window_output output[SAT_OUTPUTS]; /* names are the library's; result SAT_TYPE_NONE */
    double range[SAT_OUTPUTS];             /* of the samples, for each of them; 0: that of their type */
    char label[SAT_OUTPUTS][LABEL_BYTES];  /* what {stat} stands for; no two are alike */
    int outputs;                           /* 0: a box filter */
    const char *mask;                      /* a file, or NULL */
    bool nodata_given;                     /* else that of the file counts */
    bool skip_nan, has_nodata;
    double nodata, min_valid;
    int64_t ddof;
} window_request;

#endif
