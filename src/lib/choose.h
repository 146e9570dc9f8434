/* choose.h - the backend, and the number of threads, of a job whose caller named none. */
#ifndef SAT_CHOOSE_H
#define SAT_CHOOSE_H

#include "sat.h"

/* How fast a CPU and a device are, for work on arrays in host memory. */
typedef struct sat_rates {
    double thread_bytes_per_s; /* that one thread reads and writes */
    double memory_bytes_per_s; /* that all threads do together, at most */
    double startup_s;          /* from the first call of the driver to the first launch */
    double bus_bytes_per_s;    /* to a device and back together, in bands (bands.h) that many threads copy */
    double copied_bytes_per_s; /* what one thread copies to or from memory that a device reaches */
} sat_rates;

extern const sat_rates sat_rates_assumed;

/* Is a device faster, for arrays of that many bytes in all, than so many threads?
 *
 *     bytes / min(threads * thread rate, memory rate)  >  start-up + bytes / min(threads * copied rate, bus rate)
 *
 * The device's own work is left out: beside the bus it is nothing. */
bool sat_device_pays(const sat_rates *rates, double bytes, int threads);

/* As many of the threads as have a share of the work each, at least one. */
static inline int sat_threads_worth(double work, double share, int threads)
{
    double worth = work / share;
    return worth < 1 ? 1 : worth < threads ? (int)worth : threads;
}

/* What a job is, for the choice among backends or scan methods where the caller named none. */
typedef struct sat_choice {
    sat_memory memory;
    double bytes;     /* of all its arrays */
    bool device_pays; /* host memory: is a device considered at all? */
} sat_choice;

/* For arrays of that many bytes in all; threads 0 = one for each core.  Loads no driver. */
sat_choice sat_choice_for(sat_memory memory, double bytes, int threads);

/* May one of that kind, which runs on a device or does not, be chosen by default? */
bool sat_may_choose(const sat_choice *choice, sat_kind kind, bool device);

/* The first refusal, which stays where none may be chosen. */
sat_status sat_choice_none(const sat_choice *choice);

/* Is there nothing to choose from: arrays on a device, and no device? */
bool sat_choice_hopeless(const sat_choice *choice);

/* SAT_ERR_UNAVAILABLE: there is no such thing ("backend") of that name; a build without CUDA says that it is one. */
sat_status sat_choice_unknown(const char *thing, const char *name);

/* Refuses device memory to what runs on the host: SAT_OK or SAT_ERR_UNAVAILABLE. */
sat_status sat_check_memory(const char *name, sat_memory memory, bool device);

/* A failure of a device that was not named, so that the next of the table is tried: too little memory, or an error
 * there, is SAT_ERR_UNAVAILABLE. */
sat_status sat_passed_over(sat_status status);

/* Adds to a note what host arrays cost on a device; or, where a build that could use one chose the host, cost there. */
void sat_choice_note(const sat_choice *choice, bool named, bool device, char *note, size_t note_bytes);

#endif
