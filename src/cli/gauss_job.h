/* gauss_job.h - the Gaussian filter of one image. */
#ifndef CLI_GAUSS_JOB_H
#define CLI_GAUSS_JOB_H

#include "job.h"

/* What it holds beside the decoded image, in bytes. */
uint64_t gauss_bytes(const image_shape *shape, const job_need *need);

/* Leaves the result in img. */
bool gauss_filter(const job *j, const char *input, image *img, int threads, error *err);

#endif
