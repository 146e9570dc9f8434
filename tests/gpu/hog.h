/* hog.h - a kernel that keeps multiprocessors to itself until it is told to stop. */
#ifndef HOG_H
#define HOG_H

#include <cuda_runtime_api.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct hog hog;

/* Occupies all multiprocessors but `leave` with blocks that nothing else fits beside; returns when all of them run. */
cudaError_t hog_start(hog **h, int leave);

/* Lets go and frees.  *held: did it hold out until now?  It gives up by itself after some seconds, so that work that
 * needs more multiprocessors than are left does not hang for ever. */
cudaError_t hog_stop(hog *h, int *held);

#ifdef __cplusplus
}
#endif
#endif
