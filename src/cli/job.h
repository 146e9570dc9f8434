/* job.h - one image through the tool: into a filtered image, into statistics of its windows, or into a table. */
#ifndef CLI_JOB_H
#define CLI_JOB_H

#include <string.h>

#include "format.h"
#include "progress.h"
#include "sat_bytes.h"
#include "sat_file.h"
#include "sat_window.h"
#include "valid_choice.h"

struct filter_pass;
struct stream;
struct stream_filter;

/* ---- statistics of windows ---- */

/* A parameter of the command line that is no parameter of the library's: sat_window_spec's range, for one output. */
#define WINDOW_RANGE "range"

/* Has the statistic that parameter? */
static inline bool window_reads_range(const sat_statistic_info *info)
{
    for (int i = 0; i < SAT_PARAMETERS && info->parameter[i].name; i++)
        if (info->parameter[i].in_range || info->parameter[i].of_range) return true;
    return false;
}

/* The statistic whose name these n characters are; false if none has it. */
static inline bool window_statistic(const char *name, size_t n, sat_statistic_info *info)
{
    for (size_t i = 0; sat_statistic_at(i, info); i++)
        if (strlen(info->name) == n && strncmp(info->name, name, n) == 0) return true;
    return false;
}

enum { LABEL_BYTES = 192 }; /* a statistic's name, and five parameters of REAL_TEXT_BYTES (text_out.h) */

/* Read by many threads. */
typedef struct window_request {
    sat_window_output output[SAT_OUTPUTS]; /* names are the library's; result SAT_TYPE_NONE */
    sat_statistic_info info[SAT_OUTPUTS];  /* of their statistics */
    double range[SAT_OUTPUTS];             /* of the samples, for each of them; 0: that of their type */
    char label[SAT_OUTPUTS][LABEL_BYTES];  /* what {stat} stands for; no two are alike */
    int outputs;                           /* 0: a box filter */
    double min_valid;
    int64_t ddof;
} window_request;

/* ---- one image ---- */

/* By default weighted, and a line says so where a format does not name its channels. */
typedef enum alpha_mode { ALPHA_DEFAULT, ALPHA_WEIGHTED, ALPHA_STRAIGHT } alpha_mode;

/* A filter that is no box, by its option (filter_kinds.c). */
typedef struct filter_kind {
    int option, mode; /* mode: the operation's own */
    int numbers;      /* of the option's value, one or two with a comma between */
    unsigned sign;    /* NUMBER_SIGN: the second may have one; or 0 */
    bool (*takes)(const double *number);
    const char *value;  /* what it is, for an error */
    bool is_signed;     /* results may be negative */
    bool is_real;       /* and are floats */
    const char *sparse; /* why results are empty where too little counts; NULL: of signed ones */
    sat_status (*open)(struct stream *s, const struct filter_pass *p, struct stream_filter *f, error *err);
} filter_kind;

typedef struct filter_choice {
    const filter_kind *kind; /* NULL: a box */
    const char *name;        /* the option that was given */
    double number[2];
} filter_choice;

/* The same for all files of a command; read by many threads. */
typedef struct job {
    bool table; /* else a filtered image, or images of window statistics */
    bool result_given;
    bool linear;     /* filter light; the image's samples are sRGB */
    bool keep_holes; /* do not fill what does not count */
    bool squares;    /* of a table, beside the sums */
    bool counts;     /* too, also where all samples count */
    bool no_clobber;
    bool verbose, quiet;
    bool stages; /* the only file: the progress bar names its stages */
    valid_choice valid;
    window_request windows;

    int64_t window_width, window_height, passes;
    filter_choice filter;
    const char *border; /* NULL = the first */
    double border_value[4];
    int border_values; /* 0, 1 = one for all channels, or one for each */
    alpha_mode alpha;
    sat_type result; /* SAT_TYPE_NONE = the image's type */
    bool f16;        /* results of f32 are written as f16 */
    bool scales;     /* as u8, from the scale's range, or, if that is 0 to 0, from that of u16 */
    double scale_low, scale_high;
    int64_t first_row, end_row; /* of the result; 0 to 0 = all */

    sat_layout layout;
    sat_type accum;     /* SAT_TYPE_NONE = i64 for integer images, f64 for float ones */
    int quality;        /* of the output; 0 = the format's default */
    int64_t largest_px; /* q32: the largest rectangle that will be asked for; 0 = see table_job.c */

    const image_format *format; /* of the output; NULL = by its extension */
    const char *format_word;    /* its name or extension, as it was given */
    const char *compression;    /* of TIFFs; NULL = the format's default */
    decode_options decode;
    const char *backend;
} job;

