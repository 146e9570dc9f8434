/* sat.h - summed-area tables (integral images): the public interface of libsat.
 *
 * The table T of an image I holds at (x, y) the sum of everything above and to the left, inclusive:
 *
 *     T(x,y) = sum of I(x',y') over x' <= x, y' <= y
 *
 * and so the sum over any rectangle takes four reads, whatever its size (Crow, SIGGRAPH 1984):
 *
 *            x0      x1
 *         A---+-------B            x right, y down, in pixels; rectangles are half open:
 *         |   |       |  y0        [x0,x1) x [y0,y1) holds (x1-x0)*(y1-y0) pixels
 *         +---+-------+
 *         |   | rect  |            sum = D - B - C + A
 *         C---+-------D  y1        A = T(x0-1,y0-1)  B = T(x1-1,y0-1)  C = T(x0-1,y1-1)  D = T(x1-1,y1-1)
 *
 * Example: the 4x3 image          its inclusive table         and its padded one (one zero row and column)
 *     1 2 3 4                     1  3  6 10                   0 0  0  0  0
 *     5 6 7 8                     6 14 24 36                   0 1  3  6 10
 *     9 1 2 3                    15 24 36 51                   0 6 14 24 36
 *                                                              0 15 24 36 51
 *     the rectangle x=1 y=1 w=2 h=2 sums to 36 - 6 - 15 + 1 = 16 = 6+7+1+2.
 *
 * Exactness.  Integer tables may wrap: modulo 2^32 (or 2^64) the four reads still give every rectangle
 * whose own sum the type can hold exactly, whatever the size of the image.  Signed samples are summed as they are,
 * in tables whose entries are read as signed.  sat_accum_for() picks the narrowest type that is proven right; a query
 * that a table cannot be proven to answer is refused.
 *
 * The library knows arrays, not files.  It never prints, never exits, never aborts.  Every function may
 * be called from any thread; an object (plan, box) is used by one thread at a time.  All memory is the
 * caller's except inside the opaque objects.  Sizes are 64 bit and every product is checked.
 *
 * Versions.  The structs called sat_..._spec and sat_..._info, sat_run_options, sat_table, sat_statistics and
 * sat_rounding get new members at their end, where zero means what the version before did.  The size of the caller's
 * struct travels with the call, so a program may run with a library that is newer, or older, than the header it was
 * compiled with. Functions that take or fill one of these structs are macros: sat_plan_create(plan, spec) is
 * sat_plan_create_sized(plan, spec, sizeof(sat_plan_spec)), and so on, the size last. Other languages call
 * sat_plan_create_sized() with the size of their own declaration. The library takes members that the caller's struct
 * lacks for zero, and does not write them.  A non-zero member that the library does not have is refused with
 * SAT_ERR_ARGUMENT.  All other structs stay as they are. Names in a spec (a border, a backend, a statistic) are read
 * while the object is made.
 *
 * Threads.  Work on the CPU is shared with worker threads of the library's own (sat_parallel()).  They are started when
 * they are first needed, block all signals but a thread's own faults, sleep while there is no work, and
 * stay until the process ends or the library is unloaded.  They have the affinity and the scheduling class of the
 * thread whose call started them.  Where the system refuses one, the other workers do its work.  A child of
 * fork() starts its own; what belonged to the parent's GPU is not for the child.
 *
 * Devices.  A backend on a GPU takes views in device memory, where a run only queues work on the caller's stream and
 * returns: no allocation, no copy, no waiting, so that it can be captured into a CUDA graph.  Or it takes views in host
 * memory: bands of rows go there and come back while others are computed, through pinned memory that the object holds,
 * or straight from and to memory that the caller has pinned in one piece (cudaHostAlloc(), cudaHostRegister()); a few
 * bands of device memory suffice for a table, or a filtered image, of any height.  These go there whole: images for
 * another library's code (sat_lab.h); of filters, those with the border mode wrap, with windows taller than a third of
 * the image, or of floats too wide for a block's strip, and statistics with extremes of the image.  Whatever waits for
 * a stream that is being captured, as all runs on host memory would, is refused with SAT_ERR_ARGUMENT and leaves the
 * capture as it was.  An object belongs to the device that was current when it was made.  CPU work loads no driver and
 * touches no device.
 */
#ifndef SAT_H
#define SAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sat_run.h"

