/* stream_parts.h - stages of filters, whatever their rows lie in. */
#ifndef CLI_STREAM_PARTS_H
#define CLI_STREAM_PARTS_H

#include "job.h"
#include "row_sink.h"
#include "row_source.h"

enum { STREAM_STAGES = 8 };

/* An operation of the library: its functions, for any object. */
typedef struct stream_operation {
    sat_status (*make)(const void *spec, sat_bytes *bytes, void **object); /* bytes not NULL: it only measures */
    void (*destroy)(void *object);
    const char *(*note)(const void *object);
    sat_status (*needs)(const void *object, int64_t first, int64_t end, int64_t *from, int64_t *to);
    sat_status (*run)(void *object, const sat_view *src, const sat_view *results, const sat_run_options *run);
} stream_operation;

#define STREAM_MAKES(id)                                                                                               \
    static sat_status id##_make(const void *spec, sat_bytes *bytes, void **object)                                     \
    {                                                                                                                  \
        sat_##id *made = NULL;                                                                                         \
        const sat_status status = bytes ? sat_##id##_bytes(spec, bytes) : sat_##id##_create(&made, spec);              \
        *object = made;                                                                                                \
        return status;                                                                                                 \
    }                                                                                                                  \
    static void id##_destroy(void *o)                                                                                  \
    {                                                                                                                  \
        sat_##id##_destroy(&(sat_##id *){o});                                                                          \
    }
#define STREAM_RUNS(id, running)                                                                                       \
    static const char *id##_note(const void *o)                                                                        \
    {                                                                                                                  \
        return sat_##id##_note(o);                                                                                     \
    }                                                                                                                  \
    static sat_status id##_needs(const void *o, int64_t first, int64_t end, int64_t *from, int64_t *to)                \
    {                                                                                                                  \
        return sat_##id##_needs(o, first, end, from, to);                                                              \
    }                                                                                                                  \
    static sat_status id##_run(void *o, const sat_view *src, const sat_view *results, const sat_run_options *run)      \
    {                                                                                                                  \
        return running;                                                                                                \
    }
/* Defines stream_<id>; running: the call that runs object o. */
#define STREAM_OF(id, running)                                                                                         \
    STREAM_MAKES(id)                                                                                                   \
    STREAM_RUNS(id, running)                                                                                           \
    static const stream_operation stream_##id = {id##_make, id##_destroy, id##_note, id##_needs, id##_run};

typedef struct stream_filter {
    const stream_operation *is;
    void *object;
    int result[SAT_OUTPUTS]; /* which of the stage's results its own are */
    int results;
} stream_filter;

/* Filters of the same rows, or of fewer than the first one needs; zeroed where there are none yet. */
typedef struct stream_stage {
    stream_filter filter[SAT_OUTPUTS];
    int filters;
    stream_filter mask; /* of this stage's mask, makes the next one's; without an object that has none */
} stream_stage;

typedef struct stream stream;
struct stream {
    job_source from;
    const job *j;
    times *spent;
    double begun; /* at that time */
    int threads;
    int64_t first, end; /* rows of the results: all, unless rows are read */
    int64_t passes;     /* stages: any number of a decoded image, else STREAM_STAGES at most */

    /* What filters see of the image: samples of that type, in as many of the first channels as results have. */
    sat_type sample;
    const sat_light *light; /* makes them of the image's samples; or NULL: they are these */
    bool masked;            /* filters of the first stage have a mask */
    image mask;             /* that of a decoded image; it becomes the stream's */
    bool alpha_clears;      /* of rows: what is transparent is not in the mask, nor what from.mask leaves out */

    /* Results of the last stage; those before it have one, of the type of result 0. */
    int results;
    image head[SAT_OUTPUTS]; /* what is written, if it is: size, type and metadata, which are borrowed */
    sat_type made[SAT_OUTPUTS];
    bool ranges[SAT_OUTPUTS]; /* of these, low and high become the least and the largest sample */
    double low[SAT_OUTPUTS], high[SAT_OUTPUTS];
    sat_counts counts; /* of all stages; empty: of the last, of each result */
    int at_output;     /* of an error: the result at fault, or -1 */

    /* Makes the stage of a pass.  Of a decoded image, *g is the one of the pass before: it may stay, or is freed. */
    bool (*open)(stream *s, int64_t pass, stream_stage *g, error *err);
    /* Rows of result i, before they are written: makes other samples of them, in their place, or reads them; NULL: they
     * stay. */
    bool (*store)(stream *s, int i, image *rows, error *err);
    void *context;              /* of both */
    const valid_samples *named; /* their value for no data, for job_store(); NULL: they are not written */
    sat_counts stored;          /* by that */

    /* The stream's. */
    int64_t band;   /* rows; 0: all */
    uint64_t bytes; /* of objects */
    bool measures;  /* open() is called for these alone */
    stream_stage stage[STREAM_STAGES];
    row_sink to[SAT_OUTPUTS];
    sink *sink[SAT_OUTPUTS];
    encode_options encode;
};

/* For open(): the band_rows of an object, and how it is made.  Of rows its bytes are counted first, as those of a
 * decoded image were before it was decoded.  Memory that an object is made of is mostly not written yet (sat_bytes.h):
 * the limit is for the bytes of all objects and rows, when these are known, but for an object that cannot be made. */
int64_t stream_band_rows(const stream *s);
sat_status stream_make(stream *s, const stream_operation *o, const void *spec, stream_filter *f, error *err);
void stream_stage_free(stream_stage *g);

/* Filters rows by all filters of a stage, and adds what they count.  results: one, or of the last stage all. run: with
 * the mask of these rows. */
bool stream_filter_rows(stream *s, const stream_stage *g, bool last, const sat_view *src, const sat_view *results,
                        sat_run_options run, error *err);

/* The next stage's mask from this one's, the same for each image. */
bool stream_filter_mask(const stream_stage *g, const sat_view *from, const sat_view *to, sat_run_options run,
                        error *err);

/* Rows of result i become what is written, in their place. */
bool stream_store(stream *s, int i, image *rows, error *err);

/* Takes rows of result i into its range, if it is asked for. */
void stream_note_range(stream *s, int i, const sat_view *rows, int threads);

/* Rows of result i as the filter makes them; the bytes of one, of all planes. */
image stream_made(const stream *s, int i, void *data, int64_t rows);
size_t stream_made_bytes(const stream *s, int i);

/* stream_run() of a decoded image (stream_image.c), and of rows (stream_rows.c). */
bool stream_run_image(stream *s, error *err);
bool stream_run_rows(stream *s, error *err);

#endif