typedef struct times {
    double decode_s, compute_s, encode_s;
    progress_item item; /* of the progress bar */
} times;

/* A job and its threads. */
typedef struct job_need {
    const job *j;
    int threads;
    bool by_rows; /* of a table: its mask is not held */
} job_need;

/* An image of that shape, without pixels. */
image job_image_of(const image_shape *shape);

/* Host memory that the library said an object would take; 0 where it refused the spec, which is said later. */
uint64_t job_object_bytes(sat_status status, const sat_bytes *bytes);

/* An image of that shape, with samples of that type. */
uint64_t job_image_bytes(const image_shape *shape, sat_type type);

/* The type of a filter's results, from samples of that type: of differences floats with as many digits. */
sat_type job_result_type(const job *j, sat_type sample);

/* The format of an output, and the word that named it. */
const image_format *job_format(const job *j, const char *output);
const char *job_format_word(const job *j, const char *output);

/* The type in which results of that type are written. */
sat_type job_stored_type(const job *j, sat_type result);
/* The type and the value for no data of results become those that are written; and the results themselves, in their
 * place. counts: adds to clipped and moved. */
void job_store_head(const job *j, const valid_samples *valid, image *head);
void job_store(const job *j, const valid_samples *valid, image *rows, sat_counts *counts);

/* What lies beyond the edge of each of these channels, which are all of the image, or all but alpha; false if the
 * number of values is another.  values may be the job's own. */
bool job_border_values(const job *j, const image *img, int channels, double values[static 4], error *err);

/* Results of which pixels may be without data: how many there are, are empty, and were moved.  is_value: empty ones are
 * the value for no data, else 0; of_floats: floats would be NaN there. */
typedef struct job_holes {
    bool is_value, of_floats;
    int64_t results, empty, moved;
} job_holes;

/* Says it, if some are. */
void job_say_holes(const job *j, const char *input, const valid_samples *valid, const job_holes *holes);

/* A stage of that name begins: decoding, each pass, encoding; or decoding, and the table with its writing.  Each reads
 * and writes all pixels once, and counts as much as any other. */
void job_stage(const job *j, times *spent, const char *label);

/* What is read: an image that has been decoded, or its rows, a band at a time (stream.h). */
struct row_source;
struct mask_files;
typedef struct job_source {
    image *img;                   /* emptied, to save memory; or NULL: rows are read */
    struct row_source *from;      /* of the input */
    struct mask_files *mask;      /* of its masks; NULL where they are not read by rows */
    struct mask_files *mask_file; /* where they were opened, but are to be decoded; or NULL */
    memory_share *share;          /* of the memory that rows take */
} job_source;

/* What counts in it; of rows without the mask, which is read beside them. */
valid_choice job_valid(const job *j, const job_source *from);

/* Its size, type and metadata. */
image *job_head(const job_source *from);

/* What is made of an image: */
typedef struct job_kind {
    /* What it holds beside the decoded image, in bytes; context: a job_need. */
    uint64_t (*bytes)(const image_shape *shape, const void *context);
    /* Why it does not read these rows, but the decoded image; NULL: it does.  A mask is not asked for yet. */
    const char *(*whole)(const job *j, const struct row_source *from, char *const *outputs);
    /* *at_output: of an error, the output that is at fault, or -1. */
    bool (*run)(const job *j, const char *input, const job_source *from, char *const *outputs, int threads,
                times *spent, int *at_output, error *err);
} job_kind;
extern const job_kind job_of_filter, job_of_table, job_of_windows;

/* Does a statistic read all rows before there are results? */
bool job_reads_twice(const job *j);

#endif