#ifdef __cplusplus
extern "C" {
#endif

#define SAT_VERSION_MAJOR 0
#define SAT_VERSION_MINOR 3
#define SAT_VERSION_PATCH 0

/* The version of the library that is running, "0.3.0". */
SAT_API const char *sat_version(void);

/* ---- status ---------------------------------------------------------------------------------------- */

/* The comment of a function names the statuses that it returns.  All return SAT_ERR_ARGUMENT for what SAT_ERR_ARGUMENT
 * stands for, also where their comments do not name it.  Of several faults, any may be returned. */
typedef enum sat_status {
    SAT_OK = 0,
    SAT_ERR_ARGUMENT = 1,    /* NULL; a value out of its range; memory of a wrong kind, shared, unaligned, with gaps */
    SAT_ERR_SHAPE = 2,       /* sides, channels, count or strides that cannot be, overflow, or disagree between views */
    SAT_ERR_TYPE = 3,        /* no type of samples, sums or results, or they do not go together */
    SAT_ERR_RANGE = 4,       /* sums cannot be proven to hold the answer; a sample is out of fixed point's range */
    SAT_ERR_RECT = 5,        /* a rectangle is empty or reaches outside the image */
    SAT_ERR_MEMORY = 6,      /* an allocation failed */
    SAT_ERR_UNAVAILABLE = 7, /* no backend of that name, or it cannot run here or do this job */
    SAT_ERR_DEVICE = 8,      /* the device reported an error */
    SAT_ERR_FILE = 9,        /* a file cannot be read or written, or is broken: sat_file.h only */
    SAT_ERR_CANCELLED = 10,  /* the caller ended the run: sat_run_options.proceed */
} sat_status;

/* One sentence for each status; never NULL, also for values outside the enum. */
SAT_API const char *sat_status_text(sat_status status);

/* What exactly went wrong in the last call of this thread that did not return SAT_OK, in one line
 * without a newline ("serial: the table needs 12 GiB, which could not be allocated").  Valid until the
 * next failing call on this thread; never NULL. */
SAT_API const char *sat_detail(void);

/* For libraries that stand on this one, as libsat_file does: their own line in its place, cut to some 200 bytes. */
SAT_API void sat_set_detail(const char *text);

/* ---- element types --------------------------------------------------------------------------------- */

typedef enum sat_type {
    SAT_TYPE_NONE = 0,
    SAT_U8 = 1,  /* samples */
    SAT_U16 = 2, /* samples */
    SAT_U32 = 3, /* samples; accumulator modulo 2^32 */
    SAT_U64 = 4, /* accumulator modulo 2^64; samples of later versions */
    SAT_I64 =
        5, /* accumulator: the same 64 bits read as signed, the default of table files; samples of later versions */
    SAT_F32 = 6,  /* samples; accumulator */
    SAT_F64 = 7,  /* samples; accumulator */
    SAT_Q32 = 8,  /* accumulator: float samples in fixed point, summed modulo 2^32; see sat_quant */
    SAT_I8 = 9,   /* samples */
    SAT_I16 = 10, /* samples */
    SAT_I32 = 11, /* samples; accumulator modulo 2^32, read as signed: that of OpenCV's integral() */
    SAT_F16 = 12, /* samples of later versions: SAT_ERR_TYPE, as for 64-bit integers, says what to convert to */
} sat_type;

SAT_API size_t sat_type_bytes(sat_type type);          /* 0 for an unknown type                */
SAT_API const char *sat_type_name(sat_type type);      /* "u8"; "none" for an unknown type     */
SAT_API sat_type sat_type_from_name(const char *name); /* SAT_TYPE_NONE if there is none       */

/* Fixed point for float samples: the integer q, 0 <= q <= largest, stands for the value
 * offset + step * q.  The offset is finite, the step a power of two whose reciprocal is a normal number,
 * and largest at most 2^31 - 1.  A wrapping u32 table of q answers every rectangle of area_px pixels with
 * area_px * largest < 2^32 exactly, but for the rounding of each sample to a multiple of step; an f32
 * table of a large image is useless for small windows (the difference of two large rounded numbers). */
typedef struct sat_quant {
    double offset, step;
    uint32_t largest;
} sat_quant;

/* The finest step (a power of two, at most 24 bits for the range) with which rectangles of up to largest_rect_px pixels
 * of samples in [low, high] are answered.  Values that are multiples of the step are held exactly.  SAT_ERR_RANGE if
 * fewer than 8 bits remain (more than 16843009 pixels), if low and high are not finite and in order, or if no step
 * serves: they are too near each other, too far apart or from 0. */
SAT_API sat_status sat_quant_for(double low, double high, int64_t largest_rect_px, sat_quant *quant);

/* The narrowest accumulator for samples of that type that is proven to answer every rectangle of up to
 * largest_rect_px pixels: SAT_U32 or SAT_U64 for unsigned samples, SAT_I32 or SAT_I64 for signed ones, SAT_F64 for
 * floats.  SAT_TYPE_NONE if none does (32-bit samples over more than 2^32 pixels) or an argument is bad. */
SAT_API sat_type sat_accum_for(sat_type sample, int64_t largest_rect_px);

/* ---- views ----------------------------------------------------------------------------------------- */

typedef enum sat_memory { SAT_HOST = 0, SAT_DEVICE } sat_memory;

/* A borrowed array: count images of one shape.  The sample of channel c at (x, y) of image i lies at
 *
 *     data + i * image_bytes + y * row_bytes + x * pixel_bytes + c * channel_bytes
 *
 * Data and strides are multiples of the type's size.  A stride may be negative (flips; BGR as RGB, data at its last
 * channel), and any may be the largest (transposed arrays, planes as channels).  0 is the default, not a broadcast: a
 * binding that passes on a stride of 0 reads beyond its array, and copies it instead.  Where there is one image, row,
 * pixel or channel, its stride may be anything.  More than 4 channels are planes: an array (H, W, 8) is width = W,
 * height = H, channels = 1, count = 8, pixel_bytes = 8 * size, row_bytes = W * 8 * size, image_bytes = size; an array
 * (8, H, W) the same with no stride set. Planes are fastest that way, also four and fewer.  Samples of a source may
 * share bytes; samples of a result may not: its strides sorted by magnitude, each steps over all that the smaller ones
 * reach.  What lies between samples may be read, and is not written.  On the CPU every operation takes and gives any
 * view, some rows gathered or scattered at a time.  In device memory rows lie top to bottom without gaps, but for
 * sources where the spec says `strided`: the device gathers them.  What is taken as const is only read. */
typedef struct sat_view {
    void *data;            /* the sample of channel 0 at (0, 0) of image 0 */
    ptrdiff_t row_bytes;   /* from one row to the next; 0 = width * |pixel_bytes| */
    int64_t width, height; /* px; for a table: its own entries, padding included */
    int channels;          /* 1..4 */
    sat_type type;
    sat_memory memory;
    int reserved;              /* 0 */
    int64_t count;             /* 1 .. 2^40; 0 = 1 */
    ptrdiff_t image_bytes;     /* from one image to the next; 0 = height * |row_bytes| */
    ptrdiff_t pixel_bytes;     /* from one pixel to the next; 0 = channels * sat_type_bytes(type) */
    ptrdiff_t channel_bytes;   /* from one channel to the next; 0 = sat_type_bytes(type) */
    int64_t reserved_words[2]; /* 0 */
} sat_view;

/* Pixels without gaps: width * channels * sat_type_bytes(type); 0 if that overflows or the type is none. */
SAT_API size_t sat_row_bytes(int64_t width, int channels, sat_type type);

/* Allocates the samples of a view whose other members are set: lowest byte aligned to 64 (device: 256), not
 * initialised. Members that are 0 become their defaults.  On SAT_OK data is the caller's, for sat_view_free() (NULL is
 * fine) with the same strides; else NULL, and the status SAT_ERR_ARGUMENT, _SHAPE, _MEMORY, _DEVICE or _UNAVAILABLE. */
SAT_API sat_status sat_view_alloc(sat_view *view);
SAT_API void sat_view_free(sat_view *view);

/* Image i of a view, as a view of one image; data is NULL if the view has no image i. */
SAT_API sat_view sat_view_image(const sat_view *view, int64_t i);

/* ---- tables ---------------------------------------------------------------------------------------- */

typedef enum sat_layout {
    SAT_PADDED = 0, /* (height+1) x (width+1), zero row and column first: OpenCV's                      */
    SAT_INCLUSIVE,  /* height x width, as the definition above: NumPy's cumsum, scikit-image            */
    SAT_EXCLUSIVE,  /* height x width, shifted: T(0,y) = T(x,0) = 0; no entry beyond the last row and
                       column, so rectangles that touch the right or lower edge have no answer          */
} sat_layout;

SAT_API const char *sat_layout_name(sat_layout layout); /* "padded" ... ; "none"           */
SAT_API bool sat_layout_from_name(const char *name, sat_layout *layout);
enum { SAT_COUNTS = -1 }; /* the power of a table of counts: how many samples count, in each channel (sat_query.h) */

/* A finished table with what a query must know of it. */
typedef struct sat_table {
    sat_view view;
    sat_layout layout;
    sat_type sample;  /* of the image: bounds what a rectangle can sum to */
    sat_quant quant;  /* for SAT_Q32 */
    int power;        /* the entries sum samples (1; 0 = 1) or their squares (2), or count them (SAT_COUNTS) */
    bool has_invalid; /* samples may be invalid: with a level, only queries with counts can answer */
    bool reserved[3]; /* false */
    double level;     /* of float samples, on the CPU: subtracted from each valid sample before it is summed or
                         squared (sat_image_level(), sat_query.h); queries add it again */
} sat_table;

/* What a plan is made for. Zero means the default where one is named. */
typedef struct sat_plan_spec {
    int64_t width;                  /* px, 1 .. 2^40 */
    int64_t height;                 /* px, of the tallest image or band that this plan will be run on */
    int channels;                   /* 1..4, each summed on its own; 0 = 1 */
    sat_type sample;                /* u8 u16 u32, i8 i16 i32, f32, f64 */
    sat_type accum;                 /* u8, u16: u32 u64 i32 i64 f32 f64; u32: the same but i32; i8, i16, i32:
                                       i32 i64 f32 f64, on a device i32 i64; f32: f32 f64 q32; f64: f64 q32;
                                       SAT_TYPE_NONE = sat_accum_for() the whole image, or u64 or i64 */
    sat_layout layout;              /* default SAT_PADDED */
    sat_quant quant;                /* for SAT_Q32 only */
    const char *backend;            /* a name of sat_backend_at(), NULL = the first that can do the job; for
                                       views in host memory no device, unless that is expected to be faster */
    int threads;                    /* 1 .. 1024; 0 = one for each core, as far as there is work for it; a CPU
                                       backend, and copies of views in host memory for a device, use no more */
    sat_memory memory;              /* where the views and carry rows of all runs lie; default SAT_HOST */
    int64_t count;                  /* images that a run has at most; 0 = 1 */
    bool strided;                   /* images in device memory may have any strides; takes memory to gather them */
    bool masked, skip_nan;          /* which samples count: sat_query.h */
    bool has_nodata, reserved[4];   /* reserved: false */
    const sat_executor *executor;   /* runs the plan's jobs; NULL = the library's threads */
    const sat_allocator *allocator; /* of the plan's memory; NULL = the library's */
    int power;                      /* 1 sums the samples, 2 their squares; 0 = 1.  Squares of u8, u16, i8, i16 go to
                                       u32 u64 i64 f64, all others to f64, each rounded to f64 first; SAT_TYPE_NONE =
                                       the narrowest of u32, u64 and f64 that is proven for the whole image.  By the
                                       backends cpu, serial, and on a device fused, which sums samples of 8 and 16
                                       bits in integers only.  SAT_COUNTS: sat_query.h */
    int reserved_word;              /* 0 */
    double nodata;
    double level; /* of float samples in f64, on the CPU, a finite value of their type: as sat_table.level */
} sat_plan_spec;

/* Describes the table of an image of the spec's width and height: all members but the data, rows without gaps.  The
 * spec's defaults are filled in, its backend is not looked for.  sat_view_alloc(&table->view) then gives it memory.
 * Returns SAT_ERR_ARGUMENT, _SHAPE, _TYPE. */
#define sat_table_for(...) /* spec, table */ sat_table_for_sized(__VA_ARGS__, sizeof(sat_plan_spec), sizeof(sat_table))
SAT_API sat_status sat_table_for_sized(const sat_plan_spec *spec, sat_table *table, size_t spec_bytes,
                                       size_t table_bytes);

/* The table of an image, for those who need no plan: makes one of the spec, takes memory for the table where the image
 * lies, runs it, and waits.  The image's width, height, channels, type, memory and count are the spec's where they are
 * 0 there; spec NULL: all of them, and the defaults.  On SAT_OK the table's view is the caller's, to be given to
 * sat_view_free(); else its data is NULL, and the status SAT_ERR_ARGUMENT, _SHAPE, _TYPE, _RANGE, _MEMORY, _UNAVAILABLE
 * or _DEVICE, as of sat_plan_create() and sat_plan_run().  A mask is for sat_tables_of() (sat_query.h). */
#define sat_table_of(...) /* image, spec, table */                                                                     \
    sat_table_of_sized(__VA_ARGS__, sizeof(sat_plan_spec), sizeof(sat_table))
SAT_API sat_status sat_table_of_sized(const sat_view *image, const sat_plan_spec *spec, sat_table *table,
                                      size_t spec_bytes, size_t table_bytes);

typedef struct sat_plan sat_plan;

/* Makes a plan: checks the spec, picks the backend, allocates all that runs will need.
 * On SAT_OK *plan is the caller's, to be given to sat_plan_destroy(); else it is NULL, and the status is
 * SAT_ERR_ARGUMENT, _SHAPE, _TYPE, _MEMORY, _DEVICE or _UNAVAILABLE. */
#define sat_plan_create(...) sat_plan_create_sized(__VA_ARGS__, sizeof(sat_plan_spec)) /* plan, spec */
SAT_API sat_status sat_plan_create_sized(sat_plan **plan, const sat_plan_spec *spec, size_t spec_bytes);

/* Builds the tables of all images.  Both views are the caller's and share no byte: their extents lie apart, or they are
 * different regions of one larger image, or different images in turns (others may be refused).
 * The image view has the plan's width, channels and sample type, 1 .. height rows and 1 .. count images; a run of fewer
 * images may use fewer threads.  The table view has the accumulator type (SAT_Q32 for q32), the same number of images,
 * and the shape that the layout asks for: padded (rows + 1) x (width + 1), or rows x (width + 1) when the band
 * continues; else rows x width. Integer results are bit-equal on every backend and thread count. Float results are the
 * same from run to run on one backend and instruction set, if the backend is repeatable (sat_backend_info); they differ
 * by at most 2 * (width + height) * eps * (sum of |samples|), eps = 2^-53 (f64) or 2^-24 (f32), from one run
 * or backend to another.
 * Views in device memory: the work is queued on run->stream and may not have begun when the call returns; image,
 * table and carry rows must stay until it is done.  Runs of one plan share its workspace: they go to one
 * stream, or each waits for the one before.  sat_plan_wait() returns what only the device can find out.
 * Returns SAT_ERR_SHAPE, SAT_ERR_TYPE, SAT_ERR_ARGUMENT, SAT_ERR_RANGE (q32: a sample is NaN or lies outside
 * [offset, offset + step * largest]; the table's content is then undefined), SAT_ERR_DEVICE, SAT_ERR_UNAVAILABLE (a
 * mask in device memory), SAT_ERR_CANCELLED. */
#define sat_plan_run(...) sat_plan_run_sized(__VA_ARGS__, sizeof(sat_run_options)) /* plan, image, table, run */
SAT_API sat_status sat_plan_run_sized(sat_plan *plan, const sat_view *image, const sat_view *table,
                                      const sat_run_options *run, size_t run_bytes);

/* Waits for the work queued on that stream and returns the failures of runs on device memory: SAT_ERR_RANGE (q32: a
 * sample outside the range, in any run since the last wait) or SAT_ERR_DEVICE.  Elsewhere it returns SAT_OK at once. */
SAT_API sat_status sat_plan_wait(sat_plan *plan, void *stream);

/* The accumulator and the backend chosen, and one line for people that names backend, instruction set and threads
 * ("cpu, avx512, 2 threads"); valid while the plan lives. */
SAT_API sat_type sat_plan_accum(const sat_plan *plan);
SAT_API const char *sat_plan_backend(const sat_plan *plan);
SAT_API const char *sat_plan_note(const sat_plan *plan);

/* The device of its backend, as sat_device_info numbers it: the current one when the plan was made; -1: the CPU. */
SAT_API int sat_plan_device(const sat_plan *plan);

SAT_API void sat_plan_destroy(sat_plan **plan); /* sets *plan to NULL; NULL and pointers to NULL are fine */

/* ---- questions to a table -------------------------------------------------------------------------- */

typedef struct sat_rect {
    int64_t x, y, width, height; /* px; [x, x+width) x [y, y+height) */
} sat_rect;

/* Which member counts follows from the table's type: u (u32, u64), i (i32, i64), f (f32, f64, q32). */
typedef union sat_sum {
    uint64_t u;
    int64_t i;
    double f;
} sat_sum;

enum { SAT_CLIP = 1 }; /* flags: cut each rectangle to the image instead of refusing it */

/* Answers n rectangles in each image of the table: sums[(image * n + i) * channels + c], and means in the same order;
 * either may be NULL. Sums are exact for integer tables; a mean is the sum divided by the area in double.  A table of
 * squares answers with sums and means of the squares.  With SAT_CLIP a rectangle that lies wholly outside gives sum 0
 * and mean NaN. All rectangles are checked before the first answer is written: SAT_ERR_RECT names the first bad one by
 * its index and the image's size; SAT_ERR_RANGE the first that this table cannot be proven to answer,
 * with the bound.  Also SAT_ERR_TYPE for a table that no samples of its type make, SAT_ERR_UNAVAILABLE for one
 * in device memory (see sat_query_create()), SAT_ERR_ARGUMENT and SAT_ERR_SHAPE.  threads as in sat_plan_spec; small
 * batches use one.  sat_query_run() takes the options of a run. */
#define sat_table_query(...) /* table, rects, n, flags, threads, sums, means */                                        \
    sat_table_query_sized(__VA_ARGS__, sizeof(sat_table))
SAT_API sat_status sat_table_query_sized(const sat_table *table, const sat_rect *rects, size_t n, unsigned flags,
                                         int threads, sat_sum *sums, double *means, size_t table_bytes);

/* What is asked of rectangles.  Zero means the default, NULL that it is not asked for. */
typedef struct sat_statistics {
    unsigned flags;               /* SAT_CLIP */
    int threads;                  /* as in sat_plan_spec */
    int64_t ddof;                 /* 0 or more: variances are divided by the number that count less ddof; NaN if that
                                     is below 1 */
    sat_sum *sums;                /* as of sat_table_query() */
    int64_t *areas;               /* px: n of them, of the part inside the image, whatever counts in it */
    double *areas_f64;            /* the areas, in f64 */
    const sat_executor *executor; /* as in sat_plan_spec */
    const struct sat_rect_output *output; /* other statistics (sat_query.h); read during the call alone */
    int outputs;                          /* how many these are */
    int reserved_word;                    /* 0 */
    /* Which samples count, of sat_image_statistics() alone: NaNs do not, nor does nodata (as in sat_query.h, "tables of
     * what counts").  sat_run_options.mask is a mask besides. */
    bool skip_nan, has_nodata;
    bool reserved[6]; /* false */
    double nodata;
    const sat_table *counts; /* of tables: that of the same image's counts, in host memory; NULL: all samples count */
    int64_t *imprecise;      /* NULL, or receives how many variances or mean squares, over all images, rectangles and
                                channels, rounding in tables (of host memory) may have put off by more than 2 % */
} sat_statistics;

/* Answers n rectangles in each image of a table and of the table of its squares (sat_plan_spec.power = 2): each array
 * but the areas holds [(image * n + i) * channels + c].  squares may be NULL where no statistic that needs squares is
 * asked for.  Both tables are of one image, with the same samples, in host memory; types and layouts may differ.
 *
 * Tables of integers: a variance (n * S2 - S1 * S1) / (n * (n - ddof)) is computed exactly and rounded once; so is the
 * mean of the squares. std and rms are the rounded square roots of these.  Variances are never negative, and 0 for
 * equal samples.
 *
 * Integer samples in a table of f32 or f64 (the squares of u32 and i32 are f64): as long as no entry exceeds 2^24 or
 * 2^53, entries are exact.  A variance is then computed from the sums of x - c, c the integer nearest to the mean; its
 * relative error is a few roundings.  sat_image_statistics() is exact for all.
 *
 * Float samples: S1 and S2 are the sums of x - level and of (x - level)^2, with one level for both tables.  A variance
 * is (S2 - S1 * (S1 / n)) / (n - ddof) in f64, and 0 where rounding makes that negative.  With sums wrong by at most e1
 * and e2 it is wrong by at most
 *     (e2 + 2 * |S1| / n * e1 + e1 * e1 / n + 4 * 2^-53 * S2) / (n - ddof),
 * and e1, e2 grow with the whole image (sat_plan_run()): where the deviation is small beside |mean - level|, nothing
 * may be left of it.  Nothing is refused for that, but `imprecise` counts the variances whose estimated error exceeds a
 * fiftieth of them.  The estimate is the bound above without its last term, e1 and e2 being 16 * eps * the largest of
 * the four entries that were read: eps is 2^-53, 2^-24 in an f32 table, and 0 for exact entries and for q32.
 *
 * With SAT_CLIP a rectangle that lies wholly outside gives sum 0, area 0 and NaN for the others.  Where nothing is
 * asked for, the rectangles are checked, and no more.  Returns as sat_table_query() does, before the first answer is
 * written; SAT_ERR_ARGUMENT also for squares that are missing or have power 1, asked for or not, counts that are none,
 * skip_nan and nodata; SAT_ERR_SHAPE and _TYPE for tables that are not of one image, _TYPE for counts beside q32;
 * SAT_ERR_CANCELLED. */
#define sat_table_statistics(...) /* table, squares, rects, n, ask, run */                                             \
    sat_table_statistics_sized(__VA_ARGS__, sizeof(sat_table), sizeof(sat_statistics), sizeof(sat_run_options))
SAT_API sat_status sat_table_statistics_sized(const sat_table *table, const sat_table *squares, const sat_rect *rects,
                                              size_t n, const sat_statistics *ask, const sat_run_options *run,
                                              size_t table_bytes, size_t ask_bytes, size_t run_bytes);

/* A table that is queried many times, in host memory or on a device. */
typedef struct sat_query sat_query;

/* How it is queried.  Zero means the default. */
typedef struct sat_query_spec {
    unsigned flags;                 /* SAT_CLIP */
    int threads;                    /* of a table in host memory: as in sat_plan_spec */
    const sat_executor *executor;   /* as in sat_plan_spec */
    const sat_allocator *allocator; /* as in sat_plan_spec */
    const sat_table *squares;       /* of the same image, power 2, in memory of the same kind; NULL: no statistics that
                                       need it.  Copied, as the table is */
} sat_query_spec;

/* Checks the table as sat_table_query() does and copies its description; its memory is borrowed while the query lives,
 * and what it holds may change between runs: a new table in the same place.  All memory that runs need is taken here.
 * spec NULL: the defaults.  On SAT_OK *query is the caller's, to be given to sat_query_destroy(); else it is NULL, and
 * the status is what sat_table_query() or sat_table_statistics() says of their tables, SAT_ERR_MEMORY, SAT_ERR_DEVICE,
 * or SAT_ERR_UNAVAILABLE where there is no device. */
#define sat_query_create(...) /* query, table, spec */                                                                 \
    sat_query_create_sized(__VA_ARGS__, sizeof(sat_table), sizeof(sat_query_spec))
SAT_API sat_status sat_query_create_sized(sat_query **query, const sat_table *table, const sat_query_spec *spec,
                                          size_t table_bytes, size_t spec_bytes);

/* A table in host memory: as sat_table_query().
 * A table in device memory: rects, sums and means lie in device memory too, aligned to 8 bytes (rects are read
 * in fewer loads from 16), and must not overlap.  The work is queued on run->stream, and may not have begun when
 * the call returns; all memory must stay until it is done.  Runs of one query go to one stream, or each waits for the
 * one before.  Results equal sat_table_query()'s bit for bit, but a NaN may be another NaN.  A bad rectangle
 * gets sum 0 and mean NaN, all others their answers; sat_query_wait() returns the failure.
 * Returns SAT_ERR_ARGUMENT, SAT_ERR_DEVICE, SAT_ERR_CANCELLED; for a table in host memory also SAT_ERR_RECT,
 * SAT_ERR_RANGE. */
#define sat_query_run(...) /* query, rects, n, sums, means, run */                                                     \
    sat_query_run_sized(__VA_ARGS__, sizeof(sat_run_options))
SAT_API sat_status sat_query_run_sized(sat_query *query, const sat_rect *rects, size_t n, sat_sum *sums, double *means,
                                       const sat_run_options *run, size_t run_bytes);

/* The statistics of sat_table_statistics() from the query's table and its table of squares; ask->flags, threads and
 * executor do not count, but the spec's.  Tables in host memory: as sat_table_statistics().
 * Tables in device memory: as sat_query_run(), all arrays of *ask in device memory too, aligned to 8 bytes.  Results
 * equal sat_table_statistics()'s bit for bit, but a NaN may be another NaN.  A bad rectangle gets sum 0, area 0 and NaN
 * for the others; bad is what the table cannot answer or, where an answer needs it, that of squares.  Returns as
 * sat_query_run(); SAT_ERR_ARGUMENT also for squares that are missing, a table of squares in place of the sums, and a
 * ddof below 0; SAT_ERR_UNAVAILABLE for counts. */
#define sat_query_statistics(...) /* query, rects, n, ask, run */                                                      \
    sat_query_statistics_sized(__VA_ARGS__, sizeof(sat_statistics), sizeof(sat_run_options))
SAT_API sat_status sat_query_statistics_sized(sat_query *query, const sat_rect *rects, size_t n,
                                              const sat_statistics *ask, const sat_run_options *run, size_t ask_bytes,
                                              size_t run_bytes);

/* Waits for the work queued on that stream and returns the failures of runs on device memory: SAT_ERR_RECT or
 * SAT_ERR_RANGE, with the sentence of sat_table_query(), for the bad rectangle of the lowest index in any run since the
 * last wait; or SAT_ERR_DEVICE.  Elsewhere it returns SAT_OK at once. */
SAT_API sat_status sat_query_wait(sat_query *query, void *stream);

SAT_API int sat_query_device(const sat_query *query); /* on which its tables lie; -1: the CPU */

SAT_API void sat_query_destroy(sat_query **query); /* sets *query to NULL; NULL and pointers to NULL are fine */

/* ---- box filter ------------------------------------------------------------------------------------ */

/* The pixel of the window that lies on the result's pixel.  A side w has its pixels at 0 .. w-1; an odd one has one
 * middle pixel, an even one two.  A filter and then one with the other anchor, both of one even side, leave the picture
 * in its place; one alone moves it by half a pixel. */
typedef enum sat_anchor {
    SAT_ANCHOR_SECOND = 0, /* w/2: windows reach w/2 pixels to the left (up), (w-1)/2 to the right (down); OpenCV's */
    SAT_ANCHOR_FIRST,      /* (w-1)/2: windows reach (w-1)/2 pixels to the left (up), w/2 to the right (down)       */
} sat_anchor;

/* The mean over a window around each pixel, at a cost that does not depend on the window's size.
 *
 * Integer samples: the sum is exact.  A result of the samples' type is the quotient of sum and count rounded to
 * nearest, halves away from zero.  A result of f64 is the f64 that is nearest to the quotient; from windows of 2^48
 * pixels on, or sums of alpha as large, it is wrong by less than 2^-51 of itself.  A result of f32 is that f64, rounded
 * to the nearest f32; of u8 and i8 in windows of up to 65793 pixels, and of u16 and i16 of up to 256, that is the f32
 * nearest to the quotient.
 *
 * Float samples: sums in f64 by additions only (van Herk 1992), so that a NaN or Inf reaches exactly the windows that
 * hold it.  A sum of n samples is divided by n, and for results of f32 rounded once more: the f64 is wrong by less than
 * (n + 1) * 2^-53 of the mean of the samples' absolute values.  Backends without a filter of their own (serial) go
 * through an f64 table of the whole image, whose rounding breaks that bound, and refuse one that holds NaN or Inf with
 * SAT_ERR_RANGE; floats in device memory, which they cannot check, they refuse when the filter is made.  So does a
 * device's filter whose float windows, in a border mode that repeats samples, reach beyond the image by more than its
 * size. */
typedef struct sat_box_spec {
    int64_t width, height;               /* px */
    int channels;                        /* 1..4; 0 = 1 */
    sat_type sample;                     /* SAT_U8, _U16, _U32, _I8, _I16, _I32, _F32, _F64 */
    int64_t window_width, window_height; /* px, at least 1, at most 2^31 - 1; may exceed the image */
    const char *border;                  /* a name of sat_border_at(); NULL = the first, "shrink" */
    double border_value[4];              /* for borders that take a value: one for each channel; integer
                                            samples: an integer in the type's range; f32: in its range, inf or nan */
    bool weighted_alpha;                 /* the last of 2 or 4 channels is alpha: colours are averaged with it as
                                            their weight; where its sum is 0, colours get 0.  Not of u32 and i32.
                                            With alphas below 0 a quotient may lie outside the samples' type: it is
                                            cut to that range */
    const char *backend;                 /* NULL = the first that can do the job where the views lie */
    int threads;                         /* as in sat_plan_spec */
    sat_memory memory;                   /* where the views of all runs lie; default SAT_HOST */
    sat_anchor anchor;                   /* of even sides */
    bool strided;                        /* sources in device memory may have any strides, as in sat_plan_spec */
    bool reserved[3];                    /* false */
    int64_t count;                       /* images that a run has at most; 0 = 1 */
    const sat_executor *executor;        /* as in sat_plan_spec */
    const sat_allocator *allocator;      /* as in sat_plan_spec */
    sat_type result;                     /* the sample's type, SAT_F32 or SAT_F64; SAT_TYPE_NONE = the sample's */
    int reserved_word;                   /* 0 */
    int64_t band_rows;                   /* rows that a run makes at most (sat_run_options); 0: whole images */
} sat_box_spec;

typedef struct sat_box sat_box;

/* Makes a filter: checks the spec, picks the backend, allocates all that runs will need (float samples on the
 * CPU: for each thread f64 sums of window_height / 8 + 3 rows of width + window_width pixels; where that is more than
 * 64 MiB, of strips of the image, at least 16384 pixels and four windows wide.  Images of up to 32 samples a row and
 * eight times as many rows are their transpose, in strips).
 * On SAT_OK *box is the caller's, to be given to sat_box_destroy(); else it is NULL, and the status is
 * SAT_ERR_ARGUMENT, _SHAPE, _TYPE (of samples or results), _RANGE (a window's sum could exceed 2^64, of signed samples
 * 2^63; sums of 32-bit integers weighted by alpha), _MEMORY, _DEVICE or _UNAVAILABLE. */
#define sat_box_create(...) sat_box_create_sized(__VA_ARGS__, sizeof(sat_box_spec)) /* box, spec */
SAT_API sat_status sat_box_create_sized(sat_box **box, const sat_box_spec *spec, size_t spec_bytes);

/* Filters each image of src into dst: both of the spec's shape and channels and of 1 .. count images, src of the spec's
 * samples' type and dst of its results'; they share no byte.  Views in device memory: the work is queued on
 * run->stream, as for sat_plan_run(), and may not have begun when the call returns; runs of one filter go to one
 * stream, or each waits for the one before.  Results of integers are bit-equal on every backend and thread count;
 * results of floats on every thread count and, on the CPU, every instruction set, for any rows at a time.
 * Returns SAT_ERR_ARGUMENT, _SHAPE, _TYPE, _RANGE (above), _DEVICE or _CANCELLED. */
#define sat_box_run(...) sat_box_run_sized(__VA_ARGS__, sizeof(sat_run_options)) /* box, src, dst, run */
SAT_API sat_status sat_box_run_sized(sat_box *box, const sat_view *src, const sat_view *dst, const sat_run_options *run,
                                     size_t run_bytes);

/* What rows of the source a run for rows [first, end) reads: sat_run_options, "Rows". */
SAT_API sat_status sat_box_needs(const sat_box *box, int64_t first, int64_t end, int64_t *from, int64_t *to);
/* The backend chosen, and one line for people: backend, instruction set, threads, and the accumulator with the proof
 * that it suffices; valid while the filter lives. */
SAT_API const char *sat_box_backend(const sat_box *box);
SAT_API const char *sat_box_note(const sat_box *box);
SAT_API int sat_box_device(const sat_box *box); /* as of plans */

SAT_API void sat_box_destroy(sat_box **box); /* sets *box to NULL; NULL and pointers to NULL are fine */

/* What lies beyond the image's edge; V is the caller's value.
 *
 *     shrink      mean of the pixels inside the image
 *     reflect101  d c b | a b c d | c b a
 *     reflect     c b a | a b c d | d c b
 *     replicate   a a a | a b c d | d d d
 *     wrap        b c d | a b c d | a b c
 *     constant    V V V | a b c d | V V V
 */
typedef struct sat_border_info {
    const char *name, *summary;
    bool takes_value, repeats_all; /* repeats_all: position i sees pixel i modulo the image's side */
    bool reserved[6];              /* false */
} sat_border_info;

/* The i-th border mode, the default first; false past the last. */
#define sat_border_at(...) sat_border_at_sized(__VA_ARGS__, sizeof(sat_border_info)) /* i, info */
SAT_API bool sat_border_at_sized(size_t i, sat_border_info *info, size_t info_bytes);

/* ---- backends -------------------------------------------------------------------------------------- */

/* A method; the reference, which is written to be right; and what the laboratory compares with them (sat_lab.h): a
 * ceiling, which moves bytes and sums nothing, or a peer, another library's code. */
typedef enum sat_kind { SAT_METHOD = 0, SAT_REFERENCE = 1, SAT_CEILING = 2, SAT_PEER = 3 } sat_kind;

/* What computes tables: the library's own methods; a caller may be given any of them. */
typedef struct sat_backend_info {
    const char *name, *summary;
    const char *paper; /* citation, or NULL */
    bool device;       /* runs on a device; takes views in its memory */
    bool repeatable;   /* float results are the same from run to run */
    bool filters;      /* has a box filter of its own; the others filter through their tables */
    bool available;    /* can run here and now */
    const char *why;   /* what it runs on ("avx512, 2 cores"), or why it cannot; never NULL */
} sat_backend_info;

/* The i-th backend, best first; false past the last.  Probes that one backend only. */
#define sat_backend_at(...) sat_backend_at_sized(__VA_ARGS__, sizeof(sat_backend_info)) /* i, info */
SAT_API bool sat_backend_at_sized(size_t i, sat_backend_info *info, size_t info_bytes);

/* The same without probing, so that no driver is loaded: available is false, and why no reason. */
#define sat_backend_entry(...) sat_backend_entry_sized(__VA_ARGS__, sizeof(sat_backend_info)) /* i, info */
SAT_API bool sat_backend_entry_sized(size_t i, sat_backend_info *info, size_t info_bytes);

/* The name of the i-th backend that only builds with CUDA have, where this one is without: at most bytes - 1 characters
 * of it.  False past the last, and in builds with CUDA. */
SAT_API bool sat_backend_absent(size_t i, char *name, size_t bytes);

/* ---- device memory ----------------------------------------------------------------------------------- */

/* For programs without a CUDA compiler: what it takes to keep images and tables on the device.  All of it works on the
 * calling thread's current device and returns SAT_ERR_UNAVAILABLE, with the reason, where there is none, SAT_ERR_DEVICE
 * where it fails, and SAT_ERR_MEMORY where its memory is full.  stream: a cudaStream_t, NULL = the default one. */

typedef struct sat_device_info {
    char name[128]; /* "NVIDIA H200" */
    int sm;         /* compute capability: 90 */
    int multiprocessors;
    size_t memory_bytes, l2_bytes;
    int driver, runtime; /* CUDA versions: 13000 */
    int ordinal;         /* its number, as of cudaSetDevice() */
    int reserved_word;   /* 0 */
} sat_device_info;

#define sat_device_current(...) sat_device_current_sized(__VA_ARGS__, sizeof(sat_device_info)) /* info */
SAT_API sat_status sat_device_current_sized(sat_device_info *info, size_t info_bytes);
SAT_API sat_status sat_device_alloc(void **data, size_t bytes); /* aligned to 256 bytes; *data NULL on failure */
SAT_API void sat_device_free(void *data);                       /* waits for the device; accepts NULL */

/* Queues setting all bytes; queues copying views in any memory, of one shape and type, else SAT_ERR_SHAPE, _TYPE (from
 * or to host memory it is done on return; strides may take memory: _MEMORY); waits until the stream is empty. */
SAT_API sat_status sat_device_fill(void *data, int byte, size_t bytes, void *stream);
SAT_API sat_status sat_device_copy(const sat_view *from, const sat_view *to, void *stream);
SAT_API sat_status sat_device_wait(void *stream);

/* Is what is queued on that stream captured into a graph, not run?  Changes nothing. */
SAT_API sat_status sat_device_capturing(void *stream, bool *capturing);

#ifdef __cplusplus
}
#endif

#endif
