/* stream.h - an image through filters to files: as it lies in memory, or a band of its rows at a time.
 *
 * Stages follow one another: the first one's source is the image, each other's the results of the one before.  Rows are
 * held as windows see them (sat_box_needs() and its like): while a band is filtered, the rows of the next are read, and
 * the band before is written.  Of a decoded image, a stage filters all rows before the next stage is made. */
#ifndef CLI_STREAM_H
#define CLI_STREAM_H

#include "stream_parts.h"

/* Does what lies beyond the image repeat all of it?  Does the backend make rows; NULL: the one that is chosen. */
bool stream_border_repeats(const char *border);
bool stream_backend(const char *backend);

/* Why the image cannot be read so, by filters with that border mode, and a file of that name be written; NULL: it can.
 */
const char *stream_refuses(const job *j, const row_source *from, const char *output);

/* A stream of as many passes as the job has; NULL: out of memory.  To be given to stream_end(). */
stream *stream_new(const job *j, const job_source *from, int threads, times *spent, error *err);

/* Result i, of which all but the pixels is head[i], goes to that file.  Of rows, results that go to none are not
 * written. */
bool stream_write_to(stream *s, int i, const char *output, error *err);

/* Reads, filters and writes all rows; the image that was decoded is freed.  spent->encode_s: the time after filters. */
bool stream_run(stream *s, error *err);

/* What the objects of the first pass that open() makes will take, of an image, made to samples of that type. */
uint64_t stream_measure(const job *j, image *head, sat_type made, int threads,
                        bool (*open)(stream *s, int64_t pass, stream_stage *g, error *err), void *context);

/* Ends what went well so far, or not: the files are there, or as they were.  *at_output becomes the result at fault, or
 * -1.  Frees *s and all that is its own. */
bool stream_end(stream *s, bool ok, int *at_output, error *err);

#endif
