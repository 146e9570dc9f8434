/* sat_run.h - threads, memory and options: how objects of libsat work, whatever they do.  A part of sat.h, which
 * includes it. */
#ifndef SAT_RUN_H
#define SAT_RUN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if UINTPTR_MAX < UINT64_MAX
#error "sat needs a 64-bit system: use amd64 (x86-64) instead of i386, arm64 (aarch64) instead of armhf"
#elif defined(__BYTE_ORDER__) && __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "sat needs a little-endian 64-bit system, as amd64 (x86-64), arm64 (aarch64) or ppc64el: table files are mapped"
#endif

#if defined(__GNUC__)
#define SAT_API __attribute__((visibility("default")))
#else
#define SAT_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* ---- threads --------------------------------------------------------------------------------------- */

/* How many processors this thread may run on, 1 .. 1024: what threads = 0 stands for. */
SAT_API int sat_processors(void);

/* One of count tasks: index is 0 .. count-1, worker the number of the thread that does it. */
typedef void sat_task(void *context, int64_t index, int worker);

/* Calls task(context, index, worker) once for each index 0 .. count-1, in up to `threads` threads (1 .. 1024; 0 = one
 * for each processor), and returns when all calls have.
 *
 * The calling thread is worker 0; the others are 1 .. threads-1. Any of these may not come, and each is one thread at a
 * time: scratch memory for `threads` workers suffices.  Indices are begun in order: before one is begun, all lower ones
 * have been.  So a task may wait for a lower index, and for nothing else.  What the caller wrote before is
 * seen by all tasks, and what they wrote by the caller after.  Calls at the same time, from several threads or from
 * inside a task, share the workers: a call takes the idle ones, and at worst its caller does everything.
 *
 * A task has 256 KiB of stack.  It must return: not by longjmp(), not by an exception.  In a child that a task forks no
 * other thread goes on with the indices: it ends there, or calls exec().
 * Returns how many threads took part, 1 or more; 0 if count < 1 or there is no task. */
SAT_API int sat_parallel(int threads, int64_t count, sat_task *task, void *context);

/* A caller's threads in place of the library's, for one object.  run() calls job(argument, i) once for each i in
 * 0 .. jobs-1 and returns when all calls have: in any order, at the same time or one after the other, from any thread.
 * It may be called at the same time from several threads, and from inside a job.  jobs is 2 or more, at most the
 * object's number of threads (sat_processors() when it was made, where that is 0); what one thread suffices for is done
 * by the caller's.  A job needs 256 KiB of stack and must return.  The struct and what it points to outlive the object.
 */
typedef struct sat_executor {
    void (*run)(void *context, int jobs, void (*job)(void *argument, int i), void *argument);
    void *context;
} sat_executor;

/* ---- memory ---------------------------------------------------------------------------------------- */

/* What objects take, and how it is aligned. */
typedef enum sat_memory_kind {
    SAT_MEMORY_HOST = 0,   /* 64 bytes */
    SAT_MEMORY_PINNED = 1, /* 64 bytes; host memory that the device copies from and to by itself: cudaHostAlloc() */
    SAT_MEMORY_DEVICE = 2, /* 256 bytes; on the current device */
} sat_memory_kind;

/* A caller's memory in place of the library's, for one object.  allocate() returns memory that is not initialised, or
 * NULL; then, or if the memory is not aligned, creating the object fails with SAT_ERR_MEMORY.  release() is given what
 * allocate() returned, once, with the same bytes and kind.  Both are called while the object is created or destroyed,
 * by the thread that does so; runs call neither.  A device may still be at work in the memory when release() is called,
 * if the object is destroyed before its stream is empty: the caller waits, or releases in the stream's order.  The
 * struct and what it points to outlive the object.  The threads' stacks are the library's in any case. */
typedef struct sat_allocator {
    void *(*allocate)(void *context, size_t bytes, sat_memory_kind kind);
    void (*release)(void *context, void *data, size_t bytes, sat_memory_kind kind);
    void *context;
} sat_allocator;

/* ---- runs ------------------------------------------------------------------------------------------ */

enum { SAT_OUTPUTS = 16 }; /* results that a run has at most, beside one another: of sat_window_run() */

