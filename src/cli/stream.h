/* stream.h - an image through filters to files: as it lies in memory, or a band of its rows at a time.
 *
 * Stages follow one another: the first one's source is the image, each other's the results of the one before.  Rows are
 * held as windows see them (sat_box_needs() and its like): while a band is filtered, the rows of the next are read, and
 * the band before is written.  Of a decoded image, a stage filters all rows before the next stage is made. */
#ifndef CLI_STREAM_H
#define CLI_STREAM_H

#include "job.h"
#include "row_sink.h"
#include "row_source.h"

enum { STREAM_STAGES = 8 };

/* A filter of the library, made with stream_band_rows() as its band_rows. */
typedef struct stream_filter {
    void *object;
    sat_status (*needs)(const void *object, int64_t first, int64_t end, int64_t *from, int64_t *to);
    sat_status (*run)(void *object, const sat_view *src, const sat_view *results, const sat_run_options *run);
    void (*destroy)(void *object);
    int result[SAT_OUTPUTS]; /* which of the stage's results its own are */
    int results;
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

/* Filters of the same rows; zeroed where there are none yet. */
typedef struct stream_stage {
    stream_filter filter[SAT_OUTPUTS];
    int filters;
    stream_filter mask; /* of this stage's mask, makes the next one's; without an object that has none */
} stream_stage;

typedef struct stream stream;
struct stream {
    job_source from;
    const job *j;
    int threads;
    int64_t passes; /* stages: any number of a decoded image, else STREAM_STAGES at most */

    /* What filters see of the image: samples of that type, in as many of the first channels as results have. */
    sat_type sample;
    const sat_light *light; /* makes them of the image's samples; or NULL: they are these */
    bool masked;            /* filters of the first stage have a mask: */
    image mask;             /* of a decoded image this one, which becomes the stream's; */
    bool alpha_clears;      /* of rows from.mask, and where alpha is not 0 */

    /* Results of the last stage; those before it have one, of the type of result 0. */
    int results;
    image head[SAT_OUTPUTS]; /* what is written: size, type and metadata, which are borrowed */
    sat_type made[SAT_OUTPUTS];
    bool ranges[SAT_OUTPUTS]; /* of these, low and high become the least and the largest sample */
    double low[SAT_OUTPUTS], high[SAT_OUTPUTS];
    sat_counts counts; /* of all stages; empty: of the last, of each result */
    int at_output;     /* of an error: the result at fault, or -1 */

    /* Makes the stage of a pass.  Of a decoded image, *g is the one of the pass before: it may stay, or is freed. */
    bool (*open)(stream *s, int64_t pass, stream_stage *g, error *err);
    /* Makes rows of result i what is written, in their place; NULL: they are. */
    bool (*store)(stream *s, int i, image *rows, error *err);
    void *context; /* of both */

    /* The stream's. */
    int64_t band;   /* rows; 0: all */
    uint64_t bytes; /* of objects */
    stream_stage stage[STREAM_STAGES];
    row_sink to[SAT_OUTPUTS];
};

/* Does what lies beyond the image repeat all of it?  Does the backend make rows; NULL: the one that is chosen. */
bool stream_border_repeats(const char *border);
bool stream_backend(const char *backend);

/* Can the image be read so, by filters with that border mode, and a file of that name be written? */
bool stream_serves(const job *j, const row_source *from, const char *output);

/* A stream of as many passes as the job has; NULL: out of memory.  To be given to stream_free(). */
stream *stream_new(const job *j, const job_source *from, int threads, error *err);

/* For open(): the band_rows of an object; and, before it is made, are the bytes that it will take within the limit?
 * Those of a decoded image were taken with it. */
int64_t stream_band_rows(const stream *s);
bool stream_allows(stream *s, sat_status status, const sat_bytes *bytes, error *err);
void stream_stage_free(stream_stage *g);

/* Result i, of which all but the pixels is head[i], goes to that file; opt and out stay valid until the end. */
void stream_write_to(stream *s, int i, const image_format *format, const encode_options *opt, sink *out);

/* Reads, filters and writes all rows; the image that was decoded is freed.  spent->encode_s: the time after filters. */
bool stream_run(stream *s, times *spent, error *err);

/* Destroys the filters, and frees the mask, the row sinks, and *s. */
void stream_free(stream *s);

#endif
