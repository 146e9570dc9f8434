/* bands.h - arrays in host memory for a backend that works on a device: band by band, so that the bus is busy in both
 * directions while the device computes, and of device memory a few bands are enough, however large the arrays are.
 *
 * What a band holds is its owner's: rows of an image (table_bands.h, filter_bands.h), or several images. */
#ifndef SAT_BANDS_H
#define SAT_BANDS_H

#include "device.h"
#include "offload.h"

/* The rows of a band for `height` rows in all, 1 .. height, of so many bytes to the device and back: the derivation is
 * in bands.c. */
int64_t sat_band_rows(size_t row_bytes_in, size_t row_bytes_out, int64_t height);

enum { SAT_BANDS = 3 }; /* under way at a time; bands.c says why */
/* The arrays of a band: those that go to the device, then those that come back. */
enum { SAT_BAND_SOURCE, SAT_BAND_MASK, SAT_BAND_RESULTS, SAT_BAND_ARRAYS = SAT_BAND_RESULTS + SAT_OUTPUTS };

/* An array of a band: the host's side of it and the device's; NULL: there is none. */
typedef struct sat_band_array {
    void *pinned, *device;
} sat_band_array;

/* One band on its way. */
typedef struct sat_band {
    sat_band_array of[SAT_BAND_ARRAYS];
    void *uploaded, *computed, *downloaded; /* events */
} sat_band;

/* Zeroed, it holds nothing. */
typedef struct sat_bands {
    const sat_device *device;
    int slots, threads;
    const sat_executor *executor;
    void *up, *work, *down; /* streams */
    sat_band slot[SAT_BANDS];
} sat_bands;

/* All memory that runs will need for bands of up to the shapes of `largest`, whose data is not looked at, of which a
 * run has `count` at most.  threads: 0: all processors.  On SAT_OK to be given to sat_bands_close(); else it holds
 * nothing, and the status is SAT_ERR_SHAPE, SAT_ERR_MEMORY or SAT_ERR_DEVICE. */
sat_status sat_bands_open(sat_bands *b, const sat_device *device, const sat_views *largest, int64_t count, int threads,
                          const sat_executor *executor, sat_arena *arena);
void sat_bands_close(sat_bands *b);

/* A band's part of the host's arrays, and what the device makes of it. */
typedef struct sat_band_part {
    sat_view of[SAT_BAND_ARRAYS]; /* parts of the caller's views */
    int64_t made, skipped;        /* rows of the device's results; before the first that is a row of the host's */
} sat_band_part;

/* A run: its bands, in their order. */
typedef struct sat_bands_job {
    int64_t count;
    sat_views host; /* the caller's, whole */
    /* The part of band k; of[] has views where `host` has. */
    void (*part)(void *context, int64_t k, sat_band_part *part);
    /* Queues what makes the results of band k.  device: views of its part, without gaps. */
    sat_status (*compute)(void *context, int64_t k, const sat_views *device, void *stream);
    /* Waits for the stream, and returns what runs could not; NULL: the device's wait. */
    sat_status (*wait)(void *context, void *stream);
    void *context;
} sat_bands_job;

/* Runs all bands.  Begins when the caller's stream is empty, and refuses one that is being captured; whatever it
 * returns, nothing is under way any more. */
sat_status sat_bands_run(sat_bands *b, const sat_bands_job *job, const sat_run *run);

#endif
