/* stream_rows.h - a stream whose image is read by rows. */
#ifndef CLI_STREAM_ROWS_H
#define CLI_STREAM_ROWS_H

#include "stream_parts.h"

bool stream_run_rows(stream *s, times *spent, error *err);

#endif
