/* stream.h - rows of an image file through filters to files, a band of rows at a time.
 *
 * Stages follow one another: the first one's source is the file, each other's the results of the one before.  A stage
 * holds the rows that its windows see (sat_box_needs() and its like).  While a band is filtered, the rows of the next
 * are read, and the band before is written. */
#ifndef CLI_STREAM_H
#define CLI_STREAM_H

#include "job.h"
#include "row_sink.h"
#include "row_source.h"

enum { STREAM_STAGES = 8 };

/* A filter of the library, made with stream_band() as its band_rows, or with 0 where that is the image's height. */
typedef struct stream_filter {
    void *object;
    sat_status (*needs)(const void *object, int64_t first, int64_t end, int64_t *from, int64_t *to);
    sat_status (*run)(void *object, const sat_view *src, const sat_view *results, const sat_run_options *run);
    void (*destroy)(void *object);
    int result[SAT_OUTPUTS]; /* which of the stage's results its own are */
    int results;
    sat_counts counts; /* of all bands */
} stream_filter;

#define STREAM_OF(id)                                                                                                  \
    static inline sat_status stream_##id##_needs(const void *o, int64_t first, int64_t end, int64_t *from,             \
                                                 int64_t *to)                                                          \
    {                                                                                                                  \
        return sat_##id##_needs(o, first, end, from, to);                                                              \
    }                                                                                                                  \
    static inline void stream_##id##_destroy(void *o)                                                                  \
    {                                                                                                                  \
        sat_##id *object = o;                                                                                          \
        sat_##id##_destroy(&object);                                                                                   \
    }
STREAM_OF(box)
STREAM_OF(window)
STREAM_OF(gauss)

static inline sat_status stream_box_run(void *o, const sat_view *src, const sat_view *to, const sat_run_options *run)
{
    return sat_box_run(o, src, to, run);
}
static inline sat_status stream_window_run(void *o, const sat_view *src, const sat_view *to, const sat_run_options *run)
{
    return sat_window_run(o, src, NULL, to, run);
}
static inline sat_status stream_gauss_run(void *o, const sat_view *src, const sat_view *to, const sat_run_options *run)
{
    return sat_gauss_run(o, src, to, run);
}

#define STREAM_FILTER(id)                                                                                              \
    (stream_filter)                                                                                                    \
    {                                                                                                                  \
        .needs = stream_##id##_needs, .run = stream_##id##_run, .destroy = stream_##id##_destroy                       \
    }

/* Filters of the same rows, of whose samples they see the first `channels` channels. */
typedef struct stream_stage {
    stream_filter filter[SAT_OUTPUTS];
    int filters;
    int channels;
    sat_type sample;
} stream_stage;

typedef struct stream {
    row_source *from;
    row_source *mask; /* of which pixels of the file count, for the first stage; or NULL */
    stream_stage stage[STREAM_STAGES];
    int stages;
    image head[SAT_OUTPUTS]; /* what is written: size, type and metadata, which are borrowed */
    row_sink to[SAT_OUTPUTS];
    int results;
    int at_output;            /* of an error: the result at fault, or -1 */
    memory_share *share;      /* of the limit, which is taken by stream_run() */
    uint64_t bytes;           /* of objects */
    bool ranges[SAT_OUTPUTS]; /* of these results, low and high become the least and the largest sample */
    double low[SAT_OUTPUTS], high[SAT_OUTPUTS];
} stream;

/* Rows of results in a band, from images whose rows have so many bytes at most. */
int64_t stream_band(int64_t height, size_t row_bytes, int threads);

/* Does what lies beyond the image repeat all of it?  Does the backend make rows; NULL: the one that is chosen. */
bool stream_border_repeats(const char *border);
bool stream_backend(const char *backend);

/* Can the image be read so, by filters with that border mode, and a file of that name be written? */
bool stream_serves(const job *j, const row_source *from, const char *output);

/* An object will take these bytes: is that within the limit?  As job_object_bytes(). */
bool stream_allows(stream *s, sat_status status, const sat_bytes *bytes, error *err);

/* Writes result i, of which all but the pixels is head[i]; opt and out stay valid until the end. */
bool stream_begin(stream *s, int i, const image_format *format, const encode_options *opt, sink *out, error *err);

/* Reads, filters and writes all rows.  from, stage and head are set, and each result has begun. */
bool stream_run(stream *s, int64_t band, int threads, times *spent, error *err);

/* Destroys the filters, and frees the row sinks. */
void stream_free(stream *s);

#endif
