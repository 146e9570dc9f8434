/* stream_parts.h - what images and bands of rows have in common; between the files of stream.h. */
#ifndef CLI_STREAM_PARTS_H
#define CLI_STREAM_PARTS_H

#include "stream.h"

/* Filters rows by all filters of a stage, and adds what they count.  results: one, or of the last stage all. run: with
 * the mask of these rows. */
bool stream_filter_rows(stream *s, const stream_stage *g, bool last, const sat_view *src, const sat_view *results,
                        sat_run_options run, error *err);

/* The next stage's mask, of one image, from this one's. */
bool stream_filter_mask(const stream_stage *g, const sat_view *from, const sat_view *to, sat_run_options run,
                        error *err);

/* Takes rows of result i into its range, if it is asked for. */
void stream_note_range(stream *s, int i, const sat_view *rows, int threads);

/* Bytes of a row of result i as the filter makes it. */
size_t stream_made_bytes(const stream *s, int i);

/* Both ways, of which stream_run() takes one. */
bool stream_run_rows(stream *s, times *spent, error *err);
bool stream_run_image(stream *s, times *spent, error *err);

#endif
