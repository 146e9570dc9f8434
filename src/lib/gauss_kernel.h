/* gauss_kernel.h - what one pass of a Gaussian filter adds up, along one axis. */
#ifndef SAT_GAUSS_KERNEL_H
#define SAT_GAUSS_KERNEL_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The widest Gaussian whose samples are added up one by one reaches so far; wider ones are made of boxes. */
enum { SAT_GAUSS_TAPS = 16, SAT_GAUSS_BOXES = 2 };

/* A pass adds up the samples from `reach` before a sample to `reach` after it.  All passes are the same. */
typedef struct sat_gauss_kernel {
    int passes;
    int64_t reach;
    bool direct;                     /* by taps; else by boxes */
    double taps[SAT_GAUSS_TAPS + 1]; /* weight of the middle, and of samples 1 .. reach from it */
    int64_t radius[SAT_GAUSS_BOXES]; /* a box: samples up to that far from the middle, the smaller box first, */
    double inside[SAT_GAUSS_BOXES];  /* each with this weight, */
    double rim[SAT_GAUSS_BOXES];     /* and the two samples next to them with that one; radius + 1 <= reach */
} sat_gauss_kernel;

/* For 0 < sigma <= SAT_GAUSS_SIGMA_MAX (sat_gauss.h). */
sat_gauss_kernel sat_gauss_kernel_for(double sigma);

/* One pass of a window of that side, which has a rim (sat_gauss.h); 1 < side <= SAT_GAUSS_SIDE_MAX. */
sat_gauss_kernel sat_gauss_kernel_of_side(double side);

#ifdef __cplusplus
}
#endif
#endif
