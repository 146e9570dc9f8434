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

/* A stream of as many passes as the job has; NULL: out of memory.  To be given to stream_free(). */
stream *stream_new(const job *j, const job_source *from, int threads, error *err);

/* Result i, of which all but the pixels is head[i], goes to that file; opt and out stay valid until the end.  Of rows,
 * results that go to none are not written. */
void stream_write_to(stream *s, int i, const image_format *format, const encode_options *opt, sink *out);

/* Reads, filters and writes all rows; the image that was decoded is freed.  spent->encode_s: the time after filters. */
bool stream_run(stream *s, times *spent, error *err);

/* What the objects of the first pass that open() makes will take, of an image, made to samples of that type. */
uint64_t stream_measure(const job *j, image *head, sat_type made, int threads,
                        bool (*open)(stream *s, int64_t pass, stream_stage *g, error *err), void *context);

/* Destroys the filters, and frees the mask, the row sinks, and *s. */
void stream_free(stream *s);

#endif