/* What a run counted; -1 what its operation or backend does not count.  Box filters, tables and queries count nothing.
 */
typedef struct sat_counts {
    int64_t clipped;            /* results that lay beyond the range of their integer type, or were NaN there */
    int64_t empty[SAT_OUTPUTS]; /* of each output of sat_window_run(): its empty results */
    int64_t moved; /* results that became the value beside another (sat_window_spec.avoid_empty, sat_gauss_spec);
                      filled where sat_run_options has the member mask, as this member is no older */
} sat_counts;

/* What creating an object takes, at most at a time, of each kind of memory (sat_bytes.h). */
typedef struct sat_bytes {
    size_t host, pinned, device;
} sat_bytes;

/* How any object runs; NULL or zeros: to the end.
 *
 * Ending a run.  proceed(context) is asked whether the run goes on: by the calling thread, before there is work and
 * then about every millisecond of it, at least every 20 ms, between rows. Rows of tens of millions of samples, and rows
 * gathered from a transposed array, take longer. What it does takes time from the run; it does not use the object that
 * runs.  Once it returns false it is not asked again, and the run soon returns SAT_ERR_CANCELLED; results are then
 * undefined, objects are as before.  With an executor, the thread asks that runs job 0.  On a device, proceed is asked
 * before work is queued, and where views lie in host memory also between bands; what is queued is waited for.
 *
 * Bands.  An image of any height can be summed a band of rows at a time, on one machine or several: the carry row is
 * the inclusive table's row above the band, width * channels entries of the accumulator type (q32: u32), and joins
 * them.  carry_in NULL means zeros.  carry_out, if not NULL, receives the inclusive table's last row of this band; it
 * may be carry_in itself.  A run of several images takes one band of each, all of one height: carry_in and carry_out
 * then hold a row for each image, one after the other.  For tables only; others return SAT_ERR_ARGUMENT.
 *
 * Rows.  A box filter, windows or a Gaussian filter whose spec has band_rows is made for a whole image, of any height,
 * and makes up to band_rows of its rows in a run: [first_row, first_row + rows), in any order, with the bits of a run
 * on the whole image.  Results hold these rows.  The source, and a mask, hold rows [from, to) of the image, which
 * sat_box_needs(), sat_window_needs() and sat_gauss_needs() tell: what these results are made of, and a row more on
 * each side, so that runs can follow one another.  A row number below 0, or of the image's height and more, is
 * taken modulo the height; there are some only where the border mode is wrap.  (The three return SAT_ERR_ARGUMENT, and
 * SAT_ERR_SHAPE for rows that the image does not have.)
 * With `continues` the image is that of the object's last run, and a run that begins where that ended goes on with its
 * sums, on the CPU of integers, and of floats from multiples of 8 rows on in box filters; so a band need not begin with
 * the sums of a whole window; of several images, each begins anew.  Where bands are lower than two windows for each
 * thread, one thread makes them. */
typedef struct sat_run_options {
    void *stream;                   /* a cudaStream_t for backends on a device, else not used; views in host memory: the
                                       run begins when it is empty, is done when the call returns, and cannot be
                                       captured into a graph */
    bool (*proceed)(void *context); /* NULL: the run cannot be ended */
    void *context;
    sat_counts *counts; /* where the counts go, or NULL: filled when the call returns, of views in device memory when
                           the object's wait does (sat_window_wait()), until which it must stay */
    const void *carry_in;
    void *carry_out;
    bool continues;          /* padded layout: this is not the first band, its table view has no zero row; rows: the
                                source is the image of the object's last run, which ended at first_row */
    bool reserved[7];        /* false */
    int64_t first_row, rows; /* of the results; of an object that is not made for rows, 0: all */
    void (*progress)(void *context, int64_t done, int64_t of); /* NULL; for later versions */
    /* Which pixels of the source count: as many images of u8 with one channel, of its width and height, with any
     * strides, not 0 where a pixel counts; in the memory of the views, of tables and sat_image_statistics() in host
     * memory.  NULL unless what runs was made for a mask.  sat_window_run() takes it here or as its argument. */
    const struct sat_view *mask;
} sat_run_options;

#ifdef __cplusplus
}
#endif
#endif
