/* stream_image.h - a stream whose image has been decoded. */
#ifndef CLI_STREAM_IMAGE_H
#define CLI_STREAM_IMAGE_H

#include "stream_parts.h"

bool stream_run_image(stream *s, times *spent, error *err);

#endif
