/* window_request.h - what statistics of windows a command line asks for. */
#ifndef CLI_WINDOW_REQUEST_H
#define CLI_WINDOW_REQUEST_H

#include "sat_window.h"

/* Read by many threads. */
typedef struct window_request {
    sat_window_output output[SAT_OUTPUTS]; /* names are the library's; result SAT_TYPE_NONE */
    int outputs;                           /* 0: a box filter */
    const char *mask;                      /* a file, or NULL */
    bool nodata_given;                     /* else that of the file counts */
    bool skip_nan, has_nodata;
    double nodata, min_valid;
    int64_t ddof;
    const char *given; /* one of the options that was given; NULL = none */
} window_request;

#endif
